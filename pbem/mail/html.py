"""HTML letters as lines with their quote depth.

inscriptis draws the text; what it must not decide is settled in the tree before. In place of every piece of
text stands a tag (a private-use character) by which its words are found again, how deep in quotes it stands,
who put it there, and whether it is struck out. So all this survives the drawing; it looks at every sign, and
long texts cost nothing.
Tables become rows of words: drawn side by side, two cells could fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from html import unescape
from itertools import zip_longest
from typing import NamedTuple

from inscriptis.css_profiles import CSS_PROFILES  # type: ignore[import-untyped]
from inscriptis.html_engine import Inscriptis  # type: ignore[import-untyped]
from inscriptis.model.config import ParserConfig  # type: ignore[import-untyped]
from inscriptis.model.html_document_state import HtmlDocumentState  # type: ignore[import-untyped]
from inscriptis.model.tag import CustomHtmlTagHandlerMapping  # type: ignore[import-untyped]
from lxml import etree  # type: ignore[import-untyped]

from pbem.mail.message import Role, TextLine

MAX_HTML_BYTES = 512 * 1024
MAX_HTML_DEPTH = 200  # the drawing recurses once a level
MAX_HTML_NODES = 2_500
MAX_HTML_TAGS = 5 * MAX_HTML_NODES  # begun or ended, in comments, too: counted before the tree is built
MAX_HTML_QUOTES = 50

_FIRST_TAG = 0xF0000  # Supplementary Private Use Area-A
_TAGS = re.compile("[\U000f0000-\U000ffffd]")
_TAGGED = re.compile("([\U000f0000-\U000ffffd])([^\U000f0000-\U000ffffd]*)")
_BREAK = "\U0010fffd"  # for a line end: drawn as an element each would cost as much as a paragraph
_GONE = "gone"
_TAG = re.compile(r"<[^<>]*>")
_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([a-z0-9_.:-]{1,40})", re.IGNORECASE)
_NEWLINE = re.compile(r"\n(?=[^\n])")

# Who put an element there, by the names that mail programs give it.
ATTRIBUTION = re.compile(
    r"\b(?:gmail_attr|moz-cite-prefix|moz-email-headers-table|OutlookMessageHeader|divRplyFwdMsg|reply-intro"
    r"|replyintro|ymail_attribution|__HEADERS__|x_divRplyFwdMsg)\b",
    re.IGNORECASE,
)
SIGNATURE = re.compile(
    r"\b(?:gmail_signature(?:_prefix)?|moz-signature|ms-outlook-mobile-signature|protonmail_signature_block\S*"
    r"|ymail_android_signature|yahoo-signature|AppleMailSignature|k9mail-signature|tutanota_signature|x_Signature"
    r"|Signature|ydp\w*signature)\b",
)
QUOTE = re.compile(
    r"\b(?:yahoo_quoted|protonmail_quote|tutanota_quote|moz-forward-container|mail-editor-reference-message-container"
    r"|zmail_extra|__QUOTED_TEXT__|cs2342|hs_reply|quoted-content|quotedcontent)\b",
    re.IGNORECASE,
)
_BORDERED = re.compile(r"border-left(?:-width)?\s*:[^;]*\b[1-9]", re.IGNORECASE)
_DIVIDED = re.compile(r"border-top(?:-style)?\s*:[^;]*\bsolid", re.IGNORECASE)
_UNBORDERED = re.compile(r"border\s*:\s*(?:medium\s+)?none", re.IGNORECASE)  # indented by hand
_NUMBER = re.compile(r"[0-9]{1,4}")
_HIDDEN = re.compile(r"display\s*:\s*none|mso-hide\s*:\s*all", re.IGNORECASE)
_WHITE_SPACE = re.compile(r"white-space\s*:\s*(?:(pre|break-spaces)|normal|nowrap)", re.IGNORECASE)
_VERBATIM_TAGS = frozenset({"pre", "xmp", "listing", "plaintext"})
_STRUCK_TAGS = frozenset({"s", "strike", "del"})
_STRUCK = re.compile(r"text-decoration(?:-line)?\s*:[^;]*\bline-through", re.IGNORECASE)
_UNSTRUCK = re.compile(r"text-decoration(?:-line)?\s*:\s*none", re.IGNORECASE)
_STRIKING = frozenset({"strike", "strikethrough", "line-through", "struck"})  # as classes
_CLASS = re.compile(r"\.([\w-]{1,60})")
MAX_STYLE = 20_000  # characters of style sheets
_WINGDINGS = re.compile("wingdings", re.IGNORECASE)
_SYMBOLS = {  # as letters: arrows and faces
    **dict.fromkeys("\u00e0\u00e8", "\u2192"),
    **dict.fromkeys("\u00df\u00e7", "\u2190"),
    **dict.fromkeys("JKL", ""),
}
_BOXES = ("[ ]", "[x]")  # empty, ticked
_MAY_STRIKE = re.compile(r"<(?:s|strike|del)[\s>/]|line-through", re.IGNORECASE)
_BLOCKS = frozenset(
    {"table", "tbody", "thead", "tfoot", "tr", "caption", "section", "dl", "dt", "dd", "form", "fieldset"}
    | {"legend", "details", "summary", "dialog", "center", "hr"}
)  # they begin a line, and the drawing does not know
_AS_BLOCK = re.compile(r"display\s*:\s*(?:block|flex|grid|list-item|table\b(?!-cell))", re.IGNORECASE)
_DROPPED = (
    "script",
    "style",
    "head",
    "title",
    "noscript",
    "template",
    "object",
    "svg",
    "math",
    "textarea",
    "select",
)


_COUNT = etree.XPath("count(//*)")
_IS_DEEP = etree.XPath(f"boolean(//*[count(ancestor::*) >= {MAX_HTML_DEPTH}])")


class TooDeep(ValueError):
    """The tree is deeper or larger than is drawn."""


@dataclass(slots=True)
class Room:
    """What is left of the HTML that one letter may have, in however many texts."""

    tags: int = MAX_HTML_TAGS
    nodes: int = MAX_HTML_NODES

    def take(self, *, tags: int = 0, nodes: int = 0) -> None:
        """Raises TooDeep if there is no room."""
        self.tags, self.nodes = self.tags - tags, self.nodes - nodes
        if min(self.tags, self.nodes) < 0:
            raise TooDeep


def lines_of(text: str, room: Room | None = None) -> list[TextLine]:
    """The visible lines of an HTML text; raises TooDeep."""
    room = room or Room()
    text = _TAGS.sub("", text.replace("\x00", "").replace(_BREAK, "")).strip()
    if not text:
        return []
    room.take(tags=text.count("<"))
    tree = _tree(text)
    if tree is None:
        return []
    room.take(nodes=int(_COUNT(tree)))
    if _IS_DEEP(tree):
        raise TooDeep
    _simplify(tree)
    pieces = _mark(tree)
    drawn = Inscriptis(tree, _config()).get_text()
    rows = [row for block in drawn.split("\n") for row in _rows(block)]
    return list(_with_blanks_settled([_line(row, pieces) for row in rows]))


def pictures_of(text: str) -> list[str]:
    """The words that stand for the pictures of an HTML text."""
    tree = _tree(text.strip()) if text.strip() else None
    found = [] if tree is None else [picture.get("alt", "") for picture in tree.iter("img")]
    return [words for words in found if words.strip()]


def undrawn_words(text: str) -> str:
    """All that stands outside the tags of an HTML text, be it shown or not; it need not be drawn."""
    return unescape(_TAG.sub("", text))


def may_strike(text: str) -> bool:
    """Has an HTML text any sign of something struck out? Most have none, and need not be drawn to tell."""
    return bool(_MAY_STRIKE.search(text))


def declared_charset(data: bytes) -> str:
    """The charset that an HTML text names in its own head; "" if it names none."""
    found = _META.search(data[:4096])
    return found[1].decode("ascii") if found else ""


def _tree(text: str) -> etree._Element | None:
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):  # nothing but blanks and comments
        return None


def _config() -> ParserConfig:
    """A setting of its own for each drawing: inscriptis writes into the element of the body."""
    lists = CustomHtmlTagHandlerMapping({"ul": _bulleted, "ol": _numbered}, {})
    css = {**CSS_PROFILES["strict"], "body": copy(CSS_PROFILES["strict"]["body"])}
    return ParserConfig(css=css, custom_html_tag_handler_mapping=lists)


def _bulleted(state: HtmlDocumentState, _: Mapping[str, str]) -> None:
    """The same bullet at every level: in orders the letter o is no bullet."""
    state.li_counter.append("* ")


def _numbered(state: HtmlDocumentState, attributes: Mapping[str, str]) -> None:
    """A list that begins with 3 begins with 3: the number may be an answer."""
    state.li_counter.append(int(attributes.get("start", "1")))


def _simplify(tree: etree._Element) -> None:
    """Only what can be read stays; tables become rows of words."""
    for element in tree.iter("input", "li"):
        _draw_box(element)
    for element in tree.iter("span", "font"):
        _read_symbols(element)
    _strike_by_class(tree)
    etree.strip_elements(tree, *_DROPPED, with_tail=False)
    for element in tree.iter():
        if element.tag in _BLOCKS or (element.tag == "span" and _AS_BLOCK.search(element.get("style", ""))):
            element.tag = "div"
        elif element.tag in ("td", "th"):
            element.tag = "span"
            element.tail = f" {element.tail or ''}"


def _strike_by_class(tree: etree._Element) -> None:
    """What a style sheet strikes out, or a class whose name says so, as if it said it itself."""
    rules = "}".join(element.text or "" for element in tree.iter("style"))[:MAX_STYLE]
    striking = [rule.partition("{")[0] for rule in rules.split("}") if "line-through" in rule]
    names = {name for selector in striking for name in _CLASS.findall(selector)} | _STRIKING
    for element in tree.iter():
        if element.keys() and not names.isdisjoint(element.get("class", "").split()):
            element.set("style", f"{element.get('style', '')};text-decoration:line-through")


def _read_symbols(element: etree._Element) -> None:
    """Arrows and faces that programs for letters make of `-->` and `:)`, as letters in a font of symbols."""
    sign = (element.text or "").strip()
    if sign in _SYMBOLS and _WINGDINGS.search(f"{element.get('style', '')} {element.get('face', '')}"):
        element.text = _SYMBOLS[sign]


def _draw_box(element: etree._Element) -> None:
    """A box that can be ticked, as text."""
    if element.tag == "li":
        told = element.get("data-checked") or element.get("aria-checked")
        if told in ("true", "false"):
            element.text = f"{_BOXES[told == 'true']} {element.text or ''}"
    elif element.get("type", "").lower() in ("checkbox", "radio"):
        ticked = element.get("checked") is not None
        element.tag, element.text = "span", _BOXES[ticked]
        element.tail = f" {element.tail or ''}"


class _Place(NamedTuple):
    """Where a piece of text stands."""

    depth: int = 0
    role: Role = ""
    verbatim: bool = False
    struck: bool = False


class _Piece(NamedTuple):
    """What a tag stands for; no text: it follows as it is."""

    place: _Place
    text: str


def _mark(tree: etree._Element) -> list[_Piece]:
    """Put tags for texts, and leave of the styles what hides or keeps blanks."""
    pieces: list[_Piece] = []
    places = [_Place()]
    apart = 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if event == "start":
            apart += _is_apart(element)
            places.append(_standing(element, places[-1]))
            element.text = _tagged(element.text, pieces, places[-1])
            continue
        verbatim = places.pop().verbatim
        element.tail = _tagged(element.tail, pieces, places[-1])
        apart -= _is_apart(element)
        _bare(element, verbatim)
        if element.tag == "br" and not apart and not places[-1].verbatim:
            element.tag, element.tail = _GONE, _BREAK + (element.tail or "")
    etree.strip_tags(tree, _GONE)
    return pieces


def _is_apart(element: etree._Element) -> bool:
    """Bullets wait for the first word, and what is hidden still parts what stands around it."""
    return element.tag == "li" or (bool(element.keys()) and bool(_HIDDEN.search(element.get("style", ""))))


def _standing(element: etree._Element, around: _Place) -> _Place:
    depth, role, verbatim, struck = around
    verbatim = verbatim or element.tag in _VERBATIM_TAGS
    struck = struck or element.tag in _STRUCK_TAGS
    if not element.keys():  # as with most
        deeper = element.tag == "blockquote" and depth < MAX_HTML_QUOTES
        return _Place(depth + deeper, "" if deeper else role, verbatim, struck)
    names = " ".join(element.get(key, "") for key in ("class", "id", "name", "data-marker"))
    style = element.get("style", "")
    if depth < MAX_HTML_QUOTES and _quotes(element, names, style):
        depth, role = depth + 1, ""
    if ATTRIBUTION.search(names) or (_DIVIDED.search(style) and _copied_header(element)):
        role = "attribution"
    elif depth == 0 and SIGNATURE.search(names):
        role = "signature"
    return _Place(depth, role, _is_verbatim(style, verbatim), _is_struck(style, struck, around))


def _is_verbatim(style: str, otherwise: bool) -> bool:
    """What an element says of blanks and line ends holds for all inside it that says nothing itself."""
    said = _WHITE_SPACE.search(style)
    return otherwise if said is None else said[1] is not None


def _is_struck(style: str, by_tag: bool, around: _Place) -> bool:
    """A line through a text goes through all that stands inside it, whatever that says itself."""
    if around.struck or _STRUCK.search(style):
        return True
    return by_tag and not _UNSTRUCK.search(style)


def _quotes(element: etree._Element, names: str, style: str) -> bool:
    if element.tag == "blockquote":
        return not (_UNBORDERED.search(style) and element.get("type") is None and not names.strip())
    if "gmail_quote" in names.split() or "gmail_quote_container" in names.split():
        return _is_forward(element)  # in a reply the blockquotes inside count, and answers stand between them
    if QUOTE.search(names):
        return element.find(".//blockquote") is None
    if element.get("name") == "quote":  # GMX and web.de
        return True
    return element.tag == "div" and bool(_BORDERED.search(style)) and element.getparent() is not None


def _is_forward(element: etree._Element) -> bool:
    """Gmail's container of a forwarded mail: no blockquote, and an introduction in dashes."""
    if element.find(".//blockquote") is not None:
        return False
    attributions = element.xpath(".//div[contains(@class, 'gmail_attr')]")
    return bool(attributions) and (attributions[0].text or "").lstrip().startswith("----")


def _copied_header(element: etree._Element) -> bool:
    """Microsoft's copied header: a rule above, several bold names with colons in it."""
    bold = [*element.iterfind(".//b"), *element.iterfind(".//strong")]
    return sum("".join(name.itertext()).rstrip().endswith(":") for name in bold) >= 2


def _bare(element: etree._Element, verbatim: bool) -> None:
    """The drawing hands nothing down: every element has to say itself whether its blanks are kept."""
    settled = verbatim == (element.tag in _VERBATIM_TAGS)
    if settled and not element.keys():
        return
    hidden = bool(_HIDDEN.search(element.get("style", "")))
    number = {"ol": "start", "li": "value"}.get(element.tag, "")
    counted = element.get(number, "") if number else ""
    element.attrib.clear()
    if _NUMBER.fullmatch(counted):
        element.set(number, counted)
    if hidden:
        element.set("style", "display:none")
    elif not settled:
        element.set("style", f"white-space:{'pre' if verbatim else 'normal'}")


def _tagged(text: str | None, pieces: list[_Piece], place: _Place) -> str | None:
    if not text or not text.strip():
        return text
    tag = chr(_FIRST_TAG + len(pieces))
    if place.verbatim:
        pieces.append(_Piece(place, ""))
        start = len(text) - len(text.lstrip())
        return text[:start] + tag + _NEWLINE.sub(f"\n{tag}", text[start:])
    pieces.append(_Piece(place, unescape(" ".join(text.split()))))  # as it would be drawn
    before, after = (" " if sign.isspace() else "" for sign in (text[0], text[-1]))
    return before + tag + after


def _rows(drawn: str) -> list[str]:
    """A drawn line by the line ends in it; the last one ends it."""
    return drawn.rstrip(" ").removesuffix(_BREAK).split(_BREAK) if _BREAK in drawn else [drawn]


def _line(drawn: str, pieces: Sequence[_Piece]) -> TextLine:
    """A drawn line; the first tag in it says where it stands."""
    tags = _TAGS.findall(drawn)
    if not tags:
        return TextLine(drawn.strip())
    inside = [pieces[ord(tag) - _FIRST_TAG].place for tag in tags]
    text = _TAGS.sub(lambda tag: pieces[ord(tag[0]) - _FIRST_TAG].text, drawn)
    left = _left(drawn, pieces) if any(place.struck for place in inside) else None
    return TextLine(text.strip(), inside[0].depth, inside[0].role, left)


def _left(drawn: str, pieces: Sequence[_Piece]) -> str | None:
    """What is left of a line without what is struck out; None: what is struck out says nothing.

    A bullet, a bracket or a dash says nothing: where no more is left, nothing is.
    """
    gone = kept = ""
    for tag, after in _TAGGED.findall(drawn):
        piece = pieces[ord(tag) - _FIRST_TAG]
        if piece.place.struck:
            gone += piece.text + after
        else:
            kept += piece.text + after
    if not _says_something(gone):
        return None
    return kept.strip() if _says_something(kept) else ""


def _says_something(text: str) -> bool:
    return any(sign.isalnum() for sign in text)


def _with_blanks_settled(lines: list[TextLine]) -> Iterator[TextLine]:
    """Blank lines stand as deep as the shallower of their neighbours; runs of them become one."""
    before = 0
    for line, after in zip_longest(lines, lines[1:]):
        if line.text:
            before = line.quoted
            yield line
        elif after is not None and after.text:
            yield TextLine("", min(before, after.quoted))
