"""Cheats of an umpire who holds all secrets and makes every hash anew: one export alone gives them away.

Each leaves a record that is whole and sealed, but tells something that the protocol does not allow. Above all
nobody may roll again on the same letters: nothing in a transcript can be varied at will.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.fairness.audit import Ledger, SentMark
from engine.kernel.fairness.dice import MAC, H, faces
from engine.kernel.fairness.export import FORMAT, seat_export, umpire_export
from engine.kernel.journal import canonical
from pbem.verify_dice import verify
from tests.kernel.audited_campaign import (
    CARDS,
    CUP,
    SEATS,
    Advance,
    Sitting,
    anchored_anew,
    new_ledger,
    played,
)

EN, DE, FR = SEATS
CHEATED = 2  # index of the Close that the umpire meddles with
LETTERS = {seat: (SentMark(f"<{seat}@mail>"),) for seat in SEATS}

ACTS = (
    ("roll", DE, "fire", 3, 6),
    ("roll", EN, "fire", 2, 6),
    ("shuffle", "deck", CARDS),
    ("open", 3, ["DE"]),
    ("draw", DE, "tile", CUP, 2),
    ("answer", DE, "sheet", "F3"),
    ("fact", "TownTaken", {"town": "Metz"}),
)
SCRIPT = tuple(Advance(f"T{turn}.R1", ACTS, LETTERS, {DE: ("HOLD",)}) for turn in range(1, 5))


@cache
def honest() -> Ledger:
    """Played once. Do not change it."""
    return played(6, SCRIPT)


@dataclass
class Forged:
    """A Close taken apart; the forger changes what he likes."""

    script: dict[str, Any]
    link: str
    public: dict[str, Any]
    private: dict[str, list[Any]]
    entries: dict[str, Any]
    text: Callable[[Any], bytes] = canonical  # how the transcript is written
    digest: str = ""  # of another transcript, in P
    keys: dict[str, bytes] = field(default_factory=dict)  # other keys than K gives
    seals: dict[str, bytes] = field(default_factory=dict)  # other seals than the lines give

    @property
    def lines(self) -> list[Any]:
        lines: list[Any] = self.public["lines"]
        return lines


Cheat = Callable[[Forged, Ledger], None]


def forge(ledger: Ledger, cheat: Cheat, at: int = CHEATED) -> tuple[str, str]:
    """Germany's and the umpire's export after the cheat, every hash made anew and the dice rolled again."""
    key, opening = ledger.secrets.seal_key, ledger.opening
    previous, head = opening, H("head", opening)
    own, whole = [], []
    for number, (seat, all_) in enumerate(
        zip(*(json.loads(e)["closes"] for e in exports(ledger)), strict=True)
    ):
        private = {r: json.loads(all_[f"private {r}"]) for r in ledger.readers}
        entries = {str(s): all_[f"entry {s}"] for s in SEATS}
        forged = Forged(json.loads(all_["T"]), all_["link"], json.loads(all_["P"]), private, entries)
        forged.script["prev"] = sha256(previous).hexdigest()
        if number == at:
            cheat(forged, ledger)
        elif number > at:
            roll_again(forged, key)
        transcript = forged.text(forged.script)
        t = forged.script["t"]
        public = canonical({**forged.public, "T": forged.digest or sha256(transcript).hexdigest()})
        keys = {r: MAC(key, "seat", t, r) for r in ledger.readers} | forged.keys
        sealed = {r: canonical(forged.private[r]) for r in ledger.readers}
        seals = {r: MAC(keys[r], "private", sealed[r]) for r in ledger.readers} | forged.seals
        head = H("head", head, public, *seals.values())
        shown = {"T": transcript.decode(), "link": forged.link, "P": public.decode(), "head": head.hex()}
        shown |= {f"seal {r}": seal.hex() for r, seal in seals.items()}
        fields = {r: {f"k {r}": keys[r].hex(), f"private {r}": sealed[r].decode()} for r in ledger.readers}
        own.append({**shown, **fields[DE], "entry DE": seat["entry DE"]})
        whole.append({**shown, **{n: v for f in fields.values() for n, v in f.items()}})
        whole[-1] |= {f"entry {s}": entry for s, entry in forged.entries.items()}
        previous = transcript
    document = {"format": FORMAT, "open": opening.decode()}
    return (
        json.dumps({**document, "reader": "DE", "closes": own}),
        json.dumps({**document, "reader": "umpire", "K": key.hex(), "closes": whole}),
    )


def exports(ledger: Ledger) -> tuple[str, str]:
    return seat_export(ledger, DE), umpire_export(ledger)


def roll_again(forged: Forged, key: bytes) -> None:
    """Entries blinded anew, and new faces. Hidden chance is left out: these cheats are about rolls."""
    for seat, parts in forged.entries.items():
        if seat in forged.script["entries"]:
            entry = H("entry", *map(bytes.fromhex, parts))
            own_key = forged.keys.get(seat, MAC(key, "seat", forged.script["t"], seat))
            forged.script["entries"][seat] = MAC(own_key, "entry", entry).hex()
    digest = sha256(forged.text(forged.script)).digest()
    seed = MAC(bytes.fromhex(forged.link), "seed", digest)
    for line in forged.lines:
        if line["k"] == "roll" and line["by"] == "audited":
            line["faces"] = list(faces(seed, line["label"], len(line["faces"]), line["sides"]))
    forged.lines[:] = [line for line in forged.lines if line["k"] not in ("shuffle", "opening")]
    for lines in forged.private.values():
        lines[:] = [line for line in lines if line["k"] not in ("shuffle", "opening", "draw")]


# ------------------------------------------------------------------ rolling again on the same letters


def blanks(forged: Forged, ledger: Ledger) -> None:
    forged.text = lambda script: json.dumps(script, sort_keys=True).encode()
    roll_again(forged, ledger.secrets.seal_key)


def other_order(forged: Forged, ledger: Ledger) -> None:
    forged.text = lambda script: json.dumps(dict(reversed(script.items())), separators=(",", ":")).encode()
    roll_again(forged, ledger.secrets.seal_key)


def varied(name: str, value: Any) -> Cheat:
    def cheat(forged: Forged, ledger: Ledger) -> None:
        forged.script[name] = value
        roll_again(forged, ledger.secrets.seal_key)

    return cheat


def no_change_but_rolled(forged: Forged, ledger: Ledger) -> None:
    roll_again(forged, ledger.secrets.seal_key)


def one_seat_less(forged: Forged, ledger: Ledger) -> None:
    del forged.script["entries"]["FR"]
    roll_again(forged, ledger.secrets.seal_key)


def one_seat_more(forged: Forged, ledger: Ledger) -> None:
    forged.script["entries"]["US"] = "00" * 32
    roll_again(forged, ledger.secrets.seal_key)


def link_of_another_close(forged: Forged, ledger: Ledger) -> None:
    forged.link = ledger.secrets.chain.link(forged.script["t"] + 1).hex()
    roll_again(forged, ledger.secrets.seal_key)


def link_used_before(forged: Forged, ledger: Ledger) -> None:
    forged.link = ledger.secrets.chain.link(forged.script["t"] - 1).hex()
    roll_again(forged, ledger.secrets.seal_key)


ROLLED_AGAIN: dict[str, Cheat] = {
    "blanks in the transcript": blanks,
    "another order of its fields": other_order,
    "a field more": varied("time", "2026-11-20"),
    "another version": varied("v", 3),
    "a beacon": varied("beacon", "drand"),
    "a branch that nobody opened": varied("branch", 1),
    "a branch as a flag": varied("branch", False),
    "another anchor": varied("anchor", H("another").hex()),
    "another past": varied("prev", "00" * 32),
    "an index ahead of its link": varied("t", CHEATED + 9),
    "an index beyond all chains": varied("t", 10**9),
    "one seat less": one_seat_less,
    "one seat more": one_seat_more,
    "a link ahead": link_of_another_close,
    "an old link": link_used_before,
}


def test_the_forger_is_able(tmp_path: Path) -> None:
    """Rolling again from the same transcript changes nothing, and his exports fit."""
    for text in forge(honest(), no_change_but_rolled):
        (tmp_path / "x.json").write_text(text)
        assert [] == verify([tmp_path / "x.json"]).caught


@pytest.mark.parametrize("at", [0, CHEATED, len(SCRIPT) - 1])
@pytest.mark.parametrize("name", ROLLED_AGAIN)
def test_nobody_rolls_again_on_the_same_letters(name: str, at: int, tmp_path: Path) -> None:
    for text in forge(honest(), ROLLED_AGAIN[name], at):
        (tmp_path / "x.json").write_text(text)
        assert 1 == verify([tmp_path / "x.json"]).code


# ------------------------------------------------------------------ records that tell what did not happen


def line_of(forged: Forged, kind: str) -> Any:
    return next(line for line in forged.lines if line["k"] == kind)


def told_otherwise(**values: Any) -> Cheat:
    """The first roll told otherwise than it fell."""

    def cheat(forged: Forged, ledger: Ledger) -> None:
        line_of(forged, "roll").update(values)

    return cheat


def same_label_twice(forged: Forged, ledger: Ledger) -> None:
    rolls = [line for line in forged.lines if line["k"] == "roll"]
    rolls[1].update(label=rolls[0]["label"], faces=rolls[0]["faces"][:2])


def forced_in_secret(forged: Forged, ledger: Ledger) -> None:
    line_of(forged, "roll").update(faces=[6, 6, 6], by="forced")


def recorded_out_of_nowhere(forged: Forged, ledger: Ledger) -> None:
    line_of(forged, "roll").update(faces=[6, 6, 6], by="recorded")
    forged.public["marks"].append("TOUCHED")


def ruling_without_mark(forged: Forged, ledger: Ledger) -> None:
    forged.lines.append({"k": "ruling", "act": "hold", "reason": "storm", "data": {}})


def answer_by_the_umpire(forged: Forged, ledger: Ledger) -> None:
    next(line for line in forged.private["DE"] if line["k"] == "answer")["by"] = "umpire"


def unsalted_though_written(forged: Forged, ledger: Ledger) -> None:
    forged.public["marks"].append("UNSALTED")


def other_card_opened(forged: Forged, ledger: Ledger) -> None:
    opening = next(line for line in forged.private["DE"] if line["k"] == "opening")
    opening["card"] = "C00" if opening["card"] != "C00" else "C01"


def other_place_opened(forged: Forged, ledger: Ledger) -> None:
    next(line for line in forged.private["DE"] if line["k"] == "opening")["position"] = 4


def pile_that_nobody_shuffled(forged: Forged, ledger: Ledger) -> None:
    forged.lines.remove(line_of(forged, "shuffle"))
    forged.private["umpire"] = [line for line in forged.private["umpire"] if line["k"] != "shuffle"]


def other_die(forged: Forged, ledger: Ledger) -> None:
    """A d10 under the label of a d6, as the seed would have it."""
    seed = MAC(bytes.fromhex(forged.link), "seed", sha256(canonical(forged.script)).digest())
    roll = line_of(forged, "roll")
    roll.update(sides=10, faces=list(faces(seed, roll["label"], len(roll["faces"]), 10)))


def other_transcript(forged: Forged, ledger: Ledger) -> None:
    forged.digest = H("another").hex()


def other_lines_under_the_seal(forged: Forged, ledger: Ledger) -> None:
    forged.seals["DE"] = H("another")


def other_size_of_the_pile(forged: Forged, ledger: Ledger) -> None:
    next(line for line in forged.private["DE"] if line["k"] == "opening")["size"] = 1000


SEEN_BY_A_SEAT: dict[str, Cheat] = {
    "other faces": told_otherwise(faces=[6, 6, 6]),
    "a die more": told_otherwise(faces=[1, 1, 1, 1]),
    "another die": other_die,
    "another transcript": other_transcript,
    "other lines under the seal": other_lines_under_the_seal,
    "another size of the pile": other_size_of_the_pile,
    "test dice": told_otherwise(by="test"),
    "a number left out": told_otherwise(n=99),
    "a label twice": same_label_twice,
    "dice forced in secret": forced_in_secret,
    "recorded out of nowhere": recorded_out_of_nowhere,
    "a ruling without its mark": ruling_without_mark,
    "an answer by the umpire without its mark": answer_by_the_umpire,
    "unsalted though written": unsalted_though_written,
    "another card": other_card_opened,
    "another place in the pile": other_place_opened,
    "a pile that nobody shuffled": pile_that_nobody_shuffled,
}


@pytest.mark.parametrize("at", [0, CHEATED, len(SCRIPT) - 1])
@pytest.mark.parametrize("name", SEEN_BY_A_SEAT)
def test_a_seat_sees_at_once(name: str, at: int, tmp_path: Path) -> None:
    for text in forge(honest(), SEEN_BY_A_SEAT[name], at):
        (tmp_path / "x.json").write_text(text)
        assert 1 == verify([tmp_path / "x.json"]).code


def full(forged: Forged, kind: str) -> Any:
    return next(line for line in forged.private["umpire"] if line["k"] == kind)


def other_items(forged: Forged, ledger: Ledger) -> None:
    """Both the seat and the umpire's journal are told the same false items."""
    items = ["zeppelin", "zeppelin"]
    full(forged, "draw")["items"] = items
    next(line for line in forged.private["DE"] if line["k"] == "draw")["items"] = items


def seat_told_otherwise(forged: Forged, ledger: Ledger) -> None:
    next(line for line in forged.private["DE"] if line["k"] == "draw")["items"] = ["gas", "mine"]


def other_cup(forged: Forged, ledger: Ledger) -> None:
    full(forged, "draw")["from"] = ["gas", "gas", "gas", "gas", "gas"]


def other_order_of_cards(forged: Forged, ledger: Ledger) -> None:
    full(forged, "shuffle")["order"].reverse()


def other_root(forged: Forged, ledger: Ledger) -> None:
    forged.private["DE"] = [line for line in forged.private["DE"] if line["k"] != "opening"]
    line_of(forged, "shuffle")["root"] = "00" * 32


def draw_in_secret(forged: Forged, ledger: Ledger) -> None:
    forged.private["DE"] = [line for line in forged.private["DE"] if line["k"] != "draw"]


def touched_for_no_reason(forged: Forged, ledger: Ledger) -> None:
    forged.public["marks"].append("TOUCHED")


def letter_slipped_in(forged: Forged, ledger: Ledger) -> None:
    """A mark of France is published that is not in the transcript."""
    forged.entries["FR"] = [*forged.entries["FR"], H("mark", "<x>", "", "").hex()]


def key_of_his_own(forged: Forged, ledger: Ledger) -> None:
    """France's entry and lines are sealed with a key that does not come from K."""
    forged.keys["FR"] = H("another")
    roll_again(forged, ledger.secrets.seal_key)


SEEN_AT_THE_END: dict[str, Cheat] = {
    "a key of his own": key_of_his_own,
    "other items": other_items,
    "a seat told otherwise": seat_told_otherwise,
    "another cup": other_cup,
    "another order of cards": other_order_of_cards,
    "another root": other_root,
    "a draw in secret": draw_in_secret,
    "touched for no reason": touched_for_no_reason,
    "a letter slipped in": letter_slipped_in,
}


@pytest.mark.parametrize("name", SEEN_AT_THE_END)
def test_all_see_at_the_end(name: str, tmp_path: Path) -> None:
    own, whole = forge(honest(), SEEN_AT_THE_END[name])
    (tmp_path / "own.json").write_text(own)
    (tmp_path / "whole.json").write_text(whole)
    assert 0 == verify([tmp_path / "own.json"]).code  # hidden chance stays hidden until then
    assert 1 == verify([tmp_path / "whole.json"]).code
    assert 1 == verify([tmp_path]).code


def test_an_empty_window_must_be_marked(tmp_path: Path) -> None:
    def unmarked(forged: Forged, ledger: Ledger) -> None:
        assert ["UNSALTED"] == forged.public["marks"]
        forged.public["marks"].clear()

    script = (*SCRIPT[:CHEATED], Advance("T3.R1", ACTS), SCRIPT[3])
    _, whole = forge(played(6, script), unmarked)
    (tmp_path / "x.json").write_text(whole)
    assert any("UNSALTED" in line for line in verify([tmp_path / "x.json"]).caught)


def test_an_index_is_a_number(tmp_path: Path) -> None:
    """`true` reads like 1, and would be a second transcript for the same letters."""
    for text in forge(played(6, SCRIPT[:1]), varied("t", True), at=0):
        (tmp_path / "x.json").write_text(text)
        assert 1 == verify([tmp_path / "x.json"]).code


# ------------------------------------------------------------------ keys, anchors, branches


def test_the_seal_key_is_the_one_that_was_committed(tmp_path: Path) -> None:
    """Everything is made with another K from the first Close on."""
    sitting = Sitting(new_ledger(6))
    sitting.ledger.secrets = replace(sitting.ledger.secrets, seal_key=H("another"))
    for advance in SCRIPT:
        sitting.play(advance)
    (tmp_path / "x.json").write_text(umpire_export(sitting.ledger))
    assert any("commits" in line for line in verify([tmp_path / "x.json"]).caught)


def test_a_branch_is_announced_each_time(tmp_path: Path) -> None:
    def turn(number: int, branch: int, *announced: int) -> Advance:
        acts = tuple(("branch", n, max(0, n - 1), "fresh") for n in announced)
        return Advance(f"T{number}.R1", (*acts, ACTS[0]), LETTERS, branch=branch)

    good = (turn(1, 0), turn(1, 1, 1), turn(1, 2, 2), turn(2, 2), turn(1, 3, 3))
    (tmp_path / "x.json").write_text(umpire_export(played(6, good)))
    assert [] == verify([tmp_path / "x.json"]).caught
    for bad in (turn(3, 1), turn(3, 0), turn(3, 3)):
        (tmp_path / "x.json").write_text(umpire_export(played(6, (*good[:4], bad))))
        assert any("announced" in line for line in verify([tmp_path / "x.json"]).caught)


def test_another_seal_key_is_caught(tmp_path: Path) -> None:
    document = json.loads(umpire_export(played(6, SCRIPT)))
    document["K"] = H("another").hex()
    (tmp_path / "x.json").write_text(json.dumps(document))
    assert 1 == verify([tmp_path / "x.json"]).code


def test_an_anchor_that_nobody_announced_is_caught(tmp_path: Path) -> None:
    for text in exports(anchored_anew(announced=False)):
        (tmp_path / "x.json").write_text(text)
        assert any("not announced" in line for line in verify([tmp_path / "x.json"]).caught)


def test_a_new_chain_begins_with_its_first_link(tmp_path: Path) -> None:
    for text in exports(anchored_anew(first_link=2)):
        (tmp_path / "x.json").write_text(text)
        assert any("anchor" in line for line in verify([tmp_path / "x.json"]).caught)
