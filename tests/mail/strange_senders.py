"""From headers that name two people: one mailbox's grammar, bent and broken in every place."""

from __future__ import annotations

import random
import re
from base64 import b64encode

SPECIALS = '<>@,;:"()[]\\. \t'
BETWEEN = (
    " ",
    "",
    ", ",
    "; ",
    ": ",
    "\t",
    "\r\n ",
    " <",
    "> ",
    " (",
    ") ",
    '" ',
    "@",
    "\\",
    " . ",
    " via ",
    ":;,",
)
_CUT = re.compile(r"\r(?!\n)|(?<!\r)\n|\n(?![ \t])")  # a header that ends there
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def strange_from(dice: random.Random, victim: str, thief: str) -> bytes:
    """A From in which a careless reader may find either; the thief's provider finds its customer in it."""
    while True:
        make = dice.choice((_beside_another, _beside_another, _beside_another, _in_name))
        text = make(dice, victim, thief)
        for _ in range(dice.randrange(3)):
            text = _bent(dice, text)
        text = text.strip()
        if is_signed_for(thief, text) and not _CUT.search(text):
            return text.encode()


def _beside_another(dice: random.Random, victim: str, thief: str) -> str:
    more = dice.choices((victim, thief, "Max", "M. Holm", '"Max"', "us"), k=dice.randrange(3))
    pieces = [victim, thief, *more]
    dice.shuffle(pieces)
    text = dice.choice(("", "", "Max ", '"Holm, Max" ', "us: "))
    return text + "".join(_dressed(dice, piece) + dice.choice(BETWEEN) for piece in pieces)


def _in_name(dice: random.Random, victim: str, thief: str) -> str:
    """All but well-formed: the victim's mailbox, with a name or a remark that holds the other's."""
    name = dice.choice(("", "Max ", '"Holm, Max" ', "M. ")) + _dressed(dice, thief)
    return dice.choice(
        (f"{name} <{victim}>", f"{name}\t<{victim}>", f"<{victim}> ({name})", f"{victim} ({name})")
    )


def is_signed_for(customer: str, text: str) -> bool:
    """A careless provider: its customer's address stands there, in any case or encoded, and in no string."""
    shown = _STRING.sub(" ", text)
    return customer.lower() in shown.lower() or any(one in shown for one in _encoded(customer))


def _encoded(address: str) -> tuple[str, str]:
    local, _, host = address.partition("@")
    return f"=?utf-8?b?{b64encode(address.encode()).decode()}?=", f"=?utf-8?q?{local}=40{host}?="


def _dressed(dice: random.Random, piece: str) -> str:
    local, at, host = piece.partition("@")
    if not at:
        return piece
    return dice.choice(
        (
            piece, piece, f"<{piece}>", f"<{piece}>", f'"{piece}"', f"({piece})", piece.upper(),
            f"< {piece} >",
            f"<@{host}:{piece}>", f"<{piece}", f"{piece}>", f"<<{piece}>>", *_encoded(piece),
            f'"{local}"@{host}', f"{local}(x)@{host}",
            f"{local}@(x){host}",
            f"<mailto:{piece}>", f"[{piece}]", f"{local} @ {host}", f"us: {piece};",
        )
    )  # fmt: skip


def _bent(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text) or 1)
    match dice.randrange(4):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[:at] + dice.choice(SPECIALS) + text[at:]
        case 2:
            return text[:at] + text[at : at + 12] * 2 + text[at + 12 :]
        case _:
            other = dice.randrange(len(text) or 1)
            return text[: min(at, other)] + text[max(at, other) :]
