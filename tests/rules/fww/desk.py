"""Views and questions made by hand, for what the order language makes of a text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.games.first_world_war.answers import CaptureGiven, CombatGiven, DrawGiven
from engine.games.first_world_war.notation import NOTATION
from engine.games.first_world_war.view import View
from engine.kernel.errors import Refusal
from engine.kernel.game import Reading
from engine.kernel.requests import Ask, Choice, Seat
from tests.rules.fww.board import Board, Drawing

SEATS = {
    2: {"WA": "ALLIES", "EA": "ALLIES", "DE": "CENTRAL", "GA": "CENTRAL"},
    3: {"WA": "ALLIES", "EA": "ALLIES", "DE": "DE", "GA": "GA"},
    4: {"WA": "WA", "EA": "EA", "DE": "DE", "GA": "GA"},
}


def view_of(who: str = "WA", players: int = 4, **known: Any) -> View:
    """What the seat of a faction sees on an empty board in the rounds of turn 3, and what is said of it."""
    view = Board(turn=3, faction="DE", players=players).view(SEATS[players][who])
    return replace(view, phase="rounds", **known) if known else replace(view, phase="rounds", round=1)


def read(text: str, view: View | None = None) -> Reading:
    return NOTATION.read(text, view or view_of())


def line(text: str, view: View | None = None) -> Any:
    """The one line that a text holds, readable."""
    reading = read(text, view)
    assert reading.refusals == (), reading.refusals
    (found,) = (*reading.orders, *reading.standing)
    return found


def refusal(text: str, view: View | None = None) -> Refusal:
    """The one refusal that a text gets."""
    reading = read(text, view)
    assert (reading.orders, reading.standing) == ((), ()), reading
    (found,) = reading.refusals
    return found


def asked(
    topic: str, given: Any, *offered: Any, at: str = "T3.R1/F3", seat: str = "WA", plan: str = ""
) -> Ask:
    """A question that offers just these."""
    return Ask(Seat(seat), topic, at, given, Choice(offered, "FWW"), default=offered[-1], plan=plan)


def tile_question(role: str, *offered: Any, front: int = 3, **given: Any) -> Ask:
    fields: dict[str, Any] = {"faction": "WA", "attackers": (), "defenders": ()} | given
    combat = CombatGiven(front=front, **fields)
    return asked(f"combat.{role}_tile", combat, *offered, at=f"T3.R1/F{front}")


def leader_question(role: str, *armies: str, front: int = 3, **given: Any) -> Ask:
    attackers, defenders = (armies, ()) if role == "attack" else ((), armies)
    fields: dict[str, Any] = {"faction": "WA", "attackers": attackers, "defenders": defenders} | given
    combat = CombatGiven(front=front, **fields)
    return asked(f"combat.{role}_leader", combat, *armies, at=f"T3.R1/F{front}")


def capture_question(*available: str, front: int = 3) -> Ask:
    return asked(
        "combat.capture", CaptureGiven("WA", front, available), *available, None, at=f"T3.R1/F{front}"
    )


def draw_question(*hand: str, drawn: str | None = None) -> Ask:
    given = DrawGiven("WA", 3, hand, drawn)
    if drawn is None:
        return asked("combat.draw", given, True, False)
    return asked("combat.drop", given, *hand)


NOTHING = object()


def said(text: str, ask: Ask, view: Any) -> Any:
    """What the line answers; NOTHING: it does not."""
    answer = line(text, view).answer(ask, view)
    return NOTHING if answer is None else answer.value


def flanders(**drawn: Any) -> Board:
    """Western Allies to play their second round of turn 3."""
    fronts = {1: "BE1 BR1 WA:2D DE1 DE2", 3: "FR2 FR3 FR4 DE5", 4: "FR1 WA:D"}
    drawing: Drawing = {"turn": 3, "faction": "WA", "cycle": 2, "fronts": fronts}
    return Board(**(drawing | drawn))
