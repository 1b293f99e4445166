"""A campaign in a folder: played at a terminal, with audited dice.

    campaign.json   which seats bots hold; whether a pack of its own lies in pack/
    journal         the lines of the journal
    audit           one record a line, for every Close
    snapshots/      states at seams
    standing.json   standing orders on file
    carried.json    what is left of the orders for an earlier window
    secrets.json    chain, seal key, chance of the bots; for the owner's eyes only
    closed.json     a Close that was frozen and not yet carried out

Every advance is Close, run, commit. The Close is on the disk before a die falls, so a run that broke off is
run again from the same letters with the same dice; the commit is one change of all files or none.
"""

from __future__ import annotations

import json
import secrets as chance
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from os import SEEK_END
from pathlib import Path
from typing import Any

from engine.kernel.errors import CorruptJournal, DiceError
from engine.kernel.fairness.audit import Close, CloseRecord, Entry, Ledger, Secrets
from engine.kernel.fairness.dice import LINKS, Chain, NoDice
from engine.kernel.journal import JournalLine, canonical, read_lines, upcast, write_lines
from engine.kernel.records import Snapshot, check_opening
from engine.kernel.replay import is_kind
from engine.kernel.requests import Seat, Segment
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from pbem.campaigns.desk import Desk, Handed, standing_texts
from pbem.campaigns.files import (
    alone,
    carry_out,
    grow,
    grown,
    put,
    read_json,
    replace,
    settle,
    whole_lines,
)
from pbem.campaigns.order_file import Carried, collect_carried
from pbem.campaigns.terms import Terms, agree_terms
from pbem.errors import BadInput

FORMAT = 1
CAMPAIGN, JOURNAL, AUDIT, SECRETS = "campaign.json", "journal", "audit", "secrets.json"
CHUNK = 65536  # bytes, read from the end of a file until a whole line is at hand
STANDING, CARRIED, CLOSED = "standing.json", "carried.json", "closed.json"
SNAPSHOTS, PACK = "snapshots", "pack"


# ------------------------------------------------------------------ what lies in the folder


def is_campaign(folder: Path) -> bool:
    return (folder / CAMPAIGN).is_file()


def read_campaign(folder: Path) -> dict[str, Any]:
    """The folder's own description."""
    if not is_campaign(folder):
        raise BadInput(f"{folder}: no campaign lies here")
    data = read_json(folder / CAMPAIGN)
    if not isinstance(data, dict) or data.get("v") != FORMAT:
        raise BadInput(f"{folder / CAMPAIGN}: not of the format {FORMAT} that is known here")
    if missing := [key for key in ("game", "bots", "pack") if key not in data]:
        raise BadInput(f"{folder / CAMPAIGN}: {missing[0]} is missing")
    return data


def read_journal(path: Path, data: bytes | None = None) -> list[JournalLine]:
    """The lines of a journal file, every link of the chain checked."""
    rows = whole_lines(path, path.read_bytes() if data is None else data)
    if not rows:
        raise CorruptJournal(f"{path}: the journal is empty")
    try:
        return list(read_lines(rows))
    except CorruptJournal as error:
        raise CorruptJournal(f"{path}: {error}") from None


def terms_of(lines: list[JournalLine], pack: Path | None = None) -> Terms:
    """The terms pinned in a journal's first line."""
    header = lines[0].data
    if header["k"] != "open":
        raise CorruptJournal(f"the first line is of kind {header['k']!r}, not 'open'")
    upcast({}, header.get("v", 0))  # a newer journal is none to be read here
    try:
        told, name = header["settings"], header["game"]
        settings = {key: told[key] for key in ("scenario", "players", "tempo", "options")}
    except (KeyError, TypeError) as error:
        raise CorruptJournal(f"the first line does not tell the settings: {error} is missing") from None
    terms = agree_terms(name, **settings, pack=pack)
    check_opening(terms.game, terms.pack, header)
    return terms


def read_records(folder: Path) -> list[CloseRecord]:
    """The records of the audit, in order."""
    path = folder / AUDIT
    records = []
    for number, row in enumerate(whole_lines(path, grown(folder, AUDIT)), 1):
        try:
            records.append(CloseRecord.load(row))
        except (ValueError, KeyError, TypeError) as error:
            raise CorruptJournal(f"{path}: line {number}: {type(error).__name__}: {error}") from None
    return records


def read_secrets(folder: Path) -> tuple[Secrets, bytes]:
    """Chain and seal key, and the chance of the bots."""
    path = folder / SECRETS
    try:
        data = read_json(path)
        chain = Chain.restored(bytes.fromhex(data["chain"]), data["length"])
        return Secrets(chain, bytes.fromhex(data["seal_key"]), data["first"]), bytes.fromhex(data["bots"])
    except (ValueError, KeyError, TypeError, DiceError) as error:
        raise BadInput(f"{path}: not the secrets of a campaign: {error}") from None


def read_snapshots(folder: Path) -> dict[Path, Snapshot]:
    """All snapshots by their files, in order of their lines."""
    return {path: _read_snapshot(path)[0] for path in _snapshot_files(folder)}


def _snapshot_files(folder: Path) -> list[Path]:
    return sorted((folder / SNAPSHOTS).glob("*.json"))


def _read_snapshot(path: Path) -> tuple[Snapshot, int]:
    """A snapshot, and the byte of the journal at which the line that tells of it begins."""
    try:
        data = json.loads(path.read_bytes())
        name, key, args = data["segment"]
        segment = Segment(name, key, tuple(args))
        state, head = data["state"].encode(), bytes.fromhex(data["head"])
        window, t, version = data["window"], data["t"], data["version"]
        return Snapshot(data["line"], head, state, segment, window, t, version), data["at"]
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptJournal(f"{path}: {type(error).__name__}: {error}") from None


def _snapshot_file(snapshot: Snapshot, at: int) -> tuple[str, str]:
    data = {
        "at": at,
        "line": snapshot.line,
        "head": snapshot.head.hex(),
        "state": snapshot.state.decode("ascii"),
        "segment": [snapshot.segment.name, snapshot.segment.key, snapshot.segment.args],
        "window": snapshot.window,
        "t": snapshot.t,
        "version": snapshot.version,
    }
    return f"{SNAPSHOTS}/{snapshot.line:08d}.json", json.dumps(data)


def read_tail(folder: Path) -> tuple[JournalLine, Snapshot | None, list[JournalLine]]:
    """The first line, the last snapshot and the lines after it: what came between costs nothing."""
    path, files = folder / JOURNAL, _snapshot_files(folder)
    if not files:
        lines = read_journal(path)
        return lines[0], None, lines
    snapshot, at = _read_snapshot(files[-1])
    with path.open("rb") as file:
        opening = whole_lines(path, file.readline())
        file.seek(at)
        rows = whole_lines(path, file.read())
    if not opening or not rows:
        raise CorruptJournal(f"{path}: the journal is {'shorter than its snapshots' if opening else 'empty'}")
    check_snapshot(files[-1], snapshot, rows[0])
    try:
        (first,) = read_lines(opening)
        return first, snapshot, list(read_lines(rows[1:], snapshot.head, snapshot.line + 1))
    except CorruptJournal as error:
        raise CorruptJournal(f"{path}: {error}") from None


def read_ledger(folder: Path, opening: bytes) -> Ledger:
    """The dice protocol's knowledge of the campaign."""
    secrets, _ = read_secrets(folder)
    return Ledger(opening, secrets, read_records(folder))


def read_last_record(folder: Path) -> CloseRecord:
    """The record of the last Close, read from the end of the file."""
    path = folder / AUDIT
    with path.open("rb") as file:
        end, data = file.seek(0, SEEK_END), b""
        while end and b"\n" not in data[:-1]:
            start = max(0, end - CHUNK)
            file.seek(start)
            data, end = file.read(end - start) + data, start
    rows = whole_lines(path, data)
    try:
        return CloseRecord.load(rows[-1])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CorruptJournal(f"{path}: the last line: {type(error).__name__}: {error}") from None


# ------------------------------------------------------------------ a campaign in play


class Campaign(Desk):
    """A campaign opened for play. Nothing is kept in memory only: each advance ends on the disk."""

    def __init__(self, folder: Path, terms: Terms, table: Table, ledger: Ledger, bot_seed: bytes) -> None:
        super().__init__(terms, table, bot_seed)
        self.folder, self.ledger = folder, ledger
        self._kept = len(table.journal)  # lines that are on the disk
        self._snapshot = table.snapshot

    # ------------------------------------------------------------ Close, run, commit

    def advance(self, handed: Mapping[Seat, Handed]) -> list[JournalLine]:
        """Close the open window and run to the next; returns the new lines."""
        if self.table.over:
            raise BadInput(f"{self.folder}: this campaign is over")
        files = self.files(handed)
        entries = {
            seat: Entry.of(handed[seat].letters if seat in handed else (), _texts(files[seat]))
            for seat in self.terms.seats
        }
        close = self.ledger.close(entries)
        self._freeze(close, handed)
        return self._carry_out(close, files)

    def _freeze(self, close: Close, handed: Mapping[Seat, Handed]) -> None:
        """The Close and all that was handed in stand in a file before a die falls.

        Its name may reach the disk with the commit: what a power cut takes before that, nobody has seen.
        """
        topics = dict(self.pause.asks) if self.pause is not None else {}
        data = {
            "close": close.dump(),
            "handed": {
                seat: {
                    "orders": one.orders,
                    "replies": {q: [topics[q].topic, answer] for q, answer in one.replies.items()},
                }
                for seat, one in handed.items()
            },
        }
        put(self.folder / CLOSED, canonical(data))

    def finish(self) -> list[JournalLine] | None:
        """Carry out a Close that was frozen by a run that broke off; None: there is none."""
        path = self.folder / CLOSED
        if not path.exists():
            return None
        data = read_json(path)
        close = Close.load(data["close"])
        if close.t <= self.ledger.t:  # it was carried out; only this file was left behind
            path.unlink()
            return None
        decode = self.table.codec.answer
        handed = {
            Seat(seat): Handed(
                one["orders"], {q: decode(topic, answer) for q, (topic, answer) in one["replies"].items()}
            )
            for seat, one in data["handed"].items()
        }
        return self._carry_out(close, self.files(handed))

    def _carry_out(self, close: Close, files: Mapping[Seat, OrderFile]) -> list[JournalLine]:
        table, once = self.table, self.is_one_question
        table.dice = self.ledger.dice(close)
        table.automa = self.automas(close.t)
        table.advance(files, close.t, close.digest.hex())
        lines = table.journal.since(self._kept)
        record = self.ledger.record(close, [line.data for line in lines])
        self._commit(lines, record, standing_texts(files), collect_carried(table, once, self.carried))
        return lines

    def _commit(
        self, lines: list[JournalLine], record: CloseRecord, standing: dict[Seat, str], carried: Carried
    ) -> None:
        appended = {JOURNAL: "".join(write_lines(lines)), AUDIT: record.dump() + "\n"}
        replaced = {} if standing == self.standing else {STANDING: json.dumps(standing)}
        if carried != self.carried:
            replaced[CARRIED] = json.dumps(carried)
        snapshot = self.table.snapshot
        if snapshot is not None and snapshot is not self._snapshot:
            before = lines[: snapshot.line - self._kept - 1]
            at = _size(self.folder / JOURNAL) + sum(map(len, write_lines(before)))
            name, text = _snapshot_file(snapshot, at)
            replaced[name] = text
        grow(self.folder, appended, replaced)
        (self.folder / CLOSED).unlink(missing_ok=True)
        self.ledger.records.append(record)
        self.standing, self.carried, self._snapshot = standing, carried, snapshot
        self._kept = len(self.table.journal)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _texts(on_file: OrderFile) -> list[str]:
    return on_file.canonical().splitlines()


# ------------------------------------------------------------------ create and open


def create(
    folder: Path,
    terms: Terms,
    bots: Mapping[Seat, str],
    pack: Path | None = None,
    secrets: Secrets | None = None,
) -> None:
    """A new campaign, played up to its first question. The folder appears whole or not at all.

    Its secrets are drawn here; only who must have the same game again brings his own.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: something lies here already")
    building = folder.with_name(f".{folder.name}.{chance.token_hex(4)}.new")
    building.parent.mkdir(parents=True, exist_ok=True)
    building.mkdir(0o700)
    try:
        _build(building, terms, bots, pack, secrets or _drawn_secrets())
        if folder.exists():
            folder.rmdir()
        building.rename(folder)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    settle(folder.parent)


def _drawn_secrets() -> Secrets:
    return Secrets(Chain(chance.token_bytes(32)), chance.token_bytes(32))


def _build(folder: Path, terms: Terms, bots: Mapping[Seat, str], pack: Path | None, secrets: Secrets) -> None:
    bot_seed = chance.token_bytes(32)
    kept = {
        "chain": secrets.chain.kept.hex(),
        "length": LINKS,
        "seal_key": secrets.seal_key.hex(),
        "first": secrets.first,
        "bots": bot_seed.hex(),
    }
    replace(folder / SECRETS, json.dumps(kept).encode(), 0o600)
    if pack is not None:
        shutil.copytree(pack, folder / PACK)
    told = {"v": FORMAT, "game": terms.game.id, "bots": dict(bots), "pack": pack is not None}
    replace(folder / CAMPAIGN, json.dumps(told, indent=1).encode())
    table = Table.start(terms.game, terms.pack, terms.settings, NoDice(), **secrets.commitments)
    ledger = Ledger(table.journal.lines[0].raw, secrets)
    campaign = Campaign(folder, terms, table, ledger, bot_seed)
    campaign.bots, campaign._kept = dict(bots), 0
    campaign.advance({})


@contextmanager
def opened(folder: Path) -> Iterator[Campaign]:
    """The campaign for play, and for nobody else meanwhile. What a crash left half-done is done first."""
    told = read_campaign(folder)
    with alone(folder):
        carry_out(folder)
        first, snapshot, tail = read_tail(folder)
        terms = terms_of([first], folder / PACK if told["pack"] else None)
        secrets, bot_seed = read_secrets(folder)
        ledger = Ledger(first.raw, secrets, [read_last_record(folder)], lambda: read_records(folder))
        table = resumed(terms, snapshot, tail)
        check_last_record(folder, tail, ledger.records[-1])
        campaign = Campaign(folder, terms, table, ledger, bot_seed)
        campaign.bots = {Seat(seat): name for seat, name in told["bots"].items()}
        if (folder / STANDING).exists():
            campaign.standing = read_json(folder / STANDING)
        if (folder / CARRIED).exists():
            campaign.carried = read_json(folder / CARRIED)
        campaign.finish()
        yield campaign


def resumed(terms: Terms, snapshot: Snapshot | None, tail: list[JournalLine]) -> Table:
    """The table from its last snapshot and the lines after it; without a snapshot from the first line on."""
    if snapshot is None:
        return Table.replay(terms.game, terms.pack, terms.settings, tail, NoDice())
    return Table.resume(terms.game, terms.pack, terms.settings, snapshot, tail, NoDice())


def check_snapshot(path: Path, snapshot: Snapshot, row: str) -> None:
    """The snapshot is the one that this line of the journal tells of, bit by bit."""
    line = canonical({"k": "snapshot", "state": sha256(snapshot.state).hexdigest()})
    if row != f"{snapshot.head.hex()} {line.decode()}":
        raise CorruptJournal(f"{path}: not the snapshot that line {snapshot.line} tells of")


def check_last_record(folder: Path, tail: list[JournalLine], record: CloseRecord) -> None:
    """The last Close of these lines, if there is one, is the last of the audit."""
    closes = [line.data for line in tail if is_kind(line, "close")]
    if closes and (closes[-1]["t"], closes[-1]["T"]) != (record.close.t, record.close.digest.hex()):
        t = closes[-1]["t"]
        raise CorruptJournal(f"{folder / AUDIT}: Close {t} is not the one that the journal names")


def check_closes(where: str, lines: list[JournalLine], records: Iterable[CloseRecord]) -> None:
    """Journal and audit tell of the same Closes."""
    told = {data["t"]: data["T"] for line in lines if (data := line.data)["k"] == "close"}
    kept = {record.close.t: record.close.digest.hex() for record in records}
    for t, digest in told.items():
        if kept.get(t) != digest:
            raise CorruptJournal(f"{where}: Close {t} is not the one that the journal names")
