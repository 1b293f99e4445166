"""Result letters: complete as text, the same words as HTML, nothing loaded, nothing leaked, readable back."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from engine.games import game
from engine.games.first_world_war.pack import load_pack
from engine.games.first_world_war.state import FACTIONS
from engine.kernel.fairness.dice import TestDice
from engine.kernel.fairness.export import AuditBlock
from engine.kernel.fairness.history import Throw
from engine.kernel.game import GameSettings, Outcome, View
from engine.kernel.requests import Answer, Ask, Seat, Segment
from engine.kernel.table import Table
from pbem.campaigns.results import add_form
from pbem.letters.order_form import asks_of_window, form_lines
from pbem.letters.phrases import LANGUAGES, Phrases
from pbem.letters.render import WIDTH, LetterBody, ReadLine, view_text
from pbem.letters.result import Chapter, ComingQuestion, Result, result_letter, result_text
from pbem.mail.compose import Correspondent, Draft, compose
from pbem.orders.own_text import QuotedLetter, begins_block, is_end, marker
from tests.letters.letters_read import Page, check_loads_nothing, check_page, plain

FWW = game("fww")
PACK = load_pack()
SETTINGS = GameSettings(players=4, options={"no_surrender_before_turn": 6})
UNTOLD = "<Macro", "{{", "{%", "Undefined", "None"
MOST_HTML = 100_000
WINTER = datetime(2026, 11, 24, 19, 0, tzinfo=UTC)

both = pytest.mark.parametrize("language", LANGUAGES)


@cache
def words(language: Any) -> Phrases:
    return Phrases("fww", language, PACK)


@cache
def situation() -> tuple[View, Ask, tuple[Chapter, ...]]:
    """A seat's question in the middle of a game, and what happened in that turn before it."""
    rng = Random(5)
    table = Table.start(FWW, PACK, SETTINGS, TestDice(5))
    found: dict[str, Any] = {}

    def bot(view: View, ask: Ask) -> Answer:
        if view.turn == 3 and view.round >= 9 and view.seat == "WA" and ask.topic == "round.action":
            found.setdefault("asked", (view, ask, len(table.journal.lines)))
        return FWW.bots["random"](view, ask, rng)

    table.automa = dict.fromkeys(FWW.seats(SETTINGS), bot)
    table.advance()
    view, ask, last = found["asked"]
    chapters: list[tuple[Segment, list[Any]]] = []
    for line in table.journal.lines[:last]:
        if line.data["k"] == "seam" and line.data["key"].startswith("T3."):
            segment = Segment(line.data["name"], line.data["key"], tuple(line.data["args"]))
            chapters.append((segment, []))
        elif line.data["k"] == "fact" and chapters:
            chapters[-1][1].append(table.codec.fact(line.data))
    return view, ask, tuple(Chapter(segment, tuple(facts)) for segment, facts in chapters)


def result(**changes: Any) -> Result:
    view, ask, chapters = situation()
    throws = (
        Throw(411, 17, "T3.R1", Seat("DE"), "attack.DE", 6, (3,), "audited"),
        Throw(412, 17, "T3.R1", Seat("WA"), "defence.WA", 6, (5,), "forced"),
    )
    whole = Result(
        campaign="FWW-7",
        view=view,
        happened=chapters,
        asks=(ask,),
        window="T3.R",
        foreseen=(
            ComingQuestion("combat.draw", "DRAW FREE", False),
            ComingQuestion("combat.capture", "TAKE METZ", True),
        ),
        deadline=WINTER,
        zone="Europe/Paris",
        audit=AuditBlock(((17, "ab" * 32, ("UNSALTED",)),), throws, "cd" * 32),
    )
    return replace(whole, **changes)


@cache
def letter(language: Any) -> LetterBody:
    return result_letter(FWW, result(), words(language))


class Words(HTMLParser):
    """All that is written in a page, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.loaded: list[str] = []
        self.alt = ""

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "background")]
        self.alt += named.get("alt") or ""


def read(html: str) -> Words:
    words_of = Words()
    words_of.feed(html)
    return words_of


# ------------------------------------------------------------------ text


@both
def test_the_text_fits_a_letter_and_is_framed(language: Any) -> None:
    lines = letter(language).text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert not [line for line in lines if line != line.rstrip()]
    assert "" not in [a or b for a, b in pairwise(lines)]
    assert marker(lines[0]) == "begin" and "FWW-7" in lines[0] and marker(lines[-1]) == "end"
    assert not [part for part in UNTOLD if part in letter(language).text]


@both
def test_its_parts_come_in_the_order_of_their_use(language: Any) -> None:
    titles = ("asked", "foreseen", "happened", "board", "dice")
    places = [
        letter(language).text.find(f"\n{words(language).say('letters', one).upper()}\n") for one in titles
    ]
    assert places == sorted(places) and places[0] > 0


@both
def test_the_block_is_found_again_and_every_line_of_it_is_an_order(language: Any) -> None:
    template = QuotedLetter.of(letter(language).text).form
    assert len(template) >= 3
    text = letter(language).text
    first, last = words(language).say("letters", "orders"), words(language).say("letters", "orders_end")
    block = re.search(rf"^{first} FWW-7 T3\.R\n(.*?)^{last}$", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    reading = FWW.notation.read(block[1], situation()[0])
    assert reading.orders and not reading.refusals


def joined(lines: list[str]) -> list[str]:
    """Lines that go on below, as the reader of letters joins them."""
    return "\n".join(lines).replace("\n  ", " ").splitlines()


def as_used(line: str) -> str:
    """A remark as a player uses it: without its sign."""
    return line.removeprefix("# ")


@both
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("kind", "ODRCV")
def test_the_usual_lines_of_every_window_are_read(language: Any, players: int, kind: str) -> None:
    state, _ = FWW.position(PACK, GameSettings(players=players, options={"random_order": True}), {"turn": 2})
    for seat in FWW.seats(GameSettings(players=players)):
        view = FWW.view(state, seat)
        asked = result(view=view, asks=(), happened=(), window=f"T2.{kind}{1 if kind == 'C' else ''}")
        text = result_text(FWW, asked, words(language))
        sheet = QuotedLetter.of(text)
        lines = form_lines(FWW, view, asked.window, words(language))
        assert lines and len(sheet.form) == len(lines) + 2
        reading = FWW.notation.read("\n".join(joined(lines)), view)
        assert not reading.refusals
        assert bool(reading.orders or reading.standing) == (kind in "ORC")


@both
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("kind", "RCV")
def test_every_example_of_a_form_can_be_ordered(language: Any, players: int, kind: str) -> None:
    """They name the reader's own counters; a remark without its sign is an order that is not refused."""
    table = Table.start(FWW, PACK, GameSettings(players=players), TestDice(5))
    table.automa = dict.fromkeys(FWW.seats(GameSettings(players=players)), first_round_stops)
    with suppress(Enough):
        table.advance()
    for seat in FWW.seats(GameSettings(players=players)):
        view = replace(table.view(seat), pool={f: PACK.armies_of[f][:3] for f in FACTIONS})
        asks = asks_of_window(FWW, view, f"T1.{kind}", ())
        lines = joined(form_lines(FWW, view, f"T1.{kind}", words(language), asks))
        examples = [as_used(line) for line in lines if re.search(r"\d: |PASS|REPLACE|REMPLACE", line)]
        readings = [FWW.notation.read(one, view) for one in examples if not one.endswith(":")]
        orders = [line for one in readings for line in (*one.orders, *one.standing)]
        assert len(orders) >= (1 if kind == "V" else 3) * len(view.factions)
        assert not [refusal for one in readings for refusal in one.refusals]
        assert not [line.write() for line in orders if line.check(view)]


class Enough(Exception):
    """The situation is there."""


def first_round_stops(view: View, ask: Ask) -> Answer:
    if ask.topic == "round.action":
        raise Enough
    return ask.default


def numbers(deployed: Any) -> list[tuple[str, int]]:
    """Who goes where; one dummy is as good as another."""
    return sorted((one if one in PACK.armies else "D", front) for one, front in deployed.placed)


@both
def test_both_factions_of_a_seat_stand_in_question_and_block(language: Any) -> None:
    """The set-up of two players has a live line for each: so the counters are placed without a letter."""
    table = Table.start(FWW, PACK, GameSettings(players=2), TestDice(5))
    pause = table.advance()
    assert pause is not None
    view = table.view(Seat("ALLIES"))
    own = [ask for _, ask in pause.asks if ask.seat == "ALLIES"]
    whole = add_form(FWW, result(view=view, asks=tuple(own), happened=(), window="T1.D"), words(language))
    text = result_text(FWW, whole, words(language))
    assert {ask.given.faction for ask in whole.asks} == {"WA", "EA"}
    asked = text.partition(f"\n{words(language).say('letters', 'asked').upper()}\n")[2]
    for faction in ("WA", "EA"):
        assert PACK.factions[faction].names[language] in asked
    reading = FWW.notation.read("\n".join(joined(list(whole.sheet))), view)
    assert not reading.refusals and len(reading.orders) == 2
    for ask in whole.asks:
        said = [line.answer(ask, view) for line in reading.orders]
        assert [numbers(ask.default)] == [numbers(one.value) for one in said if one is not None]
    assert max(map(len, text.splitlines())) <= WIDTH


@both
def test_where_more_than_one_answer_is_wanted_none_has_a_number(language: Any) -> None:
    """A number alone would leave the other rounds to their default."""
    numbered = words(language).say("letters", "examples")[:20]
    whole = add_form(FWW, result(happened=()), words(language))
    assert numbered in " ".join(letter(language).text.split())  # one question, one answer
    written = result_letter(FWW, whole, words(language))
    assert numbered not in " ".join(written.text.split()) and numbered in letter(language).html
    assert numbered not in written.html


@both
def test_the_deadline_is_the_readers_own_time(language: Any) -> None:
    assert "20:00 CET" in letter(language).text and "20:00 CET" in letter(language).subject
    summer = result(deadline=datetime(2026, 7, 24, 19, 0, tzinfo=UTC), zone="America/New_York", happened=())
    assert "15:00 EDT" in result_text(FWW, summer, words(language))
    none = result_letter(FWW, result(deadline=None, happened=()), words(language))
    assert "CET" not in none.text and ":" not in none.subject.partition("–")[2]


@both
def test_without_a_window_it_says_whom_the_campaign_waits_for(language: Any) -> None:
    waiting = result(window="", asks=(), waiting=(Seat("DE"), Seat("GA")), happened=())
    text = result_text(FWW, waiting, words(language))
    told = {"en": "Germany and the German Allies", "fr": "l’Allemagne et les Alliés de l’Allemagne"}
    assert told[language] in " ".join(text.split()) and not QuotedLetter.of(text).form[1:]


@both
def test_the_end_asks_nothing(language: Any) -> None:
    over = result(outcome=Outcome((Seat("WA"),), "victory-points"), window="", asks=(), happened=())
    last = result_letter(FWW, over, words(language))
    asked = words(language).say("letters", "asked").upper()
    assert asked not in last.text
    assert words(language).outcome(Outcome((), "victory-points")) in plain(last.text)
    assert (
        PACK.factions["WA"].names[language]
        in last.text.rpartition(f"\n{'=' * len(words(language).say('letters', 'end'))}\n")[2]
    )
    assert last.subject == words(language).say("letter", "over", {"campaign": "FWW-7", "view": over.view})


def test_forced_dice_and_marks_are_named() -> None:
    text = letter("en").text
    assert "#411 T3.R1" in text and "forced by the umpire" in text and "UNSALTED" in text


# ------------------------------------------------------------------ HTML


@both
def test_the_page_has_the_words_of_the_text(language: Any) -> None:
    check_page(letter(language), view_text(FWW, situation()[0], words(language)))


@both
def test_the_page_loads_nothing_and_carries_its_styles(language: Any) -> None:
    page = letter(language).html
    assert read(page).loaded == ["#orders", "cid:map.png", "cid:map-1.png", "cid:map-2.png"]
    check_loads_nothing(page, Page(page))
    assert "<script" not in page
    assert page.count('style="') > 20 and len(page.encode()) < MOST_HTML


@both
def test_the_picture_has_its_text(language: Any) -> None:
    whole, *close_ups = letter(language).pictures
    assert [one.name for one in (whole, *close_ups)] == ["map.png", "map-1.png", "map-2.png"]
    assert all(one.png.startswith(b"\x89PNG") for one in (whole, *close_ups))
    alt = plain(read(letter(language).html).alt)
    assert all(one.alt and plain(one.alt) in alt for one in close_ups)
    assert PACK.fronts[11].names[language] in alt and PACK.locations["PARIS"].names[language] in alt


def test_what_is_put_in_is_escaped() -> None:
    page = result_letter(FWW, result(campaign="<b>&", happened=(), asks=(), window=""), words("en")).html
    assert "&lt;b&gt;&amp;" in page and "<b>&" not in page


@both
def test_it_can_be_sent(language: Any) -> None:
    ours = letter(language)
    draft = Draft(
        "<a1@example.org>",
        Correspondent("umpire@example.org"),
        "umpire+fww-7@example.org",
        Correspondent("player@example.org"),
        ours.subject,
        WINTER,
        ours.text,
        html=ours.html,
        pictures=ours.pictures,
    )
    assert len(compose(draft)) < 300_000


# ------------------------------------------------------------------ secrecy


def test_the_same_result_gives_the_same_letter() -> None:
    assert result_letter(FWW, result(), words("en")) == letter("en")


def test_only_what_the_reader_may_read_is_told() -> None:
    """The facts come whole from the journal: others' armies that moved or were deployed are only numbers."""
    view, _, chapters = situation()
    others = [
        fact
        for chapter in chapters
        for fact in chapter.facts
        if fact.audience is not None and view.seat not in fact.audience
    ]
    assert others
    alone = result_text(FWW, result(happened=(Chapter(None, tuple(others)),)), words("en"))
    redacted = tuple(seen for fact in others if (seen := fact.redacted()) is not None)
    told = result_text(FWW, result(happened=(Chapter(None, redacted),)), words("en"))
    assert alone == told


# ------------------------------------------------------------------ the reader's orders


@both
def test_his_orders_are_told_as_they_were_read(language: Any) -> None:
    rows = (
        ReadLine(1, "C1: ATTACK 3 WITH REAL", "done"),
        ReadLine(12, "C2: <b>MOVE</b>", "refused", ("FR9 is not on front 2. [FWW-5-3]",)),
        ReadLine(0, "", "missing", ("Nothing had come.",)),
    )
    written = result_letter(FWW, result(read=rows, happened=()), words(language))
    said = words(language).say
    title = said("letters", "read").upper()
    section = written.text.partition(f"\n{title}\n")[2].partition("\n\n")[0]
    assert (
        f"  1  {said('statuses', 'done')}" in section and " 12  " in section and "C2: <b>MOVE</b>" in section
    )
    assert "[FWW-5-3]" in section and f"     {said('statuses', 'missing')}" in section
    assert max(map(len, section.splitlines())) <= WIDTH
    assert "&lt;b&gt;MOVE" in written.html and "<b>MOVE" not in written.html
    places = [
        written.text.find(f"\n{said('letters', one).upper()}\n") for one in ("read", "happened", "board")
    ]
    assert places == sorted(places)
    assert title not in letter(language).text


@both
def test_lines_that_seem_to_frame_a_block_stand_only_around_the_block(language: Any) -> None:
    lines = letter(language).text.splitlines()
    assert [begins_block(line) for line in lines].count(True) == 1
    assert [is_end(line) for line in lines].count(True) == 1
