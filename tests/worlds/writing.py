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
from pbem.intake.reply import ANSWERS_AN_HOUR, RECEIPTS_AN_HOUR
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
        self.both = CONTRADICTIONS[begin.case.game.id]

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
        return [
            Words(one)
            for one in (*asked, *labels, "MAP", "LIST", "RULE 6.1", "HELP", "STATUS\nHISTORY", "POSSIBLE")
        ]

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
        tried = (self.block(lines), "\n".join(lines[:2]), self.block([*lines[:2], self.both]))
        return [Words(f"CHECK\n{one}") for one in tried]

    def changing(self, rng: Random, orders: bool, free: bool) -> list[Words]:
        to, lines = rng.choice(self.others), self.pick(rng, self.lines, 4)
        found = [f"PRESS TO {to}: shall we?", "PRESS TO ALL: a word to all", "SALT thrown over the shoulder"]
        orders_kept = self.begin.standing(str(self.begin.seat), rng.choice((1, 2)))
        found += [f"STANDING\n{orders_kept}\nEND", "ABSENT 3 October 2027 - 9 October 2027"]
        found += [f"STANDING\n{orders_kept}\n{BAD_LINE}\nEND"]
        if self.awaited:
            found += [self.block(lines), "\n".join(lines[:2])] if orders else []
            found += ["WAIT"] if free else []
            found += [self.block([self.pick(rng, self.lines, 1)[0], self.both])] if orders else []
        ways = ("edited", "shunted") if self.awaited and orders else ()
        blocks = [Words(self.block(these), {"how": one}) for one in ways for these in (lines, [self.both])]
        return [*(Words(one) for one in found), *blocks]

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
            *([] if self.awaited else [Words(self.block(self.pick(rng, self.lines, 2)))]),
            Words("STATUS", {"how": "shunted"}),
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


BAD_LINE = "ATTACK 77 WITH NOBODY"
SIDE_LINES = {
    "fww": "DEFEND ALL: TILE BEST",
    "ttlm": "RANK OFF, ER3",
    "trench": "DEFAULT HOLD",
}  # no turn, and no answer to any question put alone
CONTRADICTIONS = {"fww": "C1: PASS\nC1: ATTACK 3", "ttlm": "PASS\nPLAY OFF", "trench": "ACTIVE A\nACTIVE B"}


class Noise(NamedTuple):
    """A letter of somebody else's that changes nothing in public."""

    text: str
    changes: Mapping[str, Any] = MappingProxyType({})
    times: int = 1
    only_of: str = "anybody"  # "unasked": whose answer is not waited for; "last": whose real orders come last


def noise(begin: Beginning, rng: Random, seat: str, label: str, awaited: bool) -> Noise:
    friends = [str(one) for one in begin.case.seats if one not in (seat, begin.seat)]
    texts = ["STATUS", "HISTORY", "HAND", "SHOW STANDING", f"SALT {rng.random()}", "ODDS ATTACK 1 WITH REAL"]
    kept, start = begin.standing(seat, rng.choice((1, 2))), f"ORDERS {NAME} {label}"
    texts += [f"STANDING\n{kept}\nEND", f"STANDING\n{kept}\n{BAD_LINE}\nEND"]
    texts += ["Is this thing on?", "CHECK\nPASS", f"PROPOSE ROLLBACK {NAME}"]
    texts += [f"ABSENT {1 + rng.randrange(27)} August 2027 - 30 August 2027"]
    texts += [f"PRESS TO {rng.choice(friends)}: {rng.random()}"] * 2 if friends else []
    found = [Noise(one) for one in texts]
    found.append(Noise("STATUS", {"how": "shunted"}))
    found.append(Noise("RESIGN", {"sender": STRANGER}))
    found.append(Noise(f"SALT {rng.random()}", times=ANSWERS_AN_HOUR + 3))
    found.append(Noise(f"STANDING\n{kept}\nEND", times=RECEIPTS_AN_HOUR + 2))
    bad, side = f"{start}\n{BAD_LINE}\nEND", SIDE_LINES[begin.case.game.id]
    if not awaited:
        return rng.choice([*found, Noise(f"{start}\nPASS\nEND"), Noise(bad)])
    held = f"{start}\n{side}\n{BAD_LINE}\nEND"  # which is kept for its good line
    both = f"{start}\n{side}\n{CONTRADICTIONS[begin.case.game.id]}\nEND"
    texts = ["WAIT", bad, held, both, f"PASS\nand what of {BAD_LINE}?"]
    found += [Noise(one, only_of="unasked") for one in texts]
    found += [
        Noise(one, {"how": how}, only_of="unasked") for one in (held, both) for how in ("edited", "shunted")
    ]
    return rng.choice([*found, Noise(f"{start}\n{side}\nEND", only_of="last")])


def asked_about(text: str) -> str:
    """The same orders with a line that holds them."""
    head, end, rest = text.partition("\nEND")
    return f"{head}\n{BAD_LINE}{end}{rest}" if end and head.startswith("ORDERS") else text


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
