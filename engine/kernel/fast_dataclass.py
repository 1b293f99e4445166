"""Frozen dataclasses that are made as fast as open ones.

A frozen dataclass sets each field through `object.__setattr__`, which takes eight times as long as a plain
assignment; that is felt where one is made for every question. `@fast_frozen` above `@dataclass(frozen=True,
slots=True)` lets the new object be filled in as an open twin of the class and closes it when it is complete.
`constructor(Ask)` is a function that does what `Ask` does in half the time, where many are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def fast_frozen(cls: type[T]) -> type[T]:
    """The class itself, with a faster `__init__` of the same signature."""
    init = _written(cls, "__init__", ["self"], "_set(self, '__class__', _open)", "self.__class__ = _closed")
    init.__annotations__ = dict(cls.__init__.__annotations__)
    cls.__init__ = init  # type: ignore[method-assign]
    return cls


def constructor(cls: Callable[P, T]) -> Callable[P, T]:
    """What makes objects of the class, with the signature of its `__init__`."""
    made: Callable[P, T] = _written(
        cls, "make", [], "self = _open()", "self.__class__ = _closed", "return self"
    )
    return made


def _written(cls: Any, name: str, first: list[str], begin: str, *end: str) -> Any:
    """A function that sets all fields, written out like the `__init__` that dataclasses write."""
    own: tuple[Field[Any], ...] = fields(cls)
    if "__slots__" not in cls.__dict__ or hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__}: only for a dataclass with slots and without a __post_init__")
    if any(not one.init or one.kw_only or one.default_factory is not MISSING for one in own):
        raise TypeError(f"{cls.__name__}: a field that is made or given in a special way")
    given = [one.name if one.default is MISSING else f"{one.name}=_{one.name}" for one in own]
    known = {f"_{one.name}": one.default for one in own if one.default is not MISSING}
    lines = [begin, *(f"self.{one.name} = {one.name}" for one in own), *end]
    space: dict[str, Any] = {**known, "_set": object.__setattr__, "_open": _twin(cls), "_closed": cls}
    header = f"def {name}({', '.join([*first, *given])}):"
    exec("\n    ".join([header, *lines]), space)  # only names of fields go into it
    function = space[name]
    function.__qualname__, function.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
    return function


def _twin(cls: type) -> type:
    """A class of the same layout whose fields may be set."""
    bare = {name: getattr(object, name) for name in ("__init__", "__setattr__", "__delattr__")}
    space = {"__slots__": (), **bare}  # all three: with a frozen __delattr__ setting is slow again
    return type(f"{cls.__name__}InTheMaking", (cls,), space)
