"""PRESS: only the words arrive, and nothing in them gives a seat away or does anything."""

from __future__ import annotations

import email
from collections.abc import Iterable
from email.message import EmailMessage
from email.policy import default

import pytest

from engine.kernel.fairness.dice import H
from engine.kernel.game import Language
from pbem.intake.receive import receive_letter
from pbem.letters.memo import Passage
from pbem.letters.phrases import LANGUAGES
from pbem.mail.addresses import SeatAddresses
from pbem.mail.message import TextLine
from pbem.mail.redaction import STRUCK, Struck, strike
from pbem.orders.own_text import tell_apart
from pbem.store.outbox import Posted
from pbem.store.people import give_seat, give_to_bot, person_at, update_person, use_allowance
from pbem.verbs import press
from pbem.verbs.press import IN_ONE_LETTER
from tests.campaigns_at_hand import UMPIRE, AtHand
from tests.narrowing import not_none
from tests.orders import commands as c
from tests.verbs.contexts import context, do, of_person

OURS = SeatAddresses(H("test addresses"), "umpire@play.test")
TAG = OURS.tag("FWW-1", "WA", 1, 3)
ADDRESS = OURS.reply_address("FWW-1", "WA", 1, 3)
MESSAGE_ID = OURS.message_id("FWW-1", "WA", "result", 2)


def opened(posted: Posted) -> EmailMessage:
    message = email.message_from_bytes(posted.letter.body, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def text(posted: Posted) -> str:
    part = opened(posted).get_body(("plain",))
    assert part is not None
    return str(part.get_content())


# ------------------------------------------------------------------ who gets it


def test_press_goes_to_the_seats_named_and_nobody_else(at: AtHand) -> None:
    told = do(context(at, "WA"), c.Press(("EA", "DE"), "Paix ?"))
    assert [seat for seat in at.seats if at.letters(seat, "press")] == ["EA", "DE"]
    assert "Alliés orientaux et Allemagne" in told.flat
    for seat in ("EA", "DE"):
        (letter,) = at.letters(seat, "press")
        assert "Paix ?" in text(letter) and "Western Allies" in text(letter)


def test_press_to_all_goes_to_every_other_seat(at: AtHand) -> None:
    do(context(at, "WA"), c.Press((c.EVERYBODY,), "Bonjour"))
    assert [seat for seat in at.seats if at.letters(seat, "press")] == ["EA", "DE", "GA"]


def test_press_to_the_umpire(at: AtHand) -> None:
    told = do(context(at, "EA"), c.Press((c.THE_UMPIRE,), "May I?"))
    assert "the umpire" in told.flat and not [seat for seat in at.seats if at.letters(seat, "press")]
    (letter,) = at.letters(None, "press")
    assert letter.letter.recipient == UMPIRE and "May I?" in text(letter)


HEADS = [
    (("DE",), "to Germany", "à l’Allemagne"),
    (("DE", "GA"), "to Germany and to the German Allies", "à l’Allemagne et aux Alliés de l’Allemagne"),
    (("WA", "DE"), "to Germany", "à l’Allemagne"),  # not to its writer
    (("EA", "DE"), "to Germany", "à l’Allemagne"),  # a bot reads nothing
    ((c.EVERYBODY,), "to all", "à tous"),
    ((c.EVERYBODY, c.THE_UMPIRE), "to all and to the umpire", "à tous et à l’arbitre"),
    ((c.THE_UMPIRE,), "to the umpire", "à l’arbitre"),
    (("DE", c.THE_UMPIRE), "to Germany and to the umpire", "à l’Allemagne et à l’arbitre"),
]


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("to", "english", "french"), HEADS)
def test_press_is_headed_by_whom_it_went_to(
    at: AtHand, to: tuple[str, ...], english: str, french: str, language: Language, is_late: bool
) -> None:
    """Also above the limit, where it is gathered."""
    for address in (*at.addresses.values(), UMPIRE):
        update_person(at.db, not_none(person_at(at.db, address)).id, language=language)
    give_to_bot(at.db, at.name, "EA", "sensible")
    if is_late:
        for _ in range(press.AT_ONCE):
            use_allowance(at.db, f"{at.name}/WA", "press", press.AT_ONCE, press.WITHIN, at.clock())
    do(context(at, "WA"), c.Press(to, "Bonjour"))
    sent = {one.letter.recipient: " ".join(text(one).split()) for one in at.letters(None, "press")}
    seats = ("DE", "GA") if c.EVERYBODY in to else [seat for seat in ("DE", "GA") if seat in to]
    umpires = [UMPIRE] if c.THE_UMPIRE in to else []
    assert sorted([*(at.addresses[seat] for seat in seats), *umpires]) == sorted(sent)
    head = f"Press from the Western Allies {english}: | Bonjour"
    if language == "fr":
        head = f"Presse des Alliés occidentaux {french} : | Bonjour"
    assert [head in words for words in sent.values()] == [True] * len(sent), sent


def test_no_umpire_is_named_who_does_not_read_it(at: AtHand) -> None:
    do(of_person(at, UMPIRE, "umpire"), c.Press(("EA", c.THE_UMPIRE), "Welcome"))
    (letter,) = at.letters("EA", "press")
    assert "Press from the umpire to the Eastern Allies:" in " ".join(text(letter).split())


def test_the_umpire_writes_as_the_umpire(at: AtHand) -> None:
    do(of_person(at, UMPIRE, "umpire"), c.Press(("EA",), "Welcome"))
    (letter,) = at.letters("EA", "press")
    assert "umpire" in text(letter).lower() and "Ursula" not in text(letter)


def test_no_header_and_no_word_names_the_writers_address(at: AtHand) -> None:
    do(context(at, "WA"), c.Press((c.EVERYBODY,), "Bonjour"))
    for seat in ("EA", "DE", "GA"):
        (letter,) = at.letters(seat, "press")
        raw = letter.letter.body.decode()
        others = [address for one, address in at.addresses.items() if one != seat]
        assert not [address for address in (*others, UMPIRE) if address in raw]
        assert opened(letter)["From"].addresses[0].addr_spec == "umpire@play.test"


def test_seats_where_nobody_reads_are_named(at: AtHand) -> None:
    give_to_bot(at.db, at.name, "DE", "sensible")
    give_seat(at.db, at.name, "GA", None, at.clock())
    told = do(context(at, "EA"), c.Press(("DE", "GA"), "hello"))
    assert told.codes == ["talk-bot", "talk-vacant"] and not at.letters(None, "press")
    told = do(context(at, "EA"), c.Press(("DE", "WA"), "hello"))
    assert told.codes == ["talk-bot", "talk-sent"] and len(at.letters("WA", "press")) == 1
    assert do(context(at, "EA"), c.Press((c.EVERYBODY,), "hello")).codes == ["talk-sent"]


def test_to_oneself_there_is_nothing_to_say(at: AtHand) -> None:
    assert do(context(at, "EA"), c.Press(("EA",), "hello")).codes == ["talk-yourself"]
    assert do(context(at, "EA"), c.Press(("WA",), " \n ")).codes == ["talk-empty"]


def test_a_flood_is_stopped(at: AtHand) -> None:
    for _ in range(20):
        assert do(context(at, "EA"), c.Press(("WA",), "hello")).codes == ["talk-sent"]
    for _ in range(40):
        assert do(context(at, "EA"), c.Press(("WA",), "hello")).codes == ["talk-later"]
    assert do(context(at, "EA"), c.Press(("WA",), "hello")).codes == ["talk-too-much"]
    at.clock.passes(hours=2)
    assert do(context(at, "EA"), c.Press(("WA",), "hello")).codes == ["talk-sent"]


def test_one_letter_carries_a_piece_to_every_seat_and_not_very_many(at: AtHand) -> None:
    pieces = "\n".join(f"PRESS TO WA: piece number {n}" for n in range(IN_ONE_LETTER + 3))
    receive_letter(at.service, at.arrives(at.reply("EA", pieces)), "test")
    heard = [text(one) for one in at.letters("WA", "press")]
    assert [f"piece number {n}" in heard[-1 - n] for n in range(IN_ONE_LETTER)] == [True] * len(heard)
    assert " ".join(text(at.letters("EA", "answer")[0]).split()).count("the other 3 were not") == 1


# ------------------------------------------------------------------ what is struck out


@pytest.mark.parametrize(
    "disguise",
    [
        ADDRESS,
        ADDRESS.upper(),
        f"<{ADDRESS}>",
        f"mailto:{ADDRESS}",
        ADDRESS.replace("@", " (at) "),
        ADDRESS.replace("@", " at ").replace("+", " plus "),
        ADDRESS.replace("+", "%2B").replace("@", "%40"),
        ADDRESS.replace("+", "&#43;").replace("@", "&#64;"),
        ADDRESS.replace(".", "\u200b."),
        ADDRESS.replace("umpire", "um\u00adpire"),
        "".join(chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in ADDRESS),
        ADDRESS[:20] + "\n" + ADDRESS[20:],
        "umpire+fww-1.wa",
        "umpire+anything@play.test",
        f"fww-1.wa.{TAG}",
        TAG,
        " ".join(TAG),
        "-".join([TAG[:4], TAG[4:8], TAG[8:12], TAG[12:]]),
        f"{TAG[:8]}\n{TAG[8:]}",
        TAG.upper(),
        MESSAGE_ID,
        MESSAGE_ID.strip("<>").partition("@")[0],
        " ".join(MESSAGE_ID),
        OURS.envelope_sender(MESSAGE_ID),
        "<something@play.test>",
        "jeanne@wa.test",
        "Jeanne (at) wa.test",
        "somebody.whom.nobody-knows@elsewhere.example",
    ],
)
def test_our_tokens_and_addresses_are_struck_out(disguise: str) -> None:
    tags = [OURS.tag("FWW-1", seat, 1, window) for seat in ("WA", "EA") for window in range(5)]
    struck = strike(f"Write me: {disguise} soon!", OURS, tags)
    assert struck.places >= 1 and struck.text.startswith("Write me: ") and struck.text.endswith(" soon!")
    squeezed = "".join(sign for sign in struck.text.lower() if sign.isalnum())
    for secret in (TAG, MESSAGE_ID[1:27], "fww1wa", "jeannewatest"):
        assert secret not in squeezed


@pytest.mark.parametrize(
    "innocent",
    [
        "Let us meet at Verdun, the umpire plus both of you.",
        "1 + 1 = 2, and T3.R2 was a disaster. The umpire said so.",
        "Écrivez à l'arbitre : umpire@play.test",
        "The quick brown fox jumps over the lazy dog, again and again and again.",
        "FR1 FR2 FR3 > 4; DE1.RU2.IT3",
        "I am at Verdun. They come at 20.00, I think (a) by night.",
    ],
)
def test_what_gives_nothing_away_is_left_alone(innocent: str) -> None:
    tags = [OURS.tag("FWW-1", seat, 1, window) for seat in ("WA", "EA") for window in range(50)]
    assert strike(innocent, OURS, tags) == (innocent, 0)


def test_the_writer_is_told_what_was_struck_out(at: AtHand) -> None:
    token = at.letters("WA", "result")[0].letter
    words = f"My letter {token.message_id} is from jeanne@wa.test, ask max@de.test"
    told = do(context(at, "WA"), c.Press(("EA",), words))
    assert told.codes == ["talk-sent", "talk-struck"]
    (shown,) = (part for part in told.parts if isinstance(part, Passage))
    assert "\n".join(shown.lines).count(STRUCK) == 3
    (letter,) = at.letters("EA", "press")
    raw = letter.letter.body.decode()
    assert token.message_id.strip("<>") not in raw and "max@de" not in raw and "jeanne@wa" not in raw


def test_tokens_of_the_campaign_are_struck_out_wherever_they_stand(at: AtHand) -> None:
    tag = at.service.addresses.tag(at.name, "DE", 1, 1)
    do(context(at, "WA"), c.Press(("EA",), f"look: {' '.join(tag)}"))
    (letter,) = at.letters("EA", "press")
    assert tag not in "".join(sign for sign in text(letter) if sign.isalnum())


# ------------------------------------------------------------------ hostile words


HOSTILE = """\
##- end / fin -##
ORDERS FWW-1 T1.D
DEPLOY RU1 > 8
END
RESIGN
##- FWW-1: write above this line -##
<script>alert(1)</script> {{ 7 * 7 }} {% raise %}
\x1b[31mred\x07 \u202eesrever\u202c \u2066x\u2069"""


def test_hostile_words_are_harmless_in_text_and_html(at: AtHand) -> None:
    do(context(at, "WA"), c.Press(("EA",), HOSTILE))
    (letter,) = at.letters("EA", "press")
    whole = text(letter)
    assert whole.count("##-") == 2  # our own frame
    assert "{{ 7 * 7 }}" in whole and "\x1b" not in whole and "\u202e" not in whole
    part = opened(letter).get_body(("html",))
    assert part is not None
    html = str(part.get_content())
    assert "<script" not in html and "&lt;script&gt;" in html and html.count("##-") == 2


@pytest.mark.parametrize("mark", ["", "> "])
def test_an_answer_that_brings_hostile_words_back_orders_nothing(at: AtHand, mark: str) -> None:
    do(context(at, "WA"), c.Press(("EA",), HOSTILE))
    sent = text(at.letters("EA", "press")[0])
    rows = [TextLine(row, 1 if mark else 0) for row in sent.splitlines()]
    found = tell_apart([TextLine("No."), *rows], sent)
    assert [row.text for row in found.lines if row.text.strip()] == ["No."]
    assert not found.blocks and not found.new


def test_press_is_of_bounded_length(at: AtHand) -> None:
    told = do(context(at, "WA"), c.Press(("EA",), "word " * 5000))
    assert "talk-cut" in told.codes
    (letter,) = at.letters("EA", "press")
    assert len(text(letter)) < 8000
    assert max(map(len, text(letter).splitlines())) <= 76


@pytest.mark.parametrize("word", ["a", "umpire plus ", "a.", "a @ ", "umpire+"])
def test_words_are_cut_before_they_are_searched_for_addresses(
    at: AtHand, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    """The patterns may backtrack over all they are given: their work is bounded by the length of it."""
    searched: list[int] = []

    def counted(text: str, ours: SeatAddresses, tags: Iterable[str] = ()) -> Struck:
        searched.append(len(text))
        return strike(text, ours, tags)

    monkeypatch.setattr(press, "strike", counted)
    do(context(at, "WA"), c.Press(("EA",), word * 10_000))
    assert searched and max(searched) <= press.LONGEST
