"""The lobby: campaigns are opened, people sign up, seats are dealt, and the game starts.

A campaign that was opened has its dice chain and the first line of its journal; nothing of it is run. When
every seat is held and somebody said start, `adjudicate` runs the opening Close.
"""

from __future__ import annotations

import re
import secrets as chance
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from engine.kernel.fairness.audit import Secrets
from engine.kernel.fairness.dice import Chain, NoDice
from engine.kernel.game import Game
from engine.kernel.requests import Seat
from engine.kernel.table import Table
from pbem.campaigns.bots import find_bot
from pbem.campaigns.deadlines import ClockTerms
from pbem.campaigns.invitations import invite
from pbem.campaigns.policy import Policy, write_policy
from pbem.campaigns.terms import Terms, agree_terms
from pbem.context import ServiceContext
from pbem.errors import BadInput
from pbem.letters.phrases import LANGUAGES, spoken
from pbem.orders.text import plain
from pbem.store import schema
from pbem.store.campaigns import (
    Act,
    CampaignExists,
    CampaignRow,
    Keys,
    NewCampaign,
    acts,
    campaign,
    create_campaign,
    lock_and_load,
    record_act,
    touch,
)
from pbem.store.people import (
    Seated,
    add_member,
    confirm_member,
    enrol,
    give_seat,
    give_to_bot,
    members,
    remove_member,
    seated,
)
from pbem.store.session import Db, reading, writing

START: Final = "start"  # the act that lets the opening Close run
LONGEST_NAME: Final = 40
_NAME: Final = re.compile(r"[A-Z0-9]+(?:[-_][A-Z0-9]+)*")


# ------------------------------------------------------------------ opening


def open_campaign(
    service: ServiceContext,
    name: str,
    game: str,
    *,
    scenario: str = "",
    players: int = 0,
    tempo: str = "",
    options: Mapping[str, Any] | None = None,
    pack: Path | None = None,
    policy: Policy | None = None,
    umpires: Iterable[str] = (),
    bots: Mapping[str, str] | None = None,
    title: str = "",
    keys: Keys | None = None,
) -> Terms:
    """Found a campaign: terms, dice chain, the journal's first line. It waits in the lobby."""
    terms = agree_terms(game, scenario, players, tempo, options, pack)
    planned = planned_campaign(service, name, terms, bots or {}, policy, pack, title, keys)
    with writing(service.db) as tx:
        found_planned(service, tx, planned, umpires)
    return terms


def planned_campaign(
    service: ServiceContext,
    name: str,
    terms: Terms,
    bots: Mapping[str, str],
    policy: Policy | None = None,
    pack: Path | None = None,
    title: str = "",
    keys: Keys | None = None,
) -> NewCampaign:
    """The founding, with everything checked; drawing a chain takes a moment and wants no transaction."""
    plain_name = name.upper()
    if not _NAME.fullmatch(plain_name) or len(plain_name) > LONGEST_NAME:
        raise BadInput(
            f"{name!r} is no name for a campaign: letters and figures, joined by '-' or '_', at most 40"
        )
    for seat in terms.seats:
        service.addresses.reply_address(plain_name, seat, 1, 1)  # says what does not fit
    for bot in bots.values():
        find_bot(terms.game, bot)
    agreed = policy or usual_policy(service, terms.game)
    own = keys or new_keys()
    opening = opening_table(terms, own).journal.lines[0]
    bank = agreed.clock.bank.start if agreed.clock.bank is not None else 0
    return NewCampaign(
        plain_name,
        terms.game.id,
        title.strip() or terms.game.names[service.profile.language],
        opening,
        own,
        terms.seats,
        {str(terms.seat(seat)): bot for seat, bot in bots.items()},
        write_policy(agreed),
        None if pack is None else str(pack.resolve()),
        bank,
    )


def usual_policy(service: ServiceContext, game: Game) -> Policy:
    """What goes without saying in this house, and of a game whose orders hang together."""
    clock = ClockTerms(zone=service.profile.zone)
    return Policy(clock=clock, proof=service.profile.proof, whole_sheets=game.whole_sheets)


def new_keys() -> Keys:
    """A chain and keys that nobody has seen."""
    dice = Secrets(Chain(chance.token_bytes(32)), chance.token_bytes(32))
    return Keys(dice, chance.token_bytes(32), chance.token_bytes(32))


def opening_table(terms: Terms, keys: Keys) -> Table:
    """The table behind the journal's first line, which pins the terms and the dice commitments."""
    return Table.start(terms.game, terms.pack, terms.settings, NoDice(), **keys.dice.commitments)


def found_planned(
    service: ServiceContext, tx: Connection, founding: NewCampaign, umpires: Iterable[str]
) -> None:
    """In one transaction: the campaign and its umpires. Addresses know no case, so names may not, either."""
    now, table = service.now(), schema.campaigns
    same = select(table.c.id).where(func.lower(table.c.id) == founding.id.lower())
    if tx.execute(same).first() is not None:
        raise CampaignExists(f"there is a campaign {founding.id} already")
    create_campaign(tx, founding, now)
    house = service.profile
    for address in umpires:
        person = enrol(tx, address, house.name, house.language, house.zone, now)
        add_member(tx, founding.id, person, "umpire", now)
        confirm_member(tx, founding.id, person, "umpire", now)


def free_name(db: Db, game: str) -> str:
    """FWW-1, or the first of its kind that nobody has."""
    table = schema.campaigns
    with reading(db) as tx:
        taken = {name.upper() for name in tx.execute(select(table.c.id)).scalars()}
    number = 1
    while f"{game.upper()}-{number}" in taken:
        number += 1
    return f"{game.upper()}-{number}"


# ------------------------------------------------------------------ seats


def seat_somebody(
    service: ServiceContext, tx: Connection, name: str, seat: str, person: int, terms: Terms, keys: Keys
) -> None:
    """A person takes a vacant seat, or a bot's, in the lobby; the invitation goes out."""
    seat_together(service, tx, name, {seat: person}, terms, keys)


def seat_together(
    service: ServiceContext, tx: Connection, name: str, dealt: Mapping[str, int], terms: Terms, keys: Keys
) -> None:
    """Persons by their seats: all are seated before anybody is told who the others are."""
    for seat, person in dealt.items():
        _give(service, tx, name, seat, person)
    for seat in dealt:
        invite(service, tx, campaign(tx, name), seat, terms, keys, service.now())


def _give(service: ServiceContext, tx: Connection, name: str, seat: str, person: int) -> None:
    give_to_bot(tx, name, seat, None)
    give_seat(tx, name, seat, person, service.now())
    remove_member(tx, name, person, "signup")


def vacant_seats(db: Db, name: str) -> list[str]:
    """Seats that neither a person nor a bot holds, in seat order."""
    return [one.seat for one in seated(db, name) if is_vacant(one)]


def is_vacant(seat: Seated) -> bool:
    return seat.person is None and seat.bot is None


# ------------------------------------------------------------------ signing up


@dataclass(frozen=True, slots=True)
class SignedUp:
    """What came of a sign-up."""

    again: bool  # it changed the wish of an earlier one
    wishes: tuple[str, ...]  # seats that are wished for, the dearest first
    dealt: Mapping[str, int]  # seat -> person, if this one was the last that was needed
    missing: int  # how many are still needed; below 0: so many wait in reserve


def sign_up(
    service: ServiceContext,
    tx: Connection,
    name: str,
    person: int,
    words: Sequence[str],
    terms: Terms,
    keys: Keys,
) -> SignedUp:
    """A person wants to play; when the last one needed has come, seats are dealt and the game starts."""
    now = service.now()
    lock_and_load(tx, name)
    wishes = seats_meant(terms, words)
    again = remove_member(tx, name, person, "signup")
    add_member(tx, name, person, "signup", now, " ".join(wishes) or None)
    confirm_member(tx, name, person, "signup", now)
    waiting = [one for one in members(tx, name, "signup") if one.confirmed is not None]
    vacant = vacant_seats(tx, name)
    if len(waiting) < len(vacant) or not vacant:
        return SignedUp(again, wishes, {}, len(vacant) - len(waiting))
    wanted = [(one.person.id, tuple((one.wish or "").split())) for one in waiting[: len(vacant)]]
    dealt = deal(wanted, vacant)
    seat_together(service, tx, name, dealt, terms, keys)
    start(service, name, db=tx)
    return SignedUp(again, wishes, dealt, len(vacant) - len(waiting))


def deal(wanted: Sequence[tuple[int, tuple[str, ...]]], vacant: Sequence[str]) -> dict[str, int]:
    """Seats by preference and order of sign-up: who came first chooses first.

    Whose wishes are all taken, and who has none, gets what the others left, in seat order.
    """
    left, dealt = list(vacant), dict[str, int]()
    for person, wishes in wanted:
        if (seat := next((wish for wish in wishes if wish in left), None)) is not None:
            left.remove(seat)
            dealt[seat] = person
    for person, _ in wanted:
        if left and person not in dealt.values():
            dealt[left.pop(0)] = person
    return dealt


def seats_meant(terms: Terms, words: Sequence[str]) -> tuple[str, ...]:
    """The seats that these words name, by id or by name in either language, in the order of the words."""
    text = f" {plain(' '.join(words))} "
    create_campaign: dict[str, int] = {}
    for seat in terms.seats:
        places = [text.find(f" {plain(called)} ") for called in seat_names(terms, seat)]
        if known := [place for place in places if place >= 0]:
            create_campaign[seat] = min(known)
    return tuple(sorted(create_campaign, key=lambda seat: create_campaign[seat]))


def seat_names(terms: Terms, seat: Seat) -> tuple[str, ...]:
    """A seat's id, and what it is called in each language."""
    called = [seat_name(terms, seat, language) for language in LANGUAGES]
    return (str(seat), *dict.fromkeys(called))


def seat_name(terms: Terms, seat: Seat, language: str) -> str:
    """What the game calls a seat in that language."""
    phrases = spoken(terms.game.id, "fr" if language == "fr" else "en", terms.pack)
    called: Any = phrases.env.globals.get("seat", str)
    return str(called(seat)).strip()


def title_in(terms: Terms, title: str, language: str) -> str:
    """A campaign's title; one that is just the game's name is told in the reader's language."""
    names = terms.game.names
    return names[language] if title in names.values() else title


# ------------------------------------------------------------------ starting


def start(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> bool:
    """Every seat is held: the opening Close may run. False: it was started before."""
    with writing(service.db if db is None else db) as tx:
        here = lock_and_load(tx, name)
        if here.state != "lobby" or was_started(tx, name):
            return False
        if vacant := vacant_seats(tx, name):
            raise BadInput(f"{name} cannot start: nobody holds {', '.join(vacant)}")
        record_act(tx, name, Act(START, reason, {}, by), service.now())
        touch(tx, name)
    return True


def was_started(db: Db, name: str) -> bool:
    return any(act.act == START for _, act in acts(db, name))


def waits_for_opening(db: Db, here: CampaignRow) -> bool:
    """In the lobby, started, and every seat held: the opening Close is due."""
    return here.state == "lobby" and was_started(db, here.id) and not vacant_seats(db, here.id)
