"""The command line `pbem`."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Annotated, Any

import typer

from pbem.commands.terminal import Commands

COMMANDS = {  # by the function below `pbem.commands` that does it: its module is read when it is needed
    "games": "games.command",
    "rules": "rules.command",
    "simulate": "simulate.command",
    "play": "play.command",
    "try": "board.command",
    "replay": "archive.replay_command",
    "verify": "archive.verify_command",
    "export": "archive.export_command",
    "demo": "demo.command",
    "init": "serve.init_command",
    "serve": "serve.serve_command",
    "account": "serve.account_command",
    "health": "upkeep.health_command",
    "backup": "upkeep.backup_command",
    "restore": "upkeep.restore_command",
    "move": "upkeep.move_command",
    "check": "watch.check_command",
    "clock": "watch.clock_command",
    "metrics": "watch.metrics_command",
    "open": "lobby.open_command",
    "seats": "lobby.seats_command",
    "start": "lobby.start_command",
    "status": "lobby.status_command",
    "journal": "letters.journal_command",
    "letters": "letters.letters_command",
    "shunted": "letters.shunted_command",
    "requeue": "letters.requeue_command",
    "hold": "umpire.hold_command",
    "release": "umpire.release_command",
    "extend": "umpire.extend_command",
    "process": "umpire.process_command",
    "rule": "umpire.rule_command",
    "dice": "umpire.dice_command",
    "answer": "umpire.answer_command",
    "rollback": "umpire.rollback_command",
    "whatif": "umpire.whatif_command",
    "replace": "umpire.replace_command",
    "unseal": "umpire.unseal_command",
    "forget": "personal.forget_command",
}
HIDDEN = frozenset({"demo"})


class LazyCommands(Commands):
    """A command's module is read when the command is run or its help is shown."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, _, function = COMMANDS[cmd_name].partition(".")
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        work = getattr(import_module(f"pbem.commands.{module}"), function)
        alone.command(cmd_name, hidden=cmd_name in HIDDEN)(work)
        return typer.main.get_command(alone)


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"pbem {metadata.version('pbem')}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def pbem(
    version: Annotated[bool, typer.Option("--version", callback=_tell_version, is_eager=True)] = False,
) -> None:
    """A play-by-email adjudicator for board wargames.

    Exit codes: 0 fine, 1 something wrong was found, 2 bad usage or unreadable input.
    """


def main() -> None:
    app()
