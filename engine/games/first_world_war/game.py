"""The First World War as the kernel, the service and the conformance suite know it."""

from __future__ import annotations

from engine.games.first_world_war import invariants
from engine.games.first_world_war.answers import ANSWERS
from engine.games.first_world_war.bot import BOTS
from engine.games.first_world_war.briefing import brief, conclude
from engine.games.first_world_war.examples import Examples
from engine.games.first_world_war.facts import FACTS
from engine.games.first_world_war.foreseen import foreseen
from engine.games.first_world_war.hidden import hidden
from engine.games.first_world_war.notation import NOTATION
from engine.games.first_world_war.odds import odds
from engine.games.first_world_war.pack import load_pack
from engine.games.first_world_war.possible import possible
from engine.games.first_world_war.report import Report
from engine.games.first_world_war.retrospect import Retrospect
from engine.games.first_world_war.rules.position import position
from engine.games.first_world_war.rules.setup import SCENARIOS, seat_names, set_up
from engine.games.first_world_war.segments import SEGMENTS
from engine.games.first_world_war.state import State, dump, load
from engine.games.first_world_war.suppositions import Suppositions
from engine.games.first_world_war.windows import window
from engine.kernel.game import Game, GameSettings, Outcome
from engine.kernel.requests import Seat


class FirstWorldWar(Game):
    """Phalanx Games' The First World War, by Ted Raicer."""

    id = "fww"
    rules_version = "2"
    names = load_pack().meta.names
    players = load_pack().meta.players
    scenarios = SCENARIOS
    tail_cap = 100
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
    examples = Examples
    hidden = staticmethod(hidden)
    check = staticmethod(invariants.check)

    def seats(self, settings: GameSettings) -> tuple[Seat, ...]:
        return seat_names(load_pack(), settings.players)

    def outcome(self, state: State) -> Outcome | None:
        return state.result


GAME: Game = FirstWorldWar()
