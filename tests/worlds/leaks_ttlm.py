"""Leaks of To the Last Man! planted on purpose in whole letters: closed armies, hands, the draw pile.

Each is one small change of ours, of the kind that a slip could make; the comparison must catch every one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from typing import Any

from pytest import MonkeyPatch

from engine.games.to_the_last_man import possible, report
from engine.games.to_the_last_man.answers import Move
from engine.games.to_the_last_man.facts.board import kinds
from engine.games.to_the_last_man.facts.force import UnitsPlaced, UnitsPlacedSeen
from engine.games.to_the_last_man.game import ToTheLastMan
from engine.games.to_the_last_man.notation import conditions
from engine.games.to_the_last_man.pack import load_pack
from engine.games.to_the_last_man.report import Report
from engine.games.to_the_last_man.rules import battles, cards
from engine.kernel.errors import Illegal
from engine.kernel.fairness import export
from engine.kernel.game import Tempo, Window
from engine.kernel.rehearsal import Rehearsal, rehearse
from engine.kernel.requests import Seat
from pbem.intake import filing
from pbem.letters import result
from pbem.letters.render import view_text
from pbem.mail.addresses import SeatAddresses
from pbem.verbs import status as standing
from tests.conformance.exchanges import Exchange, other_cards, other_hand_sizes, other_kinds, other_sizes
from tests.worlds.leaks import Planted, plain, with_drafts, world

MAP_WRITERS = ("pbem.letters.maps", "pbem.campaigns.results", "pbem.verbs.status")
Position = Mapping[str, Any]


# ------------------------------------------------------------------ what may not be known


def position() -> Position:
    """Where all lay when the world at work began."""
    here = world()
    return _loaded(here.begin.positions[here.number])


@cache
def _loaded(data: bytes) -> Position:
    found: Position = json.loads(data)
    return found


def enemy() -> str:
    return world().others[0]


def hand() -> list[str]:
    """Kinds of the cards that the enemy holds."""
    return [card.partition(".")[0] for card in position()["hands"][enemy()]]


def strength(area: str) -> int:
    """Of all the enemy's armies there."""
    here, side_of = position(), load_pack().side_of
    armies = [army for army, at in here["army_at"].items() if at == area and side_of[army] == enemy()]
    return sum(len(here["contents"][army]) for army in armies)


def digest(*names: str) -> int:
    """A number that depends on these parts of the position, by kind."""
    told = json.dumps([position()[name] for name in names], sort_keys=True)
    return sha256(told.encode()).digest()[0]


def opened(view: Any) -> Any:
    """The view with everything that armies hold."""
    there = position()["contents"]
    return replace(view, contents={army: kinds(there.get(army, ())) for army in view.army_at})


# ------------------------------------------------------------------ armies


def armies_in_the_words_of_the_map(patch: MonkeyPatch) -> None:
    _with_maps(patch, "map_text")


def armies_in_the_picture(patch: MonkeyPatch) -> None:
    """Its bars of strength, of both sides."""
    _with_maps(patch, "map_png")


def _with_maps(patch: MonkeyPatch, name: str) -> None:
    for module in MAP_WRITERS:
        made: Callable[..., Any] = getattr(import_module(module), name)
        leaky = partial(_opened_map, made)
        patch.setattr(f"{module}.{name}", leaky)


def _opened_map(made: Callable[..., Any], game: Any, view: Any, *more: Any) -> Any:
    return made(game, opened(view), *more)


def orders_offered_by_strength(patch: MonkeyPatch) -> None:
    """The form lists first what meets least resistance."""
    made = possible._nearness

    def nearness(view: Any, act: Any) -> Any:
        return made(view, act), strength(act.path[-1]) if isinstance(act, Move) else 0

    patch.setattr(possible, "_nearness", nearness)


def armies_in_every_view(patch: MonkeyPatch) -> None:
    """11.2-02 Templates lie open, whatever was agreed."""
    contents = report._contents
    patch.setattr(report, "_contents", lambda state, side: contents(state, "GE") | contents(state, "EN"))


def areas_listed_by_strength(patch: MonkeyPatch) -> None:
    """Nothing is added: only which line comes first tells where the enemy is strong."""

    def leaky(game: Any, view: Any, phrases: Any) -> str:
        lines = view_text(game, view, phrases).splitlines()
        places = [n for n, line in enumerate(lines) if line[:3] in view.pack.areas and line[3:4] == " "]
        rows = sorted((lines[n] for n in places), key=lambda line: -strength(line[:3]))
        for n, row in zip(places, rows, strict=True):
            lines[n] = row
        return "\n".join(lines) + "\n"

    patch.setattr(result, "view_text", leaky)


def a_length_by_strength(patch: MonkeyPatch) -> None:
    """Dots at the end, as many as the strongest armies make it."""

    def leaky(draft: Any) -> Any:
        held = position()["contents"].values()
        return replace(draft, text=draft.text + "." * (sum(len(there) ** 2 for there in held) % 97))

    with_drafts(patch, leaky)


def odds_from_what_armies_hold(patch: MonkeyPatch) -> None:
    """Those who might come are counted, too."""
    odds = ToTheLastMan.odds

    def leaky(self: ToTheLastMan, view: Any, question: str) -> Any:
        found = odds(view, question)
        near = () if found is None else (found.area, *view.pack.areas[found.area].adjacent)
        return found and replace(found, dice=found.dice + sum(strength(area) for area in near))

    patch.setattr(ToTheLastMan, "odds", leaky)


def a_trial_that_looks_into_armies(patch: MonkeyPatch) -> None:
    """CHECK: whether a line is found good depends on the enemy's strength beside the area that it names."""

    def leaky(table: Any, *args: Any) -> Any:
        areas, found = table.pack.areas, []
        for one in rehearse(table, *args).verdicts:
            named = [area for area in areas if area in one.line.write("en")]
            near = sum(strength(beside) for area in named for beside in (area, *areas[area].adjacent))
            found.append(replace(one, status="accepted" if near % 2 else "untested", refusal=None))
        return Rehearsal(tuple(found))

    patch.setattr(filing, "rehearse", leaky)


def a_refusal_with_what_is_there(patch: MonkeyPatch) -> None:
    """It names an area that depends on it."""

    def leaky(*args: Any) -> Any:
        refusal = Illegal("TTLM-4.2-02", "disputed-to-enemy", {"origin": "MET", "to": _area()})
        found = rehearse(*args).verdicts
        return Rehearsal(tuple(replace(one, status="refused", refusal=refusal) for one in found))

    patch.setattr(filing, "rehearse", leaky)


def _area() -> str:
    areas: tuple[str, ...] = tuple(load_pack().areas)
    return areas[digest("contents") % len(areas)]


def a_condition_that_looks_into_armies(patch: MonkeyPatch) -> None:
    """ENEMY counts what closed armies hold."""
    values = {**conditions._VALUES, "ENEMY": lambda ask, view, area: strength(area)}
    patch.setattr(conditions, "_VALUES", values)


def counters_placed_where_all_can_see(patch: MonkeyPatch) -> None:
    """The area of the army that took them in is told."""

    def leaky(self: UnitsPlaced) -> Any:
        return UnitsPlacedSeen(self.side, kinds(self.units), self.area, self.built)

    patch.setattr(UnitsPlaced, "redacted", leaky)


def an_observer_beside_the_entente(patch: MonkeyPatch) -> None:
    """Whoever holds no seat looks from its side, and into its armies and its hand."""
    view = Report.__call__
    patch.setattr(Report, "__call__", lambda self, seat: view(self, seat or Seat("EN")))


def a_pause_by_what_armies_hold(patch: MonkeyPatch) -> None:
    """Both are waited for if the enemy has something to shift."""
    window = ToTheLastMan.window

    def leaky(self: ToTheLastMan, state: Any, ask: Any, tempo: Tempo) -> Window:
        plain_one = window(state, ask, tempo)
        both = (Seat("EN"), Seat("GE")) if digest("contents") % 2 else plain_one.seats
        return replace(plain_one, seats=both)

    patch.setattr(ToTheLastMan, "window", leaky)


# ------------------------------------------------------------------ cards


def a_count_of_cards_of_a_kind(patch: MonkeyPatch) -> None:
    own = standing.own_file
    patch.setattr(standing, "own_file", lambda *args: (*own(*args), plain(hand().count("OFF"))))


def what_the_enemy_might_play(patch: MonkeyPatch) -> None:
    """Questions are foretold if his hand has the cards for them."""
    forecast = ToTheLastMan.forecast

    def leaky(self: ToTheLastMan, *args: Any) -> Any:
        return forecast(*args)[: len(set(hand()))]

    patch.setattr(ToTheLastMan, "forecast", leaky)


def the_size_of_a_hidden_hand(patch: MonkeyPatch) -> None:
    """11.2-01 Sizes are told, whatever was agreed."""

    def leaky(self: Report, seat: Seat) -> Any:
        return {side: len(held) for side, held in self._state.hands.items()}

    patch.setattr(Report, "_hand_sizes", leaky)


def a_pause_only_with_the_card_in_hand(patch: MonkeyPatch) -> None:
    """9.5 The defender is asked about the weather if he holds Bad Weather."""
    patch.setattr(battles, "might_have_cards", lambda state, side: "BAD" in cards.hand(state, side))


def a_message_id_from_the_hand(patch: MonkeyPatch) -> None:
    message_id = SeatAddresses.message_id

    def leaky(self: SeatAddresses, campaign: str, seat: str, kind: str, number: int) -> str:
        return message_id(self, campaign, seat, f"{kind}{digest('hands')}", number)

    patch.setattr(SeatAddresses, "message_id", leaky)


def the_pile_under_a_bare_hash(patch: MonkeyPatch) -> None:
    """The audit names it without a nonce: whoever tries all orders of a few cards knows them."""
    shown = export._shown

    def leaky(record: Any) -> Any:
        pile = sha256(" ".join(position()["deck"]).encode())
        return {**shown(record), "pile": pile.hexdigest()}

    patch.setattr(export, "_shown", leaky)


def the_next_card_in_the_audit(patch: MonkeyPatch) -> None:
    """Its kind, one byte of it."""
    shown = export._shown
    patch.setattr(export, "_shown", lambda record: {**shown(record), "next": digest("deck")})


def bad_weather(state: Any, seat: Seat, groups: Any, rng: Any) -> Exchange | None:
    """The enemy, who has no Bad Weather, holds one, and there are areas to fight for."""
    kind, held = state.pack.cards, state.hands["EN" if seat == "GE" else "GE"]
    deep = [card for card in state.deck[len(state.deck) // 2 :] if kind[card] == "BAD"]
    if not held or not deep or any(kind[card] == "BAD" for card in held) or state.phasing == seat:
        return None
    fought = [area for area in state.pack.areas if battles.is_shared(state, area)]
    one, other = rng.choice(held), deep[0]
    return Exchange({one: other, other: one}) if fought and state.turn > 1 else None


ALL_ODDS = ("\n".join(f"ODDS BATTLE {area}" for area in load_pack().areas),)
HIDDEN: Any = {"game": "ttlm", "players": None, "scenario": "1914"}  # closed armies
SIZES: Any = {**HIDDEN, "pick": other_sizes}
KINDS: Any = {**HIDDEN, "pick": other_kinds}
CARDS: Any = {**HIDDEN, "pick": other_cards}
WEATHER: Any = {**HIDDEN, "pick": bad_weather}
UNCOUNTED: Any = {**HIDDEN, "scenario": "1918", "pick": other_hand_sizes}  # sizes of hands are hidden

PLANTED_TTLM: tuple[Planted, ...] = (
    Planted(armies_in_the_words_of_the_map, "words", ("MAP",), **SIZES),
    Planted(armies_in_the_picture, "words", ("MAP",), **SIZES),
    Planted(armies_in_every_view, "words", **SIZES),
    Planted(orders_offered_by_strength, "words", ("POSSIBLE",), **SIZES),
    Planted(areas_listed_by_strength, "words", **SIZES),
    Planted(a_length_by_strength, "words", seed=2, long=True, **SIZES),
    Planted(odds_from_what_armies_hold, "words", ALL_ODDS, **SIZES),
    Planted(a_trial_that_looks_into_armies, "words", (), long=True, **SIZES),
    Planted(a_refusal_with_what_is_there, "words", (), **KINDS),
    Planted(a_condition_that_looks_into_armies, "words", (), windows=3, long=True, **SIZES),
    Planted(counters_placed_where_all_can_see, "words", windows=2, seed=46, long=True, **CARDS),
    Planted(an_observer_beside_the_entente, "words", **SIZES),
    Planted(a_pause_by_what_armies_hold, "pauses", seed=3, long=True, **KINDS),
    Planted(a_count_of_cards_of_a_kind, "words", seed=1, **CARDS),
    Planted(what_the_enemy_might_play, "words", seed=1, **CARDS),
    Planted(the_size_of_a_hidden_hand, "words", long=True, **UNCOUNTED),
    Planted(a_pause_only_with_the_card_in_hand, "pauses", windows=3, seed=12, long=True, **WEATHER),
    Planted(a_message_id_from_the_hand, "envelope", **CARDS),
    Planted(the_pile_under_a_bare_hash, "words", **CARDS),
    Planted(the_next_card_in_the_audit, "words", long=True, **CARDS),
)
