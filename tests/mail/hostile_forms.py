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

TITLE: Final = "-------- Original message --------"
HEADER: Final = "ORDERS FWW-1 T3.R"


def returned(text: str, page: str) -> bytes:
    """Both forms only quote."""
    marked = "\n".join(f"> {line}" for line in text.split("\n"))
    return both(f"{TITLE}\n{marked}", f"<div>{TITLE}</div><blockquote>{page}</blockquote>")


RETURNED: Final = (
    _made("two quotes, every line another", lambda: returned(rows("text {} says"), divs("page {} shows"))),
    _made("two quotes, all in one row", lambda: returned("READY now " * 25_000, divs("READY now"))),
    _made("two quotes, rows of one letter", lambda: returned(rows("a" * 120), divs("a" * 119 + "b"))),
    _made("two quotes, one row of one letter", lambda: returned("a" * 240_000, divs("a" * 100 + "b", 1_000))),
    _made("two quotes, periods in both",
          lambda: returned("ab" * 110_000, f"<div>{'ab' * 60_000}aa</div>" * 3)),
    _made("two quotes, the same lines backwards",
          lambda: returned(rows("line {}"), "".join(f"<div>line {n}</div>" for n in range(MANY, 0, -1)))),
    _made("two quotes, words without end", lambda: returned("a " * 110_000, f"<p>{'b ' * 220_000}</p>")),
    _made("own lines beside a page that only quotes",
          lambda: both(rows("RESIGN {}"), f"<blockquote>{divs('READY {}')}</blockquote>")),
    _made("own lines shown backwards in a quote",
          lambda: both(rows("C1: ATTACK {}"),
                       "<blockquote>" + "".join(f"<div>C1: ATTACK {n}</div>" for n in range(MANY, 0, -1)))),
    _made("own lines beside a quote of single signs",
          lambda: both(rows("READY {}"), f"<blockquote>{'<div>R</div>' * MANY}</blockquote>")),
    _made("other lines above all in one row",
          lambda: both(rows("z{} here", 950) + "\n" + " ".join(f"y{n}" for n in range(700)),
                       divs("y{}", 700))),
    _made("other lines above one row, all begun alike",
          lambda: both(rows("q" * 60 + " {}", 950) + "\n" + " ".join("q" * 59 + f"y{n}" for n in range(60)),
                       divs("q" * 59 + "y{}", 60))),
    _made("forms edited apart, every line another",
          lambda: returned(f"{HEADER}\n{rows('C1: ATTACK {}')}\nEND",
                           f"<div>{HEADER}</div>{divs('C2: ATTACK {}')}<div>END</div>")),
    _made("forms edited apart, as many lines as are compared",
          lambda: returned(f"{HEADER}\n{rows('C1: ATTACK {}', 145)}\nEND",
                           f"<div>{HEADER}</div>{divs('C2: ATTACK {}', 145)}<div>END</div>")),
    _made("forms edited apart, long lines of one letter",
          lambda: returned(f"{HEADER}\n{rows('a' * 1_500, 145)}\nEND",
                           f"<div>{HEADER}</div>{divs('a' * 1_499 + 'b', 145)}<div>END</div>")),
    _made("forms edited apart, a remark each",
          lambda: returned(f"{HEADER}\n{rows('# C1: ATTACK {}', 145)}\nEND",
                           f"<div>{HEADER}</div>{divs('C1: ATTACK {}', 145)}<div>END</div>")),
    _made("forms edited apart, signs of remarks without end",
          lambda: returned(f"{HEADER}\n{rows('#' * 1_900, 110)}\nEND",
                           f"<div>{HEADER}</div>{divs('> ' * 900 + '#', 110)}<div>END</div>")),
    _made("headers without END in both", lambda: returned(rows(HEADER), divs(HEADER))),
    _made("headers that are none in both",
          lambda: returned(rows("ORDERS " + "a " * 60), divs("ORDERS " + "a " * 60))),
    _made("headers of one long blank",
          lambda: returned(rows("ORDERS" + " " * 1_900 + "a", 110),
                           divs("ORDERS" + "&nbsp;" * 300 + "a", 300))),
    _made("headers of stars", lambda: returned(rows("*_| " * 400 + "ORDERS", 140), divs("*_| " * 100, 500))),
    _made("forms in both, thousands of them",
          lambda: returned(rows(f"{HEADER}\nEND", 950), divs(f"{HEADER}</div><div>END", 700))),
    _made("forms in quotes that go deeper",
          lambda: plain("\n".join(f"{'>' * (n % 90)} ORDERS FWW-1 T{n}.R\n{'>' * (n % 90)} C1: PASS"
                                  for n in range(900)))),
    _made("a form with each line deeper",
          lambda: plain("\n".join(
              [f"> {HEADER}", *(f"{'> ' * (n % 200)}C1: ATTACK {n}" for n in range(1_500)), "> END"]))),
    _made("a form in quotes of HTML, each line deeper",
          lambda: html(f"<blockquote>{HEADER}" + "".join(f"<blockquote>C1: ATTACK {n}" for n in range(45))
                       + divs("C1: PASS", 1_500))),
    _made("forms of this turn, all different",
          lambda: plain(rows(f"> {HEADER}\n> C1: ATTACK {{}}\n> END", 640))),
    _made("forms of this turn, all the same", lambda: plain(rows(f"> {HEADER}\n> C1: ATTACK 3\n> END", 640))),
    _made("forms of this turn, one line each", lambda: plain(rows(f"> {HEADER}\n> C1: PASS {{}}", 950))),
    _made("a form of remarks alone", lambda: plain(f"> {HEADER}\n" + rows("> # C1: ATTACK {}") + "\n> END")),
    _made("a form cut into single signs",
          lambda: plain(f"> {HEADER}\n" + "\n".join("> " + sign for sign in "C1: PASS " * 200) + "\n> END")),
    _made("a form joined into one line",
          lambda: plain(f"> {HEADER}\n> " + "C1: PASS C2: PASS " * 200 + "\n> END")),
    _made("a form joined into many long lines",
          lambda: plain(f"> {HEADER}\n" + rows("> " + "C1: PASS C2: PASS " * 90, 140) + "\n> END")),
    _made("a form that begins like ours without end",
          lambda: plain(f"> {HEADER}\n" + rows("> C1: PAS") + "\n> END")),
    _made("a form with lost signs", lambda: plain(f"> {HEADER}\n" + rows("> C1? ?" + "?" * 90) + "\n> END")),
    _made("a form with targets of links",
          lambda: plain(f"> {HEADER}\n" + rows("> C1: PASS<http://" + "a" * 80 + ">") + "\n> END")),
    _made("a form struck out line by line",
          lambda: both(f"> {HEADER}\n" + rows("> C1: ATTACK {}") + "\n> END",
                       f"<blockquote><div>{HEADER}</div>" + divs("<s>C1: ATTACK {}</s>", 800)
                       + "<div>END</div>")),
    _made("a form struck out in part",
          lambda: html(f"<blockquote><div>{HEADER}</div>" + divs("C1: <s>PASS</s> ATTACK {}", 800)
                       + "<div>END</div></blockquote>")),
    _made("a form and orders above, thousands of both",
          lambda: plain(rows("C1: ATTACK {}", 950) + f"\n> {HEADER}\n" + rows("> C1: ATTACK {}", 940)
                        + "\n> END")),
    _made("a form and a signature of orders",
          lambda: plain(f"> {HEADER}\n" + rows("> C1: ATTACK {}", 900) + "\n> END\n-- \n"
                        + rows("C1: PASS {}", 900))),
    _made("a form in armour",
          lambda: plain("-----BEGIN PGP SIGNED MESSAGE-----\n\n"
                        + rows(f"- > {HEADER}\n- > C1: ATTACK {{}}", 900)
                        + "\n-----BEGIN PGP SIGNATURE-----\nAAAA")),
    _made("a form in a table of forms",
          lambda: html("<table>" + f"<tr><td>{HEADER}<td>C1: PASS<td>END</tr>" * 250 + "</table>")),
    _made("a form between footers",
          lambda: plain(rows(f"This e-mail is confidential.\n> {HEADER}\n> C1: ATTACK {{}}\n> END", 470))),
)  # fmt: skip

HOSTILE_FORMS: Final = (*PART_CHOICE, *ADDED, *EDITED, *RETURNED)
ALL_HOSTILE: Final = (*HOSTILE, *HOSTILE_FORMS)
