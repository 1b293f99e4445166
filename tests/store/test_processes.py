"""Real processes at once, and processes killed at any moment: nothing lost, nothing twice."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, func, inspect, select

from pbem.campaigns.campaign import load_campaign
from pbem.store.advance import Advance, commit_advance, frozen_close
from pbem.store.campaigns import campaign
from pbem.store.journal import read_journal, read_records, unrecorded_lines
from pbem.store.outbox import SEND_LEASE, OutgoingMail, claim_outgoing, letters_to, mark_sent, put_in_outbox
from pbem.store.schema_mail import outbox, windows
from pbem.store.session import connect, migrate, reading
from tests.store.play import (
    NAME,
    NOW,
    advance,
    answer_all,
    close,
    compute,
    everything,
    found_toy,
    play_on,
    player,
    poster,
    worker,
)
from tests.store.postgres import Cluster

PATIENCE = 60
KILLS = 5
STATEMENTS = 15  # of a commit, at least

Program = Callable[[Engine, str, Connection], None]


def _main(program: Program, address: str, name: str, line: Connection) -> None:
    program(connect(address), name, line)


@contextmanager
def processes(
    program: Program, store: Engine, address: str, *names: str
) -> Iterator[list[tuple[BaseProcess, Connection]]]:
    """One process for each name, all of them ready to start at the same time."""
    fork = get_context("fork")  # an interpreter started anew takes a second
    store.dispose()  # no connection is shared
    started: list[tuple[BaseProcess, Connection]] = []
    for name in names:
        here, there = fork.Pipe()
        process: BaseProcess = fork.Process(target=_main, args=(program, address, name, there))
        process.start()
        there.close()
        started.append((process, here))
    try:
        for _, line in started:
            assert "ready" == _told(line)
        yield started
    finally:
        for process, line in started:
            process.kill()
            process.join(PATIENCE)
            line.close()


def _told(line: Connection) -> Any:
    assert line.poll(PATIENCE), "a process tells nothing"
    return line.recv()


def say_go(started: list[tuple[BaseProcess, Connection]]) -> list[Any]:
    """Let them all start; what each of them tells next."""
    for _, line in started:
        line.send("go")
    return [_told(line) for _, line in started]


def go(started: list[tuple[BaseProcess, Connection]]) -> list[Any]:
    """Let them all start; what each of them tells at its end."""
    told = say_go(started)
    for process, _ in started:
        process.join(PATIENCE)
    assert [0] * len(started) == [process.exitcode for process, _ in started]
    return told


def migrator(store: Engine, name: str, line: Connection) -> None:
    line.send("ready")
    line.recv()
    migrate(store)
    line.send("done")


def test_processes_that_migrate_a_new_sqlite_file_at_once_do_not_quarrel(tmp_path: Path) -> None:
    for number in range(4):  # who comes first is a matter of chance
        path = tmp_path / f"{number}.db"
        with processes(migrator, connect(path), f"sqlite:///{path}", "a", "b", "c") as workers:
            go(workers)
        assert "journal" in inspect(connect(path)).get_table_names()


def test_processes_that_migrate_a_new_postgresql_database_at_once_do_not_quarrel(postgres: Cluster) -> None:
    postgres.tell("CREATE DATABASE fresh")
    url = postgres.url("fresh")
    engine = connect(url)
    with processes(migrator, engine, url.render_as_string(hide_password=False), "a", "b", "c") as workers:
        go(workers)
    assert "journal" in inspect(engine).get_table_names()
    engine.dispose()
    postgres.tell("DROP DATABASE fresh")


def test_of_two_workers_that_commit_the_same_advance_one_does(address: str, store: Engine, toy: Any) -> None:
    found_toy(store)
    play_on(store, 4)
    answer_all(store)
    assert close(store) is not None
    before = campaign(store, NAME)
    with processes(worker, store, address, NAME, NAME) as workers:
        assert [False, True] == sorted(go(workers))
    after = campaign(store, NAME)
    assert (before.t + 1, before.branch) == (after.t, after.branch)
    assert after.head == read_journal(store, NAME)[-1].hash
    assert_whole(store)


def test_of_two_posters_each_letter_is_claimed_by_one(address: str, store: Engine) -> None:
    letters = [
        OutgoingMail(
            message_id=f"<{n}@test>", kind="notice", sender="umpire@test", recipient="a@test", body=b"x"
        )
        for n in range(60)
    ]
    rows = put_in_outbox(store, letters, NOW)
    with processes(poster, store, address, "one", "two") as posters:
        held = say_go(posters)  # each holds some, and none holds what the other does
        assert [3, 3] == [len(some) for some in held] and not set(held[0]) & set(held[1])
        first, second = go(posters)
    assert rows == sorted(first + second)


def test_a_worker_killed_at_any_statement_of_a_commit_leaves_nothing(
    address: str, store: Engine, toy: Any
) -> None:
    """kill -9 before the first statement, the second, … and before the COMMIT itself."""
    found_toy(store)
    advance(store)
    answer_all(store)
    frozen = close(store)
    assert frozen is not None
    ready, before, deaths = compute(store, frozen), everything(store), 0
    while _dies_at(deaths, ready, store, address):
        assert before == everything(store)
        deaths += 1
    assert deaths > STATEMENTS and not commit_advance(store, ready, NOW)
    assert_whole(store)


def _dies_at(number: int, ready: Advance, store: Engine, address: str) -> bool:
    """A process commits, and is killed at that statement; False: it came to the end before."""

    def commit(engine: Engine, name: str, line: Connection) -> None:
        left = [number]

        def count(*_: Any) -> None:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1

        event.listen(engine, "before_cursor_execute", count)
        event.listen(engine, "commit", count)
        line.send("ready")
        commit_advance(engine, ready, NOW)

    with processes(commit, store, address, NAME) as ((process, _),):
        process.join(PATIENCE)
        assert process.exitcode in (0, -signal.SIGKILL)
        return process.exitcode != 0


def test_a_worker_killed_at_any_moment_loses_and_doubles_nothing(
    address: str, store: Engine, toy: Any
) -> None:
    """kill -9, again and again, at moments drawn at random; then somebody plays it to its end."""
    found_toy(store)
    chance = random.Random()
    for _ in range(KILLS):
        with processes(player, store, address, NAME) as ((process, line),):
            line.send("go")
            time.sleep(chance.uniform(0.0, 0.3))
            process.kill()
            process.join(PATIENCE)
        frozen = frozen_close(store, NAME)
        if frozen is not None:
            assert campaign(store, NAME).t + 1 == frozen.close.t
        assert_whole(store)
    play_on(store, 100)
    if frozen_close(store, NAME) is not None:
        advance(store)
    assert load_campaign(store, NAME).table.over
    assert_whole(store)


def test_two_players_of_the_same_campaign_at_once(address: str, store: Engine, toy: Any) -> None:
    """Two processes that know nothing of each other file, close and commit: the game is played once."""
    found_toy(store, tempo="fast")
    with processes(player, store, address, NAME, NAME) as workers:
        go(workers)
    assert load_campaign(store, NAME).table.over
    assert_whole(store)


def assert_whole(store: Engine) -> None:
    """Every advance is there as a whole, lines, record, letters and window, or not at all."""
    here = campaign(store, NAME)
    lines = read_journal(store, NAME)  # every link of the chain is checked
    assert here.head == lines[-1].hash and here.length == len(lines)
    records = list(read_records(store, NAME))
    assert list(range(1, here.t + 1)) == [record.close.t for record in records]
    rests = [line for line in lines if line.data["k"] in ("pause", "end")]
    assert here.t == len(rests)
    assert unrecorded_lines(store, NAME) == ([] if here.t else lines)
    posted = Counter(one.letter.seat for one in letters_to(store, NAME))
    assert posted == ({"NORTH": here.t, "SOUTH": here.t} if here.t else {})
    with reading(store) as tx:
        assert (
            len([line for line in rests if line.data["k"] == "pause"])
            == tx.execute(select(func.count()).select_from(windows)).scalar_one()
        )
        assert here.t * 2 == len(set(tx.execute(select(outbox.c.message_id)).scalars()))


def test_a_letter_whose_poster_was_killed_is_sent_with_the_same_message_id(
    address: str, store: Engine
) -> None:
    (row,) = put_in_outbox(
        store,
        [
            OutgoingMail(
                message_id="<1@test>", kind="notice", sender="umpire@test", recipient="a@test", body=b"x"
            )
        ],
        NOW,
    )
    (claimed,) = claim_outgoing(store, "dead", NOW)
    with processes(poster, store, address, "one") as posters:
        assert [[]] == say_go(posters) == go(posters)  # it is another's
    (again,) = claim_outgoing(store, "two", NOW + SEND_LEASE)
    assert claimed.letter == again.letter and mark_sent(store, row, NOW)


def test_the_check_notices_an_advance_in_pieces(store: Engine, toy: Any) -> None:
    found_toy(store)
    play_on(store, 3)
    assert_whole(store)
    with store.begin() as tx:
        tx.execute(outbox.delete().where(outbox.c.id == select(func.max(outbox.c.id)).scalar_subquery()))
    with pytest.raises(AssertionError):
        assert_whole(store)
