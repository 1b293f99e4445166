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
from engine.kernel.fairness.luck import StakedThrow, staked_throws
from engine.kernel.game import Outcome
from engine.kernel.journal import canonical
from engine.kernel.records import read_segment
from engine.kernel.replay import is_kind
from engine.kernel.requests import Fact, Seat
from pbem.campaigns.bots import bot_rng, default_bot, find_bot
from pbem.campaigns.terms import Terms, agree_terms
from pbem.letters.course import TurnPast, turns_past
from pbem.letters.result import Chapter
from pbem.local.saved import advance, create_game, open_game
from pbem.store.campaigns import Keys
from pbem.store.journal import read_journal, read_records
from pbem.store.windows import SeatOrders, StoredReply


class Finished(NamedTuple):
    """All that is left of it."""

    terms: Terms
    ledger: Ledger
    views: dict[Seat, Any]
    outcome: Outcome
    last: tuple[Chapter, ...]  # what happened since the last letters
    draws: int  # in the journal
    facts: tuple[Fact, ...]  # of the whole game
    staked: tuple[StakedThrow, ...]
    past: tuple[TurnPast, ...]


@cache
def finished() -> Finished:
    terms = agree_terms("fww", players=4, tempo="fast", options={"no_surrender_before_turn": 3})
    place = Path(tempfile.mkdtemp(prefix="finished-")) / "campaign"
    dice = Secrets(Chain(H("finished chain", 9)), H("finished seal", 9))
    create_game(place, terms, {}, keys=Keys(dice, b"bots", b"mail"))
    bot = find_bot(terms.game, default_bot(terms.game))
    rngs = {seat: bot_rng(b"letters", seat) for seat in terms.seats}
    with open_game(place) as campaign:
        lines = []
        while campaign.pause is not None:
            replies: dict[Seat, dict[str, StoredReply]] = {}
            for question, ask in campaign.pause.asks:
                answer = bot(campaign.view(ask.seat), ask, rngs[ask.seat])
                reply = StoredReply(ask.topic, canonical(answer).decode())
                replies.setdefault(ask.seat, {})[question] = reply
            sent = {
                seat: SeatOrders(
                    replies=said, letters=(SentMark(f"<{seat}-{campaign.table.t}@example.org>"),)
                )
                for seat, said in replies.items()
            }
            lines = advance(campaign, sent)
        chapters: list[tuple[Any, list[Any]]] = [(None, [])]
        for line in lines:
            if is_kind(line, "seam"):
                chapters.append((read_segment(line.data), []))
            elif is_kind(line, "fact"):
                chapters[-1][1].append(campaign.table.codec.fact(line.data))
        outcome = terms.game.outcome(campaign.table.state)
        assert outcome is not None
        whole = read_journal(campaign.db, campaign.name)
        state, first = terms.game.set_up(terms.pack, terms.settings)
        return Finished(
            terms,
            Ledger(campaign.ledger.opening, dice, list(read_records(campaign.db, campaign.name))),
            {seat: campaign.table.view(seat) for seat in terms.seats},
            outcome,
            tuple(Chapter(segment, tuple(facts)) for segment, facts in chapters if facts),
            sum(is_kind(line, "draw") for line in campaign.table.journal.lines),
            tuple(campaign.table.codec.fact(line.data) for line in whole if is_kind(line, "fact")),
            tuple(staked_throws(terms.game, terms.pack, read_records(campaign.db, campaign.name))),
            turns_past(terms.game, state, first, whole),
        )
