"""The register of rules: every line of a game's checklist, what became of it, and which tests name it.

A test names a rule by its function's name, `test_<section>__<n>_…` with `_` for the section's dots
(`test_6_1__10_equal_totals_cost_nobody` names FWW-6.1-10), or by the full id in its docstring.
A conformance case is named `test_<letter>_<n>_…` (`test_w_04_…`, `test_c_23_…`).
A test that is skipped or expected to fail names nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from pydantic import StringConstraints
from pydantic.dataclasses import dataclass as strict_dataclass

from engine.kernel.errors import PackError
from engine.kernel.pack import STRICT, Names, PackTable, read_rows

RuleId: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[A-Z]+-[0-9A-Z]+(\.[0-9A-Z]+[a-z]?)*-[0-9]+[a-z]?$")
]
Switch: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Status: TypeAlias = Literal["implemented", "option", "not_applicable", "unimplemented"]
TestFunction: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

FILE = "rulebook.toml"
MOST_NOT_APPLICABLE = 5  # per cent of all rules

_RULE_TEST = re.compile(r"^test_([0-9a-z]+(?:_[0-9a-z]+)*)__([0-9]+[a-z]?)(?:_|$)")
_NUMBER = re.compile(r"[0-9]+[A-Z]?")
_CASE_TEST = re.compile(r"^test_([a-z])_?([0-9]+)(?:_|$)")
_NO_PROOF = ("skip", "skipif", "xfail")


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Rule:
    """A line of the checklist. `ruling`: the rulebook leaves it open; `switch`: the setting that turns it."""

    id: RuleId
    title: Names
    status: Status
    ruling: bool = False
    reason: Names | None = None
    switch: Switch | None = None

    @property
    def section(self) -> str:
        return self.id.split("-")[1]

    @property
    def number(self) -> str:
        """Within its section, without zeros before it: "8", "10b"."""
        return _plain(self.id.split("-")[2])


@dataclass(frozen=True, slots=True)
class RegisterReport:
    """The register held against a folder of tests. All lists are sorted in the register's order."""

    untested: tuple[str, ...]  # implemented or option, and no test names it
    unknown: tuple[str, ...]  # "file::test names FWW-…", where no such rule is registered
    tests: Mapping[str, tuple[str, ...]]  # rule id -> tests that name it
    cases: Mapping[str, tuple[str, ...]]  # "W-04" -> tests that name it


@dataclass(frozen=True, slots=True, eq=False)
class Register:
    """All rules of a game, by id, in the checklist's order."""

    game: str  # the ids' first part: "FWW"
    rules: Mapping[str, Rule]

    def about(self, text: str) -> tuple[Rule, ...]:
        """What a player means by "6.5.1", "6.5.1-1", "fww-6.5.1-1" or "4.2": that rule, or that section."""
        asked = text.strip().upper().removeprefix(f"{self.game}-").rstrip(".")
        section, _, number = asked.partition("-")
        if _NUMBER.fullmatch(number):
            return tuple(rule for rule in self._in(section) if rule.number == _plain(number))
        parts = (rule for rule in self.rules.values() if rule.section.upper().startswith(f"{asked}."))
        return self._in(asked) or tuple(parts)

    def _in(self, section: str) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules.values() if rule.section.upper() == section)

    def ids(self, *statuses: Status) -> tuple[str, ...]:
        """The rules of which that became."""
        return tuple(rule.id for rule in self.rules.values() if rule.status in statuses)

    def has_too_many_not_applicable(self) -> bool:
        return len(self.ids("not_applicable")) * 100 > MOST_NOT_APPLICABLE * len(self.rules)

    def report(self, tests: Path, own: Path | None = None) -> RegisterReport:
        """Which rules the tests under that folder name; `own`: where names of functions mean this game."""
        by_name = {
            (rule.section.lower().replace(".", "_"), rule.number): rule.id for rule in self.rules.values()
        }
        full_id = re.compile(rf"\b{self.game}-[0-9A-Z]+(?:\.[0-9A-Z]+[a-z]?)*-[0-9]+[a-z]?\b")
        named: dict[str, list[str]] = {}
        cases: dict[str, list[str]] = {}
        unknown: list[str] = []
        for path in sorted(tests.rglob("test_*.py")):
            mine = own is None or path.is_relative_to(own)
            for function in proving_tests(path):
                where = f"{path.name}::{function.name}"
                ids = set(full_id.findall(ast.get_docstring(function) or ""))
                if mine and (found := _RULE_TEST.match(function.name)):
                    section, number = found[1], _plain(found[2])
                    ids.add(
                        by_name.get((section, number), f"{self.game}-{section.replace('_', '.')}-{number}")
                    )
                elif mine and (found := _CASE_TEST.match(function.name)):
                    cases.setdefault(f"{found[1].upper()}-{found[2]}", []).append(where)
                for one in sorted(ids):
                    if one in self.rules:
                        named.setdefault(one, []).append(where)
                    else:
                        unknown.append(f"{where} names {one}")
        return RegisterReport(
            untested=tuple(rule for rule in self.ids("implemented", "option") if rule not in named),
            unknown=tuple(unknown),
            tests=_frozen(named),
            cases=_frozen(cases),
        )


def load_register(file: Path) -> Register:
    """Read a rulebook.toml strictly; every mistake is a PackError that names file, table and key."""
    rules: tuple[Rule, ...] = read_rows(PackTable("rule", FILE, Rule, key=("id",)), file)
    if not rules:
        raise PackError(file.name, "rule", "id", "no rule is registered")
    game = rules[0].id.split("-")[0]
    for rule in rules:
        if rule.id.split("-")[0] != game:
            raise PackError(file.name, "rule", f"{rule.id}.id", f"the other rules are called {game}-…")
        if rule.reason is None and (rule.ruling or rule.status == "not_applicable"):
            raise PackError(file.name, "rule", f"{rule.id}.reason", "missing")
        if rule.switch is None and rule.status == "option":
            raise PackError(file.name, "rule", f"{rule.id}.switch", "missing")
    return Register(game, MappingProxyType({rule.id: rule for rule in rules}))


def proving_tests(path: Path) -> Iterator[TestFunction]:
    """The test functions of a file, in classes too, that are neither skipped nor expected to fail."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    if not any(_is_mark(node) for node in tree.body):
        yield from _proving(tree.body)


def _proving(body: list[ast.stmt]) -> Iterator[TestFunction]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            if not _is_switched_off(node):
                yield from _proving(node.body)
        elif isinstance(node, TestFunction) and node.name.startswith("test_") and not _is_switched_off(node):
            yield node


def _is_switched_off(node: TestFunction | ast.ClassDef) -> bool:
    return any(_names_no_proof(decorator) for decorator in node.decorator_list)


def _is_mark(node: ast.stmt) -> bool:
    """`pytestmark = pytest.mark.skip…`: the whole file is switched off."""
    if not isinstance(node, ast.Assign):
        return False
    targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
    return "pytestmark" in targets and _names_no_proof(node.value)


def _names_no_proof(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _NO_PROOF for part in ast.walk(node))


def _plain(number: str) -> str:
    return number.lower().lstrip("0") or "0"


def _frozen(lists: dict[str, list[str]]) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({name: tuple(lists[name]) for name in sorted(lists)})
