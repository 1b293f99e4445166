"""Checks across the tables of the pack."""

from __future__ import annotations

from engine.kernel.pack import Content


def check(content: Content) -> None:
    """Every cross check."""
