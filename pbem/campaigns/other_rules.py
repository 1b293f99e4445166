"""Campaigns that were begun with other rules than this code has.

Each pins the version of its rules in the first line of its journal, for good. After an upgrade it stays with
workers of the old version until it is over, or goes back to a seam by consent.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.games import game
from engine.kernel.errors import UnknownGame, WrongPack
from pbem.store.campaigns import pinned_rules
from pbem.store.connect import Db


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game, in one version."""

    game: str
    version: str


class HasOtherRules(Exception):
    """Workers with the rules of that campaign have to see to it."""

    def __init__(self, campaign: str) -> None:
        super().__init__(campaign)
        self.campaign = campaign


def other_rules(db: Db, name: str) -> Rules | None:
    """The rules which the campaign was begun with; None: those that this code has."""
    pinned = Rules(*pinned_rules(db, name))
    try:
        ours = Rules(pinned.game, game(pinned.game).rules_version)
    except UnknownGame:
        return pinned
    return None if pinned == ours else pinned


def pass_on_if_others(db: Db, name: str, error: Exception) -> None:
    """Raises HasOtherRules if that is why the campaign could not be taken up here."""
    if isinstance(error, WrongPack | UnknownGame) and other_rules(db, name) is not None:
        raise HasOtherRules(name) from None
