"""Mailboxes of an honest service, with rollbacks, restores, substitutes and letters lost: no alarm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.export import umpire_export
from pbem.verify_dice import Report, verify
from tests.kernel.audited_campaign import SEATS, Sitting, played, script_of
from tests.kernel.mailbox import FIRE, Mailbox, before, letter, letters_to, store, turn
from tests.kernel.test_operator import anew

EN, DE, FR = SEATS


def honest(seed: int) -> tuple[Ledger, Mailbox]:
    """A campaign with all that an umpire may do: a mailbox that is whole."""
    chance, script = Random(seed), script_of(seed, length=2)
    ledger = played(seed, script)
    others = frozenset[str]()
    if seed % 4 == 1:  # somebody else held the seat before
        entries = [record.close.entries[DE] for record in ledger.records[: chance.randrange(1, 5)]]
        others = frozenset(mark for entry in entries for mark in entry.marks)
    return ledger, letters_to(ledger, DE, others)


def lost_and_restored(seed: int) -> Mailbox:
    """Two Closes went out and were lost; the campaign goes on from the backup."""
    sitting = before()
    lost = Sitting(Ledger(sitting.ledger.opening, sitting.ledger.secrets, [*sitting.ledger.records]))
    for advance in (turn(3), turn(4, FIRE, FIRE)):
        lost.play(advance)
    box = letters_to(lost.ledger, DE)
    told = ("ruling", "restore", "the disk", {"public": {"links": [3, 12 + seed % 9]}})
    sitting.play(turn(3, told, FIRE, burn=10 + seed % 9, letters={}))
    sitting.play(turn(4))
    return box | {
        name: text for name, text in letters_to(sitting.ledger, DE).items() if not name.startswith("00002-")
    }


def on_a_new_chain(seed: int) -> Mailbox:
    """Announced in good time; at the end all is published, in two files."""
    ledger = anew(seed, told=True)
    whole = json.loads(umpire_export(ledger))
    box = letters_to(ledger, DE)
    for number, closes in enumerate((whole["closes"][:3], whole["closes"][3:])):
        text = json.dumps({**whole, "closes": closes})
        box[f"{number}-end.eml"] = letter("", text, name=f"audit-{number + 1}.json")
    return box


def box_of(seed: int) -> Mailbox:
    if seed % 5 == 4:
        return lost_and_restored(seed) if seed % 2 else on_a_new_chain(seed)
    return honest(seed)[1]


def alarms(seeds: range, folder: Path) -> Iterator[tuple[int, list[str]]]:
    for seed in seeds:
        box = box_of(seed)
        chance = Random(seed)
        gone = chance.sample(sorted(box), chance.randrange(4)) if seed % 3 else []
        found: Report = verify([store({n: text for n, text in box.items() if n not in gone}, folder)])
        if found.code not in (0, 3) or (found.code and not (gone or seed % 4 == 1)):
            yield seed, [*found.caught, *found.unreadable, *found.missing]


def test_no_alarm_in_honest_mailboxes(tmp_path: Path) -> None:
    assert [] == list(alarms(range(30), tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_no_alarm_in_a_thousand_honest_mailboxes(part: int, tmp_path: Path) -> None:
    assert [] == list(alarms(range(100 * part, 100 * part + 100), tmp_path))
