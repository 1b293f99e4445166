"""Entries, Closes, who reads what, seals and heads, exports."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from engine.kernel.errors import DiceError
from engine.kernel.fairness.audit import Close, Entry, Ledger, Secrets, SentMark
from engine.kernel.fairness.dice import MAC, Chain, H, faces, shuffle_items
from engine.kernel.fairness.export import audit_block, audit_json, publication, seat_export, umpire_export
from engine.kernel.fairness.history import throws
from engine.kernel.journal import canonical
from engine.kernel.requests import Seat
from engine.kernel.visibility import UMPIRE, is_touch
from pbem.verify_dice import is_proved
from tests.kernel.audited_campaign import (
    CARDS,
    SEATS,
    Act,
    Advance,
    new_ledger,
    played,
    script_of,
    whole_campaign,
)

EN, DE, FR = SEATS
LETTER = SentMark("<1@mail>", "b64=", "over the top")
ROLL = {"k": "roll", "seat": "DE", "label": "T1/fire/1/d6", "sides": 6, "faces": [3], "by": "audited"}


def hexes(text: str) -> list[str]:
    return re.findall(r"\b[0-9a-f]{64}\b", text)


# ------------------------------------------------------------------ entries


def test_a_mark_is_made_of_message_id_signature_and_salt() -> None:
    assert H("mark", "<1@mail>", "b64=", "over the top") == LETTER.mark
    assert LETTER.mark != SentMark("<1@mail>", "b64=").mark


def test_an_entry_holds_marks_in_order_and_the_digest_of_the_answers() -> None:
    entry = Entry.of([LETTER, SentMark("<2@mail>")], ["A1 - F3", "HOLD"])
    answers = H("answers", "A1 - F3", "HOLD")
    assert answers.hex() == entry.answers
    assert H("entry", answers, LETTER.mark, SentMark("<2@mail>").mark) == entry.digest
    assert Entry.of([SentMark("<2@mail>"), LETTER], ["A1 - F3", "HOLD"]).digest != entry.digest


def test_an_erased_entry_still_has_its_digest_and_nothing_else() -> None:
    entry = Entry.of([LETTER], ["A1 - F3"])
    assert entry.digest == entry.erased().digest
    assert "mail" not in json.dumps(entry.erased().dump())
    assert entry == Entry.load(json.loads(json.dumps(entry.dump())))
    assert entry.erased() == Entry.load(entry.erased().dump())


# ------------------------------------------------------------------ the Close


def test_a_transcript_holds_what_the_protocol_says_and_nothing_more() -> None:
    ledger = new_ledger(1)
    close = ledger.close({DE: Entry.of([LETTER], ["A1"])}, branch=2)
    keys = {seat: MAC(ledger.secrets.seal_key, "seat", 1, seat) for seat in SEATS}
    entries = {seat: Entry.of([LETTER], ["A1"]) if seat == DE else Entry.of() for seat in SEATS}
    assert {
        "v": 2,
        "anchor": ledger.secrets.chain.anchor.hex(),
        "t": 1,
        "branch": 2,
        "prev": sha256(ledger.opening).hexdigest(),
        "entries": {seat: MAC(keys[seat], "entry", entries[seat].digest).hex() for seat in SEATS},
        "beacon": None,
    } == json.loads(close.transcript)
    assert canonical(json.loads(close.transcript)) == close.transcript


def test_each_transcript_points_back_to_the_one_before() -> None:
    records = whole_campaign().records
    for before, after in pairwise(records):
        assert before.close.digest.hex() == json.loads(after.close.transcript)["prev"]


def test_seed_and_sealed_come_from_link_seal_key_and_transcript() -> None:
    ledger = new_ledger(1)
    close = ledger.close({})
    seed = MAC(ledger.secrets.chain.link(1), "seed", sha256(close.transcript).digest())
    sealed = MAC(ledger.secrets.seal_key, "sealed", sha256(close.transcript).digest())
    assert faces(seed, "T1/fire/1/d6", 3, 6) == ledger.dice(close).roll("T1/fire/1/d6", 3, 6).faces
    order = ledger.dice(close).shuffle("T1/deck/1/shuffle", CARDS)
    assert shuffle_items(sealed, "T1/deck/1/shuffle", CARDS) == order.order


def test_the_same_letters_give_the_same_dice_and_one_letter_more_gives_others() -> None:
    ledger = new_ledger(1)
    one, again = ledger.close({DE: Entry.of([LETTER])}), ledger.close({DE: Entry.of([LETTER])})
    other = ledger.close({DE: Entry.of([LETTER, SentMark("<2@mail>")])})
    assert one.transcript == again.transcript
    assert ledger.dice(one).roll("x", 20, 6) == ledger.dice(again).roll("x", 20, 6)
    assert ledger.dice(one).roll("x", 20, 6) != ledger.dice(other).roll("x", 20, 6)


def test_a_run_that_crashed_is_run_again_from_the_stored_close() -> None:
    ledger = new_ledger(1)
    close = ledger.close({DE: Entry.of([LETTER], ["A1"])})
    stored = Close.load(close.dump())
    assert close == stored
    assert ledger.record(close, [ROLL]) == ledger.record(stored, [ROLL])
    assert ledger.dice(close).roll("x", 20, 6) == ledger.dice(stored).roll("x", 20, 6)


def test_strangers_and_a_seat_called_umpire_are_refused() -> None:
    ledger = new_ledger(1)
    with pytest.raises(DiceError, match="no seat US"):
        ledger.close({Seat("US"): Entry.of()})
    header = {"k": "open", "seats": ["umpire"], **ledger.secrets.commitments}
    with pytest.raises(DiceError, match="umpire"):
        Ledger(canonical(header), ledger.secrets)


def test_a_wrong_seal_key_is_noticed() -> None:
    ledger = new_ledger(1)
    with pytest.raises(DiceError, match="seal key"):
        Ledger(ledger.opening, Secrets(ledger.secrets.chain, H("another")))


def test_the_chain_ends_before_anything_is_frozen() -> None:
    ledger = new_ledger(1, length=3)
    with pytest.raises(DiceError, match="no link 4"):
        ledger.close({}, burn=3)


def test_burnt_links_are_never_used() -> None:
    ledger = new_ledger(1, length=2000)
    close = ledger.close({}, burn=1000)
    record = ledger.record(close, [])
    assert (1001, ledger.secrets.chain.link(1001).hex()) == (close.t, record.link)


def test_a_close_is_recorded_once() -> None:
    ledger = new_ledger(1)
    close = ledger.close({})
    ledger.records.append(ledger.record(close, []))
    with pytest.raises(DiceError, match="already"):
        ledger.record(close, [])


def test_secrets_are_not_printed() -> None:
    ledger = whole_campaign()
    shown = repr(ledger.secrets) + repr(ledger.records[0])
    assert ledger.secrets.seal_key.hex() not in shown
    assert repr(ledger.secrets.seal_key) not in shown
    assert "MineLaid" not in shown and "@mail" not in shown


# ------------------------------------------------------------------ who reads what


def told(*lines: Mapping[str, Any]) -> tuple[list[Any], dict[str, list[Any]]]:
    """The public lines, and each reader's private ones where there are any."""
    ledger = new_ledger(1)
    record = ledger.record(ledger.close({}), lines)
    private = {reader: json.loads(text) for reader, text in record.private.items()}
    return record.public_lines, {reader: lines for reader, lines in private.items() if lines}


def test_a_roll_is_public_and_numbered() -> None:
    assert ([{**ROLL, "n": 1}, {**ROLL, "n": 2}], {}) == told(ROLL, ROLL)


def test_a_public_fact_is_public() -> None:
    fact = {"k": "fact", "fact": "TownTaken", "data": {"town": "Metz"}}
    assert ([fact], {}) == told(fact)


def test_a_private_fact_goes_to_its_readers_and_what_others_learn_to_all() -> None:
    fact = {"k": "fact", "fact": "TileDrawn", "data": {"tile": "gas"}}
    line = {**fact, "to": ["DE", "EN"], "others": {"fact": "SomethingDrawn", "data": {"tiles": 1}}}
    others = {"k": "fact", "fact": "SomethingDrawn", "data": {"tiles": 1}}
    assert ([others], {"DE": [fact], "EN": [fact]}) == told(line)
    assert ([], {UMPIRE: [fact]}) == told({**fact, "to": []})


def test_an_answer_is_its_seats_own() -> None:
    answer = {"k": "answer", "seat": "FR", "topic": "move", "at": "T1", "by": "sheet", "answer": "F3"}
    assert ([], {"FR": [answer]}) == told(answer)


def test_of_a_draw_its_seat_learns_the_items_and_not_the_cup() -> None:
    line = {
        "k": "draw",
        "seat": "DE",
        "label": "T1/tile/1/draw",
        "from": ["a", "b"],
        "items": ["b"],
        "by": "audited",
    }
    own = {name: value for name, value in line.items() if name != "from"}
    assert ([], {"DE": [own], UMPIRE: [line]}) == told(line)


def test_of_a_shuffle_everyone_learns_label_and_root() -> None:
    line = {"k": "shuffle", "label": "T1/deck/1/shuffle", "order": ["b", "a"], "root": "00", "by": "audited"}
    shown = {name: value for name, value in line.items() if name != "order"}
    assert ([shown], {UMPIRE: [line]}) == told(line)


def test_of_a_ruling_everyone_learns_act_reason_and_what_is_meant_to_be_public() -> None:
    line = {
        "k": "ruling",
        "act": "answer",
        "reason": "absent",
        "data": {"answer": "A7", "public": {"seat": "DE"}},
    }
    shown = {"k": "ruling", "act": "answer", "reason": "absent", "data": {"seat": "DE"}}
    assert ([shown], {UMPIRE: [line]}) == told(line)
    bare = {"k": "ruling", "act": "extend", "reason": "storm", "data": {"hidden": 1}}
    assert {} == told(bare)[0][0]["data"]


def test_branches_and_the_end_are_public() -> None:
    lines: list[dict[str, Any]] = [
        {"k": "branch", "n": 1, "from": 0, "dice": "fresh", "reason": "agreed"},
        {"k": "end", "winners": ["DE"], "reason": "points", "scores": {"DE": 3}},
    ]
    assert (lines, {}) == told(*lines)


@pytest.mark.parametrize("kind", ["pause", "close", "snapshot", "something-new"])
def test_what_nobody_decided_to_show_is_the_umpires(kind: str) -> None:
    assert ([], {UMPIRE: [{"k": kind, "x": 1}]}) == told({"k": kind, "x": 1})


def test_the_opening_is_in_no_record() -> None:
    assert ([], {}) == told({"k": "open", "v": 2})


def test_test_dice_cannot_be_audited() -> None:
    with pytest.raises(DiceError, match="test dice"):
        told({**ROLL, "by": "test"})


@pytest.mark.parametrize(
    ("line", "touched"),
    [
        (ROLL, False),
        ({**ROLL, "by": "forced"}, True),
        ({**ROLL, "by": "recorded"}, True),
        ({"k": "draw", "by": "forced"}, True),
        ({"k": "shuffle", "by": "recorded"}, True),
        ({"k": "shuffle", "by": "audited"}, False),
        ({"k": "answer", "by": "umpire"}, True),
        ({"k": "answer", "by": "recorded"}, True),
        ({"k": "answer", "by": "forced"}, False),
        ({"k": "answer", "by": "default"}, False),
        ({"k": "ruling"}, True),
        ({"k": "branch"}, True),
        ({"k": "fact"}, False),
        ({"k": "seam"}, False),
    ],
)
def test_what_touches_a_window(line: dict[str, Any], touched: bool) -> None:
    assert touched == is_touch(line)


def test_windows_are_marked_unsalted_and_touched() -> None:
    ledger = new_ledger(1)
    assert ("UNSALTED",) == ledger.record(ledger.close({}), []).marks
    assert ("UNSALTED",) == ledger.record(ledger.close({DE: Entry.of([], ["on file"])}), []).marks
    salted = ledger.close({DE: Entry.of([LETTER])})
    assert () == ledger.record(salted, [ROLL]).marks
    assert ("TOUCHED",) == ledger.record(salted, [{**ROLL, "by": "forced"}]).marks


# ------------------------------------------------------------------ openings


def test_a_card_is_proved_against_the_shuffle_it_was_drawn_from() -> None:
    """A hand survives a reshuffle: the opening names the root of its own pile."""
    ledger = new_ledger(1)
    first = ledger.close({})
    mixed = ledger.dice(first).shuffle("T1/deck/1/shuffle", CARDS)
    line = {"k": "shuffle", "label": "T1/deck/1/shuffle", "order": list(mixed.order), "root": mixed.root}
    ledger.records.append(ledger.record(first, [{**line, "by": "audited"}]))
    second = ledger.close({})
    again = ledger.dice(second).shuffle("T2/deck/1/shuffle", CARDS)
    new = {"k": "shuffle", "label": "T2/deck/1/shuffle", "order": list(again.order), "root": again.root}
    wanted = [{"k": "opening", "root": mixed.root, "position": 4, "to": ["DE"]}]
    wanted += [{"k": "opening", "root": again.root, "position": 0}]
    record = ledger.record(second, [{**new, "by": "audited"}, *wanted])
    (own,) = json.loads(record.private[DE])
    public = record.public_lines[1]
    for opening, pile, position in ((own, mixed, 4), (public, again, 0)):
        assert (pile.order[position], pile.root, 13) == (opening["card"], opening["root"], opening["size"])
        assert is_proved(opening)
    assert "[]" == record.private[EN].decode() == record.private[FR].decode()


def test_no_card_of_an_unknown_pile_is_opened() -> None:
    with pytest.raises(DiceError, match="no pile"):
        told({"k": "opening", "root": "00" * 32, "position": 0})


# ------------------------------------------------------------------ seals and heads


def test_heads_and_seals_are_those_of_the_protocol() -> None:
    ledger = whole_campaign()
    head = H("head", ledger.opening)
    for record in ledger.records:
        seals = []
        for reader in ("EN", "DE", "FR", "umpire"):  # seat order, the umpire last
            key = MAC(ledger.secrets.seal_key, "seat", record.close.t, reader)
            seals.append(MAC(key, "private", record.private[reader]))
            assert seals[-1].hex() == record.seals[reader]
        head = H("head", head, record.public, *seals)
        assert head.hex() == record.head
        assert record.close.digest.hex() == json.loads(record.public)["T"]
    assert head == ledger.head


def test_rolls_are_numbered_through_all_branches() -> None:
    rows = list(throws(whole_campaign().records))
    assert list(range(1, len(rows) + 1)) == [row.number for row in rows]
    assert whole_campaign().rolls == len(rows)
    assert {"audited", "forced", "recorded"} == {row.source for row in rows}


def test_a_ledger_taken_up_again_goes_on_as_if_nothing_had_been() -> None:
    ledger = whole_campaign()
    again = Ledger(ledger.opening, ledger.secrets, list(ledger.records))
    assert umpire_export(ledger) == umpire_export(again)
    assert ledger.close({}).transcript == again.close({}).transcript


def test_a_new_anchor_goes_on_with_its_first_link() -> None:
    ledger = played(3, script_of(3, length=1)[:2])
    new = Secrets(Chain(H("new chain"), 64), ledger.secrets.seal_key, first=ledger.t + 1)
    ledger.secrets = new
    close = ledger.close({})
    assert new.chain.link(1).hex() == ledger.record(close, []).link
    assert new.chain.anchor.hex() == json.loads(close.transcript)["anchor"]


# ------------------------------------------------------------------ exports


def marked_window(seat: Seat) -> Advance:
    """A window in which everything of that seat bears its name."""
    acts: tuple[Act, ...] = (
        ("answer", seat, "sheet", f"answer of {seat}"),
        ("secret", "MineLaid", {"by": f"mine of {seat}"}, [seat], {"mines": 1}),
        ("draw", seat, "tile", (f"tile of {seat}", f"rest of {seat}"), 1),
    )
    letters = {seat: (SentMark(f"<id of {seat}@mail>", f"signature of {seat}", f"salt of {seat}"),)}
    return Advance(f"T-{seat}", acts, letters, {seat: (f"order of {seat}",)})


def test_a_seats_export_holds_nothing_of_another_seat() -> None:
    ledger = played(4, (*map(marked_window, SEATS), Advance("T9", (("roll", DE, "fire", 1, 6),))))
    everything = ("answer", "mine", "id", "signature", "salt", "order")
    for seat in SEATS:
        text = seat_export(ledger, seat)
        assert all(f"{what} of {seat}" in text for what in everything)
        for other in SEATS:
            assert other == seat or f" of {other}" not in text
        for record in ledger.records:
            for reader in (*SEATS, UMPIRE):
                assert (reader == seat) == (ledger.secrets.key(record.close.t, reader).hex() in text)
            for other, entry in record.close.entries.items():
                assert other == seat or not {*entry.marks, entry.digest.hex()} & {*hexes(text)}
            assert ledger.secrets.sealed(record.close.transcript).hex() not in text
        assert ledger.secrets.seal_key.hex() not in text
        assert ledger.secrets.link(ledger.t + 1).hex() not in text


def test_a_seats_export_does_not_tell_what_a_cup_or_a_pile_held() -> None:
    text = seat_export(whole_campaign(), DE)
    assert '\\"from\\":[' not in text and '\\"order\\"' not in text


def hidden_twin(script: tuple[Advance, ...]) -> tuple[Advance, ...]:
    """The same public course with other hidden things: more private facts, longer answers, other orders."""
    twin = []
    for number, advance in enumerate(script):
        more: tuple[Act, ...] = (("secret", "MineLaid", {"at": "F1"}, ["EN"], None),) * (number % 3 + 1)
        more += (("answer", EN, "sheet", "a much longer answer than before"),)
        texts = {**advance.texts, EN: ("another order",)}
        twin.append(replace(advance, acts=(*advance.acts, *more), texts=texts))
    return tuple(twin)


def test_two_worlds_give_another_seat_exports_that_differ_in_hashes_only() -> None:
    """Seals, blinded entries, links and heads are compared by presence and length; dice fall otherwise."""
    script = tuple(
        replace(a, acts=tuple(x for x in a.acts if x[0] not in ("roll", "draw"))) for a in script_of(9, 3)
    )
    script = tuple(replace(a, forced=(), same_dice=False) for a in script)
    one, other = seat_export(played(9, script), DE), seat_export(played(9, hidden_twin(script)), DE)
    assert one != other

    def masked(text: str) -> str:
        return re.sub(r'"card\\":\\"C..', '"card', re.sub(r"[0-9a-f]{64}", "#", text))

    assert masked(one) == masked(other)


def test_a_letter_holds_the_closes_since_the_readers_last_letter() -> None:
    ledger = whole_campaign()
    for since in (0, 1, 5, ledger.t - 1):
        closes = json.loads(audit_json(ledger, DE, since))["closes"]
        assert [r.close.t for r in ledger.records if r.close.t > since] == [
            json.loads(close["T"])["t"] for close in closes
        ]
    repeated = json.loads(audit_json(ledger, DE, ledger.t))["closes"]
    assert [ledger.t] == [json.loads(close["T"])["t"] for close in repeated]


def test_the_invitation_holds_the_opening_alone() -> None:
    document = json.loads(audit_json(new_ledger(1), DE))
    assert ([], {"anchor", "seal"}) == (
        document["closes"],
        {"anchor", "seal"} & set(json.loads(document["open"])),
    )


def test_an_observer_gets_the_public_part() -> None:
    closes = json.loads(audit_json(whole_campaign(), None))["closes"]
    assert all(
        {"T", "link", "P", "head"} == {n for n in close if not n.startswith("seal ")} for close in closes
    )
    with pytest.raises(DiceError):
        audit_json(whole_campaign(), Seat("US"))


def test_an_erased_player_leaves_hashes() -> None:
    ledger = played(3, script_of(3, length=2))
    for number, record in enumerate(ledger.records):
        entries = {seat: entry.erased() for seat, entry in record.close.entries.items()}
        ledger.records[number] = replace(record, close=replace(record.close, entries=entries))
    assert "@mail" not in seat_export(ledger, DE)


def test_nothing_is_published_before_the_end() -> None:
    ledger = whole_campaign()
    assert umpire_export(ledger) == publication(ledger)
    running = Ledger(ledger.opening, ledger.secrets, ledger.records[:-1])
    with pytest.raises(DiceError, match="before the end"):
        publication(running)
    with pytest.raises(DiceError, match="before the end"):
        publication(new_ledger(1))


def test_a_publication_names_no_letter() -> None:
    assert "@mail" not in publication(whole_campaign())


def test_the_audit_block_is_short() -> None:
    ledger = whole_campaign()
    last = ledger.records[-1]
    block = audit_block(ledger, since=ledger.records[-2].close.t)
    assert ((last.close.t, last.link, last.marks),) == block.closes
    assert ledger.head.hex() == block.head
    assert [row.number for row in throws([last])] == [row.number for row in block.throws]
