"""The register of rules: strict reading, and every rule of every game named by a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.games import GAMES as REGISTERED
from engine.kernel.errors import PackError
from engine.kernel.register import FILE, Register, RegisterReport, Status, load_register

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.parents[1].name for path in ROOT.glob(f"engine/games/*/data/{FILE}"))


# ------------------------------------------------------------------ every game


def register_of(game: str) -> Register:
    return load_register(ROOT / "engine" / "games" / game / "data" / FILE)


def report_of(game: str) -> RegisterReport:
    register = register_of(game)
    (name,) = [name for name, module in REGISTERED.items() if module.split(".")[-2] == game]
    tests = ROOT / "tests" / "rules" / name
    assert tests.is_dir(), f"{game} has no folder of rule tests"
    return register.report(tests)


def test_there_are_games() -> None:
    assert "first_world_war" in GAMES


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_in_force_is_named_by_a_test(game: str) -> None:
    assert report_of(game).untested == ()


@pytest.mark.parametrize("game", GAMES)
def test_no_test_names_an_unknown_rule(game: str) -> None:
    assert report_of(game).unknown == ()


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_left_unimplemented(game: str) -> None:
    assert register_of(game).ids("unimplemented") == ()


@pytest.mark.parametrize("game", GAMES)
def test_few_rules_are_about_cardboard_only(game: str) -> None:
    assert not register_of(game).has_too_many_not_applicable()


# ------------------------------------------------------------------ reading


TITLE = 'title = { en = "t", fr = "t" }'
REASON = 'reason = { en = "because", fr = "parce que" }'


def rule(number: str, *lines: str, status: str = "implemented") -> str:
    return "\n".join(["[[rule]]", f'id = "{number}"', TITLE, f'status = "{status}"', *lines, ""])


def written(folder: Path, *rules: str) -> Path:
    file = folder / FILE
    file.write_text("\n".join(rules), encoding="utf-8")
    return file


MISTAKES = {
    "duplicate id": ((rule("X-1-1"), rule("X-1-1")), "X-1-1.id", "duplicate"),
    "not applicable without reason": ((rule("X-1-1", status="not_applicable"),), "X-1-1.reason", "missing"),
    "ruling without reason": ((rule("X-1-1", "ruling = true"),), "X-1-1.reason", "missing"),
    "reason in one language": ((rule("X-1-1", 'reason = { en = "e" }'),), "X-1-1.reason.fr", "missing"),
    "option without switch": ((rule("X-1-1", status="option"),), "X-1-1.switch", "missing"),
    "unknown status": ((rule("X-1-1", status="done"),), "X-1-1.status", "implemented"),
    "unknown key": ((rule("X-1-1", "rulling = true"),), "X-1-1.rulling", "unknown key"),
    "malformed id": ((rule("X-1"),), "X-1.id", "pattern"),
    "id of another game": ((rule("X-1-1"), rule("Y-1-2")), "Y-1-2.id", "X-"),
    "no rule": ((), "id", "no rule"),
    "title misspelt": ((rule("X-1-1").replace("title", "titel"),), "X-1-1.titel", "unknown key"),
    "title missing": ((rule("X-1-1").replace(TITLE, ""),), "X-1-1.title", "missing"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_file_table_and_key(kind: str, tmp_path: Path) -> None:
    rules, key, problem = MISTAKES[kind]
    with pytest.raises(PackError) as caught:
        load_register(written(tmp_path, *rules))
    assert (caught.value.file, caught.value.table, caught.value.key) == (FILE, "rule", key)
    assert problem in caught.value.problem


# ------------------------------------------------------------------ which tests name which rules


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return load_register(
        written(
            tmp_path,
            rule("X-6-1"),
            rule("X-6.1-1"),
            rule("X-6.1-10"),
            rule("X-6.1.2-3", 'switch = "often"', status="option"),
            rule("X-S-1"),
            rule("X-7-1", REASON, status="not_applicable"),
            rule("X-8-1", status="unimplemented"),
        )
    )


def report(register: Register, folder: Path, code: str) -> RegisterReport:
    tests = folder / "tests" / "deeper"
    tests.mkdir(parents=True)
    (tests / "test_x.py").write_text(code, encoding="utf-8")
    return register.report(folder / "tests")


def test_a_function_name_names_a_rule(register: Register, tmp_path: Path) -> None:
    code = """
def test_6_1__10_equal_totals(): assert True
def test_6__1_attack(): assert True
async def test_s__1(): assert True
class TestTiles:
    def test_6_1_2__03_padded_number(self): assert True
def rule_6_1__1_is_no_test(): assert True
"""
    found = report(register, tmp_path, code)
    assert dict(found.tests) == {
        "X-6-1": ("test_x.py::test_6__1_attack",),
        "X-6.1-10": ("test_x.py::test_6_1__10_equal_totals",),
        "X-6.1.2-3": ("test_x.py::test_6_1_2__03_padded_number",),
        "X-S-1": ("test_x.py::test_s__1",),
    }
    assert found.untested == ("X-6.1-1",)
    assert found.unknown == ()


def test_a_docstring_names_rules_by_full_id(register: Register, tmp_path: Path) -> None:
    code = 'def test_w_04_combat():\n    """X-6-1, X-6.1-1 and X-S-1; not Y-6.1-10, nor 6.1-10 alone."""\n'
    found = report(register, tmp_path, code)
    assert sorted(found.tests) == ["X-6-1", "X-6.1-1", "X-S-1"]
    assert dict(found.cases) == {"W-04": ("test_x.py::test_w_04_combat",)}


def test_an_unknown_rule_is_reported_with_its_test(register: Register, tmp_path: Path) -> None:
    code = 'def test_6_1__11_new(): assert True\ndef test_other():\n    """X-9.9-1"""\n'
    assert report(register, tmp_path, code).unknown == (
        "test_x.py::test_6_1__11_new names X-6.1-11",
        "test_x.py::test_other names X-9.9-1",
    )


@pytest.mark.parametrize(
    "mark",
    [
        "@pytest.mark.skip",
        "@pytest.mark.skip(reason='later')",
        "@pytest.mark.xfail(strict=True)",
        "@mark.skipif(1)",
    ],
)
def test_a_test_that_proves_nothing_names_nothing(register: Register, tmp_path: Path, mark: str) -> None:
    alone = f"{mark}\ndef test_6__1_attack(): assert True\n"
    code = f"{alone}{mark}\nclass TestS:\n    def test_s__1(self): assert True\n"
    assert dict(report(register, tmp_path, code).tests) == {}


def test_a_file_that_is_skipped_names_nothing(register: Register, tmp_path: Path) -> None:
    code = "pytestmark = pytest.mark.skip('later')\ndef test_6__1_attack(): assert True\n"
    assert dict(report(register, tmp_path, code).tests) == {}


def test_what_is_in_force_is_to_be_tested(register: Register, tmp_path: Path) -> None:
    found = report(register, tmp_path, "def test_6__1_attack(): assert True\n")
    statuses: tuple[Status, ...] = ("implemented", "option", "not_applicable", "unimplemented")
    assert [len(register.ids(status)) for status in statuses] == [4, 1, 1, 1]
    assert register.ids("unimplemented") == ("X-8-1",)
    assert found.untested == ("X-6.1-1", "X-6.1-10", "X-6.1.2-3", "X-S-1")


@pytest.mark.parametrize(("of", "too_many"), [(19, True), (20, False)])
def test_more_than_one_in_twenty_not_applicable_is_too_many(tmp_path: Path, of: int, too_many: bool) -> None:
    rules = [rule(f"X-1-{number}") for number in range(1, of)]
    rules.append(rule("X-2-1", REASON, status="not_applicable"))
    register = load_register(written(tmp_path, *rules))
    assert register.has_too_many_not_applicable() is too_many


# ------------------------------------------------------------------ what a player asks for


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("6.1", ["X-6.1-1", "X-6.1-10"]),
        ("6.1-10", ["X-6.1-10"]),
        ("x-6.1-10", ["X-6.1-10"]),
        (" s ", ["X-S-1"]),
        ("6.1.2.", ["X-6.1.2-3"]),
        ("6", ["X-6-1"]),
        ("9", []),
        ("", []),
    ],
)
def test_a_rule_is_found_by_section_or_number(register: Register, asked: str, answered: list[str]) -> None:
    assert [found.id for found in register.about(asked)] == answered


def test_a_section_without_rules_of_its_own_answers_with_its_parts(tmp_path: Path) -> None:
    register = load_register(written(tmp_path, rule("X-4.2.1-1"), rule("X-4.2.2-1"), rule("X-4.20-1")))
    assert [found.id for found in register.about("4.2")] == ["X-4.2.1-1", "X-4.2.2-1"]


def test_a_section_may_end_in_a_small_letter_and_a_number_be_padded(tmp_path: Path) -> None:
    register = load_register(
        written(tmp_path, rule("X-2.II.4-01"), rule("X-2.II.4a-01"), rule("X-2.II.4a-02"))
    )
    assert [found.id for found in register.about("2.ii.4a")] == ["X-2.II.4a-01", "X-2.II.4a-02"]
    assert [found.id for found in register.about("2.II.4a-1")] == ["X-2.II.4a-01"]
    assert [found.id for found in register.about("2.II.4")] == ["X-2.II.4-01"]
    code = 'def test_2_ii_4a__1_surprise(): assert True\ndef test_guns():\n    """X-2.II.4a-02"""\n'
    found = report(register, tmp_path, code)
    assert found.untested == ("X-2.II.4-01",)
    assert found.unknown == ()
