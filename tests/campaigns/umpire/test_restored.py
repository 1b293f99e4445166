"""A backup was restored: no link that a letter may have shown is used again, and everybody is told."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from engine.games import game
from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import Chain
from engine.kernel.fairness.export import seat_export, umpire_export
from engine.kernel.records import ARMISTICE
from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.outages import SWEEP
from pbem.campaigns.replay import replay_stored
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.branches import order_rollback
from pbem.campaigns.umpire.clock import process
from pbem.campaigns.umpire.restore import BURNT, RESTORE, resume_from_backup
from pbem.intake.receive import receive_letter
from pbem.store.advance import Frozen, frozen_close
from pbem.store.campaigns import acts, all_keys, campaign_row
from pbem.store.deadlines import record_pulse
from pbem.store.journal import read_journal, read_records
from pbem.store.outbox import next_number, next_number_of_person
from pbem.store.people import person_at
from pbem.store.schema_mail import marks, outbox
from pbem.store.session import reading
from pbem.store.windows import read_orders
from pbem.verify_dice import verify
from tests import campaigns_at_hand
from tests.campaigns_at_hand import NAME, UMPIRE, AtHand, campaign_at_hand, found_campaign
from tests.stores import fresh_store

ALL = ("WA", "EA", "DE", "GA")


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_maps: None) -> AtHand:
    """Its chain is longer than those of other tests, which are shorter than what is burnt."""
    monkeypatch.setattr(campaigns_at_hand, "Chain", lambda secret, _: Chain(secret, 8192))
    return campaign_at_hand(tmp_path, db=fresh_store(tmp_path))


def verified(at: AtHand, folder: Path) -> list[str]:
    """What the checker says of everybody's exports; they all fit."""
    taken, lines = load_campaign(at.db, at.name), []
    ledger = Ledger(taken.ledger.opening, taken.keys.dice, list(read_records(at.db, at.name)))
    exports = {"umpire": umpire_export(ledger)} | {seat: seat_export(ledger, Seat(seat)) for seat in at.seats}
    for name, text in exports.items():
        path = folder / f"{name}.json"
        path.write_text(text)
        report = verify([path])
        assert (0, [], []) == (report.code, report.caught, report.unreadable), name
        lines += report.lines
    return lines


def told(at: AtHand, seat: str | None) -> str:
    """The newest notice to a seat; None: to the umpire."""
    found = [one for one in at.letters(seat, "notice") if seat or one.letter.recipient == UMPIRE]
    body = message_from_bytes(found[0].letter.body, policy=policy.default).get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


def frozen(at: AtHand) -> Frozen:
    found = frozen_close(at.db, at.name)
    assert found is not None
    return found


def last_marks(at: AtHand) -> tuple[str, ...]:
    return list(read_records(at.db, at.name))[-1].marks


# ------------------------------------------------------------------ links


def test_the_next_close_passes_over_a_thousand_links_and_is_marked(at: AtHand, tmp_path: Path) -> None:
    before = campaign_row(at.db, NAME).t
    resume_from_backup(at.service, {})
    assert BURNT == campaign_row(at.db, NAME).burn
    at.close()
    assert (before + BURNT + 1, 0) == (campaign_row(at.db, NAME).t, campaign_row(at.db, NAME).burn)
    assert "TOUCHED" in last_marks(at)
    at.close()
    assert before + BURNT + 2 == campaign_row(at.db, NAME).t and "TOUCHED" not in last_marks(at)
    lines = verified(at, tmp_path)
    given = f"links {before + 1} to {before + BURNT} before it given up"
    assert f"Close {before + BURNT + 1}: {given}" in lines
    assert f"Close {before + BURNT + 1}: TOUCHED" in lines
    replay_stored(at.db, NAME)


def test_all_that_was_played_since_is_passed_over_as_well(at: AtHand) -> None:
    before = campaign_row(at.db, NAME).t
    resume_from_backup(at.service, {NAME: before + 70})
    assert BURNT + 70 == campaign_row(at.db, NAME).burn
    resume_from_backup(at.service, {NAME: before + BURNT + 73})  # a backup of what was just restored
    assert 2 * BURNT + 73 == campaign_row(at.db, NAME).burn


def test_rollbacks_and_the_end_pass_over_them_too(at: AtHand, tmp_path: Path) -> None:
    at.close()
    resume_from_backup(at.service, {})
    before = campaign_row(at.db, NAME).t
    key = next(line.data["key"] for line in read_journal(at.db, NAME) if line.data["k"] == "seam")
    order_rollback(Umpire(at.service, NAME), key)
    assert before + BURNT + 1 == frozen(at).close.t
    assert adjudicate(at.service, NAME)
    resume_from_backup(at.service, {})
    before = campaign_row(at.db, NAME).t
    load_campaign(at.db, NAME).freeze_end(read_orders(at.db, NAME), ARMISTICE, at.seats, at.clock())
    assert before + BURNT + 1 == frozen(at).close.t
    assert adjudicate(at.service, NAME) and "over" == campaign_row(at.db, NAME).state
    verified(at, tmp_path)
    resume_from_backup(at.service, {})
    assert 0 == campaign_row(at.db, NAME).burn  # nothing more is rolled there


def test_in_the_lobby_as_well(at: AtHand) -> None:
    """The game may have begun after the backup: its first link is out."""
    found_campaign(at.service, "FWW-2")
    resume_from_backup(at.service, {})
    assert [RESTORE] == [act.act for _, act in acts(at.db, "FWW-2")]
    here = load_campaign(at.db, "FWW-2")
    opening = here.freeze(read_orders(at.db, "FWW-2"), "opening", at.clock())
    assert opening is not None and BURNT + 1 == opening.close.t


# ------------------------------------------------------------------ a Close that was frozen


@pytest.mark.parametrize("kind", ["process", "rollback", "opening"])
def test_a_frozen_close_is_frozen_anew(at: AtHand, tmp_path: Path, kind: str) -> None:
    if kind == "opening":
        at.name = "FWW-2"
        found_campaign(at.service, at.name)
        load_campaign(at.db, at.name).freeze(read_orders(at.db, at.name), "opening", at.clock())
    elif kind == "rollback":
        at.close()
        key = next(line.data["key"] for line in read_journal(at.db, NAME) if line.data["k"] == "seam")
        order_rollback(Umpire(at.service, NAME), key)
    else:
        process(Umpire(at.service, NAME))
    old = frozen(at)
    resume_from_backup(at.service, {at.name: old.close.t})
    new = frozen(at)
    assert old.close.t + BURNT == new.close.t - 1 and old.close.transcript != new.close.transcript
    same = ("why", "window", "handed", "branch")
    assert [getattr(old, one) for one in same] == [getattr(new, one) for one in same]
    assert old.close.entries == new.close.entries
    assert adjudicate(at.service, at.name)
    assert new.close.t == campaign_row(at.db, at.name).t and 0 == campaign_row(at.db, at.name).burn
    assert kind == "opening" or "TOUCHED" in last_marks(at)
    verified(at, tmp_path)


def test_letters_of_a_frozen_close_go_with_it(at: AtHand) -> None:
    receive_letter(at.service, at.arrives(at.reply("WA", "READY")), "one")
    process(Umpire(at.service, NAME))
    resume_from_backup(at.service, {})
    with reading(at.db) as tx:
        assert [frozen(at).close.t] == list(tx.execute(select(marks.c.t)).scalars())


# ------------------------------------------------------------------ the end of the chain


def test_near_its_end_another_chain_begins_and_is_announced(tmp_path: Path, without_maps: None) -> None:
    at = campaign_at_hand(tmp_path)  # 512 links
    process(Umpire(at.service, NAME))
    resume_from_backup(at.service, {})
    first, new = all_keys(at.db, NAME)
    assert first.dice.seal_key == new.dice.seal_key and first.dice.chain.anchor != new.dice.chain.anchor
    assert new.dice.chain.anchor.hex() in told(at, "WA").replace(" ", "")
    assert adjudicate(at.service, NAME)
    at.close()
    assert 512 < campaign_row(at.db, NAME).t + 1  # the old chain's last link announced the new one
    verified(at, tmp_path)
    resume_from_backup(at.service, {})
    at.close()
    assert 2 == len(all_keys(at.db, NAME))  # the new one is long enough
    verified(at, tmp_path)


def test_another_chain_is_announced_while_links_are_left(
    tmp_path: Path, without_maps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same backup restored once more takes other links, not the last one again."""
    monkeypatch.setattr("pbem.campaigns.umpire.restore.BURNT", 60)
    at = campaign_at_hand(tmp_path)  # 512 links
    announced = []
    for _ in range(8):
        resume_from_backup(at.service, {})
        announced += [campaign_row(at.db, NAME).burn] * (len(all_keys(at.db, NAME)) - 1)
    assert [420, 480] == announced
    at.close()
    at.close()
    verified(at, tmp_path)


def test_a_chain_that_nobody_has_used_yet_is_given_up_as_a_whole(tmp_path: Path, without_maps: None) -> None:
    """It was to follow a Close whose link may be out if the backup is restored once more."""
    at = campaign_at_hand(tmp_path)
    for _ in range(2):
        resume_from_backup(at.service, {})
    at.close()
    at.close()
    first, new = all_keys(at.db, NAME)  # one that was announced for a Close that is never run is dropped
    assert first.dice.chain.anchor != new.dice.chain.anchor
    verified(at, tmp_path)


# ------------------------------------------------------------------ telling


def test_every_seat_and_the_umpire_are_told(at: AtHand) -> None:
    record_pulse(at.db, SWEEP, at.clock())
    resume_from_backup(at.service, {}, "the disk failed")
    for seat in (*ALL, None):
        words = told(at, seat)
        assert "the disk failed" in words and f"{BURNT} " in words and "TOUCHED" in words
    assert "no longer count" in told(at, "EA") and "17 November 2026" in told(at, "EA")
    assert "ne comptent plus" in told(at, "WA") and "17 novembre 2026" in told(at, "WA")
    ((_, act),) = acts(at.db, NAME)
    assert (RESTORE, "the disk failed", {"links": [2, BURNT + 1]}, None) == (
        act.act,
        act.reason,
        act.data,
        act.person,
    )
    assert RESTORE == read_journal(at.db, NAME)[-1].data["act"]


def test_without_a_reason_the_backup_is_reason_enough(at: AtHand) -> None:
    resume_from_backup(at.service, {})
    assert "restored from a backup" in told(at, "EA") and "no reason" not in told(at, "EA")


def test_no_letter_gets_a_message_id_that_is_out(at: AtHand) -> None:
    """Mail programs drop a second letter of the same name; and what would CONFIRM answer?"""
    person = person_at(at.db, UMPIRE)
    assert person is not None
    before = [next_number(at.db, NAME, "WA", kind) for kind in ("notice", "result", "press")]
    resume_from_backup(at.service, {})
    after = [next_number(at.db, NAME, "WA", kind) for kind in ("notice", "result", "press")]
    assert all(new > old + BURNT for old, new in zip(before, after, strict=True))
    assert next_number_of_person(at.db, person.id, NAME, "answer") > BURNT
    at.close()
    with reading(at.db) as tx:
        mine = (outbox.c.campaign == NAME, outbox.c.seat == "WA", outbox.c.kind == "result")
        assert after[1] == tx.execute(select(func.max(outbox.c.number)).where(*mine)).scalar_one()


def test_a_campaign_of_other_rules_loses_its_links_all_the_same(at: AtHand, monkeypatch: Any) -> None:
    process(Umpire(at.service, NAME))
    old = frozen(at)
    rules: Any = type(game("fww"))
    with monkeypatch.context() as patch:
        patch.setattr(rules, "rules_version", "3")
        resume_from_backup(at.service, {})
        assert "no longer count" in told(at, "EA")
    assert old.close.t + BURNT == frozen(at).close.t
    assert [RESTORE] == [act.act for _, act in acts(at.db, NAME)][-1:]
    assert adjudicate(at.service, NAME)
