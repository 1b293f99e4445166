"""The mutation tool, proved on a game of a few lines."""

from __future__ import annotations

import ast
import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.mutants import __main__ as tool
from tests.mutants.alter import Mutant, mutants_of
from tests.mutants.draw import draw, rule_files
from tests.mutants.trial import BadSuite, Copy, Suite, baseline, diff, trials

RULES = '''"""Pebbles: take one to three."""


def may_take(pile: int, pebbles: int) -> bool:
    """1.1 One to three pebbles, and no more than lie there."""
    return 1 <= pebbles <= 3 and pebbles <= pile


def is_lost(pile: int) -> bool:
    """1.2 Who finds one pebble has lost."""
    if pile == 1:
        return True
    return False


def bonus(pile: int) -> int:
    """1.3 Nobody tests this one."""
    return 7 if pile > 100 else 0


def countdown(pile: int) -> int:
    """1.4 Rounds until nothing lies there."""
    rounds = 0
    while pile > 0:
        pile -= 1
        rounds += 1
    return rounds
'''
TEST_FILE = "tests/rules/pebbles/test_take.py"
TESTS = """from engine.games.pebbles.rules.take import countdown, is_lost, may_take


def test_1_1_one_to_three():
    assert [n for n in range(6) if may_take(9, n)] == [1, 2, 3]
    assert [n for n in range(6) if may_take(2, n)] == [1, 2]


def test_1_2_one_pebble_left():
    assert is_lost(1) and not is_lost(2) and not is_lost(0)


def test_1_4_countdown():
    assert countdown(3) == 3
"""


@pytest.fixture
def pebbles(tmp_path: Path) -> Path:
    """A tree with one small game and tests that leave one function out."""
    files = {
        "engine/games/pebbles/rules/take.py": RULES,
        "engine/games/pebbles/bot.py": "def play(pile):\n    return 1 if pile > 1 else 0\n",
        TEST_FILE: TESTS,
    }
    tree = tmp_path / "tree"
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, "utf-8")
    for package in ("engine", "engine/games", "engine/games/pebbles", "engine/games/pebbles/rules"):
        (tree / package / "__init__.py").write_text("", "utf-8")
    return tree


def alterations(source: str) -> set[str]:
    """All altered forms of the body of a function, written shortly."""
    text = f"def f(a: int = 0) -> int:\n    {source}\n".encode()
    mutants = mutants_of("f.py", text).get("f", [])
    return {m.applied(text).decode().split("\n", 1)[1].strip() for m in mutants if m.start > 20}


@pytest.mark.parametrize(
    ("source", "altered"),
    [
        ("return a < b", {"return a <= b", "return a >= b"}),
        ("return a == b", {"return a != b"}),
        ("return (a) in (b)", {"return (a not in b)"}),
        ("return a is None", {"return a is not None"}),
        ("return 1", {"return 2", "return 0"}),
        ("return x[0]", {"return x[1]"}),
        ("return a and b", {"return (a or b)"}),
        ("return not a", {"return (a)"}),
        ("return 'ü', a == b", {"return 'ü', a != b"}),
        ("if a: return", {"if not (a): return"}),
        ("while (b := g()): h(b)", {"while (not ((b := g()))): h(b)"}),
        ("return [x for x in y if x]", {"return [x for x in y if not (x)]"}),
        ("return b if a else c", {"return b if not (a) else c"}),
        ("if not a: return", {"if (a): return"}),
    ],
)
def test_each_kind_of_alteration(source: str, altered: set[str]) -> None:
    found = alterations(source)
    assert {ast.unparse(ast.parse(f"def f():\n {s}")) for s in found} == {
        ast.unparse(ast.parse(f"def f():\n {s}")) for s in altered
    }


@pytest.mark.parametrize(
    "source",
    [
        '"""1 < 2"""',
        "b: Literal[1] = a",
        "assert a < 1",
        "raise ValueError(a < 1)",
        "return f'{a < 1}'",
        "logger.info(1)",
        "return True",
        "pass",
    ],
)
def test_what_cannot_change_behaviour_is_left_alone(source: str) -> None:
    assert alterations(source) == set()


def test_a_number_in_an_annotation_or_decorator_is_left_alone() -> None:
    source = b"@cache(3)\ndef f(a: Literal[1]) -> Literal[2]:\n    return a\n"
    assert mutants_of("f.py", source) == {}


def test_what_samples_for_bots_is_left_alone() -> None:
    source = b"def sample(self, rng: Rng):\n    return rng.randrange(6)\n"
    assert mutants_of("f.py", source) == {}
    assert mutants_of("f.py", source.replace(b"Rng", b"Die"))


def test_the_nearest_tests_come_first_and_none_is_left_out(pebbles: Path) -> None:
    suite = Suite({"t/test_a.py": 9.0, "t/test_b.py": 1.0, "t/test_take_more.py": 20.0})
    assert ["t/test_take_more.py", "t/test_b.py", "t/test_a.py"] == suite.ordered_for(
        mutant_in(pebbles, "bonus", "8")
    )


def test_nested_functions_and_methods_are_found() -> None:
    source = b"class A:\n    def f(self):\n        def g():\n            return 1\n        return g\n"
    assert {"A.f"} == set(mutants_of("f.py", source))


def test_every_alteration_differs_and_compiles(pebbles: Path) -> None:
    source = RULES.encode()
    for mutants in mutants_of("take.py", source).values():
        for mutant in mutants:
            assert ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source)), mutant


def test_the_draw_is_the_same_each_time_and_leaves_bots_out(pebbles: Path) -> None:
    folder = pebbles / "engine/games/pebbles"
    assert ["take.py"] == [path.name for path in rule_files(folder)]
    once = draw(pebbles, folder, 4, "pebbles/1")
    assert once == draw(pebbles, folder, 4, "pebbles/1")
    assert {"may_take", "is_lost", "bonus", "countdown"} == {mutant.function for mutant in once}
    seeds = {tuple(draw(pebbles, folder, 4, f"pebbles/{n}")) for n in range(10)}
    assert len(seeds) > 5
    assert 12 == len(draw(pebbles, folder, 12, "pebbles/1"))


def test_an_edit_elsewhere_leaves_the_drawn_mutants(pebbles: Path) -> None:
    folder = pebbles / "engine/games/pebbles"
    before = {(m.function, m.before, m.after) for m in draw(pebbles, folder, 4, "pebbles/1")}
    (folder / "rules/more.py").write_text("def more(x):\n    return x > 5\n", "utf-8")
    after = {(m.function, m.before, m.after) for m in draw(pebbles, folder, 5, "pebbles/1")}
    assert before < after


def mutant_in(tree: Path, function: str, after: str) -> Mutant:
    path = "engine/games/pebbles/rules/take.py"
    (found,) = [m for m in mutants_of(path, (tree / path).read_bytes())[function] if m.after == after]
    return found


def test_killed_survived_and_out_of_time(pebbles: Path, tmp_path: Path) -> None:
    copy = Copy.of(pebbles, tmp_path / "copy")
    suite, _ = baseline(copy, ["tests/rules/pebbles"], 60)
    assert [TEST_FILE] == list(suite.files)
    killed = copy.try_out(mutant_in(pebbles, "is_lost", "pile != 1"), suite, 60)
    assert ("killed", True) == (killed.verdict, killed.noticed)
    assert killed.by.endswith("test_1_2_one_pebble_left")
    survived = copy.try_out(mutant_in(pebbles, "bonus", "8"), suite, 60)
    assert ("survived", False) == (survived.verdict, survived.noticed)
    endless = copy.try_out(mutant_in(pebbles, "countdown", "pile >= 0"), suite, 60)
    assert "killed" == endless.verdict
    assert RULES == (copy.tree / "engine/games/pebbles/rules/take.py").read_text("utf-8")
    assert RULES == (pebbles / "engine/games/pebbles/rules/take.py").read_text("utf-8")


def test_a_loop_without_end_is_stopped(pebbles: Path, tmp_path: Path) -> None:
    copy = Copy.of(pebbles, tmp_path / "copy")
    (endless,) = [
        m
        for m in mutants_of("engine/games/pebbles/rules/take.py", RULES.encode())["countdown"]
        if m.after == "0" and m.before == "1" and m.line == 25
    ]
    outcome = copy.try_out(endless, Suite({TEST_FILE: 1.0}), 3)
    assert ("timeout", True) == (outcome.verdict, outcome.noticed)


def test_two_at_a_time_and_the_report(pebbles: Path, tmp_path: Path) -> None:
    copies = [Copy.of(pebbles, tmp_path / name) for name in ("a", "b")]
    wanted = [mutant_in(pebbles, "bonus", "8"), mutant_in(pebbles, "is_lost", "pile != 1")]
    outcomes = list(trials(copies, wanted, Suite({TEST_FILE: 1.0}), 60))
    assert {"survived", "killed"} == {outcome.verdict for outcome in outcomes}
    shown = io.StringIO()
    assert 1 == tool.report(pebbles, outcomes, Console(file=shown, width=200))
    assert "noticed 1 of 2" in shown.getvalue()
    assert diff(pebbles, wanted[0]) in shown.getvalue()
    assert 0 == tool.report(pebbles, [o for o in outcomes if o.noticed], Console(file=shown))


def test_tests_that_fail_by_themselves_are_refused(pebbles: Path, tmp_path: Path) -> None:
    (pebbles / "tests/rules/pebbles/test_take.py").write_text("def test_1_1():\n    assert 0\n", "utf-8")
    with pytest.raises(BadSuite):
        baseline(Copy.of(pebbles, tmp_path / "copy"), ["tests/rules/pebbles"], 60)
    with pytest.raises(BadSuite):
        baseline(Copy.of(pebbles, tmp_path / "other"), ["tests/rules/nothing"], 60)
