"""What a test knows of a value and its type does not say: said once, and checked."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def not_none(value: T | None) -> T:
    assert value is not None
    return value


def expect(kind: type[T], value: object) -> T:
    assert isinstance(value, kind), f"{kind.__name__} expected, not {value!r}"
    return value
