"""Our order form as it came back, compared line by line with the forms that we sent.

A mail program may have quoted it, drawn it as HTML, wrapped its lines or joined them. What it did to lines
that are otherwise ours is undone; what is left is the player's doing. Where nobody can tell, it is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice

from pbem.orders.own_text import FormBlock, begins_block, is_end, without_noise
from pbem.orders.text import LONG, first_words, plain
from pbem.orders.understood import Circumstances, Edit, OwnLine, Question, SentForm

MOST_BLOCKS = 40  # of one letter
MOST_ROWS = 150  # of a form that are compared: the longest of ours has 60
MOST_PIECES = 6  # that a program makes of one line
NARROWEST = 30  # signs: no mail program cuts lines that are shorter

_REMARK = "#"
_BARS = " \t>|"  # before a line, as programs quote
_EDGES = _BARS + "*_"  # around it, as they stress
_LOST = re.compile("[?\ufffd]+")  # signs, one by one or byte by byte
_AROUND_SIGNS = re.compile(r" (?:(?=[^\w\s])|(?<=[^\w\s] ))")  # blanks
_SMALL_CHARSETS = ("ascii", "latin-1", "cp1252")  # signs that they do not have come back as question marks
_STRUCK = "\0"  # unlike every line that we sent


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedForm:
    """A form that is not as it was sent. Its lines are whole, whatever a program did to them."""

    lines: tuple[OwnLine, ...]  # from its header to the last before END
    quoted: bool
    closed: bool  # has it an END?
    sent: SentForm | None = None  # the form that was edited; None: none of ours that we know
    edits: tuple[Edit, ...] = ()
    doubtful: tuple[OwnLine, ...] = ()  # what a mail program may have done to them reads otherwise

    @property
    def is_trimmed(self) -> bool:
        """Were lines taken out of it, and nothing else?"""
        return self.sent is not None and all(edit.line is None for edit in self.edits)

    @property
    def is_older(self) -> bool:
        """Is it not the newest form of the open window?"""
        return self.sent is not None and self.sent.age != "newest"

    @property
    def shown(self) -> tuple[OwnLine, ...]:
        """Without our own remarks."""
        edited = {edit.line for edit in self.edits}
        return tuple(line for line in self.lines if line in edited or not _is_remark(line.text))

    def questions(self, circumstances: Circumstances) -> Iterator[Question]:
        """What has to be asked before it is a sheet."""
        if self.sent is None:
            yield Question("template-unknown")
        elif self.is_older and circumstances.open:
            newest = next((one for one in circumstances.forms if one.age == "newest"), SentForm(()))
            turn = circumstances.open.partition("/")[0]
            yield Question("template-older", self.shown, {"open": turn, "form": _orders_of(newest)})
        elif self.doubtful:
            yield Question("template-wrapped", self.doubtful, {"form": _orders_of(self.sent)})


def which_counts(forms: Sequence[ReturnedForm], orders: Sequence[OwnLine]) -> Question | None:
    """What is asked where there are several forms, or other orders as well (`orders`).

    Beside other orders a quoted form of an earlier turn is history.
    """
    if orders:
        forms = [one for one in forms if not (one.quoted and one.sent is not None and one.sent.age == "past")]
    shown = [line for form in forms for line in form.shown]
    if orders and forms:
        return Question("template-and-orders", tuple(one for one in (*orders, *shown) if one.text.strip()))
    return Question("several-forms", tuple(shown), {"forms": len(forms)}) if len(forms) > 1 else None


def form_rows(text: str) -> tuple[str, ...]:
    """The first form in a letter of ours, from its header to its END."""
    rows = text.splitlines()
    first = next((at for at, row in enumerate(rows) if begins_block(row)), len(rows))
    last = next((at for at in range(first, len(rows)) if is_end(rows[at])), len(rows))
    return tuple(rows[first : last + 1])


def edited_forms(
    blocks: Sequence[FormBlock], answered: Sequence[str], forms: Sequence[SentForm]
) -> list[ReturnedForm]:
    """The forms that are not as we sent them, each once. A past one that we do not know is history.

    `answered`: the form of the letter answered. The others are looked at only if it is not just that.
    """
    found: dict[tuple[str, ...], ReturnedForm] = {}
    for block in blocks[:MOST_BLOCKS]:
        if answered and _is_unchanged(block, _sent_rows(tuple(answered))):
            continue
        if any(_is_unchanged(block, _sent_rows(one.rows)) for one in forms):
            continue
        form = _compare(block, _origin(block, answered, forms))
        if form.sent is not None or not block.past:
            found.setdefault(tuple(_spell(line.text) for line in form.lines[:MOST_ROWS]), form)
    return list(found.values())


def says_what_was_sent(lines: Sequence[OwnLine], forms: Sequence[SentForm]) -> bool:
    """Are these lines, header and END included, one of our forms with no order changed? Remarks are none."""
    block = FormBlock(tuple(line for line in sorted(lines) if line.text.strip()))
    return bool(block.lines) and any(_says_the_same(block, _sent_rows(one.rows)) for one in forms)


def _says_the_same(block: FormBlock, sent: _SentRows) -> bool:
    came = _spell_all(block, _restore(block, sent)[:MOST_ROWS])
    orders = [row for row in sent.spelled if not row.startswith(_REMARK)]
    return [row for row in came if not row.startswith(_REMARK)] == orders


def _origin(block: FormBlock, answered: Sequence[str], forms: Sequence[SentForm]) -> SentForm | None:
    """The form that came back: by its header, then by its lines, then the one answered, then the newest."""
    came = Counter(_spell(line.text) for line in block.lines[:MOST_ROWS])
    header = _spell(block.lines[0].text)

    def likeness(form: SentForm) -> tuple[bool, int, bool]:
        known = _sent_rows(form.rows).spelled
        return known[0] == header, (came & Counter(known)).total(), form.rows == tuple(answered)

    best = max((one for one in forms if one.rows), key=likeness, default=None)  # the first of equals
    least = (True, 0, False) if block.past else (False, 1, False)
    return best if best is not None and likeness(best) >= least else None


# ------------------------------------------------------------------ how rows are compared


def _is_remark(text: str) -> bool:
    return _spell(text).startswith(_REMARK)


def _orders_of(form: SentForm) -> tuple[str, ...]:
    """Its lines without remarks, and without the frame that would make them a form in our question, too."""
    return tuple(row for row in form.rows[1:] if not _is_remark(row) and not is_end(row))


def _spell(text: str) -> str:
    """A row as it is compared: its words and signs, without marks and blanks that programs add."""
    return _spell_short(text) if len(text) <= 2 * LONG else _spell_anew(text)


def _spell_anew(text: str) -> str:
    bare = _LOST.sub("?", plain(without_noise(text))).lstrip(_EDGES).rstrip(_EDGES.replace(">", ""))
    sign = _REMARK if bare.startswith(_REMARK) else ""
    return sign + _AROUND_SIGNS.sub("", " ".join(bare.lstrip("# ").split()))


_spell_short = lru_cache(maxsize=512)(_spell_anew)


def _squeeze(text: str) -> str:
    """The same without blanks: a program may cut a line anywhere."""
    return _spell(text).replace(" ", "")


@dataclass(frozen=True, slots=True)
class _SentRows:
    """A form of ours: its rows, those that go on below made one; without END."""

    texts: tuple[str, ...]
    spelled: tuple[str, ...]
    squeezed: tuple[str, ...]
    known: dict[str, str]  # spelled and squeezed -> the row, as it is or with its sign for a remark removed


@lru_cache(maxsize=32)
def _sent_rows(rows: tuple[str, ...]) -> _SentRows:
    texts: list[str] = []
    for row in rows[:-1] if rows and is_end(rows[-1]) else rows:
        if row.startswith("  ") and texts:
            texts[-1] += f" {row.strip()}"
        elif row.strip():
            texts.append(row)
    known: dict[str, str] = {}
    for text in texts:
        for way in (text, *(text.encode(one, "replace").decode(one) for one in _SMALL_CHARSETS)):
            for spelled in (_spell(way), _squeeze(way)):
                known.setdefault(spelled, text)
                if spelled.startswith(_REMARK):
                    known.setdefault(spelled[1:], text.lstrip("# "))
    spelled_rows = tuple(map(_spell, texts))
    return _SentRows(tuple(texts), spelled_rows, tuple(one.replace(" ", "") for one in spelled_rows), known)


# ------------------------------------------------------------------ what a mail program did, undone


def _restore(block: FormBlock, sent: _SentRows) -> list[OwnLine]:
    """The rows of a block: those of ours that were cut made whole, those that were joined parted."""
    rows = [line for line in block.lines if line.text.strip() and not is_end(line.text)]
    found: list[OwnLine] = []
    at = 0
    while at < len(rows):
        count, texts = 1, tuple[str, ...]()
        if at < MOST_ROWS and rows[at].number not in block.struck_in_part:
            count, texts = _ours(rows[at : at + MOST_PIECES], sent)
        if not texts:
            texts = (without_noise(rows[at].text).lstrip(_BARS).rstrip(),)
        found += [OwnLine(rows[at].number, text) for text in texts]
        at += count
    return found


def _ours(rows: Sequence[OwnLine], sent: _SentRows) -> tuple[int, tuple[str, ...]]:
    """The row of ours that a program may have cut into the first of these, or the rows it joined into one.

    How many of these, and what we sent; nothing: the first is none of ours.
    """
    joined = ""
    for count, row in enumerate(rows, 1):
        joined += _squeeze(row.text)
        text = sent.known.get(_spell(row.text) if count == 1 else joined)
        if text is not None:
            return count, (text,)
        if not any(one.startswith(joined) for one in sent.known):
            break
    return 1, _parts(rows[0].text, sent) or _begun_remark(rows[0].text, sent)


def _parts(text: str, sent: _SentRows) -> tuple[str, ...]:
    """The rows of ours that a program joined into this one."""
    came = _squeeze(text)
    for first in range(len(sent.squeezed)):
        rest, last = came, first
        while last < len(sent.squeezed) and rest and rest.startswith(sent.squeezed[last]):
            rest, last = rest.removeprefix(sent.squeezed[last]), last + 1
        if last > first and not rest:
            return sent.texts[first:last]
    return ()


def _begun_remark(text: str, sent: _SentRows) -> tuple[str, ...]:
    """A remark of ours that a program cut short: it says as little as the whole."""
    came = _squeeze(text)
    if not came.startswith(_REMARK) or len(text) < NARROWEST:
        return ()
    whole = (row for row, one in zip(sent.texts, sent.squeezed, strict=True) if one.startswith(came))
    return tuple(islice(whole, 1))


# ------------------------------------------------------------------ what the player did


def _spell_all(block: FormBlock, rows: Sequence[OwnLine]) -> list[str]:
    struck = block.struck_in_part
    return [_spell(row.text) + (_STRUCK if row.number in struck else "") for row in rows]


def _is_unchanged(block: FormBlock, sent: _SentRows) -> bool:
    """Are its lines ours? Of a form without END the last may be missing: a program clipped the letter."""
    came = tuple(_spell_all(block, _restore(block, sent)[:MOST_ROWS]))
    closed = is_end(block.lines[-1].text)
    return came == (sent.spelled if closed else sent.spelled[: len(came)])


def _compare(block: FormBlock, sent: SentForm | None) -> ReturnedForm:
    closed = is_end(block.lines[-1].text)
    form = ReturnedForm(
        lines=block.lines[:-1] if closed else block.lines, quoted=block.quoted, closed=closed, sent=sent
    )
    if sent is None:
        return form
    known = _sent_rows(sent.rows)
    rows = _restore(block, known)
    edits: list[Edit] = []
    doubtful: list[OwnLine] = []
    matcher = SequenceMatcher(None, known.spelled, _spell_all(block, rows[:MOST_ROWS]), autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind != "equal":
            missing, new = known.texts[first:last], rows[begin:end]
            edits += _pair(missing, new)
            doubtful += _doubts(missing, new)
            if not closed and last == len(known.texts) and len(missing) > len(new):
                doubtful += rows[-1:]  # clipped, or shortened on purpose
    edits += [Edit(row, "") for row in rows[MOST_ROWS:]]
    return replace(form, lines=tuple(rows), edits=tuple(edits), doubtful=tuple(dict.fromkeys(doubtful)))


def _pair(missing: Sequence[str], new: Sequence[OwnLine]) -> list[Edit]:
    """What became of which row: first those that lost their sign for a remark, then by their first words."""
    left, edits = list(missing), list[Edit]()
    for row in new:
        spelled = _spell(row.text)
        same = [one for one in left if _spell(one).lstrip(_REMARK) == spelled.lstrip(_REMARK)]
        like = [one for one in left if _first(one) == _first(row.text) and not _is_remark(one)]
        alone = left if len(missing) == len(new) == 1 else []
        was = next(iter((*same, *like, *alone)), "")
        if was:
            left.remove(was)
        edits.append(Edit(row, was))
    return [*edits, *(Edit(None, one) for one in left)]


def _first(text: str) -> str:
    return next((word.key for word in first_words(text, 1)), "")


def _doubts(missing: Sequence[str], new: Sequence[OwnLine]) -> Iterable[OwnLine]:
    """New rows that may be ours, cut short or joined to another by a mail program."""
    rows = [_squeeze(one) for one in missing]
    for line in new:
        came = _squeeze(line.text)
        orders = [row for row in rows if not row.startswith(_REMARK)]
        cut = len(line.text) >= NARROWEST and any(row != came and _is_end_of(came, row) for row in orders)
        joined = len(missing) > len(new) and any(row != came and _is_end_of(row, came) for row in rows)
        if cut or joined:
            yield line


def _is_end_of(part: str, whole: str) -> bool:
    """Does the whole begin or end with it?"""
    return whole.startswith(part) or whole.endswith(part)
