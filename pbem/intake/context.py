"""A letter that has arrived, what is found out about it on the way, and how it may end before it is heard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.message import EmailMessage, Message
from email.policy import compat32
from functools import cache
from typing import Any, Final, TypeAlias, overload
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from engine.kernel.game import Language
from engine.kernel.requests import Seat
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.recipients import Recipient, person_recipient, seat_recipient
from pbem.context import ServiceContext
from pbem.mail import dkim, html
from pbem.mail.dkim import Signature
from pbem.mail.guard import MAX_PARTS, Quarantine, with_plain_line_ends
from pbem.mail.message import Letter, TextLine
from pbem.mail.mime import MAX_LEVELS, MimeSplitter, open_letter
from pbem.orders.reader import understand
from pbem.orders.text import key
from pbem.orders.understood import Circumstances, Understood, Writer
from pbem.store.campaigns import CampaignRow
from pbem.store.inbox import Belongs, Received, Settled
from pbem.store.inbox import letter as kept_letter
from pbem.store.outbox import Posted, letter_about, open_question
from pbem.store.people import Everybody, Member, Person, Seated, everybody
from pbem.store.windows import OpenWindow, Stamp, called_with_window, window_numbered
from pbem.verbs.context import LetterContext
from pbem.verbs.registry import REGISTRY

A_MOMENT: Final = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Proof:
    """What speaks for it that a letter comes from whom it names. Kept with the letter: keys are rotated."""

    token: bool = False  # a reply address, or a Message-ID of ours, that the present holder was given
    sender: bool = False  # From is his registered address or a linked one
    pinned: bool = False  # letters from one of his addresses have carried an aligned signature before
    signature: Signature = "unchecked"
    b: str = ""  # of the aligned DKIM signature; goes into the letter's mark
    to_us: bool = False  # that it was written to us is signed, too
    replay: str = ""  # the same for the same signed letter, however it comes
    why: str = ""  # the signature is worth nothing

    def is_given(self, asked: dkim.Proof) -> bool:
        """Is it enough for that policy? A token leaks and a From is forged, so neither is enough alone."""
        signed = self.signature == "pass"
        match asked:
            case "token":
                return self.token and self.sender
            case "pinned":
                return self.token and self.sender and (signed or not self.pinned)
            case "dkim":
                return self.token and self.sender and signed

    @property
    def is_sure(self) -> bool:
        """Beyond doubt, as umpires' verbs, resignations and changes of address ask for."""
        return self.token and self.sender and self.signature == "pass" and self.to_us

    def told(self) -> dict[str, Any]:
        """As it is kept."""
        known = {"token": self.token, "sender": self.sender, "dkim": self.signature}
        more = {"b": self.b, "to_us": self.to_us, "replay": self.replay, "why": self.why}
        return known | {name: value for name, value in more.items() if value}


def signature_of(received: Received) -> tuple[Signature, str]:
    """What was found out about the letter's signature when it arrived, and the b= of an aligned one."""
    found = received.proof.get("dkim", "unchecked")
    known: Signature = found if found in ("pass", "fail", "none", "unknown") else "unchecked"
    return known, str(received.proof.get("b", "")) if known == "pass" else ""


@dataclass(slots=True)
class Arrival:
    """A letter and all that the checks have found out about it so far."""

    service: ServiceContext
    received: Received
    opened: Letter | Quarantine
    campaign_row: CampaignRow | None = None  # the campaign it is about
    seated: Seated | None = None  # the seat in whose name it speaks
    window: int = 0  # whose token it carries; 0: none
    answered: Posted | None = None  # the letter of ours that it answers
    person: Person | None = None  # whose address it comes from
    roles: tuple[Writer, ...] = ("stranger",)
    proof: Proof = field(default_factory=Proof)
    claimed: tuple[tuple[str, str], ...] = ()  # campaign and seat of the reply addresses, in lower case
    copied_to: tuple[str, ...] = ()  # other seats to whose reply addresses it went as well; "": others
    _called: dict[str, tuple[CampaignRow, OpenWindow | None] | None] = field(default_factory=dict, repr=False)
    _people: dict[str, tuple[list[Seated], list[tuple[str, Member]]]] = field(
        default_factory=dict, repr=False
    )

    @property
    def letter(self) -> Letter:
        assert isinstance(self.opened, Letter), "the first check lets nothing else pass"
        return self.opened

    @property
    def campaign(self) -> str:
        return "" if self.campaign_row is None else self.campaign_row.id

    @property
    def seats(self) -> list[Seated]:
        """The seats of its campaign and who holds them, looked up once."""
        return self.seats_in(self.campaign)

    def seats_in(self, campaign: str) -> list[Seated]:
        return self._everybody_in(campaign)[0]

    def called(self, name: str) -> CampaignRow | None:
        """The campaign of that name in any case, looked up once."""
        found = self._found(name)
        return None if found is None else found[0]

    def window_in(self, name: str) -> OpenWindow | None:
        """Its open window, looked up with it."""
        found = self._found(name)
        return None if found is None else found[1]

    def _found(self, name: str) -> tuple[CampaignRow, OpenWindow | None] | None:
        key = name.lower()
        if key not in self._called:
            self._called[key] = called_with_window(self.service.db, name)
        return self._called[key]

    def members_in(self, campaign: str) -> list[tuple[str, Member]]:
        """Who umpires or watches a campaign, by their roles, looked up once."""
        return self._everybody_in(campaign)[1]

    def _everybody_in(self, campaign: str) -> Everybody:
        if campaign not in self._people:
            self._people[campaign] = everybody(self.service.db, campaign) if campaign else ([], [])
        return self._people[campaign]

    @property
    def belongs(self) -> Belongs:
        """For the mailbag."""
        if isinstance(self.opened, Quarantine):
            return Belongs()
        return Belongs(
            campaign=self.campaign or None,
            seat=None if self.seated is None else self.seated.seat,
            person=None if self.person is None else self.person.id,
            sender=self.letter.sender or None,
            message_id=self.letter.message_id or None,
            proof=self.proof.told(),
        )


@dataclass(frozen=True, slots=True)
class LetterOutcome:
    """What becomes of a letter that is not heard. The effect runs in the transaction that settles it."""

    state: Settled
    reason: str
    effect: Callable[[Connection], None] | None = None


Check: TypeAlias = Callable[[Arrival], LetterOutcome | None]


class RetryLater(Exception):
    """The letter cannot be heard at this moment: its window is frozen, or DNS does not answer."""

    def __init__(self, reason: str, after: timedelta = A_MOMENT) -> None:
        super().__init__(reason)
        self.reason, self.after = reason, after


PLAUSIBLE: Final = timedelta(days=7)  # a Date further off than this is ignored
_POLICY: Final = compat32.clone(message_factory=EmailMessage)  # headers as they stand: they are ours
_REPLY: Final = ("re:", "aw:", "sv:", "tr:", "fw:", "fwd:", "re :", "tr :")


@dataclass(frozen=True, slots=True)
class Heard:
    """A hearing and what was understood in it."""

    context: LetterContext
    understood: Understood
    arrival: Arrival


def hear(arrival: Arrival, *, sure: bool = False, proven: bool = False) -> Heard:
    """Read the letter. `sure`, `proven`: somebody who could answer a question of ours has confirmed it."""
    context = _hearing(arrival, sure, proven)
    return Heard(context, understand(context.letter, _circumstances(context, arrival), REGISTRY), arrival)


# ------------------------------------------------------------------ the hearing


def _hearing(arrival: Arrival, sure: bool, proven: bool) -> LetterContext:
    service, standing = arrival.service, arrival.campaign_row
    asked = service.profile.proof if standing is None else standing.policy.get("proof", service.profile.proof)
    return LetterContext(
        service,
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


def _reader(arrival: Arrival) -> Recipient:
    """Answers go to a registered address; a stranger has none but the one he wrote from."""
    if arrival.seated is not None:
        recipient = seat_recipient(arrival.campaign, arrival.seated)
        assert recipient is not None, "checked: somebody holds the seat"
        return recipient
    who, house = arrival.person, arrival.service.profile
    if who is not None and who.registered is not None:
        return person_recipient(who, arrival.campaign)
    letter = arrival.letter
    return Recipient(
        address=letter.sender,
        name=letter.sender_name,
        language=language_of(_spoken(arrival), house.language),
        zone=house.zone,
    )


def _spoken(arrival: Arrival) -> Letter:
    """What tells a stranger's language: of a reply to our question the letter that the question is about."""
    db, answered = arrival.service.db, arrival.answered
    question = None if answered is None else open_question(db, answered.letter.message_id)
    if question is None or question.letter is None or (first := kept_letter(db, question.letter)) is None:
        return arrival.letter
    opened = open_letter(first.raw, (arrival.service.addresses.mailbox,))
    return opened if isinstance(opened, Letter) else arrival.letter


def language_of(letter: Letter, usual: Language) -> Language:
    """The language of a stranger's first command that only one language has."""
    for line in letter.lines:
        first = key(line.text.strip().partition(" ")[0])
        if line.quoted == 0 and (spoken := REGISTRY.languages.get(first)) is not None:
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


def _circumstances(context: LetterContext, arrival: Arrival) -> Circumstances:
    arrived, zone = context.received.arrived, ZoneInfo(context.recipient.zone)
    told = Circumstances(
        campaign="" if context.campaign_row is None else context.campaign_row.id,
        writer=context.roles,
        today=arrived.astimezone(zone).date(),
        name=context.recipient.name,
        sent=_sent(context),
        language=context.language,
    )
    if context.campaign_row is None:
        return told
    terms = context.campaign.terms
    told = replace(
        told,
        seats=tuple(map(str, terms.seats)),
        names=_names(context, arrival),
        exchange=lambda word: terms.game.notation.exchange_key(word, terms.pack) or word,
    )
    if not context.seat:
        return told
    return replace(
        told,
        open=_label(context.window),
        answers=_label(_answered_window(context)),
        notation=terms.game.notation,
        view=context.campaign.view(Seat(context.seat)),
        choices=_Counted(lambda: choices(context)),
    )


def _label(window: OpenWindow | None) -> str:
    """`T4.C2/17`: windows of one name are told apart by their numbers, and no topic is named."""
    return "" if window is None else f"{label_of(window)}/{window.number}"


def _answered_window(context: LetterContext) -> OpenWindow | None:
    assert context.campaign_row is not None
    if context.window is not None and context.answers_window == context.window.number:
        return context.window
    return window_numbered(context.service.db, context.campaign_row.id, context.answers_window)


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


def choices(context: LetterContext) -> tuple[int, ...]:
    """The number of answers to each open question; a letter about another window numbers none of them."""
    window = context.window
    if window is None or context.answers_window not in (0, window.number):
        return ()
    asks = context.campaign.open_asks().get(Seat(context.seat), [])
    return tuple(len(ask.options.describe()) for _, ask in asks)


def _names(context: LetterContext, arrival: Arrival) -> tuple[str, ...]:
    """Whom the writer may greet: the other players, the umpires, the house."""
    assert context.campaign_row is not None
    umpires = [one.person for role, one in arrival.members_in(context.campaign_row.id) if role == "umpire"]
    people = [one.person for one in arrival.seats] + umpires
    found = [one.name for one in people if one is not None and one.name and one != context.person]
    return tuple(dict.fromkeys((*found, context.service.profile.name)))


# ------------------------------------------------------------------ what we sent


def _sent(context: LetterContext) -> str:
    """The letter he answers, in every form it was sent in: its text, and its HTML as a program draws it."""
    found = context.answered
    if found is None and context.campaign_row is not None and context.seat and context.answers_window:
        found = letter_about(
            context.service.db, context.campaign_row.id, context.seat, context.answers_window
        )
    return "" if found is None else text_sent(found)


def text_sent(found: Posted) -> str:
    texts = []
    divider = MimeSplitter(_POLICY, MAX_PARTS, MAX_LEVELS)
    for part in divider.divide(with_plain_line_ends(found.letter.body)).walk():
        kind = part.get_content_type()
        if kind == "text/plain" and not part.get_filename():
            texts.append(_content(part))
        elif kind == "text/html":
            page = _content(part)
            texts.append("\n".join(line.text for line in html.lines_of(page)))
            texts += html.pictures_of(page)  # programs that show no pictures write their words
    return "\n".join(line for text in texts for line in text.splitlines())


def _content(part: Message) -> str:
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes), "a text is no multipart"
    return data.decode(part.get_content_charset("utf-8"))
