"""Single lines: what each may be, and which belong together because a mail program wrapped them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from engine.kernel.errors import Facts, Refusal, Unreadable
from engine.kernel.game import UNKNOWN_ORDER, Reading
from pbem.orders.arguments import Awaiting
from pbem.orders.text import (
    Courtesy,
    begins_item,
    first_words,
    is_asked,
    is_remark,
    key,
    plain,
    without_bullet,
    without_ornaments,
    without_sign,
)
from pbem.orders.understood import (
    Circumstances,
    Command,
    OwnLine,
    Politeness,
    Question,
    Refused,
    Reply,
    Role,
    refuse_illegal,
    refuse_unreadable,
)
from pbem.orders.vocabulary import Fault, VerbVocabulary

MOST_JOINED = 6  # lines of one order
LONGEST_ANSWERS = 600  # characters of a line with answers to many questions
MOST_LINES = 150  # own lines that are read; the longest sensible letter has about 60
MOST_SIGNS = 24_000  # characters of them: each line is looked at from many sides
LONG = 56  # characters: a line that a mail program may have wrapped

_REPLY = re.compile(r"(?:Q\s*(\d{1,3})\s*[:.=)\-]?\s*)?(\d{1,3})\s*[.)]?")
_REPLIES = re.compile(r"[,;]|\s+(?=Q\s*\d)")


class NumberedChoice(NamedTuple):
    """A numbered answer as written; `question` is 0 where none is named."""

    question: int
    answer: int


class Unit(NamedTuple):
    """One or more lines that say one thing."""

    text: str
    lines: tuple[OwnLine, ...]
    doubled: bool = False  # two orders, each good alone, or one in two lines


class LineReader:
    """Everything a line may be, for one letter."""

    def __init__(self, circumstances: Circumstances, vocabulary: VerbVocabulary[Any]) -> None:
        self.circumstances, self._vocabulary = circumstances, vocabulary
        self._courtesy = Courtesy(circumstances.name, circumstances.names, circumstances.open)
        self.command = lru_cache(maxsize=4096)(self._read_command)
        self.order = lru_cache(maxsize=4096)(self._read_order)
        self.choices = lru_cache(maxsize=4096)(self._read_choices)
        self._begins_order = lru_cache(maxsize=1024)(self._is_word_of_game)
        self._is_other = lru_cache(maxsize=4096)(self._is_no_order)

    # ------------------------------------------------------------ what a line may be

    def _read_command(self, text: str) -> Command | Awaiting | Fault | None:
        return self._vocabulary.read(text, self.circumstances)

    def _read_order(self, text: str) -> Reading:
        """What the game makes of it; empty if the writer holds no seat."""
        notation = self.circumstances.notation
        if notation is None:
            return Reading()
        return notation.read(without_ornaments(text), self.circumstances.view)

    def is_order(self, text: str) -> bool:
        """Understood by the game, though perhaps forbidden."""
        reading = self.order(text)
        unread = any(isinstance(refusal, Unreadable) for refusal in reading.refusals)
        return not unread and bool(reading.orders or reading.standing or reading.refusals)

    def is_comment(self, text: str) -> bool:
        """Nothing to read: decoration, a remark, or what the game takes for one."""
        if not key(text) or is_remark(text):
            return True
        return self.circumstances.notation is not None and self.order(text) == Reading()

    def begins_order(self, text: str) -> bool:
        """Is the first word one of the game's?"""
        line = without_bullet(text)
        found = first_words(line, 1)
        return bool(found) and self._begins_order(line[found[0].start : found[0].end])

    def _is_word_of_game(self, word: str) -> bool:
        reading = self.order(word)
        known = any(refusal.reason != UNKNOWN_ORDER for refusal in reading.refusals)
        return known or bool(reading.orders or reading.standing)

    def is_courtesy(self, text: str) -> bool:
        return self._courtesy.is_courtesy(text)

    def politeness(self, text: str) -> Politeness:
        """What of a courtesy may be passed on."""
        if not self._courtesy.is_greeting(text):
            return ""
        return "name" if self._courtesy.is_own_name(text) else "words"

    def is_name_or_more(self, text: str) -> bool:
        """The writer's own name, which is also a command or an order: nobody can tell which."""
        does = isinstance(self.command(text), Command) or self.is_order(text)
        return does and self._courtesy.is_own_name(text)

    def _read_choices(self, text: str) -> tuple[NumberedChoice, ...]:
        """1 · Q1 2 · Q1 2, Q2 1; empty: no such line."""
        if len(text) > LONGEST_ANSWERS:
            return ()
        line = plain(without_sign(without_ornaments(text))).strip()
        found = [_REPLY.fullmatch(part.strip()) for part in _REPLIES.split(line) if part.strip()]
        choices = tuple(NumberedChoice(int(one[1] or 0), int(one[2])) for one in found if one is not None)
        clear = len(choices) == 1 or all(one.question for one in choices)
        return choices if clear and len(choices) == len(found) else ()

    def cancels(self, text: str) -> Command | None:
        """CANCEL 3, CANCEL ALL: an errand for the service in every game."""
        command = self.command(text)
        if not isinstance(command, Command) or len(first_words(without_bullet(text), 2)) < 2:
            return None
        return command if self.role(command) == "cancel" else None

    def role(self, command: Command) -> Role:
        """What it means to the reader of the letter."""
        role: Role = self._vocabulary.of(command).role
        return role

    def why_not(self, text: str) -> Refusal:
        """Why a line is neither: the game's reason if it begins like an order, else the nearest command."""
        fault = self.command(text)
        if isinstance(fault, Fault) and fault.refusal is not None and fault.likely:
            return fault.refusal
        reading = self.order(text)
        if reading.refusals and self.begins_order(text):
            return reading.refusals[0]
        first = first_words(without_bullet(text), 1)
        word = without_bullet(text)[first[0].start : first[0].end] if first else text[:40]
        language, writer = self.circumstances.language, self.circumstances.writer
        meant = self._vocabulary.suggest(without_bullet(text), language, writer)
        game = reading.refusals[0] if reading.refusals else None
        suggestions = game.suggestions if isinstance(game, Unreadable) else ()
        both = tuple(dict.fromkeys((*meant, *suggestions)))[:4]
        return refuse_unreadable("mail-not-understood", {"word": word}, both)

    # ------------------------------------------------------------ wrapped lines

    def units(self, lines: Sequence[OwnLine]) -> list[Unit]:
        """The lines, with those joined that make sense only joined. Blank ones are left out."""
        found: list[Unit] = []
        at = 0
        while at < len(lines):
            if not lines[at].text.strip():
                at += 1
                continue
            group = self._join_wrapped(lines, at)
            doubled = self._is_doubled(group, lines, at + len(group))
            group += lines[at + len(group) :][:doubled]
            at += len(group)
            found.append(Unit(_join(group), tuple(group), doubled))
        return found

    def _join_wrapped(self, lines: Sequence[OwnLine], at: int) -> list[OwnLine]:
        group = [lines[at]] if self._stands_alone(lines[at].text) else self._complete(lines, at)
        while rest := self._rest(group, lines, at + len(group)):
            group += rest
        return group

    def _stands_alone(self, text: str) -> bool:
        return is_asked(text) or self._is_other(text) or self.is_order(text) or self.is_comment(text)

    def _is_no_order(self, text: str) -> bool:
        """A command, a numbered answer or a courtesy."""
        command = self.command(text)
        known = command is not None and not isinstance(command, Fault)
        return known or bool(self.choices(text)) or self.is_courtesy(text)

    def _complete(self, lines: Sequence[OwnLine], at: int) -> list[OwnLine]:
        """A beginning that makes sense with the lines below it; otherwise the line alone."""
        group = [lines[at]]
        begun = self.begins_order(lines[at].text) or isinstance(self.command(lines[at].text), Fault)
        while begun and len(group) < MOST_JOINED and self._may_follow(group[-1], lines, at + len(group)):
            group.append(lines[at + len(group)])
            if self._is_whole(_join(group)):
                return group
        return group[:1]

    def _is_whole(self, text: str) -> bool:
        command = self.command(text)
        closed = isinstance(command, Command) and self._vocabulary.of(command).rest == "closed"
        return closed or self.is_order(text)

    def _may_follow(self, above: OwnLine, lines: Sequence[OwnLine], at: int) -> bool:
        """The line directly below, no list item and nothing of its own; a remark is never gone on with."""
        if at >= len(lines) or lines[at].number != above.number + 1 or "#" in above.text:
            return False
        text = lines[at].text
        return bool(text.strip()) and not begins_item(text) and not self._is_other(text)

    def _rest(self, group: Sequence[OwnLine], lines: Sequence[OwnLine], at: int) -> list[OwnLine]:
        """The next line, if it makes sense only as the rest of this order; with more, if it needs them."""
        if not self._may_follow(group[-1], lines, at) or not self.is_order(_join(group)):
            return []
        rest: list[OwnLine] = []
        while len(group) + len(rest) < MOST_JOINED and self._may_follow([*group, *rest][-1], lines, at):
            rest.append(lines[at])
            at += 1
            if len(rest) == 1 and (self.is_order(rest[0].text) or self.is_comment(rest[0].text)):
                return []
            if self._adds(_join(group), _join(rest)):
                return rest
            if self.begins_order(rest[0].text):
                return []
        return []

    def _adds(self, above: str, below: str) -> bool:
        """Are both together one order that says more than the first alone?"""
        joined = f"{above} {below.strip()}"
        return self.is_order(above) and self.is_order(joined) and self._write(joined) != self._write(above)

    def _write(self, text: str) -> tuple[str, ...]:
        reading = self.order(text)
        return tuple(line.write("en") for line in (*reading.orders, *reading.standing))

    def _is_doubled(self, group: Sequence[OwnLine], lines: Sequence[OwnLine], at: int) -> bool:
        """Two orders, each good alone, that one long line would also give when a mail program wraps it."""
        if len(group[-1].text.rstrip()) < LONG or not self._may_follow(group[-1], lines, at):
            return False
        return self.is_order(lines[at].text) and self._adds(_join(group), lines[at].text)


@dataclass(slots=True)
class ReadingRoom:
    """What is still read: of a text, of all files together, of a signature."""

    lines: int = MOST_LINES
    signs: int = MOST_SIGNS

    def take(self, lines: Sequence[OwnLine]) -> int:
        """How many of these lines there is room for, from the first on."""
        fitting = 0
        for line in lines[: self.lines]:
            self.signs -= len(line.text)
            if self.signs < 0:
                break
            fitting += 1
        self.lines -= fitting
        return fitting


def _join(lines: Sequence[OwnLine]) -> str:
    return " ".join(line.text.strip() for line in lines)


class Choosing:
    """Gathers a letter's numbered answers."""

    def __init__(self, circumstances: Circumstances) -> None:
        self._open, self._awaited = circumstances.choices, circumstances.awaited
        self._replies: list[Reply] = []
        self.refused: list[Refused] = []
        self._asked: list[Question] = []

    def take(self, choices: Sequence[NumberedChoice], lines: tuple[OwnLine, ...]) -> bool:
        """True if the lines are an answer, good or bad. A bare number where nothing is asked is none."""
        if choices and not self._awaited and not self._open:
            self._asked.append(Question("nothing-open", lines))
            return True
        if not choices or (not self._open and not choices[0].question):
            return False
        if not choices[0].question and len(self._open) > 1:
            self._asked.append(Question("which-question", lines, {"open": len(self._open)}))
            return True
        found = [self._check(choice, lines) for choice in choices]
        bad = [one for one in found if isinstance(one, Refused)]
        self.refused += bad[:1]
        self._replies += [one for one in found if isinstance(one, Reply) and not bad]
        return True

    def _check(self, choice: NumberedChoice, lines: tuple[OwnLine, ...]) -> Reply | Refused:
        question = choice.question or 1
        if not 1 <= question <= len(self._open):
            facts = {"number": question, "most": len(self._open)}
            return Refused(refuse_illegal("mail-no-such-question", facts), lines, True)
        most = self._open[question - 1]
        if not 1 <= choice.answer <= most:
            facts = {"number": choice.answer, "question": question, "most": most}
            return Refused(refuse_illegal("mail-no-such-answer", facts), lines, True)
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
