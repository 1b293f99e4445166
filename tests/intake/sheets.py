"""Random sheets of every game: its own lines, legal or not, altered, doubled, on conditions, standing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

from engine.kernel.game import View
from engine.kernel.requests import Ask
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.policy import Policy
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.conformance.games import ALL, POLICIES, STANDING, Case
from tests.conformance.sitting import examine

EACH_TOPIC = 12
MORE: Mapping[str, tuple[str, ...]] = {
    "fww": (
        "C1: PASS", "C2: PASS", "C1: ATTACK 3", "C1: ATTACK 3 WITH FR1", "C3: TRANSFER 3 > 1: DE1 DE2 DE3",
        "C2: MOVE 3: ALL > 9", "DRAW NO", "DRAW YES", "TREATY ACCEPT", "GRANT MEF", "OCCUPY 3: PARIS",
        "C1: IF TURN >= 2 THEN ATTACK 2 ELSE PASS", "DEFEND 3: LEAD STRONGEST", "DEFEND 3: TILE NONE",
        "REVEAL 3: ALL", "TILE BEST", "TILE NONE", "LEAD WEAKEST", "DEFEND ALL: ASK", "C4: ATTAK 3",
    ),
    "ttlm": (
        "PASS", "PLAY OFF", "PLAY LIM IF OPPHAND>3", "BATTLE NEW", "BATTLE NONE", "DONE", "BUY 3 CARDS",
        "AT LIE: ERSATZ MAX 1", "AT *: SAVE", "ALWAYS PASS", "SHIFT I:GE1>LOOSE", "MOVE GE1 LIE-PAR",
        "MOVE 30I:GE1 TO NAM", "MOVE FR I@LIE TO NAM", "BID 0", "BID OFF", "FIRST GE", "CRISIS",
        "BUILD I IN GE1",
        "PRODUCE CARDS LIMIT", "WEATHER NONE", "ALWAYS AT *: LOSE A LAST", "MOV GE1 TO NAM",
    ),
    "trench": (
        "ACTIVE A", "ACTIVE B", "PASS", "M INF1 > D5", "M GB.TNK1 > D6", "M DE.TNK1 > D6", "BUY INF B8 x2",
        "GIVE 2", "R TNK1", "FLIP A B C", "FLIP A A B", "DEFAULT HOLD", "DEFAULT AUTOMA", "MONEY LATER",
        "A TNK1 DE.HVY1", "PUT B8", "U TRK1 INF1@D4", "M TRK1 > D6", "SPLIT A: REST", "MARCH INF1",
    ),
}  # fmt: skip
CONDITIONS = {"fww": "{} IF TURN >= 2", "ttlm": "{} IF OPPHAND>3", "trench": "{} IF 3+"}


@cache
def corpus(name: str) -> tuple[str, ...]:
    """Lines that a game's own notation writes, from all over a game, and some of each other kind."""
    one, rng, met, found = ALL[name], Random(name), dict[str, int](), dict[str, None]()
    options = {"length": "short"} if name == "ttlm" else {}
    case = Case(one, one.scenarios[0], {"fww": 4}.get(name, 2), options)

    def visit(view: View, ask: Ask) -> None:
        met[ask.topic] = met.get(ask.topic, 0) + 1
        if met[ask.topic] <= EACH_TOPIC:
            text = one.notation.write_answer(ask, ask.options.sample(rng), "en")
            found.update(dict.fromkeys(text.split("\n")))
            if met[ask.topic] == 1:
                found.update(dict.fromkeys(POLICIES[name](view).split("\n")))

    examine(case, 1, visit)
    standing = [line for text in STANDING[name] for line in text.split("\n")]
    return tuple(line for line in dict.fromkeys([*found, *standing, *MORE[name] * 2]) if line.strip())


def random_line(name: str, rng: Random) -> str:
    """One line: as it is, on a condition, or with a word changed, doubled or left out."""
    line = rng.choice(MORE[name]) if rng.random() < 0.4 else rng.choice(corpus(name))
    kind, words = rng.random(), line.split()
    place = rng.randrange(len(words))
    if kind < 0.08:
        words[place] = rng.choice(rng.choice(corpus(name)).split())
    elif kind < 0.12:
        words.insert(place, words[place])
    elif kind < 0.15 and len(words) > 1:
        del words[place]
    elif kind < 0.22:
        return CONDITIONS[name].format(line)
    return " ".join(words)


def random_letter(name: str, rng: Random) -> str:
    """Free lines would be asked about as one: the orders stand in blocks."""
    rows = ["ORDERS", *(random_line(name, rng) for _ in range(rng.randint(1, 6))), "END"]
    if rng.random() < 0.3:
        rows += ["STANDING", *(random_line(name, rng) for _ in range(rng.randint(1, 4))), "END"]
        rows = rows if rng.random() < 0.7 else rows[rows.index("STANDING") :]
    if rng.random() < 0.1:
        rows.append(rng.choice(("1", "2", "Q1 1")))
    if rng.random() < 0.05:
        rows.insert(rng.choice((0, len(rows))), rng.choice(("CANCEL", "CANCEL 1")))
    return "\n".join(rows + (["READY"] if rng.random() < 0.1 else []))


def at_hand(name: str, folder: Path, number: int) -> tuple[AtHand, str]:
    """A campaign in one of several windows, and a seat that is awaited in it."""
    whole = number % 3 == 2
    players = {"fww": (4, 2, 4), "ttlm": (2, 2, 2), "trench": (2, 4, 2)}[name][number % 3]
    tempo, policy = ("fast", "react", "strict")[number // 2 % 3], Policy(whole_sheets=whole)
    at = campaign_at_hand(folder, players=players, game=name, name="CAMPAIGN-1", policy=policy, tempo=tempo)
    for _ in range({"fww": number % 2, "ttlm": 0, "trench": 40}[name]):  # past set-up and deployment
        if name == "trench" and load_campaign(at.db, at.name).table.state.round:
            break
        at.close()
    pause = load_campaign(at.db, at.name).pause
    assert pause is not None
    return at, str(pause.window.seats[number % len(pause.window.seats)])
