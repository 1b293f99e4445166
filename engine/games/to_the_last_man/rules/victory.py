"""3 Victory points, levels, and the ways a war ends."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.facts.season import VictoryCounted, WarEnded
from engine.games.to_the_last_man.rules.areas import friendly_areas
from engine.games.to_the_last_man.state import BOX, State
from engine.games.to_the_last_man.tables import Level
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Outcome
from engine.kernel.requests import Seat, Step


def victory_points(state: State) -> dict[str, int]:
    """3.1 What the total is made of; Germany's side of it."""
    pack = state.pack
    return {
        "areas": sum(pack.areas[area].vp for area in friendly_areas(state, "GE")),  # 3.1-01
        "armies": _eliminated_armies(state),
        "crises": state.crisis_vp,  # 3.1-03
        "eft": _transit_box(state),
        "blockade": pack.turns[state.turn].blockade,  # 3.1-05
        "paris-gun": pack.vp.paris_gun if paris_gun_in_range(state) else 0,
    }


def _eliminated_armies(state: State) -> int:
    """3.1-02 Armies that could be rebuilt; those that have not arrived yet, or were dissolved, are none."""
    vp, side_of = state.pack.vp, state.pack.side_of
    values = {"EN": vp.eliminated_entente_army, "GE": vp.eliminated_german_army}
    return sum(values[side_of[army]] for army in state.eliminated)


def _transit_box(state: State) -> int:
    """3.1-04 For every full five build points in the box, as long as the East holds."""
    meta = state.pack.meta
    if state.turn > meta.eft_vp_last_turn:
        return 0
    return state.pack.vp.eft * (box_value(state) // meta.eft_bp_per_vp)


def box_value(state: State) -> int:
    """2.V.4-02 Build points of all that is in the transit box, army counters too."""
    pack = state.pack
    units = sum(pack.types[pack.type_of[unit]].cost for unit in state.force(BOX, "GE"))
    return units + pack.meta.army_cost * len(state.armies(BOX, "GE"))


def paris_gun_in_range(state: State) -> bool:
    """3.1-06, 8.3.6-02 Is it in Paris or next to it?"""
    if all(gun in state.pool["GE"] for gun in state.pack.kinds["GE.P"]):
        return False
    return any(
        state.pack.type_of[unit] == "P"
        for area in sorted(state.pack.paris_gun_zone)
        for unit in state.force(area, "GE")
    )


def total(state: State) -> int:
    return sum(victory_points(state).values())


def level(state: State) -> Level:
    """3.1-07"""
    return state.pack.level(total(state))


def winners(reached: Level) -> tuple[Side, ...]:
    """A Stalemate is shared."""
    if reached.rank == 0:
        return "GE", "EN"
    return ("GE",) if reached.rank > 0 else ("EN",)


# ------------------------------------------------------------------ the end


def count_victory(state: State) -> Step:
    """3.2-02 The game ends at once at a Decisive level; returns whether it did.

    Counted after every Player Turn, the supply check, Production and the advance of the season marker.
    """
    parts = victory_points(state)
    points = sum(parts.values())
    reached = state.pack.level(points)
    yield VictoryCounted(points, reached.id, tuple(parts.items()))
    if reached.ends_game:
        yield WarEnded(reached.id, reached.rank, points, "decisive", winners(reached))
    return reached.ends_game


def end_by_time(state: State) -> Step:
    """2.VI-02 After the last turn the Level of Victory stands."""
    points = total(state)
    reached = state.pack.level(points)
    yield WarEnded(reached.id, reached.rank, points, "time", winners(reached))


def armistice(state: State) -> Outcome:
    """3.2-01 Both agree: the current level stands."""
    return _outcome(level(state), total(state), "armistice")


def why_not_resign(state: State, side: Side) -> Refusal | None:
    """3.3-01, -03 A side may give up unless the level favours it; a Stalemate favours nobody."""
    now = level(state)
    if now.rank * (1 if side == "GE" else -1) > 0:
        return Illegal("TTLM-3.3-01", "level-favours-you", {"level": now.id, "vp": total(state)})
    return None


def resignation(state: State, side: Side) -> Outcome:
    """3.3-01, -02 One step worse for that side than the current level; there is nothing below Decisive."""
    levels, now = state.pack.levels, level(state)
    step = -1 if side == "GE" else 1
    at = max(0, min(levels.index(now) + step, len(levels) - 1))
    return _outcome(levels[at], total(state), "resignation")


def _outcome(reached: Level, points: int, reason: str) -> Outcome:
    seats = tuple(Seat(side) for side in winners(reached))
    return Outcome(seats, reason, {"VP": points, "level": reached.rank})
