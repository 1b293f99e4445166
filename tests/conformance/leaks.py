"""Leaks planted on purpose, each a small change of the game or the kernel: every one must be noticed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from pytest import MonkeyPatch

from engine.games.first_world_war.facts.board import CountersMoved, MoversTurnedDown
from engine.games.first_world_war.rules import tiles
from engine.kernel import rehearsal
from engine.kernel.briefing import GRAVE, MINOR, NOTABLE, BriefingItem
from engine.kernel.errors import Refusal
from engine.kernel.fairness import export
from engine.kernel.game import Game, Tempo, Window
from engine.kernel.requests import Answer, Ask, Choice, Options, Rng, Roll, Seat, Step, Together
from engine.kernel.sheet import FiledAnswer
from engine.kernel.table import Table
from engine.kernel.visibility import Disclosure
from tests.conformance import worlds
from tests.conformance.exchanges import Pick, emptied_front, other_tiles
from tests.conformance.sitting import Altered, with_rules
from tests.kernel import toy

Plant = Callable[[Game, MonkeyPatch], Game]


@dataclass(frozen=True)
class Planted:
    """A leak, where it is planted, and the channel in which it must be found."""

    plant: Plant
    games: tuple[str, ...]
    tempos: tuple[Tempo, ...]
    channel: str  # a pattern of the message
    pick: Pick | None = None

    @property
    def name(self) -> str:
        return self.plant.__name__


# ------------------------------------------------------------------ what a seat may not know


def secret_of(game: str, state: Any, seat: Seat) -> tuple[str, ...]:
    """Hidden ids in the order of their places: another exchange, another secret."""
    if game == "toy":
        return tuple(card for one in toy.SEATS if one != seat for card in state.hands[one])
    own = {faction for faction, holder in state.seats.items() if holder == seat}
    colour = state.pack.faction_of
    counters = [f"{n}:{c}" for n, there in state.fronts.items() for c in there if colour[c] not in own]
    return (*counters, *(f"{f}:{tile}" for f, hand in state.hands.items() if f not in own for tile in hand))


def digest(game: str, state: Any, seat: Seat) -> int:
    return sha256(repr(secret_of(game, state, seat)).encode()).digest()[0]


def with_asks(game: Game, alter: Callable[[Any, Ask], Ask]) -> Game:
    """The game with every question passed through `alter`."""

    def rewrite(state: Any, request: Any) -> Any:
        if isinstance(request, Together):
            return Together(tuple(alter(state, ask) for ask in request.asks))
        return alter(state, request) if isinstance(request, Ask) else request

    return with_rules(game, rewrite)


@dataclass(frozen=True)
class Wordy(Options):
    """Options with something added to what they say."""

    options: Options
    added: tuple[str, ...] = ()
    turned: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.options, name)

    def why_not(self, answer: Any) -> Refusal | None:
        refusal = self.options.why_not(answer)
        if refusal is None or not self.added:
            return refusal
        return replace(refusal, facts={**refusal.facts, "there": self.added})

    def sample(self, rng: Rng) -> Answer:
        return self.options.sample(rng)

    def only(self) -> tuple[Answer] | None:
        return self.options.only()

    def describe(self) -> list[Any]:
        described = list(self.options.describe())
        turned = self.turned % len(described)
        return described[turned:] + described[:turned]


# ------------------------------------------------------------------ in views


def a_view_with_a_hidden_id(game: Game, patch: MonkeyPatch) -> Game:
    name = {"toy": "muttered", "fww": "tiles_out"}[game.id]

    def view(state: Any, seat: Seat) -> Any:
        seen = game.view(state, seat)
        return replace(seen, **{name: (*getattr(seen, name), *secret_of(game.id, state, seat))})

    return Altered(game, view=view)  # type: ignore[return-value]  # it is asked like a game


def a_view_with_the_real_numbers(game: Game, patch: MonkeyPatch) -> Game:
    """Dummies are not counted."""

    def view(state: Any, seat: Seat) -> Any:
        counts = {n: {f: len(state.reals(n, (f,))) for f in state.seats} for n in state.fronts}
        return replace(game.view(state, seat), counts=counts)

    return Altered(game, view=view)  # type: ignore[return-value]  # it is asked like a game


def an_order_that_tells(game: Game, patch: MonkeyPatch) -> Game:
    """Nothing is added; only what is listed first depends on hidden pieces."""
    name = {"toy": "score", "fww": "vp"}[game.id]

    def turned(value: Any) -> Any:
        return dict(reversed(value.items())) if isinstance(value, dict) else value[::-1]

    def view(state: Any, seat: Seat) -> Any:
        seen = game.view(state, seat)
        is_odd = digest(game.id, state, seat) % 2
        return replace(seen, **{name: turned(getattr(seen, name))}) if is_odd else seen

    return Altered(game, view=view)  # type: ignore[return-value]  # it is asked like a game


# ------------------------------------------------------------------ in questions


def a_question_only_when_a_tile_fits(game: Game, patch: MonkeyPatch) -> Game:
    ask_for_tile = tiles.place_tile

    def place_tile(state: Any, role: Any, given: Any, at: str, plan: str = "") -> Step:
        participants = given.attackers if role == "attack" else given.defenders
        if not any(tiles.fits(state, tile, role, participants) for tile in tiles.hand(state, given.faction)):
            return None
        return (yield from ask_for_tile(state, role, given, at, plan))

    patch.setattr(tiles, "place_tile", place_tile)
    return game


def even_cards_only(game: Game) -> Game:
    """A rule, not a leak: only cards of even number may be dropped, so there may be nothing to choose."""

    def alter(state: Any, ask: Ask) -> Ask:
        if ask.topic != "drop":
            return ask
        even = [card for card in ask.options.describe() if card is None or int(card[1:]) % 2 == 0]
        return replace(ask, options=Choice(tuple(even), "TOY-4"))

    return with_asks(game, alter)


def a_secret_question_taken_as_forced(game: Game, patch: MonkeyPatch) -> Game:
    settle = Table._settle

    def leaky(self: Table, question: str, ask: Ask, closed: bool) -> Any:
        only = ask.options.only()
        return settle(self, question, ask, closed) if only is None else FiledAnswer(only[0], "forced")

    patch.setattr(Table, "_settle", leaky)
    return even_cards_only(game)


def a_standing_order_that_skips_the_pause(game: Game, patch: MonkeyPatch) -> Game:
    from_file = Table._from_file

    def leaky(self: Table, on_file: Any, question: str, ask: Ask, view: Any, closed: bool) -> Any:
        return from_file(self, on_file, question, replace(ask, secret=False), view, closed)

    patch.setattr(Table, "_from_file", leaky)
    return game


def a_refusal_with_a_hidden_id(game: Game, patch: MonkeyPatch) -> Game:
    def alter(state: Any, ask: Ask) -> Ask:
        if ask.topic == "deploy":  # its order lines want the game's own options
            return ask
        return replace(ask, options=Wordy(ask.options, secret_of(game.id, state, ask.seat)))

    return with_asks(game, alter)


def options_listed_in_an_order_that_tells(game: Game, patch: MonkeyPatch) -> Game:
    def alter(state: Any, ask: Ask) -> Ask:
        if ask.topic == "deploy":
            return ask
        return replace(ask, options=Wordy(ask.options, turned=digest(game.id, state, ask.seat)))

    return with_asks(game, alter)


def a_default_from_hidden_pieces(game: Game, patch: MonkeyPatch) -> Game:
    def alter(state: Any, ask: Ask) -> Ask:
        described = list(ask.options.describe())
        chosen = described[digest(game.id, state, ask.seat) % len(described)]
        return ask if ask.volunteer else replace(ask, default=chosen)

    return with_asks(game, alter)


def a_window_that_tells(game: Game, patch: MonkeyPatch) -> Game:
    """Who is waited for depends on hidden pieces."""

    def window(state: Any, ask: Ask, tempo: Tempo) -> Window:
        plain = game.window(state, ask, tempo)
        others = tuple(sorted(set(game.seats(SETTINGS[game.id])) - {ask.seat}))
        odd = digest(game.id, state, others[0]) % 2
        return replace(plain, key=f"{plain.key}!") if odd else plain

    return Altered(game, window=window)  # type: ignore[return-value]  # it is asked like a game


# ------------------------------------------------------------------ in facts, rolls and the audit


def a_redacted_fact_with_an_id(game: Game, patch: MonkeyPatch) -> Game:
    if game.id == "toy":
        patch.setattr(toy.CardTaken, "redacted", lambda self: toy.Vanished(self.card))
    else:
        patch.setattr(
            CountersMoved, "redacted", lambda self: MoversTurnedDown(tuple(c for c, _ in self.steps))
        )
    return game


def a_roll_label_with_an_id(game: Game, patch: MonkeyPatch) -> Game:
    def rewrite(state: Any, request: Any) -> Any:
        if not isinstance(request, Roll):
            return request
        hidden = [one for seat in toy.SEATS for one in state.hands[seat]] if game.id == "toy" else []
        for front in [] if game.id == "toy" else state.fronts.values():
            hidden += [c for c in front if c not in state.face_up]
        return replace(request, why=f"{request.why}.{'.'.join(hidden)}")

    return with_rules(game, rewrite)


def a_draws_place_in_the_record(game: Game, patch: MonkeyPatch) -> Game:
    """Where in the sorted cup the drawn piece lay tells what else lies in it."""
    deal = Disclosure._draw

    def leaky(self: Disclosure, line: Any) -> None:
        self.public.append({"k": "drawn", "place": [line["from"].index(item) for item in line["items"]]})
        deal(self, line)

    patch.setattr(Disclosure, "_draw", leaky)
    return game


def the_number_of_private_lines(game: Game, patch: MonkeyPatch) -> Game:
    shown = export._shown

    def leaky(record: Any) -> Any:
        counted = {reader: len(json.loads(lines)) for reader, lines in record.private.items()}
        return {**shown(record), "lines": counted}

    patch.setattr(export, "_shown", leaky)
    return game


# ------------------------------------------------------------------ in what may be asked for


def odds_from_the_true_state(game: Game, patch: MonkeyPatch) -> Game:
    states: dict[str, Any] = {}

    def view(state: Any, seat: Seat) -> Any:
        states[seat] = state
        return game.view(state, seat)

    def odds(view: Any, line: str) -> Any:
        return [digest(game.id, states[view.seat], view.seat)]

    return Altered(game, view=view, odds=odds)  # type: ignore[return-value]  # it is asked like a game


# ------------------------------------------------------------------ in what a letter begins with


def _with_states(game: Game, brief: Callable[[Any, Any, Any, Any], Any]) -> Game:
    """The game with a briefing that is handed the state behind the view as well."""
    states: dict[Seat, Any] = {}

    def view(state: Any, seat: Seat) -> Any:
        states[seat] = state
        return game.view(state, seat)

    def leaky(before: Any, view: Any, facts: Any) -> Any:
        return brief(states[view.seat], before, view, facts)

    return Altered(game, view=view, brief=leaky)  # type: ignore[return-value]  # it is asked like a game


def a_briefing_that_counts_hidden_pieces(game: Game, patch: MonkeyPatch) -> Game:
    """Whether a threat is told depends on hidden pieces."""

    def brief(state: Any, before: Any, view: Any, facts: Any) -> Any:
        items = tuple(game.brief(before, view, facts))
        more = BriefingItem(kind="threat", tone="threat", weight=NOTABLE)
        return (*items, more) if digest(game.id, state, view.seat) % 2 else items

    return _with_states(game, brief)


def a_headline_that_names_a_hidden_piece(game: Game, patch: MonkeyPatch) -> Game:
    def brief(state: Any, before: Any, view: Any, facts: Any) -> Any:
        named = {"lost": secret_of(game.id, state, view.seat)[-1:]}
        told = BriefingItem(kind="armies-lost", tone="loss", weight=GRAVE, given=named)
        return (told, *game.brief(before, view, facts))

    return _with_states(game, brief)


def a_briefing_in_an_order_that_tells(game: Game, patch: MonkeyPatch) -> Game:
    """The same items; which of two is heavier depends on hidden pieces."""

    def brief(state: Any, before: Any, view: Any, facts: Any) -> Any:
        heavy = digest(game.id, state, view.seat) % 2
        more = [BriefingItem(kind=f"news-{n}", tone="news", weight=MINOR + (n == heavy)) for n in range(2)]
        return (*game.brief(before, view, facts), *more)

    return _with_states(game, brief)


def a_briefing_from_facts_of_others(game: Game, patch: MonkeyPatch) -> Game:
    """It is handed what the seat may not read, as if letters forgot to redact."""
    patch.setattr(worlds, "fact_for", lambda fact, seat: fact)

    def brief(before: Any, view: Any, facts: Any) -> Any:
        told = [repr(fact) for fact in facts if view.seat not in (fact.audience or (view.seat,))]
        items = [BriefingItem(kind="news", tone="news", weight=MINOR, given={"told": one}) for one in told]
        return (*game.brief(before, view, facts), *items)

    return Altered(game, brief=brief)  # type: ignore[return-value]  # it is asked like a game


def a_rehearsal_past_a_reveal(game: Game, patch: MonkeyPatch) -> Game:
    patch.setattr(rehearsal._Rehearsal, "_fact", Table._fact)
    return game


def a_rehearsal_past_others_questions(game: Game, patch: MonkeyPatch) -> Game:
    """The others' standing orders and defaults answer in it, and dice fall."""
    seat_only = rehearsal._Rehearsal._settle

    def settle(self: Any, question: str, ask: Ask, closed: bool) -> Any:
        return (
            FiledAnswer(ask.default, "default")
            if ask.seat != self.seat
            else seat_only(self, question, ask, closed)
        )

    own_ways = {
        "_settle": settle,
        "_settle_all": Table._settle_all,
        "_fact": Table._fact,
        "_chance": Table._chance,
    }
    for name, own in own_ways.items():
        patch.setattr(rehearsal._Rehearsal, name, own)
    return game


SETTINGS: dict[str, Any] = {}
BOTH = ("toy", "fww")
STRICT: tuple[Tempo, ...] = ("strict",)
ALL_TEMPOS: tuple[Tempo, ...] = ("fast", "react", "strict")

PLANTED: tuple[Planted, ...] = (
    Planted(a_view_with_a_hidden_id, BOTH, ALL_TEMPOS, "view"),
    Planted(a_view_with_the_real_numbers, ("fww",), ("react",), "view"),
    Planted(an_order_that_tells, BOTH, ("react",), "view"),
    Planted(a_question_only_when_a_tile_fits, ("fww",), STRICT, "told|verdicts", other_tiles),
    Planted(a_secret_question_taken_as_forced, ("toy",), STRICT, "told"),
    Planted(a_standing_order_that_skips_the_pause, ("toy",), STRICT, "told"),
    Planted(a_standing_order_that_skips_the_pause, ("fww",), STRICT, "told|verdicts", other_tiles),
    Planted(a_refusal_with_a_hidden_id, BOTH, ("react", "strict"), "refusals|verdicts"),
    Planted(options_listed_in_an_order_that_tells, BOTH, ("react",), "options"),
    Planted(a_default_from_hidden_pieces, BOTH, ("fast", "strict"), "default"),
    Planted(a_window_that_tells, BOTH, ALL_TEMPOS, "told|verdicts"),
    Planted(a_redacted_fact_with_an_id, BOTH, ("fast", "strict"), "told"),
    Planted(a_roll_label_with_an_id, BOTH, ("react",), "told"),
    Planted(a_draws_place_in_the_record, ("toy",), ("react", "strict"), "audit"),
    Planted(the_number_of_private_lines, BOTH, ("react",), "audit"),
    Planted(odds_from_the_true_state, BOTH, ("react",), "odds"),
    Planted(a_briefing_that_counts_hidden_pieces, BOTH, ("react",), "briefing"),
    Planted(a_headline_that_names_a_hidden_piece, BOTH, ("fast",), "briefing"),
    Planted(a_briefing_in_an_order_that_tells, BOTH, ("strict",), "briefing"),
    Planted(a_briefing_from_facts_of_others, BOTH, ("fast",), "briefing"),
    Planted(a_rehearsal_past_a_reveal, ("fww",), STRICT, "verdicts", emptied_front),
    Planted(a_rehearsal_past_others_questions, ("fww",), STRICT, "verdicts", emptied_front),
)


def plantings() -> Iterator[tuple[Planted, str, Tempo]]:
    for planted in PLANTED:
        for game in planted.games:
            for tempo in planted.tempos:
                yield planted, game, tempo
