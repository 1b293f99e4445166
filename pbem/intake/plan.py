"""What a letter would do, what it still lacks before it does that, and doing it.

`Plan` is computed outside any transaction; `run_plan` does what lacks nothing, inside the letter's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection

from engine.kernel.fairness.audit import SentMark
from pbem.intake.filing import Submission, WindowState, file_submission, is_last_word, prepare_submission
from pbem.intake.outcome import RetryLater
from pbem.letters.memo import Note, Part, Passage
from pbem.letters.receipt import ReceiptOutcome, board_after
from pbem.mail.compose import Enclosure
from pbem.orders.understood import Command, GivenCommand, Understood
from pbem.store.inbox import WAITS_FOR_CLOSE, store_mark
from pbem.store.outbox import ConfirmQuestion
from pbem.verbs import press
from pbem.verbs.context import Effect, LetterContext, VerbResult
from pbem.verbs.leaving import Stop
from pbem.verbs.orders import CUT, Lang, Ready, Wait
from pbem.verbs.registry import REGISTRY

PROOF: Final = "proof"  # it is not proven who wrote it
SERIOUS: Final = "serious"  # it asks for something that is done only when that is beyond doubt
GOOD_LINES: Final = "good-lines"  # a bad line holds the sheet; the others are to count
WITHDRAW: Final = "empty-block"
STOP: Final = "stop-of-a-seat"
# The codes of questions of the order reader stand beside these.


@dataclass(frozen=True, slots=True)
class Granted:
    """What CONFIRM has granted, and what of the letter had been done before."""

    codes: frozenset[str] = frozenset()
    done: frozenset[int] = frozenset()  # commands, by the number of their first line
    filed: bool = False  # its orders

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Granted:
        return cls(frozenset(data["codes"]), frozenset(data["done"]), bool(data["filed"]))

    def to_dict(self, window: int, answers: int, roles: Iterable[str]) -> dict[str, Any]:
        """As it is stored with the question. `window`: for which its orders are; 0: it has none."""
        return {
            "codes": sorted(self.codes),
            "done": sorted(self.done),
            "filed": self.filed,
            "window": window,
            "answers": answers,
            "roles": list(roles),
        }


NOTHING: Final = Granted()

# They say how the rest of the letter is taken.
OWN: Final = tuple(verb.command for verb in REGISTRY.verbs if verb.handler is None)


@dataclass(frozen=True, slots=True)
class PlannedCommand:
    """A command and what comes of it. `lacks`: what it is not done without; "": nothing."""

    given: GivenCommand
    result: VerbResult
    lacks: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a letter would do, computed; and what it lacks."""

    context: LetterContext
    understood: Understood  # without the questions that were answered with yes
    granted: Granted = NOTHING
    commands: tuple[PlannedCommand, ...] = ()
    submission: Submission | None = None
    orders_lack: str = ""
    board: tuple[Part, ...] = ()  # as the orders would leave it, where the game shows it
    confirms: Confirmation | Note | None = None  # what its CONFIRM is about
    drops: Confirmation | Note | None = None  # the question that its CANCEL drops

    @property
    def asks(self) -> bool:
        """Nothing of it runs before it is answered."""
        return self.understood.verdict == "asks"

    @property
    def is_answerable(self) -> bool:
        """Would CONFIRM be enough?"""
        return all(one.confirmable for one in self.understood.questions if one.holds)

    @property
    def lacks(self) -> frozenset[str]:
        """What CONFIRM would have to grant; the questions that do not hold the letter among them."""
        found = {one.lacks for one in self.commands} | {self.orders_lack}
        found |= {one.code for one in self.understood.questions if one.confirmable}
        if not self.context.proven and (self.asks or (self.context.seat and SERIOUS in found)):
            found.add(PROOF)
        return frozenset(found - {""})

    @property
    def has_orders(self) -> bool:
        """Of a window, so that they make no sense in another."""
        return self.understood.has_orders or WITHDRAW in {one.code for one in self.understood.questions}

    @property
    def expects(self) -> str:
        """What most likely becomes of the letter; if it is something else, that is written over it."""
        return "filed" if self.submission is not None and not self.understood.is_rehearsal else "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """A question of ours that a letter answers. `again`: the letter it asked about, planned anew.

    Without one: `effect`, in the letter's transaction; what it returns is said.
    """

    question: ConfirmQuestion
    again: Plan | None = None
    outcome: str = "confirmed"
    effect: Effect = lambda tx: ()


def make_plan(
    context: LetterContext,
    understood: Understood,
    granted: Granted = NOTHING,
    own: Sequence[type[Command]] = OWN,
) -> Plan:
    """What the letter would do now. `own`: commands that somebody else sees to."""
    if context.answered is not None and context.answered.letter.kind == "press":
        understood = press.pass_courtesies_on(context, understood)
    commands = _commands(understood, granted)
    left = tuple(one for one in understood.questions if one.code not in granted.codes)
    understood = replace(understood, questions=left)
    plan = Plan(context=context, understood=understood, granted=granted)
    if plan.asks:
        return plan
    context = _in_new_language(context, understood)
    commands = [one for one in commands if not isinstance(one.command, tuple(own))]
    changing = [one for one in commands if not REGISTRY.of(one.command).is_information]
    files = _files(understood, granted) and bool(context.seat)
    frozen = context.window is not None and context.window.state == "frozen"
    if frozen and context.seat and (files or changing):
        raise RetryLater(WAITS_FOR_CLOSE)
    plan = replace(plan, context=context, commands=_plan_commands(context, commands))
    return _plan_orders(plan) if files else plan


def plan_orders_alone(context: LetterContext, understood: Understood, *, tried: bool) -> Plan:
    """Only what it files, with READY or WAIT, which say when that is played: the rest cannot be done.

    `tried`: on the rules, which may be what cannot be done.
    """
    stances = tuple(one for one in understood.commands if isinstance(one.command, Ready | Wait))
    files = _files(understood, NOTHING) and bool(context.seat) and not understood.is_rehearsal
    plan = Plan(context=context, understood=replace(understood, commands=stances))
    if plan.asks or not files:
        return plan
    return _with_submission(replace(plan, commands=_plan_commands(context, stances)), tried=tried)


def _plan_orders(plan: Plan) -> Plan:
    plan = _with_submission(plan)
    if plan.orders_lack or plan.submission is None:
        return plan
    return replace(plan, board=_board(plan.context, plan.submission, plan.understood))


def _with_submission(plan: Plan, *, tried: bool = True) -> Plan:
    context, understood, codes = plan.context, plan.understood, plan.granted.codes
    good, withdraw = GOOD_LINES in codes, WITHDRAW in codes
    submission = prepare_submission(context, understood, take_good=good, withdraw=withdraw, tried=tried)
    lacks = "" if context.proven or understood.is_rehearsal else PROOF
    return replace(plan, submission=submission, orders_lack=lacks)


def _board(context: LetterContext, submission: Submission, understood: Understood) -> tuple[Part, ...]:
    """Drawn here, since no transaction is open yet; not for a receipt that the result will replace."""
    if submission.board is None:
        return ()
    waits = any(isinstance(one.command, Wait) for one in understood.commands)
    drawn = understood.is_rehearsal or waits or not is_last_word(context, submission)
    return board_after(context.campaign.terms.game, submission.board, context.phrases, drawn=drawn)


def _in_new_language(context: LetterContext, understood: Understood) -> LetterContext:
    """A letter that sets its writer's language is answered in it, from the first word to the last."""
    wished = [one.command.language for one in understood.commands if isinstance(one.command, Lang)]
    if not wished or not context.proven or context.person is None:
        return context
    return replace(context, recipient=replace(context.recipient, language=wished[-1]))


def _commands(understood: Understood, granted: Granted) -> list[GivenCommand]:
    """Those that have not been done yet; STOP of a seat is one only when it was confirmed."""
    found = [one for one in understood.commands if one.lines[0].number not in granted.done]
    if STOP in granted.codes:
        stops = [one for one in understood.questions if one.code == STOP]
        found += [GivenCommand(Stop(), one.lines) for one in stops[:1]]
    return found


def _files(understood: Understood, granted: Granted) -> bool:
    if granted.filed:
        return False
    return understood.has_orders or bool(understood.standing.lines) or WITHDRAW in granted.codes


def _plan_commands(context: LetterContext, commands: Sequence[GivenCommand]) -> tuple[PlannedCommand, ...]:
    letters = [one for one in commands if isinstance(one.command, press.Press)]
    too_many = press.refuse_surplus(letters) if letters else {}
    return tuple(
        PlannedCommand(one, too_many[one]) if one in too_many else _plan_command(context, one)
        for one in commands
    )


def _plan_command(context: LetterContext, given: GivenCommand) -> PlannedCommand:
    verb = REGISTRY.of(given.command)
    result = verb.handle(context, given.command)
    if result.serious and not context.sure:
        return PlannedCommand(given, result, SERIOUS)
    # Information goes to a registered address: whoever asks for it, it is told.
    if verb.is_information or context.proven:
        return PlannedCommand(given, result)
    return PlannedCommand(given, result, PROOF if result.effect is not None or result.salt else "")


# ------------------------------------------------------------------ the transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What one transaction did, for the answer."""

    plan: Plan
    outcome: ReceiptOutcome = "answered"
    parts: tuple[Part, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()
    adjudicate: frozenset[str] = frozenset()  # campaigns that may go on now
    done: frozenset[int] = frozenset()  # commands, by the number of their first line
    salt: str = ""
    submitted: bool = False  # something was put on file
    kept_standing: bool = False  # there were standing orders in the sheet that it replaced
    held: bool = False  # a bad line holds the sheet, and there are good ones
    again: Applied | None = None  # the letter that its CONFIRM ran
    after: WindowState | None = None  # how its seat's window stands now; None: no seat's

    @property
    def context(self) -> LetterContext:
        return self.plan.context

    @property
    def main(self) -> Applied:
        """What was carried out, be it the letter of a CONFIRM."""
        return self.again or self

    @property
    def every(self) -> tuple[Applied, ...]:
        """The letter that its CONFIRM ran, and the letter itself."""
        return (self,) if self.again is None else (self.again, self)

    @property
    def asked_about(self) -> Applied:
        """What the answer asks about, if anything is lacking."""
        return self.again if self.again is not None and self.again.lacks else self

    @property
    def filed(self) -> bool:
        """Were its orders put on file, as far as they will be?"""
        return self.outcome in ("filed", "stale", "withdrawn") and not self.held

    @property
    def lacks(self) -> frozenset[str]:
        found = self.plan.lacks if not self.plan.asks or self.plan.is_answerable else frozenset()
        return found | {GOOD_LINES} if self.held else found


def run_plan(tx: Connection, plan: Plan) -> Applied:
    """Do what lacks nothing: commands in the order of the letter, orders, what tells of them, its mark.

    What is serious comes after the orders: it may end the game, or give the seat away.
    """
    applied = Applied(plan=plan, outcome="asks" if plan.asks else "answered")
    telling = [one for one in plan.commands if REGISTRY.of(one.given.command).shows_file]
    serious = [one for one in plan.commands if one.result.serious and one not in telling]
    for one in plan.commands:
        if one not in telling and one not in serious:
            applied = _run_command(tx, one, applied)
    if plan.submission is not None and not plan.orders_lack:
        applied = _submit(tx, plan.submission, applied)
    for one in (*serious, *telling):
        applied = _run_command(tx, one, applied)
    context, mail, sent = plan.context, plan.context.mail, mark_of(plan, applied.salt)
    if sent is not None:
        store_mark(tx, context.campaign_name, context.seat, mail.id, sent, mail.arrived)
    return applied


def _run_command(tx: Connection, one: PlannedCommand, applied: Applied) -> Applied:
    if one.lacks:
        return applied
    if (early := _ready_too_early(applied.plan, one)) is not None:
        return replace(applied, parts=(*applied.parts, early))
    result = one.result
    said = result.effect(tx) if result.effect is not None else ()
    return replace(
        applied,
        parts=(*applied.parts, *result.answer, *(_beside_orders(part, applied.plan) for part in said)),
        enclosures=(*applied.enclosures, *result.enclosures),
        adjudicate=applied.adjudicate | result.adjudicate,
        salt=result.salt or applied.salt,
        done=applied.done | {one.given.lines[0].number},
    )


def _ready_too_early(plan: Plan, one: PlannedCommand) -> Note | None:
    """READY with a line that holds the sheet: its writer has not seen that yet. CONFIRM says both."""
    submission = None if plan.understood.is_rehearsal else plan.submission
    if submission is None or not submission.held or not isinstance(one.given.command, Ready):
        return None
    return Note("ready-held", {"good": submission.has_good_lines})


def _beside_orders(part: Part, plan: Plan) -> Part:
    """What was withdrawn is told otherwise where the same letter orders something else in its place."""
    submission = None if plan.orders_lack or plan.understood.is_rehearsal else plan.submission
    new = submission is not None and submission.sheet is not None and submission.sheet.orders.strip()
    if isinstance(part, Note) and part.code == "cancelled" and new:
        return Note("cancelled-replaced", part.facts)
    if isinstance(part, Passage) and part.title is not None and new and part.title.code in CUT:
        return Note("cancel-replaced", part.title.facts)
    return part


def _submit(tx: Connection, submission: Submission, applied: Applied) -> Applied:
    plan = applied.plan
    if plan.understood.is_rehearsal:
        return replace(applied, outcome="rehearsed")
    outcome, beside, kept = file_submission(tx, applied.context, submission)
    held, parts = outcome == "held" and submission.has_good_lines, (*applied.parts, *beside)
    return replace(applied, outcome=outcome, parts=parts, held=held, submitted=True, kept_standing=kept)


def mark_of(plan: Plan, salt: str) -> SentMark | None:
    """What the letter adds to the dice; None: no player's, not proven, or all is played.

    A reply to the invitation goes into the first dice.
    """
    context = plan.context
    over = context.campaign_row is None or context.campaign_row.state == "over"
    if not context.seat or not context.proven or over:
        return None
    return SentMark(context.letter.message_id, context.proof.b, salt)
