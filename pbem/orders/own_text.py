"""What of a letter is the player's own text, what is ours, and whether our template was edited in place.

Our letters begin with `##- … -##` and end with `##- end / fin -##`; the text of the letter answered is at
hand, so that everything between the two can be compared with what was sent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple, TypeAlias

from pbem.mail.letter import TextLine
from pbem.orders.plain import LONG, first_words, key, plain
from pbem.orders.understood import OwnLine
from pbem.orders.words import END, ORDERS

State: TypeAlias = Literal["unchanged", "trimmed", "edited", "unknown"]

MOST_HEADER_WORDS = 5  # ORDERS TTLM-7 TURN 4, and the sign behind it
FRAGMENT = 12  # letters: a shorter piece of a line proves nothing
REMNANT = 24  # letters of a sentence that nobody writes by chance
BESIDE = 4  # lines that a program may have made of one row of a table
MOST_LETTERS = 40  # of ours in one mail, told apart by their markers
MOST_COPIES = 4  # of our letter, within which lines are counted

_MARKER = re.compile(r"[\s>|*_]*##\s?-(.*)")
# What programs put where links, pictures and files stood; a picture's words may follow in the same bracket.
_NOISE = re.compile(
    r"<(?:https?|mailto|cid):[^>]*>|\[(?:cid|image)[^\]]*\]|\[(?:inline )?image\s?:"
    r"|<[^<>\s]{1,80}\.(?:png|jpe?g|gif|json|ics)>",
    re.IGNORECASE,
)
_PICTURES = frozenset({"INLINEIMAGE", "IMAGEENLIGNE", "IMAGEINTEGREE", "EINGEBETTETESBILD", "IMAGE"})
_LOST = re.compile("[?\ufffd]")  # for signs that a program's charset does not have
_SMALL_CHARSETS = ("ascii", "latin-1", "cp1252")


@dataclass(frozen=True, slots=True)
class Template:
    """Our pre-filled block as it came back, header and end included."""

    lines: tuple[OwnLine, ...]
    state: State
    quoted: bool


@dataclass(frozen=True, slots=True)
class OwnText:
    """A letter's lines, told apart. Blank lines stay, because nothing is joined across them."""

    lines: tuple[OwnLine, ...] = ()  # the player's own
    signature: tuple[OwnLine, ...] = ()
    new: tuple[OwnLine, ...] = ()  # between our markers, and not ours
    again: tuple[OwnLine, ...] = ()  # between our markers, ours, and more often than we wrote it
    template: Template | None = None


def marker(text: str) -> Literal["", "begin", "end"]:
    """Is it one of our two marker lines?"""
    if "##" not in text and text.isascii():
        return ""
    found = _MARKER.match(plain(text[:LONG]))
    if found is None:
        return ""
    return "end" if key(found[1]) in ("ENDFIN", "END", "FIN") else "begin"


def is_end(text: str) -> bool:
    """END or FIN alone on a line."""
    return len(text) <= LONG and key(text) in END


def begins_block(text: str) -> bool:
    """A line of our templates: ORDERS with campaign and turn."""
    found = first_words(text, MOST_HEADER_WORDS + 1)
    few = 1 < len(found) <= MOST_HEADER_WORDS
    return few and found[0].key in ORDERS and found[-1].key not in END


# ------------------------------------------------------------------ what we sent


@dataclass(frozen=True, slots=True)
class Sent:
    """The letter answered, as keys; empty if it is not known."""

    whole: str  # everything, as one word
    lines: frozenset[str]  # outside the template
    template: tuple[str, ...]  # its lines
    all_lines: frozenset[str] = field(default_factory=frozenset)
    forms: tuple[str, ...] = ()  # text and HTML, each as one word, without the template
    text: str = ""

    @classmethod
    def of(cls, text: str) -> Sent:
        """Its text and its HTML as drawn, one below the other: each begins with our first line."""
        outside: list[list[str]] = []
        template: tuple[str, ...] = ()
        rows = text.splitlines()
        keys = [key(_NOISE.sub(" ", row)) for row in rows]
        begins = sorted({0, *(n for n, row in enumerate(rows) if marker(row) == "begin")})
        for first, last in pairwise([*begins, len(rows)]):
            start = next((n for n in range(first, last) if begins_block(rows[n])), last)
            stop = next((n for n in range(start, last) if is_end(rows[n])), last - 1)
            outside.append([*keys[first:start], *keys[stop + 1 : last]])
            template = template or tuple(one for one in keys[start : stop + 1] if one)
        lines = frozenset(one for form in outside for one in form) - {""}
        forms = tuple(map("".join, outside))
        return cls("".join(keys), lines, template, frozenset(keys) - {""}, forms, text)

    @property
    def is_known(self) -> bool:
        return bool(self.whole)

    def are_ours(self, texts: Sequence[str]) -> list[bool]:
        """For each of these lines, whether we wrote it; a mail program may have wrapped it anew."""
        keys = [key(_NOISE.sub(" ", text)) for text in texts]
        said = [one for one in keys if one]
        places = accumulate((bool(one) for one in keys), initial=0)
        return [
            not one or one in self.lines or one in _PICTURES or self._holds(said, at) or self._blurs(text)
            for one, at, text in zip(keys, places, texts, strict=False)
        ]

    def _holds(self, keys: Sequence[str], at: int) -> bool:
        """Is it a piece of what we sent? A short one counts with the lines beside it."""
        if keys[at] not in self.whole:
            return False
        for before in range(min(BESIDE, at) + 1):
            joined, end = "".join(keys[at - before : at + 1]), at + 1
            while len(joined) < FRAGMENT and end < len(keys) and end <= at + BESIDE:
                joined, end = joined + keys[end], end + 1
            if len(joined) >= FRAGMENT and joined in self.whole:
                return True
        return False

    def _blurs(self, text: str) -> bool:
        """The same, but for signs that were lost on its way: those that a small charset does not have."""
        if not _LOST.search(text):
            return False
        one = key(_NOISE.sub(" ", text))
        return len(one) >= FRAGMENT and any(one in form for form in _blurred(self.text))

    def count(self, one: str) -> int:
        """How often we wrote it, the template apart."""
        return max((form.count(one) for form in self.forms), default=0)

    def wraps(self, quoted: str, rest: str) -> bool:
        """A quoted line that was too long: is `rest` the end of it, cut off by a mail program?"""
        above = key(quoted)
        return bool(above) and above not in self.all_lines and above + key(rest) in self.all_lines

    def compare(self, lines: Iterable[OwnLine]) -> State:
        """The template that came back against the one sent."""
        if not self.template:
            return "unknown"
        found = [one for line in lines if (one := key(line.text))]
        if "".join(found) == "".join(self.template):
            return "unchanged"
        missing = Counter(found) - Counter(self.template)
        return "edited" if missing else "trimmed"


@lru_cache(maxsize=8)
def _blurred(text: str) -> tuple[str, ...]:
    """What we sent as one word, without the signs that a small charset does not have."""
    rows = [_NOISE.sub(" ", row) for row in text.splitlines()]
    kept = ((row.encode(one, "ignore").decode(one) for row in rows) for one in _SMALL_CHARSETS)
    return tuple("".join(map(key, form)) for form in kept)


# ------------------------------------------------------------------ what came back


class _Piece(NamedTuple):
    """A line that is not the player's own text. `letter`: the marked letter it stands in; 0: none."""

    line: OwnLine
    quoted: bool
    letter: int


def tell_apart(
    lines: Sequence[TextLine], sent: str, is_order: Callable[[str], bool] = lambda text: False
) -> OwnText:
    """The player's own lines, his signature, our template as it came back, and what else stands in ours.

    `is_order`: whether the game reads a line as an order; such a line proves no letter of ours by itself.
    """
    ours = Sent.of(sent)
    marked = _between_markers(lines, ours, is_order)
    own: list[OwnLine] = []
    signature: list[OwnLine] = []
    pieces: list[_Piece] = []
    for number, line in enumerate(lines, 1):
        one = OwnLine(number, line.text)
        if marker(line.text) or line.role == "attribution":
            continue
        if line.role == "signature":
            signature.append(one)
        elif number - 1 in marked or line.quoted:
            pieces.append(_Piece(one, line.quoted > 0, marked.get(number - 1, 0)))
        elif number > 1 and lines[number - 2].quoted and ours.wraps(lines[number - 2].text, line.text):
            pieces.append(_Piece(one, True, marked.get(number - 2, 0)))
        else:
            own.append(one)
    template, rest = _find_template(pieces, ours)
    inside = [piece for piece in rest if piece.letter]
    known = ours.are_ours([piece.line.text for piece in inside])
    new, again = _new_lines(inside, known), _repeated(inside, known, ours)
    return OwnText(tuple(own), tuple(signature), tuple(new), tuple(again), template)


def _between_markers(
    lines: Sequence[TextLine], ours: Sent, is_order: Callable[[str], bool]
) -> dict[int, int]:
    """Index of each line between our markers, at their depth of quoting or deeper -> number of the letter."""
    found: list[set[int]] = []
    begin: int | None = None
    marks = [(at, kind) for at, line in enumerate(lines) if (kind := marker(line.text))]
    first = _first(lines, ours) if marks else 0
    for at, kind in marks:
        if len(found) == MOST_LETTERS:
            found.append(_region(lines, at, len(lines) - 1))
            break
        if kind == "begin" and begin is None:
            begin = at
        elif kind == "end" and (begin is None or lines[at].quoted >= lines[begin].quoted):
            found.append(_region(lines, min(first, at) if begin is None else begin, at))
            begin = None
    if begin is not None and len(found) <= MOST_LETTERS:
        found.append(_region(lines, begin, _last(lines, begin, ours)))
    if not marks:
        found.append(_remnants(lines, ours, is_order))
    return {at: number for number, region in enumerate(found, 1) for at in sorted(region)}


def _region(lines: Sequence[TextLine], begin: int, end: int) -> set[int]:
    depth = min(lines[begin].quoted, lines[end].quoted)
    return {at for at in range(begin, end + 1) if lines[at].quoted >= depth}


def _first(lines: Sequence[TextLine], ours: Sent) -> int:
    """Where our text begins if its first marker was taken off; the letter's beginning if we cannot tell."""
    known = (at for at, line in enumerate(lines) if key(line.text) in ours.lines)
    return next(known, len(lines)) if ours.is_known else 0


def _last(lines: Sequence[TextLine], begin: int, ours: Sent) -> int:
    """Where our text ends if its last marker was taken off; the letter's end if we cannot tell."""
    if not ours.is_known:
        return len(lines) - 1
    known = (at for at in range(len(lines) - 1, begin, -1) if key(lines[at].text) in ours.all_lines)
    return next(known, begin)


def _remnants(lines: Sequence[TextLine], ours: Sent, is_order: Callable[[str], bool]) -> set[int]:
    """Our letter without its markers and without quote marks: from its first sentence to its last.

    Receipts repeat the player's orders: when he sends them once more they are his own, not ours.
    """
    keys = [key(line.text) if not line.quoted else "" for line in lines]
    known = [at for at, one in enumerate(keys) if one in ours.lines and not is_order(lines[at].text)]
    if len(known) < 2 or max(len(keys[at]) for at in known) < REMNANT:
        return set()
    return _region(lines, known[0], known[-1])


def _find_template(pieces: Sequence[_Piece], ours: Sent) -> tuple[Template | None, list[_Piece]]:
    """Our block among these lines, and the lines outside it. Quoted letters with other blocks are history."""
    best: Template | None = None
    within: set[int] = set()  # numbers of the lines of blocks
    past: set[int] = set()  # letters
    for start in [n for n, piece in enumerate(pieces) if begins_block(piece.line.text)]:
        block = _block(pieces, start)
        within |= {piece.line.number for piece in block}
        lines = tuple(piece.line for piece in block)
        quoted = any(piece.quoted for piece in block)
        of_this_letter = bool(ours.template) and key(lines[0].text) == ours.template[0]
        if quoted and not of_this_letter:
            past.add(block[0].letter)
            continue
        template = Template(lines, ours.compare(lines), quoted)
        if best is None or (best.state == "unchanged" and template.state != "unchanged"):
            best = template
    rest = [one for one in pieces if one.line.number not in within and one.letter not in past - {0}]
    return best, rest


def _block(pieces: Sequence[_Piece], start: int) -> list[_Piece]:
    """From a header to its END; without one, to the end of the piece."""
    block = [pieces[start]]
    for before, piece in pairwise(pieces[start:]):
        if piece.quoted != before.quoted or begins_block(piece.line.text):
            break
        block.append(piece)
        if is_end(piece.line.text):
            break
    return block


def _new_lines(pieces: Sequence[_Piece], known: Sequence[bool]) -> list[OwnLine]:
    """Between the markers, and not what we sent. A quoted letter that is another one is history."""
    new = [piece for piece, sent in zip(pieces, known, strict=True) if not sent]
    if all(piece.quoted for piece in pieces) and 2 * len(new) > len(pieces):
        return []
    return [piece.line for piece in new]


def _repeated(pieces: Sequence[_Piece], known: Sequence[bool], ours: Sent) -> list[OwnLine]:
    """Whole lines that stand in our letter more often than we wrote them: somebody copied them there."""
    found = []
    told = list(zip(pieces, known, strict=True))
    for letter in sorted({piece.letter for piece in pieces}):
        lines = [piece.line for piece in pieces if piece.letter == letter]
        if 2 * sum(sent for piece, sent in told if piece.letter == letter) < len(lines):
            continue  # another letter
        keys = [key(line.text) for line in lines]
        surplus = _surplus(keys, ours)
        found += [line for line, one in zip(lines, keys, strict=True) if one in surplus]
    return found


def _surplus(keys: Sequence[str], ours: Sent) -> set[str]:
    """Which of these lines are there more often than in what we sent."""
    joined = "".join(keys)
    distinct = [one for one in dict.fromkeys(keys) if one]
    if len(joined) > MOST_COPIES * len(ours.whole):  # counted line by line: nobody answers like that
        often = Counter(keys)
        return {one for one in distinct if 0 < ours.count(one) < often[one]}
    return {one for one in distinct if 0 < ours.count(one) < joined.count(one)}
