"""Who may read which journal line: the public record, each seat's private lines, and the umpire's.

| line               | everyone                      | a seat                     | umpire alone        |
|--------------------|-------------------------------|----------------------------|---------------------|
| roll               | with its running number       |                            |                     |
| fact               | whole; if private: `others`   | whole, if named in `to`    | whole, if `to` is empty |
| answer             |                               | whole, its own             |                     |
| draw               |                               | its own, without `from`    | whole               |
| shuffle            | label, root, by               |                            | whole               |
| opening            | with proof, if without `to`   | with proof, if in `to`     |                     |
| ruling             | act, reason, `data["public"]` |                            | whole               |
| branch, end        | whole                         |                            |                     |
| seam               | key                           |                            | whole               |
| all others         |                               |                            | whole               |

What nobody decided to show stays hidden: a kind not named here is the umpire's. An `opening` shows one card
of a shuffled pile: {"k":"opening","root","position"} and, unless the card lies open to all, "to":[seats].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from engine.kernel.errors import DiceError
from engine.kernel.fairness import merkle
from engine.kernel.fairness.dice import MAC, leaves
from engine.kernel.requests import Seat

UMPIRE: Final = "umpire"  # the reader beside the seats

Line: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pile:
    """A shuffled pile, of which single cards can be proved."""

    root: str
    label: str
    order: tuple[str, ...] = field(repr=False)
    sealed: bytes = field(repr=False)

    def opening(self, position: int) -> Line:
        """One card with its proof."""
        path = merkle.path(position, leaves(self.sealed, self.label, self.order))
        return {
            "k": "opening",
            "root": self.root,
            "size": len(self.order),
            "position": position,
            "card": self.order[position],
            "nonce": MAC(self.sealed, "nonce", self.label, position).hex(),
            "path": [step.hex() for step in path],
        }


@dataclass(slots=True)
class Disclosure:
    """The lines of one advance, sorted by who may read them."""

    seats: tuple[Seat, ...]
    rolls: int  # number of the last public roll
    sealed: bytes = field(repr=False)
    earlier_pile: Callable[[str], Pile]  # by root
    public: list[Line] = field(default_factory=list)
    private: dict[str, list[Line]] = field(default_factory=dict, repr=False)
    touched: bool = False  # the umpire had a hand in it
    _piles: dict[str, Pile] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.private = {reader: [] for reader in (*self.seats, UMPIRE)}

    def add(self, line: Line) -> None:
        self.touched = self.touched or is_touch(line)
        match line["k"]:
            case "roll":
                self._roll(line)
            case "fact":
                self._fact(line)
            case "answer":
                self.private[line["seat"]].append(line)
            case "draw":
                self._draw(line)
            case "shuffle":
                self._shuffle(line)
            case "opening":
                self._opening(line)
            case "seam":
                self.public.append({"k": "seam", "key": line["key"]})
                self.private[UMPIRE].append(line)
            case "ruling":
                self._ruling(line)
            case "branch" | "end":
                self.public.append(line)
            case _:
                self.private[UMPIRE].append(line)

    def _roll(self, line: Line) -> None:
        if line["by"] == "test":
            raise DiceError(f"{line['label']}: test dice cannot be audited")
        self.rolls += 1
        self.public.append({**line, "n": self.rolls})

    def _fact(self, line: Line) -> None:
        if "to" not in line:
            self.public.append(line)
            return
        for reader in line["to"] or (UMPIRE,):
            self.private[reader].append({name: line[name] for name in ("k", "fact", "data")})
        if "others" in line:
            self.public.append({"k": "fact", **line["others"]})

    def _draw(self, line: Line) -> None:
        """What the cup held, and so the index, waits for the end."""
        own = {name: line[name] for name in ("k", "seat", "label", "items", "by")}
        self.private[line["seat"]].append(own)
        self.private[UMPIRE].append(line)

    def _shuffle(self, line: Line) -> None:
        self.public.append({name: line[name] for name in ("k", "label", "root", "by")})
        self.private[UMPIRE].append(line)
        if line["by"] == "audited":  # a recorded one is the pile of an earlier Close
            pile = Pile(line["root"], line["label"], tuple(line["order"]), self.sealed)
            self._piles[pile.root] = pile

    def _opening(self, line: Line) -> None:
        pile = self._piles.get(line["root"]) or self.earlier_pile(line["root"])
        opening = pile.opening(line["position"])
        if "to" not in line:
            self.public.append(opening)
            return
        for reader in line["to"]:
            self.private[reader].append(opening)

    def _ruling(self, line: Line) -> None:
        told = {"k": "ruling", "act": line["act"], "reason": line["reason"]}
        self.public.append({**told, "data": line["data"].get("public", {})})
        self.private[UMPIRE].append(line)


def is_touch(line: Line) -> bool:
    """Did the umpire touch the window? An answer `by` forced is none: there was only one option."""
    match line["k"]:
        case "ruling" | "branch":
            return True
        case "answer":
            return line["by"] in ("umpire", "recorded")
        case "roll" | "draw" | "shuffle":
            return line["by"] in ("forced", "recorded")
    return False
