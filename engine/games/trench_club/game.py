"""Trench Club as the kernel, the service and the conformance suite know it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.games.trench_club import invariants
from engine.games.trench_club.answers import ANSWERS
from engine.games.trench_club.bot import BOTS
from engine.games.trench_club.facts import FACTS
from engine.games.trench_club.foreseen import foreseen
from engine.games.trench_club.hidden import hidden
from engine.games.trench_club.notation import NOTATION
from engine.games.trench_club.odds import odds
from engine.games.trench_club.overlays import reach_of
from engine.games.trench_club.pack import Pack, load_pack
from engine.games.trench_club.replay import frames
from engine.games.trench_club.rules.position import position
from engine.games.trench_club.rules.setup import PLAYERS, SCENARIO, seat_names, set_up
from engine.games.trench_club.rules.victory import resigned, why_not_resign
from engine.games.trench_club.segments import SEGMENTS
from engine.games.trench_club.state import State, dump, load
from engine.games.trench_club.view import Report, View, build_view
from engine.games.trench_club.windows import window
from engine.kernel.errors import Refusal
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
from engine.kernel.requests import Ask, Fact, Procedure, Seat, Segment


class TrenchClub:
    """PKB Games' Trench Club, by Philipp K. Berger."""

    id = "trench"
    rules_version = "1"
    names: Mapping[str, str] = load_pack().meta.names
    players: tuple[int, ...] = PLAYERS
    scenarios: tuple[str, ...] = (SCENARIO,)
    tail_cap = 200
    whole_sheets = True  # moves hang together: a sheet counts whole or not at all (decisions 4)
    segments: Mapping[str, Callable[..., Procedure]] = SEGMENTS
    facts: Mapping[str, type] = FACTS
    answers: Mapping[str, Any] = ANSWERS
    notation: Notation = NOTATION
    bots: Mapping[str, Bot] = BOTS

    def load_pack(self, folder: Path | None = None) -> Pack:
        return load_pack(folder)

    def seats(self, settings: Settings) -> tuple[Seat, ...]:
        return seat_names(load_pack(), settings)

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

    def why_not_resign(self, state: State, seat: Seat) -> Refusal | None:
        """VICTORY-3"""
        return why_not_resign(state, seat)

    def resigned(self, state: State, seat: Seat) -> Outcome:
        """VICTORY-3 What it comes to if that seat gives up now."""
        return resigned(state, seat)

    def odds(self, view: View, question: str) -> Any:
        return odds(view, question)

    def overlay(self, view: View, question: str) -> Any:
        """MAP REACH CAR1"""
        return reach_of(view, question)

    def frames(self, before: View, facts: Sequence[Fact]) -> Sequence[Any]:
        """A turn step by step."""
        return frames(before.position, facts)

    def foreseen(
        self, view: View, standing: Sequence[Line], language: Language = "en"
    ) -> tuple[Foretold, ...]:
        return foreseen(view, standing, language)

    def hidden(self, state: State, seat: Seat) -> tuple[tuple[str, ...], ...]:
        return hidden(state, seat)


GAME: Game = TrenchClub()
