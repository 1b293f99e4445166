"""Two worlds of letters: what a seat may not know changes no byte of what is sent to it, and no pause.

Some at each change, more by `make long`: `PBEM_WORLDS=2000` asks for as many pairs of letters; so does
`python -m tests.worlds --pairs 2000`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.conformance.worlds import Leak
from tests.pictures import with_drawings, without_maps
from tests.worlds.beginnings import beginning
from tests.worlds.leaks import PLANTED, Planted
from tests.worlds.leaks_briefing import PLANTED_BRIEFING
from tests.worlds.pair import LEAST_SECRETS, Pair
from tests.worlds.running import run_pairs

FEW, PAIRS = 80, int(os.environ.get("PBEM_WORLDS", "200"))
FIRST = 1  # pair of worlds: few of them have letters of all kinds, and seats that change hands
MOST_TRIES = 8


@pytest.mark.parametrize("pairs", [FEW, pytest.param(PAIRS, marks=pytest.mark.long)])
def test_letters_of_two_worlds_are_the_same_byte_for_byte(pairs: int, tmp_path: Path) -> None:
    told = run_pairs(pairs, tmp_path, first=FIRST, pictures=without_maps if pairs == FEW else with_drawings)
    assert told.letters.total() >= pairs and told.secrets >= LEAST_SECRETS
    kinds = {"result", "answer", "question", "receipt", "reminder", "invitation", "press", "notice"}
    assert kinds <= set(told.letters), told
    assert {"replace", "rollback", "resign"} <= set(told.acts), told


def test_maps_of_two_worlds_are_the_same_byte_for_byte(tmp_path: Path) -> None:
    course = Pair(beginning(2), tmp_path, windows=1, writes=1).run()
    assert course.letters["result"] >= 4


@pytest.mark.parametrize("planted", (*PLANTED, *PLANTED_BRIEFING), ids=lambda planted: planted.name)
def test_a_planted_leak_is_caught(planted: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (with_drawings if planted.drawn else without_maps)(monkeypatch)
    planted.plant(monkeypatch)
    for seed in range(planted.seed, planted.seed + MOST_TRIES):
        begin = beginning(seed, planted.tempo, players=planted.players)
        pair = Pair(
            begin, tmp_path, windows=planted.windows, writes=2, letters=planted.words, silent=planted.silent
        )
        try:
            pair.run()
        except Leak as leak:
            assert re.search(planted.channel, str(leak))
            return
    pytest.fail(f"not caught in {MOST_TRIES} pairs of worlds")


def test_enough_kinds_of_leaks_are_planted() -> None:
    assert len({planted.name for planted in PLANTED}) >= 20
