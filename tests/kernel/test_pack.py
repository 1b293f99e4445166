"""The pack loader on a small pack of its own: two files, four tables."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field
from pydantic.dataclasses import dataclass

from engine.kernel.errors import PackError
from engine.kernel.pack import STRICT, Content, FrozenMap, Names, PackTable, Row, Schema, load


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Town(Row):
    id: str
    names: Names
    size: Annotated[int, Field(ge=1, le=9)]
    walls: bool = False
    gates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Road(Row):
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Weather(Row):
    effects: FrozenMap[str, int]


SCHEMA = Schema(
    tables=(
        PackTable("town", "map.toml", Town, key=("id",)),
        PackTable("road", "map.toml", Road, key=("a", "b")),
        PackTable("weather", "charts.toml", Weather),
    ),
    beside=frozenset({"rulebook.toml"}),
)

MAP = """\
[[town]]
id = "LYS"
names = { en = "Lys", fr = "Lys" }
size = 3
gates = ["north", "south"]
source = "printed"

[[town]]
id = "MONS"
names = { en = "Mons", fr = "Mons" }
size = 5
walls = true
source = "printed"
sources = { walls = "reconstruction" }

[[road]]
a = "LYS"
b = "MONS"
source = "printed"
"""

CHARTS = """\
# a comment
[weather]
effects = { mud = 2, snow = 1 }
source = "chart"
"""

SMALL_MONS = """\
[override]
rows = ["town"]

[[town]]
id = "MONS"
names = { en = "Mons", fr = "Mons" }
size = 1
source = "my copy"
"""


def folder(path: Path, **files: str) -> Path:
    path.mkdir(exist_ok=True)
    for name, text in files.items():
        (path / f"{name}.toml").write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return folder(tmp_path / "home", map=MAP, charts=CHARTS)


def towns(content: Content) -> dict[str, int]:
    return {town.id: town.size for town in content.rows(Town)}


# ------------------------------------------------------------------ what is loaded


def test_rows_come_typed_and_in_the_files_order(home: Path) -> None:
    content = load(SCHEMA, home)
    assert [town.id for town in content.rows(Town)] == ["LYS", "MONS"]
    assert content.rows(Town)[0].gates == ("north", "south")
    assert content.one(Weather).effects == {"mud": 2, "snow": 1}
    assert content.rows(Town)[1].sources == {"walls": "reconstruction"}


def test_names_are_read_by_language(home: Path) -> None:
    names = load(SCHEMA, home).rows(Town)[0].names
    assert isinstance(names, Mapping)
    assert dict(names) == {"en": "Lys", "fr": "Lys"}
    assert len(names) == 2
    with pytest.raises(KeyError):
        names["de"]


def test_everything_is_frozen(home: Path) -> None:
    content = load(SCHEMA, home)
    town: Any = content.rows(Town)[0]
    with pytest.raises(FrozenInstanceError):
        town.size = 9
    effects: Any = content.one(Weather).effects
    with pytest.raises(TypeError):
        effects["mud"] = 9
    both: tuple[Any, ...] = (content.rows(Town)[0].sources, content.rows(Town)[1].sources)
    for sources in both:
        with pytest.raises(TypeError):
            sources["size"] = "elsewhere"


def test_files_beside_the_pack_are_left_alone(home: Path) -> None:
    folder(home, rulebook="not = [toml")
    assert load(SCHEMA, home).hash


# ------------------------------------------------------------------ overrides


def test_an_override_replaces_whole_tables(home: Path, tmp_path: Path) -> None:
    own = '[[town]]\nid = "YPRES"\nnames = { en = "Ypres", fr = "Ypres" }\nsize = 4\nsource = "my copy"\n'
    content = load(SCHEMA, home, folder(tmp_path / "own", map=own))
    assert towns(content) == {"YPRES": 4}
    assert len(content.rows(Road)) == 1  # the file's other table stays


def test_an_override_may_replace_single_rows(home: Path, tmp_path: Path) -> None:
    content = load(SCHEMA, home, folder(tmp_path / "own", map=SMALL_MONS))
    assert towns(content) == {"LYS": 3, "MONS": 1}
    assert content.rows(Town)[1].walls is False  # the row is given in full, nothing is left of the old one


def test_an_override_replaces_a_single_table(home: Path, tmp_path: Path) -> None:
    own = '[weather]\neffects = { fog = 1 }\nsource = "my copy"\n'
    assert load(SCHEMA, home, folder(tmp_path / "own", charts=own)).one(Weather).effects == {"fog": 1}


# ------------------------------------------------------------------ the hash


def test_the_hash_ignores_comments_layout_and_the_order_of_tables(home: Path, tmp_path: Path) -> None:
    head, road = MAP.split("[[road]]")
    turned = f"# other words\n[[road]]{road}\n\n{head}"
    other = folder(tmp_path / "other", map=turned, charts=CHARTS.replace("mud = 2, snow = 1", "snow=1,mud=2"))
    assert load(SCHEMA, other).hash == load(SCHEMA, home).hash


def test_the_hash_ignores_whether_a_table_was_overridden(home: Path, tmp_path: Path) -> None:
    same = folder(tmp_path / "same", charts=CHARTS, map=MAP)
    assert load(SCHEMA, home, same).hash == load(SCHEMA, home).hash


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("map", "size = 3", "size = 4"),
        ("map", 'fr = "Mons"', 'fr = "Bergen"'),
        ("charts", 'source = "chart"', 'source = "my copy"'),
        ("map", 'walls = "reconstruction"', 'walls = "printed"'),
    ],
)
def test_an_override_changes_the_hash(home: Path, tmp_path: Path, file: str, old: str, new: str) -> None:
    text = {"map": MAP, "charts": CHARTS}[file]
    own = folder(tmp_path / "own", **{file: replaced(text, old, new)})
    assert load(SCHEMA, home, own).hash != load(SCHEMA, home).hash


def test_the_hash_counts_the_order_of_rows(home: Path, tmp_path: Path) -> None:
    first, second, rest = (
        MAP.partition('[[town]]\nid = "MONS"')[0],
        MAP.split("\n\n")[1],
        MAP.split("\n\n")[2],
    )
    own = folder(tmp_path / "own", map=f"{second}\n\n{first}{rest}")
    assert towns(load(SCHEMA, home, own)) == towns(load(SCHEMA, home))
    assert load(SCHEMA, home, own).hash != load(SCHEMA, home).hash


def test_the_hash_is_the_same_in_every_process() -> None:
    code = "from engine.games.first_world_war.pack import load_pack; print(load_pack().hash)"
    root = Path(__file__).parents[2]
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            cwd="/",
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1
    assert len(hashes.pop().strip()) == 64


# ------------------------------------------------------------------ mistakes


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


MISTAKES = {
    # kind: (file, old text, new text, table, key, part of the problem)
    "unreadable TOML": ("map", "size = 3", "size = = 3", "town", "line 4", "line 4"),
    "TOML that breaks off": (
        "charts",
        'source = "chart"\n',
        'source = "chart',
        "weather",
        "line 4",
        "end of document",
    ),
    "unknown table": ("charts", "[weather]", "[wether]", "wether", "-", "unknown table"),
    "table of another file": ("charts", "[weather]", "[[town]]", "town", "-", "belongs in map.toml"),
    "top-level value": ("charts", "# a comment", "mud = 2", "mud", "-", "unknown table"),
    "unknown key": ("map", "walls = true", "wall = true", "town", "MONS.wall", "unknown key"),
    "unknown key in names": (
        "map",
        'fr = "Lys"',
        'fr = "Lys", de = "Leie"',
        "town",
        "LYS.names.de",
        "unknown key",
    ),
    "source of an unknown key": ("map", "{ walls =", "{ wall =", "town", "MONS.sources.wall", "unknown key"),
    "missing key": ("map", "size = 5\n", "", "town", "MONS.size", "missing"),
    "missing id": ("map", 'id = "MONS"\n', "", "town", "#2.id", "missing"),
    "missing source": ("charts", 'source = "chart"\n', "", "weather", "source", "missing"),
    "empty source": ("charts", '"chart"', '" "', "weather", "source", "pattern"),
    "missing language": ("map", ', fr = "Lys"', "", "town", "LYS.names.fr", "missing"),
    "wrong type: text": ("map", "size = 3", 'size = "3"', "town", "LYS.size", "integer"),
    "wrong type: true": ("map", "size = 3", "size = true", "town", "LYS.size", "integer"),
    "wrong type: number": ("map", "walls = true", "walls = 1", "town", "MONS.walls", "boolean"),
    "wrong type: fraction": ("map", "size = 3", "size = 3.0", "town", "LYS.size", "float"),
    "wrong type: date": ("map", 'id = "LYS"', "id = 1914-08-04", "town", "#1.id", "date"),
    "wrong type: date in a list": ("map", '"south"', "1914-08-04", "town", "LYS.gates", "date"),
    "wrong type: in a list": ("map", '"south"', "2", "town", "LYS.gates.1", "string"),
    "wrong type: in a map": ("charts", "snow = 1", 'snow = "1"', "weather", "effects.snow", "integer"),
    "one table for many": ("map", "[[road]]", "[road]", "road", "-", "[[road]]"),
    "many tables for one": ("charts", "[weather]", "[[weather]]", "weather", "-", "[weather]"),
    "out of range": ("map", "size = 5", "size = 10", "town", "MONS.size", "less than or equal to 9"),
    "duplicate id": ("map", 'id = "MONS"', 'id = "LYS"', "town", "LYS.id", "duplicate"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_in_an_override_names_file_table_and_key(kind: str, home: Path, tmp_path: Path) -> None:
    file, old, new, table, key, problem = MISTAKES[kind]
    own = folder(tmp_path / "own", **{file: replaced({"map": MAP, "charts": CHARTS}[file], old, new)})
    with pytest.raises(PackError) as caught:
        load(SCHEMA, home, own)
    assert (caught.value.table, caught.value.key) == (table, key)
    assert problem in caught.value.problem
    assert str(caught.value).startswith(f"{own / file}.toml: [{table}] {key}: ")


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_in_the_built_in_folder_is_found_too(kind: str, home: Path) -> None:
    file, old, new, table, key, _ = MISTAKES[kind]
    folder(home, **{file: replaced({"map": MAP, "charts": CHARTS}[file], old, new)})
    with pytest.raises(PackError) as caught:
        load(SCHEMA, home)
    assert (caught.value.file, caught.value.table, caught.value.key) == (f"{file}.toml", table, key)


def test_an_unknown_file_is_a_mistake(home: Path, tmp_path: Path) -> None:
    own = folder(tmp_path / "own", mapp=MAP)
    with pytest.raises(PackError, match=r"mapp\.toml.*unknown file; this pack knows charts\.toml, map\.toml"):
        load(SCHEMA, home, own)
    with pytest.raises(PackError, match=r"rulebook\.toml.*unknown file"):  # the register is not overridden
        load(SCHEMA, home, folder(tmp_path / "rules", map=MAP, rulebook=""))
    (home / "towns.csv").write_text("LYS;3")
    with pytest.raises(PackError, match=r"towns\.csv.*unknown file"):
        load(SCHEMA, home)


def test_hidden_files_are_no_part_of_a_pack(home: Path, tmp_path: Path) -> None:
    own = folder(tmp_path / "own", map=MAP)
    (own / ".git").mkdir()
    assert load(SCHEMA, home, own).hash == load(SCHEMA, home).hash


def test_a_missing_file_or_table_is_a_mistake(home: Path) -> None:
    folder(home, charts="")
    with pytest.raises(PackError, match=r"charts\.toml: \[weather\] -: the table is missing"):
        load(SCHEMA, home)
    (home / "charts.toml").unlink()
    with pytest.raises(PackError, match=r"charts\.toml: .*the file is missing"):
        load(SCHEMA, home)


def test_a_folder_without_tables_is_a_mistake(home: Path, tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"nowhere: .*cannot be read"):
        load(SCHEMA, home, tmp_path / "nowhere")
    with pytest.raises(PackError, match=r"own: .*no table to override"):
        load(SCHEMA, home, folder(tmp_path / "own"))


def test_a_file_in_another_encoding_is_a_mistake(home: Path, tmp_path: Path) -> None:
    own = folder(tmp_path / "own")
    (own / "map.toml").write_bytes(MAP.replace("Lys", "Köln").encode("latin-1"))
    with pytest.raises(PackError, match=r"map\.toml: .*cannot be read.*utf-8"):
        load(SCHEMA, home, own)


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ('[override]\nrows = ["towns"]\n', "rows", "'towns' is no array of tables"),
        ('[override]\nrows = ["road"]\n', "rows", "no table 'road' in this file"),
        ("[override]\nrows = 1\n", "rows", "list of table names"),
        ("[override]\n", "rows", "list of table names"),
        ('[override]\nrow = ["town"]\n', "row", "unknown key"),
        ("[[override]]\n", "-", "must be a table"),
    ],
)
def test_a_mistake_in_the_override_table(
    home: Path, tmp_path: Path, text: str, key: str, problem: str
) -> None:
    own = folder(tmp_path / "own", map=text + MAP.split("[[road]]", maxsplit=1)[0])
    with pytest.raises(PackError) as caught:
        load(SCHEMA, home, own)
    assert (caught.value.file, caught.value.table, caught.value.key) == (
        str(own / "map.toml"),
        "override",
        key,
    )
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("ids", "key", "problem"),
    [(("YPRES",), "YPRES.id", "unknown row"), (("LYS", "LYS"), "LYS.id", "given twice")],
)
def test_only_existing_rows_are_replaced_each_once(
    home: Path, tmp_path: Path, ids: tuple[str, ...], key: str, problem: str
) -> None:
    rows = "".join(
        f'[[town]]\nid = "{one}"\nnames = {{ en = "x", fr = "x" }}\nsize = 4\nsource = "x"\n' for one in ids
    )
    own = folder(tmp_path / "own", map=f'[override]\nrows = ["town"]\n{rows}')
    with pytest.raises(PackError) as caught:
        load(SCHEMA, home, own)
    assert (caught.value.table, caught.value.key) == ("town", key)
    assert problem in caught.value.problem


def test_a_cross_check_names_the_file_the_row_stands_in(home: Path, tmp_path: Path) -> None:
    content = load(SCHEMA, home, folder(tmp_path / "own", map=SMALL_MONS))
    lys, mons = content.rows(Town)
    with pytest.raises(PackError, match=r"^map\.toml: \[town\] LYS\.size: too large$"):
        content.wrong(lys, "size", "too large")
    with pytest.raises(PackError) as caught:
        content.wrong(mons, "size", "too small")
    assert caught.value.file == str(tmp_path / "own" / "map.toml")
    with pytest.raises(PackError, match=r"^charts\.toml: \[weather\] effects: no fog$"):
        content.wrong(content.one(Weather), "effects", "no fog")
    with pytest.raises(PackError, match=r"^map\.toml: \[road\] a: none$"):
        content.wrong(Road, "a", "none")
