"""A campaign in a folder: created whole, advanced whole or not at all, and nothing damaged goes unnoticed."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.errors import CorruptJournal
from engine.kernel.journal import Journal, canonical, read_lines, write_lines
from pbem.campaigns.folder import create, opened, read_ledger
from pbem.campaigns.replay import replay
from pbem.campaigns.terms import agree_terms
from pbem.errors import BadInput
from tests.cli.conftest import Run, contents, letters, one_sentence, play_on


def rewritten(path: Path, change: Any) -> None:
    """The journal with changed lines, chained anew: a forger with all the hashes right."""
    lines = [line.data for line in read_lines(path.read_text().splitlines())]
    change(lines)
    journal = Journal()
    for line in lines:
        journal.append(canonical(line))
    path.write_text("".join(write_lines(journal.lines)))


# ------------------------------------------------------------------ creation


def test_a_new_campaign_keeps_its_secrets(tmp_path: Path) -> None:
    create(tmp_path / "c", agree_terms("fww"), {})
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "c" / "secrets.json").stat().st_mode) == 0o600
    header = json.loads((tmp_path / "c" / "journal").read_text().splitlines()[0].partition(" ")[2])
    ledger = read_ledger(tmp_path / "c", canonical(header))
    assert {key: header[key] for key in ("anchor", "seal")} == ledger.secrets.commitments
    secret = (tmp_path / "c" / "secrets.json").read_text()
    assert header["anchor"] in secret  # the chain's first link, of 257 kept
    assert not {path.name for path in tmp_path.iterdir()} - {"c"}


def test_two_campaigns_have_different_dice(tmp_path: Path) -> None:
    for name in ("a", "b"):
        create(tmp_path / name, agree_terms("fww"), {})
    assert (tmp_path / "a" / "secrets.json").read_bytes() != (tmp_path / "b" / "secrets.json").read_bytes()


def test_a_campaign_is_not_laid_over_something_else(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "letter").write_text("dear")
    with pytest.raises(BadInput, match="something lies here already"):
        create(tmp_path / "c", agree_terms("fww"), {})
    assert contents(tmp_path) == {"c/letter": b"dear"}


def test_a_campaign_that_cannot_begin_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="tanks"):
        create(tmp_path / "c", agree_terms("fww", options={"tanks": True}), {})
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ advancing


def test_a_campaign_goes_on_where_it_was(campaign: Path) -> None:
    before = (campaign / "journal").read_bytes()
    with opened(campaign) as first:
        pause = first.pause
        view = first.table.view(first.terms.seats[0])
    with opened(campaign) as second:
        assert second.pause is not None and pause is not None
        assert [question for question, _ in second.pause.asks] == [question for question, _ in pause.asks]
        assert second.table.view(second.terms.seats[0]) == view
        second.advance(letters(second, 99))
    after = (campaign / "journal").read_bytes()
    assert after.startswith(before) and len(after) > len(before)


def test_every_advance_is_one_close_and_one_record(campaign: Path) -> None:
    with opened(campaign) as found:
        closes = found.ledger.t
        for number in range(3):
            found.advance(letters(found, 100 + number))
        assert found.ledger.t == closes + 3
    lines = [json.loads(row.partition(" ")[2]) for row in (campaign / "journal").read_text().splitlines()]
    told = [line["T"] for line in lines if line["k"] == "close"]
    kept = [record.close.digest.hex() for record in read_ledger(campaign, canonical(lines[0])).records]
    assert told == kept[1:]  # the first advance, to the first question, closes no window
    assert {line["by"] for line in lines if line["k"] in ("roll", "draw")} <= {"audited"}


def test_an_advance_on_the_same_letters_has_the_same_dice(campaign: Path, tmp_path: Path) -> None:
    shutil.copytree(campaign, tmp_path / "twin")
    for folder in (campaign, tmp_path / "twin"):
        play_on(folder, 6)
    assert (campaign / "journal").read_bytes() == (tmp_path / "twin" / "journal").read_bytes()
    assert (campaign / "audit").read_bytes() == (tmp_path / "twin" / "audit").read_bytes()


def test_only_one_process_plays_a_campaign(campaign: Path) -> None:
    with opened(campaign), pytest.raises(BadInput, match="another process"), opened(campaign):
        pass


def dies_at(folder: Path, step: int) -> int:
    """Advance in a process of its own that dies at its n-th call of fsync or rename; its exit code."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    calls = 0

    def dying(call: Any) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == step:
                os._exit(9)
            return call(*args, **kwargs)

        return counted

    code = 1
    try:
        with opened(folder) as campaign:
            os.fsync, Path.rename, Path.unlink = dying(os.fsync), dying(Path.rename), dying(Path.unlink)  # type: ignore[method-assign]
            campaign.advance(letters(campaign, 7))
            code = 0
    finally:
        os._exit(code)


def test_a_crash_at_any_step_leaves_the_campaign_before_or_after(campaign: Path, tmp_path: Path) -> None:
    """What the next process finds is the advance undone or done, with the dice it would have had."""
    after = tmp_path / "after"
    shutil.copytree(campaign, after)
    with opened(after) as found:
        found.advance(letters(found, 7))
    outcomes = set()
    for step in range(1, 40):
        broken = tmp_path / f"broken{step}"
        shutil.copytree(campaign, broken)
        if dies_at(broken, step) == 0:
            break
        with opened(broken) as found:
            assert found.pause is not None
        journals = [(folder / "journal").read_bytes() for folder in (campaign, after)]
        outcomes.add(journals.index((broken / "journal").read_bytes()))
        assert replay(broken).lines == (broken / "journal").read_bytes().count(b"\n")
        assert not (broken / "pending.json").exists() and not (broken / "closed.json").exists()
    else:
        pytest.fail("the advance never came to its end")
    assert step > 6 and outcomes == {0, 1}


# ------------------------------------------------------------------ damage


def damage(folder: Path, kind: str) -> None:
    journal = folder / "journal"
    text = journal.read_bytes()
    middle = text.index(b"\n", len(text) // 2)
    if kind == "torn":
        journal.write_bytes(text[:-9])
    elif kind == "byte":
        journal.write_bytes(text[: middle + 80] + bytes([text[middle + 80] ^ 1]) + text[middle + 81 :])
    elif kind == "line lost":
        journal.write_bytes(text[:middle] + text[text.index(b"\n", middle + 1) :])
    elif kind == "empty":
        journal.write_bytes(b"")
    elif kind == "audit torn":
        (folder / "audit").write_bytes((folder / "audit").read_bytes()[:-3])
    elif kind == "audit lost":
        rows = (folder / "audit").read_bytes().splitlines(keepends=True)
        (folder / "audit").write_bytes(b"".join(rows[:-1]))
    elif kind == "snapshot":
        path = sorted((folder / "snapshots").iterdir())[-1]
        path.write_text(re.sub(r'turn\\":\d', r'turn\\":9', path.read_text()))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("torn", r"journal: line \d+ is torn: it breaks off in the middle"),
        ("byte", r"journal: line \d+: does not fit the chain of hashes"),
        ("line lost", r"journal: line \d+: does not fit the chain of hashes"),
        ("empty", "the journal is empty"),
        ("audit torn", r"audit: line \d+ is torn"),
        ("audit lost", r"audit: Close \d+ is not the one that the journal names"),
        ("snapshot", r"snapshots/\d+.json: not the snapshot that line \d+ tells of"),
    ],
)
def test_damage_is_found_named_and_left_as_it_is(run: Run, campaign: Path, kind: str, said: str) -> None:
    damage(campaign, kind)
    before = contents(campaign)
    result = run("replay", campaign)
    assert result.exit_code == 1
    assert re.search(said, one_sentence(result)), result.stderr
    with pytest.raises(CorruptJournal, match=said), opened(campaign):
        pass
    assert run("play", "--save", campaign, typed="1\n").exit_code == 1
    assert contents(campaign) == before


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("campaign.json", "{", "campaign.json: not JSON"),
        ("campaign.json", '{"v": 7}', "campaign.json: not of the format 1 that is known here"),
        ("campaign.json", '{"v": 1, "game": "fww", "bots": {}}', "campaign.json: pack is missing"),
        ("secrets.json", "{}", "secrets.json: not the secrets of a campaign"),
        ("pending.json", "[]", "pending.json: not a change that was to be carried out"),
        ("standing.json", "?", "standing.json: not JSON"),
        ("closed.json", "?", "closed.json: not JSON"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    run: Run, campaign: Path, name: str, text: str, said: str
) -> None:
    (campaign / name).write_text(text)
    before = contents(campaign)
    result = run("play", "--save", campaign, typed="1\n")
    assert result.exit_code == 2
    assert said in one_sentence(result)
    assert contents(campaign) == before


def test_secrets_of_another_campaign_are_refused(run: Run, campaign: Path, tmp_path: Path) -> None:
    create(tmp_path / "other", agree_terms("fww"), {})
    shutil.copy(tmp_path / "other" / "secrets.json", campaign / "secrets.json")
    result = run("play", "--save", campaign)
    assert result.exit_code == 2
    assert "the seal key is not the one the campaign opened with" in one_sentence(result)


@pytest.mark.parametrize(
    ("change", "said", "code"),
    [
        ({"v": 99}, "journal version 99 is newer than this program's 1", 2),
        ({"v": 0}, "no way leads from journal version 0 to 1", 2),
        ({"pack": "00" * 32}, "the campaign pins pack '0000", 2),
        ({"rules": "0.9"}, "the campaign pins rules '0.9'; here it is '1'", 2),
        ({"game": "chess"}, "no game 'chess'; known: fww", 2),
        ({"settings": {"players": 2}}, "the first line does not tell the settings", 1),
        ({"k": "seam"}, "the first line is of kind 'seam', not 'open'", 1),
    ],
)
def test_another_version_pack_or_game_is_named(
    run: Run, begun: Path, tmp_path: Path, change: dict[str, Any], said: str, code: int
) -> None:
    path = tmp_path / "one.journal"
    shutil.copy(begun / "journal", path)
    rewritten(path, lambda lines: lines[0].update(change))
    before = path.read_bytes()
    result = run("replay", path)
    assert result.exit_code == code
    assert said in one_sentence(result)
    assert path.read_bytes() == before


def test_a_campaign_with_a_pack_of_its_own(run: Run, tmp_path: Path) -> None:
    """The pack is copied into the campaign, which then needs nothing else."""
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "charts.toml").write_text(
        '[die]\nfaces = ["1", "2", "3", "4", "5", "S"]\ns_value = 0\nsource = "house rule"\n'
    )
    create(tmp_path / "c", agree_terms("fww", tempo="strict", pack=pack), {}, pack)
    shutil.rmtree(pack)
    play_on(tmp_path / "c", 8)
    assert run("replay", tmp_path / "c").exit_code == 0
    result = run("replay", tmp_path / "c" / "journal")
    assert result.exit_code == 2
    assert "the campaign pins pack" in one_sentence(result)


def test_a_forged_fact_is_found_by_the_rules(run: Run, begun: Path, tmp_path: Path) -> None:
    path = tmp_path / "forged.journal"
    shutil.copy(begun / "journal", path)

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
    shutil.copy(begun / "journal", path)
    rewritten(path, lambda lines: next(x for x in lines if x["k"] == "snapshot").update(state="ab" * 32))
    assert run("replay", path).exit_code == 1
