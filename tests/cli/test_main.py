"""`pbem games`, `pbem rules`, `pbem demo`, and the command line as a whole."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from engine.games import GAMES, game
from pbem.cli.main import COMMANDS, HIDDEN, MODULES, help_lines
from pbem.orders.vocabulary import UMPIRES
from pbem.verbs.registry import REGISTRY
from tests.cli.conftest import Run, contents, one_sentence


def test_the_games(run: Run) -> None:
    listed = json.loads(run("games", "--json").stdout)
    assert [one["id"] for one in listed] == sorted(GAMES)
    for one in listed:
        found = game(one["id"])
        assert one["pack"] == found.load_pack().hash
        assert (tuple(one["players"]), tuple(one["scenarios"])) == (found.players, found.scenarios)
    shown = run("games").stdout
    assert "The First World War" in shown and listed[0]["pack"][:12] in shown


def test_the_register(run: Run) -> None:
    told = json.loads(run("rules", "fww", "--json").stdout)
    assert list(told) == ["total", "implemented", "options", "not_applicable", "unimplemented", "untested"]
    assert all(isinstance(told[key], int) for key in ("total", "implemented", "options"))
    lists = [len(told[key]) for key in ("not_applicable", "unimplemented")]
    assert told["total"] == told["implemented"] + told["options"] + sum(lists)
    assert isinstance(told["untested"], list)


def test_rules_that_no_test_names(run: Run, tmp_path: Path) -> None:
    """Held against a folder with a single test."""
    (tmp_path / "test_one.py").write_text("def test_6_1__4_numbers() -> None:\n    pass\n")
    result = run("rules", "fww", "--tests", tmp_path, "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert "FWW-6.1-4" not in told["untested"]
    assert len(told["untested"]) == told["implemented"] + told["options"] - 1
    assert "untested: FWW-6.1-5" in run("rules", "fww", "--tests", tmp_path).stdout


def test_one_rule_and_one_section(run: Run) -> None:
    shown = run("rules", "fww", "6.5-8").stdout
    assert shown.startswith("FWW-6.5-8") and "Switch: no_surrender_before_turn" in shown
    assert "Option : no_surrender_before_turn" in run("rules", "fww", "fww-6.5-8", "--lang", "fr").stdout
    section = json.loads(run("rules", "fww", "6.1", "--json").stdout)
    assert len(section) == 12 and {rule["id"] for rule in section} >= {"FWW-6.1-1", "FWW-6.1-12"}


def test_every_rule_is_listed(run: Run) -> None:
    shown = run("rules", "ttlm", "--all").stdout.splitlines()
    assert len(shown) == json.loads(run("rules", "ttlm", "--json").stdout)["total"]
    assert all(line.startswith("TTLM-") for line in shown)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_option_is_told_with_its_values_and_default(run: Run, name: str) -> None:
    pack = game(name).load_pack()
    for option in {**pack.options, **getattr(pack, "rulings", {})}:
        shown = run("rules", name, option).stdout
        assert shown.startswith(option) and "Values: " in shown and "default: " in shown


def test_an_option_with_its_rules(run: Run) -> None:
    shown = run("rules", "fww", "hand_scope").stdout
    assert "Values: faction, player; default: faction" in shown and "FWW-1-6" in shown
    told = json.loads(run("rules", "fww", "no_surrender_before_turn", "--json").stdout)
    assert (["1-6"], "1", ["FWW-6.5-8"]) == (
        told["values"],
        told["default"],
        [r["id"] for r in told["rules"]],
    )


def test_the_register_in_french(run: Run) -> None:
    shown = run("rules", "fww", "--lang", "fr").stdout
    assert "appliquées" in shown and "implemented" not in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "chess"], "no game 'chess'; known: fww"),
        (["rules", "fww", "99"], "no rule '99' in the register"),
        (["rules", "fww", "--tests", "/nowhere"], "/nowhere: no such folder"),
        (["rules", "fww", "--lang", "xx"], "no language 'xx'"),
        (["fight"], "No such command 'fight'"),
        (["games", "--loud"], "No such option: --loud"),
        (["account", "anna"], "no answer was given"),
    ],
)
def test_bad_usage(run: Run, words: list[str], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert said in one_sentence(result)


def test_help_names_every_command_but_the_demo(run: Run) -> None:
    shown = run("--help").stdout
    for command in ("games", "rules", "simulate", "play", "try", "replay", "verify", "export"):
        assert command in shown
    assert "demo" not in shown


START = """
import sys
from typer.testing import CliRunner
from pbem.cli.main import app
assert CliRunner().invoke(app, sys.argv[1:]).exit_code == 0
print(*sorted({"alembic", "celery", "jinja2", "pydantic", "redis", "sqlalchemy"} & set(sys.modules)))
"""


@pytest.mark.parametrize(("words", "read"), [(["--version"], ""), (["games"], "pydantic")])
def test_a_command_reads_what_it_needs_and_no_more(words: list[str], read: str) -> None:
    done = subprocess.run([sys.executable, "-c", START, *words], capture_output=True, text=True, check=True)
    assert read == done.stdout.strip()


def test_every_command_is_listed_with_a_line_of_help(run: Run) -> None:
    shown = run("--help").stdout
    for name in COMMANDS:
        line = next((row for row in shown.splitlines() if row.startswith(f"│ {name} ")), None)
        assert (name in HIDDEN) == (line is None), name
        assert line is None or len(line.strip("│ ").split()) > 2


def test_the_list_says_what_each_command_says_of_itself() -> None:
    for name, module in COMMANDS.items():
        command = vars(import_module(f"pbem.cli.{module}"))[f"{name}_command"]
        assert help_lines(module)[name] == (inspect.getdoc(command) or "").partition("\n\n")[0], name


def test_acts_of_umpires_are_named_as_their_verbs_declare() -> None:
    declared = {verb.cli for verb in REGISTRY.verbs if verb.cli}
    assert set(MODULES["umpire"]) <= declared <= {*MODULES["umpire"], *MODULES["lobby"]}
    umpires = [verb for verb in REGISTRY.verbs if verb.who == UMPIRES]
    assert [] == [verb.symbol for verb in umpires if not verb.cli]


def test_the_list_reads_no_command(run: Run) -> None:
    told = (
        "import sys; from pbem.cli.main import app;"
        " app(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "pbem.cli.terminal" in done.stdout and "pbem.cli.rules" not in done.stdout


def test_a_demo_replaces_nothing_that_no_demo_made(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis").write_text("years of work")
    refused = run("demo", "--folder", other)
    assert refused.exit_code == 2
    assert "there is something here that no demo made" in one_sentence(refused)
    assert contents(other) == {"thesis": b"years of work"}
