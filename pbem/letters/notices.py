"""Notices: what the umpire did, what was proposed, who left, and troubles an umpire has to know of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from pbem.letters.dates import Moment
from pbem.letters.memo import Callout, Heading, Listing, Memo, Note, Part, Passage
from pbem.letters.occasions import wrapped

LONGEST_REPORT = 2000  # letters of what a program reported

# ------------------------------------------------------------------ umpires

# Act -> names of the facts its notice tells. Hidden content and addresses are never among them.
ACTS: Mapping[str, tuple[str, ...]] = {
    "hold": (),
    "release": ("until",),  # Moment or None
    "extend": ("until",),
    "force-dice": ("faces",),
    "ruling": ("text",),
    "rollback": ("to", "same_dice"),
    "whatif": (),
    "replace": ("who",),  # the seat
    "process": ("window",),
    "unseal": ("plays",),  # does an umpire hold a seat?
    "answer-for": ("who",),
    "restore": ("since", "window", "burnt", "anchor"),  # Moment or None; of a dice chain that begins anew
}


def umpire_notice(campaign: str, act: str, reason: str, facts: Mapping[str, Any] | None = None) -> Memo:
    """An umpire's act, told to every seat, and why. `facts`: those that ACTS names."""
    told = {name: (facts or {})[name] for name in ACTS[act]}
    about = {"campaign": campaign, **told}
    parts: list[Part] = []
    if act == "ruling":
        parts.append(wrapped(str(about["text"])))
    if reason.strip():
        parts.append(Note("notice-reason", {"reason": reason}))
    elif act not in ("ruling", "restore"):  # their words are their reason
        parts.append(Note("notice-no-reason"))
    parts += [Note(f"notice-{act}-more", about), Note("notice-recorded")]
    return Memo(Note("notice-subject", about), Note(f"notice-{act}", about), tuple(parts), campaign)


# ------------------------------------------------------------------ proposals

Proposal: TypeAlias = Literal["rollback", "armistice"]
Stage: TypeAlias = Literal["proposed", "agreed", "carried", "refused", "lapsed"]


def proposal_memo(
    campaign: str,
    proposal: Proposal,
    stage: Stage,
    who: str,
    *,
    to: str = "",
    missing: Sequence[str] = (),
    revealed: Sequence[str] = (),
) -> Memo:
    """How a proposal stands. `who` proposed, agreed or refused; `missing`: whose word is still awaited.

    `revealed`: what letters have told since then, and everybody goes on knowing after a rollback.
    """
    facts = {"campaign": campaign, "who": who, "to": to, "missing": tuple(missing)}
    parts: list[Part] = [Note(f"{proposal}-{stage}-more", facts)]
    if revealed and stage in ("proposed", "carried"):
        parts += [Heading(Note("rollback-revealed")), Passage(tuple(f" - {line}" for line in revealed))]
    if missing and stage in ("proposed", "agreed"):
        parts.append(Note("proposal-missing", facts))
    return Memo(
        Note(f"{proposal}-subject", facts), Note(f"{proposal}-{stage}", facts), tuple(parts), campaign
    )


def resignation_memo(campaign: str, who: str, then: Literal["substitute", "automa", "standing"]) -> Memo:
    """A seat was given up, and how it is played from now on."""
    facts = {"campaign": campaign, "who": who}
    parts = (Note(f"resigned-{then}", facts),)
    return Memo(Note("resigned-subject", facts), Note("resigned-headline", facts), parts, campaign)


GivingUp: TypeAlias = Literal["proposed", "refused", "withdrawn", "lapsed"]


def giving_up_memo(campaign: str, stage: GivingUp, who: str, until: Moment) -> Memo:
    """To an ally: `who` wants the side to give up, refuses that, takes it back, or plays no more.

    No enemy is told.
    """
    facts = {"campaign": campaign, "who": who, "until": until}
    parts: list[Part] = [Note(f"giving-up-{stage}-more", facts)]
    if stage == "proposed":
        parts.append(Callout(Note("giving-up-until", facts)))
    return Memo(Note("giving-up-subject", facts), Note(f"giving-up-{stage}", facts), tuple(parts), campaign)


def handover_memo(campaign: str, who: str, to: str) -> Memo:
    """The player of one seat has left it to the player of another."""
    facts = {"campaign": campaign, "who": who, "to": to}
    parts = (Note("handed-over-more", facts),)
    return Memo(Note("handed-over-subject", facts), Note("handed-over", facts), parts, campaign)


def substitute_memo(campaign: str, who: str, missed: int) -> Memo:
    """A seat has missed its windows: somebody is sought who takes it over."""
    facts = {"campaign": campaign, "who": who, "missed": missed}
    parts = (Note("substitute-meanwhile", facts), Note("substitute-how", facts))
    return Memo(Note("substitute-subject", facts), Note("substitute-headline", facts), parts, campaign)


def missed_memo(
    campaign: str, window: str, measure: Literal["standing", "automa", "substitute", "hold"]
) -> Memo:
    """To a seat whose letter did not come in time: what was done in its place."""
    facts = {"campaign": campaign, "window": window}
    parts = (Note(f"missed-{measure}", facts), Note("missed-next"))
    return Memo(Note("missed-subject", facts), Note("missed-headline", facts), parts, campaign)


def outage_memo(campaign: str, began: Moment, ended: Moment, deadline: Moment | None) -> Memo:
    """The service stood still; no player loses his turn by it."""
    facts = {"campaign": campaign, "began": began, "ended": ended, "until": deadline}
    parts: list[Part] = [Callout(Note("outage-until", facts))] if deadline is not None else []
    return Memo(
        Note("outage-subject", facts),
        Note("outage-headline", facts),
        (*parts, Note("outage-letters")),
        campaign,
    )


# ------------------------------------------------------------------ troubles, for umpires


def address_trouble_memo(
    campaign: str, who: str, name: str, state: Literal["bouncing", "suspended"], answer: str = ""
) -> Memo:
    """Letters to a seat come back. `answer`: what the other mail server said."""
    facts = {"campaign": campaign, "who": who, "name": name}
    parts: list[Part] = [Note(f"address-{state}", facts)]
    if answer.strip():
        parts += [Note("address-answer"), wrapped(answer)]
    parts.append(Note("address-do", facts))
    return Memo(Note("address-subject", facts), Note("address-headline", facts), tuple(parts), campaign)


def rules_crash_memo(campaign: str, where: str, error: str) -> Memo:
    """The rules broke off: nothing of that advance counts, and the campaign is held."""
    facts = {"campaign": campaign, "where": where}
    parts = (
        Note("crash-held", facts),
        _reported(error, "crash-error"),
        Listing((Note("crash-mend"), Note("crash-dice"), Note("crash-players"))),
    )
    return Memo(Note("crash-subject", facts), Note("crash-headline", facts), parts, campaign)


def broken_memo(campaign: str, error: str) -> Memo:
    """What is kept of a campaign cannot be taken up: nothing can be run, and the campaign is held."""
    facts = {"campaign": campaign}
    ways = Listing((Note("broken-look", facts), Note("broken-mend"), Note("crash-players")))
    parts = (Note("broken-held", facts), _reported(error, "crash-error"), ways)
    return Memo(Note("broken-subject", facts), Note("broken-headline", facts), parts, campaign)


def shunted_memo(campaign: str, letter: int, error: str) -> Memo:
    """A letter could not be heard because something unexpected happened: it is kept, not lost."""
    facts = {"campaign": campaign, "letter": letter}
    parts = (_reported(error, "shunted-error"), Note("shunted-do", facts))
    return Memo(Note("shunted-subject", facts), Note("shunted-headline", facts), parts, campaign)


def _reported(error: str, title: str) -> Passage:
    return Passage(tuple(error.strip()[:LONGEST_REPORT].splitlines()), Note(title))
