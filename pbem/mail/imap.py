"""The mailbox on its server: every letter is taken in first and moved afterwards.

What has been read is known from where it lies, never from \\Seen, which any mail program sets: the inbox
holds what nobody has taken in yet. A letter that was taken in and not moved is offered again after a
crash; whoever takes in recognises it. Every pass looks at all that lies there, so it makes no difference
whether a connection was lost, a mailbox made anew, or a notice of the server missed.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal, Protocol, TypeAlias

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, LoginError

from pbem.settings import Security

RENEW_SECONDS: Final = 240.0  # routers forget silent connections after five minutes
ASK_SECONDS: Final = 15.0  # between two looks at a server without IDLE
BATCH: Final = 50
TOGETHER: Final = 20  # letters that are fetched at a time
TOGETHER_BYTES: Final = 1024 * 1024  # letters that are fetched together are no larger, all in all
MOST_PASSES: Final = 20  # before a pass that does not end is restarted
MOST_FAILURES: Final = 3  # in one batch, before the others are left for later
LARGEST: Final = 4 * 1024 * 1024 + 1  # bytes fetched of one letter: one more than is ever read

Destination: TypeAlias = Literal["processed", "rejected", "quarantine"]
_Stored: TypeAlias = tuple[int, Destination | Exception | None]  # its uid, and its folder or why it failed


class Unreachable(Exception):
    """The mail server did not answer, closed the connection, or answered nonsense."""


class LoginRefused(Unreachable):
    """The mail server refused our name and password: retry slowly, and tell the operator."""


@dataclass(frozen=True, slots=True)
class ImapServer:
    """Where the mailbox is and how to log in: by password, or by a token fetched for each connection."""

    host: str
    user: str
    password: str = field(default="", repr=False)
    port: int = 993
    security: Security = "tls"
    oauth2_token: Callable[[], str] | None = field(default=None, repr=False)
    trusted: ssl.SSLContext | None = field(default=None, repr=False)  # None: what this machine trusts
    connect_seconds: float = 15.0
    read_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Folders:
    """Folder names on the server; missing ones that letters are moved to are created."""

    inbox: str = "INBOX"
    junk: str | None = ""  # "": the one the server marks so; None: not read
    processed: str = "Processed"
    rejected: str = "Rejected"
    quarantine: str = "Quarantine"


@dataclass(frozen=True, slots=True)
class FetchedLetter:
    """A letter fetched from the mailbox."""

    uid: int
    raw: bytes = field(repr=False)
    arrived: datetime


class LetterStore(Protocol):
    """Where the mailbox hands its letters."""

    def store_letters(
        self, mailbox: str, uidvalidity: int, letters: Sequence[FetchedLetter]
    ) -> Sequence[Destination | None]:
        """Store all and commit, or none. Returns the folder each is moved to; None: it stays."""

    def is_ours(self, headers: bytes) -> bool:
        """Does a letter in the junk folder carry a valid token of ours?"""

    def mark_moved(self, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None:
        """The server moved these."""

    def mark_read_to(self, mailbox: str, uidvalidity: int, began: datetime) -> None:
        """Everything in the mailbox at that moment is stored."""


_HEADERS: Final = (
    "BODY.PEEK[HEADER.FIELDS (DELIVERED-TO X-ORIGINAL-TO ENVELOPE-TO TO CC IN-REPLY-TO REFERENCES)]"
)


@dataclass(eq=False, repr=False)
class ImapMailbox:
    """One mailbox, over one connection after another. Not for two threads."""

    server: ImapServer
    folders: Folders
    store: LetterStore
    now: Callable[[], datetime]
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self._client: Any = None
        self._left: set[tuple[str, int, int]] = set()  # offered, and not to be moved yet
        self._read_until: dict[str, tuple[int, int]] = {}  # uidvalidity and the next uid after the last pass
        self._passed_over: dict[str, tuple[int, int]] = {}  # junk: uidvalidity and the highest uid looked at
        self._one_by_one = False  # a fetch of several letters failed
        self._names: dict[Destination, str] = {}
        self._junk: str | None = None

    # -------------------------------------------------------------- the connection

    @property
    def is_connected(self) -> bool:
        return self._client is not None

    @property
    def mailboxes(self) -> tuple[str, ...]:
        """The folders that are read, as far as the server has named them."""
        return (self.folders.inbox,) if self._junk is None else (self.folders.inbox, self._junk)

    def connect(self) -> None:
        """Log in and create the folders. The whole inbox is read again."""
        self.close()
        with self._closing_on_error():
            self._client = _log_in(self.server)
            if not self._client.has_capability("MOVE") and not self._client.has_capability("UIDPLUS"):
                raise Unreachable("the server knows neither MOVE nor UIDPLUS: letters cannot be moved")
            prefix = _personal_prefix(self._client)
            known = {name for _, _, name in self._client.list_folders()}
            self._names = {
                "processed": prefix + self.folders.processed,
                "rejected": prefix + self.folders.rejected,
                "quarantine": prefix + self.folders.quarantine,
            }
            for name in self._names.values():
                if name not in known:
                    self._client.create_folder(name)
            self._junk = _junk_folder(self._client, self.folders.junk, known)
        self._left.clear()

    def select_all(self) -> dict[str, int]:
        """Select every mailbox that is read, as a pass would: each with its UIDVALIDITY."""
        with self._closing_on_error():
            return {mailbox: self._select(mailbox)[0] for mailbox in self.mailboxes}

    def close(self) -> None:
        """Close without LOGOUT: a hanging server would keep us waiting for its answer."""
        if self._client is not None:
            client, self._client = self._client, None
            with suppress(OSError, IMAPClientError):
                client.shutdown()

    @contextmanager
    def _closing_on_error(self) -> Iterator[None]:
        """Close the connection on any error, and report the server's as `Unreachable`."""
        try:
            yield
        except LoginError as error:
            self.close()
            raise (LoginRefused if _is_refusal(error) else Unreachable)(_message(error)) from error
        except (OSError, IMAPClientError) as error:
            self.close()
            raise Unreachable(_message(error)) from error
        except BaseException:
            self.close()
            raise

    # -------------------------------------------------------------- reading

    def read(self) -> int:
        """Store every letter in the inbox, and ours in the junk folder. Returns how many."""
        if self._client is None:
            self.connect()
        taken = self._read_all(self.folders.inbox, self._new_in_inbox)
        if self._junk is not None:
            taken += self._read_all(self._junk, self._ours_in_junk)
        return taken

    def _read_all(self, mailbox: str, find: Callable[[str, int], list[int]]) -> int:
        """Read batch after batch until a search that began at a known moment finds nothing."""
        taken = 0
        for _ in range(MOST_PASSES):
            began = self.now()
            with self._closing_on_error():
                uidvalidity, following = self._select(mailbox)
                uids = find(mailbox, uidvalidity)
            if not uids:
                self._read_until[mailbox] = (uidvalidity, following)
                self._one_by_one = False
                self.store.mark_read_to(mailbox, uidvalidity, began)
                break
            for start in range(0, len(uids), BATCH):
                taken += self._take_batch(mailbox, uidvalidity, uids[start : start + BATCH])
        return taken

    def _new_in_inbox(self, mailbox: str, uidvalidity: int) -> list[int]:
        return self._not_left(mailbox, uidvalidity, sorted(self._client.search("ALL")))

    def _ours_in_junk(self, mailbox: str, uidvalidity: int) -> list[int]:
        """New letters with a token of ours; the others stay in the junk folder."""
        known, highest = self._passed_over.get(mailbox, (uidvalidity, 0))
        after = highest if known == uidvalidity else 0
        # `n:*` always names the last letter, even if its number is below n.
        found = sorted(uid for uid in self._client.search(["UID", f"{after + 1}:*"]) if uid > after)
        for start in range(0, len(found), BATCH):
            batch = found[start : start + BATCH]
            fetched = self._client.fetch(batch, [_HEADERS])
            ours = [uid for uid in batch if uid in fetched and self.store.is_ours(_body(fetched[uid]))]
            if fresh := self._not_left(mailbox, uidvalidity, ours):
                return fresh  # found again until they are gone, so that none is missed
            self._passed_over[mailbox] = (uidvalidity, batch[-1])
        return []

    def _not_left(self, mailbox: str, uidvalidity: int, uids: list[int]) -> list[int]:
        return [uid for uid in uids if (mailbox, uidvalidity, uid) not in self._left]

    def _take_batch(self, mailbox: str, uidvalidity: int, uids: list[int]) -> int:
        """Commit each letter before any is moved. One that cannot be stored stops no other."""
        away: dict[Destination, list[int]] = {}
        failures: list[Exception] = []
        taken = 0
        for uid, outcome in self._fetch_and_store(mailbox, uidvalidity, uids):
            if isinstance(outcome, Exception):
                failures.append(outcome)
                if len(failures) == MOST_FAILURES:
                    break
                continue
            taken += 1
            self._left.add((mailbox, uidvalidity, uid))
            if outcome is not None:
                away.setdefault(outcome, []).append(uid)
        for destination in sorted(away):
            self._move(mailbox, uidvalidity, away[destination], destination)
        if failures:
            raise failures[0]  # the letter lies where it was, and is offered again
        return taken

    def _fetch_and_store(self, mailbox: str, uidvalidity: int, uids: list[int]) -> Iterator[_Stored]:
        for letters, gone in self._fetch(uids):
            self._left.update((mailbox, uidvalidity, uid) for uid in gone)  # another program was faster
            yield from self._store(mailbox, uidvalidity, letters)

    def _store(self, mailbox: str, uidvalidity: int, letters: list[FetchedLetter]) -> Iterator[_Stored]:
        """Together if possible, else one by one: each with its folder, or why it was not stored."""
        try:
            places = self.store.store_letters(mailbox, uidvalidity, letters) if letters else ()
            yield from zip((one.uid for one in letters), places, strict=True)
        except Exception as failure:
            if len(letters) == 1:
                yield letters[0].uid, failure
                return
            for one in letters:
                yield from self._store(mailbox, uidvalidity, [one])

    def _fetch(self, uids: list[int]) -> Iterator[tuple[list[FetchedLetter], list[int]]]:
        """The letters, small ones together, and the UIDs that are gone."""
        groups = ([uid] for uid in uids) if self._one_by_one else self._group(uids)
        for together in groups:
            before, self._one_by_one = self._one_by_one, True  # next time, unless all goes well
            with self._closing_on_error():
                found = self._client.fetch(together, ["INTERNALDATE", f"BODY.PEEK[]<0.{LARGEST}>"])
            self._one_by_one = before
            letters = [
                FetchedLetter(uid, _body(found[uid]), found[uid][b"INTERNALDATE"].astimezone(UTC))
                for uid in together
                if uid in found
            ]
            yield letters, [uid for uid in together if uid not in found]

    def _group(self, uids: list[int]) -> Iterator[list[int]]:
        if len(uids) == 1:
            yield uids
            return
        with self._closing_on_error():
            told = self._client.fetch(uids, ["RFC822.SIZE"])
        group, size = list[int](), 0
        for uid in uids:
            own = int(told.get(uid, {}).get(b"RFC822.SIZE", LARGEST))
            if group and (len(group) == TOGETHER or size + own > TOGETHER_BYTES):
                yield group
                group, size = [], 0
            group.append(uid)
            size += own
        yield group

    # -------------------------------------------------------------- moving

    def move(self, mailbox: str, uidvalidity: int, uids: Sequence[int], destination: Destination) -> bool:
        """Move letters that stayed in the mailbox. False: it was recreated, its UIDs mean others."""
        if self._client is None:
            self.connect()
        with self._closing_on_error():
            if self._select(mailbox)[0] != uidvalidity:
                return False
        self._move(mailbox, uidvalidity, list(uids), destination)
        return True

    def _move(self, mailbox: str, uidvalidity: int, uids: list[int], destination: Destination) -> None:
        """A letter that is gone already counts as moved."""
        with self._closing_on_error():
            if self._client.has_capability("MOVE"):
                self._client.move(uids, self._names[destination])
            else:
                self._client.copy(uids, self._names[destination])
                self._client.add_flags(uids, [b"\\Deleted"], silent=True)
                self._client.uid_expunge(uids)
        self.store.mark_moved(mailbox, uidvalidity, uids)
        self._left.difference_update((mailbox, uidvalidity, uid) for uid in uids)

    # -------------------------------------------------------------- waiting

    def wait(self, seconds: float) -> bool:
        """Wait until the server reports something, at most that long. True: it did.

        Never longer than a silent connection lives; the caller reads and waits again. The answer is only
        a hint: the next `read` looks at everything.
        """
        if self._client is None:
            self.connect()
        with self._closing_on_error():
            mailbox = self.folders.inbox
            if self._select(mailbox) != self._read_until.get(mailbox):
                return True  # it came between the last look and now
            if not self._client.has_capability("IDLE"):
                self.sleep(min(seconds, ASK_SECONDS))
                return self._select(mailbox) != self._read_until.get(mailbox)
            self._client.idle()
            told = self._client.idle_check(timeout=min(seconds, RENEW_SECONDS))
            _, more = self._client.idle_done()
            return any(_is_arrival(one) for one in (*told, *more))

    def _select(self, mailbox: str) -> tuple[int, int]:
        """Open a mailbox: its UIDVALIDITY, and the number its next letter will have."""
        try:
            opened = self._client.select_folder(mailbox)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            raise Unreachable(f"{mailbox} cannot be opened: {_message(error)}") from error
        if b"UIDVALIDITY" not in opened:
            raise Unreachable(f"{mailbox}: the server tells no UIDVALIDITY, so letters cannot be told apart")
        return int(opened[b"UIDVALIDITY"]), int(opened.get(b"UIDNEXT", 0))

    # -------------------------------------------------------------- rounds

    def rounds(self, seconds: float) -> Iterator[Round]:
        """Read, report, wait, forever. The pauses grow while the server cannot be reached.

        Only failures of the mail server are reported as a round; our own are raised.
        """
        failures = 0
        while True:
            try:
                done = Round(self.read())
                failures = 0
                yield done
                self.wait(seconds)
            except Unreachable as trouble:
                failures += 1
                pause = pause_before_reconnecting(failures, trouble)
                yield Round(0, str(trouble), isinstance(trouble, LoginRefused), pause)
                self.sleep(pause)


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did."""

    taken: int
    trouble: str = ""  # "": the mailbox has been read to its end
    refused: bool = False  # name and password are at fault
    pause: float = 0.0  # seconds until the server is tried again


def pause_before_reconnecting(failures: int, trouble: Unreachable) -> float:
    """1, 2, 4 … 60 seconds; longer after a refused password, so that the account is not locked."""
    if isinstance(trouble, LoginRefused):
        return float(min(60 * 2 ** min(failures - 1, 8), 900))
    return float(min(2 ** min(failures - 1, 8), 60))


def _is_refusal(error: LoginError) -> bool:
    """A connection lost while logging in, or a server that is busy, is no refusal."""
    lost = isinstance(error.__context__, IMAPClientAbortError)
    return not lost and not any(word in str(error) for word in ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]"))


def _log_in(server: ImapServer) -> Any:
    """A client with timeouts, logged in."""
    patience: Any = SocketTimeout(connect=server.connect_seconds, read=server.read_seconds)
    tls = server.security == "tls"
    trusted = server.trusted if server.trusted is not None else ssl.create_default_context()
    client: Any = IMAPClient(
        server.host, server.port, ssl=tls, ssl_context=trusted if tls else None, timeout=patience
    )
    try:
        client.normalise_times = False  # aware moments, not this machine's wall clock
        if server.security == "starttls":
            client.starttls(trusted)
        if server.oauth2_token is not None:
            client.oauth2_login(server.user, server.oauth2_token())
        else:
            client.login(server.user, server.password)
    except BaseException:
        with suppress(OSError, IMAPClientError):  # the first error is raised
            client.shutdown()
        raise
    return client


def _personal_prefix(client: Any) -> str:
    """The prefix of our own folders on some servers: `INBOX.`."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0]) if personal else ""


def _junk_folder(client: Any, wanted: str | None, known: set[str]) -> str | None:
    if wanted == "":
        found = client.find_special_folder(b"\\Junk")
        return None if found is None else str(found)
    return wanted if wanted in known else None


def _body(fetched: dict[bytes, Any]) -> bytes:
    """The requested bytes: every server names the section in its own way."""
    return next((bytes(value) for name, value in fetched.items() if name.startswith(b"BODY[")), b"")


def _is_arrival(response: Any) -> bool:
    return isinstance(response, tuple) and len(response) > 1 and response[1] in (b"EXISTS", b"RECENT")


def _message(error: BaseException) -> str:
    """The server's own words, short; they contain no password."""
    return f"{type(error).__name__}: {error}"[:300]
