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
from tests.intake.conftest import Intake, all_to
from tests.intake.judged_letters import Post, later, post_at

JEANNE, NEW, CALLED = "jeanne@wa.test", "jeanne@new.test", "Jeanne Dubois"
SALT = "seven blue elephants"


def lived(intake: Intake) -> list[str]:
    """All that happens around one player; returns what only their letters hold."""
    post = post_at(intake, "pinned", pinned=False)
    orders = (
        "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND\nSALT seven blue elephants\nABSENT 2026-12-03 to 2026-12-10"
    )
    first = intake.receives(
        post.signed("WA", orders, sender=f"{CALLED} <{JEANNE}>", message_id="<hers@wa.test>")
    )
    assert first.state == "applied" and first.proof["dkim"] == "pass"
    later(intake)
    assert intake.says("WA", "READY").state == "held"  # unsigned: a question waits
    later(intake)
    assert intake.receives(post.signed("WA", f"LINK {NEW}")).state == "applied"
    assert all_to(intake, NEW)
    later(intake)
    _others_speak_of_her(intake, post)
    _a_letter_comes_back(intake)
    intake.at.close()
    return [str(first.proof["b"])[:40], str(first.proof["replay"]), "hers@wa.test", SALT]


def _others_speak_of_her(intake: Intake, post: Post) -> None:
    quoting = f"READY\n\nOn Tuesday {CALLED} <{JEANNE}> wrote:\n> hello"
    assert intake.receives(post.signed("DE", quoting, cc=[JEANNE])).state == "applied"
    press = f"PRESS TO EA: {CALLED} is not to be trusted, write to {JEANNE}"
    assert intake.receives(post.signed("DE", press)).state == "applied"
    assert intake.receives(mail("HELP", sender=JEANNE)).state == "applied"


def _a_letter_comes_back(intake: Intake) -> None:
    back = intake.at.service.addresses.envelope_sender(intake.last("WA", "result").letter.message_id)
    report = {"Return-Path": "<>"}
    daemon = "MAILER-DAEMON@far.test"
    raw = mail(f"No such user {JEANNE}", sender=daemon, recipient=back, subject="Undelivered", headers=report)
    assert intake.receives(raw).reason == "bounce"


def whole_file(intake: Intake) -> bytes:
    path = Path(str(intake.at.db.url.database))
    log = path.with_name(f"{path.name}-wal")
    return path.read_bytes() + (log.read_bytes() if log.exists() else b"")


def all_words(intake: Intake) -> str:
    """The texts and headers of every letter that is kept, decoded, in one line."""
    found = []
    with reading(intake.at.db) as tx:
        kept = [*tx.execute(select(inbox.c.raw)).scalars(), *tx.execute(select(outbox.c.body)).scalars()]
    for raw in (one for one in kept if one is not None):
        message = message_from_bytes(raw, policy=policy.default)
        found += [str(value) for _, value in message.items()]
        found += [str(part.get_content()) for part in message.walk() if part.get_content_maintype() == "text"]
    return re.sub(r"\s+", " ", " ".join(found))


def test_nothing_of_her_is_left_in_the_file(intake: Intake) -> None:
    secrets = [JEANNE, NEW, CALLED, *lived(intake)]
    intake.at.clock.passes(days=1)
    before = whole_file(intake)
    assert all(one.encode() in before for one in secrets)
    forget(intake.at.db, JEANNE, intake.at.clock())
    vacuum(intake.at.db)
    after, words = whole_file(intake).lower(), all_words(intake)
    for one in secrets:
        assert one.lower().encode() not in after, one
        assert one not in words, one
    assert "is not to be trusted" in words  # what others wrote stays, without the name
    assert person_at(intake.at.db, JEANNE) is None


def test_the_campaign_plays_on(intake: Intake) -> None:
    lived(intake)
    forget(intake.at.db, JEANNE, intake.at.clock())
    intake.at.clock.passes(days=1)
    assert intake.says("DE", "STATUS").state == "applied"
    intake.at.close()
    adjudicate(intake.at.service, NAME)
    with reading(intake.at.db) as tx:
        assert tx.execute(text("SELECT held FROM campaigns")).scalar_one() is None


def test_all_that_is_kept_is_told_before(intake: Intake) -> None:
    lived(intake)
    kept = personal_data(intake.at.db, JEANNE)
    there = {table for table, rows in kept.items() if rows}
    assert {"people", "addresses", "absences", "holders", "inbox", "outbox", "marks", "questions"} <= there
    assert {"allowances"} <= there
    assert NEW in str(kept["questions"]) and SALT in str(kept["marks"])
    raw = [row["raw"] for row in kept["inbox"]]
    assert len(raw) >= 4 and all(JEANNE.encode() in one for one in raw)


def test_all_that_is_kept_holds_letters_that_wait_or_broke_and_what_the_closes_hold(intake: Intake) -> None:
    lived(intake)
    broke = intake.at.arrives(intake.at.reply("WA", "PRESS TO UMPIRE: my private trouble"))
    settle_letter(intake.at.db, broke, "shunted", "KeyError", intake.at.clock())  # as intake does it
    waits = intake.at.arrives(intake.at.reply("WA", "PRESS TO UMPIRE: my other trouble"))
    unopened = intake.at.arrives(f"From: {JEANNE} {'(' * 20_000}\r\n\r\nhello\r\n".encode())
    assert intake.processes(unopened).state == "quarantined"
    others = intake.at.arrives(intake.at.reply("DE", f"Write to {JEANNE}"))
    settle_letter(intake.at.db, others, "shunted", "KeyError", intake.at.clock())
    kept = personal_data(intake.at.db, JEANNE)
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
def test_no_strangers_mail_keeps_anybody_from_being_forgotten(intake: Intake, odd: str) -> None:
    assert intake.says("WA", "READY").state == "applied"
    top = b"From: x@dark.test\r\nTo: umpire@play.test\r\nMIME-Version: 1.0\r\n"
    plain, naming = (intake.at.arrives(top + HOSTILE[odd] + end) for end in (b"\r\nhi", JEANNE.encode()))
    for number in (plain, naming):
        intake.processes(number)
    begun = time.monotonic()
    forget(intake.at.db, JEANNE, intake.at.clock())
    assert time.monotonic() - begun < 10
    assert person_at(intake.at.db, JEANNE) is None
    assert letter(intake.at.db, plain) is not None and letter(intake.at.db, naming) is None


def test_a_mail_that_nobody_can_search_is_erased_and_the_others_are_searched(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In doubt it names them; of ours the bytes go as well, and one that waits is not sent."""
    odd, good = (intake.receives(mail(text, sender="nobody@elsewhere.test")).id for text in ("odd", "good"))
    ours = intake.last("DE", "result")

    def trips(self: Redaction, raw: bytes) -> bool:
        if b"odd" in raw:
            raise RecursionError
        return False

    def fails(self: Redaction, raw: bytes) -> None:
        raise ValueError

    monkeypatch.setattr(Redaction, "is_in", trips)
    monkeypatch.setattr(Redaction, "letter", fails)
    forget(intake.at.db, JEANNE, intake.at.clock())
    assert letter(intake.at.db, odd) is None and letter(intake.at.db, good) is not None
    with reading(intake.at.db) as tx:
        row = tx.execute(select(outbox).where(outbox.c.id == ours.id)).mappings().one()
    assert (row["body"], row["state"]) == (None, "withdrawn")


def test_what_comes_from_a_forgotten_address_is_a_strangers(intake: Intake) -> None:
    """Also what waited meanwhile: about no campaign, and kept no longer than any stranger's mail."""
    waiting = intake.at.arrives(intake.at.reply("WA", "PRESS TO UMPIRE: my trouble"))
    after = intake.at.reply("WA", "READY")
    forget(intake.at.db, JEANNE, intake.at.clock())
    late = intake.at.arrives(after)
    for number in (waiting, late):
        mail_row = intake.processes(number)
        assert (mail_row.state, mail_row.reason) == ("set-aside", "stranger")
        assert (mail_row.campaign, mail_row.seat, mail_row.person) == (None, None, None)
    intake.at.clock.passes(days=91)
    erase_old_mail(intake.at.service)
    assert letter(intake.at.db, waiting) is None and letter(intake.at.db, late) is None
    assert not personal_data(intake.at.db, JEANNE)["inbox"]


def test_stray_mail_goes_after_a_while(intake: Intake) -> None:
    spam = intake.receives(mail("Cheap watches", sender="nobody@elsewhere.test"))
    mine = intake.says("DE", "READY")
    intake.at.clock.passes(days=89)
    assert erase_old_mail(intake.at.service) == 0
    intake.at.clock.passes(days=2)
    assert erase_old_mail(intake.at.service) == 1
    assert letter(intake.at.db, spam.id) is None and letter(intake.at.db, mine.id) is not None


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
