"""The grammar of decisions.md §3, one function an order: orders of the own turn, of the season's two ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from engine.games.to_the_last_man.answers import LOOSE, Mode, Slot
from engine.games.to_the_last_man.notation.cardplay import (
    EVERYWHERE,
    BattleOrder,
    BidOrder,
    BonusOrder,
    CardOrder,
    CounterOrder,
    CrisisOrder,
    DiscardOrder,
    ExcessOrder,
    FirstOrder,
    KeepOrder,
    PlayOrder,
    RankOrder,
    TakeOrder,
    WeatherOrder,
)
from engine.games.to_the_last_man.notation.clauses import Clause
from engine.games.to_the_last_man.notation.forces import (
    Piece,
    Some,
    expect_some,
    read_piece,
    read_pieces,
    read_some,
)
from engine.games.to_the_last_man.notation.lexicon import ENGLISH, Cursor
from engine.games.to_the_last_man.notation.movements import (
    DoneOrder,
    MoveOrder,
    Path,
    ShiftOrder,
    SuppressOrder,
)
from engine.games.to_the_last_man.notation.plan_grammar import PLAN_READERS
from engine.games.to_the_last_man.notation.purchases import (
    BuildOrder,
    BuyOrder,
    EntrenchOrder,
    FortifyOrder,
    PlaceAny,
    PlaceArmy,
    PlaceUnits,
    Produce,
    RebuildOrder,
    Spot,
    SwapOrder,
    UpgradeOrder,
    Wish,
)
from engine.games.to_the_last_man.notation.words import CLAUSES, VALUES
from engine.notation.cursor import all_different
from engine.notation.reasons import unreadable
from engine.notation.words import symbol_table

MOST_CARDS = 60  # bought at once

_TO = symbol_table(CLAUSES, only=["TO"])
_INTO = symbol_table(CLAUSES, only=["INTO", "IN"])
_AT = symbol_table(CLAUSES, only=["AT"])
_ON = symbol_table(CLAUSES, only=["ON"])
_ABSORB, _AFTER = symbol_table(CLAUSES, only=["ABSORB"]), symbol_table(CLAUSES, only=["AFTER"])
_KEEP, _USING = symbol_table(CLAUSES, only=["KEEP"]), symbol_table(CLAUSES, only=["USING"])
_DROP = symbol_table(CLAUSES, only=["DROP"])
_ALL, _ANY = symbol_table(VALUES, only=["ALL"]), symbol_table(VALUES, only=["ANY"])
_LOOSE, _CARDS = symbol_table(VALUES, only=["LOOSE"]), symbol_table(VALUES, only=["CARDS"])
_LIMIT, _FRONT = symbol_table(VALUES, only=["LIMIT"]), symbol_table(VALUES, only=["FRONT"])
_MOMENTS = symbol_table(VALUES, only=["MOVES", "COMBAT"])
_WHOLE_FRONT = symbol_table(VALUES, only=["NEW", "FRONT"])


# ------------------------------------------------------------------ lists


def read_cards(cursor: Cursor) -> tuple[str, ...]:
    """Cards, commas between them."""
    return cursor.several(Cursor.card)


def read_cards_or_none(cursor: Cursor) -> tuple[str, ...]:
    return () if cursor.is_none() else read_cards(cursor)


def read_areas(cursor: Cursor) -> tuple[str, ...]:
    return cursor.several_different(Cursor.area)


def read_group(cursor: Cursor) -> tuple[Some, ...]:
    """2I + US I."""
    return cursor.several(expect_some, "+")


# ------------------------------------------------------------------ cards and season


def read_take(cursor: Cursor) -> Clause:
    return TakeOrder(read_cards(cursor))


def read_bid(cursor: Cursor) -> Clause:
    if cursor.seen == "0":
        cursor.step()
        return BidOrder(())
    return BidOrder(read_cards_or_none(cursor))


def read_first(cursor: Cursor) -> Clause:
    side = cursor.name(cursor.lexicon.sides)
    if side is None:
        raise cursor.astray("side", cursor.lexicon.sides)
    return FirstOrder(side)


def read_play(cursor: Cursor) -> Clause:
    return PlayOrder(read_cards(cursor))


def read_pass(cursor: Cursor) -> Clause:
    return PlayOrder(())


def read_crisis(cursor: Cursor) -> Clause:
    if not cursor.accepts(_AFTER):
        return CrisisOrder()
    return CrisisOrder(cast(Slot, cursor.expect(_MOMENTS, "place").lower()))


def read_discard(cursor: Cursor) -> Clause:
    if not cursor.accepts(_ALL):
        return DiscardOrder(read_cards_or_none(cursor))
    kept = read_cards(cursor) if cursor.accepts(_KEEP) else ()
    return DiscardOrder(everything=True, kept=kept)


def read_battle(cursor: Cursor) -> Clause:
    if cursor.is_none():
        return BattleOrder(())
    return BattleOrder(cursor.several_different(lambda one: one.accept(_WHOLE_FRONT) or one.area()))


def read_keep(cursor: Cursor) -> Clause:
    return KeepOrder(read_areas(cursor))


def read_card(cursor: Cursor) -> Clause:
    if cursor.is_none():
        return CardOrder("")
    card = cursor.card()
    cursor.expect(_ON, "on")
    return CardOrder(card, EVERYWHERE if cursor.skips("*") else cursor.area())


def read_bonus(cursor: Cursor) -> Clause:
    if cursor.is_none():
        return BonusOrder(())
    cursor.expect(_ON, "on")
    return BonusOrder(read_areas(cursor))


def read_counter(cursor: Cursor) -> Clause:
    area = cursor.area()
    cursor.expect(_USING, "using")
    return CounterOrder(area, cursor.card())


def read_weather(cursor: Cursor) -> Clause:
    return WeatherOrder(not cursor.is_none())


def read_excess(cursor: Cursor) -> Clause:
    cursor.expect(_DROP, "drop")
    return ExcessOrder(read_cards_or_none(cursor))


def read_rank(cursor: Cursor) -> Clause:
    return RankOrder(read_cards(cursor))


# ------------------------------------------------------------------ moves


def read_path(cursor: Cursor) -> Path | None:
    """LIE-NAM, LIE..NAM, TO NAM, NAM; None: no path here."""
    if cursor.accepts(_TO) or cursor.arrow():
        return Path((cursor.area(),), open=True)
    if cursor.sees(cursor.lexicon.areas) is None:
        return None
    areas = [cursor.area()]
    if cursor.skips(".."):
        return Path((areas[0], cursor.area()), open=True)
    while cursor.skips("-") or cursor.arrow():
        areas.append(cursor.area())
    return Path(tuple(areas), open=len(areas) == 1)


def _mover(mode: Mode) -> Callable[[Cursor], Clause]:
    def read(cursor: Cursor) -> Clause:
        piece = read_piece(cursor)
        path = read_path(cursor)
        into = cursor.army() if cursor.accepts(_INTO) else LOOSE
        if path is None and (not into or mode != "move"):
            raise cursor.astray("path", cursor.lexicon.areas)
        if piece.army and path is not None and into:
            raise unreadable("too-much", {"word": into})  # an army goes somewhere, or its units into another
        absorb = read_group(cursor) if piece.army and cursor.accepts(_ABSORB) else ()
        return MoveOrder(piece, path, into, absorb, mode)

    return read


def _army_mover(mode: Mode) -> Callable[[Cursor], Clause]:
    def read(cursor: Cursor) -> Clause:
        piece = Piece(army=cursor.army())
        path = read_path(cursor)
        if path is None:
            raise cursor.astray("path", cursor.lexicon.areas)
        return MoveOrder(piece, path, mode=mode)

    return read


def read_shift(cursor: Cursor) -> Clause:
    piece = read_piece(cursor)
    if not cursor.arrow() and not cursor.accepts({**_TO, **_INTO}):
        raise cursor.astray("arrow", {">": 1})
    if cursor.accepts(_LOOSE):
        return ShiftOrder(piece)
    return ShiftOrder(piece, cursor.army("army-or-loose"))


def read_suppress(cursor: Cursor) -> Clause:
    return SuppressOrder(cursor.army())


def read_done(cursor: Cursor) -> Clause:
    return DoneOrder()


# ------------------------------------------------------------------ reinforcements and production


def read_spot(cursor: Cursor) -> Spot:
    """IN army, AT area, @area."""
    if cursor.accepts(_INTO):
        army = cursor.own_army()
        return Spot(army=army) if army is not None else Spot(area=cursor.area("army-or-area"))
    cursor.expect({**_AT, "@": "AT"}, "place")
    return Spot(area=cursor.area())


def read_place(cursor: Cursor) -> Clause:
    if cursor.accepts(_ANY):
        return PlaceAny()
    some = read_some(cursor)
    if some is None and cursor.accepts(_ALL):
        return PlaceAny()
    if some is None:
        army = cursor.army("units")
        return PlaceArmy(army, _read_area(cursor))
    group = [some]
    while cursor.skips("+"):
        group += read_group(cursor)
    return PlaceUnits(tuple(group), read_spot(cursor))


def read_swap(cursor: Cursor) -> Clause:
    corps = cursor.name(cursor.lexicon.corps)
    if corps is None:
        raise cursor.astray("corps", cursor.lexicon.corps)
    return SwapOrder(corps, read_spot(cursor))


def read_upgrade(cursor: Cursor) -> Clause:
    """UPGRADE I IN …: one unit, and nothing else can be upgraded."""
    some = read_some(cursor)
    if some is not None and some != Some("I"):
        raise unreadable("too-much", {"word": some.write(ENGLISH)})
    return UpgradeOrder(read_spot(cursor))


def read_rebuild(cursor: Cursor) -> Clause:
    return RebuildOrder(cursor.army(), _read_area(cursor))


def _read_area(cursor: Cursor) -> str:
    """Where an army is put: it goes into no other."""
    spot = read_spot(cursor)
    if spot.army:
        raise unreadable("too-much", {"word": spot.army})
    return spot.area


def read_build(cursor: Cursor) -> Clause:
    return BuildOrder(read_group(cursor), read_spot(cursor))


def read_entrench(cursor: Cursor) -> Clause:
    pieces = read_pieces(cursor)
    all_different(piece.army for piece in pieces if piece.army)
    if any(not piece.army and not piece.area for piece in pieces):
        raise cursor.astray("area", cursor.lexicon.areas)
    return EntrenchOrder(pieces)


def read_fortify(cursor: Cursor) -> Clause:
    return FortifyOrder(cursor.army())


def read_buy(cursor: Cursor) -> Clause:
    number = cursor.number(0, MOST_CARDS)
    cursor.expect(_CARDS, "cards")
    return BuyOrder(number)


def read_produce(cursor: Cursor) -> Clause:
    return Produce(cursor.several(_read_wish))


def _read_wish(cursor: Cursor) -> Wish:
    """CARDS LIMIT, CARDS 3, I FRONT, I IN GE1."""
    if cursor.accepts(_CARDS):
        if cursor.sees_number():
            return Wish(most=cursor.number(0, MOST_CARDS))
        cursor.expect(_LIMIT, "limit")
        return Wish()
    type_ = cursor.type()
    if cursor.accepts(_FRONT):
        return Wish(type_)
    cursor.accepts(_INTO)
    return Wish(type_, army=cursor.army("front"))


READERS: Mapping[str, Callable[[Cursor], Clause]] = {
    "TAKE": read_take,
    "BID": read_bid,
    "FIRST": read_first,
    "PLAY": read_play,
    "PASS": read_pass,
    "MOVE": _mover("move"),
    "RAIL": _mover("rail"),
    "STRAT": _mover("strat"),
    "SEA": _mover("sea"),
    "RESERVES": _mover("reserves"),
    "SHIFT": read_shift,
    "WITHDRAW": _army_mover("withdraw"),
    "EVACUATE": _army_mover("evacuate"),
    "SUPPRESS": read_suppress,
    "CRISIS": read_crisis,
    "DISCARD": read_discard,
    "BATTLE": read_battle,
    "KEEP": read_keep,
    "CARD": read_card,
    "BONUS": read_bonus,
    "WEATHER": read_weather,
    "COUNTER": read_counter,
    "PLACE": read_place,
    "SWAP": read_swap,
    "BUY": read_buy,
    "BUILD": read_build,
    "REBUILD": read_rebuild,
    "ENTRENCH": read_entrench,
    "UPGRADE": read_upgrade,
    "FORTIFY": read_fortify,
    "PRODUCE": read_produce,
    "EXCESS": read_excess,
    "RANK": read_rank,
    "DONE": read_done,
    **PLAN_READERS,
}
