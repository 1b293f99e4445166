"""Pictures with a palette: every filter of a row is undone, few colours stay exactly as they are."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from random import Random

import pytest

from pbem.letters.painting import COLORS, SIGNATURE, reduce_colors

Pixel = tuple[int, int, int, int]
Picture = list[list[Pixel]]
NOTHING = (0, 0, 0, 0)


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and contents of a PNG's chunks."""
    place = len(SIGNATURE)
    while place < len(png):
        length, name = struct.unpack_from(">I4s", png, place)
        yield name, png[place + 8 : place + 8 + length]
        place += 12 + length


def paeth(a: int, b: int, c: int) -> int:
    guess = a + b - c
    return min((abs(guess - a), 0, a), (abs(guess - b), 1, b), (abs(guess - c), 2, c))[2]


FILTERS: Sequence[Callable[[int, int, int], int]] = (
    lambda a, b, c: 0,
    lambda a, b, c: a,
    lambda a, b, c: b,
    lambda a, b, c: (a + b) // 2,
    paeth,
)


def written(picture: Picture, kinds: Sequence[int]) -> bytes:
    """A true-colour PNG whose rows have these filters, as the standard says."""
    width, rows, above = len(picture[0]), bytearray(), [NOTHING] * len(picture[0])
    for kind, row in zip(kinds, picture, strict=True):
        rows.append(kind)
        for x, pixel in enumerate(row):
            left, corner = (row[x - 1], above[x - 1]) if x else (NOTHING, NOTHING)
            for n in range(4):
                rows.append((pixel[n] - FILTERS[kind](left[n], above[x][n], corner[n])) % 256)
        above = row
    parts = (
        (b"IHDR", struct.pack(">II5B", width, len(picture), 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes(rows))),
        (b"IEND", b""),
    )
    return SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


def shown(png: bytes) -> list[list[tuple[int, ...]]]:
    """The colours of a PNG with a palette and unfiltered rows."""
    found = dict(chunks(png))
    width, height, *kind = struct.unpack(">II5B", found[b"IHDR"])
    assert kind == [8, 3, 0, 0, 0] and len(found[b"PLTE"]) <= 3 * COLORS
    palette = [tuple(found[b"PLTE"][n : n + 3]) for n in range(0, len(found[b"PLTE"]), 3)]
    rows = zlib.decompress(found[b"IDAT"])
    assert len(rows) == height * (width + 1) and not any(rows[:: width + 1])
    return [[palette[n] for n in rows[y * (width + 1) + 1 : (y + 1) * (width + 1)]] for y in range(height)]


def plain(picture: Picture) -> list[list[tuple[int, ...]]]:
    return [[pixel[:3] for pixel in row] for row in picture]


def painted(rng: Random, colours: Sequence[Pixel], width: int, height: int) -> Picture:
    """Flat patches with single pixels strewn over them, as on a map."""
    picture = [[colours[0]] * width for _ in range(height)]
    for _ in range(12):
        x, y, colour = rng.randrange(width), rng.randrange(height), rng.choice(colours)
        for row in picture[y : y + rng.randrange(1, height + 1)]:
            end = min(width, x + rng.randrange(1, width + 1))
            row[x:end] = [colour] * (end - x)
    for _ in range(width * height // 6):
        picture[rng.randrange(height)][rng.randrange(width)] = rng.choice(colours)
    return picture


def some_colours(rng: Random, number: int) -> list[Pixel]:
    return [(rng.randrange(256), rng.randrange(256), rng.randrange(256), 255) for _ in range(number)]


@pytest.mark.parametrize("kind", range(5))
def test_every_filter_is_undone(kind: int) -> None:
    for seed in range(20):
        rng = Random(seed)
        picture = painted(rng, some_colours(rng, 2 + seed * 3), 1 + seed * 2, 1 + seed)
        assert shown(reduce_colors(written(picture, [kind] * len(picture)))) == plain(picture)


def test_filters_may_change_from_row_to_row() -> None:
    for seed in range(20):
        rng = Random(seed)
        picture = painted(rng, some_colours(rng, 40), 33, 29)
        kinds = [rng.randrange(5) for _ in picture]
        assert shown(reduce_colors(written(picture, kinds))) == plain(picture)


def test_of_many_colours_the_frequent_ones_stay_and_the_others_are_near() -> None:
    rng = Random(7)
    flat = (213, 94, 0, 255)
    shades = [(x, x // 2, 255 - x, 255) for x in range(256)] + [(x, 200, x, 255) for x in range(256)]
    picture: Picture = [[flat] * 64 for _ in range(32)] + [
        [rng.choice(shades) for _ in range(64)] for _ in range(64)
    ]
    png = written(picture, [0] * len(picture))
    seen, wanted = shown(reduce_colors(png)), plain(picture)
    assert seen[:32] == wanted[:32]
    far = max(
        abs(a - b)
        for row, true in zip(seen, wanted, strict=True)
        for one, other in zip(row, true, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    assert 0 < far <= 8
    assert reduce_colors(png) == reduce_colors(png)


def test_a_picture_that_shows_what_is_behind_it_is_no_map() -> None:
    with pytest.raises(ValueError, match="opaque"):
        reduce_colors(written([[(1, 2, 3, 128)]], [0]))


def test_a_picture_of_another_kind_is_named() -> None:
    with pytest.raises(ValueError, match="another kind"):
        reduce_colors(reduce_colors(written([[(1, 2, 3, 255)]], [0])))
