"""Nothing that is not signed makes another letter of a signed one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns_at_hand import AtHand
from tests.intake.alterations import COVERED, LETTERS, Genuine, altered
from tests.intake.conftest import Intake
from tests.intake.judged_letters import done_so_far, post_at
from tests.stores import FILE, copied_store, file_of


def _copies(intake: Intake, folder: Path) -> Callable[[], Intake]:
    source, numbers = intake.at, count(1)

    def copied() -> Intake:
        clock = replace(source.clock)
        inner = folder / str(next(numbers))
        inner.mkdir()
        store = copied_store(file_of(source.db), inner / FILE)
        return Intake(
            AtHand(replace(source.service, db=store, now=clock), clock, source.name, source.addresses)
        )

    return copied


def _done(intake: Intake, raw: bytes = b"") -> dict[str, Any]:
    if raw:
        intake.receives(raw)
    done = done_so_far(intake)
    del done["marks"]
    intake.at.db.dispose()
    return done


def _misled(intake: Intake, folder: Path, covered: str, genuine: Genuine, only: str = "") -> list[str]:
    """The changes that make another letter of it."""
    post = post_at(intake, "pinned", pinned=True)
    raw = genuine.make(post, covered)
    changes = [(name, other) for name, other in altered(raw, post) if only in ("", name)]
    assert changes
    intake.at.db.dispose()
    copied = _copies(intake, folder)
    expected = (_done(copied()), _done(copied(), raw))
    return [name for name, other in changes if _done(copied(), other) not in expected]


@pytest.mark.parametrize("genuine", LETTERS, ids=lambda one: one.name)
def test_what_matters_to_a_letter_is_missed_where_it_is_not_signed(
    intake: Intake, tmp_path: Path, genuine: Genuine
) -> None:
    assert not _misled(intake, tmp_path, "least and to", genuine, genuine.tried)


@pytest.mark.long
@pytest.mark.parametrize("genuine", LETTERS, ids=lambda one: one.name)
@pytest.mark.parametrize("covered", COVERED)
def test_a_letter_is_obeyed_as_it_was_signed_or_not_at_all(
    intake: Intake, tmp_path: Path, covered: str, genuine: Genuine
) -> None:
    assert not _misled(intake, tmp_path, covered, genuine)
