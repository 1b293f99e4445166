"""`pbem simulate`: every game ends, one seed gives one set of journals, trouble can be repeated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.games.trench_club.variants import VARIANTS
from engine.kernel.game import Bot
from engine.kernel.journal import parse_lines
from engine.kernel.requests import Answer, Ask, Procedure, Rng
from tests.cli.conftest import Run, one_sentence

KEYS = ["games", "finished", "asks", "rolls", "seconds", "crashes", "dead_ends", "longest_tail", "winners"]


def figures(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_figures_of_a_run(run: Run) -> None:
    result = run(
        "simulate", "fww", "--games", 6, "--seed", 7, "--bots", "random", "--check", "--players", 0, "--json"
    )
    told = figures(result)
    assert result.exit_code == 0
    assert [key for key in KEYS if key not in told] == []
    assert (told["games"], told["finished"], told["crashes"], told["dead_ends"]) == (6, 6, 0, 0)
    assert told["asks"] > 6 * 50 and told["rolls"] > 0 and told["longest_tail"] > 0
    assert sum(told["winners"].values()) >= 6
    assert sum(told["reasons"].values()) == 6


def test_one_seed_one_set_of_journals_in_any_process(run: Run) -> None:
    """One process here, two processes there, another hash seed: the same bytes."""
    words = ["simulate", "fww", "--games", "5", "--seed", "11", "--bots", "random", "--json"]
    here = figures(run(*words))["journals"]
    command = [sys.executable, "-c", "from pbem.cli.main import main; main()", *words, "--jobs", "2"]
    env = {**os.environ, "PYTHONHASHSEED": "4711"}
    there = subprocess.run(command, env=env, capture_output=True, text=True, check=True, cwd="/", timeout=60)
    assert json.loads(there.stdout)["journals"] == here
    assert figures(run(*words[:5], "12", *words[6:]))["journals"] != here


def test_a_game_is_repeated_by_its_number(run: Run, tmp_path: Path) -> None:
    words = ["simulate", "fww", "--seed", "3", "--bots", "random"]
    run(*words, "--games", 4, "--save", tmp_path / "all")
    run(*words, "--games", 4, "--only", 2, "--save", tmp_path / "one")
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert names == ["00000.journal", "00001.journal", "00002.journal", "00003.journal"]
    again = (tmp_path / "one" / "00002.journal").read_text()
    assert again == (tmp_path / "all" / "00002.journal").read_text()
    last = list(parse_lines(again.splitlines()))[-1].data
    assert last["k"] == "end"


def test_bots_are_dealt_to_the_seats_in_turn(run: Run, toy: Any) -> None:
    asked: list[str] = []

    def bot(name: str) -> Bot:
        def answer(view: Any, ask: Ask, rng: Rng) -> Answer:
            asked.append(f"{name} {view.seat}")
            return ask.default

        return answer

    toy.GAME.bots = {**toy.GAME.bots, "a": bot("a"), "b": bot("b")}
    try:
        run("simulate", "toy", "--games", 2, "--bots", "a,b")
    finally:
        del toy.GAME.bots
    assert set(asked) == {"a NORTH", "b SOUTH", "b NORTH", "a SOUTH"}


def test_a_crash_is_told_with_its_place_and_code_1(
    run: Run, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: Any, turn: int) -> Procedure:
        if turn == 3:
            raise ZeroDivisionError("planted")
        return (yield from guess(state, turn))

    guess: Callable[..., Procedure] = toy.GAME.segments["guess"]
    monkeypatch.setitem(toy.GAME.segments, "guess", broken)
    result = run("simulate", "toy", "--games", 2, "--json")
    told = figures(result)
    assert result.exit_code == 1
    assert (told["crashes"], told["finished"]) == (2, 0)
    assert told["troubles"][1] == {
        "game": 1,
        "players": 2,
        "segment": "T3.guess",
        "what": "RulesCrash: T3.guess: ZeroDivisionError: planted",
    }
    assert "--only 1" in run("simulate", "toy", "--games", 2).stdout


def test_a_broken_invariant_is_noticed_with_check_only(
    run: Run, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(self: Any, state: Any) -> None:
        assert state.turn < 2, "planted"

    monkeypatch.setattr(toy.Toy, "check", check)
    assert run("simulate", "toy", "--games", 1).exit_code == 0
    result = run("simulate", "toy", "--games", 1, "--check", "--json")
    assert result.exit_code == 1
    assert figures(result)["troubles"][0]["what"].startswith("AssertionError: planted")


def test_invariants_are_looked_at_after_every_fact(
    run: Run, toy: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`check_fact` after each fact where a game has one; `check` at the end of each segment all the same."""
    checked: list[str] = []
    monkeypatch.setattr(toy.Toy, "check", lambda self, state: checked.append("settled"))
    monkeypatch.setattr(toy.Toy, "check_fact", lambda self, state: checked.append("fact"))
    run("simulate", "toy", "--games", 1)
    assert checked == []
    run("simulate", "toy", "--games", 1, "--check", "--save", tmp_path)
    (journal,) = tmp_path.iterdir()
    kinds = [line.data["k"] for line in parse_lines(journal.read_text().splitlines())]
    assert checked.count("fact") == kinds.count("fact") > kinds.count("seam") == checked.count("settled")


def test_a_broken_invariant_is_told_with_the_fact(
    run: Run, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Any, state: Any) -> None:
        raise AssertionError("planted")

    monkeypatch.setattr(toy.Toy, "check_fact", broken)
    told = figures(run("simulate", "toy", "--games", 1, "--check", "--json"))["troubles"][0]["what"]
    assert told.startswith("AssertionError: planted (after ")


def test_the_forms_of_a_game_are_played_in_turn_unless_one_is_named(run: Run, tmp_path: Path) -> None:
    def settings(name: str, *words: object) -> list[tuple[int, dict[str, Any]]]:
        run("simulate", "trench", "--games", 5, "--cap", 1, "--save", tmp_path / name, *words)
        first = [path.read_text().partition("\n")[0] for path in sorted((tmp_path / name).iterdir())]
        found = [json.loads(line.partition(" ")[2])["settings"] for line in first]
        return [(one["players"], one["options"]) for one in found]

    all_forms = [(form.players, dict(form.options)) for form in VARIANTS]
    assert settings("forms") == all_forms[:5]
    tables = {(players, options.get("coop", False)) for players, options in all_forms}
    assert tables == {(1, False), (2, False), (2, True), (4, False)}
    assert settings("two", "--players", 2) == [(2, {})] * 5
    assert settings("all", "--players", 0) == [(1, {}), (2, {}), (4, {}), (1, {}), (2, {})]
    assert settings("short", "--option", "short_game=on") == [(1, {"short_game": True})] * 5


def test_a_game_that_does_not_end_is_a_dead_end(run: Run, toy: Any) -> None:
    result = run("simulate", "toy", "--games", 2, "--cap", 5, "--json")
    told = figures(result)
    assert result.exit_code == 1
    assert (told["dead_ends"], told["crashes"], told["finished"]) == (2, 0, 0)
    assert told["troubles"][0]["what"] == "more than 5 decisions"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "no game 'nope'; known: fww"),
        (["fww", "--scenario", "x"], "fww has no scenario 'x'; known: standard, historical"),
        (["fww", "--players", "7"], "fww cannot be played by 7; possible: 2, 3, 4"),
        (["fww", "--bots", "clever"], "fww has no bot 'clever'; known: random, sensible"),
        (["fww", "--option", "tanks=on"], "option 'tanks' is unknown; known: "),
        (["fww", "--option", "tanks"], "an option is written name=value, not 'tanks'"),
        (["fww", "--option", "schlieffen_plan=9"], "option 'schlieffen_plan': 9; known: False, True"),
        (["fww", "--pack", "/nowhere"], "/nowhere: cannot be read: No such file or directory"),
        (["fww", "--games", "1", "--only", "5"], "--only 5: the games are numbered from 0 to 0"),
        (["fww", "--games", "0"], "greater than or equal to 1"),
        (["fww", "--jobs", "many"], "'--jobs': Input should be a valid integer"),
        ([], "Missing argument"),
    ],
)
def test_bad_usage_is_one_sentence_and_code_2(run: Run, words: list[str], said: str) -> None:
    result = run("simulate", *words)
    assert result.exit_code == 2
    assert said in one_sentence(result)
    assert result.stdout == ""


def test_journals_are_not_mixed_with_other_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")
    result = run("simulate", "fww", "--games", 1, "--save", tmp_path)
    assert result.exit_code == 2
    assert "not empty" in one_sentence(result)
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


def test_options_are_agreed(run: Run, tmp_path: Path) -> None:
    words = [
        "--option",
        "random_order=on",
        "--option",
        "no_surrender_before_turn=3",
        "--scenario",
        "historical",
    ]
    assert (
        run("simulate", "fww", "--games", 1, "--bots", "random", "--save", tmp_path / "s", *words).exit_code
        == 0
    )
    first = json.loads((tmp_path / "s" / "00000.journal").read_text().splitlines()[0].partition(" ")[2])
    assert first["settings"]["options"] == {"random_order": True, "no_surrender_before_turn": 3}
    assert first["settings"]["scenario"] == "historical"
