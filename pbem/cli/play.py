"""`pbem play`: a game at the terminal."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from random import Random, SystemRandom
from typing import Annotated

import typer

from engine.kernel.requests import Seat
from pbem.campaigns.bots import choose_bot
from pbem.campaigns.rulebook import load_rulebook
from pbem.campaigns.terms import Terms, agree_terms, read_options
from pbem.cli.terminal import read_language
from pbem.errors import BadInput
from pbem.local.play import Quit, Session
from pbem.local.saved import create_game, is_saved_game, open_game, seeded_keys

with contextlib.suppress(ImportError):
    import readline  # noqa: F401  (line editing and history)


def play_command(
    game: Annotated[str, typer.Argument(help="the game's id; not needed to go on with a saved game")] = "",
    seat: Annotated[list[str] | None, typer.Option(help="your seat; repeat it for each person")] = None,
    bot: Annotated[str, typer.Option(help="the bot that plays the other seats")] = "",
    players: Annotated[int, typer.Option(min=0, help="default: the game's smallest number")] = 0,
    scenario: Annotated[str, typer.Option(help="default: the game's first")] = "",
    tempo: Annotated[str, typer.Option(help="fast, react or strict: how often you are asked")] = "strict",
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    save: Annotated[Path | None, typer.Option(help="save in this folder, or go on from it")] = None,
    seed: Annotated[str, typer.Option(help="dice from this seed; only without --save")] = "",
    pack: Annotated[Path | None, typer.Option(help="folder whose tables replace built-in ones")] = None,
    option: Annotated[list[str] | None, typer.Option(help="name=value; repeatable")] = None,
) -> None:
    """Play at the terminal against bots, with the same orders as in letters."""
    language = read_language(lang)
    if save is not None and seed:
        raise BadInput("--seed and --save exclude each other: a saved game has dice that nobody can predict")
    with contextlib.ExitStack() as stack:
        folder = save or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pbem-play-")))
        if not is_saved_game(folder):
            if not game:
                raise BadInput("which game? `pbem games` lists them")
            terms = agree_terms(game, scenario, players, tempo, read_options(option or ()), pack)
            bots = _bots(terms, seat or [], bot)
            create_game(folder, terms, bots, pack, seeded_keys(seed) if seed else None)
        campaign = stack.enter_context(open_game(folder))
        held = campaign.terms.game.id
        if game and game.casefold() != held:
            raise BadInput(f"{folder}: a game of {held} is saved here, not of {game}")
        rng = Random(seed) if seed else SystemRandom()
        session = Session(campaign, language, load_rulebook(held), rng, _read_line, _say)
        try:
            session.play()
        except Quit:
            word = session.phrases.word
            _say("\n" + (word("saved", folder=save) if save is not None else word("not_saved")))


def _bots(terms: Terms, seats: list[str], bot: str) -> dict[Seat, str]:
    """The bots of all seats but those named; if none is named, a person plays the first."""
    people = [terms.seat(name) for name in seats] or [terms.seats[0]]
    name = choose_bot(terms.game, bot)
    return {seat: name for seat in terms.seats if seat not in people}


def _read_line(prompt: str) -> str | None:
    try:
        return input(prompt)
    except (EOFError, KeyboardInterrupt):
        return None


def _say(text: str) -> None:
    print(text, flush=True)
