"""How a game of Trench Club went, and what its dice were for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.victory import TEAMS, forts_of_team
from engine.games.trench_club.view import View
from engine.kernel import retrospect
from engine.kernel.fairness.history import Throw
from engine.kernel.requests import Fact
from engine.kernel.retrospect import Stake

FIRE = ("attack", "riposte")  # purposes of rolls


class Retrospect(retrospect.Retrospect):
    """Forts of the teams; forts conquered; hits."""

    reasons = ("forts", "no-army", "round-limit", "draw", "resignation", "armistice")
    landmarks = ("FortConquered",)
    roll_facts = frozenset({"CombatFought"})

    def standing(self, view: View) -> Mapping[str, int]:
        """VICTORY-2"""
        return {team: forts_of_team(view.position, team) for team in TEAMS}

    def stake(self, pack: Pack, throw: Throw, facts: Sequence[Fact]) -> Stake | None:
        """COMBAT-10 A die hits with the value against the target or less; a cloud of gas strikes several.

        Where shells fall, who places first and what an automa chooses is no stake; nor is a card that takes
        the place of dice, as nobody is told how many it stood for.
        """
        unit, _, purpose = throw.purpose.rpartition(".")
        if purpose not in FIRE:
            return None
        for fact in facts:
            if isinstance(fact, CombatFought) and (shots := [one for one in fact.shots if one.by == unit]):
                faces = range(1, throw.sides + 1)
                worth = tuple(sum(face <= shot.value for shot in shots) for face in faces)
                return Stake(purpose, worth, (fact.attacker, fact.target))
        return None
