"""To the Last Man! as the kernel, the service and the conformance suite know it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.games.to_the_last_man import invariants, order_of_play
from engine.games.to_the_last_man.answers import ANSWERS, Side
from engine.games.to_the_last_man.bot import BOTS
from engine.games.to_the_last_man.facts import FACTS
from engine.games.to_the_last_man.foreseen import foreseen
from engine.games.to_the_last_man.hidden import hidden
from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.odds import odds
from engine.games.to_the_last_man.pack import Pack, load_pack
from engine.games.to_the_last_man.report import Report, build_view
from engine.games.to_the_last_man.rules.position import position
from engine.games.to_the_last_man.rules.setup import PLAYERS, seat_names, set_up
from engine.games.to_the_last_man.rules.victory import armistice, resignation, why_not_resign
from engine.games.to_the_last_man.segments import SEGMENTS
from engine.games.to_the_last_man.state import State, dump, load
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import window
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
from engine.kernel.requests import Ask, Procedure, Seat, Segment


class ToTheLastMan:
    """Nuts! Publishing's To the Last Man! The Great War in the West, by Tim Taylor."""

    id = "ttlm"
    rules_version = "1"
    names: Mapping[str, str] = load_pack().meta.names
    players: tuple[int, ...] = (PLAYERS,)
    scenarios: tuple[str, ...] = tuple(load_pack().scenarios)
    tail_cap = 200
    segments: Mapping[str, Callable[..., Procedure]] = SEGMENTS
    facts: Mapping[str, type] = FACTS
    answers: Mapping[str, Any] = ANSWERS
    notation: Notation = NOTATION
    bots: Mapping[str, Bot] = BOTS

    def load_pack(self, folder: Path | None = None) -> Pack:
        return load_pack(folder)

    def seats(self, settings: Settings) -> tuple[Seat, ...]:
        return seat_names()

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
        invariants.check_settled(state)

    def outcome(self, state: State) -> Outcome | None:
        return state.result

    def agreed(self, state: State) -> Outcome:
        """3.2-01 What an armistice comes to now."""
        return armistice(state)

    def why_not_resign(self, state: State, seat: Seat) -> Refusal | None:
        """3.3-01"""
        return why_not_resign(state, _side(seat))

    def resigned(self, state: State, seat: Seat) -> Outcome:
        """3.3-01 What it comes to if that seat gives up now."""
        return resignation(state, _side(seat))

    def after_rollback(self, following: Segment, branch: int, facts: Collection[str]) -> Segment:
        """A draw pile out of which cards have come since is shuffled anew."""
        touched = "CardsDrawn" in facts and following.name != "setup"
        return order_of_play.reshuffle(following, branch) if touched else following

    def odds(self, view: View, question: str) -> Any:
        return odds(view, question)

    def foreseen(
        self, view: View, standing: Sequence[Line], language: Language = "en"
    ) -> tuple[Foretold, ...]:
        return foreseen(view, standing, language)

    def hidden(self, state: State, seat: Seat) -> tuple[tuple[str, ...], ...]:
        return hidden(state, seat)


def _side(seat: Seat) -> Side:
    return "GE" if seat == "GE" else "EN"


GAME: Game = ToTheLastMan()
