"""What an advance means to one reader, from their own views and what they may read: `Game.brief`.

`who` is the faction an item is about; '' if that is all the reader runs, whom letters call "you".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from engine.games.first_world_war.answers import Alliance, Faction
from engine.games.first_world_war.facts.board import ReinforcementsArrived
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    AttackCameToNothing,
    AttackLaunched,
    CombatResolved,
    FrontFoundEmpty,
    GameEnded,
    LocationCaptured,
    SurrenderRolled,
    TileDrawn,
    TreatyRefused,
    TreatySigned,
)
from engine.games.first_world_war.rules import lines, victory
from engine.games.first_world_war.state import ALLIANCE, ENEMY, FACTIONS
from engine.games.first_world_war.view import View
from engine.kernel.briefing import DECIDES, ENDS_IT, GRAVE, MINOR, NOTABLE, BriefingItem, Tone
from engine.kernel.requests import Fact

CENTRE = 8  # by so much a replacement centre weighs more than another place


def brief(before: View | None, view: View, facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
    """Gains, losses, points, and what threatens the reader's factions."""
    happened = (*_end(view, facts), *_ground(before, view, facts), *_armies(view, facts))
    happened += (*_combats(view, facts), *_treaty(facts), *_points(before, view))
    if view.phase == "over":
        return happened
    rolled = {fact.faction: fact for fact in facts if isinstance(fact, SurrenderRolled)}
    return (
        *happened,
        *_rolls(view, rolled.values()),
        *_standing(before, view, rolled),
        *_in_reach(before, view),
        *_hands(view, facts),
    )


def _item(kind: str, tone: Tone, weight: int, **given: Any) -> BriefingItem:
    return BriefingItem(kind=kind, tone=tone, weight=weight, given=given)


def _who(view: View, faction: Faction) -> str:
    return "" if view.factions == (faction,) else faction


def _end(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    for fact in facts:
        if isinstance(fact, GameEnded):
            kind = "ended" if not view.factions else "won" if view.seat in fact.winners else "lost"
            yield _item(kind, "score", ENDS_IT, winners=fact.winners, reason=fact.reason)


# ------------------------------------------------------------------ gained and lost


def _ground(before: View | None, view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """What has changed hands since the last letter; what came back meanwhile has not."""
    changed: dict[tuple[Faction, Faction], list[str]] = {}
    first: dict[str, Faction] = {}
    for fact in facts:
        if isinstance(fact, LocationCaptured):
            first.setdefault(fact.location, fact.loser)
    for location, loser in first.items():
        held = loser if before is None else before.control[location]
        if (taker := view.control[location]) != held:
            changed.setdefault((taker, held), []).append(location)
    for (taker, loser), spots in changed.items():
        weight = len(spots) + CENTRE * sum(view.pack.locations[spot].replacement for spot in spots)
        told = {"spots": tuple(spots), "taker": taker, "loser": loser}
        if loser in view.factions:
            yield _item("places-lost", "loss", GRAVE + weight, who=_who(view, loser), **told)
        elif taker in view.factions:
            yield _item("places-taken", "gain", GRAVE - 5 + weight, who=_who(view, taker), **told)
        else:
            yield _item("places-changed", "news", MINOR + weight, **told)


def _armies(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """Armies lost by the reader, by others, and those that the reader's factions destroyed."""
    lost: dict[Faction, list[str]] = {}
    beaten: list[str] = []
    for fact in facts:
        if isinstance(fact, ArmyEliminated):
            lost.setdefault(fact.faction, []).append(fact.army)
        if isinstance(fact, CombatResolved) and fact.loss is not None:
            other = {fact.attacker, fact.defender} & {*view.factions}
            if other and view.pack.faction_of[fact.loss] not in view.factions:
                beaten.append(fact.loss)
    if own := tuple(army for faction in view.factions for army in lost.get(faction, ())):
        yield _item("armies-lost", "loss", NOTABLE + _value(view, own), who="", dead=own, mine=True)
    for faction in FACTIONS:
        dead = tuple(army for army in lost.get(faction, ()) if army not in beaten)
        if dead and faction not in view.factions:
            weight = MINOR + _value(view, dead)
            yield _item("armies-lost", "news", weight, who=faction, dead=dead, mine=False)
    if beaten:
        weight = NOTABLE - 5 + _value(view, beaten)
        yield _item("armies-destroyed", "gain", weight, dead=tuple(beaten))


def _value(view: View, armies: Iterable[str]) -> int:
    return sum(view.pack.armies[one].value for one in armies)


def _combats(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """Attacks beaten off, the reader's and those upon the reader."""
    failed: list[int] = []
    held: dict[Faction, list[int]] = {}
    for fact in facts:
        if isinstance(fact, CombatResolved) and fact.winner != "attacker":
            if fact.attacker in view.factions:
                failed.append(fact.front)
            elif fact.defender in view.factions:
                held.setdefault(fact.attacker, []).append(fact.front)
    if failed:
        yield _item("attacks-failed", "loss", NOTABLE - 8, where=tuple(dict.fromkeys(failed)))
    for foe, where in held.items():
        yield _item("attacks-held", "gain", NOTABLE - 10, foe=foe, where=tuple(dict.fromkeys(where)))
    for fact in _open_attacks(facts):
        defender = view.pack.fighter[fact.front][view.pack.enemy_of[ALLIANCE[fact.faction]]]
        if defender in view.factions:
            told = {"who": _who(view, defender), "foe": fact.faction, "with_": fact.armies}
            yield _item("attacked", "threat", NOTABLE + 6, where=fact.front, **told)
        elif fact.faction in view.factions:
            told = {"who": _who(view, fact.faction), "foe": defender, "with_": fact.armies}
            yield _item("attacking", "news", NOTABLE - 4, where=fact.front, **told)


def _open_attacks(facts: Iterable[Fact]) -> Iterator[AttackLaunched]:
    """Those whose dice have not fallen yet."""
    begun: dict[int, AttackLaunched] = {}
    for fact in facts:
        if isinstance(fact, AttackLaunched):
            begun[fact.front] = fact
        elif isinstance(fact, (CombatResolved, FrontFoundEmpty, AttackCameToNothing)):
            begun.pop(fact.front, None)
    yield from begun.values()


def _hands(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """New armies and tiles; a hand that is full."""
    for faction in view.factions:
        arrived = [f.armies for f in facts if isinstance(f, ReinforcementsArrived) and f.faction == faction]
        if new := tuple(army for armies in arrived for army in armies):
            yield _item("armies-arrived", "gain", MINOR + 8, who=_who(view, faction), new=new)
        drawn = tuple(f.tile for f in facts if isinstance(f, TileDrawn) and f.faction == faction)
        drawn = tuple(tile for tile in dict.fromkeys(drawn) if tile in view.hands[faction])
        if drawn:
            yield _item("tiles-drawn", "gain", MINOR + 5, who=_who(view, faction), drawn=drawn)
        if (number := len(view.hands[faction])) >= view.pack.meta.hand_limit:
            yield _item("hand-full", "threat", MINOR, who=_who(view, faction), number=number)


# ------------------------------------------------------------------ how it stands


def _points(before: View | None, view: View) -> Iterator[BriefingItem]:
    """The points of every faction, and who would win by them."""
    ahead = victory.alliance_ahead(view)
    shown = view.factions or FACTIONS
    rows = [(faction, view.vp[faction], before and before.vp[faction]) for faction in shown]
    sums = {alliance: victory.alliance_score(view, alliance) for alliance in victory.ALLIANCES}
    leader = victory.faction_ahead(view, ahead)
    changed = before is not None and before.vp != view.vp
    turned = before is not None and victory.alliance_ahead(before) != ahead
    given = {"rows": tuple(rows), "alone": len(view.factions) == 1, "sums": sums, "ahead": ahead}
    weight = NOTABLE - 2 if changed else MINOR
    given |= {"leader": leader, "leads": leader in view.factions, "over": view.phase == "over"}
    yield _item("points", "score", weight, **given)
    if turned:
        leads = ahead in _alliances(view)
        tone: Tone = "news" if not view.factions else "gain" if leads else "loss"
        yield _item("lead-changed", tone, GRAVE + 5, ahead=ahead, sums=sums)


def _alliances(view: View) -> tuple[Alliance, ...]:
    return tuple(dict.fromkeys(ALLIANCE[faction] for faction in view.factions))


def _rolls(view: View, rolled: Iterable[SurrenderRolled]) -> Iterator[BriefingItem]:
    """6.5-3 The war goes on: whoever had surrender points came through."""
    for fact in rolled:
        ours = ALLIANCE[fact.faction] in _alliances(view)
        told = {"who": _who(view, fact.faction), "die": fact.die, "points": fact.points}
        yield _item("fought-on", "gain" if ours else "news", NOTABLE + 4, **told)


def _standing(before: View | None, view: View, rolled: Collection[Faction]) -> Iterator[BriefingItem]:
    """4.2.3-9, 6.5-3 What may end the war: fronts in one hand, the last turn, surrender points."""
    for alliance in victory.ALLIANCES:
        number, needed = victory.fronts_held(view, alliance), view.pack.victory.early_end_fronts
        if number >= needed - 1:
            yield _item("fronts-held", "threat", DECIDES, alliance=alliance, number=number, needed=needed)
    if view.turn == view.pack.meta.turns:
        yield _item("last-turn", "news", NOTABLE - 3)
    if view.phase != "replace":  # the dice have fallen
        yield from _surrender(before, view, rolled)


def _surrender(before: View | None, view: View, rolled: Collection[Faction]) -> Iterator[BriefingItem]:
    """6.5-3 Every point is a face of the die that ends the war."""
    faces = view.pack.die.faces
    for faction in FACTIONS:
        points = len(view.surrender[faction])
        if not points or faction in rolled:
            continue
        more = before is not None and points > len(before.surrender[faction])
        chance = sum(shown != "S" and int(shown) <= points for shown in faces)
        ours = ALLIANCE[faction] in _alliances(view)
        tone: Tone = "threat" if ours else "gain" if view.factions else "news"
        told = {"who": _who(view, faction), "points": points, "where": view.surrender[faction]}
        weight = (DECIDES if ours else GRAVE) - (0 if more else 25)
        yield _item("surrender", tone, weight, **told, chance=chance, faces=len(faces), ours=ours, fresh=more)


def _in_reach(before: View | None, view: View) -> Iterator[BriefingItem]:
    """6.4-1, 6.5-1 Bases and replacement centres that the next lost combat may cost."""
    bases, centres = set(_bases_in_reach(view)), set(_centres_in_reach(view))
    old_bases = bases if before is None else set(_bases_in_reach(before))
    old_centres = centres if before is None else set(_centres_in_reach(before))
    if new := sorted(bases - old_bases):
        yield _item("base-exposed", "threat", GRAVE + 12, where=tuple(new))
    known, news = _in_order(view, centres & old_centres), _in_order(view, centres - old_centres)
    if news:
        yield _item("centre-exposed", "threat", NOTABLE + 2, spots=news, known=known)
    still = {"where": tuple(sorted(bases & old_bases)), "spots": () if news else known}
    if any(still.values()):
        yield _item("still-in-reach", "threat", NOTABLE + 3 if still["where"] else MINOR + 3, **still)


def _in_order(view: View, spots: Iterable[str]) -> tuple[str, ...]:
    wanted = set(spots)
    return tuple(location for location in view.pack.locations if location in wanted)


def _bases_in_reach(view: View) -> Iterator[int]:
    """Fronts on which an own base can be reached."""
    enemy_of = view.pack.enemy_of
    for front, fighters in view.pack.fighter.items():
        for alliance, faction in fighters.items():
            if faction in view.factions and lines.is_base_reachable(view, enemy_of[alliance], front):
                yield front


def _centres_in_reach(view: View) -> Iterator[str]:
    for faction in view.factions:
        enemy = ENEMY[faction]
        for centre in view.pack.replacement.centres[faction]:
            front = view.pack.front_of[centre]
            if view.control[centre] == faction and centre in lines.available_locations(view, enemy, front):
                yield centre


def _treaty(facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    for fact in facts:
        if isinstance(fact, TreatySigned):
            yield _item("treaty-signed", "news", DECIDES - 5)
        elif isinstance(fact, TreatyRefused):
            yield _item("treaty-refused", "news", NOTABLE + 5)


# ------------------------------------------------------------------ battles


def conclude(facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
    """A combat whose dice have not fallen when the letter is written."""
    return tuple(_item("goes-on", "news", MINOR, where=fact.front) for fact in _open_attacks(facts))
