"""Memos: every letter that is no result letter. Receipts, questions, invitations, reminders, notices, press.

A memo is facts in the order in which they are told. Its words stand in the phrase files, its look in
`templates/letters/memo.*.j2`; text and HTML say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pbem.letters.phrases import Phrases
from pbem.letters.render import ReadLine, harmless, letter_html, letter_text
from pbem.letters.result import Written, statuses
from pbem.mail.compose import Picture


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence: a phrase of the section `notes`, and what it is filled with."""

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """Sentences below one another, each behind its mark."""

    notes: tuple[Note, ...]
    mark: str = " - "


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that stand as they are, in letters of one width: orders, a board, a hand, a quoted text.

    `prose`: somebody's words, whose lines may be broken where the letter ends.
    """

    lines: tuple[str, ...]
    title: Note | None = None
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """What follows is about this."""

    note: Note


@dataclass(frozen=True, slots=True)
class Orders:
    """A block of orders to be edited in the reply: `ORDERS FWW-1 T3.R … END`."""

    window: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Illustration:
    """A picture in the HTML, and the same in words."""

    picture: Picture
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Callout:
    """What must not be overlooked: a deadline, a warning."""

    note: Note


@dataclass(frozen=True, slots=True)
class ReadLines:
    """Lines of orders with their numbers, and what became of each."""

    rows: tuple[ReadLine, ...]


@dataclass(frozen=True, slots=True)
class MemoTable:
    """Rows of short texts below their headings; the last column may be long."""

    head: tuple[Note, ...]
    rows: tuple[tuple[str, ...], ...]


Part: TypeAlias = Note | Listing | Passage | Heading | Orders | Illustration | Callout | ReadLines | MemoTable


@dataclass(frozen=True, slots=True)
class Memo:
    """A letter but for its reader's address. `subject` and `headline` are notes as well."""

    subject: Note
    headline: Note
    parts: tuple[Part, ...] = ()
    campaign: str = ""  # "": about none
    farewell: bool = False  # the reader has nothing to answer


def memo_letter(memo: Memo, phrases: Phrases) -> Written:
    """The memo in its reader's words."""
    known: dict[int, str] = {}  # text and HTML say the same: each note is put into words once

    def words(note: Note) -> str:
        if id(note) not in known:
            known[id(note)] = told(note, phrases)
        return known[id(note)]

    content = {
        "memo": memo,
        "campaign": harmless(memo.campaign),
        "headline": told(memo.headline, phrases),
        "note": words,
        "heads": lambda table: list(map(words, table.head)),
        "statuses": statuses(phrases),
        "kind_of": lambda part: type(part).__name__,
    }
    text = letter_text("memo.txt.j2", content, phrases)
    html = letter_html("memo.html.j2", content, phrases)
    pictures = tuple(part.picture for part in memo.parts if isinstance(part, Illustration))
    return Written(told(memo.subject, phrases), text, html, pictures)


def told(note: Note, phrases: Phrases) -> str:
    """The note as a sentence."""
    return harmless(phrases.told("notes", note.code, note.facts))
