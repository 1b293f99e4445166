"""What a faction will surely have on a front when its round comes, as its orders and its view tell."""

from __future__ import annotations

from engine.games.first_world_war.coming import Course, Round
from engine.games.first_world_war.examples import Examples
from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.view import View
from engine.kernel.requests import Seat
from tests.rules.fww.test_rehearsal import at_window

SECOND = Round("DE", 1, 2)


def course(sheet: str) -> Course:
    view: View = at_window("T1.R").view(Seat("DE"))
    return Course(view, GAME.notation.read(sheet, view).orders)


def test_5__1_counters_leave_the_front_from_which_they_are_moved_and_no_other() -> None:
    moved = course("C1: MOVE 1: DE1 > 2")
    assert moved.leaves(SECOND, 1) and not moved.leaves(SECOND, 2)
    transferred = course("C1: TRANSFER 2 > 1: DE4")
    assert transferred.leaves(SECOND, 2) and not transferred.leaves(SECOND, 1)
    assert not moved.leaves(Round("DE", 1, 1), 1), "not before its round"


def test_6__2_whoever_stands_on_a_front_may_attack_there_if_nothing_forbids_it() -> None:
    going = course("")
    armies = going.reals_on(SECOND, 1)
    assert armies and going.perhaps_able(SECOND, 1) == armies == going.surely_able(SECOND, 1)


def test_4_2_1__1_an_example_of_a_deployment_places_what_is_new_and_nothing_else() -> None:
    new = at_window("T1.D").view(Seat("DE"))
    shown = Examples(new, "en").deployment("DE")
    (line,) = GAME.notation.read(shown, new).orders
    assert shown.startswith("DEPLOY") and line.check(new) is None
    assert Examples(at_window("T1.R").view(Seat("DE")), "en").deployment("DE") == ""
