"""After an upgrade of the rules a running campaign goes on with workers of the old version."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.faults.course import closed
from tests.faults.ground import Size, ground
from tests.faults.mischief import Haste
from tests.faults.processes import Process
from tests.packages import Missing

RULES = Path("engine/games/first_world_war/game.py")


@pytest.mark.long
def test_a_campaign_stays_with_workers_that_have_its_rules(tmp_path: Path) -> None:
    try:
        with ground(tmp_path, "sqlite", Random(1), Size(campaigns=1, parents=1, maps=False)) as here:
            run = here.processes
            old = shutil.copytree(run.code, tmp_path / "old")
            (run.code / RULES).write_text(
                (old / RULES).read_text().replace('rules_version = "2"', 'rules_version = "3"')
            )
            left = Process("left", [*run.parents[0].command, "-Q", "pbem.fww.2"], tmp_path / "left.log", old)
            place = left.command.index("--hostname") + 1
            left.command[place] = f"left-{left.command[place]}"
            here.chores.append(Haste(here, 60, sweeps=2))
            with run:
                assert not here.until(lambda: closed(here)["FWW-1"] > 0, 15), "nobody has these rules"
                run.parents.append(left)
                here.players.start()
                assert here.until(lambda: closed(here)["FWW-1"] >= 3, 90), "it does not go on"
                here.players.stop()
    except Missing as reason:
        pytest.skip(f"!!! A SERVER IS MISSING: {reason}")
