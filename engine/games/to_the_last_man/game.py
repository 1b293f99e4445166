"""To the Last Man! as the kernel, the service and the conformance suite know it."""

from __future__ import annotations

from collections.abc import Collection

from engine.games.to_the_last_man import invariants, order_of_play
from engine.games.to_the_last_man.answers import ANSWERS, Side
from engine.games.to_the_last_man.bot import BOTS
from engine.games.to_the_last_man.briefing import brief, conclude
from engine.games.to_the_last_man.facts import FACTS
from engine.games.to_the_last_man.foreseen import foreseen
from engine.games.to_the_last_man.hidden import hidden
from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.odds import odds
from engine.games.to_the_last_man.pack import load_pack
from engine.games.to_the_last_man.possible import possible
from engine.games.to_the_last_man.report import Report
from engine.games.to_the_last_man.retrospect import Retrospect
from engine.games.to_the_last_man.rules.position import position
from engine.games.to_the_last_man.rules.setup import PLAYERS, seat_names, set_up
from engine.games.to_the_last_man.rules.victory import armistice, resignation, why_not_resign
from engine.games.to_the_last_man.segments import SEGMENTS
from engine.games.to_the_last_man.state import State, dump, load
from engine.games.to_the_last_man.suppositions import Suppositions
from engine.games.to_the_last_man.windows import window
from engine.kernel.errors import Refusal
from engine.kernel.game import Game, GameSettings, Outcome
from engine.kernel.requests import Seat, Segment


class ToTheLastMan(Game):
    """Nuts! Publishing's To the Last Man! The Great War in the West, by Tim Taylor."""

    id = "ttlm"
    rules_version = "2"
    names = load_pack().meta.names
    players = (PLAYERS,)
    scenarios = tuple(load_pack().scenarios)
    tail_cap = 200
    segments = SEGMENTS
    facts = FACTS
    answers = ANSWERS
    notation = NOTATION
    bots = BOTS
    suppositions = Suppositions()
    retrospect = Retrospect()

    load_pack = staticmethod(load_pack)
    set_up = staticmethod(set_up)
    position = staticmethod(position)
    views = Report
    window = staticmethod(window)
    dump = staticmethod(dump)
    load = staticmethod(load)
    brief = staticmethod(brief)
    conclude = staticmethod(conclude)
    odds = staticmethod(odds)
    forecast = staticmethod(foreseen)
    possible = staticmethod(possible)
    hidden = staticmethod(hidden)
    check = staticmethod(invariants.check_settled)
    check_fact = staticmethod(invariants.check)
    check_position = staticmethod(invariants.check_drawn)
    armistice_outcome = staticmethod(armistice)

    def seats(self, settings: GameSettings) -> tuple[Seat, ...]:
        return seat_names()

    def outcome(self, state: State) -> Outcome | None:
        return state.result

    def why_not_resign(self, state: State, seat: Seat, agreed: Collection[str] = ()) -> Refusal | None:
        """3.3-01"""
        return why_not_resign(state, _side(seat))

    def resignation_outcome(self, state: State, seat: Seat) -> Outcome:
        """3.3-01 What it comes to if that seat gives up now."""
        return resignation(state, _side(seat))

    def after_rollback(self, following: Segment, branch: int, facts: Collection[str]) -> Segment:
        """A draw pile out of which cards have come since is shuffled anew."""
        touched = "CardsDrawn" in facts and following.name != "setup"
        return order_of_play.reshuffle(following, branch) if touched else following


def _side(seat: Seat) -> Side:
    return "GE" if seat == "GE" else "EN"


GAME: Game = ToTheLastMan()
