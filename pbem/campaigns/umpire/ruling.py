"""RULING: what the umpire decides in words. It changes no state; a change of state is a rollback."""

from __future__ import annotations

from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, running_for_act
from pbem.office import Office
from pbem.store.connect import Db, writing

RULING = "ruling"


def rule(office: Office, name: str, text: str, by: int | None = None, db: Db | None = None) -> None:
    """The words stand in the journal, in the record of the next Close, and in a letter to every seat."""
    words = " ".join(text.split())
    if not words:
        raise CannotDo("umpire-no-words")
    with writing(office.db if db is None else db) as tx:
        running_for_act(tx, name)
        do(office, tx, name, Deciding(RULING, words, by, facts={"text": words}))
