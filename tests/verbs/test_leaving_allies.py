"""Allies: giving up together, leaving a seat to one another, and money outside one's own turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.game import Language
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.outages import ClockReading
from pbem.campaigns.resignations import overdue_campaigns
from pbem.campaigns.umpire import clock as umpires
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.seats import replace_holder
from pbem.intake.receive import receive_letter
from pbem.ops.sweep import sweep
from pbem.store.campaigns import acts, campaign_row, mark_held
from pbem.store.inbox import mark_read_to
from pbem.store.people import give_seat, give_to_bot, person_at, seated
from pbem.store.proposals import proposals
from tests.campaigns_at_hand import UMPIRE, AtHand, campaign_at_hand
from tests.flow.hands import text
from tests.orders import commands as c
from tests.trench_at_hand import in_first_round
from tests.verbs.contexts import context, do

pytestmark = pytest.mark.usefixtures("without_maps")

FRIENDS = {"DE": "AH", "AH": "DE", "GB": "FR", "FR": "GB"}
A_MONTH = timedelta(days=31)


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    return in_first_round(tmp_path, players=4)


def state(at: AtHand) -> Any:
    return load_campaign(at.db, at.name).table.state


def notices(at: AtHand) -> dict[str, int]:
    return {seat: len(at.letters(seat, "notice")) for seat in at.seats if at.letters(seat, "notice")}


def told_umpires(at: AtHand) -> int:
    return sum(one.letter.recipient == UMPIRE for one in at.letters(None, "notice"))


def outcomes(at: AtHand) -> list[str | None]:
    return [one.outcome for one in proposals(at.db, at.name)]


def later(at: AtHand, by: timedelta) -> None:
    """Time passes, and the mailbox has been read to its end."""
    at.clock.passes(seconds=by.total_seconds())
    mark_read_to(at.db, "INBOX", 1, at.clock())


# ------------------------------------------------------------------ giving up together


def test_both_allies_must_say_so_and_nobody_else_hears_of_the_first(at: AtHand) -> None:
    """TC-VICTORY-3"""
    first = do(context(at, "DE"), c.Resign())
    assert first.deed.serious and first.codes == ["resign-proposed"]
    assert notices(at) == {"AH": 1} and told_umpires(at) == 0
    assert adjudicate(at.service, at.name) is False
    last = do(context(at, "AH"), c.Resign())
    assert last.deed.serious and last.codes == ["consent-resigned"]
    assert adjudicate(at.service, at.name)
    result = load_campaign(at.db, at.name).table.outcome
    assert result is not None and set(result.winners) == {"GB", "FR"} and result.reason == "resignation"
    assert campaign_row(at.db, at.name).state == "over" and outcomes(at) == ["carried"]
    assert [act.data["seats"] for _, act in acts(at.db, at.name)] == [["AH", "DE"]]


@pytest.mark.parametrize(
    ("language", "subject", "headline", "how"),
    [("en", "your ally, wants to give up", "your ally, wants to give up.", "reply RESIGN NO"),
     ("fr", "veut abandonner", "veut abandonner.", "répondez ABANDONNER NON")],
)  # fmt: skip
def test_the_ally_is_told_what_to_answer_and_until_when(
    at: AtHand, language: Language, subject: str, headline: str, how: str
) -> None:
    do(context(at, "AH"), c.Lang(language))
    do(context(at, "DE"), c.Resign())
    (letter,) = at.letters("AH", "notice")
    words = " ".join(text(letter).split())
    assert subject in str(message_from_bytes(letter.letter.body, policy=policy.default)["Subject"])
    assert headline in words and how in words
    until = datetime.fromisoformat(proposals(at.db, at.name)[0].data["until"])
    assert until > at.clock() and f"{until.astimezone(UTC):%Y}" in words


def test_saying_it_again_changes_nothing(at: AtHand) -> None:
    do(context(at, "DE"), c.Resign())
    assert do(context(at, "DE"), c.Resign()).codes == ["resign-again"]
    assert notices(at) == {"AH": 1} and outcomes(at) == [None]


def test_an_ally_who_says_no_plays_on(at: AtHand) -> None:
    do(context(at, "DE"), c.Resign())
    told = do(context(at, "AH"), c.Resign(willing=False))
    assert told.codes == ["resign-refused"] and not told.deed.serious
    assert notices(at) == {"AH": 1, "DE": 1} and outcomes(at) == ["refused"]
    later(at, A_MONTH)
    assert overdue_campaigns(at.db, at.clock()) == set()
    assert do(context(at, "AH"), c.Resign()).codes == ["resign-proposed"], (
        "a new word, on which the other's counts"
    )


def test_it_can_be_taken_back(at: AtHand) -> None:
    do(context(at, "DE"), c.Resign())
    assert do(context(at, "DE"), c.Resign(willing=False)).codes == ["resign-withdrawn"]
    assert notices(at) == {"AH": 2} and outcomes(at) == ["withdrawn"]
    assert do(context(at, "AH"), c.Resign(willing=False)).codes == ["resign-nothing-open"]


def test_the_enemy_cannot_answer_it(at: AtHand) -> None:
    do(context(at, "DE"), c.Resign())
    assert do(context(at, "GB"), c.Resign(willing=False)).codes == ["resign-nothing-open"]
    assert do(context(at, "GB"), c.Resign()).codes == ["resign-proposed"], "a side of its own"
    assert outcomes(at) == [None, None] and notices(at) == {"AH": 1, "FR": 1}


def test_silence_as_long_as_a_turn_lasts_is_consent(at: AtHand) -> None:
    """TC-VICTORY-3"""
    do(context(at, "FR"), c.Resign())
    until = datetime.fromisoformat(proposals(at.db, at.name)[0].data["until"])
    assert overdue_campaigns(at.db, until) == set() and overdue_campaigns(at.db, None) == set()
    later(at, until - at.clock() + timedelta(minutes=1))
    assert overdue_campaigns(at.db, at.clock()) == {at.name}
    assert adjudicate(at.service, at.name)
    result = load_campaign(at.db, at.name).table.outcome
    assert result is not None and set(result.winners) == {"DE", "AH"} and outcomes(at) == ["carried"]


def test_a_campaign_that_is_held_waits_with_it(at: AtHand) -> None:
    do(context(at, "FR"), c.Resign())
    mark_held(at.db, at.name, "a slip")
    later(at, A_MONTH)
    assert adjudicate(at.service, at.name) is False and outcomes(at) == [None]
    assert do(context(at, "GB"), c.Resign()).codes == ["consent-held"]


def until_of(at: AtHand) -> datetime:
    return datetime.fromisoformat(proposals(at.db, at.name)[-1].data["until"])


def test_the_time_that_a_campaign_stood_still_is_added(at: AtHand) -> None:
    """TC-VICTORY-3"""
    do(context(at, "FR"), c.Resign())
    before = until_of(at)
    umpires.hold(Umpire(at.service, at.name, "rain"))
    later(at, A_MONTH)
    umpires.release(Umpire(at.service, at.name, "sun"))
    assert before + A_MONTH == until_of(at)
    assert adjudicate(at.service, at.name) is False and outcomes(at) == [None]
    later(at, until_of(at) - at.clock() + timedelta(minutes=1))
    assert adjudicate(at.service, at.name) and outcomes(at) == ["carried"]


def test_a_later_deadline_leaves_the_allies_more_time(at: AtHand) -> None:
    do(context(at, "FR"), c.Resign())
    before = until_of(at)
    umpires.extend(Umpire(at.service, at.name), timedelta(days=2))
    assert before + timedelta(days=2) == until_of(at)


def test_an_outage_costs_allies_as_little_as_others(at: AtHand) -> None:
    do(context(at, "FR"), c.Resign())
    before = until_of(at)
    at.clock.now = before - timedelta(hours=1)
    mark_read_to(at.db, "INBOX", 1, at.clock())
    sweep(at.service, lambda now: ClockReading(now, 0.0, "a boot"))
    at.clock.passes(hours=7)  # nothing runs meanwhile, and the machine starts anew
    mark_read_to(at.db, "INBOX", 1, at.clock())
    sweep(at.service, lambda now: ClockReading(now, 0.0, "another boot"))
    assert until_of(at) >= before + timedelta(hours=7)
    assert overdue_campaigns(at.db, at.clock()) == set()
    sweep(at.service, lambda now: ClockReading(now, 0.0, "another boot"))  # it is answered once
    assert until_of(at) < before + timedelta(days=2)


def test_who_wanted_to_give_up_and_is_replaced_wants_nothing_any_more(at: AtHand) -> None:
    do(context(at, "DE"), c.Resign())
    replace_holder(Umpire(at.service, at.name, "he left"), "DE", "newcomer@x.test", called="New Comer")
    assert outcomes(at) == ["withdrawn"]
    assert (
        "does not give up for now" in " ".join(text(at.letters("AH", "notice")[0]).split())
        and told_umpires(at) == 0
    )
    later(at, A_MONTH)
    assert overdue_campaigns(at.db, at.clock()) == set()
    adjudicate(at.service, at.name)
    assert campaign_row(at.db, at.name).state == "running"
    assert do(context(at, "AH"), c.Resign()).codes == ["resign-proposed"]


def test_who_takes_over_the_seat_of_an_ally_is_asked_and_has_his_time(at: AtHand) -> None:
    do(context(at, "DE"), c.Resign())
    before = until_of(at)
    later(at, before - at.clock() - timedelta(hours=1))
    replace_holder(Umpire(at.service, at.name), "AH", "newcomer@x.test", called="New Comer")
    told = [one for one in at.letters("AH", "notice") if one.letter.recipient == "newcomer@x.test"]
    assert "wants to give up" in " ".join(text(told[0]).split())
    assert outcomes(at) == [None] and until_of(at) > before + timedelta(hours=12)
    later(at, timedelta(hours=2))
    assert overdue_campaigns(at.db, at.clock()) == set()
    assert do(context(at, "AH"), c.Resign()).codes == ["consent-resigned"]


def test_a_new_token_for_the_same_player_changes_nothing(at: AtHand) -> None:
    do(context(at, "DE"), c.Resign())
    same = person_at(at.db, at.addresses["DE"])
    assert same is not None
    give_seat(at.db, at.name, "DE", same.id, at.clock())
    assert outcomes(at) == [None]


@pytest.mark.parametrize("who", ["DE", "AH"])
def test_a_seat_left_to_the_ally_leaves_nobody_to_be_silent(at: AtHand, who: str) -> None:
    do(context(at, "DE"), c.Resign())
    do(context(at, who), c.Handover())
    assert outcomes(at) == ["withdrawn"]
    later(at, A_MONTH)
    assert overdue_campaigns(at.db, at.clock()) == set()
    assert do(context(at, FRIENDS[who]), c.Resign()).codes == ["consent-resigned"]


def test_who_plays_both_seats_or_beside_a_bot_needs_nobody(at: AtHand, tmp_path: Path) -> None:
    same = person_at(at.db, at.addresses["DE"])
    assert same is not None
    give_seat(at.db, at.name, "AH", same.id, at.clock())
    give_to_bot(at.db, at.name, "FR", "random")
    assert do(context(at, "GB"), c.Resign(), keep=False).codes == ["consent-resigned"]
    assert do(context(at, "DE"), c.Resign()).codes == ["consent-resigned"]
    assert adjudicate(at.service, at.name) and campaign_row(at.db, at.name).state == "over"


def test_two_who_play_without_allies_give_up_alone(tmp_path: Path) -> None:
    at = in_first_round(tmp_path)
    assert do(context(at, "DE"), c.Resign()).codes == ["consent-resigned"]
    assert do(context(at, "DE"), c.Resign(willing=False)).codes == ["resign-nothing-open"]


def test_where_seats_are_given_up_there_is_nothing_to_refuse(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path)
    assert do(context(at, "DE"), c.Resign(willing=False)).codes == ["resign-nothing-open"]
    assert do(context(at, "DE"), c.Handover()).codes == ["handover-no-ally"]


# ------------------------------------------------------------------ leaving a seat to the ally


def test_a_seat_is_left_to_the_ally_and_everybody_is_told(at: AtHand) -> None:
    """TC-VICTORY-3"""
    results = len(at.letters("AH", "result"))
    told = do(context(at, "AH"), c.Handover())
    assert told.deed.serious and told.codes == ["handover-done"]
    held = {one.seat: one.person.registered for one in seated(at.db, at.name) if one.person is not None}
    assert held["AH"] == held["DE"] == at.addresses["DE"]
    assert notices(at) == {"DE": 1, "GB": 1, "FR": 1} and told_umpires(at) == 1
    newest = at.letters("AH", "result")
    assert len(newest) == results + 1 and newest[0].letter.recipient == at.addresses["DE"]
    assert do(context(at, "AH"), c.Handover()).codes == ["handover-nobody"]


def test_there_must_be_a_person_to_leave_it_to(at: AtHand) -> None:
    give_seat(at.db, at.name, "AH", None, at.clock())
    assert do(context(at, "DE"), c.Handover()).codes == ["handover-nobody"]
    give_to_bot(at.db, at.name, "FR", "random")
    assert do(context(at, "GB"), c.Handover()).codes == ["handover-nobody"]
    assert notices(at) == {}


# ------------------------------------------------------------------ outside one's own turn


def writes(at: AtHand, seat: str, words: str) -> str:
    """A letter of that seat, heard; returns the newest answer as one line."""
    receive_letter(at.service, at.arrives(at.reply(seat, words)), "test")
    return " ".join(text(at.letters(seat)[0]).split())


def test_outside_ones_turn_orders_are_refused_and_nothing_is_kept(at: AtHand) -> None:
    """TC-SETUP-22"""
    active = state(at).active
    idle = next(seat for seat in at.seats if seat != active)
    told = writes(at, idle, "M INF1 > C5")
    assert "TC-SETUP-22" in told and at.letters(idle)[0].letter.kind == "answer"
    at.close("all-in")
    assert all(unit.at != "C5" for unit in state(at).units.values() if unit.nation == idle)


def test_money_is_given_outside_ones_turn_when_the_next_one_begins(at: AtHand) -> None:
    """TC-MONEY-7"""
    assert state(at).active == "DE" and state(at).money["AH"] == 3
    writes(at, "AH", "GIVE 3 DE")
    assert state(at).money["AH"] == 3, "not before the next turn begins"
    at.close("all-in")
    assert (state(at).active, state(at).money["AH"], state(at).money["DE"]) == ("GB", 0, 2)


def test_money_given_in_ones_own_turn_goes_once_and_last(at: AtHand) -> None:
    """TC-MONEY-1, 7"""
    while state(at).active != "AH":
        at.close("all-in")
    told = writes(at, "AH", "PASS\nGIVE 2 DE")
    assert "GIVE 2 DE" in told and state(at).money["AH"] == 3
    at.close("all-in")
    assert (state(at).active, state(at).money["AH"], state(at).money["DE"]) == ("FR", 1, 1)


@pytest.mark.parametrize("amount", [4, 1])
def test_what_cannot_be_paid_or_would_not_arrive_is_refused_at_once(at: AtHand, amount: int) -> None:
    """TC-MONEY-8"""
    assert "TC-MONEY-8" in writes(at, "AH", f"GIVE {amount} DE")
    at.close("all-in")
    assert state(at).money["AH"] == 3
