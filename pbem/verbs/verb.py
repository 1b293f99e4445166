"""One verb of a letter, declared once: its words, its arguments, who may use it, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Generic, Literal, TypeAlias, TypeVar

from pbem.letters.memo import Note
from pbem.orders.understood import Command
from pbem.orders.vocabulary import VerbSyntax
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import which_campaign

C = TypeVar("C", bound=Command)

# What the letter must be about: a campaign, the writer's own seat in it, or a campaign that they umpire.
Subject: TypeAlias = Literal["", "campaign", "seat", "umpire"]
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

    handler: Callable[[LetterContext, C], VerbResult] | None = None  # None: it says how to take the others
    _: KW_ONLY
    subject: Subject = ""
    serious: Callable[[LetterContext, C], bool] = _never
    shows_file: bool = False  # tells what the letter leaves on file: done after its orders
    strangers: ForStrangers = "silence"
    topic: str = "commands"  # the help page that explains it
    cli: str = ""  # the command of `pbem` that does the same

    def handle(self, context: LetterContext, command: C) -> VerbResult:
        """What comes of the command, or why it cannot be asked in this letter."""
        if (refusal := self._refusal(context)) is not None:
            return VerbResult(answer=(refusal,))
        assert self.handler is not None, "such a verb says how the rest of the letter is taken"
        result = self.handler(context, command)
        return replace(result, serious=result.effect is not None and self.serious(context, command))

    def _refusal(self, context: LetterContext) -> Note | None:
        row = context.campaign_row
        if row is None:
            if self.subject == "umpire":
                return Note("umpire-which-campaign")
            return which_campaign(context) if self.subject else None
        if self.subject == "umpire" and "umpire" not in context.roles:
            return Note("umpire-only", {"campaign": row.id})
        if self.subject == "seat" and not context.seat:
            return Note("no-seat-here", {"campaign": row.id})
        return None
