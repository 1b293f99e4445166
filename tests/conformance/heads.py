"""Prints the heads of some games' journals: run with different hash seeds, they must be the same."""

from __future__ import annotations

import sys

from tests.conformance.games import cases
from tests.conformance.sitting import automatic, bot_of, campaign_of, oracles


def main() -> None:
    for case in cases():
        head = automatic(case, 11).journal.head.hex()
        campaign, say = campaign_of(case, "strict", 12), bot_of(case.game, "random", 12)
        pause = campaign.advance()
        while pause is not None and campaign.table.t < 60:
            pause = campaign.advance(oracles(case, say))
        sys.stdout.write(f"{case} {head} {campaign.table.journal.head.hex()}\n")


if __name__ == "__main__":
    main()
