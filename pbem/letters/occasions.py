"""The letters between the turns: invitations, sign-ups, questions, reminders, press, answers to strangers.

Plain functions from facts to memos. What is told to a seat here is its own or public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine.kernel.game import Game, View
from engine.kernel.requests import Ask
from pbem.letters.dates import Moment
from pbem.letters.memo import Callout, Heading, Listing, Memo, MemoTable, Note, Part, Passage
from pbem.letters.phrases import Phrases
from pbem.letters.render import hung
from pbem.letters.result import posed

# ------------------------------------------------------------------ before the first turn


@dataclass(frozen=True, slots=True)
class Pace:
    """The clock of a campaign, as far as an invitation tells it."""

    days: int
    hours: float = 0
    at: str = ""  # "20:00"; "": no fixed time of day
    zone: str = "UTC"
    grace: int = 0  # hours
    early: bool = True


@dataclass(frozen=True, slots=True)
class Invitation:
    """All that a player is told before his first turn."""

    campaign: str
    names: Mapping[str, str]  # of the game, by language
    seat: str
    players: tuple[tuple[str, str], ...]  # every seat with its holder's display name; "": nobody yet
    anchor: str  # hex, in full
    seal: str  # hex, in full
    umpire: str  # display name
    pace: Pace
    tempo: str = "fast"
    proof: str = "pinned"
    options: tuple[str, ...] = ()  # optional rules that are on, as they are written
    house_rules: str = ""  # in the reader's language
    whole_sheets: bool = False
    checker: str = "verify_dice.txt"  # the enclosure that checks the dice
    replaces: bool = False  # the seat is taken over in the middle of a game
    bots: tuple[str, ...] = ()  # seats that are played by code; `players` has their bots' names


def invitation_memo(invited: Invitation, phrases: Phrases) -> Memo:
    """The first letter of a campaign: seat, players, terms, dice commitment, how to answer."""
    name = invited.names[phrases.language]
    facts = {"campaign": invited.campaign, "name": name, "reader": invited.seat, "umpire": invited.umpire}
    pace = {"pace": invited.pace, "tempo": invited.tempo}
    terms = [
        Note("invitation-pace", pace),
        Note("invitation-early" if invited.pace.early else "invitation-late"),
    ]
    terms += [
        Note("invitation-missing"),
        Note("invitation-whole" if invited.whole_sheets else "invitation-held"),
    ]
    terms += [Note("invitation-proof", {"proof": invited.proof})]
    if invited.options:
        terms.append(Note("invitation-options", {"options": invited.options}))
    parts: list[Part] = [Note("invitation-taken-over" if invited.replaces else "invitation-welcome", facts)]
    parts += [Heading(Note("invitation-players")), _players(invited, phrases)]
    parts += [Heading(Note("invitation-terms")), Listing(tuple(terms))]
    if invited.house_rules.strip():
        parts += [Heading(Note("invitation-house-rules")), wrapped(invited.house_rules)]
    parts += _how_to_answer(invited.seat, phrases)
    parts += _commitment(invited)
    return Memo(
        Note("invitation-subject", facts), Note("invitation-headline", facts), tuple(parts), invited.campaign
    )


def _players(invited: Invitation, phrases: Phrases) -> MemoTable:
    nobody = phrases.plain("notes", "invitation-nobody")
    rows = []
    for seat, name in invited.players:
        called = phrases.told("notes", "invitation-seat", {"id": seat, "own": seat == invited.seat})
        bot = phrases.told("notes", "invitation-bot", {"name": name}) if seat in invited.bots else ""
        rows.append((called, bot or name or nobody))
    return MemoTable((Note("column-seat"), Note("column-player")), tuple(rows))


def _how_to_answer(seat: str, phrases: Phrases) -> list[Part]:
    has_sample = phrases.has("words", "sample")
    sample = phrases.lines("words", "sample", {"reader": seat}) if has_sample else []
    parts: list[Part] = [Heading(Note("invitation-how")), Note("invitation-reply")]
    if sample:
        parts.append(Passage(tuple(f"    {line}" for line in sample), Note("invitation-sample")))
    asked = ("invitation-salt", "invitation-settings", "invitation-help")
    return [*parts, Listing(tuple(Note(code) for code in asked))]


def _commitment(invited: Invitation) -> list[Part]:
    """The anchor and the seal in full: by them every die is checked, to the end of the campaign."""
    told = Passage((f"anchor {invited.anchor}"[:200], f"seal   {invited.seal}"[:200]))
    last = Note("invitation-check", {"checker": invited.checker})
    return [Heading(Note("invitation-dice")), Note("invitation-commitment"), told, last]


def signup_memo(campaign: str, name: str, wishes: tuple[str, ...] = ()) -> Memo:
    """Somebody signed up whom nobody knows yet: he confirms by a reply."""
    facts = {"campaign": campaign, "name": name, "wishes": wishes}
    parts = (Callout(Note("signup-confirm")), Note("signup-otherwise"))
    return Memo(Note("signup-subject", facts), Note("signup-headline", facts), parts, campaign)


def lobby_memo(
    campaign: str, name: str, wishes: tuple[str, ...], missing: int, *, again: bool = False
) -> Memo:
    """Signed up: what is noted, and what it waits for. `missing` below 0: in reserve."""
    facts = {"campaign": campaign, "name": name, "wishes": wishes, "missing": missing, "again": again}
    parts = (Note("lobby-wishes", facts), Note("lobby-missing", facts), Note("lobby-next"))
    return Memo(Note("lobby-subject", facts), Note("lobby-headline", facts), parts, campaign)


# ------------------------------------------------------------------ during a turn


def question_memo(
    campaign: str, game: Game, view: View, asks: Sequence[Ask], deadline: Moment | None, phrases: Phrases
) -> Memo:
    """Questions of a window of its own: numbered answers, what happens without one, until when."""
    facts = {"campaign": campaign, "until": deadline, "questions": len(asks)}
    parts: list[Part] = [Callout(Note("question-until", facts))] if deadline is not None else []
    for number, ask in enumerate(asks, 1):
        asked = posed(game, ask, view, phrases)
        if len(asks) > 1:
            parts.append(Heading(Note("question-number", {"number": number})))
        parts.append(Note("plain", {"text": asked["words"]}))
        lines = [hung(line, f"{place:>4}  ") for place, line in asked["answers"]]
        how = Note("question-answers" if asked["whole"] else "question-examples")
        parts.append(Passage(tuple(row for line in lines for row in line.splitlines()), how))
        parts.append(Note("question-default", {"line": asked["default"]}))
    parts.append(Note("question-how-many" if len(asks) > 1 else "question-how"))
    return Memo(Note("question-subject", facts), Note("question-headline", facts), tuple(parts), campaign)


def reminder_memo(
    campaign: str,
    window: str,
    deadline: Moment,
    *,
    on_file: Literal["nothing", "held", "orders"] = "nothing",
    grace: Moment | None = None,
    bank: int = 0,
) -> Memo:
    """The deadline is near. `window`: its label, "" for one of a single question; `bank`: seconds left."""
    facts = {"campaign": campaign, "window": window, "until": deadline}
    parts: list[Part] = [Callout(Note("reminder-until", facts)), Note(f"reminder-{on_file}", facts)]
    if grace is not None and grace.at > deadline.at:
        parts.append(Note("reminder-grace", {"grace": grace}))
    if bank:
        parts.append(Note("reminder-bank", {"hours": bank // 3600, "minutes": bank % 3600 // 60}))
    return Memo(
        Note("reminder-subject", facts),
        Note("reminder-headline", facts),
        (*parts, Note("reminder-more-time")),
        campaign,
    )


def press_memo(campaign: str, sender: str, to: Sequence[str], text: str, *, name: str = "") -> Memo:
    """Words of another seat, nothing else. `to` empty: to all; `sender` "": the umpire."""
    facts = {"campaign": campaign, "sender": sender, "name": name, "to": tuple(to)}
    parts = (wrapped(text), Note("press-answer", facts))
    return Memo(Note("press-subject", facts), Note("press-headline", facts), parts, campaign)


Doubt: TypeAlias = Literal["address", "token", "signature", "late-signature", "serious"]


def unproven_memo(
    campaign: str,
    window: str,
    lines: Sequence[str],
    arrived: Moment,
    why: Doubt,
    understood: Sequence[Part] = (),
) -> Memo:
    """Somebody wrote in the seat's name, and it is not proven who: CONFIRM runs it as of its arrival."""
    facts = {"campaign": campaign, "window": window, "arrived": arrived}
    parts: list[Part] = [Note(f"unproven-{why}", facts), Callout(Note("unproven-confirm", facts))]
    if lines:
        parts += [Heading(Note("unproven-text")), Passage(tuple(f"    {line}" for line in lines))]
    if understood:
        parts += [Heading(Note("unproven-would")), *understood]
    parts.append(Note("unproven-not-you"))
    return Memo(Note("unproven-subject", facts), Note("unproven-headline", facts), tuple(parts), campaign)


def other_seat_memo(campaign: str) -> Memo:
    """A letter with this seat's token came from another seat: it is never run, and the token changes."""
    parts = (Note("other-seat-done"), Note("other-seat-next"))
    facts = {"campaign": campaign}
    return Memo(Note("other-seat-subject", facts), Note("other-seat-headline", facts), parts, campaign)


def copied_warning(seats: Sequence[str]) -> Part:
    """It also went to another seat's reply address, or elsewhere (""): for `ReceiptFacts.warnings`."""
    return Callout(Note("copied-to", {"seats": tuple(seat for seat in seats if seat)}))


# ------------------------------------------------------------------ strangers


@dataclass(frozen=True, slots=True)
class Listed:
    """A campaign as LIST tells of it."""

    campaign: str
    names: Mapping[str, str] = field(default_factory=dict)  # of the game
    state: Literal["lobby", "running", "over"] = "lobby"
    free: int = 0  # seats
    tempo: str = "fast"


def stranger_memo() -> Memo:
    """One neutral sentence for mail of somebody whom nobody knows here."""
    return Memo(Note("stranger-subject"), Note("stranger-headline"), (Note("stranger-how"),))


def list_memo(campaigns: Sequence[Listed], phrases: Phrases) -> Memo:
    return Memo(Note("list-subject"), Note("list-headline"), campaign_list(campaigns, phrases))


def campaign_list(campaigns: Sequence[Listed], phrases: Phrases) -> tuple[Part, ...]:
    """What LIST answers: a letter of its own for strangers, a part of the receipt for others."""
    if not campaigns:
        return (Note("list-none"),)
    head = tuple(Note(f"column-{one}") for one in ("campaign", "state", "game"))
    rows = []
    for one in campaigns:
        state = phrases.told("notes", f"list-{one.state}", {"free": one.free})
        rows.append((one.campaign, state, one.names.get(phrases.language, "")))
    return MemoTable(head, tuple(rows)), Note("list-how")


def help_memo(passage: Passage, campaign: str = "") -> Memo:
    """HELP, alone in a letter."""
    facts = {"campaign": campaign}
    return Memo(Note("help-subject", facts), Note("help-headline"), (passage,), campaign)


def wrapped(text: str) -> Passage:
    """Somebody's words, their own lines kept, longer ones broken at the width of a letter."""
    return Passage(tuple(text.strip("\r\n").splitlines()), prose=True)
