"""Battle plans, defenders' sheets and their conditions; the worked mail and the worked standing sheet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.games.to_the_last_man.answers import (
    FORT,
    BattleGiven,
    Declare,
    DeclareGiven,
    Dice,
    Ersatz,
    ForcedGiven,
    Goal,
    HitsGiven,
    Loss,
    RerollGiven,
    Rerolls,
    RetreatGiven,
    Side,
    TurnGiven,
)
from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.view import View
from engine.kernel.requests import Ask, Choice
from engine.kernel.sheet import OrderFile
from tests.rules.ttlm.desk import answers, ask, line, means, read, view_of

WORKED_MAIL = """PLAY OFFENSIVE
MOVE GE2 AAC-LIE
MOVE GE1 AAC-LIE
MOVE GE3 TRI-ARD
MOVE C@TRI TRI-ARD
RAIL GE7 STR-PAL-COB
BATTLE LIE
CARD SURPRISE ON LIE
AT LIE: ERSATZ MAX 2 KEEP OFFENSIVE, LIMITED; LOSE A LAST
AT LIE: RETREAT ALL TO AAC IF OWN<4
KEEP LIE"""
WORKED_SHEET = """A LIE: RETRAITE AU LIEU TOUT VERS BRU SI FORT<2
A NAM: ERSATZ MAX 0; RETRAITE AU LIEU TOUT VERS MAU SI ENNEMI>2
A SED: RETRAITE AU LIEU FR5>REI SI NOUS<3
A *: ERSATZ MAX 3 SAUF OFFENSIVE; PERDRE FORT DABORD; BIPLAN REACTION
METEO SI BATAILLES>=2
CARTE GAZ SUR * SI ATTAQUE
FORCEE FAIBLE DABORD
PRODUIRE CARTES LIMITE, I FRONT"""


class Anything(Choice):
    """Offers whatever is wanted: what a clause wants by itself."""

    def contains(self, answer: Any) -> bool:
        return True

    def why_not(self, answer: Any) -> None:
        return None


def free(topic: str, given: Any, plan: str = "") -> Ask:
    return replace(ask(topic, given, plan=plan), options=Anything((), "TTLM-0-01"))


def hits(side: Side, area: str, number: int, siege: int = 0, step: str = "defence") -> HitsGiven:
    return HitsGiven(side, area, step, number, siege)


def standing(text: str, view: View) -> OrderFile:
    """As the service files what stands between STANDING and END."""
    found = NOTATION.make_standing(read(text, view))
    assert found.refusals == () and found.orders == (), found
    filed: dict[str, Any] = {one.slot(): one for one in found.standing}
    assert len(filed) == len(found.standing)
    return OrderFile(standing=tuple(filed.values()))


# ------------------------------------------------------------------ the attacker's plan


def test_the_worked_mail() -> None:
    armies = {"GE2": ("AAC", "3I 2A"), "GE1": ("AAC", "I"), "GE3": ("TRI", "2I"), "GE7": ("STR", "2I")}
    view = view_of(turn=1, armies=armies, loose={"TRI": "GE C"}, hands={"GE": "OFF OFF SUR ER2 LIM GAS"})
    reading = read(WORKED_MAIL, view)
    assert reading.refusals == () and reading.standing == ()
    assert [one.number for one in reading.orders] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11]
    declared = answers(WORKED_MAIL, free("battle.declare", DeclareGiven("GE", ("LIE",))), view)
    assert declared.areas == ("LIE",)
    assert declared.plan.split("\n") == [
        "AT LIE: ERSATZ MAX 2 KEEP OFFENSIVE, LIMITED",
        "AT LIE: LOSE A LAST",
        "AT LIE: RETREAT ALL>AAC IF OWN<4",
        "KEEP LIE",
    ]


def test_a_plan_answers_the_attackers_questions() -> None:
    view = view_of()
    plan = "AT LIE: ERSATZ MAX 2 KEEP OFFENSIVE, LIMITED\nAT LIE: RETREAT ALL>AAC IF OWN<4\nKEEP LIE"

    def says(topic: str, given: Any, **board: Any) -> Any:
        said = NOTATION.preference(plan, free(topic, given), view_of(**board) if board else view)
        return None if said is None else said.value

    assert says("battle.ersatz", hits("GE", "LIE", 5)) == Ersatz(("ER2", "ER3"))
    assert says("battle.ersatz", hits("GE", "NAM", 5)) is None
    assert says("battle.keep", DeclareGiven("GE", areas=("NAM", "LIE"))) == "LIE"
    assert says("battle.retreat", RetreatGiven("GE", "LIE")) is None  # GE2 is strong
    weak = {"armies": {"GE2": ("LIE", "2I")}, "loose": {}, "forts": {}}
    assert says("battle.retreat", RetreatGiven("GE", "LIE"), **weak) == (Goal("AAC", army="GE2"),)


def test_a_plan_goes_along_without_a_battle_line() -> None:
    """Otherwise it would be lost when the sheet is not on file any more."""
    question = free("battle.declare", DeclareGiven("GE", ("LIE", "NAM")))
    assert answers("AT *: SACRIFICE", question) == Declare(("LIE", "NAM"), "AT *: SACRIFICE")
    assert answers("PASS", question) is None
    text = "AT *: SACRIFICE\nBATTLE NAM, LIE"
    assert answers(text, question) == Declare(("NAM", "LIE"), "AT *: SACRIFICE")


def test_a_declaration_with_its_plan_is_written_and_read_back() -> None:
    answer = Declare(("NAM", "LIE"), "AT LIE: ERSATZ MAX 2\nKEEP LIE")
    question = free("battle.declare", DeclareGiven("GE"))
    for language in ("en", "fr"):
        assert answers(NOTATION.write_answer(question, answer, language), question) == answer


def test_a_named_area_goes_before_all_others_whatever_the_order() -> None:
    text = "AT *: BIPLANE GROUND\nAT LIE: BIPLANE REACT"
    assert answers(text, free("battle.biplanes", BattleGiven("GE", "LIE"))) == "react"
    assert answers(text, free("battle.biplanes", BattleGiven("GE", "NAM"))) == "ground"


# ------------------------------------------------------------------ the defender's sheet


def test_the_worked_standing_sheet() -> None:
    view = view_of("EN", forts={"LIE": 1, "VER": 4}, battles=["LIE", "NAM"])
    file = standing(WORKED_SHEET, view)

    def says(topic: str, given: Any) -> Any:
        found = file.find(free(topic, given), "", view, NOTATION)
        return None if found is None else found.answer

    assert says("battle.instead", BattleGiven("EN", "NAM")) is None  # nobody of the enemy's is there
    assert says("battle.ersatz", hits("EN", "NAM", 2)) == Ersatz()  # ERSATZ MAX 0
    assert says("battle.ersatz", hits("EN", "VER", 3)) == Ersatz(("BAD", "ER2"))
    assert says("battle.loss", hits("EN", "VER", 1)) == Loss(FORT)
    assert says("battle.biplanes", BattleGiven("EN", "VER")) == "react"
    assert says("battle.weather", DeclareGiven("EN", areas=("LIE", "NAM"))) is True
    assert says("battle.weather", DeclareGiven("EN", areas=("LIE",))) is None
    assert says("turn.card", TurnGiven("EN")) is None


def test_what_is_filed_reads_the_same_again() -> None:
    view = view_of("EN")
    filed = standing(WORKED_SHEET, view).standing
    text = "\n".join(one.write("en") for one in filed)
    assert text.split("\n")[0] == "ALWAYS AT LIE: RETREAT INSTEAD ALL>BRU IF FORT<2"
    again = read(text, view)
    assert (again.standing, again.orders, again.refusals) == (filed, (), ())
    assert [one.slot() for one in again.standing] == [one.slot() for one in filed]


def test_orders_of_a_turn_do_not_stand() -> None:
    found = NOTATION.make_standing(read("MOVE GE1 AAC-LIE\nPASS\nBUY 2 CARDS\nKEEP LIE"))
    assert [one.write() for one in found.orders] == ["MOVE GE1 AAC-LIE", "BUY 2 CARDS"]
    assert [one.write() for one in found.standing] == ["ALWAYS PASS", "ALWAYS KEEP LIE"]


def test_several_clauses_of_one_kind_are_tried_from_the_top() -> None:
    view = view_of("EN")
    text = "AT NAM: RETREAT INSTEAD FR5>MAU IF OWN<3\nAT NAM: RETREAT INSTEAD FR5>HAI IF OWN>=3"
    found = standing(text, view).find(free("battle.instead", BattleGiven("EN", "NAM")), "", view, NOTATION)
    assert found is not None and found.answer == (Goal("HAI", army="FR5"),)


def test_the_sheet_goes_before_what_stands() -> None:
    view = view_of("EN")
    orders = read("AT NAM: RETREAT INSTEAD NONE", view).orders
    file = OrderFile(orders, standing("AT *: RETREAT INSTEAD ALL TO MAU", view).standing)
    found = file.find(free("battle.instead", BattleGiven("EN", "NAM")), "", view, NOTATION)
    assert found is not None and found.answer == ()


# ------------------------------------------------------------------ retreats


def test_all_means_armies_and_what_is_loose_and_can_retreat() -> None:
    view = view_of("EN", loose={"NAM": "FR I C, BE I"})
    assert means("RETREAT INSTEAD ALL TO MAU", free("battle.instead", BattleGiven("EN", "NAM")), view) == (
        Goal("MAU", army="FR5"),
        Goal("MAU", units=(("BE.I", 1), ("FR.C", 1), ("FR.I", 1))),
    )


def test_all_cavalry_leaves_armies_too() -> None:
    question = free("battle.cavalry", BattleGiven("EN", "NAM"))
    assert means("AT NAM: CAVRETREAT ALL TO MAU", question) == (
        Goal("MAU", units=(("FR.C", 1),), source="FR5"),
        Goal("MAU", units=(("FR.C", 1),)),
    )


def test_the_first_destination_that_is_legal() -> None:
    there = (Goal("HAI", army="FR5"),)
    question = ask("battle.retreat", RetreatGiven("EN", "NAM"), (), there)
    assert answers("AT NAM: RETREAT FR5 TO MAU, HAI", question) == there
    assert answers("AT NAM: RETREAT FR5 TO MAU", question) is None


def test_lines_for_single_units_go_together_and_each_goes_where_it_is_sent_first() -> None:
    text = (
        "AT NAM: RETREAT INSTEAD FR5>MAU\nAT NAM: RETREAT INSTEAD BE I@NAM>BRU\nAT *: RETREAT INSTEAD FR5>HAI"
    )
    assert answers(text, free("battle.instead", BattleGiven("EN", "NAM"))) == (
        Goal("MAU", army="FR5"),
        Goal("BRU", units=(("BE.I", 1),)),
    )


def test_after_combat_all_go_to_one_area() -> None:
    text = "AT NAM: RETREAT FR5 TO MAU\nAT NAM: RETREAT BE I@NAM TO BRU\nAT NAM: RETREAT FR I@NAM TO MAU"
    army, infantry = Goal("MAU", army="FR5"), Goal("MAU", units=(("FR.I", 1),))
    offered = ((army,), (infantry,), (Goal("BRU", units=(("BE.I", 1),)),), (army, infantry))
    question, view = ask("battle.retreat", RetreatGiven("EN", "NAM"), *offered), view_of("EN")
    assert answers(text, question) == offered[3]
    filed = OrderFile(read(text, view).orders).find(question, "", view, NOTATION)
    assert filed is not None and [line.number for line, _ in filed.left_out] == [2], "and that is told"


def test_what_is_left_behind_and_who_enters_an_army() -> None:
    assert means("AT LIE: RETREAT GE2 TO AAC LEAVE G", free("battle.retreat", RetreatGiven("GE", "LIE"))) == (
        Goal("AAC", army="GE2", left=(("GE.G", 1),)),
    )
    instead = free("battle.instead", BattleGiven("EN", "NAM"))
    assert means("AT NAM: RETREAT INSTEAD C@NAM>MAU INTO FR4", instead) == (
        Goal("MAU", units=(("FR.C", 1),), into="FR4"),
    )


def test_forced_retreats_by_strength_by_name_and_completed() -> None:
    armies = {"FR3": ("STQ", "2I"), "UK5": ("STQ", "4I"), "FR4": ("STQ", "I")}
    view = view_of("EN", armies=armies, loose={})

    def goes(text: str, number: int) -> list[str]:
        goals = answers(text, free("battle.forced", ForcedGiven("EN", "STQ", number)), view)
        return [goal.army for goal in goals]

    assert goes("FORCED WEAKEST FIRST", 2) == ["FR4", "FR3"]
    assert goes("FORCED STRONGEST FIRST", 2) == ["UK5", "FR3"]
    assert goes("AT STQ: FORCED UK5, FR3 TO PIC", 1) == ["UK5"]
    assert goes("AT STQ: FORCED UK5 TO PIC", 2) == ["UK5", "FR4"]


# ------------------------------------------------------------------ hits


@pytest.mark.parametrize(
    ("number", "text", "cards"),
    [
        (1, "ERSATZ MAX 2", ("LIM",)),  # one-point cards before Ersatz 2 with a surplus
        (2, "ERSATZ MAX 2", ("ER2",)),
        (3, "ERSATZ MAX 2", ("ER3",)),
        (4, "ERSATZ MAX 2", ("ER3", "LIM")),
        (5, "ERSATZ MAX 2", ("ER2", "ER3")),
        (9, "ERSATZ MAX 3 KEEP LIM", ("ER2", "ER3", "GAS")),
        (1, "ERSATZ MAX 2 KEEP LIM, GAS", ("OFF",)),
        (1, "ERSATZ MAX 2 KEEP LIM, GAS, OFF", ("ER2",)),
        (3, "ERSATZ MAX 0", ()),
    ],
)
def test_the_budget_spends_cards_in_its_order(number: int, text: str, cards: tuple[str, ...]) -> None:
    assert answers(text, free("battle.ersatz", hits("GE", "LIE", number))) == Ersatz(cards)


def test_a_budget_counts_what_was_spent_in_its_period() -> None:
    view = view_of(spent={"GE.step": 0, "GE.battle": 1, "GE.turn": 2, "EN.turn": 9})
    question = free("battle.ersatz", hits("GE", "LIE", 9))
    for period, number in (("STEP", 2), ("BATTLE", 1), ("TURN", 0)):
        assert len(answers(f"ERSATZ MAX 2 PER {period}", question, view).cards) == number


def test_ersatz_pays_ordinary_hits_before_a_siege_guns() -> None:
    question = free("battle.ersatz", hits("GE", "LIE", 3, siege=2))
    assert answers("ERSATZ ER2", question) == Ersatz(("ER2",), 1)
    assert answers("ERSATZ ER2 SIEGE 2", question) == Ersatz(("ER2",), 2)


def test_a_stack_that_would_die_is_sacrificed_or_saved() -> None:
    """decisions 4.4; R10."""
    view = view_of("EN", armies={}, loose={"NAM": "FR I"}, forts={}, hands={"EN": "OFF OFF LIM"})
    three, none = free("battle.ersatz", hits("EN", "NAM", 3)), Ersatz()
    assert answers("AT *: SACRIFICE\nAT *: ERSATZ MAX 3", three, view) == none
    assert answers("AT *: ERSATZ MAX 3", three, view) == Ersatz(("LIM", "OFF", "OFF"))
    assert answers("AT *: SAVE", three, view) == Ersatz(("LIM", "OFF", "OFF"))
    assert answers("AT *: SAVE\nAT *: ERSATZ MAX 1", three, view) == Ersatz(("LIM",))
    larger = view_of("EN", armies={"FR5": ("NAM", "4I")}, loose={}, forts={}, hands={"EN": "OFF"})
    assert answers("AT *: SACRIFICE", three, larger) is None


def test_losses_break_ties_by_preference_and_else_by_default() -> None:
    """decisions 4.3, 5; R08: of what the rules offer, and no more."""
    view = view_of("EN", armies={"FR3": ("VER", "2I 2A")}, loose={}, forts={"VER": 4})
    tie = (Loss(FORT), Loss("FR3", "FR.A"), Loss("FR3", "FR.I"))
    question = ask("battle.loss", hits("EN", "VER", 1), *tie)
    assert answers("AT VER: LOSE FORT FIRST", question, view) == tie[0]
    assert answers("AT VER: LOSE FORT LAST", question, view) == tie[2]
    assert answers("LOSE FORT LAST\nLOSE A FIRST", question, view) == tie[1]
    assert answers("LOSE A FIRST\nLOSE FR3 LAST", question, view) == tie[1]
    assert answers("AT VER: LOSE A:FR3", question, view) == tie[1]
    forced = ask("battle.loss", hits("EN", "VER", 1), tie[2])
    assert answers("AT VER: LOSE FORT FIRST", forced, view) == tie[2]


def test_rerolls() -> None:
    dice = (Dice("F1", (1, 1, 4), 2), Dice("S.F2", (2, 5), 1), Dice("F2", (1,), 1))
    question = free("battle.reroll", RerollGiven("EN", "NAM", dice, 3))
    assert answers("REROLL S FIRST", question) == Rerolls((("F1", 2), ("S.F2", 1)))
    assert answers("REROLL 1 F1, 1 S.F2", question) == Rerolls((("F1", 1), ("S.F2", 1)))
    assert answers("REROLL NONE", question) == Rerolls()


# ------------------------------------------------------------------ conditions

CONDITIONS = [
    ("OWN=8", "NOUS=8"), ("OWN>7 AND OWN<9", "NOUS>7 ET NOUS<9"), ("ENEMY=0 OR OWN=8", "ENNEMI=0 OU NOUS=8"),
    ("ENEMY=2", "ENNEMI=2"), ("2*ENEMY<OWN", "2*ENNEMI<NOUS"), ("OWNPIECES=3", "NOSPIONS=3"),
    ("ENEMYPIECES=2", "SESPIONS=2"), ("OWNINF=5", "NOSINF=5"), ("HITS=2", "COUPS=2"), ("HAND=6", "MAIN=6"),
    ("OPPHAND=4", "MAINADV=4"), ("BATTLES=1", "BATAILLES=1"), ("FORT=0", "FORT=0"), ("VP>=0", "PV>=0"),
    ("ENEMYINF", "INFENNEMIE"), ("ENEMYCAV", "CAVENNEMIE"), ("NOT ENEMYAIR", "NON AIRENNEMI"),
    ("NOT WEATHER", "NON METEO"), ("NOT OPPPASSED", "NON ADVPASSE"), ("NOT WON(NAM)", "NON GAGNE(NAM)"),
    ("NOT LOST(NAM)", "NON PERDU(NAM)"), ("HELD(AAC)", "TENU(AAC)"), ("NOT ATTACKED", "NON ATTAQUE"),
]  # fmt: skip


@pytest.mark.parametrize(("english", "french"), CONDITIONS)
def test_conditions_in_both_languages(english: str, french: str) -> None:
    view = view_of(
        armies={"GE4": ("NAM", "4I 2C"), "UK1": ("NAM", "3I")},
        loose={"NAM": "GE I A, FR C"},
        forts={},
        battles=["NAM"],
    )
    question = free("battle.ersatz", hits("GE", "NAM", 2))
    wrong = english.replace("NOT ", "") if "NOT " in english else f"NOT {english}"
    for text in (english, french):
        found = line(f"AT NAM: ERSATZ MAX 1 IF {text}", view)
        assert found == line(f"AT NAM: ERSATZ MAX 1 IF {english}", view)
        assert found.attempt(question, view) is not None, text
    if any(sign in english for sign in "<=>"):
        return
    assert line(f"AT NAM: ERSATZ MAX 1 IF {wrong}", view).attempt(question, view) is None


@pytest.mark.parametrize(
    ("text", "holds"),
    [("OWN<3 OR ENEMY>1 AND OWN>9", False), ("ENEMY>1 AND OWN>3 OR OWN<3", True), ("OWN<=3", False)],
)
def test_and_binds_tighter_than_or(text: str, holds: bool) -> None:
    view = view_of(armies={"GE4": ("NAM", "4I"), "UK1": ("NAM", "3I")}, loose={"NAM": "FR C"}, forts={})
    found = line(f"AT NAM: SACRIFICE IF {text} ELSE SAVE", view)
    given = hits("GE", "NAM", 9)
    assert (found.attempt(free("battle.ersatz", given), view) == (Ersatz(),)) is holds


def test_an_enemy_army_counts_one_while_templates_are_hidden() -> None:
    armies = {"GE4": ("NAM", "4I"), "UK1": ("NAM", "3I"), "UK2": ("NAM", "")}
    for hidden, strength in ((True, 1), (False, 3)):
        view = view_of(armies=armies, loose={}, forts={}, options={"hidden_army_templates": hidden})
        found = line(f"AT NAM: BIPLANE REACT IF ENEMY={strength}", view)
        assert found.attempt(free("battle.biplanes", BattleGiven("GE", "NAM")), view) is not None


def test_places_of_a_line() -> None:
    view = view_of("EN", entered=["NAM"], armies={"GE4": ("NAM", "I"), "FR5": ("NAM", "I")}, loose={})
    for place, area, meant in (("FRONT", "NAM", True), ("FRONT", "VER", False), ("NEW", "NAM", True),
                               ("NEW", "VER", False), ("*", "VER", True), ("VER", "NAM", False)):  # fmt: skip
        found = line(f"AT {place}: BIPLANE REACT", view)
        said = found.attempt(free("battle.biplanes", BattleGiven("EN", area)), view)
        assert (said is not None) is meant, (place, area)
