"""Two worlds: what a seat may not know changes nothing that it could get, byte for byte, pause for pause."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from engine.kernel.game import Tempo
from tests.conformance.games import TEMPOS, Case
from tests.conformance.worlds import Pair

PAIRS = 4


@pytest.mark.parametrize("tempo", TEMPOS)
def test_two_worlds_are_one_to_the_seat_that_may_not_know(case: Case, tempo: Tempo, tally: Any) -> None:
    ends: Counter[str] = Counter()
    pairs = int(PAIRS * case.share)
    for seed in range(pairs):
        stretch = Pair(case, tempo, seed).run()
        ends[stretch.why] += 1
        ends["long"] += stretch.long_enough
        tally(pairs=1, stretches=int(stretch.long_enough), pauses=stretch.pauses, news=stretch.told)
        tally(**{f"ended by {stretch.why}": 1})
    assert ends["long"] >= max(1, pairs // 4), ends
