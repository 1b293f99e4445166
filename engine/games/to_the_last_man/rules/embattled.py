"""2.II.4, 5.4-02: one Battle Area in its attacker's Player Turn, and who still takes part in the battle."""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.to_the_last_man.answers import LOOSE, Side
from engine.games.to_the_last_man.state import INFANTRY, TYPES, State
from engine.games.to_the_last_man.windows import other

RANK = {type_: rank for rank, type_ in enumerate(TYPES)}


@dataclass(frozen=True, slots=True)
class Battle:
    """0-01 The attacker is the side whose Player Turn it is, whoever stood in the area first."""

    area: str
    attacker: Side
    defender: Side
    key: str  # of the segment
    surprise: bool = False

    @property
    def at(self) -> str:
        return f"{self.key}/{self.area}"

    def plan(self, state: State, side: Side) -> str:
        """The attacker wrote down beforehand what to answer in this battle."""
        return state.plan if side == self.attacker else ""


def battle_in(state: State, area: str) -> Battle:
    assert state.phasing != ""
    attacker: Side = state.phasing
    surprise = (area, "SUR") in state.laid[attacker]
    return Battle(area, attacker, other(attacker), f"T{state.turn}.{state.number}.{area}", surprise)


# ------------------------------------------------------------------ who takes part


def fighting_armies(state: State, area: str, side: Side) -> list[str]:
    """5.4-02 Armies without a retreat marker that hold anything, as everyone sees; in the order of dice."""
    gone = state.retreated
    return [army for army in state.armies(area, side) if state.contents[army] and army not in gone]


def fighting(state: State, area: str, side: Side) -> list[tuple[str, list[str]]]:
    """0-09, 5.4.4-01 Place and counters without a marker: loose ones, then army by army."""
    gone, type_of = state.retreated, state.pack.type_of

    def in_order(units: list[str]) -> list[str]:
        there = [unit for unit in units if unit not in gone] if gone else units
        return sorted(there, key=lambda unit: (RANK[type_of[unit]], unit))

    places = [(LOOSE, in_order(state.loose_units(area, side)))]
    places += [(army, in_order(state.contents[army])) for army in fighting_armies(state, area, side)]
    return [(place, units) for place, units in places if units]


def fighters(state: State, area: str, side: Side, type_: str = "") -> list[str]:
    """All counters that take part; of one type, if that is named."""
    type_of = state.pack.type_of
    there = [unit for _, units in fighting(state, area, side) for unit in units]
    return [unit for unit in there if type_of[unit] == type_] if type_ else there


def fighting_infantry(state: State, area: str, side: Side) -> list[str]:
    """0-02, 8.3.1-05 Infantry-type units that take part: those with a marker do not count."""
    type_of = state.pack.type_of
    return [unit for unit in fighters(state, area, side) if type_of[unit] in INFANTRY]


def stands(state: State, area: str, side: Side) -> bool:
    """2.II.4-08 Is there anything left that can fire or be hit? A fort of any strength can."""
    return state.fort(area, side) is not None or bool(fighting(state, area, side))


def goes_on(state: State, battle: Battle) -> bool:
    """2.II.4-08 Both sides have something left in the battle."""
    return stands(state, battle.area, battle.attacker) and stands(state, battle.area, battle.defender)


# ------------------------------------------------------------------ what may be there, as everyone sees it


def might_have(state: State, area: str, side: Side, type_: str) -> bool:
    """0-13 Can it be, as far as the map and the force pools show, that the side fights there with such units?

    Questions about hidden units are put wherever this holds, whether or not there are any.
    """
    pack, gone = state.pack, state.retreated
    if any(pack.type_of[unit] == type_ and unit not in gone for unit in state.loose_units(area, side)):
        return True
    nations = {pack.nation_of[army] for army in fighting_armies(state, area, side)}
    return any(_hidden_somewhere(state, nation, type_) for nation in sorted(nations))


def _hidden_somewhere(state: State, nation: str, type_: str) -> bool:
    """Counters of that kind that lie neither in the pool nor loose on the map."""
    kind = f"{nation}.{type_}"
    counters = state.pack.kinds.get(kind, ())
    shown = sum(1 for unit in state.pool[nation] if unit in counters)
    if shown < len(counters):
        shown += sum(1 for there in state.loose.values() for unit in there if unit in counters)
    return shown < len(counters)


def might_have_cards(state: State, side: Side) -> bool:
    """11.2-01 Hand sizes are public unless they are hidden by agreement."""
    return bool(state.hands[side]) or bool(state.options["hidden_hand_size"])
