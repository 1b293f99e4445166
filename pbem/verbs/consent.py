"""PROPOSE ROLLBACK and AGREE, ARMISTICE: what all who play have to consent to.

A proposal is about the turn in which it is made, and lapses with it. When the last word is in, the Close that
carries it out is frozen in the same transaction: whoever looks at the campaign next runs it, and the letters
that tell of it are those of any other Close. RESIGN, WATCH and STOP stand in modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from sqlalchemy import Connection

from engine.kernel.records import ARMISTICE
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import is_in_turn, label_of, turn_of
from pbem.campaigns.notify import tell
from pbem.campaigns.recipients import seat_recipient
from pbem.campaigns.umpire.acts import CannotDo
from pbem.campaigns.umpire.branches import ROLLBACK, find_segment
from pbem.letters.memo import Note, Part
from pbem.letters.notices import ProposalStage, proposal_memo
from pbem.orders.arguments import PLEASE, TO, VerbArguments
from pbem.orders.understood import Command
from pbem.orders.vocabulary import PLAYERS
from pbem.store.advance import append_act
from pbem.store.campaigns import Act, lock_and_load, record_act
from pbem.store.people import seated
from pbem.store.proposals import Proposal, give_assent, proposals, propose, settle_proposal
from pbem.store.session import Db
from pbem.store.windows import open_window, read_orders
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import (
    Declined,
    adjudicate_after,
    adjudicating,
    answer_with,
    campaign_of,
    require_running,
)
from pbem.verbs.verb import Verb, always

Kind: TypeAlias = Literal["rollback", "armistice"]


# ------------------------------------------------------------------ proposals


def human_seats(db: Db, name: str) -> tuple[str, ...]:
    """The seats whose word is wanted: those that somebody holds, and no bot."""
    return tuple(one.seat for one in seated(db, name) if seat_recipient(name, one) is not None)


def present_turn(db: Db, name: str) -> str:
    """The turn whose letters are open; "": none is."""
    window = open_window(db, name)
    return "" if window is None or window.state != "open" else turn_of(label_of(window))


def proposals_of_turn(db: Db, name: str, kind: Kind) -> list[Proposal]:
    """Those of the present turn on which the last word is not spoken."""
    turn = present_turn(db, name)
    found = [one for one in proposals(db, name) if one.kind == kind and one.outcome is None]
    return [one for one in found if turn and one.data["turn"] == turn]


def _seats_missing(tx: Connection, name: str, proposal: Proposal) -> tuple[str, ...]:
    return tuple(seat for seat in human_seats(tx, name) if seat not in proposal.assents)


def require_consent_possible(context: LetterContext, tx: Connection) -> None:
    """That something can be agreed on now; the campaign is locked meanwhile."""
    row, facts = lock_and_load(tx, context.campaign_name), {"campaign": context.campaign_name}
    require_running(row)
    if row.held is not None:
        raise Declined(Note("consent-held", facts))
    if not present_turn(tx, row.id):
        raise Declined(Note("just-closed", facts))


def _tell(
    context: LetterContext, tx: Connection, proposal: Proposal, stage: ProposalStage, missing: Sequence[str]
) -> None:
    """How the proposal stands, to everybody but the writer, and to the umpires."""
    name, kind = context.campaign_name, cast(Kind, proposal.kind)
    memo = proposal_memo(name, kind, stage, context.seat, to=_target(proposal), missing=missing)
    tell(context.service, tx, context.campaign.terms, name, lambda recipient: memo, but=context.seat)


def _target(proposal: Proposal) -> str:
    """The segment that a rollback goes to."""
    return str(proposal.data.get("to", ""))


def _assent(context: LetterContext, tx: Connection, proposal: Proposal) -> tuple[Part, ...]:
    """The seat's word; the last one carries the proposal."""
    name, now = context.campaign_name, context.service.now()
    missing = _seats_missing(tx, name, proposal)
    if not give_assent(tx, name, proposal.number, context.seat, now) and missing:
        return (Note(f"consent-again-{proposal.kind}", {"to": _target(proposal), "seats": missing}),)
    missing = tuple(seat for seat in missing if seat != context.seat)
    if missing:
        _tell(context, tx, proposal, "agreed", missing)
        return (Note(f"consent-given-{proposal.kind}", {"to": _target(proposal), "seats": missing}),)
    return _carry_out(context, tx, proposal)


def _carry_out(context: LetterContext, tx: Connection, proposal: Proposal) -> tuple[Part, ...]:
    """All have agreed: the Close that carries it out is frozen."""
    name, now = context.campaign_name, context.service.now()
    seats = human_seats(tx, name)
    settle_proposal(tx, name, proposal.number, "carried", now)
    _tell(context, tx, proposal, "carried", ())
    if proposal.kind == ROLLBACK:
        _go_back(context, tx, _target(proposal), seats)
    else:
        record_act(tx, name, Act(ARMISTICE, "", {"seats": list(seats)}), now)
        frozen = load_campaign(tx, name).freeze_end(read_orders(tx, name), ARMISTICE, seats, now)
        assert frozen is not None, "the campaign is locked, neither held nor over"
    return (Note(f"consent-carried-{proposal.kind}", {"to": _target(proposal)}),)


def _go_back(context: LetterContext, tx: Connection, to: str, seats: Sequence[str]) -> None:
    """As the umpire's ROLLBACK does it, journaled as the seats' own will."""
    name, now = context.campaign_name, context.service.now()
    row, campaign = lock_and_load(tx, name), load_campaign(tx, name)
    public = {"to": to, "same_dice": False, "agreed": sorted(seats)}
    campaign.table.note(ROLLBACK, "", public=public)
    lines = campaign.table.journal.since(row.length)
    noted = append_act(tx, name, row.head, lines, Act(ROLLBACK, "", public), (), now)
    frozen = load_campaign(tx, name).freeze_rollback(read_orders(tx, name), to, False, "", now)
    assert noted and frozen is not None, "the campaign is locked, neither held nor over"


# ------------------------------------------------------------------ PROPOSE ROLLBACK, AGREE


ROLLBACK_WORDS = frozenset({"ROLLBACK", "RETOUR"})


class ProposeRollback(Command):
    """Back to the start of this segment, if all agree."""

    to: str


class Agree(Command):
    """Yes to a rollback that was proposed."""

    to: str = ""


def _read_proposal(arguments: VerbArguments) -> ProposeRollback:
    segment, place = arguments.read_segment()
    arguments.expect_end(place)
    return ProposeRollback(segment)


def _read_agree(arguments: VerbArguments) -> Agree:
    """AGREE, AGREE [TO] ROLLBACK [T3.R2]."""
    keys = [word.key for word in arguments.words]
    place = next((n for n, word in enumerate(keys) if word not in TO), len(keys))
    if place == len(keys) or keys[place] in PLEASE:
        arguments.expect_end(place)
        return Agree()
    if keys[place] not in ROLLBACK_WORDS:
        raise arguments.left_over(place)
    if len(keys) == place + 1:
        return Agree()
    segment, place = arguments.read_segment(place + 1)
    arguments.expect_end(place)
    return Agree(segment)


def _propose_rollback(context: LetterContext, command: ProposeRollback) -> VerbResult:
    """All other holders are told; if all agree, the game goes back to that segment's beginning."""
    row = campaign_of(context)
    require_running(row)
    try:
        key = find_segment(context.campaign.course(), command.to)
    except CannotDo as trouble:
        return answer_with(Note("consent-no-segment", trouble.note.facts))

    def effect(tx: Connection) -> tuple[Part, ...]:
        require_consent_possible(context, tx)
        same = [one for one in proposals_of_turn(tx, row.id, "rollback") if one.data["to"] == key]
        if same:
            return _assent(context, tx, same[0])
        return _propose(context, tx, "rollback", {"to": key})

    return adjudicate_after(context, effect)


def _propose(context: LetterContext, tx: Connection, kind: Kind, data: dict[str, str]) -> tuple[Part, ...]:
    name, turn = context.campaign_name, present_turn(tx, context.campaign_name)
    number = propose(tx, name, context.seat, kind, {**data, "turn": turn}, context.service.now())
    proposal = next(one for one in proposals(tx, name) if one.number == number)
    missing = _seats_missing(tx, name, proposal)
    if not missing:
        return _carry_out(context, tx, proposal)
    _tell(context, tx, proposal, "proposed", missing)
    facts = {"to": _target(proposal), "seats": missing, "now_in": turn}
    return (Note(f"consent-proposed-{kind}", facts),)


@adjudicating
def _agree(context: LetterContext, command: Agree, tx: Connection) -> tuple[Part, ...]:
    """Yes to a rollback; with several on the table the writer must say to which."""
    require_consent_possible(context, tx)
    pending = proposals_of_turn(tx, context.campaign_name, "rollback")
    meant = [one for one in pending if not command.to or is_in_turn(_target(one), command.to)]
    if len(meant) == 1:
        return _assent(context, tx, meant[0])
    if not pending and proposals_of_turn(tx, context.campaign_name, "armistice"):
        return (Note("consent-armistice-open"),)
    facts = {"known": [_target(one) for one in pending], "named": command.to}
    return (Note("consent-which" if pending else "consent-none", facts),)


# ------------------------------------------------------------------ ARMISTICE


Answer: TypeAlias = Literal["offer", "accept", "refuse"]
ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "OFFER": "offer", "PROPOSE": "offer", "PROPOSER": "offer",
        "YES": "accept", "OUI": "accept", "NO": "refuse", "NON": "refuse",
        "ACCEPT": "accept", "ACCEPTE": "accept", "ACCEPTER": "accept", "AGREE": "accept",
        "REFUSE": "refuse", "REFUSER": "refuse", "DECLINE": "refuse",
    }
)  # fmt: skip


class Armistice(Command):
    """Ending the game by agreement."""

    terms: Answer = "offer"


def read_answer(arguments: VerbArguments, default: Answer, *others: Answer) -> Answer:
    """One of these answers; without any, the default."""
    if not arguments.words or arguments.words[0].key in PLEASE:
        arguments.expect_end(0)
        return default
    answer = ANSWERS.get(arguments.words[0].key)
    if answer is None or answer not in (default, *others):
        raise arguments.left_over(0)
    arguments.expect_end(1)
    return answer


def _read_armistice(arguments: VerbArguments) -> Armistice:
    """ARMISTICE, ARMISTICE ACCEPT or ACCEPT ARMISTICE."""
    if len(arguments.prefix) > 1:
        arguments = replace(arguments, raw=f" {arguments.prefix[0]}{arguments.raw}")
    return Armistice(read_answer(arguments, "offer", "accept", "refuse"))


def _is_armistice_serious(context: LetterContext, command: Armistice) -> bool:
    """Whoever offers has accepted: the others' yes ends the game for everybody. A no harms nobody."""
    return command.terms != "refuse"


@adjudicating
def _armistice(context: LetterContext, command: Armistice, tx: Connection) -> tuple[Part, ...]:
    """Offer, accept, refuse. The game ends when all who play have accepted."""
    require_consent_possible(context, tx)
    offered = next(iter(proposals_of_turn(tx, context.campaign_name, "armistice")), None)
    match command.terms, offered:
        case "offer", None:
            return _propose(context, tx, "armistice", {})
        case _, None:
            return (Note("consent-no-armistice"),)
        case "offer", _:
            return _offer_again(context, tx, offered)
        case "accept", _:
            return _assent(context, tx, offered)
        case "refuse", _:
            return _refuse(context, tx, offered)


def _offer_again(context: LetterContext, tx: Connection, offered: Proposal) -> tuple[Part, ...]:
    if context.seat in offered.assents:
        missing = _seats_missing(tx, context.campaign_name, offered)
        return (Note("consent-again-armistice", {"to": "", "seats": missing}),)
    return (Note("consent-offer-there", {"who": offered.seat}),)


def _refuse(context: LetterContext, tx: Connection, offered: Proposal) -> tuple[Part, ...]:
    """One word is enough; whoever made the offer takes it back with it."""
    settle_proposal(tx, context.campaign_name, offered.number, "refused", context.service.now())
    _tell(context, tx, offered, "refused", ())
    return (Note("consent-withdrawn" if offered.seat == context.seat else "consent-refused"),)


VERBS = (
    Verb(
        "PROPOSE ROLLBACK", "PROPOSE RETOUR", PLAYERS, ProposeRollback, _propose_rollback,
        read=_read_proposal, subject="seat", serious=always, topic="ending",
    ),
    Verb(
        "AGREE, I AGREE", "ACCORD, D'ACCORD, JE SUIS D'ACCORD", PLAYERS, Agree, _agree,
        read=_read_agree, subject="seat", serious=always, topic="ending",
    ),
    Verb(
        "ARMISTICE, OFFER ARMISTICE, ACCEPT ARMISTICE, DECLINE ARMISTICE",
        "ARMISTICE, PROPOSER ARMISTICE, ACCEPTER ARMISTICE, REFUSER ARMISTICE",
        PLAYERS, Armistice, _armistice,
        read=_read_armistice, subject="seat", serious=_is_armistice_serious, topic="ending",
    ),
)  # fmt: skip
