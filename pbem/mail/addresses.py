"""Where a player's reply goes, and what our own letters are called.

Each window of each seat has its own reply address, `umpire+<campaign>.<seat>.<tag>@host`; each letter of
ours has a Message-ID that nobody can guess and that counts nothing anybody else may know. Both come from
keyed hashes: two workers give the same letter the same name, and the key alone says what is ours.
Addresses travel through programs that change case, so everything is read and hashed in lower case.
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b32encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pbem.errors import BadInput
from pbem.mail.message import Letter

TAG_CHARACTERS: Final = 16  # 80 bits
NAME_CHARACTERS: Final = 16  # the name of a letter in its Message-ID
CHECK_CHARACTERS: Final = 10  # 50 bits: only who has the key makes a name that is taken for ours
LONGEST_LOCAL_PART: Final = 64  # RFC 5321
LONGEST_MESSAGE_ID: Final = 69  # with its brackets; longer ones are mangled by programs that fold headers
LEAST_KEY: Final = 16  # bytes
LONGEST_HEADERS: Final = 200_000  # bytes looked through for an address

_SLUG: Final = re.compile(r"[a-z0-9_-]+")
_MAILBOX: Final = re.compile(r"[a-z0-9!#$%&'*/=?^_`{|}~.-]+@[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_BOUNCE: Final = "bounce"
_WHERE: Final = (b"delivered-to", b"x-original-to", b"envelope-to", b"to", b"cc")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a reply address says of itself, in lower case; nothing is proven yet."""

    campaign: str
    seat: str
    tag: str = field(repr=False)


class SeatAddresses:
    """The addresses and Message-IDs of one mailbox, `mailbox` being its plain address."""

    def __init__(self, key: bytes, mailbox: str) -> None:
        if len(key) < LEAST_KEY:
            raise BadInput(f"the key of the reply addresses has fewer than {LEAST_KEY} bytes")
        if not _MAILBOX.fullmatch(mailbox.lower()):
            raise BadInput(f"{mailbox!r} is no plain mail address (and may hold no '+')")
        self._key = key
        self.mailbox = mailbox.lower()
        self._user, _, self.host = self.mailbox.partition("@")
        self.id_host = _short_host(self.host)
        tagged = rf"{re.escape(self._user)}\+([a-z0-9_.-]+)@{re.escape(self.host)}"
        self._tagged = re.compile(rf"(?<![a-z0-9!#$%&'*/=?^_`{{|}}~.+-]){tagged}(?![a-z0-9.-])")
        named = rf"[a-z2-7]{{{NAME_CHARACTERS + CHECK_CHARACTERS}}}"
        self._message_id = re.compile(rf"<({named})@{re.escape(self.id_host)}>")
        self._named = re.compile(named)

    def __repr__(self) -> str:
        return f"SeatAddresses({self.mailbox})"

    # -------------------------------------------------------------- reply addresses

    def tag(self, campaign: str, seat: str, holder: int, window: int) -> str:
        """The token of one window of a seat; another holder of the seat has other tokens."""
        return self._hash(TAG_CHARACTERS, "reply", campaign.lower(), seat.lower(), holder, window)

    def reply_address(self, campaign: str, seat: str, holder: int, window: int) -> str:
        """Where the reply to a letter about that window goes."""
        for name in (campaign, seat):
            if not _SLUG.fullmatch(name.lower()):
                raise BadInput(f"{name!r} cannot stand in an address: letters, figures, '-' and '_' only")
        tag = self.tag(campaign, seat, holder, window)
        local = f"{self._user}+{campaign.lower()}.{seat.lower()}.{tag}"
        if (over := len(local) - LONGEST_LOCAL_PART) > 0:
            raise BadInput(
                f"{campaign!r} is too long by {over} characters for the addresses of seat {seat!r}"
            )
        return f"{local}@{self.host}"

    def read(self, address: str) -> Claim | None:
        """The claim of one address; None: it is none of our reply addresses."""
        found = self._tagged.fullmatch(address.lower())
        return None if found is None else _claim(found[1])

    def claims(self, letter: Letter) -> tuple[Claim, ...]:
        """What a letter's addresses claim: those of our mail server first, then To and Cc."""
        return _each_once(map(self.read, (*letter.delivered_to, *letter.recipients)))

    def claims_in(self, headers: bytes) -> tuple[Claim, ...]:
        """The same from a raw header block, without a parser: for a glance into the junk folder."""
        texts = _header_texts(headers, _WHERE)
        return _each_once(_claim(found[1]) for text in texts for found in self._tagged.finditer(text))

    def proven_window(self, claim: Claim, holder: int, newest: int) -> int | None:
        """The window whose token this is, of all that holder has had; None: it proves nothing.

        An old token still proves the seat; whether its orders count is decided by the window. All are
        compared, whichever fits, so the time taken tells nothing.
        """
        proven: int | None = None
        for window in range(newest + 1):
            if hmac.compare_digest(self.tag(claim.campaign, claim.seat, holder, window), claim.tag):
                proven = window
        return proven

    # -------------------------------------------------------------- letters of ours

    def message_id(self, campaign: str, seat: str, kind: str, number: int) -> str:
        """The Message-ID of a seat's letter: `number` is the seat's own count of that kind."""
        name = self._hash(NAME_CHARACTERS, "letter", campaign.lower(), seat.lower(), kind, number)
        return f"<{name}{self._check(name)}@{self.id_host}>"

    def is_own(self, message_id: str) -> bool:
        """Did we give that Message-ID? Known without looking into the outbox."""
        found = self._message_id.fullmatch(message_id.strip().lower())
        return found is not None and self._is_name(found[1])

    def names_in(self, text: str) -> Iterator[int]:
        """Where the names of letters of ours begin, in a text of small letters and figures as one word."""
        length = NAME_CHARACTERS + CHECK_CHARACTERS
        for run in _NAMES.finditer(text):
            word = run[0].encode("ascii")
            for at in range(len(word) - length + 1):
                whole = b'["name","%b"]' % word[at : at + NAME_CHARACTERS]  # as `_check` hashes it
                first = hmac.digest(self._key, whole, "sha256")[0] >> 3
                if _BASE32[first] == word[at + NAME_CHARACTERS] and self._is_name(run[0][at : at + length]):
                    yield run.start() + at

    def answered(self, letter: Letter) -> tuple[str, ...]:
        """The letters of ours that a letter answers, nearest first, as they stand in the outbox."""
        return self._own((*letter.in_reply_to, *reversed(letter.references)))

    def answered_in(self, headers: bytes) -> tuple[str, ...]:
        """The same from a raw header block."""
        replied, referred = (
            [one[0] for text in _header_texts(headers, (name,)) for one in self._message_id.finditer(text)]
            for name in (b"in-reply-to", b"references")
        )
        return self._own((*replied, *reversed(referred)))

    def envelope_sender(self, message_id: str) -> str:
        """Where a bounce of that letter goes: its address alone says what came back.

        Who knows the Message-ID, which stands in every reply, does not know this.
        """
        found = self._message_id.fullmatch(message_id)
        if found is None:
            raise ValueError("not a Message-ID of ours")
        name = found[1][:NAME_CHARACTERS]
        local = f"{self._user}+{_BOUNCE}.{name}{self._check(name, _BOUNCE)}"
        if len(local) > LONGEST_LOCAL_PART:
            raise BadInput(f"the mailbox's name {self._user!r} is too long for addresses of bounces")
        return f"{local}@{self.host}"

    def bounced(self, addresses: Iterable[str]) -> str | None:
        """The Message-ID of the letter of ours that came back to one of these addresses."""
        for address in addresses:
            found = self._tagged.fullmatch(address.lower())
            word, _, whole = ("", "", "") if found is None else found[1].partition(".")
            if word == _BOUNCE and self._named.fullmatch(whole) and self._is_name(whole, _BOUNCE):
                name = whole[:NAME_CHARACTERS]
                return f"<{name}{self._check(name)}@{self.id_host}>"
        return None

    def _own(self, message_ids: Iterable[str]) -> tuple[str, ...]:
        plain = dict.fromkeys(one.strip().lower() for one in message_ids)
        return tuple(one for one in plain if self.is_own(one))

    def _is_name(self, name: str, use: str = "name") -> bool:
        return hmac.compare_digest(self._check(name[:NAME_CHARACTERS], use), name[NAME_CHARACTERS:])

    def _check(self, name: str, use: str = "name") -> str:
        return self._hash(CHECK_CHARACTERS, use, name)

    def _hash(self, characters: int, *parts: str | int) -> str:
        whole = hmac.digest(self._key, _as_one(parts).encode("ascii"), "sha256")
        needed = whole[: -(-characters // 8) * 5]  # eight characters are five bytes
        return b32encode(needed).decode("ascii").lower()[:characters]


_BASE32: Final = b"abcdefghijklmnopqrstuvwxyz234567"
_NAMES: Final = re.compile(rf"[a-z2-7]{{{NAME_CHARACTERS + CHECK_CHARACTERS},}}")
_as_one: Final = json.JSONEncoder(separators=(",", ":")).encode


def _short_host(host: str) -> str:
    """The host as Message-IDs name it: as many of its last labels as leave the id short."""
    room = LONGEST_MESSAGE_ID - NAME_CHARACTERS - CHECK_CHARACTERS - len("<@>")
    while len(host) > room and "." in host:
        host = host.partition(".")[2]
    return host[-room:].lstrip("-.")


def _claim(extension: str) -> Claim | None:
    """`<campaign>.<seat>.<tag>`, of the right shape."""
    parts = extension.split(".")
    if len(parts) != 3 or not all(map(_SLUG.fullmatch, parts)) or len(parts[2]) != TAG_CHARACTERS:
        return None
    return Claim(*parts)


def _each_once(claims: Iterable[Claim | None]) -> tuple[Claim, ...]:
    return tuple(dict.fromkeys(claim for claim in claims if claim is not None))


def _header_texts(headers: bytes, wanted: tuple[bytes, ...]) -> list[str]:
    """The values of the headers of these names, in the order of the names, unfolded and in lower case."""
    block = re.split(rb"\r?\n\r?\n", headers[:LONGEST_HEADERS].lstrip(b"\r\n"), maxsplit=1)[0]
    lines = re.sub(rb"\r?\n[ \t]+", b" ", block).splitlines()
    named = [line.partition(b":") for line in lines]
    found = [rest for name in wanted for head, _, rest in named if head.strip().lower() == name]
    return [text.decode("ascii", "replace").lower() for text in found]
