"""Units, image, compose file: readable, they run what exists, as nobody privileged, with no secret inside."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pbem.ops.supervisor import worker_command
from pbem.settings import Settings
from tests.deploy.test_documents import complaint
from tests.deploy.yaml_subset import read_yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PBEM = "/opt/pbem/bin/"


def unit(path: Path) -> dict[str, list[str]]:
    """Section.Key -> values."""
    found: dict[str, list[str]] = {}
    section = ""
    for line in path.read_text("utf-8").replace("\\\n", " ").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, mark, value = line.partition("=")
            assert mark and re.fullmatch(r"[A-Za-z]+", key), line
            found.setdefault(f"{section}.{key}", []).append(" ".join(value.split()))
    return found


def workers_words(words: list[str]) -> list[str]:
    """Celery's words without the worker's own name and number of tasks."""
    own = {words.index("--hostname") + 1, words.index("--concurrency") + 1}
    return [word for place, word in enumerate(words) if place not in own]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_what_exists_as_nobody_privileged(path: Path) -> None:
    told = unit(path)
    (start,) = told["Service.ExecStart"]
    program, *words = start.split()
    assert ["pbem"] == told["Service.User"] and ["0700"] == told["Service.StateDirectoryMode"]
    assert ["PBEM_CONFIG=/etc/pbem/pbem.toml"] == told["Service.Environment"]
    match program.removeprefix(PBEM), words:
        case "pbem", _:
            assert "" == complaint(words, True)
        case "python", ["-m", "worker.poller"]:
            pass
        case "python", ["-m", "celery", *_]:
            assert workers_words(words) == workers_words(worker_command(2)[1:])
        case _:
            raise AssertionError(start)


def test_every_unit_that_stays_comes_back(tmp_path: Path) -> None:
    for path in UNITS:
        told = unit(path)
        stays = told["Service.Type"] == ["exec"]
        assert stays == (told.get("Service.Restart") == ["always"]) == ("Install.WantedBy" in told)
    hardening = unit(DEPLOY / "systemd" / "hardening.conf")
    for key, value in (
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("CapabilityBoundingSet", ""),
    ):
        assert [value] == hardening[f"Service.{key}"]
    parser = configparser.ConfigParser()
    parser.read(DEPLOY / "systemd" / "pbem-backup.timer")
    assert parser["Timer"]["OnCalendar"]


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """With the hardening beside each, and programs that exist in the place of ours."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("!!! SYSTEMD IS MISSING, ITS WORD ON THE UNITS IS NOT TESTED")
    files = []
    for path in [*UNITS, DEPLOY / "systemd" / "pbem-backup.timer"]:
        copy = tmp_path / path.name
        copy.write_text(re.sub(re.escape(PBEM) + r"\w+", sys.executable, path.read_text()))
        if path.suffix == ".service":
            beside = tmp_path / f"{path.name}.d"
            beside.mkdir()
            shutil.copy(DEPLOY / "systemd" / "hardening.conf", beside)
        files.append(str(copy))
    done = subprocess.run(
        [program, "verify", "--man=no", *files], capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "pbem" in line or str(tmp_path) in line]
    assert [] == ours


# ------------------------------------------------------------------ containers


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = read_yaml((DEPLOY / "compose.yaml").read_text("utf-8"))
    return found


def test_the_reader_of_yaml_refuses_what_it_does_not_know() -> None:
    assert {"a": {"b": [1, "two"], "c": "x y"}} == read_yaml('a:\n  b: [1, "two"]\n  c: x y\n')
    for text in ("a:\n\tb: 1\n", "a: 1\na: 2\n", "a: |\n  x\n", "a:\n    b: 1\n  c: 2\n", "a:\n"):
        with pytest.raises(ValueError, match="line"):
            read_yaml(text)


def test_compose_runs_what_exists(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert {"postgres", "redis", "poller", "worker", "metrics", "backup"} == set(services)
    for name, service in services.items():
        for network in service["networks"]:
            assert network in compose["networks"]
        for secret in service.get("secrets", ()):
            assert secret in compose["secrets"]
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source.startswith("./") or source in compose["volumes"]
        if service.get("image") == "pbem" and service["command"][0] == "pbem":
            assert "" == complaint(service["command"][1:], True), name
    worker = services["worker"]["command"]
    assert workers_words(worker[1:]) == workers_words(worker_command(2)[1:])
    assert ["python", "-m", "worker.poller"] == services["poller"]["command"]
    assert 1 == services["poller"]["deploy"]["replicas"] and services["worker"]["deploy"]["replicas"] >= 2


def test_nothing_is_open_and_no_secret_is_inside(compose: dict[str, Any]) -> None:
    services = compose["services"]
    ports = [port for service in services.values() for port in service.get("ports", ())]
    assert ["127.0.0.1:9464:9464"] == ports
    assert compose["networks"]["inside"]["internal"] is True
    assert ["inside"] == services["postgres"]["networks"] == services["redis"]["networks"]
    told = services["worker"]["environment"]
    passwords = {name: value for name, value in told.items() if "PASSWORD" in name}
    assert 3 == len(passwords) and all(value.startswith("/run/secrets/") for value in passwords.values())
    assert all(one["file"].startswith("./secrets/") for one in compose["secrets"].values())


def test_the_environment_of_compose_is_a_configuration(compose: dict[str, Any]) -> None:
    known: dict[str, Any] = {name.upper(): field for name, field in Settings.model_fields.items()}
    for name in compose["services"]["worker"]["environment"]:
        table = name.removeprefix("PBEM_").split("__")[0]
        assert table in known or name == "PBEM_CONFIG"


def test_the_image_is_pinned_unprivileged_and_watched() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    installs = [line for line in text.replace("\\\n", " ").split("&&") if "pip install" in line]
    assert installs and all("--require-hashes" in line or "--no-index" in line for line in installs)
    assert re.search(r"^USER pbem$", text, re.M) and 'CMD ["pbem", "health"]' in text
    root = DEPLOY.parent
    for copied in re.findall(r"^COPY (?!--from)(.+)$", text, re.M):
        assert all((root / source).exists() for source in copied.split()[:-1]), copied


def test_nothing_but_what_is_copied_goes_into_the_build() -> None:
    """A secret that lies below `deploy` never reaches the builder."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    copied = {one for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.M) for one in line.split()[:-1]}
    rules = (DEPLOY.parent / ".dockerignore").read_text("utf-8").split("\n")
    let_in = {rule[1:] for rule in rules if rule.startswith("!")}
    assert "*" in rules and copied == let_in


# ------------------------------------------------------------------ scripts


def test_check_tells_what_it_needs(tmp_path: Path) -> None:
    """The script joins `pbem check` and `pbem health`; without a running service the second complains."""
    here = os.environ | {
        "PBEM": str(Path(sys.executable).parent / "pbem"),
        "PBEM_DATA": str(tmp_path / "data"),
    }
    done = subprocess.run(
        [DEPLOY / "check"], env=here, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert 1 == done.returncode
    assert "what it needs" in done.stdout and "how it runs" in done.stdout
    assert "there is no service here" in done.stderr and not (tmp_path / "data").exists()
    none = subprocess.run(
        [DEPLOY / "check"], env=here | {"PBEM": "no-such-pbem"}, capture_output=True, check=False
    )
    assert 2 == none.returncode


class _Authority(BaseHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012 - of the one test

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.asked.append(f"{self.path} {body}")
        good = "client_secret=s3cret" in body
        self.send_response(200 if good else 401)
        self.end_headers()
        self.wfile.write(b'{"access_token": "T-%d", "expires_in": 3600}' % len(self.asked) if good else b"{}")

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def authority() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Authority)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_microsofts_token_is_fetched_once_an_hour(tmp_path: Path, authority: str) -> None:
    told, secret, cache = tmp_path / "m.toml", tmp_path / "secret", tmp_path / "token"
    secret.write_text("s3cret\n")
    told.write_text(
        f'tenant = "T1"\nclient = "C1"\nsecret_file = "{secret}"\ncache = "{cache}"\n'
        f'authority = "{authority}"\n'
    )
    words = [sys.executable, str(DEPLOY / "microsoft-token"), str(told)]

    def fetched() -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, check=False)

    assert ["T-1\n", "T-1\n"] == [fetched().stdout, fetched().stdout]
    assert 1 == len(_Authority.asked) and _Authority.asked[0].startswith(
        "/T1/oauth2/v2.0/token grant_type=client"
    )
    assert 0o600 == cache.stat().st_mode & 0o777
    cache.write_text('{"token": "T-1", "until": 5}')
    assert "T-2\n" == fetched().stdout
    cache.unlink()
    secret.write_text("wrong\n")
    refused = fetched()
    assert (1, "") == (refused.returncode, refused.stdout) and "401" in refused.stderr
    assert "wrong" not in refused.stderr
