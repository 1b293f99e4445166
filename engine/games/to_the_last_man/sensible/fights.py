"""2.II.3, 2.II.4 Cards, battles, losses and retreats."""

from __future__ import annotations

from dataclasses import replace

from engine.games.to_the_last_man.answers import CombatCards, Declare, Ersatz, Goal, Goals
from engine.games.to_the_last_man.sensible.exchange import Clash, at_least
from engine.games.to_the_last_man.sensible.ground import Ground
from engine.games.to_the_last_man.sensible.marches import LIMITED, Marches
from engine.games.to_the_last_man.sensible.powers import Power, fort_of, total
from engine.games.to_the_last_man.view import View
from engine.kernel.requests import Answer, Ask

CARD = 0.2  # what an Offensive must bring beyond a Pass, in victory points
SHORT_HAND, DEARER = 4, 0.2  # with so few cards left it must bring more
SINGLE = 0.75  # a Limited Offensive is enough if it brings so much of what a plain one would
GAINED = 0.12  # what a combat card must bring
HOPELESS = 0.5  # chance of being wiped out at which one rather goes
DEAD_WEIGHT = ("EMC", "GMC", "SRV")  # cards exchanged in a Pass


def offensive(view: View, ask: Ask) -> Answer:
    """D10 The card that brings most, if it brings enough."""
    cards = [card for card in ask.options.describe() if card is not None]
    if not cards:
        return None
    ground = Ground(view)
    quiet = imagined(ground, "")
    price = CARD + (DEARER if len(view.hand) <= SHORT_HAND else 0.0)
    plain = sorted((card for card in cards if card != LIMITED), key=lambda card: (_keep(view, card), card))
    brings = {
        card: imagined(ground, card) - quiet for card in [*plain[:1], *cards] if card in (*plain[:1], LIMITED)
    }
    best = max(brings.values())
    if best < price:
        return None
    if LIMITED in brings and brings[LIMITED] >= max(price, SINGLE * best):
        return LIMITED
    return plain[0] if plain else LIMITED


def imagined(ground: Ground, card: str) -> float:
    return Marches(ground, card, lambda act: True).imagine()


def _keep(view: View, card: str) -> bool:
    """9.1 A special Offensive that has its extra dice later is kept; one that has them now goes first."""
    row = view.pack.card_kinds[card]
    return row.special_for == view.side and view.turn < row.first_turn


def act(view: View, ask: Ask) -> Answer:
    """D12 The best move that is left."""
    offer = Marches(Ground(view), view.offensive, ask.options.contains).best()
    return ask.default if offer is None else offer.act


def crisis(view: View, ask: Ask) -> Answer:
    """D11 As soon as it may be played."""
    return bool(ask.options.contains(True))


def exchange(view: View, ask: Ask) -> Answer:
    """D17 Cards of little use go for unknown ones."""
    dropped = tuple(card for card in view.hand if card in DEAD_WEIGHT)
    return dropped if ask.options.contains(dropped) else ask.default


# ------------------------------------------------------------------ declaring


def declare(view: View, ask: Ask) -> Answer:
    """D18 What must be fought, and what pays; the best first."""
    ground, bound = Ground(view), ask.given.compulsory
    areas = [area for area in view.pack.areas if ground.pieces(area) and ground.resists(area)]
    values = {area: ground.battle(area, ground.pieces(area)) for area in areas}
    paying = sorted((a for a in areas if values[a] > 0 and a not in bound), key=lambda a: (-values[a], a))
    if view.offensive == LIMITED:
        paying = [] if bound else paying[:1]
    order = sorted((*bound, *paying), key=lambda area: (-values.get(area, 0.0), area))
    answer = Declare(tuple(order))
    return answer if ask.options.contains(answer) else ask.default


def combat_cards(view: View, ask: Ask) -> Answer:
    """D19 Gas, barrage and surprise where they bring most."""
    ground = Ground(view)
    answer: CombatCards = ask.default
    for card in view.hand:
        offers = []
        for area in ask.given.areas:
            more = replace(answer, on=tuple(sorted((*answer.on, (area, card)))))
            if ask.options.contains(more):
                offers.append((_brought(ground, area, card), area, more))
        if offers and (best := max(offers, key=lambda offer: offer[:2]))[0] >= GAINED:
            answer = best[2]
    return answer


def _brought(ground: Ground, area: str, card: str) -> float:
    pieces = ground.pieces(area)
    plain = ground.clash(area, pieces)
    row = ground.view.pack.card_kinds[card]
    better: Clash = plain._replace(guns=float(row.artillery_fire)) if row.artillery_fire else plain
    if row.group == "surprise":
        better = plain._replace(surprise=True)
    return ground.outcome(area, better) - ground.outcome(area, plain)


def weather(view: View, ask: Ask) -> Answer:
    """D30 Against a Limited Offensive, or several battles."""
    several = len(ask.given.areas) > 1 or view.offensive == LIMITED
    return bool(several and ask.options.contains(True))


def keep(view: View, ask: Ask) -> Answer:
    """D20"""
    ground = Ground(view)
    return max(ask.options.describe(), key=lambda area: (ground.battle(area, ground.pieces(area)), area))


# ------------------------------------------------------------------ hits


def ersatz(view: View, ask: Ask) -> Answer:
    """D22, D38 A card that saves two units or three is spent when it saves so many; else the usual."""
    default: Ersatz = ask.default
    left = ask.given.hits - ask.given.siege - sum(view.pack.card_kinds[c].ersatz for c in default.cards)
    hand = list(view.hand)
    for card in default.cards:
        hand.remove(card)
    cards = list(default.cards)
    for card in sorted(hand, key=lambda card: (-view.pack.card_kinds[card].ersatz, card)):
        value = view.pack.card_kinds[card].ersatz
        if 1 < value <= left:
            cards.append(card)
            left -= value
    answer = Ersatz(tuple(sorted(cards)), default.siege)
    return answer if ask.options.contains(answer) else default


# ------------------------------------------------------------------ retreats


def instead(view: View, ask: Ask) -> Answer:
    """D36 A force that would probably be wiped out goes, if it can."""
    ground, area = Ground(view), ask.given.area
    power = fighting(ground, area)
    toughness = power.hp + (fort_of(view, area, view.side) or 0) + _spare(view)
    coming = ground.foe(area).attack - ground.foe(area).guns  # the artillery has fired its first volley
    return way_out(ground, ask) if at_least(coming, toughness) > HOPELESS else ask.default


def after_combat(view: View, ask: Ask) -> Answer:
    """D23, D40 Who would not live through the enemy's next attack goes."""
    ground, area = Ground(view), ask.given.area
    if not ground.is_held(area):
        return ask.default
    power = fighting(ground, area)
    toughness = power.hp + (fort_of(view, area, view.side) or 0) + _spare(view)
    own_turn_next = view.phasing != view.side
    coming = 0.0 if own_turn_next else ground.foe(area).attack
    return way_out(ground, ask) if at_least(coming, toughness) > HOPELESS else ask.default


def fighting(ground: Ground, area: str) -> Power:
    """5.4-02 What has not retreated yet."""
    pieces = [piece for piece in ground.pieces(area) if piece.place not in ground.view.retreated]
    return total(piece.power for piece in pieces)


def _spare(view: View) -> int:
    """Hits that cards without a better use would pay."""
    return sum(row.ersatz for card in view.hand if (row := view.pack.card_kinds[card]).ersatz > 1)


def way_out(ground: Ground, ask: Ask) -> Answer:
    """5.4 All pieces to the one area that suits them best; the armies first if there is no room for all."""
    view, area = ground.view, ask.given.area
    pieces = [piece for piece in ground.pieces(area) if piece.place not in view.retreated]
    pieces.sort(key=lambda piece: (-piece.power.armies, -piece.power.hp))
    best: tuple[float, Goals] = (0.0, ask.default)
    for to in view.pack.areas[area].adjacent:
        goals: Goals = ()
        for piece in pieces:
            goal = Goal(to, piece.place) if piece.place else Goal(to, units=piece.group)
            if ask.options.contains((*goals, goal)):
                goals = (*goals, goal)
        saved = sum(piece.power.hp for piece in pieces[: len(goals)])
        value = saved + (0.5 if view.status[to] == "friendly" else 0.0) - ground.threat(to) / 10
        if goals and value > best[0]:
            best = value, goals
    return best[1]
