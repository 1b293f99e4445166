"""`pbem replay`, `pbem verify`, `pbem export`: played games lived through, checked, taken along."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.campaigns.terms import agree_terms
from pbem.local.saved import STORE, create_game
from tests.cli.conftest import Run, contents, journal_text, one_sentence, play_on, sql


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of the toy, played to its end."""
    from engine.games import GAMES

    folder = tmp_path_factory.mktemp("toys") / "finished"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, "toy", "tests.kernel.toy")
        create_game(folder, agree_terms("toy", tempo="strict"), {})
        play_on(folder, 100)
    return folder


# ------------------------------------------------------------------ replay


def test_a_campaign_is_replayed(run: Run, begun: Path) -> None:
    before = contents(begun)
    result = run("replay", begun)
    lines = journal_text(begun).splitlines()
    assert result.exit_code == 0
    head = lines[-1].partition(" ")[0]
    assert result.stdout == f"{begun}: {len(lines)} lines, head {head}, fold = replay = snapshot + tail\n"
    told = json.loads(run("replay", begun / STORE, "--json").stdout)["replayed"][0]
    assert (told["lines"], told["head"], told["over"]) == (len(lines), head, False)
    assert told["snapshots"] >= 1 and told["waiting"]
    assert contents(begun) == before


def test_journals_of_simulated_games_are_replayed(run: Run, tmp_path: Path) -> None:
    run("simulate", "fww", "--games", 3, "--players", 0, "--bots", "random", "--save", tmp_path / "s")
    result = run("replay", "--all-open", tmp_path / "s")
    assert result.exit_code == 0
    assert result.stdout.count("fold = replay = snapshot + tail") == 3


def test_among_many_the_damaged_one_is_named(run: Run, begun: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        shutil.copytree(begun, tmp_path / name)
    (tmp_path / "notes.txt").write_text("not a campaign")
    sql(tmp_path / "b", "DELETE FROM journal WHERE sequence = 20")
    result = run("replay", "--all-open", tmp_path)
    assert result.exit_code == 1
    assert result.stdout.count("\n") == 2
    assert f"{tmp_path / 'b'}: lines are missing" in one_sentence(result)


def test_what_cannot_be_replayed(run: Run, tmp_path: Path) -> None:
    for words, said in (
        ([], "nothing to replay"),
        ([tmp_path], "there is no saved game here"),
        ([tmp_path / "nothing"], "nothing: No such file or directory"),
        (["--all-open", tmp_path / "nothing"], "no such folder"),
    ):
        result = run("replay", *words)
        assert result.exit_code == 2
        assert said in one_sentence(result)
    (tmp_path / "letter.journal").write_text("Dear umpire,\nI attack.\n")
    result = run("replay", tmp_path / "letter.journal")
    assert result.exit_code == 1
    assert "line 1: does not begin with a hash" in one_sentence(result)


# ------------------------------------------------------------------ export and verify


def test_what_every_seat_and_the_umpire_export_verifies(run: Run, begun: Path, tmp_path: Path) -> None:
    for seat in ("ALLIES", "central"):
        out = tmp_path / f"{seat}.json"
        assert run("export", begun, "--seat", seat, "--out", out).exit_code == 0
        assert run("verify", out).exit_code == 0
    assert run("export", begun, "--umpire", "--out", tmp_path / "umpire.json").exit_code == 0
    assert (tmp_path / "umpire.json").stat().st_mode & 0o077 == 0
    result = run("verify", tmp_path, "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (told["code"], told["caught"], told["unreadable"]) == (0, [], [])
    assert any("Closes" in line for line in told["lines"])


def test_a_seats_export_holds_nothing_of_the_others(run: Run, begun: Path) -> None:
    """No key of the chain beyond the used links, no seal key, no private line of another seat."""
    ((seal_key, chain),) = sql(begun, "SELECT seal_key, chain FROM secrets")
    text = run("export", begun, "--seat", "ALLIES").stdout
    assert seal_key.hex() not in text
    assert chain.hex()[-64:] not in text
    deployed = [row for row in journal_text(begun).splitlines() if '"CountersDeployed"' in row]
    assert deployed
    for row in deployed:
        line = json.loads(row.partition(" ")[2])
        counters = json.dumps(line["data"]["placed"], separators=(",", ":")).replace('"', '\\"')
        assert (counters in text.replace('\\\\"', '\\"')) == (line["to"] == ["ALLIES"])


def test_a_changed_die_is_caught(run: Run, begun: Path, tmp_path: Path) -> None:
    good = run("export", begun, "--umpire").stdout
    doc = json.loads(good)
    close = next(one for one in doc["closes"] if '"k":"roll"' in one["P"])
    close["P"] = close["P"].replace('"faces":[', '"faces":[7,', 1)
    (tmp_path / "forged.json").write_text(json.dumps(doc))
    result = run("verify", tmp_path / "forged.json")
    assert result.exit_code == 1
    assert result.stderr.startswith("pbem: CAUGHT Close")
    (tmp_path / "forged.json").write_text("{")
    assert run("verify", tmp_path / "forged.json").exit_code == 2
    assert run("verify", tmp_path / "nothing.json").exit_code == 2
    (tmp_path / "other.json").write_text('{"a": 1}')
    for other in (tmp_path / "other.json", begun / STORE):
        result = run("verify", other)
        assert result.exit_code == 2 and "no export or letter" in result.stderr
        assert "Error(" not in result.stderr


def test_of_what_hangs_together_the_first_is_told(run: Run, begun: Path, tmp_path: Path) -> None:
    doc = json.loads(run("export", begun, "--umpire").stdout)
    for close in doc["closes"]:
        close["T"] = close["T"].replace('"branch":0', '"branch":1')
    (tmp_path / "forged.json").write_text(json.dumps(doc))
    result = run("verify", tmp_path / "forged.json")
    first, rest = result.stderr.splitlines()
    caught = json.loads(run("verify", tmp_path / "forged.json", "--json").stdout)["caught"]
    assert result.exit_code == 1 and len(caught) > 2
    assert first == f"pbem: {caught[0]}"
    assert f"everything after it depends on that: {len(caught) - 1} more caught" in rest


def test_the_checker_alone_agrees(run: Run, begun: Path, tmp_path: Path) -> None:
    """The one file that goes with the invitation, run by itself."""
    run("export", begun, "--seat", "CENTRAL", "--out", tmp_path / "c.json")
    checker = Path(__file__).resolve().parents[2] / "pbem" / "verify_dice.py"
    shutil.copy(checker, tmp_path / "verify_dice.py")
    command = [sys.executable, "-I", "-S", "verify_dice.py", "c.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_dice_history_and_luck(run: Run, begun: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("export", begun, "--dice-csv").stdout)))
    rolled = journal_text(begun).count('"k":"roll"')
    assert len(rows) == rolled
    assert [int(row["number"]) for row in rows] == list(range(1, rolled + 1))
    told = json.loads(run("export", begun, "--luck", "--json").stdout)
    staked = [row for row in rows if row["purpose"].partition(".")[0] in ("attack", "defence")]
    combats = [account for account in told["accounts"] if account["group"] in ("attack", "defence")]
    assert sum(account["dice"] for account in combats) == len(staked) > 0
    for account in combats:  # 1, 2, 3, 4 and twice nothing
        assert account["expected"] == pytest.approx(account["dice"] * 10 / 6)
    assert len(told["battles"]) == len(staked) / 2
    shown = run("export", begun, "--luck").stdout
    assert "expected" in shown and shown.count(", front ") == len(told["battles"])


def test_a_finished_campaign(run: Run, finished: Path, toy: object, tmp_path: Path) -> None:
    assert json.loads(run("replay", finished, "--json").stdout)["replayed"][0]["over"] is True
    for words in (["--umpire"], ["--seat", "NORTH"], ["--seat", "SOUTH"]):
        run("export", finished, *words, "--out", tmp_path / f"{words[-1]}.json")
    assert run("verify", tmp_path).exit_code == 0
    assert "this campaign is over" not in run("play", "--save", finished).stderr


def test_bad_exports(run: Run, begun: Path, tmp_path: Path) -> None:
    for words, said in (
        ([begun], "say what to export"),
        ([begun, "--umpire", "--seat", "ALLIES"], "say what to export"),
        ([begun, "--seat", "FRANCE"], "no seat 'FRANCE' here; the seats are ALLIES, CENTRAL"),
        ([tmp_path, "--umpire"], "there is no saved game here"),
        ([__file__, "--luck"], "no saved game; a journal file alone has no audited dice"),
        ([begun, "--umpire", "--out", tmp_path / "no" / "file"], "No such file or directory"),
    ):
        result = run("export", *words)
        assert result.exit_code == 2
        assert said in one_sentence(result)
    assert list(tmp_path.iterdir()) == []
