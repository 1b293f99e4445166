"""`pbem forget`, and what `pbem export --person` gives: personal data."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

import typer

from pbem.cli.service import Config, check_may_see, open_service, umpire_at
from pbem.context import ServiceContext
from pbem.errors import BadInput, CheckFailed
from pbem.mail.imap import Folders
from pbem.store.campaigns import CampaignRow, all_campaigns
from pbem.store.people import drop_signature_requirement, person_at
from pbem.store.privacy import forget, personal_data, vacuum

Kept: TypeAlias = dict[str, list[dict[str, Any]]]
UNPLACED: Final = ("received", "shunted", "quarantined")  # whom such a letter is from was never looked at


def forget_command(
    address: Annotated[str, typer.Argument(help="whose data are erased")],
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    config: Config = None,
) -> None:
    """Erase a person: names, addresses, letters. The journal and every roll still verify."""
    service = open_service(config)
    if not any(personal_data(service.db, address).values()):
        raise CheckFailed(f"nothing is known of {address}; nothing was erased")
    if not yes and not typer.confirm(f"Erase all that is kept of {address}? It cannot be undone."):
        raise BadInput("nothing was erased")
    known = person_at(service.db, address)
    addresses = [address.lower()] if known is None else [one.address for one in known.addresses]
    gone = forget(service.db, address, service.now())
    vacuum(service.db)
    print(f"{gone.letters} {'letter was' if gone.letters == 1 else 'letters were'} erased")
    for campaign, seat in gone.vacant:
        print(f"{seat} of {campaign} is vacant now: pbem replace {campaign} {seat} ADDRESS")
    _tell_what_is_left(addresses)


def unsigned_command(
    address: Annotated[str, typer.Argument(help="whose provider does not sign letters any more")],
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    config: Config = None,
) -> None:
    """Let a person's letters count unsigned again, until one carries a signature."""
    service = open_service(config)
    known = person_at(service.db, address)
    if known is None:
        raise CheckFailed(f"nothing is known of {address}; nothing was changed")
    if not yes and not typer.confirm(f"Are you sure that {known.name} asks for this, and nobody else?"):
        raise BadInput("nothing was changed")
    drop_signature_requirement(service.db, known.id)
    print(f"letters of {known.name} count unsigned again; the next one that is signed ends that")


def _tell_what_is_left(addresses: Sequence[str]) -> None:
    """What this program does not reach; docs/operators.md tells how it goes."""
    folders = Folders()
    print("backups that were made before still hold it all")
    print(
        f"the mail server still holds the mails themselves: in {folders.processed}, {folders.rejected} and "
        f"{folders.quarantine} of the mailbox delete what is from {' or '.join(addresses)}, and let these "
        "folders expire (docs/operators.md, section 8)"
    )


def kept_data(service: ServiceContext, address: str, who: str = "") -> Kept:
    """All that is kept of a person, as plain data; letters as text where they are text.

    `who`: the umpire at the terminal, who may be kept from seeing it.
    """
    found = personal_data(service.db, address)
    if not any(found.values()):
        raise BadInput(f"nothing is kept of {address}")
    _check_may_have(service, address, found, who)
    return {
        table: [{key: _plain(value) for key, value in row.items()} for row in rows]
        for table, rows in found.items()
    }


def _check_may_have(service: ServiceContext, address: str, found: Kept, who: str) -> None:
    """A seat's orders and letters stay hidden though they are personal data; people may have their own."""
    umpire, own = umpire_at(service, who), person_at(service.db, address)
    for campaign in _campaigns_in(service, found):
        if umpire is None or own is None or own.id != umpire:
            check_may_see(service, campaign, who)


def _campaigns_in(service: ServiceContext, found: Kept) -> list[CampaignRow]:
    """The running campaigns of which it tells; a letter that nobody could place may be of any."""
    named = {row.get("campaign") for rows in found.values() for row in rows}
    unplaced = any(row["campaign"] is None and row["state"] in UNPLACED for row in found["inbox"])
    anywhere = unplaced and not found["people"]
    return [one for one in all_campaigns(service.db, "running") if anywhere or one.id in named]


def _plain(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": b64encode(value).decode("ascii")}
