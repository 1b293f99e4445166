"""Configuration: from nothing, from a file, from the environment; every mistake named by its place."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.cli.main import app
from pbem.cli.serve import _show_places
from pbem.context import imap_server, service_context, smtp_server
from pbem.errors import BadInput
from pbem.settings import LONGEST_SOCKET_PATH, read_settings

SERVERS = """
mailbox = "Umpire@Example.org"
[imap]
host = "imap.example.org"
user = "umpire"
password_file = "imap.secret"
[smtp]
host = "smtp.example.org"
password = "two"
[house]
umpires = ["boss@example.org"]
zone = "Europe/Paris"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "service.toml"
    path.write_text(text, "utf-8")
    return path


def test_without_a_word_everything_is_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = read_settings(environment={})
    assert tmp_path / "pbem-data" == found.data
    assert found.data / "pbem.db" == found.database_url
    assert "none" == found.mail_kind and imap_server(found) is None and smtp_server(found) is None
    assert found.redis_is_ours and found.redis_url == f"redis+socket://{found.redis_socket}"


def test_a_file_names_servers_and_its_paths_start_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "imap.secret").write_text("one\nmore\n")
    found = read_settings(written(tmp_path, SERVERS), {})
    told = imap_server(found)
    assert told is not None
    assert ("imap.example.org", 993, "tls", "one") == (
        told[0].host,
        told[0].port,
        told[0].security,
        told[0].password,
    )
    out = smtp_server(found)
    assert out is not None and ("two", "starttls", "example.org") == (
        out.password,
        out.security,
        out.our_name,
    )
    assert "umpire@example.org" == found.mailbox and tmp_path / "pbem-data" == found.data
    assert "" == found.authserv_id == service_context(found).sender_proof.authserv_id


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    spoken = {
        "PBEM_IMAP__PORT": "1143",
        "PBEM_HOUSE__UMPIRES": "a@x.example,b@y.example",
        "PBEM_IMAP__PASSWORD_ENV": "SECRET",
        "PBEM_TRACEBACK": "1",
    }
    text = SERVERS.replace('password_file = "imap.secret"\n', "")
    found = read_settings(written(tmp_path, text), spoken)
    assert found.imap is not None and 1143 == found.imap.port
    assert ("a@x.example", "b@y.example") == found.house.umpires
    with pytest.raises(BadInput, match=r"imap.password_env: SECRET is not in the environment"):
        imap_server(found)


def test_the_context_has_the_profile_and_a_private_database(tmp_path: Path) -> None:
    found = read_settings(written(tmp_path, SERVERS), {})
    service = service_context(found)
    assert "umpire@example.org" == service.addresses.mailbox
    assert ("boss@example.org",) == service.profile.umpires and "Europe/Paris" == service.profile.zone
    assert 0o700 == stat.S_IMODE(found.data.stat().st_mode)
    assert 0o600 == stat.S_IMODE((found.data / "pbem.db").stat().st_mode)
    service.db.dispose()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("mailbox = ", r"service.toml: Invalid value"),
        ("mailbx = 'a@b.example'", r"service.toml: mailbx: no such key"),
        ("[imap]\nhost = 'x'\nprt = 1\n", r"service.toml: imap.prt: no such key"),
        ("[imap]\nhost = 'x'\n", r"\[imap\] is given and \[smtp\] is not"),
        (
            "[imap]\nhots = 'x'\nport = 0\n",
            r"imap.hots: no such key; \S+ imap.host: missing; \S+ imap.port: Input",
        ),
        ("mail = 'servers'", r"mail = 'servers' needs \[imap\] and \[smtp\]"),
        ("[house]\nzone = 'Mars'", r"house.zone: no time zone 'Mars'"),
        ("[house]\numpires = ['x']", r"house.umpires: 'x' is no mail address"),
        ("[house]\numpires = 'x@y.example,z@y.example'", r"house.umpires: Input should be a valid tuple"),
        ("house = 1", r"house: Input should be a valid dictionary"),
        ("mailbox = 'a+b@c.example'", r"mailbox: 'a\+b@c.example' may hold no '\+'"),
        ("[worker]\nconcurrency = 0", r"worker.concurrency: Input should be greater"),
        (
            "[imap]\nhost='x'\npassword='s3cret'\npassword_env='S'\n",
            r"imap: password and password_env are given",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as told:
        read_settings(written(tmp_path, text), {})
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("PBEM_MAILBOX", "nobody", "PBEM_MAILBOX: 'nobody' is no mail address"),
        ("PBEM_WORKER__CONCURRENCY", "many", "PBEM_WORKER__CONCURRENCY: Input should be a valid integer"),
        ("PBEM_NONSENSE", "1", "PBEM_NONSENSE: no such key"),
        ("PBEM_MAIL", "servers", "^PBEM_MAIL: mail = 'servers' needs"),
        ("PBEM_IMAP__USER", "x", "^PBEM_IMAP__HOST: missing"),
        ("PBEM_NONSENSE__DEEP", "1", "PBEM_NONSENSE__DEEP: no such key"),
        ("PBEM_MAILBOX__HOST", "x", "PBEM_MAILBOX__HOST: no such key"),
        ("PBEM_IMAP__PRT", "1", "PBEM_IMAP__PRT: no such key; PBEM_IMAP__HOST: missing"),
        ("PBEM_HOUSE", "x", "PBEM_HOUSE: Input should be a valid dictionary"),
        ("PBEM_HOUSE__UMPIRES", "x,y", "PBEM_HOUSE__UMPIRES: 'x' is no mail address; .*'y' is no"),
        ("PBEM_CONFIG", "nowhere.toml", "nowhere.toml: there is no such configuration"),
    ],
)
def test_a_mistake_in_the_environment_is_told_by_its_name(name: str, value: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read_settings(environment={name: value})


def test_no_secret_is_shown(tmp_path: Path) -> None:
    text = SERVERS + "[worker]\nconcurrency = 3\n"
    text = f'database = "postgresql://u:hidden@h/d"\nredis = "redis://:hidden@h"\n{text}'.replace(
        "two", "hidden"
    )
    found = read_settings(written(tmp_path, text), {})
    assert "hidden" not in repr(found) and "hidden" not in repr(smtp_server(found))


def test_a_data_folder_far_down_has_its_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    found = read_settings(environment={}, overrides={"data": deep})
    assert len(str(found.redis_socket)) <= LONGEST_SOCKET_PATH
    again = read_settings(environment={}, overrides={"data": deep})
    other = read_settings(environment={}, overrides={"data": deep / "e"})
    assert found.redis_socket == again.redis_socket != other.redis_socket


def test_what_init_writes_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_CONFIG", raising=False)
    runner = CliRunner()
    done = runner.invoke(app, ["init", str(tmp_path), "--mailbox", "games@club.example"])
    assert 0 == done.exit_code, done.output
    path = tmp_path / "pbem.toml"
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE((tmp_path / "pbem-data").stat().st_mode)
    assert "games@club.example" == read_settings(path, {}).mailbox
    uncommented = "\n".join(
        line.removeprefix("# ")
        for line in path.read_text("utf-8").splitlines()
        if " = " in line or "[" in line
    )
    path.write_text(uncommented, "utf-8")
    every = read_settings(path, {})
    assert every.imap is not None and every.smtp is not None and "embedded" == every.mail_kind
    assert 2 == runner.invoke(app, ["init", str(tmp_path)]).exit_code


def test_an_option_of_the_command_line_is_blamed_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["serve", "--mail", "nonsense"])
    assert 2 == done.exit_code and done.stderr.startswith("pbem: --mail: ")
    assert [] == list(tmp_path.iterdir())


def test_where_a_service_without_servers_begins_its_tables_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    _show_places(read_settings(environment={}), None)
    assert "name [imap] and [smtp], or --mail embedded" in capsys.readouterr().out
