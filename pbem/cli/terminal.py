"""What all commands share: two consoles, complaints in one sentence, JSON, a bar for long work."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.console import Console
from typer.core import TyperGroup

from engine.kernel.errors import CorruptJournal, Diverged, EngineError, PackError
from pbem.errors import BadInput, PbemError

if TYPE_CHECKING:  # what it takes along is only needed by commands that play
    from engine.kernel.game import Language

T = TypeVar("T")
TRACEBACK = "PBEM_TRACEBACK"  # set in the environment: faults of the program show where they come from
BAR_AFTER = 1.0  # seconds: shorter work shows no bar


class Commands(TyperGroup):
    """Complaints of ours end a command with one sentence and a code, never with a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (typer.Exit, BrokenPipeError):  # it has said all; the reader has seen enough
            raise
        except Exception as error:
            code = 2
            match error:
                case PbemError():
                    sentence, code = str(error), error.code
                case typer.TyperException():  # of a command's arguments
                    command = f"pbem {ctx.invoked_subcommand}" if ctx.invoked_subcommand else "pbem"
                    sentence = f"{error.format_message().rstrip('.?')}; see {command} --help"
                case CorruptJournal() | Diverged():
                    sentence, code = str(error), 1
                case PackError():
                    sentence = _describe_mistake(error)
                case EngineError():
                    sentence = str(error)
                case OSError():
                    sentence = f"{error.filename}: {error.strerror}" if error.filename else str(error)
                case typer.Abort():  # a question was asked, and nobody was there to answer
                    sentence = "no answer was given; nothing was done"
                case _ if TRACEBACK in os.environ:
                    raise
                case _:  # a fault of ours, told in one sentence like every other
                    code = 1
                    sentence = f"unexpected {type(error).__name__}: {error} (set {TRACEBACK}=1 to see where)"
            complain(sentence)
            raise typer.Exit(code) from None


def _describe_mistake(error: PackError) -> str:
    """In a pack's mistake `-` stands where there is no table, or no key."""
    table = f"[{error.table}]" if error.table != "-" else ""
    place = " ".join(part for part in (table, error.key if error.key != "-" else "") if part)
    return ": ".join(part for part in (error.file, place, error.problem) if part)


def console() -> Console:
    """Standard output, as wide as the terminal; made anew because tests and pipes replace the stream."""
    return Console(highlight=False, soft_wrap=False)


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    one_line = " ".join(sentence.split())
    print(f"pbem: {one_line}", file=sys.stderr)


def read_language(name: str) -> Language:
    """The language of that name."""
    known: tuple[Language, ...] = ("en", "fr")
    for language in known:
        if language == name.casefold():
            return language
    raise BadInput(f"no language {name!r}; known: {', '.join(known)}")


def show_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def show_rows(headings: Sequence[str], rows: Iterable[Sequence[Any]], nothing: str) -> None:
    """A table; of no rows a word."""
    from rich.markup import escape
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for heading in headings:
        grid.add_column(heading, overflow="fold")
    for row in rows:
        grid.add_row(*(escape("" if cell is None else str(cell)) for cell in row))
    if grid.rows:
        console().print(grid)
    else:
        print(nothing)


def with_bar(work: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The work, with a bar on standard error once it has lasted a second; only on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=total)
    began = time.monotonic()
    try:
        for one in work:
            yield one
            bar.advance(task)
            if bar.console.is_terminal and time.monotonic() - began > BAR_AFTER:
                bar.start()  # does nothing the second time
    finally:
        if bar.live.is_started:
            bar.stop()
