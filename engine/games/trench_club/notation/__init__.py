"""The order language of Trench Club, English and French mixed at will (decisions 4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from engine.games.trench_club.notation.lines import JOINT, SEQUENCE, OrderLine, joined
from engine.games.trench_club.notation.reader import read
from engine.games.trench_club.notation.words import EXPECTED, REASONS
from engine.games.trench_club.notation.writer import write_answer
from engine.games.trench_club.view import View
from engine.kernel.game import Language, Line, Notation, Reading, Said
from engine.kernel.requests import Answer, Ask

__all__ = ["EXPECTED", "NOTATION", "REASONS", "OrderLine"]


_KEY = re.compile(r"(?:R\d+|S)(?:\.\w+)*")


class OrderLanguage(Notation):
    """What the kernel and the service need of it."""

    joint_topics = JOINT
    sequence_topics = SEQUENCE

    def read(self, text: str, view: View) -> Reading:
        return read(text, view)

    def write_answer(
        self, ask: Ask, answer: Answer, language: Language = "en", view: View | None = None
    ) -> str:
        return write_answer(ask, answer, language)

    def exchange_key(self, word: str, pack: Any) -> str | None:
        """`R2`, `R2.DE.T`; before the first round `S.S`, `S.P1.GB.F`."""
        return f"R{word}" if word.isdigit() else word if _KEY.fullmatch(word) else None

    def join(self, ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
        """The attacks of all lines."""
        return joined(ask, lines, view)


NOTATION = OrderLanguage()
