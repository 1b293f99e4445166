"""The grammar of decisions.md §2, one function an order: from words to what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from engine.games.first_world_war.notation.lexicon import Cursor
from engine.games.first_world_war.notation.moments import (
    AskRecall,
    LeadReply,
    RefuseRecall,
    ReturnTiles,
    Reveal,
    TakeReply,
    TileReply,
)
from engine.games.first_world_war.notation.orders import (
    AgreeToRecall,
    AttackOrder,
    DeployOrder,
    MoveOrder,
    Order,
    PassOrder,
    TransferOrder,
)
from engine.games.first_world_war.notation.policies import (
    AskReplacement,
    AskWhenAttacked,
    AttackTile,
    Defend,
    DrawTiles,
    Grant,
    Occupy,
    OrderSlots,
    Replace,
    Treaty,
)
from engine.games.first_world_war.notation.preferences import (
    Role,
    read_leaders,
    read_list,
    read_takes,
    read_tiles,
)
from engine.games.first_world_war.notation.troops import (
    Group,
    Troops,
    dummies_in,
    read_troops,
    refuse_repetition,
)
from engine.games.first_world_war.notation.words import CLAUSES, DRAWING, TREATY, VALUES
from engine.notation.cursor import END, all_different
from engine.notation.reasons import illegal, unreadable
from engine.notation.words import symbol_table

MOST_SLOTS = 4  # 9.2-1

_ENDS = frozenset({END, *symbol_table(CLAUSES, only=["IF", "ELSE"])})
_OF_ATTACK = symbol_table(CLAUSES, only=["WITH", "LEAD", "TILE", "TAKE"])
_OF_DEFENCE = symbol_table(CLAUSES, only=["LEAD", "TILE"])
_OF_SLOTS = symbol_table(CLAUSES, only=["DEPLOY", "ROUND"])
_AND = symbol_table(CLAUSES, only=["AND"])
_KEEP, _DROP = symbol_table(CLAUSES, only=["KEEP"]), symbol_table(CLAUSES, only=["DROP"])
_RECALL, _REPLACE = symbol_table(CLAUSES, only=["RECALL"]), symbol_table(CLAUSES, only=["REPLACE"])
_ALL, _NONE = symbol_table(VALUES, only=["ALL"]), symbol_table(VALUES, only=["NONE"])
_ALL_OR_NONE = symbol_table(VALUES, only=["ALL", "NONE"])
_ZERO, _UNUSABLE = symbol_table(VALUES, only=["ZERO"]), symbol_table(VALUES, only=["UNUSABLE"])
_ASK = symbol_table(VALUES, only=["ASK"])
_DRAWING, _TREATY = symbol_table(DRAWING), symbol_table(TREATY)


# ------------------------------------------------------------------ rounds and deployment


def read_attack(cursor: Cursor) -> Order:
    front = cursor.front()
    clauses = _read_clauses(cursor, _OF_ATTACK, "attack")
    armies = clauses.get("WITH", ())
    refuse_repetition([armies], "FWW-6-3")
    return AttackOrder(front, armies, clauses.get("LEAD"), clauses.get("TILE"), clauses.get("TAKE"))


def _read_clauses(cursor: Cursor, table: Mapping[str, str], role: Role) -> dict[str, Any]:
    """The clauses of an attack or a defence, in any order, each once."""
    found: dict[str, Any] = {}
    cursor.skips(":")
    while cursor.seen not in _ENDS:
        word = cursor.seen
        clause = cursor.expect(table, "clause")
        if clause in found:
            raise unreadable("clause-twice", {"word": word})
        cursor.skips(":")
        match clause:
            case "WITH":
                found[clause] = read_troops(cursor)
            case "LEAD":
                found[clause] = read_leaders(cursor, role)
            case "TILE":
                found[clause] = read_tiles(cursor, role)
            case _:
                found[clause] = read_takes(cursor)
    return found


def read_move(cursor: Cursor) -> Order:
    origin = cursor.front()
    cursor.skips(":")
    groups = _read_groups(cursor)
    refuse_repetition([group.troops for group in groups], "FWW-5-1")
    return MoveOrder(origin, groups)


def _read_groups(cursor: Cursor) -> tuple[Group, ...]:
    """armies > front, again and again."""
    groups: list[Group] = []
    more = True
    while more:
        troops = read_troops(cursor)
        cursor.expect_arrow()
        groups.append(Group(troops, cursor.front()))
        cursor.skips(";")
        more = cursor.accepts(_AND) or (cursor.seen not in _ENDS and cursor.seen not in _KEEP)
    return tuple(groups)


def read_transfer(cursor: Cursor) -> Order:
    origin = cursor.front()
    cursor.expect_arrow()
    to = cursor.front()
    cursor.skips(":")
    armies = read_troops(cursor)
    if cursor.sees_route():
        raise illegal("FWW-5-6", "one-destination")
    refuse_repetition([armies], "FWW-5-5")
    return TransferOrder(origin, to, armies)


def read_pass(cursor: Cursor) -> Order:
    return PassOrder()


def read_deploy(cursor: Cursor) -> Order:
    cursor.skips(":")
    groups = () if cursor.seen in _KEEP else _read_groups(cursor)
    held: Troops = read_troops(cursor) if cursor.accepts(_KEEP) else ()
    refuse_repetition([*(group.troops for group in groups), held], "FWW-4.2.1-3")
    return DeployOrder(groups, held)


# ------------------------------------------------------------------ combat


def _read_front_or_all(cursor: Cursor) -> int | None:
    front = None if cursor.accepts(_ALL) else cursor.front()
    cursor.skips(":")
    return front


def read_defend(cursor: Cursor) -> Order:
    front = _read_front_or_all(cursor)
    if cursor.accepts(_ASK):
        return AskWhenAttacked(front)
    clauses = _read_clauses(cursor, _OF_DEFENCE, "defence")
    if not clauses:
        raise cursor.astray("clause", _OF_DEFENCE)
    return Defend(front, clauses.get("TILE"), clauses.get("LEAD"))


def read_attack_tile(cursor: Cursor) -> Order:
    return AttackTile(_read_front_or_all(cursor), read_tiles(cursor, "attack"))


def read_tile(cursor: Cursor) -> Order:
    cursor.skips(":")
    return TileReply(read_tiles(cursor, "either"))


def read_lead(cursor: Cursor) -> Order:
    cursor.skips(":")
    return LeadReply(read_leaders(cursor, "either"))


def read_take(cursor: Cursor) -> Order:
    cursor.skips(":")
    if cursor.seen in _ASK:
        raise cursor.astray("location", cursor.lexicon.locations)
    return TakeReply(read_takes(cursor))


def read_draw(cursor: Cursor) -> Order:
    draws = cursor.expect(_DRAWING, "drawing")
    drop: tuple[str, ...] = ()
    if cursor.accepts(_DROP):
        tiles = cursor.lexicon.tiles[cursor.alliance]
        drop = tuple(read_list(cursor, lambda c: c.accept(_ZERO) or c.tile(), "tile", tiles, _ZERO))
    return DrawTiles(cast(Any, draws), drop)


def read_return(cursor: Cursor) -> Order:
    if (unusable := cursor.accept(_UNUSABLE)) is not None:
        return ReturnTiles((unusable,))
    tiles = cursor.lexicon.tiles[cursor.alliance]
    return ReturnTiles(tuple(read_list(cursor, Cursor.tile, "tile", tiles, _UNUSABLE)))


def read_occupy(cursor: Cursor) -> Order:
    front = cursor.front()
    cursor.skips(":")
    locations = cursor.lexicon.locations
    return Occupy(front, tuple(read_list(cursor, lambda c: c.name(locations), "location", locations)))


# ------------------------------------------------------------------ replacements, recalls, treaty, slots


def _read_armies(cursor: Cursor, also: Mapping[str, str]) -> tuple[str, ...]:
    """Single armies, or one of the words that stand for several or none."""
    names = cursor.lexicon.armies
    return tuple(
        read_list(cursor, lambda c: c.accept(also) or c.name(names), "army", cursor.own_armies, also)
    )


def read_replace(cursor: Cursor) -> Order:
    armies = _read_armies(cursor, _NONE)
    refuse_repetition([armies], "FWW-7-3")
    return Replace(armies)


def read_ask(cursor: Cursor) -> Order:
    cursor.expect(_REPLACE, "replace")
    armies = _read_armies(cursor, _ALL_OR_NONE)
    if len(armies) > 1 and {"ALL", "NONE"} & {*armies}:
        raise unreadable("too-much", {"word": " ".join(armies)})
    return AskReplacement(armies)


def read_grant(cursor: Cursor) -> Order:
    return Grant(_read_armies(cursor, _ALL))


def read_deny(cursor: Cursor) -> Order:
    """DENY MEF, REFUSE RECALL; the French REFUSE stands for both, and what follows decides."""
    if cursor.accepts(_RECALL):
        return RefuseRecall(_read_one_army(cursor))
    return Grant(_read_armies(cursor, _ALL), granted=False)


def _read_one_army(cursor: Cursor) -> str:
    return "" if cursor.seen in _ENDS else cursor.one_army()


def read_agree(cursor: Cursor) -> Order:
    cursor.expect(_RECALL, "recall")
    return AgreeToRecall(_read_one_army(cursor))


def read_recall(cursor: Cursor) -> Order:
    army = cursor.one_army()
    cursor.skips(":")
    origin = cursor.front()
    cursor.expect_arrow()
    return AskRecall(army, origin, cursor.front())


def read_treaty(cursor: Cursor) -> Order:
    return Treaty(cast(Any, cursor.expect(_TREATY, "treaty")))


def read_slots(cursor: Cursor) -> Order:
    found: dict[str, tuple[int, ...]] = {}
    while not found or cursor.seen not in _ENDS:
        word = cursor.seen
        clause = cursor.expect(_OF_SLOTS, "slots")
        if clause in found:
            raise unreadable("clause-twice", {"word": word})
        cursor.skips(":")
        slots = [cursor.number(1, MOST_SLOTS)]
        while cursor.sees_number():
            slots.append(cursor.number(1, MOST_SLOTS))
        found[clause] = all_different(slots)
    return OrderSlots(found.get("DEPLOY", ()), found.get("ROUND", ()))


def read_reveal(cursor: Cursor) -> Order:
    """REVEAL f: armies; without a front only armies by name."""
    front = cursor.name(cursor.lexicon.fronts)
    cursor.skips(":")
    armies = read_troops(cursor)
    if front is None and any(word in ("ALL", "REAL") or dummies_in(word) for word in armies):
        raise unreadable("missing", {"expected": "front"})
    refuse_repetition([armies], "FWW-4.2.1-12")
    return Reveal(armies, front)


READERS: Mapping[str, Callable[[Cursor], Order]] = {
    "ATTACK": read_attack,
    "MOVE": read_move,
    "TRANSFER": read_transfer,
    "PASS": read_pass,
    "DEPLOY": read_deploy,
    "DEFEND": read_defend,
    "ATTACKTILE": read_attack_tile,
    "TILE": read_tile,
    "LEAD": read_lead,
    "TAKE": read_take,
    "DRAW": read_draw,
    "RETURN": read_return,
    "OCCUPY": read_occupy,
    "REPLACE": read_replace,
    "ASK": read_ask,
    "GRANT": read_grant,
    "DENY": read_deny,
    "RECALL": read_recall,
    "AGREE": read_agree,
    "TREATY": read_treaty,
    "SLOTS": read_slots,
    "REVEAL": read_reveal,
}
