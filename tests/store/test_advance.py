"""Close, run, commit in the database: all of it or nothing, and once only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, func, select, update
from sqlalchemy.exc import IntegrityError

from engine.kernel.branches import Course, roll_back
from engine.kernel.errors import CorruptJournal
from engine.kernel.fairness.audit import Entry, Ledger
from engine.kernel.journal import JournalLine
from pbem.campaigns.campaign import load_campaign
from pbem.store import schema, schema_mail
from pbem.store.advance import (
    Advance,
    HeadMoved,
    NewBranch,
    NextWindow,
    append_act,
    commit_advance,
    freeze_close,
    frozen_close,
    next_window_number,
)
from pbem.store.campaigns import (
    Act,
    CampaignExists,
    NoSuchCampaign,
    acts,
    all_campaigns,
    campaign,
    keys_of,
    lock,
    mark_held,
    mark_released,
    service_key,
)
from pbem.store.journal import read_journal, read_records, read_snapshots, read_tail, unrecorded_lines
from pbem.store.outbox import NumberTaken, letters_to
from pbem.store.session import StoreError, reading, writing
from pbem.store.standing_orders import file_standing_orders, standing_orders_of
from pbem.store.windows import (
    Stamp,
    StoredReply,
    StoredSheet,
    cancel_orders,
    file_reply,
    file_sheet,
    file_stance,
    open_window,
    read_orders,
)
from tests.kernel.toy import NORTH, SOUTH
from tests.narrowing import not_none
from tests.store.play import NAME, NOW, advance, answer_all, close, compute, everything, found_toy, play_on


@pytest.fixture
def begun(store: Engine, toy: Any) -> Engine:
    """A campaign that waits at its first question."""
    found_toy(store)
    assert advance(store)
    return store


# ------------------------------------------------------------------ a whole campaign


def test_a_campaign_is_played_to_its_end_and_every_roll_verifies(store: Engine, toy: Any) -> None:
    found_toy(store, tempo="react")
    play_on(store, 100)
    here = load_campaign(store, NAME)
    assert here.table.over and "over" == campaign(store, NAME).state
    lines = read_journal(store, NAME)
    assert here.standing_row.head == lines[-1].hash
    records = list(read_records(store, NAME))
    assert list(range(1, here.table.t + 1)) == [record.close.t for record in records]
    ledger = Ledger(lines[0].raw, keys_of(store, NAME).dice)
    told = iter(lines)
    for record in records:  # the heads follow from Closes and lines alone
        own = [next(told).data for _ in range(_lines_of(record, lines))]
        again = ledger.record(record.close, own)
        assert again == record
        ledger.records.append(again)


def _lines_of(record: Any, lines: list[JournalLine]) -> int:
    """How many lines an advance wrote: from behind the pause before to its own pause, or the end."""
    ends = [n + 1 for n, line in enumerate(lines) if line.data["k"] in ("pause", "end")]
    starts = [0, *ends]
    number: int = record.close.t - 1
    return ends[number] - starts[number]


def test_resuming_reads_first_line_last_snapshot_and_tail_only(store: Engine, toy: Any) -> None:
    found_toy(store, tempo="fast")
    play_on(store, 3)
    seen: list[int] = []

    @event.listens_for(store, "after_cursor_execute")
    def count(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if "FROM journal" in statement:
            seen.append(cursor.rowcount)

    tail = read_tail(store, NAME)
    assert tail.snapshot is not None and tail.snapshot.line > 20
    assert len(tail.lines) == tail.standing.length - tail.snapshot.line
    assert 1 == len(seen)  # the first line, the snapshot's line and those after it
    assert read_journal(store, NAME)[tail.snapshot.line :] == tail.lines


def test_a_journal_that_was_tampered_with_is_noticed(begun: Engine) -> None:
    table = schema.journal
    with writing(begun) as tx:
        last = tx.execute(select(func.max(table.c.sequence))).scalar_one()
        changed = update(table).where(table.c.sequence == last)
        tx.execute(changed.values(raw=b'{"k":"pause","once":true,"seats":["SOUTH"],"window":"x"}'))
    with pytest.raises(CorruptJournal, match="chain of hashes"):
        read_tail(begun, NAME)


def test_a_state_that_was_tampered_with_is_noticed(begun: Engine) -> None:
    with writing(begun) as tx:
        tx.execute(update(schema.snapshots).values(state=b"{}"))
    with pytest.raises(CorruptJournal, match="not the snapshot"):
        read_tail(begun, NAME)


def test_lines_taken_from_the_end_are_missed(begun: Engine) -> None:
    with writing(begun) as tx:
        tx.execute(update(schema.campaigns).values(length=schema.campaigns.c.length + 1))
    with pytest.raises(CorruptJournal, match="missing"):
        read_tail(begun, NAME)


# ------------------------------------------------------------------ Close


def test_what_is_filed_between_reading_and_freezing_is_not_passed_over(begun: Engine) -> None:
    here, filed = load_campaign(begun, NAME), read_orders(begun, NAME)
    assert filed.window is not None
    sheet = StoredSheet("HIDE H1", "HIDE H1")
    assert "filed" == file_sheet(begun, NAME, filed.window.number, "NORTH", sheet, Stamp(NOW))
    assert here.freeze(filed, "all-in", NOW) is None
    assert frozen_close(begun, NAME) is None
    frozen = here.freeze(read_orders(begun, NAME), "all-in", NOW)
    assert frozen is not None and "HIDE H1" in frozen.handed


def test_a_close_is_frozen_once(begun: Engine) -> None:
    first = close(begun)
    answer_all(begun)
    assert first is not None
    assert first == close(begun) == frozen_close(begun, NAME)


def test_nothing_is_filed_for_a_window_whose_close_is_frozen(begun: Engine) -> None:
    number = not_none(read_orders(begun, NAME).window).number
    close(begun)
    assert "closed" == file_sheet(begun, NAME, number, "NORTH", StoredSheet("HIDE H1"), Stamp(NOW))
    assert "closed" == file_standing_orders(begun, NAME, "NORTH", "ALWAYS HIDE H2", Stamp(NOW))
    assert advance(begun)
    assert "closed" == file_sheet(begun, NAME, number, "NORTH", StoredSheet("HIDE H1"), Stamp(NOW))
    assert "filed" == file_sheet(begun, NAME, number + 1, "NORTH", StoredSheet("HIDE H1"), Stamp(NOW))


@pytest.mark.parametrize("what", ["sheet", "reply", "stance", "cancel"])
def test_who_waits_for_the_campaign_while_its_window_closes_files_nothing_for_it(
    begun: Engine, what: str
) -> None:
    """What was read before the wait is not believed after it."""
    window, told = open_window(begun, NAME), list[str]()
    assert window is not None
    number = window.number
    ways: dict[str, Callable[[Connection], str]] = {
        "sheet": lambda tx: file_sheet(tx, NAME, number, "NORTH", StoredSheet("HIDE H1"), Stamp(NOW)),
        "reply": lambda tx: file_reply(tx, NAME, number, "NORTH", "1", StoredReply("hide", "1"), Stamp(NOW)),
        "stance": lambda tx: file_stance(tx, NAME, number, "NORTH", "ready", Stamp(NOW)),
        "cancel": lambda tx: cancel_orders(tx, NAME, number, "NORTH"),
    }

    def another() -> None:
        with writing(begun) as tx:
            told.append(ways[what](tx))

    with writing(begun) as tx:
        lock(tx, NAME)
        waiting = threading.Thread(target=another)
        waiting.start()
        time.sleep(0.2)  # by now it waits
        assert load_campaign(tx, NAME).freeze(read_orders(tx, NAME), "all-in", NOW) is not None
    waiting.join()
    assert ["closed"] == told


def test_a_held_campaign_closes_nothing_until_it_is_released(begun: Engine) -> None:
    mark_held(begun, NAME, "the rules crashed")
    assert close(begun) is None
    mark_released(begun, NAME)
    assert close(begun) is not None


def test_letters_are_in_one_entry_each(begun: Engine) -> None:
    answer_all(begun)
    first = close(begun)
    answer_all(begun)  # a mark that comes while the Close is frozen counts for the next one
    assert first is not None
    assert advance(begun)
    second = close(begun)
    assert second is not None
    assert 1 == len(first.close.entries[NORTH].marks) and 1 <= len(second.close.entries[NORTH].marks)
    assert (
        first.close.entries[NORTH].marks[0] == second.close.entries[NORTH].marks[0]
    )  # the same letter, sent again


def test_answers_of_the_umpire_are_in_no_entry(begun: Engine) -> None:
    answer_all(begun)
    with writing(begun) as tx:
        tx.execute(
            update(schema_mail.replies).where(schema_mail.replies.c.seat == "NORTH").values(umpire=True)
        )
    frozen = close(begun)
    assert frozen is not None
    assert Entry.of().answers == frozen.close.entries[NORTH].answers
    assert Entry.of().answers != frozen.close.entries[SOUTH].answers
    ran = load_campaign(begun, NAME).run(frozen)
    told = {line.data["seat"]: line.data["by"] for line in ran.lines if line.data["k"] == "answer"}
    assert ("umpire", "reply") == (told["NORTH"], told["SOUTH"])


# ------------------------------------------------------------------ commit


def frozen_advance(store: Engine) -> Advance:
    answer_all(store)
    frozen = close(store)
    assert frozen is not None
    return compute(store, frozen)


def test_two_runs_of_a_close_make_the_same_advance(begun: Engine) -> None:
    first = frozen_advance(begun)
    frozen = frozen_close(begun, NAME)
    assert frozen is not None and first == compute(begun, frozen)


def test_a_second_commit_does_nothing(begun: Engine) -> None:
    ready = frozen_advance(begun)
    assert commit_advance(begun, ready, NOW)
    before = everything(begun)
    assert not commit_advance(begun, ready, NOW)
    play_on(begun, 2)
    assert not commit_advance(begun, ready, NOW)
    assert before != everything(begun)


def test_a_commit_brings_lines_record_letters_window_and_deadlines(begun: Engine) -> None:
    ready = frozen_advance(begun)
    before = open_window(begun, NAME)
    assert before is not None and "frozen" == before.state
    commit_advance(begun, ready, NOW)
    after = open_window(begun, NAME)
    assert after is not None and ("open", before.number + 1) == (after.state, after.number)
    assert frozen_close(begun, NAME) is None
    assert list(ready.lines) == read_journal(begun, NAME)[ready.first :]
    assert [ready.record] == list(read_records(begun, NAME, after=ready.t - 1))
    assert set(ready.letters) <= {one.letter for one in letters_to(begun, NAME)}
    assert not read_orders(begun, NAME).seats
    with reading(begun) as tx:
        rows = tx.execute(select(schema_mail.deadlines.c.window, schema_mail.deadlines.c.state)).all()
    assert {(before.number, "dropped"), (after.number, "waiting")} == {tuple(row) for row in rows}


def test_a_commit_that_fails_in_any_part_leaves_nothing(store: Engine, toy: Any) -> None:
    found_toy(store, tempo="fast")
    play_on(store, 2)
    ready = frozen_advance(store)
    assert ready.snapshot is not None and ready.window is not None
    broken: list[dict[str, Any]] = [
        {"letters": [*ready.letters, letters_to(store, NAME)[0].letter]},
        {"window": replace(ready.window, number=1)},
        {"lines": [*ready.lines, JournalLine(b"{}", bytes(32))]},
        {"snapshot": read_snapshots(store, NAME)[0]},
    ]
    before = everything(store)
    for part in broken:
        with pytest.raises((NumberTaken, IntegrityError, CorruptJournal)):
            commit_advance(store, replace(ready, **part), NOW)
        assert before == everything(store), sorted(part)
    assert commit_advance(store, ready, NOW)


def test_an_advance_of_another_journal_is_refused(begun: Engine) -> None:
    ready = frozen_advance(begun)
    before = everything(begun)
    for wrong in (
        replace(ready, expected=bytes(32)),
        replace(ready, first=ready.first + 1),
        replace(ready, record=replace(ready.record, close=replace(ready.record.close, t=99))),
        replace(ready, record=replace(ready.record, close=replace(ready.record.close, transcript=b"{}"))),
    ):
        with pytest.raises(HeadMoved):
            commit_advance(begun, wrong, NOW)
    assert before == everything(begun)


def test_standing_orders_time_banks_and_missed_windows_are_kept(begun: Engine) -> None:
    number = not_none(read_orders(begun, NAME).window).number
    file_sheet(begun, NAME, number, "NORTH", StoredSheet("ALWAYS HIDE H2\nHIDE H1"), Stamp(NOW))
    frozen = close(begun)
    assert frozen is not None
    ready = replace(compute(begun, frozen), banks={"NORTH": 1200}, missed={"SOUTH": 1})
    assert {"NORTH": "ALWAYS HIDE H2"} == ready.standing
    commit_advance(begun, ready, NOW)
    assert {"NORTH": "ALWAYS HIDE H2"} == standing_orders_of(begun, NAME)
    with reading(begun) as tx:
        seats = schema.seats
        rows = tx.execute(select(seats.c.seat, seats.c.bank, seats.c.missed).order_by(seats.c.place)).all()
    assert [("NORTH", 1200, 0), ("SOUTH", 3600, 1)] == [tuple(row) for row in rows]


# ------------------------------------------------------------------ umpires, branches


def test_an_umpires_act_is_journaled_and_told_by_the_next_record(begun: Engine) -> None:
    here = load_campaign(begun, NAME)
    here.table.note("extend", "a storm", days=2)
    lines = here.table.journal.since(here.standing_row.length)
    act = Act("extend", "a storm", {"days": 2})
    assert append_act(begun, NAME, here.standing_row.head, lines, act, [], NOW)
    assert not append_act(begun, NAME, here.standing_row.head, lines, act, [], NOW)
    assert lines == unrecorded_lines(begun, NAME)
    assert [(NOW, act)] == acts(begun, NAME)
    ready = frozen_advance(begun)
    assert not append_act(begun, NAME, ready.expected, lines, act, [], NOW)  # frozen
    commit_advance(begun, ready, NOW)
    assert "a storm" in ready.record.public.decode() and ("TOUCHED",) == ready.record.marks
    assert [] == unrecorded_lines(begun, NAME)
    play_on(begun, 1)
    assert "a storm" not in list(read_records(begun, NAME))[-1].public.decode()


def test_a_rollback_opens_a_branch_and_deletes_nothing(store: Engine, toy: Any) -> None:
    found_toy(store, tempo="react")
    play_on(store, 6)
    old = read_journal(store, NAME)
    _roll_back(store, "T2.hide", 1)
    here = campaign(store, NAME)
    assert 1 == here.branch and old == read_journal(store, NAME, branch=0)
    new = read_journal(store, NAME)
    fork = next(n for n, line in enumerate(old) if line.data.get("key") == "T2.hide")
    assert old[:fork] == new[:fork] and "branch" == new[fork].data["k"]
    assert [] == unrecorded_lines(store, NAME)
    play_on(store, 2)
    _roll_back(store, "T1.guess", 2)  # before the other fork: shares nothing with branch 1's own lines
    play_on(store, 100)
    assert load_campaign(store, NAME).table.over
    assert [*range(1, campaign(store, NAME).t + 1)] == [r.close.t for r in read_records(store, NAME)]


def _roll_back(store: Engine, key: str, number: int) -> None:
    here, filed = load_campaign(store, NAME), read_orders(store, NAME)
    made = here.ledger.close({seat: Entry.of() for seat in here.terms.seats}, branch=number)
    frozen = freeze_close(store, filed, made, "{}", "umpire", NOW)
    assert frozen is not None
    terms, lines = here.terms, read_journal(store, NAME)
    past = Course(
        terms.game, terms.pack, terms.settings, read_snapshots(store, NAME), lines, branch=filed.branch
    )
    table = roll_back(past, key, number, here.ledger.dice(made), "by consent")
    fork = len(table.journal) - 1
    table.advance({}, made.t, made.digest.hex())
    told = table.journal.since(fork)
    assert table.pause is not None
    open_one = table.pause.window
    commit_advance(
        store,
        Advance(
            NAME,
            frozen.head,
            fork,
            told,
            here.ledger.record(made, [line.data for line in told]),
            window=NextWindow(next_window_number(store, NAME), open_one.key, "orders", open_one.seats),
            branch=NewBranch(number, filed.branch, fork, "by consent"),
        ),
        NOW,
    )


def test_a_branch_that_does_not_fit_its_parent_is_refused(begun: Engine) -> None:
    ready = frozen_advance(begun)
    wrong = replace(ready, branch=NewBranch(1, 0, 3, "forged"), first=3)
    with pytest.raises(CorruptJournal, match="chain of hashes"):
        commit_advance(begun, wrong, NOW)


# ------------------------------------------------------------------ campaigns


def test_founding(store: Engine, toy: Any) -> None:
    found_toy(store)
    with pytest.raises(CampaignExists):
        found_toy(store)
    found_toy(store, "TOY-2")
    advance(store, "TOY-2")
    assert [(NAME, "lobby"), ("TOY-2", "running")] == [(one.id, one.state) for one in all_campaigns(store)]
    assert ["TOY-2"] == [one.id for one in all_campaigns(store, "running")]
    for read in (campaign, read_tail, keys_of):
        with pytest.raises(NoSuchCampaign, match="NONE-9"):
            read(store, "NONE-9")


def test_in_the_lobby_the_journal_does_not_go_on(store: Engine, toy: Any) -> None:
    found_toy(store)
    head = campaign(store, NAME).head
    with pytest.raises(StoreError):
        append_act(store, NAME, head, [JournalLine(b'{"k":"ruling"}', b"")], Act("rule", "early"), [], NOW)
    assert append_act(store, NAME, head, [], Act("hold", "not all are here"), [], NOW)


def test_secrets_come_back_and_are_not_shown(begun: Engine) -> None:
    keys = keys_of(begun, NAME)
    assert keys.dice.commitments["anchor"] in read_journal(begun, NAME)[0].raw.decode()
    for secret in (keys.dice.seal_key, keys.mail_key, keys.bot_seed):
        assert repr(secret) not in repr(keys)


def test_a_key_of_the_service_is_made_once(store: Engine) -> None:
    key = service_key(store, "lobby")
    assert 32 == len(key) and key == service_key(store, "lobby") != service_key(store, "other")
