"""What time brings about: reminders, deadlines, outages, a clock gone wrong, old mail. Each of it once."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from pbem.campaigns import lobby
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.outages import ClockReading, is_clock_in_doubt, read_clocks, vouch_for_clock
from pbem.ops.sweep import SweepResult, sweep
from pbem.store import schema
from pbem.store.campaigns import mark_held
from pbem.store.deadlines import is_out_of_order, timetable
from pbem.store.inbox import Belongs, letter, mark_read_to, settle_letter
from pbem.store.people import add_absence, give_to_bot, person_at, seated
from pbem.store.schema_mail import outages, outbox, pulses
from pbem.store.session import reading, writing
from pbem.store.windows import Stamp, file_stance, read_orders
from tests.campaigns_at_hand import NAME, NOW, UMPIRE, AtHand
from tests.flow.hands import all_hand_in, flat, hand_in, window
from tests.flow.test_adjudicate import in_the_lobby

DEADLINE = NOW.replace(hour=20) + timedelta(days=7)
MINUTE = timedelta(minutes=1)

pytestmark = pytest.mark.usefixtures("without_maps")


class Machine:
    """A machine's clocks; the wall clock may be put wrong, the steady one only runs."""

    def __init__(self, at: AtHand) -> None:
        self.at, self.steady, self.boot = at, 1000.0, "boot-1"

    def reading(self, now: datetime) -> ClockReading:
        return ClockReading(now, self.steady, self.boot)

    def passes(self, time: timedelta, *, mail: bool = True) -> SweepResult:
        """The time passes on both clocks, in one leap, as if nothing had swept meanwhile."""
        self.at.clock.now += time
        self.steady += time.total_seconds()
        return self.sweeps(mail=mail)

    def sweeps(self, *, mail: bool = True) -> SweepResult:
        if mail:
            mark_read_to(self.at.db, "INBOX", 1, self.at.clock())
        return sweep(self.at.service, self.reading)

    def runs_to(self, moment: datetime, *, mail: bool = True) -> SweepResult:
        """The service runs all the while: no sign of life is missed."""
        with writing(self.at.db) as tx:
            tx.execute(delete(pulses))
        return self.passes(moment - self.at.clock.now, mail=mail)


@pytest.fixture
def machine(at: AtHand) -> Machine:
    found = Machine(at)
    found.sweeps()
    assert not adjudicate(at.service, NAME)
    return found


def deadline(at: AtHand) -> datetime:
    return next(row.due.at for row in timetable(at.db, NAME, window(at).number) if row.due.kind == "deadline")


def reminded(at: AtHand) -> dict[str, int]:
    return {seat: len(at.letters(seat, "reminder")) for seat in at.seats}


# ------------------------------------------------------------------ reminders


def test_only_those_whose_orders_are_missing_are_reminded_and_once(machine: Machine) -> None:
    at = machine.at
    hand_in(at, "WA")
    hand_in(at, "DE", "DEPLOY 2D > 1", held=True)
    give_to_bot(at.db, NAME, "GA", "sensible")
    machine.runs_to(DEADLINE - timedelta(hours=48))
    assert {"WA": 0, "EA": 1, "DE": 1, "GA": 0} == reminded(at)
    machine.sweeps()
    assert {"WA": 0, "EA": 1, "DE": 1, "GA": 0} == reminded(at)
    first = at.letters("EA", "reminder")[0]
    assert window(at).number == first.letter.window and "24 November 2026, 21:00 CET" in flat(first)
    machine.runs_to(DEADLINE - timedelta(hours=12))
    assert {"WA": 0, "EA": 2, "DE": 2, "GA": 0} == reminded(at)


def test_those_who_are_away_are_left_in_peace(machine: Machine) -> None:
    at = machine.at
    holder = next(one.person for one in seated(at.db, NAME) if one.seat == "EA")
    assert holder is not None
    day = (DEADLINE - timedelta(hours=48)).date()
    add_absence(at.db, holder.id, day, day)
    machine.runs_to(DEADLINE - timedelta(hours=48))
    assert {"WA": 1, "EA": 0, "DE": 1, "GA": 1} == reminded(at)


def test_two_reminders_that_came_due_together_are_one_letter(at: AtHand) -> None:
    at.clock.now = DEADLINE - timedelta(hours=6)  # nothing ran before: there is no sign of life to miss
    Machine(at).sweeps()
    assert dict.fromkeys(at.seats, 1) == reminded(at)


def test_nobody_is_reminded_in_a_campaign_that_is_held(machine: Machine) -> None:
    mark_held(machine.at.db, NAME, "a dispute")
    machine.runs_to(DEADLINE - timedelta(hours=12))
    assert {0} == set(reminded(machine.at).values())


# ------------------------------------------------------------------ what is rung for


def test_a_deadline_is_rung_for_when_the_inbox_was_read_after_it(machine: Machine) -> None:
    at = machine.at
    assert () == machine.runs_to(DEADLINE - MINUTE).campaigns
    assert () == machine.passes(2 * MINUTE, mail=False).campaigns
    assert (NAME,) == machine.sweeps().campaigns
    assert adjudicate(at.service, NAME) and () == machine.sweeps().campaigns


def test_what_was_filed_and_not_looked_at_is_rung_for(machine: Machine) -> None:
    at = machine.at
    adjudicate(at.service, NAME)
    assert () == machine.sweeps().campaigns
    file_stance(at.db, NAME, 1, "WA", "ready", Stamp(at.clock()))
    assert (NAME,) == machine.sweeps().campaigns
    all_hand_in(at)
    load_campaign(at.db, NAME).freeze(read_orders(at.db, NAME), "all-in", at.clock())
    machine.passes(MINUTE)
    assert (NAME,) == machine.sweeps().campaigns
    assert 4 == machine.sweeps().posts and adjudicate(at.service, NAME)


def test_letters_that_nobody_heard_are_rung_for(machine: Machine) -> None:
    at = machine.at
    number = at.arrives(at.reply("WA", "READY"))
    assert (number,) == machine.sweeps().letters


# ------------------------------------------------------------------ outages


def test_an_outage_of_the_service_moves_the_deadline_and_is_told_once(machine: Machine) -> None:
    at = machine.at
    machine.runs_to(DEADLINE - timedelta(hours=5))
    machine.passes(timedelta(hours=9))  # four hours past the deadline
    assert not adjudicate(at.service, NAME) and not is_out_of_order(at.db)
    assert DEADLINE + timedelta(days=1) == deadline(at)
    for seat in at.seats:
        (notice,) = at.letters(seat, "notice")
        assert "25 nov" in flat(notice).lower()
    machine.sweeps()
    assert 1 == len(at.letters("WA", "notice")) and DEADLINE + timedelta(days=1) == deadline(at)
    assert not adjudicate(at.service, NAME)


def test_a_short_restart_moves_nothing(machine: Machine) -> None:
    machine.runs_to(DEADLINE - timedelta(hours=5))
    machine.passes(timedelta(minutes=10))
    assert DEADLINE == deadline(machine.at) and not machine.at.letters("WA", "notice")


def test_an_outage_far_from_any_deadline_moves_nothing_and_is_settled(machine: Machine) -> None:
    machine.passes(timedelta(hours=9))
    assert DEADLINE == deadline(machine.at) and not is_out_of_order(machine.at.db)
    assert not machine.at.letters("WA", "notice")


def test_a_mail_server_that_is_silent_stops_deadlines_and_moves_them_afterwards(machine: Machine) -> None:
    at = machine.at
    machine.runs_to(DEADLINE - timedelta(hours=5))
    for _ in range(36):  # six hours, the sweep awake all the while
        machine.passes(10 * MINUTE, mail=False)
    assert is_out_of_order(at.db) and not adjudicate(at.service, NAME)
    machine.passes(10 * MINUTE)
    assert not is_out_of_order(at.db) and DEADLINE + timedelta(days=1) == deadline(at)
    with reading(at.db) as tx:
        parts = list(tx.execute(select(outages.c.part)).scalars())
    assert ["mail"] == parts


def test_an_outage_of_all_counts_once(machine: Machine) -> None:
    at = machine.at
    machine.runs_to(DEADLINE - timedelta(hours=5))
    machine.passes(timedelta(hours=3), mail=False)  # everything was off; the poller is not back yet
    machine.passes(MINUTE)
    with reading(at.db) as tx:
        parts = list(tx.execute(select(outages.c.part)).scalars())
    assert ["service"] == parts and DEADLINE + timedelta(days=1) == deadline(at)


# ------------------------------------------------------------------ a clock gone wrong


def test_a_clock_that_jumps_executes_no_deadline_until_it_is_vouched_for(machine: Machine) -> None:
    at = machine.at
    at.clock.now += timedelta(days=9)  # the steady clock stands where it stood
    assert () == machine.sweeps().campaigns and is_clock_in_doubt(at.db)
    assert not adjudicate(at.service, NAME) and {0} == set(reminded(at).values())
    house = person_at(at.db, UMPIRE)
    assert house is not None
    told = [one for one in letters_about_nothing(at) if one.kind == "notice"]
    assert 1 == len(told)
    machine.sweeps()
    assert 1 == len([one for one in letters_about_nothing(at) if one.kind == "notice"])
    assert vouch_for_clock(at.db, at.clock()) and not is_clock_in_doubt(at.db)
    machine.sweeps()
    assert deadline(at) > at.clock()  # the time in doubt counts as an outage: nobody loses his turn


def letters_about_nothing(at: AtHand) -> list[Any]:
    table = outbox
    with reading(at.db) as tx:
        return list(tx.execute(select(table.c.kind, table.c.recipient).where(table.c.campaign.is_(None))))


def test_a_letter_that_the_mail_server_stamped_just_now_vouches(machine: Machine) -> None:
    at = machine.at
    at.clock.now += timedelta(days=2)
    machine.sweeps()
    assert is_clock_in_doubt(at.db)
    at.arrives(at.reply("WA", "READY"), at.clock() - timedelta(hours=3))
    machine.sweeps()
    assert is_clock_in_doubt(at.db)  # that server's clock shows another time
    at.arrives(at.reply("WA", "STATUS"), at.clock() - timedelta(seconds=5))
    machine.sweeps()
    assert not is_clock_in_doubt(at.db)


def test_a_clock_that_is_put_back_and_forth_costs_nobody_anything(machine: Machine) -> None:
    at = machine.at
    at.clock.now += timedelta(days=9)
    machine.sweeps()
    at.clock.now -= timedelta(days=9)
    machine.sweeps()
    assert is_clock_in_doubt(at.db) and vouch_for_clock(at.db, at.clock())
    machine.sweeps()
    assert DEADLINE == deadline(at)


def test_the_clocks_of_this_machine_can_be_read(at: AtHand) -> None:
    one, other = read_clocks(NOW), read_clocks(NOW)
    assert one.boot == other.boot and one.steady <= other.steady


# ------------------------------------------------------------------ opening, old mail


def test_a_campaign_that_was_started_is_rung_for(tmp_path: Path) -> None:
    at = in_the_lobby(tmp_path)
    machine = Machine(at)
    assert () == machine.sweeps().campaigns
    lobby.start(at.service, NAME)
    assert (NAME,) == machine.sweeps().campaigns
    adjudicate(at.service, NAME)
    assert () == machine.sweeps().campaigns


def test_raw_mail_goes_when_its_time_after_the_end_is_over(machine: Machine) -> None:
    at = machine.at
    number = at.arrives(at.reply("WA", "READY"))
    settle_letter(at.db, number, "applied", "", at.clock(), Belongs(NAME, "WA"))
    with writing(at.db) as tx:
        over = {"state": "over", "ended_at": at.clock()}
        tx.execute(update(schema.campaigns).values(**over))
    machine.passes(timedelta(days=89))
    assert letter(at.db, number) is not None
    machine.passes(timedelta(days=2))
    assert letter(at.db, number) is None
