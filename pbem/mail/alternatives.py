"""Which of a mail's two forms is the letter: its plain text or its HTML.

Both should say the same, and then the text is read: nothing has to be guessed from a page. It loses where it
lacks the lines of the page (all of it in one row), and where it says nothing of it ("this mail is in HTML").
A page may be a quote and no more: our form, edited in place. Then all of it is what the text is held against.
What only one of them says is kept: nobody may be shown one order and give another.
That holds for our order form, too, where it came back in both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from pbem.mail.message import TextLine, are_between_markers

MOST_SOUGHT = 25  # lines of one form that are looked for inside the lines of the other
MOST_DIFFERING = 150  # lines that are told of
MOST_OF_FORM = 150  # lines of an order form that are compared

_HEADER = re.compile(r"[*_|\s]*(ORDERS|ORDRES)(\s+\S+){2,4}\s*", re.IGNORECASE)
_HEADER_KEYS = ("orders", "ordres")
_END_KEYS = ("end", "fin")
# A ticked box, and the arrow of a font of symbols: the page is drawn without the one, and with an arrow.
_ODD = re.compile(r"\[[xX\u2713\u2714]\]|(?<=\s)\u00e0(?=\s)")
_EDGES = " \t>|*_"  # before a line, as programs quote and stress


class Comparison(NamedTuple):
    """`page_wins`: the HTML is the letter. `differing`: own lines that only one of both has.

    Where the page wins, only those of the text: what it says itself is what was shown.
    """

    page_wins: bool = False
    differing: tuple[TextLine, ...] = ()


class _OwnLine(NamedTuple):
    line: TextLine
    key: str


class _Form(NamedTuple):
    """One form of the letter, as it is compared: letters and digits alone."""

    lines: Sequence[TextLine]
    keys: tuple[str, ...]
    runs: tuple[tuple[_OwnLine, ...], ...]  # lines of the writer's own that stand together

    @classmethod
    def of(cls, lines: Sequence[TextLine]) -> _Form:
        keys = tuple(_key(line.text) for line in lines)
        pairs = zip(lines, keys, are_between_markers(lines), strict=True)  # told apart elsewhere
        said = ((_OwnLine(line, key), not line.quoted and not ours) for line, key, ours in pairs if key)
        runs = [tuple(line for line, _ in run) for own, run in groupby(said, lambda pair: pair[1]) if own]
        return cls(lines, keys, tuple(runs))

    @property
    def own(self) -> list[_OwnLine]:
        return [line for run in self.runs for line in run]

    @property
    def said(self) -> list[_OwnLine]:
        """The writer's own lines; of a form that only quotes, all lines."""
        pairs = zip(self.lines, self.keys, strict=True)
        return self.own or [_OwnLine(line, key) for line, key in pairs if key]

    @property
    def whole(self) -> str:
        """All its lines, as one word."""
        return "".join(self.keys)

    @property
    def without_remarks(self) -> str:
        """The same without what an order form only offers: an order is not said by a remark that has it."""
        pairs = zip(self.lines, self.keys, strict=True)
        return "".join(key for line, key in pairs if not _is_remark(line))


def compare_forms(text: Sequence[TextLine], page: Sequence[TextLine]) -> Comparison:
    """The plain text of a letter against its HTML, both told apart."""
    plain, shown = _Form.of(text), _Form.of(page)
    edited = _edited_otherwise(plain, shown)
    if plain.own and _keys(plain.own) == _keys(shown.own):
        return Comparison(False, _told(edited))
    if plain.own and not shown.own and set(_keys(plain.own)) <= set(shown.keys):
        return Comparison(False, _told(edited))  # they are shown, in what only looks like a quote
    unshown = _missing(plain, shown)
    if _lacks_lines(plain, shown) if shown.own else _is_in_one_row(plain, shown):
        begun = tuple(_keys(shown.said))  # a row that begins with a line of the page goes on with others
        return Comparison(True, _told([one for one in unshown if not one.key.startswith(begun)]))
    if not _speaks_of(plain, shown):
        return Comparison(True, _told(unshown))
    return Comparison(False, _told([*unshown, *_missing(shown, plain), *edited]))


def unshown_lines(text: Sequence[TextLine], words: str) -> tuple[TextLine, ...]:
    """Own lines of a text that stand nowhere in these words, of a page that cannot be drawn."""
    form = _Form.of(text)
    return _told(_not_in(form.own, _key(words)))


def _lacks_lines(plain: _Form, shown: _Form) -> bool:
    """Does the text say the same as the page, but not in lines of its own?"""
    said, wanted = _keys(plain.own), _keys(shown.own)
    if "".join(said) == "".join(wanted):
        return not set(accumulate(map(len, said))).issuperset(accumulate(map(len, wanted)))
    whole, ends = plain.whole, {0, *accumulate(map(len, plain.keys))}
    at, lacking = 0, False
    for run in map(_keys, shown.runs):
        start = whole.find("".join(run), at)
        if start < 0:
            return False
        found = list(accumulate(map(len, run), initial=start))
        at, lacking = found[-1], lacking or not ends.issuperset(found)
    return lacking


def _is_in_one_row(plain: _Form, shown: _Form) -> bool:
    """Do most lines of the page that stand in the text begin within a line of it?"""
    whole, begins = plain.whole, {0, *accumulate(map(len, plain.keys))}
    at, found, within, unfound = 0, 0, 0, 0
    for line in shown.said:
        start = whole.find(line.key, at)
        if start >= 0:
            at, found, within = start + len(line.key), found + 1, within + (start not in begins)
        elif (unfound := unfound + 1) > MOST_SOUGHT:
            break
    return 2 * within > found


def _speaks_of(plain: _Form, shown: _Form) -> bool:
    """Has the text at least half of the words of the page?"""
    words, said = Counter(_words(one.line for one in shown.said)), Counter(_words(plain.lines))
    return 2 * (words & said).total() >= words.total()


def _missing(form: _Form, other: _Form) -> list[_OwnLine]:
    """Own lines of a form that the other has nowhere; a program may have wrapped them."""
    known = frozenset(other.keys)
    left = [one for one in form.own if one.key not in known]
    remarks = [one for one in left if _is_remark(one.line)]
    orders = [one for one in left if not _is_remark(one.line)]
    missing = {*_not_in(orders, other.without_remarks), *_not_in(remarks, other.whole)}
    return [one for one in left if one in missing]


def _not_in(lines: Sequence[_OwnLine], other: str) -> list[_OwnLine]:
    if "".join(_keys(lines)) in other:
        return []
    return [one for at, one in enumerate(lines) if at >= MOST_SOUGHT or one.key not in other]


def _is_remark(line: TextLine) -> bool:
    return line.text.lstrip(_EDGES).startswith("#")


def _edited_otherwise(plain: _Form, shown: _Form) -> list[_OwnLine]:
    """Lines of our order form that only one of both has, where both have all of it."""
    one, other = _returned_form(plain), _returned_form(shown)
    if not one or not other or "".join(_keys(one)) == "".join(_keys(other)):
        return []
    return [*_only_in(one, other), *_only_in(other, one)]


def _returned_form(form: _Form) -> list[_OwnLine]:
    """The first order form that is not the writer's own, up to its END; their keys tell remarks."""
    own = {one.line for one in form.own}
    begins = (at for at, key in enumerate(form.keys) if key.startswith(_HEADER_KEYS))
    quoted = (at for at in begins if form.lines[at] not in own and _HEADER.fullmatch(form.lines[at].text))
    first = next(quoted, len(form.keys))
    ends = range(first, min(first + MOST_OF_FORM, len(form.keys)))
    last = next((at for at in ends if form.keys[at] in _END_KEYS), first)
    pairs = zip(form.lines[first:last], form.keys[first:last], strict=True)
    return [_OwnLine(line, "#" * _is_remark(line) + key) for line, key in pairs if key]


def _only_in(form: Sequence[_OwnLine], other: Sequence[_OwnLine]) -> list[_OwnLine]:
    """A program may have cut its lines; a remark is another line than the same without its sign."""
    known, whole = frozenset(_keys(other)), "".join(_keys(other))
    left = [one for one in form if one.key not in known]
    return [
        one
        for at, one in enumerate(left)
        if at >= MOST_SOUGHT or one.key not in whole or f"#{one.key}" in known
    ]


def _told(lines: Sequence[_OwnLine]) -> tuple[TextLine, ...]:
    return tuple(one.line for one in lines[:MOST_DIFFERING])


def _keys(lines: Iterable[_OwnLine]) -> list[str]:
    return [one.key for one in lines]


def _words(lines: Iterable[TextLine]) -> list[str]:
    return [key for line in lines for word in line.text.split() if (key := _key(word))]


def _key(text: str) -> str:
    if "[" in text or "\u00e0" in text:
        text = _ODD.sub(" ", text)
    return "".join(filter(str.isalnum, text.casefold()))
