"""What is foregone for a sheet's lines: which questions the exchange of letters cannot bring."""

from __future__ import annotations

from typing import Any

from engine.games.to_the_last_man.notation import OrderLine
from engine.games.to_the_last_man.view import View
from engine.kernel import suppositions

BETWEEN_TURNS = (  # questions of the windows in which both sides write
    "supply.loss", "production", "excess", "eft.loss", "season.bid", "season.first", "reinforce",
)  # fmt: skip
BIDDING = {"season.bid", "season.first"}


class Outlook(suppositions.Outlook):
    """2 What a Player Turn asks is not asked between two seasons, nor the other way round."""

    view: View

    def is_idle(self, line: Any) -> bool:
        part = self.window.rpartition(".")[2]
        if not isinstance(line, OrderLine) or part == "S":
            return False
        topics = {topic for clause in line.item.clauses() for topic in clause.topics}
        if not self.view.options["initiative_bidding"]:
            topics -= BIDDING
        between = topics.intersection(BETWEEN_TURNS)
        return not between if part in ("P", "R") else between == topics
