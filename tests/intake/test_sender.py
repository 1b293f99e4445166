"""Who wrote it: of more than 200 letters that are not what they seem none is obeyed, and of more than 200
honest ones none is refused without a way back.

Forged, replayed, forwarded, from another seat, stale, signed with `l=`; under all three policies; each on a
store of its own, from the raw mail to what lies on file.
"""

from __future__ import annotations

from functools import partial

import pytest

from pbem.store.inbox import RawMail, letter
from pbem.store.outbox import Posted
from tests.campaigns_at_hand import NAME, UMPIRE, mail
from tests.intake.conftest import Intake, all_to, number_to, words
from tests.intake.forgeries import HOSTILE_WORDS, TRICKS, Trick
from tests.intake.genuine import WAYS, Way
from tests.intake.judged_letters import (
    BAD,
    FRIEND,
    GOOD,
    POLICIES,
    SEATS,
    THIEF,
    Asked,
    Post,
    done_so_far,
    later,
    post_at,
)
from tests.signing import signed

# Every trick and every way is tried at each change, all that they may ask for by `make long`.
LONG = pytest.mark.long

HOSTILE = [
    pytest.param(
        trick,
        policy,
        asked,
        id=f"{trick.name}-{policy}-{asked.name}",
        marks=() if asked is trick.words[0] else LONG,
    )
    for trick in TRICKS
    for policy in trick.policies
    for asked in trick.words
]


@pytest.mark.parametrize(("trick", "policy", "asked"), HOSTILE)
def test_what_is_not_what_it_seems_is_not_obeyed(
    intake: Intake, trick: Trick, policy: str, asked: Asked
) -> None:
    seat = SEATS[(TRICKS.index(trick) + HOSTILE_WORDS.index(asked) if asked in HOSTILE_WORDS else 0) % 4]
    post = post_at(intake, policy, pinned=True, authserv_id=trick.authserv_id)
    raw = trick.make(post, seat, asked)
    before = done_so_far(intake)
    found = intake.receives(raw)
    after = done_so_far(intake)
    assert len(after.pop("marks")) - len(before.pop("marks")) == int(policy in trick.proven)
    assert after == before
    assert found.state in trick.states, (found.state, found.reason)
    for stranger in (THIEF, FRIEND):
        assert number_to(intake, stranger) == 0
    if found.state == "held":  # the registered address sees it, and can say yes or no
        assert intake.last(seat).letter.recipient == intake.at.addresses[seat]


UMPIRES = (
    "HOLD because of rain",
    "EXTEND 2 days",
    "RULING white is black",
    f"REPLACE DE BY {THIEF}",
    "UNSEAL",
)


@pytest.mark.parametrize("text", UMPIRES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("how", ["forged", "forged reply", "wrong key"])
def test_nobody_speaks_for_the_umpire(intake: Intake, policy: str, text: str, how: str) -> None:
    """Not even one who holds a letter of ours to the umpire."""
    post = post_at(intake, policy, pinned=True)
    reply = "" if how == "forged" else _letter_to_umpire(intake)
    raw = mail(text, sender=UMPIRE, subject=f"[{NAME}]", in_reply_to=reply, date=intake.at.clock())
    if how == "wrong key":
        raw = signed(raw, "umpires.test", BAD)
    before = done_so_far(intake)
    assert post.intake.receives(raw).state == "held"
    assert done_so_far(intake) == before and number_to(intake, THIEF) == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_nobody_confirms_for_an_umpire_who_signs(intake: Intake, policy: str) -> None:
    """Whoever knows the question's Message-ID lacks the key; the umpire himself has it."""
    post_at(intake, policy, pinned=True)
    asked = mail("HOLD because of rain", sender=UMPIRE, subject=f"[{NAME}]", date=intake.at.clock())
    assert intake.receives(asked).state == "held"
    question, before = all_to(intake, UMPIRE)[0], done_so_far(intake)
    confirm = partial(mail, "CONFIRM", sender=UMPIRE, in_reply_to=question.letter.message_id)
    for forged in ((), (BAD,)):
        later(intake)
        raw = confirm(date=intake.at.clock())
        intake.receives(signed(raw, "umpires.test", *forged) if forged else raw)
        assert done_so_far(intake) == before
        assert "the question stays open" in words(all_to(intake, UMPIRE)[0])
    later(intake)
    intake.receives(signed(confirm(date=intake.at.clock()), "umpires.test", GOOD))
    assert done_so_far(intake)["campaigns"] != before["campaigns"]


def _letter_to_umpire(intake: Intake) -> str:
    intake.receives(mail("STATUS", sender=UMPIRE, subject=f"[{NAME}]"))
    return all_to(intake, UMPIRE)[0].letter.message_id


# ------------------------------------------------------------------ honest letters

HONEST = [
    pytest.param(
        way,
        policy,
        asked,
        id=f"{way.name}-{policy}-{asked.name}",
        marks=() if asked is way.words[0] else LONG,
    )
    for way in WAYS
    for policy in way.policies
    for asked in way.words
]


@pytest.mark.parametrize(("way", "policy", "asked"), HONEST)
def test_an_honest_letter_is_obeyed_or_has_a_way_back(
    intake: Intake, way: Way, policy: str, asked: Asked
) -> None:
    seat = SEATS[WAYS.index(way) % 4]
    post = post_at(intake, policy, pinned=way.pinned, authserv_id=way.authserv_id)
    assert not asked.done(intake, seat)
    found = _heard_in_the_end(intake, way.make(post, seat, asked))
    if policy in way.confirms:
        assert (found.state, asked.done(intake, seat)) == ("held", False)
        later(intake)
        question = intake.last(seat)
        assert question.letter.recipient == intake.at.addresses[seat]
        if way.must_sign(policy):
            _an_unsigned_confirm_changes_nothing(post, seat, question)
            raw = post.signed(seat, "CONFIRM", to=question)
        else:
            raw = post.letter(seat, "CONFIRM", to=question)
        assert intake.receives(raw).state == "applied" and _state(intake, found) == "applied"
    else:
        assert (found.state, number_to(intake, THIEF)) == ("applied", 0)
    assert asked.done(intake, seat)


def _an_unsigned_confirm_changes_nothing(post: Post, seat: str, question: Posted) -> None:
    """The registered address is told why, and how to go on."""
    before = done_so_far(post.intake)
    post.intake.receives(post.letter(seat, "CONFIRM", to=question))
    after = done_so_far(post.intake)
    assert after | {"marks": ()} == before | {"marks": ()}
    told = words(post.intake.last(seat))
    assert "the question stays open" in told or "la question reste ouverte" in told
    post.keys.down = False
    later(post.intake)


def _heard_in_the_end(intake: Intake, raw: bytes) -> RawMail:
    """As often as the letter is put off."""
    found = intake.receives(raw)
    for _ in range(5):
        if found.state != "received":
            break
        later(intake, 10)
        found = intake.processes(found.id)
    return found


def _state(intake: Intake, found: RawMail) -> str:
    kept = letter(intake.at.db, found.id)
    assert kept is not None
    return kept.state


def test_there_are_two_hundred_of_each() -> None:
    assert len(HOSTILE) + len(UMPIRES) * len(POLICIES) * 3 >= 200
    assert len(HONEST) >= 200
