"""Before a worker's processes part: what all of them need is loaded once, and set aside from the collector.

A process that takes the place of a dead one is at work at once then, and the games' data lie in the memory
that all of them share.
"""

from __future__ import annotations

import gc
from typing import Final

from engine.games import GAMES, game
from pbem.letters.memo import Memo, Note, memo_letter
from pbem.letters.phrases import LANGUAGES, load_phrases

ALLOCATED: Final = 10_000  # objects, after which the collector looks at the young ones


def preload() -> None:
    """Packs, phrases and the templates of the letters that are written most."""
    for name in sorted(GAMES):
        pack = game(name).load_pack(None)
        for language in LANGUAGES:
            memo_letter(
                Memo(Note("plain", {"text": name}), Note("plain", {"text": name})),
                load_phrases(name, language, pack),
            )


def freeze_memory() -> None:
    """What is there now stays for good: looking through it again and again finds nothing."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATED, 20, 20)
