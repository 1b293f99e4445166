"""Single mails to a result letter, told as rows: who says what, around our quoted letter or alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from tests.flow.forms import HANDS, UTF8, Body, Ours, answer, body, head
from tests.flow.forms_cases import EDITS, WHOLE, Form, Writing
from tests.flow.forms_said import ATTACK, SEAT, Meant
from tests.mail.corpus import part
from tests.mail.replies import Tongue

BLOCK: Final = f"ORDERS FWW-1 T1.R\n{ATTACK}\nEND"
FILED: Final = Meant(ATTACK)
FILED_WHOLE: Final = Meant(f"{ATTACK}{WHOLE}")
SILENT: Final = Meant(asks=("nothing-said",))
NOTHING: Final = Meant()
MAILBOX: Final = "umpire@play.test"


class Row(NamedTuple):
    """A mail. Text: as it stands, with our letter quoted (`kind`) or alone (""); bytes: type and content."""

    program: str
    name: str
    said: str | bytes
    meant: Meant = FILED
    kind: Body | Literal[""] = ""
    tongue: Tongue = "en"
    headers: Mapping[str, str] = {}


def form(writing: Writing, row: Row, ours: Ours | None = None) -> Form:
    """The mail of a row, in answer to the newest letter of the writer's seat, or to another."""
    letter = ours or writing.ours[SEAT[row.tongue]]
    if isinstance(row.said, bytes):
        content = row.said
    elif row.kind:
        lines = row.said.split("\n") if row.said else []
        reply = answer(letter, row.tongue, "top", lines, hand=HANDS.get(row.program))
        content = body(row.program, reply, letter, row.kind)
    else:
        content = part(row.said, "text/plain", UTF8)
    raw = head(letter, row.tongue, writing.at, **row.headers) + content
    return Form(f"{row.name} {row.kind}".strip(), row.program, letter.seat, raw, row.meant)


def forms(writing: Writing, rows: Sequence[Row], ours: Ours | None = None) -> Iterator[Form]:
    for row in rows:
        yield form(writing, row, ours)


# ------------------------------------------------------------------ the block edited


REMARK: Final = "# C2: IF WON THEN ATTACK 1 WITH DE1 DE2 ELSE PASS"
LIT: Final = "C2: IF WON THEN ATTACK 4 ELSE PASS\nC1: ATTACK 3\nC3: PASS\nC4: PASS"


def templates(writing: Writing) -> Iterator[Form]:
    ours = writing.ours["DE"]
    edited = ours.edited(EDITS["DE"])
    pasted = edited.text[edited.text.index("ORDERS FWW-1") : edited.text.index("\nEND\n") + 4]
    both = Meant(asks=("template-and-orders",))
    yield from forms(
        writing,
        [
            Row("mutt", "our letter sent back without marks, block edited", edited.text, FILED_WHOLE),
            Row("Thunderbird", "the same, a word above", f"Hi,\nsee below.\n\n{edited.text}", FILED_WHOLE),
            Row("Gmail web", "the block copied above the quote and edited", pasted, FILED_WHOLE, "plain"),
            Row("Apple Mail", "the block copied above the quote and edited", pasted, FILED_WHOLE, "html"),
            Row("iPhone", "nothing written at all", "", SILENT, "plain"),
            Row("Outlook desktop", "nothing written at all", "", SILENT, "html"),
            Row("Proton", "only a greeting", "Hello,\n\nMax", NOTHING, "plain"),
        ],
    )
    programs: dict[str, Body] = {"Thunderbird": "plain", "Gmail web": "html", "Outlook mobile": "html"}
    what = "block edited and orders above"
    twice = [Row(one, what, "C1: ATTACK 4", both, kind) for one, kind in programs.items()]
    yield from forms(writing, twice, edited)
    lit = ours.edited({"C1: PASS": "C1: ATTACK 3", "C2: PASS": "", REMARK: LIT.partition("\n")[0]})
    for program in ("Gmail web", "K-9", "Outlook web"):
        row = Row(program, "the remark made an order in the quote", "", Meant(LIT), "plain")
        yield form(writing, row, lit)
    trimmed = Meant("C1: PASS\nC2: PASS")
    struck = Row("Roundcube", "lines struck from the quoted block", "", trimmed, "plain")
    yield form(writing, struck, ours.edited({"C3: PASS": "", "C4: PASS": ""}))
    remarks = [line for line in ours.text.splitlines() if line.startswith("# ")]
    empty = ours.edited(dict.fromkeys([*remarks, *(f"C{n}: PASS" for n in (1, 2, 3, 4))], ""))
    asks = Meant(asks=("empty-block",))
    yield form(writing, Row("Samsung", "the quoted block emptied", "", asks, "plain"), empty)


# ------------------------------------------------------------------ quotes in odd shapes


ON: Final = "On Tue, Nov 17, 2026 at 9:23 AM The Umpire <umpire@play.test> wrote:"


def quotes(writing: Writing) -> Iterator[Form]:
    """Our letter as programs mangle it, below or above orders that count."""
    text = writing.ours["DE"].text
    lines = text.split("\n")
    broken = [row for first, *rest in (cut_line(line, 50) for line in lines) for row in (f"> {first}", *rest)]
    older = text.replace("T1.R", "T1.D").replace("C1: PASS", "DEPLOY 3: DE1").split("\n")
    bare = "\n".join(line for line in lines if not line.startswith("##-"))
    shapes = {
        ("K-9", "wrapped anew, marks on every line"): [row for line in lines for row in cut_line(line, 40)],
        ("Gmail web", "clipped"): [*lines[:70], "...", "", "[Message clipped]  View entire message"],
        ("Gmail app", "trimmed to dots"): ["..."],
        ("Thunderbird", "with the one before it"): [*lines, ON, *(f"> {line}" for line in older)],
        ("Roundcube", "its first lines only"): lines[:6],
    }
    for (program, name), rows in shapes.items():
        said = "\n".join([BLOCK, "", ON, "", *(f"> {row}" for row in rows)])
        yield form(writing, Row(program, f"our letter {name}", said))
    marks = "\n".join(["", ON, *broken])
    bars = "\n".join(f"| {line}" for line in lines)
    end = "\n".join(f"> {line}" for line in lines[-9:])
    yield from forms(
        writing,
        [
            Row("Outlook desktop", "our letter wrapped anew, marks on first lines only", f"{BLOCK}\n{marks}"),
            Row("mutt", "our letter quoted with bars", f"{BLOCK}\n\nThe Umpire wrote:\n{bars}"),
            Row("mutt", "orders below the end of our letter", f"{end}\n\n{ATTACK}\n"),
            Row("Outlook web", "our letter below without any introduction", f"{ATTACK}\n\n{text}"),
            Row("Outlook desktop", "our first and last line gone", f"{ATTACK}\n\nRegards,\nMax\n\n{bare}"),
        ],
    )


def cut_line(line: str, width: int) -> list[str]:
    """Lines as a program breaks them that knows nothing of quotes."""
    pieces, rest = [], line
    while len(rest) > width and " " in rest[1:width].strip():
        at = rest.rindex(" ", 0, width)
        pieces.append(rest[:at])
        rest = rest[at + 1 :]
    return [*pieces, rest]


def typed_inside(writing: Writing) -> Iterator[Form]:
    """Words between our first line and our last, outside the block: nobody can tell whether they count."""
    asks, title = Meant(asks=("new-lines",)), "WHAT IS ASKED OF YOU"
    ours = writing.ours["DE"]

    def with_line(line: str) -> str:
        return ours.text.replace(title, f"{line}\n\n{title}")

    remark = f"{ATTACK}\n\n{with_line('I will attack at Verdun with everything')}"
    copied = f"READY\n\n{with_line('C1: TRANSFER 3 > 1: DE5')}"
    yield form(writing, Row("Outlook desktop", "a remark typed inside our letter", remark, asks))
    yield form(writing, Row("Outlook desktop", "an example copied inside our letter", copied, asks))
    heading = "What is asked of you</h2>"
    page = ours.html.replace(heading, f"{heading}<p>C1: ATTACK 4</p>")
    assert page != ours.html
    inside = Row("Outlook web", "an order typed inside our letter", "READY", asks, "html")
    yield form(writing, inside, ours.with_page(page))


# ------------------------------------------------------------------ which letter is answered


NO_THREAD: Final = {"in-reply-to": "", "references": ""}
NEW_MAIL: Final = {"to": MAILBOX, "subject": "FWW-1 orders", **NO_THREAD}


def threads(writing: Writing) -> Iterator[Form]:
    ours = writing.ours["DE"]
    forwarded = {"references": f"{ours.message_id} <9.r@clients.test>", "in-reply-to": "<9.r@clients.test>"}
    proof, turn = Meant(asks=("proof",), then=ATTACK), Meant(asks=("proof", "which-turn"), then=ATTACK)
    other = Meant(asks=("other-turn",), then=ATTACK)
    copied, told = Meant(ATTACK, words="other people"), Meant(ATTACK, words="Western Allies")
    stranger = {"from": "Max <max@elsewhere.test>"}

    def quoting(program: str, name: str, headers: Mapping[str, str], meant: Meant = FILED) -> Row:
        return Row(program, name, ATTACK, meant, "plain", headers=headers)

    yield from forms(
        writing,
        [
            quoting("GMX", "to the plain mailbox", {"to": MAILBOX}),
            quoting("Orange", "to the mailbox, References only", {"to": MAILBOX, "in-reply-to": ""}),
            quoting("Outlook desktop", "thread headers dropped, reply address kept", NO_THREAD),
            quoting("Yahoo", "another subject", {"subject": "my orders for the war"}),
            quoting("Free", "a subject of many answers", {"subject": "TR: RE: Fwd: [FWW-1]"}),
            quoting("Outlook mobile", "the reply address in capitals", {"to": ours.reply_to.upper()}),
            quoting("iPhone", "our letter is not the last of the thread", {"to": MAILBOX, **forwarded}),
            quoting("Proton", "a copy to another player", {"cc": "jeanne@wa.test"}, copied),
            quoting("Proton", "a copy to another seat", {"cc": writing.ours["WA"].reply_to}, told),
            Row("Gmail app", "a new mail, its turn in the header", BLOCK, proof, headers=NEW_MAIL),
            Row("Samsung", "a new mail, no header", ATTACK, turn, headers=NEW_MAIL),
            Row("Gmail web", "from an address that nobody knows", BLOCK, proof, headers=stranger),
            Row("Yahoo", "the header names the turn before", BLOCK.replace("T1.R", "T1.D"), other),
            Row("Gmail web", "the header names the turn only", BLOCK.replace("T1.R", "T1")),
            Row("Gmail app", "the header says turn 1", BLOCK.replace("T1.R", "turn 1")),
        ],
    )
    earlier = writing.earlier["DE"]
    with_header = Row("Thunderbird", "an answer to the letter before, with the header", BLOCK)
    without = Row("Apple Mail", "an answer to the letter before, no header", ATTACK, other)
    yield from forms(writing, [with_header, without], earlier)
