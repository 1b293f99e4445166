"""FORCE DICE: the next rolls of the coming Close show the faces that the umpire names."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.campaigns.forced import FORCE_DICE
from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, running_for_act
from pbem.office import Office
from pbem.store.connect import Db, writing

MOST_DICE = 200


def force_dice(
    office: Office,
    name: str,
    faces: Sequence[int],
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> None:
    """They stand as forced in journal, record and letters; the Close after this act spends them."""
    if not faces or len(faces) > MOST_DICE or min(faces) < 1:
        raise CannotDo("umpire-bad-dice", most=MOST_DICE)
    with writing(office.db if db is None else db) as tx:
        running_for_act(tx, name)
        do(office, tx, name, Deciding(FORCE_DICE, reason, by, {"faces": list(faces)}))
