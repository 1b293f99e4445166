"""The first page of the demo's gallery: what is to be seen, the best letters, links to all."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.demo import gallery
from pbem.demo.people import DemoLetter

DOT = b"\x89PNG\r\n\x1a\n"
PAGE = '<!DOCTYPE html><html lang="{language}"><body><p>{text}</p></body></html>'


def letter(number: int, text: str, *, language: str = "en", answers: int = 0, kind: str = "") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "umpire@pbem.example", "anna@pbem.example"
    message["Subject"], message["Message-ID"] = f"letter {number}", f"<{number}@pbem.example>"
    if answers:
        message["In-Reply-To"] = f"<{answers}@pbem.example>"
    message.set_content(text)
    message.add_alternative(PAGE.format(language=language, text=text), subtype="html")
    if kind in ("result", "final"):
        message.add_attachment(DOT, "image", "png", filename="map.png", cid="<map@pbem.example>")
    if kind == "result":
        message.add_attachment(b"BEGIN:VCALENDAR", "text", "calendar", filename="deadline.ics")
    return message


LETTERS = (
    (True, letter(1, "DEPLOY", kind="result")),
    (True, letter(2, "# C1: ATTACK 1\n# C1: ATTACK 2", kind="result")),
    (True, letter(3, "# C1: ATTAQUE 1", kind="result", language="fr")),
    (False, letter(4, "ORDERS\nC1: ATTACK 1\nEND", answers=2)),
    (True, letter(5, "Your orders are on file.", answers=4)),
    (True, letter(6, "It is over.", kind="final")),
)
BEST = {"result": 2, "orders": 4, "receipt": 5, "french": 3, "final": 6}


@pytest.mark.parametrize("drawn", [False, True])
def test_the_gallery_begins_with_the_best_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drawn: bool
) -> None:
    monkeypatch.setattr(gallery, "_browser", lambda: "browser" if drawn else None)
    monkeypatch.setattr(gallery, "_draw", lambda browser, page, target, size: target.write_bytes(DOT))
    made = gallery.Gallery(tmp_path, {"WA": "Anna"})
    for incoming, message in LETTERS:
        made.add(DemoLetter("WA", incoming, message.as_bytes()))
    index = made.write_index("FWW-1", "It took a minute.").read_text("utf-8")
    cards = index.partition('<div class="cards">')[2].partition("<table")[0]
    shown = [int(part.partition('"')[0]) for part in cards.split('title="letter ')[1:]]
    if drawn:
        shown = [int(part.partition('"')[0]) for part in cards.split('alt="letter ')[1:]]
        assert all((tmp_path / f"best-{about}.png").is_file() for about in BEST)
    assert shown == list(BEST.values())
    assert "played by four scripted people" in index and "En français" in index
    assert all(one.page in index and one.file in index for one in made.letters)
