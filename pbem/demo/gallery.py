"""Every letter of the demo in a folder: as it was sent and as a page; an index with pictures of the best."""

from __future__ import annotations

import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from PIL import Image

from pbem.demo.clients import body_text, parse_mail
from pbem.demo.people import DemoLetter
from pbem.errors import BadInput
from pbem.resources import templates_folder

SHOWN_HEADERS: Final = ("From", "To", "Reply-To", "Subject", "Date", "Auto-Submitted", "List-Id")
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
PICTURE_SIZE: Final = "860,3000"
THUMBNAIL_SIZE: Final = "560,1500"  # the narrowest window of every browser, and a good part of a letter
PICTURE_COLORS: Final = 128
DRAW_SECONDS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedLetter:
    """A row of the index."""

    player: str
    incoming: bool
    time: str
    subject: str
    page: str
    file: str
    message: EmailMessage = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLetter:
    """One of the letters that the index begins with. `about`: what there is to say of it, in the template."""

    about: str
    letter: IndexedLetter
    picture: str = ""  # "": there is no browser to draw with; the page itself is shown


class Gallery:
    """Collects letters from several threads."""

    def __init__(self, folder: Path, names: dict[str, str]) -> None:
        self.folder, self._names = folder, names
        self.letters: list[IndexedLetter] = []
        self._lock = Lock()
        for seat in names:
            for way in ("received", "written"):
                (folder / seat / way).mkdir(parents=True)

    def add(self, letter: DemoLetter) -> None:
        message = parse_mail(letter.raw)
        with self._lock:
            way = "received" if letter.incoming else "written"
            name = f"{letter.seat}/{way}/{len(self.letters) + 1:03}"
            (self.folder / f"{name}.eml").write_bytes(letter.raw)
            (self.folder / f"{name}.html").write_text(_page(message), "utf-8")
            row = IndexedLetter(
                player=self._names[letter.seat],
                incoming=letter.incoming,
                time=datetime.now(UTC).strftime("%H:%M:%S"),
                subject=str(message["Subject"]),
                page=f"{name}.html",
                file=f"{name}.eml",
                message=message,
            )
            self.letters.append(row)

    def write_index(self, campaign: str, summary: str) -> Path:
        """The page that explains what is to be seen, shows the best letters, and links to all of them."""
        path, page = self.folder / "index.html", _templates().get_template("index.html.j2")
        facts = {"campaign": campaign, "summary": summary, "letters": self.letters, "best": self._best()}
        path.write_text(page.render(facts), "utf-8")
        return path

    def _best(self) -> list[ShownLetter]:
        """Of each kind one, drawn where there is a browser."""
        browser, found = _browser(), list[ShownLetter]()
        for about, letter in self._worth_showing():
            picture = f"best-{about}.png" if browser is not None else ""
            if browser is not None:
                _draw(browser, self.folder / letter.page, self.folder / picture, THUMBNAIL_SIZE)
            found.append(ShownLetter(about=about, letter=letter, picture=picture))
        return found

    def _worth_showing(self) -> Iterator[tuple[str, IndexedLetter]]:
        """A result in each language, a letter of a player with its receipt, how it ended."""
        mine, reply = self._example_of_orders()
        results = {language: self._results(language) for language in ("en", "fr")}
        for some in results.values():
            some.sort(key=_offered, reverse=True)
        chosen = {
            "result": results["en"],
            "orders": [mine] if mine is not None else [],
            "receipt": [reply] if reply is not None else [],
            "french": results["fr"],
            "final": [one for one in reversed(self.letters) if one.incoming and _images(one.message)],
        }
        return ((about, some[0]) for about, some in chosen.items() if some)

    def _results(self, language: str) -> list[IndexedLetter]:
        return [one for one in self.letters if one.incoming and _asks(one.message, language)]

    def _example_of_orders(self) -> tuple[IndexedLetter | None, IndexedLetter | None]:
        """The first orders in English with the short answer that came to them."""
        for one in self.letters:
            if one.incoming or not re.search(r"^ORDERS", body_text(one.message, "plain"), re.MULTILINE):
                continue
            name = str(one.message["Message-ID"])
            answers = (
                other
                for other in self.letters
                if other.incoming and str(other.message["In-Reply-To"]) == name and not _images(other.message)
            )
            if (answer := next(answers, None)) is not None:
                return one, answer
        return None, None

    def draw_pictures(self, folder: Path) -> list[Path]:
        """A result letter in each language, drawn by Chromium, and the map of the English one."""
        browser = _browser()
        if browser is None:
            raise BadInput(f"no browser to draw with; one of {', '.join(BROWSERS)} is needed")
        folder.mkdir(parents=True, exist_ok=True)
        pictures = {language: folder / f"letter-{language}.png" for language in ("en", "fr")}
        for language, picture in pictures.items():
            _draw(browser, self.folder / self._longest(language).page, picture, PICTURE_SIZE)
        pictures["map"] = folder / "map.png"
        pictures["map"].write_bytes(_images(self._longest("en").message)[0][1])
        return list(pictures.values())

    def _longest(self, language: str) -> IndexedLetter:
        """The longest letter in this language with a map and a deadline."""
        with_map = self._results(language)
        if not with_map:
            raise BadInput(f"there is no letter in {language} with a map to draw")
        return max(with_map, key=lambda letter: (self.folder / letter.page).stat().st_size)


def _offered(letter: IndexedLetter) -> int:
    """How many orders its form lists."""
    return len(re.findall(r"^# \S", body_text(letter.message, "plain"), re.MULTILINE))


def _asks(message: EmailMessage, language: str) -> bool:
    kinds = {part.get_content_type() for part in message.walk()}
    return (
        f'<html lang="{language}"' in body_text(message, "html") and {"image/png", "text/calendar"} <= kinds
    )


def _browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def _draw(browser: str, page: Path, target: Path, size: str) -> None:
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--window-size={size}", f"--screenshot={target.resolve()}", page.resolve().as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=DRAW_SECONDS)
    with Image.open(target) as drawn:
        drawn.quantize(PICTURE_COLORS).save(target, optimize=True)


def _page(message: EmailMessage) -> str:
    """What a mail program shows: the HTML with its pictures, or the text."""
    page = _templates().get_template("letter.html.j2")
    headers = [(name, str(message[name])) for name in SHOWN_HEADERS if name in message]
    html, text = _inline_html(message), body_text(message, "plain")
    return page.render(subject=str(message["Subject"]), headers=headers, html=html, text=text)


def _inline_html(message: EmailMessage) -> str:
    """The inside of the HTML body, with the pictures put into it."""
    html = body_text(message, "html")
    for content_id, picture in _images(message):
        html = html.replace(f"cid:{content_id}", f"data:image/png;base64,{b64encode(picture).decode()}")
    inner = re.search(r"<body[^>]*>(.*)</body>", html, re.DOTALL | re.IGNORECASE)
    return inner[1] if inner else html


def _images(message: EmailMessage) -> list[tuple[str, bytes]]:
    """The Content-ID and the bytes of every picture in the letter."""
    parts = [part for part in message.walk() if part.get_content_type() == "image/png"]
    return [(str(part["Content-ID"]).strip("<>"), part.get_content()) for part in parts]


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(templates_folder() / "demo"),
        autoescape=select_autoescape((".html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
