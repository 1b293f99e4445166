"""A letter from the mailbag: opened, checked, heard, carried out and answered, once.

Whatever happens, it ends in one state: applied, held, refused, set aside, quarantined; or, when something
unexpected happens again and again, shunted for the umpire. Nothing is lost, and a second run finds nothing
to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import sleep
from traceback import extract_tb
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from engine.kernel.errors import UnknownGame, WrongPack
from pbem.campaigns.campaign import HasOtherRules, pass_on_if_others
from pbem.campaigns.submit import Afterwards, WindowClosed, afterwards
from pbem.context import ServiceContext
from pbem.intake.bounces import is_good_again
from pbem.intake.checks import looked_up, may_be_answered, run_checks, run_first_checks, strangers_mail
from pbem.intake.confirm import (
    NOTHING_ASKED,
    SHEET,
    Answered,
    confirmed,
    dropped,
    next_granted,
    settle_confirmed,
    settle_dropped,
    settled_before,
)
from pbem.intake.context import Arrival, Heard, LetterOutcome, RetryLater, hear
from pbem.intake.plan import GOOD_LINES, OWN, PROOF, SERIOUS, Plan, Ran, plan, run
from pbem.intake.reply import Answer, lay_answer, tell_umpires
from pbem.letters.memo import Note, Part
from pbem.letters.notices import shunted_memo
from pbem.logs import log
from pbem.mail.mime import open_letter
from pbem.store.advance import HeadMoved
from pbem.store.campaigns import lock, lock_to_file, mark_reviewed, mark_unreviewed
from pbem.store.inbox import (
    REQUEUED,
    WAITS_FOR_CLOSE,
    WAITS_FOR_RULES,
    Received,
    Settled,
    claim_letter,
    give_back,
    put_off,
    resettle_letter,
    settle_letter,
)
from pbem.store.outbox import ConfirmQuestion, NumberTaken, ask
from pbem.store.people import be_quiet, signed_letter_from
from pbem.store.session import is_away, one_view, writing
from pbem.verbs.orders import Cancel, Confirm

AT_ONCE: Final = 3  # tries when somebody else was faster
TRIES: Final = 4  # when something unexpected happens
PAUSES: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 300))
BACK_SECONDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)  # to wait for the database
LONGEST_PAUSE: Final = timedelta(minutes=10)
DATABASE: Final = "database"  # it was away while the letter was read
WAITED_FOR: Final = frozenset({WAITS_FOR_CLOSE, WAITS_FOR_RULES, "closed", "dns", "busy", DATABASE})
FORGIVEN: Final = timedelta(hours=6)  # a letter that the database still fails at may be the reason itself
MOST_DEATHS: Final = 8  # workers that a letter may take with it


def receive_letter(
    service: ServiceContext, number: int, by: str, claimed: Received | None = None
) -> frozenset[str]:
    """Hear a letter; returns the campaigns that must be looked at now. `claimed`: together with others.

    Raises HasOtherRules where workers of another version have to hear it; it is free for them at once.
    """
    received = claimed or claim_letter(service.db, number, by, service.now())
    if received is None:
        return frozenset()
    if received.tries > MOST_DEATHS and received.reason not in WAITED_FOR:
        return _shunt(service, received, "no worker survives it")
    try:
        return _received(service, received)
    except HasOtherRules as left:
        give_back(service.db, number, by, service.now(), WAITS_FOR_RULES, left.campaign)
        raise
    except RetryLater as later:
        _again(service, received, later.reason, later.after)
    except Exception as failure:  # the boundary: what nobody expected is tried again, then shunted
        log().error("letter.trouble", letter=number, trouble=type(failure).__name__, at=_where(failure))
        if is_away(failure) and service.now() - received.taken_in < FORGIVEN:
            _give_back(service, number, by)
            return frozenset()
        if received.tries >= TRIES:
            return _shunt(service, received, type(failure).__name__)
        put_off(service.db, number, service.now() + PAUSES[received.tries - 1], type(failure).__name__)
    return frozenset()


def _give_back(service: ServiceContext, number: int, by: str) -> None:
    """As soon as the database is there again; if that takes too long, the claim ends with its lease."""
    for pause in BACK_SECONDS:
        try:
            give_back(service.db, number, by, service.now() + PAUSES[0], DATABASE)
            return
        except SQLAlchemyError as still:
            if not is_away(still):
                raise
            sleep(pause)


def _where(failure: Exception) -> str:
    """The line it happened in; the failure's own words may be a player's."""
    last = extract_tb(failure.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _received(service: ServiceContext, received: Received) -> frozenset[str]:
    """Several times, if others file, close or write to the same seat at this very moment."""
    for _ in range(AT_ONCE):
        arrival = Arrival(service, received, open_letter(received.raw, (service.addresses.mailbox,)))
        try:
            outcome = run_first_checks(arrival)
            if outcome is not None:
                return _settled(arrival, outcome)
            with one_view(service.db):
                found = run_checks(arrival) or _understood(arrival)
            return _settled(arrival, found) if isinstance(found, LetterOutcome) else _heard(arrival, *found)
        except (WrongPack, UnknownGame) as error:
            if arrival.campaign_row is not None:
                pass_on_if_others(service.db, arrival.campaign_row.id, error)
            raise
        except _Copy:
            return _settled(arrival, LetterOutcome("set-aside", "copy"))
        except (NumberTaken, HeadMoved, _OtherHolder):
            received = arrival.received  # its signature is known by now
        except WindowClosed:
            raise RetryLater("closed") from None
    raise RetryLater("busy")


def _again(service: ServiceContext, received: Received, reason: str, after: timedelta) -> None:
    """Each time a little later; what is waited for may take its time."""
    pause = min(after * 2 ** min(received.tries - 1, 12), LONGEST_PAUSE)
    put_off(service.db, received.id, service.now() + pause, reason)


def _shunt(service: ServiceContext, received: Received, error: str) -> frozenset[str]:
    """For the umpire to look at. Only the kind of the failure is told: its words may be a player's."""
    with writing(service.db) as tx:
        if settle_letter(tx, received.id, "shunted", error, service.now()):
            tell_umpires(service, tx, shunted_memo("", received.id, error))
    return frozenset()


def _settled(arrival: Arrival, outcome: LetterOutcome) -> frozenset[str]:
    service, number = arrival.service, arrival.received.id
    with writing(service.db) as tx:
        now = service.now()
        first = settle_letter(tx, number, outcome.state, outcome.reason, now, arrival.belongs)
        if first and outcome.effect is not None:
            outcome.effect(tx)
    log().info("letter.settled", letter=number, state=outcome.state)
    return frozenset()


# ------------------------------------------------------------------ a letter that is heard


class _Copy(Exception):
    """Another copy of this letter was heard while this one was read."""


class _OtherHolder(Exception):
    """The seat in whose name it was heard was given to another while it was read."""


@dataclass(frozen=True, slots=True)
class _Course:
    """What the letter's transaction will do."""

    own: Plan
    confirm: Answered | Note | None
    drop: ConfirmQuestion | None

    @property
    def expected(self) -> str:
        return _expected(self.own)


def _expected(planned: Plan) -> str:
    """What most likely becomes of the letter; if it is something else, that is written over it."""
    return "filed" if planned.submission is not None and not planned.is_rehearsal else "answered"


def _understood(arrival: Arrival) -> LetterOutcome | tuple[Heard, _Course]:
    """What it says, and what it will do; nothing is done yet."""
    heard = hear(arrival)
    return strangers_mail(heard) or (heard, _course(heard))


def _heard(arrival: Arrival, heard: Heard, course: _Course) -> frozenset[str]:
    service, received = arrival.service, arrival.received
    rings: set[str] = set()
    with writing(service.db) as tx:
        if not settle_letter(tx, received.id, "applied", course.expected, service.now(), arrival.belongs):
            return frozenset()
        _check_copies(tx, arrival, files=course.expected == "filed")
        if not may_be_answered(tx, heard):
            resettle_letter(tx, received.id, "applied", "set-aside", "stranger-again", service.now())
            return frozenset()
        _note_address(tx, arrival)
        rings = _carry_out(tx, course)
    log().info("letter.heard", letter=received.id)
    return frozenset(rings)


def _course(heard: Heard) -> _Course:
    if heard.understood.verdict == "asks":
        return _Course(plan(heard), None, None)
    drop = dropped(heard)
    without = (*OWN, Cancel) if drop is not None and drop.kind != SHEET else OWN
    asked = any(isinstance(one.command, Confirm) for one in heard.understood.commands)
    own = plan(heard, own=without)
    return _Course(own, _confirmed(own) if asked else None, drop)


def _confirmed(own: Plan) -> Answered | Note | None:
    """What a CONFIRM is about. Where nothing waits for it, it was said of the very letter it stands in."""
    found = confirmed(own.heard)
    if found != NOTHING_ASKED or not own.deeds:
        return found
    return Note("confirm-in-reply") if own.lacks & {PROOF, SERIOUS} else None


def _check_copies(tx: Connection, arrival: Arrival, *, files: bool) -> None:
    """And that its seat is still its writer's: asked behind the lock, since it was read before it."""
    if arrival.campaign_row is not None:
        (lock_to_file if files else lock)(tx, arrival.campaign_row.id)
    found = looked_up(tx, arrival)
    if found.copy:
        raise _Copy
    if arrival.seated is not None and found.holder != arrival.seated.holder:
        raise _OtherHolder


def _note_address(tx: Connection, arrival: Arrival) -> None:
    """A letter from an address makes it good again; one with its provider's signature pins it."""
    if not arrival.proof.sender:
        return
    if arrival.proof.token:
        is_good_again(tx, arrival)
    if arrival.seated is not None and arrival.seated.quiet and arrival.campaign_row is not None:
        be_quiet(tx, arrival.campaign_row.id, arrival.seated.seat, False)  # who writes gets letters again
    if arrival.proof.signature == "pass":
        signed_letter_from(tx, arrival.letter.sender, arrival.service.now())


def _carry_out(tx: Connection, course: _Course) -> set[str]:
    """Everything the letter does, its answer, and what was asked with it."""
    context = course.own.context
    own = run(tx, course.own)
    parts: list[Part] = [*own.parts]
    if course.drop is not None:
        parts.append(settle_dropped(tx, course.drop, course.own.heard))
    again = _confirm(tx, course, parts)
    main = again or own
    if _says_nothing(main) and not parts:
        parts.append(Note("intake-nothing-to-do"))
    subject = again if again is not None and again.lacks else own
    after = afterwards(tx, context.campaign, context.service.now()) if context.seat else None
    message_id = lay_answer(tx, Answer(own, main, tuple(parts), subject.lacks, after))
    now, number = context.service.now(), context.received.id
    state, reason = _state(own, said=bool(parts) or again is not None)
    if (state, reason) != ("applied", course.expected):
        resettle_letter(tx, number, "applied", state, reason, now)
    if again is not None and (became := _state(again, said=True)) != ("applied", _expected(again.plan)):
        resettle_letter(tx, again.plan.context.received.id, "applied", *became, now)
    if subject.lacks and message_id is not None:
        ask(tx, _question(message_id, subject), now)
    return _to_look_at(tx, [own] if again is None else [own, again], after)


def _to_look_at(tx: Connection, ran: Sequence[Ran], after: Afterwards | None) -> set[str]:
    """Campaigns that may go on now. Where orders came and others are missing, that has been seen here."""
    rings = set().union(*(one.rings for one in ran))
    names = {one.plan.submission.campaign.name for one in ran if one.submitted and one.plan.submission}
    if after is not None and after.stays and (seen := after.filed.campaign) in names - rings:
        mark_reviewed(tx, seen, after.filed.revision)
        return rings | names - {seen}
    if (here := ran[0].plan.context.campaign_row) is not None:
        mark_unreviewed(tx, here.id)
    return rings | names


def _says_nothing(ran: Ran) -> bool:
    """Greetings and thanks: the writer hears that nothing was done."""
    understood = ran.plan.understood
    asked = understood.commands or understood.refused or understood.questions
    return ran.plan.submission is None and not ran.plan.deeds and not asked


def _confirm(tx: Connection, course: _Course, parts: list[Part]) -> Ran | None:
    """What came of a CONFIRM; its answers are added to the parts."""
    found = course.confirm
    if found is None:
        return None
    if isinstance(found, Note):
        parts.append(found)
        return None
    now = course.own.context.service.now()
    if not settle_confirmed(tx, found, now):
        parts.append(settled_before(tx, found.question))
        return None
    if found.again is None:
        parts += [found.note] if found.note is not None else []
        parts += found.effect(tx) if found.effect is not None else ()
        return None
    asked_about = found.again.context.received.id
    if not resettle_letter(tx, asked_about, "held", "applied", _expected(found.again), now):
        parts.append(Note("confirm-settled", {"outcome": REQUEUED}))  # it was read anew meanwhile
        return None
    again = run(tx, found.again)
    is_empty = not again.parts and not again.lacks and again.plan.submission is None and not again.plan.asks
    parts += [Note("confirm-empty")] if is_empty else again.parts
    return again


def _state(ran: Ran, *, said: bool) -> tuple[Settled, str]:
    """What became of the letter, for the mailbag."""
    understood = ran.plan.understood
    if ran.lacks:
        return "held", _kind(ran)
    if ran.plan.asks:
        return "refused", next(one.code for one in understood.questions if one.holds)
    if ran.outcome == "stale":
        return "set-aside", "stale"
    if ran.outcome == "held":
        return "refused", "bad-lines"
    if not said and ran.plan.submission is None and (understood.refused or understood.questions):
        return "refused", "not-understood"
    return "applied", ran.outcome


def _kind(ran: Ran) -> str:
    """What the question is about, in one word."""
    ways: tuple[tuple[str, str], ...] = ((PROOF, "held"), (SERIOUS, "serious"), (GOOD_LINES, SHEET))
    return next((kind for code, kind in ways if code in ran.lacks), "doubt")


def _question(message_id: str, ran: Ran) -> ConfirmQuestion:
    """What CONFIRM, in reply to that letter of ours, will do."""
    context, arrival = ran.plan.context, ran.plan.heard.arrival
    granted = next_granted(ran.plan.granted, ran.lacks, ran.done, ran.filed)
    window = context.window.number if context.window is not None and ran.plan.has_orders else 0
    return ConfirmQuestion(
        message_id,
        _kind(ran),
        None if context.campaign_row is None else context.campaign_row.id,
        context.seat or None,
        None if context.person is None else context.person.id,
        context.received.id,
        granted.told(window, arrival.window, arrival.roles),
    )
