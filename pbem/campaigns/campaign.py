"""A campaign in the database: the same steps as in a folder, with a short transaction at either end.

    here = take_up(db, "FWW-1")
    frozen = here.freeze(on_file(db, "FWW-1"), "all-in", now)  # Close; None: look again
    ran = here.run(frozen)  # no transaction is open, nothing is kept
    commit_advance(db, ran.advance(letters, window), now)  # all of it, or nothing

A run that broke off is run again from the frozen Close, by whoever comes next, with the same dice. A
rollback is a Close, too: what was handed in says where the new branch begins.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from engine.games import game
from engine.kernel import branches
from engine.kernel.errors import CorruptJournal, UnknownGame, WrongPack
from engine.kernel.fairness.audit import Close, CloseRecord, Entry, Ledger
from engine.kernel.fairness.dice import Dice, NoDice
from engine.kernel.journal import JournalLine, canonical
from engine.kernel.records import ARMISTICE, RESIGNATION, Snapshot
from engine.kernel.requests import Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Automa, Table
from pbem.campaigns.bots import automas
from pbem.campaigns.desk import Desk, Handed, standing_texts
from pbem.campaigns.folder import resumed, terms_of
from pbem.campaigns.order_file import (
    AUTOMA,
    NOTHING,
    Carried,
    TracedOrderFile,
    add_automa,
    collect_carried,
    read_carried,
    trace_order_file,
)
from pbem.campaigns.terms import Terms
from pbem.campaigns.umpire.dice import UmpiresDice, forced_faces
from pbem.store.advance import Advance, Frozen, HeadMoved, NewBranch, NextWindow, Why, freeze_close
from pbem.store.campaigns import CampaignRow, Keys, keys_of, pinned_rules
from pbem.store.journal import (
    Tail,
    last_record,
    lines_not_told,
    next_branch_number,
    read_journal,
    read_records,
    read_snapshots,
    read_tail,
)
from pbem.store.outbox import Outgoing
from pbem.store.people import Seated, seated
from pbem.store.session import Db, reading
from pbem.store.windows import SeatOrders, WindowOrders

NOBODY: Final[Mapping[str, str]] = {}
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

    def advance(self, letters: Sequence[Outgoing] = (), window: NextWindow | None = None) -> Advance:
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


class Campaign(Desk):
    """A campaign taken up from the database, for one Close."""

    def __init__(
        self, db: Db, tail: Tail, terms: Terms, safe: Callable[[], Safe], people: Sequence[Seated]
    ) -> None:
        self._safe = cache(safe)
        table = _table(terms, tail, lambda: self._safe().keys)
        super().__init__(terms, table, b"")
        self.db, self.name, self.standing_row = db, tail.standing.id, tail.standing
        self.bots = {Seat(one.seat): one.bot for one in people if one.bot is not None}
        self._opening = tail.opening.raw
        self._kept, self._snapshot = len(table.journal), table.snapshot

    @property
    def keys(self) -> Keys:
        return self._safe().keys

    @cached_property
    def ledger(self) -> Ledger:
        last = self._safe().record
        records = [] if last is None else [last]
        return Ledger(self._opening, self.keys.dice, records, lambda: read_records(self.db, self.name))

    def automas(self, t: int) -> dict[Seat, Automa]:
        return automas(self.terms.game, self.bots, self.keys.bot_seed, t)

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
            "forced": forced_faces(lines_not_told(self.db, self.name)),
            "missing": dict(missing),
            "carried": dict(read_carried(filed.window)),
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
            on_file = self.on_file(seat, Handed(one["orders"], replies))
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
        return add_automa(file, self.terms.game, seat, self.keys.bot_seed, self.table.t, only)

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
        table.automa = self.automas(close.t)
        ended = next((act for act in (ARMISTICE, RESIGNATION) if act in handed), "")
        if ended:
            table.end_by_agreement(map(Seat, handed[ended]), close.t, close.digest.hex(), ended)
        else:
            table.advance(files, close.t, close.digest.hex())
        lines = table.journal.since(self._kept)
        told = [line.data for line in (*lines_not_told(self.db, self.name), *lines)]
        record = self.ledger.record(close, told)
        snapshot = None if table.snapshot is self._snapshot else table.snapshot
        after = standing_texts(files)
        changed = {seat: after.get(seat, "") for seat in self.terms.seats}
        kept = {str(seat): text for seat, text in changed.items() if text != self.standing.get(seat, "")}
        carried = collect_carried(table, once, self.carried)
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
    terms = terms_of([tail.opening], Path(tail.standing.pack) if tail.standing.pack else None)
    campaign = Campaign(db, tail, terms, safe, people)
    campaign.standing = {Seat(one.seat): one.standing for one in people if one.standing}
    return campaign


def _table(terms: Terms, tail: Tail, keys: Callable[[], Keys]) -> Table:
    """In the lobby nothing has been run: the table stands behind its first line."""
    if len(tail.lines) > 1 or tail.snapshot is not None:
        return resumed(terms, tail.snapshot, tail.lines)
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
