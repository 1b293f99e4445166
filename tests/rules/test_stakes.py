"""What a roll was for, in each game: the account counts what the rules counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from engine.games import game
from engine.games.first_world_war.facts.combat import CombatResolved, SurrenderRolled
from engine.games.first_world_war.pack import load_pack as fww_pack
from engine.games.to_the_last_man.facts.battle import ShotsFired
from engine.games.trench_club.facts.combat import CombatFought, Shot
from engine.games.trench_club.facts.money import UnitRepaired
from engine.games.trench_club.rules.dice_cards import card_hits
from engine.kernel.fairness.history import Throw
from engine.kernel.fairness.luck import StakedThrow
from engine.kernel.requests import Fact, Roll, Seat
from engine.kernel.retrospect import Stake
from tests.letters.finished import finished
from tests.rules.trench import fights as trench
from tests.rules.ttlm import drawn as ttlm
from tests.rules.ttlm.fights import fight

# A battle of To the Last Man! with the dice of its rolls: dogfight, guns, defence, attack.
BATTLES = [
    ("ART", {"GE6": "I B", "UK1": "I B"}, "6 · 6 · 6 · 6", 9),
    ("ART", {"GE6": "I B", "UK1": "I B"}, "1 · 6 · 6 · 6", 9),
    ("ART", {"GE6": "3I B", "UK1": "3I B"}, "1 · 1 · 6 6 6 · 6 6 6", 9),
]
MAIN = ("DE.CAR1@D4 d3 x3", "DE.AIR1@D3", "DE.MOR1@C4", "AH.CAR1@B3", "GB.INF1@C3 d1 x2", "FR.HOW1@G3")
MAIN_DICE = "1 3 5 6 6 7 8 9 11 12 / 1 2 3 4 5 6 7 8 9 10 12"


def staked(game_id: str, pack: Any, roll: Roll, shown: tuple[int, ...], facts: Iterable[Fact]) -> StakedThrow:
    throw = Throw(1, 1, "T1.R1", roll.seat, roll.why, roll.sides, shown, "audited")
    stake = game(game_id).retrospect.stake(pack, throw, tuple(facts))
    assert stake is not None, roll.why
    return StakedThrow(throw, stake)


@pytest.mark.parametrize(("area", "armies", "dice", "turn"), BATTLES)
def test_to_the_last_man_counts_hits(area: str, armies: Any, dice: str, turn: int) -> None:
    course = fight(area, armies, dice, turn=turn)
    fired = course.told(ShotsFired)
    assert len(fired) == len(course.rolls) > 2
    for roll, shots in zip(course.rolls, fired, strict=True):
        one = staked("ttlm", ttlm.PACK, roll, shots.faces, ())
        assert (one.actual, one.stake.battle, one.stake.group) == (shots.hits, (area,), shots.step)


@pytest.mark.parametrize(
    ("purpose", "worth"),
    [
        ("ART.attack.F2", (1, 1, 0, 0, 0, 0)),
        ("ART.artillery.G.F3", (1, 1, 1, 0, 0, 0)),
        ("ART.attack.BIG.F2.again", (1, 1, 0, 0, 0, 0)),
        ("EFT.losses", (0, 1, 1, 1, 1, 1)),
    ],
)
def test_each_volley_has_its_firepower_and_in_the_east_a_one_costs_a_unit(purpose: str, worth: Any) -> None:
    assert staked("ttlm", ttlm.PACK, Roll("GE", purpose), (1,), ()).stake.worth == worth  # type: ignore[arg-type]


def test_trench_club_counts_hits_of_both_sides() -> None:
    course = trench.fight(trench.field(*MAIN), "DE.CAR1 GB.INF1", dice=MAIN_DICE)
    shots = course.shots()
    assert [shot.hits for shot in shots] == [5, 2]
    for roll, shot in zip(course.rolls, shots, strict=True):
        one = staked("trench", trench.PACK, roll, shot.faces, course.facts)
        assert one.actual == shot.hits and one.stake.battle == ("DE.CAR1", "GB.INF1")
        assert one.stake.worth == tuple(int(face <= shot.value) for face in range(1, 13))


def test_trench_clubs_cards_stand_for_the_dice_that_would_have_been_rolled() -> None:
    """The damage before the fight decides how many; what the rules counted is what the card was worth."""
    pack, hurt = trench.PACK, Shot("GB.INF1", "DE.CAR1", "dice", (1,), 0, 2, 1, "car", "open", 2, False)
    fired = Shot(
        "DE.CAR1", "GB.INF1", "card", (4,), 1, 4, card_hits(pack, 4, 11, 4), "foot", "open", 1, False
    )
    fights = [CombatFought(by, at, 1, 0, "D4", (shot,), ()) for by, at, shot in
              (("GB.INF1", "DE.CAR1", hurt), ("DE.CAR1", "GB.INF1", fired))]  # fmt: skip
    throw = Throw(1, 1, "R2.DE", Seat("DE"), "DE.CAR1.card", 10, (4,), "audited")
    stake = game("trench").retrospect.stake(pack, throw, fights[1:], fights[:1])
    assert stake is not None and pack.dice.by_damage[2] + 1 == 11
    assert stake.worth == tuple(card_hits(pack, card, 11, 4) for card in range(1, 11))
    assert StakedThrow(throw, stake).actual == fired.hits > 0 and stake.group == "card"
    repaired = game("trench").retrospect.stake(
        pack, throw, fights[1:], [fights[0], UnitRepaired("DE.CAR1", 2)]
    )
    assert repaired is not None and repaired.worth == tuple(
        card_hits(pack, card, 13, 4) for card in range(1, 11)
    )


def test_who_begins_where_shells_fall_and_the_order_of_play_are_no_stakes() -> None:
    for game_id, pack, purpose, sides in [
        ("trench", trench.PACK, "first.DE", 12),
        ("trench", trench.PACK, "DE.BBT1.scatter", 12),
        ("trench", trench.PACK, "automa.tie", 3),
        ("fww", fww_pack(), "order.DE", 6),
    ]:
        throw = Throw(1, 1, "T1.R1", "DE", purpose, sides, (1,), "audited")  # type: ignore[arg-type]
        assert game(game_id).retrospect.stake(pack, throw, ()) is None, purpose


def test_the_first_world_war_counts_what_a_die_adds() -> None:
    """The dice of a whole campaign, as its combats tell them."""
    done, counted = finished(), list[str]()
    for one in _of_campaign("attack", "defence"):
        assert one.stake.worth == (1, 2, 3, 4, 0, 0) and one.stake.battle
        counted += [done.terms.pack.die.faces[face - 1] for face in one.throw.faces]
    told = [die for fact in _public(CombatResolved) for die in fact.dice]
    assert counted == told and told


def test_a_surrender_is_averted_above_the_points_or_by_s() -> None:
    rolled = list(_public(SurrenderRolled))
    averted = [one.actual for one in _of_campaign("surrender")]
    assert averted == [int(not fact.surrendered) for fact in rolled] and len(rolled) > 1
    stake = Stake("surrender", (0, 0, 1, 1, 1, 1))
    fact = SurrenderRolled("GA", 2, "1", True)
    throw = Throw(1, 1, "T5.V", "GA", "surrender.GA", 6, (1,), "audited")  # type: ignore[arg-type]
    assert game("fww").retrospect.stake(fww_pack(), throw, (fact,)) == stake


def _of_campaign(*groups: str) -> list[StakedThrow]:
    return [one for one in finished().staked if one.stake.group in groups]


def _public(kind: type[Any]) -> Iterator[Any]:
    """The facts of that class that everyone may read, in order."""
    for past in finished().facts:
        if isinstance(past, kind):
            yield past
