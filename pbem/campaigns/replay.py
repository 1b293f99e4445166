"""Replay a journal: run every segment again and compare, fold the facts, resume from the last snapshot.

All three must lead to the same state: the rules run again (replay), the facts alone (fold), and the last
snapshot with the lines after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from engine.kernel.errors import CorruptJournal, Diverged
from engine.kernel.fairness.audit import CloseRecord
from engine.kernel.fairness.dice import NoDice
from engine.kernel.journal import NOTHING, JournalLine, canonical, upcast
from engine.kernel.records import Snapshot, read_segment
from engine.kernel.replay import is_kind
from engine.kernel.table import Table
from pbem.campaigns.campaign import load_campaign, pack_folder
from pbem.campaigns.terms import Terms, pinned_terms
from pbem.store.campaigns import campaign
from pbem.store.journal import check_snapshot, read_journal, read_records, read_snapshots
from pbem.store.session import Db
from pbem.store.windows import open_window


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A journal that was replayed without a difference."""

    path: str  # a campaign's name, a folder or a file
    game: str
    lines: int
    head: str
    snapshots: int = 0  # states folded and compared with their hash
    over: bool = False
    waiting: tuple[str, ...] = ()  # seats the open question waits for


def replay_stored(db: Db, name: str) -> Replayed:
    """A stored campaign, on the branch in play; its open window must also be what the rules ask for."""
    row, lines = campaign(db, name), read_journal(db, name)
    terms = pinned_terms(lines[0], pack_folder(db, row))
    if len(lines) == 1:  # in the lobby: nothing was run yet, but it must be possible to begin
        load_campaign(db, name)
        return Replayed(path=name, game=terms.game.id, lines=1, head=row.head.hex())
    _check_closes(name, lines, read_records(db, name))
    for snapshot in read_snapshots(db, name):
        check_snapshot(name, snapshot, lines[snapshot.line - 1])
    replayed, table = replay_lines(name, terms, lines)
    pause, window = table.pause, open_window(db, name)
    if pause is not None and window is not None:
        asked = (pause.window.key, sorted(pause.window.seats))
        if asked != (window.key, sorted(window.seats)):
            raise Diverged(f"line {len(lines)}: the rules ask another question than the one that is open")
    return replayed


def _check_closes(name: str, lines: list[JournalLine], records: Iterable[CloseRecord]) -> None:
    """Journal and records must have the same Closes."""
    digests = {record.close.t: record.close.digest.hex() for record in records}
    for line in lines:
        if is_kind(line, "close") and digests.get((data := line.data)["t"]) != data["T"]:
            raise CorruptJournal(f"{name}: the record of Close {data['t']} does not fit the journal")


def replay_lines(path: str, terms: Terms, lines: list[JournalLine]) -> tuple[Replayed, Table]:
    """The table where the journal ends. Raises Diverged or CorruptJournal with the line."""
    table = Table.replay(terms.game, terms.pack, terms.settings, lines, NoDice())
    if len(table.journal) != len(lines):
        raise Diverged(f"line {len(table.journal) + 1}: the rules come to rest, the journal goes on")
    state = canonical(terms.game.dump(table.state))
    last, count = _fold(terms, lines, state)
    if last is not None:
        tail = lines[last.line :]
        resumed = Table.resume(terms.game, terms.pack, terms.settings, last, tail, NoDice())
        if canonical(terms.game.dump(resumed.state)) != state:
            raise Diverged(f"line {last.line}: snapshot and tail lead to another state than the replay")
    replayed = Replayed(
        path=path,
        game=terms.game.id,
        lines=len(lines),
        head=table.journal.head.hex(),
        snapshots=count,
        over=table.over,
        waiting=table.pause.window.seats if table.pause else (),
    )
    return replayed, table


def _fold(terms: Terms, lines: list[JournalLine], replayed: bytes) -> tuple[Snapshot | None, int]:
    """Fold the facts from the first line on, and compare the state with its hash at every snapshot.

    Returns the last snapshot and their number; `replayed` is the state that the replay ended with.
    """
    state, segment = terms.game.set_up(terms.pack, terms.settings)
    start = Snapshot(0, NOTHING, canonical(terms.game.dump(state)), segment, "", 0, lines[0].data["v"])
    last, count = None, 0
    for number, line in enumerate(lines, 1):
        if not is_kind(line, "snapshot"):
            continue
        start = last = _fold_to(terms, start, lines, number)
        count += 1
        if sha256(last.state).hexdigest() != line.data["state"]:
            raise CorruptJournal(f"line {number}: the facts lead to another state than the one hashed there")
    if _fold_to(terms, start, lines, len(lines)).state != replayed:
        raise Diverged("the facts alone lead to another state than the replay")
    return last, count


def _fold_to(terms: Terms, start: Snapshot, lines: list[JournalLine], end: int) -> Snapshot:
    """The state before line `end`: an earlier snapshot and the facts since."""
    between = lines[start.line : end]
    table = Table.at_seam(terms.game, terms.pack, terms.settings, start, between, NoDice())
    state, version = canonical(terms.game.dump(table.state)), start.version
    for line in between:
        if is_kind(line, "version"):
            version = line.data["v"]
    following = start.segment
    if end < len(lines) and is_kind(lines[end], "seam"):
        following = read_segment(upcast(lines[end].data, version))
    return Snapshot(end, lines[end - 1].hash, state, following, table.window, table.t, version)
