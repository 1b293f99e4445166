"""Patrol as the kernel, the service and the conformance suite know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from engine.kernel.briefing import GRAVE, MINOR, NOTABLE, BriefingItem, Tone
from engine.kernel.canonical_json import copy_plain, in_order
from engine.kernel.game import Game, GameSettings, Outcome, Tempo, Window
from engine.kernel.requests import Ask, Fact, Seat, Segment

from .orders import OrderLanguage
from .pack import Pack, load_pack
from .rules import ANSWERS, FACTS, SEATS, SEGMENTS, PostSearched, State


@dataclass(frozen=True, slots=True)
class View:
    """All that a seat may know."""

    seat: Seat
    pack: Pack
    turn: int
    post: str  # where it hides
    tile: str
    points: Mapping[str, int]


class Patrol(Game):
    """Two scouts, four turns."""

    id = "patrol"
    rules_version = "1"
    names = load_pack().meta.names
    players = (2,)
    scenarios = ("standard",)
    tail_cap = 20
    segments = SEGMENTS
    facts = FACTS
    answers = ANSWERS
    notation = OrderLanguage()

    load_pack = staticmethod(load_pack)

    def seats(self, settings: GameSettings) -> tuple[Seat, ...]:
        return SEATS

    def set_up(self, pack: Pack, settings: GameSettings) -> tuple[State, Segment]:
        return State(pack, sorted(pack.tiles)), Segment("deal", "T0")

    def position(
        self, pack: Pack, settings: GameSettings, overrides: Mapping[str, Any]
    ) -> tuple[State, Segment]:
        state, _ = self.set_up(pack, settings)
        number = int(overrides.get("turn", 1))
        state.tiles = dict(zip(SEATS, state.cup[:2], strict=True))
        state.cup, state.points = state.cup[2:], {**state.points, **overrides.get("points", {})}
        return state, Segment("turn", f"T{number}", (number,))

    def dump(self, state: State) -> dict[str, Any]:
        return {one.name: getattr(state, one.name) for one in fields(state) if one.name != "pack"}

    def load(self, pack: Pack, data: Mapping[str, Any]) -> State:
        """Canonical JSON sorts the keys of a mapping: the seats are put in their order again."""
        by_seat = {name: in_order(data[name], SEATS) for name in ("posts", "tiles", "points")}
        return State(pack=pack, **{**copy_plain(data), **by_seat})

    def check(self, state: State) -> None:
        assert sorted([*state.cup, *state.tiles.values()]) == sorted(state.pack.tiles)

    def view(self, state: State, seat: Seat) -> View:
        own = state.posts.get(seat, ""), state.tiles.get(seat, "")
        return View(seat, state.pack, state.turn, *own, dict(state.points))

    def brief(self, before: View | None, view: View, facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
        """Who was found, and how the points stand."""
        items = []
        for fact in facts:
            if isinstance(fact, PostSearched) and fact.found:
                kind = "found" if fact.seat == view.seat else "was-found" if view.seat else "one-found"
                tone: Tone = "gain" if kind == "found" else "loss"
                told = {"who": fact.seat, "post": fact.post}
                items.append(BriefingItem(kind=kind, tone=tone, weight=GRAVE, given=told))
        was = None if before is None else before.points
        weight = MINOR if was in (None, view.points) else NOTABLE
        given = {"points": view.points, "was": was}
        return (*items, BriefingItem(kind="points", tone="score", weight=weight, given=given))

    def hidden(self, state: State, seat: Seat) -> Sequence[tuple[str, ...]]:
        """The tiles that the other scout may have drawn."""
        return (tuple(sorted(set(state.pack.tiles) - {state.tiles.get(seat, "")})),)

    def window(self, state: State, ask: Ask, tempo: Tempo) -> Window:
        """Both write once a turn; at the strict tempo each question has a window of its own."""
        if tempo == "strict":
            return Window(f"T{state.turn}.{ask.topic}.{ask.seat}", (ask.seat,), once=True)
        return Window(f"T{state.turn}.O", SEATS)

    def outcome(self, state: State) -> Outcome | None:
        if not state.over:
            return None
        best = max(state.points.values())
        return Outcome(tuple(seat for seat in SEATS if state.points[seat] == best), "points", state.points)


GAME = Patrol()
