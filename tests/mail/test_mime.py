"""Forms of a letter: parts, attachments, forwarded mails, charsets, flowed text, unseen characters."""

from __future__ import annotations

import base64

import pytest

from pbem.mail.guard import Quarantine
from pbem.mail.message import Letter, TextLine
from pbem.mail.mime import open_letter
from pbem.mail.text import MAX_TEXT_LINES
from tests.mail.corpus import Wire, head, multipart, part

UTF8 = Wire("utf-8", "utf-8", "8bit")
HEAD = head("en")


def opened(body: bytes, top: bytes = HEAD) -> Letter:
    letter = open_letter(top + body)
    assert isinstance(letter, Letter), letter
    return letter


def own(letter: Letter) -> list[str]:
    return [line.text for line in letter.lines if line.quoted == 0 and line.text]


def plain(text: str, kind: str = "text/plain") -> bytes:
    return part(text, kind, UTF8)


def file(text: str, name: str, kind: str = "text/plain") -> bytes:
    return f'Content-Disposition: attachment; filename="{name}"\r\n'.encode() + plain(text, kind)


@pytest.mark.parametrize(
    ("data", "declared"),
    [
        ("réserve – “Paris”".encode(), "utf-8"),
        ("réserve – “Paris”".encode(), "iso-8859-1"),
        ("réserve – “Paris”".encode(), "us-ascii"),
        ("réserve – “Paris”".encode(), ""),
        ("réserve – “Paris”".encode(), "koi8-r"),
        ("réserve – “Paris”".encode("cp1252"), "windows-1252"),
        ("réserve – “Paris”".encode("cp1252"), "iso-8859-1"),
        ("réserve – “Paris”".encode("cp1252"), "iso-8859-15-nonsense"),
        ("réserve – “Paris”".encode("cp1252"), "utf-8"),
        ("réserve – “Paris”".encode("cp1252"), "us-ascii"),
        ("réserve – “Paris”".encode("mac-roman"), "macintosh"),
        ("réserve – “Paris”".encode("utf-16"), "utf-16"),
        ("réserve – “Paris”".encode("utf-16-le"), "utf-16le"),
        ("réserve – “Paris”".encode("utf-8-sig"), "windows-1252"),
        ("réserve – “Paris”".encode("utf-7"), "utf-7"),
        ("réserve – “Paris”".encode("gb18030"), "gb18030"),
        ("réserve – “Paris”".encode(), "gb2312"),
        ("re\u0301serve – “Paris”".encode(), "utf-8"),
    ],
)
def test_charsets_true_and_false(data: bytes, declared: str) -> None:
    kind = f"Content-Type: text/plain; charset={declared}\r\n" if declared else "Content-Type: text/plain\r\n"
    top = kind.encode() + b"Content-Transfer-Encoding: base64\r\n\r\n"
    assert own(opened(top + base64.encodebytes(data))) == ["réserve – “Paris”"]


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("iso-8859-15", "coût 3 €"),
        ("windows-1250", "Śląsk"),
        ("iso-8859-2", "Łódź"),
        ("koi8-r", "Привет"),
        ("shift_jis", "こんにちは"),
        ("iso-2022-jp", "こんにちは"),
        ("euc-kr", "안녕"),
        ("big5", "你好"),
        ("cp1251", "Привет"),
    ],
)
def test_charsets_of_the_world(charset: str, text: str) -> None:
    assert own(opened(part(text + "\n", "text/plain", Wire(charset, charset, "base64")))) == [text]


def test_a_few_broken_bytes_do_not_change_the_charset() -> None:
    data = "réserve Besançon, élan, été, à côté".encode() + b"\xff"
    assert own(opened(b"Content-Type: text/plain; charset=utf-8\r\n\r\n" + data)) == [
        "réserve Besançon, élan, été, à côté\ufffd"
    ]


def test_unseen_characters_are_removed_and_blanks_are_spaces() -> None:
    text = (
        "\u200eattack\u00a0Paris\twith\u202f2\u200b\u202e\ufe0f \u00ad\x07now\x1b[2J\u2060\n"
        "\u2028reserve\u3000Verdun\x0bREADY\n"
    )
    assert own(opened(plain(text))) == ["attack Paris with 2 now[2J", "reserve Verdun", "READY"]


def test_flowed_text_is_put_together() -> None:
    text = "attack \r\nParis with \r\n2\r\n> quoted \r\n> line\r\n>> deeper\r\n From here\r\n-- \r\nJohn\r\n"
    lines = opened(plain(text, "text/plain; format=flowed")).lines
    assert [(line.text, line.quoted) for line in lines] == [
        *[
            ("attack Paris with 2", 0),
            ("quoted line", 1),
            ("deeper", 2),
            ("From here", 0),
            ("--", 1),
            ("John", 1),
        ]
    ]
    assert [line.role for line in lines][-2:] == ["signature", "signature"]


def test_flowed_text_with_delsp_loses_the_blank_of_the_wire() -> None:
    text = "atta \r\nck Paris\r\n> dead \r\n> line\r\n"
    lines = opened(plain(text, "text/plain; Format=Flowed; DelSp=Yes")).lines
    assert lines == (TextLine("attack Paris"), TextLine("deadline", 1))


def test_a_flowed_line_that_begins_with_a_mark_is_own_when_stuffed() -> None:
    assert own(opened(plain(" > not a quote\r\n", "text/plain; format=flowed"))) == ["> not a quote"]


def test_alternative_takes_html_when_the_plain_form_says_nothing() -> None:
    html = plain("<p>READY</p><blockquote>old</blockquote>", "text/html")
    assert own(opened(multipart("alternative", plain(" \r\n\r\n"), html))) == ["READY"]
    assert own(opened(multipart("alternative", plain("> old\r\n"), html))) == ["READY"]
    assert own(opened(multipart("alternative", html, plain("READY\r\n\r\n> old\r\n")))) == ["READY"]


def test_mixed_parts_follow_each_other() -> None:
    picture = b"Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n"
    letter = opened(multipart("mixed", plain("one\r\n"), picture, plain("two\r\n")))
    assert own(letter) == ["one", "two"]
    assert letter.unread == ("a.png",)


def test_related_and_signed_mails() -> None:
    inner = multipart("alternative", plain("READY\r\n"), plain("<p>READY</p>", "text/html"), boundary="in")
    logo = b"Content-Type: image/png\r\nContent-ID: <logo>\r\n\r\nxx\r\n"
    letter = opened(multipart("related", inner, logo, boundary="out"))
    assert (own(letter), letter.unread) == (["READY"], ())
    signature = b"Content-Type: application/pgp-signature; name=signature.asc\r\n\r\n-----BEGIN PGP\r\n"
    letter = opened(multipart("signed", plain("READY\r\n"), signature))
    assert (own(letter), letter.attachments, letter.unread) == (["READY"], (), ())


@pytest.mark.parametrize(
    ("name", "kind"),
    [("orders.txt", "text/plain"), ("ordres.txt", "application/octet-stream"), ("o.md", "text/markdown")],
)
def test_text_attachments_are_read(name: str, kind: str) -> None:
    letter = opened(
        multipart("mixed", plain("see file\r\n"), file("attaquer Liège\r\n> old\r\n", name, kind))
    )
    assert own(letter) == ["see file"]
    assert letter.attachments[0].name == name
    assert letter.attachments[0].lines == (TextLine("attaquer Liège"), TextLine("old", 1))


def test_a_mail_that_is_nothing_but_an_attachment() -> None:
    letter = opened(file("attack Paris\r\n", "orders.txt"))
    assert (own(letter), letter.attachments[0].lines) == ([], (TextLine("attack Paris"),))


def test_attachments_that_are_no_text_are_named() -> None:
    files = (file("x", "orders.docx", "application/msword"), file("x", "winmail.dat", "application/ms-tnef"))
    card, event = file("x", "me.vcf", "text/vcard"), plain("BEGIN:VCALENDAR\r\n", "text/calendar")
    letter = opened(multipart("mixed", plain("READY\r\n"), *files, card, event))
    assert letter.unread == ("orders.docx", "winmail.dat")
    assert own(letter) == ["READY"]
    assert letter.attachments == ()


def test_a_forwarded_mail_is_quoted() -> None:
    inner = b"From: x@example.net\r\nSubject: my old orders\r\n\r\nattack Paris\r\n> older\r\n"
    letter = opened(multipart("mixed", plain("FYI\r\n"), b"Content-Type: message/rfc822\r\n\r\n" + inner))
    assert own(letter) == ["FYI"]
    assert letter.attachments[0].name == "my old orders"
    assert letter.attachments[0].lines == (TextLine("attack Paris", 1), TextLine("older", 2))


def test_a_text_that_is_too_long_says_so() -> None:
    letter = opened(plain("x\r\n" * (MAX_TEXT_LINES + 1)))
    assert (len(letter.lines), letter.truncated) == (MAX_TEXT_LINES, True)
    assert opened(plain("x" * 5_000)).truncated
    assert opened(multipart("mixed", plain("READY\r\n")).removesuffix(b"--=_b1--\r\n")).truncated


@pytest.mark.parametrize(
    ("rows", "sender"),
    [
        (b"From: A <A@B.example>\r\n", "a@b.example"),
        (b"From: a@b.example\r\nFrom: c@d.example\r\n", ""),
        (b"From: a@b.example, c@d.example\r\n", ""),
        (b'From: "registered@x.example" <thief@y.example>\r\n', "thief@y.example"),
        (b"From: us: a@b.example;\r\n", ""),
        (b"From: nobody\r\n", ""),
        (b"", ""),
    ],
)
def test_only_a_single_readable_from_is_a_sender(rows: bytes, sender: str) -> None:
    assert opened(b"\r\nREADY\r\n", rows).sender == sender


def test_recipients_are_taken_without_names() -> None:
    to = b'To: "x@no.example" <A@b.example>,\r\n "Y, Z" <c@d.example>\r\n'
    rows = to + b"Cc: E@f.example\r\nCc: a@b.example\r\n"
    assert opened(b"\r\n", rows).recipients == ("a@b.example", "c@d.example", "e@f.example")


def test_failures_of_the_parser_are_values() -> None:
    found = open_letter(HEAD + b"Content-Type: text/plain; name*\r\n\r\nREADY\r\n")
    assert found == Quarantine("unparsable", "IndexError")


@pytest.mark.parametrize(
    "rule",
    [
        "border:none;border-top:solid #E1E1E1 1.0pt",
        "border-top-color: red; border-top-width: 1px; border-top-style: solid",
    ],
)
def test_a_copied_header_in_a_language_nobody_here_knows(rule: str) -> None:
    header = "<b>От:</b> Umpire<br><b>Отправлено:</b> четверг, 16:05<br><b>Кому:</b> Иван"
    text = f"<div>READY</div><div style='{rule}'><p>{header}</p></div><div>attack Paris</div>"
    letter = opened(plain(text, "text/html"))
    assert own(letter) == ["READY"]
    assert letter.lines[-1] == TextLine("attack Paris", 1)


def test_a_forward_in_gmail_is_quoted_and_text_typed_into_its_container_is_not() -> None:
    intro = "---------- Forwarded message ---------<br>De : <b>X</b><br>Date: x<br>Subject: y<br>To: z"
    text = f"FYI<div class=gmail_quote><div class=gmail_attr>{intro}</div><div>attack Paris</div></div>"
    assert own(opened(plain(text, "text/html"))) == ["FYI"]
    assert own(opened(plain("<div class=gmail_quote><div>READY</div></div>", "text/html"))) == ["READY"]


def test_html_may_name_its_charset_itself() -> None:
    head = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=koi8-r"></head><p>'
    assert own(opened(b"Content-Type: text/html\r\n\r\n" + f"{head}Привет".encode("koi8-r"))) == ["Привет"]


def test_lists_and_hidden_text() -> None:
    text = (
        "<ul><li>attack A</li><li>attack B</li></ul><ol><li>x</li></ol><div style='display: none'>WAIT</div>"
    )
    assert own(opened(plain(text, "text/html"))) == ["* attack A", "* attack B", "1. x"]
    inner = "<ul><li>z<ul><li>w</li></ul></li></ul>"
    text = f"<ol start=3><li>x</li><li value=7>y{inner}</li></ol><ol start=x><li>v</ol>"
    assert own(opened(plain(text, "text/html"))) == ["3. x", "7. y", "* z", "* w", "1. v"]


def test_what_is_indented_by_hand_is_no_quote() -> None:
    indented = '<blockquote style="margin:0 0 0 40px;border:none;padding:0px">READY</blockquote>'
    assert own(opened(plain(f"{indented}<blockquote>x</blockquote>", "text/html"))) == ["READY"]


def test_two_cells_with_many_lines_stay_in_order() -> None:
    text = "<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table><?xml:namespace prefix='o'/>after"
    assert own(opened(plain(text, "text/html"))) == ["a", "b", "c", "after"]


@pytest.mark.parametrize(
    "name",
    ["class=gmail_signature", "id=Signature", "class='moz-signature'", "id=ms-outlook-mobile-signature"],
)
def test_signatures_that_html_names(name: str) -> None:
    letter = opened(plain(f"<div>READY</div><div {name}>Captain John<br>Tel. 12</div>", "text/html"))
    assert own(letter) == ["READY"]
    assert letter.lines[-1] == TextLine("Tel. 12", 1, "signature")
