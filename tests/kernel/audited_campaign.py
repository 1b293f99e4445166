"""Campaigns for the tests of the audit: scripts of acts, played with audited dice, without any game.

A script is plain data, so a forger can change one act in it and play everything again with the true secrets.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from engine.kernel.fairness.audit import Close, Entry, Ledger, Secrets, SentMark
from engine.kernel.fairness.dice import Chain, Dice, ForcedDice, H, RecordedDice
from engine.kernel.journal import canonical
from engine.kernel.requests import Seat

SEATS = (Seat("EN"), Seat("DE"), Seat("FR"))  # seat order is not the order of the alphabet
CARDS = tuple(f"C{number:02d}" for number in range(13))
CUP = ("gas", "mine", "mine", "tank", "zeppelin")
SIDES = (2, 6, 10, 12, 20, 100, 256, 1000)

Act = tuple[Any, ...]


@dataclass(frozen=True)
class Advance:
    """What is handed in before one Close, and what then happens."""

    segment: str
    acts: tuple[Act, ...]
    letters: Mapping[Seat, tuple[SentMark, ...]] = field(default_factory=dict)
    texts: Mapping[Seat, tuple[str, ...]] = field(default_factory=dict)
    branch: int = 0
    burn: int = 0
    forced: tuple[int, ...] = ()
    held: tuple[Seat, ...] = SEATS  # by somebody
    begins: bool = True  # the segment; False: it goes on from the Close before
    same_dice: bool = False  # rolls of an earlier run of this segment serve again


def secrets(seed: int, length: int = 64) -> Secrets:
    return Secrets(Chain(H("test chain", seed), length), H("test seal", seed))


LABELS = {
    "segments": ["T#.R#", "X#.R#", "T#", "T#.R#.B#"],
    "purposes": [
        "attack.*/d#",
        "fire/d6",
        "hit/d6",
        "flight/d12",
        "tile/draw",
        "deck/shuffle",
    ],
}


def new_ledger(seed: int, length: int = 64, first: str = "T1.R1") -> Ledger:
    """`first`: the segment that the campaign begins with."""
    mine = secrets(seed, length)
    opening = {"k": "open", "v": 2, "game": "none", "seats": SEATS, "settings": {"tempo": "fast"}}
    opening["labels"] = {**LABELS, "first": first}
    return Ledger(canonical({**opening, **mine.commitments}), mine)


class Sitting:
    """A script being played."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.journal: list[dict[str, Any]] = []
        self.counts: dict[str, int] = {}  # rolls of the open segment

    def play(self, advance: Advance) -> Close:
        ledger = self.ledger
        entries = {
            seat: Entry.of(advance.letters.get(seat, ()), advance.texts.get(seat, ())) for seat in SEATS
        }
        close = ledger.close(entries, advance.branch, advance.burn, advance.held)
        dice: Dice = ledger.dice(close)
        if advance.same_dice:
            past = [line for line in self.journal if line.get("label", "").startswith(advance.segment + "/")]
            dice = RecordedDice(past, dice)
        if advance.forced:
            dice = ForcedDice(advance.forced, then=dice)
        lines = [{"k": "close", "t": close.t, "window": "w", "T": close.digest.hex()}]
        counts: dict[str, int] = {}
        forks = [act for act in advance.acts if act[0] == "branch"]
        for act in forks:
            lines += self._lines(act, advance.segment, counts, dice, lines)
        if advance.begins:
            lines.append({"k": "seam", "name": "battle", "key": advance.segment, "args": []})
            self.counts = counts
        for act in advance.acts[len(forks) :]:
            lines += self._lines(act, advance.segment, self.counts, dice, lines)
        lines.append({"k": "pause", "window": "w", "seats": SEATS})
        lines = json.loads(canonical(lines))
        self.journal += lines
        ledger.records.append(ledger.record(close, lines))
        return close

    def _lines(
        self, act: Act, segment: str, counts: dict[str, int], dice: Dice, before: list[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        def label(why: str, what: str) -> str:
            purpose = f"{why}/{what}"
            counts[purpose] = counts.get(purpose, 0) + 1
            return f"{segment}/{why}/{counts[purpose]}/{what}"

        match act:
            case ("roll", seat, why, count, sides):
                name = label(why, f"d{sides}")
                rolled = dice.roll(name, count, sides)
                line = {"k": "roll", "seat": seat, "label": name, "sides": sides}
                yield {**line, "faces": rolled.faces, "by": rolled.by}
            case ("label", seat, name, count, sides):  # as a cheat names it
                rolled = dice.roll(name, count, sides)
                line = {"k": "roll", "seat": seat, "label": name, "sides": sides}
                yield {**line, "faces": rolled.faces, "by": rolled.by}
            case ("draw", seat, why, items, count):
                name, cup = label(why, "draw"), tuple(sorted(items))
                drawn = dice.draw(name, cup, count)
                line = {"k": "draw", "seat": seat, "label": name, "from": cup}
                yield {**line, "items": drawn.items, "by": drawn.by}
            case ("draw label", seat, name, items, count):  # as a cheat names it
                drawn = dice.draw(name, tuple(sorted(items)), count)
                line = {"k": "draw", "seat": seat, "label": name, "from": sorted(items)}
                yield {**line, "items": drawn.items, "by": drawn.by}
            case ("shuffle", why, cards):
                name = label(why, "shuffle")
                mixed = dice.shuffle(name, cards)
                yield {
                    "k": "shuffle",
                    "label": name,
                    "order": mixed.order,
                    "root": mixed.root,
                    "by": mixed.by,
                }
            case ("open", position, to):
                piles = [line for line in (*self.journal, *before) if line["k"] == "shuffle"]
                line = {"k": "opening", "root": piles[-1]["root"], "position": position}
                yield line if to is None else {**line, "to": to}
            case ("fact", name, data):
                yield {"k": "fact", "fact": name, "data": data}
            case ("secret", name, data, to, others):
                line = {"k": "fact", "fact": name, "data": data, "to": to}
                yield line if others is None else {**line, "others": {"fact": name, "data": others}}
            case ("answer", seat, by, answer):
                line = {"k": "answer", "seat": seat, "topic": "move", "at": segment}
                yield {**line, "by": by, "answer": answer}
            case ("ruling", name, reason, data):
                yield {"k": "ruling", "act": name, "reason": reason, "data": data}
            case ("branch", number, parent, kind):
                yield {"k": "branch", "n": number, "from": parent, "dice": kind, "reason": "agreed"}
            case ("end",):
                yield {"k": "end", "winners": ["DE"], "reason": "points", "scores": {"DE": 3, "EN": 2}}
            case _:
                raise AssertionError(act)


def played(seed: int, script: tuple[Advance, ...], length: int = 64) -> Ledger:
    sitting = Sitting(new_ledger(seed, length))
    for advance in script:
        sitting.play(advance)
    return sitting.ledger


def letters_of(chance: random.Random, t: int) -> dict[Seat, tuple[SentMark, ...]]:
    letters = {}
    for seat in SEATS:
        count = chance.choice((0, 1, 1, 2))
        if count:
            letters[seat] = tuple(
                SentMark(
                    f"<{t}.{n}.{chance.getrandbits(40):x}@mail>", chance.choice(("", "b64+sig=")), "salt" * n
                )
                for n in range(count)
            )
    return letters


def some_acts(chance: random.Random) -> list[Act]:
    """Rolls, draws, facts and answers, as they come."""
    acts: list[Act] = []
    for _ in range(chance.randrange(2, 6)):
        seat = chance.choice(SEATS)
        acts.append(("roll", seat, f"attack.{seat}", chance.randrange(1, 6), chance.choice(SIDES)))
    acts.append(("draw", chance.choice(SEATS), "tile", CUP, chance.randrange(1, 4)))
    acts.append(("answer", chance.choice(SEATS), "sheet", f"to {chance.randrange(99)}"))
    acts.append(("answer", chance.choice(SEATS), "forced", "the only way"))
    acts.append(("fact", "TownTaken", {"town": f"L{chance.randrange(9)}", "names": ["Metz", "Épinal"]}))
    acts.append(("secret", "TileDrawn", {"tile": "gas"}, [chance.choice(SEATS)], {"tiles": 1}))
    acts.append(("secret", "MineLaid", {"at": "F3"}, [SEATS[0], SEATS[2]], None))
    chance.shuffle(acts)
    return acts


def script_of(seed: int, length: int = 8) -> tuple[Advance, ...]:
    """A whole campaign: a deck, openings, an empty window, rulings, forced dice, SAME DICE."""
    chance = random.Random(seed)
    turns = []
    for t in range(1, length + 1):
        acts = some_acts(chance)
        if t == 1:
            acts += [("shuffle", "deck", CARDS), ("open", 12, ["DE"]), ("open", 0, None)]
        elif t % 3 == 0:
            acts.append(("open", chance.randrange(1, 12), [chance.choice(SEATS)]))
        texts = {seat: (f"A{chance.randrange(99)} - F{chance.randrange(9)}", "HOLD") for seat in SEATS[:2]}
        turns.append(Advance(f"T{t}.R1", tuple(acts), letters_of(chance, t), texts))
    return (*turns, *_interventions(chance, length))


def _interventions(chance: random.Random, length: int) -> Iterator[Advance]:
    """Nobody writes; the umpire answers; forces; links burn; back to the second turn; the end."""
    yield Advance("X1.R1", tuple(some_acts(chance)))
    answers = (("answer", SEATS[1], "umpire", "hold"), ("roll", SEATS[1], "fire", 2, 6))
    yield Advance("X2.R1", answers, letters_of(chance, length + 2))
    forced = (
        ("ruling", "force-dice", "a slip", {"hidden": "A7", "public": {"faces": [5]}}),
        ("roll", SEATS[0], "hit", 1, 6),
    )
    yield Advance("X3.R1", forced, letters_of(chance, length + 3), forced=(5,))
    lost = {"public": {"links": [length + 4, length + 6]}}
    restored = (("ruling", "restore", "the disk", lost), *some_acts(chance))
    yield Advance("X4.R1", restored, letters_of(chance, length + 4), burn=3)
    again = [
        ("roll", SEATS[0], "hit", 1, 6),
        ("roll", SEATS[0], "hit", 3, 6),
        ("draw", SEATS[2], "tile", CUP, 2),
    ]
    yield Advance("X5.R1", tuple(again), letters_of(chance, length + 5))
    back = (("branch", 1, 0, "same"), *again, ("roll", SEATS[1], "flight", 1, 12))
    yield Advance("X5.R1", back, letters_of(chance, length + 6), branch=1, same_dice=True)
    yield Advance("X6.R1", (*some_acts(chance), ("end",)), letters_of(chance, length + 7), branch=1)


@lru_cache(maxsize=4)
def whole_campaign(seed: int = 1914) -> Ledger:
    """One campaign with everything in it, played once. Do not change it."""
    return played(seed, script_of(seed))


def anchored_anew(announced: bool = True, first_link: int = 1) -> Ledger:
    """Two windows on the old chain, one with the ruling, three on a new chain."""
    fire: Act = ("roll", SEATS[1], "fire", 3, 6)
    sitting = Sitting(new_ledger(3, first="T1"))
    sitting.play(Advance("T1", (fire,)))
    sitting.play(Advance("T2", (fire,)))
    ledger = sitting.ledger
    new = Secrets(Chain(H("new chain"), 64), ledger.secrets.seal_key, first=5 - first_link)
    told = {"public": {"anchor": new.chain.anchor.hex()}} if announced else {}
    sitting.play(Advance("T3", (("ruling", "anchor", "few links left", told),)))
    ledger.secrets = new
    for turn in (4, 5, 6):
        sitting.play(Advance(f"T{turn}", (fire,)))
    return ledger
