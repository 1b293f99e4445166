"""What gateways, lists and programs put around a letter, and what only looks like it."""

from __future__ import annotations

import pytest

from pbem.mail.message import TextLine
from pbem.mail.quotes import classify_lines, is_phone_signature, marked_lines
from pbem.mail.text import without_links
from tests.flow.forms_parts import ABOVE, BELOW

SEAL = "-----BEGIN PGP SIGNATURE-----\n\niHUEARYIAB0WIQTA\n=5Bvx\n-----END PGP SIGNATURE-----"


def own(text: str) -> list[str]:
    lines: tuple[TextLine, ...] = classify_lines(marked_lines(text.split("\n")))
    return [line.text for line in lines if line.quoted == 0 and line.text]


@pytest.mark.parametrize("added", [one for rows in BELOW.values() for one in rows], ids=lambda one: one[0])
def test_footers_are_no_words_of_the_writer(added: tuple[str, ...]) -> None:
    text = "\n".join(added)
    assert own(f"READY\n\n{text}") == ["READY"]
    assert own(f"READY\n\n{text}\n\n{text}") == ["READY"]
    assert own(f"PRESS TO ALL:\nBeware.\nEND\n\n{text}") == ["PRESS TO ALL:", "Beware.", "END"]


@pytest.mark.parametrize(
    "text", ["[ACME - INTERNAL USE ONLY]", "[Acme Corp - Public]", "[Usage interne]", "C2 - Usage restreint"]
)
def test_what_gateways_class_a_mail_as_is_no_word_of_the_writer(text: str) -> None:
    quote = "-----Original Message-----\nFrom: umpire@play.test\n\n##- FWW-1: -##\nWAIT\n##- end / fin -##"
    assert (
        own(f"READY\n\n{text}") == own(f"{text}\n\nREADY") == own(f"READY\n\n{quote}\n\n{text}") == ["READY"]
    )


@pytest.mark.parametrize("text", ["[DE1] MOVE 2", "[public]: READY", "C2: PASS", "C2: MOVE 1: DE1 > 2"])
def test_an_order_is_no_class(text: str) -> None:
    assert own(text) == [text]


@pytest.mark.parametrize("added", [one for rows in ABOVE.values() for one in rows], ids=lambda one: one[0])
def test_banners_are_no_words_of_the_writer(added: tuple[str, ...]) -> None:
    text = "\n".join(added)
    assert own(f"{text}\n\nREADY\nWAIT") == ["READY", "WAIT"]
    assert own(f"{text}\nC1: PASS") == ["C1: PASS"] or len(text) > 40, "the line below may be the rest of it"


@pytest.mark.parametrize("added", [one for rows in BELOW.values() for one in rows], ids=lambda one: one[0])
def test_inside_a_block_they_are_the_writers_own(added: tuple[str, ...]) -> None:
    """Words to others go to them whole, but for lines that programs write anywhere."""
    lines = ["PRESS TO ALL:", *(line for line in added if not is_phone_signature(line)), "END"]
    assert own("\n".join(lines)) == [line for line in lines if line]


@pytest.mark.parametrize(
    "line",
    [
        "This is my last army.",
        "The sender is a fool",
        "If you are not ready, wait.",
        "Unsubscribed villages burn",
        "externals",
        "Attention, à mon armée !",
        "Please send the map",
        "To view the map, HELP",
        "Sentries from Verdun",
        "Get the tanks for me",
        "Extend the line",
        "Note: I pass",
        "MOVE C@BRU BRU-HAI",
    ],
)
def test_what_only_looks_like_one_stays(line: str) -> None:
    assert own(f"READY\n\n{line}") == ["READY", line]
    assert own(f"{line}\n\nREADY") == [line, "READY"]


def test_a_rule_with_orders_below_it_is_no_footer() -> None:
    assert own("Hello\n____________\nMOVE C@BRU BRU-HAI") == ["Hello", "____________", "MOVE C@BRU BRU-HAI"]


def test_a_signed_text_is_what_was_signed() -> None:
    text = f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n- - READY\nWAIT\n{SEAL}"
    assert own(text) == ["- READY", "WAIT"]
    assert own(f"{text}\nHAND") == ["- READY", "WAIT", "HAND"]
    assert own("\n".join(f"> {line}" for line in text.split("\n"))) == []
    assert own(f"READY\n{SEAL[:40]}\nWAIT now, please") == ["READY", "WAIT now, please"], "cut off"


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("MOVE C@TRI<mailto:C@TRI> TRI-HAI", "MOVE C@TRI TRI-HAI"),
        ("MOVE C@TRI <mailto:c@tri> TRI-HAI", "MOVE C@TRI TRI-HAI"),
        ("MOVE C@TRI <C@TRI>", "MOVE C@TRI"),
        ("ORDERS R2.DE<http://R2.DE>.T", "ORDERS R2.DE.T"),
        ("ORDERS R2.DE<https://safe.test/?url=http%3A%2F%2FR2.DE%2F&d=1>.T", "ORDERS R2.DE.T"),
        ("see the map<https://maps.test/7>", "see the map<https://maps.test/7>"),
        ("Max <max@de.test>", "Max <max@de.test>"),
        ("MOVE DE1 > 2 < 3", "MOVE DE1 > 2 < 3"),
    ],
)
def test_targets_of_links_that_programs_made(line: str, read: str) -> None:
    assert without_links(line) == read
