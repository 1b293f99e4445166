"""From a text to lines and refusals: one or the other for every line that says anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.notation import known
from engine.games.first_world_war.notation.conditions import SPARE, Condition, read_condition
from engine.games.first_world_war.notation.grammar import READERS
from engine.games.first_world_war.notation.lexicon import Cursor, Lexicon, Pen, lexicon
from engine.games.first_world_war.notation.lines import (
    Branch,
    CancelLine,
    OptionsLine,
    OrderLine,
    Switch,
    alternatives,
    deploying_together,
    depth,
    said_after,
)
from engine.games.first_world_war.notation.orders import AttackOrder, DeployOrder, Order, PassOrder
from engine.games.first_world_war.notation.policies import AskWhenAttacked, Defend, Grant
from engine.games.first_world_war.notation.troops import Troops, refuse_repetition
from engine.games.first_world_war.notation.words import (
    CLAUSES,
    OPTION_NAMES,
    PLANNING,
    SCANNER,
    SWITCHES,
    VALUES,
    VERBS,
    VOCABULARY,
)
from engine.games.first_world_war.tables import Rulings
from engine.games.first_world_war.view import View
from engine.kernel.game import Line
from engine.notation import lines
from engine.notation.cursor import END
from engine.notation.reasons import NOTATION, ambiguous, illegal, unreadable
from engine.notation.scan import one_word
from engine.notation.words import symbol_table

DEEPEST: Final = 2  # an IF inside an IF, and no further
MOST_LINES: Final = 10_000  # line numbers a CANCEL may name
MOST_DEPLOYMENTS: Final = 50  # DEPLOY lines of a letter: they are read together, so each costs all the others

_VERBS = symbol_table(VERBS)
_IF, _THEN, _ELSE = (symbol_table(CLAUSES, only=[symbol]) for symbol in ("IF", "THEN", "ELSE"))
_ALL = symbol_table(VALUES, only=["ALL"])
_SWITCHES = symbol_table(SWITCHES)
_PLANNED = re.compile(r"C[0-9]+")


class Reader(lines.Reader[Line]):
    """One text, one view."""

    scanner, vocabulary = SCANNER, VOCABULARY
    view: View

    def __init__(self, text: str, view: View) -> None:
        super().__init__(text, view)
        self._lexicon: Lexicon = lexicon(view.pack)
        self._alliance = view.pack.alliance_of[view.factions[0]]
        self._rounds: dict[Faction, tuple[int, int]] = {}
        self._defences: dict[str, Order] = {}  # by slot
        self._deployed: dict[Faction, Troops] = {}  # named without a condition
        self._deployments = 0

    def lines(self) -> list[Line]:
        return deploying_together(super().lines())

    def refuse_contradictions(self, lines: Sequence[Line]) -> None:
        """D4 A round's orders are tried in sequence; none behind a PASS ever is."""
        super().refuse_contradictions(lines)
        rounds: dict[tuple[Faction, int, int], list[OrderLine]] = {}
        for line in lines:
            if isinstance(line, OrderLine) and line.order.in_rounds:
                rounds.setdefault((line.faction, line.turn, line.cycle), []).append(line)
        for tried in rounds.values():
            self.refuse_behind(tried, _passes)

    def read_line(self, words: list[str], number: int) -> tuple[Line, ...]:
        """None, one, or for GRANT MEF OR one for each army."""
        cursor = Cursor(words, self._lexicon, self._alliance)
        faction, cycle = self._read_prefixes(cursor)
        errand = _ERRANDS.get(_VERBS.get(cursor.seen, ""))
        if errand is not None:
            if cycle:
                raise unreadable("cycle-out-of-place", {"cycle": cycle})
            cursor.step()
            line = errand(cursor, number)
            _expect_end(cursor)
            return (line,)
        order = read_order(cursor)
        _expect_end(cursor)
        if cycle and not order.in_rounds:
            raise unreadable("cycle-out-of-place", {"cycle": cycle})
        return tuple(self._heard(self._line(one, faction, cycle, number)) for one in apart(order))

    def _read_prefixes(self, cursor: Cursor) -> tuple[Faction | None, int]:
        """DE C2: … in this order or the other."""
        faction: Faction | None = None
        cycle = 0
        while True:
            word = cursor.seen
            if word in self._lexicon.factions:
                if faction is not None:
                    raise unreadable("faction-twice", {"word": word})
                faction = cursor.expect(self._lexicon.factions, "faction")
            elif word in PLANNING and not cycle:
                cycle = cursor.expect(PLANNING, "order")
            elif _PLANNED.fullmatch(word):
                most = len(PLANNING)
                raise unreadable("out-of-range", {"number": word[1:10], "least": 1, "most": most})
            else:
                return faction, cycle
            cursor.skips(":")

    def _line(self, order: Order, faction: Faction | None, cycle: int, number: int) -> OrderLine:
        view = self.view
        faction = self._faction(order, faction, cycle)
        named = len(view.factions) > 1
        if order.in_rounds:
            turn, coming = self._next_round(faction)
            return OrderLine(order, faction, named, turn, cycle or coming, 0, number, self._lexicon)
        if order.deploys:
            turn = known.next_deployment(view)
            return OrderLine(order, faction, named, turn, number=number, lexicon=self._lexicon)
        if order.at_once:
            turn = view.turn + (view.phase in known.EARLY)
            return OrderLine(order, faction, named, turn, 0, view.round, number, self._lexicon)
        return OrderLine(order, faction, named, number=number, lexicon=self._lexicon)

    def _heard(self, line: OrderLine) -> OrderLine:
        """The line in the light of those above it."""
        if line.order.topics == DeployOrder.topics:
            self._deploy(line)
        if line.order.topics == Defend.topics:
            return self._defending(line)
        return line

    def _deploy(self, line: OrderLine) -> None:
        """4.2.1-3 What an unconditional line above names is placed; behind an IF it may be named again."""
        self._deployments += 1
        if self._deployments > MOST_DEPLOYMENTS:
            raise unreadable("too-many-deployments", {"most": MOST_DEPLOYMENTS})
        above = self._deployed.get(line.faction, ())
        for order in alternatives(line.order):
            assert isinstance(order, DeployOrder), "branches answer the same question"
            named = tuple(word for group in order.everybody() for word in group.troops)
            refuse_repetition([above, named], "FWW-4.2.1-3")
            if order is line.order:
                self._deployed[line.faction] = above + named

    def _defending(self, line: OrderLine) -> OrderLine:
        """D6, D9 What was said of that front above still counts in what this line leaves open."""
        slot = line.slot()
        above = self._defences.get(slot)
        order = line.order if above is None else said_after(above, line.order)
        if depth(order) > DEEPEST:
            raise unreadable("nested-too-deep", {"most": DEEPEST})
        self._defences[slot] = order
        return replace(line, order=order)

    def _next_round(self, faction: Faction) -> tuple[int, int]:
        if faction not in self._rounds:
            self._rounds[faction] = known.next_round(self.view, faction)
        return self._rounds[faction]

    def _faction(self, order: Order, faction: Faction | None, cycle: int) -> Faction:
        """The faction named; without a name the only one the order can be meant for."""
        own = self.view.factions
        if faction is not None:
            if faction not in own:
                raise illegal("FWW-1-5", "not-your-faction", {"faction": faction})
            return faction
        possible = own if len(own) == 1 else order.meant_for(self.view.pack, own)
        if len(possible) == 1:
            return possible[0]
        written = order.write(Pen(self.tongue or "en", self._lexicon))
        planned = f"C{cycle}: " if cycle else ""
        raise ambiguous("which-faction", tuple(f"{one} {planned}{written}" for one in possible))


def _passes(line: Line) -> bool:
    return isinstance(line, OrderLine) and isinstance(line.order, PassOrder)


def _expect_end(cursor: Cursor) -> None:
    while cursor.seen in (";", ":"):
        cursor.step()
    cursor.expect_end(_ELSE)


# ------------------------------------------------------------------ orders with conditions


def read_order(cursor: Cursor, depth: int = 0) -> Order:
    """An order, with IF before or, outside all other IFs, behind it."""
    verb = cursor.verb(_VERBS)
    if verb == "IF":
        return _read_branch(cursor, depth)
    if verb in _ERRANDS:
        raise unreadable("not-in-a-condition", {"word": cursor.seen})
    cursor.step()
    order = READERS[verb](cursor)
    if depth or cursor.seen not in _IF:
        return order
    cursor.step()
    condition = read_condition(cursor)
    otherwise = read_order(cursor, 1) if cursor.accepts(_ELSE) else None
    return branch(condition, order, otherwise)


def _read_branch(cursor: Cursor, depth: int) -> Order:
    """IF condition THEN order [ELSE order]; an ELSE belongs to the nearest IF that has none."""
    if depth >= DEEPEST:
        raise unreadable("nested-too-deep", {"most": DEEPEST})
    cursor.step()
    condition = read_condition(cursor)
    cursor.expect(_THEN, "then")
    cursor.skips(":")
    then = read_order(cursor, depth + 1)
    cursor.skips(";")
    otherwise = read_order(cursor, depth + 1) if cursor.accepts(_ELSE) else None
    return branch(condition, then, otherwise)


def branch(condition: Condition, then: Order, otherwise: Order | None) -> Order:
    """A conditional order, if these orders may be conditional and belong together."""
    for order in (then, otherwise):
        if isinstance(order, AskWhenAttacked) or (
            isinstance(order, AttackOrder) and order.take and order.take.ask
        ):
            raise illegal(NOTATION, "ask-with-condition")
    if otherwise is not None and (then.in_rounds, then.topics, then.slot()) != (
        otherwise.in_rounds,
        otherwise.topics,
        otherwise.slot(),
    ):
        raise unreadable("mixed-branches")
    if any(term.kind == SPARE for term in condition):
        if not isinstance(then, Grant) or not then.granted or otherwise is not None:
            raise illegal("FWW-7.2-2", "spare-out-of-place")
        then = replace(then, spare=True)
        condition = tuple(term for term in condition if term.kind != SPARE)
    return Branch(condition, then, otherwise) if condition else then


def apart(order: Order) -> tuple[Order, ...]:
    """GRANT MEF OR speaks of each army by itself, so that a later word on one of them replaces just that."""
    if isinstance(order, Grant) and len(order.armies) > 1:
        return tuple(replace(order, armies=(army,)) for army in order.armies)
    if isinstance(order, Branch) and order.otherwise is None and isinstance(order.then, Grant):
        return tuple(replace(order, then=then) for then in apart(order.then))
    return (order,)


# ------------------------------------------------------------------ lines for the service


def _read_cancel(cursor: Cursor, number: int) -> Line:
    if cursor.accepts(_ALL):
        return CancelLine(everything=True, number=number)
    if not cursor.sees_number():
        raise cursor.astray("cancelled", _ALL)
    lines = []
    while cursor.sees_number():
        lines.append(cursor.number(1, MOST_LINES))
    return CancelLine(tuple(lines), number=number)


def _read_options(cursor: Cursor, number: int) -> Line:
    """NAME=VALUE, again and again. Optional rules by their short names, rulings by their own."""
    pack = cursor.lexicon.pack
    own = {one_word(name): name for name in (*pack.options, *pack.rulings)}
    names: Mapping[str, str] = {**symbol_table(OPTION_NAMES), **own}
    switches: dict[str, Switch] = {}
    while not switches or cursor.seen != END:
        word = cursor.seen
        name = cursor.expect(names, "option")
        if name in switches:
            raise unreadable("clause-twice", {"word": word})
        if cursor.seen not in ("=", ":"):
            raise cursor.astray("switch", {"=": "="})
        cursor.step()
        switches[name] = _read_switch(cursor, name, {**pack.options, **pack.rulings}[name])
        cursor.skips(";")
    return OptionsLine(tuple(switches.items()), number)


def _read_switch(cursor: Cursor, name: str, default: Any) -> Switch:
    if isinstance(default, bool):
        return cursor.expect(_SWITCHES, "switch") == "ON"
    if isinstance(default, int):
        return cursor.number(1, cursor.lexicon.pack.meta.turns)
    hint = get_type_hints(Rulings)[name]
    values = get_args(hint) if get_origin(hint) is Literal else (default,)
    return str(cursor.expect({one_word(value): value for value in values}, "switch"))


_ERRANDS: Mapping[str, Callable[[Cursor, int], Line]] = {"CANCEL": _read_cancel, "OPTIONS": _read_options}
