"""Which functions are altered, and how: a draw by a fixed seed.

The draw orders by hash, so that an edit elsewhere in the game leaves the other mutants what they were,
and nobody can choose them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from tests.mutants.alter import KINDS, Mutant, mutants_of

# Everything in a game's folder carries rules, but for these.
NO_RULES = {"__init__", "game", "answers", "view", "hidden", "invariants", "windows"}  # for the kernel
NO_RULES |= {"notation", "bot", "bots", "sensible", "odds", "position"}  # for players and umpires
NO_RULES |= {"pack", "tables", "cross_checks", "scenario_checks"}  # printed matter and its checks
NO_RULES |= {"summary", "replay", "wandering"}  # for letters, and samples for bots


def rule_files(folder: Path) -> Iterator[Path]:
    """The modules of a game that implement rules: chapters, segments, facts, state."""
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).with_suffix("").parts
        if "__pycache__" not in inside and not NO_RULES & set(inside):
            yield path


def draw(tree: Path, folder: Path, count: int, seed: str) -> list[Mutant]:
    """One mutant in each of `count` functions; where there are fewer functions, further ones in these."""
    waiting: dict[str, list[Mutant]] = {}
    for path in rule_files(folder):
        name = path.relative_to(tree).as_posix()
        for function, mutants in mutants_of(name, path.read_bytes()).items():
            waiting[f"{name}:{function}"] = _in_turn(seed, f"{name}:{function}", mutants)
    drawn: list[Mutant] = []
    while len(drawn) < count and waiting:
        for key in sorted(waiting, key=lambda key: _lot(seed, "function", key))[: count - len(drawn)]:
            drawn.append(waiting[key].pop(0))
        waiting = {key: mutants for key, mutants in waiting.items() if mutants}
    return sorted(drawn, key=lambda m: (m.path, m.start, m.after))


def _in_turn(seed: str, key: str, mutants: list[Mutant]) -> list[Mutant]:
    """A function's mutants in the order of the draw; each kind comes first equally often."""
    kinds = sorted(KINDS, key=lambda kind: _lot(seed, "kind", key, kind))
    ordered = sorted(mutants, key=lambda m: _lot(seed, "site", key, m.kind, m.before, m.after, str(m.line)))
    return sorted(ordered, key=lambda m: kinds.index(m.kind))


def _lot(*words: str) -> bytes:
    return hashlib.sha256("\0".join(words).encode()).digest()
