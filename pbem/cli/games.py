"""`pbem games`: what there is to play."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table as Grid

from engine.games import GAMES
from pbem.campaigns.terms import find_game
from pbem.cli.terminal import console, show_json


def games_command(
    as_json: Annotated[bool, typer.Option("--json", help="print the list as JSON")] = False,
) -> None:
    """List the games: players, scenarios, rules version, pack."""
    listed = [_describe(name) for name in sorted(GAMES)]
    if as_json:
        show_json(listed)
        return
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for heading in ("game", "name", "players", "scenarios", "rules", "pack"):
        grid.add_column(heading)
    for one in listed:
        players = ", ".join(map(str, one["players"]))
        row = (
            one["id"],
            one["names"]["en"],
            players,
            ", ".join(one["scenarios"]),
            one["rules"],
            one["pack"][:12],
        )
        grid.add_row(*map(escape, row))
    console().print(grid)


def _describe(name: str) -> dict[str, Any]:
    game = find_game(name)
    return {
        "id": game.id,
        "names": dict(game.names),
        "players": list(game.players),
        "scenarios": list(game.scenarios),
        "rules": game.rules_version,
        "pack": game.load_pack().hash,
        "bots": sorted(game.bots),
    }
