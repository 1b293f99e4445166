"""Is anything lost or doubled when everything breaks?

    python -m tests.faults [--kills 300] [--database sqlite] [--seed 1] [--json report.json]

Campaigns are played by mail on real servers while processes are killed and servers go away at random. Exit
code 0 if at the end nothing was lost or doubled and every campaign went on, 1 if not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from tests.faults.course import Plan, Report, run
from tests.faults.ground import Size
from tests.packages import Missing


def main() -> int:
    options = _options()
    reports = []
    for database in options.database or ["sqlite", "postgresql"]:
        plan = Plan(kills=options.kills, size=Size(campaigns=options.campaigns))
        folder = Path(tempfile.mkdtemp(prefix="pbem-faults-"))
        began = time.monotonic()

        def say(line: str, began: float = began, database: str = database) -> None:
            print(f"{database} {time.monotonic() - began:6.0f} s  {line}", flush=True)

        say(f"logs in {folder}")
        try:
            reports.append(run(folder, database, options.seed, plan, say))
        except Missing as reason:
            print(f"!!! A SERVER IS MISSING: {reason}", file=sys.stderr)
            return 2
        show(reports[-1])
    if options.json:
        options.json.write_text(json.dumps([_figures(one) for one in reports], indent=1), "utf-8")
    return 0 if all(one.is_good for one in reports) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.faults", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--database", action="append", choices=("sqlite", "postgresql"))
    parser.add_argument("--campaigns", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def show(report: Report) -> None:
    """One report with all counts."""
    print(f"\n{report.database}, seed {report.seed}: {'good' if report.is_good else 'BAD'}")
    _counts("killed", report.killed)
    _counts("faults", report.faults)
    _counts("smtp", report.smtp)
    _counts("letters and turns", report.findings.counts)
    _counts("what became of letters", report.findings.states)
    _counts("complaints in logs", report.troubles)
    _counts("ended early", report.hastened)
    print(f"  refused for good and sent again by the operator: {report.sent_again_by_operator}")
    print(f"  seconds of faults: {report.stormy_seconds:.0f}", end="; after the last one, ")
    print(f"until every campaign went on: {report.seconds_to_go_on:.0f}", end="")
    print(f", until nothing waited: {report.seconds_to_rest:.0f}")
    for one in report.findings.wrong:
        print(f"  WRONG: {one}")
    print(flush=True)


def _figures(report: Report) -> dict[str, Any]:
    """Fields as they are: a copy of a Counter by `asdict` would count its pairs."""
    own = {one.name: getattr(report, one.name) for one in fields(report) if one.name != "findings"}
    return own | {one.name: getattr(report.findings, one.name) for one in fields(report.findings)}


def _counts(title: str, counts: Mapping[str, int]) -> None:
    told = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()) if number)
    total = f" ({sum(counts.values())})" if title in ("killed", "faults", "smtp") else ""
    print(f"  {title}{total}: {told}")


if __name__ == "__main__":
    sys.exit(main())
