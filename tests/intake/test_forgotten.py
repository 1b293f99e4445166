"""A person who is forgotten is nowhere in the database's file, and the campaign plays on."""

from __future__ import annotations

import re
import time
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from sqlalchemy import select, text

from pbem.campaigns.adjudicate import adjudicate
from pbem.mail.redaction import Redaction, is_from
from pbem.ops.sweep import erase_old_mail
from pbem.store.inbox import letter, settle_letter
from pbem.store.people import person_at
from pbem.store.privacy import forget, personal_data, vacuum
from pbem.store.schema_mail import inbox, outbox
from pbem.store.session import reading
from tests.campaigns_at_hand import NAME, mail
from tests.intake.conftest import Desk, all_to
from tests.intake.letters_to_judge import Post, later, post_at

JEANNE, NEW, CALLED = "jeanne@wa.test", "jeanne@new.test", "Jeanne Dubois"
SALT = "seven blue elephants"


def lived(desk: Desk) -> list[str]:
    """All that happens around one player; returns what only her letters hold."""
    post = post_at(desk, "pinned", pinned=False)
    orders = (
        "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND\nSALT seven blue elephants\nABSENT 2026-12-03 to 2026-12-10"
    )
    first = desk.hears(post.signed("WA", orders, sender=f"{CALLED} <{JEANNE}>", message_id="<hers@wa.test>"))
    assert first.state == "applied" and first.proof["dkim"] == "pass"
    later(desk)
    assert desk.says("WA", "READY").state == "held"  # unsigned: a question waits
    later(desk)
    assert desk.hears(post.signed("WA", f"LINK {NEW}")).state == "applied"
    assert all_to(desk, NEW)
    later(desk)
    _others_speak_of_her(desk, post)
    _a_letter_comes_back(desk)
    desk.at.close()
    return [str(first.proof["b"])[:40], str(first.proof["replay"]), "hers@wa.test", SALT]


def _others_speak_of_her(desk: Desk, post: Post) -> None:
    quoting = f"READY\n\nOn Tuesday {CALLED} <{JEANNE}> wrote:\n> hello"
    assert desk.hears(post.signed("DE", quoting, cc=[JEANNE])).state == "applied"
    press = f"PRESS TO EA: {CALLED} is not to be trusted, write to {JEANNE}"
    assert desk.hears(post.signed("DE", press)).state == "applied"
    assert desk.hears(mail("HELP", sender=JEANNE)).state == "applied"


def _a_letter_comes_back(desk: Desk) -> None:
    back = desk.at.service.addresses.envelope_sender(desk.last("WA", "result").letter.message_id)
    report = {"Return-Path": "<>"}
    daemon = "MAILER-DAEMON@far.test"
    raw = mail(f"No such user {JEANNE}", sender=daemon, recipient=back, subject="Undelivered", headers=report)
    assert desk.hears(raw).reason == "bounce"


def whole_file(desk: Desk) -> bytes:
    path = Path(str(desk.at.db.url.database))
    log = path.with_name(f"{path.name}-wal")
    return path.read_bytes() + (log.read_bytes() if log.exists() else b"")


def all_words(desk: Desk) -> str:
    """The texts and headers of every letter that is kept, decoded, in one line."""
    found = []
    with reading(desk.at.db) as tx:
        kept = [*tx.execute(select(inbox.c.raw)).scalars(), *tx.execute(select(outbox.c.body)).scalars()]
    for raw in (one for one in kept if one is not None):
        message = message_from_bytes(raw, policy=policy.default)
        found += [str(value) for _, value in message.items()]
        found += [str(part.get_content()) for part in message.walk() if part.get_content_maintype() == "text"]
    return re.sub(r"\s+", " ", " ".join(found))


def test_nothing_of_her_is_left_in_the_file(desk: Desk) -> None:
    secrets = [JEANNE, NEW, CALLED, *lived(desk)]
    desk.at.clock.passes(days=1)
    before = whole_file(desk)
    assert all(one.encode() in before for one in secrets)
    forget(desk.at.db, JEANNE, desk.at.clock())
    vacuum(desk.at.db)
    after, words = whole_file(desk).lower(), all_words(desk)
    for one in secrets:
        assert one.lower().encode() not in after, one
        assert one not in words, one
    assert "is not to be trusted" in words  # what others wrote stays, without her name
    assert person_at(desk.at.db, JEANNE) is None


def test_the_campaign_plays_on(desk: Desk) -> None:
    lived(desk)
    forget(desk.at.db, JEANNE, desk.at.clock())
    desk.at.clock.passes(days=1)
    assert desk.says("DE", "STATUS").state == "applied"
    desk.at.close()
    adjudicate(desk.at.service, NAME)
    with reading(desk.at.db) as tx:
        assert tx.execute(text("SELECT held FROM campaigns")).scalar_one() is None


def test_all_that_is_kept_is_told_before(desk: Desk) -> None:
    lived(desk)
    kept = personal_data(desk.at.db, JEANNE)
    there = {table for table, rows in kept.items() if rows}
    assert {"people", "addresses", "absences", "holders", "inbox", "outbox", "marks", "questions"} <= there
    assert {"allowances"} <= there
    assert NEW in str(kept["questions"]) and SALT in str(kept["marks"])
    raw = [row["raw"] for row in kept["inbox"]]
    assert len(raw) >= 4 and all(JEANNE.encode() in one for one in raw)


def test_all_that_is_kept_holds_letters_that_wait_or_broke_and_what_the_closes_hold(desk: Desk) -> None:
    lived(desk)
    broke = desk.at.arrives(desk.at.reply("WA", "PRESS TO UMPIRE: my private trouble"))
    settle_letter(desk.at.db, broke, "shunted", "KeyError", desk.at.clock())  # as intake does it
    waits = desk.at.arrives(desk.at.reply("WA", "PRESS TO UMPIRE: my other trouble"))
    unopened = desk.at.arrives(f"From: {JEANNE} {'(' * 20_000}\r\n\r\nhello\r\n".encode())
    assert desk.has_heard(unopened).state == "quarantined"
    others = desk.at.arrives(desk.at.reply("DE", f"Write to {JEANNE}"))
    settle_letter(desk.at.db, others, "shunted", "KeyError", desk.at.clock())
    kept = personal_data(desk.at.db, JEANNE)
    numbers = [row["id"] for row in kept["inbox"]]
    assert {broke, waits, unopened} <= set(numbers) and others not in numbers
    sent = [one for row in kept["closes"] for one in row["letters"]]
    assert ("<hers@wa.test>", SALT) in [(one["message_id"], one["salt"]) for one in sent]


HOSTILE = {
    "parts in parts": b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (n, n) for n in range(1500)
    ),
    "mails in mails": b"Content-Type: message/rfc822\r\n\r\n" * 2000,
    "remarks in remarks": b"Cc: " + b"(" * 20_000 + b"\r\n",  # no more than a header may have
    "a From of remarks": b"From: " + b"(" * 20_000 + b"x@dark.test\r\n",
    "encoded words": b"Subject: " + b"=?utf-8?b?" * 400 + b"\r\nX-Odd: =?x?b?a?= =?x?q?=zz?=\r\n",
}


@pytest.mark.parametrize("odd", sorted(HOSTILE))
def test_no_strangers_mail_keeps_anybody_from_being_forgotten(desk: Desk, odd: str) -> None:
    assert desk.says("WA", "READY").state == "applied"
    top = b"From: x@dark.test\r\nTo: umpire@play.test\r\nMIME-Version: 1.0\r\n"
    plain, naming = (desk.at.arrives(top + HOSTILE[odd] + end) for end in (b"\r\nhi", JEANNE.encode()))
    for number in (plain, naming):
        desk.has_heard(number)
    begun = time.monotonic()
    forget(desk.at.db, JEANNE, desk.at.clock())
    assert time.monotonic() - begun < 10
    assert person_at(desk.at.db, JEANNE) is None
    assert letter(desk.at.db, plain) is not None and letter(desk.at.db, naming) is None


def test_a_mail_that_nobody_can_search_is_erased_and_the_others_are_searched(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In doubt it names her; of ours the bytes go as well, and one that waits is not sent."""
    odd, good = (desk.hears(mail(text, sender="nobody@elsewhere.test")).id for text in ("odd", "good"))
    ours = desk.last("DE", "result")

    def trips(self: Redaction, raw: bytes) -> bool:
        if b"odd" in raw:
            raise RecursionError
        return False

    def fails(self: Redaction, raw: bytes) -> None:
        raise ValueError

    monkeypatch.setattr(Redaction, "is_in", trips)
    monkeypatch.setattr(Redaction, "letter", fails)
    forget(desk.at.db, JEANNE, desk.at.clock())
    assert letter(desk.at.db, odd) is None and letter(desk.at.db, good) is not None
    with reading(desk.at.db) as tx:
        row = tx.execute(select(outbox).where(outbox.c.id == ours.id)).mappings().one()
    assert (row["body"], row["state"]) == (None, "withdrawn")


def test_what_comes_from_a_forgotten_address_is_a_strangers(desk: Desk) -> None:
    """Also what waited meanwhile: about no campaign, and kept no longer than any stranger's mail."""
    waiting = desk.at.arrives(desk.at.reply("WA", "PRESS TO UMPIRE: my trouble"))
    after = desk.at.reply("WA", "READY")
    forget(desk.at.db, JEANNE, desk.at.clock())
    late = desk.at.arrives(after)
    for number in (waiting, late):
        heard = desk.has_heard(number)
        assert (heard.state, heard.reason) == ("set-aside", "stranger")
        assert (heard.campaign, heard.seat, heard.person) == (None, None, None)
    desk.at.clock.passes(days=91)
    erase_old_mail(desk.at.service)
    assert letter(desk.at.db, waiting) is None and letter(desk.at.db, late) is None
    assert not personal_data(desk.at.db, JEANNE)["inbox"]


def test_stray_mail_goes_after_a_while(desk: Desk) -> None:
    spam = desk.hears(mail("Cheap watches", sender="nobody@elsewhere.test"))
    mine = desk.says("DE", "READY")
    desk.at.clock.passes(days=89)
    assert erase_old_mail(desk.at.service) == 0
    desk.at.clock.passes(days=2)
    assert erase_old_mail(desk.at.service) == 1
    assert letter(desk.at.db, spam.id) is None and letter(desk.at.db, mine.id) is not None


def test_names_are_struck_out_as_whole_words_and_short_ones_not_at_all() -> None:
    own = Redaction("Will Ray", ["will@a.test"])
    assert own.text("Will\nRay, WILL@A.test, Will Rayner, xwill@a.test") == (
        "N. N., …@…, Will Rayner, xwill@a.test"
    )
    assert Redaction("Al", []).text("Al and Alice") == "Al and Alice"
    assert Redaction("END", []).text("END") == "END"
    assert own.letter(b"Subject: x\r\n\r\nnothing of him\r\n") is None


@pytest.mark.parametrize(
    "raw",
    [
        b"From: =?utf-8?q?Zo=C3=AB?= =?utf-8?q?_M=C3=BCller?= <x@y.test>\r\n\r\nhello\r\n",
        b"From: =?iso-8859-1?b?Wm/rIE38bGxlcg?= <x@y.test>\r\n\r\nhello\r\n",
        "From: Zoë\r\n Müller <x@y.test>\r\n\r\nhello\r\n".encode(),
        b"Cc: a@b.test,\r\n\tZOE@example.org\r\n\r\nhello\r\n",
        b"Content-Type: text/plain; charset=nonsense\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        b"em9lQGV4YW1wbGUub3Jn\r\n",
        b"Content-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"<p>Zo=EB M=FC=\r\nller</p>\r\n",
        b"Content-Type: message/rfc822\r\n\r\nFrom: zoe@example.org\r\n\r\nhello\r\n",
    ],
)
def test_a_name_is_found_however_a_mail_program_wrote_it(raw: bytes) -> None:
    assert Redaction("Zoë Müller", ["zoe@example.org"]).is_in(raw)
    assert not Redaction("Zoë Möller", ["zoe@example.com"]).is_in(raw)


def test_whose_mail_it_is_is_told_by_from_alone() -> None:
    own = ["zoe@example.org"]
    assert is_from(b"From: Zoe <ZOE@example.org>\r\n\r\nhello\r\n", own)
    assert not is_from(b"From: x@y.test\r\nCc: zoe@example.org\r\n\r\nzoe@example.org\r\n", own)
    for head in (b"From: zoe@example.org, x@y.test", b"From: zoe@example.org " + b"(" * 20_000):
        assert is_from(head + b"\r\n\r\nhello\r\n", own)
    assert not is_from(b"From: x@y.test " + b"(" * 20_000 + b"\r\n\r\nFrom: zoe@example.org\r\n", own)
