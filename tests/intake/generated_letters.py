"""Letters made of everything that may stand in one: commands of the registry, orders of the games, and talk.

A new verb takes part by itself, with those arguments of the pool that it accepts; a new game with the orders
that the conformance tests know of it, with its form and with answers to its open questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.policy import default
from functools import cache
from itertools import combinations_with_replacement, cycle, islice
from random import Random

from engine.games import GAMES
from engine.kernel.game import Language
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import Campaign, load_campaign
from pbem.orders.arguments import Awaiting
from pbem.orders.understood import Circumstances, Command, Writer
from pbem.orders.vocabulary import ANYBODY, Fault
from pbem.verbs.registry import REGISTRY
from tests.campaigns_at_hand import NOW
from tests.conformance.games import POLICIES, SHEETS, STANDING
from tests.intake.stages import STOPS, Stage, Way, stage

LANGUAGES: tuple[Language, ...] = ("en", "fr")
MOST_LINES = 5  # of a sheet
MOST_OPTIONS = 40
LONG = 11  # one letter of so many is long
WAYS: tuple[Way, ...] = ("token", "plain", "nameless")

TALK = ("Good evening, and thank you for the last turn!", "What is going on here?", "Merci, à bientôt.")
ODD = (
    "ORDERS\nEND", "ORDERS {campaign} T9.R\nPASS\nEND", "STANDING\nEND", "ORDERS\nATTACK 77 WITH NOBODY\nEND",
    "Q1 1", "Q9 1", "1", "2", "77", "STANDING\nDANCE\nEND", "> STATUS", "-- \nSTATUS", "STATUS?", "STATSU",
)  # fmt: skip

# What may follow a verb. Each verb is written with all that it accepts, and with one thing that it does not.
ARGUMENTS = (
    "", "{campaign}", "{seat}", "{other}", "{campaign} {seat}", "{other}: a word\nor two",
    "ALL: a word to all", "UMPIRE: is anybody there?", "ALL {other} UMPIRE: <b>&amp; words</b>", "YES",
    "NO", "OFF", "ACCEPT", "DECLINE", "FOR ALL", "1", "2 3", "LINE 1", "3 5 1", "T1", "T1.R", "TO T1",
    "{window}", "{window} SAME DICE", "fr", "en", "Europe/Paris", "UTC", "6.1", "9.9", "orders", "press",
    "FWW 2 fast", "TRENCH", "TTLM AS X-9", "new@elsewhere.test", "{other} BY new@elsewhere.test", "24 h",
    "2 days", "to 3 December 2026", "3 December 2026 to 10 December 2026", "3/8", "seven blue elephants",
    "NONE", "{line}", "{other}: {line}", "{other}: 1", "{line} BECAUSE of the weather", "REACH {piece}",
    "REACH {piece} ", "REACH  {piece}", "REACH NOBODY", "OUI", "NON", "REFUSER", "ATTACK 3",
    "because the mail was down", "AT {window}: {other}: {line}",
)  # fmt: skip


@dataclass(frozen=True)
class Generated:
    """One letter: to which campaign, from whom, and its text."""

    game: str
    stop: str
    role: Writer
    writer: str
    text: str
    way: Way = "token"

    def __str__(self) -> str:
        return f"{self.game} {self.stop} {self.role} {self.writer} {self.way}:\n{self.text}"


@cache
def pool(game: str, stop: str, writer: str) -> Mapping[str, tuple[str, ...]]:
    """Every kind of thing that may stand in a letter to one campaign, and the ways it is written there.

    As that seat would write it; "": somebody without a seat.
    """
    made = stage(game, stop)
    here = load_campaign(made.made.db, made.made.name)
    seats = made.made.seats
    seat = writer or seats[0]
    lines = order_lines(made, here, seat)
    words = _words(made, here, seat, lines)
    kinds: dict[str, tuple[str, ...]] = {}
    for verb in REGISTRY.verbs:
        rng = Random(f"{verb.symbol} {game} {stop} {writer}")  # elsewhere others are chosen
        ways = [way for language in LANGUAGES for way in verb_patterns(verb.in_language(language)[0], seats)]
        kinds[verb.symbol] = tuple(way.format(**rng.choice(words)) for way in ways)
    kinds |= _orders(lines, made, seat)
    kinds["talk"] = TALK
    kinds["odd"] = tuple(one.format(**words[0]) for one in ODD)
    made.made.db.dispose()
    return kinds


@cache
def verb_patterns(spelling: str, seats: tuple[str, ...]) -> tuple[str, ...]:
    """The verb with everything of the pool that it accepts, and with something that it does not."""
    circumstances = Circumstances(campaign="X-1", writer=ANYBODY, today=NOW.date(), seats=seats)
    names = {"campaign": "X-1", "seat": seats[0], "other": seats[-1], "line": "PASS", "piece": "A1"}
    good, bad = list[str](), list[str]()
    for argument in ARGUMENTS:
        pattern = f"{spelling} {argument}".strip()
        first, below, _ = pattern.partition("\n")
        found = REGISTRY.read(first.format(**names, window="T1"), circumstances)
        if isinstance(found, Awaiting):
            good.append(f"{first}\nwords of several\nlines\nEND")
        elif isinstance(found, Command) or (isinstance(found, Fault) and found.question is not None):
            good.append(pattern if below else first)
        else:
            bad.append(first)
    assert good, f"{spelling} takes none of the arguments here: give it one"
    return (*good, *bad[:1])


# ------------------------------------------------------------------ orders


def order_lines(made: Stage, here: Campaign, seat: str) -> list[str]:
    """Lines of the game's notation: what its tests send, what its form shows, answers to open questions."""
    if here.table.state is None:
        return ["PASS"]
    view, game = here.view(Seat(seat)), made.game
    lines = POLICIES[game](view).splitlines() + _form_lines(made, seat)
    data = here.terms.game.dump(here.table.state)
    lines += SHEETS[game](view, (), data).splitlines()
    notation, rng = here.terms.game.notation, Random(f"{game} {made.name} {seat}")
    for _, ask in here.open_asks().get(Seat(seat), ()):
        options = list(islice(ask.options.describe(), MOST_OPTIONS))
        for answer in rng.sample(options, min(3, len(options))):
            for language in LANGUAGES:
                lines += notation.write_answer(ask, answer, language, view).splitlines()
    return [line for line in dict.fromkeys(lines) if line.strip()]


def _form_lines(made: Stage, seat: str) -> list[str]:
    """Those of the form in the seat's last letter, with the marks of a comment taken away."""
    letters = made.made.letters(seat, "result")
    if not letters:
        return []
    part = message_from_bytes(letters[0].letter.body, policy=default).get_body(("plain",))
    rows = [] if part is None else str(part.get_content()).splitlines()
    heads = [number for number, row in enumerate(rows) if row.startswith(("ORDERS ", "ORDRES "))]
    if not heads:
        return []
    form = rows[heads[0] + 1 :]
    ends = [number for number, row in enumerate(form) if row.strip() in ("END", "FIN")]
    return [row.lstrip("# ").rstrip() for row in form[: ends[0] if ends else 0]]


def _orders(lines: Sequence[str], made: Stage, seat: str) -> dict[str, tuple[str, ...]]:
    rng = Random(f"orders {made.game} {made.name} {seat}")
    some = [rng.sample(lines, min(rng.randint(1, MOST_LINES), len(lines))) for _ in range(12)]
    blocks = ["\n".join(["ORDERS", *rows, "END"]) for rows in some]
    standing = [one for one in STANDING[made.game] if one]
    return {
        "line": tuple(lines),
        "several lines": tuple("\n".join(rows) for rows in some),
        "block": (*blocks, *(f"ORDRES{one[6:-3]}FIN" for one in blocks)),
        "standing line": tuple(row for one in standing for row in one.splitlines()),
        "standing block": tuple(f"STANDING\n{one}\nEND" for one in standing),
    }


def _words(made: Stage, here: Campaign, seat: str, lines: Sequence[str]) -> list[dict[str, str]]:
    """What stands for the names in the patterns; several, so that not all letters name the same."""
    seats, rng = list(made.made.addresses), Random(f"{made.game} {made.name} {seat}")
    segment = here.table.segment
    found = []
    for _ in range(7):
        line = rng.choice(lines)
        pieces = [word for one in lines for word in one.split() if any(sign.isdigit() for sign in word)]
        found.append(
            {
                "campaign": made.made.name,
                "seat": seat,
                "other": rng.choice([one for one in seats if one != seat] or seats),
                "line": line,
                "piece": rng.choice(pieces or ["NOBODY"]),
                "window": "T1" if segment is None else segment.key,
            }
        )
    return found


# ------------------------------------------------------------------ letters

ROLES: tuple[Writer, ...] = ("player", "umpire", "observer", "stranger")
NO_VERBS = ("line", "several lines", "block", "standing line", "standing block", "talk", "odd")


@cache
def planned_letters() -> tuple[tuple[str, str, Writer, tuple[str, str]], ...]:
    """Game, stop, role and two kinds of things: for each role each pair at every stop, and in every game."""
    games, planned = sorted(GAMES), list[tuple[str, str, Writer, tuple[str, str]]]()
    for role in ROLES:
        for number, pair in enumerate(pairs(role)):
            for turn, stop in enumerate(STOPS):
                planned.append((games[(number + turn) % len(games)], stop, role, pair))
    Random("letters").shuffle(planned)
    return tuple(planned)


def pairs(role: Writer) -> Iterator[tuple[str, str]]:
    """Of what the role may write, each with itself too; then what it may not, each with something."""
    own = [verb.symbol for verb in REGISTRY.verbs if role in verb.who] + list(NO_VERBS)
    strange = [verb.symbol for verb in REGISTRY.verbs if role not in verb.who]
    yield from combinations_with_replacement(own, 2)
    yield from zip(strange, cycle(own), strict=False)


def letters(first: int, step: int) -> Iterator[Generated]:
    """Every so-many-th of all, from one on; every third letter says one thing more, some say many."""
    for number, (game, stop, role, pair) in islice(enumerate(planned_letters()), first, None, step):
        rng, chosen = Random(f"letter {number}"), list(pair)
        if number % 3 == 2:
            chosen.append(rng.choice((*NO_VERBS, *pair, rng.choice(REGISTRY.verbs).symbol)))
        if number % LONG == 1:  # also the same more than once
            chosen += rng.choices(
                (*pair, *NO_VERBS, *(one.symbol for one in REGISTRY.verbs)), k=rng.randint(3, 9)
            )
        yield _letter(rng, game, stop, role, chosen)


def _letter(rng: Random, game: str, stop: str, role: Writer, chosen: Sequence[str]) -> Generated:
    writer = rng.choice(stage(game, stop).writers[role])
    known = pool(game, stop, writer if role == "player" else "")
    parts = [rng.choice(known[kind]) for kind in rng.sample(chosen, len(chosen))]
    way = rng.choices(WAYS, (8, 1, 1))[0]
    return Generated(game, stop, role, writer, rng.choice(("\n", "\n\n")).join(parts), way)
