"""The receipt of a turn: what comes of its lines, and the board after them, in both languages."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.campaigns.adjudicate import adjudicate
from pbem.intake.receive import receive_letter
from pbem.letters.receipt import AFTER
from pbem.store.outbox import Posted
from tests.campaigns_at_hand import AtHand
from tests.flow.hands import text
from tests.pictures import with_drawings
from tests.trench_at_hand import in_first_round

TURN = "ACTIVE B\nM TNK1 > D6\nM INF1 > C13\nA TNK1 DE.HVY1"  # of Great Britain, which begins
FRENCH = "ACTIVES B\nD CHA1 > D6\nD INF1 > C13\nA CHA1 DE.LOU1"


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AtHand:
    with_drawings(monkeypatch)
    return in_first_round(tmp_path)


def answer(at: AtHand, words: str) -> Posted:
    receive_letter(at.service, at.arrives(at.reply("GB", words)), "test")
    return at.letters("GB")[0]


def flat(posted: Posted) -> str:
    return " ".join(text(posted).split())


def pictures(posted: Posted) -> list[str]:
    letter = message_from_bytes(posted.letter.body, policy=policy.default)
    assert isinstance(letter, EmailMessage)
    return [part.get_filename() or "" for part in letter.walk() if part.get_content_type() == "image/png"]


def test_a_rehearsal_shows_the_board_after_the_moves(at: AtHand) -> None:
    told = answer(at, f"DRAFT\n{TURN}")
    assert pictures(told) == [AFTER]
    words = flat(told)
    assert "THE BOARD AFTER THESE ORDERS" in words
    assert "GB.TNK1 (tank): D10 – D9 – D8 – D7 – D6 (2 points)." in words, "the way that was found"
    assert "TNK1 D6" in words and "INF1 C13" in words, "the board in words"
    assert "GB.TNK1 → DE.HVY1" in words and "fires" not in words


def test_the_same_in_french(at: AtHand) -> None:
    answer(at, "LANG fr")
    told = answer(at, f"BROUILLON\n{FRENCH}")
    assert pictures(told) == [AFTER]
    words = flat(told)
    assert "LE PLATEAU APRÈS CES ORDRES" in words
    assert "GB.CHA1 (tank) : D10 – D9 – D8 – D7 – D6 (2 points)." in words and "CHA1 D6" in words


def test_a_held_sheet_shows_where_the_good_lines_lead_and_offers_the_nearest_path(at: AtHand) -> None:
    told = answer(at, "ACTIVE B\nM TNK1 > D6\nM GUN1 > F8\nM INF1 D10 D9 C10")
    assert told.letter.kind == "question" and pictures(told) == [AFTER]
    words = flat(told)
    assert "THE BOARD AFTER THE GOOD LINES" in words and "TNK1 D6" in words and "GUN1 E11" in words
    assert "As near as it gets to F8: M GUN1 D11 D10 D9 E8. [TC-MOVE-2]" in words
    assert "Step 3: D9 and C10 are not adjacent (GB.INF1). Possible: M INF1 C10." in words
    answer(at, "LANG fr")
    words = flat(answer(at, "ACTIVES B\nD CAN1 > F8"))
    assert "Au plus près de F8 : D CAN1 D11 D10 D9 E8. [TC-MOVE-2]" in words


def test_a_receipt_that_the_result_replaces_has_the_board_in_words_alone(at: AtHand) -> None:
    told = answer(at, TURN)
    assert told.letter.kind == "receipt" and pictures(told) == []
    assert "THE BOARD AFTER THESE ORDERS" in flat(told) and "TNK1 D6" in flat(told)


def test_one_that_is_read_for_itself_has_the_picture(at: AtHand) -> None:
    answer(at, "WAIT")
    assert pictures(answer(at, TURN)) == [AFTER]


def test_who_does_nothing_is_shown_nothing(at: AtHand) -> None:
    told = answer(at, "CHECK\nACTIVE B\nPASS")
    assert pictures(told) == [] and "THE BOARD AFTER" not in flat(told)


def test_target__3_a_second_attack_of_a_unit_is_refused_and_the_others_count(at: AtHand) -> None:
    """TC-TARGET-3: of a list that is illegal as a whole only the line that makes it so is at fault."""
    words = flat(answer(at, "CHECK\nACTIVE B\nM TNK1 > D6\nA TNK1 DE.HVY1\nA TNK1 DE.BER1\nA GUN1 DE.BER1"))
    assert "accepted A TNK1 DE.HVY1" in words
    assert "refused A TNK1 DE.BER1 GB.TNK1 attacks once in a turn; it is listed twice. [TC-TARGET-3]" in words


def test_money_lines_never_hold_a_letter(at: AtHand) -> None:
    """Decisions 4, T47: what cannot be paid is passed over and told; the moves count."""
    told = answer(at, "ACTIVE B\nM INF1 > C13\nBUY TNK B2\nR INF1")
    assert told.letter.kind == "receipt"
    words = flat(told)
    assert "accepted M INF1 > C13" in words
    assert "without effect BUY TNK B2 This line is passed over: You own no fort" in words
    assert adjudicate(at.service, at.name)
    result = flat(next(one for one in at.letters("GB") if one.letter.kind == "result"))
    assert "done M INF1 > C13" in result and "refused BUY TNK B2" in result
