"""The games under test: all that are registered, the kernel's toy, and Patrol of docs/adding-a-game.md.

A new game has lines here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from inspect import getfile
from pathlib import Path
from random import Random
from typing import Any

from engine.games import GAMES, game
from engine.games.to_the_last_man.answers import LOOSE, Build, Place
from engine.games.trench_club.rules.forts import doors_of, is_conquerable
from engine.games.trench_club.rules.movement import reach
from engine.games.trench_club.rules.targets import candidates
from engine.kernel.game import Game, GameSettings, Tempo
from engine.kernel.register import FILE, load_register
from engine.kernel.requests import Answer, Ask, Seat
from tests.kernel import toy
from tests.toy_game.patrol.game import GAME as PATROL

DEAR = ("ttlm",)
TEMPOS: tuple[Tempo, ...] = ("fast", "react", "strict")
SIZE = int(
    os.environ.get("PBEM_CONFORMANCE", "1")
)  # 10: ten times as many games, questions and pairs of worlds
ALL: Mapping[str, Game] = {"toy": toy.GAME, "patrol": PATROL, **{name: game(name) for name in GAMES}}


@dataclass(frozen=True)
class Case:
    """A game with settings; the tempo is chosen by the test."""

    game: Game
    scenario: str
    players: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, tempo: Tempo = "fast") -> GameSettings:
        return GameSettings(self.scenario, self.players, tempo, self.options)

    @property
    def share(self) -> float:
        """How much of everything: half as much of a game whose every question is dear, in the usual size."""
        return SIZE / 2 if self.game.id in DEAR and SIZE < 10 else SIZE

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.game.seats(self.settings())

    def __str__(self) -> str:
        options = "".join(f"-{name}" for name in self.options)
        return f"{self.game.id}-{self.scenario}-{self.players}{options}"


# Optional rules and switches that change which questions are asked; the standard game is always played.
OPTIONS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "fww": (
        {"schlieffen_plan": True, "random_order": True},
        {"hand_scope": "player", "unreplaced_losses": "removed"},
        {"garrison_rule": "empty-fronts", "unopposed_attack_gives_surrender_point": True},
    ),
    "ttlm": (
        {"length": "short", "initiative_bidding": True, "historical_starting_cards": True},
        {"length": "short", "hidden_army_templates": False, "counter_attack": True, "suppress_armies": True},
        {"length": "short", "hidden_hand_size": True, "defender_scramble": True, "fortify": True},
    ),
    "trench": (
        {"automa_level": "hard", "trench_rules": True},
        {"second_round": "any_two", "unit_limit": 0},
        {"coop": True, "diceless": "all"},
        {"round_limit": 4, "fort_pass_through": False, "diceless": "DE FR", "trench_rules": True},
    ),
}

# Things told that make a stretch of two worlds long enough. Tokens are flipped within the set-up.
LONG_ENOUGH: Mapping[str, int] = {"trench": 3}


# Games so long that in the usual size each set of options, with a scenario and players of its own, has to do.
LONG: Mapping[str, tuple[tuple[str, int], ...]] = {
    "ttlm": (("1914", 2), ("1916", 2), ("1918", 2)),
    "trench": (("standard", 1), ("standard", 2), ("standard", 2), ("standard", 4)),
}


def cases() -> list[Case]:
    """Every scenario with every number of players, and every set of options once."""
    found = []
    for name, one in ALL.items():
        if name in LONG and SIZE < 10:
            rows = zip(LONG[name], OPTIONS[name], strict=True)
            found += [Case(one, scenario, players, options) for (scenario, players), options in rows]
            continue
        found += [Case(one, scenario, n) for scenario in one.scenarios for n in one.players]
        for number, options in enumerate(OPTIONS.get(name, ())):
            usual = (one.scenarios[0], one.players[number % len(one.players)])
            scenario, players = LONG[name][number] if name in LONG else usual
            found.append(Case(one, scenario, players, options))
    return found


def rules_of(one: Game) -> frozenset[str]:
    """The ids in the game's register."""
    if one.id == "toy":
        return toy.RULES
    return frozenset(load_register(Path(getfile(type(one))).parent / "data" / FILE).rules)


# ------------------------------------------------------------------ what the two worlds know of a game

# Standing orders for secret questions: what is on file for them must change nothing that others see.
STANDING: Mapping[str, tuple[str, ...]] = {
    "toy": ("", "ALWAYS HIDE H2\nALWAYS DROP NONE", "ALWAYS HIDE H3\nALWAYS DROP K1\nALWAYS DROP K2"),
    "patrol": ("", "ALWAYS HIDE BRI", "ALWAYS HIDE FAR\nALWAYS SEARCH BRI"),
    "fww": (
        "",
        "DEFEND ALL: TILE BEST\nATTACKTILE ALL: NONE",
        "DEFEND ALL: TILE ZERO NONE\nATTACKTILE ALL: BEST",
    ),
    "ttlm": (
        "",
        "ALWAYS AT *: ERSATZ MAX 2 KEEP OFFENSIVE\nALWAYS AT *: LOSE FORT FIRST\nALWAYS WEATHER IF BATTLES>1",
        "ALWAYS AT *: SAVE\nALWAYS AT *: BIPLANE GROUND\nALWAYS FORCED STRONGEST FIRST\nALWAYS RANK LIM, BAD",
    ),
    "trench": (
        "",
        "DEFAULT HOLD",
        "DEFAULT AUTOMA",
    ),  # its one secret question, the split, takes no standing order
}


def toy_policy(view: Any) -> str:
    own = "H2" if view.seat == "NORTH" else "H3"
    return (
        f"ALWAYS HIDE {own}\nALWAYS GUESS H3\nALWAYS DROP K4\nALWAYS DROP NONE\nALWAYS WAVE\nALWAYS MUTTER HM"
    )


def fww_policy(view: Any) -> str:
    """Each faction attacks on a front of its own four times a turn; everything else stands on file."""
    rows = []
    for faction, front in zip(("DE", "WA", "EA", "GA"), (3, 2, 7, 9), strict=True):
        if faction in view.factions:
            orders = [f"C{n}: ATTACK {front} WITH REAL TILE BEST LEAD STRONGEST" for n in (1, 2, 3, 4)]
            orders += [f"C{n}: ATTACK {front % 11 + 1} WITH REAL" for n in (2, 3)]
            orders += ["DEFEND ALL: TILE BEST LEAD WEAKEST", "DRAW YES DROP ZERO", "RETURN UNUSABLE"]
            name = f"{faction} " if len(view.factions) > 1 else ""
            rows += [f"{name}{order}" for order in orders]
    return "\n".join(rows)


TTLM_STANDING = """ALWAYS PLAY OFFENSIVE, LIMITED
ALWAYS BATTLE NEW
ALWAYS CARD GAS ON *
ALWAYS WEATHER IF BATTLES>=3
ALWAYS AT *: BIPLANE REACT
ALWAYS AT *: LOSE FORT FIRST; LOSE A LAST
ALWAYS FORCED WEAKEST FIRST
ALWAYS RANK OFF, ER3, SUR
ALWAYS EFTLOSS I, C FIRST
ALWAYS OOSLOSS * A, C
ALWAYS PLACE ANY
ALWAYS PRODUCE CARDS LIMIT, I FRONT
AT *: ERSATZ MAX 1 PER BATTLE KEEP OFFENSIVE"""


def ttlm_policy(view: Any) -> str:
    """A few armies advance on what the enemy holds; everything else stands on file."""
    moves: list[str] = []
    for army, area in view.army_at.items():
        ahead = [to for to in view.pack.areas[area].adjacent if view.status[to] == "enemy"]
        if view.pack.side_of[army] == view.side and ahead and len(moves) < 3:
            moves.append(f"MOVE {army} {area}-{ahead[0]} IF ENEMYPIECES<3")
    return "\n".join([*moves, TTLM_STANDING])


def trench_policy(view: Any) -> str:
    """Feet to the nearest fort and into it, the others somewhere; the same purchases whatever came of it."""
    position, rows = view.position, ["FLIP C A B"]
    if position.phase == "split" and not position.options["coop"]:
        rows.append("SPLIT A: INF CAV HVY / B: TNK CAR AIR / C: REST")
    for unit in position.units.values():
        if unit.nation != view.nation or position.active != view.camp or not unit.at:
            continue
        name, goals = unit.id.partition(".")[2], sorted(reach(position, unit.id))
        forts = [fort for fort in position.forts if is_conquerable(position, fort, view.camp)]
        taken = [fort for fort in doors_of(position, unit) if fort in forts]
        if position.type_of(unit.id).captures and forts:
            doors = [door for fort in forts for door in position.pack.forts[fort].approaches]
            goals.sort(key=lambda hex_: min(position.grid.distance(hex_, door) for door in doors))
            rows += [f"C {name} {fort}" for fort in taken[:1]]
        else:
            goals = goals[len(goals) // 3 :]
        rows += [f"M {name} > {goals[0]}"] if goals and not taken else []
        rows += [f"A {name} {enemy}" for enemy in candidates(position, unit.id)[:1]]
    rows += [f"BUY {code} {fort}" for fort in position.forts for code in ("CAV", "SPECIAL")]
    return "\n".join(rows)


# Orders for a whole turn, in notation: with them on file every tempo must give the same game.
POLICIES: Mapping[str, Callable[[Any], str]] = {
    "toy": toy_policy,
    "patrol": lambda view: f"ALWAYS HIDE {'BRI' if view.seat == 'RED' else 'FAR'}\nALWAYS SEARCH FAR",
    "fww": fww_policy,
    "ttlm": ttlm_policy,
    "trench": trench_policy,
}


def toy_sheet(view: Any, moved: Collection[str], state: Any) -> str:
    return "HIDE H2\nGUESS H3\nGUESS H9\nDROP K1\nDROP NONE\nWAVE\nMUTTER HM"


def fww_sheet(view: Any, moved: Collection[str], state: Any) -> str:
    """Attacks where exchanged counters stand, and replies to the questions that might follow."""
    fronts = [front for front, there in state["fronts"].items() if set(moved) & set(there)]
    rows = []
    for faction in view.factions:
        name = f"{faction} " if len(view.factions) > 1 else ""
        rows += [f"{name}ATTACK {front} WITH REAL" for front in (*fronts[view.round % 3 :], *fronts)]
        rows += [
            f"{name}{order}" for order in ("TILE BEST", "LEAD WEAKEST", "PASS", "C4: ATTACK 1 WITH REAL")
        ]
        rows += [f"{name}TAKE {location}" for location in list(view.pack.locations)[::3]]
    return "\n".join(dict.fromkeys(rows))


def ttlm_sheet(view: Any, moved: Collection[str], state: Any) -> str:
    """Moves and battles where exchanged counters stand, with conditions on what is there."""
    armies = [army for army, there in state["contents"].items() if set(moved) & set(there)]
    areas = list(dict.fromkeys(state["army_at"][army] for army in armies))[:4]
    rows = ["PLAY OFFENSIVE, LIMITED"]
    for area in areas:
        near = view.pack.areas[area].adjacent
        own = [
            army for army, at in view.army_at.items() if at in near and view.pack.side_of[army] == view.side
        ]
        rows += [f"MOVE {army} TO {area} IF ENEMY<4" for army in own]
        rows += [f"AT {area}: RETREAT ALL TO {near[0]} IF ENEMYINF OR ENEMY>2*OWN" for _ in near[:1]]
        rows += [f"CARD GAS ON {area} IF ENEMYCAV", f"AT {area}: ERSATZ MAX 1 IF ENEMYPIECES>1"]
    rows += [f"BATTLE {', '.join(areas)}"] if areas else []
    return "\n".join(dict.fromkeys([*rows, "PASS IF OPPHAND>5", "DISCARD ALL", "BUY 3 CARDS", "DONE"]))


def trench_sheet(view: Any, moved: Collection[str], state: Any) -> str:
    """Companies, placements and moves as if the numbers were known."""
    rows = ["FLIP B A C", "PLACE A: 0=INF N=CAV NE=HVY", "PLACE INF1@D5 CAV1@D4", "SPLIT A: REST"]
    rows += [
        f"M INF1 > {view.position.pack.starts[int(token[5:])]}" for token in moved if token[:5] == "TOKEN"
    ]
    return "\n".join([*rows, "A CAR1 D5", "BUY INF B2", "MONEY LATER"])


# Lines that a seat could send at any time: aimed at what was exchanged, the same in both worlds.
SHEETS: Mapping[str, Callable[[Any, Collection[str], Any], str]] = {
    "toy": toy_sheet,
    "patrol": lambda view, moved, state: "HIDE BRI\nSEARCH FAR\nSEARCH MIL",
    "fww": fww_sheet,
    "ttlm": ttlm_sheet,
    "trench": trench_sheet,
}


def mutter(ask: Ask, seat: Seat, rng: Random) -> Answer | None:
    return "HM" if ask.topic == "mutter" else None


def recall(ask: Ask, seat: Seat, rng: Random) -> Answer | None:
    """Germany asks for an army back; only its allies hear of it."""
    if ask.topic != "any_time" or ask.given.faction != "DE" or seat in ("DE", "GA", "CENTRAL"):
        return None
    asked = [act for act in ask.options.describe() if act.recalls]
    return rng.choice(asked) if asked else None


CLOSED = "hidden_army_templates"  # 11.2-02


def ttlm_as_seen(answer: Any, options: Mapping[str, Any]) -> Any:
    """0-13 Of counters that are placed in a closed army others learn the kinds alone."""
    placed = isinstance(answer, dict) and answer.get("kind") in ("place", "build") and not answer.get("army")
    if not placed or not options[CLOSED]:
        return answer
    hidden = dict.fromkeys(("area", "into"), "") if answer["into"] != LOOSE else {}
    return {**answer, **hidden}


# What others see of an answer, as plain data: two worlds go on together while that is the same.
AS_SEEN: Mapping[str, Callable[[Any, Mapping[str, Any]], Any]] = {"ttlm": ttlm_as_seen}


def into_another_army(ask: Ask, answer: Answer, view: Any, rng: Random) -> Answer | None:
    """The same counters go to another army that has infantry: nobody else sees to which."""
    if not isinstance(answer, (Place, Build)) or answer.into == LOOSE or not view.options[CLOSED]:
        return None
    infantry = [
        army for army, held in view.contents.items() if any(kind.endswith((".I", ".CW")) for kind, _ in held)
    ]
    others = [replace(answer, area=view.army_at[army], into=army) for army in infantry]
    fitting = [one for one in others if one != answer and ask.options.contains(one)]
    return rng.choice(fitting) if fitting and answer.into in infantry else None


def placed_in_armies(view: Any, world: int) -> list[str]:
    """One infantry more goes into an army, in each world into another one: nobody else sees into which."""
    world = world if view.options[CLOSED] else 0
    verb = {"reinforce": "PLACE", "production": "BUILD"}.get(view.phase)
    due = [kind for kind, _ in view.held] if verb == "PLACE" else ["GE.I", "FR.I", "UK.I"]
    rows: list[str] = []
    for nation, _, type_ in (kind.partition(".") for kind in due if verb and kind.endswith(".I")):
        slots = view.pack.templates[nation].inf
        armies = []
        for army, held in view.contents.items():
            infantry = sum(n for kind, n in held if kind.endswith((".I", ".CW", ".S")))
            if view.pack.armies[army].nation == nation and view.army_at[army] in view.supplied:
                armies += [army] if 0 < infantry < slots else []
        rows += [f"{verb} {nation} {type_} IN {armies[-world]}"] if armies and not rows else []
    return rows


# Lines of a sheet of which the seat sees the same in both worlds.
UNSEEN_LINES: Mapping[str, Callable[[Any, int], list[str]]] = {"ttlm": placed_in_armies}

# Another answer of which the seat sees the same; None: there is none.
UNSEEN: Mapping[str, Callable[[Ask, Answer, Any, Random], Answer | None]] = {"ttlm": into_another_army}


# An act of somebody else's that the seat neither sees nor hears of; None: nothing of the kind is offered.
QUIET: Mapping[str, Callable[[Ask, Seat, Random], Answer | None]] = {"toy": mutter, "fww": recall}
