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
from pbem.commands.terminal import console
from pbem.configuration import office_of, read_configuration
from pbem.errors import BadInput
from pbem.office import Office
from pbem.store.campaigns import Standing, all_campaigns, campaign_called
from pbem.store.people import person_at

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="configuration; otherwise pbem.toml here, if there is one"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print as JSON")]
Reason = Annotated[str, typer.Option("--reason", "-r", help="why; it is journaled and told to every seat")]
As = Annotated[str, typer.Option("--as", help="the umpire at the terminal, by his address")]
Name = Annotated[str, typer.Argument(help="the campaign, as in subjects: FWW-7")]


def office_at(config: Path | None) -> Office:
    """The service's office, whether it runs or not."""
    return office_of(read_configuration(config))


def campaign_at(office: Office, name: str) -> Standing:
    """The campaign of that name, in any case; or a complaint that lists those there are."""
    if (found := campaign_called(office.db, name)) is not None:
        return found
    known = ", ".join(one.id for one in all_campaigns(office.db)) or "none"
    raise BadInput(f"there is no campaign {name!r}; there are: {known}")


def umpire_at(office: Office, address: str) -> int | None:
    """Who sits at the terminal; None: he did not say."""
    if not address:
        return None
    known = person_at(office.db, address)
    if known is None:
        raise BadInput(f"nobody here has the address {address!r}")
    return known.id


def check_may_see(office: Office, here: Standing, umpire: int | None) -> None:
    """Hidden content is for umpires who do not play along, or have unsealed the campaign."""
    if not may_see_all(office.db, here.id, umpire):
        raise BadInput(
            f"an umpire of {here.id} holds a seat in it: hidden things are shown after "
            f"`pbem unseal {here.id}`, which every seat is told of"
        )


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
