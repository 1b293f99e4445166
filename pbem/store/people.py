"""People, their addresses, and the seats they hold. All of it can be erased; journals only know seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import (
    RowMapping,
    bindparam,
    cast,
    delete,
    func,
    insert,
    null,
    or_,
    select,
    true,
    union_all,
    update,
)
from sqlalchemy.engine import Connection

from pbem.store import schema, schema_mail
from pbem.store.campaigns import lock_and_load, touch
from pbem.store.proposals import withdraw_consent
from pbem.store.session import (
    Db,
    StoreError,
    all_rows,
    all_values,
    insert_or_ignore,
    one_row,
    one_value,
    write,
    writing,
)

Role: TypeAlias = Literal["umpire", "observer", "signup"]
AddressState: TypeAlias = Literal["good", "bouncing", "suspended"]


class AddressTaken(StoreError):
    """The address belongs to somebody else."""


class NoSuchSeat(StoreError):
    """The campaign has no such seat."""


@dataclass(frozen=True, slots=True)
class Address:
    """One address of a person."""

    address: str
    linked: bool  # False: the registered one
    state: str
    signed_since: datetime | None  # since then its letters carry an aligned DKIM pass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who plays, umpires or watches."""

    id: int
    name: str
    language: str
    zone: str
    addresses: tuple[Address, ...]

    @property
    def registered(self) -> str | None:
        """Where letters go."""
        return next((one.address for one in self.addresses if not one.linked), None)


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat and who holds it."""

    seat: str
    holder: int  # counts the holders; 0: nobody yet
    person: Person | None
    bot: str | None
    bank: int
    missed: int
    since: datetime | None
    quiet: bool = False  # its holder wants no letters
    standing: str = ""  # its standing orders, in canonical notation


# ------------------------------------------------------------------ persons


def enrol(db: Db, address: str, name: str, language: str, zone: str, now: datetime) -> int:
    """The person with that registered address; created if there is none."""
    plain = address.lower()
    with writing(db) as tx:
        if (known := _owner(tx, plain)) is not None:
            return known
        values = {"name": name[:200], "language": language, "zone": zone, "enrolled_at": now}
        done = tx.execute(insert(schema.people).values(**values))
        assert done.inserted_primary_key is not None
        person: int = done.inserted_primary_key[0]
        if insert_or_ignore(tx, schema.addresses, **_address(plain, person, False, now)):
            return person
        tx.execute(delete(schema.people).where(schema.people.c.id == person))  # another letter was faster
        owner = _owner(tx, plain)
        assert owner is not None
        return owner


def _address(address: str, person: int, linked: bool, now: datetime) -> dict[str, Any]:
    return {"address": address, "person": person, "linked": linked, "state": "good", "added_at": now}


def _owner(tx: Connection, address: str) -> int | None:
    owner: int | None = one_value(tx, select(schema.addresses.c.person).filter_by(address=address))
    return owner


def link_address(db: Db, person: int, address: str, now: datetime) -> None:
    """Add another address that the person writes from."""
    with writing(db) as tx:
        insert_or_ignore(tx, schema.addresses, **_address(address.lower(), person, True, now))
        if _owner(tx, address.lower()) != person:
            raise AddressTaken("that address belongs to somebody else")


def unlink_address(db: Db, person: int, address: str) -> bool:
    """Remove a linked address. False: it was not linked; the registered one stays."""
    mine = delete(schema.addresses).filter_by(person=person, address=address.lower())
    return write(db, mine.where(schema.addresses.c.linked)) == 1


def register_address(db: Db, person: int, address: str, now: datetime) -> None:
    """Send letters to this address from now on; the one before stays linked."""
    known = update(schema.addresses)
    with writing(db) as tx:
        link_address(tx, person, address, now)
        tx.execute(known.filter_by(person=person).values(linked=True))
        tx.execute(known.filter_by(address=address.lower()).values(linked=False, state="good"))


def person_at(db: Db, address: str) -> Person | None:
    """The person who has that address."""
    return _found(db, _AT, address.lower())


def person(db: Db, number: int) -> Person | None:
    return _found(db, _NUMBERED, number)


# People and their addresses are read together: a row for each address, the registered one first.
_KNOWN: Final = schema.people.outerjoin(schema.addresses, schema.addresses.c.person == schema.people.c.id)
_WHO: Final = (
    schema.people.c.id.label("person"),
    *(schema.people.c[name] for name in ("name", "language", "zone")),
    *(schema.addresses.c[name] for name in ("address", "linked", "state", "signed_since")),
)
_ORDER: Final = (schema.addresses.c.linked, schema.addresses.c.address)


_PEOPLE: Final = select(*_WHO).select_from(_KNOWN).order_by(*_ORDER)
_NUMBERED: Final = _PEOPLE.where(schema.people.c.id == bindparam("whose"))
_OWN: Final = schema.addresses.alias()
_AT: Final = _PEOPLE.where(
    schema.people.c.id == select(_OWN.c.person).where(_OWN.c.address == bindparam("whose")).scalar_subquery()
)


def _found(db: Db, chosen: Any, whose: int | str) -> Person | None:
    rows = all_rows(db, chosen, {"whose": whose})
    return _person(rows) if rows else None


def _person(rows: Sequence[RowMapping]) -> Person | None:
    """The person in these rows; None: the seat is vacant."""
    row = rows[0]
    if row["person"] is None:
        return None
    known = tuple(
        Address(one["address"], one["linked"], one["state"], one["signed_since"])
        for one in rows
        if one["address"] is not None
    )
    return Person(row["person"], row["name"], row["language"], row["zone"], known)


def update_person(
    db: Db, number: int, *, name: str | None = None, language: str | None = None, zone: str | None = None
) -> None:
    """Change name, language or zone."""
    told = {"name": name and name[:200], "language": language, "zone": zone}
    values = {column: value for column, value in told.items() if value is not None}
    if values:
        write(db, update(schema.people).filter_by(id=number).values(**values))


def mark_address(db: Db, address: str, state: AddressState) -> bool:
    """Mark an address: bad after bounces, good after a letter from it. False: nobody has it."""
    here = update(schema.addresses).filter_by(address=address.lower())
    return write(db, here.values(state=state)) == 1


def require_signature(db: Db, address: str, now: datetime) -> None:
    """A letter carried an aligned DKIM pass: from now on all letters from this address must."""
    first = update(schema.addresses).filter_by(address=address.lower(), signed_since=None)
    write(db, first.values(signed_since=now))


def drop_signature_requirement(db: Db, person: int) -> None:
    """Accept unsigned letters from the person's addresses again, until one carries a pass."""
    write(db, update(schema.addresses).filter_by(person=person).values(signed_since=None))


# ------------------------------------------------------------------ seats


def seated(db: Db, campaign: str) -> list[Seated]:
    """The seats of a campaign in seat order, who holds them, and their standing orders."""
    return _all_seats(all_rows(db, _SEATED, {"name": campaign}))


def seats_held(db: Db, campaign: str) -> frozenset[str]:
    """The seats that a person held at some time since the last Close was frozen. The others sent nothing."""
    holders = schema.holders.c
    since = one_value(db, select(func.max(schema.closes.c.frozen_at)).filter_by(campaign=campaign))
    lasting = true() if since is None else or_(holders.until.is_(None), holders.until >= since)
    somebody = or_(holders.person.is_not(None), holders.until.is_not(None))  # perhaps forgotten since
    chosen = select(holders.seat).where(holders.campaign == campaign, somebody, lasting)
    return frozenset(all_values(db, chosen))


def _all_seats(rows: Sequence[RowMapping]) -> list[Seated]:
    return [_seated(list(group)) for _, group in groupby(rows, key=lambda row: row["place"])]


_HELD: Final = schema.seats.outerjoin(
    schema.holders,
    (schema.holders.c.campaign == schema.seats.c.campaign)
    & (schema.holders.c.seat == schema.seats.c.seat)
    & (schema.holders.c.number == schema.seats.c.holder),
)


def _all_seated() -> Any:
    seats, holders = schema.seats, schema.holders
    orders = schema_mail.standing_orders
    own = (orders.c.campaign == seats.c.campaign) & (orders.c.seat == seats.c.seat)
    joined = _HELD.outerjoin(_KNOWN, schema.people.c.id == holders.c.person)
    told = (holders.c.since, orders.c.text.label("standing"), *_WHO)
    chosen = select(seats, *told).select_from(joined.outerjoin(orders, own))
    return chosen.where(seats.c.campaign == bindparam("name")).order_by(seats.c.place, *_ORDER)


_SEATED: Final = _all_seated()  # built once: every letter runs it


def _seated(rows: Sequence[RowMapping]) -> Seated:
    row = rows[0]
    clocks = (row["bot"], row["bank"], row["missed"])
    rest = (row["since"], row["quiet"], row["standing"] or "")
    return Seated(row["seat"], row["holder"], _person(rows), *clocks, *rest)


def give_seat(db: Db, campaign: str, seat: str, person: int | None, now: datetime) -> int:
    """Seat a person in place of whoever held it (None: leave it vacant); returns the holder's number.

    The number is part of the reply addresses: the previous holder's prove nothing anymore. Nor does what they
    proposed or agreed to, unless the same person is seated again.
    """
    here = {"campaign": campaign, "seat": seat}
    with writing(db) as tx:
        lock_and_load(tx, campaign)
        number, held_by = _present_holder(tx, campaign, seat)
        if held_by != person:
            withdraw_consent(tx, campaign, seat, now)
        tx.execute(update(schema.holders).filter_by(**here, until=None).values(until=now))
        tx.execute(insert(schema.holders).values(**here, number=number + 1, person=person, since=now))
        new = {"holder": number + 1, "missed": 0, "quiet": False}
        tx.execute(update(schema.seats).filter_by(**here).values(**new))
        touch(tx, campaign)
    return number + 1


def _present_holder(tx: Connection, campaign: str, seat: str) -> tuple[int, int | None]:
    """The holder's number and person."""
    seats = schema.seats
    chosen = select(seats.c.holder, schema.holders.c.person).select_from(_HELD)
    row = one_row(tx, chosen.where(seats.c.campaign == campaign, seats.c.seat == seat))
    if row is None:
        raise NoSuchSeat(f"{campaign} has no seat {seat}")
    return int(row["holder"]), row["person"]


def give_to_bot(db: Db, campaign: str, seat: str, bot: str | None) -> None:
    """An automa plays the seat (None: no longer)."""
    here = update(schema.seats).filter_by(campaign=campaign, seat=seat)
    with writing(db) as tx:
        lock_and_load(tx, campaign)
        if write(tx, here.values(bot=bot)) != 1:
            raise NoSuchSeat(f"{campaign} has no seat {seat}")
        touch(tx, campaign)


def set_quiet(db: Db, campaign: str, seat: str, quiet: bool) -> None:
    """STOP: the holder keeps the seat and gets no letters until they write again."""
    here = update(schema.seats).filter_by(campaign=campaign, seat=seat)
    write(db, here.where(schema.seats.c.quiet != quiet).values(quiet=quiet))


def seats_of(db: Db, person: int) -> list[tuple[str, str]]:
    """Campaign and seat of everything a person holds now."""
    holders = schema.holders
    mine = select(holders).filter_by(person=person, until=None)
    rows = all_rows(db, mine.order_by(holders.c.campaign, holders.c.seat))
    return [(row["campaign"], row["seat"]) for row in rows]


# ------------------------------------------------------------------ umpires, observers, the lobby


def add_member(
    db: Db, campaign: str, person: int, role: Role, now: datetime, wish: str | None = None
) -> bool:
    """Add an umpire, observer or sign-up. False: the person is one already."""
    key = {"campaign": campaign, "person": person, "role": role}
    return insert_or_ignore(db, schema.members, **key, wish=wish, since=now)


def confirm_member(db: Db, campaign: str, person: int, role: Role, now: datetime) -> bool:
    """Confirm a sign-up. False: there is none, or it was confirmed before."""
    mine = update(schema.members).filter_by(campaign=campaign, person=person, role=role)
    return write(db, mine.filter_by(confirmed_at=None).values(confirmed_at=now)) == 1


def remove_member(db: Db, campaign: str, person: int, role: Role) -> bool:
    """Remove an observer or a sign-up. False: there was none."""
    return write(db, delete(schema.members).filter_by(campaign=campaign, person=person, role=role)) == 1


def memberships(db: Db, person: int) -> list[tuple[str, str]]:
    """Campaign and role of everything a person umpires, watches or has signed up for."""
    return [(row["campaign"], row["role"]) for row in all_rows(db, _MEMBERSHIPS, {"whose": person})]


def campaigns_of(db: Db, person: int) -> list[str]:
    """Every campaign that a person takes part in."""
    return sorted({name for name, _ in (*seats_of(db, person), *memberships(db, person))})


_MEMBERSHIPS: Final = (
    select(schema.members.c.campaign, schema.members.c.role)
    .filter_by(person=bindparam("whose"))
    .order_by(schema.members.c.campaign, schema.members.c.role)
)


@dataclass(frozen=True, slots=True)
class Member:
    """A person who umpires, watches or has signed up."""

    person: Person
    wish: str | None
    since: datetime
    confirmed: datetime | None


def members(db: Db, campaign: str, role: Role) -> list[Member]:
    """The members in one role, in the order in which they joined."""
    return [member for _, member in all_members(db, campaign, (role,))]


def all_members(db: Db, campaign: str, roles: Sequence[Role]) -> list[tuple[str, Member]]:
    """The members in several roles, each with their role."""
    return _all_members(all_rows(db, _MEMBERS, {"name": campaign, "roles": list(roles)}))


def _all_members(rows: Sequence[RowMapping]) -> list[tuple[str, Member]]:
    found: list[tuple[str, Member]] = []
    for (role, _), group in groupby(rows, key=lambda row: (row["role"], row["person"])):
        own = list(group)
        who = _person(own)
        assert who is not None, "a member goes with the person"
        found.append((role, Member(who, own[0]["wish"], own[0]["since"], own[0]["confirmed_at"])))
    return found


_MEMBERS_HERE: Final = (
    select(*(schema.members.c[name] for name in ("role", "wish", "since", "confirmed_at")), *_WHO)
    .select_from(schema.members.join(_KNOWN, schema.people.c.id == schema.members.c.person))
    .where(schema.members.c.campaign == bindparam("name"))
    .order_by(schema.members.c.role, schema.members.c.since, schema.members.c.person, *_ORDER)
)
_MEMBERS: Final = _MEMBERS_HERE.where(schema.members.c.role.in_(bindparam("roles", expanding=True)))


# ------------------------------------------------------------------ all of them


Everybody: TypeAlias = tuple[list[Seated], list[tuple[str, Member]]]


def everybody(db: Db, campaign: str) -> Everybody:
    """The seats, and who umpires or watches: `seated` and `all_members` in one query."""
    rows = all_rows(db, _EVERYBODY, {"name": campaign})
    seats = [row for row in rows if row["role"] is None]
    members = [row for row in rows if row["role"] is not None]
    return _all_seats(seats), _all_members(members)


def _of_two_kinds() -> Any:
    """Rows of both kinds have the columns of both; those of a seat have no role."""
    kinds = [one.subquery() for one in (_SEATED.order_by(None), _WATCHING.order_by(None))]
    types = {column.name: column.type for kind in kinds for column in kind.c}
    both = (
        select(*(kind.c.get(name, cast(null(), told).label(name)) for name, told in types.items()))
        for kind in kinds
    )
    every = union_all(*both).subquery()
    whose = ("place", "role", "since", "person", "linked", "address")
    return select(every).order_by(*(every.c[name] for name in whose))


_WATCHING: Final = _MEMBERS_HERE.where(
    or_(schema.members.c.role == "umpire", schema.members.c.role == "observer")
)
_EVERYBODY: Final = _of_two_kinds()


# ------------------------------------------------------------------ absences


def add_absence(db: Db, person: int, first: date, last: date, campaign: str | None = None) -> None:
    """Record an absence from day to day, both included, in the person's zone."""
    days = {"first_day": first, "last_day": last}
    write(db, insert(schema.absences).values(person=person, campaign=campaign, **days))


def absences_of(db: Db, person: int, campaign: str) -> list[tuple[date, date]]:
    """A person's absences that concern a campaign, in order."""
    table = schema.absences
    mine = (table.c.person == person, or_(table.c.campaign.is_(None), table.c.campaign == campaign))
    rows = all_rows(db, select(table).where(*mine).order_by(table.c.first_day, table.c.last_day))
    return [(row["first_day"], row["last_day"]) for row in rows]


def end_absences(db: Db, person: int, today: date) -> None:
    """The person is back: absences end yesterday, those to come are deleted."""
    table = schema.absences
    with writing(db) as tx:
        tx.execute(delete(table).filter_by(person=person).where(table.c.first_day >= today))
        running = update(table).filter_by(person=person).where(table.c.last_day >= today)
        tx.execute(running.values(last_day=today - timedelta(days=1)))


# ------------------------------------------------------------------ rate limits


def use_allowance(db: Db, subject: str, kind: str, limit: int, period: timedelta, now: datetime) -> bool:
    """Count one use against an allowance of so many a period; False: it is used up."""
    table = schema.allowances
    mine = {"subject": subject.lower(), "kind": kind}
    with writing(db) as tx:
        if insert_or_ignore(tx, table, **mine, since=now, used=1):
            return limit > 0
        row = tx.execute(select(table.c.since, table.c.used).filter_by(**mine).with_for_update()).one()
        since, used = (now, 0) if row.since <= now - period else (row.since, row.used)
        if used >= limit:
            return False
        tx.execute(update(table).filter_by(**mine).values(since=since, used=used + 1))
    return True


def reset_allowance(db: Db, subject: str, kind: str) -> None:
    """Forget the uses counted so far."""
    write(db, delete(schema.allowances).filter_by(subject=subject.lower(), kind=kind))
