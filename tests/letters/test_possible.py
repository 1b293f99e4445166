"""Orders that a letter lists as possible: each is legal as it stands, alone and in the form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from engine.games import GAMES
from engine.kernel.game import Language, Tempo
from engine.kernel.records import Pause
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from pbem.letters.order_form import asks_of_window, form_lines, has_form, is_form_remark
from pbem.letters.phrases import LANGUAGES, load_phrases, sheet_kind
from pbem.letters.render import WIDTH
from tests.conformance.games import TEMPOS, Case, cases
from tests.letters.test_turns import PLAYED, asked, pauses

MOST_ROWS = 60  # of a form
SAMPLE = 5  # lines of a kind that are tried, besides those of the form


def situations(name: str, tempo: Tempo, most: int) -> Iterator[tuple[Table, Pause, Seat, tuple[Ask, ...]]]:
    """Who is asked, and all that the exchange asks of them."""
    for table, pause in pauses(PLAYED[name], tempo, most):
        phrases = load_phrases(table.game.id, "en", table.pack)
        for seat, asks in asked(pause).items():
            label, view = pause.window.key.partition("/")[0], table.view(seat)
            whole = not pause.window.once and has_form(label, phrases)
            yield table, pause, seat, asks_of_window(table.game, view, label, asks) if whole else asks


def judged(table: Table, seat: Seat, *lines: str) -> list[str]:
    """What becomes of the orders; everything else is a mistake of ours."""
    reading = table.game.notation.read("\n".join(lines), table.view(seat))
    assert not reading.refusals, (lines, reading.refusals)
    verdicts = judge_sheet(table, seat, OrderFile(sheet=(*reading.orders, *reading.standing)))
    for one in verdicts:
        assert one.status != "refused" and one.refusal is None, (seat, lines, one)
    return [one.status for one in verdicts]


@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize("name", GAMES)
def test_every_line_that_is_listed_is_legal_by_itself(name: str, tempo: Tempo) -> None:
    statuses = Counter[str]()
    for table, pause, seat, asks in situations(name, tempo, 2):
        for group in table.game.possible(table.view(seat), asks, "en"):
            step = max(1, len(group.lines) // SAMPLE)
            for line in dict.fromkeys((*group.lines[: group.first], *group.lines[::step])):
                found = judged(table, seat, *filter(None, (group.after, line)))
                statuses.update(found)
                assert "idle" not in found, (pause.window, group, line)
    assert statuses["accepted"] > statuses["untested"] > -1, statuses


@pytest.mark.long
@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize("case", [case for case in cases() if case.game.id in GAMES], ids=str)
def test_the_same_with_every_set_of_options(
    case: Case, tempo: Tempo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PLAYED, case.game.id, case)
    for table, _, seat, asks in situations(case.game.id, tempo, 6):
        for group in table.game.possible(table.view(seat), asks, "en"):
            for line in group.lines[:: max(1, len(group.lines) // SAMPLE)]:
                judged(table, seat, *filter(None, (group.after, line)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_form_in_which_one_sign_is_taken_away_holds_that_order(name: str, language: Language) -> None:
    """Whatever else stands in the form may stay as it is."""
    tried = Counter[str]()
    for table, pause, seat, asks in situations(name, "react", 1):
        label, view = pause.window.key, table.view(seat)
        phrases = load_phrases(name, language, table.pack)
        if pause.window.once or not has_form(label, phrases):
            continue
        rows = form_lines(table.game, view, label, phrases, asks)
        assert len(rows) <= MOST_ROWS and all(len(row) <= WIDTH for row in rows), rows
        after = {
            line: group.after for group in table.game.possible(view, asks, language) for line in group.lines
        }
        for place, row in enumerate(rows):
            if not is_form_remark(row) or (line := row.removeprefix("# ")) not in after:
                continue
            kept = [one for one in (after[line], *rows[:place], line, *rows[place + 1 :]) if one]
            judged(table, seat, *(one for one in kept if not is_form_remark(one)))
            tried[sheet_kind(label)] += 1
    assert tried, name
