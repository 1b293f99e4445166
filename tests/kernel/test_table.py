"""The table: who answers a question, what is written down, what a crash leaves behind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.kernel.errors import DiceError, IllegalAnswer, NotAtSeam, RulesCrash, WrongPack
from engine.kernel.fairness.dice import ForcedDice, TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Answer, Ask, Choice, Draw, Procedure, Roll, Seat, Together
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.kernel.play import (
    Campaign,
    Lone,
    by_default,
    dumped,
    kinds,
    orders,
    replies,
    same,
    sources,
)
from tests.kernel.toy import (
    GAME,
    HOLES,
    LABELS,
    NORTH,
    SOUTH,
    Ended,
    ScoreSet,
    State,
    Toy,
    TurnBegan,
    Waved,
)

# ------------------------------------------------------------------ who answers


def one_guess(
    state: State, *, plan: str = "H2", offered: tuple[str, ...] = HOLES, secret: bool = False
) -> Procedure:
    yield Ask(NORTH, "guess", "T1.lone", None, Choice(offered, "TOY-2"), offered[0], secret=secret, plan=plan)
    yield Ended()
    return None


SHEET, STANDING = "GUESS H3\n", "ALWAYS GUESS H1\n"


def settled(procedure: Any, on_file: OrderFile | None, automa: bool = False) -> tuple[str, str]:
    """How a lone question of strict tempo is settled in the end: answer and source."""
    campaign = Campaign.of(Lone(procedure))
    if automa:
        campaign.table.automa = {NORTH: lambda view, ask: ask.options.describe()[-1]}
    files = {} if on_file is None else {NORTH: on_file}
    campaign.advance(files)
    if not campaign.table.over:
        campaign.advance(files)
    ((_, _, answer, by),) = sources(campaign.table)
    return answer, by


def with_reply(text: str, answer: Answer = "H1") -> OrderFile:
    sheet = orders(text)
    return OrderFile(sheet.sheet, sheet.standing, {"guess@T1.lone/NORTH": answer})


def no_plan(state: State) -> Procedure:
    return one_guess(state, plan="")


def test_a_reply_comes_first() -> None:
    assert settled(lambda s: one_guess(s, secret=True), with_reply(SHEET + STANDING)) == ("H1", "reply")


def test_then_the_plan_given_with_an_earlier_answer() -> None:
    assert settled(one_guess, orders(SHEET + STANDING)) == ("H2", "plan")


def test_a_plan_counts_when_nothing_else_is_on_file() -> None:
    assert settled(one_guess, OrderFile()) == ("H2", "plan")
    assert settled(one_guess, None) == ("H2", "plan")


def test_then_the_sheet() -> None:
    assert settled(no_plan, orders(STANDING + SHEET)) == ("H3", "sheet")


def test_then_the_standing_order() -> None:
    assert settled(no_plan, orders(STANDING)) == ("H1", "standing")


def test_the_first_line_that_is_offered_counts() -> None:
    assert settled(no_plan, orders("GUESS H9\nGUESS H2\nGUESS H3")) == ("H2", "sheet")


def test_what_is_not_offered_is_passed_over() -> None:
    only_two = ("H1", "H2")
    assert settled(lambda s: one_guess(s, plan="H3", offered=only_two), orders(SHEET + STANDING)) == (
        "H1",
        "standing",
    )
    assert settled(lambda s: one_guess(s, plan="", offered=only_two), with_reply(SHEET, "H3")) == (
        "H1",
        "default",
    )


def test_then_the_only_option_if_the_question_is_public() -> None:
    assert settled(lambda s: one_guess(s, plan="", offered=("H2",)), None, automa=True) == ("H2", "forced")


def test_a_secret_question_is_never_forced() -> None:
    campaign = Campaign.of(Lone(lambda s: one_guess(s, plan="", offered=("H2",), secret=True)))
    assert campaign.advance() is not None
    assert campaign.advance() is None
    assert sources(campaign.table) == [(NORTH, "guess", "H2", "default")]


def test_then_the_automa() -> None:
    assert settled(no_plan, None, automa=True) == ("H3", "automa")


def test_an_automa_never_waits() -> None:
    campaign = Campaign.of(Lone(lambda s: one_guess(s, secret=True)))
    campaign.table.automa = {NORTH: lambda view, ask: "H2"}
    assert campaign.advance() is None and not kinds(campaign.table, "pause")


def test_at_last_the_default() -> None:
    assert settled(no_plan, None) == ("H1", "default")
    assert settled(no_plan, OrderFile()) == ("H1", "default")


def test_what_the_umpire_answered_is_journaled_as_his() -> None:
    question = "guess@T1.lone/NORTH"
    on_file = OrderFile(replies={question: "H3"}, umpire=frozenset({question}))
    assert settled(no_plan, on_file) == ("H3", "umpire")


def test_an_automas_illegal_answer_is_an_error_with_its_refusal() -> None:
    campaign = Campaign.of(Lone(no_plan))
    campaign.table.automa = {NORTH: lambda view, ask: "H9"}
    with pytest.raises(IllegalAnswer, match="TOY-2: not-offered") as caught:
        campaign.advance()
    assert caught.value.refusal.rule == "TOY-2"


def test_the_automa_sees_its_own_seats_view() -> None:
    seen: list[tuple[Seat, Seat]] = []
    campaign = Campaign.of()

    def automa(view: Any, ask: Ask) -> Answer:
        seen.append((ask.seat, view.seat))
        return ask.default

    campaign.table.automa = {NORTH: automa, SOUTH: automa}
    assert campaign.advance() is None
    assert seen and all(asked == viewing for asked, viewing in seen)


# ------------------------------------------------------------------ questions asked together


def test_sealed_answers_are_written_down_only_when_all_are_in() -> None:
    campaign = Campaign.of()
    pause = campaign.advance()
    assert pause is not None and pause.window.seats == (NORTH, SOUTH)
    assert not kinds(campaign.table, "answer")
    campaign.advance({SOUTH: OrderFile(replies={"hide@T1.hide/SOUTH": "H3"})})
    assert sources(campaign.table)[:2] == [(NORTH, "hide", "H1", "default"), (SOUTH, "hide", "H3", "reply")]
    assert [d["k"] for d in kinds(campaign.table, "answer", "close")][:3] == ["close", "answer", "answer"]


def test_an_answer_given_first_gains_nothing() -> None:
    """What comes back to the rules is the same tuple whoever answered early."""

    def guesses(state: State) -> Procedure:
        asks = tuple(Ask(s, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1") for s in (SOUTH, NORTH))
        first, second = yield Together(asks)
        yield ScoreSet(SOUTH, HOLES.index(first))
        yield ScoreSet(NORTH, HOLES.index(second))
        return None

    campaign = Campaign.of(Lone(guesses))
    pause = campaign.advance({SOUTH: orders("GUESS H2")})
    assert pause is not None and pause.window.seats == (NORTH,)
    assert not kinds(campaign.table, "answer")
    campaign.advance({SOUTH: orders("GUESS H2"), NORTH: orders("GUESS H3")})
    assert campaign.table.state.score == {"SOUTH": 1, "NORTH": 2}


def test_the_same_question_twice_at_one_place_has_two_ids() -> None:
    def twice(state: State) -> Procedure:
        for _ in range(2):
            yield Ask(NORTH, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1")
        return None

    campaign = Campaign.of(Lone(twice))
    first = campaign.advance()
    assert first is not None
    second = campaign.advance(replies(first, lambda ask: "H2"))
    assert second is not None and [q for q, _ in second.asks] == ["guess@T1.lone/NORTH#2"]
    same(campaign.resumed(), campaign.table)
    campaign.advance(replies(second, lambda ask: "H3"))
    assert [(d["answer"], d.get("n")) for d in kinds(campaign.table, "answer")] == [("H2", None), ("H3", 2)]
    same(campaign.replayed(), campaign.table)


# ------------------------------------------------------------------ what is written down


def test_a_whole_game_line_by_line() -> None:
    campaign = Campaign.of(tempo="fast")
    campaign.advance()
    campaign.advance({NORTH: orders("HIDE H2\nGUESS H3\nWAVE")})
    read = [line.data for line in campaign.lines]
    assert [d["k"] for d in read[:3]] == ["open", "snapshot", "seam"]
    assert read[0] == {
        "k": "open",
        "v": 2,
        "game": "toy",
        "rules": "1",
        "pack": "toy-pack",
        "settings": {"scenario": "standard", "players": 2, "tempo": "fast", "options": {}},
        "seats": ["NORTH", "SOUTH"],
        "labels": {
            "first": "T1.hide",
            "purposes": list(LABELS.purposes),
            "segments": list(LABELS.segments),
        },
    }
    assert read[2] == {"k": "seam", "name": "hide", "key": "T1.hide", "args": [1]}
    assert read[3] == {"k": "fact", "fact": "TurnBegan", "data": {"turn": 1}}
    assert read[4] == {"k": "pause", "window": "T1", "seats": ["NORTH", "SOUTH"], "once": False}
    assert read[5] == {"k": "close", "t": 1, "window": "T1", "once": False, "T": ""}
    hide = {"k": "answer", "topic": "hide", "at": "T1.hide"}
    assert read[6] == {**hide, "seat": "NORTH", "by": "sheet", "answer": "H2"}
    assert read[7] == {**hide, "seat": "SOUTH", "by": "default", "answer": "H1"}
    vanished = {"fact": "Vanished", "data": {"seat": "NORTH"}}
    hid = {
        "k": "fact",
        "fact": "Hid",
        "data": {"seat": "NORTH", "hole": "H2"},
        "to": ["NORTH"],
        "others": vanished,
    }
    assert read[8] == hid
    assert [d["k"] for d in read[10:]] == [
        *("seam", "answer", "fact", "answer", "roll", "fact", "shuffle", "draw", "fact", "answer"),
        *("snapshot", "seam", "fact", "pause"),
    ]
    roll = read[14]
    assert roll["label"] == "T1.guess/spoil.NORTH/1/d6" and roll["sides"] == 6 and len(roll["faces"]) == 1
    assert read[17]["from"] == [f"K{n}" for n in range(1, 9)] and read[17]["label"].endswith("/draw")
    assert "others" not in read[18] and read[18]["to"] == ["NORTH"]


def test_the_close_names_window_number_and_transcript() -> None:
    campaign = Campaign.of()
    campaign.advance()
    campaign.table.advance({}, t=7, transcript="ab" * 32)
    (close,) = kinds(campaign.table, "close")
    assert close == {"k": "close", "t": 7, "window": "T1.hide/hide", "once": True, "T": "ab" * 32}
    campaign.advance()
    assert [d["t"] for d in kinds(campaign.table, "close")] == [7, 8]


def test_labels_count_the_rolls_of_a_purpose_in_a_segment() -> None:
    def rolls(state: State) -> Procedure:
        for why in ("fire", "flee", "fire"):
            yield Roll(NORTH, why, dice=2, sides=10)
        yield Draw(NORTH, "card", ("K2", "K1"))
        return None

    campaign = Campaign.of(Lone(rolls), dice=ForcedDice([1, 2, 3, 4, 9, 10], ["K2"]))
    campaign.advance()
    found = [(d["label"], d["faces"]) for d in kinds(campaign.table, "roll")]
    assert found == [
        ("T1.lone/fire/1/d10", [1, 2]),
        ("T1.lone/flee/1/d10", [3, 4]),
        ("T1.lone/fire/2/d10", [9, 10]),
    ]
    (draw,) = kinds(campaign.table, "draw")
    assert (draw["label"], draw["from"], draw["items"]) == ("T1.lone/card/1/draw", ["K1", "K2"], ["K2"])


def test_the_end_is_written_once() -> None:
    campaign = Campaign.of().play()
    assert campaign.table.over and campaign.table.pause is None
    (end,) = kinds(campaign.table, "end")
    assert end["reason"] == "points" and end["scores"] == {"NORTH": 0, "SOUTH": 0}
    assert campaign.advance() is None and kinds(campaign.table, "end") == [end]


def test_the_longest_tail_is_measured() -> None:
    campaign = Campaign.of().play()
    assert 5 < campaign.table.longest_tail <= GAME.tail_cap


# ------------------------------------------------------------------ errors


class Bug(Exception):
    pass


def crashing(state: State) -> Procedure:
    yield TurnBegan(1)
    yield Ask(NORTH, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1", secret=True)
    yield Waved(NORTH)
    raise Bug("in the rules")


def test_a_crash_in_the_rules_keeps_nothing() -> None:
    campaign = Campaign.of(Lone(crashing))
    campaign.advance()
    stored, before = list(campaign.lines), dumped(campaign.table)
    with pytest.raises(RulesCrash, match=r"T1\.lone: Bug: in the rules") as caught:
        campaign.advance()
    assert isinstance(caught.value.__cause__, Bug)
    again = Campaign(campaign.table, campaign.snapshots)
    table = Table.resume(
        campaign.table.game,
        campaign.table.pack,
        GameSettings(tempo="strict"),
        again.snapshots[-1],
        stored[2:],
        TestDice(1),
    )
    assert dumped(table) == before and table.pause is not None and table.journal.head == stored[-1].hash


def test_engine_errors_come_through_as_they_are() -> None:
    def rolls(state: State) -> Procedure:
        yield Roll(NORTH, "fire")
        return None

    with pytest.raises(DiceError, match=r"T1\.lone/fire/1/d6"):
        Campaign.of(Lone(rolls), dice=ForcedDice([])).advance()
    with pytest.raises(DiceError, match="no face 7"):
        Campaign.of(Lone(rolls), dice=ForcedDice([7])).advance()


def test_the_umpire_rules_at_seams_only() -> None:
    campaign = Campaign.of()
    campaign.table.rule([ScoreSet(NORTH, 3)], "a late start")
    campaign.advance()
    with pytest.raises(NotAtSeam):
        campaign.table.rule([ScoreSet(NORTH, 5)], "in the middle")
    assert campaign.table.state.score["NORTH"] == 3
    ruling, fact = [line.data for line in campaign.lines[1:3]]
    assert ruling == {"k": "ruling", "act": "ruling", "reason": "a late start", "data": {}}
    assert fact["fact"] == "ScoreSet"
    campaign.play()
    same(campaign.replayed(), campaign.table)
    same(campaign.resumed(), campaign.table)


def test_notes_of_the_umpire_do_not_disturb_a_table_taken_up_again() -> None:
    campaign = Campaign.of()
    while campaign.advance() is not None:
        campaign.table.note("extend", "holidays", hours=48)
        same(campaign.resumed(), campaign.table)
        same(campaign.replayed(), campaign.table)
    assert kinds(campaign.table, "ruling")


@pytest.mark.parametrize(("what", "here"), [("rules_version", "2"), ("id", "chess")])
def test_another_game_or_rules_version_is_refused(what: str, here: str) -> None:
    campaign = Campaign.of().play(pauses=3)
    other = type("Other", (Toy,), {what: here})()
    with pytest.raises(WrongPack, match=here):
        campaign.replayed(other)


def test_another_pack_is_refused() -> None:
    campaign = Campaign.of().play(pauses=3)
    campaign.table.pack = replace(campaign.table.pack, hash="other")
    with pytest.raises(WrongPack, match="pack 'toy-pack'; here it is 'other'"):
        campaign.replayed()


def test_defaults_are_played_by_default() -> None:
    assert {by for *_, by in sources(Campaign.of().play(by_default, 0).table)} == set()
    campaign = Campaign.of()
    while campaign.advance() is not None:
        pass
    assert {by for *_, by in sources(campaign.table)} == {"default"}
