"""How mail programs of other languages and kinds frame an answer: each carried out, none asked about.

Introductions and copied headers in any language, lines that telephones add, quotes by initials, short quotes,
and what editors make of our form in HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import cycle
from typing import Final

from tests.flow.forms import GMAIL, UTF8, Ours, drawn
from tests.flow.forms_cases import Form
from tests.flow.forms_edited import Seat, form_of
from tests.flow.forms_said import Meant
from tests.flow.forms_special import cut_line
from tests.mail.corpus import multipart, part

# `{n}`: who is quoted; `{a}`: the address.
INTRODUCTIONS: Final[Mapping[str, str]] = {
    "Spanish": "El mar, 17 nov 2026 a las 9:23, {n} (<{a}>) escribió:",
    "Italian": "Il giorno mar 17 nov 2026 alle ore 09:23 {n} <{a}> ha scritto:",
    "Portuguese": "Em ter., 17 de nov. de 2026 às 09:23, {n} <{a}> escreveu:",
    "Dutch": "Op di 17 nov 2026 om 09:23 schreef {n} <{a}>:",
    "Polish": "wt., 17 lis 2026 o 09:23 {n} <{a}> napisał(a):",
    "Swedish": "Den tis 17 nov. 2026 kl 09:23 skrev {n} <{a}>:",
    "Norwegian": "tir. 17. nov. 2026 kl. 09:23 skrev {n} <{a}>:",
    "Finnish": "ti 17. marrask. 2026 klo 9.23 {n} ({a}) kirjoitti:",
    "Czech": "út 17. 11. 2026 v 9:23 odesílatel {n} <{a}> napsal:",
    "Hungarian": "{n} <{a}> ezt írta (időpont: 2026. nov. 17., K, 9:23):",
    "Russian": "вт, 17 нояб. 2026 г. в 09:23, {n} <{a}>:",
    "Ukrainian": "вт, 17 лист. 2026 р. о 09:23 {n} <{a}> пише:",
    "Turkish": "{n} <{a}>, 17 Kas 2026 Sal, 09:23 tarihinde şunu yazdı:",
    "Japanese": "2026年11月17日(火) 9:23 {n} <{a}>:",
    "Chinese": "{n} <{a}> 于2026年11月17日周二 09:23写道：",
    "Korean": "2026년 11월 17일 (화) 오전 9:23, {n} <{a}>님이 작성:",
    "Romanian": "În mar., 17 nov. 2026 la 09:23, {n} <{a}> a scris:",
    "Greek": "Στις Τρί 17 Νοε 2026 στις 9:23 π.μ., ο χρήστης {n} <{a}> έγραψε:",
    "Hebrew": "\u200fבתאריך יום ג׳, 17 בנוב׳ 2026 ב-9:23 מאת {n} <\u200f{a}\u200f>:",
    "without a colon": '"{n}" <{a}> – 17 November 2026 09:23',
}
HEADERS: Final[Mapping[str, tuple[str, ...]]] = {
    "Notes": ('-----"{n}" <{a}> wrote: -----', "To: you", 'From: "{n}" <{a}>', "Date: 17/11/2026 09:23",
              "Subject: war"),
    "QQ": ("------------------ Original ------------------", 'From: "{n}"<{a}>;', "Date: Tue, Nov 17, 2026",
           "To: you", "Subject: war"),
    "QQ, Chinese": ("------------------ 原始邮件 ------------------", '发件人: "{n}"<{a}>;',
                    "发送时间: 2026年11月17日(星期二) 上午9:23", "收件人: you", "主题: war"),
    "Chinese, wide": ("发件人：{n} <{a}>", "日期：2026年11月17日", "收件人：you", "主题：war"),
    "Seznam": ("---------- Původní e-mail ----------", "Od: {n} <{a}>", "Komu: you",
               "Datum: 17. 11. 2026 9:23:11", "Předmět: war"),
    "Polish": ("Od: {n} <{a}>", "Wysłano: wtorek, 17 listopada 2026 09:23", "Do: you", "Temat: war"),
    "Swedish": ("Från: {n} <{a}>", "Skickat: den 17 november 2026 09:23", "Till: you", "Ämne: war"),
    "Russian": ("От: {n} <{a}>", "Отправлено: 17 ноября 2026 г. 9:23", "Кому: you", "Тема: war"),
    "Japanese": ("差出人: {n} <{a}>", "送信日時: 2026年11月17日 9:23", "宛先: you", "件名: war"),
}  # fmt: skip
TAILS: Final = (
    "Enviado desde mi iPhone", "Inviato da iPhone", "Enviado do meu iPhone", "Verstuurd vanaf mijn iPhone",
    "Skickat från min iPhone", "Sendt fra min iPhone", "Wysłane z iPhone'a", "Отправлено с iPhone",
    "iPhone'umdan gönderildi", "iPhoneから送信", "发自我的iPhone", "从我的 iPhone 发送",
    "나의 iPhone에서 보냄",
    "Odesláno z iPhonu", "Lähetetty iPhonesta", "Obtener Outlook para Android", "Get BlueMail for Android",
    "Sent from Mailspring, the best free email app for work", "Sent from my phone", "Sent via Superhuman",
    "Sent with Tuta; enjoy secure & ad-free emails", "Sent from [Proton Mail](https://proton.me) for iOS",
    "Sent using Zoho Mail", "Envoyé depuis mon téléphone", "Gesendet mit der GMX Mail App",
    "Yahoo Mail: Search, Organize, Conquer",
)  # fmt: skip


def _told(text: str, ours: Ours) -> str:
    return text.format(n=ours.sender.partition(" <")[0], a=ours.reply_to)


def _text(seat: Seat, program: str, name: str, rows: Sequence[str], meant: Meant) -> Form:
    return seat.form(name, program, part("\n".join(rows), "text/plain", UTF8), meant)


def _quoted(ours: Ours) -> list[str]:
    return [f"> {row}" if row else ">" for row in drawn(ours.html, GMAIL)]


def _edits(seat: Seat) -> Iterator[Ours]:
    return cycle(seat.ours.edited(edit) for edit in seat.position.edits.values())


# ------------------------------------------------------------------ who is quoted, and by what


def introduced(seats: Sequence[Seat]) -> Iterator[Form]:
    """An order above the quote, wrapped as Gmail does it and whole; and the form edited below."""
    for (name, said), seat in zip(INTRODUCTIONS.items(), cycle(seats), strict=False):
        order, line = seat.position.order, _told(said, seat.ours)
        for rows in ([line], cut_line(line, 60)):
            whole = [order, "", *rows, "", *_quoted(seat.ours)]
            yield _text(seat, "Gmail web", f"{name}, {len(rows)} rows", whole, Meant(order))
        edited = next(_edits(seat))
        yield _text(seat, "Gmail app", f"{name}, edited", [line, *_quoted(edited)], seat.sheet(edited))


def headed(seats: Sequence[Seat]) -> Iterator[Form]:
    """Copied headers above our letter without marks."""
    for (name, said), seat in zip(HEADERS.items(), cycle(seats), strict=False):
        order, rows = seat.position.order, [_told(row, seat.ours) for row in said]
        whole = [order, "", *rows, "", *seat.ours.text.split("\n")]
        yield _text(seat, "Outlook desktop", f"{name} header", whole, Meant(order))
        page = "".join(f"<div>{escape(row) or '<br>'}</div>" for row in (order, "", *rows, ""))
        content = part(f"<html><body>{page}{seat.ours.html}</body></html>", "text/html", UTF8)
        yield seat.form(f"{name} header, HTML", "Outlook web", content, Meant(order))


def ended(seats: Sequence[Seat]) -> Iterator[Form]:
    """Lines that telephones and programs add."""
    on = "On Tue, Nov 17, 2026 at 9:23 AM The Umpire <umpire@play.test> wrote:"
    for tail, seat in zip(TAILS, cycle(seats), strict=False):
        rows = [seat.position.order, "", tail, "", on, *_quoted(seat.ours)]
        yield _text(seat, "iPhone", f"“{tail}”", rows, Meant(seat.position.order))


def by_hand(seats: Sequence[Seat]) -> Iterator[Form]:
    """Initials before quoted lines, quotes cut short, stars for bold type, bullets of fonts of symbols."""
    you = "Tuesday, November 17, 2026, 9:23:11 AM, you wrote:"
    for seat in seats:
        order, filed, rows = seat.position.order, Meant(seat.position.order), seat.ours.text.split("\n")
        edited = next(_edits(seat))
        marked = [f"TU> {row}" if row else "" for row in edited.text.split("\n")]
        yield _text(seat, "The Bat!", "initials", [you, "", *marked], seat.sheet(edited))
        marked = [f"TU> {row}" if row else "" for row in rows]
        yield _text(seat, "The Bat!", "initials, orders above", [order, "", you, "", *marked], filed)
        short = [f"> {row}" for row in rows]
        yield _text(seat, "mutt", "first lines quoted", [you, *short[:8], "", order], filed)
        yield _text(seat, "mutt", "last lines quoted", [order, "", you, *short[-8:]], filed)
        for shape in ("*{}*", "**{}**", "\u00a7 {}", "\uf0b7 {}"):
            yield _text(seat, "Gmail app", f"“{shape}”", [shape.format(order)], filed)
        closed = part("-----BEGIN PGP MESSAGE-----\n\nhQEMA5kk\n=abcd\n-----END PGP MESSAGE-----", "x", UTF8)
        named = closed.replace(b"Content-Type: x", b'Content-Type: application/octet-stream; name="a.asc"')
        sealed = multipart("encrypted", part("Version: 1", "application/pgp-encrypted", UTF8), named)
        yield seat.form("encrypted", "Proton", sealed, Meant(asks=("nothing-said",)))


# ------------------------------------------------------------------ the form in the hands of HTML editors


_FORM: Final = re.compile(r'(<pre class="orders"[^>]*>)(.*?)(</pre>)', re.DOTALL)


def _shaped(shape: Callable[[str, list[str]], str]) -> Callable[[str], str]:
    return lambda page: _FORM.sub(lambda found: shape(found[1], found[2].split("\n")), page)


SHAPES: Final[Mapping[str, Callable[[str], str]]] = {
    "in one span": _shaped(lambda tag, rows: f"{tag}<span>{chr(10).join(rows)}</span></pre>"),
    "in code": _shaped(lambda tag, rows: f"{tag}<code><b>{chr(10).join(rows)}</b></code></pre>"),
    "half of it red": _shaped(
        lambda tag, rows: (
            f"{tag}{chr(10).join(rows[:2])}\n<font color=red>{chr(10).join(rows[2:])}</font></pre>"
        )
    ),
    "kept by a style": _shaped(
        lambda tag, rows: f"<div style='white-space: pre-wrap'><p>{chr(10).join(rows)}</p></div>"
    ),
    "a pre a row": _shaped(lambda tag, rows: "".join(f"<pre>{row}</pre>" for row in rows)),
    "sections": _shaped(lambda tag, rows: "".join(f"<section>{row}</section>" for row in rows)),
    "a list of terms": _shaped(lambda tag, rows: f"<dl>{''.join(f'<dd>{row}</dd>' for row in rows)}</dl>"),
    "spans as blocks": _shaped(
        lambda tag, rows: "".join(f"<span style='display: block'>{row}</span>" for row in rows)
    ),
    "rules between": _shaped(lambda tag, rows: "<hr>".join(rows)),
}


def reshaped(seats: Sequence[Seat]) -> Iterator[Form]:
    """Edited, and as it was sent, below orders."""
    for seat in seats:
        edits = _edits(seat)
        for name, shape in SHAPES.items():
            edited = next(edits)
            for ours, said, meant in (
                (edited, "", seat.sheet(edited)),
                (seat.ours, seat.position.order, Meant(seat.position.order)),
            ):
                page = f"<div>{escape(said)}</div><blockquote type='cite'>{shape(ours.html)}</blockquote>"
                told = f"{name}, {'orders above' if said else 'edited'}"
                yield seat.form(told, "Gmail web", part(page, "text/html", UTF8), meant)


def typed_in_shapes(seats: Sequence[Seat]) -> Iterator[Form]:
    """A block that its writer typed, in the same elements."""
    for seat in seats:
        header, *_, end = form_of(seat.ours)
        rows = [escape(row) for row in (header, seat.position.order, end)]
        for name, shape in SHAPES.items():
            content = shape(f'<pre class="orders">{chr(10).join(rows)}</pre>')
            page = part(f"<html><body>{content}</body></html>", "text/html", UTF8)
            yield seat.form(f"typed {name}", "Apple Mail", page, Meant(seat.position.order))
