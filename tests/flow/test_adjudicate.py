"""Windows close by rule, advances are committed once, and everybody is told what they may know."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from engine.kernel.fairness.dice import H
from engine.kernel.journal import canonical
from pbem import verify_dice
from pbem.campaigns import lobby
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import Bank
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.clock import release
from pbem.context import ServiceContext
from pbem.mail.addresses import SeatAddresses
from pbem.settings import ServiceProfile
from pbem.store import schema
from pbem.store.advance import frozen_close
from pbem.store.campaigns import acts, campaign_row, mark_held, mark_released
from pbem.store.deadlines import begin_outage, timetable
from pbem.store.inbox import mark_read_to
from pbem.store.journal import read_journal
from pbem.store.outbox import OutgoingMail, put_in_outbox
from pbem.store.people import add_absence, give_to_bot, seated
from pbem.store.session import reading, writing
from pbem.store.windows import Stamp, StoredReply, file_reply, file_stance, open_window
from tests.campaigns_at_hand import (
    MAILBOX,
    NAME,
    NOW,
    UMPIRE,
    AtHand,
    Clock,
    campaign_at_hand,
    found_campaign,
)
from tests.flow.hands import (
    all_hand_in,
    flat,
    hand_in,
    passes,
    read,
    terms,
    text,
    to_members,
    window,
)
from tests.narrowing import not_none
from tests.stores import fresh_store

WEEK = {"days": 8, "hours": 12}  # past the deadline at 20:00

pytestmark = pytest.mark.usefixtures("without_maps")


def answers(at: AtHand, first: int) -> list[dict[str, Any]]:
    return [line.data for line in read_journal(at.db, at.name)[first:] if line.data["k"] == "answer"]


# ------------------------------------------------------------------ opening


def in_the_lobby(tmp_path: Path) -> AtHand:
    clock = Clock()
    addresses = SeatAddresses(H("test addresses"), MAILBOX)
    service = ServiceContext(fresh_store(tmp_path), addresses, ServiceProfile(umpires=(UMPIRE,)), clock)
    return AtHand(service, clock, NAME, found_campaign(service))


def test_a_campaign_in_the_lobby_opens_when_it_was_started(tmp_path: Path) -> None:
    at = in_the_lobby(tmp_path)
    assert not adjudicate(at.service, NAME) and not at.letters()
    assert lobby.start_campaign(at.service, NAME)
    assert adjudicate(at.service, NAME)
    assert ("T1.D", "D", ("DE", "EA", "GA", "WA")) == (window(at).key, window(at).kind, window(at).seats)
    kinds = [row.due.kind for row in timetable(at.db, NAME, 1)]
    assert 1 == kinds.count("deadline") == kinds.count("grace") and 8 == kinds.count("reminder")
    assert [("result", 1)] * 4 == [
        (one.letter.kind, one.letter.window) for one in at.letters() if one.letter.seat
    ]
    assert 1 == len(to_members(at, "observer"))
    assert not adjudicate(at.service, NAME)


# ------------------------------------------------------------------ all are in


def test_the_window_closes_when_all_are_in_and_the_next_one_opens(at: AtHand) -> None:
    all_hand_in(at, but=("WA",))
    assert not adjudicate(at.service, NAME)
    assert campaign_row(at.db, NAME).looked == campaign_row(at.db, NAME).revision
    hand_in(at, "WA")
    assert adjudicate(at.service, NAME)
    assert "T1.R" == window(at).key and not adjudicate(at.service, NAME)
    assert all(2 == len(at.letters(seat, "result")) for seat in at.seats)


def test_who_waits_is_waited_for_and_ready_is_enough(at: AtHand) -> None:
    all_hand_in(at, {"DE": "DEPLOY D > 3"}, but=("GA",))
    file_stance(at.db, NAME, 1, "DE", "wait", Stamp(at.clock()))
    file_stance(at.db, NAME, 1, "GA", "ready", Stamp(at.clock()))
    assert not adjudicate(at.service, NAME)
    file_stance(at.db, NAME, 1, "DE", None, Stamp(at.clock()))
    assert adjudicate(at.service, NAME)


def test_an_answer_to_every_open_question_counts_as_orders(at: AtHand) -> None:
    pause = not_none(load_campaign(at.db, NAME).pause)
    (asked, question, ask) = next((ask.seat, q, ask) for q, ask in pause.asks)
    all_hand_in(at, but=(asked,))
    assert not adjudicate(at.service, NAME)
    reply = StoredReply(ask.topic, canonical(ask.default).decode())
    file_reply(at.db, NAME, 1, asked, question, reply, Stamp(NOW))
    assert adjudicate(at.service, NAME)
    assert "reply" in {one["by"] for one in answers(at, 0)}
    told = text(at.letters(asked, "result")[0])
    assert (
        load_campaign(at.db, NAME).terms.game.notation.write_answer(ask, ask.default, "fr").split()[0] in told
    )


def test_a_sheet_that_is_held_waits_for_its_correction_until_the_deadline(at: AtHand) -> None:
    all_hand_in(at, but=("WA",))
    hand_in(at, "WA", "DEPLOY FR5 > 1", held=True)
    assert not adjudicate(at.service, NAME)
    assert passes(at, **WEEK)
    assert "no correction came in time" not in flat(at.letters("EA", "result")[0])
    told = flat(at.letters("WA", "result")[0])
    assert "aucune correction n’est arrivée à temps" in told and "DEPLOIE FR5 > 1" in told
    assert 0 == {one.seat: one.missed for one in seated(at.db, NAME)}["WA"]


def test_where_sheets_count_whole_a_held_one_does_not(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, policy=replace(terms(), whole_sheets=True))
    all_hand_in(at, but=("EA",))
    hand_in(at, "EA", "DEPLOY 2D > 7", held=True)
    assert passes(at, **WEEK)
    told = flat(at.letters("EA", "result")[0])
    assert "none of them were carried out" in told and "DEPLOY" not in told.partition("THE BOARD")[0]


def test_a_seat_given_to_a_bot_in_mid_window_is_not_waited_for(at: AtHand) -> None:
    all_hand_in(at, but=("EA",))
    assert not adjudicate(at.service, NAME)
    give_to_bot(at.db, NAME, "EA", "sensible")
    assert adjudicate(at.service, NAME) and "T1.R" == window(at).key
    assert 1 == len(at.letters("EA", "result"))  # the one of the opening


def test_a_window_that_only_bots_are_left_in_moves_on_to_the_end(at: AtHand) -> None:
    for seat in at.seats:
        give_to_bot(at.db, NAME, seat, "random")
    assert adjudicate(at.service, NAME)
    assert "over" == campaign_row(at.db, NAME).state and open_window(at.db, NAME) is None


# ------------------------------------------------------------------ deadlines


def test_a_deadline_is_executed_when_the_inbox_was_read_after_it(at: AtHand) -> None:
    at.clock.passes(**WEEK)
    assert not adjudicate(at.service, NAME)
    mark_read_to(at.db, "INBOX", 1, at.clock())
    assert adjudicate(at.service, NAME) and "T1.R" == window(at).key


def test_during_the_grace_the_late_are_waited_for(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, policy=terms(grace=24))
    all_hand_in(at, {"WA": "DEPLOY D > 3"}, but=("DE",))
    file_stance(at.db, NAME, 1, "WA", "wait", Stamp(at.clock()))
    assert not passes(at, days=7, hours=12)
    hand_in(at, "DE")
    assert adjudicate(at.service, NAME)  # after the deadline a WAIT holds nobody up


def test_an_outage_that_is_not_answered_stops_deadlines_but_not_those_who_are_in(at: AtHand) -> None:
    begin_outage(at.db, "mail", NOW + timedelta(days=5))
    assert not passes(at, **WEEK)
    all_hand_in(at)
    assert adjudicate(at.service, NAME)


def test_a_held_campaign_stands_still(at: AtHand) -> None:
    all_hand_in(at)
    mark_held(at.db, NAME, "a dispute")
    assert not adjudicate(at.service, NAME) and not passes(at, **WEEK)
    mark_released(at.db, NAME)
    assert adjudicate(at.service, NAME)


# ------------------------------------------------------------------ missing orders


def test_missing_orders_are_told_to_the_seat_alone_and_counted(at: AtHand) -> None:
    all_hand_in(at, but=("EA",))
    assert passes(at, **WEEK)
    assert {"WA": 0, "EA": 1, "DE": 0, "GA": 0} == {one.seat: one.missed for one in seated(at.db, NAME)}
    assert "You sent no orders before the deadline" in flat(at.letters("EA", "result")[0])
    for seat in ("WA", "DE", "GA"):
        told = flat(at.letters(seat, "result")[0])
        assert "You sent no orders" not in told and "Vous n’avez pas envoyé d’ordres" not in told
    all_hand_in(at)
    assert adjudicate(at.service, NAME)
    assert 0 == {one.seat: one.missed for one in seated(at.db, NAME)}["EA"]


def test_an_automa_plays_one_window_and_no_more(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, policy=terms("automa"))
    all_hand_in(at)
    assert adjudicate(at.service, NAME) and "T1.R" == window(at).key
    first = campaign_row(at.db, NAME).length
    all_hand_in(at, but=("DE",))
    assert passes(at, **WEEK)
    played = [one for one in answers(at, first) if one["seat"] == "DE" and one["topic"] == "round.action"]
    assert ["automa"] * 4 == [one["by"] for one in played]
    assert any(one["answer"]["kind"] != "pass" for one in played)
    assert None is {one.seat: one.bot for one in seated(at.db, NAME)}["DE"]
    assert "DE" in window(at).seats and "an automa played your seat" in flat(at.letters("DE", "result")[0])


def test_measures_grow_with_the_windows_missed(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, policy=terms("standing", "substitute", "hold"))
    all_hand_in(at, but=("GA",))
    assert passes(at, **WEEK) and not to_members(at, "umpire")
    all_hand_in(at, but=("GA",))
    assert passes(at, **WEEK)
    (called,) = to_members(at, "umpire")
    assert NAME in called.letter.body.decode("ascii", "replace") and "notice" == called.letter.kind
    assert "German Allies" in flat(called)
    before = window(at).number
    all_hand_in(at, but=("GA",))
    assert not passes(at, **WEEK) and before == window(at).number
    assert campaign_row(at.db, NAME).held and frozen_close(at.db, NAME) is None
    assert 2 == len(to_members(at, "umpire")) and not passes(at, hours=1)
    assert "hold" == acts(at.db, NAME)[-1][1].act
    hand_in(at, "GA")
    release(Umpire(at.service, NAME))
    assert adjudicate(at.service, NAME)


# ------------------------------------------------------------------ banks and absences


def test_a_time_bank_pays_for_what_comes_after_the_deadline(tmp_path: Path) -> None:
    bank = Bank(start=86400, increment=600, most=90000)
    at = campaign_at_hand(tmp_path, policy=terms(bank=bank))
    with writing(at.db) as tx:
        tx.execute(update(schema.seats).values(bank=86400))
    all_hand_in(at)
    assert adjudicate(at.service, NAME)  # the first window had been planned by the test itself
    all_hand_in(at, but=("WA", "EA"))
    at.clock.now = NOW.replace(hour=22) + timedelta(days=7)  # two hours after the deadline
    hand_in(at, "WA")
    assert not passes(at, minutes=1)
    assert passes(at, days=1)
    left = {one.seat: one.bank for one in seated(at.db, NAME)}
    assert {"WA": 87000 - 7200 + 600, "EA": 0, "DE": 87600, "GA": 87600} == left


def test_those_who_are_away_are_waited_for(at: AtHand) -> None:
    holder = next(one.person for one in seated(at.db, NAME) if one.seat == "EA")
    assert holder is not None
    first = NOW.date()
    add_absence(at.db, holder.id, first, first + timedelta(days=10))
    all_hand_in(at)
    assert adjudicate(at.service, NAME)
    deadline = next(row.due.at for row in timetable(at.db, NAME, 2) if row.due.kind == "deadline")
    assert deadline > NOW + timedelta(days=16)


# ------------------------------------------------------------------ letters


def test_the_result_says_how_the_orders_were_read(at: AtHand) -> None:
    all_hand_in(at)
    assert adjudicate(at.service, NAME)
    all_hand_in(at, {"EA": "C1: PASS\nC2: MOVE 7: RU1 > 7\nC2: PASS\nDRAW YES"}, but=())
    assert adjudicate(at.service, NAME)
    told = text(at.letters("EA", "result")[0]).partition("WHAT BECAME OF YOUR ORDERS")[2]
    rows = [" ".join(row.split()) for row in told.partition("THE BOARD")[0].splitlines() if row.strip("= ")]
    assert "1 done C1: PASS" in rows and any(row.startswith("2 refused C2: MOVE 7") for row in rows)
    assert "3 done C2: PASS" in rows and "4 standing order DRAW YES" in rows


def test_a_receipt_and_a_reminder_that_wait_are_overtaken_by_the_result(at: AtHand) -> None:
    def note(kind: str, number: int, window: int | None) -> OutgoingMail:
        to: Any = {"sender": "umpire@play.test", "recipient": "wa@test", "body": b"x"}
        about: Any = {"campaign": NAME, "seat": "WA", "number": number, "window": window}
        return OutgoingMail(message_id=f"<{kind}.{number}@play.test>", kind=kind, **to, **about)

    put_in_outbox(at.db, [note("receipt", 1, 1), note("reminder", 1, 1), note("receipt", 2, None)], NOW)
    all_hand_in(at)
    assert adjudicate(at.service, NAME)
    states = {(one.letter.kind, one.letter.number): one.state for one in at.letters("WA")}
    assert "withdrawn" == states["receipt", 1] == states["reminder", 1] and "waiting" == states["receipt", 2]


def test_a_question_of_one_seat_is_no_news_for_the_others(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, tempo="strict")
    (asked,) = window(at).seats
    while "combat" not in window(at).key:  # on to the first question of a battle
        hand_in(at, asked, "C1: ATTACK 1\nC1: ATTACK 2" if "deploy" not in window(at).key else "")
        assert adjudicate(at.service, NAME)
        (asked,) = window(at).seats
    label, _, topic = window(at).key.partition("/")
    for seat in at.seats:
        letter = at.letters(seat, "result")[0]
        shown = text(letter)
        assert topic not in shown and window(at).key not in shown
        blocks = [line for line in shown.splitlines() if line.startswith(("ORDERS FWW-1", "ORDRES FWW-1"))]
        assert [label] * (seat == asked) == [line.split()[-1] for line in blocks]
        subject = str(read(letter)["Subject"])
        assert ("24 Nov" in subject or "24 nov" in subject) == (seat == asked)


def test_the_audit_of_every_letter_follows_the_one_before(at: AtHand) -> None:
    for orders in ({}, {"DE": "C1: ATTACK 2\nC2: ATTACK 1"}, {}):
        all_hand_in(at, orders)
        assert adjudicate(at.service, NAME)
    closes = []
    for posted in reversed(at.letters("DE", "result")[:3]):
        (audit,) = [part for part in read(posted).walk() if part.get_filename() == "audit.json"]
        closes.append(json.loads(audit.get_content()))
    heads = [[json.loads(close["T"])["t"] for close in one["closes"]] for one in closes]
    assert [[2], [3], [4]] == heads
    assert all("k DE" in close and "k WA" not in close for one in closes for close in one["closes"])


def test_one_players_letters_verify_to_the_end_with_the_checker_alone(tmp_path: Path) -> None:
    at = in_the_lobby(tmp_path)
    lobby.start_campaign(at.service, NAME)
    for seat in ("WA", "DE", "GA"):
        give_to_bot(at.db, NAME, seat, "sensible")
    assert adjudicate(at.service, NAME)
    while campaign_row(at.db, NAME).state != "over":
        hand_in(at, "EA", "DRAW YES\nREPLACE RU1")
        file_stance(at.db, NAME, window(at).number, "EA", "ready", Stamp(at.clock()))
        at.clock.passes(hours=1)
        assert adjudicate(at.service, NAME)
    letters = at.letters("EA")
    final = next(one for one in reversed(letters) if one.letter.kind == "final")
    names = {part.get_filename() for part in read(final).walk()}
    assert {"audit.json", "audit-1.json", "dice.csv"} <= names
    folder = tmp_path / "mails"
    folder.mkdir()
    for number, posted in enumerate(reversed(letters)):
        (folder / f"{number:03}.eml").write_bytes(posted.letter.body)
    words = [sys.executable, verify_dice.__file__, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    missing = [line for line in done.stdout.splitlines() if line.startswith("MISSING ")]
    assert 3 == done.returncode and "caught: 0" in done.stdout, done.stdout + done.stderr
    laid = (
        "receipt or copy of a letter",
        "the invitation",
    )  # orders were laid on file here
    assert missing and all(any(one in line for one in laid) for line in missing), missing


SECRETS = ("Head:", "Tête :")  # what holds a hash of everybody's lines


def test_what_others_keep_hidden_leaves_a_letter_as_it_is(tmp_path: Path) -> None:
    """Germany deploys other armies to the same fronts, and has other standing orders."""
    worlds = []
    for name, one, other in (("one", "DE1", "DE3"), ("two", "DE3", "DE1")):
        (tmp_path / name).mkdir()
        at = campaign_at_hand(tmp_path / name)
        german = f"DEPLOY {one} > 1, {other} > 3\nDEFEND ALL: TILE NONE LEAD {one}"
        all_hand_in(at, {"DE": german})
        assert adjudicate(at.service, NAME)
        worlds.append({seat: at.letters(seat, "result")[0] for seat in at.seats})
    for seat in ("WA", "EA", "GA"):
        here, there = (text(world[seat]).splitlines() for world in worlds)
        assert len(here) == len(there)
        differing = [line for line, same in zip(here, there, strict=True) if line != same]
        assert all(line.strip(" -").startswith(SECRETS) for line in differing), differing
        headers = [[(k, v) for k, v in read(world[seat]).items() if k != "Content-Type"] for world in worlds]
        assert headers[0] == headers[1]
    assert text(worlds[0]["DE"]) != text(worlds[1]["DE"])


# ------------------------------------------------------------------ once, and the same


# ------------------------------------------------------------------ a crash in the rules


def test_what_was_handed_in_names_the_measures(at: AtHand) -> None:
    all_hand_in(at, but=("EA",))
    at.clock.passes(**WEEK)
    mark_read_to(at.db, "INBOX", 1, at.clock())
    assert adjudicate(at.service, NAME)
    with reading(at.db) as tx:
        handed = tx.execute(select(schema.closes.c.handed).order_by(schema.closes.c.t)).scalars().all()
    assert {"EA": "standing"} == json.loads(handed[-1])["missing"]
