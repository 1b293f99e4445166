"""Standing orders of several letters: what counts is the same when it is stored and read again."""

from __future__ import annotations

from random import Random

import pytest

from engine.kernel.game import Line
from engine.kernel.sheet import newest_standing, replaced_lines
from tests.conformance.games import ALL
from tests.conformance.test_contradictions import first_view, read
from tests.intake.sheets import corpus

LETTERS, TRIALS = 3, 60


def block(name: str, rng: Random) -> tuple[Line, ...]:
    """Some standing lines, as STANDING … END reads them."""
    lines = rng.sample(corpus(name), rng.randint(3, 12))
    notation, view = ALL[name].notation, first_view(name)
    return notation.make_standing(notation.read("\n".join(lines), view)).standing


def written(lines: tuple[Line, ...]) -> set[tuple[str, str]]:
    return {(line.slot(), line.write()) for line in lines}


@pytest.mark.parametrize("name", ["fww", "ttlm", "trench"])
def test_what_counts_of_several_letters_is_read_again_as_it_was(name: str) -> None:
    """A rest of an older letter, stored below ALWAYS PASS, took its place."""
    rng, met = Random(f"{name}/standing"), 0
    for _ in range(TRIALS):
        on_file: tuple[Line, ...] = ()
        for _ in range(LETTERS):
            new = block(name, rng)
            on_file = newest_standing(on_file, new)
            again = newest_standing(read(name, "\n".join(line.write() for line in on_file)).standing)
            assert written(again) == written(on_file)
            assert written(newest_standing(new)) <= written(on_file), "the last letter counts"
            on_file, met = again, met + len(new)
    assert met > TRIALS


@pytest.mark.parametrize("name", ["fww", "ttlm", "trench"])
def test_each_line_counts_or_is_replaced_by_one_that_does(name: str) -> None:
    rng = Random(f"{name}/replaced")
    for _ in range(TRIALS):
        older, newer = block(name, rng), block(name, rng)
        kept, replaced = newest_standing(older, newer), replaced_lines(older, newer)
        assert len(kept) + len(replaced) == len(older) + len(newer)
        assert all(winner in kept and winner.series() == line.series() for line, winner in replaced)


def test_a_later_letter_replaces_a_whole_series() -> None:
    older, newer = (
        ALL["ttlm"].notation.make_standing(read("ttlm", text)).standing
        for text in ("PLAY OFF\nPLAY LIM", "PASS")
    )
    assert [line.write() for line in newest_standing(older, newer)] == ["ALWAYS PASS"]
    assert [winner.write() for _, winner in replaced_lines(older, newer)] == ["ALWAYS PASS", "ALWAYS PASS"]
