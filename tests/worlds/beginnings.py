"""Where pairs of worlds begin: seams of games by bots, an exchange there, and the terms of the campaign."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from engine.games import game
from engine.kernel.game import Tempo
from engine.kernel.journal import canonical
from engine.kernel.requests import Seat, Segment
from pbem.campaigns.deadlines import Bank, ClockTerms, Phase
from pbem.campaigns.policy import Policy
from tests.conformance.exchanges import PICKS, Exchange, Pick, anything
from tests.conformance.games import Case, cases
from tests.conformance.worlds import Shuffles, seam_of, start
from tests.worlds.apart import hidden_apart
from tests.worlds.world import Beginning

# Long games are tried in few cases elsewhere; here such ones are added as most people will play them.
PLAIN = tuple(Case(game("ttlm"), scenario, 2, {"length": "short"}) for scenario in ("1915", "1917"))
CASES = (*cases(), *PLAIN)
TEMPOS: tuple[Tempo, ...] = ("strict", "react", "strict", "fast")
POLICIES = (
    Policy(clock=ClockTerms(phases={"": Phase(days=4)})),
    Policy(
        clock=ClockTerms(phases={"": Phase(days=5, grace=24, missing=("substitute",))}), whole_sheets=True
    ),
    Policy(
        clock=ClockTerms(zone="Europe/Paris", phases={"": Phase(days=4)}), proof="token", resigned="automa"
    ),
    Policy(clock=ClockTerms(phases={"": Phase(days=4)}, bank=Bank(start=7200, increment=600, most=86400))),
)


def nothing(state: Any, seat: Seat, groups: Any, rng: Random) -> Exchange:
    """Both worlds lie alike."""
    return Exchange({})


# Of Trench Club nothing on the board is hidden once it is set up; orders, standing orders and people are.
AIMS: Mapping[str, tuple[Pick, ...]] = {"trench": (anything, nothing, nothing)}


def _start(
    case: Case, seat: Seat, rng: Random, aim: Pick
) -> tuple[bytes, bytes, Segment, Shuffles, Exchange]:
    if aim is not nothing:
        return start(case, seat, rng, aim)
    state, segment, piles = seam_of(case, rng)
    data = canonical(case.game.dump(state))
    return data, data, segment, piles, Exchange({})


def beginning(
    seed: int,
    tempo: Tempo | None = None,
    pick: Pick | None = None,
    players: int | None = None,
    game_id: str = "fww",
    scenario: str = "",
) -> Beginning:
    """The same for the same seed."""
    rng = Random(f"beginning {seed}")
    played = [one for one in CASES if one.game.id == game_id and scenario in ("", one.scenario)]
    played = [one for one in played if one.players > 1]  # alone nobody else has a secret
    case: Case = rng.choice([one for one in played if players in (None, one.players)])
    chosen, seat = tempo or TEMPOS[seed % len(TEMPOS)], rng.choice(case.seats)
    while True:
        aim = pick or rng.choice(AIMS.get(case.game.id, PICKS[case.game.id]))
        data, exchanged, segment, piles, exchange = _start(case, seat, rng, aim)
        if not exchange.mapping and not exchange.shifts:
            break  # only what people do and are is apart
        if hidden_apart(case.game.id, json.loads(data), json.loads(exchanged)):
            break  # other numbers on counters of one kind would be no secret
    language = rng.choice(("en", "fr"))
    policy = POLICIES[seed // len(TEMPOS) % len(POLICIES)]
    both = (data, exchanged)
    return Beginning(seed, case, chosen, seat, segment, both, exchange, language, policy, tuple(piles))
