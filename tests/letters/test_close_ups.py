"""Close-ups of a letter: where something happened, equally wide, every label legible on a telephone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Xml
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest

from engine.games import game
from engine.games.first_world_war.facts.board import CountersDeployed, CountersMoved
from engine.games.first_world_war.facts.combat import AttackLaunched, LocationCaptured
from engine.games.to_the_last_man.facts.battle import BattleBegan
from engine.games.to_the_last_man.facts.board import ArmyMovedSeen, OwnerChanged
from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.facts.moves import FortConquered, UnitMoved
from engine.kernel.game import Game, GameSettings, View
from engine.kernel.requests import Fact, Seat
from pbem.letters.close_ups import MOST, Action, Box, CloseUp, Place, close_ups_over, read_action
from pbem.letters.maps import GROUND, PLACES, _geometry_of, _render, close_ups, map_pictures, map_svg
from pbem.letters.painting import paint, paint_like
from pbem.letters.phrases import LANGUAGES, Phrases, load_phrases
from tests.pictures import with_drawings
from tests.rules.trench.drawn import drawn

PHONE, LEGIBLE = 390, 9  # pixels
SHAPE = {"width": 400, "tallest": 300, "least": 100, "margin": 10, "foot": 20, "pixels": 800}
BOARD = Box(0, 0, 1000, 900)


class Situation(NamedTuple):
    """A view of a game, and what its reader was told."""

    game: Game
    view: View
    facts: Sequence[Fact]
    names: tuple[str, ...]  # of the first close-up, in English
    number: int

    def words(self, language: Any = "en") -> Phrases:
        return load_phrases(self.game.id, language, self.game.load_pack())

    def windows(self) -> list[CloseUp]:
        return close_ups(self.game, self.view, self.words(), self.facts)


@cache
def situation(which: str) -> Situation:
    return SITUATIONS[which]()


def on_fronts() -> Situation:
    fww, seat = game("fww"), Seat("WA")
    state, _ = fww.position(fww.load_pack(), GameSettings(players=4), {"turn": 2, "fronts": {"4": "FR1 DE1"}})
    facts = [
        CountersDeployed("WA", (("FR1", 2), ("FR2", 2)), (seat,)),
        CountersMoved("WA", 2, (("FR1", 1), ("FR2", 1), ("FR3", 3)), (seat,)),
        AttackLaunched("DE", 4, ("DE1",)),
        LocationCaptured(4, "EPINAL", "DE", "WA", 7, 5),
        AttackLaunched("GA", 10, ("AH1",)),
    ]
    return Situation(fww, fww.view(state, seat), facts, ("Vosges", "Somme", "Verdun"), 2)


def in_areas() -> Situation:
    ttlm = game("ttlm")
    state, _ = ttlm.set_up(ttlm.load_pack(), GameSettings("1914"))
    facts = [
        OwnerChanged("VER", "GE"),
        BattleBegan("MET", False),
        BattleBegan("FLA", True),
        ArmyMovedSeen("EN", "FR1", ("PAR", "ARG"), "move", (), False, ()),
    ]
    return Situation(ttlm, ttlm.view(state, Seat("EN")), facts, ("Verdun", "Metz", "Argonne"), 2)


def on_hexes() -> Situation:
    trench = game("trench")
    view = trench.view(drawn("DE.CAR1@D4, DE.INF1@fort:J2, GB.INF1@C3, GB.HOW1@K9", half="1-6"), Seat("DE"))
    facts = [
        UnitMoved("DE.CAR1", "D2", ("D3", "D4"), 4, ""),
        CombatFought("DE.CAR1", "GB.INF1", 1, 0, "C3", (), ()),
        FortConquered("J2", "DE", "DE.INF1", "", ()),
    ]
    return Situation(trench, view, facts, ("J2",), 2)


SITUATIONS = {"fww": on_fronts, "ttlm": in_areas, "trench": on_hexes}
everywhere = pytest.mark.parametrize("which", SITUATIONS)


# ------------------------------------------------------------------ of every game


@everywhere
def test_what_happened_is_seen_whole_and_the_heaviest_first(which: str) -> None:
    there = situation(which)
    windows = there.windows()
    assert len(windows) == there.number and windows[0].names == there.names
    assert len({window.box.width for window in windows}) == 1
    for window in windows:
        left, top, right, bottom = window.box
        svg = map_svg(there.game, there.view, there.words(), there.facts, window)
        root = Xml.fromstring(svg)
        foot = window.shape.foot
        assert root.get("viewBox") == f"{left} {top} {right - left} {bottom - top + foot}"
        assert (int(root.get("width", 0)), int(root.get("height", 0))) == window.pixels


@everywhere
def test_where_nothing_happened_nothing_is_shown_close_up(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_drawings(monkeypatch)
    there = situation(which)
    assert close_ups(there.game, there.view, there.words(), ()) == []
    (whole,) = map_pictures(there.game, there.view, there.words(), ())
    assert whole.name == "map.png"


@everywhere
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_label_is_legible_on_a_telephone(which: str, language: Any) -> None:
    there = situation(which)
    for window in there.windows():
        svg = map_svg(there.game, there.view, there.words(language), there.facts, window)
        shown = PHONE / window.box.width
        sizes = [(size * shown, text) for size, text in fonts(Xml.fromstring(svg))]
        assert len(sizes) > 8
        assert [one for one in sizes if one[0] < LEGIBLE - 1e-6] == []


def fonts(node: Xml.Element, scale: float = 1) -> Iterator[tuple[float, str]]:
    """The size of every label and what it says."""
    found = re.search(r"scale\(([\d.]+)", node.get("transform", ""))
    scale *= float(found[1]) if found else 1
    if node.tag.endswith("}text"):
        yield float(node.get("font-size", 0)) * scale, "".join(node.itertext())
    for below in node:
        yield from fonts(below, scale)


@everywhere
def test_both_languages_say_what_a_close_up_shows(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_drawings(monkeypatch)
    there = situation(which)
    said = {}
    for language in LANGUAGES:
        whole, *near = map_pictures(there.game, there.view, there.words(language), there.facts)
        assert [one.name for one in near] == [f"map-{n}.png" for n in range(1, there.number + 1)]
        assert all(one.alt and "{" not in one.alt for one in (whole, *near))
        said[language] = near[0].alt
    assert all(name in said["en"] for name in there.names) and said["en"] != said["fr"]


@everywhere
def test_the_same_letter_has_the_same_close_ups_byte_for_byte(which: str) -> None:
    there = situation(which)
    made = [
        map_pictures(there.game, there.view, there.words(), there.facts)
        for forget in (paint.cache_clear, paint_like.cache_clear)
        if forget() is None
    ]
    assert made[0] == made[1] and sum(len(one.png) for one in made[0]) < 185_000


def test_what_others_did_unseen_changes_no_close_up() -> None:
    """Facts come whole from the journal; places are those that the reader may read."""
    there, seat = situation("fww"), Seat("DE")
    state, _ = there.game.position(there.game.load_pack(), GameSettings(players=4), {"turn": 2})
    german = there.game.view(state, seat)
    one = [CountersMoved("WA", 2, (("FR1", 1), ("FR2", 1)), (Seat("WA"),))]
    other = [CountersMoved("WA", 2, (("FR4", 1), ("FR5", 1)), (Seat("WA"),))]
    assert close_ups(there.game, german, there.words(), one) == close_ups(
        there.game, german, there.words(), other
    )


def test_pictures_that_are_too_large_are_left_out_from_the_end() -> None:
    there = situation("ttlm")
    given = (there.game, there.view, there.words(), there.facts)
    assert [one.name for one in map_pictures(*given)] == ["map.png", "map-1.png", "map-2.png"]
    assert [one.name for one in map_pictures(*given, room=1)] == ["map.png", "map-1.png"]


# ------------------------------------------------------------------ the choice of windows


def action(*places: tuple[str, int, float, float], whole: Sequence[Box] = ()) -> Action:
    found = [Place(name, weight, Box(x, y, x + 60, y + 40)) for name, weight, x, y in places]
    return Action(BOARD, tuple(sorted(found, key=lambda one: -one.weight)), tuple(whole))


def names(found: Sequence[CloseUp]) -> list[tuple[str, ...]]:
    return [window.names for window in found]


def test_neighbours_are_joined_and_others_are_not() -> None:
    near = close_ups_over(action(("A", 6, 100, 100), ("B", 3, 300, 200), ("C", 4, 800, 700)), SHAPE)
    assert names(near) == [("A", "B"), ("C",)]
    for window, inner in zip(near, ((100, 100, 360, 240), (800, 700, 860, 740)), strict=True):
        assert window.box.holds(Box(*inner)) and BOARD.holds(window.box)


def test_there_are_few_and_what_weighs_little_is_left_out() -> None:
    corners = (("A", 9, 0, 0), ("B", 8, 900, 0), ("C", 7, 0, 800), ("D", 6, 900, 800))
    assert names(close_ups_over(action(*corners), SHAPE)) == [("A",), ("B",), ("C",)]
    assert len(corners) > MOST
    assert names(close_ups_over(action(("A", 30, 0, 0), ("B", 2, 900, 800)), SHAPE)) == [("A",)]


def test_a_group_counts_as_a_whole() -> None:
    places = (("A", 5, 100, 100), ("B", 3, 800, 700), ("C", 3, 700, 650))
    assert names(close_ups_over(action(*places), SHAPE)) == [("B", "C"), ("A",)]


def test_a_window_moves_aside_for_what_its_edge_would_cut() -> None:
    (middle,) = close_ups_over(action(("A", 5, 400, 400)), SHAPE)
    piece = Box(middle.box.left - 10, 410, middle.box.left + 10, 430)
    (moved,) = close_ups_over(action(("A", 5, 400, 400), whole=[piece]), SHAPE)
    assert middle.box.cuts(piece) and not moved.box.cuts(piece)
    assert moved.box.holds(Box(400, 400, 460, 440))


def test_lines_of_the_template_are_added_up_by_place() -> None:
    read = read_action(
        "board 0 0 9 8\n\n 3 1 1 2 2 Le Havre\nwhole 1 1 2 2\n2 2 1 3 2 Le Havre\n7 5 5 6 6 Metz\n"
    )
    assert read.board == Box(0, 0, 9, 8) and read.whole == (Box(1, 1, 2, 2),)
    assert read.places == (Place("Metz", 7, Box(5, 5, 6, 6)), Place("Le Havre", 5, Box(1, 1, 3, 2)))


@everywhere
def test_a_close_up_at_the_edge_of_the_map_is_filled_to_its_corners(which: str) -> None:
    """What lay below the map was left transparent, and a letter about it could not be painted."""
    there = situation(which)
    board = read_action(_render(PLACES, there.game, there.view, there.words())).board
    for left, top in ((board.left, board.top), (board.right - 30, board.bottom - 30)):
        place = Place("here", 1, Box(left, top, left + 30, top + 30))
        (close_up,) = close_ups_over(Action(board, (place,), ()), _geometry_of(there.game)["close_up"])
        ground = _render(GROUND, there.game, there.view, there.words(), close_up=close_up)
        assert paint(ground)
