"""A drawn picture in at most 256 colours: a third of the bytes, and every mail client shows it.

The renderer hands out true colour only. Rows are opened with arithmetic on whole rows where their filter
allows it and with remembered neighbourhoods elsewhere: a map of a million pixels takes a third of a second.
The same picture gives the same bytes.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import accumulate, chain, compress, count

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
PLAIN = 128  # the most frequent colours, plain fills above all, stay exactly as they are
LOW, HIGH = 0x7F7F7F7F, 0x80808080  # bytes are added without a carry into the next
CHANNELS = 4
LEVEL = 7  # beyond it, five times the work for a hundredth of the bytes

Neighbours = tuple[int, int, int]  # left, above, above left

_OPAQUE_HEADER = (8, 6, 0, 0, 0)  # eight bits, colour with alpha, deflated, not interlaced
_INDEXED_HEADER = (8, 3, 0, 0, 0)


def in_few_colours(png: bytes) -> bytes:
    """The same picture with a palette. It must be opaque, as a map is: it has a background."""
    width, height, rows = _opened(png)
    pixels = _pixels(rows, width, height)
    palette, index = _palette(Counter(pixels))
    indexed = bytes(map(index.__getitem__, pixels))
    lines = b"".join(b"\0" + indexed[start : start + width] for start in range(0, len(indexed), width))
    parts = (
        (b"IHDR", struct.pack(">II5B", width, height, *_INDEXED_HEADER)),
        (b"PLTE", b"".join(bytes(colour) for colour in palette)),
        (b"IDAT", zlib.compress(lines, LEVEL)),
        (b"IEND", b""),
    )
    return SIGNATURE + b"".join(_chunk(name, data) for name, data in parts)


# ------------------------------------------------------------------ the file


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and contents of a PNG's chunks."""
    place = len(SIGNATURE)
    while place < len(png):
        length, name = struct.unpack_from(">I4s", png, place)
        yield name, png[place + 8 : place + 8 + length]
        place += 12 + length


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _opened(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and the filtered rows."""
    found: dict[bytes, bytes] = {}
    for name, data in chunks(png):
        found[name] = found.get(name, b"") + data
    width, height, *kind = struct.unpack(">II5B", found[b"IHDR"])
    if tuple(kind) != _OPAQUE_HEADER:
        raise ValueError(f"a picture of another kind: {kind}")
    return width, height, zlib.decompress(found[b"IDAT"])


# ------------------------------------------------------------------ rows


def _pixels(rows: bytes, width: int, height: int) -> array[int]:
    """All pixels, one number each, its bytes red, green, blue, alpha."""
    length = width * CHANNELS
    many = int.from_bytes(LOW.to_bytes(4, "big") * width, "big")
    few = int.from_bytes(HIGH.to_bytes(4, "big") * width, "big")
    above, found = array("I", bytes(length)), array("I")
    near: dict[Neighbours, int] = {}
    for row in range(height):
        start = row * (length + 1)
        line = array("I", rows[start + 1 : start + 1 + length])
        match rows[start]:
            case 0:
                above = line
            case 1:
                above = array("I", accumulate(line, _added))
            case 2:
                a, b = (int.from_bytes(one.tobytes(), "big") for one in (line, above))
                added = ((a & many) + (b & many)) ^ ((a ^ b) & few)
                above = array("I", added.to_bytes(length, "big"))
            case 3:
                above = _averaged(line, above)
            case _:
                above = _paeth(line, above, near)
        found.extend(above)
    return found


def _added(a: int, b: int) -> int:
    return ((a & LOW) + (b & LOW)) ^ ((a ^ b) & HIGH)


def _averaged(line: Sequence[int], above: Sequence[int]) -> array[int]:
    """Filter 3: the mean of left and above was taken off; the mean is rounded down in each byte."""
    found, left = array("I"), 0
    for raw, up in zip(line, above, strict=True):
        mean = (left & up) + (((left ^ up) >> 1) & LOW)
        left = ((raw & LOW) + (mean & LOW)) ^ ((raw ^ mean) & HIGH)
        found.append(left)
    return found


def _paeth(line: array[int], above: array[int], near: dict[Neighbours, int]) -> array[int]:
    """Filter 4: one of left, above and above left was taken off, whichever is nearest to their sum.

    Where nothing was left over and left equals above left, the row goes on like the one above it: most of
    a map is such runs, and they are copied whole.
    """
    found = above[:]
    place = left = corner = 0
    for odd in chain(compress(count(), line), (len(line),)):
        while left != corner and place < odd:  # a run that does not go on like the row above, or not yet
            up = above[place]
            if up != corner:
                left = near.get((left, up, corner)) or _nearest(near, left, up, corner)
            found[place], corner = left, up
            place += 1
        if place < odd:
            left = corner = above[odd - 1]
        if odd < len(line):
            raw, up = line[odd], above[odd]
            if up == corner:
                guess = left
            elif left == corner:
                guess = up
            else:
                guess = near.get((left, up, corner)) or _nearest(near, left, up, corner)
            left = found[odd] = ((raw & LOW) + (guess & LOW)) ^ ((raw ^ guess) & HIGH)
            corner, place = up, odd + 1
    return found


def _nearest(near: dict[Neighbours, int], left: int, up: int, corner: int) -> int:
    """Byte by byte, that of the three which is nearest to left + above - above left; remembered."""
    found = 0
    for mask in (0xFF, 0xFF00, 0xFF0000, 0xFF000000):  # bytes are compared where they stand
        a, b, c = left & mask, up & mask, corner & mask
        if a == c:
            found |= b
        elif b == c:
            found |= a
        elif (a < c) is (b < c):  # both on one side: the farther one is nearest to the sum
            found |= max(a, b) if c < b else min(a, b)
        else:
            found |= _between(a, b, c)
    near[left, up, corner] = found
    return found


def _between(a: int, b: int, c: int) -> int:
    """The nearest to a + b - c where c lies between a and b."""
    to_a, to_b, to_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if to_a <= to_b and to_a <= to_c else b if to_b <= to_c else c


# ------------------------------------------------------------------ colours


Colour = tuple[int, int, int]
Share = tuple[Colour, int, int]  # a colour, how many pixels have it, and the pixels' number


def _palette(counts: Counter[int]) -> tuple[list[Colour], dict[int, int]]:
    """At most 256 colours, and which of them stands for each number among the pixels."""
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shares = [(_colour(pixel), number, pixel) for pixel, number in ranked]
    plain = COLOURS if len(shares) <= COLOURS else PLAIN
    groups = [[share] for share in shares[:plain]] + _grouped(shares[plain:], COLOURS - plain)
    index = {pixel: place for place, group in enumerate(groups) for _, _, pixel in group}
    return [_mean(group) for group in groups], index


def _colour(pixel: int) -> Colour:
    red, green, blue, alpha = pixel.to_bytes(CHANNELS, sys.byteorder)
    if alpha != 255:
        raise ValueError("the picture is not opaque")
    return red, green, blue


def _grouped(shares: list[Share], most: int) -> list[list[Share]]:
    """Median cut: the group that spreads widest over most pixels is halved until there are enough."""
    if not shares:
        return []
    heap: list[tuple[int, int, int, list[Share]]] = []
    _put(heap, shares, 0)
    for number in range(1, most):
        spread, _, channel, group = heap[0]
        if spread == 0:
            break
        heappop(heap)
        group.sort(key=lambda share: (share[0][channel], share[2]))
        half, cut, total = sum(number for _, number, _ in group) // 2, 0, 0
        while cut < len(group) - 1 and total <= half:
            total += group[cut][1]
            cut += 1
        _put(heap, group[:cut], 2 * number)
        _put(heap, group[cut:], 2 * number + 1)
    return [group for *_, group in sorted(heap, key=lambda entry: entry[1])]


def _put(heap: list[tuple[int, int, int, list[Share]]], group: list[Share], number: int) -> None:
    colours = [colour for colour, _, _ in group]
    ranges = [max(values) - min(values) for values in zip(*colours, strict=True)]
    channel = ranges.index(max(ranges))
    heappush(heap, (-ranges[channel] * sum(share[1] for share in group), number, channel, group))


def _mean(group: list[Share]) -> Colour:
    total = sum(number for _, number, _ in group)
    red, green, blue = (
        (sum(colour[channel] * number for colour, number, _ in group) + total // 2) // total
        for channel in range(3)
    )
    return red, green, blue
