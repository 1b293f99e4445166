"""The command line `pbem`."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from pbem.cli.terminal import Commands

# The modules below `pbem.cli` and their commands: `hold` is the function `hold_command` of `umpire`.
MODULES = {
    "games": ("games",),
    "rules": ("rules",),
    "simulate": ("simulate",),
    "play": ("play",),
    "try_case": ("try",),
    "archive": ("replay", "verify", "export"),
    "demo": ("demo",),
    "serve": ("init", "serve", "account"),
    "upkeep": ("health", "backup", "restore", "move", "check", "clock", "metrics"),
    "lobby": ("open", "seats", "start", "status"),
    "letters": ("journal", "letters", "shunted", "requeue"),
    "umpire": (
        "hold", "release", "extend", "process", "rule", "dice", "answer", "rollback", "whatif", "replace",
        "unseal",
    ),
    "personal": ("unsigned", "forget"),
}  # fmt: skip
COMMANDS = {command: module for module, commands in MODULES.items() for command in commands}
HIDDEN = frozenset({"demo"})


@cache
def help_lines(module: str) -> dict[str, str]:
    """The first paragraph of each command's docstring, without importing the module: that takes seconds."""
    tree = ast.parse((Path(__file__).parent / f"{module}.py").read_text("utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {
        node.name.removesuffix("_command"): (ast.get_docstring(node) or "").partition("\n\n")[0]
        for node in functions
    }


class LazyCommands(Commands):
    """A command's module is imported when the command is run or its own help is shown."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """As it stands in the list."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        line = help_lines(COMMANDS[cmd_name])[cmd_name]
        return TyperCommand(cmd_name, help=line, hidden=cmd_name in HIDDEN)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As it is run."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name not in COMMANDS else _load(str(name)), rest


def _load(name: str) -> Any:
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(vars(import_module(f"pbem.cli.{COMMANDS[name]}"))[f"{name}_command"])
    return typer.main.get_command(alone)


def _show_version(wanted: bool) -> None:
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
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False,
) -> None:
    """A play-by-email adjudicator for board wargames.

    Exit codes: 0 fine, 1 something wrong was found, 2 bad usage or unreadable input.
    """


def main() -> None:
    app()
