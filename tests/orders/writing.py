"""Letters written by hand, and how they are understood."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from engine.games.first_world_war.notation import NOTATION
from pbem.mail.message import Attachment, Letter, TextLine
from pbem.orders.reader import understand
from pbem.orders.returned_form import form_rows
from pbem.orders.understood import Circumstances, Command, SentForm, Understood
from pbem.verbs.registry import REGISTRY
from tests.rules.fww.desk import view_of

SEATS = ("WA", "EA", "DE", "GA")
TODAY = date(2026, 7, 20)

PLAYER = Circumstances(
    campaign="FWW-1",
    writer=("player",),
    today=TODAY,
    open="T3.R",
    answers="T3.R",
    notation=NOTATION,
    view=view_of("WA"),
    seats=SEATS,
    name="Jeanne Dubois",
    names=("Max Brandt",),
)
UMPIRE = Circumstances(campaign="FWW-1", writer=("umpire",), today=TODAY, seats=SEATS, name="Max Brandt")
OBSERVER = Circumstances(campaign="FWW-1", writer=("observer",), today=TODAY, seats=SEATS)
STRANGER = Circumstances(campaign="", writer=("stranger",), today=TODAY)

OURS = """\
##- FWW-1: write above this line / écrivez au-dessus -##
Autumn 1915: the Western Allies took Metz without a loss.

Your turn, Western Allies: four rounds are waiting for your orders.
Edit the block below, or write above the line.

ORDERS FWW-1 T3.R
C1: PASS
C2: PASS
END

You have until Tuesday 24 November 2026, 20:00 in Paris, to answer this.
##- end / fin -##"""


def lines(text: str) -> tuple[TextLine, ...]:
    """`>` marks quotes, `%` a signature, `@` an attribution, as the opener of letters leaves them."""
    found = []
    for row in text.split("\n"):
        depth = len(row) - len(row.lstrip(">"))
        if row[:1] == "%":
            found.append(TextLine(row[1:], 1, "signature"))
        elif row[:1] == "@":
            found.append(TextLine(row[1:], 1, "attribution"))
        else:
            found.append(TextLine(row[depth:].removeprefix(" ") if depth else row, depth))
    return tuple(found)


def letter(text: str, *files: str, truncated: bool = False) -> Letter:
    attached = tuple(Attachment(f"orders-{n}.txt", lines(file)) for n, file in enumerate(files, 1))
    return Letter(
        message_id="<1@example.org>",
        sender="jeanne@example.org",
        sender_name="Jeanne Dubois",
        recipients=(),
        delivered_to=(),
        subject="Re: [FWW-1]",
        date=None,
        in_reply_to=(),
        references=(),
        automatic="",
        lines=lines(text),
        attachments=attached,
        truncated=truncated,
    )


def read(
    text: str, *files: str, who: Circumstances = PLAYER, truncated: bool = False, **known: Any
) -> Understood:
    """Its writer was sent the form of the letter answered (`sent`), and no other."""
    sent = SentForm(form_rows(known.get("sent", "")))
    known.setdefault("forms", (sent,) if sent.rows else ())
    return understand(letter(text, *files, truncated=truncated), replace(who, **known), REGISTRY)


def quoted(text: str, mark: str = "> ") -> str:
    return "\n".join(f"{mark}{row}" for row in text.split("\n"))


def sheet(found: Understood) -> list[str]:
    """The good lines of the sheet, in canonical notation."""
    return [line.write() for line in sorted(found.sheet.good, key=lambda line: line.number)]


def commands(found: Understood) -> list[Command]:
    return [given.command for given in found.commands]


def codes(found: Understood) -> list[str]:
    return [question.code for question in found.questions]


def reasons(found: Understood) -> list[str]:
    return [refusal.reason for refusal in found.refusals]


def chat(found: Understood) -> list[str]:
    return [one.line.text for one in found.chat]
