"""2.V, 7 The Production Phase: supply, build points, cards, the transit box; and the end of the season."""

from __future__ import annotations

from engine.games.to_the_last_man import order_of_play
from engine.games.to_the_last_man.answers import (
    DONE,
    LOOSE,
    Build,
    Buy,
    Done,
    Entrench,
    ExcessGiven,
    Fortify,
    Loss,
    ProductionAct,
    ProductionGiven,
    Rebuild,
    Shift,
    Side,
    SideGiven,
    Upgrade,
)
from engine.games.to_the_last_man.facts.board import ArmyFortified, PiecesEntrenched
from engine.games.to_the_last_man.facts.cards import CardsBought
from engine.games.to_the_last_man.facts.force import (
    ArmyArrived,
    ArmyEliminated,
    UnitReplaced,
    UnitsLost,
    UnitsPlaced,
)
from engine.games.to_the_last_man.facts.season import PhaseBegan, PointsSpent, ProductionBegan
from engine.games.to_the_last_man.report import Report
from engine.games.to_the_last_man.rules.areas import settle
from engine.games.to_the_last_man.rules.armies import shift
from engine.games.to_the_last_man.rules.cards import (
    CardLists,
    by_rank,
    discard_cards,
    draw_cards,
    remove_crisis_cards,
    reshuffle,
    whole_hand,
)
from engine.games.to_the_last_man.rules.pieces import eyes, holder, pick
from engine.games.to_the_last_man.rules.purchases import (
    Purchases,
    cost_of,
    stage_of,
    to_dig_in,
    usual_purchase,
)
from engine.games.to_the_last_man.rules.reinforcements import available
from engine.games.to_the_last_man.rules.supply import supply_check
from engine.games.to_the_last_man.rules.victory import box_value, count_victory, end_by_time
from engine.games.to_the_last_man.state import BOX, SIDES, State
from engine.kernel.concurrent import run_concurrently
from engine.kernel.requests import Ask, Choice, Procedure, Roll, Seat, Segment, Step, Together


def production_phase(state: State, turn: int) -> Procedure:
    """2.V-01 Supply check, build points, excess cards, losses in the transit box; then the next season."""
    key = order_of_play.production(turn).key
    yield PhaseBegan("production")
    yield from supply_check(state)
    if (yield from count_victory(state)):
        return None
    yield ProductionBegan(tuple((side, state.pack.turns[turn].bp[side]) for side in SIDES))
    yield from run_concurrently(*(spend(state, side, key) for side in SIDES))
    for side in SIDES:  # 7.1-01 bought cards are looked at when all is spent; 1.3-05
        yield from draw_cards(state, side, state.bought[side])
    yield from discard_excess(state, key)
    yield from lose_in_the_box(state, key)
    if (yield from count_victory(state)):
        return None
    following: Segment | None = yield from end_season(state)
    return following


def end_season(state: State) -> Procedure:
    """2.VI-01, -02, 1.3-03 The deck is shuffled when a winter ends; after the last turn the level stands."""
    if state.turn >= state.last_turn:
        yield from end_by_time(state)
        return None
    held = {side: len(state.hands[side]) for side in SIDES}
    if state.turn + 1 == state.pack.meta.crisis_cards_leave_turn:
        yield from remove_crisis_cards(state)
    if state.pack.turns[state.turn].reshuffle:
        yield from reshuffle(state)
    for side in SIDES:  # 9.8-05 a card for one that left the game
        yield from draw_cards(state, side, held[side] - len(state.hands[side]))
    return order_of_play.reinforcements(state.turn + 1)


# ------------------------------------------------------------------ 2.V.2


def spend(state: State, side: Side, key: str) -> Step:
    """2.V.2-01, 7.6-05 Act by act, each at the stage of the one before or a later one; the rest is lost.

    Without a word the usual purchases are made; a side that has said one thing has said all it wants.
    2.V.2-02 Both are sealed: what one buys decides nothing for the other.
    """
    stage, silent, sealed = 0, True, Report(state)(Seat(side))
    while True:
        given = ProductionGiven(side, state.points[side], stage, sealed)
        default = usual_purchase(state, side, stage, sealed.status) if silent else DONE
        options = Purchases(state, side, stage)
        act = yield Ask(Seat(side), "production", key, given, options, default=default, secret=True)
        if isinstance(act, Done):
            return
        stage, silent = stage_of(act), silent and act == default
        yield from carry_out(state, side, act)


def carry_out(state: State, side: Side, act: ProductionAct) -> Step:
    """7.1 to 7.6 What is bought, and its price."""
    points, seen = cost_of(state, side, act), eyes(state, side)
    match act:
        case Upgrade():
            yield PointsSpent(side, points, "upgrade")
            yield from promote(state, act)
        case Rebuild(army=army, area=area):
            yield PointsSpent(side, points, "army")
            yield ArmyArrived(side, army, area, rebuilt=True)
        case Build(area=area, units=((kind, number),), into=into):
            nation, type_ = kind.split(".")
            units = tuple(available(state, nation, type_)[:number])
            yield PointsSpent(side, points, "unit", number)
            yield UnitsPlaced(side, units, area, into, built=True, audience=seen)
            yield from settle(state, area)
        case Shift():
            yield from shift(state, side, act)
        case Entrench(armies=armies):
            loose = [
                (area, unit) for area, group in act.loose for unit in to_dig_in(state, side, area, group)
            ]
            yield PointsSpent(side, points, "entrench", len(armies) + len(loose))
            units = tuple(unit for _, unit in loose)
            yield PiecesEntrenched(side, armies, units, tuple(area for area, _ in loose), seen)
        case Fortify(army=army):
            yield PointsSpent(side, points, "fortify")
            yield ArmyFortified(side, army)
        case Buy(cards=number) if state.options["hidden_hand_size"]:
            yield CardsBought(side, points, number, holder(side))
        case Buy(cards=number):
            yield PointsSpent(side, points, "cards", number)


def promote(state: State, act: Upgrade) -> Step:
    """7.5-01 In place; Stosstruppen are never entrenched (8.2.2-03), so those in the open go first."""
    there = [u for u in state.in_place(act.area, act.into, "GE") if state.pack.kind_of[u] == "GE.I"]
    old = min(there, key=lambda unit: (unit in state.entrenched, unit))
    new = available(state, "GE", "S")[0]
    yield UnitReplaced("GE", old, new, act.area, act.into, False, eyes(state, "GE"))


# ------------------------------------------------------------------ 2.V.3


def hand_limit(state: State, side: Side) -> int:
    """2.V.3-01 The current turn's limit, or the next one's if the ruling is switched so."""
    turn = state.turn + 1 if state.options["hand_limit"] == "next" else state.turn
    return state.pack.turns[min(turn, max(state.pack.turns))].hand[side]


def discard_excess(state: State, key: str) -> Step:
    """2.V.3-01 Cards above the limit, of the holder's choice; both choose at once.

    Where the sizes of hands are secret both are asked whether they hold too many or not.
    """
    over = {side: max(0, len(state.hands[side]) - hand_limit(state, side)) for side in SIDES}
    asked = [side for side in SIDES if over[side] or state.options["hidden_hand_size"]]
    if not asked:
        return
    asks = []
    for side in asked:
        held, number = whole_hand(state, side), over[side]
        options = CardLists(held, number, number, "TTLM-2.V.3-01")
        worst = by_rank(state, side, held)[len(held) - number :]
        given, default = ExcessGiven(side, number), tuple(sorted(worst))
        asks.append(Ask(Seat(side), "excess", key, given, options, default=default, secret=True))
    for side, dropped in zip(asked, (yield Together(tuple(asks))), strict=True):
        yield from discard_cards(state, side, dropped, "excess")


# ------------------------------------------------------------------ 2.V.4


def lose_in_the_box(state: State, key: str) -> Step:
    """2.V.4-01 to -03 A die for every five build points in the box, begun ones too; each 1 costs a unit."""
    meta, value = state.pack.meta, box_value(state)
    if not value:
        return
    dice = -(-value // meta.eft_bp_per_loss_die)
    faces = yield Roll(Seat("GE"), f"{BOX}.losses", dice=dice, sides=meta.die_sides)
    for _ in range(sum(face <= meta.eft_loss_face for face in faces)):
        if not (offered := box_losses(state)):
            return
        loss = yield Ask(
            Seat("GE"),
            "eft.loss",
            f"{key}/{BOX}",
            SideGiven("GE"),
            Choice(tuple(offered), "TTLM-2.V.4-01", "no-such-unit-in-the-box"),
            default=offered[0],
            secret=True,
        )
        yield from lose_one(state, loss)


def box_losses(state: State) -> list[Loss]:
    """Each kind in each place, and empty armies; D53 the cheapest first, infantry before all."""
    pack, found = state.pack, list[tuple[int, bool, Loss]]()
    places = [(BOX, state.loose_units(BOX, "GE"))]
    places += [(army, state.contents[army]) for army in state.armies(BOX, "GE")]
    for place, units in places:
        for kind, _ in state.grouped(units):
            row = pack.types[kind.partition(".")[2]]
            found.append((row.cost, row.id != "I", Loss(place, kind)))
        if not units and place != BOX:
            found.append((pack.meta.army_cost, True, Loss(place)))
    return [loss for _, _, loss in sorted(found, key=lambda one: one[:2])]


def lose_one(state: State, loss: Loss) -> Step:
    """2.V.4-03 An army that loses its last unit so stays, empty; an empty one may itself be the loss."""
    army = "" if loss.place == BOX else loss.place
    if not loss.unit:
        yield ArmyEliminated("GE", army, BOX, "eft")
        return
    units = pick(state, state.in_place(BOX, army or LOOSE, "GE"), ((loss.unit, 1),))
    yield UnitsLost("GE", units, BOX, army or LOOSE, "eft", eyes(state, "GE"))
