"""Letters that are no orders: each kind must end in its own state, however often a worker is killed at it."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid
from random import Random
from typing import Final

from tests.mail.hostile import nested
from tests.servers import HOST

STATES: Final[Mapping[str, str]] = {
    "a vacation notice": "set-aside",
    "a stranger's": "set-aside",
    "not understood": "refused",
    "from an unknown address": "held",
    "hostile": "quarantined",
}


def odd_letter(kind: str, writer: str, campaign: str, reply_to: str, dice: Random) -> tuple[str, str, bytes]:
    """Sender, recipient and bytes. `reply_to` is an address with a token of the writer's seat."""
    mailbox = f"umpire@{HOST}"
    match kind:
        case "a vacation notice":
            more = {"Auto-Submitted": "auto-replied"}
            return _letter(writer, reply_to, f"[{campaign}] away", "I am on holiday.\n", more)
        case "a stranger's":
            return _letter(f"mallory{dice.randrange(9)}@elsewhere.example", mailbox, "An offer", "Buy now!\n")
        case "not understood":
            return _letter(writer, reply_to, f"[{campaign}]", "ABSENT 3/8 - 20/8\n")
        case "from an unknown address":
            return _letter(f"cousin@{HOST}", reply_to, f"[{campaign}]", "LANG fr\n")
        case _:
            sender, name = "fiend@elsewhere.example", make_msgid(domain="elsewhere.example")
            return sender, mailbox, f"Message-ID: {name}\r\n".encode() + nested(dice.randrange(14, 40))


def _letter(
    sender: str, to: str, subject: str, text: str, more: Mapping[str, str] | None = None
) -> tuple[str, str, bytes]:
    message = EmailMessage(policy=SMTP)
    told = {"From": sender, "To": to, "Subject": subject, "Message-ID": make_msgid(domain="mail.example")}
    for name, value in (told | dict(more or {})).items():
        message[name] = value
    message.set_content(text)
    return sender, to, message.as_bytes()
