"""What nobody expected: tried again, then shunted; done once whoever reads it, and however often."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event, update
from sqlalchemy.exc import OperationalError

from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.seats import replace_holder
from pbem.intake import filing, plan, receive, reply
from pbem.intake.filing import WindowClosed
from pbem.intake.receive import MOST_DEATHS, TRIES, receive_letter
from pbem.letters import receipt
from pbem.letters.memo import Memo, Passage, ReadLines, memo_letter
from pbem.letters.phrases import Phrases
from pbem.letters.render import LetterBody
from pbem.orders.understood import Command
from pbem.store.campaigns import lock
from pbem.store.inbox import RawMail, letter, requeue_letter
from pbem.store.people import enrol, give_seat
from pbem.store.schema_mail import inbox
from pbem.store.session import connect, migrate, writing
from pbem.store.windows import SeatOrders, StoredSheet, read_orders
from pbem.verbs import status
from pbem.verbs.registry import REGISTRY
from pbem.verbs.status import Status
from pbem.verbs.verb import Verb
from tests.campaigns_at_hand import UMPIRE, campaign_at_hand, mail
from tests.intake.conftest import Intake, newest_to, number_to
from tests.packages import Missing
from tests.store.postgres import cluster

GOOD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"


def _status_handled_by(handler: Any) -> Verb[Any]:
    return replace(REGISTRY.of(Status()), handler=handler)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler with a mistake in it."""

    def fails(context: object, command: Command) -> object:
        raise ZeroDivisionError(f"the words of {command}")

    monkeypatch.setitem(REGISTRY.by_command, Status, _status_handled_by(fails))


def test_a_failure_is_tried_again_then_shunted_and_the_umpire_told(intake: Intake, broken: None) -> None:
    number = intake.at.arrives(intake.at.reply("DE", f"{GOOD}\nSTATUS"))
    for _ in range(TRIES - 1):
        found = intake.processes(number)
        assert (found.state, found.reason) == ("received", "ZeroDivisionError")
        assert number_to(intake, UMPIRE) == 0
        intake.at.clock.passes(minutes=10)
    found = intake.processes(number)
    assert (found.state, found.reason) == ("shunted", "ZeroDivisionError")
    told = newest_to(intake, UMPIRE)
    assert f"Letter {number} could not be processed" in told and "the words of" not in told
    mine = newest_to(intake, intake.at.addresses["DE"])
    assert "It is not lost: the umpire has it" in mine and "are on file" in mine and "C1: ATTACK 3" in mine
    sheet = read_orders(intake.at.db, "FWW-1").seats["DE"].sheet
    assert sheet is not None and sheet.orders == "C1: ATTACK 3" and not sheet.held
    assert "FWW-1" in intake.to_adjudicate


def shunted(intake: Intake, raw: bytes) -> RawMail:
    number = intake.at.arrives(raw)
    for _ in range(TRIES):
        found = intake.processes(number)
        intake.at.clock.passes(minutes=10)
    assert found.state == "shunted"
    return found


def _sheet(intake: Intake, seat: str) -> StoredSheet | None:
    return read_orders(intake.at.db, "FWW-1").seats.get(seat, SeatOrders()).sheet


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("STATUS", "Rien n’en a été exécuté"),
        (f"CHECK\n{GOOD}\nSTATUS", "Rien n’en a été exécuté"),  # a rehearsal files nothing
        ("ORDERS FWW-1 T1.R\nC1: PASS\nC2: ATTAK 77\nEND\nSTATUS", "Ses ordres sont en attente"),
        (f"{GOOD}\nWAIT\nSTATUS", "sont enregistrés"),
    ],
)
def test_whoever_wrote_a_shunted_letter_is_told_what_counts(
    intake: Intake, broken: None, text: str, said: str
) -> None:
    before = number_to(intake, intake.at.addresses["WA"])
    shunted(intake, intake.at.reply("WA", text))
    assert number_to(intake, intake.at.addresses["WA"]) == before + 1
    assert said in newest_to(intake, intake.at.addresses["WA"])
    assert (_sheet(intake, "WA") is not None) == ("Rien" not in said)
    wait = read_orders(intake.at.db, "FWW-1").seats.get("WA", SeatOrders()).stance
    assert wait == ("wait" if "WAIT" in text else None)


# What stands between a letter that was understood and its answer: any of it may have a mistake in it.
AILING = (
    (reply, "receipt_memo"),
    (reply, "file_now"),
    (receipt, "_rows"),
    (plan, "_board"),
    (filing, "rehearse"),  # what the game foresees of the orders
    (filing, "_refuse_for_good"),
    (receive, "check_window"),
    (status, "view_text"),
    (status, "has_map"),
)


@pytest.mark.parametrize(("where", "name"), AILING, ids=lambda one: getattr(one, "__name__", one))
def test_orders_are_filed_whatever_else_of_their_letter_fails(
    intake: Intake, monkeypatch: pytest.MonkeyPatch, where: Any, name: str
) -> None:
    monkeypatch.setattr(where, name, lambda *words, **more: 1 // 0)
    shunted(intake, intake.at.reply("DE", f"{GOOD}\nSTATUS\nMAP"))
    told = newest_to(intake, intake.at.addresses["DE"])
    sheet = _sheet(intake, "DE")
    assert sheet is not None and sheet.orders == "C1: ATTACK 3" and not sheet.held
    assert "on file" in told and "the umpire has it" in told


def test_orders_are_filed_though_no_line_can_be_shown(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = memo_letter

    def fails(memo: Memo, phrases: Phrases, title: str) -> LetterBody:
        assert not any(isinstance(part, Passage | ReadLines) for part in memo.parts)
        return written(memo, phrases, title)

    monkeypatch.setattr(reply, "memo_letter", fails)
    shunted(intake, intake.at.reply("DE", f"{GOOD}\nSTATUS"))
    told = newest_to(intake, intake.at.addresses["DE"])
    assert _sheet(intake, "DE") is not None and "whether they can be carried out could not be tried" in told


def test_what_is_not_proven_is_not_filed_and_a_stranger_not_told(intake: Intake, broken: None) -> None:
    raw = mail(f"{GOOD}\nSTATUS", sender=intake.at.addresses["DE"], subject="FWW-1", date=intake.at.clock())
    shunted(intake, raw)
    assert _sheet(intake, "DE") is None
    assert "Nothing in it has been done" in newest_to(intake, intake.at.addresses["DE"])
    intake.receives(mail("STATUS", sender="sam@nowhere.test", subject="FWW-1"))
    assert number_to(intake, "sam@nowhere.test") == 0


def test_a_letter_that_loses_every_race_is_shunted(intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*words: object) -> object:
        raise WindowClosed("always")

    number = intake.at.arrives(intake.at.reply("EA", GOOD))
    with monkeypatch.context() as patch:
        patch.setattr(plan, "file_submission", closed)
        for _ in range(MOST_DEATHS + 1):
            found = intake.processes(number)
            intake.at.clock.passes(hours=1)
    assert (found.state, found.reason) == ("shunted", "closed")
    assert "the umpire has it" in newest_to(intake, intake.at.addresses["EA"])


def test_a_shunted_letter_is_read_when_it_is_put_back(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as here:
        here.setitem(REGISTRY.by_command, Status, _status_handled_by(None))
        number = intake.at.arrives(intake.at.reply("DE", f"{GOOD}\nSTATUS"))
        for _ in range(TRIES):
            intake.processes(number)
            intake.at.clock.passes(minutes=10)
    assert requeue_letter(intake.at.db, number, intake.at.clock())
    assert intake.processes(number).state == "applied"


def test_a_letter_that_kills_its_workers_is_shunted(intake: Intake) -> None:
    number = intake.at.arrives(intake.at.reply("DE", GOOD))
    with writing(intake.at.db) as tx:
        tx.execute(update(inbox).where(inbox.c.id == number).values(tries=MOST_DEATHS))
    assert intake.processes(number).state == "shunted"
    assert "the umpire has it" in newest_to(intake, intake.at.addresses["DE"])
    assert _sheet(intake, "DE") is None  # nobody reads it again


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that goes away whenever a letter is carried out, and is there again at once."""

    def fails(context: object, command: Command) -> object:
        raise OperationalError("SELECT 1", {}, Exception("terminating connection"))

    monkeypatch.setitem(REGISTRY.by_command, Status, _status_handled_by(fails))


def test_a_database_that_is_away_is_not_charged_to_the_letter(intake: Intake, away: None) -> None:
    number = intake.at.arrives(intake.at.reply("DE", "STATUS"))
    for _ in range(MOST_DEATHS + 2):
        found = intake.processes(number)
        assert ("received", "database", 0) == (found.state, found.reason, found.tries)
        intake.at.clock.passes(minutes=1)
    intake.at.clock.passes(hours=6)  # by now it may be the letter that the database fails at
    for _ in range(TRIES):
        found = intake.processes(number)
        intake.at.clock.passes(minutes=10)
    assert ("shunted", "OperationalError") == (found.state, found.reason)


def test_a_letter_that_another_worker_holds_is_left_to_him(intake: Intake) -> None:
    number = intake.at.arrives(intake.at.reply("DE", GOOD))
    soon = intake.at.clock() + timedelta(minutes=3)
    with writing(intake.at.db) as tx:
        claim = {"claimed_by": "other", "claimed_until": soon}
        tx.execute(update(inbox).where(inbox.c.id == number).values(**claim))
    assert intake.processes(number).state == "received"
    intake.at.clock.passes(minutes=4)  # it died
    assert intake.processes(number).state == "applied"


def together(intake: Intake, numbers: list[int]) -> list[RawMail]:
    """Every letter is processed by two workers at the same time."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(2 * len(numbers))

    def work(number: int, name: str) -> None:
        try:
            barrier.wait()
            receive_letter(intake.at.service, number, name)
        except BaseException as failure:
            failures.append(failure)

    workers = [
        threading.Thread(target=work, args=(number, f"worker {n}.{number}"))
        for n in range(2)
        for number in numbers
    ]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert failures == []
    found = [letter(intake.at.db, number) for number in numbers]
    return [one for one in found if one is not None]


def copies(intake: Intake) -> None:
    """Two copies of one letter and letters of three seats, processed all at once: each counts once."""
    raw = intake.at.reply("DE", GOOD, message_id="<twin@de.test>")
    numbers = [intake.at.arrives(raw), intake.at.arrives(b"Received: by another way\r\n" + raw)]
    numbers += [intake.at.arrives(intake.at.reply(seat, "WAIT")) for seat in ("WA", "EA")]
    received = together(intake, numbers)
    for _ in range(4):  # those who gave way are tried again
        intake.at.clock.passes(minutes=15)
        for one in received:
            receive_letter(intake.at.service, one.id, "again")
    states = [row.state for number in numbers if (row := letter(intake.at.db, number)) is not None]
    assert sorted(states) == ["applied", "applied", "applied", "set-aside"]
    assert len(intake.at.letters("DE", "receipt")) == 1
    assert [len(one.letters) for _, one in sorted(read_orders(intake.at.db, "FWW-1").seats.items())] == [
        1,
        1,
        1,
    ]


def given_away(intake: Intake) -> None:
    """While a letter is read its seat is given to another: what it says is not the newcomer's."""
    newcomer = enrol(intake.at.db, "newcomer@x.test", "New", "en", "UTC", intake.at.clock())
    number = intake.at.arrives(intake.at.reply("GA", GOOD))
    worker = threading.Thread(target=receive_letter, args=(intake.at.service, number, "one"))
    with writing(intake.at.db) as tx:
        lock(tx, "FWW-1")
        worker.start()
        time.sleep(0.5)  # by now it waits
        give_seat(tx, "FWW-1", "GA", newcomer, intake.at.clock())
    worker.join()
    kept = letter(intake.at.db, number)
    assert kept is not None and kept.state in ("refused", "set-aside", "held") and kept.seat is None
    assert "GA" not in read_orders(intake.at.db, "FWW-1").seats and not intake.at.letters("GA", "receipt")


def test_the_letter_of_a_former_holder_is_read_as_such(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = receive._apply

    def meanwhile(*words: Any) -> frozenset[str]:
        monkeypatch.setattr(receive, "_apply", real)
        replace_holder(Umpire(intake.at.service, "FWW-1"), "GA", "newcomer@x.test")
        return real(*words)

    monkeypatch.setattr(receive, "_apply", meanwhile)
    found = intake.says("GA", GOOD)
    assert "applied" != found.state and found.seat is None
    assert "GA" not in read_orders(intake.at.db, "FWW-1").seats and not intake.at.letters("GA", "receipt")


# What a letter asks the database for, from the claim on; a server may be some way off.
MOST_STATEMENTS = {GOOD: 18, "READY": 21, "STANDING\nDEFEND ALL: TILE BEST\nEND": 19}


@pytest.mark.parametrize("text", MOST_STATEMENTS)
def test_a_letter_asks_the_database_for_little(intake: Intake, text: str) -> None:
    number, seen = intake.at.arrives(intake.at.reply("EA", text)), list[str]()
    event.listen(intake.at.db, "before_cursor_execute", lambda *words: seen.append(words[2]))
    receive_letter(intake.at.service, number, "one")
    assert len(seen) <= MOST_STATEMENTS[text], "\n".join(seen)


def test_two_workers_on_sqlite(intake: Intake) -> None:
    copies(intake)


def test_two_workers_on_postgresql(tmp_path_factory: pytest.TempPathFactory) -> None:
    try:
        with cluster() as running:
            running.tell("CREATE DATABASE intake")
            engine: Engine = connect(running.url("intake"))
            migrate(engine)
            at = campaign_at_hand(tmp_path_factory.mktemp("pg"), db=engine)
            at.close()
            copies(Intake(at))
            given_away(Intake(at))
            engine.dispose()
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING: {reason}")
