"""What conformance cases look at on a board again and again."""

from __future__ import annotations

from typing import Any

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.facts.combat import CombatResolved, LocationCaptured, SurrenderPointGiven
from engine.kernel.requests import Ask
from tests.rules.fww.board import Board


def combat(board: Board) -> CombatResolved:
    """The last combat."""
    return board.of(CombatResolved)[-1]


def ground(board: Board) -> list[tuple[str, str]]:
    """Locations that changed hands, with their new holder."""
    return [(fact.location, fact.taker) for fact in board.of(LocationCaptured)]


def points(board: Board) -> list[tuple[str, int]]:
    """Surrender points given: to whom, for which front."""
    return [(fact.faction, fact.front) for fact in board.of(SurrenderPointGiven)]


def vp(board: Board, *factions: Faction) -> tuple[int, ...]:
    return tuple(board.state.vp[faction] for faction in factions)


def questions(board: Board, topic: str) -> list[Ask]:
    """Every question of the topic, once each."""
    found: list[Ask] = []
    for ask in board.asked:
        if ask.topic == topic and not any(ask is one for one in found):
            found.append(ask)
    return found


def happened(board: Board, *kinds: type) -> list[Any]:
    """The facts of these kinds, in order."""
    return [fact for fact in board.facts if type(fact) in kinds]


def answered(board: Board, topic: str) -> list[tuple[Any, str]]:
    """Answers of that topic and where each came from."""
    return [(line["answer"], line["by"]) for line in board.lines("answer") if line["topic"] == topic]


def receipt(board: Board, who: str, text: str) -> list[tuple[str, str]]:
    """Rule and reason of every line that a receipt would refuse, on the board as its sender knows it."""
    reading, view = board.read(who, text), board.view(who)
    found = [line.check(view) for line in (*reading.orders, *reading.standing)]
    return [(r.rule, r.reason) for r in (*reading.refusals, *found) if r is not None]
