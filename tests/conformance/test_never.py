"""A line is refused for good only if no course of play makes it legal, and by what its seat may see."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from engine.kernel.game import View
from engine.kernel.requests import Ask, Seat
from tests.conformance.games import SIZE, Case
from tests.conformance.sitting import examine

FOR_GOOD = {"not-adjacent", "out-of-range", "not-your-army", "not-own-unit"}  # told when the line is read


def test_what_the_rules_offer_was_never_refused_for_good(case: Case) -> None:
    """Neither now nor on an earlier view of the same turn, on which its seat might have ordered it."""
    notation, rng, earlier = case.game.notation, Random(f"{case}/never"), dict[tuple[Seat, str], View]()

    def visit(view: View, ask: Ask) -> None:
        before = earlier.setdefault((ask.seat, ask.at.partition(".")[0]), view)
        if rng.random() > 0.15 * SIZE:
            return
        text = notation.write_answer(ask, ask.options.sample(rng), "en")
        for seen in (view, before):
            reading = notation.read(text, seen)
            refused = [one.reason for one in reading.refusals if one.reason in FOR_GOOD]
            never = [line.never(seen) for line in (*reading.orders, *reading.standing)]
            assert not refused and not any(never), (text, refused, never)

    for seed in range(SIZE):
        examine(case, seed, visit)


@pytest.mark.long
def test_what_the_rules_offer_was_never_refused_for_good_in_many_games(case: Case) -> None:
    notation, rng = case.game.notation, Random(f"{case}/never/many")

    def visit(view: View, ask: Ask) -> None:
        text = notation.write_answer(ask, ask.options.sample(rng), "en")
        reading = notation.read(text, view)
        never = [line.never(view) for line in (*reading.orders, *reading.standing)]
        assert not any(never), (text, never)

    for seed in range(5):
        examine(case, 100 + seed, visit)


# ------------------------------------------------------------------ pieces of others


OWN = {
    "fww": r"\b[A-Z]{2}\d+\b",
    "ttlm": r"\b(?:GE|FR|UK|BE|US)\d+\b",
    "trench": r"(?<![.\w@])[A-Z]{3}\d\b",
}
ENEMIES = {"DE": "FR2", "GA": "RU2", "WA": "DE2", "EA": "AH2", "CENTRAL": "FR2", "ALLIES": "DE2"}


def with_an_enemys_piece(name: str, text: str, view: View, rng: Random) -> str | None:
    """The line with one own piece in it replaced by one that its writer never commands."""
    found = list(re.finditer(OWN[name], text))
    if not found:
        return None
    place: re.Match[str] = rng.choice(found)
    if name == "fww":
        piece = ENEMIES[view.seat]
    elif name == "ttlm":
        piece = "FR1" if view.seat == "GE" else "GE1"
    else:
        position = view.position
        camps = (position.camp_of.get(one, one) for one in ("DE", "AH", "FR", "GB"))
        allied = (view.camp, position.ally_of(view.camp))
        enemy = next(one for one in camps if one not in allied)
        piece = f"{enemy}.{place[0]}"
    return text[: place.start()] + piece + text[place.end() :]


def test_no_line_moves_the_enemys_pieces(case: Case) -> None:
    """REVEAL 3: FR1 and R DE.INF1 were "on file", with "nothing else to do"."""
    if case.game.id not in OWN:
        pytest.skip("its orders name no pieces")
    if case.game.id == "fww" and (case.players != 4 or case.options):
        pytest.skip("its lines are written alike in every scenario")
    notation, rng, met = case.game.notation, Random(f"{case}/enemy"), Counter[str]()

    def visit(view: View, ask: Ask) -> None:
        if met[ask.topic] > 5 * SIZE:
            return
        text = notation.write_answer(ask, ask.options.sample(rng), "en").split("\n")[0]
        changed = with_an_enemys_piece(case.game.id, text, view, rng)
        if changed is None or notation.read(text, view).refusals:
            return
        met[ask.topic] += 1
        reading = notation.read(changed, view)
        lines = (*reading.orders, *reading.standing)
        assert reading.refusals or any(line.never(view) for line in lines), (text, changed, view.seat)

    for seed in range(SIZE):
        examine(case, seed, visit)
    assert met
