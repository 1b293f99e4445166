"""One of two worlds: a campaign in a store of its own, begun in a drawn position, with its own people.

Both worlds have the same keys, the same clock readings and the same chance; whoever reads along as the seat
that may not know, or as an observer, is the same person in both. All others differ in language, zone,
addresses, days away, and in what they hold and do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import Any

from pytest import MonkeyPatch
from sqlalchemy import Engine, delete, select, update

from engine.kernel.fairness.audit import Ledger, Secrets
from engine.kernel.fairness.dice import Chain, H
from engine.kernel.game import Game, Tempo
from engine.kernel.requests import Seat, Segment
from engine.kernel.visibility import Pile
from pbem.campaigns import lobby
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.invitations import invite
from pbem.campaigns.outages import ClockReading
from pbem.campaigns.policy import Policy
from pbem.context import ServiceContext
from pbem.intake.reading import text_sent
from pbem.intake.receive import receive_letter
from pbem.intake.shunting import shunt_letter
from pbem.mail.addresses import SeatAddresses
from pbem.ops.sweep import sweep
from pbem.orders.returned_form import form_rows
from pbem.settings import ServiceProfile
from pbem.store.campaigns import Keys
from pbem.store.inbox import RawMail, Sighting, claim_letter, letter, mark_read_to, store_letter
from pbem.store.outbox import posted
from pbem.store.people import add_absence, add_member, enrol, give_seat, link_address, seated
from pbem.store.schema import seats
from pbem.store.schema_mail import outbox, pulses
from pbem.store.session import reading, writing
from pbem.store.standing_orders import replace_standing_orders
from pbem.store.windows import OpenWindow, open_window
from tests.campaigns_at_hand import MAILBOX, UMPIRE, Clock, mail
from tests.conformance.exchanges import Exchange
from tests.conformance.games import STANDING, Case
from tests.conformance.worlds import SharedDice
from tests.stores import fresh_store

NAME = "FWW-1"
READER = "anna@reader.test"  # holds the seat that may not know
READER_TOO = "anna.o@office.test"  # she writes from it now and then
WATCHER = "otto@watchers.test"
STRANGER = "mallory@nowhere.test"
THE_UMPIRE = "the umpire"
HOLDERS = ("Bertil Holm", "Carla Moser", "Dora Dubois")  # names are public, and the same in both worlds
OF_OTHERS = (  # by world: language, zone, address, days away
    ("en", "Europe/Stockholm", "one.test", (date(2027, 9, 1), date(2027, 9, 3))),
    ("fr", "America/Montreal", "two.test", (date(2027, 11, 5), date(2027, 11, 30))),
)

BANKS = (9000, 25200)  # of others, by world: seconds


@dataclass(frozen=True)
class Beginning:
    """Where two worlds begin, who reads along, and on what terms."""

    seed: int
    case: Case
    tempo: Tempo
    seat: Seat  # that may not know
    segment: Segment
    positions: tuple[bytes, bytes]
    exchange: Exchange = field(repr=False)
    language: str = "en"
    policy: Policy = field(default_factory=Policy)
    piles: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # shuffled before: root, label, order

    def standing(self, seat: str, which: int) -> str:
        """Standing orders for secret questions, as this seat writes them."""
        runs = self.state.get("seats")  # of factions, in a game that has them
        own = sorted(one for one, holder in runs.items() if holder == seat) if isinstance(runs, dict) else []
        lines = STANDING[self.case.game.id][which].splitlines()
        return "\n".join(
            lines if len(own) <= 1 else [f"{faction} {line}" for faction in own for line in lines]
        )

    @cached_property
    def state(self) -> Any:
        """The position of the first world, as plain data."""
        return json.loads(self.positions[0])

    def __str__(self) -> str:
        where = f"from {self.segment.key}, {self.exchange}"
        return f"{self.case} {self.tempo} pair {self.seed}, {self.seat}, {where}"


# Of a letter's changes: the kind of letter that it answers, and whether it is laid aside as one at which
# the service fails ("shunted"), or its orders stand in the quoted form of that letter ("edited").
NOT_HEADERS = ("kind", "how")


@dataclass(frozen=True)
class Event:
    """A letter that somebody writes. `seat` "": the observer; THE_UMPIRE: the umpire."""

    at: datetime
    seat: str
    text: str
    name: str  # of the letter, in its Message-ID
    changes: dict[str, Any] = field(default_factory=dict)  # of its headers; and what NOT_HEADERS names
    insists: bool = False  # if it is asked about, it is confirmed at once, or else written plainly
    confirms: bool = False  # it is a serious one, and confirmed when that is asked for


class World:
    """A campaign, and the ways to write to it."""

    at_work: World | None = None  # the one that is driven just now: what is planted may look at its secrets

    def __init__(self, folder: Path, begin: Beginning, number: int, dice: SharedDice) -> None:
        self.begin, self.number, self.dice, self.clock = begin, number, dice, Clock()
        addresses = SeatAddresses(H("two worlds"), MAILBOX)
        house = ServiceProfile(umpires=(UMPIRE,))
        self.service = ServiceContext(fresh_store(folder), addresses, house, self.clock)
        self.addresses: dict[str, str] = {}
        self.gone: set[str] = set()  # those who held the reader's seat before
        self.heard: Counter[str] = Counter()  # what became of the letters
        self._uids, self._steady = count(1), 1000.0
        with self.acting():
            self._found()

    @property
    def db(self) -> Engine:
        return self.service.db

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(str(seat) for seat in self.begin.case.seats if seat != self.begin.seat)

    @property
    def writers(self) -> tuple[str, ...]:
        """The others' seats that somebody holds."""
        return tuple(seat for seat in self.others if seat in self.addresses)

    @contextmanager
    def acting(self) -> Iterator[None]:
        """The campaign begins in this world's position, and chance falls as it does in both."""
        pack, data = _pack(self.begin.case.game), self.begin.positions[self.number]
        shuffled = self._piles()

        def set_up(game: Any, *_: Any) -> Any:
            return game.load(pack, json.loads(data)), self.begin.segment

        with MonkeyPatch.context() as patch:
            patch.setattr(type(self.begin.case.game), "set_up", set_up)
            patch.setattr(Ledger, "_pile", lambda ledger, root: shuffled.get(root) or _PILE(ledger, root))
            patch.setattr(Ledger, "dice", lambda *_: self.dice)
            patch.setattr(World, "at_work", self)
            yield

    def _piles(self) -> dict[str, Pile]:
        """Piles that were shuffled before this world began, as they lie in it."""
        exchange = self.begin.exchange if self.number else Exchange({})
        return {
            root: Pile(root, label, tuple(exchange(card) for card in order), b"s" * 32)
            for root, label, order in self.begin.piles
        }

    # -------------------------------------------------------------- founding

    def _found(self) -> None:
        """The reader, the observer and the umpire first: they are the same people in both worlds."""
        begin, db, now = self.begin, self.db, self.clock()
        lobby.open_campaign(
            self.service,
            NAME,
            begin.case.game.id,
            options=dict(begin.case.options),
            policy=begin.policy,
            title="The test of war",
            keys=_keys(),
            scenario=begin.case.scenario,
            players=begin.case.players,
            tempo=begin.tempo,
        )
        reader = enrol(db, READER, "Anna Reader", begin.language, "Europe/Paris", now)
        link_address(db, reader, READER_TOO, now)
        add_member(db, NAME, enrol(db, WATCHER, "Otto Weiss", "en", "UTC", now), "observer", now)
        add_member(db, NAME, enrol(db, UMPIRE, "Ursula Ump", "en", "Europe/London", now), "umpire", now)
        give_seat(db, NAME, begin.seat, reader, now)
        self.addresses[str(begin.seat)] = READER
        for seat, name in zip(self.others, HOLDERS, strict=False):
            self._seat_somebody(seat, name)

    def _seat_somebody(self, seat: str, name: str) -> None:
        db, now = self.db, self.clock()
        language, zone, host, away = OF_OTHERS[self.number]
        address = f"{name.partition(' ')[0].lower()}@{host}"
        person = enrol(db, address, name, language, zone, now)
        add_absence(db, person, *away)
        if self.number:
            link_address(db, person, f"home.{address}", now)
        give_seat(db, NAME, seat, person, now)
        self.addresses[seat] = address
        if self.begin.policy.clock.bank is not None:
            mine = (seats.c.campaign == NAME, seats.c.seat == seat)
            with writing(db) as tx:
                tx.execute(update(seats).where(*mine).values(bank=BANKS[self.number]))
        with writing(db) as tx:
            replace_standing_orders(tx, NAME, {seat: self.begin.standing(seat, 1 + self.number)}, now)

    def opens(self) -> None:
        """Invitations, and the opening Close."""
        with self.acting():
            here = load_campaign(self.db, NAME)
            with writing(self.db) as tx:
                for seat in self.begin.case.seats:
                    invite(self.service, tx, here, str(seat))
            lobby.start_campaign(self.service, NAME)
            adjudicate(self.service, NAME)

    # -------------------------------------------------------------- what happens

    def window(self) -> OpenWindow | None:
        return open_window(self.db, NAME)

    def taken_up(self) -> Campaign:
        with self.acting():
            return load_campaign(self.db, NAME)

    def hears(self, event: Event) -> None:
        """The letter is written, taken in and heard; whatever it rings for is looked at."""
        self._runs_to(event.at)
        raw = self._raw(event)
        number = store_letter(self.db, Sighting("INBOX", 1, next(self._uids)), raw, event.at, event.at).id
        with self.acting():
            for name in sorted(self._receives(number, event)):
                adjudicate(self.service, name)
        heard = letter(self.db, number)
        assert heard is not None and heard.state != "received", f"{event}: {heard and heard.reason}"
        self.heard[" ".join((event.changes.get("how", ""), heard.state, heard.reason)).strip()] += 1
        if event.insists:
            self._insists(event, heard)
        if event.confirms and heard.state == "held":
            minute = event.at + timedelta(minutes=1)
            self.hears(Event(minute, event.seat, "CONFIRM", f"{event.name}.confirm", {"kind": "question"}))

    def _receives(self, number: int, event: Event) -> frozenset[str]:
        if event.changes.get("how") != "shunted":
            return receive_letter(self.service, number, "worker")
        claimed = claim_letter(self.db, number, "worker", self.clock())
        assert claimed is not None
        return shunt_letter(self.service, claimed, "ZeroDivisionError")

    def _insists(self, event: Event, heard: RawMail) -> None:
        if (heard.state, heard.reason) == ("held", "sheet"):
            self.hears(Event(event.at, event.seat, "CONFIRM", f"{event.name}.confirm", {"kind": "question"}))
        elif event.changes.get("how") == "edited" and heard.state != "applied":
            self.hears(Event(event.at, event.seat, event.text, f"{event.name}.plainly", insists=True))

    def sweeps(self, moment: datetime) -> None:
        """Time passes, the service runs all the while, and the inbox is read to its end."""
        self._runs_to(moment)
        with writing(self.db) as tx:
            tx.execute(delete(pulses))
        mark_read_to(self.db, "INBOX", 1, moment)
        with self.acting():
            for name in sweep(self.service, lambda now: ClockReading(now, self._steady, "boot")).campaigns:
                adjudicate(self.service, name)

    def _runs_to(self, moment: datetime) -> None:
        assert moment >= self.clock.now, "time does not go back"
        self._steady += (moment - self.clock.now).total_seconds()
        self.clock.now = moment

    def _raw(self, event: Event) -> bytes:
        """A reply to the newest result letter, as a plain program writes it."""
        if event.seat in ("", THE_UMPIRE):
            told: dict[str, Any] = {"sender": UMPIRE if event.seat else WATCHER, "subject": f"[{NAME}]"}
            if "kind" in event.changes:
                told["in_reply_to"], _ = self._last_letter(None, event.changes["kind"])
        else:
            holder = next(one.holder for one in seated(self.db, NAME) if one.seat == event.seat)
            answered, window = self._last_letter(event.seat, event.changes.get("kind", "result"))
            token = self.service.addresses.reply_address(NAME, event.seat, holder, window)
            told = {"sender": self.addresses[event.seat], "recipient": token, "in_reply_to": answered}
            told["subject"] = f"Re: [{NAME}]"
        changes = {name: value for name, value in event.changes.items() if name not in NOT_HEADERS}
        told |= {"date": event.at, "message_id": f"<{event.name}@clients.test>"} | changes
        edited = event.changes.get("how") == "edited"
        return mail(self._in_form(event.text, told["in_reply_to"]) if edited else event.text, **told)

    def _in_form(self, text: str, answered: str) -> str:
        """The block of orders written over those of the quoted form, whose remarks stay."""
        sent, (orders, _, rest) = posted(self.db, answered), text.partition("\nEND")
        rows = () if sent is None else form_rows(text_sent(sent))
        if not rows or not orders.startswith("ORDERS"):
            return text
        remarks = [row for row in rows[1:-1] if row.startswith("#")]
        form = [rows[0], *orders.splitlines()[1:], *remarks, rows[-1]]
        return "\n".join([rest.strip(), "", *(f"> {row}" for row in form)])

    def _last_letter(self, seat: str | None, kind: str) -> tuple[str, int]:
        mine = (outbox.c.campaign == NAME, outbox.c.seat == seat, outbox.c.kind == kind)
        chosen = select(outbox.c.message_id, outbox.c.window).where(*mine).order_by(outbox.c.id.desc())
        with reading(self.db) as tx:
            row = tx.execute(chosen.limit(1)).first()
        return ("", 0) if row is None else (row.message_id, row.window or 0)


_PILE: Any = Ledger._pile  # of piles on record


@cache
def _pack(game: Game) -> Any:
    return game.load_pack()


@cache
def _keys() -> Keys:
    secrets = Secrets(Chain(H("two worlds", "chain"), 512), H("two worlds", "seal"))
    return Keys(secrets, H("two worlds", "bots"), H("two worlds", "mail"))
