"""What of a letter is the player's own text, what is ours, and where our order form came back.

Our letters begin with `##- … -##` and end with `##- end / fin -##`; the text of the letter answered is at
hand, so that everything between the two can be compared with what was sent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from typing import Literal, NamedTuple

from pbem.mail.message import TextLine
from pbem.orders.text import LONG, first_words, is_remark, key, keys, plain
from pbem.orders.understood import OwnLine

# The words that frame a block.
ORDERS, END = ("ORDERS", "ORDRES"), ("END", "FIN")
STANDING = ("STANDING", "SHEET", "POLICY", "PERMANENTS", "CONSIGNES", "POLITIQUE")

MOST_HEADER_WORDS = 5  # ORDERS TTLM-7 TURN 4, and the sign behind it
FRAGMENT = 12  # letters: a shorter piece of a line proves nothing
REMNANT = 24  # letters of a sentence that nobody writes by chance
BESIDE = 4  # lines that a program may have made of one row of a table
MOST_LETTERS = 40  # of ours in one mail, told apart by their markers
MOST_COPIES = 4  # of our letter, within which lines are counted

_MARKER = re.compile(r"[\s>|*_]*##\s?-(.*)")
# What programs put where links, pictures and files stood; a picture's words may follow in the same bracket.
_NOISE = re.compile(
    r"<(?:https?|mailto|cid):[^<>]*>|\[(?:cid|image)[^\]]*\]|\[(?:inline )?image\s?:"
    r"|<[^<>\s]{1,80}\.(?:png|jpe?g|gif|json|ics)>",
    re.IGNORECASE,
)
_PICTURES = frozenset({"INLINEIMAGE", "IMAGEENLIGNE", "IMAGEINTEGREE", "EINGEBETTETESBILD", "IMAGE"})
_LOST = re.compile("[?\ufffd]")  # for signs that a program's charset does not have
_OPENING = tuple(sorted(ORDERS))
_SMALL_CHARSETS = ("ascii", "latin-1", "cp1252")


@dataclass(frozen=True, slots=True)
class FormBlock:
    """Our order form as it came back, header and END included, and what was written between its lines."""

    lines: tuple[OwnLine, ...]
    quoted: bool = False
    past: bool = False  # quoted in a letter of ours that is not the one answered
    struck_in_part: frozenset[int] = frozenset()  # numbers of lines


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnText:
    """A letter's lines, told apart. Blank lines stay, because nothing is joined across them."""

    lines: tuple[OwnLine, ...] = ()  # the player's own
    signature: tuple[OwnLine, ...] = ()
    new: tuple[OwnLine, ...] = ()  # between our markers, and not ours
    again: tuple[OwnLine, ...] = ()  # between our markers, ours, and more often than we wrote it
    blocks: tuple[FormBlock, ...] = ()
    form: tuple[str, ...] = ()  # of the letter answered, as it was sent
    struck: tuple[OwnLine, ...] = ()  # the player's own, struck out: not among the others
    left: Mapping[int, str] = field(default_factory=dict)  # number -> what is left of a line struck in part


def marker(text: str) -> Literal["", "begin", "end"]:
    """Is it one of our two marker lines?"""
    if "#" not in text and "\ufe5f" not in text and "\uff03" not in text:  # the small and the wide one
        return ""
    found = _MARKER.match(plain(text[:LONG]))
    if found is None:
        return ""
    return "end" if key(found[1]) in ("ENDFIN", "END", "FIN") else "begin"


def is_end(text: str) -> bool:
    """END or FIN alone on a line."""
    return len(text) <= LONG and key(text) in END and not is_remark(text)


def begins_block(text: str) -> bool:
    """A line of our templates: ORDERS with campaign and turn."""
    found = first_words(text, MOST_HEADER_WORDS + 1)
    few = 1 < len(found) <= MOST_HEADER_WORDS
    return few and found[0].key in ORDERS and found[-1].key not in END


def _opens(text: str, its_key: str) -> bool:
    """The same, of a line whose key is known: most do not begin so."""
    return its_key.startswith(_OPENING) and begins_block(text)


def _closes(text: str, its_key: str) -> bool:
    return its_key in END and is_end(text)


def without_noise(text: str) -> str:
    """A line without what programs put into it."""
    return _NOISE.sub(" ", text) if "<" in text or "[" in text else text


def _without_noise(texts: Sequence[str], their_keys: Sequence[str]) -> list[str]:
    """The keys of lines without what programs put into them."""
    pairs = zip(texts, their_keys, strict=True)
    return [one if text is (bare := without_noise(text)) else key(bare) for text, one in pairs]


# ------------------------------------------------------------------ what we sent


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedLetter:
    """The letter answered, as keys; empty if it is not known."""

    whole: str  # everything, as one word
    lines: frozenset[str]  # outside the form
    form: tuple[str, ...]  # its rows as they were sent
    all_lines: frozenset[str] = field(default_factory=frozenset)
    ways: tuple[str, ...] = ()  # text and HTML, each as one word, without the form
    text: str = ""

    @classmethod
    def of(cls, text: str) -> QuotedLetter:
        """Its text and its HTML as drawn, one below the other: each begins with our first line."""
        outside: list[list[str]] = []
        form: tuple[str, ...] = ()
        rows = text.splitlines()
        whole = keys(rows)
        cleaned = _without_noise(rows, whole)
        begins = sorted({0, *(n for n, row in enumerate(rows) if marker(row) == "begin")})
        for first, last in pairwise([*begins, len(rows)]):
            start = next((n for n in range(first, last) if _opens(rows[n], whole[n])), last)
            stop = next((n for n in range(start, last) if _closes(rows[n], whole[n])), last - 1)
            outside.append([*cleaned[first:start], *cleaned[stop + 1 : last]])
            form = form or tuple(rows[start : stop + 1])
        return cls(
            whole="".join(cleaned),
            lines=frozenset(chain(*outside)) - {""},
            form=form,
            all_lines=frozenset(cleaned) - {""},
            ways=tuple(map("".join, outside)),
            text=text,
        )

    def are_ours(self, texts: Sequence[str]) -> list[bool]:
        """For each of these lines, whether we wrote it; a mail program may have wrapped it anew."""
        cleaned = _without_noise(texts, keys(texts))
        filled = [one for one in cleaned if one]
        places = accumulate((bool(one) for one in cleaned), initial=0)
        return [
            not one or one in self.lines or one in _PICTURES or self._holds(filled, at) or self._blurs(text)
            for one, at, text in zip(cleaned, places, texts, strict=False)
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
        return len(one) >= FRAGMENT and any(one in way for way in _blur(self.text))

    def count(self, one: str) -> int:
        """How often we wrote it, the form apart."""
        return max((way.count(one) for way in self.ways), default=0)

    def wraps(self, above: str, rest: str) -> bool:
        """A quoted line that was too long: is `rest` the end of it, cut off by a mail program?"""
        return bool(above) and above not in self.all_lines and above + rest in self.all_lines


@lru_cache(maxsize=8)
def _blur(text: str) -> tuple[str, ...]:
    """What we sent as one word, without the signs that a small charset does not have."""
    rows = [_NOISE.sub(" ", row) for row in text.splitlines()]
    kept = ((row.encode(one, "ignore").decode(one) for row in rows) for one in _SMALL_CHARSETS)
    return tuple("".join(map(key, way)) for way in kept)


# ------------------------------------------------------------------ what came back


class _Piece(NamedTuple):
    """A line. `letter`: the marked letter of ours that it stands in; 0: none."""

    line: OwnLine
    key: str
    quoted: bool = False
    letter: int = 0
    own: bool = False  # the player's own text


class _Found(NamedTuple):
    """The lines that came, each looked at once."""

    lines: Sequence[TextLine]
    keys: list[str]
    marks: Mapping[int, str]  # our marker lines

    @classmethod
    def of(cls, lines: Sequence[TextLine]) -> _Found:
        marks = {at: kind for at, line in enumerate(lines) if (kind := marker(line.text))}
        return cls(lines, keys([line.text for line in lines]), marks)


def tell_apart(
    lines: Sequence[TextLine], sent: str, is_order: Callable[[str], bool] = lambda text: False
) -> OwnText:
    """The player's own lines and signature, our form as it came back, and what else stands in our letter.

    `is_order`: whether the game reads a line as an order; such a line proves no letter of ours by itself.
    """
    ours, found = QuotedLetter.of(sent), _Found.of(lines)
    marked = _between_markers(found, ours, is_order)
    signature: list[OwnLine] = []
    struck: list[OwnLine] = []
    pieces: list[_Piece] = []
    for at, line in enumerate(lines):
        if at in found.marks or line.role == "attribution":
            continue
        one, its_key = OwnLine(at + 1, line.text), found.keys[at]
        if line.is_struck:  # as if it were not there; in a quote nobody need be told
            struck += [one] if not line.quoted else []
        elif line.role == "signature":
            signature.append(one)
        elif at in marked or line.quoted:
            pieces.append(_Piece(one, its_key, line.quoted > 0, marked.get(at, 0)))
        elif at and lines[at - 1].quoted and ours.wraps(found.keys[at - 1], its_key):
            pieces.append(_Piece(one, its_key, True, marked.get(at - 1, 0)))
        else:
            pieces.append(_Piece(one, its_key, own=True))
    left = {at: line.left for at, line in enumerate(lines, 1) if line.left}
    blocks, rest = _find_blocks(pieces, ours, frozenset(left))
    inside = [piece for piece in rest if piece.letter]
    known = ours.are_ours([piece.line.text for piece in inside])
    return OwnText(
        lines=tuple(piece.line for piece in rest if piece.own),
        signature=tuple(signature),
        new=tuple(_new_lines(inside, known)),
        again=tuple(_repeated(inside, known, ours)),
        blocks=tuple(blocks),
        form=ours.form,
        struck=tuple(struck),
        left=left,
    )


def _between_markers(came: _Found, ours: QuotedLetter, is_order: Callable[[str], bool]) -> dict[int, int]:
    """Index of each line between our markers, at their depth of quoting or deeper -> number of the letter."""
    found: list[set[int]] = []
    begin: int | None = None
    lines = came.lines
    for at, kind in came.marks.items():
        if len(found) == MOST_LETTERS:
            found.append(_region(lines, at, len(lines) - 1))
            break
        if kind == "begin" and begin is None:
            begin = at
        elif kind == "end":
            found.append(_region(lines, _first(came, at, ours) if begin is None else begin, at))
            begin = None
    if begin is not None and len(found) <= MOST_LETTERS:
        found.append(_region(lines, begin, _last(came, begin, ours)))
    if not came.marks:
        found.append(_remnants(came, ours, is_order))
    return {at: number for number, region in enumerate(found, 1) for at in sorted(region)}


def _region(lines: Sequence[TextLine], begin: int, end: int) -> set[int]:
    depth = min(lines[begin].quoted, lines[end].quoted)
    return {at for at in range(begin, end + 1) if lines[at].quoted >= depth}


def _first(came: _Found, end: int, ours: QuotedLetter) -> int:
    """Where our text begins if its first marker was taken off; the letter's beginning if we cannot tell.

    A line of the writer's own is none of a quote's, though it may say the same.
    """
    if not ours.whole:
        return 0
    depth = came.lines[end].quoted
    known = (at for at in range(end) if came.lines[at].quoted >= depth and came.keys[at] in ours.lines)
    return next(known, end)


def _last(came: _Found, begin: int, ours: QuotedLetter) -> int:
    """The same for its end, if its last marker was taken off."""
    last, depth = len(came.lines) - 1, came.lines[begin].quoted
    if not ours.whole:
        return last
    after = (at for at in range(last, begin, -1) if came.lines[at].quoted >= depth)
    return next((at for at in after if came.keys[at] in ours.all_lines), begin)


def _remnants(came: _Found, ours: QuotedLetter, is_order: Callable[[str], bool]) -> set[int]:
    """Our letter without its markers and without quote marks: from its first sentence to its last.

    Receipts repeat the player's orders: sent once more they are the player's own, not ours.
    """
    known = [
        at
        for at, (line, one) in enumerate(zip(came.lines, came.keys, strict=True))
        if not line.quoted and one in ours.lines and not is_order(line.text)
    ]
    if len(known) < 2 or max(len(came.keys[at]) for at in known) < REMNANT:
        return set()
    return _region(came.lines, known[0], known[-1])


def _find_blocks(
    pieces: Sequence[_Piece], ours: QuotedLetter, struck: frozenset[int]
) -> tuple[list[FormBlock], list[_Piece]]:
    """Our forms among these lines, and the lines outside them. A quoted letter with another is history."""
    starts = [n for n, one in enumerate(pieces) if not one.own and _opens(one.line.text, one.key)]
    blocks = [_block(pieces, start, ours) for start in starts]
    within = {piece.line.number for block in blocks for piece in block}
    rest = [piece for piece in pieces if piece.line.number not in within]
    past = _past_letters(blocks, rest, ours)
    found = []
    for block in blocks:
        quoted, numbers = block[0].quoted, {piece.line.number for piece in block}
        is_past = quoted and block[0].letter in past and block[0].key != _header(ours)
        found.append(FormBlock(tuple(one.line for one in block), quoted, is_past, struck & numbers))
    return found, [one for one in rest if not one.letter or one.letter not in past]


def _header(ours: QuotedLetter) -> str:
    return key(ours.form[0]) if ours.form else ""


def _past_letters(blocks: Sequence[list[_Piece]], rest: Sequence[_Piece], ours: QuotedLetter) -> set[int]:
    """Quoted letters with a form of another header: not the one answered, unless all else in it is ours."""
    headers = {block[0].key for block in blocks}
    others = {block[0].letter for block in blocks if block[0].quoted and block[0].key != _header(ours)}
    if _header(ours) in headers or not ours.form:
        return others
    texts = {
        letter: [one.line.text for one in rest if one.letter == letter and one.quoted] for letter in others
    }
    return {letter for letter in others if not texts[letter] or not all(ours.are_ours(texts[letter]))}


def _block(pieces: Sequence[_Piece], start: int, ours: QuotedLetter) -> list[_Piece]:
    """From a header to its END, with what the player wrote in between; without END, to our next words."""
    first, block = pieces[start], [pieces[start]]
    for piece in pieces[start + 1 :]:
        if _opens(piece.line.text, piece.key) or (piece.quoted != first.quoted and not piece.own):
            break
        block.append(piece)
        if _closes(piece.line.text, piece.key):
            return block
    stop = next((at for at, one in enumerate(block) if at and one.key in ours.lines), len(block))
    return [piece for piece in block[:stop] if not piece.own]


def _new_lines(pieces: Sequence[_Piece], known: Sequence[bool]) -> list[OwnLine]:
    """Between the markers, and not what we sent. A quoted letter that is another one is history."""
    new = [piece for piece, sent in zip(pieces, known, strict=True) if not sent]
    if all(piece.quoted for piece in pieces) and 2 * len(new) > len(pieces):
        return []
    return [piece.line for piece in new]


def _repeated(pieces: Sequence[_Piece], known: Sequence[bool], ours: QuotedLetter) -> list[OwnLine]:
    """Whole lines that stand in our letter more often than we wrote them: somebody copied them there."""
    repeated = []
    for letter in sorted({piece.letter for piece in pieces}):
        pairs = [(piece, sent) for piece, sent in zip(pieces, known, strict=True) if piece.letter == letter]
        if 2 * sum(sent for _, sent in pairs) < len(pairs):
            continue  # another letter
        surplus = _surplus([piece.key for piece, _ in pairs], ours)
        repeated += [piece.line for piece, _ in pairs if piece.key in surplus]
    return repeated


def _surplus(keys: Sequence[str], ours: QuotedLetter) -> set[str]:
    """Which of these lines are there more often than in what we sent."""
    joined = "".join(keys)
    if any(joined in way for way in ours.ways):  # a piece of ours has no line more often than the whole
        return set()
    distinct = [one for one in dict.fromkeys(keys) if one]
    if len(joined) > MOST_COPIES * len(ours.whole):  # counted line by line: nobody answers like that
        often = Counter(keys)
        return {one for one in distinct if 0 < ours.count(one) < often[one]}
    return {one for one in distinct if 0 < ours.count(one) < joined.count(one)}
