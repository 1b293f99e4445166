"""A seat's view as a map: a picture for the letter, close-ups of where something happened, and words.

A game brings `templates/maps/<game>/`: `geometry.toml` says where things are drawn, `map.svg.j2` how they
look, `ground.svg.j2` what of it never changes, `places.txt.j2` where what happened is drawn (see
`pbem/letters/close_ups.py`), and `alt.txt.j2` tells the same in words; it may bring `strip.svg.j2`, the last
turns frame by frame. Nothing comes here but the reader's view and, of what happened, what the reader may
read: a picture cannot show what the view does not. The same view gives the same bytes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, select_autoescape
from markupsafe import Markup

from engine.kernel.game import Game, View, fact_for
from engine.kernel.requests import Fact
from pbem.letters.close_ups import CloseUp, close_ups_over, read_action
from pbem.letters.painting import paint, paint_like
from pbem.letters.phrases import Phrases
from pbem.letters.render import overlay, trim
from pbem.mail.compose import Picture
from pbem.resources import templates_folder

PICTURE, GROUND, WORDS = "map.svg.j2", "ground.svg.j2", "alt.txt.j2"
PLACES, STRIP = "places.txt.j2", "strip.svg.j2"
GEOMETRY = "geometry.toml"
ROOM = 185_000  # bytes of all pictures of a letter: mail coding adds a third, and 300 kB are the end
MAP, CLOSE_UP = "map.png", "map-{}.png"  # names of the pictures in a letter


def has_map(game: Game) -> bool:
    """Whether the game brings a map; one without is told in words alone."""
    return (_folder() / game.id / PICTURE).is_file()


def map_pictures(
    game: Game, view: View, phrases: Phrases, facts: Sequence[Fact], room: int = ROOM
) -> list[Picture]:
    """The map with what happened, then close-ups of the places of action; of a game without a map none."""
    if not has_map(game):
        return []
    whole = map_png(game, view, phrases, facts)
    pictures = [Picture(MAP, whole, map_text(game, view, phrases))]
    for number, close_up in enumerate(close_ups(game, view, phrases, facts), start=1):
        ground = _render(GROUND, game, view, phrases, close_up=close_up)
        svg = _render(PICTURE, game, view, phrases, facts, ground=True, close_up=close_up)
        words = phrases.say("map", "close_up", {"names": close_up.names})
        pictures.append(Picture(CLOSE_UP.format(number), paint_like(whole, svg, ground), words))
        if sum(len(one.png) for one in pictures) > room:
            return pictures if number == 1 else pictures[:-1]
    return pictures


def close_ups(game: Game, view: View, phrases: Phrases, facts: Iterable[Fact]) -> list[CloseUp]:
    """The parts of the map to show close up, the most important first."""
    action = read_action(_render(PLACES, game, view, phrases, facts))
    return close_ups_over(action, _geometry_of(game)["close_up"])


def map_png(game: Game, view: View, phrases: Phrases, facts: Iterable[Fact] = ()) -> bytes:
    """The map as the view's seat sees it, with what it was told since its last letter drawn in."""
    ground = _render(GROUND, game, view, phrases)
    return paint(_render(PICTURE, game, view, phrases, facts, ground=True), ground)


def overlay_png(game: Game, view: View, phrases: Phrases, overlay: Any) -> bytes:
    """The map with the game's answer to MAP REACH, made of the same view, drawn over it."""
    ground = _render(GROUND, game, view, phrases)
    return paint(_render(PICTURE, game, view, phrases, ground=True, overlay=overlay), ground)


def strip_png(game: Game, before: View, view: View, phrases: Phrases, facts: Iterable[Fact]) -> bytes:
    """What happened since `before`, frame by frame in one picture; b"": there is nothing to show."""
    if before is None or not (_folder() / game.id / STRIP).is_file():
        return b""
    frames = game.frames(before, _readable(view, facts))
    return paint(_render(STRIP, game, view, phrases, frames=frames)) if frames else b""


def map_svg(
    game: Game, view: View, phrases: Phrases, facts: Iterable[Fact] = (), close_up: CloseUp | None = None
) -> str:
    """The drawing itself, or what a close-up shows of it."""
    return _render(PICTURE, game, view, phrases, facts, close_up=close_up)


def map_text(game: Game, view: View, phrases: Phrases) -> str:
    """The area list that says what the picture shows, at most 72 columns wide."""
    return trim(_render(WORDS, game, view, phrases))


def _render(
    name: str, game: Game, view: View, phrases: Phrases, facts: Iterable[Fact] = (), **more: Any
) -> str:
    """`ground`: it lies below already; `close_up`: only this part, with all its writing legible."""
    template = _environment(phrases).get_template(f"{game.id}/{name}")
    told = _readable(view, facts)
    given = {"ground": False, "overlay": None, "close_up": None, **more}
    close_up = given["close_up"]
    smallest = close_up.smallest if close_up else 0
    return template.render(
        given,
        view=view,
        geometry=_geometry_of(game),
        told=told,
        legible=lambda font: max(font, smallest),
        seen=close_up.shows if close_up else lambda at, around=0: True,
        frame=partial(_frame, close_up),
    )


def _frame(close_up: CloseUp | None, width: float, height: float, zoom: float) -> Markup:
    """Size and part of the whole drawing, as the attributes of its root."""
    x, y, across, down = (0, 0, width, height) if close_up is None else close_up.part
    pixels = (round(width * zoom), round(height * zoom)) if close_up is None else close_up.pixels
    size = f'width="{pixels[0]}" height="{pixels[1]}" viewBox="{x} {y} {across} {down}"'
    return Markup(f'{size} preserveAspectRatio="none"')


def _readable(view: View, facts: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in (fact_for(fact, view.seat) for fact in facts) if fact is not None]


# ------------------------------------------------------------------ files


def _folder() -> Path:
    return templates_folder() / "maps"


def _geometry_of(game: Game) -> Mapping[str, Any]:
    return _read_geometry(_folder() / game.id / GEOMETRY)


@cache
def _read_geometry(path: Path) -> Mapping[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=32)
def _environment(phrases: Phrases) -> Environment:
    """The phrases' environment for whole pictures: names are escaped in SVG, and as they are in text."""
    autoescape = select_autoescape((".svg.j2",))
    env = overlay(phrases, _folder(), autoescape=autoescape, extensions=["jinja2.ext.do"])
    env.filters.update(points=_points, of_kind=_of_kind)
    return env


def _points(pairs: Sequence[Sequence[float]]) -> str:
    """A chain of points as SVG writes it."""
    return " ".join(f"{x},{y}" for x, y in pairs)


def _of_kind(facts: Iterable[Fact], *names: str) -> list[Fact]:
    return [fact for fact in facts if type(fact).__name__ in names]
