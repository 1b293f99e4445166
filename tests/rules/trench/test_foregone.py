"""What is foregone for lines before the first round: from what their writer sees."""

from __future__ import annotations

from engine.games.trench_club.foregone import Outlook
from engine.games.trench_club.game import GAME
from engine.games.trench_club.view import View
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Seat
from engine.kernel.table import Table


def at(players: int, part: str, seat: str = "") -> tuple[View, str]:
    """The view of the seat, or of whoever is asked, in that part of the set-up, and the key of the window."""
    table = Table.start(GAME, GAME.load_pack(), GameSettings("standard", players, "strict"), TestDice(3))
    pause = table.advance()
    while pause is not None and not pause.window.key.partition("/")[0].endswith(part):
        pause = table.advance()
    assert pause is not None
    return table.view(Seat(seat or pause.window.seats[0])), pause.window.key.partition("/")[0]


def outlook(view: View, window: str, sheet: str) -> Outlook:
    reading = GAME.notation.read(sheet, view)
    lines = sorted((*reading.orders, *reading.standing), key=lambda line: line.number)
    return Outlook(view, lines, (), window)


def test_setup_21_who_plays_alone_places_what_is_sent_with_the_split_and_others_only_if_they_flip() -> None:
    for players, alone in ((1, True), (2, False)):
        view, window = at(players, "S")
        going = outlook(view, window, "PLACE INF1@B9")
        assert going.is_idle(going.sheet[0]) is not alone
        flipped = outlook(view, window, "FLIP B A C\nPLACE INF1@B9")
        assert not flipped.is_idle(flipped.sheet[1])


def test_money_7_a_gift_sent_with_a_flip_has_no_effect_while_more_is_to_be_placed() -> None:
    view, window = at(4, "F")
    seat, camp = view.seat, view.camp
    assert window.split(".")[2] == seat
    left = sum(f"{camp}.{company}" not in view.position.numbers for company in "ABC")
    going = outlook(view, window, "GIVE 1")
    assert going.is_idle(going.sheet[0]) is (left > 1)
    other = outlook(view, window.replace(f".{seat}.", ".XX."), "GIVE 1")
    assert other.is_idle(other.sheet[0]) is (left > 0)


def test_money_8_all_that_there_is_may_be_given_and_no_more() -> None:
    view, window = at(4, "F", "DE")
    position = view.position
    ally = position.ally_of("DE")
    assert ally is not None
    most = position.money["DE"] + max(0, position.money[ally] - position.pack.money.transfer_fee)
    all_of_it, more = (outlook(view, window, f"GIVE {amount}") for amount in (most, most + 1))
    assert all_of_it.why_lost(all_of_it.sheet[0]) is None
    refusal = more.why_lost(more.sheet[0])
    assert refusal is not None and (refusal.rule, refusal.reason) == ("TC-MONEY-8", "not-enough-money")
