"""STATUS, POSSIBLE, MAP, HAND, SHOW STANDING, HISTORY, RULE, ODDS, VERIFY, LUCK, LIST."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.kernel.journal import canonical
from pbem.campaigns.advance_report import EVERYONE
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.recipients import OutgoingLetter, letter_to
from pbem.letters.memo import Illustration
from pbem.letters.render import LetterBody
from pbem.mail.message import TextLine
from pbem.orders.own_text import tell_apart
from pbem.store.campaigns import campaign_row, mark_held
from pbem.store.outbox import put_in_outbox
from pbem.store.people import enrol, give_seat, give_to_bot
from pbem.store.standing_orders import file_standing_orders
from pbem.store.windows import (
    Stamp,
    StoredReply,
    StoredSheet,
    file_reply,
    file_sheet,
    open_window,
    read_orders,
)
from pbem.verify_dice import verify
from tests.campaigns_at_hand import OBSERVER, UMPIRE, AtHand, found_campaign
from tests.orders import commands as c
from tests.verbs.contexts import context, do, of_person, of_stranger, on

# ------------------------------------------------------------------ STATUS


def test_status_tells_turn_deadline_and_whom_it_waits_for(at: AtHand) -> None:
    told = do(context(at, "DE"), c.Status())
    assert "Turn 1 (1/1914): deployment" in told.text
    assert "turn 1 (deployment)" in told.text and "Western Allies" in told.text
    assert "24 November 2026, 21:00 CET" in told.text  # 20:00 UTC, in Berlin
    assert "You have nothing on file" in told.text


def test_status_promises_no_defaults_while_the_turn_is_played(at: AtHand) -> None:
    here = load_campaign(at.db, at.name)
    assert here.freeze(read_orders(at.db, at.name), "deadline", at.clock()) is not None
    told = do(context(at, "DE"), c.Status())
    assert "The turn is closed and is being played right now" in told.text
    assert "You have nothing on file." in told.text and "the defaults apply" not in told.text


def test_help_of_a_named_campaign_is_the_game_s(at: AtHand) -> None:
    assert do(context(at, "DE"), c.Help("FWW-1")).text == do(context(at, "DE"), c.Help("")).text


def test_status_in_french(at: AtHand) -> None:
    told = do(context(at, "WA"), c.Status())
    assert "Tour 1 (1/1914) : déploiement" in told.text
    assert "Vos ordres pour" in told.text and "24 novembre 2026, 21:00 CET" in told.text


def test_status_tells_what_the_seat_has_on_file_in_its_own_language(at: AtHand) -> None:
    window = open_window(at.db, at.name)
    assert window is not None
    file_sheet(at.db, at.name, window.number, "WA", StoredSheet("\n\nDEPLOY FR1 > 1"), Stamp(at.clock()))
    file_standing_orders(at.db, at.name, "WA", "DEFEND ALL: LEAD STRONGEST", Stamp(at.clock()))
    told = do(context(at, "WA"), c.Status())
    assert "  3  DEPLOIE FR1 > 1" in told.text.replace("DÉPLOIE", "DEPLOIE")
    assert "Consignes enregistrées : 1" in told.text


def test_status_shows_a_reply_and_says_when_it_was_the_umpires(at: AtHand) -> None:
    here, window = load_campaign(at.db, at.name), open_window(at.db, at.name)
    assert window is not None
    seat, asks = next(iter(here.open_asks().items()))
    question, ask = asks[0]
    reply = StoredReply(ask.topic, canonical(ask.default).decode(), True)
    file_reply(at.db, at.name, window.number, seat, question, reply, Stamp(at.clock()))
    told = do(context(at, seat, "en"), c.Status())
    assert "The umpire answered in your place" in told.text


def test_status_of_a_campaign_that_is_held_names_no_deadline(at: AtHand) -> None:
    mark_held(at.db, at.name, "RulesCrash: FR9 stands on front 3")
    told = do(context(at, "EA"), c.Status())
    assert "has suspended the campaign" in told.text
    assert "deadline is" not in told.text and "FR9" not in told.text


def test_status_in_the_lobby_names_free_seats(at: AtHand) -> None:
    found_campaign(at.service, "FWW-2")
    give_seat(at.db, "FWW-2", "EA", None, at.clock())
    heard = context(at, "WA", "en", campaign_row=campaign_row(at.db, "FWW-2"))
    assert "Still free: Eastern Allies" in do(heard, c.Status()).text


def test_an_observer_learns_nothing_of_what_is_on_file(at: AtHand) -> None:
    window = open_window(at.db, at.name)
    assert window is not None
    before = do(of_person(at, OBSERVER, "observer"), c.Status()).text
    file_sheet(at.db, at.name, window.number, "WA", StoredSheet("DEPLOY FR1 > 1"), Stamp(at.clock()))
    assert do(of_person(at, OBSERVER, "observer"), c.Status()).text == before
    assert "is waiting for" in before and "on file" not in before


def test_without_a_campaign_the_writer_is_asked_which(at: AtHand) -> None:
    told = do(context(at, "EA", campaign_row=None), c.Status())
    assert told.codes == ["which-campaign"] and "FWW-1" in told.text


# ------------------------------------------------------------------ POSSIBLE


def test_what_may_be_ordered_now_is_listed_as_the_seat_sees_it(at: AtHand) -> None:
    on(at)
    told = do(context(at, "DE"), c.Possible())
    assert "# C1: ATTACK 8 WITH DE-AA DE1 DE2" in told.text and "# C1: TRANSFER" in told.text
    assert "FR1" not in told.text
    french = do(context(at, "WA"), c.Possible()).text  # its round comes after that of Germany
    assert "# C1: ATTAQUE" in french and "FR1" in french and "DE1" not in french


def test_who_is_asked_nothing_may_order_nothing(at: AtHand) -> None:
    on(at)
    assert do(of_person(at, OBSERVER, "observer"), c.Possible()).codes == ["no-seat-here"]


# ------------------------------------------------------------------ MAP, HAND


def test_the_map_is_a_picture_and_words_of_the_readers_view(at: AtHand) -> None:
    on(at)
    parts = do(context(at, "WA"), c.Map()).parts
    (shown,) = (part for part in parts if isinstance(part, Illustration))
    assert shown.picture.png.startswith(b"\x89PNG")
    assert any("FR1" in row for row in shown.words)


def test_an_observers_map_shows_what_everyone_may_know(at: AtHand) -> None:
    on(at)
    here = load_campaign(at.db, at.name)
    public = here.table.view(EVERYONE)
    assert not any(public.known.values()) and not public.hands and not public.new
    army = next(one for there in here.table.state.fronts.values() for one in there)
    for heard in (of_person(at, OBSERVER, "observer"), of_person(at, UMPIRE, "umpire")):
        told = do(heard, c.Map())
        assert army not in told.text and "as everyone sees it" in told.text


def test_the_hand_is_the_seats_own(at: AtHand) -> None:
    on(at)
    mine, yours = do(context(at, "DE"), c.Hand()).text, do(context(at, "EA"), c.Hand()).text
    assert "Poland" in mine and "DE1" in mine and "RU1" not in mine
    assert "RU1" in yours and "DE1" not in yours
    assert "Tuiles" in do(context(at, "WA"), c.Hand()).text


def test_an_observer_has_no_hand(at: AtHand) -> None:
    assert do(of_person(at, OBSERVER, "observer"), c.Hand()).codes == ["no-seat-here"]


# ------------------------------------------------------------------ SHOW STANDING


def test_standing_orders_as_they_are_on_file_in_the_readers_language(at: AtHand) -> None:
    assert do(context(at, "WA"), c.ShowStanding()).codes == ["standing-none"]
    file_standing_orders(at.db, at.name, "WA", "DEFEND ALL: LEAD STRONGEST", Stamp(at.clock()))
    file_standing_orders(at.db, at.name, "DE", "DEFEND 3: TILE NONE", Stamp(at.clock()))
    french, english = (do(context(at, "WA", lang), c.ShowStanding()).text for lang in ("fr", "en"))
    assert "DEFEND ALL: LEAD STRONGEST" in english and "NONE" not in english
    assert "STRONGEST" not in french and "consignes" in french


# ------------------------------------------------------------------ HISTORY


def test_history_lists_the_seats_own_letters(at: AtHand) -> None:
    at.close()
    told = do(context(at, "EA"), c.History())
    assert told.text.count("[FWW-1]") == len(at.letters("EA")) == 2
    assert "HISTORY T1" in told.text


def test_history_of_a_turn_repeats_the_letters_and_none_of_their_frames(at: AtHand) -> None:
    told = do(context(at, "EA"), c.History("T1"))
    assert "| EASTERN" in told.text.upper() or "| FWW-1 ·" in told.text
    inside = told.text.splitlines()[1:-1]
    assert not [row for row in inside if "##-" in row]
    assert "0| ORDERS FWW-1 T1.D" in told.text


def test_an_answer_to_history_is_not_repeated_by_the_next(at: AtHand) -> None:
    reader = context(at, "EA").recipient
    written = LetterBody("[FWW-1]", "an old answer\n", "<p>an old answer</p>", ())
    answer = letter_to(
        at.service, at.db, reader, OutgoingLetter(kind="answer", written=written, window=1), at.clock()
    )
    put_in_outbox(at.db, [answer], at.clock())
    assert "an old answer" not in do(context(at, "EA"), c.History("T1")).text
    assert do(context(at, "EA"), c.History()).text.count("[FWW-1]") == 2


def test_the_orders_in_a_letter_repeated_are_no_template(at: AtHand) -> None:
    """A player who answers it without marks of quotation orders nothing."""
    told = do(context(at, "EA"), c.History("T1")).text
    answered = "Thanks!\n" + told
    found = tell_apart([TextLine(row) for row in answered.splitlines()], told)
    assert [row.text for row in found.lines if row.text.strip()] == ["Thanks!"]
    assert not found.blocks


def test_history_of_a_turn_without_letters_says_which_there_are(at: AtHand) -> None:
    told = do(context(at, "EA"), c.History("T5"))
    assert told.codes == ["history-no-turn"] and "T5" in told.text and "T1" in told.text


def test_a_new_holder_reads_the_seats_letters_but_not_the_last_ones_private_ones(at: AtHand) -> None:
    told = do(context(at, "DE"), c.Press(("EA",), "between us"))
    assert told.codes == ["talk-sent"]
    new = enrol(at.db, "nora@new.test", "Nora", "en", "UTC", at.clock())
    give_seat(at.db, at.name, "EA", new, at.clock())
    text = do(context(at, "EA"), c.History("T1")).text
    assert "between us" not in text and "| FWW-1 ·" in text


def test_a_question_about_the_former_holders_words_is_not_his_successors_to_read(at: AtHand) -> None:
    """It repeats a letter that lacked proof, private press and all."""
    at.close()
    reader = context(at, "EA").recipient
    asked = LetterBody("[FWW-1] Did you write this?", "PRESS TO GA: between us, my wife is ill", "", ())
    letter = letter_to(at.service, at.db, reader, OutgoingLetter(kind="question", written=asked), at.clock())
    put_in_outbox(at.db, [letter], at.clock())
    assert "my wife" in do(context(at, "EA"), c.History("T1")).text
    new = enrol(at.db, "newcomer@x.test", "New Comer", "en", "UTC", at.clock())
    give_seat(at.db, at.name, "EA", new, at.clock())
    for asked_for in (c.History("T1"), c.History()):
        text = do(context(at, "EA"), asked_for).text
        assert "my wife" not in text and "Did you write" not in text


def test_an_observers_history_is_his_own(at: AtHand) -> None:
    assert do(of_person(at, OBSERVER, "observer"), c.History()).codes == ["history-none"]


# ------------------------------------------------------------------ HELP


def test_help_has_the_games_own_pages_in_a_campaign_only(at: AtHand) -> None:
    inside, outside = (
        do(context(at, "EA"), c.Help("orders")),
        do(of_stranger(at, "x@y.test"), c.Help("orders")),
    )
    assert "DEPLOY" in inside.text and "DEPLOY" not in outside.text
    assert do(context(at, "WA"), c.Help()).text != do(context(at, "EA"), c.Help()).text


# ------------------------------------------------------------------ RULE


@pytest.mark.parametrize(("asked", "said"), [("6.1-4", "FWW-6.1-4: "), ("fww-6.1-4", "FWW-6.1-4: ")])
def test_a_rule_by_its_id(at: AtHand, asked: str, said: str) -> None:
    assert said in do(context(at, "EA"), c.ShowRule(asked)).text


def test_a_ruling_is_told_with_its_reason_in_both_languages(at: AtHand) -> None:
    assert "Reason: " in do(context(at, "EA"), c.ShowRule("6.1-7")).text
    assert "Motif : " in do(context(at, "WA"), c.ShowRule("6.1-7")).text


def test_a_section_is_told_whole_or_its_parts_are_named(at: AtHand) -> None:
    assert do(context(at, "EA"), c.ShowRule("6.1")).text.count("FWW-6.1-") == 12
    assert "rule-more" in do(context(at, "EA"), c.ShowRule("4")).codes


@pytest.mark.parametrize(("asked", "near"), [("6.1-44", "6.1"), ("6.9.9-3", "6"), ("61-4", "6.1-4")])
def test_an_unknown_rule_is_answered_with_those_near_to_it(at: AtHand, asked: str, near: str) -> None:
    told = do(context(at, "EA"), c.ShowRule(asked))
    assert told.codes == ["rule-unknown"] and f" {near}" in told.text.partition("Did you mean")[2]


# ------------------------------------------------------------------ ODDS


def test_odds_from_the_askers_view(at: AtHand) -> None:
    on(at)
    told = do(context(at, "DE"), c.Odds("ATTACK 8 WITH DE1"))
    assert "Attack on front 8" in told.text and "%" in told.text
    french = do(context(at, "WA"), c.Odds("ATTAQUE 8 AVEC DE1"))
    assert "Pas de probabilités" in french.text


@pytest.mark.parametrize("battle", ["ATTACK 8 WITH FR1", "MOVE DE1 8 > 7", "PASS", "to the moon"])
def test_what_is_no_battle_is_refused_with_a_reason(at: AtHand, battle: str) -> None:
    on(at)
    told = do(context(at, "DE"), c.Odds(battle))
    assert set(told.codes) <= {"odds-refused", "odds-no-battle"} and told.codes
    assert battle in told.text


# ------------------------------------------------------------------ VERIFY


def test_the_seats_export_goes_along_and_verifies(at: AtHand, tmp_path: Path) -> None:
    at.close()
    told = do(context(at, "EA"), c.Verify("T1"))
    (file,) = told.deed.enclosures
    assert file.name == "audit-fww-1.json" and file.name in told.text
    path = tmp_path / file.name
    path.write_bytes(file.content)
    assert verify([str(path)]).code == 0
    fields = {name for close in json.loads(file.content)["closes"] for name in close}
    assert "private EA" in fields and "private WA" not in fields


def test_an_observer_gets_the_public_part(at: AtHand) -> None:
    (file,) = do(of_person(at, OBSERVER, "observer"), c.Verify()).deed.enclosures
    fields = {name for close in json.loads(file.content)["closes"] for name in close}
    assert not [name for name in fields if name.startswith(("private", "k ", "entry"))]


# ------------------------------------------------------------------ LUCK


def test_before_any_battle_there_is_no_luck_to_tell(at: AtHand) -> None:
    told = do(context(at, "EA"), c.TellLuck())
    assert told.codes == ["luck-nothing"] and "FWW-1" in told.text


def test_every_reader_is_told_the_same_of_each_battle(at: AtHand) -> None:
    on(at)
    window = open_window(at.db, at.name)
    assert window is not None
    file_sheet(at.db, at.name, window.number, "EA", StoredSheet("ATTACK 8 WITH RU1"), Stamp(at.clock()))
    at.close()
    told = [do(context(at, seat, "en"), c.TellLuck()).text for seat in ("EA", "DE")]
    told.append(do(of_person(at, OBSERVER, "observer"), c.TellLuck()).text)
    assert told[0] == told[1] == told[2]
    assert "Turn 1, front 8 (Poland): Eastern Allies" in " ".join(told[0].split())
    assert "expected 1.7" in told[0] and "points in attack" in told[0]
    turn = " ".join(do(context(at, "DE", "fr"), c.TellLuck("T1")).text.split())
    assert "attendu 1,7" in turn and "points à l’attaque" in turn
    assert do(context(at, "DE", "en"), c.TellLuck("T5")).codes == ["luck-no-turn"]


# ------------------------------------------------------------------ LIST


def test_anybody_may_have_the_list(at: AtHand) -> None:
    found_campaign(at.service, "FWW-2")
    give_seat(at.db, "FWW-2", "EA", None, at.clock())
    told = do(of_stranger(at, "who@nowhere.test"), c.ListCampaigns()).text
    assert "FWW-1" in told and "FWW-2" in told
    assert "jeanne" not in told.lower() and "@" not in told
    assert "FWW-1" in do(of_stranger(at, "who@nowhere.test", "fr"), c.ListCampaigns()).text


def test_a_seat_of_a_bot_is_not_free(at: AtHand) -> None:
    found_campaign(at.service, "FWW-2")
    give_seat(at.db, "FWW-2", "EA", None, at.clock())
    give_seat(at.db, "FWW-2", "DE", None, at.clock())
    assert "2 seats free" in do(of_stranger(at, "who@nowhere.test"), c.ListCampaigns()).text
    give_to_bot(at.db, "FWW-2", "EA", "sensible")
    assert "1 seat free" in do(of_stranger(at, "who@nowhere.test"), c.ListCampaigns()).text
