"""A seat that nobody holds is not waited for, and everything that names who is awaited says the same."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import awaited_seats
from pbem.campaigns.lobby import seat_name
from pbem.campaigns.policy import read_policy
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.clock import hold
from pbem.cli.lobby import describe_campaign
from pbem.intake.receive import receive_letter
from pbem.letters.memo import Note
from pbem.store.campaigns import campaign_row
from pbem.store.people import give_seat, seated
from pbem.store.standing_orders import file_standing_orders
from pbem.store.windows import Stamp, file_stance, open_window
from pbem.verbs.status import Status
from tests.campaigns_at_hand import NAME, AtHand, campaign_at_hand
from tests.flow.hands import flat, hand_in, passes, terms, window
from tests.verbs.contexts import context, do

pytestmark = pytest.mark.usefixtures("without_maps")

WEEK = {"days": 8, "hours": 12}  # past the deadline at 20:00
GAMES = (("fww", 4), ("ttlm", 2), ("trench", 4))
TEMPOS = ("fast", "react", "strict")


def awaited(at: AtHand) -> tuple[str, ...]:
    row, here = campaign_row(at.db, at.name), window(at)
    return awaited_seats(here.seats, seated(at.db, at.name), read_policy(row.policy).clock.phase(here.kind))


def leave(at: AtHand, *seats: str) -> None:
    for seat in seats:
        give_seat(at.db, at.name, seat, None, at.clock())
    adjudicate(at.service, at.name)


# ------------------------------------------------------------------ generated


@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_a_vacant_seat_blocks_no_window(tmp_path: Path, game: str, players: int, tempo: str) -> None:
    play_without(campaign_at_hand(tmp_path, game=game, players=players, tempo=tempo), 0, windows=4)


@pytest.mark.long
@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize(("game", "players"), (*GAMES, ("fww", 2), ("fww", 3), ("trench", 2)))
def test_no_vacant_seat_blocks_a_long_game(tmp_path: Path, game: str, players: int, tempo: str) -> None:
    for place in range(players):
        folder = tmp_path / str(place)
        folder.mkdir()
        play_without(campaign_at_hand(folder, game=game, players=players, tempo=tempo), place, windows=25)


def play_without(at: AtHand, place: int, windows: int) -> None:
    """Everybody else says READY at once: every window closes before its time, and none before they did."""
    vacant = at.seats[place]
    leave(at, vacant)
    for _ in range(windows):
        if (here := open_window(at.db, at.name)) is None:
            return
        seats = awaited(at)
        assert seats and set(seats) == set(here.seats) - {vacant}
        check_named(at, vacant, Random(here.number).choice([seat for seat in at.seats if seat != vacant]))
        for seat in seats:
            assert here.number == window(at).number, "it waits for everybody who can write"
            file_stance(at.db, at.name, here.number, seat, "ready", Stamp(at.clock()))
            adjudicate(at.service, at.name)
        following = open_window(at.db, at.name)
        assert following is None or following.number > here.number


def check_named(at: AtHand, vacant: str, asker: str) -> None:
    """STATUS, `pbem status` and the letters of results name those who are awaited, and nobody else."""
    told = next(part for part in do(context(at, asker), Status()).parts if _names(part))
    assert isinstance(told, Note) and told.facts["seats"] == awaited(at)
    assert describe_campaign(at.service, campaign_row(at.db, at.name))["waits_for"] == list(awaited(at))
    for seat in set(at.seats) - {vacant, *awaited(at)}:
        campaign = load_campaign(at.db, at.name)
        words = flat(at.letters(seat, "result")[0])
        named = [seat_name(campaign.terms, one, "fr") for one in campaign.terms.seats if one == vacant]
        assert f"la campagne attend {named[0]}" not in words and f"waits for {named[0]}" not in words


def _names(part: Any) -> bool:
    return isinstance(part, Note) and part.code == "status-waits"


# ------------------------------------------------------------------ its bounds


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    return campaign_at_hand(tmp_path)


def test_it_goes_on_as_soon_as_the_last_one_missing_gives_up(at: AtHand) -> None:
    for seat in at.seats:
        if seat != "WA":
            hand_in(at, seat)
    assert not adjudicate(at.service, NAME)
    leave(at, "WA")
    assert window(at).key == "T1.R"


def test_what_is_on_file_for_it_counts_and_nobody_can_tell_that_it_is_there(at: AtHand) -> None:
    """Whether the former holder left standing orders is their secret: it must not show in the pace."""
    file_standing_orders(at.db, NAME, "WA", "DEFEND ALL: TILE BEST", Stamp(at.clock()))
    leave(at, "WA")
    assert "WA" not in awaited(at)


def test_a_campaign_that_nobody_plays_does_not_run_away(at: AtHand) -> None:
    leave(at, *at.seats)
    assert window(at).number == 1 and awaited(at) == window(at).seats
    assert not adjudicate(at.service, NAME)
    assert passes(at, **WEEK), "the deadline holds"
    assert window(at).number == 2


def test_the_umpires_hold_waits_for_a_new_player(at: AtHand) -> None:
    leave(at, "WA")
    hold(Umpire(at.service, NAME, "somebody is sought"))
    for seat in at.seats:
        if seat != "WA":
            hand_in(at, seat)
    assert not adjudicate(at.service, NAME) and window(at).number == 1


@pytest.mark.parametrize("measure", ["hold", "automa"])
def test_where_more_than_the_default_is_agreed_on_the_seat_is_waited_for(
    tmp_path: Path, measure: str
) -> None:
    at = campaign_at_hand(tmp_path, policy=terms(measure))
    leave(at, "WA")
    assert "WA" in awaited(at)


def test_windows_without_orders_are_counted_and_the_agreed_measure_comes(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, policy=terms("standing", "substitute", "automa"))
    leave(at, "WA")
    for number in (1, 2):
        assert number == window(at).number and "WA" not in awaited(at)
        for seat in awaited(at):
            hand_in(at, seat)
        assert adjudicate(at.service, NAME)
        missed = {one.seat: one.missed for one in seated(at.db, NAME)}
        assert missed == {"WA": number} | dict.fromkeys(("DE", "EA", "GA"), 0)
    assert "WA" in awaited(at), "an automa plays it, when the time is up"


def test_a_phase_that_is_not_played_early_waits_for_its_deadline(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path, game="trench", players=2, policy=terms(early=False))
    while len(window(at).seats) > 1:
        at.close()
    number, (mine,) = window(at).number, window(at).seats
    leave(at, mine)
    assert number == window(at).number and awaited(at) == ()
    assert passes(at, **WEEK) and number < window(at).number


# ------------------------------------------------------------------ a letter by which its writer leaves


def test_nothing_is_awaited_of_somebody_who_has_just_left(at: AtHand) -> None:
    receive_letter(at.service, at.arrives(at.reply("EA", "RESIGN")), "test")
    question = at.letters("EA")[0]
    assert "due by" in flat(question), "not confirmed yet"
    receive_letter(at.service, at.arrives(at.reply("EA", "CONFIRM", to=question)), "test")
    told = flat(at.letters("EA")[0])
    assert "awaited" not in told and "You may write again" not in told
