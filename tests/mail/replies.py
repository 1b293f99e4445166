"""What the players of the corpus answer to one letter of ours, before a mail program has touched it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Tongue: TypeAlias = Literal["en", "fr", "de"]
Posting: TypeAlias = Literal["top", "bottom", "interleaved", "alone"]

START = "##- FWW-3: write above this line / écrivez au-dessus -##"
END = "##- end / fin -##"

SENT = (
    START,
    "",
    "Autumn 1914: the Race to the Sea goes on.",
    "Your hand: Reinforcements (2), Barrage (1) – Généraux: Joffre",
    "",
    "Area      Front   Trench",
    "Belgium   1       0",
    "Champagne 3       1",
    "",
    "ORDERS FWW-3 T4",
    "  attack Belgium with 2",
    "  reserve Paris",
    "END",
    "",
    "Deadline: 24 Nov 20:00 CET. Rule 5.4.1 applies.",
    END,
)

WRITERS: dict[Tongue, str] = {"en": "John Mills", "fr": "Jérôme Lefèvre", "de": "Jürgen Weiß"}
UMPIRE = "Umpire FWW-3 <umpire+fww-3.fr.k3qz7xw2m4abcdef@example.org>"

FIRST: dict[Tongue, tuple[str, ...]] = {
    "en": (
        "Hello,",
        "",
        "ORDERS FWW-3 T4",
        "attack Champagne with 3 – all of them",
        "reserve “Paris”",
        "END",
    ),
    "fr": ("Bonjour à tous,", "", "ORDRES FWW-3 T4", "attaquer « Champagne » avec 3", "réserve Paris", "FIN"),
    "de": (
        "Guten Tag,",
        "",
        "ORDERS FWW-3 T4",
        "attack Champagne with 3",
        "reserve Paris – schöne Grüße",
        "END",
    ),
}
SECOND: dict[Tongue, tuple[str, ...]] = {
    "en": ("READY", "Thanks, John"),
    "fr": ("PRÊT", "Merci, Jérôme"),
    "de": ("READY", "Danke, Jürgen"),
}


class Piece(NamedTuple):
    """A run of lines: the player's own or quoted. `html`: quoted ones, if they came as such."""

    own: bool
    lines: tuple[str, ...]
    html: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as its writer meant it."""

    tongue: Tongue
    posting: Posting
    pieces: tuple[Piece, ...]

    @property
    def own(self) -> tuple[str, ...]:
        return visible(line for piece in self.pieces if piece.own for line in piece.lines)

    @property
    def quoted(self) -> tuple[str, ...]:
        return visible(line for piece in self.pieces if not piece.own for line in piece.lines)

    @property
    def name(self) -> str:
        return f"{self.tongue}-{self.posting}"


def visible(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines that are not blank, with single spaces."""
    return tuple(text for line in lines if (text := " ".join(line.split())))


def reply(tongue: Tongue, posting: Posting) -> Reply:
    first, second = Piece(True, FIRST[tongue]), Piece(True, SECOND[tongue])
    whole = Piece(False, SENT)
    pieces: dict[Posting, tuple[Piece, ...]] = {
        "top": (first, whole),
        "bottom": (whole, first),
        "interleaved": (
            Piece(False, SENT[:8]),
            second,
            Piece(False, SENT[8:13]),
            first,
            Piece(False, SENT[13:]),
        ),
        "alone": (first,),
    }
    return Reply(tongue, posting, pieces[posting])
