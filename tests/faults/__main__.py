"""Is anything lost or doubled when everything breaks?

    python -m tests.faults [--part kills] [--kills 300] [--database sqlite] [--seed 1] [--json report.json]
    python -m tests.faults --add one.json two.json

Campaigns are played by mail on real servers while processes are killed and servers go away at random; the
disk fills up; the clock jumps, and is put forward and back; Redis is gone for minutes. Kills are done in
slices, each with campaigns of its own, and their counts add up; so do reports of several runs. Exit code 0 if
at the end nothing was lost or doubled and every campaign went on, 1 if not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.faults import report
from tests.faults.clock import run_jumps, run_summer_time
from tests.faults.course import Plan, Report, run
from tests.faults.disk import run_full
from tests.faults.ground import Database, Size
from tests.faults.report import Section
from tests.faults.silence import run_silence
from tests.packages import Missing

PARTS = ("kills", "redis", "disk", "jumps", "spring", "autumn")
DATABASES: tuple[Database, ...] = ("sqlite", "postgresql")


def main() -> int:
    options = _options()
    if options.add:
        sections = report.read(options.add)
    else:
        sections = []
        try:
            for section in _sections(options):
                report.show(section)
                sections.append(section)
        except Missing as reason:
            print(f"!!! A SERVER IS MISSING: {reason}", file=sys.stderr)
            return 2
    if options.json:
        report.write(sections, options.json)
    sections = report.added(sections)
    print("\nIN ALL")
    for section in sections:
        report.show(section)
    return 1 if any(one.wrong for one in sections) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.faults", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; may be repeated")
    parser.add_argument("--kills", type=int, default=300, help="on each database")
    parser.add_argument("--slice", type=int, default=100, help="kills in one run at most")
    parser.add_argument("--seconds", type=float, default=3600, help="of kills in one run at most")
    parser.add_argument("--database", action="append", choices=DATABASES)
    parser.add_argument("--campaigns", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="of the first slice")
    parser.add_argument("--away", type=float, default=300, help="seconds that Redis is gone")
    parser.add_argument("--json", type=Path, help="write the report there, too")
    parser.add_argument("--add", type=Path, nargs="+", help="add up reports that were written before")
    return parser.parse_args()


def _sections(options: argparse.Namespace) -> Iterator[Section]:
    parts, databases = options.part or PARTS, options.database or DATABASES
    if "kills" in parts:
        for database in databases:
            for number, first in enumerate(range(0, options.kills, options.slice)):
                kills, seed = min(options.slice, options.kills - first), options.seed + number
                # Every second slice draws maps: then most of the time somebody is at work on a turn.
                size = Size(campaigns=options.campaigns, maps=seed % 2 == 1)
                yield _kills(_run(database, seed, Plan(kills=kills, seconds=options.seconds, size=size)))
    if "redis" in parts:
        for database in databases:
            yield _silence(database, options.away)
    single: dict[str, Callable[[], Section]] = {
        "disk": _disk,
        "jumps": _jumps,
        "spring": lambda: _summer_time("spring"),
        "autumn": lambda: _summer_time("autumn"),
    }
    for part in PARTS:
        if part in parts and part in single:
            yield single[part]()


def _place(name: str) -> tuple[Path, Callable[[str], None]]:
    """A folder for logs, and a voice that tells the time."""
    folder, began = Path(tempfile.mkdtemp(prefix="pbem-faults-")), time.monotonic()

    def say(line: str) -> None:
        print(f"{name} {time.monotonic() - began:6.0f} s  {line}", flush=True)

    say(f"logs in {folder}")
    return folder, say


def _run(database: Database, seed: int, plan: Plan) -> Report:
    folder, say = _place(f"{database} {seed}")
    return run(folder, database, seed, plan, say)


# ------------------------------------------------------------------ what is told of each


def _kills(one: Report) -> Section:
    counts = {
        "killed": one.killed,
        "faults": one.faults,
        "smtp": one.smtp,
        "letters and turns": one.findings.counts,
        "what became of letters": one.findings.states,
        "complaints in logs": one.troubles,
        "ended early": one.hastened,
        "refused for good": {"sent again by the operator": one.sent_again_by_operator},
    }
    longest = {
        "faults went on for": one.stormy_seconds,
        "after the last one, until every campaign went on": one.seconds_to_go_on,
        "and until nothing waited": one.seconds_to_rest,
    }
    wrong = [f"seed {one.seed}: {line}" for line in one.findings.wrong]
    return Section(f"processes killed, {one.database}", 1, counts, longest, [], wrong)


def _silence(database: Database, seconds: float) -> Section:
    folder, say = _place(f"redis, {database}")
    done = run_silence(folder, database, seconds, say)
    longest = {"gone for": done.away, "all turns that were due resolved after": done.resolved_in}
    counts = {"turns": {"due": done.due}, "letters and turns": done.findings.counts}
    return Section(f"Redis gone, {database}", 1, counts, longest, [], done.findings.wrong)


def _disk() -> Section:
    folder, say = _place("disk")
    full = run_full(folder, say)
    letters = f"{full.lying} lying on the server, {full.taken_in} taken in, {full.sent} sent"
    alert = [line.strip() for line in full.alert.splitlines() if line.strip().startswith("!!")]
    told = [f"letters while it was full: {letters}", *(f"pbem health: {line}" for line in alert)]
    longest = {"recovered after there was room": full.seconds_to_recover}
    counts = {"letters and turns": full.findings.counts}
    return Section("a full disk", 1, counts, longest, told, full.findings.wrong)


def _jumps() -> Section:
    folder, say = _place("clock")
    done = run_jumps(folder, say)
    told = [f"due {done.due:%F %X}, closed {done.closed_at:%F %X}", f"letters to the umpire: {done.told}"]
    return Section("the clock a day ahead, and a day back", told=told, wrong=done.findings.wrong)


def _summer_time(season: str) -> Section:
    folder, say = _place(season)
    done = run_summer_time(folder, season, say)
    told = [f"due {done.due:%F %X} UTC, closed {done.closed_at:%F %X} UTC"]
    return Section(f"summer time, {season}", told=told, wrong=done.findings.wrong)


if __name__ == "__main__":
    sys.exit(main())
