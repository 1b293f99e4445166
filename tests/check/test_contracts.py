"""What a game may say is declared: nothing is probed for, and a misspelt hook is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from engine.games import GAMES, game
from engine.kernel.contract import Contract
from engine.kernel.game import Game, Line, Notation
from engine.kernel.pack import GamePack
from engine.kernel.requests import Fact, PublicFact
from tests.check.house import MAY_PROBE, ROOT, Breach, probes, sources

CONTRACTS: tuple[type[Contract], ...] = (Game, Notation, Line, Fact, GamePack)
REQUIRED: dict[type[Contract], dict[str, Any]] = {
    Game: dict.fromkeys(vars(Game)) | dict.fromkeys(Game.__annotations__),
    Notation: {"read": None, "write_answer": None},
    Line: {"number": 1, "write": None},
    Fact: {"audience": None, "apply": None},
    GamePack: {},
}


def optional_hooks() -> Iterator[tuple[type[Contract], str]]:
    """Every public name that a contract declares and a game need not give."""
    for contract in CONTRACTS:
        for name, value in vars(contract).items():
            is_open = getattr(value, "__isabstractmethod__", False) or name in _fields(contract)
            if not name.startswith("_") and not is_open:
                yield contract, name


def _fields(contract: type[Contract]) -> frozenset[str]:
    return frozenset(one.name for one in fields(contract)) if issubclass(contract, GamePack) else frozenset()


def misspelt(name: str) -> str:
    """Two letters changed places, or one too many."""
    return f"{name}s" if name[-2] == name[-1] else f"{name[:-2]}{name[-1]}{name[-2]}"


def below(contract: type[Contract], **said: Any) -> type:
    needed = {name: value for name, value in REQUIRED[contract].items() if not name.startswith("_")}
    return type("Planted", (contract,), {"__slots__": (), **needed, **said})


# ------------------------------------------------------------------ nothing is probed for


def test_nothing_is_probed_for() -> None:
    found: list[Breach] = []
    for path in sources("engine", "pbem", "worker"):
        found += probes(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    assert [] == [str(breach) for breach in found]


def test_the_exceptions_are_few_and_in_use() -> None:
    assert len(MAY_PROBE) <= 10
    for (path, name), reason in MAY_PROBE.items():
        assert reason
        assert f'"{name}"' in (ROOT / path).read_text("utf-8"), f"{path} no longer probes for {name}"


@pytest.mark.parametrize(
    "snippet",
    [
        'getattr(game, "allies", None)',
        'hasattr(game, "allies")',
        'import builtins\nbuiltins.getattr(game, "allies")',
        'if (own := getattr(a.b, "own", None)) is not None: pass',
        "from typing import Protocol, runtime_checkable",
        "import typing\n@typing.runtime_checkable\nclass A(typing.Protocol): ...",
    ],
)
def test_a_probe_is_noticed(snippet: str) -> None:
    ast.parse(snippet)
    assert list(probes("pbem/a.py", snippet))


@pytest.mark.parametrize("snippet", ["getattr(row, name)", "x = row.getattr", "'getattr(a, \"b\")'"])
def test_what_is_no_probe_is_not(snippet: str) -> None:
    assert not list(probes("pbem/a.py", snippet))


def test_an_exception_holds_in_its_own_file_alone() -> None:
    (path, name), *_ = MAY_PROBE
    source = f'getattr(value, "{name}", False)'
    assert not list(probes(path, source)) and list(probes("engine/kernel/other.py", source))


# ------------------------------------------------------------------ a misspelt hook is refused


def test_there_are_hooks() -> None:
    hooks = [f"{contract.__name__}.{name}" for contract, name in optional_hooks()]
    assert len(hooks) > 40
    known = {"Game.allies", "Notation.make_standing", "Line.stays", "Fact.reveals", "GamePack.die_faces"}
    assert known <= set(hooks)


@pytest.mark.parametrize(("contract", "name"), list(optional_hooks()))
def test_a_misspelt_hook_is_refused(contract: type[Contract], name: str) -> None:
    below(contract, **{name: vars(contract)[name]})  # rightly spelt it is taken
    with pytest.raises(TypeError, match=f"declares no {misspelt(name)}"):
        below(contract, **{misspelt(name): vars(contract)[name]})


@pytest.mark.parametrize("name", [one.name for one in fields(GamePack)])
def test_a_misspelt_field_of_a_pack_is_refused(name: str) -> None:
    given: dict[str, Any] = {one.name: {} for one in fields(GamePack)}
    GamePack(**given)
    given[misspelt(name)] = given.pop(name)
    with pytest.raises(TypeError, match=misspelt(name)):
        GamePack(**given)


@pytest.mark.parametrize("hint", ["ClassVar[bool]", "typing.ClassVar[bool]"])
def test_a_class_variable_of_a_fact_is_no_field(hint: str) -> None:
    below(Fact, town="LIE", __annotations__={"town": "str"})  # data may have any name
    with pytest.raises(TypeError, match="Fact declares no reveal"):
        below(Fact, reveal=True, __annotations__={"reveal": hint})


def test_a_game_has_no_fields() -> None:
    with pytest.raises(TypeError, match="Game declares no player"):
        below(Game, player=(2,), __annotations__={"player": "tuple[int, ...]"})


def test_own_names_are_listed_and_nothing_else_goes_through() -> None:
    own = {"clause": 1, "_own_names": frozenset({"clause"})}
    below(Line, **own)
    with pytest.raises(TypeError, match=r"Line declares no stay$"):
        below(Line, **own, stay=True)


@pytest.mark.parametrize("contract", [Game, Notation, Line, Fact])
def test_what_every_game_must_say_is_missed(contract: type[Contract]) -> None:
    with pytest.raises(TypeError, match="Planted does not say: "):
        type("Planted", (contract,), {"__slots__": ()})


def test_a_public_fact_still_has_to_be_applied() -> None:
    with pytest.raises(TypeError, match="Planted does not say: apply"):
        type("Planted", (PublicFact,), {"__slots__": ()})


def test_a_game_gives_view_or_views() -> None:
    said = {name: value for name, value in REQUIRED[Game].items() if name not in ("view", "views")}
    with pytest.raises(TypeError, match="view, or views"):
        type("Planted", (Game,), {name: one for name, one in said.items() if not name.startswith("_")})


@pytest.mark.parametrize("name", GAMES)
def test_every_class_of_a_game_is_below_a_contract(name: str) -> None:
    found = game(name)
    assert Game in type(found).__mro__ and Notation in type(found.notation).__mro__
    assert GamePack in type(found.load_pack()).__mro__
    assert all(issubclass(fact, Fact) for fact in found.facts.values())
