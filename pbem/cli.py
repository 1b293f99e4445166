"""The command line `pbem`."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from pbem.commands import (
    archive,
    board,
    catalogue,
    demo,
    letters,
    lobby,
    personal,
    play,
    serve,
    simulate,
    umpire,
    upkeep,
)
from pbem.commands.terminal import Commands


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"pbem {metadata.version('pbem')}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
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
app.command("init")(serve.init_command)
app.command("serve")(serve.serve_command)
app.command("account")(serve.account_command)
app.command("health")(upkeep.health_command)
app.command("backup")(upkeep.backup_command)
app.command("restore")(upkeep.restore_command)

app.command("open")(lobby.open_command)
app.command("seats")(lobby.seats_command)
app.command("start")(lobby.start_command)
app.command("status")(lobby.status_command)
app.command("journal")(letters.journal_command)
app.command("letters")(letters.letters_command)
app.command("shunted")(letters.shunted_command)
app.command("requeue")(letters.requeue_command)
app.command("hold")(umpire.hold_command)
app.command("release")(umpire.release_command)
app.command("extend")(umpire.extend_command)
app.command("process")(umpire.process_command)
app.command("rule")(umpire.rule_command)
app.command("dice")(umpire.dice_command)
app.command("answer")(umpire.answer_command)
app.command("rollback")(umpire.rollback_command)
app.command("whatif")(umpire.whatif_command)
app.command("replace")(umpire.replace_command)
app.command("unseal")(umpire.unseal_command)
app.command("forget")(personal.forget_command)


@app.callback()
def pbem(
    version: Annotated[bool, typer.Option("--version", callback=_tell_version, is_eager=True)] = False,
) -> None:
    """A play-by-email adjudicator for board wargames.

    Exit codes: 0 fine, 1 something wrong was found, 2 bad usage or unreadable input.
    """


def main() -> None:
    app()
