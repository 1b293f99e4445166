"""ROLLBACK: back to the beginning of a segment. Nothing is deleted: a branch of the journal is opened."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.branches import Course
from engine.kernel.script import is_kind
from pbem.campaigns.stored import take_up
from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, running_for_act
from pbem.office import Office
from pbem.orders.suggest import near
from pbem.store.connect import Db, writing
from pbem.store.filing import on_file

ROLLBACK = "rollback"
NAMED = 6  # segments that a refusal names: the last ones


def roll_back(
    office: Office,
    name: str,
    to: str,
    same_dice: bool = False,
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> str:
    """Freeze the Close that begins the branch; whoever looks at the campaign next carries it out.

    Fresh dice of the next link; with `same_dice` the recorded answers are given again and recorded rolls
    serve where their label is asked again. Returns the segment's key.
    """
    with writing(office.db if db is None else db) as tx:
        here = running_for_act(tx, name)
        if here.held is not None:
            raise CannotDo("umpire-is-held", campaign=name, reason=here.held)
        course = take_up(tx, name).course()
        key = segment_meant(course, to)
        if not any(one.line <= course.seam(key) for one in course.snapshots):
            raise CannotDo("umpire-too-far-back", named=key)
        public = {"to": key, "same_dice": same_dice}
        do(office, tx, name, Deciding(ROLLBACK, reason, by, public))
        frozen = take_up(tx, name).freeze_rollback(on_file(tx, name), key, same_dice, reason, office.now())
        assert frozen is not None, "the campaign is locked, neither held nor over"
    return key


def segment_meant(course: Course, to: str) -> str:
    """The key of the segment that is meant; a turn's name means its first segment."""
    keys = segments_of(course)
    for key in reversed(keys):
        if key.casefold() == to.casefold():
            return key
    for key in keys:
        if key.partition(".")[0].casefold() == to.casefold():
            return key
    suggestions = near(to, keys) or tuple(keys[-NAMED:])
    raise CannotDo("umpire-unknown-segment", named=to, suggestions=suggestions)


def segments_of(course: Course) -> Sequence[str]:
    """The keys of all segments of a course, in order; they are public."""
    return list(dict.fromkeys(line.data["key"] for line in course.lines if is_kind(line, "seam")))
