"""Where the files that are not code lie."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def templates_folder() -> Path:
    """The folder of letters, phrases, maps and help texts.

    In a source tree (also an editable install) it is `templates/` beside the package `pbem`;
    a wheel carries the same folder inside the package, as `pbem/_templates`.
    """
    for folder in (_PACKAGE / "_templates", _PACKAGE.parent / "templates"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no templates beside or inside {_PACKAGE}")
