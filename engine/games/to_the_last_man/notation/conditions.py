"""IF: what an order may hang on. Read when the question comes, from the sender's own knowledge only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from engine.games.to_the_last_man.notation import sight
from engine.games.to_the_last_man.notation.lexicon import Cursor, Pen
from engine.games.to_the_last_man.notation.words import CLAUSES, FLAGS, LOGIC, NAMES
from engine.games.to_the_last_man.view import View
from engine.kernel.requests import Ask
from engine.notation.reasons import NOTATION, illegal
from engine.notation.words import COMPARE, symbol_table

MOST = 99  # the largest number a condition compares with

_NAMES, _FLAGS = symbol_table(NAMES), symbol_table(FLAGS)
_NOT = symbol_table(LOGIC)
_AND, _OR = symbol_table(CLAUSES, only=["AND"]), symbol_table(CLAUSES, only=["OR"])

OF_AN_AREA = frozenset(
    {
        "OWN", "ENEMY", "OWNPIECES", "ENEMYPIECES", "OWNINF", "FORT",
        "ATTACKED", "ENEMYINF", "ENEMYCAV", "ENEMYAIR",
    }
)  # fmt: skip
WITH_AREA = frozenset({"WON", "LOST", "HELD"})


@dataclass(frozen=True, slots=True)
class Term:
    """A number, a name, or a number of times a name."""

    factor: int = 1
    name: str = ""  # '': the factor itself

    def value(self, ask: Ask, view: View, area: str) -> int:
        return self.factor * _VALUES[self.name](ask, view, area) if self.name else self.factor

    def write(self, pen: Pen) -> str:
        if not self.name:
            return str(self.factor)
        name = pen.word("name", self.name)
        return name if self.factor == 1 else f"{self.factor}*{name}"


@dataclass(frozen=True, slots=True)
class Comparison:
    left: Term
    operator: str
    right: Term

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(term.name for term in (self.left, self.right) if term.name)

    def holds(self, ask: Ask, view: View, area: str) -> bool:
        return COMPARE[self.operator](self.left.value(ask, view, area), self.right.value(ask, view, area))

    def write(self, pen: Pen) -> str:
        return f"{self.left.write(pen)}{self.operator}{self.right.write(pen)}"


@dataclass(frozen=True, slots=True)
class Flag:
    flag: str
    area: str = ""  # of WON, LOST, HELD
    negated: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (self.flag,)

    def holds(self, ask: Ask, view: View, area: str) -> bool:
        return _FLAG_TESTS[self.flag](ask, view, self.area or area) is not self.negated

    def write(self, pen: Pen) -> str:
        word = pen.word("flag", self.flag) + (f"({self.area})" if self.area else "")
        return f"{pen.word('logic', 'NOT')} {word}" if self.negated else word


Test: TypeAlias = Comparison | Flag
Condition: TypeAlias = tuple[tuple[Test, ...], ...]  # any of these, in which all hold


def holds(condition: Condition, ask: Ask, view: View, area: str) -> bool:
    return any(all(test.holds(ask, view, area) for test in every) for every in condition)


def write_condition(condition: Condition, pen: Pen) -> str:
    and_, or_ = f" {pen.clause('AND')} ", f" {pen.clause('OR')} "
    return or_.join([and_.join([test.write(pen) for test in every]) for every in condition])


def names_in(condition: Condition) -> tuple[str, ...]:
    return tuple(name for every in condition for test in every for name in test.names)


# ------------------------------------------------------------------ what the names mean


def _battles(ask: Ask, view: View, area: str) -> int:
    return len(ask.given.battle_areas() or view.battles)


_VALUES: Mapping[str, Callable[[Ask, View, str], int]] = {
    "OWN": lambda ask, view, area: sight.strength(view, area, view.side),
    "ENEMY": lambda ask, view, area: sight.strength(view, area, sight.enemy(view)),
    "OWNPIECES": lambda ask, view, area: sight.pieces(view, area, view.side),
    "ENEMYPIECES": lambda ask, view, area: sight.pieces(view, area, sight.enemy(view)),
    "OWNINF": lambda ask, view, area: sight.infantry(view, area, view.side),
    "HITS": lambda ask, view, area: int(ask.given.hits),
    "HAND": lambda ask, view, area: len(view.hand),
    "OPPHAND": lambda ask, view, area: view.hand_sizes[sight.enemy(view)],
    "BATTLES": _battles,
    "FORT": lambda ask, view, area: view.forts.get(area, 0),
    "VP": lambda ask, view, area: view.victory.total,
}


def _attacked(ask: Ask, view: View, area: str) -> bool:
    """A battle was declared there by the other side."""
    return view.phasing == sight.enemy(view) and area in (ask.given.battle_areas() or view.battles)


def _sees(type_: str) -> Callable[[Ask, View, str], bool]:
    def test(ask: Ask, view: View, area: str) -> bool:
        kinds = sight.seen_units(view, area, sight.enemy(view))
        return any(sight.type_of(kind) == type_ for kind, _ in kinds)

    return test


def _enemy_infantry(ask: Ask, view: View, area: str) -> bool:
    """Ruling: an army that cannot be looked into is taken to hold infantry, as nearly every army does."""
    side = sight.enemy(view)
    return sight.infantry(view, area, side) > 0 or sight.closed_armies(view, area, side)


_FLAG_TESTS: Mapping[str, Callable[[Ask, View, str], bool]] = {
    "ATTACKED": _attacked,
    "ENEMYINF": _enemy_infantry,
    "ENEMYCAV": _sees("C"),
    "ENEMYAIR": _sees("B"),
    "WEATHER": lambda ask, view, area: view.weather,
    "OPPPASSED": lambda ask, view, area: view.passes > 0,
    "WON": lambda ask, view, area: area in view.fought and view.status[area] == "friendly",
    "LOST": lambda ask, view, area: area in view.fought and view.status[area] == "enemy",
    "HELD": lambda ask, view, area: view.status[area] in ("friendly", "disputed"),
}


# ------------------------------------------------------------------ reading


def read_condition(cursor: Cursor) -> Condition:
    """test {AND test} {OR test …}; the IF has been passed."""
    any_of = [_read_all_of(cursor)]
    while cursor.accepts(_OR):
        any_of.append(_read_all_of(cursor))
    return tuple(any_of)


def _read_all_of(cursor: Cursor) -> tuple[Test, ...]:
    tests = [_read_test(cursor)]
    while cursor.accepts(_AND):
        tests.append(_read_test(cursor))
    return tuple(tests)


def _read_test(cursor: Cursor) -> Test:
    negated = cursor.accepts(_NOT)
    if negated or (cursor.seen in _FLAGS):
        flag = cursor.expect(_FLAGS, "condition")
        return Flag(flag, _read_bracket(cursor) if flag in WITH_AREA else "", negated)
    left = _read_term(cursor)
    operator = cursor.operator()
    return Comparison(left, operator, _read_term(cursor))


def _read_bracket(cursor: Cursor) -> str:
    bracket = cursor.skips("(")
    area = cursor.area()
    if bracket:
        cursor.sign(")", "bracket")
    return area


def _read_term(cursor: Cursor) -> Term:
    number = cursor.number(0, MOST) if cursor.sees_number() else None
    if number is not None and not cursor.skips("*"):
        return Term(number)
    name = cursor.accept(_NAMES)
    if name is None:
        raise cursor.astray("condition", _NAMES, _FLAGS)
    return Term(1 if number is None else number, name)


def refuse_unknowable(condition: Condition, has_area: bool, unknown: frozenset[str], hidden: bool) -> None:
    """Raises Misread for what the seat cannot know, or what makes no sense, when the order is read."""
    for name in names_in(condition):
        if name in unknown:
            raise illegal(NOTATION, "unknown-by-then", {"condition": name})
        if name in OF_AN_AREA and not has_area:
            raise illegal(NOTATION, "no-area", {"condition": name})
        if name == "OPPHAND" and hidden:
            raise illegal("TTLM-11.2-01", "hidden", {"condition": name})
