"""2.I, 8.2.3, 14.2 The beginning of a season: who plays first, what arrives, where it goes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.games.to_the_last_man import order_of_play
from engine.games.to_the_last_man.answers import (
    DONE,
    LOOSE,
    Done,
    Group,
    Place,
    PlacingGiven,
    ReinforceAct,
    Shift,
    Side,
    SideGiven,
    Swap,
)
from engine.games.to_the_last_man.facts.board import kinds
from engine.games.to_the_last_man.facts.force import (
    ArmyArrived,
    ReinforcementsDue,
    UnitReplaced,
    UnitsPlaced,
)
from engine.games.to_the_last_man.facts.season import FirstPlayerChosen, SeasonBegan
from engine.games.to_the_last_man.rules.areas import settle, status
from engine.games.to_the_last_man.rules.armies import shift, why_not_shift
from engine.games.to_the_last_man.rules.cards import CardLists, discard_cards, hand
from engine.games.to_the_last_man.rules.instead import with_legal
from engine.games.to_the_last_man.rules.marching import is_group
from engine.games.to_the_last_man.rules.neutrals import is_neutral
from engine.games.to_the_last_man.rules.pieces import eyes, holds, pick
from engine.games.to_the_last_man.rules.placing import (
    any_place,
    fitting,
    free_slots,
    receiving_areas,
    some_shift,
    why_no_army_here,
    why_no_units_here,
)
from engine.games.to_the_last_man.rules.victory import count_victory
from engine.games.to_the_last_man.state import BOX, ENGLAND, INFANTRY, SIDES, State
from engine.kernel.concurrent import run_concurrently
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Choice, Options, Procedure, Rng, Seat, Step, Together

SHOCK, INFANTRYMEN = "S", "I"  # 8.2.2-08 what takes the place of missing Stosstruppen
CAPITALS = {"GE": "COL", "FR": "PAR", "UK": ENGLAND, "US": "PAR"}  # D04 where an army appears without a word


def begin_season(state: State, turn: int) -> Procedure:
    """2.VI, 14.2, 2.I The marker moves on; bids; reinforcements of both sides, sealed, Germany's first."""
    yield SeasonBegan(turn, state.pack.meta.first_player)
    if (yield from count_victory(state)):
        return None
    key = order_of_play.reinforcements(turn).key
    if state.options["initiative_bidding"]:
        yield from bid_for_initiative(state, key)
    if turn > state.first_turn or state.pack.scenarios[state.scenario].reinforcements_on_first_turn:
        for side in SIDES:
            yield from bring_up(state, side)
        yield from run_concurrently(*(place_reinforcements(state, side, key) for side in SIDES))
    return order_of_play.player_turn(turn, 1, state.first)


# ------------------------------------------------------------------ 14.2


def bid_for_initiative(state: State, key: str) -> Step:
    """14.2-01 Who commits more cards says who plays first; a tie leaves it to Germany and costs nothing."""
    limit = state.pack.meta.bid_limit
    asks = []
    for side in SIDES:
        options = CardLists(hand(state, side), 0, limit, "TTLM-14.2-01")
        asks.append(Ask(Seat(side), "season.bid", key, SideGiven(side), options, default=(), secret=True))
    bids = dict(zip(SIDES, (yield Together(tuple(asks))), strict=True))
    numbers = {side: len(bids[side]) for side in SIDES}
    if numbers["GE"] == numbers["EN"]:
        yield FirstPlayerChosen(state.pack.meta.first_player, tuple(numbers.items()))
        return
    winner: Side = "GE" if numbers["GE"] > numbers["EN"] else "EN"
    for side in SIDES:
        yield from discard_cards(state, side, bids[side], "bid")
    options_ = Choice(SIDES, "TTLM-14.2-01", "ge-or-en")
    first = yield Ask(Seat(winner), "season.first", key, SideGiven(winner), options_, default=winner)
    yield FirstPlayerChosen(first, tuple(numbers.items()))


# ------------------------------------------------------------------ what arrives


def bring_up(state: State, side: Side) -> Step:
    """2.I-01, -02 The turn's armies and units; what the pool does not hold is lost."""
    pack, turn = state.pack, state.pack.turns[state.turn]
    armies = tuple(army for army in turn.armies if pack.side_of[army] == side)
    units: list[str] = []
    lost: dict[str, int] = {}
    for nation in pack.sides[side].nations:
        for type_, number in turn.reinforcements.get(nation, {}).items():
            found = available(state, nation, type_, units)[:number]
            if type_ == SHOCK:  # 8.2.2-08 missing Stosstruppen come as infantry
                found += available(state, nation, INFANTRYMEN, units)[: number - len(found)]
            units += found
            if len(found) < number:
                lost[f"{nation}.{type_}"] = number - len(found)
    if armies or units or lost:
        missing = tuple(sorted(lost.items()))
        yield ReinforcementsDue(side, armies, tuple(sorted(units)), missing, eyes(state, side))


def available(state: State, nation: str, type_: str, but: Sequence[str] = ()) -> list[str]:
    """1.4-02, 8.3.4-01 Counters of that type in the pool; biplanes only of years that have come."""
    units = state.pack.units
    return [
        unit
        for unit in state.pool[nation]
        if units[unit].type == type_ and units[unit].year <= state.year and unit not in but
    ]


def due_corps(state: State) -> tuple[str, ...]:
    """8.2.3-03, -04 Commonwealth corps whose turn has come, also those that had to wait."""
    if is_neutral(state, "UK"):
        return ()
    return tuple(c for c in state.corps if state.pack.commonwealth[c].turn <= state.turn)


def held_units(state: State, side: Side) -> list[str]:
    return [piece for piece in state.held[side] if piece in state.pack.units]


def held_armies(state: State, side: Side) -> list[str]:
    return [piece for piece in state.held[side] if piece in state.pack.armies]


def place_reinforcements(state: State, side: Side, key: str) -> Step:
    """2.I-01, -05 to -08 Act by act, until nothing more is wanted; the rest is held for a later season."""
    while True:
        corps = due_corps(state) if side == "EN" else ()
        given = PlacingGiven(side, tuple(held_armies(state, side)), kinds(held_units(state, side)), corps)
        options = ReinforceOptions(state, side)
        default = first_placement(state, side)
        act = yield Ask(Seat(side), "reinforce", key, given, options, default=default, secret=True)
        if isinstance(act, Done):
            return
        yield from carry_out(state, side, act)


def carry_out(state: State, side: Side, act: ReinforceAct) -> Step:
    match act:
        case Place(area=area, army=army) if army:
            yield ArmyArrived(side, army, area, rebuilt=False)
        case Place(area=area, units=group, into=into):
            units = pick(state, held_units(state, side), group)
            yield UnitsPlaced(side, units, area, into, built=False, audience=eyes(state, side))
            yield from settle(state, area)
        case Swap():
            yield from swap_corps(state, act)
        case Shift():
            yield from shift(state, side, act)


def swap_corps(state: State, act: Swap) -> Step:
    """8.2.3-03, -04 The corps takes place and entrenched state of a UK infantry, which goes to the pool."""
    there = swappable(state, act.area, act.into)
    old = min(there, key=lambda unit: (unit not in state.entrenched, unit))
    dug_in = old in state.entrenched
    yield UnitReplaced("EN", old, act.corps, act.area, act.into, dug_in, eyes(state, "EN"))


def swappable(state: State, area: str, army: str) -> list[str]:
    """UK infantry in that place."""
    if army != LOOSE and state.army_area(army) != area:
        return []
    return [unit for unit in state.in_place(area, army, "EN") if state.pack.kind_of[unit] == "UK.I"]


def swap_places(state: State) -> list[tuple[str, str]]:
    """D06 Where a corps may go: the usual choice first."""
    armies = [(at, army) for army, at in state.army_at.items() if swappable(state, at, army)]
    loose = [(area, LOOSE) for area in state.loose if swappable(state, area, LOOSE)]
    front = [place for place in armies if status(state, place[0], "EN") == "disputed"]
    return front + sorted(place for place in (*armies, *loose) if place not in front)


# ------------------------------------------------------------------ choices


class ReinforceOptions(Options):
    """2.I Place an army or units of one kind, swap a corps, rearrange armies, or no more."""

    __slots__ = ("_side", "_state")

    def __init__(self, state: State, side: Side) -> None:
        self._state, self._side = state, side

    def contains(self, answer: Answer) -> bool:
        return self._refused(answer) is None

    def why_not(self, answer: Answer) -> Refusal | None:
        refusal = self._refused(answer)
        waits = refusal is not None and refusal.reason == "does-not-arrive"
        return with_legal(refusal, self._waiting if waits else lambda: self._instead(answer))

    def _waiting(self) -> Iterable[str]:
        """Armies, kinds of units and corps that are to be placed."""
        state, side = self._state, self._side
        corps = due_corps(state) if side == "EN" else ()
        kinds = [kind for kind, _ in state.grouped(held_units(state, side))]
        return [*held_armies(state, side), *kinds, *corps]

    def _instead(self, act: ReinforceAct) -> Iterable[str]:
        """Places or armies in which the same would do."""
        state, side = self._state, self._side
        match act:
            case Place(army=army) if army:
                areas = receiving_areas(state, side)
                return [area for area in areas if self.contains(replace(act, area=area))]
            case Place():
                return fitting(state, side, act, self.contains)
            case Swap():
                return [into or area for area, into in swap_places(state)]
            case _:
                return ()

    def _refused(self, answer: Answer) -> Refusal | None:
        match answer:
            case Done():
                return None
            case Place(army=army) if army:
                return self._why_not_army(answer)
            case Place():
                return self._why_not_units(answer)
            case Swap():
                return self._why_not_swap(answer)
            case Shift():
                return why_not_shift(self._state, self._side, answer)
            case _:
                return Illegal("TTLM-2.I-01", "not-an-act")

    def _why_not_army(self, act: Place) -> Refusal | None:
        if act.army not in held_armies(self._state, self._side):
            return Illegal("TTLM-2.I-01", "does-not-arrive", {"army": act.army})
        if act.units or act.into:
            return Illegal("TTLM-2.I-01", "one-kind-at-a-time")
        return why_no_army_here(self._state, self._side, act.army, act.area)

    def _why_not_units(self, act: Place) -> Refusal | None:
        state, waiting = self._state, held_units(self._state, self._side)
        if len(act.units) != 1 or not is_group(state, act.units):
            return Illegal("TTLM-2.I-01", "one-kind-at-a-time")
        if not holds(waiting, act.units, state):
            ((kind, number),) = act.units
            return Illegal("TTLM-2.I-01", "does-not-arrive", {"unit": kind, "number": number})
        return why_no_units_here(state, self._side, pick(state, waiting, act.units), act.area, act.into)

    def _why_not_swap(self, act: Swap) -> Refusal | None:
        state = self._state
        if self._side != "EN" or act.corps not in due_corps(state):
            return Illegal("TTLM-8.2.3-03", "does-not-arrive", {"unit": act.corps})
        if act.area not in state.pack.areas or not swappable(state, act.area, act.into):
            return Illegal("TTLM-8.2.3-03", "no-uk-infantry-there", {"area": act.area})
        return None

    def sample(self, rng: Rng) -> Answer:
        """Mostly something that waits; now and then a shift."""
        state, side = self._state, self._side
        if state.held[side] and rng.random() < 0.85:
            return self._some_placing(rng) or DONE
        if side == "EN" and (corps := due_corps(state)) and rng.random() < 0.5:
            places = swap_places(state)
            return Swap(rng.choice(corps), *rng.choice(places)) if places else DONE
        if rng.random() < 0.4:
            return some_shift(state, side, rng) or DONE
        return DONE

    def _some_placing(self, rng: Rng) -> Place | None:
        state, side = self._state, self._side
        piece = rng.choice(state.held[side])
        if piece in state.pack.armies:
            good = self._areas_for(piece)
            return Place(rng.choice(good), army=piece) if good else None
        kind = state.pack.kind_of[piece]
        alike = [unit for unit in held_units(state, side) if state.pack.kind_of[unit] == kind]
        number = 1 + rng.randrange(len(alike))
        if (place := any_place(state, side, alike[:number], rng)) is None:
            return None
        return Place(place[0], units=((kind, number),), into=place[1])

    def _areas_for(self, army: str) -> list[str]:
        state, side = self._state, self._side
        return [a for a in receiving_areas(state, side) if why_no_army_here(state, side, army, a) is None]

    def only(self) -> tuple[Answer] | None:
        return None

    def describe(self) -> Sequence[Answer]:
        """Every army and every single unit in each place, every swap; of the shifts none."""
        state, side = self._state, self._side
        areas = receiving_areas(state, side)
        acts: list[Answer] = [DONE]
        acts += [Place(a, army=army) for army in held_armies(state, side) for a in self._areas_for(army)]
        single: list[Group] = [((kind, 1),) for kind, _ in kinds(held_units(state, side))]
        for group in single:
            for area in areas:
                places = [Place(area, units=group, into=at) for at in (LOOSE, *state.armies(area, side))]
                acts += [act for act in places if self._why_not_units(act) is None]
        if side == "EN":
            acts += [Swap(corps, *place) for corps in due_corps(state) for place in swap_places(state)]
        return acts


def first_placement(state: State, side: Side) -> ReinforceAct:
    """D04, D06 What happens without a word: swaps, armies, then units into armies; the rest is held."""
    if side == "EN" and (corps := due_corps(state)) and (places := swap_places(state)):
        return Swap(corps[0], *places[0])
    for army in held_armies(state, side):
        nation = state.pack.armies[army].nation
        homes = [area for area in state.pack.home_areas[nation] if status(state, area, side) == "friendly"]
        for area in (CAPITALS.get(nation, ""), *homes):
            if area and why_no_army_here(state, side, army, area) is None:
                return Place(area, army=army)
    for kind, number in kinds(held_units(state, side)):
        if (place := roomiest_army(state, side, kind, number)) is not None:
            return place
    return DONE


def roomiest_army(state: State, side: Side, kind: str, number: int) -> Place | None:
    """The army with most free slots that may take some of them, and as many as it may."""
    alike = [unit for unit in held_units(state, side) if state.pack.kind_of[unit] == kind]
    infantry = state.pack.type_of[alike[0]] in INFANTRY
    armies = [army for army in state.pack.armies_of[side] if state.army_area(army) not in ("", BOX)]
    for army in sorted(armies, key=lambda army: -free_slots(state, army, infantry)):
        area = state.army_at[army]
        for taken in range(min(number, free_slots(state, army, infantry)), 0, -1):
            if why_no_units_here(state, side, alike[:taken], area, army) is None:
                return Place(area, units=((kind, taken),), into=army)
    return None
