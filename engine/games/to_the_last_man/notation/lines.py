"""Lines of a sheet: one order each, where it holds, and whether it lasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from engine.games.to_the_last_man.answers import CombatCards, Declare, Ersatz, Goals, Loss
from engine.games.to_the_last_man.notation.cardplay import BattleOrder, PlayOrder, together
from engine.games.to_the_last_man.notation.clauses import GENERAL, SPECIAL, Clause, Item
from engine.games.to_the_last_man.notation.conditions import write_condition
from engine.games.to_the_last_man.notation.fighting import LosePreference, ersatz_together, preferred_loss
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.notation.retreats import goals_together
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Language, Line, Said, Tempo, Window
from engine.kernel.requests import Ask
from engine.kernel.sheet import FiledAnswer, join_lines

JOINT = frozenset(
    {
        "battle.declare",
        "battle.cards",
        "battle.answer",
        "battle.ersatz",
        "battle.loss",
        "battle.instead",
        "battle.cavalry",
        "battle.scramble",
        "battle.retreat",
    }
)
SEQUENCE = frozenset({"reinforce", "turn.act", "production"})
DECLARATION = "battle.declare"
TURN: Mapping[str, tuple[str, ...]] = {  # what each exchange of letters is for (`windows`); "": a Player Turn
    "S": ("setup.take",),
    "R": ("reinforce",),
    "": ("turn.card", "turn.act", DECLARATION),
    "D": (
        "battle.weather",
        "battle.answer",
        "battle.scramble",
        "battle.cavalry",
        "battle.biplanes",
        "battle.ersatz",
        "battle.loss",
        "battle.instead",
        "battle.reroll",
        "battle.forced",
        "battle.retreat",
    ),
    "P": ("production", "reinforce"),
}
OWN_TURN = frozenset({"turn.card", "turn.act", "turn.crisis", "turn.discard", DECLARATION})  # own
PLAYED: Mapping[str, frozenset[str]] = {  # phase of a Player Turn -> what has been asked before it
    "moves": frozenset({"turn.card"}),
    "declare": frozenset({"turn.card", "turn.act"}),
    **dict.fromkeys(("answer", "battle", "end"), frozenset({"turn.card", "turn.act", DECLARATION})),
}
BETWEEN = ("reinforce", "production", "over")  # phases outside a Player Turn
STRICT: Mapping[str, tuple[str, ...]] = {  # what has not been asked singly before
    "": ("turn.act", DECLARATION),
}


@dataclass(frozen=True, slots=True)
class OrderLine(Line):
    """One item. A line of a sheet with several, or for several areas, is several of these."""

    _own_names: ClassVar = frozenset({"clause", "always_serves", "answers", "order", "as_standing"})

    item: Item
    place: str = ""  # AT: an area, "*", FRONT, NEW; '' : none was named
    lasting: bool = False
    number: int = field(default=0, compare=False)
    rank: int = field(default=1, compare=False)  # among standing orders of its kind and place
    phase: str = field(default="", compare=False)  # the question that a SHIFT is meant for; '' : any
    plan: str = field(default="", compare=False)  # the whole battle plan of its sheet

    @property
    def clause(self) -> Clause:
        return self.item.clause

    @property
    def is_planned(self) -> bool:
        return all(clause.planned for clause in self.item.clauses()) and not self.lasting

    @property
    def stays(self) -> bool:
        return self.clause.stays

    @property
    def decides(self) -> str:
        """Of a sequence each order serves once, but for a policy; of a joint answer many give parts."""
        clause, pen = self.clause, Pen("en")
        topic = clause.topics[0]
        if not (clause.stays if topic in SEQUENCE else clause.single or topic not in JOINT):
            return ""
        question = clause.kind if topic in SEQUENCE | JOINT else topic
        condition = write_condition(self.item.condition, pen) if self.item.condition else ""
        return f"{question} {self.place or clause.place()} {condition}"

    @property
    def always_serves(self) -> bool:
        """Is none of its kind and place behind it ever tried?"""
        return self.clause.always_fits and not self.item.condition

    @property
    def contingent(self) -> bool:
        """It is there for a case that may never come."""
        return bool(self.item.condition) or all(clause.planned for clause in self.item.clauses())

    # ------------------------------------------------------------ answers

    def attempt(self, ask: Ask, view: View) -> Said | None:
        if ask.topic == DECLARATION and self.plan:
            return self._declared(ask, view)
        if not self.answers(ask.topic) or (self.phase and ask.topic in SEQUENCE and ask.topic != self.phase):
            return None
        if self.place and not _lies_in(self.place, ask.given.place(), view):
            return None
        return self.item.attempt(ask, view)

    def _declared(self, ask: Ask, view: View) -> Said | None:
        """The declaration takes the battle plan along; without one just the compulsory battles are meant."""
        said = self.item.attempt(ask, view) if self.answers(ask.topic) else None
        if said is not None:
            return Said(replace(said.value, plan=self.plan))
        return Said(Declare(tuple(ask.given.compulsory), self.plan)) if self.is_planned else None

    def answers(self, topic: str) -> bool:
        return any(topic in clause.topics for clause in self.item.clauses())

    def serves(self, ask: Ask, beside: bool = False) -> bool:
        """It answers that itself, or `beside` another line: battles are declared by one line alone, with
        which the lines of the battle plan only go along.
        """
        return self.answers(ask.topic) and not (beside and ask.topic == DECLARATION)

    def is_weighed(self, ask: Ask, view: View) -> bool:
        """Its condition decides whether it answers that."""
        if not self.item.condition or not self.answers(ask.topic):
            return False
        return not self.place or _lies_in(self.place, ask.given.place(), view)

    def makes_turn(self, window: Window, view: View, tempo: Tempo) -> bool:
        """2.II A card, a move, a declaration of battles or PASS; in other phases what those are for.

        In `fast` reinforcements come with the production before them, in `strict` cards are asked for singly.
        A bid, a battle plan, an exchange of cards, what excess or lack of supply costs are said beside it.
        """
        part = window.key.rpartition(".")[2]
        kind = "" if part.isdigit() else part
        wanted = STRICT.get(kind, TURN[kind]) if tempo == "strict" else TURN[kind]
        if kind == "P" and (tempo != "fast" or view.turn == view.last_turn):
            wanted = ("production",)  # no reinforcements are asked for with it
        return not self.lasting and (any(map(self.answers, wanted)) or (not kind and self._passes))

    @property
    def _passes(self) -> bool:
        """PASS says, too, that nothing is moved."""
        return isinstance(self.clause, PlayOrder) and self.clause.always_fits

    # ------------------------------------------------------------ filing and writing

    def slot(self) -> str:
        return f"{self.order()}/{self.rank:02}" if self.lasting else ""

    def series(self) -> str:
        return self.order() if self.lasting else ""

    def order(self) -> str:
        """Sorts a named area before FRONT and NEW, and those before what holds everywhere."""
        place = self.place or self.clause.place() or GENERAL
        if place == "*":
            place = GENERAL
        elif place in ("FRONT", "NEW"):
            place = SPECIAL + place
        return f"{place}/{self.clause.kind}"

    def as_standing(self) -> OrderLine | None:
        """The same as a standing order; None: an order of one turn."""
        if not all(clause.lasting for clause in self.item.clauses()):
            return None
        return replace(self, lasting=True, plan="", phase="")

    def write(self, language: Language = "en") -> str:
        pen = Pen(language)
        always = f"{pen.word('prefix', 'ALWAYS')} " if self.lasting else ""
        at = f"{pen.word('prefix', 'AT')} {pen.value(self.place)}: " if self.place else ""
        return f"{always}{at}{self.item.write(pen)}"

    def check(self, view: View) -> Refusal | None:
        for clause in self.item.clauses():
            if (refusal := clause.refusal(self.place, view)) is not None:
                return replace(refusal, line=self.number)
        return None

    def is_over(self, view: View) -> bool:
        """2.II Its part of the own Player Turn has been played."""
        if self.lasting or view.phasing != view.side:
            return False
        topics = {topic for clause in self.item.clauses() for topic in clause.topics}
        return topics <= PLAYED.get(view.phase, frozenset())

    def out_of_turn(self, view: View) -> Refusal | None:
        """2.II Orders of a Player Turn are those of whose turn it is; they are not kept for another."""
        topics = {topic for clause in self.item.clauses() for topic in clause.topics}
        others = view.phase not in BETWEEN and view.phasing not in ("", view.side)
        if self.lasting or not others or not topics & OWN_TURN or not topics <= OWN_TURN | SEQUENCE:
            return None
        return Illegal("TTLM-2.II.1-01", "not-your-turn", {"side": view.phasing}, self.number)


def _lies_in(place: str, area: str, view: View) -> bool:
    if place == "*" or not area:
        return True
    if place == "FRONT":
        return view.status[area] == "disputed"
    return area in view.entered if place == "NEW" else area == place


# ------------------------------------------------------------------ several lines, one answer


def joined(ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
    """What these lines say together where each gives a part; None: the first of them decides alone."""
    own = [line for line in lines if isinstance(line, OrderLine) and line.answer(ask, view) is not None]
    if len(own) < 2:
        return None
    if ask.topic == DECLARATION:
        return own[0].answer(ask, view)  # the others are lines of the battle plan that it takes along
    said = [
        (*line.item.applying(ask, view), value)
        for line, value in zip(own, _values(own, ask, view), strict=True)
    ]
    clauses = [clause for clause, _, _ in said if clause is not None]
    whole: CombatCards | Goals | Ersatz | Loss | None
    if ask.topic in ("battle.cards", "battle.answer"):
        whole = together(
            ask, [(one, where, part) for one, (_, where, part) in zip(clauses, said, strict=True)]
        )
    elif ask.topic == "battle.ersatz":
        whole = ersatz_together(ask, view, clauses)
    elif ask.topic == "battle.loss":
        preferences = [one for one in clauses if isinstance(one, LosePreference)]
        tells = len(preferences) == len(clauses)
        whole = preferred_loss(ask, view, preferences) if tells else None
    else:
        ranks = [f"{line.lasting} {line.order()}" for line in own]
        parts = [part for _, _, part in said]
        whole = goals_together(ask, list(zip(clauses, ranks, parts, strict=True)))
    return None if whole is None else Said(whole)


def _values(lines: Sequence[OrderLine], ask: Ask, view: View) -> list[Any]:
    return [said.value for line in lines if (said := line.answer(ask, view)) is not None]


def answered(ask: Ask, lines: Sequence[OrderLine], view: View) -> tuple[Said | None, tuple[OrderLine, ...]]:
    """What a battle plan says, and which of its lines: the first that is offered, or several together."""
    found = [line for line in lines if line.answer(ask, view) is not None]
    if not found:
        return None, ()
    said = found[0].answer(ask, view)
    if said is None or ask.topic not in JOINT:
        return said, (found[0],)
    filed = join_lines(ask, FiledAnswer(said.value, "plan"), found, view, joined)
    decided = (filed.line, *filed.also)
    return Said(filed.answer), tuple(line for line in found if line in decided)


def in_order(lines: Sequence[OrderLine]) -> list[OrderLine]:
    """As they serve: orders of a turn as written; the battle plan, the particular before the general; what
    production buys, by its stages (7.6-05); and the end of it all.
    """

    def place(line: OrderLine) -> tuple[int, str]:
        if line.is_planned:
            return 1, line.order()
        stage = line.clause.stage
        serves = stage >= 0 and line.phase in ("", "production")
        return (2 + stage, "") if serves else (0, "")

    return sorted(lines, key=place)


def is_declaration(line: OrderLine) -> bool:
    return isinstance(line.clause, BattleOrder)
