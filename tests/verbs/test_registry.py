"""A verb is declared once: a toy verb, planted in one family, is known wherever verbs are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Connection

from engine.kernel.game import Language
from pbem.cli.main import COMMANDS
from pbem.letters.help import help_passage, pages, topic_of
from pbem.letters.memo import Note, Part
from pbem.letters.phrases import load_phrases
from pbem.orders.arguments import VerbArguments
from pbem.orders.own_text import END, ORDERS, STANDING
from pbem.orders.reader import understand
from pbem.orders.understood import Command, Writer
from pbem.orders.vocabulary import ANYBODY, PLAYERS, Fault, VerbVocabulary
from pbem.verbs import press
from pbem.verbs.context import LetterContext, VerbResult
from pbem.verbs.registry import REGISTRY, gather, help_topics
from pbem.verbs.verb import Verb, always
from tests.campaigns_at_hand import UMPIRE, AtHand
from tests.orders.writing import OBSERVER, PLAYER, commands, letter
from tests.verbs.contexts import context, of_person, of_stranger


class Toast(Command):
    to: str


def _read_toast(arguments: VerbArguments) -> Toast:
    seat = arguments.read_seat(arguments.read_first("seat"))
    arguments.expect_end(1)
    return Toast(seat)


def _toast(context: LetterContext, command: Toast) -> VerbResult:
    def effect(tx: Connection) -> Sequence[Part]:
        return (Note("plain", {"text": f"To {command.to}!"}),)

    return VerbResult(effect=effect)


TOAST = Verb(
    "TOAST, CHEERS TO", "TRINQUE, SANTE A", PLAYERS, Toast, _toast,
    read=_read_toast, subject="seat", serious=always, topic="press", cli="toast", mistaken="DRINK",
)  # fmt: skip


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> VerbVocabulary[Verb[Any]]:
    monkeypatch.setattr(press, "VERBS", (*press.VERBS, TOAST))
    return gather()


@pytest.mark.parametrize("line", ["TOAST EA", "cheers to ea", "Trinque EA", "• santé à EA"])
def test_it_is_read_in_both_languages(planted: VerbVocabulary[Verb[Any]], line: str) -> None:
    assert commands(understand(letter(line), PLAYER, planted)) == [Toast("EA")]
    assert commands(understand(letter(line), PLAYER, REGISTRY)) == []


def test_what_its_arguments_lack_is_told(planted: VerbVocabulary[Verb[Any]]) -> None:
    found = planted.read("TOAST", PLAYER)
    assert isinstance(found, Fault) and found.refusal is not None
    assert "TRINQUE" in load_phrases("", "fr", None).refusal(found.refusal)


def test_a_question_mark_takes_it_back(planted: VerbVocabulary[Verb[Any]]) -> None:
    found = planted.read("TOAST EA?", PLAYER)
    assert isinstance(found, Fault) and found.refusal is not None
    assert found.refusal.reason == "mail-question-mark"


def test_whoever_may_not_use_it_is_refused(planted: VerbVocabulary[Verb[Any]]) -> None:
    found = planted.read("TOAST EA", OBSERVER)
    assert isinstance(found, Fault) and found.refusal is not None
    assert found.refusal.reason == "mail-not-for-you"


def test_it_is_suggested(planted: VerbVocabulary[Verb[Any]]) -> None:
    assert planted.suggest("DRINK EA", "fr") == ("TRINQUE",)
    assert planted.suggest("TOASST EA")[0] == "TOAST"
    assert planted.languages["TRINQUE"] == "fr"


LANGUAGES: tuple[Language, ...] = ("en", "fr")


@pytest.mark.parametrize("role", ANYBODY)
def test_nobody_is_told_to_write_what_would_be_refused_to_them(role: Writer) -> None:
    """A player who asked "What is going on?" was offered WHATIF, which is the umpire's."""
    theirs = {one for verb in REGISTRY.verbs if role in verb.who for one in verb.spellings}
    theirs |= {*ORDERS, *STANDING, *END}
    slips = [f"{one}{one[-1]}" for one in REGISTRY.spellings]  # a key hit twice
    slips += [word for verb in REGISTRY.verbs for word in verb.mistaken.split(", ") if word]
    for line in ("What is going on here?", *slips):
        for language in LANGUAGES:
            assert set(REGISTRY.suggest(line, language, (role,))) <= theirs, line
    assert REGISTRY.suggest("HOLDD", "en", ("umpire",))[0] == "HOLD"


def test_it_is_done_as_seriously_as_declared(planted: VerbVocabulary[Verb[Any]], at: AtHand) -> None:
    verb = planted.of(Toast("EA"))
    done = verb.handle(context(at, "WA"), Toast("EA"))
    assert done.serious and done.effect is not None
    watching = verb.handle(of_person(at, UMPIRE, "umpire"), Toast("EA"))
    nowhere = verb.handle(of_stranger(at, "who@nowhere.test"), Toast("EA"))
    assert [part.code for one in (watching, nowhere) for part in one.answer if isinstance(part, Note)] == [
        "no-seat-here",
        "which-campaign",
    ]
    assert watching.effect is nowhere.effect is None


def test_help_leads_to_its_page(planted: VerbVocabulary[Verb[Any]]) -> None:
    topics = help_topics(planted)
    assert topic_of("trinque", "fww", topics) == "press"
    assert help_passage("TOAST", "", "en", topics).lines == pages("press", "", "en")
    assert topic_of("trinque", "fww", help_topics()) is None


def test_a_declared_command_that_pbem_lacks_is_noticed(planted: VerbVocabulary[Verb[Any]]) -> None:
    assert [verb.cli for verb in planted.verbs if verb.cli and verb.cli not in COMMANDS] == ["toast"]
    assert [verb.cli for verb in REGISTRY.verbs if verb.cli and verb.cli not in COMMANDS] == []
