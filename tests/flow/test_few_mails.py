"""Few mails: a campaign of sheets and standing orders against the same game asked one question at a time.

Every seat plays by a policy that stands here twice: in notation, as its letters say it, and as a function
from view and question to answer, as one would answer each question by itself. Both must lead to the same
game; and the letters of the first are counted against the questions of the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.games import game
from engine.games.first_world_war.answers import Attack, Pass
from engine.games.first_world_war.state import ENEMY, PARTNERS
from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import AuditedDice, H
from engine.kernel.game import GameSettings, View
from engine.kernel.journal import JournalLine, canonical
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.store.campaigns import campaign
from pbem.store.journal import read_journal
from pbem.store.standing_orders import file_standing_orders
from pbem.store.windows import Stamp
from tests.campaigns_at_hand import NAME, AtHand, campaign_at_hand
from tests.flow.hands import hand_in, window
from tests.stores import fresh_store

FWW = game("fww")
SETTINGS: dict[str, Any] = {"players": 4, "options": {"no_surrender_before_turn": 6}}
SHARE = 0.25  # of one letter for each unforced question
TURNS = 6

# Where each faction attacks, in this order, and up to how many enemy counters it dares.
PLANS: dict[str, tuple[tuple[int, ...], int]] = {
    "WA": ((3, 2, 1, 6, 5, 4), 4),
    "EA": ((9, 8, 7, 10, 11), 5),
    "DE": ((1, 2, 8, 7, 3, 4), 3),
    "GA": ((9, 10, 11, 5, 6), 4),
}
EVERYBODY = "DEFEND ALL: TILE BEST LEAD STRONGEST\nATTACKTILE ALL: BEST\nDRAW YES"
STANDING = {
    "WA": f"{EVERYBODY}\nREPLACE FR2 BR1",
    "EA": f"{EVERYBODY}\nREPLACE RU4 RU1\nASK REPLACE ALL\nTREATY ACCEPT IF TURN >= 5",
    "DE": f"{EVERYBODY}\nREPLACE DE1 DE8\nTREATY OFFER IF TURN >= 5",
    "GA": f"{EVERYBODY}\nREPLACE AH1 AH4",
}
FIRST = {"WA": ("FR2", "BR1"), "EA": ("RU4", "RU1"), "DE": ("DE1", "DE8"), "GA": ("AH1", "AH4")}


# ------------------------------------------------------------------ the policy, twice


def sheet(seat: str, key: str) -> str:
    """As a letter says it, for a whole window: lines of one round are tried in order until one is legal."""
    if not key.endswith(".R"):
        return ""
    fronts, most = PLANS[seat]
    lines = []
    for cycle in range(1, 5):
        lines += [f"C{cycle}: IF ENEMY {front} <= {most} THEN ATTACK {front}" for front in fronts]
        lines.append(f"C{cycle}: PASS")
    return "\n".join(lines)


def answer(view: View, ask: Ask) -> Answer:
    """As one would answer, asked by itself, from what the seat sees then."""
    match ask.topic:
        case "round.action":
            return _action(view, ask)
        case "combat.defence_tile" | "combat.attack_tile":
            return _best_tile(view, ask)
        case "combat.draw":
            return True
        case "treaty.offer" | "treaty.answer":
            return view.turn >= 5
        case "replace":
            return _replacements(view, ask)
    return ask.default


def _replacements(view: View, ask: Ask) -> Answer:
    """The favourites, then own armies by value, entry and id, then the partner's."""
    first, armies = FIRST[view.seat], view.pack.armies
    favour = {army: place for place, army in enumerate(first)}
    ranks = {army: (favour.get(army, len(first)), army in ask.given.asked) for army in ask.given.pool}
    order = sorted(
        ask.given.pool,
        key=lambda one: (*ranks[one], -armies[one].value, armies[one].entry, one),
    )
    return tuple(sorted(order[: ask.given.capacity]))


def _action(view: View, ask: Ask) -> Answer:
    (faction,) = view.factions
    fronts, most = PLANS[view.seat]
    for front in fronts:
        if sum(view.counts[front].get(enemy, 0) for enemy in PARTNERS[ENEMY[faction]]) > most:
            continue
        able = [army for army in view.known[front] if ask.options.contains(Attack(front, (army,)))]
        attack = Attack(front, tuple(sorted(able)))
        if able and ask.options.contains(attack):
            return attack
    return Pass()


def _best_tile(view: View, ask: Ask) -> Answer:
    tiles = view.pack.tiles
    fitting = [tile for hand in view.hands.values() for tile in hand if ask.options.contains(tile)]
    return min(fitting, key=lambda tile: (-tiles[tile].value, tile), default=None)


# ------------------------------------------------------------------ the two campaigns


@pytest.fixture
def same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal decisions give equal dice, however many Closes there are."""
    monkeypatch.setattr(Ledger, "dice", lambda ledger, close: dice())


def dice() -> AuditedDice:
    return AuditedDice(H("few mails", "rolls"), H("few mails", "draws"))


def by_letters(folder: Path) -> AtHand:
    """Played to the end through the store: a sheet a window, standing orders once."""
    at = campaign_at_hand(folder, tempo="fast", db=fresh_store(folder), **SETTINGS)
    for seat in at.seats:
        assert "filed" == file_standing_orders(at.db, NAME, seat, STANDING[seat], Stamp(at.clock()))
    while campaign(at.db, NAME).state != "over":
        key = window(at).key
        for seat in at.seats:
            hand_in(at, seat, sheet(seat, key))
        assert adjudicate(at.service, NAME), "all are in: the window closes"
        at.clock.passes(hours=1)
    return at


def one_by_one() -> tuple[Table, int]:
    """Every question by itself; returns the table at the end, and how many questions were not forced."""
    settings = GameSettings(tempo="strict", **SETTINGS)
    table = Table.start(FWW, FWW.load_pack(), settings, dice())
    unforced, pause = 0, table.advance()
    while pause is not None:
        files: dict[Seat, dict[str, Answer]] = {}
        for question, ask in pause.asks:
            files.setdefault(ask.seat, {})[question] = answer(table.view(ask.seat), ask)
            unforced += ask.options.only() is None
        pause = table.advance({seat: OrderFile(replies=replies) for seat, replies in files.items()})
    return table, unforced


def rolled(lines: list[JournalLine]) -> Iterator[tuple[str, Any]]:
    for data in (line.data for line in lines):
        if data["k"] == "roll":
            yield data["label"], data["faces"]
        elif data["k"] == "draw":
            yield data["label"], data["items"]


@pytest.mark.usefixtures("without_maps", "same_dice")
def test_sheets_need_a_quarter_of_the_letters_and_lead_to_the_same_game(
    tmp_path: Path, record_property: Any
) -> None:
    at, (table, unforced) = by_letters(tmp_path), one_by_one()
    here = load_campaign(at.db, NAME)
    assert table.outcome == here.table.outcome and TURNS == here.table.state.turn
    assert canonical(FWW.dump(table.state)) == canonical(FWW.dump(here.table.state))
    assert list(rolled(table.journal.lines)) == list(rolled(read_journal(at.db, NAME)))
    letters = [one for seat in at.seats for one in at.letters(seat) if one.letter.kind != "notice"]
    record_property("letters", f"{len(letters)} for {unforced} unforced questions")
    print(f"{len(letters)} letters for {unforced} unforced questions: {len(letters) / unforced:.1%}")
    assert {"result", "final"} == {one.letter.kind for one in letters}
    assert len(letters) <= SHARE * unforced
