"""5.4, 8.1-09, 8.3.1 Retreats before, in and after combat, forced ones, into combat; pursuit.

What may be answered to each of these questions: `rules.ways_out`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.games.to_the_last_man.answers import (
    LOOSE,
    BattleGiven,
    ForcedGiven,
    Goal,
    Goals,
    RetreatGiven,
    Side,
)
from engine.games.to_the_last_man.facts.battle import RetreatsForced, StepBegan
from engine.games.to_the_last_man.facts.force import ArmyEliminated, UnitsLost
from engine.games.to_the_last_man.rules.areas import has_fort, has_presence, settle
from engine.games.to_the_last_man.rules.embattled import (
    Battle,
    fighters,
    fighting_armies,
    might_have,
)
from engine.games.to_the_last_man.rules.fire import fire, in_volleys
from engine.games.to_the_last_man.rules.loss_policy import Piece
from engine.games.to_the_last_man.rules.losses import Hits, pay
from engine.games.to_the_last_man.rules.pieces import eyes, pick
from engine.games.to_the_last_man.rules.retreat_moves import retreat_move
from engine.games.to_the_last_man.rules.ways_out import (
    AfterCombat,
    CavalryAway,
    Forced,
    InsteadOfFiring,
    in_order,
    may_leave,
    refuge,
    units_of,
    weakest_first,
)
from engine.games.to_the_last_man.state import INFANTRY, SIDES, State
from engine.games.to_the_last_man.windows import other
from engine.kernel.requests import Ask, Seat, Step

CAVALRY = "C"

# ------------------------------------------------------------------ before combat


def cavalry_retreat(state: State, battle: Battle, side: Side) -> Step:
    """5.4.3-01, -02 Before any die cavalry may leave, also out of armies; nobody pursues it (8.3.1-11)."""
    if not might_have(state, battle.area, side, CAVALRY):
        return
    goals: Goals = yield Ask(
        Seat(side),
        "battle.cavalry",
        battle.at,
        BattleGiven(side, battle.area),
        CavalryAway(state, battle, side),
        default=(),
        secret=True,
        plan=battle.plan(state, side),
    )
    yield from leave(state, battle, side, goals)
    yield from settle(state, battle.area)


# ------------------------------------------------------------------ instead of firing


def retreat_instead(state: State, battle: Battle) -> Step:
    """5.4.1 Any defending units may leave instead of firing; returns how many armies that held anything did.

    5.4.1-03 They are announced, shot at by pursuers, and then placed.
    """
    side = battle.defender
    yield from eliminate_second_retreats(state, battle)
    if not may_leave(state, battle.area, side):
        return 0
    goals: Goals = yield Ask(
        Seat(side),
        "battle.instead",
        battle.at,
        BattleGiven(side, battle.area),
        InsteadOfFiring(state, battle, side),
        default=(),
        secret=True,
    )
    goals = yield from pursue(state, battle, goals)
    # Ruling on 5.4-07: an empty army has nothing to fire, so its withdrawal discharges no forced retreat.
    armies = sum(1 for goal in goals if goal.army and state.contents[goal.army])
    yield from leave(state, battle, side, goals)
    yield from send_off_empty_armies(state, battle, side)
    yield from settle(state, battle.area)
    return armies


def eliminate_second_retreats(state: State, battle: Battle) -> Step:
    """5.4.4-04 An empty army that already retreated would have to retreat again: it is eliminated."""
    for army in state.armies(battle.area, battle.defender):
        if army in state.retreated and not state.contents[army]:
            yield ArmyEliminated(battle.defender, army, battle.area, "retreat")


def send_off_empty_armies(state: State, battle: Battle, side: Side, to: str = "") -> Step:
    """8.1-09, 5.4-04 An empty army in a Disputed area goes, or is eliminated if it has nowhere to go."""
    for army in state.armies(battle.area, side):
        if state.contents[army] or army in state.retreated:
            continue
        if not has_presence(state, battle.area, other(side)):
            return
        goal = Goal(refuge(state, battle, side, (army,), to), army)
        if goal.to:
            yield from retreat_move(state, side, goal, battle.area)
        else:
            yield ArmyEliminated(side, army, battle.area, "retreat")


# ------------------------------------------------------------------ pursuit


def pursue(state: State, battle: Battle, goals: Goals) -> Step:
    """8.3.1-07 to -10 Attacking cavalry fires at those who leave; returns the goals of the survivors."""
    if not may_pursue(state, battle, goals):
        return goals
    yield StepBegan(battle.area, "pursuit")
    raid = state.pack.types[CAVALRY].raid
    riders = fighters(state, battle.area, battle.attacker, CAVALRY)
    shots = yield from fire(
        battle, battle.attacker, "pursuit", in_volleys((f"{CAVALRY}.F{raid}", raid, False) for _ in riders)
    )
    leaving = told_off(state, battle, goals)
    hits = Hits(battle, battle.defender, "pursuit", sum(fired.hits for fired in shots))
    yield from pay(state, hits, lambda: fugitives(state, battle, leaving))
    left = [survivors(state, battle, goal, leavers) for goal, leavers in leaving]
    return tuple(goal for goal in left if goal is not None)


def may_pursue(state: State, battle: Battle, goals: Goals) -> bool:
    """8.3.1-08, -09 Not if infantry stays or cavalry is among those who go; a fort does not matter."""
    if not fighters(state, battle.area, battle.attacker, CAVALRY):
        return False
    type_of = state.pack.type_of
    going = [unit for _, leavers in told_off(state, battle, goals) for unit in leavers]
    staying = [unit for unit in fighters(state, battle.area, battle.defender) if unit not in going]
    if any(type_of[unit] in INFANTRY for unit in staying):
        return False
    return bool(going) and not any(type_of[unit] == CAVALRY for unit in going)


def told_off(state: State, battle: Battle, goals: Goals) -> list[tuple[Goal, tuple[str, ...]]]:
    """For each goal the counters that it takes along, none of them twice."""
    taken: list[str] = []
    found = {}
    for number, goal in in_order(goals):
        place = goal.army or goal.source
        there = [unit for unit in units_of(state, battle, place) if unit not in taken]
        stay = pick(state, there, goal.left) if goal.army else ()
        units = tuple(unit for unit in there if unit not in stay) if goal.army else ()
        found[number] = units or pick(state, there, goal.units)
        taken += found[number]
    return [(goal, found[number]) for number, goal in enumerate(goals)]


def fugitives(state: State, battle: Battle, leaving: Sequence[tuple[Goal, tuple[str, ...]]]) -> list[Piece]:
    """8.3.1-10 Armies on their way out, and units by themselves, as far as they are still there."""
    types, type_of, pieces = state.pack.types, state.pack.type_of, list[Piece]()
    for goal, leavers in leaving:
        place = goal.army or goal.source
        there = [unit for unit in units_of(state, battle, place) if unit in leavers]
        lost = tuple(unit for unit in there if types[type_of[unit]].can_be_lost)
        if goal.army and lost:
            pieces.append(Piece(place, len(there), lost))
        elif not goal.army:
            pieces += [Piece(place, 1, (unit,)) for unit in lost]
    return pieces


def survivors(state: State, battle: Battle, goal: Goal, leavers: Sequence[str]) -> Goal | None:
    """What is left of a goal after pursuit."""
    if goal.army:
        return goal if goal.army in state.army_at else None
    there = [unit for unit in units_of(state, battle, goal.source) if unit in leavers]
    return replace(goal, units=state.grouped(there)) if there else None


# ------------------------------------------------------------------ after combat


def attacker_retreats(state: State, battle: Battle) -> Step:
    """5.4.2-01 The attacker first; 8.1-09 its empty armies must go now."""
    yield from retreat_after_combat(state, battle, battle.attacker, "")


def defender_retreats(state: State, battle: Battle, obliged: int) -> Step:
    """5.4.2-02 Forced retreats and voluntary ones share one destination."""
    to = yield from forced_retreats(state, battle, obliged)
    yield from retreat_after_combat(state, battle, battle.defender, to)


def retreat_after_combat(state: State, battle: Battle, side: Side, to: str) -> Step:
    """5.4.2-01 Any surviving units go, all to the same area."""
    if may_leave(state, battle.area, side):
        goals: Goals = yield Ask(
            Seat(side),
            "battle.retreat",
            battle.at,
            RetreatGiven(side, battle.area, to),
            AfterCombat(state, battle, side, to),
            default=(),
            secret=True,
            plan=battle.plan(state, side),
        )
        yield from leave(state, battle, side, goals)
        to = goals[0].to if goals else to
    yield from send_off_empty_armies(state, battle, side, to)
    yield from settle(state, battle.area)


def forced_retreats(state: State, battle: Battle, obliged: int) -> Step:
    """5.4-06 to -08 The defender picks the armies that must go; returns where they went.

    5.4-04 Those for which there is no room at the one destination are eliminated.
    """
    side, area = battle.defender, battle.area
    armies = fighting_armies(state, area, side)
    number = min(obliged, len(armies))
    if number <= 0:
        return ""
    yield RetreatsForced(side, area, number)
    options = Forced(state, battle, side, number)
    goals: Goals = yield Ask(
        Seat(side),
        "battle.forced",
        battle.at,
        ForcedGiven(side, area, number),
        options,
        options.default(weakest_first(state, armies)),
        secret=True,
    )
    room = options.most_that_fit(goals[0].to)
    for goal in goals[:room]:
        yield from go_by_force(state, side, goal, area)
    for goal in goals[room:]:
        yield from eliminate_army(state, side, goal.army, area)
    yield from settle(state, battle.area)
    return goals[0].to if room else ""


def go_by_force(state: State, side: Side, goal: Goal, area: str) -> Step:
    """5.4-08 The army goes with all it holds; 5.4.4-02 what had retreated into it before is eliminated."""
    again = tuple(unit for unit in state.contents[goal.army] if unit in state.retreated)
    if len(again) == len(state.contents[goal.army]):
        yield from eliminate_army(state, side, goal.army, area)
        return
    if again:
        yield UnitsLost(side, again, area, goal.army, "retreat", eyes(state, side))
    yield from retreat_move(state, side, goal, area)


def eliminate_army(state: State, side: Side, army: str, area: str) -> Step:
    """5.4-04 The piece and all it holds."""
    if state.contents[army]:
        yield UnitsLost(side, tuple(state.contents[army]), area, army, "retreat", eyes(state, side))
    yield ArmyEliminated(side, army, area, "retreat")


def leave(state: State, battle: Battle, side: Side, goals: Goals) -> Step:
    """5.4-01, -02 The pieces go and are marked. What follows for the area is settled when all have gone."""
    for _, goal in in_order(goals):
        yield from retreat_move(state, side, goal, battle.area)


# ------------------------------------------------------------------ retreat into combat


def overrun_fugitives(state: State, battle: Battle) -> Step:
    """5.4.4-03 Units that had retreated into this battle are eliminated if no other friends are left there
    and enemies are; a fort is company at strength 2 and more.
    """
    area = battle.area
    for side in SIDES:
        company = fighters(state, area, side) or has_fort(state, area, side)
        if company or not has_presence(state, area, other(side)):
            continue
        yield from _eliminate_all(state, side, area)
    yield from settle(state, battle.area)


def _eliminate_all(state: State, side: Side, area: str) -> Step:
    if loose := tuple(unit for unit in state.loose_units(area, side) if unit in state.retreated):
        yield UnitsLost(side, loose, area, LOOSE, "retreat", eyes(state, side))
    for army in state.armies(area, side):
        yield from eliminate_army(state, side, army, area)
