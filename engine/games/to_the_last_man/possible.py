"""Orders that are possible now: cards, marches, battles, what can be placed and built; the front first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from engine.games.to_the_last_man.answers import (
    DONE,
    Build,
    Buy,
    Declare,
    Done,
    Entrench,
    Fortify,
    Group,
    Move,
    Place,
    Rebuild,
    Swap,
    TurnGiven,
    Upgrade,
)
from engine.games.to_the_last_man.known import before_moves
from engine.games.to_the_last_man.notation.writer import write_answer
from engine.games.to_the_last_man.rules.movement import why_not_act
from engine.games.to_the_last_man.rules.turn_acts import TurnActs
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other
from engine.kernel.game import Language
from engine.kernel.possible import PossibleOrders, written_once
from engine.kernel.requests import Answer, Ask

SHOWN = {  # of each kind in a form
    "card": 3, "attack": 8, "battle": 4, "march": 8, "move": 2, "place": 6, "build": 4,
    "entrench": 2, "other": 2, "buy": 0, "answer": 0,
}  # fmt: skip
KINDS = {Build: "build", Buy: "buy", Entrench: "entrench", Fortify: "entrench", Place: "place"}


def possible(view: View, asks: Sequence[Ask], language: Language) -> Sequence[PossibleOrders]:
    """Of a Player Turn all that may begin it; of placing and building what is nearest to the front first."""
    return tuple(group for ask in asks for group in _of(view, ask, language))


def _of(view: View, ask: Ask, language: Language) -> Iterator[PossibleOrders]:
    if ask.topic == "turn.card":
        yield from _of_turn(view, ask, language)
        return
    acts = [act for act in ask.options.describe() if not isinstance(act, Done)]
    groups: dict[str, list[Answer]] = {}
    for act in acts:
        groups.setdefault(_kind(ask, act), []).append(act)
    for kind in sorted(groups, key=list(SHOWN).index):
        nearest = sorted(groups[kind], key=lambda act: _nearness(view, act))
        yield _group(kind, ask, nearest, language)


def _kind(ask: Ask, act: Any) -> str:
    if ask.topic in ("production", "reinforce"):
        return KINDS.get(type(act), "other")
    return "march" if isinstance(act, Move) else "answer"


def _group(
    kind: str, ask: Ask, answers: Iterable[Answer], language: Language, after: str = ""
) -> PossibleOrders:
    lines = written_once(write_answer(ask, answer, language) for answer in answers)
    return PossibleOrders(kind, lines, SHOWN[kind], after)


# ------------------------------------------------------------------ a Player Turn


def _of_turn(view: View, ask: Ask, language: Language) -> Iterator[PossibleOrders]:
    """The cards that begin an Offensive; below one marches into the enemy's areas; in a Pass one move."""
    cards = [card for card in ask.options.describe() if card is not None]
    yield _group("card", ask, sorted(cards, key=lambda card: card != "OFF"), language)
    if cards:
        best = "OFF" if "OFF" in cards else cards[0]
        after = write_answer(ask, best, language)
        marches = [act for act in _moves(view, best) if view.status[act.path[-1]] != "friendly"]
        acts = _question(view, "turn.act")
        yield _group("attack", acts, _in_turn(view, marches), language, after)
        battles = [Declare((area,)) for area in _shared(view)]
        yield _group("battle", _question(view, "battle.declare"), battles, language, after)
    walks = [act for act in _moves(view, "") if _is_towards(view, act)]
    yield _group("move", _question(view, "turn.act"), walks, language)


def _question(view: View, topic: str) -> Ask:
    """As if it came now: what its answers are written for."""
    options = TurnActs(before_moves(view, ""), view.side, why_not_act)
    return Ask(view.seat, topic, "", TurnGiven(view.side), options, DONE)


def _moves(view: View, offensive: str) -> list[Move]:
    """On foot, without anything taken in on the way; armies first."""
    acts = TurnActs(before_moves(view, offensive), view.side, why_not_act).describe()
    walks = [act for act in acts if isinstance(act, Move) and act.mode == "move" and not act.absorb]
    whole = [act for act in walks if act.army or act.source not in view.army_at]
    return sorted(whole, key=lambda act: not act.army)


def _in_turn(view: View, marches: Sequence[Move]) -> list[Move]:
    """The best march of each piece, then the second best of each."""
    pieces: dict[tuple[str, str, Group], list[Move]] = {}
    for move in sorted(marches, key=lambda act: _nearness(view, act)):
        pieces.setdefault((move.army, move.path[0], move.units), []).append(move)
    return [move for some in zip_longest(*pieces.values()) for move in some if move is not None]


def _shared(view: View) -> list[str]:
    """Areas in which both sides stand."""
    return [area for area, status in view.status.items() if status == "disputed"]


def _is_towards(view: View, move: Move) -> bool:
    """From behind to the front."""
    return not _is_front(view, move.path[0]) and _is_front(view, move.path[-1])


# ------------------------------------------------------------------ where the front is


def _is_front(view: View, area: str) -> bool:
    near = (area, *view.pack.areas[area].adjacent) if area in view.pack.areas else ()
    return any(_is_enemys(view, one) for one in near)


def _is_enemys(view: View, area: str) -> bool:
    """Does something of the enemy stand there?"""
    enemy, of = other(view.side), view.pack.side_of
    if enemy in view.loose.get(area, {}) or (area in view.forts and view.pack.fort_side[area] == enemy):
        return True
    return any(at == area and of[army] == enemy for army, at in view.army_at.items())


def _nearness(view: View, act: Any) -> tuple[bool, bool, int]:
    """Attacks on somebody, then at the front; in an army before loose; few cards are bought before many."""
    if isinstance(act, Move):
        return (not _is_enemys(view, act.path[-1]), not act.army, 0)
    if isinstance(act, Buy):
        return (False, False, act.cards)
    place = _place_of(act)
    area = view.army_at.get(place, place)
    loose = isinstance(act, Build | Place) and not act.into
    return (not _is_front(view, area), loose, 0)


def _place_of(act: Any) -> str:
    """An army or an area; "": it has none."""
    match act:
        case Build(area=area) | Place(area=area) | Upgrade(area=area) | Rebuild(area=area) | Swap(area=area):
            return area
        case Entrench(armies=(army, *_)) | Fortify(army=army):
            return army
        case Entrench(loose=((area, _), *_)):
            return area
    return ""
