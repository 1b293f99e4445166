"""Whatever changes the game of others is done only when it is beyond doubt who wrote."""

from __future__ import annotations

from dataclasses import fields

import pytest

from pbem.store.proposals import proposals
from pbem.verbs.consent import Armistice
from pbem.verbs.leaving import Resign
from pbem.verbs.registry import REGISTRY
from pbem.verbs.verb import Verb
from tests.campaigns_at_hand import NAME
from tests.intake.conftest import Intake, words
from tests.intake.judged_letters import POLICIES, later, post_at

# The writer's own orders, time and words. An absence moves a deadline by the rules that all agreed to.
OWN = {"READY", "WAIT", "CANCEL", "SALT", "ABSENT", "PRESS TO"}
# Strangers and seats only; of others they change what the writer is sent.
OWN_LETTERS = {"WATCH", "STOP", "LANG", "ZONE"}
NEVER = next(one.default for one in fields(Verb) if one.name == "serious")


def test_every_verb_that_is_not_the_writers_own_affair_is_serious() -> None:
    everyday = {
        verb.symbol
        for verb in REGISTRY.verbs
        if verb.handler is not None and not verb.is_information and verb.serious is NEVER
    }
    assert everyday == OWN
    unconditional = {
        verb.symbol for verb in REGISTRY.verbs if verb.serious is not NEVER and verb.symbol not in OWN_LETTERS
    }
    assert {"PROPOSE ROLLBACK", "AGREE", "HANDOVER", "ADDRESS", "ROLLBACK", "REPLACE"} <= unconditional
    by_words = {Resign: (Resign(), True), Armistice: (Armistice("accept"), True)}
    for verb in REGISTRY.verbs:
        if verb.symbol in unconditional:
            command, expected = by_words.get(verb.command, (None, True))
            assert verb.serious(None, command) is expected, verb.symbol  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_rollback_is_proposed_and_agreed_to_beyond_doubt_only(intake: Intake, policy: str) -> None:
    post = post_at(intake, policy, pinned=False)
    assert intake.receives(post.letter("DE", "PROPOSE ROLLBACK T1")).state == "held"
    assert proposals(intake.at.db, NAME) == []
    later(intake)
    assert intake.receives(post.signed("DE", "PROPOSE ROLLBACK T1")).state == "applied"
    later(intake)
    assert intake.receives(post.letter("WA", "AGREE")).state == "held"
    assert [one.assents for one in proposals(intake.at.db, NAME)] == [("DE",)]
    later(intake)
    assert intake.receives(post.signed("WA", "AGREE")).state == "applied"
    assert [set(one.assents) for one in proposals(intake.at.db, NAME)] == [{"DE", "WA"}]


def test_the_question_names_what_a_resignation_ends(intake: Intake) -> None:
    post = post_at(intake, "pinned", pinned=False)
    assert intake.receives(post.letter("DE", "RESIGN")).state == "held"
    told = words(intake.last("DE"))
    assert "RESIGN ends your part only: you give up Germany, and FWW-1 goes on without you." in told
