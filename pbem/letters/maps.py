"""A seat's view as a map: a picture for the letter, and an area list for those who read text.

A game brings `templates/maps/<game>/`: `geometry.toml` says where things are drawn, `map.svg.j2` how they
look, `ground.svg.j2` what of it never changes, and `alt.txt.j2` tells the same in words; it may bring
`strip.svg.j2`, the last turns frame by frame. Nothing comes here but the reader's view and, of what happened,
what the reader may read: a picture cannot show what the view does not. Fonts lie beside the templates: the
picture is the same on every machine, and the same view gives the same bytes.
"""

from __future__ import annotations

import struct
import tomllib
import zlib
from array import array
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, FileSystemLoader, select_autoescape
from PIL import Image
from resvg_py import svg_to_bytes

from engine.kernel.game import Game, View, fact_for
from engine.kernel.requests import Fact
from pbem.letters.phrases import Phrases
from pbem.letters.render import hung
from pbem.resources import templates_folder

PICTURE, GROUND, WORDS = "map.svg.j2", "ground.svg.j2", "alt.txt.j2"
STRIP = "strip.svg.j2"
GEOMETRY = "geometry.toml"


def has_map(game: Game) -> bool:
    """Whether the game brings a map; one without is told in words alone."""
    return (_folder() / game.id / PICTURE).is_file()


def map_png(game: Game, view: View, phrases: Phrases, told: Iterable[Fact] = ()) -> bytes:
    """The map as the view's seat sees it, with what it was told since its last letter drawn in."""
    ground = _kept(_rendered(GROUND, game, view, phrases))
    return _painted(_rendered(PICTURE, game, view, phrases, told, ground=ground))


def overlay_png(game: Game, view: View, phrases: Phrases, overlay: Any) -> bytes:
    """The map with the game's answer to MAP REACH, made of the same view, drawn over it."""
    ground = _kept(_rendered(GROUND, game, view, phrases))
    return _painted(_rendered(PICTURE, game, view, phrases, ground=ground, overlay=overlay))


def strip_png(game: Game, before: View, view: View, phrases: Phrases, told: Iterable[Fact]) -> bytes:
    """What happened since `before`, frame by frame in one picture; b"": there is nothing to show."""
    if before is None or not (_folder() / game.id / STRIP).is_file():
        return b""
    frames = game.frames(before, _readable(view, told))
    return _painted(_rendered(STRIP, game, view, phrases, frames=frames)) if frames else b""


def map_svg(game: Game, view: View, phrases: Phrases, told: Iterable[Fact] = ()) -> str:
    """The drawing itself."""
    return _rendered(PICTURE, game, view, phrases, told)


def map_text(game: Game, view: View, phrases: Phrases) -> str:
    """The area list that says what the picture shows, at most 72 columns wide."""
    text = _rendered(WORDS, game, view, phrases)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def _rendered(
    name: str, game: Game, view: View, phrases: Phrases, told: Iterable[Fact] = (), **more: Any
) -> str:
    geometry = _geometry(_folder() / game.id / GEOMETRY)
    template = _environment(phrases).get_template(f"{game.id}/{name}")
    return template.render(
        {"ground": "", "overlay": None, **more}, view=view, geometry=geometry, told=_readable(view, told)
    )


def _readable(view: View, told: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in (fact_for(fact, view.seat) for fact in told) if fact is not None]


@lru_cache(maxsize=16)
def _painted(svg: str) -> bytes:
    """Whoever sees the same gets the same picture: after a letter of results it is often asked for again."""
    return in_few_colours(_drawn(svg))


def _drawn(svg: str) -> bytes:
    """In true colours, with our own fonts and no others."""
    return bytes(svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=list(_fonts())))


@lru_cache(maxsize=8)
def _kept(svg: str) -> str:
    """A drawing as a picture to be put into another one: what never changes costs a third of the time."""
    return "data:image/png;base64," + b64encode(_drawn(svg)).decode()


# ------------------------------------------------------------------ files


def _folder() -> Path:
    return templates_folder() / "maps"


@cache
def _fonts() -> tuple[str, ...]:
    return tuple(str(path) for path in sorted((_folder() / "fonts").glob("*.ttf")))


@cache
def _geometry(path: Path) -> Mapping[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=32)
def _environment(phrases: Phrases) -> Environment:
    """The phrases' environment for whole pictures: names are escaped in SVG, and as they are in text."""
    env = phrases.env.overlay(
        loader=FileSystemLoader(_folder()),
        autoescape=select_autoescape((".svg.j2",)),
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    env.filters.update(ljust=str.ljust, rjust=str.rjust, hung=hung, points=_points, of_kind=_of_kind)
    env.globals["told_as"] = phrases.told
    return env


def _points(pairs: Sequence[Sequence[float]]) -> str:
    """A chain of points as SVG writes it."""
    return " ".join(f"{x},{y}" for x, y in pairs)


def _of_kind(facts: Iterable[Fact], *names: str) -> list[Fact]:
    return [fact for fact in facts if type(fact).__name__ in names]


SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
PLAIN = 128  # the most frequent colours, plain fills above all, stay exactly as they are
KMEANS = 1  # a threshold: shades are moved to the middle of what they stand for until less changes
LEVEL = 7  # beyond it, five times the work for a hundredth of the bytes

Colour = tuple[int, int, int]
Share = tuple[int, Colour]  # how many pixels have a colour

_INDEXED_HEADER = (8, 3, 0, 0, 0)  # eight bits, a palette, deflated, not interlaced


def in_few_colours(png: bytes) -> bytes:
    """The same picture with a palette. It must be opaque, as a map is: it has a background."""
    picture = _opened(png)
    width, height = picture.size
    palette, index = _palette(picture)
    pixels = array("I", picture.convert("RGBX").tobytes())
    indexed = bytes(map(index.__getitem__, pixels))
    lines = b"".join(b"\0" + indexed[start : start + width] for start in range(0, len(indexed), width))
    parts = (
        (b"IHDR", struct.pack(">II5B", width, height, *_INDEXED_HEADER)),
        (b"PLTE", b"".join(bytes(colour) for colour in palette)),
        (b"IDAT", zlib.compress(lines, LEVEL)),
        (b"IEND", b""),
    )
    return SIGNATURE + b"".join(_chunk(name, data) for name, data in parts)


def _opened(png: bytes) -> Image.Image:
    picture = Image.open(BytesIO(png), formats=("PNG",))
    if picture.mode != "RGBA":
        raise ValueError(f"a picture of another kind: {picture.mode}")
    if picture.getchannel("A").getextrema() != (255, 255):
        raise ValueError("the picture is not opaque")
    return picture.convert("RGB")


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and contents of a PNG's chunks."""
    place = len(SIGNATURE)
    while place < len(png):
        length, name = struct.unpack_from(">I4s", png, place)
        yield name, png[place + 8 : place + 8 + length]
        place += 12 + length


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


# ------------------------------------------------------------------ colours


def _palette(picture: Image.Image) -> tuple[list[Colour], dict[int, int]]:
    """At most 256 colours, and which of them stands for each number among the pixels."""
    width, height = picture.size
    counted = cast(list[Share], picture.getcolors(width * height))
    ranked = sorted(counted, key=lambda share: (-share[0], share[1]))
    plain = COLOURS if len(ranked) <= COLOURS else PLAIN
    palette = [colour for _, colour in ranked[:plain]]
    places = list(range(len(palette)))
    if len(ranked) > plain:
        shades, chosen = _shades(ranked[plain:])
        palette += shades
        places += [plain + place for place in chosen]
    numbers = array("I", b"".join(bytes((*colour, 255)) for _, colour in ranked))
    return palette, dict(zip(numbers, places, strict=True))


def _shades(shares: Sequence[Share]) -> tuple[list[Colour], bytes]:
    """Few colours for many by median cut, each counted as often as it is seen, and which is whose."""
    pixels = b"".join(bytes(colour) * number for number, colour in shares)
    strip = Image.frombytes("RGB", (len(pixels) // 3, 1), pixels)
    few = strip.quantize(COLOURS - PLAIN, Image.Quantize.MEDIANCUT, kmeans=KMEANS, dither=Image.Dither.NONE)
    chosen, starts = few.tobytes(), accumulate((number for number, _ in shares[:-1]), initial=0)
    flat = few.getpalette() or []
    shades = [(flat[n], flat[n + 1], flat[n + 2]) for n in range(0, len(flat), 3)]
    return shades, bytes(chosen[start] for start in starts)
