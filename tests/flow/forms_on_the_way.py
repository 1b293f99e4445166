"""What befalls an answer on its way, in every game and language: other parts, footers, armour, links, emoji.

First the form edited in the quote, then orders written above it; and lines that contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import cycle
from typing import Final

from engine.kernel.game import Language
from tests.flow.forms import APPLE, HANDS, HTML, PLAIN, UTF8, Body, Ours, answer, drawn, flowed, real
from tests.flow.forms_cases import Form
from tests.flow.forms_edited import STYLES, Seat, form_of, orders_of
from tests.flow.forms_parts import ABOVE, BELOW, KEY, PLACEHOLDERS, SEAL, SIGNED, TWO_FORMS
from tests.flow.forms_said import Meant
from tests.mail.corpus import multipart, part
from tests.mail.replies import Posting

PHONES: Final[Mapping[Language, tuple[str, ...]]] = {
    "en": ("Sent from my iPhone", "Sent from my Galaxy", "Get Outlook for Android", "Sent from Proton Mail"),
    "fr": ("Envoyé de mon iPhone", "Envoyé depuis mon appareil Galaxy", "Télécharger Outlook pour iOS"),
}
SIGNATURE: Final[Mapping[Language, str]] = {
    "en": "This line is in your signature",
    "fr": "Cette ligne se trouve dans votre signature",
}
DIFFERENT: Final[Mapping[Language, str]] = {
    "en": "these lines are in only one of the two",
    "fr": "ces lignes ne figurent que dans l’une des deux versions",
}
# Lines that answer one question, and what is good beside them; in Trench Club also a PASS beside a move.
CONTRADICTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "fww": {"C1: PASS\n{order}": "", "C2: PASS\nC2: ATTACK 3": "", "C1: PASS\nC1: MOVE 1: ALL > 2": ""},
    "ttlm": {
        "FIRST GE\nFIRST EN": "",
        "{order}\nFIRST EN\nFIRST GE": "{order}",
        "DISCARD ALL\nDISCARD LIM": "",
    },
    "trench": {
        "PASS\n{order}": "{order}",
        "{order}\nPASS": "{order}",
        "ACTIVE A\nACTIVE B\n{order}": "{order}",
    },
}


class Answer:
    """An answer in the two parts in which its program sends it."""

    def __init__(
        self, seat: Seat, program: str, ours: Ours, said: Sequence[str] = (), posting: Posting = "top"
    ) -> None:
        self.seat, self.program = seat, program
        reply = answer(ours, seat.position.language, posting, said, hand=HANDS.get(program))
        self.text = real(PLAIN[program].text(reply), reply, ours) if program in PLAIN else ""
        self.page = real(HTML[program].text(reply), reply, ours) if program in HTML else ""
        self.is_flowed = program in PLAIN and PLAIN[program].flowed

    def add_below(self, lines: Sequence[str]) -> None:
        self.text = "\n".join([self.text, "", *lines])
        self._add_to_page(lines, "</body>")

    def add_above(self, lines: Sequence[str]) -> None:
        self.text = "\n".join([*lines, "", self.text])
        self._add_to_page(lines, "<body")

    def _add_to_page(self, lines: Sequence[str], tag: str) -> None:
        added, page = "".join(f"<div>{escape(line)}</div>" for line in lines), self.page
        at = page.find(tag)
        if tag == "<body":
            at = page.find(">", at) + 1 if at >= 0 else 0
        at = at if at >= 0 else len(page)
        self.page = page[:at] + added + page[at:]

    def in_one_row(self, joint: str) -> str:
        return joint.join(line.strip() for line in drawn(self.page, APPLE) if line.strip())

    def form(self, name: str, meant: Meant, kind: Body = "alternative", text: str | None = None) -> Form:
        """`text`: in place of the program's own."""
        said, mime = self.text if text is None else text, "text/plain"
        if self.is_flowed and text is None:
            said, mime = flowed(said), "text/plain; format=flowed"
        plain, page = part(said, mime, UTF8), part(self.page, "text/html", UTF8)
        body = {"plain": plain, "html": page, "alternative": multipart("alternative", plain, page)}[kind]
        return self.seat.form(f"{name}, {kind}", self.program, body, meant)


def _edit(seat: Seat, turn: int) -> Ours:
    kinds = list(seat.position.edits.values())
    return seat.ours.edited(kinds[turn % len(kinds)])


def _styles() -> Iterator[tuple[str, Body]]:
    return cycle((program, kind) for program, kind in STYLES if program in TWO_FORMS)


# ------------------------------------------------------------------ the form edited in the quote


def edited_parts(seats: Sequence[Seat]) -> Iterator[Form]:
    """Edited in HTML, beside a text in one row or one that says nothing."""
    programs, joints, words = cycle(TWO_FORMS), cycle(("", " ", "  ")), cycle(PLACEHOLDERS)
    for turn, seat in enumerate(seats):
        for number in range(3):
            edited = _edit(seat, turn + number)
            sent = Answer(seat, next(programs), edited)
            yield sent.form("edited beside one row", seat.sheet(edited), text=sent.in_one_row(next(joints)))
            sent = Answer(seat, next(programs), edited)
            yield sent.form("edited beside nothing", seat.sheet(edited), text=next(words))
        edited = _edit(seat, turn)
        sent = Answer(seat, next(programs), edited)
        yield sent.form("edited beside an empty text", seat.sheet(edited), text="\n")
        yield from _struck(seat, next(programs))
        sent = Answer(seat, next(programs), edited, ("Hello,", "see below"))
        yield sent.form("edited beside one row, talk above", seat.sheet(edited), text=sent.in_one_row(" "))


def _struck(seat: Seat, program: str) -> Iterator[Form]:
    """Lines struck out in the HTML, which the text cannot show."""
    edit = seat.position.edits["line taken out"]
    shorter, kept = seat.ours.edited(edit), {old: new or old for old, new in edit.items()}
    sent = Answer(seat, program, seat.ours.edited(kept))
    for line in (old for old, new in edit.items() if not new):
        sent.page = sent.page.replace(f"\n{escape(line, False)}\n", f"\n<s>{escape(line, False)}</s>\n")
    assert "<s>" in sent.page
    for kind in ("html", "alternative"):
        yield sent.form("lines struck out", seat.sheet(shorter), kind)


def edited_apart(seats: Sequence[Seat]) -> Iterator[Form]:
    """Edited in one of both parts alone, or in each in another way: asked about, none of them counts."""
    programs = cycle(TWO_FORMS)
    for turn, seat in enumerate(seats):
        asks = Meant(asks=("forms-differ",), words=DIFFERENT[seat.position.language])
        talk = replace(asks, asks=("doubtful-line",))  # in the text that is all there is
        for number, said in enumerate(((), ("changed in the quote",), ())):
            one, other = _edit(seat, turn + number), _edit(seat, turn + number + 1)
            for name, text, page in (
                ("edited in the text alone", one, seat.ours),
                ("edited in the HTML alone", seat.ours, one),
                ("edited in two ways", one, other),
            ):
                program = next(programs)
                beside = Answer(seat, program, text, said).text
                meant = talk if said and text is seat.ours else asks
                yield Answer(seat, program, page, said).form(f"{name} {number}", meant, text=beside)


def edited_and_added(seats: Sequence[Seat]) -> Iterator[Form]:
    """Footers and banners around a letter with an edited form, and the signatures of telephones."""
    styles = _styles()
    for turn, seat in enumerate(seats):
        language = seat.position.language
        for number, lines in enumerate(BELOW[language]):
            edited = _edit(seat, turn + number)
            program, kind = next(styles)
            sent = Answer(seat, program, edited)
            sent.add_below(lines)
            yield sent.form(f"edited, “{lines[0][:20]}” below", seat.sheet(edited), kind)
        for number, lines in enumerate(ABOVE[language]):
            edited = _edit(seat, turn + number)
            program, kind = next(styles)
            sent = Answer(seat, program, edited)
            sent.add_above(lines)
            yield sent.form(f"edited, “{lines[0][:20]}” above", seat.sheet(edited), kind)
        for line in PHONES[language]:
            edited = _edit(seat, turn)
            program, kind = next(styles)
            yield Answer(seat, program, edited, (line,)).form(f"edited, {line}", seat.sheet(edited), kind)


def edited_and_armoured(seats: Sequence[Seat]) -> Iterator[Form]:
    """Signed in line, with the quoted form inside; emoji and links in its lines; the answer below it."""
    programs = cycle(("mutt", "K-9", "Roundcube", "Proton"))
    for turn, seat in enumerate(seats):
        edited = _edit(seat, turn)
        sent = Answer(seat, next(programs), edited, ("see below",))
        yield sent.form("edited, signed in line", seat.sheet(edited), "plain", SIGNED.format(sent.text, SEAL))
        for posting in ("bottom", "interleaved"):
            sent = Answer(seat, next(programs), edited, ("see above",), posting)
            yield sent.form(f"edited, {posting}", seat.sheet(edited), "plain")
        name, edit = list(seat.position.edits.items())[1]
        joyful = seat.ours.edited({old: new.replace("\n", " 👍\n") + " 👍" for old, new in edit.items()})
        plain = seat.sheet(seat.ours.edited(edit))
        for program, kind in (("iPhone", "plain"), ("Gmail web", "html")):
            yield Answer(seat, program, joyful).form(f"{name} with a thumb", plain, kind)  # type: ignore[arg-type]
        turn_name = form_of(seat.ours)[0].split()[-1]
        for target in ("<http://{}>", " <https://gate.test/?u=http%3A%2F%2F{}>"):
            linked = edited.text.replace(f" {turn_name}\n", f" {turn_name}{target.format(turn_name)}\n")
            rows = "\n".join(f"> {row}" for row in linked.split("\n"))
            sent = Answer(seat, "Outlook desktop", edited)
            yield sent.form("edited, the turn a link", seat.sheet(edited), "plain", f"\n{rows}")


# ------------------------------------------------------------------ orders above the quote


def written_above(seats: Sequence[Seat]) -> Iterator[Form]:
    """One order, and what programs, gateways, telephones and people add to it."""
    styles, programs = _styles(), cycle(TWO_FORMS)
    for seat in seats:
        language, order = seat.position.language, seat.position.order
        filed = Meant(order)
        shapes = {
            "a thumb": f"{order} 👍🏽",
            "a smiley": f"{order} ;-)",
            "armour": SIGNED.format(order, SEAL),
            "a key": f"{order}\n\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{KEY}",
            "a block": "\n".join([form_of(seat.ours)[0], order, form_of(seat.ours)[-1]]),
            **{line: f"{order}\n\n{line}" for line in PHONES[language]},
            **{f"“{lines[0][:20]}”": "\n".join([order, "", *lines]) for lines in BELOW[language]},
        }
        for name, text in shapes.items():
            program, kind = next(styles)
            yield Answer(seat, program, seat.ours, text.split("\n")).form(f"{name}", filed, kind)
        for joint, words in zip(("", " "), PLACEHOLDERS, strict=False):
            sent = Answer(seat, next(programs), seat.ours, (order,))
            yield sent.form("orders in one row", filed, text=sent.in_one_row(joint))
            yield sent.form("orders beside nothing", filed, text=words)
        below = Meant(asks=("below-signature",), then=order)
        program, kind = next(styles)
        yield Answer(seat, program, seat.ours, ("-- ", order)).form("below the signature", below, kind)
        both = Meant(order, words=SIGNATURE[language])
        program, kind = next(styles)
        sent = Answer(seat, program, seat.ours, (order, "-- ", "M.", order))
        yield sent.form("above and below the signature", both, kind)


# ------------------------------------------------------------------ contradictions


def contradictory(seats: Sequence[Seat]) -> Iterator[Form]:
    """In a block, alone, and in the form edited in the quote: none counts, and all are asked about."""
    styles = _styles()
    for seat in seats:
        header, *_, end = form_of(seat.ours)
        for lines, beside in CONTRADICTIONS[seat.position.game].items():
            text, good = (one.format(order=seat.position.order) for one in (lines, beside))
            for said in (f"{header}\n{text}\n{end}", text):
                program, kind = next(styles)
                name = f"“{' / '.join(said.splitlines())}”"
                yield Answer(seat, program, seat.ours, said.split("\n")).form(name, _held(good), kind)
            first, *rest = orders_of(seat.ours).split("\n")
            left = [row for row in rest if row[:2] not in text and row not in ("PASS", "PASSE")]
            meant = _held("\n".join([*left, *([good] if good else [])]))
            edited = seat.ours.edited({first: text})
            program, kind = next(styles)
            yield Answer(seat, program, edited).form(f"edited to “{text}”", meant, kind)


def _held(good: str) -> Meant:
    if not good:
        return Meant(asks=("bad-lines",))
    return Meant(good, held=True, asks=("good-lines",), then=good)
