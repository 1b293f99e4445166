"""What a game's classes may say, held when each class is made."""

from __future__ import annotations

from typing import ClassVar


class Contract:
    """Base of the classes through which a game speaks to the kernel and to the service.

    A direct subclass is a contract: `Game`, `Notation`, `Line`, `Fact`, `GamePack`. It declares every name
    that is read from outside. A class below it must give what the contract leaves open (abstract methods,
    bare annotations), may override what has a default, and adds no public name of its own unless
    `_own_names` lists it. So a misspelt hook is a TypeError where the class is made, not a silent default.
    """

    __slots__ = ()
    _has_fields: ClassVar[bool] = False  # its classes are dataclasses, whose fields may have any name
    _own_names: ClassVar[frozenset[str]] = frozenset()  # public names beyond the contract

    def __init_subclass__(cls, *, partial: bool = False) -> None:
        """`partial`: a base of others, which need not give everything."""
        super().__init_subclass__()
        if Contract in cls.__bases__:
            return
        above = frozenset[str]().union(*map(_names, cls.__mro__[1:]))
        added = _names(cls) - (_fields(cls) if cls._has_fields else frozenset())
        if unknown := sorted(name for name in added - above - cls._own_names if not name.startswith("_")):
            raise TypeError(f"{cls.__name__}: {_contract(cls).__name__} declares no {', '.join(unknown)}")
        if not partial and (missing := sorted(_left_open(cls))):
            raise TypeError(f"{cls.__name__} does not say: {', '.join(missing)}")


def _names(cls: type) -> frozenset[str]:
    return frozenset({*vars(cls), *vars(cls).get("__annotations__", ())})


def _fields(cls: type) -> frozenset[str]:
    """Annotated names that are not class variables, and the slots that a dataclass makes of them."""
    hints: dict[str, object] = vars(cls).get("__annotations__", {})
    return frozenset(name for name, hint in hints.items() if "ClassVar" not in str(hint))


def _contract(cls: type) -> type:
    return next(base for base in cls.__mro__ if Contract in base.__bases__)


def _left_open(cls: type) -> frozenset[str]:
    """What the contract requires and no class below it gives."""
    contract = _contract(cls)
    own = vars(contract)
    bare = (name for name in own.get("__annotations__", ()) if name not in own)
    abstract = (name for name, value in own.items() if getattr(value, "__isabstractmethod__", False))
    below = cls.__mro__[: cls.__mro__.index(contract)]
    return frozenset({*bare, *abstract}) - frozenset[str]().union(*map(_names, below))
