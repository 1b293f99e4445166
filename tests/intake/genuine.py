"""Honest letters: all the ways on which a seat's letter may come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pbem.store.people import link_address, person_at
from tests.campaigns_at_hand import MAILBOX
from tests.intake.forgeries import OURS, another_seats_address, b_of, linked_and_unsigned, no_token, unsigned
from tests.intake.judged_letters import (
    ABSENT,
    ARMISTICE,
    BAD,
    EVERYDAY,
    FRIEND,
    GOOD,
    LANG,
    ORDERS,
    POLICIES,
    PRESS,
    READY,
    RESIGN,
    ROLLBACK,
    SIGNED_ONES,
    Asked,
    Post,
    later,
)
from tests.providers import SIGNED_BY
from tests.signing import signed


@dataclass(frozen=True, slots=True)
class Way:
    """An honest letter. `confirms`: the policies under which it has to be confirmed.

    Signed, of one whose letters have been signed before (`pinned`), and under the strictest policy.
    """

    name: str
    make: Callable[[Post, str, Asked], bytes]
    policies: Sequence[str] = POLICIES
    confirms: Sequence[str] = ()
    words: Sequence[Asked] = EVERYDAY
    pinned: bool = True
    authserv_id: str = ""

    def must_sign(self, policy: str) -> bool:
        return self.pinned or policy == "dkim"


def _signed(post: Post, seat: str, asked: Asked) -> bytes:
    return post.signed(seat, asked.text(seat))


def _signed_below(post: Post, seat: str, asked: Asked) -> bytes:
    return signed(post.letter(seat, asked.text(seat)), f"mail.{post.host(seat)}", GOOD)


def _signed_twice(post: Post, seat: str, asked: Asked) -> bytes:
    return signed(_signed(post, seat, asked), "elsewhere.test", BAD)


def _few_headers(post: Post, seat: str, asked: Asked) -> bytes:
    few = ("from", "date", "subject", "message-id", "content-type", "mime-version")
    return signed(post.letter(seat, asked.text(seat)), post.host(seat), GOOD, headers=few)


def _plus_dropped(post: Post, seat: str, asked: Asked) -> bytes:
    return post.signed(seat, asked.text(seat), recipient=MAILBOX)


def _judged_by_our_server(post: Post, seat: str, asked: Asked) -> bytes:
    post.keys.records.clear()  # the key is not to be had any more
    note = f"Authentication-Results: {OURS}; dkim=pass header.d={post.host(seat)} header.s=mail\r\n"
    taken = f"Received: from mail.{post.host(seat)} by {OURS} with ESMTPS id 1\r\n"
    return taken.encode() + note.encode() + _signed(post, seat, asked)


def _two_judged_by_our_server(post: Post, seat: str, asked: Asked) -> bytes:
    """Its provider signs twice, and our server tells which is which."""
    once = _signed(post, seat, asked)
    raw = signed(once, post.host(seat), BAD, selector="new")
    post.keys.records.clear()
    return _told_of_two(post, seat, raw, *(f" header.b={b_of(one)[:8]}" for one in (raw, once)))


def _two_alike(post: Post, seat: str, asked: Asked) -> bytes:
    """It does not tell which of the two it means: the keys do."""
    raw = signed(_signed(post, seat, asked), post.host(seat), BAD, selector="new")
    return _told_of_two(post, seat, raw)


def _two_alike_in_silence(post: Post, seat: str, asked: Asked) -> bytes:
    post.keys.down = True
    return _two_alike(post, seat, asked)


def _told_of_two(post: Post, seat: str, raw: bytes, first: str = "", second: str = "") -> bytes:
    host = post.host(seat)
    note = f"{OURS}; dkim=permerror header.d={host}{first}; dkim=pass header.d={host}{second}"
    taken = f"Received: from mail.{host} by {OURS} with ESMTPS id 1\r\n"
    return f"{taken}Authentication-Results: {note}\r\n".encode() + raw


def _linked(post: Post, seat: str, asked: Asked) -> bytes:
    who = person_at(post.intake.at.db, post.intake.at.addresses[seat])
    assert who is not None
    link_address(post.intake.at.db, who.id, f"office@{post.host(seat)}", post.intake.at.clock())
    raw = post.letter(seat, asked.text(seat), sender=f"office@{post.host(seat)}")
    return signed(raw, post.host(seat), GOOD)


def _from_a_friends_machine(post: Post, seat: str, asked: Asked) -> bytes:
    return post.letter(seat, asked.text(seat), sender=FRIEND)


def _broken_on_the_way(post: Post, seat: str, asked: Asked) -> bytes:
    return _signed(post, seat, asked) + b"-- \r\nScanned for viruses.\r\n"


def _by_an_alias(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.letter(seat, asked.text(seat), recipient="club@alias.test")
    done = signed(raw, post.host(seat), GOOD)
    return done.replace(b"Delivered-To: club@alias.test", f"Delivered-To: {post.token(seat)}".encode(), 1)


def _clock_a_month_off(post: Post, seat: str, asked: Asked) -> bytes:
    return post.signed(seat, asked.text(seat), date=post.intake.at.clock() - timedelta(days=31))


def _after_a_leak(post: Post, seat: str, asked: Asked) -> bytes:
    """Their reply address was used by another seat, and replaced while they wrote."""
    raw = _signed(post, seat, asked)
    later(post.intake)
    assert post.intake.receives(another_seats_address(post, seat, READY)).state == "refused"
    later(post.intake)
    return raw


def _no_name_server(post: Post, seat: str, asked: Asked) -> bytes:
    post.keys.down = True
    return _signed(post, seat, asked)


def _as_signed_by(provider: str) -> Callable[[Post, str, Asked], bytes]:
    return lambda post, seat, asked: post.sent_by(provider, seat, post.letter(seat, asked.text(seat)))


WAYS = (
    Way("plain reply", unsigned, ("token", "pinned"), pinned=False),
    Way("unsigned", unsigned, confirms=SIGNED_ONES),
    Way("signed", _signed),
    Way("signed, first time", _signed, pinned=False),
    Way("signed by a host below", _signed_below),
    Way("signed by two", _signed_twice, SIGNED_ONES, words=(ORDERS, PRESS)),
    Way("few headers signed", _few_headers, SIGNED_ONES),
    Way("plus part dropped", _plus_dropped),
    Way("judged by our server", _judged_by_our_server, SIGNED_ONES, words=(ORDERS, READY), authserv_id=OURS),
    Way("two judged by our server", _two_judged_by_our_server, SIGNED_ONES, authserv_id=OURS),
    Way("two alike", _two_alike, SIGNED_ONES, words=(ORDERS, PRESS), authserv_id=OURS),
    Way(
        "two alike, no name server",
        _two_alike_in_silence,
        SIGNED_ONES,
        SIGNED_ONES,
        (ORDERS, PRESS),
        authserv_id=OURS,
    ),
    Way("linked address", _linked),
    Way("linked address, unsigned", linked_and_unsigned, confirms=SIGNED_ONES),
    Way("linked address, never signed", linked_and_unsigned, ("token", "pinned"), pinned=False),
    Way("friend's machine", _from_a_friends_machine, confirms=POLICIES),
    Way("friend's machine, never signed", _from_a_friends_machine, confirms=POLICIES, pinned=False),
    Way("no token", no_token, confirms=POLICIES),
    Way("broken on the way", _broken_on_the_way, confirms=SIGNED_ONES, words=(ORDERS, READY, LANG)),
    Way("broken, never signed before", _broken_on_the_way, ("pinned",), words=(ORDERS, READY), pinned=False),
    Way("alias", _by_an_alias, confirms=SIGNED_ONES, words=(ORDERS, READY, ABSENT)),
    Way("clock a month off", _clock_a_month_off, confirms=SIGNED_ONES, words=(ORDERS, PRESS)),
    Way("after a leak", _after_a_leak, confirms=POLICIES, words=(ORDERS, READY, LANG)),
    Way("no name server", _no_name_server, confirms=SIGNED_ONES, words=(ORDERS, READY, PRESS)),
    Way("resigns, signed", _signed, words=(RESIGN,)),
    Way("resigns, unsigned", unsigned, confirms=POLICIES, words=(RESIGN,), pinned=False),
    Way("offers an armistice, signed", _signed, words=(ARMISTICE,)),
    Way("offers an armistice, unsigned", unsigned, confirms=POLICIES, words=(ARMISTICE,), pinned=False),
    Way("resigns, To not signed", _few_headers, confirms=POLICIES, words=(RESIGN,)),
    Way("proposes a rollback, signed", _signed, words=(ROLLBACK,)),
    Way("proposes a rollback, unsigned", unsigned, confirms=POLICIES, words=(ROLLBACK,), pinned=False),
    *(Way(f"signed by {name}", _as_signed_by(name), SIGNED_ONES) for name in SIGNED_BY),
)
