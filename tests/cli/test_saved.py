"""Saved games: created whole, advanced whole or not at all, and nothing damaged goes unnoticed."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from engine.kernel.errors import CorruptJournal
from engine.kernel.journal import Journal, canonical, format_lines, parse_lines
from pbem.campaigns.terms import agree_terms
from pbem.errors import BadInput
from pbem.local.saved import NAME, STORE, advance, create_game, open_game, replay_path
from pbem.store.journal import read_records
from tests.cli.conftest import Run, contents, journal_text, letters, one_sentence, play_on, sql


def rewritten(path: Path, change: Any) -> None:
    """The journal with changed lines, chained anew: a forger with all the hashes right."""
    lines = [line.data for line in parse_lines(path.read_text().splitlines())]
    change(lines)
    journal = Journal()
    for line in lines:
        journal.append(canonical(line))
    path.write_text("".join(format_lines(journal.lines)))


# ------------------------------------------------------------------ creation


def test_a_new_game_keeps_its_secrets(tmp_path: Path) -> None:
    create_game(tmp_path / "c", agree_terms("fww"), {})
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "c" / STORE).stat().st_mode) == 0o600
    header = json.loads(journal_text(tmp_path / "c").splitlines()[0].partition(" ")[2])
    with open_game(tmp_path / "c") as game:
        assert {key: header[key] for key in ("anchor", "seal")} == game.keys.dice.commitments
    assert [path.name for path in tmp_path.rglob("*")] == ["c", STORE]


def test_two_games_have_different_dice(tmp_path: Path) -> None:
    for name in ("a", "b"):
        create_game(tmp_path / name, agree_terms("fww"), {})
    assert sql(tmp_path / "a", "SELECT chain FROM secrets") != sql(
        tmp_path / "b", "SELECT chain FROM secrets"
    )


def test_a_game_is_not_saved_over_something_else(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "letter").write_text("dear")
    with pytest.raises(BadInput, match="there is something else here already"):
        create_game(tmp_path / "c", agree_terms("fww"), {})
    assert contents(tmp_path) == {"c/letter": b"dear"}


def test_a_game_that_cannot_begin_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="tanks"):
        create_game(tmp_path / "c", agree_terms("fww", options={"tanks": True}), {})
    assert list(tmp_path.iterdir()) == []


def test_a_game_of_an_older_version_is_refused_by_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "campaign.json").write_text('{"v": 1, "game": "fww", "bots": {}, "pack": false}')
    (tmp_path / "old" / "journal").write_text("")
    for words in (["play", "--save"], ["play", "fww", "--save"], ["replay"], ["export", "--luck"]):
        result = run(*words, tmp_path / "old")
        assert result.exit_code == 2
        assert f"{tmp_path / 'old'}: saved by an older version (campaign.json)" in one_sentence(result)
    assert run("replay", "--all-open", tmp_path).exit_code == 1


# ------------------------------------------------------------------ advancing


def test_a_game_goes_on_where_it_was(campaign: Path) -> None:
    before = journal_text(campaign)
    with open_game(campaign) as first:
        pause = first.pause
        view = first.view(first.terms.seats[0])
    with open_game(campaign) as second:
        assert second.pause is not None and pause is not None
        assert [question for question, _ in second.pause.asks] == [question for question, _ in pause.asks]
        assert second.view(second.terms.seats[0]) == view
        advance(second, letters(second, 99))
    after = journal_text(campaign)
    assert after.startswith(before) and len(after) > len(before)


def test_every_advance_is_one_close_and_one_record(campaign: Path) -> None:
    with open_game(campaign) as game:
        closes = game.ledger.t
        for number in range(3):
            advance(game, letters(game, 100 + number))
        assert game.ledger.t == closes + 3
        kept = [record.close.digest.hex() for record in read_records(game.db, NAME)]
    lines = [json.loads(row.partition(" ")[2]) for row in journal_text(campaign).splitlines()]
    told = [line["T"] for line in lines if line["k"] == "close"]
    assert told == kept[1:]  # the first advance, to the first question, closes no window
    assert {line["by"] for line in lines if line["k"] in ("roll", "draw")} <= {"audited"}


def test_an_advance_on_the_same_letters_has_the_same_dice(campaign: Path, tmp_path: Path) -> None:
    shutil.copytree(campaign, tmp_path / "twin")
    for folder in (campaign, tmp_path / "twin"):
        play_on(folder, 6)
    assert journal_text(campaign) == journal_text(tmp_path / "twin")
    assert sql(campaign, "SELECT * FROM records") == sql(tmp_path / "twin", "SELECT * FROM records")


def test_a_game_played_in_one_go_or_opened_for_every_advance(campaign: Path, tmp_path: Path) -> None:
    shutil.copytree(campaign, tmp_path / "twin")
    with open_game(campaign) as game:
        for number in range(6):
            advance(game, letters(game, number))
    for number in range(6):
        with open_game(tmp_path / "twin") as game:
            advance(game, letters(game, number))
    assert journal_text(campaign) == journal_text(tmp_path / "twin")
    for table in ("records", "snapshots"):
        assert sql(campaign, f"SELECT * FROM {table}") == sql(tmp_path / "twin", f"SELECT * FROM {table}")


def test_only_one_process_plays_a_game(campaign: Path) -> None:
    with open_game(campaign), pytest.raises(BadInput, match="another process"), open_game(campaign):
        pass


def dies_at(folder: Path, step: int) -> int:
    """Advance in a process of its own that dies before its n-th statement or commit; its exit code."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    steps = 0

    def count(*_: Any) -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            os._exit(9)

    code = 1
    try:
        with open_game(folder) as game:
            event.listen(Engine, "before_cursor_execute", count)
            event.listen(Engine, "commit", count)
            advance(game, letters(game, 7))
            code = 0
    finally:
        os._exit(code)


def test_a_crash_at_any_step_leaves_the_game_before_or_after(campaign: Path, tmp_path: Path) -> None:
    """What the next process finds is the advance undone or done, with the dice it would have had."""
    after = tmp_path / "after"
    shutil.copytree(campaign, after)
    with open_game(after) as game:
        advance(game, letters(game, 7))
    journals = [journal_text(folder) for folder in (campaign, after)]
    outcomes = set()
    for step in range(1, 100, 3):
        broken = tmp_path / f"broken{step}"
        shutil.copytree(campaign, broken)
        if dies_at(broken, step) == 0:
            break
        with open_game(broken) as game:
            assert game.pause is not None
        outcomes.add(journals.index(journal_text(broken)))
        assert replay_path(broken).lines == journal_text(broken).count("\n")
        assert sql(broken, "SELECT t FROM closes WHERE carried_out_at IS NULL") == []
    else:
        pytest.fail("the advance never came to its end")
    assert step > 20 and outcomes == {0, 1}


# ------------------------------------------------------------------ damage


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DELETE FROM journal WHERE sequence = {last}", "lines are missing"),
        ("DELETE FROM journal", "lines are missing"),
        (
            "UPDATE journal SET raw = CAST(raw || ' ' AS BLOB) WHERE sequence = {last}",
            r"line \d+: does not fit the chain",
        ),
        (
            "UPDATE snapshots SET state = CAST(state || ' ' AS BLOB)",
            r"not the snapshot that line \d+ tells of",
        ),
    ],
)
def test_damage_is_found_named_and_left_as_it_is(run: Run, campaign: Path, damage: str, said: str) -> None:
    ((last,),) = sql(campaign, "SELECT max(sequence) FROM journal")
    sql(campaign, damage.format(last=last))
    before = contents(campaign)
    result = run("replay", campaign)
    assert result.exit_code == 1
    assert re.search(f"{campaign}: {said}", one_sentence(result)), result.stderr
    with pytest.raises(CorruptJournal, match=said), open_game(campaign):
        pass
    assert run("play", "--save", campaign, typed="1\n").exit_code == 1
    assert contents(campaign) == before


def test_a_lost_record_is_found(run: Run, campaign: Path) -> None:
    sql(campaign, "DELETE FROM records WHERE t = (SELECT max(t) FROM records)")
    result = run("replay", campaign)
    assert result.exit_code == 1
    assert re.search(r"the record of Close \d+ does not fit the journal", one_sentence(result))


def test_a_store_that_cannot_be_read_is_named(run: Run, campaign: Path) -> None:
    (campaign / STORE).write_bytes(b"Dear umpire, " * 100)
    for words in (["play", "--save"], ["replay"], ["export", "--luck"]):
        result = run(*words, campaign)
        assert result.exit_code == 2
        assert f"{campaign / STORE}: file is not a database" in one_sentence(result)


def test_a_database_of_something_else_is_left_alone(run: Run, campaign: Path) -> None:
    (campaign / STORE).unlink()
    sql(campaign, "CREATE TABLE recipes (cake TEXT)")
    result = run("play", "--save", campaign)
    assert result.exit_code == 2
    assert "there is no saved game here" in one_sentence(result)
    assert sql(campaign, "SELECT name FROM sqlite_master") == [("recipes",)]


def test_secrets_of_another_game_are_refused(run: Run, campaign: Path) -> None:
    sql(campaign, "UPDATE secrets SET seal_key = zeroblob(32)")
    result = run("play", "--save", campaign, typed="\n1\n\n1\n")
    assert result.exit_code == 2
    assert "the seal key is not the one the campaign opened with" in one_sentence(result)


def torn(rows: str) -> str:
    return rows[:-9]


def with_byte_changed(rows: str) -> str:
    middle = rows.index("\n", len(rows) // 2) + 80
    return rows[:middle] + chr(ord(rows[middle]) ^ 1) + rows[middle + 1 :]


def without_a_line(rows: str) -> str:
    middle = rows.index("\n", len(rows) // 2)
    return rows[:middle] + rows[rows.index("\n", middle + 1) :]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (torn, r"line \d+ is torn: it breaks off in the middle"),
        (with_byte_changed, r"line \d+: does not fit the chain of hashes"),
        (without_a_line, r"line \d+: does not fit the chain of hashes"),
        (lambda rows: "", "the journal is empty"),
        (lambda rows: rows.replace("T1", "Té", 1), r"line \d+: only ASCII can stand in a journal"),
    ],
)
def test_a_damaged_journal_file(run: Run, begun: Path, tmp_path: Path, damage: Any, said: str) -> None:
    path = tmp_path / "one.journal"
    path.write_text(damage(journal_text(begun)), encoding="utf-8")
    result = run("replay", path)
    assert result.exit_code == 1
    assert re.search(f"one.journal: {said}", one_sentence(result)), result.stderr


@pytest.mark.parametrize(
    ("change", "said", "code"),
    [
        ({"v": 99}, "journal version 99 is newer than this program's 2", 2),
        ({"v": 0}, "no way leads from journal version 0 to 1", 2),
        ({"v": 1}, "no way leads from journal version 1 to 2", 2),
        ({"pack": "00" * 32}, "the campaign pins pack '0000", 2),
        ({"rules": "0.9"}, "the campaign pins rules '0.9'; here it is '2'", 2),
        ({"game": "chess"}, "no game 'chess'; known: fww", 2),
        ({"settings": {"players": 2}}, "the first line lacks settings", 1),
        ({"k": "seam"}, "the first line is of kind 'seam', not 'open'", 1),
    ],
)
def test_another_version_pack_or_game_is_named(
    run: Run, begun: Path, tmp_path: Path, change: dict[str, Any], said: str, code: int
) -> None:
    path = tmp_path / "one.journal"
    path.write_text(journal_text(begun))
    rewritten(path, lambda lines: lines[0].update(change))
    before = path.read_bytes()
    result = run("replay", path)
    assert result.exit_code == code
    assert said in one_sentence(result)
    assert path.read_bytes() == before


def test_a_game_with_a_pack_of_its_own(run: Run, tmp_path: Path) -> None:
    """The pack is copied into the game's folder, which can then be moved."""
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "charts.toml").write_text(
        '[die]\nfaces = ["1", "2", "3", "4", "5", "S"]\ns_value = 0\nsource = "house rule"\n'
    )
    create_game(tmp_path / "c", agree_terms("fww", tempo="strict", pack=pack), {}, pack)
    game = (tmp_path / "c").rename(tmp_path / "moved")
    pack = pack.rename(tmp_path / "other pack")
    play_on(game, 8)
    assert run("replay", game).exit_code == 0
    (tmp_path / "one.journal").write_text(journal_text(game))
    assert run("replay", tmp_path / "one.journal", "--pack", pack).exit_code == 0
    result = run("replay", tmp_path / "one.journal")
    assert result.exit_code == 2
    assert "the campaign pins pack" in one_sentence(result)


def test_a_forged_fact_is_found_by_the_rules(run: Run, begun: Path, tmp_path: Path) -> None:
    path = tmp_path / "forged.journal"
    path.write_text(journal_text(begun))

    def change(lines: list[dict[str, Any]]) -> None:
        moved = [line for line in lines if line["k"] == "fact" and line["fact"] == "PhaseBegan"]
        moved[-1]["data"]["round"] = 99
        place.append(lines.index(moved[-1]) + 1)

    place: list[int] = []
    rewritten(path, change)
    result = run("replay", path)
    assert result.exit_code == 1
    assert f"line {place[0]}: the rules say" in one_sentence(result)


def test_a_forged_state_hash_is_found(run: Run, begun: Path, tmp_path: Path) -> None:
    path = tmp_path / "forged.journal"
    path.write_text(journal_text(begun))
    rewritten(path, lambda lines: next(x for x in lines if x["k"] == "snapshot").update(state="ab" * 32))
    assert run("replay", path).exit_code == 1
