"""Cheats with lines that stand where they do not belong, and with what only one reader is told.

As in test_operator the operator holds all secrets and makes every hash anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.fairness.audit import Entry, Ledger, SentMark
from engine.kernel.fairness.dice import MAC, H, faces
from engine.kernel.fairness.export import publication, seat_export, umpire_export
from engine.kernel.journal import canonical
from pbem.verify_dice import verify
from tests.kernel.audited_campaign import CUP, SEATS, Act, Advance, Sitting, new_ledger
from tests.kernel.mailbox import FIRE, TAKEN, before, letters_to, store, turn
from tests.kernel.test_cheating import SCRIPT, Cheat, Forged, forge, honest

EN, DE, FR = SEATS
LAST = len(SCRIPT) - 1


def rolled(forged: Forged, label: str, dice: int, number: int) -> dict[str, Any]:
    """A d6 roll as the seed has it."""
    seed = MAC(bytes.fromhex(forged.link), "seed", sha256(canonical(forged.script)).digest())
    line = {"k": "roll", "by": "audited", "label": label, "n": number, "seat": "DE", "sides": 6}
    return {**line, "faces": list(faces(seed, label, dice, 6)) if dice else []}


def told_to_germany(line: Callable[[Forged], Any]) -> Cheat:
    """A line more among Germany's own."""
    return lambda forged, ledger: forged.private["DE"].append(line(forged))


def told_to_all(line: Callable[[Forged], Any]) -> Cheat:
    return lambda forged, ledger: forged.lines.append(line(forged))


def as_drawn(**changes: Any) -> Cheat:
    """Germany's draw told otherwise, to Germany and to the umpire."""

    def cheat(forged: Forged, ledger: Ledger) -> None:
        for reader in ("DE", "umpire"):
            next(line for line in forged.private[reader] if line["k"] == "draw").update(changes)

    return cheat


def pile_of_its_own(forged: Forged, ledger: Ledger) -> None:
    """Germany is told of a pile that nobody else knows, with the card it may have."""
    lines = forged.private["DE"]
    opening = next(line for line in lines if line["k"] == "opening")
    leaf = bytes(32) + (0).to_bytes(4, "big") + b"tank"
    root = sha256(b"\0" + leaf).hexdigest()
    lines.append({"k": "shuffle", "label": "T4.R1/deck/2/shuffle", "root": root, "by": "audited"})
    lines.append({**opening, "root": root, "nonce": bytes(32).hex(), "position": 0, "size": 1})
    lines[-1] |= {"card": "tank", "path": []}


def branch_in_secret(forged: Forged, ledger: Ledger) -> None:
    """Another number of the branch, another transcript."""
    fork = {"k": "branch", "n": 1, "from": 0, "dice": "fresh", "reason": "agreed"}
    forged.private["DE"].append(fork)
    forged.script["branch"] = 1
    forged.public["marks"].append("TOUCHED")
    forged.lines[:] = [line for line in forged.lines if line["k"] == "seam"]
    for lines in forged.private.values():
        lines[:] = [line for line in lines if line["k"] in ("branch", "seam")]


def no_dice_rolled(forged: Forged, ledger: Ledger) -> None:
    """A number passed over by a roll that shows nothing."""
    rolls = [line for line in forged.lines if line["k"] == "roll"]
    first = rolls[0]
    label = first["label"].replace("/1/d6", "/{}/d6")
    place = forged.lines.index(first)
    changed = [rolled(forged, label.format(n + 1), n, first["n"] + n) for n in range(3)]
    forged.lines[:] = [line for line in forged.lines if line["k"] != "roll"]
    forged.lines[place:place] = changed


def branch_and_no_segment(forged: Forged, ledger: Ledger) -> None:
    """On a new branch no segment begins, and the roll names one that suits."""
    forged.script["branch"] = 1
    forged.public["marks"].append("TOUCHED")
    number = next(line["n"] for line in forged.lines if line["k"] == "roll")
    fork = {"k": "branch", "n": 1, "from": 0, "dice": "fresh", "reason": "agreed"}
    forged.lines[:] = [fork, rolled(forged, "T7.R7/fire/1/d6", 1, number)]
    for lines in forged.private.values():
        lines.clear()


ONE_MORE = {"k": "draw", "seat": "DE", "items": ["gas"], "by": "audited"}

IN_ONE_EXPORT: dict[str, Cheat] = {
    "a roll told to one seat only": told_to_germany(lambda f: rolled(f, "T4.R1/fire/9/d6", 1, 9)),
    "a pile told to one seat only": pile_of_its_own,
    "a branch told to one seat only": branch_in_secret,
    "a ruling told to one seat only": told_to_germany(
        lambda f: {"k": "ruling", "act": "hold", "reason": "", "data": {}}
    ),
    "a draw told to all": told_to_all(lambda f: {**ONE_MORE, "label": "T4.R1/tile/2/draw"}),
    "a line of no known kind": told_to_all(lambda f: {"k": "die", "faces": [6]}),
    "a roll of no dice": no_dice_rolled,
    "a branch on which no segment begins": branch_and_no_segment,
    "a draw forced": as_drawn(by="forced"),
    "a draw of test dice": as_drawn(by="test"),
    "a draw in another segment": as_drawn(label="T9.R1/tile/1/draw"),
    "a draw for another purpose": as_drawn(label="T4.R1/tiles/1/draw"),
    "a draw with a zero before its number": as_drawn(label="T4.R1/tile/01/draw"),
    "a draw of another seat": told_to_germany(
        lambda f: {**ONE_MORE, "seat": "FR", "label": "T4.R1/tile/2/draw"}
    ),
    "a draw told twice": told_to_germany(lambda f: {**ONE_MORE, "label": "T4.R1/tile/1/draw"}),
}


@pytest.mark.parametrize("name", IN_ONE_EXPORT)
def test_one_export_shows_it(name: str, tmp_path: Path) -> None:
    own, _ = forge(honest(), IN_ONE_EXPORT[name], at=LAST)
    (tmp_path / "own.json").write_text(own)
    assert 1 == verify([tmp_path / "own.json"]).code


def with_entry(shown: list[Any], marks: list[str], answers: str) -> str:
    """Germany's export, its third entry as the operator makes it up."""
    sitting = before()
    ledger = sitting.ledger
    close = ledger.close({DE: Entry(tuple(marks), answers)})
    ledger.records.append(ledger.record(close, []))
    document = json.loads(seat_export(ledger, DE))
    document["closes"][-1]["entry DE"] = shown
    return json.dumps(document)


def test_a_mark_has_three_parts_and_answers_come_first(tmp_path: Path) -> None:
    """Else a part more could be tried until the dice suit."""
    answers, mark = ["answers", "HOLD"], ["mark", "<a@mail>", "", ""]
    for shown, code in (
        ([answers, mark], 0),
        ([answers, [*mark, "x"]], 1),
        ([answers, mark[:3]], 1),
        ([mark, mark], 1),
        ([answers, answers], 1),
        ([["words", "HOLD"], mark], 1),
    ):
        first, second = (H(*part).hex() for part in shown)
        (tmp_path / "own.json").write_text(with_entry(shown, [second], first))
        assert code == verify([tmp_path / "own.json"]).code, shown


# ------------------------------------------------------------------ which segment begins


def begun(*keys: str) -> Ledger:
    sitting = before()  # T1.R1, T2.R1
    for key in keys:
        sitting.play(replace(turn(3), segment=key))
    return sitting.ledger


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        (["T3.R1", "T3.R2", "T4.R1"], 0),
        (["T3.R1", "X1.R1", "T3.R2", "X1.R2"], 0),  # counted apart
        (["T2.R2", "T3.R2"], 1),  # with a new turn the rounds begin again
        (["T3.R1", "T1.R2"], 1),  # a turn that is past
        (["T3.R1.B0"], 1),  # of a fork that never was
        (["T2.R1.B0"], 1),
    ],
)
def test_the_numbers_of_segments_are_not_chosen(keys: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text(seat_export(begun(*keys), DE))
    assert code == verify([tmp_path / "own.json"]).code


def test_piles_are_shuffled_anew_at_the_fork_only(tmp_path: Path) -> None:
    forked = replace(turn(2, ("branch", 1, 0, "fresh"), FIRE), branch=1)
    for first, then, code in (
        ("T2.R1.B1", "T2.R1", 0),
        ("T2.R1", "T2.R1.B1", 1),
        ("T2.R1.B2", "T2.R1", 1),
        ("T1.R1", "T2.R1", 0),
        ("T1.R1", "T3.R1", 1),
    ):
        ledger = before(replace(forked, segment=first), replace(turn(2), segment=then, branch=1)).ledger
        (tmp_path / "own.json").write_text(seat_export(ledger, DE))
        assert code == verify([tmp_path / "own.json"]).code, (first, then)


# ------------------------------------------------------------------ what is published at the end


def drawn(label: str) -> Ledger:
    """A third turn with a draw under that label, and the end."""
    draw: Act = ("draw label", DE, label, CUP, 1)
    return before(turn(3, FIRE, draw, TAKEN), turn(4, FIRE, ("end",))).ledger


def test_the_number_and_the_segment_of_a_draw_are_not_chosen(tmp_path: Path) -> None:
    """The seat is told its own draws only; at the end all are counted."""
    for label, codes in (
        ("T3.R1/tile/1/draw", (0, 0)),
        ("T3.R1/tile/7/draw", (0, 1)),  # it might be others who drew six times
        ("T4.R1/tile/1/draw", (1, 1)),
        ("T2.R1/tile/1/draw", (0, 1)),  # the segment that was open when the Close began
    ):
        ledger = drawn(label)
        box = letters_to(ledger, DE)
        assert codes[0] == verify([store(box, tmp_path / "box")]).code, label
        (tmp_path / "end.json").write_text(publication(ledger))
        assert codes[1] == verify([tmp_path / "end.json"]).code, label


def umpire_told(kind: str, **changes: Any) -> Cheat:
    def cheat(forged: Forged, ledger: Ledger) -> None:
        next(line for line in forged.private["umpire"] if line["k"] == kind).update(changes)

    return cheat


def ruling_told_otherwise(forged: Forged, ledger: Ledger) -> None:
    line = {"k": "ruling", "act": "hold", "reason": "storm", "data": {}}
    forged.public["marks"].append("TOUCHED")
    forged.lines.append(line)
    forged.private["umpire"].append({**line, "act": "extend"})


def drawn_for_the_seat_alone(forged: Forged, ledger: Ledger) -> None:
    """Told twice to the seat, and never to the umpire, so nobody would look at it."""
    lines = forged.private["DE"]
    line = {**ONE_MORE, "label": "T4.R1/tile/2/draw"}
    lines += [line, {**line}]


AT_THE_END: dict[str, Cheat] = {
    "another segment told to the umpire": umpire_told("seam", key="T4.R2"),
    "a ruling told otherwise": ruling_told_otherwise,
    "a draw that only its seat was told": drawn_for_the_seat_alone,
    "another seat's draw": umpire_told("draw", seat="FR"),
    "a shuffle under another label": umpire_told("shuffle", label="T4.R1/deck/2/shuffle"),
}


@pytest.mark.parametrize("name", AT_THE_END)
def test_the_publication_shows_it(name: str, tmp_path: Path) -> None:
    _, whole = forge(honest(), AT_THE_END[name], at=LAST)
    (tmp_path / "whole.json").write_text(whole)
    assert 1 == verify([tmp_path / "whole.json"]).code


def test_a_close_left_out_of_the_publication_is_named(tmp_path: Path) -> None:
    """Its draws would never be looked at."""
    ledger = drawn("T3.R1/tile/1/draw")
    document = json.loads(umpire_export(ledger))
    (tmp_path / "end.json").write_text(json.dumps(document))
    (tmp_path / "own.json").write_text(seat_export(ledger, DE))
    assert 0 == verify([tmp_path]).code
    for left_out in range(len(document["closes"])):
        closes = [close for number, close in enumerate(document["closes"]) if number != left_out]
        (tmp_path / "end.json").write_text(json.dumps({**document, "closes": closes}))
        found = verify([tmp_path])
        assert (3, [f"MISSING what was published of Close {left_out + 1}"]) == (found.code, found.missing)


def test_the_report_says_that_hidden_chance_waits_for_the_end(tmp_path: Path) -> None:
    ledger, told = drawn("T3.R1/tile/1/draw"), "What is hidden is published at the end"
    for text, waits in ((seat_export(ledger, DE), True), (publication(ledger), False)):
        (tmp_path / "x.json").write_text(text)
        assert waits == any(line.startswith(told) for line in verify([tmp_path / "x.json"]).lines)


def test_a_pile_drawn_from_over_many_closes_is_followed(tmp_path: Path) -> None:
    """A segment that goes on: the numbers of draws and shuffles go on as well, for every reader."""
    draw: Act = ("draw", DE, "tile", CUP, 1)
    other: Act = ("draw", FR, "tile", CUP, 2)
    sitting = Sitting(new_ledger(8))
    letters = {DE: (SentMark("<x@mail>"),)}
    for advance in (
        turn(1, draw, other, draw),
        replace(turn(1, other, draw), begins=False),
        Advance("T2.R1", (other, draw, ("end",)), letters),
    ):
        sitting.play(advance)
    texts = [*(seat_export(sitting.ledger, seat) for seat in SEATS), publication(sitting.ledger)]
    for text in texts:
        (tmp_path / "x.json").write_text(text)
        assert (0, []) == ((found := verify([tmp_path / "x.json"])).code, found.caught)


def test_after_a_letter_was_lost_segments_are_taken_as_they_come(tmp_path: Path) -> None:
    """Also one without a number, and one whose name was told in what is missing."""
    opening = json.loads(new_ledger(8).opening)
    opening["labels"] |= {"first": "S.S", "segments": ["S.S", "T#.#", "T#.#.*"]}
    sitting = Sitting(Ledger(canonical(opening), new_ledger(8).secrets))
    for key, begins in (("S.S", True), ("S.S", False), ("T1.1", True), ("T1.2", True), ("T1.2.Metz", True)):
        sitting.play(replace(turn(1), segment=key, begins=begins))
    document = json.loads(seat_export(sitting.ledger, DE))
    for lost, code in ((None, 0), (0, 3), (1, 3), (2, 3), (3, 3)):
        closes = [close for number, close in enumerate(document["closes"]) if number != lost]
        (tmp_path / "own.json").write_text(json.dumps({**document, "closes": closes}))
        assert code == (found := verify([tmp_path / "own.json"])).code, (lost, found.caught)


def test_a_segment_after_a_fork_may_bear_a_name_told_long_ago(tmp_path: Path) -> None:
    opening = json.loads(new_ledger(8).opening)
    opening["labels"] |= {"first": "T1.1.Metz", "segments": ["T#.#.*"]}
    sitting = Sitting(Ledger(canonical(opening), new_ledger(8).secrets))
    paris: Act = ("fact", "TownTaken", {"town": "Paris"})
    fork: Act = ("branch", 1, 0, "fresh")
    sedan: Act = ("fact", "TownTaken", {"town": "Sedan"})
    sitting.play(replace(turn(1, FIRE, TAKEN, sedan), segment="T1.1.Metz"))
    sitting.play(Advance("T1.2.Paris", (FIRE, paris)))
    sitting.play(Advance("T1.3.Paris", (FIRE, paris)))
    sitting.play(Advance("T1.1.Metz", (fork, FIRE), branch=1))
    attack: Act = ("label", DE, "T1.1.Metz/attack.Metz/1/d6", 1, 6)
    sitting.play(Advance("T1.1.Metz", (attack,), branch=1, begins=False))
    (tmp_path / "own.json").write_text(seat_export(sitting.ledger, DE))
    assert (0, []) == ((found := verify([tmp_path / "own.json"])).code, found.caught)
    sitting.play(Advance("T1.2.Sedan", (FIRE, paris), branch=1))  # nobody tells of it since
    (tmp_path / "own.json").write_text(seat_export(sitting.ledger, DE))
    assert 1 == verify([tmp_path / "own.json"]).code
