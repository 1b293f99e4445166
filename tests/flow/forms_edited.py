"""Our order form edited in the reply: in every game, language and style of mail program, in every way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from itertools import cycle
from typing import Final, NamedTuple

from engine.kernel.game import Language
from tests.flow.forms import HANDS, HTML, PLAIN, UTF8, Body, Ours, answer, body, drawn, head
from tests.flow.forms_cases import Form
from tests.flow.forms_said import Meant
from tests.flow.forms_special import cut_line
from tests.mail.corpus import WIRES, Wire, part
from tests.mail.replies import Posting

Edit = Mapping[str, str]  # a line of the form -> what it becomes; "": taken out


class Position(NamedTuple):
    """A seat that waits for orders, and what its player may do to the form."""

    game: str
    window: str
    seat: str
    language: Language
    edits: Mapping[str, Edit]
    order: str  # one that is right by itself

    def __str__(self) -> str:
        return f"{self.game} {self.seat} {self.language}"


def _position(game: str, window: str, seat: str, language: Language, order: str, *edits: Edit) -> Position:
    kinds = ("# taken away", "line changed", "line added", "line taken out", "all of that")
    return Position(game, window, seat, language, dict(zip(kinds, edits, strict=True)), order)


def _fww(sign: str, attack: str, move: str, passes: str) -> tuple[Edit, ...]:
    return (
        {f"# {sign}": sign},
        {f"C1: {passes}": attack, f"C2: {passes}": move},
        {f"C2: {passes}": f"{move}\nC2: {passes}"},
        {f"C3: {passes}": "", f"C4: {passes}": ""},
        {f"# {sign}": sign, f"C2: {passes}": move, f"C3: {passes}": "", f"C4: {passes}": f"C4: {passes}\n"},
    )


POSITIONS: Final = (
    _position(
        *("fww", "T1.R", "DE", "en", "C1: ATTACK 4"),
        *_fww("C1: ATTACK 1 WITH DE1 DE2", "C1: ATTACK 3", "C2: MOVE 1: DE1 DE2 > 2", "PASS"),
    ),
    _position(
        *("fww", "T1.R", "WA", "fr", "C1: ATTAQUE 2"),
        *_fww("C1: ATTAQUE 3 AVEC FR2 FR3 FR4", "C1: ATTAQUE 2", "C2: MOUVEMENT 3: FR2 FR3 > 2", "PASSE"),
    ),
    _position(
        *("ttlm", "T1.P", "EN", "en", "BUY 1 CARDS"),
        {"# ENTRENCH FR2": "ENTRENCH FR2"},
        {"BUY 3 CARDS": "BUY 2 CARDS"},
        {"BUY 3 CARDS": "BUY 3 CARDS\nENTRENCH FR6"},
        {"BUY 3 CARDS": "", "# BUILD I IN FR3": "BUILD I IN FR3"},
        {"BUY 3 CARDS": "BUY 1 CARDS\nENTRENCH FR6", "# BUILD I IN FR3": "", "# ENTRENCH FR2": ""},
    ),
    _position(
        *("ttlm", "T1.P", "GE", "fr", "ACHETER 2 CARTES"),
        {"# RETRANCHER GE1": "RETRANCHER GE1"},
        {"ACHETER 1 CARTES": "ACHETER 2 CARTES"},
        {"ACHETER 1 CARTES": "ACHETER 1 CARTES\nRETRANCHER GE3"},
        {"ACHETER 1 CARTES": "", "# CONSTRUIRE I DANS GE6": "CONSTRUIRE I DANS GE6"},
        {"ACHETER 1 CARTES": "RETRANCHER GE3", "# CONSTRUIRE I DANS GE6": "", "# RETRANCHER GE1": ""},
    ),
    _position(
        *("trench", "R1.DE.T", "DE", "fr", "D INF1 > I13"),
        {"# D INF1 > I13": "D INF1 > I13"},
        {"# PASSE": "D LOU1 > C2"},
        {"# PASSE": "D INF1 > I13\nD LOU1 > C2"},
        {"ACTIVES B C": "", "# PASSE": "PASSE"},
        {"# PASSE": "D INF1 > I13", "# D LOU1 > C2": "D LOU1 > C2", "# A MOR1 GB.MON1": ""},
    ),
    _position(
        *("trench", "R2.GB.T", "GB", "en", "M CAV1 > C2"),
        {"# M CAV1 > C2": "M CAV1 > C2"},
        {"# PASS": "M TRK1 > D3"},
        {"# PASS": "M CAV1 > C2\nM TRK1 > D3"},
        {"ACTIVE A C": "", "# PASS": "PASS"},
        {"ACTIVE A C": "ACTIVE A C", "# PASS": "M CAV1 > C2", "# M TRK1 > D3": "M TRK1 > D3"},
    ),
)
COVERING: Final[Mapping[Language, tuple[tuple[str, ...], ...]]] = {
    "en": ((), ("my orders, edited below",), ("Hello,", "", "I have changed the form, see below.", "Max")),
    "fr": ((), ("mes ordres, modifiés plus bas",), ("Bonjour,", "voyez le formulaire ci-dessous.", "Merci")),
}
EDITED: Final[Mapping[Language, str]] = {"en": "as you edited it", "fr": "tel que vous l’avez modifié"}
STYLES: Final[tuple[tuple[str, Body], ...]] = (
    *((program, "plain") for program in PLAIN),
    *((program, "html") for program in HTML),
    *((program, "alternative") for program in HTML if program in PLAIN),
)


def form_of(ours: Ours) -> list[str]:
    """The rows of the order form in a letter of ours."""
    rows = ours.text.splitlines()
    first = next(at for at, row in enumerate(rows) if row.startswith(("ORDERS ", "ORDRES ")))
    last = next(at for at in range(first, len(rows)) if rows[at] in ("END", "FIN"))
    return rows[first : last + 1]


def orders_of(ours: Ours) -> str:
    """What counts in the form: the lines that are no remarks."""
    return "\n".join(row for row in form_of(ours)[1:-1] if row.strip() and not row.startswith("#"))


@dataclass(frozen=True, slots=True)
class Seat:
    """A position, with the letters that its player has."""

    position: Position
    ours: Ours  # the newest
    at: datetime

    def form(self, name: str, program: str, content: bytes, meant: Meant, ours: Ours | None = None) -> Form:
        letter = ours or self.ours
        raw = head(letter, self.position.language, self.at) + content
        return Form(f"{self.position}: {name}", program, letter.seat, raw, meant)

    def reply(
        self,
        name: str,
        style: tuple[str, Body],
        edited: Ours,
        said: Sequence[str],
        meant: Meant,
        *,
        posting: Posting = "top",
        wire: Wire = UTF8,
    ) -> Form:
        program, kind = style
        reply = answer(edited, self.position.language, posting, said, hand=HANDS.get(program))
        told = f"{name}, {posting}, {kind} {wire}"
        return self.form(told, program, body(program, reply, edited, kind, wire), meant)

    def sheet(self, edited: Ours) -> Meant:
        return Meant(orders_of(edited), words=EDITED[self.position.language])


# ------------------------------------------------------------------ in every style


def edited_everywhere(seats: Sequence[Seat]) -> Iterator[Form]:
    """Every style in every game; languages and kinds of edits in turn."""
    wires = cycle(WIRES)
    for turn, style in enumerate(STYLES):
        for seat in seats[turn % 2 :: 2]:
            kinds = list(seat.position.edits.items())
            name, edit = kinds[turn // 2 % len(kinds)]
            yield _edited(seat, name, edit, style, next(wires), turn)


def every_edit(seats: Sequence[Seat]) -> Iterator[Form]:
    """Every edit in every style at every position."""
    wires = cycle(WIRES)
    for turn, style in enumerate(STYLES):
        for seat in seats:
            for name, edit in seat.position.edits.items():
                yield _edited(seat, name, edit, style, next(wires), turn)


def _edited(seat: Seat, name: str, edit: Edit, style: tuple[str, Body], wire: Wire, turn: int) -> Form:
    program, kind = style
    edited = seat.ours.edited(edit)
    places = (PLAIN if kind == "plain" else HTML)[program].postings
    said = COVERING[seat.position.language][turn % 3]
    posting: Posting = "interleaved" if "interleaved" in places and said and turn % 2 else "top"
    return seat.reply(name, style, edited, said, seat.sheet(edited), posting=posting, wire=wire)


def unchanged_everywhere(seats: Sequence[Seat]) -> Iterator[Form]:
    """The form as we sent it says nothing, whatever a program made of it."""
    wires = cycle(WIRES)
    greeting = {"en": ("Hello,", "", "Thanks!"), "fr": ("Bonjour,", "", "Merci !")}
    for style, seat in zip(STYLES, cycle(seats), strict=False):
        said = greeting[seat.position.language]
        yield seat.reply("form as sent", style, seat.ours, said, Meant(), wire=next(wires))


# ------------------------------------------------------------------ odd shapes of quotes


ON: Final = "On Tue, Nov 17, 2026 at 9:23 AM The Umpire <umpire@play.test> wrote:"
WIDTHS: Final = (30, 40, 50, 60)


def mangled(seats: Sequence[Seat]) -> Iterator[Form]:
    """Lines cut in two with and without marks, bars, no marks at all, a line typed between quoted ones."""
    for seat in seats:
        name, edit = next(iter(seat.position.edits.items()))
        edited = seat.ours.edited(edit)
        for width in WIDTHS:
            rows = [row for line in edited.text.split("\n") for row in cut_line(line, width)]
            yield _plain(seat, "K-9", f"{name}, cut at {width}", [f"> {row}" for row in rows], edited)
        pairs = [cut_line(line, 50) for line in edited.text.split("\n")]
        first_only = [row for first, *rest in pairs for row in (f"> {first}", *rest)]
        yield _plain(seat, "Outlook desktop", f"{name}, marks on first lines only", first_only, edited)
        bars = [f"| {line}" for line in edited.text.split("\n")]
        yield _plain(seat, "mutt", f"{name}, bars", bars, edited)
        yield _plain(seat, "mutt", f"{name}, no marks", edited.text.split("\n"), edited)
        new = [line for one in edit.values() for line in one.split("\n")]
        typed = [line if line in new else f"> {line}" for line in edited.text.split("\n")]
        yield _plain(seat, "mutt", f"{name}, without a mark", typed, edited)
        same = [f"> {row}" for line in seat.ours.text.split("\n") for row in cut_line(line, 40)]
        yield _plain(seat, "K-9", "form as sent, cut at 40", same, None)


def _plain(seat: Seat, program: str, name: str, rows: Sequence[str], edited: Ours | None) -> Form:
    text = "\n".join(["", ON, "", *rows])
    meant = Meant(asks=("nothing-said",)) if edited is None else seat.sheet(edited)
    return seat.form(name, program, part(text, "text/plain", UTF8), meant)


# ------------------------------------------------------------------ what is asked about


def doubtful(seats: Sequence[Seat]) -> Iterator[Form]:
    """Orders elsewhere as well, two forms, lines that a program may have joined."""
    styles = cycle(STYLES)
    both, two = Meant(asks=("template-and-orders",)), Meant(asks=("several-forms",))
    for seat in seats:
        (one, first), (_, second) = list(seat.position.edits.items())[1:3]
        edited, other, order = seat.ours.edited(first), seat.ours.edited(second), seat.position.order
        header, end = form_of(seat.ours)[0], form_of(seat.ours)[-1]
        for _ in range(3):
            yield seat.reply(f"{one}, orders above", next(styles), edited, (order,), both)
            block = (header, order, end)
            yield seat.reply(f"{one}, a block above", next(styles), edited, block, both)
        for program in ("Gmail web", "mutt"):
            shown = drawn(edited.html, HANDS[program]) if program in HANDS else edited.text.split("\n")
            rows = [f"> {row}" for row in (*shown, "", *other.text.split("\n"))]
            text = "\n".join(["see below", ON, *rows])
            yield seat.form("two forms", program, part(text, "text/plain", UTF8), two)
        page = f"<div>{escape(ON)}</div>" + "".join(
            f"<blockquote type='cite'>{one.html}</blockquote>" for one in (edited, other)
        )
        yield seat.form("two forms", "Apple Mail", part(page, "text/html", UTF8), two)


def joined(seat: Seat) -> Iterator[Form]:
    """Two lines of the form in one: nobody can tell who joined them."""
    passes = next(row for row in form_of(seat.ours) if row.startswith("C1: ")).removeprefix("C1: ")
    rows = {f"C1: {passes}": f"{seat.position.order} C2: {passes}", f"C2: {passes}": ""}
    styles: tuple[tuple[str, Body], ...] = (("mutt", "plain"), ("Thunderbird", "html"), ("Yahoo", "plain"))
    for style in styles:
        asks = Meant(asks=("template-wrapped",))
        yield seat.reply("two lines joined", style, seat.ours.edited(rows), (), asks)


def older(seat: Seat, earlier: Ours, edit: Edit, then: str | None = None) -> Iterator[Form]:
    """The form of an earlier letter, edited."""
    edited = earlier.edited_text(edit)
    meant = Meant(asks=("template-older",), then=then)
    for program in PLAIN:
        reply = answer(edited, seat.position.language, "top", ())
        content = body(program, reply, edited, "plain")
        yield seat.form("an older form", program, content, meant, edited)
