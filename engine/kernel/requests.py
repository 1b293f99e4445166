"""What a rule may ask of the world: a choice, a die, a draw, a shuffle, a change.

Rules are generators that yield these and get the outcome sent back::

    faces = yield Roll(seat, "attack.DE", dice=1, sides=6)      # tuple[int, ...], 1..sides
    answer = yield Ask(...)                                     # an Answer that `options` contains
    answers = yield Together((ask, ask))                        # a tuple of answers, in that order
    items = yield Draw(seat, "tile.DE", cup, count=1)           # tuple[str, ...]
    mixed = yield Shuffle("deck", cards)                        # Mixed: order, top first, and its root
    yield Opening(mixed.root, 0, (seat,))                       # the holder of that card gets its proof
    yield TownCaptured(...)                                     # a Fact; applied when the yield returns
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, NewType, Protocol, TypeAlias

from engine.kernel.contract import Contract
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.fast_dataclass import constructor, fast_frozen

Seat = NewType("Seat", str)
Answer: TypeAlias = Any  # str, int, bool, None, tuples of these, or a frozen dataclass of the game
Audience: TypeAlias = tuple[Seat, ...] | None  # None: everyone

PUBLIC: Audience = None


class Rng(Protocol):
    """Chance for bots and samples; never for the rules."""

    def random(self) -> float: ...
    def randrange(self, stop: int, /) -> int: ...
    def choice(self, seq: Sequence[Any]) -> Any: ...


class Options:
    """What an Ask offers. Refusals may rest only on what the asked seat's view shows."""

    __slots__ = ()

    @abstractmethod
    def why_not(self, answer: Answer) -> Refusal | None:
        """Why the answer is not offered; None: it is."""

    def contains(self, answer: Answer) -> bool:
        """Is the answer offered? Override it only to say the same faster than `why_not`."""
        return self.why_not(answer) is None

    @abstractmethod
    def sample(self, rng: Rng) -> Answer:
        """One of the options, uniform over what is offered or over its parts."""

    @abstractmethod
    def only(self) -> tuple[Answer] | None:
        """The single option, in a tuple, if there is just one."""

    @abstractmethod
    def describe(self) -> Sequence[Answer]:
        """All options; for a large space, examples of each kind."""


class AskDetails:
    """What a seat is told with a question: a game's frozen dataclasses derive from it."""

    __slots__ = ()

    def subject(self) -> str:
        """Whom or what the question is about, where a seat is asked the same of several: a faction."""
        return ""


@fast_frozen
@dataclass(frozen=True, slots=True)
class Ask:
    """A choice that only one seat can make."""

    seat: Seat
    topic: str  # "combat.capture": one notation entry and one phrase each
    at: str  # the segment's key and where: "T3.R5/F9"; an order line matches by topic and place
    given: Any  # a `Given` of the game; None: the topic says it all
    options: Options
    default: Answer  # what happens when the clock runs out; `options` contains it
    secret: bool = False  # options or need depend on what an opponent cannot see
    volunteer: bool = False  # may be done at any time, is never waited for; default: nothing
    plan: str = ""  # a preference the seat gave with an earlier answer of this action, in notation


question = constructor(Ask)  # the same, for those that are put by the thousand


@dataclass(frozen=True, slots=True)
class Together:
    """Sealed questions; goes on when all answers are in, so nobody gains by answering last."""

    asks: tuple[Ask, ...]


@fast_frozen
@dataclass(frozen=True, slots=True)
class Roll:
    """Dice. Always public; `why` holds only words everyone may read."""

    seat: Seat
    why: str
    dice: int = 1
    sides: int = 6


@dataclass(frozen=True, slots=True)
class Draw:
    """Hidden chance: `count` of `items`, without return. The result goes to the seat alone."""

    seat: Seat
    why: str
    items: tuple[str, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A pile is mixed; its order is committed, not shown."""

    why: str
    cards: tuple[str, ...]


class Mixed(NamedTuple):
    """A shuffled pile, top first, and the root that commits to it."""

    order: tuple[str, ...]
    root: str


@dataclass(frozen=True, slots=True)
class Opening:
    """One card of a shuffled pile is proved to those who may see it: its holder, or everyone."""

    root: str
    position: int  # in the pile as it was shuffled, 0: the top
    to: Audience = PUBLIC


TITLE = "title"  # of the part of an account that tells a segment


class Quiet(NamedTuple):
    """Why accounts leave a fact out. `by`: what is told beside it, in the same segment, and says the same.

    Without any, what it changes is to be read in the position that every letter shows, or changes no view.
    """

    reason: str
    by: tuple[str, ...] = ()  # names of classes of facts, or `TITLE`: one of them is enough


class Fact(Contract):
    """The only thing that changes the state: a frozen slotted dataclass in the past tense."""

    __slots__ = ()
    _has_fields: ClassVar[bool] = True

    audience: Audience  # who may read it: a field, or everyone (`PublicFact`)

    @abstractmethod
    def apply(self, state: Any) -> None:
        """Store the outcome. No rule and no chart is consulted."""

    def redacted(self) -> Fact | None:
        """What everyone outside the audience learns; None: nothing."""
        return None

    @property
    def reveals(self) -> bool:
        """Does it show what was hidden? A rehearsal of orders ends before it."""
        return False

    @property
    def quiet(self) -> Quiet | None:
        """Why accounts leave it out; None: they tell it. What was hidden is always told by some fact."""
        return None

    @property
    def is_supposed(self) -> bool:
        """Does it show only what is supposed of hidden things (`Suppositions`)? Then a rehearsal goes on."""
        return False

    @property
    def explains(self) -> bool:
        """Does it only say why something was done? Such facts are left out of short accounts."""
        return False


class PublicFact(Fact, partial=True):
    """Base of the facts that everyone may read."""

    __slots__ = ()
    audience: Audience = PUBLIC


@fast_frozen
@dataclass(frozen=True, slots=True)
class Segment:
    """The unit between two seams. `name` finds the procedure, `args` go to it, `key` is public."""

    name: str
    key: str  # "T3.R5"; unique in a campaign; first part of dice labels
    args: tuple[int | str, ...] = ()

    @property
    def turn(self) -> str:
        """The part of the key that names the turn: "T3"."""
        return self.key.partition(".")[0]


Procedure: TypeAlias = Generator[Any, Any, "Segment | None"]  # a segment returns the next one; None: the end
Step: TypeAlias = Generator[Any, Any, Any]  # a rule within a segment, used with `yield from`


@dataclass(frozen=True, slots=True)
class Choice(Options):
    """Options that can be listed. Everything else is refused with `rule`."""

    offered: tuple[Answer, ...]
    rule: str
    reason: str = "not-offered"

    def contains(self, answer: Answer) -> bool:
        return answer in self.offered

    def why_not(self, answer: Answer) -> Refusal | None:
        return None if answer in self.offered else Illegal(self.rule, self.reason)

    def sample(self, rng: Rng) -> Answer:
        return rng.choice(self.offered)

    def only(self) -> tuple[Answer] | None:
        return (self.offered[0],) if len(self.offered) == 1 else None

    def describe(self) -> Sequence[Answer]:
        return self.offered
