"""Drawn positions: what an umpire or a test writes, set up on the map.

    turn = 8                                     # a tag serves too: "1916-SP"
    phase = "turn"                               # or "reinforce", "production"
    phasing = "EN"
    clear = true                                 # the scenario's pieces, forts and cards are taken off first
    owner = { LIE = "GE" }
    forts = { VER = 4 }                          # -1: gone
    armies = { GE1 = { at = "LIE", units = "3I A", entrenched = true }, FR9 = { at = "CHA" } }
    loose = { LIE = ["GE 2I", "FR A", "FR I entrenched"] }
    hands = { GE = ["OFF", "ER2"] }
    deck = ["LIM", "OFF"]                        # the top cards; the others follow in the order of their ids

What is not named stays as the scenario sets it up, or is empty with `clear`; counters that are nowhere lie in
the pool, cards that are nowhere in the draw pile, which is not shuffled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from engine.games.to_the_last_man import order_of_play
from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.rules.setup import (
    empty_map,
    hold_back_corps,
    keep_armies_in_order,
    set_up,
    take,
)
from engine.games.to_the_last_man.state import NATIONS, SIDES
from engine.kernel.errors import EngineError
from engine.kernel.requests import Segment
from engine.kernel.setup import Drawing

KEYS = {
    "scenario": "word",
    "options": "table",
    "turn": "number or word",
    "last_turn": "number",
    "phase": "word",
    "phasing": "word",
    "number": "number",
    "passes": "number",
    "crisis_vp": "number",
    "clear": "switch",
    "owner": "table of word",
    "forts": "table of number",
    "armies": "table of table",
    "loose": "table of list",
    "eliminated": "list",
    "dissolved": "list",
    "held": "table of list",
    "pool_out": "list",
    "hands": "table of list",
    "deck": "list",
    "discard": "list",
    "removed": "list",
}
PHASES = ("reinforce", "turn", "production")
PIECES = re.compile(r"(\d*)(CW|[ISCAGBTP])")
ENTRENCHED = "entrenched"


class _Drawing(Drawing):
    keys = KEYS
    pack: Pack

    def draw(self) -> None:
        agreed, clear = self.settings("scenario"), self.given.get("clear")
        self.state = empty_map(self.pack, agreed) if clear else set_up(self.pack, agreed)[0]
        self._draw_turn()
        self._draw_map()
        self._draw_armies()
        self._draw_loose()
        self._draw_away()
        self._draw_cards()
        self.segment = self._next_segment()

    # ------------------------------------------------------------ the season

    def _draw_turn(self) -> None:
        state, given = self.state, self.given
        tags = {row.tag: n for n, row in self.pack.turns.items()}
        turn = given.get("turn", state.turn)
        state.turn = self.one_of("turn", tags.get(turn, turn), self.pack.turns)
        state.first_turn = min(state.first_turn, state.turn)
        state.last_turn = self.one_of("last_turn", given.get("last_turn", state.last_turn), self.pack.turns)
        for key in ("passes", "crisis_vp"):
            value = given.get(key, 0)
            if type(value) is not int:
                raise EngineError(f"position: {key}: {value!r} is no number")
            setattr(state, key, value)

    def _next_segment(self) -> Segment:
        state, given = self.state, self.given
        phase = self.one_of("phase", given.get("phase", "turn"), PHASES)
        if phase == "reinforce":
            return order_of_play.reinforcements(state.turn)
        if phase == "production":
            return order_of_play.production(state.turn)
        side: Side = self.one_of("phasing", given.get("phasing", state.first), SIDES)
        number = given.get("number", 1)
        if type(number) is not int or number < 1:
            raise EngineError(f"position: number: {number!r} is no Player Turn")
        return order_of_play.player_turn(state.turn, number, side)

    # ------------------------------------------------------------ the map

    def _draw_map(self) -> None:
        for area, side in self.table("owner", self.pack.areas):
            self.state.owner[area] = self.one_of("owner", side, ("", *SIDES))
        forts = dict(self.state.forts)
        for area, strength in self.table("forts", self.pack.forts):
            if type(strength) is not int or strength > self.pack.forts[area].strength:
                raise EngineError(f"position: forts: {area} cannot have the strength {strength!r}")
            forts[area] = strength
        self.state.forts = {area: forts[area] for area in self.pack.areas if forts.get(area, -1) >= 0}

    def _draw_armies(self) -> None:
        state, rows = self.state, list(self.table("armies", self.pack.armies))
        for army, _ in rows:
            if army in state.army_at:  # its counters go back first: others may want them
                self._give_back(state.contents.pop(army))
                del state.army_at[army]
                state.entrenched = [piece for piece in state.entrenched if piece != army]
        for army, row in rows:
            if "at" not in row or set(row) - {"at", "units", ENTRENCHED} or not _are_words(row):
                raise EngineError(f"position: armies: {army}: wanted are at, units, {ENTRENCHED}")
            state.army_at[army] = self.one_of("armies", row["at"], self.pack.areas)
            nation = self.pack.armies[army].nation
            state.contents[army] = sorted(self._counters("armies", row.get("units", ""), nation))
            if row.get(ENTRENCHED):
                state.entrenched = sorted([*state.entrenched, army])
        keep_armies_in_order(state)

    def _draw_loose(self) -> None:
        state = self.state
        rows = list(self.table("loose", self.pack.areas))
        for area, _ in rows:
            self._give_back(state.loose[area])
            state.loose[area] = []
        for area, texts in rows:
            for text in [texts] if isinstance(texts, str) else texts:
                dug_in = text.endswith(f" {ENTRENCHED}")
                units = self._counters("loose", text.removesuffix(ENTRENCHED))
                state.loose[area] = sorted([*state.loose[area], *units])
                state.entrenched = sorted([*state.entrenched, *(units if dug_in else [])])

    def _draw_away(self) -> None:
        """Armies off the map, reinforcements that wait, and counters that are out of the pool."""
        state = self.state
        for key in ("eliminated", "dissolved"):
            armies = [self.one_of(key, army, self.pack.armies) for army in self.given.get(key, ())]
            for army in armies:
                if army in state.army_at:
                    raise EngineError(f"position: {key}: {army} stands on the map")
            setattr(state, key, sorted(armies))
        for side, words in self.table("held", SIDES):
            for word in words:
                arriving = [word] if word in self.pack.armies else self._counters("held", word)
                state.held[side] = sorted([*state.held[side], *arriving])
        for text in self.given.get("pool_out", ()):
            self._counters("pool_out", text)  # lost: a small pool is drawn so
        if self.given.get("clear"):
            hold_back_corps(state)

    def _counters(self, key: str, text: str, nation: str = "") -> list[str]:
        """Out of the pool: "GE 2I A", "3I" where the nation is plain."""
        found: list[str] = []
        for word in text.replace(",", " ").split():
            if word in NATIONS:
                nation = word
                continue
            pieces = PIECES.fullmatch(word)
            if pieces is None or not nation:
                raise EngineError(f"position: {key}: {word!r} is no unit, or does not say whose")
            try:
                found += take(self.state, nation, pieces[2], int(pieces[1] or 1))
            except EngineError as error:
                raise EngineError(f"position: {key}: {error}") from None
        return found

    def _give_back(self, units: Collection[str]) -> None:
        for unit in units:
            pool = self.state.pool[self.pack.nation_of[unit]]
            pool[:] = sorted([*pool, unit])
        self.state.entrenched = [piece for piece in self.state.entrenched if piece not in units]

    # ------------------------------------------------------------ cards

    def _draw_cards(self) -> None:
        """By kind. Whatever is named nowhere lies in the draw pile."""
        state, out = self.state, set(self.pack.scenarios[self.state.scenario].cards_out)
        left = {kind: [] if kind in out else list(cards) for kind, cards in self.pack.copies.items()}

        def taken(key: str, kinds: Any) -> list[str]:
            found: list[str] = []
            for kind in kinds:
                if not left.get(kind):
                    raise EngineError(f"position: {key}: no card {kind!r} is left")
                found.append(left[kind].pop(0))
            return found

        state.hands = {side: [] for side in SIDES}
        for side, kinds in self.table("hands", SIDES):
            state.hands[side] = sorted(taken("hands", kinds))
        state.discard = sorted(taken("discard", self.given.get("discard", ())))
        removed = taken("removed", self.given.get("removed", ()))
        top = taken("deck", self.given.get("deck", ()))
        state.deck = [*top, *sorted(card for cards in left.values() for card in cards)]
        unused = [card for kind in sorted(out) for card in self.pack.copies[kind]]
        state.removed = sorted([*removed, *unused])


def _are_words(row: Mapping[str, Any]) -> bool:
    """A place, a text of units, and whether they are dug in."""
    return (
        all(isinstance(row.get(key, ""), str) for key in ("at", "units"))
        and type(row.get(ENTRENCHED, False)) is bool
    )


position = _Drawing.position
