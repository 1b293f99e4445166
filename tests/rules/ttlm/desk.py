"""Views and questions made by hand, for what the order language makes of a text."""

from __future__ import annotations

from typing import Any

from engine.games.to_the_last_man.answers import Side, TurnGiven
from engine.games.to_the_last_man.notation import NOTATION, OrderLine
from engine.games.to_the_last_man.report import Report
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Refusal
from engine.kernel.game import Reading
from engine.kernel.requests import Answer, Ask, Choice, Seat
from engine.kernel.sheet import OrderFile
from tests.rules.ttlm.drawn import drawn

BOARD: dict[str, Any] = {
    "turn": 8,
    "armies": {
        "GE1": ("AAC", "3I A"),
        "GE2": ("LIE", "4I 2A G"),
        "GE3": ("TRI", "2I C"),
        "GE4": ("LUX", "3I C"),
        "FR5": ("NAM", "2I C US I"),
        "FR4": ("BAR", "3I"),
        "UK1": ("CAL", "2I"),
        "UK2": ("ART", ""),
        "BE1": ("ANT", "I"),
    },
    "loose": {"TRI": "GE 2C", "NAM": "FR I C, BE I", "REI": "FR B", "VOS": "FR 2I"},
    "forts": {"LIE": 2, "VER": 4, "NAM": 1},
    "owner": {"LIE": "GE"},
    "hands": {"GE": "OFF OFF ER2 ER3 LIM GAS", "EN": "OFF GAS BAD ER2"},
}


def view_of(side: Side = "GE", **drawing: Any) -> View:
    return Report(drawn(**{**BOARD, **drawing}))(Seat(side))


def read(text: str, view: View | None = None) -> Reading:
    return NOTATION.read(text, view or view_of())


def line(text: str, view: View | None = None) -> OrderLine:
    """The one line that a text holds, readable."""
    reading = read(text, view)
    assert reading.refusals == (), reading.refusals
    (found,) = (*reading.orders, *reading.standing)
    assert isinstance(found, OrderLine)
    return found


def refusal(text: str, view: View | None = None) -> Refusal:
    (found,) = read(text, view).refusals
    return found


def ask(topic: str, given: Any = None, *offered: Answer, default: Answer = None, plan: str = "") -> Ask:
    """A question that offers just these answers."""
    given = given if given is not None else TurnGiven("GE")
    return Ask(Seat(given.side), topic, "T8.1", given, Choice(offered, "TTLM-0-01"), default, plan=plan)


def means(text: str, question: Ask, view: View | None = None) -> Answer:
    """What a single line means to a question, legal or not."""
    view = view or view_of(question.given.side)
    said = line(text, view).attempt(question, view)
    assert said is not None, f"{text}: nothing"
    return said.value


def answers(text: str, question: Ask, view: View | None = None) -> Answer:
    """What a sheet answers; None: nothing."""
    view = view or view_of(question.given.side)
    reading = read(text, view)
    assert reading.refusals == (), reading.refusals
    found = OrderFile(reading.orders, reading.standing).find(question, "", view, NOTATION)
    return None if found is None else found.answer
