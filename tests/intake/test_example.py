"""The example of docs/players.md works as it is typed."""

from __future__ import annotations

import re
from pathlib import Path

from tests.intake.conftest import Intake, words

PAGE = Path(__file__).parents[2] / "docs" / "players.md"


def test_the_example_of_the_page_for_friends_works_as_typed(intake: Intake) -> None:
    asked, receipt, *_ = re.findall(r"```text\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert intake.says("WA", asked + "\nLANG en").state == "applied"
    told = words(intake.last("WA"))
    for row in receipt.partition("You can change")[0].splitlines():
        if row.strip() and "T3.R" not in row:
            assert " ".join(row.split()).casefold() in told.casefold(), row
