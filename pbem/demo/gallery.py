"""Every letter of the demonstration in a folder: as it was sent, as a page, and an index of all."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from threading import Lock

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from pbem.demo.people import PlayerMailbox
from pbem.resources import templates_folder

SHOWN_HEADERS = ("From", "To", "Reply-To", "Subject", "Date", "Auto-Submitted", "List-Id")


@dataclass(frozen=True, slots=True)
class Hung:
    """A letter of the index."""

    seat: str
    incoming: bool
    player: str
    time: str
    subject: str
    page: str
    file: str


class Gallery:
    """Letters as they come and go, from several threads."""

    def __init__(self, folder: Path, names: dict[str, str]) -> None:
        self.folder, self._names = folder, names
        self.hung: list[Hung] = []
        self._alone = Lock()
        for seat in names:
            for way in ("received", "written"):
                (folder / seat / way).mkdir(parents=True)

    def hang(self, post: PlayerMailbox) -> None:
        """Write one letter."""
        message = message_from_bytes(post.raw, policy=policy.default)
        assert isinstance(message, EmailMessage)
        with self._alone:
            way = "received" if post.incoming else "written"
            name = f"{post.seat}/{way}/{len(self.hung) + 1:03}"
            subject, time = str(message["Subject"]), datetime.now(UTC).strftime("%H:%M:%S")
            (self.folder / f"{name}.eml").write_bytes(post.raw)
            (self.folder / f"{name}.html").write_text(_page(message), "utf-8")
            files = (f"{name}.html", f"{name}.eml")
            self.hung.append(Hung(post.seat, post.incoming, self._names[post.seat], time, subject, *files))

    def index(self, campaign: str, summary: str) -> Path:
        """The page that leads to all others."""
        page = _templates().get_template("index.html.j2")
        path = self.folder / "index.html"
        path.write_text(page.render(campaign=campaign, summary=summary, letters=self.hung), "utf-8")
        return path


def _page(message: EmailMessage) -> str:
    """What a mail program shows: the HTML with its pictures, or the text."""
    headers = [(name, str(message[name])) for name in SHOWN_HEADERS if name in message]
    return (
        _templates()
        .get_template("letter.html.j2")
        .render(subject=str(message["Subject"]), headers=headers, html=_html(message), text=_text(message))
    )


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    return body.get_content() if body is not None else ""


def _html(message: EmailMessage) -> str:
    """The HTML's body with the pictures put into it."""
    body = message.get_body(("html",))
    if body is None:
        return ""
    html: str = body.get_content()
    for part in message.walk():
        if part.get_content_maintype() == "image" and (cid := part.get("Content-ID")) is not None:
            picture = b64encode(part.get_payload(decode=True)).decode()  # type: ignore[arg-type]  # bytes
            html = html.replace(f"cid:{cid.strip('<>')}", f"data:image/png;base64,{picture}")
    inner = re.search(r"<body[^>]*>(.*)</body>", html, re.DOTALL | re.IGNORECASE)
    return inner[1] if inner else html


def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(templates_folder() / "demo"),
        autoescape=select_autoescape((".html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
