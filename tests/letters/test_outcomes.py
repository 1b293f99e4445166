"""Who won, or nobody, and what the scores are called: in words, never as keys of the code."""

from __future__ import annotations

import pytest

from engine.games import game as load_game
from engine.kernel.game import Language, Outcome
from engine.kernel.requests import Seat
from pbem.letters.phrases import Phrases, load_phrases

STALEMATE = Outcome((Seat("GE"), Seat("EN")), "armistice", {"VP": 12, "level": 0})
DECISIVE = Outcome((Seat("GE"),), "decisive", {"VP": 24, "level": 3})
ALLIED = Outcome((Seat("DE"), Seat("AH")), "forts", {"central": 9, "entente": 1})
LOST = Outcome((), "both-surrender", {"WA": 4, "ALLIES": 9, "treaty": 8})
SOLO = Outcome((Seat("DE"),), "victory-points", {"DE": 9})

ENDS: list[tuple[str, Language, Outcome, str]] = [
    ("ttlm", "en", STALEMATE, "It is over: both sides agree to an armistice. Nobody has won."),
    ("ttlm", "fr", STALEMATE, "C’est fini : les deux camps conviennent d’un armistice. Personne n’a gagné."),
    ("ttlm", "en", DECISIVE, "It is over: a decisive level is reached. Winner: Germany."),
    ("trench", "en", ALLIED, "It is over: enough forts are held. Winners: Germany and Austria-Hungary."),
    (
        "trench",
        "fr",
        ALLIED,
        "C’est fini : assez de forts sont tenus. Vainqueurs : Allemagne et Autriche-Hongrie.",
    ),
    ("fww", "en", LOST, "It is over: both alliances surrender at once. Nobody has won."),
    ("fww", "fr", SOLO, "C’est fini : les points de victoire tranchent. Vainqueur : Allemagne."),
]
SCORES: list[tuple[str, Language, Outcome, list[str]]] = [
    ("ttlm", "en", STALEMATE, ["Victory points 12", "Level Stalemate"]),
    ("ttlm", "fr", DECISIVE, ["Points de victoire 24", "Niveau Victoire décisive allemande"]),
    ("trench", "en", ALLIED, ["Central Powers 9 forts", "Entente 1 fort"]),
    ("trench", "fr", ALLIED, ["Empires centraux 9 forts", "Entente 1 fort"]),
    ("fww", "en", LOST, ["Western Allies 4", "Allies 9", "The treaty, for the Eastern Allies 8"]),
]


def words(game: str, language: Language) -> Phrases:
    return load_phrases(game, language, load_game(game).load_pack())


@pytest.mark.parametrize(("game", "language", "outcome", "expected"), ENDS)
def test_a_final_letter_says_who_has_won(
    game: str, language: Language, outcome: Outcome, expected: str
) -> None:
    assert words(game, language).say("final", "headline", {"outcome": outcome}) == expected
    said = expected.partition(". ")[2]
    for section in ("words", "letters"):
        assert words(game, language).say(section, "winners", {"winners": outcome.winners}) == said


@pytest.mark.parametrize(("game", "language", "outcome", "expected"), SCORES)
def test_scores_have_names(game: str, language: Language, outcome: Outcome, expected: list[str]) -> None:
    phrases = words(game, language)
    told = [
        f"{phrases.say('final', 'score_name', given)} {phrases.say('final', 'score_value', given)}"
        for given in ({"id": name, "points": points} for name, points in outcome.scores.items())
    ]
    assert told == expected
