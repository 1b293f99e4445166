"""Random sheets rehearsed, and then played in many ways that their writer could not tell apart beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engine.games import game
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import Game, GameSettings, Line, Tempo, View, random_bot
from engine.kernel.rehearsal import Verdict, judge_sheet
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Automa, Table
from pbem.campaigns.order_file import TracedOrderFile, line_key, trace_order_file
from tests.intake.sheets import random_line
from tests.intake.ways import Way

FURTHER = 12  # windows for which lines may stay on file
TEMPOS: tuple[Tempo, ...] = ("fast", "react")
PLAYERS = {"fww": (4, 2, 3), "ttlm": (2,), "trench": (2, 4)}
STEPS = 40  # windows of one game
STATES = ("done", "refused", "unused", "planned", "spared")


def automa(rng: Random) -> Automa:
    def play(view: View, ask: Ask) -> Answer:
        return random_bot(view, ask, rng)

    return play


@dataclass
class Sheet:
    """One sheet at one pause, what was promised of it, and what came of each line in each way."""

    table: Table
    seat: Seat
    file: OrderFile
    verdicts: tuple[Verdict, ...]
    outcomes: list[dict[int, str]] = field(default_factory=list)  # place in the sheet -> state

    def play(self, way: Way) -> None:
        """With other dice and other enemies, until none of its lines is on file any more."""
        table, own = self.table, trace_order_file(self.file)
        copy = way.world(table, self.seat)
        left = self.undecided() if self.outcomes else []
        aims = [self.file.sheet[left[way.seed % len(left)]]] if left else self.file.sheet
        words = " ".join(line.write() for line in aims)
        others = way.others(table, self.seat, words)
        copy.advance({self.seat: own, **others})
        states = dict(enumerate(self._states(own, copy, self.file.sheet)))
        for _ in range(FURTHER):
            ahead = [place for place, state in states.items() if state == "planned"]
            if copy.pause is None or not ahead:
                break
            lines, view = [self.file.sheet[place] for place in ahead], copy.view(self.seat)
            own = trace_order_file(OrderFile(tuple(line for line in lines if line.is_ahead(view))))
            copy.advance({self.seat: own, **others})
            states |= zip(ahead, self._states(own, copy, lines), strict=True)
        self.outcomes.append(states)

    def _states(self, traced: TracedOrderFile, after: Table, lines: Sequence[Line]) -> Iterator[str]:
        view = after.view(self.seat)
        for line in lines:
            in_force = after.game.notation.is_in_force(line.plan, view)
            state = traced.status_of(line, in_force, line.is_ahead(view))
            assert state != "refused" or line_key(line) in traced.refusals
            assert state != "unused" or traced.why_unused(line)
            yield state

    def broken(self) -> Iterator[str]:
        """Promises that one of the ways did not keep.

        Not filed is what is out of turn, and what in one of its cases can never be: the other may be done.
        """
        view = self.table.view(self.seat)
        for place, verdict in enumerate(self.verdicts):
            states = {outcome[place] for outcome in self.outcomes}
            done = [state in ("done", "planned") for state in states]
            if verdict.status == "accepted" and not all(done):
                yield self._told(verdict, states)
            line = verdict.line
            one_case = "IF" in line.write().split() and line.never(view) is not None
            held = one_case or line.out_of_turn(view) is not None
            if verdict.status in ("refused", "idle") and "done" in states and not held:
                yield self._told(verdict, states)

    def undecided(self) -> list[int]:
        """Untested lines, by their places, of which every way made the same."""
        untested = [place for place, verdict in enumerate(self.verdicts) if verdict.status == "untested"]
        return [place for place in untested if len({outcome[place] for outcome in self.outcomes}) < 2]

    def told(self, place: int) -> str:
        """What was said of that line, and what came of it."""
        return self._told(self.verdicts[place], {outcome[place] for outcome in self.outcomes})

    def _told(self, verdict: Verdict, states: set[str]) -> str:
        pause = self.table.pause
        assert pause is not None
        sheet = " / ".join(line.write() for line in self.file.sheet)
        where = f"{pause.window.key} {self.seat}"
        reason = verdict.refusal and verdict.refusal.reason
        return f"{where}: {verdict.line.write()} {verdict.status} ({reason}), then {states} [{sheet}]"


def settings_of(one: Game, rng: Random) -> GameSettings:
    players, tempo = rng.choice(PLAYERS[one.id]), rng.choice(TEMPOS)
    options: dict[str, Any] = {"length": "short"} if one.id == "ttlm" else {}
    return GameSettings(one.scenarios[0], players, tempo, options)


def sheets(name: str, seed: int) -> Iterator[Sheet]:
    """At every pause of a game of bots a sheet of one of the seats that are asked."""
    rng, one = Random(f"{name}/{seed}"), game(name)
    settings = settings_of(one, rng)
    table = Table.start(one, one.load_pack(), settings, TestDice(seed))
    pause = table.advance()
    for _ in range(STEPS):
        if pause is None:
            return
        seat = rng.choice(pause.window.seats)
        yield written(table, seat, rng)
        table.automa = {seat: automa(rng) for seat in one.seats(settings)}
        pause = one_window(table)


def one_window(table: Table) -> Any:
    """Bots answer what is open, and no more."""
    assert table.pause is not None
    answers = {q: random_bot(table.view(ask.seat), ask, Random(q)) for q, ask in table.pause.asks}
    table.automa = {}
    seats = table.game.seats(table.settings)
    return table.advance({seat: OrderFile(replies=answers) for seat in seats})


def written(table: Table, seat: Seat, rng: Random) -> Sheet:
    """Lines that answer open questions, rightly or not, and lines of all kinds."""
    assert table.pause is not None
    one, view = table.game, table.view(seat)
    lines = [random_line(one.id, rng) for _ in range(rng.randint(1, 4))]
    for _, ask in table.pause.asks:
        if ask.seat == seat and rng.random() < 0.7:
            lines += [one.notation.write_answer(ask, ask.options.sample(rng), "en", view)]
    rng.shuffle(lines)
    file = OrderFile(one.notation.read("\n".join(lines), view).orders)
    return Sheet(table, seat, file, judge_sheet(table, seat, file))
