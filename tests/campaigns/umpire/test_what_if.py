"""WHATIF on a past segment: resolved to its end, and compared with what happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kernel.replay import is_kind
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.branches import WhatIfResult, show_what_if
from pbem.intake.receive import receive_letter
from pbem.store.journal import read_journal
from tests.campaigns.umpire.test_letters import does, text_of, to_umpire
from tests.campaigns_at_hand import AtHand, campaign_at_hand

ATTACK = "C1: ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE"


@pytest.fixture
def at(tmp_path: Path, without_maps: None) -> AtHand:
    """DE attacked Flanders in its first round, and a standing order led the defence."""
    at = campaign_at_hand(tmp_path)
    at.close()
    for seat, text in {"DE": ATTACK, "WA": "DEFEND ALL: LEAD WEAKEST"}.items():
        receive_letter(at.service, at.arrives(at.reply(seat, text)), "test")
    at.close()
    return at


def what_if(at: AtHand, text: str) -> WhatIfResult:
    return show_what_if(Umpire(at.service, at.name), text)


def rolls(at: AtHand, segment: str) -> list[tuple[str, tuple[int, ...]]]:
    lines = [line.data for line in read_journal(at.db, at.name) if is_kind(line, "roll")]
    return [(data["seat"], tuple(data["faces"])) for data in lines if data["label"].startswith(f"{segment}/")]


def test_without_a_change_it_is_what_was(at: AtHand) -> None:
    """Through the dice, to the end of the segment: the recorded ones serve."""
    assert len(rolls(at, "T1.R1")) == 2
    round_one, rounds, turn = (what_if(at, part) for part in ("T1.R1", "T1.R", "T1"))
    assert any(one.startswith("DE1 leads: ") for one in round_one.would)
    assert (round_one.new, round_one.gone, round_one.unfinished) == ((), (), False)
    assert (rounds.new, rounds.gone) == ((), ()) and set(rounds.would) >= set(round_one.would)
    assert turn.gone == () and turn.unfinished and turn.new  # it goes on where the campaign waits


def test_an_order_that_is_taken_away_is_not_played_again(at: AtHand) -> None:
    for text in ("T1.R1 DE: PASS", "T1.R1 DE:"):
        found = what_if(at, text)
        assert not any(" leads: " in one for one in found.would)
        assert any(one.startswith("DE1 leads: ") for one in found.gone)


ANOTHER = "T1.R1 DE: ATTACK 2 WITH DE3 DE4 LEAD DE3 TILE NONE"


def test_a_new_order_is_resolved_with_dice_through_standing_orders(at: AtHand) -> None:
    """An attack that nobody ordered then: nobody is asked, the standing order of that time leads."""
    found = what_if(at, ANOTHER)
    assert any("Germany attacks on front 2 (Somme)" in one for one in found.new)
    assert any(one.startswith("DE3 leads: ") and "; against FR5: " in one for one in found.new)
    assert any(one.startswith("DE1 leads: ") for one in found.gone)


def test_a_standing_line_of_the_case_counts(at: AtHand) -> None:
    found = what_if(at, f"{ANOTHER}; WA: DEFEND ALL: LEAD STRONGEST")
    assert any(one.startswith("DE3 leads: ") and "; against BR1: " in one for one in found.new)


def test_recorded_dice_serve_and_no_link_is_spent(at: AtHand) -> None:
    """The same attack with another leader: the faces are those that fell."""
    before = load_campaign(at.db, at.name)
    found = what_if(at, "T1.R1 DE: ATTACK 1 WITH DE1 DE2 LEAD DE2 TILE NONE")
    fell = [before.terms.pack.die_faces[face - 1] for _, (face,) in rolls(at, "T1.R1")]
    (combat,) = [one for one in found.new if one.startswith("DE2 leads: ")]
    assert all(f"die {face}" in combat for face in fell)
    after = load_campaign(at.db, at.name)
    assert (after.ledger.t, after.table.journal.head) == (before.ledger.t, before.table.journal.head)


def test_the_difference_by_letter_in_the_umpires_language(at: AtHand) -> None:
    does(at, "WHATIF T1.R1 DE: PASS")
    answer = " ".join(text_of(to_umpire(at)[0]).split())
    assert "What would have happened in T1.R1" in answer
    assert "And this, which did happen, would not:" in answer
    for seat in at.seats:
        assert "Flanders" not in text_of(at.letters(seat, "notice")[0])
