"""4.2.4 to 4.2.6 The end of a turn: replacements (7), new tiles, the next turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.first_world_war import order_of_play
from engine.games.first_world_war.answers import Faction, ReplaceGiven
from engine.games.first_world_war.facts.board import PhaseBegan
from engine.games.first_world_war.facts.combat import (
    ArmiesGivenUp,
    ArmiesReplaced,
    ReplacementsAsked,
    TilesAdded,
)
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.state import ALLIANCE, FACTIONS, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Options, Procedure, Rng, Step, Together


def replacement_phase(state: State, turn: int) -> Procedure:
    """4.2.4 to 4.2.6 Phases 4 to 6."""
    yield PhaseBegan(turn, "replace")
    yield from replace_armies(state, f"T{turn}.P")  # 4
    yield from add_tiles(state)  # 5
    return order_of_play.next_turn(state)  # 6: its first fact moves the turn marker


# ------------------------------------------------------------------ phase 4


def replace_armies(state: State, key: str) -> Step:
    """4.2.4-1, 7-3, 7-4 Every faction brings back what it chooses, all at once; the rest is lost capacity."""
    asked: tuple[str, ...] = yield from ask_western_allies(state, key)
    asks = tuple(ask for faction in FACTIONS if (ask := replacement_question(state, faction, key, asked)))
    if asks:
        answers = yield Together(asks)
        for ask, armies in zip(asks, answers, strict=True):
            yield ArmiesReplaced(ask.given.faction, ask.given.capacity, tuple(sorted(armies)))
    if state.options["unreplaced_losses"] == "removed":  # 7-5 switch
        for faction in FACTIONS:
            if state.pool[faction]:
                yield ArmiesGivenUp(faction, tuple(state.pool[faction]))


def capacity(state: State, faction: Faction) -> int:
    """7-2, 7.1-1, 7.1-2 Own centres that the enemy does not control; his give nothing."""
    side = ALLIANCE[faction]
    return sum(ALLIANCE[state.control[town]] == side for town in state.pack.replacement.centres[faction])


def charged_to_west(state: State) -> tuple[str, ...]:
    """7.2-1 Eliminated armies of the Eastern Allies that only the Western Allies can pay for."""
    charged = state.pack.replacement.charged_to_WA
    return tuple(army for army in state.pool["EA"] if army in charged)


def ask_western_allies(state: State, key: str) -> Step:
    """7.2-2 With a player each the Eastern Allies must ask; one player for both simply has the choice."""
    candidates = charged_to_west(state)
    seat = state.seat("EA")
    if not candidates or not capacity(state, "WA") or seat == state.seat("WA"):
        return candidates
    given = ReplaceGiven("EA", candidates, len(candidates), candidates)
    asked = yield Ask(seat, "replace.ask", key, given, options(state, given), default=candidates)  # D18 all
    asked = tuple(sorted(asked))
    yield ReplacementsAsked(asked)
    return asked


def replacement_question(state: State, faction: Faction, key: str, asked: tuple[str, ...]) -> Ask | None:
    """7-2, 7-3, 7.2-3 Up to its capacity of its own pool, for the Western Allies also of what was asked."""
    foreign = asked if faction == "WA" else ()
    charged = state.pack.replacement.charged_to_WA
    own = [army for army in state.pool[faction] if army not in charged]
    pool, points = tuple(sorted((*own, *foreign))), capacity(state, faction)
    if not pool or not points:
        return None
    given = ReplaceGiven(faction, pool, points, foreign)
    default = (*ranked(state.pack, own), *ranked(state.pack, foreign))[:points]
    return Ask(
        state.seat(faction), "replace", key, given, options(state, given), default=tuple(sorted(default))
    )


def ranked(pack: Pack, armies: Sequence[str]) -> list[str]:
    """D17 Highest value first, then earliest entry, then lowest id."""
    printed, rank = pack.armies, pack.id_rank
    return sorted(armies, key=lambda army: (-printed[army].value, printed[army].entry, rank[army]))


def options(state: State, given: ReplaceGiven) -> ReplaceOptions:
    return ReplaceOptions(given.pool, given.capacity, state.pack.replacement.charged_to_WA)


@dataclass(frozen=True, slots=True)
class ReplaceOptions(Options):
    """7-2, 7-3 Any armies of the pool up to the capacity, in any order."""

    pool: tuple[str, ...]
    capacity: int
    charged: tuple[str, ...]  # 7.2-1 not to be had on one's own account

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, tuple):
            return Illegal("FWW-7-3", "not-a-list")
        for army in answer:
            if army not in self.pool:
                if army in self.charged:
                    return Illegal("FWW-7.2-3", "charged-to-the-west", {"counter": army})
                return Illegal("FWW-7-3", "not-in-the-pool", {"counter": str(army)})
        if len(set(answer)) < len(answer):
            return Illegal("FWW-7-3", "named-twice")
        if len(answer) > self.capacity:
            return Illegal("FWW-7-2", "over-capacity", {"capacity": self.capacity, "named": len(answer)})
        return None

    def sample(self, rng: Rng) -> Answer:
        """Any number, then any armies of that number."""
        left = list(self.pool)
        number = rng.randrange(min(self.capacity, len(left)) + 1)
        return tuple(sorted(left.pop(rng.randrange(len(left))) for _ in range(number)))

    def only(self) -> tuple[Answer] | None:
        return None if self.pool and self.capacity else ((),)

    def describe(self) -> Sequence[Answer]:
        """None, each alone, and as many as there may be."""
        most = self.pool[: self.capacity]
        singles = [(army,) for army in self.pool] if self.capacity else []
        return [(), *singles, *([most] if len(most) > 1 else [])]


# ------------------------------------------------------------------ phase 5


def add_tiles(state: State) -> Step:
    """4.2.5-1 The tiles of the next turn go into their cups."""
    coming = state.pack.tiles_for_turn[state.turn + 1]
    for alliance in state.pack.alliances:
        if tiles := tuple(t for t in coming if t in state.aside and state.pack.tiles[t].alliance == alliance):
            yield TilesAdded(alliance, tiles)
