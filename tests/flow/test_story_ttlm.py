"""A season of To the Last Man! by mail: two mailboxes, one in English and one in French, letter by letter.

`tests/mails/ttlm-1914` holds the story. The dice are fixed and hashes are struck out, so that only a change
of words or of rules is a change here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import AuditedDice, H
from tests.flow.mail_story import Story, compared

STORY = Story(
    folder="ttlm-1914",
    campaign="TTLM-1",
    game="ttlm",
    players={"EN": ("entente", "fr"), "GE": ("german", "en")},
    holders={"EN": "jeanne@wa.test", "GE": "max@de.test"},
    terms={"tempo": "react", "scenario": "1914"},
)


@pytest.fixture
def fixed_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the hashes of this version are."""
    dice = (H("the story of 1914", "rolls"), H("the story of 1914", "draws"))
    monkeypatch.setattr(Ledger, "dice", lambda ledger, close: AuditedDice(*dice))


@pytest.mark.usefixtures("without_maps", "fixed_dice")
def test_the_summer_of_1914_by_mail(tmp_path: Path) -> None:
    kept, letters = compared(STORY, tmp_path)
    assert list(kept) == list(letters)
    for name, words in letters.items():
        assert words == kept[name], name
