"""Every label that our letters print is understood again: VERIFY and HISTORY, in all games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

from engine.kernel.fairness.history import throws
from engine.kernel.game import Tempo
from pbem.campaigns.bots import default_bot
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import is_in_turn, label_of, turn_of
from pbem.intake.reading import read_letter
from pbem.letters.phrases import load_phrases
from pbem.mail.message import TextLine
from pbem.store.journal import read_records
from pbem.store.people import give_to_bot
from pbem.store.windows import all_windows, open_window
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.stores import fresh_store
from tests.verbs.contexts import Answer, context, do

PLAYED: tuple[tuple[str, str, Tempo], ...] = (
    ("fww", "", "fast"),
    ("fww", "", "react"),
    ("ttlm", "1914", "fast"),
    ("ttlm", "1914", "react"),
    ("trench", "", "fast"),
    ("trench", "", "react"),
)
MOST_WINDOWS = 12
ENOUGH = 3  # windows with dice


class Played(NamedTuple):
    """A campaign with dice on record; the labels of its letters, each with rolls that it must lead to."""

    at: AtHand
    leads: dict[str, set[int]]
    turns: set[str]  # in which dice fell


@pytest.fixture(scope="module", params=PLAYED, ids="-".join)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder, (game, scenario, tempo) = tmp_path_factory.mktemp("played"), request.param
    db = fresh_store(folder)
    at = campaign_at_hand(folder, game=game, scenario=scenario, players=2, tempo=tempo, name="GAME-1", db=db)
    for seat in at.seats[1:]:
        give_to_bot(at.db, at.name, seat, default_bot(load_campaign(at.db, at.name).terms.game))
    leads: dict[str, set[int]] = {}
    turns, with_dice = set[str](), 0
    for _ in range(MOST_WINDOWS):
        if (window := open_window(at.db, at.name)) is None or with_dice == ENOUGH:
            break
        before = len(list(read_records(at.db, at.name)))
        at.close("all-in")
        fallen = [one for record in list(read_records(at.db, at.name))[before:] for one in throws([record])]
        with_dice += bool(fallen)
        for one in fallen:
            turns.add(one.turn)
            for label in (one.segment, one.turn, *([] if window.once else [label_of(window)])):
                leads.setdefault(label, set()).add(one.number)
    return Played(at, leads, turns)


def asks(at: AtHand, seat: str, text: str) -> Answer:
    """As a letter of the seat is read, and the one command in it carried out."""
    heard = context(at, seat, "en")
    heard = replace(heard, letter=replace(heard.letter, lines=(TextLine(text),)))
    understood = read_letter(heard)
    assert len(understood.commands) == 1, (text, understood)
    return do(heard, understood.commands[0].command)


def spellings(at: AtHand, label: str) -> Iterator[str]:
    terms = load_campaign(at.db, at.name).terms
    yield label
    yield label.lower()
    for language in ("en", "fr"):
        yield load_phrases(terms.game.id, language, terms.pack).word("exchange", label=label)


def test_verify_knows_every_label_under_which_dice_fell(played: Played) -> None:
    at, leads = played.at, played.leads
    assert leads, "no dice fell: nothing was tried"
    for label, numbers in leads.items():
        for written in dict.fromkeys(spellings(at, label)):
            told = asks(at, at.seats[0], f"VERIFY {written}").text
            missing = [number for number in sorted(numbers)[:100] if f"#{number} " not in told]
            assert not missing, (written, missing)


def test_history_knows_every_window(played: Played) -> None:
    at, seat = played.at, played.at.seats[0]
    own = [window for window in all_windows(at.db, at.name) if seat in window.seats]
    assert own
    for label in dict.fromkeys(name for one in own for name in (label_of(one), turn_of(label_of(one)))):
        for written in dict.fromkeys(spellings(at, label)):
            assert "history-no-turn" not in asks(at, seat, f"HISTORY {written}").codes, written


def test_without_dice_the_turns_that_have_some_are_named(played: Played) -> None:
    at, turns = played.at, played.turns
    told = asks(at, at.seats[0], "VERIFY X99.R")
    assert "verify-no-rolls" in told.codes and turns
    for turn in turns:
        assert list(spellings(at, turn))[-1] in told.flat


@pytest.mark.parametrize(
    ("label", "named", "is_part"),
    [
        ("T3.R5", "T3", True), ("T3.R5", "t3.r", True), ("T3.R5", "T3.R5", True), ("T1.1.LIE", "T1.1", True),
        ("T1.10.LIE", "T1.1", False), ("T10.R", "T1", False), ("R1.DE.C", "R1.DE", True),
        ("T3.R", "T3.R5", False), ("T3.R5", "", False), ("S.S", "S", True),
    ],
)  # fmt: skip
def test_parts_of_a_turn(label: str, named: str, is_part: bool) -> None:
    assert is_in_turn(label, named) is is_part
