"""Chance as the rules ask for it and as the journal keeps it: rolls, draws, shuffles, opened cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from engine.kernel.canonical_json import canonical, canonical_text, quote
from engine.kernel.fairness.dice import Dice
from engine.kernel.requests import Draw, Mixed, Opening, Roll, Shuffle

Chance: TypeAlias = Roll | Draw | Shuffle | Opening
KINDS: Mapping[type, str] = {Roll: "roll", Draw: "draw", Shuffle: "shuffle", Opening: "opening"}


def label_parts(request: Chance) -> tuple[str, str]:
    """What the label says of it: why, and what is thrown. An opening has no label."""
    if type(request) is Roll:
        return request.why, f"d{request.sides}"
    return ("", "") if isinstance(request, Opening) else (request.why, KINDS[type(request)])


def fixed_part(request: Chance, label: str) -> dict[str, Any]:
    """What its line must say whatever comes of it: a replay is compared with this."""
    match request:
        case Roll(seat=seat) | Draw(seat=seat):
            return {"seat": seat, "label": label}
        case Shuffle():
            return {"label": label}
        case Opening(root=root, position=position, to=to):
            shown = {} if to is None else {"to": list(to)}
            return {"root": root, "position": position, **shown}


def throw(request: Chance, label: str, dice: Dice) -> tuple[bytes, Any]:
    """Its line in canonical form, and what the rules are told. Of rolls, by far the most, written at once."""
    if type(request) is Roll:
        faces, by = dice.roll(label, request.dice, request.sides)
        what = f'"by":{quote(by)},"faces":{canonical_text(tuple(faces))},"k":"roll","label":{quote(label)}'
        raw = f'{{{what},"seat":{quote(request.seat)},"sides":{request.sides}}}'
        return raw.encode("ascii"), tuple(faces)
    line = {"k": KINDS[type(request)], **fixed_part(request, label)}
    if isinstance(request, Draw):
        lying = tuple(sorted(request.items))
        line |= {"from": lying, **dice.draw(label, lying, request.count)._asdict()}
    elif isinstance(request, Shuffle):
        line |= dice.shuffle(label, tuple(sorted(request.cards)))._asdict()
    return canonical(line), reply_of(request, line)


def reply_of(request: Chance, line: Mapping[str, Any]) -> Any:
    """What the rules are told."""
    match request:
        case Roll():
            return tuple(line["faces"])
        case Draw():
            return tuple(line["items"])
        case Shuffle():
            return Mixed(tuple(line["order"]), line["root"])
        case Opening():
            return None
