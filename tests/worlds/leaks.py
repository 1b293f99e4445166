"""Leaks planted on purpose, each by one small change of ours: the comparison must catch every one.

A letter to the reader or the observer then depends, in its own way, on something that is not theirs to know.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from pytest import MonkeyPatch
from sqlalchemy import func, select

from engine.games.first_world_war.game import FirstWorldWar
from engine.kernel.errors import Illegal
from engine.kernel.fairness import export
from engine.kernel.game import Tempo, Window
from engine.kernel.rehearsal import Rehearsal, rehearse
from engine.kernel.requests import Seat
from pbem.campaigns import deadlines, recipients, results
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.order_file import TracedOrderFile
from pbem.intake import filing, receive, reply
from pbem.intake.filing import check_window
from pbem.letters import maps, render
from pbem.letters import result as letters
from pbem.letters.enclosures import calendar_enclosure
from pbem.letters.memo import Note
from pbem.letters.question import reminder_memo
from pbem.mail import compose
from pbem.mail.addresses import SeatAddresses
from pbem.mail.compose import Draft, Thread
from pbem.ops import sweep
from pbem.store.deadlines import timetable
from pbem.store.outbox import letters_to
from pbem.store.people import use_allowance
from pbem.store.schema_mail import inbox, outbox
from pbem.store.session import reading
from pbem.store.standing_orders import standing_orders_of
from pbem.store.windows import SeatOrders, WindowOrders, read_orders
from pbem.verbs import context, information, press
from pbem.verbs import status as standing
from tests.conformance.exchanges import Pick
from tests.conformance.leaks import digest
from tests.worlds.world import NAME, OF_OTHERS, World
from tests.worlds.writing import Words

Plant = Callable[[MonkeyPatch], None]


@dataclass(frozen=True)
class Planted:
    """A leak; in which campaigns, after which letters, and where in a letter it must be found."""

    plant: Plant
    channel: str  # a pattern of the message
    letters: tuple[str, ...] = ("STATUS",)
    tempo: Tempo = "strict"
    windows: int = 1
    players: int | None = 3
    silent: bool = False
    seed: int = 0  # of the first pair that is tried
    game: str = "fww"
    scenario: str = ""  # any
    pick: Pick | None = None  # what is exchanged
    drawn: bool = False  # it is in the maps
    long: bool = False  # tried by `make long` alone

    @property
    def name(self) -> str:
        return self.plant.__name__

    @property
    def words(self) -> tuple[Words, ...]:
        return tuple(Words(one) for one in self.letters)


# ------------------------------------------------------------------ what may not be known


def world() -> World:
    assert World.at_work is not None, "a world is driven"
    return World.at_work


def letters_of_others() -> int:
    """How many letters the others got and wrote."""
    found = 0
    with reading(world().db) as tx:
        for table in (inbox, outbox):
            mine = table.c.seat.in_(world().others)
            found += tx.execute(select(func.count()).select_from(table).where(mine)).scalar_one()
    return found


def hidden() -> int:
    """A number that depends on where the hidden pieces are."""
    here = world()
    game, data = here.begin.case.game, json.loads(here.begin.positions[here.number])
    return digest(game.id, game.load(game.load_pack(), data), here.begin.seat)


def plain(words: object) -> Note:
    return Note("plain", {"text": str(words)})


def with_drafts(patch: MonkeyPatch, alter: Callable[[Draft], Draft]) -> None:
    """Every letter is altered before its bytes are made."""
    composed = compose.compose
    patch.setattr(recipients, "compose", lambda draft: composed(alter(draft)))


# ------------------------------------------------------------------ in headers and the envelope


def an_id_in_a_header(patch: MonkeyPatch) -> None:
    headers = compose._headers
    patch.setattr(compose, "_headers", lambda draft: [*headers(draft), f"X-Position: {hidden():03}"])


def a_count_in_a_header(patch: MonkeyPatch) -> None:
    headers = compose._headers
    patch.setattr(compose, "_headers", lambda draft: [*headers(draft), f"X-Letter: {letters_of_others():05}"])


def a_copy_line_with_addresses(patch: MonkeyPatch) -> None:
    headers = compose._headers

    def leaky(draft: Draft) -> list[str]:
        others = [world().addresses[seat] for seat in world().others]
        return [*headers(draft), f"Cc: {', '.join(others)}"]

    patch.setattr(compose, "_headers", leaky)


def a_name_in_another_language(patch: MonkeyPatch) -> None:
    def alter(draft: Draft) -> Draft:
        language = OF_OTHERS[world().number][0]
        return replace(draft, sender=replace(draft.sender, name=f"The Umpire ({language})"))

    with_drafts(patch, alter)


def a_date_that_counts(patch: MonkeyPatch) -> None:
    with_drafts(patch, lambda draft: replace(draft, date=draft.date + timedelta(seconds=letters_of_others())))


def a_message_id_over_all_letters(patch: MonkeyPatch) -> None:
    """The number in it is that of the campaign's letters, not of the seat's own."""

    def leaky(db: Any, campaign: str, seat: str, kind: str) -> int:
        with reading(db) as tx:
            found = select(func.count()).select_from(outbox).where(outbox.c.campaign == campaign)
            return int(tx.execute(found).scalar_one()) + 1

    patch.setattr(recipients, "next_number", leaky)


def a_reply_address_that_counts(patch: MonkeyPatch) -> None:
    reply_address = SeatAddresses.reply_address

    def leaky(self: SeatAddresses, campaign: str, seat: str, holder: int, window: int) -> str:
        return reply_address(self, campaign, seat, holder, window + 1000 * letters_of_others())

    def alter(draft: Draft) -> Draft:
        here = world()
        return replace(draft, reply_to=leaky(here.service.addresses, NAME, here.begin.seat, 1, 1))

    with_drafts(patch, alter)


def references_to_letters_of_others(patch: MonkeyPatch) -> None:
    def alter(draft: Draft) -> Draft:
        here = world()
        with reading(here.db) as tx:
            chosen = select(outbox.c.message_id).where(outbox.c.seat.in_(here.others))
            newest = tx.execute(chosen.order_by(outbox.c.id.desc()).limit(1)).scalar_one_or_none()
        before = draft.thread.before if newest is None else (*draft.thread.before, newest)
        return replace(draft, thread=Thread(draft.thread.answers, before))

    with_drafts(patch, alter)


def a_boundary_that_counts(patch: MonkeyPatch) -> None:
    multipart = compose._multipart

    def leaky(draft: Draft, *args: Any) -> bytes:
        return multipart(replace(draft, message_id=f"{draft.message_id}{letters_of_others()}"), *args)

    patch.setattr(compose, "_multipart", leaky)


def an_envelope_that_counts(patch: MonkeyPatch) -> None:
    envelope = SeatAddresses.envelope_sender

    def leaky(self: SeatAddresses, message_id: str) -> str:
        return envelope(self, self.message_id(NAME, "~", "~", letters_of_others()))

    patch.setattr(SeatAddresses, "envelope_sender", leaky)


# ------------------------------------------------------------------ in length and order


def a_length_that_counts(patch: MonkeyPatch) -> None:
    with_drafts(patch, lambda draft: replace(draft, text=f"{draft.text}\n{'.' * (letters_of_others() % 40)}"))


def files_in_an_order_that_tells(patch: MonkeyPatch) -> None:
    def alter(draft: Draft) -> Draft:
        return replace(draft, enclosures=draft.enclosures[:: -1 if world().number else 1])

    with_drafts(patch, alter)


def answers_in_an_order_that_tells(patch: MonkeyPatch) -> None:
    posed = letters.pose_question

    def leaky(*args: Any) -> dict[str, Any]:
        told = posed(*args)
        turned = hidden() % len(told["answers"])
        return {**told, "answers": told["answers"][turned:] + told["answers"][:turned]}

    patch.setattr(letters, "pose_question", leaky)


def a_picture_that_tells(patch: MonkeyPatch) -> None:
    for module in (maps, results):
        patch.setattr(module, "has_map", lambda game: True)
        patch.setattr(module, "map_png", lambda *_: b"\x89PNG" + bytes([hidden()]))
        patch.setattr(module, "map_text", lambda *_: "a map\n")


# ------------------------------------------------------------------ in pauses


def a_pause_that_tells(patch: MonkeyPatch) -> None:
    """Who is waited for depends on hidden pieces."""
    window = FirstWorldWar.window

    def leaky(self: FirstWorldWar, state: Any, ask: Any, tempo: Tempo) -> Window:
        plain_one = window(state, ask, tempo)
        extra = tuple(Seat(seat) for seat in world().others[:1]) if world().number else ()
        return replace(plain_one, seats=tuple(sorted({*plain_one.seats, *extra})))

    patch.setattr(FirstWorldWar, "window", leaky)


def a_deadline_from_others_zones(patch: MonkeyPatch) -> None:
    planned = deadlines.plan_timetable

    def leaky(terms: Any, kind: str, opened: Any, seats: Any) -> Any:
        zone = OF_OTHERS[world().number][1]
        own = {seat: replace(told, zone=zone) for seat, told in seats.items()}
        return planned(replace(terms, own_zones=True), kind, opened, own)

    patch.setattr(deadlines, "plan_timetable", leaky)


def a_deadline_from_others_absences(patch: MonkeyPatch) -> None:
    planned = deadlines.plan_timetable

    def leaky(terms: Any, kind: str, opened: Any, seats: Any) -> Any:
        first, last = OF_OTHERS[world().number][3]
        return planned(terms, kind, opened + (last - first), seats)

    patch.setattr(deadlines, "plan_timetable", leaky)


def a_receipt_held_back(patch: MonkeyPatch) -> None:
    """As long as others have not written."""
    patch.setattr(reply, "RECEIPTS_AN_HOUR", 99)
    patch.setattr(reply, "use_allowance", lambda *args: use_allowance(*args) and letters_of_others() % 4 < 2)


def a_receipt_that_knows_who_is_in(patch: MonkeyPatch) -> None:
    def leaky(*args: Any) -> Any:
        told = check_window(*args)
        filed = [told.filed.seats.get(seat) for seat in world().others]
        return replace(told, completes=any(one and (one.sheet or one.stance) for one in filed))

    patch.setattr(receive, "check_window", leaky)


def a_reminder_that_tells(patch: MonkeyPatch) -> None:
    def leaky(*args: Any) -> Any:
        campaign = load_campaign(*args)
        patch.setattr(campaign, "is_complete", lambda *told: letters_of_others() % 4 < 2)
        return campaign

    patch.setattr(sweep, "load_campaign", leaky)


def a_grace_from_others_banks(patch: MonkeyPatch) -> None:
    """The window waits for the fullest of them, and says so."""

    def leaky(campaign: str, *args: Any, **told: Any) -> Any:
        rows = timetable(world().db, campaign, open_number())
        window = next(row.due.at for row in rows if row.due.kind == "grace")
        return reminder_memo(campaign, *args, **told | {"grace": told["grace"]._replace(at=window)})

    patch.setattr(sweep, "reminder_memo", leaky)


def open_number() -> int:
    now = world().window()
    return 0 if now is None else now.number


# ------------------------------------------------------------------ in answers


def a_status_with_those_who_wrote(patch: MonkeyPatch) -> None:
    own = standing.own_file

    def leaky(heard: Any, tx: Any) -> tuple[Any, ...]:
        filed = read_orders(tx, NAME).seats
        there = [
            seat for seat in world().others if seat in filed and (filed[seat].sheet or filed[seat].stance)
        ]
        return (*own(heard, tx), plain(there))

    patch.setattr(standing, "own_file", leaky)


def a_status_that_counts(patch: MonkeyPatch) -> None:
    own = standing.own_file
    patch.setattr(standing, "own_file", lambda *args: (*own(*args), plain(letters_of_others())))


def a_history_of_all_seats(patch: MonkeyPatch) -> None:
    patch.setattr(information, "letters_to", lambda db, name, seat: letters_to(db, name, None))


def standing_orders_of_another(patch: MonkeyPatch) -> None:
    def leaky(tx: Any, name: str) -> WindowOrders:
        found, others = read_orders(tx, name), standing_orders_of(tx, name)[world().others[0]]
        return replace(
            found, seats=dict.fromkeys(map(str, world().begin.case.seats), SeatOrders(standing=others))
        )

    patch.setattr(standing, "read_orders", leaky)


def odds_from_the_true_pieces(patch: MonkeyPatch) -> None:
    odds = FirstWorldWar.odds

    def leaky(self: FirstWorldWar, view: Any, question: str) -> Any:
        found = odds(view, question)
        return found and replace(found, higher=hidden())

    patch.setattr(FirstWorldWar, "odds", leaky)


def a_trial_on_the_true_pieces(patch: MonkeyPatch) -> None:
    def leaky(*args: Any) -> Any:
        found = rehearse(*args).verdicts
        return Rehearsal(
            tuple(
                replace(one, status="accepted" if world().number else "untested", refusal=None)
                for one in found
            )
        )

    patch.setattr(filing, "rehearse", leaky)


def a_refusal_with_what_lies_there(patch: MonkeyPatch) -> None:
    def leaky(*args: Any) -> Any:
        refusal = Illegal("FWW-4.2.2-1", "round-is-over", {"cycle": hidden()})
        found = rehearse(*args).verdicts
        return Rehearsal(tuple(replace(one, status="refused", refusal=refusal) for one in found))

    patch.setattr(filing, "rehearse", leaky)


def a_state_that_knows_the_enemy(patch: MonkeyPatch) -> None:
    """What became of a line hangs on the counters of others."""

    def leaky(self: Any, line: Any, still_planned: bool, stays: bool = False) -> str:
        return "done" if world().number else "unused"

    patch.setattr(TracedOrderFile, "status_of", leaky)


def a_receipt_in_anothers_language(patch: MonkeyPatch) -> None:
    phrases_for = recipients.phrases_for

    def leaky(terms: Any, reader: Any) -> Any:
        return phrases_for(terms, replace(reader, language=OF_OTHERS[world().number][0]))

    patch.setattr(context, "phrases_for", leaky)


def press_that_counts(patch: MonkeyPatch) -> None:
    delivered = press._delivery_notes
    patch.setattr(press, "_delivery_notes", lambda *args: (*delivered(*args), plain(letters_of_others())))


# ------------------------------------------------------------------ in results and files


def a_deadline_in_anothers_zone(patch: MonkeyPatch) -> None:
    moment = letters._moment

    def leaky(result: Any, *args: Any) -> str:
        return moment(replace(result, zone=OF_OTHERS[world().number][1]), *args)

    patch.setattr(letters, "_moment", leaky)


def facts_as_they_were(patch: MonkeyPatch) -> None:
    """What others did is told whole."""
    patch.setattr(render, "fact_for", lambda fact, seat: fact)


def an_observer_at_somebodys_side(patch: MonkeyPatch) -> None:
    view = FirstWorldWar.view

    def leaky(self: FirstWorldWar, state: Any, seat: Seat) -> Any:
        return view(self, state, seat or Seat(world().others[0]))

    patch.setattr(FirstWorldWar, "view", leaky)


def a_calendar_entry_that_counts(patch: MonkeyPatch) -> None:
    def leaky(deadline: Any, phrases: Any) -> Any:
        later = timedelta(seconds=letters_of_others() % 10)
        return calendar_enclosure(replace(deadline, written=deadline.written + later), phrases)

    patch.setattr(results, "calendar_enclosure", leaky)


def an_audit_with_the_number_of_lines(patch: MonkeyPatch) -> None:
    shown = export._shown

    def leaky(record: Any) -> Any:
        counted = {reader: str(len(lines)) for reader, lines in record.private.items()}
        return {**shown(record), "lines": counted}

    patch.setattr(export, "_shown", leaky)


def an_audit_with_the_number_of_letters(patch: MonkeyPatch) -> None:
    shown = export._shown

    def leaky(record: Any) -> Any:
        counted = {seat: len(entry.marks) for seat, entry in record.close.entries.items()}
        return {**shown(record), "letters": counted}

    patch.setattr(export, "_shown", leaky)


CHECKED = ("CHECK\nORDERS FWW-1\nATTACK 1 WITH REAL\nATTACK 3 WITH REAL\nATTACK 7 WITH REAL\nEND",)
PASSES = ("ORDERS FWW-1\nC4: PASS\nEND",) * 4
ODDS = ("\n".join(f"ODDS ATTACK {front} WITH REAL" for front in range(1, 12)),)

PLANTED: tuple[Planted, ...] = (
    Planted(an_id_in_a_header, "headers"),
    Planted(a_count_in_a_header, "headers"),
    Planted(a_copy_line_with_addresses, "headers"),
    Planted(a_name_in_another_language, "headers"),
    Planted(a_date_that_counts, "headers"),
    Planted(a_message_id_over_all_letters, "envelope|headers"),
    Planted(a_reply_address_that_counts, "headers"),
    Planted(references_to_letters_of_others, "headers"),
    Planted(a_boundary_that_counts, "headers"),
    Planted(an_envelope_that_counts, "envelope"),
    Planted(a_length_that_counts, "words"),
    Planted(files_in_an_order_that_tells, "words", windows=4),
    Planted(answers_in_an_order_that_tells, "words", windows=4),
    Planted(a_picture_that_tells, "words"),
    Planted(a_pause_that_tells, "pauses"),
    Planted(a_deadline_from_others_zones, "pauses"),
    Planted(a_deadline_from_others_absences, "pauses"),
    Planted(a_receipt_held_back, "envelope|number of letters", ("STATUS",) * 3, windows=2),
    Planted(a_receipt_that_knows_who_is_in, "envelope|words|number", PASSES, "fast", 2, 4, True, 4),
    Planted(a_grace_from_others_banks, "words", (), "react", 2, seed=28),
    Planted(a_reminder_that_tells, "number of letters|envelope", (), "fast", 3, silent=True),
    Planted(a_status_with_those_who_wrote, "words", ("STATUS", "STATUS", "STATUS"), "fast", 2),
    Planted(a_status_that_counts, "words"),
    Planted(a_history_of_all_seats, "words", ("HISTORY",)),
    Planted(standing_orders_of_another, "words", ("SHOW STANDING",), players=4),
    Planted(odds_from_the_true_pieces, "words", ODDS, windows=2),
    Planted(a_trial_on_the_true_pieces, "words", CHECKED, windows=3),
    Planted(a_refusal_with_what_lies_there, "words", CHECKED),
    Planted(a_state_that_knows_the_enemy, "words|envelope|number", PASSES, "fast", 2, 4),
    Planted(a_receipt_in_anothers_language, "words"),
    Planted(press_that_counts, "words", ("PRESS TO ALL: a word",)),
    Planted(a_deadline_in_anothers_zone, "words|headers", windows=4),
    Planted(facts_as_they_were, "words", windows=6, seed=11),
    Planted(an_observer_at_somebodys_side, "words"),
    Planted(a_calendar_entry_that_counts, "words", windows=4),
    Planted(an_audit_with_the_number_of_lines, "words", windows=2, seed=11),
    Planted(an_audit_with_the_number_of_letters, "words", windows=2),
)
