"""What the service answers, letter by letter: blocks read back, STATUS, LANG, CONFIRM, forced dice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.lobby import open_campaign
from pbem.campaigns.recipients import phrases_for, seat_recipient
from pbem.campaigns.results import add_form, open_asks
from pbem.campaigns.umpire.acts import CannotDo, Umpire, force_dice, unseal
from pbem.campaigns.umpire.branches import show_what_if
from pbem.campaigns.umpire.seats import replace_holder
from pbem.intake.receive import receive_letter
from pbem.letters.render import WIDTH
from pbem.letters.result import Result, result_text
from pbem.store.outbox import posted
from pbem.store.people import give_to_bot, person_at, seated
from pbem.store.schema_mail import outbox
from pbem.store.session import reading
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import AtHand, campaign_at_hand, mail
from tests.flow.hands import flat, text


@pytest.fixture
def at(tmp_path: Path, without_maps: None) -> AtHand:
    return campaign_at_hand(tmp_path)


def writes(at: AtHand, seat: str, words: str, **told: Any) -> None:
    receive_letter(at.service, at.arrives(at.reply(seat, words, **told)), "test")


def newest(at: AtHand, seat: str) -> str:
    return flat(at.letters(seat)[0])


# ------------------------------------------------------------------ the block


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_block_that_is_sent_back_is_read_as_it_was_meant(
    tmp_path: Path, without_maps: None, language: Any
) -> None:
    """Lines too long for a letter go on below, and the reader of letters puts them together again."""
    at = campaign_at_hand(tmp_path, players=2)
    taken = load_campaign(at.db, at.name)
    mine = next(one for one in seated(at.db, at.name) if one.seat == "ALLIES")
    reader = seat_recipient(at.name, mine)
    assert reader is not None
    phrases = phrases_for(taken.terms, replace(reader, language=language))
    asks = open_asks(taken, Seat("ALLIES"))
    result = Result(campaign=at.name, view=taken.table.view(Seat("ALLIES")), asks=asks, window="T1.D")
    letter = result_text(taken.terms.game, add_form(taken.terms.game, result, phrases), phrases)
    head, end = phrases.say("letters", "orders"), phrases.say("letters", "orders_end")
    block = letter.partition(f"\n{head} FWW-1")[2].partition(f"\n{end}\n")[0]
    assert max(map(len, letter.splitlines())) <= WIDTH and ",\n  " in block
    writes(at, "ALLIES", f"{head} FWW-1{block}\n{end}\n")
    sheet = read_orders(at.db, at.name).seats["ALLIES"].sheet
    assert sheet is not None and not sheet.held
    orders = taken.read(Seat("ALLIES"), sheet.orders).orders
    assert [line.write().split()[:2] for line in orders] == [["WA", "DEPLOY"], ["EA", "DEPLOY"]]
    assert "11" in sheet.orders.splitlines()[-1]  # the last of the fronts


# ------------------------------------------------------------------ STATUS


def test_status_tells_what_the_same_letter_left_on_file(at: AtHand) -> None:
    writes(at, "EA", "STATUS\n\nORDERS FWW-1 T1.D\nDEPLOY RU1 > 7\nEND\n")
    told = newest(at, "EA")
    assert "You have nothing on file" not in told
    assert told.count("DEPLOY RU1 > 7") >= 2  # as it was read, and as it lies there


def test_status_names_only_those_who_are_really_awaited(at: AtHand) -> None:
    give_to_bot(at.db, at.name, "DE", "random")
    writes(at, "EA", "STATUS")
    waits = newest(at, "EA").partition("are due")[2].partition(".")[0]
    assert "the Western Allies" in waits and "Germany" not in waits


# ------------------------------------------------------------------ LANG, CONFIRM


def test_a_change_of_language_is_answered_in_the_new_one(at: AtHand) -> None:
    writes(at, "EA", "LANG fr\nSTATUS\n")
    told = newest(at, "EA")
    assert "Répondez simplement à cette lettre" in told
    assert "Just reply" not in told and "are due" not in told


def test_the_receipt_of_a_confirm_tells_when_that_letter_came(at: AtHand) -> None:
    """Its Message-ID is told for the dice, and a moment that belongs to another letter would mislead."""
    writes(at, "EA", "ORDERS FWW-1 T1.D\nDEPLOY RU1 > 7\nDEPLOY RU1 > 99\nEND\n")
    question = at.letters("EA", "question")[0]
    at.clock.passes(hours=2)
    writes(at, "EA", "CONFIRM", to=question, message_id="<yes@ea.test>")
    told = newest(at, "EA")
    assert "<yes@ea.test>" in told and "12:00 CET" in told.partition("reached the mail server")[2][:60]


# ------------------------------------------------------------------ umpires


def test_a_face_that_no_die_has_is_refused_and_nobody_is_told(at: AtHand) -> None:
    adjudicate(at.service, at.name)
    with pytest.raises(CannotDo, match="1 to 6"):
        force_dice(Umpire(at.service, at.name), [3, 9])
    assert not at.letters("EA", "notice")
    force_dice(Umpire(at.service, at.name), [3, 5])
    assert "3, S" in flat(at.letters("EA", "notice")[0])


def test_unsealing_says_only_of_an_umpire_who_plays_that_he_does(at: AtHand) -> None:
    unseal(Umpire(at.service, at.name))
    assert "who is also a player" not in flat(at.letters("EA", "notice")[0])


def test_who_is_replaced_is_not_asked_to_reply_and_the_newcomer_has_a_name(at: AtHand) -> None:
    replace_holder(Umpire(at.service, at.name), "EA", "ivan.orlov-2@post.test")
    newcomer = person_at(at.db, "ivan.orlov-2@post.test")
    assert newcomer is not None and newcomer.name == "Ivan Orlov"
    before = person_at(at.db, "erik@ea.test")
    assert before is not None
    thanks = [one for one in at.letters(None, "notice") if one.letter.recipient == "erik@ea.test"]
    assert thanks and "Just reply" not in text(thanks[0])


def test_whatif_names_the_seats_if_one_is_unknown(at: AtHand) -> None:
    with pytest.raises(CannotDo, match="WA, EA, DE, GA"):
        show_what_if(Umpire(at.service, at.name), "FR: PASS")
    assert show_what_if(Umpire(at.service, at.name), "WA: PASS").segment == ""  # as HELP UMPIRE has it


# ------------------------------------------------------------------ strangers


def test_a_sign_up_is_asked_about_in_the_strangers_own_words(at: AtHand) -> None:
    open_campaign(at.service, "FWW-2", "fww", players=4)
    raw = mail("INSCRIPTION FWW-2 Allemagne", sender="nina@post.test", date=at.clock())
    receive_letter(at.service, at.arrives(raw), "test")
    with reading(at.db) as tx:
        chosen = select(outbox.c.message_id).where(outbox.c.recipient == "nina@post.test")
        (name,) = tx.execute(chosen).scalars()
    question = posted(at.db, name)
    assert question is not None
    told = flat(question)
    assert "La Première Guerre mondiale" in told and "camp préféré : Allemagne" in told
