"""Whatever a letter is made of, it is settled, answered once, and its answer can be read."""

from __future__ import annotations

import re
from collections import Counter
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from sqlalchemy import select

from engine.games import GAMES
from pbem.intake.receive import receive_letter
from pbem.store.inbox import RawMail, letter
from pbem.store.outbox import OutgoingMail, Posted, posted
from pbem.store.schema_mail import outbox
from pbem.store.session import reading
from tests.campaigns_at_hand import OBSERVER, AtHand, mail
from tests.intake.generated_letters import ROLES, Generated, letters, pairs, planned_letters
from tests.intake.stages import STOPS, stage, write_to
from tests.pictures import with_drawings

SAMPLE, ALL, SLICES = 170, 20_000, 40
OFTEN = ("turn", "question", "filed")  # where letters are written most
ANSWERS = ("receipt", "answer", "question")
# A stranger is answered one of these verbs a day, and other mail only if it is signed (mail.md 2).
UNANSWERED = {"stranger", "stranger-again"}
SETTLED = ("applied", "held", "refused", "set-aside")
CID = re.compile(r'"cid:([^"]+)"')


class Desk:
    """Copies of the stages, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.seen = folder, Counter[str]()

    def check(self, one: Generated) -> None:
        """The letter, then CONFIRM if that is asked for."""
        at = stage(one.game, one.stop).copy(self.folder)
        try:
            answer = self._sent(at, one, write_to(at, one.writer, one.text, one.way))
            if answer is not None and answer.letter.kind == "question":
                at.clock.passes(minutes=10)
                self._sent(at, one, _confirm(at, one.writer, answer))
        finally:
            at.db.dispose()

    def _sent(self, at: AtHand, one: Generated, raw: bytes) -> Posted | None:
        number, before = at.arrives(raw), _newest(at)
        receive_letter(at.service, number, "generated")
        found = letter(at.db, number)
        assert found is not None
        if found.state == "received" and found.reason == "frozen":  # it waits for the Close
            at.close()
            at.clock.passes(hours=1)
            before = _newest(at)
            receive_letter(at.service, number, "generated")
            found = letter(at.db, number)
            assert found is not None
        assert found.state in SETTLED, f"{found.state} {found.reason}: {one}"
        laid = _laid_after(at, before)
        for out in laid:
            _check_parts(out.letter)
        self.seen[found.state] += 1
        self.seen["all"] += 1
        return _the_answer(at, one, found, laid)


def _the_answer(at: AtHand, one: Generated, found: RawMail, laid: list[Posted]) -> Posted | None:
    writer = at.addresses.get(one.writer, one.writer)
    mine = [out for out in laid if out.letter.kind in ANSWERS and out.letter.recipient == writer]
    if found.state == "set-aside" and found.reason in UNANSWERED:
        assert not mine, f"{found.reason}: {one}"
        return None
    answers = [out for out in mine if out.state == "waiting"]
    assert len(answers) == 1, f"{len(answers)} answers, {found.state} {found.reason}: {one}"
    return answers[0]


def _confirm(at: AtHand, writer: str, question: Posted) -> bytes:
    if writer in at.addresses:
        return at.reply(writer, "CONFIRM", question)
    told = {"sender": writer, "in_reply_to": question.letter.message_id, "date": at.clock()}
    return mail("CONFIRM", subject=f"Re: [{at.name}]", **told)  # type: ignore[arg-type]


def _newest(at: AtHand) -> int:
    with reading(at.db) as tx:
        return tx.execute(select(outbox.c.id).order_by(outbox.c.id.desc()).limit(1)).scalar() or 0


def _laid_after(at: AtHand, number: int) -> list[Posted]:
    with reading(at.db) as tx:
        chosen = select(outbox.c.message_id).where(outbox.c.id > number).order_by(outbox.c.id)
        names = list(tx.execute(chosen).scalars())
    return [found for name in names if (found := posted(at.db, name)) is not None]


def _check_parts(out: OutgoingMail) -> None:
    """Text and HTML are there, each picture has its place, and no two files have one name."""
    message = message_from_bytes(out.body, policy=default)
    assert isinstance(message, EmailMessage)
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and html is not None
    assert "##- end / fin -##" in str(text.get_content()), "a letter of ours is framed"
    page = str(html.get_content())
    named = [str(part["Content-ID"])[1:-1] for part in message.walk() if part["Content-ID"]]
    assert len(named) == len(set(named)) and set(named) == set(CID.findall(page))
    files = [part.get_filename() for part in message.walk() if part.get_filename()]
    assert len(files) == len(set(files)), files
    assert not re.search(r"<(ul|pre|table|p)[^>]*>\s*</\1>", page), "an empty element"


# Each of these was once shunted, tried for ever, or had two files of one name.
FOUND = (
    Generated("fww", "turn", "player", "ALLIES", "WA DEFEND ALL: TILE BEST\nSTATUS"),
    Generated("trench", "turn", "player", "GB", "DEFAULT HOLD\nSTATUS"),
    Generated("trench", "turn", "player", "GB", "R TNK1\nMAP REACH CAR1\nMAP REACH TNK1"),
    Generated("trench", "turn", "player", "GB", "MAP\nMAP REACH CAR1\nCARTE"),
    Generated("fww", "turn", "observer", OBSERVER, "VERIFY\nVERIFY T1"),
    Generated("ttlm", "lobby", "player", "GE", "ORDERS\nEND"),
    Generated("trench", "question", "player", "DE", "RESIGN\nSPLIT A: REST\nBUY CAV J8"),
    Generated("fww", "over", "player", "CENTRAL", "ORDERS\nEND\nSTATUS"),
    Generated("trench", "over", "player", "DE", "BUY CAV F8\n\nBUY SPECIAL B14"),
    Generated(
        "fww", "branch", "player", "ALLIES", "STOP\nDEFEND ALL: TILE BEST\nPROPOSE ROLLBACK T1.R", "nameless"
    ),
)


@pytest.mark.parametrize("one", FOUND, ids=lambda one: f"{one.game}-{one.stop}-{one.text[:12]}")
def test_letters_once_lost(one: Generated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_drawings(monkeypatch)
    Desk(tmp_path).check(one)


def test_every_pair_is_written_in_every_game_and_at_every_stop() -> None:
    planned = planned_letters()
    assert len(planned) >= ALL
    for role in ROLES:
        mine = [(game, stop, pair) for game, stop, writer, pair in planned if writer == role]
        met, wanted = {pair for _, _, pair in mine}, set(pairs(role))
        assert met == wanted
        assert {(game, pair) for game, _, pair in mine} == {(game, pair) for game in GAMES for pair in wanted}
        assert {(stop, pair) for _, stop, pair in mine} == {(stop, pair) for stop in STOPS for pair in wanted}


def test_a_sample_of_letters_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_drawings(monkeypatch)
    desk = Desk(tmp_path)
    for one in letters(0, ALL // SAMPLE):
        if one.game == "trench" or one.stop in OFTEN:
            desk.check(one)
    assert desk.seen["all"] >= SAMPLE / 2 and desk.seen["applied"] > SAMPLE / 6


@pytest.mark.long
@pytest.mark.parametrize("slice_", range(SLICES))
def test_every_letter_is_answered(slice_: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 in all."""
    with_drawings(monkeypatch)
    desk = Desk(tmp_path)
    for one in letters(slice_, SLICES):
        desk.check(one)
    assert desk.seen["all"] >= ALL // SLICES
