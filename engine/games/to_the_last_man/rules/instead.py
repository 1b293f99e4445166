"""What would have been legal: told with a refusal where the place, the piece or the card was a wrong choice.

A list of all that would do takes long. So it is made only for a refusal that is told, never for a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from engine.kernel.errors import Refusal

WRONG_CHOICE = frozenset(
    {
        # places
        "army-not-there",
        "disputed-to-enemy",
        "enemy-area-in-a-pass",
        "enemy-end",
        "enemy-on-the-way",
        "enemy-to-enemy",
        "full-on-the-way",
        "no-infantry-there",
        "no-room",
        "no-uk-infantry-there",
        "not-a-source",
        "not-adjacent",
        "not-at-home",
        "not-friendly",
        "not-friendly-before",
        "not-in-the-box",
        "not-supplied",
        "one-entry",
        "only-british-there",
        "only-in-england",
        "retreat-to-enemy",
        "too-far",
        # pieces
        "artillery-cap",
        "biplane-cap",
        "cannot-entrench",
        "does-not-arrive",
        "empty-army",
        "entrenched-already",
        "kept-apart",
        "no-slot",
        "not-eliminated",
        "not-own-army",
        "wrong-nation",
    }
)


def with_legal(refusal: Refusal | None, legal: Callable[[], Iterable[str]]) -> Refusal | None:
    """The refusal with what would do instead; as it is where nothing would, or where it is no such matter."""
    if refusal is None or refusal.reason not in WRONG_CHOICE or "legal" in refusal.facts:
        return refusal
    found = tuple(dict.fromkeys(legal()))
    return replace(refusal, facts={**refusal.facts, "legal": found}) if found else refusal
