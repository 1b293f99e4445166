"""Result letters of games that bots play: of any pace, in any language, to any seat.

A letter is written whenever an exchange of letters would begin: with what happened since the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import Language, View, Window
from engine.kernel.records import read_segment
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from engine.kernel.table import Table
from pbem.campaigns.bots import default_bot, find_bot
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.results import add_form
from pbem.campaigns.terms import Terms, agree_terms
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.result import Chapter, Result
from pbem.store.advance import NextWindow

EVERYONE = Seat("")
FIRST_DAY = datetime(2026, 11, 20, 19, 0, tzinfo=UTC)
ZONES: Mapping[str, str] = {"en": "Europe/London", "fr": "Europe/Paris"}
PLAYERS: Mapping[str, tuple[int, ...]] = {"fww": (2, 3, 4), "ttlm": (2,), "trench": (2, 4)}
# From one letter to the next; at most so many letters are let pass before the one that is wanted.
MOST: Mapping[str, Mapping[str, int]] = {
    "fww": {"fast": 14, "react": 20, "strict": 90},
    "ttlm": {"fast": 24, "react": 40, "strict": 150},
    "trench": {"fast": 34, "react": 34, "strict": 60},
}


class Wanted(NamedTuple):
    """Which letter: of which game, after how many others, and by which luck."""

    game: str
    tempo: str
    language: Language
    players: int
    scenario: str
    letters: int
    luck: int


@dataclass(frozen=True, slots=True)
class Moment:
    """An exchange of letters begins."""

    window: Window
    ask: Ask
    before: Mapping[Seat, View]  # what everybody saw when the one before it began
    views: Mapping[Seat, View]
    chapters: tuple[Chapter, ...]


class Played(NamedTuple):
    """A letter as it may be written, and what is known of it."""

    wanted: Wanted
    terms: Terms
    moment: Moment
    result: Result
    phrases: Phrases


class Enough(Exception):
    """The letter that is wanted can be written."""


def draw_wanted(game: str, tempo: str, language: Language, rng: Random) -> Wanted:
    scenarios = agree_terms(game, players=2).game.scenarios
    players, scenario = rng.choice(PLAYERS[game]), rng.choice(scenarios)
    letters = rng.randint(2, MOST[game][tempo])
    return Wanted(game, tempo, language, players, scenario, letters, rng.getrandbits(32))


def play(wanted: Wanted, reader: Random) -> Played:
    """Bots play until that letter; who gets it is up to `reader`: mostly somebody who is asked."""
    terms = agree_terms(wanted.game, players=wanted.players, tempo=wanted.tempo, scenario=wanted.scenario)
    moment = _moments(terms, wanted)[-1]
    asked = [seat for seat in moment.window.seats if not moment.window.once or seat == moment.ask.seat]
    seat = reader.choice(asked if reader.random() < 0.7 else list(terms.seats))
    phrases = load_phrases(wanted.game, wanted.language, terms.pack)
    own = seat in asked
    following = NextWindow(
        number=9, key=moment.window.key, kind="", seats=moment.window.seats, once=moment.window.once,
        timetable=(),
    )  # fmt: skip
    result = Result(
        campaign="PLAY-7",
        view=moment.views[seat],
        happened=moment.chapters,
        asks=(moment.ask,) if seat == moment.ask.seat else (),
        window=label_of(following) if own else "",
        deadline=FIRST_DAY + timedelta(days=reader.randrange(30)) if own else None,
        zone=ZONES[wanted.language],
        waiting=tuple(one for one in asked if one != seat),
        before=moment.before[EVERYONE],
        own_before=moment.before[seat],
    )
    if own and not moment.window.once:
        result = add_form(terms.game, result, phrases)
    return Played(wanted, terms, moment, result, phrases)


def _moments(terms: Terms, wanted: Wanted) -> list[Moment]:
    """The beginnings of exchanges up to the one that is wanted, or to the last of the game."""
    table = Table.start(terms.game, terms.pack, terms.settings, TestDice(wanted.luck))
    rng, bot = Random(wanted.luck), find_bot(terms.game, default_bot(terms.game))
    found, keys, begun = list[Moment](), [""], [0]

    def look() -> dict[Seat, View]:
        return {seat: table.view(seat) for seat in (*terms.seats, EVERYONE)}

    def answer(view: View, ask: Ask) -> Answer:
        window = terms.game.window(table.state, ask, terms.settings.tempo)
        if not ask.volunteer and window.key != keys[-1]:
            views = look()
            before = found[-1].views if found else views
            found.append(Moment(window, ask, before, views, _chapters(table, begun[-1])))
            keys.append(window.key)
            begun.append(len(table.journal.lines))
            if len(found) > wanted.letters:
                raise Enough
        return bot(view, ask, rng)

    table.automa = dict.fromkeys(terms.seats, answer)
    with suppress(Enough):
        table.advance()
    return found


def _chapters(table: Table, begun: int) -> tuple[Chapter, ...]:
    """What happened from that line on, by segments."""
    segment: Segment | None = None
    chapters = list[tuple[Segment | None, list[Fact]]]()
    for number, line in enumerate(table.journal.lines):
        if line.data["k"] == "seam":
            segment = read_segment(line.data)
        elif line.data["k"] == "fact" and number >= begun:
            if not chapters or chapters[-1][0] is not segment:
                chapters.append((segment, []))
            chapters[-1][1].append(table.codec.fact(line.data))
    return tuple(Chapter(segment, tuple(facts)) for segment, facts in chapters)
