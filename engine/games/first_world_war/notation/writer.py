"""The order line that gives an answer; reading it back gives the answer again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.games.first_world_war.answers import (
    AnyTime,
    Attack,
    Deploy,
    Faction,
    Move,
    Pass,
    Placement,
    Slots,
    Transfer,
)
from engine.games.first_world_war.notation.lexicon import Lexicon, Pen, lexicon
from engine.games.first_world_war.notation.moments import (
    AskRecall,
    LeadReply,
    RefuseRecall,
    ReturnTiles,
    Reveal,
    TakeReply,
    TileReply,
)
from engine.games.first_world_war.notation.orders import (
    DeployOrder,
    MoveOrder,
    Order,
    PassOrder,
    TransferOrder,
)
from engine.games.first_world_war.notation.policies import (
    AskReplacement,
    DrawTiles,
    Occupy,
    OrderSlots,
    Replace,
    Treaty,
)
from engine.games.first_world_war.notation.preferences import (
    LeadPreference,
    TakePreference,
    TilePreference,
    leader_bound,
)
from engine.games.first_world_war.notation.troops import Group
from engine.games.first_world_war.view import View
from engine.kernel.game import Language
from engine.kernel.requests import Answer, Ask


def write_answer(ask: Ask, answer: Answer, language: Language = "en", view: View | None = None) -> str:
    """One line; for several things done at any time one each, for nothing done none.

    With the view tiles are written by their names, without it by their ids.
    """
    known = None if view is None else lexicon(view.pack)
    pen, prefix = Pen(language, known), prefix_of(ask)
    if isinstance(answer, Attack):
        return prefix + _attack(answer, pen, ask.given.faction)
    if isinstance(answer, AnyTime):
        return "\n".join(prefix + order.write(pen) for order in _moments(answer))
    return prefix + _ORDERS[ask.topic](ask, answer).write(pen)


def prefix_of(ask: Ask) -> str:
    """The faction, where the seat runs two; the faction's round, where the question is what to do in it."""
    faction: Faction = ask.given.faction
    named = "" if ask.seat == faction else f"{faction} "
    return f"{named}C{ask.given.cycle}: " if ask.topic == "round.action" else named


def _attack(attack: Attack, pen: Pen, faction: Faction) -> str:
    """The preferences are canonical English already: word by word they are put into the other language."""
    parts = [pen("ATTACK", attack.front, "WITH", *attack.armies)]
    tile = attack.tile if leader_bound(attack.tile) is None else ""  # LEAD says so already
    for clause, wish in (("LEAD", attack.lead), ("TILE", tile), ("TAKE", attack.take)):
        if wish:
            parts += [pen(clause), *(_translated(word, pen, faction) for word in wish.split())]
    return " ".join(parts)


def _translated(word: str, pen: Pen, faction: Faction) -> str:
    known: Lexicon | None = pen.lexicon
    if known is not None:
        tile = known.tiles[known.pack.alliance_of[faction]].get(word)
        if tile is not None:
            return pen.tiles([tile])
    return pen(word)


def _moments(answer: AnyTime) -> Iterable[Order]:
    if answer.returned:
        yield ReturnTiles(answer.returned)
    if answer.revealed:
        yield Reveal(answer.revealed)
    for recall in answer.recalls:
        yield AskRecall(recall.army, recall.origin, recall.to)
    for army in answer.refused:
        yield RefuseRecall(army)


def _groups(placements: Sequence[Placement]) -> tuple[Group, ...]:
    """Counters by the front they go to."""
    fronts = sorted({front for _, front in placements})
    return tuple(Group(tuple(c for c, to in placements if to == front), front) for front in fronts)


def _action(ask: Ask, action: Move | Transfer | Pass) -> Order:
    match action:
        case Move(origin, steps):
            return MoveOrder(origin, _groups(steps))
        case Transfer(origin, to, counters):
            return TransferOrder(origin, to, counters)
    return PassOrder()


def _deployment(ask: Ask, deploy: Deploy) -> Order:
    """Everything is named: nothing is left to the automatic deployment."""
    return DeployOrder(_groups(deploy.placed), deploy.held or (() if deploy.placed else ("ALL",)))


def _tile(ask: Ask, tile: str | None) -> Order:
    return TileReply(TilePreference((tile or "NONE",)))


def _leader(ask: Ask, army: str) -> Order:
    return LeadReply(LeadPreference((army,)))


def _slots(ask: Ask, slots: Slots) -> Order:
    return OrderSlots((slots.deploy,), (slots.round,))


def _capture(ask: Ask, location: str | None) -> Order:
    return TakeReply(TakePreference((location or "NONE",)))


_ORDERS: Mapping[str, Callable[[Ask, Any], Order]] = {
    "order.slots": _slots,
    "deploy": _deployment,
    "round.action": _action,
    "combat.defence_tile": _tile,
    "combat.attack_tile": _tile,
    "combat.defence_leader": _leader,
    "combat.attack_leader": _leader,
    "combat.draw": lambda ask, draws: DrawTiles("YES" if draws else "NO"),
    "combat.drop": lambda ask, tile: DrawTiles("YES", (tile,)),
    "combat.capture": _capture,
    "victory.occupy": lambda ask, location: Occupy(ask.given.front, (location,)),
    "treaty.offer": lambda ask, offered: Treaty("OFFER" if offered else "NONE"),
    "treaty.answer": lambda ask, accepted: Treaty("ACCEPT" if accepted else "REFUSE"),
    "replace.ask": lambda ask, armies: AskReplacement(armies or ("NONE",)),
    "replace": lambda ask, armies: Replace((*armies, "NONE")),  # and no more than these
}
