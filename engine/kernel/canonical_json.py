"""The one JSON form of a value: keys sorted, no blanks, everything in ASCII.

For a dataclass a function is written once that writes all its objects, as `dataclasses` writes `__init__`:
names, braces and order of its fields stand in it already, and only the values are looked at. So a line costs
a third of what it costs by way of a dictionary that is built and sorted anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

K = TypeVar("K", str, int)
Writer: TypeAlias = Callable[[Any], str]

_PLAIN = frozenset({str, int, bool, type(None)})  # most of JSON data, and quickly told

quote: Callable[[str], str] = json.encoder.encode_basestring_ascii  # a text as it stands in JSON


def canonical(value: Any) -> bytes:
    """The one JSON form of a value."""
    return canonical_text(value).encode("ascii")


def canonical_text(value: Any) -> str:
    """The same as text."""
    kind = type(value)
    write = _writers.get(kind)
    if write is None:
        write = _writers[kind] = writer(kind) if is_dataclass(kind) else _in_general
    return write(value)


def copy_plain(value: Any) -> Any:
    """A deep copy of JSON data, tuples as lists: what a game's `load` makes its state of."""
    if isinstance(value, (list, tuple)):
        return [inner if type(inner) in _PLAIN else copy_plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {key: inner if type(inner) in _PLAIN else copy_plain(inner) for key, inner in value.items()}
    return value


def in_order(data: Mapping[str, Any], keys: Iterable[K]) -> dict[K, Any]:
    """A stored mapping with its keys in this order again: canonical JSON sorts them as text."""
    return {key: data[str(key)] for key in keys if str(key) in data}


def writer(kind: type, without: str = "") -> Writer:
    """What writes the objects of a dataclass, but for one of their fields."""
    names = [name for name in sorted(_names(kind)) if name != without]
    texts = "quote(v) if (k := type(v := o.{})) is str"
    value = f"{texts} else v if k is int else (row(v) if v else empty) if k is tuple else canonical_text(v)"
    parts = [f"{quote(name)}:{{{value.format(name)}}}" for name in names]
    space: dict[str, Any] = {"quote": quote, "canonical_text": canonical_text, "row": _row, "empty": "[]"}
    exec(f"def write(o): return f'{{{{{','.join(parts)}}}}}'", space)  # only names of fields go into it
    write: Writer = space["write"]
    return write


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))  # without class variables


def _plain(value: Any) -> Any:
    """Frozen dataclasses and read-only mappings as JSON objects."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: getattr(value, name) for name in _names(type(value))}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")


_encoder = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, default=_plain
)
_make_pieces = getattr(json.encoder, "c_make_encoder", None)
_pieces: Callable[[Any, int], Iterable[str]] = (
    _encoder.iterencode  # type: ignore[assignment]
    if _make_pieces is None
    # Of `_encoder`, which makes one of these for every value: markers (against circles, which no line has),
    # default, quotation, indentation, separators, sort_keys, skipkeys, allow_nan.
    else _make_pieces(None, _plain, quote, None, ":", ",", True, False, False)
)


def _in_general(value: Any) -> str:
    return "".join(_pieces(value, 0))


def _row(values: tuple[Any, ...]) -> str:
    """Most are short and hold texts: written here, they cost half of what the general way takes."""
    texts = [quote(v) if (k := type(v)) is str else f"{v}" if k is int else canonical_text(v) for v in values]
    return f"[{','.join(texts)}]"


# those of other classes as they come up
_writers: dict[type, Writer] = {str: quote, int: int.__repr__, tuple: _row}
