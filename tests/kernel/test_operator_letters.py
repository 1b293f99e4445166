"""Cheats with letters: receipts, words, and what is sent late, left out or shown in part.

As in test_operator the operator holds all secrets and makes every hash anew, and the player has one mailbox.
"""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

from engine.kernel.fairness.audit import Ledger, SentMark
from engine.kernel.fairness.export import audit_json, opening_json
from engine.kernel.fairness.history import throws
from pbem.letters.dice import roll_lines
from pbem.verify_dice import Report, verify
from tests.kernel.audited_campaign import SEATS
from tests.kernel.mailbox import (
    FIRE,
    SENT,
    Mailbox,
    before,
    invitation,
    letter,
    letters_to,
    own_letter,
    receipts,
    result,
    store,
    turn,
)
from tests.kernel.test_operator import anew, with_six

EN, DE, FR = SEATS
LAST = "00003-result.eml"


def check(box: Mailbox, folder: Path) -> Report:
    return verify([store(box, folder)])


def three_turns() -> Ledger:
    return before(turn(3)).ledger


# ------------------------------------------------------------------ receipts


def test_a_receipt_whose_close_was_lost_with_a_backup_is_no_alarm(tmp_path: Path) -> None:
    told = ("ruling", "restore", "the disk", {"public": {"links": [4, 6]}})
    box = letters_to(before(turn(3), turn(4, told, FIRE, burn=3), turn(5)).ledger, DE)
    for close, code in ((5, 0), (7, 1), (8, 0)):  # lost; passed over; open now
        late = dict(receipts(close, DE, (SentMark("<late@mail>"),)))
        assert code == check(box | late, tmp_path).code


def test_a_receipt_after_a_close_that_was_never_told_is_named(tmp_path: Path) -> None:
    box = letters_to(three_turns(), DE) | dict(receipts(4, DE, (SentMark("<next@mail>"),)))
    found = check(box, tmp_path)
    assert (3, ["MISSING Close 4 to 4"]) == (found.code, found.missing)


def test_a_receipt_in_a_window_that_a_lost_letter_ended_is_no_alarm(tmp_path: Path) -> None:
    box = letters_to(before(turn(3), turn(4)).ledger, DE)
    del box["00002-result.eml"], box[LAST]
    found = check(box, tmp_path)
    assert (3, [], ["MISSING Close 2 to 3"]) == (found.code, found.caught, found.missing)


def test_a_letter_that_was_answered_and_does_not_count_is_shown(tmp_path: Path) -> None:
    """The player reads in the answer why."""
    box = letters_to(three_turns(), DE)
    box |= {"x.eml": own_letter("<refused@mail>"), "y.eml": letter("No.", answers="<refused@mail>")}
    found = check(box, tmp_path)
    assert "READ your letter <refused@mail> is in no entry that is here" in found.lines
    box = letters_to(three_turns(), DE) | dict(receipts(3, DE, SENT[DE]))
    assert not [line for line in check(box, tmp_path).lines if "in no entry" in line]  # not yet


def test_another_message_id_in_the_mark_is_shown(tmp_path: Path) -> None:
    """The receipt answers the letter and promises the mark of another, which nobody sent."""
    box = letters_to(before(turn(3, letters={DE: (SentMark("<invented@mail>"),)})).ledger, DE)
    box["00002-1-own.eml"] = own_letter("<true@mail>")
    box["00002-1-receipt.eml"] = box["00002-1-receipt.eml"].replace(b"<invented@mail>", b"<true@mail>")
    assert "READ your letter <true@mail> is in no entry that is here" in check(box, tmp_path).lines


# ------------------------------------------------------------------ the letter that ends a window


def test_words_for_salt_that_the_letter_does_not_have_are_named(tmp_path: Path) -> None:
    """It has no receipt, so they could be tried until the dice suit; the player has a copy."""
    tries = (turn(3, letters={DE: (SentMark("<3.DE@mail>", "c2ln", f"salt {n}"),)}) for n in count())
    box = letters_to(with_six(tries), DE)
    del box["00002-1-receipt.eml"]
    assert 0 == check(box, tmp_path).code
    box["00002-1-own.eml"] = own_letter("<3.DE@mail>")
    found = check(box, tmp_path)
    assert (3, True) == (found.code, found.missing[0].startswith("MISSING in your copy of <3.DE@mail>: SALT"))


def test_answers_shown_as_a_hash_only_are_named(tmp_path: Path) -> None:
    """Nobody could read whether they are the player's."""
    ledger = before(turn(3, texts={DE: ("A1 - F3",)})).ledger
    document = json.loads(audit_json(ledger, DE, since=2))
    document["closes"][0]["entry DE"][0] = ledger.records[-1].close.entries[DE].answers
    box = letters_to(ledger, DE) | {LAST: letter("", json.dumps(document))}
    assert [] == check(box, tmp_path).missing  # the receipt has told the digest
    del box["00002-1-receipt.eml"]
    found = check(box, tmp_path)
    assert (3, ["MISSING what was on file for DE, Close 3"]) == (found.code, found.missing)


# ------------------------------------------------------------------ letters late, or to nobody


def test_a_chain_announced_in_the_letter_that_uses_it_is_named(tmp_path: Path) -> None:
    """It could have been chosen when all was in; a letter before it shows that it was not."""
    ledger = anew(1, told=True)
    whole = letters_to(ledger, DE)
    assert 0 == check(whole, tmp_path).code
    then = Ledger(ledger.opening, ledger.secrets, ledger.records[:4])
    late = {name: text for name, text in whole.items() if name != LAST}
    late["00004-result.eml"] = result(then, DE, since=2)
    found = check(late, tmp_path)
    assert (3, 1) == (found.code, len(found.missing))
    assert found.missing[0].startswith("MISSING a letter that announced the chain of Close 4")
    anchor = ledger.secrets.chain.anchor.hex()
    notice = letter(f"A new chain: {anchor[:40]}\n{anchor[40:]}")
    assert 0 == check(late | {"notice.eml": notice}, tmp_path).code


def test_letters_as_to_an_observer_from_the_first_are_named(tmp_path: Path) -> None:
    """The receipts say that the reader has a seat."""
    ledger = three_turns()
    box = letters_to(ledger, DE)
    told = ledger.secrets.commitments
    document = json.dumps({**json.loads(opening_json(ledger, DE)), "reader": ""})
    box["00000-invitation.eml"] = letter(f"anchor {told['anchor']} seal {told['seal']}", document)
    for since in range(3):
        then = Ledger(ledger.opening, ledger.secrets, ledger.records[: since + 1])
        box[f"{since + 1:05}-result.eml"] = result(then, None, since)
    found = check(box, tmp_path)
    assert (3, "MISSING the own part of DE, Close 1") == (found.code, found.missing[0])


# ------------------------------------------------------------------ words


def html_letter(html: str, audit: str) -> bytes:
    raw = letter("as below", audit).decode()
    assert raw.count("text/plain") == 1
    return raw.replace("text/plain", "text/html").replace("as below", html).encode()


def test_the_same_holds_for_the_html_form(tmp_path: Path) -> None:
    ledger = three_turns()
    (line,) = roll_lines(list(throws(ledger.records[2:])))
    head, _, face = line.written.partition(" = ")
    for shown, code in ((face, 0), (str(int(face) % 6 + 1), 1)):
        html = f"<p>{head.replace('/', '&#47;')} = <b>{shown}</b></p>"
        box = letters_to(ledger, DE) | {LAST: html_letter(html, audit_json(ledger, DE, since=2))}
        found = check(box, tmp_path)
        assert code == found.code, found.caught
        assert code or not [line for line in found.lines if line.startswith("READ")]


def test_a_roll_that_no_letter_tells_is_shown(tmp_path: Path) -> None:
    """Rolled once more than the letter says, and the second face taken."""
    ledger = before(turn(3, FIRE, FIRE)).ledger
    text = result(ledger, DE, since=2).decode()
    cut = "\n".join(line for line in text.splitlines() if not line.startswith(" - #3 "))
    found = check(letters_to(ledger, DE) | {LAST: cut.encode()}, tmp_path)
    assert "READ 1 rolls that no letter here tells in words: #3" in found.lines


def test_a_roll_that_no_record_has_is_named(tmp_path: Path) -> None:
    ledger = three_turns()
    text = result(ledger, DE, since=2).replace(b"#3 T3.R1", b"#4 T3.R1")
    found = check(letters_to(ledger, DE) | {LAST: text}, tmp_path)
    assert (3, True) == (found.code, found.missing[0].startswith("MISSING roll #4"))


def test_the_invitation_is_a_letter_with_words(tmp_path: Path) -> None:
    """An opening record alone does not say which anchor the player was told."""
    ledger = three_turns()
    box = letters_to(ledger, DE) | {"00000-invitation.eml": letter("", opening_json(ledger, DE))}
    found = check(box, tmp_path)
    assert (3, ["MISSING the invitation"]) == (found.code, found.missing)
    assert 0 == check(box | {"z.eml": invitation(ledger, DE)}, tmp_path).code
