"""Redis gone for minutes while letters come and deadlines pass: all that is due is done when it is back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pbem.campaigns.deadlines import ClockTerms, Phase
from pbem.campaigns.policy import Policy
from tests.faults.checks import Findings, find, is_quiet
from tests.faults.course import closed
from tests.faults.ground import Database, Ground, Size, ground

WITHIN = 60.0  # seconds of its return
SIZE = Size(campaigns=4, maps=False)


@dataclass(slots=True)
class Silence:
    """What happened."""

    away: float  # seconds
    due: int = 0  # turns, when it came back
    resolved_in: float = 0.0
    findings: Findings = field(default_factory=Findings)


def run_silence(
    folder: Path, database: Database, seconds: float, say: Callable[[str], None], size: Size = SIZE
) -> Silence:
    """Half of the campaigns get all their orders meanwhile, the deadlines of the others pass."""
    silence = Silence(seconds)
    phase = Phase(days=0, hours=(seconds / 2 + 15) / 3600, at=None, reminders=())
    policy = Policy(clock=ClockTerms(phases={"": phase}))
    with ground(folder, database, Random(1), size, policy) as here, here.processes:
        begun = here.until(lambda: _has_begun(here), 120)
        silence.findings.check(begun, "the campaigns did not begin")
        before = closed(here)
        here.broker.stop()
        here.players.look(here.players.people[: len(here.players.people) // 2])
        here.passes(seconds)
        silence.due = len([name for name, number in closed(here).items() if number == before[name]])
        here.broker.start()
        began = time.monotonic()
        done = here.until(
            lambda: all(number > before[name] for name, number in closed(here).items()), 3 * WITHIN
        )
        silence.resolved_in = time.monotonic() - began
        say(f"{silence.due} turns were due, resolved {silence.resolved_in:.1f} s after {seconds:.0f} s")
        silence.findings.check(done and silence.resolved_in <= WITHIN, "not every turn that was due is done")
        here.until(lambda: is_quiet(here), 120)
        wrong, silence.findings = silence.findings.wrong, find(here)
        silence.findings.wrong[:0] = wrong
    return silence


def _has_begun(here: Ground) -> bool:
    return (
        all(number == 1 for number in closed(here).values())
        and is_quiet(here)
        and all(map(here.players.letters, here.players.people))
    )
