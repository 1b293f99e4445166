"""Letters without pictures, or with drawings: painting a map takes its time, and few tests look at it."""

from __future__ import annotations

from hashlib import sha256

from pytest import MonkeyPatch

WRITERS = (
    "pbem.letters.maps",
    "pbem.letters.receipt",
    "pbem.letters.result",
    "pbem.campaigns.results",
    "pbem.verbs.status",
)


def without_maps(patch: MonkeyPatch) -> None:
    """As for a game that brings no map."""
    for module in WRITERS:
        patch.setattr(f"{module}.has_map", lambda game: False)


def with_drawings(patch: MonkeyPatch) -> None:
    """Digests of drawings for pictures: who draws the same paints the same, and painting takes longest."""
    patch.setattr("pbem.letters.maps.paint", _digest)
    patch.setattr("pbem.letters.maps.paint_like", _digest)


def _digest(*drawn: str | bytes) -> bytes:
    made = sha256()
    for one in drawn:
        made.update(one.encode() if isinstance(one, str) else one)
        made.update(b"\0")
    return made.digest()
