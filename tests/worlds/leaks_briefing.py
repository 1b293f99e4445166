"""Leaks planted in what a letter begins with: its headline, and what is chosen for it."""

from __future__ import annotations

from typing import Any

from pytest import MonkeyPatch

from engine.games.first_world_war.game import FirstWorldWar
from engine.kernel.briefing import ENDS_IT, BriefingItem
from pbem.letters import briefing
from tests.worlds.leaks import Planted, hidden


def a_headline_from_hidden_pieces(patch: MonkeyPatch) -> None:
    headline = briefing._headline
    patch.setattr(briefing, "_headline", lambda *args: f"{headline(*args)} {hidden()}")


def a_briefing_that_knows_more(patch: MonkeyPatch) -> None:
    """Whether something is told depends on pieces that the reader does not see."""
    brief = FirstWorldWar.brief

    def leaky(before: Any, view: Any, facts: Any) -> Any:
        more = BriefingItem(kind="treaty-refused", tone="news", weight=ENDS_IT)
        return (*brief(before, view, facts), *((more,) if hidden() % 2 else ()))

    patch.setattr(FirstWorldWar, "brief", staticmethod(leaky))


def a_headline_in_an_order_that_tells(patch: MonkeyPatch) -> None:
    """The same two clauses, the heavier of them by hidden pieces."""
    brief = FirstWorldWar.brief

    def leaky(before: Any, view: Any, facts: Any) -> Any:
        kinds = ("treaty-refused", "treaty-signed")
        more = [
            BriefingItem(kind=kind, tone="news", weight=ENDS_IT + (n == hidden() % 2))
            for n, kind in enumerate(kinds)
        ]
        return (*brief(before, view, facts), *more)

    patch.setattr(FirstWorldWar, "brief", staticmethod(leaky))


PLANTED_BRIEFING: tuple[Planted, ...] = (
    Planted(a_headline_from_hidden_pieces, "words"),
    Planted(a_briefing_that_knows_more, "words"),
    Planted(a_headline_in_an_order_that_tells, "words"),
)
