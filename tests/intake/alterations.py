"""What others may do to a signed letter and leave its signature genuine.

Each header that it does not cover is taken away, added, doubled and changed. What comes of it is what would
have come of the genuine letter, or nothing: its writer is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pbem.intake.reading import text_sent
from pbem.orders.returned_form import form_rows
from tests.campaigns_at_hand import MAILBOX, NAME
from tests.intake.judged_letters import GOOD, Post, later
from tests.providers import SIGNED_BY
from tests.signing import signed

SEAT = "DE"
# Those of the providers that leave something open, and what a server of one's own may sign.
COVERED = {
    **{name: SIGNED_BY[name] for name in ("Gmail", "outlook.com", "Yahoo", "iCloud", "GMX before")},
    "least and to": "from:date:subject:to:message-id",
}
FIXED = "Content-Type: text/plain; charset=utf-8"
FLOWED, GLUED = f"{FIXED}; format=flowed", f"{FIXED}; format=flowed; delsp=yes"
PLAIN, FLOWS, GLUES = (one.replace(":", " is", 1) for one in (FIXED, FLOWED, GLUED))
CYRILLIC = PLAIN.replace("utf-8", "koi8-r")


@dataclass(frozen=True, slots=True)
class Genuine:
    """A letter that its writer's provider signs. `before`: what had happened when it was written."""

    name: str
    text: Callable[[Post], str]
    to: str = "result"  # the kind of the letter of ours that it answers; "": none
    before: Sequence[str] = ()  # letters of the seat
    label: str = FIXED
    charset: str = "utf-8"
    tried: str = "without a thread"  # at every change

    def make(self, post: Post, covered: str) -> bytes:
        for text in self.before:
            post.intake.receives(post.signed(SEAT, text))
            later(post.intake)
        answered = post.intake.last(SEAT, self.to) if self.to else None
        changes = {} if answered is not None else {"in_reply_to": ""}
        raw = post.letter(SEAT, "", to=answered, subject=f"Re: [{NAME}]", **changes)
        head = raw.partition(b"\r\n\r\n")[0]
        head = re.sub(rb"\r\n(?:Content-[A-Za-z-]+|MIME-Version):[^\r\n]*", b"", head)
        if answered is not None:
            older = [one for one in post.intake.at.letters(SEAT) if one.id <= answered.id]
            ours = [one.letter.message_id for one in reversed(older[:4])]
            head += b"\r\nReferences: " + " ".join(ours).encode()
        label = f"\r\nMIME-Version: 1.0\r\n{self.label}\r\n\r\n".encode()
        body = self.text(post).replace("\n", "\r\n").encode(self.charset) + b"\r\n"
        return signed(
            head + label + body,
            post.host(SEAT),
            GOOD,
            headers=COVERED[covered].split(":"),
        )


def _form(post: Post, kind: str, *rows: str) -> list[str]:
    """The form of our letter with these rows in the place of its own."""
    sent = list(form_rows(text_sent(post.intake.last(SEAT, kind))))
    return [sent[0], *rows, sent[-1]]


def _unmarked(post: Post, *rows: str) -> str:
    """As Outlook quotes."""
    sent = post.intake.last(SEAT, "result")
    lines = text_sent(sent).splitlines()
    form = list(form_rows(text_sent(sent)))
    start = lines.index(form[0])
    lines[start : start + len(form)] = [form[0], *rows, form[-1]]
    end = next(at for at, line in enumerate(lines) if at and line.startswith("##- end"))
    return "\n".join(
        ("READY", "", "-----Original Message-----", f"From: {MAILBOX}", "Subject: x", "", *lines[: end + 1])
    )


BAD_SHEET = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTACK 99\nEND"
LONG = "This is what we could do together if you wanted to, and it is no order"
LETTERS = (
    Genuine("ready", lambda post: "READY"),
    Genuine("orders", lambda post: "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND\nWAIT"),
    Genuine("fresh", lambda post: "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND", to=""),
    Genuine("resign", lambda post: "RESIGN"),
    Genuine("yes to nothing", lambda post: "CONFIRM", before=(BAD_SHEET,)),
    Genuine("yes to one of two", lambda post: "CONFIRM", "question", (BAD_SHEET, "STOP")),
    Genuine("a fresh yes", lambda post: "CONFIRM", "", (BAD_SHEET, "STOP")),
    Genuine("no", lambda post: "CANCEL", "question", ("C1: ATTACK 3", "STOP")),
    Genuine("no to a sheet", lambda post: "CANCEL", "question", ("READY\nC1: ATTACK 3", BAD_SHEET, "STOP")),
    Genuine("a fresh no", lambda post: "CANCEL", "", ("C1: ATTACK 3", "STOP")),
    Genuine("two lines", lambda post: "PRESS TO EA: see you at noon \nREADY", tried=FLOWS),
    Genuine(
        "flows", lambda post: f"PRESS TO EA: {LONG[:52]} \nREADY if you wanted to, and it is no order.",
        label=FLOWED, tried=PLAIN,
    ),
    Genuine(
        "flows in two", lambda post: f"{LONG[:62]} \nREADY together\n\nC1: ATTACK 3",
        label=FLOWED, tried=GLUES,
    ),
    Genuine(
        "flows without blanks", lambda post: f"PRESS TO EA: {LONG[:52]}  \nwith us\nC1: ATTACK 3",
        label=GLUED, tried=PLAIN,
    ),
    Genuine("an odd quote", lambda post: "WAIT\n\n > READY\n > C1: ATTACK 3", tried=FLOWS),
    Genuine(
        "initials", lambda post: "WAIT\n\nUM> ##- FWW-1: write above this line -##\nUM> READY\nUM> RESIGN",
        tried=FLOWS,
    ),
    Genuine(
        "edited", lambda post: "\n".join(f"> {row}" for row in _form(post, "result", "C1: ATTACK 3"))
    ),
    Genuine(
        "mended",
        lambda post: "\n".join(f"> {row}" for row in _form(post, "question", "C1: ATTACK 3", "C2: PASS")),
        "question",
        (BAD_SHEET,),
    ),
    Genuine("unmarked", lambda post: _unmarked(post, "C1: PASS")),
    Genuine("unmarked and edited", lambda post: _unmarked(post, "C1: ATTACK 3").removeprefix("READY")),
    Genuine(
        "an old charset",
        lambda post: "PRESS TO EA: voilà, à bientôt\nC1: ATTACK 3\nLANG fr\nÀ demain",
        label="Content-Type: text/plain; charset=iso-8859-1",
        charset="iso-8859-1", tried=CYRILLIC),
)  # fmt: skip


# ------------------------------------------------------------------ what is changed


def _values(raw: bytes, post: Post) -> dict[str, list[str]]:
    """For each header what others could write there, who have nothing but the letter."""
    ids = re.findall(r"<[^<>@\s]+@play\.test>", raw.decode("latin-1"))
    ids = list(dict.fromkeys(ids))[:5] or [post.intake.last(SEAT, "result").letter.message_id]
    token, other = post.token(SEAT), post.token("GA")
    plain = "text/plain; charset="
    return {
        "In-Reply-To": [*ids, "<other@elsewhere.test>", ""],
        "References": [*ids, " ".join(ids), "<other@elsewhere.test>"],
        "To": [token, MAILBOX, other, "max@elsewhere.test"],
        "Cc": [token, other, "max@elsewhere.test"],
        "Content-Type": [
            "text/plain", *(f"{plain}{name}" for name in ("utf-8", "utf-16", "utf-7", "koi8-r", "gbk")),
            f"{plain}cp437", f"{plain}iso-8859-2",
            f"{plain}utf-8; format=flowed", f"{plain}utf-8; format=flowed; delsp=yes",
            f"{plain}utf-8; delsp=yes", f"{plain}utf-8; format=fixed; format=flowed", "text/html",
            "multipart/mixed; boundary=x", "multipart/alternative; boundary=x", f"{plain}utf-8; name=a.txt",
            "message/rfc822", "application/octet-stream", "text/calendar",
        ],
        "Content-Transfer-Encoding": ["7bit", "8bit", "quoted-printable", "base64", "x-uuencode"],
        "Content-Disposition": ["inline", "attachment", "attachment; filename=a", "inline; filename=a.txt"],
        "MIME-Version": ["1.0", "9.9"],
        "Message-ID": ["<other@elsewhere.test>", *ids[:1]],
        "Delivered-To": [token, MAILBOX, other],
        "X-Original-To": [other],
        "Subject": ["RESIGN", "[FWW-1] READY"],
        "Sender": ["max@elsewhere.test"],
        "Reply-To": ["max@elsewhere.test"],
        "Resent-From": ["max@elsewhere.test"],
        "Auto-Submitted": ["auto-replied", "no"],
        "Precedence": ["bulk"],
        "List-Id": ["<x.y>"],
        "Content-Language": ["fr"],
    }  # fmt: skip


def altered(raw: bytes, post: Post) -> Iterator[tuple[str, bytes]]:
    """Each change by its name."""
    head, blank, body = raw.partition(b"\r\n\r\n")
    yield "without a thread", re.sub(rb"\r\n(?:In-Reply-To|References):[^\r\n]*", b"", head) + blank + body
    for name, values in _values(raw, post).items():
        line = re.compile(rb"(?im)^" + name.encode() + rb":[^\r\n]*(?:\r\n[ \t][^\r\n]*)*\r\n")
        block = head + b"\r\n"
        rest = blank[2:] + body
        there = line.search(block) is not None
        if there:
            yield f"without {name}", line.sub(b"", block) + rest
        for value in values:
            new = f"{name}: {value}\r\n".encode()
            if there:
                yield f"{name} is {value}", line.sub(new.replace(b"\\", b"\\\\"), block, count=1) + rest
            yield f"{name} {value} above", new + block + rest
            if there:
                yield f"{name} {value} below", block + new + rest
