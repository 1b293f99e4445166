"""The toy game by mail: a letter a turn from each scout, in their own language, to the final letters."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.campaigns_at_hand import AtHand
from tests.flow.mail_story import Story, begun, comes_to, hears, subject, told

STORY = Story(
    folder="",
    campaign="PAT-1",
    game="patrol",
    players={"RED": ("red", "en"), "BLUE": ("blue", "fr")},
    holders={"RED": "max@de.test", "BLUE": "jeanne@wa.test"},
)


@pytest.fixture
def at(patrol: None, tmp_path: Path) -> AtHand:
    return begun(STORY, tmp_path)


def last(at: AtHand, seat: str, kind: str) -> str:
    return told(at.letters(seat, kind)[0])


def flat(at: AtHand, seat: str, kind: str) -> str:
    return " ".join(last(at, seat, kind).split())


def write(at: AtHand, seat: str, text: str) -> None:
    at.clock.passes(minutes=10)
    hears(at, at.reply(seat, text))


def test_a_game_is_played_to_its_end(at: AtHand) -> None:
    assert "Where do you hide? Mill (MIL)" in last(at, "RED", "result")
    assert "Où vous cachez-vous ? Moulin (MIL)" in last(at, "BLUE", "result")
    for turn in range(1, 5):
        write(at, "RED", "HIDE mill\nSEARCH FAR")
        assert "HIDE MIL" in last(at, "RED", "receipt")
        write(at, "BLUE", "cache Ferme\nfouille moulin")
        kind = "result" if turn < 4 else "final"
        red, blue = last(at, "RED", kind), last(at, "BLUE", kind)
        assert "Red searches Farm (FAR), die" in red and "Bleu fouille Moulin (MIL), dé" in blue
        assert "You hide at Mill" in red and "vous cachez : Ferme" in blue
        assert turn == 4 or f"Turn {turn + 1}" in subject(at.letters("RED", kind)[0])
    assert "The tiles are worth" in red and "Les tuiles valent" in blue


def test_nobody_reads_where_the_other_hides(at: AtHand) -> None:
    write(at, "RED", "HIDE BRI\nSEARCH MIL")
    write(at, "BLUE", "CACHE FAR\nFOUILLE MIL")
    asked, _, rest = last(at, "BLUE", "result").partition("CE QUI S’EST PASSÉ")
    assert "BRI" in asked, "the bridge comes up only among the posts to choose from"
    assert "Rouge fouille Moulin" in rest.partition("BRI")[0]


def test_a_bad_line_is_asked_back_with_words_that_would_do(at: AtHand) -> None:
    write(at, "RED", "HIDE Mlil\nSEARCH BRI")
    assert "a post (MIL, BRI, FAR) should stand there. Did you mean MIL, MILL" in flat(at, "RED", "question")
    write(at, "BLUE", "cache Ferme partout")
    assert "L’ordre était complet avant" in flat(at, "BLUE", "question")


def test_standing_orders_serve_a_scout_who_is_away(at: AtHand) -> None:
    write(at, "RED", "STANDING\nHIDE FAR\nSEARCH FAR\nEND")
    assert "ALWAYS HIDE FAR" in last(at, "RED", "receipt")
    write(at, "BLUE", "CACHE FAR\nFOUILLE FAR")
    comes_to(at, at.clock.now + timedelta(days=14))
    assert "You hide at Farm (FAR)" in last(at, "RED", "result")


def test_help_and_rules_can_be_asked_for(at: AtHand) -> None:
    write(at, "BLUE", "AIDE ordres")
    assert "FOUILLE BRI" in last(at, "BLUE", "answer")
    write(at, "RED", "RULE 2-2")
    assert "Each searches a post; the die decides" in last(at, "RED", "answer")
