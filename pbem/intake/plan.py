"""What a letter still lacks before it runs, and what the CONFIRM of somebody who was asked has given it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection

from engine.kernel.fairness.audit import SentMark
from pbem.campaigns import submit
from pbem.campaigns.submit import Submission
from pbem.intake.context import Heard, RetryLater
from pbem.letters.memo import Note, Part
from pbem.letters.receipt import ReceiptOutcome, board_after
from pbem.mail.compose import Enclosure
from pbem.orders.understood import Command, Given, Understood
from pbem.store.inbox import WAITS_FOR_CLOSE
from pbem.store.windows import keep_mark
from pbem.verbs import press
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.leaving import Stop
from pbem.verbs.orders import Lang, Ready, Wait
from pbem.verbs.registry import REGISTRY

PROOF: Final = "proof"  # it is not proven who wrote it
SERIOUS: Final = "serious"  # it asks for something that is done only when that is beyond doubt
GOOD_LINES: Final = "good-lines"  # a bad line holds the sheet; the others are to count
WITHDRAW: Final = "empty-block"
STOP: Final = "stop-of-a-seat"
# The codes of questions of the order reader stand beside these.


@dataclass(frozen=True, slots=True)
class Granted:
    """What was said yes to, and what of the letter had been done before."""

    codes: frozenset[str] = frozenset()
    done: frozenset[int] = frozenset()  # commands, by the number of their first line
    filed: bool = False  # its orders

    @property
    def is_confirmed(self) -> bool:
        return bool(self.codes)

    def told(self, window: int, answers: int, roles: Iterable[str]) -> dict[str, Any]:
        """As it is kept with the question. `window`: for which its orders are; 0: it has none."""
        return {
            "codes": sorted(self.codes),
            "done": sorted(self.done),
            "filed": self.filed,
            "window": window,
            "answers": answers,
            "roles": list(roles),
        }


NOTHING: Final = Granted()


def read_granted(data: Mapping[str, Any]) -> Granted:
    return Granted(frozenset(data["codes"]), frozenset(data["done"]), bool(data["filed"]))


def remaining(understood: Understood, granted: Granted) -> Understood:
    """The letter without the questions that were answered with yes."""
    if not granted.codes:
        return understood
    left = tuple(one for one in understood.questions if one.code not in granted.codes)
    return replace(understood, questions=left)


# They say how the rest of the letter is taken.
OWN: Final = tuple(verb.command for verb in REGISTRY.verbs if verb.handler is None)


@dataclass(frozen=True, slots=True)
class Planned:
    """A command and what comes of it. `lacks`: what it is not done without; "": nothing."""

    given: Given
    deed: VerbResult
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a letter would do, computed; and what it lacks."""

    heard: Heard
    understood: Understood  # without the questions that were answered with yes
    granted: Granted = NOTHING
    deeds: tuple[Planned, ...] = ()
    submission: Submission | None = None
    orders_lack: str = ""
    board: tuple[Part, ...] = ()  # as the orders would leave it, where the game shows it

    @property
    def context(self) -> LetterContext:
        return self.heard.context

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
        found = {one.lacks for one in self.deeds} | {self.orders_lack}
        found |= {one.code for one in self.understood.questions if one.confirmable}
        if not self.context.proven and (self.asks or (self.context.seat and SERIOUS in found)):
            found.add(PROOF)
        return frozenset(found - {""})

    @property
    def is_rehearsal(self) -> bool:
        return self.understood.is_rehearsal

    @property
    def has_orders(self) -> bool:
        """Of a window, so that they make no sense in another."""
        return self.understood.has_orders or WITHDRAW in {one.code for one in self.understood.questions}


def plan(heard: Heard, granted: Granted = NOTHING, own: Sequence[type[Command]] = OWN) -> Plan:
    """What the letter would do now. `own`: commands that somebody else sees to."""
    understood = remaining(heard.understood, granted)
    if understood.verdict == "asks":
        return Plan(heard, understood, granted)
    heard = _in_new_language(heard)
    context = heard.context
    commands = [one for one in _commands(heard, granted) if not isinstance(one.command, tuple(own))]
    changing = [one for one in commands if not REGISTRY.of(one.command).is_information]
    files = _files(understood, granted) and bool(context.seat)
    frozen = context.window is not None and context.window.state == "frozen"
    if frozen and context.seat and (files or changing):
        raise RetryLater(WAITS_FOR_CLOSE)
    too_many = press.beyond_one_letter([one for one in commands if isinstance(one.command, press.Press)])
    deeds = tuple(
        Planned(one, too_many[one]) if one in too_many else _planned(context, one) for one in commands
    )
    if not files:
        return Plan(heard, understood, granted, deeds)
    good, withdraws = GOOD_LINES in granted.codes, WITHDRAW in granted.codes
    submission = submit.prepare(context, understood, take_good=good, withdraw=withdraws)
    lacks = "" if context.proven or understood.is_rehearsal else PROOF
    board = () if lacks else _board(context, submission, understood)
    return Plan(heard, understood, granted, deeds, submission, lacks, board)


def _board(context: LetterContext, submission: Submission, understood: Understood) -> tuple[Part, ...]:
    """Drawn here, since no transaction is open yet; not for a receipt that the result will replace."""
    if submission.board is None:
        return ()
    waits = any(isinstance(one.command, Wait) for one in understood.commands)
    read = understood.is_rehearsal or waits or not submit.is_last_word(context, submission)
    return board_after(context.campaign.terms.game, submission.board, context.phrases, drawn=read)


def _in_new_language(heard: Heard) -> Heard:
    """A letter that sets its writer's language is answered in it, from the first word to the last."""
    context = heard.context
    wished = [one.command.language for one in heard.understood.commands if isinstance(one.command, Lang)]
    if not wished or not context.proven or context.person is None:
        return heard
    recipient = replace(context.recipient, language=wished[-1])
    return replace(heard, context=replace(context, recipient=recipient))


def _commands(heard: Heard, granted: Granted) -> list[Given]:
    """Those that have not been done yet; STOP of a seat is one only when it was confirmed."""
    found = [one for one in heard.understood.commands if one.lines[0].number not in granted.done]
    if STOP in granted.codes:
        stops = [one for one in heard.understood.questions if one.code == STOP]
        found += [Given(Stop(), one.lines) for one in stops[:1]]
    return found


def _files(understood: Understood, granted: Granted) -> bool:
    if granted.filed:
        return False
    return understood.has_orders or bool(understood.standing.lines) or WITHDRAW in granted.codes


def _planned(context: LetterContext, given: Given) -> Planned:
    verb = REGISTRY.of(given.command)
    deed = verb.handle(context, given.command)
    if deed.serious and not context.sure:
        return Planned(given, deed, SERIOUS)
    # Information goes to a registered address: whoever asks for it, it is told.
    if verb.is_information or context.proven:
        return Planned(given, deed)
    return Planned(given, deed, PROOF if deed.effect is not None or deed.salt else "")


# ------------------------------------------------------------------ the transaction


@dataclass(slots=True)
class Ran:
    """What was done, for the answer."""

    plan: Plan
    outcome: ReceiptOutcome = "answered"
    parts: list[Part] = field(default_factory=list)
    enclosures: list[Enclosure] = field(default_factory=list)
    rings: set[str] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    salt: str = ""
    submitted: bool = False  # something was put on file
    held: bool = False  # a bad line holds the sheet, and there are good ones

    @property
    def filed(self) -> bool:
        """Were its orders put on file, as far as they will be?"""
        return self.outcome in ("filed", "stale", "withdrawn") and not self.held

    @property
    def lacks(self) -> frozenset[str]:
        found = self.plan.lacks if not self.plan.asks or self.plan.is_answerable else frozenset()
        return found | {GOOD_LINES} if self.held else found


def run(tx: Connection, planned: Plan) -> Ran:
    """Do what lacks nothing: commands in the order of the letter, orders, what tells of them, its mark."""
    ran = Ran(planned, outcome="asks" if planned.asks else "answered")
    telling = [one for one in planned.deeds if REGISTRY.of(one.given.command).shows_file]
    for one in planned.deeds:
        if one in telling:
            continue
        if (early := _said_too_early(planned, one)) is not None:
            ran.parts.append(early)
        else:
            _do(tx, one, ran)
    if planned.submission is not None and not planned.orders_lack:
        _submit(tx, planned.submission, ran)
    for one in telling:
        _do(tx, one, ran)
    keep_letters_mark(tx, planned, ran.salt)
    return ran


def _said_too_early(planned: Plan, one: Planned) -> Note | None:
    """READY with a line that holds the sheet: its writer has not seen that yet. CONFIRM says both."""
    submission = planned.submission
    if submission is None or not submission.held or planned.is_rehearsal or one.lacks:
        return None
    if not isinstance(one.given.command, Ready):
        return None
    return Note("ready-held", {"good": submission.has_good_lines})


def _do(tx: Connection, one: Planned, ran: Ran) -> None:
    if one.lacks:
        return
    ran.parts += one.deed.answer
    if one.deed.effect is not None:
        ran.parts += one.deed.effect(tx)
    ran.enclosures += one.deed.enclosures
    ran.rings |= one.deed.rings
    ran.salt = one.deed.salt or ran.salt
    ran.done.add(one.given.lines[0].number)


def _submit(tx: Connection, submission: Submission, ran: Ran) -> None:
    if ran.plan.is_rehearsal:
        ran.outcome = "rehearsed"
        return
    ran.outcome = submit.file(tx, submission.campaign.name, submission, ran.parts)
    ran.held = ran.outcome == "held" and submission.has_good_lines
    ran.submitted = True


def mark_of(planned: Plan, salt: str) -> SentMark | None:
    """What the letter adds to the dice; None: no player's, not proven, or all is played.

    A reply to the invitation goes into the first dice.
    """
    context = planned.context
    over = context.campaign_row is None or context.campaign_row.state == "over"
    if not context.seat or not context.proven or over:
        return None
    return SentMark(context.letter.message_id, planned.heard.arrival.proof.b, salt)


def keep_letters_mark(tx: Connection, planned: Plan, salt: str) -> None:
    sent, context = mark_of(planned, salt), planned.context
    if sent is not None and context.campaign_row is not None:
        received = context.received
        keep_mark(tx, context.campaign_row.id, context.seat, received.id, sent, received.arrived)
