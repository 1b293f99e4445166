"""A campaign, loaded from the store for a letter or an advance. Short transactions begin and end an advance:

    campaign = load_campaign(db, "FWW-1")
    frozen = campaign.freeze(read_orders(db, "FWW-1"), "all-in", now)  # Close; None: look again
    run = campaign.run(frozen)  # no transaction is open, nothing is kept
    commit_advance(db, run.advance(letters, window), now)  # all of it, or nothing
    campaign.refresh()  # ready for the next Close

A run that crashed is run again from the frozen Close, by the next worker, with the same dice. A rollback is a
Close, too: what was handed in says where the new branch begins.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from engine.games import game
from engine.kernel import branches
from engine.kernel.errors import CorruptJournal, UnknownGame, WrongPack
from engine.kernel.fairness.audit import CloseRecord, Entry, Ledger
from engine.kernel.fairness.dice import Dice, NoDice
from engine.kernel.game import Line, Reading, View
from engine.kernel.journal import canonical
from engine.kernel.records import ARMISTICE, RESIGNATION, Pause
from engine.kernel.requests import Answer, Ask, Seat, Segment
from engine.kernel.sheet import OrderFile, makes_turn, newest_standing
from engine.kernel.table import Automa, Table
from pbem.campaigns.bots import bind_bot, bind_bots, bot_rng, default_bot, find_bot
from pbem.campaigns.deadlines import has_orders
from pbem.campaigns.order_file import (
    AUTOMA,
    NOTHING,
    Carried,
    FileAtClose,
    TracedOrderFile,
    carried_lines,
    collect_carried,
    counted_orders,
    own_answers,
    plain_orders,
    trace_order_file,
    write_lines,
)
from pbem.campaigns.terms import Terms, pinned_terms
from pbem.campaigns.umpire.dice import UmpiresDice, forced_faces
from pbem.store.advance import Advance, Frozen, HeadMoved, NewBranch, NextWindow, Why, freeze_close
from pbem.store.campaigns import CampaignRow, Keys, campaign_row, keys_of, lobby_rulings, pinned_rules
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
from pbem.store.people import Seated, seated, seats_held
from pbem.store.session import Db, reading
from pbem.store.windows import SeatOrders, WindowOrders

NOBODY: Final[Mapping[str, str]] = {}
NO_REPLIES: Final[Mapping[str, Answer]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvanceRun(Advance):
    """What came of a frozen Close; nothing of it is kept yet."""

    frozen: Frozen
    carried: Carried  # what stays on file of orders for this window or an earlier one
    began: Segment | None  # the segment that was open, once the game had gone back if it did
    before: Mapping[Seat, View]  # what every seat and (without one) everyone saw then

    def advance(self, letters: Sequence[OutgoingMail] = (), window: NextWindow | None = None) -> Advance:
        """For the commit. Time banks and missed windows are added with `replace`."""
        if window is not None and self.carried:
            window = replace(window, carried=canonical(self.carried).decode())
        return replace(self, letters=letters, window=window)


@dataclass(frozen=True, slots=True)
class Safe:
    """What a Close needs and a letter does not: the secrets and the last record."""

    keys: Keys
    record: CloseRecord | None


def open_safe(db: Db, name: str) -> Safe:
    return Safe(keys_of(db, name), last_record(db, name))


class Campaign:
    """A campaign loaded from the store."""

    trial_dice: Dice | None = None  # of the analysis board: nothing is audited

    def __init__(
        self, db: Db, tail: Tail, terms: Terms, safe: Callable[[], Safe], people: Sequence[Seated]
    ) -> None:
        self.db, self.name, self.terms = db, tail.standing.id, terms
        self.table = _table(terms, tail, lambda: safe().keys)
        self._opening = tail.opening.raw
        self._views: dict[Seat, tuple[Table, int, View, dict[str, Reading]]] = {}  # as of a journal line
        self._sync(tail.standing, safe, people)

    def _sync(self, row: CampaignRow, safe: Callable[[], Safe], people: Sequence[Seated]) -> None:
        """Take over what the store says of the campaign at this point of its journal."""
        self.standing_row, self._safe, self.people = row, cache(safe), people
        self.bots = {Seat(seat.seat): seat.bot for seat in people if seat.bot is not None}
        # In canonical notation.
        self.standing = {Seat(seat.seat): seat.standing for seat in people if seat.standing}
        self.carried: Carried = NOTHING  # what is left of the orders for an earlier window
        self._kept, self._snapshot = len(self.table.journal), self.table.snapshot

    def refresh(self) -> None:
        """After the commit of what it ran: ready for the next Close, as if it were loaded again."""
        with reading(self.db) as tx:
            row, safe, people = campaign_row(tx, self.name), open_safe(tx, self.name), seated(tx, self.name)
        if row.head != self.table.journal.head:
            raise HeadMoved(f"{self.name}: somebody else advanced it")
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
        """What that seat sees now. Cached: a letter looks at it again and again."""
        table, line = self.table, len(self.table.journal)
        known = self._views.get(seat)
        if known is None or known[0] is not table or known[1] != line:
            known = self._views[seat] = table, line, table.view(seat), {}
        return known[2]

    def read(self, seat: Seat, text: str) -> Reading:
        """Order lines as that seat means them, seeing what it sees now. Cached with what it sees."""
        if not text:
            return Reading()
        view, readings = self.view(seat), self._views[seat][3]
        if text not in readings:
            readings[text] = self.terms.game.notation.read(text, view)
        return readings[text]

    def order_file(self, seat: Seat, orders: str, replies: Mapping[str, Answer] = NO_REPLIES) -> OrderFile:
        """What would count for that seat with this sheet, as a rehearsal needs it.

        `replies` are answers to open questions, by the question's id.
        """
        return self._read_file(seat, orders, (self.standing.get(seat, ""),), self.carried, replies).file

    def _read_file(
        self,
        seat: Seat,
        orders: str,
        standing: Sequence[str],
        carried: Carried,
        replies: Mapping[str, Answer],
    ) -> FileAtClose:
        """Standing lines replace those of their series; new orders for a whole window replace older ones."""
        reading = self.read(seat, orders)
        lasting = newest_standing(*(self.read(seat, text).standing for text in standing), reading.standing)
        ahead: tuple[Line, ...] = ()
        if not orders.strip() or self.is_one_question:
            ahead = carried_lines(carried.get(seat, NOTHING), lambda words: self.read(seat, words))
        file = OrderFile((*reading.orders, *ahead), lasting, dict(replies))
        return FileAtClose(file, reading.orders, ahead)

    # ------------------------------------------------------------ who is in

    def is_complete(self, seat: Seat, orders: SeatOrders | None) -> bool:
        """Is nothing more to be expected of the seat in the open window, with these orders on file?

        READY completes everything. A sheet that a bad line holds waits for its correction, one that does not
        make a turn for the rest of it; single answers count when no question is left open and no bad line
        came with them.
        """
        if orders is None or self.pause is None:
            return False
        asks, sheet = dict(self.open_asks().get(seat, ())), orders.sheet
        if orders.stance == "ready":
            return True
        if sheet is not None and (sheet.held or self._makes_turn(seat, sheet.orders, tuple(asks.values()))):
            return not sheet.held
        asked, replied = set(asks), set(orders.replies)
        if replied - asked:
            return True  # the umpire's lines answer all
        return bool(replied) and asked <= replied and not orders.held_answers

    def _makes_turn(self, seat: Seat, text: str, asks: Sequence[Ask]) -> bool:
        assert self.pause is not None
        reading, terms = self.read(seat, text), self.terms
        lines, tempo = (*reading.orders, *reading.standing), terms.settings.tempo
        return makes_turn(lines, self.pause.window, asks, self.view(seat), terms.game, tempo)

    def are_all_in(self, filed: WindowOrders, awaited: Sequence[str]) -> bool:
        """Is nothing more to be expected of these seats? While one has nothing on file no sheet is read."""
        orders = {Seat(seat): filed.seats.get(seat) for seat in awaited}
        return all(map(has_orders, orders.values())) and all(
            self.is_complete(seat, own) for seat, own in orders.items()
        )

    # ------------------------------------------------------------ what was handed in

    def handed_in(
        self, filed: WindowOrders, *, held_sheets: bool, missing: Mapping[str, str] = NOBODY
    ) -> dict[str, Any]:
        """All that the advance will depend on, as plain data: sheets, replies, standing orders, bots.

        The good lines of a held sheet count (`held_sheets`) unless game or campaign says whole or nothing.
        `missing` are the seats that sent no orders, each with the measure taken.
        """
        return {
            **counted_orders(filed, held_sheets),
            "bots": dict(self.bots),
            "forced": forced_faces(unrecorded_lines(self.db, self.name)),
            "missing": dict(missing),
        }

    def file_at_close(self, seat: Seat, filed: WindowOrders, *, held_sheets: bool) -> FileAtClose:
        """What counts for that seat if the window closes now: the receipt promises what the Close keeps."""
        return self._file_from(seat, counted_orders(filed, held_sheets))

    def answers_at_close(self, seat: Seat, filed: WindowOrders, *, held_sheets: bool) -> str:
        """The digest that the seat's next entry would have, in hex."""
        umpires = {q for q, reply in filed.seats.get(seat, SeatOrders()).replies.items() if reply.umpire}
        file = self.file_at_close(seat, filed, held_sheets=held_sheets).file
        return Entry.of((), own_answers(replace(file, umpire=frozenset(umpires)))).answers

    def _file_from(self, seat: Seat, handed: Mapping[str, Any]) -> FileAtClose:
        """The seat's own file, of what was handed in."""
        orders = handed["seats"].get(seat) or plain_orders(SeatOrders(), True)
        decode, standing = self.table.codec.answer, handed["standing"].get(seat, "")
        replies = {question: decode(topic, answer) for question, (topic, answer) in orders["replies"].items()}
        lasting = (standing, orders.get("standing", ""))
        return self._read_file(seat, orders["orders"], lasting, handed.get("carried", NOTHING), replies)

    def files_from(self, handed: Mapping[str, Any]) -> dict[Seat, TracedOrderFile]:
        """The files of all seats, read as each seat means its lines now."""
        self.standing = {Seat(seat): text for seat, text in handed["standing"].items()}
        self.bots = {Seat(seat): bot for seat, bot in handed["bots"].items()}
        self.carried = handed.get("carried", NOTHING)
        files = dict[Seat, TracedOrderFile]()
        for seat in self.terms.seats:
            orders, own = (
                handed["seats"].get(seat, plain_orders(SeatOrders(), True)),
                self._file_from(seat, handed),
            )
            older = self.carried.get(seat, NOTHING)
            lines = self.read(seat, orders["lines"] or older.get("umpire", "")).orders
            whole = replace(own.file, umpire=frozenset(orders["umpire"]), umpires=lines)
            traced = trace_order_file(whole, len(own.ahead))
            files[seat] = self._seat_file(seat, traced, handed.get("missing", NOBODY).get(seat))
        return files

    def _seat_file(self, seat: Seat, file: TracedOrderFile, measure: str | None) -> TracedOrderFile:
        """With a bot that plays the open window, or some of its questions, for a seat that sent nothing."""
        goes_on = bool(self.carried.get(seat, NOTHING).get("automa"))
        if self.pause is None or not (measure == AUTOMA or goes_on):
            return file
        only = None if goes_on or not self.is_one_question else frozenset(dict(self.pause.asks))
        bot = find_bot(self.terms.game, default_bot(self.terms.game))
        rng = bot_rng(self.keys.bot_seed, "stand-in", seat, self.table.t)  # a second run plays the same
        return replace(file, plays=bind_bot(bot, rng), only=only)

    # ------------------------------------------------------------ Close, run

    def freeze(
        self,
        filed: WindowOrders,
        why: Why,
        now: datetime,
        *,
        held_sheets: bool = True,
        missing: Mapping[str, str] = NOBODY,
        changes: Mapping[str, Any] = NOTHING,
        branch: int | None = None,
    ) -> Frozen | None:
        """Freeze what is on file; None: something was filed since, look again; or the game is over.

        What was handed in is entered, then frozen with these `changes`, for that `branch` or the one in play.
        After a backup was restored, links that letters may have shown are passed over.
        """
        if self.table.over or filed.head != self.standing_row.head:
            return None
        handed = self.handed_in(filed, held_sheets=held_sheets, missing=missing)
        nothing, files = SeatOrders(), self.files_from(handed)
        entries = {
            seat: Entry.of(filed.seats.get(seat, nothing).letters, own_answers(file))
            for seat, file in files.items()
        }
        number = filed.branch if branch is None else branch
        held = seats_held(self.db, self.name)
        close = self.ledger.close(entries, number, self.standing_row.burn, held)
        return freeze_close(self.db, filed, close, canonical({**handed, **changes}).decode(), why, now)

    def freeze_rollback(
        self, filed: WindowOrders, to: str, same_dice: bool, reason: str, now: datetime
    ) -> Frozen | None:
        """Freeze a Close that goes back to the beginning of a segment, on a new branch.

        What is on file for the open window is in the entries and is not carried out: it was meant for another
        course of events. Standing orders stay.
        """
        number = next_branch_number(self.db, self.name)
        back = {"to": to, "same_dice": same_dice, "reason": reason, "branch": number}
        changes = {"seats": {}, "carried": {}, "rollback": back}
        return self.freeze(filed, "umpire", now, changes=changes, branch=number)

    def freeze_end(self, filed: WindowOrders, act: str, seats: Sequence[str], now: datetime) -> Frozen | None:
        """The Close that ends the game by ARMISTICE or RESIGNATION of these seats; None: as with `freeze`."""
        if self.pause is None:
            return None
        return self.freeze(filed, "umpire", now, held_sheets=False, changes={act: sorted(seats)})

    def run(self, frozen: Frozen) -> AdvanceRun:
        """Run a frozen Close to the next pause or the end, where the table is afterwards."""
        if frozen.head != self.standing_row.head:
            raise HeadMoved(f"{self.name}: Close {frozen.close.t} was frozen on another journal than this")
        handed, close = json.loads(frozen.handed), frozen.close
        dice: Dice = self.trial_dice or self.ledger.dice(close)
        if handed["forced"]:
            dice = UmpiresDice(handed["forced"], dice)
        branch = self._go_back(handed["rollback"], dice) if "rollback" in handed else None
        files, table, once = self.files_from(handed), self.table, self.is_one_question
        if branch is None:
            table.dice = dice
        table.automa = self.bind_bots(close.t)
        began, before = table.segment, {seat: table.view(seat) for seat in (*self.terms.seats, Seat(""))}
        ended = next((act for act in (ARMISTICE, RESIGNATION) if act in handed), "")
        if ended:
            table.end_by_agreement(map(Seat, handed[ended]), close.t, close.digest.hex(), ended)
        else:
            table.advance(files, close.t, close.digest.hex())
        lines = table.journal.since(self._kept)
        kept = [] if self.ledger.t else lobby_rulings(self.db, self.name)
        new_lines = kept + [line.data for line in (*unrecorded_lines(self.db, self.name), *lines)]
        after = {seat: write_lines(file.standing) for seat, file in files.items()}
        return AdvanceRun(
            frozen=frozen,
            campaign=self.name,
            expected=frozen.head,
            first=self._kept,
            lines=lines,
            record=self.ledger.record(close, new_lines if self.trial_dice is None else ()),
            snapshot=None if table.snapshot is self._snapshot else table.snapshot,
            standing={str(s): text for s, text in after.items() if text != self.standing.get(s, "")},
            carried=collect_carried(table, once, self.carried),
            began=began,
            before=before,
            branch=branch,
        )

    # ------------------------------------------------------------ other courses

    def course(self) -> branches.Course:
        """The campaign's past on the branch in play."""
        terms, lines = self.terms, read_journal(self.db, self.name)
        snapshots, branch = read_snapshots(self.db, self.name), self.standing_row.branch
        return branches.Course(terms.game, terms.pack, terms.settings, snapshots, lines, branch=branch)

    def _go_back(self, back: Mapping[str, Any], dice: Dice) -> NewBranch:
        """Set the table back to where that segment began; nothing of the new branch is run yet.

        Orders are asked for anew: the window in which the segment was played does not count as closed.
        """
        course = self.course()
        roll_back = branches.same_dice if back["same_dice"] else branches.roll_back
        table = roll_back(course, back["to"], back["branch"], dice, back["reason"])
        table.window = ""
        self.table, self._snapshot = table, table.snapshot
        self._kept = fork = len(table.journal) - 1  # the branch's own first line is written
        return NewBranch(back["branch"], course.branch, fork, back["reason"])


def load_campaign(db: Db, name: str) -> Campaign:
    """The campaign as it is now: first line, last snapshot, the lines after it, the last record."""
    with reading(db) as tx:
        tail, safe, people = read_tail(tx, name), open_safe(tx, name), seated(tx, name)
    return _load(db, tail, lambda: safe, people)


def load_open_campaign(db: Db, row: CampaignRow, people: Sequence[Seated]) -> Campaign:
    """The same for a letter: nothing is closed, and secrets are read only when they are needed.

    `row`, `people`: as they were read in the same transaction.
    """
    return _load(db, read_tail(db, row.id, row), lambda: open_safe(db, row.id), people)


def _load(db: Db, tail: Tail, safe: Callable[[], Safe], people: Sequence[Seated]) -> Campaign:
    return Campaign(db, tail, pinned_terms(tail.opening, pack_folder(db, tail.standing)), safe, people)


def pack_folder(db: Db, row: CampaignRow) -> Path | None:
    """The campaign's own tables; a relative path starts at the folder of a SQLite file."""
    return Path(db.engine.url.database or "").parent / row.pack if row.pack else None


def _table(terms: Terms, tail: Tail, keys: Callable[[], Keys]) -> Table:
    """In the lobby nothing has been run: the table is behind its first line."""
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
    """The rules that the campaign was begun with; None: those that this code has."""
    pinned = Rules(*pinned_rules(db, name))
    try:
        ours = Rules(pinned.game, game(pinned.game).rules_version)
    except UnknownGame:
        return pinned
    return None if pinned == ours else pinned


def pass_on_if_others(db: Db, name: str, error: Exception) -> None:
    """Raise HasOtherRules if that is why the campaign could not be loaded here."""
    if isinstance(error, WrongPack | UnknownGame) and other_rules(db, name) is not None:
        raise HasOtherRules(name) from None
