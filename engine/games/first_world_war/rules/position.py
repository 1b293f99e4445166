"""Drawn positions: what an umpire or a test writes, set up on the board.

    {"turn": 3, "faction": "DE", "cycle": 2, "fronts": {"9": "AH1 DE11 RU5 GA:2D"}, "hands": {"WA": "A01"}}

What is not mentioned has its initial value: control, 6 VP, empty hands, in the cups the tiles of that turn.
Real armies of a later entry wait on the track. Those of this turn are its reinforcements where its
deployment is still to come, unless `reinforcements` is false or track or `waiting` is drawn otherwise. Every
other counter that is not mentioned is out of the way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from engine.games.first_world_war import order_of_play
from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.rules.setup import empty_board, sort_places
from engine.games.first_world_war.state import ALLIANCE
from engine.kernel.errors import EngineError
from engine.kernel.requests import Segment
from engine.kernel.setup import Drawing

KEYS = {
    "turn": "number",
    "phase": "word",
    "faction": "word",
    "cycle": "number",
    "round": "number",
    "fronts": "table of list",
    "face_up": "list",
    "hands": "table of list",
    "cups": "table of list",
    "tiles_out": "list",
    "control": "table of word",
    "vp": "table of number",
    "surrender": "table of list of numbers",
    "attacked": "table of list of numbers",
    "won": "table of switch",
    "treaty": "switch",
    "pool": "table of list",
    "waiting": "table of list",
    "track": "table of list",
    "returning": "list",
    "reinforcements": "switch",
    "options": "table",
    "players": "number",
}
PHASES = ("order", "deploy", "rounds", "victory", "replace")
DUMMIES = re.compile(r"(?:([A-Z]{2}):)?(\d*)D")  # GA:2D, or 2D where the faction is plain


class _Drawing(Drawing):
    keys = KEYS
    pack: Pack

    def draw(self) -> None:
        self.state = empty_board(self.pack, self.settings("players"))
        self._used: set[str] = set()
        self._number("turn", self.pack.turns)
        self._draw_counters()
        self._draw_tiles()
        self._draw_markers()
        sort_places(self.state)
        self.segment = self._next_segment()

    # ------------------------------------------------------------ counters

    def _draw_counters(self) -> None:
        state = self.state
        for front, text in self.table("fronts", state.fronts):
            state.fronts[front] += self._counters("fronts", text)
        for faction, text in self.table("waiting", self.pack.factions):
            state.waiting[faction] += self._counters("waiting", text, faction)
        for faction, text in self.table("pool", self.pack.factions):
            state.pool[faction] += self._armies("pool", text, faction)
        for turn, text in self.table("track", state.track):
            if turn < state.turn + (not self._is_before_arrival()):
                raise EngineError(f"position: track: the armies of turn {turn} have come")
            state.track[turn] += self._armies("track", text)
        state.returning += self._armies("returning", self.given.get("returning", ""))
        self._draw_rest()
        state.gone += [dummy for dummy in self.pack.dummies if dummy not in self._used]
        on_board = {counter for there in state.fronts.values() for counter in there}
        for counter in words(self.given.get("face_up", "")):
            if counter not in on_board:
                raise EngineError(f"position: face_up: {counter!r} is not on the board")
            state.face_up.append(counter)

    def _is_before_arrival(self) -> bool:
        """4.2.1-3 The first step of the deployment takes the turn's armies off the track."""
        phase, first = self.given.get("phase"), self.state.deploy_order[0]
        return phase == "order" or (phase == "deploy" and self.given.get("faction", first) == first)

    def _draw_rest(self) -> None:
        """Armies that are not named: on the track, new in this turn's deployment, or out of the way."""
        state, order = self.state, list(self.state.deploy_order)
        early, faction = self._is_before_arrival(), self.given.get("faction", order[0])
        deploys = order[order.index(faction) :] if faction in order else []
        new = self.given.get("reinforcements", True) and self.given.get("phase") in ("order", "deploy")
        drawn = {*self.given.get("waiting", ()), *(order if state.track.get(state.turn) else ())}
        for army in self.pack.armies.values():
            if army.id in self._used:
                continue
            comes = new and army.entry == state.turn and army.faction not in drawn
            if army.entry > state.turn or (comes and early):
                state.track[army.entry].append(army.id)
            elif comes and army.faction in deploys:
                state.waiting[army.faction].append(army.id)
            else:
                state.gone.append(army.id)

    def _counters(self, key: str, text: Any, faction: Faction | None = None) -> list[str]:
        """Ids of armies and dummies; `GA:2D` takes that many dummies."""
        found: list[str] = []
        for word in words(text):
            if (dummies := DUMMIES.fullmatch(word)) is not None:
                owner = dummies[1] or faction
                if owner is None:
                    raise EngineError(f"position: {key}: {word!r} does not say whose dummies")
                found += self._dummies(key, self._faction(key, owner), int(dummies[2] or 1))
            else:
                found.append(self._use(key, word, faction))
        return found

    def _dummies(self, key: str, faction: Faction, number: int) -> list[str]:
        free = [dummy for dummy in self.pack.dummies_of[faction] if dummy not in self._used]
        if len(free) < number:
            raise EngineError(
                f"position: {key}: {number} more dummies of {faction}; only {len(free)} are left"
            )
        return [self._use(key, dummy, faction) for dummy in free[:number]]

    def _armies(self, key: str, text: Any, faction: Faction | None = None) -> list[str]:
        found = [self._use(key, word, faction) for word in words(text)]
        for counter in found:
            if counter not in self.pack.armies:
                raise EngineError(f"position: {key}: {counter!r} is a dummy")
        return found

    def _use(self, key: str, counter: str, faction: Faction | None) -> str:
        if counter not in self.pack.faction_of:
            raise EngineError(f"position: {key}: no counter {counter!r}")
        if faction is not None and self.pack.faction_of[counter] != faction:
            raise EngineError(f"position: {key}: {counter!r} does not belong to {faction}")
        if counter in self._used:
            raise EngineError(f"position: {key}: {counter!r} stands somewhere else already")
        self._used.add(counter)
        return counter

    # ------------------------------------------------------------ tiles

    def _draw_tiles(self) -> None:
        state, given = self.state, self.given
        out = self._tiles("tiles_out", given.get("tiles_out", ""))
        hands = [
            (faction, self._tiles("hands", text, ALLIANCE[faction]))
            for faction, text in self.table("hands", self.pack.factions)
        ]
        held = [tile for _, tiles in hands for tile in tiles]
        for tile in held:
            if held.count(tile) > 1 or tile in out:
                raise EngineError(f"position: hands: {tile!r} lies somewhere else already")
        for faction, tiles in hands:
            if len(tiles) > self.pack.meta.hand_limit:
                raise EngineError(f"position: hands: {faction} holds more than {self.pack.meta.hand_limit}")
            state.hands[faction] = tiles
        gone = {*held, *out}
        in_play = [
            t for turn in range(1, state.turn + 1) for t in self.pack.tiles_for_turn[turn] if t not in gone
        ]
        for alliance in self.pack.alliances:
            state.cups[alliance] = [t for t in in_play if self.pack.tiles[t].alliance == alliance]
        for alliance, text in self.table("cups", self.pack.alliances):
            state.cups[alliance] = self._tiles("cups", text, alliance)
            if taken := sorted(gone & set(state.cups[alliance])):
                raise EngineError(f"position: cups: {taken[0]!r} lies somewhere else already")
        state.tiles_out = out
        lying = {*gone, *(tile for cup in state.cups.values() for tile in cup)}
        state.aside = [tile for tile in self.pack.tiles if tile not in lying]

    def _tiles(self, key: str, text: Any, alliance: str | None = None) -> list[str]:
        found = words(text)
        for tile in found:
            if tile not in self.pack.tiles:
                raise EngineError(f"position: {key}: no tile {tile!r}")
            if alliance is not None and self.pack.tiles[tile].alliance != alliance:
                raise EngineError(f"position: {key}: {tile!r} is not a tile of {alliance}")
        if len(set(found)) < len(found):
            raise EngineError(f"position: {key}: a tile stands there twice")
        return found

    # ------------------------------------------------------------ markers and the place in the turn

    def _draw_markers(self) -> None:
        state = self.state
        for town, faction in self.table("control", self.pack.locations):
            state.control[town] = self._faction("control", faction)
        for faction, points in self.table("vp", self.pack.factions):
            if type(points) is not int or points < self.pack.vp_floor:
                raise EngineError(f"position: vp: {faction} cannot have {points!r}")
            state.vp[faction] = points
        for name, lists in (("surrender", state.surrender), ("attacked", state.attacked)):
            for faction, fronts in self.table(name, self.pack.factions):
                lists[faction] = [self._front(name, front) for front in fronts]
            if name == "surrender":
                for points in lists.values():
                    points.sort()
        for faction, won in self.table("won", self.pack.factions):
            state.won[faction] = bool(won)
        state.treaty = bool(self.given.get("treaty", False))

    def _next_segment(self) -> Segment:
        state, given = self.state, self.given
        phase = given.get("phase", "rounds")
        state.phase = self.one_of("phase", phase, PHASES)
        turn = state.turn
        faction = self._faction("faction", given["faction"]) if "faction" in given else None
        match phase:
            case "order":
                return order_of_play.order_slots(turn)
            case "deploy":
                return order_of_play.deployment_step(
                    turn, state.deploy_order.index(faction) + 1 if faction else 1
                )
            case "victory":
                return order_of_play.victory(turn)
            case "replace":
                return order_of_play.replacement(turn)
        number = given.get("round", 1)
        if faction is not None:
            place = state.round_order.index(faction) + 1
            number = len(state.round_order) * (given.get("cycle", 1) - 1) + place
        if number not in range(1, order_of_play.ROUNDS + 1):
            raise EngineError(f"position: round: {number!r}; known: 1 to {order_of_play.ROUNDS}")
        state.round = number
        return order_of_play.round_(turn, number)

    # ------------------------------------------------------------ words

    def _number(self, key: str, known: Collection[int]) -> None:
        setattr(self.state, key, self.one_of(key, self.given.get(key, 1), known))

    def _front(self, key: str, word: Any) -> int:
        return self._whole(key, word, self.state.fronts)

    def _whole(self, key: str, word: Any, known: Iterable[int]) -> int:
        return int(self.one_of(key, str(word), [str(one) for one in known]))

    def _faction(self, key: str, word: Any) -> Faction:
        found: Faction = self.one_of(key, word, self.pack.factions)
        return found


position = _Drawing.position


def words(text: Any) -> list[str]:
    """A list as it was written: a string with blanks or commas, or a sequence."""
    return text.replace(",", " ").split() if isinstance(text, str) else list(text)
