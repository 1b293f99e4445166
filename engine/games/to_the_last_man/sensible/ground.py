"""What areas are worth to a side, and what it stands to lose or to win in each of them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.games.to_the_last_man.rules.areas import CONTROLLING_FORT
from engine.games.to_the_last_man.sensible.exchange import KILL, Clash, Forecast, at_least, forecast
from engine.games.to_the_last_man.sensible.powers import (
    NOTHING,
    Piece,
    Power,
    enemy_powers,
    fort_of,
    own_pieces,
    total,
)
from engine.games.to_the_last_man.state import BOX, ENGLAND, Status
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other

FOOTHOLD: Mapping[Status, float] = {"friendly": 1.0, "disputed": 0.5, "enemy": 0.0, "neutral": 0.0}
FIELD, BY_POINT, SOURCE = 0.25, 0.2, 0.6  # worth of ground as such, by its points, as a supply source
DANGER = 0.5  # how likely the enemy takes what he could take
COMING = 0.5  # how much of the neighbouring enemies joins an attack
BEHIND = 0.3  # how open an area lies that has only empty ground before it
SCREENED = 0.5  # how much of it a piece before such an area saves
TRENCH = 0.08  # of one infantry unit, where the enemy is near
DISTANCE = 0.03  # a unit one area further from the front
HUNGER = 0.3  # a unit out of supply


class Ground:
    """The map as one side sees it, with what it needs for its judgement worked out once."""

    __slots__ = (
        "_battles",
        "_distance",
        "_exposure",
        "_scores",
        "_threat",
        "_worth",
        "empty_foes",
        "enemy",
        "foes",
        "own",
        "side",
        "view",
    )

    def __init__(self, view: View) -> None:
        self.view, self.side, self.enemy = view, view.side, other(view.side)
        self.own, self.foes = own_pieces(view), enemy_powers(view)
        self.empty_foes: dict[str, int] = {}
        for army, area in view.army_at.items():
            if view.pack.side_of[army] == self.enemy and not view.holding[army]:
                self.empty_foes[area] = self.empty_foes.get(area, 0) + 1
        self._worth: dict[tuple[str, Status], float] = {}
        self._threat: dict[str, float] = {}
        self._exposure: dict[str, float] = {}
        self._scores: dict[tuple[str, tuple[Piece, ...]], float] = {}
        self._battles: dict[tuple[str, tuple[Piece, ...]], float] = {}
        self._distance = self._distances()

    # ------------------------------------------------------------ who is where

    def pieces(self, area: str) -> tuple[Piece, ...]:
        return self.own.get(area, ())

    def foe(self, area: str) -> Power:
        return self.foes.get(area, NOTHING)

    def is_held(self, area: str) -> bool:
        """0-03 Has the enemy presence there?"""
        return area in self.foes or (fort_of(self.view, area, self.enemy) or 0) >= CONTROLLING_FORT

    def _is_fortress(self, area: str) -> bool:
        """8.4-04 Is there an own fort that holds the area by itself?"""
        return (fort_of(self.view, area, self.side) or 0) >= CONTROLLING_FORT

    def is_bare(self, area: str) -> bool:
        """Nothing of ours is there that holds the area."""
        return area not in self.own and not self._is_fortress(area)

    def resists(self, area: str) -> bool:
        """Is there anything of the enemy that a battle could be fought against?"""
        return area in self.foes or fort_of(self.view, area, self.enemy) is not None

    def status_with(self, area: str, pieces: tuple[Piece, ...]) -> Status:
        """0-05 What the area would be with these own pieces in it."""
        here = bool(pieces) or self._is_fortress(area)
        there, owner = self.is_held(area), self.view.owner.get(area, "")
        if area in (ENGLAND, BOX):
            return self.view.status[area]
        if here and there:
            return "disputed"
        if there:
            return "enemy"
        if owner == self.side or any(piece.power.control for piece in pieces):
            return "friendly"
        return "enemy" if owner == self.enemy else "neutral"

    # ------------------------------------------------------------ worth

    def worth(self, area: str, status: Status) -> float:
        """3.1-01 Germany counts the areas that are its own; ground is worth something to both."""
        key = area, status
        if key not in self._worth:
            row = self.view.pack.areas[area]
            ground = FIELD + BY_POINT * row.vp + (SOURCE if row.supply else 0.0)
            counted = row.vp * (status == "friendly") if self.side == "GE" else -row.vp * (status == "enemy")
            self._worth[key] = counted + ground * FOOTHOLD[status]
        return self._worth[key]

    def score(self, area: str, pieces: tuple[Piece, ...]) -> float:
        """The area with these own pieces in it, no battle being fought there now."""
        key = area, pieces
        if key not in self._scores:
            self._scores[key] = self._score(area, pieces)
        return self._scores[key]

    def _score(self, area: str, pieces: tuple[Piece, ...]) -> float:
        status, power = self.status_with(area, pieces), total(piece.power for piece in pieces)
        value = self.worth(area, status)
        if area in (ENGLAND, BOX):
            return value - DISTANCE * 2 * power.hp
        if pieces or status == "disputed" or self._is_fortress(area):
            value -= self._risk(area, status, power) + DISTANCE * self._distance[area] * power.hp
            value += TRENCH * power.dug_in * (self._distance[area] == 0)
            value -= HUNGER * power.hp * self._hungers(area)
        elif status == "friendly":
            value -= DANGER * self.exposure(area) * self._at_stake(area, status)
        return value - (self._breach(area) if status == "enemy" and area in self.foes else 0.0)

    def _breach(self, area: str) -> float:
        """4.2-02 What lies open to an enemy whom nobody holds there: own bare areas beside it."""
        near = self.view.pack.areas[area].adjacent
        behind = [one for one in near if self.view.status[one] == "friendly" and self.is_bare(one)]
        return DANGER * SCREENED * sum(self._at_stake(one, "friendly") for one in behind)

    def _at_stake(self, area: str, status: Status) -> float:
        return self.worth(area, status) - self.worth(area, "enemy")

    def _risk(self, area: str, status: Status, power: Power) -> float:
        """What the enemy's next attack may cost: ground and armies."""
        toughness = power.hp + (fort_of(self.view, area, self.side) or 0)
        stake = max(0.0, self._at_stake(area, status)) + KILL * power.armies
        return DANGER * at_least(self.threat(area), toughness) * stake

    def threat(self, area: str) -> float:
        """Hits that the enemy could score there in his next Player Turn."""
        if area not in self._threat:
            near = self.view.pack.areas[area].adjacent
            coming = sum(self.foe(one).attack for one in near if self._may_come(one, area))
            self._threat[area] = self.foe(area).attack + COMING * coming
        return self._threat[area]

    def _may_come(self, origin: str, to: str) -> bool:
        """4.2-02 Into an area of ours only from one of his own, into a shared one from anywhere."""
        return origin in self.foes and (self.view.status[origin] == "enemy" or self.is_held(to))

    def exposure(self, area: str) -> float:
        """How open an area would lie without a garrison: 1 if the enemy stands before it, less if only empty
        ground does.
        """
        if area not in self._exposure:
            self._exposure[area] = 1.0 if self._is_faced(area) else BEHIND * self._is_faced_beyond(area)
        return self._exposure[area]

    def _is_faced(self, area: str) -> bool:
        return any(self._may_come(near, area) for near in self.view.pack.areas[area].adjacent)

    def _is_faced_beyond(self, area: str) -> bool:
        near = self.view.pack.areas[area].adjacent
        return any(self._is_faced(one) for one in near if self.is_bare(one) and not self.is_held(one))

    def _hungers(self, area: str) -> bool:
        """6.2 Out of supply, as far as the present map tells."""
        fed, areas = self.view.supplied, self.view.pack.areas
        return area not in fed and not any(
            near in fed and self.view.status[near] == "friendly" for near in areas[area].adjacent
        )

    def _distances(self) -> dict[str, int]:
        """Areas to the nearest one that is not ours, or that borders on one."""
        areas, status = self.view.pack.areas, self.view.status
        edge = [
            area
            for area in areas
            if status[area] != "friendly" or any(status[near] != "friendly" for near in areas[area].adjacent)
        ]
        edge = [area for area in edge if area not in (BOX, ENGLAND)]
        found = dict.fromkeys(edge, 0)
        for area in edge:  # grows while it is read: the nearest come first
            for near in areas[area].adjacent:
                if near not in found:
                    found[near] = found[area] + 1
                    edge.append(near)
        return {area: found.get(area, 2) for area in areas}

    def distance(self, area: str) -> int:
        return self._distance[area]

    # ------------------------------------------------------------ battles

    def clash(self, area: str, pieces: tuple[Piece, ...]) -> Clash:
        pack = self.view.pack
        fort = fort_of(self.view, area, self.enemy)
        return Clash(
            total(piece.power for piece in pieces),
            self.foe(area),
            0 if fort is None else max(1, fort),
            pack.meta.fort_fire / pack.meta.die_sides,
            pack.areas[area].rough,
        )

    def battle(self, area: str, pieces: tuple[Piece, ...]) -> float:
        """What an attack there is worth: losses of both, ground won, ground lost."""
        if not pieces or not self.resists(area):
            return 0.0
        key = area, pieces
        if key not in self._battles:
            self._battles[key] = self.outcome(area, self.clash(area, pieces))
        return self._battles[key]

    def outcome(self, area: str, clash: Clash) -> float:
        told = forecast(clash)
        return told.balance + self.ground_won(area, told)

    def ground_won(self, area: str, told: Forecast) -> float:
        shared = self.worth(area, "disputed")
        won = told.won * (1 - told.lost) * (self.worth(area, "friendly") - shared)
        return won - told.lost * (shared - self.worth(area, "enemy"))
