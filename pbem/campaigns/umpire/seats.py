"""REPLACE: another person takes a seat, and old reply addresses prove nothing anymore. ANSWER FOR a seat."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.journal import canonical
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.invitations import invite, show_position
from pbem.campaigns.lobby import seat_name
from pbem.campaigns.notify import send_memo
from pbem.campaigns.order_file import UMPIRES_LINES
from pbem.campaigns.recipients import person_recipient
from pbem.campaigns.resignations import hand_over_resignations, open_resignations
from pbem.campaigns.umpire.acts import CannotDo, Umpire, refuse_frozen, refuse_lines, refuse_sealed
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, Note, TellsDeadline
from pbem.settings import is_mail_address
from pbem.store.people import Person, enrol, give_seat, give_to_bot, remove_member, seated, seats_of
from pbem.store.windows import Stamp, StoredReply, file_reply, open_window

REPLACE, ANSWER_FOR = "replace", "answer-for"
_NUMBER: Final = re.compile(r"(?:Q\s*(\d{1,3})\s*[.:)-]?\s+)?(\d{1,3})\s*\.?", re.IGNORECASE)


# ------------------------------------------------------------------ replace


def replace_holder(umpire: Umpire, seat: str, address: str, called: str = "") -> int:
    """Seat somebody in place of whoever holds the seat, bot or person; returns the new holder's number.

    The newcomer gets an invitation and the present position, the player before them a word of thanks, the
    others a notice that names nobody.
    """
    plain, service = check_address(address), umpire.service
    with umpire.lock() as (tx, row):
        name = row.id
        if row.state == "running":
            refuse_frozen(tx, name)
        seats = seated(tx, name)
        held = {own.seat.casefold(): own for own in seats}.get(seat.casefold())
        if held is None:
            raise CannotDo("umpire-no-such-seat", seat=seat, seats=[own.seat for own in seats])
        newcomer = _enrol_newcomer(service, tx, name, plain, called or name_from_address(plain))
        campaign = umpire.perform(tx, REPLACE, {"seat": held.seat}, {"who": held.seat}, but=held.seat)
        give_to_bot(tx, name, held.seat, None)
        before = open_resignations(tx, name)
        number = give_seat(tx, name, held.seat, newcomer, service.now())
        remove_member(tx, name, newcomer, "signup")
        invite(service, tx, campaign, held.seat)
        if campaign.pause is not None:
            show_position(service, tx, campaign, held.seat)
            hand_over_resignations(service, tx, campaign, held.seat, before)
        if held.person is not None:
            _thank(umpire, tx, campaign, held.seat, held.person)
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


def _thank(umpire: Umpire, tx: Connection, campaign: Campaign, seat: str, person: Person) -> None:
    """To the former holder, who has no seat in the campaign anymore."""
    if person.registered is None:
        return
    terms, recipient = campaign.terms, person_recipient(person, campaign.name)
    called = seat_name(terms, terms.seat(seat), recipient.language)
    parts = (Note("replaced-reason", {"reason": umpire.reason}),) if umpire.reason else ()
    subject = Note("replaced-subject", {"campaign": campaign.name})
    memo = Memo(subject, Note("replaced-you", {"called": called}), parts, campaign.name, farewell=True)
    memo = replace(memo, deadline=TellsDeadline(state="over", seat=seat))
    send_memo(umpire.service, tx, terms, recipient, memo)


# ------------------------------------------------------------------ answer for a seat


@dataclass(frozen=True, slots=True)
class _Answers:
    """Numbered answers by the question's id, and the order lines between them."""

    numbered: dict[str, tuple[Ask, Answer]]
    lines: tuple[str, ...]


def answer_for(umpire: Umpire, seat: str, text: str) -> tuple[str, ...]:
    """File order lines or numbered answers as the umpire's; they are in nobody's dice entry.

    They go before the seat's own. Returns them in canonical notation.
    """
    with umpire.lock_running() as (tx, row):
        refuse_sealed(umpire, tx)
        campaign = load_campaign(tx, row.id)
        who = campaign.terms.seat(seat)
        answers = _read(campaign, who, text)
        notation = _check(campaign, who, answers)
        _file(umpire.service, tx, campaign, who, answers)
        umpire.perform(tx, ANSWER_FOR, {"seat": who}, {"who": who})
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
