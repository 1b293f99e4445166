"""A sheet rehearsed: accepted, refused and untested lines, and where the curtain falls."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.errors import Illegal
from engine.kernel.game import ReceiptBoard, Tempo
from engine.kernel.rehearsal import Verdict, judge_sheet, rehearse
from engine.kernel.requests import Ask, Choice, Draw, Procedure, Roll, Seat, Segment, Shuffle
from engine.kernel.sheet import OrderFile
from tests.kernel.play import Campaign, Lone, dumped, orders
from tests.kernel.toy import HOLES, NORTH, SOUTH, Ended, Guessed, State, Waved


def verdicts(campaign: Campaign, text: str, seat: Seat = NORTH) -> list[tuple[str, str]]:
    """Status and reason of each line."""
    found = judge_sheet(campaign.table, seat, orders(text))
    return [(v.status, v.refusal.reason if v.refusal else "") for v in found]


def paused(tempo: Tempo = "fast", pauses: int = 1) -> Campaign:
    campaign = Campaign.of(tempo=tempo)
    for _ in range(pauses):
        campaign.advance()
    return campaign


@pytest.mark.parametrize("seat", [NORTH, SOUTH])
def test_the_own_part_of_sealed_questions_is_tested(seat: Seat) -> None:
    assert verdicts(paused(), "HIDE H2", seat) == [("accepted", "")]
    assert verdicts(paused(), "HIDE H9", seat) == [("refused", "not-offered")]


def test_lines_behind_the_curtain_are_untested_and_carry_what_would_refuse_them_now() -> None:
    text = "HIDE H2\nGUESS H1\nGUESS H9\nDROP NONE\nT2 HIDE H1"
    assert verdicts(paused(), text) == [
        ("accepted", ""),
        ("untested", ""),
        ("untested", "no-such-hole"),
        ("untested", ""),
        ("untested", ""),
    ]


def test_a_line_that_no_question_will_want_is_refused_though_nothing_tests_it() -> None:
    there = paused()
    while there.table.view(NORTH).turn < 2:
        there.advance()
    assert verdicts(there, "T1 HIDE H1\nT2 HIDE H2") == [("refused", "turn-over"), ("accepted", "")]


def test_a_refusal_names_rule_and_line() -> None:
    (_, verdict) = judge_sheet(paused("react", 2).table, NORTH, orders("DROP NONE\nGUESS H9"))
    assert verdict.refusal == Illegal("TOY-2", "not-offered", line=2) and verdict.status == "refused"


def test_of_lines_tried_in_sequence_the_one_that_counts_is_accepted_and_none_is_refused() -> None:
    assert verdicts(paused("react", 2), "GUESS H9\nGUESS H3\nGUESS H1") == [
        ("idle", "not-offered"),
        ("accepted", ""),
        ("idle", ""),
    ]
    assert verdicts(paused("react", 2), "GUESS H9\nGUESS H8") == [("refused", "not-offered")] * 2


def test_where_lines_are_no_alternatives_a_bad_one_is_refused_beside_a_good_one() -> None:
    assert verdicts(paused(), "HIDE H9\nHIDE H2") == [("refused", "not-offered"), ("accepted", "")]


def test_volunteers_act_before_the_question() -> None:
    assert verdicts(paused("react", 1), "WAVE\nHIDE H1") == [("untested", ""), ("accepted", "")]


def test_an_act_of_another_volunteer_is_not_foreseen() -> None:
    """The other seat's wave is no question that ends the rehearsal."""

    def waves(state: State) -> Procedure:
        yield Ask(NORTH, "hide", "T1.lone", None, Choice(HOLES, "TOY-1"), "H1", secret=True)
        wave = Choice((False, True), "TOY-5")
        yield Ask(SOUTH, "wave", "T1.lone", None, wave, False, secret=True, volunteer=True)
        yield Ask(NORTH, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1", secret=True)
        return None

    campaign = Campaign.of(Lone(waves))
    campaign.advance()
    assert verdicts(campaign, "HIDE H1\nGUESS H2") == [("accepted", ""), ("accepted", "")]


def test_standing_orders_take_part_and_get_no_verdict() -> None:
    """Their line numbers are those of another letter."""
    campaign = paused("react", 2)
    standing = orders("ALWAYS GUESS H2").standing
    sheet = orders("DROP K9").sheet
    assert standing[0].number == sheet[0].number == 1
    (verdict,) = judge_sheet(campaign.table, NORTH, OrderFile(sheet, standing))
    assert verdict == Verdict(sheet[0], "untested", None)


@pytest.mark.parametrize("tempo", ["fast", "react", "strict"])
def test_the_table_is_not_touched(tempo: Tempo) -> None:
    campaign = Campaign.of(tempo=tempo)
    pause = campaign.advance()
    while pause is not None:
        before = (dumped(campaign.table), list(campaign.lines), campaign.table.t, campaign.table.window)
        for seat in (NORTH, SOUTH):
            judge_sheet(campaign.table, seat, orders("HIDE H2\nGUESS H9\nGUESS H3\nDROP NONE\nWAVE"))
        assert before == (dumped(campaign.table), campaign.lines, campaign.table.t, campaign.table.window)
        assert campaign.table.pause is pause
        pause = campaign.advance()


# ------------------------------------------------------------------ the curtain


def curtain(request: Any) -> Campaign:
    def play(state: State) -> Procedure:
        yield Ask(NORTH, "hide", "T1.lone", None, Choice(HOLES, "TOY-1"), "H1", secret=True)
        if request is not None:
            yield request
        yield Ask(NORTH, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1", secret=True)
        yield Ended()
        return None

    campaign = Campaign.of(Lone(play))
    campaign.advance()
    return campaign


def asking(seat: Seat) -> Ask:
    return Ask(seat, "drop", "T1.lone", None, Choice((None, "K1"), "TOY-4"), None)


@pytest.mark.parametrize("request_", [None, Waved(NORTH), asking(NORTH)])
def test_the_curtain_stays_up(request_: Any) -> None:
    assert verdicts(curtain(request_), "HIDE H3\nGUESS H2") == [("accepted", ""), ("accepted", "")]
    assert verdicts(curtain(request_), "HIDE H3\nGUESS H7")[1] == ("refused", "not-offered")


@pytest.mark.parametrize(
    "request_",
    [
        Roll(NORTH, "spoil"),
        Roll(SOUTH, "spoil"),
        Draw(NORTH, "card", ("K1", "K2")),
        Draw(SOUTH, "card", ("K1", "K2")),
        Shuffle("deck", ("K1", "K2")),
        Guessed(NORTH, "H1", 5, True),
        asking(SOUTH),
    ],
)
def test_the_curtain_falls_at_chance_reveals_and_others_questions(request_: Any) -> None:
    campaign = curtain(request_)
    assert verdicts(campaign, "HIDE H3\nGUESS H2") == [("accepted", ""), ("untested", "")]
    assert verdicts(campaign, "HIDE H3\nGUESS H7")[1] == ("untested", "no-such-hole")


def test_others_answers_on_file_make_no_difference() -> None:
    """The rehearsal gets the writer's file alone; a question to another ends it, answered on file or not."""
    campaign = curtain(asking(SOUTH))
    campaign.table.files = {SOUTH: orders("DROP K1")}
    assert verdicts(campaign, "HIDE H3\nGUESS H2") == [("accepted", ""), ("untested", "")]


def test_what_was_lived_through_already_does_not_stop_it() -> None:
    """Chance in the part of the segment that lies behind the pause is past."""
    campaign = paused("strict", 3)
    assert campaign.table.pause is not None
    assert [ask.topic for _, ask in campaign.table.pause.asks] == ["drop"]
    assert verdicts(campaign, "DROP K9\nDROP NONE") == [("refused", "not-offered"), ("accepted", "")]


# ------------------------------------------------------------------ the board after it


def showing(until: str, facts: str) -> Campaign:
    """NORTH hides, waves, and in a second segment is seen waving again."""

    def first(state: State) -> Procedure:
        yield Waved(SOUTH)
        yield Ask(NORTH, "hide", "T1.lone", None, Choice(HOLES, "TOY-1"), "H1", secret=True)
        yield Waved(NORTH)
        return Segment("second", "T1.second")

    def second(state: State) -> Procedure:
        yield Waved(SOUTH)
        yield Ask(SOUTH, "guess", "T1.second", None, Choice(HOLES, "TOY-2"), "H1", secret=True)
        yield Ended()
        return None

    game = Lone(first)
    game.segments = {"lone": first, "second": second}
    game.receipt_board = ReceiptBoard(frozenset({until}), frozenset({facts}))
    campaign = Campaign.of(game)
    campaign.advance()
    return campaign


def test_what_the_orders_bring_about_is_shown_up_to_the_segment_named_or_the_curtain() -> None:
    found = rehearse(showing("second", "Waved").table, NORTH, orders("HIDE H2")).board
    assert found is not None and found.facts == (Waved(NORTH),), "not what was there before the orders"
    assert found.view.seat == NORTH
    found = rehearse(showing("none", "Waved").table, NORTH, orders("HIDE H2")).board
    assert found is not None and found.facts == (Waved(NORTH), Waved(SOUTH))


def test_nothing_is_shown_where_the_orders_change_nothing_or_the_game_shows_nothing() -> None:
    assert rehearse(showing("second", "Ended").table, NORTH, orders("HIDE H2")).board is None
    assert rehearse(showing("second", "Waved").table, NORTH, orders("HIDE H9")).board is None
    assert rehearse(paused().table, NORTH, orders("HIDE H2")).board is None
