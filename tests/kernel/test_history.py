"""The dice of a campaign as a table."""

from __future__ import annotations

from engine.kernel.fairness.history import COLUMNS, Throw, history_csv, throws
from tests.kernel.audited_campaign import SEATS, new_ledger

_, DE, _ = SEATS
ROLL = {"k": "roll", "seat": "DE", "label": "T1/fire/1/d6", "sides": 6, "faces": [3], "by": "audited"}


def test_history_tells_turn_segment_seat_purpose_die_and_faces() -> None:
    line = {**ROLL, "label": "T3.R5/F9/attack.DE/2/d6", "faces": [3, 1]}
    ledger = new_ledger(1)
    ledger.records.append(ledger.record(ledger.close({}), [line]))
    (row,) = throws(ledger.records)
    assert Throw(1, 1, "T3.R5/F9", DE, "attack.DE", 6, (3, 1), "audited", 2) == row
    assert "T3" == row.turn
    header, first = history_csv([row]).splitlines()
    assert ",".join(COLUMNS) == header
    assert "1,1,T3,T3.R5/F9,DE,attack.DE,d6,3 1,audited" == first
