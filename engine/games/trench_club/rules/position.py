"""Drawn positions: what an umpire or a test writes, set up on the board.

    round = 3
    active = "DE"                                # whose turn it is
    phase = "turn"                               # or "combat", "money"
    order = ["DE", "GB"]                         # of play; without it clockwise from whoever is active
    units = ["DE.CAR1@D4 d3 x3", "DE.INF1@fort:B2", "GB.INF1@C3 B"]
    forts = { B2 = "DE" }
    mines = { D6 = "GB" }
    built = { F6 = "bridge" }
    money = { DE = 4 }
    attacks = ["DE.CAR1 GB.INF1", "DE.GAS1 N"]   # for phase "combat"

A unit has its id and its hex; `d` damage, `x` experience, a letter its company. Only what is named stands on
the board; forts that are not named are neutral.
"""

from __future__ import annotations

import re

from engine.board.hexes import FLAT
from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import COMPANIES, Attack
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.placing import clockwise
from engine.games.trench_club.rules.setup import empty_board
from engine.games.trench_club.state import Terrain, Unit
from engine.kernel.errors import EngineError
from engine.kernel.requests import Segment
from engine.kernel.setup import Drawing

KEYS = {
    "options": "table",
    "round": "number",
    "active": "word",
    "phase": "word",
    "order": "list",
    "units": "list",
    "forts": "table of word",
    "mines": "table of word",
    "built": "table of word",
    "money": "table of number",
    "attacks": "list",
    "acted": "table of list",
    "sheltered": "list",
}
PHASES = ("turn", "combat", "money")
BUILT: tuple[Terrain, ...] = ("road", "bridge", "trench")
UNIT = re.compile(r"([A-Z]{2})\.([A-Z]{3})([1-9][0-9]*)@(fort:)?([A-Z][0-9]+)((?: +[dx][0-9]| +[ABC])*)")


class _Drawing(Drawing):
    keys = KEYS
    pack: Pack

    def draw(self) -> None:
        self.state = empty_board(self.pack, self.settings())
        self._draw_board()
        for text in self.given.get("units", ()):
            self._draw_unit(text)
        self._draw_turn()
        self.segment = self._next_segment()

    def _draw_board(self) -> None:
        state = self.state
        for fort, camp in self.table("forts", state.forts):
            state.forts[fort] = self.one_of("forts", camp, ("", *state.ring))
        for hex_, nation in self.table("mines", state.grid.places):
            state.mines[hex_] = self.one_of("mines", nation, state.camp_of)
        for hex_, terrain in self.table("built", state.grid.places):
            state.built[hex_] = self.one_of("built", terrain, BUILT)
        for camp, amount in self.table("money", state.money):
            if type(amount) is not int or amount < 0:
                raise EngineError(f"position: money: {amount!r} is no sum")
            state.money[camp] = amount
        for camp, companies in self.table("acted", state.money):
            state.acted[camp] = tuple(self.one_of("acted", one, COMPANIES) for one in companies)

    def _draw_unit(self, text: str) -> None:
        state = self.state
        found = UNIT.fullmatch(text.strip())
        if found is None:
            raise EngineError(f"position: units: {text!r}; write DE.CAR1@D4 d3 x3")
        nation, code, number, fort, hex_, rest = found.groups()
        self.one_of("units", nation, state.camp_of)
        type_ = self._type_of(text, code)
        self._check_free(text, hex_)
        if fort and hex_ not in state.forts:
            raise EngineError(f"position: units: {text!r}: there is no fort on {hex_}")
        marks = {mark[0]: int(mark[1:]) for mark in rest.split() if mark[0] in "dx"}
        company = next((mark for mark in rest.split() if mark in COMPANIES), "")
        kind = f"{nation}.{self.pack.types[type_].code}"
        unit = f"{kind}{number}"
        if unit in state.units:
            raise EngineError(f"position: units: {unit} is named twice")
        damage, xp = marks.get("d", 0), marks.get("x", 0)
        state.units[unit] = Unit(unit, nation, type_, hex_, damage, xp, company)  # type: ignore[arg-type]
        state.made[kind] = max(int(number), state.made.get(kind, 0))
        if hex_ not in state.forts:
            state.on[hex_] = unit

    def _type_of(self, text: str, code: str) -> str:
        if code not in self.pack.type_of_code:
            known = ", ".join(sorted(one.code for one in self.pack.types.values()))
            raise EngineError(f"position: units: {text!r}: there is no unit {code}; known: {known}")
        return self.pack.type_of_code[code]

    def _check_free(self, text: str, hex_: str) -> None:
        state = self.state
        if hex_ not in state.grid:
            raise EngineError(f"position: units: {text!r}: {hex_} is not on this board")
        if hex_ in state.on and hex_ not in state.forts:
            raise EngineError(f"position: units: {text!r}: {hex_} is taken by {state.on[hex_]}")

    def _draw_turn(self) -> None:
        state, given = self.state, self.given
        state.round = given.get("round", 3)
        if type(state.round) is not int or state.round < 1:
            raise EngineError(f"position: round: {state.round!r} is no round")
        state.active = self.one_of("active", given.get("active", state.ring[0]), state.ring)
        order = tuple(given.get("order", clockwise(state, state.active)))
        if sorted(order) != sorted(state.ring):
            raise EngineError(f"position: order: {' '.join(order)!r}; needed: {' '.join(state.ring)}")
        state.order = order
        state.sheltered = [self.one_of("sheltered", one, state.units) for one in given.get("sheltered", ())]
        state.attacks = [self._attack(text) for text in given.get("attacks", ())]
        state.phase = "moves"

    def _attack(self, text: str) -> Attack:
        words = text.split()
        if len(words) != 2:
            raise EngineError(f"position: attacks: {text!r}; write DE.CAR1 GB.INF1")
        unit = self.one_of("attacks", words[0], self.state.units)
        if words[1] in FLAT:
            return Attack(unit, toward=words[1])  # type: ignore[arg-type]
        return Attack(unit, self.one_of("attacks", words[1], self.state.units))

    def _next_segment(self) -> Segment:
        phase = self.one_of("phase", self.given.get("phase", "turn"), PHASES)
        if phase == "turn":
            return order_of_play.turn(self.state.round, self.state.active)
        self.state.phase = "combat"
        return order_of_play.combat(self.state) if phase == "combat" else order_of_play.money(self.state)


position = _Drawing.position
