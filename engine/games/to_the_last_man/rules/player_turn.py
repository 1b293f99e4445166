"""2.II.1, 2.II.2, 2.III, 2.IV The frame of a Player Turn: Offensive or Pass, movement, battles, its end."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.to_the_last_man import order_of_play
from engine.games.to_the_last_man.answers import Side, TurnGiven
from engine.games.to_the_last_man.facts.board import MarkersRemoved
from engine.games.to_the_last_man.facts.season import PhaseBegan, PlayerTurnBegan, PlayerTurnEnded
from engine.games.to_the_last_man.rules.areas import friendly_areas
from engine.games.to_the_last_man.rules.battles import declare_battles
from engine.games.to_the_last_man.rules.cards import (
    CardLists,
    discard_cards,
    draw_for_later,
    is_offensive,
    offensives,
    play_card,
    whole_hand,
)
from engine.games.to_the_last_man.rules.crisis import crisis_moment
from engine.games.to_the_last_man.rules.movement import movement_phase
from engine.games.to_the_last_man.rules.victory import count_victory
from engine.games.to_the_last_man.state import State
from engine.games.to_the_last_man.windows import other
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Options, Procedure, Rng, Seat, Step

PASSES_TO_END = 2  # 2.IV-01


def player_turn(state: State, turn: int, number: int, side: Side) -> Procedure:
    """2.II Up to and including Declare Battles; each battle is a segment of its own."""
    key = order_of_play.player_turn(turn, number, side).key
    yield PlayerTurnBegan(side, number, friendly_areas(state, side))
    yield from offensive_or_pass(state, side, key)
    yield from crisis_moment(state, side, "start", key)
    yield PhaseBegan("moves")
    yield from movement_phase(state, side)
    yield from crisis_moment(state, side, "moves", key)
    if not state.offensive:
        yield from exchange_cards(state, side, key)
        return order_of_play.turn_end(state)
    yield from declare_battles(state)
    return order_of_play.after_battle(state)


def offensive_or_pass(state: State, side: Side, key: str) -> Step:
    """2.II.1-02 to -04, 2.IV-03 One Offensive-type card, or a Pass; a side without cards passes too."""
    card = yield Ask(
        Seat(side), "turn.card", key, TurnGiven(side), OffensiveCards(state, side), default=None, secret=True
    )
    if card is not None:
        yield from play_card(state, side, card, "offensive")


def exchange_cards(state: State, side: Side, key: str) -> Step:
    """2.II.1-08, -09 A passing side that played no card may discard some and draw as many.

    The discards lie on their pile before the first draw.
    """
    if state.cards_played or not (state.hands[side] or state.options["hidden_hand_size"]):
        return
    held = whole_hand(state, side)
    dropped = yield Ask(
        Seat(side),
        "turn.discard",
        key,
        TurnGiven(side),
        CardLists(held, 0, len(held), "TTLM-2.II.1-08"),
        default=(),
        secret=True,
    )
    yield from discard_cards(state, side, dropped, "pass")
    yield from draw_for_later(state, side, len(dropped))


def end_player_turn(state: State) -> Procedure:
    """2.III, 2.IV The other side's turn comes, or production after two passes in a row."""
    side, key = state.phasing, order_of_play.turn_end(state).key
    assert side != ""
    yield PhaseBegan("end")
    if state.retreated:
        yield MarkersRemoved()
    if state.offensive:
        yield from crisis_moment(state, side, "combat", key)
    passed = not state.offensive  # 2.IV-02 a Limited Offensive that the weather stopped is no Pass
    yield PlayerTurnEnded(side, passed, state.passes + 1 if passed else 0)
    if (yield from count_victory(state)):
        return None
    if state.passes >= PASSES_TO_END:
        return order_of_play.production(state.turn)
    return order_of_play.player_turn(state.turn, state.number + 1, other(side))


class OffensiveCards(Options):
    """2.II.1-02 An Offensive-type card in hand, or None: pass."""

    __slots__ = ("_side", "_state")

    def __init__(self, state: State, side: Side) -> None:
        self._state, self._side = state, side

    def why_not(self, answer: Answer) -> Refusal | None:
        if answer is None:
            return None
        if not isinstance(answer, str) or answer not in self._state.pack.card_kinds:
            return Illegal("TTLM-2.II.1-02", "no-such-card")
        legal = tuple(offensives(self._state, self._side))
        if not is_offensive(self._state, answer):
            return Illegal("TTLM-2.II.1-02", "no-offensive-card", {"card": answer, "legal": legal})
        if answer not in legal:
            return Illegal("TTLM-2.II.1-02", "not-in-hand", {"card": answer, "legal": legal})
        return None

    def sample(self, rng: Rng) -> Answer:
        return rng.choice(self.describe())

    def only(self) -> tuple[Answer] | None:
        return (None,) if len(self.describe()) == 1 else None

    def describe(self) -> Sequence[Answer]:
        return (None, *offensives(self._state, self._side))
