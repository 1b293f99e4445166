"""Questions that may come before the next letter: from the view and the seat's own standing orders alone."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from engine.games import game
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Seat
from engine.kernel.table import Table
from pbem.letters.phrases import Phrases

FWW = game("fww")
PACK = FWW.load_pack()


def view(seat: str, players: int = 4, **drawn: Any) -> Any:
    state, _ = FWW.position(PACK, GameSettings(players=players), drawn)
    return FWW.view(state, Seat(seat))


def told(seen: Any, standing: str = "", language: Any = "en") -> Mapping[str, list[tuple[str, bool]]]:
    lines = FWW.notation.read(standing, seen).standing
    found: dict[str, list[tuple[str, bool]]] = {}
    for topic, line, stands in FWW.forecast(seen, lines, language):
        found.setdefault(topic, []).append((line, stands))
    return found


def test_in_the_rounds_the_defence_is_foreseen_with_its_defaults() -> None:
    assert {
        "combat.defence_tile": [("DEFEND ALL: TILE NONE", False)],
        "combat.defence_leader": [("DEFEND ALL: LEAD STRONGEST", False)],
        "combat.attack_tile": [("ATTACKTILE ALL: NONE", False)],
        "combat.draw": [("DRAW FREE", False)],
    } == told(view("WA", turn=2, phase="rounds"))


def test_standing_orders_stand_beside_their_questions_the_particular_first() -> None:
    seen = view("WA", turn=2, phase="rounds")
    found = told(seen, "DEFEND ALL: TILE BEST\nDEFEND 3: TILE NONE LEAD WEAKEST\nDRAW YES")
    assert [("DEFEND 3: TILE NONE LEAD WEAKEST", True), ("DEFEND ALL: TILE BEST", True)] == found[
        "combat.defence_tile"
    ]
    assert [("DEFEND 3: TILE NONE LEAD WEAKEST", True)] == found["combat.defence_leader"]
    assert [("DRAW YES", True)] == found["combat.draw"]
    assert [("ATTACKTILE ALL: NONE", False)] == found["combat.attack_tile"]


def test_a_seat_of_two_factions_reads_each_ones_lines() -> None:
    found = told(view("CENTRAL", 2, turn=2, phase="rounds"), "DE DRAW NO", "fr")
    assert [("DE PIOCHE NON", True), ("GA PIOCHE LIBRE", False)] == found["combat.draw"]


def test_the_treaty_is_foreseen_from_turn_4_on_and_by_those_it_concerns() -> None:
    assert "treaty.offer" not in told(view("DE", turn=3, phase="victory"))
    assert [("TREATY NONE", False)] == told(view("DE", turn=4, phase="victory"))["treaty.offer"]
    assert [("TREATY REFUSE", False)] == told(view("EA", turn=4, phase="victory"))["treaty.answer"]
    assert not {"treaty.offer", "treaty.answer"} & set(told(view("WA", turn=4, phase="victory")))
    offers = told(view("DE", turn=4, phase="victory"), "TREATY OFFER IF TURN >= 4")
    assert [("TREATY OFFER IF TURN >= 4", True)] == offers["treaty.offer"]


def test_4_2_3__4_towns_to_occupy_are_foreseen_where_the_faction_stands_and_nowhere_else() -> None:
    assert "victory.occupy" not in told(view("EA", turn=2, phase="victory", fronts={8: "RU1"}))
    (line, _), *more = told(view("EA", turn=2, phase="victory", fronts={10: "SB1"}))["victory.occupy"]
    assert line == "OCCUPY 10: SARAJEVO NEUSATZ" and not more


def test_nothing_is_foreseen_while_armies_deploy() -> None:
    assert {} == told(view("WA", turn=2, phase="deploy"))


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("players", [2, 4])
def test_every_line_foreseen_is_read_back_and_has_its_words(language: Any, players: int) -> None:
    """Over a whole game, at every question: standing lines all, and each topic a phrase."""
    settings, seen = GameSettings(players=players, options={"random_order": True}), set[str]()
    words, rng = Phrases("fww", language, PACK), Random(7)

    def bot(at: Any, ask: Any) -> Any:
        for one in FWW.forecast(at, (), language):
            assert words.has("topics", one.topic)
            reading = FWW.notation.read(one.line, at)
            assert not reading.refusals and 1 == len(reading.standing), one
            seen.add(one.topic)
        return FWW.bots["random"](at, ask, rng)

    table = Table.start(FWW, PACK, settings, TestDice(7))
    table.automa = dict.fromkeys(FWW.seats(settings), bot)
    table.advance()
    assert {"order.slots", "combat.draw", "replace"} <= seen


def test_what_is_granted_to_the_partner_has_a_topic_of_its_own() -> None:
    """Otherwise two lines of a letter bore the same words, and one of them was not about that."""
    seen = view("WA", turn=4, phase="victory", pool={"WA": ["FR1"], "EA": ["BR-MEF"]})
    found = told(seen, "GRANT BR-MEF IF SPARE\nREPLACE FR1")
    assert [("GRANT BR-MEF IF SPARE", True)] == found["replace.grant"]
    assert [("REPLACE FR1", True)] == found["replace"]
    granted = told(seen, "GRANT BR-MEF")
    assert [False] == [stands for _, stands in granted["replace"]] and granted["replace.grant"]
