"""What is on file for the open window: sheets, replies, standing orders, stances, and the marks of letters.

Filing names the window that is meant. Once its Close is frozen nothing more can be filed for it: what
arrives later counts for the next one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Table,
    bindparam,
    case,
    cast,
    delete,
    false,
    func,
    literal,
    null,
    select,
    true,
    union_all,
    update,
)
from sqlalchemy.engine import Connection, Row
from sqlalchemy.types import Boolean, String

from engine.kernel.fairness.audit import SentMark
from pbem.store import schema_mail as mail
from pbem.store.campaigns import CampaignRow, NoSuchCampaign, find_campaign, lock, touch_for_filing
from pbem.store.columns import RowId, UtcDateTime
from pbem.store.schema import campaigns
from pbem.store.session import (
    Db,
    all_rows,
    dialect_insert,
    one_row,
    reading,
    transaction_notes,
    writing,
)

Filing: TypeAlias = Literal["filed", "stale", "closed"]
Stance: TypeAlias = Literal["ready", "wait"]


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """The exchange of letters that a campaign waits for; `state` may also be frozen."""

    number: int
    branch: int
    key: str
    kind: str
    seats: tuple[str, ...]
    once: bool
    state: str
    opened_at: datetime
    carried: str = field(default="", repr=False)  # JSON: orders left over from an earlier window


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a letter was written, if its Date is plausible, and when the mail server accepted it."""

    arrived: datetime
    dated: datetime | None = None
    letter: int | None = None

    def is_before(self, other: Stamp) -> bool:
        """Between two letters of a seat the later Date wins if both are plausible, else the later arrival."""
        if self.dated is not None and other.dated is not None and self.dated != other.dated:
            return self.dated < other.dated
        return self.arrived < other.arrived


@dataclass(frozen=True, slots=True)
class StoredSheet:
    """Order lines: the good ones, and the sheet as written. A bad line holds the sheet."""

    orders: str
    whole: str = ""
    held: bool = False
    arrived: datetime | None = field(default=None, compare=False)  # of its letter; set by the store


@dataclass(frozen=True, slots=True)
class StoredReply:
    """An answer to an open question, as canonical JSON."""

    topic: str
    answer: str
    umpire: bool = False


@dataclass(frozen=True, slots=True)
class SeatOrders:
    """Everything one seat has on file."""

    sheet: StoredSheet | None = None
    replies: Mapping[str, StoredReply] = field(default_factory=dict)  # by the question's id
    standing: str = ""
    held_standing: str = ""  # good lines of standing orders that a bad line holds, in canonical notation
    held_answers: bool = False  # the last answers came beside a bad line
    stance: Stance | None = None
    letters: tuple[SentMark, ...] = ()  # that passed the sender proof since the last Close, as receipted

    @property
    def has_held_lines(self) -> bool:
        """Good lines, of the sheet or standing, or answers that a bad line beside them holds."""
        sheet_held = self.sheet is not None and self.sheet.held
        return sheet_held or bool(self.held_standing) or self.held_answers


@dataclass(frozen=True, slots=True)
class WindowOrders:
    """Everything on file at a revision of the campaign; a Close is frozen only if that is unchanged."""

    campaign: str
    revision: int
    branch: int
    head: bytes
    window: OpenWindow | None
    seats: Mapping[str, SeatOrders]
    held: str | None = None  # the campaign is stopped, and why
    due: tuple[Due, ...] = ()  # still to come in the window
    t: int = 0  # the last Close; also a frozen one, for what comes now counts for the next

    def place_of(self, seat: str, sent: SentMark) -> int:
        """Its place among the seat's letters since the last Close, from 1; 0: none."""
        letters = self.seats[seat].letters if seat in self.seats else ()
        return letters.index(sent) + 1 if sent in letters else 0


# ------------------------------------------------------------------ windows

_NOT_CLOSED: Final = mail.windows.c.state != "closed"
_OPEN: Final = select(mail.windows).filter_by(campaign=bindparam("name")).where(_NOT_CLOSED)


def open_window(db: Db, name: str) -> OpenWindow | None:
    """The window that is open or frozen; None: in the lobby, and when the game is over."""
    row = one_row(db, _OPEN, {"name": name})
    return None if row is None else _window(row)


def find_campaign_and_window(db: Db, name: str) -> tuple[CampaignRow, OpenWindow | None] | None:
    """The campaign of that name, ignoring case, with its open or frozen window; None: there is none."""
    with reading(db) as tx:
        row = tx.execute(_CAMPAIGN_AND_WINDOW, {"name": name.upper()}).one_or_none()  # the usual case
        if row is None:
            standing = find_campaign(tx, name)
            return None if standing is None else (standing, open_window(tx, standing.id))
    told = row._mapping
    standing = CampaignRow(**{column.name: told[column] for column in campaigns.c})
    there = {column.name: told[column] for column in mail.windows.c}
    return standing, None if there["number"] is None else _window(there)


def find_window(db: Db, name: str, number: int) -> OpenWindow | None:
    """A window of that campaign, closed or not."""
    row = one_row(db, select(mail.windows).filter_by(campaign=name, number=number))
    return None if row is None else _window(row)


def all_windows(db: Db, name: str) -> list[OpenWindow]:
    """Every window the campaign ever had, on all branches, in order."""
    chosen = select(mail.windows).filter_by(campaign=name).order_by(mail.windows.c.number)
    return [_window(row) for row in all_rows(db, chosen)]


def _window(row: Mapping[Any, Any]) -> OpenWindow:
    told = {one.name: row[one.name] for one in fields(OpenWindow)}
    return OpenWindow(**told | {"seats": tuple(row["seats"])})


def _may_file(tx: Connection, name: str, window: int) -> bool:
    """Lock the campaign; True if that window is open, which nobody else can close then.

    To be asked after the lock: what was read with it may be older than the wait for it.
    """
    lock(tx, name)
    here = open_window(tx, name)
    return here is not None and here.number == window and here.state == "open"


# ------------------------------------------------------------------ filing


def file_sheet(db: Db, name: str, window: int, seat: str, sheet: StoredSheet, stamp: Stamp) -> Filing:
    """Store a sheet in place of an older one; a newer one stays."""
    values = {"orders": sheet.orders, "whole": sheet.whole, "held": sheet.held}
    return _file(db, mail.sheets, {"campaign": name, "window": window, "seat": seat}, values, stamp)


def file_reply(
    db: Db, name: str, window: int, seat: str, question: str, reply: StoredReply, stamp: Stamp
) -> Filing:
    """Store an answer in place of an older one; a newer one stays."""
    values = {"topic": reply.topic, "answer": reply.answer, "umpire": reply.umpire}
    key = {"campaign": name, "window": window, "seat": seat, "question": question}
    return _file(db, mail.replies, key, values, stamp)


def drop_held(db: Db, name: str, window: int, seat: str, what: str) -> None:
    """Later standing orders or answers take their place."""
    with writing(db) as tx:
        held = {"campaign": name, "window": window, "seat": seat, "question": what}
        tx.execute(delete(mail.replies).filter_by(**held))


def sheet_on_file(db: Db, name: str, window: int, seat: str) -> StoredSheet | None:
    """The seat's own, which a later one would replace."""
    row = one_row(db, select(mail.sheets).filter_by(campaign=name, window=window, seat=seat))
    return None if row is None else StoredSheet(row["orders"], row["whole"], row["held"])


def rewrite_sheet(db: Db, name: str, window: int, seat: str, orders: str, whole: str) -> None:
    """Change the text of a sheet on file; it remains that of its letter."""
    with writing(db) as tx:
        mine = update(mail.sheets).filter_by(campaign=name, window=window, seat=seat)
        tx.execute(mine.values(orders=orders, whole=whole))


def _file(db: Db, table: Table, key: dict[str, Any], values: dict[str, Any], stamp: Stamp) -> Filing:
    stamped = {"letter": stamp.letter, "dated_at": stamp.dated, "arrived_at": stamp.arrived}
    with writing(db) as tx:
        lock(tx, key["campaign"])
        told = _upsert_newer(table, tx.dialect.name)
        replies = tx.execute(told, key | values | stamped).scalar_one_or_none()
        if replies is None:
            return "stale" if _may_file(tx, key["campaign"], key["window"]) else "closed"
        none = (_NO_REPLIES, f"{key['campaign']}/{key['window']}/{key['seat']}")
        if table is mail.replies:
            transaction_notes(tx).discard(none)
        elif replies == 0:
            transaction_notes(tx).add(none)
        touch_for_filing(tx, key["campaign"])
    return "filed"


_NO_REPLIES: Final = "no replies"
# In place of a question: what a bad line holds. The Close of the window takes such standing orders.
HELD_STANDING: Final = "STANDING"
HELD_ANSWERS: Final = "ANSWERS"


_OWN_REPLIES: Final = (
    select(mail.replies)
    .filter_by(**{name: bindparam(name) for name in ("campaign", "window", "seat")})
    .where(~mail.replies.c.umpire)
)


@cache
def _upsert_newer(table: Table, dialect: str) -> Any:
    """Store a row if its window is open; tells how many answers the seat had on file."""
    windows = mail.windows
    here = (windows.c.campaign == bindparam("campaign"), windows.c.number == bindparam("window"))
    is_open = select(literal(1)).where(*here, windows.c.state == "open").exists()
    replies = select(func.count()).select_from(_OWN_REPLIES.subquery()).scalar_subquery()
    return upsert_newer_if(is_open, table, dialect).returning(replies)


def upsert_newer_if(may_file: ColumnElement[bool], table: Table, dialect: str) -> Any:
    """Store a row if that is true, unless a later letter's is there."""
    names = [column.name for column in table.c]
    row = select(*(bindparam(name, type_=table.c[name].type) for name in names))
    new = dialect_insert(dialect)(table).from_select(names, row.where(may_file))
    keys = [column.name for column in table.primary_key.columns]
    rest = {name: new.excluded[name] for name in names if name not in keys}
    older = ~_is_before(new.excluded, table.c)
    return new.on_conflict_do_update(index_elements=keys, set_=rest, where=older)


def _is_before(told: Any, stands: Any) -> Any:
    """`Stamp.is_before` in SQL, for two sets of columns; a row without a letter is older than any."""
    both_dated = told.dated_at.is_not(None) & stands.dated_at.is_not(None)
    by_date = (both_dated & (told.dated_at != stands.dated_at), told.dated_at < stands.dated_at)
    return func.coalesce(case(by_date, else_=told.arrived_at < stands.arrived_at), false())


def filed_at(db: Db, name: str, window: int, seat: str) -> Stamp | None:
    """The stamp of the latest letter whose sheet or reply a seat has on file; None: there is none."""
    with reading(db) as tx:
        return latest_stamp(tx, (mail.sheets, mail.replies), name, seat, window)


def latest_stamp(
    tx: Connection, tables: Sequence[Table], name: str, seat: str, window: int | None
) -> Stamp | None:
    """The latest stamp of a seat's rows in these tables."""
    latest: Stamp | None = None
    for table in tables:
        here = (table.c.window == window,) if "window" in table.c else ()
        mine = (table.c.campaign == name, table.c.seat == seat, table.c.arrived_at.is_not(None), *here)
        for arrived, dated in tx.execute(select(table.c.arrived_at, table.c.dated_at).where(*mine)):
            stamp = Stamp(arrived, dated)
            if latest is None or latest.is_before(stamp):
                latest = stamp
    return latest


def drop_older_replies(db: Db, name: str, window: int, seat: str, stamp: Stamp) -> None:
    """A sheet replaces what the seat answered before it; the umpire's answers and standing orders stay."""
    mine = {"campaign": name, "window": window, "seat": seat}
    with writing(db) as tx:
        if (_NO_REPLIES, f"{name}/{window}/{seat}") in transaction_notes(tx):
            return
        for row in all_rows(tx, _OWN_REPLIES, mine):
            is_older = Stamp(row["arrived_at"], row["dated_at"]).is_before(stamp)
            if is_older and row["question"] != HELD_STANDING:
                own = delete(mail.replies).filter_by(**mine, question=row["question"])
                tx.execute(own.where(~mail.replies.c.umpire))


def cancel_orders(db: Db, name: str, window: int, seat: str) -> Filing:
    """Remove a seat's sheet, replies and held lines; standing orders and the umpire's answers stay.

    So do orders for a whole window that are sealed while a question is put in between.
    """
    mine = {"campaign": name, "window": window, "seat": seat}
    with writing(db) as tx:
        if not _may_file(tx, name, window):
            return "closed"
        tx.execute(delete(mail.sheets).filter_by(**mine))
        tx.execute(delete(mail.replies).filter_by(**mine).where(~mail.replies.c.umpire))
        _drop_carried(tx, name, seat)
        touch_for_filing(tx, name)
    return "filed"


def _drop_carried(tx: Connection, name: str, seat: str) -> None:
    """Remove the seat's orders left over from an earlier window."""
    here = open_window(tx, name)
    if here is None or here.once or not here.carried:
        return
    left = {other: told for other, told in json.loads(here.carried).items() if other != seat}
    mine = update(mail.windows).filter_by(campaign=name, number=here.number)
    tx.execute(mine.values(carried=json.dumps(left) if left else ""))


def file_stance(db: Db, name: str, window: int, seat: str, stance: Stance | None, stamp: Stamp) -> Filing:
    """Store READY or WAIT; None: neither. A later letter's stance stays."""
    key = {"campaign": name, "window": window, "seat": seat}
    return _file(db, mail.stances, key, {"stance": stance}, stamp)


# ------------------------------------------------------------------ all that is on file


def _part(what: str, table: Table, *texts: str, flag: str = "", at: str = "", number: str = "") -> Any:
    """Rows of one table in the common form: seat, three texts, a flag, a time, a number."""
    three = [table.c[name] for name in texts] + [cast(null(), String)] * (3 - len(texts))
    rest = (
        table.c[name] if name else cast(null(), kind)
        for name, kind in ((flag, Boolean), (at, UtcDateTime), (number, RowId))
    )
    labels = ("seat", "one", "two", "three", "flag", "at", "place")
    columns = zip((table.c.seat, *three, *rest), labels, strict=True)
    chosen = select(literal(what).label("part"), *(column.label(label) for column, label in columns))
    of_window = (table.c.window == _OPEN_NUMBER,) if "window" in table.c else ()
    return chosen.where(table.c.campaign == bindparam("name"), *of_window)


_OPEN_NUMBER: Final = _OPEN.with_only_columns(mail.windows.c.number).scalar_subquery()


def _everything() -> Any:
    """Campaign, open window and everything on file, in one query; letters' marks as they were receipted."""
    marks, due = mail.marks, mail.deadlines
    parts = union_all(
        _part("sheet", mail.sheets, "orders", "whole", flag="held", at="arrived_at"),
        _part("stance", mail.stances, "stance").where(mail.stances.c.stance.is_not(None)),
        _part("reply", mail.replies, "question", "topic", "answer", flag="umpire"),
        _part("mark", marks, "message_id", "signature", "salt", number="id").where(
            marks.c.t.is_(None), marks.c.message_id.is_not(None)
        ),
        _part("standing", mail.standing_orders, "text").where(mail.standing_orders.c.text != ""),
        _part("due", due, "kind", "zone", at="due_at", number="place").where(due.c.state == "waiting"),
    ).subquery()
    told = parts.c
    return (
        select(*(column.label(f"campaign_{column.name}") for column in _CAMPAIGN), mail.windows, parts)
        .select_from(_WITH_WINDOW.outerjoin(parts, true()))
        .where(campaigns.c.id == bindparam("name"))
        .order_by(told.part, told.at, told.place, told.seat, told.one)
    )


_WITH_WINDOW: Final = campaigns.outerjoin(
    mail.windows, (mail.windows.c.campaign == campaigns.c.id) & _NOT_CLOSED
)
_CAMPAIGN_AND_WINDOW: Final = (
    select(campaigns, mail.windows).select_from(_WITH_WINDOW).where(campaigns.c.id == bindparam("name"))
)
_CAMPAIGN: Final = tuple(campaigns.c[name] for name in ("revision", "branch", "head", "held", "t", "burn"))
_EVERYTHING: Final = _everything()


def read_orders(db: Db, name: str) -> WindowOrders:
    """Everything that a Close would freeze now."""
    with reading(db) as tx:
        rows = tx.execute(_EVERYTHING, {"name": name}).all()
    if not rows:
        raise NoSuchCampaign(f"there is no campaign {name}")
    here = rows[0]
    due = tuple(Due(row.one, row.at, row.two, row.seat, row.place) for row in rows if row.part == "due")
    filed = [row for row in rows if row.part not in ("due", None)]
    files = {
        seat: _seats_file([row for row in filed if row.seat == seat])
        for seat in sorted({row.seat for row in filed})
    }
    told = (here.campaign_revision, here.campaign_branch, here.campaign_head)
    window = None if here.number is None else _window(here._mapping)
    frozen = here.campaign_burn + 1 if window and window.state == "frozen" else 0
    return WindowOrders(name, *told, window, files, here.campaign_held, due, here.campaign_t + frozen)


def _seats_file(rows: Sequence[Row[Any]]) -> SeatOrders:
    sheet: StoredSheet | None = None
    stance: Stance | None = None
    standing, held, replies, letters = "", "", dict[str, StoredReply](), list[SentMark]()
    held_answers = any(row.part == "reply" and row.one == HELD_ANSWERS for row in rows)
    for row in rows:
        match row.part:
            case "sheet":
                sheet = StoredSheet(row.one, row.two, row.flag, row.at)
            case "stance":
                stance = row.one
            case "reply" if row.one == HELD_STANDING:
                held = row.three
            case "reply" if row.one != HELD_ANSWERS:
                replies[row.one] = StoredReply(row.two, row.three, row.flag)
            case "mark":
                letters.append(SentMark(row.one, row.two or "", row.three or ""))
            case "standing":
                standing = row.one
    return SeatOrders(sheet, replies, standing, held, held_answers, stance, tuple(letters))


def clear_window(tx: Connection, name: str, window: int) -> None:
    """Delete what was on file for a closed window: its Close contains it."""
    for table in (mail.sheets, mail.replies, mail.stances):
        tx.execute(delete(table).filter_by(window=window, campaign=name))


@dataclass(frozen=True, slots=True)
class Due:
    """A row of the timetable."""

    kind: Literal["reminder", "deadline", "grace"]
    at: datetime
    zone: str
    seat: str = ""  # "": the whole window
    place: int = 0
