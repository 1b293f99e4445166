"""Every form in which real mail programs send an answer: carried out as meant, or asked about rightly.

The letter answered is a real result letter, with its HTML and map, of a campaign that waits for orders. Each
mail goes through the whole intake into a database of its own; then all that lies in the store is compared
with what its writer meant. Anything else on file, any other question, any change beside it is a misreading.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from sqlalchemy import Engine, select

from engine.kernel.requests import Seat
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.intake.receive import receive_letter
from pbem.store import schema
from pbem.store.inbox import RawMail, letter
from pbem.store.outbox import Posted, open_questions, posted
from pbem.store.schema_mail import outbox
from pbem.store.session import connect, reading
from pbem.store.windows import SeatOrders, read_orders
from tests.campaigns_at_hand import PEOPLE, AtHand, campaign_at_hand
from tests.flow.forms import Ours, ours_of
from tests.flow.forms_cases import Form, Writing, edited_in_place, everywhere
from tests.flow.forms_commands import commands, mistakes
from tests.flow.forms_content import files, forwards, nested, pages, wires
from tests.flow.forms_parts import differing, footers, one_row, ornaments, placeholders
from tests.flow.forms_said import ATTACK, Meant
from tests.flow.forms_special import BLOCK, Row, form, quotes, templates, threads, typed_inside
from tests.flow.forms_tongues import around, copied, tongues
from tests.flow.hands import all_hand_in, passes, text

PHRASES = Path(__file__).parents[2] / "templates" / "phrases" / "common"
# What any letter writes to, or what is compared by itself.
MAILBAG = (
    *("allowances", "campaigns", "inbox", "letter_rests", "marks", "outbox", "pulses", "questions"),
    "sightings",
)
WAYS = (
    *(everywhere, edited_in_place, templates, quotes, typed_inside, threads, wires, pages, nested, files),
    *(forwards, commands, mistakes, one_row, placeholders, differing, footers, ornaments),
    *(tongues, around, copied),
)
HALVES = (0, pytest.param(1, marks=pytest.mark.long))  # every second form at each change
TOLD = ("out-of-turn",)  # why a letter is refused, and nothing is asked
ON_FILE = ("replies", "sheets", "stances", "standing_orders")


# ------------------------------------------------------------------ a campaign that waits


@dataclass(frozen=True, slots=True)
class Waiting:
    """Begun once, in a file that every mail has a copy of."""

    at: AtHand
    path: Path
    folder: Path
    engine: Engine  # of the copies
    rows: dict[str, list[tuple[Any, ...]]]
    letters: frozenset[str]  # that had been written before
    here: Campaign  # to read and write orders with

    def copied(self) -> AtHand:
        """The same database as ever, as it was before the first mail."""
        self.engine.dispose()
        for name in ("mail.db-wal", "mail.db-shm"):
            (self.folder / name).unlink(missing_ok=True)
        shutil.copy(self.path, self.folder / "mail.db")
        service = replace(self.at.service, db=self.engine)
        return AtHand(service, self.at.clock, self.at.name, self.at.addresses)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Waiting:
    folder = tmp_path_factory.mktemp("forms")
    at = campaign_at_hand(folder)
    all_hand_in(at)
    assert passes(at, hours=1)
    return keep_waiting(at, folder)


def keep_waiting(at: AtHand, folder: Path) -> Waiting:
    """The campaign as it is now, for any number of mails."""
    here = load_campaign(at.db, at.name)
    with reading(at.db) as tx:
        letters = frozenset(tx.execute(select(outbox.c.message_id)).scalars())
    at.db.dispose()
    at.clock.passes(hours=1)
    assert at.db.url.database is not None
    path = Path(shutil.copy(at.db.url.database, folder / "kept.db"))
    return Waiting(at, path, folder, connect(folder / "mail.db"), rows_of(path), letters, here)


def rows_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table that only commands may write to."""
    with closing(sqlite3.connect(path)) as file:
        names = sorted(set(schema.metadata.tables) - {*MAILBAG, *ON_FILE})
        return {name: file.execute(f"SELECT * FROM {name}").fetchall() for name in names}


def received_letters(at: AtHand, which: int) -> dict[str, Ours]:
    """Everybody's result letters, 0: the newest."""
    letters = {seat: at.letters(seat, "result")[which] for seat in at.seats}
    return {seat: ours_of(one, PEOPLE[at.addresses[seat]][0]) for seat, one in letters.items()}


# ------------------------------------------------------------------ judging


Verdict = Literal["executed", "asked", "misread"]


@dataclass(frozen=True, slots=True)
class Judged:
    form: Form
    verdict: Verdict
    deviations: tuple[str, ...]


@pytest.fixture(scope="module")
def writing(waiting: Waiting) -> Writing:
    now, before = (received_letters(waiting.at, which) for which in (0, 1))
    return Writing.of(now, before, waiting.at.clock())


def judge(waiting: Waiting, form: Form) -> Judged:
    at = waiting.copied()
    received = _hear(at, form.raw)
    found = _deviations(waiting, at, form, received)
    if form.meant.then is not None and not found:
        found = _confirm(waiting.here, at, form)
    verdict: Verdict = "misread" if found else "asked" if form.meant.asks else "executed"
    return Judged(form, verdict, tuple(found))


def _hear(at: AtHand, raw: bytes) -> RawMail:
    number = at.arrives(raw)
    receive_letter(at.service, number, "test")
    received = letter(at.db, number)
    assert received is not None
    return received


def _deviations(waiting: Waiting, at: AtHand, form: Form, received: RawMail) -> list[str]:
    """Everything that is not as its writer meant it."""
    meant, seat = form.meant, form.seat
    filed = {name: _filed(waiting.here, name, one) for name, one in read_orders(at.db, at.name).seats.items()}
    wanted = (meant.sheet, meant.held, meant.standing, meant.stance, meant.reply)
    nothing = (None, False, "", None, "")
    found = []
    for name in at.seats:
        right = wanted if name == seat else nothing
        if filed.get(name, nothing) != right:
            found.append(f"{name} has {filed.get(name, nothing)} on file, not {right}")
    asks = _asked(at, seat, received)
    if asks != tuple(sorted(meant.asks)):
        found.append(f"{received.state} {received.reason}: asks {asks}, not {meant.asks}")
    if received.state != (meant.state or received.state):
        found.append(f"{received.state}, not {meant.state}")
    if not meant.asks and not meant.state and received.state != "applied":
        found.append(f"{received.state} {received.reason}")
    return found + _beside(waiting, at, form) + _answer(waiting, at, form)


def _filed(here: Campaign, seat: str, mine: SeatOrders) -> tuple[Any, ...]:
    sheet = None if mine.sheet is None else canonical(here, seat, mine.sheet.orders)
    held = mine.sheet is not None and mine.sheet.held
    return sheet, held, canonical(here, seat, mine.standing), mine.stance, _replies(here, seat, mine)


def _replies(here: Campaign, seat: str, mine: SeatOrders) -> str:
    """Numbered answers, as order lines."""
    if not mine.replies:
        return ""
    asks = dict(here.open_asks()[Seat(seat)])
    answers = {
        one: here.table.codec.answer(reply.topic, json.loads(reply.answer))
        for one, reply in mine.replies.items()
    }
    write = here.terms.game.notation.write_answer
    return "\n".join(
        write(asks[one], answer, "en", here.table.view(Seat(seat))) for one, answer in answers.items()
    )


def canonical(here: Campaign, seat: str, lines: str) -> str:
    """As the game writes it; what it cannot read stays and shows."""
    if not lines:
        return ""
    reading = here.read(Seat(seat), lines)
    written = sorted((*reading.orders, *reading.standing), key=lambda line: line.number)
    return "\n".join([*(line.write() for line in written), *(one.text for one in reading.refusals)])


def _asked(at: AtHand, seat: str, received: RawMail) -> tuple[str, ...]:
    """The codes of what is asked back: what CONFIRM would grant, or why the letter must be sent again."""
    open_ones = open_questions(at.db, at.name, seat)
    codes = [code for one in open_ones for code in one.data["codes"]]
    if received.state == "refused" and received.reason not in TOLD:
        codes.append(received.reason or "")
    return tuple(sorted(codes))


def _beside(waiting: Waiting, at: AtHand, form: Form) -> list[str]:
    """Nothing else in the store has changed."""
    rows = rows_of(waiting.folder / "mail.db")
    changed = [name for name in rows if rows[name] != waiting.rows[name] and name not in form.meant.beyond]
    return [f"{name} changed" for name in changed]


def _answer(waiting: Waiting, at: AtHand, form: Form) -> list[str]:
    """One letter, to its writer, which says what is asked."""
    with reading(at.db) as tx:
        names = tx.execute(select(outbox.c.message_id)).scalars().all()
    new = [found for name in names if name not in waiting.letters and (found := posted(at.db, name))]
    mine = [one for one in new if one.letter.seat == form.seat]
    others = tuple(sorted(f"{one.letter.kind} {one.letter.seat}" for one in new if one not in mine))
    if len(mine) != form.meant.answer or others != tuple(f"press {seat}" for seat in form.meant.press):
        return [f"{len(mine)} letters to {form.seat}; to others {others}"]
    return [wrong for one in mine for wrong in _said(at, one, form.meant)]


def _said(at: AtHand, one: Posted, meant: Meant) -> list[str]:
    kind, said = one.letter.kind, " ".join(text(one).split())
    found = [] if (kind == "question") == bool(meant.asks) else [f"a {kind} came back"]
    language = PEOPLE[one.letter.recipient][1]
    for wanted in (*(asked_words(language, code) for code in meant.asks), meant.words):
        if wanted not in said:
            found.append(f"the answer does not say “{wanted}”")
    return found


@cache
def asked_words(language: str, code: str) -> str:
    """The longest run of words in what the service asks that is always the same."""
    phrases = tomllib.loads((PHRASES / language / "reading.toml").read_text())["asked_back"]
    return max(re.split(r"\{\{.*?\}\}|\{%.*?%\}", phrases.get(code, "")), key=len).strip()


def _confirm(here: Campaign, at: AtHand, form: Form) -> list[str]:
    """CONFIRM, in reply to the question, runs just what was meant."""
    question = at.letters(form.seat, "question")[0]
    received = _hear(at, at.reply(form.seat, "CONFIRM", to=question))
    mine = read_orders(at.db, at.name).seats.get(form.seat, SeatOrders())
    sheet = None if mine.sheet is None else canonical(here, form.seat, mine.sheet.orders)
    if (received.state, sheet) != ("applied", form.meant.then):
        return [f"CONFIRM: {received.state} {received.reason}, {sheet!r} on file, not {form.meant.then!r}"]
    return []


# ------------------------------------------------------------------ the bar


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_form_is_carried_out_as_meant_or_asked_about(
    waiting: Waiting, writing: Writing, way: Callable[[Writing], Iterable[Form]], half: int
) -> None:
    judged = [judge(waiting, form) for form in [*way(writing)][half::2]]
    wrong = [f"{one.form}: {'; '.join(one.deviations)}" for one in judged if one.deviations]
    assert judged and not wrong, "\n".join([f"{len(wrong)} of {len(judged)}", *wrong])


def test_there_are_enough_of_them(writing: Writing) -> None:
    forms = [form for way in WAYS for form in way(writing)]
    programs = Counter(form.program for form in forms)
    asked = sum(bool(form.meant.asks) for form in forms)
    assert len({form.raw for form in forms}) == len(forms) >= 400
    assert len(programs) >= 12 and min(programs.values()) >= 4
    assert len(forms) - asked >= 150 and asked >= 25


def test_a_deviation_is_noticed(waiting: Waiting, writing: Writing) -> None:
    """The judge itself: each of these mails means something else than it says."""
    for meant in (
        Meant("C1: ATTACK 4\nC2: MOVE 1: DE1 DE2 > 2"),
        Meant(ATTACK, stance="ready"),
        Meant(ATTACK, standing="DRAW NO"),
        Meant(ATTACK, words="no such words"),
        Meant(ATTACK, press=("WA",)),
        Meant(asks=("doubtful-line",)),
        Meant(state="set-aside", answer=False),
    ):
        assert judge(waiting, form(writing, Row("mutt", "orders", BLOCK, meant))).verdict == "misread"
    changed = Row("mutt", "a change beside it", f"LANG fr\n{BLOCK}", Meant(ATTACK))
    assert judge(waiting, form(writing, changed)).deviations == ("people changed",)
