"""From an arrival to a hearing, and what the letter says, read in its own circumstances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.message import EmailMessage, Message
from email.policy import compat32
from functools import cache
from typing import Final, overload
from zoneinfo import ZoneInfo

from engine.kernel.game import Language, exchange_called
from engine.kernel.requests import Seat
from pbem.campaigns.correspondence import Reader, person_reader, seat_reader
from pbem.campaigns.hearing import Hearing
from pbem.campaigns.labels import label_of
from pbem.intake.arrival import Arrival
from pbem.mail import hypertext
from pbem.mail.guard import MAX_PARTS, with_plain_line_ends
from pbem.mail.letter import Letter, TextLine
from pbem.mail.mime import MAX_LEVELS, open_letter
from pbem.mail.parts import Divider
from pbem.orders.plain import key
from pbem.orders.reader import understand
from pbem.orders.understood import Circumstances, Understood
from pbem.orders.words import tongues
from pbem.store.filing import OpenWindow, Stamp, window_numbered
from pbem.store.mailbag import letter as kept_letter
from pbem.store.outbox import Posted, letter_about, open_question

PLAUSIBLE: Final = timedelta(days=7)  # a Date further off than this is ignored
_TONGUES: Final = tongues()
_POLICY: Final = compat32.clone(message_factory=EmailMessage)  # headers as they stand: they are ours
_REPLY: Final = ("re:", "aw:", "sv:", "tr:", "fw:", "fwd:", "re :", "tr :")


@dataclass(frozen=True, slots=True)
class Heard:
    """A hearing and what was understood in it."""

    hearing: Hearing
    understood: Understood
    arrival: Arrival


def hear(arrival: Arrival, *, sure: bool = False, proven: bool = False) -> Heard:
    """Read the letter. `sure`, `proven`: somebody who could answer a question of ours has confirmed it."""
    hearing = _hearing(arrival, sure, proven)
    return Heard(hearing, understand(hearing.letter, _circumstances(hearing, arrival)), arrival)


# ------------------------------------------------------------------ the hearing


def _hearing(arrival: Arrival, sure: bool, proven: bool) -> Hearing:
    office, standing = arrival.office, arrival.standing
    asked = office.house.proof if standing is None else standing.policy.get("proof", office.house.proof)
    return Hearing(
        office,
        arrival.received,
        _with_subject(arrival.letter),
        _reader(arrival),
        arrival.roles,
        arrival.person if arrival.seated is None else arrival.seated.person,
        standing,
        "" if arrival.seated is None else arrival.seated.seat,
        None if standing is None else arrival.window_in(standing.id),
        arrival.window,
        arrival.answered,
        stamp_of(arrival.letter, arrival.received.arrived, arrival.received.id),
        sure or proven or arrival.proof.is_given(asked),
        sure or arrival.proof.is_sure,
        None if standing is None else tuple(arrival.seats),
    )


def _reader(arrival: Arrival) -> Reader:
    """Answers go to a registered address; a stranger has none but the one he wrote from."""
    if arrival.seated is not None:
        reader = seat_reader(arrival.campaign, arrival.seated)
        assert reader is not None, "checked: somebody holds the seat"
        return reader
    who, house = arrival.person, arrival.office.house
    if who is not None and who.registered is not None:
        return person_reader(who, arrival.campaign)
    letter = arrival.letter
    return Reader(
        letter.sender, letter.sender_name, language_of(_spoken(arrival), house.language), house.zone
    )


def _spoken(arrival: Arrival) -> Letter:
    """What tells a stranger's language: of a reply to our question the letter that the question is about."""
    db, answered = arrival.office.db, arrival.answered
    question = None if answered is None else open_question(db, answered.letter.message_id)
    if question is None or question.letter is None or (first := kept_letter(db, question.letter)) is None:
        return arrival.letter
    opened = open_letter(first.raw, (arrival.office.addresses.mailbox,))
    return opened if isinstance(opened, Letter) else arrival.letter


def language_of(letter: Letter, usual: Language) -> Language:
    """The language of a stranger's first command that only one language has."""
    for line in letter.lines:
        first = key(line.text.strip().partition(" ")[0])
        if line.quoted == 0 and (spoken := _TONGUES.get(first)) is not None:
            return spoken
    return usual


def stamp_of(letter: Letter, arrived: datetime, number: int) -> Stamp:
    """A Date after the arrival counts as the arrival; one more than a week off is ignored."""
    dated = letter.date
    if dated is None or abs(arrived - dated) > PLAUSIBLE:
        return Stamp(arrived, None, number)
    return Stamp(arrived, min(dated, arrived), number)


def _with_subject(letter: Letter) -> Letter:
    """An empty letter whose subject is a command, as links in our letters make it, says that."""
    silent = not any(line.text.strip() and line.quoted == 0 for line in letter.lines)
    subject = letter.subject.strip()
    if not silent or letter.attachments or not subject or subject.lower().startswith(_REPLY):
        return letter
    return replace(letter, lines=(TextLine(subject), *letter.lines))


# ------------------------------------------------------------------ the circumstances


def _circumstances(hearing: Hearing, arrival: Arrival) -> Circumstances:
    arrived, zone = hearing.received.arrived, ZoneInfo(hearing.reader.zone)
    told = Circumstances(
        campaign="" if hearing.standing is None else hearing.standing.id,
        writer=hearing.roles,
        today=arrived.astimezone(zone).date(),
        name=hearing.reader.name,
        sent=_sent(hearing),
        language=hearing.language,
    )
    if hearing.standing is None:
        return told
    terms = hearing.campaign.terms
    told = replace(
        told,
        seats=tuple(map(str, terms.seats)),
        names=_names(hearing, arrival),
        exchange=lambda word: exchange_called(terms.game.notation, word, terms.pack),
    )
    if not hearing.seat:
        return told
    return replace(
        told,
        open=_label(hearing.window),
        answers=_label(_answered_window(hearing)),
        notation=terms.game.notation,
        view=hearing.campaign.view(Seat(hearing.seat)),
        choices=_Counted(lambda: choices(hearing)),
    )


def _label(window: OpenWindow | None) -> str:
    """`T4.C2/17`: windows of one name are told apart by their numbers, and no topic is named."""
    return "" if window is None else f"{label_of(window)}/{window.number}"


def _answered_window(hearing: Hearing) -> OpenWindow | None:
    assert hearing.standing is not None
    if hearing.window is not None and hearing.answers_window == hearing.window.number:
        return hearing.window
    return window_numbered(hearing.office.db, hearing.standing.id, hearing.answers_window)


class _Counted(Sequence[int]):
    """Numbers of answers, counted when a line wants to know: listing a question's options takes its time."""

    def __init__(self, count: Callable[[], tuple[int, ...]]) -> None:
        self._count = cache(count)

    def __len__(self) -> int:
        return len(self._count())

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[int]: ...
    def __getitem__(self, place: int | slice) -> int | Sequence[int]:
        return self._count()[place]


def choices(hearing: Hearing) -> tuple[int, ...]:
    """The number of answers to each open question; a letter about another window numbers none of them."""
    window = hearing.window
    if window is None or hearing.answers_window not in (0, window.number):
        return ()
    asks = hearing.campaign.open_asks().get(Seat(hearing.seat), [])
    return tuple(len(ask.options.describe()) for _, ask in asks)


def _names(hearing: Hearing, arrival: Arrival) -> tuple[str, ...]:
    """Whom the writer may greet: the other players, the umpires, the house."""
    assert hearing.standing is not None
    umpires = [one.person for role, one in arrival.members_in(hearing.standing.id) if role == "umpire"]
    people = [one.person for one in arrival.seats] + umpires
    found = [one.name for one in people if one is not None and one.name and one != hearing.person]
    return tuple(dict.fromkeys((*found, hearing.office.house.name)))


# ------------------------------------------------------------------ what we sent


def _sent(hearing: Hearing) -> str:
    """The letter he answers, in every form it was sent in: its text, and its HTML as a program draws it."""
    found = hearing.answered
    if found is None and hearing.standing is not None and hearing.seat and hearing.answers_window:
        found = letter_about(hearing.office.db, hearing.standing.id, hearing.seat, hearing.answers_window)
    return "" if found is None else text_sent(found)


def text_sent(found: Posted) -> str:
    texts = []
    divider = Divider(_POLICY, MAX_PARTS, MAX_LEVELS)
    for part in divider.divide(with_plain_line_ends(found.letter.body)).walk():
        kind = part.get_content_type()
        if kind == "text/plain" and not part.get_filename():
            texts.append(_content(part))
        elif kind == "text/html":
            page = _content(part)
            texts.append("\n".join(line.text for line in hypertext.lines_of(page)))
            texts += hypertext.pictures_of(page)  # programs that show no pictures write their words
    return "\n".join(line for text in texts for line in text.splitlines())


def _content(part: Message) -> str:
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes), "a text is no multipart"
    return data.decode(part.get_content_charset("utf-8"))
