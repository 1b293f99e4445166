"""`pbem forget`, and what `pbem export --person` gives: personal data."""

from __future__ import annotations

from base64 import b64encode
from typing import Annotated, Any

import typer

from pbem.commands.service import Config, office_at
from pbem.errors import BadInput
from pbem.office import Office
from pbem.store.forgetting import forget, kept_of, wipe


def forget_command(
    address: Annotated[str, typer.Argument(help="whose data are erased")],
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    config: Config = None,
) -> None:
    """Erase a person: names, addresses, letters. The journal and every roll still verify."""
    office = office_at(config)
    if not yes and not typer.confirm(f"Erase all that is kept of {address}? It cannot be undone."):
        raise BadInput("nothing was erased")
    gone = forget(office.db, address, office.now())
    wipe(office.db)
    print(f"{gone.letters} letters were erased")
    for campaign, seat in gone.vacant:
        print(f"{seat} of {campaign} is vacant now: pbem replace {campaign} {seat} ADDRESS")
    print("backups that were made before still hold it all")


def kept_data(office: Office, address: str) -> dict[str, list[dict[str, Any]]]:
    """All that is kept of a person, as plain data; letters as text where they are text."""
    found = kept_of(office.db, address)
    if not any(found.values()):
        raise BadInput(f"nothing is kept of {address}")
    return {
        table: [{key: _plain(value) for key, value in row.items()} for row in rows]
        for table, rows in found.items()
    }


def _plain(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": b64encode(value).decode("ascii")}
