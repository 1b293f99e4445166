"""Receipts: what a letter was understood as, line by line, and what is on file now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine.kernel.game import Line
from engine.kernel.rehearsal import Verdict
from engine.kernel.requests import Seat
from pbem.orders.understood import Understood
from pbem.report.memo import Memo, Part
from pbem.report.moments import Moment
from pbem.report.phrases import Phrases

# filed: on file now. held: a bad line holds the sheet; its good lines count on CONFIRM and, unless whole
# sheets are agreed on, at the deadline. stale: a letter written later is on file. closed: the window had
# closed. rehearsed: CHECK. asks: nothing runs before an answer. answered: there were commands only.
# withdrawn: CANCEL took the orders from the file.
Outcome: TypeAlias = Literal[
    "filed", "held", "stale", "closed", "rehearsed", "asks", "answered", "withdrawn"
]


@dataclass(frozen=True, slots=True)
class FileNow:
    """What counts for the seat as things stand, whatever this letter did."""

    orders: tuple[Line, ...] = ()  # of the sheet on file; `number` as CANCEL names them
    standing: tuple[Line, ...] = ()
    replies: tuple[tuple[int, str], ...] = ()  # number of the question, the answer in notation
    held: bool = False  # the sheet is held: those lines count at the deadline, or on CONFIRM
    stance: Literal["", "ready", "wait"] = ""
    filed_by: Moment | None = None  # when the letter arrived that the sheet is from


@dataclass(frozen=True, slots=True)
class Mark:
    """What the letter adds to the dice: the parts of its mark, as they were received."""

    message_id: str
    signature: str = ""  # b= of the aligned DKIM signature
    salt: str = ""


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """All that goes into a receipt. Everything in it is the seat's own or public."""

    campaign: str
    seat: Seat
    understood: Understood
    outcome: Outcome
    verdicts: tuple[Verdict, ...] = ()  # of the rehearsal, for the lines of the sheet
    window: str = ""  # label of the open window: "T3.R"; "": none, or one of a single question
    on_file: FileNow = field(default_factory=FileNow)
    deadline: Moment | None = None  # in the reader's zone
    arrived: Moment | None = None  # when the mail server took the letter
    whole_sheets: bool = False  # a held sheet counts whole or not at all
    answers: tuple[Part, ...] = ()  # what the letter's commands are answered
    warnings: tuple[Part, ...] = ()  # said first: a copy went to another seat's address
    mark: Mark | None = None  # None: the letter is in no entry
    result_follows: bool = False  # this was the last answer awaited: the next letter tells what happened


def receipt_memo(facts: ReceiptFacts, phrases: Phrases) -> Memo:
    """The receipt in its reader's words."""
    raise NotImplementedError
