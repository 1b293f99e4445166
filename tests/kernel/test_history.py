"""The dice of a campaign as a table, and the luck account."""

from __future__ import annotations

import pytest

from engine.kernel.fairness.dice import H, faces
from engine.kernel.fairness.history import COLUMNS, Throw, history_csv, luck, throws
from engine.kernel.requests import Seat
from tests.kernel.audited_campaign import SEATS, new_ledger

EN, DE, FR = SEATS
ROLL = {"k": "roll", "seat": "DE", "label": "T1/fire/1/d6", "sides": 6, "faces": [3], "by": "audited"}


def a_throw(number: int, seat: Seat, *shown: int, sides: int = 6, source: str = "audited") -> Throw:
    return Throw(number, 1, "1914-SU.1/LIE", seat, "attack", sides, shown, source)


def test_history_tells_turn_segment_seat_purpose_die_and_faces() -> None:
    line = {**ROLL, "label": "T3.R5/F9/attack.DE/2/d6", "faces": [3, 1]}
    ledger = new_ledger(1)
    ledger.records.append(ledger.record(ledger.close({}), [line]))
    (row,) = throws(ledger.records)
    assert Throw(1, 1, "T3.R5/F9", DE, "attack.DE", 6, (3, 1), "audited", 2) == row
    assert "T3" == row.turn
    header, first = history_csv([row]).splitlines()
    assert ",".join(COLUMNS) == header
    assert "1,1,T3,T3.R5/F9,DE,attack.DE,d6,3 1,audited" == first


def test_luck_of_two_dice_by_hand() -> None:
    (account,) = luck([a_throw(1, DE, 6, 5)])
    assert (11, 7.0, 2) == (account.actual, account.expected, account.dice)
    assert 3 / 36 == pytest.approx(account.at_least)
    assert 35 / 36 == pytest.approx(account.at_most)


def test_luck_counts_what_a_face_is_worth() -> None:
    (account,) = luck([a_throw(1, DE, 6, 5, 1)], worth=lambda throw, face: int(face >= 5))
    assert (2, 1.0) == (account.actual, account.expected)
    assert 3 * (1 / 9) * (2 / 3) + 1 / 27 == pytest.approx(account.at_least)


def test_forced_and_recorded_dice_are_no_luck() -> None:
    rows = [a_throw(1, DE, 6, source="forced"), a_throw(2, DE, 6, source="recorded"), a_throw(3, DE, 1)]
    (account,) = luck(rows)
    assert (1, 1) == (account.dice, account.actual)


def test_luck_is_told_for_each_seat_and_die() -> None:
    rows = [a_throw(1, FR, 6), a_throw(2, DE, 20, sides=20), a_throw(3, DE, 1)]
    assert [("DE", 6), ("DE", 20), ("FR", 6)] == [(account.seat, account.sides) for account in luck(rows)]


def test_with_many_dice_the_normal_distribution_serves() -> None:
    shown = faces(H("luck"), "x", 199, 6)
    (exact,) = luck([a_throw(1, DE, *shown)])
    (near,) = luck([a_throw(1, DE, *shown, 3, 4)])  # one die more than is counted exactly
    assert exact.at_most == pytest.approx(near.at_most, abs=0.02)
    assert 1 == pytest.approx(near.at_most + near.at_least, abs=0.02)
    (sure,) = luck([a_throw(1, DE, *[1] * 300, sides=1)])
    assert (1.0, 1.0) == (sure.at_most, sure.at_least)
