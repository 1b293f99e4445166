"""Letters to the lobby: SIGNUP from anybody, OPEN from the umpires of the house."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, get_args

from sqlalchemy.engine import Connection

from engine.games import GAMES
from engine.kernel.fairness.audit import SentMark
from engine.kernel.game import Tempo
from pbem.campaigns.lobby import (
    SignupResult,
    create_planned,
    free_name,
    parse_seats,
    plan_campaign,
    seat_name,
    sign_up,
)
from pbem.campaigns.terms import Terms, agree_terms, title_for
from pbem.errors import BadInput
from pbem.letters.memo import Note, Part
from pbem.letters.receipt import Mark, tell_marks
from pbem.orders.arguments import EDGES, VerbArguments
from pbem.orders.text import key
from pbem.orders.understood import Command
from pbem.orders.vocabulary import ANYBODY, UMPIRES
from pbem.store.campaigns import CampaignExists, CampaignRow, all_campaigns, campaign_row, find_campaign
from pbem.store.inbox import store_mark
from pbem.store.people import members, person_at, seats_of
from pbem.store.windows import read_orders
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import Declined, answer_with, enroll_writer
from pbem.verbs.verb import Verb, always

NAMELESS: Final = "N. N."  # to the others, of somebody whose letters bear no name; never their address

# ------------------------------------------------------------------ SIGNUP


class Signup(Command):
    campaign: str
    preferences: tuple[str, ...] = ()  # sides, the favorite first, as written


def _read_signup(arguments: VerbArguments) -> Signup:
    arguments.read_first("campaign")
    name = arguments.read_campaign()
    wishes = (arguments.word(n) for n in range(1, len(arguments.words)))
    return Signup(name, tuple(part for wish in wishes for part in re.split(r"[,/>]", wish) if part))


def _signup(context: LetterContext, command: Signup) -> VerbResult:
    """Counts when it is sure that the sender wrote it: signed by their provider, or confirmed by reply."""
    service = context.service
    row = find_campaign(service.db, command.campaign)
    if row is None:
        waiting = tuple(one.id for one in all_campaigns(service.db, "lobby"))
        return answer_with(Note("signup-no-campaign", {"named": command.campaign, "open": waiting}))
    _require_can_sign_up(context, row)
    loaded = context.store.campaign(row)
    unknown = _unknown_wish(context, loaded.terms, command.preferences)

    def effect(tx: Connection) -> Sequence[Part]:
        now = campaign_row(tx, row.id)
        _require_not_over(now)
        called = context.letter.sender_name.strip()
        person = enroll_writer(context, tx, called if called and "@" not in called else NAMELESS)
        signed = sign_up(service, tx, loaded, person, command.preferences)
        marks = _salt(context, tx, row.id, signed, person)
        return (*_signup_notes(context, now, loaded.terms, signed, person), *tell_marks(marks))

    return VerbResult(answer=unknown, effect=effect, adjudicate=frozenset({row.id}))


def _require_not_over(row: CampaignRow) -> None:
    if row.state == "over":
        raise Declined(Note("signup-over", {"campaign": row.id}))


def _require_can_sign_up(context: LetterContext, row: CampaignRow) -> None:
    _require_not_over(row)
    db, facts = context.service.db, {"campaign": row.id}
    who = context.person or person_at(db, context.letter.sender)
    if who is not None and any(name == row.id for name, _ in seats_of(db, who.id)):
        raise Declined(Note("signup-seated", facts))
    if who is not None and any(one.person.id == who.id for one in members(db, row.id, "observer")):
        raise Declined(Note("signup-watched", facts))


def _salt(context: LetterContext, tx: Connection, name: str, signed: SignupResult, person: int) -> list[Mark]:
    """The letter that fills the last seat goes into the first dice: nobody knew it before."""
    mail, sent = context.mail, SentMark(context.letter.message_id, context.proof.b)
    seats = [seat for seat, player in signed.dealt.items() if player == person]
    for seat in seats:
        store_mark(tx, name, seat, mail.id, sent, mail.arrived)
    filed = read_orders(tx, name)
    return [Mark(seat, filed.t, filed.place_of(seat, sent), sent) for seat in seats]


def _unknown_wish(context: LetterContext, terms: Terms, words: Sequence[str]) -> tuple[Part, ...]:
    if not words or parse_seats(terms, words):
        return ()
    seats = [f"{seat_name(terms, seat, context.language)} ({seat})" for seat in terms.seats]
    return (Note("signup-unknown-wish", {"words": " ".join(words), "seats": seats}),)


def _signup_notes(
    context: LetterContext, row: CampaignRow, terms: Terms, signed: SignupResult, person: int
) -> tuple[Part, ...]:
    if person in signed.dealt.values():
        return (Note("signup-dealt"),)
    wishes = [seat_name(terms, terms.seat(seat), context.language) for seat in signed.wishes]
    title = title_for(terms, row.title, context.language)
    facts = {"campaign": row.id, "title": title, "wishes": wishes, "missing": signed.missing}
    done = Note("signup-done" if row.state == "lobby" else "signup-wanted", facts)
    return (Note("signup-again"), done) if signed.again else (done,)


# ------------------------------------------------------------------ OPEN


class Open(Command, kw_only=True):
    """A new campaign, in its lobby; what is left out takes the game's first choice."""

    game: str
    players: int = 0
    tempo: str = ""
    scenario: str = ""
    name: str = ""  # as subjects show it; "": the next free one
    title: str = ""


def _read_open(arguments: VerbArguments) -> Open:
    """OPEN fww 4 react. In talk ("open to offers") no word is taken for a game unless it is one."""
    if arguments.read_first("game").lower() not in GAMES and not arguments.loud:
        raise arguments.left_over(0)
    written = [arguments.raw[word.start : word.end] for word in arguments.words]
    if isinstance(command := _read_opening([word.strip(EDGES) for word in written], written), int):
        raise arguments.left_over(command)
    return command


MOST_PLAYERS = 12
NAMED: Mapping[str, str] = MappingProxyType(
    {
        "PLAYERS": "players", "JOUEURS": "players",
        "TEMPO": "tempo", "SCENARIO": "scenario",
        "AS": "name", "NAME": "name", "NOM": "name",
        "TITLE": "title", "TITRE": "title",
    }
)  # fmt: skip
_TEMPI = frozenset(get_args(Tempo))


def _read_opening(words: Sequence[str], written: Sequence[str]) -> Open | int:
    """The command, or the place of the word that nothing can be made of.

    `OPEN fww 4 react AS FWW-7 TITLE The great war`: a bare number is the players', a tempo speaks for
    itself, a title goes on to the end, as it is `written`.
    """
    chosen: dict[str, Any] = {}
    at = 1
    while at < len(words):
        what, value = _named_value(words, at)
        if what == "title":
            return Open(game=words[0].lower(), **chosen, title=" ".join(written[at + 1 :]))
        if what in chosen or not _fits(what, value):
            return at
        chosen[what] = int(value) if what == "players" else value.lower() if what == "tempo" else value
        at += 1 if value == words[at] else 2
        if at < len(words) and what == "players" and key(words[at]) in ("PLAYERS", "JOUEURS"):
            at += 1  # 4 players
    return Open(game=words[0].lower(), **chosen)


def _named_value(words: Sequence[str], at: int) -> tuple[str, str]:
    """What the word at this place begins, and its value."""
    word = words[at]
    if word.isdigit():
        return "players", word
    if word.lower() in _TEMPI:
        return "tempo", word
    return NAMED.get(key(word), ""), words[at + 1] if at + 1 < len(words) else ""


def _fits(what: str, value: str) -> bool:
    if what == "players":
        return value.isdigit() and 0 < int(value) <= MOST_PLAYERS
    return bool(value) and (value.lower() in _TEMPI if what == "tempo" else bool(what))


def _open(context: LetterContext, command: Open) -> VerbResult:
    """A new campaign in its lobby; whoever opens it is its umpire. The chain is drawn beforehand."""
    service = context.service
    addresses = () if context.person is None else tuple(one.address for one in context.person.addresses)
    own = {context.letter.sender, *addresses}
    if not own & {one.lower() for one in service.profile.umpires}:
        return answer_with(Note("open-only-house"))
    try:
        terms = agree_terms(command.game, command.scenario, command.players, command.tempo)
        name = command.name or free_name(service.db, terms.game.id)
        planned = plan_campaign(service, name, terms, {}, title=command.title)
    except BadInput as problem:
        return answer_with(Note("open-refused", {"problem": str(problem)}))
    facts = {
        "campaign": planned.id,
        "title": planned.title,
        "players": terms.settings.players,
        "tempo": terms.settings.tempo,
        "scenario": terms.settings.scenario,
    }

    def effect(tx: Connection) -> Sequence[Part]:
        registered = None if context.person is None else context.person.registered
        try:
            create_planned(service, tx, planned, [registered or context.letter.sender])
        except CampaignExists as problem:
            return (Note("open-refused", {"problem": str(problem)}),)
        return (Note("open-done", facts),)

    return VerbResult(effect=effect)


VERBS = (
    Verb(
        "SIGNUP, SIGN UP", "INSCRIPTION, INSCRIS, INSCRIRE", ANYBODY, Signup, _signup,
        read=_read_signup, rest="open", serious=always, strangers="answer",
        topic="lobby", mistaken="JOIN, REJOINDRE",
    ),
    Verb(
        "OPEN", "OUVRE, OUVRIR", UMPIRES, Open, _open,
        read=_read_open, rest="open", serious=always, topic="umpire", cli="open",
    ),
)  # fmt: skip
