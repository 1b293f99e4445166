"""Questions a seat may be asked before its next letter, each with what is on file for it.

The defender decides nothing (decisions 1): until a seat's own turn comes only its set-up and what becomes of
a turn it misses can be foreseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.games.trench_club.view import View
from engine.kernel.game import Forecast, Language, Line

USUAL = {
    "turn.lead": {"en": "DEFAULT HOLD", "fr": "DEFAUT TENIR"},
    "turn.join": {"en": "DEFAULT CAPTAIN", "fr": "DEFAUT CAPITAINE"},
}


def foreseen(view: View, standing: Sequence[Line], language: Language = "en") -> tuple[Forecast, ...]:
    """Topic by topic in the order in which they come."""
    return tuple(told for topic in topics(view) for told in _told(topic, standing, language))


def topics(view: View) -> Iterator[str]:
    phase = view.position.phase
    if phase == "placing":
        yield from ("setup.flip", "setup.place")
    if phase not in ("split", "over"):
        yield "turn.lead" if view.camp == view.nation else "turn.join"  # COOP-5 the captain leads the turn


def _told(topic: str, standing: Sequence[Line], language: Language) -> Iterator[Forecast]:
    lines = [line for line in standing if topic in line.topics]
    for line in lines:
        yield Forecast(topic, line.write(language), True)
    if not lines and topic in USUAL:
        yield Forecast(topic, USUAL[topic][language], False)
