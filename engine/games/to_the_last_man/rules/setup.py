"""11.2, 11.3, 4.1-11, 12 Set-up: what is agreed, what lies where before the first season, and the deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from engine.games.to_the_last_man import order_of_play
from engine.games.to_the_last_man.answers import CardsGiven
from engine.games.to_the_last_man.facts.cards import CardTaken
from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.rules.cards import draw_cards, shuffle_deck
from engine.games.to_the_last_man.rules.pieces import holder
from engine.games.to_the_last_man.state import NATIONS, SIDES, State
from engine.games.to_the_last_man.tables import Options, Rulings, Scenario, Stack
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from engine.kernel.requests import Ask, Choice, Procedure, Seat, Segment, Step, Together
from engine.kernel.setup import agree_options

PLAYERS = 2


def set_up(pack: Pack, settings: GameSettings) -> tuple[State, Segment]:
    """11.3-01 A scenario's position before its first card is dealt."""
    state = empty_map(pack, settings)
    scenario = pack.scenarios[state.scenario]
    state.forts = {area: scenario.forts[area] for area in pack.areas if area in scenario.forts}
    for stack in scenario.stacks:
        set_down(state, stack)
    keep_armies_in_order(state)
    hold_back_corps(state)
    state.deck = [card for card, kind in pack.cards.items() if kind not in scenario.cards_out]
    state.removed = sorted(card for card, kind in pack.cards.items() if kind in scenario.cards_out)
    return state, order_of_play.set_up(state.turn)


def empty_map(pack: Pack, settings: GameSettings) -> State:
    """4.1-11 Owners and options of the scenario, every counter in its pool, no fort, no card."""
    options = agreed_options(pack, settings)
    scenario = pack.scenarios[settings.scenario]
    short = options["length"] == "short"
    return State(
        pack=pack,
        scenario=scenario.id,
        options=options,
        first_turn=scenario.start_turn,
        last_turn=scenario.end_turn_short if short else scenario.end_turn_campaign,
        turn=scenario.start_turn,
        first=pack.meta.first_player,
        owner={area: first_owner(pack, scenario, options, area) for area in pack.areas},
        loose={area: [] for area in pack.areas},
        pool={nation: list(pack.units_of[nation]) for nation in NATIONS},
        held={side: [] for side in SIDES},
        hands={side: [] for side in SIDES},
        laid={side: [] for side in SIDES},
        points=dict.fromkeys(SIDES, 0),
        dug=dict.fromkeys(SIDES, 0),
        upgrades=dict.fromkeys(SIDES, 0),
        bought=dict.fromkeys(SIDES, 0),
    )


def first_owner(pack: Pack, scenario: Scenario, options: Mapping[str, Any], area: str) -> Any:
    """4.1-11; 12-01 in the free game Belgium, Luxembourg and Britain belong to nobody yet."""
    if options["free_game"] and pack.areas[area].neutral_in_free_game:
        return ""
    return "GE" if area in scenario.german else "EN"


def set_down(state: State, stack: Stack) -> None:
    """An army with what it holds, or loose units, out of the pool."""
    nation = stack.nation or state.pack.armies[str(stack.army)].nation
    units = [unit for type_, number in stack.units.items() for unit in take(state, nation, type_, number)]
    if stack.army is None:
        state.loose[stack.area] = sorted([*state.loose[stack.area], *units])
        dug_in = [unit for unit in units if stack.entrenched and entrenches(state, unit)]
    else:
        state.army_at[stack.army], state.contents[stack.army] = stack.area, sorted(units)
        dug_in = [stack.army] if stack.entrenched else []
    state.entrenched = sorted([*state.entrenched, *dug_in])


def entrenches(state: State, unit: str) -> bool:
    """7.4-02 Among loose units only infantry but the Stosstruppen."""
    return state.pack.types[state.pack.type_of[unit]].entrench


def take(state: State, nation: str, type_: str, number: int) -> list[str]:
    """So many counters out of the pool, the first ones first: biplanes of the earliest years."""
    pool = state.pool[nation]
    units = [unit for unit in pool if state.pack.type_of[unit] == type_][:number]
    if len(units) < number:
        raise EngineError(f"{nation}: {number} more {type_}; only {len(units)} are left")
    for unit in units:
        pool.remove(unit)
    return units


def keep_armies_in_order(state: State) -> None:
    state.army_at = {army: state.army_at[army] for army in state.pack.armies if army in state.army_at}
    state.contents = {army: state.contents[army] for army in state.army_at}


def hold_back_corps(state: State) -> None:
    """8.2.3-03, -05 A Commonwealth corps that has not come yet lies in no pool; one that has is set up as
    other infantry is, or lies in the pool.
    """
    for unit, corps in state.pack.commonwealth.items():
        if corps.turn >= state.turn and unit in state.pool["UK"]:
            state.pool["UK"].remove(unit)
            state.corps.append(unit)


# ------------------------------------------------------------------ the deal


def deal(state: State, turn: int) -> Procedure:
    """11.2-01 The deck is shuffled; Germany draws, then the Entente."""
    if state.options["historical_starting_cards"]:
        yield from take_historical_cards(state)
    yield from shuffle_deck(state, tuple(state.deck))
    hands = state.pack.scenarios[state.scenario].hands
    for side in SIDES:  # 1.3-05
        yield from draw_cards(state, side, hands[side] - len(state.hands[side]))
    return order_of_play.reinforcements(turn)


def shuffle_anew(state: State, name: str, key: str, *args: int | str) -> Procedure:
    """1.3 Letters have told cards of the draw pile: in a course that begins before it has another order."""
    yield from shuffle_deck(state, tuple(state.deck))
    return Segment(name, key, args)


def take_historical_cards(state: State) -> Step:
    """11.2-03 Each side takes one of two; the other goes into the draw pile, which is shuffled then."""
    offered = state.pack.scenarios[state.scenario].historical_cards
    key = order_of_play.set_up(state.turn).key
    chosen = yield Together(
        tuple(
            Ask(
                Seat(side),
                "setup.take",
                key,
                CardsGiven(side, offered[side]),
                Choice(offered[side], "TTLM-11.2-03", "card-not-offered"),
                offered[side][0],
                secret=True,
            )
            for side in SIDES
        )
    )
    for side, kind in zip(SIDES, chosen, strict=True):
        card = next(card for card in state.pack.copies[kind] if card in state.deck)
        yield CardTaken(side, card, holder(side))


# ------------------------------------------------------------------ what is agreed


def seat_names() -> tuple[Seat, ...]:
    return tuple(Seat(side) for side in SIDES)


def agreed_options(pack: Pack, settings: GameSettings) -> dict[str, Any]:
    """Optional rules and switches of the rulings, complete; what was not agreed keeps its default."""
    agreed = agree_options(pack, settings, pack.scenarios, (PLAYERS,), allowed_values)
    if agreed["linked_at_all_costs"]:
        raise EngineError("option 'linked_at_all_costs': a game linked with another is not played here")
    return agreed


def allowed_values(name: str) -> tuple[Any, ...]:
    hints = get_type_hints(Options) | get_type_hints(Rulings)
    return (False, True) if hints[name] is bool else get_args(hints[name])
