"""A backup was restored: links that letters may have shown are given up, and every seat is told.

Whoever has a link and the others' blinded entries, as every letter holds them, could try out words for SALT
until the dice suit him. So no Close that was run after the backup is run again with the same link.
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
from pbem.campaigns.labels import label_of
from pbem.campaigns.notify import send_memo, umpires
from pbem.campaigns.outages import SWEEP
from pbem.campaigns.recipients import seat_recipient
from pbem.campaigns.umpire.acts import Deciding, do, notice
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


def go_on_from_backup(service: ServiceContext, reached: Mapping[str, int], reason: str = "") -> None:
    """In every campaign that is not over, all or none.

    `reached`: the last Closes in the database that stood there before, as far as it could be read.
    """
    with writing(service.db) as tx:
        swept = pulse(tx, SWEEP)
        for one in all_campaigns(tx, "lobby", "running"):
            since = None if swept is None else swept.at
            _go_on(service, tx, lock_and_load(tx, one.id), reached.get(one.id, 0), since, reason.strip())


def _go_on(
    service: ServiceContext,
    tx: Connection,
    here: CampaignRow,
    reached: int,
    since: datetime | None,
    reason: str,
) -> None:
    """Links burnt, a frozen Close frozen anew, the act journaled and told."""
    name, taken, frozen = here.id, _taken_up(tx, here), unfreeze_close(tx, here.id)
    links = here.burn + BURNT + max(0, reached - here.t - here.burn)
    anchor = ""
    if _needs_anchor(dice := keys_of(tx, name).dice, here.t, links):
        # One that is not announced in the journal would not verify: then the chain is used up to its end.
        anchor = _new_anchor(tx, here, links) if taken is not None and here.state == "running" else ""
        links = links if anchor else max(0, min(links, dice.links_left(here.t) - 1))
    skip_links(tx, here, links)
    window = open_window(tx, name)
    facts = {"since": since, "window": "" if window is None else label_of(window), "anchor": anchor}
    public = {"burnt": links} | ({"anchor": anchor} if anchor else {})
    _keep_and_tell(service, tx, name, taken, Deciding(RESTORE, reason, None, public, facts=facts))
    if frozen is not None:
        refreeze_close(tx, frozen, service.now())


def _taken_up(tx: Connection, here: CampaignRow) -> Campaign | None:
    """None: it has other rules, or its record is damaged; its links are burnt all the same."""
    try:
        return load_campaign(tx, here.id)
    except EngineError as error:
        log().error("campaign.broken", campaign=here.id, error=type(error).__name__)
        return None


def _needs_anchor(dice: Secrets, t: int, links: int) -> bool:
    """The chain is near its end; or it is a new one, whose first Close must take its first link."""
    return dice.links_left(t + links) <= FEW_LINKS or dice.first > t + 1


def _new_anchor(tx: Connection, here: CampaignRow, links: int) -> str:
    """Where a chain comes to its end another one begins: it is made known by the act."""
    keys = keys_of(tx, here.id)
    new = Secrets(Chain(chance.token_bytes(32)), keys.dice.seal_key, here.t + links + 1)
    store_keys(tx, here.id, replace(keys, dice=new))
    return new.chain.anchor.hex()


# ------------------------------------------------------------------ telling


def _keep_and_tell(
    service: ServiceContext, tx: Connection, name: str, taken: Campaign | None, deciding: Deciding
) -> None:
    """As any act, and to the umpires, too: it was none of theirs."""
    now, people = service.now(), seated(tx, name)
    if taken is not None:
        do(service, tx, name, deciding)
    else:
        record_act(tx, name, Act(deciding.act, deciding.reason, deciding.public), now)
        for one in people:
            if (recipient := seat_recipient(name, one)) is not None:
                send_memo(service, tx, None, recipient, notice(name, deciding, recipient), now=now)
    playing = {one.person.id for one in people if one.person is not None}
    for recipient in umpires(service, tx, name):
        if recipient.person not in playing:
            terms = None if taken is None else taken.terms
            send_memo(service, tx, terms, recipient, notice(name, deciding, recipient), now=now)
