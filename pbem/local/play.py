"""A game at the terminal: people at some seats, bots at the others, the same notation as in letters.

`Session` asks one open question after the other, reads order lines until an empty line, tries them on a
copy, tells all refusals at once, and hands in what is good. All words come from the phrase files.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.kernel.errors import Refusal
from engine.kernel.fairness.audit import SentMark
from engine.kernel.game import Language
from engine.kernel.journal import JournalLine as JournalLine
from engine.kernel.journal import codec_of
from engine.kernel.register import Register
from engine.kernel.rehearsal import rehearse
from engine.kernel.replay import is_kind
from engine.kernel.requests import Answer, Ask, Fact, Seat
from pbem.campaigns.desk import Desk, Handed
from pbem.letters.help import help_passage
from pbem.letters.order_form import has_form
from pbem.letters.phrases import load_phrases
from pbem.letters.render import LastCounts, account, hang, paragraphs, view_text

SHOWN = 9  # so many options are listed in full
EXAMPLES = 6  # of more options so many are listed, spread over all of them
COMMANDS = {
    "HELP": "help", "AIDE": "help", "?": "help",
    "STATUS": "status", "ETAT": "status",
    "ODDS": "odds", "CHANCES": "odds",
    "RULE": "rule", "REGLE": "rule",
    "OPTIONS": "options",
    "DEFAULT": "default", "DEFAUT": "default",
    "CHECK": "check", "ESSAI": "check",
    "STANDING": "standing", "PERMANENTS": "standing",
    "SALT": "salt", "SEL": "salt",
    "UNDO": "undo", "RETOUR": "undo",
    "QUIT": "quit", "EXIT": "quit", "QUITTER": "quit",
}  # fmt: skip
WITH_WORDS = {"help", "odds", "rule", "salt"}  # the others stand alone on their line


class Left(Exception):
    """The person at the keyboard left."""


@dataclass(slots=True)
class OrderDraft:
    """What a seat has written for its open questions so far."""

    lines: list[str] = field(default_factory=list)
    replies: dict[str, Answer] = field(default_factory=dict)
    salt: str = ""

    def handed(self) -> Handed:
        """As a letter: its id is drawn here, so that everything handed in adds to the dice."""
        letter = SentMark(f"<{secrets.token_hex(8)}@terminal>", "", self.salt)
        return Handed("\n".join(self.lines), self.replies, (letter,))


class Session:
    """A game being played. `ask` reads one line (None: nobody is there any more), `say` prints."""

    def __init__(
        self,
        desk: Desk,
        language: Language,
        register: Register | None,
        ask: Callable[[str], str | None],
        say: Callable[[str], None],
    ) -> None:
        self.desk, self.language, self.register = desk, language, register
        self.ask, self.say = ask, say
        self.game = desk.terms.game
        self.phrases = load_phrases(self.game.id, language, desk.terms.pack)
        self._explained = False
        self._told = dict.fromkeys(desk.humans, 0)  # lines of the journal each seat has been told of
        self._known = {seat: LastCounts() for seat in desk.humans}
        self._seen = dict.fromkeys(desk.humans, "")  # the segment each seat has last seen the board at

    def play(self) -> None:
        """Until the game is over; raises Left if nobody answers any more."""
        while not self.desk.table.over:
            drafts = {seat: self._decide(seat, asks) for seat, asks in sorted(self.desk.open_asks().items())}
            self.desk.advance({seat: draft.handed() for seat, draft in drafts.items()})
        for seat in self.desk.humans:
            self._tell(seat)
        self._tell_outcome()

    # ------------------------------------------------------------ what is told

    def _facts(self, since: int) -> list[Fact]:
        lines: list[JournalLine] = self.desk.table.journal.since(since)
        codec = codec_of(self.game)
        return [codec.fact(line.data) for line in lines if is_kind(line, "fact")]

    def _tell(self, seat: Seat) -> None:
        """What happened since the seat was told last."""
        facts = self._facts(self._told[seat])
        sentences = account(facts, seat, self.phrases, self._known[seat])
        self._told[seat] = len(self.desk.table.journal)
        if sentences:
            self.say("\n" + paragraphs(sentences, "· "))

    def _show_board(self, seat: Seat) -> None:
        self.say("\n" + view_text(self.game, self.desk.table.view(seat), self.phrases))

    def _tell_outcome(self) -> None:
        outcome = self.game.outcome(self.desk.table.state)
        assert outcome is not None
        self.say("\n" + self.phrases.word("over", reason=self.phrases.outcome(outcome)))
        self.say(self.phrases.word("winners", winners=outcome.winners))
        if outcome.scores:
            self.say(self.phrases.word("scores", scores=outcome.scores))

    def _pose(self, ask: Ask, most: int = SHOWN) -> list[Answer]:
        """The question with its default and a list of answers, numbered where one is all that is wanted."""
        phrases, alone = self.phrases, self._is_alone()
        answers = list(ask.options.describe())
        whole = len(answers) <= most
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

    def _is_alone(self) -> bool:
        """Is the open question all there is? A number alone would leave the rest of a turn to its default."""
        pause = self.desk.pause
        return pause is None or pause.window.once or not has_form(pause.window.key, self.phrases)

    # ------------------------------------------------------------ one seat's open questions

    def _decide(self, seat: Seat, asks: list[tuple[str, Ask]]) -> OrderDraft:
        if len(self.desk.humans) > 1:
            self._hear(self.phrases.word("turn_of", seat=seat))
        self._tell(seat)
        segment = self.desk.table.segment
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
            line = self._hear(self.phrases.word("prompt", seat=seat) + " ", written).strip()
            command, words = command_of(line)
            if line.isdigit() and not written:
                if 1 <= int(line) <= len(answers):
                    self._take(question, ask, answers[int(line) - 1], draft)
                    return
                self.say(self.phrases.word("no_number", number=line))
            elif command == "default":
                self._take(question, ask, ask.default, draft)
                return
            elif command == "options":
                self._pose(ask, len(answers))
            elif command == "check":
                self._tell_refusals(self._refusals(seat, question, ask, [*draft.lines, *written]))
                self.say(self.phrases.word("checked"))
            elif command == "salt":
                draft.salt = words
                self.say(self.phrases.word("salted", words=words))
            elif command:
                self._serve(seat, command, words)
            elif line:
                written.append(line)
            elif written:
                if self._accept(seat, question, ask, written, draft):
                    return
                written = []

    def _hear(self, prompt: str, waiting: Sequence[str] = ()) -> str:
        """What is typed; who leaves is told which order lines he has written in vain."""
        line = self.ask(prompt)
        if line is None or command_of(line.strip())[0] == "quit":
            if waiting:
                self.say("\n" + hang(self.phrases.word("not_played", lines=waiting), ""))
            raise Left
        return line

    def _take(self, question: str, ask: Ask, answer: Answer, draft: OrderDraft) -> None:
        draft.replies[question] = answer
        self.say(hang(self.phrases.word("on_file", line=self._written(ask, answer)), ""))

    def _written(self, ask: Ask, answer: Answer) -> str:
        """The order line that gives this answer."""
        view = self.desk.table.view(ask.seat)
        return self.game.notation.write_answer(ask, answer, self.language, view)

    # ------------------------------------------------------------ order lines

    def _accept(self, seat: Seat, question: str, ask: Ask, written: list[str], draft: OrderDraft) -> bool:
        """Hand the lines in if none is refused and one of them answers the question."""
        lines = [*draft.lines, *written]
        if refusals := self._refusals(seat, question, ask, lines):
            self._tell_refusals(refusals)
            self.say(self.phrases.word("nothing_sent"))
            return False
        on_file = self.desk.on_file(seat, Handed("\n".join(lines)))
        view = self.desk.table.view(seat)
        if on_file.find(ask, question, view, self.game.notation) is None:
            self.say(self.phrases.word("unanswered"))
            return False
        draft.lines = lines
        reading = self.desk.read(seat, "\n".join(written))
        for line in (*reading.orders, *reading.standing):
            self.say(hang(self.phrases.word("on_file", line=line.write(self.language)), ""))
        for line in reading.standing:
            if (doubt := line.check(view)) is not None:
                self.say(hang(self.phrases.word("doubt", reason=self.phrases.refusal(doubt)), "  ? "))
        return True

    def _refusals(self, seat: Seat, question: str, ask: Ask, lines: list[str]) -> list[Refusal]:
        """All that is wrong with the lines: unreadable ones, and those a rehearsal refuses."""
        text = "\n".join(lines)
        found = list(self.desk.read(seat, text).refusals)
        on_file = self.desk.on_file(seat, Handed(text))
        if self.desk.table.snapshot is not None:
            verdicts = rehearse(self.desk.table, seat, on_file)
            found += [one.refusal for one in verdicts if one.status == "refused" and one.refusal is not None]
        return sorted(found, key=lambda refusal: refusal.line)

    def _tell_refusals(self, refusals: list[Refusal]) -> None:
        for refusal in refusals:
            self.say(hang(self.phrases.refusal(refusal), "  ! "))

    # ------------------------------------------------------------ commands

    def _serve(self, seat: Seat, command: str, words: str) -> None:
        phrases = self.phrases
        match command:
            case "help":
                self._help(words)
            case "undo":
                self.say(phrases.word("no_undo"))
            case "status":
                self._tell(seat)
                self._show_board(seat)
            case "odds":
                odds = self.game.odds(self.desk.table.view(seat), words)
                self.say(hang(phrases.odds(odds) if odds is not None else phrases.word("no_odds"), ""))
            case "rule":
                self._show_rules(words)
            case "standing":
                text = self.desk.standing.get(seat, "") or phrases.word("no_standing")
                self.say(text)

    def _help(self, topic: str) -> None:
        """What may be written at a terminal; HELP with a topic: the page that letters are answered with."""
        if not topic:
            rule = next(iter(self.register.rules)) if self.register is not None else "1"
            self.say("\n".join(self.phrases.lines("words", "help", {"rule": rule.partition("-")[2] or rule})))
            return
        passage = help_passage(topic, self.game.id, self.language)
        self.say("\n".join(passage.lines))

    def _show_rules(self, asked: str) -> None:
        rules = self.register.about(asked) if self.register is not None else ()
        for rule in rules:
            self.say(hang(rule.title[self.language], f"{rule.id}  "))
            if rule.reason is not None:
                self.say(hang(self.phrases.word("rule_reason", reason=rule.reason[self.language]), "    "))
        if not rules:
            self.say(self.phrases.word("no_rule", asked=asked))


def command_of(line: str) -> tuple[str, str]:
    """The command a line gives and the words behind it; '' for an order line."""
    first, _, words = line.partition(" ")
    command = COMMANDS.get(_plain(first), "")
    if words.strip() and command not in WITH_WORDS:
        return "", ""
    return command, words.strip()


def _plain(word: str) -> str:
    """Capital letters without accents."""
    folded = unicodedata.normalize("NFKD", word.upper())
    return "".join(sign for sign in folded if not unicodedata.combining(sign))
