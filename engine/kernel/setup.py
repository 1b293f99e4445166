"""What games share where a position is set up: agreed options, drawn positions, pieces that lie once."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar, Final

from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings, State
from engine.kernel.pack import GamePack
from engine.kernel.requests import Segment


def agree_options(
    pack: GamePack,
    settings: GameSettings,
    scenarios: Collection[str],
    players: Collection[int],
    allowed: Callable[[str], Collection[Any]],  # option -> its values; (): any of the default's type
) -> dict[str, Any]:
    """Optional rules and switches of the rulings, complete; what was not agreed keeps its default."""
    if settings.scenario not in scenarios:
        raise EngineError(f"scenario: {settings.scenario!r}; known: {_listed(scenarios)}")
    if settings.players not in players:
        raise EngineError(f"players: {settings.players}; the game takes {_listed(players)}")
    defaults = {**pack.options, **pack.rulings}
    for name, value in settings.options.items():
        if name not in defaults:
            raise EngineError(f"option {name!r} is unknown; known: {_listed(sorted(defaults))}")
        kind, values = type(defaults[name]), allowed(name)
        if type(value) is not kind or (values and value not in values):
            raise EngineError(f"option {name!r}: {value!r}; known: {_listed(values) or kind.__name__}")
    return {**defaults, **settings.options}


def _are(values: Any, *kinds: type) -> bool:
    return isinstance(values, list | tuple) and all(type(value) in kinds for value in values)


KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "number": lambda value: type(value) is int,
    "word": lambda value: isinstance(value, str),
    "number or word": lambda value: type(value) is int or isinstance(value, str),
    "switch": lambda value: type(value) is bool,
    "list": lambda value: isinstance(value, str) or _are(value, str),
    "list of numbers": lambda value: _are(value, int, str),
    "table": lambda value: isinstance(value, Mapping),
}


def check_kind(key: str, kind: str, value: Any) -> None:
    """Refuse a value of another kind, be it that of a row in a table."""
    outer, _, inner = kind.partition("table of ")
    if inner and not outer and isinstance(value, Mapping):
        for name, row in value.items():
            check_kind(f"{key}: {name}", inner, row)
    elif not KINDS["table" if inner and not outer else kind](value):
        raise EngineError(f"position: {key}: a {kind} is wanted, not {value!r}")


class Drawing:
    """A position drawn by an umpire or a test, in the making (`Game.position`).

    A game lists its `keys`, each with the kind of its value (KINDS, or `table of` one of them), and says in
    `draw` how they fill `state`, and which `segment` is played next. What fits nothing is refused with its
    key.
    """

    keys: ClassVar[Mapping[str, str]]
    state: State
    segment: Segment

    def __init__(self, pack: Any, agreed: GameSettings, given: Mapping[str, Any]) -> None:
        if unknown := sorted(set(given) - set(self.keys)):
            raise EngineError(f"position: unknown key {unknown[0]!r}; known: {_listed(sorted(self.keys))}")
        for key, value in given.items():
            check_kind(key, self.keys[key], value)
        self.pack, self.agreed, self.given = pack, agreed, given
        self.draw()

    @classmethod
    def position(
        cls, pack: Any, settings: GameSettings, overrides: Mapping[str, Any]
    ) -> tuple[State, Segment]:
        """The state that was drawn and the segment that is played next."""
        drawing = cls(pack, settings, overrides)
        return drawing.state, drawing.segment

    @abstractmethod
    def draw(self) -> None:
        """Set `state` and `segment`."""

    def settings(self, *also: str) -> GameSettings:
        """The settings with the options that are drawn, and `also` the players or the scenario."""
        changes = {name: self.given[name] for name in also if name in self.given}
        options = {**self.agreed.options, **self.given.get("options", {})}
        return replace(self.agreed, options=options, **changes)

    def table(self, key: str, known: Collection[Any]) -> list[tuple[Any, Any]]:
        """The rows of a table whose names are all known; numbers are written as text there."""
        table = self.given.get(key, {})
        if not isinstance(table, Mapping):
            raise EngineError(f"position: {key}: a table is wanted, not {table!r}")
        by_text = {str(one): one for one in known}
        return [(by_text[self.one_of(key, str(name), by_text)], value) for name, value in table.items()]

    def one_of(self, key: str, value: Any, known: Collection[Any]) -> Any:
        if not isinstance(value, (str, int)) or value not in known:
            raise EngineError(f"position: {key}: {value!r}; known: {_listed(list(known)[:60])}")
        return value


def check_each_once(kind: str, places: Mapping[str, Sequence[str]], wanted: Sequence[str]) -> None:
    """An invariant: every piece lies in one place, and each place is sorted. `wanted` is sorted, too."""
    for place, there in places.items():
        assert list(there) == sorted(there), f"{place} is not sorted"
    lying = sorted(chain.from_iterable(places.values()))
    if lying != list(wanted):
        missing, extra = Counter(wanted) - Counter(lying), Counter(lying) - Counter(wanted)
        raise AssertionError(f"{kind}s: missing {sorted(missing)}, too many {sorted(extra)}")


def _listed(words: Collection[Any]) -> str:
    return ", ".join(map(str, words))
