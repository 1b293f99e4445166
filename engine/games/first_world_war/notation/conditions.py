"""IF: what an order may hang on. Read at execution, from the sender's own knowledge only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.notation.lexicon import Cursor, Pen
from engine.games.first_world_war.notation.words import CLAUSES, TERMS
from engine.games.first_world_war.view import View
from engine.notation.reasons import illegal
from engine.notation.words import COMPARE, symbol_table

MOST = 99  # the largest number a condition compares with
SPARE = "SPARE"

_TERMS = symbol_table(TERMS)
_NOT = symbol_table(TERMS, only=["NOT"])
_AND = symbol_table(CLAUSES, only=["AND"])


@dataclass(frozen=True, slots=True)
class Term:
    """One of the terms of decisions.md §2; `place` is a location, a front or a faction."""

    kind: str
    place: str | int = ""
    operator: str = ""
    number: int = 0
    negated: bool = False

    def holds(self, view: View, faction: Faction) -> bool:
        return _TESTS[self.kind](self, view, faction) is not self.negated

    def write(self, pen: Pen) -> str:
        parts: list[str | int] = ["NOT"] if self.negated else []
        parts.append(self.kind)
        if self.place:
            parts.append(self.place)
        if self.operator:
            parts += [self.operator, self.number]
        return pen(*parts)


Condition: TypeAlias = tuple[Term, ...]


def holds(condition: Condition, view: View, faction: Faction) -> bool:
    return all(term.holds(view, faction) for term in condition)


def write_condition(condition: Condition, pen: Pen) -> str:
    return f" {pen('AND')} ".join([term.write(pen) for term in condition])


# ------------------------------------------------------------------ what a term means


def _hold(term: Term, view: View, faction: Faction) -> bool:
    """The own alliance controls the location."""
    alliance = view.pack.alliance_of
    return bool(alliance[view.control[str(term.place)]] == alliance[faction])


def _lost(term: Term, view: View, faction: Faction) -> bool:
    """The enemy controls it; whether it was ever ours is not asked."""
    return not _hold(term, view, faction)


def _own(term: Term, view: View, faction: Faction) -> bool:
    """5.1-6 ruling: real armies of the own colour, also under another's command; nobody else's under ours."""
    armies, owner = view.pack.armies, view.pack.faction_of
    there = view.known.get(int(term.place), ())
    return _compare(term, sum(c in armies and owner[c] == faction for c in there))


def _enemy(term: Term, view: View, faction: Faction) -> bool:
    """Counters of the other alliance, real or not: their number is public."""
    alliance = view.pack.alliance_of
    there = view.counts.get(int(term.place), {})
    return _compare(term, sum(n for colour, n in there.items() if alliance[colour] != alliance[faction]))


def _vp(term: Term, view: View, faction: Faction) -> bool:
    return _compare(term, next(vp for one, vp in view.vp.items() if one == term.place))


def _turn(term: Term, view: View, faction: Faction) -> bool:
    return _compare(term, view.turn)


def _cycle(term: Term, view: View, faction: Faction) -> bool:
    """1 to 4 in the rounds, else 0."""
    return _compare(term, (view.round + 3) // 4)


def _attacked(term: Term, view: View, faction: Faction) -> bool:
    """An enemy faction attacked on that front this turn."""
    alliance = view.pack.alliance_of
    return any(
        term.place in fronts for one, fronts in view.attacked.items() if alliance[one] != alliance[faction]
    )


def _won(term: Term, view: View, faction: Faction) -> bool:
    """4.2.6-2 ruling: the faction's previous round, for the first of a turn the last of the turn before."""
    return view.won.get(faction, False)


def _spare(term: Term, view: View, faction: Faction) -> bool:
    """Left to GRANT, which knows what capacity is used."""
    return True


def _compare(term: Term, number: int) -> bool:
    return COMPARE[term.operator](number, term.number)


_TESTS: Mapping[str, Callable[[Term, View, Faction], bool]] = {
    "HOLD": _hold,
    "LOST": _lost,
    "OWN": _own,
    "ENEMY": _enemy,
    "VP": _vp,
    "TURN": _turn,
    "CYCLE": _cycle,
    "ATTACKED": _attacked,
    "WON": _won,
    SPARE: _spare,
}


# ------------------------------------------------------------------ reading


def read_condition(cursor: Cursor) -> Condition:
    """term {AND term}; the IF has been passed."""
    terms = [_read_term(cursor)]
    while cursor.accepts(_AND):
        terms.append(_read_term(cursor))
    return tuple(terms)


def _read_term(cursor: Cursor) -> Term:
    negated = cursor.accepts(_NOT)
    kind = cursor.expect(_TERMS, "condition")
    match kind:
        case "NOT":
            raise cursor.astray("condition", _TERMS)
        case "HOLD" | "LOST":
            return Term(kind, cursor.location(), negated=negated)
        case "ATTACKED":
            return Term(kind, cursor.front(), negated=negated)
        case "WON":
            return Term(kind, negated=negated)
        case "SPARE":
            if negated:
                raise illegal("FWW-7.2-2", "spare-out-of-place")
            return Term(kind)
        case "OWN" | "ENEMY":
            return _comparison(cursor, kind, cursor.front(), negated)
        case "VP":
            return _comparison(cursor, kind, cursor.expect(cursor.lexicon.factions, "faction"), negated)
    return _comparison(cursor, kind, "", negated)


def _comparison(cursor: Cursor, kind: str, place: str | int, negated: bool) -> Term:
    operator = cursor.operator()
    return Term(kind, place, operator, cursor.number(0, MOST), negated)
