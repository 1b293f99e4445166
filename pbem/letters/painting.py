"""Drawings made pictures: SVG in, small PNG with a palette out.

What never changes of a map, its ground, is drawn once and kept; what a reader sees is laid over it. A
close-up takes its colors from the map as a whole. Fonts lie beside the templates: the picture is the same
on every machine, and the same drawing gives the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from io import BytesIO
from itertools import accumulate
from typing import cast

from PIL import Image
from resvg_py import svg_to_bytes

from pbem.resources import templates_folder

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLORS = 128
PLAIN = 80  # the most frequent colors, plain fills above all, stay exactly as they are
KMEANS = 1000  # a threshold: shades are moved to the middle of what they stand for until less changes
LEVEL = 7  # beyond it, five times the work for a hundredth of the bytes
THINNED = 8  # of so many pixels of a shade one is weighed

Color = tuple[int, int, int]
Share = tuple[int, Color]  # how many pixels have a color

_INDEXED_HEADER = (8, 3, 0, 0, 0)  # eight bits, a palette, deflated, not interlaced


@lru_cache(maxsize=24)
def paint(svg: str, ground: str = "") -> bytes:
    """The drawing over its ground. Cached: the map of a result letter is often asked for again."""
    return _with_palette(*_indexed(_laid(svg, ground)))


@lru_cache(maxsize=24)
def paint_like(whole: bytes, svg: str, ground: str = "") -> bytes:
    """The same in the colors of another picture: a palette of its own would cost half as much again."""
    palette = _palette_of(whole)
    known = Image.new("P", (1, 1))
    known.putpalette(palette)
    picture = _laid(svg, ground).quantize(palette=known, dither=Image.Dither.NONE)
    colors = [cast(Color, tuple(palette[n : n + 3])) for n in range(0, len(palette), 3)]
    return _with_palette(picture.size, colors, picture.tobytes())


def _laid(svg: str, ground: str) -> Image.Image:
    if not ground:
        return _open(_draw(svg))
    below, above = _ground(ground), Image.open(BytesIO(_draw(svg)), formats=("PNG",))
    return Image.alpha_composite(below, above).convert("RGB")


@lru_cache(maxsize=24)
def _ground(svg: str) -> Image.Image:
    """Cached: what never changes would cost a third of the time."""
    return _open(_draw(svg)).convert("RGBA")


def _draw(svg: str) -> bytes:
    """In true colors, with our own fonts and no others."""
    return bytes(svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=list(_fonts())))


@cache
def _fonts() -> tuple[str, ...]:
    return tuple(str(path) for path in sorted((templates_folder() / "maps" / "fonts").glob("*.ttf")))


# ------------------------------------------------------------------ bytes


def reduce_colors(png: bytes) -> bytes:
    """The same picture with a palette. It must be opaque, as a map is: it has a background."""
    return _with_palette(*_indexed(_open(png)))


def _indexed(picture: Image.Image) -> tuple[tuple[int, int], Sequence[Color], bytes]:
    palette, index = _palette(picture)
    pixels = array("I", picture.convert("RGBX").tobytes())
    return picture.size, palette, bytes(map(index.__getitem__, pixels))


def _with_palette(size: tuple[int, int], palette: Sequence[Color], indexed: bytes) -> bytes:
    width, height = size
    lines = b"".join(b"\0" + indexed[start : start + width] for start in range(0, len(indexed), width))
    parts = (
        (b"IHDR", struct.pack(">II5B", width, height, *_INDEXED_HEADER)),
        (b"PLTE", b"".join(bytes(color) for color in palette)),
        (b"IDAT", zlib.compress(lines, LEVEL)),
        (b"IEND", b""),
    )
    return SIGNATURE + b"".join(_chunk(name, data) for name, data in parts)


def _palette_of(png: bytes) -> bytes:
    """Of a picture painted here: its second chunk."""
    start = len(SIGNATURE) + 12 + struct.unpack_from(">I", png, len(SIGNATURE))[0]
    return png[start + 8 : start + 8 + struct.unpack_from(">I", png, start)[0]]


def _open(png: bytes) -> Image.Image:
    picture = Image.open(BytesIO(png), formats=("PNG",))
    if picture.mode != "RGBA":
        raise ValueError(f"a picture of another kind: {picture.mode}")
    if picture.getchannel("A").getextrema() != (255, 255):
        raise ValueError("the picture is not opaque")
    return picture.convert("RGB")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


# ------------------------------------------------------------------ colors


def _palette(picture: Image.Image) -> tuple[list[Color], dict[int, int]]:
    """Few colors, and which of them stands for each number among the pixels."""
    width, height = picture.size
    counted = cast(list[Share], picture.getcolors(width * height))
    ranked = sorted(counted, key=lambda share: (-share[0], share[1]))
    plain = COLORS if len(ranked) <= COLORS else PLAIN
    palette = [color for _, color in ranked[:plain]]
    places = list(range(len(palette)))
    if len(ranked) > plain:
        shades, chosen = _shades(ranked[plain:])
        palette += shades
        places += [plain + place for place in chosen]
    numbers = array("I", b"".join(bytes((*color, 255)) for _, color in ranked))
    return palette, dict(zip(numbers, places, strict=True))


def _shades(shares: Sequence[Share]) -> tuple[list[Color], bytes]:
    """Few colors for many, each counted as often as it is seen, and which is whose."""
    counts = [number // THINNED + 1 for number, _ in shares]
    pixels = b"".join(bytes(color) * count for count, (_, color) in zip(counts, shares, strict=True))
    strip = Image.frombytes("RGB", (len(pixels) // 3, 1), pixels)
    few = strip.quantize(COLORS - PLAIN, Image.Quantize.MAXCOVERAGE, kmeans=KMEANS, dither=Image.Dither.NONE)
    chosen, starts = few.tobytes(), accumulate(counts[:-1], initial=0)
    flat = few.getpalette() or []
    shades = [(flat[n], flat[n + 1], flat[n + 2]) for n in range(0, len(flat), 3)]
    return shades, bytes(chosen[start] for start in starts)
