"""A campaign in the database: Close, run, commit, with a short transaction at either end.

    here = load_campaign(db, "FWW-1")
    frozen = here.freeze(read_orders(db, "FWW-1"), "all-in", now)  # Close; None: look again
    ran = here.run(frozen)  # no transaction is open, nothing is kept
    commit_advance(db, ran.advance(letters, window), now)  # all of it, or nothing
    here.refresh()  # ready for the next Close

A run that broke off is run again from the frozen Close, by whoever comes next, with the same dice. A
rollback is a Close, too: what was handed in says where the new branch begins.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from engine.games import game
from engine.kernel import branches
from engine.kernel.errors import CorruptJournal, UnknownGame, WrongPack
from engine.kernel.fairness.audit import Close, CloseRecord, Entry, Ledger
from engine.kernel.fairness.dice import Dice, Drawn, NoDice, Rolled, Shuffled
from engine.kernel.game import Line, Reading, View
from engine.kernel.journal import JournalLine, canonical
from engine.kernel.records import ARMISTICE, RESIGNATION, Pause, Snapshot
from engine.kernel.replay import is_kind
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Automa, Table
from pbem.campaigns.bots import bind_bots
from pbem.campaigns.order_file import (
    AUTOMA,
    NOTHING,
    Carried,
    TracedOrderFile,
    carried_into,
    carried_lines,
    carried_on,
    trace_order_file,
    with_automa,
)
from pbem.campaigns.terms import Terms, pinned_terms
from pbem.store.advance import Advance, Frozen, HeadMoved, NewBranch, NextWindow, Why, freeze_close
from pbem.store.campaigns import CampaignRow, Keys, keys_of, pinned_rules
from pbem.store.campaigns import campaign as campaign_row
from pbem.store.journal import (
    Tail,
    last_record,
    next_branch_number,
    read_journal,
    read_records,
    read_snapshots,
    read_tail,
    unrecorded_lines,
)
from pbem.store.outbox import OutgoingMail
from pbem.store.people import Seated, seated
from pbem.store.session import Db, reading
from pbem.store.windows import SeatOrders, WindowOrders

NOBODY: Final[Mapping[str, str]] = {}
NO_REPLIES: Final[Mapping[str, Answer]] = {}
UMPIRES_LINES: Final = "*"  # in place of a question: order lines that the umpire wrote for a seat


@dataclass(frozen=True, slots=True)
class AdvanceRun:
    """What came of a frozen Close; nothing of it is kept yet."""

    frozen: Frozen
    first: int  # number of the first new line
    lines: Sequence[JournalLine] = field(repr=False)
    record: CloseRecord = field(repr=False)
    snapshot: Snapshot | None = field(repr=False)
    standing: Mapping[str, str]  # of the seats whose standing orders changed
    carried: Carried  # what stays on file of orders for this window or an earlier one
    branch: NewBranch | None = None  # a rollback began it

    def advance(self, letters: Sequence[OutgoingMail] = (), window: NextWindow | None = None) -> Advance:
        """For the commit. Time banks and missed windows are added with `replace`."""
        if window is not None and self.carried:
            window = replace(window, carried=canonical(self.carried).decode())
        return Advance(
            self.frozen.campaign,
            self.frozen.head,
            self.first,
            self.lines,
            self.record,
            self.snapshot,
            self.standing,
            letters,
            window,
            self.branch,
        )


@dataclass(frozen=True, slots=True)
class Safe:
    """What a Close needs, and a letter that is only heard does not: the secrets and the last record."""

    keys: Keys
    record: CloseRecord | None


def open_safe(db: Db, name: str) -> Safe:
    return Safe(keys_of(db, name), last_record(db, name))


class Campaign:
    """A campaign loaded from the database."""

    def __init__(
        self, db: Db, tail: Tail, terms: Terms, safe: Callable[[], Safe], people: Sequence[Seated]
    ) -> None:
        self.db, self.name, self.terms = db, tail.standing.id, terms
        self.table = _table(terms, tail, lambda: safe().keys)
        self._opening = tail.opening.raw
        self._views: dict[Seat, tuple[Table, int, View]] = {}  # each as of a line of the journal
        self._sync(tail.standing, safe, people)

    def _sync(self, row: CampaignRow, safe: Callable[[], Safe], people: Sequence[Seated]) -> None:
        """What the store says of the campaign where its table stands."""
        self.standing_row, self._safe = row, cache(safe)
        self.bots = {Seat(one.seat): one.bot for one in people if one.bot is not None}
        self.standing = {Seat(one.seat): one.standing for one in people if one.standing}  # canonical notation
        self.carried: Carried = NOTHING  # what is left of the orders for an earlier window
        self._kept, self._snapshot = len(self.table.journal), self.table.snapshot

    def refresh(self) -> None:
        """After the commit of what it ran: ready for the next Close, as if it were loaded again."""
        with reading(self.db) as tx:
            row, safe, people = campaign_row(tx, self.name), open_safe(tx, self.name), seated(tx, self.name)
        if row.head != self.table.journal.head:
            raise HeadMoved(f"{self.name}: somebody else went on with it")
        self._sync(row, lambda: safe, people)
        self.__dict__.pop("ledger", None)

    @property
    def keys(self) -> Keys:
        return self._safe().keys

    @cached_property
    def ledger(self) -> Ledger:
        last = self._safe().record
        records = [] if last is None else [last]
        return Ledger(self._opening, self.keys.dice, records, lambda: read_records(self.db, self.name))

    def bind_bots(self, t: int) -> dict[Seat, Automa]:
        return bind_bots(self.terms.game, self.bots, self.keys.bot_seed, t)

    # ------------------------------------------------------------ the open window

    @property
    def pause(self) -> Pause | None:
        return self.table.pause

    @property
    def is_one_question(self) -> bool:
        """Of the open window: what was ordered for the one around it stays on file."""
        return self.pause is not None and self.pause.window.once

    def open_asks(self) -> dict[Seat, list[tuple[str, Ask]]]:
        """The open questions of each seat that no bot holds."""
        asks: dict[Seat, list[tuple[str, Ask]]] = {}
        for question, ask in self.pause.asks if self.pause is not None else ():
            if ask.seat not in self.bots:
                asks.setdefault(ask.seat, []).append((question, ask))
        return asks

    def view(self, seat: Seat) -> View:
        """What that seat sees now: a letter is read in it again and again, and nothing happens meanwhile."""
        table, line = self.table, len(self.table.journal)
        known = self._views.get(seat)
        if known is None or known[0] is not table or known[1] != line:
            known = self._views[seat] = table, line, table.view(seat)
        return known[2]

    def read(self, seat: Seat, text: str) -> Reading:
        """Order lines as that seat means them, seeing what it sees now."""
        return self.terms.game.notation.read(text, self.view(seat)) if text else Reading()

    def order_file(self, seat: Seat, orders: str, replies: Mapping[str, Answer] = NO_REPLIES) -> OrderFile:
        """What counts for that seat when the window closes; standing lines replace those of their slot.

        `replies` are answers to open questions, by the question's id.
        """
        reading = self.read(seat, orders)
        standing = self.read(seat, self.standing.get(seat, "")).standing
        slots = {line.slot(): line for line in (*standing, *reading.standing)}
        left_over: tuple[Line, ...] = ()
        if not orders.strip() or self.is_one_question:  # new orders for a whole window replace older ones
            left_over = carried_lines(self.carried.get(seat, NOTHING), lambda words: self.read(seat, words))
        return OrderFile((*reading.orders, *left_over), tuple(slots.values()), dict(replies))

    # ------------------------------------------------------------ what was handed in

    def handed_in(
        self, filed: WindowOrders, *, held_sheets: bool, missing: Mapping[str, str] = NOBODY
    ) -> dict[str, Any]:
        """All that the advance will depend on, as plain data: sheets, replies, standing orders, bots.

        The good lines of a held sheet count (`held_sheets`) unless game or campaign says whole or nothing.
        `missing` are the seats that sent no orders, each with the measure taken.
        """
        seats = sorted(filed.seats.items())
        return {
            "seats": {seat: _plain(told, held_sheets) for seat, told in seats},
            "standing": {seat: told.standing for seat, told in seats if told.standing},
            "bots": dict(self.bots),
            "forced": forced_faces(unrecorded_lines(self.db, self.name)),
            "missing": dict(missing),
            "carried": dict(carried_into(filed.window)),
        }

    def files_from(self, handed: Mapping[str, Any]) -> dict[Seat, TracedOrderFile]:
        """The files of all seats, read as each seat means its lines now."""
        self.standing = {Seat(seat): text for seat, text in handed["standing"].items()}
        self.bots = {Seat(seat): bot for seat, bot in handed["bots"].items()}
        self.carried = handed.get("carried", NOTHING)
        decode, files = self.table.codec.answer, dict[Seat, TracedOrderFile]()
        for seat in self.terms.seats:
            one = handed["seats"].get(seat, _plain(SeatOrders(), True))
            replies = {
                question: decode(topic, answer) for question, (topic, answer) in one["replies"].items()
            }
            on_file = self.order_file(seat, one["orders"], replies)
            older = self.carried.get(seat, NOTHING)
            lines = self.read(seat, one["lines"] or older.get("umpire", "")).orders
            whole = replace(on_file, umpire=frozenset(one["umpire"]), umpires=lines)
            files[seat] = self._seat_file(seat, whole, handed.get("missing", NOBODY).get(seat))
        return files

    def _seat_file(self, seat: Seat, on_file: OrderFile, measure: str | None) -> TracedOrderFile:
        file, goes_on = trace_order_file(on_file), bool(self.carried.get(seat, NOTHING).get("automa"))
        if self.pause is None or not (measure == AUTOMA or goes_on):
            return file
        only = None if goes_on or not self.is_one_question else frozenset(dict(self.pause.asks))
        return with_automa(file, self.terms.game, seat, self.keys.bot_seed, self.table.t, only)

    # ------------------------------------------------------------ Close, run

    def freeze(
        self,
        filed: WindowOrders,
        why: Why,
        now: datetime,
        *,
        held_sheets: bool = True,
        missing: Mapping[str, str] = NOBODY,
    ) -> Frozen | None:
        """Freeze what is on file; None: something was filed since, look again; or the game is over."""
        if self.table.over or filed.head != self.standing_row.head:
            return None
        handed = self.handed_in(filed, held_sheets=held_sheets, missing=missing)
        close = self._close(filed, self.files_from(handed), filed.branch)
        return freeze_close(self.db, filed, close, canonical(handed).decode(), why, now)

    def freeze_rollback(
        self, filed: WindowOrders, to: str, same_dice: bool, reason: str, now: datetime
    ) -> Frozen | None:
        """Freeze a Close that goes back to the beginning of a segment, on a new branch.

        What is on file for the open window stands in the entries and is not carried out: it was meant for
        another course of events. Standing orders stay.
        """
        if self.table.over or filed.head != self.standing_row.head:
            return None
        handed = self.handed_in(filed, held_sheets=True)
        number = next_branch_number(self.db, self.name)
        close = self._close(filed, self.files_from(handed), number)
        back = {"to": to, "same_dice": same_dice, "reason": reason, "branch": number}
        whole = canonical(handed | {"seats": {}, "carried": {}, "rollback": back}).decode()
        return freeze_close(self.db, filed, close, whole, "umpire", now)

    def freeze_end(self, filed: WindowOrders, act: str, seats: Sequence[str], now: datetime) -> Frozen | None:
        """The Close that ends the game by ARMISTICE or RESIGNATION of these seats; None: as with `freeze`."""
        if self.pause is None or filed.head != self.standing_row.head:
            return None
        handed = self.handed_in(filed, held_sheets=False) | {act: sorted(seats)}
        close = self._close(filed, self.files_from(handed), filed.branch)
        return freeze_close(self.db, filed, close, canonical(handed).decode(), "umpire", now)

    def _close(self, filed: WindowOrders, files: Mapping[Seat, OrderFile], branch: int) -> Close:
        """After a backup was restored, links that letters may have shown are passed over."""
        nothing = SeatOrders()
        entries = {
            seat: Entry.of(filed.seats.get(seat, nothing).letters, _answers(on_file))
            for seat, on_file in files.items()
        }
        return self.ledger.close(entries, branch, self.standing_row.burn)

    def run(self, frozen: Frozen) -> AdvanceRun:
        """Carry a frozen Close out, to the next pause or the end. The table stands there afterwards."""
        if frozen.head != self.standing_row.head:
            raise HeadMoved(f"{self.name}: Close {frozen.close.t} was frozen on another journal than this")
        handed, close = json.loads(frozen.handed), frozen.close
        dice: Dice = self.ledger.dice(close)
        if handed["forced"]:
            dice = UmpiresDice(handed["forced"], dice)
        branch = self._go_back(handed["rollback"], dice) if "rollback" in handed else None
        files, table, once = self.files_from(handed), self.table, self.is_one_question
        if branch is None:
            table.dice = dice
        table.automa = self.bind_bots(close.t)
        ended = next((act for act in (ARMISTICE, RESIGNATION) if act in handed), "")
        if ended:
            table.end_by_agreement(map(Seat, handed[ended]), close.t, close.digest.hex(), ended)
        else:
            table.advance(files, close.t, close.digest.hex())
        lines = table.journal.since(self._kept)
        told = [line.data for line in (*unrecorded_lines(self.db, self.name), *lines)]
        record = self.ledger.record(close, told)
        snapshot = None if table.snapshot is self._snapshot else table.snapshot
        after = {seat: "\n".join(line.write("en") for line in file.standing) for seat, file in files.items()}
        kept = {str(seat): text for seat, text in after.items() if text != self.standing.get(seat, "")}
        carried = carried_on(table, once, self.carried)
        return AdvanceRun(frozen, self._kept, lines, record, snapshot, kept, carried, branch)

    # ------------------------------------------------------------ other courses

    def course(self) -> branches.Course:
        """The campaign's past on the branch in play."""
        terms, lines = self.terms, read_journal(self.db, self.name)
        snapshots = read_snapshots(self.db, self.name)
        told = (terms.game, terms.pack, terms.settings, snapshots, lines)
        return branches.Course(*told, branch=self.standing_row.branch)

    def _go_back(self, back: Mapping[str, Any], dice: Dice) -> NewBranch:
        """The table as it stood when that segment began; nothing of the new branch is run yet.

        Orders are asked for anew: the window in which the segment was played does not count as closed.
        """
        course, told = self.course(), (back["to"], back["branch"], dice, back["reason"])
        again = branches.same_dice if back["same_dice"] else branches.roll_back
        table = again(course, *told)
        table.window = ""
        self.table, self._snapshot = table, table.snapshot
        self._kept = fork = len(table.journal) - 1  # the branch's own first line is written
        return NewBranch(back["branch"], course.branch, fork, back["reason"])


def _plain(told: SeatOrders, held_sheets: bool) -> dict[str, Any]:
    counts = told.sheet is not None and (held_sheets or not told.sheet.held)
    replies = {q: [one.topic, json.loads(one.answer)] for q, one in told.replies.items()}
    _, lines = replies.pop(UMPIRES_LINES, ("", ""))
    return {
        "orders": told.sheet.orders if told.sheet is not None and counts else "",
        "replies": replies,
        "umpire": sorted(q for q, reply in told.replies.items() if reply.umpire and q in replies),
        "lines": lines,
    }


def _answers(on_file: OrderFile) -> list[str]:
    """The seat's own answers, in canonical notation; the umpire's are in no entry."""
    own = {question: answer for question, answer in on_file.replies.items() if question not in on_file.umpire}
    return replace(on_file, replies=own).canonical().splitlines()


def load_campaign(db: Db, name: str) -> Campaign:
    """The campaign as it stands: first line, last snapshot, the lines after it, the last record."""
    with reading(db) as tx:
        tail, safe, people = read_tail(tx, name), open_safe(tx, name), seated(tx, name)
    return _taken_up(db, tail, lambda: safe, people)


def load_open_campaign(db: Db, here: CampaignRow, people: Sequence[Seated]) -> Campaign:
    """The same for a letter that is heard: nothing is closed, and the safe stays shut unless it is asked for.

    `here`, `people`: as they were read in the same view of the database.
    """
    return _taken_up(db, read_tail(db, here.id, here), lambda: open_safe(db, here.id), people)


def _taken_up(db: Db, tail: Tail, safe: Callable[[], Safe], people: Sequence[Seated]) -> Campaign:
    return Campaign(db, tail, pinned_terms(tail.opening, pack_folder(db, tail.standing)), safe, people)


def pack_folder(db: Db, row: CampaignRow) -> Path | None:
    """The campaign's own tables; a relative path is seen from the folder of a SQLite file."""
    return Path(db.engine.url.database or "").parent / row.pack if row.pack else None


def _table(terms: Terms, tail: Tail, keys: Callable[[], Keys]) -> Table:
    """In the lobby nothing has been run: the table stands behind its first line."""
    if len(tail.lines) > 1 or tail.snapshot is not None:
        known = (terms.game, terms.pack, terms.settings)
        if tail.snapshot is None:
            return Table.replay(*known, tail.lines, NoDice())
        return Table.resume(*known, tail.snapshot, tail.lines, NoDice())
    table = Table.start(terms.game, terms.pack, terms.settings, NoDice(), **keys().dice.commitments)
    if table.journal.lines != tail.lines:
        raise CorruptJournal(
            f"{tail.standing.id}: the first line does not pin these terms and this dice anchor"
        )
    return table


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game, in one version."""

    game: str
    version: str


class HasOtherRules(Exception):
    """Workers with the rules of that campaign have to see to it."""

    def __init__(self, campaign: str) -> None:
        super().__init__(campaign)
        self.campaign = campaign


def other_rules(db: Db, name: str) -> Rules | None:
    """The rules which the campaign was begun with; None: those that this code has."""
    pinned = Rules(*pinned_rules(db, name))
    try:
        ours = Rules(pinned.game, game(pinned.game).rules_version)
    except UnknownGame:
        return pinned
    return None if pinned == ours else pinned


def pass_on_if_others(db: Db, name: str, error: Exception) -> None:
    """Raises HasOtherRules if that is why the campaign could not be taken up here."""
    if isinstance(error, WrongPack | UnknownGame) and other_rules(db, name) is not None:
        raise HasOtherRules(name) from None


class UmpiresDice:
    """Faces one after the other, then the dice of the Close; hidden chance is never forced.

    A roll is forced as a whole or not at all. Where the faces that are left do not fit the next roll (too
    few, or a face that the die lacks) they lapse and the roll is an ordinary one: a slip of the umpire must
    not bring a campaign to a halt. Journal and letters say of each roll which it was.
    """

    __slots__ = ("_faces", "_then", "source")

    def __init__(self, faces: Iterable[int], then: Dice) -> None:
        self.source = "forced"
        self._faces, self._then = deque(faces), then

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        shown = tuple(self._faces)[:dice]
        if len(shown) < dice or any(not 1 <= face <= sides for face in shown):
            self._faces.clear()
            return self._then.roll(label, dice, sides)
        for _ in shown:
            self._faces.popleft()
        return Rolled(shown, self.source)

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        return self._then.draw(label, items, count)

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        return self._then.shuffle(label, cards)


def forced_faces(lines: Iterable[JournalLine]) -> list[int]:
    """The faces forced by these lines; the umpire's acts of the open window are meant."""
    rulings: list[Mapping[str, Any]] = [line.data for line in lines if is_kind(line, "ruling")]
    acts = [ruling["data"] for ruling in rulings if ruling["act"] == FORCE_DICE]
    return [face for data in acts for face in data["public"]["faces"]]


FORCE_DICE: Final = "force-dice"  # the act's name in the journal
