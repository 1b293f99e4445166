"""The whole path with real parts: letters through Postfix and Dovecot, a turn played, letters back.

A service as `pbem serve` runs it, on PostgreSQL and Redis with two workers, one of which is killed while it
works. People sign up, play and rule by mail alone, and everything is looked at from their mailboxes.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from email.utils import parseaddr
from functools import partial
from pathlib import Path

import pytest

from pbem import verify_dice
from pbem.store.advance import frozen_close
from pbem.store.campaigns import campaign_row
from pbem.store.journal import read_journal
from pbem.store.schema_mail import inbox, outbox
from pbem.store.windows import open_window
from tests.flow.by_mail import Fetched, Person, Stage, embedded, on_servers
from tests.packages import Missing
from tests.running import SECONDS, children, descendants, is_alive, named, until, work_done

NAME = "FWW-1"

ALLIES = {
    "T1.D": """Bonjour,

CONSIGNES
WA DÉFENSE TOUS: TUILE MEILLEURE MENE PLUSFORTE
EA DÉFENSE TOUS: TUILE MEILLEURE MENE PLUSFORTE
FIN

PRÊTE
""",
    "T1.R": """ORDRES
WA C1: ATTAQUE 3
WA C2: ATTAQUE 4
WA C3: PASSE
WA C4: PASSE
EA C1: ATTAQUE 9
EA C2: PASSE
EA C3: PASSE
EA C4: PASSE
FIN
Merci !
""",
    "T1.V": "PRÊTE\n",
}
CENTRAL = {
    "T1.D": "ORDERS\nDE DEPLOY 3D > 1, 2D > 8, D > 4\nEND\n\nGood luck!\n",
    "T1.R": """ORDERS
DE C1: ATTACK 1
DE C2: ATTACK 8
DE C3: PASS
DE C4: PASS
GA C1: ATTACK 9
GA C2: PASS
GA C3: PASS
GA C4: PASS
END
""",
    "T1.V": "READY\n",
}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    try:
        with on_servers(tmp_path) as running:
            yield running
    except Missing as reason:
        pytest.skip(f"!!! A SERVER IS MISSING, THE WHOLE PATH BY MAIL IS NOT TESTED: {reason}")


@pytest.mark.slow  # four servers and a service are started, and two seats' maps painted for four windows
def test_a_turn_by_mail(stage: Stage, tmp_path: Path) -> None:
    jeanne, karl = gathered(stage)
    play(stage, jeanne, karl, "T1.D", 1)
    play(stage, jeanne, karl, "T1.R", 2, kills=True)
    play(stage, jeanne, karl, "T1.V", 3)
    stage.until_all_is_done()
    look_at_letters(jeanne, "fr", "ALLIES")
    look_at_letters(karl, "en", "CENTRAL")
    dice_are_proved(karl, tmp_path / "karl")
    hold_and_release(stage, jeanne, karl)
    commands_tell(stage)
    everything_is_in_its_place(stage, jeanne, karl)
    closes = [line.data["t"] for line in read_journal(stage.service.db, NAME) if line.data["k"] == "close"]
    assert [2, 3, 4] == closes  # the opening is the first Close and leaves no line


@pytest.mark.long
def test_the_first_window_by_mail_with_everything_embedded(tmp_path: Path) -> None:
    with embedded(tmp_path, ("jeanne", "karl", "ursula")) as stage:
        jeanne, karl = gathered(stage)
        play(stage, jeanne, karl, "T1.D", 1)
        everything_is_in_its_place(stage, jeanne, karl)
        assert "T1.R" in stage.command("status")


# ------------------------------------------------------------------ the course of things


def gathered(stage: Stage) -> tuple[Person, Person]:
    """A campaign is opened, two people sign up by mail, and the first letters come."""
    assert f"{NAME} is open" in stage.command("open", "fww", "--players", "2")
    jeanne = stage.person("Jeanne Dubois", "jeanne", "fr", "outlook")
    karl = stage.person("Karl Brandt", "karl", "en", "top")
    for one, words in ((jeanne, f"INSCRIPTION {NAME} ALLIES\n"), (karl, f"SIGNUP {NAME} CENTRAL\n")):
        question = one.gets_answer(words, subject="Hello")
        assert NAME in question.text and one.address not in question.text
        one.gets_answer("CONFIRM\n", question)
    for one in (jeanne, karl):
        assert "verify_dice" in " ".join(one.gets("invitation").enclosed)
        one.gets("result")
    return jeanne, karl


def play(stage: Stage, jeanne: Person, karl: Person, window: str, number: int, kills: bool = False) -> None:
    """Both answer the result letter that asks; when both are in, the next one comes."""
    before = open_window(stage.service.db, NAME)
    assert before is not None and (window, number) == (before.key, before.number)
    for one, words in ((jeanne, ALLIES), (karl, CENTRAL)):
        one.writes(words[window], one.gets("result", number))
    if kills:
        kill_a_worker_at_work(stage)
    for one in (jeanne, karl):
        one.gets("result", number + 1)


def kill_a_worker_at_work(stage: Stage) -> None:
    """The one that carries out the Close, before it has committed anything."""
    head = until(lambda: _with_a_pool(stage.running.process.pid), what="no worker has both its processes")
    pool = children(head)
    end = time.monotonic() + SECONDS
    while frozen_close(stage.service.db, NAME) is None:
        assert time.monotonic() < end, "the window does not close"
        time.sleep(0.01)
    victim = _who_works(pool)
    os.kill(victim, signal.SIGKILL)
    assert frozen_close(stage.service.db, NAME) is not None, "it was done before it could be killed"
    until(lambda: not is_alive(victim))
    until(lambda: 2 == len(children(head)), SECONDS, "nobody takes its place")
    log = stage.folder / "pbem-data" / "log" / "worker.log"
    until(lambda: _came_twice(log.read_text(errors="replace")), what="the killed worker's task is lost")


def _with_a_pool(service: int) -> int | None:
    heads = named(descendants(service), "celery")
    return next((pid for pid in heads if 2 == len(children(pid))), None)


def _who_works(pool: list[int]) -> int:
    """The first of them to have worked for a sixth of a second: letters are sent in far less."""
    before, end = {pid: work_done(pid) for pid in pool}, time.monotonic() + SECONDS
    while time.monotonic() < end:
        for pid in pool:
            if work_done(pid) - before[pid] > os.sysconf("SC_CLK_TCK") / 6:
                return pid
        time.sleep(0.01)
    raise AssertionError("nobody works")


def _came_twice(log: str) -> bool:
    """Is there an adjudication that was given out a second time?"""
    tasks = Counter(re.findall(r"Task (pbem\.adjudicate\[[^]]+\]) received", log))
    return 2 in tasks.values()


def hold_and_release(stage: Stage, jeanne: Person, karl: Person) -> None:
    """The umpire's word by letter counts when it is confirmed, and everybody hears of it."""
    ursula = stage.person("Ursula Ump", "ursula", "en", "top")
    notices = {one.address: len(one.letters("notice")) for one in (jeanne, karl)}
    for number, (words, held) in enumerate((("HOLD because of snow", "of snow"), ("RELEASE", None)), 1):
        was = campaign_row(stage.service.db, NAME).held
        question = ursula.gets_answer(words, subject=f"[{NAME}]")
        assert "CONFIRM" in question.text and was == campaign_row(stage.service.db, NAME).held
        ursula.gets_answer("CONFIRM\n", question)
        assert held == campaign_row(stage.service.db, NAME).held
        for one in (jeanne, karl):
            told = one.gets("notice", notices[one.address] + number)
            assert ("of snow" in told.text) == (held is not None)


# ------------------------------------------------------------------ what is looked at


def look_at_letters(reader: Person, language: str, seat: str) -> None:
    """Kinds and subjects, one result a window, everything enclosed, one thread, nothing twice."""
    letters = reader.letters()
    kinds = Counter(one.kind for one in letters)
    assert 1 == kinds["invitation"] and 4 == kinds["result"], kinds
    results = [one for one in letters if one.kind == "result"]
    assert [1, 2, 3, 4] == [one.window for one in results]
    assert not [name for name, number in Counter(one.id for one in letters).items() if number > 1]
    for one in letters:
        if one.kind != "question" and one.kind != "answer":
            assert one.subject.startswith(f"[{NAME}] ")
        html = one.message.get_body(("html",))
        assert html is not None and f'lang="{language}"' in html.get_content()[:400]
        assert reader.address == parseaddr(str(one.message["To"]))[1]
    words = ("CE QUI S’EST PASSÉ", "ORDRES FWW-1") if language == "fr" else ("WHAT HAPPENED", "ORDERS FWW-1")
    for one in results:
        assert all(word in one.text for word in words)
        assert "audit.json" in one.enclosed and any(name.endswith(".ics") for name in one.enclosed)
        assert any(part.get_content_type() == "image/png" for part in one.message.walk())
        token = parseaddr(str(one.message["Reply-To"]))[1]
        assert token.startswith(f"umpire+{NAME}.{seat}.".lower())
    _one_thread(letters)


def _one_thread(letters: list[Fetched]) -> None:
    """The invitation begins it; every later letter of the campaign refers to it."""
    (first,) = [one for one in letters if one.kind == "invitation"]
    for one in letters:
        if one.kind in ("result", "notice", "receipt"):
            assert first.id in str(one.message["References"]), (one.kind, one.subject)


def dice_are_proved(reader: Person, folder: Path) -> None:
    """By the one-file checker, from one player's letters alone."""
    folder.mkdir()
    for number, one in enumerate(reader.letters()):
        (folder / f"{number}.eml").write_bytes(one.raw)
    words = [sys.executable, "-I", str(Path(verify_dice.__file__)), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    missing = [line for line in done.stdout.splitlines() if line.startswith("MISSING ")]
    assert done.returncode == (3 if missing else 0), done.stdout + done.stderr
    assert all("receipt or copy of a letter" in line for line in missing), missing  # of a last letter
    assert "4 Closes" in done.stdout and "caught: 0" in done.stdout


def everything_is_in_its_place(stage: Stage, *people: Person) -> None:
    """No letter is forgotten, in the mailbag or on the mail server; what was sent arrived, once."""
    stage.until_all_is_done()
    came = stage.rows(inbox, "state", "reason")
    assert {"applied", "held"} >= {state for state, _ in came}, came
    until(lambda: stage.folders().get("Processed") == len(came), SECONDS, "letters are not put away")
    assert {"INBOX": 0, "Rejected": 0, "Quarantine": 0}.items() <= stage.folders().items()
    ours = stage.rows(outbox, "message_id", "state", "recipient")
    assert {"sent", "withdrawn"} >= {state for _, state, _ in ours}, ours
    for one in people:
        sent = [name for name, state, to in ours if to == one.address and state == "sent"]
        until(partial(_has_letters, one, len(sent)))
        assert sorted(sent) == sorted(letter.id for letter in one.letters())


def _has_letters(one: Person, number: int) -> bool:
    return len(one.letters()) >= number


def commands_tell(stage: Stage) -> None:
    stage.until_all_is_done()
    status = stage.command("status")
    assert NAME in status and "running" in status and "T2" in status
    assert "ALLIES" in stage.command("status", NAME)
    letters = stage.command("letters", NAME)
    assert "applied" in letters and "result" in letters and "sent" in letters
    assert "waiting" not in letters and "@" not in letters
    health = stage.command("health")
    assert "!!" not in health and "postgresql" in health
