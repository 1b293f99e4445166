"""Letters as the large providers sign them: none is held, and what they leave open is nobody's to fill in."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from pbem.store.people import give_seat, seated
from tests.campaigns_at_hand import MAILBOX, NAME
from tests.intake.conftest import Intake, words
from tests.intake.judged_letters import (
    EVERYDAY,
    ORDERS,
    READY,
    RESIGN,
    SEATS,
    SIGNED_ONES,
    THIEF,
    Asked,
    Post,
    done_so_far,
    later,
    post_at,
)
from tests.providers import FORMS, LEAVES_THE_WAY_OPEN, SIGNED_BY, in_form

CASES = [(name, policy) for name in SIGNED_BY for policy in SIGNED_ONES]


@pytest.mark.parametrize(("provider", "policy"), CASES)
def test_no_honest_letter_is_held(intake: Intake, provider: str, policy: str) -> None:
    post = post_at(intake, policy, pinned=True)
    for number in range(len(FORMS)):
        seat = SEATS[number % 4]
        stance = "READY" if number < 4 else "WAIT"
        raw = in_form(post.letter(seat, ""), number, stance)
        found = intake.receives(post.sent_by(provider, seat, raw))
        assert (found.state, found.proof.get("dkim")) == ("applied", "pass"), (
            FORMS[number].__name__,
            found.proof,
        )
        later(intake)


@pytest.mark.long
@pytest.mark.parametrize(("provider", "policy"), CASES)
@pytest.mark.parametrize("number", range(len(FORMS)))
def test_no_honest_letter_of_any_form_is_held(
    intake: Intake, provider: str, policy: str, number: int
) -> None:
    post = post_at(intake, policy, pinned=True)
    for seat, asked in zip(SEATS, EVERYDAY, strict=False):
        raw = in_form(post.letter(seat, ""), number, asked.text(seat))
        assert intake.receives(post.sent_by(provider, seat, raw)).state == "applied", asked.name
        assert asked.done(intake, seat), asked.name
        later(intake)


@pytest.mark.parametrize("provider", SIGNED_BY)
def test_what_is_serious_is_confirmed_once_where_the_way_is_open(intake: Intake, provider: str) -> None:
    post = post_at(intake, "pinned", pinned=True)
    found = intake.receives(post.sent_by(provider, "DE", post.letter("DE", "RESIGN")))
    is_open = provider in LEAVES_THE_WAY_OPEN
    assert (found.state, RESIGN.done(intake, "DE")) == (("held", False) if is_open else ("applied", True))
    if is_open:
        later(intake)
        intake.receives(post.sent_by(provider, "DE", post.letter("DE", "CONFIRM", to=intake.last("DE"))))
        assert RESIGN.done(intake, "DE")


@pytest.mark.parametrize("provider", SIGNED_BY)
def test_another_s_letter_is_confirmed_twice_where_the_way_is_open(intake: Intake, provider: str) -> None:
    post = post_at(intake, "pinned", pinned=True)
    assert intake.receives(post.letter("DE", ORDERS.text("DE"), sender=THIEF)).state == "held"
    later(intake)
    first = intake.last("DE")
    intake.receives(post.sent_by(provider, "DE", post.letter("DE", "CONFIRM", to=first)))
    assert ORDERS.done(intake, "DE") is (provider not in LEAVES_THE_WAY_OPEN)
    if provider in LEAVES_THE_WAY_OPEN:
        later(intake)
        second = intake.last("DE")
        assert second.letter.kind == "question" and "once more" in words(second)
        assert "C1: ATTACK 3" in words(second)
        intake.receives(
            post.sent_by(provider, "DE", post.letter("DE", "CONFIRM", to=first))
        )  # known to others
        assert not ORDERS.done(intake, "DE")
        later(intake)
        intake.receives(post.sent_by(provider, "DE", post.letter("DE", "CONFIRM", to=second)))
        assert ORDERS.done(intake, "DE")


# ------------------------------------------------------------------ what is not signed, changed


def _elsewhere(raw: bytes, post: Post) -> bytes:
    """With another letter of ours in the place of the one that it answers."""
    other = post.intake.at.letters("DE")[-1].letter.message_id
    return re.sub(rb"In-Reply-To: [^\r\n]+", f"In-Reply-To: {other}".encode(), raw)


def _readdressed(raw: bytes, post: Post) -> bytes:
    return re.sub(rb"\r\nTo: [^\r\n]+", b"\r\nTo: umpire@play.test", raw)


def _copied(raw: bytes, post: Post) -> bytes:
    return raw.replace(b"\r\nSubject:", b"\r\nCc: max@elsewhere.test\r\nSubject:", 1)


CHANGES: tuple[Callable[[bytes, Post], bytes], ...] = (_elsewhere, _readdressed, _copied)


@pytest.mark.parametrize("is_genuine_first", [True, False])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("policy", SIGNED_ONES)
def test_of_two_that_differ_the_second_is_asked_about(
    intake: Intake, policy: str, change: Callable[[bytes, Post], bytes], is_genuine_first: bool
) -> None:
    """Whichever came first: the genuine one is never set aside for the other."""
    post = post_at(intake, policy, pinned=True)
    genuine = post.sent_by("outlook.com", "DE", post.letter("DE", ORDERS.text("DE")))
    changed = change(genuine, post)
    assert changed != genuine
    first, second = (genuine, changed) if is_genuine_first else (changed, genuine)
    assert intake.receives(first).state == "applied"
    later(intake)
    found = intake.receives(second)
    assert (found.state, found.proof["altered"]) == ("held", True)
    assert "the same letter had come before" in words(intake.last("DE"))
    later(intake)
    for again in (first, second):
        assert intake.receives(b"Received: again\r\n" + again).state == "set-aside"


ROBOTS = ("Auto-Submitted: auto-replied", "List-Id: <x.y>", "Precedence: bulk", "X-Autoreply: yes")


@pytest.mark.parametrize("mark", ROBOTS)
@pytest.mark.parametrize("provider", ["Gmail", "Microsoft 365", "Yahoo", "iCloud", "Proton"])
def test_a_copy_marked_as_automatic_does_not_hush_the_genuine_one_up(
    intake: Intake, provider: str, mark: str
) -> None:
    """No provider signs such marks: they count, and only against the copy that bears them."""
    post = post_at(intake, "pinned", pinned=True)
    genuine = post.sent_by(provider, "DE", post.letter("DE", ORDERS.text("DE")))
    marked = genuine.replace(b"\r\nSubject:", f"\r\n{mark}\r\nSubject:".encode(), 1)
    assert intake.receives(marked).state == "set-aside" and not ORDERS.done(intake, "DE")
    later(intake)
    assert intake.receives(genuine).state == "applied" and ORDERS.done(intake, "DE")
    later(intake)
    assert intake.receives(b"Received: again\r\n" + marked).state == "set-aside"


SPOILED: tuple[Callable[[bytes], bytes], ...] = (
    lambda raw: raw.replace(b"ATTACK 3", b"ATTACK 4"),
    lambda raw: raw + b"\r\nmore\r\n",
    lambda raw: re.sub(rb"\r\nContent-Type: [^\r\n]+", b"\r\nContent-Type: text/html", raw),
    lambda raw: re.sub(rb"\r\nDKIM-Signature:(?:[^\r\n]|\r\n[ \t])+", b"", raw),
    lambda raw: raw.replace(b"\r\nSubject:", b"\r\nFrom: a@b.test\r\nSubject:", 1),
    lambda raw: raw.replace(b"\r\nSubject:", b"\r\nTo: x@y.test\r\nSubject:", 1),
)


@pytest.mark.parametrize("provider", ["outlook.com", "Yahoo", "Proton"])
@pytest.mark.parametrize("spoil", range(len(SPOILED)))
def test_a_spoiled_copy_that_comes_first_does_not_displace_the_genuine_one(
    intake: Intake, provider: str, spoil: int
) -> None:
    post = post_at(intake, "pinned", pinned=True)
    genuine = post.sent_by(provider, "DE", post.letter("DE", ORDERS.text("DE")))
    spoiled = SPOILED[spoil](genuine)
    assert spoiled != genuine
    assert intake.receives(spoiled).state in ("held", "refused") and not ORDERS.done(intake, "DE")
    later(intake)
    assert intake.receives(genuine).state == "applied" and ORDERS.done(intake, "DE")


def test_a_letter_with_a_known_message_id_and_other_words_is_another_letter(intake: Intake) -> None:
    """Where nobody signs: who was sent a copy is faster, and does not hush the genuine one up."""
    post = post_at(intake, "token", pinned=False)
    assert intake.receives(post.letter("DE", "WAIT", message_id="<one@de.test>")).state == "applied"
    later(intake)
    genuine = post.letter("DE", "READY", message_id="<one@de.test>")
    assert intake.receives(genuine).state == "applied" and READY.done(intake, "DE")
    assert intake.receives(b"Received: again\r\n" + genuine).state == "set-aside"


@pytest.mark.parametrize("changes", [{}, {"recipient": MAILBOX}, {"recipient": MAILBOX, "in_reply_to": ""}])
@pytest.mark.parametrize("asked", [READY, RESIGN])
@pytest.mark.parametrize("policy", SIGNED_ONES)
def test_the_envelope_does_not_move_a_letter_that_is_signed_whole(
    intake: Intake, policy: str, asked: Asked, changes: dict[str, str]
) -> None:
    """Who holds two seats wrote for one; somebody hands it in at the other's reply address.

    Also where the writer's program dropped the plus part, and the thread says which seat it is.
    """
    post = post_at(intake, policy, pinned=True)
    holder = next(one.person for one in seated(intake.at.db, NAME) if one.seat == "DE")
    assert holder is not None
    give_seat(intake.at.db, NAME, "GA", holder.id, intake.at.clock())
    later(intake)
    raw = post.signed("DE", asked.text("DE"), **changes)
    moved = raw.replace(raw.partition(b"\r\n")[0], f"Delivered-To: {post.token('GA')}".encode(), 1)
    says_where = "in_reply_to" not in changes
    assert intake.receives(moved).state == "applied"  # or answered with the question which seat it is
    assert asked.done(intake, "DE") is says_where and not asked.done(intake, "GA")


# ------------------------------------------------------------------ labels

READY_IS_READ = re.compile("Content-Type: multipart/")
HIDDEN = "Look what he wrote:\n\n> --x\n>\n--x\nContent-Type: text/plain\n\nREADY\n--x--\n"


@pytest.mark.parametrize(
    "label",
    [
        "Content-Type: multipart/mixed; boundary=x",
        "Content-Type: multipart/alternative; boundary=x",
        "Content-Type: multipart/signed; boundary=x",
        "Content-Type: text/html",
        "Content-Type: text/plain; charset=utf-7",
        "Content-Type: text/plain; charset=utf-16",
        "Content-Type: text/plain; name=orders.txt",
        "Content-Type: application/octet-stream",
        "Content-Type: message/rfc822",
        "Content-Type: text/plain; charset",
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64",
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: x-uuencode",
        "Content-Type: text/plain\r\nContent-Disposition: attachment; filename=orders.txt",
    ],
)
@pytest.mark.parametrize(("policy", "below"), [("pinned", b""), ("dkim", b"\r\n" * 5_000)])  # no blanks count
def test_labels_that_are_not_signed_and_do_not_fit_hold_the_letter(
    intake: Intake, policy: str, below: bytes, label: str
) -> None:
    post = post_at(intake, policy, pinned=True)
    genuine = post.sent_by("Yahoo, in reply", "DE", in_form(post.letter("DE", ""), 0, HIDDEN))
    changed = genuine.replace(b"Content-Type: text/plain; charset=UTF-8", label.encode(), 1) + below
    before = done_so_far(intake)
    found = intake.receives(changed)
    assert found.proof["why"] == "labels-not-signed" and done_so_far(intake) == before
    if READY_IS_READ.match(label):
        assert (found.state, intake.last("DE", "question").letter.recipient) == (
            "held",
            intake.at.addresses["DE"],
        )
