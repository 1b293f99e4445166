"""A drawn picture in at most 256 colours: a third of the bytes, and every mail client shows it.

The renderer hands out true colour only. Plain fills, the most frequent colours, stay exactly as they are; the
shades between them share what is left of the palette. The same picture gives the same bytes.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import accumulate
from typing import cast

from PIL import Image

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
