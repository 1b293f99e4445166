"""The command line `pbem`."""

from __future__ import annotations

import typer

from pbem.commands import archive, board, catalogue, demo, play, simulate
from pbem.commands.terminal import Commands

app = typer.Typer(
    cls=Commands,
    help="A play-by-email adjudicator for board wargames.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("games")(catalogue.games)
app.command("rules")(catalogue.rules)
app.command("simulate")(simulate.command)
app.command("play")(play.command)
app.command("try")(board.command)
app.command("replay")(archive.replay_command)
app.command("verify")(archive.verify_command)
app.command("export")(archive.export_command)
app.command("demo", hidden=True)(demo.command)


@app.callback()
def root() -> None:
    """A play-by-email adjudicator for board wargames."""


def main() -> None:
    app()
