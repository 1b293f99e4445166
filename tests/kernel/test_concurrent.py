"""Procedures side by side: questions together, results in order, dice independent of the order."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.concurrent import run_concurrently
from engine.kernel.requests import Ask, Choice, Procedure, Roll, Seat, Step, Together
from tests.kernel.play import Campaign, Lone, at_random, kinds, replies, same
from tests.kernel.toy import HOLES, NORTH, SOUTH, Ended, Guessed, State, Waved

LOG: list[Any] = []


def ask(seat: Seat, at: str) -> Ask:
    return Ask(seat, "guess", f"T1.lone/{at}", None, Choice(HOLES, "TOY-2"), "H1")


def battle(seat: Seat, rounds: int) -> Step:
    """Guess and roll, round after round."""
    faces = []
    for n in range(rounds):
        hole = yield ask(seat, f"{seat}.{n}")
        (face,) = yield Roll(seat, f"fire.{seat}")
        yield Guessed(seat, hole, face, False)
        faces.append(face)
    return tuple(faces)


def battles(*rounds: tuple[Seat, int]) -> Lone:
    def play(state: State) -> Procedure:
        LOG.append((yield from run_concurrently(*(battle(seat, n) for seat, n in rounds))))
        yield Ended()
        return None

    return Lone(play)


def played(game: Lone, seed: int = 1) -> Campaign:
    LOG.clear()
    return Campaign.of(game).play(at_random(seed))


def test_each_runs_to_its_next_question_and_these_are_asked_together() -> None:
    campaign = Campaign.of(battles((NORTH, 2), (SOUTH, 2)))
    pause = campaign.advance()
    assert pause is not None and [a.at for _, a in pause.asks] == ["T1.lone/NORTH.0", "T1.lone/SOUTH.0"]
    assert not kinds(campaign.table, "roll")
    pause = campaign.advance(replies(pause, at_random(1)))
    assert pause is not None and [a.at for _, a in pause.asks] == ["T1.lone/NORTH.1", "T1.lone/SOUTH.1"]
    assert [d["seat"] for d in kinds(campaign.table, "roll")] == ["NORTH", "SOUTH"]


def test_one_that_ends_early_leaves_the_others_asking() -> None:
    campaign = played(battles((NORTH, 1), (SOUTH, 3)))
    asked = [[d["at"] for d in kinds(campaign.table, "answer")]]
    assert asked == [[f"T1.lone/{at}" for at in ("NORTH.0", "SOUTH.0", "SOUTH.1", "SOUTH.2")]]
    assert len(kinds(campaign.table, "pause")) == 3


def test_the_result_is_the_tuple_of_theirs() -> None:
    played(battles((NORTH, 1), (SOUTH, 3)))
    ((north, south),) = LOG
    assert len(north) == 1 and len(south) == 3


def test_the_dice_do_not_depend_on_the_order() -> None:
    played(battles((NORTH, 3), (SOUTH, 2)))
    ((north, south),) = LOG
    played(battles((SOUTH, 2), (NORTH, 3)))
    assert [(south, north)] == LOG


@pytest.mark.parametrize("rounds", [(1, 1), (2, 3), (3, 1)])
def test_a_table_taken_up_again_between_the_rounds_is_the_same(rounds: tuple[int, int]) -> None:
    campaign = Campaign.of(battles((NORTH, rounds[0]), (SOUTH, rounds[1])))
    pause = campaign.advance()
    while pause is not None:
        same(campaign.resumed(), campaign.table)
        same(campaign.replayed(), campaign.table)
        pause = campaign.advance(replies(pause, at_random(3)))
    same(campaign.replayed(), campaign.table)


def test_questions_together_within_one_step_come_back_together() -> None:
    seen = []

    def pair() -> Step:
        answers = yield Together((ask(NORTH, "a"), ask(SOUTH, "b")))
        seen.append(answers)
        return answers

    def single() -> Step:
        answer = yield ask(NORTH, "c")
        seen.append(answer)
        return answer

    def play(state: State) -> Procedure:
        result = yield from run_concurrently(pair(), single())
        assert result == tuple(seen)
        return None

    campaign = Campaign.of(Lone(play))
    campaign.advance()
    campaign.play(lambda a: {"a": "H1", "b": "H2", "c": "H3"}[a.at[-1]])
    assert seen == [("H1", "H2"), "H3"]


def test_steps_without_questions_run_one_after_the_other() -> None:
    def wave(seat: Seat) -> Step:
        yield Waved(seat)
        return seat

    def play(state: State) -> Procedure:
        LOG.append((yield from run_concurrently(wave(SOUTH), wave(NORTH))))
        LOG.append((yield from run_concurrently()))
        return None

    campaign = played(Lone(play))
    assert LOG == [(SOUTH, NORTH), ()]
    assert [d["data"]["seat"] for d in kinds(campaign.table, "fact")] == ["SOUTH", "NORTH"]
