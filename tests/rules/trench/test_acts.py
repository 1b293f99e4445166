"""MOVE-1, SETUP-26 What is offered in phase 1, to whom, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from engine.games.trench_club.answers import DONE, Capture, Done, Mine, Move
from engine.games.trench_club.rules.acts import TurnActs, why_not
from engine.games.trench_club.rules.movement import March, walk
from tests.rules.trench.drawn import drawn
from tests.rules.trench.orders import done, is_legal, refusal, refused

# ------------------------------------------------------------------ limited turns


def test_setup__26_only_chosen_companies_act() -> None:
    state = drawn("DE.INF1@C2 A, DE.MIN1@D5 B, DE.ENG1@E5, DE.TRK1@D3 B, DE.CAV1@D4 A", chosen=("A",))
    for order in ("M MIN1 D6", "MINE MIN1 D6", "M TRK1 D2"):
        assert refused(state, order) == ("TC-SETUP-26", "company-rests")
    assert refused(state, "L CAV1 TRK1") == ("TC-SETUP-26", "company-rests")
    assert refusal(state, "M MIN1 D6").facts["companies"] == ("A",)
    for order in ("C INF1 B2", "M CAV1 E3", "M ENG1 E4"):  # SETUP-27 bought units are never limited
        assert is_legal(state, order)
    assert refused(replace(state, chosen=("B", "C")), "C INF1 B2") == ("TC-SETUP-26", "company-rests")


# ------------------------------------------------------------------ options


def test_move__1_only_done_is_left_when_all_have_moved() -> None:
    state = drawn("DE.CAR1@E5, GB.CAR1@I5")
    assert TurnActs(state, ("DE",)).only() is None
    done(state, "M CAR1 E4")
    assert TurnActs(state, ("DE",)).only() == (DONE,)
    assert TurnActs(state, ("DE",)).describe() == [DONE]


def test_move__1_a_unit_that_is_shut_in_can_do_nothing() -> None:
    state = drawn("DE.CAR1@A1, GB.INF1@B1, GB.INF2@A2")
    assert TurnActs(state, ("DE",)).only() == (DONE,)
    friend = drawn("DE.MOR1@A1, DE.INF1@B1, GB.MOR1@A2", moved=["DE.INF1"])
    assert TurnActs(friend, ("DE",)).only() == (DONE,)


def test_move__1_a_unit_that_cannot_step_may_still_conquer_or_work() -> None:
    state = drawn("DE.INF1@A1, GB.INF1@B1, GB.INF2@A2")
    assert TurnActs(state, ("DE",)).only() is None
    assert TurnActs(state, ("DE",)).describe() == [Capture("DE.INF1", "B2"), DONE]
    layer = drawn("DE.MIN1@A1, GB.INF1@B1, GB.INF2@A2")
    assert TurnActs(layer, ("DE",)).describe() == [Mine("DE.MIN1", "A1"), DONE]
    mined = drawn("DE.MIN1@A1, GB.INF1@B1, mine A1=DE, mine A2=DE", moved=["DE.MIN1"])
    assert TurnActs(mined, ("DE",)).only() == (DONE,)


def test_setup__26_a_resting_company_is_offered_nothing() -> None:
    state = drawn("DE.CAR1@E5 A, DE.INF1@D4 B", chosen=("C",))
    assert TurnActs(state, ("DE",)).only() == (DONE,)
    one = drawn("DE.CAR1@E5 A, DE.INF1@D4 B", chosen=("A",))
    assert TurnActs(one, ("DE",)).describe() == [Move("DE.CAR1", ("D5",)), DONE]
    assert TurnActs(one, ("AH",)).describe() == [DONE]


def test_move__1_the_nearest_move_is_the_example() -> None:
    assert TurnActs(drawn("DE.CAR1@E4"), ("DE",)).describe() == [Move("DE.CAR1", ("D4",)), DONE]
    works = drawn("DE.MIN1@E4, DE.ENG1@I4", moved=["DE.MIN1", "DE.ENG1"])
    assert len(TurnActs(works, ("DE",)).describe()) == 3


def test_move__1_examples_of_each_kind() -> None:
    state = drawn("DE.INF1@C2, DE.MIN1@D5, DE.ENG1@E5, DE.TRK1@C3")
    found = TurnActs(state, ("DE",)).describe()
    assert {type(act).__name__ for act in found} == {"Move", "Capture", "Mine", "Build", "Done"}
    assert all(why_not(state, act, ("DE",)) is None for act in found)
    assert Move("DE.INF1", ("C3",), "DE.TRK1") in found


def test_move__1_what_is_no_act_is_refused() -> None:
    options = TurnActs(drawn("DE.CAR1@E5"), ("DE",))
    assert not options.contains("M CAR1 E4")
    refusal_ = options.why_not("M CAR1 E4")
    assert refusal_ is not None
    assert refusal_.reason == "not-an-act"
    assert options.why_not(Move("DE.CAR1", ("E4",))) is None
    assert options.contains(Move("DE.CAR1", ("E4",)))
    assert not options.contains(Move("DE.CAR1", ("E3",)))
    assert options.contains(Done())
    assert not options.contains(Capture("DE.CAR1", "B2"))
    assert not options.contains(Mine("DE.CAR1", "E4"))


def test_move__1_samples_come_to_every_legal_act() -> None:
    """Of a slow unit between transport, fort and enemy: all its paths, by trying, and no others."""
    state = drawn("DE.MOR1@C2, DE.TRK1@D3, GB.INF1@C3, own B2=DE")
    march = March(state, "DE.MOR1")
    paths: list[tuple[str, ...]] = [()]
    for path in paths:  # grows while it is read
        near = march.ways[path[-1]] if path else march.first
        paths += [(*path, to) for to in near if isinstance(walk(march, (*path, to), boards=False), int)]
    legal = {Move("DE.MOR1", path) for path in paths if path and march.may_end(path[-1])}
    aboard = {(*path, "D3") for path in paths if isinstance(walk(march, (*path, "D3"), boards=True), int)}
    legal |= {Move("DE.MOR1", path, "DE.TRK1") for path in aboard}
    rng = Random(5)
    drawn_ = [TurnActs(state, ("DE",)).sample(rng) for _ in range(2500)]
    assert {act for act in drawn_ if isinstance(act, Move) and act.unit == "DE.MOR1"} == legal
    assert DONE in drawn_
