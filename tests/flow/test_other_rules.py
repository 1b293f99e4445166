"""A campaign begun with rules of another version is left to workers that have them: not held, not shunted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from engine.games import game
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import HasOtherRules, Rules, other_rules
from pbem.intake.receive import receive_letter
from pbem.ops.sweep import remind_campaign
from pbem.store.campaigns import campaign_row
from pbem.store.inbox import due_letters, letter
from tests.campaigns_at_hand import NAME, found_campaign, run_on
from tests.flow.hands import all_hand_in, window
from tests.flow.test_sweep import DEADLINE, Machine, machine, reminded  # noqa: F401

pytestmark = pytest.mark.usefixtures("without_maps")


@contextmanager
def upgraded() -> Iterator[None]:
    """This code has the next version of the rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(game("fww")), "rules_version", "3")
        yield


def test_a_turn_is_left_to_those_who_have_the_rules(machine: Machine) -> None:  # noqa: F811
    at = machine.at
    all_hand_in(at)
    assert other_rules(at.db, NAME) is None
    with upgraded():
        assert Rules("fww", "2") == other_rules(at.db, NAME)
        with pytest.raises(HasOtherRules):
            adjudicate(at.service, NAME)
        assert campaign_row(at.db, NAME).held is None and (NAME,) == machine.sweeps().campaigns
    assert adjudicate(at.service, NAME) and 2 == window(at).number


def test_a_frozen_turn_too(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    at = machine.at
    all_hand_in(at)
    monkeypatch.setattr("pbem.campaigns.adjudicate._carry_out", lambda *_: "stays")
    adjudicate(at.service, NAME)  # its worker died between Close and run
    monkeypatch.undo()
    with upgraded(), pytest.raises(HasOtherRules):
        adjudicate(at.service, NAME)
    assert campaign_row(at.db, NAME).held is None
    assert adjudicate(at.service, NAME) and 2 == window(at).number


def test_reminders_too(machine: Machine) -> None:  # noqa: F811
    at = machine.at
    with upgraded():
        assert (NAME,) == machine.runs_to(DEADLINE - timedelta(hours=48)).campaigns
        assert {0} == set(reminded(at).values()) and campaign_row(at.db, NAME).held is None
    remind_campaign(at.service, NAME)
    assert {1} == set(reminded(at).values())


def test_letters_too(machine: Machine) -> None:  # noqa: F811
    at = machine.at
    number = at.arrives(at.reply("WA", "READY"))
    with upgraded():
        for _ in range(9):
            with pytest.raises(HasOtherRules) as left:
                receive_letter(at.service, number, "one")
            assert NAME == left.value.campaign and [number] == due_letters(at.db, at.clock())
    assert frozenset({NAME}) == receive_letter(at.service, number, "two")
    kept = letter(at.db, number)
    assert kept is not None and ("applied", 1) == (kept.state, kept.tries)


def test_a_letter_for_other_rules_holds_up_its_own_campaign_alone(machine: Machine) -> None:  # noqa: F811
    at = machine.at
    found_campaign(at.service, "TC-9", 2, "fast", None, None, "trench", "")
    run_on(at.service, "TC-9", "opening")
    number = at.arrives(at.reply("WA", "READY"))
    with upgraded():
        machine.runs_to(DEADLINE + timedelta(days=60))
        assert not adjudicate(at.service, "TC-9")  # nobody has looked into it yet
        with pytest.raises(HasOtherRules):
            receive_letter(at.service, number, "one")
        assert adjudicate(at.service, "TC-9")
    assert not adjudicate(at.service, NAME)
    assert frozenset({NAME}) == receive_letter(at.service, number, "two")
    assert adjudicate(at.service, NAME)
