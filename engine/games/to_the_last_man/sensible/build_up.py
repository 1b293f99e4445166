"""2.I, 7 Reinforcements and production: armies rebuilt, the front filled, trenches, cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from engine.games.to_the_last_man.answers import (
    DONE,
    LOOSE,
    Build,
    Buy,
    Entrench,
    Group,
    Place,
    ProductionAct,
    Rebuild,
)
from engine.games.to_the_last_man.rules.purchases import STAGES
from engine.games.to_the_last_man.sensible.ground import Ground
from engine.games.to_the_last_man.sensible.powers import power_of
from engine.games.to_the_last_man.state import BOX, ENGLAND
from engine.games.to_the_last_man.view import View
from engine.kernel.requests import Answer, Ask

CARDS = 5  # points set aside for cards before units are bought, as far as the hand may grow


def reinforce(view: View, ask: Ask) -> Answer:
    """D04, D06 Swaps and armies as usual; units into the armies that need them most."""
    usual = ask.default
    if not (isinstance(usual, Place) and usual.units) and usual != DONE:
        return usual
    ground = Ground(view)
    for kind, _ in ask.given.units:
        for area, army in hosts(ground, kind):
            place = Place(area, units=((kind, 1),), into=army)
            if ask.options.contains(place):
                return place
    return usual


def hosts(ground: Ground, kind: str) -> Iterator[tuple[str, str]]:
    """Supplied armies of that nation, the needy ones first: at the front, in danger, weak."""
    view = ground.view
    nation = kind.partition(".")[0]
    armies = [army for army in view.pack.armies_of[nation] if view.army_at.get(army, BOX) != BOX]
    for army in sorted(armies, key=lambda army: need(ground, army)):
        if view.army_at[army] in view.supplied:
            yield view.army_at[army], army


def need(ground: Ground, army: str) -> tuple[bool, int, float, int]:
    view = ground.view
    area, strength = view.army_at[army], sum(number for _, number in view.contents[army])
    toughness = sum(piece.power.hp for piece in ground.pieces(area))
    return area == ENGLAND, ground.distance(area), toughness - 3 * ground.threat(area), strength


# ------------------------------------------------------------------ production


def produce(view: View, ask: Ask) -> Answer:
    """D51 Armies first, then units for the front, trenches, and cards with what is left."""
    ground, points, stage = Ground(view), ask.given.points, ask.given.stage
    if points <= 0 or stage >= STAGES[Buy]:
        return DONE
    trench = to_entrench(ground)
    wanted = min(points, max(0, view.pack.turns[view.turn].hand[view.side] - len(view.hand)))
    digging = -(-trench_pieces(trench) // view.pack.meta.entrench_per_bp)
    acts: Iterable[ProductionAct] = chain(rebuildings(ground), garrisons(ground))
    if points > digging + min(wanted, CARDS):
        acts = chain(acts, units_for_the_front(ground))
    if digging <= points:
        acts = chain(acts, [trench])
    acts = chain(
        acts, units_for_the_front(ground) if points > wanted else [], [Buy(wanted)] if wanted else []
    )
    return next((act for act in acts if ask.options.contains(act)), DONE)


def rebuildings(ground: Ground) -> Iterator[Rebuild]:
    """7.3 As near to the front as possible, where it can be filled."""
    view = ground.view
    for army in view.eliminated:
        if view.pack.side_of[army] != view.side:
            continue
        homes = view.pack.home_areas[view.pack.nation_of[army]]
        for area in sorted(homes, key=lambda area: (is_crowded(ground, area), ground.distance(area), area)):
            yield Rebuild(army, area)


def is_crowded(ground: Ground, area: str) -> bool:
    """1.2.2-08 Would an empty army find no room there once it is filled?"""
    view = ground.view
    empty = [army for army, at in view.army_at.items() if at == area and not view.holding[army]]
    own = [army for army in empty if view.pack.side_of[army] == view.side]
    return len(ground.pieces(area)) + len(own) >= view.pack.meta.stacking_limit


def garrisons(ground: Ground) -> Iterator[Build]:
    """7.2 An infantry unit for each area worth victory points that the enemy could walk into."""
    view = ground.view
    bare = [a for a in sorted(view.supplied) if view.status[a] == "friendly" and ground.is_bare(a)]
    stakes = {a: vp for a in bare if (vp := view.pack.areas[a].vp) and ground.exposure(a) >= 1.0}
    nations = sorted(view.pack.sides[view.side].nations, key=lambda nation: nation == "US")
    for area in sorted(stakes, key=lambda area: (-stakes[area], area)):
        yield from (Build(area, ((f"{nation}.I", 1),)) for nation in nations)


def units_for_the_front(ground: Ground) -> Iterator[Build]:
    """7.2 One unit for the neediest army: infantry, or a gun once it has infantry enough."""
    view, options = ground.view, list[tuple[tuple[bool, int, float, int], str, str]]()
    for army in view.pack.armies_of[view.side]:
        if view.army_at.get(army, BOX) != BOX:
            options.append((need(ground, army), army, view.army_at[army]))
    for _, army, area in sorted(options):
        nation = view.pack.nation_of[army]
        power = power_of(view.pack, view.contents[army], False, 1)
        foot, gun = f"{nation}.I", f"{nation}.A"
        guns_first = power.foot >= 3 and power.guns * view.pack.meta.die_sides < power.foot / 2
        for kind in (gun, foot) if guns_first else (foot, gun):
            if power.foot or kind == foot:
                yield Build(area, ((kind, 1),), army)


def to_entrench(ground: Ground) -> Entrench:
    """7.4 Whoever stands near the enemy in the open."""
    view = ground.view
    front = [area for area in sorted(ground.own) if area not in (BOX, ENGLAND) and ground.distance(area) == 0]
    armies = [
        p.place for area in front for p in ground.pieces(area) if _digs(p.group) and p.place and not p.dug_in
    ]
    loose: list[tuple[str, Group]] = []
    for area in front:
        kinds = [
            p.group[0][0] for p in ground.pieces(area) if p.place == LOOSE and not p.dug_in and _digs(p.group)
        ]
        if kinds:
            loose.append((area, tuple((kind, kinds.count(kind)) for kind in sorted(set(kinds)))))
    ordered = tuple(army for army in view.pack.armies if army in armies)
    return Entrench(ordered, tuple(loose))


def _digs(group: Group) -> bool:
    return any(kind.endswith((".I", ".CW")) for kind, _ in group)


def trench_pieces(act: Entrench) -> int:
    return len(act.armies) + sum(number for _, group in act.loose for _, number in group)
