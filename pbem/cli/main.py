"""The command line `pbem`."""

from __future__ import annotations

from importlib import import_module, metadata
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from pbem.cli.terminal import Commands


class CommandEntry(NamedTuple):
    """The function below `pbem.cli` that does it, and what the list of commands says of it."""

    work: str
    told: str


# A command's module is read when it is run, and not to list what there is.
COMMANDS = {
    "games": CommandEntry("games.games_command", "List the games: players, scenarios, rules version, pack."),
    "rules": CommandEntry(
        "rules.rules_command",
        "Tell what became of a game's rules, or show one rule; exit code 1 if one is missing or untested.",
    ),
    "simulate": CommandEntry(
        "simulate.simulate_command",
        "Let bots play whole games on test dice; exit code 1 if one does not come to its end.",
    ),
    "play": CommandEntry(
        "play.play_command", "Play at the terminal against bots, with the same orders as in letters."
    ),
    "try": CommandEntry(
        "try_case.try_command", "Try a position with orders and forced dice; nothing is saved."
    ),
    "replay": CommandEntry(
        "archive.replay_command",
        "Run every segment of a campaign again and compare; exit code 1 if something differs.",
    ),
    "verify": CommandEntry(
        "archive.verify_command",
        "Check the dice of one campaign from exports or letters, also those of several players together.",
    ),
    "export": CommandEntry(
        "archive.export_command",
        "Write a campaign's audit for a seat or the umpire, its dice, or a person's data.",
    ),
    "demo": CommandEntry(
        "demo.demo_command",
        "Four scripted people play a campaign by mail; every letter is kept, and all dice are verified.",
    ),
    "init": CommandEntry("serve.init_command", "Write a commented configuration and make the data folder."),
    "serve": CommandEntry(
        "serve.serve_command",
        "Run the service: poller, workers and whatever else it needs, until Ctrl-C or SIGTERM.",
    ),
    "account": CommandEntry(
        "serve.account_command", "Open a mailbox on the embedded mail server, or give it a new password."
    ),
    "health": CommandEntry(
        "upkeep.health_command", "Is the service well? Exit code 1 when something is wrong."
    ),
    "backup": CommandEntry(
        "upkeep.backup_command",
        "Copy the database into one file; safe while the service runs. It is as secret as the machine.",
    ),
    "restore": CommandEntry(
        "upkeep.restore_command",
        "Put a backup in the database's place; the service must be stopped. What stood there is kept aside.",
    ),
    "move": CommandEntry(
        "upkeep.move_command",
        "Copy everything into another, empty database (SQLite to PostgreSQL); the service must be stopped.",
    ),
    "check": CommandEntry(
        "upkeep.check_command",
        "Try everything an installation needs: files, disk, Redis, database, clock, IMAP, SMTP.",
    ),
    "clock": CommandEntry(
        "upkeep.clock_command",
        "Tell whether the clock is in doubt: then no deadline is executed until somebody vouches for it.",
    ),
    "metrics": CommandEntry(
        "upkeep.metrics_command",
        "Figures for Prometheus: printed once, or served on a port until somebody stops it.",
    ),
    "open": CommandEntry(
        "lobby.open_command",
        "Open a campaign: it waits in the lobby until every seat is held and it is started.",
    ),
    "seats": CommandEntry(
        "lobby.seats_command",
        "Show who holds the seats and who signed up; in the lobby, give seats to people or bots.",
    ),
    "start": CommandEntry(
        "lobby.start_command", "Start a campaign whose seats are all held; the first letters go out."
    ),
    "status": CommandEntry(
        "lobby.status_command", "Tell where campaigns stand: what is open, whom they wait for, until when."
    ),
    "journal": CommandEntry(
        "letters.journal_command", "Print a campaign's journal: every line, or the public record."
    ),
    "letters": CommandEntry(
        "letters.letters_command", "List the letters that came and those of ours, each with its state."
    ),
    "shunted": CommandEntry(
        "letters.shunted_command",
        "List the letters that wait for somebody to look at them: shunted and quarantined ones.",
    ),
    "requeue": CommandEntry(
        "letters.requeue_command",
        "Read a letter again that was shunted, quarantined, held or refused; or send one of ours again.",
    ),
    "hold": CommandEntry(
        "umpire.hold_command", "Let a campaign stand still: nothing closes, no deadline runs."
    ),
    "release": CommandEntry(
        "umpire.release_command", "Let it go on; the time it stood still is added to the open window."
    ),
    "extend": CommandEntry("umpire.extend_command", "Put the deadline of the open window back."),
    "process": CommandEntry("umpire.process_command", "Close the open window now, with what is on file."),
    "rule": CommandEntry("umpire.rule_command", "Make a ruling in words: journaled, and told to every seat."),
    "dice": CommandEntry(
        "umpire.dice_command",
        "Force the next dice of the coming Close; they are marked as forced everywhere.",
    ),
    "answer": CommandEntry("umpire.answer_command", "Answer in a seat's place."),
    "rollback": CommandEntry(
        "umpire.rollback_command",
        "Go back to the beginning of a segment; nothing is deleted, the journal gets a branch.",
    ),
    "whatif": CommandEntry(
        "umpire.whatif_command",
        "Tell what would happen, with throw-away dice. That you looked is told to every seat.",
    ),
    "replace": CommandEntry(
        "umpire.replace_command",
        "Seat another player; he gets an invitation and the position, the others a notice.",
    ),
    "unseal": CommandEntry(
        "umpire.unseal_command", "Look behind the screens although an umpire plays along; every seat is told."
    ),
    "unsigned": CommandEntry(
        "personal.unsigned_command",
        "Let a person's letters count unsigned again, until one carries a signature.",
    ),
    "forget": CommandEntry(
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
