"""Mail forms in the other games: turns by their own names, links in orders, and letters out of turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import cycle
from pathlib import Path
from typing import Final

import pytest

from tests.campaigns_at_hand import PEOPLE, campaign_at_hand
from tests.flow.forms import APPLE, HANDS, HTML, PLAIN, UTF8, Body, Ours, answer, drawn, head, ours_of, real
from tests.flow.forms_cases import Form
from tests.flow.forms_parts import ABOVE, BELOW, PLACEHOLDERS, TWO_FORMS
from tests.flow.forms_said import Meant
from tests.flow.test_forms import Waiting, judge, keep_waiting
from tests.mail.corpus import multipart, part
from tests.mail.replies import Tongue
from tests.trench_at_hand import in_first_round


@dataclass(frozen=True)
class Place:
    """A game that waits for a seat: what it is sent, and what that is in canonical notation."""

    waiting: Waiting
    seat: str
    tongue: Tongue
    said: str
    sheet: str
    turns: tuple[str, ...]  # by which the open window may be called
    past: str  # another one

    def ours(self) -> Ours:
        """The newest letter to the seat, with its text for a page."""
        at, seat = self.waiting.at, self.seat
        found = ours_of(at.letters(seat, "result")[0], PEOPLE[at.addresses[seat]][0])
        return found.with_page(f"<div><pre>{escape(found.text)}</pre></div>")

    def block(self, turn: str) -> str:
        first, last = ("ORDRES", "FIN") if self.tongue == "fr" else ("ORDERS", "END")
        return f"{first} {self.waiting.at.name} {turn}\n{self.said}\n{last}"

    def form(self, name: str, program: str, text: str, meant: Meant, kind: Body, beside: str = "") -> Form:
        """`beside`: the text in place of the program's own."""
        ours = self.ours()
        reply = answer(ours, self.tongue, "top", text.split("\n"), hand=HANDS.get(program))
        page = real(HTML[program].text(reply), reply, ours) if kind != "plain" else ""
        said = real(PLAIN[program].text(reply), reply, ours) if kind != "html" else ""
        if beside == IN_ONE_ROW:
            beside = " ".join(line.strip() for line in drawn(page, APPLE) if line.strip())
        plain, html = part(beside or said, "text/plain", UTF8), part(page, "text/html", UTF8)
        body = {"plain": plain, "html": html, "alternative": multipart("alternative", plain, html)}[kind]
        raw = head(ours, self.tongue, self.waiting.at.clock()) + body
        return Form(f"{name}, {kind}", program, ours.seat, raw, meant)


KINDS: Final[tuple[Body, ...]] = ("plain", "html", "alternative")
IN_ONE_ROW: Final = "in one row"


@pytest.fixture(scope="module", params=["trench", "ttlm"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    return {"trench": trench, "ttlm": ttlm}[request.param](tmp_path_factory.mktemp(request.param))


def trench(folder: Path) -> Place:
    waiting = keep_waiting(in_first_round(folder), folder)
    said = "ACTIVE B\nM TNK1 > D6\nM INF1 > C13"
    return Place(waiting, "GB", "en", said, said, ("R1.GB.T", "r1.gb.t", "R1.GB", "R1", "round 1"), "S.S")


def ttlm(folder: Path) -> Place:
    at = campaign_at_hand(folder, game="ttlm", players=2, name="TTLM-2", scenario="1915", dice=" 1")
    said = "JOUER OFFENSIVE\nBOUGER C@BRU BRU-HAI"
    turns = ("T4.1", "1915-SP.1", "1915-PRINTEMPS.1", "T4", "tour 4")
    return Place(
        keep_waiting(at, folder), "GE", "fr", said, "PLAY OFFENSIVE\nMOVE C@BRU BRU-HAI", turns, "T3.P"
    )


def headers(place: Place) -> Iterator[Form]:
    """The turn by every name; and a turn that is not open."""
    programs, kinds = cycle(TWO_FORMS), cycle(KINDS)
    for turn in place.turns:
        filed = Meant(place.sheet)
        yield place.form(f"the turn is {turn}", next(programs), place.block(turn), filed, next(kinds))
    other = Meant(asks=("other-turn",), then=place.sheet)
    yield place.form(f"{place.past}", next(programs), place.block(place.past), other, next(kinds))


def added(place: Place) -> Iterator[Form]:
    """Two forms, footers, banners, links, emoji."""
    programs, filed = cycle(TWO_FORMS), Meant(place.sheet)
    for _ in range(4):
        yield place.form("in one row", next(programs), place.said, filed, "alternative", IN_ONE_ROW)
        yield place.form("placeholder", next(programs), place.said, filed, "alternative", PLACEHOLDERS[0])
    kinds = cycle(KINDS)
    for lines in (*BELOW[place.tongue][:5], *ABOVE[place.tongue][:2]):
        above = lines in ABOVE[place.tongue]
        text = "\n".join([*lines, "", place.said] if above else [place.said, "", *lines])
        yield place.form(f"“{lines[0][:30]}”", next(programs), text, filed, next(kinds))
    emoji = "\n".join(f"{line} 💥" for line in place.said.split("\n"))
    yield place.form("emoji", "iPhone", emoji, filed, "plain")
    yield place.form("a smiley", "Samsung", f"{place.said} :-)", filed, "plain")
    for target in ("<mailto:{}>", " <mailto:{}>", "<http://{}>", " <{}>"):
        text = " ".join(
            f"{word}{target.format(word)}" if "@" in word else word for word in place.said.split(" ")
        )
        linked = place.block(place.turns[0]).replace(place.said, text)
        yield place.form("a link of a word", "Outlook desktop", linked, filed, "plain")
    linked = place.block(f"{place.turns[0]}<http://{place.turns[0]}>")
    yield place.form("a link of a turn", "Outlook web", linked, filed, "plain")


def out_of_turn(place: Place) -> Iterator[Form]:
    """The seat that is not asked is told so: nothing is kept for its own turn."""
    seat = next(seat for seat in place.waiting.at.seats if seat != place.seat)
    other = replace(place, seat=seat, tongue="fr" if place.tongue == "en" else "en")
    if place.waiting.at.name.startswith("TC"):
        told = Meant(state="refused", words="Ce n’est pas votre tour.")
        said = ["D INF1 > C13", "ORDRES TC-1 R1.DE.T\nD INF1 > C13\nFIN", "ORDRES TC-1 R1\nD INF1 > C13\nFIN"]
    else:
        told = Meant(state="refused", words="It is not your turn.")
        said = ["MOVE FR6 COM-PIC", "ORDERS TTLM-2 T4.1\nMOVE FR6 COM-PIC\nEND"]
    for text, kind in zip(said, cycle(KINDS), strict=False):
        yield other.form("out of turn", "Gmail web", text, told, kind)


@pytest.mark.parametrize("way", [headers, added, out_of_turn], ids=lambda way: way.__name__)
def test_every_form_is_carried_out_as_meant_or_asked_about(
    place: Place, way: Callable[[Place], Iterable[Form]]
) -> None:
    judged = [judge(place.waiting, form) for form in way(place)]
    wrong = [f"{one.form}: {'; '.join(one.deviations)}" for one in judged if one.deviations]
    assert judged and not wrong, "\n".join([f"{len(wrong)} of {len(judged)}", *wrong])
