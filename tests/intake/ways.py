"""Ways of going on from a pause that a sheet's writer could not tell apart: other dice, enemies, secrets.

Those come first that are likely to decide differently: enemies who attack, who do nothing, who go where the
sheet goes, and extreme faces of the dice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, cycle, product
from random import Random

from engine.kernel.fairness.dice import Rolled, TestDice
from engine.kernel.game import Notation, View, random_bot
from engine.kernel.journal import canonical
from engine.kernel.replay import is_kind
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.table import Automa, Table
from pbem.campaigns.order_file import TracedOrderFile
from tests.conformance.exchanges import Exchange

TRIES, MANY = 8, 100  # answers among which an enemy chooses
FIGHTS = ("deploy", "round.action", "battle.declare")
ATTACKS = ("Attack", "Declare")  # kinds of answers
REROLLS = 3
SLOW = ("turn.act", "turn.spend")  # questions that are put again and again
_WORD = re.compile(r"[A-Za-z0-9]+")


class LoadedDice(TestDice):
    """Attackers roll one face and all others another, but for ties that are rolled again and again.

    Draws are by chance.
    """

    __slots__ = ("_attackers", "_others")

    def __init__(self, seed: int, attackers: int, others: int) -> None:
        super().__init__(seed)
        self._attackers, self._others = attackers, others

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        if int(label.split("/")[-2]) > REROLLS:
            return super().roll(label, dice, sides)
        face = self._attackers if "attack" in label else self._others
        return Rolled((min(face, sides),) * dice, "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot(TracedOrderFile):
    """An automa that volunteers, too."""

    def find(
        self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0
    ) -> FiledAnswer | None:
        if ask.volunteer and self.plays is not None:
            return FiledAnswer(self.plays(view, ask), "automa")
        return TracedOrderFile.find(self, ask, question, view, notation, after)


@dataclass(frozen=True)
class Way:
    seed: int
    enemies: str = "any"
    faces: str = "any"
    exchanged: bool = False  # another position that the seat may take this one for

    def dice(self) -> TestDice:
        return (
            TestDice(self.seed)
            if self.faces == "any"
            else LoadedDice(self.seed, *map(int, self.faces.split()))
        )

    def others(self, table: Table, seat: Seat, words: str) -> dict[Seat, OrderFile]:
        """What all others have on file. `words`: of the sheet in hand, or of a line in it."""
        if self.enemies == "absent":
            return {}
        home, friends = home_of(table.game.id, table.view(seat)), friends_of(table, seat)
        some = Random(self.seed).sample(home, min(2, len(home)))
        aim = set(some if self.enemies == "visiting" else _WORD.findall(words))
        enemy = ENEMIES[self.enemies](Random(self.seed), aim)
        friend = eager(Random(self.seed), aim, MANY) if self.enemies == "visiting" else enemy
        seats = [one for one in table.game.seats(table.settings) if one != seat]
        return {one: Bot(plays=friend if one in friends else enemy) for one in seats}

    def world(self, table: Table, seat: Seat) -> Table:
        """A copy of the table at its pause; with hidden things exchanged, if its seat cannot tell."""
        assert table.snapshot is not None and table.pause is not None
        tail = list(table.journal.since(table.snapshot.line))
        known = (table.game, table.pack, table.settings)
        if self.exchanged:
            seam = max(n for n, line in enumerate(tail) if is_kind(line, "seam"))
            before = Table.at_seam(*known, table.snapshot, tail[: seam + 1], table.dice)
            other = self._exchanged(before, seat)
            other.advance()
            same = other.pause is not None and other.pause.window == table.pause.window
            if same and other.view(seat) == table.view(seat):
                return other
        return Table.resume(*known, table.snapshot, tail, self.dice())

    def _exchanged(self, table: Table, seat: Seat) -> Table:
        """The position before the open segment, with all that the seat cannot see elsewhere."""
        one, rng, mapping = table.game, Random(self.seed), dict[str, str]()
        for group in one.hidden(table.state, seat):
            mapping |= zip(group, rng.sample(group, len(group)), strict=True)
        data = Exchange(mapping).position(json.loads(canonical(one.dump(table.state))))
        state, segment = one.load(table.pack, data), table.segment
        assert segment is not None
        other = Table.at(one, table.pack, table.settings, state, segment, self.dice())
        other.window, other.t = table.window, table.t
        return other


def home_of(game_id: str, view: View) -> list[str]:
    """Where the seat fights, in the words of answers."""
    if game_id != "fww":
        return []
    own = set(view.factions)
    return [str(front) for front, sides in view.pack.fighter.items() if own & set(sides.values())]


def friends_of(table: Table, seat: Seat) -> set[Seat]:
    """Who fights on the same side."""
    if table.game.id != "fww":
        return set(table.game.allies(table.state, seat))
    view = table.view(seat)
    return {view.seats[view.pack.partner_of[faction]] for faction in view.factions}


def any_answer(rng: Random, _: set[str]) -> Automa:
    return lambda view, ask: random_bot(view, ask, rng)


def silence(_: Random, __: set[str]) -> Automa:
    return lambda view, ask: ask.default


def eager(rng: Random, words: set[str], tries: int = TRIES) -> Automa:
    """Of some answers the one that has most to do with what the sheet names; better any than none."""

    def play(view: View, ask: Ask) -> Answer:
        found = [random_bot(view, ask, rng) for _ in range(1 if ask.topic in SLOW else tries)]
        return max(found, key=lambda one: (one != ask.default, _common(one, words)))

    return play


def fierce(rng: Random, words: set[str]) -> Automa:
    """Of many answers an attack, rather on a front that is named, and with all that may come."""
    numbers = {word for word in words if word.isdigit()}

    def play(view: View, ask: Ask) -> Answer:
        found = [random_bot(view, ask, rng) for _ in range(MANY if ask.topic in FIGHTS else 1)]
        return max(
            found, key=lambda one: (type(one).__name__ in ATTACKS, _common(one, numbers), len(str(one)))
        )

    return play


def _common(answer: Answer, words: set[str]) -> int:
    return sum(word in words for word in _WORD.findall(str(answer)))


ENEMIES: dict[str, Callable[[Random, set[str]], Automa]] = {
    "any": any_answer,
    "silent": silence,
    "eager": eager,
    "fierce": fierce,
    "visiting": fierce,
}
FACES = ("any", "6 1", "1 6", "4 1", "1 4", "6 6")  # of attackers, and of others
KINDS = ("absent", "silent", "fierce", "visiting", "eager", "any")


def ways() -> Iterator[Way]:
    """Without end."""
    yield Way(0)
    yield Way(1, "fierce")
    for number, (faces, enemies) in enumerate(product(FACES, KINDS), 2):
        yield Way(number, enemies, faces)
    for number, (faces, enemies) in zip(count(100), cycle(product(FACES, KINDS)), strict=False):
        yield Way(number, enemies, faces, exchanged=True)
