"""`pbem demo`: a campaign played through a service of its own, looked at from outside."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem import verify_dice
from pbem.demo.script import read_script

pytestmark = pytest.mark.long

SECONDS = 400  # a busy machine; the demonstration itself aims at two minutes


def letters(folder: Path) -> list[EmailMessage]:
    return [
        message_from_bytes(path.read_bytes(), policy=policy.default) for path in sorted(folder.glob("*.eml"))
    ]


def html_of(letter: EmailMessage) -> str:
    body = letter.get_body(("html",))
    return "" if body is None else str(body.get_content())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "demo"
    words = [sys.executable, "-m", "pbem", "demo", "--folder", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    log = folder / "service" / "service.log"
    assert done.returncode == 0, (
        f"{done.stdout}\n{done.stderr}\n{log.read_text()[-2000:] if log.exists() else ''}"
    )
    assert "was played to its end" in " ".join(done.stdout.split())
    return folder


def test_every_letter_lies_there_as_it_was_sent_and_as_a_page(demo: Path) -> None:
    index = (demo / "index.html").read_text("utf-8")
    files = [path for path in demo.rglob("*.eml") if "service" not in path.parts]
    assert len(files) > 60
    for path in files:
        page = path.with_suffix(".html")
        assert page.is_file()
        assert str(page.relative_to(demo)) in index and str(path.relative_to(demo)) in index


def test_no_letter_came_twice(demo: Path) -> None:
    ids = Counter(
        str(one["Message-ID"])
        for seat in read_script("fww").people
        for one in letters(demo / seat / "received")
    )
    assert ids and max(ids.values()) == 1


def test_everybody_was_written_to_in_his_own_language(demo: Path) -> None:
    script = read_script("fww")
    assert Counter(one.language for one in script.people.values())["fr"] == 2
    for seat, player in script.people.items():
        for letter in letters(demo / seat / "received"):
            assert f'<html lang="{player.language}"' in html_of(letter), letter["Subject"]


def test_one_writes_html_alone_and_one_forgets_a_turn(demo: Path) -> None:
    script = read_script("fww")
    (writer,) = [seat for seat, player in script.people.items() if player.client == "outlook"]
    replies = [one for one in letters(demo / writer / "written") if str(one["Subject"]).startswith("Re:")]
    assert replies and all(one.get_content_type() == "text/html" for one in replies)
    (forgetful,) = [
        seat for seat, player in script.people.items() if any(one.forgets for one in player.letters)
    ]
    told = [one.get_body(("plain",)) for one in letters(demo / forgetful / "received")]
    assert any(
        "You sent no orders before the deadline" in str(one.get_content()) for one in told if one is not None
    )


def test_one_players_letters_alone_prove_the_dice(demo: Path, tmp_path: Path) -> None:
    """The checker copied elsewhere, with nothing of ours beside it."""
    checker = shutil.copy(verify_dice.__file__, tmp_path / "verify_dice.py")
    mine = tmp_path / "letters"
    mine.mkdir()
    for path in (demo / "WA" / "received").glob("*.eml"):
        shutil.copy(path, mine)
    done = subprocess.run([sys.executable, "-I", checker, mine], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "caught: 0" in done.stdout
