"""Live a journal through again: every segment run and compared, the facts folded, the last snapshot resumed.

Three ways lead to the same state, or something is wrong: all rules again (replay), the facts alone (fold),
and the last snapshot with the lines after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from engine.kernel.errors import CorruptJournal, Diverged
from engine.kernel.fairness.dice import NoDice
from engine.kernel.journal import NOTHING, JournalLine, canonical, upcast, write_lines
from engine.kernel.records import Snapshot, segment_of
from engine.kernel.replay import is_kind
from engine.kernel.table import Table
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.files import grown
from pbem.campaigns.folder import (
    AUDIT,
    JOURNAL,
    PACK,
    check_closes,
    check_snapshot,
    is_campaign,
    read_campaign,
    read_journal,
    read_ledger,
    read_snapshots,
    terms_of,
)
from pbem.campaigns.terms import Terms
from pbem.errors import BadInput
from pbem.store.campaigns import campaign_row
from pbem.store.journal import read_journal as read_stored_journal
from pbem.store.journal import read_records as read_stored_records
from pbem.store.session import Db
from pbem.store.windows import open_window


@dataclass(frozen=True, slots=True)
class Replayed:
    """A journal that was lived through again without a difference."""

    path: str
    game: str
    lines: int
    head: str
    snapshots: int  # states folded and compared with their hash
    over: bool
    waiting: tuple[str, ...]  # seats the open question waits for


def replay(path: Path, pack: Path | None = None) -> Replayed:
    """A campaign's folder or a journal file. Raises Diverged or CorruptJournal with the line."""
    lines, terms = _read(path, pack)
    return _lived_through(str(path), terms, lines)[0]


def replay_stored(db: Db, name: str) -> Replayed:
    """A campaign of the service, on the branch in play: also what it asks now must be what is on file."""
    standing, lines = campaign_row(db, name), read_stored_journal(db, name)
    terms = terms_of(lines, Path(standing.pack) if standing.pack else None)
    if len(lines) == 1:  # in the lobby: nothing was run yet, but it must be possible to begin
        load_campaign(db, name)
        return Replayed(name, terms.game.id, 1, standing.head.hex(), 0, False, ())
    check_closes(name, lines, read_stored_records(db, name))
    told, table = _lived_through(name, terms, lines)
    asked, window = table.pause, open_window(db, name)
    if asked is not None and window is not None:
        same = (asked.window.key, sorted(asked.window.seats)) == (window.key, sorted(window.seats))
        if not same:
            raise Diverged(f"line {len(lines)}: the rules ask another question than the one that is open")
    return told


def _lived_through(where: str, terms: Terms, lines: list[JournalLine]) -> tuple[Replayed, Table]:
    table = Table.replay(terms.game, terms.pack, terms.settings, lines, NoDice())
    if len(table.journal) != len(lines):
        raise Diverged(f"line {len(table.journal) + 1}: the rules come to rest, the journal goes on")
    lived = canonical(terms.game.dump(table.state))
    last, count = _fold(terms, lines, lived)
    if last is not None:
        tail = lines[last.line :]
        resumed = Table.resume(terms.game, terms.pack, terms.settings, last, tail, NoDice())
        if canonical(terms.game.dump(resumed.state)) != lived:
            raise Diverged(f"line {last.line}: snapshot and tail lead to another state than the replay")
    waiting = table.pause.window.seats if table.pause else ()
    head = table.journal.head.hex()
    return Replayed(where, terms.game.id, len(lines), head, count, table.over, waiting), table


def _read(path: Path, pack: Path | None) -> tuple[list[JournalLine], Terms]:
    if path.is_dir():
        own = path / PACK if read_campaign(path)["pack"] else None
        lines = read_journal(path / JOURNAL, grown(path, JOURNAL))
        terms = terms_of(lines, pack or own)
        check_closes(str(path / AUDIT), lines, read_ledger(path, lines[0].raw).records)
        rows = list(write_lines(lines))
        for file, snapshot in read_snapshots(path).items():
            if snapshot.line <= len(lines):
                check_snapshot(file, snapshot, rows[snapshot.line - 1].rstrip("\n"))
        return lines, terms
    lines = read_journal(path)
    return lines, terms_of(lines, pack)


def _fold(terms: Terms, lines: list[JournalLine], lived: bytes) -> tuple[Snapshot | None, int]:
    """Fold the facts from the first line on; at every snapshot the state must have the hash told there."""
    state, segment = terms.game.set_up(terms.pack, terms.settings)
    here = Snapshot(0, NOTHING, canonical(terms.game.dump(state)), segment, "", 0, lines[0].data["v"])
    last, count = None, 0
    for number, line in enumerate(lines):
        if not is_kind(line, "snapshot"):
            continue
        here = last = _folded(terms, here, lines, number + 1)
        count += 1
        if sha256(last.state).hexdigest() != line.data["state"]:
            raise CorruptJournal(
                f"line {number + 1}: the facts lead to another state than the one hashed there"
            )
    if _folded(terms, here, lines, len(lines)).state != lived:
        raise Diverged("the facts alone lead to another state than the replay")
    return last, count


def _folded(terms: Terms, start: Snapshot, lines: list[JournalLine], end: int) -> Snapshot:
    """The state before line `end`, from a snapshot before it and the facts between."""
    between = lines[start.line : end]
    table = Table.at_seam(terms.game, terms.pack, terms.settings, start, between, NoDice())
    state, version = canonical(terms.game.dump(table.state)), start.version
    for line in between:
        if is_kind(line, "version"):
            version = line.data["v"]
    following = start.segment
    if end < len(lines) and is_kind(lines[end], "seam"):
        following = segment_of(upcast(lines[end].data, version))
    return Snapshot(end, lines[end - 1].hash, state, following, table.window, table.t, version)


def campaigns_below(folder: Path) -> Iterator[Path]:
    """Campaign folders and journal files directly below a folder, in order."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder")
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if (path.is_dir() and is_campaign(path)) or path.suffix == ".journal":
            yield path
