"""8.3.4, 13.7 Biplanes: scramble, dogfight, ground attack, defensive reaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from engine.games.to_the_last_man.answers import (
    LOOSE,
    BattleGiven,
    Goal,
    Goals,
    Method,
    RerollGiven,
    Rerolls,
    Side,
)
from engine.games.to_the_last_man.facts.battle import (
    BiplanesChose,
    BiplanesScrambled,
    ScrambleNoted,
    ShotsFired,
    StepBegan,
)
from engine.games.to_the_last_man.facts.board import UnitsMoved
from engine.games.to_the_last_man.rules.areas import room, settle
from engine.games.to_the_last_man.rules.embattled import (
    Battle,
    fighters,
    fighting,
    fighting_armies,
    might_have,
)
from engine.games.to_the_last_man.rules.fire import BIPLANE, Shots, fire, in_volleys
from engine.games.to_the_last_man.rules.loss_policy import Piece
from engine.games.to_the_last_man.rules.losses import Hits, pay
from engine.games.to_the_last_man.rules.marching import UNFIT
from engine.games.to_the_last_man.rules.pieces import are_goals, eyes, pick, refuses, size
from engine.games.to_the_last_man.state import INFANTRY, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Choice, Options, Rng, Roll, Seat, Step


def biplanes(state: State, battle: Battle, side: Side) -> list[str]:
    return fighters(state, battle.area, side, BIPLANE)


def might_fly(state: State, battle: Battle, side: Side) -> bool:
    """8.3.4-08 Could there be biplanes that take part? None do in Bad Weather."""
    return not state.weather and might_have(state, battle.area, side, BIPLANE)


# ------------------------------------------------------------------ a: dogfight


def dogfight(state: State, battle: Battle) -> Step:
    """8.3.4-04 If both sides have biplanes, all fire at each other at once; returns whether they did."""
    attacker, defender = battle.attacker, battle.defender
    if state.weather or not biplanes(state, battle, attacker) or not biplanes(state, battle, defender):
        return False
    yield StepBegan(battle.area, "dogfight")
    power = state.pack.types[BIPLANE].off
    scored: dict[Side, int] = {}
    for side in (attacker, defender):  # 0-09
        dice = in_volleys((f"{BIPLANE}.F{power}", power, False) for _ in biplanes(state, battle, side))
        shots = yield from fire(battle, side, "dogfight", dice)
        scored[side] = sum(fired.hits for fired in shots)
    for side, enemy in ((attacker, defender), (defender, attacker)):
        hits = Hits(battle, side, "dogfight", scored[enemy])
        yield from pay(state, hits, partial(airborne, state, battle, side))
    return True


def airborne(state: State, battle: Battle, side: Side) -> list[Piece]:
    """8.3.4-10 Any biplane in the area may be lost, in whatever army it is."""
    places = fighting(state, battle.area, side)
    planes = [(place, unit) for place, units in places for unit in units if _is_plane(state, unit)]
    return [Piece(place, 1, (unit,)) for place, unit in planes]


def _is_plane(state: State, unit: str) -> bool:
    return state.pack.type_of[unit] == BIPLANE


# ------------------------------------------------------------------ c: method of the defender


def choose_method(state: State, battle: Battle, fought: bool) -> Step:
    """8.3.4-03, -07 The defender's biplanes attack the ground or react; returns which ("ground": also none).

    Asked wherever there might be biplanes; the answer shows only in what they do.
    """
    if fought or not might_fly(state, battle, battle.defender):
        return "ground"
    method: Method = yield Ask(
        Seat(battle.defender),
        "battle.biplanes",
        battle.at,
        BattleGiven(battle.defender, battle.area),
        Choice(("react", "ground"), "TTLM-8.3.4-03"),
        "react" if _shows_infantry(state, battle) else "ground",
        secret=True,
    )
    return method


def _shows_infantry(state: State, battle: Battle) -> bool:
    """D35 As the defender sees it: loose infantry, or an army that holds something."""
    loose = [unit for unit in state.loose_units(battle.area, battle.attacker) if unit not in state.retreated]
    foot = any(state.pack.type_of[unit] in INFANTRY for unit in loose)
    return foot or bool(fighting_armies(state, battle.area, battle.attacker))


def silent(state: State, battle: Battle, side: Side, fought: bool, method: Method) -> list[str]:
    """8.3.4-04, -06, -08, 13.7-01 The side's biplanes that do not fire in the steps on the ground."""
    there = biplanes(state, battle, side)
    if fought or state.weather:
        return there
    return reacting(state, battle, method) if side == battle.defender else []


def reacting(state: State, battle: Battle, method: Method) -> list[str]:
    """8.3.4-06 All of them if that was chosen; 13.7-01 those that scrambled in any case."""
    there = biplanes(state, battle, battle.defender)
    return there if method == "react" else [unit for unit in there if unit in state.scrambled]


# ------------------------------------------------------------------ d: reaction


def react(state: State, battle: Battle, shots: Sequence[Shots], fought: bool, method: Method) -> Step:
    """8.3.4-06, -07 Each biplane makes the attacker roll one hit of infantry again; returns what stands.

    Asked wherever there might be biplanes and infantry may have hit; only a side whose biplanes do react is
    told which of the hits are infantry's.
    """
    on_foot = infantry_rolls(state)
    may_be_foot = any(fired.hits for fired in shots if fired.volley.name in on_foot)
    if fought or not may_be_foot or not might_fly(state, battle, battle.defender):
        return list(shots)
    most = len(reacting(state, battle, method))
    scores = tuple(fired.dice for fired in shots if fired.infantry_hits) if most else ()
    given = RerollGiven(battle.defender, battle.area, scores, most)
    options = RerollOptions(given)
    default = options.in_order_of(on_foot)
    rerolls: Rerolls = yield Ask(
        Seat(battle.defender), "battle.reroll", battle.at, given, options, default, secret=True
    )
    if rerolls.hits:
        yield BiplanesChose(battle.defender, battle.area, "react")
    again = dict(rerolls.hits)
    standing = []
    for fired in shots:
        number = again.get(fired.volley.name, 0)
        standing.append((yield from roll_again(battle, fired, number)) if number else fired)
    return standing


def infantry_rolls(state: State) -> tuple[str, ...]:
    """D37 Names of the rolls that attacking infantry may be among: Stosstruppen first, then the best."""
    kinds = [state.pack.types[type_] for type_ in INFANTRY]
    best = sorted(kinds, key=lambda kind: (not kind.forces_retreat, -kind.off))
    return tuple(f"{kind.id}.F{kind.off}" if kind.forces_retreat else f"F{kind.off}" for kind in best)


def roll_again(battle: Battle, fired: Shots, number: int) -> Step:
    """8.3.4-07 So many hits are rolled again, each once; the second result stands."""
    volley = fired.volley
    why = f"{battle.area}.attack.{volley.name}.again"
    faces: tuple[int, ...] = yield Roll(Seat(battle.attacker), why, number)
    second = Shots(replace(volley, infantry=(True,) * number), faces)
    yield ShotsFired(battle.attacker, battle.area, "attack", volley.name, faces, second.hits, again=True)
    stands, left = list(fired.faces), list(faces)
    for place, (face, foot) in enumerate(zip(fired.faces, volley.infantry, strict=True)):
        if left and foot and face <= volley.firepower:
            stands[place] = left.pop(0)
    return Shots(volley, tuple(stands))


@dataclass(frozen=True, slots=True)
class RerollOptions(Options):
    """8.3.4-06 Hits of infantry, as many as biplanes react."""

    given: RerollGiven

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, Rerolls):
            return Illegal("TTLM-8.3.4-06", "not-an-act")
        hits = {dice.name: dice.hits for dice in self.given.dice}
        names = [name for name, _ in answer.hits]
        for name, number in answer.hits:
            if not 0 < number <= hits.get(name, 0) or names.count(name) > 1:
                return Illegal("TTLM-8.3.4-06", "no-such-hits", {"dice": name, "hits": hits.get(name, 0)})
        if sum(number for _, number in answer.hits) > self.given.most:
            return Illegal("TTLM-8.3.4-06", "too-many-rerolls", {"most": self.given.most})
        return None

    def in_order_of(self, names: Sequence[str]) -> Rerolls:
        """As many as may be, the hits of these dice first."""
        left, again = self.given.most, list[tuple[str, int]]()
        for name in dict.fromkeys(names):
            number = min(left, sum(dice.hits for dice in self.given.dice if dice.name == name))
            left -= number
            again += [(name, number)] if number else []
        return Rerolls(tuple(sorted(again)))

    def sample(self, rng: Rng) -> Answer:
        left, again = self.given.most, list[tuple[str, int]]()
        for dice in sorted(self.given.dice, key=lambda _: rng.random()):
            number = rng.randrange(min(left, dice.hits) + 1)
            left -= number
            again += [(dice.name, number)] if number else []
        return Rerolls(tuple(sorted(again)))

    def only(self) -> tuple[Answer] | None:
        return None if self.given.most and self.given.dice else (Rerolls(),)

    def describe(self) -> Sequence[Answer]:
        names = [dice.name for dice in self.given.dice]
        firsts = [self.in_order_of((name, *names)) for name in names]
        return list(dict.fromkeys([Rerolls(), *firsts]))


# ------------------------------------------------------------------ 13.7 scramble


def scramble(state: State, battle: Battle) -> Step:
    """13.7-01, -02 Just before the battle the defender's biplanes of adjacent areas may shift into it."""
    side = battle.defender
    if not state.options["defender_scramble"] or state.weather:
        return
    options = ScrambleOptions(state, battle)
    if not any(might_have(state, area, side, BIPLANE) for area in options.airfields()):
        return
    goals: Goals = yield Ask(
        Seat(side), "battle.scramble", battle.at, BattleGiven(side, battle.area), options, (), secret=True
    )
    for goal in goals:
        yield from take_off(state, battle, goal)
    if goals:
        number = sum(size(goal.units) for goal in goals)
        yield BiplanesScrambled(side, battle.area, number)


def take_off(state: State, battle: Battle, goal: Goal) -> Step:
    """13.7-02 They stay in the Battle Area; none scrambles twice in a Player Turn."""
    side, origin = battle.defender, airfield(state, goal)
    units = pick(state, ready(state, side, origin, goal.source), goal.units)
    path, seen_by = (origin, battle.area), eyes(state, side)
    yield UnitsMoved(side, units, path, goal.source, goal.into, "move", steps=0, done=False, audience=seen_by)
    yield ScrambleNoted(side, units, (Seat(side),))
    yield from settle(state, origin)


def airfield(state: State, goal: Goal) -> str:
    """Where the biplanes of a goal come from."""
    return goal.origin if goal.source == LOOSE else state.army_area(goal.source)


def ready(state: State, side: Side, area: str, source: str) -> list[str]:
    """Biplanes of that place that may still scramble."""
    there = state.in_place(area, source, side) if area else []
    tired = (*state.scrambled, *state.retreated)
    return [unit for unit in there if _is_plane(state, unit) and unit not in tired]


@dataclass(frozen=True, slots=True)
class ScrambleOptions(Options):
    """13.7-01 Biplanes of adjacent areas that are no Battle Areas, within stacking and army limits."""

    state: State
    battle: Battle

    def airfields(self) -> list[str]:
        near = sorted(self.state.pack.areas[self.battle.area].adjacent)
        return [area for area in near if area not in self.state.battles]

    def why_not(self, answer: Answer) -> Refusal | None:
        if not are_goals(answer):
            return Illegal("TTLM-13.7-01", "not-an-act")
        taken: list[str] = []
        joining: dict[str, list[str]] = {}
        for goal in answer:
            if (refusal := self._misnamed(goal)) is not None:
                return refusal
            there = ready(self.state, self.battle.defender, airfield(self.state, goal), goal.source)
            free = [unit for unit in there if unit not in taken]
            if len(free) < size(goal.units):
                return Illegal("TTLM-13.7-02", "no-such-biplane", {"place": goal.source or goal.origin})
            units = pick(self.state, free, goal.units)
            taken += units
            joining.setdefault(goal.into, []).extend(units)
        return self._too_full(joining)

    def _misnamed(self, goal: Goal) -> Refusal | None:
        side, area = self.battle.defender, self.battle.area
        nations = self.state.pack.sides[side].nations
        if goal.army or goal.left or goal.to != area or len(goal.units) != 1:
            return Illegal("TTLM-13.7-01", "biplanes-only")
        if goal.units[0][0] not in [f"{nation}.{BIPLANE}" for nation in nations] or goal.units[0][1] < 1:
            return Illegal("TTLM-13.7-01", "biplanes-only")
        origin = airfield(self.state, goal)
        if goal.source != LOOSE and goal.source not in self.state.armies(origin, side):
            return Illegal("TTLM-13.7-01", "no-own-army", {"army": goal.source})
        legal = tuple(self.airfields())
        if origin in self.state.battles:
            return Illegal("TTLM-13.7-01", "embattled", {"area": origin, "legal": legal})
        if origin not in legal:
            return Illegal("TTLM-13.7-01", "not-adjacent", {"origin": origin, "to": area, "legal": legal})
        return None

    def _too_full(self, joining: dict[str, list[str]]) -> Refusal | None:
        side, area = self.battle.defender, self.battle.area
        coming = len(joining.get(LOOSE, ()))
        if coming > (free := room(self.state, area, side)):
            return Illegal("TTLM-1.2.2-01", "no-room", {"area": area, "wanted": coming, "room": max(free, 0)})
        for army in sorted(set(joining) - {LOOSE}):
            if army not in fighting_armies(self.state, area, side):
                return Illegal("TTLM-13.7-01", "no-own-army", {"army": army})
            if rule := refuses(self.state, army, joining[army]):
                return Illegal(rule, UNFIT[rule], {"army": army})
        return None

    def _single(self) -> list[Goal]:
        """Each biplane by itself, loose or into each army."""
        state, side, found = self.state, self.battle.defender, list[Goal]()
        intos = [LOOSE, *fighting_armies(state, self.battle.area, side)]
        for origin in self.airfields():
            for source in (LOOSE, *state.armies(origin, side)):
                for unit in ready(state, side, origin, source):
                    units = ((state.pack.kind_of[unit], 1),)
                    from_ = origin if source == LOOSE else ""
                    found += [Goal(self.battle.area, "", (), units, source, into, from_) for into in intos]
        return found

    def sample(self, rng: Rng) -> Answer:
        goals: Goals = ()
        for goal in sorted(self._single(), key=lambda _: rng.random()):
            if rng.randrange(2) and self.why_not((*goals, goal)) is None:
                goals = (*goals, goal)
        return goals

    def only(self) -> tuple[Answer] | None:
        return None if any(self.why_not((goal,)) is None for goal in self._single()) else ((),)

    def describe(self) -> Sequence[Answer]:
        found = [(goal,) for goal in dict.fromkeys(self._single())]
        return [(), *(goals for goals in found if self.why_not(goals) is None)]
