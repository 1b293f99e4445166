"""A seat's view as a map: a picture for the letter, and an area list for those who read text.

A game brings `templates/maps/<game>/`: `geometry.toml` says where things are drawn, `map.svg.j2` how they
look, `ground.svg.j2` what of it never changes, and `alt.txt.j2` tells the same in words; it may bring
`strip.svg.j2`, the last turns frame by frame. Nothing comes here but the reader's view and, of what happened,
what the reader may read: a picture cannot show what the view does not. Fonts lie beside the templates: the
picture is the same on every machine, and the same view gives the same bytes.
"""

from __future__ import annotations

import tomllib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape
from resvg_py import svg_to_bytes

from engine.kernel.game import Game, View, illustrated, shown
from engine.kernel.requests import Fact
from pbem.places import templates_folder
from pbem.report.phrases import Phrases
from pbem.report.png import in_few_colours
from pbem.report.text import hung

PICTURE, GROUND, WORDS = "map.svg.j2", "ground.svg.j2", "alt.txt.j2"
STRIP = "strip.svg.j2"
GEOMETRY = "geometry.toml"


def has_map(game: Game) -> bool:
    """Whether the game brings a map; one without is told in words alone."""
    return (_folder() / game.id / PICTURE).is_file()


def map_png(game: Game, view: View, phrases: Phrases, told: Iterable[Fact] = ()) -> bytes:
    """The map as the view's seat sees it, with what it was told since its last letter drawn in."""
    ground = _kept(_rendered(GROUND, game, view, phrases))
    return _painted(_rendered(PICTURE, game, view, phrases, told, ground=ground))


def overlay_png(game: Game, view: View, phrases: Phrases, overlay: Any) -> bytes:
    """The map with the game's answer to MAP REACH, made of the same view, drawn over it."""
    ground = _kept(_rendered(GROUND, game, view, phrases))
    return _painted(_rendered(PICTURE, game, view, phrases, ground=ground, overlay=overlay))


def strip_png(game: Game, before: View, view: View, phrases: Phrases, told: Iterable[Fact]) -> bytes:
    """What happened since `before`, frame by frame in one picture; b"": there is nothing to show."""
    drawn = illustrated(game)
    if drawn is None or before is None or not (_folder() / game.id / STRIP).is_file():
        return b""
    frames = drawn.frames(before, _readable(view, told))
    return _painted(_rendered(STRIP, game, view, phrases, frames=frames)) if frames else b""


def map_svg(game: Game, view: View, phrases: Phrases, told: Iterable[Fact] = ()) -> str:
    """The drawing itself."""
    return _rendered(PICTURE, game, view, phrases, told)


def map_text(game: Game, view: View, phrases: Phrases) -> str:
    """The area list that says what the picture shows, at most 72 columns wide."""
    text = _rendered(WORDS, game, view, phrases)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def _rendered(
    name: str, game: Game, view: View, phrases: Phrases, told: Iterable[Fact] = (), **more: Any
) -> str:
    geometry = _geometry(_folder() / game.id / GEOMETRY)
    template = _environment(phrases).get_template(f"{game.id}/{name}")
    return template.render(
        {"ground": "", "overlay": None, **more}, view=view, geometry=geometry, told=_readable(view, told)
    )


def _readable(view: View, told: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in (shown(fact, view.seat) for fact in told) if fact is not None]


@lru_cache(maxsize=16)
def _painted(svg: str) -> bytes:
    """Whoever sees the same gets the same picture: after a letter of results it is often asked for again."""
    return in_few_colours(_drawn(svg))


def _drawn(svg: str) -> bytes:
    """In true colours, with our own fonts and no others."""
    return bytes(svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=list(_fonts())))


@lru_cache(maxsize=8)
def _kept(svg: str) -> str:
    """A drawing as a picture to be put into another one: what never changes costs a third of the time."""
    return "data:image/png;base64," + b64encode(_drawn(svg)).decode()


# ------------------------------------------------------------------ files


def _folder() -> Path:
    return templates_folder() / "maps"


@cache
def _fonts() -> tuple[str, ...]:
    return tuple(str(path) for path in sorted((_folder() / "fonts").glob("*.ttf")))


@cache
def _geometry(path: Path) -> Mapping[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=32)
def _environment(phrases: Phrases) -> Environment:
    """The phrases' environment for whole pictures: names are escaped in SVG, and as they are in text."""
    env = phrases.env.overlay(
        loader=FileSystemLoader(_folder()),
        autoescape=select_autoescape((".svg.j2",)),
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    env.filters.update(ljust=str.ljust, rjust=str.rjust, hung=hung, points=_points, of_kind=_of_kind)
    env.globals["told_as"] = phrases.told
    return env


def _points(pairs: Sequence[Sequence[float]]) -> str:
    """A chain of points as SVG writes it."""
    return " ".join(f"{x},{y}" for x, y in pairs)


def _of_kind(facts: Iterable[Fact], *names: str) -> list[Fact]:
    return [fact for fact in facts if type(fact).__name__ in names]
