"""What a receipt says of a sheet goes as far as its writer's own knowledge: enemies are silent."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import Attack, Move, Transfer
from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.rules.rounds import RoundOptions
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.rules.fww.course import position

PACK = GAME.load_pack()


def at_window(key: str, players: int = 4) -> Table:
    table = Table.start(GAME, PACK, GameSettings("standard", players, "fast"), TestDice(1))
    pause = table.advance()
    while pause is not None and pause.window.key != key:
        pause = table.advance()
    return table


def statuses(table: Table, seat: str, sheet: str) -> list[str]:
    reading = GAME.notation.read(sheet, table.view(Seat(seat)))
    assert not reading.refusals
    return [one.status for one in judge_sheet(table, Seat(seat), OrderFile(reading.orders))]


@pytest.mark.parametrize("seat", ["DE", "WA", "EA", "GA"])
def test_4_2_2__3_a_plain_pass_is_accepted_whoever_acts_before_it(seat: str) -> None:
    passes = "C1: PASS\nC2: PASS\nC3: PASS\nC4: PASS"
    assert statuses(at_window("T1.R"), seat, passes) == ["accepted"] * 4


def test_4_2_2__3_a_pass_behind_an_attack_of_ones_own_is_accepted() -> None:
    assert statuses(at_window("T1.R"), "DE", "C1: ATTACK 1\nC2: PASS") == ["accepted", "accepted"]


def test_a_pass_below_another_order_for_its_round_depends_on_that() -> None:
    table = at_window("T1.R")
    assert statuses(table, "DE", "C1: ATTACK 1\nC1: PASS") == ["accepted", "idle"]
    assert statuses(table, "DE", "C2: ATTACK 1\nC2: PASS") == ["accepted", "idle"], "at most one is lost"
    assert statuses(table, "DE", "C4: ATTACK 1\nC4: PASS") == ["untested", "untested"]


def test_3__7_every_faction_s_deployment_is_tested() -> None:
    """Where the enemy places its counters bears on none of them; in turn 1 nothing is held back."""
    table = at_window("T1.D", players=2)
    for seat in GAME.seats(table.settings):
        lines = [f"{faction} DEPLOY HOLD ALL" for faction in table.view(seat).factions]
        assert statuses(table, seat, "\n".join(lines)) == ["refused", "refused"]


def test_4_2_2__1_a_line_for_a_round_that_is_over_does_nothing_and_says_why() -> None:
    table = Table.start(GAME, PACK, GameSettings("standard", 2, "react"), TestDice(1))
    pause = table.advance()
    while pause is not None and pause.window.key != "T1.C3":
        pause = table.advance()
    seat = Seat("CENTRAL")
    view = table.view(seat)
    sheet = OrderFile(GAME.notation.read("DE C1: ATTACK 3", view).orders)
    (verdict,) = judge_sheet(table, seat, sheet)
    assert verdict.status == "idle"
    assert verdict.refusal is not None and verdict.refusal.reason == "round-is-over"


def test_4_2_2__2_a_pass_sent_with_the_deployment_is_accepted_unless_another_order_stands_beside_it() -> None:
    table = at_window("T1.D")
    assert statuses(table, "DE", "C2: PASS") == ["accepted"]
    assert statuses(table, "DE", "C2: ATTACK 1\nC2: PASS") == ["untested", "untested"]
    assert statuses(table, "DE", "C1: ATTACK 1\nC2: PASS") == ["untested", "accepted"]


def test_a_condition_makes_no_line_one_for_another_round() -> None:
    """It was told to do nothing, as if the line above it had answered its question, and was then done."""
    sheet = "C1: ATTACK 1\nC2: IF HOLD METZ THEN ATTACK 2 ELSE PASS"
    assert statuses(at_window("T1.R"), "DE", sheet) == ["accepted", "untested"]
    same = "C1: ATTACK 1\nC1: IF HOLD METZ THEN ATTACK 2 ELSE PASS"
    assert statuses(at_window("T1.R"), "DE", same) == ["accepted", "idle"]


@pytest.mark.parametrize(
    "line",
    [
        "GA C1: ATTACK 3",
        "DE C1: ATTACK 9",
        "DE C1: ATTACK 9 WITH REAL",
        "GA C2: MOVE 3: 2D > 2",
        "DE C3: TRANSFER 10 > 3: ALL",
        "GA C1: IF TURN >= 9 THEN ATTACK 3 ELSE PASS",
        "DEFEND 9: TILE BEST",
        "DE DEFEND 9: ASK",
        "GA ATTACKTILE 3: NONE",
        "DE OCCUPY 5: UDINE",
    ],
)
def test_2_1__7_where_the_partner_fights_an_order_is_refused_with_that_reason(line: str) -> None:
    """Of an attack it was said only when it came to nothing that no army was named."""
    table, seat = at_window("T1.R", players=2), Seat("CENTRAL")
    named = line if line.startswith(("DE ", "GA ")) else f"DE {line}"
    view = table.view(seat)
    reading = GAME.notation.read(named, view)
    assert not reading.refusals
    for one in (*reading.orders, *reading.standing):
        refusal = one.never(view)
        assert refusal is not None and (refusal.rule, refusal.reason) == ("FWW-2.1-7", "fights-elsewhere")
    assert [one.status for one in judge_sheet(table, seat, OrderFile(reading.orders))] in (["refused"], [])


def test_2_1__7_the_round_itself_gives_the_same_reason() -> None:
    options = RoundOptions(position({3: "DE5", 9: "AH1"}), "GA")
    for answer in (Attack(3, ()), Move(3, ()), Transfer(3, 2, ())):
        refusal = options.why_not(answer)
        assert refusal is not None and (refusal.rule, refusal.reason) == ("FWW-2.1-7", "fights-elsewhere")


@pytest.mark.parametrize(
    ("line", "said", "why"),
    [
        ("C3: ATTACK 1 WITH DE12", "refused", "not-there"),  # no new army comes before the next turn
        ("C3: ATTACK 1 WITH DE12\nC3: PASS", "idle", "not-there"),  # the line below it serves
        ("C2: IF TURN >= 2 THEN ATTACK 1", "idle", ""),  # this is turn 1
        ("C3: IF TURN = 1 THEN PASS", "accepted", ""),
        ("C4: ATTACK 3 WITH REAL", "untested", ""),  # three attacks could cost all that stand there
        ("LEAD AH5", "refused", "not-taking-part"),  # it never stands where Germany fights
        ("DEPLOY DE1 > 1", "untested", "not-new"),  # it may be lost, and come back
        ("TAKE NONE", "idle", ""),  # only who attacks takes ground
        ("C1: ATTACK 1", "accepted", ""),
    ],
)
def test_4_2_2__1_what_no_enemy_and_no_die_can_change_is_told_at_once(line: str, said: str, why: str) -> None:
    table = at_window("T1.R")
    sheet = OrderFile(GAME.notation.read(line, table.view(Seat("DE"))).orders)
    verdict = judge_sheet(table, Seat("DE"), sheet)[0]
    assert (verdict.status, verdict.refusal.reason if verdict.refusal is not None else "") == (said, why)
