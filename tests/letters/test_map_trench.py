"""The hex board: everything on it is drawn, in both languages, small enough for a letter."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from random import Random
from typing import Any

import pytest

from engine.games import game
from engine.games.trench_club.overlays import reach_of
from engine.games.trench_club.view import View
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Answer, Ask, Fact, Seat
from engine.kernel.table import Table
from pbem.letters.maps import _geometry_of, map_png, map_svg, map_text, overlay_png, strip_png
from pbem.letters.painting import SIGNATURE
from pbem.letters.phrases import LANGUAGES, Phrases, load_phrases
from pbem.letters.result import Chapter, Result, result_letter
from tests.narrowing import expect
from tests.rules.trench.drawn import drawn

TRENCH = game("trench")
both = pytest.mark.parametrize("language", LANGUAGES)
UNITS = (
    "DE.CAR1@D4 d3 x3, DE.HVY1@C2, DE.TNK1@fort:J2 d2, DE.AIR1@G3 x5, GB.INF1@C3, GB.CAV1@I2 d5, GB.HOW1@K9"
)
LETTER = 300_000  # bytes of a whole letter


def words(language: Any) -> Phrases:
    return load_phrases("trench", language, TRENCH.load_pack())


def board(seat: str = "DE", **more: Any) -> View:
    state = drawn(UNITS, "own J2=DE, own B8=GB, mine E6=GB, built F6=bridge", half="1-6", **more)
    return expect(View, TRENCH.view(state, Seat(seat)))


def texts(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(svg).iter() if node.tag.endswith("}text")]


def played(players: int, seed: int) -> tuple[View, View, list[Fact]]:
    """A view, the one before, and what happened between them in a game of random play."""
    rng, seen, marks = Random(seed), list[View](), list[int]()
    settings = GameSettings(TRENCH.scenarios[0], players, options={"round_limit": 5})
    table = Table.start(TRENCH, TRENCH.load_pack(), settings, TestDice(str(seed)))

    def bot(view: View, ask: Ask) -> Answer:
        if ask.topic == "turn.lead":
            seen.append(view)
            marks.append(len(table.journal.lines))
        return ask.options.sample(rng)

    table.automa = dict.fromkeys(TRENCH.seats(settings), bot)
    table.advance()
    lines = table.journal.lines[marks[-3] : marks[-1]]
    return seen[-1], seen[-3], [table.codec.fact(one.data) for one in lines if one.data["k"] == "fact"]


@both
def test_every_hex_unit_and_owner_stands_on_the_board(language: Any) -> None:
    view = board()
    found = texts(map_svg(TRENCH, view, words(language)))
    assert set(view.position.grid) <= set(found)
    codes = {"en": ("CAR1", "HVY1", "AIR1", "INF1", "CAV1"), "fr": ("BLI1", "LOU1", "AVI1", "INF1", "MON1")}
    assert set(codes[language]) <= set(found)
    assert any("d2" in text for text in found), "damage of who is inside a fort"
    assert {"3", "5"} <= set(found), "damage on counters"
    assert found.count("DE") >= 4 and found.count("GB") >= 4


def test_terrain_is_told_by_shapes_too() -> None:
    """Whoever sees no colours sees trees, waves, diggings and bridges; teams differ by their corners."""
    svg = map_svg(TRENCH, board(), words("en"))
    terrain = board().position.pack.terrain
    half = [terrain[hex_] for hex_ in board().position.grid]
    legend = 1
    assert svg.count('href="#forest"') == half.count("forest") + legend
    assert svg.count('href="#trench"') == half.count("trench") + legend
    assert svg.count('href="#water"') == half.count("water") + half.count("bridge") + 2 * legend
    assert svg.count('href="#mine"') == 1 + legend
    assert svg.count('href="#star"') == 1 + 2 + 3 * legend
    assert 'rx="9"' in svg and 'rx="1"' in svg


def test_what_engineers_built_is_drawn() -> None:
    built = map_svg(TRENCH, board(), words("en"))
    state = drawn(UNITS, half="1-6")
    assert built != map_svg(TRENCH, TRENCH.view(state, Seat("DE")), words("en"))


@both
def test_reach_is_hatched_with_its_costs(language: Any) -> None:
    view = board()
    reach = reach_of(view, "DE.CAR1")
    assert reach is not None
    with_it, without = (overlay_png(TRENCH, view, words(language), one) for one in (reach, None))
    assert with_it.startswith(SIGNATURE) and with_it != without
    assert without == map_png(TRENCH, view, words(language))
    assert len(reach.hexes) > 5
    assert str(len(reach.hexes)) in words(language).overlay(reach)


def test_nothing_happened_nothing_is_replayed() -> None:
    assert strip_png(TRENCH, board(), board(), words("en"), []) == b""
    assert strip_png(TRENCH, None, board(), words("en"), []) == b""


def test_games_without_frames_have_no_strip() -> None:
    assert strip_png(game("fww"), object(), object(), words("en"), []) == b""


@pytest.mark.parametrize(("players", "language"), [(2, "en"), (4, "fr")])
def test_a_letter_with_all_its_pictures_stays_small(players: int, language: Any) -> None:
    view, before, facts = played(players, 7)
    result = Result(campaign="TC-1", view=view, happened=(Chapter(None, tuple(facts)),), before=before)
    written = result_letter(TRENCH, result, words(language))
    names = [one.name for one in written.pictures]
    assert names[:2] == ["map.png", "map-1.png"] and names[-1] == "replay.png"
    coded = sum(len(one.png) for one in written.pictures) * 4 // 3
    size = coded + len(written.text.encode()) + len(written.html.encode())
    assert size < LETTER, size
    assert all(f"cid:{name}" in written.html for name in names)


@both
def test_the_words_beside_the_picture_tell_the_same(language: Any) -> None:
    text = map_text(TRENCH, board(), words(language))
    assert "[J2 d2]" in text and "D4 d3 *" in text and "G3 **" in text and "E6" in text and "F6" in text


def test_the_same_view_gives_the_same_bytes() -> None:
    assert map_svg(TRENCH, board(), words("en")) == map_svg(TRENCH, board(), words("en"))


def test_the_frames_of_a_turn_can_be_read_on_a_telephone() -> None:
    """Nine pixels at 390, and so few that they are seen without turning the page for long."""
    strip = _geometry_of(TRENCH)["strip"]
    assert strip["font"] * 358 / 808 >= 9
    size = (808 - (strip["across"] - 1) * strip["gap"]) / strip["across"]
    code = _geometry_of(TRENCH)["canvas"]["code"] * size / strip["least"]
    assert code * 358 / 808 >= 8.5 and max(strip["most"], strip["most_full"]) <= 9
