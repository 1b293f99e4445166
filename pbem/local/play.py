"""Play at the terminal: people at some seats, bots at the others, with the same notation as in letters.

`Session` asks one open question after another, reads order lines up to an empty line, rehearses them, shows
all refusals at once, and plays what is good. All texts come from the phrase files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from engine.kernel.fairness.audit import SentMark
from engine.kernel.game import Language, View
from engine.kernel.journal import canonical, codec_of
from engine.kernel.register import Register
from engine.kernel.rehearsal import Verdict, judge_sheet
from engine.kernel.replay import is_kind
from engine.kernel.requests import Answer, Ask, Fact, Seat
from pbem.campaigns.advance_report import EVERYONE
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.order_file import TracedOrderFile
from pbem.campaigns.results import why_not_done
from pbem.letters.briefing import brief_reader
from pbem.letters.final import score_rows
from pbem.letters.help import help_passage
from pbem.letters.order_form import has_form
from pbem.letters.phrases import load_phrases
from pbem.letters.possible import possible_orders
from pbem.letters.render import LastCounts, ReadLine, account, hang, paragraphs, statuses, view_text
from pbem.local.saved import advance
from pbem.orders.text import plain
from pbem.store.windows import SeatOrders, StoredReply, StoredSheet
from pbem.verbs.registry import help_topics

MOST_LISTED = 9  # up to so many options are listed in full
EXAMPLES = 6  # of more options so many are listed, spread evenly
COMMANDS = {
    "HELP": "help", "AIDE": "help", "?": "help",
    "STATUS": "status", "ETAT": "status",
    "ODDS": "odds", "CHANCES": "odds",
    "RULE": "rule", "REGLE": "rule",
    "OPTIONS": "options", "POSSIBLE": "options", "POSSIBLES": "options",
    "REMOVE": "remove", "ENLEVE": "remove", "ENLEVER": "remove",
    "DEFAULT": "default", "DEFAUT": "default",
    "CHECK": "check", "ESSAI": "check",
    "STANDING": "standing", "CONSIGNES": "standing", "PERMANENTS": "standing",
    "SALT": "salt", "SEL": "salt",
    "UNDO": "undo", "RETOUR": "undo",
    "QUIT": "quit", "EXIT": "quit", "QUITTER": "quit",
}  # fmt: skip
WITH_ARGUMENTS = {"help", "odds", "remove", "rule", "salt"}  # the others stand alone on their line


class Quit(Exception):
    """The person at the keyboard quit."""


@dataclass(slots=True)
class OrderDraft:
    """What a seat has written for its open questions so far."""

    lines: list[str] = field(default_factory=list)
    replies: dict[str, StoredReply] = field(default_factory=dict)  # by the question's id
    salt: str = ""


class Session:
    """A game being played.

    `ask` reads one line (None: the input has ended), `say` prints. `rng` makes up each letter's id, which
    adds to the dice.
    """

    def __init__(
        self,
        campaign: Campaign,
        language: Language,
        register: Register | None,
        rng: Random,
        ask: Callable[[str], str | None],
        say: Callable[[str], None],
    ) -> None:
        self.campaign, self.language, self.register = campaign, language, register
        self.rng, self.ask, self.say = rng, ask, say
        self.game, self.table = campaign.terms.game, campaign.table
        self.phrases = load_phrases(self.game.id, language, campaign.terms.pack)
        self.people = tuple(seat for seat in campaign.terms.seats if seat not in campaign.bots)
        self._explained = False
        self._reported = dict.fromkeys(self.people, 0)  # lines of the journal that each seat has been shown
        self._known = {seat: LastCounts() for seat in self.people}
        self._viewed = dict[Seat, View]()  # what each seat saw at its last report
        self._seen = dict.fromkeys(self.people, "")  # the segment at which each seat last saw the board

    def play(self) -> None:
        """Until the game is over; raises Quit when the person leaves."""
        while not self.table.over:
            open_asks = sorted(self.campaign.open_asks().items())
            drafts = {seat: self._decide(seat, asks) for seat, asks in open_asks}
            advance(self.campaign, {seat: self._orders(draft) for seat, draft in drafts.items()})
            for seat in drafts:
                self._show_not_done(seat)
        for seat in self.people:
            self._report(seat)
        self._show_outcome()

    def _orders(self, draft: OrderDraft) -> SeatOrders:
        letter = SentMark(f"<{self.rng.randbytes(8).hex()}@terminal>", "", draft.salt)
        return SeatOrders(StoredSheet("\n".join(draft.lines)), draft.replies, letters=(letter,))

    # ------------------------------------------------------------ reports

    def _report(self, seat: Seat) -> None:
        """What happened since the last report to this seat."""
        codec, lines = codec_of(self.game), self.table.journal.since(self._reported[seat])
        facts = [codec.fact(line.data) for line in lines if is_kind(line, "fact")]
        sentences = account(facts, seat, self.phrases, self._known[seat])
        self._reported[seat] = len(self.table.journal)
        if sentences:
            self.say("\n" + paragraphs(sentences, "· "))
            self._brief(seat, facts)

    def _brief(self, seat: Seat, facts: Sequence[Fact]) -> None:
        """What all that means to the seat."""
        view, before = self.campaign.view(seat), self._viewed.get(seat)
        self._viewed[seat] = view
        briefing = brief_reader(self.game, before, view, facts, self.phrases)
        self.say("\n" + hang(briefing.headline, "* "))
        self.say(paragraphs([words for _, words in briefing.for_you], "  - "))

    def _show_not_done(self, seat: Seat) -> None:
        """The lines of the seat's orders of which nothing came, and why."""
        file, view = self.table.files.get(seat), self.campaign.view(seat)
        if not isinstance(file, TracedOrderFile):
            return
        for line in file.sheet:
            planned = self.game.notation.is_in_force(line.plan, view)
            status = file.status_of(line, planned, line.is_ahead(view))
            if status in ("refused", "unused"):
                why = why_not_done(file, line, status, self.phrases)
                told = self.phrases.word("not_done", line=line.write(self.language), reason=why)
                self.say(hang(told, "  ! "))

    def _show_board(self, seat: Seat) -> None:
        self.say("\n" + view_text(self.game, self.campaign.view(seat), self.phrases))

    def _show_outcome(self) -> None:
        outcome = self.game.outcome(self.table.state)
        assert outcome is not None
        self.say("\n" + self.phrases.word("over", reason=self.phrases.outcome(outcome)))
        self.say(self.phrases.verdict(outcome))
        for name, points in score_rows(self.game, self.campaign.view(EVERYONE), outcome, self.phrases):
            self.say(f"{name}: {points}")

    def _pose(self, ask: Ask, *, whole: bool = False) -> list[Answer]:
        """Show the question, its default and a list of answers, numbered where one answer is all it takes."""
        phrases, alone = self.phrases, self._is_alone()
        answers = list(ask.options.describe())
        if not alone and self._pose_turn(ask, whole):
            return answers
        whole = whole or len(answers) <= MOST_LISTED
        places = range(len(answers)) if whole else [n * len(answers) // EXAMPLES for n in range(EXAMPLES)]
        self.say("\n" + hang(phrases.question(ask), ""))
        how = ("options_all" if whole else "options") if alone else "options_lines"
        self.say(hang(phrases.word(how), ""))
        for place in places:
            self.say(hang(self._written(ask, answers[place]), f"{place + 1:3}  " if alone else "     "))
        if not whole:
            self.say("     " + phrases.word("more", number=len(answers)))
        self.say(hang(phrases.word("default", line=self._written(ask, ask.default)), ""))
        return answers

    def _pose_turn(self, ask: Ask, whole: bool) -> bool:
        """Where a whole turn is wanted: the question, and what may be ordered now, by kind."""
        phrases, view = self.phrases, self.campaign.view(ask.seat)
        groups = possible_orders(self.game, view, (ask,), phrases)
        if not groups:
            return False
        self.say("\n" + hang(phrases.question(ask), ""))
        self.say(hang(phrases.word("options_lines"), ""))
        shown, everything = 0, sum(len(group.lines) for group in groups)
        for group in groups:
            lines = group.lines if whole else group.lines[: group.first or EXAMPLES]
            shown += len(lines)
            self.say(hang(group.title, "  "))
            for line in lines:
                self.say(hang(line, "     "))
        if shown < everything:
            self.say("     " + phrases.word("more", number=everything))
        self.say(hang(phrases.word("default", line=self._written(ask, ask.default)), ""))
        return True

    def _is_alone(self) -> bool:
        """Is one answer enough? In a window for a whole turn a number would leave the rest to its default."""
        pause = self.campaign.pause
        return pause is None or pause.window.once or not has_form(pause.window.key, self.phrases)

    # ------------------------------------------------------------ one seat's open questions

    def _decide(self, seat: Seat, asks: list[tuple[str, Ask]]) -> OrderDraft:
        if len(self.people) > 1:
            self._read(self.phrases.word("turn_of", seat=seat))
        self._report(seat)
        segment = self.table.segment
        if segment is not None and segment.key != self._seen[seat]:
            self._seen[seat] = segment.key
            self._show_board(seat)
        draft = OrderDraft()
        for question, ask in asks:
            self._answer(seat, question, ask, draft)
        return draft

    def _answer(self, seat: Seat, question: str, ask: Ask, draft: OrderDraft) -> None:
        """Ask until the question is answered."""
        answers = self._pose(ask)
        if not self._explained:
            self.say(hang(self.phrases.word("how"), ""))
            self._explained = True
        written: list[str] = []
        while True:
            line = self._read(self.phrases.word("prompt", seat=seat) + " ", written).strip()
            command, argument = command_of(line)
            if line.isdigit() and not written:
                if 1 <= int(line) <= len(answers):
                    self._take(question, ask, answers[int(line) - 1], draft)
                    return
                self.say(self.phrases.word("no_number", number=line))
            elif command == "default":
                self._take(question, ask, ask.default, draft)
                return
            elif command == "options":
                self._pose(ask, whole=True)
            elif command == "check":
                self._check(seat, [*draft.lines, *written])
            elif command == "remove":
                self._remove(argument, written, len(draft.lines))
            elif command == "salt":
                draft.salt = argument
                self.say(self.phrases.word("salted", words=argument))
            elif command:
                self._run_command(seat, command, argument)
            elif line:
                written.append(line)
            elif written and self._accept(seat, question, ask, written, draft):
                return

    def _read(self, prompt: str, waiting: Sequence[str] = ()) -> str:
        """Read a line; whoever quits is reminded of order lines they typed but did not send."""
        line = self.ask(prompt)
        if line is None or command_of(line.strip())[0] == "quit":
            if waiting:
                self.say("\n" + hang(self.phrases.word("not_played", lines=waiting), ""))
            raise Quit
        return line

    def _take(self, question: str, ask: Ask, answer: Answer, draft: OrderDraft) -> None:
        draft.replies[question] = StoredReply(ask.topic, canonical(answer).decode())
        self.say(hang(self.phrases.word("on_file", line=self._written(ask, answer)), ""))

    def _written(self, ask: Ask, answer: Answer) -> str:
        """The order line that gives this answer."""
        return self.game.notation.write_answer(ask, answer, self.language, self.campaign.view(ask.seat))

    # ------------------------------------------------------------ order lines

    def _accept(self, seat: Seat, question: str, ask: Ask, written: list[str], draft: OrderDraft) -> bool:
        """Take the lines if none is refused and one of them answers the question."""
        lines = [*draft.lines, *written]
        fates = self._fates(seat, lines)
        if bad := {fate.number for fate in fates if fate.status == "refused"}:
            self._show_fates([fate for fate in fates if fate.number in bad])
            first = len(draft.lines) + 1
            written[:] = [line for number, line in enumerate(written, first) if number not in bad]
            self.say(self.phrases.word("nothing_sent", kept=written))
            return False
        view, order_file = self.campaign.view(seat), self.campaign.order_file(seat, "\n".join(lines))
        if order_file.find(ask, question, view, self.game.notation) is None:
            self.say(self.phrases.word("unanswered"))
            written.clear()
            return False
        draft.lines = lines
        new = [fate for fate in fates if fate.number > len(lines) - len(written)]
        for fate in new:
            self.say(hang(self.phrases.word("fate", line=fate.line, status=self._status(fate)), ""))
        for line in self.campaign.read(seat, "\n".join(written)).standing:
            if (doubt := line.check(view)) is not None:
                self.say(hang(self.phrases.word("doubt", reason=self.phrases.refusal(doubt)), "  ? "))
        return True

    def _check(self, seat: Seat, lines: Sequence[str]) -> None:
        """What would become of each line, and whether all of them are good."""
        fates = self._fates(seat, lines)
        self._show_fates(fates)
        if fates and all(fate.status != "refused" for fate in fates):
            self.say(self.phrases.word("all_good"))
        self.say(self.phrases.word("checked"))

    def _remove(self, argument: str, written: list[str], before: int) -> None:
        """Take back a line that has not been sent: the last one, or that of a number as CHECK shows it."""
        number = int(argument) - before if argument.isdigit() else len(written)
        if not 1 <= number <= len(written):
            self.say(self.phrases.word("no_line", number=argument))
            return
        line = written.pop(number - 1)
        self.say(hang(self.phrases.word("removed", line=line, left=written), ""))

    def _fates(self, seat: Seat, lines: Sequence[str]) -> list[ReadLine]:
        """Every line as it is read, and what a rehearsal makes of it."""
        text, language = "\n".join(lines), self.language
        reading = self.campaign.read(seat, text)
        found = [ReadLine(one.line, "", "refused", (self.phrases.refusal(one),)) for one in reading.refusals]
        found += [ReadLine(one.number, one.write(language), "standing") for one in reading.standing]
        judged: Sequence[Verdict] = ()
        if self.table.snapshot is not None:
            judged = judge_sheet(self.table, seat, self.campaign.order_file(seat, text))
        for one in judged:
            why = (self.phrases.refusal(one.refusal),) if one.refusal is not None else ()
            found.append(ReadLine(one.line.number, one.line.write(language), one.status, why))
        return sorted(found, key=lambda fate: fate.number)

    def _show_fates(self, fates: Sequence[ReadLine]) -> None:
        for fate in fates:
            if fate.status != "refused":
                told = self.phrases.word(
                    "fate_of", number=fate.number, line=fate.line, status=self._status(fate)
                )
                self.say(hang(told, "  "))
            for why in fate.remarks:
                self.say(hang(why, "  ! "))

    def _status(self, fate: ReadLine) -> str:
        return statuses(self.phrases)[fate.status]

    # ------------------------------------------------------------ commands

    def _run_command(self, seat: Seat, command: str, argument: str) -> None:
        phrases = self.phrases
        match command:
            case "help":
                self._help(argument)
            case "undo":
                self.say(phrases.word("no_undo"))
            case "status":
                self._report(seat)
                self._show_board(seat)
            case "odds":
                odds = self.game.odds(self.campaign.view(seat), argument)
                self.say(hang(phrases.odds(odds) if odds is not None else phrases.word("no_odds"), ""))
            case "rule":
                self._show_rules(argument)
            case "standing":
                self.say(self.campaign.standing.get(seat, "") or phrases.word("no_standing"))

    def _help(self, topic: str) -> None:
        """What can be typed; with a topic, the help page that a letter would be answered with."""
        if not topic:
            rule = next(iter(self.register.rules)) if self.register is not None else "1"
            self.say("\n".join(self.phrases.lines("words", "help", {"rule": rule.partition("-")[2] or rule})))
            return
        passage = help_passage(topic, self.game.id, self.language, help_topics())
        self.say("\n".join(passage.lines))

    def _show_rules(self, query: str) -> None:
        rules = self.register.about(query) if self.register is not None else ()
        for rule in rules:
            self.say(hang(rule.title[self.language], f"{rule.id}  "))
            if rule.reason is not None:
                self.say(hang(self.phrases.word("rule_reason", reason=rule.reason[self.language]), "    "))
        if not rules:
            self.say(self.phrases.word("no_rule", asked=query))


def command_of(line: str) -> tuple[str, str]:
    """The command of a line and its argument; an order line has no command."""
    first, _, argument = line.partition(" ")
    command = COMMANDS.get(plain(first), "")
    if argument.strip() and command not in WITH_ARGUMENTS:
        return "", ""
    return command, argument.strip()
