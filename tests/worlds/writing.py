"""What is written in the two worlds: by the reader and the observer the same, by all others not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.kernel.requests import Answer, Ask, Seat
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.deadlines import label_of, turn_of
from pbem.store.windows import OpenWindow
from tests.conformance.games import POLICIES, SHEETS, UNSEEN_LINES
from tests.worlds.world import NAME, OF_OTHERS, READER_TOO, STRANGER, Beginning

MOST_NUMBERED = 200  # answers that may be called by their numbers


class Words(NamedTuple):
    """A letter's text, and what is unusual about it."""

    text: str
    changes: Mapping[str, Any] = MappingProxyType({})


# ------------------------------------------------------------------ the reader


class Battery:
    """Letters that the seat may write at any time, aimed at what was exchanged; the same in both worlds."""

    def __init__(self, begin: Beginning, here: Campaign, state: Any, window: OpenWindow) -> None:
        self.begin, self.here, self.window = begin, here, window
        view = here.table.view(begin.seat)
        moved = begin.exchange.moved
        self.lines = SHEETS[begin.case.game.id](view, moved, state).splitlines()
        self.label, self.awaited = label_of(window), begin.seat in window.seats
        self.others = [str(seat) for seat in begin.case.seats if seat != begin.seat]

    def some(self, rng: Random, number: int, *, orders: bool, free: bool) -> list[Words]:
        """Several of one letter each, with one that asks about the board.

        `orders`: there may be orders among them; `free`: and what takes them back, or puts the end off.
        """
        changing, odd = self.changing(rng, orders, free), self.odd(rng, free)
        kinds = [self.questions(rng), self.plain(rng), changing, odd, self.trials(rng)]
        chosen = [self.trials(rng), *rng.sample(kinds, len(kinds))][:number]
        return [rng.choice(kind) for kind in chosen]

    def plain(self, rng: Random) -> list[Words]:
        turn = turn_of(self.label)
        asked = ("STATUS", "HISTORY", f"HISTORY {turn}", "SHOW STANDING", "HAND", "VERIFY", f"VERIFY {turn}")
        labels = (f"VERIFY {self.label}", f"HISTORY {self.label}", f"STATUS {NAME}")
        return [Words(one) for one in (*asked, *labels, "MAP", "LIST", "RULE 6.1", "HELP", "STATUS\nHISTORY")]

    def questions(self, rng: Random) -> list[Words]:
        """ODDS of attacks, and of every battle that a line names."""
        asked: list[str] = []
        for line in self.lines:
            verb, _, rest = line.partition(" ")
            if verb == "BATTLE":
                asked += [f"ODDS BATTLE {area}" for area in rest.split(", ")]
            elif verb == "MOVE" and " TO " in rest:
                army, _, goal = rest.partition(" TO ")
                asked.append(f"ODDS {goal.partition(' ')[0]} WITH {army}")
            elif "ATTACK" in line.split() and ":" not in line:
                asked.append(f"ODDS {line}")
        return [Words("\n".join(self.pick(rng, asked, 3)))]

    def trials(self, rng: Random) -> list[Words]:
        """CHECK: what is refused, what cannot be tested."""
        lines = self.pick(rng, self.lines, 6)
        return [Words(f"CHECK\n{self.block(lines)}"), Words("CHECK\n" + "\n".join(lines[:2]))]

    def changing(self, rng: Random, orders: bool, free: bool) -> list[Words]:
        to, lines = rng.choice(self.others), self.pick(rng, self.lines, 4)
        found = [f"PRESS TO {to}: shall we?", "PRESS TO ALL: a word to all", "SALT thrown over the shoulder"]
        orders_kept = self.begin.standing(str(self.begin.seat), rng.choice((1, 2)))
        found += [f"STANDING\n{orders_kept}\nEND", "ABSENT 3 October 2027 - 9 October 2027"]
        if self.awaited:
            found += [self.block(lines), "\n".join(lines[:2])] if orders else []
            found += ["WAIT"] if free else []
        return [Words(one) for one in found]

    def odd(self, rng: Random, free: bool) -> list[Words]:
        """Letters that are refused, held, asked about, or tell whom else somebody knows."""
        foreign = f"bertil@{OF_OTHERS[0][2]}"
        press = f"PRESS TO {rng.choice(self.others)}: is {foreign} or nobody@{STRANGER[-12:]} yours?"
        found = [Words("CONFIRM", {"kind": "question"}), Words("CANCEL")] if free else []
        return [
            *found,
            Words("What is going on here?"),
            Words("AGREE"),
            Words("STATUS", {"sender": READER_TOO}),
            Words("WAIT", {"sender": STRANGER}),
            Words("HISTORY", {"sender": STRANGER}),
            Words(press),
            Words("STATUS", {"cc": [foreign]}),
            Words(f"ORDERS {NAME} T9.R\nPASS\nEND"),
            Words("FORCE DICE 6 6 6"),
            Words("RESIGN NO"),
            Words(f"REPLACE {rng.choice(self.others)} BY {READER_TOO}"),
            Words(f"ROLLBACK {self.label}"),
            Words(f"PROPOSE ROLLBACK {turn_of(self.label)}"),
        ]

    def block(self, lines: Sequence[str]) -> str:
        body = "\n".join(lines)
        return f"ORDERS {NAME} {self.label}\n{body}\nEND"

    @staticmethod
    def pick(rng: Random, lines: Sequence[str], most: int) -> list[str]:
        return rng.sample(list(lines), min(most, len(lines)))


OBSERVERS = ("STATUS", "MAP", "HISTORY", "VERIFY", "HAND", "ORDERS")


# ------------------------------------------------------------------ the others


def noise(begin: Beginning, rng: Random, seat: str, label: str, awaited: bool) -> str:
    """A letter of somebody else's that changes nothing in public."""
    friends = [str(one) for one in begin.case.seats if one not in (seat, begin.seat)]
    found = ["STATUS", "HISTORY", "HAND", "SHOW STANDING", f"SALT {rng.random()}", "ODDS ATTACK 1 WITH REAL"]
    found += [
        f"STANDING\n{begin.standing(seat, rng.choice((1, 2)))}\nEND",
        "Is this thing on?",
        "CHECK\nPASS",
    ]
    found += [f"ABSENT {1 + rng.randrange(27)} August 2027 - 30 August 2027"]
    found += [f"PRESS TO {rng.choice(friends)}: {rng.random()}"] * 2 if friends else []
    if awaited:
        found += ["WAIT", f"ORDERS {NAME} {label}\nATTACK 77 WITH NOBODY\nEND"]
    return rng.choice(found)


def is_in_the_way(text: str) -> bool:
    """Would the window wait for more after this one?"""
    return text == "WAIT" or text.startswith("ORDERS")


def policy(here: Campaign, seat: str, label: str, world: int) -> str:
    """Orders for a whole window; in each world others do, unseen, something else."""
    view, game = here.table.view(Seat(seat)), here.terms.game.id
    rows = [*(UNSEEN_LINES[game](view, world) if game in UNSEEN_LINES else ()), POLICIES[game](view)]
    return "\n".join([f"ORDERS {NAME} {label}", *rows, "END"])


def answered(here: Campaign, seat: str, answers: Sequence[tuple[int, Ask, Answer]], numbers: bool) -> str:
    """Answers to open questions: by their numbers or as order lines."""
    write, view = here.terms.game.notation.write_answer, here.table.view(Seat(seat))
    several, rows = len(here.open_asks().get(Seat(seat), ())) > 1, []
    for number, ask, answer in answers:
        described = list(islice(ask.options.describe(), MOST_NUMBERED))
        if numbers and answer in described:
            place = described.index(answer) + 1
            rows.append(f"Q{number} {place}" if several else f"{place}")
        else:
            rows.append(write(ask, answer, "en", view))
    return "\n".join(row for row in rows if row)
