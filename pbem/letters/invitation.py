"""Letters before the first turn: the invitation, sign-ups, answers to strangers, the list of campaigns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pbem.letters.memo import (
    Callout,
    Heading,
    Listing,
    Memo,
    MemoTable,
    Note,
    Part,
    Passage,
    memo_about,
    quote,
)
from pbem.letters.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The clock of a campaign, as far as an invitation tells it."""

    days: int
    hours: float = 0
    at: str = ""  # "20:00"; "": no fixed time of day
    zone: str = "UTC"
    grace: int = 0  # hours
    early: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """All that a player is told before the first turn."""

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
    title: str = ""  # of the campaign; "": the game's name
    replaces: bool = False  # the seat is taken over in the middle of a game
    bots: tuple[str, ...] = ()  # seats that are played by code; `players` has their bots' names


def invitation_memo(invited: Invitation, phrases: Phrases) -> Memo:
    """The first letter of a campaign: seat, players, terms, dice commitment, how to answer."""
    name, pace = invited.names[phrases.language], invited.pace
    facts = {
        "campaign": invited.campaign,
        "title": invited.title or name,
        "name": name,
        "reader": invited.seat,
        "umpire": invited.umpire,
    }
    terms = [
        Note("invitation-pace", {"pace": pace, "tempo": invited.tempo}),
        Note("invitation-early" if pace.early else "invitation-late"),
        Note("invitation-missing"),
        Note("invitation-whole" if invited.whole_sheets else "invitation-held"),
        Note("invitation-proof", {"proof": invited.proof}),
    ]
    if invited.options:
        terms.append(Note("invitation-options", {"options": invited.options}))
    parts: list[Part] = [Note("invitation-taken-over" if invited.replaces else "invitation-welcome", facts)]
    parts += [Heading(Note("invitation-players")), _players(invited, phrases)]
    parts += [Heading(Note("invitation-terms")), Listing(tuple(terms))]
    if invited.house_rules.strip():
        parts += [Heading(Note("invitation-house-rules")), quote(invited.house_rules)]
    return memo_about(
        "invitation", facts, *parts, *_how_to_answer(invited.seat, phrases), *_commitment(invited)
    )


def _players(invited: Invitation, phrases: Phrases) -> MemoTable:
    nobody = phrases.say("notes", "invitation-nobody")
    rows = []
    for seat, name in invited.players:
        called = phrases.say("notes", "invitation-seat", {"id": seat, "own": seat == invited.seat})
        bot = phrases.say("notes", "invitation-bot", {"name": name}) if seat in invited.bots else ""
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
    keys = Passage((f"anchor {invited.anchor}"[:200], f"seal   {invited.seal}"[:200]))
    last = Note("invitation-check", {"checker": invited.checker})
    return [Heading(Note("invitation-dice")), Note("invitation-commitment"), keys, last]


# ------------------------------------------------------------------ the lobby


def signup_memo(campaign: str, name: str, wishes: tuple[str, ...] = ()) -> Memo:
    """A stranger signed up: they confirm by a reply."""
    facts = {"campaign": campaign, "name": name, "wishes": wishes}
    return memo_about("signup", facts, Callout(Note("signup-confirm")), Note("signup-otherwise"))


def stranger_memo() -> Memo:
    """One neutral sentence for mail from a stranger."""
    return memo_about("stranger", {}, Note("stranger-how"))


@dataclass(frozen=True, slots=True)
class CampaignListing:
    """A campaign as LIST tells of it."""

    campaign: str
    names: Mapping[str, str] = field(default_factory=dict)  # of the game
    state: Literal["lobby", "running", "over"] = "lobby"
    free: int = 0  # seats
    tempo: str = "fast"


def campaign_list(campaigns: Sequence[CampaignListing], phrases: Phrases) -> tuple[Part, ...]:
    """What LIST answers: a letter of its own for strangers, a part of the receipt for others."""
    if not campaigns:
        return (Note("list-none"),)
    head = tuple(Note(f"column-{column}") for column in ("campaign", "state", "game"))
    rows = []
    for listing in campaigns:
        state = phrases.say("notes", f"list-{listing.state}", {"free": listing.free})
        rows.append((listing.campaign, state, listing.names.get(phrases.language, "")))
    return MemoTable(head, tuple(rows)), Note("list-how")
