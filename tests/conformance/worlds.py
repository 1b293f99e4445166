"""Two worlds that differ only in what one seat may not know, run on the same public course.

World 2 is world 1 with ids exchanged that the seat cannot tell apart: in the state, in the answers of all the
others, in what they draw. Standing orders of the others differ too, and now and then they do something in
world 2 that only they hear of. Until a moved piece legitimately comes to light, everything the seat could get
is the same in both; a difference is a leak.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from random import Random
from typing import Any

from engine.kernel.fairness.audit import Entry, Ledger, Secrets, SentMark
from engine.kernel.fairness.dice import Chain, Drawn, Rolled, Shuffled, TestDice
from engine.kernel.game import Game, Notation, Tempo, View, fact_for
from engine.kernel.journal import canonical, codec_of
from engine.kernel.records import read_segment
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.table import Table
from engine.kernel.visibility import Pile
from tests.conformance.exchanges import PICKS, Exchange, Pick
from tests.conformance.games import LONG_ENOUGH, QUIET, STANDING, Case
from tests.conformance.knowledge import Aim, Told, comes_to_light, knowledge, question, told
from tests.conformance.light import light_of
from tests.conformance.plain import plain
from tests.conformance.sitting import automatic
from tests.conformance.wrong import ids_in

USUALLY = 12  # things told: a stretch shorter than this says little
MOST_PAUSES = 12
SECRETS = Secrets(Chain(b"w" * 32, 64), b"k" * 32)
SILENCE = object()  # a seat that answers nothing: its default counts


class Leak(AssertionError):
    """The seat could tell the worlds apart."""


class Parted(Exception):
    """The worlds can no longer take the same course, and nobody but the others knows."""


@dataclass(frozen=True)
class Stretch:
    """How far two worlds went together."""

    pauses: int
    told: int
    why: str  # "reveal" "parted" "over" "enough"
    least: int = USUALLY

    @property
    def long_enough(self) -> bool:
        return self.told >= self.least


# ------------------------------------------------------------------ chance


class SharedDice:
    """World 1: test dice under the name of audited ones, so that there is something to audit."""

    source = "audited"

    def __init__(self, seed: object) -> None:
        self.dice = TestDice(str(seed))
        self.drawn: dict[str, tuple[str, ...]] = {}
        self.mixed: dict[str, tuple[str, ...]] = {}

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        return Rolled(self.dice.roll(label, dice, sides).faces, self.source)

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        self.drawn[label] = self.dice.draw(label, items, count).items
        return Drawn(self.drawn[label], self.source)

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        mixed = self.dice.shuffle(label, cards)
        self.mixed[label] = mixed.order
        return Shuffled(mixed.order, mixed.root, self.source)


class MirroredDice(SharedDice):
    """World 2: the same rolls, and the draws of world 1 with the ids exchanged."""

    def __init__(self, seed: object, first: SharedDice, exchange: Exchange) -> None:
        super().__init__(seed)
        self.first, self.exchange = first, exchange

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        drawn = tuple(self.exchange(item) for item in self.first.drawn.get(label, ()))
        if len(drawn) != count or not set(drawn) <= set(items):
            return super().draw(label, items, count)
        return Drawn(drawn, self.source)

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        order = tuple(self.exchange(card) for card in self.first.mixed.get(label, ()))
        mixed = super().shuffle(label, cards)
        return mixed._replace(order=order) if sorted(order) == sorted(cards) else mixed


# ------------------------------------------------------------------ a world


@dataclass(slots=True)
class Continued(Ledger):
    """The audit of a game taken up at a seam: piles that were shuffled before it are known by their roots."""

    earlier: Mapping[str, Pile] = field(default_factory=dict)

    def _pile(self, root: str) -> Pile:
        return self.earlier[root] if root in self.earlier else Ledger._pile(self, root)


class Hand(OrderFile):
    """What one seat has on file: the answers its world gives it, and standing orders."""

    __slots__ = ("world",)
    world: World

    def __init__(self, world: World, standing: Any) -> None:
        super().__init__(standing=standing)
        object.__setattr__(self, "world", world)

    def find(
        self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0
    ) -> FiledAnswer | None:
        world = self.world
        answer = world.answer(question, ask, view)
        return (
            super().find(ask, question, view, notation, after)
            if answer is SILENCE
            else FiledAnswer(answer, "sheet")
        )


class World(ABC):
    """One of the two: a table, its audit, and what the seat is asked on the way."""

    def __init__(self, pair: Pair, data: bytes, dice: SharedDice, standing: str) -> None:
        case, self.pair, self.dice = pair.case, pair, dice
        pack = case.game.load_pack()
        state = pair.game.load(pack, json.loads(data))
        pair.game.check(state)
        settings = case.settings(pair.tempo)
        opening = SECRETS.commitments
        self.table = Table.at(pair.game, pack, settings, state, pair.segment, dice, **opening)
        piles = {root: Pile(root, label, self.order(cards), b"s" * 32) for root, label, cards in pair.piles}
        self.ledger = Continued(self.table.journal.lines[0].raw, SECRETS, earlier=piles)
        writer = (*pair.others, pair.seat)[0]  # in a solo game there is nobody else
        self.standing = pair.game.notation.read(standing, self.table.view(writer)).standing
        self.replies: dict[str, Answer] = {}  # to the questions that are open
        self.asked: list[Told] = []
        self.mark = 1  # first line not yet told
        self.read: list[Fact] = []  # what the seat may read of the facts since the last pause
        self.seen: View | None = None  # its view then
        self.light = light_of(pair.game, data)
        self.on_record = 1

    def advance(self) -> None:
        files = {
            seat: Hand(self, () if seat == self.pair.seat else self.standing) for seat in self.pair.case.seats
        }
        if self.table.pause is None:
            self.table.advance(files)
            return
        close = self.ledger.close(self.entries())
        self.table.advance(files, close.t, close.digest.hex())
        lines = self.table.journal.since(self.on_record)
        self.on_record = len(self.table.journal)
        self.ledger.records.append(self.ledger.record(close, [line.data for line in lines]))

    def entries(self) -> dict[Seat, Entry]:
        """The seat writes a letter each time; of the others' letters it knows nothing."""
        texts = [line.write() for line in self.standing]
        others = dict.fromkeys(self.pair.others, Entry.of((), texts))
        return {self.pair.seat: Entry.of([SentMark(f"<{self.ledger.t}@seat>")]), **others}

    def answer(self, question_id: str, ask: Ask, view: View) -> Answer:
        """The answer to a question in flight, or silence."""
        if ask.seat == self.pair.seat:
            self.note(question_id, ask)
        if question_id in self.replies:
            return self.replies[question_id]
        if self.pair.tempo == "strict" and not ask.volunteer:
            return SILENCE
        return self.in_flight(question_id, ask, view)

    def order(self, cards: tuple[str, ...]) -> tuple[str, ...]:
        """A pile of this world that was shuffled before it began."""
        return cards

    @abstractmethod
    def in_flight(self, question_id: str, ask: Ask, view: View) -> Answer:
        """What is answered on the way from one pause to the next."""

    def note(self, question_id: str, ask: Ask) -> None:
        """What the seat is asked on the way; a volunteer's options only now and then, there are so many."""
        shown: Any = [
            question_id,
            plain(ask.given, self.table.pack),
            plain(ask.default),
            ask.secret,
            ask.plan,
        ]
        if not ask.volunteer or Random(question_id).random() < 0.1:
            shown = question(self.pair.game, question_id, ask, self.table.pack, self.pair.aim.ids)
        self.asked.append(Told(len(self.table.journal), "asked", shown))

    def news(self) -> list[Told]:
        """What the seat learned since it was asked last."""
        lines = self.table.journal.since(self.mark)
        codec = self.table.codec
        facts = (codec.fact(line.data) for line in lines if line.data["k"] == "fact")
        self.read = [fact for one in facts if (fact := fact_for(one, self.pair.seat)) is not None]
        found = [*self.asked, *told(self.pair.game, lines, self.mark, self.pair.seat, self.light)]
        self.mark, self.asked = len(self.table.journal), []
        return sorted(found, key=lambda one: one.place)

    def knowledge(self) -> dict[str, Any]:
        before, self.seen = self.seen, self.table.view(self.pair.seat)
        return knowledge(self.table, self.ledger, self.pair.seat, self.pair.aim, before, self.read)


class First(World):
    """World 1: bots answer; what they said is kept for world 2."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.said: dict[str, Answer] = {}

    def in_flight(self, question_id: str, ask: Ask, view: View) -> Answer:
        answer = self.pair.choice(question_id, ask, view)
        self.said[question_id] = answer
        return answer


class Second(World):
    """World 2: what world 1 answered, with the ids exchanged; and quiet acts of its own."""

    def __init__(self, first: First, *args: Any) -> None:
        super().__init__(*args)
        self.first = first

    def order(self, cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.pair.exchange(card) for card in cards)

    def in_flight(self, question_id: str, ask: Ask, view: View) -> Answer:
        if question_id not in self.first.said:
            return SILENCE
        answer = self.first.said[question_id]
        if answer is SILENCE:
            return answer
        answer = self.pair.exchange(answer)
        quiet = self.pair.quiet(question_id, ask) if answer == ask.default else None
        if quiet is not None:
            return quiet
        if not ask.options.contains(answer):
            raise Parted
        return answer


# ------------------------------------------------------------------ the pair


class Pair:
    """Two worlds and the seat that must not tell them apart."""

    def __init__(
        self, case: Case, tempo: Tempo, seed: int, game: Game | None = None, pick: Pick | None = None
    ) -> None:
        self.case, self.tempo, self.seed = case, tempo, seed
        self.game: Game = game or case.game
        self.rng = Random(f"{case}/{tempo}/{seed}")
        self.seat = self.rng.choice(case.seats)
        self.others = [one for one in case.seats if one != self.seat]
        data, exchanged, self.segment, self.piles, self.exchange = start(
            case, self.seat, self.rng, pick or self.rng.choice(PICKS[case.game.id])
        )
        plain_state = json.loads(data)
        self.aim = Aim(sorted(set(ids_in(plain_state))), self.exchange.moved, plain_state)
        standing = STANDING.get(case.game.id, ("",))
        dice = SharedDice(seed)
        self.first = First(self, data, dice, self.rng.choice(standing))
        mirrored = MirroredDice(seed, dice, self.exchange)
        self.second = Second(self.first, self, exchanged, mirrored, self.rng.choice(standing))
        self.pauses = self.told = 0

    def run(self) -> Stretch:
        """From pause to pause until a moved piece comes to light; Leak at the first difference."""
        while self.pauses < MOST_PAUSES:
            self.first.advance()
            try:
                self.second.advance()
                parted = False
            except Parted:
                parted = True
            revealed = self.compare_news(parted)
            if revealed or parted:
                return self.stretch("reveal" if revealed else "parted")
            self.compare_knowledge()
            if self.first.table.pause is None:
                return self.stretch("over")
            self.pauses += 1
            try:
                self.reply()
            except Parted:
                return self.stretch("parted")
        return self.stretch("enough")

    def stretch(self, why: str) -> Stretch:
        return Stretch(self.pauses, self.told, why, LONG_ENOUGH.get(self.case.game.id, USUALLY))

    def compare_news(self, parted: bool) -> bool:
        """The same news in the same order, up to the first that legitimately shows a moved piece."""
        for one, other in zip_longest(self.first.news(), self.second.news()):
            if comes_to_light(one, other, self.exchange):
                return True
            if other is None and parted:
                return False
            if one is None or other is None or (one.kind, one.data) != (other.kind, other.data):
                raise Leak(f"{self}: told {one} in one world, {other} in the other")
            self.told += 1
        return False

    def compare_knowledge(self) -> None:
        one, other = self.first.knowledge(), self.second.knowledge()
        for name, known in one.items():
            if canonical(known) != canonical(other[name]):
                raise Leak(f"{self}: {name}: {difference(known, other[name])}")

    def reply(self) -> None:
        """Replies to the open questions: the same in both worlds, but for the exchange."""
        first, second = self.first, self.second
        first.replies, second.replies = {}, {}
        assert first.table.pause is not None and second.table.pause is not None
        asks = dict(second.table.pause.asks)
        for name, ask in first.table.pause.asks:
            answer = self.reply_to(name, ask, asks.get(name))
            first.replies[name] = first.said[name] = answer
            second.replies[name] = answer if answer is SILENCE else self.exchange(answer)

    def reply_to(self, name: str, ask: Ask, twin: Ask | None) -> Answer:
        """An answer that both worlds offer."""
        if twin is None:
            raise Parted
        for attempt in range(8):
            answer = self.choice(f"{name}/{attempt}", ask, self.first.table.view(ask.seat))
            if answer is SILENCE or twin.options.contains(self.exchange(answer)):
                return answer
        raise Parted

    def choice(self, name: str, ask: Ask, view: View) -> Answer:
        """Often the default: stretches get longer. Silence for the seat alone, whose default is the same."""
        rng = Random(f"{self.seed}/{name}")
        if ask.seat == self.seat and rng.random() < 0.2:
            return SILENCE
        if rng.random() < 0.4:
            return ask.default
        return self.game.bots["random"](view, ask, rng)

    def quiet(self, name: str, ask: Ask) -> Answer | None:
        """Something that only others hear of."""
        rng = Random(f"{self.seed}/{name}/quiet")
        if ask.seat == self.seat or not ask.volunteer or self.game.id not in QUIET or rng.random() < 0.5:
            return None
        answer = QUIET[self.game.id](ask, self.seat, rng)
        return answer if answer is not None and ask.options.contains(answer) else None

    def __str__(self) -> str:
        where = f"from {self.segment.key}, {self.exchange}"
        return f"{self.case} {self.tempo} pair {self.seed}, {self.seat}, {where}"


def difference(one: Any, other: Any) -> str:
    """The first place where two plain values differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            if one[key] != other[key]:
                return f"{key}: {difference(one[key], other[key])}"
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for n, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            if mine != theirs:
                return f"[{n}] {difference(mine, theirs)}"
    return f"{one!r} | {other!r}"


# ------------------------------------------------------------------ where a pair starts


Shuffles = list[tuple[str, str, tuple[str, ...]]]  # root, label, order


def start(
    case: Case, seat: Seat, rng: Random, pick: Pick
) -> tuple[bytes, bytes, Segment, Shuffles, Exchange]:
    """A seam of some game by automata, and an exchange there that moves something."""
    for _ in range(200):
        state, segment, piles = seam_of(case, rng)
        exchange = pick(state, seat, case.game.hidden(state, seat), rng)
        if exchange is None:
            continue
        data = canonical(case.game.dump(state))
        exchanged = canonical(exchange.position(json.loads(data)))
        if exchanged != data:
            return data, exchanged, segment, piles, exchange
    raise AssertionError(f"{case}: nothing is hidden from {seat}")


def seam_of(case: Case, rng: Random) -> tuple[Any, Segment, Shuffles]:
    """The state at a random seam, and the piles that were shuffled before it."""
    lines = game_of(str(case), case, rng.randrange(6))
    seams = [n for n, line in enumerate(lines) if line["k"] == "seam"]
    at, codec = rng.choice(seams), codec_of(case.game)
    state, _ = case.game.set_up(case.game.load_pack(), case.settings())
    for line in lines[:at]:
        if line["k"] == "fact":
            codec.fact(line).apply(state)
    mixed = [line for line in lines[:at] if line["k"] == "shuffle"]
    piles = [(line["root"], line["label"], tuple(line["order"])) for line in mixed]
    return state, read_segment(lines[at]), piles


_games: dict[tuple[str, int], list[dict[str, Any]]] = {}


def game_of(name: str, case: Case, seed: int) -> list[dict[str, Any]]:
    """The lines of a whole game; kept, because many pairs start in it."""
    if (name, seed) not in _games:
        bots = sorted(case.game.bots)
        table = automatic(case, seed, bots[seed % len(bots)])
        _games[name, seed] = [line.data for line in table.journal.lines]
    return _games[name, seed]
