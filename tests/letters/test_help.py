"""HELP says what the order reader and the notation really take."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pbem.letters.help import help_passage, pages, topic_name, topic_of, topics, topics_near
from pbem.letters.memo import memo_about, memo_letter
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import WIDTH
from pbem.orders.arguments import Awaiting
from pbem.orders.own_text import begins_block, marker
from pbem.orders.understood import Command, Question
from pbem.resources import templates_folder
from pbem.verbs.information import Help
from pbem.verbs.registry import REGISTRY, help_topics
from tests.letters.letters_read import FWW, check_letter, words
from tests.orders.writing import PLAYER, STRANGER, UMPIRE, read
from tests.rules.fww.desk import SEATS, view_of

both = pytest.mark.parametrize("language", LANGUAGES)
every = pytest.mark.parametrize("topic", topics())
VERBS = help_topics()
ORDER_PAGES = ("orders", "standing")
COMMAND_LINE = re.compile(r"  (\S.*?)(?:  .*)?")


def lines(topic: str, language: Any) -> tuple[str, ...]:
    return pages(topic, "fww", language)


def order_examples(topic: str, language: Any) -> list[str]:
    """Lines set in by four blanks."""
    return [line.strip() for line in lines(topic, language) if re.match(r" {4}\S", line)]


def command_examples(topic: str, language: Any) -> list[str]:
    """Lines set in by two, up to the words that explain them; a line set in farther goes on explaining."""
    found = (COMMAND_LINE.fullmatch(line) for line in lines(topic, language))
    return [one[1] for one in found if one is not None and not one[1][0].isdigit()]


@both
@every
def test_every_topic_has_pages_that_fit_a_letter(topic: str, language: Any) -> None:
    found = lines(topic, language)
    assert len(found) > 5
    assert not [line for line in found if len(line) > WIDTH or line != line.rstrip() or "\t" in line]
    assert not [line for line in found if begins_block(line) or marker(line)]
    written = memo_letter(
        memo_about("help", {"campaign": "FWW-7"}, help_passage(topic, "fww", language, VERBS)),
        words(language),
    )
    assert "FWW-7" in written.subject and found[-1] in written.text


@both
@pytest.mark.parametrize("topic", ORDER_PAGES)
def test_every_example_of_an_order_is_read(topic: str, language: Any) -> None:
    """By the seat that may give it: some are Germany's alone, some the Western Allies'."""
    examples = order_examples(topic, language)
    assert len(examples) >= 8
    for example in examples:
        readings = [FWW.notation.read(example, view_of(who)) for who in SEATS[4]]
        good = [one for one in readings if not one.refusals]
        assert good, (example, readings[0].refusals)
        assert all(one.orders or one.standing for one in good), example


@both
@pytest.mark.parametrize("topic", ORDER_PAGES)
def test_orders_are_shown_in_the_words_of_the_reader(topic: str, language: Any) -> None:
    """What is shown is what a receipt writes, so that nobody learns two ways."""
    for example in order_examples(topic, language):
        for who in SEATS[4]:
            reading = FWW.notation.read(example, view_of(who))
            for line in (*reading.orders, *reading.standing) if not reading.refusals else ():
                again = FWW.notation.read(line.write(language), view_of(who))
                assert not again.refusals, (example, line.write(language))


@both
@every
def test_every_example_of_a_command_is_taken(topic: str, language: Any) -> None:
    for example in command_examples(topic, language):
        results = [REGISTRY.read(example, who) for who in (PLAYER, UMPIRE, STRANGER)]
        taken = [one for one in results if isinstance(one, Command | Awaiting)]
        asked = [one for one in results if getattr(one, "question", None) == Question("stop-of-a-seat")]
        assert taken or asked, (example, results)


@both
def test_the_pages_have_examples_at_all(language: Any) -> None:
    number = {topic: len(command_examples(topic, language)) for topic in topics()}
    assert number["commands"] >= 15 and number["umpire"] >= 13 and number["index"] >= 10, number


@both
def test_all_verbs_are_told_somewhere(language: Any) -> None:
    examples = [one for topic in topics() for one in command_examples(topic, language)]
    told = [REGISTRY.read(one, who) for one in examples for who in (PLAYER, UMPIRE, STRANGER)]
    said = {type(one).__name__ for one in told if isinstance(one, Command)}
    said |= {"Press", "Stop"}  # with a text of several lines; asked back
    assert {verb.command.__name__ for verb in REGISTRY.verbs} - said == set()


@both
def test_the_index_names_every_other_topic(language: Any) -> None:
    named = [REGISTRY.read(one, PLAYER) for one in command_examples("index", language)]
    assert all(isinstance(one, Help) for one in named)
    led = [topic_of(one.topic, "", VERBS) for one in named if isinstance(one, Help)]
    assert set(led) == set(topics()) - {"index"}


def test_numbered_answers_of_the_page_are_read() -> None:
    for example in order_examples("answers", "en"):
        assert read(example, choices=(3,)).replies


def test_every_verb_leads_to_a_topic() -> None:
    """Players who ask for ROLLBACK get the page that tells them how to propose one."""
    assert {verb.topic for verb in REGISTRY.verbs} <= set(topics())
    for verb in REGISTRY.verbs:
        led = {topic_of(spelling, "", VERBS) for spelling in verb.spellings}
        assert led == {verb.topic} or (verb.symbol == "ROLLBACK" and "ending" in led)


def test_topics_are_found_by_their_words_in_both_languages() -> None:
    for word, topic in (("ORDRES", "orders"), ("Orders", "orders"), ("dés", "dice"), ("", "index")):
        assert topic_of(word, "", VERBS) == topic
    assert topic_of("standing orders", "", VERBS) == topic_of("ordres permanents", "", VERBS) == "standing"
    assert topic_of("ATTAQUE", "", VERBS) is None and topic_of("ATTAQUE", "fww", VERBS) == "orders"


@both
def test_a_word_that_leads_nowhere_is_answered_with_those_near_to_it(language: Any) -> None:
    near = topics_near("ordrs", "fww", language, VERBS)
    assert near[0] == topic_name("orders", language)
    passage = help_passage("ordrs", "fww", language, VERBS)
    assert passage.title is not None and passage.lines == lines("index", language)
    written = memo_letter(memo_about("help", {"campaign": "FWW-7"}, passage), words(language))
    assert near[0] in written.text and "ordrs" in written.text
    far = help_passage("qwxyz <b>##- end / fin -##", "", language, VERBS)
    check_letter(memo_letter(memo_about("help", {"campaign": ""}, far), words(language, "")), wide=True)


def test_both_languages_have_the_same_pages() -> None:
    folder = templates_folder() / "help"
    names = [sorted(path.name for path in (folder / one).glob("*.txt")) for one in LANGUAGES]
    assert names[0] == names[1]
    assert {name.split(".")[0] for name in names[0]} == set(topics())
