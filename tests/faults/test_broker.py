"""When Redis is there again, all that is due is done within a minute."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.faults.checks import is_quiet
from tests.faults.course import closed
from tests.faults.ground import Size, ground
from tests.faults.players import MAILBOX
from tests.faults.silence import SIZE, WITHIN, run_silence
from tests.packages import Missing


@pytest.mark.long
def test_a_worker_whose_acknowledgements_were_lost_listens_again(tmp_path: Path) -> None:
    log = tmp_path / "worker0.log"
    size = Size(campaigns=1, parents=1, pool=1)
    try:
        with ground(tmp_path, "sqlite", Random(1), size) as here, here.processes:
            at_work = here.until(lambda: log.exists() and "pbem.adjudicate[" in log.read_text(), 90)
            assert at_work, "nobody adjudicates"
            here.broker.stop()
            assert here.until(lambda: "Couldn't ack" in log.read_text(), 90), "it was done before"
            here.broker.start()
            here.players.write(here.players.people[0], MAILBOX, "[FWW-1]", "STATUS\n")
            answered = here.until(lambda: len(here.smtp.handed) >= 3 and is_quiet(here), WITHIN)
            assert answered and closed(here)["FWW-1"] == 1 and "broker.stale_connection" in log.read_text()
    except Missing as reason:
        pytest.skip(f"!!! A SERVER IS MISSING: {reason}")


@pytest.mark.long
def test_all_that_is_due_is_done_within_a_minute_of_its_return(tmp_path: Path) -> None:
    try:
        silence = run_silence(tmp_path, "sqlite", 30, print)
    except Missing as reason:
        pytest.skip(f"!!! A SERVER IS MISSING: {reason}")
    assert [] == silence.findings.wrong
    assert SIZE.campaigns == silence.due and silence.resolved_in <= WITHIN
