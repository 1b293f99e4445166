"""Rollback, SAME DICE, what-if, amendment: other courses of a campaign, and what stays known."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest

from engine.kernel.branches import Course, amend, roll_back, same_dice, what_if
from engine.kernel.errors import JournalError
from engine.kernel.fairness.dice import NoDice, TestDice
from engine.kernel.requests import Ask, Choice, Procedure, Roll, Segment, Shuffle, Together
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.kernel.play import (
    Campaign,
    Lone,
    at_random,
    dumped,
    kinds,
    orders,
    rechained,
    replies,
    same,
    sources,
)
from tests.kernel.toy import HOLES, NORTH, SOUTH, Ended, Guessed, ScoreSet, State, Toy

FRESH = TestDice("fresh")


def played(pauses: int = 1000, seed: int = 1) -> Campaign:
    return Campaign.of().play(at_random(seed), pauses)


def branch_of(campaign: Campaign, table: Table) -> Campaign:
    """The branch as the store would have it: shared lines, then its own."""
    first = table.journal.first
    table.journal.lines[:0] = campaign.lines[:first]
    table.journal.first = 0
    return Campaign(table, [s for s in campaign.snapshots if s.line <= first])


def on(campaign: Campaign, seed: int = 1, pauses: int = 1000) -> Campaign:
    """Play on with replies."""
    return campaign.play(at_random(seed), pauses)


def rolled(table: Table) -> dict[str, tuple[tuple[int, ...], str]]:
    return {d["label"]: (tuple(d["faces"]), d["by"]) for d in kinds(table, "roll")}


# ------------------------------------------------------------------ rollback


@pytest.mark.parametrize("key", ["T1.hide", "T1.guess", "T2.hide", "T3.guess", "T4.guess"])
def test_a_rollback_stands_at_the_beginning_of_the_segment(key: str) -> None:
    campaign = played()
    table = roll_back(campaign.course(), key, 1, FRESH, "a lost letter")
    assert table.segment is not None and table.segment.key == key
    seam = next(n for n, line in enumerate(campaign.lines) if line.data.get("key") == key)
    facts = [
        campaign.table.codec.fact(line.data) for line in campaign.lines[:seam] if line.data["k"] == "fact"
    ]
    state, _ = table.game.set_up(table.pack, table.settings)
    for fact in facts:
        fact.apply(state)
    assert table.game.dump(table.state) == table.game.dump(state)
    branch = table.journal.lines[-1].data
    assert branch == {"k": "branch", "n": 1, "from": 0, "dice": "fresh", "reason": "a lost letter"}


def test_a_rollback_deletes_nothing() -> None:
    campaign = played()
    before = list(campaign.lines)
    on(branch_of(campaign, roll_back(campaign.course(), "T2.guess", 1, FRESH, "why")))
    assert campaign.lines == before


@pytest.mark.parametrize("key", ["T1.hide", "T2.guess", "T3.hide"])
def test_a_branch_rolls_fresh_dice_and_can_be_taken_up_again(key: str) -> None:
    campaign = played()
    branch = on(branch_of(campaign, roll_back(campaign.course(), key, 1, FRESH, "why")))
    assert branch.table.over
    ours, theirs = rolled(branch.table), rolled(campaign.table)
    again = [label for label in theirs if label >= key.replace("hide", "guess")]
    assert again and any(ours[label] != theirs[label] for label in again)
    same(branch.replayed(), branch.table)
    for snapshot in branch.snapshots:
        same(branch.resumed(snapshot), branch.table)


@pytest.mark.parametrize("key", ["T1.hide", "T2.guess", "T3.hide"])
def test_the_umpire_may_rule_before_a_branch_goes_on(key: str) -> None:
    """A branch at the start of a turn begins behind the snapshot, and so do the rulings."""
    campaign = played()
    table = roll_back(campaign.course(), key, 1, FRESH, "why")
    table.rule([ScoreSet(SOUTH, 7)], "seven points for the wait")
    branch = on(branch_of(campaign, table), pauses=2)
    assert branch.table.state.score["SOUTH"] >= 7
    same(branch.resumed(), branch.table)
    same(branch.replayed(), branch.table)
    on(branch)
    same(branch.replayed(), branch.table)


class Reshuffling(Toy):
    """The toy, if what was drawn since the fork had to be shuffled anew."""

    id = "reshuffling"

    def __init__(self) -> None:
        self.segments = {**Toy.segments, "again": self._again}

    def _again(self, state: Any, name: str, key: str, *args: int | str) -> Procedure:
        yield Shuffle("deck", tuple(state.deck))
        return Segment(name, key, args)

    def after_rollback(self, following: Segment, branch: int, facts: Collection[str]) -> Segment:
        assert "Guessed" in facts
        return Segment(
            "again", f"{following.key}.B{branch}", (following.name, following.key, *following.args)
        )


@pytest.mark.parametrize("key", ["T1.hide", "T2.guess", "T3.hide"])
def test_a_branch_may_begin_with_a_segment_of_its_own(key: str) -> None:
    """What letters have told of a pile stays known: it is shuffled anew before anything else."""
    campaign = on(Campaign.of(Reshuffling()))
    table = roll_back(campaign.course(), key, 1, FRESH, "why")
    assert table.segment is not None and table.segment.key == f"{key}.B1"
    branch = on(branch_of(campaign, table))
    assert branch.table.over
    seams = [data["key"] for data in kinds(branch.table, "seam")]
    at = seams.index(f"{key}.B1")
    assert seams[at + 1] == key
    assert [d["label"] for d in kinds(branch.table, "shuffle") if ".B1/" in d["label"]] == [
        f"{key}.B1/deck/1/shuffle"
    ]
    same(branch.replayed(), branch.table)
    for snapshot in branch.snapshots:
        same(branch.resumed(snapshot), branch.table)


def test_a_branch_of_a_branch() -> None:
    campaign = played()
    branch = on(branch_of(campaign, roll_back(campaign.course(), "T2.hide", 1, FRESH, "one")))
    course = replace(branch.course(), branch=1)
    second = on(branch_of(branch, roll_back(course, "T3.hide", 2, TestDice("fresher"), "two")))
    assert [(d["n"], d["from"]) for d in kinds(second.table, "branch")] == [(1, 0), (2, 1)]
    same(second.replayed(), second.table)


def test_a_course_may_lack_its_beginning() -> None:
    """A snapshot and the lines from it on are enough."""
    campaign = played()
    snapshot = campaign.snapshots[2]
    part = replace(
        campaign.course(), snapshots=[snapshot], lines=campaign.lines[snapshot.line :], first=snapshot.line
    )
    whole = roll_back(campaign.course(), "T3.guess", 1, FRESH, "why")
    table = roll_back(part, "T3.guess", 1, FRESH, "why")
    assert dumped(table) == dumped(whole) and table.journal.head == whole.journal.head


def test_an_unknown_segment_is_named() -> None:
    with pytest.raises(JournalError, match=r"T9\.hide"):
        roll_back(played().course(), "T9.hide", 1, FRESH, "why")


# ------------------------------------------------------------------ SAME DICE


@pytest.mark.parametrize("key", ["T1.hide", "T2.guess", "T4.guess"])
def test_same_dice_and_same_answers_give_the_same_game(key: str) -> None:
    campaign = played()
    table = same_dice(campaign.course(), key, 1, NoDice(), "why")
    assert table.advance() is None
    assert dumped(table) == dumped(campaign.table)
    start = next(n for n, line in enumerate(table.journal.lines) if line.data["k"] == "branch")
    assert {line.data.get("by", "recorded") for line in table.journal.lines[start:]} == {"recorded"}
    assert len(table.journal.lines) - start > 5


def test_up_to_the_open_question_the_record_answers() -> None:
    campaign = played(8)
    table = same_dice(campaign.course(), "T2.guess", 1, FRESH, "why")
    pause = table.advance()
    assert pause is not None and campaign.table.pause is not None
    assert [q for q, _ in pause.asks] == [q for q, _ in campaign.table.pause.asks]
    assert dumped(table) == dumped(campaign.table)


def three_rolls(state: State) -> Procedure:
    for n in range(3):
        hole = yield Ask(NORTH, "guess", f"T1.lone/{n}", None, Choice(HOLES, "TOY-2"), "H1")
        (face,) = yield Roll(NORTH, f"{hole}", sides=250)
        yield Guessed(NORTH, hole, face, False)
    yield Ended()
    return None


def test_the_first_answer_not_on_record_ends_it_and_later_rolls_are_new() -> None:
    """The recorded H2 of the second question is struck out; then even a label on record is rolled anew."""
    campaign = Campaign.of(Lone(three_rolls)).play(lambda ask: "H2")
    course = campaign.course()
    n = next(n for n, line in enumerate(course.lines) if line.data.get("at") == "T1.lone/1")
    struck = replace(course, lines=[*course.lines[:n], *course.lines[n + 1 :]])
    table = same_dice(struck, "T1.lone", 1, FRESH, "why")
    pause = table.advance()
    assert pause is not None and [ask.at for _, ask in pause.asks] == ["T1.lone/1"]
    pause = table.advance({NORTH: OrderFile(replies={pause.asks[0][0]: "H2"})})
    assert pause is not None and [ask.at for _, ask in pause.asks] == ["T1.lone/2"]
    table.advance({NORTH: OrderFile(replies={pause.asks[0][0]: "H2"})})
    then, now = rolled(campaign.table), rolled(table)
    assert list(then) == list(now) == [f"T1.lone/H2/{n}/d250" for n in (1, 2, 3)]
    first, second, third = now.values()
    assert first == (then["T1.lone/H2/1/d250"][0], "recorded")
    assert second[1] == third[1] == "test"
    assert [second[0], third[0]] != [then["T1.lone/H2/2/d250"][0], then["T1.lone/H2/3/d250"][0]]


def test_an_act_newly_volunteered_ends_the_record() -> None:
    """The old dice are public: who could act anew and keep them would know them beforehand."""
    campaign = played()
    quiet = same_dice(campaign.course(), "T2.guess", 1, FRESH, "why")
    quiet.advance({SOUTH: OrderFile()})
    assert {by for _, by in rolled(quiet).values()} == {"recorded"}
    table = same_dice(campaign.course(), "T2.guess", 1, FRESH, "why")
    table.advance({SOUTH: orders("WAVE")})
    while table.pause is not None:
        table.advance(replies(table.pause, at_random(1)))
    assert {by for _, by in rolled(table).values()} == {"test"}


def test_a_recorded_volunteer_acts_again() -> None:
    campaign = Campaign.of()
    while campaign.advance({SOUTH: orders("ALWAYS WAVE")}) is not None:
        pass
    table = same_dice(campaign.course(), "T1.hide", 1, NoDice(), "why")
    assert table.advance() is None and table.state.waves == 4


def both_guess(offered: dict[str, tuple[str, ...]]) -> Lone:
    def ask(state: State) -> Procedure:
        asks = tuple(
            Ask(s, "guess", "T1.lone", None, Choice(offered[s], "TOY-2"), offered[s][0], secret=True)
            for s in (NORTH, SOUTH)
        )
        holes = yield Together(asks)
        for seat, hole in zip((NORTH, SOUTH), holes, strict=True):
            yield ScoreSet(seat, HOLES.index(hole))
        return None

    return Lone(ask)


def test_of_sealed_answers_those_on_record_are_kept_when_one_must_be_asked_again() -> None:
    offered: dict[str, tuple[str, ...]] = {"NORTH": HOLES, "SOUTH": HOLES}
    campaign = Campaign.of(both_guess(offered)).play(lambda ask: "H3")
    offered["NORTH"] = ("H1", "H2")  # what NORTH answered is forbidden now
    table = same_dice(campaign.course(), "T1.lone", 1, FRESH, "why")
    pause = table.advance()
    assert pause is not None and pause.window.seats == (NORTH,)
    table.advance({NORTH: OrderFile(replies={"guess@T1.lone/NORTH": "H2"})})
    assert sources(table) == [(NORTH, "guess", "H2", "reply"), (SOUTH, "guess", "H3", "recorded")]


# ------------------------------------------------------------------ what-if


def test_a_what_if_changes_one_answer_and_keeps_the_dice_that_match() -> None:
    campaign = played()
    then = {question[1]: question[2] for question in sources(campaign.table) if question[1] == "guess"}
    assert then
    for hole in HOLES:
        table = what_if(campaign.course(), "T2.guess", TestDice("throw-away"), {"guess@T2.guess/SOUTH": hole})
        assert table.advance() is None
        (guess,) = [d for d in kinds(table, "answer") if d["at"] == "T2.guess" and d["topic"] == "guess"]
        assert (guess["answer"], guess["by"]) == (hole, "recorded")
        old = rolled(campaign.table)
        assert all(face == old[label][0] for label, (face, _) in rolled(table).items())
    assert kinds(campaign.table, "branch") == []


def test_a_what_if_without_change_is_what_was() -> None:
    campaign = played()
    table = what_if(campaign.course(), "T1.hide", NoDice())
    assert table.advance() is None and dumped(table) == dumped(campaign.table)


def test_in_a_what_if_later_labels_still_serve() -> None:
    campaign = Campaign.of(Lone(three_rolls)).play(lambda ask: "H2")
    changed = {"guess@T1.lone/1/NORTH": "H3"}
    table = what_if(campaign.course(), "T1.lone", TestDice("throw-away"), changed)
    assert table.advance() is None
    assert [by for _, by in rolled(table).values()] == ["recorded", "test", "recorded"]


# ------------------------------------------------------------------ amendment


def test_an_amendment_shows_before_and_after() -> None:
    campaign = played(9)
    amendment = amend(campaign.course(), [ScoreSet(NORTH, 5)], 1, FRESH, "a point forgotten")
    assert amendment.table.state.score["NORTH"] >= 5
    rulings = kinds(amendment.table, "ruling")
    assert [(d["act"], d["reason"]) for d in rulings] == [("amendment", "a point forgotten")]
    assert amendment.before == amendment.after and amendment.before
    pause, then = amendment.table.pause, campaign.table.pause
    assert pause is not None and then is not None and pause.window == then.window


def guess_of_the_leader(state: State) -> Procedure:
    """Who has more points guesses."""
    seat = NORTH if state.score["NORTH"] >= state.score["SOUTH"] else SOUTH
    hole = yield Ask(seat, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1")
    (face,) = yield Roll(seat, "spoil")
    yield Guessed(seat, hole, face, False)
    yield Ask(seat, "drop", "T1.lone", None, Choice((None, "K1"), "TOY-4"), None, secret=True)
    return None


def test_an_amendment_that_changes_the_course_shows_the_difference() -> None:
    campaign = Campaign.of(Lone(guess_of_the_leader)).play(pauses=2)
    amendment = amend(campaign.course(), [ScoreSet(SOUTH, 5)], 1, FRESH, "SOUTH leads")
    assert len(amendment.before) == 1 and amendment.after == []
    assert amendment.table.pause is not None
    assert [ask.seat for _, ask in amendment.table.pause.asks] == [SOUTH]
    assert campaign.table.state.score["SOUTH"] == 0


def test_an_amended_branch_can_be_taken_up_again() -> None:
    campaign = played(7)
    amendment = amend(campaign.course(), [ScoreSet(NORTH, 5)], 1, FRESH, "why")
    branch = branch_of(campaign, amendment.table)
    branch.keep_snapshot()
    same(branch.resumed(), branch.table)
    same(branch.replayed(), branch.table)
    on(branch)
    same(branch.replayed(), branch.table)


# ------------------------------------------------------------------ what stays known


def test_told_since_lists_what_each_seat_has_read() -> None:
    campaign = played()
    course = campaign.course()
    north, south, all_seats = (course.facts_since("T3.hide", seat) for seat in (NORTH, SOUTH, None))
    own = {"fact": "Hid", "data": {"seat": "NORTH", "hole": campaign_hole(campaign, "T3.hide")}}
    assert own in north and own not in south and own not in all_seats
    vanished = {"fact": "Vanished", "data": {"seat": "NORTH"}}
    assert vanished in south and vanished in all_seats and vanished not in north
    assert all(told["fact"] != "CardTaken" for told in all_seats)
    assert any(told["fact"] == "CardTaken" for told in north)
    assert {"fact": "TurnBegan", "data": {"turn": 2}} not in north
    assert {"fact": "TurnBegan", "data": {"turn": 3}} in north


def campaign_hole(campaign: Campaign, at: str) -> str:
    (hole,) = [d["answer"] for d in kinds(campaign.table, "answer") if d["at"] == at and d["seat"] == "NORTH"]
    return str(hole)


def test_the_last_segment_of_that_name_counts() -> None:
    """A branch that runs a segment again has its seam twice in its lines; the later one is meant."""
    campaign = played()
    branch = on(branch_of(campaign, roll_back(campaign.course(), "T2.guess", 1, FRESH, "why")))
    doubled = [line.raw for line in branch.lines] + [
        line.raw for line in branch.lines if line.data.get("key") == "T2.guess"
    ]
    course = Course(
        branch.table.game, branch.table.pack, branch.table.settings, branch.snapshots, rechained(doubled)
    )
    assert course.seam("T2.guess") == len(doubled) - 1
    assert Segment("guess", "T2.guess", (2,)) == roll_back(branch.course(), "T2.guess", 2, FRESH, "w").segment
