"""The command line `pbem`."""

from __future__ import annotations

import typer

from pbem.commands import board, play, simulate
from pbem.commands.terminal import Commands

app = typer.Typer(
    cls=Commands,
    help="A play-by-email adjudicator for board wargames.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("simulate")(simulate.command)
app.command("play")(play.command)
app.command("try")(board.command)


@app.callback()
def root() -> None:
    """A play-by-email adjudicator for board wargames."""


def main() -> None:
    app()
