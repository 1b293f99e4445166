"""The forms: which mail program says what, how, and what must come of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import cycle

from tests.flow.forms import HANDS, HTML, PLAIN, Body, Ours, answer, body, head
from tests.flow.forms_said import SAID, SEAT, Meant, Said
from tests.mail.corpus import WIRES, Wire
from tests.mail.replies import Posting, Tongue

TONGUES: tuple[Tongue, ...] = ("en", "fr", "de")


@dataclass(frozen=True, slots=True)
class Form:
    """A mail and what it must come to."""

    name: str
    program: str
    seat: str
    raw: bytes
    meant: Meant

    def __str__(self) -> str:
        return f"{self.program}: {self.name}"


@dataclass(slots=True)
class Writing:
    """Everybody's letters of ours, and a stock of things to say."""

    ours: Mapping[str, Ours]  # by seat
    earlier: Mapping[str, Ours]  # the letters of the window before
    at: datetime
    _tongues: Iterator[Tongue]
    _said: Mapping[Tongue, Iterator[Said]]

    @classmethod
    def of(cls, ours: Mapping[str, Ours], earlier: Mapping[str, Ours], at: datetime) -> Writing:
        return cls(ours, earlier, at, cycle(TONGUES), {tongue: cycle(SAID[tongue]) for tongue in TONGUES})

    def next_said(self) -> tuple[Tongue, Said]:
        tongue = next(self._tongues)
        return tongue, next(self._said[tongue])

    def form(
        self,
        program: str,
        posting: Posting,
        kind: Body,
        wire: Wire,
        tongue: Tongue,
        said: Said,
        name: str = "",
    ) -> Form:
        ours = self.ours[SEAT[tongue]]
        reply = answer(ours, tongue, posting, said.lines, said.also, HANDS.get(program))
        raw = head(ours, tongue, self.at) + body(program, reply, ours, kind, wire)
        told = name or f"{tongue} {said.name}, {posting}, {kind} {wire}"
        return Form(told, program, ours.seat, raw, said.meant)


def everywhere(writing: Writing) -> Iterator[Form]:
    """Every program, everywhere where its user can write: text, HTML, both."""
    wires = cycle(WIRES)
    for program, plain in PLAIN.items():
        for posting in plain.postings:
            yield writing.form(program, posting, "plain", next(wires), *writing.next_said())
    for program, page in HTML.items():
        for posting in page.postings:
            yield writing.form(program, posting, "html", next(wires), *writing.next_said())
    for program, page in HTML.items():
        if program in PLAIN:
            for posting in [one for one in page.postings if one in PLAIN[program].postings][:3:2]:
                yield writing.form(program, posting, "alternative", next(wires), *writing.next_said())


# ------------------------------------------------------------------ the block of our letter, edited in place


EDITS: dict[str, dict[str, str]] = {
    "DE": {"C1: PASS": "C1: ATTACK 3", "C2: PASS": "C2: MOVE 1: DE1 DE2 > 2"},
    "WA": {"C1: PASSE": "C1: ATTAQUE 2", "C2: PASSE": "C2: MOUVEMENT 3: FR2 FR3 > 2"},
}
WHOLE = "\nC3: PASS\nC4: PASS"
COVERING: dict[Tongue, tuple[str, ...]] = {
    "en": ("Hello,", "my orders are in the block below.", "Max"),
    "fr": ("Bonjour, mes ordres sont plus bas, dans votre lettre.", "", "Jeanne"),
    "de": (),
}


def edited_in_place(writing: Writing) -> Iterator[Form]:
    """In every program the quoted block may be edited: that is the sheet."""
    wires, tongues = cycle(WIRES), cycle(TONGUES)
    kinds: list[tuple[str, Body]] = [*((one, "plain") for one in PLAIN), *((one, "html") for one in HTML)]
    for program, kind in kinds:
        tongue, wire = next(tongues), next(wires)
        ours = writing.ours[SEAT[tongue]].edited(EDITS[SEAT[tongue]])
        sheet = SAID[tongue][0].meant.sheet
        meant = Meant(f"{sheet}{WHOLE}")
        reply = answer(ours, tongue, "top", COVERING[tongue], hand=HANDS.get(program))
        raw = head(ours, tongue, writing.at) + body(program, reply, ours, kind, wire)
        yield Form(f"{tongue} block edited in the quote, {kind} {wire}", program, ours.seat, raw, meant)
