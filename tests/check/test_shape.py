"""Size and names: no module above 500 lines, no function above 50, nothing unfinished."""

from __future__ import annotations

from pathlib import Path

from tests.check.house import (
    FUNCTION_LINES,
    MODULE_LINES,
    PACKAGES,
    ROOT,
    Breach,
    name_breaches,
    size_breaches,
    sources,
    unfinished,
)

WORDS = {".py", ".toml", ".j2", ".txt", ".md", ".yaml", ".yml", ".sh", ""}


def test_modules_and_functions_stay_small() -> None:
    found: list[Breach] = []
    for path in sources(*PACKAGES, "tests"):
        found += size_breaches(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    assert [] == [str(breach) for breach in found]


def test_modules_are_named_after_what_they_know() -> None:
    found: list[Breach] = []
    for path in sources(*PACKAGES, "tests"):
        found += name_breaches(path.relative_to(ROOT).as_posix())
    assert [] == [str(breach) for breach in found]


def test_nothing_is_marked_unfinished() -> None:
    found: list[Breach] = []
    for path in written():
        found += unfinished(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    assert [] == [str(breach) for breach in found]


def written() -> list[Path]:
    """Every file in words or code below our own folders, and the documents beside them."""
    tops = [ROOT / top for top in (*PACKAGES, "templates", "tests", "deploy", "docs")]
    below = [path for top in tops for path in top.rglob("*") if "__pycache__" not in path.parts]
    return sorted(path for path in (*ROOT.glob("*.md"), *below) if path.is_file() and path.suffix in WORDS)


def test_a_long_module_is_noticed() -> None:
    assert not list(size_breaches("engine/a.py", "x = 1\n" * MODULE_LINES))
    assert list(size_breaches("engine/a.py", "x = 1\n" * (MODULE_LINES + 1)))
    assert list(size_breaches("tests/a.py", "x = 1\n" * (MODULE_LINES + 1)))


def test_a_long_function_is_noticed() -> None:
    fits = "class A:\n    async def f(self):\n" + "        x = 1\n" * (FUNCTION_LINES - 1)
    assert not list(size_breaches("engine/a.py", fits))
    assert list(size_breaches("engine/a.py", fits + "        y = 2\n"))
    assert not list(size_breaches("tests/a.py", fits + "        y = 2\n"))


def test_an_idle_name_is_noticed() -> None:
    for path in ("engine/utils.py", "pbem/mail_helpers.py", "pbem/manager/post.py", "tests/Helper.py"):
        assert list(name_breaches(path)), path
    assert not list(name_breaches("pbem/mail/smtp.py"))


def test_a_mark_of_unfinished_work_is_noticed() -> None:
    for mark in ("TO" + "DO", "FIX" + "ME"):
        assert list(unfinished("a.py", f"x = 1  # {mark}: later"))
    assert not list(unfinished("a.py", "x = 1  # method, fixed"))
