"""The public keys of mail providers, asked of the domain name system.

No answer within the time, or a name server in trouble, is `DnsTrouble`: the letter is looked at again later.
That there is no such record is an answer.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Final, TypeAlias

import dns.exception
import dns.name
import dns.resolver
from dkim.crypto import UnparsableKeyError, parse_public_key

LONGEST_RECORD: Final = 1_600  # characters: 8,192 bits take 1,400
MOST_BITS: Final = 8_192  # the time a key takes grows with the third power of its length
MOST_EXPONENT: Final = 1 << 32

_NAME: Final = re.compile(r"(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)*[a-z0-9_](?:[a-z0-9_-]{0,62})")
_TAG: Final = re.compile(rb"\s*([a-z]+)\s*=\s*([^;]*)")


class DnsTrouble(Exception):
    """Nobody answered: whether there is a key is not known."""


# The texts of a name's TXT record, joined, within so many seconds; None: there is none.
TxtLookup: TypeAlias = Callable[[str, float], bytes | None]


def look_up_txt(name: str, seconds: float) -> bytes | None:
    """A `TxtLookup` that asks this machine's name servers."""
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=seconds, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return None
    except dns.exception.DNSException as trouble:
        raise DnsTrouble(type(trouble).__name__) from None
    texts = [b"".join(record.strings) for record in answer]
    return next((text for text in texts if b"p=" in text), None)


def is_name(name: str) -> bool:
    """May that name be asked for?"""
    return _NAME.fullmatch(name) is not None


def is_usable(record: bytes) -> bool:
    """A key that verifying takes a moment, in use (`t=y`: only tried out, as if there were none)."""
    if len(record) > LONGEST_RECORD:
        return False
    tags: dict[bytes, bytes] = {found[1]: found[2] for found in _TAG.finditer(record)}
    if b"y" in re.split(rb"[\s:]+", tags.get(b"t", b"").strip()):
        return False
    if tags.get(b"k", b"rsa").strip() != b"rsa":
        return True
    try:
        key = parse_public_key(base64.b64decode(re.sub(rb"\s+", b"", tags.get(b"p", b""))))
    except (binascii.Error, UnparsableKeyError, KeyError, IndexError, TypeError, ValueError):
        return False
    modulus, exponent = int(key["modulus"]), int(key["publicExponent"])
    return 0 < modulus.bit_length() <= MOST_BITS and 2 < exponent <= MOST_EXPONENT
