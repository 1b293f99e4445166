"""What the documents tell people to type exists: commands, options, keys, figures, files."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from pbem.campaigns.policy import read_policy, write_policy
from pbem.cli.main import COMMANDS, app
from pbem.ops.metrics import Counters, figures_text
from pbem.settings import read_settings
from tests.campaigns_at_hand import AtHand

ROOT = Path(__file__).resolve().parents[2]
OPERATORS, UMPIRES = ROOT / "docs" / "operators.md", ROOT / "docs" / "umpires.md"
DOCUMENTS = (ROOT / "README.md", OPERATORS, UMPIRES)
SHELL = re.compile(r"^```(?:sh)?\n(.*?)^```$", re.M | re.S)
TOML = re.compile(r"^```toml\n(.*?)^```$", re.M | re.S)
INLINE = re.compile(r"`pbem ([^`]+)`")
TYPED = re.compile(r"(?:^|[\s/])pbem ([a-z].*)$")
ASKS = ("account",)  # it would ask for a password

group: Any = typer.main.get_command(app)


def typed_lines(text: str) -> list[list[str]]:
    """Every call of `pbem` in a block to be typed, as words after the program's name."""
    found = []
    for block in SHELL.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"&&|;|\|", line.partition(" #")[0]):
                match = TYPED.search(part.strip())
                if match and match[1].split()[0] in COMMANDS:
                    found.append(shlex.split(match[1]))
    return found


def complaint(words: list[str], whole: bool) -> str:
    """What the command line says to these words; "": it understands them."""
    name, *rest = words
    if name not in COMMANDS:
        return f"no command {name}"
    _, command, _ = group.resolve_command(click.Context(group), [name])
    if not whole or name in ASKS:
        known = {word for parameter in command.params for word in getattr(parameter, "opts", ())}
        return " ".join(word for word in rest if word.startswith("-") and word not in known)
    try:
        command.make_context(name, rest)
    except Exception as refusal:
        return f"{type(refusal).__name__}: {refusal}"
    return ""


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_to_be_typed_is_understood(path: Path) -> None:
    text = path.read_text("utf-8")
    typed = typed_lines(text)
    assert len(typed) >= 3
    inline = [match.replace("\n", " ").split() for match in INLINE.findall(text)]
    assert [] == [(words, told) for words in typed if (told := complaint(words, True))]
    named = [words for words in inline if re.fullmatch(r"[a-z]+", words[0])]
    assert named
    assert [] == [(words, told) for words in named if (told := complaint(words, False))]


def test_wrong_words_are_noticed() -> None:
    assert complaint(["replay", "--all-closed"], True) and complaint(["replay", "--all-closed"], False)
    assert complaint(["requeue", "--out"], True) and complaint(["dance"], False)
    assert not complaint(["requeue", "7", "--out"], True)
    assert [["backup", "--keep", "3"]] == typed_lines(
        "```\n/opt/x/bin/pbem backup --keep 3 && ls  # so\n```\n"
    )


def test_every_command_stands_in_a_document() -> None:
    text = "".join(path.read_text("utf-8") for path in DOCUMENTS)
    assert set() == {name for name in COMMANDS if f"pbem {name}" not in text and f"`{name}" not in text}


def test_make_knows_what_the_documents_name() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    named = {name for path in DOCUMENTS for name in re.findall(r"^make ([a-z]+)", path.read_text(), re.M)}
    assert named and named <= targets


def test_configurations_for_operators_can_be_read(tmp_path: Path) -> None:
    blocks = TOML.findall(OPERATORS.read_text("utf-8"))
    assert 3 == len(blocks)
    for block in blocks:
        path = tmp_path / "pbem.toml"
        path.write_text(block, "utf-8")
        told = read_settings(path, {})
        assert "servers" == told.mail_kind and told.imap is not None and told.imap.user == told.mailbox


def test_the_policy_for_umpires_can_be_read_and_has_every_key() -> None:
    (block,) = [one for one in TOML.findall(UMPIRES.read_text("utf-8")) if one.startswith("# policy.toml")]
    written = tomllib.loads(block)
    whole = write_policy(read_policy(written))
    assert set(written) == set(whole) and set(written["clock"]) == set(whole["clock"])
    assert set(written["clock"]["phases"][""]) == set(whole["clock"]["phases"][""])
    assert set(written["clock"]["bank"]) == set(whole["clock"]["bank"])


def test_figures_for_operators_exist(at: AtHand, tmp_path: Path, redis_url: str) -> None:
    counters = Counters(redis_url)
    counters.count_task("send", 1.0)
    assert counters.flush()
    here = read_settings(environment={}, overrides={"data": tmp_path, "redis": redis_url})
    known = set(re.findall(r"^# TYPE (\w+)", figures_text(here, at.service), re.M))
    named = set(re.findall(r"\b(pbem_[a-z_]+)\b", OPERATORS.read_text("utf-8"))) - {"pbem_try"}
    assert len(named) > 10 and named <= known


def test_files_that_operators_need_are_there() -> None:
    named = set(re.findall(r"\bdeploy/[\w./@-]+\w", OPERATORS.read_text("utf-8"))) - {"deploy/secrets"}
    assert len(named) > 5
    assert [] == [name for name in sorted(named) if not (ROOT / name).exists()]
