"""Run the benchmarks and compare them with their bars.

    python -m tests.bench [NAME …] [--json FILE]

Every `bench_<name>.py` here has a function `run()` that returns figures by what they measure. Speed is
told as a ratio to something measured in the same run. Exit code 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.measure import Figures

FOLDER = Path(__file__).resolve().parent


def names(folder: Path = FOLDER) -> list[str]:
    return sorted(path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="*", help=f"of: {', '.join(names())}; nothing: all")
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too; - for standard output")
    options = parser.parse_args()
    if unknown := sorted(set(options.name) - set(names())):
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    console = Console(highlight=False, stderr=options.json == "-")
    results: dict[str, Figures] = {}
    for name in options.name or names():
        with console.status(f"measuring: {name}"):
            results[name] = import_module(f"tests.bench.bench_{name}").run()
    console.print(table(results))
    if options.json:
        _write(options.json, as_json(results))
    return exit_code(results)


def exit_code(results: dict[str, Figures]) -> int:
    return 0 if all(figure.ok for figures in results.values() for figure in figures.values()) else 1


def table(results: dict[str, Figures]) -> Table:
    """One row a figure."""
    shown = Table("benchmark", "what", "measured", "bar", "ok")
    for name, figures in results.items():
        for what, figure in figures.items():
            verdict = "" if not figure.bar else "yes" if figure.ok else "NO"
            shown.add_row(name, what, figure.shown, figure.bar, verdict)
    return shown


def as_json(results: dict[str, Figures]) -> str:
    rows = [
        {
            "benchmark": name,
            "what": what,
            "value": figure.value,
            "unit": figure.unit,
            "at_most": figure.at_most,
            "at_least": figure.at_least,
            "ok": figure.ok,
        }
        for name, figures in results.items()
        for what, figure in figures.items()
    ]
    return json.dumps(rows, indent=1) + "\n"


def _write(target: str, text: str) -> None:
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
