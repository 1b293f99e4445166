"""The printed matter: the tables of data/game.toml, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic.dataclasses import dataclass as strict_dataclass

from engine.kernel.pack import (
    STRICT,
    Content,
    GamePack,
    Labels,
    Names,
    PackTable,
    Row,
    Schema,
    frozen,
    loader,
)
from engine.kernel.register import FILE


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Meta(Row):
    names: Names
    turns: int
    finds_from: int
    die_sides: int


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Post(Row):
    id: str
    names: Names


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Tile(Row):
    id: str
    points: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pack(GamePack):
    meta: Meta
    posts: Mapping[str, Post]
    tiles: Mapping[str, Tile]

    @property
    def die_sides(self) -> int:
        return self.meta.die_sides


TABLES = (
    PackTable("meta", "game.toml", Meta),
    PackTable("labels", "game.toml", Labels),
    PackTable("post", "game.toml", Post, key=("id",)),
    PackTable("tile", "game.toml", Tile, key=("id",)),
)


def _assemble(content: Content) -> Pack:
    return Pack(
        hash=content.hash,
        options={},
        rulings={},
        labels=content.one(Labels),
        meta=content.one(Meta),
        posts=frozen((row.id, row) for row in content.rows(Post)),
        tiles=frozen((row.id, row) for row in content.rows(Tile)),
    )


load_pack = loader(Schema(TABLES, beside=frozenset({FILE})), Path(__file__).parent / "data", _assemble)
