"""HELP, RULE, ODDS, LIST, HISTORY, VERIFY, LUCK."""

from __future__ import annotations

import email
from collections.abc import Iterable, Sequence
from dataclasses import replace
from email.message import EmailMessage
from email.policy import default
from typing import Final, Literal, NamedTuple

from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.export import audit_json, seat_export
from engine.kernel.fairness.history import Throw, throws
from engine.kernel.fairness.luck import luck, luck_by_battle, staked_throws
from engine.kernel.journal import JournalLine
from engine.kernel.register import Register, Rule
from engine.kernel.replay import is_kind
from pbem.campaigns.deadlines import is_in_turn, label_of, turn_of
from pbem.campaigns.lobby import vacant_seats
from pbem.campaigns.rulebook import load_rulebook
from pbem.campaigns.terms import find_game
from pbem.letters.dates import Moment
from pbem.letters.dice import roll_lines
from pbem.letters.help import help_passage
from pbem.letters.invitation import CampaignListing, campaign_list
from pbem.letters.luck import battle_words, luck_tables
from pbem.letters.memo import Heading, Listing, Note, Part, Passage, plain_note
from pbem.mail.compose import Enclosure
from pbem.orders.arguments import PLEASE, VerbArguments
from pbem.orders.own_text import marker
from pbem.orders.text import near, plain
from pbem.orders.understood import Command
from pbem.orders.vocabulary import ANYBODY, MEMBERS, PLAYERS
from pbem.store.campaigns import CampaignRow, all_campaigns
from pbem.store.inbox import marks_of_others
from pbem.store.journal import read_journal, read_records
from pbem.store.outbox import GATHERED, Posted, letters_to, letters_to_person
from pbem.store.windows import all_windows
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.handling import answer_with, campaign_of, require_running, view_of
from pbem.verbs.press import bar_line
from pbem.verbs.verb import Verb

LONGEST_TOPIC: Final = 3  # words behind HELP
MOST_RULES: Final = 25  # of a section that are told at once
MOST_WORD: Final = 60  # characters of a question that are repeated
MOST_CAMPAIGNS: Final = 60


# ------------------------------------------------------------------ HELP


class Help(Command):
    topic: str = ""


def _read_help(arguments: VerbArguments) -> Help:
    if len(arguments.words) > LONGEST_TOPIC:
        raise arguments.left_over(LONGEST_TOPIC)
    words = (arguments.word(n) for n, word in enumerate(arguments.words) if word.key not in PLEASE)
    return Help(" ".join(words))


def _help(context: LetterContext, command: Help) -> VerbResult:
    """HELP: the page of a topic, with the game's own where the letter is about a campaign."""
    from pbem.verbs.registry import help_topics  # the registry holds this verb as well

    game = "" if context.campaign_row is None else context.campaign_row.game
    words = (word for word in command.topic.split() if plain(word) != plain(context.campaign_name))
    return answer_with(help_passage(" ".join(words), game, context.language, help_topics()))


# ------------------------------------------------------------------ RULE


class ShowRule(Command):
    """A rule of the register, as it was asked for: `5.4.1`."""

    rule: str


def _read_rule(arguments: VerbArguments) -> ShowRule:
    rule = arguments.read_first("rule")
    arguments.expect_end(1)
    return ShowRule(rule)


def _show_rule(context: LetterContext, command: ShowRule) -> VerbResult:
    """A rule of the register, or a section of it; otherwise those with similar names."""
    asked = command.rule[:MOST_WORD]
    register = load_rulebook(context.campaign.terms.game.id)
    if register is None:
        return answer_with(Note("rule-no-register"))
    found = register.about(asked)
    if not found:
        return answer_with(Note("rule-unknown", {"asked": asked, "ids": _similar_ids(register, asked)}))
    notes = [_rule_note(context, one) for one in found[:MOST_RULES]]
    if len(found) > MOST_RULES:
        sections = list(dict.fromkeys(one.section for one in found))
        notes.append(Note("rule-more", {"number": len(found) - MOST_RULES, "sections": sections}))
    return answer_with(*notes)


def _similar_ids(register: Register, asked: str) -> tuple[str, ...]:
    """Ids and sections near to what was asked; else the section above it: `6.9.9-3` is somewhere in 6."""
    plain = asked.upper().removeprefix(f"{register.game}-")
    above = plain.partition("-")[0]
    if register.about(above):
        return (above,)
    sections = list(dict.fromkeys(one.section for one in register.rules.values()))
    short = [one.removeprefix(f"{register.game}-") for one in register.rules]
    if found := near(plain, [*sections, *short]):
        return found
    while "." in above:
        above = above.rpartition(".")[0]
        if register.about(above):
            return (above,)
    return ()


def _rule_note(context: LetterContext, one: Rule) -> Note:
    """The rule, whether it is a ruling or a choice, and why."""
    language, switch = context.language, one.switch or ""
    facts = {
        "id": one.id,
        "title": one.title[language],
        "status": one.status,
        "ruling": one.ruling,
        "reason": "" if one.reason is None else one.reason[language],
        "switch": switch,
        "setting": str(context.campaign.terms.settings.options.get(switch, "")),
    }
    return Note("rule-told", facts)


# ------------------------------------------------------------------ ODDS


class Odds(Command):
    """A battle, written as its attack would be ordered."""

    battle: str


def _odds(context: LetterContext, command: Odds) -> VerbResult:
    """The chances of a battle as the writer sees the board, or why there are none."""
    require_running(campaign_of(context))
    game, view, phrases = context.campaign.terms.game, view_of(context), context.phrases
    found = game.odds(view, command.battle)
    if found is not None:
        return answer_with(plain_note(phrases.odds(found)), Note("odds-how"))
    reading = game.notation.read(command.battle, view)
    checked = (line.check(view) for line in (*reading.orders, *reading.standing))
    doubts = [*reading.refusals, *filter(None, checked)]
    battle = {"battle": command.battle[:MOST_WORD]}
    if not doubts:
        return answer_with(Note("odds-no-battle", battle))
    reasons = tuple(plain_note(phrases.refusal(replace(one, line=0))) for one in doubts)
    return answer_with(Note("odds-refused", battle), Listing(reasons))


# ------------------------------------------------------------------ LIST


class ListCampaigns(Command):
    """The campaigns that may be joined or watched."""


def _list(context: LetterContext, command: ListCampaigns) -> VerbResult:
    """LIST: the campaigns that may be joined or watched, for anybody."""
    rows = all_campaigns(context.service.db, "lobby", "running")[:MOST_CAMPAIGNS]
    return answer_with(*campaign_list([_describe(context, row) for row in rows], context.phrases))


def _describe(context: LetterContext, row: CampaignRow) -> CampaignListing:
    """A running campaign may be watched; where nobody holds a seat it may be joined."""
    free = len(vacant_seats(context.service.db, row.id))
    state: Literal["lobby", "running"] = "lobby" if row.state == "lobby" else "running"
    return CampaignListing(row.id, find_game(row.game).names, state, free)


MOST_LISTED: Final = 100  # letters
MOST_LINES: Final = 1500  # of letters repeated
MOST_THROWS: Final = 120
MOST_BATTLES: Final = 60  # told of all turns; those of one turn are told in full
NOT_REPEATED: Final = ("receipt", "answer", "reminder")  # an answer to HISTORY is as long as all the others
# Not of the seat as such. A question repeats what its holder wrote, private words among it.
OF_THE_HOLDER: Final = ("receipt", "answer", "question", "press", "reminder", "invitation")


class Kept(NamedTuple):
    """A letter of the reader's, and the window in which they got it."""

    posted: Posted
    label: str


# ------------------------------------------------------------------ HISTORY


class History(Command):
    """The seat's own letters, of one turn or of all."""

    turn: str = ""


def _history(context: LetterContext, command: History) -> VerbResult:
    """The list of the reader's own letters; with a turn their texts again."""
    kept = own_letters(context)
    if not kept:
        return answer_with(Note("history-none", {"campaign": campaign_of(context).id}))
    if not command.turn:
        return answer_with(*_list_letters(context, kept))
    news = [one for one in kept if one.posted.letter.kind not in NOT_REPEATED]
    turn = command.turn
    chosen = [one for one in news if is_in_turn(one.label, turn) or is_in_turn(turn, one.label)]
    if not chosen:
        turns = list(dict.fromkeys(turn_of(one.label) for one in reversed(news) if one.label))
        return answer_with(Note("history-no-turn", {"named": turn, "turns": turns}))
    return answer_with(*_repeat(context, chosen, turn))


def own_letters(context: LetterContext) -> list[Kept]:
    """Newest first. A seat's letters go to whoever holds it, those of a holder's own to that person alone."""
    name, db, person = context.campaign_name, context.service.db, context.person_id
    if context.seat:
        found = letters_to(db, name, context.seat)
    else:
        found = [] if person is None else letters_to_person(db, name, person)
    windows = all_windows(db, name)
    labels = {window.number: label_of(window) for window in windows}
    kept = []
    for posted in found:
        letter = posted.letter
        overtaken = posted.state == "withdrawn" and (
            letter.kind in NOT_REPEATED or posted.trouble == GATHERED
        )
        if overtaken or (letter.kind in OF_THE_HOLDER and letter.person != person):
            continue
        opened = [window for window in windows if window.opened_at <= posted.laid]
        label = labels.get(letter.window or 0) or (label_of(opened[-1]) if opened else "")
        kept.append(Kept(posted, label))
    return kept


def _list_letters(context: LetterContext, kept: Sequence[Kept]) -> tuple[Part, ...]:
    notes = []
    for one in kept[:MOST_LISTED]:
        subject = open_kept_letter(one.posted)["Subject"]
        when = Moment(one.posted.laid, context.recipient.zone)
        notes.append(Note("history-letter", {"when": when, "subject": subject, "label": one.label}))
    title = Note("history-title", {"number": len(kept), "shown": len(notes)})
    turn = next((turn_of(one.label) for one in kept if one.label), "")
    how = (Note("history-how", {"turn": turn}),) if turn else ()
    return (title, Listing(tuple(notes)), *how)


def _repeat(context: LetterContext, chosen: Sequence[Kept], turn: str) -> tuple[Part, ...]:
    """The texts, oldest first; each line behind a bar."""
    parts: list[Part] = [Note("history-again", {"number": len(chosen), "named": turn})]
    left = MOST_LINES
    for number, one in enumerate(reversed(chosen)):
        lines = tuple(bar_letter(letter_text_of(one.posted)))
        if len(lines) > left:
            parts.append(Note("history-cut", {"number": len(chosen) - number}))
            break
        left -= len(lines)
        facts = {"when": Moment(one.posted.laid, context.recipient.zone)}
        parts += [Heading(Note("history-heading", facts)), Passage(lines)]
    return tuple(parts)


def open_kept_letter(posted: Posted) -> EmailMessage:
    """A letter of ours, from its bytes."""
    return email.message_from_bytes(posted.letter.body, policy=default)


def letter_text_of(posted: Posted) -> str:
    part = open_kept_letter(posted).get_body(("plain",))
    return "" if part is None else str(part.get_content())


def bar_letter(text: str) -> Iterable[str]:
    """Without the two lines that frame a letter: this one has its own."""
    rows = [row.rstrip() for row in text.splitlines() if not marker(row)]
    return map(bar_line, "\n".join(rows).strip("\n").split("\n") if any(rows) else ())


# ------------------------------------------------------------------ VERIFY


class Verify(Command):
    """How the dice may be checked, of one turn or of all."""

    turn: str = ""


def _verify(context: LetterContext, command: Verify) -> VerbResult:
    """How to check the dice, with everything that the reader's letters have shown of them in one file."""
    row, db = campaign_of(context), context.service.db
    records = list(read_records(db, row.id))
    if not records:
        return answer_with(Note("verify-nothing", {"campaign": row.id}))
    journal = read_journal(db, row.id)
    ledger = Ledger(journal[0].raw, context.campaign.keys.dice, records)
    others = marks_of_others(db, row.id, context.seat, context.person_id)
    text = seat_export(ledger, context.seat, others) if context.seat else audit_json(ledger, None)
    name = f"audit-{row.id.lower()}.json"
    rolled = list(throws(records))
    facts = {"file": name, "closes": len(records), "rolls": len(rolled), "head": ledger.head.hex()[:16]}
    parts: list[Part] = [Note("verify-file", facts), Note("verify-how", facts)]
    if command.turn:
        parts += _list_rolls(context, journal, rolled, command.turn)
    return VerbResult(answer=tuple(parts), enclosures=(Enclosure(name, "application/json", text.encode()),))


def _list_rolls(
    context: LetterContext, journal: Iterable[JournalLine], rolled: Sequence[Throw], named: str
) -> list[Part]:
    """The public rolls of a turn or a part of it, by the numbers under which every letter cites them."""
    closes = _closes_of(journal, named)
    chosen = [one for one in rolled if is_in_turn(one.segment, named) or one.close in closes]
    if not chosen:
        turns = list(dict.fromkeys(one.turn for one in rolled))
        return [Note("verify-no-rolls", {"named": named, "turns": turns})]
    phrases, notes = context.phrases, []
    for line in roll_lines(chosen[:MOST_THROWS]):
        one = line.throw
        told = {"seat": one.seat, "faces": one.faces, "purpose": one.purpose} if one is not None else {}
        words = phrases.say("words", "rolled", told) if told else ""
        notes.append(plain_note(phrases.say("letters", "throw", {"line": line, "words": words})))
    shown = min(len(chosen), MOST_THROWS)
    title = Note("verify-rolls", {"named": named, "number": len(chosen), "shown": shown})
    return [title, Listing(tuple(notes))]


def _closes_of(journal: Iterable[JournalLine], named: str) -> set[int]:
    """The Closes of the exchange of letters of that name: `T1.C2` is played in the rounds `T1.R5` to `T1.R8`.

    A window of a single question bears the name of its segment, which says enough.
    """
    closed = (line.data for line in journal if is_kind(line, "close"))
    return {one["t"] for one in closed if not one["once"] and one["window"].casefold() == named.casefold()}


# ------------------------------------------------------------------ LUCK


class TellLuck(Command):
    """The battles of one turn or of all, as their dice fell and as was to be expected."""

    turn: str = ""


def _tell_luck(context: LetterContext, command: TellLuck) -> VerbResult:
    """The account by seat and purpose, then battle by battle: of public rolls, the same for everybody."""
    row, terms, phrases = campaign_of(context), context.campaign.terms, context.phrases
    rolls = staked_throws(terms.game, terms.pack, read_records(context.service.db, row.id))
    if not rolls:
        return answer_with(Note("luck-nothing", {"campaign": row.id}))
    battles, named = luck_by_battle(rolls), command.turn
    chosen = [one for one in battles if not named or is_in_turn(one.segment, named)]
    if not chosen and named:
        turns = list(dict.fromkeys(one.turn for one in battles))
        return answer_with(Note("luck-no-turn", {"named": named, "turns": turns}))
    shown = chosen if named else chosen[-MOST_BATTLES:]
    lines = Listing(tuple(plain_note(battle_words(one, phrases)) for one in shown))
    title = Note("luck-battles", {"number": len(chosen), "shown": len(shown)})
    told = (title, lines) if shown else ()
    if named:
        return answer_with(*told)
    names = ("who", "purpose", "dice", "result", "expected", "judgement")
    seats = tuple(
        Note("luck-seat", dict(zip(names, (who, *one), strict=True)))
        for who, rows in luck_tables(luck(rolls), phrases)
        for one in rows
    )
    return answer_with(Note("luck-totals", {"campaign": row.id}), Listing(seats), *told, Note("luck-how"))


VERBS = (
    Verb(
        "HELP", "AIDE", ANYBODY, Help, _help,
        read=_read_help, rest="open", is_information=True, strangers="answer", topic="index",
    ),
    Verb(
        "HISTORY", "HISTORIQUE", MEMBERS, History, _history,
        read=lambda arguments: History(arguments.read_turn()), is_information=True, subject="campaign",
    ),
    Verb(
        "RULE", "REGLE", MEMBERS, ShowRule, _show_rule,
        read=_read_rule, is_information=True, subject="campaign", mistaken="RULES, REGLES",
    ),
    Verb(
        "ODDS", "CHANCES", PLAYERS, Odds, _odds,
        read=lambda arguments: Odds(arguments.read_text("battle")), rest="open",
        is_information=True, subject="seat",
    ),
    Verb(
        "VERIFY", "VERIFIE, VERIFIER", MEMBERS, Verify, _verify,
        read=lambda arguments: Verify(arguments.read_turn()), is_information=True, subject="campaign",
        topic="dice",
    ),
    Verb(
        "LUCK", "FORTUNE", MEMBERS, TellLuck, _tell_luck,
        read=lambda arguments: TellLuck(arguments.read_turn()), is_information=True, subject="campaign",
        topic="dice",
    ),
    Verb(
        "LIST", "LISTE", ANYBODY, ListCampaigns, _list,
        is_information=True, strangers="answer", topic="lobby",
    ),
)  # fmt: skip
