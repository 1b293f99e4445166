"""A solo game by mail: one letter signs up, and every turn is answered with the automa's at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.lobby import is_started, open_campaign
from pbem.store.campaigns import campaign_row
from pbem.store.journal import read_journal
from pbem.store.windows import open_window
from tests.campaigns.test_lobby import Post, text_of
from tests.campaigns_at_hand import UMPIRE
from tests.narrowing import not_none

NAME, ANN = "TRENCH-1", "ann@a.test"


@pytest.fixture
def post(tmp_path: Path, without_maps: None) -> Post:
    return Post(tmp_path)


def answers(post: Post, text: str) -> str:
    """Ann replies to her newest letter; what the service writes back."""
    for name in sorted(post.writes(f"Ann <{ANN}>", text, post.newest_to(ANN).letter.message_id)):
        adjudicate(post.service, name)
    return text_of(post.newest_to(ANN))


def facts(post: Post) -> list[str]:
    return [line.data["fact"] for line in read_journal(post.service.db, NAME) if line.data["k"] == "fact"]


def begun(post: Post) -> None:
    open_campaign(post.service, NAME, "trench", players=1, umpires=[UMPIRE], options={"nations": "FR DE"})
    rings = post.does(f"Ann <{ANN}>", f"SIGNUP {NAME}")
    assert {NAME} == rings and is_started(post.service.db, NAME)
    assert adjudicate(post.service, NAME)


def key(post: Post) -> str:
    return not_none(open_window(post.service.db, NAME)).key


def test_the_set_up_takes_two_exchanges(post: Post) -> None:
    """The first flip goes with the split; then all three companies are placed by one letter."""
    begun(post)
    assert "SPLIT" in text_of(post.newest_to(ANN))
    told = answers(post, "SPLIT A: INF CAR AIR / B: CAV TNK FLK / C: REST\nFLIP B A C\nREADY")
    assert key(post) == "S.A" and "PLACE" in told and "CAV1" in told
    line = next(row for row in told.splitlines() if row.startswith("PLACE "))
    others = [row.removeprefix("# ") for row in told.splitlines() if row.startswith("# PLACE")]
    assert [row[:8] for row in others] == ["PLACE A:", "PLACE C:"]
    answers(post, "\n".join(("ORDERS", line, *others, "END")))
    assert key(post) == "R1.FR.T" and facts(post).count("CompanyPlaced") == 6


def test_an_automa_answers_every_turn_at_once(post: Post) -> None:
    begun(post)
    answers(post, "SPLIT A: INF CAR AIR / B: CAV TNK FLK / C: REST\nREADY")
    answers(post, "READY")
    assert "TokenFlipped" in facts(post) and key(post) == "R1.FR.T"
    before = facts(post).count("AutomaChose")
    told = answers(post, "PASS\nREADY")
    assert key(post).split(".")[1:] == ["FR", "T"]
    assert facts(post).count("AutomaChose") > before
    assert "DE." in told and campaign_row(post.service.db, NAME).state == "running"
