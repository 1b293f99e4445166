"""The IMAP half of the embedded mail server: pymap on Maildirs.

This adds what pymap lacks: letters are returned byte for byte as they arrived, copies keep their contents,
and a client in IDLE learns of a new letter at once, not at the next second.
"""

from __future__ import annotations

import os
import shutil
import ssl
from argparse import Namespace
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from mailbox import MaildirMessage
from pathlib import Path
from typing import Any, Final

from proxyprotocol.noop import ProxyProtocolNoop
from pymap.backend.maildir import Config, FilterSet, Identity, Login, Session
from pymap.backend.maildir.layout import MaildirLayout
from pymap.backend.maildir.mailbox import MailboxSet, Maildir
from pymap.concurrent import Event, Subsystem
from pymap.config import BackendCapability
from pymap.context import subsystem
from pymap.exceptions import AuthorizationFailure, InvalidAuth, NotAllowedError, UserNotFound
from pymap.imap import IMAPServer
from pymap.interfaces.login import IdentityInterface
from pymap.selected import SelectedMailbox
from pymap.user import UserMetadata
from pysasl.creds.server import ServerCredentials
from pysasl.hashing import HashInterface

from pbem.embedded.accounts import Accounts, hash_password, verify_password

CHECK_SECONDS: Final = 1.0  # between two checks in IDLE, for changes by other sessions


class ArrivalEvents:
    """Wakes sessions of an account when a letter arrives."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[Event]] = defaultdict(set)
        self._counts: defaultdict[str, int] = defaultdict(int)

    def notify(self, account: str) -> None:
        self._counts[account] += 1
        for event in tuple(self._waiting[account]):
            event.set()

    def count(self, account: str) -> int:
        return self._counts[account]

    async def wait(self, account: str, after: int, done: Event) -> None:
        """Wait for a letter after number `after`, the end of IDLE, or the next check."""
        event = subsystem.get().new_event()
        self._waiting[account].add(event)
        try:
            if self._counts[account] == after:
                await done.or_event(event).wait(timeout=CHECK_SECONDS)
        finally:
            self._waiting[account].discard(event)


class _Raw(MaildirMessage):
    """A letter with the bytes of its file."""

    raw = b""

    def __bytes__(self) -> bytes:
        return self.raw


class _Box(Maildir):
    def get_message(self, key: str) -> MaildirMessage:
        """Byte for byte, with the line ends that IMAP requires."""
        raw = Path(self._join(self._lookup(key))).read_bytes()
        message = _Raw()
        message.raw = raw if b"\r\n" in raw else raw.replace(b"\n", b"\r\n")
        return message

    def get_message_metadata(self, key: str) -> MaildirMessage:
        message = super().get_message_metadata(key)
        message.kept_at = self._join(self._lookup(key))  # type: ignore[attr-defined]
        return message

    def add(self, message: Any) -> str:
        """Copy the bytes and the date of a letter that has a file."""
        key = super().add(message)
        if (source := getattr(message, "kept_at", None)) is not None:
            path = self._join(self._lookup(key))
            shutil.copyfile(source, path)
            os.utime(path, (message.get_date(), message.get_date()))
        return key


class _Session(Session):
    def __init__(self, arrivals: ArrivalEvents, *parts: Any) -> None:
        super().__init__(*parts)
        self._arrivals = arrivals
        self._seen = 0

    async def check_mailbox(
        self, selected: SelectedMailbox, *, wait_on: Event | None = None, housekeeping: bool = False
    ) -> SelectedMailbox:
        """In IDLE: wait first, then check."""
        if wait_on is not None:
            await self._arrivals.wait(self.owner, self._seen, wait_on)
            self._seen = self._arrivals.count(self.owner)
        return await super().check_mailbox(selected, housekeeping=housekeeping)


class _Identity(Identity):
    def __init__(self, login: _Login, name: str) -> None:
        super().__init__(login.config, login.tokens, name, None, frozenset())
        self._login = login

    @asynccontextmanager
    async def new_session(self) -> AsyncIterator[Session]:
        path = str(self._login.accounts.box(self.name))
        layout = MaildirLayout.get(path, self.config.layout, _Box)
        boxes = MailboxSet(_Box(path, create=False), layout)
        yield _Session(self._login.arrivals, self.name, self.config, boxes, FilterSet(layout.path))

    async def get(self) -> UserMetadata:
        kept = self._login.accounts.password_hash(self.name)
        if kept is None:
            raise UserNotFound(self.name)
        return UserMetadata(self.config, self.name, password=kept)

    async def set(self, metadata: UserMetadata) -> None:
        raise NotAllowedError("accounts are opened on the server's own machine")

    async def delete(self) -> None:
        raise NotAllowedError("accounts are closed on the server's own machine")


class _Login(Login):
    def __init__(self, config: Config, accounts: Accounts, arrivals: ArrivalEvents) -> None:
        super().__init__(config)
        self.accounts = accounts
        self.arrivals = arrivals

    async def authenticate(self, credentials: ServerCredentials) -> Identity:
        login = credentials.authcid
        name = self.accounts.named(login)
        user = UserMetadata(self.config, login, password=name and self.accounts.password_hash(name))
        if name is None or not await self._passwords.check_password(user, credentials):
            raise InvalidAuth
        return _Identity(self, name)

    async def authorize(self, authenticated: IdentityInterface, authzid: str) -> Identity:
        if self.accounts.named(authzid) != authenticated.name:
            raise AuthorizationFailure
        return _Identity(self, authenticated.name)


class _Hash(HashInterface):
    def copy(self, **_: Any) -> _Hash:
        return self

    def hash(self, secret: str) -> str:
        return hash_password(secret)

    def verify(self, secret: str, hash: str) -> bool:  # noqa: A002
        return verify_password(secret, hash)


class _Config(Config):
    @property
    def backend_capability(self) -> BackendCapability:
        return BackendCapability(idle=True, object_id=True, multi_append=True)

    @property
    def greeting(self) -> bytes:
        return b"ready"  # pymap would ask the resolver for our name


def imap_handler(accounts: Accounts, arrivals: ArrivalEvents) -> IMAPServer:
    """Handles connections; call it within the event loop that serves them."""
    config = _Config(
        Namespace(),
        base_dir=str(accounts.folder),
        layout="++",
        colon=None,
        host=None,
        port=0,
        subsystem=Subsystem.for_asyncio(),
        ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
        tls_enabled=False,
        hash_context=_Hash(),
        proxy_protocol=ProxyProtocolNoop(),
    )
    config.apply_context()
    return IMAPServer(_Login(config, accounts, arrivals), config)
