"""Above the hourly limits nothing is lost: it is said once, gathered, and delivered later."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from pbem.intake.reply import ANSWERS_AN_HOUR
from pbem.store.outbox import GATHERED_FOR, claim_outgoing, mark_sent, posted
from pbem.verbs.press import AT_ONCE, MOST_LATER
from tests.campaigns_at_hand import UMPIRE, mail
from tests.intake.conftest import Intake, words


def deliver(intake: Intake) -> list[str]:
    """Everything that is due now leaves; the texts."""
    found = []
    for one in claim_outgoing(intake.at.db, "post", intake.at.clock(), limit=500):
        mark_sent(intake.at.db, one.id, intake.at.clock())
        sent = posted(intake.at.db, one.letter.message_id)
        assert sent is not None
        found.append(words(sent).replace("| ", ""))
    return found


def write_many(intake: Intake, seat: str, text: str, number: int) -> None:
    for place in range(number):
        assert intake.says(seat, text.format(place)).state == "applied"


@pytest.mark.parametrize(("seat", "said"), [("DE", "will come together"), ("WA", "viendront ensemble")])
def test_answers_above_the_limit_are_gathered(intake: Intake, seat: str, said: str) -> None:
    deliver(intake)
    write_many(intake, seat, "ABSENT 2026-12-03 to 2026-12-10", ANSWERS_AN_HOUR)
    assert len(deliver(intake)) == ANSWERS_AN_HOUR
    write_many(intake, seat, "SALT word{}", 5)
    now = deliver(intake)
    assert len(now) == 1 and said in now[0]  # once
    intake.at.clock.now += GATHERED_FOR
    (gathered,) = deliver(intake)
    assert all(f"word{place}" in gathered for place in range(5))
    assert gathered.index("word0") < gathered.index("word4")
    assert not deliver(intake)


def test_a_letter_that_cannot_be_asked_about_is_not_held(intake: Intake) -> None:
    """A question that nobody gets would wait for ever; two in one letter could not be told apart."""
    for _ in range(ANSWERS_AN_HOUR):
        assert intake.says("DE", "RESIGN").state == "held"
    deliver(intake)
    found = [intake.says("DE", "RESIGN"), intake.says("DE", "ORDERS\nEND")]
    assert [(one.state, one.reason) for one in found] == [("refused", "too-many")] * 2
    deliver(intake)
    intake.at.clock.now += GATHERED_FOR
    (gathered,) = deliver(intake)
    assert "RESIGN" in gathered and "does not wait for CONFIRM" in gathered


def test_an_umpire_is_told_as_well(intake: Intake) -> None:
    for _ in range(ANSWERS_AN_HOUR + 3):
        raw = mail("STATUS", sender=UMPIRE, subject="FWW-1", date=intake.at.clock())
        assert intake.receives(raw).state == "applied"
    assert sum("come together" in text for text in deliver(intake)) == 1
    intake.at.clock.now += GATHERED_FOR
    (gathered,) = deliver(intake)
    assert gathered.count("Your letter of") == 3


def test_press_above_the_limit_is_gathered_for_each_reader(intake: Intake) -> None:
    write_many(intake, "DE", "PRESS TO WA GA: first {}", AT_ONCE)
    deliver(intake)
    for place in range(4):
        intake.says("DE", f"PRESS TO WA GA: later {place}")
    intake.says("DE", "PRESS TO WA: to you alone")
    assert not intake.at.letters("WA", "press")[0].sent
    told = deliver(intake)
    assert all("The rest is gathered" in text for text in told) and len(told) == 5
    intake.at.clock.now += GATHERED_FOR
    arrived = deliver(intake)
    assert len(arrived) == 3  # two to WA, since one is not for GA
    both = [text for text in arrived if "later 0" in text]
    assert len(both) == 2 and all(f"later {place}" in text for place in range(4) for text in both)
    assert not any("to you alone" in text for text in both)


def test_gathered_press_of_one_seat_is_not_put_under_another_s_name(intake: Intake) -> None:
    """Words of EA that repeat the headline of DE were passed on as written by DE."""
    for seat in ("DE", "EA"):
        write_many(intake, seat, "PRESS TO GA: first {}", AT_ONCE)
    headlines = re.findall(r"Presse [^|]*? :", " ".join(map(words, intake.at.letters("GA", "press"))))
    assert len(set(headlines)) == 2
    intake.says("EA", "\n".join(("PRESS TO GA:", *sorted(set(headlines)), "we give up", "END")))
    intake.says("DE", "PRESS TO GA: we fight on")
    deliver(intake)
    intake.at.clock.now += GATHERED_FOR
    arrived = deliver(intake)
    assert [("we give up" in text, "we fight on" in text) for text in arrived] == [
        (True, False),
        (False, True),
    ]


def test_press_beyond_all_measure_is_refused_and_said(intake: Intake) -> None:
    for place in range(AT_ONCE + MOST_LATER):
        intake.says("DE", f"PRESS TO WA: {place}")
    intake.at.clock.now += timedelta(minutes=1)
    intake.says("DE", "PRESS TO WA: too much")
    intake.at.clock.now += GATHERED_FOR
    texts = deliver(intake)
    assert any("Please send this again later" in text for text in texts)
    assert not any("too much" in text for text in texts)
