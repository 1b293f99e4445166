"""`pbem demo`: scripted players play a whole campaign through real mail servers on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Final

import typer

from pbem import verify_dice
from pbem.cli.terminal import console
from pbem.demo.gallery import Gallery
from pbem.demo.people import DemoPlayer
from pbem.demo.script import DemoScript, read_script
from pbem.demo.service import HOST, DemoService, run_service
from pbem.errors import BadInput, CheckFailed
from pbem.store.windows import open_window

MARKER: Final = ".made-by-demo"  # only a folder with this file is cleared for the next demo
POLL_SECONDS: Final = 0.5
MOST_SECONDS: Final = 600.0
LAST_LETTERS_SECONDS: Final = 3.0  # for the players to fetch what was sent


def demo_command(
    game: Annotated[str, typer.Argument(help="the game's id")] = "fww",
    folder: Annotated[Path, typer.Option(help="where to put it; an earlier demo there is replaced")] = Path(
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
    with run_service(folder / "service", script) as service:
        _play(script, service, gallery)
    summary = _verify_letters(script, folder, gallery, time.monotonic() - began)
    index = gallery.write_index(script.campaign, summary)
    console().print(summary)
    console().print(f"Look at {index}; each player's letters lie beside it as .eml and .html.")
    if pictures is not None:
        for path in gallery.draw_pictures(pictures):
            console().print(f"drawn: {path}")


def _play(script: DemoScript, service: DemoService, gallery: Gallery) -> None:
    """Everybody signs up and answers letters until the campaign is over."""
    umpire, players = f"{script.umpire}@{HOST}", list[DemoPlayer]()
    for seat, player in script.people.items():
        address = f"{player.user}@{HOST}"
        players.append(DemoPlayer(seat, player, address, umpire, service.servers, gallery.add))
    for demo_player in players:
        demo_player.start()
        demo_player.sign_up(script.campaign)
    end, shown = time.monotonic() + MOST_SECONDS, -1
    try:
        while not service.is_over(script.campaign):
            service.check()
            for demo_player in players:
                if (error := demo_player.trouble) is not None:
                    raise CheckFailed(f"the player of {demo_player.seat}: {type(error).__name__}: {error}")
            if time.monotonic() > end:
                raise CheckFailed(f"not over after {MOST_SECONDS:.0f} s; see {service.log}")
            window = open_window(service.context.db, script.campaign)
            if window is not None and window.number != shown:
                shown = window.number
                console().print(f"  {window.key}: waiting for {', '.join(window.seats)}")
            time.sleep(POLL_SECONDS)
        time.sleep(LAST_LETTERS_SECONDS)
    finally:
        for demo_player in players:
            demo_player.stop()


def _verify_letters(script: DemoScript, folder: Path, gallery: Gallery, seconds: float) -> str:
    """Run the one-file checker on the letters that each player got and wrote, and on nothing else."""
    for seat in script.people:
        command = [sys.executable, verify_dice.__file__, str(folder / seat)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CheckFailed(f"the letters of {seat} do not prove the dice: {done.stdout[-400:]}")
        (folder / seat / "verified.txt").write_text(done.stdout, "utf-8")
    received = sum(letter.incoming for letter in gallery.letters)
    written = len(gallery.letters) - received
    return (
        f"{script.campaign} was played to its end in {seconds:.0f} s: {written} letters from the players, "
        f"{received} to them. Every player's letters alone prove all dice (verified.txt)."
    )


def _clear(folder: Path) -> None:
    """Make room; a folder that no demo made is left alone."""
    if folder.exists():
        if any(folder.iterdir()) and not (folder / MARKER).is_file():
            raise BadInput(f"{folder}: there is something here that no demo made")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARKER).touch()
