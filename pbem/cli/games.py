"""`pbem games`: what there is to play."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from engine.games import GAMES
from pbem.campaigns.terms import find_game
from pbem.cli.terminal import show_json, show_rows


def games_command(
    as_json: Annotated[bool, typer.Option("--json", help="print the list as JSON")] = False,
) -> None:
    """List the games: players, scenarios, rules version, pack."""
    listed = [_describe(name) for name in sorted(GAMES)]
    if as_json:
        show_json(listed)
        return
    rows = [
        (one["id"], one["names"]["en"], *(", ".join(map(str, one[key])) for key in ("players", "scenarios")),
         one["rules"], one["pack"][:12])
        for one in listed
    ]  # fmt: skip
    show_rows(("game", "name", "players", "scenarios", "rules", "pack"), rows, "no games")


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
