"""Bots play whole games on test dice: every game must end, and the same seed gives the same journals.

Each game's seed depends only on the run's seed and the game's number. So it is the same with one process or
many, and a game that went wrong can be repeated by its number.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.kernel.fairness.dice import H, TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.journal import format_lines
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from engine.kernel.table import Automa, Table
from pbem.campaigns.bots import bot_rng, deal_bots, find_bot
from pbem.campaigns.terms import Terms, agree_terms

DECISIONS_AT_MOST = 50_000  # far more than a real game has: beyond it, a game is going in circles
NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationPlan:
    """A run of games."""

    game: str
    seed: str
    bots: tuple[str, ...]  # assigned to the seats in rotation
    players: tuple[int, ...] = ()  # the numbers of players, in rotation; (): every variant of the game
    scenario: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    pack: Path | None = None
    check: bool = False  # test the invariants after every fact
    save: Path | None = None  # folder for the journals
    cap: int = DECISIONS_AT_MOST

    def terms(self) -> Terms:
        players = self.players[0] if self.players else 0
        return agree_terms(self.game, self.scenario, players, "", self.options, self.pack)

    def settings(self, terms: Terms, index: int) -> GameSettings:
        """The settings of the game with that number."""
        if self.players:
            return replace(terms.settings, players=self.players[index % len(self.players)])
        variants = terms.game.variants or (terms.settings,)
        return variants[index % len(variants)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedGame:
    """One game; without crash and dead end, it was played to its end."""

    index: int
    players: int
    asks: int
    answers: int  # those in the journal; a volunteer who does nothing leaves no line
    rolls: int
    lines: int
    tail: int  # the most lines between a seam and a question
    head: str  # hex: the hash of the whole journal
    winners: tuple[str, ...] = ()
    reason: str = ""
    segment: str = ""  # where it stopped
    crash: str = ""
    dead_end: str = ""

    @property
    def trouble(self) -> str:
        return self.crash or self.dead_end


@dataclass(frozen=True, slots=True)
class Summary:
    """All games of a run."""

    games: Sequence[SimulatedGame]
    seconds: float

    @property
    def failures(self) -> list[SimulatedGame]:
        return [game for game in self.games if game.trouble]

    def figures(self) -> dict[str, Any]:
        games, finished = self.games, [game for game in self.games if not game.trouble]
        wins = Counter(winner for game in finished for winner in game.winners or (NOBODY,))
        reasons = Counter(game.reason for game in finished)
        return {
            "games": len(games),
            "finished": len(finished),
            "asks": sum(game.asks for game in games),
            "answers": sum(game.answers for game in games),
            "rolls": sum(game.rolls for game in games),
            "seconds": round(self.seconds, 3),
            "crashes": sum(bool(game.crash) for game in games),
            "dead_ends": sum(bool(game.dead_end) for game in games),
            "longest_tail": max((game.tail for game in games), default=0),
            "winners": dict(sorted(wins.items())),
            "reasons": dict(sorted(reasons.items())),
            "journals": sha256("".join(game.head for game in games).encode()).hexdigest(),  # all in order
            "troubles": [
                {"game": game.index, "players": game.players, "segment": game.segment, "what": game.trouble}
                for game in self.failures
            ],
        }


class _TooLong(Exception):
    """More decisions than any real game has."""


class _CheckedTable(Table):
    """A table that checks the game's invariants after every fact and at the end of every segment."""

    def _fact(self, fact: Fact) -> None:
        super()._fact(fact)
        try:
            self.game.check_fact(self.state)
        except AssertionError as broken:
            raise AssertionError(f"{broken} (after {type(fact).__name__})") from broken

    def _end_segment(self, following: Segment | None) -> None:
        self.game.check(self.state)
        super()._end_segment(following)


class _CountingBots:
    """The bots of one game, and how often they were asked."""

    def __init__(self, terms: Terms, bots: Mapping[Seat, str], seed: bytes, cap: int) -> None:
        self.asked = 0
        self.cap = cap
        self.automas = {seat: self._bind(terms, seat, name, seed) for seat, name in bots.items()}

    def _bind(self, terms: Terms, seat: Seat, name: str, seed: bytes) -> Automa:
        bot, rng = find_bot(terms.game, name), bot_rng(seed, seat)

        def answer(view: View, ask: Ask) -> Answer:
            self.asked += 1
            if self.asked > self.cap:
                raise _TooLong
            return bot(view, ask, rng)

        return answer


def play_game(plan: SimulationPlan, terms: Terms, index: int) -> SimulatedGame:
    """Play one game to its end, or to the place where it goes wrong."""
    seed, settings = H("simulate", plan.seed, index), plan.settings(terms, index)
    seats = terms.game.seats(settings)
    bots = _CountingBots(terms, deal_bots(seats, plan.bots, index), seed, plan.cap)
    kind = _CheckedTable if plan.check else Table
    table = kind.start(terms.game, terms.pack, settings, TestDice(seed))
    table.automa = bots.automas
    crash = dead_end = ""
    try:
        if (pause := table.advance()) is not None:
            dead_end = f"waits for {', '.join(pause.window.seats)}"
    except _TooLong:
        dead_end = f"more than {plan.cap} decisions"
    except Exception as error:  # whatever goes wrong is reported, so that it can be repeated
        crash = f"{type(error).__name__}: {error}"
    if plan.save is not None:
        plan.save.mkdir(parents=True, exist_ok=True)
        text = "".join(format_lines(table.journal.lines))
        (plan.save / f"{index:05d}.journal").write_text(text, encoding="ascii")
    return _result(table, bots.asked, index, crash, dead_end)


def _result(table: Table, asked: int, index: int, crash: str, dead_end: str) -> SimulatedGame:
    lines = b"".join([line.raw for line in table.journal.lines])
    outcome = table.game.outcome(table.state) if table.over else None
    return SimulatedGame(
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


# ------------------------------------------------------------------ many games


_run: tuple[SimulationPlan, Terms] | None = None  # in a worker process


def _start_worker(plan: SimulationPlan) -> None:
    global _run  # noqa: PLW0603  (a pool's processes are set up through module state)
    _run = plan, plan.terms()


def _play_in_worker(index: int) -> SimulatedGame:
    assert _run is not None
    return play_game(*_run, index)


def simulate(plan: SimulationPlan, numbers: Sequence[int], jobs: int = 1) -> Iterator[SimulatedGame]:
    """Play the games with these numbers, in order."""
    terms = plan.terms()  # errors of the plan show before any process is started
    for name in plan.bots:
        find_bot(terms.game, name)
    if jobs == 1:
        for index in numbers:
            yield play_game(plan, terms, index)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_start_worker, initargs=(plan,)) as pool:
        yield from pool.map(_play_in_worker, numbers, chunksize=max(1, min(8, len(numbers) // (4 * jobs))))
