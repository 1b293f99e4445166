"""Read a letter: what it asks for, in the circumstances of its writer, and whether a stranger may ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage, Message
from email.policy import compat32
from functools import cache
from typing import Final, TypeVar, overload
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from pbem.campaigns.deadlines import label_of
from pbem.campaigns.notify import send_memo
from pbem.intake.outcome import LetterOutcome
from pbem.letters.invitation import stranger_memo
from pbem.mail import html
from pbem.mail.guard import MAX_PARTS, normalize_line_ends
from pbem.mail.message import Letter, TextLine
from pbem.mail.mime import MAX_LEVELS, MimeSplitter
from pbem.orders.reader import understand
from pbem.orders.returned_form import form_rows
from pbem.orders.text import plain
from pbem.orders.understood import Circumstances, SentForm, Understood
from pbem.store.outbox import Posted, letter_about, letters_before
from pbem.store.people import use_allowance
from pbem.store.windows import OpenWindow, find_window
from pbem.verbs.context import LetterContext
from pbem.verbs.registry import REGISTRY

DAY: Final = timedelta(days=1)
MOST_FORMS: Final = 8  # letters whose order forms may have come back
_POLICY: Final = compat32.clone(message_factory=EmailMessage)  # headers as they stand: they are ours
_T = TypeVar("_T")
_REPLY: Final = ("re:", "aw:", "sv:", "tr:", "fw:", "fwd:", "re :", "tr :")


def read_letter(context: LetterContext) -> Understood:
    return understand(_with_subject(context.letter), _circumstances(context), REGISTRY)


def _with_subject(letter: Letter) -> Letter:
    """An empty letter whose subject is a command, as links in our letters make it, says that."""
    silent = not any(line.text.strip() and line.quoted == 0 for line in letter.lines)
    subject = letter.subject.strip()
    if not silent or letter.attachments or not subject or subject.lower().startswith(_REPLY):
        return letter
    return replace(letter, lines=(TextLine(subject), *letter.lines))


# ------------------------------------------------------------------ strangers


def set_strangers_mail_aside(context: LetterContext, understood: Understood) -> LetterOutcome | None:
    """Unless it asks for one of these verbs, or answers a letter that went to the same address."""
    if not _is_stranger(context) or _verbs(understood) or _answers(context, understood):
        return None
    return LetterOutcome("set-aside", "stranger", lambda tx: _send_stranger_memo(tx, context))


def _is_stranger(context: LetterContext) -> bool:
    return context.writer is None and context.roles == ("stranger",)


def _verbs(understood: Understood) -> list[str]:
    commands = [one.command for one in understood.commands]
    answered = [one for one in commands if REGISTRY.of(one).strangers == "answer"]
    return sorted({type(one).__name__.lower() for one in answered})


def _answers(context: LetterContext, understood: Understood) -> bool:
    verbs = [REGISTRY.of(one.command) for one in understood.commands]
    return context.proof.token and any(verb.strangers == "answer-to-reply" for verb in verbs)


def may_be_answered(tx: Connection, context: LetterContext, understood: Understood) -> bool:
    """Counts against a stranger's allowance of the day."""
    if not _is_stranger(context) or _answers(context, understood):
        return True
    now, sender = context.service.now(), context.letter.sender
    left = [verb for verb in _verbs(understood) if use_allowance(tx, sender, f"stranger-{verb}", 1, DAY, now)]
    return bool(left)


def _send_stranger_memo(tx: Connection, context: LetterContext) -> None:
    service, recipient = context.service, context.recipient
    signed = context.proof.signature == "pass"
    if signed and use_allowance(tx, context.letter.sender, "stranger", 1, DAY, service.now()):
        send_memo(service, tx, None, recipient, stranger_memo(), "answer", letter=context.mail.id)


# ------------------------------------------------------------------ the circumstances


def _circumstances(context: LetterContext) -> Circumstances:
    arrived, zone = context.mail.arrived, ZoneInfo(context.recipient.zone)
    answered = _answered(context)
    circumstances = Circumstances(
        campaign=context.campaign_name,
        writer=context.roles,
        today=arrived.astimezone(zone).date(),
        name=context.recipient.name,
        sent="" if answered is None else text_sent(answered),
        language=context.language,
        is_other_campaign=lambda word: _is_other_campaign(context, word),
    )
    if context.campaign_row is None:
        return circumstances
    terms = context.campaign.terms
    circumstances = replace(
        circumstances,
        seats=tuple(map(str, terms.seats)),
        names=_names(context),
        exchange=lambda word: terms.game.notation.exchange_key(word, terms.pack),
    )
    if not context.seat:
        return circumstances
    return replace(
        circumstances,
        open=_label(context.window),
        awaited=context.window is not None and context.seat in context.window.seats,
        answers=_label(_answered_window(context)),
        notation=terms.game.notation,
        view=context.campaign.view(context.seat),
        choices=_Later(lambda: _count_answers(context)),
        forms=_Later(lambda: tuple(_forms(context, answered))),
    )


def _is_other_campaign(context: LetterContext, word: str) -> bool:
    """Only of the writer's own: what others play is not told."""
    known = () if context.writer is None else context.store.campaigns_of(context.writer.id)
    return any(plain(name) == plain(word) for name in known if name != context.campaign_name)


def _label(window: OpenWindow | None) -> str:
    """`T4.C2/17`: windows of one name are told apart by their numbers, and no topic is named."""
    return "" if window is None else f"{label_of(window)}/{window.number}"


def _answered_window(context: LetterContext) -> OpenWindow | None:
    if context.window is not None and context.answers_window == context.window.number:
        return context.window
    return find_window(context.service.db, context.campaign_name, context.answers_window)


class _Later(Sequence[_T]):
    """Values that are found when a line wants to know: listing a question's options takes its time."""

    def __init__(self, find: Callable[[], tuple[_T, ...]]) -> None:
        self._find = cache(find)

    def __len__(self) -> int:
        return len(self._find())

    @overload
    def __getitem__(self, place: int) -> _T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_T]: ...
    def __getitem__(self, place: int | slice) -> _T | Sequence[_T]:
        return self._find()[place]


def _count_answers(context: LetterContext) -> tuple[int, ...]:
    """The number of answers to each open question; a letter about another window numbers none of them."""
    window = context.window
    if window is None or context.answers_window not in (0, window.number):
        return ()
    asks = context.campaign.open_asks().get(context.seat, [])
    return tuple(len(ask.options.describe()) for _, ask in asks)


def _names(context: LetterContext) -> tuple[str, ...]:
    """Whom the writer may greet: the other players, the umpires, the house."""
    members = context.store.members(context.campaign_name)
    people = [one.person for one in context.seats]
    people += [one.person for role, one in members if role == "umpire"]
    found = [one.name for one in people if one is not None and one.name and one != context.person]
    return tuple(dict.fromkeys((*found, context.service.profile.name)))


# ------------------------------------------------------------------ what we sent


def _answered(context: LetterContext) -> Posted | None:
    """The letter it answers; without a thread, the newest result letter of its window."""
    if context.answered is None and context.seat and context.answers_window:
        about = (context.campaign_name, context.seat, context.answers_window)
        return letter_about(context.service.db, *about)
    return context.answered


def _forms(context: LetterContext, answered: Posted | None) -> Iterator[SentForm]:
    """The order forms that its writer has: of letters that went before it came, and of the one it answers.

    A CONFIRM reads it again, when its writer may have been sent another.
    """
    about = (context.campaign_name, context.seat, context.mail.arrived)
    letters = {one.id: one for one in letters_before(context.service.db, *about, MOST_FORMS)}
    if answered is not None and answered.letter.seat == context.seat:
        letters[answered.id] = answered
    window, newest = context.window, True
    for _, one in sorted(letters.items(), reverse=True):
        if rows := form_rows(next(_texts(one), "")):
            is_open = window is not None and one.letter.window == window.number
            yield SentForm(rows, "past" if not is_open else "newest" if newest else "older")
            newest = newest and not is_open


def text_sent(sent: Posted) -> str:
    """In every form it was sent in: its text, and its HTML as a program draws it."""
    return "\n".join(line for text in _texts(sent) for line in text.splitlines())


def _texts(sent: Posted) -> Iterator[str]:
    divider = MimeSplitter(_POLICY, MAX_PARTS, MAX_LEVELS)
    for part in divider.divide(normalize_line_ends(sent.letter.body)).walk():
        kind = part.get_content_type()
        if kind == "text/plain" and not part.get_filename():
            yield _content(part)
        elif kind == "text/html":
            page = _content(part)
            yield "\n".join(line.text for line in html.lines_of(page))
            yield from html.pictures_of(page)  # programs that show no pictures write their words


def _content(part: Message) -> str:
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes), "a text is no multipart"
    return data.decode(part.get_content_charset("utf-8"))
