"""How mail programs write an HTML answer: one function a program, named as in `plain_styles`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import NamedTuple

from tests.mail.plain_styles import ANYWHERE, APPLE, ENDS, FROM_IPHONE, GET_OUTLOOK, header
from tests.mail.replies import UMPIRE, Piece, Posting, Reply

WROTE = {"en": "wrote", "fr": "a écrit", "de": "schrieb"}


class HtmlStyle(NamedTuple):
    """A program, the places where its user can write, and the HTML it makes of a reply."""

    program: str
    postings: tuple[Posting, ...]
    text: Callable[[Reply], str]


def divs(lines: Iterable[str]) -> str:
    return "".join(f"<div>{escape(line)}</div>" if line else "<div><br></div>" for line in lines)


def breaks(lines: Iterable[str]) -> str:
    return "<br>\r\n".join(escape(line).replace("  ", " &nbsp;") for line in lines)


def paragraphs(lines: Iterable[str]) -> str:
    """Word's way: a paragraph a line, in spans, a no-break space in empty ones."""
    span = "<span lang=EN-US style='font-size:11.0pt;font-family:\"Calibri\",sans-serif;color:#1F497D'>"
    return "".join(
        f"<p class=MsoNormal>{span}{escape(line) or '&nbsp;'}<o:p></o:p></span></p>\r\n" for line in lines
    )


def our_letter(piece: Piece) -> str:
    """Our own HTML as it comes back: words in divs, tables as tables, the block in a pre."""
    if piece.html:
        return piece.html
    out, block = "", list[str]()
    for line in piece.lines:
        cells = line.split("   ") if line[:4] in ("Area", "Belg") else []
        if line.startswith(("ORDERS", "  ")) or line == "END":
            block.append(escape(line))
            if line == "END":
                out, block = f"{out}<pre>{chr(10).join(block)}</pre>", []
        elif cells:
            row = "".join(f"<td style='padding:2px'>{escape(c.strip())}</td>" for c in cells if c.strip())
            out += f"<table role=presentation><tbody><tr>{row}</tr></tbody></table>"
        else:
            out += f"<p style='margin:0'>{escape(line)}</p>" if line else "<p>&nbsp;</p>"
    return out + (f"<pre>{chr(10).join(block)}</pre>" if block else "")


def introduced(reply: Reply, own: Callable[[Iterable[str]], str], quote: Callable[[Piece, bool], str]) -> str:
    out, first = "", True
    for piece in reply.pieces:
        out += own(piece.lines) if piece.own else quote(piece, first)
        first = first and piece.own
    return out


def gmail(reply: Reply) -> str:
    """Answers between quotes stand inside the container that carries the quote's name."""
    style = 'style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"'

    def quote(piece: Piece, first: bool) -> str:
        attribution = (
            f'<div dir="ltr" class="gmail_attr">On Mon, Nov 16, 2026 at 9:23 AM {escape(UMPIRE)} '
            f"{WROTE[reply.tongue]}:<br></div>"
        )
        body = f'<blockquote class="gmail_quote" {style}>{our_letter(piece)}</blockquote>'
        return (attribution if first else "") + body

    inner = introduced(reply, divs, quote)
    if reply.posting == "top":
        head, mark, rest = inner.partition('<div dir="ltr" class="gmail_attr">')
        container = '<div class="gmail_quote gmail_quote_container">'
        return f'<div dir="ltr">{head}</div><br>{container}{mark}{rest}</div>'
    if reply.posting == "alone":
        return f'<div dir="ltr">{inner}</div>'
    return f'<div dir="ltr"><div class="gmail_quote">{inner}</div></div>'


def word(inner: str) -> str:
    return (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!--\n'
        "p.MsoNormal {margin:0cm;}\n--></style><!--[if gte mso 9]><xml><o:x/></xml><![endif]--></head>"
        f"<body lang=FR link=blue><div class=WordSection1>{inner}</div></body></html>"
    )


def outlook_desktop(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        rows = [row.partition(": ") for row in header(reply.tongue)]
        copied = "<br>".join(f"<b>{escape(label)}:</b> {escape(value)}" for label, _, value in rows)
        return (
            "<div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>"
            f"<p class=MsoNormal>{copied}<o:p></o:p></p></div></div><p class=MsoNormal><o:p>&nbsp;</o:p></p>"
            f"{our_letter(piece)}"
        )

    return word(introduced(reply, paragraphs, quote))


def outlook_desktop_indented(reply: Reply) -> str:
    """With the option to indent: a blue border left of everything that is quoted."""

    def quote(piece: Piece, first: bool) -> str:
        rows = "<br>".join(f"<b>{escape(row)}</b>" for row in header(reply.tongue)) if first else ""
        bar = "<div style='border:none;border-left:solid blue 1.5pt;padding:0cm 0cm 0cm 4.0pt'>"
        return f"{bar}<div><p class=MsoNormal>{rows}</p></div>{our_letter(piece)}</div>"

    return word(introduced(reply, paragraphs, quote))


def outlook_web(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        rows = "<br>".join(f"<b>{escape(row)}</b>" for row in header(reply.tongue))
        return (
            '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
            f'<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri" style="font-size:11pt">{rows}</font>'
            f"<div>&nbsp;</div></div><div>{our_letter(piece)}</div>"
        )

    return f'<html><body dir="ltr">{introduced(reply, divs, quote)}</body></html>'


def outlook_mobile(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        rows = "<br>".join(f"<b>{escape(row)}</b>" for row in header(reply.tongue))
        tail, _, link = GET_OUTLOOK[reply.tongue].partition("<")
        return (
            f'<div id="ms-outlook-mobile-signature"><div><br></div>{tail} '
            f'<a href="{link.rstrip(">")}">iOS</a></div>'
            f'<hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr">{rows}</div>'
            f"<div>{our_letter(piece)}</div>"
        )

    return f"<html><body>{introduced(reply, divs, quote)}</body></html>"


def apple_mail(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        attribution = (
            f"<div>{escape(APPLE[reply.tongue])}</div><br class='Apple-interchange-newline'>" if first else ""
        )
        body = f"<div>{our_letter(piece)}</div>"
        return f'<div><blockquote type="cite">{attribution}{body}</blockquote></div>'

    return f'<html><body style="overflow-wrap: break-word;">{introduced(reply, divs, quote)}</body></html>'


def iphone(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        wrote = escape(APPLE[reply.tongue])
        attribution = f"<div dir='ltr'><br><blockquote type='cite'>{wrote}<br><br></blockquote></div>"
        tail = f'<div id="AppleMailSignature" dir="ltr">{FROM_IPHONE[reply.tongue]}</div>'
        body = f"<blockquote type='cite'><div dir='ltr'>\ufeff{our_letter(piece)}</div></blockquote>"
        return (tail + attribution if first else "") + body

    return f'<html><body dir="auto">{introduced(reply, breaks, quote)}</body></html>'


def thunderbird(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        attribution = (
            f'<div class="moz-cite-prefix">On 11/16/26 09:23, Umpire {WROTE[reply.tongue]}:<br></div>'
            if first
            else ""
        )
        lines = escape("\n".join(piece.lines))
        body = piece.html or f'<pre class="moz-quote-pre" wrap="">{lines}</pre>'
        return f'{attribution}<blockquote type="cite" cite="mid:a@b">{body}</blockquote>'

    signature = '<pre class="moz-signature" cols="72">-- \nCapitaine Lefèvre\nTél. 01 02 03</pre>'
    return f"<html><body><p>{introduced(reply, breaks, quote)}</p>{signature}</body></html>"


def yahoo(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        return (
            '<div id="yahoo_quoted_42" class="yahoo_quoted"><div style="color:#26282a;"><div>'
            "On Monday, November 16, 2026 at 09:23:11 AM GMT+1, "
            f"{escape(UMPIRE)} {WROTE[reply.tongue]}: </div>"
            f"<div><br></div><div><div dir='ltr'>{our_letter(piece)}</div></div></div></div>"
        )

    body = introduced(reply, lambda lines: f'<div dir="ltr" data-setdir="false">{divs(lines)}</div>', quote)
    return f'<html><body><div class="ydp3d-yahoo-style-wrap">{body}</div></body></html>'


def gmx(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        rows = "<br/>\n".join(f"<b>{escape(row)}</b>" for row in header(reply.tongue))
        style = "margin:10px 5px 5px 10px; padding: 10px 0 10px 10px; border-left:2px solid #C3D9E5;"
        return (
            f'<div name="quote" style="{style}"><div style="margin:0 0 10px 0;">{rows}</div>'
            f'<div name="quoted-content">{our_letter(piece)}</div></div>'
        )

    return (
        f'<html><body><div style="font-family: Verdana;">{introduced(reply, divs, quote)}</div></body></html>'
    )


def proton(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        attribution = f"On Monday, 16 November 2026 at 09:23, {escape(UMPIRE)} {WROTE[reply.tongue]}:<br><br>"
        return (
            '<div class="protonmail_signature_block">Sent with <a href="https://p.me">Proton Mail</a>.</div>'
            f'<div class="protonmail_quote">{attribution}<blockquote class="protonmail_quote" type="cite">'
            f"{our_letter(piece)}</blockquote><br></div>"
        )

    return f'<div style="font-family: Arial; font-size: 14px;">{introduced(reply, divs, quote)}</div>'


def zimbra(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        return (
            '<hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__"><b>De: </b>"Umpire"<br>'
            "<b>À: </b>jerome@free.fr<br><b>Envoyé: </b>Lundi 16 Novembre 2026 09:23<br>"
            "<b>Objet: </b>FWW-3<br></div>"
            f'<div data-marker="__QUOTED_TEXT__">{our_letter(piece)}</div>'
        )

    return f'<html><body><div style="font-family: arial">{introduced(reply, divs, quote)}</div></body></html>'


def orange(reply: Reply) -> str:
    def quote(piece: Piece, first: bool) -> str:
        rows = '> Message du 16/11/26 09:23<br>> De : "Umpire"<br>> A : j@orange.fr<br>> Objet : FWW-3<br>'
        style = "padding-left: 5px; margin-left: 5px; border-left:#ff6600 2px solid;"
        intro = rows.replace("> ", "&gt; ") if first else ""
        return f'<blockquote style="{style}">{intro}{our_letter(piece)}</blockquote>'

    return f"<p>{introduced(reply, breaks, quote)}</p>"


HTML_STYLES = (
    HtmlStyle("Gmail web", ANYWHERE, gmail),
    HtmlStyle("Outlook desktop", ENDS, outlook_desktop),
    HtmlStyle("Outlook desktop, indented", ANYWHERE, outlook_desktop_indented),
    HtmlStyle("Outlook web", ENDS, outlook_web),
    HtmlStyle("Outlook mobile", ENDS, outlook_mobile),
    HtmlStyle("Apple Mail", ANYWHERE, apple_mail),
    HtmlStyle("iPhone", ANYWHERE, iphone),
    HtmlStyle("Thunderbird", ANYWHERE, thunderbird),
    HtmlStyle("Yahoo", ENDS, yahoo),
    HtmlStyle("GMX", ENDS, gmx),
    HtmlStyle("Proton", ENDS, proton),
    HtmlStyle("Free", ENDS, zimbra),
    HtmlStyle("Orange", ANYWHERE, orange),
)
