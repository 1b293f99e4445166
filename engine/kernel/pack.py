"""Data packs: the TOML tables of a folder, read strictly, cross-checked by the game, frozen and hashed.

A game declares a `Schema`: which file holds which tables, and a strict row type for each. Nothing is
guessed: a file, table or key the schema does not know, a missing key, a wrong type and a doubled id are
each a `PackError` that names file, table and key. Nothing is loaded unless everything is right.

An override folder (`--pack DIR`) holds files of the same names. A table that stands there takes the place
of the whole table of that name. Arrays of tables can instead be replaced row by row, if the file says so::

    [override]
    rows = ["army"]        # these arrays replace only the rows whose key they repeat

Such a row is given in full and its key (mostly `id`) must exist already; the row keeps its place.

The hash is taken over the validated content in canonical form, `source` texts included: comments, the
layout and the order of files and tables do not count. The order of rows does; a game may rest on it.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, NoReturn, Protocol, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    PlainSerializer,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass as strict_dataclass

from engine.kernel.contract import Contract
from engine.kernel.errors import PackError

STRICT = ConfigDict(strict=True, extra="forbid")
OVERRIDE = "override"

_MISSING = ("missing", "missing_argument", "missing_keyword_only_argument")  # pydantic's error types
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", bound="Row")
P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)

Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, pattern=r"^\S(.*\S)?$")]
FrozenMap: TypeAlias = Annotated[Mapping[K, V], AfterValidator(MappingProxyType), PlainSerializer(dict)]


@strict_dataclass(frozen=True, slots=True, config=STRICT)
class Names(Mapping[str, str]):
    """What something is called, by language: `names["fr"]`."""

    en: Text
    fr: Text

    def __getitem__(self, language: str) -> str:
        return {"en": self.en, "fr": self.fr}[language]

    def __iter__(self) -> Iterator[str]:
        return iter(("en", "fr"))

    def __len__(self) -> int:
        return 2


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Row:
    """One table, or one row of an array of tables. `sources` names keys that come from elsewhere."""

    source: Text
    sources: FrozenMap[str, Text] = field(default_factory=lambda: MappingProxyType({}), compare=False)


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Labels(Row):
    """The closed lists that the labels of dice are made of: nobody can choose a word until the dice suit.

    `#` stands for a number, `*` for a name that everybody can read in the facts of the Close. The opening
    record of each campaign carries them, and the checker of the dice refuses any other label.
    """

    segments: tuple[Text, ...]  # "T#.R#"
    purposes: tuple[Text, ...]  # with what is thrown: "attack.*/d6", "tile.*/draw", "deck/shuffle"

    def told(self) -> dict[str, Any]:
        """As the opening record has them."""
        return {"purposes": self.purposes, "segments": self.segments}


@dataclass(frozen=True, slots=True)
class PackTable:
    """A table of the schema. With `key` it is an array of tables whose rows differ in those keys."""

    name: str
    file: str
    row: type[Any]  # a strict dataclass; those of a pack are `Row`s
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of a pack; `beside` are files of the built-in folder that are no part of it."""

    tables: tuple[PackTable, ...]
    beside: frozenset[str] = frozenset()

    def files(self) -> tuple[str, ...]:
        return tuple(sorted({table.file for table in self.tables}))

    def table(self, name: str) -> PackTable | None:
        return next((table for table in self.tables if table.name == name), None)


@dataclass(frozen=True, slots=True)
class Raw:
    """One row as it stands in a file."""

    file: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """Every row of a pack, validated, with the file it stands in."""

    schema: Schema
    tables: Mapping[type[Row], tuple[Row, ...]]
    origins: Mapping[type[Row], tuple[str, ...]]
    hash: str

    def rows(self, row: type[R]) -> tuple[R, ...]:
        return self.tables[row]  # type: ignore[return-value]  # filed under their own type

    def one(self, row: type[R]) -> R:
        (only,) = self.rows(row)
        return only

    def by_id(self, row: type[R]) -> Mapping[Any, R]:
        return frozen((one.id, one) for one in self.rows(row))  # type: ignore[attr-defined]  # its key

    def wrong(self, row: Row | type[Row], key: str, problem: str) -> NoReturn:
        """A cross check failed, at this row or at its whole table."""
        kind = row if isinstance(row, type) else type(row)
        table = next(table for table in self.schema.tables if table.row is kind)
        files = self.origins[kind]
        if isinstance(row, type):
            raise PackError(files[0] if files else table.file, table.name, key, problem)
        place = next(i for i, other in enumerate(self.tables[kind]) if other is row)
        raise PackError(files[place], table.name, f"{label(table, row)}{key}", problem)


# ------------------------------------------------------------------ what a game makes of it


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GamePack(Contract):
    """A game's printed data. Equal only to itself and never copied: states and views share it.

    A game adds a field for each of its tables and for each lookup that its rules need.
    """

    _has_fields: ClassVar[bool] = True

    hash: str  # of the content (`Content.hash`)
    options: Mapping[str, Any]  # optional rules, with their defaults
    rulings: Mapping[str, Any]  # switches of the rulings, with their defaults
    labels: Labels

    @property
    def die_sides(self) -> int | None:
        """Of the game's dice, or of the largest of them; None: the rules throw none."""
        return len(self.die_faces) or None

    @property
    def die_faces(self) -> tuple[str, ...]:
        """What is printed on the faces, in the order of a roll's numbers; () where that is the numbers."""
        return ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def frozen(pairs: Iterable[tuple[K, V]]) -> Mapping[K, V]:
    return MappingProxyType(dict(pairs))


def switches(row: Row) -> Mapping[str, Any]:
    """The options of a table that has one row, with their defaults."""
    names = (one.name for one in fields(row) if one.name not in ("source", "sources"))
    return frozen((name, getattr(row, name)) for name in names)


class Loader(Protocol[P_co]):
    def __call__(self, folder: Path | None = None) -> P_co: ...


def loader(schema: Schema, home: Path, assembled: Callable[[Content], P]) -> Loader[P]:
    """How a game's pack is loaded: the built-in one, or with the tables of a folder in place of its own."""

    @cache
    def built_in() -> P:
        return assembled(load(schema, home))

    def load_pack(folder: Path | None = None) -> P:
        return built_in() if folder is None else assembled(load(schema, home, folder))

    return load_pack


# ------------------------------------------------------------------ reading


def label(table: PackTable, row: Any) -> str:
    """The row's name in messages: its key and a dot; nothing for a single table."""
    return " ".join(str(getattr(row, key)) for key in table.key) + "." if table.key else ""


def load(schema: Schema, home: Path, override: Path | None = None) -> Content:
    """The content of the built-in folder, with the tables of the override folder in place of its own."""
    raw = _read_home(schema, home)
    if override is not None:
        raw.update(_overridden(schema, override, raw))
    rows = {table.row: _valid_rows(table, raw[table.name]) for table in schema.tables}
    origins = {table.row: tuple(one.file for one in raw[table.name]) for table in schema.tables}
    return Content(schema, MappingProxyType(rows), MappingProxyType(origins), content_hash(schema, rows))


def read_rows(table: PackTable, path: Path) -> tuple[Any, ...]:
    """The rows of a file that holds this one array of tables and nothing else."""
    return _valid_rows(table, _read_file(Schema((table,)), path, path.name).get(table.name, []))


def content_hash(schema: Schema, rows: Mapping[type[Row], tuple[Row, ...]]) -> str:
    """SHA-256 of the canonical JSON of all tables by name."""
    plain = {}
    for table in schema.tables:
        adapter = TypeAdapter(table.row)
        plain[table.name] = [adapter.dump_python(row, mode="json") for row in rows[table.row]]
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


# ------------------------------------------------------------------ reading


def _read_home(schema: Schema, home: Path) -> dict[str, list[Raw]]:
    names = _file_names(schema, home, schema.beside)
    raw: dict[str, list[Raw]] = {}
    for name in schema.files():
        if name not in names:
            raise PackError(name, "-", "-", "the file is missing")
        raw.update(_read_file(schema, home / name, name))
    for table in schema.tables:
        if table.name not in raw:
            raise PackError(table.file, table.name, "-", "the table is missing")
    return raw


def _overridden(schema: Schema, folder: Path, base: Mapping[str, list[Raw]]) -> dict[str, list[Raw]]:
    """The tables that the override folder puts in place of the built-in ones."""
    replaced: dict[str, list[Raw]] = {}
    for name in _file_names(schema, folder, frozenset()):
        shown = str(folder / name)
        by_rows: list[PackTable] = []
        tables = _read_file(schema, folder / name, shown, by_rows)
        for table in by_rows:
            if table.name not in tables:
                raise PackError(shown, OVERRIDE, "rows", f"no table {table.name!r} in this file")
            tables[table.name] = _replaced_rows(table, base[table.name], tables[table.name])
        replaced.update(tables)
    if not replaced:
        raise PackError(str(folder), "-", "-", "no table to override stands in this folder")
    return replaced


def _tables_by_rows(schema: Schema, shown: str, data: Any) -> list[PackTable]:
    """The `[override]` table of a file: which of its arrays replace single rows."""
    if not isinstance(data, dict):
        raise PackError(shown, OVERRIDE, "-", "must be a table: [override]")
    for key in data:
        if key != "rows":
            raise PackError(shown, OVERRIDE, key, "unknown key")
    names = data.get("rows")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise PackError(shown, OVERRIDE, "rows", "must be a list of table names")
    tables = []
    for name in names:
        table = schema.table(name)
        if table is None or not table.key:
            raise PackError(shown, OVERRIDE, "rows", f"{name!r} is no array of tables of this pack")
        tables.append(table)
    return tables


def _replaced_rows(table: PackTable, base: list[Raw], rows: list[Raw]) -> list[Raw]:
    def key(raw: Raw) -> tuple[str, ...]:
        return tuple(repr(raw.data.get(name)) for name in table.key)

    known = {key(raw) for raw in base}
    new: dict[tuple[str, ...], Raw] = {}
    for place, raw in enumerate(rows, 1):
        where = f"{_raw_label(table, raw, place)}{table.key[0]}"
        if key(raw) not in known:
            raise PackError(
                raw.file, table.name, where, "unknown row: only existing rows can be replaced one by one"
            )
        if key(raw) in new:
            raise PackError(raw.file, table.name, where, "given twice")
        new[key(raw)] = raw
    return [new.get(key(raw), raw) for raw in base]


def _file_names(schema: Schema, folder: Path, beside: frozenset[str]) -> tuple[str, ...]:
    """The pack's files in the folder. Hidden entries are passed over; any other stranger is a mistake."""
    try:
        names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith((".", "__")))
    except OSError as error:
        raise PackError(str(folder), "-", "-", f"cannot be read: {error.strerror}") from error
    for name in names:
        if name not in schema.files() and name not in beside:
            raise PackError(
                str(folder / name), "-", "-", f"unknown file; this pack knows {', '.join(schema.files())}"
            )
    return tuple(name for name in names if name in schema.files())


def _read_file(
    schema: Schema, path: Path, shown: str, by_rows: list[PackTable] | None = None
) -> dict[str, list[Raw]]:
    tables: dict[str, list[Raw]] = {}
    for name, data in _parsed(path, shown).items():
        if name == OVERRIDE and by_rows is not None:
            by_rows += _tables_by_rows(schema, shown, data)
            continue
        table = schema.table(name)
        if table is None:
            raise PackError(shown, name, "-", "unknown table")
        if table.file != path.name:
            raise PackError(shown, name, "-", f"this table belongs in {table.file}")
        tables[name] = _rows_of(table, data, shown)
    return tables


def _parsed(path: Path, shown: str) -> dict[str, Any]:
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else len(text.splitlines())  # "at end of document"
        raise PackError(shown, _table_at(text, line), f"line {line}", str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(shown, "-", "-", f"cannot be read: {error}") from error


def _table_at(text: str, line: int) -> str:
    """The table whose header stands last before that line."""
    headers = re.findall(r"^\s*\[+\s*([^\]\s]+)", "\n".join(text.splitlines()[:line]), re.MULTILINE)
    return headers[-1] if headers else "-"


def _rows_of(table: PackTable, data: Any, shown: str) -> list[Raw]:
    rows = data if table.key else [data]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        brackets = f"[[{table.name}]]" if table.key else f"[{table.name}]"
        raise PackError(shown, table.name, "-", f"wrong type: write it as {brackets}")
    return [Raw(shown, row) for row in rows]


# ------------------------------------------------------------------ checking


def _validated(table: PackTable, raw: Raw, place: int) -> Any:
    where = _raw_label(table, raw, place)
    _check_plain(table, raw, where, raw.data)
    try:
        row = TypeAdapter(table.row).validate_json(json.dumps(raw.data))
    except ValidationError as error:
        found = error.errors(include_url=False)
        # a misspelt key is missing and unknown at once: the unknown one shows the slip
        first = next((one for one in found if one["type"] in _UNKNOWN), found[0])
        key = ".".join(str(part) for part in first["loc"]) or "-"
        raise PackError(
            raw.file, table.name, f"{where}{key}", _problem(first["type"], first["msg"])
        ) from None
    known = {one.name for one in fields(table.row)}
    for key in row.sources if isinstance(row, Row) else ():
        if key not in known:
            raise PackError(raw.file, table.name, f"{where}sources.{key}", "unknown key")
    return row


def _problem(kind: str, message: str) -> str:
    if kind in _MISSING:
        return "missing"
    return "unknown key" if kind in _UNKNOWN else message


def _raw_label(table: PackTable, raw: Raw, place: int) -> str:
    if not table.key:
        return ""
    keys = [raw.data.get(key) for key in table.key]
    named = all(isinstance(key, str | int) for key in keys)
    return " ".join(str(key) for key in keys) + "." if named else f"#{place}."


def _check_plain(table: PackTable, raw: Raw, where: str, value: Any) -> None:
    """Dates and fractions are valid TOML but no values of a pack."""
    if isinstance(value, dict):
        for key, part in value.items():
            _check_plain(table, raw, f"{where}{key}." if isinstance(part, dict) else f"{where}{key}", part)
    elif isinstance(value, list):
        for part in value:
            _check_plain(table, raw, where, part)
    elif not isinstance(value, str | int):
        raise PackError(raw.file, table.name, where, f"wrong type: {type(value).__name__}")


def _valid_rows(table: PackTable, raw: list[Raw]) -> tuple[Any, ...]:
    """All rows of a table; no two of them have the same key."""
    rows = tuple(_validated(table, one, place) for place, one in enumerate(raw, 1))
    seen: set[tuple[Any, ...]] = set()
    for row, one in zip(rows, raw, strict=True):
        key = tuple(getattr(row, name) for name in table.key)
        if key in seen:
            raise PackError(one.file, table.name, f"{label(table, row)}{table.key[0]}", "duplicate")
        seen.add(key)
    return rows
