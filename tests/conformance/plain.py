"""Anything a game shows, as plain data that can be compared byte by byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any, pack: Any = None) -> Any:
    """Dataclasses by name and fields, mappings as pairs in their own order: order is output too."""
    if value is pack and pack is not None:
        return "pack"
    if is_dataclass(value) and not isinstance(value, type):
        inner = {field.name: plain(getattr(value, field.name), pack) for field in fields(value)}
        return {"type": type(value).__name__, **inner}
    if isinstance(value, Mapping):
        return [[plain(key, pack), plain(inner, pack)] for key, inner in value.items()]
    if isinstance(value, (list, tuple)):
        return [plain(inner, pack) for inner in value]
    if isinstance(value, (set, frozenset)):
        return ["in no order", *sorted(repr(plain(inner, pack)) for inner in value)]
    if value is None or isinstance(value, (str, int, bool, float)):
        return value
    return f"<{type(value).__name__}>"
