"""Files that a crash cannot leave half-written.

A single file is replaced as a whole: written beside, brought to the disk, renamed. Several files grow
together through a `pending` file: it holds what is to be appended where; once it stands under its name the
change counts, and whoever opens the folder next carries it out to its end.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.kernel.errors import CorruptJournal
from pbem.errors import BadInput

PENDING = "pending.json"


def replace(path: Path, data: bytes, mode: int = 0o644) -> None:
    """The file holds `data`, or is as it was before; on the disk when this returns."""
    put(path, data, mode)
    settle(path.parent)


def put(path: Path, data: bytes, mode: int = 0o644) -> None:
    """As `replace`, but the new name reaches the disk only with the folder's next change that is settled."""
    beside = path.with_name(f".{path.name}.new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.rename(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def read_json(path: Path) -> Any:
    """The content of a JSON file, or a complaint that names it."""
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise BadInput(f"{path}: not JSON: {error}") from None


def settle(folder: Path) -> None:
    """Bring the folder's own entries to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else changes the folder meanwhile."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{folder}: another process has this campaign open") from None
        yield


# ------------------------------------------------------------------ files that grow together


@dataclass(frozen=True, slots=True)
class Growth:
    """What is to be appended, and how long each file was before; and whole files to be replaced."""

    appended: Mapping[str, tuple[int, str]]  # file -> length before, text
    replaced: Mapping[str, str]  # file -> whole text

    def dump(self) -> bytes:
        return json.dumps({"append": self.appended, "replace": self.replaced}).encode()

    @classmethod
    def load(cls, path: Path) -> Growth:
        read = read_json(path)
        try:
            appended = {name: (length, text) for name, (length, text) in read["append"].items()}
            return cls(appended, read["replace"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadInput(f"{path}: not a change that was to be carried out") from None


def grow(folder: Path, appended: Mapping[str, str], replaced: Mapping[str, str]) -> None:
    """Append to some files and replace others: all of it, or nothing."""
    sizes = {name: (folder / name).stat().st_size if (folder / name).exists() else 0 for name in appended}
    growth = Growth({name: (sizes[name], text) for name, text in appended.items()}, replaced)
    replace(folder / PENDING, growth.dump())
    carry_out(folder)


def carry_out(folder: Path) -> bool:
    """Bring a pending change to its end; True if there was one. May be done any number of times."""
    pending = folder / PENDING
    if not pending.exists():
        return False
    growth = Growth.load(pending)
    for name, (length, text) in growth.appended.items():
        _append(folder / name, length, text.encode())
    for name, text in growth.replaced.items():
        (folder / name).parent.mkdir(exist_ok=True)
        replace(folder / name, text.encode())
    pending.unlink()  # should it come back after a power cut, it is carried out once more, to no effect
    return True


def _append(path: Path, length: int, data: bytes) -> None:
    """What stands behind `length` is the beginning of `data`, from an attempt that broke off."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    with os.fdopen(handle, "r+b") as file:
        file.seek(length)
        begun = file.read()
        if not data.startswith(begun):
            raise CorruptJournal(f"{path}: what follows byte {length} is not what was being written there")
        file.seek(length + len(begun))
        file.write(data[len(begun) :])
        file.flush()
        os.fsync(file.fileno())


def grown(folder: Path, name: str) -> bytes:
    """The file's content with a pending change counted in; nothing on the disk is touched."""
    path = folder / name
    data = path.read_bytes() if path.exists() else b""
    pending = folder / PENDING
    if not pending.exists():
        return data
    growth = Growth.load(pending)
    if name in growth.replaced:
        return growth.replaced[name].encode()
    if name in growth.appended:
        length, text = growth.appended[name]
        return data[:length] + text.encode()
    return data


def whole_lines(path: Path, data: bytes) -> list[str]:
    """The lines of a file that only grows. A last line without its end was torn off while it was written."""
    if data and not data.endswith(b"\n"):
        number = data.count(b"\n") + 1
        raise CorruptJournal(f"{path}: line {number} is torn: it breaks off in the middle")
    try:
        return data.decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise CorruptJournal(f"{path}: line {number} holds bytes that are not ASCII") from None
