"""Whatever a seat may know can be read: in the accounts of its letters, or in the position they show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

import pytest

from engine.games import GAMES
from engine.kernel.game import Game, fact_for
from engine.kernel.requests import TITLE, Fact, Seat
from engine.kernel.table import Table
from pbem.letters.phrases import LANGUAGES, Phrases, load_phrases
from pbem.letters.render import LastCounts, account, view_text
from tests.conformance.games import SIZE, Case, cases
from tests.conformance.plain import plain
from tests.conformance.sitting import automatic

SEEDS = range(11, 11 + SIZE)
TOLD_IN_LETTERS = [case for case in cases() if case.game.id in GAMES]


@dataclass
class Reader:
    """One seat that keeps the board by its letters alone."""

    game: Game
    seat: Seat
    state: Any
    pack: Any
    phrases: Sequence[Phrases]
    shown: set[tuple[str, str]]  # facts and parts of a view that were looked for in the position
    missing: list[str]  # … and not found in it

    def view(self) -> Any:
        return self.game.view(self.state, self.seat)

    def read(self, facts: Sequence[Fact], following: Sequence[Fact]) -> None:
        """The facts of one segment. What is neither told, nor implied, nor shown is not known.

        A part of the account in which nothing happened has no title: that of the next part says where it is.
        """
        told = {type(fact).__name__ for fact in self.told(facts)}
        told |= {TITLE} if told or any(self.told(following)) else set()
        for fact in facts:
            form = fact_for(fact, self.seat)
            if form is None or (form.quiet is None and not self.is_told(form)):
                self.look(fact)
                continue
            if form.quiet is None:
                fact.apply(self.state)
                continue
            assert not shows(type(form)) or any(shows(self.game.facts[name]) for name in form.quiet.by), (
                f"{form}: what the rules turn up is told"
            )
            if form.quiet.by:
                if told.intersection(form.quiet.by):
                    fact.apply(self.state)
            else:
                self.look(fact)

    def told(self, facts: Sequence[Fact]) -> Iterator[Fact]:
        forms = (fact_for(fact, self.seat) for fact in facts)
        return (form for form in forms if form is not None and self.is_told(form))

    def is_told(self, form: Fact) -> bool:
        """Is it a sentence of the account, in every language?"""
        return all(account([form], self.seat, one, LastCounts()) for one in self.phrases)

    def look(self, fact: Fact) -> None:
        """What it changes must be seen in the position that every letter shows."""
        before = self.view()
        fact.apply(self.state)
        after, name = self.view(), type(fact).__name__
        for part in changed(before, after, self.pack):
            if (name, part) not in self.shown:
                without = with_part(after, part, before)
                texts = [
                    (view_text(self.game, one, words) for one in (without, after)) for words in self.phrases
                ]
                self.shown.add((name, part))
                self.missing += [f"{name}: {part}"] if any(one == other for one, other in texts) else []


def shows(kind: type[Fact]) -> bool:
    """Do all facts of that class show what was hidden?"""
    return kind.reveals is True  # type: ignore[comparison-overlap]  # a property, or a class's own word


def changed(before: Any, after: Any, pack: Any) -> list[str]:
    """The parts of a view that are different, and of a position in it: `turn`, `position.round`."""
    found = list[str]()
    for part in (field.name for field in fields(before)):
        one, other = getattr(before, part), getattr(after, part)
        if one is not other and plain(one, pack) != plain(other, pack):
            inner = changed(one, other, pack) if is_dataclass(one) and part == "position" else []
            found += [f"{part}.{name}" for name in inner] or [part]
    return found


def with_part(view: Any, path: str, other: Any) -> Any:
    """The view with that part of another."""
    part, _, inner = path.partition(".")
    value = getattr(other, part)
    return replace(view, **{part: with_part(getattr(view, part), inner, value) if inner else value})


def segments(table: Table) -> Iterator[list[Fact]]:
    """The facts of a game, segment by segment."""
    facts: list[Fact] = []
    for line in table.journal.lines:
        if line.data["k"] == "seam":
            yield facts
            facts = []
        elif line.data["k"] == "fact":
            facts.append(table.codec.fact(line.data))
    yield facts


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("played", TOLD_IN_LETTERS, ids=str)
def test_the_facts_that_letters_told_give_every_seat_its_view(played: Case, seed: int, tally: Any) -> None:
    case, game, table = played, played.game, automatic(played, seed)
    pack = table.pack
    state, _ = game.set_up(pack, case.settings())
    phrases = [load_phrases(game.id, language, pack) for language in LANGUAGES]
    shown, missing = set[tuple[str, str]](), list[str]()
    readers = [
        Reader(game, seat, game.set_up(pack, case.settings())[0], pack, phrases, shown, missing)
        for seat in case.seats
    ]
    for facts, following in pairwise([*segments(table), []]):
        for fact in facts:
            fact.apply(state)
        for reader in readers:
            reader.read(facts, following)
            assert plain(reader.view(), pack) == plain(game.view(state, reader.seat), pack), facts
        tally(facts=len(facts))
    assert not missing, "neither an account nor the position tells what these change"
