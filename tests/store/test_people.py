"""People, seats, absences, rate limits, and how somebody is forgotten."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, select

from engine.kernel.fairness.audit import Ledger, SentMark
from engine.kernel.records import RESIGNATION
from pbem.campaigns.campaign import load_campaign
from pbem.store import schema
from pbem.store.advance import frozen_close
from pbem.store.campaigns import campaign_row, keys_of
from pbem.store.inbox import BEGINNING, Belongs, Sighting, settle_letter, store_letter, store_mark
from pbem.store.journal import read_journal, read_records
from pbem.store.outbox import OutgoingMail, claim_outgoing, put_in_outbox
from pbem.store.people import (
    AddressTaken,
    NoSuchSeat,
    absences_of,
    add_absence,
    add_member,
    all_members,
    confirm_member,
    end_absences,
    enrol,
    everybody,
    give_seat,
    give_to_bot,
    link_address,
    mark_address,
    members,
    person,
    person_at,
    register_address,
    remove_member,
    require_signature,
    seated,
    seats_of,
    update_person,
    use_allowance,
)
from pbem.store.privacy import Forgotten, forget, personal_data, vacuum
from pbem.store.proposals import change_proposal, give_assent, proposals, propose, settle_proposal
from pbem.store.session import reading, writing
from pbem.store.standing_orders import file_standing_orders, replace_standing_orders, standing_orders_of
from pbem.store.windows import (
    Stamp,
    StoredReply,
    StoredSheet,
    cancel_orders,
    drop_older_replies,
    file_reply,
    file_sheet,
    file_stance,
    read_orders,
)
from tests.narrowing import not_none
from tests.store.play import DAY, NAME, NOW, advance, answer_all, close, found_toy, play_on

HOUR = timedelta(hours=1)


def anna(store: Engine) -> int:
    return enrol(store, "Anna@Example.org", "Anna", "fr", "Europe/Paris", NOW)


# ------------------------------------------------------------------ persons


def test_a_person_is_enrolled_once_and_known_by_every_address(store: Engine) -> None:
    number = anna(store)
    assert number == anna(store)
    link_address(store, number, "A@work.test", NOW)
    found = person_at(store, "a@WORK.test")
    assert found is not None and ("Anna", "fr", "anna@example.org") == (
        found.name,
        found.language,
        found.registered,
    )
    register_address(store, number, "a@work.test", NOW)
    moved = person(store, number)
    assert moved is not None and "a@work.test" == moved.registered and 2 == len(moved.addresses)
    assert person_at(store, "nobody@test") is None and person(store, 999) is None


def test_an_address_belongs_to_one_person(store: Engine) -> None:
    anna(store)
    other = enrol(store, "b@test", "Bert", "en", "UTC", NOW)
    for take in (link_address, register_address):
        with pytest.raises(AddressTaken):
            take(store, other, "anna@example.org", NOW)
    assert "b@test" == not_none(person(store, other)).registered


def test_language_zone_bounces_and_signatures(store: Engine) -> None:
    number = anna(store)
    update_person(store, number, zone="UTC", language="en")
    assert mark_address(store, "anna@example.org", "bouncing") and not mark_address(store, "x@test", "good")
    require_signature(store, "anna@example.org", NOW)
    require_signature(store, "anna@example.org", NOW + DAY)
    found = person(store, number)
    assert found is not None and ("Anna", "en", "UTC") == (found.name, found.language, found.zone)
    assert ("bouncing", NOW) == (found.addresses[0].state, found.addresses[0].signed_since)


# ------------------------------------------------------------------ seats


def test_everybody_of_a_campaign_is_told_as_seats_and_members_are(store: Engine, toy: Any) -> None:
    found_toy(store)
    assert (seated(store, NAME), []) == everybody(store, NAME)
    umpire, watcher, wisher = (
        enrol(store, f"{name}@a.test", name, "en", "UTC", NOW) for name in ("ursula", "otto", "wanda")
    )
    link_address(store, umpire, "also-ursula@a.test", NOW)
    give_seat(store, NAME, seated(store, NAME)[0].seat, umpire, NOW)  # one may be both
    add_member(store, NAME, watcher, "observer", NOW)
    add_member(store, NAME, umpire, "umpire", NOW + HOUR)
    add_member(store, NAME, umpire, "observer", NOW + HOUR)
    add_member(store, NAME, wisher, "signup", NOW)
    seats, others = everybody(store, NAME)
    assert seated(store, NAME) == seats
    assert all_members(store, NAME, ("umpire", "observer")) == others and 3 == len(others)


def test_seats_are_held_in_turn(store: Engine, toy: Any) -> None:
    found_toy(store)
    first, second = anna(store), enrol(store, "b@test", "Bert", "en", "UTC", NOW)
    assert [0, 0] == [one.holder for one in seated(store, NAME)]
    revision = campaign_row(store, NAME).revision
    assert 1 == give_seat(store, NAME, "NORTH", first, NOW)
    assert 2 == give_seat(store, NAME, "NORTH", second, NOW + DAY)
    north, south = seated(store, NAME)
    assert north.person is not None and ("Bert", 2, None) == (north.person.name, north.holder, south.person)
    assert ([], [(NAME, "NORTH")]) == (seats_of(store, first), seats_of(store, second))
    assert campaign_row(store, NAME).revision > revision
    give_to_bot(store, NAME, "SOUTH", "random")
    assert "random" == seated(store, NAME)[1].bot
    for wrong in (
        lambda: give_seat(store, NAME, "WEST", first, NOW),
        lambda: give_to_bot(store, NAME, "W", "x"),
    ):
        with pytest.raises(NoSuchSeat):
            wrong()


def test_umpires_observers_and_the_lobby(store: Engine, toy: Any) -> None:
    found_toy(store)
    number = anna(store)
    assert add_member(store, NAME, number, "signup", NOW, wish="NORTH") and not add_member(
        store, NAME, number, "signup", NOW
    )
    assert confirm_member(store, NAME, number, "signup", NOW)
    assert not confirm_member(store, NAME, number, "signup", NOW)
    (member,) = members(store, NAME, "signup")
    assert ("NORTH", NOW, "Anna") == (member.wish, member.confirmed, member.person.name)
    assert [] == members(store, NAME, "umpire")
    assert remove_member(store, NAME, number, "signup") and not remove_member(store, NAME, number, "signup")


def test_absences(store: Engine, toy: Any) -> None:
    found_toy(store)
    number = anna(store)
    add_absence(store, number, date(2026, 8, 3), date(2026, 8, 20))
    add_absence(store, number, date(2026, 7, 1), date(2026, 7, 2), campaign=NAME)
    both = [(date(2026, 7, 1), date(2026, 7, 2)), (date(2026, 8, 3), date(2026, 8, 20))]
    assert both == absences_of(store, number, NAME)
    assert both[1:] == absences_of(store, number, "OTHER-1")
    end_absences(store, number, date(2026, 8, 10))
    assert (date(2026, 8, 3), date(2026, 8, 9)) == absences_of(store, number, NAME)[1]
    end_absences(store, number, date(2026, 8, 3))
    assert both[:1] == absences_of(store, number, NAME)


def test_an_allowance_is_used_up_and_comes_back(store: Engine) -> None:
    def help_wanted(after: timedelta, subject: str = "x@test") -> bool:
        return use_allowance(store, subject, "help", 2, DAY, NOW + after)

    assert [True, True, False] == [help_wanted(n * HOUR) for n in range(3)]
    assert help_wanted(HOUR, "y@test") and not help_wanted(23 * HOUR, "X@test")
    assert help_wanted(DAY) and not use_allowance(store, "z@test", "help", 0, DAY, NOW)


def test_proposals(store: Engine, toy: Any) -> None:
    found_toy(store)
    number = propose(store, NAME, "NORTH", "rollback", {"to": "T1"}, NOW)
    assert [True, False] == [give_assent(store, NAME, number, "SOUTH", NOW) for _ in range(2)]
    assert settle_proposal(store, NAME, number, "carried", NOW)
    assert not settle_proposal(store, NAME, number, "dropped", NOW)
    (made,) = proposals(store, NAME)
    assert (("NORTH", "SOUTH"), "carried", {"to": "T1"}) == (made.assents, made.outcome, made.data)
    assert 2 == propose(store, NAME, "SOUTH", "armistice", {}, NOW)
    for number, data in ((2, {"to": "T2"}), (1, {})):
        change_proposal(store, NAME, number, data)
    assert [{"to": "T1"}, {"to": "T2"}] == [one.data for one in proposals(store, NAME)]  # of open ones only


def test_who_takes_a_seat_over_has_proposed_and_agreed_to_nothing(store: Engine, toy: Any) -> None:
    found_toy(store)
    other = enrol(store, "b@test", "Bert", "en", "UTC", NOW)
    give_seat(store, NAME, "NORTH", anna(store), NOW)
    for seat, kind in (("NORTH", RESIGNATION), ("NORTH", "rollback"), ("SOUTH", "armistice")):
        give_assent(store, NAME, propose(store, NAME, seat, kind, {}, NOW), "SOUTH", NOW)
    give_assent(store, NAME, 3, "NORTH", NOW)
    settled = propose(store, NAME, "NORTH", "rollback", {}, NOW)
    settle_proposal(store, NAME, settled, "carried", NOW)

    def open_words() -> list[tuple[str | None, tuple[str, ...]]]:
        return [(one.outcome, one.assents) for one in proposals(store, NAME)]

    before = open_words()
    give_seat(store, NAME, "NORTH", anna(store), NOW)  # new tokens for the same person
    assert before == open_words()
    give_seat(store, NAME, "NORTH", other, NOW)
    south = ("SOUTH",)
    assert [("withdrawn", south), (None, south), (None, south), ("carried", ("NORTH",))] == open_words()


def test_who_is_forgotten_has_proposed_nothing_either(store: Engine, toy: Any) -> None:
    found_toy(store)
    give_seat(store, NAME, "NORTH", anna(store), NOW)
    propose(store, NAME, "NORTH", RESIGNATION, {}, NOW)
    forget(store, "anna@example.org", NOW)
    assert ["withdrawn"] == [one.outcome for one in proposals(store, NAME)]


# ------------------------------------------------------------------ filing


def test_the_later_letter_wins_by_date_or_else_by_arrival(store: Engine, toy: Any) -> None:
    found_toy(store)
    advance(store)

    def send(text: str, arrived: int, dated: int | None = None) -> str:
        stamp = Stamp(NOW + arrived * HOUR, None if dated is None else NOW + dated * HOUR)
        return file_sheet(store, NAME, 1, "NORTH", StoredSheet(text, text), stamp)

    def lies() -> str:
        return not_none(read_orders(store, NAME).seats["NORTH"].sheet).orders

    assert "filed" == send("a", arrived=3, dated=2)
    assert "stale" == send("b", arrived=4, dated=1)  # written before, came after
    assert "filed" == send("c", arrived=2, dated=3)
    assert "filed" == send("d", arrived=5)  # no plausible Date: by arrival
    assert "stale" == send("e", arrived=4, dated=9)
    assert "d" == lies()
    assert "filed" == cancel_orders(store, NAME, 1, "NORTH") and not read_orders(store, NAME).seats


def test_of_stances_too_the_later_letters_counts(store: Engine, toy: Any) -> None:
    found_toy(store)
    advance(store)

    def says(stance: Any, arrived: int, dated: int | None = None) -> str:
        stamp = Stamp(NOW + arrived * HOUR, None if dated is None else NOW + dated * HOUR)
        return file_stance(store, NAME, 1, "NORTH", stance, stamp)

    def stance() -> str | None:
        return read_orders(store, NAME).seats["NORTH"].stance

    assert ("filed", "wait") == (says("wait", arrived=3, dated=2), stance())
    assert ("stale", "wait") == (says("ready", arrived=4, dated=1), stance())
    assert ("filed", "ready") == (says("ready", arrived=3, dated=2), stance())  # in the same letter
    assert "filed" == says(None, arrived=5, dated=4) and not read_orders(store, NAME).seats
    assert "stale" == says("ready", arrived=6, dated=3) and not read_orders(store, NAME).seats
    assert "closed" == file_stance(store, NAME, 2, "NORTH", "ready", Stamp(NOW))


def test_an_older_letter_changes_no_standing_orders_of_a_later_one(store: Engine, toy: Any) -> None:
    found_toy(store)
    advance(store)

    def says(text: str, arrived: int, dated: int | None = None) -> str:
        stamp = Stamp(NOW + arrived * HOUR, None if dated is None else NOW + dated * HOUR)
        return file_standing_orders(store, NAME, "NORTH", text, stamp)

    assert ["filed", "stale"] == [says("a", arrived=3, dated=2), says("b", arrived=4, dated=1)]
    assert {"NORTH": "a"} == standing_orders_of(store, NAME)
    assert "filed" == says("", arrived=5) and {} == standing_orders_of(store, NAME)
    assert not read_orders(store, NAME).seats and "" == seated(store, NAME)[0].standing
    assert "stale" == says("c", arrived=4, dated=9) and {} == standing_orders_of(store, NAME)
    assert "filed" == file_standing_orders(store, NAME, "SOUTH", "d", Stamp(NOW))


def test_standing_lines_of_a_sheet_are_as_new_as_their_letter(store: Engine, toy: Any) -> None:
    """Its Close puts them on file; what play has left of others stays as old as it was."""
    found_toy(store)
    advance(store)
    sheet = Stamp(NOW + 3 * HOUR, NOW + 2 * HOUR)
    file_sheet(store, NAME, 1, "NORTH", StoredSheet("ALWAYS HIDE H2"), sheet)
    file_standing_orders(store, NAME, "SOUTH", "a", Stamp(NOW, NOW))
    with writing(store) as tx:
        replace_standing_orders(tx, NAME, {"NORTH": "ALWAYS HIDE H2", "SOUTH": ""}, NOW + DAY, 1)
    assert {"NORTH": "ALWAYS HIDE H2"} == standing_orders_of(store, NAME)
    late = NOW + DAY + HOUR
    assert "stale" == file_standing_orders(store, NAME, "NORTH", "x", Stamp(late, NOW + HOUR))
    assert "filed" == file_standing_orders(store, NAME, "NORTH", "x", Stamp(late, NOW + 3 * HOUR))
    assert "stale" == file_standing_orders(store, NAME, "SOUTH", "x", Stamp(late, NOW - HOUR))
    assert "filed" == file_standing_orders(store, NAME, "SOUTH", "x", Stamp(late, NOW + HOUR))


def test_a_sheet_takes_the_place_of_older_answers_also_within_one_letter(store: Engine, toy: Any) -> None:
    found_toy(store)
    advance(store)
    early, late = Stamp(NOW), Stamp(NOW + HOUR)
    with writing(store) as tx:
        for stamp, answers in ((early, 1), (late, 0)):
            file_sheet(tx, NAME, 1, "NORTH", StoredSheet("HIDE H1"), stamp)
            drop_older_replies(tx, NAME, 1, "NORTH", stamp)
            if answers:
                file_reply(tx, NAME, 1, "NORTH", "q", StoredReply("hide", "1"), stamp)
            assert answers == len(read_orders(tx, NAME).seats["NORTH"].replies)


def test_a_held_sheet_counts_by_its_good_lines_or_not_at_all(store: Engine, toy: Any) -> None:
    found_toy(store)
    advance(store)
    file_sheet(store, NAME, 1, "NORTH", StoredSheet("HIDE H1", "HIDE H1\nHIED", held=True), Stamp(NOW))
    here, filed = load_campaign(store, NAME), read_orders(store, NAME)
    assert "HIDE H1" == here.handed_in(filed, held_sheets=True)["seats"]["NORTH"]["orders"]
    assert "" == here.handed_in(filed, held_sheets=False)["seats"]["NORTH"]["orders"]


# ------------------------------------------------------------------ forgetting


def played_by_anna(store: Engine) -> None:
    found_toy(store)
    number = anna(store)
    link_address(store, number, "second@anna.test", NOW)
    give_seat(store, NAME, "NORTH", number, NOW)
    add_absence(store, number, date(2026, 8, 3), date(2026, 8, 20))
    use_allowance(store, "anna@example.org", "help", 2, DAY, NOW)
    advance(store)
    raw = b"From: anna@example.org\r\nMessage-ID: <secret-id@anna.test>\r\n\r\nHIDE H1\r\n"
    raw += b"a picture " * BEGINNING + b"by Anna"
    letter = store_letter(store, Sighting("INBOX", 1, 1), raw, NOW, NOW).id
    belongs = Belongs(
        NAME, "NORTH", number, "Anna@example.org", "<secret-id@anna.test>", {"from": "anna@example.org"}
    )
    settle_letter(store, letter, "applied", "", NOW, belongs)
    store_mark(store, NAME, "NORTH", letter, SentMark("<secret-id@anna.test>", "b=SIG-anna"), NOW)
    mail = OutgoingMail(
        message_id="<77@test>",
        kind="notice",
        sender="umpire@test",
        recipient="anna@example.org",
        body=b"Dear Anna",
        campaign=NAME,
        seat="NORTH",
        person=number,
        number=77,
    )
    put_in_outbox(store, [mail], NOW)
    play_on(store, 2)


def words_in(store: Engine, word: str) -> list[str]:
    """Every column of every table in which that word stands."""
    found = []
    with reading(store) as tx:
        for table in schema.metadata.sorted_tables:
            for row in tx.execute(select(table)).mappings():
                found += [
                    f"{table.name}.{column}" for column, value in row.items() if word in repr(value).lower()
                ]
    return sorted(set(found))


def test_all_that_is_kept_of_a_person_is_told(store: Engine, toy: Any) -> None:
    played_by_anna(store)
    kept = personal_data(store, "second@anna.test")
    assert kept["inbox"][0]["raw"].endswith(b"by Anna")
    one_each = {"people", "absences", "holders", "inbox", "outbox", "marks", "allowances"}
    assert one_each == {name for name, rows in kept.items() if len(rows) == 1} and 2 == len(kept["addresses"])
    (close_of_hers,) = [row for row in kept["closes"] if row["letters"]]
    assert ["<secret-id@anna.test>"] == [one["message_id"] for one in close_of_hers["letters"]]
    assert ["NORTH"] * len(kept["closes"]) == [row["seat"] for row in kept["closes"]]
    assert not any(personal_data(store, "nobody@test").values())


def test_what_the_next_holder_sent_is_not_told_of_the_one_before(store: Engine, toy: Any) -> None:
    """The first Close after her time may hold letters of both."""
    played_by_anna(store)
    bert = enrol(store, "bert@test", "Bert", "en", "UTC", NOW)
    give_seat(store, NAME, "NORTH", bert, NOW + DAY)
    raw = b"From: bert@test\r\n\r\nREADY\r\n"
    letter = store_letter(store, Sighting("INBOX", 1, 2), raw, NOW + DAY, NOW + DAY).id
    settle_letter(store, letter, "applied", "", NOW + DAY, Belongs(NAME, "NORTH", bert, "bert@test"))
    store_mark(store, NAME, "NORTH", letter, SentMark("<of-bert@test>"), NOW + DAY)
    assert load_campaign(store, NAME).freeze(read_orders(store, NAME), "all-in", NOW + 2 * DAY) is not None
    assert "of-bert" in str(personal_data(store, "bert@test")["closes"])
    assert "of-bert" not in str(personal_data(store, "anna@example.org")["closes"])
    assert "secret-id" not in str(personal_data(store, "bert@test")["closes"])


def test_a_forgotten_person_is_nowhere_and_every_roll_still_verifies(store: Engine, toy: Any) -> None:
    played_by_anna(store)
    assert {"closes.body", "marks.message_id"} <= set(words_in(store, "anna"))
    lines, before = read_journal(store, NAME), list(read_records(store, NAME))
    forgotten = forget(store, "anna@example.org", NOW + DAY)
    vacuum(store)
    assert (((NAME, "NORTH"),), 2) == (forgotten.vacant, forgotten.letters)
    assert [] == words_in(store, "anna")
    assert lines == read_journal(store, NAME)
    ledger = Ledger(lines[0].raw, keys_of(store, NAME).dice)
    for old, new in zip(before, read_records(store, NAME), strict=True):
        assert (old.head, old.public, old.close.transcript) == (new.head, new.public, new.close.transcript)
        assert ledger.close(new.close.entries).transcript == new.close.transcript  # entries hash as before
        ledger.records.append(new)
    assert not [one for one in claim_outgoing(store, "one", NOW, limit=99) if one.letter.kind == "notice"]
    assert Forgotten((), 0) == forget(store, "anna@example.org", NOW)


def test_a_stranger_is_forgotten_too(store: Engine) -> None:
    letter = store_letter(store, Sighting("INBOX", 1, 1), b"From: otto@example.org", NOW, NOW).id
    settle_letter(store, letter, "refused", "stranger", NOW, Belongs(sender="Otto@example.org"))
    put_in_outbox(
        store,
        [
            OutgoingMail(
                message_id="<1@test>",
                kind="notice",
                sender="umpire@test",
                recipient="otto@example.org",
                body=b"Dear Otto",
            )
        ],
        NOW,
    )
    use_allowance(store, "otto@example.org", "help", 1, DAY, NOW)
    assert [1, 1, 1] == [
        len(personal_data(store, "otto@example.org")[name]) for name in ("inbox", "outbox", "allowances")
    ]
    assert 2 == forget(store, "otto@example.org", NOW).letters
    assert [] == words_in(store, "otto")


def test_somebody_is_forgotten_between_close_and_commit(store: Engine, toy: Any) -> None:
    played_by_anna(store)
    answer_all(store)
    first = close(store)
    forget(store, "anna@example.org", NOW + DAY)
    frozen = frozen_close(store, NAME)
    assert first is not None and frozen is not None and first.close.transcript == frozen.close.transcript
    assert advance(store)
