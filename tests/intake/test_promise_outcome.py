"""Promise against outcome: what receipts say of random sheets, and what the Close takes from the file."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import select

from engine.kernel.game import Line
from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.order_file import FileAtClose
from pbem.campaigns.policy import read_policy
from pbem.intake.receive import receive_letter
from pbem.store.inbox import letter, mark_read_to
from pbem.store.outbox import Posted, posted
from pbem.store.schema_mail import outbox
from pbem.store.session import reading
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import AtHand
from tests.flow.hands import text
from tests.intake.sheets import at_hand, random_letter

GAMES = ("fww", "ttlm", "trench")
EACH_WINDOW = 7
ORDERS, STANDING = "YOUR ORDERS AS UNDERSTOOD", "STANDING ORDERS AS UNDERSTOOD"
RESULT, AHEAD = "WHAT BECAME OF YOUR ORDERS", "of your earlier orders"
_ROW = re.compile(r"^ {0,3}(\d+)  (\S(?:\S| (?! ))*) {2,}(\S.*)$")
_ANSWER = re.compile(r"(?m)^(?:Q1 )?[12]$")
_PROMISED = re.compile(r"the (\d+ )?good lines? counts? as")
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


def listed(rows: list[str]) -> set[str]:
    """Numbered lines of a section."""
    found: list[str] = []
    for row in rows:
        if (match := _FILED.match(row)) is not None:
            found.append(squeezed(match[2]))
        elif found and row.startswith(" " * 5):
            found[-1] += squeezed(row)
    return set(found)


def outcome(at: AtHand, seat: str) -> FileAtClose:
    """What a Close would take from the file now, as `freeze` does it."""
    campaign = load_campaign(at.db, at.name)
    whole, filed = read_policy(campaign.standing_row.policy).whole_sheets, read_orders(at.db, at.name)
    told = campaign.file_at_close(Seat(seat), filed, held_sheets=not whole)
    file = campaign.files_from(campaign.handed_in(filed, held_sheets=not whole))[Seat(seat)]
    assert (file.sheet, file.standing) == (told.file.sheet, told.file.standing)
    return told


def written(lines: tuple[Line, ...]) -> set[str]:
    return {squeezed(line.write("en")) for line in lines}


def differences(letter: str, told: str, state: str, before: FileAtClose, now: FileAtClose) -> list[str]:
    """Of one receipt: every promise that the file does not keep."""
    flat, orders = " ".join(told.split()), written(now.orders)
    is_held = "so the orders are on hold" in flat
    waits = is_held and "none of these orders count" in flat
    at, ahead = section(told, "ON FILE NOW"), list[str]()
    if (start := next((n for n, row in enumerate(at) if AHEAD in row), None)) is not None:
        at, ahead = at[:start], at[start:]
    if ("are withdrawn" in flat or "have been withdrawn" in flat) and "in their place" not in flat:
        kept = AHEAD in flat
        return [] if not orders and kept == bool(now.ahead) else [f"withdrawn, and counts: {now.file.sheet}"]
    if not is_held and "on file" not in told.split("\n\n")[2]:  # below the line of the campaign
        same = (before.file.sheet, before.file.standing) == (now.file.sheet, now.file.standing)
        return [] if same or "Withdrawn: line" in told else ["filed unsaid"]
    found = lines_unkept(told, state, now, waits)
    on_file = set() if "count only if you CONFIRM" in flat else listed(at)
    if on_file and on_file != orders:
        found.append(f"on file {sorted(on_file)}, counted {sorted(orders)}")
    if listed(ahead) != written(now.ahead):
        found.append(f"still on file {sorted(listed(ahead))}, counted {sorted(written(now.ahead))}")
    good = len({number for number, status, _ in read_rows(told, ORDERS, STANDING) if status != "refused"})
    if any(row.startswith((" - Your answer", " - Question")) for row in at):  # without a question it is talk
        good += len(_ANSWER.findall(letter))
    if (promised := _PROMISED.search(flat)) is not None and int(promised[1] or 1) != good:
        found.append(f"{promised[0]}, of {good}")
    return [f"{one} [{state}]" for one in found]


def dropped(before: FileAtClose, now: FileAtClose) -> list[str]:
    """Standing orders that were to stay until they are changed, and went."""
    said = {line.series() for line in now.file.standing}
    return [line.write("en") for line in before.file.standing if line.series() not in said]


def lines_unkept(told: str, state: str, now: FileAtClose, waits: bool) -> list[str]:
    """Of the lines as they were read: those that count otherwise."""
    numbers, found = {line.number for line in now.orders}, list[str]()
    numbered = {(line.number, squeezed(line.write("en"))) for line in now.orders}
    ordered = {number for number, _, _ in read_rows(told, ORDERS)}
    for number, status, words in read_rows(told, ORDERS, STANDING):
        all_that_counts = written(now.orders) | written(now.file.standing)
        counts = any(squeezed(words).startswith(one) for one in all_that_counts)
        if status == "refused" and state == "held" and (number, squeezed(words)) in numbered:
            found.append(f"line {number} was refused, and counts")
        if status != "refused" and not counts and "its place" not in words and not waits:
            found.append(f"line {number} ({words}) does not count")
        if status != "refused" and waits and number in ordered & numbers:
            found.append(f"line {number} counts before CONFIRM")
    return found


def unkept(result: str, file: FileAtClose, held: bool, whole: bool) -> list[str]:
    """Of a letter of results: what it tells otherwise than the file says that was promised."""
    rows, found = read_rows(result, RESULT), list[str]()
    flat = " ".join(result.split())
    told = {(number, words) for number, _, words in rows}
    for line in file.orders:
        words = squeezed(line.write("en"))
        if not any(number == line.number and squeezed(row).startswith(words) for number, row in told):
            found.append(f"line {line.number} ({line.write('en')}) counts, and the result is silent")
    counted = written(file.file.sheet) | written(file.file.standing)
    for number, row in told:
        if "its place" not in row and not any(squeezed(row).startswith(words) for words in counted):
            found.append(f"line {number} ({row}) is told, and was not on file")
    if held != ("no correction came in time" in flat):
        found.append("held, and the result does not say so" if held else "said to be held")
    if held and whole != ("whole or not at all" in flat):
        found.append("whole or good lines?")
    return found


class Correspondence:
    """Random letters of the seats of one campaign, each compared with what it was answered.

    After each letter the campaign is looked at, as a worker does. Some held sheets are confirmed, others
    withdrawn or mended; in the end the deadline comes, and the next window is written to.
    """

    def __init__(self, name: str, folder: Path, number: int) -> None:
        self.name, self.folder, self.number = name, folder, number
        self.rng, self.found, self.letters, self.closes = Random(f"{name}/{number}"), list[str](), 0, 0
        self.begin()

    def begin(self) -> None:
        self.folder /= "next"
        self.folder.mkdir()
        self.at, self.seat = at_hand(self.name, self.folder, self.number)
        self.whole = read_policy(load_campaign(self.at.db, self.at.name).standing_row.policy).whole_sheets
        for seat in self.at.seats:
            receive_letter(self.at.service, self.at.arrives(self.at.reply(seat, "LANG en")), "test")

    def write(self) -> None:
        """One letter, and sometimes another about it."""
        window = self.window()
        told = self.send(random_letter(self.name, self.rng))
        if told is None or self.window() != window:
            return
        chance = self.rng.random()
        if "so the orders are on hold" in " ".join(text(told).split()) and chance < 0.4:
            self.confirm(told) if chance < 0.3 else self.send("CANCEL", told)
        elif chance < 0.05:
            self.send(self.rng.choice(("READY", "WAIT", "CANCEL ALL", "CANCEL 1")))
        elif chance < 0.1:
            self.others_are_ready()

    def confirm(self, told: Posted) -> None:
        """What the receipt said CONFIRM would do."""
        held = text(told).replace("\r\n", "\n")
        good = {squeezed(words) for _, status, words in read_rows(held, ORDERS) if status != "refused"}
        window = self.window()
        self.send("CONFIRM", told)
        if self.window() == window:
            file = outcome(self.at, self.seat)
            counted = written(file.orders) | written(file.file.standing)
            self.found += [
                f"{words} was confirmed, and does not count\n{held}"
                for words in good
                if not any(words.startswith(one) for one in counted) and "itsplace" not in words
            ]

    def send(self, words: str, to: Posted | None = None) -> Posted | None:
        """The receipt, if there is one; the letter of results may come in its place."""
        at, seat = self.at, self.seat
        at.clock.passes(minutes=30)
        before, newest, was_held = outcome(at, seat), newest_to(at, seat), self.is_held()
        raw = at.arrives(at.reply(seat, words, to or at.letters(seat, "result")[0]))
        receive_letter(at.service, raw, "test")
        mail, told, file = letter(at.db, raw), newest_to(at, seat), outcome(at, seat)
        assert mail is not None and mail.state in ("applied", "held", "refused"), (words, mail)
        self.letters += 1
        said = "" if told.letter.message_id == newest.letter.message_id else text(told).replace("\r\n", "\n")
        if said:
            self.note(words, said, differences(words, said, mail.state, before, file))
        if "withdrawn" not in said.lower() and not was_held:
            self.note(words, said, [f"{one} was to stay" for one in dropped(before, file)])
        closed = self.look(words, file, said)
        awaited = re.search(r"due by|at the deadline|change your mind until", " ".join(said.split()))
        if closed and awaited:
            self.note(words, said, [f"{awaited[0]}, and the window closed at once"])
        if not closed and not said:
            self.note(words, said, ["neither a receipt nor a result"])
        return told if said and not closed else None

    def look(self, words: str, file: FileAtClose, said: str = "") -> bool:
        """As a worker does after a letter, or when a deadline has passed: did the window close?"""
        at, seat, is_held = self.at, self.seat, self.is_held()
        before = len(at.letters(seat, "result"))
        if not adjudicate(at.service, at.name):
            return False
        self.closes += 1
        results = at.letters(seat, "result")[:-before]  # of the first Close, if another followed
        told = text(results[-1]).replace("\r\n", "\n") if results else ""
        pause = load_campaign(at.db, at.name).pause
        if pause is None:  # the final letter reports the game, not the last orders
            self.begin()
            return True
        self.note(words, f"{said}\n{told}", unkept(told, file, is_held, self.whole))
        self.seat = str(self.rng.choice(pause.window.seats))
        return True

    def is_held(self) -> bool:
        orders = read_orders(self.at.db, self.at.name).seats.get(self.seat)
        return orders is not None and orders.has_held_lines

    def reach_deadline(self) -> None:
        at, file = self.at, outcome(self.at, self.seat)
        at.clock.passes(days=9)
        mark_read_to(at.db, "INBOX", 1, at.clock())
        assert self.look("(deadline)", file)

    def others_are_ready(self) -> None:
        """Then the next letter of this seat may end the window."""
        for seat in self.at.seats:
            if seat != self.seat:
                receive_letter(self.at.service, self.at.arrives(self.at.reply(seat, "READY")), "test")
        self.look("(others are ready)", outcome(self.at, self.seat))

    def window(self) -> int:
        window = read_orders(self.at.db, self.at.name).window
        return 0 if window is None else window.number

    def note(self, words: str, told: str, wrong: list[str]) -> None:
        self.found += [f"{one}\n{words}\n{told}" for one in wrong]


def newest_to(at: AtHand, seat: str) -> Posted:
    """The last letter to a seat."""
    with reading(at.db) as tx:
        mine = select(outbox.c.message_id).filter_by(seat=seat).order_by(outbox.c.id.desc()).limit(1)
        found = posted(at.db, tx.execute(mine).scalar_one())
    assert found is not None
    return found


def correspond(name: str, folder: Path, number: int, letters: int) -> Correspondence:
    made = Correspondence(name, folder, number)
    while made.letters < letters:
        for _ in range(EACH_WINDOW):
            made.write()
        made.reach_deadline()
    return made


def test_each_row_of_an_order_is_refused_as_a_standing_order(tmp_path: Path, without_maps: None) -> None:
    """Of a journey in two rows the second was counted as a good line."""
    made = Correspondence("trench", tmp_path, 0)
    told = made.send("STANDING\nM TRK1 E12 F12\nU TRK1 INF1@D4\nEND")
    assert told is not None and not made.found, made.found[0]
    assert text(told).count("This is an order for one turn") == 2


@pytest.mark.parametrize("number", [0, 2, 4])
@pytest.mark.parametrize("name", GAMES)
def test_what_receipts_promise_is_what_counts(
    name: str, number: int, tmp_path: Path, without_maps: None
) -> None:
    found = correspond(name, tmp_path, number, 6).found
    assert not found, found[0]


@pytest.mark.long
@pytest.mark.parametrize("number", range(50))
@pytest.mark.parametrize("name", GAMES)
def test_what_receipts_promise_is_what_counts_5_000_times(
    name: str, number: int, tmp_path: Path, without_maps: None
) -> None:
    found = correspond(name, tmp_path, number, 100).found
    assert not found, found[0]
