"""Umpires' acts on a First World War campaign in a database: journaled, kept, told to all, nothing leaked."""

from __future__ import annotations

import json
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.dice import H, NoDice, Rolled
from engine.kernel.journal import codec_of
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.umpire.acts import CannotDo, Umpire, force_dice, make_ruling, may_see_all, unseal
from pbem.campaigns.umpire.branches import order_rollback
from pbem.campaigns.umpire.clock import campaign_moment, extend, hold, process, release
from pbem.campaigns.umpire.dice import UmpiresDice
from pbem.context import ServiceContext
from pbem.mail.addresses import SeatAddresses
from pbem.settings import ServiceProfile
from pbem.store.advance import frozen_close
from pbem.store.campaigns import acts, campaign_row, keys_of
from pbem.store.deadlines import due_deadlines, timetable
from pbem.store.journal import read_journal, read_records, unrecorded_lines
from pbem.store.people import give_seat, person_at, seated
from pbem.store.windows import Stamp, StoredSheet, file_sheet, open_window, read_orders
from tests.campaigns_at_hand import MAILBOX, UMPIRE, AtHand, Clock, campaign_at_hand
from tests.store.play import NAME as TOY
from tests.store.play import advance, answer_all, found_toy, play_on
from tests.stores import fresh_store


@pytest.fixture
def at(tmp_path: Path, without_maps: None) -> AtHand:
    return campaign_at_hand(tmp_path)


def rulings(at: AtHand) -> list[tuple[str, str]]:
    """Act and reason of every ruling in the journal."""
    lines = [line.data for line in read_journal(at.db, at.name)]
    return [(data["act"], data["reason"]) for data in lines if data["k"] == "ruling"]


def notices(at: AtHand) -> dict[str, str]:
    """The newest notice of each seat, as text."""
    return {seat: at.letters(seat, "notice")[0].letter.body.decode() for seat in at.seats}


def everybody_is_told(at: AtHand) -> None:
    texts = notices(at)
    assert set(at.seats) == set(texts)
    for seat, text in texts.items():
        head, _, body = text.partition("\r\n\r\n")
        others = [address for other, address in at.addresses.items() if other != seat]
        assert not [address for address in (*others, UMPIRE) if address in body]
        assert at.addresses[seat] in head


# ------------------------------------------------------------------ hold, release


def test_a_held_campaign_stands_still_and_gets_its_time_back(at: AtHand) -> None:
    window = open_window(at.db, at.name)
    assert window is not None
    before = [row.due for row in timetable(at.db, at.name, window.number)]
    hold(Umpire(at.service, at.name, "a snow storm"))
    assert "a snow storm" == campaign_row(at.db, at.name).held
    everybody_is_told(at)
    at.clock.passes(days=30)
    assert [] == due_deadlines(at.db, at.clock(), at.clock())
    release(Umpire(at.service, at.name, "it thaws"))
    after = [row.due for row in timetable(at.db, at.name, window.number)]
    assert [one.at + timedelta(days=30) for one in before] == [one.at for one in after]
    assert campaign_row(at.db, at.name).held is None
    assert [("hold", "a snow storm"), ("release", "it thaws")] == rulings(at)
    assert ["hold", "release"] == [act.act for _, act in acts(at.db, at.name)]


def test_what_is_done_already_is_not_done_again(at: AtHand) -> None:
    with pytest.raises(CannotDo, match="not suspended"):
        release(Umpire(at.service, at.name))
    hold(Umpire(at.service, at.name, "snow"))
    head = campaign_row(at.db, at.name).head
    with pytest.raises(CannotDo, match="already suspended: snow"):
        hold(Umpire(at.service, at.name, "more snow"))
    assert head == campaign_row(at.db, at.name).head


def test_a_held_campaign_can_be_released_while_a_close_is_frozen(at: AtHand) -> None:
    """After a crash in the rules the journal is settled: the act is kept and told, and has no line."""
    assert (
        load_campaign(at.db, at.name).freeze(read_orders(at.db, at.name), "deadline", at.clock()) is not None
    )
    hold(Umpire(at.service, at.name, "the rules crashed"))
    release(Umpire(at.service, at.name, "mended"))
    assert [] == rulings(at)
    assert ["hold", "release"] == [act.act for _, act in acts(at.db, at.name)]
    at.close()  # the frozen Close is carried out
    assert frozen_close(at.db, at.name) is None


# ------------------------------------------------------------------ extend, process


def test_extending_by_time_and_to_a_day(at: AtHand) -> None:
    window = open_window(at.db, at.name)
    assert window is not None
    (before,) = [d.due.at for d in timetable(at.db, at.name, window.number) if d.due.kind == "deadline"]
    assert before + timedelta(days=2) == extend(Umpire(at.service, at.name, "snow"), timedelta(days=2))
    everybody_is_told(at)
    day = (before + timedelta(days=5)).date()
    until = extend(Umpire(at.service, at.name), campaign_moment(at.db, at.name, day, None))
    assert before + timedelta(days=5) == until
    with pytest.raises(CannotDo, match="is not later"):
        extend(Umpire(at.service, at.name), before)
    assert "29 novembre 2026, 21:00 CET" in _decoded(at, "WA")  # in her own language and time


def _decoded(at: AtHand, seat: str) -> str:
    message = message_from_bytes(at.letters(seat, "notice")[0].letter.body, policy=policy.default)
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_processing_closes_the_window_with_what_is_on_file(at: AtHand) -> None:
    window = open_window(at.db, at.name)
    assert window is not None
    with pytest.raises(CannotDo, match="not T7"):
        process(Umpire(at.service, at.name), "T7")
    process(Umpire(at.service, at.name, "all are in the same room"), "T1")
    frozen = frozen_close(at.db, at.name)
    assert frozen is not None and "umpire" == frozen.why
    everybody_is_told(at)
    with pytest.raises(CannotDo, match="played right now"):
        make_ruling(Umpire(at.service, at.name), "too late")
    at.close()
    (record,) = list(read_records(at.db, at.name, after=1))
    assert "TOUCHED" in record.marks
    assert {
        "act": "process",
        "reason": "all are in the same room",
        "k": "ruling",
        "data": {},
    } in record.public_lines


# ------------------------------------------------------------------ rulings, dice


def test_a_ruling_is_told_word_for_word(at: AtHand) -> None:
    make_ruling(Umpire(at.service, at.name), "Metz  stands\nuntil spring.")
    assert [("ruling", "Metz stands until spring.")] == rulings(at)
    everybody_is_told(at)
    assert "Metz stands until spring." in _decoded(at, "DE")
    with pytest.raises(CannotDo):
        make_ruling(Umpire(at.service, at.name), "  ")


def test_forced_dice_are_told_to_all(at: AtHand) -> None:
    force_dice(Umpire(at.service, at.name, "the printed replay"), [6, 5, 4])
    everybody_is_told(at)
    assert "S, S, 4" in _decoded(at, "DE")
    at.close()
    assert [] == unrecorded_lines(at.db, at.name)
    frozen = load_campaign(at.db, at.name).freeze(read_orders(at.db, at.name), "deadline", at.clock())
    assert frozen is not None and [] == json.loads(frozen.handed)["forced"]  # spent, die or no die
    at.close()
    with pytest.raises(CannotDo):
        force_dice(Umpire(at.service, at.name), [0])


def test_forced_dice_fall_in_the_coming_close_and_only_there(tmp_path: Path) -> None:
    store = fresh_store(tmp_path)
    found_toy(store)
    service = ServiceContext(store, SeatAddresses(H("test addresses"), MAILBOX), ServiceProfile(), Clock())
    advance(store)
    shown: list[tuple[int, ...]] = []
    for _ in range(6):
        answer_all(store)
        force_dice(Umpire(service, TOY), [5, 5, 5, 5])
        advance(store)
        last = list(read_records(store, TOY))[-1]
        shown += [tuple(line["faces"]) for line in last.public_lines if line["k"] == "roll"]
        assert {"forced"} >= {line["by"] for line in last.public_lines if line["k"] == "roll"}
    assert shown and {5} == {face for faces in shown for face in faces}
    play_on(store, 100)
    later = [line for record in list(read_records(store, TOY))[7:] for line in record.public_lines]
    assert {"audited"} == {line["by"] for line in later if line["k"] == "roll"}


def test_faces_that_do_not_fit_lapse() -> None:
    class Plain(NoDice):
        source = "audited"

        def roll(self, label: str, dice: int, sides: int) -> Rolled:
            return Rolled((1,) * dice, "audited")

    dice = UmpiresDice([3, 5, 1], Plain())
    assert ((3, 5), "forced") == dice.roll("a", 2, 6)
    assert ((1, 1), "audited") == dice.roll("b", 2, 6)  # one face is left for two dice
    assert ((1,), "audited") == dice.roll("c", 1, 6)  # and is not used for a later roll
    wrong = UmpiresDice([7], Plain())
    assert ((1,), "audited") == wrong.roll("d", 1, 6)


# ------------------------------------------------------------------ rollback


def test_a_rollback_opens_a_branch_with_fresh_dice(at: AtHand) -> None:
    at.close()
    old = read_journal(at.db, at.name)
    keys = [line.data["key"] for line in old if line.data["k"] == "seam"]
    window = open_window(at.db, at.name)
    assert window is not None
    stamp = Stamp(at.clock())
    file_sheet(at.db, at.name, window.number, "WA", StoredSheet("PASS", "PASS"), stamp)
    with pytest.raises(CannotDo, match=r"has no T9\.X"):
        order_rollback(Umpire(at.service, at.name), "T9.X")
    assert keys[1] == order_rollback(Umpire(at.service, at.name, "a lost letter"), keys[1].lower())
    everybody_is_told(at)
    frozen = frozen_close(at.db, at.name)
    assert frozen is not None
    ran = load_campaign(at.db, at.name).run(frozen)
    assert ran == load_campaign(at.db, at.name).run(frozen)  # whoever comes next makes the same of it
    here = at.close()
    assert 1 == campaign_row(at.db, at.name).branch
    new = read_journal(at.db, at.name)
    fork = next(n for n, line in enumerate(old) if line.data.get("key") == keys[1])
    assert old[:fork] == new[:fork] and "branch" == new[fork].data["k"]
    assert ("rollback", "a lost letter") in [
        (line.data["act"], line.data["reason"])
        for line in read_journal(at.db, at.name, branch=0)
        if line.data["k"] == "ruling"
    ]
    assert here.pause is not None
    again = load_campaign(at.db, at.name).pause
    assert again is not None and again.window == here.pause.window
    assert [question for question, _ in again.asks] == [question for question, _ in here.pause.asks]
    at.close()
    ledger = Ledger(new[0].raw, keys_of(at.db, at.name).dice, list(read_records(at.db, at.name)))
    assert [*range(1, ledger.t + 1)] == [record.close.t for record in ledger.records]


def test_same_dice_gives_the_same_game_up_to_the_open_question(at: AtHand) -> None:
    at.close()
    before = load_campaign(at.db, at.name)
    keys = [line.data["key"] for line in read_journal(at.db, at.name) if line.data["k"] == "seam"]
    order_rollback(Umpire(at.service, at.name), keys[1], same_dice=True)
    here = at.close()
    game = here.terms.game
    assert game.dump(here.table.state) == game.dump(before.table.state)
    assert here.pause is not None and before.pause is not None
    assert here.pause.window.key == before.pause.window.key


def test_a_rollback_asks_for_orders_anew(at: AtHand) -> None:
    """Orders of the window that was played are not taken for granted: its seats are asked again."""
    first = load_campaign(at.db, at.name).pause
    at.close()
    assert first is not None
    order_rollback(Umpire(at.service, at.name), "T1")
    here = at.close()
    assert here.pause is not None and first.window.key == here.pause.window.key


# ------------------------------------------------------------------ unseal


def test_an_umpire_who_plays_sees_hidden_things_only_after_unsealing(at: AtHand) -> None:
    umpire = person_at(at.db, UMPIRE)
    assert umpire is not None
    assert may_see_all(at.db, at.name, umpire.id) and may_see_all(at.db, at.name, None)
    give_seat(at.db, at.name, "WA", umpire.id, at.clock())
    assert not may_see_all(at.db, at.name, umpire.id) and not may_see_all(at.db, at.name, None)
    unseal(Umpire(at.service, at.name, "nobody else can look", umpire.id))
    assert may_see_all(at.db, at.name, umpire.id) and may_see_all(at.db, at.name, None)
    told = [one.seat for one in seated(at.db, at.name) if at.letters(one.seat, "notice")]
    assert list(at.seats) == told


@pytest.mark.parametrize("game", ["fww", "ttlm", "trench"])
def test_letters_after_a_rollback_begin_where_the_game_went_back_to(game: str, tmp_path: Path) -> None:
    """They compared with what stood before it; the facts that they tell did not lead on from there."""
    at = campaign_at_hand(tmp_path, game=game, players=2, tempo="strict", db=fresh_store(tmp_path))
    for _ in range(4):
        at.close()
    terms, journal = load_campaign(at.db, at.name).terms, read_journal(at.db, at.name)
    state, _ = terms.game.set_up(terms.pack, terms.settings)
    codec, seams = codec_of(terms.game), [line for line in journal if line.data["k"] == "seam"]
    fork = seams[len(seams) // 2]
    for line in journal[: journal.index(fork)]:
        if line.data["k"] == "fact":
            codec.fact(line.data).apply(state)
    order_rollback(Umpire(at.service, at.name, "a lost letter"), fork.data["key"])
    frozen = frozen_close(at.db, at.name)
    assert frozen is not None
    ran = load_campaign(at.db, at.name).run(frozen)
    assert ran.began is not None and ran.began.key == fork.data["key"]
    for seat in (*terms.seats, Seat("")):
        assert ran.before[seat] == terms.game.view(state, seat)
