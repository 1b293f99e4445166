"""Questions a seat may be asked before its next letter, each with what is on file for it.

Computed from the seat's view and its own standing orders alone. Where no order stands, what happens without a
word is told if the order language has a line for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.games.to_the_last_man.notation import NOTATION, OrderLine
from engine.games.to_the_last_man.state import BOX
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other
from engine.kernel.game import Forecast, Language, Line

USUAL: Mapping[str, str] = {  # topic -> what happens without a word
    "battle.weather": "ALWAYS WEATHER NONE",
    "battle.answer": "ALWAYS CARD NONE",
    "battle.cavalry": "ALWAYS AT *: CAVRETREAT NONE",
    "battle.biplanes": "ALWAYS AT *: BIPLANE REACT IF ENEMYINF ELSE BIPLANE GROUND",
    "battle.instead": "ALWAYS AT *: RETREAT INSTEAD NONE",
    "battle.reroll": "ALWAYS AT *: REROLL S FIRST",
    "battle.forced": "ALWAYS AT *: FORCED WEAKEST FIRST",
    "battle.retreat": "ALWAYS AT *: RETREAT NONE",
    "production": "ALWAYS PRODUCE CARDS LIMIT, I FRONT",
    "eft.loss": "ALWAYS EFTLOSS I FIRST",
}


def foreseen(view: View, standing: Sequence[Line], language: Language = "en") -> tuple[Forecast, ...]:
    """Topic by topic in the order in which they come."""
    own = sorted((line for line in standing if isinstance(line, OrderLine)), key=OrderLine.slot)
    found = [told for topic in topics(view) for told in _told(view, topic, own, language)]
    return tuple(dict.fromkeys(found))


def topics(view: View) -> Iterator[str]:
    """What may come up; all of it rests on what everyone can see, and on the seat's own pieces."""
    if view.phase == "over":
        return
    for topic, may_come in _DEFENCE.items():
        if may_come(view):
            yield topic
    yield from ("supply.loss", "production", "excess")
    if view.side == "GE" and (BOX in view.army_at.values() or view.loose.get(BOX)):
        yield "eft.loss"


def _told(view: View, topic: str, own: Sequence[OrderLine], language: Language) -> Iterator[Forecast]:
    lines = [line for line in own if line.answers(topic)]
    for line in lines:
        yield Forecast(topic, line.write(language), True)
    if not lines and topic in USUAL:
        yield Forecast(topic, usual_line(view, topic).write(language), False)


def usual_line(view: View, topic: str) -> Line:
    (line,) = NOTATION.read(USUAL[topic], view).standing
    return line


# ------------------------------------------------------------------ what the enemy's turn may bring


def _always(view: View) -> bool:
    return True


def _has_cards(view: View) -> bool:
    return bool(view.hand)


def _weather(view: View) -> bool:
    """9.5-01"""
    return view.turn >= view.pack.card_kinds["BAD"].first_turn and "BAD" in view.hand


def _flies(view: View) -> bool:
    """8.3.4-01"""
    groups = [*view.contents.values(), *(there.get(view.side, ()) for there in view.loose.values())]
    own = view.pack.sides[view.side].nations
    return any(kind.endswith(".B") and kind[:2] in own for group in groups for kind, _ in group)


def _may_be_forced(view: View) -> bool:
    """5.4-06 The enemy may have Stosstruppen, tanks or such cards by now."""
    pack, enemy = view.pack, other(view.side)
    rows = [row for row in pack.types.values() if row.forces_retreat]
    turns = [
        turn for row in rows for nation, turn in row.first_build_turn.items() if pack.side_of[nation] == enemy
    ]
    return view.turn >= min(turns)


def _crisis(view: View) -> bool:
    """9.8-01, 9.9-01"""
    pack, enemy = view.pack, other(view.side)
    year = pack.turns[view.turn].year
    return any(
        pack.card_kinds[kind].special_for == enemy and year in years for kind, years in pack.crisis.items()
    )


_DEFENCE: Mapping[str, Callable[[View], bool]] = {
    "crisis.loss": _crisis,
    "battle.weather": _weather,
    "battle.answer": _has_cards,
    "battle.cavalry": _always,
    "battle.biplanes": _flies,
    "battle.instead": _always,
    "battle.reroll": _flies,
    "battle.ersatz": _has_cards,
    "battle.loss": _always,
    "battle.forced": _may_be_forced,
    "battle.retreat": _always,
}
