"""The First World War as the kernel, the service and the conformance suite know it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.games.first_world_war import invariants
from engine.games.first_world_war.answers import ANSWERS
from engine.games.first_world_war.bot import BOTS
from engine.games.first_world_war.facts import FACTS
from engine.games.first_world_war.foreseen import foreseen
from engine.games.first_world_war.hidden import hidden
from engine.games.first_world_war.notation import NOTATION
from engine.games.first_world_war.odds import odds
from engine.games.first_world_war.pack import Pack, load_pack
from engine.games.first_world_war.report import Report, build_view
from engine.games.first_world_war.rules.position import position
from engine.games.first_world_war.rules.setup import SCENARIOS, seat_names, set_up
from engine.games.first_world_war.segments import SEGMENTS
from engine.games.first_world_war.state import State, dump, load
from engine.games.first_world_war.view import View
from engine.games.first_world_war.windows import window
from engine.kernel.game import (
    Bot,
    Foretold,
    Game,
    Language,
    Line,
    Notation,
    Outcome,
    Settings,
    Tempo,
    Views,
    Window,
)
from engine.kernel.requests import Ask, Procedure, Seat, Segment


class FirstWorldWar:
    """Phalanx Games' The First World War, by Ted Raicer."""

    id = "fww"
    rules_version = "1"
    names: Mapping[str, str] = load_pack().meta.names
    players: tuple[int, ...] = load_pack().meta.players
    scenarios: tuple[str, ...] = SCENARIOS
    tail_cap = 100
    segments: Mapping[str, Callable[..., Procedure]] = SEGMENTS
    facts: Mapping[str, type] = FACTS
    answers: Mapping[str, Any] = ANSWERS
    notation: Notation = NOTATION
    bots: Mapping[str, Bot] = BOTS

    def load_pack(self, folder: Path | None = None) -> Pack:
        return load_pack(folder)

    def seats(self, settings: Settings) -> tuple[Seat, ...]:
        return seat_names(load_pack(), settings.players)

    def set_up(self, pack: Pack, settings: Settings) -> tuple[State, Segment]:
        return set_up(pack, settings)

    def position(self, pack: Pack, settings: Settings, overrides: Mapping[str, Any]) -> tuple[State, Segment]:
        return position(pack, settings, overrides)

    def view(self, state: State, seat: Seat) -> View:
        return build_view(state, seat)

    def views(self, state: State) -> Views:
        return Report(state)

    def window(self, state: State, ask: Ask, tempo: Tempo) -> Window:
        return window(state, ask, tempo)

    def dump(self, state: State) -> Any:
        return dump(state)

    def load(self, pack: Pack, data: Any) -> State:
        return load(pack, data)

    def check(self, state: State) -> None:
        invariants.check(state)

    def outcome(self, state: State) -> Outcome | None:
        return state.result

    def odds(self, view: View, question: str) -> Any:
        return odds(view, question)

    def foreseen(
        self, view: View, standing: Sequence[Line], language: Language = "en"
    ) -> tuple[Foretold, ...]:
        return foreseen(view, standing, language)

    def hidden(self, state: State, seat: Seat) -> tuple[tuple[str, ...], ...]:
        return hidden(state, seat)


GAME: Game = FirstWorldWar()
