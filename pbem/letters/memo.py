"""Memos: every letter but results and final reports: receipts, invitations, reminders, notices, press.

A memo is facts in the order in which they are told. Its words are in the phrase files, its look in
`templates/letters/memo.*.j2`; text and HTML say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any, Literal, TypeAlias

from markupsafe import Markup

from pbem.letters.phrases import Phrases
from pbem.letters.render import LetterBody, ReadLine, letter_body, sanitize, statuses
from pbem.mail.compose import Picture

NO_TABLES = Markup()


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
    """Preformatted lines: orders, a board, a hand, a quoted text.

    `prose`: somebody's words, whose lines may be wrapped.
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
    """A picture in the HTML, and the same in words. `tables`: below the picture, the words as tables."""

    picture: Picture
    words: tuple[str, ...]
    tables: Markup = NO_TABLES


@dataclass(frozen=True, slots=True)
class Board:
    """What somebody sees or holds: lines in the text, tables in the HTML."""

    lines: tuple[str, ...]
    tables: Markup
    title: Note


@dataclass(frozen=True, slots=True)
class Footnote:
    """Small print. `brief`: what the page says instead, where the whole is long.

    `lines`: what a program reads in the text, as it stands.
    """

    note: Note
    brief: Note | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Callout:
    """What must not be overlooked: a deadline, a warning. `calm`: it asks nothing of the reader."""

    note: Note
    calm: bool = False


@dataclass(frozen=True, slots=True)
class ReadLines:
    """Lines of orders with their numbers, and what became of each."""

    rows: tuple[ReadLine, ...]


@dataclass(frozen=True, slots=True)
class MemoTable:
    """Rows of short texts below their headings; the last column may be long."""

    head: tuple[Note, ...]
    rows: tuple[tuple[str, ...], ...]


Part: TypeAlias = (
    Note
    | Listing
    | Passage
    | Heading
    | Orders
    | Illustration
    | Board
    | Callout
    | ReadLines
    | MemoTable
    | Footnote
)


DeadlineState: TypeAlias = Literal["open", "held", "over"]


@dataclass(frozen=True, slots=True)
class TellsDeadline:
    """A memo bears on the deadline of the open window: it goes along for the calendar."""

    at: datetime | None = None  # the new one; None: as it stands
    state: DeadlineState = "open"
    seat: str = ""  # that the recipient has lost; "": their own


@dataclass(frozen=True, slots=True)
class Memo:
    """A letter except for its recipient. `subject` and `headline` are notes as well."""

    subject: Note
    headline: Note
    parts: tuple[Part, ...] = ()
    campaign: str = ""  # "": about none
    farewell: bool = False  # the reader has nothing to answer
    deadline: TellsDeadline | None = None


def memo_about(code: str, facts: Mapping[str, Any], *parts: Part, headline: str = "-headline") -> Memo:
    """A memo whose subject and headline are told by the notes `<code>-subject` and `<code><headline>`."""
    campaign = facts.get("campaign", "")
    return Memo(Note(f"{code}-subject", facts), Note(f"{code}{headline}", facts), parts, campaign)


def coded_memo(code: str, campaign: str, *parts: Part, **facts: Any) -> Memo:
    """A memo whose subject and headline are told by the notes `<code>-subject` and `<code>`."""
    return memo_about(code, {**facts, "campaign": campaign}, *parts, headline="")


def memo_letter(memo: Memo, phrases: Phrases, title: str = "") -> LetterBody:
    """The memo in its reader's words. `title`: of the campaign, as it is called beside its name."""
    memo = replace(memo, parts=tuple(_with_own_names(memo.parts)))
    known: dict[int, str] = {}  # text and HTML say the same: each note is put into words once

    def words(note: Note) -> str:
        if id(note) not in known:
            known[id(note)] = note_text(note, phrases)
        return known[id(note)]

    content = {
        "memo": memo,
        "campaign": sanitize(memo.campaign),
        "title": sanitize(title),
        "headline": note_text(memo.headline, phrases),
        "note": words,
        "heads": lambda table: list(map(words, table.head)),
        "statuses": statuses(phrases),
        "kind_of": lambda part: type(part).__name__,
    }
    pictures = dict.fromkeys(part.picture for part in memo.parts if isinstance(part, Illustration))
    return letter_body("memo", note_text(memo.subject, phrases), content, phrases, pictures)


def _with_own_names(parts: Iterable[Part]) -> Iterator[Part]:
    """Two pictures of one name, as of two commands of one letter, get names of their own."""
    named: dict[str, Picture] = {}
    for part in parts:
        yield _named_apart(part, named) if isinstance(part, Illustration) else part


def _named_apart(part: Illustration, named: dict[str, Picture]) -> Illustration:
    picture, name = part.picture, part.picture.name
    stem, dot, ending = name.rpartition(".")
    for number in count(2):
        if named.setdefault(name, replace(picture, name=name)).png == picture.png:
            break
        name = f"{stem}-{number}{dot}{ending}"
    return replace(part, picture=named[name])


def note_text(note: Note, phrases: Phrases) -> str:
    """The note as a sentence."""
    return sanitize(phrases.say("notes", note.code, note.facts))


def quote(text: str) -> Passage:
    """Somebody's words, their own lines kept, longer ones broken at the width of a letter."""
    return Passage(tuple(text.strip("\r\n").splitlines()), prose=True)


def plain_note(text: str) -> Note:
    """A sentence that is already in words."""
    return Note("plain", {"text": text})
