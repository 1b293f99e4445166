"""Promise against outcome: what receipts say of random sheets, and what the Close takes from the file."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import select

from engine.kernel.game import Line
from engine.kernel.requests import Seat
from engine.kernel.sheet import OrderFile
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.policy import read_policy
from pbem.intake.receive import receive_letter
from pbem.store.inbox import letter
from pbem.store.outbox import posted
from pbem.store.schema_mail import outbox
from pbem.store.session import reading
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import AtHand
from tests.flow.hands import text
from tests.intake.sheets import at_hand, random_letter

GAMES = ("fww", "ttlm", "trench")
ORDERS, STANDING = "YOUR ORDERS AS I READ THEM", "STANDING ORDERS AS I READ THEM"
_ROW = re.compile(r"^ {0,3}(\d+)  (\S(?:\S| (?! ))*) {2,}(\S.*)$")
_FILED = re.compile(r"^ +(\d+)  (\S.*)$")


def squeezed(words: str) -> str:
    return "".join(words.split())


def section(told: str, heading: str) -> list[str]:
    """The rows between a heading and the next one."""
    rows = told.split("\n")
    if heading not in rows:
        return []
    start = rows.index(heading) + 2
    end = next((n for n in range(start, len(rows)) if rows[n].startswith("===")), len(rows) + 1)
    return rows[start : end - 1]


def read_rows(told: str, *headings: str) -> list[tuple[int, str, str]]:
    """Number, status and words of each line as the receipt has read it, remarks behind them."""
    found: list[tuple[int, str, str]] = []
    for heading in headings:
        for row in section(told, heading):
            if (match := _ROW.match(row)) is not None:
                found.append((int(match[1]), match[2], match[3]))
            elif found and row.startswith(" " * 9):
                number, status, words = found[-1]
                found[-1] = (number, status, words + row)
    return found


def listed(told: str) -> dict[int, str]:
    """The numbered lines under ON FILE NOW."""
    found: dict[int, str] = {}
    for row in section(told, "ON FILE NOW"):
        if (match := _FILED.match(row)) is not None:
            found[int(match[1])] = squeezed(match[2])
        elif found and row.startswith(" " * 5):
            found[max(found)] += squeezed(row)
    return found


def outcome(at: AtHand, seat: str) -> OrderFile:
    """What a Close would take from the file now, as `freeze` does it."""
    campaign = load_campaign(at.db, at.name)
    whole = read_policy(campaign.standing_row.policy).whole_sheets
    handed = campaign.handed_in(read_orders(at.db, at.name), held_sheets=not whole)
    return campaign.files_from(handed)[Seat(seat)]


def written(lines: tuple[Line, ...]) -> set[str]:
    return {squeezed(line.write("en")) for line in lines}


def differences(told: str, state: str, file: OrderFile) -> list[str]:
    """Of one receipt: every promise that the file does not keep."""
    rows, found = read_rows(told, ORDERS, STANDING), list[str]()
    flat = " ".join(told.split())
    is_held = "so the sheet is held" in flat
    waits = is_held and "nothing of this sheet counts" in flat
    sheet, standing = written(file.sheet), written(file.standing)
    if not is_held and "on file" not in told.split("\n\n")[1]:
        return []  # nothing was filed, and nothing is promised
    numbers, ordered = (
        {line.number for line in file.sheet},
        {number for number, _, _ in read_rows(told, ORDERS)},
    )
    for number, status, words in rows:
        counts = any(squeezed(words).startswith(one) for one in sheet | standing)
        if status == "refused" and state == "held" and number in numbers and counts:
            found.append(f"line {number} was refused, and counts")
        replaced = "its place" in words
        if status != "refused" and not counts and not replaced and not waits:
            found.append(f"line {number} ({words}) does not count")
        if status != "refused" and waits and number in ordered & numbers:
            found.append(f"line {number} counts before CONFIRM")
    on_file = {} if "only your CONFIRM" in flat else listed(told)
    if on_file and set(on_file.values()) != sheet:
        found.append(f"on file {sorted(on_file.values())}, counted {sorted(sheet)}")
    promised = re.search(r"the (\d+ )?good lines? counts? as", flat)
    good = len({number for number, status, _ in rows if status != "refused"})
    good += len(
        [row for row in section(told, "ON FILE NOW") if row.startswith((" - Your answer", " - Question"))]
    )
    if promised is not None and int(promised[1] or 1) != good:
        found.append(f"{promised[0]}, of {good}")
    return [f"{one} [{state}]" for one in found]


def newest_to(at: AtHand, seat: str) -> str:
    """The text of the last letter to a seat."""
    with reading(at.db) as tx:
        mine = select(outbox.c.message_id).filter_by(seat=seat).order_by(outbox.c.id.desc()).limit(1)
        found = posted(at.db, tx.execute(mine).scalar_one())
    assert found is not None
    return text(found).replace("\r\n", "\n")


def compare(name: str, folder: Path, number: int, letters: int) -> list[str]:
    """So many letters of one seat, each answered and compared."""
    at, seat = at_hand(name, folder, number)
    rng, found = Random(f"{name}/{number}"), list[str]()
    result = at.letters(seat, "result")[0]
    receive_letter(at.service, at.arrives(at.reply(seat, "LANG en")), "test")
    for _ in range(letters):
        at.clock.passes(minutes=30)
        words = random_letter(name, rng)
        raw = at.arrives(at.reply(seat, words, result))
        receive_letter(at.service, raw, "test")
        mail = letter(at.db, raw)
        assert mail is not None and mail.state in ("applied", "held", "refused"), (words, mail)
        told = newest_to(at, seat)
        wrong = differences(told, mail.state, outcome(at, seat))
        found += [f"{one}\n{words}\n{told}" for one in wrong]
    return found


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("name", GAMES)
def test_what_receipts_promise_is_what_counts(
    name: str, number: int, tmp_path: Path, without_maps: None
) -> None:
    found = compare(name, tmp_path, number, 6)
    assert not found, found[0]


@pytest.mark.long
@pytest.mark.parametrize("number", range(50))
@pytest.mark.parametrize("name", GAMES)
def test_what_receipts_promise_is_what_counts_5_000_times(
    name: str, number: int, tmp_path: Path, without_maps: None
) -> None:
    found = compare(name, tmp_path, number, 100)
    assert not found, found[0]
