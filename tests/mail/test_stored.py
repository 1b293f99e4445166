"""Whole mails as files: `<name>.eml` beside `<name>.txt`, which lists what must be read in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from tests.mail.replies import visible

STORED = Path(__file__).parents[1] / "mails" / "stored"
MAILS = sorted(STORED.glob("*.eml"))


def opened(path: Path) -> Letter:
    letter = open_letter(path.read_bytes())
    assert isinstance(letter, Letter), letter
    return letter


@pytest.mark.parametrize("path", MAILS, ids=lambda path: path.stem)
def test_stored_mail(path: Path) -> None:
    letter = opened(path)
    expected = [row.split(maxsplit=1) for row in path.with_suffix(".txt").read_text("utf-8").splitlines()]
    own = visible(line.text for line in letter.lines if line.quoted == 0)
    quoted = visible(line.text for line in letter.lines if line.quoted and not line.role)
    assert own == tuple(text for kind, text in expected if kind == "own")
    assert quoted == tuple(text for kind, text in expected if kind == "quoted")
    assert (letter.automatic, letter.truncated) == ("", False)
    assert letter.sender.endswith("@example.net")
    assert letter.date is not None


def test_names_in_headers() -> None:
    names = {path.stem: opened(path).sender_name for path in MAILS}
    assert names["gmail-web-fr"] == "Camille Lefèvre"
    assert names["outlook-2019-en"] == "Mills, John"
    assert opened(STORED / "gmail-web-fr.eml").subject == "Re: [FWW-3] Automne 1914 – ordres avant le 24 nov."


def test_orders_in_a_file() -> None:
    (orders,) = opened(STORED / "gmail-app-orders-attached.eml").attachments
    assert [line.text for line in orders.lines] == ["ORDERS FWW-3 T4", "attack Paris", "END"]
