"""Each field of each line told otherwise, every hash made anew: caught, unless it is a word of the game.

The checker knows no rules. What it lets pass is listed here, and said in docs/dice.md ("Facts").
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import MAC, H
from engine.kernel.fairness.export import seat_export, umpire_export
from engine.kernel.journal import canonical
from engine.kernel.visibility import UMPIRE
from pbem.verify_dice import verify
from tests.kernel.audited_campaign import SEATS, whole_campaign

DE = SEATS[1]
Lines = dict[str, list[dict[str, Any]]]  # "public" or a reader -> lines
Change = Callable[[list[dict[str, Any]]], None]

SELF = "the whole line"
WORDS = {  # what happened, why, and to whom: for the players to see
    "fact": {"fact", "data", SELF},
    "answer": {"topic", "at", "answer", "by", SELF},
    "ruling": {"act", "reason", "data"},
    "branch": {"reason"},
    "end": {"winners", "reason", "scores", SELF},
    "opening": {"size", SELF},
    "roll": {"seat"},
    "seam": {"name", "args"},  # of the umpire's line
    "draw": {"from"},  # where the same items come of it
}
AT_THE_END = {"draw": {"items", "seat"}, "ruling": {SELF}}  # hidden until then
UMPIRES_OWN = {"close", "pause", "snapshot"}


def told(document: Any) -> Iterator[tuple[int, Lines]]:
    for number, close in enumerate(document["closes"]):
        private = [name for name in close if name.startswith("private ")]
        own = {name.removeprefix("private "): json.loads(close[name]) for name in private}
        yield number, {"public": json.loads(close["P"])["lines"], **own}


class Forger:
    """One campaign with everything in it; a change in one Close, and all that hangs on it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.whole, self.own = json.loads(umpire_export(ledger)), json.loads(seat_export(ledger, DE))

    def change(self, at: int, place: str, change: Change) -> tuple[str, str]:
        """Germany's and the umpire's export."""
        exports = [{**document, "closes": [*document["closes"]]} for document in (self.own, self.whole)]
        lines = dict(told(self.whole))[at]
        change(lines[place])
        close, t = self.whole["closes"][at], self.ledger.records[at].close.t
        new = {"P": canonical({**json.loads(close["P"]), "lines": lines["public"]}).decode()}
        for reader in self.ledger.readers:
            new[f"private {reader}"] = canonical(lines[reader]).decode()
            key = self.ledger.secrets.key(t, reader)
            new[f"seal {reader}"] = MAC(key, "private", new[f"private {reader}"]).hex()
        before = H("head", self.ledger.opening)
        if at:
            before = bytes.fromhex(self.whole["closes"][at - 1]["head"])
        for number in range(at, len(self.whole["closes"])):
            for document in exports:
                forged = {**document["closes"][number], **(new if number == at else {})}
                own = {name: text for name, text in forged.items() if name in document["closes"][number]}
                document["closes"][number] = own
            seals = [bytes.fromhex(own[f"seal {reader}"]) for reader in self.ledger.readers]
            before = H("head", before, own["P"], *seals)
            for document in exports:
                document["closes"][number]["head"] = before.hex()
        return json.dumps(exports[0]), json.dumps(exports[1])


def other(value: Any) -> Any:
    if isinstance(value, list):
        return [*value[:-1], other(value[-1])] if value else ["x"]
    if isinstance(value, dict):
        return {**value, "x": "y"}
    return value + 1 if isinstance(value, int) else f"{value}x"


def changed(number: int, name: str) -> Change:
    def change(lines: list[dict[str, Any]]) -> None:
        lines[number][name] = other(lines[number][name])

    return change


def left_out(number: int) -> Change:
    return lambda lines: lines.__delitem__(number)


def twice(number: int) -> Change:
    return lambda lines: lines.insert(number, {**lines[number]})


def all_changes(forger: Forger) -> dict[tuple[str, str, str], list[tuple[int, Change]]]:
    """By place, kind and field."""
    found = defaultdict(list)
    for at, lines in told(forger.whole):
        for place in ("public", DE, UMPIRE):
            for number, line in enumerate(lines[place]):
                for name in line:
                    found[place, line["k"], name].append((at, changed(number, name)))
                found[place, line["k"], SELF].append((at, twice(number)))
                if line.get("n") != forger.ledger.rolls:  # after the last roll of all no number follows
                    found[place, line["k"], SELF].append((at, left_out(number)))
    return found


def verdict(folder: Path, text: str) -> int:
    (folder / "x.json").write_text(text)
    return verify([folder / "x.json"]).code


def missed(forger: Forger, folder: Path, every: int) -> set[tuple[str, str, str, str]]:
    """What neither was caught nor is a word of the game. `every`: changes of one field, spread evenly."""
    found = set()
    for (place, kind, name), changes in all_changes(forger).items():
        step = max(1, (len(changes) - 1) // max(1, every - 1))
        for at, change in changes[::step]:  # the first, the last, and some between
            own, whole = forger.change(at, place, change)
            is_word = name in WORDS.get(kind, ()) or (place == UMPIRE and kind in UMPIRES_OWN)
            waits = place == UMPIRE or name in AT_THE_END.get(kind, ())
            if not (is_word or waits or verdict(folder, own) == 1):
                found.add(("own", place, kind, name))
            if not (is_word or verdict(folder, whole) == 1):
                found.add(("whole", place, kind, name))
    return found


@pytest.fixture(scope="module")
def forger() -> Forger:
    return Forger(whole_campaign())


def test_the_forger_is_able(forger: Forger, tmp_path: Path) -> None:
    for text in forger.change(3, "public", lambda lines: None):
        assert 0 == verdict(tmp_path, text)


def test_each_field_of_each_line_is_caught_or_is_a_word(forger: Forger, tmp_path: Path) -> None:
    assert {"roll", "shuffle", "opening", "ruling", "branch", "end", "seam", "fact"} == {
        kind for place, kind, _ in all_changes(forger) if place == "public"
    }
    assert set() == missed(forger, tmp_path, every=2)


@pytest.mark.long
def test_each_of_all_lines_is_caught_or_is_a_word(forger: Forger, tmp_path: Path) -> None:
    assert set() == missed(forger, tmp_path, every=10_000)
