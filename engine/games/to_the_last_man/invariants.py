"""What is true of every position, whatever was played.

`check` holds after every fact. `check_settled` holds wherever no rule is half done: at the seams and at every
question. (A move and the change of owner it brings are two facts.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Any, TypeAlias

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.rules.pieces import may_hold_nation
from engine.games.to_the_last_man.state import BOX, ENGLAND, INFANTRY, NATIONS, SIDES, State
from engine.games.to_the_last_man.windows import other
from engine.kernel.setup import check_each_once

Place: TypeAlias = tuple[str, Side]  # an area and who is there


def check(state: State) -> None:
    """Counters, armies and cards in exactly one place; stacking, templates, marks and tracks in order."""
    _check_counters(state)
    _check_armies(state)
    _check_places(state)


def _check_places(state: State) -> None:
    """All that is true of the pieces that are there."""
    _check_cards(state)
    _check_stacking(state)
    for army in state.contents:
        _check_template(state, army)
    _check_marks(state)
    _check_forts(state)
    _check_tracks(state)


def check_settled(state: State) -> None:
    """`check`, and owner and presence consistent (0-06)."""
    check(state)
    _check_owners(state)


def _check_owners(state: State) -> None:
    """0-06"""
    present, controlled = _held(state)
    for area, owner in state.owner.items():
        if area in (ENGLAND, BOX) or (owner == "" and state.options["free_game"]):
            continue
        for side in SIDES:
            alone = (area, side) in controlled and (area, other(side)) not in present
            assert not alone or owner == side, (
                f"{side} alone holds {area}, which belongs to {owner or 'nobody'}"
            )


def check_drawn(state: State, overrides: Mapping[str, Any]) -> None:
    """A position that somebody drew: pieces may be out of the way with `clear` and `pool_out` only.

    An army that should have come by now is missing otherwise: the turn's reinforcements are not lost.
    """
    if not overrides.get("clear"):
        come = state.turn - (overrides.get("phase") == "reinforce")
        elsewhere = {*state.army_at, *state.eliminated, *state.dissolved, *chain(*state.held.values())}
        for army, row in state.pack.armies.items():
            assert army in elsewhere or row.entry_turn > come, (
                f"{army} has come by then: name it in armies, eliminated, dissolved or held"
            )
    _check_places(state)
    _check_owners(state)


def _held(state: State) -> tuple[set[Place], set[Place]]:
    """0-03, 0-04 Where each side has presence, and where it controls."""
    pack = state.pack
    side_of, type_of, types = pack.side_of, pack.type_of, pack.types
    forts = {(area, pack.fort_side[area]) for area, strength in state.forts.items() if strength > 1}
    present, controlled = set(forts), set(forts)
    groups = [*state.loose.items(), *((state.army_at[army], units) for army, units in state.contents.items())]
    for area, units in groups:
        for unit in units:
            present.add((area, side_of[unit]))
            if types[type_of[unit]].controls:
                controlled.add((area, side_of[unit]))
    return present, controlled


# ------------------------------------------------------------------ counters and armies


def _check_counters(state: State) -> None:
    """11.1-01 The counters of the box, each in one place."""
    pack = state.pack
    places = {f"loose in {area}": units for area, units in state.loose.items()}
    places |= {f"in {army}": units for army, units in state.contents.items()}
    places |= {f"pool {nation}": units for nation, units in state.pool.items()}
    places |= {f"held {side}": [p for p in held if p in pack.units] for side, held in state.held.items()}
    places |= {"corps": state.corps}
    check_each_once("counter", places, _counters(pack))
    for nation, units in state.pool.items():
        assert all(pack.nation_of[unit] == nation for unit in units), f"a foreign counter in pool {nation}"
    for side, held in state.held.items():
        assert all(pack.side_of[piece] == side for piece in held), f"{side} holds a foreign reinforcement"
    assert all(unit in pack.commonwealth for unit in state.corps), "only Commonwealth corps wait for a swap"


def _check_armies(state: State) -> None:
    """Every army is on the map, eliminated, dissolved, held, or has not come yet."""
    pack = state.pack
    assert list(state.army_at) == list(state.contents), "armies on the map and armies with contents differ"
    held = [piece for pieces in state.held.values() for piece in pieces if piece in pack.armies]
    places = Counter([*state.army_at, *state.eliminated, *state.dissolved, *held])
    for army, row in pack.armies.items():
        assert places[army] <= 1, f"{army} is in {places[army]} places"
        assert places[army] or row.entry_turn >= state.turn, f"{army} is nowhere"
    assert set(places) <= set(pack.armies), "an unknown army"
    for army, area in state.army_at.items():
        assert area in pack.areas, f"{army} stands in {area}"


@cache
def _counters(pack: Pack) -> list[str]:
    return sorted(pack.units)


@cache
def _cards(pack: Pack) -> list[str]:
    return sorted(pack.cards)


def _check_template(state: State, army: str) -> None:
    """1.4-01, 8.1-02, 8.3.2-03, 8.3.4-02"""
    pack, nation = state.pack, state.pack.armies[army].nation
    units = state.contents[army]
    types = [pack.type_of[unit] for unit in units]
    infantry = sum(type_ in INFANTRY for type_ in types)
    template = pack.templates[nation]
    assert infantry <= template.inf, f"{army}: {infantry} infantry in {template.inf} slots"
    assert len(types) - infantry <= template.aux, f"{army}: too many auxiliaries for {template.aux} slots"
    assert types.count("A") <= pack.artillery_cap(nation, state.year), f"{army}: too much artillery"
    assert types.count("B") <= pack.biplanes_per_army, f"{army}: more than one biplane"
    for unit, type_ in zip(units, types, strict=True):
        assert may_hold_nation(nation, pack.nation_of[unit], type_), f"{unit} in {army}"


def _check_stacking(state: State) -> None:
    """1.2.2-04 Continuously; 4.6-05, 4.6-07, 4.7 and only some ever get to England and to the box."""
    limit, side_of, nation_of = state.pack.meta.stacking_limit, state.pack.side_of, state.pack.nation_of
    pieces = Counter((area, side_of[unit]) for area, units in state.loose.items() for unit in units)
    pieces.update((state.army_at[army], side_of[army]) for army, units in state.contents.items() if units)
    for (area, side), number in pieces.items():
        assert number <= limit or area == BOX, f"{number} pieces of {side} in {area}"
    for place, ours in ((ENGLAND, "UK"), (BOX, "GE")):
        pieces_there = [*state.loose[place], *(army for army, at in state.army_at.items() if at == place)]
        assert all(nation_of[piece] == ours for piece in pieces_there), f"only {ours} may be in {place}"


# ------------------------------------------------------------------ cards


def _check_cards(state: State) -> None:
    """1.3-01 Every card in the draw pile, the discard pile, a hand, or out of the game."""
    places = {f"hand {side}": cards for side, cards in state.hands.items()}
    places |= {"discard pile": state.discard, "removed": state.removed, "deck": sorted(state.deck)}
    check_each_once("card", places, _cards(state.pack))
    assert set(state.hands) == set(SIDES), "a hand is missing"
    if state.fresh:
        assert state.phasing, "fresh cards outside a Player Turn"
        assert set(state.fresh) <= set(state.hands[state.phasing]), "fresh cards that are not in hand"
    for side, laid in state.laid.items():
        for area, card in laid:
            assert card in state.pack.card_kinds, f"{side} laid {card}"
            assert area in state.pack.areas, f"{side} laid a card on {area}"


# ------------------------------------------------------------------ marks, forts, tracks


def _check_marks(state: State) -> None:
    """7.4-02, 7.6-06, 5.4-02 Only pieces on the map carry markers, each one of a kind."""
    pack = state.pack
    loose = {unit for units in state.loose.values() for unit in units}
    inside = {unit for units in state.contents.values() for unit in units}
    marks = {"entrenched": state.entrenched, "fortified": state.fortified, "retreated": state.retreated}
    for name, pieces in marks.items():
        assert pieces == sorted(set(pieces)), f"{name}: not sorted, or twice"
    for piece in state.entrenched:
        if piece not in state.army_at:
            assert piece in loose, f"{piece} is entrenched, but neither an army nor loose"
            assert pack.types[pack.type_of[piece]].entrench, f"{piece} cannot entrench"
    assert set(state.fortified) <= set(state.army_at) & set(state.entrenched), "fortified, but not entrenched"
    assert set(state.retreated) <= {*state.army_at, *loose, *inside}, "a marker on a piece off the map"


def _check_forts(state: State) -> None:
    """8.4-01, 8.4-06 Never stronger than printed; only one that was printed so has strength 0."""
    for area, strength in state.forts.items():
        printed = state.pack.forts[area].strength
        assert min(1, printed) <= strength <= printed, f"the fort of {area} has strength {strength}"


def _check_tracks(state: State) -> None:
    pack = state.pack
    assert list(state.owner) == list(pack.areas), "owners of unknown or missing areas"
    assert list(state.loose) == list(pack.areas), "loose units in unknown areas"
    assert list(state.pool) == list(NATIONS), "a pool is missing"
    assert state.owner[ENGLAND] != "GE", "England is German"
    assert state.owner[BOX] == "GE", "the box is not German"
    assert state.first_turn <= state.turn <= state.last_turn, f"turn {state.turn}"
    assert 0 <= state.passes <= 2, f"{state.passes} passes"
    for track in (state.points, state.dug, state.upgrades, state.bought):
        assert all(number >= 0 for number in track.values()), "a count below 0"
    limit = pack.meta.upgrades_per_production  # 7.5-01
    assert all(number <= limit for number in state.upgrades.values()), "too many upgrades"
    assert set(state.battles) <= set(pack.areas), "a battle in an unknown area"
    assert set(state.was_friendly) <= set(pack.areas)
