"""How a game of Trench Club went, and what its dice were for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.facts.money import UnitRepaired
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.dice_cards import card_hits
from engine.games.trench_club.rules.victory import TEAMS, forts_of_team
from engine.games.trench_club.view import View
from engine.kernel import retrospect
from engine.kernel.fairness.history import Throw
from engine.kernel.requests import Fact
from engine.kernel.retrospect import Stake

FIRE, CARD = ("attack", "riposte"), "card"  # purposes of rolls


class Retrospect(retrospect.Retrospect):
    """Forts of the teams; forts conquered; hits."""

    reasons = ("forts", "no-army", "round-limit", "draw", "resignation", "armistice")
    landmarks = ("FortConquered",)
    roll_facts = frozenset({"CombatFought", "UnitRepaired"})

    def standing(self, view: View) -> Mapping[str, int]:
        """VICTORY-2"""
        return {team: forts_of_team(view.position, team) for team in TEAMS}

    def stake(
        self, pack: Pack, throw: Throw, facts: Sequence[Fact], past: Sequence[Fact] = ()
    ) -> Stake | None:
        """COMBAT-10 A die hits with the value against the target or less; a cloud of gas strikes several.

        DICELESS-4 A card stands for the dice that its unit would have rolled. Where shells fall, who places
        first and what an automa chooses is no stake.
        """
        unit, _, purpose = throw.purpose.rpartition(".")
        if purpose not in (*FIRE, CARD):
            return None
        for fact in facts:
            if isinstance(fact, CombatFought) and (shots := [one for one in fact.shots if one.by == unit]):
                faces = range(1, throw.sides + 1)
                if purpose == CARD:
                    dice = pack.dice.by_damage[_damage_of(unit, past)] + shots[0].bonus
                    worth = tuple(
                        sum(card_hits(pack, face, dice, shot.value) for shot in shots) for face in faces
                    )
                else:
                    worth = tuple(sum(face <= shot.value for shot in shots) for face in faces)
                return Stake(purpose, worth, (fact.attacker, fact.target))
        return None


def _damage_of(unit: str, past: Sequence[Fact]) -> int:
    """What the unit had suffered by then."""
    damage = 0
    for fact in past:
        if isinstance(fact, CombatFought):
            for shot in fact.shots:
                if shot.at == unit:
                    damage = 0 if shot.destroyed else damage + shot.damage
        elif isinstance(fact, UnitRepaired) and fact.unit == unit:
            damage = 0
    return damage
