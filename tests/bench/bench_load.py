"""A service with 2,000 live campaigns: what players wait for, what queues up, and where the time goes.

Four thousand players each write now and then, as the spirit moves them: the pauses between a player's letters
are drawn at random, so that letters come alone, in crowds, or not at all for a while. Each answers the newest
letter that asks him; when both sides are in, the campaign goes on, with maps and all. In half of them one
side is in when the clock starts, as it is on any day. Everything is real: PostgreSQL, Redis, Dovecot,
Postfix, poller, two workers; the players sit on the same machine.

    PBEM_LOAD_CAMPAIGNS=2000 PBEM_LOAD_SECONDS=240 PBEM_LOAD_PAUSE=1200 python -m tests.bench load
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heapreplace
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from sqlalchemy import func, insert, select

from pbem.context import ServiceContext
from pbem.store.outbox import letter_about
from pbem.store.people import seated
from pbem.store.schema import campaigns
from pbem.store.schema_mail import inbox, outbox, stances
from pbem.store.session import reading, writing
from pbem.store.windows import open_window
from tests.bench.campaigns import ORDERS, Correspondent, shown
from tests.bench.mail_ground import UMPIRE, Servers, servers, serving
from tests.bench.measure import Figure, Figures
from tests.bench.usage import Usage, usage

CAMPAIGNS = int(os.environ.get("PBEM_LOAD_CAMPAIGNS", "2000"))
SECONDS = float(os.environ.get("PBEM_LOAD_SECONDS", "240"))
PAUSE = float(
    os.environ.get("PBEM_LOAD_PAUSE", "1200")
)  # seconds between two letters of a player, on average
TELL_EVERY = 10.0
ASKS = 0.2  # how often a player only asks how things stand
ANSWERS = ("receipt", "answer", "question", "result")
CALM_SECONDS = 90.0  # for the last letters to be answered; receipts wait a minute for their result


@dataclass(frozen=True, slots=True)
class Written:
    """A letter of a player."""

    writer: Correspondent
    delivered: float


@dataclass(slots=True)
class Watched:
    """What was seen every second."""

    unread: list[float] = field(default_factory=list)  # age of the oldest letter that nobody has heard
    unsent: list[float] = field(default_factory=list)  # age of the oldest letter of ours that is due
    memory: Mapping[str, int] = field(default_factory=dict)


def run() -> Figures:
    _tell(f"opening {CAMPAIGNS} campaigns")
    with TemporaryDirectory() as place, servers(Path(place), CAMPAIGNS) as there:
        _as_on_any_day(there)
        _tell("the campaigns are open; the service starts")
        postfix = int((there.smtp.folder / "queue/pid/master.pid").read_text())
        with serving(there):
            before = usage(postfix)
            watched = Watched()
            written = _play(there, watched, postfix)
            _until_calm(there.service, len(written))
            spent = usage(postfix).since(before)
            advances = _advances(there.service)
        stages = _stages(there.service, written)
    return _figures(written, stages, watched, spent, advances)


# ------------------------------------------------------------------ the players


def _as_on_any_day(there: Servers) -> None:
    """In half of the campaigns one of the two sides has written already."""
    dice = Random(7)
    pairs: dict[str, list[str]] = {}
    for one in there.people:
        pairs.setdefault(one.campaign, []).append(one.seat)
    now = there.service.now()
    ready = [
        {"campaign": name, "window": 1, "seat": dice.choice(seats), "stance": "ready", "arrived_at": now}
        for name, seats in sorted(pairs.items())
        if dice.random() < 0.5
    ]
    with writing(there.service.db) as tx:
        tx.execute(insert(stances), ready)


def _play(there: Servers, watched: Watched, postfix: int) -> list[Written]:
    """Everybody writes when his pause is over, until the time is up."""
    dice, written = Random(11), list[Written]()
    began = time.time()
    turns = [(began + dice.expovariate(1 / PAUSE), place) for place in range(len(there.people))]
    heapify(turns)
    looked = told = began
    while (now := time.time()) < began + SECONDS:
        due, place = turns[0]
        if due <= now:
            written.append(_write(there, there.people[place], dice))
            heapreplace(turns, (due + dice.expovariate(1 / PAUSE), place))
        else:
            time.sleep(min(due - now, 0.05))
        if now >= looked + 1:
            looked = now
            _look(there.service, watched)
        if now >= told + TELL_EVERY:
            told = now
            watched.memory = _most(watched.memory, usage(postfix))
            answers = f"{len(written)} letters, {_answered(there.service)} answers"
            waits = f"oldest unheard {watched.unread[-1]:.1f} s, unsent {watched.unsent[-1]:.1f} s"
            _tell(f"{now - began:.0f} of {SECONDS:.0f} s: {answers}; {waits}")
    return written


def _write(there: Servers, one: Correspondent, dice: Random) -> Written:
    """READY, or at first orders, in reply to the newest letter that asks; or a question of his own."""
    db = there.service.db
    window = open_window(db, one.campaign)
    text = "STATUS\n" if dice.random() < ASKS else "READY\n"
    if window is not None and window.number > 1:
        letter = letter_about(db, one.campaign, one.seat, window.number)
        holder = next(seat.holder for seat in seated(db, one.campaign) if seat.seat == one.seat)
        if letter is not None:
            one = replace(one, letter=shown(there.service, letter.letter, one.campaign, one.seat, holder))
    elif text == "READY\n" and one.seat == "CENTRAL":
        text = ORDERS
    (delivered,) = there.deliver(UMPIRE, [one.writes(text)])
    return Written(one, delivered)


# ------------------------------------------------------------------ what is seen


def _look(service: ServiceContext, watched: Watched) -> None:
    now = service.now()
    waits = (inbox.c.state == "received",)
    due = (outbox.c.state == "waiting", outbox.c.next_try_at <= now)
    with reading(service.db) as tx:
        unread = tx.execute(select(func.min(inbox.c.taken_in_at)).where(*waits)).scalar_one()
        unsent = tx.execute(select(func.min(outbox.c.next_try_at)).where(*due)).scalar_one()
    watched.unread.append(0.0 if unread is None else (now - unread).total_seconds())
    watched.unsent.append(0.0 if unsent is None else (now - unsent).total_seconds())


def _most(before: Mapping[str, int], now: Usage) -> Mapping[str, int]:
    return {part: max(before.get(part, 0), there) for part, there in now.memory.items()}


def _answered(service: ServiceContext) -> int:
    with reading(service.db) as tx:
        done = select(func.count()).where(outbox.c.kind.in_(ANSWERS), outbox.c.attempts > 0)
        return int(tx.execute(done.where(outbox.c.state == "sent")).scalar_one()) - 2 * CAMPAIGNS


def _advances(service: ServiceContext) -> int:
    with reading(service.db) as tx:
        return int(tx.execute(select(func.sum(campaigns.c.t - 1))).scalar_one())


def _until_calm(service: ServiceContext, letters: int) -> None:
    """So many have come and been heard, and all that was written has gone, or is told by another letter."""
    end = time.time() + CALM_SECONDS
    came = select(func.count()).select_from(inbox)
    left = select(func.count()).where(outbox.c.state == "waiting")
    while time.time() < end:
        with reading(service.db) as tx:
            missing = letters - int(tx.execute(came).scalar_one())
        watched = Watched()
        _look(service, watched)
        with reading(service.db) as tx:  # behind both: who was heard has his answer laid in
            waiting = int(tx.execute(left).scalar_one())
        if watched.unread == [0.0] and missing <= 0 and not waiting:
            return
        time.sleep(0.5)
    _tell(f"{missing} letters have not come, {waiting} wait still")


@dataclass(frozen=True, slots=True)
class Stages:
    """Seconds of a letter's way, one after the other."""

    taken_in: float  # delivered, and kept by the poller
    heard: float  # read, and its effect committed
    sent: float  # its answer handed to the mail server

    @property
    def whole(self) -> float:
        return self.taken_in + self.heard + self.sent


def _stages(service: ServiceContext, written: Sequence[Written]) -> list[Stages]:
    """The way of every letter that was answered; its answer is the next letter to its seat."""
    with reading(service.db) as tx:
        came = tx.execute(
            select(inbox.c.campaign, inbox.c.seat, inbox.c.taken_in_at, inbox.c.settled_at)
        ).all()
        answers = select(outbox.c.campaign, outbox.c.seat, outbox.c.sent_at)
        went = tx.execute(answers.where(outbox.c.kind.in_(ANSWERS), outbox.c.state == "sent")).all()
    taken: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for name, seat, at, settled in came:
        taken.setdefault((name, seat), []).append((at.timestamp(), settled.timestamp()))
    sent: dict[tuple[str, str], list[float]] = {}
    for name, seat, at in went:
        sent.setdefault((name, seat), []).append(at.timestamp())
    found = []
    for one in written:
        key = (one.writer.campaign, one.writer.seat)
        first = min((two for two in taken.get(key, ()) if two[0] >= one.delivered - 0.5), default=None)
        last = (
            None if first is None else min((at for at in sent.get(key, ()) if at >= first[1]), default=None)
        )
        if first is not None and last is not None:
            found.append(Stages(first[0] - one.delivered, first[1] - first[0], last - first[1]))
    return found


# ------------------------------------------------------------------ what is told


def _figures(
    written: Sequence[Written],
    stages: Sequence[Stages],
    watched: Watched,
    spent: Mapping[str, float],
    advances: int,
) -> Figures:
    waits = quantiles([one.whole for one in stages], n=100)
    told = {
        "live campaigns": Figure(CAMPAIGNS),
        "letters": Figure(len(written) / SECONDS, "1/s"),
        "windows closed": Figure(advances / SECONDS, "1/s"),
        "letters without an answer": Figure(len(written) - len(stages), at_most=0),
        "from delivery to answer, half of them": Figure(waits[49], "s"),
        "from delivery to answer, 95 of 100": Figure(waits[94], "s"),
        "from delivery to answer, 99 of 100": Figure(waits[98], "s"),
        "of it until the poller has it, median": Figure(1000 * median(one.taken_in for one in stages), "ms"),
        "of it until it is heard, median": Figure(1000 * median(one.heard for one in stages), "ms"),
        "of it until the answer has gone, median": Figure(1000 * median(one.sent for one in stages), "ms"),
        "oldest letter unheard, at worst": Figure(max(watched.unread), "s"),
        "oldest letter unsent, at worst": Figure(max(watched.unsent), "s"),
    }
    for part, seconds in spent.items():
        if seconds / len(written) >= 0.0005:
            told[f"processor a letter: {part}"] = Figure(1000 * seconds / len(written), "ms")
    for part in ("workers", "poller", "postgres"):
        told[f"memory: {part}"] = Figure(watched.memory.get(part, 0) / 2**20, "MB")
    return told


def _tell(words: str) -> None:
    print(f"load: {words}", file=sys.stderr, flush=True)
