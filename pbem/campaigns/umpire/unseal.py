"""UNSEAL: an umpire who plays along looks behind the screens, and all are told."""

from __future__ import annotations

from pbem.campaigns.umpire.acts import UNSEAL, Deciding, do, may_see_all, standing_for_act
from pbem.office import Office
from pbem.store.connect import Db, writing


def unseal(office: Office, name: str, reason: str = "", by: int | None = None, db: Db | None = None) -> None:
    """From now on this umpire may see everything, by letter and at the terminal."""
    with writing(office.db if db is None else db) as tx:
        standing_for_act(tx, name)
        plays = not may_see_all(tx, name, by, office.house.umpires)
        do(office, tx, name, Deciding(UNSEAL, reason, by, facts={"plays": plays}))
