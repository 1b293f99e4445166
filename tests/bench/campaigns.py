"""Many live campaigns at little cost: one is opened and played in, the others are copies of its rows.

A copy has a name, people and reply addresses of its own, and the letters that its seats would have got; the
journal, the dice to come and the open window are those of the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.policy import default

from sqlalchemy import Connection, Table, insert, select, update

from pbem.context import ServiceContext
from pbem.demo.clients import RepliedLetter, write_reply
from pbem.demo.script import Player
from pbem.store import schema, schema_mail
from pbem.store.outbox import OutgoingMail, letters_to
from pbem.store.people import seated
from pbem.store.session import writing
from tests.campaigns_at_hand import found_campaign, run_on
from tests.servers import HOST

PATTERN = "FWW-0"
ORDERS = "ORDERS\nDE DEPLOY 3D > 1, 2D > 8, D > 4\nEND\n"  # of CENTRAL in the first window

# All that belongs to a campaign and says nothing of people or of its name, in the order of foreign keys.
_COPIED = (
    schema.secrets,
    schema.seats,
    schema.branches,
    schema.journal,
    schema.snapshots,
    schema.closes,
    schema.records,
    schema_mail.windows,
    schema_mail.deadlines,
)


@dataclass(frozen=True, slots=True)
class Correspondent:
    """One who holds a seat, and the letter of ours that he answers."""

    campaign: str
    seat: str
    address: str
    letter: RepliedLetter

    def writes(self, text: str = ORDERS) -> bytes:
        """A reply above the quoted letter, as most programs write it."""
        name = self.address.partition("@")[0]
        player = Player(name=name, user=name, language="en", zone="UTC", client="top", letters=())
        return write_reply(player, self.address, text, self.letter)


def open_campaigns(service: ServiceContext, count: int) -> list[Correspondent]:
    """So many campaigns with two players each, their first windows open; returns all who hold a seat."""
    found_campaign(service, PATTERN, players=2)
    run_on(service, PATTERN, "opening")
    names = [f"FWW-{number}" for number in range(1, count + 1)]
    with writing(service.db) as tx:
        _leave_alone(tx)
        _copy_campaigns(tx, names)
        for table in _COPIED:
            _copy(tx, table)
        people = _seat_people(tx, service, names)
        return _copy_letters(tx, service, people)


def _leave_alone(tx: Connection) -> None:
    """The pattern itself is not played: nobody looks at it, and its letters go to nobody."""
    tx.execute(update(schema.campaigns).values(looked=schema.campaigns.c.revision))
    tx.execute(update(schema_mail.outbox).values(state="sent", sent_at=schema_mail.outbox.c.laid_at))


def _copy_campaigns(tx: Connection, names: Iterable[str]) -> None:
    table = schema.campaigns
    row = tx.execute(select(table).where(table.c.id == PATTERN)).mappings().one()
    seen = dict(row) | {"looked": row["revision"]}  # nobody need look at them
    tx.execute(insert(table), [seen | {"id": name} for name in names])


def _copy(tx: Connection, table: Table) -> None:
    """The pattern's rows, once for each other campaign."""
    rest = [column for column in table.c if column.name not in ("campaign", "id")]
    others = schema.campaigns.alias()
    every = table.join(others, others.c.id != PATTERN)
    chosen = select(others.c.id, *rest).select_from(every).where(table.c.campaign == PATTERN)
    tx.execute(insert(table).from_select(["campaign", *(one.name for one in rest)], chosen))


@dataclass(frozen=True, slots=True)
class _Holder:
    campaign: str
    seat: str
    person: int

    @property
    def address(self) -> str:
        return f"{self.seat}{self.campaign.partition('-')[2]}@{HOST}".lower()


def _seat_people(tx: Connection, service: ServiceContext, names: Sequence[str]) -> list[_Holder]:
    """Everybody holds one seat."""
    now, people = service.now(), schema.people
    places = [(name, one.seat) for name in names for one in seated(tx, PATTERN)]
    told = {"language": "en", "zone": "UTC", "enrolled_at": now}
    new = insert(people).returning(people.c.id, sort_by_parameter_order=True)
    numbers = tx.execute(new, [told | {"name": seat.title()} for _, seat in places]).scalars()
    found = [_Holder(*place, number) for place, number in zip(places, numbers, strict=True)]
    good = {"linked": False, "state": "good", "added_at": now}
    tx.execute(
        insert(schema.addresses), [good | {"address": one.address, "person": one.person} for one in found]
    )
    first = {"number": 1, "since": now}
    seats = [{"campaign": one.campaign, "seat": one.seat, "person": one.person} for one in found]
    tx.execute(insert(schema.holders), [first | one for one in seats])
    return found


def _copy_letters(tx: Connection, service: ServiceContext, people: Iterable[_Holder]) -> list[Correspondent]:
    """The result letters that opened the window, sent long ago: as the pattern's, but for names."""
    patterns = {one.letter.seat or "": one.letter for one in letters_to(tx, PATTERN)}
    texts = {seat: shown(service, letter, PATTERN, seat, 1) for seat, letter in patterns.items()}
    now = service.now()
    sent = {"state": "sent", "attempts": 1, "trouble": "", "next_try_at": now, "laid_at": now, "sent_at": now}
    rows, found = [], []
    for one in people:
        pattern = patterns[one.seat]
        letter = _own(service, pattern, one)
        about = {name: getattr(letter, name) for name in ("message_id", "kind", "sender", "body", "window")}
        where = {"campaign": one.campaign, "seat": one.seat, "person": one.person, "recipient": one.address}
        rows.append(about | where | sent | {"number": letter.number})
        found.append(Correspondent(one.campaign, one.seat, one.address, _read(service, texts, letter, one)))
    tx.execute(insert(schema_mail.outbox), rows)
    return found


def _own(service: ServiceContext, pattern: OutgoingMail, one: _Holder) -> OutgoingMail:
    addresses, window = service.addresses, pattern.window or 0
    message_id = addresses.message_id(one.campaign, one.seat, pattern.kind, pattern.number or 0)
    before, after = (
        addresses.reply_address(name, one.seat, 1, window).encode() for name in (PATTERN, one.campaign)
    )
    body = pattern.body.replace(pattern.message_id.encode(), message_id.encode()).replace(before, after)
    body = body.replace(pattern.recipient.encode(), one.address.encode())
    body = body.replace(PATTERN.encode(), one.campaign.encode())
    return replace(pattern, message_id=message_id, sender=addresses.envelope_sender(message_id), body=body)


def _read(
    service: ServiceContext, texts: Mapping[str, RepliedLetter], letter: OutgoingMail, one: _Holder
) -> RepliedLetter:
    """What the holder sees: the pattern's text with names of his own, which is quicker than to parse each."""
    back = service.addresses.reply_address(one.campaign, one.seat, 1, letter.window or 0)
    pattern = texts[one.seat]
    text = pattern.text.replace(pattern.reply_to, back).replace(PATTERN, one.campaign)
    return replace(
        pattern, reply_to=back, subject=f"[{one.campaign}]", message_id=letter.message_id, text=text
    )


def shown(service: ServiceContext, letter: OutgoingMail, name: str, seat: str, holder: int) -> RepliedLetter:
    """As a mail program shows it."""
    message = message_from_bytes(letter.body, policy=default)
    text = message.get_body(("plain",))
    assert text is not None, "a letter without text"
    back = service.addresses.reply_address(name, seat, holder, letter.window or 0)
    words = text.get_content().replace("\r\n", "\n")
    return RepliedLetter(service.addresses.mailbox, back, f"[{name}]", letter.message_id, "", words)
