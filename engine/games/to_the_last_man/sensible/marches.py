"""4 Which piece goes where: every move is weighed by what it changes in the areas it touches.

Moves are weighed one by one, each on the map as it is then; only an attack is weighed with all who could join
it, and its first piece sent. So a plan needs no memory: the next question finds the rest of it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.games.to_the_last_man.answers import LOOSE, Mode, Move, Shift, TurnAct
from engine.games.to_the_last_man.sensible.exchange import KILL
from engine.games.to_the_last_man.sensible.ground import Ground
from engine.games.to_the_last_man.sensible.powers import Piece, loose_piece, moved, without
from engine.games.to_the_last_man.state import BOX, ENGLAND
from engine.games.to_the_last_man.view import View

LIMITED = "LIM"
WORTHWHILE = 0.04  # less is not worth leaving one's place
DETACHED_FROM = 2  # infantry units that an army has, at least, when it sends one away
RIDER = "C"

Placing = dict[str, tuple[Piece, ...]]


class Offer(NamedTuple):
    """A move, and what it brings: by itself (`step`), and with those who would follow it (`gain`)."""

    gain: float
    step: float
    act: Move | Shift
    after: Placing  # own pieces of the areas that it touches
    arrived: Piece
    enters: str = ""  # 4.1-07 a held Enemy area in which a battle must be fought then


class Marches:
    """The moves of one Player Turn, made or only imagined."""

    __slots__ = (
        "_allows",
        "_entered",
        "_fights",
        "_ground",
        "_made",
        "_offensive",
        "_own",
        "_ready",
        "_view",
    )

    def __init__(self, ground: Ground, offensive: str, allows: Callable[[TurnAct], bool]) -> None:
        self._ground, self._view, self._allows = ground, ground.view, allows
        self._offensive, self._made = offensive, sum(ground.view.used.get(k, 0) for k in ("pass", "reserves"))
        self._own: Placing = dict(ground.own)
        self._ready = {area: ready_pieces(ground.view, area, there) for area, there in self._own.items()}
        self._entered = [area for area in ground.view.entered if self._is_compulsory(area)]
        self._fights = {area: self._battle(area, there) for area, there in self._own.items()}

    def _is_compulsory(self, area: str) -> bool:
        return bool(self._own.get(area)) and self._ground.is_held(area)

    # ------------------------------------------------------------ weighing

    def _battle(self, area: str, pieces: tuple[Piece, ...]) -> float:
        return self._ground.battle(area, pieces) if self._offensive else 0.0

    def fought(self, fights: Mapping[str, float], entered: Iterable[str]) -> float:
        """2.II.3 What the battles are worth: those that must be fought, and of the others those that pay."""
        bound = list(entered)
        must = sum(fights.get(area, 0.0) for area in bound)
        may = [value for area, value in fights.items() if area not in bound and value > 0]
        if self._offensive == LIMITED:
            return must if bound else max(may, default=0.0)
        return must + sum(may)

    def value_of_battles(self) -> float:
        return self.fought(self._fights, self._entered)

    def _gain(self, after: Placing, enters: str = "") -> float:
        """What changes if these areas hold these pieces."""
        ground, own = self._ground, self._own
        gain = sum(
            ground.score(area, there) - ground.score(area, own.get(area, ())) for area, there in after.items()
        )
        if not self._offensive:
            return gain
        fights = {**self._fights, **{area: self._battle(area, there) for area, there in after.items()}}
        entered = [*self._entered, enters] if enters else self._entered
        return gain + self.fought(fights, entered) - self.value_of_battles()

    # ------------------------------------------------------------ choosing

    def best(self) -> Offer | None:
        """The move that brings most, if any is worth it."""
        if not self._offensive and self._made:
            return None
        offers = sorted(self._offers(), key=lambda offer: -offer.gain)
        return next((offer for offer in offers if self._allows(offer.act)), None)

    def _offers(self) -> Iterator[Offer]:
        for offer in self._all_offers():
            if offer.gain > WORTHWHILE:
                yield offer

    def _all_offers(self) -> Iterator[Offer]:
        ground = self._ground
        for to in self._view.pack.areas:
            if to in (BOX, ENGLAND):
                continue
            status = self._view.status[to]
            if status == "neutral" or (status == "enemy" and not self._offensive):
                continue
            if status == "enemy" and not ground.is_held(to):
                yield from self._seizures(to)
            else:
                yield from self._concentrations(to)
        yield from self._journeys()

    def imagine(self) -> float:
        """Makes the best moves until none is left; returns what all came to, battles included."""
        value = self.value_of_battles()
        while (offer := self.best()) is not None and self._made < 99:
            value += offer.step
            self._make(offer)
        return value

    def _make(self, offer: Offer) -> None:
        """The pieces stand elsewhere now, those that moved tired."""
        if not self._offensive:
            self._made += 1
        for area, there in offer.after.items():
            fresh = [piece.place or piece for piece in self._ready.get(area, ())]
            self._ready[area] = tuple(p for p in there if (p.place or p) in fresh and p != offer.arrived)
            self._own[area] = there
            self._fights[area] = self._battle(area, there)
        if offer.enters:
            self._entered.append(offer.enters)

    # ------------------------------------------------------------ moves on foot

    def _arrivals(self, to: str) -> Iterator[Piece]:
        """Pieces next to that area that may walk there."""
        status = self._view.status
        for near in self._view.pack.areas[to].adjacent:
            if near in (BOX, ENGLAND) or (status[to] == "enemy" and status[near] != "friendly"):
                continue
            yield from dict.fromkeys(self._ready.get(near, ()))

    def _room(self, to: str) -> int:
        return self._view.pack.meta.stacking_limit - len(self._own.get(to, ()))

    def _seizures(self, to: str) -> Iterator[Offer]:
        """4.1-08 Enemy areas that nobody holds: by cavalry, infantry, an army or one unit out of it."""
        if self._room(to) < 1:
            return
        overrun = KILL * self._ground.empty_foes.get(to, 0) * (not self._own.get(to))
        for piece in self._arrivals(to):
            if piece.power.control:
                yield self._one(piece, to, bonus=overrun)
                yield from self._with_rearguard(piece, to, "")
            if self._can_detach(piece):
                yield self._detachment(piece, to, overrun)
        for path, rider in self._rides(to):
            yield self._one(rider, to, path=path, bonus=overrun)

    def _one(
        self, piece: Piece, to: str, mode: Mode = "move", path: tuple[str, ...] = (), bonus: float = 0.0
    ) -> Offer:
        """One piece goes there with all it holds."""
        after = self._after([piece], to)
        gain = self._gain(after) + bonus
        return Offer(gain, gain, act_of(piece, path or (piece.area, to), mode), after, after[to][-1])

    def _after(self, pieces: list[Piece], to: str) -> Placing:
        """Who stands where when these have gone there."""
        after: Placing = {}
        for piece in pieces:
            there = list(after.get(piece.area, self._own[piece.area]))
            there.remove(piece)
            after[piece.area] = tuple(there)
        coming = tuple(moved(self._view.pack, piece, to) for piece in pieces)
        after[to] = (*self._own.get(to, ()), *coming)
        return after

    def _can_detach(self, piece: Piece) -> bool:
        return piece.place != LOOSE and piece.power.foot >= DETACHED_FROM

    def _foot(self, army: Piece) -> str:
        """The kind of infantry that leaves it."""
        types = self._view.pack.types
        return next(kind for kind, _ in army.group if types[kind.partition(".")[2]].cls == "infantry")

    def _with_rearguard(self, army: Piece, to: str, enters: str) -> Iterator[Offer]:
        """An army that would leave its area bare drops an infantry unit there before it goes."""
        alone = self._own[army.area] == (army,)
        if not (alone and self._offensive and army.place and army.power.foot > DETACHED_FROM):
            return
        foot, pack = self._foot(army), self._view.pack
        left, guard = without(self._view, army, foot), loose_piece(pack, army.area, foot, False)
        dropped: Placing = {army.area: (left, guard)}
        after: Placing = {army.area: (guard,), to: (*self._own.get(to, ()), moved(pack, left, to))}
        act = Shift(army.area, ((foot, 1),), army.place)
        yield Offer(self._gain(after, enters), self._gain(dropped), act, dropped, guard)

    def _detachment(self, army: Piece, to: str, bonus: float) -> Offer:
        """8.1-03 An infantry unit leaves its army."""
        foot = self._foot(army)
        there = list(self._own[army.area])
        there[there.index(army)] = without(self._view, army, foot)
        arrived = loose_piece(self._view.pack, to, foot, False)
        after = {army.area: tuple(there), to: (*self._own.get(to, ()), arrived)}
        gain = self._gain(after) + bonus
        act = Move((army.area, to), units=((foot, 1),), source=army.place)
        return Offer(gain, gain, act, after, arrived)

    def _rides(self, to: str) -> Iterator[tuple[tuple[str, ...], Piece]]:
        """4.2-07 Loose cavalry two areas away, through an area that nobody holds against it."""
        areas, status = self._view.pack.areas, self._view.status
        for between in areas[to].adjacent:
            if status[between] == "disputed" or self._ground.is_held(between) or between in (BOX, ENGLAND):
                continue
            for origin in areas[between].adjacent:
                if origin == to or origin in (BOX, ENGLAND) or status[origin] != "friendly":
                    continue
                for piece in self._ready.get(origin, ()):
                    if piece.place == LOOSE and piece.group[0][0].endswith(f".{RIDER}"):
                        yield (origin, between, to), piece

    def _concentrations(self, to: str) -> Iterator[Offer]:
        """Into an area by as many as it takes: one, or the strongest two or three that are near."""
        held = self._view.status[to] == "enemy"
        if held and self._offensive == LIMITED and self._entered and to not in self._entered:
            return
        near = sorted(self._arrivals(to), key=lambda piece: (-piece.power.attack, piece.area, piece.place))
        fit = [piece for piece in near if piece.power.foot or not self._ground.is_held(to)]
        enters = to if held and to not in self._entered else ""
        room, group = self._room(to), list[Piece]()
        for piece in fit if room > 0 else ():
            yield self._attack([piece], to, enters)
            yield from self._with_rearguard(piece, to, enters)
            if self._view.status[to] == "friendly" and not self._own.get(to) and self._can_detach(piece):
                yield self._detachment(piece, to, 0.0)
        for piece in fit[:room] if self._offensive and self._ground.is_held(to) else ():
            group.append(piece)
            if len(group) > 1:
                yield self._attack(group, to, enters)

    def _attack(self, group: list[Piece], to: str, enters: str) -> Offer:
        first = self._after(group[:1], to)
        step = self._gain(first, enters)
        gain = step if len(group) == 1 else self._gain(self._after(group, to), enters)
        act = act_of(group[0], (group[0].area, to), "move")
        return Offer(gain, step, act, first, first[to][-1], enters)

    # ------------------------------------------------------------ rail, sea, strategic movement, reserves

    def _journeys(self) -> Iterator[Offer]:
        """4.4 to 4.6, 9.6 Longer ways for pieces behind the front."""
        for area, pieces in list(self._ready.items()):
            for piece in dict.fromkeys(pieces):
                if area == ENGLAND or self._ground.distance(area) > 0:
                    for mode, path in self._ways(area):
                        if self._room(path[-1]) > 0:
                            yield self._one(piece, path[-1], mode, path)

    def _ways(self, area: str) -> Iterator[tuple[Mode, tuple[str, ...]]]:
        view, pack = self._view, self._view.pack
        if area == ENGLAND:
            if not view.used.get("sea", 0):
                yield from (("sea", (area, port)) for port in pack.coastal_sources)
            return
        if view.used.get("rail", 0) < pack.meta.rail_moves:
            for path in self._tracks(area, pack.meta.rail_range):
                if len(path) > 2:
                    yield "rail", path
        if area in pack.sources["EN"] and view.used.get("strat", 0) < pack.meta.strategic_moves:
            ends = pack.sources["EN"] if self._ground.side == "EN" else ()
            yield from (("strat", (area, to)) for to in ends if to != area and view.status[to] == "friendly")

    def _tracks(self, area: str, most: int) -> Iterator[tuple[str, ...]]:
        """Shortest ways through Friendly areas in which there is room."""
        view = self._view
        found: dict[str, tuple[str, ...]] = {area: (area,)}
        edge = [area]
        for origin in edge:  # grows while it is read
            if len(found[origin]) > most:
                break
            for near in view.pack.areas[origin].adjacent:
                if near in found or near == BOX or view.status[near] != "friendly" or self._room(near) < 1:
                    continue
                found[near] = (*found[origin], near)
                edge.append(near)
        yield from (path for path in found.values() if len(path) > 1)


def act_of(piece: Piece, path: tuple[str, ...], mode: Mode) -> Move:
    if piece.place != LOOSE:
        return Move(path, army=piece.place, mode=mode)
    return Move(path, units=piece.group, mode=mode)


def ready_pieces(view: View, area: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """4.1-03 Those that have not moved in this Player Turn, nor carry anybody who has."""
    tired = [kind for kind, steps in view.budget.get(area, ()) if steps]
    found = []
    for piece in pieces:
        if piece.place != LOOSE:
            spent = view.army_steps.get(piece.place, 0) or piece.place in view.army_moved
            spent = spent or any(steps for _, steps in view.budget.get(piece.place, ()))
            found += [] if spent else [piece]
        elif piece.group[0][0] in tired:
            tired.remove(piece.group[0][0])
        else:
            found.append(piece)
    return tuple(found)
