"""SETUP, COOP What is agreed, and what lies where before the first token is dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_type_hints

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import Camp, Nation
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.state import State, Unit, board_in_play
from engine.games.trench_club.tables import OWN_UNIT, Options
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from engine.kernel.requests import Seat, Segment
from engine.kernel.setup import agree_options

SCENARIO = "standard"
PLAYERS = (1, 2, 4)
NO_CARDS, ALL_CARDS = "none", "all"
DEFAULT_NATIONS = {"solo": ("FR", "DE"), "duel": ("DE", "GB"), "coop": ("GB", "FR", "DE")}


def set_up(pack: Pack, settings: GameSettings) -> tuple[State, Segment]:
    """SETUP-5, 19 Every army in its box, every fort neutral."""
    state = empty_board(pack, settings)
    for nation, types in armies(state).items():
        for type_ in types:
            enlist(state, nation, type_)
    return state, order_of_play.setup()


def empty_board(pack: Pack, settings: GameSettings) -> State:
    """SETUP-1, 3, 4 Who plays, and where; not a unit anywhere."""
    options = agreed_options(pack, settings)
    people, automa = players(pack, settings.players, options)
    captain = people[0]
    camp_of = {
        nation: captain if options["coop"] and nation in people else nation
        for nation in pack.ring
        if nation in (*people, automa)
    }
    grid = pack.grids[board_in_play(options, camp_of)]
    ring = tuple(nation for nation in camp_of if camp_of[nation] == nation)
    return State(
        pack=pack,
        grid=grid,
        options=options,
        ring=ring,
        camp_of=camp_of,
        seats=people,
        automa=automa,
        forts={fort: "" for fort in pack.forts if fort in grid},
        money={camp: start_money(pack, camp_of, camp) for camp in ring},
    )


def start_money(pack: Pack, camp_of: Mapping[Nation, Camp], camp: Camp) -> int:
    """SETUP-20; COOP-6 of two nations the larger sum."""
    return max(pack.nations[nation].start_money for nation, one in camp_of.items() if one == camp)


def enlist(state: State, nation: Nation, type_: str) -> str:
    """A new unit, not on the board yet; numbers are never used again."""
    kind = f"{nation}.{state.pack.types[type_].code}"
    number = state.made[kind] = state.made.get(kind, 0) + 1
    unit = f"{kind}{number}"
    state.units[unit] = Unit(unit, nation, type_)
    return unit


# ------------------------------------------------------------------ armies


def armies(state: State) -> dict[Nation, list[str]]:
    """SETUP-5 One unit of each type on the sheet; AUTOMA-2, COOP-1 as the campaign says."""
    found = {nation: list(state.pack.sheet[nation]) for nation in state.camp_of}
    if state.options["coop"]:
        captain, partner = state.seats
        found.update(divided(state, captain, partner))
    if state.automa:
        nation, automa = state.pack.nations[state.automa], state.pack.automa
        extras = state.pack.automa_levels[state.options["automa_level"]]
        found[state.automa].remove(automa.without)
        found[state.automa] += [nation.own_unit if one == OWN_UNIT else one for one in extras]
    return found


def divided(state: State, captain: Nation, partner: Nation) -> dict[Nation, list[str]]:
    """COOP-1, 2 Each type once: the partner leads those that the campaign names, in his nation's version."""
    pack = state.pack
    chosen = partners_share(pack, partner, str(state.options["coop_partner"]))
    mine = [type_ for n, type_ in enumerate(pack.sheet[captain]) if pack.sheet[partner][n] not in chosen]
    return {captain: mine, partner: [type_ for type_ in pack.sheet[partner] if type_ in chosen]}


def partners_share(pack: Pack, partner: Nation, codes: str) -> list[str]:
    if not codes:
        return list(pack.sheet[partner][1::2])
    found = []
    for code in codes.upper().split():
        type_ = pack.type_of_code.get(code, "")
        if type_ not in pack.sheet[partner]:
            raise EngineError(f"option 'coop_partner': {code!r} is no unit of {partner}")
        found.append(type_)
    return found


# ------------------------------------------------------------------ what is agreed


def seat_names(pack: Pack, settings: GameSettings) -> tuple[Seat, ...]:
    people, _ = players(pack, settings.players, agreed_options(pack, settings))
    return tuple(Seat(nation) for nation in people)


def players(pack: Pack, number: int, options: Mapping[str, Any]) -> tuple[tuple[Nation, ...], Nation]:
    """SETUP-1, AUTOMA-1, COOP-1 The nations that people lead, in the order of seats, and the automa's."""
    if number == 4:
        return pack.ring, ""
    kind = "coop" if options["coop"] else ("solo" if number == 1 else "duel")
    named = tuple(str(options["nations"]).upper().split()) or DEFAULT_NATIONS[kind]
    check_nations(pack, named, kind)
    if kind == "duel":
        return tuple(nation for nation in pack.ring if nation in named), ""
    return named[:-1], named[-1]


def check_nations(pack: Pack, named: Sequence[str], kind: str) -> None:
    wanted = len(DEFAULT_NATIONS[kind])
    if len(named) != wanted or any(nation not in pack.nations for nation in named):
        known = ", ".join(pack.ring)
        raise EngineError(f"option 'nations': {' '.join(named)!r}; {wanted} of {known} are needed")
    teams = [pack.team_of[nation] for nation in named]
    friends, foe = teams[:-1], teams[-1]
    if len(set(named)) != wanted or foe in friends or len(set(friends)) != 1:
        raise EngineError(f"option 'nations': {' '.join(named)!r}; the last must be the others' enemy")


def agreed_options(pack: Pack, settings: GameSettings) -> dict[str, Any]:
    """Optional rules and switches of the rulings, complete; what was not agreed keeps its default."""
    agreed = agree_options(pack, settings, (SCENARIO,), PLAYERS, allowed_values)
    diceless = agreed["diceless"]
    if diceless not in (NO_CARDS, ALL_CARDS) and not set(diceless.split()) <= set(pack.nations):
        raise EngineError(f"option 'diceless': {diceless!r}; known: none, all, or nations")
    if agreed["coop"] and settings.players != 2:
        raise EngineError("option 'coop': two people play together against the automa")
    return agreed


def allowed_values(name: str) -> tuple[Any, ...]:
    """(): any value of the option's type."""
    hint = get_type_hints(Options)[name]
    return (False, True) if hint is bool else get_args(hint)
