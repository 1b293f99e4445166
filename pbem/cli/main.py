"""The command line `pbem`."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from pbem.cli.terminal import Commands


class Entry(NamedTuple):
    """The function below `pbem.cli` that does it, and what the list of commands says of it."""

    work: str
    told: str


# A command's module is read when it is run, and not to list what there is.
COMMANDS = {
    "games": Entry("rules.games_command", "List the games: players, scenarios, rules version, pack."),
    "rules": Entry(
        "rules.rules_command",
        "Tell what became of a game's rules, or show one rule; exit code 1 if one is missing or untested.",
    ),
    "simulate": Entry(
        "simulate.command",
        "Let bots play whole games on test dice; exit code 1 if one does not come to its end.",
    ),
    "play": Entry("play.command", "Play at the terminal against bots, with the same orders as in letters."),
    "try": Entry("try_case.command", "Try a position with orders and forced dice; nothing is saved."),
    "replay": Entry(
        "archive.replay_command",
        "Run every segment of a campaign again and compare; exit code 1 if something differs.",
    ),
    "verify": Entry(
        "archive.verify_command",
        "Check the dice of one campaign from exports or letters, also those of several players together.",
    ),
    "export": Entry(
        "archive.export_command",
        "Write a campaign's audit for a seat or the umpire, its dice, or a person's data.",
    ),
    "demo": Entry(
        "demo.command",
        "Four scripted people play a campaign by mail; every letter is kept, and all dice are verified.",
    ),
    "init": Entry("serve.init_command", "Write a commented configuration and make the data folder."),
    "serve": Entry(
        "serve.serve_command",
        "Run the service: poller, workers and whatever else it needs, until Ctrl-C or SIGTERM.",
    ),
    "account": Entry(
        "serve.account_command", "Open a mailbox on the embedded mail server, or give it a new password."
    ),
    "health": Entry("upkeep.health_command", "Is the service well? Exit code 1 when something is wrong."),
    "backup": Entry(
        "upkeep.backup_command",
        "Copy the database into one file; safe while the service runs. It is as secret as the machine.",
    ),
    "restore": Entry(
        "upkeep.restore_command",
        "Put a backup in the database's place; the service must be stopped. What stood there is kept aside.",
    ),
    "move": Entry(
        "upkeep.move_command",
        "Copy everything into another, empty database (SQLite to PostgreSQL); the service must be stopped.",
    ),
    "check": Entry(
        "upkeep.check_command",
        "Try everything an installation needs: files, disk, Redis, database, clock, IMAP, SMTP.",
    ),
    "clock": Entry(
        "upkeep.clock_command",
        "Tell whether the clock is in doubt: then no deadline is executed until somebody vouches for it.",
    ),
    "metrics": Entry(
        "upkeep.metrics_command",
        "Figures for Prometheus: printed once, or served on a port until somebody stops it.",
    ),
    "open": Entry(
        "lobby.open_command",
        "Open a campaign: it waits in the lobby until every seat is held and it is started.",
    ),
    "seats": Entry(
        "lobby.seats_command",
        "Show who holds the seats and who signed up; in the lobby, give seats to people or bots.",
    ),
    "start": Entry(
        "lobby.start_command", "Start a campaign whose seats are all held; the first letters go out."
    ),
    "status": Entry(
        "lobby.status_command", "Tell where campaigns stand: what is open, whom they wait for, until when."
    ),
    "journal": Entry(
        "letters.journal_command", "Print a campaign's journal: every line, or the public record."
    ),
    "letters": Entry(
        "letters.letters_command", "List the letters that came and those of ours, each with its state."
    ),
    "shunted": Entry(
        "letters.shunted_command",
        "List the letters that wait for somebody to look at them: shunted and quarantined ones.",
    ),
    "requeue": Entry(
        "letters.requeue_command",
        "Read a letter again that was shunted, quarantined, held or refused; or send one of ours again.",
    ),
    "hold": Entry("umpire.hold_command", "Let a campaign stand still: nothing closes, no deadline runs."),
    "release": Entry(
        "umpire.release_command", "Let it go on; the time it stood still is added to the open window."
    ),
    "extend": Entry("umpire.extend_command", "Put the deadline of the open window back."),
    "process": Entry("umpire.process_command", "Close the open window now, with what is on file."),
    "rule": Entry("umpire.rule_command", "Make a ruling in words: journaled, and told to every seat."),
    "dice": Entry(
        "umpire.dice_command",
        "Force the next dice of the coming Close; they are marked as forced everywhere.",
    ),
    "answer": Entry("umpire.answer_command", "Answer in a seat's place."),
    "rollback": Entry(
        "umpire.rollback_command",
        "Go back to the beginning of a segment; nothing is deleted, the journal gets a branch.",
    ),
    "whatif": Entry(
        "umpire.whatif_command",
        "Tell what would happen, with throw-away dice. That you looked is told to every seat.",
    ),
    "replace": Entry(
        "umpire.replace_command",
        "Seat another player; he gets an invitation and the position, the others a notice.",
    ),
    "unseal": Entry(
        "umpire.unseal_command", "Look behind the screens although an umpire plays along; every seat is told."
    ),
    "unsigned": Entry(
        "personal.unsigned_command",
        "Let a person's letters count unsigned again, until one carries a signature.",
    ),
    "forget": Entry(
        "personal.forget_command",
        "Erase a person: names, addresses, letters. The journal and every roll still verify.",
    ),
}
HIDDEN = frozenset({"demo"})


class LazyCommands(Commands):
    """A command's module is read when the command is run or its own help is shown."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """As it stands in the list."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name].told, hidden=cmd_name in HIDDEN)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As it is run."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name not in COMMANDS else _read(str(name)), rest


def _read(name: str) -> Any:
    module, _, function = COMMANDS[name].work.partition(".")
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(getattr(import_module(f"pbem.cli.{module}"), function))
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
