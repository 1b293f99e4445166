"""One report of all that was done and found; reports of several runs add up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

TOTALS = ("killed", "faults", "smtp")


@dataclass(slots=True)
class Section:
    """One kind of run: what was counted, what took longest, what was told, what is wrong."""

    title: str
    runs: int = 1
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)  # seconds
    told: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def plus(self, other: Section) -> Section:
        names = dict.fromkeys((*self.counts, *other.counts))
        counts = {one: Counter(self.counts.get(one)) + Counter(other.counts.get(one)) for one in names}
        # A sum of Counters leaves out what is 0, and that is what is looked for.
        for one in names:
            for name in (*self.counts.get(one, ()), *other.counts.get(one, ())):
                counts[one].setdefault(name, 0)
        times = dict.fromkeys((*self.longest, *other.longest))
        longest = {one: max(self.longest.get(one, 0.0), other.longest.get(one, 0.0)) for one in times}
        told, wrong = [*self.told, *other.told], [*self.wrong, *other.wrong]
        return Section(self.title, self.runs + other.runs, {**counts}, longest, told, wrong)


def added(sections: Iterable[Section]) -> list[Section]:
    """Those of one title as one."""
    found: dict[str, Section] = {}
    for one in sections:
        found[one.title] = found[one.title].plus(one) if one.title in found else one
    return list(found.values())


def show(section: Section) -> None:
    runs = "" if section.runs == 1 else f", {section.runs} runs"
    print(f"\n{section.title}{runs}: {'BAD' if section.wrong else 'good'}")
    for title, counts in section.counts.items():
        total = f" ({sum(counts.values())})" if title in TOTALS else ""
        print(f"  {title}{total}: {_listed(counts)}")
    for what, seconds in section.longest.items():
        print(f"  {what}: {seconds:.0f} s{' at most' if section.runs > 1 else ''}")
    for line in section.told:
        print(f"  {line}")
    for line in section.wrong:
        print(f"  WRONG: {line}")


def _listed(counts: Mapping[str, int]) -> str:
    wanted = ("lost", "twice", "doubled")  # told even if there is none
    shown = ((name, n) for name, n in sorted(counts.items()) if n or name.endswith(wanted))
    return ", ".join(f"{name} {number}" for name, number in shown)


def write(sections: Iterable[Section], path: Path) -> None:
    """Fields as they are: a copy of a Counter by `asdict` would count its pairs."""
    told = [{one.name: getattr(section, one.name) for one in fields(section)} for section in sections]
    path.write_text(json.dumps(told, indent=1), "utf-8")


def read(paths: Iterable[Path]) -> list[Section]:
    found: list[Any] = [one for path in paths for one in json.loads(path.read_text("utf-8"))]
    return [Section(**one) for one in found]
