"""`pbem demo`: scripted people play a whole campaign through real mail servers on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from pbem import verify_dice
from pbem.cli.terminal import console
from pbem.demo.gallery import Gallery
from pbem.demo.people import DemoPlayer
from pbem.demo.pictures import letter_pictures
from pbem.demo.script import DemoScript, read_script
from pbem.demo.stage import HOST, Stage, staged
from pbem.errors import BadInput, CheckFailed
from pbem.store.windows import open_window

MARK: Final = ".made-by-demo"  # only a folder that bears this mark is cleared for the next demo
LOOK_SECONDS: Final = 0.5
MOST_SECONDS: Final = 600.0
LAST_LETTERS_SECONDS: Final = 3.0  # for the people to fetch what was sent


def demo_command(
    game: Annotated[str, typer.Argument(help="the game's id")] = "fww",
    folder: Annotated[Path, typer.Option(help="where it goes; a former demo there is replaced")] = Path(
        "demo"
    ),
    pictures: Annotated[
        Path | None, typer.Option(help="draw two letters and the map into this folder (needs Chromium)")
    ] = None,
) -> None:
    """Four scripted people play a campaign by mail; every letter is kept, and all dice are verified."""
    began = time.monotonic()
    script = read_script(game)
    _clear(folder)
    gallery = Gallery(folder, {seat: player.name for seat, player in script.people.items()})
    console().print(f"{script.campaign}: a service, a mail server and {len(script.people)} players start.")
    with staged(folder / "service", script) as stage:
        people = _people(script, stage, gallery)
        _play(script, stage, people)
    summary = _verify_letters(script, folder, gallery, time.monotonic() - began)
    index = gallery.index(script.campaign, summary)
    console().print(summary)
    console().print(f"Look at {index}; each player's letters lie beside it as .eml and .html.")
    if pictures is not None:
        for path in letter_pictures(gallery, pictures):
            console().print(f"drawn: {path}")


def _people(script: DemoScript, stage: Stage, gallery: Gallery) -> Mapping[str, DemoPlayer]:
    umpire = f"{script.umpire}@{HOST}"
    return {
        seat: DemoPlayer(seat, player, f"{player.user}@{HOST}", umpire, stage.servers, gallery.hang)
        for seat, player in script.people.items()
    }


def _play(script: DemoScript, stage: Stage, people: Mapping[str, DemoPlayer]) -> None:
    """Everybody signs up and answers letters until the campaign is over."""
    for one in people.values():
        one.start()
        one.sign_up(script.campaign)
    end, shown = time.monotonic() + MOST_SECONDS, -1
    try:
        while not stage.is_over(script.campaign):
            stage.check()
            for seat, one in people.items():
                if one.trouble is not None:
                    raise CheckFailed(f"the player of {seat}: {type(one.trouble).__name__}: {one.trouble}")
            if time.monotonic() > end:
                raise CheckFailed(f"not over after {MOST_SECONDS:.0f} s; see {stage.log}")
            window = open_window(stage.service.db, script.campaign)
            if window is not None and window.number != shown:
                shown = window.number
                console().print(f"  {window.key}: waiting for {', '.join(window.seats)}")
            time.sleep(LOOK_SECONDS)
        time.sleep(LAST_LETTERS_SECONDS)
    finally:
        for one in people.values():
            one.stop()


def _verify_letters(script: DemoScript, folder: Path, gallery: Gallery, seconds: float) -> str:
    """The one-file checker run on each player's letters alone; the campaign lived through again."""
    checker = Path(verify_dice.__file__)
    for seat in script.people:
        letters = folder / seat / "received"
        words = [sys.executable, str(checker), str(letters)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CheckFailed(f"the letters of {seat} do not prove the dice: {done.stdout[-400:]}")
        (folder / seat / "verified.txt").write_text(done.stdout, "utf-8")
    written = sum(not one.incoming for one in gallery.hung)
    received = len(gallery.hung) - written
    return (
        f"{script.campaign} was played to its end in {seconds:.0f} s: {written} letters from the players, "
        f"{received} to them. Every player's letters alone prove all dice (verified.txt)."
    )


def _clear(folder: Path) -> None:
    """Make room; what is not ours stays."""
    if folder.exists():
        if any(folder.iterdir()) and not (folder / MARK).is_file():
            raise BadInput(f"{folder}: there is something here that no demo made")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
