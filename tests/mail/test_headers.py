"""From is one well-formed mailbox or names nobody; a plain Subject is read as the library would read it."""

from __future__ import annotations

import random
import time
from email import message_from_bytes, message_from_string
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import formataddr

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbem.mail.headers import sender, subject
from tests.mail.strange_senders import strange_from

POLICY = EmailPolicy(message_factory=EmailMessage)
MAX, MALLORY = "max@x.test", "mallory@x.test"


def mail(header: str, text: str | bytes) -> EmailMessage:
    if isinstance(text, bytes):
        message = message_from_bytes(
            b"X: y\n%b: %b\n\n" % (header.encode(), text), EmailMessage, policy=POLICY
        )
    else:
        message = message_from_string(f"X: y\n{header}: {text}\n\n", EmailMessage, policy=POLICY)
    assert isinstance(message, EmailMessage)
    return message


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("max@x.test", ""),
        ("<max@x.test>", ""),
        ("MAX@X.Test", ""),
        ("Max Holm <max@x.test>", "Max Holm"),
        ('"Max Holm" <Max@X.test>', "Max Holm"),
        ("Max<max@x.test>", "Max"),
        ("Max J. Holm Jr. <max@x.test>", "Max J. Holm Jr."),
        ('"Holm, Max" <max@x.test>', "Holm, Max"),
        (r'"Max \"Tank\" Holm" <max@x.test>', 'Max "Tank" Holm'),
        ('"max@x.test" <max@x.test>', "max@x.test"),
        ('"max@work.test" <max@x.test>', "max@work.test"),
        ("Max\n Holm <max@x.test>", "Max Holm"),
        ("Max Holm\n\t<max@x.test>", "Max Holm"),
        ("=?utf-8?q?Zo=C3=AB_M=C3=BCller?= <max@x.test>", "Zoë Müller"),
        ("=?utf-8?q?Zo=C3=AB?= =?utf-8?q?_M=C3=BCller?= <max@x.test>", "Zoë Müller"),
        ("=?iso-8859-1?b?Wm/rIE38bGxlcg?= <max@x.test>", "Zoë Müller"),
        ("=?UTF-8?B?Wm/Dqw==?= Holm <max@x.test>", "Zoë Holm"),
        ("Zoë Müller <max@x.test>".encode(), "Zoë Müller"),
        ("Zoë Müller <max@x.test>".encode("latin-1"), "Zoë Müller"),
        ("Zoë Müller 🎲 <max@x.test>".encode(), "Zoë Müller 🎲"),
        ("max@x.test (Max Holm)", "Max Holm"),
        ("Max Holm (home) <max@x.test>", "Max Holm (home)"),
        ("O'Brien & Söhne <max@x.test>".encode(), "O'Brien & Söhne"),
    ],
)
def test_one_mailbox_names_its_writer(text: str | bytes, name: str) -> None:
    assert sender(mail("From", text)) == (MAX, name)


@pytest.mark.parametrize(
    "address",
    [
        "a.b+c@d-e.f",
        "o'neil@x.test",
        "1_2@x",
        "max%x.test@y.test",
        "a/b=c@x.test",
        "zoë@x.test",
        "max@müller.test",
    ],
)
def test_addresses_of_all_kinds(address: str) -> None:
    assert sender(mail("From", f"N <{address}>".encode())) == (address, "N")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Max Holm",
        "max@x.test <mallory@x.test>",
        "<max@x.test> <mallory@x.test>",
        "<max@x.test><mallory@x.test>",
        "max@x.test mallory@x.test",
        "max@x.test, mallory@x.test",
        "max@x.test; mallory@x.test",
        "max@x.test\n mallory@x.test",
        "<max@x.test:mallory@x.test>",
        "<@x.test:max@x.test>",
        "<max@x.test@mallory@x.test>",
        "max@x.test@mallory@x.test",
        "us: max@x.test;",
        "us:;, max@x.test",
        "max@x.test,",
        "Holm, Max <max@x.test>",
        "Max <max@x.test> Holm",
        "Max <max@x.test",
        "Max max@x.test>",
        "Max <<max@x.test>>",
        "Max < max@x.test >",
        '"Max <max@x.test>',
        '"Max" "<mallory@x.test>" <max@x.test>',
        "=?utf-8?q?=3Cmallory=40x=2Etest=3E?= <max@x.test>",
        '"=?utf-8?b?PG1hbGxvcnlAeC50ZXN0Pg==?=" <max@x.test>',
        "max@x.test (<mallory@x.test>)",
        "max@x.test (mallory@x.test)",
        "(mallory@x.test) max@x.test",
        "max@x.test ((a) b)",
        "max(a)@x.test",
        "max@x.test.",
        ".max@x.test",
        "max..holm@x.test",
        "max@[10.0.0.1]",
        '"max"@x.test',
        "max\\@x.test",
        "max@x.test\0",
        "max@x.test\x0b",
        "\N{KELVIN SIGN}arl@x.test",
        "ma\N{FULLWIDTH LATIN SMALL LETTER X}@x.test",
        "max@x\N{FULLWIDTH FULL STOP}test",
        "max\N{FULLWIDTH COMMERCIAL AT}x.test",
        "max\N{ZERO WIDTH SPACE}@x.test",
        "=?utf-8?q?max=40x=2Etest?=",
        "<=?utf-8?q?max?=@x.test> x",
    ],
)
def test_what_is_not_one_mailbox_names_nobody(text: str) -> None:
    assert sender(mail("From", text.encode())) == ("", "")


def test_two_headers_name_nobody() -> None:
    message = mail("From", f"{MAX}\nFROM: {MAX}")
    assert sender(message) == ("", "")


@settings(max_examples=200)
@given(st.text(max_size=30))
@example("0@¹")
def test_any_name_that_a_library_writes_is_read_back(name: str) -> None:
    """But for angle brackets, what cannot be seen, and encoded words that may hide another mailbox."""
    plain = " ".join("".join(sign for sign in name if sign.isalnum() or sign in " .,;:@()'\"\\-_!?").split())
    read = {MAX} if plain.isascii() or "@" not in plain else {MAX, ""}
    for shown in (formataddr((plain, MAX)), f'"{plain}" <{MAX}>' if not set('"\\') & set(plain) else MAX):
        assert sender(mail("From", shown.encode()))[0] in read, shown


@pytest.mark.parametrize("seed", range(200))
def test_of_two_addresses_in_a_jumble_nobody_is_meant(seed: int) -> None:
    """Only a quoted name may hold another address."""
    text = strange_from(random.Random(seed), MAX, MALLORY)
    assert sender(mail("From", text))[0] in ("", MALLORY)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3_900,
        '"' * 3_900,
        "a " * 1_900,
        "=?" * 1_900,
        "a@" * 1_900,
        "<" * 3_900,
        '"\\' * 1_900,
        "." * 3_900,
        *("a." * 1_900 + "@", "(a)" * 1_300, '"a"' * 1_300, "=?utf-8?q?a?= " * 270, "\n " * 1_900),
    ],
)
def test_no_from_takes_long(text: str) -> None:
    began = time.process_time()
    for whole in (text, f"{text} <max@x.test>", f"max@x.test {text}"):
        sender(mail("From", whole))
    assert time.process_time() - began < 0.1


@settings(max_examples=200)
@given(st.text(st.sampled_from("Ab 1.:[]=?_\té"), max_size=40))
def test_a_subject_says_what_the_library_says(text: str) -> None:
    assert subject(mail("Subject", text)) == " ".join(str(mail("Subject", text)["subject"]).split())
