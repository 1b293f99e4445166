"""MONEY: income, repairs, gifts, and the end of a turn."""

from __future__ import annotations

import random

import pytest

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import DONE, Buy, Give, MoneyGiven, Repair
from engine.games.trench_club.facts import money as facts
from engine.games.trench_club.facts.moves import FortConquered, UnitMoved
from engine.games.trench_club.facts.setup import GameWon, TurnBegan
from engine.games.trench_club.rules.money import give, income, money
from engine.games.trench_club.rules.purchases import Gifts, Purchases, repairable, why_not_repair
from engine.games.trench_club.state import PUBLIC_FIELDS
from engine.kernel.errors import Refusal
from engine.kernel.requests import Answer
from tests.rules.trench.fights import PACK, field, marks, play, refused


def lines(state, *orders):
    """Order lines served one after the other: what is not offered is skipped, with the reason."""
    skipped: dict[Answer, Refusal] = {}
    accepted: list[Answer] = []
    procedure = money(state)
    waiting, reply = list(orders), None
    while True:
        try:
            request = procedure.send(reply)
        except StopIteration:
            return skipped, accepted
        reply = None
        if not hasattr(request, "options"):
            request.apply(state)
            continue
        reply = request.default
        while waiting:
            order = waiting.pop(0)
            if (refusal := request.options.why_not(order)) is None:
                accepted.append(order)
                reply = order
                break
            skipped[order] = refusal


# ------------------------------------------------------------------ the phase


def test_money__1_income_then_repairs_then_purchases():
    state = field("DE.TNK1@fort:B2 d4", own="B2=DE B8=DE", money={"DE": 2}, sheltered=["DE.TNK1"])
    answers = {"turn.spend": [Repair("DE.TNK1"), Buy("infantry", "B8"), DONE]}
    course = play(state, money(state), answers)
    told = [type(fact).__name__ for fact in course.facts]
    assert told == ["IncomeCollected", "UnitRepaired", "UnitBought"]
    assert state.money["DE"] == 0
    assert [ask.given for ask in course.asks] == [
        MoneyGiven("DE", 4),
        MoneyGiven("DE", 2),
        MoneyGiven("DE", 0),
    ]
    assert {(ask.seat, ask.topic, ask.at, ask.default) for ask in course.asks} == {
        ("DE", "turn.spend", "R3.DE.M", DONE)
    }
    assert state.phase == "money"
    assert course.result == order_of_play.next_turn(state)
    assert course.result.key == "R3.GB.T"


def test_money__1_after_a_purchase_nothing_is_repaired():
    state = field("DE.TNK1@fort:B2 d4", own="B2=DE", money={"DE": 9}, sheltered=["DE.TNK1"])
    course = play(state, money(state), {"turn.spend": [Buy("infantry", "B2"), DONE]})
    before, after = (ask.options for ask in course.asks)
    assert before.contains(Repair("DE.TNK1"))
    refusal = after.why_not(Repair("DE.TNK1"))
    assert refused(refusal, "TC-MONEY-1", "repairs-come-first", unit="DE.TNK1")
    assert refused(Purchases(state, "DE").why_not("R TNK1"), "TC-MONEY-1", "not-a-purchase")


def test_money__1_a_gift_does_not_end_the_repairs():
    state = field("DE.TNK1@fort:B2 d4", own="B2=DE", money={"DE": 9}, sheltered=["DE.TNK1"])
    play(state, money(state), {"turn.spend": [Give(2), Repair("DE.TNK1"), DONE]})
    assert marks(state, "DE.TNK1") == ""


def test_money__1_each_person_of_a_coop_spends_from_one_purse():
    """COOP-4, 5 The captain first."""
    state = field(own="B2=GB", nations="GB FR DE", coop=True, automa="DE", active="GB", money={"GB": 7})
    answers = {
        "GB turn.spend": [Buy("infantry", "B2"), DONE],
        "FR turn.spend": [Buy("mounted_infantry", "B2"), DONE],
    }
    course = play(state, money(state), answers)
    assert [ask.seat for ask in course.asks] == ["GB", "GB", "FR", "FR"]
    assert sorted(state.units) == ["FR.CAV1", "GB.INF1"]
    assert state.money == {"GB": 3, "DE": 0}


def test_money__1_without_a_word_income_is_collected_and_nothing_spent():
    state = field("DE.TNK1@fort:B2 d4", own="B2=DE", money={"DE": 5}, sheltered=["DE.TNK1"])
    course = play(state, money(state))
    assert course.facts == [facts.IncomeCollected("DE", 1)]
    assert state.money["DE"] == 6


def test_money__1_the_automa_shops_for_itself_and_for_who_left_it_the_turn():
    """AUTOMA-33 Nobody is asked."""
    own = field("GB.INF1@K14", own="B2=DE", nations="GB DE", automa="DE", money={"DE": 2})
    course = play(own, money(own))
    assert course.asks == []
    assert [fact.type for fact in course.told(facts.UnitBought)] == ["mounted_infantry"]
    left = field("GB.INF1@K14", own="B2=DE", nations="DE GB", money={"DE": 2}, lead="automa")
    assert play(left, money(left)).asks == []
    assert "DE.CAV1" in left.units


def test_t47_money_lines_never_reject():
    """MONEY-1, BUY-1"""
    state = field("DE.TNK1@fort:B2 d4", own="B2=DE", money={"DE": 2}, sheltered=["DE.TNK1"])
    cavalry, infantry = Buy("mounted_infantry", "B2"), Buy("infantry", "B2")
    skipped, accepted = lines(state, Repair("DE.TNK1"), cavalry, infantry)
    assert accepted == [Repair("DE.TNK1")]
    assert refused(skipped[cavalry], "TC-BUY-1", "not-enough-money", cost=3, money=1)
    assert refused(skipped[infantry], "TC-BUY-1", "not-enough-money", cost=2, money=1)
    assert state.money["DE"] == 1
    assert marks(state, "DE.TNK1") == ""


@pytest.mark.parametrize(("own", "coins"), [("", 0), ("B2=DE", 1), ("B2=DE B8=DE B14=DE J2=AH J8=GB", 3)])
def test_money__2_one_coin_for_each_fort_of_the_player(own, coins):
    assert income(field(own=own), "DE") == coins


# ------------------------------------------------------------------ repairs


def test_money__3_two_coins_for_all_damage():
    state = field("DE.TNK1@fort:B2 d5", own="B2=DE", money={"DE": 1}, sheltered=["DE.TNK1"])
    course = play(state, money(state), {"turn.spend": [Repair("DE.TNK1")]})
    assert course.told(facts.UnitRepaired) == [facts.UnitRepaired("DE.TNK1", 2)]
    assert marks(state, "DE.TNK1") == ""
    assert state.money["DE"] == 0


def test_money__3_only_own_units_and_only_with_the_money():
    state = field(
        *("DE.TNK1@fort:B2 d4", "AH.TNK1@fort:B8 d4"),
        own="B2=DE B8=AH",
        money={"DE": 1},
        sheltered=["DE.TNK1", "AH.TNK1"],
    )
    assert refused(why_not_repair(state, "DE.CAR1", "DE"), "TC-MONEY-3", "no-such-unit", unit="DE.CAR1")
    assert refused(why_not_repair(state, "AH.TNK1", "DE"), "TC-MONEY-3", "not-own-unit", unit="AH.TNK1")
    assert refused(why_not_repair(state, "DE.TNK1", "DE"), "TC-MONEY-3", "not-enough-money", cost=2, money=1)
    assert repairable(state, "DE") == ["DE.TNK1"]
    state.money["DE"] = 2
    assert why_not_repair(state, "DE.TNK1", "DE") is None


def test_e19_repair_timetable():
    """MONEY-3..5"""
    state = field("DE.TNK1@C2 d4 x3", own="B2=DE", money={"DE": 2})
    TurnBegan(1, "DE", ()).apply(state)
    UnitMoved("DE.TNK1", "C2", ("B2",), 1).apply(state)
    refusal = why_not_repair(state, "DE.TNK1", "DE")
    assert refused(refusal, "TC-MONEY-5", "came-in-this-turn", unit="DE.TNK1", fort="B2")
    TurnBegan(2, "DE", ("DE.TNK1",)).apply(state)
    play(state, money(state), {"turn.spend": [Repair("DE.TNK1")]})
    assert marks(state, "DE.TNK1") == "x3"
    assert state.money["DE"] == 1  # one more of income
    TurnBegan(3, "DE", ("DE.TNK1",)).apply(state)
    UnitMoved("DE.TNK1", "B2", ("C2",), 1).apply(state)
    assert state.on["C2"] == "DE.TNK1"


def test_money__4_the_unit_must_be_in_a_fort():
    state = field("DE.TNK1@C2 d4", own="B2=DE", money={"DE": 2})
    assert refused(why_not_repair(state, "DE.TNK1", "DE"), "TC-MONEY-4", "not-in-fort", hex="C2")


def test_t25_out_and_in_again():
    """MONEY-5"""
    state = field("DE.CAR1@fort:B2 d3", own="B2=DE", money={"DE": 9})
    TurnBegan(3, "DE", ("DE.CAR1",)).apply(state)
    assert why_not_repair(state, "DE.CAR1", "DE") is None
    UnitMoved("DE.CAR1", "B2", ("C2", "B2"), 2).apply(state)
    assert refused(why_not_repair(state, "DE.CAR1", "DE"), "TC-MONEY-5", "came-in-this-turn")
    assert repairable(state, "DE") == []


def test_money__5_it_must_still_be_inside_that_fort():
    """In on turn 1, repaired on turn 2, out on turn 3."""
    state = field("DE.CAR1@fort:B2 d3", "DE.TNK1@fort:B2 d3", own="B2=DE", money={"DE": 9})
    TurnBegan(3, "DE", ("DE.CAR1", "DE.TNK1")).apply(state)
    UnitMoved("DE.CAR1", "B2", ("C2",), 1).apply(state)
    assert refused(why_not_repair(state, "DE.CAR1", "DE"), "TC-MONEY-4", "not-in-fort", hex="C2")
    assert repairable(state, "DE") == ["DE.TNK1"]


@pytest.mark.parametrize(("damage", "reason"), [(0, "undamaged"), (1, "")])
def test_money__6_an_undamaged_unit_is_not_repaired(damage, reason):
    state = field(f"DE.CAR1@fort:B2 d{damage}", own="B2=DE", money={"DE": 9}, sheltered=["DE.CAR1"])
    refusal = why_not_repair(state, "DE.CAR1", "DE")
    assert (refusal is None) if not reason else refused(refusal, "TC-MONEY-6", "undamaged", unit="DE.CAR1")


# ------------------------------------------------------------------ gifts


def test_t26_income_and_transfer():
    """MONEY-2, 7, 8"""
    state = field("AH.INF1@C2", own="B8=AH B14=AH", active="AH")
    FortConquered("B2", "AH", "AH.INF1", "", ()).apply(state)
    course = play(state, money(state), {"turn.spend": [Give(3)]})
    assert course.told(facts.IncomeCollected) == [facts.IncomeCollected("AH", 3)]
    assert course.told(facts.MoneyGiven) == [facts.MoneyGiven("AH", "DE", 3, 2)]
    assert state.money == {"DE": 2, "GB": 0, "AH": 0, "FR": 0}
    assert refused(course.asks[0].options.why_not(Give(1)), "TC-MONEY-8", "too-little", least=2)


@pytest.mark.parametrize(("amount", "reason"), [(-1, "too-little"), (0, "too-little"), (1, "too-little")])
def test_money__8_something_must_arrive(amount, reason):
    options = Purchases(field(money={"DE": 5}), "DE")
    assert refused(options.why_not(Give(amount)), "TC-MONEY-8", reason, least=2)


def test_money__8_no_debt_no_gift_to_an_enemy():
    options = Purchases(field(money={"DE": 5}), "DE")
    assert options.contains(Give(2)) and options.contains(Give(5))
    assert refused(options.why_not(Give(6)), "TC-MONEY-8", "not-enough-money", cost=6, money=5)
    assert refused(options.why_not(Give(True)), "TC-MONEY-8", "too-little")
    two = Purchases(field(nations="DE GB", money={"DE": 5}), "DE")
    assert refused(two.why_not(Give(2)), "TC-MONEY-8", "no-ally")


def test_money__7_every_player_may_give_at_the_start_of_each_turn():
    state = field(money={"DE": 2, "GB": 1, "AH": 0, "FR": 7})
    course = play(state, give(state), {"FR give": [7], "DE give": [0]})
    asked = [(ask.seat, ask.topic, ask.at, ask.default, ask.volunteer) for ask in course.asks]
    assert asked == [("DE", "give", "R3.DE.T", 0, True), ("FR", "give", "R3.DE.T", 0, True)]
    assert [ask.given for ask in course.asks] == [MoneyGiven("DE", 2), MoneyGiven("FR", 7)]
    assert state.money == {"DE": 2, "GB": 7, "AH": 0, "FR": 0}


def test_money__7_the_others_may_give_before_anything_is_bought():
    """What an ally gives during the turn helps who spends now, and who spends now gives as he spends."""
    state = field(own="B2=DE", money={"DE": 2, "AH": 5, "FR": 4})
    spend: Answer = Buy("mounted_infantry", "B2")
    answers: dict[str, list[Answer]] = {"AH give": [3], "FR give": [0], "turn.spend": [spend]}
    course = play(state, money(state), answers)
    asked = [(ask.seat, ask.topic, ask.at) for ask in course.asks]
    assert asked[:3] == [
        ("AH", "give", "R3.DE.M"),
        ("FR", "give", "R3.DE.M"),
        ("DE", "turn.spend", "R3.DE.M"),
    ]
    assert [ask.volunteer for ask in course.asks[:3]] == [True, True, False]
    told = [type(fact).__name__ for fact in course.facts]
    assert told == ["IncomeCollected", "MoneyGiven", "UnitBought"]
    assert state.money == {"DE": 2, "GB": 0, "AH": 2, "FR": 4}


def test_money__7_whoever_leads_the_turn_the_gift_comes_before_the_purchases():
    """AUTOMA-33 Where the automa buys in a player's place too."""
    state = field("GB.INF1@K14", own="B2=DE", money={"AH": 3}, lead="automa")
    play(state, money(state), {"AH give": [3]})
    assert "DE.CAV1" in state.units and state.money["DE"] == 0


def test_money__7_nobody_is_asked_who_has_no_ally():
    state = field(nations="DE GB", money={"DE": 9, "GB": 9})
    assert play(state, give(state)).asks == []
    assert [ask.topic for ask in play(state, money(state)).asks] == ["turn.spend"]


def test_money__8_gifts_outside_the_turn_follow_the_same_rule():
    options = Gifts(field(money={"DE": 4}), "DE")
    assert list(options.describe()) == [0, 2, 3, 4]
    assert options.only() is None
    assert refused(options.why_not(1), "TC-MONEY-8", "too-little", least=2)
    assert refused(options.why_not(5), "TC-MONEY-8", "not-enough-money", cost=5, money=4)
    assert refused(options.why_not("2"), "TC-MONEY-8", "too-little")
    assert refused(options.why_not(False), "TC-MONEY-8", "too-little")
    rng = random.Random(3)
    assert {options.sample(rng) for _ in range(2000)} == {0, 2, 3, 4}
    assert Gifts(field(money={"DE": 1}), "DE").only() == (0,)
    assert Gifts(field(money={"DE": 9}, nations="DE GB"), "DE").only() == (0,)


def test_money__9_money_is_public():
    assert "money" in PUBLIC_FIELDS
    paid = (facts.IncomeCollected("DE", 1), facts.MoneyGiven("DE", "AH", 3, 2), facts.SpecialPaid("DE", 7))
    assert [fact.audience for fact in paid] == [None, None, None]


# ------------------------------------------------------------------ what is offered, and the end of the turn


def test_money__1_where_nothing_can_be_paid_there_is_nothing_to_answer():
    def only(*units, coins, own="", sheltered=(), nations="DE GB", limit=2):
        state = field(*units, own=own, nations=nations, money={"DE": coins}, options={"unit_limit": limit})
        state.sheltered = list(sheltered)
        return Purchases(state, "DE").only()

    assert only(coins=1, own="B2=DE") == (DONE,)
    assert only(coins=2, own="B2=DE") is None  # infantry
    assert only(coins=9) == (DONE,)  # no fort
    assert only(coins=1, nations="DE GB AH FR") == (DONE,)
    assert only(coins=2, nations="DE GB AH FR") is None  # a gift
    infantry = "DE.INF1@fort:B2 d1"
    assert only(infantry, coins=2, own="B2=DE", sheltered=["DE.INF1"], limit=1) is None  # its repair
    assert only(infantry, coins=2, own="B2=DE", limit=1) == (DONE,)
    army = [f"DE.{PACK.types[type_].code}1@fort:B2" for type_ in PACK.sheet["DE"]]
    assert only(*army, coins=6, own="B2=DE", limit=1) == (DONE,)
    assert only(*army, coins=7, own="B2=DE", limit=1) is None  # a special force


def test_money__1_the_last_turn_of_the_last_round():
    """VICTORY-6"""
    state = field("DE.INF1@D4", own="B2=DE", nations="DE GB", active="GB", options={"round_limit": 3})
    course = play(state, money(state))
    assert course.result is None
    assert [fact.reason for fact in course.told(GameWon)] == ["round-limit"]
    earlier = field("DE.INF1@D4", nations="DE GB", active="GB", options={"round_limit": 4})
    course = play(earlier, money(earlier))
    assert course.result.key == "R4.DE.T"
