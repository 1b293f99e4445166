"""Hostile text is understood, or asked about, in bounded time; nothing of it stays in memory."""

from __future__ import annotations

import gc
import time
import tracemalloc
from dataclasses import replace

import pytest

from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from pbem.orders.lines import MOST_LINES, MOST_SIGNS
from pbem.orders.own_text import MOST_LETTERS, QuotedLetter, tell_apart
from pbem.orders.reader import understand
from pbem.orders.returned_form import form_rows
from pbem.orders.text import LONG, key, plain, words
from pbem.orders.understood import SentForm
from pbem.verbs.registry import REGISTRY
from tests.mail.hostile import Hostile
from tests.mail.hostile_forms import ALL_HOSTILE as HOSTILE
from tests.orders.writing import OURS, PLAYER, STRANGER, letter, lines, read

SECONDS = 3.0  # a bar for a busy machine; some of these took minutes, one would not have ended
KEPT = 2 * 2**20  # bytes that a letter may leave behind
READ = tuple(one for one in HOSTILE if not one.reason)


def opened(hostile: Hostile) -> Letter:
    found = open_letter(hostile.make())
    assert isinstance(found, Letter)
    return found


@pytest.mark.parametrize("hostile", READ, ids=lambda hostile: hostile.name)
def test_understood_in_bounded_time(hostile: Hostile) -> None:
    found = opened(hostile)
    forms = (SentForm(form_rows(OURS)), SentForm(form_rows(OURS.replace("T3", "T2")), "past"))
    for circumstances in (replace(PLAYER, sent=OURS, forms=forms), STRANGER):
        started = time.process_time()
        done = understand(found, circumstances, REGISTRY)
        assert time.process_time() - started < SECONDS
        heard = [one for given in done.commands for one in given.lines]
        assert len(heard) + len(done.sheet.lines) <= MOST_LINES


@pytest.mark.parametrize("name", ["words without end", "accents without end", "combining marks"])
def test_long_lines_are_not_remembered(name: str) -> None:
    hostile = next(one for one in HOSTILE if one.name == name)
    understand(opened(hostile), PLAYER, REGISTRY)
    gc.collect()
    tracemalloc.start()
    try:
        understand(opened(hostile), PLAYER, REGISTRY)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < KEPT
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("length", [LONG, LONG + 1, 4_000])
def test_long_lines_are_compared_as_short_ones(length: int) -> None:
    text = ("Élan, 3 – A " * 400)[:length]
    assert plain(text) == "".join(plain(sign) for sign in text)
    assert key(text) == "".join(key(word.key) for word in words(text))


def test_lost_signs_cost_no_more_than_others() -> None:
    sent = QuotedLetter.of(OURS)
    line = "? " * 400 + "?QWERTZUIOPASDF"
    started = time.process_time()
    assert [False] == sent.are_ours([line])
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("sign", ["?", "??", "\ufffd"])
def test_signs_lost_on_the_way_leave_a_line_ours(sign: str) -> None:
    told = "Les Alliés de l’Ouest ont pris Metz – été 1915, à l’œuvre."
    lost = "".join(sign if ord(one) > 127 else one for one in told)
    narrow = told.replace("œ", sign)  # a charset of Western Europe
    known = QuotedLetter.of(f"##- A -##\n{told}\n##- end / fin -##").are_ours(
        [lost, narrow, lost + " Pas moi."]
    )
    assert [True, True, False] == known


def test_very_many_letters_of_ours_are_one_region() -> None:
    pair = "##- FWW-1: write above this line -##\nC1: PASS\n##- end / fin -##\n"
    text = tell_apart(lines(pair * (MOST_LETTERS + 20) + "C2: PASS"), OURS)
    assert () == text.lines
    few = tell_apart(lines(pair * 3 + "C2: PASS"), OURS)
    assert ["C2: PASS"] == [line.text for line in few.lines]


def test_of_files_as_much_is_read_as_of_a_text() -> None:
    half, half_and_one = ("\n".join(["C1: PASS"] * n) for n in (MOST_LINES // 2, MOST_LINES // 2 + 1))
    codes = [one.code for one in understand(letter("READY", half, half), PLAYER, REGISTRY).questions]
    assert "cut-off" not in codes
    more = understand(letter("READY", half, half_and_one), PLAYER, REGISTRY).questions
    assert [1] == [len(one.lines) for one in more if one.code == "cut-off"]


def test_of_long_lines_fewer_are_read() -> None:
    long = "PRESS TO ALL: " + "a " * 700
    many = MOST_SIGNS // len(long)
    assert "cut-off" not in [one.code for one in read("\n\n".join([long] * many)).questions]
    more = read("\n\n".join([long] * (many + 3))).questions
    assert [3] == [len(one.lines) for one in more if one.code == "cut-off"]


def test_of_a_signature_as_much_is_read_as_of_a_text() -> None:
    rows = "\n".join(f"%nothing of note {n}" for n in range(MOST_LINES))
    assert [] == [one.code for one in read(f"READY\n{rows}").questions]
    more = read(f"READY\n{rows}\n%C1: PASS")
    assert ["cut-off"] == [one.code for one in more.questions]
    assert [] == [one.code for one in understand(letter("READY"), PLAYER, REGISTRY).questions]
