"""How mail programs write a plain-text answer: one function a program, named by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tests.mail.replies import UMPIRE, WRITERS, Posting, Reply, Tongue

ADDRESS = UMPIRE.partition("<")[2].rstrip(">")
NAME = UMPIRE.partition(" <")[0]

ANYWHERE: tuple[Posting, ...] = ("top", "bottom", "interleaved", "alone")
ENDS: tuple[Posting, ...] = ("top", "bottom", "alone")  # quotes without marks: nothing tells lines in between


class PlainStyle(NamedTuple):
    """A program, the places where its user can write, and the text it makes of a reply."""

    program: str
    postings: tuple[Posting, ...]
    text: Callable[[Reply], str]
    flowed: bool = False


def marked(reply: Reply, introduction: str, mark: str = "> ", empty: str = ">", tail: str = "") -> str:
    """Introduction, quoted lines with a mark, own lines without; a tail below what was written first."""
    out: list[str] = []
    introduced = False
    for piece in reply.pieces:
        if piece.own:
            out += ["", *piece.lines, ""]
            if tail and not introduced:
                out += [tail, ""]
            continue
        if not introduced:
            out += [introduction, ""] if introduction else []
            introduced = True
        out += [f"{mark}{line}" if line else empty for line in piece.lines]
    if tail and out[0:1] != [""]:
        out += ["", tail]
    return "\n".join(out) + "\n"


def unmarked(reply: Reply, introduction: Iterable[str], tail: str = "") -> str:
    """The letter answered stands below an introduction, just as it was."""
    out: list[str] = []
    for number, piece in enumerate(reply.pieces):
        if piece.own:
            out += [*piece.lines, ""]
            out += [tail, ""] if tail and number == 0 else []
        else:
            out += [*introduction, *piece.lines, ""]
    return "\n".join(out) + "\n"


def gmail(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"On Mon, Nov 16, 2026 at 9:23 AM {NAME} <\n{ADDRESS}> wrote:",
        "fr": f"Le lun. 16 nov. 2026 à 09:23, {NAME} <\n{ADDRESS}> a écrit :",
        "de": f"Am Mo., 16. Nov. 2026 um 09:23 Uhr schrieb {NAME} <\n{ADDRESS}>:",
    }
    return marked(reply, introduction[reply.tongue])


def gmail_app(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"On Mon, 16 Nov 2026, 09:23 {NAME}, <{ADDRESS}>\nwrote:",
        "fr": f"Le lun. 16 nov. 2026, 09:23, {NAME} <{ADDRESS}>\na écrit :",
        "de": f"{NAME} <{ADDRESS}> schrieb am\nMo., 16. Nov. 2026, 09:23:",
    }
    return marked(reply, introduction[reply.tongue])


def header(tongue: Tongue, *, bold: str = "", mailto: bool = False) -> list[str]:
    """The copied header of Outlook and its kin."""
    sender = f"{NAME} [mailto:{ADDRESS}]" if mailto else UMPIRE
    name = WRITERS[tongue]
    rows: dict[Tongue, tuple[tuple[str, str], ...]] = {
        "en": (
            ("From:", sender),
            ("Sent:", "Monday, November 16, 2026 9:23 AM"),
            ("To:", name),
            ("Subject:", "FWW-3"),
        ),
        "fr": (
            ("De :", sender),
            ("Envoyé :", "lundi 16 novembre 2026 09:23"),
            ("À :", name),
            ("Objet :", "FWW-3"),
        ),
        "de": (
            ("Von:", sender),
            ("Gesendet:", "Montag, 16. November 2026 09:23"),
            ("An:", name),
            ("Betreff:", "FWW-3"),
        ),
    }
    return [f"{bold}{label}{bold} {value}" for label, value in rows[tongue]]


ORIGINAL: dict[Tongue, str] = {
    "en": "-----Original Message-----",
    "fr": "-----Message d'origine-----",
    "de": "-----Ursprüngliche Nachricht-----",
}


def outlook_desktop(reply: Reply) -> str:
    return unmarked(reply, [ORIGINAL[reply.tongue], *header(reply.tongue, mailto=True), ""])


def outlook_desktop_html_mode(reply: Reply) -> str:
    return unmarked(reply, ["", *header(reply.tongue), ""])


def outlook_web(reply: Reply) -> str:
    return unmarked(reply, ["_" * 32, *header(reply.tongue), ""])


GET_OUTLOOK: dict[Tongue, str] = {
    "en": "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "fr": "Télécharger Outlook pour Android<https://aka.ms/AAb9ysg>",
    "de": "Outlook für iOS herunterladen<https://aka.ms/o0ukef>",
}


def outlook_mobile(reply: Reply) -> str:
    return unmarked(reply, ["_" * 32, *header(reply.tongue), ""], GET_OUTLOOK[reply.tongue])


APPLE: dict[Tongue, str] = {
    "en": f"On 16 Nov 2026, at 09:23, {UMPIRE} wrote:",
    "fr": f"Le 16 nov. 2026 à 09:23, {UMPIRE} a écrit :",
    "de": f"Am 16.11.2026 um 09:23 schrieb {UMPIRE}:",
}


def apple_mail(reply: Reply) -> str:
    return marked(reply, APPLE[reply.tongue], empty="> ")


FROM_IPHONE: dict[Tongue, str] = {
    "en": "Sent from my iPhone",
    "fr": "Envoyé de mon iPhone",
    "de": "Von meinem iPhone gesendet",
}


def iphone(reply: Reply) -> str:
    """The attribution itself is quoted, and a mark of no width stands before the text."""
    text = marked(reply, f"> {APPLE[reply.tongue]}\n> ", empty="> ", tail=FROM_IPHONE[reply.tongue])
    return text.replace("> ##- FWW", "> \ufeff##- FWW")


def thunderbird(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"On 11/16/26 09:23, {NAME} wrote:",
        "fr": f"Le 16/11/2026 à 09:23, {NAME} a écrit :",
        "de": f"Am 16.11.26 um 09:23 schrieb {NAME}:",
    }
    return marked(reply, introduction[reply.tongue])


def k9(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"On November 16, 2026 9:23:11 AM GMT+01:00, {UMPIRE} wrote:",
        "fr": f"Le 16 novembre 2026 09:23:11 GMT+01:00, {UMPIRE} a écrit :",
        "de": f"Am 16. November 2026 09:23:11 MEZ schrieb {UMPIRE}:",
    }
    tail: dict[Tongue, str] = {
        "en": "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
        "fr": "Envoyé de mon appareil Android avec Courriel K-9 Mail. Veuillez excuser ma brièveté.",
        "de": "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    }
    return marked(reply, introduction[reply.tongue], mark=">", tail=tail[reply.tongue])


def mutt(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"On Mon, Nov 16, 2026 at 09:23:11AM +0100, {NAME} wrote:",
        "fr": f"* {UMPIRE} [2026-11-16 09:23]:",
        "de": f"{NAME} schrieb:",
    }
    return f"{marked(reply, introduction[reply.tongue])}\n-- \n{WRITERS[reply.tongue]}\n+33 6 12 34 56 78\n"


def yahoo(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"    On Monday, November 16, 2026 at 09:23:11 AM GMT+1, {UMPIRE} wrote:  ",
        "fr": f"    Le lundi 16 novembre 2026 à 09:23:11 UTC+1, {UMPIRE} a écrit :  ",
        "de": f"    Am Montag, 16. November 2026 um 09:23:11 MEZ hat {UMPIRE} Folgendes geschrieben:  ",
    }
    return unmarked(reply, [introduction[reply.tongue], " ", " "])


def gmx(reply: Reply) -> str:
    """Date first, then the sender."""
    rows = header(reply.tongue)
    return unmarked(reply, ["", rows[1], rows[0], *rows[2:], ""])


def proton(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"On Monday, 16 November 2026 at 09:23, {UMPIRE} wrote:",
        "fr": f"Le lundi 16 novembre 2026 à 09:23, {UMPIRE} a écrit :",
        "de": f"{UMPIRE} schrieb am Montag, 16. November 2026 um 09:23:",
    }
    tail: dict[Tongue, str] = {
        "en": "Sent with Proton Mail secure email.",
        "fr": "Envoyé avec la messagerie sécurisée Proton Mail.",
        "de": "Gesendet mit Proton Mail.",
    }
    return marked(reply, introduction[reply.tongue], tail=tail[reply.tongue])


def orange(reply: Reply) -> str:
    """The copied header is quoted with the letter."""
    rows = ["> Message du 16/11/26 09:23", f'> De : "{NAME}" <{ADDRESS}>', "> A : j.lefevre@orange.fr"]
    return marked(reply, "\n".join([*rows, "> Copie à : ", "> Objet : FWW-3", "> "]))


def free_zimbra(reply: Reply) -> str:
    rows = ["----- Mail original -----", f'De: "{NAME}" <{ADDRESS}>', 'À: "Jérôme" <jerome@free.fr>']
    return unmarked(reply, [*rows, "Envoyé: Lundi 16 Novembre 2026 09:23:11", "Objet: FWW-3", ""])


def roundcube(reply: Reply) -> str:
    introduction: dict[Tongue, str] = {
        "en": f"On 2026-11-16 09:23, {NAME} wrote:",
        "fr": f"Le 2026-11-16 09:23, {NAME} a écrit :",
        "de": f"Am 2026-11-16 09:23, schrieb {NAME}:",
    }
    return marked(reply, introduction[reply.tongue])


def samsung(reply: Reply) -> str:
    titles: dict[Tongue, str] = {
        "en": "-------- Original message --------",
        "fr": "-------- Message d’origine --------",
        "de": "-------- Ursprüngliche Nachricht --------",
    }
    tail: dict[Tongue, str] = {
        "en": "Sent from my Samsung Galaxy smartphone.",
        "fr": "Envoyé depuis mon smartphone Samsung Galaxy.",
        "de": "Von meinem Samsung Galaxy Smartphone gesendet.",
    }
    rows = header(reply.tongue)
    return unmarked(reply, [titles[reply.tongue], *rows, ""], tail[reply.tongue])


PLAIN_STYLES = (
    PlainStyle("Gmail web", ANYWHERE, gmail),
    PlainStyle("Gmail app", ANYWHERE, gmail_app),
    PlainStyle("Outlook desktop", ENDS, outlook_desktop),
    PlainStyle("Outlook desktop, HTML", ENDS, outlook_desktop_html_mode),
    PlainStyle("Outlook web", ENDS, outlook_web),
    PlainStyle("Outlook mobile", ENDS, outlook_mobile),
    PlainStyle("Apple Mail", ANYWHERE, apple_mail, flowed=True),
    PlainStyle("iPhone", ANYWHERE, iphone),
    PlainStyle("Thunderbird", ANYWHERE, thunderbird, flowed=True),
    PlainStyle("K-9", ANYWHERE, k9),
    PlainStyle("mutt", ANYWHERE, mutt),
    PlainStyle("Yahoo", ENDS, yahoo),
    PlainStyle("GMX", ENDS, gmx),
    PlainStyle("Proton", ANYWHERE, proton),
    PlainStyle("Orange", ANYWHERE, orange),
    PlainStyle("Free", ENDS, free_zimbra),
    PlainStyle("Roundcube", ANYWHERE, roundcube),
    PlainStyle("Samsung", ENDS, samsung),
)
