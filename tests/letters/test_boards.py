"""The board as tables in a page says what it says as text; letters begin with what matters."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from engine.kernel.requests import Seat
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import board_tables, hand_tables, hand_text, view_text
from pbem.letters.result import result_letter
from tests.letters.gallery import GAMES, STAGES, phrases_of, result, situation, terms_of
from tests.pictures import with_drawings

FIRST_LINES = 30  # of the text, in which headline, box and what matters to the reader stand
both = pytest.mark.parametrize("language", LANGUAGES)
games = pytest.mark.parametrize("game", GAMES)


class Words(HTMLParser):
    """The words of a page, and its tables' widest row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def words_of(text: str) -> set[str]:
    """Words and numbers, without what stands around them."""
    return set(re.findall(r"[\w^*#=!+-]+", text.casefold())) - set("-=+")


@both
@games
def test_tables_say_what_the_text_says(game: str, language: Any) -> None:
    phrases, rules = phrases_of(game, language), terms_of(game).game
    title = words_of(terms_of(game).pack.meta.names[language])
    for number in STAGES[game]:
        view = situation(game, number)[0]
        for text, tables in (
            (view_text(rules, view, phrases), board_tables(rules, view, phrases)),
            (hand_text(rules, view, phrases), hand_tables(rules, view, phrases)),
        ):
            page = Words(str(tables))
            assert "pre" not in page.tags and "table" in page.tags
            assert words_of(text) - words_of(" ".join(page.found)) - title == set()


@both
@games
def test_nobodys_view_has_tables_too(game: str, language: Any) -> None:
    """An observer's board."""
    terms = terms_of(game)
    state, _ = terms.game.set_up(terms.pack, terms.settings)
    view = terms.game.view(state, Seat(""))
    page = Words(str(board_tables(terms.game, view, phrases_of(game, language))))
    text = view_text(terms.game, view, phrases_of(game, language))
    assert words_of(text) - words_of(" ".join(page.found)) <= words_of(terms.pack.meta.names[language])


@both
@games
def test_the_first_lines_answer_what_matters(
    game: str, language: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headline, what is asked and until when, and eight lines for the reader come before everything else."""
    with_drawings(monkeypatch)
    from pbem.letters import result as results

    content = results._content
    told = [("loss", "You lost Saarbrücken and two armies.")] * 8
    monkeypatch.setattr(results, "_content", lambda *given: {**content(*given), "for_you": told})
    written = result_letter(
        terms_of(game).game, result(game, STAGES[game][1], language), phrases_of(game, language)
    )
    first = "\n".join(written.text.splitlines()[:FIRST_LINES])
    assert first.count("Saarbrücken") == 8 and "20:00 CET" in first
    assert phrases_of(game, language).say("letters", "for_you").upper() in first
    assert first.index("20:00 CET") < first.index("Saarbrücken")


def test_a_letter_is_headed_by_the_campaigns_title() -> None:
    written = result_letter(terms_of("fww").game, result("fww", 2, "en"), phrases_of("fww", "en"))
    assert "PLAY-7 · The long winter, a campaign among friends · " in " ".join(written.text.split())
    assert "PLAY-7 · The long winter, a campaign among friends · " in " ".join(written.html.split())
