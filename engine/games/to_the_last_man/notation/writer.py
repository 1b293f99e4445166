"""The order lines that give an answer; reading them back gives the answer again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.games.to_the_last_man.answers import (
    FORT,
    Build,
    Buy,
    CombatCards,
    Declare,
    Done,
    Entrench,
    Ersatz,
    Fortify,
    Goal,
    Goals,
    Loss,
    Losses,
    Move,
    Place,
    Rebuild,
    Rerolls,
    Shift,
    Suppress,
    Swap,
    Upgrade,
)
from engine.games.to_the_last_man.notation.cardplay import (
    BattleOrder,
    BidOrder,
    BonusOrder,
    CardOrder,
    CounterOrder,
    CrisisOrder,
    DiscardOrder,
    ExcessOrder,
    FirstOrder,
    KeepOrder,
    PlayOrder,
    TakeOrder,
    WeatherOrder,
    usual_bonus,
)
from engine.games.to_the_last_man.notation.clauses import Clause
from engine.games.to_the_last_man.notation.fighting import BiplaneOrder, ErsatzReply, LossReply, RerollReply
from engine.games.to_the_last_man.notation.forces import Piece, Some, some_of
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.notation.movements import (
    DoneOrder,
    MoveOrder,
    Path,
    ShiftOrder,
    SuppressOrder,
)
from engine.games.to_the_last_man.notation.purchases import (
    BuildOrder,
    BuyOrder,
    EntrenchOrder,
    FortifyOrder,
    PlaceArmy,
    PlaceUnits,
    RebuildOrder,
    Spot,
    SwapOrder,
    UpgradeOrder,
)
from engine.games.to_the_last_man.notation.removals import CrisisLoss, SupplyLoss, TransitReply
from engine.games.to_the_last_man.notation.retreats import (
    CavalryRetreat,
    ForcedOrder,
    RetreatAfter,
    RetreatInstead,
    ScrambleOrder,
    Way,
)
from engine.kernel.game import Language
from engine.kernel.requests import Answer, Ask


def write_answer(ask: Ask, answer: Answer, language: Language = "en") -> str:
    """One line; several where cards are laid on several areas, or a battle plan goes along."""
    pen = Pen(language)
    lines = [clause.write(pen) for clause in _WRITERS[ask.topic](ask, answer)]
    if isinstance(answer, Declare) and answer.plan:
        lines.append(answer.plan)  # canonical already; both languages may be mixed
    return "\n".join(lines)


# ------------------------------------------------------------------ acts


def _piece(units: Any, source: str, area: str = "") -> Piece:
    return Piece(some=some_of(units, source), source=source, area="" if source else area)


def _act(ask: Ask, act: Any) -> Sequence[Clause]:
    return (_ACTS[type(act)](act),)


def _move(move: Move) -> Clause:
    path = Path(move.path)
    if move.army:
        absorb = tuple(Some(*_kind(kind, number)) for kind, number in move.absorb)
        return MoveOrder(Piece(army=move.army), path, absorb=absorb, mode=move.mode)
    return MoveOrder(_piece(move.units, move.source, move.path[0]), path, move.into, mode=move.mode)


def _kind(kind: str, number: int) -> tuple[str, int, str]:
    nation, _, type_ = kind.partition(".")
    return type_, number, "" if nation == "GE" else nation


def _build(build: Build) -> Clause:
    return BuildOrder(some_of(build.units, build.into), Spot(build.into, "" if build.into else build.area))


def _place(place: Place) -> Clause:
    if place.army:
        return PlaceArmy(place.army, place.area)
    return PlaceUnits(some_of(place.units, place.into), Spot(place.into, "" if place.into else place.area))


def _spot(area: str, into: str) -> Spot:
    return Spot(into, "" if into else area)


def _entrench(entrench: Entrench) -> Clause:
    loose = [_piece(units, "", area) for area, units in entrench.loose]
    return EntrenchOrder((*(Piece(army=army) for army in entrench.armies), *loose))


_ACTS: Mapping[type, Callable[[Any], Clause]] = {
    Move: _move,
    Shift: lambda act: ShiftOrder(_piece(act.units, act.source, act.area), act.into),
    Suppress: lambda act: SuppressOrder(act.army),
    Place: _place,
    Swap: lambda act: SwapOrder(act.corps, _spot(act.area, act.into)),
    Upgrade: lambda act: UpgradeOrder(_spot(act.area, act.into)),
    Rebuild: lambda act: RebuildOrder(act.army, act.area),
    Build: _build,
    Entrench: _entrench,
    Fortify: lambda act: FortifyOrder(act.army),
    Buy: lambda act: BuyOrder(act.cards),
    Done: lambda act: DoneOrder(),
}


# ------------------------------------------------------------------ battles


def _laid(ask: Ask, cards: CombatCards) -> Sequence[Clause]:
    found: list[Clause] = [CardOrder(card, area) for area, card in cards.on]
    if cards.counter is not None:
        found.append(CounterOrder(*cards.counter))
    if cards.bonus != usual_bonus(ask):
        found.append(BonusOrder(cards.bonus))
    return found or (CardOrder(""),)


def _ways(goals: Goals, area: str) -> tuple[Way, ...]:
    return tuple(_way(goal, area) for goal in goals)


def _way(goal: Goal, area: str) -> Way:
    if goal.army:
        return Way((Piece(army=goal.army),), (goal.to,), left=some_of(goal.left, goal.army))
    return Way((_piece(goal.units, goal.source, area),), (goal.to,), goal.into)


def _scramble(ask: Ask, goals: Goals) -> Sequence[Clause]:
    """A loose biplane is told by the area it comes from."""
    pieces = [(_piece(goal.units, goal.source, goal.origin), goal) for goal in goals]
    return (ScrambleOrder(tuple(Way((piece,), (goal.to,), goal.into) for piece, goal in pieces)),)


def _forced(ask: Ask, goals: Goals) -> Sequence[Clause]:
    to = tuple(dict.fromkeys(goal.to for goal in goals if goal.to))
    return (ForcedOrder(tuple(goal.army for goal in goals), to),)


def _ersatz(ask: Ask, ersatz: Ersatz) -> Sequence[Clause]:
    return (ErsatzReply(ersatz.cards, ersatz.siege if ask.given.siege else -1),)


def _loss(ask: Ask, loss: Loss) -> Sequence[Clause]:
    if loss.place == FORT:
        return (LossReply(None),)
    return (LossReply(_piece(((loss.unit, 1),), loss.place, ask.given.area)),)


# ------------------------------------------------------------------ elsewhere


def _given_up(loss: Loss) -> Piece:
    if not loss.unit:
        return Piece(army=loss.place)
    army = _is_army(loss.place)
    return _piece(((loss.unit, 1),), loss.place if army else "", "" if army else loss.place)


def _is_army(place: str) -> bool:
    """An army's id is its nation's and a number, or GEC; an area's three letters."""
    return place == "GEC" or place[2:].isdigit()


def _crisis_losses(ask: Ask, losses: Losses) -> Sequence[Clause]:
    return (CrisisLoss(tuple(_given_up(loss) for loss in losses)),)


def _supply_loss(ask: Ask, kind: str) -> Sequence[Clause]:
    return (SupplyLoss(ask.given.army, some_of(((kind, 1),), ask.given.army)),)


def _crisis(ask: Ask, played: bool) -> Sequence[Clause]:
    return (CrisisOrder(ask.given.slot),) if played else ()


def _rerolls(ask: Ask, rerolls: Rerolls) -> Sequence[Clause]:
    return (RerollReply(rerolls.hits),)


_WRITERS: Mapping[str, Callable[[Ask, Any], Sequence[Clause]]] = {
    "setup.take": lambda ask, card: (TakeOrder((card,)),),
    "season.bid": lambda ask, cards: (BidOrder(tuple(cards)),),
    "season.first": lambda ask, side: (FirstOrder(side),),
    "reinforce": _act,
    "turn.card": lambda ask, card: (PlayOrder(() if card is None else (card,)),),
    "turn.crisis": _crisis,
    "turn.act": _act,
    "turn.discard": lambda ask, cards: (DiscardOrder(tuple(cards)),),
    "battle.declare": lambda ask, declare: (BattleOrder(declare.areas),),
    "battle.cards": _laid,
    "battle.weather": lambda ask, played: (WeatherOrder(played),),
    "battle.answer": _laid,
    "battle.keep": lambda ask, area: (KeepOrder((area,)),),
    "battle.scramble": _scramble,
    "battle.cavalry": lambda ask, goals: (CavalryRetreat(_ways(goals, ask.given.area)),),
    "battle.biplanes": lambda ask, method: (BiplaneOrder(method),),
    "battle.instead": lambda ask, goals: (RetreatInstead(_ways(goals, ask.given.area)),),
    "battle.reroll": _rerolls,
    "battle.ersatz": _ersatz,
    "battle.loss": _loss,
    "battle.forced": _forced,
    "battle.retreat": lambda ask, goals: (RetreatAfter(_ways(goals, ask.given.area)),),
    "crisis.loss": _crisis_losses,
    "supply.loss": _supply_loss,
    "production": _act,
    "excess": lambda ask, cards: (ExcessOrder(tuple(cards)),),
    "eft.loss": lambda ask, loss: (TransitReply(_given_up(loss)),),
}
