"""Did the provider of the address in From sign this letter, as it is, for us?

A DKIM signature counts if its domain goes with From's, if it covers the whole text, From, Date and Subject,
if it is recent, if the signed recipients include us, and if MIME headers that it does not cover fit the text.
So nobody can add to a signed letter, forward to us one that they received, or send us one twice. Where it
leaves open to whom the letter went (`to_us`), or which letter it answers (`thread`), others may have said
that, or left it out. Checked when a letter arrives, and stored: keys are rotated.

`l=` allows more text below the signed part; such a signature proves nothing.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, Literal, TypeAlias

import dkim
from dkim.util import InvalidTagValueList, parse_tag_value

from pbem.mail.auth_results import ServerVerdict, is_same_or_below, server_verdicts
from pbem.mail.dns_keys import DnsTrouble, TxtLookup, is_name, is_usable, look_up_txt
from pbem.mail.guard import normalize_line_ends
from pbem.mail.message import Letter
from pbem.mail.mime_labels import LABELS, labels_fit

Signature: TypeAlias = Literal["unchecked", "pass", "fail", "none", "unknown"]  # unknown: DNS trouble

DNS_SECONDS: Final = 5.0  # for all keys of a letter together
MOST_TRIED: Final = 3  # signatures of one letter
LARGEST_SIGNED: Final = 512 * 1024  # bytes of text that are verified here; a larger letter counts as unsigned
LONGEST_SIGNATURE: Final = 4_096  # bytes: one of 4,096 bits takes 1,500
MOST_SIGNED: Final = 100  # headers that one signature names
LEAST_BITS: Final = 1_024
OF_THESE_DAYS: Final = timedelta(days=7)
CLOCKS_DIFFER: Final = timedelta(hours=1)
ALGORITHMS: Final = (b"rsa-sha256", b"ed25519-sha256")
# What may stand in a letter once: of two, one program reads the first and another the last.
ONCE: Final = (
    b"from", b"sender", b"to", b"cc", b"subject", b"date", b"message-id", b"in-reply-to", b"references",
    b"content-type", b"content-transfer-encoding", b"content-disposition", b"mime-version",
)  # fmt: skip
WHERE: Final = frozenset({"to", "cc"})
THREAD: Final = frozenset({"in-reply-to", "references"})
_WIDE: Final = re.compile(rb"\s{41}")  # no program folds like that, and patterns take long over it
_BLANK_LINE: Final = re.compile(rb"(?>\r\n|[\r\n])(?>\r\n|[\r\n])")
_BLANKS: Final = re.compile(rb"[ \t]+")
_NAMES: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|\([^()]*\)')  # may hold what looks like an address
_SPACE: Final = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class SignatureVerdict:
    """The verdict on a letter's signatures."""

    signature: Signature
    why: str = ""  # it is worth nothing, in a word
    b: str = ""
    to_us: bool = False  # it says, signed, that it was written to us
    thread: bool = False  # it says, signed, which letter it answers, or that it answers none
    replay: str = ""  # the same for the same letter, whatever is changed about it that is not signed


NONE: Final = SignatureVerdict("none")


@dataclass(frozen=True, slots=True)
class _Claim:
    """A DKIM-Signature as it stands in a letter."""

    place: int
    tags: Mapping[bytes, bytes]

    def word(self, tag: bytes) -> str:
        return re.sub(rb"\s+", b"", self.tags.get(tag, b"")).decode("ascii", "replace")

    @property
    def domain(self) -> str:
        return self.word(b"d").lower()

    @property
    def signed(self) -> tuple[str, ...]:
        return tuple(self.word(b"h").lower().split(":"))


@dataclass(frozen=True, slots=True)
class SenderProof:
    """Checks signatures. `authserv_id`: whose Authentication-Results to trust; "": nobody's."""

    look_up: TxtLookup = look_up_txt
    authserv_id: str = ""

    def verdict(self, raw: bytes, letter: Letter, mailbox: str, arrived: datetime) -> SignatureVerdict:
        """`mailbox`: our plain address. DNS is asked only for domains that go with From's."""
        heads, body = _divided(raw)
        if b"dkim-signature:" not in heads.lower():
            return NONE
        try:
            signer = dkim.DKIM(heads.replace(b"\n", b"\r\n") + b"\r\n\r\n", minkey=LEAST_BITS)
        except (dkim.DKIMException, IndexError):  # header lines that are none
            return SignatureVerdict("fail", "unreadable")
        # As it is: a long text is not cut into lines for nothing, and one too large is not verified at all.
        large = len(body) > LARGEST_SIGNED
        signer.body = body if large else normalize_line_ends(body).replace(b"\n", b"\r\n")
        return _Checking(self, signer, letter, mailbox, arrived).verdict()


def _divided(raw: bytes) -> tuple[bytes, bytes]:
    """The headers with plain line ends, and the text as it came."""
    blank = _BLANK_LINE.search(raw)
    start, end = blank.span() if blank else (len(raw), len(raw))
    return normalize_line_ends(raw[:start]), raw[end:]


def ascii_domain(domain: str) -> str:
    """A domain in its one spelling, as name servers know it (IDNA 2008).

    The library's codec still makes one of names that belong to two: `straße` and `strasse`.
    """
    labels = domain.split(".")
    return ".".join(one if one.isascii() else f"xn--{one.encode('punycode').decode()}" for one in labels)


def are_aligned(domain: str, sender: str) -> bool:
    """May that domain vouch for an address of the other?

    The same, or one below the other. Without a list of all public suffixes: a name of one part never, and
    what looks like `co.uk` only for itself. Who is given a name below somebody's domain could sign for its
    very top; such domains hand out no mail addresses of their own.
    """
    if "." not in domain or "." not in sender:
        return False
    shorter = min(domain, sender, key=len)
    return domain == sender or (is_same_or_below(domain, sender) and not _is_like_a_suffix(shorter))


def _is_like_a_suffix(domain: str) -> bool:
    first, *rest = domain.split(".")
    return len(rest) == 1 and len(rest[0]) == 2 and len(first) <= 3


class _Checking:
    """One letter's signatures."""

    def __init__(
        self, ways: SenderProof, signer: dkim.DKIM, letter: Letter, mailbox: str, arrived: datetime
    ) -> None:
        self._ways, self._signer, self._letter = ways, signer, letter
        self._mailbox, self._arrived = mailbox.lower(), arrived
        self._headers = [(name.lower(), value) for name, value in signer.headers]
        self._signatures = sum(name == b"dkim-signature" for name, _ in self._headers)
        self._until = time.monotonic() + DNS_SECONDS
        self._body = signer.body

    def verdict(self) -> SignatureVerdict:
        if trouble := self._trouble_of_letter():
            return SignatureVerdict("fail", trouble)
        claims = self._claims()
        own = [one for one in claims if self._goes_with_from(one)]
        if not own:
            return SignatureVerdict("none", "not-aligned")
        troubles = {one.place: self._trouble(one) for one in own}
        sound = [one for one in own if not troubles[one.place]][:MOST_TRIED]
        if not sound:
            return SignatureVerdict("fail", troubles[own[0].place])
        return self._by_server(claims, sound) or self._by_keys(sound)

    # -------------------------------------------------------------- before any key is asked for

    def _trouble_of_letter(self) -> str:
        """Ambiguous headers, and letters that are too old."""
        often = Counter(name for name, _ in self._headers)
        if any(often[name] > 1 for name in ONCE):
            return "doubled-header"
        writer = next((value for name, value in self._headers if name == b"from"), b"")
        if self._letter.sender.encode() not in writer.lower():
            return "from-unclear"
        date = self._letter.date
        if date is None or abs(date - self._arrived) > OF_THESE_DAYS:
            return "old-date"
        return ""

    def _claims(self) -> list[_Claim]:
        """Those that can be read; `_signatures` counts them all."""
        found = []
        signatures = [value for name, value in self._headers if name == b"dkim-signature"]
        for place, value in enumerate(signatures):
            if len(value) > LONGEST_SIGNATURE or _WIDE.search(value):
                continue
            try:
                found.append(_Claim(place, parse_tag_value(value)))
            except (InvalidTagValueList, IndexError):
                continue
        return found

    def _goes_with_from(self, claim: _Claim) -> bool:
        return are_aligned(claim.domain, ascii_domain(self._letter.sender.rpartition("@")[2]))

    def _trouble(self, claim: _Claim) -> str:
        """Why a signature proves nothing even if it is genuine; "": it would."""
        if b"l" in claim.tags:
            return "l="
        if claim.tags.get(b"a") not in ALGORITHMS or not is_name(f"{claim.word(b's')}._domainkey.x".lower()):
            return "unusable"
        if len(claim.signed) > MOST_SIGNED or not is_name(claim.domain):
            return "unusable"
        there = {name.decode("ascii") for name, _ in self._headers}
        if not {"from", "date", *({"subject"} & there)} <= set(claim.signed):
            return "headers-not-signed"
        expires, now = claim.word(b"x"), (self._arrived - CLOCKS_DIFFER).timestamp()
        if expires and (not expires.isdigit() or int(expires[:12]) < now):
            return "expired"
        if "to" in claim.signed and not self._is_to_us(claim):
            return "to-others"
        told = {name.decode("ascii"): value.decode("latin-1") for name, value in self._headers}
        labels = {name: told[name] for name in LABELS if name in told}
        return "" if labels_fit(labels, claim.signed, self._body) else "labels-not-signed"

    def _is_to_us(self, claim: _Claim) -> bool:
        """Does a signed To or Cc name our mailbox, with or without a plus part?"""
        signed = {name.encode() for name in ("to", "cc") if name in claim.signed}
        lines = b",".join(value for name, value in self._headers if name in signed).lower()
        user, _, host = (re.escape(part) for part in self._mailbox.encode().partition(b"@"))
        own = rb"(?:^|[\s<,:;])" + user + rb"(?:\+[a-z0-9_.-]+)?@" + host + rb"(?:$|[\s>,;])"
        return re.search(own, _NAMES.sub(b" ", lines)) is not None

    # -------------------------------------------------------------- by our server, by keys

    def _by_server(self, claims: list[_Claim], sound: list[_Claim]) -> SignatureVerdict | None:
        """None: our server's results do not single out one of these; then keys decide.

        They name a domain and perhaps the beginning of a b=. An attacker with a genuine signature that
        proves nothing here could add one of their own that the same result fits.
        """
        told = self._told_by_server() if len(claims) == self._signatures else ()
        passed = [one for one in sound if _words_on(one, claims, told) == {True}]
        if passed:
            return self._passed(passed[0])
        failed = [one for one in sound if _words_on(one, claims, told) == {False}]
        return SignatureVerdict("fail", "by-server") if failed == sound else None

    def _told_by_server(self) -> tuple[ServerVerdict, ...]:
        server, host = self._ways.authserv_id, self._mailbox.partition("@")[2]
        unfolded = [(name, value.replace(b"\r\n", b"")) for name, value in self._headers]
        return (server_verdicts(unfolded, server, host) if server else None) or ()

    def _by_keys(self, sound: list[_Claim]) -> SignatureVerdict:
        if len(self._body) > LARGEST_SIGNED:
            return SignatureVerdict("none", "too-large")
        trouble = False
        for claim in sound:
            try:
                if self._is_genuine(claim):
                    return self._passed(claim)
            except DnsTrouble:
                trouble = True
        return SignatureVerdict("unknown", "dns") if trouble else SignatureVerdict("fail", "not-genuine")

    def _is_genuine(self, claim: _Claim) -> bool:
        self._signer.body = self._body
        if claim.word(b"c").partition("/")[2] == "relaxed":
            # As the library would, but in time that grows with the text and not with its square.
            self._signer.body = _BLANKS.sub(b" ", self._body).replace(b" \r\n", b"\r\n")
        try:
            return bool(self._signer.verify(claim.place, dnsfunc=self._key))
        except DnsTrouble:
            raise
        except Exception:  # the library meets hostile bytes with whatever Python has
            return False

    def _key(self, name: bytes, timeout: float = DNS_SECONDS) -> bytes | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise DnsTrouble("too slow")
        found = self._ways.look_up(name.decode("ascii").lower().rstrip("."), min(left, timeout))
        return found if found is not None and is_usable(found) else None

    def _passed(self, claim: _Claim) -> SignatureVerdict:
        there, signed = {name.decode("ascii") for name, _ in self._headers}, set(claim.signed)
        to_us = "to" in signed and there & WHERE <= signed
        # The first of the two that is there counts: none may have been taken away before it.
        named = {"in-reply-to"} if "in-reply-to" in there else THREAD
        thread = (there & THREAD) | named <= signed
        return SignatureVerdict("pass", "", claim.word(b"b"), to_us, thread, self._replay())

    def _replay(self) -> str:
        """From, Date, Subject and text are signed; blanks may be changed."""
        assert self._letter.date is not None
        subject = next((value for name, value in self._headers if name == b"subject"), b"")
        parts = (subject.translate(None, _SPACE), self._body.translate(None, _SPACE))
        told = f"{self._letter.sender} {self._letter.date.isoformat()}".encode()
        return sha256(b"\0".join((told, *parts))).hexdigest()[:32]


def _words_on(claim: _Claim, claims: list[_Claim], told: tuple[ServerVerdict, ...]) -> set[bool]:
    """What our server says of a signature; empty: nothing, or nothing that fits it alone."""
    fitting = [one for one in told if _fits(one, claim)]
    alone = all(not _fits(one, other) for one in fitting for other in claims if other is not claim)
    return {one.passed for one in fitting} if alone else set()


def _fits(one: ServerVerdict, claim: _Claim) -> bool:
    """May our server have meant this one? It names d=, or else the domain of i=, or b=, or several."""
    if not one.domain:
        return bool(one.b) and claim.word(b"b").startswith(one.b)
    domains = (claim.domain, claim.word(b"i").rpartition("@")[2].lower())
    return one.domain in domains and claim.word(b"b").startswith(one.b)
