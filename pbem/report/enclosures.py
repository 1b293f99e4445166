"""Files that go with letters: the audit since the last one, everything at the end, the dice as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.kernel.audit import Ledger, Record
from engine.kernel.export import audit_json, publication, umpire_export
from engine.kernel.history import Throw, history_csv
from engine.kernel.requests import Seat
from pbem.mail.compose import Enclosure
from pbem.report.faces import written_of

AUDIT, LAST_AUDIT, DICE = "audit.json", "audit-{number}.json", "dice.csv"
MOST = 70_000  # bytes of audit in one letter beside its map: coded for the mail they grow by a third


def audit_enclosure(ledger: Ledger, seat: Seat | None, since: int = 0) -> Enclosure:
    """What the seat's letter proves: the Closes after `since`, that of its last letter. None: an observer."""
    return _json(AUDIT, audit_json(ledger, seat, since))


def publication_enclosures(ledger: Ledger, most: int = MOST) -> tuple[Enclosure, ...]:
    """The publication at the end, as files each of which fits a letter; the checker puts them together.

    All records must be at hand. The first goes with the final letter, the others with letters of their own.
    """
    whole = publication(ledger)
    if len(whole) <= most:
        return (_json(LAST_AUDIT.format(number=1), whole),)
    texts = [umpire_export(_part(ledger, records)) for records in _groups(ledger, most)]
    return tuple(_json(LAST_AUDIT.format(number=n), text) for n, text in enumerate(texts, 1))


def _groups(ledger: Ledger, most: int) -> Iterable[list[Record]]:
    """Neighbouring Closes, as many as fit together; one alone may be larger."""
    group, size = list[Record](), 0
    for record in ledger.records:
        own = len(umpire_export(_part(ledger, [record])))
        if group and size + own > most:
            yield group
            group, size = [], 0
        group.append(record)
        size += own
    if group:
        yield group


def _part(ledger: Ledger, records: Sequence[Record]) -> Ledger:
    return Ledger(ledger.opening, ledger.secrets, list(records))


def dice_enclosure(throws: Iterable[Throw], pack: Any = None) -> Enclosure:
    """Every public roll, for a spreadsheet, with the faces as the pack's die writes them."""
    return Enclosure(DICE, "text/csv", history_csv(throws, written_of(pack)).encode())


def _json(name: str, text: str) -> Enclosure:
    return Enclosure(name, "application/json", text.encode())
