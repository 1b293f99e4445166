"""A side line does not end a turn: it is filed, waited with, and its receipt says what is awaited."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.intake.receive import receive_letter
from pbem.letters.phrases import sheet_kind
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.hands import flat, window
from tests.trench_at_hand import in_first_round

pytestmark = pytest.mark.usefixtures("without_maps")

SIDE_LINES = (
    "GIVE 2",
    "R CAR1",
    "DEFAULT HOLD",
    "DEFAULT AUTOMA",
    "PLACE INF1@D5",
    "MONEY LATER",
    "ACTIVE B",
)
TURNS = ((2, "PASS"), (2, "ACTIVE B\nM TNK1 > D6"), (4, "GIVE 2\nPASS"))  # with two nobody has an ally


def says(at: AtHand, seat: str, words: str) -> str:
    """A letter of that seat, whatever follows from it; returns the answer."""
    for name in receive_letter(at.service, at.arrives(at.reply(seat, words)), "test"):
        adjudicate(at.service, name)
    return flat(next(one for one in at.letters(seat) if one.letter.kind in ("receipt", "answer", "question")))


def active(at: AtHand) -> str:
    return str(load_campaign(at.db, at.name).table.state.active)


# ------------------------------------------------------------------ Trench Club


@pytest.mark.parametrize("line", SIDE_LINES)
def test_a_side_line_alone_is_filed_and_waited_with(tmp_path: Path, line: str) -> None:
    at = in_first_round(tmp_path, players=4)
    mine, number = active(at), window(at).number
    told = says(at, mine, f"LANG en\n{line}")
    assert number == window(at).number, "the turn is not over"
    assert (
        "a move, an attack or PASS" in told and "READY" in told and "nothing else for you to do" not in told
    )
    assert "not a whole turn yet" in says(at, mine, "STATUS")
    assert "un mouvement, une attaque ou PASSE" in says(at, mine, f"LANG fr\n{line}")
    says(at, mine, "READY")
    assert number != window(at).number, "READY completes any sheet"


@pytest.mark.parametrize(("players", "orders"), TURNS)
def test_a_move_an_attack_or_pass_makes_the_turn(tmp_path: Path, players: int, orders: str) -> None:
    at = in_first_round(tmp_path, players=players)
    number = window(at).number
    assert "not a whole turn" not in says(at, active(at), orders)
    assert number != window(at).number


def test_a_side_line_that_was_waited_with_counts_at_the_deadline(tmp_path: Path) -> None:
    at = in_first_round(tmp_path)
    mine = active(at)
    says(at, mine, "R CAR1")
    at.close()
    assert active(at) != mine


# ------------------------------------------------------------------ the other games


@pytest.mark.parametrize(
    ("game", "name", "beside", "turn"),
    [
        ("fww", "FWW-1", "DEFEND ALL: TILE BEST", "PASS"),
        ("fww", "FWW-1", "RETURN UNUSABLE", "C2: PASS"),
        ("ttlm", "TTLM-1", "ALWAYS AT *: ERSATZ MAX 2", "PASS"),
        ("ttlm", "TTLM-1", "AT *: LOSE FORT FIRST", "PASS"),
    ],
)
def test_a_policy_alone_ends_no_turn_in_the_other_games(
    tmp_path: Path, game: str, name: str, beside: str, turn: str
) -> None:
    at = campaign_at_hand(tmp_path, game=game, name=name, players=4 if game == "fww" else 2)
    while sheet_kind(window(at).key) != {"fww": "R", "ttlm": "turn"}[game]:
        at.close()
    number, (mine, *others) = window(at).number, window(at).seats
    for seat in others:
        says(at, seat, turn)
    says(at, mine, "LANG en")
    assert "not a whole turn yet" in says(at, mine, f"ORDERS\n{beside}\nEND") and number == window(at).number
    says(at, mine, f"{beside}\n{turn}")
    assert number != window(at).number
