"""A whole campaign of bots with audited dice, played to its end, for letters about it.

The same secrets each time, so the same game: whether a hand is left at the end is not up to luck.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.kernel.fairness.audit import Ledger, Secrets, SentMark
from engine.kernel.fairness.dice import Chain, H
from engine.kernel.game import Outcome
from engine.kernel.records import segment_of
from engine.kernel.replay import is_kind
from engine.kernel.requests import Answer, Seat
from pbem.campaigns import folder as campaigns
from pbem.campaigns.bots import bot_named, chance, usual_bot
from pbem.campaigns.desk import Handed
from pbem.campaigns.terms import Terms, agree_terms
from pbem.letters.result import Chapter


class Finished(NamedTuple):
    """All that is left of it."""

    terms: Terms
    ledger: Ledger
    views: dict[Seat, Any]
    outcome: Outcome
    last: tuple[Chapter, ...]  # what happened since the last letters
    draws: int  # in the journal


@cache
def finished() -> Finished:
    terms = agree_terms("fww", players=4, tempo="fast", options={"no_surrender_before_turn": 3})
    place = Path(tempfile.mkdtemp(prefix="finished-")) / "campaign"
    campaigns.create(place, terms, {}, secrets=Secrets(Chain(H("finished chain", 9)), H("finished seal", 9)))
    bot = bot_named(terms.game, usual_bot(terms.game))
    rngs = {seat: chance(b"letters", seat) for seat in terms.seats}
    with campaigns.opened(place) as campaign:
        lines = []
        while campaign.pause is not None:
            replies: dict[Seat, dict[str, Answer]] = {}
            for question, ask in campaign.pause.asks:
                answer = bot(campaign.table.view(ask.seat), ask, rngs[ask.seat])
                replies.setdefault(ask.seat, {})[question] = answer
            sent = {
                seat: Handed("", said, (SentMark(f"<{seat}-{campaign.table.t}@example.org>"),))
                for seat, said in replies.items()
            }
            lines = campaign.advance(sent)
        chapters: list[tuple[Any, list[Any]]] = [(None, [])]
        for line in lines:
            if is_kind(line, "seam"):
                chapters.append((segment_of(line.data), []))
            elif is_kind(line, "fact"):
                chapters[-1][1].append(campaign.table.codec.fact(line.data))
        outcome = terms.game.outcome(campaign.table.state)
        assert outcome is not None
        return Finished(
            terms,
            campaign.ledger,
            {seat: campaign.table.view(seat) for seat in terms.seats},
            outcome,
            tuple(Chapter(segment, tuple(facts)) for segment, facts in chapters if facts),
            sum(is_kind(line, "draw") for line in campaign.table.journal.lines),
        )
