"""Anything a game shows, as plain data that can be compared byte by byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any


def plain(value: Any, pack: Any = None) -> Any:
    """Dataclasses by name and fields, mappings as pairs in their own order: order is output too."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if value is pack:
        return "pack"
    kind: Any = type(value)  # mypy takes a class for unhashable
    if (names := _fields(kind)) is not None:
        inner = {name: plain(getattr(value, name), pack) for name in names}
        return {"type": type(value).__name__, **inner}
    if isinstance(value, Mapping):
        return [[plain(key, pack), plain(inner, pack)] for key, inner in value.items()]
    if isinstance(value, (list, tuple)):
        return [plain(inner, pack) for inner in value]
    if isinstance(value, (set, frozenset)):
        return ["in no order", *sorted(repr(plain(inner, pack)) for inner in value)]
    return f"<{type(value).__name__}>"


@cache
def _fields(kind: type[object]) -> tuple[str, ...] | None:
    """The fields of a dataclass, None: it is something else."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None
