"""The script of a demo, from `templates/demo/<game>.toml`: who plays and what they write."""

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


class ScriptedLetter(_Strict):
    """A letter prepared for a window, or for every window of a kind."""

    window: str
    text: str = ""
    then: str = ""  # the reply to the service's answer
    forgets: bool = False  # the player sends nothing


class Player(_Strict):
    name: str
    user: str
    language: Language
    zone: str
    client: Client
    letters: tuple[ScriptedLetter, ...]

    def letter_for(self, window: str) -> ScriptedLetter | None:
        """The letter for this very window, otherwise the one for its kind."""
        kind = window.partition(".")[2]
        letters = {letter.window: letter for letter in reversed(self.letters)}
        return letters.get(window) or letters.get(kind)


class DemoScript(_Strict):
    game: str
    campaign: str
    tempo: str
    players: int
    umpire: str
    options: Mapping[str, Any]
    clock: Mapping[str, Any]
    people: Mapping[str, Player]  # by seat


def read_script(game: str) -> DemoScript:
    path = templates_folder() / "demo" / f"{game}.toml"
    return DemoScript.model_validate(tomllib.loads(path.read_text("utf-8")))
