"""The journal: the chain of hashes, damage of every kind, the codec, and lines of older programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel import journal as journal_module
from engine.kernel.errors import CorruptJournal, UnknownVersion
from engine.kernel.fairness.dice import H
from engine.kernel.journal import Journal, JournalLine, canonical, codec_of, format_lines, parse_lines, upcast
from engine.kernel.requests import Seat
from engine.kernel.table import Table
from tests.kernel.play import Campaign, at_random, kinds, rechained, replies, same
from tests.kernel.toy import GAME, NORTH, CardTaken, Ended, Guessed, Hid

Damage = Callable[[list[str]], list[str]]


def played(pauses: int = 1000, tempo: Any = "strict") -> Campaign:
    return Campaign.of(tempo=tempo).play(at_random(1), pauses)


# ------------------------------------------------------------------ canonical form and chain


def test_one_form_for_each_value() -> None:
    assert canonical({"b": 1, "a": (True, None, "é")}) == b'{"a":[true,null,"\\u00e9"],"b":1}'
    assert canonical(Hid(NORTH, "H1", (NORTH,))) == b'{"audience":["NORTH"],"hole":"H1","seat":"NORTH"}'


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
)


@given(PLAIN)
def test_the_form_is_that_of_the_standard_library(value: Any) -> None:
    """Anyone can check a line with `json.dumps` of any language."""
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    assert canonical(value) == written.encode("ascii")


@given(st.text(), st.text(), st.integers(), st.booleans())
def test_a_fact_has_the_form_of_any_other_line(seat: str, hole: str, face: int, found: bool) -> None:
    data = {"seat": seat, "hole": hole, "face": face, "found": found}
    line = codec_of(GAME).fact_line(Guessed(Seat(seat), hole, face, found))
    assert line == canonical({"k": "fact", "fact": "Guessed", "data": data})
    assert codec_of(GAME).fact_line(Ended()) == canonical({"k": "fact", "fact": "Ended", "data": {}})


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), float("nan"), float("inf")])
def test_what_has_no_canonical_form_is_an_error(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical({"value": value})


def test_the_chain_is_the_protocols_hash() -> None:
    head = bytes(32)
    for line in played().lines:
        head = H("line", head, line.raw)
        assert line.hash == head


def test_a_file_reads_back_as_it_was_written() -> None:
    lines = played().lines
    assert list(parse_lines(format_lines(lines))) == lines


def test_a_file_begins_with_the_first_line() -> None:
    lines = played().lines
    with pytest.raises(CorruptJournal, match="line 1"):
        list(parse_lines(format_lines(lines[7:])))


def test_a_journal_knows_its_length_and_head_without_the_lines_before() -> None:
    lines = played().lines
    tail = Journal(first=7, head=lines[6].hash)
    for line in lines[7:]:
        tail.append(line.raw)
    assert (tail.head, len(tail)) == (lines[-1].hash, len(lines))
    assert tail.since(9) == lines[9:] and tail.since(0) == lines[7:]


# ------------------------------------------------------------------ damage to a file


def flipped(rows: list[str]) -> list[str]:
    """Another face on a die."""
    n = next(n for n, row in enumerate(rows) if '"faces":[' in row)
    at = rows[n].index('"faces":[') + 9
    return [*rows[:n], rows[n][:at] + str(7 - int(rows[n][at])) + rows[n][at + 1 :], *rows[n + 1 :]]


def flipped_hash(rows: list[str]) -> list[str]:
    return [*rows[:5], ("0" if rows[5][0] != "0" else "1") + rows[5][1:], *rows[6:]]


def dropped(rows: list[str]) -> list[str]:
    return rows[:5] + rows[6:]


def dropped_first(rows: list[str]) -> list[str]:
    return rows[1:]


def doubled(rows: list[str]) -> list[str]:
    return [*rows[:5], rows[4], *rows[5:]]


def swapped(rows: list[str]) -> list[str]:
    return [*rows[:5], rows[6], rows[5], *rows[7:]]


def truncated(rows: list[str]) -> list[str]:
    return [*rows[:-1], rows[-1][:-20]]


def no_hash(rows: list[str]) -> list[str]:
    return [*rows[:5], rows[5][65:], *rows[6:]]


def only_a_hash(rows: list[str]) -> list[str]:
    return [*rows[:5], rows[5][:64] + "\n", *rows[6:]]


def empty_row(rows: list[str]) -> list[str]:
    return [*rows[:5], "\n", *rows[5:]]


def not_ascii(rows: list[str]) -> list[str]:
    return [*rows[:5], rows[5].replace("}", "é}"), *rows[6:]]


def upper_case_hash(rows: list[str]) -> list[str]:
    return [*rows[:5], rows[5][:64].upper() + rows[5][64:], *rows[6:]]


@pytest.mark.parametrize(
    "damage",
    [
        *(flipped, flipped_hash, dropped, dropped_first, doubled, swapped, truncated, no_hash),
        *(only_a_hash, empty_row, not_ascii, upper_case_hash),
    ],
)
def test_a_damaged_file_is_noticed(damage: Damage) -> None:
    rows = list(format_lines(played().lines))
    with pytest.raises(CorruptJournal, match=r"^line \d+: "):
        list(parse_lines(damage(rows)))


@given(st.data())
def test_any_flipped_bit_of_any_line_is_noticed(data: st.DataObject) -> None:
    rows = list(format_lines(LINES))
    n = data.draw(st.integers(0, len(rows) - 1))
    at = data.draw(st.integers(0, len(rows[n]) - 2))
    bit = data.draw(st.integers(0, 6))
    rows[n] = rows[n][:at] + chr(ord(rows[n][at]) ^ (1 << bit)) + rows[n][at + 1 :]
    with pytest.raises(CorruptJournal):
        list(parse_lines(rows))


LINES = played(4).lines


# ------------------------------------------------------------------ fits the chain and makes no sense


@pytest.mark.parametrize("raw", [b"{", b"[]", b'"k"', b"{}", b'{"k":5}', b'{"kind":"fact"}', b"null", b""])
def test_a_line_that_is_no_object_with_a_kind_is_noticed(raw: bytes) -> None:
    (line,) = rechained([raw])
    with pytest.raises(CorruptJournal):
        list(parse_lines(format_lines([line])))
    with pytest.raises(CorruptJournal):
        line.data  # noqa: B018


def forged_resume(change: Callable[[dict[str, Any]], Any], kind: str, turn: int = 1) -> None:
    """A line of the past or of the open segment altered, all later hashes recomputed, then taken up again."""
    campaign = played(9)
    snapshot = campaign.snapshots[0]
    raws = [line.raw for line in campaign.lines]
    n = next(n for n, line in enumerate(campaign.lines) if n >= snapshot.line and line.data["k"] == kind)
    raws[n] = canonical(change(json.loads(raws[n])))
    table = campaign.table
    lines = rechained(raws)[snapshot.line :]
    Table.resume(table.game, table.pack, table.settings, snapshot, lines, table.dice)


def test_the_forger_proves_himself() -> None:
    forged_resume(lambda data: data, "fact")
    forged_resume(lambda data: data, "answer")


@pytest.mark.parametrize(
    "change",
    [
        lambda fact: {**fact, "fact": "TownBurnt"},
        lambda fact: {**fact, "data": {}},
        lambda fact: {**fact, "data": {"turn": "one"}},
        lambda fact: {**fact, "data": {"turn": None}},
        lambda fact: {**fact, "data": {"turn": [1]}},
        lambda fact: {**fact, "data": 5},
        lambda fact: {"k": "fact", "fact": "TurnBegan"},
        lambda fact: {"k": "fact", "data": {}},
    ],
)
def test_a_fact_that_cannot_be_read_is_noticed(change: Any) -> None:
    with pytest.raises(CorruptJournal):
        forged_resume(change, "fact")


@pytest.mark.parametrize("change", [{"turn": "1"}, {"turn": True}, {"turn": 1.0}])
def test_a_fact_is_read_strictly(change: dict[str, Any]) -> None:
    """What would not be written again as the same bytes is damage."""
    with pytest.raises(CorruptJournal):
        codec_of(GAME).fact({"k": "fact", "fact": "TurnBegan", "data": change})


@pytest.mark.parametrize("value", [5, None, ["H1"], {"hole": "H1"}, True])
def test_an_answer_of_the_wrong_type_is_noticed(value: Any) -> None:
    with pytest.raises(CorruptJournal):
        codec_of(GAME).answer("hide", value)


def test_an_answer_of_no_topic_is_noticed() -> None:
    with pytest.raises(CorruptJournal, match="no topic 'chess'"):
        codec_of(GAME).answer("chess", "e4")


# ------------------------------------------------------------------ codec


@pytest.mark.parametrize("fact", [Hid(NORTH, "H2", (NORTH,)), CardTaken(NORTH, "K1", (NORTH,))])
def test_a_private_fact_names_its_readers(fact: Any) -> None:
    codec = codec_of(GAME)
    line = json.loads(codec.fact_line(fact))
    assert line["to"] == ["NORTH"] and ("others" in line) == (type(fact) is Hid)
    assert "audience" not in line["data"]
    assert codec.fact(line) == fact


def test_a_public_fact_names_no_readers() -> None:
    fact = Guessed(NORTH, "H2", 4, True)
    line = json.loads(codec_of(GAME).fact_line(fact))
    assert line == {
        "k": "fact",
        "fact": "Guessed",
        "data": {"seat": "NORTH", "hole": "H2", "face": 4, "found": True},
    }
    assert codec_of(GAME).fact(line) == fact


def test_every_line_of_a_game_reads_back() -> None:
    for line in played().lines:
        data = line.data
        assert canonical(data) == line.raw
        if data["k"] == "fact":
            assert codec_of(GAME).fact_line(codec_of(GAME).fact(data)) == line.raw
        if data["k"] == "answer":
            assert canonical(codec_of(GAME).answer(data["topic"], data["answer"])) == canonical(
                data["answer"]
            )


# ------------------------------------------------------------------ versions


def older(data: dict[str, Any]) -> dict[str, Any]:
    """How version 0 wrote a line: seats were called `who`, hiding `conceal`, and there was no `once`."""
    if data["k"] == "open":
        data["v"] = 1
    if data["k"] == "answer":
        data["who"] = data.pop("seat")
    if data["k"] == "seam" and data["name"] == "hide":
        data["name"] = "conceal"
    if data["k"] in ("pause", "close"):
        assert data.pop("once")
    return data


def newer(data: dict[str, Any]) -> dict[str, Any]:
    if data["k"] == "answer":
        data["seat"] = data.pop("who")
    if data["k"] == "seam" and data["name"] == "conceal":
        data["name"] = "hide"
    if data["k"] in ("pause", "close"):
        data["once"] = True
    if data["k"] == "open":
        data["v"] = 2
    return data


@pytest.fixture
def upcaster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(journal_module.UPCASTERS, 1, newer)


def old_campaign(pauses: int) -> Campaign:
    """A campaign played by version 1, as it stands in the store."""
    campaign = played(pauses)
    lines = rechained(canonical(older(line.data)) for line in campaign.lines)
    old = []
    for snapshot in campaign.snapshots:
        fields = {name: getattr(snapshot, name) for name in snapshot.__slots__}
        old.append(type(snapshot)(**{**fields, "head": lines[snapshot.line - 1].hash, "version": 1}))
    stored = Campaign(campaign.table, old)
    stored.table.journal.lines[:] = lines
    stored.table.journal.head = lines[-1].hash
    return stored


@pytest.mark.usefixtures("upcaster")
@pytest.mark.parametrize("pauses", range(1, 13))
def test_an_old_journal_is_taken_up_in_mid_segment(pauses: int) -> None:
    stored = old_campaign(pauses)
    live = played(pauses).table
    for table in (stored.resumed(), stored.replayed()):
        assert [d["k"] for d in kinds(table, "version")] == []
        assert table.game.dump(table.state) == live.game.dump(live.state)
        assert table.pause is not None and live.pause is not None
        assert table.pause.window == live.pause.window


@pytest.mark.usefixtures("upcaster")
@pytest.mark.parametrize("pauses", range(1, 13))
def test_the_version_changes_with_the_first_line_of_the_newer_program(pauses: int) -> None:
    """Also within a segment: otherwise its new lines would be read as old ones the next time."""
    stored = old_campaign(pauses)
    table, lines = stored.resumed(), list(stored.lines)
    for _ in range(3):
        pause = table.pause
        if pause is None:
            break
        table.advance(replies(pause, at_random(1)))
        lines = lines[: table.journal.first] + table.journal.lines
        campaign = Campaign(
            table, [*stored.snapshots, table.snapshot] if table.snapshot else stored.snapshots
        )
        campaign.table.journal.lines[:], campaign.table.journal.first = lines, 0
        same(campaign.resumed(), table)
        same(campaign.resumed(stored.snapshots[0]), table)
        same(campaign.replayed(), table)
        table = campaign.resumed(stored.snapshots[-1])
    versions = [(n, d["v"]) for n, d in enumerate(line.data for line in lines) if d["k"] == "version"]
    assert versions == [(len(stored.lines), 2)]


def test_a_newer_journal_is_refused() -> None:
    campaign = played(3)
    raws = [line.raw for line in campaign.lines]
    raws[0] = raws[0].replace(b'"v":2', b'"v":3')
    with pytest.raises(UnknownVersion, match="version 3 is newer"):
        campaign.replayed(lines=rechained(raws))


def test_an_old_journal_without_a_way_is_refused() -> None:
    stored = old_campaign(2)
    with pytest.raises(UnknownVersion, match="from journal version 1 to 2"):
        stored.replayed()
    with pytest.raises(UnknownVersion):
        stored.resumed()


def test_upcasters_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "JOURNAL_VERSION", 3)
    monkeypatch.setitem(journal_module.UPCASTERS, 1, lambda data: {**data, "way": [*data["way"], 2]})
    monkeypatch.setitem(journal_module.UPCASTERS, 2, lambda data: {**data, "way": [*data["way"], 3]})
    assert upcast({"way": [1]}, 1) == {"way": [1, 2, 3]}
    assert upcast({"way": [2]}, 2) == {"way": [2, 3]}
    assert upcast({"way": []}, 3) == {"way": []}


def test_lines_are_plain_pairs() -> None:
    line = JournalLine(b'{"k":"end"}', bytes(32))
    assert line.data == {"k": "end"}
