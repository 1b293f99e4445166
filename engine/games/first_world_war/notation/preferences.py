"""LEAD, TILE and TAKE: ordered wishes, resolved when the question comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from engine.games.first_world_war.answers import CombatGiven
from engine.games.first_world_war.notation.conditions import MOST
from engine.games.first_world_war.notation.lexicon import Cursor, Pen
from engine.games.first_world_war.notation.words import CLAUSES, LEAD_TERMS, TILE_TERMS, VALUES
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.rules.combat import strongest
from engine.games.first_world_war.tables import ANY
from engine.games.first_world_war.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask
from engine.notation.cursor import END
from engine.notation.reasons import illegal, unreadable
from engine.notation.words import COMPARE, symbol_table

Role: TypeAlias = Literal["attack", "defence", "either"]  # either: the reply to a question, where it is clear

_TILES = symbol_table(VALUES, only=["BEST", "ZERO", "NONE"])
_LEADERS = symbol_table(VALUES, only=["STRONGEST", "WEAKEST"])
_NONE = symbol_table(VALUES, only=["NONE"])
_ASK = symbol_table(VALUES, only=["ASK"])
_CLAUSES = symbol_table(CLAUSES)
_AND = symbol_table(CLAUSES, only=["AND"])
_IF, _ELSE = symbol_table(CLAUSES, only=["IF"]), symbol_table(CLAUSES, only=["ELSE"])
_TILE_TERMS, _LEAD_TERMS = symbol_table(TILE_TERMS), symbol_table(LEAD_TERMS)
_BOUND = "LEAD "

P = TypeVar("P", "TilePreference", "LeadPreference")


@dataclass(frozen=True, slots=True)
class CombatTerm:
    """The condition inside a TILE or LEAD preference: it reads what is told with the question."""

    kind: str
    operator: str = ""
    number: int = 0
    location: str = ""

    def holds(self, given: CombatGiven, view: View) -> bool:
        printed = view.pack.armies
        match self.kind:
            case "ENEMYTILE":
                return given.enemy_tile is not None
            case "ENEMYMANDATORY":
                return given.enemy_tile == "mandatory"
            case "STAKE":
                return self.location in given.at_stake
            case "ATKCOUNT":
                return self._compare(len(given.attackers))
            case "ATKMAX":
                return self._compare(max((printed[army].value for army in given.attackers), default=0))
            case "DEFMAX":
                return self._compare(max((printed[army].value for army in given.defenders), default=0))
        return given.enemy_leader is not None and self._compare(printed[given.enemy_leader].value)

    def _compare(self, number: int) -> bool:
        return COMPARE[self.operator](number, self.number)

    def write(self, pen: Pen) -> str:
        if self.operator:
            return pen(self.kind, self.operator, self.number)
        return pen(self.kind, self.location) if self.location else pen(self.kind)


@dataclass(frozen=True, slots=True)
class TilePreference:
    """Tiles in order of preference, BEST, ZERO or NONE among them; at the end of the list none is played."""

    tiles: tuple[str, ...]
    condition: CombatTerm | None = None
    otherwise: TilePreference | None = None

    def choose(self, ask: Ask, view: View, leader: str | None = None) -> Said:
        """The first that fits (and suits a leader named); a tile that does not is skipped silently."""
        for wish in applying(self, ask, view).tiles:
            if wish == "NONE":
                break
            for tile in _meant(wish, view):
                if ask.options.contains(tile) and (leader is None or suits(tile, leader, view.pack)):
                    return Said(tile)
        return Said(None)

    def under(self, leader: str, view: View) -> TilePreference:
        """6.2-2 The same wishes without what this leader cannot play; BEST is spelled out."""
        spelled_out = [
            tile for wish in self.tiles for tile in (_meant(wish, view) if wish != "NONE" else [wish])
        ]
        kept = dict.fromkeys(t for t in spelled_out if t == "NONE" or suits(t, leader, view.pack))
        otherwise = None if self.otherwise is None else self.otherwise.under(leader, view)
        return TilePreference(tuple(kept) or ("NONE",), self.condition, otherwise)

    def refusal(self, role: Role, pack: Pack, leaders: Sequence[str] = ()) -> Refusal | None:
        """6.2-1, 6.2-2 All tiles named are of the other role, or none suits any of those who may lead."""
        named = [tile for tile in self.tiles if tile in pack.tiles]
        if not named or len(named) < len([tile for tile in self.tiles if tile != "NONE"]):
            return None
        served = [tile for tile in named if pack.tiles[tile].use in (role, "either")]
        if not served:
            return Illegal("FWW-6.2-1", "wrong-role", {"tile": named[0]})
        if leaders and not any(suits(tile, leader, pack) for tile in served for leader in leaders):
            facts = {"tile": served[0], "counter": leaders[0]}
            return Illegal("FWW-6.2-2", "tile-of-another-nation", facts)
        return None

    def write(self, pen: Pen) -> str:
        return _write(pen.tiles(self.tiles), self, pen)


def _meant(wish: str, view: View) -> list[str]:
    """BEST: highest value first; ZERO: the 0 tiles; of equals the lowest id. Only the own hand is known."""
    tiles = view.pack.tiles
    held = sorted(tile for hand in view.hands.values() for tile in hand)
    if wish == "BEST":
        return sorted(held, key=lambda tile: (-tiles[tile].value, tile))
    if wish == "ZERO":
        return [tile for tile in held if tiles[tile].value == 0]
    return [wish]


def suits(tile: str, army: str, pack: Pack) -> bool:
    """6.2-2 A tile is led by an army of its nationality."""
    nations = pack.tiles[tile].nationalities
    return ANY in nations or pack.nationality_of.get(army) in nations


@dataclass(frozen=True, slots=True)
class LeadPreference:
    """Armies in order of preference, STRONGEST or WEAKEST among them; at the list's end the strongest."""

    leaders: tuple[str, ...]
    condition: CombatTerm | None = None
    otherwise: LeadPreference | None = None

    def choose(self, ask: Ask, view: View) -> Said | None:
        given: CombatGiven = ask.given
        there = given.attackers if ask.topic == "combat.attack_leader" else given.defenders
        allowed = [army for army in there if ask.options.contains(army)]
        printed, rank = view.pack.armies, view.pack.id_rank
        for wish in (*applying(self, ask, view).leaders, "STRONGEST"):
            if wish == "STRONGEST" and allowed:
                return Said(strongest(view.pack, allowed))
            if wish == "WEAKEST" and allowed:
                return Said(min(allowed, key=lambda army: (printed[army].value, rank[army])))
            if wish in allowed:
                return Said(wish)
        return None

    def named(self, participants: Sequence[str]) -> str | None:
        """The army that will lead because it is named; None: that is open."""
        if self.condition is not None:
            return None
        first = next((one for one in self.leaders if one in ("STRONGEST", "WEAKEST", *participants)), None)
        return first if first in participants else None

    def certain(self, committed: Sequence[str], pack: Pack) -> tuple[str, ...]:
        """One of these will lead; nobody: that is open. Who is committed may not be known yet."""
        if committed:
            leader = self.named(committed)
            return () if leader is None else (leader,)
        is_open = self.condition is not None or any(one not in pack.armies for one in self.leaders)
        return () if is_open else self.leaders

    def write(self, pen: Pen) -> str:
        return _write(pen(*self.leaders), self, pen)


def bound_to(leader: str | None) -> str:
    """6.2-2 What an attack that names its leader and no tile hands on to the question of the tile.

    It is no preference for a tile, so a standing order answers, and reads there whom its tile must suit.
    """
    return "" if leader is None else f"{_BOUND}{leader}"


def leader_bound(plan: str) -> str | None:
    return plan.removeprefix(_BOUND) if plan.startswith(_BOUND) else None


@dataclass(frozen=True, slots=True)
class TakePreference:
    """Locations in order of preference; NONE takes nothing. `ask` wants the question to be put first."""

    locations: tuple[str, ...]
    ask: bool = False

    def choose(self, ask: Ask, view: View) -> Said | None:
        """The first that is available; None leaves it to the default."""
        for wish in self.locations:
            if wish == "NONE":
                return Said(None)
            if ask.options.contains(wish):
                return Said(wish)
        return None

    def write(self, pen: Pen) -> str:
        return pen(*(("ASK",) if self.ask else ()), *self.locations)


def applying(preference: P, ask: Ask, view: View) -> P:
    """The part of the preference whose conditions hold."""
    while preference.condition is not None and not preference.condition.holds(ask.given, view):
        assert preference.otherwise is not None, "an IF inside a preference has its ELSE"
        preference = preference.otherwise
    return preference


def _write(wishes: str, preference: TilePreference | LeadPreference, pen: Pen) -> str:
    if preference.condition is None or preference.otherwise is None:
        return wishes
    condition, otherwise = preference.condition.write(pen), preference.otherwise.write(pen)
    return f"{wishes} {pen('IF')} {condition} {pen('ELSE')} {otherwise}"


# ------------------------------------------------------------------ reading


def read_tiles(cursor: Cursor, role: Role) -> TilePreference:
    """tile {tile} [IF condition ELSE preference]."""
    tiles = tuple(read_list(cursor, _tile, "tile", cursor.lexicon.tiles[cursor.alliance], _TILES))
    if not _sees_own_condition(cursor, _TILE_TERMS):
        return TilePreference(tiles)
    condition = _read_combat_term(cursor, _TILE_TERMS, "tile-condition")
    if role == "defence" and condition.kind.startswith("ENEMY"):
        raise illegal("FWW-6.1-1", "unknown-by-then", {"condition": condition.kind})
    _expect_else(cursor, "TILE")
    return TilePreference(tiles, condition, read_tiles(cursor, role))


def read_leaders(cursor: Cursor, role: Role) -> LeadPreference:
    """STRONGEST, WEAKEST or armies [IF condition ELSE preference]."""
    leaders = tuple(read_list(cursor, _leader, "leader", cursor.own_armies, _LEADERS))
    if not _sees_own_condition(cursor, _LEAD_TERMS):
        return LeadPreference(leaders)
    condition = _read_combat_term(cursor, _LEAD_TERMS, "lead-condition")
    if role == "attack" and condition.kind == "ENEMYLEAD":
        raise illegal("FWW-6.1-3", "unknown-by-then", {"condition": condition.kind})
    _expect_else(cursor, "LEAD")
    return LeadPreference(leaders, condition, read_leaders(cursor, role))


def read_takes(cursor: Cursor) -> TakePreference:
    """ASK {location} | location {location} [NONE] | NONE."""
    ask = cursor.accepts(_ASK)
    if ask and (not cursor.seen or cursor.seen in _CLAUSES):
        return TakePreference((), ask)
    return TakePreference(
        tuple(read_list(cursor, _location, "location", cursor.lexicon.locations, _NONE)), ask
    )


def _tile(cursor: Cursor) -> str | None:
    return cursor.accept(_TILES) or cursor.tile()


def _leader(cursor: Cursor) -> str | None:
    """Somebody of the own side: nobody else can lead."""
    if (wish := cursor.accept(_LEADERS)) is not None:
        return wish
    army = cursor.name(cursor.lexicon.armies)
    if army is not None and army not in cursor.own_counters:
        raise illegal("FWW-6.1-3", "not-your-army", {"counter": army})
    return army


def _location(cursor: Cursor) -> str | None:
    return cursor.accept(_NONE) or cursor.name(cursor.lexicon.locations)


def read_list(
    cursor: Cursor, read_one: Callable[[Cursor], str | None], expected: str, *near: Mapping[str, Any]
) -> list[str]:
    """At least one, up to the next clause; AND between two is the same as a comma."""
    found: list[str] = []
    while not found or cursor.accepts(_AND) or (cursor.seen != END and cursor.seen not in _CLAUSES):
        if found and found[-1] == "NONE":
            raise unreadable("after-none", {"word": cursor.seen})
        one = read_one(cursor)
        if one is None:
            raise cursor.astray(expected, *near)
        if one in found:
            raise unreadable("named-again", {"word": one})
        found.append(one)
    return found


def _sees_own_condition(cursor: Cursor, terms: Mapping[str, str]) -> bool:
    """An IF that belongs to the preference, told by its first word; passed. Any other belongs to the line."""
    if cursor.seen in _IF and cursor.ahead() in terms:
        cursor.step()
        return True
    return False


def _read_combat_term(cursor: Cursor, terms: Mapping[str, str], expected: str) -> CombatTerm:
    kind = cursor.expect(terms, expected)
    if kind in ("ENEMYTILE", "ENEMYMANDATORY"):
        return CombatTerm(kind)
    if kind == "STAKE":
        return CombatTerm(kind, location=cursor.location())
    operator = cursor.operator()
    return CombatTerm(kind, operator, cursor.number(0, MOST))


def _expect_else(cursor: Cursor, clause: str) -> None:
    if not cursor.accepts(_ELSE):
        raise unreadable("else-missing", {"word": clause})
