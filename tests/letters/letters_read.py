"""What every letter of ours has to be, whatever it says."""

from __future__ import annotations

import tomllib
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

from engine.games import game
from engine.games.first_world_war.pack import load_pack
from pbem.letters.phrases import Phrases
from pbem.letters.render import WIDTH, LetterBody
from pbem.orders.own_text import begins_block, is_end, marker
from pbem.resources import templates_folder

FWW = game("fww")
PACK = load_pack()
UNTOLD = "<Macro", "{{", "{%", "Undefined", "None", "datetime", "Moment("
MOST_HTML = 100_000
MEDIA = ["(prefers-color-scheme: dark)", "print"]


@cache
def words(language: Any, game_id: str = "fww") -> Phrases:
    return Phrases(game_id, language, PACK if game_id else None)


class Page(HTMLParser):
    """All that is written in a page, its elements, and what it would load."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.loaded: list[str] = []
        self.tags: list[str] = []
        self.styles = ""
        self.feed(html)

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["style"]:
            self.styles += data
        else:
            self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "background")]

    @property
    def text(self) -> str:
        return plain(" ".join(self.found))


def plain(text: str) -> str:
    return " ".join(text.split())


def check_letter(written: LetterBody, *, wide: bool = False, blocks: int = 0, board: str = "") -> None:
    """Text of 72 columns without trailing blanks, framed; the same words as HTML; nothing loaded.

    `board`: the part of the text that stands in the page as tables, its words in another order.
    """
    lines = written.text.splitlines()
    assert wide or max(map(len, lines)) <= WIDTH, max(lines, key=len)
    assert not [line for line in lines if line != line.rstrip()]
    assert "" not in [a or b for a, b in pairwise(lines)]
    assert [marker(line) for line in lines if marker(line)] == ["begin", "end"]
    assert marker(lines[0]) == "begin" and marker(lines[-1]) == "end"
    assert not [part for part in UNTOLD if part in written.text + written.subject]
    assert written.subject and "\n" not in written.subject
    assert sum(begins_block(line) for line in lines) == blocks, [one for one in lines if begins_block(one)]
    assert sum(is_end(line) for line in lines) == blocks
    check_page(written, board)


def check_page(written: LetterBody, board: str = "") -> None:
    page = Page(written.html)
    check_loads_nothing(written.html, page)
    assert not {"script", "iframe", "link", "form", "object"} & set(page.tags)
    assert len(written.html.encode()) < MOST_HTML
    compact = page.text.replace(" ", "").casefold()
    assert board in written.text
    for line in written.text.replace(board, "").splitlines():
        said = "".join(line.split()).casefold().removeprefix("-").removeprefix("=>")
        if not set(said) <= set("=-"):
            assert said in compact, line


def check_loads_nothing(html: str, page: Page) -> None:
    """Styles stand in the elements; in the head there are only those for dark mode and print."""
    assert page.tags.count("style") == 1 and html.count('style="') > 5
    rules = page.styles.strip()
    assert [rule.partition("{")[0].strip() for rule in rules.split("@media")[1:]] == MEDIA
    assert rules.startswith("@media") and "url(" not in rules and "@import" not in rules
    assert "http" not in html
    assert [one for one in page.loaded if not one.startswith("cid:") and one != "#orders"] == []


def phrase_files(language: Any) -> dict[str, list[tuple[str, str]]]:
    """Section and key of every phrase that no game owns, by file."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted((templates_folder() / "phrases" / "common" / language).glob("*.toml")):
        data = tomllib.loads(path.read_text("utf-8"))
        sections = {name: part for name, part in data.items() if isinstance(part, dict)}
        found[path.name] = [(name, key) for name, part in sections.items() for key in part]
    return found
