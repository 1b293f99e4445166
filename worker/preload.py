"""Before the worker forks: load what every process needs, once, and keep the garbage collector away from it.

So a process that replaces a dead one is ready at once, and all of them share the memory of the games' data.
"""

from __future__ import annotations

import gc
from typing import Final

from engine.games import GAMES, game
from pbem.letters.memo import Memo, Note, memo_letter
from pbem.letters.phrases import LANGUAGES, spoken

ALLOCATIONS: Final = 10_000  # between two collections of young objects


def preload() -> None:
    """Load packs, phrases and the most common templates."""
    for name in sorted(GAMES):
        pack = game(name).load_pack(None)
        for language in LANGUAGES:
            memo_letter(
                Memo(Note("plain", {"text": name}), Note("plain", {"text": name})),
                spoken(name, language, pack),
            )


def freeze_memory() -> None:
    """Exclude all present objects from garbage collection: they live as long as the process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, 20, 20)
