"""The position as plain data. It changes only inside `Fact.apply`; rules only read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from engine.games.first_world_war.answers import Alliance, Faction, Recall
from engine.kernel.canonical_json import copy_plain, in_order
from engine.kernel.game import Outcome
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack

FACTIONS: tuple[Faction, ...] = ("DE", "WA", "EA", "GA")  # S-1: the order of dice
ALLIANCE: Mapping[str, Alliance] = {"WA": "ALLIES", "EA": "ALLIES", "DE": "CENTRAL", "GA": "CENTRAL"}
ENEMY: Mapping[str, Alliance] = {"WA": "CENTRAL", "EA": "CENTRAL", "DE": "ALLIES", "GA": "ALLIES"}
PARTNERS: Mapping[str, tuple[Faction, Faction]] = {"ALLIES": ("WA", "EA"), "CENTRAL": ("DE", "GA")}


@dataclass(slots=True)
class State:
    """Lists of counters and tiles are always sorted by id, so that order tells nothing."""

    pack: Pack
    players: int
    options: Mapping[str, Any]  # optional rules 9.1 to 9.3 and the ruling switches, complete
    seats: Mapping[Faction, Seat]
    turn: int = 1
    phase: str = "deploy"  # "order" "deploy" "rounds" "victory" "replace" "over"
    round: int = 0  # 1 to 16 in phase "rounds", else 0
    deploy_order: tuple[Faction, ...] = ()
    round_order: tuple[Faction, ...] = ()
    fronts: dict[int, list[str]] = field(default_factory=dict)  # front -> counters of all colours
    face_up: list[str] = field(default_factory=list)
    waiting: dict[Faction, list[str]] = field(default_factory=dict)  # new counters, dummies off the board
    track: dict[int, list[str]] = field(default_factory=dict)  # entry turn -> real armies still to come
    returning: list[str] = field(default_factory=list)  # replaced in phase 4, new next turn
    pool: dict[Faction, list[str]] = field(default_factory=dict)  # eliminated real armies, by owner
    gone: list[str] = field(default_factory=list)  # out of the game (a switch of 7-5; drawn positions)
    control: dict[str, Faction] = field(default_factory=dict)
    vp: dict[Faction, int] = field(default_factory=dict)
    surrender: dict[Faction, list[int]] = field(default_factory=dict)  # fronts that gave a point this turn
    treaty: bool = False
    hands: dict[Faction, list[str]] = field(default_factory=dict)
    cups: dict[Alliance, list[str]] = field(default_factory=dict)
    placed: dict[Faction, str] = field(default_factory=dict)  # tiles lying on the table for this combat
    aside: list[str] = field(default_factory=list)  # tiles of later years
    tiles_out: list[str] = field(default_factory=list)  # mandatory tiles played and gone
    attacked: dict[Faction, list[int]] = field(default_factory=dict)  # fronts attacked this turn, in order
    won: dict[Faction, bool] = field(default_factory=dict)  # did the previous round's attack succeed
    recalls: list[Recall] = field(default_factory=list)
    result: Outcome | None = None

    # ------------------------------------------------------------ queries

    def counters(self, front: int, faction: Faction) -> list[str]:
        """Counters of that colour on the front, dummies included."""
        colour = self.pack.faction_of
        return [c for c in self.fronts[front] if colour[c] == faction]

    def is_real(self, counter: str) -> bool:
        return counter in self.pack.armies

    def reals(self, front: int, factions: Iterable[Faction]) -> list[str]:
        """Real armies of these colours on the front."""
        armies, wanted = self.pack.armies, tuple(factions)
        return [c for c in self.fronts[front] if c in armies and armies[c].faction in wanted]

    def place(self, counter: str) -> int | None:
        """The front a counter stands on; None: off the board."""
        return next((front for front, there in self.fronts.items() if counter in there), None)

    def fights_on(self, front: int, alliance: Alliance) -> Faction:
        """2.1-7 The one faction of that alliance that fights and owns nodes on the front."""
        printed = self.pack.fronts[front]
        return printed.allied_faction if alliance == "ALLIES" else printed.central_faction

    def seat(self, faction: Faction) -> Seat:
        return self.seats[faction]


NAMES = tuple(field.name for field in fields(State) if field.name != "pack")


def dump(state: State) -> dict[str, Any]:
    """Plain JSON data, without the pack."""
    data = {name: getattr(state, name) for name in NAMES}
    data["options"] = dict(state.options)
    data["seats"] = dict(state.seats)
    data["fronts"] = {str(front): list(there) for front, there in state.fronts.items()}
    data["track"] = {str(turn): list(there) for turn, there in state.track.items()}
    data["recalls"] = [[r.army, r.origin, r.to] for r in state.recalls]
    data["result"] = state.result and state.result.to_dict()
    return data


def load(pack: Pack, data: Mapping[str, Any]) -> State:
    """The state that `dump` wrote, its keys in the set-up's order. The data itself is copied."""
    copied = copy_plain(data)
    for name, keys in _orders(pack, copied["players"]).items():
        copied[name] = in_order(copied[name], keys)
    copied["deploy_order"] = tuple(copied["deploy_order"])
    copied["round_order"] = tuple(copied["round_order"])
    copied["recalls"] = [Recall(*row) for row in copied["recalls"]]
    copied["result"] = copied["result"] and Outcome.from_dict(copied["result"])
    return State(pack=pack, **copied)


def _orders(pack: Pack, players: int) -> dict[str, Iterable[Any]]:
    """Keys as the set-up lays them down: options are listed by them, and stored data sorts them as text."""
    by_faction = ("waiting", "pool", "vp", "surrender", "hands", "attacked", "won")
    return {
        **dict.fromkeys(by_faction, pack.factions),
        "fronts": sorted(pack.fronts),
        "track": sorted(pack.turns),
        "control": pack.locations,
        "cups": pack.alliances,
        "seats": [faction for factions in pack.seats[players].values() for faction in factions],
        "options": {**pack.options, **pack.rulings},
    }
