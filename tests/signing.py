"""Mail providers for tests: keys of their own, a zone of the domain name system, letters that they sign."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import dkim

from pbem.mail.dns_keys import DnsTrouble

SIGNED = ("from", "to", "cc", "subject", "date", "message-id", "in-reply-to", "references", "mime-version")


@dataclass(frozen=True, slots=True)
class Key:
    """An RSA key: what a provider keeps, and what it publishes."""

    private: bytes  # PEM
    public: str  # base64


@cache
def new_key(name: str, bits: int = 1024) -> Key:
    """The same key for the same name, so that a run can be repeated."""
    dice, e = random.Random(f"key {name} {bits}"), 65537
    while True:
        p, q = _prime(dice, bits // 2), _prime(dice, bits // 2)
        phi = (p - 1) * (q - 1)
        if p != q and phi % e and (p * q).bit_length() == bits:
            break
    n, d = p * q, pow(e, -1, phi)
    numbers = (0, n, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p))
    private = _pem("RSA PRIVATE KEY", _sequence(*map(_integer, numbers)))
    rsa = _sequence(bytes.fromhex("06092a864886f70d010101"), bytes.fromhex("0500"))
    inner = _sequence(_integer(n), _integer(e))
    public = _sequence(rsa, _tagged(3, b"\0" + inner))
    return Key(private, base64.b64encode(public).decode("ascii"))


def _prime(dice: random.Random, bits: int) -> int:
    while True:
        found = dice.getrandbits(bits) | (3 << (bits - 2)) | 1
        if all(found % small for small in (3, 5, 7, 11, 13, 17, 19, 23)) and _is_prime(found, dice):
            return found


def _is_prime(number: int, dice: random.Random) -> bool:
    """Miller and Rabin, twelve times."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(12):
        power = pow(dice.randrange(2, number - 1), odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def _tagged(tag: int, content: bytes) -> bytes:
    size = len(content)
    long = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, size] if size < 128 else [tag, 0x80 | len(long), *long]) + content


def _integer(number: int) -> bytes:
    return _tagged(2, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def _sequence(*parts: bytes) -> bytes:
    return _tagged(0x30, b"".join(parts))


def _pem(kind: str, der: bytes) -> bytes:
    return f"-----BEGIN {kind}-----\n{base64.encodebytes(der).decode()}-----END {kind}-----\n".encode()


# ------------------------------------------------------------------ the zone


@dataclass(slots=True)
class Zone:
    """TXT records by name; `look_up` is what asks it. `down`: nobody answers."""

    records: dict[str, bytes] = field(default_factory=dict)
    down: bool = False
    asked: list[str] = field(default_factory=list)

    def publish(self, domain: str, key: Key, selector: str = "mail", tags: str = "v=DKIM1; k=rsa") -> None:
        self.records[f"{selector}._domainkey.{domain}"] = f"{tags}; p={key.public}".encode()

    def look_up(self, name: str, seconds: float) -> bytes | None:
        self.asked.append(name)
        if self.down:
            raise DnsTrouble("down")
        return self.records.get(name)


# ------------------------------------------------------------------ letters


def signed(
    raw: bytes,
    domain: str,
    key: Key,
    *,
    selector: str = "mail",
    headers: Iterable[str] = SIGNED,
    ways: tuple[str, str] = ("relaxed", "relaxed"),
    tags: Mapping[str, str] | None = None,
    length: bool = False,
    seals: bool = False,
) -> bytes:
    """The letter with its provider's signature on top, below the headers of the server that delivers it.

    `seals`: headers that are not there are named as well, so that nobody can add one.
    """
    delivered, _, written = raw.partition(b"\r\n")
    assert delivered.startswith(b"Delivered-To:")
    lines = written.partition(b"\r\n\r\n")[0].split(b"\r\n")
    there = {line.partition(b":")[0].lower() for line in lines}
    covered = [name.encode() for name in headers if seals or name.encode() in there]
    told = _Signer(written, tags or {}).sign(
        selector.encode(),
        domain.encode(),
        key.private,
        canonicalize=(ways[0].encode(), ways[1].encode()),
        include_headers=covered,
        length=length,
    )
    return b"\r\n".join((delivered, told + written))


class _Signer(dkim.DKIM):  # type: ignore[misc]  # dkimpy has no types
    """Adds tags of its own, such as `x=`, before it signs."""

    def __init__(self, message: bytes, extra: Mapping[str, str]) -> None:
        super().__init__(message)
        self._extra = [(name.encode(), value.encode()) for name, value in extra.items()]

    def gen_header(self, fields: list[tuple[bytes, bytes]], *rest: object, **more: object) -> bytes:
        kept = [one for one in fields if one[0] not in dict(self._extra)]
        done: bytes = super().gen_header([*kept[:-1], *self._extra, kept[-1]], *rest, **more)
        return done
