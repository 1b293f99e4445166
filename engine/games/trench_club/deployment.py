"""How a player made of code splits its army, and who stands where when a token is flipped."""

from __future__ import annotations

from engine.games.trench_club.answers import FlippedGiven, Placement, Split, SplitGiven
from engine.games.trench_club.prospects import longest
from engine.games.trench_club.replies import Foresight
from engine.games.trench_club.rules.automa.ground import FAR
from engine.games.trench_club.rules.placing import is_usable, rings
from engine.games.trench_club.state import Position, Unit
from engine.games.trench_club.view import View
from engine.kernel.requests import Answer, Ask

GUN = "gun"
SLOW = ("infantry", "heavy_infantry", "tank", "anti_aircraft")  # these go with the guns


def split(view: View, ask: Ask) -> Answer:
    """Two strong companies instead of three weak ones: what is slow, and what is fast."""
    given: SplitGiven = ask.given
    types = {unit: view.position.type_of(unit) for unit in given.army}
    slow = [unit for unit, type_ in types.items() if type_.klass == GUN or type_.id in SLOW]
    fast = [unit for unit in given.army if unit not in slow]
    found = Split(tuple(sorted(slow)), tuple(sorted(fast)), ())
    return found if ask.options.contains(found) else ask.default


def place(view: View, ask: Ask) -> Answer:
    """The feet choose first, then the guns: near a fort, or where least can be lost."""
    given: FlippedGiven = ask.given
    outlook, position = Foresight(view), view.position
    inner, outer = around(position, given.hex, given.units)
    found: dict[str, str] = {}
    for unit in sorted(given.units, key=lambda one: turn_of(position, one)):
        left = len(given.units) - len(found)
        open_to = inner + outer if left > len(inner) else inner
        found[unit] = min(open_to, key=lambda hex_: (unease(outlook, position.units[unit], hex_), hex_))
        (inner if found[unit] in inner else outer).remove(found[unit])
    answer = Placement(tuple(sorted(found.items())))
    return answer if ask.options.contains(answer) else ask.default


def around(position: Position, number: str, units: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """SETUP-15 Hexes that must all be taken, and those of the ring in which there is a choice; no water."""
    inner: list[str] = []
    for radius in range(len(position.grid.places)):
        ring = [hex_ for hex_ in rings(position, number, radius) if is_dry(position, units, hex_)]
        if len(inner) + len(ring) >= len(units):
            return inner, ring
        inner += ring
    return inner, []


def is_dry(position: Position, units: tuple[str, ...], hex_: str) -> bool:
    """Everybody may stand there."""
    return all(is_usable(position, unit, hex_) for unit in units) and position.terrain(hex_) != "water"


def turn_of(position: Position, unit: str) -> tuple[bool, int, str]:
    type_ = position.type_of(unit)
    return not type_.captures, -longest(type_), unit


def unease(outlook: Foresight, unit: Unit, hex_: str) -> tuple[float, int]:
    """The less, the better it stands there."""
    type_, forts = outlook.position.type_of(unit.id), outlook.position.pack.forts
    if not type_.captures:
        return outlook.loss(unit, hex_), 0
    doors = [door for fort in outlook.open_forts() for door in forts[fort].approaches]
    cost = outlook.ground.to(type_, doors).get(hex_, FAR)
    return -(-cost // type_.speed), cost
