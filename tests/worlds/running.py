"""Pairs of worlds, one after the other, until so many pairs of letters were compared."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import monotonic

from pytest import MonkeyPatch

from tests.pictures import with_drawings
from tests.worlds.beginnings import beginning
from tests.worlds.pair import Course, Pair
from tests.worlds.world import Beginning

ACTS = 0.5  # of windows, before which a seat changes hands, or the game goes back
MAPS_EVERY = 40  # pairs of worlds: painting takes its time


@dataclass
class Told:
    """What was compared."""

    letters: Counter[str] = field(default_factory=Counter)  # pairs, by kind
    acts: Counter[str] = field(default_factory=Counter)  # by kind
    heard: Counter[str] = field(default_factory=Counter)  # letters to the service, by what became of them
    ends: Counter[str] = field(default_factory=Counter)  # why pairs of worlds went no further
    tempos: Counter[str] = field(default_factory=Counter)  # pairs of letters, by tempo
    apart: Counter[str] = field(default_factory=Counter)  # pairs of worlds, by the secrets they differed in
    bytes: int = 0  # of each letter of the pairs
    worlds: int = 0
    windows: int = 0
    told: int = 0  # pauses, dice and facts that were the same
    maps: int = 0  # pairs of worlds whose pictures were painted; of the others the drawings were compared
    secrets: int = 99  # the fewest in which two worlds differed when letters were compared

    def add(self, begin: Beginning, course: Course) -> None:
        self.letters += course.letters
        self.acts += course.acts
        self.heard += course.heard
        self.bytes += course.bytes
        self.tempos[begin.tempo] += course.letters.total()
        self.apart.update(course.apart)
        self.ends[course.why] += 1
        self.secrets = min(self.secrets, course.secrets)
        self.worlds, self.windows, self.told = (
            self.worlds + 1,
            self.windows + course.windows,
            self.told + course.told,
        )


def run_pairs(
    pairs: int,
    folder: Path,
    first: int = 0,
    progress: Callable[[Told], None] | None = None,
    game: str = "fww",
    pictures: Callable[[MonkeyPatch], None] = with_drawings,
    seconds: float = inf,
) -> Told:
    """Leak at the first difference. `first`: the number of the first pair of worlds."""
    told, seed, began = Told(), first, monotonic()
    while told.letters.total() < pairs and monotonic() - began < seconds:
        with MonkeyPatch.context() as patch:
            drawn = seed % MAPS_EVERY == MAPS_EVERY - 1
            if not drawn:
                pictures(patch)
            here = folder / str(seed)
            here.mkdir()
            begin = beginning(seed, game_id=game)
            course = Pair(begin, here, windows=2 if drawn else 4, acts=ACTS).run()
            shutil.rmtree(here)
        told.add(begin, course)
        told.maps += drawn
        seed += 1
        if progress is not None:
            progress(told)
    return told
