"""What became of the lines of a battle plan and of standing orders: what came true, and what did not."""

from __future__ import annotations

from typing import Any

from engine.games.to_the_last_man.answers import Declare, DeclareGiven, HitsGiven, RetreatGiven
from engine.games.to_the_last_man.notation import NOTATION
from engine.kernel.requests import Ask
from pbem.campaigns.order_file import TracedOrderFile
from tests.rules.ttlm.desk import read, view_of
from tests.rules.ttlm.test_notation_plans import free

SHEET = "BATTLE LIE\nAT LIE: ERSATZ MAX 1; LOSE A LAST\nAT LIE: RETREAT ALL TO AAC IF OWN<4"
STANDING = "AT LIE: RETREAT INSTEAD ALL TO AAC IF OWN<2\nAT SED: ERSATZ MAX 0 IF HITS>2\nAT *: ERSATZ MAX 1"
HITS = HitsGiven("GE", "LIE", "defence", 1)


def answered(file: TracedOrderFile, ask: Ask, view: Any = None) -> Any:
    found = file.find(ask, "", view or view_of(), NOTATION)
    return None if found is None else found.answer


def statuses(file: TracedOrderFile, still_planned: bool) -> list[str]:
    return [file.status_of(line, still_planned) for line in file.sheet]


def test_a_plan_is_done_line_by_line_as_its_cases_come() -> None:
    file = TracedOrderFile(read(SHEET).orders)
    declared = answered(file, free("battle.declare", DeclareGiven("GE", ("LIE",))))
    assert isinstance(declared, Declare)
    assert statuses(file, still_planned=True) == ["done", "planned", "planned", "planned"]
    assert answered(file, free("battle.ersatz", HITS, plan=declared.plan)) is not None
    assert answered(file, free("battle.retreat", RetreatGiven("GE", "LIE"), plan=declared.plan)) is None
    by_words = dict(zip([line.write() for line in file.sheet], statuses(file, False), strict=True))
    assert by_words == {
        "BATTLE LIE": "done",
        "AT LIE: ERSATZ MAX 1": "done",
        "AT LIE: LOSE A LAST": "spared",
        "AT LIE: RETREAT ALL>AAC IF OWN<4": "spared",
    }


def test_a_plan_whose_condition_comes_true_is_done() -> None:
    file = TracedOrderFile(read(SHEET).orders)
    declared = answered(file, free("battle.declare", DeclareGiven("GE", ("LIE",))))
    weak = view_of(armies={"GE2": ("LIE", "2I")}, loose={}, forts={})
    assert answered(file, free("battle.retreat", RetreatGiven("GE", "LIE"), plan=declared.plan), weak)
    assert statuses(file, still_planned=False)[-1] == "done"


def test_a_move_that_was_never_made_is_not_used_rather_than_not_needed() -> None:
    file = TracedOrderFile(read("MOVE GE1 AAC-LIE\nPLAY OFFENSIVE IF HAND>2").orders)
    assert statuses(file, still_planned=False) == ["unused", "spared"]


def test_standing_orders_that_decided_and_those_that_were_looked_at_in_vain() -> None:
    file = TracedOrderFile((), NOTATION.make_standing(read(STANDING)).standing)
    assert answered(file, free("battle.ersatz", HITS)) is not None
    assert answered(file, free("battle.instead", RetreatGiven("GE", "LIE"))) is None
    assert list(file.stood) == ["ALWAYS AT *: ERSATZ MAX 1"]
    assert list(file.weighed) == ["ALWAYS AT LIE: RETREAT INSTEAD ALL>AAC IF OWN<2"]  # Sedan was not asked


def test_of_several_declarations_the_first_that_is_possible_is_done() -> None:
    file = TracedOrderFile(read("AT *: SAVE\nBATTLE LIE, NAM\nBATTLE LIE").orders)
    answered(file, free("battle.declare", DeclareGiven("GE", ("LIE",))))
    by_words = dict(zip([line.write() for line in file.sheet], statuses(file, True), strict=True))
    assert by_words == {"BATTLE LIE, NAM": "done", "BATTLE LIE": "unused", "AT *: SAVE": "planned"}
