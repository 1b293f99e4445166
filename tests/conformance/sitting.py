"""Campaigns of any game played by code: by automata, by replies, by sheets that answer everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from engine.kernel.fairness.dice import Dice, TestDice
from engine.kernel.game import Game, Notation, Tempo, View
from engine.kernel.records import Pause
from engine.kernel.requests import Answer, Ask, Procedure, Seat, Segment, Together
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.table import Table
from engine.kernel.views import SingleViews
from tests.conformance.games import Case
from tests.kernel.play import Campaign

Rewrite = Callable[[Any, Any], Any]  # state, request -> request


class Altered:
    """A game with some attributes replaced; everything else is asked of the game itself."""

    def __init__(self, game: Game, **replaced: Any) -> None:
        self._game = game
        if "view" in replaced:  # then nothing is worked out for several seats at once
            replaced.setdefault("views", lambda state: SingleViews(self, state))  # type: ignore[arg-type]
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def rewritten(procedure: Callable[..., Procedure], rewrite: Rewrite) -> Callable[..., Procedure]:
    """The procedure with every request passed through `rewrite` first."""

    def altered(state: Any, *args: Any) -> Procedure:
        inner, reply = procedure(state, *args), None
        while True:
            try:
                request = inner.send(reply)
            except StopIteration as stop:
                rewrite(state, None)
                following: Segment | None = stop.value
                return following
            reply = yield rewrite(state, request)

    return altered


def with_rules(game: Game, rewrite: Rewrite) -> Game:
    """The game with every segment rewritten; `rewrite` is called with None at a segment's end."""
    segments = {name: rewritten(procedure, rewrite) for name, procedure in game.segments.items()}
    return Altered(game, segments=segments)  # type: ignore[return-value]  # it is asked like a game


def checking(game: Game) -> Game:
    """The game with its invariants checked after every segment."""

    def check(state: Any, request: Any) -> Any:
        if request is None:
            game.check(state)
        return request

    return with_rules(game, check)


def bot_of(game: Game, name: str, seed: object) -> Callable[[View, Ask], Answer]:
    """A bot whose chance depends on seed and question alone, so that it answers alike in every tempo."""

    def answer(view: View, ask: Ask) -> Answer:
        return game.bots[name](view, ask, Random(f"{seed}/{ask.seat}/{ask.topic}/{ask.at}"))

    return answer


def automatic(case: Case, seed: int, bot: str = "random", game: Game | None = None) -> Table:
    """A whole game played by automata, without a pause."""
    game = game or case.game
    table = Table.start(game, game.load_pack(), case.settings(), TestDice(seed))
    play = bot_of(game, bot, seed)
    table.automa = dict.fromkeys(case.seats, play)
    table.advance()
    return table


def examine(case: Case, seed: int, visit: Callable[[View, Ask], None], bot: str = "random") -> Table:
    """A whole game by automata; `visit` sees every question with the view of the seat that is asked."""

    def look(state: Any, request: Any) -> Any:
        asks = request.asks if isinstance(request, Together) else (request,)
        for ask in asks:
            if isinstance(ask, Ask):
                visit(case.game.view(state, ask.seat), ask)
        return request

    return automatic(case, seed, bot, with_rules(case.game, look))


def campaign_of(case: Case, tempo: Tempo, seed: int, dice: Dice | None = None) -> Campaign:
    return Campaign.of(case.game, dice=dice or TestDice(seed), settings=case.settings(tempo))


class Oracle(OrderFile):
    """A file that holds an answer to every question its seat is asked; what it said is kept."""

    __slots__ = ("said", "say")
    said: dict[str, Answer]
    say: Callable[[View, Ask], Answer]

    def __init__(self, say: Callable[[View, Ask], Answer], standing: Any = ()) -> None:
        super().__init__(standing=standing)
        object.__setattr__(self, "say", say)
        object.__setattr__(self, "said", {})

    def find(
        self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0
    ) -> FiledAnswer | None:
        answer = self.say(view, ask)
        self.said[question] = answer
        return FiledAnswer(answer, "sheet")


def oracles(case: Case, say: Callable[[View, Ask], Answer]) -> dict[Seat, OrderFile]:
    return {seat: Oracle(say) for seat in case.seats}


def by_reply(table: Table, pause: Pause, say: Callable[[View, Ask], Answer]) -> Mapping[Seat, OrderFile]:
    """A reply to each open question, from the view of the seat that is asked."""
    files: dict[Seat, dict[str, Answer]] = {}
    for question, ask in pause.asks:
        files.setdefault(ask.seat, {})[question] = say(table.view(ask.seat), ask)
    return {seat: OrderFile(replies=answers) for seat, answers in files.items()}
