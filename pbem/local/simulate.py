"""Bots play whole games on test dice: every game must end, and one seed gives one set of journals.

Each game's seed comes from the run's seed and the game's number alone, so it is the same with one process
or many, and a game that went wrong can be played again by its number.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.kernel.fairness.dice import H, TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.journal import write_lines
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from engine.kernel.table import Automa, Table
from pbem.campaigns.bots import bot_rng, deal_bots, find_bot
from pbem.campaigns.terms import Terms, agree_terms

DECISIONS_AT_MOST = 50_000  # far above any game's real length: beyond it a game is held to run in circles
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """What is to be played."""

    game: str
    seed: str
    bots: tuple[str, ...]  # dealt to the seats in turn
    players: tuple[int, ...] = ()  # the numbers of players, in turn; none: every form that the game names
    scenario: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    pack: Path | None = None
    check: bool = False  # the game's invariants after every fact
    save: Path | None = None  # folder for the journals
    cap: int = DECISIONS_AT_MOST

    def terms(self) -> Terms:
        players = self.players[0] if self.players else 0
        return agree_terms(self.game, self.scenario, players, "", self.options, self.pack)

    def settings(self, terms: Terms, index: int) -> GameSettings:
        """What is agreed for the game of that number."""
        if self.players:
            return replace(terms.settings, players=self.players[index % len(self.players)])
        forms = terms.game.variants or (terms.settings,)
        return forms[index % len(forms)]

    def game_seed(self, index: int) -> bytes:
        return H("simulate", self.seed, index)


@dataclass(frozen=True, slots=True)
class Played:
    """One game. `trouble` is empty if it came to its end."""

    index: int
    players: int
    asks: int
    answers: int  # those of them that were journaled; a volunteer who does nothing leaves no line
    rolls: int
    lines: int
    tail: int  # most lines between a seam and a question
    head: str  # hex: the hash of its whole journal
    winners: tuple[str, ...] = ()
    reason: str = ""
    segment: str = ""  # where it stopped
    crash: str = ""
    dead_end: str = ""

    @property
    def finished(self) -> bool:
        return not (self.crash or self.dead_end)


@dataclass(frozen=True, slots=True)
class Summary:
    """All games of a run."""

    played: Sequence[Played]
    seconds: float

    @property
    def winners(self) -> dict[str, int]:
        wins: Counter[str] = Counter()
        for one in self.played:
            if one.finished:
                wins.update(one.winners or (NOBODY,))
        return dict(sorted(wins.items()))

    @property
    def journals(self) -> str:
        """One digest over all final heads, in order of the games."""
        return sha256("".join(one.head for one in self.played).encode()).hexdigest()

    @property
    def troubles(self) -> list[Played]:
        return [one for one in self.played if not one.finished]

    def figures(self) -> dict[str, Any]:
        played = self.played
        return {
            "games": len(played),
            "finished": sum(one.finished for one in played),
            "asks": sum(one.asks for one in played),
            "answers": sum(one.answers for one in played),
            "rolls": sum(one.rolls for one in played),
            "seconds": round(self.seconds, 3),
            "crashes": sum(bool(one.crash) for one in played),
            "dead_ends": sum(bool(one.dead_end) for one in played),
            "longest_tail": max((one.tail for one in played), default=0),
            "winners": self.winners,
            "reasons": dict(sorted(Counter(one.reason for one in played if one.finished).items())),
            "journals": self.journals,
            "troubles": [
                {
                    "game": one.index,
                    "players": one.players,
                    "segment": one.segment,
                    "what": one.crash or one.dead_end,
                }
                for one in self.troubles
            ],
        }


class _TooLong(Exception):
    """More decisions than any real game has."""


class _CheckedTable(Table):
    """A table that looks at the game's invariants after every fact and at the end of every segment."""

    def _fact(self, fact: Fact) -> None:
        super()._fact(fact)
        try:
            self.game.check_fact(self.state)
        except AssertionError as broken:
            raise AssertionError(f"{broken} (after {type(fact).__name__})") from broken

    def _end_segment(self, following: Segment | None) -> None:
        self.game.check(self.state)
        super()._end_segment(following)


class _Counted:
    """Bots at one table, and how often they were asked."""

    def __init__(self, terms: Terms, bots: Mapping[Seat, str], seed: bytes, cap: int) -> None:
        self.asked = 0
        self.cap = cap
        self.automas = {seat: self._automa(terms, seat, name, seed) for seat, name in bots.items()}

    def _automa(self, terms: Terms, seat: Seat, name: str, seed: bytes) -> Automa:
        bot, rng = find_bot(terms.game, name), bot_rng(seed, seat)

        def answer(view: View, ask: Ask) -> Answer:
            self.asked += 1
            if self.asked > self.cap:
                raise _TooLong
            return bot(view, ask, rng)

        return answer


def play_game(plan: SimulationPlan, terms: Terms, index: int) -> Played:
    """One game from its first segment to its end, or to the place where it went wrong."""
    seed = plan.game_seed(index)
    settings = plan.settings(terms, index)
    seats = terms.game.seats(settings)
    bots = _Counted(terms, deal_bots(seats, plan.bots, index), seed, plan.cap)
    kind = _CheckedTable if plan.check else Table
    table = kind.start(terms.game, terms.pack, settings, TestDice(seed))
    table.automa = bots.automas
    crash = dead_end = ""
    try:
        if (pause := table.advance()) is not None:
            dead_end = f"waits for {', '.join(pause.window.seats)}"
    except _TooLong:
        dead_end = f"more than {plan.cap} decisions"
    except (
        Exception
    ) as error:  # whatever a game does wrong is told with the place, so that it can be repeated
        crash = f"{type(error).__name__}: {error}"
    if plan.save is not None:
        _save(table, plan.save / f"{index:05d}.journal")
    return _played(table, bots.asked, index, crash, dead_end)


def _played(table: Table, asked: int, index: int, crash: str, dead_end: str) -> Played:
    lines = b"".join([line.raw for line in table.journal.lines])
    outcome = table.game.outcome(table.state) if table.over else None
    return Played(
        index=index,
        players=table.settings.players,
        asks=asked + lines.count(b'"by":"forced","k":"answer"'),
        answers=lines.count(b'"k":"answer"'),
        rolls=lines.count(b'"k":"roll"'),
        lines=len(table.journal.lines),
        tail=table.longest_tail,
        head=table.journal.head.hex(),
        winners=outcome.winners if outcome else (),
        reason=outcome.reason if outcome else "",
        segment=table.segment.key if table.segment else "",
        crash=crash,
        dead_end=dead_end,
    )


def _save(table: Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(write_lines(table.journal.lines)), encoding="ascii")


# ------------------------------------------------------------------ many games


_hall: tuple[SimulationPlan, Terms] | None = None  # in a process of a pool: what is played there


def _open_hall(plan: SimulationPlan) -> None:
    global _hall  # noqa: PLW0603  (a pool's processes are set up through module state)
    _hall = plan, plan.terms()


def _play_in_hall(index: int) -> Played:
    assert _hall is not None
    return play_game(*_hall, index)


def simulate(plan: SimulationPlan, numbers: Sequence[int], jobs: int = 1) -> Iterator[Played]:
    """Play the games of these numbers; they come in order."""
    terms = plan.terms()  # complaints about the plan come before any process is started
    for name in plan.bots:
        find_bot(terms.game, name)
    if jobs == 1:
        for index in numbers:
            yield play_game(plan, terms, index)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_open_hall, initargs=(plan,)) as hall:
        yield from hall.map(_play_in_hall, numbers, chunksize=max(1, min(8, len(numbers) // (4 * jobs))))


def timed(games: Iterator[Played]) -> Iterator[tuple[Played, float]]:
    """Each game with the seconds since the first began."""
    began = time.perf_counter()
    for one in games:
        yield one, time.perf_counter() - began
