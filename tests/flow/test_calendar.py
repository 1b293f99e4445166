"""The deadline in a calendar: letters about it bring it up to date, and what is over is taken out."""

from __future__ import annotations

from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.clock import extend, hold, release
from pbem.campaigns.umpire.seats import replace_holder
from pbem.intake.receive import receive_letter
from pbem.ops.sweep import remind
from pbem.store.deadlines import due_deadlines
from pbem.store.outbox import Posted
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.hands import all_hand_in, passes, window

pytestmark = pytest.mark.usefixtures("without_maps")


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    """The first real result letters are out: its second window is open."""
    at = campaign_at_hand(tmp_path)
    all_hand_in(at)
    passes(at, hours=1)
    return at


def calendars(posted: Posted) -> list[dict[str, str]]:
    """The entries that a letter brings, by property; `file` and `type` are of the enclosure."""
    found = []
    for part in message_from_bytes(posted.letter.body, policy=policy.default).walk():
        if part.get_content_type() == "text/calendar":
            lines = part.get_content().replace("\r\n", "\n").replace("\n ", "").strip().split("\n")
            entry = dict(line.split(":", 1) for line in lines)
            assert entry["METHOD"] == part.get_param("method")
            found.append({**entry, "file": str(part.get_filename())})
    return found


def newest(at: AtHand, seat: str = "EA") -> dict[str, str]:
    (entry,) = calendars(at.letters(seat)[0])
    return entry


def test_every_letter_about_a_deadline_updates_one_entry(at: AtHand) -> None:
    """Result, receipt of half a turn, hold, release, extension, reminder."""
    seen = [next(one for one in calendars(at.letters("EA", "result")[0]) if one["METHOD"] == "PUBLISH")]
    at.clock.passes(hours=1)
    receive_letter(at.service, at.arrives(at.reply("EA", "STATUS")), "test")
    seen.append(newest(at))
    umpire = Umpire(at.service, at.name, "a slip")
    for act in (hold, release, lambda umpire: extend(umpire, timedelta(days=2))):
        at.clock.passes(hours=1)
        act(umpire)
        seen.append(newest(at))
    at.clock.passes(days=8)
    remind(at.service, due_deadlines(at.db, at.clock(), None))
    seen.append(newest(at))
    assert at.letters("EA")[0].letter.kind == "reminder"
    assert len({one["UID"] for one in seen}) == 1
    sequences = [int(one["SEQUENCE"]) for one in seen]
    assert sequences == sorted(set(sequences)) and sequences[0] == 0
    assert [one["STATUS"] for one in seen] == ["CONFIRMED", "CONFIRMED", "TENTATIVE"] + ["CONFIRMED"] * 3
    due = [one["DTSTART"] for one in seen]
    assert due[0] == due[1] == due[2] < due[3] < due[4] == due[5]


def test_a_window_that_closed_early_is_taken_out(at: AtHand) -> None:
    before = next(one for one in calendars(at.letters("EA", "result")[0]) if one["METHOD"] == "PUBLISH")
    all_hand_in(at)
    passes(at, hours=1)
    entries = {one["METHOD"]: one for one in calendars(at.letters("EA", "result")[0])}
    assert set(entries) == {"CANCEL", "PUBLISH"}
    assert entries["CANCEL"]["UID"] == before["UID"] != entries["PUBLISH"]["UID"]
    assert int(entries["CANCEL"]["SEQUENCE"]) > 0 and entries["CANCEL"]["STATUS"] == "CANCELLED"


def test_a_window_that_closed_at_its_deadline_needs_no_taking_out(at: AtHand) -> None:
    before = window(at).number
    assert passes(at, days=8, hours=12)
    assert window(at).number > before
    assert [one["METHOD"] for one in calendars(at.letters("EA", "result")[0])] == ["PUBLISH"]


def cancelled(at: AtHand) -> list[str]:
    """The entries that letters about the open window take out, newest first."""
    entries = [entry for letter in at.letters() for entry in calendars(letter)]
    open_now = f"-{window(at).number}@"
    return [one["UID"] for one in entries if one["STATUS"] == "CANCELLED" and open_now in one["UID"]]


def test_who_loses_a_seat_loses_its_deadline(at: AtHand) -> None:
    """By the umpire's act, and by giving it up."""
    own = {seat: calendars(at.letters(seat, "result")[0])[-1]["UID"] for seat in ("EA", "DE")}
    assert cancelled(at) == []
    at.clock.passes(hours=1)
    replace_holder(Umpire(at.service, at.name, "gone"), "EA", "eva@ea.test")
    assert cancelled(at) == [own["EA"]]
    at.clock.passes(hours=1)
    receive_letter(at.service, at.arrives(at.reply("DE", "RESIGN")), "test")
    assert cancelled(at) == [own["EA"]], "nothing is done before it is confirmed"
    receive_letter(at.service, at.arrives(at.reply("DE", "CONFIRM", at.letters("DE")[0])), "test")
    assert cancelled(at) == [own["DE"], own["EA"]]
