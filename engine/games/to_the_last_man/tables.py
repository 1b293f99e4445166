"""The printed matter of the game: one strict row type for each table of the pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, PlainSerializer, StringConstraints
from pydantic.dataclasses import dataclass

from engine.games.to_the_last_man.answers import Side
from engine.kernel.pack import STRICT, FrozenMap, Labels, Names, PackTable, Row, Schema, Text

Nation: TypeAlias = Literal["BE", "FR", "GE", "UK", "US"]
Country: TypeAlias = Literal["BE", "FR", "GE", "UK", "LU"]
Type: TypeAlias = Literal["I", "CW", "S", "C", "A", "G", "B", "T", "P"]
Season: TypeAlias = Literal["SPRING", "SUMMER", "AUTUMN", "WINTER"]
AreaId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
ArmyId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^(BE|FR|GE|UK|US)([1-9][0-9]?|C)$")]
CardId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]{2}$")]
UnitId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^(BE|FR|GE|UK|US)\.[A-Z]{1,2}\.[0-9]{2}$")]
Slug: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")]
TurnNumber: TypeAlias = Annotated[int, Field(ge=1, le=23)]
Year: TypeAlias = Annotated[int, Field(ge=1914, le=1919)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=99)]
Fire: TypeAlias = Annotated[int, Field(ge=0, le=6)]  # hits on that number or less; 0 = does not fire
Units: TypeAlias = FrozenMap[Type, Annotated[int, Field(ge=1, le=99)]]
UnitsByNation: TypeAlias = Annotated[
    Mapping[Nation, Units],
    AfterValidator(MappingProxyType),
    PlainSerializer(lambda rows: {nation: dict(units) for nation, units in rows.items()}),
]
Vp: TypeAlias = Annotated[int, Field(ge=-99, le=99)]

NATIONS: tuple[Nation, ...] = ("BE", "FR", "GE", "UK", "US")  # 0-09 the order of dice
TYPES: tuple[Type, ...] = ("I", "CW", "S", "C", "A", "G", "B", "T", "P")
SIDES: tuple[Side, ...] = ("GE", "EN")  # 1.3-05
ENGLAND, BOX = "ENG", "EFT"  # places beside the map


# ------------------------------------------------------------------ game.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Meta(Row):
    """Numbers that the rules' own sentences give, and what the box holds."""

    game: Literal["ttlm"]
    names: Names
    first_player: Side
    die_sides: Literal[6]
    turns: Count
    areas: Count  # on the map, England included, the transit box not
    cards: Count
    offensive_cards: Count
    stacking_limit: Count
    rail_moves: Count
    rail_range: Count
    strategic_moves: Count
    strategic_moves_first_turn: Count
    sea_moves: Count
    entrench_per_bp: Count
    early_entrench_bp: Count  # 7.4 most BPs for entrenching …
    early_entrench_turns: Count  # … on the first so many turns
    upgrade_cost: Count
    upgrades_per_production: Count
    army_cost: Count
    card_cost: Count
    fortify_cost: Count
    fortify_first_turn: TurnNumber
    fortified_fire: Fire
    fort_fire: Fire
    biplanes_per_army: Count
    eft_bp_per_vp: Count
    eft_vp_last_turn: TurnNumber
    eft_bp_per_loss_die: Count
    eft_loss_face: Fire
    crisis_cards_leave_turn: TurnNumber
    bid_limit: Count
    materiel_first_turn: TurnNumber
    materiel_fire: Fire
    materiel_fire_with_gas: Fire


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class SideData(Row):
    id: Side
    names: Names
    nations: Annotated[tuple[Nation, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class NationData(Row):
    id: Nation
    names: Names
    side: Side
    home: Annotated[tuple[Country, ...], Field(min_length=1)]  # 7.3 where its armies are rebuilt
    bound: bool  # 2.I-04 its units too appear at home only


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Options(Row):
    """Optional rules and whether they hold if nobody says otherwise."""

    length: Literal["campaign", "short"]
    hidden_army_templates: bool
    hidden_hand_size: bool
    historical_starting_cards: bool
    defender_scramble: bool
    initiative_bidding: bool
    antwerp_supply: bool
    antwerp_evacuation: bool
    counter_attack: bool
    suppress_armies: bool
    fortify: bool
    uk_materiel_superiority: bool
    free_game: bool
    linked_at_all_costs: bool


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Rulings(Row):
    """Rulings that can be switched, and how they stand if nobody says otherwise."""

    hand_limit: Literal["current", "next"]  # 2.V.3-01 the turn whose limit the excess is counted by
    uk_in_england: Literal["armies", "all"]  # 2.I-03 what of the UK must appear in England
    weather_stops_gas: Literal["both", "attacker"]  # 9.3-03
    unsupplied_may_entrench: bool  # 6.5-04


# ------------------------------------------------------------------ map.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Area(Row):
    id: AreaId
    names: Names
    country: Country
    vp: Annotated[int, Field(ge=0, le=9)]
    supply: Literal["", "GE", "EN"]
    coastal: bool
    rough: bool
    adjacent: tuple[AreaId, ...]  # sorted
    aliases: tuple[Text, ...] = ()
    neutral_in_free_game: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Borders(Row):
    """Every border once: the same as the areas' own lists, written the other way round."""

    edges: tuple[Annotated[tuple[AreaId, ...], Field(min_length=2, max_length=2)], ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Zones(Row):
    """Sets of areas that a rule names."""

    german_sources: tuple[AreaId, ...]
    entente_sources: tuple[AreaId, ...]
    coastal_sources: tuple[AreaId, ...]  # 4.6 where UK Sea Movement lands
    rough: tuple[AreaId, ...]
    paris_gun: tuple[AreaId, ...]  # 8.3.6-02


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Fort(Row):
    area: AreaId
    names: Names
    nation: Nation
    strength: Annotated[int, Field(ge=0, le=9)]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class FortTotals(Row):
    """8.4 How many forts each nation has, and the sum of their printed strengths."""

    forts: FrozenMap[Nation, Count]
    strength: FrozenMap[Nation, Count]


# ------------------------------------------------------------------ units.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class UnitType(Row):
    """8.2, 8.3 Firepower is the highest face that hits; 0 means that the type does not fire then."""

    id: Type
    names: Names
    cls: Literal["infantry", "auxiliary"]
    move: Annotated[int, Field(ge=1, le=2)]
    off: Fire
    defence: Fire
    entrenched: Fire  # in defence, in trenches
    cost: Count
    entrench: bool
    controls: bool
    can_retreat: bool
    volleys: Annotated[int, Field(ge=0, le=2)]  # fire steps of its side's own attack
    raid: Fire = 0  # 8.3.1-04, -07 raiding and pursuit fire
    forces_retreat: bool = False
    fires_in_rough: bool = True
    fires_at_forts_only: bool = False
    can_be_lost: bool = True
    first_build_turn: FrozenMap[Nation, TurnNumber]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Pool(Row):
    """11.1-01 The counters of a nation: a hard limit."""

    nation: Nation
    armies: Count
    forts: Count
    units: Units


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class BiplaneYears(Row):
    """8.3.4-01 The year printed on each biplane counter."""

    nation: Nation
    years: tuple[Year, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Commonwealth(Row):
    """8.2.3 The corps that take the place of a UK infantry unit."""

    id: UnitId
    names: Names
    turn: TurnNumber


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class ArtilleryCap(Row):
    """8.3.2-03 The most artillery units one army may hold, by year."""

    nation: Nation
    years: FrozenMap[Annotated[str, StringConstraints(pattern=r"^19(14|15|16|17|18|19)$")], Count]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Template(Row):
    """1.4-01 Slots of an army."""

    nation: Nation
    inf: Count
    aux: Count


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Army(Row):
    id: ArmyId
    names: Names
    nation: Nation
    entry_turn: Annotated[int, Field(ge=0, le=23)]  # 0: on the map when the war begins


# ------------------------------------------------------------------ cards.toml


@dataclass(frozen=True, slots=True, config=STRICT)
class Bonus:
    """9.1.3 to 9.1.6 Extra dice of a special offensive, in areas that hold an army of that nation."""

    nation: Nation
    type: Literal["A", "S", "T"]
    fire: Fire
    dice: Count
    areas: Count


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class CardKind(Row):
    id: CardId
    names: Names
    count: Count
    group: Literal["offensive", "ersatz", "combat", "weather", "reserves", "surprise", "crisis"]
    special_for: Literal["", "GE", "EN"]  # "": both alike
    first_turn: TurnNumber
    ersatz: Annotated[int, Field(ge=1, le=3)]
    artillery_fire: Fire = 0  # 9.3, 9.4
    bonus: Bonus | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Crisis(Row):
    """9.8, 9.9 What a crisis card costs the other side in a year; in other years it is no event."""

    card: CardId
    year: Year
    names: Names
    remove: Count
    nations: Annotated[tuple[Nation, ...], Field(min_length=1)]
    types: Annotated[tuple[Type, ...], Field(min_length=1)]
    vp_if_short: Vp
    leaves_game: bool


# ------------------------------------------------------------------ charts.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Turn(Row):
    n: TurnNumber
    tag: Annotated[str, StringConstraints(pattern=r"^19(14|15|16|17|18|19)-(SP|SU|AU|WI)$")]
    names: Names
    season: Season
    year: Year  # 0-11 a winter belongs to the year in which it begins
    bp: FrozenMap[Side, Count]
    hand: FrozenMap[Side, Count]
    blockade: Annotated[int, Field(ge=-9, le=0)]
    reshuffle: bool
    armies: tuple[ArmyId, ...] = ()
    reinforcements: UnitsByNation


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class VpModifiers(Row):
    """3.1"""

    eliminated_entente_army: Vp
    eliminated_german_army: Vp
    eft: Vp  # for every full five build points in the box
    paris_gun: Vp


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Level(Row):
    """3.1-07 A step of the victory chart."""

    id: Slug
    names: Names
    min: Vp
    max: Vp
    rank: Annotated[int, Field(ge=-3, le=3)]  # > 0: a German victory
    ends_game: bool


# ------------------------------------------------------------------ scenarios.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Stack:
    """An army with what it holds, or loose units of one nation."""

    area: AreaId
    army: ArmyId | None = None
    nation: Nation | None = None
    units: Units = field(default_factory=lambda: MappingProxyType({}))
    entrenched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Scenario(Row):
    id: Annotated[str, StringConstraints(pattern=r"^19(14|15|16|17|18|19)$")]
    names: Names
    start_turn: TurnNumber
    end_turn_short: TurnNumber
    end_turn_campaign: TurnNumber
    reinforcements_on_first_turn: bool
    hands: FrozenMap[Side, Count]
    historical_cards: FrozenMap[Side, Annotated[tuple[CardId, ...], Field(min_length=2, max_length=2)]]
    cards_out: tuple[CardId, ...] = ()  # kinds that are not in the deck
    start_vp: Vp
    german: tuple[AreaId, ...]  # owned by Germany; all others by the Entente
    disputed: tuple[AreaId, ...] = ()
    forts: FrozenMap[AreaId, Annotated[int, Field(ge=0, le=9)]]
    apart: tuple[ArmyId, ...] = ()  # 4.6-06 loose infantry may not join these while both are in England
    stacks: Annotated[tuple[Stack, ...], Field(min_length=1)]


SCHEMA = Schema(
    tables=(
        PackTable("meta", "game.toml", Meta),
        PackTable("labels", "game.toml", Labels),
        PackTable("side", "game.toml", SideData, key=("id",)),
        PackTable("nation", "game.toml", NationData, key=("id",)),
        PackTable("options", "game.toml", Options),
        PackTable("rulings", "game.toml", Rulings),
        PackTable("area", "map.toml", Area, key=("id",)),
        PackTable("borders", "map.toml", Borders),
        PackTable("zones", "map.toml", Zones),
        PackTable("fort", "map.toml", Fort, key=("area",)),
        PackTable("fort_totals", "map.toml", FortTotals),
        PackTable("unit_type", "units.toml", UnitType, key=("id",)),
        PackTable("pool", "units.toml", Pool, key=("nation",)),
        PackTable("biplane_years", "units.toml", BiplaneYears, key=("nation",)),
        PackTable("commonwealth", "units.toml", Commonwealth, key=("id",)),
        PackTable("artillery_cap", "units.toml", ArtilleryCap, key=("nation",)),
        PackTable("template", "units.toml", Template, key=("nation",)),
        PackTable("army", "units.toml", Army, key=("id",)),
        PackTable("card", "cards.toml", CardKind, key=("id",)),
        PackTable("crisis", "cards.toml", Crisis, key=("card", "year")),
        PackTable("turn", "charts.toml", Turn, key=("n",)),
        PackTable("vp_modifiers", "charts.toml", VpModifiers),
        PackTable("level", "charts.toml", Level, key=("id",)),
        PackTable("scenario", "scenarios.toml", Scenario, key=("id",)),
    ),
    beside=frozenset({"rulebook.toml"}),
)
