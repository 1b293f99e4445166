"""`pbem open seats start status`: campaigns before and while they are played."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from sqlalchemy import Connection

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.bots import choose_bot
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import awaited_seats, label_of
from pbem.campaigns.lobby import (
    create_planned,
    free_name,
    is_started,
    plan_campaign,
    seat_players,
    start_campaign,
    vacant_seats,
)
from pbem.campaigns.policy import read_policy
from pbem.campaigns.terms import Terms, agree_terms, read_options
from pbem.campaigns.umpire.seats import check_address, name_from_address
from pbem.cli.service import (
    As,
    AsJson,
    Config,
    Name,
    Reason,
    campaign_at,
    may_see,
    open_as_umpire,
    open_campaign_at,
    open_service,
)
from pbem.cli.terminal import show_json, show_rows
from pbem.context import ServiceContext, service_context
from pbem.errors import BadInput
from pbem.settings import read_settings, read_toml
from pbem.store.advance import frozen_close
from pbem.store.campaigns import CampaignRow, acts, all_campaigns
from pbem.store.deadlines import timetable
from pbem.store.people import enrol, give_to_bot, members, seated, update_person
from pbem.store.session import writing
from pbem.store.windows import OpenWindow, open_window, read_orders

BOT = "bot"  # SEAT=bot, SEAT=bot:random
Called: TypeAlias = Annotated[
    list[str] | None, typer.Option("--name", help="ADDRESS=name: what a player is called")
]


# ------------------------------------------------------------------ open


def open_command(
    game: Annotated[str, typer.Argument(help="the game's id; `pbem games` lists them")],
    name: Annotated[str, typer.Argument(help="the campaign's name; default: the next free one")] = "",
    players: Annotated[int, typer.Option(min=0, help="default: the game's smallest number")] = 0,
    scenario: Annotated[str, typer.Option(help="default: the game's first")] = "",
    tempo: Annotated[str, typer.Option(help="fast, react or strict: how often players are asked")] = "fast",
    seat: Annotated[list[str] | None, typer.Option(help="SEAT=address or SEAT=bot[:name]")] = None,
    called: Called = None,
    umpire: Annotated[list[str] | None, typer.Option(help="address; default: the house's umpires")] = None,
    title: Annotated[str, typer.Option(help="as letters call it")] = "",
    option: Annotated[list[str] | None, typer.Option(help="name=value, as often as needed")] = None,
    pack: Annotated[Path | None, typer.Option(help="folder whose tables replace built-in ones")] = None,
    policy: Annotated[Path | None, typer.Option(help="TOML: clock, proof, house rules")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Open a campaign: it waits in the lobby until every seat is held and it is started."""
    service = service_context(read_settings(config))
    agreed = None if policy is None else read_policy(read_toml(policy))
    umpires = [check_address(one) for one in umpire or service.profile.umpires]
    wanted, names = _read_seats(seat or []), _names(called or [])
    terms = agree_terms(game, scenario, players, tempo, read_options(option or ()), pack)
    chosen = name or free_name(service.db, terms.game.id)
    planned = plan_campaign(service, chosen, terms, {}, agreed, pack, title)
    with writing(service.db) as tx:
        create_planned(service, tx, planned, umpires)
        _seat(service, tx, planned.id, wanted, names)
    campaign = campaign_at(service, planned.id)
    if as_json:
        show_json(describe_campaign(service, campaign))
    else:
        _tell_opened(service, campaign, terms)


def _tell_opened(service: ServiceContext, campaign: CampaignRow, terms: Terms) -> None:
    number = terms.settings.players
    players = f"{number} player{'s' if number != 1 else ''}"
    print(f"{campaign.id} is open: {campaign.title}, {players}, tempo {terms.settings.tempo}")
    if vacant := vacant_seats(service.db, campaign.id):
        name = campaign.id
        print(f"vacant: {', '.join(vacant)}; players write SIGNUP {name}, or: pbem seats {name} SEAT=…")
    else:
        print(f"every seat is held; start it with: pbem start {campaign.id}")


# ------------------------------------------------------------------ seats


def seats_command(
    name: Name,
    give: Annotated[list[str] | None, typer.Argument(help="SEAT=address or SEAT=bot[:name]")] = None,
    called: Called = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show who holds the seats and who signed up; in the lobby, give seats to people or bots."""
    service, campaign, _ = open_campaign_at(config, name)
    if give and campaign.state != "lobby":
        raise BadInput(f"{campaign.id} has begun; another holder is seated with `pbem replace`")
    wanted, names = _read_seats(give or []), _names(called or [])
    with writing(service.db) as tx:
        _seat(service, tx, campaign.id, wanted, names)
    held = seated(service.db, campaign.id)
    waiting = members(service.db, campaign.id, "signup")
    if as_json:
        rows = [{"seat": one.seat, "holder": one.holder, **_holder(one)} for one in held]
        signed = [{"name": one.person.name, "wish": one.wish, "since": one.since} for one in waiting]
        show_json({"campaign": campaign.id, "seats": rows, "signed_up": signed})
        return
    table = [(one.seat, _holder(one)["name"], _holder(one)["address"], one.holder or "") for one in held]
    show_rows(("seat", "holder", "address", "no."), table, "no seats")
    if waiting:
        print("\nsigned up:")
        listed = [
            (one.person.name, one.person.registered, one.wish, f"{one.since:%Y-%m-%d}") for one in waiting
        ]
        show_rows(("name", "address", "wishes", "since"), listed, "")


def _read_seats(words: list[str]) -> dict[str, str]:
    wanted: dict[str, str] = {}
    for word in words:
        seat, equals, who = word.partition("=")
        if not equals or not seat.strip() or not who.strip():
            raise BadInput(f"a seat is given as SEAT=address or SEAT=bot, not {word!r}")
        wanted[seat.strip()] = who.strip()
    return wanted


def _seat(
    service: ServiceContext, tx: Connection, name: str, wanted: dict[str, str], names: dict[str, str]
) -> None:
    """Persons, who are invited when all of them and the bots are seated."""
    if not wanted:
        return
    loaded = load_campaign(tx, name)
    people: dict[str, int] = {}
    for word, who in wanted.items():
        seat = str(loaded.terms.seat(word))
        kind, _, bot = who.partition(":")
        if kind.casefold() == BOT:
            give_to_bot(tx, name, seat, choose_bot(loaded.terms.game, bot))
        else:
            people[seat] = _person(service, tx, check_address(who), names)
    seat_players(service, tx, loaded, people)


def _person(service: ServiceContext, tx: Connection, address: str, names: dict[str, str]) -> int:
    """Somebody who is known keeps their name unless another is given."""
    house, name = service.profile, names.get(address)
    person = enrol(tx, address, name or name_from_address(address), house.language, house.zone, service.now())
    update_person(tx, person, name=name)
    return person


def _names(words: list[str]) -> dict[str, str]:
    """Address -> name."""
    names: dict[str, str] = {}
    for word in words:
        address, equals, name = word.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"a name is given as ADDRESS=name, not {word!r}")
        names[check_address(address)] = name.strip()
    return names


def _holder(one: Any) -> dict[str, Any]:
    if one.bot is not None:
        return {"name": f"bot {one.bot}", "address": None}
    if one.person is None:
        return {"name": "", "address": None}
    return {"name": one.person.name, "address": one.person.registered}


# ------------------------------------------------------------------ start


def start_command(name: Name, reason: Reason = "", who: As = "", config: Config = None) -> None:
    """Start a campaign whose seats are all held; the first letters go out."""
    umpire = open_as_umpire(config, name, who, reason)
    service, campaign = umpire.service, umpire.campaign
    with writing(service.db) as tx:
        if not start_campaign(service, campaign, reason, umpire.number(tx), tx):
            raise BadInput(f"{campaign} was started before")
    adjudicate(service, campaign)
    print(f"{campaign} has begun; the first letters are in the outbox")


# ------------------------------------------------------------------ status


def status_command(
    name: Annotated[str, typer.Argument(help="one campaign; default: all of them")] = "",
    who: As = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Tell where campaigns stand: what is open, whom they wait for, until when."""
    if name:
        _show_one(*open_campaign_at(config, name, who), as_json)
        return
    service = open_service(config)
    described = [describe_campaign(service, campaign) for campaign in all_campaigns(service.db)]
    if as_json:
        show_json(described)
        return
    headings = ("campaign", "game", "state", "window", "waits for", "until")
    rows = [
        (one["campaign"], one["game"], one["state"], one["window"], ", ".join(one["waits_for"]), one["until"])
        for one in described
    ]
    show_rows(headings, rows, "no campaigns")


def describe_campaign(service: ServiceContext, campaign: CampaignRow) -> dict[str, Any]:
    """What anybody may know of it."""
    window = open_window(service.db, campaign.id)
    rows = [] if window is None else timetable(service.db, campaign.id, window.number)
    until = [row.due.at for row in rows if row.due.kind == "deadline"]
    return {
        "campaign": campaign.id,
        "title": campaign.title,
        "game": campaign.game,
        "state": _state(service, campaign),
        "held": campaign.held,
        "branch": campaign.branch,
        "closes": campaign.t,
        "window": "" if window is None else label_of(window),
        "waits_for": _waits_for(service, campaign, window),
        "until": _moment(until[0]) if until else "",
    }


def _waits_for(service: ServiceContext, campaign: CampaignRow, window: OpenWindow | None) -> list[str]:
    """In the lobby for players, later for letters."""
    if campaign.state == "lobby":
        return vacant_seats(service.db, campaign.id)
    if window is None:
        return []
    phase = read_policy(campaign.policy).clock.phase(window.kind)
    return list(awaited_seats(window.seats, seated(service.db, campaign.id), phase))


def _state(service: ServiceContext, campaign: CampaignRow) -> str:
    if campaign.held is not None:
        return f"held: {campaign.held}" if campaign.held else "held"
    if frozen_close(service.db, campaign.id) is not None:
        return "closing"
    starting = campaign.state == "lobby" and is_started(service.db, campaign.id)
    return "starting" if starting else campaign.state


def _show_one(service: ServiceContext, campaign: CampaignRow, umpire: int | None, as_json: bool) -> None:
    """One campaign; who has orders on file only where nothing is hidden from the one who asks."""
    described = describe_campaign(service, campaign)
    shown = may_see(service, campaign.id, umpire)
    filed = read_orders(service.db, campaign.id).seats if shown else {}
    seats = [
        {"seat": one.seat, "holder": _holder(one)["name"], "on_file": _on_file(filed.get(one.seat))}
        for one in seated(service.db, campaign.id)
    ]
    done = acts(service.db, campaign.id)
    if as_json:
        told = [{"at": at, "act": act.act, "reason": act.reason} for at, act in done]
        show_json({**described, "seats": seats, "acts": told})
        return
    for key in ("campaign", "title", "game", "state", "window", "until"):
        print(f"{key:9} {described[key]}")
    print(f"{'waits for':9} {', '.join(described['waits_for'])}")
    print(f"{'branch':9} {described['branch']}, Closes {described['closes']}\n")
    show_rows(("seat", "holder", "on file"), [tuple(one.values()) for one in seats], "no seats")
    if done:
        print()
        show_rows(("done", "act", "reason"), [(_moment(at), act.act, act.reason) for at, act in done], "")


def _on_file(orders: Any) -> str:
    """What lies there, not what it says."""
    if orders is None:
        return ""
    kinds = [("sheet", orders.sheet), ("answers", orders.replies), ("standing orders", orders.standing)]
    named = [word for word, there in kinds if there]
    return ", ".join([*named, *([orders.stance] if orders.stance else [])])


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
