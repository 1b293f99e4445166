"""REPLACE: another person takes a seat. The old reply addresses prove nothing from then on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.errors import Refusal
from engine.kernel.journal import canonical
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from pbem.campaigns.campaign import UMPIRES_LINES, Campaign, load_campaign
from pbem.campaigns.invitations import invite, show_position
from pbem.campaigns.lobby import seat_name
from pbem.campaigns.recipients import OutgoingLetter, letter_to, person_recipient, phrases_for
from pbem.campaigns.resignations import has_changed_hands, open_resignations
from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, may_see_all, running_for_act, standing_for_act
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, Note, memo_letter
from pbem.letters.phrases import spoken
from pbem.settings import is_mail_address
from pbem.store.campaigns import keys_of
from pbem.store.outbox import put_in_outbox
from pbem.store.people import Person, enrol, give_seat, give_to_bot, seated, seats_of
from pbem.store.session import Db, writing
from pbem.store.windows import Stamp, StoredReply, file_reply, open_window

REPLACE = "replace"


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
    """Seat somebody in place of whoever holds it, bot or person; returns the new holder's number.

    The newcomer gets an invitation and the present position, the one before him a word of thanks, the others
    a notice that names nobody.
    """
    plain = checked_address(address)
    with writing(service.db if db is None else db) as tx:
        if standing_for_act(tx, name).state == "running":
            running_for_act(tx, name)
        held = {one.seat.casefold(): one for one in seated(tx, name)}.get(seat.casefold())
        if held is None:
            raise CannotDo("umpire-no-such-seat", seat=seat, seats=[one.seat for one in seated(tx, name)])
        newcomer = _newcomer(service, tx, name, plain, called or name_in(plain))
        told = {"who": held.seat}
        deciding = Deciding(REPLACE, reason, by, {"seat": held.seat}, facts=told, but=held.seat)
        taken = do(service, tx, name, deciding)
        give_to_bot(tx, name, held.seat, None)
        before = open_resignations(tx, name)
        number = give_seat(tx, name, held.seat, newcomer, service.now())
        invite(service, tx, taken.standing_row, held.seat, taken.terms, keys_of(tx, name), service.now())
        if taken.pause is not None:
            show_position(service, tx, taken, held.seat)
            has_changed_hands(service, tx, taken, held.seat, before)
        if held.person is not None:
            _thank(service, tx, taken, held.seat, held.person, reason)
    return number


def checked_address(address: str) -> str:
    """A mail address that letters can go to, in lower case, or a complaint."""
    plain = address.strip().lower()
    if not is_mail_address(plain):
        raise CannotDo("umpire-bad-address", word=address)
    return plain


def name_in(address: str) -> str:
    """What somebody is called of whom only the address is known: max.brandt@… is Max Brandt."""
    words = re.split(r"[._\-+\d]+", address.partition("@")[0])
    return " ".join(word.capitalize() for word in words if word) or address


def _newcomer(service: ServiceContext, tx: Connection, name: str, address: str, called: str) -> int:
    house = service.profile
    person = enrol(tx, address, called, house.language, house.zone, service.now())
    if own := [seat for campaign, seat in seats_of(tx, person) if campaign == name]:
        raise CannotDo("umpire-holds-a-seat", campaign=name, seat=own[0])
    return person


def _thank(
    service: ServiceContext, tx: Connection, taken: Campaign, seat: str, person: Person, reason: str
) -> None:
    """To the one who held the seat, in his own name: he has none in the campaign any more."""
    if person.registered is None:
        return
    recipient = person_recipient(person, taken.name)
    called = seat_name(taken.terms, taken.terms.seat(seat), recipient.language)
    parts = (Note("replaced-reason", {"reason": reason}),) if reason else ()
    subject = Note("replaced-subject", {"campaign": taken.name})
    memo = Memo(subject, Note("replaced-you", {"called": called}), parts, taken.name, farewell=True)
    written = memo_letter(memo, phrases_for(taken.terms, recipient))
    put_in_outbox(
        tx,
        [letter_to(service, tx, recipient, OutgoingLetter("notice", written), service.now())],
        service.now(),
    )


ANSWER_FOR = "answer-for"
_NUMBER: Final = re.compile(r"(?:Q\s*(\d{1,3})\s*[.:)-]?\s+)?(\d{1,3})\s*\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    """Numbered answers by the question's id, and the order lines between them."""

    answers: dict[str, tuple[Ask, Answer]]
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
    """Order lines or numbered answers, on file as the umpire's; they are in nobody's dice entry.

    His lines go before the seat's own. Returns them in canonical notation.
    """
    with writing(service.db if db is None else db) as tx:
        running_for_act(tx, name)
        if not may_see_all(tx, name, by, service.profile.umpires):
            raise CannotDo("umpire-sealed", campaign=name)
        taken = load_campaign(tx, name)
        who = taken.terms.seat(seat)
        said = _read(taken, who, text)
        notation = _checked(taken, who, said)
        _file(service, tx, taken, who, said)
        do(service, tx, name, Deciding(ANSWER_FOR, reason, by, {"seat": who}, facts={"who": who}))
    return notation


def _read(taken: Campaign, seat: Seat, text: str) -> _Said:
    asks = taken.open_asks().get(seat, [])
    answers: dict[str, tuple[Ask, Answer]] = {}
    lines: list[str] = []
    for line in re.split(r"[;\n]", text):
        found = _NUMBER.fullmatch(line.strip())
        if found is None:
            lines.append(line.strip())
            continue
        place, number = int(found[1] or 1), int(found[2])
        if not 1 <= place <= len(asks):
            raise CannotDo("umpire-no-such-question", number=place, most=len(asks))
        question, ask = asks[place - 1]
        offered = list(ask.options.describe())
        if not 1 <= number <= len(offered):
            raise CannotDo("umpire-no-such-answer", number=number, question=place, most=len(offered))
        answers[question] = ask, offered[number - 1]
    return _Said(answers, tuple(line for line in lines if line))


def _checked(taken: Campaign, seat: Seat, said: _Said) -> tuple[str, ...]:
    """Everything as it is understood, in notation; what that seat could not order is refused here, too."""
    view, notation = taken.table.view(seat), taken.terms.game.notation
    reading = taken.read(seat, "\n".join(said.lines))
    refusals = list(reading.refusals)
    verdicts = judge_sheet(taken.table, seat, OrderFile(reading.orders)) if reading.orders else ()
    refusals += [one.refusal for one in verdicts if one.status == "refused" and one.refusal is not None]
    if refusals:
        raise CannotDo("umpire-lines-refused", seat=seat, sentences=_sentences(taken, refusals))
    if not said.answers and not reading.orders:
        raise CannotDo("umpire-no-words")
    written = [notation.write_answer(ask, answer, "en", view) for ask, answer in said.answers.values()]
    return (*written, *(line.write("en") for line in reading.orders))


def _sentences(taken: Campaign, refusals: list[Refusal]) -> list[str]:
    phrases = spoken(taken.terms.game.id, "en", taken.terms.pack)
    return [phrases.refusal(refusal) for refusal in refusals]


def _file(service: ServiceContext, tx: Connection, taken: Campaign, seat: Seat, said: _Said) -> None:
    window, stamp = open_window(tx, taken.name), Stamp(service.now())
    if window is None or (seat not in window.seats and not said.answers):
        raise CannotDo("umpire-seat-not-awaited", campaign=taken.name, seat=seat)
    for question, (ask, answer) in said.answers.items():
        reply = StoredReply(ask.topic, canonical(answer).decode(), umpire=True)
        file_reply(tx, taken.name, window.number, seat, question, reply, stamp)
    if said.lines:
        text = canonical("\n".join(said.lines)).decode()
        lines = StoredReply("", text, umpire=True)
        file_reply(tx, taken.name, window.number, seat, UMPIRES_LINES, lines, stamp)
