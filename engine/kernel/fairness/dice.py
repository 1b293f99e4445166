"""Dice that anyone can check: hashes, the chain of links, and the four kinds of dice.

`H` and `MAC` put a length in front of everything (two bytes for the tag, eight for a part, big-endian),
write integers as four bytes and text as UTF-8. A roll is a function of a seed and a label, so it can neither
depend on the order of computation nor be repeated unseen. What surrounds a roll (entries, Close, letters) is
in `audit`.
"""

from __future__ import annotations

import hmac
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from engine.kernel.errors import DiceError
from engine.kernel.fairness import merkle

Part: TypeAlias = bytes | str | int

LINKS: Final = 65536
KEPT: Final = 256  # every 256th link is kept, the others are hashed down from there


# ------------------------------------------------------------------ hashes


def _plain_bytes(part: str | int) -> bytes:
    return part.encode() if isinstance(part, str) else part.to_bytes(4, "big")


def frame(tag: str, *parts: Part) -> bytes:
    """The bytes that `H` and `MAC` are taken over."""
    name = tag.encode()
    pieces = [len(name).to_bytes(2, "big"), name]
    for part in parts:
        data = part if isinstance(part, bytes) else _plain_bytes(part)
        pieces += (len(data).to_bytes(8, "big"), data)
    return b"".join(pieces)


def H(tag: str, *parts: Part) -> bytes:  # noqa: N802  (the protocol's own name)
    """SHA-256 over tag and parts."""
    return sha256(frame(tag, *parts)).digest()


def MAC(key: bytes, tag: str, *parts: Part) -> bytes:  # noqa: N802
    """HMAC-SHA256 over tag and parts."""
    return hmac.digest(key, frame(tag, *parts), "sha256")


# ------------------------------------------------------------------ the chain

_CHAIN: Final = frame("chain") + (32).to_bytes(8, "big")


def link_before(link: bytes) -> bytes:
    """c[i-1] = H("chain", c[i])."""
    return sha256(_CHAIN + link).digest()


class Chain:
    """Links c[0] … c[length], each the hash of the next. The last is the secret, c[0] the anchor.

    Kept are every 256th link and the last: 8 kB, from which `restored` makes the chain again at once.
    """

    __slots__ = ("_kept", "length")

    def __init__(self, secret: bytes, length: int = LINKS) -> None:
        if len(secret) != 32:
            raise DiceError("a chain grows from a secret of 32 bytes")
        self.length = length
        self._kept = {length: secret}
        link = secret
        for number in range(length - 1, -1, -1):
            link = link_before(link)
            if number % KEPT == 0:
                self._kept[number] = link

    @classmethod
    def restored(cls, kept: bytes, length: int = LINKS) -> Chain:
        """The chain from what `kept` gave."""
        numbers = sorted({*range(0, length, KEPT), length})
        if len(kept) != 32 * len(numbers):
            raise DiceError("these links are not of a chain of that length")
        chain = cls.__new__(cls)
        chain.length = length
        chain._kept = {number: kept[32 * i : 32 * i + 32] for i, number in enumerate(numbers)}
        return chain

    @property
    def kept(self) -> bytes:
        """The kept links one after the other, lowest first. As secret as the chain."""
        return b"".join(link for _, link in sorted(self._kept.items()))

    @property
    def anchor(self) -> bytes:
        return self._kept[0]

    def link(self, number: int) -> bytes:
        """c[number]."""
        if not 0 <= number <= self.length:
            raise DiceError(f"the chain has no link {number}")
        start = min(-(-number // KEPT) * KEPT, self.length)
        link = self._kept[start]
        for _ in range(start - number):
            link = link_before(link)
        return link

    def __repr__(self) -> str:
        return f"Chain(anchor={self.anchor.hex()})"


# ------------------------------------------------------------------ bytes to faces, words to numbers

_FOUR: Final = (4).to_bytes(8, "big")  # the length in front of an integer
_ZERO: Final = _FOUR + (0).to_bytes(4, "big")
_ROLL: Final = tuple(frame("roll") + length.to_bytes(8, "big") for length in range(256))  # by length of label
# For `bytes.translate`: the face of each byte, and the bytes refused so that every face is as likely.
# 256 sides have a branch of their own below, because face 256 is no byte.
_FACES: Final = tuple(
    (bytes(byte % sides + 1 for byte in range(256)), bytes(range(256 - 256 % sides, 256)))
    for sides in range(1, 256)
)


def faces(seed: bytes, label: str, dice: int, sides: int) -> tuple[int, ...]:
    """The faces under a label, 1 to `sides`. Five dice begin like three."""
    if dice < 1 or not 0 < sides < 256:
        return _faces_of_many_sides(seed, label, dice, sides)
    table, refused = _FACES[sides - 1]
    text = label.encode()
    head = (_ROLL[len(text)] if len(text) < 256 else frame("roll") + len(text).to_bytes(8, "big")) + text
    shown = hmac.digest(seed, head + _ZERO, "sha256").translate(table, refused)
    block = 1
    while len(shown) < dice:
        more = hmac.digest(seed, head + _FOUR + block.to_bytes(4, "big"), "sha256")
        shown += more.translate(table, refused)
        block += 1
    return tuple(shown[:dice])


def _faces_of_many_sides(seed: bytes, label: str, dice: int, sides: int) -> tuple[int, ...]:
    """256 sides: a byte is a face. More: four-byte words. Fewer than one: no such dice."""
    if dice < 1 or sides < 1:
        raise DiceError(f"{label}: {dice} dice of {sides} sides")
    if sides > 256:
        source = random_words(seed, "roll", label)
        return tuple(below(sides, source) + 1 for _ in range(dice))
    blocks = b"".join(MAC(seed, "roll", label, block) for block in range(-(-dice // 32)))
    return tuple(byte + 1 for byte in blocks[:dice])


def random_words(key: bytes, tag: str, label: str) -> Iterator[int]:
    """Four-byte words of MAC(key, tag, label, 0), …1, and so on without end."""
    block = 0
    while True:
        digest = MAC(key, tag, label, block)
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def below(limit: int, source: Iterator[int]) -> int:
    """A number from 0 to limit-1, each as likely: words at or above the largest multiple are refused."""
    refused = (1 << 32) - (1 << 32) % limit
    while (word := next(source)) >= refused:
        pass
    return word % limit


def draw_items(sealed: bytes, label: str, items: Sequence[str], count: int) -> tuple[str, ...]:
    """One uniform index after the other into the sorted items that are left."""
    if not 0 <= count <= len(items):
        raise DiceError(f"{label}: {count} of {len(items)} items")
    source, left = random_words(sealed, "draw", label), sorted(items)
    return tuple(left.pop(below(len(left), source)) for _ in range(count))


def shuffle_items(sealed: bytes, label: str, cards: Sequence[str]) -> tuple[str, ...]:
    """Fisher–Yates over the sorted cards, from the last place down; the first of the result lies on top."""
    source, order = random_words(sealed, "shuffle", label), sorted(cards)
    for last in range(len(order) - 1, 0, -1):
        other = below(last + 1, source)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def leaf(sealed: bytes, label: str, position: int, card: str) -> bytes:
    """What the tree over a shuffled pile commits to: nonce, position, card."""
    return MAC(sealed, "nonce", label, position) + position.to_bytes(4, "big") + card.encode()


def leaves(sealed: bytes, label: str, order: Sequence[str]) -> list[bytes]:
    """The leaves of a shuffled pile, top first."""
    return [leaf(sealed, label, position, card) for position, card in enumerate(order)]


# ------------------------------------------------------------------ the dice


class Rolled(NamedTuple):  # made for every roll: three times as fast as a frozen dataclass
    faces: tuple[int, ...]  # 1 to sides
    by: str  # "audited" "forced" "recorded" "test"


class Drawn(NamedTuple):
    items: tuple[str, ...]
    by: str


class Shuffled(NamedTuple):
    order: tuple[str, ...]  # top first
    root: str  # hex
    by: str


class Dice(Protocol):
    """Where chance comes from."""

    def roll(self, label: str, dice: int, sides: int) -> Rolled: ...
    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn: ...
    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled: ...


class AuditedDice:
    """The dice of one Close. `seed` becomes public with the next letters, `sealed` waits for the end."""

    __slots__ = ("_sealed", "_seed", "_used")

    def __init__(self, seed: bytes, sealed: bytes) -> None:
        self._seed, self._sealed = seed, sealed
        self._used: set[str] = set()

    def _use(self, label: str) -> None:
        if label in self._used:
            raise DiceError(f"the label {label} is used twice")
        self._used.add(label)

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        self._use(label)
        return Rolled(faces(self._seed, label, dice, sides), "audited")

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        self._use(label)
        return Drawn(draw_items(self._sealed, label, items, count), "audited")

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        self._use(label)
        order = shuffle_items(self._sealed, label, cards)
        return Shuffled(order, merkle.root(leaves(self._sealed, label, order)).hex(), "audited")


class TestDice:
    """Dice without links: equal labels give equal dice, however many pauses there are.

    A label may be asked again, because a segment may be run again. A number as seed is the same as its
    digits as text.
    """

    __slots__ = ("_seed",)
    __test__ = False  # for pytest

    def __init__(self, seed: bytes | str | int) -> None:
        self._seed = seed if isinstance(seed, bytes) else str(seed).encode()

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        return Rolled(faces(self._seed, label, dice, sides), "test")

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        return Drawn(draw_items(self._seed, label, items, count), "test")

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        order = shuffle_items(self._seed, label, cards)
        return Shuffled(order, merkle.root(leaves(self._seed, label, order)).hex(), "test")


class NoDice:
    """Chance that must not be needed: every request is an error."""

    __slots__ = ()

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        raise DiceError(f"{label}: no die is left for {dice}d{sides}")

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        raise DiceError(f"{label}: no draw is left")

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        raise DiceError(f"{label}: no shuffle is left")


NO_DICE: Final = NoDice()


class ForcedDice:
    """Faces and items named in advance, one after the other; when they are used up, `then`.

    Faces that end in the middle of a roll are completed from there, and so are items of a draw.
    """

    __slots__ = ("_draws", "_rolls", "_then")

    def __init__(self, rolls: Iterable[int] = (), draws: Iterable[str] = (), then: Dice = NO_DICE) -> None:
        self._rolls, self._draws, self._then = deque(rolls), deque(draws), then

    @property
    def leftover(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Faces and items not used yet."""
        return tuple(self._rolls), tuple(self._draws)

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        if not self._rolls:
            return self._then.roll(label, dice, sides)
        shown = tuple(self._rolls.popleft() for _ in range(min(dice, len(self._rolls))))
        if bad := [face for face in shown if not 1 <= face <= sides]:
            raise DiceError(f"{label}: a d{sides} has no face {bad[0]}")
        if len(shown) < dice:
            shown += self._then.roll(label, dice, sides).faces[len(shown) :]
        return Rolled(shown, "forced")

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        if not self._draws:
            return self._then.draw(label, items, count)
        left, taken = list(items), tuple(self._draws.popleft() for _ in range(min(count, len(self._draws))))
        for item in taken:
            if item not in left:
                raise DiceError(f"{label}: {item} cannot be drawn")
            left.remove(item)
        if len(taken) < count:
            taken += self._then.draw(label, tuple(left), count - len(taken)).items
        return Drawn(taken, "forced")

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        return self._then.shuffle(label, cards)


class RecordedDice:
    """SAME DICE: what a label gave before it gives again. The rest, and all after `stop`: `then`.

    A roll serves again for as many dice or fewer of the same sides; more dice would be known beforehand,
    because the old seed is public. A draw serves only from the same items, a shuffle only for the same cards.
    """

    __slots__ = ("_lines", "_then")

    def __init__(self, lines: Iterable[Mapping[str, Any]], then: Dice = NO_DICE) -> None:
        self._then = then
        self._lines = {line["label"]: line for line in lines if line["k"] in ("roll", "draw", "shuffle")}

    def stop(self) -> None:
        """The first answer not on record was given: from here on nothing is on record."""
        self._lines.clear()

    def _recorded(self, kind: str, label: str) -> Mapping[str, Any] | None:
        line = self._lines.get(label)
        return line if line is not None and line["k"] == kind else None

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        line = self._recorded("roll", label)
        if line is None or line["sides"] != sides or len(line["faces"]) < dice:
            return self._then.roll(label, dice, sides)
        del self._lines[label]  # once only
        return Rolled(tuple(line["faces"][:dice]), "recorded")

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        line = self._recorded("draw", label)
        if line is None or list(line["from"]) != sorted(items) or len(line["items"]) != count:
            return self._then.draw(label, items, count)
        del self._lines[label]
        return Drawn(tuple(line["items"]), "recorded")

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        line = self._recorded("shuffle", label)
        if line is None or sorted(line["order"]) != sorted(cards):
            return self._then.shuffle(label, cards)
        del self._lines[label]
        return Shuffled(tuple(line["order"]), line["root"], "recorded")
