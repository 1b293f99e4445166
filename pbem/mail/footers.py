"""What others than its writer put around a letter: banners of gateways, footers, the armour of signatures.

Such lines get the role of a signature: they are no text of the writer's own, and if one of them reads like
an order it is named all the same.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import count, product
from typing import NamedTuple

from pbem.mail.message import TextLine, are_between_markers
from pbem.resources import templates_folder

LOOKED_AT = 400  # characters of a line
WRAPPED = (40, 100)  # a line of this length may go on in the next
MOST_BELOW_RULE = 8  # lines

_RULE = re.compile(r"[_=*~\u2500\u2014-]{5,}")
_CHOICE = re.compile(r"\{([^}]*)\}")
_ORNAMENT = re.compile(r"\W+")
_FIRST_WORD = re.compile(r"\W*([\w'\u2019-]{1,40})")
_ADDRESS_ALONE = re.compile(r"\W*(?:https?://\S+|www\.\S+|\S+@\S+\.\S+)\W*")
_BLOCK_END = re.compile(r"\W*(?:END|FIN)\W*", re.IGNORECASE)
# How gateways class a mail: `[ACME - INTERNAL USE ONLY]`, `C2 - Usage restreint`.
_CLASSED = re.compile(
    r"\W*(?:\[(?=[^\]]{3,60}\])[^\]]*\b(?:internal|public|confidential|restricted|external|externe|interne|"
    r"confidentiel|restreint|unclassified|intern|extern|vertraulich)\b[^\]]*\]"
    r"|C\d\s*[-\u2013:]\s*(?:usage|diffusion|internal|interne|public|restricted|confidenti)\b[\w\s]{0,40})\W*",
    re.IGNORECASE,
)
_ARMOUR = re.compile(r"-----(BEGIN|END) PGP (SIGNED MESSAGE|SIGNATURE|PUBLIC KEY BLOCK)-----")
_ESCAPED = re.compile(r"- (?=-|From )")
_ARMOUR_LINE = re.compile(
    r"(?:Version|Comment|Hash|Charset): .*|[A-Za-z0-9+/]{1,90}={0,2}|=[A-Za-z0-9+/]{4}|"
)


class _Phrase(NamedTuple):
    """How a line begins, and the words that follow somewhere in it."""

    begins: str
    then: tuple[str, ...]

    def fits(self, text: str) -> bool:
        """`text` is longer than the phrase by at least a blank: words are compared whole."""
        at = len(self.begins)
        if not text.startswith(self.begins) or text[at : at + 1].isalnum():
            return False
        for piece in self.then:
            at = text.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return True


def _phrases(rows: str) -> dict[str, list[_Phrase]]:
    """By their first words."""
    found: dict[str, list[_Phrase]] = {}
    for row in filter(None, map(str.strip, unicodedata.normalize("NFKD", rows).splitlines())):
        pieces = _CHOICE.split(row)
        for choice in product(*(piece.split("|") if n % 2 else [piece] for n, piece in enumerate(pieces))):
            begins, *then = (piece.strip() for piece in "".join(choice).split("*"))
            first = _FIRST_WORD.match(begins)
            assert first is not None, row
            found.setdefault(first[1], []).append(_Phrase(begins, tuple(filter(None, then))))
    return found


_TEXTS = tomllib.loads((templates_folder() / "reading" / "footers.toml").read_text("utf-8"))
_BANNERS, _FOOTERS = _phrases(_TEXTS["banners"]), _phrases(_TEXTS["footers"])
_LISTS = tuple(filter(None, map(str.strip, _TEXTS["lists"].splitlines())))


def mark_added_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, with what was put around them in the role of a signature."""
    found = list(_without_armour(lines))
    last_end = last_block_end(found)
    added = _banner_lines(found) | {at for at in _footer_lines(found) if at > last_end}
    return [line._replace(role="signature") if n in added else line for n, line in enumerate(found)]


def last_block_end(lines: Sequence[TextLine]) -> int:
    """Where the writer's last block of orders, or of words to others, ends; -1: there is none."""
    places = zip(count(), lines, are_between_markers(lines), strict=False)
    own = ((at, line) for at, line, ours in places if not (ours or line.quoted or line.is_struck))
    return max((at for at, line in own if _BLOCK_END.fullmatch(line.text)), default=-1)


# ------------------------------------------------------------------ banners and footers


def _banner_lines(lines: Sequence[TextLine]) -> set[int]:
    """Above everything that the writer says."""
    found: set[int] = set()
    for at, line in enumerate(lines):
        if not line.text.strip():
            continue
        above = lines[at - 1].text.rstrip()
        goes_on = at - 1 in found and _goes_on(above) and not above.endswith((".", "!"))
        said = _fits(line.text, _BANNERS) or _is_classed(line.text)
        if not _is_own(line) or not (goes_on or said or _is_rule(line.text)):
            break
        found.add(at)
    return found if any(not _is_rule(lines[at].text) for at in found) else set()


def _footer_lines(lines: Sequence[TextLine]) -> set[int]:
    """Each from its first line to the end of its paragraph, with a rule drawn above it."""
    found: set[int] = set()
    for at, line in enumerate(lines):
        if not _is_own(line) or not line.text.strip():
            continue
        if _is_rule(line.text):
            found |= _below_rule(lines, at)
        elif at - 1 in found and (_goes_on(lines[at - 1].text) or _ADDRESS_ALONE.fullmatch(line.text)):
            found.add(at)
        elif _fits(line.text, _FOOTERS) or _is_classed(line.text):
            found.add(at)
            above = next((n for n in range(at - 1, max(at - 3, -1), -1) if lines[n].text.strip()), -1)
            found |= (
                {above} if above >= 0 and _is_own(lines[above]) and _is_rule(lines[above].text) else set()
            )
    return found


def _below_rule(lines: Sequence[TextLine], rule: int) -> set[int]:
    """A rule and the few lines below it, if they tell of a mailing list."""
    below: list[int] = []
    for at in range(rule + 1, min(rule + 1 + MOST_BELOW_RULE, len(lines))):
        text = lines[at].text
        if not _is_own(lines[at]) or _is_rule(text) or (below and not text.strip()):
            break
        below.append(at)
    told = any(word in _plain(lines[at].text) for at in below for word in _LISTS)
    return {rule, *below} if told else set()


def _is_own(line: TextLine) -> bool:
    return line.quoted == 0 and not line.role


def _is_classed(text: str) -> bool:
    return len(text) <= WRAPPED[1] and _CLASSED.fullmatch(text) is not None


def _is_rule(text: str) -> bool:
    return bool(_RULE.fullmatch(text.strip()))


def _goes_on(above: str) -> bool:
    """May a program have wrapped the line?"""
    least, most = WRAPPED
    return least <= len(above.strip()) <= most


def _fits(text: str, phrases: dict[str, list[_Phrase]]) -> bool:
    first = _FIRST_WORD.match(text)
    if first is None or _plain(first[1]) not in phrases:
        return False
    plain = _plain(text)
    return any(phrase.fits(plain) for phrase in phrases[_plain(first[1])])


def _plain(text: str) -> str:
    """Small letters without accents, single blanks, straight quotes; without the signs that stand before."""
    folded = text[:LOOKED_AT].replace("\u2019", "'").casefold()
    if not folded.isascii():
        folded = "".join(
            sign for sign in unicodedata.normalize("NFKD", folded) if unicodedata.category(sign) != "Mn"
        )
    signs = _ORNAMENT.match(folded)
    return " ".join(folded[signs.end() if signs else 0 :].split())


# ------------------------------------------------------------------ armour


def _without_armour(lines: Sequence[TextLine]) -> Iterator[TextLine]:
    """Inline PGP: its frame and its signature in their role, the text as it was before it was signed."""
    within = ""  # what the frame around this line holds
    for line in lines:
        mark = _ARMOUR.fullmatch(line.text.strip()) if "PGP" in line.text and _is_own(line) else None
        if mark is not None:
            within = "" if mark[1] == "END" else "HEADERS" if mark[2] == "SIGNED MESSAGE" else mark[2]
            yield line._replace(role="signature")
        elif not within or not _is_own(line):
            yield line
        elif within == "TEXT":
            yield line._replace(
                text=_ESCAPED.sub("", line.text, count=1) if line.text[:2] == "- " else line.text
            )
        elif not _ARMOUR_LINE.fullmatch(line.text.strip()):  # it was cut off
            within = "TEXT"
            yield line
        else:
            within = "TEXT" if within == "HEADERS" and not line.text.strip() else within
            yield line._replace(role="signature") if line.text.strip() else line
