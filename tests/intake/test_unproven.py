"""What is asked of the registered address about a letter that came in its name: all of it, or nothing."""

from __future__ import annotations

from email import message_from_bytes, policy

import pytest

from pbem.campaigns.lobby import open_campaign
from pbem.orders.lines import MOST_LINES
from pbem.store.inbox import RawMail
from pbem.store.outbox import Posted, open_question, open_questions
from pbem.store.people import seated
from pbem.store.windows import SeatOrders, read_orders
from tests.campaigns_at_hand import NAME, UMPIRE, mail
from tests.intake.conftest import Intake, all_to, words

THIEF = "thief@dark.test"
ORDERS = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"
HEADS = {"EA": "WHAT IT WOULD DO", "WA": "CE QU’ELLE FERAIT"}  # one reads English, the other French


def would_do(posted: Posted, seat: str) -> list[str]:
    """The lines below the heading, up to the end of the passage."""
    message = message_from_bytes(posted.letter.body, policy=policy.default)
    body = message.get_body(("plain",))
    assert body is not None
    lines = str(body.get_content()).splitlines()
    first = lines.index(HEADS[seat]) + 2
    return [line.strip() for line in lines[first : lines.index("", first)]]


def forged(intake: Intake, seat: str, text: str) -> RawMail:
    return intake.says(seat, text, sender=THIEF)


def holder(intake: Intake, seat: str) -> str | None:
    (one,) = (one for one in seated(intake.at.db, NAME) if one.seat == seat)
    return None if one.person is None else one.person.name


@pytest.mark.parametrize("seat", sorted(HEADS))
def test_every_command_that_would_run_is_listed_with_all_its_lines(intake: Intake, seat: str) -> None:
    press = "PRESS TO DE\nlet us talk\nlet us talk\nsoon\nEND"
    assert forged(intake, seat, f"{ORDERS}\n{press}\nREADY\nRESIGN").state == "held"
    lines = would_do(intake.last(seat), seat)
    assert lines[1:] == ["PRESS TO DE", "let us talk", "let us talk", "soon", "READY", "RESIGN"]
    assert lines[0] in ("C1: ATTACK 3", "C1: ATTAQUE 3")


@pytest.mark.parametrize("seat", sorted(HEADS))
def test_so_are_those_of_a_letter_in_doubt(intake: Intake, seat: str) -> None:
    """Nothing of it is planned before CONFIRM, and with CONFIRM all of it runs."""
    assert forged(intake, seat, "C1: ATTACK 3\nwho can tell what that means\nREADY\nRESIGN").state == "held"
    assert would_do(intake.last(seat), seat)[1:] == ["READY", "RESIGN"]
    assert holder(intake, seat) is not None
    intake.says(seat, "CONFIRM", to=intake.last(seat))
    assert holder(intake, seat) is None


def test_the_letter_is_shown_whole(intake: Intake) -> None:
    """Nothing of it hides behind its sixtieth line."""
    filler = "\n".join(f"Hello {'Max' * (n % 2)}" for n in range(100))
    assert forged(intake, "EA", f"{ORDERS}\n{filler}\nRESIGN").state == "held"
    told = words(intake.last("EA"))
    assert told.count("Hello") == 100 and told.count("RESIGN") == 3  # with what it ends


def test_orders_and_commands_of_a_quoted_template_are_shown(intake: Intake) -> None:
    quoted = "> ORDERS FWW-1 T1.R\n> C1: ATTACK 3\n> READY\n> END"
    assert forged(intake, "EA", f"Hello\n\n{quoted}").state == "held"
    assert would_do(intake.last("EA"), "EA") == ["C1: ATTACK 3", "READY"]


@pytest.mark.parametrize(
    "text",
    [
        f"{ORDERS}\n" + "Hello\n" * (MOST_LINES + 1) + "RESIGN",
        f"{ORDERS}\nRESIGN\n" + "Hello\n" * (MOST_LINES + 1),
        f"{ORDERS}\nRESIGN\nPRESS TO DE: " + "word " * 6_000,
    ],
)
def test_what_is_too_long_to_be_shown_is_not_offered(intake: Intake, text: str) -> None:
    before = read_orders(intake.at.db, NAME)
    found = forged(intake, "EA", text)
    assert (found.state, found.reason) == ("refused", "too-long")
    told = intake.last("EA")
    assert told.letter.recipient == "erik@ea.test" and "too long to be shown to you in full" in words(told)
    assert open_question(intake.at.db, told.letter.message_id) is None
    assert open_questions(intake.at.db, NAME, "EA") == []
    intake.at.clock.passes(minutes=5)
    intake.says("EA", "CONFIRM", to=told)
    assert holder(intake, "EA") == "Erik Holm"
    mine = read_orders(intake.at.db, NAME).seats.get("EA", SeatOrders())
    assert (mine.sheet, mine.stance) == (None, None) and not before.seats.get("EA", SeatOrders()).letters


def test_it_is_said_in_french_too(intake: Intake) -> None:
    forged(intake, "WA", f"{ORDERS}\n" + "Bonjour\n" * (MOST_LINES + 1))
    assert "trop longue pour vous être montrée en entier" in words(intake.last("WA"))


def test_a_long_proven_letter_is_carried_out_as_ever(intake: Intake) -> None:
    found = intake.says("EA", f"{ORDERS}\n" + "Hello\n" * (MOST_LINES + 1))
    assert (found.state, found.reason) == ("held", "doubt")


# ------------------------------------------------------------------ umpires


def test_an_umpires_commands_are_listed_with_all_their_lines(intake: Intake) -> None:
    text = "Hello\nANSWER FOR DE\nC1: PASS\nEND\nRULING\nAll attacks on front 3 succeed\nat once\nEND"
    assert intake.receives(mail(text, sender=UMPIRE, subject=NAME)).state == "held"
    told = words(all_to(intake, UMPIRE)[0])
    assert "ANSWER FOR DE C1: PASS RULING All attacks on front 3 succeed at once" in told


def test_so_are_those_of_an_umpires_letter_in_doubt(intake: Intake) -> None:
    text = "who can tell what that means\nHOLD because of rain"
    assert intake.receives(mail(text, sender=UMPIRE, subject=NAME)).state == "held"
    told = words(all_to(intake, UMPIRE)[0])
    assert "HOLD because of rain" in told.partition("anyone could have put your address on it")[2]


def test_what_a_stranger_says_beside_his_signup_is_listed(intake: Intake) -> None:
    open_campaign(intake.at.service, "FWW-2", "fww", players=4)
    intake.receives(mail("SIGNUP FWW-2 DE\nLANG fr\nZONE Asia/Tokyo", sender="anna@elsewhere.test"))
    (question,) = all_to(intake, "anna@elsewhere.test")
    assert "SIGNUP FWW-2 DE LANG fr ZONE Asia/Tokyo" in words(question)
