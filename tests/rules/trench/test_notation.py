"""The order language: a whole turn in both languages, every verb, and what is refused line by line."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.trench_club.answers import (
    DONE,
    Attack,
    Build,
    Buy,
    Capture,
    FlippedGiven,
    Give,
    Mine,
    Move,
    Repair,
    Special,
    Split,
)
from engine.games.trench_club.game import GAME, TrenchClub
from engine.games.trench_club.notation import NOTATION
from engine.games.trench_club.notation.lines import OrderLine
from engine.games.trench_club.notation.words import CODES
from engine.games.trench_club.rules.placing import Placements, placing, setup, split_ask
from engine.games.trench_club.rules.purchases import Purchases
from engine.games.trench_club.state import State
from engine.games.trench_club.view import Report, View
from engine.kernel.errors import Ambiguous, Illegal, Unreadable
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, Reading, Said
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Ask, Choice, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.narrowing import expect, not_none
from tests.rules.trench.armies import game
from tests.rules.trench.drawn import PACK, drawn, play

TURN = (
    "DE.CAV1@C8, DE.TRK1@D5, DE.MOR1@D6, DE.INF1@C4, DE.CAR1@H4, DE.AIR1@F4, DE.TNK1@fort:B2 d2, "
    "GB.INF1@G7, FR.HOW1@I4"
)
ENGLISH = """C CAV1 B8
L MOR1 TRK1
L INF1 TRK1
M TRK1 D4 D3 E2 F2
U TRK1 MOR1@F3 INF1@E1
M CAR1 > H8
M AIR1 F5 F6 G6
A CAR1 GB.INF1
A AIR1 GB.INF1
A MOR1 I4
R TNK1
BUY INF B8"""
FRENCH = """PRENDRE MON1 B8
EMBARQUER MOR1 CAM1
EMBARQUER INF1 CAM1
D CAM1 D4 D3 E2 F2
DEBARQUER CAM1 MOR1@F3 INF1@E1
D BLI1 > H8
D AVI1 F5 F6 G6
A BLI1 GB.INF1
A AVI1 GB.INF1
A MOR1 I4
REPARER CHA1
ACHETER INF B8"""


def view_of(state: State, seat: str = "DE") -> View:
    return Report(state)(Seat(seat))


def read(text: str, *texts: str, **more: Any) -> Reading:
    return NOTATION.read(text, view_of(drawn(*texts, **more)))


def meant(text: str, topic: str, *texts: str, **more: Any) -> Any:
    """What one line answers to a question of that topic, legal or not."""
    view = view_of(drawn(*texts, **more))
    (line,) = NOTATION.read(text, view).orders
    said = line.attempt(Ask(Seat("DE"), topic, "R3.DE.T", None, Choice((), ""), None), view)
    return None if said is None else said.value


def table_of(units: list[str], players: int = 4, **more: Any) -> Table:
    settings = GameSettings("standard", players, "fast", more.pop("options", {}))
    state, segment = GAME.position(PACK, settings, {"units": units, **more})
    table = Table.at(GAME, PACK, settings, state, segment, TestDice(7))
    table.advance()
    return table


def whole_turn(text: str) -> Table:
    """Decisions 5: the position, with its sheet carried out."""
    table = table_of(TURN.split(", "), active="DE", forts={"B2": "DE"}, money={"DE": 2})
    reading = NOTATION.read(text, table.view(Seat("DE")))
    assert reading.refusals == ()
    verdicts = judge_sheet(table, Seat("DE"), OrderFile(reading.orders))
    early = [one for one in verdicts if expect(OrderLine, one.line).order.stage < 4]
    assert {"accepted"} == {one.status for one in early}, verdicts
    table.advance({Seat("DE"): OrderFile(reading.orders)})
    return table


def test_a_whole_turn_in_english_and_in_french_is_the_same_turn() -> None:
    one, other = whole_turn(ENGLISH), whole_turn(FRENCH)
    assert [line.raw for line in one.journal.lines] == [line.raw for line in other.journal.lines]
    state = one.state
    assert state.forts["B8"] == "DE" and state.units["DE.CAR1"].at == "H8"
    assert ("F3", "E1", "F2") == tuple(state.units[f"DE.{unit}1"].at for unit in ("MOR", "INF", "TRK"))
    assert state.units["DE.TNK1"].damage == 0  # 2 and an income of 2: repaired, and an infantry bought
    assert state.units["DE.INF2"].at == "B8" and state.money["DE"] == 0


def test_t46_one_illegal_line_is_named_with_its_rule() -> None:
    units = [*TURN.split(", "), "GB.INF2@fort:F8"]
    table = table_of(units, active="DE", forts={"B2": "DE", "F8": "GB"})
    text = f"{ENGLISH}\nA TNK1 GB.INF2\nA INF1 GB.INF2"
    reading = NOTATION.read(text, table.view(Seat("DE")))
    verdicts = judge_sheet(table, Seat("DE"), OrderFile(reading.orders))
    refused = {one.line.number: one.refusal for one in verdicts if one.status == "refused"}
    assert sorted(refused) == [13, 14]
    assert refused[14] is not None and refused[14].rule == "TC-FORT-11"
    assert TrenchClub.whole_sheets  # so nothing of it is carried out


def test_t47_money_lines_never_stop_a_turn() -> None:
    table = table_of(
        ["DE.TNK1@fort:B2 d2", "DE.CAR1@D4", "GB.INF1@K4"], active="DE", forts={"B2": "DE"}, money={"DE": 2}
    )
    reading = NOTATION.read("BUY CAV B2\nBUY INF B2\nR TNK1", table.view(Seat("DE")))
    assert ["R TNK1", "BUY CAV B2", "BUY INF B2"] == [line.write() for line in reading.orders]
    table.advance({Seat("DE"): OrderFile(reading.orders)})
    assert table.state.units["DE.TNK1"].damage == 0 and table.state.money["DE"] == 1
    assert not [unit for unit in table.state.units if unit.startswith(("DE.CAV", "DE.INF"))]


# ------------------------------------------------------------------ every verb


@pytest.mark.parametrize(
    ("text", "topic", "answer"),
    [
        ("M CAR1 D4 D3 E2", "turn.act", Move("DE.CAR1", ("D4", "D3", "E2"))),
        ("move car1 d04-d3-e02", "turn.act", Move("DE.CAR1", ("D4", "D3", "E2"))),
        ("D BLI1 D4 D3", "turn.act", Move("DE.CAR1", ("D4", "D3"))),
        ("M @D5 D4", "turn.act", Move("DE.CAR1", ("D4",))),
        ("M CAR D4", "turn.act", Move("DE.CAR1", ("D4",))),
        ("M CAR1 > D3", "turn.act", Move("DE.CAR1", ("D4", "D3"))),
        ("M CAR1 → D3", "turn.act", Move("DE.CAR1", ("D4", "D3"))),
        ("M MOR1 TRK1", "turn.act", Move("DE.MOR1", ("D8",), "DE.TRK1")),
        ("M MOR1 > TRK1", "turn.act", Move("DE.MOR1", ("D8",), "DE.TRK1")),
        ("L MOR1 TRK1", "turn.act", Move("DE.MOR1", ("D8",), "DE.TRK1")),
        ("E MOR1 CAM1", "turn.act", Move("DE.MOR1", ("D8",), "DE.TRK1")),
        ("U TRK1 MOR1@E7", "turn.act", Move("DE.TRK1", (), "", (("DE.MOR1", "E7"),))),
        ("C INF1 B8", "turn.act", Capture("DE.INF1", "B8")),
        ("PRENDRE INF1 B8", "turn.act", Capture("DE.INF1", "B8")),
        ("MINE MIN1 D6", "turn.act", Mine("DE.MIN1", "D6")),
        ("B ENG1 ROAD F6 F7", "turn.act", Build("DE.ENG1", "road", ("F6", "F7"))),
        ("CONSTRUIRE GEN1 TRANCHEE F6 F7", "turn.act", Build("DE.ENG1", "trench", ("F6", "F7"))),
        ("PASS", "turn.act", DONE),
        ("PASSE", "turn.targets", ()),
        ("A CAR1 GB.INF1", "turn.targets", (Attack("DE.CAR1", "GB.INF1"),)),
        ("A CAR1 GB INF1", "turn.targets", (Attack("DE.CAR1", "GB.INF1"),)),
        ("ATTAQUER BLI1 C3", "turn.targets", (Attack("DE.CAR1", "GB.INF1"),)),
        ("A GAS1 NW", "turn.targets", (Attack("DE.GAS1", "", "NW"),)),
        ("A GAZ1 NO", "turn.targets", (Attack("DE.GAS1", "", "NW"),)),
        ("R CAR1", "turn.spend", Repair("DE.CAR1")),
        ("R CAR1 IF 3+", "turn.spend", Repair("DE.CAR1")),
        ("R CAR1 SI 4+", "turn.spend", None),
        ("BUY INF B8", "turn.spend", Buy("infantry", "B8")),
        ("ACHETER MON B8", "turn.spend", Buy("mounted_infantry", "B8")),
        ("BUY SPECIAL B8", "turn.spend", Special("B8")),
        ("BUY SPECIAL B8 WATER C6", "turn.spend", Special("B8", "C6")),
        ("ACHETER SPECIALE=DIR B8 EAU C6", "turn.spend", Special("B8", "C6", "airship")),
        ("BUY SPECIAL=BOT C6", "turn.spend", Special("B2", "C6", "gunboat")),
        ("ACHETER SPECIALE=NAV C6", "turn.spend", Special("B2", "C6", "gunboat")),
        ("BUY SPECIAL=BOT B8", "turn.spend", Special("B8", "", "gunboat")),
        ("BUY SPECIAL=BOT B8 WATER C6", "turn.spend", Special("B8", "C6", "gunboat")),
        ("BUY SPECIAL=ZEP C6", "turn.spend", Special("C6", "", "airship")),
        ("GIVE 3 AH", "turn.spend", Give(3)),
        ("DONNER 3", "give", 3),
        ("ACTIVE C A", "turn.active", ("A", "C")),
        ("ARGENT APRES", "turn.lead", "later"),
        ("PUT B8", "turn.put", "B8"),
        ("M CAR1 D4", "turn.lead", "orders"),
        ("M CAR1 D4", "turn.targets", None),
    ],
)
def test_every_verb_in_both_languages(text: str, topic: str, answer: Any) -> None:
    units = (
        "DE.CAR1@D5 d3, DE.INF1@C8, DE.TRK1@D8, DE.MOR1@D9, DE.MIN1@E5, DE.ENG1@F5, DE.GAS1@H4, GB.INF1@C3"
    )
    assert answer == meant(text, topic, units, "own B2=DE")


def test_buying_several_is_several_orders() -> None:
    assert ["BUY INF B8"] * 3 == [line.write() for line in read("BUY INF B8 x3").orders]
    assert 2 == len(read("ACHETER INF B8 x 2").orders)


def test_buy__3_a_chosen_gunboat_takes_the_water_directly() -> None:
    """BUY-4 By whoever has a fort, whichever it is."""
    state = drawn("DE.INF1@D4, GB.INF1@K4, GB.INF2@K5", "own B8=DE, own J2=GB, own J8=GB, money DE=7")
    (line,) = NOTATION.read("BUY SPECIAL=BOT C6", view_of(state)).orders
    assert ("BUY SPECIAL=BOT C6", "ACHETER SPECIALE=NAV C6") == (line.write(), line.write("fr"))
    ask = Ask(Seat("DE"), "turn.spend", "R3.DE.M", None, Purchases(state, "DE"), DONE)
    assert line.answer(ask, view_of(state)) == Said(Special("B8", "C6", "gunboat"))
    state.forts["B8"] = ""
    said = line.attempt(ask, view_of(state))
    assert said is not None and (refusal := ask.options.why_not(said.value)) is not None
    assert (refusal.rule, refusal.reason) == ("TC-BUY-4", "no-fort")


def test_money__7_a_gift_on_file_comes_before_the_allys_purchases_and_once_only() -> None:
    units = ["DE.INF1@D4", "AH.INF1@D6", "GB.INF1@K4", "FR.INF1@K5"]
    table = table_of(units, active="DE", forts={"B2": "DE"}, money={"AH": 9})
    texts = {"DE": "BUY CAV B2", "AH": "GIVE 3 DE"}
    table.advance(
        {
            Seat(seat): OrderFile(NOTATION.read(text, table.view(Seat(seat))).orders)
            for seat, text in texts.items()
        }
    )
    assert (table.state.active, table.state.money["AH"], table.state.money["DE"]) == ("GB", 6, 0)
    assert table.state.units["DE.CAV1"].at == "B2"


def test_money__7_a_gift_of_ones_own_turn_is_made_once_and_in_its_place() -> None:
    """Among the purchases, and neither before them nor when the next turn begins."""
    units = ["DE.INF1@D4", "AH.INF1@D6", "GB.INF1@K4", "FR.INF1@K5"]
    table = table_of(units, active="DE", forts={"B2": "DE"}, money={"DE": 8})
    reading = NOTATION.read("BUY CAV B2\nGIVE 3 AH", table.view(Seat("DE")))
    table.advance({Seat("DE"): OrderFile(reading.orders)})
    assert (table.state.active, table.state.money["DE"]) == ("GB", 3)
    raw = [line.raw for line in table.journal.lines]
    bought, given = (
        next(n for n, one in enumerate(raw) if fact in one) for fact in (b"UnitBought", b"MoneyGiven")
    )
    assert bought < given and 1 == sum(b"MoneyGiven" in one for one in raw)


def test_lines_are_sorted_by_phase_and_stay_as_written_inside_one() -> None:
    text = "BUY INF B8\nA CAR1 C3\nR CAR1\nM CAR1 D4\nMONEY LATER\nA INF1 C3\nM INF1 D3\nACTIVE A"
    units = "DE.CAR1@D5, DE.INF1@C2, GB.INF1@C3"
    lines = [line.write() for line in read(text, units).orders]
    assert lines == [
        *("MONEY LATER", "ACTIVE A", "M CAR1 D4", "M INF1 D3"),
        *("A CAR1 C3", "A INF1 C3", "R CAR1", "BUY INF B8"),
    ]


def test_unloading_goes_along_with_the_transports_move() -> None:
    text = "L MOR1 TRK1\nM TRK1 D4 D3\nU TRK1 MOR1@E2"
    lines = [line.write() for line in read(text, "DE.TRK1@D5, DE.MOR1@D6").orders]
    assert lines == ["M MOR1 TRK1", "M TRK1 D4 D3 UNLOAD MOR1@E2"]
    again = [line.write() for line in read("\n".join(lines), "DE.TRK1@D5, DE.MOR1@D6").orders]
    assert lines == again


def test_the_codes_are_those_of_the_sheets() -> None:
    codes = {type_.code: (type_.code, type_.code_fr) for type_ in PACK.types.values()}
    assert codes == dict(CODES)


# ------------------------------------------------------------------ set-up


def test_a_split_with_the_rest() -> None:
    state = game()
    ask, view = split_ask(state, "DE"), view_of(state)
    for text in (
        "SPLIT A: CAV CAR AIR / B: INF TNK GUN FLK / C: rest",
        "GROUPES A: MON BLI AVI / B: INF CHA CAN DCA / C: reste",
    ):
        (line,) = NOTATION.read(text, view).orders
        assert line.answer(ask, view) is not None
        assert not_none(line.attempt(ask, view)).value == ask.default
    (all_in_one,) = NOTATION.read("SPLIT B: REST", view).orders
    assert isinstance(not_none(all_in_one.attempt(ask, view)).value, Split)


def test_companies_and_places_may_be_told_before_the_number_is_known() -> None:
    state = game()
    play(state, setup(state), dice="9 1")
    view = view_of(state)
    reading = NOTATION.read("FLIP B A C\nPLACE B: 0=TNK N=INF NE=GUN S=FLK", view)
    flip, place = reading.standing
    step = placing(state, "DE")
    ask = step.send(None)
    assert flip.answer(ask, view) is not None and not_none(flip.attempt(ask, view)).value == "B"
    units = tuple(f"DE.{unit}1" for unit in ("FLK", "GUN", "INF", "TNK"))
    options = Placements(state, units, "D5")
    given = FlippedGiven("DE", "B", 2, "D5", units)
    asked = Ask(Seat("DE"), "setup.place", "S.P1.DE", given, options, options.in_order())
    said = place.answer(asked, view)
    assert said is not None
    assert dict(said.value.places) == {
        "DE.TNK1": "D5",
        "DE.INF1": "D4",
        "DE.GUN1": "E4",
        "DE.FLK1": "D6",
    }
    other = Ask(Seat("DE"), "setup.place", "x", FlippedGiven("DE", "A", 2, "D5", units), options, None)
    assert place.attempt(other, view) is None


def test_what_becomes_of_a_missed_turn_stands() -> None:
    view = view_of(drawn("DE.CAR1@D4"))
    for text, answer in (("DEFAULT AUTOMA", "automa"), ("DEFAUT TENIR", "orders")):
        (line,) = NOTATION.read(text, view).standing
        ask = Ask(Seat("DE"), "turn.lead", "R3.DE.T", None, Choice(("orders", "automa"), ""), "orders")
        assert line.slot() == "turn.lead" and not_none(line.answer(ask, view)).value == answer


def test_orders_of_the_turn_go_before_a_standing_default() -> None:
    """The automa plays only for whoever sent nothing, and no line counts as good for being there."""
    table = table_of(["DE.CAR1@D4", "GB.INF1@K4"], active="DE")
    view = table.view(Seat("DE"))
    standing = NOTATION.read("DEFAULT AUTOMA", view).standing
    bad = NOTATION.read("M CAR1 F9", view).orders
    (verdict,) = judge_sheet(table, Seat("DE"), OrderFile(bad, standing))
    assert verdict.status == "refused"
    table.advance({Seat("DE"): OrderFile(NOTATION.read("M CAR1 D3", view).orders, standing)})
    assert table.state.units["DE.CAR1"].at == "D3"


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("FROB CAR1", Unreadable, "unknown-order"),
        ("M CAR9 D4", Illegal, "no-such-unit"),
        ("M TRK D4", Illegal, "no-such-unit"),
        ("M INF D4", Ambiguous, "several-such-units"),
        ("M CAR1", Unreadable, "missing"),
        ("M CAR1 Z99", Unreadable, "unknown-word"),
        ("M CAR1 D4 D3 NONSENSE", Unreadable, "unknown-word"),
        ("A CAR1", Unreadable, "missing"),
        ("BUY XYZ B8", Unreadable, "unknown-word"),
        ("BUY INF B8 now", Unreadable, "left-over"),
        ("BUY INF B8 x0", Unreadable, "out-of-range"),
        ("BUY INF B8 x 0", Unreadable, "out-of-range"),
        ("BUY INF B8 x12", Unreadable, "out-of-range"),
        ("R CAR1 IF 9+", Unreadable, "out-of-range"),
        ("SPLIT A: REST / B: REST", Unreadable, "rest-twice"),
        ("SPLIT A: CAR / A: REST", Unreadable, "company-twice"),
        ("PLACE B: UP=CAR", Unreadable, "unknown-word"),
        ("GIVE 3 GB", Illegal, "not-your-ally"),
        ("MONEY NOW", Unreadable, "unknown-word"),
        ("DEFAULT SLEEP", Unreadable, "unknown-word"),
        ("M CAR1 D4 & D5", Unreadable, "unknown-sign"),
    ],
)
def test_bad_lines_are_refused_with_a_reason(text: str, kind: type, reason: str) -> None:
    reading = read(text, "DE.CAR1@D5, DE.INF1@C2, DE.INF2@C8, GB.INF1@K4")
    (refusal,) = reading.refusals
    assert isinstance(refusal, kind) and refusal.reason == reason and refusal.line == 1
    assert reading.orders == ()


def test_a_misspelt_verb_gets_a_proposal() -> None:
    (refusal,) = read("ATTCAK CAR1 C3", "DE.CAR1@D5").refusals
    assert isinstance(refusal, Unreadable) and "ATTACK" in refusal.suggestions


def test_pass_and_a_move_cannot_both_be_meant() -> None:
    (refusal,) = read("PASS\nM CAR1 D4", "DE.CAR1@D5").refusals
    assert refusal.reason == "pass-and-more"
    assert read("PASS\nR CAR1", "DE.CAR1@D5").refusals == ()


def test_an_illegal_path_is_answered_with_a_legal_one() -> None:
    table = table_of(["DE.CAR1@D5", "GB.INF1@E4"], active="DE")
    reading = NOTATION.read("M CAR1 D4 D3 D2", table.view(Seat("DE")))
    (verdict,) = judge_sheet(table, Seat("DE"), OrderFile(reading.orders))
    assert verdict.refusal is not None and verdict.refusal.rule == "TC-CONTACT-3"
    assert verdict.refusal.facts["legal"]


@pytest.mark.parametrize("line", ["SPLIT A: REST", "PLACE AIR1@H6"])
def test_setup_10_no_turn_wants_what_comes_before_the_first(line: str) -> None:
    table = table_of(["DE.AIR1@D4", "GB.INF1@F5"], active="DE")
    reading = NOTATION.read(line, table.view(Seat("DE")))
    (verdict,) = judge_sheet(table, Seat("DE"), OrderFile(reading.orders))
    assert verdict.status == "idle"


@pytest.mark.parametrize("active", ["DE", "GB"])
@pytest.mark.parametrize(("players", "amount", "reason"), [(2, 2, "no-ally"), (4, 1, "too-little")])
def test_money_8_a_gift_that_can_never_be_is_passed_over_and_holds_nothing_back(
    players: int, amount: int, reason: str, active: str
) -> None:
    """Money never rejects a letter: with the moves beside it the sheet was held."""
    table = table_of(["DE.CAR1@D4", "GB.INF1@F5"], players=players, active=active, money={"DE": 5})
    reading = NOTATION.read(f"GIVE {amount}", table.view(Seat("DE")))
    (verdict,) = judge_sheet(table, Seat("DE"), OrderFile(reading.orders))
    assert verdict.status == "idle" and verdict.refusal is not None
    assert (verdict.refusal.rule, verdict.refusal.reason, verdict.refusal.line) == ("TC-MONEY-8", reason, 1)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ACTIVE A", ("idle", "")),  # SETUP-24 in this round all may act
        ("BUY INF B8", ("idle", "no-fort")),  # passed over: nobody takes a fort in this turn
    ],
)
def test_buy_2_what_no_combat_can_change_is_told_at_once(line: str, told: tuple[str, str]) -> None:
    table = table_of(["DE.CAR1@D4", "GB.INF1@F5"], active="DE", money={"DE": 9}, round=5)
    reading = NOTATION.read(line, table.view(Seat("DE")))
    (verdict,) = judge_sheet(table, Seat("DE"), OrderFile(reading.orders))
    assert (verdict.status, verdict.refusal.reason if verdict.refusal is not None else "") == told
