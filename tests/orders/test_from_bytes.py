"""The corpus of mail programs, from bytes to what is asked for: the block, and nothing that is quoted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from pbem.orders.reader import understand
from pbem.verbs.registry import REGISTRY
from tests.mail.corpus import Case, corpus
from tests.mail.replies import SENT
from tests.orders.commands import Ready
from tests.orders.writing import PLAYER, codes, commands

CASES = corpus()
WHO = replace(PLAYER, campaign="FWW-3", open="T4", answers="T4", sent="\n".join(SENT), names=())


@pytest.mark.parametrize("program", sorted({case.program for case in CASES}))
def test_the_block_is_found_and_nothing_quoted_is_read(program: str) -> None:
    for case in [one for one in CASES if one.program == program]:
        letter = open_letter(case.raw)
        assert isinstance(letter, Letter), case
        found = understand(letter, replace(WHO, name=letter.sender_name), REGISTRY)
        assert (found.source, codes(found)) == ("block", []), case
        assert [line.text.strip() for line in found.sheet.lines] == wanted(case), case
        assert commands(found) == ([Ready()] if {"READY", "PRÊT"} & set(case.own) else []), case


def wanted(case: Case) -> list[str]:
    """What stands between the frame of the player's own block."""
    rows = [row.strip() for row in case.own]
    begin = next(n for n, row in enumerate(rows) if row.startswith(("ORDERS", "ORDRES")))
    end = next(n for n, row in enumerate(rows) if n > begin and row in ("END", "FIN"))
    return rows[begin + 1 : end]


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 150
    assert len({case.program for case in CASES}) >= 12
