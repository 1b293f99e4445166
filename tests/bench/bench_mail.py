"""The mail service beside an echo bot, over the same Dovecot and Postfix: latency and throughput.

Both are measured in one run and on the same letters, first the one, then the other. A letter lies in the
mailbox from the moment the mail server has delivered it; its answer has left when the mail server has taken
it. The service does all it does for everybody: PostgreSQL, Redis, poller, two workers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench.campaigns import Correspondent
from tests.bench.mail_ground import Answerer, Servers, echoing, servers, serving
from tests.bench.measure import Figure, Figures

WARM_UP = 20
ONE_BY_ONE = 30  # letters for the latency
AT_ONCE = 200  # letters for the throughput


def run() -> Figures:
    with TemporaryDirectory() as place, servers(Path(place), WARM_UP + ONE_BY_ONE + AT_ONCE) as there:
        writers = [one for one in there.people if one.seat == "CENTRAL"]
        with echoing(there) as echo:
            echo_wait, echo_rate = measured(there, echo, writers)
        with serving(there) as service:
            wait, rate = measured(there, service, writers)
    return {
        "echo: from delivery to answer, median": Figure(1000 * echo_wait, "ms"),
        "service: from delivery to receipt, median": Figure(1000 * wait, "ms"),
        "echo: letters answered": Figure(echo_rate, "1/s"),
        "service: letters answered": Figure(rate, "1/s"),
        "latency / echo": Figure(wait / echo_wait, at_most=1.5),
        "throughput / echo": Figure(rate / echo_rate, at_least=0.5),
    }


def measured(there: Servers, answerer: Answerer, writers: Sequence[Correspondent]) -> tuple[float, float]:
    """The median time to an answer in seconds, and answers a second."""
    first, rest = writers[:WARM_UP], writers[WARM_UP:]
    at_once(there, answerer, first)
    alone, crowd = rest[:ONE_BY_ONE], rest[ONE_BY_ONE:]
    return median(one_by_one(there, answerer, alone)), at_once(there, answerer, crowd)


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
