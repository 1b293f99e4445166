"""Who wrote it: of more than 200 letters that are not what they seem none is obeyed, and of more than 200
honest ones none is refused without a way back.

Forged, replayed, forwarded, from another seat, stale, signed with `l=`; under all three policies; each on a
store of its own, from the raw mail to what lies on file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import pytest

from pbem.store.mailbag import Received, letter
from pbem.store.people import give_seat, link_address, person_at
from tests.campaigns_at_hand import MAILBOX, NAME, OBSERVER, UMPIRE, mail
from tests.intake.conftest import Desk, all_to, number_to
from tests.intake.letters_to_judge import (
    ABSENT,
    BAD,
    EVERYDAY,
    FRIEND,
    GOOD,
    LANG,
    MOVE,
    ORDERS,
    POLICIES,
    PRESS,
    READY,
    RESIGN,
    SALT,
    SEATS,
    SIGNED_ONES,
    THIEF,
    Asked,
    Post,
    done_so_far,
    later,
    other_seat,
    post_at,
)
from tests.signing import signed

HOSTILE_WORDS = (ORDERS, READY, PRESS, RESIGN, MOVE)
OURS = "mx.play.test"
LONG = (
    pytest.mark.long
)  # every trick and every way is tried at each change, all that they may ask for by `make long`


# ------------------------------------------------------------------ letters that are not what they seem


@dataclass(frozen=True, slots=True)
class Trick:
    """A way to have a letter taken for a seat's. Returns the mail, after whatever has gone before."""

    name: str
    make: Callable[[Post, str, Asked], bytes]
    policies: Sequence[str] = POLICIES
    words: Sequence[Asked] = HOSTILE_WORDS
    states: Sequence[str] = ("held",)
    authserv_id: str = ""
    proven: Sequence[str] = ()  # policies that take it for the seat's: it counts for the dice, and no more


def _no_token(post: Post, seat: str, asked: Asked) -> bytes:
    return post.letter(seat, asked.text(seat), recipient=MAILBOX, in_reply_to="")


def _guessed_token(post: Post, seat: str, asked: Asked) -> bytes:
    wrong = f"umpire+fww-1.{seat.lower()}.abcdefghijklmnop@play.test"
    return post.letter(seat, asked.text(seat), recipient=wrong, in_reply_to="<guess@play.test>")


def _stolen_token(post: Post, seat: str, asked: Asked) -> bytes:
    return signed(post.letter(seat, asked.text(seat), sender=THIEF), "dark.test", BAD)


def _forwarded(post: Post, seat: str, asked: Asked) -> bytes:
    """He sent our letter on to a friend, who answers it."""
    return post.letter(seat, f"{asked.text(seat)}\n", sender=FRIEND, cc=[post.desk.at.addresses[seat]])


def _borrowed_name(post: Post, seat: str, asked: Asked) -> bytes:
    shown = f'"{post.desk.at.addresses[seat]}" <{THIEF}>'
    return signed(post.letter(seat, asked.text(seat), sender=shown), "dark.test", BAD)


def _unsigned(post: Post, seat: str, asked: Asked) -> bytes:
    return post.letter(seat, asked.text(seat))


def _signed_by_thief(post: Post, seat: str, asked: Asked) -> bytes:
    return signed(post.letter(seat, asked.text(seat)), "dark.test", BAD)


def _wrong_key(post: Post, seat: str, asked: Asked) -> bytes:
    return signed(post.letter(seat, asked.text(seat)), post.host(seat), BAD)


def _added_below(post: Post, seat: str, asked: Asked) -> bytes:
    raw = signed(post.letter(seat, "Hello,\n"), post.host(seat), GOOD, length=True)
    return raw + asked.text(seat).replace("\n", "\r\n").encode() + b"\r\n"


def _changed_below(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.signed(seat, "STATUS\n")
    return raw.replace(b"STATUS\r\n", asked.text(seat).replace("\n", "\r\n").encode() + b"\r\n")


def _written_to_another(post: Post, seat: str, asked: Asked) -> bytes:
    """A genuine letter to another player, who hands it to us."""
    raw = post.letter(seat, asked.text(seat), recipient=post.desk.at.addresses[other_seat(seat)])
    genuine = signed(raw, post.host(seat), GOOD)
    return genuine.replace(genuine.partition(b"\r\n")[0], f"Delivered-To: {post.token(seat)}".encode(), 1)


def _expired(post: Post, seat: str, asked: Asked) -> bytes:
    past = str(int((post.desk.at.clock() - timedelta(hours=3)).timestamp()))
    tags = {"t": str(int(past) - 60), "x": past}
    return signed(post.letter(seat, asked.text(seat)), post.host(seat), GOOD, tags=tags)


def _from_a_drawer(post: Post, seat: str, asked: Asked) -> bytes:
    """A genuine letter that never reached us, two weeks later."""
    raw = post.signed(seat, asked.text(seat))
    post.desk.at.clock.passes(days=14)
    return raw


def _second_subject(post: Post, seat: str, asked: Asked) -> bytes:
    raw, said = post.signed(seat, "", subject="hello"), asked.text(seat).splitlines()[0].encode()
    assert b"\r\nSubject: hello\r\n" in raw
    return raw.replace(b"\r\nSubject: hello\r\n", b"\r\nSubject: " + said + b"\r\nSubject: hello\r\n", 1)


def _said_by_a_strange_server(post: Post, seat: str, asked: Asked) -> bytes:
    note = f"Authentication-Results: {OURS}; dkim=pass header.d={post.host(seat)} header.s=mail\r\n"
    return _received(_wrong_key(post, seat, asked), note)


def _received(raw: bytes, note: str) -> bytes:
    trace = (
        f"Received: from relay.dark.test by {OURS} with ESMTP id 1\r\n"
        "Received: from dark.test by relay.dark.test with SMTP id 2\r\n"
    )
    return trace.encode() + note.encode() + raw


def _another_seats_address(post: Post, seat: str, asked: Asked) -> bytes:
    thief = other_seat(seat)
    raw = post.letter(seat, asked.text(seat), sender=post.desk.at.addresses[thief])
    return signed(raw, post.host(thief), GOOD)


def _another_seats_thread(post: Post, seat: str, asked: Asked) -> bytes:
    thief = other_seat(seat)
    raw = post.letter(seat, asked.text(seat), sender=post.desk.at.addresses[thief], recipient=MAILBOX)
    return signed(raw, post.host(thief), GOOD)


def _sent_again(post: Post, seat: str, asked: Asked) -> bytes:
    """A letter that was obeyed, once more with another Message-ID; its writer has thought better of it."""
    raw = signed(
        post.letter(seat, asked.text(seat)), post.host(seat), GOOD, headers=("from", "to", "subject", "date")
    )
    assert post.desk.hears(raw).state == "applied"
    later(post.desk)
    second_thoughts = {"orders": "C1: ATTACK 4", "ready": "WAIT", "absent": "ABSENT NONE"}
    back = second_thoughts.get(asked.name, f"LANG {'fr' if seat in ('WA', 'GA') else 'en'}")
    assert post.desk.hears(post.signed(seat, back)).state == "applied"
    later(post.desk)
    return b"Received: from dark.test by mx.play.test\r\n" + raw.replace(b"Message-ID: <", b"Message-ID: <x")


def _same_bytes_another_way(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.signed(seat, asked.text(seat))
    assert post.desk.hears(raw).state == "applied"
    return b"Received: from elsewhere.test by mx.play.test\r\n" + raw


def _former_holder(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.signed(seat, asked.text(seat))
    later(post.desk)
    heir = person_at(post.desk.at.db, OBSERVER)
    assert heir is not None
    give_seat(post.desk.at.db, NAME, seat, heir.id, post.desk.at.clock())
    return raw


def _closed_window(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.signed(seat, asked.text(seat))
    post.desk.at.clock.passes(days=1)
    post.desk.at.close()
    return raw


def _older_date(post: Post, seat: str, asked: Asked) -> bytes:
    """Overtaken on its way by a newer letter."""
    raw = post.signed(seat, asked.text(seat))
    later(post.desk)
    assert post.desk.hears(post.signed(seat, "ORDERS FWW-1 T1.R\nC1: ATTACK 4\nEND")).state == "applied"
    later(post.desk)
    return raw


def _confirm_of_a_thief(post: Post, seat: str, asked: Asked) -> bytes:
    """He knows the question of his own letter only by its token, and says yes to it in the holder's name."""
    assert post.desk.hears(post.letter(seat, asked.text(seat), sender=THIEF)).state == "held"
    later(post.desk)
    confirm = post.letter(seat, "CONFIRM", in_reply_to="")
    return signed(confirm, post.host(seat), BAD)


def _confirm_from_elsewhere(post: Post, seat: str, asked: Asked) -> bytes:
    assert post.desk.hears(post.letter(seat, asked.text(seat), sender=THIEF)).state == "held"
    later(post.desk)
    return post.letter(seat, "CONFIRM", to=post.desk.last(seat), sender=THIEF)


TRICKS = (
    Trick("no token", _no_token),
    Trick("guessed token", _guessed_token),
    Trick("stolen token", _stolen_token),
    Trick("forwarded", _forwarded),
    Trick("borrowed name", _borrowed_name),
    Trick("unsigned", _unsigned, SIGNED_ONES),
    Trick("serious on a token", _unsigned, ("token",), (RESIGN, MOVE), proven=("token",)),
    Trick("signed by the thief", _signed_by_thief, SIGNED_ONES),
    Trick("wrong key", _wrong_key, SIGNED_ONES),
    Trick("l=", _added_below, SIGNED_ONES, (*HOSTILE_WORDS, ABSENT)),
    Trick("changed below the signature", _changed_below, SIGNED_ONES),
    Trick("written to another", _written_to_another, SIGNED_ONES),
    Trick("expired", _expired, SIGNED_ONES, (ORDERS, READY, RESIGN)),
    Trick("from a drawer", _from_a_drawer, SIGNED_ONES, (PRESS, RESIGN, MOVE)),
    Trick("second subject", _second_subject, SIGNED_ONES, (READY, RESIGN, PRESS)),
    Trick(
        "said by a strange server", _said_by_a_strange_server, SIGNED_ONES, (ORDERS, READY, RESIGN),
        authserv_id=OURS,
    ),
    Trick("another seat's address", _another_seats_address, states=("refused",)),
    Trick("another seat's thread", _another_seats_thread, states=("refused",)),
    Trick("sent again", _sent_again, POLICIES, (ORDERS, READY, ABSENT, LANG), ("set-aside",)),
    Trick("another way", _same_bytes_another_way, POLICIES, (PRESS, SALT), ("set-aside",)),
    Trick("former holder", _former_holder, states=("refused", "held", "applied")),
    Trick(
        "closed window", _closed_window, POLICIES, (ORDERS, READY), ("refused", "held", "applied"),
        proven=POLICIES,
    ),
    Trick("older date", _older_date, POLICIES, (ORDERS,), ("set-aside",), proven=POLICIES),
    Trick(
        "thief's CONFIRM", _confirm_of_a_thief, POLICIES, (ORDERS, RESIGN), ("held", "applied"),
        proven=("token",),
    ),
    Trick("CONFIRM from elsewhere", _confirm_from_elsewhere, POLICIES, (ORDERS, RESIGN), ("applied",)),
)  # fmt: skip
HOSTILE = [
    pytest.param(
        trick,
        policy,
        asked,
        id=f"{trick.name}-{policy}-{asked.name}",
        marks=() if asked is trick.words[0] else LONG,
    )
    for trick in TRICKS
    for policy in trick.policies
    for asked in trick.words
]


@pytest.mark.parametrize(("trick", "policy", "asked"), HOSTILE)
def test_what_is_not_what_it_seems_is_not_obeyed(desk: Desk, trick: Trick, policy: str, asked: Asked) -> None:
    seat = SEATS[(TRICKS.index(trick) + HOSTILE_WORDS.index(asked) if asked in HOSTILE_WORDS else 0) % 4]
    post = post_at(desk, policy, pinned=True, authserv_id=trick.authserv_id)
    raw = trick.make(post, seat, asked)
    before = done_so_far(desk)
    found = desk.hears(raw)
    after = done_so_far(desk)
    assert len(after.pop("marks")) - len(before.pop("marks")) == int(policy in trick.proven)
    assert after == before
    assert found.state in trick.states, (found.state, found.reason)
    for stranger in (THIEF, FRIEND):
        assert number_to(desk, stranger) == 0
    if found.state == "held":  # the registered address sees it, and can say yes or no
        assert desk.last(seat).letter.recipient == desk.at.addresses[seat]


UMPIRES = (
    "HOLD because of rain",
    "EXTEND 2 days",
    "RULING white is black",
    f"REPLACE DE BY {THIEF}",
    "UNSEAL",
)


@pytest.mark.parametrize("text", UMPIRES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("how", ["forged", "forged reply", "wrong key"])
def test_nobody_speaks_for_the_umpire(desk: Desk, policy: str, text: str, how: str) -> None:
    """Not even one who holds a letter of ours to the umpire."""
    post = post_at(desk, policy, pinned=True)
    reply = "" if how == "forged" else _letter_to_umpire(desk)
    raw = mail(text, sender=UMPIRE, subject=f"[{NAME}]", in_reply_to=reply, date=desk.at.clock())
    if how == "wrong key":
        raw = signed(raw, "umpires.test", BAD)
    before = done_so_far(desk)
    assert post.desk.hears(raw).state == "held"
    assert done_so_far(desk) == before and number_to(desk, THIEF) == 0


def _letter_to_umpire(desk: Desk) -> str:
    desk.hears(mail("STATUS", sender=UMPIRE, subject=f"[{NAME}]"))
    return all_to(desk, UMPIRE)[0].letter.message_id


# ------------------------------------------------------------------ honest letters


@dataclass(frozen=True, slots=True)
class Way:
    """An honest letter. `confirms`: the policies under which it has to be confirmed."""

    name: str
    make: Callable[[Post, str, Asked], bytes]
    policies: Sequence[str] = POLICIES
    confirms: Sequence[str] = ()
    words: Sequence[Asked] = EVERYDAY
    pinned: bool = True
    authserv_id: str = ""


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


def _linked(post: Post, seat: str, asked: Asked) -> bytes:
    who = person_at(post.desk.at.db, post.desk.at.addresses[seat])
    assert who is not None
    link_address(post.desk.at.db, who.id, f"office@{post.host(seat)}", post.desk.at.clock())
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
    return post.signed(seat, asked.text(seat), date=post.desk.at.clock() - timedelta(days=31))


def _after_a_leak(post: Post, seat: str, asked: Asked) -> bytes:
    """His reply address was used by another seat, and replaced while he wrote."""
    raw = _signed(post, seat, asked)
    later(post.desk)
    assert post.desk.hears(_another_seats_address(post, seat, READY)).state == "refused"
    later(post.desk)
    return raw


def _no_name_server(post: Post, seat: str, asked: Asked) -> bytes:
    post.keys.down = True
    return _signed(post, seat, asked)


WAYS = (
    Way("plain reply", _unsigned, ("token", "pinned"), pinned=False),
    Way("unsigned", _unsigned, confirms=SIGNED_ONES),
    Way("signed", _signed),
    Way("signed, first time", _signed, pinned=False),
    Way("signed by a host below", _signed_below),
    Way("signed by two", _signed_twice, SIGNED_ONES, words=(ORDERS, PRESS)),
    Way("few headers signed", _few_headers, SIGNED_ONES),
    Way("plus part dropped", _plus_dropped),
    Way("judged by our server", _judged_by_our_server, SIGNED_ONES, words=(ORDERS, READY), authserv_id=OURS),
    Way("linked address", _linked),
    Way("friend's machine", _from_a_friends_machine, confirms=POLICIES),
    Way("no token", _no_token, confirms=POLICIES),
    Way("broken on the way", _broken_on_the_way, confirms=SIGNED_ONES, words=(ORDERS, READY, LANG)),
    Way("broken, never signed before", _broken_on_the_way, ("pinned",), words=(ORDERS, READY), pinned=False),
    Way("alias", _by_an_alias, confirms=SIGNED_ONES, words=(ORDERS, READY, ABSENT)),
    Way("clock a month off", _clock_a_month_off, confirms=SIGNED_ONES, words=(ORDERS, PRESS)),
    Way("after a leak", _after_a_leak, confirms=POLICIES, words=(ORDERS, READY, LANG)),
    Way("no name server", _no_name_server, confirms=SIGNED_ONES, words=(ORDERS, READY, PRESS)),
    Way("resigns, signed", _signed, words=(RESIGN,)),
    Way("resigns, unsigned", _unsigned, confirms=POLICIES, words=(RESIGN,), pinned=False),
    Way("resigns, To not signed", _few_headers, confirms=POLICIES, words=(RESIGN,)),
)
HONEST = [
    pytest.param(
        way,
        policy,
        asked,
        id=f"{way.name}-{policy}-{asked.name}",
        marks=() if asked is way.words[0] else LONG,
    )
    for way in WAYS
    for policy in way.policies
    for asked in way.words
]


@pytest.mark.parametrize(("way", "policy", "asked"), HONEST)
def test_an_honest_letter_is_obeyed_or_has_a_way_back(
    desk: Desk, way: Way, policy: str, asked: Asked
) -> None:
    seat = SEATS[WAYS.index(way) % 4]
    post = post_at(desk, policy, pinned=way.pinned, authserv_id=way.authserv_id)
    assert not asked.done(desk, seat)
    found = _heard_in_the_end(desk, way.make(post, seat, asked))
    if policy in way.confirms:
        assert (found.state, asked.done(desk, seat)) == ("held", False)
        later(desk)
        question = desk.last(seat)
        assert question.letter.recipient == desk.at.addresses[seat]
        confirmed = desk.says(seat, "CONFIRM", to=question)
        assert confirmed.state == "applied" and _state(desk, found) == "applied"
    else:
        assert (found.state, number_to(desk, THIEF)) == ("applied", 0)
    assert asked.done(desk, seat)


def _heard_in_the_end(desk: Desk, raw: bytes) -> Received:
    """As often as the letter is put off."""
    found = desk.hears(raw)
    for _ in range(5):
        if found.state != "received":
            break
        later(desk, 10)
        found = desk.has_heard(found.id)
    return found


def _state(desk: Desk, found: Received) -> str:
    kept = letter(desk.at.db, found.id)
    assert kept is not None
    return kept.state


def test_there_are_two_hundred_of_each() -> None:
    assert len(HOSTILE) + len(UMPIRES) * len(POLICIES) * 3 >= 200
    assert len(HONEST) >= 200
