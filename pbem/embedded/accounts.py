"""The accounts of the embedded mail server.

An account is called `anna` (with the address `anna@<the service's host>`) or by a whole address of another
host. Letters to `anna+anything` go to `anna`. Accounts may be created while the server runs.
"""

from __future__ import annotations

import fcntl
import hmac
import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import scrypt
from pathlib import Path
from typing import Final

from pbem.errors import BadInput

FILE: Final = "accounts.json"
UMPIRE: Final = "umpire.password"  # of the service itself
_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*(@[a-z0-9-]+(\.[a-z0-9-]+)*)?")


class Accounts:
    """The accounts of one server, read from its folder."""

    def __init__(self, folder: Path, host: str) -> None:
        self.folder = folder
        self.host = host.lower()
        self._read_at = (0, 0)
        self._known: dict[str, str] = {}

    def owner(self, address: str) -> str | None:
        """The account that receives letters to that address; None: there is none."""
        local, _, host = address.lower().rpartition("@")
        plain = local.partition("+")[0]
        known = self._accounts()
        for name in (f"{plain}@{host}", plain if host == self.host else ""):
            if name in known:
                return name
        return None

    def named(self, login: str) -> str | None:
        """The account for a login, by its name or address."""
        plain = login.lower()
        return self.owner(plain) if "@" in plain else plain if plain in self._accounts() else None

    def password_hash(self, name: str) -> str | None:
        return self._accounts().get(name)

    def may_login(self, login: str, password: str) -> bool:
        name = self.named(login)
        kept = None if name is None else self.password_hash(name)
        return kept is not None and verify_password(password, kept)

    def box(self, name: str) -> Path:
        """The account's Maildir, created if missing."""
        box = self.folder / "boxes" / name
        for part in ("tmp", "new", "cur"):
            (box / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        return box

    def _accounts(self) -> dict[str, str]:
        path = self.folder / FILE
        try:
            state = path.stat()
        except FileNotFoundError:
            return {}
        if (state.st_mtime_ns, state.st_ino) != self._read_at:
            self._known = json.loads(path.read_text("utf-8"))
            self._read_at = (state.st_mtime_ns, state.st_ino)
        return self._known


def open_account(folder: Path, name: str, password: str) -> None:
    """Create an account, or give it a new password."""
    if not _NAME.fullmatch(name.lower()):
        raise BadInput(f"{name!r} cannot be the name of a mailbox")
    with _alone(folder):
        path = folder / FILE
        known: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        known[name.lower()] = hash_password(password)
        _write(path, json.dumps(known, indent=2, sort_keys=True) + "\n")


def umpire_password(folder: Path) -> str:
    """The password of the service's own mailbox, created on first use."""
    path = folder / UMPIRE
    with _alone(folder):
        if not path.exists():
            _write(path, secrets.token_urlsafe(24) + "\n")
        return path.read_text("utf-8").strip()


def open_umpires_account(folder: Path, name: str) -> None:
    """Create the service's own mailbox."""
    open_account(folder, name, umpire_password(folder))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "accounts.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write(path: Path, text: str) -> None:
    """Replace the file atomically, readable only by us."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.touch(0o600)
    fresh.write_text(text, "utf-8")
    fresh.replace(path)


# ------------------------------------------------------------------ passwords


def hash_password(password: str) -> str:
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}:{_scrypt(password, salt).hex()}"


def verify_password(password: str, kept: str) -> bool:
    salt, _, digest = kept.partition(":")
    return hmac.compare_digest(_scrypt(password, bytes.fromhex(salt)), bytes.fromhex(digest))


def _scrypt(password: str, salt: bytes) -> bytes:
    return scrypt(password.encode(), salt=salt, n=2**12, r=8, p=1, dklen=32)
