"""`pbem simulate`: bots play whole games."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table as Grid

from engine.kernel.game import Game
from pbem.campaigns.terms import find_game, read_options
from pbem.cli.terminal import console, show_json, with_bar
from pbem.errors import BadInput
from pbem.local.simulate import DECISIONS_AT_MOST, SimulationPlan, Summary, simulate


def simulate_command(
    game: Annotated[str, typer.Argument(help="the game's id, as `pbem games` lists it")],
    games: Annotated[int, typer.Option(min=1, help="how many games")] = 100,
    seed: Annotated[str, typer.Option(help="the same seed gives the same journals, byte for byte")] = "1",
    scenario: Annotated[str, typer.Option(help="default: the game's first")] = "",
    players: Annotated[
        int | None,
        typer.Option(min=0, help="default: every variant in turn, or the smallest; 0: all"),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="processes")] = 1,
    bots: Annotated[
        str, typer.Option(help="names with commas, assigned to the seats in rotation; default: random")
    ] = "",
    pack: Annotated[Path | None, typer.Option(help="folder whose tables replace built-in ones")] = None,
    option: Annotated[list[str] | None, typer.Option(help="name=value; repeatable")] = None,
    check: Annotated[bool, typer.Option("--check", help="test the invariants after every fact")] = False,
    only: Annotated[int | None, typer.Option(min=0, help="play just this game of the run")] = None,
    save: Annotated[Path | None, typer.Option(help="write the journals into this folder")] = None,
    cap: Annotated[int, typer.Option(min=1, help="stop a game after so many decisions")] = DECISIONS_AT_MOST,
    as_json: Annotated[bool, typer.Option("--json", help="print the figures as JSON")] = False,
) -> None:
    """Let bots play whole games on test dice; exit code 1 if one does not come to its end.

    A game that is played in several forms plays them all in turn, unless a scenario, a number of players or
    an option is named: Trench Club alone, by two, by two against the automa and by four, with the basic
    rules, with trenches and with dice cards.
    """
    found = find_game(game)
    names = tuple(name.strip() for name in bots.split(",") if name.strip()) or ("random",)
    plan = SimulationPlan(
        game=found.id,
        seed=seed,
        bots=names,
        players=_players(found, players, bool(scenario or option)),
        scenario=scenario,
        options=read_options(option or ()),
        pack=pack,
        check=check,
        save=save,
        cap=cap,
    )
    summary = _simulate(plan, _numbers(games, only), jobs)
    if as_json:
        show_json(summary.figures())
    else:
        _print(summary)
    if summary.failures:
        raise typer.Exit(1)


def _numbers(games: int, only: int | None) -> range:
    """The numbers of the games to play."""
    if only is not None and only >= games:
        raise BadInput(f"--only {only}: the games are numbered from 0 to {games - 1}")
    return range(games) if only is None else range(only, only + 1)


def _players(game: Game, asked: int | None, named: bool) -> tuple[int, ...]:
    """The numbers of players; none: every form of the game."""
    if asked == 0:
        return game.players
    if asked is not None:
        return (asked,)
    return () if game.variants and not named else game.players[:1]


def _simulate(plan: SimulationPlan, numbers: range, jobs: int) -> Summary:
    if plan.save is not None and plan.save.exists() and any(plan.save.iterdir()):
        raise BadInput(f"{plan.save}: the folder for the journals is not empty")
    began = time.perf_counter()
    games = list(with_bar(simulate(plan, numbers, jobs), len(numbers), "games"))
    return Summary(games, time.perf_counter() - began)


def _print(summary: Summary) -> None:
    figures = summary.figures()
    out = console()
    grid = Grid.grid(padding=(0, 2))
    for name in ("games", "finished", "asks", "rolls", "seconds", "crashes", "dead_ends", "longest_tail"):
        grid.add_row(name.replace("_", " "), str(figures[name]))
    for name in ("winners", "reasons"):
        grid.add_row(name, escape(", ".join(f"{who} {n}" for who, n in figures[name].items())))
    grid.add_row("journals", figures["journals"])
    out.print(grid)
    for game in summary.failures:
        what = f"crash: {game.crash}" if game.crash else f"dead end: {game.dead_end}"
        players = f"{game.players} player{'s' if game.players != 1 else ''}"
        where = f"game {game.index}, {players}, {game.segment}"
        out.print(escape(f"{where}: {what}; repeat it with --only {game.index}"), soft_wrap=True)
