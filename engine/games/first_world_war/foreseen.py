"""Questions a seat may be asked before its next letter, each with what is on file for it (decisions 4.1).

Computed from the seat's view and its own standing orders alone. Only questions that a standing order can
answer are told of: orders of a turn stand in the sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.notation.lexicon import Pen, lexicon
from engine.games.first_world_war.notation.lines import Branch, OrderLine
from engine.games.first_world_war.notation.orders import Order
from engine.games.first_world_war.notation.policies import (
    AskReplacement,
    AttackTile,
    Defend,
    DrawTiles,
    Grant,
    Occupy,
    OrderSlots,
    Replace,
    Treaty,
)
from engine.games.first_world_war.notation.preferences import LeadPreference, TilePreference
from engine.games.first_world_war.rules.lines import available_locations
from engine.games.first_world_war.rules.replacements import ranked
from engine.games.first_world_war.state import ALLIANCE
from engine.games.first_world_war.view import View
from engine.kernel.game import Forecast, Language, Line

GRANTED = "replace.grant"  # not asked by itself: what is said of it goes into the answer to `replace`
Defaults = Callable[[View, Faction], Sequence[Order]]  # what happens without a word; nothing: never asked


def foreseen(view: View, standing: Sequence[Line], language: Language = "en") -> tuple[Forecast, ...]:
    """Topic by topic in the order in which they come; the standing orders for it, or else the default."""
    found = [
        told
        for faction in view.factions
        for topic in _TOPICS.get(view.phase, ())
        for told in _told(view, faction, topic, standing, language)
    ]
    return tuple(dict.fromkeys(found))


def _told(
    view: View, faction: Faction, topic: str, standing: Sequence[Line], language: Language
) -> Iterator[Forecast]:
    own = [one for one in standing if isinstance(one, OrderLine) and _speaks_of(one, topic, faction)]
    ahead = view.phase == "rounds" and topic in _AFTER_ROUNDS  # asked for by letter unless an order stands
    defaults = () if ahead and not own else _DEFAULTS[topic](view, faction)
    if not defaults:
        return
    for line in sorted(own, key=lambda line: line.slot()):
        yield Forecast(GRANTED if _is_grant(line) else topic, line.write(language), True)
    if not all(map(_is_grant, own)):
        return
    pen = Pen(language, lexicon(view.pack))
    prefix = f"{faction} " if len(view.factions) > 1 else ""
    for order in defaults:
        yield Forecast(topic, prefix + order.write(pen), False)


def _is_grant(line: OrderLine) -> bool:
    """D18 It speaks of the partner's armies, and leaves one's own list as it is."""
    order = line.order.then if isinstance(line.order, Branch) else line.order
    return isinstance(order, Grant)


def _speaks_of(line: OrderLine, topic: str, faction: Faction) -> bool:
    """A DEFEND may name a tile only, or a leader only."""
    if line.faction != faction or topic not in line.order.topics:
        return False
    order = line.order
    if isinstance(order, Defend):
        return (order.tile if topic == "combat.defence_tile" else order.lead) is not None
    if isinstance(order, Treaty):
        return (order.says in ("OFFER", "NONE")) == (topic == "treaty.offer")
    return topic != "combat.drop" or not isinstance(order, DrawTiles) or bool(order.drop)


# ------------------------------------------------------------------ what happens without a word


def _slots(view: View, faction: Faction) -> Sequence[Order]:
    """D2"""
    places = range(1, len(view.deploy_order) + 1)
    return (OrderSlots(tuple(reversed(places)), tuple(places)),)


def _defence_tile(view: View, faction: Faction) -> Sequence[Order]:
    """D6"""
    return (Defend(None, tile=TilePreference(("NONE",))),)


def _defence_leader(view: View, faction: Faction) -> Sequence[Order]:
    """D9"""
    return (Defend(None, lead=LeadPreference(("STRONGEST",))),)


def _attack_tile(view: View, faction: Faction) -> Sequence[Order]:
    """D7"""
    return (AttackTile(None, TilePreference(("NONE",))),)


def _draw(view: View, faction: Faction) -> Sequence[Order]:
    """D10"""
    return (DrawTiles("FREE"),)


def _occupy(view: View, faction: Faction) -> Sequence[Order]:
    """D14 Where the faction fights and has a choice."""
    alliance = ALLIANCE[faction]
    orders = []
    for front in sorted(view.pack.fronts):
        if view.pack.fighter[front][alliance] != faction or not view.counts[front].get(faction, 0):
            continue
        if len(available := available_locations(view, alliance, front)) > 1:
            orders.append(Occupy(front, available))
    return orders


def _may_be_offered(view: View) -> bool:
    """8.1-1 In turn 4 or later, while there is no treaty yet."""
    return not view.treaty and view.turn >= view.pack.treaty.earliest_turn


def _offer(view: View, faction: Faction) -> Sequence[Order]:
    """D15"""
    return (Treaty("NONE"),) if faction == "DE" and _may_be_offered(view) else ()


def _answer(view: View, faction: Faction) -> Sequence[Order]:
    """D16"""
    asked = view.players not in view.pack.treaty.must_accept_players
    return (Treaty("REFUSE"),) if faction == "EA" and asked and _may_be_offered(view) else ()


def _ask_replacement(view: View, faction: Faction) -> Sequence[Order]:
    """D18 Between two seats only."""
    charged = [army for army in view.pack.replacement.charged_to_WA if army in view.pool["EA"]]
    partners = view.seats["EA"] != view.seats["WA"]
    return (AskReplacement(("ALL",)),) if faction == "EA" and partners and charged else ()


def _replace(view: View, faction: Faction) -> Sequence[Order]:
    """D17 The pool as it stands; the victory check may still add to it."""
    armies = ranked(view.pack, view.pool[faction])
    return (Replace(tuple(armies)),) if armies else ()


_DEFAULTS: Mapping[str, Defaults] = {
    "order.slots": _slots,
    "combat.defence_tile": _defence_tile,
    "combat.defence_leader": _defence_leader,
    "combat.attack_tile": _attack_tile,
    "combat.draw": _draw,
    "victory.occupy": _occupy,
    "treaty.offer": _offer,
    "treaty.answer": _answer,
    "replace.ask": _ask_replacement,
    "replace": _replace,
}

_AFTER_ROUNDS = ("victory.occupy", "treaty.offer", "treaty.answer", "replace.ask", "replace")
_TOPICS: Mapping[str, tuple[str, ...]] = {
    "order": ("order.slots",),
    "rounds": (
        "combat.defence_tile",
        "combat.defence_leader",
        "combat.attack_tile",
        "combat.draw",
        *_AFTER_ROUNDS,
    ),
    "victory": _AFTER_ROUNDS,
    "replace": ("replace.ask", "replace"),
}
