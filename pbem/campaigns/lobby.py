"""The lobby: campaigns are opened, people sign up, seats are dealt, and the game starts.

An open campaign has its dice chain and the first line of its journal; nothing has been run. When every seat
is held and somebody has started it, `adjudicate` runs the opening Close.
"""

from __future__ import annotations

import re
import secrets as chance
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
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
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.deadlines import ClockTerms
from pbem.campaigns.invitations import invite
from pbem.campaigns.notify import tell_umpires
from pbem.campaigns.policy import Policy, write_policy
from pbem.campaigns.terms import Terms, agree_terms
from pbem.context import ServiceContext
from pbem.errors import BadInput
from pbem.letters.memo import Memo
from pbem.letters.notices import seat_wanted_memo
from pbem.letters.phrases import LANGUAGES, load_phrases
from pbem.orders.text import plain
from pbem.store import schema
from pbem.store.campaigns import (
    Act,
    CampaignExists,
    CampaignRow,
    Keys,
    NewCampaign,
    acts,
    create_campaign,
    lock_and_load,
    record_act,
    touch,
)
from pbem.store.people import (
    Person,
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
    """Create a campaign: terms, dice chain, the journal's first line. It waits in the lobby."""
    terms = agree_terms(game, scenario, players, tempo, options, pack)
    planned = plan_campaign(service, name, terms, bots or {}, policy, pack, title, keys)
    with writing(service.db) as tx:
        create_planned(service, tx, planned, umpires)
    return terms


def plan_campaign(
    service: ServiceContext,
    name: str,
    terms: Terms,
    bots: Mapping[str, str],
    policy: Policy | None = None,
    pack: Path | None = None,
    title: str = "",
    keys: Keys | None = None,
) -> NewCampaign:
    """A new campaign, with everything checked; drawing a chain takes a moment and needs no transaction."""
    upper = name.upper()
    if not _NAME.fullmatch(upper) or len(upper) > LONGEST_NAME:
        raise BadInput(
            f"{name!r} is no name for a campaign: letters and figures, joined by '-' or '_', at most 40"
        )
    for seat in terms.seats:
        service.addresses.reply_address(upper, seat, 1, 1)  # raises if it does not fit
    for bot in bots.values():
        find_bot(terms.game, bot)
    policy, keys = policy or default_policy(service, terms.game), keys or new_keys()
    return NewCampaign(
        id=upper,
        game=terms.game.id,
        title=title.strip() or terms.game.names[service.profile.language],
        opening=opening_table(terms, keys).journal.lines[0],
        keys=keys,
        seats=terms.seats,
        bots={str(terms.seat(seat)): bot for seat, bot in bots.items()},
        policy=write_policy(policy),
        pack=None if pack is None else str(pack.resolve()),
        bank=policy.clock.bank.start if policy.clock.bank is not None else 0,
    )


def default_policy(service: ServiceContext, game: Game) -> Policy:
    """The service's defaults, and those of a game whose orders depend on each other."""
    clock = ClockTerms(zone=service.profile.zone)
    return Policy(clock=clock, proof=service.profile.proof, whole_sheets=game.whole_sheets)


def new_keys() -> Keys:
    """A chain and keys that nobody has seen."""
    dice = Secrets(Chain(chance.token_bytes(32)), chance.token_bytes(32))
    return Keys(dice, chance.token_bytes(32), chance.token_bytes(32))


def opening_table(terms: Terms, keys: Keys) -> Table:
    """The table behind the journal's first line, which pins the terms and the dice commitments."""
    return Table.start(terms.game, terms.pack, terms.settings, NoDice(), **keys.dice.commitments)


def create_planned(
    service: ServiceContext, tx: Connection, planned: NewCampaign, umpires: Iterable[str]
) -> None:
    """The campaign and its umpires, in one transaction. Addresses ignore case, so names differ by more."""
    now, table, profile = service.now(), schema.campaigns, service.profile
    same = select(table.c.id).where(func.lower(table.c.id) == planned.id.lower())
    if tx.execute(same).first() is not None:
        raise CampaignExists(f"there is a campaign {planned.id} already")
    create_campaign(tx, planned, now)
    for address in umpires:
        person = enrol(tx, address, profile.name, profile.language, profile.zone, now)
        add_member(tx, planned.id, person, "umpire", now)
        confirm_member(tx, planned.id, person, "umpire", now)


def free_name(db: Db, game: str) -> str:
    """FWW-1, or the first of its kind that nobody has."""
    with reading(db) as tx:
        taken = {name.upper() for name in tx.execute(select(schema.campaigns.c.id)).scalars()}
    names = (f"{game.upper()}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


# ------------------------------------------------------------------ seats


def seat_players(
    service: ServiceContext, tx: Connection, campaign: Campaign, dealt: Mapping[str, int]
) -> None:
    """Seat people: all of them before anybody is told who the others are."""
    for seat, person in dealt.items():
        give_to_bot(tx, campaign.name, seat, None)
        give_seat(tx, campaign.name, seat, person, service.now())
        remove_member(tx, campaign.name, person, "signup")
    for seat in dealt:
        invite(service, tx, campaign, seat)


def vacant_seats(db: Db, name: str) -> list[str]:
    """Seats that neither a person nor a bot holds, in seat order."""
    return [row.seat for row in seated(db, name) if row.person is None and row.bot is None]


# ------------------------------------------------------------------ signing up


@dataclass(frozen=True, slots=True)
class SignupResult:
    """What came of a sign-up."""

    again: bool  # it changed the wish of an earlier one
    wishes: tuple[str, ...]  # the seats they want, best first
    dealt: Mapping[str, int]  # seat -> person, if nobody else was needed
    missing: int  # how many are still needed; below 0: how many wait in reserve


def sign_up(
    service: ServiceContext, tx: Connection, campaign: Campaign, person: int, words: Sequence[str]
) -> SignupResult:
    """A person wants to play; when the last one needed has come, seats are dealt and the game starts.

    Who takes over a seat of a running campaign its umpires decide; they are told.
    """
    name, now = campaign.name, service.now()
    row = lock_and_load(tx, name)
    wishes = parse_seats(campaign.terms, words)
    again = remove_member(tx, name, person, "signup")
    add_member(tx, name, person, "signup", now, " ".join(wishes) or None)
    confirm_member(tx, name, person, "signup", now)
    waiting = [member for member in members(tx, name, "signup") if member.confirmed is not None]
    vacant = vacant_seats(tx, name)
    if row.state != "lobby":
        (writer,) = (member.person for member in waiting if member.person.id == person)
        terms = campaign.terms
        tell_umpires(service, tx, _seat_wanted(terms, name, writer, wishes, vacant), terms)
        return SignupResult(again, wishes, {}, 0)
    if len(waiting) < len(vacant) or not vacant:
        return SignupResult(again, wishes, {}, len(vacant) - len(waiting))
    wanted = [(member.person.id, tuple((member.wish or "").split())) for member in waiting[: len(vacant)]]
    dealt = deal_seats(wanted, vacant)
    seat_players(service, tx, campaign, dealt)
    start_campaign(service, name, db=tx)
    return SignupResult(again, wishes, dealt, len(vacant) - len(waiting))


def _seat_wanted(
    terms: Terms, name: str, writer: Person, wishes: Sequence[str], vacant: Sequence[str]
) -> Memo:
    """To the umpires: who would like a seat, and the seat that suits best."""
    fitting = [seat for seat in wishes if seat in vacant]
    offered = str((*fitting, *wishes, *vacant, *terms.seats)[0])
    return seat_wanted_memo(name, writer.name, writer.registered or "", wishes, vacant, offered)


def deal_seats(wanted: Sequence[tuple[int, tuple[str, ...]]], vacant: Sequence[str]) -> dict[str, int]:
    """Deal seats by preference and order of sign-up: who came first chooses first.

    Those whose wishes are all taken, or who have none, get what is left, in seat order.
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


def parse_seats(terms: Terms, words: Sequence[str]) -> tuple[str, ...]:
    """The seats that these words name, by id or by name in either language, in the order of the words."""
    text = f" {plain(' '.join(words))} "
    places: dict[str, int] = {}
    for seat in terms.seats:
        found = [text.find(f" {plain(called)} ") for called in seat_names(terms, seat)]
        if known := [place for place in found if place >= 0]:
            places[seat] = min(known)
    return tuple(sorted(places, key=lambda seat: places[seat]))


def seat_names(terms: Terms, seat: Seat) -> tuple[str, ...]:
    """A seat's id, and what it is called in each language."""
    called = [seat_name(terms, seat, language) for language in LANGUAGES]
    return (str(seat), *dict.fromkeys(called))


def seat_name(terms: Terms, seat: Seat, language: str) -> str:
    """What the game calls a seat in that language."""
    phrases = load_phrases(terms.game.id, "fr" if language == "fr" else "en", terms.pack)
    called: Any = phrases.env.globals.get("seat", str)
    return str(called(seat)).strip()


# ------------------------------------------------------------------ starting


def start_campaign(
    service: ServiceContext, name: str, reason: str = "", by: int | None = None, db: Db | None = None
) -> bool:
    """Every seat is held: the opening Close may run. False: it was started before."""
    with writing(db or service.db) as tx:
        if lock_and_load(tx, name).state != "lobby" or is_started(tx, name):
            return False
        if vacant := vacant_seats(tx, name):
            raise BadInput(f"{name} cannot start: nobody holds {', '.join(vacant)}")
        record_act(tx, name, Act(START, reason, {}, by), service.now())
        touch(tx, name)
    return True


def is_started(db: Db, name: str) -> bool:
    return any(act.act == START for _, act in acts(db, name))


def waits_for_opening(db: Db, row: CampaignRow) -> bool:
    """In the lobby, started, and every seat held: the opening Close is due."""
    return row.state == "lobby" and is_started(db, row.id) and not vacant_seats(db, row.id)
