"""A reply to press that holds courtesies only is passed on to its writer; other words are asked about."""

from __future__ import annotations

import pytest

from tests.campaigns_at_hand import UMPIRE, mail
from tests.intake.conftest import Intake, all_to, words


def press_to(intake: Intake, seat: str, writer: str = "WA") -> None:
    intake.says(writer, f"PRESS TO {seat}: Verdun is ours.")


@pytest.mark.parametrize(
    "said",
    [
        "Good luck!",
        "Merci, belle partie",
        "Hello,\n\nwell played, thanks!\n\nMax Brandt",
        "Danke, viel Glück!\nTel. +49 30 1234567",
    ],
)
def test_courtesies_in_reply_to_press_reach_whoever_wrote_it(intake: Intake, said: str) -> None:
    press_to(intake, "DE")
    intake.says("DE", said, to=intake.last("DE", "press"))
    told = words(intake.last("WA", "press"))
    assert said.splitlines()[0].rstrip("!") in told and "Allemagne" in told
    assert "1234567" not in told
    assert [seat for seat in intake.at.seats if intake.at.letters(seat, "press")] == ["WA", "DE"]
    assert "Western Allies" in words(intake.last("DE", "answer"))  # who is told where it went


@pytest.mark.parametrize(
    "said",
    [
        "ATTAK 3 WITH DE5",
        "Good luck! I attack Verdun",
        "Thanks!\nC1 ATTACK front three",
        "I will come for you",
        "Good lukc!",
    ],
)
def test_other_words_are_asked_about_first(intake: Intake, said: str) -> None:
    press_to(intake, "DE")
    intake.says("DE", said, to=intake.last("DE", "press"))
    assert not intake.at.letters("WA", "press")
    assert intake.last("DE").letter.kind == "question"


def test_an_order_in_reply_to_press_is_an_order(intake: Intake) -> None:
    press_to(intake, "DE")
    intake.says("DE", "Thanks!\nC1: ATTACK 3", to=intake.last("DE", "press"))
    assert not intake.at.letters("WA", "press")
    assert "ATTACK 3" in words(intake.last("DE"))


def test_courtesies_in_reply_to_anything_else_go_nowhere(intake: Intake) -> None:
    intake.says("DE", "Good luck!")
    intake.says("DE", "Max", to=intake.last("DE", "result"))
    assert not any(intake.at.letters(seat, "press") for seat in intake.at.seats)


def test_a_name_alone_is_no_message(intake: Intake) -> None:
    press_to(intake, "DE")
    intake.says("DE", "Max Brandt", to=intake.last("DE", "press"))
    assert not intake.at.letters("WA", "press")


def test_courtesies_to_the_umpire_reach_the_umpire(intake: Intake) -> None:
    intake.receives(mail("PRESS TO DE: Welcome.", sender=UMPIRE, subject="[FWW-1]"))
    letters = intake.at.letters("DE", "press")
    if not letters:  # an umpire's letter without a signature is asked about
        intake.receives(
            mail("CONFIRM", sender=UMPIRE, in_reply_to=all_to(intake, UMPIRE)[0].letter.message_id)
        )
        letters = intake.at.letters("DE", "press")
    intake.says("DE", "Thank you!", to=letters[0])
    assert "Thank you!" in words(all_to(intake, UMPIRE)[0])
