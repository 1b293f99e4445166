"""Pairs of worlds, one after the other, until so many pairs of letters were compared."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pytest import MonkeyPatch

from tests.pictures import without_maps
from tests.worlds.beginnings import beginning
from tests.worlds.pair import LEAST_SECRETS, Pair

MAPS_EVERY = 40  # pairs of worlds: drawing takes its time


@dataclass
class Told:
    """What was compared."""

    letters: Counter[str] = field(default_factory=Counter)  # pairs, by kind
    ends: Counter[str] = field(default_factory=Counter)  # why pairs of worlds went no further
    worlds: int = 0
    windows: int = 0
    maps: int = 0  # pairs of worlds with pictures
    secrets: int = 99  # the fewest in which two worlds differed, counted up to those that are asked for


def run_pairs(
    pairs: int,
    folder: Path,
    first: int = 0,
    progress: Callable[[Told], None] | None = None,
    game: str = "fww",
) -> Told:
    """Leak at the first difference. `first`: the number of the first pair of worlds."""
    told, seed = Told(secrets=LEAST_SECRETS), first
    while told.letters.total() < pairs:
        with MonkeyPatch.context() as patch:
            drawn = seed % MAPS_EVERY == MAPS_EVERY - 1
            if not drawn:
                without_maps(patch)
            here = folder / str(seed)
            here.mkdir()
            course = Pair(beginning(seed, game=game), here, windows=2 if drawn else 4).run()
            shutil.rmtree(here)
        told.letters += course.letters
        told.ends[course.why] += 1
        told.secrets = min(told.secrets, course.secrets)
        told.worlds, told.windows, told.maps = (
            told.worlds + 1,
            told.windows + course.windows,
            told.maps + drawn,
        )
        seed += 1
        if progress is not None:
            progress(told)
    return told
