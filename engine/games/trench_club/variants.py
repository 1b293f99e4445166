"""The ways to play that a trial of the rules goes through, one after the other.

Alone against the automa, two, two against the automa, four; each with the basic rules, with trenches and with
dice cards; then all of them again with the other choices that a campaign has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from engine.kernel.game import GameSettings

Seated: TypeAlias = tuple[int, Mapping[str, Any]]

DUEL: Seated = (2, {})
FOUR: Seated = (4, {})
SOLO: Seated = (1, {})
COOP: Seated = (2, {"coop": True})
TABLES = (DUEL, FOUR, SOLO, COOP)
RULES: tuple[Mapping[str, Any], ...] = ({}, {"trench_rules": True}, {"diceless": "all"})
OTHERWISE: Mapping[str, Any] = {
    "half": "7-12",
    "second_round": "any_two",
    "unit_limit": 3,
    "engineers_in_special_deck": False,
    "fort_pass_through": False,
}
NATIONS = ("AH FR", "", "GB AH", "DE AH GB")  # at each of the tables, where they are chosen
LEVELS = ("easy", "hard", "overkill")  # of the automa, besides the standard one


def _variants() -> Iterator[GameSettings]:
    for rules in RULES:
        for players, kind in TABLES:
            yield GameSettings(players=players, options={**kind, **rules})
    for rules, level in zip(RULES, LEVELS, strict=True):
        for table, nations in zip(TABLES, NATIONS, strict=True):
            players, kind = table
            own = {"short_game": True} if table in (DUEL, FOUR) else {"automa_level": level}
            yield GameSettings(
                players=players, options={**kind, **rules, **OTHERWISE, **own, "nations": nations}
            )


VARIANTS: tuple[GameSettings, ...] = tuple(_variants())
