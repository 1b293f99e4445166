"""How four mail programs write a reply: above the quote, below it, in HTML only, and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, make_msgid
from html import escape

from pbem.demo.script import Client, Player


@dataclass(frozen=True, slots=True)
class RepliedLetter:
    """The letter being replied to, as the mail program shows it."""

    sender: str
    reply_to: str
    subject: str
    message_id: str
    references: str
    text: str


def write_reply(player: Player, address: str, text: str, to: RepliedLetter) -> bytes:
    """A reply with this text, as the player's mail program sends it."""
    subject = to.subject if to.subject.lower().startswith("re:") else f"Re: {to.subject}"
    message = _headers(player, address, to.reply_to, subject)
    message["In-Reply-To"] = to.message_id
    message["References"] = f"{to.references} {to.message_id}".strip()
    _STYLES[player.client](message, player, text.strip("\n"), to)
    return message.as_bytes()


def write_letter(player: Player, address: str, recipient: str, subject: str, text: str) -> bytes:
    """A new letter that replies to nothing."""
    message = _headers(player, address, recipient, subject)
    message.set_content(text)
    return message.as_bytes()


def parse_mail(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def body_text(message: EmailMessage, kind: str) -> str:
    """The text or the HTML of a mail; "": it has none."""
    body = message.get_body((kind,))
    return "" if body is None else str(body.get_content())


def _headers(player: Player, address: str, recipient: str, subject: str) -> EmailMessage:
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = formataddr((player.name, address))
    message["To"] = recipient
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = make_msgid(domain=address.partition("@")[2])
    return message


def _quote(to: RepliedLetter) -> str:
    return "\n".join(f"> {line}".rstrip() for line in to.text.splitlines())


def _introduction(player: Player, to: RepliedLetter) -> str:
    day = datetime.now(UTC).strftime("%d/%m/%Y %H:%M")
    if player.language == "fr":
        return f"Le {day}, {to.sender} a écrit :"
    return f"On {day}, {to.sender} wrote:"


def _top(message: EmailMessage, player: Player, text: str, to: RepliedLetter) -> None:
    message.set_content(f"{text}\n\n{_introduction(player, to)}\n{_quote(to)}\n")


def _bottom(message: EmailMessage, player: Player, text: str, to: RepliedLetter) -> None:
    message.set_content(f"{_introduction(player, to)}\n{_quote(to)}\n\n{text}\n\n-- \n{player.name}\n")


def _phone(message: EmailMessage, player: Player, text: str, to: RepliedLetter) -> None:
    signature = "Envoyé de mon iPhone" if player.language == "fr" else "Sent from my iPhone"
    words = f"{text}\n\n{signature}\n\n> {_introduction(player, to)}\n>\n{_quote(to)}\n"
    message.set_content(words, cte="quoted-printable")


def _outlook(message: EmailMessage, player: Player, text: str, to: RepliedLetter) -> None:
    """Word's paragraphs, a rule, a copied header and the letter below it; no plain text part."""

    def paragraphs(lines: list[str]) -> str:
        rows = (escape(line).replace("  ", "&nbsp; ") or "&nbsp;" for line in lines)
        return "".join(f"<p class=MsoNormal><span lang=EN-US>{row}<o:p></o:p></span></p>\n" for row in rows)

    header = (
        "<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>"
        f"<p class=MsoNormal><b>From:</b> {escape(to.sender)}<br>"
        f"<b>Subject:</b> {escape(to.subject)}</p></div>"
    )
    body = paragraphs(text.splitlines()) + header + paragraphs(to.text.splitlines())
    message.set_content(f"<html><body><div class=WordSection1>{body}</div></body></html>", subtype="html")


_STYLES: Mapping[Client, Callable[[EmailMessage, Player, str, RepliedLetter], None]] = {
    "top": _top,
    "bottom": _bottom,
    "phone": _phone,
    "outlook": _outlook,
}
