"""Two people in one From, signed by the provider of the wrong one: nobody is obeyed in another's name."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from tests.intake.conftest import Intake, words
from tests.intake.forgeries import HOSTILE_WORDS
from tests.intake.judged_letters import GOOD, SEATS, SIGNED_ONES, Post, done_so_far, later, post_at
from tests.mail.strange_senders import strange_from
from tests.signing import signed

SAMPLE, ALL = 20, 1_000  # under each of the two policies


def _strange(post: Post, seat: str, text: str, written: bytes) -> bytes:
    raw = post.letter(seat, text, sender="somebody@here.test")
    assert raw.count(b"From: somebody@here.test\r\n") == 1
    return signed(raw.replace(b"somebody@here.test", written.strip()), post.host(seat), GOOD)


def _try_all(intake: Intake, policy: str, seeds: Iterable[int]) -> None:
    post = post_at(intake, policy, pinned=True)
    before = done_so_far(intake)
    for seed in seeds:
        seat, asked = SEATS[seed % 4], HOSTILE_WORDS[seed % 5]
        victim = intake.at.addresses[seat]
        written = strange_from(random.Random(seed), victim, f"mallory@{post.host(seat)}")
        raw = _strange(post, seat, asked.text(seat), written)
        opened = open_letter(raw)
        assert not isinstance(opened, Letter) or opened.sender != victim, written
        assert intake.receives(raw).state in ("held", "set-aside", "quarantined"), written
        later(intake)
    assert done_so_far(intake) == before


@pytest.mark.parametrize("policy", SIGNED_ONES)
def test_nobody_speaks_for_another_by_a_strange_from(intake: Intake, policy: str) -> None:
    _try_all(intake, policy, range(SAMPLE))


@pytest.mark.long
@pytest.mark.parametrize("policy", SIGNED_ONES)
def test_two_thousand_strange_senders(intake: Intake, policy: str) -> None:
    _try_all(intake, policy, range(SAMPLE, ALL))


# Headers that one reader takes for From and another does not; what a program may hide in a fold or a name.
HEADERS = (
    "From : {0}\r\nFrom: {1}", "From: {1}\r\nFrom : {0}", "From: {1}\r\nfrom:{0}",
    "From: {1}\rFrom: {0}", "From: {0}\r{1}", "From: {0}\x00{1}", "From: {0}\x0b<{1}>", "From: {0}\xa0<{1}>",
    "From: {0}\x85 <{1}>", "From: {0}\u2028<{1}>", "From: {0}, \r\n {1}", "From:{0}\r\n\t\r\n <{1}>",
    "Resent-From: {0}\r\nFrom: {1}", "Sender: {0}\r\nFrom: {1}", "From: =?utf-8?q?{0}=3E=2C?= <{1}>",
    "From: <{0}>\uff0c{1}", "From: {0}\uff1c{1}\uff1e", "From: \ufeff{0} <{1}>", "From: {1}\u202e <{0}>",
    "From: {1}%{0}", "From: {1}!{0}", "From: {0} (a (b {1}))",
)  # fmt: skip


@pytest.mark.parametrize("header", HEADERS)
def test_nobody_speaks_for_another_by_a_strange_header(intake: Intake, header: str) -> None:
    post = post_at(intake, "pinned", pinned=True)
    before = done_so_far(intake)
    raw = post.letter("DE", "READY", sender="somebody@here.test")
    written = header.format(intake.at.addresses["DE"], f"mallory@{post.host('DE')}").encode()
    raw = raw.replace(b"From: somebody@here.test", written, 1)
    found = intake.receives(signed(raw, post.host("DE"), GOOD))
    assert found.state != "applied", (found.state, found.reason)
    assert done_so_far(intake) == before


@pytest.mark.parametrize("policy", SIGNED_ONES)
@pytest.mark.parametrize(
    "form",
    ["{0} <{1}>", "<{0}> <{1}>", "{0} {1}", "{0}; {1}", "<{0}:{1}>", "{0}, {1}", "{0} ({1})", "us: {0};"],
)
def test_the_reply_addresses_holder_is_asked(intake: Intake, policy: str, form: str) -> None:
    """The way back: an honest letter with such a From is confirmed from the registered address."""
    post = post_at(intake, policy, pinned=True)
    written = form.format(intake.at.addresses["DE"], f"mallory@{post.host('DE')}").encode()
    before = done_so_far(intake)
    for asked in HOSTILE_WORDS:
        assert intake.receives(_strange(post, "DE", asked.text("DE"), written)).state == "held"
        assert done_so_far(intake) == before
        question = intake.last("DE")
        assert question.letter.recipient == intake.at.addresses["DE"]
        assert "does not name a single sender" in words(question)
        later(intake)
    orders = HOSTILE_WORDS[0]
    intake.receives(_strange(post, "DE", orders.text("DE"), written))
    later(intake)
    intake.receives(post.signed("DE", "CONFIRM", to=intake.last("DE")))
    assert orders.done(intake, "DE")


def test_without_a_token_nobody_is_asked(intake: Intake) -> None:
    post = post_at(intake, "pinned", pinned=True)
    sent = len(intake.at.letters("DE"))
    raw = post.letter(
        "DE", "STATUS", sender="somebody@here.test", recipient="umpire@play.test", in_reply_to=""
    )
    written = f"{intake.at.addresses['DE']} <mallory@{post.host('DE')}>".encode()
    found = intake.receives(raw.replace(b"somebody@here.test", written))
    assert (found.state, found.reason, len(intake.at.letters("DE"))) == ("set-aside", "no-sender", sent)
