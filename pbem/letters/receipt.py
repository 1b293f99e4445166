"""Receipts: what a letter was understood as, line by line, and what is on file now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from engine.kernel.errors import Refusal
from engine.kernel.fairness.audit import SentMark
from engine.kernel.game import Game, Line
from engine.kernel.rehearsal import BoardAfter, Verdict
from engine.kernel.requests import Seat
from engine.kernel.sheet import replaced_lines
from pbem.letters.dates import Moment
from pbem.letters.maps import has_map, map_png, map_text
from pbem.letters.memo import (
    Callout,
    Footnote,
    Heading,
    Illustration,
    Listing,
    Memo,
    Note,
    Orders,
    Part,
    Passage,
    ReadLines,
    note_text,
    plain_note,
)
from pbem.letters.order_form import fit_lines
from pbem.letters.phrases import Phrases
from pbem.letters.render import ReadLine, account, hang, sanitize
from pbem.mail.compose import Picture
from pbem.orders.text import is_remark, key
from pbem.orders.understood import Edit, Question, Sheet, Understood, UnderstoodLine

# filed: on file now. held: a bad line holds the sheet; its good lines count on CONFIRM and, unless whole
# sheets are agreed on, at the deadline. stale: a letter written later is on file. closed: the window had
# closed. rehearsed: CHECK. asks: nothing runs before an answer. answered: there were commands only.
# withdrawn: CANCEL took the orders from the file. out-of-turn: others are asked now, and its lines have no
# place in their turn.
MOST_ASKED = 20  # questions of one letter; whoever gets more would not read them
MOST_SHOWN = 40  # lines that one question is about
SIGNATURE_SHOWN = 16  # characters of a mark's signature on the page; the text has it whole
MOST_VERBS, LONGEST_VERB = 3, 20  # of a letter of commands, in the subject of its answer

ReceiptOutcome: TypeAlias = Literal[
    "filed", "held", "stale", "closed", "rehearsed", "asks", "answered", "withdrawn", "out-of-turn"
]
WEIGHT = ("accepted", "idle", "untested", "refused")  # of several orders in one line the worst is told
REHEARSED = ("filed", "held", "rehearsed")  # then the receipt tells what comes of the lines


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSummary:
    """What counts for the seat as things stand, whatever this letter did."""

    orders: tuple[Line, ...] = ()  # of the sheet on file; `number` as CANCEL names them
    standing: tuple[Line, ...] = ()
    replies: tuple[tuple[int, str], ...] = ()  # number of the question, the answer in notation
    held: bool = False  # the sheet is held: those lines count at the deadline, or on CONFIRM
    waits: bool = False  # held lines count on CONFIRM only: a sheet counts whole or not at all
    holds_standing: bool = False  # among the standing orders are good lines of a letter that is held
    stance: Literal["", "ready", "wait"] = ""
    filed_by: Moment | None = None  # when the letter arrived that the sheet is from
    ahead: tuple[Line, ...] = ()  # of earlier orders: they have not had their turn
    sealed: bool = False  # nothing can replace them anymore


@dataclass(frozen=True, slots=True)
class Mark:
    """What a letter adds to the dice: the parts of its mark, as they were received, and its place."""

    seat: str
    before: int  # the last Close; it goes into the one that follows
    place: int  # among the seat's letters since then
    sent: SentMark
    answers: str = ""  # the digest of what is on file after it; "": that is not settled

    def written(self) -> tuple[str, ...]:
        """For the checker: the same in every language."""
        told = (f"mark {self.seat} {self.before}.{self.place}", self.sent.mark.hex())
        return (*told, f"answers {self.answers}") if self.answers else told

    def told(self, arrived: Moment | None) -> Footnote:
        """Small print, with the lines for the checker. The page has less of the signature."""
        whole = {"arrived": arrived, "mark": self.sent, "signature": self.sent.signature}
        start = self.sent.signature[:SIGNATURE_SHOWN]
        brief = {**whole, "signature": f"{start}…" if start != self.sent.signature else start}
        return Footnote(Note("receipt-mark", whole), Note("receipt-mark", brief), self.written())


def tell_marks(marks: Sequence[Mark], arrived: Moment | None = None) -> list[Part]:
    """In the letter's answer."""
    return [mark.told(arrived) for mark in marks]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptFacts:
    """All that goes into a receipt. Everything in it is the seat's own or public."""

    campaign: str
    seat: Seat
    understood: Understood
    outcome: ReceiptOutcome
    verdicts: tuple[Verdict, ...] = ()  # of the rehearsal, for the lines of the sheet
    window: str = ""  # label of the open window: "T3.R"; "": none, or one of a single question
    on_file: FileSummary = field(default_factory=FileSummary)
    deadline: Moment | None = None  # in the reader's zone
    awaits: bool = False  # the open window waits for more from the seat
    waits_for: tuple[str, ...] = ()  # the seats that are asked now; empty: the reader's is one of them
    arrived: Moment | None = None  # when the mail server took the letter
    answers: tuple[Part, ...] = ()  # what the letter's commands are answered
    warnings: tuple[Part, ...] = ()  # said first: a copy went to another seat's address
    marks: tuple[Mark, ...] = ()  # of the letter, and of one that it confirmed; (): it is in no entry
    board: tuple[Part, ...] = ()  # as the good lines would leave it, where the game shows it
    kept_standing: bool = False  # standing orders of the sheet that this one replaced stay on file
    result_follows: bool = False  # this was the last answer awaited: the next letter tells what happened


def _verbs(understood: Understood) -> tuple[str, ...]:
    """The words with which the letter's commands begin, as they were written."""
    lines = (given.lines[0].text for given in understood.commands if given.lines)
    words = (next((word for word in line.split() if word.isalpha()), "").upper() for line in lines)
    return tuple(dict.fromkeys(word for word in words if 1 < len(word) < LONGEST_VERB))[:MOST_VERBS]


def receipt_memo(facts: ReceiptFacts, phrases: Phrases) -> Memo:
    """The receipt in its reader's words: everything at once, and what is on file now."""
    good, bad = _count_lines(facts)
    counts = {
        "campaign": facts.campaign,
        "reader": facts.seat,
        "window": facts.window,
        "until": facts.deadline,
        "bad": bad,
        "orders": _has_orders(facts.understood.sheet),
        "replies": bool(facts.understood.replies),
        "questions": len(facts.understood.questions),
        "unfinished": _is_unfinished(facts),
        "asked": _verbs(facts.understood),
    }
    parts: list[Part] = list(facts.warnings)
    if facts.outcome == "asks":
        parts += _asked_back(facts, phrases)
    parts += _how_to_go_on(facts, good)
    parts += _as_read(facts, phrases)
    parts += _mending(facts, phrases)
    parts += _not_done(facts, phrases)
    if facts.answers:
        parts += [] if facts.outcome == "answered" else [Heading(Note("receipt-answers"))]
        parts += facts.answers
    if facts.outcome != "asks":
        parts += _asked_back(facts, phrases)
    parts += _on_file(facts, phrases)
    parts += _until(facts, bad)
    if facts.board and facts.outcome in REHEARSED:
        parts += [Heading(Note("receipt-board", {"good": bool(bad)})), *facts.board]
    parts += _for_the_dice(facts)
    subject = Note(f"receipt-subject-{facts.outcome}", counts)
    return Memo(subject, Note(f"receipt-{facts.outcome}", counts), tuple(parts), facts.campaign)


def _has_orders(sheet: Sheet) -> bool:
    """Lines of a sheet that are standing orders, all of them, are no orders of a window."""
    return bool(sheet.lines) and (bool(sheet.reading.orders) or not sheet.reading.standing)


def _count_lines(facts: ReceiptFacts) -> tuple[int, int]:
    """How many lines are good, and how many hold the sheet."""
    understood = facts.understood
    refused = {n for verdict in facts.verdicts if verdict.status == "refused" for n in verdict.line.numbers}
    holding = [misread.refusal.line for misread in understood.refused if misread.holds]
    refused |= {number for number in holding if number}
    lines = (*understood.sheet.lines, *understood.standing.lines)
    good = {line.number for line in lines} - refused
    return len(good) + len(understood.replies), len(refused) + holding.count(0)


def _how_to_go_on(facts: ReceiptFacts, good: int) -> list[Part]:
    if facts.outcome == "rehearsed":
        return [Note("receipt-rehearsed-how")]
    if facts.outcome != "held":
        return []
    code = "none" if not good else "whole" if facts.on_file.waits else "good"
    return [Note(f"receipt-held-{code}", {"good": good})]


# ------------------------------------------------------------------ line by line


def _as_read(facts: ReceiptFacts, phrases: Phrases) -> list[Part]:
    """Both sheets in canonical notation, each line with its number and what is to be said of it."""
    parts: list[Part] = []
    rows = _rows(facts.understood.sheet, facts, phrases)
    if rows:
        parts += [Heading(Note("receipt-read"))]
        parts += [Note("receipt-form")] if facts.understood.edits else []
        parts += [ReadLines(rows), *_other_edits(facts.understood)]
        parts += [Note("receipt-untested")] if any(row.status == "untested" for row in rows) else []
    standing = _rows(facts.understood.standing, facts, phrases)
    if standing:
        parts += [Heading(Note("receipt-read-standing")), ReadLines(standing)]
    return parts


def _rows(sheet: Sheet, facts: ReceiptFacts, phrases: Phrases) -> tuple[ReadLine, ...]:
    refusals = [misread.refusal for misread in facts.understood.refused]
    refused = {refusal.line: refusal for refusal in refusals if refusal.line}
    worst = sorted(facts.verdicts, key=lambda verdict: WEIGHT.index(verdict.status))  # of several orders
    verdicts = {number: verdict for verdict in worst for number in verdict.line.numbers}
    rows = []
    for line in sheet.lines:
        written = [good.write(phrases.language) for good in sheet.good if line.number in good.numbers]
        text = " · ".join(dict.fromkeys(written)) or line.text.strip()
        if line.number in refused:
            row = _refuse(line.number, text, refused[line.number], phrases)
        elif (verdict := verdicts.get(line.number)) is not None:
            row = _judge(verdict, line.number, text, phrases)
        elif written:
            row = ReadLine(line.number, text, "understood", _replaced(line.number, facts, phrases))
        else:
            continue
        edits = tuple(note_text(note, phrases) for note in _edits(line, facts.understood))
        rows.append(replace(row, remarks=row.remarks + edits))
    return tuple(rows)


def _replaced(number: int, facts: ReceiptFacts, phrases: Phrases) -> tuple[str, ...]:
    """Of two standing lines for one question the later counts, and those of the sheet before the block's."""
    standing, sheet = facts.understood.standing.reading.standing, facts.understood.sheet.reading.standing
    replaced = replaced_lines(standing, sheet)
    by = sorted({winner.number for line, winner in replaced if line.number == number} - {number})
    return (note_text(Note("receipt-replaced", {"lines": tuple(by)}), phrases),) if by else ()


def _edits(line: UnderstoodLine, understood: Understood) -> list[Note]:
    """What its writer did to a line of our form."""
    return [_told(edit) for edit in understood.edits if edit.line in line.lines]


def _told(edit: Edit) -> Note:
    if edit.line is None:
        return Note("receipt-form-removed", {"sent": edit.sent})
    if is_remark(edit.line.text):
        return Note("receipt-form-remark", {"text": edit.line.text})
    if is_remark(edit.sent) and key(edit.sent) == key(edit.line.text):
        return Note("receipt-form-lit")
    return Note("receipt-form-changed", {"sent": edit.sent}) if edit.sent else Note("receipt-form-new")


def _other_edits(understood: Understood) -> list[Part]:
    """Lines that were taken out of our form, and remarks in it that were changed and remain remarks."""
    shown = {line for one in understood.sheet.lines for line in one.lines}
    other = [edit for edit in understood.edits if edit.line not in shown]
    removed = [edit for edit in other if edit.line is None and not is_remark(edit.sent)]
    remarks = [edit for edit in other if edit.line is not None and is_remark(edit.line.text)]
    return [Listing(tuple(map(_told, (*removed, *remarks))))] if removed or remarks else []


def _judge(verdict: Verdict, number: int, text: str, phrases: Phrases) -> ReadLine:
    refusal = verdict.refusal
    if verdict.status == "refused" and refusal is not None:
        return _refuse(number, text, refusal, phrases)
    code = {"idle": "receipt-idle"}.get(verdict.status, "")
    if refusal is not None:
        code = "receipt-idle-refused" if code else "receipt-doubt"
    if not code:
        return ReadLine(number, text, verdict.status)
    reason = {} if refusal is None else {"reason": _reason(refusal, phrases)}
    return ReadLine(number, text, verdict.status, (note_text(Note(code, reason), phrases),))


def _refuse(number: int, text: str, refusal: Refusal, phrases: Phrases) -> ReadLine:
    return ReadLine(number, text, "refused", (_reason(refusal, phrases),))


def _reason(refusal: Refusal, phrases: Phrases) -> str:
    """Why, with rule and suggestion; the number stands beside it already."""
    return phrases.refusal(replace(refusal, line=0))


def _mending(facts: ReceiptFacts, phrases: Phrases) -> list[Part]:
    """A held sheet as a block that can be edited in the reply: good lines as read, bad ones as written."""
    sheet = facts.understood.sheet
    if facts.outcome != "held" or not facts.window or not sheet.lines:
        return []
    good: dict[int, list[str]] = {}
    for line in sheet.good:  # one line may hold several orders
        good.setdefault(line.number, []).append(line.write(phrases.language))
    told = {number for line in sheet.good for number in line.numbers[1:]}  # with another line
    rows = [line for line in sheet.lines if line.number not in told]
    lines = [text for line in rows for text in good.get(line.number, [line.text.strip()])]
    return [Note("receipt-mend"), Orders(facts.window, tuple(map(sanitize, fit_lines(lines))))]


def _not_done(facts: ReceiptFacts, phrases: Phrases) -> list[Part]:
    """Commands that are refused, and orders that stand where none are read."""
    notes = []
    for misread in facts.understood.refused:
        if not misread.refusal.line:
            text = " / ".join(line.text.strip() for line in misread.lines)
            reason = {"reason": _reason(misread.refusal, phrases), "text": text}
            notes.append(Note("receipt-refused-line" if text else "receipt-refused", reason))
    parts: list[Part] = []
    if notes:
        parts += [Heading(Note("receipt-commands-refused")), Listing(tuple(notes))]
    talk = [chat.line.text.strip() for chat in facts.understood.chat if chat.like_an_order]
    return [*parts, *(Note("receipt-talk-order", {"text": text}) for text in talk)]


# ------------------------------------------------------------------ what is asked back


def _asked_back(facts: ReceiptFacts, phrases: Phrases) -> list[Part]:
    questions = facts.understood.questions
    if not questions:
        return []
    parts: list[Part] = [Heading(Note("receipt-asked" if facts.outcome == "asks" else "receipt-also-asked"))]
    for question in questions[:MOST_ASKED]:
        parts += question_parts(question, phrases)
    more = len(questions) - MOST_ASKED
    return [*parts, Note("receipt-asked-more", {"more": more})] if more > 0 else parts


def question_parts(question: Question, phrases: Phrases) -> list[Part]:
    """One question with the lines it is about, why, and what CONFIRM would do."""
    parts: list[Part] = []
    if question.lines:
        shown = question.lines[:MOST_SHOWN]
        parts.append(Passage(tuple(f"{line.number or '':>4}  {line.text.strip()}" for line in shown)))
        more = len(question.lines) - len(shown)
        parts += [Note("receipt-lines-more", {"more": more})] if more else []
    if question.reason is not None:
        parts.append(plain_note(_reason(question.reason, phrases)))
    said = phrases.say("asked_back", question.code, {**question.facts, "confirmable": question.confirmable})
    form = question.facts.get("form", ())
    assert isinstance(form, tuple), "the rows of a form"
    return [*parts, plain_note(said), *((Passage(tuple(f"    {row}" for row in form)),) if form else ())]


# ------------------------------------------------------------------ what counts now


def _on_file(facts: ReceiptFacts, phrases: Phrases) -> list[Part]:
    if facts.outcome == "answered":
        return []
    now, window = facts.on_file, {"window": facts.window, "filed_by": facts.on_file.filed_by}
    parts: list[Part] = []
    if now.orders and not _is_all_told(facts):
        held = Note("receipt-file-waits" if now.waits else "receipt-file-held", window)
        parts.append(held if now.held else Note("receipt-file-orders", window))
        parts.append(_list_lines(now.orders, phrases))
    several = len(now.replies) > 1 or any(number > 1 for number, _ in now.replies)
    replies = [
        Note("receipt-file-reply", {"number": n, "line": x, "several": several}) for n, x in now.replies
    ]
    parts += [Listing(tuple(replies))] if replies else []
    if now.ahead:
        ahead = {"number": len(now.ahead), "sealed": now.sealed}
        parts += [Note("file-ahead", ahead), _list_lines(now.ahead, phrases)]
    if not (now.orders or now.ahead or now.replies or facts.waits_for):
        parts.append(Note("receipt-file-none", window))
    said = facts.understood.standing.lines or facts.understood.sheet.reading.standing
    if now.standing and (said or now.holds_standing or facts.kept_standing):
        title = Note("receipt-file-standing", {"held": now.holds_standing, "follows": facts.result_follows})
        parts += [title, _list_lines(now.standing, phrases, numbered=False)]
    parts += [Note(f"receipt-file-{now.stance}")] if now.stance else []
    return [Heading(Note("receipt-on-file")), *parts] if parts else []


def _is_all_told(facts: ReceiptFacts) -> bool:
    """Is what counts now just what this letter said, and stands above?"""
    good = {line.write() for line in facts.understood.sheet.reading.orders}
    return facts.outcome == "filed" and {line.write() for line in facts.on_file.orders} == good


def _list_lines(lines: tuple[Line, ...], phrases: Phrases, *, numbered: bool = True) -> Passage:
    """Order lines as they stand, long ones wrapped with a hanging indent."""
    rows = []
    for line in sorted(lines, key=lambda line: line.number) if numbered else lines:
        rows += hang(line.write(phrases.language), f"{line.number:>4}  " if numbered else "  ").splitlines()
    return Passage(tuple(rows))


def _until(facts: ReceiptFacts, bad: int) -> list[Part]:
    """Deadline, and whether anything is left to do."""
    if facts.result_follows:
        return [Callout(Note("receipt-result-follows"), calm=True)]
    done = facts.outcome == "filed" and not bad and not facts.understood.questions and not facts.awaits
    now, until = facts.on_file, {"until": facts.deadline}
    parts: list[Part] = []
    if facts.waits_for and facts.outcome != "answered":
        others = {**until, "window": facts.window, "seats": facts.waits_for}
        parts.append(Callout(Note("receipt-others-turn", others), calm=True))
    if facts.deadline is None:
        pass
    elif _is_unfinished(facts):
        parts.append(
            Callout(Note("receipt-unfinished", {**until, "window": facts.window, "lines": bool(now.orders)}))
        )
    elif facts.awaits:
        parts.append(Callout(Note("receipt-deadline-awaited", until)))
    elif done or now.orders or now.replies or now.stance:
        alone = not parts  # others' turn is told above: then this is an aside
        told = Note("receipt-deadline", {**until, "done": done and alone, "lines": bool(now.orders)})
        parts.append(Callout(told, calm=done) if alone else told)
    return [*parts, Note("receipt-nothing-else")] if done and facts.deadline is None else parts


def _is_unfinished(facts: ReceiptFacts) -> bool:
    """Is a good sheet on file that does not make a turn?"""
    return facts.awaits and bool(facts.on_file.filed_by) and not facts.on_file.held


def _for_the_dice(facts: ReceiptFacts) -> list[Part]:
    """When it arrived, and what it adds to the dice: small print."""
    if not facts.marks and facts.arrived is not None:
        return [Footnote(Note("receipt-arrived", {"arrived": facts.arrived}))]
    return tell_marks(facts.marks, facts.arrived)


AFTER: Final = "after.png"  # beside a map that the same letter asked for


def board_after(game: Game, board: BoardAfter, phrases: Phrases, *, drawn: bool) -> tuple[Part, ...]:
    """The board after the good lines, from what the sender may see; `drawn`: with the map as a picture.

    Painting takes twenty times as long as all the rest of a receipt.
    """
    view = board.view
    sentences = account(board.facts, view.seat, phrases)
    happened = Listing(tuple(map(plain_note, sentences)))
    words = tuple(map_text(game, view, phrases).splitlines())
    if not drawn or not has_map(game):
        return happened, Passage(words)
    return happened, Illustration(Picture(AFTER, map_png(game, view, phrases, board.facts)), words)
