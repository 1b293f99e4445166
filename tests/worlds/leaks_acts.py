"""Leaks planted where a seat changes hands, somebody gives up, the game goes back, or letters go astray."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal

from pytest import MonkeyPatch

from engine.kernel.game import Tempo
from engine.notation.reasons import CONTRADICTION
from pbem.campaigns import resignations
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.notify import tell
from pbem.campaigns.umpire import acts
from pbem.intake import gathering, reply, shunting
from pbem.intake.reply import ANSWERS_AN_HOUR
from pbem.letters import receipt
from pbem.letters.memo import Memo
from pbem.letters.notices import handover_memo, proposal_memo, resignation_memo
from pbem.store.windows import read_orders
from pbem.verbs import consent, information, leaving, status
from tests.worlds.acts import Kind
from tests.worlds.leaks import letters_of_others, plain, world
from tests.worlds.world import NAME, OF_OTHERS
from tests.worlds.writing import BAD_LINE, CONTRADICTIONS, SIDE_LINES, Noise, Words


@dataclass(frozen=True)
class PlantedAct:
    """A leak, the act that brings it out, and where in a letter it must be found."""

    plant: Callable[[MonkeyPatch], None]
    act: Kind | Literal[""]
    channel: str  # a pattern of the message
    game: str = "fww"
    players: int | None = 4
    tempo: Tempo = "fast"
    seed: int = 0
    aside: Noise | None = None  # or what somebody else writes in one world alone
    letters: tuple[Words, ...] = ()  # of the reader; none: any
    long: bool = False  # tried by `make long` alone

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


def a_proposal_that_counts_letters(patch: MonkeyPatch) -> None:
    def leaky(*args: Any, **facts: Any) -> Memo:
        return _with(proposal_memo(*args, **facts), letters_of_others())

    patch.setattr(consent, "proposal_memo", leaky)


# ------------------------------------------------------------------ of those who held the seat before


def a_newcomer_who_reads_old_marks(patch: MonkeyPatch) -> None:
    """SALT and Message-IDs of the former holder."""
    patch.setattr(information, "marks_of_others", lambda *args: frozenset())


def a_newcomer_who_reads_old_questions(patch: MonkeyPatch) -> None:
    patch.setattr(information, "OF_THE_HOLDER", ())


# ------------------------------------------------------------------ letters that go astray


def a_shunted_letter_told_to_all(patch: MonkeyPatch) -> None:
    def leaky(service: Any, tx: Any, memo: Memo) -> None:
        terms = load_campaign(tx, NAME).terms
        tell(service, tx, terms, NAME, lambda recipient: memo)

    patch.setattr(shunting, "tell_umpires", leaky)


def limits_that_all_share(patch: MonkeyPatch) -> None:
    """Who writes much makes others wait for their answers."""
    for module in (reply, gathering):
        patch.setattr(module, "counted_as", lambda recipient: recipient.campaign)
        patch.setattr(module, "HOUR", timedelta(days=9))


def a_side_line_that_ends_the_turn(patch: MonkeyPatch) -> None:
    patch.setattr(Campaign, "_makes_turn", lambda *args: True)


def a_status_that_counts_held_sheets(patch: MonkeyPatch) -> None:
    own = status.own_file

    def leaky(*args: Any) -> Any:
        filed = read_orders(world().db, NAME).seats.values()
        held = sum(one.sheet is not None and one.sheet.held for one in filed)
        return (*own(*args), plain(held))

    patch.setattr(status, "own_file", leaky)


# ------------------------------------------------------------------ receipts


def a_contradiction_that_counts_letters(patch: MonkeyPatch) -> None:
    reason = receipt._reason

    def leaky(refusal: Any, phrases: Any) -> str:
        counted = f" {letters_of_others()}" if refusal.reason == CONTRADICTION else ""
        return reason(refusal, phrases) + counted

    patch.setattr(receipt, "_reason", leaky)


def an_edited_form_that_counts_letters(patch: MonkeyPatch) -> None:
    told = receipt._told
    patch.setattr(receipt, "_edits", lambda line, read: [*map(told, read.edits), plain(letters_of_others())])


STATUS = (Words("STATUS"),)
BOTH = (Words(f"ORDERS {NAME}\n{SIDE_LINES['fww']}\n{CONTRADICTIONS['fww']}\nEND"),)
EDITED = (Words(f"ORDERS {NAME}\n{SIDE_LINES['fww']}\nEND", {"how": "edited"}),)
SIDE = Noise(f"ORDERS {NAME}\n{SIDE_LINES['fww']}\nEND", only_of="last")
HELD = Noise(f"ORDERS {NAME}\n{SIDE_LINES['fww']}\n{BAD_LINE}\nEND", only_of="unasked")
FLOOD = Noise("SALT and pepper", times=ANSWERS_AN_HOUR)
SHUNTED = Noise("STATUS", {"how": "shunted"})

PLANTED_ACTS: tuple[PlantedAct, ...] = (
    PlantedAct(a_newcomer_with_their_address, "replace", "words"),
    PlantedAct(a_rollback_that_counts_letters, "rollback", "words", seed=5),
    PlantedAct(a_departure_with_what_lay_on_file, "resign", "words"),
    PlantedAct(an_heir_with_their_address, "handover", "words", "trench"),
    PlantedAct(a_wish_to_give_up_told_to_all, "resign in secret", "number of letters", "trench"),
    PlantedAct(a_proposal_that_counts_letters, "agreed rollback", "words", seed=5),
    PlantedAct(a_newcomer_who_reads_old_marks, "succession", "words", long=True),
    PlantedAct(a_newcomer_who_reads_old_questions, "succession", "words", "trench"),
    PlantedAct(a_shunted_letter_told_to_all, "", "number of letters|envelope|words", aside=SHUNTED),
    PlantedAct(
        limits_that_all_share, "", "envelope|number of letters", aside=FLOOD, letters=STATUS * 4, long=True
    ),
    PlantedAct(a_side_line_that_ends_the_turn, "", "pauses|envelope|number of letters", aside=SIDE),
    PlantedAct(a_status_that_counts_held_sheets, "", "words", aside=HELD, letters=STATUS * 5),
    PlantedAct(a_contradiction_that_counts_letters, "", "words", letters=BOTH * 3),
    PlantedAct(an_edited_form_that_counts_letters, "", "words", letters=EDITED * 3),
)
