"""Frozen dataclasses made at the speed of open ones behave like any other frozen dataclass."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any, ClassVar

import pytest

from engine.kernel.fast_dataclass import constructor, fast_frozen


class Kind:
    __slots__ = ()

    def doubled(self) -> int:
        return 2 * self.number  # type: ignore[attr-defined, no-any-return]  # of the classes below


@dataclass(frozen=True, slots=True)
class Slow(Kind):
    name: str
    number: int = 1
    also: tuple[str, ...] = ("a", "b")
    fixed: ClassVar[bool] = True


@fast_frozen
@dataclass(frozen=True, slots=True)
class Swift(Kind):
    name: str
    number: int = 1
    also: tuple[str, ...] = ("a", "b")
    fixed: ClassVar[bool] = True


@fast_frozen
@dataclass(frozen=True, slots=True)
class Longer(Swift):
    more: int = 7


def test_it_is_made_like_any_other() -> None:
    assert repr(Swift("x", also=())) == repr(Slow("x", also=())).replace("Slow", "Swift")
    assert (Swift("x").number, Swift("x", 3).doubled(), Swift(name="y").also) == (1, 6, ("a", "b"))
    assert inspect.signature(Swift).parameters.keys() == inspect.signature(Slow).parameters.keys()
    wrongs: tuple[tuple[Any, ...], ...] = ((), ("x", 1, (), 4))
    for wrong in wrongs:
        with pytest.raises(TypeError):
            Swift(*wrong)


@pytest.mark.parametrize("kind", [Slow, Swift, Longer])
def test_a_maker_makes_what_the_class_makes(kind: type[Slow] | type[Swift]) -> None:
    make = constructor(kind)
    assert make("x") == kind("x") and make("x", also=(), number=3) == kind("x", 3, ())
    assert type(make("x")) is kind
    assert list(inspect.signature(make).parameters) == list(inspect.signature(kind).parameters)
    with pytest.raises(FrozenInstanceError):
        setattr(make("x"), "name", "y")  # noqa: B010 – the type checker knows that it is frozen
    with pytest.raises(TypeError):
        make()


def test_it_is_frozen_and_has_no_other_attributes() -> None:
    made = Swift("x")
    with pytest.raises(FrozenInstanceError):
        made.name = "y"  # type: ignore[misc]  # it is frozen
    with pytest.raises(FrozenInstanceError):
        del made.name
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        made.other = "y"  # type: ignore[attr-defined]  # it has slots
    assert type(made) is Swift and not hasattr(made, "__dict__")


def test_it_is_compared_copied_and_stored_like_any_other() -> None:
    made = Swift("x", 2)
    assert made == Swift("x", 2) != Swift("x", 3) and hash(made) == hash(Swift("x", 2))
    assert replace(made, number=5) == Swift("x", 5)
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
    match made:
        case Swift(name, number):
            assert (name, number) == ("x", 2)


def test_a_class_made_of_another_sets_all_fields() -> None:
    longer = Longer("x", 2, (), 3)
    assert (longer.name, longer.number, longer.also, longer.more) == ("x", 2, (), 3)
    assert type(longer) is Longer and Longer("x") == Longer("x", 1, ("a", "b"), 7)
    with pytest.raises(FrozenInstanceError):
        longer.more = 1  # type: ignore[misc]  # it is frozen


def test_what_it_cannot_make_is_refused() -> None:
    with pytest.raises(TypeError, match="special way"):

        @fast_frozen
        @dataclass(frozen=True, slots=True)
        class Listed:
            items: list[int] = field(default_factory=list)

    with pytest.raises(TypeError, match="slots"):

        @fast_frozen
        @dataclass(frozen=True)
        class Open:
            name: str

    with pytest.raises(TypeError, match="slots"):

        @fast_frozen
        @dataclass(frozen=True, slots=True)
        class Checked:
            name: str

            def __post_init__(self) -> None:
                assert self.name
