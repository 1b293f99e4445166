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
    found["events"] = [event for one in found["exchanges"] for event in one["events"]]
    found["receipts"] = [receipt for one in found["exchanges"] for receipt in one["receipts"]]
    return found


def orders(found: dict[str, Any], window: str = "") -> dict[str, list[tuple[str, str]]]:
    """What became of the lines of each seat that wrote, in the first window or the one of that name."""
    label = window or next(one["window"] for one in found["exchanges"] if one["window"])
    (exchange,) = [one for one in found["exchanges"] if one["window"] == label]
    told = {seat: [(row["line"], row["status"]) for row in rows] for seat, rows in exchange["orders"].items()}
    return {seat: rows for seat, rows in told.items() if rows != [("", "missing")]}


def names(found: dict[str, Any]) -> list[str]:
    return [event["fact"] for event in found["events"] if "fact" in event]


def fact(found: dict[str, Any], name: str) -> dict[str, Any]:
    (one,) = [event["data"] for event in found["events"] if event.get("fact") == name]
    return dict(one)


def test_w_04_combat(run: Run) -> None:
    found = tried(run, "fww-combat-w04.toml")
    combat = fact(found, "CombatResolved")
    assert (combat["totals"], combat["winner"], combat["loss"]) == ([6, 7], "defender", "DE1")
    assert found["state"]["pool"]["DE"] == ["DE1"]
    assert "A01" in found["state"]["cups"]["ALLIES"]
    assert orders(found) == {
        "DE": [("C1: ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE", "done")],
        "WA": [("DEFEND 1: TILE MACHINEGUNS", "standing")],
    }
    assert (found["next"], found["outcome"], found["leftover"]) == ("T1.R2", None, [])


def test_w_08_a_deployment_that_is_refused(run: Run) -> None:
    found = tried(run, "fww-deployment-refused.toml")
    (receipt,) = found["receipts"]
    assert receipt["seat"] == "EA" and "mending" in receipt["subject"]
    assert "RO1 may not operate on front 9 (Galicia)" in " ".join(receipt["text"].split())
    assert "RO1 may not operate on front 9" in " ".join(
        run("try", CASES / "fww-deployment-refused.toml").stdout.split()
    )


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
    assert "TilePlaced" not in names(german) and "TilePlacedFaceDown" in names(german)
    assert set(german["views"]) == {"DE"} and set(orders(german)) == {"DE"}
    assert [one["seat"] for one in german["receipts"]] == ["DE"]
    assert "state" not in german
    assert set(umpire["views"]) == {"WA", "EA", "DE", "GA"}


def test_in_french(run: Run) -> None:
    text = run("try", CASES / "fww-combat-w04.toml", "--lang", "fr").stdout
    assert "repoussent l’attaque ; DE1 est détruite." in " ".join(text.split())
    assert "1  exécuté  C1: ATTAQUE 1 AVEC DE1 DE2 MENE DE1 TUILE AUCUNE" in text
    assert "Accusé de réception à DE : [TRY] Tour 1 (rounds)" in text and "Ce qui s’est passé en T1.R" in text


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
        (HEAD + "[orders]\nDE = 5\n", "case.toml: [orders] DE: wanted is a letter in quotation marks"),
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
    assert "DE.TNK1 (tank) wants to move and attack [II.1]" in told and "cannot strike back" in told
    bare = " ".join(run("try", CASES / "trench-automa.toml").stdout.split())
    assert "wants to" not in bare and "DE.TNK1 (tank): D4 – D3 – E2" in bare


def test_a_whole_turn_of_trench_club(run: Run) -> None:
    found = tried(run, "trench-turn.toml")
    assert {"done"} == {status for _, status in orders(found)["DE"]}
    assert found["state"]["forts"]["B8"] == "DE"


# ------------------------------------------------------------------ as the service does it

BAD_LINE = """
[orders]
DE = '''
M CAR1 > H8
C TNK1 B14
'''
[until]
segments = 1
"""
ARMOR = (
    'game = "trench"\nplayers = 4\n{}[position]\nactive = "DE"\n'
    'units = ["DE.CAR1@H4", "DE.TNK1@D4", "GB.INF1@G7"]\n'
)


@pytest.mark.parametrize(("said", "moves"), [("", False), ("whole_sheets = false\n", True)])
def test_a_sheet_with_a_bad_line_counts_as_the_game_or_the_case_says(
    run: Run, tmp_path: Path, said: str, moves: bool
) -> None:
    found = tried(run, written(tmp_path, ARMOR.format(said) + BAD_LINE))
    assert ("CAR1 H8" in found["views"]["DE"], "CAR1 H4" in found["views"]["DE"]) == (moves, not moves)
    assert "mending" in found["receipts"][0]["subject"]


def test_orders_are_of_one_window_and_a_later_one_has_its_own(run: Run, tmp_path: Path) -> None:
    """A line that was done is not done again next turn; a letter in a file is for the window it names."""
    (tmp_path / "german.txt").write_text("ATTACK 2 WITH DE3 LEAD DE3 TILE NONE\n")
    case = (
        HEAD
        + '[position]\nfaction = "DE"\nfronts = { 1 = "DE1 DE2 BR1", 2 = "DE3 FR1" }\n'
        + '[orders]\nDE = "ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE"\n'
        + '[orders."T2.R"]\nDE = { file = "german.txt" }\n[dice]\nseed = 5\n'
    )
    found = tried(run, written(tmp_path, case))
    attacks = [event["data"] for event in found["events"] if event.get("fact") == "AttackLaunched"]
    assert [(one["faction"], one["front"]) for one in attacks] == [("DE", 1), ("DE", 2)]
    assert orders(found, "T2.R")["DE"][0][1] == "done"
    with_turns = tried(
        run, written(tmp_path, case.partition("[orders.")[0] + "[dice]\nseed = 5\n[until]\nturns = 2\n")
    )
    assert names(with_turns).count("AttackLaunched") == 1 and with_turns["next"].startswith("T3.")


def test_letters_for_a_window_that_never_comes_are_named(run: Run, tmp_path: Path) -> None:
    case = HEAD + '[orders."T9.R"]\nDE = "PASS"\n[dice]\nseed = 5\n[until]\nturns = 1\n'
    assert "[orders] T9.R: no such window came" in one_sentence(run("try", written(tmp_path, case)))


def test_the_turns_reinforcements_come(run: Run, tmp_path: Path) -> None:
    case = (
        HEAD + '[position]\nturn = 4\nphase = "deploy"\nfronts = { 9 = "RU3 AH1" }\n[until]\nsegments = 4\n'
    )
    found = tried(run, written(tmp_path, case))
    on_board = {army for there in found["state"]["fronts"].values() for army in there}
    assert {"BR4", "RU6", "RO1", "AH11"} <= on_board


def test_a_roll_that_is_forced_in_part_is_completed_from_the_seed(run: Run, tmp_path: Path) -> None:
    """Attack of fourteen dice, of which three are named."""
    case = (CASES / "trench-turn.toml").read_text("utf-8").replace("seed = 5", "rolls = [1, 1, 1]\nseed = 5")
    forced, free = tried(run, written(tmp_path, case)), tried(run, "trench-turn.toml")
    first, plain = (
        next(event["faces"] for event in one["events"] if "roll" in event) for one in (forced, free)
    )
    assert first == [1, 1, 1, *plain[3:]] and plain[:3] != [1, 1, 1]


def test_a_seat_reads_its_letters(run: Run) -> None:
    text = run("try", CASES / "fww-combat-w04.toml", "--seat", "WA", "--lang", "fr").stdout
    assert "Lettre de résultats à WA, T1.R" in text and "Accusé de réception à WA" in text
    assert "Ordres de DE" not in text and "C1: ATTAQUE" not in text
