"""What the commands about a service's campaigns share: its office, who sits at the terminal, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table as Grid

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.umpire.acts import may_see_all
from pbem.cli.terminal import console
from pbem.context import Office
from pbem.errors import BadInput
from pbem.settings import Configuration, has_database, office_of, read_configuration
from pbem.store.campaigns import Standing, all_campaigns, campaign_called
from pbem.store.people import Person, enrol, memberships, person, person_at

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="configuration; otherwise pbem.toml here, if there is one"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print as JSON")]
Reason = Annotated[str, typer.Option("--reason", "-r", help="why; it is journaled and told to every seat")]
As = Annotated[str, typer.Option("--as", help="the umpire at the terminal, by his address")]
Name = Annotated[str, typer.Argument(help="the campaign, as in subjects: FWW-7")]


def office_at(config: Path | None) -> Office:
    """The service's office, whether it runs or not. Where there is no service nothing is made."""
    return office_of(service_at(config))


def service_at(config: Path | None) -> Configuration:
    """The configuration of a service that is there; or a complaint that tells where it was looked for."""
    configuration = read_configuration(config)
    if not has_database(configuration):
        raise BadInput(
            f"there is no service here: {configuration.data} holds no database; go to its folder, or name "
            "its configuration with --config (pbem serve and pbem open begin a new one)"
        )
    return configuration


def campaign_at(office: Office, name: str) -> Standing:
    """The campaign of that name, in any case; or a complaint that lists those there are."""
    if (found := campaign_called(office.db, name)) is not None:
        return found
    known = ", ".join(one.id for one in all_campaigns(office.db)) or "none"
    raise BadInput(f"there is no campaign {name!r}; there are: {known}")


def umpire_at(office: Office, address: str, name: str = "") -> int | None:
    """Who sits at the terminal: an umpire of that campaign, or of any; None: he did not say who he is."""
    if not address:
        return None
    known = _known(office, address)
    if not is_umpire(office, known, name):
        which = name or "any campaign"
        raise BadInput(f"{address!r} is not an umpire of {which}: --as takes the address of one who is")
    return known.id


def _known(office: Office, address: str) -> Person:
    """Those of the house are known by its configuration, whether they have written or not."""
    if (known := person_at(office.db, address)) is not None:
        return known
    house = office.house
    if address.lower() in house.umpires:
        enrol(office.db, address, house.name, house.language, house.zone, office.now())
    if (known := person_at(office.db, address)) is None:
        raise BadInput(f"nobody here has the address {address!r}")
    return known


def is_umpire(office: Office, who: Person, name: str = "") -> bool:
    """Of that campaign (or of any), or of the house, whose umpires are those of every campaign."""
    if any(one.address in office.house.umpires for one in who.addresses):
        return True
    return any(role == "umpire" and name in ("", one) for one, role in memberships(office.db, who.id))


def may_see(office: Office, name: str, umpire: int | None) -> bool:
    """May whoever sits at the terminal see what is hidden in that campaign?"""
    return may_see_all(office.db, name, umpire, office.house.umpires)


def check_may_see(office: Office, here: Standing, umpire: int | None) -> None:
    """Hidden content is for umpires who do not play along, or have unsealed the campaign."""
    if not may_see(office, here.id, umpire):
        raise BadInput(
            f"an umpire of {here.id} holds a seat in it: hidden things are shown after "
            f"`pbem unseal {here.id}`, which every seat is told of"
        )


def sealed_campaigns(office: Office, umpire: int | None) -> frozenset[str]:
    """The running ones in which it is not his to know who wrote: he plays in them, or is no umpire there."""
    who = None if umpire is None else person(office.db, umpire)
    running = [one.id for one in all_campaigns(office.db, "running")]
    foreign = {name for name in running if who is not None and not is_umpire(office, who, name)}
    return frozenset(name for name in running if name in foreign or not may_see(office, name, umpire))


def go_on(office: Office, name: str) -> None:
    """Carry out what is to be done now. A running service may do the same: it counts once."""
    adjudicate(office, name)


def show_rows(headings: Sequence[str], rows: Iterable[Sequence[Any]], nothing: str) -> None:
    """A table; of no rows a word."""
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for heading in headings:
        grid.add_column(heading, overflow="fold")
    count = 0
    for row in rows:
        grid.add_row(*(escape("" if cell is None else str(cell)) for cell in row))
        count += 1
    if count:
        console().print(grid)
    else:
        print(nothing)
