"""Signatures of senders: which count, and which prove nothing although they are genuine."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import dns.resolver
import pytest

from pbem.mail.dkim import LARGEST_SIGNED, SenderProof, SignatureVerdict, are_aligned
from pbem.mail.dns_keys import DnsTrouble, is_name, is_usable, look_up_txt
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from tests.campaigns_at_hand import mail
from tests.signing import SIGNED, Zone, new_key, signed

NOW = datetime.now(UTC).replace(microsecond=0)
MAILBOX, TO = "umpire@play.example", "umpire+fww-1.de.abcdefghijklmnop@play.example"
MAX, DOMAIN = "max@mail.example", "mail.example"
KEY = new_key("mail.example")


def zone() -> Zone:
    found = Zone()
    found.publish(DOMAIN, KEY)
    return found


def plain(text: str = "READY", **changes: Any) -> bytes:
    told: dict[str, Any] = {"sender": MAX, "recipient": TO, "subject": "Re: [FWW-1]", "date": NOW}
    return mail(text, **(told | changes))


def verdict(raw: bytes, here: Zone | None = None, authserv_id: str = "") -> SignatureVerdict:
    letter = open_letter(raw, (MAILBOX,))
    assert isinstance(letter, Letter)
    ways = SenderProof((here or zone()).look_up, authserv_id)
    return ways.verdict(raw, letter, MAILBOX, NOW)


def judged(raw: bytes, here: Zone | None = None) -> tuple[str, str]:
    found = verdict(raw, here)
    return found.signature, found.why


# ------------------------------------------------------------------ those that count


@pytest.mark.parametrize("header", ["simple", "relaxed"])
@pytest.mark.parametrize("body", ["simple", "relaxed"])
def test_a_genuine_signature_counts(header: str, body: str) -> None:
    text = "ORDERS  FWW-1 \t T1.R  \nC1: ATTACK 3\nEND\n\n\n"
    found = verdict(signed(plain(text), DOMAIN, KEY, ways=(header, body)))
    assert (found.signature, found.why, found.to_us) == ("pass", "", True)
    assert len(found.b) > 100 and len(found.replay) == 32


def test_line_ends_do_not_matter() -> None:
    assert judged(signed(plain(), DOMAIN, KEY).replace(b"\r\n", b"\n")) == ("pass", "")


def test_of_several_signatures_one_is_enough() -> None:
    other = new_key("list.example")
    here = zone()
    here.publish("list.example", other)
    raw = signed(signed(plain(), DOMAIN, KEY), "list.example", other)
    assert judged(raw, here) == ("pass", "")
    assert here.asked == ["mail._domainkey.mail.example"]  # strangers' domains are not asked for
    broken = signed(signed(plain(), DOMAIN, KEY), DOMAIN, new_key("another"))
    assert judged(broken, here) == ("pass", "")


def test_the_same_letter_has_the_same_print_whatever_is_changed_that_is_not_signed() -> None:
    raw = signed(plain("READY now"), DOMAIN, KEY, headers=("from", "to", "subject", "date"))
    first = verdict(raw)
    again = raw.replace(b"Message-ID: <", b"Message-ID: <again").replace(b"READY now", b"READY   now")
    assert again != raw and verdict(again).replay == first.replay and verdict(again).signature == "pass"
    assert verdict(signed(plain("READY too"), DOMAIN, KEY)).replay != first.replay


# ------------------------------------------------------------------ those that do not


def test_a_changed_letter_and_a_strange_key_fail() -> None:
    raw = signed(plain(), DOMAIN, KEY)
    assert judged(raw.replace(b"READY", b"RESIGN")) == ("fail", "not-genuine")
    assert judged(raw.replace(b"max@mail", b"eva@mail")) == ("fail", "not-genuine")
    assert judged(signed(plain(), DOMAIN, new_key("thief"))) == ("fail", "not-genuine")
    assert judged(raw, Zone()) == ("fail", "not-genuine")


def test_a_signature_that_covers_a_part_of_the_text_proves_nothing() -> None:
    raw = signed(plain("READY\n"), DOMAIN, KEY, length=True)
    assert judged(raw) == judged(raw + b"RESIGN\r\n") == ("fail", "l=")


@pytest.mark.parametrize("left_out", ["date", "subject"])
def test_what_we_read_must_be_signed(left_out: str) -> None:
    headers = [name for name in SIGNED if name != left_out]
    assert judged(signed(plain(), DOMAIN, KEY, headers=headers)) == ("fail", "headers-not-signed")


@pytest.mark.parametrize("name", ["Subject", "To", "Date", "In-Reply-To"])
def test_a_header_that_stands_there_twice_can_be_read_in_two_ways(name: str) -> None:
    raw = signed(plain("", in_reply_to="<a@b>"), DOMAIN, KEY)
    delivered, _, rest = raw.partition(b"\r\n")
    doubled = b"\r\n".join((delivered, f"{name}: RESIGN".encode(), rest))
    assert judged(doubled) == ("fail", "doubled-header")


def test_a_letter_that_was_written_to_somebody_else_is_none_to_us() -> None:
    raw = signed(plain(recipient="eva@mail.example"), DOMAIN, KEY)
    assert judged(raw) == ("fail", "to-others")
    assert judged(raw.replace(b"Delivered-To: eva@mail.example", f"Delivered-To: {TO}".encode())) == (
        "fail",
        "to-others",
    )
    named = signed(plain(recipient=f'"{MAILBOX}" <eva@mail.example>'), DOMAIN, KEY)
    assert judged(named) == ("fail", "to-others")
    copied = signed(plain(recipient="eva@mail.example", cc=[MAILBOX]), DOMAIN, KEY)
    assert verdict(copied).to_us


def test_where_to_is_not_signed_it_counts_but_not_for_what_is_serious() -> None:
    found = verdict(signed(plain(), DOMAIN, KEY, headers=("from", "date", "subject", "message-id")))
    assert (found.signature, found.to_us) == ("pass", False)


def test_old_letters_and_expired_signatures() -> None:
    assert judged(signed(plain(date=NOW - timedelta(days=8)), DOMAIN, KEY)) == ("fail", "old-date")
    assert judged(signed(plain(date=None), DOMAIN, KEY)) == ("fail", "old-date")
    past = str(int((NOW - timedelta(hours=2)).timestamp()))
    assert judged(signed(plain(), DOMAIN, KEY, tags={"t": past[:-1] + "0", "x": past})) == ("fail", "expired")
    soon = str(int((NOW + timedelta(hours=2)).timestamp()))
    assert judged(signed(plain(), DOMAIN, KEY, tags={"x": soon})) == ("pass", "")


def test_keys_that_are_too_short_too_long_or_only_tried_out() -> None:
    short, here = new_key("short", 768), zone()
    here.publish(DOMAIN, short, "short")
    here.publish(DOMAIN, KEY, "tried", "v=DKIM1; t=y:s; k=rsa")
    here.records["long._domainkey.mail.example"] = b"v=DKIM1; k=rsa; p=" + b"A" * 4000
    here.records["gone._domainkey.mail.example"] = b"v=DKIM1; k=rsa; p="
    for selector, key in (("short", short), ("tried", KEY), ("long", KEY), ("gone", KEY), ("none", KEY)):
        assert judged(signed(plain(), DOMAIN, key, selector=selector), here)[0] == "fail"
    assert is_usable(here.records["short._domainkey.mail.example"])  # its length is the library's to judge


def test_without_a_signature_that_goes_with_from_there_is_none() -> None:
    assert verdict(plain()) == SignatureVerdict("none")
    here = zone()
    here.publish("bulk.test", KEY)
    assert judged(signed(plain(), "bulk.test", KEY), here) == ("none", "not-aligned")
    assert here.asked == []


def test_dns_trouble_is_no_answer() -> None:
    here = zone()
    here.down = True
    assert judged(signed(plain(), DOMAIN, KEY), here) == ("unknown", "dns")


@pytest.mark.parametrize(
    ("domain", "sender", "aligned"),
    [
        ("example.org", "example.org", True),
        ("example.org", "mail.example.org", True),
        ("mail.example.org", "example.org", True),
        ("example.org", "badexample.org", False),
        ("other.example.org", "mail.example.org", False),
        ("org", "example.org", False),
        ("localhost", "localhost", False),
        ("co.uk", "club.co.uk", False),
        ("club.co.uk", "co.uk", False),
        ("gmx.de", "gmx.de", True),
        ("club.co.uk", "mail.club.co.uk", True),
        ("", "example.org", False),
    ],
)
def test_whose_signature_goes_with_whose_address(domain: str, sender: str, aligned: bool) -> None:
    assert are_aligned(domain, sender) is aligned


@pytest.mark.parametrize(
    ("written", "owner", "lookalike"),
    [
        ("straße.test", "xn--strae-oqa.test", "strasse.test"),
        ("λόγος.test", "xn--oxapnm1c.test", "xn--oxapnq6b.test"),
        ("münchen.test", "xn--mnchen-3ya.test", "munchen.test"),
        ("аpple.test", "xn--pple-43d.test", "apple.test"),
    ],
)
def test_a_domain_beyond_ascii_is_signed_for_by_its_owner(written: str, owner: str, lookalike: str) -> None:
    raw, here = plain(sender="somebody@here.test"), zone()
    raw = raw.replace(b"somebody@here.test", f"max@{written}".encode())
    for domain, found in ((owner, "pass"), (lookalike, "none")):
        here.publish(domain, KEY)
        assert verdict(signed(raw, domain, KEY), here).signature == found, domain


# ------------------------------------------------------------------ hostile ones


@pytest.mark.parametrize(
    "value",
    [
        "v=1; a=rsa-sha256; d=mail.example; s=mail; h=from; b" + " " * 3000 + "=x",
        "v=1; a=rsa-sha256; d=mail.example; s=mail; h=" + "a:" * 900 + "from; bh=x; b=x",
        "v=1; a=rsa-sha1; d=mail.example; s=mail; h=from:date:subject; bh=x; b=x",
        "v=1; a=rsa-sha256; d=mail.example; s=mail._domainkey.x/..; h=from:date:subject; bh=x; b=x",
        "v=1; a=rsa-sha256; d=mail.example; s=mail; h=from:date:subject; bh=x; b=x; x=99999999999999999999",
        "v=1; a=rsa-sha256; d=mail.example; s=mail; h=from:date:subject",
        "v=1; d=mail.example; d=mail.example",
        ";;;===;;;",
        "\u00e9\u00e9",
        "A" * 20000,
    ],
)
def test_signatures_that_are_none_end_quickly(value: str) -> None:
    delivered, _, rest = plain().partition(b"\r\n")
    raw = b"\r\n".join((delivered, b"DKIM-Signature: " + value.encode(), rest))
    began = time.process_time()
    assert verdict(raw).signature in ("fail", "none")
    assert time.process_time() - began < 0.5


def test_a_text_of_blanks_ends_quickly() -> None:
    raw = signed(plain(), DOMAIN, KEY)
    raw = raw.replace(b"READY", b" " * 250_000 + b"READY" + b"\t" * 250_000 + b".")
    began = time.process_time()
    assert judged(raw) == ("fail", "not-genuine")
    assert time.process_time() - began < 0.5


def test_a_large_letter_counts_as_unsigned() -> None:
    """It would take too long; its writer confirms it, and is told so."""
    line = b"x" * 70 + b"\r\n"
    raw = plain().rstrip(b"\r\n") + b"\r\n" + line * (LARGEST_SIGNED // len(line) + 1)
    assert judged(signed(raw, DOMAIN, KEY)) == ("none", "too-large")


def test_names_that_are_asked_for() -> None:
    assert is_name("mail._domainkey.example.org") and is_name("xn--bcher-kva.example")
    for name in ("", "a..b", "-a.b", "a b.c", "a" * 64 + ".b", "a/b", "é.fr", ".".join(["abc"] * 70)):
        assert not is_name(name), name


def test_a_name_server_that_does_not_answer_is_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens there; the library's own resolver is asked."""
    deaf = dns.resolver.Resolver(configure=False)
    deaf.nameservers, deaf.port = ["127.0.0.1"], 9
    monkeypatch.setattr(dns.resolver, "default_resolver", deaf)
    with pytest.raises(DnsTrouble):
        look_up_txt("mail._domainkey.example.org", 0.3)


# ------------------------------------------------------------------ our own server's word

OURS = "mx.play.example"
PASS = f"{OURS}; dkim=pass header.d=mail.example header.s=mail"
TAKEN = "from mail.example by mx.play.example with ESMTPS id 1"


def traced(raw: bytes, *lines: str) -> bytes:
    return b"".join(f"{line}\r\n".encode() for line in lines) + raw


def test_our_servers_word_is_enough_without_asking_for_a_key() -> None:
    here, raw = Zone(), signed(plain(), DOMAIN, KEY)
    b = re.sub(r"\s", "", raw.decode().partition(" b=")[2].partition("From:")[0])
    for note in (
        PASS,
        f"{OURS} 1; spf=pass smtp.mailfrom=x@y.example; dkim=pass header.i=@mail.example header.b={b[:8]}",
    ):
        for lines in (
            (f"Received: {TAKEN}", f"Authentication-Results: {note}"),
            (f"Authentication-Results: {note}", f"Received: {TAKEN}"),
            (
                "Received: by 2002:a05:6a10:: with SMTP id 7",
                f"Received: {TAKEN}",
                f"Authentication-Results: {note}",
            ),
        ):
            found = verdict(traced(raw, *lines), here, OURS)
            assert (found.signature, found.to_us, bool(found.b)) == ("pass", True, True)
    assert here.asked == []


def test_others_words_and_forged_ones_count_for_nothing() -> None:
    forged = signed(plain(), DOMAIN, new_key("thief"))
    foreign = "Received: from dark.example by relay.dark.example with SMTP"
    for lines in (
        (f"Received: {TAKEN}", foreign, f"Authentication-Results: {PASS}"),
        (foreign, f"Authentication-Results: {PASS}"),
        (f"Received: {TAKEN}", "Authentication-Results: mx.dark.example; dkim=pass header.d=mail.example"),
        (
            f"Authentication-Results: {OURS}; dkim=fail header.d=mail.example",
            f"Authentication-Results: {PASS}",
        ),
        (f"Authentication-Results: {OURS}; dkim=temperror header.d=mail.example",),
        (f"Authentication-Results: {OURS}; none", f"Authentication-Results: {PASS}"),
        (f"Authentication-Results: {OURS}; dkim=pass header.d=dark.example",),
        (f"Authentication-Results: {OURS}; dkim=pass header.d=mail.example header.b=AAAAAAAA",),
        (f"Authentication-Results: {OURS}; dkim=pass (((",),
    ):
        assert verdict(traced(forged, *lines), zone(), OURS).signature == "fail", lines
    assert (
        verdict(traced(forged, f"Authentication-Results: {PASS}"), zone()).signature == "fail"
    )  # nobody's word


def test_our_servers_word_does_not_make_a_bad_signature_good() -> None:
    note = f"Authentication-Results: {PASS}"
    for raw, why in (
        (signed(plain(), DOMAIN, KEY, length=True), "l="),
        (signed(plain(recipient="eva@mail.example"), DOMAIN, KEY), "to-others"),
        (signed(plain(date=NOW - timedelta(days=30)), DOMAIN, KEY), "old-date"),
    ):
        found = verdict(traced(raw, note), zone(), OURS)
        assert (found.signature, found.why) == ("fail", why)
    assert verdict(traced(plain(), note), zone(), OURS).signature == "none"


def beside(raw: bytes, **tags: str) -> bytes:
    """With a bogus signature on top, as somebody may add one to a genuine letter that he was sent."""
    known = {"d": DOMAIN, "s": "x", "h": "from:date:subject", "bh": "AAAA", "b": "AAAA"} | tags
    told = "; ".join(f"{name}={value}" for name, value in known.items())
    delivered, _, rest = raw.partition(b"\r\n")
    bogus = f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; {told}".encode()
    return b"\r\n".join((delivered, bogus, rest))


def b_of(raw: bytes) -> str:
    return re.sub(r"\s", "", raw.decode().partition(" b=")[2].partition("From:")[0])


@pytest.mark.parametrize("why", ["l=", "to-others"])
def test_a_pass_that_fits_two_signatures_is_nobodys(why: str) -> None:
    """The genuine one proves nothing here; the other one is not genuine."""
    letter = plain() if why == "l=" else plain(recipient="eva@mail.example")
    raw = signed(letter, DOMAIN, KEY, length=why == "l=")
    b = b_of(raw)
    for note, tags in (
        ("dkim=pass header.d=mail.example", {}),
        ("dkim=fail header.d=mail.example; dkim=pass header.d=mail.example", {}),
        (f"dkim=pass header.d=mail.example header.b={b[:8]}", {"b": f"{b[:8]}AAAA"}),
        (f"dkim=pass header.b={b[:8]}", {"b": f"{b[:8]}AAAA"}),
    ):
        told = traced(beside(raw, **tags), f"Authentication-Results: {OURS}; {note}")
        found = verdict(told, zone(), OURS)
        assert (found.signature, found.why) == ("fail", "not-genuine"), note
        down = Zone(down=True)
        assert verdict(told, down, OURS).signature == "unknown", note  # waited for, then confirmed


def test_a_pass_beside_a_signature_that_we_cannot_read_is_nobodys() -> None:
    """Our server may read more than we do."""
    raw = signed(plain(), DOMAIN, new_key("thief"))
    for unread in (f"DKIM-Signature: v=1; d={DOMAIN}; d={DOMAIN}; b=x", f"DKIM-Signature: {'x' * 5_000}"):
        delivered, _, rest = raw.partition(b"\r\n")
        told = b"\r\n".join((delivered, unread.encode(), rest))
        note = f"Authentication-Results: {PASS}"
        assert verdict(traced(told, note), zone(), OURS).signature == "fail"


def test_a_pass_of_another_domain_is_not_borrowed_by_its_beginning() -> None:
    """The thief's own signature is genuine; what he writes beside it in another's name begins like it."""
    raw = signed(plain(), "dark.example", new_key("thief"))
    note = f"{OURS}; dkim=pass header.d=dark.example header.b={b_of(raw)[:8]}"
    told = traced(beside(raw, b=f"{b_of(raw)[:8]}AAAA"), f"Authentication-Results: {note}")
    assert verdict(told, zone(), OURS).signature == "fail"


def test_a_pass_is_nothing_where_a_fail_fits_as_well() -> None:
    raw = signed(plain(), DOMAIN, new_key("thief"))
    note = f"{OURS}; dkim=pass header.d=mail.example; dkim=fail header.d=mail.example"
    assert verdict(traced(raw, f"Authentication-Results: {note}"), zone(), OURS).signature == "fail"


def test_of_two_that_can_be_told_apart_one_is_enough() -> None:
    """RSA and something that our server does not know, both of the provider."""
    once = signed(plain(), DOMAIN, KEY)
    twice = signed(once, DOMAIN, new_key("second"), selector="second")
    first, second = b_of(twice)[:8], b_of(once)[:8]
    note = f"{OURS}; dkim=neutral header.d={DOMAIN} header.b={first}; dkim=pass header.b={second}"
    here = Zone()
    assert verdict(traced(twice, f"Authentication-Results: {note}"), here, OURS).signature == "pass"
    assert here.asked == []
    vague = f"{OURS}; dkim=neutral header.d={DOMAIN}; dkim=pass header.d={DOMAIN}"
    assert verdict(traced(twice, f"Authentication-Results: {vague}"), zone(), OURS).signature == "pass"
