"""A player whose turn it is not is told that, with the state of things, and is not asked for a letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.intake.receive import receive_letter
from pbem.store.inbox import letter
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.hands import flat, window
from tests.trench_at_hand import in_first_round

# Jeanne, who reads French, has the first seat; the other players read English.
AWAITED = ("Your orders are due by", "Vos ordres sont attendus")
AGAIN = ("Send it again", "Send the letter again", "Renvoyez")


def answer(at: AtHand, seat: str, words: str) -> tuple[str | None, str]:
    """What became of the letter, and what came back."""
    number = at.arrives(at.reply(seat, words))
    receive_letter(at.service, number, "test")
    received = letter(at.db, number)
    assert received is not None
    told = flat(at.letters(seat)[0])
    assert not any(words in told for words in AWAITED), told
    return received.reason, told


TURN = "M INF1 > C13"
TRENCH = (
    TURN,
    f"ORDERS\n{TURN}\nEND",
    f"ORDERS TC-1 R1.DE.T\n{TURN}\nEND",
    f"ORDERS TC-1 R1.GB.T\n{TURN}\nEND",
    f"ORDRES TC-1 R2.DE.T\n{TURN}\nFIN",
    f"ORDRES TC-1 manche 1\n{TURN}\nFIN",
)


@pytest.mark.parametrize("words", TRENCH)
def test_orders_of_a_turn_in_the_turn_of_another(tmp_path: Path, words: str) -> None:
    at = in_first_round(tmp_path)
    reason, told = answer(at, "DE", words)
    assert reason == "out-of-turn" and not any(again in told for again in AGAIN)
    assert (
        "Ce n’est pas votre tour." in told
        and "Le tour de la Grande-Bretagne (manche 1) attend la Grande-Bretagne jusqu’au" in told
    )
    assert read_orders(at.db, at.name).seats["DE"].sheet is None
    answer(at, "DE", "LANG en")
    reason, told = answer(at, "DE", words)
    assert (
        "It is not your turn." in told
        and "Round 1 (Great Britain) is waiting for Great Britain until" in told
    )


def test_what_is_taken_at_any_time_is_filed_all_the_same(tmp_path: Path) -> None:
    at = in_first_round(tmp_path)
    reason, told = answer(at, "DE", "DEFAULT HOLD")
    assert reason == "filed" and "Le tour de la Grande-Bretagne (manche 1) attend la Grande-Bretagne" in told


@pytest.mark.parametrize("words", ["1", "Q1: 1"])
def test_a_number_where_another_is_asked(tmp_path: Path, words: str) -> None:
    at = campaign_at_hand(tmp_path, tempo="strict")
    assert "WA" not in window(at).seats
    _, told = answer(at, "WA", words)
    assert "et rien de vous" in told and not any(again in told for again in AGAIN)


@pytest.mark.parametrize("tempo", ["fast", "react", "strict"])
def test_a_sheet_in_the_other_sides_turn_is_told_whose_it_is(tmp_path: Path, tempo: str) -> None:
    at = campaign_at_hand(tmp_path, game="ttlm", players=2, tempo=tempo, name="TTLM-2", scenario="1915")
    assert window(at).seats == ("GE",)
    reason, told = answer(at, "EN", "MOVE FR6 COM-PIC\nPASS")
    assert "is waiting for Germany until" in told
    assert reason == "out-of-turn" and "It is the Player Turn of Germany" in told
    assert read_orders(at.db, at.name).seats["EN"].sheet is None
    reason, told = answer(at, "EN", "ALWAYS PASS\nAT *: ERSATZ MAX 2")
    assert reason == "filed" and "It is the Player Turn" not in told


@pytest.mark.parametrize("words", ["STATUS", "READY", "HELP", "Bonjour"])
def test_commands_of_somebody_out_of_turn_are_answered_alone(tmp_path: Path, words: str) -> None:
    answer(in_first_round(tmp_path), "DE", words)


@pytest.mark.parametrize(("words", "left"), [("CANCEL", None), ("CANCEL 1", "\nAT LIE: ERSATZ MAX 1")])
def test_what_is_on_file_in_the_turn_of_another_can_be_withdrawn(
    tmp_path: Path, words: str, left: str | None
) -> None:
    """The receipt said so, and CANCEL was answered that nothing is on file."""
    at = campaign_at_hand(tmp_path, game="ttlm", players=2, name="TTLM-2", scenario="1915")
    plan = "AT *: ERSATZ MAX 2\nAT LIE: ERSATZ MAX 1"
    assert "CANCEL with its number withdraws a line" in answer(at, "EN", plan)[1]
    told = answer(at, "EN", words)[1]
    assert "withdrawn" in told.lower() and "nothing on file" not in told
    sheet = read_orders(at.db, at.name).seats["EN"].sheet
    assert (sheet.orders if sheet else None) == left
    answer(at, "EN", "CANCEL")
    assert "you have nothing on file to change" in answer(at, "EN", "CANCEL")[1]
