"""The rules of the house that no linter knows: direction of imports, size, names, forbidden modules.

Every check takes source text and a path inside the tree, so that it can be proved on planted snippets.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "pbem", "worker")
MODULE_LINES = 500
FUNCTION_LINES = 50
BANNED_WORDS = {"util", "utils", "helper", "helpers", "manager", "managers"}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")

# Who may import whom among our own packages; a game is a layer of its own.
MAY_IMPORT = {
    "worker": {"worker", "pbem", "engine.games", "engine.board", "engine.kernel"},
    "pbem": {"pbem", "engine.games", "engine.board", "engine.kernel"},
    "engine.games": {"engine.games", "engine.notation", "engine.board", "engine.kernel"},
    "engine.notation": {"engine.notation", "engine.kernel"},
    "engine.board": {"engine.board"},
    "engine.kernel": {"engine.kernel"},
    "engine": set(),
}
# Inside `pbem` imports run down this list, never up; beside each other only as `BESIDE` says.
PBEM_LAYERS = (
    {"cli"},
    {"ops", "local", "demo"},
    {"intake"},
    {"verbs"},
    {"campaigns"},
    {"context"},
    {"letters", "orders"},
    {"store", "mail", "embedded"},
    {"settings", "errors", "logs", "resources", "verify_dice"},
)
BESIDE = {("letters", "orders"), ("store", "mail"), ("settings", "errors"), ("demo", "ops")}
OUTSIDE_ENGINE = {"pydantic"}  # all that the engine takes from elsewhere
NO_ENGINE = {"smtplib", "imaplib", "email", "mailbox", "sqlite3", "socket", "asyncio", "locale", "gettext"}
REGISTRY = "engine/games/__init__.py"  # the one place that imports games by name

# Names that may be probed for, where, and why no class of ours can declare them instead.
MAY_PROBE: Mapping[tuple[str, str], str] = {
    (
        "engine/kernel/contract.py",
        "__isabstractmethod__",
    ): "the mark of an abstract method",
    ("engine/kernel/canonical_json.py", "c_make_encoder"): "only where json is compiled to C",
    ("engine/kernel/fast_dataclass.py", "__post_init__"): "of any dataclass, which may have none",
    ("pbem/campaigns/outages.py", "CLOCK_BOOTTIME"): "only on Linux",
    ("pbem/embedded/imap.py", "kept_at"): "set on messages of the standard library",
    ("pbem/mail/auth_results.py", "properties"): "of results that authres reads, which differ by method",
}
NO_GAME = {"random", "time", "datetime", "os", "secrets", "io", "uuid", "zoneinfo", "threading", "subprocess"}


@dataclass(frozen=True, slots=True)
class Breach:
    """One broken rule and where."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


@dataclass(frozen=True, slots=True)
class Import:
    """One import, as an absolute module name."""

    line: int
    module: str


def sources(*tops: str) -> Iterator[Path]:
    """Every Python file below these folders of the tree, in order."""
    for top in tops:
        yield from sorted(p for p in (ROOT / top).rglob("*.py") if "__pycache__" not in p.parts)


def module_name(path: str) -> str:
    """`engine/kernel/table.py` -> `engine.kernel.table`; a package's `__init__` is the package."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: str, source: str) -> Iterator[Import]:
    """All imports of a file, also those inside functions, under TYPE_CHECKING and by import_module."""
    package = module_name(path) if path.endswith("__init__.py") else module_name(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(source, path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(package, node.level, node.module)
            for alias in node.names:  # `from engine.games import fww` imports a module, too
                yield Import(node.lineno, f"{base}.{alias.name}" if base else alias.name)
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            yield Import(node.lineno, _first_word(node))


def _absolute(package: str, level: int, module: str | None) -> str:
    if level == 0:
        return module or ""
    parts = package.split(".")
    kept = parts[: len(parts) - (level - 1)]
    return ".".join([*kept, module] if module else kept)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _first_word(call: ast.Call) -> str:
    """The fixed beginning of the module name given to a call; '?' where it cannot be read off."""
    match call.args[:1]:
        case [ast.Constant(value=str(name))]:
            return name
        case [ast.JoinedStr(values=[ast.Constant(value=str(name)), *_])]:
            return name.rstrip(".")
    return "?"


def layer(module: str) -> str:
    """The layer a module of ours belongs to; '' for everything else."""
    parts = module.split(".")
    if parts[0] not in PACKAGES:
        return ""
    if parts[0] == "engine" and len(parts) > 1:
        return ".".join(parts[:2])
    return parts[0]


def game(module: str) -> str:
    """The game's folder for a module inside one, else ''."""
    parts = module.split(".")
    inside = parts[:2] == ["engine", "games"] and len(parts) > 2
    return parts[2] if inside and (ROOT / "engine" / "games" / parts[2]).is_dir() else ""


def import_breaches(path: str, source: str) -> Iterator[Breach]:
    """Imports run worker → pbem → engine.games → engine.board, engine.kernel; never back or across."""
    module = module_name(path)
    here = layer(module)
    for found in imports(path, source):
        there = layer(found.module)
        if there and there not in MAY_IMPORT.get(here, set()):
            yield Breach(path, found.line, f"{here} imports {found.module}")
        if game(module) and game(found.module) not in ("", game(module)):
            yield Breach(path, found.line, f"the game {game(module)} imports the game {game(found.module)}")
        if module.split(".")[0] == "engine" and not there:
            yield from _foreign(path, found, inside_game=here == "engine.games")


def part(module: str) -> str:
    """The part of `pbem` that a module belongs to: `pbem.mail.imap` -> `mail`; '' for everything else."""
    top, _, rest = module.partition(".")
    return rest.partition(".")[0] if top == "pbem" else ""


def inner_breaches(path: str, source: str) -> Iterator[Breach]:
    """Imports inside `pbem` that run up its layers, or across one."""
    own = part(module_name(path))
    if own in ("", "__main__"):
        return
    for found in imports(path, source):
        other = part(found.module)
        if other and other != own and not _may_reach(own, other):
            yield Breach(path, found.line, f"pbem.{own} imports {found.module}")


def _may_reach(own: str, other: str) -> bool:
    depth = {name: number for number, names in enumerate(PBEM_LAYERS) for name in names}
    return depth[own] < depth[other] or (own, other) in BESIDE


def repeated_names(files: Iterable[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    """Public classes and functions that more than one module defines, each with those modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, source in files:
        for node in ast.parse(source, path).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                places[node.name].append(module_name(path))
    return {
        name: tuple(sorted(modules))
        for name, modules in sorted(places.items())
        if len(modules) > 1 and not name.startswith("_")
    }


def _foreign(path: str, found: Import, *, inside_game: bool) -> Iterator[Breach]:
    top = found.module.split(".")[0]
    if top == "?" and path == REGISTRY:
        return
    if top == "?":
        yield Breach(path, found.line, "a module is imported by a name that cannot be read off")
    elif top not in OUTSIDE_ENGINE and top not in sys.stdlib_module_names:
        yield Breach(path, found.line, f"engine imports {top}, which is not of the standard library")
    elif top in NO_ENGINE:
        yield Breach(path, found.line, f"engine imports {top}")
    elif inside_game and top in NO_GAME:
        yield Breach(path, found.line, f"a game imports {top}")


def set_loops(path: str, source: str) -> Iterator[Breach]:
    """Loops straight over a set: their order is chance."""
    for node in ast.walk(ast.parse(source, path)):
        if isinstance(node, ast.For | ast.comprehension) and _is_set(node.iter):
            yield Breach(path, node.iter.lineno, "iterates over a set; sort it")


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub(), right=right):
            return _is_set(left) or _is_set(right)
    return False


def probes(path: str, source: str) -> Iterator[Breach]:
    """`getattr` and `hasattr` by a constant name, and `runtime_checkable`: what may be said is declared."""
    for node in ast.walk(ast.parse(source, path)):
        match node:
            case ast.Call(args=[_, ast.Constant(value=str(name)), *_]):
                if _called(node) in ("getattr", "hasattr") and (path, name) not in MAY_PROBE:
                    yield Breach(path, node.lineno, f"probes for {name!r}; declare it on a base class")
            case ast.alias(name="runtime_checkable") | ast.Attribute(attr="runtime_checkable"):
                yield Breach(path, node.lineno, "makes a protocol that can be probed; use a base class")


def size_breaches(path: str, source: str) -> Iterator[Breach]:
    """No module above 500 lines; outside tests no function above 50."""
    lines = len(source.splitlines())
    if lines > MODULE_LINES:
        yield Breach(path, lines, f"{lines} lines, {MODULE_LINES} at most")
    if path.startswith("tests/"):
        return
    for node in ast.walk(ast.parse(source, path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield Breach(path, node.lineno, f"{node.name} has {length} lines, {FUNCTION_LINES} at most")


def name_breaches(path: str) -> Iterator[Breach]:
    """Modules are named after what they know."""
    for part in PurePosixPath(path).with_suffix("").parts:
        if BANNED_WORDS & set(part.lower().split("_")):
            yield Breach(path, 1, f"named {part}")


def unfinished(path: str, source: str) -> Iterator[Breach]:
    """Marks of unfinished work."""
    for number, line in enumerate(source.splitlines(), 1):
        if found := UNFINISHED.search(line):
            yield Breach(path, number, found.group())
