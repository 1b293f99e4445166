"""What the commands about a service's campaigns share: its context, who sits at the terminal, tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.campaigns.umpire.acts import NEWCOMER, Umpire, may_see_all
from pbem.context import ServiceContext, service_context
from pbem.errors import BadInput
from pbem.settings import Settings, read_settings
from pbem.store.campaigns import CampaignRow, all_campaigns, find_campaign
from pbem.store.mail_log import LetterFilter
from pbem.store.people import Person, memberships, person, person_at

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="configuration; otherwise pbem.toml here, if there is one"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print as JSON")]
Reason = Annotated[str, typer.Option("--reason", "-r", help="why; it is journaled and told to every seat")]
As = Annotated[str, typer.Option("--as", help="the address of the umpire at the terminal")]
Name = Annotated[str, typer.Argument(help="the campaign, as in subjects: FWW-7")]


def open_service(config: Path | None) -> ServiceContext:
    """The service's context, whether it runs or not. Where there is no service nothing is made."""
    return service_context(service_at(config))


def service_at(config: Path | None) -> Settings:
    """The configuration of a service that is there; or a complaint that tells where it was looked for."""
    configuration = read_settings(config)
    if not configuration.has_database:
        raise BadInput(
            f"there is no service here: {configuration.data} holds no database; go to its folder, or name "
            "its configuration with --config (pbem serve and pbem open begin a new one)"
        )
    return configuration


def open_campaign_at(
    config: Path | None, name: str, who: str = ""
) -> tuple[ServiceContext, CampaignRow, int | None]:
    """A campaign of a service, and the umpire at the terminal; None: they did not say who they are."""
    service = open_service(config)
    campaign = campaign_at(service, name)
    return service, campaign, umpire_at(service, who, campaign.id)


def open_as_umpire(config: Path | None, name: str, who: str, reason: str = "") -> Umpire:
    """The umpire at the terminal, about to act in that campaign."""
    service, campaign, umpire = open_campaign_at(config, name, who)
    return Umpire(service, campaign.id, reason, umpire, address=who)


def campaign_at(service: ServiceContext, name: str) -> CampaignRow:
    """The campaign of that name, in any case; or a complaint that lists those there are."""
    if (found := find_campaign(service.db, name)) is not None:
        return found
    known = ", ".join(one.id for one in all_campaigns(service.db)) or "none"
    raise BadInput(f"there is no campaign {name!r}; there are: {known}")


def umpire_at(service: ServiceContext, address: str, name: str = "") -> int | None:
    """The umpire of that campaign, or of any, who sits at the terminal; None: they did not say who."""
    if not address:
        return None
    known = person_at(service.db, address)
    if known is None and address.lower() in service.profile.umpires:
        return NEWCOMER
    if known is None:
        raise BadInput(f"nobody here has the address {address!r}")
    if not is_umpire(service, known, name):
        which = name or "any campaign"
        raise BadInput(f"{address!r} is not an umpire of {which}: --as takes the address of one who is")
    return known.id


def is_umpire(service: ServiceContext, who: Person, name: str = "") -> bool:
    """Of that campaign (or of any), or of the house, whose umpires are those of every campaign."""
    if any(one.address in service.profile.umpires for one in who.addresses):
        return True
    return any(role == "umpire" and name in ("", one) for one, role in memberships(service.db, who.id))


def may_see(service: ServiceContext, name: str, umpire: int | None) -> bool:
    """May whoever sits at the terminal see what is hidden in that campaign?"""
    return may_see_all(service.db, name, umpire, service.profile.umpires)


def check_may_see(service: ServiceContext, campaign: CampaignRow, who: str) -> None:
    """Hidden content is for umpires who do not play along, or have unsealed the campaign."""
    if not may_see(service, campaign.id, umpire_at(service, who, campaign.id)):
        raise BadInput(
            f"an umpire of {campaign.id} holds a seat in it: hidden things are shown after "
            f"`pbem unseal {campaign.id}`, which every seat is told of"
        )


def letter_filter(service: ServiceContext, who: str, name: str = "") -> LetterFilter:
    """Hides who wrote in running campaigns in which the umpire plays along, or is no umpire."""
    umpire = umpire_at(service, who, name)
    known = None if umpire is None else person(service.db, umpire)
    running = [one.id for one in all_campaigns(service.db, "running")]
    foreign = {one for one in running if known is not None and not is_umpire(service, known, one)}
    sealed = frozenset(one for one in running if one in foreign or not may_see(service, one, umpire))
    return LetterFilter(sealed, umpire)
