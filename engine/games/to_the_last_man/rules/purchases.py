"""7 What build points may buy, what it costs, and what is bought without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.games.to_the_last_man.answers import (
    DONE,
    LOOSE,
    Build,
    Buy,
    Done,
    Entrench,
    Fortify,
    Group,
    ProductionAct,
    Rebuild,
    Shift,
    Side,
    Upgrade,
)
from engine.games.to_the_last_man.rules.areas import status
from engine.games.to_the_last_man.rules.armies import why_not_shift
from engine.games.to_the_last_man.rules.instead import with_legal
from engine.games.to_the_last_man.rules.marching import is_group
from engine.games.to_the_last_man.rules.neutrals import inert_refusal
from engine.games.to_the_last_man.rules.pieces import holds, size
from engine.games.to_the_last_man.rules.placing import (
    any_place,
    fitting,
    free_slots,
    receiving_areas,
    some_shift,
    why_no_area,
    why_no_units_here,
)
from engine.games.to_the_last_man.rules.reinforcements import available
from engine.games.to_the_last_man.rules.supply import supplied
from engine.games.to_the_last_man.state import BOX, State, Status
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Options, Rng

STAGES: Mapping[type, int] = {Upgrade: 0, Rebuild: 1, Build: 2, Shift: 3, Entrench: 4, Fortify: 4, Buy: 5}
LAST = 5
SHOCK = "S"


def stage_of(act: ProductionAct) -> int:
    """7.6-05 Upgrades, armies, units, reorganisation, entrenchment, cards."""
    return STAGES[type(act)]


def cost_of(state: State, side: Side, act: ProductionAct) -> int:
    """7.6-01, -02"""
    meta = state.pack.meta
    match act:
        case Upgrade():
            return meta.upgrade_cost
        case Rebuild():
            return meta.army_cost
        case Build(units=units):
            return sum(number * state.pack.types[kind.partition(".")[2]].cost for kind, number in units)
        case Entrench():
            before, pieces = state.dug[side], state.dug[side] + pieces_of(act)
            return bp_for(state, pieces) - bp_for(state, before)
        case Fortify():
            return meta.fortify_cost
        case Buy(cards=number):
            return meta.card_cost * number
        case _:
            return 0


def pieces_of(act: Entrench) -> int:
    return len(act.armies) + sum(size(group) for _, group in act.loose)


def bp_for(state: State, pieces: int) -> int:
    """7.4-01 A build point digs in up to four pieces; what is left of one serves the next order."""
    return -(-pieces // state.pack.meta.entrench_per_bp)


def first_build_turn(state: State, kind: str) -> int:
    """7.6-04; 0: there are no such counters."""
    nation, type_ = kind.split(".")
    turns: Mapping[Any, int] = state.pack.types[type_].first_build_turn
    return turns.get(nation, 0)


def to_dig_in(state: State, side: Side, area: str, group: Group) -> list[str]:
    """Loose counters of these kinds that are not entrenched yet."""
    open_ = open_infantry(state, side, area)
    found: list[str] = []
    for kind, number in group:
        found += [unit for unit in open_ if state.pack.kind_of[unit] == kind][:number]
    return found


def open_infantry(state: State, side: Side, area: str) -> list[str]:
    """7.4-02 Loose units that may entrench and have not."""
    pack = state.pack
    return [
        unit
        for unit in state.loose_units(area, side)
        if pack.types[pack.type_of[unit]].entrench and unit not in state.entrenched
    ]


class Purchases(Options):
    """7.6 One purchase, or none any more."""

    __slots__ = ("_side", "_stage", "_state")

    def __init__(self, state: State, side: Side, stage: int) -> None:
        self._state, self._side, self._stage = state, side, stage

    def contains(self, answer: Answer) -> bool:
        return self._refused(answer) is None

    def why_not(self, answer: Answer) -> Refusal | None:
        return with_legal(self._refused(answer), lambda: self._instead(answer))

    def _instead(self, act: ProductionAct) -> Iterable[str]:
        """Places or armies with which the same purchase would do."""
        state, side = self._state, self._side
        match act:
            case Build():
                return fitting(state, side, act, self.contains)
            case Rebuild(army=army) if army not in rebuildable(state, side):
                return rebuildable(state, side)
            case Rebuild(army=army):
                homes = state.pack.home_areas[state.pack.armies[army].nation]
                return [area for area in homes if self.contains(Rebuild(army, area))]
            case Upgrade():
                return [into or area for area, into in upgradable(state)]
            case Entrench():
                armies = [army for army in state.army_at if self.contains(Entrench((army,)))]
                return [*armies, *(f"I@{area}" for area in state.loose if open_infantry(state, side, area))]
            case _:
                return ()

    def _refused(self, answer: Answer) -> Refusal | None:
        if isinstance(answer, Done):
            return None
        if type(answer) not in STAGES:
            return Illegal("TTLM-7.6-01", "not-an-act")
        if STAGES[type(answer)] < self._stage:
            return Illegal("TTLM-7.6-05", "too-late-in-the-order", {"stage": self._stage})
        if (refusal := self._why_not_itself(answer)) is not None:
            return refusal
        cost, points = cost_of(self._state, self._side, answer), self._state.points[self._side]
        if cost > points:
            return Illegal("TTLM-2.V.2-01", "not-enough-points", {"cost": cost, "points": points})
        return None

    def _why_not_itself(self, act: ProductionAct) -> Refusal | None:
        match act:
            case Upgrade():
                return self._why_not_upgrade(act)
            case Rebuild():
                return self._why_not_rebuild(act)
            case Build():
                return self._why_not_build(act)
            case Shift():
                return why_not_shift(self._state, self._side, act)
            case Entrench():
                return self._why_not_entrench(act)
            case Fortify():
                return self._why_not_fortify(act)
            case Buy(cards=number) if number < 1:
                return Illegal("TTLM-7.1-01", "how-many")
            case _:
                return None

    def _why_not_upgrade(self, act: Upgrade) -> Refusal | None:
        """7.5-01, 8.2.2-05"""
        state, first = self._state, first_build_turn(self._state, "GE.S")
        if self._side != "GE":
            return Illegal("TTLM-8.2.2-01", "germans-only")
        if state.turn < first:
            return Illegal("TTLM-7.5-01", "not-yet", {"turn": first})
        if state.upgrades["GE"] >= state.pack.meta.upgrades_per_production:
            return Illegal("TTLM-7.5-01", "one-upgrade-only")
        if not available(state, "GE", SHOCK):
            return Illegal("TTLM-1.4-02", "pool-empty", {"unit": "GE.S"})
        if (refusal := why_no_area(state, "GE", act.area, "GE")) is not None:
            return refusal
        if (act.area, act.into) not in upgradable(state):
            return Illegal("TTLM-7.5-01", "no-infantry-there", {"area": act.area})
        return None

    def _why_not_rebuild(self, act: Rebuild) -> Refusal | None:
        """7.3-01 to -03"""
        state, army = self._state, act.army
        if state.pack.side_of.get(army) != self._side or army not in state.pack.armies:
            return Illegal("TTLM-7.3-01", "not-own-army", {"army": army})
        if army not in state.eliminated and army not in state.dissolved:
            return Illegal("TTLM-7.3-03", "not-eliminated", {"army": army})
        nation = state.pack.armies[army].nation
        if act.area not in state.pack.home_areas[nation]:
            return Illegal("TTLM-7.3-01", "not-at-home", {"area": act.area, "nation": nation})
        if status(state, act.area, self._side) != "friendly":
            return Illegal("TTLM-7.3-02", "not-friendly", {"area": act.area})
        return why_no_area(state, self._side, act.area, nation)

    def _why_not_build(self, act: Build) -> Refusal | None:
        """7.2-01, 7.6-04, 1.4-02"""
        state = self._state
        if len(act.units) != 1 or not is_group(state, act.units):
            return Illegal("TTLM-7.2-01", "one-kind-at-a-time")
        ((kind, number),) = act.units
        if kind not in state.pack.kinds or state.pack.side_of[state.pack.kinds[kind][0]] != self._side:
            return Illegal("TTLM-7.6-01", "no-such-unit", {"unit": kind})
        if state.turn < (first := first_build_turn(state, kind)):
            return Illegal("TTLM-7.6-04", "not-yet", {"unit": kind, "turn": first})
        units = available(state, *kind.split("."))
        if len(units) < number:
            return Illegal("TTLM-1.4-02", "pool-empty", {"unit": kind, "left": len(units)})
        return why_no_units_here(state, self._side, units[:number], act.area, act.into)

    def _why_not_entrench(self, act: Entrench) -> Refusal | None:
        """7.4-01, -02, 6.5-04"""
        state, side = self._state, self._side
        if not pieces_of(act) or not all(is_group(state, group) for _, group in act.loose):
            return Illegal("TTLM-7.4-01", "nothing-to-entrench")
        if len(set(act.armies)) < len(act.armies) or len(dict(act.loose)) < len(act.loose):
            return Illegal("TTLM-7.4-01", "named-twice")
        for army in act.armies:
            if (refusal := self._why_army_stays_open(army)) is not None:
                return refusal
        for area, group in act.loose:
            if area not in state.pack.areas or not holds(open_infantry(state, side, area), group, state):
                return Illegal("TTLM-7.4-02", "cannot-entrench", {"place": area})
            inert = next((no for kind, _ in group if (no := inert_refusal(state, kind)) is not None), None)
            if (refusal := inert or self._why_not_in(area)) is not None:
                return refusal
        meta, bp = state.pack.meta, bp_for(state, state.dug[side] + pieces_of(act))
        if state.turn <= meta.early_entrench_turns and bp > meta.early_entrench_bp:
            most = meta.early_entrench_bp * meta.entrench_per_bp
            return Illegal("TTLM-7.4-01", "too-many-entrenched", {"most": most})
        return None

    def _why_army_stays_open(self, army: str) -> Refusal | None:
        state = self._state
        if state.pack.side_of.get(army) != self._side or army not in state.army_at:
            return Illegal("TTLM-7.4-02", "not-own-army", {"army": army})
        if army in state.entrenched or not state.contents[army]:
            reason = "entrenched-already" if army in state.entrenched else "empty-army"
            return Illegal("TTLM-7.4-02", reason, {"army": army})
        return inert_refusal(state, army) or self._why_not_in(state.army_at[army])

    def _why_not_in(self, area: str) -> Refusal | None:
        """4.7-02, 6.5-04 Trenches are dug on the map; by unsupplied units too, unless it was agreed not."""
        if area == BOX:
            return Illegal("TTLM-4.7-02", "not-in-the-box")
        if not self._state.options["unsupplied_may_entrench"] and area not in supplied(
            self._state, self._side
        ):
            return Illegal("TTLM-6.5-04", "not-supplied", {"area": area})
        return None

    def _why_not_fortify(self, act: Fortify) -> Refusal | None:
        """7.6-06"""
        state = self._state
        if not state.options["fortify"]:
            return Illegal("TTLM-7.6-06", "option-off", {"option": "fortify"})
        if state.turn < (first := state.pack.meta.fortify_first_turn):
            return Illegal("TTLM-7.6-06", "not-yet", {"turn": first})
        if state.pack.side_of.get(act.army) != self._side or act.army not in state.army_at:
            return Illegal("TTLM-7.6-06", "not-own-army", {"army": act.army})
        if act.army not in state.entrenched or act.army in state.fortified:
            reason = "fortified-already" if act.army in state.fortified else "not-entrenched"
            return Illegal("TTLM-7.6-06", reason, {"army": act.army})
        return None

    # -------------------------------------------------------- offers

    def sample(self, rng: Rng) -> Answer:
        """A kind of purchase at random, then one of it; no more if there is none."""
        ways = _SAMPLES[min(n for n in range(len(_SAMPLES)) if self._stage <= _SAMPLES[n][0]) :]
        return rng.choice(ways)[1](self._state, self._side, rng, self) or DONE

    def only(self) -> tuple[Answer] | None:
        return None

    def describe(self) -> Sequence[Answer]:
        """One unit of each kind in each place, every army, every single entrenchment, cards; no shifts."""
        acts: list[ProductionAct] = [DONE, *self._offers()]
        return [act for act in acts if self.why_not(act) is None]

    def _offers(self) -> list[ProductionAct]:
        state, side = self._state, self._side
        areas = receiving_areas(state, side)
        acts: list[ProductionAct] = [Upgrade(*place) for place in upgradable(state)] if side == "GE" else []
        acts += [Rebuild(army, area) for army in rebuildable(state, side) for area in areas]
        kinds = [kind for kind, ids in state.pack.kinds.items() if state.pack.side_of[ids[0]] == side]
        for area in areas:
            places = (LOOSE, *state.armies(area, side))
            acts += [Build(area, ((kind, 1),), into) for kind in kinds for into in places]
        acts += [Entrench(armies=(army,)) for army in state.pack.armies_of[side]]
        for area in state.pack.areas:
            groups = state.grouped(open_infantry(state, side, area))
            acts += [Entrench(loose=((area, ((kind, 1),)),)) for kind, _ in groups]
        acts += [Fortify(army) for army in state.pack.armies_of[side]]
        return [*acts, *(Buy(number) for number in range(1, state.points[side] + 1))]


def upgradable(state: State) -> list[tuple[str, str]]:
    """7.5-01 Places with a German infantry, on the map or in an army."""
    kind = state.pack.kind_of
    loose = [(a, LOOSE) for a in state.loose if any(kind[u] == "GE.I" for u in state.loose[a])]
    armies = state.army_at.items()
    return loose + [(at, army) for army, at in armies if any(kind[u] == "GE.I" for u in state.contents[army])]


def rebuildable(state: State, side: Side) -> list[str]:
    """7.3-01, -03, 15.4.1 Eliminated armies and dissolved ones; those that never arrived are neither."""
    side_of = state.pack.side_of
    return [army for army in (*state.eliminated, *state.dissolved) if side_of[army] == side]


# ------------------------------------------------------------------ at random

Sampled = Callable[[State, Side, Rng, Purchases], ProductionAct | None]


def _some_upgrade(state: State, side: Side, rng: Rng, options: Purchases) -> ProductionAct | None:
    places = upgradable(state) if side == "GE" and state.turn >= first_build_turn(state, "GE.S") else []
    return _legal(Upgrade(*rng.choice(places)), options) if places else None


def _some_rebuilding(state: State, side: Side, rng: Rng, options: Purchases) -> ProductionAct | None:
    if not (armies := rebuildable(state, side)):
        return None
    army = rng.choice(armies)
    homes = state.pack.home_areas[state.pack.armies[army].nation]
    return _legal(Rebuild(army, rng.choice(homes)), options)


def _some_units(state: State, side: Side, rng: Rng, options: Purchases) -> ProductionAct | None:
    nation = rng.choice(state.pack.sides[side].nations)
    if not (pool := state.pool[nation]):
        return None
    kind = state.pack.kind_of[rng.choice(pool)]
    if state.turn < first_build_turn(state, kind):
        return None
    most = state.points[side] // state.pack.types[kind.partition(".")[2]].cost
    units = available(state, *kind.split("."))[:most]
    units = units[: 1 + rng.randrange(len(units))] if units and rng.random() < 0.3 else units[:1]
    if not units or (place := any_place(state, side, units, rng)) is None:
        return None
    return Build(place[0], ((kind, len(units)),), place[1])


def _some_shift(state: State, side: Side, rng: Rng, options: Purchases) -> ProductionAct | None:
    return some_shift(state, side, rng)


def _some_trenches(state: State, side: Side, rng: Rng, options: Purchases) -> ProductionAct | None:
    armies = [a for a in state.army_at if state.pack.side_of[a] == side and a not in state.entrenched]
    armies = [army for army in armies if rng.random() < 0.3]
    areas = [area for area, units in state.loose.items() if units and rng.random() < 0.3]
    loose = tuple(
        (area, ((state.pack.kind_of[there[0]], 1),))
        for area in sorted(areas)
        if (there := open_infantry(state, side, area))
    )
    return _legal(Entrench(tuple(armies), loose), options)


def _some_fortress(state: State, side: Side, rng: Rng, options: Purchases) -> ProductionAct | None:
    if not state.options["fortify"]:
        return None
    return _legal(Fortify(rng.choice(state.pack.armies_of[side])), options)


def _some_cards(state: State, side: Side, rng: Rng, options: Purchases) -> ProductionAct | None:
    return Buy(1 + rng.randrange(points)) if (points := state.points[side]) else None


def _legal(act: ProductionAct, options: Purchases) -> ProductionAct | None:
    return act if options.contains(act) else None


_SAMPLES: tuple[tuple[int, Sampled], ...] = (  # units and cards come up more often than the rest
    (0, _some_upgrade),
    (1, _some_rebuilding),
    (2, _some_units),
    (2, _some_units),
    (2, _some_units),
    (2, _some_units),
    (2, _some_units),
    (3, _some_shift),
    (4, _some_trenches),
    (4, _some_fortress),
    (5, _some_cards),
)


# ------------------------------------------------------------------ without a word


def usual_purchase(state: State, side: Side, stage: int, then: Mapping[str, Status]) -> ProductionAct:
    """D51 Cards up to the limit of the hand are set aside; the rest buys infantry for supplied armies in
    areas that were Disputed `then`, before anybody bought, the weakest first.
    """
    limit = state.pack.turns[state.turn].hand[side]
    wanted = max(0, limit - len(state.hands[side]) - state.bought[side])
    cards = min(wanted, state.points[side] // state.pack.meta.card_cost)
    spare = state.points[side] - cards * state.pack.meta.card_cost
    if stage <= STAGES[Build] and spare and (build := _front_infantry(state, side, spare, then)):
        return build
    return Buy(cards) if cards else DONE


def _front_infantry(state: State, side: Side, points: int, then: Mapping[str, Status]) -> Build | None:
    armies = [a for a in state.pack.armies_of[side] if state.army_area(a) not in ("", BOX)]
    front = [a for a in armies if then[state.army_at[a]] == "disputed"]
    for army in sorted(front, key=lambda army: len(state.contents[army])):
        kind, area = f"{state.pack.armies[army].nation}.I", state.army_at[army]
        if state.turn < first_build_turn(state, kind):
            continue
        units = available(state, *kind.split("."))
        for number in range(min(points, len(units), free_slots(state, army, infantry=True)), 0, -1):
            if why_no_units_here(state, side, units[:number], area, army) is None:
                return Build(area, ((kind, number),), army)
    return None
