"""Orders that are possible now: an attack on each front, moves, transfers, as the reader's view has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.games.first_world_war.answers import Attack, Move, Transfer
from engine.games.first_world_war.notation.writer import write_answer
from engine.games.first_world_war.view import View
from engine.kernel.game import Language
from engine.kernel.possible import PossibleOrders, written_once
from engine.kernel.requests import Answer, Ask

MOVES, TRANSFERS = 2, 1  # so many in a form, and an attack on each front


def possible(view: View, asks: Sequence[Ask], language: Language) -> Sequence[PossibleOrders]:
    """What each faction may do in its round; for other questions their answers."""
    return tuple(group for ask in asks for group in _of(view, ask, language))


def _of(view: View, ask: Ask, language: Language) -> Iterator[PossibleOrders]:
    answers = ask.options.describe()
    if ask.topic != "round.action":
        yield PossibleOrders("answer", _written(view, ask, answers, language), 0)  # the form has them
        return
    attacks = [one for one in answers if isinstance(one, Attack)]
    moves = [one for one in answers if isinstance(one, Move)]
    transfers = [one for one in answers if isinstance(one, Transfer)]
    shown = {"attack": len({one.front for one in attacks}), "move": MOVES, "transfer": TRANSFERS}
    found: dict[str, Sequence[Answer]] = {
        "attack": _strongest_first(attacks),
        "move": sorted(moves, key=lambda one: not _is_real(view, [c for c, _ in one.steps])),
        "transfer": sorted(transfers, key=lambda one: not _is_real(view, one.counters)),
    }
    for kind, some in found.items():
        yield PossibleOrders(kind, _written(view, ask, some, language), shown[kind])


def _strongest_first(attacks: Sequence[Attack]) -> list[Answer]:
    """On each front with all that can attack there; then the others."""
    whole: dict[int, Attack] = {}
    for one in attacks:
        if len(one.armies) > len(whole.get(one.front, one).armies) or one.front not in whole:
            whole[one.front] = one
    return [*whole.values(), *(one for one in attacks if one not in whole.values())]


def _is_real(view: View, counters: Sequence[str]) -> bool:
    """Armies alone; nobody likes to be shown dummies first."""
    return all(counter in view.pack.armies for counter in counters)


def _written(view: View, ask: Ask, answers: Sequence[Answer], language: Language) -> tuple[str, ...]:
    return written_once(write_answer(ask, answer, language, view) for answer in answers)
