"""RESIGN and ARMISTICE in a game whose rules say what they come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kernel.fairness.audit import Secrets
from engine.kernel.fairness.dice import Chain, H
from engine.kernel.game import Outcome
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.lobby import open_campaign
from pbem.context import ServiceContext
from pbem.letters.memo import Note, note_text
from pbem.mail.addresses import SeatAddresses
from pbem.settings import ServiceProfile
from pbem.store.campaigns import Keys, acts, campaign_row
from pbem.store.people import add_member, enrol, give_seat
from tests.campaigns_at_hand import MAILBOX, PEOPLE, UMPIRE, AtHand, Clock, run_on
from tests.orders import commands as c
from tests.stores import fresh_store
from tests.verbs.contexts import context, do

pytestmark = pytest.mark.usefixtures("without_maps")

NAME = "TTLM-1"


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    """1914: eleven victory points, a Stalemate."""
    return begun(tmp_path, "1914")


def begun(folder: Path, scenario: str) -> AtHand:
    clock = Clock()
    service = ServiceContext(
        fresh_store(folder),
        SeatAddresses(H("test addresses"), MAILBOX),
        ServiceProfile(umpires=(UMPIRE,)),
        clock,
    )
    secrets = Secrets(Chain(H("test chain", NAME), 512), H("test seal", NAME))
    keys = Keys(secrets, H("test bots", NAME), H("test mail", NAME))
    terms = open_campaign(service, NAME, "ttlm", scenario=scenario, keys=keys)
    holders = {str(seat): address for seat, address in zip(terms.seats, PEOPLE, strict=False)}
    for seat, address in holders.items():
        person = enrol(service.db, address, *PEOPLE[address], clock())
        give_seat(service.db, NAME, seat, person, clock())
    add_member(
        service.db,
        NAME,
        enrol(service.db, UMPIRE, "Ursula Ump", "en", "Europe/London", clock()),
        "umpire",
        clock(),
    )
    run_on(service, NAME, "opening")
    return AtHand(service, clock, NAME, holders)


def ended(at: AtHand) -> Outcome | None:
    return load_campaign(at.db, at.name).table.outcome


def test_whoever_resigns_loses_one_level_and_the_game_ends(at: AtHand) -> None:
    """TTLM-3.3-01"""
    told = do(context(at, "GE"), c.Resign())
    assert told.deed.serious and told.codes == ["consent-resigned"]
    run_on(at.service, at.name, "umpire")
    assert ended(at) == Outcome((Seat("EN"),), "resignation", {"VP": 11, "level": -1})
    assert campaign_row(at.db, at.name).state == "over"
    assert [act.act for _, act in acts(at.db, at.name)][-1] == "resignation"
    assert do(context(at, "EN"), c.Resign()).codes == ["is-over"]


def test_the_question_says_that_it_ends_the_game_and_who_would_win(at: AtHand) -> None:
    """TTLM-3.3-01"""
    heard = context(at, "GE")
    (meaning,) = do(heard, c.Resign()).deed.meaning
    assert isinstance(meaning, Note)
    told = note_text(meaning, heard.phrases)
    assert "ABANDONNE met fin à TTLM-1 pour tous" in told and "Entente" in told, told


def test_whoever_is_ahead_may_not_resign(tmp_path: Path) -> None:
    """TTLM-3.3-01"""
    at = begun(tmp_path, "1915")
    told = do(context(at, "GE"), c.Resign())
    assert told.codes == ["plain"] and ended(at) is None
    assert "resign" in told.flat or "abandonne" in told.flat
    assert do(context(at, "EN"), c.Resign()).codes == ["consent-resigned"]


def test_an_armistice_ends_it_at_the_level_of_the_moment(tmp_path: Path) -> None:
    """TTLM-3.2-01"""
    at = begun(tmp_path, "1915")
    do(context(at, "GE"), c.Armistice("offer"))
    assert do(context(at, "EN"), c.Armistice("accept")).codes == ["consent-carried-armistice"]
    run_on(at.service, at.name, "umpire")
    assert ended(at) == Outcome((Seat("GE"),), "armistice", {"VP": 18, "level": 1})
