"""From a text to lines and refusals: one or the other for every line that says anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.notation.clauses import Clause, Item
from engine.games.to_the_last_man.notation.conditions import read_condition, refuse_unknowable
from engine.games.to_the_last_man.notation.grammar import READERS
from engine.games.to_the_last_man.notation.lexicon import Cursor, Lexicon, lexicon
from engine.games.to_the_last_man.notation.lines import SEQUENCE, OrderLine, in_order, is_declaration
from engine.games.to_the_last_man.notation.movements import Reorganising
from engine.games.to_the_last_man.notation.words import CLAUSES, PREFIXES, SCANNER, VALUES, VERBS, VOCABULARY
from engine.games.to_the_last_man.view import View
from engine.kernel.game import Reading
from engine.notation.cursor import END
from engine.notation.lines import Reader
from engine.notation.reasons import NOTATION, Misread, ambiguous, illegal, unreadable
from engine.notation.words import symbol_table

PHASES = {"reinforce": "reinforce", "production": "production", "card": "turn.act", "moves": "turn.act"}

_VERBS = symbol_table(VERBS)
_AT, _ALWAYS = symbol_table(PREFIXES, only=["AT"]), symbol_table(PREFIXES, only=["ALWAYS"])
_IF, _ELSE = symbol_table(CLAUSES, only=["IF"]), symbol_table(CLAUSES, only=["ELSE"])
_PLACES = {"*": "*", **symbol_table(VALUES, only=["FRONT", "NEW"])}


def read(text: str, view: View) -> Reading:
    """What a text was read as, each line bound to those around it."""
    reader = _Reader(text, view)
    found = reader.lines()
    orders = with_plan(_bound([line for line in found if not line.lasting], view))
    standing = ranked([line for line in found if line.lasting])
    reader.refuse_contradictions(orders)
    return Reading(tuple(orders), tuple(standing), tuple(reader.refusals))


@lru_cache(maxsize=1024)
def read_plan(text: str, known: Lexicon, side: Side) -> tuple[OrderLine, ...]:
    """The lines of a battle plan; what cannot be read any more is left out."""
    found: list[OrderLine] = []
    for number, raw in enumerate(text.split("\n"), 1):
        try:
            found += read_line(Cursor(SCANNER.tokens(raw), known, side), number)
        except Misread:
            continue
    return tuple(in_order(found))


class _Reader(Reader[OrderLine]):
    """One text, one view."""

    scanner, vocabulary = SCANNER, VOCABULARY
    view: View

    def read_line(self, words: list[str], number: int) -> list[OrderLine]:
        """One for each of its items and areas."""
        found = read_line(Cursor(words, lexicon(self.view.pack), self.view.side), number)
        for line in found:
            self._refuse(line)
        return found

    def refuse_contradictions(self, lines: Sequence[OrderLine]) -> None:
        """decisions 3 The first clause of a kind that fits is used: none behind one that always does."""
        super().refuse_contradictions(lines)
        tried: dict[str, list[OrderLine]] = {}
        for line in lines:
            if line.clause.topics[0] not in SEQUENCE:
                tried.setdefault(f"{line.clause.kind} {line.place}", []).append(line)
        for group in tried.values():
            self.refuse_behind(group, lambda line: line.always_serves)

    def _refuse(self, line: OrderLine) -> None:
        """What can be told before the question comes. A standing order is on file: nothing becomes of it."""
        hidden = bool(self.view.options["hidden_hand_size"])
        clause = line.clause
        refuse_unknowable(line.item.condition, clause.has_area(), clause.unknown, hidden)
        for one in () if line.lasting else line.item.clauses():
            if (refusal := one.refusal(line.place, self.view)) is not None:
                raise Misread(refusal)
            if meanings := one.unclear(self.view):
                raise ambiguous("which-nation", meanings)


# ------------------------------------------------------------------ one line


def read_line(cursor: Cursor, number: int) -> list[OrderLine]:
    """[ALWAYS] [AT places:] item {; item}."""
    always = cursor.accepts(_ALWAYS)
    places: tuple[str, ...] = ("",)
    if cursor.accepts(_AT):
        places = _read_places(cursor)
        if not cursor.skips(":") and cursor.seen not in _VERBS:
            raise cursor.astray("colon", {":": 1})
    items = [_read_item(cursor, places)]
    while cursor.skips(";") and cursor.seen != END:
        items.append(_read_item(cursor, places))
    cursor.expect_end(_ELSE)
    lines = [OrderLine(item, place, number=number) for place in places for item in items]
    return [_kept(line, always) for line in lines]


def _kept(line: OrderLine, always: bool) -> OrderLine:
    """ALWAYS makes a standing order of what may be one."""
    if not always:
        return line
    standing = line.as_standing()
    if standing is None:
        raise illegal(NOTATION, "not-lasting", {"word": line.write("en")})
    return standing


def _read_places(cursor: Cursor) -> tuple[str, ...]:
    return cursor.several_different(_read_place)


def _read_place(cursor: Cursor) -> str:
    place = cursor.accept(_PLACES) or cursor.name(cursor.lexicon.areas)
    if place is None:
        raise cursor.astray("place", cursor.lexicon.areas, _PLACES)
    return place


def _read_item(cursor: Cursor, places: Sequence[str]) -> Item:
    """clause [IF condition] [ELSE clause]; both belong to the clause just before them."""
    clause = _read_clause(cursor, places)
    if not cursor.accepts(_IF):
        return Item(clause)
    condition = read_condition(cursor)
    cursor.skips(",")
    otherwise = _read_clause(cursor, places) if cursor.accepts(_ELSE) else None
    if otherwise is not None and not set(clause.topics) & set(otherwise.topics):
        raise unreadable("mixed-branches")
    return Item(clause, condition, otherwise)


def _read_clause(cursor: Cursor, places: Sequence[str]) -> Clause:
    word, verb = cursor.seen, cursor.verb(_VERBS)
    cursor.step()
    cursor.skips(":")
    clause = READERS[verb](cursor)
    if places != ("",) and not clause.placed:
        raise unreadable("at-out-of-place", {"word": word})
    return clause


# ------------------------------------------------------------------ lines that belong together


def with_plan(lines: Sequence[OrderLine]) -> list[OrderLine]:
    """In the order in which they serve; the declaration of battles takes the battle plan along."""
    ordered = in_order(lines)
    plan = "\n".join(line.write("en") for line in ordered if line.is_planned)
    if not plan:
        return ordered
    return [replace(one, plan=plan) if one.is_planned or is_declaration(one) else one for one in ordered]


def ranked(lines: Sequence[OrderLine]) -> list[OrderLine]:
    """Standing orders of one kind and place are tried from the top: each has its number.

    None behind one that always fits would be tried: such a one is replaced by the next.
    """
    last, found = dict[str, OrderLine](), []
    for line in lines:
        before = last.get(line.order())
        goes_on = before is not None and not before.always_serves
        rank = 1 if before is None else before.rank + goes_on
        last[line.order()] = replace(line, rank=rank)
        found.append(last[line.order()])
    return found


def _bound(lines: Sequence[OrderLine], view: View) -> list[OrderLine]:
    """A SHIFT belongs to the phase of the orders around it: those before it, else those behind it."""
    phases = [_phase(line) for line in lines]
    found = []
    for place, line in enumerate(lines):
        if isinstance(line.clause, Reorganising):
            before, after = [p for p in phases[:place] if p], [p for p in phases[place:] if p]
            phase = before[-1] if before else after[0] if after else PHASES.get(view.phase, "")
            found.append(replace(line, phase=phase))
        else:
            found.append(line)
    return found


def _phase(line: OrderLine) -> str:
    """The one loop of questions that the line serves; '' : several, or none."""
    topics = line.clause.topics
    if topics in (("turn.card",), ("battle.declare",), ("turn.crisis",)):
        return "turn.act"
    return topics[0] if len(topics) == 1 and topics[0] in SEQUENCE else ""
