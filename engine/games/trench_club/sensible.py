"""A player made of code that means to win: feet to the forts, guns on their feet, money into more feet.

It sees only what a seat sees. The rules of movement and combat are asked on its own view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.games.trench_club.answers import (
    COMPANIES,
    DONE,
    Act,
    Attack,
    Buy,
    Capture,
    Move,
    Purchase,
    Repair,
    Split,
    SplitGiven,
)
from engine.games.trench_club.rules.acts import refusal_of
from engine.games.trench_club.rules.automa.ground import FAR, Ground
from engine.games.trench_club.rules.automa.shopping import is_besieged
from engine.games.trench_club.rules.combat import base_dice, cover, damage_of
from engine.games.trench_club.rules.companies import choices, why_not_active
from engine.games.trench_club.rules.forts import doors_of, is_conquerable
from engine.games.trench_club.rules.movement import path_to, reach
from engine.games.trench_club.rules.purchases import affordable, repairable
from engine.games.trench_club.rules.special import value_of
from engine.games.trench_club.rules.targets import CLOSE, can_hit, candidates, targets_from
from engine.games.trench_club.rules.terrain import FOOT
from engine.games.trench_club.state import Position, Unit
from engine.games.trench_club.view import View
from engine.kernel.requests import Answer, Ask, Rng

SIDES_OF_A_DIE = 12
FEET_WANTED = 4  # more are not bought while something else can be
URGENT = 24  # what an enemy foot unit before a fort is worth, on top of its price
AIRMANS_FEAR = 8  # what whoever can hit aircraft is worth on top of his price
WORN = 3  # damage with which a dear unit goes home to be repaired
DEAR = 5


def sensible_bot(view: View, ask: Ask, rng: Rng) -> Answer:
    """Takes forts, guards their doors, strikes where it pays; else the default."""
    habit = _HABITS.get(ask.topic)
    return ask.default if habit is None else habit(view, ask)


# ------------------------------------------------------------------ set-up


def split(view: View, ask: Ask) -> Split:
    """A foot unit and something strong in every company."""
    given: SplitGiven = ask.given
    parts: dict[str, list[str]] = {company: [] for company in COMPANIES}
    position = view.position
    feet = [unit for unit in given.army if position.type_of(unit).klass == FOOT]
    others = [unit for unit in given.army if unit not in feet]
    for n, unit in enumerate((*feet, *others)):
        parts[COMPANIES[n % len(COMPANIES)]].append(unit)
    found = Split(*[tuple(sorted(parts[company])) for company in COMPANIES])
    return found if ask.options.contains(found) else ask.default


def active(view: View, ask: Ask) -> Answer:
    """The companies whose feet are nearest to a fort that is to be had."""
    position, ground = view.position, Ground(view.position)
    forts = open_forts(position, view.camp)

    def hurry(companies: Sequence[str]) -> int:
        feet = [unit for unit in own_feet(position, view.camp) if unit.company in companies]
        return sum(max(0, 40 - cost_to_doors(ground, unit, forts)) for unit in feet)

    return max(choices(position, view.camp), key=hurry)


# ------------------------------------------------------------------ phase 1


def act(view: View, ask: Ask) -> Act:
    """Conquests, then the feet, then whoever can strike."""
    position = view.position
    able = [
        unit
        for unit in position.of_camp(view.camp)
        if unit.nation == view.nation
        and unit.at
        and not unit.aboard
        and unit.id not in position.moved
        and why_not_active(position, unit.id) is None
    ]
    for find in (conquest, go_home, advance_feet, advance_weapons):
        found = find(view, able)
        if found is not None and refusal_of(position, found, (view.nation,)) is None:
            return found
    default: Act = ask.default
    return default


def conquest(view: View, able: Sequence[Unit]) -> Act | None:
    position = view.position
    for unit in able:
        for fort in doors_of(position, unit):
            capture = Capture(unit.id, fort)
            if refusal_of(position, capture, (view.nation,)) is None:
                return capture
    return None


def go_home(view: View, able: Sequence[Unit]) -> Act | None:
    """A dear unit that is worn out goes into an own fort, if one is near."""
    position = view.position
    for unit in able:
        if unit.damage < WORN or position.type_of(unit.id).price < DEAR or unit.at in position.forts:
            continue
        homes = [hex_ for hex_ in reach(position, unit.id) if hex_ in position.forts]
        safe = [fort for fort in homes if not is_besieged(position, fort, unit.nation)]
        if safe:
            return path_to(position, unit.id, sorted(safe)[0])
    return None


def advance_feet(view: View, able: Sequence[Unit]) -> Act | None:
    """Each to a fort of its own, the nearest first; without one left, to the door of an own fort."""
    position, ground = view.position, Ground(view.position)
    feet = [unit for unit in able if position.type_of(unit.id).captures]
    taken = {
        fort
        for unit in own_feet(position, view.camp)
        if unit.id in position.moved or unit not in able
        for fort in doors_of(position, unit)
    }
    forts = [fort for fort in open_forts(position, view.camp) if fort not in taken]
    goals = sorted(
        (cost_to_doors(ground, unit, [fort]), unit.id, fort) for unit in feet for fort in forts or taken
    )
    for cost, unit, fort in goals:
        if cost < FAR and (move := towards(view, ground, unit, fort)) is not None:
            return move
    return None


def towards(view: View, ground: Ground, unit_id: str, fort: str) -> Move | None:
    """As near to its doors as it gets, under trees if that is as near; None: it is as near as can be."""
    position, unit = view.position, view.position.units[unit_id]
    type_ = position.type_of(unit_id)
    costs = ground.to(type_, position.pack.forts[fort].approaches)
    hexes = [hex_ for hex_ in reach(position, unit_id) if hex_ not in position.forts]
    if not hexes:
        return None
    threat = threats(position, unit_id)

    def worth(hex_: str) -> tuple[int, int, int]:
        return (costs.get(hex_, FAR), threat.get(hex_, 0), position.terrain(hex_) != "forest")

    best = min(sorted(hexes), key=worth)
    if worth(best) >= worth(unit.at):
        return None
    return path_to(position, unit_id, best)


def threats(position: Position, unit_id: str) -> dict[str, int]:
    """How many enemies stand next to each hex and could strike there."""
    found: dict[str, int] = {}
    for enemy in position.enemies_of(position.team(unit_id)):
        if position.is_on_map(enemy.id) and can_hit(position, enemy.id, unit_id, CLOSE):
            for hex_ in position.grid.neighbours[enemy.at]:
                found[hex_] = found.get(hex_, 0) + 1
    return found


def advance_weapons(view: View, able: Sequence[Unit]) -> Act | None:
    """To the hex from which the best target can be struck; else nearer to the enemy's feet."""
    position, ground = view.position, Ground(view.position)
    for unit in able:
        type_ = position.type_of(unit.id)
        if type_.captures or not (type_.range_ground or type_.range_air):
            continue
        if unit.at in position.forts and unit.damage >= WORN and type_.price >= DEAR:
            continue  # it waits for its repair
        move = stalk(view, ground, unit)
        if move is not None:
            return move
    return None


def stalk(view: View, ground: Ground, unit: Unit) -> Move | None:
    position = view.position
    hexes = [hex_ for hex_ in reach(position, unit.id) if hex_ not in position.forts]
    threat = threats(position, unit.id)
    best, goal = (profit(position, unit, unit.at, threat), ""), unit.at
    for hex_ in sorted(hexes):
        gain = (profit(position, unit, hex_, threat), "")
        if gain[0] > best[0]:
            best, goal = gain, hex_
    if best[0] > 0:
        return None if goal == unit.at else path_to(position, unit.id, goal)
    return close_in(view, ground, unit, hexes)


def close_in(view: View, ground: Ground, unit: Unit, hexes: Sequence[str]) -> Move | None:
    """Nearer to the enemy's feet, or to anybody."""
    position = view.position
    enemies = [one for one in position.enemies_of(position.team(unit.id)) if position.is_on_map(one.id)]
    feet = [one.at for one in enemies if position.type_of(one.id).klass == FOOT]
    costs = ground.to(position.type_of(unit.id), feet or [one.at for one in enemies])
    best = min(sorted(hexes), key=lambda hex_: costs.get(hex_, FAR), default=unit.at)
    if costs.get(best, FAR) >= costs.get(unit.at, FAR):
        return None
    return path_to(position, unit.id, best)


def profit(position: Position, unit: Unit, hex_: str, threat: Mapping[str, int]) -> int:
    """What the best attack from there is worth, in hundredths of a coin."""
    worths = [worth_of(position, unit, target, hex_) for target in targets_from(position, unit.id, hex_)]
    return max(worths, default=0) - 20 * threat.get(hex_, 0) * (position.type_of(unit.id).klass == "gun")


def worth_of(position: Position, unit: Unit, target: str, hex_: str) -> int:
    """The damage to be expected by the target's price, less what comes back."""
    there = position.units[target]
    value = 100 * position.type_of(target).price + 100 * urgency(position, there)
    dice = base_dice(position, unit.id) + support(position, unit, there, hex_)
    mean = dice * value_of(position, unit.id, target) // SIDES_OF_A_DIE
    damage = damage_of(position.pack, cover(position, target), mean)
    left = position.pack.dice.destroyed_at - there.damage
    gain = value * min(damage, left) // position.pack.dice.destroyed_at + (value if damage >= left else 0)
    if position.grid.distance(hex_, there.at) == CLOSE and can_hit(position, target, unit.id, CLOSE):
        back = base_dice(position, target) * value_of(position, target, unit.id) // SIDES_OF_A_DIE
        armour = position.pack.armour[position.type_of(unit.id).armour]
        cost = sum(back >= hits for hits in armour.open)
        gain -= 100 * position.type_of(unit.id).price * cost // position.pack.dice.destroyed_at
    return gain


def support(position: Position, unit: Unit, target: Unit, hex_: str) -> int:
    """COMBAT-6, 7 Bonus dice for those who already stand around the target."""
    near = position.grid.neighbours[target.at]
    if hex_ not in near:
        return 0
    own = [position.on[one] for one in near if one != hex_ and one in position.on]
    friends = [one for one in own if one != unit.id and position.camp(one) == position.camp(unit.id)]
    helping = sum(can_hit(position, one, target.id, CLOSE) for one in friends)
    dice = position.pack.dice
    return dice.surround_bonus if helping > 1 else dice.flank_bonus if helping else 0


def urgency(position: Position, enemy: Unit) -> int:
    """A foot unit before a fort is about to win something; who can hit aircraft rules the sky."""
    type_ = position.type_of(enemy.id)
    fear = AIRMANS_FEAR if type_.range_air else 0
    if type_.klass != FOOT:
        return fear
    return fear + (URGENT if doors_of(position, enemy) else URGENT // 3)


# ------------------------------------------------------------------ phase 2


def targets(view: View, ask: Ask) -> tuple[Attack, ...]:
    """Every unit strikes the most rewarding target; those who cannot be struck back go first."""
    position, found = view.position, []
    worn: dict[str, int] = {}
    for unit in sorted(position.of_camp(view.camp), key=lambda one: -distance_first(position, one)):
        if unit.nation != view.nation or not unit.at or unit.aboard:
            continue
        if why_not_active(position, unit.id) is not None:
            continue
        offers = [(worth_of(position, unit, one, unit.at), one) for one in candidates(position, unit.id)]
        offers = [(gain, one) for gain, one in offers if gain > 0 and worn.get(one, 0) < 8]
        if offers:
            _, best = max(offers)
            mean = base_dice(position, unit.id) * value_of(position, unit.id, best) // SIDES_OF_A_DIE
            worn[best] = worn.get(best, position.units[best].damage)
            worn[best] += damage_of(position.pack, cover(position, best), mean)
            found.append(Attack(unit.id, best))
    answer = tuple(found)
    return answer if ask.options.contains(answer) else ()


def distance_first(position: Position, unit: Unit) -> int:
    type_ = position.type_of(unit.id)
    return max((*type_.range_ground, *type_.range_air), default=0)


# ------------------------------------------------------------------ phase 4


def spend(view: View, ask: Ask) -> Purchase:
    """Repairs of what is dear; feet where the next fort is nearest; then whatever is dearest."""
    position = view.position
    for unit in repairable(position, view.camp):
        if position.type_of(unit).price >= DEAR and ask.options.contains(Repair(unit)):
            return Repair(unit)
    own, open_to = position.forts_of(view.camp), affordable(position, view.nation)
    if not own or not open_to:
        return DONE
    types = position.pack.types
    feet = sum(types[unit.type].klass == FOOT for unit in position.of_camp(view.camp))
    walking = [type_ for type_ in open_to if types[type_].captures]
    armed = [type_ for type_ in open_to if types[type_].range_ground and types[type_].price >= DEAR]
    if feet < FEET_WANTED and walking:
        chosen = max(walking, key=lambda one: (types[one].speed, -types[one].price))
    elif feet >= FEET_WANTED and armed:
        chosen = max(armed, key=lambda one: (types[one].klass == "air", types[one].price))
    else:
        return DONE  # it saves
    ground, forts = Ground(position), open_forts(position, view.camp)
    doors = [door for fort in forts for door in position.pack.forts[fort].approaches]
    costs = ground.to(types[chosen], doors) if doors else {}
    safe = [fort for fort in own if not is_besieged(position, fort, view.nation)] or own
    answer = Buy(chosen, min(safe, key=lambda fort: costs.get(fort, FAR)))
    return answer if ask.options.contains(answer) else DONE


# ------------------------------------------------------------------ the ground


def own_feet(position: Position, camp: str) -> list[Unit]:
    return [unit for unit in position.of_camp(camp) if position.type_of(unit.id).captures and unit.at]


def open_forts(position: Position, camp: str) -> list[str]:
    return [fort for fort in position.forts if is_conquerable(position, fort, camp)]


def cost_to_doors(ground: Ground, unit: Unit, forts: Sequence[str]) -> int:
    position = ground.position
    doors = [door for fort in forts for door in position.pack.forts[fort].approaches]
    return ground.to(position.type_of(unit.id), doors).get(unit.at, FAR) if doors else FAR


_HABITS: Mapping[str, Callable[[View, Ask], Answer]] = {
    "setup.split": split,
    "turn.active": active,
    "turn.act": act,
    "turn.targets": targets,
    "turn.spend": spend,
}
