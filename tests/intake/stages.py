"""Campaigns of every game, each stopped where another kind of letter may be written to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from engine.kernel.fairness.dice import H
from engine.kernel.replay import is_kind
from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.bots import default_bot
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.terms import find_game
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.branches import order_rollback
from pbem.campaigns.umpire.clock import hold
from pbem.context import ServiceContext
from pbem.intake.receive import receive_letter
from pbem.mail.addresses import SeatAddresses
from pbem.orders.understood import Writer
from pbem.settings import ServiceProfile
from pbem.store.campaigns import campaign_row
from pbem.store.people import add_member, enrol, give_seat, give_to_bot, person_at, seated
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import (
    MAILBOX,
    OBSERVER,
    UMPIRE,
    AtHand,
    Clock,
    campaign_at_hand,
    found_campaign,
    mail,
)
from tests.conformance.games import POLICIES, STANDING
from tests.stores import FILE, copied_store, file_of, fresh_store, patterns_folder

STRANGER, STRANGER_TOO = "sam@nowhere.test", "sylvie@nowhere.test"
UMPIRE_FR, OBSERVER_FR = "ulysse@umpires.test", "odile@watchers.test"
MOST_CLOSES = 40
OTHER = "FWW-9"  # a campaign in which players of the first one play as well

# How a letter comes: with the token of its writer's seat, to the mailbox, or there without a campaign's name.
Way: TypeAlias = Literal["token", "plain", "nameless"]


@dataclass(frozen=True)
class Stage:
    """A campaign stopped somewhere. `made`: copies begin there; `name`: what kind of window is open."""

    game: str
    name: str
    made: AtHand

    def copy(self, folder: Path) -> AtHand:
        clock = replace(self.made.clock)
        store = copied_store(file_of(self.made.db), folder / FILE)
        service = replace(self.made.service, db=store, now=clock)
        return AtHand(service, clock, self.made.name, dict(self.made.addresses))

    @property
    def writers(self) -> dict[Writer, tuple[str, ...]]:
        """Who may write, by their roles; each role speaks English and French."""
        return {
            "player": tuple(self.made.addresses),
            "umpire": (UMPIRE, UMPIRE_FR),
            "observer": (OBSERVER, OBSERVER_FR),
            "stranger": (STRANGER, STRANGER_TOO),
        }


def write_to(at: AtHand, writer: str, text: str, way: Way = "token") -> bytes:
    """A letter of a seat, by the reply address of the open window; of anybody else, to the mailbox."""
    if writer not in at.addresses or way != "token":
        subject = "" if way == "nameless" else f"[{at.name}]"
        sender = at.addresses.get(writer, writer)
        return mail(text, sender=sender, subject=subject, date=at.clock())
    window = read_orders(at.db, at.name).window
    mine = next(one for one in seated(at.db, at.name) if one.seat == writer)
    number = 0 if window is None else window.number
    token = at.service.addresses.reply_address(at.name, writer, mine.holder, number)
    subject = f"Re: [{at.name}]"
    return mail(text, sender=at.addresses[writer], recipient=token, subject=subject, date=at.clock())


# ------------------------------------------------------------------ where they are stopped


def _begun(game: str, tempo: str = "fast", players: int = 0) -> AtHand:
    """In the first window; with members who read French."""
    db, folder = fresh_store(patterns_folder()), patterns_folder()
    name = f"{game.upper()}-1"
    at = campaign_at_hand(folder, name=name, players=players or 2, tempo=tempo, game=game, db=db)
    _add_french_members(at.service, name)
    return at


def _add_french_members(service: ServiceContext, name: str) -> None:
    db, now = service.db, service.now()
    ulysse = enrol(db, UMPIRE_FR, "Ulysse", "fr", "Europe/Paris", now)
    odile = enrol(db, OBSERVER_FR, "Odile", "fr", "Europe/Paris", now)
    add_member(db, name, ulysse, "umpire", now)
    add_member(db, name, odile, "observer", now)


def _lobby(game: str) -> AtHand:
    """Founded, everybody there, and not begun."""
    clock, db = Clock(), fresh_store(patterns_folder())
    house = ServiceProfile(umpires=(UMPIRE,))
    service = ServiceContext(db, SeatAddresses(H("test addresses"), MAILBOX), house, clock)
    name = f"{game.upper()}-1"
    holders = found_campaign(service, name, 2, "fast", game=game)
    _add_french_members(service, name)
    return AtHand(service, clock, name, holders)


# The kinds of windows in which a game is played, after what it opens with.
PLAYED = {"fww": "RC", "trench": "G", "ttlm": "2"}


def _play_on(at: AtHand, game: str, *, once: bool = False) -> AtHand:
    """Until such a window is open, or one of a single question: the defaults answer everything."""
    for _ in range(MOST_CLOSES):
        window = read_orders(at.db, at.name).window
        if window is not None and (window.kind in PLAYED[game] or (once and window.once)):
            break
        at.clock.passes(days=1)
        at.close()
    return at


def _ordinary_turn(game: str) -> AtHand:
    return _play_on(_begun(game), game)


def _single_question(game: str) -> AtHand:
    """Every question by mail; where none is asked alone, a turn of that tempo."""
    return _play_on(_begun(game, "strict"), game, once=True)


def _several_seats(game: str) -> AtHand:
    """With as many players as the game takes, and the questions in between by mail."""
    return _play_on(_begun(game, "react", max(find_game(game).players)), game)


def _filed(game: str) -> AtHand:
    """Orders and standing orders of every seat are on file, a line of each is bad, and all wait."""
    at = _ordinary_turn(game)
    for seat in at.seats:
        here = load_campaign(at.db, at.name)
        lines = [*POLICIES[game](here.view(Seat(seat))).splitlines()[:6], "ATTACK 77 WITH NOBODY"]
        sheet = "\n".join(["ORDERS", *lines, "END", "STANDING", STANDING[game][1], "END", "WAIT"])
        _write(at, seat, sheet)
    return at


def _held(game: str) -> AtHand:
    at = _ordinary_turn(game)
    hold(Umpire(at.service, at.name))
    return at


def _frozen(game: str) -> AtHand:
    """A Close is frozen, and nobody has carried it out yet."""
    at = _ordinary_turn(game)
    load_campaign(at.db, at.name).freeze(read_orders(at.db, at.name), "deadline", at.clock())
    return at


def _branch(game: str) -> AtHand:
    """Gone back to an earlier segment: the letters of the window that was open there prove nothing new."""
    at = _ordinary_turn(game)
    for _ in range(3):
        at.clock.passes(days=1)
        at.close()
    keys = [
        line.data["key"] for line in load_campaign(at.db, at.name).course().lines if is_kind(line, "seam")
    ]
    order_rollback(Umpire(at.service, at.name, "a lost letter"), keys[len(keys) // 2])
    adjudicate(at.service, at.name)
    return at


def _offices(game: str) -> AtHand:
    """With as many players as the game takes: one holds two seats, umpires, and plays elsewhere as well.

    Where there are seats enough a bot holds the last one.
    """
    at = _several_seats(game)
    found_campaign(at.service, OTHER, 2, "fast")
    first, second, *others = at.seats
    both = person_at(at.db, at.addresses[first])
    assert both is not None
    add_member(at.db, at.name, both.id, "umpire", at.clock())
    if others:
        give_seat(at.db, at.name, second, both.id, at.clock())
        give_to_bot(at.db, at.name, others[-1], default_bot(find_game(game)))
    kept = {
        seat: at.addresses[first] if seat == second and others else one for seat, one in at.addresses.items()
    }
    return replace(at, addresses={seat: one for seat, one in kept.items() if seat not in others[-1:]})


def _proposed(game: str) -> AtHand:
    """An armistice is offered, and the others have not answered."""
    at = _ordinary_turn(game)
    _write(at, at.seats[0], "ARMISTICE")
    return at


def _over(game: str) -> AtHand:
    """All have agreed to an armistice."""
    at = _proposed(game)
    for seat in at.seats[1:]:
        _write(at, seat, "ARMISTICE ACCEPT")
    adjudicate(at.service, at.name)
    row = campaign_row(at.db, at.name)
    assert row.state == "over", "the armistice has ended it"
    return at


def _write(at: AtHand, seat: str, text: str) -> None:
    """A letter, and CONFIRM if it is asked for."""
    at.clock.passes(minutes=5)
    receive_letter(at.service, at.arrives(write_to(at, seat, text)), "stages")
    asked = at.letters(seat, "question")
    if asked:
        at.clock.passes(minutes=5)
        receive_letter(at.service, at.arrives(at.reply(seat, "CONFIRM", asked[0])), "stages")


STOPS: Mapping[str, Callable[[str], AtHand]] = {
    "lobby": _lobby,
    "opening": _begun,
    "turn": _ordinary_turn,
    "question": _single_question,
    "several": _several_seats,
    "filed": _filed,
    "proposed": _proposed,
    "held": _held,
    "frozen": _frozen,
    "branch": _branch,
    "offices": _offices,
    "over": _over,
}


@cache
def stage(game: str, name: str) -> Stage:
    """Made once for each process; every letter is written to a copy."""
    at = STOPS[name](game)
    at.db.dispose()
    return Stage(game, name, at)
