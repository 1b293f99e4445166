"""Reply addresses, Message-IDs and addresses of bounces."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.errors import BadInput
from pbem.mail.addresses import Claim, SeatAddresses
from pbem.mail.message import Letter

ours = SeatAddresses(b"0123456789abcdef", "umpire@play.example")
foreign = SeatAddresses(b"fedcba9876543210", "umpire@play.example")
slugs = st.from_regex(r"[A-Za-z0-9-]{1,12}", fullmatch=True)


def letter(**values: tuple[str, ...]) -> Letter:
    known: dict[str, Any] = dict.fromkeys(("recipients", "delivered_to", "in_reply_to", "references"), ())
    return Letter(
        **(known | values),
        message_id="<1@a>",
        sender="a@b.example",
        sender_name="",
        subject="",
        date=None,
        automatic="",
        lines=(),
    )


@given(slugs, slugs, st.integers(0, 50), st.integers(0, 30))
def test_an_address_reads_back_and_proves_its_window(
    campaign: str, seat: str, holder: int, window: int
) -> None:
    address = ours.reply_address(campaign, seat, holder, window)
    claim = ours.read(address.swapcase())  # programs on the way change case
    assert claim is not None
    assert (campaign.lower(), seat.lower()) == (claim.campaign, claim.seat)
    assert re.fullmatch(r"[a-z2-7]{16}", claim.tag)
    assert window == ours.proven_window(claim, holder, 30)


def test_only_the_present_holder_and_windows_that_were_prove_anything() -> None:
    claim = ours.read(ours.reply_address("TTLM-7", "GE", 2, 5))
    assert claim is not None
    assert 5 == ours.proven_window(claim, 2, 5) == ours.proven_window(claim, 2, 9)
    assert ours.proven_window(claim, 2, 4) is None
    assert ours.proven_window(claim, 1, 9) is None
    assert ours.proven_window(claim, 3, 9) is None
    assert foreign.proven_window(claim, 2, 9) is None
    assert ours.proven_window(Claim("ttlm-7", "en", claim.tag), 2, 9) is None
    assert ours.proven_window(Claim("ttlm-8", "ge", claim.tag), 2, 9) is None


def test_parts_cannot_be_shifted_from_campaign_to_seat() -> None:
    assert ours.tag("a-b", "c", 1, 1) != ours.tag("a", "b-c", 1, 1)
    assert ours.tag("a", "b", 1, 11) != ours.tag("a", "b", 11, 1)


@pytest.mark.parametrize(
    "address",
    [
        "umpire@play.example",
        "umpire+ttlm-7.ge@play.example",
        "umpire+ttlm-7.ge.short@play.example",
        "umpire+ttlm-7.ge.abcdefghijklmnop@play.example.org",
        "xumpire+ttlm-7.ge.abcdefghijklmnop@play.example",
        "umpire+a.ttlm-7.ge.abcdefghijklmnop@play.example",
        "umpire+bounce.abcdefghijklmnopqrstuvwxyz@play.example",
    ],
)
def test_what_is_no_reply_address(address: str) -> None:
    assert ours.read(address) is None
    assert () == ours.claims_in(f"To: {address}\r\n\r\n".encode())


def test_what_the_mail_server_says_comes_before_what_the_writer_says() -> None:
    first, second = (ours.reply_address("TTLM-7", seat, 1, 1) for seat in ("GE", "EN"))
    seats = [claim.seat for claim in ours.claims(letter(delivered_to=(first,), recipients=(second, first)))]
    assert ["ge", "en"] == seats
    raw = f"Subject: x\r\nTo: Umpire\r\n <{second}>,\r\n\t{first}\r\nX-Original-To: {first}\r\n\r\nTo: no\r\n"
    assert ["ge", "en"] == [claim.seat for claim in ours.claims_in(raw.encode())]


def test_addresses_in_the_text_or_in_other_headers_claim_nothing() -> None:
    address = ours.reply_address("TTLM-7", "GE", 1, 1)
    assert () == ours.claims_in(f"Subject: {address}\r\n\r\nTo: {address}\r\n".encode())


def test_our_letters_are_known_by_their_name_alone() -> None:
    first, second = (ours.message_id("TTLM-7", "GE", "result", number) for number in (1, 2))
    reply = letter(in_reply_to=("<other@mail.example>",), references=(first, "<x@y>", second.upper()))
    assert (second, first) == ours.answered(reply)
    raw = f"References: {first}\r\n <x@y> {second}\r\nIn-Reply-To: {second}\r\n\r\n".encode()
    assert (second, first) == ours.answered_in(raw)
    assert not ours.is_own(foreign.message_id("TTLM-7", "GE", "result", 1))
    assert not ours.is_own(first.replace("@", "a@")) and not ours.is_own(first[1:-1])


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=10), st.integers(0, 10**6))
def test_message_ids_are_short_and_of_one_length(campaign: str, seat: str, kind: str, number: int) -> None:
    far = SeatAddresses(b"0123456789abcdef", f"umpire@{'sub.' * 20}a-very-long-name-of-a-host.example")
    for addresses in (ours, far):
        name = addresses.message_id(campaign, seat, kind, number)
        assert addresses.is_own(name) and len(name) < 70
        assert len(name) == len(addresses.message_id("a", "b", "c", 1))


def test_a_letter_has_one_name_whoever_makes_it() -> None:
    again = SeatAddresses(b"0123456789abcdef", "Umpire@Play.Example")
    assert ours.message_id("T", "GE", "result", 3) == again.message_id("t", "ge", "result", 3)
    names = {
        ours.message_id(campaign, seat, kind, number)
        for campaign in ("T", "U")
        for seat in ("GE", "EN")
        for kind in ("result", "receipt")
        for number in range(20)
    }
    assert 160 == len(names)


def test_a_bounce_says_what_came_back() -> None:
    name = ours.message_id("T", "GE", "result", 1)
    address = ours.envelope_sender(name)
    assert name == ours.bounced(["umpire@play.example", address.upper()])
    assert ours.bounced([foreign.envelope_sender(foreign.message_id("T", "GE", "result", 1))]) is None
    assert ours.bounced(["umpire+bounce.x@play.example"]) is None
    with pytest.raises(ValueError, match="Message-ID"):
        ours.envelope_sender("<somebody@else>")


def test_what_cannot_stand_in_an_address_is_said_when_it_is_asked_for() -> None:
    for campaign, seat in (("a.b", "GE"), ("a b", "GE"), ("a", "é"), ("x" * 30, "y" * 20)):
        with pytest.raises(BadInput):
            ours.reply_address(campaign, seat, 1, 1)
    for key, mailbox in ((b"short", "u@h.example"), (b"0" * 16, "u+x@h.example"), (b"0" * 16, "nobody")):
        with pytest.raises(BadInput):
            SeatAddresses(key, mailbox)


def test_tokens_and_keys_do_not_show_in_logs() -> None:
    claim = ours.read(ours.reply_address("T", "GE", 1, 1))
    assert claim is not None
    assert claim.tag not in repr(claim)
    assert "SeatAddresses(umpire@play.example)" == repr(ours)
