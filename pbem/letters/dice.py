"""The faces of a game's dice: how they are written, what they are worth, and which there are.

A pack with a `die` of its own says all of it; otherwise a face is its number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.kernel.fairness.history import Throw


def face_writer(pack: Any) -> Callable[[int], str]:
    """A face as letters show it: S for a 5 or a 6 in The First World War."""
    die = getattr(pack, "die", None)
    return str if die is None else lambda face: str(die.faces[face - 1])


def face_value(pack: Any) -> Callable[[Throw, int], int]:
    """What a face counts in the luck account."""
    die = getattr(pack, "die", None)
    return lambda throw, face: face if die is None else int(die.value(face))


def sides_of(pack: Any) -> int | None:
    """Of the game's dice, or of the largest of them; None: the pack does not say."""
    if (die := getattr(pack, "die", None)) is not None:
        return len(die.faces)
    meta = getattr(pack, "meta", None)
    sides: int | None = getattr(meta, "die_sides", None) or getattr(meta, "dice_sides", None)
    return sides
