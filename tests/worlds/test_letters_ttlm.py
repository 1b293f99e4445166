"""Two worlds of letters of To the Last Man!: hands, the draw pile, what armies hold and how many, sheets.

Some at each change, more by `make long` and `python -m tests.worlds --game ttlm --pairs 2000`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pbem.store.journal import read_journal
from tests.conformance.exchanges import other_sizes
from tests.conformance.worlds import Leak
from tests.pictures import with_drawings, without_maps
from tests.worlds.beginnings import beginning
from tests.worlds.leaks import Planted
from tests.worlds.leaks_ttlm import PLANTED_TTLM
from tests.worlds.pair import LEAST_SECRETS, Course, Pair
from tests.worlds.running import run_pairs
from tests.worlds.world import NAME

FEW, PAIRS = 20, int(os.environ.get("PBEM_WORLDS", "200"))
FIRST = 16  # pair of worlds: its game is played by the quicker automaton
MOST_TRIES = 4


@pytest.mark.parametrize("pairs", [FEW, pytest.param(PAIRS, marks=pytest.mark.long)])
def test_letters_of_two_worlds_are_the_same_byte_for_byte(pairs: int, tmp_path: Path) -> None:
    told = run_pairs(pairs, tmp_path, first=FIRST, game="ttlm")
    assert told.letters.total() >= pairs and told.secrets >= LEAST_SECRETS
    assert {"result", "answer", "invitation"} <= set(told.letters), told


PLANTS = [
    pytest.param(one, id=one.name, marks=[pytest.mark.long] if one.long else []) for one in PLANTED_TTLM
]


@pytest.mark.parametrize("planted", PLANTS)
def test_a_planted_leak_is_caught(planted: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_drawings(monkeypatch)
    planted.plant(monkeypatch)
    for seed in range(planted.seed, planted.seed + MOST_TRIES):
        begin = beginning(
            seed,
            planted.tempo,
            players=None,
            game_id=planted.game,
            scenario=planted.scenario,
            pick=planted.pick,
        )
        try:
            Pair(begin, tmp_path, windows=planted.windows, writes=2, letters=planted.words).run()
        except Leak as leak:
            assert re.search(planted.channel, str(leak))
            return
    pytest.fail(f"not caught in {MOST_TRIES} pairs of worlds")


def test_enough_kinds_of_leaks_are_planted() -> None:
    assert len({planted.name for planted in PLANTED_TTLM}) >= 10
    assert len([planted for planted in PLANTED_TTLM if not planted.long]) >= 10


# ------------------------------------------------------------------ how far two worlds go together


def fought(seed: int, folder: Path) -> tuple[Course, int]:
    """Two worlds with armies of other sizes, and how many volleys were told alike."""
    begin = beginning(seed, "fast", other_sizes, game_id="ttlm", scenario="1915")
    pair = Pair(begin, folder, windows=2, writes=1)
    course = pair.run()
    lines = read_journal(pair.worlds[0].db, NAME)
    return course, sum(line.data.get("fact") == "ShotsFired" for line in lines)


def test_two_worlds_part_at_the_battle_of_an_army_that_holds_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_maps(monkeypatch)
    course, _ = fought(11, tmp_path)
    assert course.why == "reveal"


def test_two_worlds_go_on_after_a_battle_of_armies_that_hold_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_maps(monkeypatch)
    course, volleys = fought(6, tmp_path)
    assert course.why == "enough" and volleys > 0
    assert {"what armies hold", "sizes of armies"} <= course.apart
