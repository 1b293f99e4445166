"""Adjudication broken off: two workers at one Close, a crash at any statement, a crash in the rules."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from engine.games import game
from pbem.campaigns.adjudicate import adjudicate, compute_advance
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.clock import release
from pbem.store.advance import commit_advance, frozen_close
from pbem.store.campaigns import acts, campaign_row
from pbem.store.deadlines import timetable
from pbem.store.journal import read_journal
from pbem.store.people import seated
from pbem.store.session import connect
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import (
    NAME,
    AtHand,
)
from tests.flow.hands import (
    all_hand_in,
    everything,
    flat,
    to_members,
    window,
)


def test_two_workers_make_the_same_bytes_and_one_commit_counts(at: AtHand) -> None:
    all_hand_in(at, {"DE": "DEPLOY 2D > 1"})
    here = load_campaign(at.db, NAME)
    frozen = here.freeze(read_orders(at.db, NAME), "all-in", at.clock())
    assert frozen is not None
    people = seated(at.db, NAME)
    one, other = compute_advance(at.service, frozen, people), compute_advance(at.service, frozen, people)
    assert one == other and [a.body for a in one.letters] == [b.body for b in other.letters]
    later = replace(at.service, now=lambda: at.clock.now + timedelta(minutes=5))
    assert one == compute_advance(later, frozen, people)
    assert commit_advance(at.db, one, frozen.at) and not commit_advance(at.db, other, frozen.at)


class _Cut(Exception):
    """The process is gone."""


def cut_at(store: Any, statement: int) -> Callable[[], int]:
    """From that statement on nothing reaches the database."""
    seen = [0]

    @event.listens_for(store, "before_cursor_execute")
    def count(*_: Any) -> None:
        seen[0] += 1
        if seen[0] >= statement:
            raise _Cut

    def stop() -> int:
        event.remove(store, "before_cursor_execute", count)
        return seen[0]

    return stop


def test_a_crash_at_any_statement_loses_nothing_and_doubles_nothing(at: AtHand, tmp_path: Path) -> None:
    all_hand_in(at, {"DE": "DEPLOY 2D > 1"})
    at.db.dispose()
    path = tmp_path / "pbem.db"
    shutil.copy(path, tmp_path / "before.db")

    def again(statement: int | None) -> tuple[dict[str, Any], int]:
        shutil.copy(tmp_path / "before.db", path)
        for left in tmp_path.glob("pbem.db-*"):
            left.unlink()
        store = connect(path)
        here = AtHand(replace(at.service, db=store), at.clock, NAME, at.addresses)
        stop = cut_at(store, statement or 10**9)
        with suppress(_Cut):
            adjudicate(here.service, NAME, "task")
        ran = stop()
        adjudicate(here.service, NAME, "task")  # it is given to another worker
        rows = everything(here)
        store.dispose()
        return rows, ran

    whole, statements = again(None)
    for statement in range(5, statements, statements // 9):
        assert whole == again(statement)[0]


def test_a_close_that_waited_long_gives_the_next_window_its_whole_time(at: AtHand) -> None:
    all_hand_in(at)
    load_campaign(at.db, NAME).freeze(read_orders(at.db, NAME), "all-in", at.clock())
    at.clock.passes(days=6)
    assert adjudicate(at.service, NAME)
    deadline = next(row.due.at for row in timetable(at.db, NAME, 2) if row.due.kind == "deadline")
    assert at.clock() == window(at).opened_at and deadline > at.clock() + timedelta(days=7)


def test_a_crash_in_the_rules_holds_the_campaign_and_tells_the_umpire(
    at: AtHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    fww = game("fww")
    all_hand_in(at)
    lines = campaign_row(at.db, NAME).length

    def broken(state: Any, *args: Any) -> Any:
        yield from iter(())  # a procedure, as any other
        raise KeyError("FR5")

    with monkeypatch.context() as patch:
        patch.setitem(fww.segments, "round", broken)
        assert not adjudicate(at.service, NAME)
    here = campaign_row(at.db, NAME)
    frozen = frozen_close(at.db, NAME)
    assert here.held and lines == here.length and frozen is not None
    (told,) = to_members(at, "umpire")
    assert "T1.R1" in flat(told) and "KeyError" in flat(told) and "FR5" not in flat(told)
    last = acts(at.db, NAME)[-1][1]
    assert ("hold", "KeyError", frozen.close.t) == (last.act, last.data["error"], last.data["t"])
    assert not adjudicate(at.service, NAME) and 1 == len(to_members(at, "umpire"))
    release(Umpire(at.service, NAME))
    assert adjudicate(at.service, NAME) and "T1.R" == window(at).key
    closes = [line.data for line in read_journal(at.db, NAME) if line.data["k"] == "close"]
    assert frozen.close.t == closes[-1]["t"] and frozen.close.digest.hex() == closes[-1]["T"]
