"""Questions that are put again and again take a sheet's lines in the order written, each once."""

from __future__ import annotations

from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Ask, Choice, Opening, Procedure, Shuffle
from tests.kernel.play import Campaign, Lone, orders
from tests.kernel.toy import HOLES, NORTH, Ended, State, ToyNotation

OFFERED = tuple(hole for hole in HOLES if hole != "H1")


class InTurn(ToyNotation):
    chained_topics = frozenset[str]()
    sequence_topics = frozenset({"guess"})


class Guesses(Lone):
    """H1 is offered from the third question on; NONE ends it."""

    notation = InTurn()

    def __init__(self) -> None:
        super().__init__(guesses)


def guesses(state: State) -> Procedure:
    for n in range(4):
        offered = (*(HOLES if n >= 2 else OFFERED), None)
        answer = yield Ask(NORTH, "guess", "T1.lone", None, Choice(offered, "TOY-2"), None, secret=True)
        if answer is None:
            break
    yield Ended()
    return None


def answered(text: str) -> list[str | None]:
    campaign = Campaign.of(Guesses())
    campaign.advance()
    campaign.advance({NORTH: orders(text, Guesses())})
    while campaign.table.pause is not None:
        campaign.advance()
    return [line.data["answer"] for line in campaign.lines if line.data["k"] == "answer"]


def in_one_window(text: str) -> list[str | None]:
    campaign = Campaign.of(Guesses(), tempo="fast")
    campaign.advance()
    campaign.advance({NORTH: orders(text, Guesses())})
    return [line.data["answer"] for line in campaign.lines if line.data["k"] == "answer"]


def test_every_line_serves_once_and_the_default_ends_it() -> None:
    assert in_one_window("GUESS H2\nGUESS H2\nGUESS H3") == ["H2", "H2", "H3", None]


def test_a_line_whose_turn_has_passed_is_not_taken_up_later() -> None:
    assert in_one_window("GUESS H1\nGUESS H2\nGUESS H3") == ["H2", "H3", None]


def test_the_next_letter_begins_anew() -> None:
    """In strict tempo each question has its window, and each window its own sheet."""
    assert answered("GUESS H2\nGUESS H3") == ["H2", None]


def test_a_rehearsal_names_what_is_refused_in_its_turn() -> None:
    campaign = Campaign.of(Guesses(), tempo="fast")
    campaign.advance()
    found = judge_sheet(campaign.table, NORTH, orders("GUESS H2\nGUESS H1\nGUESS H3\nGUESS H1", Guesses()))
    assert [verdict.status for verdict in found] == ["accepted", "refused", "accepted", "accepted"]


def test_a_card_of_a_shuffled_pile_is_opened_with_its_root() -> None:
    def deal(state: State) -> Procedure:
        mixed = yield Shuffle("deck", ("K1", "K2", "K3"))
        yield Opening(mixed.root, 1, (NORTH,))
        yield Opening(mixed.root, 2)
        yield Ask(NORTH, "guess", "T1.lone", None, Choice(HOLES, "TOY-2"), "H1", secret=True)
        yield Ended()
        return None

    campaign = Campaign.of(Lone(deal))
    campaign.advance()
    told = [line.data for line in campaign.lines if line.data["k"] in ("shuffle", "opening")]
    root = told[0]["root"]
    assert told[1:] == [
        {"k": "opening", "root": root, "position": 1, "to": [NORTH]},
        {"k": "opening", "root": root, "position": 2},
    ]
    campaign.advance()
    assert campaign.replayed().over
