"""The order language of To the Last Man!, English and French mixed at will (decisions.md §3)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.to_the_last_man.notation import seasons
from engine.games.to_the_last_man.notation.lexicon import lexicon
from engine.games.to_the_last_man.notation.lines import JOINT, SEQUENCE, OrderLine, answered, joined
from engine.games.to_the_last_man.notation.reader import ranked, read, read_plan
from engine.games.to_the_last_man.notation.words import EXPECTED, REASONS
from engine.games.to_the_last_man.notation.writer import write_answer
from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.view import View
from engine.kernel.game import Language, Line, Notation, Reading, Said
from engine.kernel.requests import Answer, Ask
from engine.notation.reasons import CONTRADICTION

__all__ = ["EXPECTED", "NOTATION", "REASONS", "OrderLine"]


class OrderLanguage(Notation):
    """What the kernel and the service need of it."""

    joint_topics = JOINT
    sequence_topics = SEQUENCE

    def read(self, text: str, view: View) -> Reading:
        return read(text, view)

    def preference(self, text: str, ask: Ask, view: View) -> Said | None:
        """The battle plan, resolved; None leaves the choice to what else is on file."""
        return answered(ask, self.plan_lines(text, view), view)[0]

    def plan_lines(self, plan: str, view: View) -> tuple[OrderLine, ...]:
        """The lines of a battle plan."""
        return read_plan(plan, lexicon(view.pack), view.side)

    def deciding_lines(self, plan: str, ask: Ask, view: View) -> tuple[OrderLine, ...]:
        """Those lines of the plan that decide this question."""
        return answered(ask, self.plan_lines(plan, view), view)[1]

    def is_in_force(self, plan: str, view: View) -> bool:
        """Battles may still ask for that plan."""
        return bool(plan) and view.plan == plan

    def write_answer(
        self, ask: Ask, answer: Answer, language: Language = "en", view: View | None = None
    ) -> str:
        return write_answer(ask, answer, language)

    def make_standing(self, reading: Reading) -> Reading:
        """STANDING … END: orders that may last are standing ones there, tried one after the other."""
        own = [line for line in (*reading.standing, *reading.orders) if isinstance(line, OrderLine)]
        found = [(line, line if line.lasting else line.as_standing()) for line in own]
        lasting = sorted((line for _, line in found if line is not None), key=lambda line: line.number)
        orders = tuple(line for line, kept in found if kept is None)
        refusals = tuple(one for one in reading.refusals if one.reason != CONTRADICTION)
        return Reading(orders, tuple(ranked(lasting)), refusals)

    def exchange_key(self, word: str, pack: Pack) -> str | None:
        """Headers also call it by its season."""
        return seasons.exchange(word, pack) or super().exchange_key(word, pack)

    def join(self, ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
        """What several lines say together where each gives a part of the answer."""
        return joined(ask, lines, view)


NOTATION = OrderLanguage()
