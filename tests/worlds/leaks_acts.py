"""Leaks planted where a seat changes hands, somebody gives up, or the game goes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pytest import MonkeyPatch

from engine.kernel.game import Tempo
from pbem.campaigns import resignations
from pbem.campaigns.umpire import acts
from pbem.letters.memo import Memo
from pbem.letters.notices import handover_memo, resignation_memo
from pbem.verbs import leaving
from tests.worlds.acts import Kind
from tests.worlds.leaks import letters_of_others, plain, world
from tests.worlds.world import OF_OTHERS


@dataclass(frozen=True)
class PlantedAct:
    """A leak, the act that brings it out, and where in a letter it must be found."""

    plant: Callable[[MonkeyPatch], None]
    act: Kind
    channel: str  # a pattern of the message
    game: str = "fww"
    players: int | None = 4
    tempo: Tempo = "fast"
    seed: int = 0

    @property
    def name(self) -> str:
        return self.plant.__name__


def _with(memo: Memo, words: object) -> Memo:
    return replace(memo, parts=(*memo.parts, plain(words)))


def _in_notices(patch: MonkeyPatch, act: str, words: Callable[[], object]) -> None:
    notice = acts.act_notice

    def leaky(name: str, kept: Any, *more: Any) -> Memo:
        memo = notice(name, kept, *more)
        return _with(memo, words()) if kept.act == act else memo

    patch.setattr(acts, "act_notice", leaky)


def a_newcomer_with_their_address(patch: MonkeyPatch) -> None:
    _in_notices(patch, "replace", lambda: OF_OTHERS[world().number][2])


def a_rollback_that_counts_letters(patch: MonkeyPatch) -> None:
    _in_notices(patch, "rollback", letters_of_others)


def an_heir_with_their_address(patch: MonkeyPatch) -> None:
    def leaky(name: str, seat: str, to: str) -> Memo:
        return _with(handover_memo(name, seat, to), world().addresses[to])

    patch.setattr(leaving, "handover_memo", leaky)


def a_departure_with_what_lay_on_file(patch: MonkeyPatch) -> None:
    def leaky(*args: Any) -> Memo:
        return _with(resignation_memo(*args), letters_of_others())

    patch.setattr(leaving, "resignation_memo", leaky)


def a_wish_to_give_up_told_to_all(patch: MonkeyPatch) -> None:
    tell = resignations.tell_allies

    def leaky(service: Any, tx: Any, campaign: Any, stage: Any, who: str, allies: Any, until: Any) -> None:
        tell(service, tx, campaign, stage, who, world().begin.case.seats, until)

    patch.setattr(leaving, "tell_allies", leaky)


PLANTED_ACTS: tuple[PlantedAct, ...] = (
    PlantedAct(a_newcomer_with_their_address, "replace", "words"),
    PlantedAct(a_rollback_that_counts_letters, "rollback", "words"),
    PlantedAct(a_departure_with_what_lay_on_file, "resign", "words"),
    PlantedAct(an_heir_with_their_address, "handover", "words", "trench"),
    PlantedAct(a_wish_to_give_up_told_to_all, "resign in secret", "number of letters", "trench"),
)
