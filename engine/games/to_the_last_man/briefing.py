"""What an advance means to one reader, from their own views and what they may read: `Game.brief`.

Whoever has no seat reads the same of both sides, and nothing of it is theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.games.to_the_last_man.answers import Group, Side
from engine.games.to_the_last_man.facts.battle import BattleBegan, BattleEnded, StepBegan
from engine.games.to_the_last_man.facts.board import (
    ArmyMoved,
    ArmyMovedSeen,
    OwnerChanged,
    UnitsMoved,
    UnitsMovedSeen,
)
from engine.games.to_the_last_man.facts.cards import CardsDrawn
from engine.games.to_the_last_man.facts.force import (
    ArmyEliminated,
    FortReduced,
    ReinforcementsDue,
    UnitsLost,
    UnitsLostSeen,
)
from engine.games.to_the_last_man.facts.season import CrisisFailed, WarEnded
from engine.games.to_the_last_man.state import BOX, ENGLAND, SIDES
from engine.games.to_the_last_man.view import View
from engine.kernel.briefing import DECIDES, ENDS_IT, GRAVE, MINOR, NOTABLE, BriefingItem, Tone
from engine.kernel.requests import Fact

NEAR = 2  # points from a level that ends the war
WEAK = 2  # a fort of this strength may be gone after the next battle
BELGIUM = "BE"


def brief(before: View | None, view: View, facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
    """Gains, losses, the level of victory, and what threatens the reader's side."""
    own: Side | None = view.side if view.seat else None
    happened = (*_end(view, facts), *_ground(own, before, view, facts), *_losses(own, view, facts))
    happened += (*_nations(before, view), *_crises(own, facts), *_points(before, view))
    if view.phase == "over":
        return happened
    happened += (*_decisive(view), *_battles(before, view))
    if own is None:
        return happened
    return (*happened, *_supply(own, before, view), *_forts(own, view), *_fresh(own, view, facts))


def _item(kind: str, tone: Tone, weight: int, **given: Any) -> BriefingItem:
    return BriefingItem(kind=kind, tone=tone, weight=weight, given=given)


def _end(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """3.2-02, 2.VI-02"""
    for fact in facts:
        if isinstance(fact, WarEnded):
            kind = "won" if fact.winners == (view.seat,) else "lost"
            if not view.seat or len(fact.winners) > 1:
                kind = "ended"
            told = {"reason": fact.reason, "points": fact.total, "reached": fact.level}
            yield _item(kind, "score", ENDS_IT, **told)


# ------------------------------------------------------------------ gained and lost


def _ground(
    own: Side | None, before: View | None, view: View, facts: Sequence[Fact]
) -> Iterator[BriefingItem]:
    """Areas with a new owner since the last letter, and those in which the enemy stands now."""
    changed = dict.fromkeys(fact.area for fact in facts if isinstance(fact, OwnerChanged))
    for side in SIDES:
        spots = tuple(
            area
            for area in changed
            if view.owner[area] == side and (before is None or before.owner[area] != side)
        )
        if not spots:
            continue
        weight = 2 * sum(view.pack.areas[area].vp for area in spots) + len(spots)
        if own is None:
            yield _item("areas-changed", "news", NOTABLE + weight, spots=spots, taker=side)
        elif side == own:
            yield _item("areas-taken", "gain", GRAVE - 5 + weight, spots=spots)
        else:
            yield _item("areas-lost", "loss", GRAVE + weight, spots=spots)
    if own is None or before is None:
        return
    entered = [area for area, now in view.status.items() if now == "disputed"]
    ours = tuple(area for area in entered if before.status[area] == "friendly")
    theirs = tuple(area for area in entered if before.status[area] == "enemy")
    if ours:
        yield _item("areas-invaded", "loss", GRAVE - 8 + len(ours), spots=ours)
    if theirs:
        yield _item("areas-entered", "gain", NOTABLE + 8 + len(theirs), spots=theirs)
    yield from _left(own, before, view)


def _left(own: Side, before: View, view: View) -> Iterator[BriefingItem]:
    """Areas that were fought for, and in which one side stands no more; their owner is the same."""
    settled = [area for area, was in before.status.items() if was == "disputed"]
    settled = [area for area in settled if view.owner[area] == before.owner[area]]
    lost = tuple(area for area in settled if view.status[area] == "enemy")
    kept = tuple(area for area in settled if view.status[area] == "friendly" and view.owner[area] == own)
    if lost:
        yield _item("areas-left", "loss", NOTABLE + 8 + len(lost), spots=lost)
    if kept:
        yield _item("areas-cleared", "gain", NOTABLE + 8 + len(kept), spots=kept)


def _losses(own: Side | None, view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """Armies, units and forts of both sides."""
    for side in SIDES:
        tone: Tone = "news" if own is None else "loss" if side == own else "gain"
        mine, base = side == own, 0 if side == own else -6
        dead = tuple(f.army for f in facts if isinstance(f, ArmyEliminated) and f.side == side)
        if dead:
            weight = GRAVE + 4 + base + len(dead)
            yield _item("armies-lost", tone, weight, whose=side, mine=mine, dead=dead)
        if group := lost_units(facts, side):
            weight = NOTABLE + base + min(9, sum(number for _, number in group))
            yield _item("units-lost", tone, weight, whose=side, mine=mine, group=group)
        forts = {f.area: f.strength for f in facts if isinstance(f, FortReduced) and f.side == side}
        gone = tuple(area for area, strength in forts.items() if strength < 0)
        hurt = tuple((area, strength) for area, strength in forts.items() if strength >= 0)
        if gone:
            yield _item("forts-gone", tone, GRAVE - 2 + base, whose=side, mine=mine, spots=gone)
        if hurt:
            yield _item("forts-hurt", tone, NOTABLE + 5 + base, whose=side, mine=mine, hurt=hurt)


def lost_units(facts: Iterable[Fact], side: Side) -> Group:
    """Units of that side that went to the pool, by kind."""
    numbers: Counter[str] = Counter()
    for fact in facts:
        if isinstance(fact, UnitsLost) and fact.side == side:
            numbers.update(unit.rpartition(".")[0] for unit in fact.units)
        elif isinstance(fact, UnitsLostSeen) and fact.side == side:
            numbers.update(dict(fact.units))
    return tuple(sorted(numbers.items()))


def _fresh(own: Side, view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """Reinforcements and cards of the reader's own, and a hand above its limit."""
    for fact in facts:
        if isinstance(fact, ReinforcementsDue) and fact.side == own:
            kinds = Counter(unit.rpartition(".")[0] for unit in fact.units)
            group, new = tuple(sorted(kinds.items())), fact.armies
            yield _item("reinforcements", "gain", MINOR + 8, group=group, new=new)
    drawn = [card for f in facts if isinstance(f, CardsDrawn) and f.side == own for card in f.cards]
    if drawn:
        cards_now = tuple(sorted(view.pack.cards[card] for card in drawn))
        yield _item("cards-drawn", "gain", MINOR + 5, drawn=cards_now)
    limit = view.pack.turns[_limit_turn(view)].hand[own]
    if (number := len(view.hand)) > limit:
        yield _item("hand-over", "threat", MINOR + 6, number=number, limit=limit)


def _limit_turn(view: View) -> int:
    """2.V.3-01"""
    turn = view.turn + (view.options["hand_limit"] == "next")
    return min(int(turn), max(view.pack.turns))


# ------------------------------------------------------------------ how it stands


def _points(before: View | None, view: View) -> Iterator[BriefingItem]:
    """3.1 The total, its level, and where the next ones begin."""
    now, levels = view.victory, view.pack.levels
    was = None if before is None else before.victory
    at = next(n for n, level in enumerate(levels) if level.id == now.level)
    lower = levels[at - 1] if at else None
    higher = levels[at + 1] if at + 1 < len(levels) else None
    given = {"points": now.total, "reached": now.level, "was": None if was is None else was.total}
    given |= {
        "lower": lower and (lower.max, lower.id),
        "higher": higher and (higher.min, higher.id),
        "over": view.phase == "over",
        "ends": levels[at].ends_game,
    }
    if was is None or was.level == now.level:
        weight = NOTABLE - 2 if was is not None and was.total != now.total else MINOR
        if levels[at].ends_game:
            weight = DECIDES
        yield _item("points", "score", weight, **given)
        return
    yield _item("level-crossed", "score", DECIDES - 10, **given)


def _decisive(view: View) -> Iterator[BriefingItem]:
    """3.2-02 A level that ends the war, and how near it is."""
    for level in view.pack.levels:
        if level.ends_game and level.id != view.victory.level:
            away = level.min - view.victory.total if level.rank > 0 else view.victory.total - level.max
            if away <= NEAR:
                yield _item("decisive-near", "threat", DECIDES, away=away, reached=level.id)


def _battles(before: View | None, view: View) -> Iterator[BriefingItem]:
    """2.II.3 Battles that are declared and not fought to the end; `entered`: all where somebody came in."""
    if left := tuple(area for area in view.battles if area not in view.fought):
        fresh = [area for area in left if view.status[area] == "disputed"]
        fresh = [area for area in fresh if before is not None and before.status[area] != "disputed"]
        entered = bool(view.seat) and len(fresh) == len(left)
        yield _item("battles-open", "news", NOTABLE + 2, spots=left, entered=entered)


def _supply(own: Side, before: View | None, view: View) -> Iterator[BriefingItem]:
    """6.2 Own armies and loose units that are cut off: they lose steps at the season's end."""
    now = set(_cut_off(own, view))
    old = now if before is None else set(_cut_off(own, before))
    for kind, areas, weight in (
        ("supply-cut", now - old, GRAVE + 10),
        ("supply-missing", now & old, NOTABLE + 9),
    ):
        if spots := tuple(area for area in view.pack.areas if area in areas):
            there = tuple(army for army, at in view.army_at.items() if at in areas and _is(view, army, own))
            yield _item(kind, "threat", weight, spots=spots, there=there)


def _is(view: View, army: str, own: Side) -> bool:
    return view.pack.side_of[army] == own


def _cut_off(own: Side, view: View) -> Iterator[str]:
    """Areas with own pieces out of supply; beside the map nobody is."""
    occupied = {at for army, at in view.army_at.items() if _is(view, army, own)}
    occupied |= {area for area, sides in view.loose.items() if own in sides}
    yield from occupied - view.supplied - {ENGLAND, BOX}


def _forts(own: Side, view: View) -> Iterator[BriefingItem]:
    """Own forts in the front line that the next battle may cost."""
    besieged = tuple(
        (area, strength)
        for area, strength in view.forts.items()
        if view.pack.fort_side[area] == own and strength <= WEAK and view.status[area] == "disputed"
    )
    if besieged:
        yield _item("forts-weak", "threat", NOTABLE - 1 + len(besieged), besieged=besieged)


def _nations(before: View | None, view: View) -> Iterator[BriefingItem]:
    """12-01, 2.I Who enters the war, and who will next season."""
    if before is not None:
        new = _at_war(view) - _at_war(before)
        for nation in view.pack.nations:
            if nation in new:
                yield _item("nation-enters", "news", NOTABLE + 12, nation=nation)
    coming = view.pack.turns.get(view.turn + 1)
    if coming is None or view.phase == "over":
        return
    nations = {view.pack.nation_of[army] for army in coming.armies} - _at_war(view)
    for nation in view.pack.nations:
        if nation in nations:
            yield _item("nation-due", "news", MINOR + 9, nation=nation, when=view.turn + 1)


def _at_war(view: View) -> frozenset[str]:
    """Nations with anything on the map or arriving, but for those that are neutral in the free game."""
    nation_of = view.pack.nation_of
    present = {nation_of[army] for army in (*view.army_at, *view.eliminated)}
    present |= {nation_of[one] for there in view.arriving.values() for one in there}
    present |= {
        kind.partition(".")[0] for sides in view.loose.values() for g in sides.values() for kind, _ in g
    }
    areas = view.pack.areas.items()
    neutral = view.options["free_game"] and any(
        row.country == BELGIUM and view.owner[area] == "" for area, row in areas
    )
    return frozenset(present - ({BELGIUM, "UK"} if neutral else set()))


def _crises(own: Side | None, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """9.8-03 A crisis that was not met in full costs points for the whole war."""
    for fact in facts:
        if isinstance(fact, CrisisFailed):
            tone: Tone = "news" if own is None else "loss" if fact.side == own else "gain"
            yield _item(
                "crisis-failed", tone, NOTABLE + 6, whose=fact.side, mine=fact.side == own, vp=fact.vp
            )


# ------------------------------------------------------------------ battles


def conclude(facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
    """What the battle of this segment cost, who holds its area, or that it goes on."""
    steps = [fact for fact in facts if isinstance(fact, (BattleBegan, StepBegan, BattleEnded))]
    if not steps:
        return ()
    area, end = steps[0].area, steps[-1]
    if not isinstance(end, BattleEnded):
        return (_item("goes-on", "news", MINOR, spot=area),)
    if not end.fought:
        return ()
    taken = tuple(fact for fact in facts if isinstance(fact, OwnerChanged) and fact.area == area)
    cost = tuple((side, lost) for side in SIDES if (lost := lost_units(facts, side)))
    back = tuple(side for side in SIDES if any(_is_retreat(fact, side) for fact in facts))
    dead = tuple(fact.army for fact in facts if isinstance(fact, ArmyEliminated))
    forts = [fact.strength for fact in facts if isinstance(fact, FortReduced) and fact.area == area]
    given = {"spot": area, "cost": cost, "dead": dead, "back": back, "fort": forts[-1] if forts else None}
    ended = _item("ended", "news", MINOR, **given, taker=taken[-1].side if taken else "")
    return (replace(ended, tells=taken),)


def _is_retreat(fact: Fact, side: Side) -> bool:
    moves = (ArmyMoved, ArmyMovedSeen, UnitsMoved, UnitsMovedSeen)
    return isinstance(fact, moves) and fact.side == side and fact.way == "retreat"
