"""How a game of The First World War went, and what its dice were for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.facts.combat import CombatResolved, SurrenderRolled
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.rules.surrender import is_survived
from engine.games.first_world_war.view import View
from engine.kernel import retrospect
from engine.kernel.fairness.history import Throw
from engine.kernel.requests import Fact
from engine.kernel.retrospect import Stake


class Retrospect(retrospect.Retrospect):
    """Victory points of the alliances; places taken; points of the combat dice, and surrenders escaped."""

    reasons = ("surrender", "both-surrender", "victory-points", "six-fronts", "armistice")
    landmarks = ("TreatySigned", "LocationCaptured")
    roll_facts = frozenset({"CombatResolved", "SurrenderRolled"})

    def standing(self, view: View) -> Mapping[str, int]:
        """8-2 The sums of both alliances."""
        return {
            alliance: sum(view.vp[faction] for faction in data.factions)
            for alliance, data in view.pack.alliances.items()
        }

    def stake(
        self, pack: Pack, throw: Throw, facts: Sequence[Fact], past: Sequence[Fact] = ()
    ) -> Stake | None:
        """6.1-6 What a die adds to a total; 6.5-3 does it avert the surrender? Order of play is no stake."""
        group, _, faction = throw.purpose.partition(".")
        faces = range(1, throw.sides + 1)
        if group in ("attack", "defence"):
            front = next((str(fact.front) for fact in facts if isinstance(fact, CombatResolved)), "")
            return Stake(group, tuple(map(pack.die.value, faces)), (front,) if front else ())
        if group == "surrender" and (points := _points(faction, facts)) is not None:
            return Stake(group, tuple(int(is_survived(pack.die, face, points)) for face in faces))
        return None


def _points(faction: str, facts: Sequence[Fact]) -> int | None:
    """The surrender points that a roll was made against."""
    rolled = (fact for fact in facts if isinstance(fact, SurrenderRolled))
    own: dict[Faction, int] = {fact.faction: fact.points for fact in rolled}
    return next((points for one, points in own.items() if one == faction), None)
