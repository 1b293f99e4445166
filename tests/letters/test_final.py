"""The end: everything opened, the luck account, files that the one-file checker takes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.fairness.export import audit_block, audit_json, publication
from engine.kernel.fairness.history import throws
from engine.kernel.fairness.luck import luck
from engine.kernel.requests import Seat
from pbem.letters.course import CHART, course_rows
from pbem.letters.dice import roll_lines
from pbem.letters.enclosures import audit_enclosure, dice_enclosure, publication_enclosures
from pbem.letters.final import Final, disclose, final_letter, more_files_memo
from pbem.letters.memo import memo_letter
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import view_text
from pbem.mail.compose import Correspondent, Draft, compose
from pbem.verify_dice import verify
from tests.letters.finished import finished
from tests.letters.letters_read import FWW, PACK, Page, check_letter, plain, words
from tests.letters.test_letters import WINTER
from tests.pictures import with_drawings

both = pytest.mark.parametrize("language", LANGUAGES)
LETTER = 300_000


@pytest.fixture
def painted() -> None:
    """The test weighs the pictures."""


@pytest.fixture(autouse=True)
def drawings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else looks at them."""
    if "painted" not in request.fixturenames:
        with_drawings(monkeypatch)


def final(seat: str = "WA", **changes: Any) -> Final:
    done = finished()
    whole = Final(
        campaign="FWW-7",
        view=done.views[Seat(seat)],
        outcome=done.outcome,
        happened=done.last,
        views=tuple(done.views.values()),
        opened=disclose(done.ledger),
        luck=luck(done.staked),
        past=done.past,
        players={"WA": "Jeanne <b>", "DE": "Max"},
    )
    return replace(whole, **changes)


def board(seat: str, language: Any) -> str:
    return view_text(FWW, finished().views[Seat(seat)], words(language))


@both
@pytest.mark.parametrize("seat", ["WA", "EA", "DE", "GA"])
def test_every_seat_gets_the_final_letter(language: Any, seat: str) -> None:
    written = final_letter(FWW, final(seat), words(language))
    check_letter(written, board=board(seat, language))
    assert "FWW-7" in written.subject and written.pictures[0].name == "map.png"
    assert "Jeanne <b>" in Page(written.html).text and "Jeanne &lt;b&gt;" in written.html


@both
def test_it_tells_how_it_ended_and_the_score(language: Any) -> None:
    done, text = finished(), plain(final_letter(FWW, final(), words(language)).text)
    assert words(language).outcome(done.outcome) in text
    assert words(language).verdict(done.outcome) in text
    for who, points in done.outcome.scores.items():
        named = words(language).say("final", "seat", {"id": who})
        assert f"{named} {points}" in text


@both
def test_its_headline_says_what_the_end_is_to_the_reader(language: Any) -> None:
    (winner,), seats = finished().outcome.winners, finished().terms.seats
    told = {
        seat: final_letter(FWW, final(seat), words(language)).html.partition("</h1>")[0] for seat in seats
    }
    won, lost = {"en": ("You have won", "You have lost"), "fr": ("Vous avez gagné", "Vous avez perdu")}[
        language
    ]
    assert all((won if seat == winner else lost) in plain(head) for seat, head in told.items())


@both
def test_it_tells_the_course_turn_by_turn_with_the_score(language: Any) -> None:
    done, written = finished(), final_letter(FWW, final(), words(language))
    text = plain(written.text)
    assert [one.turn for one in done.past] == ["T1", "T2", "T3", "T4", "T5"]
    last = done.past[-1].standing
    assert last == {side: done.outcome.scores[side] for side in ("ALLIES", "CENTRAL")}
    for row in course_rows(FWW, done.past, words(language)):
        assert plain(" ".join((row.turn, *row.scores, row.events.split(";")[0][:20]))) in text
    assert written.pictures[-1].name == CHART and f"cid:{CHART}" in Page(written.html).loaded


@both
def test_a_long_game_is_told_in_ten_lines_with_the_score_at_their_ends(language: Any) -> None:
    one, *_ = finished().past
    past = [replace(one, turn=f"T{n}", standing={"ALLIES": n, "CENTRAL": 24 - n}) for n in range(1, 24)]
    rows = course_rows(FWW, past, words(language))
    turn = {"en": "Turn", "fr": "Tour"}[language]
    assert [row.turn for row in rows][:2] == [f"{turn} 1 – {turn} 3", f"{turn} 4 – {turn} 6"]
    assert len(rows) == 8
    assert rows[0].scores == ("3", "21") and rows[-1].scores == ("23", "1")
    written = final_letter(FWW, final(past=tuple(past)), words(language))
    check_letter(written, board=board("WA", language))


@both
def test_a_game_of_one_turn_has_no_chart(language: Any) -> None:
    written = final_letter(FWW, final(past=finished().past[:1]), words(language))
    assert CHART not in [picture.name for picture in written.pictures] and CHART not in written.html


@both
def test_everything_that_was_sealed_is_opened(language: Any) -> None:
    done, text = finished(), final_letter(FWW, final(), words(language)).text
    header = json.loads(done.ledger.opening)
    for value in (
        header["anchor"],
        header["seal"],
        done.ledger.secrets.seal_key.hex(),
        done.ledger.head.hex(),
    ):
        assert value in text
    assert disclose(done.ledger).draws == done.draws == len(disclose(done.ledger).drawn)
    hands = [tile for view in done.views.values() for hand in view.hands.values() for tile in hand]
    assert hands
    for tile in hands:
        assert f"({tile})" in text and PACK.tiles[tile].names[language] in plain(text)


@both
def test_the_rolls_since_the_last_letter_are_told_as_in_every_letter(language: Any) -> None:
    ledger = finished().ledger
    audit = next(one for t in range(len(ledger.records), -1, -1) if (one := audit_block(ledger, t)).throws)
    written = final_letter(FWW, final(audit=audit), words(language))
    for line in roll_lines(audit.throws):
        assert line.written in plain(written.text) and line.written in Page(written.html).text


@both
def test_the_luck_account_is_that_of_the_dice_history(language: Any) -> None:
    done, text = finished(), plain(final_letter(FWW, final(), words(language)).text)
    account = luck(done.staked)
    staked = [one for one in throws(done.ledger.records) if not one.purpose.startswith("order.")]
    assert sum(row.dice for row in account) == sum(len(one.faces) for one in staked) > 0
    for row in account:
        named = words(language).say("final", "luck_group", {"group": row.group})
        assert f"{named} {row.dice} {row.actual} " in text
    assert words(language).say("final", "luck_none") in plain(
        final_letter(FWW, final(luck=()), words(language)).text
    )


def test_a_face_counts_and_is_written_as_the_die_of_the_game_has_it() -> None:
    rolls = [face for one in throws(finished().ledger.records) for face in one.faces]
    assert 6 in rolls
    fought = [one for one in finished().staked if one.stake.group in ("attack", "defence")]
    shown = [face for one in fought for face in one.throw.faces]
    values = sum(row.actual for row in luck(fought))
    assert values == sum(PACK.die.value(face) for face in shown) < sum(shown)
    table = dice_enclosure(throws(finished().ledger.records), PACK).content.decode()
    assert ",d6,S,audited" in table and ",d6,6," not in table


def test_kind_and_unkind_dice_are_named() -> None:
    row = luck(finished().staked)[0]
    kind = replace(row, at_least=0.03, at_most=0.98)
    unkind = replace(row, at_least=0.98, at_most=0.03)
    text = plain(final_letter(FWW, final(luck=(kind, unkind)), words("en")).text)
    assert "kind: only 3.0% of fair dice do as well" in text
    assert "unkind: only 3.0% of fair dice do as badly" in text


# ------------------------------------------------------------------ files


def saved(folder: Path, seat: Seat) -> Path:
    """The files of all letters of one seat, as they came."""
    done = finished()
    for t in range(1, done.ledger.t + 1):
        part = replace(done.ledger, records=[one for one in done.ledger.records if one.close.t <= t])
        (folder / f"audit-of-{t:03}.json").write_bytes(audit_enclosure(part, seat, t - 1).content)
    return folder


def test_the_letters_of_one_seat_are_verified(tmp_path: Path) -> None:
    report = verify([saved(tmp_path, Seat("WA"))])
    assert report.code == 0, report.caught
    assert report.known and len(report.known) == len(finished().ledger.records)


@pytest.mark.parametrize("most", [10**9, 30_000, 1])
def test_the_publication_in_one_file_or_in_many_is_verified(tmp_path: Path, most: int) -> None:
    done = finished()
    files = publication_enclosures(done.ledger, most)
    assert (len(files) == 1) == (most > 30_000) and len({one.name for one in files}) == len(files)
    for one in files:
        (tmp_path / one.name).write_bytes(one.content)
    report = verify([saved(tmp_path, Seat("DE"))])
    assert report.code == 0, report.caught


def test_a_publication_that_was_changed_is_caught(tmp_path: Path) -> None:
    (one,) = publication_enclosures(finished().ledger, 10**9)
    text = one.content.decode()
    place = text.index("faces") + len('faces\\":[')
    changed = text[:place] + ("1" if text[place] != "1" else "2") + text[place + 1 :]
    (tmp_path / one.name).write_text(changed)
    assert verify([saved(tmp_path, Seat("DE"))]).code == 1


def test_nothing_is_published_before_the_end() -> None:
    done = finished()
    before = replace(done.ledger, records=done.ledger.records[:-1])
    with pytest.raises(Exception, match="before the end"):
        publication_enclosures(before)


def test_a_letters_audit_has_only_what_is_new() -> None:
    ledger = finished().ledger
    last = audit_enclosure(ledger, Seat("WA"), ledger.t - 1)
    assert len(json.loads(last.content)["closes"]) == 1
    assert len(last.content) < len(publication(ledger)) / 4
    assert last.content.decode() == audit_json(ledger, Seat("WA"), ledger.t - 1)
    assert last.name == "audit.json" and "k DE" not in last.content.decode()


@both
def test_the_whole_letter_fits_the_mail(language: Any, painted: None) -> None:
    done = finished()
    written = final_letter(FWW, final(), words(language))
    files = (publication_enclosures(done.ledger)[0], dice_enclosure(throws(done.ledger.records), PACK))
    draft = Draft(
        "<a1@example.org>",
        Correspondent("umpire@example.org"),
        "umpire+fww-7@example.org",
        Correspondent("player@example.org"),
        written.subject,
        WINTER,
        written.text,
        html=written.html,
        pictures=written.pictures,
        enclosures=files,
    )
    assert len(compose(draft)) < LETTER


@both
def test_more_files_come_in_letters_of_their_own(language: Any) -> None:
    check_letter(memo_letter(more_files_memo("FWW-7", 2, 3), words(language)))
    for number in (2, 3):
        written = final_letter(FWW, final(files=number), words(language))
        check_letter(written, board=board("WA", language))
