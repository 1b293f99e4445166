"""READY, WAIT, CANCEL, SALT, ABSENT, LANG, ZONE."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from pbem.campaigns.deadlines import ClockTerms, Phase, shift_timetable
from pbem.campaigns.policy import Policy
from pbem.store.campaigns import campaign_row
from pbem.store.deadlines import reschedule, timetable
from pbem.store.people import absences_of, person_at
from pbem.store.windows import SeatOrders, Stamp, StoredSheet, file_sheet, open_window, read_orders
from tests.campaigns_at_hand import NOW, OBSERVER, UMPIRE, AtHand, campaign_at_hand, run_on
from tests.orders import commands as c
from tests.verbs.contexts import context, do, of_person, received

HOUR = timedelta(hours=1)


def file_of(at: AtHand, seat: str) -> SeatOrders:
    return read_orders(at.db, at.name).seats.get(seat, SeatOrders())


def number(at: AtHand) -> int:
    window = open_window(at.db, at.name)
    assert window is not None
    return window.number


def write(at: AtHand, seat: str, orders: str, *, whole: str = "", held: bool = False) -> None:
    stamp = Stamp(at.clock(), at.clock())
    file_sheet(at.db, at.name, number(at), seat, StoredSheet(orders, whole or orders, held), stamp)


# ------------------------------------------------------------------ READY, WAIT


def test_ready_and_wait_are_taken_and_the_campaign_is_looked_at(at: AtHand) -> None:
    told = do(context(at, "EA"), c.Ready())
    assert file_of(at, "EA").stance == "ready" and told.deed.adjudicate == {at.name}
    assert "as soon as everyone’s orders are in" in told.flat
    told = do(context(at, "EA"), c.Wait())
    assert file_of(at, "EA").stance == "wait" and "24 November 2026, 21:00 CET" in told.flat
    assert "PRET noté pour le tour 1 (déploiement)" in do(context(at, "WA"), c.Ready()).flat


def test_a_letter_about_an_earlier_window_is_not_taken_for_this_one(at: AtHand) -> None:
    old = number(at)
    at.close()
    told = do(context(at, "EA", answers_window=old), c.Ready())
    assert told.codes == ["other-window"] and file_of(at, "EA").stance is None
    early = received(at, "erik@ea.test")
    at.clock.passes(hours=1)
    at.close()
    told = do(context(at, "EA", mail=early, answers_window=0), c.Ready())
    assert told.codes == ["other-window"]


def test_a_reply_to_this_window_counts_whatever_second_the_mail_server_stamps(at: AtHand) -> None:
    at.clock.now += timedelta(milliseconds=600)
    at.close()
    window = open_window(at.db, at.name)
    assert window is not None and window.opened_at.microsecond
    quick = replace(received(at, "erik@ea.test"), arrived=window.opened_at.replace(microsecond=0))
    do(context(at, "EA", mail=quick, answers_window=0), c.Ready())
    assert "ready" == file_of(at, "EA").stance
    slow_clock = replace(quick, arrived=window.opened_at - timedelta(seconds=20))
    do(context(at, "WA", mail=slow_clock), c.Ready())
    assert "ready" == file_of(at, "WA").stance


def test_a_seat_that_nobody_waits_for_has_no_say(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, tempo="strict")
    window = open_window(at.db, at.name)
    assert window is not None and len(window.seats) == 1
    other = next(seat for seat in at.seats if seat not in window.seats)
    told = do(context(at, other, "en"), c.Wait())
    assert told.codes == ["not-awaited"]
    public = told.flat.replace("(deployment, step 1)", "")  # whom it waits for and the phase, not what for
    assert window.key.partition("/")[2] not in public


def test_a_window_that_was_frozen_meanwhile_takes_nothing(at: AtHand) -> None:
    heard = context(at, "EA")
    at.close()
    assert do(heard, c.Ready()).codes == ["just-closed"]


def test_an_observer_cannot_say_ready(at: AtHand) -> None:
    assert do(of_person(at, OBSERVER, "observer"), c.Ready()).codes == ["no-seat-here"]


# ------------------------------------------------------------------ CANCEL


def test_cancel_withdraws_what_is_on_file_and_only_the_writers(at: AtHand) -> None:
    write(at, "EA", "DEPLOY RU1 > 8")
    write(at, "DE", "DEPLOY DE1 > 8")
    told = do(context(at, "EA"), c.Cancel())
    assert file_of(at, "EA").sheet is None and file_of(at, "DE").sheet is not None
    assert "withdrawn" in told.text and "24 November" in told.flat


def test_who_withdraws_his_orders_is_not_ready_any_more(at: AtHand) -> None:
    write(at, "EA", "DEPLOY RU1 > 8")
    do(context(at, "EA"), c.Ready())
    assert "your READY with them" in do(context(at, "EA"), c.Cancel((1,))).flat
    assert file_of(at, "EA").stance is None


@pytest.mark.parametrize("language", ["en", "fr"])
def test_with_nothing_on_file_cancel_says_so(at: AtHand, language: str) -> None:
    assert do(context(at, "EA", language), c.Cancel()).codes == ["cancel-nothing"]
    assert do(context(at, "EA", language), c.Cancel((2,))).codes == ["cancel-no-sheet"]


def test_single_lines_go_and_the_others_keep_their_numbers(at: AtHand) -> None:
    text = "DEPLOY RU1 > 8\n\nDEPLOY RU2 > 9\nDEPLOY RU3 > 9"
    write(at, "EA", text)
    told = do(context(at, "EA"), c.Cancel((3,)))
    sheet = file_of(at, "EA").sheet
    assert sheet is not None and sheet.orders == "DEPLOY RU1 > 8\n\n\nDEPLOY RU3 > 9"
    assert "  4  DEPLOY RU3 > 9" in told.text and "RU2" not in told.text
    do(context(at, "EA"), c.Cancel((1, 4)))
    assert file_of(at, "EA").sheet is None


def test_a_line_that_is_not_there_is_named_and_nothing_goes(at: AtHand) -> None:
    write(at, "EA", "DEPLOY RU1 > 8\n\nDEPLOY RU2 > 9")
    told = do(context(at, "EA"), c.Cancel((1, 2, 7)))
    sheet = file_of(at, "EA").sheet
    assert sheet is not None and "RU1" in sheet.orders
    assert "no line 2 or 7" in told.text and "1 and 3" in told.text


def test_a_held_sheet_is_free_when_its_bad_line_is_withdrawn(at: AtHand) -> None:
    write(at, "EA", "DEPLOY RU1 > 8", whole="DEPLOY RU1 > 8\nDEPLOI RU2 to heaven", held=True)
    told = do(context(at, "EA"), c.Cancel((2,)))
    sheet = file_of(at, "EA").sheet
    assert (
        sheet == StoredSheet("DEPLOY RU1 > 8", "DEPLOY RU1 > 8", False) and "still on hold" not in told.text
    )


def test_a_held_sheet_stays_held_while_another_bad_line_is_left(at: AtHand) -> None:
    whole = "DEPLOY RU1 > 8\nDEPLOI RU2 to heaven\nDEPLOI RU3 to hell"
    write(at, "EA", "DEPLOY RU1 > 8", whole=whole, held=True)
    told = do(context(at, "EA"), c.Cancel((2,)))
    sheet = file_of(at, "EA").sheet
    assert sheet is not None and sheet.held and "still on hold" in told.text


def test_a_sheet_whose_good_lines_were_confirmed_is_not_held_again(at: AtHand) -> None:
    whole = "DEPLOY RU1 > 8\nDEPLOI RU2 to heaven\nDEPLOY RU3 > 9"
    write(at, "EA", "DEPLOY RU1 > 8\n\nDEPLOY RU3 > 9", whole=whole)
    do(context(at, "EA"), c.Cancel((3,)))
    sheet = file_of(at, "EA").sheet
    assert sheet is not None and not sheet.held and sheet.orders == "DEPLOY RU1 > 8"


@pytest.mark.parametrize("lines", [(), (1,)])
def test_a_cancel_written_before_the_orders_is_set_aside(at: AtHand, lines: tuple[int, ...]) -> None:
    write(at, "EA", "DEPLOY RU1 > 8\nDEPLOY RU2 > 9")
    stale = Stamp(at.clock(), at.clock() - HOUR)
    told = do(context(at, "EA", stamp=stale), c.Cancel(lines))
    assert told.codes == ["cancel-stale"] and file_of(at, "EA").sheet is not None


# ------------------------------------------------------------------ SALT


def test_salt_goes_with_the_deed_and_is_bounded(at: AtHand) -> None:
    told = do(context(at, "WA"), c.Salt("  le vent   d'automne "))
    assert told.deed.salt == "le vent d'automne" and "le vent d'automne" in told.flat
    long = do(context(at, "WA"), c.Salt("x" * 500))
    assert len(long.deed.salt) == 200 and "200" in long.text


# ------------------------------------------------------------------ ABSENT


def deadline(at: AtHand) -> datetime:
    rows = timetable(at.db, at.name, number(at))
    return next(row.due.at for row in rows if row.due.kind == "deadline")


def test_days_away_are_told_back_in_words_and_move_the_deadline(at: AtHand) -> None:
    told = do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    assert "from Friday 20 November 2026 to Thursday 3 December 2026, 14 days" in told.flat
    assert deadline(at) == datetime(2026, 12, 8, 20, 0, tzinfo=UTC)
    assert "Tuesday 8 December 2026, 21:00 CET" in told.flat
    person = person_at(at.db, "max@de.test")
    assert person is not None
    assert absences_of(at.db, person.id, at.name) == [(date(2026, 11, 20), date(2026, 12, 3))]


def test_the_others_hear_of_the_new_deadline_in_their_time_and_not_of_who_is_away(at: AtHand) -> None:
    do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    assert not at.letters("DE", "notice")
    for seat in ("WA", "EA", "GA"):
        (letter,) = at.letters(seat, "notice")
        text = letter.letter.body.decode()
        assert "Max" not in text and "Germany" not in text and "max@" not in text
        assert "8 December" in text or "8 d=C3=A9cembre" in text


def test_back_again_gives_the_time_back_but_a_day_is_left(at: AtHand) -> None:
    do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    told = do(context(at, "DE"), c.Absent(None, None))
    assert deadline(at) == datetime(2026, 11, 24, 20, 0, tzinfo=UTC) and "Welcome back" in told.text
    do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    at.clock.now = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
    do(context(at, "DE"), c.Absent(None, None))
    assert deadline(at) >= at.clock() + timedelta(hours=24)
    assert deadline(at) < datetime(2026, 12, 8, 20, 0, tzinfo=UTC)


def test_what_the_umpire_gave_is_kept(at: AtHand) -> None:
    rows = [row.due for row in timetable(at.db, at.name, number(at))]
    reschedule(at.db, at.name, number(at), shift_timetable(rows, timedelta(days=2)))
    do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    assert deadline(at) == datetime(2026, 12, 10, 20, 0, tzinfo=UTC)
    do(context(at, "DE"), c.Absent(None, None))
    assert deadline(at) == datetime(2026, 11, 26, 20, 0, tzinfo=UTC)


def test_an_absence_that_changes_no_deadline_is_nobodys_business(at: AtHand) -> None:
    told = do(context(at, "DE"), c.Absent(date(2027, 3, 1), date(2027, 3, 9)))
    assert told.codes == ["absent-noted", "absent-undo"]
    assert not at.letters(None, "notice")


def test_the_same_days_twice_are_noted_once(at: AtHand) -> None:
    for _ in range(2):
        do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    person = person_at(at.db, "max@de.test")
    assert person is not None and len(absences_of(at.db, person.id, at.name)) == 1
    assert len(at.letters("WA", "notice")) == 1


def test_a_year_and_a_day_is_no_absence(at: AtHand) -> None:
    assert do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2028, 1, 1))).codes == ["absent-too-long"]


def test_reminders_move_with_the_deadline(tmp_path: Path) -> None:
    clock = ClockTerms(phases={"": Phase(days=7, reminders=(48,))})
    at = campaign_at_hand(tmp_path, policy=Policy(clock=clock))
    do(context(at, "DE"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    reminders = {
        row.due.seat: row.due.at
        for row in timetable(at.db, at.name, number(at))
        if row.due.kind == "reminder"
    }
    assert reminders["DE"] == deadline(at) - timedelta(hours=48)
    assert reminders["WA"] == datetime(2026, 11, 22, 20, 0, tzinfo=UTC)  # its own time has not changed


def test_an_umpire_may_be_away_and_moves_nothing(at: AtHand) -> None:
    before = deadline(at)
    told = do(of_person(at, UMPIRE, "umpire"), c.Absent(date(2026, 11, 20), date(2026, 12, 3)))
    assert told.codes == ["absent-noted", "absent-undo"] and deadline(at) == before


# ------------------------------------------------------------------ LANG, ZONE


def test_the_answer_to_lang_is_in_the_new_language(at: AtHand) -> None:
    told = do(context(at, "WA"), c.Lang("en"))
    assert "From now on your letters come in English." in told.text
    person = person_at(at.db, "jeanne@wa.test")
    assert person is not None and person.language == "en"


def test_zone_tells_the_time_there(at: AtHand) -> None:
    told = do(context(at, "EA"), c.Zone("Asia/Tokyo"))
    assert "18:00 JST" in told.text and "25 November 2026, 05:00 JST" in told.text
    person = person_at(at.db, "erik@ea.test")
    assert person is not None and person.zone == "Asia/Tokyo"


def test_the_campaign_stays_as_it_was(at: AtHand) -> None:
    """None of these changes goes into the journal."""
    before = campaign_row(at.db, at.name).head
    for command in (c.Ready(), c.Wait(), c.Cancel(), c.Salt("x"), c.Lang("fr"), c.Absent(None, None)):
        do(context(at, "EA"), command)
    assert campaign_row(at.db, at.name).head == before
    run_on(at.service, at.name, "deadline")
    assert NOW == at.clock()
