"""4.2.3 The victory check, and 8 who wins."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from engine.games.first_world_war import order_of_play
from engine.games.first_world_war.answers import Alliance, Faction
from engine.games.first_world_war.facts.board import PhaseBegan, turned_up
from engine.games.first_world_war.facts.combat import GameEnded
from engine.games.first_world_war.rules import lines, surrender, treaty
from engine.games.first_world_war.state import ALLIANCE, ENEMY, FACTIONS, PARTNERS, State
from engine.kernel.requests import Procedure, Step

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack

ALLIANCES: tuple[Alliance, Alliance] = ("ALLIES", "CENTRAL")


class Standing(Protocol):
    """What decides who wins: of a state, or of what a seat sees of it. All of this is public."""

    @property
    def pack(self) -> Pack: ...
    @property
    def players(self) -> int: ...
    @property
    def control(self) -> Mapping[str, Faction]: ...
    @property
    def vp(self) -> Mapping[Faction, int]: ...
    @property
    def treaty(self) -> bool: ...


# ------------------------------------------------------------------ phase 3


def victory_check(state: State, turn: int) -> Procedure:
    """4.2.3 Phase 3, in strict order a to e."""
    key = f"T{turn}.V"
    yield PhaseBegan(turn, "victory")
    yield from turn_all_up(state)  # a
    yield from occupy_fronts(state, key)  # b
    yield from end_by_turn_or_fronts(state)  # c
    if state.result is None:
        yield from end_by_surrender(state)  # d
    if state.result is None:
        yield from treaty.offer_treaty(state, key)  # e
    return order_of_play.replacement(turn) if state.result is None else None


def turn_all_up(state: State) -> Step:
    """4.2.3-1 (a) Every counter is turned face up; dummies stay on the board."""
    if counters := tuple(sorted(chain.from_iterable(state.fronts.values()))):
        yield turned_up(state, "check", counters)


def occupy_fronts(state: State, key: str) -> Step:
    """4.2.3-2, 4.2.3-8 (b) Whoever is alone on a front gains there, front after front."""
    for front in sorted(state.fronts):
        alliance = alone_on(state, front)
        if alliance is not None and treaty.may_change_hands(state, front):
            yield from occupy(state, alliance, front, key)


def alone_on(state: State, front: int) -> Alliance | None:
    """4.2.3-2, 4.2.3-3 The alliance whose real armies have the front to themselves; dummies count nothing."""
    colour, armies = state.pack.faction_of, state.pack.armies
    present = {ALLIANCE[colour[counter]] for counter in state.fronts[front] if counter in armies}
    return present.pop() if len(present) == 1 else None


def occupy(state: State, alliance: Alliance, front: int, key: str) -> Step:
    """4.2.3-2, 4.2.3-4 to 4.2.3-7 One location is taken; where none is available, the base counts."""
    captor = state.fights_on(front, alliance)  # 4.2.3-7 also where only Germans stand
    if available := lines.available_locations(state, alliance, front):
        location = available[0]
        if len(available) > 1:
            location = yield lines.occupation_question(state, captor, front, key, available)
        yield lines.captured(state, alliance, location)
    elif lines.is_base_reachable(state, alliance, front):
        yield from surrender.inflict_point(state, state.fights_on(front, ENEMY[captor]), front)


def end_by_turn_or_fronts(state: State) -> Step:
    """4.2.3-9, 8-7 (c) The last turn, or six fronts in one hand: victory points decide."""
    if state.turn == state.pack.meta.turns:
        if state.options["surrender_roll_on_turn_6"]:  # 4.2.3-12 switch: the roll then comes first
            yield from end_by_surrender(state)
        if state.result is None:
            yield ended(state, "victory-points", alliance_ahead(state))
    elif any(fronts_held(state, one) >= state.pack.victory.early_end_fronts for one in ALLIANCES):
        yield ended(state, "six-fronts", alliance_ahead(state))


def fronts_held(state: Standing, alliance: Alliance) -> int:
    """4.2.3-10 The fronts on which the alliance controls every location."""
    control = state.control
    return sum(
        all(ALLIANCE[control[location]] == alliance for location in locations)
        for locations in state.pack.locations_of.values()
    )


def end_by_surrender(state: State) -> Step:
    """4.2.3-11, 6.5-4, 6.5-5, 6.5-7 (d) A faction that surrenders takes its whole alliance along."""
    surrendered: tuple[Faction, ...] = yield from surrender.roll_for_surrender(state)
    beaten = sorted({ALLIANCE[faction] for faction in surrendered})
    if len(beaten) == 1:
        yield ended(state, "surrender", ENEMY[surrendered[0]], surrendered)
    elif beaten:
        yield ended(state, "both-surrender", None, surrendered)


# ------------------------------------------------------------------ 8 who wins


def alliance_score(state: Standing, alliance: Alliance) -> int:
    """8-2 The two factions' points; the treaty's never count here."""
    return sum(state.vp[faction] for faction in PARTNERS[alliance])


def alliance_ahead(state: Standing) -> Alliance:
    """8-2 The higher sum; equal sums are the Central Powers'."""
    tie_winner = state.pack.victory.tie_winner
    return max(ALLIANCES, key=lambda one: (alliance_score(state, one), one == tie_winner))


def faction_ahead(state: Standing, alliance: Alliance) -> Faction:
    """8-4 to 8-6, 8-8 Which partner wins. With one player for both it names the faction all the same."""
    vp, margins = state.vp, state.pack.victory
    if alliance == "CENTRAL":
        return "DE" if vp["DE"] >= vp["GA"] + margins.german_margin else "GA"
    return "WA" if vp["WA"] >= vp["EA"] + treaty_bonus(state) + margins.western_margin else "EA"


def treaty_bonus(state: Standing) -> int:
    """8.1-12 With four players the Eastern Allies count more if the treaty was accepted."""
    bonus = state.pack.treaty.bonus
    return bonus.vp if state.treaty and state.players == bonus.players else 0


def ended(
    state: State, reason: str, alliance: Alliance | None, surrendered: Collection[Faction] = ()
) -> GameEnded:
    """8-3 to 8-6 The winning alliance's player, or of two the one ahead; no alliance: all lose (6.5-5)."""
    winner = None if alliance is None else faction_ahead(state, alliance)
    scores: list[tuple[str, int]] = [(faction, state.vp[faction]) for faction in FACTIONS]
    scores += [(one, alliance_score(state, one)) for one in ALLIANCES]
    if bonus := treaty_bonus(state):
        scores.append(("treaty", bonus))
    return GameEnded(
        () if winner is None else (state.seat(winner),),
        reason,
        alliance,
        winner,
        tuple(surrendered),
        tuple(scores),
    )
