"""Which of a mail's two forms is the letter: its plain text or its HTML.

Both should say the same, and then the text is read: nothing has to be guessed from a page. It loses where it
lacks the lines of the page (all of it in one row), and where it says nothing of it ("this mail is in HTML").
What only one of them says is kept: nobody may be shown one order and give another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from pbem.mail.message import TextLine, are_between_markers

MOST_SOUGHT = 25  # lines of one form that are looked for inside the lines of the other
MOST_DIFFERING = 150  # lines that are told of


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
    def whole(self) -> str:
        """All its lines, as one word."""
        return "".join(self.keys)


def compare_forms(text: Sequence[TextLine], page: Sequence[TextLine]) -> Comparison:
    """The plain text of a letter against its HTML, both told apart and with lines of the writer's own."""
    plain, shown = _Form.of(text), _Form.of(page)
    if _keys(plain.own) == _keys(shown.own):
        return Comparison()
    unshown = _missing(plain, shown.whole, shown.keys)
    if _lacks_lines(plain, shown):
        begun = tuple(_keys(shown.own))  # a row that begins with a line of the page goes on with others
        return Comparison(True, _told([one for one in unshown if not one.key.startswith(begun)]))
    if not _speaks_of(plain, shown):
        return Comparison(True, _told(unshown))
    return Comparison(False, _told([*unshown, *_missing(shown, plain.whole, plain.keys)]))


def unshown_lines(text: Sequence[TextLine], words: str) -> tuple[TextLine, ...]:
    """Own lines of a text that stand nowhere in these words, of a page that cannot be drawn."""
    return _told(_missing(_Form.of(text), _key(words), ()))


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


def _speaks_of(plain: _Form, shown: _Form) -> bool:
    """Has the text at least half of the words of the page?"""
    words, said = Counter(_words(one.line for one in shown.own)), Counter(_words(plain.lines))
    return 2 * (words & said).total() >= words.total()


def _missing(form: _Form, other: str, other_keys: Sequence[str]) -> list[_OwnLine]:
    """Own lines of a form that the other has nowhere; a program may have wrapped them."""
    known = frozenset(other_keys)
    left = [one for one in form.own if one.key not in known]
    if "".join(_keys(left)) in other:
        return []
    return [one for at, one in enumerate(left) if at >= MOST_SOUGHT or one.key not in other]


def _told(lines: Sequence[_OwnLine]) -> tuple[TextLine, ...]:
    return tuple(one.line for one in lines[:MOST_DIFFERING])


def _keys(lines: Iterable[_OwnLine]) -> list[str]:
    return [one.key for one in lines]


def _words(lines: Iterable[TextLine]) -> list[str]:
    return [key for line in lines for word in line.text.split() if (key := _key(word))]


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
