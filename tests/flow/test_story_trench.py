"""A round of Trench Club by mail: set-up, splits, placement and both turns, one player in each language.

`tests/mails/trench-round` holds the story. The dice are fixed and hashes are struck out, so that only a
change of words or of rules is a change here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import AuditedDice, H
from pbem.campaigns.policy import Policy
from tests.flow.mail_story import Story, compared

STORY = Story(
    folder="trench-round",
    campaign="TC-1",
    game="trench",
    players={"DE": ("german", "en"), "FR": ("french", "fr")},
    holders={"DE": "max@de.test", "FR": "jeanne@wa.test"},
    terms={"tempo": "fast", "policy": Policy(whole_sheets=True), "options": {"nations": "DE FR"}},
)


@pytest.fixture
def fixed_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the hashes of this version are."""
    dice = (H("a round in the trenches", "rolls"), H("a round in the trenches", "draws"))
    monkeypatch.setattr(Ledger, "dice", lambda ledger, close: AuditedDice(*dice))


@pytest.mark.usefixtures("without_maps", "fixed_dice")
def test_a_round_by_mail(tmp_path: Path) -> None:
    kept, letters = compared(STORY, tmp_path)
    assert list(kept) == list(letters)
    for name, words in letters.items():
        assert words == kept[name], name
