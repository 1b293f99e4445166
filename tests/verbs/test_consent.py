"""PROPOSE ROLLBACK, AGREE, ARMISTICE, RESIGN, STOP, WATCH."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.policy import Policy
from pbem.intake.receive import receive_letter
from pbem.store.advance import frozen_close
from pbem.store.campaigns import acts, campaign_row, mark_held
from pbem.store.journal import read_journal
from pbem.store.people import (
    add_member,
    enrol,
    give_seat,
    give_to_bot,
    members,
    memberships,
    person_at,
    seated,
)
from pbem.store.proposals import proposals
from pbem.store.schema_mail import outbox
from pbem.store.session import reading
from pbem.store.windows import open_window, read_orders
from tests.campaigns_at_hand import OBSERVER, UMPIRE, AtHand, campaign_at_hand, found_campaign, mail
from tests.flow.hands import flat
from tests.orders import commands as c
from tests.verbs.contexts import context, do, of_person, of_stranger

pytestmark = pytest.mark.usefixtures("without_maps")


def notices(at: AtHand, seat: str) -> int:
    return len(at.letters(seat, "notice"))


def kinds(at: AtHand) -> list[str]:
    return [line.data["k"] for line in read_journal(at.db, at.name)]


# ------------------------------------------------------------------ rollback


def test_a_proposal_is_told_to_all_others_and_to_the_umpire(at: AtHand) -> None:
    told = do(context(at, "EA"), c.ProposeRollback("T1.D1"))
    assert told.codes == ["consent-proposed-rollback"] and "turn 1 (deployment, step 1)" in told.flat
    assert [notices(at, seat) for seat in at.seats] == [1, 0, 1, 1]
    umpires = [one for one in at.letters(None, "notice") if one.letter.recipient == UMPIRE]
    assert len(umpires) == 1


def test_when_all_have_agreed_the_game_goes_back(at: AtHand) -> None:
    at.close()
    window = open_window(at.db, at.name)
    assert window is not None
    do(context(at, "EA"), c.ProposeRollback("t1.d1"))
    assert do(context(at, "WA"), c.Agree()).codes == ["consent-given-rollback"]
    assert do(context(at, "WA"), c.Agree()).codes == ["consent-again-rollback"]
    assert do(context(at, "DE"), c.Agree("T1.D1")).codes == ["consent-given-rollback"]
    assert frozen_close(at.db, at.name) is None
    last = do(context(at, "GA"), c.Agree())
    assert last.codes == ["consent-carried-rollback"] and last.deed.adjudicate == {at.name}
    assert frozen_close(at.db, at.name) is not None
    assert adjudicate(at.service, at.name)
    here, again = campaign_row(at.db, at.name), open_window(at.db, at.name)
    assert here.branch == 1 and again is not None and again.key == "T1.D"
    (told,) = (act for _, act in acts(at.db, at.name) if act.act == "rollback")
    assert told.data["agreed"] == sorted(at.seats)
    assert proposals(at.db, at.name)[0].outcome == "carried"


def test_an_unknown_segment_is_refused_with_those_there_are(at: AtHand) -> None:
    told = do(context(at, "EA"), c.ProposeRollback("T9.R2"))
    assert told.codes == ["consent-no-segment"] and "T1.D1" in told.text
    assert not proposals(at.db, at.name) and not notices(at, "WA")


def test_proposing_the_same_again_is_agreeing(at: AtHand) -> None:
    do(context(at, "EA"), c.ProposeRollback("T1.D1"))
    assert do(context(at, "WA"), c.ProposeRollback("T1.D1")).codes == ["consent-given-rollback"]
    assert len(proposals(at.db, at.name)) == 1


def test_agreeing_to_nothing_and_to_one_of_several(at: AtHand) -> None:
    assert do(context(at, "WA"), c.Agree()).codes == ["consent-none"]
    at.close()
    keys = [line.data["key"] for line in read_journal(at.db, at.name) if line.data["k"] == "seam"]
    for key in keys[:2]:
        do(context(at, "EA"), c.ProposeRollback(key))
    told = do(context(at, "WA"), c.Agree())
    assert told.codes == ["consent-which"] and keys[1] in told.text
    assert do(context(at, "WA"), c.Agree(keys[1])).codes == ["consent-given-rollback"]


def test_a_proposal_lapses_with_its_turn(at: AtHand) -> None:
    do(context(at, "EA"), c.ProposeRollback("T1.D1"))
    while (window := open_window(at.db, at.name)) is not None and window.key.startswith("T1"):
        at.close()
    assert do(context(at, "WA"), c.Agree()).codes == ["consent-none"]


def test_bots_and_empty_seats_are_not_asked(at: AtHand) -> None:
    give_to_bot(at.db, at.name, "DE", "sensible")
    give_seat(at.db, at.name, "GA", None, at.clock())
    do(context(at, "EA"), c.ProposeRollback("T1.D1"))
    assert do(context(at, "WA"), c.Agree()).codes == ["consent-carried-rollback"]


def test_nothing_is_agreed_on_while_the_campaign_is_held(at: AtHand) -> None:
    mark_held(at.db, at.name, "umpire")
    assert do(context(at, "EA"), c.ProposeRollback("T1.D1")).codes == ["consent-held"]


# ------------------------------------------------------------------ armistice


def test_an_armistice_ends_the_game_when_all_have_accepted(at: AtHand) -> None:
    told = do(context(at, "WA"), c.Armistice())
    assert told.codes == ["consent-proposed-armistice"] and told.deed.serious  # it is a yes
    for seat in ("EA", "DE"):
        told = do(context(at, seat), c.Armistice("accept"))
        assert told.codes == ["consent-given-armistice"] and told.deed.serious
    assert campaign_row(at.db, at.name).state == "running"
    assert do(context(at, "GA"), c.Armistice("accept")).codes == ["consent-carried-armistice"]
    assert adjudicate(at.service, at.name)
    here = campaign_row(at.db, at.name)
    assert here.state == "over" and open_window(at.db, at.name) is None
    assert kinds(at)[-2:] == ["close", "end"]
    outcome = load_campaign(at.db, at.name).table.outcome
    assert outcome is not None and (outcome.reason, outcome.winners) == ("armistice", ())
    for seat in at.seats:
        assert len(at.letters(seat, "final")) == 1
    assert "armistice" in do(context(at, "EA"), c.Status()).text
    assert "armistice" in do(context(at, "WA"), c.Status()).text


def test_after_the_end_nothing_is_offered(at: AtHand) -> None:
    do(context(at, "WA"), c.Armistice("offer"))
    for seat in ("EA", "DE", "GA"):
        do(context(at, seat), c.Armistice("accept"))
    adjudicate(at.service, at.name)
    assert do(context(at, "EA"), c.Armistice()).codes == ["is-over"]
    assert do(context(at, "EA"), c.Ready()).codes == ["is-over"]
    assert do(context(at, "EA"), c.Resign()).codes == ["is-over"]


def test_one_refusal_is_enough(at: AtHand) -> None:
    do(context(at, "WA"), c.Armistice())
    do(context(at, "EA"), c.Armistice("accept"))
    told = do(context(at, "DE"), c.Armistice("refuse"))
    assert told.codes == ["consent-refused"] and not told.deed.serious
    assert notices(at, "WA") == 2 and notices(at, "GA") == 3
    assert do(context(at, "GA"), c.Armistice("accept")).codes == ["consent-no-armistice"]
    assert campaign_row(at.db, at.name).state == "running" and frozen_close(at.db, at.name) is None


def test_an_offer_can_be_taken_back_and_a_second_one_is_pointed_to_the_first(at: AtHand) -> None:
    do(context(at, "WA"), c.Armistice())
    assert do(context(at, "EA"), c.Armistice()).codes == ["consent-offer-there"]
    assert do(context(at, "WA"), c.Armistice()).codes == ["consent-again-armistice"]
    assert do(context(at, "EA"), c.Agree()).codes == ["consent-armistice-open"]
    assert do(context(at, "WA"), c.Armistice("refuse")).codes == ["consent-withdrawn"]


def test_an_offer_that_nobody_else_has_to_accept_is_as_serious(at: AtHand) -> None:
    for seat in ("EA", "DE", "GA"):
        give_to_bot(at.db, at.name, seat, "sensible")
    told = do(context(at, "WA"), c.Armistice())
    assert told.deed.serious and told.codes == ["consent-carried-armistice"]


def test_a_letter_that_comes_while_a_close_is_frozen_carries_nothing(at: AtHand) -> None:
    do(context(at, "WA"), c.Armistice())
    for seat in ("EA", "DE"):
        do(context(at, seat), c.Armistice("accept"))
    here = load_campaign(at.db, at.name)
    assert here.freeze(read_orders(at.db, at.name), "deadline", at.clock()) is not None
    assert do(context(at, "GA"), c.Armistice("accept")).codes == ["just-closed"]


# ------------------------------------------------------------------ RESIGN


def test_resigning_leaves_the_seat_empty_and_everybody_is_told(at: AtHand) -> None:
    told = do(context(at, "EA"), c.Resign())
    assert told.deed.serious and told.codes == ["left-seat"]
    one = next(one for one in seated(at.db, at.name) if one.seat == "EA")
    assert one.person is None and one.bot is None and one.holder == 2
    assert [notices(at, seat) for seat in ("WA", "DE", "GA")] == [1, 1, 1]
    for seat in ("WA", "DE", "GA"):
        assert "erik" not in at.letters(seat, "notice")[0].letter.body.decode().lower()
    assert [one for one in at.letters(None, "notice") if one.letter.recipient == UMPIRE]


def test_a_campaign_may_have_agreed_on_a_bot(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, policy=Policy(resigned="automa"))
    do(context(at, "EA"), c.Resign())
    one = next(one for one in seated(at.db, at.name) if one.seat == "EA")
    assert one.person is None and one.bot == "sensible"


# ------------------------------------------------------------------ STOP, WATCH


def newest_letter(db: Engine, address: str) -> str:
    """The Message-ID of what was written to an address last, whatever it is about."""
    with reading(db) as tx:
        chosen = select(outbox.c.message_id).where(outbox.c.recipient == address)
        return str(tx.execute(chosen.order_by(outbox.c.id.desc())).scalars().first())


def test_who_watches_may_stop(at: AtHand) -> None:
    told = do(of_person(at, OBSERVER, "observer"), c.Stop())
    assert told.codes == ["stop-done"] and not members(at.db, at.name, "observer")
    assert do(of_person(at, OBSERVER, "observer"), c.Stop()).codes == ["stop-nothing"]
    assert do(of_person(at, OBSERVER, "observer"), c.Stop("FWW-9")).codes == ["no-such-campaign"]


def test_stop_of_a_seat_is_serious_and_no_resignation(at: AtHand) -> None:
    told = do(context(at, "EA"), c.Stop())
    assert told.deed.serious and told.codes == ["stop-quiet"]
    one = next(one for one in seated(at.db, at.name) if one.seat == "EA")
    assert one.person is not None and one.bot is None
    assert [one for one in at.letters(None, "notice") if one.letter.recipient == UMPIRE]
    assert not notices(at, "WA")


def test_stop_of_another_campaign_leaves_the_seat_of_the_letter_alone(at: AtHand) -> None:
    """It was asked about, and CONFIRM silenced the campaign that the letter answered."""
    found_campaign(at.service, "FWW-9", 2)
    max_ = person_at(at.db, at.addresses["DE"])
    assert max_ is not None
    add_member(at.db, "FWW-9", max_.id, "observer", at.clock())
    for said in ("no more letters about FWW-9", "There are no letters to stop"):
        receive_letter(at.service, at.arrives(at.reply("DE", "STOP FWW-9")), "test")
        assert said in flat(at.letters("DE", "answer")[0])
    assert memberships(at.db, max_.id) == [] and not at.letters("DE", "question")
    assert not any(one.quiet for one in seated(at.db, at.name))


def test_one_who_plays_elsewhere_stops_only_what_they_name(at: AtHand) -> None:
    """It was asked about as if it were a seat's, and CONFIRM ended every watching."""
    for name in ("FWW-8", "FWW-9"):
        found_campaign(at.service, name, 2)
    gaby = person_at(at.db, at.addresses["GA"])
    assert gaby is not None
    for name in ("FWW-8", "FWW-9"):
        add_member(at.db, name, gaby.id, "observer", at.clock())
    raw = mail("STOP FWW-9", sender=at.addresses["GA"], date=at.clock())
    receive_letter(at.service, at.arrives(raw), "test")
    question = newest_letter(at.db, at.addresses["GA"])
    told = mail("CONFIRM", sender=at.addresses["GA"], in_reply_to=question)
    receive_letter(at.service, at.arrives(told), "test")
    assert memberships(at.db, gaby.id) == [("FWW-8", "observer")]


def test_a_quiet_seat_gets_no_letters_until_it_writes_or_somebody_else_holds_it(at: AtHand) -> None:
    do(context(at, "EA"), c.Stop())
    at.close()
    assert at.letters("EA", "result")[0].state == "withdrawn"
    assert at.letters("WA", "result")[0].state == "waiting"
    assert "[FWW-1]" in do(context(at, "EA"), c.History()).text  # it can be asked for
    receive_letter(at.service, at.arrives(at.reply("EA", "STATUS")), "test")
    at.close()
    assert at.letters("EA", "result")[0].state == "waiting"
    do(context(at, "EA"), c.Stop())
    give_seat(
        at.db, at.name, "EA", enrol(at.db, "nora@new.test", "Nora", "en", "UTC", at.clock()), at.clock()
    )
    at.close()
    assert at.letters("EA", "result")[0].state == "waiting"


@pytest.mark.parametrize("text", ["STATUS\nSALT oak", "RESIGN", "ORDERS\nC1: PASS\nEND", "ABSENT 3/8"])
def test_a_quiet_seat_is_asked_what_its_letters_make_necessary(at: AtHand, text: str) -> None:
    """The question was withdrawn with all that a quiet seat does not want, and the letter lost."""
    do(context(at, "EA"), c.Stop())
    raw = at.reply("EA", text, sender="erik@elsewhere.test")  # whose it is has to be asked
    receive_letter(at.service, at.arrives(raw), "test")
    answers = [one for one in at.letters("EA") if one.letter.kind in ("question", "answer")]
    assert answers and answers[0].state == "waiting"


def test_an_umpire_does_not_slip_away(at: AtHand) -> None:
    assert do(of_person(at, UMPIRE, "umpire"), c.Stop()).codes == ["stop-umpire"]


def test_one_who_signed_up_may_stop(at: AtHand) -> None:
    person = enrol(at.db, "sue@signs.test", "Sue", "en", "UTC", at.clock())
    add_member(at.db, at.name, person, "signup", at.clock())
    assert do(of_person(at, "sue@signs.test", "observer"), c.Stop("fww-1")).codes == ["stop-done"]
    assert memberships(at.db, person) == []


def test_a_stranger_watches_once_it_is_confirmed(at: AtHand) -> None:
    told = do(of_stranger(at, "new@watchers.test"), c.Watch("fww-1"))
    assert told.deed.serious and told.codes == ["watch-begun"]
    person = person_at(at.db, "new@watchers.test")
    assert person is not None and memberships(at.db, person.id) == [("FWW-1", "observer")]
    known = next(one for one in members(at.db, at.name, "observer") if one.person.id == person.id)
    assert known.confirmed is not None


@pytest.mark.parametrize(("named", "code"), [("", "watch-which"), ("FWW-11", "no-such-campaign")])
def test_a_campaign_must_be_named_and_known(at: AtHand, named: str, code: str) -> None:
    told = do(of_stranger(at, "new@watchers.test"), c.Watch(named))
    assert told.codes == [code] and person_at(at.db, "new@watchers.test") is None
    if named:
        assert "FWW-1" in told.text.partition("Did you mean")[2]


def test_who_plays_need_not_watch_and_who_watches_does_already(at: AtHand) -> None:
    assert do(context(at, "EA"), c.Watch()).codes == ["watch-plays"]
    told = do(of_person(at, OBSERVER, "observer"), c.Watch())
    assert told.codes == ["watch-again"] and not told.deed.serious
