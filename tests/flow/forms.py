"""Replies to a real result letter of ours, as every mail program of the corpus writes them.

A program quotes our letter either by its text part or as it draws our HTML: `drawn` does that, with the ways
of the program (`Hand`): where it wraps, what it makes of lists, tables and pictures.
"""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email import message_from_bytes, policy
from email.utils import format_datetime
from html import escape
from html.parser import HTMLParser
from itertools import count
from typing import Final, Literal, NamedTuple, TypeAlias

from pbem.store.outbox import Posted
from tests.mail.corpus import Wire, multipart, part
from tests.mail.html_styles import HTML_STYLES
from tests.mail.plain_styles import ADDRESS, NAME, PLAIN_STYLES
from tests.mail.replies import UMPIRE, WRITERS, Piece, Posting, Reply, Tongue

Body: TypeAlias = Literal["plain", "html", "alternative"]
PLAIN: Final = {style.program: style for style in PLAIN_STYLES}
HTML: Final = {style.program: style for style in HTML_STYLES}
UTF8: Final = Wire("utf-8", "utf-8", "8bit")
RE: Final[Mapping[Tongue, str]] = {"en": "Re: ", "fr": "RE : ", "de": "AW: "}


class Hand(NamedTuple):
    """How a program draws HTML as text. `width` 0: it does not wrap."""

    width: int = 0
    bullet: str = "  *   "
    cells: str = "\t"
    picture: str = ""  # `{alt}` stands for the picture's words


GMAIL = Hand(78, "   - ", "\n", "[image: {alt}]")
OUTLOOK = Hand(0, "  *   ", "\t", "[{alt}]")
APPLE = Hand(0, "• ", "\n", "<map.png>")
MOZILLA = Hand(72, "  * ", "\t", "{alt}")
YAHOO = Hand(0, "   - ", "  ", "Inline image")
HANDS: Final[Mapping[str, Hand]] = {  # the others quote our text
    "Gmail web": GMAIL,
    "Gmail app": GMAIL,
    "Outlook desktop": OUTLOOK,
    "Outlook desktop, HTML": OUTLOOK,
    "Outlook web": OUTLOOK,
    "Outlook mobile": OUTLOOK,
    "Apple Mail": APPLE,
    "iPhone": APPLE,
    "Thunderbird": MOZILLA,
    "Yahoo": YAHOO,
    "GMX": YAHOO,
    "Proton": MOZILLA,
    "Samsung": YAHOO,
}


# ------------------------------------------------------------------ our letter, in a player's mailbox


@dataclass(frozen=True, slots=True)
class Ours:
    """A letter of ours as its reader has it."""

    seat: str
    name: str  # of the reader
    address: str
    message_id: str
    reply_to: str
    sender: str
    subject: str
    text: str
    html: str  # what stands in its body

    def edited(self, lines: Mapping[str, str]) -> Ours:
        """With lines of its block changed in place; a line may become several, or none."""
        html = self.html
        for old, new in lines.items():
            row = f"\n{escape(old, False)}\n"
            assert row in html, old
            html = html.replace(row, f"\n{escape(new, False)}\n" if new else "\n", 1)
        return replace(self.edited_text(lines), html=html)

    def edited_text(self, lines: Mapping[str, str]) -> Ours:
        """The same in its text alone."""
        text = self.text
        for old, new in lines.items():
            assert f"\n{old}\n" in text, old
            text = text.replace(f"\n{old}\n", f"\n{new}\n" if new else "\n", 1)
        return replace(self, text=text)

    def with_page(self, html: str) -> Ours:
        return replace(self, html=html)


def ours_of(posted: Posted, name: str) -> Ours:
    message = message_from_bytes(posted.letter.body, policy=policy.default)
    text, page = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and page is not None
    whole = str(page.get_content()).replace("\r\n", "\n")
    body = whole.partition("<body")[2].partition(">")[2].partition("</body>")[0].strip() or whole
    sender = str(message["From"])
    reply_to = str(message["Reply-To"])
    return Ours(
        posted.letter.seat or "",
        name,
        posted.letter.recipient,
        posted.letter.message_id,
        reply_to,
        sender,
        str(message["Subject"]),
        str(text.get_content()).replace("\r\n", "\n"),
        body,
    )


# ------------------------------------------------------------------ HTML as programs draw it


class _Drawing(HTMLParser):
    """Lines of a page, in one program's hand."""

    BLOCKS: Final = frozenset({"p", "div", "h1", "h2", "h3", "ul", "table", "tr", "pre"})

    def __init__(self, hand: Hand) -> None:
        super().__init__(convert_charrefs=True)
        self.hand = hand
        self.lines: list[str] = []
        self.words = ""
        self.lead = ""
        self.verbatim = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in (*self.BLOCKS, "li", "br"):
            self.end_line()
        self.lead = self.hand.bullet if tag == "li" else self.lead
        self.verbatim = self.verbatim or tag == "pre"
        if tag == "img" and self.hand.picture:
            alt = dict(attrs).get("alt") or ""
            self.lines += self.wrapped(self.hand.picture.format(alt=" ".join(alt.split())), "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self.words += self.hand.cells
        if tag in (*self.BLOCKS, "li"):
            self.end_line()
        if tag in ("p", "h1", "h2", "h3", "ul", "table", "pre"):
            self.lines.append("")
        self.verbatim = self.verbatim and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self.verbatim:
            self.lines += data.split("\n")
        else:
            self.words += data.replace("\n", " ")

    def end_line(self) -> None:
        for words in self.words.split("\n"):
            plain = " ".join(words.split(" ")).strip()
            self.lines += self.wrapped(plain, self.lead) if plain else []
        self.words = self.lead = ""

    def wrapped(self, text: str, lead: str) -> list[str]:
        if not self.hand.width:
            return [lead + text]
        indent = " " * len(lead)
        return textwrap.wrap(
            text,
            self.hand.width,
            initial_indent=lead,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def drawn(page: str, hand: Hand) -> tuple[str, ...]:
    """The page as a program puts it into a text."""
    drawing = _Drawing(hand)
    drawing.feed(page)
    drawing.close()
    drawing.end_line()
    return tuple(drawing.lines)


# ------------------------------------------------------------------ where the answer stands


def _quoted(ours: Ours, page: str, text: Sequence[str], hand: Hand | None) -> Piece:
    return Piece(False, drawn(page, hand) if hand else tuple(text), page)


def in_three(ours: Ours, hand: Hand | None) -> tuple[Piece, Piece, Piece]:
    """Our letter up to what is asked, that with the block, and the rest."""
    block = ours.html.index('class="orders"')
    first, last = ours.html.rindex("<h2", 0, block), ours.html.index("</pre>", block) + len("</pre>")
    open_tag = ours.html[: ours.html.index(">") + 1]
    rows = ours.text.splitlines()
    header = next(n for n, row in enumerate(rows) if row.startswith(("ORDERS ", "ORDRES ")))
    begin = next(n for n in range(header, 0, -1) if rows[n].startswith("====")) - 1
    end = next(n for n in range(header, len(rows)) if rows[n] in ("END", "FIN")) + 1
    pages = (
        f"{ours.html[:first]}</div>",
        f"{open_tag}{ours.html[first:last]}</div>",
        f"{open_tag}{ours.html[last:]}",
    )
    texts = (rows[:begin], rows[begin:end], rows[end:])
    found = [_quoted(ours, page, text, hand) for page, text in zip(pages, texts, strict=True)]
    return found[0], found[1], found[2]


def answer(
    ours: Ours,
    tongue: Tongue,
    posting: Posting,
    said: Sequence[str],
    also: Sequence[str] = (),
    hand: Hand | None = None,
) -> Reply:
    """`also`: what stands in another place of an interleaved answer."""
    own = Piece(True, tuple(said))
    if posting == "interleaved":
        one, two, three = in_three(ours, hand)
        between = (Piece(True, tuple(also)),) if also else ()
        return Reply(tongue, posting, (one, *between, two, own, three))
    whole = _quoted(ours, ours.html, ours.text.splitlines(), hand)
    places: dict[Posting, tuple[Piece, ...]] = {
        "top": (own, whole),
        "bottom": (whole, own),
        "alone": (own,),
    }
    return Reply(tongue, posting, places[posting])


# ------------------------------------------------------------------ the mail


def body(
    program: str, reply: Reply, ours: Ours, kind: Body, wire: Wire = UTF8, *, delsp: bool = False
) -> bytes:
    """Type, encoding and content, as the program sends that answer."""
    page = b""
    if kind != "plain":
        page = part(fitting(real(HTML[program].text(reply), reply, ours), wire), "text/html", wire)
    if kind == "html":
        return page
    style = PLAIN[program]
    text = fitting(real(style.text(reply), reply, ours), wire)
    mime = "text/plain"
    if style.flowed:
        text = flowed(text, delsp=delsp)
        mime += "; format=flowed" + ("; delsp=yes" if delsp else "")
    plain = part(text, mime, wire)
    return plain if kind == "plain" else multipart("alternative", plain, page)


def real(text: str, reply: Reply, ours: Ours) -> str:
    """The styles' stock names, replaced by those of the letter answered."""
    told = {
        UMPIRE: ours.sender,
        escape(UMPIRE): escape(ours.sender),
        NAME: ours.sender.partition(" <")[0],
        ADDRESS: ours.sender.partition("<")[2].rstrip(">"),
        WRITERS[reply.tongue]: ours.name,
        "FWW-3": ours.subject,
    }
    for stock, found in told.items():
        text = text.replace(stock, found)
    return text


def fitting(text: str, wire: Wire) -> str:
    """What its charset has no sign for is a question mark, as such programs have it."""
    return text.encode(wire.charset, "replace").decode(wire.charset)


def flowed(text: str, width: int = 66, *, delsp: bool = False) -> str:
    """RFC 3676. With DelSp a line may be broken anywhere, and the blank at its end is the wire's."""
    out: list[str] = []
    for line in text.split("\n"):
        marks = line[: len(line) - len(line.lstrip(">"))]
        rest = line[len(marks) :].removeprefix(" ") if marks else line
        rest = rest.rstrip() if rest != "-- " else rest
        gap = " " if marks or rest.startswith((" ", "From", ">")) else ""
        while len(rest) > width and (delsp or " " in rest[:width]):
            cut = width if delsp else rest.rindex(" ", 0, width) + 1
            out.append(f"{marks}{gap}{rest[:cut]}{' ' if delsp else ''}")
            rest, gap = rest[cut:], " " if marks or rest[cut:].startswith((" ", "From", ">")) else ""
        out.append(f"{marks}{gap}{rest}" if rest or not marks else marks)
    return "\n".join(out)


_MAILS = count(1)


def head(ours: Ours, tongue: Tongue, at: datetime, **changes: str) -> bytes:
    """The headers of a reply; `changes` replaces them by name, an empty one leaves it out."""
    name = base64.b64encode(ours.name.encode()).decode()
    recipient = changes.get("to", ours.reply_to)
    subject = base64.b64encode(f"{RE[tongue]}{ours.subject}".encode()).decode()
    rows = {
        "return-path": f"<{ours.address}>",
        "delivered-to": recipient,
        "from": f"=?utf-8?b?{name}?= <{ours.address}>",
        "to": recipient,
        "subject": f"=?utf-8?b?{subject}?=",
        "date": format_datetime(at),
        "message-id": f"<{next(_MAILS)}.form@clients.test>",
        "in-reply-to": ours.message_id,
        "references": f"<0.older@clients.test> {ours.message_id}",
        "mime-version": "1.0",
    } | changes
    lines = [f"{key.title()}: {value}" for key, value in rows.items() if value]
    return "\r\n".join(lines).encode() + b"\r\n"
