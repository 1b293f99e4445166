"""mail.md 3: what is the player's own text, and the template edited in place."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.orders.own_text import ORDERS, begins_block, marker, tell_apart
from pbem.orders.returned_form import form_rows
from pbem.orders.text import key, keys
from pbem.orders.understood import SentForm
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


def test_a_quoted_template_that_was_edited_is_read() -> None:
    for text in (quoted(EDITED), quoted(SHORTER), f"See below.\n@On Monday:\n{quoted(EDITED)}"):
        found = read(text, sent=OURS)
        assert (codes(found), found.verdict, found.source) == ([], "runs", "template")
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
    assert codes(read(quoted(empty), sent=OURS)) == ["empty-block"]


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


# ------------------------------------------------------------------ what a mail program did to the form

LONG = "C3: TRANSFER 3 > 1: FR2 FR3 FR4 FR5 FR6 FR7"
REMARKS = "# Possible now – an order above a PASS is tried before it:\n# C1: ATTACK 3 WITH FR2 FR3"
WITH_REMARK = OURS.replace("C1: PASS", f"{REMARKS}\nC1: PASS\n{LONG}")
LIT = WITH_REMARK.replace("# C1: ATTACK", "C1: ATTACK")


@pytest.mark.parametrize(
    "text",
    [
        quoted(LIT),
        quoted(
            LIT.replace("# Possible now – an order above a PASS", "# Possible now – an order above a\nPASS")
        ),
        quoted(LIT.replace("WITH FR2 FR3\n", "WITH\nFR2 FR3\n")),
        quoted(LIT).replace("WITH FR2 FR3\n", "WITH\nFR2 FR3\n"),  # the rest has no mark
        quoted(LIT).replace("> C1: ATTACK", "C1: ATTACK"),  # typed between the quoted lines
        quoted(
            LIT.replace("C1: PASS\n", "C1: PASS ").replace("WITH FR2 FR3\n", "WITH FR2 FR3\n\n")
        ),  # joined
        quoted(LIT.replace("Possible now – an", "Possible now ? an")),
        quoted(LIT.replace(" is tried before it:", "")),
        quoted(LIT.replace("\nEND\n", "\n\n")),
        LIT,
        quoted(quoted(LIT)),
        "\n".join(f"| {row}" for row in LIT.split("\n")),
    ],
)
def test_a_remark_made_an_order_is_read_whatever_a_program_did(text: str) -> None:
    found = read(f"my orders, edited below\n{text}", sent=WITH_REMARK)
    assert (codes(found), found.source) == ([], "template")
    assert sheet(found)[:2] == ["C1: ATTACK 3 WITH FR2 FR3", "C1: PASS"] and len(found.sheet.lines) == 4
    assert [edit.sent for edit in found.edits][-1:] == ["# C1: ATTACK 3 WITH FR2 FR3"]


@pytest.mark.parametrize(
    "text",
    [
        WITH_REMARK.replace("above a PASS", "above a\nPASS"),
        WITH_REMARK.replace("FR5 FR6", "FR5\nFR6"),
        WITH_REMARK.replace("C1: PASS\nC3", "C1: PASS C3"),
        WITH_REMARK.replace(" is tried before it:", ""),
        WITH_REMARK.replace("Possible now – an", "Possible\u00a0now? an"),
        WITH_REMARK.partition("\nC2: PASS")[0],  # clipped
    ],
)
def test_a_form_as_sent_says_nothing_whatever_a_program_did(text: str) -> None:
    for one in (quoted(text), text):
        assert codes(read(one, sent=WITH_REMARK)) == ["nothing-said"]


@pytest.mark.parametrize(
    "text",
    [
        LIT.replace(" FR6 FR7", ""),  # cut
        LIT.replace(f"C1: PASS\n{LONG}", f"C1: ATTACK 4 {LONG}"),  # joined to an edited one
        LIT.partition("\nC2: PASS")[0],  # clipped, and edited
    ],
)
def test_what_may_be_the_doing_of_a_program_is_asked(text: str) -> None:
    for one in (quoted(text), text):
        found = read(one, sent=WITH_REMARK)
        assert (codes(found), found.verdict) == (["template-wrapped"], "asks")
        assert found.questions[0].confirmable and "C2: PASS" in found.questions[0].facts["form"]  # type: ignore[operator]


def test_a_header_edited_in_the_quote_is_not_taken_for_history() -> None:
    found = read(quoted(EDITED.replace("T3.R", "TURN 3")), sent=OURS)
    assert (codes(found), sheet(found)) == ([], ["C1: ATTACK 3 WITH FR2", "C2: PASS"])
    assert codes(read(quoted(EDITED.replace("T3.R", "T4.R")), sent=OURS)) == ["other-turn"]


def test_the_newest_form_counts_and_older_ones_are_asked_about() -> None:
    past = SentForm(form_rows(OURS.replace("T3.R", "T2.R").replace("C2", "C4")), "past")
    before = SentForm(("ORDERS FWW-1 T3.R", "C3: PASS", "C4: PASS", "END"), "older")
    forms = (SentForm(form_rows(OURS)), before, past)
    for form, expected in zip(forms, ([], ["template-older"], ["template-older"]), strict=True):
        rows = [*form.rows[:-1], "C1: ATTACK 3", "END"]
        found = read(quoted("\n".join(rows)), sent=OURS, forms=forms)
        assert codes(found) == expected and "C1: ATTACK 3" in sheet(found)
        assert codes(read(quoted("\n".join(form.rows)), sent=OURS, forms=forms)) == ["nothing-said"]
        beside = codes(read(f"C1: ATTACK 3\n{quoted(chr(10).join(rows))}", sent=OURS, forms=forms))
        assert beside == ([] if form is past else ["template-and-orders"])


def test_two_different_forms_are_asked_about_and_the_same_one_twice_is_not() -> None:
    other = OURS.replace("C2: PASS", "C2: ATTACK 4")
    found = read(f"{quoted(EDITED)}\n{quoted(other)}", sent=OURS)
    assert (codes(found), found.sheet.lines) == (["several-forms"], ())
    shown = [line.text for line in found.questions[0].lines]
    assert "C1: ATTACK 3 WITH FR2" in shown and "C2: ATTACK 4" in shown
    assert codes(read(f"{quoted(EDITED)}\n{quoted(EDITED)}", sent=OURS)) == []


# ------------------------------------------------------------------ signatures


def test_orders_below_a_signature_are_named() -> None:
    found = read("C1: PASS\n%-- \n%Jeanne\n%C2: ATTACK 3\n%RESIGN\n%Visit my blog")
    assert (codes(found), found.verdict, sheet(found)) == (["in-signature"], "runs", ["C1: PASS"])
    assert [line.text for line in found.questions[0].lines] == ["C2: ATTACK 3", "RESIGN"]
    assert codes(read("C1: PASS\n%Envoyé de mon iPhone")) == []


def test_orders_that_stand_only_below_a_signature_are_asked_about() -> None:
    for above in ("", "Hello,\n", "READY\n"):
        found = read(f"{above}%-- \n%Jeanne\n%C2: ATTACK 3")
        assert (codes(found), found.verdict, sheet(found)) == (["below-signature"], "asks", ["C2: ATTACK 3"])


@pytest.mark.parametrize("said", ["CONFIRM", "STATUS", "CANCEL ALL"])
def test_a_signature_that_reads_like_an_order_holds_no_command(said: str) -> None:
    found = read(f"{said}\n%-- \n%Jeanne\n%C2: ATTACK 3")
    assert (codes(found), found.verdict, sheet(found)) == (["in-signature"], "runs", [])


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
