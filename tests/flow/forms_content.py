"""What mails are made of: characters and encodings, HTML as people write it, attachments, forwards."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape
from typing import Final

from tests.flow.forms import HANDS, HTML, UTF8, answer, body, flowed
from tests.flow.forms_cases import EDITS, Form, Writing
from tests.flow.forms_said import ATTACK, FRENCH, IF_WON, Meant
from tests.flow.forms_special import BLOCK, SILENT, Row, form, forms
from tests.mail.corpus import Wire, multipart, part
from tests.mail.replies import Posting

WON: Final = Meant(IF_WON)
STRUCK: Final = Meant(asks=("struck-in-part",))
IN_FRENCH: Final = Meant(FRENCH)
QUOTED_PRINTABLE: Final = Wire("utf-8", "utf-8", "quoted-printable")
TO_RIGHT, TO_LEFT, ENDS = chr(0x200E), chr(0x202B), chr(0x202C)

SIGNS: Final = (
    Row("Apple Mail", "arrows and smart signs",
        "C1\u2009: ATTACK 3\nC2: MOVE 1: DE1\u202fDE2 \u2192 2\n\n\u201cThanks\u201d \u2014 Max\u2026"),
    Row("iPhone", "marks of direction and of no width",
        f"{TO_LEFT}C1: {TO_LEFT}ATTACK{ENDS} 3{TO_RIGHT}\nC2: MOVE 1: DE1 DE2 > 2\u200b\n\ufeffThanks"),
    Row("Gmail web", "soft hyphens and no-break blanks",
        ATTACK.replace("ATTACK", "AT\u00adTACK").replace(" ", "\u00a0")),
    Row("Apple Mail", "accents in two pieces",
        "PRE\u0302T\nC1 : ATTAQUE 2\nC2 : MOUVEMENT 3 : FR2 FR3 > 2\n\nA\u0300 biento\u0302t",
        Meant(FRENCH, stance="ready"), tongue="fr"),
    Row("Yahoo", "tabs and an indented block", "\n".join(f"\t    {line}" for line in BLOCK.split("\n"))),
    Row("Gmail web", "bold words as asterisks",
        "*ORDERS FWW-1 T1.R*\n*C1: ATTACK 3*\n*C2:* MOVE 1: DE1 DE2 > 2\n*END*"),
    Row("Proton", "a fence around the block", f"```\n{BLOCK}\n```"),
    Row("iPhone", "dictated in small letters", BLOCK.lower()),
    Row("GMX", "an END with a full stop", BLOCK.replace("END", "End.")),
    Row("Free", "list letters", "a) C1: ATTACK 3\nb) C2: MOVE 1: DE1 DE2 > 2"),
    Row("Outlook web", "list numbers in brackets", "(1) C1: ATTACK 3\n(2) C2: MOVE 1: DE1 DE2 > 2"),
    Row("Orange", "every line end doubled", ATTACK.replace("\n", "\n\n\n")),
    Row("Outlook desktop", "a long order wrapped by hand",
        IF_WON.replace("THEN ATTACK", "THEN\nATTACK").replace(" ELSE", "\nELSE"), WON),
    Row("mutt", "a long order wrapped in its block",
        f"ORDERS FWW-1 T1.R\n{IF_WON}\nEND".replace(" ELSE", "\n   ELSE"), WON),
    Row("Roundcube", "flowed, an order in pieces",
        part(flowed(f"{IF_WON}\n\nBest regards,\nMax", 30), "text/plain; format=flowed", UTF8), WON),
    Row("Outlook desktop", "arrows as letters, introduced and signed",
        f"Hi all,\n\nPlease find my orders for turn 1 below:\n\n{ATTACK.replace('>', 'à')}\n\nThx,\nMax\n"
        "M: +49 170 1234567 | max@de.test\n\n[ACME - INTERNAL USE ONLY]"),
    Row("Orange", "introduced and signed in French",
        f"Bonjour,\n\nVeuillez trouver mes ordres ci-dessous :\n\n{FRENCH.replace('>', 'à')}\n\nMerci,\n"
        "Jeanne Dubois\nTél. : 01 23 45 67 89", IN_FRENCH, tongue="fr"),
    Row("Outlook web", "ticked boxes", f"[x] {ATTACK}".replace("\n", "\n[X] ")),
    Row("Gmail web", "a box left empty", f"- [x] {ATTACK}".replace("\n", "\n- [ ] "), STRUCK),
    Row("Thunderbird", "tildes through a line", f"~~{ATTACK}\n~~READY~~".replace("\n", "~~\n", 1), STRUCK),
    Row("Apple Mail", "a stroke through every letter", "READ\u0336Y\u0336", STRUCK),
    Row("Free", "bare line feeds",
        part(f"Bonjour,\n\n{FRENCH}\n\nÀ bientôt", "text/plain", UTF8).replace(b"\r\n", b"\n"), IN_FRENCH,
        tongue="fr"),
)  # fmt: skip


def wires(writing: Writing) -> Iterator[Form]:
    yield from forms(writing, SIGNS)
    ours, lines = writing.ours["DE"], ("Hello,", "", *IF_WON.split("\n"), "Max")
    postings: tuple[Posting, ...] = ("top", "bottom")
    for program in ("Apple Mail", "Thunderbird"):
        for posting in postings:
            reply = answer(ours, "en", posting, lines, hand=HANDS[program])
            content = body(program, reply, ours, "plain", QUOTED_PRINTABLE, delsp=True)
            yield form(writing, Row(program, f"flowed with DelSp, {posting}", content, WON))
    said = f"Bonjour à tous,\n\n{FRENCH}\n\nÀ bientôt, Jeanne"
    for charset in ("iso-8859-15", "macintosh", "utf-7", "utf-16-be"):
        content = part(said, "text/plain", Wire(charset, charset, "base64"))
        yield form(writing, Row("Free", charset, content, IN_FRENCH, tongue="fr"))


# ------------------------------------------------------------------ HTML as people write it


def pages(writing: Writing) -> Iterator[Form]:
    one, two = (escape(line) for line in ATTACK.split("\n"))
    words = "<td>C1:</td><td>ATTACK</td><td>3</td></tr><tr><td>C2:</td>"
    shapes = {
        "a list with bullets": f"<ul><li>{one}</li><li>{two}</li></ul>",
        "a numbered list": f"<p>Hello,</p><ol><li>{one}</li><li>{two}</li></ol><p>Thanks</p>",
        "a table": f"<table><tr><td>{one}</td></tr><tr><td>{two}</td></tr></table>",
        "a table with a cell a word": f"<table><tr>{words}<td>{two[4:]}</td></tr></table>",
        "breaks only": f"{one}<br>{two}<br><br>Cheers",
        "many colours": f"<div><i>C1</i>: <b>ATT</b>ACK&nbsp;3</div><div><font size=5>{two}</font></div>",
        "a pre": f"<pre>ORDERS FWW-1 T1.R\n{one}\n{two}\nEND</pre>",
        "hidden words": f"<div style='display:none'>C1: ATTACK 4</div><p>{one}</p><p>{two}</p>",
        "a style sheet and a comment": f"<style>p {{ top: 0 }}</style><!-- C1: PASS --><p>{one}<p>{two}",
        "indented by hand": f"<blockquote style='margin-left:40px;border:none'>{one}<br>{two}</blockquote>",
    }
    for program, (name, shape) in zip(HTML, shapes.items(), strict=False):
        page = part(f"<html><body>{shape}</body></html>", "text/html", UTF8)
        yield form(writing, Row(program, f"HTML alone: {name}", page))


def _file(text: str, name: str = "orders.txt", kind: str = "text/plain") -> bytes:
    data = base64.encodebytes(text.encode()).decode().replace("\n", "\r\n")
    rows = f'Content-Type: {kind}; name="{name}"\r\nContent-Disposition: attachment; filename="{name}"'
    return f"{rows}\r\nContent-Transfer-Encoding: base64\r\n\r\n{data}".encode()


def _with(text: str, *parts: bytes) -> bytes:
    return multipart("mixed", part(text, "text/plain", UTF8), *parts)


def nested(writing: Writing) -> Iterator[Form]:
    """Texts beside HTML, pictures and signatures, in each other."""
    page = part("".join(f"<p>{escape(line)}</p>" for line in ATTACK.split("\n")), "text/html", UTF8)
    logo = (
        b"Content-Type: image/png\r\nContent-Id: <l@x>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n"
    )
    related = multipart("related", page, logo, boundary="=_r")
    text = part(f"{ATTACK}\n", "text/plain", UTF8)
    both = multipart("alternative", text, related, boundary="=_a")
    signature = _file("MIIB", "smime.p7s", "application/pkcs7-signature")
    tnef = _file("eJ8+", "winmail.dat", "application/ms-tnef")
    beside = multipart("alternative", part("\n", "text/plain", UTF8), page)
    yield from forms(
        writing,
        [
            Row("Outlook web", "an empty text beside the HTML", beside),
            Row("Outlook desktop", "text, HTML and a logo", multipart("mixed", both, boundary="=_m")),
            Row("Thunderbird", "signed with S/MIME", multipart("signed", text, signature)),
            Row("Outlook desktop", "with a winmail.dat", _with(ATTACK, tnef)),
        ],
    )


# ------------------------------------------------------------------ attachments and forwards


def files(writing: Writing) -> Iterator[Form]:
    other = _file(BLOCK.replace("ATTACK 3", "ATTACK 4"))
    card = _file("BEGIN:VCARD\nN:Brandt;Max\nEND:VCARD", "max.vcf", "text/vcard")
    loose = _file(BLOCK, "orders.txt", "application/octet-stream")
    pdf = _file("%PDF-1.4", "orders.pdf", "application/pdf")
    attached = "Hello,\nmy orders are attached.\nMax"
    yield from forms(
        writing,
        [
            Row("Gmail app", "orders in a file", _with("\n", _file(BLOCK))),
            Row("Outlook mobile", "orders in a file, a word in the mail", _with(attached, _file(BLOCK))),
            Row("Yahoo", "a file without a header", _with("\n", _file(f"{ATTACK}\n"))),
            Row("Apple Mail", "a file of no type", _with("\n", loose)),
            Row("GMX", "the same block in mail and file", _with(BLOCK, _file(BLOCK))),
            Row(
                "Thunderbird",
                "another block in the file",
                _with(BLOCK, other),
                Meant(asks=("several-blocks",)),
            ),
            Row("Outlook desktop", "a visiting card", _with(BLOCK, card)),
            Row("Samsung", "a file that nobody can read", _with("\n", pdf), SILENT),
        ],
    )


def forwards(writing: Writing) -> Iterator[Form]:
    ours = writing.ours["DE"]
    top = f"From: {ours.sender}\r\nSubject: [FWW-1]\r\nMIME-Version: 1.0\r\n"
    mail = f"Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n{top}".encode()
    whole, edited = (part(one.text, "text/plain", UTF8) for one in (ours, ours.edited(EDITS["DE"])))
    date, to = "Tue, 17 Nov 2026 09:23:11 +0100", "max@de.test"
    titles = {
        "Gmail web": f"---------- Forwarded message ---------\nFrom: {ours.sender}\nDate: {date}\n"
        f"Subject: {ours.subject}\nTo: <{to}>",
        "Apple Mail": f"Begin forwarded message:\n\nFrom: {ours.sender}\nSubject: {ours.subject}\n"
        f"Date: {date}\nTo: {to}",
        "Thunderbird": f"-------- Weitergeleitete Nachricht --------\nBetreff: {ours.subject}\n"
        f"Datum: {date}\nVon: {ours.sender}\nAn: {to}",
    }
    for program, title in titles.items():
        said = f"{ATTACK}\n\n{title}\n\n{ours.text}"
        again = {"subject": "Fwd: [FWW-1]"}
        yield form(writing, Row(program, "our letter forwarded back", said, headers=again))
    title = titles["Gmail web"].replace(ours.sender, "Jeanne <jeanne@wa.test>")
    yield from forms(
        writing,
        [
            Row("Apple Mail", "our letter as a file", _with(ATTACK, mail + whole)),
            Row("Thunderbird", "a mail in the mail says something else", _with(ATTACK, mail + edited)),
            Row("Gmail web", "somebody else's words forwarded", f"{title}\n\nC1: ATTACK 4\n", SILENT),
            Row("Gmail app", "orders above somebody else's words", f"{ATTACK}\n\n{title}\n\nC1: ATTACK 4\n"),
        ],
    )
