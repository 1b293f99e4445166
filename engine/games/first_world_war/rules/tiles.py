"""6.2, 6.3 Combat tiles: which fit, which must be played, drawing and putting back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.games.first_world_war.answers import Back, CombatGiven, DrawGiven, Faction
from engine.games.first_world_war.facts.combat import (
    DrawDeclined,
    TileDrawn,
    TilePlaced,
    TilePutBack,
    TileRemoved,
    TileReturned,
)
from engine.games.first_world_war.rules import command
from engine.games.first_world_war.state import ALLIANCE, FACTIONS, State
from engine.games.first_world_war.tables import ANY
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Choice, Draw, Step

Role: TypeAlias = Literal["attack", "defence"]

# ------------------------------------------------------------------ hands


def sharing(state: State, faction: Faction) -> tuple[Faction, ...]:
    """1-6 The factions whose tiles lie in one hand: each its own.

    Ruling on the switch `hand_scope` = "player": the factions of one seat then share one limit of three,
    may play each other's tiles and be forced by each other's mandatory ones, and a tile is of use if
    either of them could play it. Each tile still lies with the faction that drew it, as the report shows.
    """
    if state.options["hand_scope"] == "faction":
        return (faction,)
    seat = state.seats[faction]
    return tuple(one for one in FACTIONS if state.seats[one] == seat)


def hand(state: State, faction: Faction) -> tuple[str, ...]:
    """6.2.1-3 The tiles the faction may choose from, without the one on the table; sorted."""
    return tuple(sorted([tile for one in sharing(state, faction) for tile in state.hands[one]]))


def back(state: State, tile: str) -> Back:
    return "mandatory" if state.pack.tiles[tile].mandatory else "normal"


def _holder(state: State, faction: Faction, tile: str) -> Faction:
    return next(one for one in sharing(state, faction) if tile in state.hands[one])


# ------------------------------------------------------------------ what fits


def serves(state: State, tile: str, role: Role) -> bool:
    """6.2-1 A tile is for attack or for defence; a 0 tile fits both."""
    return state.pack.tiles[tile].use in (role, "either")


def suits(state: State, tile: str, army: str) -> bool:
    """6.2-2 The tile fits an army of its nationality; ANY fits all of the alliance (2.2-5)."""
    nationalities = state.pack.tiles[tile].nationalities
    return ANY in nationalities or state.pack.nationality_of[army] in nationalities


def fits(state: State, tile: str, role: Role, participants: Iterable[str]) -> bool:
    """6.2-3 The tile has the right role, and a participant could lead with it."""
    return serves(state, tile, role) and any(suits(state, tile, army) for army in participants)


def possible_leaders(state: State, tile: str | None, participants: Sequence[str]) -> tuple[str, ...]:
    """6.2-3 A placed tile binds the choice of the leader."""
    if tile is None:
        return tuple(participants)
    return tuple(army for army in participants if suits(state, tile, army))


def usable(state: State, faction: Faction, tile: str) -> bool:
    """6.2.1-6 Does the faction command a real army on the board that the tile fits?"""
    nationalities = state.pack.tiles[tile].nationalities
    if ANY in nationalities:
        return True
    nationality_of = state.pack.nationality_of
    return any(
        nationality_of.get(counter) in nationalities  # dummies have none
        for one in sharing(state, faction)
        for front in state.fronts
        for counter in command.commanded(state, one, front)
    )


# ------------------------------------------------------------------ placing


@dataclass(frozen=True, slots=True)
class TileOptions(Choice):
    """6.1-1 One fitting tile or none; every other tile in hand with the reason why not."""

    unfit: tuple[tuple[str, str, str], ...] = ()  # tile, rule, reason

    def why_not(self, answer: Answer) -> Refusal | None:
        if answer in self.offered:
            return None
        for tile, rule, reason in self.unfit:
            if tile == answer:
                return Illegal(rule, reason, {"tile": tile})
        if answer is None:
            return Illegal("FWW-6.2.2-3", "mandatory-tile")
        return Illegal(self.rule, self.reason)


def tile_options(state: State, faction: Faction, role: Role, participants: Sequence[str]) -> TileOptions:
    """6.1-1, 6.2.2-3, 6.2.2-5 A usable mandatory tile must be placed, one of two by choice."""
    held = hand(state, faction)
    fitting = tuple(tile for tile in held if fits(state, tile, role, participants))
    forced = tuple(tile for tile in fitting if state.pack.tiles[tile].mandatory)
    offered: tuple[str | None, ...] = forced or (*fitting, None)
    unfit = tuple((tile, *_unfit(state, tile, role, fitting)) for tile in held if tile not in offered)
    return TileOptions(offered, "FWW-6.1-1", "not-in-hand", unfit)


def _unfit(state: State, tile: str, role: Role, fitting: Sequence[str]) -> tuple[str, str]:
    if tile in fitting:
        return "FWW-6.2.2-3", "mandatory-tile"
    if not serves(state, tile, role):
        return "FWW-6.2-1", "wrong-role"
    return "FWW-6.2-3", "no-army-of-that-nation"


def place_tile(state: State, role: Role, given: CombatGiven, at: str, plan: str = "") -> Step:
    """6.1-1, 6.1-2 A faction that holds tiles may place one of them face down; returns it.

    The question depends on the number of tiles alone, which everyone knows; that none fits, or that one
    is forced, is the holder's secret.
    """
    faction = given.faction
    if not hand(state, faction):
        return None
    participants = given.attackers if role == "attack" else given.defenders
    options = tile_options(state, faction, role, participants)
    # D6, D7 The lowest forced tile, otherwise none.
    default = None if None in options.offered else options.offered[0]
    seat = state.seat(faction)
    tile = yield Ask(seat, f"combat.{role}_tile", at, given, options, default, secret=True, plan=plan)
    if tile is not None:
        yield TilePlaced(faction, _holder(state, faction, tile), tile, back(state, tile), (seat,))
    return tile


def spend_tiles(state: State, factions: Iterable[Faction]) -> Step:
    """6.2-4, 6.2.2-6 Played tiles go back into the cup, mandatory ones out of the game."""
    for faction in factions:
        if (tile := state.placed.get(faction)) is not None:
            mandatory = state.pack.tiles[tile].mandatory
            yield TileRemoved(faction, tile) if mandatory else TileReturned(faction, tile)


# ------------------------------------------------------------------ drawing


def draw_tile(state: State, faction: Faction, front: int, at: str) -> Step:
    """6.2-5, 6.2-7, 6.2.1-2 Whoever rolled S may draw from its alliance's cup; returns whether it did."""
    cup = state.cups[ALLIANCE[faction]]
    if not cup:
        return False
    held, seat = hand(state, faction), state.seat(faction)
    room = len(held) < state.pack.meta.hand_limit
    draws = yield Ask(
        seat,
        "combat.draw",
        at,
        DrawGiven(faction, front, held),
        Choice((True, False), "FWW-6.2-5"),
        default=room,  # D10 FREE
    )
    if not draws:
        yield DrawDeclined(faction)
        return False
    (tile,) = yield Draw(seat, f"tile.{faction}", tuple(sorted(cup)))
    if not room:
        yield from _make_room(state, DrawGiven(faction, front, held, tile), at)
    yield TileDrawn(faction, tile, back(state, tile), (seat,))
    return True


def _make_room(state: State, given: DrawGiven, at: str) -> Step:
    """6.2.1-2, 6.2.1-4 One of the older tiles goes back, never a mandatory one that is of use.

    It goes before the new one is taken up, so that the limit holds at every moment (6.2.1-1).
    """
    options = drop_options(state, given)
    seat = state.seat(given.faction)
    dropped = yield Ask(
        seat, "combat.drop", at, given, options, default_drop(state, given, options), secret=True
    )
    yield from put_back(state, given.faction, dropped)


def drop_options(state: State, given: DrawGiven) -> TileOptions:
    """6.2.1-2, 6.2.1-4 Which of the older tiles may go back.

    Were all of them mandatory and of use, any may go: the limit is the book's, their protection a ruling.
    """
    offered = tuple(
        tile
        for tile in given.hand
        if not (state.pack.tiles[tile].mandatory and usable(state, given.faction, tile))
    )
    offered = offered or given.hand
    unfit = [(tile, "FWW-6.2.1-4", "mandatory-tile") for tile in given.hand if tile not in offered]
    if given.drawn is not None:
        unfit.append((given.drawn, "FWW-6.2.1-2", "just-drawn"))
    return TileOptions(offered, "FWW-6.2.1-2", "not-in-hand", tuple(unfit))


def default_drop(state: State, given: DrawGiven, options: Choice) -> str:
    """D10 First what is of no use, then a 0 tile, then the lowest value, then the lowest id."""
    tiles = state.pack.tiles

    def worth(tile: str) -> tuple[bool, bool, int, str]:
        return usable(state, given.faction, tile), tiles[tile].value != 0, tiles[tile].value, tile

    offered: tuple[str, ...] = options.offered
    return min(offered, key=worth)


def put_back(state: State, faction: Faction, tile: str) -> Step:
    """6.2.1-2, 6.2.1-5 A tile goes back into the cup; outsiders see its back only (S-6)."""
    holder = _holder(state, faction, tile)
    yield TilePutBack(holder, tile, back(state, tile), (state.seat(holder),))
