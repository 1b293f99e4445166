"""The faces of a game's dice: how they are written."""

from __future__ import annotations

from collections.abc import Callable

from engine.kernel.pack import GamePack


def face_writer(pack: GamePack) -> Callable[[int], str]:
    """A face as letters show it: S for a 5 or a 6 in The First World War."""
    faces = pack.die_faces
    return (lambda face: faces[face - 1]) if faces else str
