"""One verb of a letter, declared once: its words, its arguments, who may use it, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Generic, Literal, TypeAlias, TypeVar

from sqlalchemy import Connection

from pbem.campaigns.umpire.acts import CannotDo
from pbem.letters.memo import Note, Part
from pbem.orders.understood import Command
from pbem.orders.vocabulary import VerbSyntax
from pbem.verbs.context import Effect, LetterContext, VerbResult
from pbem.verbs.handling import Declined, Handler, answer_with, which_campaign

C = TypeVar("C", bound=Command)

# What a stranger gets: no answer, one answer a day, or one if the letter answers a letter of ours.
ForStrangers: TypeAlias = Literal["silence", "answer", "answer-to-reply"]


def _never(context: LetterContext, command: Command) -> bool:
    return False


def always(context: LetterContext, command: Command) -> bool:
    return True


def if_unknown(context: LetterContext, command: Command) -> bool:
    """From somebody who is not enrolled."""
    return context.person is None


@dataclass(frozen=True)
class Verb(VerbSyntax[C], Generic[C]):
    """The declaration of a verb. Reader, checks, help pages and command line all derive from it.

    `serious`: it is done only when it is beyond doubt who wrote.
    """

    handler: Handler[C] | None = None  # None: it says how to take the others
    _: KW_ONLY
    serious: Callable[[LetterContext, C], bool] = _never
    shows_file: bool = False  # tells what the letter leaves on file: done after its orders
    strangers: ForStrangers = "silence"
    topic: str = "commands"  # the help page that explains it
    cli: str = ""  # the command of `pbem` that does the same

    def handle(self, context: LetterContext, command: C) -> VerbResult:
        """What comes of the command, or why it cannot be asked in this letter."""
        assert self.handler is not None, "such a verb says how the rest of the letter is taken"
        try:
            self._check_subject(context)
            result = self.handler(context, command)
        except (Declined, CannotDo) as why:
            return answer_with(why.note)
        if result.effect is None:
            return result
        serious = result.serious or self.serious(context, command)
        return replace(result, effect=partial(_run, result.effect), serious=serious)

    def _check_subject(self, context: LetterContext) -> None:
        facts = {"campaign": context.campaign_name}
        if self.subject and context.campaign_row is None:
            is_umpires = self.subject == "umpire"
            raise Declined(Note("umpire-which-campaign") if is_umpires else which_campaign(context))
        if self.subject == "umpire" and "umpire" not in context.roles:
            raise Declined(Note("umpire-only", facts))
        if self.subject == "seat" and not context.seat:
            raise Declined(Note("no-seat-here", facts))


def _run(effect: Effect, tx: Connection) -> Sequence[Part]:
    """What cannot be done by the time of the transaction is answered, and changes nothing."""
    try:
        return effect(tx)
    except (Declined, CannotDo) as why:
        return (why.note,)
