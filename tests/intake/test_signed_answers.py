"""A question of ours is answered by a letter that proves as much as any other of its writer's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.store.outbox import open_questions
from tests.campaigns_at_hand import NAME
from tests.intake.conftest import Intake, words
from tests.intake.judged_letters import BAD, ORDERS, SIGNED_ONES, THIEF, Post, done_so_far, later, post_at
from tests.signing import signed

# One letter for each reason to ask.
ASKED: dict[str, Callable[[Post], bytes]] = {
    "bad line": lambda post: post.signed("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTACK 99\nEND"),
    "doubt": lambda post: post.signed("DE", "STOP"),
    "proof": lambda post: post.letter("DE", ORDERS.text("DE"), sender=THIEF),
    "serious": lambda post: post.sent_by("outlook.com", "DE", post.letter("DE", "RESIGN")),
}


def _open(intake: Intake) -> set[str]:
    return {one.message_id for one in open_questions(intake.at.db, NAME, "DE")}


@pytest.mark.parametrize("word", ["CONFIRM", "CANCEL", "CONFIRM\nREADY"])
@pytest.mark.parametrize("policy", SIGNED_ONES)
@pytest.mark.parametrize("why", ASKED)
def test_nobody_answers_a_question_in_anothers_name(intake: Intake, why: str, policy: str, word: str) -> None:
    """Whoever was sent a copy of a reply knows the question's Message-ID and the reply address."""
    post = post_at(intake, policy, pinned=True)
    intake.receives(ASKED[why](post))
    later(intake)
    question, before = intake.last("DE", "question"), done_so_far(intake)
    assert question.letter.message_id in _open(intake)
    for is_signed in (False, True):
        raw = post.letter("DE", word, to=question)
        intake.receives(signed(raw, post.host("DE"), BAD) if is_signed else raw)
        assert done_so_far(intake) == before and question.letter.message_id in _open(intake)
        assert "the question stays open" in words(intake.last("DE"))
        assert f"A {word.partition(chr(10))[0]} came from your address" in words(intake.last("DE"))
        later(intake)
    intake.receives(post.signed("DE", word, to=question))
    assert question.letter.message_id not in _open(intake)
