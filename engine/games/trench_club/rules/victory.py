"""VICTORY How a game ends."""

from __future__ import annotations

from collections.abc import Collection

from engine.games.trench_club.answers import Nation
from engine.games.trench_club.facts.setup import GameWon
from engine.games.trench_club.state import Position, Team
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Outcome
from engine.kernel.requests import Seat

TEAMS: tuple[Team, Team] = ("central", "entente")
FOUR = 4  # nations on the full board


def forts_of_team(position: Position, team: Team) -> int:
    """VICTORY-2 Forts of both allies are added."""
    of = position.pack.team_of
    return sum(bool(owner) and of[owner] == team for owner in position.forts.values())


def forts_to_win(position: Position) -> int:
    """VICTORY-1, 4"""
    victory, short = position.pack.victory, position.options["short_game"]
    if len(position.camp_of) == FOUR:
        return victory.short_forts_4 if short else victory.forts_4
    return victory.short_forts_2 if short else victory.forts_2


def is_beaten(position: Position, team: Team) -> bool:
    """VICTORY-5 No unit anywhere and no way to buy one.

    Whoever owns a fort has an income, so only a team without a fort can never buy again.
    """
    of = position.pack.team_of
    return not any(of[unit.nation] == team for unit in position.units.values()) and not forts_of_team(
        position, team
    )


def decided(position: Position) -> GameWon | None:
    """VICTORY-1, 5 Is the game over? To be asked after every conquest and every loss."""
    needed = forts_to_win(position)
    for team in TEAMS:
        if forts_of_team(position, team) >= needed:
            return _won(position, team, "forts")
    beaten = [team for team in TEAMS if is_beaten(position, team)]
    if len(beaten) == len(TEAMS):  # the last units destroyed each other: a draw by our ruling
        return _won(position, None, "draw")
    return _won(position, enemy_of(beaten[0]), "no-army") if beaten else None


def at_round_limit(position: Position) -> GameWon | None:
    """VICTORY-6 After the last turn of the last round: forts, then the price of all units, else a draw."""
    limit = position.options["round_limit"]
    if not limit or position.round < limit or position.active != position.order[-1]:
        return None
    scores = {team: (forts_of_team(position, team), price_of_army(position, team)) for team in TEAMS}
    best = max(scores.values())
    leaders = [team for team in TEAMS if scores[team] == best]
    if len(leaders) > 1:
        return _won(position, None, "draw")
    return _won(position, leaders[0], "round-limit")


def price_of_army(position: Position, team: Team) -> int:
    """VICTORY-6 Units inside forts included."""
    pack = position.pack
    return sum(
        pack.types[unit.type].price for unit in position.units.values() if pack.team_of[unit.nation] == team
    )


def enemy_of(team: Team) -> Team:
    return "entente" if team == "central" else "central"


# ------------------------------------------------------------------ giving up


def people_of(position: Position, team: Team) -> tuple[Nation, ...]:
    return tuple(nation for nation in position.seats if position.pack.team_of[nation] == team)


def why_not_resign(state: Position, seat: Seat, agreed: Collection[str] = ()) -> Refusal | None:
    """VICTORY-3 Every player of the team must say so; `agreed` are those who already have."""
    silent = tuple(
        nation
        for nation in people_of(state, state.pack.team_of[seat])
        if nation != seat and nation not in agreed
    )
    return Illegal("TC-VICTORY-3", "ally-must-agree", {"allies": silent}) if silent else None


def resigned(state: Position, seat: Seat) -> Outcome:
    """VICTORY-3 The other team wins."""
    fact = _won(state, enemy_of(state.pack.team_of[seat]), "resignation")
    return Outcome(tuple(Seat(nation) for nation in fact.winners), fact.reason, dict(fact.scores))


def _won(position: Position, team: Team | None, reason: str) -> GameWon:
    """The people of that team win; None: nobody does."""
    winners = () if team is None else people_of(position, team)
    return GameWon(winners, reason, tuple((one, forts_of_team(position, one)) for one in TEAMS))
