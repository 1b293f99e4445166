"""Who plays in the demonstration and what they write: `templates/demo/<game>.toml`, read strictly."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from engine.kernel.game import Language
from pbem.resources import templates_folder

Client: TypeAlias = Literal["top", "bottom", "outlook", "phone"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Prepared(_Strict):
    """A letter that lies ready for a window, or for every window of a kind."""

    window: str
    text: str = ""
    then: str = ""  # the reply to what is answered
    forgets: bool = False


class Player(_Strict):
    """One who plays."""

    name: str
    user: str
    language: Language
    zone: str
    client: Client
    letters: tuple[Prepared, ...]

    def letter_for(self, window: str) -> Prepared | None:
        """What lies ready: for this very window, otherwise for its kind."""
        kind = window.partition(".")[2]
        named = {one.window: one for one in reversed(self.letters)}
        return named.get(window) or named.get(kind)


class DemoScript(_Strict):
    """The whole demonstration."""

    game: str
    campaign: str
    tempo: str
    players: int
    umpire: str
    options: Mapping[str, Any]
    clock: Mapping[str, Any]
    people: Mapping[str, Player]  # by seat


def read_script(game: str) -> DemoScript:
    """The script of that game's demonstration."""
    path = templates_folder() / "demo" / f"{game}.toml"
    return DemoScript.model_validate(tomllib.loads(path.read_text("utf-8")))
