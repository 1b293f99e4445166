"""What a seat is answered depends on its own things and on public ones, and on nothing else.

Two worlds: the same campaign twice, with other things hidden from the reader. His answers are the same.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.kernel.fairness.audit import SentMark
from engine.kernel.requests import Seat
from pbem.store.inbox import store_mark
from pbem.store.people import add_absence, person_at, update_person
from pbem.store.standing_orders import file_standing_orders
from pbem.store.windows import (
    Stamp,
    StoredSheet,
    file_sheet,
    file_stance,
    open_window,
)
from pbem.verbs.context import LetterContext
from tests.campaigns_at_hand import OBSERVER, AtHand, campaign_at_hand
from tests.conformance.exchanges import anything
from tests.orders import commands as c
from tests.verbs.contexts import context, do, of_person, on

COMMANDS: tuple[c.Command, ...] = (
    c.Help(), c.Status(), c.Hand(), c.Map(), c.History(), c.History("T1"), c.ShowRule("6.1-4"),
    c.ShowStanding(), c.Odds("ATTACK 8 WITH RU1"), c.Verify(), c.ListCampaigns(), c.Ready(), c.Wait(),
    c.TellLuck(), c.Cancel(), c.Cancel((1,)), c.Salt("x"), c.Absent(date(2026, 11, 20), date(2026, 12, 1)),
    c.Absent(None, None),
    c.Zone("UTC"), c.Press(("WA",), "hello"), c.ProposeRollback("T1.D1"), c.Agree(), c.Armistice(),
    c.Armistice("accept"), c.Armistice("refuse"), c.Resign(), c.Stop(), c.Watch(),
)  # fmt: skip
TOLD: tuple[c.Command, ...] = (c.Status(), c.Hand(), c.Odds("ATTACK 8 WITH RU1"), c.ShowStanding())


def answers(heard: LetterContext, commands: tuple[c.Command, ...]) -> list[tuple[str, Any, list[bytes]]]:
    told = []
    for command in commands:
        answer = do(heard, command, keep=False)
        files = [one.content for one in answer.deed.enclosures]
        told.append((answer.text, (answer.deed.serious, answer.deed.adjudicate), files))
    return told


def others_write(at: AtHand) -> None:
    """The three other seats put things on file, and change what is theirs."""
    window = open_window(at.db, at.name)
    assert window is not None
    for number, (seat, orders) in enumerate((("WA", "DEPLOY FR1 > 1"), ("DE", "DEPLOY DE1 > 8"))):
        at_once = Stamp(at.clock() + timedelta(minutes=number))
        file_sheet(at.db, at.name, window.number, seat, StoredSheet(orders), at_once)
        store_mark(at.db, at.name, seat, None, SentMark(f"<{seat}@x>", "", "salt"), at.clock())
    file_sheet(at.db, at.name, window.number, "GA", StoredSheet("", "rubbish", True), Stamp(at.clock()))
    file_stance(at.db, at.name, window.number, "DE", "ready", Stamp(at.clock()))
    file_stance(at.db, at.name, window.number, "GA", "wait", Stamp(at.clock()))
    file_standing_orders(at.db, at.name, "DE", "DEFEND ALL: LEAD STRONGEST", Stamp(at.clock()))
    max_brandt = person_at(at.db, "max@de.test")
    assert max_brandt is not None
    add_absence(at.db, max_brandt.id, date(2027, 5, 1), date(2027, 5, 9))
    update_person(at.db, max_brandt.id, language="fr", zone="Asia/Tokyo")


def test_nobody_learns_what_others_have_on_file(tmp_path: Path) -> None:
    worlds = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        worlds.append(campaign_at_hand(tmp_path / name))
    others_write(worlds[1])
    for one, two in (
        (context(at, "EA") for at in worlds),
        (of_person(at, OBSERVER, "observer") for at in worlds),
    ):
        of_members = (c.Status(), c.Map(), c.History(), c.Verify(), c.TellLuck(), c.ListCampaigns())
        commands = COMMANDS if one.seat else of_members
        for command, first, second in zip(
            commands, answers(one, commands), answers(two, commands), strict=True
        ):
            assert first == second, command


def with_others_pieces(heard: LetterContext, rng: Random) -> bool:
    """Exchange ids that the reader cannot tell apart. False: there is nothing to exchange."""
    table = heard.campaign.table
    game, state = table.game, table.state
    seat = Seat(heard.seat)
    exchange = anything(state, seat, game.hidden(state, seat), rng)
    if exchange is None:
        return False
    table.state = game.load(table.pack, exchange(game.dump(state)))
    return bool(table.state.fronts != state.fronts or table.state.hands != state.hands)


@pytest.mark.parametrize("seat", ["EA", "DE"])
def test_nobody_learns_of_pieces_that_are_hidden_from_him(at: AtHand, seat: str) -> None:
    on(at)
    board = (c.Map(),)
    before, drawn, changed = (
        answers(context(at, seat, "en"), TOLD),
        answers(context(at, seat, "en"), board),
        0,
    )
    for seed in range(6):
        heard = context(at, seat, "en")
        if with_others_pieces(heard, Random(seed)):
            changed += 1
            assert answers(heard, TOLD) == before
            assert changed > 1 or answers(heard, board) == drawn  # a picture takes its time: once is enough
    assert changed >= 2


def test_the_pieces_that_were_exchanged_are_seen_by_their_owner(at: AtHand) -> None:
    """Otherwise the test above would prove nothing."""
    on(at)
    own = {seat: do(context(at, seat, "en"), c.Hand()).text for seat in at.seats}
    for seed in range(12):
        heard = context(at, "EA", "en")
        if not with_others_pieces(heard, Random(seed)):
            continue
        views = {seat: context(at, seat, "en") for seat in at.seats}
        for one in views.values():
            one.campaign.table.state = heard.campaign.table.state
        if any(do(one, c.Hand()).text != own[seat] for seat, one in views.items()):
            return
    pytest.fail("no exchange was seen by anybody")


def test_an_observer_sees_none_of_what_is_exchanged(at: AtHand) -> None:
    on(at)
    told = (c.Status(), c.Map())
    before = answers(of_person(at, OBSERVER, "observer"), told)
    for seed in range(2):
        mine, watching = context(at, "EA"), of_person(at, OBSERVER, "observer")
        if with_others_pieces(mine, Random(seed)):
            watching.campaign.table.state = mine.campaign.table.state
            assert answers(watching, told) == before


def test_the_question_of_a_window_is_its_seats_own(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, tempo="strict")
    window = open_window(at.db, at.name)
    assert window is not None and window.once
    topic = window.key.rpartition("/")[2]
    for seat in at.seats:
        if seat not in window.seats:
            for text, _, _ in answers(
                context(at, seat, "en"), (c.Status(), c.Ready(), c.Cancel(), c.History())
            ):
                assert f"/{topic}" not in text and window.key not in text
