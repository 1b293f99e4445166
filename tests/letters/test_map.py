"""The map of a letter: everything on it, nothing but the reader's view in it, small, the same everywhere."""

from __future__ import annotations

import inspect
import re
import struct
import tomllib
import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import pytest
from PIL import Image, ImageChops, ImageStat
from resvg_py import svg_to_bytes

from engine.games import game
from engine.games.first_world_war.facts.board import CountersDeployed, CountersMoved
from engine.games.first_world_war.facts.combat import AttackLaunched, LocationCaptured
from engine.games.first_world_war.pack import load_pack
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.pack import Names
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.table import Table
from pbem.letters.maps import close_ups, has_map, map_pictures, map_png, map_svg, map_text
from pbem.letters.painting import paint
from pbem.letters.phrases import LANGUAGES, Phrases
from pbem.letters.render import WIDTH
from pbem.resources import templates_folder
from tests.kernel import toy
from tests.letters.test_png import chunks

FWW = game("fww")
PACK = load_pack()
MOST_BYTES = 150_000
SVG = "{http://www.w3.org/2000/svg}"
UNTOLD = "<Macro", "{{", "{%", "Undefined", "None"
GEOMETRY: dict[str, Any] = tomllib.loads((templates_folder() / "maps/fww/geometry.toml").read_text("utf-8"))
FONTS = sorted(str(path) for path in (templates_folder() / "maps/fonts").glob("*.ttf"))

both = pytest.mark.parametrize("language", LANGUAGES)


@cache
def words(language: Any) -> Phrases:
    return Phrases("fww", language, PACK)


def drawn(players: int, **position: Any) -> Any:
    state, _ = FWW.position(PACK, GameSettings(players=players), position)
    return state


def texts(svg: str) -> list[str]:
    """Everything that is written on the map."""
    return ["".join(one.itertext()).strip() for one in Xml.fromstring(svg).iter(f"{SVG}text")]


@cache
def played() -> tuple[View, ...]:
    """Views of every seat from whole games, one of each turn and phase."""
    found: dict[tuple[Any, ...], View] = {}
    for number, players in enumerate((2, 4)):
        rng = Random(number)
        settings = GameSettings(players=players, options={"no_surrender_before_turn": 6})

        def bot(view: View, ask: Ask, rng: Random = rng) -> Answer:
            found.setdefault((view.players, view.seat, view.turn, view.phase), view)
            return FWW.bots["random"](view, ask, rng)

        table = Table.start(FWW, PACK, settings, TestDice(number))
        table.automa = dict.fromkeys(FWW.seats(settings), bot)
        table.advance()
    assert {view.turn for view in found.values()} == set(PACK.turns)
    return tuple(found.values())


# ------------------------------------------------------------------ the geometry fits the pack


def test_every_place_line_and_track_of_the_pack_has_its_spot() -> None:
    def ids(name: str) -> list[Any]:
        return sorted(one["id"] for one in GEOMETRY[name])

    assert ids("location") == sorted(PACK.locations)
    assert ids("base") == sorted(PACK.bases)
    assert ids("front") == sorted(PACK.fronts)
    lines = sorted((one["front"], one["a"], one["b"]) for one in GEOMETRY["line"])
    assert lines == sorted((one.front, one.a, one.b) for one in PACK.lines)
    tracks = {name: [cell["id"] for cell in GEOMETRY["track"][name]["cells"]] for name in ("turn", "round")}
    assert tracks == {"turn": sorted(PACK.turns), "round": list(range(1, PACK.meta.rounds + 1))}


def test_lines_end_at_their_places_and_everything_lies_on_the_sheet() -> None:
    spots = {one["id"]: one["at"] for one in (*GEOMETRY["location"], *GEOMETRY["base"])}
    for line in GEOMETRY["line"]:
        assert [line["points"][0], line["points"][-1]] == [spots[line["a"]], spots[line["b"]]]
    width, height = GEOMETRY["canvas"]["width"], GEOMETRY["canvas"]["height"]
    for front in GEOMETRY["front"]:
        for side in PACK.alliances:
            x, y, w, h = front[side]["rect"]
            assert len(front[side]["slots"]) >= 12
            assert all(x < a < x + w and y < b < y + h for a, b in front[side]["slots"])
    assert all(0 <= x <= width and 0 <= y <= height for x, y in spots.values())


# ------------------------------------------------------------------ what is on it


@both
def test_every_view_of_a_game_can_be_drawn(language: Any) -> None:
    for view in played()[:: 2 if language == "en" else 3]:
        svg = map_svg(FWW, view, words(language))
        written = texts(svg)
        assert not [text for text in written for part in UNTOLD if part in text]
        names = [one.names[language] for one in PACK.locations.values()]
        assert sorted(text for text in written if text in names) == sorted(names)
        assert {str(front) for front in PACK.fronts} <= set(written)


def is_full(view: View) -> bool:
    """A box has fewer slots than counters."""
    slots = {
        (one["id"], side): len(one[side]["slots"]) for one in GEOMETRY["front"] for side in PACK.alliances
    }
    return any(
        sum(there.get(f, 0) for f in PACK.alliances[side].factions) > slots[n, side]
        for n, there in view.counts.items()
        for side in PACK.alliances
    )


def test_every_counter_of_a_front_is_there() -> None:
    """Backs by colour, known ones by their name."""
    views = [view for view in played()[::4] if not is_full(view)]
    assert len(views) > 8
    for view in views:
        written = texts(map_svg(FWW, view, words("en")))
        nobody = replace(view, counts={n: {} for n in view.counts}, known=dict.fromkeys(view.known, ()))
        empty = texts(map_svg(FWW, nobody, words("en")))
        for faction in PACK.factions:
            number = sum(there.get(faction, 0) for there in view.counts.values())
            known = [one for there in view.known.values() for one in there if PACK.faction_of[one] == faction]
            assert written.count(faction) - empty.count(faction) == number - len(known)
            for army in (one for one in known if one in PACK.armies):
                name = army.replace("-", "")
                name = name if len(name) <= 4 else army.rpartition("-")[2]
                assert written.count(name) == empty.count(name) + 1


def test_a_box_with_too_many_counters_piles_them_up() -> None:
    own = " ".join(PACK.armies_of["WA"])
    state = drawn(2, turn=6, fronts={"1": f"{own} WA:6D DE:6D DE1 DE2 DE3 DE4 DE5 DE6 DE7"})
    allied = texts(map_svg(FWW, FWW.view(state, Seat("ALLIES")), words("en")))
    assert "×13" in allied  # thirteen backs of one colour
    assert "×6" in allied  # six own dummies
    nations = [one for one in allied if re.fullmatch(r"(BE|BR|FR|IT|US)\d*(×\d+)?", one)]
    sizes = [int(one.partition("×")[2] or 1) for one in nations]
    assert sum(sizes) - 2 == len(PACK.armies_of["WA"])  # the legend has two more
    central = texts(map_svg(FWW, FWW.view(state, Seat("CENTRAL")), words("en")))
    assert "×27" in central and "DE1" not in {"".join(one.split()) for one in allied}


def test_what_finds_no_slot_is_counted() -> None:
    """Face up and face down of every nationality and value: more piles than slots."""
    own = [*PACK.armies_of["EA"], *PACK.dummies_of["EA"]]
    state = drawn(2, turn=6, fronts={"10": " ".join(own)})
    state.face_up = sorted(own[::2])
    written = texts(map_svg(FWW, FWW.view(state, Seat("ALLIES")), words("en")))
    left_over = [one for one in written if re.fullmatch(r"\+\d+", one)]
    assert len(left_over) == 1


def test_lines_are_open_or_closed_by_turn() -> None:
    for turn in PACK.turns:
        svg = map_svg(FWW, FWW.view(drawn(2, turn=turn), Seat("ALLIES")), words("en"))
        dashed = [one for one in Xml.fromstring(svg).iter(f"{SVG}polyline") if one.get("stroke-dasharray")]
        assert len(dashed) == sum(line.opens > turn for line in PACK.lines)
        tags = [one for one in texts(svg) if re.fullmatch(r"T[1-6]", one)]
        late = [f"T{line.opens}" for line in PACK.lines if line.opens > 1]
        turns = [f"T{one}" for one in PACK.turns if one != turn]
        assert sorted(tags) == sorted(late + turns)


def test_control_and_points_are_shown() -> None:
    state = drawn(2, turn=4, vp={"DE": 23, "WA": 0}, surrender={"EA": [7, 8]}, treaty=True)
    before = texts(map_svg(FWW, FWW.view(state, Seat("ALLIES")), words("en")))
    state.control["PARIS"] = "DE"
    after = texts(map_svg(FWW, FWW.view(state, Seat("ALLIES")), words("en")))
    assert after.count("DE") == before.count("DE") + 1 and after.count("WA") == before.count("WA") - 1
    assert "in force" in after and "23" in after  # beyond the track's end the last cell tells the number


def test_waiting_and_returning_armies_lie_on_the_turn_track() -> None:
    state = drawn(2, turn=4, fronts={"1": "FR1 DE1"}, track={"6": "US1"}, returning="DE2 FR3")
    written = texts(map_svg(FWW, FWW.view(state, Seat("CENTRAL")), words("en")))
    assert {"FR3", "US1", "DE2"} <= set(written)


# ------------------------------------------------------------------ what happened


def told() -> list[Any]:
    return [
        CountersDeployed("WA", (("FR1", 2), ("FR2", 2)), (Seat("WA"),)),
        CountersMoved("WA", 2, (("FR1", 1), ("FR2", 1), ("FR3", 3)), (Seat("WA"),)),
        AttackLaunched("DE", 4, ("DE1",)),
        LocationCaptured(4, "EPINAL", "DE", "WA", 7, 5),
    ]


def arrows(svg: str) -> int:
    return len(re.findall(r'marker-end="url\(#head-(?!casing)', svg))


def test_what_the_reader_was_told_is_drawn_in() -> None:
    view = FWW.view(drawn(4, turn=2), Seat("WA"))
    plain, svg = map_svg(FWW, view, words("en")), map_svg(FWW, view, words("en"), told())
    assert arrows(plain) == 0 and arrows(svg) == 2 + 1  # two courses and the legend's
    new = set(texts(svg)) - set(texts(plain))
    assert {"WA 2", "WA 1", "WA +2"} <= new
    assert texts(svg).count("DE") == texts(plain).count("DE") + 1  # the attack
    assert svg.count(GEOMETRY["colours"]["taken"]) == 1 + 1 and plain.count(GEOMETRY["colours"]["taken"]) == 0


def test_others_see_of_a_move_its_numbers_alone() -> None:
    """Facts come whole from the journal; the map draws what the view's seat may read of them."""
    for seat in ("WA", "DE"):
        svg = map_svg(FWW, FWW.view(drawn(4, turn=2), Seat(seat)), words("en"), told())
        assert {"WA 2", "WA 1", "WA +2"} <= set(texts(svg))
    other = [CountersMoved("WA", 2, (("FR4", 1), ("FR5", 1), ("FR6", 3)), (Seat("WA"),)), *told()[2:]]
    mine = [told()[1], *told()[2:]]
    german = FWW.view(drawn(4, turn=2), Seat("DE"))
    assert map_svg(FWW, german, words("en"), mine) == map_svg(FWW, german, words("en"), other)


# ------------------------------------------------------------------ secrecy


def test_nothing_but_a_view_and_facts_goes_in() -> None:
    drawing = ["game", "view", "phrases", "facts"]
    for function, more in ((map_png, []), (close_ups, []), (map_svg, ["close_up"]), (map_pictures, ["room"])):
        assert [*inspect.signature(function).parameters] == [*drawing, *more]
    assert [*inspect.signature(map_text).parameters] == ["game", "view", "phrases"]


def exchanged(state: Any, seat: Seat, rng: Random) -> Any:
    """The same position for that seat: ids it cannot tell apart have changed places."""
    swap: dict[str, str] = {}
    for group in FWW.hidden(state, seat):
        mixed = rng.sample(group, len(group))
        swap |= dict(zip(group, mixed, strict=True))

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: moved(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return sorted(swap.get(one, one) for one in value) if all_ids(value) else [*map(moved, value)]
        return value

    return FWW.load(PACK, moved(FWW.dump(state)))


def all_ids(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(one, str) for one in value)


def test_two_positions_that_look_the_same_give_the_same_bytes() -> None:
    fronts = {"1": "FR1 FR2 WA:D DE1 DE2 DE:2D", "9": "AH1 DE3 GA:D RU1 RU2 EA:2D", "10": "SB1 BU1 EA:D"}
    state = drawn(4, turn=3, fronts=fronts, hands={"WA": "A01"})
    for number, seat in enumerate(FWW.seats(GameSettings(players=4))):
        other = exchanged(state, seat, Random(number))
        assert other != state
        one, two = FWW.view(state, seat), FWW.view(other, seat)
        assert map_svg(FWW, one, words("en")) == map_svg(FWW, two, words("en"))
        if number == 0:
            assert map_png(FWW, one, words("en")) == map_png(FWW, two, words("en"))
        assert map_text(FWW, one, words("fr")) == map_text(FWW, two, words("fr"))


def test_a_counter_the_seat_does_not_know_is_nowhere_on_its_map() -> None:
    state = drawn(4, turn=6, fronts={"1": "FR1 FR10 WA:D DE1 DE12 DE:D", "9": "DE3 AH1 RU11"})
    for seat, unknown in (("WA", "DE1 DE12 DE3 AH1 RU11"), ("GA", "FR1 FR10 DE1 DE12 RU11")):
        view = FWW.view(state, Seat(seat))
        written = set(texts(map_svg(FWW, view, words("en")))) | set(
            map_text(FWW, view, words("en")).replace(",", " ").replace("(", " ").replace(")", " ").split()
        )
        assert not written & set(unknown.split())
    assert "DE3" in texts(map_svg(FWW, FWW.view(state, Seat("GA")), words("en")))  # it commands it there


# ------------------------------------------------------------------ the picture


def header(png: bytes) -> tuple[int, ...]:
    return struct.unpack(">II5B", dict(chunks(png))[b"IHDR"])


@both
def test_the_picture_is_small_and_has_a_palette(language: Any) -> None:
    crowded = drawn(2, turn=6, fronts={str(n): text for n, text in everywhere()})
    crowded.face_up = sorted(one for there in crowded.fronts.values() for one in there)
    view = replace(FWW.view(crowded, Seat("ALLIES")), phase="victory", round=0)
    png = map_png(FWW, view, words(language), told())
    canvas = GEOMETRY["canvas"]
    size = [round(canvas[side] * canvas["zoom"]) for side in ("width", "height")]
    assert header(png)[:4] == (*size, 8, 3)
    assert len(png) < MOST_BYTES
    assert png is map_png(FWW, view, words(language), told())  # kept
    paint.cache_clear()
    assert png == map_png(FWW, view, words(language), told())  # drawn anew


def test_what_is_laid_over_the_ground_looks_as_if_drawn_with_it() -> None:
    view = FWW.view(drawn(2, turn=3, fronts={"1": "FR1 WA:D"}), Seat("ALLIES"))
    svg = map_svg(FWW, view, words("fr"), told())
    whole = Image.open(BytesIO(svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=FONTS)))
    painted = Image.open(BytesIO(map_png(FWW, view, words("fr"), told())))
    apart = ImageChops.difference(whole.convert("RGB"), painted.convert("RGB"))
    assert apart.size == whole.size
    assert max(ImageStat.Stat(apart).mean) < 1.5


def everywhere() -> Iterator[tuple[int, str]]:
    """All 96 counters, spread over the fronts where they may stand."""
    rng = Random(1)
    there: dict[int, list[str]] = {n: [] for n in PACK.fronts}
    for counter, faction in PACK.faction_of.items():
        nation = PACK.nationality_of.get(counter)
        may = [n for n in PACK.fronts if nation in PACK.permitted[n]] or list(PACK.fronts_of[faction])
        there[rng.choice(may)].append(counter)
    yield from ((n, " ".join(counters)) for n, counters in there.items())


def test_text_needs_no_font_of_the_machine() -> None:
    """Every sign on the maps of both languages is in the fonts that lie beside the templates."""

    def picture(sign: str, style: str) -> bytes:
        font = f'font-family="DejaVu Sans" font-stretch="condensed" font-size="30" {style}'
        svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        svg += f'<text y="30" {font}>{escape(sign)}</text></svg>'
        return bytes(svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=FONTS))

    view = FWW.view(drawn(2, turn=3, fronts={"1": "FR1 WA:D"}), Seat("ALLIES"))
    signs = {
        sign
        for language in LANGUAGES
        for text in texts(map_svg(FWW, view, words(language), told()))
        for sign in text
    }
    assert len(signs) > 60
    for style in ("", 'font-weight="bold"', 'font-style="italic"'):
        blank, unknown = picture(" ", style), picture("\u4e00", style)
        assert [
            sign for sign in sorted(signs - {" ", "\u00a0"}) if picture(sign, style) in (blank, unknown)
        ] == []


def test_names_are_escaped() -> None:
    pack = replace(PACK, turns={**PACK.turns, 1: replace(PACK.turns[1], names=Names(en="<A & B>", fr="x"))})
    view = replace(FWW.view(drawn(2), Seat("ALLIES")), pack=pack)
    assert "<A & B>" in texts(map_svg(FWW, view, Phrases("fww", "en", pack)))


def test_a_game_without_a_map_has_none() -> None:
    assert has_map(FWW) and not has_map(toy.GAME)


# ------------------------------------------------------------------ in words


@both
def test_the_text_alternative_fits_a_letter(language: Any) -> None:
    for view in played():
        text = map_text(FWW, view, words(language))
        lines = text.splitlines()
        assert max(map(len, lines)) <= WIDTH and not [line for line in lines if line != line.rstrip()]
        assert not [part for part in UNTOLD if part in text]
        joined = " ".join(text.split())
        assert all(PACK.locations[place].names[language] in joined for place in view.control)
        for there in view.known.values():
            assert all(f"{one} {PACK.armies[one].value}" in joined for one in there if one in PACK.armies)
