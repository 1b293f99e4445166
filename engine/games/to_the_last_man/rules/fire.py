"""5.2, 8.2, 8.3, 8.4, 9.1, 9.3, 9.4: which dice a side rolls in a fire step, at which firepower.

One roll is made for each firepower, and one of its own for each kind of dice whose hits do more than others
(0-13): "F1", "F2", "F3", "G.F3", "S.F2", "T.F2", "BIG.F2" … Inside a roll the faces follow 0-09.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from engine.games.to_the_last_man.answers import LOOSE, Dice, Side
from engine.games.to_the_last_man.facts.battle import ShotsFired
from engine.games.to_the_last_man.facts.battle import Step as FireStep
from engine.games.to_the_last_man.rules.embattled import (
    Battle,
    fighting,
    fighting_armies,
    fighting_infantry,
)
from engine.games.to_the_last_man.state import INFANTRY, State
from engine.games.to_the_last_man.tables import Bonus, UnitType
from engine.games.to_the_last_man.windows import other
from engine.kernel.requests import Roll, Seat, Step

ARTILLERY, BIPLANE = "A", "B"
SIEGE = "G"  # 8.3.3 its hits have a prefix of their own
VOLLEYS_WITH_ARTILLERY = 2  # 2.II.4-06 what fires twice in an attack fires in the artillery step

Die: TypeAlias = tuple[str, int, bool]  # name of its roll, firepower, is it an infantry-type unit's?


@dataclass(frozen=True, slots=True)
class Volley:
    """Dice that are rolled together."""

    name: str  # as in `Dice.name`
    firepower: int
    infantry: tuple[bool, ...]  # for each die: 8.3.4-06 may a hit be rolled again?


@dataclass(frozen=True, slots=True)
class Shots:
    """A volley and what it showed."""

    volley: Volley
    faces: tuple[int, ...]

    @property
    def hits(self) -> int:
        return scored(self.faces, self.volley.firepower)

    @property
    def infantry_hits(self) -> int:
        """8.3.4-06 Hits scored by infantry-type units; card dice are none of theirs."""
        firepower = self.volley.firepower
        pairs = zip(self.faces, self.volley.infantry, strict=True)
        return sum(1 for face, infantry in pairs if infantry and face <= firepower)

    @property
    def dice(self) -> Dice:
        return Dice(self.volley.name, self.faces, self.infantry_hits)


def scored(faces: Iterable[int], firepower: int) -> int:
    """5.2.1-01 A die hits with its firepower or less."""
    return sum(1 for face in faces if face <= firepower)


def fire(battle: Battle, side: Side, step: FireStep, volleys: Iterable[Volley]) -> Step:
    """0-10 All dice of the step are rolled before any hit is paid; returns the shots."""
    shots = []
    for volley in volleys:
        faces = yield Roll(Seat(side), f"{battle.area}.{step}.{volley.name}", len(volley.infantry))
        fired = Shots(volley, faces)
        yield ShotsFired(side, battle.area, step, volley.name, faces, fired.hits)
        shots.append(fired)
    return shots


def in_volleys(dice: Iterable[Die]) -> tuple[Volley, ...]:
    """0-09, 0-13 Dice by the name of their roll, in the order given inside each."""
    by_name: dict[str, tuple[int, list[bool]]] = {}
    for name, firepower, infantry in dice:
        by_name.setdefault(name, (firepower, []))[1].append(infantry)
    return tuple(Volley(name, power, tuple(who)) for name, (power, who) in sorted(by_name.items()))


# ------------------------------------------------------------------ the steps


def artillery_fire(state: State, battle: Battle) -> tuple[Volley, ...]:
    """2.II.4 b The attacker's artillery and, against a fort, siege guns."""
    dice: list[Die] = []
    for _, units in fighting(state, battle.area, battle.attacker):
        for unit in units:
            kind = _type(state, unit)
            if kind.volleys == VOLLEYS_WITH_ARTILLERY:
                dice += attack_die(state, battle, battle.attacker, kind)
    dice += bonus_dice(state, battle, (ARTILLERY,))
    return in_volleys(dice)


def attackers_fire(state: State, battle: Battle, silent: Collection[str]) -> tuple[Volley, ...]:
    """2.II.4 d All of the attacker's units but `silent` biplanes; 8.3.1-04 cavalry where it may raid."""
    dice = _attack_dice(state, battle, battle.attacker, silent)
    dice += bonus_dice(state, battle, (ARTILLERY, "S", "T"))
    return in_volleys(dice)


def counter_attack_fire(state: State, battle: Battle, silent: Collection[str]) -> tuple[Volley, ...]:
    """15.2.2-01 The defender's units once more, as if they attacked. No army is forced to retreat by it:
    5.4-06 speaks of defending armies. Forts never attack (8.4-01).
    """
    dice = _attack_dice(state, battle, battle.defender, silent)
    siege = f"{SIEGE}."
    plain = [
        (name if name.startswith(siege) else f"F{power}", power, infantry) for name, power, infantry in dice
    ]
    return in_volleys(plain)


def _attack_dice(state: State, battle: Battle, side: Side, silent: Collection[str]) -> list[Die]:
    dice: list[Die] = []
    raiding = not fighting_infantry(state, battle.area, other(side))
    for _, units in fighting(state, battle.area, side):
        for unit in units:
            kind = _type(state, unit)
            if unit in silent:
                continue
            if kind.raid and raiding:
                dice.append((f"F{kind.raid}", kind.raid, False))
            else:
                dice += attack_die(state, battle, side, kind)
    return dice


def attack_die(state: State, battle: Battle, side: Side, kind: UnitType) -> list[Die]:
    """5.2.2-01 The die of one attacking unit; none if its condition is not met."""
    power = artillery_power(state, battle, side, kind.off) if kind.id == ARTILLERY else kind.off
    if power == 0 or (state.pack.areas[battle.area].rough and not kind.fires_in_rough):  # 8.3.5-02
        return []
    if kind.fires_at_forts_only:  # 8.3.3-01, -02 the fort must still be there
        if state.fort(battle.area, other(side)) is None:
            return []
        return [(f"{kind.id}.F{power}", power, False)]
    if kind.forces_retreat:
        return [(f"{kind.id}.F{power}", power, kind.id in INFANTRY)]
    return [(f"F{power}", power, kind.id in INFANTRY)]


def defenders_fire(state: State, battle: Battle, silent: Collection[str]) -> tuple[Volley, ...]:
    """2.II.4 c All of the defender's units but `silent` biplanes, then its fort (8.4-02)."""
    area, side = battle.area, battle.defender
    dice: list[Die] = []
    for place, units in fighting(state, area, side):
        for unit in units:
            power = 0 if unit in silent else defence_power(state, battle, place, unit)
            if power:
                dice.append((f"F{power}", power, False))
    fort_fire = state.pack.meta.fort_fire
    dice += [(f"F{fort_fire}", fort_fire, False)] * (state.fort(area, side) or 0)
    return in_volleys(dice)


def defence_power(state: State, battle: Battle, place: str, unit: str) -> int:
    """8.2, 8.3 The firepower of a defending unit, loose or in the army `place`."""
    kind, meta = _type(state, unit), state.pack.meta
    if not kind.fires_in_rough and state.pack.areas[battle.area].rough:
        return 0
    if kind.id == ARTILLERY:
        return defending_artillery(state, battle, unit, kind.defence)
    if kind.entrench and place in state.fortified:
        return meta.fortified_fire  # 7.6-06
    dug_in = (unit if place == LOOSE else place) in state.entrenched  # 8.1-04
    return kind.entrenched if dug_in else kind.defence


# ------------------------------------------------------------------ artillery and cards


def artillery_power(state: State, battle: Battle, side: Side, power: int) -> int:
    """9.3, 9.4 Gas or barrage laid by its own side on this battle."""
    for area, card in state.laid[side]:
        if area == battle.area and not is_blown_away(state, side, card):
            power = max(power, state.pack.card_kinds[card].artillery_fire)
    return power


def is_blown_away(state: State, side: Side, card: str) -> bool:
    """9.3-03 Bad Weather cancels all gas, or only the attacker's if the campaign rules so."""
    if card != "GAS" or not state.weather:
        return False
    return state.options["weather_stops_gas"] == "both" or side == state.phasing


def defending_artillery(state: State, battle: Battle, unit: str, power: int) -> int:
    """8.3.2-04 From its turn on the UK's artillery defends better, and better still with gas."""
    meta, with_cards = state.pack.meta, artillery_power(state, battle, battle.defender, power)
    superior = state.options["uk_materiel_superiority"] and state.turn >= meta.materiel_first_turn
    if not superior or state.pack.nation_of[unit] != "UK":
        return with_cards
    gas = (battle.area, "GAS") in state.laid[battle.defender]
    with_gas = gas and not is_blown_away(state, battle.defender, "GAS")
    return max(with_cards, meta.materiel_fire_with_gas if with_gas else meta.materiel_fire)


def active_bonus(state: State) -> Bonus | None:
    """9.1.3 to 9.1.6 The extra dice of the Offensive played: for its own side, from its turn on."""
    if not state.offensive:
        return None
    card = state.pack.card_kinds[state.offensive]
    active = card.special_for == state.phasing and state.turn >= card.first_turn
    return card.bonus if active else None


def bonus_dice(state: State, battle: Battle, types: Collection[str]) -> list[Die]:
    """9.1 Extra dice in a named area that still holds an army of the nation when the step begins (9.1-03).

    9.5-02 Bad Weather takes them away. 9.1-02 Gas and barrage do not change them.
    """
    bonus = active_bonus(state)
    if bonus is None or state.cut or battle.area not in state.bonus or bonus.type not in types:
        return []
    if not has_bonus_army(state, battle.area, bonus):
        return []
    return [(f"{state.offensive}.F{bonus.fire}", bonus.fire, False)] * bonus.dice


def has_bonus_army(state: State, area: str, bonus: Bonus) -> bool:
    """9.1-03 An army of that nation, not empty and not retreated; 9.1-02 no tank dice in Rough areas."""
    if state.pack.areas[area].rough and not state.pack.types[bonus.type].fires_in_rough:
        return False
    nation_of, side = state.pack.nation_of, state.pack.side_of[bonus.nation]
    return any(nation_of[army] == bonus.nation for army in fighting_armies(state, area, side))


def retreats_forced(state: State, shots: Iterable[Shots]) -> int:
    """5.4-06 Hits of the attacker's Stosstruppen, tanks and their extra dice."""
    forcing = [type_ for type_, kind in state.pack.types.items() if kind.forces_retreat]
    bonus = active_bonus(state)
    if bonus is not None and bonus.type in forcing:
        forcing.append(state.offensive)
    return sum(fired.hits for fired in shots if fired.volley.name.partition(".")[0] in forcing)


def siege_hits(shots: Iterable[Shots]) -> int:
    """8.3.3-03 Hits that only a fort or Ersatz can pay."""
    return sum(fired.hits for fired in shots if fired.volley.name.partition(".")[0] == SIEGE)


def _type(state: State, unit: str) -> UnitType:
    return state.pack.types[state.pack.type_of[unit]]
