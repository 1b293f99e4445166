"""French as it is printed: one apostrophe, in everything but what players type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.resources import templates_folder

EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")
STRAIGHT = re.compile(r"[^\W\d_]'[^\W\d_]")
FOLDER = templates_folder()
FRENCH = [
    path
    for path in sorted((*FOLDER.glob("phrases/*/fr.toml"), *FOLDER.glob("phrases/common/fr/*.toml")))
    if path.parent.name != "trench"
]


@pytest.mark.parametrize("path", FRENCH, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_french_prose_has_one_apostrophe(path: Path) -> None:
    prose = EXPRESSION.sub("", path.read_text("utf-8"))
    assert not [line for line in prose.splitlines() if STRAIGHT.search(line)]
