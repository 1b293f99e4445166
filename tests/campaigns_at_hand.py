"""A campaign in a database, begun and waiting for letters (First World War by default); raw mails to it.

at = campaign_at_hand(tmp_path)  # FWW-1, four players, fast tempo
number = at.arrives(at.reply("WA", "READY"))  # as if the poller had taken it in
receive_letter(at.office, number, "test")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from engine.kernel.fairness.audit import Secrets
from engine.kernel.fairness.dice import Chain, H
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import AdvanceRun, Campaign, load_campaign
from pbem.campaigns.deadlines import SeatTime, plan_timetable, timetable_rows
from pbem.campaigns.lobby import open_campaign
from pbem.campaigns.policy import Policy, read_policy
from pbem.campaigns.recipients import OutgoingLetter, letter_to, phrases_for, seat_recipient
from pbem.context import ServiceContext
from pbem.letters.render import LetterBody
from pbem.letters.result import Result, result_text
from pbem.mail.addresses import SeatAddresses
from pbem.settings import ServiceProfile
from pbem.store.advance import NextWindow, Why, commit_advance, frozen_close, next_window_number
from pbem.store.campaigns import Keys
from pbem.store.inbox import Sighting, mark_read_to, store_letter
from pbem.store.outbox import OutgoingMail, Posted, letters_to
from pbem.store.people import add_member, enrol, give_seat, seated
from pbem.store.windows import read_orders
from tests.stores import FILE, copied_store, file_of, fresh_store, patterns_folder

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
MAILBOX = "umpire@play.test"
NAME = "FWW-1"
PEOPLE: Mapping[str, tuple[str, str, str]] = {  # address -> name, language, zone
    "jeanne@wa.test": ("Jeanne Dubois", "fr", "Europe/Paris"),
    "erik@ea.test": ("Erik Holm", "en", "Europe/Stockholm"),
    "max@de.test": ("Max Brandt", "en", "Europe/Berlin"),
    "gaby@ga.test": ("Gaby Moser", "fr", "Europe/Vienna"),
}
UMPIRE = "ursula@umpires.test"
OBSERVER = "otto@watchers.test"


@dataclass(slots=True)
class Clock:
    """The office's time, as the test says."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def passes(self, **time: float) -> datetime:
        self.now += timedelta(**time)
        return self.now


@dataclass(slots=True)
class AtHand:
    """A running campaign and the ways to write to it."""

    service: ServiceContext
    clock: Clock
    name: str
    addresses: Mapping[str, str]  # seat -> registered address of its holder
    uids: Any = field(default_factory=lambda: count(1))

    @property
    def db(self) -> Engine:
        return self.service.db

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(self.addresses)

    def letters(self, seat: str | None = None, kind: str = "") -> list[Posted]:
        """What was written to a seat, newest first."""
        return [one for one in letters_to(self.db, self.name, seat) if kind in ("", one.letter.kind)]

    def reply(self, seat: str, text: str, to: Posted | None = None, **changes: Any) -> bytes:
        """A seat's plain reply to a letter of ours (to its newest result letter)."""
        answered = to or self.letters(seat, "result")[0]
        mine = next(one for one in seated(self.db, self.name) if one.seat == seat)
        window = answered.letter.window or 0
        token = self.service.addresses.reply_address(self.name, seat, mine.holder, window)
        told = {
            "sender": self.addresses[seat],
            "recipient": token,
            "in_reply_to": answered.letter.message_id,
            "subject": f"Re: [{self.name}]",
        }
        return mail(text, **(told | {"date": self.clock()} | changes))

    def arrives(self, raw: bytes, at: datetime | None = None) -> int:
        """The mail server took it, and the poller took it in."""
        seen = Sighting("INBOX", 1, next(self.uids))
        return store_letter(self.db, seen, raw, at or self.clock(), self.clock()).id

    def close(self, why: Why = "deadline") -> Campaign:
        """Close the open window with what is on file, run, and write to every seat."""
        return run_on(self.service, self.name, why)


def mail(
    text: str,
    *,
    sender: str,
    recipient: str = MAILBOX,
    subject: str = "",
    date: datetime | None = None,
    in_reply_to: str = "",
    message_id: str = "",
    cc: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
    delivered_to: str | None = None,
) -> bytes:
    """A mail as a plain program writes it and our mail server delivers it."""
    message = EmailMessage(policy=SMTP)
    message["Delivered-To"] = recipient if delivered_to is None else delivered_to
    message["From"] = sender
    message["To"] = recipient
    if cc:
        message["Cc"] = ", ".join(cc)
    message["Subject"] = subject
    if date is not None:
        message["Date"] = format_datetime(date)
    message["Message-ID"] = message_id or f"<{next(_MAILS)}.mail@clients.test>"
    if in_reply_to:
        message["In-Reply-To"] = in_reply_to
    for name, value in (headers or {}).items():
        message[name] = value
    message.set_content(text if text.endswith("\n") else f"{text}\n")
    return message.as_bytes()


_MAILS = count(1)


# ------------------------------------------------------------------ founding


def campaign_at_hand(
    folder: Path,
    *,
    players: int = 4,
    tempo: str = "fast",
    policy: Policy | None = None,
    name: str = NAME,
    house: ServiceProfile | None = None,
    options: Mapping[str, Any] | None = None,
    db: Engine | None = None,
    game: str = "fww",
    scenario: str = "",
    dice: str = "",
) -> AtHand:
    """Founded, every seat held by a player, an umpire and an observer there, and the first window open.

    A copy of one begun before: a test that alters the rules or the dice first gives a database of its own.
    `dice`: other words give other throws.
    """
    told = (name, players, tempo, policy, options, game, scenario, dice)
    house = house or ServiceProfile(umpires=(UMPIRE,))
    if db is not None:
        return _begun(db, house, *told)
    pattern = _PATTERNS.get(repr((house, *told)))
    if pattern is None:
        pattern = _PATTERNS[repr((house, *told))] = _begun(fresh_store(patterns_folder()), house, *told)
        pattern.db.dispose()
    clock = Clock()
    service = replace(pattern.service, db=copied_store(file_of(pattern.db), folder / FILE), now=clock)
    return AtHand(service, clock, name, dict(pattern.addresses))


LINKS = 512  # of the dice chain: a short one is made sooner
_PATTERNS: dict[str, AtHand] = {}  # begun once for each process; every test has a copy


def _begun(store: Engine, house: ServiceProfile, name: str, *told: Any) -> AtHand:
    clock = Clock()
    service = ServiceContext(store, SeatAddresses(H("test addresses"), MAILBOX), house, clock)
    holders = found_campaign(service, name, *told)
    run_on(service, name, "opening")
    return AtHand(service, clock, name, holders)


def found_campaign(
    service: ServiceContext,
    name: str = NAME,
    players: int = 4,
    tempo: str = "fast",
    policy: Policy | None = None,
    options: Mapping[str, Any] | None = None,
    game: str = "fww",
    scenario: str = "",
    dice: str = "",
) -> dict[str, str]:
    """A campaign in the lobby with its people; returns seat -> address."""
    db, now = service.db, service.now()
    secrets = Secrets(Chain(H("test chain", name + dice), LINKS), H("test seal", name))
    keys = Keys(secrets, H("test bots", name), H("test mail", name))
    terms = open_campaign(
        service,
        name,
        game,
        scenario=scenario,
        players=players,
        tempo=tempo,
        options=dict(options or {}),
        policy=policy or Policy(),
        title="The test of war",
        keys=keys,
    )
    holders = dict(zip(terms.seats, PEOPLE, strict=False))
    for seat, address in holders.items():
        give_seat(db, name, seat, enrol(db, address, *PEOPLE[address], now), now)
    add_member(db, name, enrol(db, UMPIRE, "Ursula Ump", "en", "Europe/London", now), "umpire", now)
    add_member(db, name, enrol(db, OBSERVER, "Otto Weiss", "en", "UTC", now), "observer", now)
    return {str(seat): address for seat, address in holders.items()}


# ------------------------------------------------------------------ Close, run, commit


def run_on(service: ServiceContext, name: str, why: Why) -> Campaign:
    """One Close, carried out; result letters are laid in as text."""
    now = service.now()
    frozen = frozen_close(service.db, name)
    if frozen is None:
        frozen = load_campaign(service.db, name).freeze(read_orders(service.db, name), why, now)
    assert frozen is not None, "the campaign is held or over"
    here = load_campaign(service.db, name)
    ran = here.run(frozen)
    window = _window(service, here)
    commit_advance(service.db, ran.advance(_letters(service, here, ran, window), window), now)
    mark_read_to(service.db, "INBOX", 1, now)
    return here


def _window(service: ServiceContext, here: Campaign) -> NextWindow | None:
    if here.pause is None:
        return None
    window = here.pause.window
    kind = window.key.partition(".")[2][:1]
    clock = read_policy(here.standing_row.policy).clock
    zones = {str(seat): SeatTime(clock.zone) for seat in window.seats}
    plan = timetable_rows(plan_timetable(clock, kind, service.now(), zones), clock.phase(kind), service.now())
    number = next_window_number(service.db, here.name)
    return NextWindow(number, window.key, kind, window.seats, window.once, plan)


def _letters(
    service: ServiceContext, here: Campaign, ran: AdvanceRun, window: NextWindow | None
) -> list[OutgoingMail]:
    letters, asks = [], here.open_asks()
    for one in seated(service.db, here.name):
        reader = seat_recipient(here.name, one)
        if reader is None:
            continue
        seat = Seat(one.seat)
        key = window.key if window is not None and seat in window.seats else ""
        own = tuple(ask for _, ask in asks.get(seat, ()))
        result = Result(campaign=here.name, view=here.table.view(seat), asks=own, window=key)
        text = result_text(here.terms.game, result, phrases_for(here.terms, reader))
        number = None if window is None else window.number
        sending = OutgoingLetter(
            kind="result",
            written=LetterBody(f"[{here.name}]", text, f"<pre>{len(text)}</pre>", ()),
            window=number,
        )
        letters.append(letter_to(service, service.db, reader, sending, service.now()))
    return letters
