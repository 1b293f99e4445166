"""A letter of every kind, of each game in each language: what a browser is to show, and readers are to like.

Result letters are about games that bots have played; receipts and answers are those of a campaign by mail.
"""

from __future__ import annotations

import tempfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, get_args

from engine.kernel.fairness.dice import TestDice
from engine.kernel.fairness.export import AuditBlock
from engine.kernel.fairness.history import Throw
from engine.kernel.game import Language, View
from engine.kernel.records import read_segment
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.table import Table
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.results import add_form
from pbem.campaigns.terms import Terms, agree_terms
from pbem.intake.receive import receive_letter
from pbem.letters.dates import Moment
from pbem.letters.invitation import Invitation, Pace, invitation_memo, signup_memo, stranger_memo
from pbem.letters.memo import Memo, memo_letter
from pbem.letters.notices import (
    ACTS,
    ProposalKind,
    ProposalStage,
    ResignationStage,
    address_trouble_memo,
    broken_memo,
    handover_memo,
    outage_memo,
    press_memo,
    proposal_memo,
    resignation_memo,
    rules_crash_memo,
    seat_wanted_memo,
    shunted_memo,
    side_resignation_memo,
    substitute_memo,
    umpire_notice,
)
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.question import UnprovenReason, other_seat_memo, reminder_memo, unproven_memo
from pbem.letters.render import LetterBody, ReadLine
from pbem.letters.result import Chapter, ComingQuestion, Result, result_letter
from pbem.mail.compose import Picture
from pbem.store.advance import NextWindow
from tests.campaigns_at_hand import campaign_at_hand

GAMES = ("fww", "ttlm", "trench")
EVENING = Moment(datetime(2026, 11, 24, 19, 0, tzinfo=UTC), "Europe/Paris")
LATER = Moment(datetime(2026, 11, 26, 19, 0, tzinfo=UTC), "Europe/Paris")
TITLE = "The long winter, a campaign among friends"
# After how many questions the letters are written: early, in the middle, late.
STAGES: Mapping[str, tuple[int, ...]] = {"fww": (2, 60, 190), "ttlm": (3, 60, 150), "trench": (6, 60, 150)}
LONG_LINE = "MOVE 2: " + ", ".join(f"FR{n} > 11" for n in range(1, 20))
SENT: Mapping[str, tuple[str, str]] = {  # letters of players, by game: good orders, and some that are bad
    "fww": ("DEPLOY 1", "READY"),
    "ttlm": ("TAKE OFF", "READY"),
    "trench": ("SPLIT", "READY"),
}


class Letter(NamedTuple):
    """A letter and what it is called in the gallery."""

    name: str  # "fww-result-2.en"
    written: LetterBody


def gallery(game: str, language: Language) -> Iterator[Letter]:
    """All letters of a game in a language."""
    for name, written in (*results(game, language), *memos_written(game, language), *by_mail(game, language)):
        yield Letter(f"{game}-{name}.{language}", written)


@cache
def terms_of(game: str) -> Terms:
    return agree_terms(game, players=2)


def phrases_of(game: str, language: Language) -> Phrases:
    return load_phrases(game, language, terms_of(game).pack)


# ------------------------------------------------------------------ result letters


class Enough(Exception):
    """The situation is there."""


@cache
def situation(game: str, number: int) -> tuple[View, Ask, str, tuple[Chapter, ...]]:
    """A seat's question, the label of its window, and what happened in the turn before it."""
    terms = terms_of(game)
    table = Table.start(terms.game, terms.pack, terms.settings, TestDice(7))
    rng, bot, asked = Random(7), terms.game.bots["random"], 0
    found: list[tuple[View, Ask, str]] = []

    def play(view: View, ask: Ask) -> Answer:
        nonlocal asked
        asked += 1
        if asked > number and not ask.volunteer:
            window = terms.game.window(table.state, ask, "fast")
            following = NextWindow(
                number=9, key=window.key, kind="", seats=window.seats, once=window.once, timetable=()
            )
            found.append((view, ask, label_of(following)))
            raise Enough
        return bot(view, ask, rng)

    table.automa = dict.fromkeys(terms.seats, play)
    with suppress(Enough):
        table.advance()
    chapters: list[tuple[Any, list[Any]]] = []
    for line in table.journal.lines:
        if line.data["k"] == "seam":
            chapters.append((read_segment(line.data), []))
        elif line.data["k"] == "fact" and chapters:
            chapters[-1][1].append(table.codec.fact(line.data))
    told = tuple(Chapter(segment, tuple(facts)) for segment, facts in chapters[-9:] if facts)
    view, ask, label = found[-1]
    return view, ask, label, told


def result(game: str, number: int, language: Language) -> Result:
    """All that a letter may hold."""
    view, ask, label, chapters = situation(game, number)
    throws = tuple(
        Throw(
            411 + n, 17, "T3.R1", view.seat, f"attack.{view.seat}", 6, (n % 6 + 1,) * (n % 4 + 1), "audited"
        )
        for n in range(12)
    )
    whole = Result(
        campaign="PLAY-7",
        title=TITLE,
        view=view,
        happened=chapters,
        asks=(ask,),
        window=label,
        foreseen=(ComingQuestion(ask.topic, LONG_LINE, False),)
        if phrases_of(game, language).has("topics", ask.topic)
        else (),
        deadline=EVENING.at,
        zone=EVENING.zone,
        audit=AuditBlock(((17, "ab" * 32, ("UNSALTED",)),), throws, "cd" * 32),
        read=(
            ReadLine(1, "C1: PASS", "done"),
            ReadLine(2, LONG_LINE, "refused", ("Why it was not done. " * 4,)),
            ReadLine(0, "C3: " + "x" * 90, "unused"),
        ),
    )
    return add_form(terms_of(game).game, whole, phrases_of(game, language))


def results(game: str, language: Language) -> Iterator[tuple[str, LetterBody]]:
    phrases = phrases_of(game, language)
    for place, number in enumerate(STAGES[game], 1):
        whole = result(game, number, language)
        yield f"result-{place}", result_letter(terms_of(game).game, whole, phrases)
    nothing = replace(whole, window="", asks=(), sheet=(), deadline=None, waiting=terms_of(game).seats[:1])
    yield "waiting", result_letter(terms_of(game).game, nothing, phrases)
    single = replace(whole, sheet=(), happened=(), audit=None, read=())
    yield "single", result_letter(terms_of(game).game, single, phrases)


# ------------------------------------------------------------------ memos


def memos_written(game: str, language: Language) -> Iterator[tuple[str, LetterBody]]:
    phrases = phrases_of(game, language)
    for name, memo in memos(phrases, terms_of(game)).items():
        yield name.replace(" ", "-"), memo_letter(memo, phrases, TITLE)
    yield "stranger", memo_letter(stranger_memo(), load_phrases("", language, None))


def invited(terms: Terms) -> Invitation:
    first, *others = terms.seats
    return Invitation(
        campaign="FWW-7",
        names=terms.game.names,
        seat=first,
        players=(
            (first, "Jeanne Dubois"),
            *((seat, "") for seat in others[:1]),
            *((s, "Li Wei") for s in others[1:]),
        ),
        anchor="ab" * 32,
        seal="cd" * 32,
        umpire="The Umpire",
        pace=Pace(days=7, at="20:00", zone="Europe/Paris", grace=6),
        options=("random_order",),
        house_rules="Be kind.\n\nNo press in the last hour.",
        title=TITLE,
    )


def facts_of_acts(who: Seat) -> dict[str, Any]:
    return {
        "until": EVENING,
        "faces": (3, 5, 1),
        "text": "The treaty stands.",
        "to": "T3.R2",
        "same_dice": True,
        "who": who,
        "window": "T3.R",
        "plays": True,
        "since": EVENING,
        "burnt": 3,
        "anchor": "",
    }


def memos(phrases: Phrases, terms: Terms) -> dict[str, Memo]:
    """A memo of every kind. Seats of the game take part in them."""
    mine, other = terms.seats[0], terms.seats[-1]
    invitation = invited(terms)
    found = {
        "invitation": invitation_memo(invitation, phrases),
        "taken over": invitation_memo(
            replace(invitation, replaces=True, options=(), house_rules=""), phrases
        ),
        "sign-up": signup_memo("FWW-7", "The First World War", (mine, other)),
        "reminder": reminder_memo("FWW-7", "T3.R", EVENING, seat=mine, grace=LATER, bank=5400),
        "reminder of a question": reminder_memo("FWW-7", "", EVENING, on_file="orders"),
        "reminder of a held sheet": reminder_memo("FWW-7", "T3.R", EVENING, on_file="held"),
        "press": press_memo("FWW-7", other, (mine,), "Gentlemen,\n\n" + "peace " * 40, name="Max"),
        "press to the umpire": press_memo("FWW-7", other, (), "A question.", umpire=True),
        "press to two": press_memo("FWW-7", other, (mine,), "A question.", umpire=True),
        "seat wanted": seat_wanted_memo("FWW-7", "Dora", "dora@d.test", (mine, other), (other,), other),
        "press to all": press_memo("FWW-7", "", ("ALL",), "Welcome."),
        "other seat": other_seat_memo("FWW-7"),
        "substitute": substitute_memo("FWW-7", other, 2),
        "outage": outage_memo("FWW-7", EVENING, LATER, LATER),
        "outage of nothing": outage_memo("FWW-7", EVENING, LATER, None),
        "crash": rules_crash_memo("FWW-7", "T3.R2", "RulesCrash: list index\n  in combat"),
        "broken": broken_memo("FWW-7", "CorruptJournal"),
        "shunted": shunted_memo("FWW-7", 41, "ValueError"),
        "handed over": handover_memo("FWW-7", mine, other),
    }
    for why in get_args(UnprovenReason):
        found[f"unproven {why}"] = unproven_memo("FWW-7", "T3.R", ("C1: PASS",), EVENING, why)
    facts = facts_of_acts(other)
    for act, names in ACTS.items():
        found[act] = umpire_notice("FWW-7", act, "a slip", {name: facts[name] for name in names})
    for proposal in get_args(ProposalKind):
        for stage in get_args(ProposalStage):
            one = proposal_memo("FWW-7", proposal, stage, other, to="T3.R2", missing=(mine, other))
            found[f"{proposal} {stage}"] = one
    for then in ("substitute", "automa", "standing"):
        found[f"resigned {then}"] = resignation_memo("FWW-7", other, then)
    for stage in get_args(ResignationStage):
        found[f"giving up {stage}"] = side_resignation_memo("FWW-7", stage, other, EVENING)
    for state in ("bouncing", "suspended"):
        found[f"address {state}"] = address_trouble_memo("FWW-7", other, "Max", state, "550 no such user")
    return found


# ------------------------------------------------------------------ a campaign by mail


WRITTEN: tuple[tuple[str, str], ...] = (
    ("status", "STATUS"),
    ("map", "MAP"),
    ("hand", "HAND"),
    ("help", "HELP"),
    ("help-orders", "HELP ORDERS"),
    ("list", "LIST"),
    ("question", "what about the weather?\nATTACK NOWHERE"),
    ("resign", "RESIGN"),
    ("receipt-held", "ORDERS\nFOO BAR\nPASS\nEND"),
    ("check", "CHECK\n{form}"),
    ("receipt", "{form}"),
)


@cache
def by_mail(game: str, language: Language) -> tuple[tuple[str, LetterBody], ...]:
    """What a player gets who answers the first letter of a campaign, and asks this and that."""
    at = campaign_at_hand(Path(tempfile.mkdtemp(prefix="gallery-")), game=game, players=2)
    seat = at.seats[0 if language == "fr" else 1]
    form = _form(body_of(at.letters(seat, "result")[0].letter.body))
    found = []
    for name, text in WRITTEN:
        at.clock.passes(minutes=30)
        receive_letter(at.service, at.arrives(at.reply(seat, text.format(form=form))), "test")
        answer = at.letters(seat)[0]
        found.append((f"mail-{name}-{answer.letter.kind}", body_of(answer.letter.body)))
    return tuple(found)


def _form(letter: LetterBody) -> str:
    """The block of orders in a letter, as a player sends it."""
    lines = letter.text.splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith(("ORDERS ", "ORDRES "))]
    ends = [n for n, line in enumerate(lines) if line in ("END", "FIN")]
    return "\n".join(lines[starts[0] : ends[0] + 1]) if starts else "PASS"


def body_of(raw: bytes) -> LetterBody:
    """A letter that was sent, as its words."""
    mail = message_from_bytes(raw, policy=policy.default)
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None and html is not None, "our letters have both"
    pictures = [
        Picture(str(part["Content-ID"]).strip("<>"), part.get_content())
        for part in mail.walk()
        if part.get_content_type() == "image/png"
    ]
    return LetterBody(str(mail["Subject"]), text.get_content(), html.get_content(), tuple(pictures))


def page_of(written: LetterBody) -> str:
    """The page with its pictures in it, as a mail program shows it."""
    html = written.html
    for picture in written.pictures:
        data = b64encode(picture.png).decode()
        html = html.replace(f'"cid:{picture.name}"', f'"data:image/png;base64,{data}"')
    return html
