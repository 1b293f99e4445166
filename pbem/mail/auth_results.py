"""What our own mail server noted about a letter on its arrival: the Authentication-Results above all else.

Everything below the place where our server took the mail over was written by others, and may be forged. So
headers count only down to the first Received of a foreign server, and of those with our server's name the
topmost alone: a server that adds this header takes away what others wrote in its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, TypeAlias

import authres
from authres.core import AuthResError

LONGEST: Final = 8_192  # bytes of one header

_FROM: Final = re.compile(rb"\s*from\s")
_BY: Final = re.compile(rb"(?:^|\s)by\s+([a-z0-9._-]+)")

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]  # names in lower case, values unfolded, from the top


@dataclass(frozen=True, slots=True)
class ServerVerdict:
    """Our server's result for a signature. `b`: the beginning of its b=, if given."""

    domain: str
    passed: bool
    b: str


def server_verdicts(headers: Headers, authserv_id: str, host: str) -> tuple[ServerVerdict, ...] | None:
    """Our server's result for each DKIM signature; None: none, or none that is final."""
    note = next((value for value in _notes(headers, (authserv_id, host)) if _is_by(value, authserv_id)), None)
    if note is None or len(note) > LONGEST:
        return None
    try:
        text = "Authentication-Results: " + note.decode("ascii", "replace").strip()
        found = authres.AuthenticationResultsHeader.parse(text)
    except (AuthResError, ValueError):
        return None
    results = [one for one in found.results if one.method == "dkim"]
    if any(one.result == "temperror" for one in results):
        return None
    return tuple(_signed(one) for one in results)


def _notes(headers: Headers, ours: tuple[str, ...]) -> Iterator[bytes]:
    """The Authentication-Results above the first Received of a foreign server."""
    above = takewhile(lambda header: not _is_foreign(*header, ours), headers)
    return (value for name, value in above if name == b"authentication-results")


def _is_foreign(name: bytes, value: bytes, ours: tuple[str, ...]) -> bool:
    """Taken from another machine by a server that is not ours; handing over within one names no sender."""
    received = value.lower()
    if name != b"received" or not _FROM.match(received):
        return False
    by = _BY.search(received[:LONGEST])
    return by is None or not any(is_same_or_below(by[1].decode("ascii"), one) for one in ours if one)


def is_same_or_below(one: str, other: str) -> bool:
    """The same host, or one below the other."""
    one, other = one.lower().rstrip("."), other.lower().rstrip(".")
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _is_by(note: bytes, authserv_id: str) -> bool:
    named = note.strip().partition(b";")[0].split()
    return bool(named) and named[0].decode("ascii", "replace").lower() == authserv_id.lower()


def _signed(one: object) -> ServerVerdict:
    def told(name: str) -> str:
        value = getattr(one, name, None)
        return "" if value is None else str(value)

    domain = told("header_d") or told("header_i").rpartition("@")[2]
    properties = {(part.type, part.name): str(part.value) for part in getattr(one, "properties", ())}
    return ServerVerdict(domain.lower(), told("result") == "pass", properties.get(("header", "b"), ""))
