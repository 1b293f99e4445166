"""Quote depth, introductions and signatures of plain lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.message import TextLine
from pbem.mail.quotes import (
    RULE,
    classify_lines,
    header_kind,
    is_attribution,
    is_divider,
    is_phone_signature,
    marked_lines,
    may_introduce,
    opens_attribution,
    strip_marks,
)

PIECES = (
    *("on ", "Le ", "> ", "- ", "* ", "---", "--------------------", "________", "────────", " ", "\t", "x"),
    *(
        "From",
        ": ",
        ":",
        "Message du 1/2/20",
        "Original Message",
        "a@b.c",
        "<",
        "wrote",
        "1914",
        "20:14",
        "2026",
    ),
    *("Début du message transféré :", "in your message", "[", ",", "_", "=", "é", "\u00a0"),
)


def told(text: str) -> list[TextLine]:
    return list(classify_lines(marked_lines(text.split("\n"))))


def own(text: str) -> list[str]:
    return [line.text for line in told(text) if line.quoted == 0 and line.text.strip()]


@pytest.mark.parametrize(
    ("line", "depth", "text"),
    [
        ("> x", 1, "x"),
        (">x", 1, "x"),
        (" > x", 1, "x"),
        (">> x", 2, "x"),
        ("> > x", 2, "x"),
        (">>> >x", 4, "x"),
        (">   x", 1, "  x"),
        (">", 1, ""),
        ("> ", 1, ""),
        ("x > y", 0, "x > y"),
        ("-> x", 0, "-> x"),
        ("=> x", 0, "=> x"),
    ],
)
def test_marks_in_all_spacings(line: str, depth: int, text: str) -> None:
    assert strip_marks(line) == (text, depth)


ATTRIBUTIONS = (
    "On Mon, Nov 16, 2026 at 9:23 AM Umpire <u@example.org> wrote:",
    "On 16 Nov 2026, at 09:23, Umpire <u@example.org> wrote:",
    "On Monday, November 16, 2026 at 09:23:11 AM GMT+1, Umpire wrote:",
    "On 2026-11-16 09:23, Umpire wrote:",
    "On 11/16/26 09:23, Umpire wrote:",
    "Umpire <u@example.org> wrote:",
    "Umpire <u@example.org> writes:",
    "2026-11-16 9:23 GMT+01:00 Umpire <u@example.org>:",
    "* Umpire <u@example.org> [2026-11-16 09:23]:",
    "Quoting Umpire <u@example.org>:",
    "Monday, 16 November 2026, 9:23 AM +0100 from Umpire <u@example.org>:",
    "Le lun. 16 nov. 2026 à 09:23, Umpire <u@example.org> a écrit :",
    "Le 16/11/2026 à 09:23, Umpire a écrit :",
    "Le 16/11/2026 09:23, Umpire a écrit :",
    "Le lundi 16 novembre 2026 à 09h23, Umpire <u@example.org> a écrit :",
    "Am 16.11.2026 um 09:23 schrieb Umpire <u@example.org>:",
    "Am 16.11.26 um 09:23 schrieb Umpire:",
    "Am Mo., 16. Nov. 2026 um 09:23 Uhr schrieb Umpire <u@example.org>:",
    "Umpire <u@example.org> schrieb am Mo. 16. Nov. 2026 um 09:23:",
    "Am Montag, 16. November 2026 um 09:23:11 MEZ hat Umpire <u@example.org> Folgendes geschrieben:",
    "---- Le lun., 16 nov. 2026 09:23:11 +0100 Umpire <u@example.org> a écrit ----",
    "---- On Mon, 16 Nov 2026 09:23:11 +0100 Umpire <u@example.org> wrote ----",
)


@pytest.mark.parametrize("line", ATTRIBUTIONS)
def test_attributions(line: str) -> None:
    for quote in ("> old", "##- A-1: write above this line / écrivez au-dessus -##\nold", "old"):
        found = told(f"READY\n\n{line}\n\n{quote}")
        assert [each.text for each in found if each.quoted == 0 and each.text] == ["READY"], quote
        assert [each.text for each in found if each.role == "attribution"] == [line]


PROSE = (
    "On 3 August 1914 General Joffre wrote:",
    "Am 3.8.1914 schrieb der Kaiser:",
    "Le général a écrit :",
    "As Foch wrote: my centre gives way",
    "On attack: all to Paris",
    "On the left: hold",
    "Le plan : attaquer",
    "PRESS TO ALL: the Kaiser wrote:",
    "From Paris to Verdun: 2",
    "De Paris à Verdun : 2",
    "attack Belgium -- with 2",
    "Date of attack: now",
    "Message to the Entente:",
)


@pytest.mark.parametrize("line", PROSE)
def test_a_players_prose_is_his_own(line: str) -> None:
    assert own(f"{line}\nattack Paris\n\nOn 16 Nov 2026, at 09:23, Umpire wrote:\n\n> old") == [
        line,
        "attack Paris",
    ]


@pytest.mark.parametrize(
    "above", ["ABSENT 2026-12-03 08:00", "MOVE C@BRU BRU-HAI", "17/11/2026: MOVE C@BRU BRU-HAI"]
)
@pytest.mark.parametrize(
    "introduction",
    [
        "On Tue, Nov 17, 2026 at 9:23 AM Umpire <u@x.test> wrote:",
        "The Umpire <u@x.test> wrote:",
        "вт, 17 нояб. 2026 г. в 09:23, Umpire <u@x.test>:",
    ],
)
def test_a_line_directly_above_an_introduction_is_the_writers_own(above: str, introduction: str) -> None:
    assert own(f"{above}\n{introduction}\n> our letter") == [above]


@pytest.mark.parametrize("dated", ["17/11/2026 09:23", "Orders of 17 Nov 2026, 9:23", "2026: C@BRU"])
def test_a_day_above_a_quote_is_no_introduction_without_an_address(dated: str) -> None:
    assert own(f"{dated}\nMOVE C@BRU BRU-HAI\n> our letter") == [dated, "MOVE C@BRU BRU-HAI"]


def test_lines_that_name_places_are_no_copied_header() -> None:
    assert own("From: Paris\nTo: Verdun\nattack 2") == ["From: Paris", "To: Verdun", "attack 2"]
    assert own("De : Paris\nÀ : Verdun\nattaquer 2") == ["De : Paris", "À : Verdun", "attaquer 2"]


def test_an_attribution_whose_quote_was_cut_out() -> None:
    text = "On 16 Nov 2026, at 09:23, Umpire <u@example.org> wrote:\n\nattack Paris\n\n> Which tile?\n2"
    assert own(text) == ["attack Paris", "2"]


def test_an_unmarked_quote_above_a_marked_one() -> None:
    old = "Umpire <u@example.org> wrote:\n\nolder words\n\nOn 16 Nov 2026, at 09:23, John wrote:\n\n> oldest"
    assert own(f"READY\n\n{old}") == ["READY"]


def test_our_letter_without_marks_below_an_attribution() -> None:
    text = "READY\n\nUmpire wrote:\n##- A-1 -##\nold\n> marked\n##- end / fin -##\nWAIT"
    assert own(text) == ["READY", "WAIT"]


def test_below_our_last_line_the_player_writes_again() -> None:
    header = "-----Original Message-----\nFrom: U\nSent: x\nTo: y\nSubject: z\n"
    assert own(f"{header}\n##- a -##\nold\n##- end / fin -##\nREADY") == ["READY"]


def test_a_reply_to_a_reply_hides_the_older_text_below_our_last_line() -> None:
    header = "From: U\nSent: x\nTo: y\nSubject: z\n"
    text = f"new\n\n{header}\nolder\n\n{header}\n##- a -##\nold\n##- end / fin -##\nolder still"
    assert own(text) == ["new"]
    assert told(text)[-1] == TextLine("older still", 1)


def test_a_line_inside_a_quote_without_marks_is_kept() -> None:
    """Nothing tells it from the quote: it stays at depth 1 for whoever has the letter we sent."""
    text = (
        "-----Original Message-----\nFrom: U\nSent: x\nSubject: z\n\n##- a -##\nmy answer\n##- end / fin -##"
    )
    assert TextLine("my answer", 1) in told(text)


def test_signatures() -> None:
    assert own("READY\n-- \nJohn\n+33 6 12") == ["READY"]
    assert own("READY\n--\nJohn") == ["READY"]
    assert own("READY\n—\nJohn") == ["READY"]
    assert own("READY\n-- \nJohn\n\nOn 1 May 2026 at 10:00, X wrote:\n> old\nand WAIT") == [
        "READY",
        "and WAIT",
    ]
    assert told("READY\n-- \nattack Paris")[-1] == TextLine("attack Paris", 1, "signature")


def test_dashes_inside_a_block_or_above_much_text_are_no_signature() -> None:
    assert own("ORDERS\na\n--\nb\nEND") == ["ORDERS", "a", "--", "b", "END"]
    long = "\n".join(f"attack {n}" for n in range(20))
    assert len(own(f"READY\n--\n{long}")) == 22


PHONE = (
    "Sent from my iPhone",
    "Sent from my iPad",
    "Sent from my Samsung Galaxy smartphone.",
    "Sent from Yahoo Mail on Android",
    "Sent from Outlook for Android<https://aka.ms/x>",
    "Sent from Mail for Windows",
    "Sent from Mail<https://go.microsoft.com/fwlink/?LinkId=550986> for Windows 10",
    "Sent with Proton Mail secure email.",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Get Outlook for Android",
    "Envoyé de mon iPhone",
    "Envoyé depuis mon smartphone Samsung Galaxy.",
    "Envoyé depuis mon téléphone",
    "Envoyé à partir de Outlook pour Android",
    "Envoyé à partir d’Outlook",
    "Envoyé depuis l’application Mail Orange",
    "Envoyé avec la messagerie sécurisée Proton Mail.",
    "Télécharger Outlook pour iOS",
    "Provenance : Courrier pour Windows 10",
    "Von meinem iPhone gesendet",
    "Gesendet von meinem iPhone",
    "Gesendet mit der GMX Mail App",
    "Gesendet mit der mobilen Mail App",
    "Gesendet von Outlook für Android",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Von Samsung Mobile gesendet",
    "Outlook für Android beziehen",
    "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
)


@pytest.mark.parametrize("line", PHONE)
def test_phone_signatures(line: str) -> None:
    assert is_phone_signature(line)
    assert own(f"READY\n\n{line}") == ["READY"]


@pytest.mark.parametrize(
    "line", ["sent 2 from Paris to Verdun", "Envoyé de Paris : 2", "from my reserve 2", "get 2 cards"]
)
def test_orders_are_no_phone_signatures(line: str) -> None:
    assert not is_phone_signature(line)


def test_a_line_mangled_by_a_mailbox_file_is_mended() -> None:
    assert own(">From Paris move 2\nREADY") == ["From Paris move 2", "READY"]
    assert own("> old\n>From Paris move 2\nREADY") == ["READY"]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_no_introduction_begins_with_a_line_without_any_sign_of_one(line: str) -> None:
    text = line.strip()
    begins = is_divider(text) or RULE.fullmatch(text) or header_kind(line) or opens_attribution(text)
    assert may_introduce(line) or not (begins or is_attribution(text))
