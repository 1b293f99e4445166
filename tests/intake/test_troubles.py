"""What nobody expected: tried again, then shunted; done once whoever hears it, and however often."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event, update
from sqlalchemy.exc import OperationalError

from pbem.campaigns.umpire.seats import replace_holder
from pbem.intake import receive
from pbem.intake.receive import MOST_DEATHS, TRIES, receive_letter
from pbem.orders.understood import Command
from pbem.store.campaigns import lock
from pbem.store.inbox import Received, letter, requeue_letter
from pbem.store.people import enrol, give_seat
from pbem.store.schema_mail import inbox
from pbem.store.session import connect, migrate, writing
from pbem.store.windows import SeatOrders, read_orders
from pbem.verbs.registry import REGISTRY
from pbem.verbs.status import Status
from pbem.verbs.verb import Verb
from tests.campaigns_at_hand import UMPIRE, campaign_at_hand
from tests.intake.conftest import Desk, newest_to, number_to
from tests.packages import Missing
from tests.store.postgres import cluster

GOOD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"


def _status_handled_by(handler: Any) -> Verb[Any]:
    return replace(REGISTRY.of(Status()), handler=handler)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler with a mistake in it."""

    def fails(context: object, command: Command) -> object:
        raise ZeroDivisionError(f"the words of {command}")

    monkeypatch.setitem(REGISTRY.by_command, Status, _status_handled_by(fails))


def test_a_failure_is_tried_again_then_shunted_and_the_umpire_told(desk: Desk, broken: None) -> None:
    number = desk.at.arrives(desk.at.reply("DE", f"{GOOD}\nSTATUS"))
    for _ in range(TRIES - 1):
        found = desk.has_heard(number)
        assert (found.state, found.reason) == ("received", "ZeroDivisionError")
        assert number_to(desk, UMPIRE) == 0
        desk.at.clock.passes(minutes=10)
    found = desk.has_heard(number)
    assert (found.state, found.reason) == ("shunted", "ZeroDivisionError")
    told = newest_to(desk, UMPIRE)
    assert f"Letter {number} could not be heard" in told and "the words of" not in told
    assert read_orders(desk.at.db, "FWW-1").seats.get("DE", SeatOrders()).sheet is None  # all or nothing


def test_a_shunted_letter_is_heard_when_it_is_put_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as here:
        here.setitem(REGISTRY.by_command, Status, _status_handled_by(None))
        number = desk.at.arrives(desk.at.reply("DE", f"{GOOD}\nSTATUS"))
        for _ in range(TRIES):
            desk.has_heard(number)
            desk.at.clock.passes(minutes=10)
    assert requeue_letter(desk.at.db, number, desk.at.clock())
    assert desk.has_heard(number).state == "applied"


def test_a_letter_that_kills_its_workers_is_shunted(desk: Desk) -> None:
    number = desk.at.arrives(desk.at.reply("DE", GOOD))
    with writing(desk.at.db) as tx:
        tx.execute(update(inbox).where(inbox.c.id == number).values(tries=MOST_DEATHS))
    assert desk.has_heard(number).state == "shunted"


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that goes away whenever a letter is carried out, and is there again at once."""

    def fails(context: object, command: Command) -> object:
        raise OperationalError("SELECT 1", {}, Exception("terminating connection"))

    monkeypatch.setitem(REGISTRY.by_command, Status, _status_handled_by(fails))


def test_a_database_that_is_away_is_not_charged_to_the_letter(desk: Desk, away: None) -> None:
    number = desk.at.arrives(desk.at.reply("DE", "STATUS"))
    for _ in range(MOST_DEATHS + 2):
        found = desk.has_heard(number)
        assert ("received", "database", 0) == (found.state, found.reason, found.tries)
        desk.at.clock.passes(minutes=1)
    desk.at.clock.passes(hours=6)  # by now it may be the letter that the database fails at
    for _ in range(TRIES):
        found = desk.has_heard(number)
        desk.at.clock.passes(minutes=10)
    assert ("shunted", "OperationalError") == (found.state, found.reason)


def test_a_letter_that_another_worker_holds_is_left_to_him(desk: Desk) -> None:
    number = desk.at.arrives(desk.at.reply("DE", GOOD))
    soon = desk.at.clock() + timedelta(minutes=3)
    with writing(desk.at.db) as tx:
        claim = {"claimed_by": "other", "claimed_until": soon}
        tx.execute(update(inbox).where(inbox.c.id == number).values(**claim))
    assert desk.has_heard(number).state == "received"
    desk.at.clock.passes(minutes=4)  # he died
    assert desk.has_heard(number).state == "applied"


def together(desk: Desk, numbers: list[int]) -> list[Received]:
    """Every letter is heard by two workers at the same time."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(2 * len(numbers))

    def work(number: int, name: str) -> None:
        try:
            barrier.wait()
            receive_letter(desk.at.service, number, name)
        except BaseException as failure:
            failures.append(failure)

    workers = [
        threading.Thread(target=work, args=(number, f"worker {n}.{number}"))
        for n in range(2)
        for number in numbers
    ]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert failures == []
    found = [letter(desk.at.db, number) for number in numbers]
    return [one for one in found if one is not None]


def copies(desk: Desk) -> None:
    """Two copies of one letter and letters of three seats, heard all at once: each counts once."""
    raw = desk.at.reply("DE", GOOD, message_id="<twin@de.test>")
    numbers = [desk.at.arrives(raw), desk.at.arrives(b"Received: by another way\r\n" + raw)]
    numbers += [desk.at.arrives(desk.at.reply(seat, "WAIT")) for seat in ("WA", "EA")]
    received = together(desk, numbers)
    for _ in range(4):  # those who gave way are tried again
        desk.at.clock.passes(minutes=15)
        for one in received:
            receive_letter(desk.at.service, one.id, "again")
    states = [row.state for number in numbers if (row := letter(desk.at.db, number)) is not None]
    assert sorted(states) == ["applied", "applied", "applied", "set-aside"]
    assert len(desk.at.letters("DE", "receipt")) == 1
    assert [len(one.letters) for _, one in sorted(read_orders(desk.at.db, "FWW-1").seats.items())] == [
        1,
        1,
        1,
    ]


def given_away(desk: Desk) -> None:
    """While a letter is read its seat is given to another: what it says is not the newcomer's."""
    newcomer = enrol(desk.at.db, "newcomer@x.test", "New", "en", "UTC", desk.at.clock())
    number = desk.at.arrives(desk.at.reply("GA", GOOD))
    worker = threading.Thread(target=receive_letter, args=(desk.at.service, number, "one"))
    with writing(desk.at.db) as tx:
        lock(tx, "FWW-1")
        worker.start()
        time.sleep(0.5)  # by now it waits
        give_seat(tx, "FWW-1", "GA", newcomer, desk.at.clock())
    worker.join()
    kept = letter(desk.at.db, number)
    assert kept is not None and kept.state in ("refused", "set-aside", "held") and kept.seat is None
    assert "GA" not in read_orders(desk.at.db, "FWW-1").seats and not desk.at.letters("GA", "receipt")


def test_the_letter_of_a_former_holder_is_heard_as_such(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = receive._heard

    def meanwhile(*words: Any) -> frozenset[str]:
        monkeypatch.setattr(receive, "_heard", real)
        replace_holder(desk.at.service, "FWW-1", "GA", "newcomer@x.test")
        return real(*words)

    monkeypatch.setattr(receive, "_heard", meanwhile)
    found = desk.says("GA", GOOD)
    assert "applied" != found.state and found.seat is None
    assert "GA" not in read_orders(desk.at.db, "FWW-1").seats and not desk.at.letters("GA", "receipt")


# What a letter asks the database for, from the claim on; a server may be some way off.
MOST_STATEMENTS = {GOOD: 18, "READY": 21, "STANDING\nDEFEND ALL: TILE BEST\nEND": 19}


@pytest.mark.parametrize("text", MOST_STATEMENTS)
def test_a_letter_asks_the_database_for_little(desk: Desk, text: str) -> None:
    number, seen = desk.at.arrives(desk.at.reply("EA", text)), list[str]()
    event.listen(desk.at.db, "before_cursor_execute", lambda *words: seen.append(words[2]))
    receive_letter(desk.at.service, number, "one")
    assert len(seen) <= MOST_STATEMENTS[text], "\n".join(seen)


def test_two_workers_on_sqlite(desk: Desk) -> None:
    copies(desk)


def test_two_workers_on_postgresql(tmp_path_factory: pytest.TempPathFactory) -> None:
    try:
        with cluster() as running:
            running.tell("CREATE DATABASE intake")
            engine: Engine = connect(running.url("intake"))
            migrate(engine)
            at = campaign_at_hand(tmp_path_factory.mktemp("pg"), db=engine)
            at.close()
            copies(Desk(at))
            given_away(Desk(at))
            engine.dispose()
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING: {reason}")
