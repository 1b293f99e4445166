"""Seats that end the game themselves: no letter is awaited any more, and no umpire had a hand in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem import verify_dice
from pbem.campaigns.adjudicate import adjudicate
from pbem.intake.receive import receive_letter
from pbem.store.campaigns import campaign_row
from pbem.store.journal import read_records
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.hands import flat, read

pytestmark = pytest.mark.usefixtures("without_maps")

AWAITED = ("due by", "attendus au plus tard", "You may write again", "Vous pouvez encore écrire")


def confirms(at: AtHand, seat: str, words: str) -> str:
    """What that seat asks for, and its CONFIRM; returns the last answer, before the game is run on."""
    receive_letter(at.service, at.arrives(at.reply(seat, words)), "test")
    question = at.letters(seat, "question")[0]
    campaigns = receive_letter(at.service, at.arrives(at.reply(seat, "CONFIRM", to=question)), "test")
    told = flat(at.letters(seat)[0])
    for name in campaigns:
        adjudicate(at.service, name)
    return told


def resigned(folder: Path) -> tuple[AtHand, str]:
    at = campaign_at_hand(folder, game="ttlm", name="TTLM-1", players=2, scenario="1918")
    told = ""
    for seat in at.seats:
        if campaign_row(at.db, at.name).state == "running":
            told = confirms(at, seat, "RESIGN")
    return at, told


def agreed(folder: Path) -> tuple[AtHand, str]:
    at = campaign_at_hand(folder, players=2)
    first, other = at.seats
    confirms(at, first, "ARMISTICE")
    return at, confirms(at, other, "ARMISTICE ACCEPT")


@pytest.mark.parametrize("end", [resigned, agreed])
def test_a_game_that_its_seats_end_waits_for_nobody_and_is_not_touched(tmp_path: Path, end: object) -> None:
    assert callable(end)
    at, told = end(tmp_path)
    assert campaign_row(at.db, at.name).state == "over"
    assert not [words for words in AWAITED if words in told]
    record = list(read_records(at.db, at.name))[-1]
    assert "TOUCHED" not in record.marks
    assert {"act", "seats"} <= set(record.public_lines[-1]), "who ended it stands in the public record"
    for seat in at.seats:
        assert "TOUCHED" not in flat(at.letters(seat, "final")[0])


def test_the_checker_finds_the_dice_of_such_a_game_in_order(tmp_path: Path) -> None:
    at, _ = agreed(tmp_path)
    for number, posted in enumerate(reversed(at.letters(at.seats[0]))):
        (tmp_path / f"{number:03}.eml").write_bytes(read(posted).as_bytes())
    found = verify_dice.verify([str(tmp_path)])
    assert found.lines and found.caught == []
    assert not any("TOUCHED" in line for line in found.lines)
