"""The same turn in a fresh campaign and in one with 20,000 journal lines and 2,000 letters behind it.

Two campaigns of one name, in a database each, stand at the same question. A turn is all that happens in it:
both seats' letters are heard, the window closes, the rules run, the letters are written. Measured on SQLite,
where everything is paid for in one process; each time on a fresh copy of the file.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import func, insert, select

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import plan_window
from pbem.campaigns.policy import read_policy
from pbem.context import ServiceContext
from pbem.intake.receive import receive_letter
from pbem.mail.addresses import SeatAddresses
from pbem.store.advance import commit_advance
from pbem.store.outbox import letter_about
from pbem.store.people import seated
from pbem.store.schema import journal
from pbem.store.schema_mail import inbox, marks, outbox
from pbem.store.session import connect, reading, writing
from pbem.store.windows import read_orders
from tests.bench.measure import Figure, Figures
from tests.campaigns_at_hand import MAILBOX, NAME, AtHand, Clock, found_campaign
from tests.stores import fresh_store

LINES, LETTERS = 20_000, 2_000
TIMES = 7
WINDOW = 2  # the rounds of the first turn
KEY = bytes(range(32))
SIDES = {"ALLIES": ("WA", "EA"), "CENTRAL": ("DE", "GA")}
# A round in which nobody attacks: no dice, so that it is the same in both.
PASSES = {
    seat: "ORDERS\n" + "".join(f"{side} C{card}: PASS\n" for side in sides for card in range(1, 5)) + "END\n"
    for seat, sides in SIDES.items()
}


def run() -> Figures:
    with TemporaryDirectory() as place:
        fresh = _campaign(Path(place) / "fresh", 0, 0)
        aged = _campaign(Path(place) / "aged", LINES, LETTERS)
        for at in (fresh, aged):
            _turn(at)  # words and templates are read once a process
        young = old = float("inf")
        for _ in range(TIMES):  # by turns, so that a disturbance hits both
            young, old = min(young, _turn(fresh)), min(old, _turn(aged))
        lines, letters = _count(aged, journal), _count(aged, inbox)
    return {
        "journal lines behind it": Figure(lines, at_least=LINES),
        "letters behind it": Figure(letters, at_least=LETTERS),
        "a turn in a fresh campaign": Figure(1000 * young, "ms"),
        "a turn in an aged one / in a fresh one": Figure(old / young, at_most=1.1),
    }


def _campaign(folder: Path, lines: int, letters: int) -> AtHand:
    folder.mkdir()
    clock = Clock()
    service = ServiceContext(fresh_store(folder), SeatAddresses(KEY, MAILBOX), now=clock)
    holders = found_campaign(service, NAME, players=2)
    _open(service, lines)
    at = AtHand(service, clock, NAME, holders)
    at.close()  # past the deployment
    if letters:
        _keep_letters(at, letters)
    at.db.dispose()  # all of it is in the file now
    return at


def _open(service: ServiceContext, remarks: int) -> None:
    """The opening Close, with so many remarks of the umpire's in the journal."""
    db, now = service.db, service.now()
    here = load_campaign(db, NAME)
    frozen = here.freeze(read_orders(db, NAME), "opening", now)
    assert frozen is not None
    for number in range(remarks):
        here.table.note("remark", "nothing to remark", public={"number": number})
    ran = here.run(frozen)
    assert here.pause is not None
    clock = read_policy(here.standing_row.policy).clock
    ahead = plan_window(db, NAME, clock, here.pause.window, seated(db, NAME), now)
    commit_advance(db, ran.advance((), ahead.window), now)


def _keep_letters(at: AtHand, count: int) -> None:
    """Letters that were heard and answered long ago, half of them of each seat."""
    then, rows = at.clock(), dict[Any, list[dict[str, Any]]]({inbox: [], outbox: [], marks: []})
    raws = {seat: at.reply(seat, PASSES[seat]) for seat in at.seats}
    answers = {seat: at.letters(seat)[0].letter for seat in at.seats}
    settled = {"state": "applied", "reason": "filed", "proof": {}, "tries": 1, "settled_at": then}
    sent = {
        "state": "sent",
        "attempts": 1,
        "trouble": "",
        "laid_at": then,
        "sent_at": then,
        "next_try_at": then,
    }
    for number in range(count):
        seat = at.seats[number % 2]
        here, raw, answer = {"campaign": NAME, "seat": seat}, raws[seat], answers[seat]
        letter = {
            "id": number + 1,
            "digest": f"{number:064}",
            "mailbox": "INBOX",
            "raw": raw,
            "size": len(raw),
        }
        dates = {"arrived_at": then, "taken_in_at": then, "next_try_at": then}
        writer = {"sender": at.addresses[seat], "message_id": f"<{number}@old.test>"}
        rows[inbox].append(here | letter | dates | writer | settled)
        told = {
            "message_id": f"<{number}@play.test>",
            "kind": "receipt",
            "number": number // 2 + 1,
            "window": 1,
        }
        ours = {"sender": MAILBOX, "recipient": at.addresses[seat], "body": answer.body}
        rows[outbox].append(here | told | ours | sent)
        mark = {"letter": number + 1, "mark": f"{number:064}", "message_id": writer["message_id"], "t": 1}
        rows[marks].append(here | mark | {"signature": "", "salt": "", "arrived_at": then})
    with writing(at.db) as tx:
        for table, there in rows.items():
            tx.execute(insert(table), there)


def _count(at: AtHand, table: Any) -> int:
    with reading(at.db) as tx:
        return int(tx.execute(select(func.count()).select_from(table)).scalar_one())


def _turn(at: AtHand) -> float:
    """Both seats write, and the window closes."""
    source = Path(str(at.db.url.database))
    path = source.with_name("turn.db")
    for old in source.parent.glob("turn.db*"):
        old.unlink()
    shutil.copy(source, path)
    here = AtHand(replace(at.service, db=connect(path)), at.clock, at.name, at.addresses)
    answered = {seat: letter_about(here.db, NAME, seat, WINDOW) for seat in here.seats}
    numbers = [here.arrives(here.reply(seat, PASSES[seat], answered[seat])) for seat in here.seats]
    began = time.process_time()
    for number in numbers:
        receive_letter(here.service, number, "bench")
    assert adjudicate(here.service, NAME)
    took = time.process_time() - began
    here.db.dispose()
    return took
