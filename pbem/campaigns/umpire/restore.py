"""A backup was restored: links that letters may have shown are given up, and every seat is told.

Whoever has a link and the others' blinded entries, which every letter holds, could try out words for SALT
until the dice suit them. So no Close that was run after the backup is run again with the same link.
"""

from __future__ import annotations

import secrets as chance
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy.engine import Connection

from engine.kernel.errors import EngineError
from engine.kernel.fairness.audit import Secrets
from engine.kernel.fairness.dice import Chain
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.notify import send_memo, umpires
from pbem.campaigns.outages import SWEEP
from pbem.campaigns.recipients import seat_recipients
from pbem.campaigns.umpire.acts import Facts, Umpire, act_notice
from pbem.context import ServiceContext
from pbem.logs import log
from pbem.store.campaigns import (
    Act,
    CampaignRow,
    all_campaigns,
    drop_keys,
    keys_of,
    lock_and_load,
    record_act,
    store_keys,
)
from pbem.store.deadlines import pulse
from pbem.store.people import seated
from pbem.store.session import writing
from pbem.store.transfer import refreeze_close, skip_links, unfreeze_close
from pbem.store.windows import open_window

RESTORE: Final = "restore"
BURNT: Final = 1_000  # links; as many Closes as nobody plays between two backups


def resume_from_backup(service: ServiceContext, reached: Mapping[str, int], reason: str = "") -> None:
    """In every campaign that is not over, all or none.

    `reached`: the last Closes in the database that the backup replaced, as far as it could be read.
    """
    with writing(service.db) as tx:
        swept = pulse(tx, SWEEP)
        since = None if swept is None else swept.at
        for row in all_campaigns(tx, "lobby", "running"):
            _resume(Umpire(service, row.id, reason.strip()), tx, reached.get(row.id, 0), since)


def _resume(umpire: Umpire, tx: Connection, reached: int, since: datetime | None) -> None:
    """Burn links, freeze a frozen Close anew, journal the act and tell it."""
    name, row = umpire.campaign, lock_and_load(tx, umpire.campaign)
    campaign, frozen = _load(tx, name), unfreeze_close(tx, name)
    links = row.burn + BURNT + max(0, reached - row.t - row.burn)
    anchor, dice = "", keys_of(tx, name).dice
    if _needs_anchor(dice, row.t, links):
        # The next Close still takes a link of the old chain: its record announces the new one.
        links = max(row.burn, min(links, dice.links_left(row.t) - 1))
        running = campaign is not None and row.state == "running"
        anchor = _new_anchor(tx, row, links) if running else ""
    skip_links(tx, row, links)
    window = open_window(tx, name)
    facts: dict[str, Any] = {"since": since, "window": "" if window is None else label_of(window)}
    facts |= {"burnt": links, "anchor": anchor}
    given_up = {"links": [row.t + row.burn + 1, row.t + links]} if links > row.burn else {"links": []}
    _keep_and_tell(umpire, tx, campaign, given_up | ({"anchor": anchor} if anchor else {}), facts)
    if frozen is not None:
        refreeze_close(tx, frozen, umpire.service.now())


def _load(tx: Connection, name: str) -> Campaign | None:
    """None: it has other rules, or its record is damaged; its links are burnt all the same."""
    try:
        return load_campaign(tx, name)
    except EngineError as error:
        log().error("campaign.broken", campaign=name, error=type(error).__name__)
        return None


def _needs_anchor(dice: Secrets, t: int, links: int) -> bool:
    """The chain is running low; or a new one was to follow a Close that must not be run any more."""
    return dice.is_low(t, links) or dice.first > t + 1


def _new_anchor(tx: Connection, row: CampaignRow, links: int) -> str:
    """Begin another chain; the act announces it."""
    keys = keys_of(tx, row.id)
    drop_keys(tx, row.id, row.t + 2)  # a chain that was announced for another Close
    new = Secrets(Chain(chance.token_bytes(32)), keys.dice.seal_key, row.t + links + 2)
    store_keys(tx, row.id, replace(keys, dice=new))
    return new.chain.anchor.hex()


def _keep_and_tell(
    umpire: Umpire, tx: Connection, campaign: Campaign | None, public: Facts, facts: Facts
) -> None:
    """As any act, and to the umpires, too: it was not theirs."""
    service, name, act = umpire.service, umpire.campaign, Act(RESTORE, umpire.reason, public)
    playing = {row.person.id for row in seated(tx, name) if row.person is not None}
    told = [recipient for recipient in umpires(service, tx, name) if recipient.person not in playing]
    if campaign is None:
        record_act(tx, name, act, service.now())
        told = [*seat_recipients(tx, name), *told]
    else:
        umpire.perform(tx, RESTORE, public, facts)
    terms = None if campaign is None else campaign.terms
    for recipient in told:
        send_memo(service, tx, terms, recipient, act_notice(name, act, facts, recipient))
