"""The luck account: result against expectation of what each roll was for."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.fairness.dice import H, faces
from engine.kernel.fairness.history import Throw
from engine.kernel.fairness.luck import StakedThrow, luck, luck_by_battle
from engine.kernel.requests import Seat
from engine.kernel.retrospect import Stake
from tests.kernel.audited_campaign import SEATS

_, DE, FR = SEATS
PIPS = (1, 2, 3, 4, 5, 6)
LOW = (1, 1, 0, 0, 0, 0)  # a hit on 1 and 2


def rolled(seat: Seat, *shown: int, worth: Any = PIPS, group: str = "attack", **more: Any) -> StakedThrow:
    source, segment = more.pop("source", "audited"), more.pop("segment", "1914-SU.1/LIE")
    throw = Throw(1, 1, segment, seat, group, len(worth), shown, source)
    return StakedThrow(throw, Stake(group, worth, **more))


def test_two_dice_by_hand() -> None:
    (account,) = luck([rolled(DE, 6, 5)])
    assert (11, 7.0, 2) == (account.actual, account.expected, account.dice)
    assert 3 / 36 == pytest.approx(account.at_least)
    assert 35 / 36 == pytest.approx(account.at_most)


def test_where_low_dice_hit_low_dice_are_kind() -> None:
    (kind,) = luck([rolled(DE, 1, 2, 1, worth=LOW)])
    assert (3, 1.0) == (kind.actual, kind.expected)
    assert 1 / 27 == pytest.approx(kind.at_least) and 1 == pytest.approx(kind.at_most)
    (unkind,) = luck([rolled(DE, 6, 6, 6, worth=LOW)])
    assert (0, 1.0) == (unkind.actual, unkind.expected)
    assert 8 / 27 == pytest.approx(unkind.at_most) and 1 == pytest.approx(unkind.at_least)


def test_dice_of_different_worth_are_added_up_exactly() -> None:
    (account,) = luck([rolled(DE, 1, worth=LOW), rolled(DE, 4, worth=(1, 1, 1, 0, 0, 0))])
    assert 1 == account.actual and 1 / 3 + 1 / 2 == pytest.approx(account.expected)
    assert 1 - 2 / 3 * 1 / 2 == pytest.approx(account.at_least)
    assert 1 - 1 / 3 * 1 / 2 == pytest.approx(account.at_most)


def test_forced_and_recorded_dice_are_no_luck() -> None:
    rows = [rolled(DE, 6, source="forced"), rolled(DE, 6, source="recorded"), rolled(DE, 1)]
    (account,) = luck(rows)
    assert (1, 1) == (account.dice, account.actual)


def test_luck_is_told_for_each_seat_and_purpose() -> None:
    rows = [rolled(FR, 6), rolled(DE, 2, group="defence"), rolled(DE, 1)]
    told = [(account.seat, account.group) for account in luck(rows)]
    assert [("DE", "attack"), ("DE", "defence"), ("FR", "attack")] == told


def test_battles_are_told_in_order_each_with_both_sides() -> None:
    rows = [
        rolled(DE, 6, battle=("LIE",)),
        rolled(FR, 2, group="defence", battle=("LIE",)),
        rolled(DE, 5),
        rolled(DE, 1, battle=("LIE",), segment="T2.R1"),
        rolled(DE, 1, battle=("VER",), source="forced"),
    ]
    first, second = luck_by_battle(rows)
    assert [("DE", 6, 3.5), ("FR", 2, 3.5)] == [(one.seat, one.actual, one.expected) for one in first.rows]
    assert (("LIE",), "T2", 1) == (second.battle, second.turn, second.rows[0].actual)


def test_with_many_dice_the_normal_distribution_serves() -> None:
    shown = faces(H("luck"), "x", 199, 6)
    (exact,) = luck([rolled(DE, *shown)])
    (near,) = luck([rolled(DE, *shown, 3, 4)])  # one die more than is counted exactly
    assert exact.at_most == pytest.approx(near.at_most, abs=0.02)
    assert 1 == pytest.approx(near.at_most + near.at_least, abs=0.02)
    (sure,) = luck([rolled(DE, *[1] * 300, worth=(1,))])
    assert (1.0, 1.0) == (sure.at_most, sure.at_least)
