"""Does a game's suite notice altered rules?

    python -m tests.mutants fww [--count 40] [--seed 1] [--list] [--suite tests/rules/fww …]

In 40 rule functions, drawn by a fixed seed, one comparison, number or branch is altered; the game's tests
run against each. Exit code 0 if at least nine in ten are noticed, 1 if not, 2 if the tests cannot be used.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from engine.games import GAMES
from tests.mutants.alter import Mutant
from tests.mutants.draw import draw
from tests.mutants.trial import BadSuite, Copy, Outcome, baseline, diff, trials

TREE = Path(__file__).resolve().parents[2]
BRIEFING = "tests/letters/test_briefing.py"  # what a game says of itself in letters, one file for all
BAR = 0.9
AT_A_TIME = 2


def main() -> int:
    options = _options()
    folder = Path(*GAMES[options.game].split(".")[:-1])
    seed = f"{options.game}/{options.seed}"
    if options.list:
        for number, mutant in enumerate(draw(TREE, TREE / folder, options.count, seed), 1):
            print(f"{number:3} {mutant.kind:<10} {mutant}")
        return 0
    console = Console(highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        # The tree may be edited meanwhile: everything is drawn from and tried in one copy of it.
        copies = [Copy.of(TREE, Path(scratch) / "1")]
        copies += [Copy.of(copies[0].tree, Path(scratch) / str(n)) for n in range(2, AT_A_TIME + 1)]
        tree = copies[0].tree
        mutants = draw(tree, tree / folder, options.count, seed)
        try:
            suite = options.suite or [f"tests/rules/{options.game}", BRIEFING]
            outcomes = run(copies, mutants, suite, console)
        except BadSuite as problem:
            console.print(str(problem), markup=False)
            return 2
        if options.json:
            Path(options.json).write_text(_as_json(outcomes), "utf-8")
        return report(tree, outcomes, console)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("--count", type=int, default=40, help="how many functions are altered")
    parser.add_argument("--seed", default="1", help="another seed draws other mutants")
    parser.add_argument("--suite", nargs="+", help="test files or folders, instead of the game's")
    parser.add_argument("--json", metavar="FILE", help="write the outcomes there, too")
    parser.add_argument("--list", action="store_true", help="show the draw, run nothing")
    return parser.parse_args()


def run(copies: list[Copy], mutants: list[Mutant], tests: Sequence[str], console: Console) -> list[Outcome]:
    """Try all mutants, two at a time, and show how far it is."""
    suite, seconds = baseline(copies[0], tests, limit=900)
    limit = 60 + 5 * seconds
    console.print(
        f"tests pass unaltered in {seconds:.0f} s; {len(mutants)} mutants, {limit:.0f} s each at most"
    )
    outcomes = []
    with _progress(console) as progress:
        task = progress.add_task("mutants", total=len(mutants))
        for outcome in trials(copies, mutants, suite, limit):
            outcomes.append(outcome)
            progress.advance(task)
            line = f"{outcome.verdict:<8} {outcome.seconds:5.1f} s  {outcome.mutant}"
            progress.console.print(line, markup=False)
    return sorted(outcomes, key=lambda o: (o.mutant.path, o.mutant.start))


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


def report(tree: Path, outcomes: list[Outcome], console: Console) -> int:
    """The survivors with their patches, then the count; the exit code says whether the bar is reached."""
    for outcome in outcomes:
        if not outcome.noticed:
            console.print(f"\nSURVIVED {outcome.mutant}", markup=False)
            console.print(diff(tree, outcome.mutant), markup=False)
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    noticed = sum(outcome.noticed for outcome in outcomes)
    needed = math.ceil(BAR * len(outcomes))
    told = f"killed {verdicts['killed']}, out of time {verdicts['timeout']}, survived {verdicts['survived']}"
    console.print(f"\nnoticed {noticed} of {len(outcomes)} ({told}); {needed} needed")
    return 0 if outcomes and noticed >= needed else 1


def _as_json(outcomes: list[Outcome]) -> str:
    rows = [
        {
            "at": f"{o.mutant.path}:{o.mutant.line}",
            "function": o.mutant.function,
            "kind": o.mutant.kind,
            "before": o.mutant.before,
            "after": o.mutant.after,
            "verdict": o.verdict,
            "by": o.by,
            "seconds": round(o.seconds, 1),
        }
        for o in outcomes
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main())
