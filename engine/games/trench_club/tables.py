"""The printed matter of the game: one strict row type for each table of the pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints
from pydantic.dataclasses import dataclass

from engine.board.hexes import Place
from engine.games.trench_club.answers import Direction
from engine.games.trench_club.state import Terrain
from engine.kernel.pack import STRICT, FrozenMap, Labels, Names, PackTable, Row, Schema, Text

NationId: TypeAlias = Literal["DE", "GB", "AH", "FR"]
TeamId: TypeAlias = Literal["central", "entente"]
HalfId: TypeAlias = Literal["1-6", "7-12"]
LevelId: TypeAlias = Literal["easy", "standard", "hard", "overkill"]
Klass: TypeAlias = Literal["foot", "vehicle", "tank", "gun", "air", "naval"]
Slug: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Code: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Hex: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z][1-9][0-9]?$")]
Letter: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z]$")]
Count: TypeAlias = Annotated[int, Field(ge=0, le=999)]
Few: TypeAlias = Annotated[int, Field(ge=0, le=99)]
Range: TypeAlias = Annotated[tuple[Few, ...], Field(max_length=2)]  # fewest and most hexes, or nothing
Values: TypeAlias = Annotated[tuple[Few, ...], Field(max_length=3)]  # by experience, or nothing
Row6: TypeAlias = Annotated[tuple[Few, ...], Field(min_length=6, max_length=6)]
Pair: TypeAlias = Annotated[tuple[Hex, ...], Field(min_length=2, max_length=2)]

OWN_UNIT = "own_unit"  # among an automa's extras: the nation's own
SYMBOLS: Mapping[str, Terrain] = MappingProxyType(
    {
        ".": "open",
        "=": "road",
        "#": "bridge",
        "^": "forest",
        "~": "water",
        "t": "trench",
        "F": "fort",
    }
)


# ------------------------------------------------------------------ game.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Meta(Row):
    """What the box holds."""

    game: Literal["trench"]
    names: Names
    dice_sides: Literal[12]
    army: Few
    hexes: Count
    half_hexes: Count
    forts: Few
    tokens: Few


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class TeamData(Row):
    id: TeamId
    names: Names
    nations: Annotated[tuple[NationId, ...], Field(min_length=2, max_length=2)]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class NationData(Row):
    """In clockwise order (SETUP-4)."""

    id: NationId
    names: Names
    gun: Slug
    own_unit: Slug
    tank_name: Text
    start_money: Few


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Options(Row):
    """Optional rules and switches of the rulings, and what holds if nobody says otherwise."""

    half: HalfId
    short_game: bool
    trench_rules: bool
    second_round: Literal["remaining", "any_two"]
    unit_limit: Few
    diceless: str
    engineers_in_special_deck: bool
    fort_pass_through: bool
    coop: bool
    automa_level: LevelId
    round_limit: Few
    nations: str
    coop_partner: str


# ------------------------------------------------------------------ units.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Armour(Row):
    """COMBAT-12 Fewest hits for 1, 2 … 6 points of damage."""

    id: Slug
    open: Row6
    forest: Row6


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class UnitType(Row):
    id: Slug
    code: Code
    code_fr: Code
    names: Names
    klass: Klass
    speed: Few  # half points
    range_ground: Range
    range_air: Range
    attack: Values
    attack_vs_tank: Values = ()
    attack_vs_foot: Values = ()
    attack_vs_air: Values = ()
    armour: Slug
    price: Few
    transportable: bool = False
    captures: bool = False
    scatter: bool = False
    lays_mines: bool = False
    builds: bool = False
    special: bool = False
    capacity: Few = 0
    pattern: Literal["", "arc2"] = ""


# ------------------------------------------------------------------ map.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Column(Row):
    id: Letter
    hexes: Annotated[str, StringConstraints(pattern=r"^[.=#^~tF]+$")]  # from north to south


def places(columns: Iterable[Column]) -> dict[str, Place]:
    """Doubled coordinates of every hex: columns B, D, F … reach half a hex higher."""
    return {
        f"{column.id}{row}": (x, 2 * row + (1 - x % 2))
        for x, column in enumerate(columns)
        for row in range(1, len(column.hexes) + 1)
    }


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Half(Row):
    id: HalfId
    first: Letter
    last: Letter


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Start(Row):
    id: Annotated[int, Field(ge=1, le=12)]
    hex: Hex


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Fort(Row):
    """FORT-1 The hexes in front of its two entrances."""

    id: Hex
    left: Pair
    right: Pair

    @property
    def approaches(self) -> tuple[str, ...]:
        return (*self.left, *self.right)


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Trench(Row):
    id: Annotated[str, StringConstraints(pattern=r"^T[A-Z][1-9][0-9]?$")]
    hexes: Annotated[tuple[Hex, ...], Field(min_length=2)]


# ------------------------------------------------------------------ charts.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Costs(Row):
    """MOVE Half points."""

    open: Few
    road: Few
    bridge: Few
    forest: Few
    trench: Few
    air: Few
    naval: Few
    enter_fort: Few
    board: Few
    last_move: Few  # MOVE-8 with exactly so much left an open hex may still be entered


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class DiceTable(Row):
    by_damage: Row6
    flank_bonus: Few
    surround_bonus: Few
    destroyed_at: Few


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Level(Row):
    names: Names
    least: Few  # points


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Experience(Row):
    most: Few
    damaged: Few
    destroyed: Few


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Money(Row):
    income_per_fort: Few
    repair_cost: Few
    transfer_fee: Few


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Victory(Row):
    """VICTORY-1, 4 Forts that win."""

    forts_4: Few
    forts_2: Few
    short_forts_4: Few
    short_forts_2: Few


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class FirstTurns(Row):
    """SETUP-23, 24 Companies that may act, round by round, by place in the order of play."""

    four: tuple[tuple[Few, ...], ...]
    two: tuple[tuple[Few, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class SpecialForces(Row):
    price: Few
    deck: Annotated[tuple[Slug, ...], Field(min_length=1)]
    optional: Slug  # left out where the campaign says so


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Scatter(Row):
    """SPECIAL-1, 2"""

    miss_up_to: Annotated[tuple[Few, ...], Field(min_length=3, max_length=3)]  # by experience
    directions: Annotated[tuple[Direction, ...], Field(min_length=6, max_length=6)]  # faces 1 to 6


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Automa(Row):
    without: Slug  # AUTOMA-2 what it does not have
    drawn: Annotated[tuple[Few, ...], Field(min_length=2, max_length=2)]  # AUTOMA-3 with the first tokens
    light_damage: Few  # AUTOMA-29
    light_per_level: Few
    heavy_per_level: Few
    least_foot: Few  # AUTOMA-33
    buy_foot: Slug
    buy_else: Slug


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class AutomaLevel(Row):
    id: LevelId
    extras: tuple[Slug, ...]  # AUTOMA-2; "own_unit" is the nation's


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class DiceCard(Row):
    """DICELESS-3 Hits, by number of dice and attack value 2 … 10."""

    id: Annotated[int, Field(ge=1, le=10)]
    hits: FrozenMap[str, Annotated[tuple[Few, ...], Field(min_length=9, max_length=9)]]


SCHEMA = Schema(
    tables=(
        PackTable("meta", "game.toml", Meta),
        PackTable("labels", "game.toml", Labels),
        PackTable("team", "game.toml", TeamData, key=("id",)),
        PackTable("nation", "game.toml", NationData, key=("id",)),
        PackTable("options", "game.toml", Options),
        PackTable("armour", "units.toml", Armour, key=("id",)),
        PackTable("unit", "units.toml", UnitType, key=("id",)),
        PackTable("column", "map.toml", Column, key=("id",)),
        PackTable("half", "map.toml", Half, key=("id",)),
        PackTable("start", "map.toml", Start, key=("id",)),
        PackTable("fort", "map.toml", Fort, key=("id",)),
        PackTable("trench", "map.toml", Trench, key=("id",)),
        PackTable("movement", "charts.toml", Costs),
        PackTable("dice", "charts.toml", DiceTable),
        PackTable("level", "charts.toml", Level, key=("least",)),
        PackTable("experience", "charts.toml", Experience),
        PackTable("money", "charts.toml", Money),
        PackTable("victory", "charts.toml", Victory),
        PackTable("first_turns", "charts.toml", FirstTurns),
        PackTable("special_forces", "charts.toml", SpecialForces),
        PackTable("scatter", "charts.toml", Scatter),
        PackTable("automa", "charts.toml", Automa),
        PackTable("automa_level", "charts.toml", AutomaLevel, key=("id",)),
        PackTable("card", "charts.toml", DiceCard, key=("id",)),
    ),
    beside=frozenset({"rulebook.toml"}),
)
