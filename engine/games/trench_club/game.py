"""Trench Club as the kernel, the service and the conformance suite know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.games.trench_club import invariants
from engine.games.trench_club.answers import ANSWERS
from engine.games.trench_club.bot import BOTS
from engine.games.trench_club.briefing import brief
from engine.games.trench_club.facts import FACTS
from engine.games.trench_club.foreseen import foreseen
from engine.games.trench_club.hidden import hidden
from engine.games.trench_club.notation import NOTATION
from engine.games.trench_club.odds import odds
from engine.games.trench_club.overlays import reach_of
from engine.games.trench_club.pack import load_pack
from engine.games.trench_club.possible import possible
from engine.games.trench_club.replay import frames
from engine.games.trench_club.retrospect import Retrospect
from engine.games.trench_club.rules.position import position
from engine.games.trench_club.rules.setup import PLAYERS, SCENARIO, seat_names, set_up
from engine.games.trench_club.rules.victory import people_of, resigned, why_not_resign
from engine.games.trench_club.segments import SEGMENTS
from engine.games.trench_club.state import State, dump, load
from engine.games.trench_club.suppositions import Suppositions
from engine.games.trench_club.variants import VARIANTS
from engine.games.trench_club.view import Report, View
from engine.games.trench_club.windows import window
from engine.kernel.game import Game, GameSettings, Outcome, ReceiptBoard
from engine.kernel.requests import Fact, Seat


class TrenchClub(Game):
    """PKB Games' Trench Club, by Philipp K. Berger."""

    id = "trench"
    rules_version = "2"
    names = load_pack().meta.names
    players = PLAYERS
    scenarios = (SCENARIO,)
    variants = VARIANTS
    tail_cap = 200
    whole_sheets = True  # moves hang together: a sheet counts whole or not at all (decisions 4)
    receipt_board = ReceiptBoard(  # receipts show the board before the dice, or else at the end of the turn
        until=frozenset({"combat", "turn"}),
        facts=frozenset(
            {
                "UnitMoved", "CargoUnloaded", "FortConquered", "MineLaid", "MineExploded", "Built",
                "AttacksListed", "UnitRepaired", "UnitBought", "MoneyGiven",
            }
        ),
    )  # fmt: skip
    segments = SEGMENTS
    facts = FACTS
    answers = ANSWERS
    notation = NOTATION
    suppositions = Suppositions()
    bots = BOTS
    retrospect = Retrospect()

    load_pack = staticmethod(load_pack)
    set_up = staticmethod(set_up)
    position = staticmethod(position)
    views = Report
    window = staticmethod(window)
    dump = staticmethod(dump)
    load = staticmethod(load)
    brief = staticmethod(brief)
    odds = staticmethod(odds)
    forecast = staticmethod(foreseen)
    possible = staticmethod(possible)
    hidden = staticmethod(hidden)
    check = staticmethod(invariants.check)
    overlay = staticmethod(reach_of)  # MAP REACH CAR1
    resignation_outcome = staticmethod(resigned)
    why_not_resign = staticmethod(why_not_resign)

    def seats(self, settings: GameSettings) -> tuple[Seat, ...]:
        return seat_names(load_pack(), settings)

    def outcome(self, state: State) -> Outcome | None:
        return state.result

    def allies(self, state: State, seat: Seat) -> tuple[Seat, ...]:
        """VICTORY-3 Who gives up only together with that seat, and may take it over."""
        team = people_of(state, state.pack.team_of[seat])
        return tuple(Seat(nation) for nation in team if nation != seat)

    def frames(self, before: View, facts: Sequence[Fact]) -> Sequence[Any]:
        """A turn step by step."""
        return frames(before.position, facts)


GAME: Game = TrenchClub()
