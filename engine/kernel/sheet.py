"""Answers given early: order sheets, standing orders, replies. All of them feed the same Ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, TypeAlias

from engine.kernel.errors import Refusal
from engine.kernel.game import Game, Line, Notation, Said, Tempo, View, Window
from engine.kernel.journal import canonical
from engine.kernel.requests import Answer, Ask

Join: TypeAlias = Callable[[Ask, Sequence[Line], View], Said | None]  # as `Notation.join`


class FiledAnswer(NamedTuple):
    """An answer on file and where it stood."""

    answer: Answer
    by: str  # "reply" "plan" "sheet" "standing" "umpire"
    line: Line | None = None
    also: tuple[Line, ...] = ()  # other lines that gave a part of it
    left_out: tuple[tuple[Line, Refusal], ...] = ()  # lines that cannot be a part of it, and why
    spare: tuple[Line, ...] = ()  # lines that would answer alone, and give no part of it


@dataclass(frozen=True, slots=True)
class OrderFile:
    """All that a seat has on file when a window closes.

    The sheet belongs to one window; standing orders stay until they are replaced; replies answer the open
    questions by their id.
    """

    sheet: tuple[Line, ...] = ()
    standing: tuple[Line, ...] = ()
    replies: Mapping[str, Answer] = field(default_factory=dict)
    umpire: frozenset[str] = frozenset()  # ids of the questions that the umpire answered
    umpires: tuple[Line, ...] = ()  # order lines of the umpire in the seat's place: they go before its own

    def find(
        self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0
    ) -> FiledAnswer | None:
        """The first answer on file that the Ask offers: reply, plan, sheet, standing order.

        `after`: so many lines of the sheet have had their turn.
        """
        if question in self.replies and ask.options.contains(self.replies[question]):
            return FiledAnswer(self.replies[question], "umpire" if question in self.umpire else "reply")
        if ask.plan:
            said = notation.preference(ask.plan, ask, view)
            if said is not None and ask.options.contains(said.value):
                return FiledAnswer(said.value, "plan")
        if ask.topic in notation.joint_topics:
            return self._joined(ask, view, notation)
        return next(self._answers(ask, view, after), None)

    def _answers(self, ask: Ask, view: View, after: int = 0) -> Iterator[FiledAnswer]:
        """What each line answers: the sheet's, then standing orders, the particular before the general."""
        for by, lines in (
            ("umpire", self.umpires),
            ("sheet", islice(self.sheet, after, None)),
            ("standing", sorted(self.standing, key=lambda line: line.slot())),
        ):
            for line in lines:
                if (said := line.answer(ask, view)) is not None:
                    yield FiledAnswer(said.value, by, line)

    def _joined(self, ask: Ask, view: View, notation: Notation) -> FiledAnswer | None:
        """What all lines together answer, each with its part; one that does not fit in is left out."""
        found = list(self._answers(ask, view))
        if not found:
            return None
        lines = [one.line for one in found if one.line is not None]
        counted = ask.topic in notation.counted_topics
        return join_lines(ask, found[0], lines, view, notation.join, counted=counted)

    def wants_to_be_asked(self, ask: Ask) -> bool:
        """The seat's own unconditional ASK for this question."""
        return any(line.asks(ask) for line in (*self.sheet, *self.standing))

    def refused(
        self, ask: Ask, view: View, after: int = 0, until: int | None = None
    ) -> list[tuple[Line, Refusal]]:
        """Lines of the sheet that mean this Ask but are not offered, each with the reason."""
        meant = self.meant(ask, view, after, until)
        return [(line, refusal) for _, line, refusal in meant if refusal is not None]

    def meant(
        self, ask: Ask, view: View, after: int = 0, until: int | None = None
    ) -> Iterator[tuple[int, Line, Refusal | None]]:
        """Lines of the sheet that mean this Ask: place, line, and why it is not offered, if it is not."""
        for place, line in enumerate(islice(self.sheet, after, until), after):
            if (attempt := line.attempt(ask, view)) is not None:
                refusal = ask.options.why_not(attempt.value)
                yield place, line, None if refusal is None else replace(refusal, line=line.number)

    def remaining(self, had: Mapping[str, int]) -> tuple[Line, ...]:
        """The lines of the sheet that have not had their turn; `had`: so many of each topic have."""
        return tuple(
            line for n, line in enumerate(self.sheet) if all(n >= had.get(topic, 0) for topic in line.topics)
        )

    def canonical(self) -> str:
        """The seat's own answers on file, in canonical notation: hashed into its dice entry."""
        parts = [line.write("en") for line in self.sheet]
        parts += [f"STANDING {line.write('en')}" for line in self.standing]
        replies = sorted(self.replies.items())
        parts += [f"REPLY {question} {canonical(answer).decode()}" for question, answer in replies]
        return "\n".join(parts)


def join_lines(
    ask: Ask, first: FiledAnswer, lines: Sequence[Line], view: View, join: Join, *, counted: bool = False
) -> FiledAnswer:
    """All of them together; else one after the other, as far as each can be joined to those before it.

    `first`: what the first of them says alone. `counted`: the same words twice mean twice as much.
    """
    said = join(ask, lines, view) if len(lines) > 1 else None
    if said is not None and ask.options.contains(said.value):
        again = () if counted else tuple(line for n, line in enumerate(lines) if line in lines[:n])
        parts = tuple(line for line in lines[1:] if not any(line is one for one in again))
        return FiledAnswer(said.value, first.by, lines[0], parts, (), again)
    answer, kept, spare = first.answer, [lines[0]], list[Line]()
    left_out = list[tuple[Line, Refusal]]()
    for line in lines[1:]:
        said = join(ask, [*kept, line], view)
        if said is None:
            spare.append(line)
            continue
        refusal = ask.options.why_not(said.value)
        if refusal is None:
            answer = said.value
            kept.append(line)
        else:
            left_out.append((line, replace(refusal, line=line.number)))
    return FiledAnswer(answer, first.by, kept[0], tuple(kept[1:]), tuple(left_out), tuple(spare))


def makes_turn(
    lines: Sequence[Line], window: Window, asks: Sequence[Ask], view: View, game: Game, tempo: Tempo
) -> bool:
    """Are these lines their seat's turn in the open window, whose questions to it are `asks`?

    A line that no question of the window wants makes none.
    """
    if window.once:
        return any(line.serves(ask) and line.attempt(ask, view) is not None for line in lines for ask in asks)
    outlook = game.suppositions.outlook(view, lines, (), window.key)
    return any(line.makes_turn(window, view, tempo) and not outlook.is_idle(line) for line in lines)


# ------------------------------------------------------------------ standing orders


def newest_standing(*groups: Sequence[Line]) -> tuple[Line, ...]:
    """Standing lines of several letters or blocks, the older before the newer, and each replaces those of its
    series above it; of two for one slot in one block the later counts.
    """
    found: tuple[Line, ...] = ()
    for lines in groups:
        said = {line.series() for line in lines}
        kept = tuple(line for line in found if line.series() not in said)
        found = (*kept, *{line.slot(): line for line in lines}.values())
    return found


def replaced_lines(*groups: Sequence[Line]) -> list[tuple[Line, Line]]:
    """The others, each with the line that has taken its place."""
    kept, found = newest_standing(*groups), list[tuple[Line, Line]]()
    for line in (line for lines in groups for line in lines if not any(line is one for one in kept)):
        heirs = [one for one in kept if one.series() == line.series()]
        same = [one for one in heirs if one.slot() == line.slot()]
        found.append((line, (same or heirs)[0]))
    return found
