"""The faces of a game's dice: how they are written, what they are worth, and which there are."""

from __future__ import annotations

from collections.abc import Callable

from engine.kernel.fairness.history import Throw
from engine.kernel.pack import GamePack


def face_writer(pack: GamePack) -> Callable[[int], str]:
    """A face as letters show it: S for a 5 or a 6 in The First World War."""
    faces = pack.die_faces
    return (lambda face: faces[face - 1]) if faces else str


def luck_value(pack: GamePack) -> Callable[[Throw, int], int]:
    """What a face counts in the luck account."""
    return lambda throw, face: pack.face_value(face)
