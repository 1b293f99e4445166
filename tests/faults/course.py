"""One run: a calm beginning, faults and kills at random under load, and a rest it must find by itself."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pbem.store.schema import campaigns
from pbem.store.schema_mail import inbox, outbox, windows
from tests.faults.checks import Findings, find, is_quiet, rows
from tests.faults.ground import Database, Ground, Size, ground
from tests.faults.mischief import Haste, Mischief, Operator
from tests.faults.players import ASKS_TOO
from tests.faults.processes import Victim

BREATH = 60.0  # seconds that kills wait for a campaign to go on


@dataclass(frozen=True, slots=True)
class Plan:
    """How long, how hard."""

    kills: int = 300
    seconds: float = 3600.0  # of faults; then it is enough, however many there were
    victims: tuple[Victim, ...] = ()  # killed in this order, again and again; (): at random
    faults: tuple[str, ...] = ()  # done in this order; (): all kinds, again and again
    kills_a_fault: int = 4
    pause: tuple[float, float] = (0.1, 2.0)  # seconds between two kills
    kills_a_turn: int = 8  # after which somebody's window must have closed before the next kill
    away: tuple[float, float] = (0.5, 4.0)  # seconds that a server stays away; Redis, twice as long
    stalls: tuple[float, float] = (2.0, 6.0)
    time_outs: int = 1  # of the SMTP server
    temper: float = 1.0  # how often it misbehaves otherwise
    lease: float = 15.0  # seconds, after which a claim of somebody who may be dead ends
    sweeps: float = 5.0  # seconds between two sweeps
    goes_on: int = 1  # windows that every campaign must close after the last fault
    asks_too: float = ASKS_TOO  # how often a player also asks how things stand
    tidy: bool = True  # wait until everything read is put away on the mail server, too
    patience: float = 420.0  # seconds to come to rest
    size: Size = field(default_factory=Size)


@dataclass(slots=True)
class Report:
    """All figures of one run."""

    database: Database
    seed: int
    killed: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    smtp: Counter[str] = field(default_factory=Counter)
    hastened: Counter[str] = field(default_factory=Counter)
    troubles: Counter[str] = field(default_factory=Counter)
    sent_again_by_operator: int = 0
    stormy_seconds: float = 0.0
    seconds_to_go_on: float = 0.0  # after the last fault, until every campaign closed another window
    seconds_to_rest: float = 0.0  # after that, until nothing waits
    findings: Findings = field(default_factory=Findings)

    @property
    def is_good(self) -> bool:
        return not self.findings.wrong


def run(folder: Path, database: Database, seed: int, plan: Plan, say: Callable[[str], None]) -> Report:
    report, dice = Report(database, seed), Random(f"{database} {seed}")
    with ground(folder, database, dice, plan.size) as here, here.processes:
        mischief = Mischief(here, plan.away, plan.stalls)
        haste, operator = Haste(here, plan.lease, sweeps=plan.sweeps), Operator(here, plan.size.campaigns)
        here.chores += [haste, operator]
        here.players.asks_too = plan.asks_too
        here.players.start()
        try:
            _calm(here, report, plan, say)
            began = time.monotonic()
            _storm(here, mischief, plan, say)
            report.stormy_seconds = time.monotonic() - began
            _rest(here, report, plan, say)
        finally:
            here.players.stop()
        report.killed, report.faults, report.smtp = here.processes.killed, mischief.done, here.smtp.counts
        report.hastened, report.sent_again_by_operator = haste.done, operator.again
        report.troubles = troubles(folder)
        late = report.findings.wrong
        report.findings = find(here)
        report.findings.wrong[:0] = [*late, *operator.given_up]
    return report


def _calm(here: Ground, report: Report, plan: Plan, say: Callable[[str], None]) -> None:
    """Until every campaign has begun, and somebody has answered."""
    begun = time.monotonic()

    def is_under_way() -> bool:
        return all(number >= 1 for number in closed(here).values()) and bool(here.players.written)

    up = here.until(is_under_way, plan.patience)
    report.findings.check(up, "the campaigns did not begin")
    say(f"all campaigns have begun after {time.monotonic() - begun:.0f} s")


def _storm(here: Ground, mischief: Mischief, plan: Plan, say: Callable[[str], None]) -> None:
    here.smtp.moody, here.smtp.time_outs, here.smtp.temper = True, plan.time_outs, plan.temper
    kinds = list(mischief.faults())
    planned, before, end = list(plan.faults), closed(here), time.monotonic() + plan.seconds
    for number in range(1, plan.kills + 1):
        if number % plan.kills_a_fault == 0 and (planned or not plan.faults):
            if not planned:
                planned = here.dice.sample(kinds, len(kinds))
            mischief.do(planned.pop(0))
        mischief.kill(plan.victims[(number - 1) % len(plan.victims)] if plan.victims else None)
        here.passes(here.dice.uniform(*plan.pause))
        if number % plan.kills_a_turn == 0:
            before = _load(here, before, say, number)
        if time.monotonic() > end:
            break
    here.smtp.moody = False
    here.wire.mend()


def _load(here: Ground, before: dict[str, int], say: Callable[[str], None], kills: int) -> dict[str, int]:
    """Kills prove something only while campaigns go on: wait until one has, since the last look."""
    here.until(lambda: closed(here) != before, BREATH)
    here.until(lambda: bool(closed(here)), BREATH)
    now = closed(here)
    say(f"{kills} kills, {len(here.players.written)} letters handed in, {sum(now.values())} windows opened")
    return now


def _rest(here: Ground, report: Report, plan: Plan, say: Callable[[str], None]) -> None:
    """Everything is there again, and nobody does anything but the service itself."""
    began = time.monotonic()
    before: dict[str, int] = {}

    def has_gone_on() -> bool:
        now = closed(here)
        before.update({name: number for name, number in now.items() if name not in before})
        over = {name for name, state in rows(here, campaigns, "id", "state") if state == "over"}
        return all(number >= before[name] + plan.goes_on or name in over for name, number in now.items())

    gone_on = here.until(has_gone_on, plan.patience)
    report.seconds_to_go_on = time.monotonic() - began
    report.findings.check(gone_on, f"not every campaign went on: {before} and then {closed(here)}")
    say(f"every campaign went on within {report.seconds_to_go_on:.0f} s")
    here.players.stop()
    began = time.monotonic()
    report.findings.check(
        here.until(lambda: is_quiet(here, tidy=plan.tidy), plan.patience), f"no rest: {unrest(here)}"
    )
    report.seconds_to_rest = time.monotonic() - began
    say(f"at rest after {report.seconds_to_rest:.0f} s more")


def closed(here: Ground) -> dict[str, int]:
    """How many windows of each campaign were opened; its end counts as one."""
    ends = {name: int(state == "over") for name, state in rows(here, campaigns, "id", "state")}
    opened = Counter(name for name, _ in rows(here, windows, "campaign", "number"))
    return {name: opened[name] + end for name, end in ends.items()}


def unrest(here: Ground) -> str:
    came = Counter(row for row in rows(here, inbox, "state", "reason") if row[0] == "received")
    ours = Counter(row for row in rows(here, outbox, "state", "trouble", "attempts") if row[0] == "waiting")
    return f"in {dict(came)}, out {dict(ours)}"


_EVENT = re.compile(r'"event": ?"([a-z]+\.[a-z-]+)"')
_LEVEL = re.compile(r'"level": ?"(warning|error|critical)"')


def troubles(folder: Path) -> Counter[str]:
    """What the processes complained of in their logs."""
    told: Counter[str] = Counter()
    for log in sorted(folder.glob("*.log")):
        for line in log.read_text("utf-8", "replace").splitlines():
            if _LEVEL.search(line) is not None:
                event = _EVENT.search(line)
                told[event[1] if event else "other"] += 1
    return told
