"""`pbem play`: a game at the terminal."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from engine.kernel.fairness.dice import H, TestDice
from engine.kernel.requests import Seat
from engine.kernel.table import Table
from pbem.campaigns import folder
from pbem.campaigns.bots import bot_named, usual_bot
from pbem.campaigns.desk import Desk
from pbem.campaigns.rulebook import register_of
from pbem.campaigns.terms import Terms, agree_terms, read_options
from pbem.cli.terminal import read_language
from pbem.errors import BadInput
from pbem.local.play import Left, Session

with contextlib.suppress(ImportError):
    import readline  # noqa: F401  (typed lines can then be edited and called back)


def play_command(
    game: Annotated[str, typer.Argument(help="the game's id; not needed to go on with a saved game")] = "",
    seat: Annotated[list[str] | None, typer.Option(help="your seat; as often as people play")] = None,
    bot: Annotated[str, typer.Option(help="who plays the other seats")] = "",
    players: Annotated[int, typer.Option(min=0, help="default: the game's smallest number")] = 0,
    scenario: Annotated[str, typer.Option(help="default: the game's first")] = "",
    tempo: Annotated[str, typer.Option(help="fast, react or strict: how often you are asked")] = "strict",
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    save: Annotated[Path | None, typer.Option(help="folder; the dice are then audited ones")] = None,
    seed: Annotated[str, typer.Option(help="test dice from this seed; only without --save")] = "",
    pack: Annotated[Path | None, typer.Option(help="folder whose tables replace built-in ones")] = None,
    option: Annotated[list[str] | None, typer.Option(help="name=value, as often as needed")] = None,
) -> None:
    """Play at the terminal against bots, with the same orders as in letters."""
    language = read_language(lang)
    if save is not None and seed:
        raise BadInput("--seed and --save exclude each other: a saved game has audited dice")
    if save is not None and folder.is_campaign(save):
        _same_game(save, game)
    elif not game:
        raise BadInput("which game? `pbem games` lists them")
    else:
        terms = agree_terms(game, scenario, players, tempo, read_options(option or ()), pack)
        bots = _bots(terms, seat or [], bot)
        if save is not None:
            folder.create(save, terms, bots, pack)
    with folder.opened(save) if save is not None else _loose(terms, bots, seed) as desk:
        session = Session(desk, language, register_of(desk.terms.game.id), _hear, _say)
        try:
            session.play()
        except Left:
            left = session.phrases.word
            _say("\n" + (left("saved", folder=save) if save is not None else left("not_saved")))


def _same_game(save: Path, game: str) -> None:
    held = folder.read_campaign(save)["game"]
    if game and game.casefold() != held:
        raise BadInput(f"{save}: a campaign of {held} lies here, not of {game}")


def _bots(terms: Terms, seats: list[str], bot: str) -> dict[Seat, str]:
    """The bots' seats: all but those named; without a name the first is the person's."""
    people = [terms.seat(name) for name in seats] or [terms.seats[0]]
    name = bot or usual_bot(terms.game)
    bot_named(terms.game, name)
    return {seat: name for seat in terms.seats if seat not in people}


@contextlib.contextmanager
def _loose(terms: Terms, bots: dict[Seat, str], seed: str) -> Iterator[Desk]:
    """A game that is kept nowhere, on test dice."""
    chance = H("play", seed or secrets.token_hex(16))
    table = Table.start(terms.game, terms.pack, terms.settings, TestDice(chance))
    desk = Desk(terms, table, chance)
    desk.bots = bots
    desk.advance({})
    yield desk


def _hear(prompt: str) -> str | None:
    try:
        return input(prompt)
    except (EOFError, KeyboardInterrupt):
        return None


def _say(text: str) -> None:
    print(text, file=sys.stdout, flush=True)
