"""REPLACE: another person takes a seat. The old reply addresses prove nothing from then on."""

from __future__ import annotations

import re

from sqlalchemy.engine import Connection

from pbem.campaigns.correspondence import Sending, letter_to, person_reader, phrases_for
from pbem.campaigns.invitations import invite
from pbem.campaigns.lobby import seat_name
from pbem.campaigns.positions import show_position
from pbem.campaigns.resignations import has_changed_hands, open_resignations
from pbem.campaigns.stored import StoredCampaign
from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, running_for_act, standing_for_act
from pbem.mail.post import is_sendable
from pbem.office import Office
from pbem.report.memo import Memo, Note, memo_letter
from pbem.store.campaigns import keys_of
from pbem.store.connect import Db, writing
from pbem.store.outbox import lay_in
from pbem.store.people import Person, enrol, give_seat, give_to_bot, seated, seats_of

REPLACE = "replace"


def replace(
    office: Office,
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
    with writing(office.db if db is None else db) as tx:
        if standing_for_act(tx, name).state == "running":
            running_for_act(tx, name)
        held = {one.seat.casefold(): one for one in seated(tx, name)}.get(seat.casefold())
        if held is None:
            raise CannotDo("umpire-no-such-seat", seat=seat, seats=[one.seat for one in seated(tx, name)])
        newcomer = _newcomer(office, tx, name, plain, called or name_in(plain))
        told = {"who": held.seat}
        deciding = Deciding(REPLACE, reason, by, {"seat": held.seat}, facts=told, but=held.seat)
        taken = do(office, tx, name, deciding)
        give_to_bot(tx, name, held.seat, None)
        before = open_resignations(tx, name)
        number = give_seat(tx, name, held.seat, newcomer, office.now())
        invite(office, tx, taken.standing_row, held.seat, taken.terms, keys_of(tx, name), office.now())
        if taken.pause is not None:
            show_position(office, tx, taken, held.seat)
            has_changed_hands(office, tx, taken, held.seat, before)
        if held.person is not None:
            _thank(office, tx, taken, held.seat, held.person, reason)
    return number


def checked_address(address: str) -> str:
    """A mail address that letters can go to, in lower case, or a complaint."""
    plain = address.strip().lower()
    if not is_sendable(plain):
        raise CannotDo("umpire-bad-address", word=address)
    return plain


def name_in(address: str) -> str:
    """What somebody is called of whom only the address is known: max.brandt@… is Max Brandt."""
    words = re.split(r"[._\-+\d]+", address.partition("@")[0])
    return " ".join(word.capitalize() for word in words if word) or address


def _newcomer(office: Office, tx: Connection, name: str, address: str, called: str) -> int:
    house = office.house
    person = enrol(tx, address, called, house.language, house.zone, office.now())
    if own := [seat for campaign, seat in seats_of(tx, person) if campaign == name]:
        raise CannotDo("umpire-holds-a-seat", campaign=name, seat=own[0])
    return person


def _thank(
    office: Office, tx: Connection, taken: StoredCampaign, seat: str, person: Person, reason: str
) -> None:
    """To the one who held the seat, in his own name: he has none in the campaign any more."""
    if person.registered is None:
        return
    reader = person_reader(person, taken.name)
    called = seat_name(taken.terms, taken.terms.seat(seat), reader.language)
    parts = (Note("replaced-reason", {"reason": reason}),) if reason else ()
    subject = Note("replaced-subject", {"campaign": taken.name})
    memo = Memo(subject, Note("replaced-you", {"called": called}), parts, taken.name, farewell=True)
    written = memo_letter(memo, phrases_for(taken.terms, reader))
    lay_in(tx, [letter_to(office, tx, reader, Sending("notice", written), office.now())], office.now())
