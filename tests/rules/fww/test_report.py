"""FWW S-3, S-4: the report that is kept from question to question shows what a fresh one would."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.report import EVERYTHING, TOUCHED, Report
from engine.games.first_world_war.view import View
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.table import Table
from pbem.campaigns.bots import bind_bot, bot_rng

NOBODY = Seat("NOBODY")


def listened(players: int, seed: int, listen: Any, **options: Any) -> Table:
    """A whole game at random; `listen` hears every question."""
    table = Table.start(
        GAME, GAME.load_pack(), GameSettings(players=players, options=options), TestDice(seed)
    )
    for seat in GAME.seats(table.settings):
        play = bind_bot(GAME.bots["random"], bot_rng(b"report", seat, seed))

        def answer(view: View, ask: Ask, play: Any = play) -> Answer:
            listen(table, view, ask)
            return play(view, ask)

        table.automa = {**table.automa, seat: answer}
    table.advance()
    return table


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 2), (4, 3), (4, 4)])
def test_s__3_a_kept_report_shows_every_seat_what_a_fresh_one_shows(players, seed):
    kept: list[Report] = []
    asked = 0

    def compare(table: Table, view: View, ask: Ask) -> None:
        nonlocal asked
        asked += 1
        if not kept:
            kept.append(Report(table.state))
        if asked % 3:  # also after several changes at once
            return
        assert repr(view) == repr(Report(table.state)(ask.seat)), "of the table's own report"
        kept[0].look_again()
        for seat in (*GAME.seats(table.settings), NOBODY):
            assert repr(kept[0](seat)) == repr(Report(table.state)(seat))

    table = listened(players, seed, compare, random_order=True, unreplaced_losses="removed")
    assert table.over and asked > 100


class Watched(Table):
    """A table that sees what each fact changes."""

    seen: ClassVar[set[str]] = set()

    def _fact(self, fact: Any) -> None:
        before = parts(self.state)
        super()._fact(fact)
        changed = {part for part, now in parts(self.state).items() if before[part] != now}
        assert changed <= set(TOUCHED.get(type(fact), EVERYTHING)), type(fact).__name__
        self.seen.add(type(fact).__name__)


def parts(state: Any) -> dict[str, str]:
    beside = {part: repr(getattr(state, part)) for part in EVERYTHING if part != "fronts"}
    return {**beside, "fronts": repr((state.fronts, state.face_up))}


def test_s__3_facts_touch_what_the_report_holds_them_to_touch():
    for seed in range(8):
        settings = GameSettings(players=2 + seed % 3)
        table = Watched.start(GAME, GAME.load_pack(), settings, TestDice(seed))
        rng = {seat: bot_rng(b"touched", seat, seed) for seat in GAME.seats(settings)}
        table.automa = {seat: bind_bot(GAME.bots["random"], rng[seat]) for seat in rng}
        table.advance()
    assert {kind.__name__ for kind in TOUCHED} <= Watched.seen


def test_s__3_what_a_view_showed_it_shows_for_ever():
    """Parts are shared by many views: none of them is ever changed."""
    taken: list[tuple[View, str]] = []
    listened(3, 5, lambda table, view, ask: taken.append((view, repr(view))))
    assert len(taken) > 100
    assert all(repr(view) == shown for view, shown in taken)


def test_s__3_a_change_is_not_seen_before_the_report_looks_again():
    table = listened(2, 6, lambda *_: None)
    report = Report(table.state)
    before = report(Seat("ALLIES"))
    table.state.vp["WA"] += 1
    assert report(Seat("ALLIES")).vp == before.vp
    report.look_again()
    assert report(Seat("ALLIES")).vp["WA"] == before.vp["WA"] + 1 == table.state.vp["WA"]
    assert before.vp["WA"] == table.state.vp["WA"] - 1
