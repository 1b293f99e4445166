"""A letter from the inbox: opened, checked, read, planned, carried out and answered, once.

Whatever happens, it ends in one state: applied, held, refused, set aside, quarantined; or, when something
unexpected happens again and again, shunted for the umpire. Nothing is lost, and a second run finds nothing
to do.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from time import sleep
from traceback import extract_tb
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from engine.kernel.errors import UnknownGame, WrongPack
from pbem.campaigns.campaign import HasOtherRules, pass_on_if_others
from pbem.campaigns.notify import tell_umpires
from pbem.context import ServiceContext
from pbem.intake.bounces import COUNT
from pbem.intake.checks import CHECKS, FIRST, run_checks
from pbem.intake.confirm import SHEET, plan_answer, run_answer
from pbem.intake.filing import WindowClosed, check_window
from pbem.intake.outcome import LetterOutcome, RetryLater
from pbem.intake.plan import GOOD_LINES, PROOF, SERIOUS, Applied, Granted, Plan, make_plan, run_plan
from pbem.intake.reading import may_be_answered, read_letter, set_strangers_mail_aside
from pbem.intake.reply import moment_of_arrival, send_answer, send_memo_in_answer
from pbem.intake.shunting import shunt_letter, writer_of_unopened
from pbem.letters.memo import Note, coded_memo
from pbem.logs import log
from pbem.mail.guard import Quarantine
from pbem.mail.mime import open_letter
from pbem.store.advance import HeadMoved
from pbem.store.campaigns import lock, lock_to_file, mark_reviewed, mark_unreviewed
from pbem.store.copies import check_under_lock
from pbem.store.inbox import (
    WAITS_FOR_CLOSE,
    WAITS_FOR_RULES,
    Belongs,
    RawMail,
    Settled,
    claim_letter,
    postpone_letter,
    release_letter,
    resettle_letter,
    settle_letter,
)
from pbem.store.outbox import ConfirmQuestion, NumberTaken, send_missed, store_question
from pbem.store.people import mark_address, require_signature, reset_allowance, set_quiet
from pbem.store.session import is_unavailable, single_view, writing
from pbem.verbs.context import LetterContext, StoreView, new_context
from pbem.verbs.orders import Cancel, Confirm

AT_ONCE: Final = 3  # tries when somebody else was faster
TRIES: Final = 4  # when something unexpected happens
PAUSES: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 300))
BACK_SECONDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)  # to wait for the database
LONGEST_PAUSE: Final = timedelta(minutes=10)
DATABASE: Final = "database"  # it was away while the letter was read
WAITED_FOR: Final = frozenset({WAITS_FOR_CLOSE, WAITS_FOR_RULES, "closed", "dns", "busy", DATABASE})
FORGIVEN: Final = timedelta(hours=6)  # a letter that the database still fails at may be the reason itself
RACES: Final = frozenset({"closed", "busy"})  # somebody else was faster, which ends soon
MOST_DEATHS: Final = 8  # workers that a letter may take with it, or races that it may lose
NO_CAMPAIGN: Final = frozenset[str]()


def receive_letter(
    service: ServiceContext, number: int, by: str, claimed: RawMail | None = None
) -> frozenset[str]:
    """Carry out a letter; returns the campaigns to adjudicate now. `claimed`: together with others.

    Raises HasOtherRules where workers of another version have to read it; it is free for them at once.
    """
    mail = claimed or claim_letter(service.db, number, by, service.now())
    if mail is None:
        return NO_CAMPAIGN
    if mail.tries > MOST_DEATHS and mail.reason not in WAITED_FOR:
        return shunt_letter(service, mail, "no worker survives it", deadly=True)
    try:
        return _process(service, mail)
    except HasOtherRules as left:
        release_letter(service.db, number, by, service.now(), WAITS_FOR_RULES, left.campaign)
        raise
    except RetryLater as later:  # each time a little later; what is waited for may take its time
        if later.reason in RACES and later.reason == mail.reason and mail.tries > MOST_DEATHS:
            return shunt_letter(service, mail, later.reason)
        pause = min(later.after * 2 ** min(mail.tries - 1, 12), LONGEST_PAUSE)
        postpone_letter(service.db, mail.id, service.now() + pause, later.reason)
    except Exception as failure:  # the boundary: what nobody expected is tried again, then shunted
        log().error("letter.trouble", letter=number, trouble=type(failure).__name__, at=_where(failure))
        if is_unavailable(failure) and service.now() - mail.taken_in < FORGIVEN:
            _give_back(service, number, by)
            return NO_CAMPAIGN
        if mail.tries >= TRIES:
            return shunt_letter(service, mail, type(failure).__name__)
        postpone_letter(service.db, number, service.now() + PAUSES[mail.tries - 1], type(failure).__name__)
    return NO_CAMPAIGN


def _give_back(service: ServiceContext, number: int, by: str) -> None:
    """As soon as the database is there again; if that takes too long, the claim ends with its lease."""
    for pause in BACK_SECONDS:
        try:
            release_letter(service.db, number, by, service.now() + PAUSES[0], DATABASE)
            return
        except SQLAlchemyError as still:
            if not is_unavailable(still):
                raise
            sleep(pause)


def _where(failure: Exception) -> str:
    """The line it happened in; the failure's own words may be a player's."""
    last = extract_tb(failure.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _process(service: ServiceContext, mail: RawMail) -> frozenset[str]:
    """Several times, if others file, close or write to the same seat at this very moment."""
    letter = open_letter(mail.raw, (service.addresses.mailbox,))
    if isinstance(letter, Quarantine):
        return _settle(service, mail, _quarantine(service, mail, letter), Belongs())
    context, outcome = run_checks(new_context(service, mail, letter), FIRST)
    if outcome is not None:
        return _settle(service, mail, outcome, context.belongs)
    for _ in range(AT_ONCE):
        try:
            return _try_once(replace(context, store=StoreView(service.db)))
        except (NumberTaken, HeadMoved, _OtherHolder):
            continue
        except _Altered:
            context = replace(context, proof=replace(context.proof, altered=True))
        except WindowClosed:
            raise RetryLater("closed") from None
    raise RetryLater("busy")


def _try_once(context: LetterContext) -> frozenset[str]:
    service = context.service
    try:
        with single_view(service.db):
            context, outcome = run_checks(context, CHECKS)
            plan = outcome or plan_letter(context)
        if isinstance(plan, Plan):
            return _apply(plan)
        return _settle(service, context.mail, plan, context.belongs)
    except _Copy:
        return _settle(service, context.mail, LetterOutcome("set-aside", "copy"), context.belongs)
    except (WrongPack, UnknownGame) as error:
        if context.campaign_row is not None:
            pass_on_if_others(service.db, context.campaign_row.id, error)
        raise


def _quarantine(service: ServiceContext, mail: RawMail, found: Quarantine) -> LetterOutcome:
    """What the guard or the parser refused is kept for the umpire, and not looked at any further."""
    memo = coded_memo("intake-quarantined", "", number=mail.id, reason=found.reason)
    reason, writer = f"{found.reason} {found.detail}".strip(), writer_of_unopened(service, mail)

    def effect(tx: Connection) -> None:
        tell_umpires(service, tx, memo)
        if writer is not None:
            facts = {"arrived": moment_of_arrival(writer)}
            send_memo_in_answer(tx, writer, coded_memo("quarantined-writer", writer.campaign_name, **facts))

    return LetterOutcome("quarantined", reason, effect)


def _settle(
    service: ServiceContext, mail: RawMail, outcome: LetterOutcome, belongs: Belongs
) -> frozenset[str]:
    with writing(service.db) as tx:
        first = settle_letter(tx, mail.id, outcome.state, outcome.reason, service.now(), belongs)
        if first and outcome.effect is not None:
            outcome.effect(tx)
    log().info("letter.settled", letter=mail.id, state=outcome.state)
    return NO_CAMPAIGN


# ------------------------------------------------------------------ a letter that is carried out


class _Copy(Exception):
    """Another copy of this letter was carried out while this one was read."""


class _Altered(Exception):
    """The same signed letter came before, with other headers around it."""


class _OtherHolder(Exception):
    """The seat in whose name it was read was given to another while it was read."""


def plan_letter(context: LetterContext) -> Plan | LetterOutcome:
    """What it says, and what it will do; nothing is done yet."""
    understood = read_letter(context)
    outcome = set_strangers_mail_aside(context, understood)
    if outcome is not None:
        return outcome
    answers = any(isinstance(one.command, Confirm | Cancel) for one in understood.commands)
    if answers and understood.verdict != "asks":
        return plan_answer(context, understood)
    return make_plan(context, understood)


def _apply(plan: Plan) -> frozenset[str]:
    """The letter's one transaction: its outcome, its effects, its answer."""
    context, now, belongs = plan.context, plan.context.service.now(), plan.context.belongs
    with writing(context.service.db) as tx:
        if not settle_letter(tx, context.mail.id, "applied", plan.expects, now, belongs):
            return NO_CAMPAIGN
        _check_under_lock(tx, context, belongs, files=plan.expects == "filed")
        if not may_be_answered(tx, context, plan.understood):
            resettle_letter(tx, context.mail.id, "applied", "set-aside", "stranger-again", now)
            return NO_CAMPAIGN
        _note_address(tx, context)
        applied = _carry_out(tx, plan)
        message_id = send_answer(tx, applied)
        _note_states(tx, applied)
        if applied.asked_about.lacks and message_id is not None:
            store_question(tx, _question(message_id, applied.asked_about), context.service.now())
        campaigns = _to_adjudicate(tx, applied)
    log().info("letter.applied", letter=context.mail.id)
    return campaigns


def _check_under_lock(tx: Connection, context: LetterContext, belongs: Belongs, *, files: bool) -> None:
    """That it is no copy, and its seat still its writer's: it was read before the lock."""
    if context.campaign_row is not None:
        (lock_to_file if files else lock)(tx, context.campaign_row.id)
    found = check_under_lock(tx, context.mail.id, belongs, context.mail.arrived)
    if found.copy:
        raise _Copy
    if found.altered and not context.proof.altered:
        raise _Altered
    if context.seated is not None and found.holder != context.seated.holder:
        raise _OtherHolder


def _note_address(tx: Connection, context: LetterContext) -> None:
    """A letter from an address makes it good again; one with its provider's signature pins it."""
    address, now, proof = context.letter.sender, context.service.now(), context.proof
    if not proof.sender:
        return
    known = () if context.writer is None else context.writer.addresses
    if proof.token and any(one.address == address and one.state != "good" for one in known):
        mark_address(tx, address, "good")
        reset_allowance(tx, address, COUNT)
        send_missed(tx, address, now)  # the letters that it missed go out
    if context.seated is not None and context.seated.quiet:
        set_quiet(tx, context.campaign_name, context.seat, False)  # who writes gets letters again
    if proof.signature == "pass":
        require_signature(tx, address, now)


def _carry_out(tx: Connection, plan: Plan) -> Applied:
    """Everything the letter does, and what it answered."""
    applied = run_plan(tx, plan)
    if plan.drops is not None or plan.confirms is not None:
        applied = run_answer(tx, applied)
    if not applied.parts and _says_nothing(applied.main.plan):
        applied = replace(applied, parts=(Note("intake-nothing-to-do"),))
    return replace(applied, after=check_window(tx, plan.context)) if plan.context.seat else applied


def _says_nothing(plan: Plan) -> bool:
    """Greetings and thanks: the writer is told that nothing was done."""
    understood = plan.understood
    asked = understood.commands or understood.refused or understood.questions
    return plan.submission is None and not plan.commands and not asked


def _note_states(tx: Connection, applied: Applied) -> None:
    """What became of the letter, and of the one that its CONFIRM ran, if it is not what was expected."""
    said = bool(applied.parts) or applied.again is not None
    for one in applied.every:
        state, reason = _state(one, said=said)
        if (state, reason) != ("applied", one.plan.expects):
            resettle_letter(tx, one.context.mail.id, "applied", state, reason, one.context.service.now())


def _state(applied: Applied, *, said: bool) -> tuple[Settled, str]:
    plan, understood = applied.plan, applied.plan.understood
    if applied.lacks:
        return "held", _kind(applied)
    if plan.asks:
        return "refused", next(one.code for one in understood.questions if one.holds)
    if applied.outcome == "stale":
        return "set-aside", "stale"
    if applied.outcome == "held":
        return "refused", "bad-lines"
    if applied.outcome == "out-of-turn":
        return "refused", "out-of-turn"
    if not said and plan.submission is None and (understood.refused or understood.questions):
        return "refused", "not-understood"
    return "applied", applied.outcome


def _kind(applied: Applied) -> str:
    """What the question is about, in one word."""
    kinds = {PROOF: "held", SERIOUS: "serious", GOOD_LINES: SHEET}
    return next((kind for code, kind in kinds.items() if code in applied.lacks), "doubt")


def _question(message_id: str, applied: Applied) -> ConfirmQuestion:
    """What CONFIRM, in reply to that letter of ours, will do."""
    context, plan, before = applied.context, applied.plan, applied.plan.granted
    granted = Granted(before.codes | applied.lacks, before.done | applied.done, before.filed or applied.filed)
    window = context.window.number if context.window is not None and plan.has_orders else 0
    return ConfirmQuestion(
        message_id,
        _kind(applied),
        context.campaign_name or None,
        context.seat or None,
        context.person_id,
        context.mail.id,
        granted.to_dict(window, context.answers_window, context.roles),
    )


def _to_adjudicate(tx: Connection, applied: Applied) -> frozenset[str]:
    """Campaigns that may go on now. Where orders came and others are missing, that has been seen here."""
    asked = frozenset[str]().union(*(one.adjudicate for one in applied.every))
    filed = {one.context.campaign_name for one in applied.every if one.submitted}
    after = applied.after
    if after is not None and after.stays and (seen := after.filed.campaign) in filed - asked:
        mark_reviewed(tx, seen, after.filed.revision)
        return asked | filed - {seen}
    if (row := applied.context.campaign_row) is not None:
        mark_unreviewed(tx, row.id)
    return asked | filed
