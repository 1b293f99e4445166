"""Notices: what the umpire did, what was proposed, who left, press, and troubles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from pbem.letters.dates import Moment
from pbem.letters.memo import (
    Callout,
    Heading,
    Listing,
    Memo,
    Note,
    Part,
    Passage,
    TellsDeadline,
    memo_about,
    quote,
)

LONGEST_REPORT = 2000  # characters of an error report

# ------------------------------------------------------------------ umpires

# Act -> names of the facts in its notice. Hidden content and addresses are never among them.
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
    """An umpire's act and its reason, for every seat. `facts`: those that ACTS names."""
    about = {"campaign": campaign, **{name: (facts or {})[name] for name in ACTS[act]}}
    parts: list[Part] = [quote(str(about["text"]))] if act == "ruling" else []
    if reason.strip():
        parts.append(Note("notice-reason", {"reason": reason}))
    elif act not in ("ruling", "restore"):  # their words are their reason
        parts.append(Note("notice-no-reason"))
    parts += [Note(f"notice-{act}-more", about), Note("notice-recorded")]
    told = f"notice-{act}"
    memo = Memo(Note(f"{told}-subject", about), Note(told, about), tuple(parts), campaign)
    if act in ("extend", "release") and about["until"] is not None:
        return replace(memo, deadline=TellsDeadline(about["until"].at))
    return replace(memo, deadline=TellsDeadline(state="held")) if act == "hold" else memo


def press_memo(
    campaign: str, sender: str, to: Sequence[str], text: str, *, umpire: bool = False, name: str = ""
) -> Memo:
    """The words of another seat. `sender` "": the umpire's; `to`: seats, or ALL."""
    facts = {"campaign": campaign, "sender": sender, "name": name, "to": tuple(to), "umpire": umpire}
    return memo_about("press", facts, quote(text), Note("press-answer", facts))


# ------------------------------------------------------------------ proposals

ProposalKind: TypeAlias = Literal["rollback", "armistice"]
ProposalStage: TypeAlias = Literal["proposed", "agreed", "carried", "refused", "lapsed"]


def proposal_memo(
    campaign: str,
    proposal: ProposalKind,
    stage: ProposalStage,
    who: str,
    *,
    to: str = "",
    missing: Sequence[str] = (),
    revealed: Sequence[str] = (),
) -> Memo:
    """The state of a proposal. `who` proposed, agreed or refused; `missing`: who has not answered yet.

    `revealed`: what letters have told since then; after a rollback everybody still knows it.
    """
    facts = {"campaign": campaign, "who": who, "to": to, "missing": tuple(missing), "stage": stage}
    parts: list[Part] = [Note(f"{proposal}-{stage}-more", facts)]
    if revealed and stage in ("proposed", "carried"):
        parts += [Heading(Note("rollback-revealed")), Passage(tuple(f" - {line}" for line in revealed))]
    if missing and stage in ("proposed", "agreed"):
        parts.append(Note("proposal-missing", facts))
    return memo_about(proposal, facts, *parts, headline=f"-{stage}")


# ------------------------------------------------------------------ seats that are given up


def resignation_memo(campaign: str, who: str, then: Literal["substitute", "automa", "standing"]) -> Memo:
    """A seat was given up, and how it is played from now on."""
    facts = {"campaign": campaign, "who": who}
    return memo_about("resigned", facts, Note(f"resigned-{then}", facts))


ResignationStage: TypeAlias = Literal["proposed", "refused", "withdrawn", "lapsed"]


def side_resignation_memo(campaign: str, stage: ResignationStage, who: str, until: Moment) -> Memo:
    """To an ally: `who` wants the side to give up, refuses that, takes it back, or plays no more.

    No enemy is told.
    """
    facts = {"campaign": campaign, "who": who, "until": until, "stage": stage}
    parts: list[Part] = [Note(f"giving-up-{stage}-more", facts)]
    if stage == "proposed":
        parts.append(Callout(Note("giving-up-until", facts)))
    return memo_about("giving-up", facts, *parts, headline=f"-{stage}")


def handover_memo(campaign: str, who: str, to: str) -> Memo:
    """The player of one seat has left it to the player of another."""
    facts = {"campaign": campaign, "who": who, "to": to}
    return memo_about("handed-over", facts, Note("handed-over-more", facts), headline="")


def substitute_memo(campaign: str, who: str, missed: int) -> Memo:
    """A seat has missed its windows: a substitute is wanted."""
    facts = {"campaign": campaign, "who": who, "missed": missed}
    return memo_about("substitute", facts, Note("substitute-meanwhile", facts), Note("substitute-how", facts))


def seat_wanted_memo(
    campaign: str, name: str, address: str, wishes: Sequence[str], vacant: Sequence[str], offered: str
) -> Memo:
    """Somebody would like to take over a seat of a running campaign; `offered`: the one that suits best."""
    facts = {"campaign": campaign, "name": name, "address": address, "wishes": tuple(wishes)}
    how = Note("seat-wanted-how", facts | {"vacant": tuple(vacant), "offered": offered})
    return memo_about("seat-wanted", facts, how)


# ------------------------------------------------------------------ troubles


def outage_memo(campaign: str, began: Moment, ended: Moment, deadline: Moment | None) -> Memo:
    """The service was down; no player loses a turn by it."""
    facts = {"campaign": campaign, "began": began, "ended": ended, "until": deadline}
    until = [Callout(Note("outage-until", facts))] if deadline is not None else []
    memo = memo_about("outage", facts, *until, Note("outage-letters"))
    return memo if deadline is None else replace(memo, deadline=TellsDeadline(deadline.at))


def address_trouble_memo(
    campaign: str, who: str, name: str, state: Literal["bouncing", "suspended"], answer: str = ""
) -> Memo:
    """Letters to a seat bounce. `answer`: what the other mail server said."""
    facts = {"campaign": campaign, "who": who, "name": name}
    parts: list[Part] = [Note(f"address-{state}", facts)]
    if answer.strip():
        parts += [Note("address-answer"), quote(answer)]
    return memo_about("address", facts, *parts, Note("address-do", facts))


def rules_crash_memo(campaign: str, where: str, error: str) -> Memo:
    """The rules crashed: nothing of that advance counts, and the campaign is held."""
    facts = {"campaign": campaign, "where": where}
    ways = Listing((Note("crash-mend"), Note("crash-dice"), Note("crash-players")))
    return memo_about("crash", facts, Note("crash-held", facts), _report(error, "crash-error"), ways)


def broken_memo(campaign: str, error: str) -> Memo:
    """A campaign cannot be loaded: nothing can be run, and it is held."""
    facts = {"campaign": campaign}
    ways = Listing((Note("broken-look", facts), Note("broken-mend"), Note("crash-players")))
    return memo_about("broken", facts, Note("broken-held", facts), _report(error, "crash-error"), ways)


def shunted_memo(campaign: str, letter: int, error: str) -> Memo:
    """A letter could not be processed because of an unexpected error: it is kept, not lost."""
    facts = {"campaign": campaign, "letter": letter}
    return memo_about("shunted", facts, _report(error, "shunted-error"), Note("shunted-do", facts))


def shunted_to_writer_memo(campaign: str, arrived: Moment, outcome: str, lines: Sequence[str]) -> Memo:
    """To whoever wrote it. `outcome`: what became of its orders, as in a receipt; "": nothing is done."""
    kept = outcome if outcome in ("filed", "held", "filed-untried", "held-untried") else "nothing"
    shown = (Passage(tuple(f"    {line}" for line in lines)),) if lines and kept != "nothing" else ()
    facts = {"campaign": campaign, "arrived": arrived}
    parts = (Note(f"shunted-writer-{kept}"), *shown, Note("shunted-writer-do", facts))
    return memo_about("shunted-writer", facts, *parts)


def _report(error: str, title: str) -> Passage:
    return Passage(tuple(error.strip()[:LONGEST_REPORT].splitlines()), Note(title))
