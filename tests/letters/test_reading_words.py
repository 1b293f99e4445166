"""Every code of the order reader has words in both languages, which tell its facts."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.errors import Ambiguous, Illegal, Unreadable
from pbem.letters.memo import Note, Passage, note_text
from pbem.letters.phrases import LANGUAGES, Phrases
from pbem.letters.receipt import MOST_SHOWN, question_parts
from pbem.orders.understood import CONFIRMABLE, MAIL, OwnLine, Question
from pbem.verbs.registry import REGISTRY
from tests.letters.letters_read import UNTOLD, phrase_files, words
from tests.orders.codes import EXPECTED, QUESTIONS, REASONS

both = pytest.mark.parametrize("language", LANGUAGES)
CONFIRM = {"en": "CONFIRM", "fr": "CONFIRME"}
SAID: dict[str, Any] = {
    "word": "zzword",
    "verb": ("ABSENT", "ABSENT"),
    "expected": "date",
    "writer": "observer",
    "text": "zztext",
    "first": "2026-08-20",
    "last": "2026-08-03",
    "number": 7777,
    "most": 3,
    "question": 2,
    "named": "T2.R",
    "open": "T3.R",
    "campaign": "FWW-9",
    "blocks": 4444,
    "answers": (1111, 2222),
    "dates": ("2026-08-03", "2026-03-08"),
    "joined": "zzjoined",
    "forms": 3333,
    "form": ("zzform",),
}
TOLD_OTHERWISE = {"first", "last", "verb", "expected", "writer", "dates", "answers", "form"}


def facts(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: SAID[name] for name in names}


def games(language: Any) -> tuple[Phrases, Phrases]:
    return words(language), words(language, "")


@both
@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_refusal_has_words(language: Any, reason: str) -> None:
    for phrases in games(language):
        said = phrases.refusal(Unreadable(MAIL, reason, facts(REASONS[reason]), suggestions=("ABSENT",)))
        assert not [one for one in UNTOLD if one in said] and "[mail]" not in said
        for name in set(REASONS[reason]) - TOLD_OTHERWISE:
            assert str(SAID[name]) in said, (name, said)
        assert "ABSENT" in said


@both
@pytest.mark.parametrize("expected", EXPECTED)
def test_what_is_missing_is_named(language: Any, expected: str) -> None:
    for phrases in games(language):
        said = phrases.refusal(
            Illegal(MAIL, "mail-missing", {"verb": ("EXTEND", "PROLONGE"), "expected": expected})
        )
        assert ("PROLONGE" if language == "fr" else "EXTEND") in said
        assert phrases.say("missing", expected) in said


@both
@pytest.mark.parametrize("writer", ["player", "observer", "umpire", "stranger"])
def test_whom_a_command_is_not_for(language: Any, writer: str) -> None:
    for verb in REGISTRY.verbs:
        said = words(language, "").refusal(
            Illegal(MAIL, "mail-not-for-you", {"verb": verb.usual, "writer": writer})
        )
        assert verb.in_language(language)[0] in said


@both
@pytest.mark.parametrize("code", sorted(QUESTIONS))
def test_every_question_has_words_and_says_what_confirm_does(language: Any, code: str) -> None:
    reason = Unreadable(MAIL, "mail-not-understood", {"word": "zzreason"})
    question = Question(code, (OwnLine(4, "  a line of mine"),), facts(QUESTIONS[code]), reason)
    for phrases in games(language):
        lines, why, said, *form = question_parts(question, phrases)
        assert form == ([Passage(("    zzform",))] if "form" in QUESTIONS[code] else [])
        assert isinstance(lines, Passage) and lines.lines == ("   4  a line of mine",)
        assert isinstance(why, Note) and "zzreason" in why.facts["text"]
        assert isinstance(said, Note)
        text = said.facts["text"]
        assert not [one for one in UNTOLD if one in text]
        for name in set(QUESTIONS[code]) - TOLD_OTHERWISE:
            spoken = phrases.word("occasion", label=str(SAID[name]))
            assert str(SAID[name]) in text or spoken in text, (name, text)
        offered = CONFIRM[language] in text.split() or f"{CONFIRM[language]}," in text
        if code != "confirm-and-orders":
            assert offered == (code in CONFIRMABLE), text


@both
def test_answers_and_dates_are_told_in_words(language: Any) -> None:
    phrases = words(language)
    several = phrases.say("asked_back", "several-answers", facts(("question", "answers")))
    assert "1111" in several and "2222" in several
    which = phrases.say("asked_back", "which-date", facts(("text", "dates")))
    assert (
        ("3 août 2026" in which and "8 mars 2026" in which) if language == "fr" else "3 August 2026" in which
    )
    past = phrases.say("refusals", "mail-dates-reversed", facts(("first", "last")))
    assert "20" in past and "2026-08" not in past


def test_no_code_is_left_over() -> None:
    for language in LANGUAGES:
        phrases = words(language, "")
        assert set(phrases.keys("asked_back")) == set(QUESTIONS)
        assert set(phrases.keys("missing")) == set(EXPECTED)
        mail = {one for one in phrases.keys("refusals") if one.startswith("mail-")}
        assert mail == set(REASONS)


def test_the_phrase_files_of_both_languages_have_the_same_keys_and_repeat_none() -> None:
    files = {language: phrase_files(language) for language in LANGUAGES}
    keys = {one: [pair for file in files[one].values() for pair in file] for one in LANGUAGES}
    for language in LANGUAGES:
        assert len(keys[language]) == len(set(keys[language])), "a key stands in two files"
    assert set(files["en"]) == set(files["fr"])
    for name in files["en"]:
        assert sorted(files["en"][name]) == sorted(files["fr"][name]), name


def test_a_rule_of_the_game_is_cited_and_a_choice_named() -> None:
    said = words("en").refusal(Ambiguous("FWW-5-3", "not-offered", {}, meanings=("a",)))
    assert "[FWW-5-3]" in said


@both
def test_of_very_many_lines_in_doubt_the_first_are_shown_and_the_rest_counted(language: Any) -> None:
    lines = tuple(OwnLine(number, f"line {number}") for number in range(1, MOST_SHOWN + 8))
    phrases = words(language)
    shown, more, _ = question_parts(Question("new-lines", lines), phrases)
    assert isinstance(shown, Passage) and len(shown.lines) == MOST_SHOWN
    assert isinstance(more, Note) and " 7 " in note_text(more, phrases)
    whole, said = question_parts(Question("new-lines", lines[:MOST_SHOWN]), phrases)
    assert isinstance(whole, Passage) and shown == whole
    assert isinstance(said, Note)
