"""The long form: `python -m tests.worlds --pairs 2000`."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conformance.worlds import Leak
from tests.worlds.leaks import PLANTED
from tests.worlds.leaks_acts import PLANTED_ACTS
from tests.worlds.leaks_briefing import PLANTED_BRIEFING
from tests.worlds.leaks_ttlm import PLANTED_TTLM
from tests.worlds.running import Told, run_pairs

MEMORY = Path("/dev/shm")  # databases wait for the disk at every commit


def progress(told: Told) -> None:
    print(
        f"\r{told.letters.total()} pairs of letters, {told.worlds} pairs of worlds", end="", file=sys.stderr
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.worlds", description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000, help="pairs of letters to be compared")
    parser.add_argument("--first", type=int, default=0, help="number of the first pair of worlds")
    parser.add_argument("--game", default="fww", help="fww, ttlm or trench")
    parser.add_argument("--seconds", type=float, default=inf, help="after which no new pair is begun")
    asked, began = parser.parse_args(), time.process_time()
    gc.freeze()  # what was imported stays
    gc.set_threshold(20_000, 20, 20)
    with TemporaryDirectory(prefix="pbem-worlds-", dir=MEMORY if MEMORY.is_dir() else None) as folder:
        try:
            told = run_pairs(
                asked.pairs, Path(folder), asked.first, progress, asked.game, seconds=asked.seconds
            )
        except Leak as leak:
            print(f"\nLEAK {leak}")
            return 1
    kinds = ", ".join(f"{number} {kind}" for kind, number in told.letters.most_common())
    print(f"\n{told.letters.total()} pairs of letters, {told.bytes} bytes each, 0 differing: {kinds}")
    print(f"by tempo: {dict(told.tempos)}; between them {dict(told.acts)}")
    print(f"what became of letters to the service: {dict(told.heard.most_common())}")
    print(f"{told.worlds} pairs of worlds from {asked.first} on, {told.maps} with painted maps")
    print(f"{told.windows} windows; {told.told} pauses, dice and facts the same; ended by {dict(told.ends)}")
    print(f"at least {told.secrets} secrets apart: {dict(told.apart.most_common())}")
    games = [
        *(one.game for one in (*PLANTED, *PLANTED_BRIEFING, *PLANTED_TTLM)),
        *(one.game for one in PLANTED_ACTS),
    ]
    print(f"{games.count(asked.game)} kinds of leaks are planted in the suite")
    print(f"{time.process_time() - began:.0f} s of one processor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
