"""Which campaign, seat and window a letter is about.

Its reply address says so; where a mail program dropped that, the letter of ours that it answers; and where
neither is there, the campaign its subject names, or the only one its writer takes part in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pbem.intake.context import Arrival
from pbem.mail.addresses import Claim
from pbem.mail.message import Letter
from pbem.orders.own_text import ORDERS
from pbem.store.advance import next_window_number
from pbem.store.campaigns import CampaignRow
from pbem.store.outbox import Posted, posted
from pbem.store.people import Seated, memberships, seats_of

_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")
MOST_WORDS: Final = 40  # of a subject
MOST_HEADS: Final = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where a letter belongs."""

    campaign_row: CampaignRow
    seated: Seated | None = None
    window: int = 0
    token: bool = False  # only the present holder of the seat was told of this way


def by_reply_address(arrival: Arrival) -> Place | None:
    """The token of a seat's window; one of a former holder, or none of ours, proves nothing.

    Of several tokens the writer's own counts: the others are copies that he sent to others.
    """
    places = _proven(arrival)
    own = [one for one in places if _is_held_by_writer(arrival, one.seated)]
    return next(iter(own or places), None)


def _is_held_by_writer(arrival: Arrival, one: Seated | None) -> bool:
    who = None if one is None or one.person is None else one.person.id
    return arrival.person is not None and arrival.person.id == who


def _proven(arrival: Arrival) -> list[Place]:
    service, found = arrival.service, []
    for claim in service.addresses.claims(arrival.letter):
        standing = arrival.called(claim.campaign)
        if standing is None or (one := _claimed_seat(arrival, standing, claim)) is None:
            continue
        there = arrival.window_in(standing.id)
        newest = next_window_number(service.db, standing.id) - 1 if there is None else there.number
        window = service.addresses.proven_window(claim, one.holder, newest)
        if window is not None:
            found.append(Place(standing, one, window, True))
    return found


def _claimed_seat(arrival: Arrival, standing: CampaignRow, claim: Claim) -> Seated | None:
    return next((one for one in arrival.seats_in(standing.id) if one.seat.lower() == claim.seat), None)


def answered_letter(arrival: Arrival) -> Posted | None:
    """The nearest letter of ours in the letter's thread that is still kept."""
    for message_id in arrival.service.addresses.answered(arrival.letter):
        if (found := posted(arrival.service.db, message_id)) is not None:
            return found
    return None


def by_answered_letter(arrival: Arrival) -> Place | None:
    """The Message-ID of a letter that went to the seat's present holder, and only to him."""
    found = arrival.answered
    if found is None or found.letter.campaign is None:
        return None
    standing = arrival.called(found.letter.campaign)
    if standing is None or found.letter.seat is None:
        return None if standing is None else Place(standing)
    one = next((one for one in arrival.seats_in(standing.id) if one.seat == found.letter.seat), None)
    if one is None or one.person is None or not _is_his(found, one):
        return Place(standing)
    return Place(standing, one, found.letter.window or 0, True)


def _is_his(found: Posted, one: Seated) -> bool:
    """A letter to a former holder, or from before the seat's tokens were replaced, proves nothing."""
    same = one.person is not None and found.letter.person == one.person.id
    return same and (one.since is None or found.laid >= one.since)


def _words_of(letter: Letter) -> set[str]:
    """The words of the subject and of headers of blocks."""
    own = [line.text for line in letter.lines if line.quoted == 0 and not line.is_struck]
    heads = [text for text in own if text.strip().upper().startswith(ORDERS)]
    texts = (letter.subject, *heads[:MOST_HEADS])
    return {word.lower() for text in texts for word in _WORD.findall(text)[:MOST_WORDS]}


def by_name(arrival: Arrival) -> Place | None:
    """The campaign that subject or block names, or the only one; and the writer's only seat there."""
    if arrival.person is None:
        return None
    db, own = arrival.service.db, arrival.person.id
    held = seats_of(db, own)
    known = sorted({name for name, _ in held} | {name for name, _ in memberships(db, own)})
    named = _words_of(arrival.letter)
    meant = [name for name in known if name.lower() in named] or known
    if len(meant) != 1:
        return None
    standing = arrival.called(meant[0])
    assert standing is not None, "whoever takes part in a campaign takes part in one that is there"
    mine = [seat for name, seat in held if name == standing.id]
    seats = [one for one in arrival.seats_in(standing.id) if len(mine) == 1 and one.seat == mine[0]]
    return Place(standing, seats[0] if seats else None)
