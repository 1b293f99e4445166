"""RESIGN, STOP, WATCH: leaving a seat, leaving the letters, coming to watch."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from engine.kernel.records import RESIGNATION
from engine.kernel.requests import Seat
from pbem.campaigns.bots import default_bot
from pbem.campaigns.calendar import deadline_files
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.invitations import show_position
from pbem.campaigns.notify import send_memo, tell, umpires_of
from pbem.campaigns.resignations import (
    UNTIL,
    allies_of,
    answer_deadline,
    end_by_resignation,
    hand_over_resignations,
    missing_consents,
    open_resignations,
    silence_deadline,
    tell_allies,
)
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, Part, TellsDeadline, memo_about, plain_note
from pbem.letters.notices import ResignationStage, handover_memo, resignation_memo
from pbem.mail.compose import Enclosure
from pbem.orders.arguments import BadArgument, VerbArguments
from pbem.orders.text import near, plain
from pbem.orders.understood import Command, Question
from pbem.orders.vocabulary import ANYBODY, PLAYERS
from pbem.store.campaigns import CampaignRow, all_campaigns, find_campaign, lock_and_load
from pbem.store.people import (
    Role,
    add_member,
    confirm_member,
    give_seat,
    give_to_bot,
    memberships,
    remove_member,
    seated,
    seats_of,
    set_quiet,
)
from pbem.store.proposals import Proposal, give_assent, propose, settle_proposal
from pbem.store.session import Db
from pbem.verbs.consent import read_answer, require_consent_possible
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import (
    Declined,
    adjudicate_after,
    answer_with,
    campaign_of,
    enroll_writer,
    require_not_over,
    require_running,
)
from pbem.verbs.verb import Verb, always, if_unknown

LEFT_BY_STOP: Final[tuple[Role, ...]] = ("observer", "signup")

# ------------------------------------------------------------------ the commands


class Resign(Command):
    """Giving up the seat, or with allies the game; RESIGN NO: not, after all."""

    willing: bool = True


class Handover(Command):
    """Leaving the seat to an ally."""


class Watch(Command):
    campaign: str = ""


class Stop(Command):
    """No more letters; never a resignation."""

    campaign: str = ""


def _read_resign(arguments: VerbArguments) -> Resign:
    """RESIGN, RESIGN YES, RESIGN NO."""
    return Resign(read_answer(arguments, "accept", "refuse") == "accept")


def _read_campaign(arguments: VerbArguments) -> str:
    name = arguments.read_campaign() if arguments.words else ""
    arguments.expect_end(1)
    return name


def _read_watch(arguments: VerbArguments) -> Watch:
    return Watch(_read_campaign(arguments))


def _read_stop(arguments: VerbArguments) -> Stop:
    """For the seat of this letter a question: it may have been meant as a resignation, and is none."""
    name, here = _read_campaign(arguments), arguments.circumstances.campaign
    if "player" in arguments.circumstances.writer and here and plain(name) in ("", plain(here)):
        raise BadArgument(question=Question("stop-of-a-seat"))
    return Stop(name)


# ------------------------------------------------------------------ RESIGN


def _leave_seat(context: LetterContext) -> VerbResult:
    """The seat is vacant from now on, or a bot plays it, as the campaign agreed; everybody is told."""
    row, then = campaign_of(context), context.policy.resigned
    require_not_over(row)

    def effect(tx: Connection) -> tuple[Part, ...]:
        require_not_over(lock_and_load(tx, row.id))
        give_seat(tx, row.id, context.seat, None, context.service.now())
        if then == "automa":
            give_to_bot(tx, row.id, context.seat, default_bot(context.campaign.terms.game))
        memo = resignation_memo(row.id, context.seat, then)
        tell(context.service, tx, context.campaign.terms, row.id, lambda recipient: memo, but=context.seat)
        return (Note("left-seat", {"campaign": row.id, "who": context.seat}),)

    facts = {"campaign": row.id, "who": context.seat, "then": then}
    meant = (Note("resign-ends-part" if row.state == "running" else "resign-leaves-lobby", facts),)
    done = adjudicate_after(context, effect)
    return replace(done, meaning=meant, enclosures=_calendar_cleared(context))


def _calendar_cleared(context: LetterContext) -> tuple[Enclosure, ...]:
    """The deadline that no longer concerns who gives the seat up."""
    told, service = TellsDeadline(state="over"), context.service
    terms, now = context.campaign.terms, service.now()
    return tuple(deadline_files(service, service.db, terms, context.recipient, told, now))


# ------------------------------------------------------------------ STOP


def _stop(context: LetterContext, command: Stop) -> VerbResult:
    """Those who watch or signed up get no more letters. For a seat it is a question, never a resignation."""
    if _stops_own_seat(context, command):
        return _stop_of_a_seat(context)
    if (person := context.person) is None:
        return answer_with(Note("stop-nothing"))
    named = command.campaign or context.campaign_name
    meant = _find_campaign(context, named) if named else None

    def effect(tx: Connection) -> tuple[Part, ...]:
        known = [one for one in memberships(tx, person.id) if meant is None or one[0] == meant.id]
        leaving = [(name, role) for role in LEFT_BY_STOP for name, held in known if held == role]
        left = {name for name, role in leaving if remove_member(tx, name, person.id, role)}
        if left:
            return (Note("stop-done", {"campaigns": sorted(left)}),)
        playing = sorted({name for name, _ in seats_of(tx, person.id) if meant is None or name == meant.id})
        if playing:
            return (Note("stop-plays", {"campaigns": playing}),)
        return (Note("stop-umpire" if any(role == "umpire" for _, role in known) else "stop-nothing"),)

    return VerbResult(effect=effect)


def _stops_own_seat(context: LetterContext, command: Stop) -> bool:
    """Of the seat in whose name the letter speaks; another campaign may be named."""
    return bool(context.seat) and plain(command.campaign) in ("", plain(context.campaign_name))


def _stop_of_a_seat(context: LetterContext) -> VerbResult:
    """Once confirmed: no more letters until they write again, the seat stays theirs, the umpire is told."""
    name = campaign_of(context).id
    facts = {"campaign": name, "who": context.seat}
    memo = memo_about("quiet", facts, Note("quiet-umpire", facts), headline="-seat")

    def effect(tx: Connection) -> tuple[Part, ...]:
        set_quiet(tx, name, context.seat, True)
        for recipient in umpires_of(tx, name):
            if recipient.person != context.recipient.person:
                send_memo(context.service, tx, context.campaign.terms, recipient, memo)
        return (Note("stop-quiet", facts),)

    return VerbResult(effect=effect)


# ------------------------------------------------------------------ WATCH


def _watch(context: LetterContext, command: Watch) -> VerbResult:
    """Somebody wants the letters that everyone may read. A stranger confirms it by reply."""
    named, person = command.campaign or context.campaign_name, context.person
    if not named:
        return answer_with(Note("watch-which"))
    meant = _find_campaign(context, named)
    require_not_over(meant)
    if person is not None and meant.id in {name for name, _ in seats_of(context.service.db, person.id)}:
        return answer_with(Note("watch-plays", {"campaign": meant.id}))
    return VerbResult(effect=lambda tx: _join_as_observer(context, tx, meant))


def _join_as_observer(context: LetterContext, tx: Connection, meant: CampaignRow) -> tuple[Part, ...]:
    now, person = context.service.now(), enroll_writer(context, tx, context.recipient.name)
    new = add_member(tx, meant.id, person, "observer", now)
    confirm_member(tx, meant.id, person, "observer", now)
    facts = {"campaign": meant.id, "lobby": meant.state == "lobby"}
    return (Note("watch-begun" if new else "watch-again", facts),)


def _find_campaign(context: LetterContext, named: str) -> CampaignRow:
    if (meant := find_campaign(context.service.db, named)) is not None:
        return meant
    known = [one.id for one in all_campaigns(context.service.db, "lobby", "running")]
    raise Declined(Note("no-such-campaign", {"named": named[:40], "campaigns": near(named, known)}))


# ------------------------------------------------------------------ RESIGN


def _resign(context: LetterContext, command: Resign) -> VerbResult:
    """Where the rules know of it a resignation ends the game; elsewhere the seat is given up."""
    campaign, name = context.campaign, context.campaign_name
    ends = campaign_of(context).state == "running" and campaign.terms.game.knows_resignation
    if not command.willing:
        return _refuse_to_resign(context) if ends else answer_with(Note("resign-nothing-open"))
    if not ends:
        return _leave_seat(context)
    _require_may_resign(context, campaign)

    def effect(tx: Connection) -> tuple[Part, ...]:
        require_consent_possible(context, tx)
        current = load_campaign(tx, name)
        _require_may_resign(context, current)
        return _give_up(context, tx, current)

    return replace(adjudicate_after(context, effect), meaning=(_what_it_ends(context, campaign),))


def _what_it_ends(context: LetterContext, campaign: Campaign) -> Note:
    """The game, for everyone; who would win it, as things stand."""
    allies = missing_consents(
        context.store.seats(campaign.name), context.seat, allies_of(campaign, context.seat), ()
    )
    outcome = campaign.terms.game.resignation_outcome(campaign.table.state, Seat(context.seat))
    verdict = "" if outcome is None else context.phrases.verdict(outcome)
    facts = {"campaign": campaign.name, "who": context.seat, "allies": allies, "verdict": verdict}
    return Note("resign-ends-game", facts)


def _require_may_resign(context: LetterContext, campaign: Campaign) -> None:
    """That the rules allow it to the seat, supposing that its allies agree."""
    seat, game = context.seat, campaign.terms.game
    refusal = game.why_not_resign(campaign.table.state, seat, allies_of(campaign, seat))
    if refusal is not None:
        raise Declined(plain_note(context.phrases.refusal(refusal)))


def _give_up(context: LetterContext, tx: Connection, campaign: Campaign) -> tuple[Part, ...]:
    """The seat's word; the last one of its side ends the game."""
    name, now, seat = context.campaign_name, context.service.now(), context.seat
    team, proposal = (seat, *allies_of(campaign, seat)), _open_resignation(tx, campaign, seat)
    given, zone = () if proposal is None else proposal.assents, context.recipient.zone
    missing = missing_consents(seated(tx, name), seat, team[1:], given)
    if missing and proposal is not None and seat in given:
        return (Note("resign-again", {"seats": missing, UNTIL: Moment(silence_deadline(proposal), zone)}),)
    if missing:
        until = answer_deadline(tx, campaign, missing, now)
        propose(tx, name, seat, RESIGNATION, {UNTIL: until.isoformat()}, now)
        tell_allies(context.service, tx, campaign, "proposed", seat, missing, until)
        return (Note("resign-proposed", {"seats": missing, UNTIL: Moment(until, zone)}),)
    if proposal is not None:
        give_assent(tx, name, proposal.number, seat, now)
        settle_proposal(tx, name, proposal.number, "carried", now)
    end_by_resignation(tx, campaign, team, now)
    return (Note("consent-resigned", {"campaign": name}),)


def _open_resignation(db: Db, campaign: Campaign, seat: str) -> Proposal | None:
    """That the seat's side gives up: proposed, and the last word on it not spoken."""
    team = (seat, *allies_of(campaign, seat))
    return next((one for one in open_resignations(db, campaign.name) if one.seat in team), None)


def _refuse_to_resign(context: LetterContext) -> VerbResult:
    """RESIGN NO: an ally goes on, or whoever wanted to give up takes it back."""
    campaign, name, seat = context.campaign, context.campaign_name, context.seat

    def effect(tx: Connection) -> tuple[Part, ...]:
        lock_and_load(tx, name)
        proposal = _open_resignation(tx, campaign, seat)
        if proposal is None:
            return (Note("resign-nothing-open"),)
        stage: ResignationStage = "withdrawn" if proposal.seat == seat else "refused"
        settle_proposal(tx, name, proposal.number, stage, context.service.now())
        allies, until = allies_of(campaign, seat), silence_deadline(proposal)
        tell_allies(context.service, tx, campaign, stage, seat, allies, until)
        return (Note("resign-withdrawn" if stage == "withdrawn" else "resign-refused"),)

    return VerbResult(effect=effect)


# ------------------------------------------------------------------ HANDOVER


def _hand_over(context: LetterContext, command: Handover) -> VerbResult:
    """An ally plays the seat from now on; everybody is told."""
    campaign, name, seat = context.campaign, context.campaign_name, context.seat
    require_running(campaign_of(context))
    allies = allies_of(campaign, seat)
    if not allies:
        return answer_with(Note("handover-no-ally"))

    def effect(tx: Connection) -> tuple[Part, ...]:
        require_consent_possible(context, tx)
        people = {one.seat: one for one in seated(tx, name)}
        willing = missing_consents(tuple(people.values()), seat, allies, ())
        heir = people[willing[0]].person if willing else None
        if heir is None:
            return (Note("handover-nobody", {"seats": allies}),)
        before = open_resignations(tx, name)
        give_seat(tx, name, seat, heir.id, context.service.now())
        hand_over_resignations(context.service, tx, campaign, seat, before)
        memo = handover_memo(name, seat, willing[0])
        tell(context.service, tx, campaign.terms, name, lambda recipient: memo, but=seat)
        show_position(context.service, tx, load_campaign(tx, name), seat)
        return (Note("handover-done", {"campaign": name, "who": seat, "to": willing[0]}),)

    return adjudicate_after(context, effect)


VERBS = (
    Verb(
        "RESIGN, I RESIGN", "ABANDONNE, ABANDONNER, ABANDON, J'ABANDONNE, CAPITULER",
        PLAYERS, Resign, _resign,
        read=_read_resign, subject="seat", serious=lambda context, command: command.willing,
        topic="ending", mistaken="QUIT",
    ),
    Verb(
        "HANDOVER", "CEDER, CEDE, JE CEDE", PLAYERS, Handover, _hand_over,
        subject="seat", serious=always, topic="ending",
    ),
    Verb(
        "WATCH", "OBSERVE, OBSERVER, SUIVRE", ANYBODY, Watch, _watch,
        read=_read_watch, serious=if_unknown, strangers="answer", topic="lobby",
    ),
    Verb(
        "STOP, UNSUBSCRIBE", "DESABONNE, DESABONNER, DESINSCRIRE", ANYBODY, Stop, _stop,
        read=_read_stop, serious=_stops_own_seat,
        topic="lobby", mistaken="LEAVE",
    ),
)  # fmt: skip
