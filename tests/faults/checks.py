"""What must be true when all is quiet again: nothing lost, nothing doubled, everything in one state."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import select
from typer.testing import CliRunner, Result

from engine.kernel.errors import EngineError
from pbem import verify_dice
from pbem.campaigns.replay import replay_stored
from pbem.cli.main import app
from pbem.errors import PbemError
from pbem.store.journal import read_journal
from pbem.store.schema import campaigns, closes
from pbem.store.schema_mail import inbox, outbox
from pbem.store.session import reading, single_view
from tests.faults.ground import Ground
from tests.faults.oddities import STATES
from tests.faults.players import Person

FINAL: Final = frozenset({"applied", "held", "refused", "set-aside", "quarantined"})
TOOK_EFFECT: Final = frozenset({"applied", "held"})
ANSWERS: Final = ("receipt", "answer", "question")


@dataclass(slots=True)
class Findings:
    """Counts for the report, and whatever is wrong."""

    counts: dict[str, int] = field(default_factory=dict)
    states: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def check(self, holds: bool, what: str) -> None:
        if not holds:
            self.wrong.append(what)


def rows(ground: Ground, table: Any, *columns: str) -> list[Any]:
    with reading(ground.service.db) as tx:
        found = tx.execute(select(*(table.c[one] for one in columns)))
        return [tuple(row) for row in found]


def is_quiet(ground: Ground, *, tidy: bool = True) -> bool:
    """Nothing waits, and nothing lies in the inbox (`tidy`: what was read lies there for some seconds).

    The mail server is asked first, and all the rest in one view of the database after it: a letter on its
    way from the one to the other is seen at least once.
    """
    if tidy:
        with ground.mailbox() as client:
            if client.folder_status("INBOX", ["MESSAGES"])[b"MESSAGES"]:
                return False
    there = set() if tidy else on_server(ground)
    with single_view(ground.service.db):
        came = rows(ground, inbox, "digest", "state")
        waits = any(state == "received" for _, state in came) or not there <= {digest for digest, _ in came}
        goes = any(state in ("waiting", "failed") for (state,) in rows(ground, outbox, "state"))
        closing = any(done is None for (done,) in rows(ground, closes, "carried_out_at"))
        standing = rows(ground, campaigns, "state", "looked", "revision")
    unseen = any(state != "over" and looked < revision for state, looked, revision in standing)
    return not (waits or goes or closing or unseen)


def on_server(ground: Ground) -> set[str]:
    """All that lies there, in every folder, by the hashes of the bytes."""
    found: set[str] = set()
    with ground.mailbox() as client:
        for _, _, name in client.list_folders():
            client.select_folder(name, readonly=True)
            if uids := client.search("ALL"):
                fetched = client.fetch(uids, ["BODY.PEEK[]"])
                bodies = (one.get(b"BODY[]") for one in fetched.values())  # none where it was moved just now
                found |= {sha256(body).hexdigest() for body in bodies if body is not None}
    return found


def find(ground: Ground) -> Findings:
    """Every check, one after the other."""
    found = Findings()
    steps: tuple[Callable[[Ground, Findings], None], ...] = (
        letters_in,
        effects,
        letters_out,
        turns,
        listed,
        records,
        dice,
    )
    for step in steps:
        step(ground, found)
    found.check(not ground.players.failures, f"players fell asleep: {ground.players.failures[:3]}")
    return found


# ------------------------------------------------------------------ letters in


def letters_in(ground: Ground, found: Findings) -> None:
    """What lies on the mail server is in the mailbag: each once, each in one final state."""
    there = on_server(ground)
    came = rows(ground, inbox, "digest", "state", "reason", "id")
    digests = Counter(digest for digest, *_ in came)
    lost = there - set(digests)
    found.counts |= {"letters handed in": len(ground.players.written), "letters in the mailbag": len(came)}
    found.counts["letters lost"] = len(lost)
    found.check(not lost, f"{len(lost)} letters of the mail server are not in the mailbag")
    found.check(set(digests) == there | lost, "letters in the mailbag that nobody sent")
    found.check(max(digests.values(), default=1) == 1, "a letter stands twice in the mailbag")
    for _, state, reason, number in came:
        found.states[state if state == "applied" else f"{state} ({reason.partition(chr(32))[0]})"] += 1
        found.check(state in FINAL, f"letter {number} is {state}: {reason}")


def effects(ground: Ground, found: Findings) -> None:
    """However often a letter came, it had its effect once and was answered once."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for raw, state in rows(ground, inbox, "raw", "state"):
        by_name[str(message_from_bytes(raw)["Message-ID"])].append(state)
    missing = [one for one in ground.players.written if one.message_id not in by_name]
    found.counts["letters lost"] += len(missing)
    found.check(not missing, f"{len(missing)} letters were handed in and never taken in")
    for one in ground.players.written:
        if one.kind and by_name[one.message_id] not in ([], [STATES[one.kind]]):
            found.check(False, f"{one.kind}: {by_name[one.message_id]}, not {STATES[one.kind]}")
    twice = [name for name, states in by_name.items() if sum(one in TOOK_EFFECT for one in states) > 1]
    found.counts["letters obeyed twice"] = len(twice)
    found.check(not twice, f"{len(twice)} letters had their effect twice")
    answers: Counter[str] = Counter()
    for kind, body in rows(ground, outbox, "kind", "body"):
        if kind in ANSWERS:
            answers[str(message_from_bytes(body)["In-Reply-To"])] += 1
    doubled = [name for name in by_name if answers[name] > 1]
    found.counts["letters answered twice"] = len(doubled)
    found.check(not doubled, f"{len(doubled)} letters were answered twice")


# ------------------------------------------------------------------ letters out


def letters_out(ground: Ground, found: Findings) -> None:
    """Every letter of ours went out; whoever got one twice got the same bytes."""
    ours = rows(ground, outbox, "message_id", "state", "recipient", "body", "attempts", "trouble")
    states = Counter(state for _, state, *_ in ours)
    found.counts |= {"letters of ours": len(ours), "letters sent": states["sent"]}
    for name, state, _, _, attempts, trouble in ours:
        found.check(state in ("sent", "withdrawn"), f"{name} is {state} after {attempts} tries: {trouble}")
    handed: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in ground.smtp.handed:
        handed[one.recipient, one.message_id].append(one.digest)
    known = {(to.lower(), name): sha256(body).hexdigest() for name, _, to, body, *_ in ours}
    never = [name for name, state, to, *_ in ours if state == "sent" and (to.lower(), name) not in handed]
    found.check(not never, f"{len(never)} letters are marked as sent, and nobody got them")
    strange = [key for key, digests in handed.items() if set(digests) != {known.get(key)}]
    found.check(not strange, f"{len(strange)} letters went out with other bytes than those kept")
    found.counts["letters sent again, same bytes"] = sum(len(one) - 1 for one in handed.values())
    for person in ground.players.people:
        _mailbox(ground, found, person)


def _mailbox(ground: Ground, found: Findings, person: Person) -> None:
    """Letters with one Message-ID are one letter; results come one a window."""
    bodies: dict[str, set[bytes]] = defaultdict(set)
    for letter in ground.players.letters(person):
        for name in ("Return-Path", "Delivered-To", "Received"):
            del letter[name]
        bodies[str(letter["Message-ID"])].add(letter.as_bytes())
    differ = [name for name, forms in bodies.items() if len(forms) > 1]
    found.check(not differ, f"{person.user}: {len(differ)} letters came in two forms")


# ------------------------------------------------------------------ turns


def turns(ground: Ground, found: Findings) -> None:
    """Every Close carried out once, one result letter a window and seat, nobody held."""
    done = rows(ground, closes, "campaign", "t", "carried_out_at")
    found.counts["turns closed"] = len(done)
    found.check(all(at is not None for *_, at in done), "a Close was not carried out")
    results: Counter[tuple[str, str, int]] = Counter()
    for kind, name, seat, window in rows(ground, outbox, "kind", "campaign", "seat", "window"):
        if kind == "result":
            results[name, seat, window] += 1
    twice = [key for key, number in results.items() if number > 1]
    found.counts["turns doubled"] = len(twice)
    found.check(not twice, f"two results of one window: {twice[:3]}")
    for name, held in rows(ground, campaigns, "id", "held"):
        found.check(held is None, f"{name} is held: {held}")
        numbers = [
            line.data["t"] for line in read_journal(ground.service.db, name) if line.data["k"] == "close"
        ]
        whole = list(range(2, 2 + len(numbers)))  # the opening is the first, and leaves no line
        found.counts["turns doubled"] += len(numbers) - len(set(numbers))
        found.check(numbers == whole, f"{name}: the journal's Closes are {numbers}")
        mine = sorted(t for campaign, t, _ in done if campaign == name)
        found.check(
            mine == list(range(1, 2 + len(numbers))), f"{name}: Closes {mine}, in the journal {numbers}"
        )


def records(ground: Ground, found: Findings) -> None:
    """Every segment of every campaign, run again: those that are over, too."""
    for name, state in rows(ground, campaigns, "id", "state"):
        if state == "over":
            try:
                replay_stored(ground.service.db, name)
            except (EngineError, PbemError) as difference:
                found.check(False, f"replay: {difference}")
    done = _pbem(ground, "replay", "--all-open")
    found.check(done.exit_code == 0, f"replay: {done.output[-400:]}")


def listed(ground: Ground, found: Findings) -> None:
    """`pbem letters` shows what became of every letter."""
    done = _pbem(ground, "letters", "--json", "--limit", "1000")
    told = {(one["id"], one["state"]) for one in json.loads(done.stdout)["in"]}
    came = sorted(rows(ground, inbox, "id", "state"))[-1000:]
    found.counts["letters shown with their state"] = len(told)
    found.check(told == set(came), "`pbem letters` does not show every letter with its state")


def _pbem(ground: Ground, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--config", str(ground.folder / "pbem.toml")])


def dice(ground: Ground, found: Findings) -> None:
    """From the letters of one player of each campaign alone, with the checker that is one file."""
    proved = 0
    for person in ground.players.people[::2]:
        folder = ground.folder / f"proof-{person.user}"
        folder.mkdir()
        for number, letter in enumerate(ground.players.letters(person)):
            (folder / f"{number}.eml").write_bytes(letter.as_bytes())
        words = [sys.executable, "-I", str(verify_dice.__file__), str(folder)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        # These campaigns invite nobody by mail, and a letter that ends a window has no receipt.
        good = done.returncode in (0, 3) and "caught: 0" in done.stdout
        found.check(good, f"dice of {person.user}: {done.stdout[-300:]}{done.stderr[-300:]}")
        proved += good
    found.counts["players whose dice verify"] = proved
