"""Letters that are not what they seem: ways to have one taken for a seat's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pbem.store.people import give_seat, link_address, person_at
from tests.campaigns_at_hand import MAILBOX, NAME, OBSERVER
from tests.intake.judged_letters import (
    ABSENT,
    ARMISTICE,
    BAD,
    FRIEND,
    GOOD,
    LANG,
    MOVE,
    ORDERS,
    POLICIES,
    PRESS,
    READY,
    RESIGN,
    ROLLBACK,
    SALT,
    SIGNED_ONES,
    THIEF,
    Asked,
    Post,
    later,
    other_seat,
)
from tests.providers import in_form
from tests.signing import signed

HOSTILE_WORDS = (ORDERS, READY, PRESS, RESIGN, MOVE)
OURS = "mx.play.test"
TWO_IN_ONE = ("{0} <{1}>", "<{0}> <{1}>", "{0} {1}", "{0}; {1}", "<{0}:{1}>")


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


def no_token(post: Post, seat: str, asked: Asked) -> bytes:
    return post.letter(seat, asked.text(seat), recipient=MAILBOX, in_reply_to="")


def _guessed_token(post: Post, seat: str, asked: Asked) -> bytes:
    wrong = f"umpire+fww-1.{seat.lower()}.abcdefghijklmnop@play.test"
    return post.letter(seat, asked.text(seat), recipient=wrong, in_reply_to="<guess@play.test>")


def _stolen_token(post: Post, seat: str, asked: Asked) -> bytes:
    return signed(post.letter(seat, asked.text(seat), sender=THIEF), "dark.test", BAD)


def _forwarded(post: Post, seat: str, asked: Asked) -> bytes:
    """The holder sent our letter on to a friend, who answers it."""
    return post.letter(seat, f"{asked.text(seat)}\n", sender=FRIEND, cc=[post.intake.at.addresses[seat]])


def _borrowed_name(post: Post, seat: str, asked: Asked) -> bytes:
    shown = f'"{post.intake.at.addresses[seat]}" <{THIEF}>'
    return signed(post.letter(seat, asked.text(seat), sender=shown), "dark.test", BAD)


def unsigned(post: Post, seat: str, asked: Asked) -> bytes:
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
    raw = post.letter(seat, asked.text(seat), recipient=post.intake.at.addresses[other_seat(seat)])
    genuine = signed(raw, post.host(seat), GOOD)
    return genuine.replace(genuine.partition(b"\r\n")[0], f"Delivered-To: {post.token(seat)}".encode(), 1)


def _expired(post: Post, seat: str, asked: Asked) -> bytes:
    past = str(int((post.intake.at.clock() - timedelta(hours=3)).timestamp()))
    tags = {"t": str(int(past) - 60), "x": past}
    return signed(post.letter(seat, asked.text(seat)), post.host(seat), GOOD, tags=tags)


def _from_a_drawer(post: Post, seat: str, asked: Asked) -> bytes:
    """A genuine letter that never reached us, two weeks later."""
    raw = post.signed(seat, asked.text(seat))
    post.intake.at.clock.passes(days=14)
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


def _pass_of_a_letter_to_another(post: Post, seat: str, asked: Asked) -> bytes:
    """Our server says that it is genuine, and so it is; a bogus signature beside it covers less."""
    return _with_a_bogus_one(post, seat, _written_to_another(post, seat, asked), "from:date:subject")


def _pass_with_its_beginning(post: Post, seat: str, asked: Asked) -> bytes:
    genuine = _written_to_another(post, seat, asked)
    return _with_a_bogus_one(post, seat, genuine, "from:date:subject", b_of(genuine)[:8])


def _pass_of_l(post: Post, seat: str, asked: Asked) -> bytes:
    return _with_a_bogus_one(post, seat, _added_below(post, seat, asked), "from:to:date:subject")


def _pass_in_silence(post: Post, seat: str, asked: Asked) -> bytes:
    """The same, and no key is to be had: what cannot be told apart is waited for, then confirmed."""
    post.keys.down = True
    return _pass_of_l(post, seat, asked)


def _pass_of_the_thief(post: Post, seat: str, asked: Asked) -> bytes:
    """The thief's own signature is genuine; what they write beside it in the seat's name begins like it."""
    raw = signed(post.letter(seat, asked.text(seat)), "dark.test", BAD)
    return _with_a_bogus_one(post, seat, raw, "from:to:date:subject", b_of(raw)[:8], "dark.test")


def b_of(raw: bytes) -> str:
    """The b= of the topmost signature."""
    found = re.search(rb"[;\s]b=([^;]+?)\r\n(?=\S)", raw)
    assert found is not None
    return re.sub(rb"\s", b"", found[1]).decode()


def _with_a_bogus_one(
    post: Post, seat: str, genuine: bytes, covers: str, b: str = "", domain: str = ""
) -> bytes:
    """As our server delivers it. `b`: where it tells how they begin, both do so."""
    host, told = post.host(seat), f" header.b={b}" if b else ""
    bogus = f"v=1; a=rsa-sha256; c=relaxed/relaxed; d={host}; s=x; h={covers}; bh=AAAA; b={b}AAAA"
    lines = (
        f"Received: from dark.test by {OURS} with ESMTP id 1",
        f"Authentication-Results: {OURS}; dkim=fail header.d={host}{told};"
        f" dkim=pass header.d={domain or host}{told}",
        f"DKIM-Signature: {bogus}",
    )
    delivered, _, rest = genuine.partition(b"\r\n")
    return b"\r\n".join((delivered, *(line.encode() for line in lines), rest))


def linked_and_unsigned(post: Post, seat: str, asked: Asked) -> bytes:
    """An address of the holder from which no letter was ever signed is the easiest to forge."""
    who = person_at(post.intake.at.db, post.intake.at.addresses[seat])
    assert who is not None
    link_address(post.intake.at.db, who.id, "office@work.test", post.intake.at.clock())
    return post.letter(seat, asked.text(seat), sender="office@work.test")


def another_seats_address(post: Post, seat: str, asked: Asked) -> bytes:
    thief = other_seat(seat)
    raw = post.letter(seat, asked.text(seat), sender=post.intake.at.addresses[thief])
    return signed(raw, post.host(thief), GOOD)


def _another_seats_thread(post: Post, seat: str, asked: Asked) -> bytes:
    thief = other_seat(seat)
    raw = post.letter(seat, asked.text(seat), sender=post.intake.at.addresses[thief], recipient=MAILBOX)
    return signed(raw, post.host(thief), GOOD)


def _sent_again(post: Post, seat: str, asked: Asked) -> bytes:
    """A letter that was obeyed, once more with another Message-ID; its writer has thought better of it."""
    raw = signed(
        post.letter(seat, asked.text(seat)), post.host(seat), GOOD, headers=("from", "to", "subject", "date")
    )
    assert post.intake.receives(raw).state == "applied"
    later(post.intake)
    assert post.intake.receives(post.signed(seat, _second_thoughts(seat, asked))).state == "applied"
    later(post.intake)
    return b"Received: from dark.test by mx.play.test\r\n" + raw.replace(b"Message-ID: <", b"Message-ID: <x")


def _second_thoughts(seat: str, asked: Asked) -> str:
    back = {"orders": "C1: PASS", "ready": "WAIT", "absent": "ABSENT NONE"}
    return back.get(asked.name, f"LANG {'fr' if seat in ('WA', 'GA') else 'en'}")


def _same_bytes_another_way(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.signed(seat, asked.text(seat))
    assert post.intake.receives(raw).state == "applied"
    return b"Received: from elsewhere.test by mx.play.test\r\n" + raw


def _former_holder(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.signed(seat, asked.text(seat))
    later(post.intake)
    heir = person_at(post.intake.at.db, OBSERVER)
    assert heir is not None
    give_seat(post.intake.at.db, NAME, seat, heir.id, post.intake.at.clock())
    return raw


def _closed_window(post: Post, seat: str, asked: Asked) -> bytes:
    raw = post.signed(seat, asked.text(seat))
    post.intake.at.clock.passes(days=1)
    post.intake.at.close()
    return raw


def _older_date(post: Post, seat: str, asked: Asked) -> bytes:
    """Overtaken on its way by a newer letter."""
    raw = post.signed(seat, asked.text(seat))
    later(post.intake)
    assert post.intake.receives(post.signed(seat, "ORDERS FWW-1 T1.R\nC1: PASS\nEND")).state == "applied"
    later(post.intake)
    return raw


def _confirm_of_a_thief(post: Post, seat: str, asked: Asked) -> bytes:
    """The thief knows the question only by its token, and says yes to it in the holder's name."""
    assert post.intake.receives(post.letter(seat, asked.text(seat), sender=THIEF)).state == "held"
    later(post.intake)
    confirm = post.letter(seat, "CONFIRM", in_reply_to="")
    return signed(confirm, post.host(seat), BAD)


def _unsigned_confirm(post: Post, seat: str, asked: Asked) -> bytes:
    """The thief knows the question's Message-ID: its reader protested, with a copy to them."""
    assert post.intake.receives(post.letter(seat, asked.text(seat), sender=THIEF)).state == "held"
    later(post.intake)
    question = post.intake.last(seat)
    post.intake.receives(post.signed(seat, "PRESS TO UMPIRE: not me!", to=question, cc=[FRIEND]))
    return post.letter(seat, "CONFIRM", to=question)


def _confirm_from_elsewhere(post: Post, seat: str, asked: Asked) -> bytes:
    assert post.intake.receives(post.letter(seat, asked.text(seat), sender=THIEF)).state == "held"
    later(post.intake)
    return post.letter(seat, "CONFIRM", to=post.intake.last(seat), sender=THIEF)


def _strange_from(form: str) -> Callable[[Post, str, Asked], bytes]:
    """Two people in one From; the provider finds its own customer there, and signs."""

    def make(post: Post, seat: str, asked: Asked) -> bytes:
        written = form.format(post.intake.at.addresses[seat], f"mallory@{post.host(seat)}")
        raw = post.letter(seat, asked.text(seat), sender="somebody@here.test")
        return signed(raw.replace(b"somebody@here.test", written.encode()), post.host(seat), GOOD)

    return make


def _relabeled(post: Post, seat: str, asked: Asked) -> bytes:
    """A genuine letter quotes what looks like a part; its Content-Type, not signed, makes it one."""
    hidden = f"Look at this:\n\n--x\nContent-Type: text/plain\n\n{asked.text(seat)}\n--x--\n\nHe must be mad."
    raw = post.sent_by("Yahoo, in reply", seat, in_form(post.letter(seat, ""), 0, hidden))
    return raw.replace(b"text/plain; charset=UTF-8", b"multipart/mixed; boundary=x", 1)


def _handed_on(post: Post, seat: str, asked: Asked) -> bytes:
    """Written to a friend by whoever signs no To; the thief knows the reply address."""
    raw = post.letter(seat, asked.text(seat), recipient=FRIEND, in_reply_to="")
    return post.sent_by("outlook.com", seat, raw).replace(FRIEND.encode(), post.token(seat).encode())


def _moved_to_another_thread(post: Post, seat: str, asked: Asked) -> bytes:
    """A letter that was obeyed comes in answer to another letter; its writer has thought better of it."""
    raw = post.sent_by("outlook.com", seat, post.letter(seat, asked.text(seat)))
    assert post.intake.receives(raw).state == "applied"
    later(post.intake)
    assert post.intake.receives(post.signed(seat, _second_thoughts(seat, asked))).state == "applied"
    later(post.intake)
    answered = post.intake.last(seat).letter.message_id
    return re.sub(rb"In-Reply-To: <[^>]+>", f"In-Reply-To: {answered}".encode(), raw)


TRICKS = (
    Trick("no token", no_token),
    Trick("guessed token", _guessed_token),
    Trick("stolen token", _stolen_token),
    Trick("forwarded", _forwarded),
    Trick("borrowed name", _borrowed_name),
    Trick("unsigned", unsigned, SIGNED_ONES),
    Trick("serious on a token", unsigned, ("token",), (RESIGN, MOVE, ARMISTICE, ROLLBACK), proven=("token",)),
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
    Trick(
        "pass of a letter to another", _pass_of_a_letter_to_another, SIGNED_ONES, (ORDERS, RESIGN),
        authserv_id=OURS,
    ),
    Trick("pass with its b=", _pass_with_its_beginning, SIGNED_ONES, (ORDERS, RESIGN), authserv_id=OURS),
    Trick("pass of l=", _pass_of_l, SIGNED_ONES, authserv_id=OURS),
    Trick(
        "pass of l=, no name server", _pass_in_silence, SIGNED_ONES, (RESIGN,), ("received",),
        authserv_id=OURS,
    ),
    Trick("pass of the thief", _pass_of_the_thief, SIGNED_ONES, authserv_id=OURS),
    Trick("linked and unsigned", linked_and_unsigned, SIGNED_ONES),
    Trick("another seat's address", another_seats_address, states=("refused",)),
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
    Trick(
        "unsigned CONFIRM", _unsigned_confirm, POLICIES, (ORDERS, RESIGN, ARMISTICE), ("applied",),
        proven=("token",),
    ),
    Trick("CONFIRM from elsewhere", _confirm_from_elsewhere, POLICIES, (ORDERS, RESIGN), ("applied",)),
    *(Trick(f"From: {form}", _strange_from(form), SIGNED_ONES) for form in TWO_IN_ONE),
    Trick("relabeled", _relabeled, SIGNED_ONES),
    Trick(
        "handed on, To not signed", _handed_on, SIGNED_ONES, (RESIGN, MOVE, ARMISTICE, ROLLBACK),
        proven=SIGNED_ONES,
    ),
    Trick("in another thread", _moved_to_another_thread, SIGNED_ONES, (ORDERS, READY, ABSENT, LANG)),
)  # fmt: skip
