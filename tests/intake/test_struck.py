"""Orders and commands that are struck out are not obeyed, and their writer is told."""

from __future__ import annotations

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP

import pytest

from pbem.store.windows import SeatOrders, read_orders
from tests.campaigns_at_hand import NAME
from tests.intake.conftest import Intake, words

NOT_COUNTED = "You crossed this out, so it does not count"
IN_PART = "Part of this line is crossed out"


def reply(intake: Intake, page: str, plain: str = "") -> bytes:
    """A seat's reply in HTML; with `plain`, in both forms."""
    found = BytesParser(EmailMessage, policy=SMTP).parsebytes(intake.at.reply("EA", "x"))
    for name in ("content-type", "content-transfer-encoding", "mime-version"):
        del found[name]
    if plain:
        found.set_content(plain)
        found.add_alternative(page, subtype="html")
    else:
        found.set_content(page, subtype="html")
    return found.as_bytes()


def filed(intake: Intake) -> tuple[str, str]:
    """Orders and stance on file."""
    mine = read_orders(intake.at.db, NAME).seats.get("EA", SeatOrders())
    return "" if mine.sheet is None else mine.sheet.orders, mine.stance or ""


BLOCK = "ORDERS FWW-1 T1.R<br>{}<br>END"


@pytest.mark.parametrize(
    ("page", "orders", "stance"),
    [
        (BLOCK.format("<s>C1: ATTACK 8</s><br>C1: ATTACK 9"), "C1: ATTACK 9", ""),
        (BLOCK.format("<del>C1: ATTACK 8</del><br>C2: PASS"), "C2: PASS", ""),
        ("<s>C1: ATTACK 8</s><br>C1: ATTACK 9", "C1: ATTACK 9", ""),
        ("<p><strike>READY</strike></p><p>WAIT</p>", "", "wait"),
        ("<p>WAIT</p><p><span style='text-decoration: line-through;'>READY</span></p>", "", "wait"),
        (f"<s>READY</s><br>{BLOCK.format('C2: PASS')}", "C2: PASS", ""),
    ],
)
def test_a_struck_line_does_not_count(intake: Intake, page: str, orders: str, stance: str) -> None:
    assert intake.receives(reply(intake, f"<div>{page}</div>")).state == "applied"
    assert filed(intake) == (orders, stance)
    assert NOT_COUNTED in words(intake.last("EA"))


def test_nor_does_it_where_the_text_cannot_tell(intake: Intake) -> None:
    """Mail programs leave the stroke out of the text that they send beside the HTML."""
    page = "<div>WAIT</div><div><s>READY</s></div>"
    assert intake.receives(reply(intake, page, "WAIT\nREADY\n")).state == "applied"
    assert filed(intake) == ("", "wait")


def test_a_block_with_nothing_left_is_asked_about(intake: Intake) -> None:
    intake.receives(reply(intake, f"<p>{BLOCK.format('<s>C1: ATTACK 8</s>')}</p><p>READY</p>"))
    assert filed(intake) == ("", "")
    told = words(intake.last("EA", "question"))
    assert NOT_COUNTED in told and "The block of orders is empty" in told


def test_a_letter_with_nothing_but_struck_lines_does_nothing_and_says_so(intake: Intake) -> None:
    mail_row = intake.receives(reply(intake, "<p><s>READY</s></p>"))
    assert (mail_row.state, filed(intake)) == ("refused", ("", ""))
    assert NOT_COUNTED in words(intake.last("EA"))


@pytest.mark.parametrize(
    "page",
    [
        BLOCK.format("C1: ATTACK <s>3</s> 4"),
        "C1: ATTACK <s>3</s> 4",
        f"<s>WAIT</s> READY<br>{BLOCK.format('C2: PASS')}",
        "PRESS TO GA: I shall <s>not</s> help you",
        "PRESS TO GA<br>I shall <s>not</s> help you<br>END",
        f"<s>Now</s> READY<br>{BLOCK.format('C2: PASS')}",
        "ORDERS FWW-1 <s>T1</s>T1.R<br>C2: PASS<br>END",
        "STANDING<br>DRAW <s>YES</s> NO<br>END",
    ],
)
def test_a_line_struck_in_part_is_asked_about_and_nothing_runs(intake: Intake, page: str) -> None:
    before = len(intake.at.letters("GA", "press"))
    intake.receives(reply(intake, f"<div>{page}</div>"))
    assert filed(intake) == ("", "") and len(intake.at.letters("GA", "press")) == before
    assert IN_PART in words(intake.last("EA", "question"))


@pytest.mark.parametrize(
    "text",
    [
        "[ ] READY", "~~READY~~", "☐ READY\n[x] WAIT", "[ ] C1: ATTACK 8", "~~C1: ATTACK 8\nC2: PASS~~",
        "ORDERS FWW-1 T1.R\n☐ C1: ATTACK 8\nC2: PASS\nEND", "ORDERS FWW-1 T1.R\n~~C2: PASS~~\nEND\nREADY",
    ],
)  # fmt: skip
def test_so_is_one_that_a_plain_text_crosses_out_or_whose_box_is_empty(intake: Intake, text: str) -> None:
    assert intake.says("EA", text).state == "refused"
    assert filed(intake) == ("", "") and "its box is not ticked" in words(intake.last("EA", "question"))


def test_a_form_whose_boxes_were_left_empty_is_asked_about(intake: Intake) -> None:
    rows = str(_plain(intake.last("EA", "result").letter.body)).splitlines()
    start = next(n for n, row in enumerate(rows) if row.startswith("ORDERS FWW-1"))
    rows[start + 1 : start + 1] = ["[ ] C1: ATTACK 8", "[x] C1: ATTACK 9"]
    intake.says("EA", "\n".join(f"> {row}" for row in rows))
    assert filed(intake) == ("", "")


def test_what_is_ticked_counts(intake: Intake) -> None:
    assert intake.says("EA", "ORDERS FWW-1 T1.R\n[x] C1: ATTACK 8\nEND\n- [x] WAIT").state == "applied"
    assert filed(intake) == ("C1: ATTACK 8", "wait")


def test_talk_beside_a_block_may_have_strokes(intake: Intake) -> None:
    page = f"<div>{BLOCK.format('C2: PASS')}</div><div>Our price: <s>99</s> 79 crowns!</div>"
    assert intake.receives(reply(intake, page)).state == "applied"
    assert filed(intake) == ("C2: PASS", "") and IN_PART not in words(intake.last("EA"))


def test_strokes_in_a_quote_are_nobodys_orders_and_not_spoken_of(intake: Intake) -> None:
    page = "<div>READY</div><blockquote type='cite'><div><s>C1: ATTACK 8</s></div>WAIT</blockquote>"
    assert intake.receives(reply(intake, page)).state == "applied"
    assert filed(intake) == ("", "ready") and NOT_COUNTED not in words(intake.last("EA"))


@pytest.mark.parametrize("quoted", [True, False])
def test_a_line_struck_in_our_own_block_is_taken_out_of_it(intake: Intake, quoted: bool) -> None:
    """Our form edited in place: what is left of it is read."""
    ours = intake.last("EA", "result")
    text = str(_plain(ours.letter.body)).splitlines()
    start = next(n for n, row in enumerate(text) if row.startswith("ORDERS FWW-1"))
    text[start + 1 : start + 1] = ["<s>C1: ATTACK 8</s>", "C1: ATTACK 9"]
    page = "<br>".join(row if "<s>" in row else row.replace("<", "&lt;") for row in text)
    intake.receives(
        reply(intake, f"<blockquote type=cite>{page}</blockquote>" if quoted else f"<div>{page}</div>")
    )
    assert "ATTACK 8" not in filed(intake)[0] and filed(intake)[0].startswith("C1: ATTACK 9")
    assert IN_PART not in words(intake.last("EA"))


def _plain(body: bytes) -> str:
    found = BytesParser(EmailMessage, policy=SMTP).parsebytes(body).get_body(("plain",))
    assert found is not None
    return str(found.get_content())
