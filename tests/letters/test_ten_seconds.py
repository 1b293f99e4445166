"""The letters of the ten-second test: the same for the same seed, and told what is true of them."""

from __future__ import annotations

from random import Random

from pbem.letters.result import result_text
from tests.letters.gallery import GAMES
from tests.letters.played import Wanted, draw_wanted, play
from tests.letters.ten_seconds import QUESTIONS, facts_of


def test_the_seed_decides_which_letters_are_drawn() -> None:
    drawn = [[draw_wanted(game, "react", "fr", Random(seed)) for game in GAMES] for seed in ("a", "a", "b")]
    assert drawn[0] == drawn[1] != drawn[2]


def test_facts_are_those_of_the_position() -> None:
    """Two letters of one exchange: the reader who is asked has a deadline, and what is told was seen."""
    played = play(Wanted("trench", "fast", "en", 2, "standard", 8, 5), Random(1))
    facts, position = facts_of(played), played.result.view.position
    assert [key for key in QUESTIONS if key in facts] == list(QUESTIONS)
    assert facts["standing"]["forts"]["central"] == len(position.forts_of("DE"))
    text = result_text(played.terms.game, played.result, played.phrases)
    assert played.result.window and facts["until"] in " ".join(text.split())
