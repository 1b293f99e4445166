"""Which turn a letter speaks of: a header that names the open one decides; without a header, its address."""

from __future__ import annotations

from pbem.orders.passages import labels
from pbem.orders.plain import plain
from pbem.orders.understood import Circumstances, Question


def wrong_turn(named: str, circumstances: Circumstances) -> Question | None:
    """What has to be asked if the orders are not, or not surely, for the open turn; None: they are."""
    window, answered = circumstances.open, circumstances.answers
    if not window:
        return Question("nothing-open")
    shown = labels(window)[0]
    if not named:
        return _by_address(answered, window)
    if plain(named) not in (plain(label) for label in labels(window)):
        return Question("other-turn", (), {"named": named, "open": shown})
    if plain(named) != plain(shown) and _is_sibling(answered, window):
        # The header names the turn only, and the letter answers another exchange of that turn.
        return _by_address(answered, window)
    return None


def _by_address(answered: str, window: str) -> Question | None:
    shown = labels(window)[0]
    if not answered:
        return Question("which-turn", (), {"open": shown})
    if answered != window:
        return Question("other-turn", (), {"named": labels(answered)[0], "open": shown})
    return None


def _is_sibling(answered: str, window: str) -> bool:
    return bool(answered) and answered != window and labels(answered)[-1] == labels(window)[-1]
