"""Two players made of code: one takes anything that is offered, one plays sensibly.

Both see only what a seat sees: its view and the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.games.first_world_war.answers import Attack, Faction, Transfer
from engine.games.first_world_war.odds import SCALE, attack_odds
from engine.games.first_world_war.rules import lines
from engine.games.first_world_war.rules.rounds import RoundOptions
from engine.games.first_world_war.state import ALLIANCE, ENEMY, PARTNERS
from engine.games.first_world_war.view import View
from engine.kernel.game import Bot, random_bot
from engine.kernel.requests import Answer, Ask, Rng

LOCATION, CENTRE = 2.0, 0.5  # worth of a location: a point won and a point taken; more for a centre
SURRENDER = 4.0  # a point that may end the war this turn
KILL = 0.8  # an enemy army off the board until it is replaced
LOSS, LOSS_BY_VALUE = 0.4, 0.25
WORTHWHILE = 0.1
GAP = 1.2  # an open front: the enemy walks in


def sensible_bot(view: View, ask: Ask, rng: Rng) -> Answer:
    """Attacks where it pays, closes gaps, plays its best tile; else the default."""
    return _HABITS.get(ask.topic, _default)(view, ask)


def _default(view: View, ask: Ask) -> Answer:
    return ask.default


# ------------------------------------------------------------------ rounds


def act(view: View, ask: Ask) -> Answer:
    """D4 The best attack, unless closing a gap is worth more."""
    faction, options = ask.given.faction, ask.options
    assert isinstance(options, RoundOptions)
    offers: list[tuple[float, Answer]] = [(WORTHWHILE, ask.default)]
    for front in view.pack.fronts:
        if armies := options.attackers(front):
            attack = Attack(front, armies)
            offers.append((worth_of_attack(view, faction, attack), attack))
    offers += [(worth, move) for worth, move in gap_closers(view, faction) if options.contains(move)]
    return max(offers, key=lambda offer: offer[0])[1]


def worth_of_attack(view: View, faction: Faction, attack: Attack) -> float:
    """Ground, a surrender point, an army killed, against the leader at risk."""
    pack, front = view.pack, attack.front
    tile = best_tile_value(view, faction, attack)
    chances = attack_odds(view, attack, tile)
    ground, point = prizes(view, faction, front)
    leader = max(pack.armies[army].value for army in attack.armies)
    gained = chances.unopposed * ground + chances.higher * (ground + point + KILL)
    return (gained - chances.lower * (LOSS + LOSS_BY_VALUE * leader)) / SCALE


def prizes(view: View, faction: Faction, front: int) -> tuple[float, float]:
    """What a victory brings: ground, and a surrender point where there is no ground left."""
    alliance = ALLIANCE[faction]
    if available := lines.available_locations(view, alliance, front):
        centre = view.pack.locations[available[0]].replacement
        return LOCATION + (CENTRE if centre else 0.0), 0.0
    victim = view.pack.fighter[front][ENEMY[faction]]
    fresh = front not in view.surrender[victim]
    return 0.0, SURRENDER if fresh and lines.is_base_reachable(view, alliance, front) else 0.0


def best_tile_value(view: View, faction: Faction, attack: Attack) -> int:
    pack, nations = view.pack, {view.pack.nationality_of[army] for army in attack.armies}
    values = [
        pack.tiles[tile].value
        for tile in view.hands.get(faction, ())
        if pack.tiles[tile].use == "attack" and (nations | {"ANY"}) & set(pack.tiles[tile].nationalities)
    ]
    return max(values, default=0)


def gap_closers(view: View, faction: Faction) -> list[tuple[float, Answer]]:
    """Transfers of a spare army to a front of the faction's own that no real army holds against the enemy."""
    pack = view.pack
    own = {front: _own_reals(view, faction, front) for front in pack.fronts}
    enemy = {front: sum(view.counts[front].get(f, 0) for f in PARTNERS[ENEMY[faction]]) for front in own}
    spare = {front: armies for front, armies in own.items() if len(armies) > 1}
    moves: list[tuple[float, Answer]] = []
    for to, armies in own.items():
        if armies or not enemy[to] or pack.fighter[to][ALLIANCE[faction]] != faction:
            continue
        for origin, there in spare.items():
            surplus = len(there) - enemy[origin]
            army = min(there, key=lambda one: (pack.armies[one].value, pack.id_rank[one]))
            moves.append((GAP + 0.05 * surplus, Transfer(origin, to, (army,))))
    return moves


def _own_reals(view: View, faction: Faction, front: int) -> list[str]:
    """Known real armies there that obey the faction."""
    pack = view.pack
    real = [c for c in view.known[front] if c in pack.armies]
    return [army for army in real if pack.commander[pack.faction_of[army]][front] == faction]


# ------------------------------------------------------------------ combat


def play_best_tile(view: View, ask: Ask) -> Answer:
    """D6, D7 The highest value that fits, but no 0 tile."""
    tiles = view.pack.tiles
    good = [tile for tile in ask.options.describe() if tile is not None and tiles[tile].value > 0]
    return max(good, key=lambda tile: (tiles[tile].value, tile)) if good else ask.default


def always(view: View, ask: Ask) -> Answer:
    return True


_HABITS: Mapping[str, Callable[[View, Ask], Answer]] = {
    "round.action": act,
    "combat.attack_tile": play_best_tile,
    "combat.defence_tile": play_best_tile,
    "combat.draw": always,
}

BOTS: Mapping[str, Bot] = {"random": random_bot, "sensible": sensible_bot}
