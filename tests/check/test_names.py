"""One word, one meaning: a public name is defined in one module only, or there is a reason."""

from __future__ import annotations

from tests.check.house import ROOT, repeated_names, sources

TREES = ("pbem", "worker", "engine/kernel", "engine/notation")
CHECKER = "pbem/verify_dice.py"  # travels alone, so it repeats what it needs of the dice
TASK = "a task carries the name of the work that it calls"
REASONS = {
    "adjudicate": TASK,
    "main": "what `python -m` starts, one in each program",
    "sweep": TASK,
}


def code() -> list[tuple[str, str]]:
    paths = [path.relative_to(ROOT).as_posix() for path in sources(*TREES)]
    return [
        (path, (ROOT / path).read_text("utf-8"))
        for path in paths
        if path != CHECKER and "/migrations/" not in path
    ]


def test_a_name_has_one_meaning() -> None:
    unexplained = {name: where for name, where in repeated_names(code()).items() if name not in REASONS}
    assert {} == unexplained


def test_no_reason_outlives_its_name() -> None:
    assert set(REASONS) == set(repeated_names(code())) & set(REASONS)


def test_a_repeated_name_is_noticed() -> None:
    files = [("pbem/a.py", "class Reader: ..."), ("worker/b.py", "def Reader(): ...\ndef _own(): ...")]
    assert {"Reader": ("pbem.a", "worker.b")} == repeated_names(files)
    assert {} == repeated_names([("pbem/a.py", "def _own(): ..."), ("pbem/b.py", "def _own(): ...")])
