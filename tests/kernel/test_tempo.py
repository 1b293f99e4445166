"""Windows and tempo: when the table pauses, for whom, and what may decide that."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.game import Tempo
from engine.kernel.requests import Ask, Choice, Procedure, Together
from engine.kernel.sheet import OrderFile
from tests.kernel.play import Campaign, Lone, at_random, kinds, orders, replies, same, sources
from tests.kernel.toy import HOLES, NORTH, SOUTH, Ended, State

TEMPOS: tuple[Tempo, ...] = ("fast", "react", "strict")


def pauses(campaign: Campaign) -> list[tuple[str, tuple[str, ...]]]:
    return [(d["window"], tuple(d["seats"])) for d in kinds(campaign.table, "pause")]


def to_the_end(tempo: Tempo, files: Any = None, dice: int = 1) -> Campaign:
    campaign = Campaign.of(tempo=tempo, dice=dice)
    while campaign.advance(files or {}) is not None:
        pass
    return campaign


# ------------------------------------------------------------------ fast, react, strict


def test_fast_pauses_once_a_turn() -> None:
    both = (NORTH, SOUTH)
    assert pauses(to_the_end("fast")) == [("T1", both), ("T2", both), ("T3", both), ("T4", both)]


def test_react_pauses_at_the_places_the_game_names() -> None:
    both = (NORTH, SOUTH)
    assert pauses(to_the_end("react"))[:4] == [
        ("T1.hide", both),
        ("T1.guess", both),
        ("T2.hide", both),
        ("T2.guess", both),
    ]


def test_strict_pauses_at_every_question_for_the_seat_that_is_asked() -> None:
    assert pauses(to_the_end("strict"))[:6] == [
        ("T1.hide/hide", (NORTH, SOUTH)),
        ("T1.guess/guess", (NORTH,)),
        ("T1.guess/drop", (NORTH,)),
        ("T2.hide/hide", (NORTH, SOUTH)),
        ("T2.guess/guess", (SOUTH,)),
        ("T2.guess/drop", (SOUTH,)),
    ]


def test_all_questions_of_a_window_are_settled_from_what_was_on_file_when_it_closed() -> None:
    campaign = Campaign.of(tempo="fast")
    campaign.advance()
    campaign.advance({NORTH: orders("HIDE H2\nGUESS H3\nDROP K1\nDROP NONE")})
    assert [by for *_, by in sources(campaign.table)] == ["sheet", "default", "sheet", "sheet"]
    assert len(pauses(campaign)) == 2


def test_after_the_window_a_question_without_answer_takes_its_default_at_once() -> None:
    campaign = Campaign.of(tempo="fast")
    campaign.advance()
    campaign.advance({NORTH: orders("HIDE H2")})
    assert (NORTH, "guess", "H2", "default") in sources(campaign.table)


def test_before_its_window_closed_a_sheet_answers_nothing_in_fast_and_react() -> None:
    """A letter that came early counts when the window closes, like all the others."""
    for tempo in ("fast", "react"):
        campaign = Campaign.of(tempo=tempo)
        assert campaign.advance({NORTH: orders("ALWAYS HIDE H2\nALWAYS GUESS H1")}) is not None
        assert sources(campaign.table) == []


# ------------------------------------------------------------------ secret and public questions in strict


def question(secret: bool, offered: tuple[str, ...] = HOLES) -> Lone:
    def ask(state: State) -> Procedure:
        yield Ask(NORTH, "guess", "T1.lone", None, Choice(offered, "TOY-2"), offered[0], secret=secret)
        yield Ended()
        return None

    return Lone(ask)


FILES = (
    None,
    OrderFile(),
    orders("GUESS H2"),
    orders("ALWAYS GUESS H3"),
    orders("GUESS H2\nALWAYS GUESS ASK"),
    OrderFile(replies={"guess@T1.lone/NORTH": "H2"}),
)


@pytest.mark.parametrize("on_file", FILES)
@pytest.mark.parametrize("offered", [HOLES, ("H1",), ("H2", "H3")])
def test_a_secret_question_pauses_whatever_is_on_file_and_whatever_is_offered(
    on_file: OrderFile | None, offered: tuple[str, ...]
) -> None:
    campaign = Campaign.of(question(secret=True, offered=offered))
    files = {} if on_file is None else {NORTH: on_file}
    assert campaign.advance(files) is not None
    assert pauses(campaign) == [("T1.lone/guess", (NORTH,))]
    assert sources(campaign.table) == []


def test_a_standing_order_answers_a_secret_question_when_its_time_is_up() -> None:
    campaign = Campaign.of(question(secret=True))
    campaign.advance({NORTH: orders("ALWAYS GUESS H3")})
    assert campaign.advance({NORTH: orders("ALWAYS GUESS H3")}) is None
    assert sources(campaign.table) == [(NORTH, "guess", "H3", "standing")]


def test_a_public_question_is_answered_at_once_from_the_file() -> None:
    for text, by in (("GUESS H2", "sheet"), ("ALWAYS GUESS H2", "standing")):
        campaign = Campaign.of(question(secret=False))
        assert campaign.advance({NORTH: orders(text)}) is None
        assert pauses(campaign) == [] and sources(campaign.table) == [(NORTH, "guess", "H2", by)]


def test_a_public_question_with_nothing_on_file_pauses() -> None:
    campaign = Campaign.of(question(secret=False))
    assert campaign.advance({NORTH: orders("HIDE H1")}) is not None


def test_a_public_question_with_a_single_option_never_pauses() -> None:
    for tempo in TEMPOS:
        campaign = Campaign.of(question(secret=False, offered=("H2",)), tempo=tempo)
        assert campaign.advance() is None
        assert sources(campaign.table) == [(NORTH, "guess", "H2", "forced")]


def test_of_sealed_public_questions_only_the_open_ones_are_waited_for() -> None:
    def both(state: State) -> Procedure:
        asks = (Ask(s, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1") for s in (NORTH, SOUTH))
        yield Together(tuple(asks))
        return None

    campaign = Campaign.of(Lone(both))
    campaign.advance({NORTH: orders("GUESS H3")})
    assert pauses(campaign) == [("T1.lone/guess", (SOUTH,))] and sources(campaign.table) == []


# ------------------------------------------------------------------ a seat's own ASK


@pytest.mark.parametrize("tempo", ["fast", "react"])
def test_a_seats_own_ask_makes_a_window_of_its_own(tempo: Tempo) -> None:
    campaign = Campaign.of(tempo=tempo)
    campaign.advance()
    if tempo == "react":
        campaign.advance()
    pause = campaign.advance({NORTH: orders("ALWAYS DROP ASK\nDROP NONE\nGUESS H1")})
    assert pause is not None and pause.window.once and pause.window.seats == (NORTH,)
    assert [question for question, _ in pause.asks] == ["drop@T1.guess/NORTH"]
    same(campaign.resumed(), campaign.table)
    campaign.advance(replies(pause, lambda ask: ask.options.describe()[-1]))
    assert [one[3] for one in sources(campaign.table) if one[1] == "drop"] == ["reply"]
    same(campaign.replayed(), campaign.table)


def test_an_ask_of_one_seat_does_not_stop_the_other() -> None:
    campaign = Campaign.of(tempo="fast")
    campaign.advance()
    pause = campaign.advance({SOUTH: orders("ALWAYS DROP ASK\nALWAYS GUESS ASK")})
    assert pause is not None and pause.window.key == "T2"


def test_after_its_own_question_the_window_goes_on() -> None:
    """The rest of the turn is settled from the file, without another pause."""
    campaign = Campaign.of(tempo="fast")
    campaign.advance()
    campaign.advance({NORTH: orders("ALWAYS GUESS ASK")})
    assert pauses(campaign)[-1] == ("guess@T1.guess/NORTH", (NORTH,))
    campaign.advance({NORTH: orders("ALWAYS GUESS ASK\nDROP NONE")})
    assert pauses(campaign)[-1][0] == "T2"
    assert sources(campaign.table)[-2:] == [(NORTH, "guess", "H2", "default"), (NORTH, "drop", None, "sheet")]


def test_a_strict_question_with_an_ask_on_file_pauses() -> None:
    campaign = Campaign.of(question(secret=False))
    assert campaign.advance({NORTH: orders("ALWAYS GUESS ASK\nGUESS H2")}) is not None


# ------------------------------------------------------------------ volunteers


@pytest.mark.parametrize("tempo", TEMPOS)
def test_a_volunteer_never_pauses_and_leaves_no_line_when_nothing_is_done(tempo: Tempo) -> None:
    campaign = to_the_end(tempo)
    assert not [one for one in sources(campaign.table) if one[1] == "wave"]
    assert not [ask for ask in kinds(campaign.table, "pause") if "wave" in ask["window"]]
    assert campaign.table.state.waves == 0


@pytest.mark.parametrize("tempo", TEMPOS)
def test_a_volunteer_acts_from_the_file(tempo: Tempo) -> None:
    campaign = to_the_end(tempo, {SOUTH: orders("ALWAYS WAVE")})
    assert [one for one in sources(campaign.table) if one[1] == "wave"] == [
        (SOUTH, "wave", True, "standing")
    ] * 4
    assert campaign.table.state.waves == 4
    same(campaign.replayed(), campaign.table)


def test_a_volunteer_who_wants_to_be_asked_is_not() -> None:
    campaign = to_the_end("fast", {SOUTH: orders("ALWAYS WAVE ASK")})
    assert len(pauses(campaign)) == 4


def test_a_table_taken_up_again_after_a_volunteers_question_rests_at_the_right_one() -> None:
    campaign = Campaign.of(tempo="strict")
    campaign.advance()
    pause = campaign.advance({SOUTH: orders("WAVE")})
    assert pause is not None and [ask.topic for _, ask in pause.asks] == ["guess"]
    table = campaign.resumed()
    assert table.pause is not None and [ask.topic for _, ask in table.pause.asks] == ["guess"]


# ------------------------------------------------------------------ what a pause may depend on


@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize("seed", range(5))
def test_what_is_on_file_for_secret_questions_changes_no_pause(tempo: Tempo, seed: int) -> None:
    plain = Campaign.of(tempo=tempo, dice=seed).play(at_random(seed))
    filed = Campaign.of(tempo=tempo, dice=seed)
    player, pause = at_random(seed), filed.advance()
    standing = orders("ALWAYS HIDE H3\nALWAYS DROP NONE\nALWAYS DROP K1").standing
    while pause is not None:
        files = {seat: OrderFile(standing=standing) for seat in (NORTH, SOUTH)}
        for seat, on_file in replies(pause, player).items():
            files[seat] = OrderFile(standing=standing, replies=on_file.replies)
        pause = filed.advance(files)
    assert pauses(plain) == pauses(filed)


@pytest.mark.parametrize("seed", range(6))
def test_the_same_policies_give_the_same_facts_in_every_tempo(seed: int) -> None:
    """Test dice know no pauses, so equal decisions give equal dice."""
    policy = {
        NORTH: orders("ALWAYS HIDE H2\nALWAYS GUESS H3\nALWAYS WAVE\nALWAYS DROP NONE"),
        SOUTH: orders("ALWAYS HIDE H3\nALWAYS GUESS H2\nALWAYS DROP K4\nALWAYS DROP K2"),
    }
    facts = []
    for tempo in TEMPOS:
        campaign = to_the_end(tempo, policy, dice=seed)
        facts.append([line.raw for line in campaign.lines if b'"k":"fact"' in line.raw])
    assert facts[0] == facts[1] == facts[2] and len(facts[0]) > 20
