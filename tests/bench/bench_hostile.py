"""Hostile mail: every kind through the whole intake, from the mailbag to its outcome and its answer.

Guard, parser, checks, signature, reading, filing and the letter that answers; each kind as a stranger sends
it and, where it can be read at all, with a seat's address and token, so that nothing is spared. What is told
is the slowest and the largest of all; a kind's time, of the processor, is the shortest of several passes.
"""

from __future__ import annotations

import shutil
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from email import message_from_bytes, policy
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.intake.receive import receive_letter
from pbem.mail.dkim import SenderProof
from pbem.mail.guard import MAX_BYTES
from pbem.mail.imap import LARGEST
from pbem.store.inbox import letter
from pbem.store.session import connect
from tests.bench.measure import Figure, Figures
from tests.campaigns_at_hand import UMPIRE, AtHand, campaign_at_hand, mail
from tests.mail.hostile import TOP
from tests.mail.hostile_forms import ALL_HOSTILE
from tests.signing import Zone, new_key, signed

PASSES = 3
SECONDS = 0.1
MEGABYTES = 96.0
SEAT, DOMAIN = "DE", "de.test"
ORDERS = "ORDERS\nC1: PASS\nEND\n"
MARKUP = "{{ 7*7 }} {% for x in y %} <script>alert(1)</script> <img src=x onerror=y> ${jndi:ldap://x} %(a)s"
KEY = new_key("bench", 2048)

Make = Callable[[AtHand], bytes]


def run() -> Figures:
    kinds = _kinds()
    times: dict[str, float] = dict.fromkeys(kinds, float("inf"))
    peaks: dict[str, int] = {}
    with TemporaryDirectory() as place:
        pattern = campaign_at_hand(Path(place))
        pattern.db.dispose()
        for _ in range(PASSES):
            at = _copy(pattern)
            times = {name: min(times[name], _seconds(at, make(at))) for name, make in kinds.items()}
            at.db.dispose()
        at = _copy(pattern)
        peaks = {name: _peak(at, make(at)) for name, make in kinds.items()}
        at.db.dispose()
    slow = sorted(times, key=lambda name: -times[name])
    large = sorted(peaks, key=lambda name: -peaks[name])
    return {
        "kinds of mail": Figure(len(kinds), at_least=300),
        f"slowest: {slow[0]}": Figure(times[slow[0]], "s", at_most=SECONDS),
        f"then: {slow[1]}": Figure(times[slow[1]], "s", at_most=SECONDS),
        f"then: {slow[2]}": Figure(times[slow[2]], "s", at_most=SECONDS),
        "half of them are done in": Figure(1000 * times[slow[len(slow) // 2]], "ms"),
        f"largest in memory: {large[0]}": Figure(peaks[large[0]] / 2**20, "MB", at_most=MEGABYTES),
    }


def _copy(pattern: AtHand) -> AtHand:
    source = Path(str(pattern.db.url.database))
    path = source.with_name("copy.db")
    for old in source.parent.glob("copy.db*"):
        old.unlink()
    shutil.copy(source, path)
    zone = Zone()
    zone.publish(DOMAIN, KEY)
    clock = replace(pattern.clock)
    service = replace(
        pattern.service, db=connect(path), now=clock, sender_proof=SenderProof(look_up=zone.look_up)
    )
    return AtHand(service, clock, pattern.name, pattern.addresses)


def _seconds(at: AtHand, raw: bytes) -> float:
    number = _arrived(at, raw)
    began = time.process_time()
    receive_letter(at.service, number, "bench")
    took = time.process_time() - began
    found = letter(at.db, number)
    assert found is not None and found.state not in ("received", "shunted"), found
    return took


def _peak(at: AtHand, raw: bytes) -> int:
    number = _arrived(at, raw)
    tracemalloc.start()
    try:
        receive_letter(at.service, number, "bench")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _arrived(at: AtHand, raw: bytes) -> int:
    at.clock.passes(hours=1)  # so that all are answered
    return at.arrives(raw[:LARGEST])  # the poller fetches no more of it


# ------------------------------------------------------------------ the kinds


def _kinds() -> Mapping[str, Make]:
    found: dict[str, Make] = {one.name: partial(_as_it_is, one.make) for one in ALL_HOSTILE}
    for one in ALL_HOSTILE:
        if not one.reason and one.make().startswith(TOP):
            found[f"{one.name}, from a seat"] = partial(_as_a_seats, one.make)
    return found | dict(_LETTERS)


def _as_it_is(make: Callable[[], bytes], _: AtHand) -> bytes:
    return make()


def _as_a_seats(make: Callable[[], bytes], at: AtHand) -> bytes:
    return _from_seat(at, make())


def _from_seat(at: AtHand, raw: bytes) -> bytes:
    """The same mail with a seat's address, token and thread."""
    heads = at.reply(SEAT, "").partition(b"\r\n\r\n")[0].split(b"\r\n")
    kept = [line for line in heads if not line.lower().startswith((b"content-", b"mime-version"))]
    return b"\r\n".join(kept) + b"\r\nMIME-Version: 1.0\r\n" + raw.removeprefix(TOP)


def _signed(at: AtHand, size: int) -> bytes:
    """Orders and a picture of so many bytes, signed by the provider."""
    line = b"QUJD" * 19 + b"\r\n"
    picture = b"Content-Type: image/jpeg; name=a.jpg\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    text = ORDERS.replace("\n", "\r\n").encode()
    parts = b"--b\r\n\r\n" + text + b"--b\r\n" + picture + line * (size // len(line)) + b"--b--\r\n"
    raw = _from_seat(at, TOP + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + parts)
    return signed(raw, DOMAIN, KEY)


def _many_signatures(at: AtHand) -> bytes:
    raw = signed(at.reply(SEAT, ORDERS), DOMAIN, KEY)
    line = next(one for one in raw.split(b"\r\nDKIM-Signature") if b"bh=" in one)
    head = b"DKIM-Signature" + line.partition(b"\r\nFrom")[0].replace(b"bh=", b"bh=A")
    return raw.replace(b"\r\nFrom", b"\r\n" + b"\r\n".join([head] * 30) + b"\r\nFrom", 1)


def _our_letter_back(at: AtHand) -> bytes:
    """Our own letter many times over, each line followed by others."""
    message = message_from_bytes(at.letters(SEAT, "result")[0].letter.body, policy=policy.default)
    text = message.get_body(("plain",))
    assert text is not None
    rows = [row for row in text.get_content().splitlines() if row.strip()]
    pieces = [row[:n] for n in range(40, 8, -1) for row in rows[1:-1]]
    return at.reply(SEAT, "\n".join([rows[0], *pieces[:1_900], rows[-1], ""]))


def _another_seat(at: AtHand) -> bytes:
    return at.reply(SEAT, ORDERS, sender=at.addresses["GA"])


_LETTERS: Mapping[str, Make] = {
    "orders and a picture, signed, 100 kB": lambda at: _signed(at, 100_000),
    "orders and a picture, signed, 1 MB": lambda at: _signed(at, 1_000_000),
    "orders and a picture, signed, 2 MB": lambda at: _signed(at, 2_000_000),
    "orders and a picture, signed, all that is read": lambda at: _signed(at, MAX_BYTES - 5_000),
    "our letter in pieces": _our_letter_back,
    "thirty forged signatures": _many_signatures,
    "markup in press": lambda at: at.reply(SEAT, f"PRESS TO ALL: {MARKUP}"),
    "long press of markup": lambda at: at.reply(SEAT, "PRESS TO ALL:\n" + f"{MARKUP}\n" * 400 + "END\n"),
    "markup as a name": lambda at: mail("HELP", sender=f'"{MARKUP[:200]}" <who@else.test>'),
    "markup as orders": lambda at: at.reply(SEAT, "ORDERS\n" + f"{MARKUP}\n" * 200 + "END\n"),
    "markup as a subject": lambda at: at.reply(SEAT, "", subject=MARKUP),
    "headers in a subject": lambda at: at.reply(SEAT, ORDERS, subject="=?utf-8?q?a=0D=0ABcc:_x@y.test?="),
    "a thousand lines of orders": lambda at: at.reply(SEAT, "ORDERS\n" + "C1: ATTACK 3\n" * 1000 + "END\n"),
    "two thousand commands": lambda at: at.reply(SEAT, "STATUS\nHAND\nHELP\nMAP\n" * 500),
    "a spoofed sender": lambda at: at.reply(SEAT, ORDERS, sender="thief@dark.test"),
    "a spoofed umpire": lambda at: mail("UNSEAL\nPROCESS T1.D\n", sender=UMPIRE, subject="[FWW-1]"),
    "another seat's token": _another_seat,
    "a guessed token": lambda at: at.reply(
        SEAT, ORDERS, recipient=f"umpire+fww-1.{SEAT.lower()}.abcdefghijklmnop@play.test", in_reply_to=""
    ),
    "a replayed letter": lambda at: at.reply(SEAT, ORDERS, message_id="<again@de.test>"),
    "a bounce of nothing": lambda at: mail("550", sender="<>", recipient="umpire+bounce.aaaa@play.test"),
    "a vacation note": lambda at: at.reply(SEAT, ORDERS, headers={"Auto-Submitted": "auto-replied"}),
}
