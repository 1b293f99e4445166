"""The mail service beside an echo bot, over the same Dovecot and Postfix: latency and throughput.

Both are measured in one run and on the same letters and take turns, so that both meet the same machine; the
median of the rounds counts. A letter lies in the mailbox from the moment the mail server has delivered it;
its answer has left when the mail server has taken it. The service does all it does for everybody: PostgreSQL,
Redis, poller, two workers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.bench.campaigns import Correspondent
from tests.bench.mail_ground import Answerer, Servers, echoing, servers, serving
from tests.bench.measure import Figure, Figures

ROUNDS = 5
WARM_UP = 20
ONE_BY_ONE = 12  # letters of a round for the latency
AT_ONCE = 200  # letters of a round for the throughput
A_ROUND = ONE_BY_ONE + AT_ONCE


class Round(NamedTuple):
    """How fast somebody answered."""

    wait: float  # seconds to an answer, the median
    rate: float  # answers a second


def run() -> Figures:
    with TemporaryDirectory() as place, servers(Path(place), WARM_UP + ROUNDS * A_ROUND) as there:
        writers = [one for one in there.people if one.seat == "CENTRAL"]
        with echoing(there) as echo, serving(there) as service:
            both = (echo, service)
            for one in both:
                at_once(there, one, writers[:WARM_UP])
            rounds = [[measured(there, one, each) for one in both] for each in shares(writers[WARM_UP:])]
    echoed, served = zip(*rounds, strict=True)
    echo_wait, wait = (median(one.wait for one in mine) for mine in (echoed, served))
    ratios = sorted(mine.rate / yard.rate for yard, mine in rounds)
    return {
        "echo: from delivery to answer, median": Figure(1000 * echo_wait, "ms"),
        "service: from delivery to receipt, median": Figure(1000 * wait, "ms"),
        "echo: letters answered": Figure(median(one.rate for one in echoed), "1/s"),
        "service: letters answered": Figure(median(one.rate for one in served), "1/s"),
        "latency / echo": Figure(wait / echo_wait, at_most=1.5),
        "throughput / echo, median of the rounds": Figure(median(ratios), at_least=0.65),
        "… the worst round": Figure(ratios[0]),
        "… the best round": Figure(ratios[-1]),
    }


def shares(writers: Sequence[Correspondent]) -> list[Sequence[Correspondent]]:
    """Those who write in each of the rounds: everybody writes once."""
    return [writers[first : first + A_ROUND] for first in range(0, ROUNDS * A_ROUND, A_ROUND)]


def measured(there: Servers, answerer: Answerer, writers: Sequence[Correspondent]) -> Round:
    alone, crowd = writers[:ONE_BY_ONE], writers[ONE_BY_ONE:]
    return Round(median(one_by_one(there, answerer, alone)), at_once(there, answerer, crowd))


def one_by_one(there: Servers, answerer: Answerer, writers: Sequence[Correspondent]) -> list[float]:
    """Seconds from delivery to answer; each writes when all is quiet."""
    dice, waits = Random(4), []
    for one in writers:
        time.sleep(dice.uniform(0.2, 0.6))
        (delivered,) = there.deliver(answerer.user, [one.writes()])
        (answered,) = answerer.until_answered([one])
        waits.append(answered - delivered)
    return waits


def at_once(there: Servers, answerer: Answerer, writers: Sequence[Correspondent]) -> float:
    """Answers a second when all letters lie there."""
    with answerer.asleep():
        there.deliver(answerer.user, [one.writes() for one in writers])
    began = time.time()
    return len(writers) / (max(answerer.until_answered(writers)) - began)
