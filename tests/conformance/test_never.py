"""A line is refused for good only if no course of play makes it legal, and by what its seat may see."""

from __future__ import annotations

from random import Random

import pytest

from engine.kernel.game import View
from engine.kernel.requests import Ask, Seat
from tests.conformance.games import SIZE, Case
from tests.conformance.sitting import examine

FOR_GOOD = {"not-adjacent", "out-of-range", "not-your-army", "not-own-unit"}  # told when the line is read


def test_what_the_rules_offer_was_never_refused_for_good(case: Case) -> None:
    """Neither now nor on an earlier view of the same turn, on which its seat might have ordered it."""
    notation, rng, earlier = case.game.notation, Random(f"{case}/never"), dict[tuple[Seat, str], View]()

    def visit(view: View, ask: Ask) -> None:
        before = earlier.setdefault((ask.seat, ask.at.partition(".")[0]), view)
        if rng.random() > 0.15 * SIZE:
            return
        text = notation.write_answer(ask, ask.options.sample(rng), "en")
        for seen in (view, before):
            reading = notation.read(text, seen)
            refused = [one.reason for one in reading.refusals if one.reason in FOR_GOOD]
            never = [line.never(seen) for line in (*reading.orders, *reading.standing)]
            assert not refused and not any(never), (text, refused, never)

    for seed in range(SIZE):
        examine(case, seed, visit)


@pytest.mark.long
def test_what_the_rules_offer_was_never_refused_for_good_in_many_games(case: Case) -> None:
    notation, rng = case.game.notation, Random(f"{case}/never/many")

    def visit(view: View, ask: Ask) -> None:
        text = notation.write_answer(ask, ask.options.sample(rng), "en")
        reading = notation.read(text, view)
        never = [line.never(view) for line in (*reading.orders, *reading.standing)]
        assert not any(never), (text, never)

    for seed in range(5):
        examine(case, 100 + seed, visit)
