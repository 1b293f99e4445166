"""MAP, MAP REACH, HAND, ODDS, RULE and HELP about Trench Club, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.campaigns.campaign import load_campaign
from pbem.letters.memo import Illustration
from pbem.letters.painting import SIGNATURE
from tests.campaigns_at_hand import OBSERVER, AtHand, campaign_at_hand
from tests.orders import commands as c
from tests.verbs.contexts import context, do, of_person

FRENCH, ENGLISH = "DE", "GB"  # the one reads French, the other English


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    """Both armies stand where the defaults put them."""
    at = campaign_at_hand(tmp_path, name="TC-1", players=2, game="trench")
    for _ in range(20):
        if load_campaign(at.db, at.name).table.state.round:
            break
        at.close()
    return at


def test_before_anybody_stands_on_the_board_the_hand_is_the_army(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, name="TC-1", players=2, game="trench")
    assert "GB.FEM1" in do(context(at, ENGLISH), c.Hand()).text


def test_reach_is_a_picture_and_words(at: AtHand) -> None:
    told = do(context(at, FRENCH), c.Map("BLI1"))
    (shown,) = (part for part in told.parts if isinstance(part, Illustration))
    assert shown.picture.png.startswith(SIGNATURE)
    assert "DE.BLI1 (voiture" in told.text and max(map(len, told.text.splitlines())) <= 72


@pytest.mark.parametrize("asked", ["ZEP9", "the moon", "CAR1 CAV1"])
def test_what_cannot_be_drawn_is_told(at: AtHand, asked: str) -> None:
    assert do(context(at, ENGLISH), c.Map(asked)).codes == ["map-nothing"]


def test_an_observer_may_look_too(at: AtHand) -> None:
    heard = of_person(at, OBSERVER, "observer")
    assert "Reach of DE.CAR1" in do(heard, c.Map("DE.CAR1")).text


def test_the_hand_tells_how_ones_own_side_stands(at: AtHand) -> None:
    told = do(context(at, ENGLISH), c.Hand()).text
    assert "Your units" in told and "CAR1" in told and "To victory: 5 more forts" in told
    assert "Vos unités" in do(context(at, FRENCH), c.Hand()).text


def test_help(at: AtHand) -> None:
    assert "EMBARQUER" in do(context(at, FRENCH), c.Help("ordres")).text.upper()
    assert "DEFAULT AUTOMA" in do(context(at, ENGLISH), c.Help("standing")).text
