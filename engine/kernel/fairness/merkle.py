"""RFC 6962 Merkle trees: one hash commits to a shuffled pile, a short path proves one card of it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from engine.kernel.errors import DiceError


def leaf_hash(data: bytes) -> bytes:
    """2.1 A leaf has a zero byte in front, so that it can never pass for a node."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """2.1 A node has a one in front."""
    return sha256(b"\x01" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """2.1 The hash of the tree over these leaves (their data, not their hashes)."""
    if not leaves:
        return sha256(b"").digest()
    return _root_of_hashes([leaf_hash(data) for data in leaves])


def _root_of_hashes(hashes: Sequence[bytes]) -> bytes:
    """Equal to the recursive definition: level by level, an odd last hash goes up unchanged."""
    level = list(hashes)
    while len(level) > 1:
        odd = level[-1:] if len(level) % 2 else []
        level = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)] + odd
    return level[0]


def path(position: int, leaves: Sequence[bytes]) -> tuple[bytes, ...]:
    """2.1.1 The audit path of one leaf, from the leaf's own level up."""
    if not 0 <= position < len(leaves):
        raise DiceError(f"no leaf {position} among {len(leaves)}")
    return _path_of_hashes(position, [leaf_hash(data) for data in leaves])


def _path_of_hashes(position: int, hashes: Sequence[bytes]) -> tuple[bytes, ...]:
    if len(hashes) == 1:
        return ()
    middle = 1 << (len(hashes) - 1).bit_length() - 1  # the largest power of two below their number
    if position < middle:
        return (*_path_of_hashes(position, hashes[:middle]), _root_of_hashes(hashes[middle:]))
    return (*_path_of_hashes(position - middle, hashes[middle:]), _root_of_hashes(hashes[:middle]))
