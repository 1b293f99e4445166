"""A backup was restored: links that letters may have shown are given up, and every seat is told.

Whoever has a link and the others' blinded entries, which every letter holds, could try out words for SALT
until the dice suit them. So no Close that was run after the backup is run again with the same link.
"""

from __future__ import annotations

import secrets as chance
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.errors import EngineError
from engine.kernel.fairness.audit import FEW_LINKS, Secrets
from engine.kernel.fairness.dice import Chain
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.notify import send_memo, umpires
from pbem.campaigns.outages import SWEEP
from pbem.campaigns.recipients import seat_recipients
from pbem.campaigns.umpire.acts import UmpireAct, act_notice, perform_act
from pbem.context import ServiceContext
from pbem.logs import log
from pbem.store.campaigns import (
    Act,
    CampaignRow,
    all_campaigns,
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
            _resume(service, tx, lock_and_load(tx, row.id), reached.get(row.id, 0), since, reason.strip())


def _resume(
    service: ServiceContext,
    tx: Connection,
    row: CampaignRow,
    reached: int,
    since: datetime | None,
    reason: str,
) -> None:
    """Burn links, freeze a frozen Close anew, journal the act and tell it."""
    name, campaign, frozen = row.id, _load(tx, row), unfreeze_close(tx, row.id)
    links = row.burn + BURNT + max(0, reached - row.t - row.burn)
    anchor = ""
    if _needs_anchor(dice := keys_of(tx, name).dice, row.t, links):
        # An anchor that is not announced in the journal would not verify: then the chain is used to its end.
        anchor = _new_anchor(tx, row, links) if campaign is not None and row.state == "running" else ""
        links = links if anchor else max(0, min(links, dice.links_left(row.t) - 1))
    skip_links(tx, row, links)
    window = open_window(tx, name)
    facts = {"since": since, "window": "" if window is None else label_of(window), "anchor": anchor}
    public = {"burnt": links} | ({"anchor": anchor} if anchor else {})
    act = UmpireAct(act=RESTORE, reason=reason, public=public, facts=facts)
    _keep_and_tell(service, tx, name, campaign, act)
    if frozen is not None:
        refreeze_close(tx, frozen, service.now())


def _load(tx: Connection, row: CampaignRow) -> Campaign | None:
    """None: it has other rules, or its record is damaged; its links are burnt all the same."""
    try:
        return load_campaign(tx, row.id)
    except EngineError as error:
        log().error("campaign.broken", campaign=row.id, error=type(error).__name__)
        return None


def _needs_anchor(dice: Secrets, t: int, links: int) -> bool:
    """The chain is near its end; or it is a new one, whose first Close must take its first link."""
    return dice.links_left(t + links) <= FEW_LINKS or dice.first > t + 1


def _new_anchor(tx: Connection, row: CampaignRow, links: int) -> str:
    """Begin another chain; the act announces it."""
    keys = keys_of(tx, row.id)
    new = Secrets(Chain(chance.token_bytes(32)), keys.dice.seal_key, row.t + links + 1)
    store_keys(tx, row.id, replace(keys, dice=new))
    return new.chain.anchor.hex()


def _keep_and_tell(
    service: ServiceContext, tx: Connection, name: str, campaign: Campaign | None, act: UmpireAct
) -> None:
    """As any act, and to the umpires, too: it was not theirs."""
    now, seats = service.now(), list(seat_recipients(tx, name))
    terms = None if campaign is None else campaign.terms
    if campaign is not None:
        perform_act(service, tx, name, act)
    else:
        record_act(tx, name, Act(act.act, act.reason, act.public), now)
        for recipient in seats:
            send_memo(service, tx, None, recipient, act_notice(name, act, recipient), now=now)
    playing = {row.person.id for row in seated(tx, name) if row.person is not None}
    for recipient in umpires(service, tx, name):
        if recipient.person not in playing:
            send_memo(service, tx, terms, recipient, act_notice(name, act, recipient), now=now)
