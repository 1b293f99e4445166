"""A player made of code that means to win: it strikes where that pays, shuns what can strike back, sends its
feet to the forts and keeps the enemy's away from them.

It sees only what a seat sees. The rules of movement and combat are asked on its own view. Each question is
answered from the board alone: who has moved already promises the shot that pays most from where it stands,
and the next unit takes that into account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from engine.games.trench_club import deployment
from engine.games.trench_club.answers import (
    COMPANIES,
    DONE,
    Act,
    Attack,
    Buy,
    Capture,
    Purchase,
    Repair,
)
from engine.games.trench_club.prospects import COIN, SHARES, longest
from engine.games.trench_club.replies import Foresight
from engine.games.trench_club.rules.acts import refusal_of
from engine.games.trench_club.rules.automa.ground import FAR
from engine.games.trench_club.rules.companies import choices, why_not_active
from engine.games.trench_club.rules.contact import Front, front
from engine.games.trench_club.rules.forts import doors_of
from engine.games.trench_club.rules.movement import path_to, reach
from engine.games.trench_club.rules.purchases import affordable, repairable
from engine.games.trench_club.rules.targets import CLOSE, targets_from
from engine.games.trench_club.rules.terrain import AIR
from engine.games.trench_club.state import Position, Unit
from engine.games.trench_club.view import View
from engine.kernel.requests import Answer, Ask, Rng

FEET_WANTED = 3  # more are not bought while something else can be
CAUTION = 40  # in hundredths: how much the enemies' reply counts
PROGRESS = (60, 40, 28, 20, 14, 10, 7, 5)  # of a fort's worth, in hundredths, by turns to its door
APPROACH = 30  # for each turn that a weapon is away from the enemy
HOMEWARD = 60  # in hundredths: what a repair counts that needs a walk before it
DEAR = 5  # what is cheaper is not bought for a fight
STRIKES = 20  # an attack that pays less is not made
HOPELESS = 10  # against so many times its own strength it gives up


def sensible_bot(view: View, ask: Ask, rng: Rng) -> Answer:
    """One habit for each question; else the default."""
    habit = _HABITS.get(ask.topic)
    return ask.default if habit is None else habit(view, ask)


# ------------------------------------------------------------------ the first turns


def active(view: View, ask: Ask) -> Answer:
    """The companies that better themselves most by acting."""
    outlook = Foresight(view)
    goals, against = errands(outlook), front(view.position, outlook.team)
    gains = dict.fromkeys(COMPANIES, 0)
    for unit in outlook.own:
        if unit.company:
            spots = spots_of(outlook, unit, goals.get(unit.id, ""), against)
            gains[unit.company] += max(spot.score for spot in spots) - spots[0].score
    return max(choices(view.position, view.camp), key=lambda some: sum(gains[one] for one in some))


# ------------------------------------------------------------------ phase 1


class Spot(NamedTuple):
    """Where a unit would stand, how good that is, and whom it would strike from there."""

    score: int
    hex: str
    target: str
    bonus: int


def act(view: View, ask: Ask) -> Act:
    """Conquests that nobody can undo, then unit by unit whoever stands better elsewhere."""
    default: Act = ask.default
    if is_beaten(view):
        return default
    outlook, position = Foresight(view), view.position
    waiting = [unit for unit in outlook.own if is_able(view, unit)]
    for unit in waiting:
        for capture in conquests(view, unit):
            if not outlook.besiegers.get(capture.fort) or wins(view):
                return capture
    for unit in outlook.own:
        if unit not in waiting and is_ready(view, unit):
            promise(outlook, unit, spot_at(outlook, unit, unit.at))
    goals, against = errands(outlook), front(position, outlook.team)
    for unit in sorted(waiting, key=lambda one: place_of(position, one)):
        spots = spots_of(outlook, unit, goals.get(unit.id, ""), against)
        best = max(spots, key=lambda spot: spot.score)
        for capture in conquests(view, unit):
            if conquest_gain(outlook, unit, capture.fort) > best.score:
                return capture
        if best.hex != unit.at:
            move = path_to(position, unit.id, best.hex, against)
            if move is not None and refusal_of(position, move, (view.nation,)) is None:
                return move
        promise(outlook, unit, spots[0])
    return default


def is_beaten(view: View) -> bool:
    """It lays down its arms when nothing can be won any more; else some games would never end: it would hunt
    the enemies' feet without any of its own, or send one after the other before the door of its last fort."""
    position, of = view.position, view.position.pack.team_of
    feet = {of[unit.nation] for unit in position.units.values() if position.type_of(unit.id).captures}
    forts = {of[camp] for camp in position.forts.values() if camp}
    if of[view.nation] not in feet | forts:
        return bool(forts)  # whoever has none can still be wiped out
    prices = [(of[unit.nation], position.type_of(unit.id).price) for unit in position.units.values()]
    ours = sum(price for team, price in prices if team == of[view.nation])
    return ours * HOPELESS < sum(price for _, price in prices) - ours and not wins(view)


def conquests(view: View, unit: Unit) -> list[Capture]:
    """Forts that it can take at once."""
    found = [Capture(unit.id, fort) for fort in doors_of(view.position, unit)]
    return [capture for capture in found if refusal_of(view.position, capture, (view.nation,)) is None]


def wins(view: View) -> bool:
    """One more fort is enough."""
    return len(view.position.forts_of(view.camp)) + 1 >= view.forts_to_win


def conquest_gain(outlook: Foresight, unit: Unit, fort: str) -> int:
    """A fort at whose door an enemy stands may be lost again at once, and whoever took it with it."""
    risk = 0.0 if outlook.is_guarded(fort, unit.id) else outlook.siege(fort)
    return round(outlook.fort_worth(fort) * (1 - risk) - outlook.own_worth(unit) * risk)


def place_of(position: Position, unit: Unit) -> tuple[bool, bool, int, int, str]:
    """Who decides first: transports, which draw the fire; close fighters, the dear ones first; then the guns,
    which strike from many places whatever is left, and the feet."""
    type_ = position.type_of(unit.id)
    return not type_.capacity, type_.captures, longest(type_), -type_.price, unit.id


def is_able(view: View, unit: Unit) -> bool:
    return unit.id not in view.position.moved and is_ready(view, unit)


def is_ready(view: View, unit: Unit) -> bool:
    return unit.nation == view.nation and not unit.aboard and why_not_active(view.position, unit.id) is None


def spots_of(outlook: Foresight, unit: Unit, goal: str, against: Front) -> list[Spot]:
    """Everywhere it can be at the end of its move; first where it is now."""
    hexes = [unit.at, *sorted(reach(outlook.position, unit.id, against))]
    return [look(outlook, unit, hex_, goal) for hex_ in hexes]


def look(outlook: Foresight, unit: Unit, hex_: str, goal: str) -> Spot:
    """What the unit would gain there: a shot, its errand, a repair; less the danger."""
    strike = spot_at(outlook, unit, hex_)
    loss, score = outlook.loss(unit, hex_), strike.score
    if hex_ in outlook.position.forts:
        loss += outlook.fall(unit, hex_)
        score += shelter(outlook, unit, hex_)
    if outlook.position.type_of(unit.id).captures:
        score += on_foot(outlook, unit, hex_, goal)
    else:
        score += near_enemies(outlook, unit, hex_)
    return strike._replace(score=score - round(loss * caution(outlook.position, outlook.camp) / 100))


def caution(position: Position, camp: str) -> int:
    """SETUP-25 Whoever acts in the very first turn cannot move in the next: he will be fired at twice."""
    return CAUTION * 2 if position.round == 1 and position.order[0] == camp else CAUTION


def spot_at(outlook: Foresight, unit: Unit, hex_: str) -> Spot:
    """The shot that pays most from there."""
    position, best = outlook.position, Spot(0, hex_, "", 0)
    for target in targets_from(position, unit.id, hex_, outlook.foes):
        near = position.grid.distance(hex_, position.units[target].at) == CLOSE
        bonus = outlook.bonus(unit, hex_, target) if near else 0
        gain = outlook.gain(unit, target, bonus, near)
        if gain > max(best.score, STRIKES):
            best = Spot(gain, hex_, target, bonus)
    return best


def promise(outlook: Foresight, unit: Unit, spot: Spot) -> None:
    """Whoever decides later reckons with this shot."""
    if spot.target:
        outlook.promise(unit, spot.target, spot.bonus)


def shelter(outlook: Foresight, unit: Unit, fort: str) -> int:
    """What a repair in the fort would bring."""
    cost = outlook.position.pack.money.repair_cost * COIN
    gain = outlook.own_worth(unit) * SHARES[unit.damage] // 100 - cost
    if gain <= 0:
        return 0
    return gain if fort == unit.at else gain * HOMEWARD // 100


def near_enemies(outlook: Foresight, unit: Unit, hex_: str) -> int:
    """The nearer, the better."""
    type_ = outlook.position.type_of(unit.id)
    if not (type_.range_ground or type_.range_air) or not outlook.enemies:
        return 0
    feet = [one.at for one in outlook.enemies if outlook.position.type_of(one.id).captures]
    costs = outlook.ground.to(type_, feet or [one.at for one in outlook.enemies])
    cost = costs.get(hex_, FAR)
    return -APPROACH * min(cost, 60) // type_.speed


def errands(outlook: Foresight) -> dict[str, str]:
    """For each own foot unit a fort to conquer, the nearest first; for those left over, any."""
    forts = outlook.open_forts()
    pairs = sorted(
        (outlook.cost_to_doors(unit, [fort]), unit.id, fort) for unit in own_feet(outlook) for fort in forts
    )
    found: dict[str, str] = {}
    for again in (False, True):
        for cost, unit, fort in pairs:
            if cost < FAR and unit not in found and (again or fort not in found.values()):
                found[unit] = fort
    return found


def on_foot(outlook: Foresight, unit: Unit, hex_: str, goal: str) -> int:
    """Progress on the way to its fort, and forts that are safe while it stands there."""
    position, type_ = outlook.position, outlook.position.type_of(unit.id)
    score = 0
    if goal:
        costs = outlook.ground.to(type_, position.pack.forts[goal].approaches)
        turns = -(-costs.get(hex_, FAR) // type_.speed)
        if turns < len(PROGRESS):
            score += outlook.fort_worth(goal) * PROGRESS[turns] // 100
    for fort in outlook.besiegers:
        if hex_ in position.pack.forts[fort].approaches and not outlook.is_guarded(fort, unit.id):
            score += round(outlook.fort_worth(fort) * outlook.siege(fort))
    return score


def own_feet(outlook: Foresight) -> list[Unit]:
    return [unit for unit in outlook.own if outlook.position.type_of(unit.id).captures]


# ------------------------------------------------------------------ phase 2


def targets(view: View, ask: Ask) -> tuple[Attack, ...]:
    """The best shot first, again and again; then those that nobody answers go to the front."""
    if is_beaten(view):
        return ()
    outlook, position = Foresight(view), view.position
    left = [unit for unit in outlook.own if is_ready(view, unit)]
    found: list[tuple[bool, Attack]] = []
    while left:
        spots = [(spot_at(outlook, unit, unit.at), unit) for unit in left]
        spots = [one for one in spots if one[0].target]
        if not spots:
            break
        spot, unit = max(spots, key=lambda one: one[0].score)
        near = position.grid.distance(unit.at, position.units[spot.target].at) == CLOSE
        found.append((near and outlook.riposte(unit, spot.target) > 0, Attack(unit.id, spot.target)))
        promise(outlook, unit, spot)
        left = [one for _, one in spots if one.id != unit.id]
    attacks = tuple(attack for _, attack in sorted(found, key=lambda one: one[0]))
    return attacks if ask.options.contains(attacks) else ()


# ------------------------------------------------------------------ phase 4


def spend(view: View, ask: Ask) -> Purchase:
    """Repairs that pay; feet where the next fort is nearest; then whatever is dearest."""
    outlook, position = Foresight(view), view.position
    worn = [unit for unit in repairable(position, view.camp) if ask.options.contains(Repair(unit))]
    if worn:
        best = max(worn, key=lambda unit: shelter(outlook, position.units[unit], position.units[unit].at))
        if shelter(outlook, position.units[best], position.units[best].at) > 0:
            return Repair(best)
    own, open_to = position.forts_of(view.camp), affordable(position, view.nation)
    if not own or not open_to or not (chosen := wanted(outlook, open_to)):
        return DONE
    answer = Buy(chosen, muster(outlook, own, chosen))
    return answer if ask.options.contains(answer) else DONE


def wanted(outlook: Foresight, open_to: Sequence[str]) -> str:
    """Feet below a number, then what is armed and dear; "": it saves."""
    types = outlook.position.pack.types
    walking = [type_ for type_ in open_to if types[type_].captures]
    armed = [type_ for type_ in open_to if types[type_].range_ground and not types[type_].captures]
    if len(own_feet(outlook)) < FEET_WANTED:
        return max(walking, key=lambda one: (types[one].speed, -types[one].price), default="")
    hunters = [one for one in outlook.enemies if outlook.position.type_of(one.id).range_air]
    dear = [
        type_ for type_ in armed if types[type_].price >= DEAR and (types[type_].klass != AIR or not hunters)
    ]
    return max(dear, key=lambda one: (types[one].klass == AIR, types[one].price), default="")


def muster(outlook: Foresight, own: Sequence[str], type_: str) -> str:
    """The own fort from which the next one is nearest, not one that is about to fall."""
    position, kind = outlook.position, outlook.position.pack.types[type_]
    doors = [door for fort in outlook.open_forts() for door in position.pack.forts[fort].approaches]
    costs = outlook.ground.to(kind, doors) if doors else {}
    safe = [fort for fort in own if not outlook.besiegers.get(fort) or outlook.is_guarded(fort)] or list(own)
    return min(safe, key=lambda fort: costs.get(fort, FAR))


def join(view: View, ask: Ask) -> str:
    """COOP-5 It leads its own units."""
    return "orders"


_HABITS: Mapping[str, Callable[[View, Ask], Answer]] = {
    "setup.split": deployment.split,
    "setup.place": deployment.place,
    "turn.join": join,
    "turn.active": active,
    "turn.act": act,
    "turn.targets": targets,
    "turn.spend": spend,
}
