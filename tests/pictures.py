"""Letters without pictures: drawing a map takes its time, and most tests do not look at it."""

from __future__ import annotations

from pytest import MonkeyPatch

WRITERS = (
    "pbem.report.letters",
    "pbem.report.final",
    "pbem.campaigns.results",
    "pbem.campaigns.requests.standing",
)


def without_maps(patch: MonkeyPatch) -> None:
    """As for a game that brings no map."""
    for module in WRITERS:
        patch.setattr(f"{module}.has_map", lambda game: False)
