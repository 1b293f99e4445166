"""The printed matter of the game: one strict row type for each table of the pack."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints
from pydantic.dataclasses import dataclass

from engine.games.first_world_war.answers import Alliance, Faction
from engine.kernel.pack import STRICT, FrozenMap, Labels, Names, PackTable, Row, Schema, Text

Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$")]
Slug: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$")]
Turn: TypeAlias = Annotated[int, Field(ge=1, le=6)]
FrontId: TypeAlias = Annotated[int, Field(ge=1, le=11)]
Year: TypeAlias = Annotated[int, Field(ge=1914, le=1918)]
Players: TypeAlias = Literal[2, 3, 4]
Count: TypeAlias = Annotated[int, Field(ge=0, le=99)]
Action: TypeAlias = Literal["deploy", "move", "transfer", "attack"]
Use: TypeAlias = Literal["attack", "defence", "either"]
Four: TypeAlias = Annotated[tuple[Faction, ...], Field(min_length=4, max_length=4)]

ANY = "ANY"  # on a tile: every nationality of the alliance


# ------------------------------------------------------------------ game.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Meta(Row):
    """2.0 What the box holds."""

    game: Literal["fww"]
    names: Names
    players: tuple[Players, ...]
    turns: Turn
    rounds: Count
    locations: Count
    centres: Count
    fronts: Count
    armies: Count
    dummies: Count
    tiles: Count
    tiles_per_alliance: Count
    hand_limit: Annotated[int, Field(ge=1, le=15)]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class AllianceData(Row):
    id: Alliance
    names: Names
    factions: Annotated[tuple[Faction, ...], Field(min_length=2, max_length=2)]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class FactionData(Row):
    id: Faction
    names: Names
    aliases: tuple[Id, ...]
    alliance: Alliance
    colour: Literal["red", "green", "black", "blue"]
    start_vp: Count
    replacement_base: Count  # 7-2 most armies replaced in a turn
    garrison_fronts: tuple[FrontId, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Seating(Row):
    """1-2 to 1-4 Which seats there are with so many players, and what they run."""

    players: Players
    seats: FrozenMap[Id, tuple[Faction, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Nationality(Row):
    id: Id
    names: Names
    faction: Faction


# ------------------------------------------------------------------ map.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Theatre(Row):
    id: Id
    names: Names
    fronts: tuple[FrontId, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Front(Row):
    id: FrontId
    names: Names
    theatre: Id
    allied_faction: Literal["WA", "EA"]  # 2.1-7
    central_faction: Literal["DE", "GA"]
    nationalities: tuple[Id, ...]
    adjacent: tuple[FrontId, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Restriction(Row):
    """5.3, 5.4 Bars nationalities from fronts until a turn, or while a location is lost."""

    id: Slug
    fronts: tuple[FrontId, ...]
    nationalities: tuple[Id, ...]
    from_turn: Turn = 1
    requires_control: Id | None = None
    requires_faction: Faction | None = None
    applies_to: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Command(Row):
    """5.1 Armies of a nationality that another faction commands on these fronts."""

    id: Slug
    nationality: Id
    fronts: tuple[FrontId, ...]
    commander: Faction
    includes_dummies: bool


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Location(Row):
    id: Id
    names: Names
    aliases: tuple[Id, ...] = ()
    front: FrontId
    owner: Faction
    replacement: bool


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Base(Row):
    id: Id
    names: Names
    front: FrontId
    owner: Faction


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class AttackLine(Row):
    front: FrontId
    a: Id
    b: Id
    opens: Turn


# ------------------------------------------------------------------ units.toml, tiles.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Army(Row):
    id: Id
    names: Names
    designation: Text
    nationality: Id
    faction: Faction
    value: Annotated[int, Field(ge=0, le=3)]  # 2.2-1
    entry: Turn
    historical_front: FrontId | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Dummy(Row):
    id: Id
    names: Names
    faction: Faction
    entry: Turn


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Tile(Row):
    id: Id
    key: Id
    names: Names
    alliance: Alliance
    nationalities: Annotated[tuple[Id, ...], Field(min_length=1)]
    use: Use
    value: Annotated[int, Field(ge=-3, le=3)]
    year: Year
    mandatory: bool
    back: Literal["green", "red", "black", "blue"]


# ------------------------------------------------------------------ charts.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Die(Row):
    faces: Annotated[
        tuple[Literal["1", "2", "3", "4", "5", "6", "S"], ...], Field(min_length=6, max_length=6)
    ]
    s_value: Count

    def is_s(self, face: int) -> bool:
        """Face 1 to 6 of a roll shows the S."""
        return self.faces[face - 1] == "S"

    def value(self, face: int) -> int:
        """What face 1 to 6 of a roll counts."""
        shown = self.faces[face - 1]
        return self.s_value if shown == "S" else int(shown)


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class TurnData(Row):
    id: Turn
    names: Names
    year: Year
    tile_years: tuple[Year, ...]  # tiles that are in play from this turn on


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class RoundTrack(Row):
    order: Four
    cycles: Count


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class DeploymentTrack(Row):
    order: Four


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class VpTrack(Row):
    floor: Count


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Replacement(Row):
    """7.1, 7.2"""

    centres: FrozenMap[Faction, tuple[Id, ...]]
    charged_to_WA: tuple[Id, ...]  # noqa: N815  # the account's name


@dataclass(frozen=True, slots=True, config=STRICT)
class Minimum:
    """8.1-7, 8.1-8 So many armies must stay on each of these fronts."""

    fronts: tuple[FrontId, ...]
    armies: Count


@dataclass(frozen=True, slots=True, config=STRICT)
class Bonus:
    """8.1-12"""

    faction: Faction
    vp: Count
    players: Players


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Treaty(Row):
    earliest_turn: Turn
    frozen_fronts: tuple[FrontId, ...]
    combat_only_fronts: tuple[FrontId, ...]
    combat_only_armies: tuple[Id, ...]
    inactive_nationalities: tuple[Id, ...]
    german_minimum: Minimum
    german_allies_minimum: Minimum
    bonus: Bonus
    must_accept_players: tuple[Players, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Victory(Row):
    tie_winner: Alliance
    german_margin: Count  # 8-4 Germany over the German Allies
    western_margin: Count  # 8-6 Western over Eastern Allies
    early_end_fronts: Count  # 4.2.3-9


# ------------------------------------------------------------------ scenarios.toml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Options(Row):
    """9 Optional rules and whether they hold if nobody says otherwise."""

    schlieffen_plan: bool
    random_order: bool
    historical_setup: bool


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Rulings(Row):
    """Rulings that can be switched, and how they stand if nobody says otherwise."""

    hand_scope: Literal["faction", "player"]
    surrender_roll_on_turn_6: bool
    hold_back_reinforcements: bool
    unreplaced_losses: Literal["stay", "removed"]
    garrison_rule: Literal["held-fronts", "empty-fronts"]
    unopposed_attack_gives_surrender_point: bool
    no_surrender_before_turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class HistoricalFront(Row):
    """9.3-1 Who stands on a front at the start."""

    front: FrontId
    allies: tuple[Id, ...]
    central: tuple[Id, ...]


SCHEMA = Schema(
    tables=(
        PackTable("meta", "game.toml", Meta),
        PackTable("labels", "game.toml", Labels),
        PackTable("alliance", "game.toml", AllianceData, key=("id",)),
        PackTable("faction", "game.toml", FactionData, key=("id",)),
        PackTable("seats", "game.toml", Seating, key=("players",)),
        PackTable("nationality", "game.toml", Nationality, key=("id",)),
        PackTable("theatre", "map.toml", Theatre, key=("id",)),
        PackTable("front", "map.toml", Front, key=("id",)),
        PackTable("restriction", "map.toml", Restriction, key=("id",)),
        PackTable("command", "map.toml", Command, key=("id",)),
        PackTable("location", "map.toml", Location, key=("id",)),
        PackTable("base", "map.toml", Base, key=("id",)),
        PackTable("line", "map.toml", AttackLine, key=("front", "a", "b")),
        PackTable("army", "units.toml", Army, key=("id",)),
        PackTable("dummy", "units.toml", Dummy, key=("id",)),
        PackTable("tile", "tiles.toml", Tile, key=("id",)),
        PackTable("die", "charts.toml", Die),
        PackTable("turn", "charts.toml", TurnData, key=("id",)),
        PackTable("round_track", "charts.toml", RoundTrack),
        PackTable("deployment_track", "charts.toml", DeploymentTrack),
        PackTable("vp_track", "charts.toml", VpTrack),
        PackTable("replacement", "charts.toml", Replacement),
        PackTable("treaty", "charts.toml", Treaty),
        PackTable("victory", "charts.toml", Victory),
        PackTable("options", "scenarios.toml", Options),
        PackTable("rulings", "scenarios.toml", Rulings),
        PackTable("historical_setup", "scenarios.toml", HistoricalFront, key=("front",)),
    ),
    beside=frozenset({"rulebook.toml"}),
)
