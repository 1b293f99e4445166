"""Hashes, chain, faces, draws, shuffles, and the kinds of dice."""

from __future__ import annotations

import hmac
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import pytest

from engine.kernel.errors import DiceError
from engine.kernel.fairness import merkle
from engine.kernel.fairness.dice import (
    MAC,
    AuditedDice,
    Chain,
    ForcedDice,
    H,
    NoDice,
    RecordedDice,
    TestDice,
    below,
    draw_items,
    faces,
    frame,
    leaves,
    link_before,
    shuffle_items,
)
from engine.kernel.visibility import Pile
from pbem.verify_dice import is_proved

SEED, SEALED = H("test seed"), H("test sealed")

# ------------------------------------------------------------------ hashes

RFC_4231 = [
    ("0b" * 20, b"Hi There".hex(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
        b"Jefe".hex(),
        b"what do ya want for nothing?".hex(),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    ("aa" * 20, "dd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    (
        bytes(range(1, 26)).hex(),
        "cd" * 50,
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ),
    ("0c" * 20, b"Test With Truncation".hex(), "a3b6167473100ee06e0c796c2955552b"),
    (
        "aa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First".hex(),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    (
        "aa" * 131,
        (
            b"This is a test using a larger than block-size key and a larger than block-size data. "
            b"The key needs to be hashed before being used by the HMAC algorithm."
        ).hex(),
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
]


def hmac_by_hand(key: bytes, data: bytes) -> bytes:
    """RFC 2104, written out."""
    block = (sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = sha256(bytes(byte ^ 0x36 for byte in block) + data).digest()
    return sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()


@pytest.mark.parametrize(("key", "data", "digest"), RFC_4231)
def test_rfc_4231(key: str, data: str, digest: str) -> None:
    made = hmac.digest(bytes.fromhex(key), bytes.fromhex(data), "sha256").hex()
    assert digest == made[: len(digest)]
    assert made == hmac_by_hand(bytes.fromhex(key), bytes.fromhex(data)).hex()


def test_every_part_stands_behind_its_length() -> None:
    expected = (
        b"\0\x04mark" + b"\0\0\0\0\0\0\0\x02" + "é".encode() + b"\0\0\0\0\0\0\0\x04\0\0\x01\0" + b"\0" * 8
    )
    assert expected == frame("mark", "é", 256, b"")
    assert sha256(expected).digest() == H("mark", "é", 256, b"")
    assert hmac_by_hand(b"key", expected) == MAC(b"key", "mark", "é", 256, b"")


def test_no_two_lists_of_parts_are_framed_alike() -> None:
    assert H("a", "b", "c") != H("a", "bc")
    assert H("a", "b") != H("ab")
    assert H("a", "", "b") != H("a", "b", "")
    assert H("a", 1) != H("a", "1")


# ------------------------------------------------------------------ the chain


def test_each_link_is_the_hash_of_the_next() -> None:
    chain = Chain(SEED)
    assert SEED == chain.link(65536)
    assert chain.anchor == chain.link(0)
    for number in (1, 2, 255, 256, 257, 1000, 65281, 65535, 65536):
        assert H("chain", chain.link(number)) == chain.link(number - 1) == link_before(chain.link(number))


def test_a_chain_is_restored_from_the_links_kept() -> None:
    for length in (1, 100, 256, 600, 65536):
        chain = Chain(SEED, length)
        again = Chain.restored(chain.kept, length)
        assert [chain.link(n) for n in range(0, length + 1, 17)] == [
            again.link(n) for n in range(0, length + 1, 17)
        ]
    assert 257 * 32 == len(Chain(SEED).kept)


def test_links_beyond_the_chain_do_not_exist() -> None:
    chain = Chain(SEED, 10)
    for number in (-1, 11):
        with pytest.raises(DiceError):
            chain.link(number)
    with pytest.raises(DiceError):
        Chain(b"short")
    with pytest.raises(DiceError):
        Chain.restored(chain.kept, 10_000)


def test_a_chain_shows_nothing_but_its_anchor() -> None:
    chain = Chain(SEED, 10)
    assert f"Chain(anchor={chain.anchor.hex()})" == repr(chain)


# ------------------------------------------------------------------ faces


def faces_by_hand(seed: bytes, label: str, dice: int, sides: int) -> tuple[int, ...]:
    """The protocol's words, one byte or word at a time."""
    size = 1 if sides <= 256 else 4
    limit = 256**size // sides * sides
    found: list[int] = []
    block = 0
    while len(found) < dice:
        digest = MAC(seed, "roll", label, block)
        for start in range(0, 32, size):
            word = int.from_bytes(digest[start : start + size], "big")
            if word < limit:
                found.append(word % sides + 1)
        block += 1
    return tuple(found[:dice])


@pytest.mark.parametrize("sides", [1, 2, 3, 4, 6, 8, 10, 12, 20, 100, 129, 255, 256, 257, 1000, 70_000])
def test_faces_are_those_of_the_protocol(sides: int) -> None:
    for dice in (1, 2, 5, 31, 33, 100):
        label = f"T1.R{dice}/fire/1/d{sides}"
        assert faces_by_hand(SEED, label, dice, sides) == faces(SEED, label, dice, sides)


def test_a_d6_refuses_252_to_255() -> None:
    """Found by search: a label whose block begins with a refused byte."""
    label = next(f"x/{n}" for n in range(10_000) if MAC(SEED, "roll", f"x/{n}", 0)[0] >= 252)
    assert MAC(SEED, "roll", label, 0)[1] % 6 + 1 == faces(SEED, label, 1, 6)[0]


def test_five_dice_begin_like_three() -> None:
    for sides in (6, 256, 1000):
        assert faces(SEED, "T1/fire/1/d6", 3, sides) == faces(SEED, "T1/fire/1/d6", 5, sides)[:3]


@pytest.mark.parametrize(("dice", "sides"), [(0, 6), (-1, 6), (1, 0), (1, -6)])
def test_no_dice_and_no_sides_are_errors(dice: int, sides: int) -> None:
    with pytest.raises(DiceError):
        faces(SEED, "x", dice, sides)


def test_words_from_the_largest_multiple_on_are_refused() -> None:
    limit = (1 << 32) - 5  # the last five words are beyond one multiple
    assert 7 == below(limit, iter([limit, (1 << 32) - 1, 7]))
    assert 1 == below(3, iter([(1 << 32) - 1, 4]))  # 2**32 - 1 is a multiple of three


# ------------------------------------------------------------------ fairness


def chi_square(counts: Sequence[int], expected: float) -> float:
    return sum((count - expected) ** 2 / expected for count in counts)


def critical(freedom: int, z: float = 3.3) -> float:
    """Wilson and Hilferty: what chi-square exceeds once in two thousand times."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + z * math.sqrt(part)) ** 3


def roll_chi_square(sides: int, roll: Callable[[str], Sequence[int]], labels: int) -> float:
    shown = Counter(face for n in range(labels) for face in roll(f"T{n}/fire/1/d{sides}"))
    assert set(shown) <= set(range(1, sides + 1))
    total = sum(shown.values())
    return chi_square([shown[face] for face in range(1, sides + 1)], total / sides)


@pytest.mark.parametrize("sides", [2, 3, 4, 6, 8, 10, 12, 20, 100, 256, 300])
def test_every_face_is_as_likely(sides: int) -> None:
    found = roll_chi_square(sides, lambda label: faces(SEED, label, 20, sides), 2_000)
    assert found < critical(sides - 1)


def test_the_test_of_fairness_notices_bytes_taken_without_refusal() -> None:
    def careless(label: str) -> list[int]:
        return [byte % 100 + 1 for byte in MAC(SEED, "roll", label, 0)[:20]]

    assert roll_chi_square(100, careless, 2_000) > 10 * critical(99)


def test_every_card_comes_to_every_place_as_often() -> None:
    cards, runs = tuple("ABCDEFGH"), 4_000
    places: Counter[tuple[int, str]] = Counter()
    for n in range(runs):
        places.update(enumerate(shuffle_items(SEALED, f"T{n}/deck/1/shuffle", cards)))
    counts = [places[(place, card)] for place in range(8) for card in cards]
    assert chi_square(counts, runs / 8) < critical(49)


def test_every_order_of_four_comes_as_often() -> None:
    orders = Counter(shuffle_items(SEALED, f"T{n}/deck/1/shuffle", "ABCD") for n in range(6_000))
    assert 24 == len(orders)
    assert chi_square(list(orders.values()), 250) < critical(23)


def test_every_pair_is_drawn_as_often() -> None:
    pairs = Counter(draw_items(SEALED, f"T{n}/tile/1/draw", "ABCDE", 2) for n in range(6_000))
    assert 20 == len(pairs)
    assert chi_square(list(pairs.values()), 300) < critical(19)


# ------------------------------------------------------------------ draws and shuffles


def test_a_draw_does_not_depend_on_the_order_of_the_items() -> None:
    items = ("gas", "mine", "mine", "tank")
    assert draw_items(SEALED, "x", items, 3) == draw_items(SEALED, "x", items[::-1], 3)
    assert sorted(items) == sorted(draw_items(SEALED, "x", items, 4))
    assert () == draw_items(SEALED, "x", items, 0)
    for count in (-1, 5):
        with pytest.raises(DiceError):
            draw_items(SEALED, "x", items, count)


def test_a_shuffle_does_not_depend_on_the_order_of_the_cards() -> None:
    cards = tuple(f"{n}" for n in range(52))
    order = shuffle_items(SEALED, "x", cards)
    assert order == shuffle_items(SEALED, "x", cards[::-1])
    assert sorted(cards) == sorted(order)
    assert order != shuffle_items(SEALED, "y", cards)


def test_small_piles_are_shuffled_too() -> None:
    assert () == shuffle_items(SEALED, "x", ())
    assert ("A",) == shuffle_items(SEALED, "x", ("A",))
    assert sha256(b"").hexdigest() == AuditedDice(SEED, SEALED).shuffle("x", ()).root


# ------------------------------------------------------------------ Merkle trees

CT_LEAVES = [
    bytes.fromhex(data)
    for data in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
CT_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
CT_PATHS = {  # (leaf, size): audit path of the Certificate Transparency test suite
    (0, 1): (),
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 3): ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
    (1, 5): (
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}


def test_roots_of_certificate_transparency() -> None:
    assert CT_ROOTS == [merkle.root(CT_LEAVES[:size]).hex() for size in range(1, 9)]


@pytest.mark.parametrize(("place", "path"), CT_PATHS.items())
def test_paths_of_certificate_transparency(place: tuple[int, int], path: tuple[str, ...]) -> None:
    position, size = place
    assert path == tuple(step.hex() for step in merkle.path(position, CT_LEAVES[:size]))


def test_every_leaf_of_every_tree_is_proved_and_nothing_else() -> None:
    for size in range(1, 40):
        pile = Pile("", "T1/deck/1/shuffle", tuple(f"card {n}" for n in range(size)), SEALED)
        root = merkle.root(leaves(SEALED, pile.label, pile.order)).hex()
        for position in range(size):
            proof = {**pile.opening(position), "root": root}
            path = proof["path"]
            assert is_proved(proof)
            assert not is_proved({**proof, "card": "another"})
            assert not is_proved({**proof, "path": [*path, root]})
            assert not is_proved({**proof, "path": path[:-1]}) or size == 1
            assert not is_proved({**proof, "position": size})
    with pytest.raises(DiceError):
        merkle.path(3, [b"", b"", b""])


def test_a_shuffle_commits_to_nonce_position_and_card() -> None:
    mixed = AuditedDice(SEED, SEALED).shuffle("T1/deck/1/shuffle", ("A", "B", "C"))
    data = [
        MAC(SEALED, "nonce", "T1/deck/1/shuffle", n) + n.to_bytes(4, "big") + card.encode()
        for n, card in enumerate(mixed.order)
    ]
    assert data == leaves(SEALED, "T1/deck/1/shuffle", mixed.order)
    assert merkle.root(data).hex() == mixed.root


# ------------------------------------------------------------------ kinds of dice


def test_audited_dice_refuse_a_label_twice() -> None:
    dice = AuditedDice(SEED, SEALED)
    first = dice.roll("T1/fire/1/d6", 2, 6)
    assert ("audited", faces(SEED, "T1/fire/1/d6", 2, 6)) == (first.by, first.faces)
    with pytest.raises(DiceError, match="twice"):
        dice.roll("T1/fire/1/d6", 2, 6)
    dice.draw("T1/tile/1/draw", ("a", "b"), 1)
    with pytest.raises(DiceError, match="twice"):
        dice.draw("T1/tile/1/draw", ("a", "b"), 1)
    dice.shuffle("T1/deck/1/shuffle", ("a", "b"))
    with pytest.raises(DiceError, match="twice"):
        dice.shuffle("T1/deck/1/shuffle", ("a", "b"))


def test_public_and_hidden_chance_have_different_sources() -> None:
    """Who knows the seed of the rolls must not know the draws."""
    one, other = AuditedDice(SEED, SEALED), AuditedDice(SEED, H("another"))
    labels = [f"T{n}/tile/1/draw" for n in range(20)]
    items = tuple("ABCDEFGHIJ")
    assert [one.draw(label, items, 1) for label in labels] != [
        other.draw(label, items, 1) for label in labels
    ]
    assert one.roll("T1/fire/1/d6", 9, 6) == other.roll("T1/fire/1/d6", 9, 6)


def test_test_dice_know_no_links() -> None:
    for seed in (b"7", "7", 7):
        dice = TestDice(seed)
        assert (faces(b"7", "T1/fire/1/d6", 3, 6), "test") == dice.roll("T1/fire/1/d6", 3, 6)
        assert dice.roll("T1/fire/1/d6", 3, 6) == TestDice(seed).roll("T1/fire/1/d6", 3, 6)
        assert draw_items(b"7", "x", ("a", "b", "c"), 2) == dice.draw("x", ("a", "b", "c"), 2).items
        assert shuffle_items(b"7", "x", ("a", "b", "c")) == dice.shuffle("x", ("a", "b", "c")).order
    assert TestDice(7).roll("x", 20, 6) != TestDice(8).roll("x", 20, 6)


def test_forced_dice_fall_as_named_and_then_as_they_will() -> None:
    dice = ForcedDice([3, 5, 1], ["gas"], then=TestDice(1))
    assert ((3, 5), "forced") == (dice.roll("a", 2, 6).faces, "forced")
    assert (((1,), ("gas",))) == dice.leftover
    assert (1,) == dice.roll("b", 1, 6).faces
    assert TestDice(1).roll("c", 2, 6) == dice.roll("c", 2, 6)
    assert (("gas",), "forced") == ((drawn := dice.draw("d", ("gas", "mine"), 1)).items, drawn.by)
    assert TestDice(1).draw("e", ("gas", "mine"), 1) == dice.draw("e", ("gas", "mine"), 1)
    assert TestDice(1).shuffle("f", ("a", "b")) == dice.shuffle("f", ("a", "b"))
    assert not any(dice.leftover)


@pytest.mark.parametrize("face", [0, 7, -1])
def test_forced_dice_refuse_a_face_the_die_has_not(face: int) -> None:
    with pytest.raises(DiceError, match="no face"):
        ForcedDice([2, face]).roll("a", 2, 6)


def test_what_is_not_forced_of_a_roll_or_draw_is_completed() -> None:
    wanted = TestDice(1).roll("a", 3, 6).faces
    assert ForcedDice([2], then=TestDice(1)).roll("a", 3, 6).faces == (2, *wanted[1:])
    assert ForcedDice(draws=["mine"], then=TestDice(1)).draw("a", ("gas", "mine"), 2).items == ("mine", "gas")


def test_what_nothing_completes_is_an_error() -> None:
    with pytest.raises(DiceError, match="a:"):
        ForcedDice([2]).roll("a", 2, 6)
    with pytest.raises(DiceError, match="a:"):
        ForcedDice(draws=["gas"]).draw("a", ("gas", "mine"), 2)


def test_forced_draws_must_lie_in_the_cup() -> None:
    with pytest.raises(DiceError, match="cannot be drawn"):
        ForcedDice(draws=["gas"]).draw("a", ("mine",), 1)
    with pytest.raises(DiceError, match="cannot be drawn"):
        ForcedDice(draws=["gas", "gas"]).draw("a", ("gas", "mine"), 2)


def test_without_more_dice_a_request_is_an_error() -> None:
    for dice in (ForcedDice(), RecordedDice([]), NoDice()):
        with pytest.raises(DiceError):
            dice.roll("a", 1, 6)
        with pytest.raises(DiceError):
            dice.draw("a", ("x",), 1)
        with pytest.raises(DiceError):
            dice.shuffle("a", ("x",))


RECORD: list[dict[str, Any]] = [
    {"k": "roll", "seat": "A", "label": "T1/fire/1/d6", "sides": 6, "faces": [4, 2, 6], "by": "audited"},
    {
        "k": "draw",
        "seat": "A",
        "label": "T1/tile/1/draw",
        "from": ["a", "b"],
        "items": ["b"],
        "by": "audited",
    },
    {"k": "shuffle", "label": "T1/deck/1/shuffle", "order": ["y", "x"], "root": "00", "by": "audited"},
    {"k": "fact", "fact": "Fired", "data": {}},
]


def test_recorded_dice_fall_as_before_where_their_label_is_asked() -> None:
    dice = RecordedDice(RECORD, then=TestDice(1))
    assert ((4, 2, 6), "recorded") == ((rolled := dice.roll("T1/fire/1/d6", 3, 6)).faces, rolled.by)
    assert (("b",), "recorded") == ((drawn := dice.draw("T1/tile/1/draw", ("a", "b"), 1)).items, drawn.by)
    mixed = dice.shuffle("T1/deck/1/shuffle", ("x", "y"))
    assert (("y", "x"), "00", "recorded") == (mixed.order, mixed.root, mixed.by)
    assert TestDice(1).roll("T1/fire/2/d6", 3, 6) == dice.roll("T1/fire/2/d6", 3, 6)


def test_a_recorded_roll_serves_once() -> None:
    dice = RecordedDice(RECORD, then=TestDice(1))
    dice.roll("T1/fire/1/d6", 3, 6)
    assert "test" == dice.roll("T1/fire/1/d6", 3, 6).by


def test_a_recorded_roll_serves_for_fewer_dice_but_not_for_more() -> None:
    """The old seed is public: what it would give beyond the record is known to all."""
    assert (4, 2) == RecordedDice(RECORD, then=TestDice(1)).roll("T1/fire/1/d6", 2, 6).faces
    assert "test" == RecordedDice(RECORD, then=TestDice(1)).roll("T1/fire/1/d6", 4, 6).by
    assert "test" == RecordedDice(RECORD, then=TestDice(1)).roll("T1/fire/1/d6", 3, 8).by


def test_recorded_draws_and_shuffles_serve_only_the_same_cup_and_pile() -> None:
    dice = RecordedDice(RECORD, then=TestDice(1))
    assert "test" == dice.draw("T1/tile/1/draw", ("a", "b", "c"), 1).by
    assert "test" == dice.draw("T1/tile/1/draw", ("a", "b"), 2).by
    assert "test" == dice.shuffle("T1/deck/1/shuffle", ("x", "y", "z")).by
    assert "test" == dice.roll("T1/tile/1/draw", 1, 6).by


def test_after_the_first_answer_not_on_record_nothing_is_on_record() -> None:
    dice = RecordedDice(RECORD, then=TestDice(1))
    dice.stop()
    assert "test" == dice.roll("T1/fire/1/d6", 3, 6).by
    assert "test" == dice.draw("T1/tile/1/draw", ("a", "b"), 1).by
    assert "test" == dice.shuffle("T1/deck/1/shuffle", ("x", "y")).by


def test_dice_do_not_depend_on_the_order_of_computation() -> None:
    labels = [f"T1/fire/{n}/d6" for n in range(50)]
    straight = AuditedDice(SEED, SEALED)
    expected = {label: straight.roll(label, 3, 6) for label in labels}
    mixed = AuditedDice(SEED, SEALED)
    random.Random(1).shuffle(labels)
    assert expected == {label: mixed.roll(label, 3, 6) for label in labels}
