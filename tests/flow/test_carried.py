"""Orders outlive a question that is put in between; lines for a later round wait for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate, missing_measures
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.policy import read_policy
from pbem.campaigns.terms import agree_terms
from pbem.intake.receive import receive_letter
from pbem.local.saved import advance, create_game, open_game
from pbem.store.journal import read_journal
from pbem.store.people import seated
from pbem.store.windows import SeatOrders, StoredSheet, cancel_orders, read_orders
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.hands import all_hand_in, hand_in, passes, text, window

pytestmark = pytest.mark.usefixtures("without_maps")

HISTORY = {"historical_setup": True, "no_surrender_before_turn": 6}
ORDERS = {
    "DE": "C1: ATTACK 2 WITH DE3\nC2: TRANSFER 3 > 4: DE5",
    "WA": "C1: TRANSFER 3 > 4: FR4\nC2: TRANSFER 3 > 4: FR3",
    "EA": "C1: TRANSFER 9 > 8: RU8",
    "GA": "C1: TRANSFER 9 > 10: AH4",
}
ASKS = "DEFEND 2: ASK\n"
QUIET = " calm"  # dice after which nothing is asked at the turn's end, with the question and without
AHEAD = "C1: PASS\nC2: TRANSFER 3 > 4: DE5"


def begun(folder: Path, tempo: str, **more: Any) -> AtHand:
    at = campaign_at_hand(folder, tempo=tempo, options=HISTORY, **more)
    all_hand_in(at)
    assert adjudicate(at.service, at.name)
    return at


def acts(at: AtHand) -> list[tuple[str, str]]:
    """What each faction did in its rounds."""
    facts = [line.data for line in read_journal(at.db, at.name) if line.data["k"] == "fact"]
    rounds = [one for one in facts if one["fact"] in ("RoundSpent", "AttackLaunched")]
    told = [one.get("data") or one for one in rounds]
    return [(one["faction"], one.get("action", "attack")) for one in told]


def played(folder: Path, tempo: str, *, ask: bool) -> AtHand:
    at = begun(folder, tempo, dice=QUIET)
    all_hand_in(at, {**ORDERS, "WA": (ASKS if ask else "") + ORDERS["WA"]})
    assert adjudicate(at.service, at.name)
    assert window(at).once == ask
    if ask:
        assert window(at).seats == ("WA",)
        hand_in(at, "WA", "LEAD FR5")
        assert adjudicate(at.service, at.name)
    return at


@pytest.mark.parametrize("tempo", ["fast", "react"])
def test_a_question_put_in_between_ends_nobodys_orders(tmp_path: Path, tempo: str) -> None:
    for name in ("plain", "asked"):
        (tmp_path / name).mkdir()
    plain = played(tmp_path / "plain", tempo, ask=False)
    asked = played(tmp_path / "asked", tempo, ask=True)
    assert acts(plain)[:4] == [("DE", "attack"), ("WA", "transfer"), ("EA", "transfer"), ("GA", "transfer")]
    assert acts(asked) == acts(plain)
    assert window(asked).key == window(plain).key


def test_letters_tell_what_became_of_a_line_when_it_has_become_of_it(tmp_path: Path) -> None:
    at = begun(tmp_path, "fast")
    all_hand_in(at, {**ORDERS, "WA": ASKS + ORDERS["WA"]})
    assert adjudicate(at.service, at.name)
    before = text(at.letters("DE", "result")[0])
    assert "done     C1: ATTACK 2" in before and "planned  C2: TRANSFER 3 > 4: DE5" in before
    hand_in(at, "WA", "LEAD FR5")
    assert adjudicate(at.service, at.name)
    after = text(at.letters("DE", "result")[0])
    assert "C1: ATTACK 2" not in after and "2  done  C2: TRANSFER 3 > 4: DE5" in after


def test_orders_are_sealed_while_a_question_is_open(tmp_path: Path) -> None:
    at = begun(tmp_path, "fast")
    all_hand_in(at, {**ORDERS, "WA": ASKS + ORDERS["WA"]})
    assert adjudicate(at.service, at.name)
    assert cancel_orders(at.db, at.name, window(at).number, "DE") == "filed"
    hand_in(at, "WA", "LEAD FR5\nC1: PASS")
    assert adjudicate(at.service, at.name)
    assert acts(at)[1] == ("WA", "pass"), "what is sent for the question lies above what is left"
    assert acts(at)[4] == ("DE", "transfer")


def test_an_automa_plays_on_behind_a_question(tmp_path: Path) -> None:
    at = begun(tmp_path, "fast")
    for seat in ("DE", "WA", "EA"):
        hand_in(at, seat, (ASKS if seat == "WA" else "") + ORDERS[seat])
    taken, filed = load_campaign(at.db, at.name), read_orders(at.db, at.name)
    frozen = taken.freeze(filed, "deadline", at.clock(), missing={"GA": "automa"})
    assert frozen is not None and adjudicate(at.service, at.name)
    assert json.loads(window(at).carried)["GA"] == {"automa": True}
    hand_in(at, "WA", "LEAD FR5")
    assert adjudicate(at.service, at.name)
    assert {act for who, act in acts(at) if who == "GA"} != {"pass"}


def test_a_line_for_a_later_cycle_waits_for_it(tmp_path: Path) -> None:
    at = begun(tmp_path, "react")
    all_hand_in(at, {"DE": AHEAD})
    assert adjudicate(at.service, at.name)
    assert "planned  C2: TRANSFER 3 > 4: DE5" in text(at.letters("DE", "result")[0])
    all_hand_in(at, but=("DE",))
    assert not adjudicate(at.service, at.name), "his letter is awaited all the same"
    policy = read_policy(load_campaign(at.db, at.name).standing_row.policy)
    assert missing_measures(policy, read_orders(at.db, at.name), seated(at.db, at.name)) == {}
    assert passes(at, days=9, hours=12)
    assert acts(at)[4] == ("DE", "transfer")
    assert window(at).carried == "", "nothing is left"


def test_new_orders_for_the_window_take_its_place(tmp_path: Path) -> None:
    at = begun(tmp_path, "react")
    all_hand_in(at, {"DE": AHEAD})
    assert adjudicate(at.service, at.name)
    all_hand_in(at, {"DE": "C2: PASS"})
    assert adjudicate(at.service, at.name)
    assert acts(at)[4] == ("DE", "pass")


def test_who_cancels_has_nothing_on_file(tmp_path: Path) -> None:
    at = begun(tmp_path, "react")
    all_hand_in(at, {"DE": AHEAD})
    assert adjudicate(at.service, at.name)
    assert cancel_orders(at.db, at.name, window(at).number, "DE") == "filed"
    assert window(at).carried == ""
    all_hand_in(at, but=("DE",))
    assert passes(at, days=9, hours=12)
    assert acts(at)[4] == ("DE", "pass")


def test_a_deployment_may_be_sent_before_its_turn(tmp_path: Path) -> None:
    at = begun(tmp_path, "fast")
    all_hand_in(at, {"DE": "DEPLOY REAL > 4\nPASS"})
    while window(at).key != "T2.D":
        assert adjudicate(at.service, at.name)
        if window(at).key != "T2.D":
            all_hand_in(at)
    assert "planned  DEPLOY REAL > 4" in text(at.letters("DE", "result")[0])
    all_hand_in(at, but=("DE",))
    here = load_campaign(at.db, at.name)
    new = {army for army in here.table.state.waiting["DE"] if army in here.terms.pack.armies}
    assert passes(at, days=9, hours=12)
    assert new and new <= set(load_campaign(at.db, at.name).table.state.fronts[4])
    assert window(at).key == "T2.R" and window(at).carried == ""


# ------------------------------------------------------------------ at a terminal


def play_to_the_rounds(campaign: Campaign) -> None:
    while campaign.pause is not None and not campaign.pause.window.key.endswith(".R"):
        advance(campaign, {})


def sheet(orders: str) -> SeatOrders:
    return SeatOrders(StoredSheet(orders))


def test_in_a_saved_game_what_is_left_outlives_the_program(tmp_path: Path) -> None:
    create_game(tmp_path / "c", agree_terms("fww", players=4, tempo="fast", options=HISTORY), {})
    orders = {Seat(seat): sheet(words) for seat, words in ORDERS.items()}
    orders[Seat("WA")] = sheet(ASKS + ORDERS["WA"])
    with open_game(tmp_path / "c") as campaign:
        play_to_the_rounds(campaign)
        advance(campaign, orders)
        assert campaign.is_one_question and set(campaign.carried) == {"DE", "EA", "GA", "WA"}
    with open_game(tmp_path / "c") as campaign:
        assert set(campaign.carried) == {"DE", "EA", "GA", "WA"}
        lines = advance(campaign, {Seat("WA"): sheet("LEAD FR5")})
    spent = [line.data["data"] for line in lines if line.data.get("fact") == "RoundSpent"]
    assert [(one["faction"], one["action"]) for one in spent[:4]] == [
        ("WA", "transfer"),
        ("EA", "transfer"),
        ("GA", "transfer"),
        ("DE", "transfer"),
    ]


# ------------------------------------------------------------------ what letters say of it


def told(at: AtHand, words: str) -> str:
    receive_letter(at.service, at.arrives(at.reply("DE", words)), "test")
    return " ".join(text(at.letters("DE")[0]).split())


def test_status_and_receipts_name_lines_that_were_sent_ahead(tmp_path: Path) -> None:
    at = begun(tmp_path, "react")
    all_hand_in(at, {"DE": AHEAD})
    assert adjudicate(at.service, at.name)
    still = "One line of your earlier orders is still on file; new orders replace it:"
    ahead = f"{still} 2 C2: TRANSFER 3 > 4: DE5"
    assert ahead in told(at, "STATUS")
    assert ahead in told(at, "CHECK\nC2: PASS")
    assert still not in told(at, "C2: PASS\nWAIT"), "now there are others"
