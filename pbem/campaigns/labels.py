"""What a window is called in letters. The question of a window that asks but one is its seat's secret."""

from __future__ import annotations

from pbem.store.windows import OpenWindow


def label_of(window: OpenWindow) -> str:
    """`T3.R`; of a window of a single question only the segment: `T3.R2`."""
    key = window.key.rpartition("@")[2] if window.once else window.key
    return key.partition("/")[0]


def turn_of(label: str) -> str:
    """The turn of a window or a segment: `T3`."""
    return label.partition(".")[0]


def is_in_turn(label: str, named: str) -> bool:
    """Does a window or segment of that label belong to the turn, or the part of one, that was named?"""
    return named.casefold() in (label.casefold(), turn_of(label).casefold())
