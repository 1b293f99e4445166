"""From a text to lines and refusals: one or the other for every line that says anything."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import Final

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.notation.clauses import Clause, Item
from engine.games.to_the_last_man.notation.conditions import read_condition, refuse_unknowable
from engine.games.to_the_last_man.notation.cursor import END, Cursor
from engine.games.to_the_last_man.notation.grammar import READERS
from engine.games.to_the_last_man.notation.lexicon import Lexicon, lexicon
from engine.games.to_the_last_man.notation.lines import SEQUENCE, OrderLine, in_order, is_declaration
from engine.games.to_the_last_man.notation.movements import Reorganising
from engine.games.to_the_last_man.notation.reasons import NOTATION, Misread, ambiguous, illegal, unreadable
from engine.games.to_the_last_man.notation.scan import fold, one_word, tokens
from engine.games.to_the_last_man.notation.words import (
    CLAUSES,
    PREFIXES,
    VALUES,
    VERBS,
    foreign_to,
    spelled,
    tongue,
)
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Refusal, Unreadable
from engine.kernel.game import Language, Reading

MOST_SUGGESTED: Final = 40  # lines of one text for which similar words are looked up
FEW: Final = 4  # words that can be suggested all together
PHASES = {"reinforce": "reinforce", "production": "production", "card": "turn.act", "moves": "turn.act"}

_VERBS = spelled(VERBS)
_AT, _ALWAYS = spelled(PREFIXES, only=["AT"]), spelled(PREFIXES, only=["ALWAYS"])
_IF, _ELSE = spelled(CLAUSES, only=["IF"]), spelled(CLAUSES, only=["ELSE"])
_PLACES = {"*": "*", **spelled(VALUES, only=["FRONT", "NEW"])}
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


def read(text: str, view: View) -> Reading:
    """Every line of the text: understood, or refused with its number and the words it was written in."""
    reader = _Reader(text, view)
    found = [line for n, raw in enumerate(_LINE_ENDS.split(text), 1) for line in reader.lines(raw, n)]
    orders = with_plan(_bound([line for line in found if not line.lasting], view))
    standing = ranked([line for line in found if line.lasting])
    return Reading(tuple(orders), tuple(standing), tuple(reader.refusals))


@lru_cache(maxsize=1024)
def read_plan(text: str, known: Lexicon, side: Side) -> tuple[OrderLine, ...]:
    """The lines of a battle plan; what cannot be read any more is left out."""
    found: list[OrderLine] = []
    for number, raw in enumerate(text.split("\n"), 1):
        try:
            found += read_line(Cursor(tokens(raw), known, side), number)
        except Misread:
            continue
    return tuple(in_order(found))


class _Reader:
    """One text, one view."""

    def __init__(self, text: str, view: View) -> None:
        self._text, self._view = text, view
        self._lexicon = lexicon(view.pack)
        self._looked_up = 0
        self.refusals: list[Refusal] = []

    def lines(self, raw: str, number: int) -> list[OrderLine]:
        """The lines that one line of text holds: none, one, or one for each of its items and areas."""
        try:
            words = tokens(raw)
            if not words:
                return []
            found = read_line(Cursor(words, self._lexicon, self._view.side), number)
            for line in found:
                self._refuse(line)
            return found
        except Misread as misread:
            refusal = replace(misread.refusal, line=number, text=raw.strip())
            if isinstance(refusal, Unreadable):
                refusal = replace(refusal, suggestions=self._suggestions(misread))
            self.refusals.append(refusal)
            return []

    def _refuse(self, line: OrderLine) -> None:
        """What can be told before the question comes. A standing order is on file: nothing becomes of it."""
        hidden = bool(self._view.options["hidden_hand_size"])
        clause = line.clause
        refuse_unknowable(line.item.condition, clause.has_area(), clause.unknown, hidden)
        for one in () if line.lasting else line.item.clauses():
            if (refusal := one.refusal(line.place, self._view)) is not None:
                raise Misread(refusal)
            if meanings := one.unclear(self._view):
                raise ambiguous("which-nation", meanings)

    # ------------------------------------------------------------ similar words

    @cached_property
    def _tongue(self) -> Language | None:
        """The writer's language, by the whole text."""
        return tongue(re.findall(r"[A-Z]+", fold(self._text)))

    def _suggestions(self, misread: Misread) -> tuple[str, ...]:
        """Words near to the one not understood; without such, all that fit if they are few."""
        self._looked_up += 1
        if not misread.near or self._looked_up > MOST_SUGGESTED:
            return ()
        foreign = foreign_to(self._tongue)
        shown = {
            w: _shown(w, thing) for table in misread.near for w, thing in table.items() if w not in foreign
        }
        close = get_close_matches(misread.word[:40], shown, n=3, cutoff=0.6)
        if not close and len(set(shown.values())) <= FEW:
            close = list(shown)
        return tuple(dict.fromkeys(shown[word] for word in close))


def _shown(word: str, thing: object) -> str:
    """An id as it is written (UK.CW.01 for UKCW01), everything else by the word itself."""
    return thing if isinstance(thing, str) and one_word(thing) == word else word


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
    if cursor.seen in _ELSE:
        raise unreadable("else-without-if")
    if cursor.seen != END:
        raise unreadable("left-over", {"word": cursor.seen})
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
    found: list[str] = []
    while not found or cursor.skips(","):
        place = cursor.accept(_PLACES) or cursor.name(cursor.lexicon.areas)
        if place is None:
            raise cursor.astray("place", cursor.lexicon.areas, _PLACES)
        found.append(place)
    return tuple(dict.fromkeys(found))


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
    word, verb = cursor.seen, _VERBS.get(cursor.seen)
    if verb is None:
        if not word:
            raise unreadable("missing", {"expected": "order"})
        raise unreadable("unknown-order", {"word": word}, word, (_VERBS,))
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
    """Standing orders of one kind and place are tried from the top: each has its number."""
    counted, found = Counter[str](), []
    for line in lines:
        counted[line.order()] += 1
        found.append(replace(line, rank=counted[line.order()]))
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
