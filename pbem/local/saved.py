"""Saved games: a folder with the store of one campaign, which only its owner may read.

    campaign.db   the store, as the service has it: journal, snapshots, records, and the dice to come
    pack/         the game's own tables, if it was created with some

Every advance is Close, run, commit: a frozen Close that a crash left behind is carried out by whoever opens
the game next, with the same dice. Beside saved games stand journal files, which `pbem simulate` writes.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError

from engine.kernel.errors import CorruptJournal
from engine.kernel.fairness.audit import Secrets
from engine.kernel.fairness.dice import Chain, H
from engine.kernel.journal import JournalLine, parse_lines
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.campaigns.deadlines import phase_kind
from pbem.campaigns.lobby import new_keys, opening_table
from pbem.campaigns.order_file import read_carried
from pbem.campaigns.replay import Replayed, replay_lines, replay_stored
from pbem.campaigns.terms import Terms, pinned_terms
from pbem.context import database_at
from pbem.errors import BadInput
from pbem.store.advance import Frozen, NextWindow, Why, commit_advance, frozen_close, next_window_number
from pbem.store.campaigns import Keys, NewCampaign, create_campaign
from pbem.store.people import enrol, give_seat
from pbem.store.session import code_revision, database_revision, migrate, writing
from pbem.store.windows import SeatOrders, open_window, read_orders

STORE: Final = "campaign.db"
PACK: Final = "pack"
NAME: Final = "LOCAL"  # of the one campaign in the store
OLD_FORMAT: Final = "campaign.json"  # games were saved in several files once


def is_saved_game(folder: Path) -> bool:
    """Also one in the old format, which `open_store` refuses."""
    return (folder / STORE).is_file() or (folder / OLD_FORMAT).is_file()


def seeded_keys(seed: str) -> Keys:
    """Keys that are the same for the same seed: no secret, for games that can be repeated."""
    dice = Secrets(Chain(H("play chain", seed)), H("play seal", seed))
    return Keys(dice, H("play bots", seed), H("play mail", seed))


# ------------------------------------------------------------------ create and open


def create_game(
    folder: Path, terms: Terms, bots: Mapping[Seat, str], pack: Path | None = None, keys: Keys | None = None
) -> None:
    """A new game, played up to its first question. The folder appears complete or not at all.

    Without `keys` nobody can know the dice to come.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: there is something else here already")
    keys = keys or new_keys()
    opening = opening_table(terms, keys).journal.lines[0]
    folder.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        if pack is not None:
            shutil.copytree(pack, building / PACK)
        (building / STORE).touch(0o600)
        now = datetime.now(UTC)
        with open_store(building, is_new=True) as db:
            create_campaign(
                db,
                NewCampaign(
                    id=NAME,
                    game=terms.game.id,
                    title=terms.game.names["en"],
                    opening=opening,
                    keys=keys,
                    seats=terms.seats,
                    bots={str(seat): bot for seat, bot in bots.items()},
                    pack=PACK if pack is not None else None,
                ),
                now,
            )
            with writing(db) as tx:
                for seat in terms.seats:
                    if seat not in bots:  # somebody plays it: their letters are marks on the dice
                        person = enrol(tx, f"{seat.lower()}@terminal.invalid", str(seat), "en", "UTC", now)
                        give_seat(tx, NAME, seat, person, now)
            advance(load_campaign(db, NAME), {})
        building.rename(folder)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


@contextmanager
def open_game(folder: Path) -> Iterator[Campaign]:
    """The game for play by this process alone. What a crash left unfinished is finished first."""
    with open_store(folder) as db, _lock(folder):
        campaign = load_campaign(db, NAME)
        campaign.carried = read_carried(open_window(db, NAME))
        if (frozen := frozen_close(db, NAME)) is not None:
            _carry_out(campaign, frozen)
        yield campaign


@contextmanager
def open_store(folder: Path, is_new: bool = False) -> Iterator[Engine]:
    """The store of a saved game; what is wrong with it is reported with the folder's name."""
    file = folder / STORE
    if (folder / OLD_FORMAT).is_file():
        raise BadInput(f"{folder}: saved by an older version ({OLD_FORMAT}), which this version cannot read")
    if not file.is_file():
        raise BadInput(f"{folder}: there is no saved game here")
    try:
        with database_at(file) as db:
            version = database_revision(db)
            if not version and not is_new:
                raise BadInput(f"{folder}: there is no saved game here")
            if version != code_revision():
                migrate(db)
            yield db
    except CorruptJournal as error:
        raise CorruptJournal(f"{folder}: {str(error).removeprefix(f'{NAME}: ')}") from None
    except DatabaseError as error:
        raise BadInput(f"{file}: {error.orig}") from None


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{folder}: another process is playing this game") from None
        yield
    finally:
        os.close(handle)


# ------------------------------------------------------------------ Close, run, commit


def advance(campaign: Campaign, orders: Mapping[Seat, SeatOrders]) -> list[JournalLine]:
    """Close the open window with these orders and run to the next; returns the new journal lines."""
    if campaign.table.over:
        raise BadInput("this game is over")
    filed = read_orders(campaign.db, NAME)
    seats = dict(filed.seats)
    for seat, handed in orders.items():
        seats[seat] = replace(handed, standing=campaign.standing.get(seat, ""))
    why: Why = "opening" if filed.window is None else "all-in"
    frozen = campaign.freeze(replace(filed, seats=seats), why, datetime.now(UTC))
    if frozen is None:
        raise BadInput("another process went on with this game")
    return _carry_out(campaign, frozen)


def _carry_out(campaign: Campaign, frozen: Frozen) -> list[JournalLine]:
    ran = campaign.run(frozen)
    following = None
    if campaign.pause is not None:
        window, number = campaign.pause.window, next_window_number(campaign.db, NAME)
        following = NextWindow(number, window.key, phase_kind(window), window.seats, window.once)
    commit_advance(campaign.db, ran.advance(window=following), frozen.at)
    campaign.refresh()
    campaign.carried = ran.carried
    return list(ran.lines)


# ------------------------------------------------------------------ replay


def replay_path(path: Path, pack: Path | None = None) -> Replayed:
    """Replay a saved game or a journal file; `pack`: the tables that a journal file was played with."""
    if path.name == STORE:
        path = path.parent
    if path.is_dir():
        with open_store(path) as db:
            return replace(replay_stored(db, NAME), path=str(path))
    lines = read_journal_file(path)
    return replay_lines(str(path), pinned_terms(lines[0], pack), lines)[0]


def read_journal_file(path: Path) -> list[JournalLine]:
    """The lines of a journal file, with every link of the hash chain checked."""
    data = path.read_bytes()
    if not data:
        raise CorruptJournal(f"{path}: the journal is empty")
    if not data.endswith(b"\n"):
        number = data.count(b"\n") + 1
        raise CorruptJournal(f"{path}: line {number} is torn: it breaks off in the middle")
    try:
        return list(parse_lines(data.decode("latin-1").split("\n")[:-1]))
    except CorruptJournal as error:
        raise CorruptJournal(f"{path}: {error}") from None


def games_below(folder: Path) -> list[Path]:
    """Saved games and journal files directly below a folder, sorted by name."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder")
    visible = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return [path for path in visible if is_saved_game(path) or path.suffix == ".journal"]
