"""What an advance means to one reader: the items that a game makes of views and facts (`Game.brief`).

An item names what matters and carries what its phrase is filled with; words, and how many of the items are
told, are the letters' business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

Tone: TypeAlias = Literal["gain", "loss", "score", "threat", "chance", "news"]

# Weights that games share, so that the same thing stands in the same place in all of them.
ENDS_IT, DECIDES, GRAVE, NOTABLE, MINOR = 100, 80, 60, 40, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefingItem:
    """One thing that the reader should know at once; the heavier, the earlier it is told."""

    kind: str  # key of its phrase in the sections `briefing` and `headlines`
    tone: Tone
    weight: int
    given: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    tells: tuple[Any, ...] = ()  # facts that it tells, too: beside it they need no sentence of their own
