"""Plain headers are read without the library's parser, and say what it would say."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_string
from email.message import EmailMessage
from email.policy import EmailPolicy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.headers import sender, subject

POLICY = EmailPolicy(message_factory=EmailMessage)
SIGNS = st.text(st.sampled_from('Aa0 ._+-@<>",;:()=?\\\té'), max_size=24)
NAMES = st.sampled_from(["", "Erik Holm ", '"Erik Holm" ', "Erik  Holm ", "Erik Holm", "E. Holm ", '"a  b" '])
ADDRESSES = st.sampled_from(
    ["<a@b>", "<A.b+c@D-e.f>", "a@b.c", "<a..b@c>", "<a@b.>", "<>", "<a@b> x", "g: a@b;"]
)


def mail(header: str, text: str) -> EmailMessage:
    message = message_from_string(f"X: y\n{header}: {text}\n\n", EmailMessage, policy=POLICY)
    assert isinstance(message, EmailMessage)
    return message


def library_sender(message: EmailMessage) -> tuple[str, str]:
    found = message["from"]
    if len(found.addresses) != 1 or found.groups[0].display_name is not None:
        return "", ""
    return found.addresses[0].addr_spec.lower(), " ".join(found.addresses[0].display_name.split())


def said(tell: Callable[[EmailMessage], tuple[str, str]], text: str) -> tuple[str, str]:
    """The library stumbles over some."""
    try:
        return tell(mail("From", text))
    except (AttributeError, IndexError, TypeError):
        return "?", "?"


@settings(max_examples=200)
@given(st.one_of(st.tuples(NAMES, ADDRESSES), st.tuples(SIGNS, ADDRESSES), st.tuples(NAMES, SIGNS)))
def test_a_sender_is_who_the_library_says(parts: tuple[str, str]) -> None:
    text = "".join(parts).strip()
    found = said(sender, text)
    assert found in (("", ""), said(library_sender, text))  # some of its addresses are none for us


@pytest.mark.parametrize("text", ["Erik Holm <e@x.org>", '"Erik Holm" <E.h@X.org>', "<e+1@x>", "e_h@x-y.org"])
def test_a_plain_sender_is_found(text: str) -> None:
    assert said(sender, text) == said(library_sender, text) != ("", "")


@settings(max_examples=200)
@given(st.text(st.sampled_from("Ab 1.:[]=?_\té"), max_size=40))
def test_a_subject_says_what_the_library_says(text: str) -> None:
    assert subject(mail("Subject", text)) == " ".join(str(mail("Subject", text)["subject"]).split())
