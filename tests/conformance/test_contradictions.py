"""Lines that contradict each other are asked about; nothing that was written is dropped unseen."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from random import Random
from typing import Any

import pytest

from engine.kernel.game import Reading, View
from engine.kernel.requests import Ask
from engine.kernel.sheet import OrderFile
from tests.conformance.games import ALL, POLICIES, SIZE, STANDING, Case
from tests.conformance.sitting import examine

SEATS = {"fww": "DE", "ttlm": "GE", "trench": "DE"}
OPTIONS = {"ttlm": {"length": "short"}}
_WORDS = re.compile(r"[A-Z0-9]+")


@cache
def first_view(name: str) -> View:
    one = ALL[name]
    players = {"fww": 4, "trench": 2}.get(name, 2)
    case = Case(one, one.scenarios[0], players, OPTIONS.get(name, {}))
    settings = case.settings()
    state, _ = one.set_up(one.load_pack(), settings)
    return one.view(
        state, case.seats[0] if name == "patrol" else next(s for s in case.seats if s == SEATS[name])
    )


def read(name: str, text: str) -> Reading:
    return ALL[name].notation.read(text, first_view(name))


def asked(name: str, text: str) -> list[tuple[str, int, Any]]:
    return [(one.reason, one.line, one.facts.get("lines")) for one in read(name, text).refusals]


CONTRADICTIONS = {
    "fww": [
        "C1: PASS\nC1: ATTACK 3",
        "C2: PASS\nC2: MOVE 1: ALL > 2",
        "TILE BEST\nTILE NONE",
        "LEAD STRONGEST\nLEAD WEAKEST",
    ],
    "ttlm": [
        "PASS\nPLAY OFF",
        "PLAY LIM\nPLAY OFF",
        "BATTLE LIE\nBATTLE NAM",
        "BATTLE NONE\nBATTLE LIE",
        "FIRST GE\nFIRST EN",
        "BID OFF\nBID 0",
        "DISCARD ALL\nDISCARD LIM",
        "EXCESS DROP LIM\nRANK OFF",
        "AT LIE: ERSATZ MAX 1\nAT LIE: ERSATZ MAX 2",
        "AT *: SAVE\nAT *: SACRIFICE",
        "AT LIE: FORCED GE1\nAT LIE: FORCED GE2",
        "WEATHER\nWEATHER NONE",
        "PRODUCE CARDS LIMIT\nPRODUCE I FRONT",
        "PASS IF OPPHAND>5\nPLAY OFF IF OPPHAND>5",
        "PASS\nPLAY OFF IF OPPHAND>5",  # it would never be tried
        "CARD NONE\nCARD SURPRISE ON LIE",
        "AT LIE: RETREAT NONE\nAT LIE: RETREAT ALL TO AAC",
        "RETREAT INSTEAD NONE\nRETREAT INSTEAD ALL TO AAC",
        "AT LIE: CAVRETREAT NONE\nAT LIE: CAVRETREAT ALL TO AAC",
        "AT LIE: ERSATZ MAX 1\nAT LIE: ERSATZ MAX 2 IF HITS>2",
    ],
    "trench": ["ACTIVE A\nACTIVE B", "PUT B8\nPUT B2", "SPLIT A: REST\nSPLIT B: REST"],
}
FITTING = {
    "fww": [
        "C1: ATTACK 3\nC1: ATTACK 2\nC1: PASS",
        "C1: PASS\nC2: ATTACK 3",
        "C1: PASS\nC1: PASS",
        "TAKE METZ\nTAKE PARIS",
        "DEFEND 3: TILE BEST\nDEFEND 3: TILE NONE",  # standing: the later wins
    ],
    "ttlm": [
        "PASS IF OPPHAND>5\nPLAY OFF",
        "PASS\nPASS",
        "AT LIE: ERSATZ MAX 1\nAT *: ERSATZ MAX 2",
        "CARD GAS ON ART\nCARD OFF ON LIE",
        "BUILD I IN GE1\nBUILD I IN GE2",
        "AT LIE: LOSE A LAST\nAT LIE: LOSE C FIRST",
        "CRISIS\nCRISIS AFTER MOVES",
        "ALWAYS PLAY OFF\nALWAYS PASS",  # one after the other
        "CARD SURPRISE ON LIE\nCARD NONE",  # that, and nothing else
        "AT LIE: RETREAT ALL TO AAC\nRETREAT NONE",  # there, and nowhere else
        "AT LIE: ERSATZ MAX 2 IF HITS>2\nAT LIE: ERSATZ MAX 1",
    ],
    "trench": ["BUY INF B8\nBUY CAV B8", "DEFAULT HOLD\nDEFAULT AUTOMA", "ACTIVE A\nACTIVE A"],
}


@pytest.mark.parametrize(
    ("name", "text"), [(one, text) for one in CONTRADICTIONS for text in CONTRADICTIONS[one]]
)
def test_two_lines_that_answer_one_question_are_both_asked_about(name: str, text: str) -> None:
    assert asked(name, text) == [("contradiction", 1, (1, 2)), ("contradiction", 2, (1, 2))]
    both = [one.meanings for one in read(name, text).refusals]  # type: ignore[attr-defined]  # it is Ambiguous
    assert both[0] == both[1] and len(both[0]) == 2


@pytest.mark.parametrize(("name", "text"), [(one, text) for one in FITTING for text in FITTING[one]])
def test_sequences_parts_conditions_and_what_is_said_twice_are_no_contradictions(
    name: str, text: str
) -> None:
    assert "contradiction" not in [reason for reason, _, _ in asked(name, text)]


def test_a_standing_block_of_to_the_last_man_is_tried_from_the_top() -> None:
    notation = ALL["ttlm"].notation
    reading = notation.make_standing(read("ttlm", "PLAY OFF\nPASS"))
    assert not reading.refusals and [line.slot()[-2:] for line in reading.standing] == ["01", "02"]


@pytest.mark.parametrize(
    "text",
    [
        "ALWAYS PASS\nALWAYS PLAY OFF",
        "ALWAYS WEATHER NONE\nALWAYS WEATHER",
        "ALWAYS FIRST GE\nALWAYS FIRST EN",
        "ALWAYS EXCESS DROP LIM\nALWAYS RANK OFF",
        "ALWAYS CARD NONE\nALWAYS CARD GAS ON *",
        "ALWAYS AT LIE: SAVE\nALWAYS AT LIE: SACRIFICE",
        "ALWAYS AT *: ERSATZ MAX 1\nALWAYS AT *: ERSATZ MAX 2",
        "ALWAYS AT LIE: RETREAT NONE\nALWAYS AT LIE: RETREAT ALL TO AAC",
        "ALWAYS PRODUCE CARDS LIMIT\nALWAYS PRODUCE I FRONT",
    ],
)
def test_of_two_standing_orders_the_later_counts_where_it_would_never_be_tried(text: str) -> None:
    standing = read("ttlm", text).standing
    assert len(standing) == 2 and standing[0].slot() == standing[1].slot()


FITTING_ALWAYS = (
    "PASS\nBID 0\nFIRST GE\nDISCARD NONE\nDISCARD ALL\nCARD NONE\nWEATHER NONE\nEXCESS DROP LIM\nRANK OFF\n"
    "ERSATZ MAX 2\nERSATZ NONE\nSAVE\nSACRIFICE\nREROLL S FIRST\nREROLL NONE\nRETREAT NONE\nCAVRETREAT NONE\n"
    "RETREAT INSTEAD NONE\nCRISISLOSS I:GE1\nPLACE ALL\nPRODUCE CARDS LIMIT"
)


def test_what_is_said_to_fit_always_does(case: Case) -> None:
    """Else the line behind it would have had its turn."""
    if case.game.id != "ttlm":
        pytest.skip("no order of this game is said to")
    notation, met = case.game.notation, Counter[str]()

    def visit(view: View, ask: Ask) -> None:
        for line in notation.read(FITTING_ALWAYS, view).orders:
            assert line.always_serves, line.write()  # type: ignore[attr-defined]  # a line of this game
            if line.serves(ask) and (said := line.attempt(ask, view)) is not None:
                assert ask.options.contains(said.value), (line.write(), said)
                met[ask.topic] += 1

    examine(case, 0, visit)
    assert len(met) > 5


# ------------------------------------------------------------------ lines that give parts of one answer


LITERAL = {  # joint topics whose answers are lists of parts; in others a line only says what it prefers
    "battle.cards",
    "battle.answer",
    "battle.cavalry",
    "battle.instead",
    "battle.retreat",
    "battle.scramble",
    "turn.targets",
    "any_time",
}


def parts(answer: Any) -> set[tuple[str, Any]]:
    """The things that an answer lists."""
    if isinstance(answer, tuple):
        return {("", one) for one in answer}
    lists = {
        name: getattr(answer, name) for name in type(answer).__slots__ if name not in ("bonus", "counter")
    }
    return {(name, one) for name, things in lists.items() for one in things}


def test_no_part_of_an_answer_is_dropped_unseen(case: Case) -> None:
    """Two CARD lines for one card: both were reported as done."""
    notation, rng = case.game.notation, Random(f"{case}/joint")

    def check(view: View, ask: Ask) -> None:
        text = "\n".join(notation.write_answer(ask, ask.options.sample(rng), "en") for _ in range(2))
        reading = notation.read(text, view)
        filed = OrderFile(reading.orders).find(ask, "", view, notation)
        if reading.refusals or filed is None:
            return
        left_out = {line.number for line, _ in filed.left_out}
        assert left_out.isdisjoint(one.number for one in (filed.line, *filed.also) if one is not None)
        for line in reading.orders:
            own = line.answer(ask, view) if line.serves(ask) else None
            if own is not None and line.number not in left_out:
                assert parts(own.value) <= parts(filed.answer), (text, filed)

    def visit(view: View, ask: Ask) -> None:
        if ask.topic in notation.joint_topics & LITERAL:
            for _ in range(5 * SIZE):
                check(view, ask)

    examine(case, 0, visit)


# ------------------------------------------------------------------ nothing is shortened


SHORTENED = {
    "fww": ["GRANT MEF, MEF", "SLOTS ROUND 1 1", "ASK REPLACE ALL MEF", "DEFEND 3: TILE BEST BEST"],
    "ttlm": [
        "UPGRADE 2I IN GE5",
        "UPGRADE C IN GE5",
        "LOSE 2A LAST",
        "LOSE I+A LAST",
        "LOSE A:GE1 LAST",
        "LOSE A, A LAST",
        "EFTLOSS 2I FIRST",
        "EFTLOSS I:GE3, C FIRST",
        "OOSLOSS GE5 2A",
        "BATTLE LIE, LIE",
        "AT LIE, LIE: SAVE",
        "ENTRENCH GE2, GE2",
        "FORCED GE1, GE1",
        "REBUILD GE1 IN GE2",
        "PLACE GE5 IN GE2",
        "MOVE GE1 LIE-NAM INTO GE2",
        "REROLL 2 F1, 1 F1",
        "AT LIE: RETREAT GE1>COB INTO GE2",
        "AT LIE: RETREAT I@LIE>COB LEAVE 2G",
        "AT LIE: RETREAT INSTEAD GE1>AAC, GE1>NAM",
        "AT LIE: RETREAT GE1, GE1 TO AAC",
    ],
    "trench": [
        "FLIP A A B",
        "ACTIVE A A",
        "SPLIT A: INF1 / B: INF1",
        "SPLIT A: INF1 INF1 / B: REST",
        "PLACE TNK1@D5 INF1@D5",
        "PLACE A: N=TNK N=INF",
    ],
}


@pytest.mark.parametrize(("name", "text"), [(one, text) for one in SHORTENED for text in SHORTENED[one]])
def test_what_could_only_be_carried_out_shortened_is_refused(name: str, text: str) -> None:
    """FLIP A A B became FLIP A B."""
    assert [one.reason for one in read(name, text).refusals] in (
        ["named-again"],
        ["too-much"],
        ["no-such-unit"],
    )


def doubled(line: str) -> list[tuple[str, str]]:
    """The line with each of its words twice, and that word."""
    found = []
    for word in re.finditer(r"[A-Za-z0-9.]+", line):
        for sign in (" ", ", ", "+"):
            found.append((f"{line[: word.end()]}{sign}{line[word.start() :]}", word[0].upper()))
    return found


def test_a_word_written_twice_is_read_twice_or_refused(case: Case) -> None:
    if case.game.id not in SEATS:
        pytest.skip("its orders have one word each")
    notation, rng, met = case.game.notation, Random(f"{case}/doubled"), Counter[str]()

    def check(view: View, line: str) -> None:
        plain = notation.read(line, view)
        canonical = [one.write("en") for one in (*plain.orders, *plain.standing)]
        for text, word in doubled(canonical[0]) if len(canonical) == 1 else ():
            reading = notation.read(text, view)
            if not reading.refusals:
                written = " ".join(one.write("en") for one in (*reading.orders, *reading.standing)).upper()
                wanted, there = (_WORDS.findall(one.upper()).count(word) for one in (text, written))
                assert there >= wanted, (text, written)

    def visit(view: View, ask: Ask) -> None:
        met[ask.topic] += 1
        if met[ask.topic] > 3 * SIZE:
            return
        for line in notation.write_answer(ask, ask.options.sample(rng), "en").split("\n"):
            check(view, line)
        if met[ask.topic] == 1:
            for line in "\n".join([POLICIES[case.game.id](view), *STANDING[case.game.id]]).split("\n"):
                check(view, line)

    examine(case, 0, visit)
