"""ANSWER FOR: the umpire writes in a seat's place. What he says is read as that seat's letter would be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlalchemy.engine import Connection

from engine.kernel.errors import Refusal
from engine.kernel.journal import canonical
from engine.kernel.rehearsal import rehearse
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.sheet import OnFile
from pbem.campaigns.stored import UMPIRES_LINES, StoredCampaign, take_up
from pbem.campaigns.umpire.acts import CannotDo, Deciding, do, may_see_all, running_for_act
from pbem.office import Office
from pbem.report.phrases import spoken
from pbem.store.connect import Db, writing
from pbem.store.filing import Reply, Stamp, file_reply, open_window

ANSWER_FOR = "answer-for"
_NUMBER: Final = re.compile(r"(?:Q\s*(\d{1,3})\s*[.:)-]?\s+)?(\d{1,3})\s*\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Said:
    """Numbered answers by the question's id, and the order lines between them."""

    answers: dict[str, tuple[Ask, Answer]]
    lines: tuple[str, ...]


def answer_for(
    office: Office,
    name: str,
    seat: str,
    text: str,
    reason: str = "",
    by: int | None = None,
    db: Db | None = None,
) -> tuple[str, ...]:
    """Order lines or numbered answers, on file as the umpire's; they are in nobody's dice entry.

    His lines go before the seat's own. Returns them in canonical notation.
    """
    with writing(office.db if db is None else db) as tx:
        running_for_act(tx, name)
        if not may_see_all(tx, name, by, office.house.umpires):
            raise CannotDo("umpire-sealed", campaign=name)
        taken = take_up(tx, name)
        who = taken.terms.seat(seat)
        said = _read(taken, who, text)
        notation = _checked(taken, who, said)
        _file(office, tx, taken, who, said)
        do(office, tx, name, Deciding(ANSWER_FOR, reason, by, {"seat": who}, facts={"who": who}))
    return notation


def _read(taken: StoredCampaign, seat: Seat, text: str) -> _Said:
    asks = taken.open_asks().get(seat, [])
    answers: dict[str, tuple[Ask, Answer]] = {}
    lines: list[str] = []
    for line in re.split(r"[;\n]", text):
        found = _NUMBER.fullmatch(line.strip())
        if found is None:
            lines.append(line.strip())
            continue
        place, number = int(found[1] or 1), int(found[2])
        if not 1 <= place <= len(asks):
            raise CannotDo("umpire-no-such-question", number=place, most=len(asks))
        question, ask = asks[place - 1]
        offered = list(ask.options.describe())
        if not 1 <= number <= len(offered):
            raise CannotDo("umpire-no-such-answer", number=number, question=place, most=len(offered))
        answers[question] = ask, offered[number - 1]
    return _Said(answers, tuple(line for line in lines if line))


def _checked(taken: StoredCampaign, seat: Seat, said: _Said) -> tuple[str, ...]:
    """Everything as it is understood, in notation; what that seat could not order is refused here, too."""
    view, notation = taken.table.view(seat), taken.terms.game.notation
    reading = taken.read(seat, "\n".join(said.lines))
    refusals = list(reading.refusals)
    verdicts = rehearse(taken.table, seat, OnFile(reading.orders)) if reading.orders else ()
    refusals += [one.refusal for one in verdicts if one.status == "refused" and one.refusal is not None]
    if refusals:
        raise CannotDo("umpire-lines-refused", seat=seat, sentences=_sentences(taken, refusals))
    if not said.answers and not reading.orders:
        raise CannotDo("umpire-no-words")
    written = [notation.write_answer(ask, answer, "en", view) for ask, answer in said.answers.values()]
    return (*written, *(line.write("en") for line in reading.orders))


def _sentences(taken: StoredCampaign, refusals: list[Refusal]) -> list[str]:
    phrases = spoken(taken.terms.game.id, "en", taken.terms.pack)
    return [phrases.refusal(refusal) for refusal in refusals]


def _file(office: Office, tx: Connection, taken: StoredCampaign, seat: Seat, said: _Said) -> None:
    window, stamp = open_window(tx, taken.name), Stamp(office.now())
    if window is None or (seat not in window.seats and not said.answers):
        raise CannotDo("umpire-seat-not-awaited", campaign=taken.name, seat=seat)
    for question, (ask, answer) in said.answers.items():
        reply = Reply(ask.topic, canonical(answer).decode(), umpire=True)
        file_reply(tx, taken.name, window.number, seat, question, reply, stamp)
    if said.lines:
        text = canonical("\n".join(said.lines)).decode()
        lines = Reply("", text, umpire=True)
        file_reply(tx, taken.name, window.number, seat, UMPIRES_LINES, lines, stamp)
