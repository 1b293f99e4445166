"""What changes who plays, or goes back: REPLACE, HANDOVER, RESIGN, ROLLBACK, in both worlds at one moment.

Everybody is told of these, so the worlds do the same and only people differ. What nobody else is told happens
in one world alone: that somebody wrote RESIGN and did not confirm it, or asked their side, which refused.
Where the reader's own seat changes hands, she is the one who comes: what was private to those who held the
seat before her is another thing in each world.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from pbem.campaigns.campaign import Campaign
from pbem.campaigns.deadlines import label_of, turn_of
from pbem.campaigns.resignations import allies_of
from pbem.intake.reply import ANSWERS_AN_HOUR
from pbem.store.campaigns import campaign_row
from pbem.store.journal import read_journal
from pbem.store.people import seated
from pbem.verbs.press import AT_ONCE
from tests.worlds.world import NAME, OF_OTHERS, READER_TOO, THE_UMPIRE, Event, World

Kind: TypeAlias = Literal[
    "replace",
    "substitute",  # for a seat that nobody holds
    "handover",
    "resign",
    "resign in secret",
    "second thoughts",  # the reader's: RESIGN, then CANCEL
    "rollback",
    "agreed rollback",
    "proposal",  # which lapses
    "succession",  # the reader's own seat is given to another
    "press above the limit",
    "answers above the limit",
]

NEWCOMERS = ("erika.nord", "fritz.ott", "greta.pohl", "hugo.quist")  # whose names are public
READERS = ("nora.vogt@reader.test", "olga.wien@reader.test")  # who take the reader's seat over
LATELY = 6  # segments to which a rollback may go
PAUSE = timedelta(minutes=3)  # a letter and its CONFIRM take less
OVER_AN_HOUR = timedelta(minutes=61)  # what was written before does not count anymore


class Letter(NamedTuple):
    writer: str  # a seat, or the umpire
    text: str
    confirmed: bool = True  # if that is asked for
    kind: str = ""  # of our letter that it answers; "": the last result


class Act(NamedTuple):
    """Letters to one end, by world."""

    kind: Kind
    letters: tuple[tuple[Letter, ...], tuple[Letter, ...]]
    seat: str = ""  # that changes hands
    to: str = ""  # whose it becomes: an ally's seat, a newcomer; "": nobody's


def choose_act(
    rng: Random, worlds: Sequence[World], here: Campaign, number: int, only: str = ""
) -> Act | None:
    """One that the campaign allows now. `number`: so many acts came before; `only`: the kind, or any."""
    newcomer, heir = NEWCOMERS[number % len(NEWCOMERS)], READERS[len(worlds[0].gone) > 0]
    every = [*_replacements(worlds[0], newcomer), *_departures(worlds[0], here), *_rollbacks(worlds, rng)]
    every += [*_succession(worlds[0], here, heir), *_floods(worlds[0], rng)]
    kinds = sorted({act.kind for act in every if only in ("", act.kind)})
    kind = rng.choice(kinds) if kinds else ""
    return rng.choice([act for act in every if act.kind == kind]) if kind else None


def _same(kind: Kind, *letters: Letter, seat: str = "", to: str = "") -> Act:
    return Act(kind, (letters, letters), seat, to)


# ------------------------------------------------------------------ who plays


def _replacements(world: World, newcomer: str) -> list[Act]:
    found = []
    for seat in world.others:
        ones = [Letter(THE_UMPIRE, f"REPLACE {seat} BY {newcomer}@{host}") for _, _, host, _ in OF_OTHERS]
        kind: Kind = "replace" if seat in world.addresses else "substitute"
        found.append(Act(kind, ((ones[0],), (ones[1],)), seat, newcomer))
    return found


def _departures(world: World, here: Campaign) -> list[Act]:
    """Of others. Where a resignation ends the game only those that come to nothing, as the reader's do."""
    own = str(world.begin.seat)
    cancel = Letter(own, "CANCEL", kind="question")
    found = [_same("second thoughts", Letter(own, "RESIGN", confirmed=False), cancel)]
    for seat in world.writers:
        allies = [str(one) for one in allies_of(here, seat)]
        if own in allies:
            continue  # what the seat holds, or wants, is the reader's to know
        heirs = [ally for ally in allies if world.addresses.get(ally, "") not in ("", world.addresses[seat])]
        found += [_same("handover", Letter(seat, "HANDOVER"), seat=seat, to=heir) for heir in heirs[:1]]
        resign = Letter(seat, "RESIGN", confirmed=bool(heirs))
        if here.terms.game.knows_resignation:
            then = (Letter(seat, "RESIGN NO"),) if heirs else ()
            found.append(Act("resign in secret", ((), (resign, *then))))
        elif len(world.writers) > 1 and world.begin.policy.clock.bank is None:
            found.append(_same("resign", Letter(seat, "RESIGN"), seat=seat))
    return found


def _succession(world: World, here: Campaign, heir: str) -> list[Act]:
    """Whoever leaves wrote privately, in each world something else; whoever comes asks for all there is."""
    seat, window = str(world.begin.seat), world.window()
    if len(world.gone) > 2 or window is None or not world.writers:
        return []
    turn, to = turn_of(label_of(window)), world.writers[0]
    asked = ("VERIFY", f"VERIFY {turn}", "HISTORY", f"HISTORY {turn}", "STATUS", "SHOW STANDING", "HAND")
    both = []
    for number, last in enumerate((("RESIGN", "STOP"), ("STOP", "RESIGN"))):  # questions, which stay open
        words = f"the {('oak', 'elm')[number]} by the well"
        private = (
            f"SALT {words}",
            f"PRESS TO {to}: {words}",
            f"ABSENT 3 October 2028 - {4 + number} October 2028",
        )
        before = [Letter(seat, text, confirmed=False) for text in (*private, *last)]
        change = Letter(THE_UMPIRE, f"REPLACE {seat} BY {heir}")
        both.append((*before, change, *(Letter(seat, text) for text in asked)))
    return [Act("succession", (both[0], both[1]), seat, heir)]


# ------------------------------------------------------------------ back


def _rollbacks(worlds: Sequence[World], rng: Random) -> list[Act]:
    """The umpire's, and those that all who play agree on."""
    journals = [read_journal(world.db, NAME) for world in worlds]
    keys = [[line.data["key"] for line in lines if line.data["k"] == "seam"] for lines in journals]
    both = [key for key in dict.fromkeys(keys[0]) if key in keys[1]][-LATELY:]
    seats = rng.sample(sorted(worlds[0].addresses), len(worlds[0].addresses))
    found = []
    for key in both:
        texts = [f"ROLLBACK {key}{more} BECAUSE of a slip" for more in ("", " SAME DICE")]
        found += [_same("rollback", Letter(THE_UMPIRE, text)) for text in texts]
        proposed, agreed = (
            Letter(seats[0], f"PROPOSE ROLLBACK {key}"),
            [Letter(one, f"AGREE ROLLBACK {key}") for one in seats[1:]],
        )
        found.append(_same("agreed rollback", proposed, *agreed))
        found += [_same("proposal", proposed, *agreed[:-1])] if agreed else []
    return found


# ------------------------------------------------------------------ too much


def _floods(world: World, rng: Random) -> list[Act]:
    """More than goes out in an hour: of the reader's answers, and of words to all."""
    own = str(world.begin.seat)
    found = [
        _same("answers above the limit", *(Letter(own, f"SALT {n}") for n in range(ANSWERS_AN_HOUR + 3)))
    ]
    if world.writers:
        seat = rng.choice(world.writers)
        press = [Letter(seat, f"PRESS TO ALL: {n} guns") for n in range(AT_ONCE + 3)]
        found.append(_same("press above the limit", *press))
    return found


# ------------------------------------------------------------------ done


def perform(act: Act, world: World, at: datetime, name: str) -> None:
    """The letters, and the CONFIRM that their answers ask for; it is seen to have been done."""
    branch, own = campaign_row(world.db, NAME).branch, str(world.begin.seat)
    limited = act.kind.endswith("above the limit")
    at += OVER_AN_HOUR if limited else timedelta(0)
    for number, letter in enumerate(act.letters[world.number]):
        whose = "reader" if letter.writer == own and _is_readers(act, world) else f"other.{world.number}"
        changes = {"kind": letter.kind} if letter.kind else {}
        moment = at if limited else at + number * PAUSE
        written = f"{name}.act.{number}.{whose}"
        world.hears(Event(moment, letter.writer, letter.text, written, changes, confirms=letter.confirmed))
        if act.seat and number == _turning_point(act, world):
            _pass_on(act, world)
    held = {one.seat: one.person.registered for one in seated(world.db, NAME) if one.person is not None}
    assert held == world.addresses, f"{act}: {held}"
    went_back = act.kind in ("rollback", "agreed rollback")
    assert not went_back or campaign_row(world.db, NAME).branch > branch, act


def _turning_point(act: Act, world: World) -> int:
    """The letter with which the seat changes hands."""
    texts = [one.text for one in act.letters[world.number]]
    return next((n for n, text in enumerate(texts) if text.startswith("REPLACE")), len(texts) - 1)


def _is_readers(act: Act, world: World) -> bool:
    """Not while somebody else holds her seat, who is about to leave it."""
    return act.kind != "succession" or world.addresses[act.seat] == act.to


def _pass_on(act: Act, world: World) -> None:
    left = world.addresses.pop(act.seat, "")
    if act.kind == "succession":
        world.gone |= {left, READER_TOO}
        world.addresses[act.seat] = act.to
    elif act.to:
        newcomer = f"{act.to}@{OF_OTHERS[world.number][2]}"
        world.addresses[act.seat] = world.addresses.get(act.to, newcomer)
