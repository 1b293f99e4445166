"""Two worlds side by side, driven through the ways by which letters and time come in.

Each window has a course: the reader writes the same letters at the same times in both; the others write what,
when and as often as they like, and answer what is asked of them alike but for the exchange. Until a moved
piece legitimately comes to light, everything laid in for the reader and the observer is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from engine.kernel.journal import JournalLine
from engine.kernel.records import question_id
from engine.kernel.requests import Answer, Ask, Seat
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.deadlines import label_of
from pbem.store.deadlines import timetable
from pbem.store.journal import read_journal
from pbem.store.windows import OpenWindow
from tests.conformance.games import AS_SEEN, UNSEEN
from tests.conformance.knowledge import Told, comes_to_light, told
from tests.conformance.light import light_of
from tests.conformance.worlds import Leak, MirroredDice, Parted, SharedDice
from tests.worlds.acts import choose_act, perform
from tests.worlds.apart import secrets_apart
from tests.worlds.compared import compare, compare_timelines, hashes, last_close, letters
from tests.worlds.world import NAME, Beginning, Event, World
from tests.worlds.writing import OBSERVERS, Battery, Noise, Words, answered, asked_about, noise, policy

HOUR = timedelta(hours=1)
LEAST_SECRETS = 5
VOLUNTEERED = ("any_time", "turn.crisis")  # topics of what a seat may do at any time
SILENT_SHARE = 0.3  # of windows that somebody lets pass


@dataclass
class Course:
    """What came of a pair."""

    letters: Counter[str] = field(default_factory=Counter)  # pairs compared, by kind
    acts: Counter[str] = field(default_factory=Counter)  # by kind
    heard: Counter[str] = field(default_factory=Counter)  # letters to the service, by what became of them
    bytes: int = 0  # of each of a pair
    windows: int = 0
    told: int = 0  # pauses, dice, facts that were the same in both
    secrets: int = 99  # the fewest that were apart when letters were compared
    apart: frozenset[str] = frozenset()  # what was, at one time or another
    why: str = "enough"


@dataclass(frozen=True)
class Plan:
    """How one window goes, in both worlds."""

    window: OpenWindow
    opened: datetime
    ends: datetime  # until when all others write
    silent: str  # the seat that lets the deadline pass; "": none
    last: str  # the seat whose letter ends it
    late: bool  # that letter comes after the reminders


class Pair:
    """Two worlds, and what was compared."""

    def __init__(
        self,
        begin: Beginning,
        folder: Path,
        *,
        windows: int = 4,
        writes: int = 6,
        letters: Sequence[Words] = (),  # what the reader writes in every window; none: some of all kinds
        silent: bool = False,  # somebody else lets every window pass that does not wait for the reader alone
        acts: float = 0.0,  # share of windows before which a seat changes hands, or the game goes back
        act: str = "",  # the only kind of them
        aside: Noise | None = None,  # what somebody else writes in each window of the second world alone
    ) -> None:
        self.begin, self.windows, self.writes = begin, windows, writes
        self.letters, self.silent, self.acts, self.act = letters, silent, acts, act
        self.aside = aside
        self.rng = Random(f"letters {begin.seed}")
        dice = SharedDice(begin.seed)
        mirrored = MirroredDice(begin.seed, dice, begin.exchange)
        folders = [folder / f"{begin.seed}-{number}" for number in (1, 2)]
        for one in folders:
            one.mkdir()
        self.worlds = (World(folders[0], begin, 0, dice), World(folders[1], begin, 1, mirrored))
        self.course = Course()
        self._rows = [0, 0]
        self._lines: list[list[bytes]] = [[], []]  # the journals as they were, by the hashes of their lines
        self._lights = [light_of(begin.case.game, data) for data in begin.positions]
        self._written = 0

    def run(self) -> Course:
        """From window to window; Leak at the first difference."""
        try:
            for world in self.worlds:
                world.opens()
            self._after_close()
            for _ in range(self.windows):
                open_now = [world.window() for world in self.worlds]
                if open_now[0] is None:
                    self.course.why = "over"
                    break
                self._play()
                self.course.windows += 1
                if all(world.window() == before for world, before in zip(self.worlds, open_now, strict=True)):
                    raise Parted("nobody ended the window")  # it waits for somebody's full bank of time
        except Parted as end:
            self.course.why = str(end) or "parted"
        self.course.heard = self.worlds[0].heard + self.worlds[1].heard
        return self.course

    # -------------------------------------------------------------- one window

    def _play(self) -> None:
        self._act()
        heres = [world.taken_up() for world in self.worlds]
        plan = self._plan()
        common = self._readers_letters(heres[0], plan)
        answers = self._answers(heres, plan)
        for number, world in enumerate(self.worlds):
            events = [*common, *self._others_letters(heres[number], number, plan, answers[number])]
            for event in sorted(events, key=lambda one: (one.at, one.name)):
                world.hears(event)
        self._after_close()
        for world in self.worlds:
            self._remind(world, plan)
        self._after_close()
        for number, world in enumerate(self.worlds):
            self._end(world, plan, answers[number])
        self._after_close()

    def _act(self) -> None:
        """Now and then, before anything is written for the window."""
        rng = Random(f"{self.begin.seed}/{self.course.windows}/act")
        if rng.random() >= self.acts:
            return
        done = self.course.acts.total()
        act = choose_act(rng, self.worlds, self.worlds[0].taken_up(), done, self.act)
        if act is None:
            return
        moment = max(world.clock() for world in self.worlds) + timedelta(minutes=1)
        for world in self.worlds:
            perform(act, world, moment, f"{self.begin.seed}.{done}")
        self.course.acts[act.kind] += 1
        self._after_close()
        if self.worlds[0].window() is None:
            raise Parted("over")

    def _plan(self) -> Plan:
        window, rng, seat = self.worlds[0].window(), self.rng, str(self.begin.seat)
        twin = self.worlds[1].window()
        assert window is not None
        if twin is None or twin.seats != window.seats or twin.number != window.number:
            raise Leak(f"{self.begin}: pauses: {window.seats}, {twin and twin.seats}")
        opened = max(world.clock() for world in self.worlds)  # somebody else may have written later
        banked = self.begin.policy.clock.bank is not None  # then the grace is as long as the fullest bank
        held = [one for one in window.seats if one in self.worlds[0].addresses]  # some seats may be vacant
        silent = rng.choice(held) if held and not banked and rng.random() < SILENT_SHARE else ""
        others = [one for one in held if one != seat]
        if self.silent and others:
            silent = rng.choice(others)
        late = not silent and rng.random() < (0.6 if banked else 0.1)
        own = seat in window.seats and rng.random() < (0.9 if late else 0.5)
        last = seat if own else rng.choice(held or [""])
        ends = opened + timedelta(hours=30, minutes=rng.randrange(50))
        return Plan(window, opened, ends, silent, last, late)

    def _remind(self, world: World, plan: Plan) -> None:
        """Time passes, if it does in this window."""
        rows = _timetable(world, plan)
        for hours in (48, 12) if "deadline" in rows and (plan.silent or plan.late) else ():
            if (moment := rows["deadline"] - hours * HOUR) > world.clock():
                world.sweeps(moment + timedelta(minutes=1))

    def _end(self, world: World, plan: Plan, answers: dict[str, str]) -> None:
        """The last letter that is waited for; or the deadline passes. Nothing, if it has ended already."""
        rows = _timetable(world, plan)
        if not rows:
            return
        if plan.silent or not plan.last:
            world.sweeps(max(rows["grace"], world.clock()) + timedelta(minutes=1))
            return
        late = rows.get("deadline", plan.ends) - 6 * HOUR
        moment = max(plan.ends, late) if plan.late else plan.ends
        name = "reader" if plan.last == self.begin.seat else f"other.{world.number}"
        letter = f"{self.begin.seed}.{self.course.windows}.last.{name}"
        rng = Random(f"{letter} ends it")
        world.hears(self._answering(moment, plan.last, answers[plan.last], letter, rng))
        rows = _timetable(world, plan)
        if rows and self.begin.policy.clock.bank is None:  # somebody else keeps it open
            world.sweeps(max(rows["grace"], world.clock()) + timedelta(minutes=1))

    # -------------------------------------------------------------- the reader's letters

    def _readers_letters(self, here: Campaign, plan: Plan) -> list[Event]:
        """Spread over the time until the window ends; the observer and others write now and then, too."""
        battery = Battery(self.begin, here, self.begin.state, plan.window)
        seat = str(self.begin.seat)
        free = plan.silent not in ("", seat)  # then nothing that she files ends the window at another time
        orders = free or seat not in (plan.silent, plan.last)
        chosen = self.letters or battery.some(self.rng, self.writes, orders=orders, free=free)
        found = [(str(self.begin.seat), words) for words in chosen]
        if self.rng.random() < 0.4:
            found.append(("", Words(self.rng.choice(OBSERVERS))))
        if self.rng.random() < 0.4:  # words to her, the same from people who are not the same
            to, words = self.rng.choice((str(self.begin.seat), "ALL")), "what do you think?"
            found.append((self.rng.choice(self.worlds[0].writers), Words(f"PRESS TO {to}: {words}")))
        moments = sorted(self._moment(plan, self.rng) for _ in found)
        return [
            self._event(plan, moment, seat, words)
            for moment, (seat, words) in zip(moments, found, strict=True)
        ]

    def _event(self, plan: Plan, moment: datetime, seat: str, words: Words) -> Event:
        self._written += 1
        name = f"{self.begin.seed}.{self._written}.reader"
        return Event(moment, seat, words.text, name, dict(words.changes))

    @staticmethod
    def _moment(plan: Plan, rng: Random) -> datetime:
        minutes = int((plan.ends - plan.opened) / timedelta(minutes=1))
        return plan.opened + timedelta(minutes=rng.randrange(5, minutes - 5))

    # -------------------------------------------------------------- the others' letters

    def _others_letters(
        self, here: Campaign, number: int, plan: Plan, answers: dict[str, str]
    ) -> list[Event]:
        """What each world's others write before the end, at their own times."""
        rng = Random(f"{self.begin.seed}/{plan.window.number}/world {number}")
        others, events = self.worlds[number].writers, list[Event]()
        label = label_of(plan.window)
        early = [seat for seat in plan.window.seats if seat not in (plan.silent, plan.last)]
        if plan.silent and plan.last != plan.silent:
            early.append(plan.last)
        for seat in early:
            if seat in answers:
                moment, name = self._when(plan, seat, rng), self._name(seat, number)
                events.append(self._answering(moment, seat, answers[seat], name, rng))
        for n in range(rng.choice((1, 2) if number else (0, 1))):
            seat = rng.choice(others)
            found = noise(self.begin, rng, seat, label, seat in plan.window.seats)
            events += self._noise(plan, found, seat, f"{self._name(seat, number)}.{n}", rng)
        if self.aside is not None and number:
            for seat in others:
                events += self._noise(plan, self.aside, seat, f"{self._name(seat, number)}.aside", rng)
        return events

    def _noise(self, plan: Plan, found: Noise, seat: str, name: str, rng: Random) -> list[Event]:
        """Nothing, if that seat's orders would be others with it."""
        idle = {"unasked": (plan.silent, plan.last), "last": (plan.last,)}.get(found.only_of, (seat,))
        if seat not in idle:
            return []
        moment, changes = self._moment(plan, rng), dict(found.changes)
        return [Event(moment, seat, found.text, f"{name}.noise.{i}", changes) for i in range(found.times)]

    def _answering(self, moment: datetime, seat: str, text: str, name: str, rng: Random) -> Event:
        """In each world another way may lead to the same orders: a form edited, a question, CONFIRM."""
        way = "" if seat == self.begin.seat else rng.choice(("", "", "edited", "asked about"))
        changes = {"how": way} if way == "edited" else {}
        text = asked_about(text) if way == "asked about" else text
        return Event(moment, seat, text, name, changes, insists=True)

    def _when(self, plan: Plan, seat: str, rng: Random) -> datetime:
        """The reader answers at the same time in both worlds."""
        own = Random(f"{self.begin.seed}/{plan.window.number}/when") if seat == self.begin.seat else rng
        return self._moment(plan, own)

    def _name(self, seat: str, number: int) -> str:
        whose = "reader" if seat == self.begin.seat else f"other.{number}"
        return f"{self.begin.seed}.{self.course.windows}.{seat}.{whose}"

    # -------------------------------------------------------------- answers

    def _answers(self, heres: Sequence[Campaign], plan: Plan) -> tuple[dict[str, str], dict[str, str]]:
        """For each seat that is waited for a letter in each world: the same but for the exchange."""
        texts: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for seat in (one for one in plan.window.seats if one in self.worlds[0].addresses):
            numbers, ready = self.rng.random() < 0.5, self.rng.random() < 0.5
            whole = not plan.window.once and self.rng.random() < 0.6
            asks = [dict(here.open_asks().get(Seat(seat), ())) for here in heres]
            found: tuple[list[Any], list[Any]] = ([], [])
            for place, (question, ask) in enumerate(asks[0].items(), 1):
                if not ask.volunteer:
                    answer = self._answer(heres[0], question, ask, asks[1].get(question))
                    twin = asks[1][question]
                    other = answer if seat == self.begin.seat else self._counterpart(answer, twin, heres[1])
                    found[0].append((place, ask, answer))
                    found[1].append((place, twin, other))
            for number, here in enumerate(heres):
                text = answered(here, seat, found[number], numbers)
                if whole:
                    text = policy(here, seat, label_of(plan.window), number if seat != self.begin.seat else 0)
                needs_ready = ready or whole or not text or seat in (plan.last, self.begin.seat)
                texts[number][seat] = f"{text}\nREADY".strip() if needs_ready else text
        return texts

    def _counterpart(self, answer: Answer, ask: Ask, here: Campaign) -> Answer:
        """The answer in the second world: now and then another one of which the reader sees the same."""
        exchanged = self.begin.exchange(answer)
        rng = Random(f"{self.begin.seed}/{ask.topic}/{ask.at}/unseen")
        unseen = UNSEEN.get(here.terms.game.id)
        if unseen is None or rng.random() < 0.3:
            return exchanged
        return unseen(ask, exchanged, here.table.view(ask.seat), rng) or exchanged

    def _answer(self, here: Campaign, question: str, ask: Ask, twin: Ask | None) -> Answer:
        """One that both worlds offer."""
        if twin is None:
            raise Parted
        mine = ask.seat == self.begin.seat
        for attempt in range(8):
            rng = Random(f"{self.begin.seed}/{question}/{attempt}")
            view = here.table.view(ask.seat)
            answer = ask.default if rng.random() < 0.4 else here.terms.game.bots["random"](view, ask, rng)
            if twin.options.contains(answer if mine else self.begin.exchange(answer)):
                return answer
        raise Parted

    # -------------------------------------------------------------- comparing

    def _after_close(self) -> None:
        """The advance is compared unless the others did not do the same, or a moved piece came to light.

        What came before it is compared in any case.
        """
        new = [self._new_lines(number) for number in (0, 1)]
        news = [self._news(number, lines) for number, lines in enumerate(new)]
        if self._parted(*new):
            self._compare_before_close()
            raise Parted("parted")
        revealed, unlike = self._told(*news)
        if revealed:
            self._compare_before_close()
            raise Parted("reveal")
        over = any(line.data["k"] == "end" for line in new[0])  # then all is published
        if not over:
            self._compare_letters()
        if unlike:
            raise Leak(f"{self.begin}: told {unlike}")
        if over:
            raise Parted("over")

    def _news(self, number: int, lines: Sequence[JournalLine]) -> list[Told]:
        seat, light = self.begin.seat, self._lights[number]
        return list(told(self.begin.case.game, lines, 0, seat, light))

    def _new_lines(self, number: int) -> list[JournalLine]:
        """After a rollback from where the branches part; what came to light by then is known as it was."""
        lines, before = read_journal(self.worlds[number].db, NAME), self._lines[number]
        self._lines[number] = [line.hash for line in lines]
        pairs = zip(before, self._lines[number], strict=False)
        kept = next((n for n, (old, new) in enumerate(pairs) if old != new), min(len(before), len(lines)))
        if kept < len(before):
            game, data = self.begin.case.game, self.begin.positions[number]
            self._lights[number] = light_of(game, data)
            list(told(game, lines[:kept], 0, self.begin.seat, self._lights[number]))
        return lines[kept:]

    def _parted(self, *new: Sequence[JournalLine]) -> bool:
        """Did somebody else's answer in one world not become its counterpart in the other, as it is seen?

        What is volunteered leaves a line only where it is done. Any other question that is put in one world
        alone excuses nothing.
        """
        one, other = (self._answers_of_others(lines) for lines in new)
        exchange, both = self.begin.exchange, [question for question in one if question in other]
        seen = self._as_seen
        volunteered = [question for question in one.keys() ^ other.keys() if question.startswith(VOLUNTEERED)]
        return bool(volunteered) or any(seen(exchange(one[q])) != seen(other[q]) for q in both)

    def _as_seen(self, answer: Any) -> Any:
        seen = AS_SEEN.get(self.begin.case.game.id)
        return answer if seen is None else seen(answer, self.begin.state["options"])

    def _answers_of_others(self, lines: Sequence[JournalLine]) -> dict[str, Any]:
        answers = [line.data for line in lines if line.data["k"] == "answer"]
        return {question_id(one): one["answer"] for one in answers if one["seat"] != self.begin.seat}

    def _told(self, *news: Sequence[Told]) -> tuple[bool, str]:
        """Did something exchanged legitimately come to light? And what was told unlike, if anything."""
        for one, other in zip_longest(*news):
            if comes_to_light(one, other, self.begin.exchange):
                return True, ""
            if one is None or other is None or (one.kind, one.data) != (other.kind, other.data):
                return False, f"{one} in one world, {other} in the other"
            self.course.told += 1
        return False, ""

    def _compare_before_close(self) -> None:
        """The letters that were laid in before the windows closed: nothing can have come to light by then."""
        closed = [moment for world in self.worlds if (moment := last_close(world)) is not None]
        if len(closed) == len(self.worlds):
            self._compare_letters(min(closed))

    def _compare_letters(self, before: datetime | None = None) -> None:
        """All that was laid in since the last time."""
        if before is None:
            compare_timelines(*self.worlds)
        found = [letters(world, self._rows[number], before) for number, world in enumerate(self.worlds)]
        if not found[0] and not found[1]:
            return
        known = [hashes(world) for world in self.worlds]
        apart = secrets_apart(*self.worlds)
        for one, other in zip_longest(*found):
            if one is None or other is None:
                which = (one or other)[1].name
                raise Leak(f"{self.begin}: number of letters: {which} in one world alone")
            try:
                compare(one[1], other[1], *known)
            except Leak as leak:
                raise Leak(f"{self.begin}: {leak}") from None
            self.course.letters[one[1].row["kind"]] += 1
            self.course.bytes += one[1].size
        self.course.secrets = min(self.course.secrets, len(apart))
        self.course.apart |= set(apart)
        self._rows = [rows[-1][0] if rows else last for rows, last in zip(found, self._rows, strict=True)]
        if len(apart) < LEAST_SECRETS:
            raise AssertionError(f"{self.begin}: the worlds differ in {apart} only")


def _timetable(world: World, plan: Plan) -> dict[str, datetime]:
    """The times of the window, if it is still open."""
    now = world.window()
    if now is None or now.number != plan.window.number:
        return {}
    return {row.due.kind: row.due.at for row in timetable(world.db, NAME, plan.window.number)}
