"""Small alterations of rule code: one comparison, one number or one branch at a time.

Only what can change behaviour is altered: annotations, decorators, docstrings, f-strings, assertions,
the words of an exception, log lines and what samples for bots stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["comparison", "number", "branch"]
KINDS: tuple[Kind, ...] = ("comparison", "number", "branch")

# A bound that moves by one, and a comparison turned round.
FLIPS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
SPOKEN = {"log", "logger", "logging", "print"}
UNTOUCHED = {"__repr__", "__str__", "__hash__"}
BOTS_CHANCE = "Rng"  # who takes one samples for bots; the rules know no chance but their own requests


@dataclass(frozen=True, slots=True)
class Mutant:
    """One alteration of one function: the bytes from `start` to `end` become `after`."""

    path: str
    function: str
    line: int
    kind: Kind
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.before}  →  {self.after}"


def mutants_of(path: str, source: bytes) -> dict[str, list[Mutant]]:
    """Every alteration of every function and method of a module, by the function's name."""
    tree = ast.parse(source, path)
    starts = _line_starts(source)
    found: dict[str, list[Mutant]] = {}
    for name, function in _functions(tree, ""):
        if function.name in UNTOUCHED or _samples(function):
            continue
        sites = [_mutant(path, name, starts, source, *site) for site in _sites_of(function)]
        if real := [mutant for mutant in sites if mutant is not None]:
            found[name] = real
    return found


def _samples(function: ast.FunctionDef) -> bool:
    arguments = [*function.args.args, *function.args.kwonlyargs]
    return any(a.annotation is not None and ast.unparse(a.annotation) == BOTS_CHANCE for a in arguments)


def _line_starts(source: bytes) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods; what is nested in a function belongs to it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.If) and not _is_type_checking(child.test):
            yield from _functions(child, prefix)


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name | ast.Attribute) and ast.unparse(test).endswith("TYPE_CHECKING")


Site = tuple[ast.expr, Kind, str]  # what is replaced, how the alteration is called, the new text


def _sites_of(function: ast.FunctionDef) -> Iterator[Site]:
    for default in (*function.args.defaults, *(d for d in function.args.kw_defaults if d is not None)):
        yield from _sites(default)
    for statement in function.body:
        yield from _sites(statement)


def _sites(node: ast.AST) -> Iterator[Site]:
    match node:
        case ast.Assert() | ast.Raise() | ast.JoinedStr() | ast.arguments():
            return
        case ast.Call(func=func) if _root(func) in SPOKEN | {"assert_never"}:
            return
        case ast.AnnAssign(value=value):
            if value is not None:
                yield from _sites(value)
            return
        case ast.FunctionDef() | ast.Lambda():
            for inner in node.body if isinstance(node, ast.FunctionDef) else [node.body]:
                yield from _sites(inner)
            return
        case ast.ClassDef():
            return
    yield from _own_sites(node)
    for child in ast.iter_child_nodes(node):
        yield from _sites(child)


def _own_sites(node: ast.AST) -> Iterator[Site]:
    match node:
        case ast.Compare():
            yield from _flipped(node)
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            yield node, "number", str(number + 1)
            if number > 0:
                yield node, "number", str(number - 1)
        case ast.BoolOp(op=op, values=values):
            swapped = ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield node, "branch", f"({ast.unparse(swapped)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, "branch", f"({ast.unparse(operand)})"
    for test in _conditions(node):
        yield test, "branch", f"not ({ast.unparse(test)})"


def _flipped(node: ast.Compare) -> Iterator[Site]:
    for place, op in enumerate(node.ops):
        for other in FLIPS[type(op)]:
            ops = [*node.ops[:place], other(), *node.ops[place + 1 :]]
            yield node, "comparison", ast.unparse(ast.Compare(node.left, ops, node.comparators))


def _conditions(node: ast.AST) -> list[ast.expr]:
    """What decides a branch here. A bare comparison or `not` is turned round by its own alteration."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            tests = [test]
        case ast.comprehension(ifs=ifs):
            tests = list(ifs)
        case ast.match_case(guard=ast.expr() as guard):
            tests = [guard]
        case _:
            tests = []
    return [test for test in tests if not _turned_elsewhere(test)]


def _turned_elsewhere(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))


def _root(func: ast.expr) -> str:
    while isinstance(func, ast.Attribute):
        func = func.value
    return func.id if isinstance(func, ast.Name) else ""


def _mutant(
    path: str, function: str, starts: list[int], source: bytes, node: ast.expr, kind: Kind, after: str
) -> Mutant | None:
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    mutant = Mutant(path, function, node.lineno, kind, start, end, source[start:end].decode(), after)
    try:
        compile(mutant.applied(source), path, "exec", dont_inherit=True)
    except SyntaxError:  # a number that may not stand there, such as one glued to a word
        return None
    return mutant
