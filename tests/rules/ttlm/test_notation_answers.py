"""What orders mean to questions: acts, cards, production, policies."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.to_the_last_man.answers import (
    DONE,
    ArmyGiven,
    Build,
    Buy,
    CardsGiven,
    CombatCards,
    CrisisGiven,
    CrisisLossGiven,
    Declare,
    DeclareGiven,
    Entrench,
    ExcessGiven,
    Loss,
    Move,
    Place,
    PlacingGiven,
    ProductionGiven,
    Rebuild,
    Shift,
    SideGiven,
    Suppress,
    Swap,
    TurnGiven,
    Upgrade,
)
from engine.games.to_the_last_man.notation import NOTATION
from engine.kernel.errors import Ambiguous
from engine.kernel.sheet import OrderFile
from tests.narrowing import expect
from tests.rules.ttlm.desk import answers, ask, line, means, read, refusal, view_of

GE, EN = TurnGiven("GE"), TurnGiven("EN")


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("MOVE GE1 AAC-LIE", Move(("AAC", "LIE"), army="GE1")),
        ("MOVE GE1 TO LIE", Move(("AAC", "LIE"), army="GE1")),
        ("MOVE C@TRI TRI-ARD-SED", Move(("TRI", "ARD", "SED"), units=(("GE.C", 1),))),
        ("MOVE ALL C@TRI TRI-LUX", Move(("TRI", "LUX"), units=(("GE.C", 2),))),
        ("MOVE 2I+C:GE4 LUX-ARD", Move(("LUX", "ARD"), units=(("GE.C", 1), ("GE.I", 2)), source="GE4")),
        ("MOVE C@TRI INTO GE4", Move(("TRI", "LUX"), units=(("GE.C", 1),), into="GE4")),
        ("MOVE C@TRI INTO GE3", Shift("TRI", (("GE.C", 1),), into="GE3")),
        ("MOVE GE4 LUX-TRI ABSORB 2C", Move(("LUX", "TRI"), army="GE4", absorb=(("GE.C", 2),))),
        ("MOVE GE3 COB-EFT", Move(("COB", "EFT"), army="GE3")),
        ("SHIFT 2I:GE1>GE2", Shift("AAC", (("GE.I", 2),), "GE1", "GE2")),
        ("SHIFT GE3 > LOOSE", Shift("TRI", (("GE.C", 1), ("GE.I", 2)), "GE3")),
        ("WITHDRAW GE1 AAC-COL", Move(("AAC", "COL"), army="GE1", mode="withdraw")),
        ("SUPPRESS GE3", Suppress("GE3")),
        ("DONE", DONE),
    ],
)
def test_acts_of_the_own_turn(text: str, act: Any) -> None:
    assert means(text, ask("turn.act", GE)) == act


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("SEA UK1 CAL-ENG", Move(("CAL", "ENG"), army="UK1", mode="sea")),
        ("STRAT FR4 BAR..CAL", Move(("BAR", "CAL"), army="FR4", mode="strat")),
        ("EVACUATE BE1 TO CAL", Move(("ANT", "CAL"), army="BE1", mode="evacuate")),
        ("MOVE C@NAM NAM-MAU", Move(("NAM", "MAU"), units=(("FR.C", 1),))),
        ("MOVE BE I@NAM NAM-BRU", Move(("NAM", "BRU"), units=(("BE.I", 1),))),
        ("MOVE I@NAM INTO FR5", Shift("NAM", (("FR.I", 1),), into="FR5")),
        ("SHIFT US I:FR5>LOOSE", Shift("NAM", (("US.I", 1),), "FR5")),
        ("SHIFT I:FR5>LOOSE", Shift("NAM", (("FR.I", 1),), "FR5")),
    ],
)
def test_acts_of_the_entente(text: str, act: Any) -> None:
    assert means(text, ask("turn.act", EN)) == act


@pytest.mark.parametrize(
    ("text", "path", "around"),
    [
        ("RAIL GE1 AAC..SAA", ("AAC", "TRI", "SAA"), ("AAC", "COB", "PAL", "SAA")),
        ("RESERVES GE4 LUX..COB", ("LUX", "TRI", "COB"), ("LUX", "THI", "SAA", "PAL", "COB")),
    ],
)
def test_the_shortest_legal_way_leads_around_full_areas(
    text: str, path: tuple[str, ...], around: tuple[str, ...]
) -> None:
    """1.2.2-06 GE3 and two cavalry units fill Trier."""
    question = ask("turn.act", GE)
    assert means(text, question, view_of(loose={"TRI": "GE C"})).path == path
    assert means(text, question, view_of(loose={"TRI": "GE 2C"})).path == around


def test_two_nations_could_be_meant() -> None:
    found = refusal("MOVE I@NAM NAM-MAU", view_of("EN"))
    assert found.reason == "which-nation"
    assert expect(Ambiguous, found).meanings == ("BE I@NAM", "FR I@NAM")


def test_the_lines_of_a_sheet_serve_in_turn_and_those_with_a_false_condition_not() -> None:
    view = view_of()
    acts = [
        Move(("AAC", "LIE"), army="GE1"),
        Move(("TRI", "LUX"), army="GE3"),
        Move(("TRI", "COB"), army="GE3"),
    ]
    sheet = read(
        "MOVE GE1 AAC-LIE IF ENEMY=0\nMOVE GE3 TRI-LUX IF ENEMY>0 ELSE MOVE GE3 TRI-COB", view
    ).orders
    question = ask("turn.act", GE, *acts, DONE)
    found = OrderFile(sheet).find(question, "", view, NOTATION)
    assert found is not None and found.answer == acts[2]  # LIE holds a fort, LUX nothing of the enemy's


@pytest.mark.parametrize(
    ("text", "topic", "given", "answer"),
    [
        ("TAKE SURPRISE", "setup.take", CardsGiven("GE", ("OFF", "SUR")), "SUR"),
        ("BID OFF, ER2", "season.bid", SideGiven("GE"), ("ER2", "OFF")),
        ("BID 0", "season.bid", SideGiven("GE"), ()),
        ("FIRST EN", "season.first", SideGiven("GE"), "EN"),
        ("PLAY LIMITED", "turn.card", GE, "LIM"),
        ("PASS", "turn.card", GE, None),
        ("CRISIS AFTER COMBAT", "turn.crisis", CrisisGiven("GE", "combat"), True),
        ("DISCARD ER2, LIM", "turn.discard", GE, ("ER2", "LIM")),
        ("DISCARD ALL KEEP ER3, OFF", "turn.discard", GE, ("ER2", "GAS", "LIM", "OFF")),
        ("BATTLE NEW, STQ", "battle.declare", DeclareGiven("GE", ("LIE",)), Declare(("LIE", "STQ"))),
        ("KEEP NAM", "battle.keep", DeclareGiven("GE", areas=("LIE", "NAM")), "NAM"),
        ("WEATHER", "battle.weather", DeclareGiven("EN", areas=("LIE",)), True),
        ("METEO NON", "battle.weather", DeclareGiven("EN", areas=("LIE",)), False),
        ("EXCESS DROP LIM", "excess", ExcessGiven("GE", 1), ("LIM",)),
        ("OOSLOSS * A, C", "supply.loss", ArmyGiven("EN", "FR5"), "FR.A"),
        ("EFTLOSS I:GE3", "eft.loss", SideGiven("GE"), Loss("GE3", "GE.I")),
        ("EFTLOSS C@EFT", "eft.loss", SideGiven("GE"), Loss("EFT", "GE.C")),
        ("EFTLOSS GE3", "eft.loss", SideGiven("GE"), Loss("GE3")),
    ],
)
def test_cards_and_the_rest(text: str, topic: str, given: Any, answer: Any) -> None:
    assert means(text, ask(topic, given)) == answer


def test_a_crisis_is_played_at_its_moment_only() -> None:
    question = ask("turn.crisis", CrisisGiven("GE", "start"))
    assert line("CRISIS AFTER MOVES").attempt(question, view_of()) is None
    assert line("CRISIS").attempt(question, view_of()) is not None


def test_pass_if_the_other_passed() -> None:
    text = "PASS IF OPPPASSED ELSE PLAY LIMITED"
    assert means(text, ask("turn.card", GE), view_of(passes=1)) is None
    assert means(text, ask("turn.card", GE), view_of(passes=0)) == "LIM"


# ------------------------------------------------------------------ combat cards


def test_several_cards_go_together_and_the_extra_dice_stay_where_they_are() -> None:
    gas, surprise = ("LIE", "GAS"), ("NAM", "SUR")
    offered = [CombatCards(on, ("LIE",)) for on in ((), (gas,), (surprise,), (gas, surprise))]
    question = ask(
        "battle.cards",
        DeclareGiven("GE", areas=("LIE", "NAM")),
        *offered,
        default=CombatCards(bonus=("LIE",)),
    )
    assert answers("CARD SURPRISE ON NAM\nCARD GAS ON LIE", question) == offered[3]
    assert answers("CARD SURPRISE ON NAM\nCARD NONE\nALWAYS CARD GAS ON LIE", question) == offered[2]
    assert answers("CARD AAB ON LIE\nCARD GAS ON LIE", question) == offered[1]


def test_gas_on_every_area_attacked_while_it_lasts() -> None:
    one, other = ("ART", "GAS"), ("LIE", "GAS")
    given = DeclareGiven("EN", areas=("LIE", "ART"))
    text = "CARTE GAZ SUR * SI ATTAQUE"
    question = ask("battle.answer", given, CombatCards((other,)), default=CombatCards())
    assert answers(text, question, view_of("EN", battles=["LIE", "ART"])) == CombatCards((other,))
    both = ask("battle.answer", given, *(CombatCards(x) for x in ((other,), (one,), (one, other))))
    assert answers(text, both, view_of("EN", battles=["LIE", "ART"])) == CombatCards((one, other))
    assert answers(text, both, view_of("EN", phasing="EN")) is None  # nobody attacks


# ------------------------------------------------------------------ reinforcements and production


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("PLACE FR9 AT TRO", Place("TRO", army="FR9")),
        ("PLACE 2I IN FR4", Place("BAR", units=(("FR.I", 2),), into="FR4")),
        ("PLACE US 3I AT BAR", Place("BAR", units=(("US.I", 3),))),
        ("PLACE I AT BAR", Place("BAR", units=(("FR.I", 1),))),
        ("SWAP CAN IN UK1", Swap("UK.CW.01", "CAL", "UK1")),
        ("SWAP ANZAC AT CAL", Swap("UK.CW.02", "CAL")),
    ],
)
def test_reinforcements(text: str, act: Any) -> None:
    given = PlacingGiven("EN", ("FR9",), (("FR.I", 2), ("US.I", 3)), ("UK.CW.01",))
    assert means(text, ask("reinforce", given)) == act


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("BUILD 2I IN FR4", Build("BAR", (("FR.I", 2),), "FR4")),
        ("BUILD A AT MAU", Build("MAU", (("FR.A", 1),))),
        ("BUILD UK A AT MAU", Build("MAU", (("UK.A", 1),))),
        ("REBUILD BE1 AT FLA", Rebuild("BE1", "FLA")),
        ("ENTRENCH UK1, FR4, 2I@VOS", Entrench(("FR4", "UK1"), (("VOS", (("FR.I", 2),)),))),
        ("BUY 6 CARDS", Buy(6)),
        ("BUY 0 CARDS", DONE),
        ("SHIFT US I:FR5>LOOSE", Shift("NAM", (("US.I", 1),), "FR5")),
    ],
)
def test_production(text: str, act: Any) -> None:
    assert (
        means(text, ask("production", ProductionGiven("EN", 6, 0)), view_of("EN", phase="production")) == act
    )


def test_upgrade() -> None:
    assert means("UPGRADE I IN GE2", ask("production", ProductionGiven("GE", 6, 0))) == Upgrade("LIE", "GE2")


def test_place_any_fills_the_weakest_army_until_nothing_fits() -> None:
    given = PlacingGiven("GE", (), (("GE.I", 2),), ())
    acts = [Place(at, units=(("GE.I", 1),), into=army) for army, at in (("GE1", "AAC"), ("GE3", "TRI"))]
    assert answers("PLACE ANY", ask("reinforce", given, DONE, *acts)) == acts[1]  # GE3 holds fewer units
    assert answers("PLACE ANY", ask("reinforce", given, DONE)) == DONE
    assert line("PLACE ANY").stays


def test_the_policy_of_production_puts_points_by_for_cards() -> None:
    """D51 Cards are wanted first, and bought last."""
    view = view_of(owner={"LIE": "GE"}, phase="production")
    build = Build("LIE", (("GE.I", 1),), "GE2")
    wanted = view.pack.turns[8].hand["GE"] - len(view.hand)
    assert wanted > 0
    offered = (build, *(Buy(n) for n in range(1, 12)), DONE)
    for points, stage, act in (
        (wanted + 1, 0, build),
        (wanted, 2, Buy(wanted)),
        (wanted - 1, 2, Buy(wanted - 1)),
        (wanted, 5, DONE),
    ):
        question = ask("production", ProductionGiven("GE", points, stage), *offered)
        assert answers("PRODUCE CARDS LIMIT, I IN GE2", question, view) == act
    first = ask("production", ProductionGiven("GE", 1, 0), *offered)
    assert answers("PRODUCE I IN GE2, CARDS LIMIT", first, view) == build
    assert answers("PRODUCE I FRONT, CARDS 1", first, view) == build  # LIE is Disputed: a fort stands there
    calm = view_of(forts={}, phase="production")
    assert answers("PRODUCE I FRONT, CARDS 1", first, calm) == Buy(1)


def test_the_ranking_keeps_what_is_named_first() -> None:
    view = view_of()  # OFF OFF ER2 ER3 LIM GAS
    question = ask("excess", ExcessGiven("GE", 3))
    assert means("RANK LIM, GAS, ER2", question, view) == ("ER3", "OFF", "OFF")
    assert means("EXCESS DROP OFF", question, view) == ("ER2", "LIM", "OFF")  # the rest by default


def test_infantry_for_a_crisis_is_completed_by_default() -> None:
    given = CrisisLossGiven("EN", 3, ("FR", "UK"), ("I", "CW"))
    exact = (Loss("FR4", "FR.I"), Loss("VOS", "FR.I"), Loss("UK1", "UK.I"))
    assert answers("CRISISLOSS I:FR4, I@VOS, I:UK1", ask("crisis.loss", given, exact)) == exact
    assert means("CRISISLOSS I:FR4", ask("crisis.loss", given)) == (
        Loss("FR4", "FR.I"),
        Loss("NAM", "FR.I"),
        Loss("VOS", "FR.I"),
    )


def test_a_question_nothing_is_said_to() -> None:
    assert line("PASS").attempt(ask("turn.act", GE, DONE), view_of()) is None
    assert OrderFile(read("PASS").orders).find(ask("turn.act", GE, DONE), "", view_of(), NOTATION) is None
