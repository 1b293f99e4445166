"""The order lines that give an answer; reading them back gives the answer again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.games.trench_club.answers import (
    COMPANIES,
    Act,
    Attack,
    Build,
    Buy,
    Capture,
    Give,
    Mine,
    Move,
    Placement,
    Purchase,
    Repair,
    Special,
    Split,
)
from engine.games.trench_club.notation.lexicon import Pen, Ref, ref_of
from engine.games.trench_club.notation.orders import (
    ActiveOrder,
    AttackOrder,
    BuildOrder,
    BuyOrder,
    CaptureOrder,
    DefaultOrder,
    FlipOrder,
    GiveOrder,
    LaterOrder,
    MineOrder,
    MoveOrder,
    Order,
    PassOrder,
    PlaceOrder,
    PutOrder,
    RepairOrder,
    SpecialOrder,
    SplitOrder,
)
from engine.games.trench_club.pack import load_pack
from engine.kernel.game import Language
from engine.kernel.requests import Answer, Ask


def write_answer(ask: Ask, answer: Answer, language: Language = "en") -> str:
    """One line; several for several attacks."""
    pen = Pen(language)
    return "\n".join(order.write(pen) for order in _WRITERS[ask.topic](ask, answer))


def _own(ask: Ask, unit: str) -> Ref:
    return ref_of(unit, str(ask.seat))


def _split(ask: Ask, answer: Split) -> Sequence[Order]:
    parts = zip(COMPANIES, (answer.a, answer.b, answer.c), strict=True)
    return [
        SplitOrder(tuple((company, tuple(_own(ask, unit) for unit in units)) for company, units in parts))
    ]


def _flip(ask: Ask, answer: str) -> Sequence[Order]:
    return [FlipOrder((answer,))]


def _place(ask: Ask, answer: Placement) -> Sequence[Order]:
    return [PlaceOrder(tuple((_own(ask, unit), hex_) for unit, hex_ in answer.places))]


def _lead(ask: Ask, answer: str) -> Sequence[Order]:
    if answer == "later":
        return [LaterOrder()]
    return [DefaultOrder("AUTOMA" if answer == "automa" else "HOLD")]


def _join(ask: Ask, answer: str) -> Sequence[Order]:
    return [DefaultOrder("CAPTAIN" if answer == "captain" else "HOLD")]


def _active(ask: Ask, answer: tuple[str, ...]) -> Sequence[Order]:
    return [ActiveOrder(answer)]


def _act(ask: Ask, act: Act) -> Sequence[Order]:
    match act:
        case Move(unit=unit, path=path, aboard=aboard, unload=unload):
            carrier = _own(ask, aboard) if aboard else None
            places = tuple((_own(ask, one), hex_) for one, hex_ in unload)
            steps = path[:-1] if aboard else path
            return [MoveOrder(_own(ask, unit), steps, aboard=carrier, unload=places)]
        case Capture(unit=unit, fort=fort):
            return [CaptureOrder(_own(ask, unit), fort)]
        case Mine(unit=unit, hex=hex_):
            return [MineOrder(_own(ask, unit), hex_)]
        case Build(unit=unit, what=what, hexes=hexes):
            return [BuildOrder(_own(ask, unit), what.upper(), hexes)]
    return [PassOrder()]


def _targets(ask: Ask, attacks: tuple[Attack, ...]) -> Sequence[Order]:
    if not attacks:
        return [PassOrder()]
    return [
        AttackOrder(_own(ask, one.unit), ref_of(one.target) if one.target else None, one.toward)
        for one in attacks
    ]


def _spend(ask: Ask, act: Purchase) -> Sequence[Order]:
    types = load_pack().types
    match act:
        case Repair(unit=unit):
            return [RepairOrder(_own(ask, unit))]
        case Buy(type=type_, fort=fort):
            return [BuyOrder(types[type_].code, fort)]
        case Special(fort=fort, water=water, choice=choice):
            return [SpecialOrder(fort, water, types[choice].code if choice else "")]
        case Give(amount=amount):
            return [GiveOrder(amount)]
    return [PassOrder()]


def _put(ask: Ask, answer: str) -> Sequence[Order]:
    return [PutOrder(answer)]


def _give(ask: Ask, answer: int) -> Sequence[Order]:
    return [GiveOrder(answer)]


_WRITERS: Mapping[str, Callable[[Ask, Answer], Sequence[Order]]] = {
    "setup.split": _split,
    "setup.flip": _flip,
    "setup.place": _place,
    "turn.lead": _lead,
    "turn.join": _join,
    "turn.active": _active,
    "turn.act": _act,
    "turn.targets": _targets,
    "turn.spend": _spend,
    "turn.put": _put,
    "give": _give,
}
