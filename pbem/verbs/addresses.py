"""ADDRESS, LINK and UNLINK: where people get letters, and from where they may write.

A new address is confirmed from both sides: by the registered one, unless the letter is signed beyond doubt,
and then by the new one, which is asked only after that. So nobody is moved to an address that is not theirs,
and nobody makes us write to strangers.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeVar

from sqlalchemy import Connection

from pbem.campaigns.notify import memo_to, send_memo
from pbem.campaigns.recipients import Recipient, person_recipient
from pbem.context import ServiceContext
from pbem.letters.memo import Callout, Memo, Note, Part, memo_about
from pbem.orders.arguments import VerbArguments
from pbem.orders.understood import Command
from pbem.orders.vocabulary import MEMBERS
from pbem.store.outbox import ConfirmQuestion, put_in_outbox, store_question
from pbem.store.people import (
    Person,
    link_address,
    person,
    person_at,
    register_address,
    unlink_address,
    use_allowance,
)
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import answer_with
from pbem.verbs.verb import Verb, always

NEW_ADDRESS: Final = "address"  # the kind of the question that a new address is asked
ASKED_FOR: Final = timedelta(days=14)
DAY: Final = timedelta(days=1)
LONGEST_NAME: Final = 60  # as a stranger is told it
A_DAY: Final = 3  # new addresses that one person may name


class AddressCommand(Command):
    address: str


class ChangeAddress(AddressCommand):
    """Letters go there from now on."""


class Link(AddressCommand):
    """Another address that the person writes from."""


class Unlink(AddressCommand):
    """The person does not write from there any more."""


A = TypeVar("A", bound=AddressCommand)


def _address_reader(command: type[A]) -> Callable[[VerbArguments], A]:
    def read(arguments: VerbArguments) -> A:
        arguments.read_first("address")
        address = arguments.read_address(0)
        arguments.expect_end(1)
        return command(address)

    return read


def _name_address(context: LetterContext, command: ChangeAddress | Link) -> VerbResult:
    """Letters go there, once both addresses have said so; the one before stays linked."""
    who, address = context.person, command.address.lower()
    if who is None or who.registered is None:
        return answer_with(Note("unknown-person"))
    facts = {"address": address}
    if _is_ours(context.service, address):
        return answer_with(Note("address-ours", facts))
    if address == who.registered:
        return answer_with(Note("address-same", facts))
    if address in {one.address for one in who.addresses}:
        if isinstance(command, Link):
            return answer_with(Note("address-known", facts))
        return VerbResult(effect=lambda tx: _register(context.service, tx, who, address))
    return VerbResult(effect=lambda tx: _ask_new_address(context, tx, who, command))


def _is_ours(service: ServiceContext, address: str) -> bool:
    local, _, host = address.rpartition("@")
    return f"{local.partition('+')[0]}@{host}" == service.addresses.mailbox


def _ask_new_address(
    context: LetterContext, tx: Connection, who: Person, command: ChangeAddress | Link
) -> tuple[Part, ...]:
    """A letter to the new address; what it asks is kept with it."""
    service, now, address = context.service, context.service.now(), command.address.lower()
    facts = {"address": address, "days": ASKED_FOR.days}
    if not use_allowance(tx, f"~{who.id}", NEW_ADDRESS, A_DAY, DAY, now):
        return (Note("address-enough", facts),)
    recipient = Recipient(address=address, name=who.name, language=who.language, zone=who.zone, person=who.id)
    linked = isinstance(command, Link)
    shown = {"name": who.name[:LONGEST_NAME], "linked": linked, "house": service.profile.name, **facts}
    parts = (Callout(Note("address-new-confirm", shown)), Note("address-new-stranger", shown))
    letter = memo_to(
        service, tx, None, recipient, memo_about("address-new", shown, *parts, headline=""), "question"
    )
    put_in_outbox(tx, [letter], now)
    data = {"address": address, "linked": linked, "until": (now + ASKED_FOR).isoformat()}
    about = ConfirmQuestion(letter.message_id, NEW_ADDRESS, person=who.id, letter=context.mail.id, data=data)
    store_question(tx, about, now)
    return (Note("address-asked", facts),)


# ------------------------------------------------------------------ CONFIRM from the new address


def confirm_address(
    service: ServiceContext, question: ConfirmQuestion
) -> Callable[[Connection], tuple[Part, ...]]:
    """What CONFIRM from the new address does."""
    address, linked = str(question.data["address"]), bool(question.data["linked"])

    def effect(tx: Connection) -> tuple[Part, ...]:
        facts = {"address": address}
        who = None if question.person is None else person(tx, question.person)
        if who is None or service.now() > datetime.fromisoformat(str(question.data["until"])):
            return (Note("address-late", facts),)
        owner = person_at(tx, address)
        if owner is not None and owner.id != who.id:
            return (Note("address-taken", facts),)
        if not linked:
            return _register(service, tx, who, address)
        link_address(tx, who.id, address, service.now())
        _tell_old_address(service, tx, who, "address-linked-notice", address)
        return (Note("address-linked", facts),)

    return effect


def _register(service: ServiceContext, tx: Connection, who: Person, address: str) -> tuple[Part, ...]:
    register_address(tx, who.id, address, service.now())
    _tell_old_address(service, tx, who, "address-moved-notice", address)
    return (Note("address-moved", {"address": address, "before": who.registered or ""}),)


def _tell_old_address(service: ServiceContext, tx: Connection, who: Person, code: str, address: str) -> None:
    """To the address that was registered until now: whoever reads it can still undo it."""
    facts = {"address": address}
    memo = Memo(
        Note("address-notice-subject", facts), Note(code, facts), (Note("address-notice-undo", facts),)
    )
    if who.registered is not None:
        send_memo(service, tx, None, person_recipient(who), memo)


# ------------------------------------------------------------------ UNLINK


def _unlink(context: LetterContext, command: Unlink) -> VerbResult:
    """Letters from there are not theirs any more; the address that gets their letters they must keep."""
    who, address = context.person, command.address.lower()
    if who is None:
        return answer_with(Note("unknown-person"))
    facts = {"address": address}
    if address == who.registered:
        return answer_with(Note("address-only", facts))
    if address not in {one.address for one in who.addresses}:
        return answer_with(Note("address-not-yours", facts))

    def effect(tx: Connection) -> tuple[Part, ...]:
        unlink_address(tx, who.id, address)
        return (Note("address-unlinked", facts),)

    return VerbResult(effect=effect)


VERBS = (
    Verb(
        "ADDRESS", "ADRESSE", MEMBERS, ChangeAddress, _name_address,
        read=_address_reader(ChangeAddress), serious=always,
    ),
    Verb("LINK", "RELIE, RELIER", MEMBERS, Link, _name_address, read=_address_reader(Link), serious=always),
    Verb("UNLINK", "DELIE, DELIER", MEMBERS, Unlink, _unlink, read=_address_reader(Unlink), serious=always),
)  # fmt: skip
