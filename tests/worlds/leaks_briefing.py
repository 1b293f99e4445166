"""Leaks planted in what a letter begins with: its headline, what is chosen for it, and the close-ups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest import MonkeyPatch

from engine.games.first_world_war.game import FirstWorldWar
from engine.kernel.briefing import ENDS_IT, BriefingItem
from pbem.letters import briefing
from pbem.letters.close_ups import Action, Box, CloseUp, Place, close_ups_over
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


def a_close_up_of_a_hidden_event(patch: MonkeyPatch) -> None:
    """A battle that nobody was told of is shown, too."""
    chosen = close_ups_over

    def leaky(action: Action, given: Any) -> list[CloseUp]:
        left = 10 * (hidden() % 50)
        place = Place("?", 100, Box(left, 300, left + 80, 360))
        return chosen(replace(action, places=(place, *action.places)), given)

    patch.setattr("pbem.letters.maps.close_ups_over", leaky)


def a_number_of_close_ups_that_tells(patch: MonkeyPatch) -> None:
    """As many as there are hidden events."""
    chosen = close_ups_over
    patch.setattr("pbem.letters.maps.close_ups_over", lambda *given: chosen(*given)[: hidden() % 3])


PLANTED_BRIEFING: tuple[Planted, ...] = (
    Planted(a_headline_from_hidden_pieces, "words"),
    Planted(a_briefing_that_knows_more, "words"),
    Planted(a_headline_in_an_order_that_tells, "words"),
    Planted(a_close_up_of_a_hidden_event, "words", windows=3, drawn=True),
    Planted(a_number_of_close_ups_that_tells, "words", windows=3, drawn=True),
)
