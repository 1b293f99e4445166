"""From an opened letter to what it asks for: commands, a sheet, answers, refusals, and questions back.

With a block of orders the block is the sheet, other lines may be commands, and the rest is talk. Without one
free lines count only if every one of them is understood. Nothing is dropped: each own line ends as a command,
an order, an answer, talk, a refusal or a question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count, zip_longest
from typing import Any

from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.game import Reading
from pbem.mail.message import Letter, TextLine
from pbem.orders.arguments import Awaiting
from pbem.orders.blocks import Block, BlockSplitter, Header, Passages, Spoken, read_header, wrong_turn
from pbem.orders.lines import LONG, MOST_LINES, Choosing, LineReader, ReadingRoom, Unit
from pbem.orders.own_text import OwnText, tell_apart
from pbem.orders.returned_form import ReturnedForm, edited_forms, says_what_was_sent, which_counts
from pbem.orders.text import is_asked, without_ornaments
from pbem.orders.understood import (
    Chat,
    Circumstances,
    Command,
    Edit,
    GivenCommand,
    OwnLine,
    Question,
    Refused,
    Sheet,
    Source,
    Understood,
    UnderstoodLine,
    each_once,
    refuse_illegal,
    refuse_unreadable,
)
from pbem.orders.vocabulary import Fault, VerbVocabulary


def understand(letter: Letter, circumstances: Circumstances, vocabulary: VerbVocabulary[Any]) -> Understood:
    """Everything the letter asks for, and everything that has to be asked back."""
    return _Reader(letter, LineReader(circumstances, vocabulary)).result()


class _Reader:
    """One letter."""

    def __init__(self, letter: Letter, lines: LineReader) -> None:
        self._letter, self._lines, self._circumstances = letter, lines, lines.circumstances
        self._choosing = Choosing(self._circumstances)
        self._commands: list[GivenCommand] = []
        self._sheet: list[Unit] = []
        self._standing: list[Unit] = []
        self._chat: list[Chat] = []
        self._refused: list[Refused] = []
        self._questions: list[Question] = []
        self._asked_about: set[OwnLine] = set()
        self._frames: list[OwnLine] = []
        self._beyond: list[OwnLine] = []
        self._struck: list[OwnLine] = []
        self._left: dict[int, str] = {}  # by their numbers, of lines that are struck out in part
        self._source: Source = ""
        self._edits: tuple[Edit, ...] = ()

    def result(self) -> Understood:
        rows = [_in_one_row(line) for line in self._letter.lines]
        text = tell_apart(rows, self._circumstances.sent, self._lines.is_order)
        self._left |= text.left
        passages = BlockSplitter(self._lines, self._read_part(text.lines)).divide()
        attached = self._attachments()
        for spoken in passages.spoken:
            self._speak(spoken)
        header = self._choose_orders(passages, attached, text)
        for one in (passages, *attached):
            self._read_standing(one)
        self._talk_in_files(attached)
        self._read_loose(passages)
        self._ask_about_ours(text)
        self._ask_about_signature(text)
        self._ask_about_struck(text.struck)
        self._ask_about_forms()
        if self._beyond or (self._letter.truncated and self._says_something()):
            self._ask("cut-off", self._beyond)
        return self._finish(header)

    def _ask(self, code: str, lines: Sequence[OwnLine] = (), facts: Facts | None = None) -> None:
        self._add_question(Question(code, tuple(line for line in lines if line.text.strip()), facts or {}))

    def _add_question(self, question: Question) -> None:
        self._asked_about.update(question.lines)
        self._questions.append(question)

    # ------------------------------------------------------------ which lines are the orders

    def _attachments(self) -> list[Passages]:
        """Texts that came as files, each divided; the lines go on counting."""
        passages, numbers, room = [], count(len(self._letter.lines) + 1), ReadingRoom()
        for attachment in self._letter.attachments:
            rows = [(OwnLine(next(numbers), _in_one_row(line).text), line) for line in attachment.lines]
            pairs = [(line, at) for line, at in rows if not at.quoted]
            self._struck += [line for line, at in pairs if at.is_struck]
            self._left |= {line.number: at.left for line, at in pairs if at.left}
            own = [line for line, at in pairs if not at.is_struck]
            divided = BlockSplitter(self._lines, self._read_part(own, room)).divide()
            passages.append(self._as_block(divided))
        return passages

    def _read_part(self, lines: Sequence[OwnLine], room: ReadingRoom | None = None) -> Sequence[OwnLine]:
        """As many lines as are read; those beyond are asked about."""
        most = (room or ReadingRoom()).take(lines)
        self._beyond += [line for line in lines[most:] if line.text.strip()]
        return lines[:most]

    def _talk_in_files(self, attached: Sequence[Passages]) -> None:
        """Files carry orders, never commands: a program may have put them there."""
        for one in attached:
            lines = [*one.loose, *(line for spoken in one.spoken for line in spoken.whole)]
            self._chat += [Chat(line) for line in lines if line.text.strip()]

    def _as_block(self, passages: Passages) -> Passages:
        """A file in which every line is an order is a block, with or without a header."""
        units = self._lines.units(passages.loose)
        orders = [unit for unit in units if self._lines.is_order(unit.text)]
        good = all(self._lines.is_order(unit.text) or self._lines.is_comment(unit.text) for unit in units)
        if passages.blocks or not orders or not good:
            return passages
        return Passages((Block("orders", Header(), passages.loose, (), True),), passages.spoken, ())

    def _choose_orders(
        self, passages: Passages, attached: Sequence[Passages], text: OwnText
    ) -> Header | None:
        """The one block that is the sheet, read; None: there is none."""
        bodies = [block for block in passages.blocks if block.kind == "orders"]
        files = [block for one in attached for block in one.blocks if block.kind == "orders"]
        forms = edited_forms(text.blocks, text.form, self._circumstances.forms) if text.blocks else []
        chosen = self._one_block([*bodies, *files])
        if chosen is None:
            return self._take_form(forms, passages)
        self._source = "attachment" if chosen in files else "block"
        if not self._asks_which([form for form in forms if not form.is_trimmed], chosen.whole):
            self._take_block(chosen)
        free = self._free_orders(passages)
        if free and says_what_was_sent(chosen.whole, self._circumstances.forms):  # quoted without marks?
            self._ask("form-and-orders", free)
        return chosen.header

    def _one_block(self, blocks: Sequence[Block]) -> Block | None:
        """Of several blocks the one for the open turn; the others are asked about."""
        fitting = [block for block in blocks if self._block_trouble(block) is None]
        alike = {block.body for block in fitting}
        if len(alike) > 1 or (not fitting and len(blocks) > 1):
            every = sorted(line for block in blocks for line in block.whole)
            self._ask("several-blocks", every, {"blocks": len(blocks)})
            return Block("orders", Header(), (), (), True)
        chosen = next(iter(fitting or blocks), None)
        for block in blocks:
            if block is chosen:
                continue
            if (trouble := self._block_trouble(block)) is not None:
                self._ask(trouble.code, sorted(block.whole), trouble.facts)
            else:
                self._chat += [Chat(line) for line in block.whole if line.text.strip()]
        return chosen

    def _block_trouble(self, block: Block) -> Question | None:
        """Why a block is not for this campaign and turn."""
        header, own = block.header, self._circumstances
        if header.unclear:
            return Question("unclear-header", block.frame[:1])
        if header.campaign and header.campaign != own.campaign:
            facts = {"named": header.campaign, "campaign": own.campaign}
            return Question("other-campaign", block.frame[:1], facts)
        return wrong_turn(header.turn, own)

    def _take_block(self, block: Block) -> None:
        elsewhere = block.header.unclear or block.header.campaign not in ("", self._circumstances.campaign)
        if elsewhere and (trouble := self._block_trouble(block)):
            self._ask(trouble.code, block.frame, trouble.facts)
        else:
            self._frames += block.frame
        if not any(line.text.strip() for line in block.lines) and block.frame:
            self._ask("empty-block")
        self._sheet += self._block_units(block)

    def _take_form(self, forms: Sequence[ReturnedForm], passages: Passages) -> Header | None:
        """Our form edited in place: read, unless there are orders elsewhere."""
        if free := self._free_orders(passages):
            forms = [form for form in forms if not (form.is_trimmed and form.quoted)]
        if self._asks_which(forms, free) or free or not forms:
            return None
        form, window = forms[0], self._circumstances.open
        for question in form.questions(self._circumstances):
            self._add_question(question)
        header = read_header(form.lines[0].text, self._circumstances) or Header(unclear=True)
        self._source, self._edits = "template", form.edits
        lines = tuple(self._read_part(form.lines[1:]))
        self._take_block(Block("orders", header, lines, form.lines[:1], form.closed))
        return header._replace(turn=window.partition("/")[0]) if form.is_older else header  # as it is asked

    def _asks_which(self, forms: Sequence[ReturnedForm], orders: Sequence[OwnLine]) -> bool:
        question = which_counts(forms, orders) if forms else None
        if question is not None:
            self._add_question(question)
            self._source = self._source or "template"
        return question is not None

    def _free_orders(self, passages: Passages) -> list[OwnLine]:
        """Lines outside any block that are orders or answers."""
        units = self._lines.units(passages.loose)
        free = (one for one in units if self._lines.choices(one.text) or self._is_free_order(one.text))
        return [line for unit in free for line in unit.lines]

    def _is_free_order(self, text: str) -> bool:
        command = self._lines.command(text)
        return (command is None or isinstance(command, Fault)) and self._lines.is_order(text)

    # ------------------------------------------------------------ blocks

    def _block_units(self, block: Block) -> list[Unit]:
        """The order lines of a block; what is no word of the game may be a command."""
        found = []
        for unit in self._lines.units(block.lines):
            if self._is_struck_in_part(unit.lines):
                continue
            if unit.doubled:
                self._ask("wrapped-or-two", unit.lines, {"joined": unit.text})
            elif (cancel := self._lines.cancels(unit.text)) is not None:
                self._give(cancel, unit.lines)
            elif self._lines.is_order(unit.text):
                found.append(unit)
            elif self._lines.is_comment(unit.text) or self._lines.is_courtesy(unit.text):
                self._chat += [Chat(line) for line in unit.lines]
            elif self._lines.begins_order(unit.text) or not self._serve(unit):
                found.append(unit)
        return found

    def _serve(self, unit: Unit) -> bool:
        """A numbered answer or a command, good or bad; False: neither."""
        if self._choosing.take(self._lines.choices(unit.text), unit.lines):
            return True
        command = self._lines.command(unit.text)
        if command is None or (isinstance(command, Fault) and not command.likely):
            return False
        if isinstance(command, Fault):
            self._fault(command, unit)
        elif isinstance(command, Awaiting):  # it is the last line of a joined group
            self._ask("text-without-end", unit.lines)
        else:
            self._give(command, unit.lines)
        return True

    def _give(self, command: Command, lines: tuple[OwnLine, ...]) -> None:
        self._commands.append(GivenCommand(command, lines, self._lines.role(command)))

    def _fault(self, fault: Fault, unit: Unit) -> None:
        if fault.question is not None:
            self._ask(fault.question.code, unit.lines, fault.question.facts)
        elif fault.refusal is not None:
            self._refused.append(Refused(replace(fault.refusal, text=unit.text), unit.lines))

    def _speak(self, spoken: Spoken) -> None:
        """Press and rulings up to END. Without END nobody can tell where the words to others stop."""
        if self._is_struck_in_part(spoken.whole):
            return
        if not spoken.end:
            self._ask("text-without-end", spoken.whole)
            return
        self._frames += spoken.end
        lines = (spoken.first, *(line for line in spoken.lines if line.text.strip()))
        if spoken.text.strip():
            self._give(spoken.command.finish(spoken.text), lines)
        else:
            facts: Facts = {"verb": spoken.command.verb, "expected": "text"}
            self._refused.append(Refused(refuse_illegal("mail-missing", facts), lines))

    def _read_standing(self, passages: Passages) -> None:
        for block in passages.blocks:
            if block.kind == "standing":
                self._frames += block.frame
                self._standing += self._block_units(block)

    # ------------------------------------------------------------ loose lines

    def _read_loose(self, passages: Passages) -> None:
        """Beside a block commands and talk; without one every line counts, or none."""
        units = self._lines.units(passages.loose)
        standing = bool(self._standing) and not self._free_orders(passages)
        several = any(question.code == "several-blocks" for question in self._questions)
        beside = bool(self._source) or standing or several
        for unit, after in zip_longest(units, units[1:]):
            (self._beside_a_block if beside else self._free)(unit, after)
        if not beside and (self._sheet or self._choosing.replies):
            self._source = "free"

    def _beside_a_block(self, unit: Unit, after: Unit | None) -> None:
        if self._is_taken(unit) or self._goes_on(unit, after):
            return
        readings = [unit.text, *(self._left.get(line.number, "") for line in unit.lines)]
        if any(map(self._may_do, readings)) and self._is_struck_in_part(unit.lines):
            return
        if self._lines.choices(unit.text) and not self._circumstances.choices:
            self._chat += [Chat(line) for line in unit.lines]
        elif not self._serve(unit):
            order = self._lines.is_order(unit.text)
            self._chat += [Chat(line, order) for line in unit.lines]

    def _free(self, unit: Unit, after: Unit | None) -> None:
        if self._is_taken(unit) or self._goes_on(unit, after) or self._is_struck_in_part(unit.lines):
            return
        command = self._lines.command(unit.text)
        if self._choosing.take(self._lines.choices(unit.text), unit.lines):
            return
        if self._lines.is_name_or_more(unit.text):
            self._doubt(unit, refuse_unreadable("mail-your-name", {"word": unit.text.strip()}))
        elif isinstance(command, Command):
            self._give(command, unit.lines)
        elif unit.doubled:
            self._ask("wrapped-or-two", unit.lines, {"joined": unit.text})
        elif self._lines.is_order(unit.text) and is_asked(unit.text):
            self._doubt(unit, refuse_unreadable("mail-question-mark"))
        elif self._lines.is_order(unit.text):
            self._sheet.append(unit)
        elif self._lines.is_comment(unit.text) or self._lines.is_courtesy(unit.text):
            self._chat += [Chat(line, polite=self._lines.politeness(unit.text)) for line in unit.lines]
        elif isinstance(command, Fault) and (command.question or isinstance(command.refusal, Illegal)):
            self._fault(command, unit)
        else:
            self._doubt(unit, self._lines.why_not(unit.text))

    def _doubt(self, unit: Unit, reason: Refusal) -> None:
        self._add_question(Question("doubtful-line", unit.lines, reason=reason))

    def _may_do(self, text: str) -> bool:
        """Is it an answer, or begins like a command?"""
        return bool(self._lines.choices(text)) or self._lines.command(text) is not None

    def _is_taken(self, unit: Unit) -> bool:
        """Was the line asked about together with the one above it?"""
        return unit.lines[0] in self._asked_about

    def _goes_on(self, unit: Unit, after: Unit | None) -> bool:
        """Press on one long line with talk directly below: the rest of it, or a word to the umpire?"""
        command = self._lines.command(unit.text)
        press = isinstance(command, Command) and self._lines.role(command) == "press"
        if not press or after is None:
            return False
        below, last = after.lines[0], unit.lines[-1]
        if len(last.text) < LONG or below.number != last.number + 1 or self._is_meant(after.text):
            return False
        self._ask("press-continues", (*unit.lines, *after.lines))
        return True

    def _is_meant(self, text: str) -> bool:
        known = isinstance(self._lines.command(text), Command | Awaiting)
        return known or self._lines.is_order(text) or self._lines.is_courtesy(text)

    # ------------------------------------------------------------ our own text, signatures

    def _ask_about_ours(self, text: OwnText) -> None:
        copied = [line for line in text.again if not text.new and self._lines.is_order(line.text)]
        if text.new or copied:
            self._ask("new-lines", text.new or copied)

    def _ask_about_signature(self, text: OwnText) -> None:
        """Orders below the line that begins a signature are named; if there are no others, asked about."""
        units = [Unit(line.text, (line,)) for line in self._read_part(text.signature)]
        units = [unit for unit in units if self._is_loud(unit.text) or self._lines.is_order(unit.text)]
        lines = [line for unit in units for line in unit.lines]
        if not lines:
            return
        others = self._sheet or self._standing or self._choosing.replies
        if others or any(given.role != "ready" for given in self._commands):
            self._ask("in-signature", lines)
            return
        self._ask("below-signature", lines)
        for unit in units:
            command = self._lines.command(unit.text)
            if self._is_loud(unit.text) and isinstance(command, Command):
                self._give(command, unit.lines)
            else:
                self._sheet.append(unit)

    def _is_loud(self, text: str) -> bool:
        """A command in capitals."""
        return text.strip().isupper() and isinstance(self._lines.command(text), Command)

    def _ask_about_forms(self) -> None:
        """Text and HTML of the letter say different things: what was shown may not be what would be done."""
        lines = [OwnLine(0, _in_one_row(line).text) for line in self._letter.differing]
        most = ReadingRoom().take(lines)
        if most < len(lines) or any(self._would_do(line.text) for line in lines[:most]):
            self._ask("forms-differ", lines)

    def _would_do(self, text: str) -> bool:
        """Would it be obeyed, alone in a letter?"""
        known = isinstance(self._lines.command(text), Command | Awaiting)
        return known or self._lines.is_order(text) or bool(self._lines.choices(text))

    def _ask_about_struck(self, struck: Sequence[OwnLine]) -> None:
        """What is struck out does not count, and its writer is told."""
        if lines := [*struck, *self._struck][:MOST_LINES]:
            self._ask("struck-out", lines)
        self._is_struck_in_part([line for line in self._frames if line.number in self._left])
        self._frames = [line for line in self._frames if line.number not in self._left]

    def _is_struck_in_part(self, lines: Sequence[OwnLine]) -> bool:
        """Then nobody can tell what of it is meant: it is asked about."""
        doubtful = any(line.number in self._left for line in lines)
        if doubtful:
            self._ask("struck-in-part", lines)
        return doubtful

    def _says_something(self) -> bool:
        return bool(self._sheet or self._standing or self._commands or self._choosing.replies)

    # ------------------------------------------------------------ the whole

    def _finish(self, header: Header | None) -> Understood:
        sheet, standing = self._sheets()
        replies, roles = self._choosing.replies, {given.role for given in self._commands}
        self._refused += self._choosing.refused
        self._questions += self._choosing.questions
        withdraws = any(question.code == "empty-block" for question in self._questions)
        bound = sheet.lines or replies or withdraws or "ready" in roles
        trouble = wrong_turn("" if header is None else header.turn, self._circumstances) if bound else None
        if trouble is not None and self._circumstances.notation is not None and not self._is_lost(sheet):
            self._questions.append(trouble)
        if (sheet.lines or replies) and "confirm" in roles:
            self._ask("confirm-and-orders")
        done = Understood(
            commands=each_once(self._commands),
            sheet=sheet,
            standing=standing,
            replies=tuple(replies),
            chat=tuple(sorted(self._chat)),
            refused=tuple(self._refused),
            questions=tuple(self._questions),
            frames=tuple(sorted(self._frames)),
            source=self._source,
            edits=self._edits,
        )
        return done if done != Understood() else Understood(questions=(Question("nothing-said"),))

    def _is_lost(self, sheet: Sheet) -> bool:
        """No line of it has a place in the open turn: its writer need not be asked for which turn it is."""
        view, orders = self._circumstances.view, sheet.reading.orders
        if not self._circumstances.open:
            return False
        all_lost = bool(orders) and all(line.out_of_turn(view) is not None for line in orders)
        return all_lost and not sheet.reading.refusals and not self._circumstances.awaited

    def _sheets(self) -> tuple[Sheet, Sheet]:
        """Both sheets, numbered in the order of the letter and read by the game."""
        kinds = {unit.lines: "sheet" for unit in self._sheet} | {u.lines: "standing" for u in self._standing}
        units = sorted([*self._sheet, *self._standing], key=lambda unit: unit.lines[0].number)
        lines = [
            UnderstoodLine(n, without_ornaments(unit.text), unit.lines) for n, unit in enumerate(units, 1)
        ]
        if lines and self._circumstances.notation is None:
            for line in lines:
                self._refuse(line, "mail-no-seat")
            return Sheet(), Sheet()
        notation = self._circumstances.notation
        sheet = self._sheet_of([line for line in lines if kinds[line.lines] == "sheet"], lambda read: read)
        of_block = [line for line in lines if kinds[line.lines] == "standing"]
        standing = Sheet() if notation is None else self._sheet_of(of_block, notation.make_standing)
        return sheet, self._only_standing(standing)

    def _sheet_of(self, lines: Sequence[UnderstoodLine], sort: Callable[[Reading], Reading]) -> Sheet:
        notation = self._circumstances.notation
        if not lines or notation is None:
            return Sheet()
        sheet = Sheet(tuple(lines))
        sheet = replace(sheet, reading=sort(notation.read(sheet.text, self._circumstances.view)))
        numbered = {line.number: line.lines for line in lines}
        self._refused += [
            Refused(refusal, numbered.get(refusal.line, ()), True) for refusal in sheet.reading.refusals
        ]
        return sheet

    def _only_standing(self, sheet: Sheet) -> Sheet:
        """STANDING … END takes no orders of a turn."""
        reading = sheet.reading
        texts = {line.number: line for line in sheet.lines}
        for number in sorted({number for line in reading.orders for number in line.numbers}):
            self._refuse(texts[number], "mail-not-standing")
        return replace(sheet, reading=Reading((), reading.standing, reading.refusals))

    def _refuse(self, line: UnderstoodLine, reason: str) -> None:
        refusal = replace(refuse_illegal(reason), line=line.number, text=line.text)
        self._refused.append(Refused(refusal, line.lines, True))


def _in_one_row(line: TextLine) -> TextLine:
    """A line is one row, whatever signs for a line's end it has inside."""
    return line if len(line.text.splitlines()) < 2 else line._replace(text=" ".join(line.text.splitlines()))
