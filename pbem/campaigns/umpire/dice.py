"""Dice that an umpire forced: the next rolls of a Close show the faces he named."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.campaigns.campaign import FORCE_DICE, load_campaign
from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, running_for_act
from pbem.context import ServiceContext
from pbem.letters.dice import written_of
from pbem.store.session import Db, writing

MOST_DICE = 200


def force_dice(
    service: ServiceContext,
    name: str,
    faces: Sequence[int],
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> None:
    """They stand as forced in journal, record and letters; the Close after this act spends them."""
    if not faces or len(faces) > MOST_DICE or min(faces) < 1:
        raise CannotDo("umpire-bad-dice", most=MOST_DICE)
    with writing(service.db if db is None else db) as tx:
        running_for_act(tx, name)
        pack = load_campaign(tx, name).terms.pack
        sides = pack.die_sides
        if sides is not None and max(faces) > sides:  # it would lapse unseen, though all were told of it
            raise CannotDo("umpire-no-such-face", face=max(faces), sides=sides)
        shown = {"faces": [written_of(pack)(face) for face in faces]}
        do(service, tx, name, Deciding(FORCE_DICE, reason, by, {"faces": list(faces)}, facts=shown))
