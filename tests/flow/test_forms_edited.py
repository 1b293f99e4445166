"""Our order form edited in the reply is the sheet; what is in doubt is asked; as it was sent it says nothing.

Judged as in `test_forms`, in every game and both languages, in every style of mail program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import pytest

from pbem.intake.receive import receive_letter
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.forms_cases import Form
from tests.flow.forms_clients import by_hand, ended, headed, introduced, reshaped, typed_in_shapes
from tests.flow.forms_edited import (
    POSITIONS,
    STYLES,
    Seat,
    doubtful,
    edited_everywhere,
    every_edit,
    joined,
    mangled,
    older,
    unchanged_everywhere,
)
from tests.flow.forms_on_the_way import (
    contradictory,
    edited_and_added,
    edited_and_armoured,
    edited_apart,
    edited_parts,
    written_above,
)
from tests.flow.hands import flat, hand_in, passes, window
from tests.flow.test_forms import HALVES, Waiting, canonical, judge, keep_waiting, received_letters
from tests.pictures import without_maps
from tests.trench_at_hand import in_first_round

LEAST = 1000  # forms, without those of every edit in every style


@dataclass(frozen=True, slots=True)
class Desk:
    """Every position, in a campaign that waits."""

    seats: tuple[Seat, ...]
    waiting: dict[str, Waiting]  # by position

    def of(self, position: str) -> Seat:
        return next(one for one in self.seats if str(one.position) == position)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    seats, waiting = list[Seat](), dict[str, Waiting]()
    campaigns = {
        "fww": campaign_at_hand(tmp_path_factory.mktemp("fww")),
        "ttlm": campaign_at_hand(tmp_path_factory.mktemp("ttlm"), game="ttlm", name="TTLM-1", players=2),
        "trench": in_first_round(tmp_path_factory.mktemp("trench")),
    }
    with pytest.MonkeyPatch.context() as patch:
        without_maps(patch)
        for position in POSITIONS:
            at = campaigns[position.game]
            while window(at).key != position.window:
                close(at)
            newest = received_letters(at, 0)[position.seat]
            waiting[str(position)] = keep_waiting(at, tmp_path_factory.mktemp(position.seat))
            seats.append(Seat(position, newest, at.clock()))
    return Desk(tuple(seats), waiting)


def close(at: AtHand) -> None:
    for seat in window(at).seats:
        hand_in(at, seat)
    assert passes(at, hours=1)


def misreadings(desk: Desk, forms: Iterable[Form]) -> list[str]:
    """Every form is judged in the campaign of its seat; sheets are compared in the notation of the game."""
    told = []
    for form in forms:
        waiting, meant = desk.waiting[form.name.partition(":")[0]], form.meant
        sheet, then = (one and canonical(waiting.here, form.seat, one) for one in (meant.sheet, meant.then))
        judged = judge(waiting, replace(form, meant=replace(meant, sheet=sheet, then=then)))
        told += [f"{form}: {'; '.join(judged.deviations)}"] if judged.deviations else []
    return told


def joined_lines(seats: Sequence[Seat]) -> Iterator[Form]:
    for seat in seats:
        yield from joined(seat) if seat.position.game == "fww" else ()


Way: TypeAlias = Callable[[Sequence[Seat]], Iterable[Form]]
WAYS: tuple[Way, ...] = (
    edited_everywhere, unchanged_everywhere, mangled, doubtful, joined_lines,
    edited_parts, edited_apart, edited_and_added, edited_and_armoured, written_above, contradictory,
    introduced, headed, ended, by_hand, reshaped, typed_in_shapes,
)  # fmt: skip


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_an_edited_form_is_the_sheet_or_asked_about(desk: Desk, way: Way, half: int) -> None:
    wrong = misreadings(desk, list(way(desk.seats))[half::2])
    assert not wrong, "\n".join([str(len(wrong)), *wrong])


@pytest.mark.long
def test_every_edit_in_every_style(desk: Desk) -> None:
    wrong = misreadings(desk, every_edit(desk.seats))
    assert not wrong, "\n".join([str(len(wrong)), *wrong])


def test_there_are_enough_edited_forms(desk: Desk) -> None:
    ways = {way: list(way(desk.seats)) for way in WAYS}
    forms = [form for found in ways.values() for form in found]
    few = [way.__name__ for way, found in ways.items() if len(found) < 18 and way is not joined_lines]
    assert not few, few
    assert len({form.raw for form in forms}) == len(forms) >= LEAST
    edited = list(edited_everywhere(desk.seats))
    for position in POSITIONS:
        mine = [form.name for form in edited if form.name.startswith(f"{position}:")]
        assert all(any(f": {kind}," in name for name in mine) for kind in position.edits)
        game = [form for form in edited if form.name.startswith(f"{position.game} ")]
        assert {form.program for form in game} == {program for program, _ in STYLES}


@pytest.mark.parametrize(
    ("position", "lit"), [("fww DE en", "took the # away"), ("ttlm GE fr", "ôté le # :")]
)
def test_the_receipt_says_that_a_remark_became_an_order(desk: Desk, position: str, lit: str) -> None:
    seat, at = desk.of(position), desk.waiting[position].copied()
    edited = seat.ours.edited(seat.position.edits["# taken away"])
    form = seat.reply("a remark", ("mutt", "plain"), edited, (), seat.sheet(edited))
    receive_letter(at.service, at.arrives(form.raw), "test")
    assert lit in flat(at.letters(form.seat)[0])


# ------------------------------------------------------------------ older forms


def test_the_form_of_an_earlier_turn_is_asked_about(desk: Desk) -> None:
    """It names another turn, and is no history: nothing else stands in the letter."""
    seat = desk.of("fww DE en")
    before = received_letters(desk.waiting[str(seat.position)].at, 1)["DE"]
    wrong = misreadings(
        desk,
        older(seat, before, {"  DE-AA D > 8, D > 9, D > 10, D > 11": "  DE-AA D > 7, D > 9, D > 10, D > 11"}),
    )
    assert not wrong, "\n".join(wrong)
