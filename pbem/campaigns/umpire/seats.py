"""REPLACE: another person takes a seat, and old reply addresses prove nothing anymore. ANSWER FOR a seat."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.journal import canonical
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from pbem.campaigns.campaign import UMPIRES_LINES, Campaign, load_campaign
from pbem.campaigns.invitations import invite, show_position
from pbem.campaigns.lobby import seat_name
from pbem.campaigns.notify import send_memo
from pbem.campaigns.recipients import person_recipient
from pbem.campaigns.resignations import hand_over_resignations, open_resignations
from pbem.campaigns.umpire.acts import (
    CannotDo,
    UmpireAct,
    lock_campaign,
    lock_running_campaign,
    may_see_all,
    perform_act,
    refuse_lines,
)
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, Note
from pbem.settings import is_mail_address
from pbem.store.campaigns import keys_of
from pbem.store.people import Person, enrol, give_seat, give_to_bot, seated, seats_of
from pbem.store.session import Db, writing
from pbem.store.windows import Stamp, StoredReply, file_reply, open_window

REPLACE, ANSWER_FOR = "replace", "answer-for"
_NUMBER: Final = re.compile(r"(?:Q\s*(\d{1,3})\s*[.:)-]?\s+)?(\d{1,3})\s*\.?", re.IGNORECASE)


# ------------------------------------------------------------------ replace


def replace_holder(
    service: ServiceContext,
    name: str,
    seat: str,
    address: str,
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
    called: str = "",
) -> int:
    """Seat somebody in place of whoever holds the seat, bot or person; returns the new holder's number.

    The newcomer gets an invitation and the present position, the player before them a word of thanks, the
    others a notice that names nobody.
    """
    plain = check_address(address)
    with writing(db or service.db) as tx:
        if lock_campaign(tx, name).state == "running":
            lock_running_campaign(tx, name)
        seats = seated(tx, name)
        held = {row.seat.casefold(): row for row in seats}.get(seat.casefold())
        if held is None:
            raise CannotDo("umpire-no-such-seat", seat=seat, seats=[row.seat for row in seats])
        newcomer = _enrol_newcomer(service, tx, name, plain, called or name_from_address(plain))
        public, facts = {"seat": held.seat}, {"who": held.seat}
        act = UmpireAct(act=REPLACE, reason=reason, by=by, public=public, facts=facts, but=held.seat)
        campaign = perform_act(service, tx, name, act)
        give_to_bot(tx, name, held.seat, None)
        before = open_resignations(tx, name)
        number = give_seat(tx, name, held.seat, newcomer, service.now())
        invite(service, tx, campaign.standing_row, held.seat, campaign.terms, keys_of(tx, name))
        if campaign.pause is not None:
            show_position(service, tx, campaign, held.seat)
            hand_over_resignations(service, tx, campaign, held.seat, before)
        if held.person is not None:
            _thank(service, tx, campaign, held.seat, held.person, reason)
    return number


def check_address(address: str) -> str:
    """A mail address that letters can go to, in lower case, or a complaint."""
    plain = address.strip().lower()
    if not is_mail_address(plain):
        raise CannotDo("umpire-bad-address", word=address)
    return plain


def name_from_address(address: str) -> str:
    """A name for somebody of whom only the address is known: max.brandt@… is Max Brandt."""
    words = re.split(r"[._\-+\d]+", address.partition("@")[0])
    return " ".join(word.capitalize() for word in words if word) or address


def _enrol_newcomer(service: ServiceContext, tx: Connection, name: str, address: str, called: str) -> int:
    profile = service.profile
    person = enrol(tx, address, called, profile.language, profile.zone, service.now())
    if own := [seat for campaign, seat in seats_of(tx, person) if campaign == name]:
        raise CannotDo("umpire-holds-a-seat", campaign=name, seat=own[0])
    return person


def _thank(
    service: ServiceContext, tx: Connection, campaign: Campaign, seat: str, person: Person, reason: str
) -> None:
    """To the former holder, who has no seat in the campaign anymore."""
    if person.registered is None:
        return
    terms, recipient = campaign.terms, person_recipient(person, campaign.name)
    called = seat_name(terms, terms.seat(seat), recipient.language)
    parts = (Note("replaced-reason", {"reason": reason}),) if reason else ()
    subject = Note("replaced-subject", {"campaign": campaign.name})
    memo = Memo(subject, Note("replaced-you", {"called": called}), parts, campaign.name, farewell=True)
    send_memo(service, tx, terms, recipient, memo)


# ------------------------------------------------------------------ answer for a seat


@dataclass(frozen=True, slots=True)
class _Answers:
    """Numbered answers by the question's id, and the order lines between them."""

    numbered: dict[str, tuple[Ask, Answer]]
    lines: tuple[str, ...]


def answer_for(
    service: ServiceContext,
    name: str,
    seat: str,
    text: str,
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> tuple[str, ...]:
    """File order lines or numbered answers as the umpire's; they are in nobody's dice entry.

    They go before the seat's own. Returns them in canonical notation.
    """
    with writing(db or service.db) as tx:
        lock_running_campaign(tx, name)
        if not may_see_all(tx, name, by, service.profile.umpires):
            raise CannotDo("umpire-sealed", campaign=name)
        campaign = load_campaign(tx, name)
        who = campaign.terms.seat(seat)
        answers = _read(campaign, who, text)
        notation = _check(campaign, who, answers)
        _file(service, tx, campaign, who, answers)
        public, facts = {"seat": who}, {"who": who}
        perform_act(
            service, tx, name, UmpireAct(act=ANSWER_FOR, reason=reason, by=by, public=public, facts=facts)
        )
    return notation


def _read(campaign: Campaign, seat: Seat, text: str) -> _Answers:
    asks = campaign.open_asks().get(seat, [])
    numbered, lines = dict[str, tuple[Ask, Answer]](), list[str]()
    for line in map(str.strip, re.split(r"[;\n]", text)):
        match = _NUMBER.fullmatch(line)
        if match is None:
            lines += [line] if line else []
            continue
        place, number = int(match[1] or 1), int(match[2])
        if not 1 <= place <= len(asks):
            raise CannotDo("umpire-no-such-question", number=place, most=len(asks))
        question, ask = asks[place - 1]
        options = list(ask.options.describe())
        if not 1 <= number <= len(options):
            raise CannotDo("umpire-no-such-answer", number=number, question=place, most=len(options))
        numbered[question] = ask, options[number - 1]
    return _Answers(numbered, tuple(lines))


def _check(campaign: Campaign, seat: Seat, answers: _Answers) -> tuple[str, ...]:
    """Everything as it is understood, in notation; what that seat could not order is refused."""
    view, notation = campaign.table.view(seat), campaign.terms.game.notation
    reading = campaign.read(seat, "\n".join(answers.lines))
    orders, refusals = reading.orders, [*reading.refusals]
    for verdict in judge_sheet(campaign.table, seat, OrderFile(orders)) if orders else ():
        if verdict.status == "refused" and verdict.refusal is not None:
            refusals.append(verdict.refusal)
    refuse_lines(campaign, seat, refusals)
    if not answers.numbered and not orders:
        raise CannotDo("umpire-no-words")
    written = [notation.write_answer(ask, answer, "en", view) for ask, answer in answers.numbered.values()]
    return (*written, *(line.write("en") for line in orders))


def _file(service: ServiceContext, tx: Connection, campaign: Campaign, seat: Seat, answers: _Answers) -> None:
    window, stamp = open_window(tx, campaign.name), Stamp(service.now())
    if window is None or (seat not in window.seats and not answers.numbered):
        raise CannotDo("umpire-seat-not-awaited", campaign=campaign.name, seat=seat)
    replies = {
        question: StoredReply(ask.topic, canonical(answer).decode(), umpire=True)
        for question, (ask, answer) in answers.numbered.items()
    }
    if answers.lines:
        text = canonical("\n".join(answers.lines)).decode()
        replies[UMPIRES_LINES] = StoredReply("", text, umpire=True)
    for question, reply in replies.items():
        file_reply(tx, campaign.name, window.number, seat, question, reply, stamp)
