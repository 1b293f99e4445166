"""Umpires' letters, from the mailbag to the notices: proof first, then the same acts as at the terminal."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path

import pytest

from engine.kernel.requests import Ask, Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.order_file import UMPIRES_LINES
from pbem.campaigns.umpire.acts import CannotDo, Umpire
from pbem.campaigns.umpire.branches import show_what_if
from pbem.campaigns.umpire.seats import answer_for
from pbem.intake.receive import receive_letter
from pbem.store.campaigns import acts, campaign_row
from pbem.store.journal import read_journal, read_records
from pbem.store.outbox import Posted, letters_to
from pbem.store.people import give_seat, person_at, seated
from pbem.store.windows import open_window, read_orders
from tests.campaigns_at_hand import UMPIRE, AtHand, campaign_at_hand, found_campaign, mail
from tests.narrowing import not_none


@pytest.fixture
def at(tmp_path: Path, without_maps: None) -> AtHand:
    return campaign_at_hand(tmp_path)


def to_umpire(at: AtHand) -> list[Posted]:
    """The umpire's letters, newest first."""
    return [one for one in letters_to(at.db, at.name) if one.letter.recipient == UMPIRE]


def text_of(one: Posted) -> str:
    message = message_from_bytes(one.letter.body, policy=policy.default)
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def writes(at: AtHand, text: str, in_reply_to: str = "") -> frozenset[str]:
    raw = mail(text, sender=UMPIRE, subject=f"[{at.name}]", date=at.clock(), in_reply_to=in_reply_to)
    return receive_letter(at.service, at.arrives(raw), "test")


def does(at: AtHand, text: str) -> frozenset[str]:
    """Asked, and confirmed in reply to the question that came back."""
    writes(at, text)
    question = to_umpire(at)[0].letter.message_id
    return writes(at, "CONFIRM", in_reply_to=question)


# ------------------------------------------------------------------ proof


def test_nothing_is_done_before_it_is_confirmed(at: AtHand) -> None:
    writes(at, "HOLD because of snow")
    assert campaign_row(at.db, at.name).held is None
    assert "CONFIRM" in text_of(to_umpire(at)[0])
    question = to_umpire(at)[0].letter.message_id
    writes(at, "CONFIRM", in_reply_to=question)
    assert "of snow" == campaign_row(at.db, at.name).held
    assert [("hold", "of snow")] == [(act.act, act.reason) for _, act in acts(at.db, at.name)]
    assert all(at.letters(seat, "notice") for seat in at.seats)
    writes(at, "CONFIRM", in_reply_to=question)
    assert 1 == len(acts(at.db, at.name))


def test_a_players_umpire_verb_is_refused(at: AtHand) -> None:
    receive_letter(at.service, at.arrives(at.reply("WA", "FORCE DICE 6 6 6")), "test")
    assert [] == acts(at.db, at.name)


def test_what_cannot_be_done_is_answered(at: AtHand) -> None:
    does(at, "RELEASE")
    assert "is not suspended" in text_of(to_umpire(at)[0])
    assert [] == acts(at.db, at.name)
    assert not any(at.letters(seat, "notice") for seat in at.seats)


# ------------------------------------------------------------------ which campaign


def writes_about_nothing(at: AtHand, text: str, in_reply_to: str = "") -> None:
    raw = mail(text, sender=UMPIRE, subject="A word", date=at.clock(), in_reply_to=in_reply_to)
    receive_letter(at.service, at.arrives(raw), "test")


@pytest.mark.parametrize("text", ["HOLD FWW-1", "suspends FWW-1", "Hold FWW-1 because of snow"])
def test_an_umpire_of_two_campaigns_names_one_behind_the_verb(at: AtHand, text: str) -> None:
    found_campaign(at.service, "FWW-2")
    writes_about_nothing(at, text)
    assert "CONFIRM" in text_of(to_umpire(at)[0])
    writes_about_nothing(at, "CONFIRM", to_umpire(at)[0].letter.message_id)
    assert campaign_row(at.db, at.name).held is not None
    assert campaign_row(at.db, "FWW-2").held is None


def test_status_of_a_named_campaign(at: AtHand) -> None:
    found_campaign(at.service, "FWW-2")
    writes_about_nothing(at, "STATUS FWW-1")
    assert "Turn 1 (1/1914): deployment" in text_of(to_umpire(at)[0])


def test_a_what_if_of_a_named_campaign(at: AtHand) -> None:
    at.close()
    does(at, "WHATIF FWW-1 T1.D1")
    assert "What would have happened in T1.D1" in text_of(to_umpire(at)[0])


def test_a_letter_about_one_campaign_says_nothing_of_another(at: AtHand) -> None:
    found_campaign(at.service, "FWW-2")
    writes(at, "HOLD FWW-2")
    told = " ".join(text_of(to_umpire(at)[0]).split())
    assert "Your letter is about FWW-1" in told and "a separate letter with FWW-2 in its subject" in told
    assert campaign_row(at.db, at.name).held is None and campaign_row(at.db, "FWW-2").held is None


# ------------------------------------------------------------------ a rollback, from letter to letters


def test_a_rollback_by_letter_ends_with_result_letters_for_all(at: AtHand) -> None:
    does(at, "PROCESS T1 because all have written")
    assert adjudicate(at.service, at.name)
    before = {seat: len(at.letters(seat, "result")) for seat in at.seats}
    window = open_window(at.db, at.name)
    assert window is not None
    assert {at.name} == does(at, "ROLLBACK T1.D1 because a letter was lost")
    assert adjudicate(at.service, at.name)
    here, after = campaign_row(at.db, at.name), open_window(at.db, at.name)
    assert (1, "running") == (here.branch, here.state)
    assert after is not None and after.number == window.number + 1 and "T1.D" == after.key
    assert before != {seat: len(at.letters(seat, "result")) for seat in at.seats}
    marks = [record.marks for record in read_records(at.db, at.name)]
    assert all("TOUCHED" in one for one in marks[1:])


# ------------------------------------------------------------------ answers in a seat's place


def asked(at: AtHand) -> Ask:
    """The open question."""
    here = load_campaign(at.db, at.name)
    assert here.pause is not None
    return here.pause.asks[0][1]


def test_the_umpires_lines_are_done_and_stand_in_no_entry(at: AtHand) -> None:
    ask = asked(at)
    other_seat = next(Seat(seat) for seat in at.seats if seat != ask.seat)
    here = load_campaign(at.db, at.name)
    other = next(one for one in ask.options.describe() if one != ask.default)
    line = here.terms.game.notation.write_answer(ask, other, "en", here.table.view(ask.seat))
    does(at, f"ANSWER FOR {ask.seat}: {line}")
    assert line.split()[0] in text_of(to_umpire(at)[0])
    filed = read_orders(at.db, at.name).seats[ask.seat]
    assert UMPIRES_LINES in filed.replies and filed.sheet is None
    for seat in at.seats:
        assert line not in text_of(at.letters(seat, "notice")[0])
    does(at, "PROCESS")
    adjudicate(at.service, at.name)
    answers = [line.data for line in read_journal(at.db, at.name) if line.data["k"] == "answer"]
    (own,) = [one for one in answers if one["seat"] == ask.seat]
    assert "umpire" == own["by"]
    record = list(read_records(at.db, at.name))[-1]
    assert record.close.entries[ask.seat].answers == record.close.entries[other_seat].answers


@pytest.mark.parametrize("numbered", [False, True])
def test_the_seat_alone_learns_what_the_umpire_ordered_for_it(at: AtHand, numbered: bool) -> None:
    ask, here = asked(at), load_campaign(at.db, at.name)
    place, other = next((n, one) for n, one in enumerate(ask.options.describe(), 1) if one != ask.default)
    line = here.terms.game.notation.write_answer(ask, other, "fr", here.table.view(ask.seat))
    words = set(line.split())
    does(at, f"ANSWER FOR {ask.seat}: {place if numbered else line}")
    receive_letter(at.service, at.arrives(at.reply(str(ask.seat), "STATUS\nLANG fr")), "test")
    assert words <= set(text_of(at.letters(ask.seat)[0]).split()), "STATUS tells it"
    does(at, "PROCESS")
    adjudicate(at.service, at.name)
    told = {seat: text_of(at.letters(seat, "result")[0]) for seat in at.seats}
    assert "L’arbitre a répondu à votre place" in " ".join(told[ask.seat].split())
    assert words <= set(told[ask.seat].split())
    others = [told[seat] for seat in at.seats if seat != ask.seat]
    assert not any("answered in your place" in one or "répondu à votre place" in one for one in others)


def test_numbered_answers_and_what_is_wrong_with_them(at: AtHand) -> None:
    ask = asked(at)
    most = len(ask.options.describe())
    with pytest.raises(CannotDo, match="no question 2"):
        answer_for(Umpire(at.service, at.name), ask.seat, "Q2 1")
    with pytest.raises(CannotDo, match=f"no answer {most + 1}"):
        answer_for(Umpire(at.service, at.name), ask.seat, str(most + 1))
    with pytest.raises(CannotDo, match="cannot order this"):
        answer_for(Umpire(at.service, at.name), ask.seat, "DEPLOY XX1 > 1")
    assert {} == read_orders(at.db, at.name).seats
    assert 1 == len(answer_for(Umpire(at.service, at.name), ask.seat.lower(), "Q1 1"))
    assert 1 == len(read_orders(at.db, at.name).seats[ask.seat].replies)


# ------------------------------------------------------------------ what if


def test_a_what_if_changes_nothing_and_goes_to_the_umpire_alone(at: AtHand) -> None:
    at.close()
    before = campaign_row(at.db, at.name)
    state = load_campaign(at.db, at.name).table.state
    game = load_campaign(at.db, at.name).terms.game
    does(at, "WHATIF T1.D1")
    answer = text_of(to_umpire(at)[0])
    assert "What would have happened in T1.D1" in " ".join(answer.split()) and "deploy" in answer
    after = campaign_row(at.db, at.name)
    assert (before.branch, before.t, before.length + 1) == (after.branch, after.t, after.length)
    assert game.dump(state) == game.dump(load_campaign(at.db, at.name).table.state)
    for seat in at.seats:
        told = text_of(at.letters(seat, "notice")[0])
        assert "front" not in told and "Flanders" not in told and "Flandres" not in told


def test_a_what_if_with_other_orders(at: AtHand) -> None:
    ask = asked(at)
    here = load_campaign(at.db, at.name)
    answers = list(ask.options.describe())
    write, view = here.terms.game.notation.write_answer, here.table.view(ask.seat)
    at.close()
    as_it_was = show_what_if(Umpire(at.service, at.name), ask.at)
    line = write(ask, next(one for one in answers if one != ask.default), "en", view)
    otherwise = show_what_if(Umpire(at.service, at.name), f"{ask.at} {ask.seat}: {line}")
    assert as_it_was.would and otherwise.would and as_it_was.would != otherwise.would
    assert not as_it_was.new and otherwise.new
    with pytest.raises(CannotDo, match="WHATIF"):
        show_what_if(Umpire(at.service, at.name), " ")
    with pytest.raises(CannotDo, match="journal has no"):
        show_what_if(Umpire(at.service, at.name), "T7.R9 WA: PASS")


def test_an_umpire_who_plays_gets_no_what_if_and_answers_for_nobody(at: AtHand) -> None:
    umpire = person_at(at.db, UMPIRE)
    assert umpire is not None
    give_seat(at.db, at.name, "WA", umpire.id, at.clock())
    with pytest.raises(CannotDo, match="UNSEAL"):
        show_what_if(Umpire(at.service, at.name, person=umpire.id), "T1.D1")
    with pytest.raises(CannotDo, match="UNSEAL"):
        answer_for(Umpire(at.service, at.name, person=umpire.id), "DE", "1")
    assert [] == acts(at.db, at.name)


# ------------------------------------------------------------------ replacement


def test_a_replacement_gets_invitation_and_position_and_the_old_tokens_prove_nothing(at: AtHand) -> None:
    old = at.reply("WA", "READY")
    does(at, "REPLACE WA BY new@example.org because Jeanne is away")
    held = next(one for one in seated(at.db, at.name) if one.seat == "WA")
    assert held.person is not None and "new@example.org" == held.person.registered
    assert 2 == held.holder
    mine = [one for one in letters_to(at.db, at.name, "WA") if one.letter.recipient == "new@example.org"]
    assert ["invitation", "result"] == sorted(one.letter.kind for one in mine)
    assert "anchor" in text_of(next(one for one in mine if one.letter.kind == "invitation"))
    result = next(one for one in mine if one.letter.kind == "result")
    assert "Western Allies" in text_of(result)
    assert result.letter.window == not_none(open_window(at.db, at.name)).number
    farewell = next(one for one in letters_to(at.db, at.name) if one.letter.recipient == at.addresses["WA"])
    assert farewell.letter.seat is None and "Un autre joueur reprend" in text_of(farewell)
    for seat in ("EA", "DE", "GA"):
        told = text_of(at.letters(seat, "notice")[0])
        assert "new@" not in told and at.addresses["WA"] not in told
    receive_letter(at.service, at.arrives(old), "test")
    stance = read_orders(at.db, at.name).seats.get("WA")
    assert stance is None or stance.stance is None
    does(at, "REPLACE EA BY new@example.org")
    assert "already" in text_of(to_umpire(at)[0])
