"""Frozen dataclasses that are made as fast as open ones.

A frozen dataclass sets each field through `object.__setattr__`, which takes eight times as long as a plain
assignment; that is felt where one is made for every question. `@swift` above `@dataclass(frozen=True,
slots=True)` lets the new object be filled in as an open twin of the class and closes it when it is complete.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

T = TypeVar("T")


def swift(cls: type[T]) -> type[T]:
    """The class itself, with a faster `__init__` of the same signature."""
    own: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]
    if "__slots__" not in cls.__dict__ or hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__}: only for a dataclass with slots and without a __post_init__")
    if any(not one.init or one.kw_only or one.default_factory is not MISSING for one in own):
        raise TypeError(f"{cls.__name__}: a field that is made or given in a special way")
    cls.__init__ = _init(cls, own)  # type: ignore[method-assign]
    return cls


def _init(cls: type, own: tuple[Field[Any], ...]) -> Any:
    """Written out like the `__init__` that dataclasses write."""
    given = [one.name if one.default is MISSING else f"{one.name}=_{one.name}" for one in own]
    known = {f"_{one.name}": one.default for one in own if one.default is not MISSING}
    lines = [
        f"def __init__({', '.join(['self', *given])}):",
        "    _set(self, '__class__', _open)",
        *(f"    self.{one.name} = {one.name}" for one in own),
        "    self.__class__ = _closed",
    ]
    space: dict[str, Any] = {**known, "_set": object.__setattr__, "_open": _twin(cls), "_closed": cls}
    exec("\n".join(lines), space)  # only names of fields go into it
    init = space["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = dict(cls.__init__.__annotations__)  # type: ignore[misc]
    return init


def _twin(cls: type) -> type:
    """A class of the same layout whose fields may be set."""
    space = {"__slots__": cls.__dict__["__slots__"], "__setattr__": object.__setattr__}
    return type(f"{cls.__name__}InTheMaking", cls.__bases__, space)
