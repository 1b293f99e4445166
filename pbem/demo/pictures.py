"""Letters as pictures, for the README: drawn by Chromium where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from PIL import Image

from pbem.demo.gallery import Gallery, Hung
from pbem.errors import BadInput

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
WIDTH: Final = 860
HEIGHT: Final = 3000
COLOURS: Final = 128
DRAW_SECONDS: Final = 60
LANGUAGES: Final = ("en", "fr")


def letter_pictures(gallery: Gallery, folder: Path) -> list[Path]:
    """A result letter in each language, and the map of the first."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise BadInput(f"no browser to draw with; one of {', '.join(BROWSERS)} is needed")
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for language in LANGUAGES:
        letter = _fullest(gallery, language)
        target = folder / f"letter-{language}.png"
        _draw(browser, gallery.folder / letter.page, target)
        made.append(target)
    pictured = _fullest(gallery, "en")
    (folder / "map.png").write_bytes(_map(gallery.folder / pictured.file))
    return [*made, folder / "map.png"]


def _fullest(gallery: Gallery, language: str) -> Hung:
    """The longest letter with a map and a deadline that somebody with this language got."""
    found = [one for one in gallery.hung if one.incoming and _asks(gallery.folder / one.file, language)]
    if not found:
        raise BadInput(f"there is no letter in {language} with a map to draw")
    return max(found, key=lambda one: (gallery.folder / one.page).stat().st_size)


def _asks(letter: Path, language: str) -> bool:
    message = message_from_bytes(letter.read_bytes(), policy=policy.default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(("html",))
    kinds = {part.get_content_type() for part in message.walk()}
    spoken = body is not None and f'<html lang="{language}"' in body.get_content()
    return spoken and {"image/png", "text/calendar"} <= kinds


def _draw(browser: str, page: Path, target: Path) -> None:
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    words += [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={target.resolve()}", page.resolve().as_uri()]
    subprocess.run(words, check=True, capture_output=True, timeout=DRAW_SECONDS)
    with Image.open(target) as drawn:
        drawn.quantize(COLOURS).save(target, optimize=True)


def _map(letter: Path) -> bytes:
    message = message_from_bytes(letter.read_bytes(), policy=policy.default)
    for part in message.walk():
        if part.get_content_type() == "image/png":
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            return content
    raise BadInput(f"{letter}: no map in it")
