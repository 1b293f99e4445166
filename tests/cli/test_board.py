"""`pbem try`: the umpire's analysis board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CASES, Run, one_sentence


def tried(run: Run, case: str | Path, *words: object) -> dict[str, Any]:
    result = run("try", CASES / case, "--json", *words)
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def fact(found: dict[str, Any], name: str) -> dict[str, Any]:
    (one,) = [event["data"] for event in found["events"] if event.get("fact") == name]
    return dict(one)


def test_w_04_combat(run: Run) -> None:
    found = tried(run, "fww-combat-w04.toml")
    combat = fact(found, "CombatResolved")
    assert (combat["totals"], combat["winner"], combat["loss"]) == ([6, 7], "defender", "DE1")
    assert found["state"]["pool"]["DE"] == ["DE1"]
    assert "A01" in found["state"]["cups"]["ALLIES"]
    assert found["orders"] == {
        "DE": [{"line": "C1: ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE", "status": "done"}],
        "WA": [{"line": "DEFEND 1: TILE MACHINEGUNS", "status": "standing"}],
    }
    assert (found["next"], found["outcome"], found["leftover"], found["refusals"]) == ("T1.R2", None, [], [])


def test_w_08_a_deployment_that_is_refused(run: Run) -> None:
    found = tried(run, "fww-deployment-refused.toml")
    told = {(one["line"], one["rule"], one["reason"]) for one in found["refusals"]}
    assert told == {(1, "FWW-2.1-2", "not-listed"), (2, "notation", "unknown-order")}
    text = run("try", CASES / "fww-deployment-refused.toml").stdout
    assert "RO1 may not operate on front 9 (Galicia)" in " ".join(text.split())
    assert "Did you mean DEPLOY?" in " ".join(text.split())


def test_w_06_a_victory_check(run: Run) -> None:
    found = tried(run, "fww-victory-check.toml")
    assert found["state"]["control"]["EPINAL"] == "DE"
    assert fact(found, "SurrenderPointGiven")["faction"] == "EA"
    assert fact(found, "SurrenderRolled") == {"die": "S", "faction": "EA", "points": 1, "surrendered": False}
    assert found["next"] == "T3.P"


def test_the_example_of_the_readme(run: Run, tmp_path: Path) -> None:
    """FWW-5.1-6 A German army leads for the German Allies with a German tile (C-26)."""
    readme = (CASES / "README.md").read_text("utf-8")
    found = tried(run, written(tmp_path, readme.partition("```toml\n")[2].partition("```")[0]))
    combat = fact(found, "CombatResolved")
    assert (combat["totals"], combat["loss"], combat["leaders"]) == ([6, 5], "RU5", ["DE11", "RU5"])
    assert found["state"]["control"]["ROVNO"] == "GA"


def test_one_seat_reads_only_what_it_may(run: Run) -> None:
    """The defender's tile is named to its owner when it is laid; the attacker reads its back."""
    umpire = tried(run, "fww-combat-w04.toml")
    german = tried(run, "fww-combat-w04.toml", "--seat", "de")
    assert "TilePlaced" in [event.get("fact") for event in umpire["events"]]
    names = [event.get("fact") for event in german["events"]]
    assert "TilePlaced" not in names and "TilePlacedFaceDown" in names
    assert set(german["views"]) == {"DE"} and set(german["orders"]) == {"DE"}
    assert "state" not in german
    assert set(umpire["views"]) == {"WA", "EA", "DE", "GA"}


def test_in_french(run: Run) -> None:
    text = run("try", CASES / "fww-combat-w04.toml", "--lang", "fr").stdout
    assert "le défenseur gagne, DE1 est éliminée." in " ".join(text.split())
    assert "C1: ATTAQUE 1 AVEC DE1 DE2 MENE DE1 TUILE AUCUNE  [exécuté]" in text


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "case.toml"
    path.write_text(text)
    return path


HEAD = 'game = "fww"\nplayers = 4\n'
TRENCH = 'game = "trench"\nplayers = 2\n[position]\n'
FIGHT = HEAD + '[position]\nfaction = "DE"\nfronts = { 1 = "DE1 DE2 BR1" }\n[orders]\nDE = "ATTACK 1"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('game = "fww"\ncolour = "red"\n', "case.toml: colour: unknown key"),
        ("players = 4\n", "case.toml: game: missing"),
        (HEAD + "[dice]\nrols = [1]\n", "case.toml: [dice] rols: unknown key"),
        (HEAD + "[until]\nsegments = 0\n", "case.toml: [until] segments: Input should be greater"),
        (HEAD + '[until]\nrounds = "two"\n', "case.toml: [until] rounds: unknown key"),
        (HEAD + "[orders]\nDE = 5\n", "case.toml: [orders] DE: Input should be a valid string"),
        (HEAD + '[orders]\nFRANCE = "PASS"\n', "case.toml: [orders] FRANCE: no seat 'FRANCE' here"),
        (HEAD + "[position]\nweather = 1\n", "case.toml: [position] unknown key 'weather'"),
        (HEAD + '[position]\nfronts = { 1 = "DE99" }\n', "case.toml: [position] fronts: no counter 'DE99'"),
        (HEAD + '[dice]\nrolls = ["X"]\n', "case.toml: [dice] rolls: no face 'X'; known: 1, 2, 3, 4, S, S"),
        (HEAD + "[options]\ntanks = true\n", "option 'tanks' is unknown"),
        (HEAD + "[options]\ntanks = true\n", "case.toml: [options] option 'tanks'"),
        ('game = "chess"\n', "case.toml: game: no game 'chess'"),
        ('game = "fww"\nplayers = 9\n', "case.toml: players: fww cannot be played by 9"),
        ('game = "fww"\nscenario = "x"\n', "case.toml: scenario: fww has no scenario 'x'"),
        (TRENCH + 'units = ["DE.XYZ1@D4"]\n', "there is no unit XYZ; known: "),
        (TRENCH + 'units = ["DE.CAR1@Z99"]\n', "Z99 is not on this board"),
        (TRENCH + 'units = ["DE.CAR1@D4", "GB.INF1@D4"]\n', "D4 is taken by DE.CAR1"),
        (HEAD + '[dice]\nseed = 1\n[until]\nkey = "T9.R8"\n', "[until] key: T9.R8 never comes"),
        ("game = fww\n", "case.toml: Invalid value"),
        (FIGHT + "[dice]\nrolls = [9]\n", "has no face 9"),
        (FIGHT, "no die is left for 1d6"),
    ],
)
def test_a_bad_case_is_named_to_the_key(run: Run, tmp_path: Path, text: str, said: str) -> None:
    result = run("try", written(tmp_path, text))
    assert result.exit_code == 2
    assert said in one_sentence(result)
    assert result.stdout == ""


def test_dice_after_the_forced_ones_come_from_the_seed(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, FIGHT + "[dice]\nrolls = [4]\nseed = 5\n")
    first, second = (tried(run, path) for _ in range(2))
    assert first == second
    assert next(event["faces"] for event in first["events"] if "roll" in event) == [4]


def test_forced_dice_that_are_not_used_are_told(run: Run, tmp_path: Path) -> None:
    path = written(
        tmp_path, HEAD + '[position]\nphase = "victory"\n[dice]\nrolls = [1, 2]\ndraws = ["A01"]\n'
    )
    assert tried(run, path)["leftover"] == ["1", "2", "A01"]
    assert "Forced but not used: 1, 2, A01" in run("try", path).stdout


def test_until_a_segment_and_to_the_end(run: Run, tmp_path: Path) -> None:
    """Without orders everybody passes; up to a key, for so many segments, or to the end of the war."""
    seeded = HEAD + 'scenario = "historical"\n[dice]\nseed = 1\n[until]\n'
    assert tried(run, written(tmp_path, seeded + 'key = "T1.R3"\n'))["next"] == "T1.R3"
    assert tried(run, written(tmp_path, seeded + "segments = 5\n"))["next"] == "T1.R2"
    found = tried(run, written(tmp_path, seeded + "segments = 500\n"))
    assert found["next"] is None and found["outcome"]["reason"]
    assert "The game is over" in run("try", tmp_path / "case.toml").stdout


def test_why_an_automa_acts_as_it_does(run: Run) -> None:
    """The order that a unit follows and the letters that chose among several ways, on request."""
    told = " ".join(run("try", CASES / "trench-automa.toml", "--explain").stdout.split())
    assert "DE.TNK1 (tank) follows order II.1" in told and "cannot strike back" in told
    bare = " ".join(run("try", CASES / "trench-automa.toml").stdout.split())
    assert "follows order" not in bare and "DE.TNK1 (tank): D4 – D3 – E2" in bare


def test_a_whole_turn_of_trench_club(run: Run) -> None:
    found = tried(run, "trench-turn.toml")
    assert {"done"} == {one["status"] for one in found["orders"]["DE"]}
    assert found["refusals"] == [] and found["state"]["forts"]["B8"] == "DE"
