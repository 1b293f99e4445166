"""Everything of one run: servers, processes, campaigns and their players."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientError
from sqlalchemy.exc import SQLAlchemyError

from pbem.campaigns.lobby import open_campaign, start_campaign
from pbem.campaigns.policy import Policy
from pbem.context import ServiceContext, service_context
from pbem.settings import read_settings
from pbem.store.people import enrol, give_seat
from tests.faults.moody import Moody, MoodyServer
from tests.faults.players import MAILBOX, Person, Players
from tests.faults.processes import Processes
from tests.faults.servers import Broker, redis_broker
from tests.faults.wire import Wire
from tests.servers import HOST, LOOPBACK, PASSWORD, Dovecot, dovecot, free_port
from tests.store.postgres import Cluster, cluster

Database: TypeAlias = Literal["sqlite", "postgresql"]


@dataclass(slots=True)
class Ground:
    """A service at work, and the hands that may break it."""

    folder: Path
    database: Database
    dice: Random
    service: ServiceContext
    mailboxes: Dovecot
    wire: Wire
    smtp: Moody
    broker: Broker
    base: Cluster | None
    processes: Processes
    players: Players
    chores: list[Callable[[], None]] = field(default_factory=list)  # done while one waits

    def passes(self, seconds: float) -> None:
        """Time passes; what died is started again."""
        end = time.monotonic() + seconds
        while True:
            self.processes.look()
            for chore in self.chores:
                try:
                    chore()
                except SQLAlchemyError:
                    continue  # the database is away
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(0.1, left))

    def until(self, found: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if found():
                    return True
            except (SQLAlchemyError, IMAPClientError):
                pass  # the database is away, or a mailbox is made anew
            self.passes(0.2)
        return False

    def stop_database(self) -> None:
        assert self.base is not None
        self.base.stop(signal.SIGQUIT)

    @contextmanager
    def mailbox(self) -> Iterator[Any]:
        """The service's own mailbox, not through the wire."""
        patience: Any = SocketTimeout(connect=10, read=30)
        with IMAPClient(LOOPBACK, self.mailboxes.imap, ssl=False, timeout=patience) as client:
            client.login("umpire", PASSWORD)
            yield client


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is of everything."""

    campaigns: int = 4
    parents: int = 2
    pool: int = 2
    maps: bool = True  # in the letters


@contextmanager
def ground(
    folder: Path, database: Database, dice: Random, size: Size, policy: Policy | None = None
) -> Iterator[Ground]:
    """All parts up, the campaigns opened, nobody working yet but the servers."""
    with ExitStack() as parts:
        imap = parts.enter_context(dovecot())
        wire = parts.enter_context(Wire(imap.imap))
        handler = Moody(imap.lmtp, Random(dice.random()))
        server = MoodyServer(handler, free_port())
        server.start()
        parts.callback(server.stop)
        broker = parts.enter_context(redis_broker())
        base, url = None, ""
        if database == "postgresql":
            base = parts.enter_context(cluster())
            base.tell("CREATE DATABASE play")
            url = base.url("play").set(drivername="postgresql").render_as_string(hide_password=False)
        config = folder / "pbem.toml"
        config.write_text(_configuration(url, broker.url, wire.port, server.port))
        service = service_context(read_settings(config, {}))
        parts.callback(service.db.dispose)
        people = [
            one for number in range(size.campaigns) for one in seat_players(service, number + 1, policy)
        ]
        players = Players(people, imap.folder / "mail", imap.lmtp, service.db, Random(dice.random()))
        run = Processes(folder, config, Random(dice.random()), size.parents, size.pool, maps=size.maps)
        yield Ground(folder, database, dice, service, imap, wire, handler, broker, base, run, players)


def _configuration(database: str, redis: str, imap: int, smtp: int) -> str:
    return (
        f'mailbox = "{MAILBOX}"\nmail = "servers"\ndatabase = "{database}"\nredis = "{redis}"\n'
        f'[imap]\nhost = "{LOOPBACK}"\nport = {imap}\nsecurity = "none"\n'
        f'user = "umpire"\npassword = "{PASSWORD}"\n'
        f'[smtp]\nhost = "{LOOPBACK}"\nport = {smtp}\nsecurity = "none"\n'
        f'[house]\numpires = ["ursula@{HOST}"]\n'
    )


def seat_players(service: ServiceContext, number: int, policy: Policy | None = None) -> list[Person]:
    """Opened, both seats held, started; the workers do the rest."""
    name = f"FWW-{number}"
    terms = open_campaign(service, name, "fww", players=2, policy=policy, umpires=service.profile.umpires)
    people = []
    for seat in terms.seats:
        one = Person(f"{seat}{number}".lower(), name, str(seat))
        who = enrol(service.db, one.address, one.player.name, "en", "UTC", service.now())
        give_seat(service.db, name, str(seat), who, service.now())
        people.append(one)
    start_campaign(service, name)
    return people
