"""Lists of armies: ids, D and 2D for dummies, ALL, REAL; and whom they mean on a view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.games.first_world_war.answers import Faction, Placement
from engine.games.first_world_war.notation.lexicon import Cursor
from engine.games.first_world_war.notation.words import CLAUSES, VALUES
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.printed import obedience
from engine.games.first_world_war.view import View
from engine.notation.cursor import END
from engine.notation.reasons import illegal, unreadable
from engine.notation.words import ARROWS, symbol_table

Troops: TypeAlias = tuple[str, ...]  # army ids, "D", "2D", "ALL", "REAL"
MayGo: TypeAlias = Callable[[str, int], bool]  # may that dummy go to that front?

MOST_DUMMIES = 24  # 2.2-3 as many as there are in all

_AND = symbol_table(CLAUSES, only=["AND"])
_GROUPS = symbol_table(VALUES, only=["ALL", "REAL"])
_STOPS = frozenset({*symbol_table(CLAUSES), *ARROWS, END, ";", ":"})


# ------------------------------------------------------------------ reading


def read_troops(cursor: Cursor) -> Troops:
    """At least one, up to an arrow, a semicolon, the next clause or the beginning of another route."""
    found: list[str] = []
    while not found or cursor.accepts(_AND) or (cursor.seen not in _STOPS and not cursor.sees_route()):
        one = cursor.accept(_GROUPS) or _read_dummies(cursor) or cursor.name(cursor.lexicon.armies)
        if one is None:
            raise cursor.astray("army", cursor.own_armies, _GROUPS)
        found.append(one)
    return tuple(found)


def _read_dummies(cursor: Cursor) -> str | None:
    """D, 2D or 2 D."""
    word = cursor.seen
    if word == "D":
        cursor.step()
        return "D"
    if word[-1:] != "D" and cursor.ahead() != "D":
        return None
    figures = word[:-1] if word[-1] == "D" else word
    if not (figures.isascii() and figures.isdigit()):
        return None
    number = int(figures) if len(figures) < 3 else MOST_DUMMIES + 1
    if not 1 <= number <= MOST_DUMMIES:
        raise unreadable("out-of-range", {"number": figures[:9], "least": 1, "most": MOST_DUMMIES})
    cursor.step(1 if word[-1] == "D" else 2)
    return "D" if number == 1 else f"{number}D"


def refuse_repetition(groups: Iterable[Troops], rule: str) -> None:
    """A counter is named once."""
    named: list[str] = []
    for troops in groups:
        for one in troops:
            if one in named and not dummies_in(one):
                raise illegal(rule, "named-twice", {"counter": one})
            named.append(one)


# ------------------------------------------------------------------ whom they mean


def dummies_in(word: str) -> int:
    """How many dummies a word stands for: D 1, 3D 3, an army 0."""
    if word == "D":
        return 1
    return int(word[:-1]) if word[-1] == "D" and word[:-1].isdigit() else 0


@dataclass(frozen=True, slots=True)
class Group:
    """Troops and the front they are sent to; 0: they stay behind."""

    troops: Troops
    to: int = 0


def mustered(
    groups: Sequence[Group], pool: Sequence[str], pack: Pack, may_go: MayGo | None = None
) -> list[Placement] | None:
    """Each counter meant, with its front, sorted; None: there are not as many dummies.

    Named counters first, then dummies by number, as they come in the pool; ALL and REAL get what is left.
    """
    found: dict[str, int] = {}
    for group in groups:
        for word in group.troops:
            if word not in ("ALL", "REAL") and not dummies_in(word):
                found[word] = group.to
    spare = [counter for counter in pool if counter in pack.dummies and counter not in found]
    posts = [group.to for group in groups for word in group.troops for _ in range(dummies_in(word))]
    if len(posts) > len(spare):
        return None
    found.update(zip(_detailed(posts, spare, may_go), posts, strict=True))
    for group in groups:
        for word in group.troops:
            if word in ("ALL", "REAL"):
                rest = [c for c in pool if c not in found and (word == "ALL" or c in pack.armies)]
                found.update(dict.fromkeys(rest, group.to))
    return sorted(found.items())


def _detailed(posts: Sequence[int], spare: Sequence[str], may_go: MayGo | None) -> list[str]:
    """4.2.1-6 A dummy for each post: the first that may go there.

    If none may the first of all is meant, so that the refusal tells why.
    """
    if may_go is None:
        return list(spare[: len(posts)])
    left, chosen = list(spare), []
    for post in posts:
        dummy = next((one for one in left if may_go(one, post)), left[0])
        left.remove(dummy)
        chosen.append(dummy)
    return chosen


def dummies_wanted(groups: Sequence[Group]) -> int:
    return sum(dummies_in(word) for group in groups for word in group.troops)


def dummies_at_hand(pool: Sequence[str], groups: Sequence[Group], pack: Pack) -> int:
    named = {word for group in groups for word in group.troops}
    return sum(counter in pack.dummies and counter not in named for counter in pool)


def commanded(view: View, faction: Faction, front: int) -> list[str]:
    """5.1-1 The counters the faction operates on the front, as its seat knows them; its own colour first."""
    under, owner, rank = obedience(view.pack), view.pack.faction_of, view.pack.id_rank
    there, obeying = view.known.get(front, ()), front in under.fronts
    found = [
        c for c in there if (under.commander if obeying and c in under.counters else owner[c]) == faction
    ]
    return sorted(found, key=lambda counter: (owner[counter] != faction, rank[counter]))
