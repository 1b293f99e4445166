"""decisions §2, §3: standing orders, deployment, what is done at any time; and what a receipt would say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.games.first_world_war.answers import (
    AnyTime,
    Deploy,
    FactionGiven,
    Pass,
    Recall,
    ReplaceGiven,
    RoundGiven,
    Slots,
    SlotsGiven,
)
from engine.games.first_world_war.notation import NOTATION, OrderLine
from engine.games.first_world_war.rules.replacements import ReplaceOptions
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import OrderFile
from tests.narrowing import not_none
from tests.rules.fww.board import PACK, Board, Drawing
from tests.rules.fww.desk import NOTHING, asked, capture_question, flanders, line, read, said, view_of

# ------------------------------------------------------------------ the other standing orders


def test_occupying_and_treaty_and_slots() -> None:
    occupy = asked("victory.occupy", capture_question("X", front=10).given, "BEOGRAD", "MONASTIR")
    assert said("OCCUPY 10: SOFIA MONASTIR BEOGRAD", occupy, view_of()) == "MONASTIR"
    assert said("OCCUPY 11: MONASTIR", occupy, view_of()) is NOTHING
    offer = asked("treaty.offer", FactionGiven("DE"), True, False, seat="DE")
    answer = asked("treaty.answer", FactionGiven("EA"), True, False, seat="EA")
    german, eastern = view_of("DE"), view_of("EA")
    assert [said(f"TREATY {one}", offer, german) for one in ("OFFER", "NONE", "ACCEPT")] == [
        True,
        False,
        NOTHING,
    ]
    assert said("TREATY OFFER IF TURN >= 4", offer, german) is NOTHING
    assert [said(f"TREATY {one}", answer, eastern) for one in ("ACCEPT", "REFUSE", "OFFER")] == [
        True,
        False,
        NOTHING,
    ]
    assert said("TREATY ACCEPT IF VP WA >= 9", answer, eastern) is NOTHING
    slots = asked(
        "order.slots", SlotsGiven("DE", (1, 3, 4), (2, 3)), Slots(3, 2), Slots(4, 2), Slots(3, 3), seat="DE"
    )
    assert said("SLOTS DEPLOY 2 3 ROUND 1 3", slots, german) == Slots(3, 3)
    assert said("SLOTS DEPLOY 2", slots, german) == Slots(4, 2)


def western(pool: str, capacity: int, asked_for: str = "") -> Ask:
    pools = tuple(sorted(f"{pool} {asked_for}".split()))
    given = ReplaceGiven("WA", pools, capacity, tuple(sorted(asked_for.split())))
    options = ReplaceOptions(pools, capacity, PACK.replacement.charged_to_WA)
    return Ask(Seat("WA"), "replace", "T3.P", given, options, default=())


@pytest.mark.parametrize(
    ("orders", "ask", "armies"),
    [
        ("REPLACE FR5 FR2", western("BR1 FR1 FR2 FR5", 3), "BR1 FR2 FR5"),
        ("REPLACE FR5 NONE", western("BR1 FR1 FR2 FR5", 3), "FR5"),
        ("REPLACE NONE", western("BR1", 3), ""),
        ("REPLACE FR5", western("BR1 FR2", 1), "BR1"),
        ("REPLACE FR1", western("BR1 FR1", 2, "BR-MEF"), "BR1 FR1"),
        ("REPLACE FR1", western("BR1 FR1", 3, "BR-MEF"), "BR-MEF BR1 FR1"),
        ("GRANT ALL IF SPARE", western("BR1 FR1", 2, "BR-MEF"), "BR1 FR1"),
        ("GRANT MEF", western("BR1 FR1", 2, "BR-MEF FR-OR"), "BR-MEF BR1"),
        ("DENY ALL", western("BR1", 3, "BR-MEF FR-OR"), "BR1"),
        ("DENY ALL\nGRANT OR", western("BR1", 3, "BR-MEF FR-OR"), "BR1 FR-OR"),
        ("GRANT OR\nDENY ALL", western("BR1", 3, "BR-MEF FR-OR"), "BR1 FR-OR"),
        ("REPLACE FR1\nGRANT MEF", western("BR1 FR1", 2, "BR-MEF"), "BR-MEF FR1"),
        ("REPLACE FR1\nGRANT MEF IF TURN > 3", western("BR1 FR1", 2, "BR-MEF"), "BR1 FR1"),
        ("GRANT MEF IF SPARE\nREPLACE FR1 BR1", western("BR1 FR1", 3, "BR-MEF"), "BR-MEF BR1 FR1"),
        ("REPLACE FR1 NONE", western("BR1 FR1", 3, "BR-MEF"), "FR1"),
        ("REPLACE FR1 NONE\nGRANT ALL IF SPARE", western("BR1 FR1", 3, "BR-MEF"), "BR-MEF FR1"),
        ("REPLACE FR1 NONE\nGRANT MEF IF SPARE", western("BR1 FR1", 1, "BR-MEF"), "FR1"),
        ("REPLACE NONE\nGRANT OR IF SPARE", western("BR1", 3, "BR-MEF FR-OR"), "FR-OR"),
        ("REPLACE NONE\nGRANT ALL IF SPARE\nDENY OR", western("BR1", 3, "BR-MEF FR-OR"), "BR-MEF"),
    ],
)
def test_replacements_and_grants_together(orders: str, ask: Ask, armies: str) -> None:
    view = view_of("WA")
    found = OrderFile(standing=read(orders, view).standing).find(ask, "", view, NOTATION)
    assert found is not None
    assert found.answer == tuple(armies.split())


def test_of_equals_the_lowest_number_comes_back_first() -> None:
    """RU7 and RU12 have value and entry in common."""
    given = ReplaceGiven("EA", ("RU12", "RU4", "RU7"), 2)
    ask = Ask(Seat("EA"), "replace", "T3.P", given, ReplaceOptions(given.pool, 2, ()), default=())
    assert said("REPLACE RU4", ask, view_of("EA")) == ("RU4", "RU7")


def test_asking_for_replacements() -> None:
    given = ReplaceGiven("EA", ("BR-MEF", "FR-OR"), 2, ("BR-MEF", "FR-OR"))
    options = ReplaceOptions(given.pool, 2, ())
    ask, view = Ask(Seat("EA"), "replace.ask", "T3.P", given, options, default=()), view_of("EA")
    assert said("ASK REPLACE OR ITB", ask, view) == ("FR-OR",)
    assert said("ASK REPLACE ALL", ask, view) == ("BR-MEF", "FR-OR")
    assert said("ASK REPLACE NONE", ask, view) == ()


# ------------------------------------------------------------------ deployment and what is done at any time


def test_deployment_names_some_and_leaves_the_rest_to_the_automatic_one() -> None:
    board = Board(turn=2, phase="deploy", faction="WA", fronts={3: "FR2 DE1 DE2", 1: "BE1"},
                  waiting={"WA": "FR6 FR9 FR10 WA:2D"})  # fmt: skip
    ask, view = board.ask("deploy"), board.view("WA")
    assert said("DEPLOY FR6 > 3, FR9 2D > 1 HOLD FR10", ask, view) == Deploy(
        (("FR6", 3), ("FR9", 1), ("WA-D1", 1), ("WA-D2", 1)), ("FR10",)
    )
    found = said("DEPLOY FR6 > 1, FR10 > 3 HOLD D", ask, view)
    assert (found.held, dict(found.placed)["FR6"], len(found.placed)) == (("WA-D1",), 1, 4)
    assert said("DEPLOY REAL > 3", ask, view) is NOTHING  # front 1 is owed an army
    assert board.refused("deploy", WA="DEPLOY REAL > 3") == [("FWW-4.2.1-8", "garrison-owed")]
    assert board.refused("deploy", WA="DEPLOY FR7 > 3") == [("FWW-4.2.1-3", "not-new")]
    assert said("IF ENEMY 3 >= 2 THEN DEPLOY FR6 > 3, FR9 > 1 ELSE DEPLOY HOLD D", ask, view) is not NOTHING


def western_step(**drawn: Any) -> Board:
    """Fronts 1 and 2 are owed an army."""
    fronts, new = {1: "BE1 DE1", 2: "FR5 DE3"}, {"WA": "BR2 FR6 FR9 WA:2D"}
    drawing: Drawing = {"turn": 2, "phase": "deploy", "faction": "WA", "fronts": fronts, "waiting": new}
    return Board(**(drawing | drawn))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("DEPLOY FR6 > 1\nDEPLOY FR9 > 4\nDEPLOY BR2 > 2\nDEPLOY 2D > 6",
         Deploy((("BR2", 2), ("FR6", 1), ("FR9", 4), ("WA-D1", 6), ("WA-D2", 6)))),
        ("DEPLOIE FR6 > 1, D > 3\nDEPLOIE BR2 > 2\nDEPLOY D > 4\nDEPLOIE GARDE FR9",
         Deploy((("BR2", 2), ("FR6", 1), ("WA-D1", 3), ("WA-D2", 4)), ("FR9",))),
        ("DEPLOY FR6 > 1, BR2 > 2\nDEPLOY D > 3\nDEPLOY D > 3\nDEPLOY HOLD FR9",
         Deploy((("BR2", 2), ("FR6", 1), ("WA-D1", 3), ("WA-D2", 3)), ("FR9",))),
        ("DEPLOY FR6 > 1\nDEPLOY REAL > 2\nDEPLOY HOLD ALL",
         Deploy((("BR2", 2), ("FR6", 1), ("FR9", 2)), ("WA-D1", "WA-D2"))),
        ("IF ENEMY 1 > 3 THEN DEPLOY FR6 > 4\nDEPLOY FR6 > 1, BR2 > 2\nDEPLOY HOLD FR9 2D",
         Deploy((("BR2", 2), ("FR6", 1)), ("FR9", "WA-D1", "WA-D2"))),
        ("IF ENEMY 1 > 0 THEN DEPLOY FR6 > 2\nDEPLOY FR6 > 4, BR2 > 1\nDEPLOY HOLD FR9 2D",
         Deploy((("BR2", 1), ("FR6", 2)), ("FR9", "WA-D1", "WA-D2"))),
    ],
)  # fmt: skip
def test_4_2_1__3_several_deployments_of_a_letter_are_one(text: str, answer: Deploy) -> None:
    board = western_step()
    ask, view = board.ask("deploy"), board.view("WA")
    reading = read(text, view)
    assert reading.refusals == ()
    found = OrderFile(reading.orders).find(ask, "", view, NOTATION)
    assert found is not None and found.answer == answer
    assert [one.check(view) for one in reading.orders] == [None] * len(reading.orders)
    given = {not_none(found.line).number, *(one.number for one in found.also)}
    spared = {one.number for one in reading.orders if one.attempt(ask, view) is None}
    assert given | spared == {one.number for one in reading.orders}
    assert spared == ({1} if "1 > 3" in text else set())


def test_4_2_1__8_duties_are_weighed_for_all_of_them_together() -> None:
    board = western_step()
    owed = [("FWW-4.2.1-8", "garrison-owed")] * 2
    assert board.refused("deploy", WA="DEPLOY FR6 > 1, FR9 > 4\nDEPLOY BR2 > 1") == owed
    assert board.refused("deploy", WA="DEPLOY FR6 > 1, FR9 > 4\nDEPLOY BR2 > 2") == []


@pytest.mark.parametrize(
    "text",
    [
        "DEPLOY FR6 > 1\nDEPLOY FR6 > 2",
        "DEPLOIE FR6 > 1\nDEPLOIE GARDE FR6",
        "DEPLOY FR6 > 1\nIF ENEMY 1 > 3 THEN DEPLOY FR9 > 2 ELSE DEPLOY FR6 > 2",
        "DEPLOY ALL > 1\nDEPLOY ALL > 2",
    ],
)
def test_4_2_1__3_a_counter_deployed_by_the_line_above_is_refused(text: str) -> None:
    reading = read(text, western_step().view("WA"))
    assert [(one.line, one.rule, one.reason) for one in reading.refusals] == [
        (2, "FWW-4.2.1-3", "named-twice")
    ]
    assert [one.number for one in reading.orders] == [1]


def test_more_deployments_than_anybody_has_counters_are_refused() -> None:
    reading = read("DEPLOY D > 1\n" * 52, western_step().view("WA"))
    assert [(one.line, one.reason, one.facts) for one in reading.refusals] == [
        (line, "too-many-deployments", {"most": 50}) for line in (51, 52)
    ]


def test_1__5_deployments_of_two_factions_stay_apart() -> None:
    view = western_step(players=2).view("WA")
    orders = read("WA DEPLOY D > 1\nEA DEPLOY D > 8\nWA DEPLOY FR6 > 1", view).orders
    assert [len(one.beside) for one in orders if isinstance(one, OrderLine)] == [2, 0, 2]


def test_what_is_done_at_any_time_is_done_together() -> None:
    board = Board(turn=3, faction="WA", fronts={4: "FR1 FR2 WA:D DE7"}, hands={"WA": "A02 A05 A07"})
    board.orders(WA="RETURN UNUSABLE\nREVEAL 4: FR1\nREVEAL WA-D1").play()
    (answer,) = [line["answer"] for line in board.lines("answer") if line["topic"] == "any_time"]
    assert (answer["returned"], answer["revealed"]) == (["A02", "A05"], ["FR1", "WA-D1"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RETURN UNUSABLE", AnyTime(returned=("A05",))),
        ("RETURN STEAMROLLER RUMOURS", AnyTime(returned=("A05",))),
        ("RETURN TANKS", NOTHING),
        ("REVEAL 4: FR1 D", AnyTime(revealed=("FR1", "WA-D1"))),
        ("REVEAL FR1 FR2", AnyTime(revealed=("FR1",))),  # FR2 is shown already
        ("REVEAL 3: D", NOTHING),
        ("REVEAL 4: ALL", AnyTime(revealed=("FR1", "WA-D1"))),
    ],
)
def test_the_parts_of_it(text: str, expected: Any) -> None:
    board = Board(
        turn=3, faction="WA", fronts={4: "FR1 FR2 WA:D DE7"}, hands={"WA": "A05 A07"}, face_up="FR2"
    )
    view = board.view("WA")
    ask = next(a for a in _moments(board) if a.given.faction == "WA")
    assert said(text, ask, view) == expected


def _moments(board: Board) -> list[Ask]:
    board.play()
    return [ask for ask in board.asked if ask.topic == "any_time"]


def test_recalls_are_asked_for_and_refused() -> None:
    board = Board(turn=3, faction="DE", fronts={9: "DE4 AH1", 3: "DE5"})
    board.state.recalls = [Recall("DE4", 9, 8)]
    moments = {ask.given.faction: ask for ask in _moments(board)}
    german, austrian = board.view("DE"), board.view("GA")
    assert said("RECALL DE4 9 > 3", moments["DE"], german) == AnyTime(recalls=(Recall("DE4", 9, 3),))
    assert said("RECALL DE4 9 > 8", moments["DE"], german) is NOTHING  # asked for already
    assert said("RECALL DE5 3 > 2", moments["DE"], german) is NOTHING
    assert said("REFUSE RECALL", moments["GA"], austrian) == AnyTime(refused=("DE4",))
    assert said("REFUSE RECALL DE5", moments["GA"], austrian) is NOTHING


def test_what_is_done_at_once_is_not_done_again_later() -> None:
    board = Board(turn=3, faction="WA", fronts={4: "FR1 DE7"})
    found = line("REVEAL FR1", board.view("WA"))
    ask = next(a for a in _moments(board) if a.given.faction == "WA")
    view = board.view("WA")
    assert found.answer(ask, view) is not None
    assert found.answer(ask, replace(view, round=view.round + 1)) is not None
    assert found.answer(ask, replace(view, round=view.round + 2)) is None
    assert found.answer(ask, replace(view, turn=4, round=1)) is None


# ------------------------------------------------------------------ what a receipt would say

CHECKS = [
    ("WA", "ATTACK 3 WITH FR2", None),
    ("WA", "ATTACK 3 WITH FR1", ("FWW-6-1", "not-there")),
    ("WA", "ATTACK 3 WITH DE5", ("FWW-6-1", "not-commanded")),
    ("WA", "ATTACK 3 WITH FR2 LEAD FR3", ("FWW-6.1-3", "lead-not-committed")),
    ("WA", "ATTACK 3 TILE MACHINEGUNS", ("FWW-6.2-1", "wrong-role")),
    ("WA", "ATTACK 3 TAKE PARIS", ("FWW-6.4-1", "location-elsewhere")),
    ("WA", "C1: PASS", ("FWW-4.2.2-1", "round-is-over")),
    ("WA", "C4: PASS", None),
    ("WA", "MOVE 1: 3D > 2", ("FWW-2.2-3", "too-few-dummies")),
    ("WA", "TRANSFER 3 > 5: FR2", ("FWW-5.3-1", "too-early")),
    ("WA", "IF WON THEN ATTACK 2 ELSE PASS", None),
    ("WA", "IF WON THEN MOVE 1: BR1 > 3 ELSE PASS", ("FWW-5-2", "not-adjacent")),
    ("WA", "ATTACK 9", ("FWW-2.1-7", "fights-elsewhere")),
    ("WA", "MOVE 9: ALL > 10", ("FWW-2.1-7", "fights-elsewhere")),
    ("DE", "TRANSFER 9 > 3: REAL", ("FWW-2.1-7", "fights-elsewhere")),
    ("DE", "ATTACK 9 WITH DE9", ("FWW-5.1-3", "not-commanded")),
    ("WA", "DEFEND 9: LEAD WEAKEST", ("FWW-2.1-7", "fights-elsewhere")),
    ("WA", "DEFEND 3: TILE TANKS", ("FWW-6.2-1", "wrong-role")),
    ("WA", "OCCUPY 3: PARIS", ("FWW-4.2.3-4", "location-elsewhere")),
    ("WA", "REPLACE RU1", ("FWW-7-3", "not-your-army")),
    ("WA", "REPLACE MEF BR1", None),
    ("WA", "GRANT BR1", ("FWW-7.2-1", "not-on-the-western-account")),
    ("EA", "GRANT MEF", ("FWW-7.2-2", "another-faction-decides")),
    ("EA", "REPLACE MEF", ("FWW-7.2-3", "not-your-army")),
    ("WA", "TREATY OFFER", ("FWW-8.1-1", "another-faction-decides")),
    ("DE", "TREATY OFFER", ("FWW-8.1-1", "no-treaty-before")),
    ("WA", "SLOTS DEPLOY 1", ("FWW-9.2-1", "option-is-off")),
    ("WA", "OPTIONS RANDOM=ON", ("notation", "options-are-fixed")),
    ("WA", "RETURN TANKS", ("FWW-6.2.1-5", "not-in-hand")),
    ("WA", "REVEAL 4: FR2", ("FWW-4.2.1-12", "not-there")),
    ("WA", "RECALL DE4 9 > 3", ("FWW-5.2-2", "another-faction-decides")),
    ("DE", "REFUSE RECALL", ("FWW-5.2-2", "another-faction-decides")),
    ("WA", "DEPLOY FR2 > 1", ("FWW-4.2.1-3", "not-new")),
    ("WA", "DEPLOY BR4 > 6", None),  # of next turn, in which Italy is open to it
    ("WA", "DEPLOY BR4 > 5", ("FWW-2.1-2", "not-listed")),
    ("WA", "CANCEL 3", None),
]


@pytest.mark.parametrize(("who", "text", "expected"), CHECKS)
def test_what_a_receipt_would_say(who: str, text: str, expected: tuple[str, str] | None) -> None:
    view = flanders().view(who)
    if text == "C1: PASS":
        view = replace(view, phase="rounds", round=6)
    found = line(text, view).check(replace(view, phase="rounds", round=view.round or 6))
    assert (None if found is None else (found.rule, found.reason)) == expected
    assert found is None or found.line == 1


def test_a_receipt_tells_nothing_that_only_the_enemy_knows() -> None:
    """Whatever stands face down opposite, the same lines are refused for the same reasons."""
    texts = [text for who, text, _ in CHECKS if who == "WA"]
    worlds = [flanders(fronts={1: f"BE1 BR1 WA:2D {one}", 3: f"FR2 FR3 FR4 {other}", 4: "FR1 WA:D"})
              for one, other in (("DE1 DE2", "DE5"), ("DE:2D", "DE:D"), ("DE5 DE:D", "DE1"))]  # fmt: skip
    told = [[line(text, world.view("WA")).check(world.view("WA")) for text in texts] for world in worlds]
    assert told[0] == told[1] == told[2]


def test_round_given_is_all_that_binds_a_round_order() -> None:
    view = view_of("WA", round=2)
    ask = asked("round.action", RoundGiven("WA", 1), Pass(), at="T3.R2")
    assert said("PASS", ask, view) == Pass()
    assert line("PASS", view).answer(ask, replace(view, turn=4)) is None
    assert line("PASS", view).answer(asked("round.action", RoundGiven("EA", 1), Pass()), view) is None


@pytest.mark.parametrize(
    "texts",
    [
        ("DEFEND 3: TILE NONE IF TURN >= 2", "DEFEND 3: LEAD STRONGEST"),
        ("DEFEND 3: LEAD STRONGEST", "DEFEND 3: TILE NONE IF TURN >= 2"),
        ("DEFEND 3: TILE NONE IF TURN >= 2", "DEFEND 3: LEAD WEAKEST IF TURN >= 5"),
        ("DEFEND 3: TILE BEST IF TURN >= 2", "DEFEND 3: TILE NONE IF TURN >= 2", "DEFEND 3: LEAD WEAKEST"),
    ],
)
def test_two_defences_of_one_front_read_again_with_what_they_came_to_stay_as_they_are(
    texts: tuple[str, ...],
) -> None:
    """Of a held letter the lines are kept as they were read: each Close nested them deeper."""
    view = view_of("WA")
    first = NOTATION.read("\n".join(texts), view)
    kept = "\n".join(line.write() for line in first.standing)
    again = NOTATION.read(kept, view)
    assert [line.write() for line in again.standing][-1] == first.standing[-1].write()
