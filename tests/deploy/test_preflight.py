"""`pbem check` on installations that are ready, and on those that are not: each fault named by itself."""

from __future__ import annotations

import json
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pbem.campaigns.outages import DOUBT, is_clock_in_doubt
from pbem.context import service_context
from pbem.embedded.accounts import umpire_password
from pbem.ops.preflight import check
from pbem.settings import read_settings
from pbem.store.deadlines import record_pulse
from tests.ops.conftest import HOST, Mail, Run, mail  # noqa: F401 - a fixture
from tests.servers import LOOPBACK, free_port

READY = """mailbox = "umpire@{host}"
data = "data"
redis = "{redis}"

[imap]
host = "{loopback}"
port = {imap}
security = "none"
user = "umpire"
password_file = "imap.password"

[smtp]
host = "{loopback}"
port = {smtp}
security = "none"
"""


@pytest.fixture
def ready(tmp_path: Path, mail: Mail, redis_url: str) -> Path:  # noqa: F811
    """A configuration all of whose servers are there."""
    path, secret = tmp_path / "pbem.toml", tmp_path / "imap.password"
    secret.touch(0o600)
    secret.write_text(f"{umpire_password(mail.folder)}\n")
    path.touch(0o600)
    path.write_text(
        READY.format(host=HOST, loopback=LOOPBACK, redis=redis_url, imap=mail.imap, smtp=mail.smtp)
    )
    service_context(read_settings(path, {})).db.dispose()
    return path


def wrong(path: Path) -> dict[str, str]:
    return {one.what: one.told for one in check(path) if not one.well}


def changed(path: Path, old: str, new: str) -> Path:
    told = path.read_text()
    assert old in told
    path.write_text(told.replace(old, new))
    return path


def test_one_that_is_ready(ready: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_DATA")
    assert {} == wrong(ready)
    done = run("check", "--config", ready)
    assert 0 == done.exit_code and all(line.startswith("ok  ") for line in done.stdout.splitlines())
    looked = {line.split("  ")[1].strip() for line in done.stdout.splitlines()}
    assert {"configuration", "disk", "redis", "database", "schema", "clock", "imap", "smtp"} <= looked
    told = json.loads(run("check", "--json", "--config", ready).stdout)
    assert told["well"] and len(told["findings"]) == len(done.stdout.splitlines())


def test_it_leaves_the_database_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pbem.toml"
    path.touch(0o600)
    path.write_text('data = "data"\n')
    assert {"imap", "smtp"} == set(wrong(path))  # nothing comes in, nothing goes out
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("old", "new", "what", "told"),
    [
        ("[smtp]", "[smtp]\nhots = 1", "configuration", "smtp.hots: no such key"),
        ('data = "data"', 'data = "data', "configuration", "pbem.toml"),
        ('user = "umpire"', 'user = "anna"', "imap", "LoginError"),
        ('"imap.password"', '"gone.password"', "imap", "gone.password: No such file"),
        ("[smtp]", '[smtp]\nuser = "umpire"\npassword = "hunter2"', "smtp", "535"),
        ('redis = "', 'redis = "redis+socket:///none', "redis", "does not answer"),
        (
            'data = "data"',
            'data = "data"\ndatabase = "postgresql://u:hunter2@127.0.0.1:1/x"',
            "database",
            "does not answer (OperationalError)",
        ),
        (
            'password_file = "imap.password"',
            f'token_command = ["{sys.executable}", "-c", "raise SystemExit(3)"]',
            "imap",
            "ended with 3",
        ),
    ],
)
def test_what_is_wrong_is_told_and_no_password(ready: Path, old: str, new: str, what: str, told: str) -> None:
    found = wrong(changed(ready, old, new))
    assert [what] == list(found) and told in found[what]
    assert "hunter2" not in str(found)


def test_servers_that_are_not_there(ready: Path, mail: Mail) -> None:  # noqa: F811
    nobody = free_port()
    found = wrong(changed(changed(ready, str(mail.imap), str(nobody)), str(mail.smtp), str(nobody)))
    assert {"imap", "smtp"} == set(found) and "refused" in found["imap"].lower()


@pytest.mark.parametrize(
    ("name", "mode", "what"),
    [
        ("data", 0o755, "data folder"),
        ("data/pbem.db", 0o644, "database file"),
        ("imap.password", 0o604, "imap password file"),
        ("pbem.toml", 0o644, "configuration file"),
        ("data", 0o777, "data folder"),
        ("data", 0o702, "data folder"),
        ("data", 0o701, "data folder"),
    ],
)
def test_what_others_may_read(ready: Path, name: str, mode: int, what: str) -> None:
    (ready.parent / name).chmod(mode)
    found = wrong(ready)
    assert [what] == list(found) and f"mode {mode:o}" in found[what]
    for bit, word in ((4, "read"), (2, "changed"), (1, "entered")):
        assert (word in found[what].partition(" can be ")[2]) is bool(mode & bit)


def test_a_database_that_can_only_be_read(ready: Path) -> None:
    file = ready.parent / "data" / "pbem.db"
    before = file.read_bytes()
    url = f"sqlite:///file:{file}?mode=ro&uri=true"
    found = wrong(changed(ready, 'data = "data"', f'data = "data"\ndatabase = "{url}"'))
    assert ["database"] == list(found) and "can only be read" in found["database"]
    assert before == file.read_bytes()


# ------------------------------------------------------------------ the mailbox


def test_an_inbox_that_is_not_there(ready: Path) -> None:
    found = wrong(changed(ready, 'user = "umpire"', 'user = "umpire"\ninbox = "Nowhere"'))
    assert ["imap"] == list(found) and "Nowhere" in found["imap"]


def test_the_inbox_is_opened(ready: Path) -> None:
    (told,) = (one.told for one in check(ready) if one.what == "imap")
    assert "can read INBOX (UIDVALIDITY " in told


def test_a_server_that_tells_no_uidvalidity(ready: Path, mail: Mail) -> None:  # noqa: F811
    with forgetful(mail.imap) as port:
        found = wrong(changed(ready, f"port = {mail.imap}", f"port = {port}"))
    assert ["imap"] == list(found) and "INBOX: the server tells no UIDVALIDITY" in found["imap"]


@contextmanager
def forgetful(target: int) -> Iterator[int]:
    """The port of a wire to the IMAP server that loses every line with a UIDVALIDITY."""

    class Forwards(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with socket.create_connection((LOOPBACK, target)) as server:
                there = threading.Thread(target=self._send, args=(server,), daemon=True)
                there.start()
                for line in server.makefile("rb"):
                    if b"UIDVALIDITY" not in line:
                        self.wfile.write(line)

        def _send(self, server: socket.socket) -> None:
            for line in self.rfile:
                server.sendall(line)
            server.shutdown(socket.SHUT_RDWR)

    with socketserver.ThreadingTCPServer((LOOPBACK, 0), Forwards) as wire:
        wire.daemon_threads = True
        threading.Thread(target=wire.serve_forever, daemon=True).start()
        yield wire.server_address[1]
        wire.shutdown()


def told(path: Path, statement: str) -> None:
    service = service_context(read_settings(path, {}))
    with service.db.begin() as tx:
        tx.execute(text(statement))
    service.db.dispose()


def test_a_database_of_newer_code(ready: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_DATA")
    told(ready, "UPDATE alembic_version SET version_num = '9999'")
    assert {"schema": "the database has schema 9999: it was made by newer code"} == wrong(ready)
    done = run("status", "--config", ready)
    assert done.exit_code != 0 and "it was made by newer code" in done.stderr


def test_a_clock_in_doubt(ready: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_DATA")
    done = run("clock", "--config", ready)
    assert 0 == done.exit_code and "not in doubt" in done.stdout
    service = service_context(read_settings(ready, {}))
    now = service.now()
    record_pulse(service.db, DOUBT, now, {"since": now.isoformat(), "jump": 86400})
    assert ["service's clock"] == list(wrong(ready))
    doubted: Any = run("clock", "--config", ready)
    assert 1 == doubted.exit_code and "it jumped by 86400 s" in doubted.stdout
    assert 0 == run("clock", "--right", "--config", ready).exit_code
    assert not is_clock_in_doubt(service.db) and {} == wrong(ready)
    service.db.dispose()


def test_a_token_command_that_hangs(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.settings.TOKEN_SECONDS", 0.2)
    hangs = f'token_command = ["{sys.executable}", "-c", "import time; time.sleep(9)"]'
    found = wrong(changed(ready, 'password_file = "imap.password"', hangs))
    assert "does not come to an end" in found["imap"]


def test_the_program_by_itself(ready: Path) -> None:
    words = [sys.executable, "-m", "pbem", "check", "--config", str(ready)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr), done.stdout
