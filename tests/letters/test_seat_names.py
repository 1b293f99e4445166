"""Seats are named with their article wherever a sentence needs it, in every game and both languages."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.campaigns.terms import agree_terms
from pbem.letters.memo import Note, note_text
from pbem.letters.phrases import load_phrases

NAMES: dict[tuple[str, int, str], tuple[tuple[str, str, str, str], ...]] = {
    ("fww", 4, "en"): (
        ("DE", "Germany", "of Germany", "to Germany"),
        ("WA", "the Western Allies", "of the Western Allies", "to the Western Allies"),
    ),
    ("fww", 4, "fr"): (
        ("DE", "l’Allemagne", "de l’Allemagne", "à l’Allemagne"),
        ("WA", "les Alliés occidentaux", "des Alliés occidentaux", "aux Alliés occidentaux"),
    ),
    ("fww", 2, "fr"): (("ALLIES", "les Alliés", "des Alliés", "aux Alliés"),),
    ("ttlm", 2, "en"): (("EN", "the Entente", "of the Entente", "to the Entente"),),
    ("ttlm", 2, "fr"): (
        ("GE", "l’Allemagne", "de l’Allemagne", "à l’Allemagne"),
        ("EN", "l’Entente", "de l’Entente", "à l’Entente"),
    ),
    ("trench", 2, "fr"): (("FR", "la France", "de la France", "à la France"),),
}


def words_of(game: str, players: int, language: Any) -> Any:
    return load_phrases(game, language, agree_terms(game, "", players, "fast", {}, None).pack)


@pytest.mark.parametrize(("game", "players", "language"), NAMES)
def test_names_with_their_article(game: str, players: int, language: str) -> None:
    phrases = words_of(game, players, language)
    for seat, *expected in NAMES[game, players, language]:
        found = [phrases.env.globals[name](seat) for name in ("the_seat", "of_seat", "to_seat")]
        assert expected == found


def test_a_campaign_waits_for_somebody_with_an_article() -> None:
    english, french = (words_of("fww", 4, language) for language in ("en", "fr"))
    waiting = {"seats": ("DE", "WA")}
    assert "waits for Germany and the Western Allies." in english.say("letters", "wait", waiting)
    assert "attend l’Allemagne et les Alliés occidentaux." in french.say("letters", "wait", waiting)
    note = Note("press-headline", {"sender": "WA", "name": "Jeanne", "to": ("GA", "DE"), "umpire": False})
    expected = "Presse des Alliés occidentaux (Jeanne) aux Alliés de l’Allemagne et à l’Allemagne :"
    assert expected == note_text(note, french)
