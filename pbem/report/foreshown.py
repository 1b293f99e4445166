"""The board as orders would leave it, for their receipt: what comes of each line, the map, and its words."""

from __future__ import annotations

from typing import Final

from engine.kernel.game import Game
from engine.kernel.rehearsal import BoardAfter
from pbem.mail.compose import Picture
from pbem.report.maps import has_map, map_png, map_text
from pbem.report.memo import Illustration, Listing, Note, Part, Passage
from pbem.report.phrases import Phrases
from pbem.report.text import account

AFTER: Final = "after.png"  # beside a map that the same letter asked for


def board_after(game: Game, board: BoardAfter, phrases: Phrases, *, drawn: bool) -> tuple[Part, ...]:
    """Made of the writer's own view and of what he may read of the facts; `drawn`: with the map as a picture.

    Painting takes twenty times as long as all the rest of a receipt.
    """
    view = board.view
    sentences = account(board.facts, view.seat, phrases)
    told = Listing(tuple(Note("plain", {"text": one}) for one in sentences))
    words = tuple(map_text(game, view, phrases).splitlines())
    if not drawn or not has_map(game):
        return told, Passage(words)
    return told, Illustration(Picture(AFTER, map_png(game, view, phrases, board.facts)), words)
