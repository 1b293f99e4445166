"""What an advance means to one reader, from their own views and what they may read: `Game.brief`.

Whoever has no seat has no camp: nothing of it is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.games.trench_club.answers import Camp, Nation
from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.facts.money import MoneyGiven, SpecialDrawn
from engine.games.trench_club.facts.moves import FortConquered, MineExploded
from engine.games.trench_club.facts.setup import GameWon
from engine.games.trench_club.rules.victory import TEAMS, forts_of_team, forts_to_win
from engine.games.trench_club.state import Position, Team
from engine.games.trench_club.summary import before_entrances
from engine.games.trench_club.view import View
from engine.kernel.briefing import DECIDES, ENDS_IT, GRAVE, MINOR, NOTABLE, BriefingItem, Tone
from engine.kernel.requests import Fact

NEARLY_LOST = 2  # a unit that so much more damage destroys


def brief(before: View | None, view: View, facts: Sequence[Fact]) -> tuple[BriefingItem, ...]:
    """Forts, units, money, and how many forts are left to victory."""
    then = None if before is None else before.position
    happened = (*_end(view, facts), *_forts(then, view, facts), *_losses(view, facts))
    if view.position.phase == "over" or not view.position.round:
        return (*happened, *_count(then, view))
    happened += (*_count(then, view), *_last_rounds(then, view))
    if not view.camp:
        return happened
    return (
        *happened,
        *_doors(view),
        *_damage(then, view),
        *_struck(then, view),
        *_money(then, view, facts),
        *_cards(view, facts),
    )


def _item(kind: str, tone: Tone, weight: int, **given: Any) -> BriefingItem:
    return BriefingItem(kind=kind, tone=tone, weight=weight, given=given)


def _team(view: View, camp: Camp) -> Team:
    team: Team = view.position.pack.team_of[camp]
    return team


def _is_ours(view: View, camp: Camp) -> bool:
    return bool(view.camp) and _team(view, camp) == _team(view, view.camp)


def _nations(position: Position, team: Team) -> tuple[Nation, ...]:
    return tuple(nation for nation in position.camp_of if position.pack.team_of[nation] == team)


def _left(position: Position, team: Team) -> int:
    """Forts that the team still needs."""
    return max(0, forts_to_win(position) - forts_of_team(position, team))


def _end(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    for fact in facts:
        if isinstance(fact, GameWon):
            kind = "won" if view.nation in fact.winners else "lost"
            if not view.camp or fact.reason == "draw":
                kind = "ended"
            yield _item(kind, "score", ENDS_IT, reason=fact.reason, winners=fact.winners)


# ------------------------------------------------------------------ gained and lost


def _camp(position: Position, unit: str) -> Camp:
    """Whose a unit is that may be gone: its id begins with its nation."""
    return next(camp for nation, camp in position.camp_of.items() if unit.startswith(nation))


def _type(position: Position, unit: str) -> str:
    return position.pack.type_of_code[unit[3:6]]


def _forts(then: Position | None, view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """Forts with a new owner since the last letter."""
    first: dict[str, Camp] = {}
    for fact in facts:
        if isinstance(fact, FortConquered):
            first.setdefault(fact.fort, fact.before)
    changed: dict[tuple[Camp, Camp], list[str]] = {}
    for fort, was in first.items():
        loser = was if then is None else then.forts[fort]
        taker = view.position.forts[fort]
        if taker and taker != loser:
            changed.setdefault((taker, loser), []).append(fort)
    for (taker, loser), spots in changed.items():
        left = _left(view.position, _team(view, taker))
        told = {"spots": tuple(spots), "taker": taker, "loser": loser, "left": left}
        more = 15 if left == 1 else 0
        if loser and loser == view.camp:
            yield _item("forts-lost", "loss", GRAVE + 15 + len(spots) + more, **told)
        elif taker == view.camp:
            yield _item("forts-taken", "gain", GRAVE + 10 + len(spots) + more, **told)
        else:
            tone: Tone = "news" if not view.camp or _is_ours(view, taker) else "loss"
            yield _item("forts-changed", tone, GRAVE + len(spots) + more, **told)


def _losses(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """Units that are gone, and kinds of which the reader has none left."""
    position = view.position
    lost = tuple(dict.fromkeys(lost_units(facts)))
    camp_of = {unit: _camp(position, unit) for unit in lost}
    own = tuple(unit for unit in lost if view.camp and camp_of[unit] == view.camp)
    foes = tuple(unit for unit in lost if view.camp and not _is_ours(view, camp_of[unit]))
    if own:
        left = {unit.type for unit in position.of_camp(view.camp)}
        kinds = dict.fromkeys(_type(position, unit) for unit in own)
        last = tuple(kind for kind in kinds if kind not in left)
        yield _item("units-lost", "loss", GRAVE - 10 + _price(position, own), lost=own, last=last)
    if foes:
        yield _item("units-destroyed", "gain", NOTABLE + _price(position, foes), lost=foes)
    if lost and not view.camp:
        yield _item("units-gone", "news", NOTABLE, lost=lost)


def _price(position: Position, units: Sequence[str]) -> int:
    """What they cost, as far as it weighs."""
    return min(9, sum(position.pack.types[_type(position, unit)].price for unit in units))


def lost_units(facts: Iterable[Fact]) -> Iterator[str]:
    """Units that combat, mines and conquests took off the board."""
    for fact in facts:
        if isinstance(fact, CombatFought):
            yield from (shot.at for shot in fact.shots if shot.destroyed)
        elif isinstance(fact, (MineExploded, FortConquered)):
            yield from fact.lost


# ------------------------------------------------------------------ how it stands


def _count(then: Position | None, view: View) -> Iterator[BriefingItem]:
    """VICTORY-1 Forts of both teams, and who is one short of victory."""
    position, needed = view.position, forts_to_win(view.position)
    teams = sorted(TEAMS, key=lambda team: not (view.camp and team == _team(view, view.camp)))
    rows = tuple((team, _nations(position, team), forts_of_team(position, team)) for team in teams)
    old = None if then is None else tuple(forts_of_team(then, team) for team in teams)
    now = tuple(number for _, _, number in rows)
    weight = MINOR + 12 if old is None or old == now else NOTABLE - 1
    given = {"rows": rows, "needed": needed, "old": old, "mine": bool(view.camp)}
    yield _item("forts", "score", weight, **given)
    if position.phase == "over":
        return
    for team, nations, number in rows:
        if needed - number == 1:
            ours = bool(view.camp) and team == _team(view, view.camp)
            tone: Tone = "chance" if ours else "threat" if view.camp else "news"
            fresh = old is not None and old[teams.index(team)] != number
            told = {"nations": nations, "ours": ours, "fresh": fresh}
            yield _item("one-fort-short", tone, DECIDES - 2 if ours else DECIDES, **told)


def _last_rounds(then: Position | None, view: View) -> Iterator[BriefingItem]:
    """VICTORY-6"""
    limit, round_ = view.position.options["round_limit"], view.position.round
    if limit and limit - round_ <= 1:
        fresh = then is None or then.round != round_
        weight = NOTABLE - 3 if fresh else MINOR + 2
        yield _item("last-rounds", "news", weight, left=limit - round_, fresh=fresh)


def _doors(view: View) -> Iterator[BriefingItem]:
    """FORT-3 Forts that the next move may cost or bring."""
    for one in before_entrances(view.position):
        camp = view.position.camp(one.by)
        if one.owner and one.owner == view.camp and not _is_ours(view, camp):
            weight = GRAVE + (1 if one.guarded else 4)
            yield _item("fort-threatened", "threat", weight, fort=one.fort, by=one.by, guarded=one.guarded)
        elif camp == view.camp:
            yield _item("fort-open", "chance", MINOR + 10, fort=one.fort, by=one.by, owner=one.owner)


def _damage(then: Position | None, view: View) -> Iterator[BriefingItem]:
    """Own units that hardly any more damage destroys, and others that were hit."""
    weak = _nearly_lost(view.position, view.camp)
    old = {} if then is None else {unit.id: unit.damage for unit in then.of_camp(view.camp)}
    own = tuple(view.position.of_camp(view.camp))
    hit = {unit.id: more for unit in own if (more := unit.damage - old.get(unit.id, unit.damage)) > 0}
    if weak:
        fresh = any(unit in hit for unit, _ in weak)
        weight = NOTABLE - 2 if fresh else MINOR + 11
        yield _item("units-weak", "loss" if fresh else "threat", weight, weak=weak, hit=hit, fresh=fresh)
    if others := tuple((unit, more) for unit, more in hit.items() if unit not in dict(weak)):
        yield _item("units-hit", "loss", NOTABLE - 3, hit=others)


def _struck(then: Position | None, view: View) -> Iterator[BriefingItem]:
    """Enemies that were hit and stand."""
    enemies = () if then is None else then.enemies_of(_team(view, view.camp))
    old = {unit.id: unit.damage for unit in enemies}
    now = view.position.units
    struck = tuple((unit, now[unit].damage - was) for unit, was in old.items() if unit in now)
    if hit := tuple((unit, more) for unit, more in struck if more > 0):
        yield _item("enemies-hit", "gain", NOTABLE - 6, hit=hit)


def _nearly_lost(position: Position, camp: Camp) -> tuple[tuple[str, int], ...]:
    """Units, each with the damage that is left to it."""
    limit = position.pack.dice.destroyed_at
    left = ((unit.id, limit - unit.damage) for unit in position.of_camp(camp))
    return tuple((unit, number) for unit, number in left if number <= NEARLY_LOST)


def _money(then: Position | None, view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """MONEY-2 What there is, what comes in, and what an ally gave."""
    position, camp = view.position, view.camp
    money = position.money[camp]
    income = len(position.forts_of(camp)) * position.pack.money.income_per_fort
    was = None if then is None else then.money[camp]
    weight = MINOR + (4 if income else 15)
    yield _item("money", "news" if income else "threat", weight, money=money, was=was, income=income)
    for fact in facts:
        if isinstance(fact, MoneyGiven) and fact.to == camp:
            yield _item("money-given", "gain", NOTABLE - 4, giver=fact.giver, received=fact.received)
        elif isinstance(fact, SpecialDrawn) and position.camp_of[fact.nation] == camp:
            yield _item("special-drawn", "gain", NOTABLE - 5, what=fact.type)


def _cards(view: View, facts: Sequence[Fact]) -> Iterator[BriefingItem]:
    """DICELESS-2 The cards that stood in for the reader's dice."""
    drawn = tuple(
        (shot.by, shot.faces[0], shot.hits)
        for fact in facts
        if isinstance(fact, CombatFought)
        for shot in fact.shots
        if shot.means == "card" and shot.by[:2] == view.nation
    )
    if drawn:
        yield _item("dice-cards", "news", MINOR + 1, drawn=drawn)
