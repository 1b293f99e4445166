"""mail.md 3: what is the player's own text, and the template edited in place."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.orders.own_text import ORDERS, begins_block, marker, tell_apart
from pbem.orders.text import key, keys
from tests.orders.writing import OURS, codes, commands, lines, quoted, read, sheet

EDITED = OURS.replace("C1: PASS", "C1: ATTACK 3 WITH FR2")
SHORTER = OURS.replace("C1: PASS\n", "")
WITHOUT_BEGIN = OURS.partition("\n")[2]
WITHOUT_END = OURS.rpartition("\n")[0]


def own(text: str, sent: str = OURS) -> list[str]:
    return [line.text for line in tell_apart(lines(text), sent).lines if line.text.strip()]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("##- FWW-1: write above this line / écrivez au-dessus -##", "begin"),
        ("  ##– FWW-1: write above this line / écrivez –##", "begin"),
        ("**##- FWW-1: write above this line", "begin"),
        ("##- end / fin -##", "end"),
        ("##- END / FIN -##", "end"),
        ("# a remark", ""),
        ("END", ""),
    ],
)
def test_markers_are_known_however_a_mail_program_writes_them(text: str, kind: str) -> None:
    assert marker(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        f"C1: PASS\n\n{OURS}",  # on top, our letter below without marks
        f"{OURS}\n\nC1: PASS",  # at the bottom
        f"C1: PASS\n@On Monday the umpire wrote:\n{quoted(OURS)}",
        f"@Le lundi l'arbitre a écrit :\n{quoted(OURS)}\nC1: PASS",
        quoted(OURS).replace("> \n> You have", "> \nC1: PASS\n> You have"),  # between the quoted lines
        f"C1: PASS\n{WITHOUT_END}",
        f"C1: PASS\n{WITHOUT_BEGIN}",
        f"C1: PASS\n{WITHOUT_BEGIN.rpartition(chr(10))[0]}",
        f"C1: PASS\n%-- \n%Jeanne\n@On Monday:\n{quoted(OURS)}",
        f"C1: PASS\n{quoted(quoted(OURS))}",
    ],
)
def test_own_text_is_what_is_neither_quoted_nor_ours_nor_signature(text: str) -> None:
    assert own(text) == ["C1: PASS"]
    found = read(text, sent=OURS)
    assert (sheet(found), found.verdict, found.source) == (["C1: PASS"], "runs", "free")


def test_a_quoted_line_cut_in_two_by_a_mail_program_stays_ours() -> None:
    cut = quoted(OURS).replace("is waiting", "is\nwaiting").replace("are waiting for", "are waiting\nfor")
    assert "\nfor your orders." in cut
    assert own(f"C1: PASS\n{cut}") == ["C1: PASS"]


def test_our_lines_wrapped_anew_are_still_ours() -> None:
    wrapped = OURS.replace("are waiting for", "are\nwaiting for").replace("20:00 in", "20:00\nin")
    narrow = "\n".join(part for row in OURS.split("\n") for part in (row[:40], row[40:]) if part or not row)
    for text in (wrapped, narrow):
        found = read(f"C1: PASS\n{text}", sent=OURS)
        assert (sheet(found), codes(found)) == (["C1: PASS"], [])


def test_pictures_and_links_in_our_text_are_no_new_lines() -> None:
    text = OURS.replace("Edit the", "[cid:map@fww]\n[image: map.png]\n<https://example.org/x>\nEdit the")
    assert codes(read(f"C1: PASS\n{text}", sent=OURS)) == []


# ------------------------------------------------------------------ the template


@pytest.mark.parametrize("text", [OURS, quoted(OURS)])
def test_an_unchanged_template_is_ignored(text: str) -> None:
    assert codes(read(text, sent=OURS)) == ["nothing-said"]
    found = read(f"STATUS\n{text}", sent=OURS)
    assert (len(commands(found)), found.sheet.lines, found.verdict) == (1, (), "runs")


def test_a_template_edited_between_the_markers_is_read() -> None:
    for text in (EDITED, f"Hello Max, see below what I do.\n{EDITED}"):
        found = read(text, sent=OURS)
        assert sheet(found) == ["C1: ATTACK 3 WITH FR2", "C2: PASS"]
        assert (found.source, codes(found), found.verdict) == ("template", [], "runs")


def test_a_line_taken_out_of_the_template_is_an_edit() -> None:
    found = read(SHORTER, sent=OURS)
    assert (sheet(found), found.verdict) == (["C2: PASS"], "runs")


def test_a_quoted_template_that_was_edited_waits_for_confirm() -> None:
    for text in (quoted(EDITED), quoted(SHORTER), f"See below.\n@On Monday:\n{quoted(EDITED)}"):
        found = read(text, sent=OURS)
        assert (codes(found), found.verdict, found.source) == (["template-quoted"], "asks", "template")
        assert found.questions[0].confirmable
        assert "C2: PASS" in sheet(found)


@pytest.mark.parametrize("orders", ["C1: MOVE 3: FR2 > 4", "ORDERS T3\nC1: MOVE 3: FR2 > 4\nEND"])
def test_a_template_edited_and_orders_elsewhere_are_asked_about(orders: str) -> None:
    for text in (EDITED, quoted(EDITED)):
        found = read(f"{orders}\n{text}", sent=OURS)
        assert (codes(found), found.verdict) == (["template-and-orders"], "asks")
        assert not found.questions[0].confirmable


def test_a_quoted_template_that_was_only_shortened_does_not_disturb_orders() -> None:
    found = read(f"C1: MOVE 3: FR2 > 4\n{quoted(SHORTER)}", sent=OURS)
    assert (codes(found), sheet(found)) == ([], ["C1: MOVE 3: FR2 > 4"])


def test_another_turn_in_the_header_of_the_template_never_runs() -> None:
    found = read(EDITED.replace("T3.R", "T4.R"), sent=OURS)
    assert (codes(found), found.verdict) == (["other-turn"], "asks")


@pytest.mark.parametrize("new", ["C3: ATTACK 4", "and what about Verdun?", "STATUS"])
def test_new_lines_between_the_markers_are_asked_about(new: str) -> None:
    for text in (OURS, quoted(OURS)):
        mark = "> " if text[0] == ">" else ""
        row = f"{mark}Edit the block below"
        found = read(f"C1: PASS\n{text.replace(row, mark + new + chr(10) + row)}", sent=OURS)
        assert (codes(found), found.verdict) == (["new-lines"], "asks")
        assert [line.text for line in found.questions[0].lines] == [new]


ROWS = OURS.replace("Edit the", "1  C1: PASS\n16  C1: TRANSFER 1 > 10: FR2\nBudapest, București\n\nEdit the")
WITH_MAP = f"{ROWS}\nMap of the fronts\nGalicia: three armies of the East"


@pytest.mark.parametrize(
    ("row", "drawn"),
    [
        ("1  C1: PASS\n16  C1: TRANSFER 1 > 10: FR2", "1\nC1: PASS\n16\nC1: TRANSFER 1 > 10: FR2"),
        ("Budapest, București", "Budapest, Bucure?ti"),
        ("Edit the", "[image: Map of the fronts Galicia:\nthree armies of the East]\nEdit the"),
        ("Edit the", "<map.png>\nInline image\nEdit the"),
    ],
)
def test_our_letter_is_ours_however_it_was_drawn(row: str, drawn: str) -> None:
    assert row in ROWS
    for text in (ROWS.replace(row, drawn), quoted(ROWS.replace(row, drawn))):
        assert codes(read(f"C1: ATTACK 3\n\n{text}", sent=WITH_MAP)) == []


def test_an_order_of_ours_copied_elsewhere_in_our_letter_is_asked_about() -> None:
    copied = ROWS.replace("Edit the", "C1: TRANSFER 1 > 10: FR2\nEdit the")
    found = read(f"READY\n\n{copied}", sent=WITH_MAP)
    assert (codes(found), found.verdict) == (["new-lines"], "asks")


def test_a_template_emptied_in_place_withdraws_after_confirm() -> None:
    empty = OURS.replace("C1: PASS\nC2: PASS\n", "")
    assert codes(read(empty, sent=OURS)) == ["empty-block"]
    assert codes(read(quoted(empty), sent=OURS)) == ["template-quoted", "empty-block"]


def test_the_template_of_an_older_letter_is_history() -> None:
    older = EDITED.replace("T3.R", "T2.R").replace("Metz", "Lille").replace("1915", "1914")
    found = read(f"C1: PASS\n{quoted(older)}", sent=OURS)
    assert (codes(found), sheet(found)) == ([], ["C1: PASS"])


def test_a_template_that_cannot_be_compared_waits_for_confirm() -> None:
    found = read(EDITED, sent="")
    assert "template-unknown" in codes(found)
    assert (found.verdict, sheet(found)) == ("asks", ["C1: ATTACK 3 WITH FR2", "C2: PASS"])
    assert codes(read(f"C1: PASS\n{quoted(EDITED)}", sent="")) == []


def test_the_template_pasted_above_the_line_is_the_players_block() -> None:
    block = "ORDERS FWW-1 T3.R\nC1: PASS\nC2: PASS\nEND"
    found = read(f"{block}\n{quoted(OURS)}", sent=OURS)
    assert (sheet(found), found.source, found.verdict) == (["C1: PASS", "C2: PASS"], "block", "runs")


def test_our_letter_without_its_markers_is_not_taken_for_the_players_block() -> None:
    bare = "\n".join(OURS.split("\n")[1:-1])
    found = read(f"C1: ATTACK 3\n{bare}", sent=OURS)
    assert (sheet(found), found.source) == (["C1: ATTACK 3"], "free")


# ------------------------------------------------------------------ signatures


def test_orders_below_a_signature_are_asked_about() -> None:
    found = read("C1: PASS\n%-- \n%Jeanne\n%C2: ATTACK 3\n%RESIGN\n%Visit my blog")
    assert codes(found) == ["below-signature", "below-signature"]
    assert [question.lines[0].text for question in found.questions] == ["C2: ATTACK 3", "RESIGN"]
    assert codes(read("C1: PASS\n%Envoyé de mon iPhone")) == []


def test_markers_are_known_in_every_sign_that_is_a_hash_to_somebody() -> None:
    signs = [chr(code) for code in range(0x110000) if "#" in normalize("NFKD", chr(code))]
    assert len(signs) > 1 and {marker(f"{sign}{sign}- end / fin -{sign}{sign}") for sign in signs} == {"end"}


SIGNS = st.text(st.sampled_from("ORDESNF 1-\u00a0\u2028\u0301\u200béœßﬁ\uff2f\n\t"), max_size=12)


@given(st.lists(SIGNS, max_size=6))
def test_lines_have_the_same_keys_together_and_alone(texts: list[str]) -> None:
    assert keys(texts) == [key(text) for text in texts]


@given(st.sampled_from(["ORDERS", "Ordres", "orders\u0301", "\u00a0ORD\u200bERS"]), SIGNS)
def test_a_line_that_begins_a_block_has_a_key_that_begins_so(word: str, rest: str) -> None:
    text = f"{word} {rest}"
    assert not begins_block(text) or key(text).startswith(tuple(ORDERS))
