"""2.II.3 Declare Battles: which are fought and in which order, combat cards, Bad Weather and what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import CombatCards, Declare, DeclareGiven, Side
from engine.games.to_the_last_man.facts.battle import (
    BattleKept,
    BattlePlanned,
    BattlesDeclared,
    WeatherTurned,
)
from engine.games.to_the_last_man.facts.cards import BonusPlaced
from engine.games.to_the_last_man.facts.season import PhaseBegan
from engine.games.to_the_last_man.rules.areas import has_presence
from engine.games.to_the_last_man.rules.cards import hand, is_offensive, play_card
from engine.games.to_the_last_man.rules.embattled import might_have_cards
from engine.games.to_the_last_man.rules.fire import active_bonus, has_bonus_army
from engine.games.to_the_last_man.state import State
from engine.games.to_the_last_man.windows import other
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Choice, Options, Rng, Seat, Step

LIMITED, SURPRISE, WEATHER = "LIM", "SUR", "BAD"
OF_ATTACKER = ("AAB", "GAS", "SUR")  # 2.II.3-04
OF_DEFENDER = ("AAB", "GAS")


def declare_battles(state: State) -> Step:
    """2.II.3-04 The attacker's battles and cards, then the defender's cards; what the weather leaves."""
    yield PhaseBegan("declare")
    yield from announce(state)
    if not state.battles:
        return
    yield from play_combat_cards(state)
    yield PhaseBegan("answer")
    yield from turn_weather(state)
    if not state.battles:
        return
    yield from answer_with_cards(state)
    yield from keep_one(state)


# ------------------------------------------------------------------ a: Battle Areas


def compulsory(state: State) -> tuple[str, ...]:
    """2.II.3-01, -07 Enemy areas that became Disputed in this turn and still are, in order of entry."""
    return tuple(area for area in state.entered if is_shared(state, area))


def optional(state: State) -> tuple[str, ...]:
    """2.II.3-02, -06 Other Disputed areas, and areas in which only a fort of strength 1 or 0 resists."""
    bound = compulsory(state)
    areas = [area for area in state.pack.areas if is_shared(state, area) or has_weak_fort(state, area)]
    return tuple(area for area in areas if area not in bound)


def is_shared(state: State, area: str) -> bool:
    return has_presence(state, area, "GE") and has_presence(state, area, "EN")


def has_weak_fort(state: State, area: str) -> bool:
    """2.II.3-06 An enemy fort too weak to be a presence, and own units before it."""
    side = phasing(state)
    return state.fort(area, other(side)) is not None and has_presence(state, area, side)


def phasing(state: State) -> Side:
    assert state.phasing != ""
    return state.phasing


def announce(state: State) -> Step:
    """2.II.3 a The attacker announces the Battle Areas in the order in which they are fought (2.II.4-01)."""
    side, bound = phasing(state), compulsory(state)
    if not bound and not optional(state):
        return
    declared: Declare = yield Ask(
        Seat(side),
        "battle.declare",
        key(state),
        DeclareGiven(side, bound),
        DeclareOptions(state, bound, optional(state)),
        Declare(bound),
        secret=True,
    )
    yield BattlesDeclared(declared.areas)
    if declared.plan:
        yield BattlePlanned(side, declared.plan, (Seat(side),))


def key(state: State) -> str:
    return f"T{state.turn}.{state.number}"


def is_limited(state: State) -> bool:
    """9.1.2-01 One battle in total."""
    return state.offensive == LIMITED


@dataclass(frozen=True, slots=True)
class DeclareOptions(Options):
    """2.II.3-01, -02, 9.1.2 All compulsory battles and any others; of a Limited Offensive one in total."""

    state: State
    bound: tuple[str, ...]
    free: tuple[str, ...]

    def _most(self) -> int:
        return max(1, len(self.bound)) if is_limited(self.state) else len(self.bound) + len(self.free)

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, Declare):
            return Illegal("TTLM-2.II.3-02", "not-an-act")
        for area in answer.areas:
            if area not in self.bound and area not in self.free:
                legal = (*self.bound, *self.free)
                return Illegal("TTLM-2.II.3-02", "no-battle-there", {"area": area, "legal": legal})
            if answer.areas.count(area) > 1:
                return Illegal("TTLM-2.II.3-03", "named-twice", {"area": area})
        for area in self.bound:
            if area not in answer.areas:
                return Illegal("TTLM-2.II.3-01", "compulsory-battle", {"area": area})
        if len(answer.areas) > self._most():
            rule = "TTLM-9.1.2-02" if self.bound else "TTLM-9.1.2-01"
            return Illegal(rule, "one-battle-only", {"areas": answer.areas})
        return None

    def sample(self, rng: Rng) -> Answer:
        chosen = list(self.bound)
        for area in sorted(self.free, key=lambda _: rng.random()):
            if len(chosen) < self._most() and rng.randrange(2):
                chosen.append(area)
        return Declare(tuple(sorted(chosen, key=lambda _: rng.random())))

    def only(self) -> tuple[Answer] | None:
        several = len(self.bound) > 1 or (self.free and len(self.bound) < self._most())
        return None if several else (Declare(self.bound),)

    def describe(self) -> Sequence[Answer]:
        """The compulsory ones, with each single other, and all."""
        found = [Declare(self.bound)]
        if len(self.bound) < self._most():
            found += [Declare((*self.bound, area)) for area in self.free]
        if len(self.bound) + len(self.free) <= self._most():
            found.append(Declare((*self.bound, *self.free)))
        return list(dict.fromkeys(found))


# ------------------------------------------------------------------ b: the attacker's cards


def play_combat_cards(state: State) -> Step:
    """2.II.3-04, 9.1-02 The attacker lays cards on Battle Areas and names those of the extra dice."""
    side = phasing(state)
    if not might_have_cards(state, side) and not bonus_areas(state):
        return
    options = CombatCardsOptions(state, side)
    cards: CombatCards = yield Ask(
        Seat(side),
        "battle.cards",
        key(state),
        DeclareGiven(side, areas=tuple(state.battles)),
        options,
        CombatCards(bonus=strongest_areas(state)),
        secret=True,
        plan=state.plan,
    )
    for area, kind in cards.on:
        yield from play_card(state, side, kind, "combat", (area,))
    if cards.bonus:
        yield BonusPlaced(cards.bonus)


def bonus_areas(state: State) -> tuple[str, ...]:
    """9.1.3 to 9.1.6 Declared areas in which the extra dice of this Offensive may be rolled."""
    bonus = active_bonus(state)
    if bonus is None:
        return ()
    return tuple(area for area in state.battles if has_bonus_army(state, area, bonus))


def is_special(state: State) -> bool:
    """9.5-08, 9.1.3-01 An active special Offensive with an area for its dice; else it is a plain one."""
    return bool(bonus_areas(state))


def strongest_areas(state: State) -> tuple[str, ...]:
    """D19 The areas of the extra dice if nobody says otherwise: where the own armies are strongest."""
    bonus, side = active_bonus(state), phasing(state)
    if bonus is None:
        return ()

    def strength(area: str) -> int:
        return sum(len(state.contents[army]) for army in state.armies(area, side))

    best = sorted(bonus_areas(state), key=lambda area: (-strength(area), area))
    return tuple(sorted(best[: bonus.areas]))


# ------------------------------------------------------------------ b: the defender's cards


def turn_weather(state: State) -> Step:
    """9.5 The defender may lower the Offensive by one step; at most once in a Player Turn (9.5-06)."""
    side = other(phasing(state))
    if state.turn < state.pack.card_kinds[WEATHER].first_turn or not might_have_cards(state, side):
        return
    played = yield Ask(
        Seat(side),
        "battle.weather",
        key(state),
        _given(state, side),
        WeatherOptions(state, side),
        default=False,
        secret=True,
    )
    if not played:
        return
    yield from play_card(state, side, WEATHER, "weather")
    if is_special(state):
        yield WeatherTurned("OFF")  # 9.5-02
    else:
        yield WeatherTurned("PASS" if is_limited(state) else "LIM")  # 9.5-03, -04


def answer_with_cards(state: State) -> Step:
    """2.II.3-04, 15.2.2-01 The defender's gas and barrage, and the counter-attack."""
    side = other(phasing(state))
    first = min(state.pack.card_kinds[kind].first_turn for kind in OF_DEFENDER)
    possible = state.turn >= first or state.options["counter_attack"]
    if not possible or not might_have_cards(state, side):
        return
    cards: CombatCards = yield Ask(
        Seat(side),
        "battle.answer",
        key(state),
        _given(state, side),
        CombatCardsOptions(state, side),
        CombatCards(),
        secret=True,
    )
    for area, kind in cards.on:
        yield from play_card(state, side, kind, "combat", (area,))
    if cards.counter is not None:
        area, kind = cards.counter
        yield from play_card(state, side, kind, "counter", (area,))


def keep_one(state: State) -> Step:
    """9.5-03, -07 Of an Offensive cut down to a Limited one the attacker keeps one battle."""
    if not state.weather or is_special(state) or len(state.battles) < 2:
        return
    side = phasing(state)
    kept = yield Ask(
        Seat(side),
        "battle.keep",
        key(state),
        _given(state, side),
        Choice(tuple(state.battles), "TTLM-9.5-03", "not-declared"),
        state.battles[0],
        plan=state.plan,
    )
    yield BattleKept(kept)


def _given(state: State, side: Side) -> DeclareGiven:
    return DeclareGiven(side, areas=tuple(state.battles), cards=tuple(state.laid[phasing(state)]))


@dataclass(frozen=True, slots=True)
class WeatherOptions(Options):
    """9.5-01 To play it, it must be in hand."""

    state: State
    side: Side

    def _held(self) -> bool:
        return WEATHER in hand(self.state, self.side)

    def why_not(self, answer: Answer) -> Refusal | None:
        if answer is False or (answer is True and self._held()):
            return None
        return Illegal("TTLM-9.5-01", "not-in-hand", {"card": WEATHER})

    def sample(self, rng: Rng) -> Answer:
        return self._held() and rng.randrange(2) == 1

    def only(self) -> tuple[Answer] | None:
        return None if self._held() else (False,)

    def describe(self) -> Sequence[Answer]:
        return [False, True] if self._held() else [False]


@dataclass(frozen=True, slots=True)
class CombatCardsOptions(Options):
    """9.1, 9.3, 9.4, 9.7, 15.2.2 Cards out of the hand on Battle Areas, and the areas of the extra dice."""

    state: State
    side: Side

    def _kinds(self) -> tuple[str, ...]:
        return OF_ATTACKER if self.side == self.state.phasing else OF_DEFENDER

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, CombatCards):
            return Illegal("TTLM-2.II.3-04", "not-an-act")
        for area, kind in answer.on:
            if (refusal := self._why_not_card(area, kind, answer.on)) is not None:
                return refusal
        spent = [kind for _, kind in answer.on]
        if answer.counter is not None:
            if (refusal := self._why_not_counter(*answer.counter)) is not None:
                return refusal
            spent.append(answer.counter[1])
        held = hand(self.state, self.side)
        for kind in sorted(set(spent)):
            if spent.count(kind) > held.count(kind):
                rule = f"TTLM-{RULES.get(kind, '15.2.2-01')}"
                return Illegal(rule, "not-in-hand", {"card": kind, "held": held.count(kind)})
        return self._why_not_bonus(answer.bonus)

    def _why_not_card(self, area: str, kind: str, on: Sequence[tuple[str, str]]) -> Refusal | None:
        facts: Facts = {"card": kind, "area": area}
        if kind not in self._kinds():
            held = hand(self.state, self.side)
            legal = tuple(sorted({one for one in held if one in self._kinds()}))
            return Illegal("TTLM-2.II.3-04", "no-combat-card", {**facts, "legal": legal})
        rule = f"TTLM-{RULES[kind]}"
        if area not in self.state.battles:
            return Illegal(rule, "not-declared", {**facts, "legal": tuple(self.state.battles)})
        if self.state.turn < (first := self.state.pack.card_kinds[kind].first_turn):
            return Illegal(rule, "card-too-early", {**facts, "turn": first})
        if on.count((area, kind)) > 1:
            return Illegal(rule, "one-per-area", facts)
        if kind == "GAS" and (area, "AAB") in on:
            return Illegal("TTLM-9.3-02", "gas-and-barrage", facts)
        return None

    def _why_not_bonus(self, areas: Sequence[str]) -> Refusal | None:
        if not areas:
            return None
        bonus = active_bonus(self.state)
        if bonus is None or self.side != self.state.phasing:
            return Illegal("TTLM-9.5-08", "no-special-offensive")
        legal = bonus_areas(self.state)
        for area in areas:
            if area not in self.state.battles:
                return Illegal("TTLM-9.1-02", "not-declared", {"area": area, "legal": tuple(legal)})
            if area not in legal:
                facts: Facts = {"area": area, "nation": bonus.nation, "legal": tuple(legal)}
                return Illegal("TTLM-9.1-03", "no-bonus-there", facts)
        if len(areas) > bonus.areas or len(set(areas)) < len(areas):
            return Illegal("TTLM-9.1-01", "too-many-areas", {"most": bonus.areas})
        return None

    def _why_not_counter(self, area: str, kind: str) -> Refusal | None:
        if not self.state.options["counter_attack"] or self.side == self.state.phasing:
            return Illegal("TTLM-15.2.2-01", "option-off", {"option": "counter_attack"})
        if area not in self.state.battles:
            legal = tuple(self.state.battles)
            return Illegal("TTLM-15.2.2-01", "not-declared", {"area": area, "legal": legal})
        if kind not in self.state.pack.card_kinds or not is_offensive(self.state, kind):
            return Illegal("TTLM-15.2.2-01", "no-offensive-card", {"card": kind})
        return None

    def sample(self, rng: Rng) -> Answer:
        answer = CombatCards(bonus=self._some_bonus(rng))
        for kind in hand(self.state, self.side):
            if kind in self._kinds() and rng.randrange(2):
                on = tuple(sorted((*answer.on, (rng.choice(self.state.battles), kind))))
                more = CombatCards(on, answer.bonus)
                answer = more if self.why_not(more) is None else answer
        counter = self._some_counter(rng)
        return answer if counter is None else CombatCards(answer.on, answer.bonus, counter)

    def _some_bonus(self, rng: Rng) -> tuple[str, ...]:
        bonus = active_bonus(self.state) if self.side == self.state.phasing else None
        if bonus is None:
            return ()
        legal = sorted(bonus_areas(self.state), key=lambda _: rng.random())
        return tuple(sorted(legal[: rng.randrange(min(len(legal), bonus.areas) + 1)]))

    def _some_counter(self, rng: Rng) -> tuple[str, str] | None:
        if not self.state.options["counter_attack"] or self.side == self.state.phasing or rng.randrange(2):
            return None
        cards = [kind for kind in hand(self.state, self.side) if is_offensive(self.state, kind)]
        return (rng.choice(self.state.battles), rng.choice(cards)) if cards else None

    def only(self) -> tuple[Answer] | None:
        offered = self.describe()
        return (offered[0],) if len(offered) == 1 else None

    def describe(self) -> Sequence[Answer]:
        """No card; each single card on each area; each single area for the extra dice."""
        held = hand(self.state, self.side)
        areas = self.state.battles
        found = [CombatCards()]
        found += [CombatCards(((area, kind),)) for kind in sorted(set(held)) for area in areas]
        if self.side == self.state.phasing:
            found += [CombatCards(bonus=(area,)) for area in bonus_areas(self.state)]
        elif self.state.options["counter_attack"]:
            found += [CombatCards(counter=(area, kind)) for kind in sorted(set(held)) for area in areas]
        return [cards for cards in found if self.contains(cards)]


RULES = {"GAS": "9.3-01", "AAB": "9.4-01", "SUR": "9.7-01"}
