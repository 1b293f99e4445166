"""Numbered answers: `1`, and with several questions open `Q1 2`."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.errors import Facts
from pbem.orders.lines import Choice
from pbem.orders.understood import Circumstances, OwnLine, Question, Refused, Reply, illegal


class Choosing:
    """Gathers a letter's numbered answers."""

    def __init__(self, circumstances: Circumstances) -> None:
        self._open = circumstances.choices
        self._replies: list[Reply] = []
        self.refused: list[Refused] = []
        self._asked: list[Question] = []

    def take(self, choices: Sequence[Choice], lines: tuple[OwnLine, ...]) -> bool:
        """True if the lines are an answer, good or bad. A bare number where nothing is asked is none."""
        if not choices or (not self._open and not choices[0].question):
            return False
        if not choices[0].question and len(self._open) > 1:
            self._asked.append(Question("which-question", lines, {"open": len(self._open)}))
            return True
        found = [self._checked(choice, lines) for choice in choices]
        bad = next((one for one in found if isinstance(one, Refused)), None)
        if bad is not None:
            self.refused.append(bad)
        else:
            self._replies += [one for one in found if isinstance(one, Reply)]
        return True

    def _checked(self, choice: Choice, lines: tuple[OwnLine, ...]) -> Reply | Refused:
        question = choice.question or 1
        if not 1 <= question <= len(self._open):
            facts = {"number": question, "most": len(self._open)}
            return Refused(illegal("mail-no-such-question", facts), lines, True)
        most = self._open[question - 1]
        if not 1 <= choice.answer <= most:
            facts = {"number": choice.answer, "question": question, "most": most}
            return Refused(illegal("mail-no-such-answer", facts), lines, True)
        return Reply(question, choice.answer, lines)

    @property
    def replies(self) -> list[Reply]:
        """One answer for each question; two different ones to the same are asked about."""
        return [reply for reply in self._replies if len(self._answers(reply.question)) == 1]

    @property
    def questions(self) -> list[Question]:
        found = list(self._asked)
        for question in sorted({reply.question for reply in self._replies}):
            answers = self._answers(question)
            if len(answers) > 1:
                lines = tuple(one for r in self._replies if r.question == question for one in r.lines)
                facts: Facts = {"question": question, "answers": answers}
                found.append(Question("several-answers", tuple(dict.fromkeys(lines)), facts))
        return found

    def _answers(self, question: int) -> tuple[int, ...]:
        return tuple(sorted({reply.answer for reply in self._replies if reply.question == question}))
