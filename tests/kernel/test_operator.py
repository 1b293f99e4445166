"""An operator who holds all secrets, makes every hash anew and chooses dice: what one player's mailbox shows.

`CAUGHT` contradicts what the player holds. `NAMED` contradicts nothing, because a letter may be lost: the
checker names what is missing, and whoever lost nothing knows. What cannot be seen in one mailbox, two
players' letters show, or the publication at the end. Fields of the transcript and of records are varied in
test_cheating, test_operator_lines and test_every_field, letters in test_operator_letters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from engine.kernel.fairness.audit import Ledger, Secrets, SentMark
from engine.kernel.fairness.dice import Chain, H
from engine.kernel.fairness.export import audit_json, opening_json, publication
from engine.kernel.fairness.history import throws
from pbem.letters.dice import roll_lines
from pbem.verify_dice import verify
from tests.kernel.audited_campaign import SEATS, Act, Advance, Sitting, new_ledger, played
from tests.kernel.mailbox import (
    FIRE,
    SENT,
    TAKEN,
    Mailbox,
    before,
    invitation,
    letter,
    letters_to,
    receipts,
    result,
    store,
    turn,
)
from tests.kernel.test_cheating import ROLLED_AGAIN, SEEN_AT_THE_END, SEEN_BY_A_SEAT
from tests.kernel.test_operator_lines import AT_THE_END, IN_ONE_EXPORT

EN, DE, FR = SEATS


def with_six(tries: Iterator[Advance]) -> Ledger:
    """The first of these third turns whose first die is a six; a fourth follows."""
    for advance in tries:
        sitting = before(advance)
        faces = [line["faces"] for line in sitting.ledger.records[-1].public_lines if line["k"] == "roll"]
        if faces[0][0] == 6:
            sitting.play(turn(4))
            return sitting.ledger
    raise AssertionError("no six")


def named(label: str, *facts: Act) -> Advance:
    return turn(3, ("label", DE, label, 1, int(label.rpartition("/d")[2])), TAKEN, *facts)


# ------------------------------------------------------------------ chosen links, labels, dice


def links_skipped() -> Mailbox:
    return letters_to(with_six(turn(3, burn=links) for links in range(60)), DE)


def links_given_up_without_range() -> Mailbox:
    told: Act = ("ruling", "restore", "the disk", {"public": {}})
    return letters_to(with_six(turn(3, told, FIRE, burn=links) for links in range(60)), DE)


def links_given_up_by_another_ruling() -> Mailbox:
    tries = (("ruling", "hold", "storm", {"public": {"links": [3, 2 + burnt]}}) for burnt in range(1, 60))
    return letters_to(with_six(turn(3, told, FIRE, burn=n) for n, told in enumerate(tries, 1)), DE)


def fewer_links_told() -> Mailbox:
    told = ("ruling", "restore", "the disk", {"public": {"links": [3, 4]}})
    return letters_to(with_six(turn(3, told, FIRE, burn=links) for links in range(3, 60)), DE)


def links_told_after_they_are_missed() -> Mailbox:
    ledger = with_six(turn(3, burn=links) for links in range(1, 60))
    sitting, t = Sitting(ledger), ledger.t
    told = ("ruling", "restore", "the disk", {"public": {"links": [3, t - 2]}})
    sitting.play(turn(5, told, FIRE))
    return letters_to(ledger, DE)


def number_chosen() -> Mailbox:
    return letters_to(with_six(named(f"T3.R1/fire/{n}/d6") for n in range(1, 60)), DE)


def purpose_chosen() -> Mailbox:
    return letters_to(with_six(named(f"T3.R1/fire{'e' * n}/1/d6") for n in range(1, 60)), DE)


def name_chosen() -> Mailbox:
    return letters_to(with_six(named(f"T3.R1/attack.A{n}/1/d6") for n in range(60)), DE)


def segment_chosen() -> Mailbox:
    return letters_to(with_six(named(f"T3.R{n}/fire/1/d6") for n in range(2, 60)), DE)


def segment_that_never_began() -> Mailbox:
    tries = (replace(named(f"T3.R{n}/fire/1/d6"), segment=f"T3.R{n}") for n in range(2, 60))
    return letters_to(with_six(tries), DE)


def sides_chosen() -> Mailbox:
    return letters_to(with_six(named(f"T3.R1/fire/1/d{n}") for n in range(7, 60)), DE)


def words_of_another_game() -> Mailbox:
    return letters_to(with_six(named(f"X{n}/fire/1/d6") for n in range(60)), DE)


def leading_zero() -> Mailbox:
    return letters_to(with_six(named(f"T3.R1/fire/{'0' * n}1/d6") for n in range(1, 60)), DE)


def segment_begun_twice() -> Mailbox:
    return letters_to(before(turn(2), turn(3)).ledger, DE)


def faces_never_laid_down() -> Mailbox:
    ruling = ("ruling", "force-dice", "a slip", {"public": {"faces": [1]}})
    return letters_to(before(turn(3, ruling, FIRE, forced=(6,))).ledger, DE)


def forced_without_ruling() -> Mailbox:
    return letters_to(before(turn(3, forced=(6,))).ledger, DE)


def laid_down_but_not_used() -> Mailbox:
    ruling = ("ruling", "force-dice", "a slip", {"public": {"faces": [1]}})
    return letters_to(before(turn(3, ruling, FIRE)).ledger, DE)


def recorded_on_fresh_dice() -> Mailbox:
    fork = (("branch", 1, 0, "fresh"), FIRE)
    return letters_to(before(replace(turn(2, *fork), branch=1, same_dice=True)).ledger, DE)


def branch_number_chosen() -> Mailbox:
    tries = (replace(turn(2, ("branch", n, 0, "fresh"), FIRE), branch=n) for n in range(2, 60))
    return letters_to(with_six(tries), DE)


# ------------------------------------------------------------------ anchors


def anew(seed: int, told: bool, at_once: bool = False) -> Ledger:
    """A new chain from the fourth Close on, announced in the third; `at_once`: already for the third."""
    sitting = before()
    ledger, chain = sitting.ledger, Chain(H("other", seed), 64)
    public = {"anchor": chain.anchor.hex()} if told else {}
    new = Secrets(chain, ledger.secrets.seal_key, 3 if at_once else 4, ledger.secrets)
    ledger.secrets = new
    for advance in (turn(3, ("ruling", "restore", "few left", {"public": public}), FIRE), turn(4), turn(5)):
        sitting.play(advance)
    return ledger


def new_anchor_unannounced() -> Mailbox:
    return letters_to(anew(1, told=False), DE)


def new_anchor_in_the_same_close() -> Mailbox:
    return letters_to(anew(1, told=True, at_once=True), DE)


def announced_but_not_used() -> Mailbox:
    told = {"public": {"anchor": H("another").hex()}}
    return letters_to(before(turn(3, ("ruling", "restore", "few left", told), FIRE), turn(4)).ledger, DE)


def other_invitation() -> Mailbox:
    return letters_to(played(9, (turn(1), turn(2))), DE) | {
        "00000-invitation.eml": invitation(new_ledger(8), DE)
    }


def words_of_the_invitation() -> Mailbox:
    ledger = before().ledger
    told = new_ledger(9).secrets.commitments
    text = f"anchor {told['anchor']}\nseal {told['seal']}\n"
    return letters_to(ledger, DE) | {"00000-invitation.eml": letter(text, opening_json(ledger, DE))}


def other_seats_in_the_invitation() -> Mailbox:
    ledger = before().ledger
    opening = Ledger(ledger.opening.replace(b'"FR"', b'"US"'), ledger.secrets)
    return letters_to(ledger, DE) | {"00000-invitation.eml": invitation(opening, DE)}


# ------------------------------------------------------------------ marks and the reader's own part


def mark_left_out() -> Mailbox:
    late = tuple(SentMark(f"<late.{n}@mail>") for n in range(2))
    return letters_to(before(turn(3)).ledger, DE) | dict(receipts(2, DE, late[:1], first=2))


def marks_in_another_order() -> Mailbox:
    two = (SentMark("<a@mail>"), SentMark("<b@mail>"))
    box = letters_to(before(turn(3, letters={DE: two})).ledger, DE)
    return box | dict(receipts(2, DE, two[::-1]))


def mark_of_another_letter() -> Mailbox:
    box = letters_to(before(turn(3)).ledger, DE)
    return box | dict(receipts(2, DE, (SentMark("<3.DE@mail>", "another"),)))


def on_file(*texts: str) -> Advance:
    """A third turn before which Germany has these orders on file."""
    return turn(3, texts={DE: texts})


def answers_varied() -> Mailbox:
    """Orders that mean the same, until the dice suit: the receipt told others."""
    told = before(on_file("A1 - F3")).ledger.records[-1].close.entries[DE].answers
    box = letters_to(with_six(on_file("A1 - F3", *["HOLD"] * n) for n in count(1)), DE)
    return box | dict(receipts(2, DE, (SentMark("<3.DE@mail>", "c2ln"),), answers=told))


def order_left_out() -> Mailbox:
    told = before(on_file("A1 - F3", "HOLD")).ledger.records[-1].close.entries[DE].answers
    box = letters_to(before(on_file("A1 - F3")).ledger, DE)
    return box | dict(receipts(2, DE, (SentMark("<3.DE@mail>", "c2ln"),), answers=told))


def own_part(name: str) -> Callable[[], Mailbox]:
    """The reader's own field is left out of a letter."""

    def cheat() -> Mailbox:
        ledger = before(turn(3)).ledger
        document = json.loads(audit_json(ledger, DE, since=2))
        del document["closes"][0][f"{name} DE"]
        return letters_to(ledger, DE) | {"00003-result.eml": letter("", json.dumps(document))}

    return cheat


def told_another_face() -> Mailbox:
    ledger = before(turn(3)).ledger
    text = result(ledger, DE, since=2).decode()
    face = int(text.partition("/d6 = ")[2][0])
    return letters_to(ledger, DE) | {
        "00003-result.eml": text.replace(f"/d6 = {face}", f"/d6 = {face % 6 + 1}").encode()
    }


def told_under_another_label() -> Mailbox:
    ledger = before(turn(3)).ledger
    text = result(ledger, DE, since=2).replace(b"T3.R1/fire/1/d6 =", b"T3.R1/fire/2/d6 =")
    return letters_to(ledger, DE) | {"00003-result.eml": text}


def another_face_among_many() -> Mailbox:
    """More than forty rolls are told by battles."""
    ledger = before(turn(3, *[FIRE] * 41)).ledger
    (line,) = roll_lines(list(throws(ledger.records[2:])))
    head, _, tail = line.written.partition(" = ")
    told = f"{head} = {int(tail[0]) % 6 + 1}{tail[1:]}"
    return letters_to(ledger, DE) | {"00003-result.eml": letter(told, audit_json(ledger, DE, since=2))}


CAUGHT: dict[str, Callable[[], Mailbox]] = {
    "links skipped until a six": links_skipped,
    "links given up without their range": links_given_up_without_range,
    "links given up by another ruling": links_given_up_by_another_ruling,
    "fewer links told than given up": fewer_links_told,
    "links told after they are missed": links_told_after_they_are_missed,
    "the number in a label chosen": number_chosen,
    "the purpose chosen": purpose_chosen,
    "a name that no fact tells": name_chosen,
    "another segment in the label": segment_chosen,
    "a segment that does not follow": segment_that_never_began,
    "the sides chosen": sides_chosen,
    "words of another game": words_of_another_game,
    "a number with a zero before it": leading_zero,
    "a segment begun twice": segment_begun_twice,
    "forced faces that no ruling names": faces_never_laid_down,
    "forced without a ruling": forced_without_ruling,
    "laid down and not used": laid_down_but_not_used,
    "recorded on a branch with fresh dice": recorded_on_fresh_dice,
    "the number of a branch chosen": branch_number_chosen,
    "a new anchor that nobody announced": new_anchor_unannounced,
    "a new anchor announced too late": new_anchor_in_the_same_close,
    "an announced anchor not used": announced_but_not_used,
    "another anchor in the invitation": other_invitation,
    "another anchor in its words": words_of_the_invitation,
    "other seats in the invitation": other_seats_in_the_invitation,
    "a receipted mark left out": mark_left_out,
    "marks in another order": marks_in_another_order,
    "the mark of another letter": mark_of_another_letter,
    "the answers on file varied": answers_varied,
    "an order left out": order_left_out,
    "the reader's own entry left out": own_part("entry"),
    "the reader's own key left out": own_part("k"),
    "the reader's own lines left out": own_part("private"),
    "a letter tells another face": told_another_face,
    "a letter tells another label": told_under_another_label,
    "another face among many": another_face_among_many,
}


@pytest.mark.parametrize("name", CAUGHT)
def test_one_mailbox_shows_it(name: str, tmp_path: Path) -> None:
    assert 1 == verify([store(CAUGHT[name](), tmp_path)]).code


def test_the_same_without_a_cheat(tmp_path: Path) -> None:
    """What the cheats are made of is accepted where nobody cheats."""
    links = ("ruling", "restore", "the disk", {"public": {"links": [3, 4]}})
    forced = ("ruling", "force-dice", "a slip", {"public": {"faces": [6]}})
    fork = (("branch", 1, 0, "same"), FIRE)
    sittings = [
        before(turn(3, links, FIRE, burn=2), turn(4)).ledger,
        before(turn(3, forced, FIRE, forced=(6,)), turn(4)).ledger,
        before(replace(turn(2, *fork), branch=1, same_dice=True), turn(3, branch=1)).ledger,
        before(named("T3.R1/attack.Metz/1/d6"), turn(4)).ledger,
        before(turn(3, *[FIRE] * 41)).ledger,
        anew(1, told=True),
    ]
    for ledger in sittings:
        found = verify([store(letters_to(ledger, DE), tmp_path)])
        assert (0, [], []) == (found.code, found.caught, found.missing)


# ------------------------------------------------------------------ what is missing is named


def mark_invented() -> Mailbox:
    """Sent by nobody, until the dice suit."""
    own = SENT[DE]
    invented = ((*own, SentMark(f"<x{n}@mail>")) for n in count())
    ledger = with_six(turn(3, letters={DE: letters}) for letters in invented)
    box = letters_to(ledger, DE)
    del box["00002-2-own.eml"], box["00002-2-receipt.eml"]
    return box


def withheld_then_anew() -> Mailbox:
    """The letter that would have announced the chain."""
    box = letters_to(anew(1, told=False), DE)
    del box["00003-result.eml"]
    return box


def recorded_after_a_gap() -> Mailbox:
    fork = (("branch", 1, 0, "same"), ("label", DE, "T2.R1/hit/1/d6", 1, 6))
    sitting = before(replace(turn(2, *fork), branch=1))
    record = sitting.ledger.records.pop()
    lines = [*record.public_lines]
    false = [{**line, "faces": [6], "by": "recorded"} if line["k"] == "roll" else line for line in lines]
    close = sitting.ledger.close({}, branch=1)
    sitting.ledger.records.append(sitting.ledger.record(close, false))
    box = letters_to(sitting.ledger, DE)
    del box["00002-result.eml"]
    return box


def reader_not_named() -> Mailbox:
    """Letters as to an observer, who has no entry."""
    ledger = before(turn(3)).ledger
    return letters_to(ledger, DE) | {"00003-result.eml": result(ledger, None, since=2)}


def letter_refused_in_silence() -> Mailbox:
    box = letters_to(before(turn(3, letters={})).ledger, DE)
    return box | {"00002-1-own.eml": dict(receipts(2, DE, SENT[DE]))["00002-1-own.eml"]}


def answers_varied_and_no_receipt() -> Mailbox:
    """Neither the receipt nor a copy of the letter is at hand."""
    box = answers_varied()
    del box["00002-1-receipt.eml"], box["00002-1-own.eml"]
    return box


NAMED: dict[str, tuple[Callable[[], Mailbox], str]] = {
    "an invented mark": (mark_invented, "MISSING receipt or copy of a letter of DE, Close 3: <x"),
    "answers varied where no receipt is": (
        answers_varied_and_no_receipt,
        "MISSING receipt or copy of a letter of DE, Close 3: <3.DE@mail>",
    ),
    "a letter withheld, then a new anchor": (
        withheld_then_anew,
        "MISSING the letter that announced the chain",
    ),
    "recorded dice after a gap": (recorded_after_a_gap, "MISSING the Close whose roll serves again"),
    "the reader's own part left out as to an observer": (reader_not_named, "MISSING the own part of DE"),
    "a letter refused in silence": (letter_refused_in_silence, "MISSING an answer to your letter <DE@mail>"),
}


@pytest.mark.parametrize("name", NAMED)
def test_one_mailbox_lacks_something_and_the_checker_says_what(name: str, tmp_path: Path) -> None:
    cheat, words = NAMED[name]
    found = verify([store(cheat(), tmp_path)])
    assert 3 == found.code, found.caught
    assert any(line.startswith(words) for line in found.missing), found.missing


def test_answers_that_no_receipt_confirms_are_shown_for_reading(tmp_path: Path) -> None:
    """The letter that ends a window has no receipt: its answers stand beside the dice they led to."""
    box = letters_to(before(on_file("A1 - F3", "HOLD")).ledger, DE)
    told = verify([store(box, tmp_path)]).lines
    assert "Close 3, on file for DE as receipted: A1 - F3 | HOLD" in told
    assert not [line for line in told if line.startswith("READ")]
    del box["00002-1-receipt.eml"]
    found = verify([store(box, tmp_path)])
    assert (0, ["READ Close 3, on file for DE not receipted: A1 - F3 | HOLD"]) == (
        found.code,
        [line for line in found.lines if line.startswith("READ")],
    )


def test_an_umpires_answer_in_its_place_is_no_alarm(tmp_path: Path) -> None:
    """It is a ruling, told in the letter; without it the same is one."""
    told = before(on_file("A1 - F3")).ledger.records[-1].close.entries[DE].answers
    ruling: Act = ("ruling", "answer-for", "asked on the telephone", {"public": {"seat": "DE"}})
    another: Act = ("ruling", "answer-for", "asked on the telephone", {"public": {"seat": "EN"}})
    for acts, code in (((ruling, FIRE), 0), ((FIRE,), 1), ((another, FIRE), 1)):
        box = letters_to(before(turn(3, *acts)).ledger, DE)
        box |= dict(receipts(2, DE, (SentMark("<3.DE@mail>", "c2ln"),), answers=told))
        assert code == verify([store(box, tmp_path)]).code


# ------------------------------------------------------------------ what one mailbox cannot show


def another_seats_mark() -> tuple[Ledger, Mailbox]:
    """France never sent it."""
    tries = ((*SENT[FR], SentMark(f"<x{n}@mail>")) for n in count())
    ledger = with_six(turn(3, letters={DE: SENT[DE], FR: letters}) for letters in tries)
    box = letters_to(ledger, FR)
    del box["00002-2-own.eml"], box["00002-2-receipt.eml"]
    return ledger, box


def test_a_mark_invented_for_another_seat_is_named_by_that_seats_letters(tmp_path: Path) -> None:
    ledger, of_france = another_seats_mark()
    assert 0 == verify([store(letters_to(ledger, DE), tmp_path / "DE")]).code
    found = verify([tmp_path / "DE", store(of_france, tmp_path / "FR")])
    assert (3, True) == (found.code, "<x" in found.missing[0])


def test_a_receipted_mark_of_another_seat_left_out_is_caught_with_that_seats_letters(tmp_path: Path) -> None:
    ledger = before(turn(3)).ledger
    of_france = letters_to(ledger, FR) | dict(receipts(2, FR, (SentMark("<late@mail>"),), first=2))
    assert 0 == verify([store(letters_to(ledger, DE), tmp_path / "DE")]).code
    assert 1 == verify([tmp_path / "DE", store(of_france, tmp_path / "FR")]).code


def test_two_players_who_are_told_otherwise_find_out_together(tmp_path: Path) -> None:
    one, other = before(turn(3)).ledger, before(turn(3, FIRE, FIRE)).ledger
    boxes = [letters_to(one, DE), letters_to(other, FR)]
    folders = [store(box, tmp_path / str(n)) for n, box in enumerate(boxes)]
    assert [0, 0] == [verify([folder]).code for folder in folders]
    assert 1 == verify(folders).code


def vacant(marks: int) -> Ledger:
    """Nobody holds France, for whom something was sent all the same."""
    sitting = before()
    sent = {DE: SENT[DE], **({FR: SENT[FR]} if marks else {})}
    sitting.play(turn(3, letters=sent, held=(EN, DE)))
    sitting.play(turn(4, FIRE, ("end",)))
    return sitting.ledger


def test_marks_of_a_seat_that_nobody_holds_show_at_the_end(tmp_path: Path) -> None:
    for marks, code in ((0, 0), (1, 1)):
        ledger = vacant(marks)
        box = letters_to(ledger, DE)
        assert 0 == verify([store(box, tmp_path)]).code
        last = letter("", publication(ledger), name="audit-1.json")
        assert code == verify([store(box | {"end.eml": last}, tmp_path)]).code


def test_at_least_forty_kinds_are_tried() -> None:
    alone = {*CAUGHT, *ROLLED_AGAIN, *SEEN_BY_A_SEAT, *IN_ONE_EXPORT}
    assert len(alone) >= 80 and len({*NAMED, *SEEN_AT_THE_END, *AT_THE_END}) >= 20
