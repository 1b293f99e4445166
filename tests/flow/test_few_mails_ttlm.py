"""Few mails in To the Last Man!: sheets and standing orders in `fast` or a letter a question in `strict`.

Both sides have a policy for the spring of 1915 that stands here twice: as sheets and standing orders with
their conditions, and as the one line that a player writes when he is asked a question by itself, who weighs
the conditions himself from what he sees. Both must lead to the same season.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.games import game
from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import AuditedDice, H
from engine.kernel.game import GameSettings, View
from engine.kernel.journal import JournalLine, canonical
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.store.journal import read_journal
from pbem.store.standing_orders import file_standing_orders
from pbem.store.windows import Stamp
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.hands import hand_in, window
from tests.stores import fresh_store

TTLM = game("ttlm")
NAME = "TTLM-2"
SCENARIO = "1915"
SHARE = 0.25  # of one letter for each unforced question
UNTIL = "T5.1"  # the first Player Turn of the summer
OFFENSIVES = 4  # Player Turns of a season in which one may be opened
IN_TURN = ("turn.act", "production", "reinforce")  # put again until all is done: one letter in `strict`, too

MOVES = {
    "GE": ("MOVE GE1 LAO-REI", "MOVE C@BRU BRU-HAI", "MOVE I@LIL LIL-ART", "RAIL GEC MET-LUX"),
    "EN": ("MOVE FR6 COM-PIC", "MOVE C@CHT CHT-REI", "MOVE I@CAL INTO UK1", "MOVE I@NAN NAN-VOS"),
}
BATTLES = {"GE": ("ART", "ARG"), "EN": ("ARG", "FLA")}
BUYS = {
    "GE": ("BUILD I IN GE3", "BUILD I IN GE7", "ENTRENCH GE6, GE4", "BUY 3 CARDS"),
    "EN": ("BUILD I IN FR3", "BUILD I IN FR5", "ENTRENCH FR10, UK1", "BUY 3 CARDS"),
}
RETREATS = {"GE": ("ART", "LIL"), "EN": ("ARG", "BAR")}  # the attacker's, when few are left
ERSATZ = "ERSATZ MAX 1 PER STEP KEEP OFFENSIVE, LIMITED"
EVERYBODY = f"ALWAYS AT *: {ERSATZ} IF HITS>=2\nALWAYS AT *: LOSE A LAST"
STANDING = {
    "GE": f"{EVERYBODY}\nALWAYS WEATHER IF BATTLES>=2",
    "EN": f"{EVERYBODY}\nALWAYS CARD GAS ON ARG\nALWAYS AT ARG: RETREAT INSTEAD FR3>BAR IF OWN<5",
}


# ------------------------------------------------------------------ the policy as sheets


def sheet(seat: str, key: str) -> str:
    """What a letter says for a whole window; where lines exclude one another the first legal one counts."""
    part = key.partition(".")[2]
    if part == "P":
        return "\n".join((*BUYS[seat], "PLACE ANY"))
    if not part.isdigit() or int(part) > OFFENSIVES:
        return "PASS"
    one, other = BATTLES[seat]
    area, to = RETREATS[seat]
    plan = (f"AT *: {ERSATZ} IF HITS>=2", "AT *: LOSE A LAST", f"AT {area}: RETREAT ALL TO {to} IF OWN<4")
    cards = ("PLAY OFFENSIVE", "PLAY LIMITED", "PASS")
    fights = (f"BATTLE {one}, {other}", f"BATTLE {one}", f"BATTLE {other}", "CARD GAS ON ARG")
    return "\n".join((*cards, *MOVES[seat], *fights, *plan))


# ------------------------------------------------------------------ the policy question by question


def acts(view: View, topic: str) -> str:
    """What a letter says to one of the questions that are put again and again."""
    if topic == "turn.act":
        return "\n".join(MOVES[view.side]) if view.offensive else ""
    return "\n".join(BUYS[view.side]) if topic == "production" else "PLACE ANY"


def line(view: View, ask: Ask) -> str:
    """What a letter says to any other question; '' : it is left at the default."""
    area = getattr(ask.given, "area", "")
    match ask.topic:
        case "turn.card":
            return offensive(view)
        case "battle.declare":
            return f"BATTLE {', '.join(fights(view))}" if fights(view) else ""
        case "battle.weather":
            return "WEATHER" if len(ask.given.areas) >= 2 else ""
        case "battle.cards" | "battle.answer":
            return gas(view, ask)
        case "battle.ersatz":
            return f"AT {area}: {ERSATZ}" if ask.given.hits >= 2 else ""
        case "battle.loss":
            return f"AT {area}: LOSE A LAST"
        case "battle.instead":
            return "AT ARG: RETREAT INSTEAD FR3>BAR" if is_weak(view, area, "EN", "ARG", 5) else ""
        case "battle.retreat" if view.side == view.phasing:
            left, to = RETREATS[view.side]
            return f"AT {left}: RETREAT ALL TO {to}" if is_weak(view, area, view.side, left, 4) else ""
    return ""


def is_weak(view: View, area: str, side: str, there: str, least: int) -> bool:
    return view.side == side and area == there and own(view, area) < least


def answer(view: View, ask: Ask) -> Answer:
    found = meant(line(view, ask), view, ask)
    return ask.default if found is None else found.answer


def meant(text: str, view: View, ask: Ask) -> Any:
    reading = TTLM.notation.read(text, view)
    assert not reading.refusals, reading.refusals
    return OrderFile(reading.orders).find(ask, "", view, TTLM.notation)


def offensive(view: View) -> str:
    if view.number > OFFENSIVES:
        return "PASS"
    return "PLAY OFFENSIVE" if "OFF" in view.hand else "PLAY LIMITED" if "LIM" in view.hand else "PASS"


def fights(view: View) -> tuple[str, ...]:
    """Where he wants to fight and both sides stand; of a Limited Offensive the first."""
    found = tuple(area for area in BATTLES[view.side] if view.status[area] == "disputed")
    return found[:1] if view.offensive == "LIM" else found


def gas(view: View, ask: Ask) -> str:
    """The German lays it in attack, the Entente at every opportunity."""
    wants = "GAS" in view.hand and "ARG" in ask.given.areas
    return "CARD GAS ON ARG" if wants and (view.side == "EN" or view.phasing == "GE") else ""


def own(view: View, area: str) -> int:
    """Units of his side there, those of armies counted one by one."""
    side_of = view.pack.side_of
    armies = [army for army, at in view.army_at.items() if at == area and side_of[army] == view.side]
    loose = view.loose.get(area, {}).get(view.side, ())
    groups = [view.contents[army] for army in armies]
    return int(sum(number for group in (*groups, loose) for _, number in group))


# ------------------------------------------------------------------ the two campaigns


@pytest.fixture
def same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal decisions give equal dice, however many Closes there are."""
    monkeypatch.setattr(Ledger, "dice", lambda ledger, close: dice())


def dice() -> AuditedDice:
    return AuditedDice(H("few mails", "rolls"), H("few mails", "draws"))


def by_letters(folder: Path) -> AtHand:
    """Through the store: a sheet a window, standing orders once."""
    told: Any = {"players": 2, "tempo": "fast", "game": "ttlm", "scenario": SCENARIO}
    at = campaign_at_hand(folder, name=NAME, db=fresh_store(folder), **told)
    for seat in at.seats:
        assert "filed" == file_standing_orders(at.db, NAME, seat, STANDING[seat], Stamp(at.clock()))
    while (opened := window(at)).key != UNTIL:
        for seat in opened.seats:
            hand_in(at, seat, sheet(seat, opened.key))
        assert adjudicate(at.service, NAME), "all are in: the window closes"
        at.clock.passes(hours=1)
    return at


def one_by_one() -> Table:
    """Every question by itself."""
    table = Table.start(TTLM, TTLM.load_pack(), GameSettings(SCENARIO, 2, tempo="strict"), dice())
    pause = table.advance()
    while pause is not None and not pause.window.key.startswith(f"{UNTIL}/"):
        files: dict[Seat, OrderFile] = {}
        for question, ask in pause.asks:
            view = table.view(ask.seat)
            if ask.topic in IN_TURN:
                orders = TTLM.notation.read(acts(view, ask.topic), view).orders
                files[ask.seat] = OrderFile(sheet=orders)
            else:
                files[ask.seat] = OrderFile(replies={question: answer(view, ask)})
        pause = table.advance(files)
    return table


def unforced(table: Table) -> int:
    """Questions that had more than one answer; what may be volunteered at any time is no question."""
    answers = [one.data for one in table.journal.lines if one.data["k"] == "answer"]
    return sum(one["by"] != "forced" and one["topic"] != "turn.crisis" for one in answers)


def rolled(lines: list[JournalLine]) -> Iterator[tuple[str, Any]]:
    for data in (line.data for line in lines):
        if data["k"] in ("roll", "draw"):
            yield data["label"], data["faces" if data["k"] == "roll" else "items"]


@pytest.mark.usefixtures("without_maps", "same_dice")
def test_a_season_of_sheets_needs_a_quarter_of_the_letters(tmp_path: Path, record_property: Any) -> None:
    at, table = by_letters(tmp_path), one_by_one()
    here = load_campaign(at.db, NAME)
    assert list(rolled(table.journal.lines)) == list(rolled(read_journal(at.db, NAME)))
    assert canonical(TTLM.dump(table.state)) == canonical(TTLM.dump(here.table.state))
    used = {one.data["by"] for one in read_journal(at.db, NAME) if one.data["k"] == "answer"}
    assert used >= {"sheet", "standing", "plan"}
    letters = [one for seat in at.seats for one in at.letters(seat) if one.letter.kind != "notice"]
    asked = unforced(table)
    record_property("letters", f"{len(letters)} for {asked} unforced questions")
    print(f"{len(letters)} letters for {asked} unforced questions: {len(letters) / asked:.1%}")
    assert {"result"} == {one.letter.kind for one in letters}
    assert len(letters) <= SHARE * asked
