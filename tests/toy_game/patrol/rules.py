"""The rules: a state, the facts that change it, and the procedures that yield them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.kernel.requests import (
    Ask,
    Choice,
    Draw,
    Fact,
    Procedure,
    PublicFact,
    Quiet,
    Roll,
    Seat,
    Segment,
    Step,
    Together,
)

from .pack import Pack

RED, BLUE = SEATS = (Seat("RED"), Seat("BLUE"))


@dataclass(slots=True)
class State:
    pack: Pack
    cup: list[str]  # tiles that nobody has drawn
    turn: int = 0
    posts: dict[str, str] = field(default_factory=dict)  # seat -> where it hides
    tiles: dict[str, str] = field(default_factory=dict)  # seat -> its tile
    points: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    over: bool = False


# ------------------------------------------------------------------ facts


@dataclass(frozen=True, slots=True)
class TileDrawn(Fact):
    seat: Seat
    tile: str
    audience: tuple[Seat, ...]  # everybody else learns nothing: `redacted` is None by default

    def apply(self, state: State) -> None:
        state.cup.remove(self.tile)
        state.tiles[self.seat] = self.tile


@dataclass(frozen=True, slots=True)
class TurnBegan(PublicFact):
    quiet: ClassVar[Quiet] = Quiet("the title of its part of the account names it")
    turn: int

    def apply(self, state: State) -> None:
        state.turn, state.posts = self.turn, {}


@dataclass(frozen=True, slots=True)
class ScoutHid(Fact):
    seat: Seat
    post: str
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.posts[self.seat] = self.post


@dataclass(frozen=True, slots=True)
class PostSearched(PublicFact):
    seat: Seat
    post: str
    face: int
    found: bool

    def apply(self, state: State) -> None:
        state.points[self.seat] += self.found


@dataclass(frozen=True, slots=True)
class TilesShown(PublicFact):
    reveals: ClassVar[bool] = True  # a rehearsal of orders stops before what was hidden comes to light

    tiles: tuple[tuple[Seat, str, int], ...]  # seat, its tile, points

    def apply(self, state: State) -> None:
        for seat, _, points in self.tiles:
            state.points[seat] += points
        state.over = True


FACTS = {fact.__name__: fact for fact in (TileDrawn, TurnBegan, ScoutHid, PostSearched, TilesShown)}


# ------------------------------------------------------------------ procedures


def deal(state: State) -> Procedure:
    """1-1 Each scout draws a tile and shows it to nobody."""
    for seat in SEATS:
        (tile,) = yield Draw(seat, f"tile.{seat}", tuple(state.cup))
        yield TileDrawn(seat, tile, (seat,))
    return Segment("turn", "T1", (1,))


def turn(state: State, number: int) -> Procedure:
    """2 Both hide, then both search; 3-1 after the last turn the tiles count."""
    yield TurnBegan(number)
    asks = [_question(state, seat, topic) for seat in SEATS for topic in ("hide", "search")]
    red_post, red_goal, blue_post, blue_goal = yield Together(tuple(asks))
    yield ScoutHid(RED, red_post, (RED,))
    yield ScoutHid(BLUE, blue_post, (BLUE,))
    yield from search(state, RED, red_goal, blue_post)
    yield from search(state, BLUE, blue_goal, red_post)
    if number < state.pack.meta.turns:
        return Segment("turn", f"T{number + 1}", (number + 1,))
    tiles = [state.pack.tiles[state.tiles[seat]] for seat in SEATS]
    yield TilesShown(tuple((seat, tile.id, tile.points) for seat, tile in zip(SEATS, tiles, strict=True)))
    return None


def search(state: State, seat: Seat, goal: str, hidden: str) -> Step:
    """2-2 The die finds an enemy who is there."""
    (face,) = yield Roll(seat, f"search.{seat}", sides=state.pack.meta.die_sides)
    yield PostSearched(seat, goal, face, found=goal == hidden and face >= state.pack.meta.finds_from)


def _question(state: State, seat: Seat, topic: str) -> Ask:
    """2-1, 2-2 Any post will do; nobody sees what the other chooses."""
    posts = tuple(state.pack.posts)
    at, rule = f"T{state.turn}", "PAT-2-1" if topic == "hide" else "PAT-2-2"
    return Ask(seat, topic, at, None, Choice(posts, rule), posts[topic == "search"], secret=True)


SEGMENTS: dict[str, Callable[..., Procedure]] = {"deal": deal, "turn": turn}
ANSWERS: dict[str, Any] = {"hide": str, "search": str}  # topic -> type of its answers
