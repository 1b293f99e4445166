"""Mails made to hurt where two forms of a letter are compared, and where a form came back edited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.mail.hostile import END_MARKER, HOSTILE, MARKER, Hostile, html, part, typed

MANY: Final = 1_900
FORM: Final = b"ORDERS FWW-1 T3.R\r\nC1: PASS\r\nC2: PASS\r\nEND\r\n"


def both(text: str, page: str, kind: bytes = b"text/plain; charset=utf-8") -> bytes:
    parts = part(kind, text.encode()) + part(b"text/html; charset=utf-8", page.encode())
    return typed(b"multipart/alternative; boundary=b", parts + b"--b--\r\n")


def plain(text: str) -> bytes:
    return typed(b"text/plain; charset=utf-8", text.encode())


def rows(line: str, count: int = MANY) -> str:
    """`{}`: the number of the line."""
    return "\n".join(line.replace("{}", str(n)) for n in range(count))


def divs(line: str, count: int = MANY) -> str:
    return "".join(f"<div>{line.replace('{}', str(n))}</div>" for n in range(count))


def quoted(data: bytes) -> bytes:
    return b"".join(b"> " + line + b"\r\n" for line in data.split(b"\r\n"))


def forms(count: int, form: bytes = FORM) -> bytes:
    return b"".join(quoted(form.replace(b"T3", b"T%d" % n)) for n in range(count))


def nested_alternatives(levels: int) -> bytes:
    out = b""
    for level in range(levels):
        out += (
            b"Content-Type: multipart/alternative; boundary=b%d\r\n\r\n--b%d\r\n\r\nREADY %d\r\n--b%d\r\n"
            % (
                *(level, level, level),
                level,
            )
        )
    return typed(b"multipart/alternative; boundary=b", b"--b\r\n" + out + b"\r\nREADY\r\n")


def _made(name: str, make: Callable[[], bytes], reason: str = "") -> Hostile:
    return Hostile(name, make, reason)


PART_CHOICE: Final = (
    _made("two forms, every line another", lambda: both(rows("text {} says"), divs("page {} shows"))),
    _made("two forms, the same lines backwards",
          lambda: both("\n".join(f"line {n}" for n in range(MANY)),
                       "".join(f"<div>line {n}</div>" for n in range(MANY, 0, -1)))),
    _made("all in one row beside a page", lambda: both("READY now " * 25_000, divs("READY now"))),
    _made("one row of one letter", lambda: both("a" * 250_000, divs("a" * 100 + "b", 1_000))),
    _made("rows of one letter", lambda: both(rows("a" * 120), divs("a" * 119 + "b"))),
    _made("periods in both", lambda: both("ab" * 120_000, f"<div>{'ab' * 60_000}aa</div>" * 3)),
    _made("own lines and quotes in turn",
          lambda: both(rows("x{}\n> y{}", 900), "".join(f"<div>x{n}</div><blockquote>y{n}</blockquote>"
                                                      for n in range(800)))),
    _made("long lines in one only", lambda: both(rows("{} " + "text " * 25, 1_000), divs("page {}"))),
    _made("orders in both, all different",
          lambda: both(rows("C1: ATTACK 3 FROM {}"), divs("C1: ATTACK 4 FROM {}"))),
    _made("a page too large beside a text", lambda: both(rows("READY {}"), "<p>x</p>" * 60_000)),
    _made("a page too large that strikes", lambda: both(rows("READY {}"), "<s>x</s>" * 60_000)),
    _made("a page too deep beside a text", lambda: both("READY", "<div>" * 50_000 + "READY")),
    _made("tags that never end", lambda: both(rows("READY {}", 500), "<" * 500_000)),
    _made("tags that never begin", lambda: both(rows("READY {}", 500), ">" * 500_000)),
    _made("entities beside a text", lambda: both(rows("READY {}", 500), "<p>" + "&amp;&lt;&#65;" * 30_000)),
    _made("hidden lines beside a text",
          lambda: both(rows("READY {}", 1_000), "<div style='display:none'>RESIGN</div>" * 1_200)),
    _made("struck lines beside a text", lambda: both(rows("READY {}", 1_000), "<s>READY</s><br>" * 1_200)),
    _made("many texts of one letter",
          lambda: typed(b"multipart/alternative; boundary=b",
                        part(b"text/plain", b"> x\r\n" * 500) * 50 + b"--b--\r\n")),
    _made("many pages beside a text",
          lambda: typed(b"multipart/alternative; boundary=b", part(b"text/plain", b"READY\r\n")
                        + part(b"text/html", b"<blockquote>" + b"x<br>" * 2_400) * 40 + b"--b--\r\n")),
    _made("forms in forms", lambda: nested_alternatives(9)),
    _made("a flowed row beside a page",
          lambda: both("READY \n" * 30_000, divs("READY"), b"text/plain; charset=utf-8; format=flowed")),
    _made("accents without end in both",
          lambda: both("e" + "\u0301\u0323" * 60_000, "<p>e" + "\u0301\u0323" * 60_000)),
    _made("letters that grow", lambda: both(rows("ß\ufb03\u0130" * 40, 900), divs("\ufb03ß" * 60, 900))),
    _made("words without end in both", lambda: both("a " * 120_000, f"<p>{'b ' * 240_000}</p>")),
)  # fmt: skip

ADDED: Final = (
    _made("footers without end", lambda: plain(rows("This e-mail {} is confidential."))),
    _made(
        "footers that never come to the point", lambda: plain(rows("this e-mail " + "confident " * 38, 600))
    ),
    _made("rules without end", lambda: plain(rows("________________________"))),
    _made("rules and lists in turn", lambda: plain(rows("__________\nto all on mailing list {}", 950))),
    _made("banners without end", lambda: plain(rows("[EXTERNAL] email {} from outside, take care of it"))),
    _made("armour without end", lambda: plain(rows("-----BEGIN PGP SIGNED MESSAGE-----"))),
    _made("seals without end", lambda: plain(rows("-----BEGIN PGP SIGNATURE-----\n\nAAAA{}", 600))),
    _made(
        "dashes escaped without end",
        lambda: plain("-----BEGIN PGP SIGNED MESSAGE-----\n\n" + rows("- - - - - READY {}")),
    ),
    _made("links without end", lambda: plain(rows("a@b<mailto:a@b>" * 250, 60))),
    _made("links that never end", lambda: plain(rows("<http://" * 480, 60))),
    _made("links of one long word", lambda: plain(rows("w" * 1_900 + "<http://" + "%77" * 330 + ">", 80))),
    _made("emoji without end", lambda: plain(rows("C1: PASS " + "\U0001f44d\U0001f3fd\u200d" * 120, 140))),
    _made("smileys without end", lambda: plain(rows("C1: PASS :-" + ")" * 1_000 + " :-" + "(" * 1_000, 100))),
)

EDITED: Final = (
    _made("a form with every line changed",
          lambda: typed(b"text/plain", quoted(MARKER + b"ORDERS FWW-1 T3.R\r\n"
                                             + rows("C1: ATTACK {}").replace("\n", "\r\n").encode()
                                             + b"\r\nEND\r\n" + END_MARKER))),
    _made("forms of many turns", lambda: typed(b"text/plain", forms(370))),
    _made("forms of many turns between our markers",
          lambda: typed(b"text/plain", b"".join(quoted(MARKER + FORM + END_MARKER) for _ in range(230)))),
    _made("a form in single words",
          lambda: typed(b"text/plain", MARKER + b"> ORDERS\r\n> FWW-1\r\n> T3.R\r\n> PASS\r\n" * 450)),
    _made("a form quoted and not", lambda: typed(b"text/plain", b"> C1: PASS\r\nC2: PASS\r\n" * 950)),
    _made("a form with every hash removed",
          lambda: typed(b"text/plain", quoted(MARKER + b"ORDERS FWW-1 T3.R\r\n"
                                             + b"C2: IF WON THEN ATTACK 1 WITH DE1 DE2 ELSE PASS\r\n" * 1_500
                                             + b"END\r\n" + END_MARKER))),
    _made("a form deep in quotes",
          lambda: html("<blockquote>" * 49 + "<div>ORDERS FWW-1 T3.R</div>" + divs("C1: ATTACK {}", 1_900))),
    _made("two edited forms in two forms of a letter",
          lambda: both("> ORDERS FWW-1 T3.R\n" + rows("> C1: ATTACK {}"),
                       "<blockquote>ORDERS FWW-1 T3.R<br>" + divs("C2: ATTACK {}") + "</blockquote>")),
    _made("turns with very many parts", lambda: plain("ORDERS FWW-1 T1" + ".R" * 1_800 + "\nC1: PASS\nEND")),
    _made("headers without end", lambda: plain(rows("ORDERS FWW-1 T{}.R2.D3"))),
)  # fmt: skip

HOSTILE_FORMS: Final = (*PART_CHOICE, *ADDED, *EDITED)
ALL_HOSTILE: Final = (*HOSTILE, *HOSTILE_FORMS)
