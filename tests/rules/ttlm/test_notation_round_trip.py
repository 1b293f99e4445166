"""What is written is read back: an answer to every question of the game, in both languages."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engine.games.to_the_last_man.answers import (
    ANSWERS,
    DONE,
    FORT,
    ArmyGiven,
    BattleGiven,
    Build,
    Buy,
    CardsGiven,
    CombatCards,
    CrisisGiven,
    CrisisLossGiven,
    Declare,
    DeclareGiven,
    Dice,
    Entrench,
    Ersatz,
    ExcessGiven,
    ForcedGiven,
    Fortify,
    Goal,
    HitsGiven,
    Loss,
    Move,
    Place,
    PlacingGiven,
    ProductionGiven,
    Rebuild,
    RerollGiven,
    Rerolls,
    RetreatGiven,
    Shift,
    Side,
    SideGiven,
    Suppress,
    Swap,
    TurnGiven,
    Upgrade,
)
from engine.games.to_the_last_man.foreseen import USUAL, usual_line
from engine.games.to_the_last_man.game import GAME
from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.view import View
from engine.kernel.game import Language
from engine.kernel.requests import Ask
from engine.kernel.sheet import OrderFile
from tests.conformance.games import Case
from tests.conformance.sitting import examine
from tests.rules.ttlm.desk import ask, view_of

LANGUAGES: tuple[Language, ...] = ("en", "fr")
PLACING = PlacingGiven("EN", ("FR9",), (("FR.I", 2), ("UK.A", 1), ("US.I", 3)), ("UK.CW.01", "UK.CW.02"))
DECLARED = DeclareGiven("GE", ("LIE",), ("LIE", "NAM"))
DICE = (Dice("F1", (1, 1), 2), Dice("S.F2", (2,), 1))
ANSWERED: dict[str, tuple[Any, list[Any]]] = {
    "setup.take": (CardsGiven("GE", ("OFF", "SUR")), ["OFF", "SUR"]),
    "season.bid": (SideGiven("GE"), [(), ("OFF",), ("ER2", "OFF", "OFF")]),
    "season.first": (SideGiven("EN"), ["GE", "EN"]),
    "reinforce": (
        PLACING,
        [
            Place("TRO", army="FR9"),
            Place("BAR", units=(("US.I", 3),)),
            Place("BAR", units=(("FR.I", 1),), into="FR4"),
            Place("BAR", units=(("US.I", 2),), into="FR4"),
            Swap("UK.CW.01", "CAL", "UK1"),
            Swap("UK.CW.02", "CAL"),
            Shift("NAM", (("US.I", 1),), "FR5"),
            DONE,
        ],
    ),
    "turn.card": (TurnGiven("GE"), [None, "OFF", "LIM", "BIG", "GER", "TLM", "FRI"]),
    "turn.crisis": (CrisisGiven("GE", "moves"), [True]),
    "turn.act": (
        TurnGiven("EN"),
        [
            Move(("NAM", "MAU"), army="FR5"),
            Move(("NAM", "MAU"), army="FR5", absorb=(("FR.A", 1), ("US.I", 1))),
            Move(("NAM", "MAU", "LIL"), units=(("FR.C", 1),)),
            Move(("NAM", "BRU"), units=(("BE.I", 1),), into="BE1"),
            Move(("NAM", "MAU"), units=(("FR.I", 1), ("US.I", 1)), source="FR5", into="FR4"),
            Move(("BAR", "TRO", "PAR"), army="FR4", mode="rail"),
            Move(("BAR", "CAL"), army="FR4", mode="strat"),
            Move(("CAL", "ENG"), army="UK1", mode="sea"),
            Move(("BAR", "TRO", "ORL"), army="FR4", mode="reserves"),
            Move(("ART", "CAL"), army="UK2", mode="withdraw"),
            Move(("ANT", "CAL"), army="BE1", mode="evacuate"),
            Shift("NAM", (("FR.C", 1), ("FR.I", 2)), "FR5"),
            Shift("NAM", (("FR.C", 1),), "", "FR5"),
            Suppress("FR5"),
            DONE,
        ],
    ),
    "turn.discard": (TurnGiven("GE"), [(), ("ER2", "OFF", "OFF")]),
    "battle.declare": (DECLARED, [Declare(()), Declare(("NAM", "LIE")), Declare(("LIE",), "KEEP LIE")]),
    "battle.cards": (
        DECLARED,
        [
            CombatCards(),
            CombatCards((("LIE", "GAS"), ("NAM", "SUR"))),
            CombatCards((("LIE", "AAB"),), ("LIE", "NAM")),
            CombatCards(bonus=("NAM",)),
        ],
    ),
    "battle.weather": (DeclareGiven("EN", areas=("LIE",)), [True, False]),
    "battle.answer": (
        DeclareGiven("EN", areas=("LIE", "NAM")),
        [CombatCards(), CombatCards((("LIE", "GAS"),)), CombatCards((("NAM", "AAB"),), (), ("LIE", "OFF"))],
    ),
    "battle.keep": (DECLARED, ["LIE", "NAM"]),
    "battle.scramble": (
        BattleGiven("EN", "ARG"),
        [
            (),
            (Goal("ARG", units=(("FR.B", 1),), source="FR4", into="FR3"),),
            (Goal("ARG", units=(("FR.B", 1),), origin="REI"),),
        ],
    ),
    "battle.cavalry": (
        BattleGiven("EN", "NAM"),
        [(), (Goal("MAU", units=(("FR.C", 1),), source="FR5"), Goal("HAI", units=(("FR.C", 1),)))],
    ),
    "battle.biplanes": (BattleGiven("EN", "NAM"), ["react", "ground"]),
    "battle.instead": (
        BattleGiven("EN", "NAM"),
        [
            (),
            (Goal("MAU", army="FR5"), Goal("BRU", units=(("BE.I", 1),)), Goal("HAI", units=(("FR.C", 1),))),
            (Goal("BRU", units=(("BE.I", 1), ("FR.I", 1)), into="BE1"),),
        ],
    ),
    "battle.reroll": (
        RerollGiven("EN", "NAM", DICE, 2),
        [Rerolls(), Rerolls((("F1", 1), ("S.F2", 1))), Rerolls((("F1", 2),))],
    ),
    "battle.ersatz": (
        HitsGiven("GE", "LIE", "defence", 4, 2),
        [Ersatz(), Ersatz(("ER2",), 0), Ersatz(("ER2",), 2), Ersatz(("ER3", "OFF"), 1)],
    ),
    "battle.loss": (
        HitsGiven("EN", "NAM", "attack", 1),
        [Loss(FORT), Loss("FR5", "FR.I"), Loss("FR5", "US.I"), Loss("", "BE.I"), Loss("", "FR.C")],
    ),
    "battle.forced": (
        ForcedGiven("EN", "NAM", 1),
        [(Goal("MAU", army="FR5"),), (Goal("HAI", army="FR5"),)],
    ),
    "battle.retreat": (
        RetreatGiven("GE", "LIE"),
        [(), (Goal("AAC", army="GE2"),), (Goal("AAC", army="GE2", left=(("GE.A", 2), ("GE.G", 1))),)],
    ),
    "crisis.loss": (
        CrisisLossGiven("EN", 3, ("FR", "UK"), ("I", "CW")),
        [(Loss("VOS", "FR.I"), Loss("FR4", "FR.I"), Loss("VOS", "FR.I")), (Loss("UK1", "UK.I"),)],
    ),
    "supply.loss": (ArmyGiven("EN", "FR5"), ["FR.I", "FR.C", "US.I"]),
    "production": (
        ProductionGiven("EN", 9, 0),
        [
            Build("BAR", (("FR.I", 2),), "FR4"),
            Build("BAR", (("US.I", 1),), "FR4"),
            Build("MAU", (("UK.A", 1),)),
            Rebuild("FR9", "TRO"),
            Shift("NAM", (("US.I", 1),), "FR5"),
            Entrench(("FR4", "UK1"), (("NAM", (("BE.I", 1), ("FR.I", 1))), ("VOS", (("FR.I", 2),)))),
            Fortify("FR4"),
            Buy(4),
            DONE,
        ],
    ),
    "excess": (ExcessGiven("GE", 2), [("ER2", "OFF"), ("OFF", "OFF")]),
    "eft.loss": (SideGiven("GE"), [Loss("EFT", "GE.A"), Loss("GE3", "GE.I"), Loss("GE3")]),
}
GERMAN: dict[str, tuple[Any, list[Any]]] = {
    "production": (ProductionGiven("GE", 9, 0), [Upgrade("LIE", "GE2"), Upgrade("TRI")]),
    "turn.act": (
        TurnGiven("GE"),
        [Move(("TRI", "ARD", "SED"), units=(("GE.C", 2),)), Move(("COB", "EFT"), army="GEC")],
    ),
}
CASES = [
    (topic, given, answer)
    for table in (ANSWERED, GERMAN)
    for topic, (given, several) in table.items()
    for answer in several
]
VIEWS: dict[Side, View] = {
    "GE": view_of("GE", loose={"TRI": "GE 2C", "EFT": "GE A"}),
    "EN": view_of("EN", loose={"NAM": "FR I C, BE I", "VOS": "FR 2I", "REI": "FR B"}),
}


def read_back(text: str, question: Ask, view: View) -> Any:
    reading = NOTATION.read(text, view)
    assert reading.refusals == (), (text, reading.refusals)
    found = OrderFile(reading.orders, reading.standing).find(question, "", view, NOTATION)
    assert found is not None, f"{text}: nothing"
    return found.answer


def parts(answer: Any) -> list[Any]:
    """Cards that several lines lay one by one, in each order."""
    if not isinstance(answer, CombatCards):
        return [answer]
    found = [CombatCards(answer.on[:n]) for n in range(len(answer.on) + 1)]
    found += [CombatCards((one,)) for one in answer.on]
    found += [replace(one, counter=answer.counter) for one in found]
    return [answer, *found, *(replace(one, bonus=answer.bonus) for one in found)]


def test_every_question_is_answered_here() -> None:
    assert set(ANSWERED) == set(ANSWERS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("topic", "given", "answer"), CASES)
def test_what_is_written_is_read_back(topic: str, given: Any, answer: Any, language: Language) -> None:
    phase: Any = topic if topic in ("reinforce", "production") else "moves"
    view = replace(VIEWS[given.side], phase=phase)
    question = ask(topic, given, *parts(answer), default=CombatCards() if topic == "battle.cards" else None)
    text = NOTATION.write_answer(question, answer, language)
    assert read_back(text, question, view) == answer, text
    for one in NOTATION.read(text, view).orders:
        again = NOTATION.read(one.write(language), view)
        assert (*again.orders, *again.standing) == (one,)


@pytest.mark.parametrize(("scenario", "language"), [("1916", "en"), ("1918", "fr")])
def test_answers_drawn_in_played_games_are_read_back(scenario: str, language: Language) -> None:
    rng, met = Random(scenario), dict[str, int]()

    def visit(view: View, question: Ask) -> None:
        met[question.topic] = met.get(question.topic, 0) + 1
        if met[question.topic] > 12:
            return
        for answer in (question.default, *(question.options.sample(rng) for _ in range(4))):
            text = NOTATION.write_answer(question, answer, language)
            if text or not question.volunteer:
                assert read_back(text, question, view) == answer, (question.topic, text)

    examine(Case(GAME, scenario, 2, {"length": "short"}), 5, visit)
    assert sum(met.values()) > 200


def test_what_is_told_as_usual_is_what_happens_without_a_word() -> None:
    """Production apart: there the usual line goes on where the rules stop after a first word."""
    met = dict[str, int]()

    def visit(view: View, question: Ask) -> None:
        if question.topic in USUAL and question.topic != "production":
            met[question.topic] = met.get(question.topic, 0) + 1
            said = usual_line(view, question.topic).answer(question, view)
            assert said is not None and said.value == question.default, (question, said)

    examine(Case(GAME, "1918", 2, {"length": "short"}), 2, visit)
    assert len(met) >= 6
