"""Every kind of letter in a real browser: nothing sticks out or is cut off, and every word can be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import LetterBody
from tests.chromium import Chromium
from tests.letters.gallery import GAMES, Letter, gallery, memos_written, page_of, results
from tests.letters.letters_read import MOST_HTML
from tests.packages import Missing
from tests.pictures import with_drawings

WIDTHS = (320, 390, 800)
FIRST_SCREEN = 1200  # pixels of a telephone in which headline, box and what matters to the reader stand
TELEPHONE, ONE_SCREEN = 390, 844
MEASURE = (Path(__file__).parent / "measure.js").read_text("utf-8")
MAP = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 808 700' width='808' height='700'/>"
FOR_YOU = [
    ("loss", "You lost Saarbrücken and two armies, FR4 (2) and FR5 (2), on front 3 (Verdun)."),
    ("gain", "You took Metz from Germany."),
    ("score", "VP 8, was 11: Entente marginal victory; 7 or less would be an Entente victory."),
    ("threat", "Paris is in reach of three German armies, and nobody guards it."),
    ("threat", "Your hand is over its limit: 11 cards, 10 may stay."),
    ("news", "The German Allies receive three new armies next turn."),
    ("loss", "Line 2 was refused: FR9 is not on front 2. [FWW-5-3]"),
    ("gain", "Romania enters the war on your side in the autumn of 1916."),
]
HEADLINE = (
    "Germany takes two forts and needs one more; your last tank is gone; Kiev fell to the German Allies"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    try:
        with Chromium() as started:
            yield started
    except Missing as why:
        pytest.skip(f"no Chromium: {why}")


@pytest.fixture(autouse=True)
def full_first_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long headline and all the lines that there may be; maps are not painted."""
    with_drawings(monkeypatch)
    from pbem.letters import result

    content = result._content

    def filled(*given: Any) -> dict[str, Any]:
        return {**content(*given), "headline": HEADLINE, "for_you": FOR_YOU}

    monkeypatch.setattr(result, "_content", filled)


def shown(written: LetterBody) -> str:
    """The page, every map a drawing of the size of one."""
    return re.sub(r'"cid:[^"]*"', f'"data:image/svg+xml,{MAP}"', page_of(written._replace(pictures=())))


def faults_of(browser: Chromium, letters: Iterable[Letter], widths: Iterable[int] = WIDTHS) -> list[str]:
    """What is wrong with letters, in every window and in both color schemes."""
    faults = []
    for letter in letters:
        if len(letter.written.html.encode()) >= MOST_HTML:
            faults.append(f"{letter.name} is too large")
        browser.show(shown(letter.written), TELEPHONE)
        for width in widths:
            for dark in (False, True):
                browser.resize(width, dark=dark)
                seen = browser.evaluate(MEASURE)
                where = f"{letter.name} at {width} px, {'dark' if dark else 'light'}"
                faults += [f"{where}: {fault}" for fault in seen["faults"]]
                if seen["dark"] != dark:
                    faults.append(f"{where}: the other color scheme")
                if width == TELEPHONE and "result" in letter.name and seen["first"] > FIRST_SCREEN:
                    faults.append(f"{where}: the first screen ends at {seen['first']:.0f} px")
                if width == TELEPHONE and letter.name in SHORT and seen["height"] > ONE_SCREEN:
                    faults.append(f"{where}: longer than a screen, {seen['height']} px")
    return faults


# Receipts of orders that are all good; a map of what they come to may stand below.
# Receipts of orders; in the other game's English letters it is not their reader's turn.
SHORT = {f"fww-mail-receipt-receipt.{language}" for language in LANGUAGES} | {"ttlm-mail-receipt-receipt.fr"}


def named(game: str, language: Any, made: Any, *names: str) -> list[Letter]:
    found = [Letter(f"{game}-{name}.{language}", one) for name, one in made(game, language) if name in names]
    assert len(found) == len(names)
    return found


def test_a_few_letters_can_be_read_everywhere(browser: Chromium) -> None:
    letters = [
        *named("fww", "fr", results, "result-2"),
        *named("ttlm", "en", results, "result-2"),
        *named("trench", "fr", results, "result-2", "waiting"),
        *named("fww", "en", memos_written, "invitation", "press", "reminder", "extend"),
    ]
    assert faults_of(browser, letters) == []


def test_letters_that_cannot_be_read_are_found(browser: Chromium) -> None:
    """A table that is too wide, words that are cut off, pale words, in one scheme only."""
    (letter,) = named("fww", "en", memos_written, "extend")
    spoilt = {
        "sticks out": '<p style="width:900px">x</p>',
        "cut off": '<p style="width:60px;overflow:hidden;white-space:nowrap">' + "x" * 60 + "</p>",
        "contrast": '<p style="color:#b0a890">pale</p>',
        "tiny": '<p style="font-size:8px">small</p>',
    }
    for fault, part in spoilt.items():
        html = letter.written.html.replace("</h1>", f"</h1>{part}")
        found = faults_of(browser, [letter._replace(written=letter.written._replace(html=html))], [390])
        assert any(fault in one for one in found), fault


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_letter_can_be_read_everywhere(browser: Chromium, game: str, language: Any) -> None:
    letters = list(gallery(game, language))
    names = {letter.name for letter in letters}
    assert len(letters) > 70 or game == "trench"
    assert {one for one in SHORT if one.startswith(game) and one.endswith(language)} <= names
    assert faults_of(browser, letters) == []
