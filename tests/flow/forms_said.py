"""What players answer to a result letter, and what they mean by it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tests.mail.replies import Tongue


@dataclass(frozen=True, slots=True)
class Meant:
    """What a letter must come to: what is on file after it, and what is asked, and nothing else.

    `asks`: the codes of what is asked back; `then`: the sheet on file once that is answered with CONFIRM.
    `beyond`: the tables that a command may write to.
    """

    sheet: str | None = None  # in canonical notation
    standing: str = ""
    stance: str | None = None
    reply: str = ""  # the numbered answer, in canonical notation
    asks: tuple[str, ...] = ()
    then: str | None = None
    held: bool = False
    state: str = ""  # of the letter; "": applied, or held or refused where something is asked
    words: str = ""  # that must stand in the answer
    beyond: tuple[str, ...] = ()
    press: tuple[str, ...] = ()  # seats that get a letter of press
    answer: bool = True  # does the writer get one?


@dataclass(frozen=True, slots=True)
class Said:
    """An answer's own lines. `also`: what an interleaved answer says in a second place."""

    name: str
    lines: tuple[str, ...]
    meant: Meant
    also: tuple[str, ...] = ()

    def asking(self, *codes: str, then: str | None = None) -> Said:
        return replace(self, meant=Meant(asks=codes, then=then))


ATTACK: Final = "C1: ATTACK 3\nC2: MOVE 1: DE1 DE2 > 2"
FRENCH: Final = "C1: ATTACK 2\nC2: MOVE 3: FR2 FR3 > 2"
IF_WON: Final = "C1: ATTACK 3\nC2: IF WON THEN ATTACK 3 ELSE MOVE 1: DE1 > 2"


def _said(name: str, text: str, meant: Meant, also: str = "") -> Said:
    return Said(name, tuple(text.strip("\n").split("\n")), meant, tuple(also.split("\n")) if also else ())


ENGLISH_SAID: Final = (
    _said(
        "block",
        "Hello,\n\nORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: MOVE 1: DE1 DE2 > 2\nEND\n\nThanks,\nMax",
        Meant(ATTACK),
    ),
    _said(
        "free",
        "Hi all,\n\nC1: ATTACK 3\nC2: MOVE 1: DE1 DE2 > 2\n\nBest regards,\nMax Brandt",
        Meant(ATTACK),
    ),
    _said("bullets", "Hello,\n\n- C1: ATTACK 3\n• C2: move 1: DE1, DE2 > 2\n\nCheers", Meant(ATTACK)),
    _said("numbered", "1. C1: ATTACK 3\n2. C2: MOVE 1: DE1 DE2 > 2\n\nThank you!\nM.", Meant(ATTACK)),
    _said("odd blanks", "C1:\u00a0ATTACK\t3\nC2 :\tMOVE 1 :\u00a0DE1  DE2 >\u00a02", Meant(ATTACK)),
    _said("if", f"ORDERS FWW-1 T1.R\n{IF_WON}\nEND\nREADY", Meant(IF_WON, stance="ready")),
    _said(
        "talk and block",
        "Nice letter, I think the West will break.\nSee you on Tuesday.\n\nORDERS\nC1: attack 3\n"
        "C2: move 1: DE1 DE2 > 2\nEND\nLet me know if the map is wrong.",
        Meant(ATTACK),
        "By the way, who painted this map?",
    ),
    _said(
        "orders and standing",
        "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: MOVE 1: DE1 DE2 > 2\nEND\n\nSTANDING\nDRAW NO\nEND",
        Meant(ATTACK, standing="DRAW NO"),
        "READY",
    ),
)
FRENCH_SAID: Final = (
    _said(
        "bloc",
        "Bonjour à tous,\n\nORDRES FWW-1 T1.R\nC1 : ATTAQUE 2\nC2 : MOUVEMENT 3 : FR2 FR3 > 2\nFIN\n\n"
        "Merci,\nJeanne",
        Meant(FRENCH),
        "Très belle carte !",
    ),
    _said(
        "libre",
        "Bonjour,\n\nC1\u00a0: attaque 2\nC2\u00a0: mouvement 3\u00a0: FR2 et FR3 > 2\n\nCordialement,\n"
        "Jeanne Dubois",
        Meant(FRENCH),
    ),
    _said(
        "deux langues",
        "Bonjour,\n\nORDERS FWW-1 T1.R\nC1: ATTAQUE 2\nC2: MOVE 3: FR2 FR3 > 2\nFIN\nPRÊT\n\nBien à vous",
        Meant(FRENCH, stance="ready"),
    ),
    _said(
        "puces", "Salut,\n\n• C1 : Attaque 2\n• C2 : Mouvement 3 : FR2 FR3 > 2\n\nÀ bientôt", Meant(FRENCH)
    ),
)
GERMAN_SAID: Final = (
    _said(
        "block",
        "Guten Tag,\n\nORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: MOVE 1: DE1 DE2 > 2\nEND\n\n"
        "Viele Grüße\nMax Brandt",
        Meant(ATTACK),
        "Schöne Karte übrigens – gefällt mir.",
    ),
    _said(
        "block, ready",
        "Hallo zusammen,\n\nREADY\n\nORDERS FWW-1 T1.R\n* C1: ATTACK 3\n* C2: MOVE 1: DE1 DE2 > 2\nEND\n\n"
        "MfG",
        Meant(ATTACK, stance="ready"),
    ),
)
SAID: Final[dict[Tongue, tuple[Said, ...]]] = {"en": ENGLISH_SAID, "fr": FRENCH_SAID, "de": GERMAN_SAID}
SEAT: Final[dict[Tongue, str]] = {"en": "DE", "fr": "WA", "de": "DE"}
