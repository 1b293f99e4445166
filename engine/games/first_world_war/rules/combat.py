"""6, 6.1 Combat: the whole action, from the choice of armies to turning all counters down again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.games.first_world_war.answers import Attack, CombatGiven, Faction
from engine.games.first_world_war.facts.board import CountersTurnedDown, turned_up
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    AttackCameToNothing,
    AttackLaunched,
    CaptureDeclined,
    CombatResolved,
    DummiesRemoved,
    FrontFoundEmpty,
    LeaderNamed,
    Winner,
)
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.rules import command, lines, permissions, surrender, tiles, treaty
from engine.games.first_world_war.rules.any_time import any_time
from engine.games.first_world_war.state import ALLIANCE, ENEMY, PARTNERS, State
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Choice, Roll, Step

NUMBERS_BONUS = 1  # 6.1-4

# ------------------------------------------------------------------ who may attack


def may_attack_with(state: State, faction: Faction, front: int) -> tuple[str, ...]:
    """6-1, 6-2 The real armies the faction may commit on the front now; none: no attack there."""
    if treaty.is_frozen(state, front):
        return ()
    armies, able = state.pack.armies, permissions.able_to_attack(state, front)
    return tuple([c for c in command.commanded(state, faction, front) if c in armies and able(c)])


def attack_refusal(state: State, faction: Faction, attack: Attack) -> Refusal | None:
    """6-1 to 6-3, 6-9 Why this attack is not allowed; nothing of the enemy's hidden side is looked at."""
    front, armies = attack.front, attack.armies
    if front not in state.fronts:
        return Illegal("FWW-6-1", "no-such-front", {"front": front})
    if treaty.is_frozen(state, front):
        return Illegal("FWW-8.1-4", "front-frozen", {"front": front})
    if not armies:
        nobody = Illegal("FWW-6-3", "no-army-named", {"front": front})
        return command.fights_elsewhere(state.pack, faction, front) or nobody
    if len(set(armies)) < len(armies):
        return Illegal("FWW-6-3", "named-twice", {"front": front})
    there = command.commanded(state, faction, front)
    for army in armies:
        refusal = _army_refusal(state, faction, army, front, there)
        if refusal is not None:
            return refusal
    return None


def _army_refusal(
    state: State, faction: Faction, army: str, front: int, there: Sequence[str]
) -> Refusal | None:
    """6-1, 6-2, 6-3 Why the faction may not commit this counter there."""
    facts: Facts = {"counter": army, "front": front}
    if army in there:
        if not state.is_real(army):
            return Illegal("FWW-6-3", "dummy", facts)
        return permissions.attack_ban(state, army, front)
    owner = state.pack.faction_of.get(army)
    if owner is None:
        return Illegal("FWW-6-1", "no-such-counter", facts)
    # Whoever commands a colour on a front knows which of its counters are there; of any other counter
    # it is said only that it is not at the faction's orders, wherever it may be.
    if state.pack.commander[owner][front] == faction:
        return Illegal("FWW-6-1", "not-there", facts)
    return Illegal("FWW-5.1-3" if owner == faction else "FWW-6-1", "not-commanded", facts)


# ------------------------------------------------------------------ the action


def attack(state: State, faction: Faction, attack: Attack, key: str) -> Step:
    """6-3 to 6-7, 6-10 Attackers are shown, defenders are shown, they fight, all are turned down."""
    front, enemy = attack.front, ENEMY[faction]
    battle = Battle(front, faction, state.fights_on(front, enemy), attack, key)
    yield AttackLaunched(faction, front, attack.armies)
    yield turned_up(state, "attack", attack.armies)
    yield from show_defenders(state, battle)
    if defending_armies(state, battle):
        yield from resolve_combat(state, battle)
    else:
        yield from find_front_empty(state, battle)
    yield CountersTurnedDown(front)


@dataclass(frozen=True, slots=True)
class Battle:
    """6-12 One attack: who fights whom, and what the attacker ordered."""

    front: int
    attacker: Faction
    defender: Faction
    order: Attack
    key: str

    @property
    def at(self) -> str:
        return f"{self.key}/F{self.front}"


def show_defenders(state: State, battle: Battle) -> Step:
    """6-4, 6-5 The defender turns up all its counters; its dummies leave the board."""
    colour, alliance = state.pack.faction_of, ENEMY[battle.attacker]
    shown = tuple([c for c in state.fronts[battle.front] if ALLIANCE[colour[c]] == alliance])
    if shown:
        yield turned_up(state, "defence", shown)
    if dummies := [counter for counter in shown if not state.is_real(counter)]:
        yield DummiesRemoved(battle.front, tuple(dummies))


def defending_armies(state: State, battle: Battle) -> tuple[str, ...]:
    """6-6, 8.1-6 All real armies of the other alliance, but for those at peace."""
    there = state.reals(battle.front, PARTNERS[ENEMY[battle.attacker]])
    return tuple([army for army in there if not treaty.is_inactive(state, army)])


def find_front_empty(state: State, battle: Battle) -> Step:
    """6-7, 6-8, 8.1-5, 8.1-6 Nobody defends: no dice; the attacker may take a location."""
    sides = battle.attacker, battle.defender, battle.front
    if not treaty.may_change_hands(state, battle.front):
        yield AttackCameToNothing(*sides)
        return
    yield FrontFoundEmpty(*sides)
    had_ground = yield from take_ground(state, battle)
    if not had_ground and state.options["unopposed_attack_gives_surrender_point"]:
        yield from threaten_base(state, battle)


def take_ground(state: State, battle: Battle) -> Step:
    """6.4-1, 6.4-4 The attacker takes one available location or none; returns whether there was any."""
    front, alliance = battle.front, ALLIANCE[battle.attacker]
    available = lines.available_locations(state, alliance, front)
    if not available:
        return False
    location = yield lines.capture_question(
        state, battle.attacker, front, battle.key, available, battle.order.take
    )
    if location is None:
        yield CaptureDeclined(battle.attacker, front)
    else:
        yield lines.captured(state, alliance, location)
    return True


def threaten_base(state: State, battle: Battle) -> Step:
    """6.5-1 A base in reach costs the enemy a surrender point; 6.5-2 only where no location is available."""
    if lines.is_base_reachable(state, ALLIANCE[battle.attacker], battle.front):
        yield from surrender.inflict_point(state, battle.defender, battle.front)


# ------------------------------------------------------------------ resolution


def resolve_combat(state: State, battle: Battle) -> Step:
    """6.1 Tiles, leaders, numbers, dice, totals; then the loss, the ground, the draws."""
    order, given = battle.order, situation(state, battle)
    for_defence = replace(given, faction=battle.defender)
    # 1 The defender places a tile, then the attacker.
    defence_tile = yield from tiles.place_tile(state, "defence", for_defence, battle.at)
    if defence_tile is not None:
        given = replace(given, enemy_tile=tiles.back(state, defence_tile))
    attack_tile = yield from tiles.place_tile(state, "attack", given, battle.at, order.tile)
    # 2 The attacker names its leader, then the defender.
    if attack_tile is not None:
        given = replace(given, own_tile=attack_tile)
    attack_leader = yield from name_leader(state, "attack", given, battle.at, order.lead)
    for_defence = replace(
        for_defence,
        own_tile=defence_tile,
        enemy_tile=attack_tile and tiles.back(state, attack_tile),
        enemy_leader=attack_leader,
    )
    defence_leader = yield from name_leader(state, "defence", for_defence, battle.at)
    # 3 to 5 Numbers, dice, tiles.
    faces = yield from roll_dice(state, battle)
    result = resolved(state, given, battle.defender, (attack_leader, defence_leader), faces)
    yield result
    yield from bear_result(state, battle, result)
    yield from draw_for_s(state, battle, faces)
    yield from tiles.spend_tiles(state, (battle.attacker, battle.defender))


def situation(state: State, battle: Battle) -> CombatGiven:
    """6.1 What lies open before the first tile is placed, as told to the attacker."""
    attackers, defenders = battle.order.armies, defending_armies(state, battle)
    may_fall: tuple[str, ...] = ()
    if treaty.may_change_hands(state, battle.front, (*attackers, *defenders)):
        may_fall = lines.available_locations(state, ALLIANCE[battle.attacker], battle.front)
    return CombatGiven(
        battle.attacker,
        battle.front,
        attackers,
        defenders,
        bonus=len(attackers) > len(defenders),  # 6.1-4, 6.1-5 committed armies only
        at_stake=may_fall,
    )


def name_leader(state: State, role: tiles.Role, given: CombatGiven, at: str, plan: str = "") -> Step:
    """6.1-3, 6.2-3 A side names the army that leads it; returns it."""
    participants = given.attackers if role == "attack" else given.defenders
    if len(participants) == 1:
        (leader,) = participants
    else:
        leader = yield Ask(
            state.seat(given.faction),
            f"combat.{role}_leader",
            at,
            given,
            leader_options(state, given.own_tile, participants),
            strongest(state.pack, tiles.possible_leaders(state, given.own_tile, participants)),
            secret=given.own_tile is not None,
            plan=plan,
        )
    yield LeaderNamed(given.faction, given.front, leader)
    return leader


@dataclass(frozen=True, slots=True)
class LeaderOptions(Choice):
    """6.1-3 One of the participants; `bound` are those whom the placed tile does not fit."""

    bound: tuple[str, ...] = ()

    def why_not(self, answer: Answer) -> Refusal | None:
        if answer in self.bound:
            return Illegal("FWW-6.2-3", "tile-binds-leader", {"counter": answer})
        return Choice.why_not(self, answer)


def leader_options(state: State, tile: str | None, participants: Sequence[str]) -> LeaderOptions:
    offered = tiles.possible_leaders(state, tile, participants)
    bound = tuple(army for army in participants if army not in offered)
    return LeaderOptions(offered, "FWW-6.1-3", "not-taking-part", bound)


def strongest(pack: Pack, armies: Sequence[str]) -> str:
    """D8, D9 The highest value, of equals the lowest id."""
    return min(armies, key=lambda army: (-pack.armies[army].value, pack.id_rank[army]))


def roll_dice(state: State, battle: Battle) -> Step:
    """6.1-6, S-1 One die each, the attacker's first."""
    (attack_face,) = yield Roll(state.seat(battle.attacker), f"attack.{battle.attacker}")
    (defence_face,) = yield Roll(state.seat(battle.defender), f"defence.{battle.defender}")
    return attack_face, defence_face


def resolved(
    state: State, given: CombatGiven, defender: Faction, leaders: tuple[str, str], faces: tuple[int, int]
) -> CombatResolved:
    """6.1-4 to 6.1-12 Both totals, without a lower bound, and what comes of them."""
    pack = state.pack
    played = state.placed.get(given.faction), state.placed.get(defender)
    values = pack.armies[leaders[0]].value, pack.armies[leaders[1]].value
    bonus = NUMBERS_BONUS if given.bonus else 0
    tile_values = _tile_value(state, played[0]), _tile_value(state, played[1])
    attack_total = values[0] + bonus + pack.die.value(faces[0]) + tile_values[0]
    defence_total = values[1] + pack.die.value(faces[1]) + tile_values[1]
    winner: Winner = "nobody"  # 6.1-10 equal totals cost nobody anything
    loss = None
    if attack_total > defence_total:
        winner, loss = "attacker", leaders[1]
    elif defence_total > attack_total:
        winner, loss = "defender", leaders[0]
    return CombatResolved(
        given.front,
        given.faction,
        defender,
        given.attackers,
        given.defenders,
        leaders,
        values,
        bonus,
        (pack.die.faces[faces[0] - 1], pack.die.faces[faces[1] - 1]),
        played,
        tile_values,
        (attack_total, defence_total),
        winner,
        loss,
    )


def _tile_value(state: State, tile: str | None) -> int:
    """6.1-7, 6.3-1 A tile acts on the total of the side that played it."""
    return 0 if tile is None else state.pack.tiles[tile].value


def bear_result(state: State, battle: Battle, result: CombatResolved) -> Step:
    """6.1-8 to 6.1-11 The beaten leader is lost; a victorious attacker gains ground or a point."""
    if result.loss is not None:
        yield ArmyEliminated(state.pack.faction_of[result.loss], result.loss, battle.front)
    fought = (*result.attackers, *result.defenders)
    if result.winner == "attacker" and treaty.may_change_hands(state, battle.front, fought):
        had_ground = yield from take_ground(state, battle)
        if not had_ground:
            yield from threaten_base(state, battle)


def draw_for_s(state: State, battle: Battle, faces: tuple[int, int]) -> Step:
    """6.2-5, 6.2-6, 6.2-8 Whoever rolled S may draw, the attacker first, and put back what is of no use."""
    for faction, face in zip((battle.attacker, battle.defender), faces, strict=True):
        if state.pack.die.is_s(face):
            drew = yield from tiles.draw_tile(state, faction, battle.front, battle.at)
            if drew:
                yield from any_time(state, (faction,), battle.key)
