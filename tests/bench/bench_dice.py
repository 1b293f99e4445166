"""How dear are labelled, audited dice, and how long does a player wait for the checker?"""

from __future__ import annotations

import hmac
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import AuditedDice, H, frame
from engine.kernel.fairness.export import seat_export, umpire_export
from pbem.verify_dice import verify
from tests.bench.measure import Figure, Figures
from tests.kernel.audited_campaign import SEATS, Advance, played

ROLLS = 5_000
SEED, SEALED = H("bench seed"), H("bench sealed")


def run() -> Figures:
    """Ratios to bare HMACs, and to reading the JSON of an export."""
    return {
        "labelled d6 rolls against bare HMAC": Figure(roll_speed(), at_least=0.4),
        **{
            f"checking {whose} 10,000 rolls, {rolls} a Close, against JSON and HMAC": Figure(
                checking(umpire, rolls), at_most=3
            )
            for rolls in (100, 10)  # a busy game and a quiet one: every Close costs hashes of its own
            for whose, umpire in (("a seat's", False), ("an umpire's", True))
        },
    }


def roll_speed() -> float:
    labels = [f"T{n % 12}.R{n % 16}/attack.DE/{n}/d6" for n in range(ROLLS)]
    messages = [frame("roll", label, 0) for label in labels]

    def bare() -> None:
        for message in messages:
            hmac.digest(SEED, message, "sha256")

    def labelled() -> None:
        roll = AuditedDice(SEED, SEALED).roll
        for label in labels:
            roll(label, 3, 6)

    return 1 / ratio(labelled, bare)


def ratio(work: Callable[[], None], yardstick: Callable[[], None], rounds: int = 21) -> float:
    """Both in turns, so that what disturbs one disturbs the other; the shortest run of each counts."""
    times = [(processor_seconds(work), processor_seconds(yardstick)) for _ in range(rounds)]
    return min(one for one, _ in times) / min(other for _, other in times)


def processor_seconds(work: Callable[[], None]) -> float:
    """What the work itself costs, without the waiting for a busy machine."""
    began = time.process_time()
    work()
    return time.process_time() - began


def long_campaign(closes: int, rolls: int) -> Ledger:
    """10,000 rolls of one to five d6, in so many windows."""
    script = []
    for t in range(closes):
        acts = tuple(("roll", SEATS[n % 3], f"attack.{SEATS[n % 3]}", 1 + n % 5, 6) for n in range(rolls))
        script.append(Advance(f"T{t + 1}.R1", acts))
    return played(1, tuple(script), length=closes)


def checking(umpire: bool, rolls: int) -> float:
    """The checker's time over that of reading the same JSON, the records inside included, and bare HMACs."""
    closes = 10_000 // rolls
    ledger = long_campaign(closes, rolls)
    text = umpire_export(ledger) if umpire else seat_export(ledger, SEATS[0])

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.json"
        path.write_text(text)

        def read() -> None:
            for close in json.loads(path.read_bytes())["closes"]:
                for name, value in close.items():
                    if name in ("T", "P") or name.startswith("private "):
                        told = json.loads(value)
                        for line in told["lines"][1:] if name == "P" else ():
                            hmac.digest(SEED, line["label"].encode(), "sha256")

        def check() -> None:
            report = verify([path])
            assert report.code == 0 and f"{closes} Closes, rolls up to #10000, caught: 0" in report.lines

        return ratio(check, read)
