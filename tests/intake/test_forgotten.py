"""A person who is forgotten is nowhere in the database's file, and the campaign plays on."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from pathlib import Path

from sqlalchemy import select, text

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.sweeping import erase_old_mail
from pbem.mail.redact import Redaction
from pbem.store.connect import reading
from pbem.store.forgetting import forget, kept_of, wipe
from pbem.store.mailbag import letter
from pbem.store.people import person_at
from pbem.store.schema_mail import inbox, outbox
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
    back = desk.at.office.addresses.envelope_sender(desk.last("WA", "result").letter.message_id)
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
    wipe(desk.at.db)
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
    adjudicate(desk.at.office, NAME)
    with reading(desk.at.db) as tx:
        assert tx.execute(text("SELECT held FROM campaigns")).scalar_one() is None


def test_all_that_is_kept_is_told_before(desk: Desk) -> None:
    lived(desk)
    kept = kept_of(desk.at.db, JEANNE)
    there = {table for table, rows in kept.items() if rows}
    assert {"people", "addresses", "absences", "holders", "inbox", "outbox", "marks", "questions"} <= there
    assert {"allowances"} <= there
    assert NEW in str(kept["questions"]) and SALT in str(kept["marks"])
    raw = [row["raw"] for row in kept["inbox"]]
    assert len(raw) >= 4 and all(JEANNE.encode() in one for one in raw)


def test_stray_mail_goes_after_a_while(desk: Desk) -> None:
    spam = desk.hears(mail("Cheap watches", sender="nobody@elsewhere.test"))
    mine = desk.says("DE", "READY")
    desk.at.clock.passes(days=89)
    assert erase_old_mail(desk.at.office) == 0
    desk.at.clock.passes(days=2)
    assert erase_old_mail(desk.at.office) == 1
    assert letter(desk.at.db, spam.id) is None and letter(desk.at.db, mine.id) is not None


def test_names_are_struck_out_as_whole_words_and_short_ones_not_at_all() -> None:
    own = Redaction("Will Ray", ["will@a.test"])
    assert own.text("Will\nRay, WILL@A.test, Will Rayner, xwill@a.test") == (
        "N. N., …@…, Will Rayner, xwill@a.test"
    )
    assert Redaction("Al", []).text("Al and Alice") == "Al and Alice"
    assert Redaction("END", []).text("END") == "END"
    assert own.letter(b"Subject: x\r\n\r\nnothing of him\r\n") is None
