"""COOP-5 in the order language: who orders a partner's units, and what the captain may write for them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.games.trench_club.facts.combat import AttacksListed
from engine.games.trench_club.foreseen import foreseen
from engine.games.trench_club.notation import NOTATION
from engine.games.trench_club.notation.lines import OrderLine
from engine.games.trench_club.sensible import sensible_bot
from engine.games.trench_club.view import View
from engine.kernel.game import Forecast
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Ask, Choice, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.narrowing import expect
from tests.rules.trench.test_notation import table_of

UNITS = ["GB.INF1@D4", "GB.TRK1@D5", "FR.CAR1@G4", "FR.TRK1@H5", "DE.INF1@G6"]
GB, FR = Seat("GB"), Seat("FR")


def table(*more: str) -> Table:
    return table_of([*UNITS, *more], players=2, active="GB", options={"coop": True})


def play(at: Table, standing: str = "", **letters: str) -> dict[str, Any]:
    """One common turn with these letters; what was answered to each question that counts here."""
    files = {}
    for seat in (GB, FR):
        orders = NOTATION.read(letters.get(seat, ""), at.view(seat)).orders
        stands = NOTATION.read(standing, at.view(seat)).standing if seat == FR else ()
        files[seat] = OrderFile(orders, stands)
    at.advance(files)
    answers = [line.data for line in at.journal.lines if line.data["k"] == "answer"]
    return {f"{one['seat']} {one['topic']}": one["answer"] for one in answers}


def attackers(at: Table) -> list[str]:
    facts = [at.codec.fact(line.data) for line in at.journal.lines if line.data["k"] == "fact"]
    return [one.unit for fact in facts if isinstance(fact, AttacksListed) for one in fact.attacks]


# ------------------------------------------------------------------ who is silent


@pytest.mark.parametrize("letter", ["M CAR1 G5", "A CAR1 DE.INF1", "BUY INF B2", "PASS"])
def test_coop__5_whoever_orders_anything_leads_his_own_units(letter: str) -> None:
    at = table()
    answers = play(at, FR=letter, GB="M FR.TRK1 H4")
    assert answers["FR turn.join"] == "orders"
    assert at.state.units["FR.TRK1"].at == "H5"


def test_coop__5_without_a_letter_the_captain_orders_both() -> None:
    """He attacks with his partner's units, too."""
    at = table()
    answers = play(at, GB="M FR.CAR1 G5\nM INF1 D3\nA FR.CAR1 DE.INF1")
    assert answers["FR turn.join"] == "captain"
    assert (at.state.units["GB.INF1"].at, attackers(at)) == ("D3", ["FR.CAR1"])


@pytest.mark.parametrize(
    ("line", "answer", "moved"),
    [
        ("DEFAULT HOLD", "orders", False),
        ("DEFAUT TENIR", "orders", False),
        ("DEFAULT CAPTAIN", "captain", True),
        ("DEFAUT CAPITAINE", "captain", True),
        ("DEFAULT AUTOMA", "captain", True),  # that is for the captain to say
    ],
)
def test_coop__5_a_standing_order_decides_for_a_silent_partner(line: str, answer: str, moved: bool) -> None:
    at = table()
    assert play(at, standing=line, GB="M FR.CAR1 G5")["FR turn.join"] == answer
    assert (at.state.units["FR.CAR1"].at == "G5") == moved


def test_coop__5_a_letter_goes_before_a_standing_order() -> None:
    assert play(table(), standing="DEFAULT CAPTAIN", FR="M CAR1 G5")["FR turn.join"] == "orders"


@pytest.mark.parametrize("seat", ["GB", "DE"])
def test_coop__5_only_a_partner_has_a_captain(seat: str) -> None:
    """The captain has none, nor has anybody in another game."""
    at = table() if seat == "GB" else table_of(UNITS, active="DE")
    (refusal,) = NOTATION.read("DEFAULT CAPTAIN", at.view(Seat(seat))).refusals
    assert (refusal.rule, refusal.reason) == ("TC-COOP-5", "no-captain")


def test_coop__5_standing_orders_for_missed_turns_replace_one_another() -> None:
    lines = NOTATION.read("DEFAULT HOLD\nDEFAULT CAPTAIN\nDEFAULT AUTOMA", table().view(FR)).standing
    assert {"turn.lead"} == {line.slot() for line in lines}
    assert [("turn.lead", "turn.join"), ("turn.join",), ("turn.lead",)] == [
        expect(OrderLine, line).topics for line in lines
    ]


def test_coop__5_what_a_partner_may_be_asked_before_his_next_letter() -> None:
    def told(seat: Seat, standing: str, language: Any = "en") -> Forecast:
        view: View = table().view(seat)
        (one,) = foreseen(view, NOTATION.read(standing, view).standing, language)
        return one

    assert told(FR, "") == Forecast("turn.join", "DEFAULT CAPTAIN", False)
    assert told(FR, "", "fr") == Forecast("turn.join", "DEFAUT CAPITAINE", False)
    assert told(FR, "DEFAULT HOLD") == Forecast("turn.join", "DEFAULT HOLD", True)
    assert told(FR, "DEFAULT AUTOMA") == Forecast("turn.join", "DEFAULT CAPTAIN", False)
    assert told(GB, "") == Forecast("turn.lead", "DEFAULT HOLD", False)


@pytest.mark.parametrize(("answer", "line"), [("orders", "DEFAULT HOLD"), ("captain", "DEFAULT CAPTAIN")])
def test_coop__5_answers_are_written_and_read_back(answer: str, line: str) -> None:
    ask = Ask(FR, "turn.join", "R3.GB.T", None, Choice(("orders", "captain"), ""), "captain")
    assert NOTATION.write_answer(ask, answer) == line
    view = table().view(FR)
    (read,) = NOTATION.read(line, view).standing
    said = read.answer(ask, view)
    assert said is not None and said.value == answer
    assert sensible_bot(view, ask, Random(1)) == "orders"


# ------------------------------------------------------------------ the captain's letter


def test_coop__5_the_captains_orders_for_a_partner_stand_by() -> None:
    """They are not refused while the partner may write himself; his own lines come first."""
    at = table()
    reading = NOTATION.read("M FR.CAR1 G5\nM INF1 D3\nA FR.CAR1 DE.INF1", at.view(GB))
    assert ["M INF1 D3", "M FR.CAR1 G5", "A FR.CAR1 DE.INF1"] == [line.write() for line in reading.orders]
    assert [] == [one for one in judge_sheet(at, GB, OrderFile(reading.orders)) if one.status == "refused"]


def test_coop__5_a_partners_transport_carries_the_captains_unit() -> None:
    """TC-COOP-6: boarding is the captain's own order, driving the partner's, or the captain's for him."""
    text = "L HVY1 FR.TRK1\nM FR.TRK1 H4 UNLOAD HVY1@H3"
    silent = table("GB.HVY1@H6")
    play(silent, GB=text)
    assert ("H3", "H4") == (silent.state.units["GB.HVY1"].at, silent.state.units["FR.TRK1"].at)
    both = table("GB.HVY1@H6")
    play(both, GB=text, FR="U TRK1 GB.HVY1@G5")
    assert ("G5", "H5") == (both.state.units["GB.HVY1"].at, both.state.units["FR.TRK1"].at)


def test_coop__5_a_partner_does_not_order_the_captains_units() -> None:
    at = table()
    reading = NOTATION.read("M GB.INF1 D3", at.view(FR))
    (verdict,) = judge_sheet(at, FR, OrderFile(reading.orders))
    assert verdict.status != "accepted"
    play(at, FR="M GB.INF1 D3")
    assert at.state.units["GB.INF1"].at == "D4"


def test_coop__5_what_a_line_says_by_being_there_is_not_its_being_done() -> None:
    at = table()
    (line,) = NOTATION.read("M CAR1 G5", at.view(FR)).orders
    assert isinstance(line, OrderLine)
    joins = Ask(FR, "turn.join", "R3.GB.T", None, Choice(("orders", "captain"), ""), "captain")
    assert line.answer(joins, at.view(FR)) is not None and not line.serves(joins)
    acts = Ask(FR, "turn.act", "R3.GB.T", None, Choice((), ""), None)
    assert line.serves(acts)
