"""The vocabulary: keywords of both languages, codes of units, signs, and the codes of what is refused.

A keyword stands for a symbol; the first of each language is canonical.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.notation.reasons import COMMON, COMMON_EXPECTED
from engine.notation.scan import Scanner
from engine.notation.words import Keywords, Spellings

# How an order begins.
VERBS: Spellings = {
    "SPLIT": ("SPLIT", "GROUPES"),
    "FLIP": ("FLIP", "RETOURNER"),
    "PLACE": ("PLACE", "PLACER"),
    "ACTIVE": ("ACTIVE", "ACTIVES"),
    "MOVE": ("M MOVE", "D DEPLACER"),
    "CAPTURE": ("C CAPTURE", "P PRENDRE"),
    "LOAD": ("L LOAD", "E EMBARQUER"),
    "UNLOAD": ("U UNLOAD", "DB DEBARQUER"),
    "MINE": ("MINE", "MINER"),
    "BUILD": ("B BUILD", "CONSTRUIRE"),
    "ATTACK": ("A ATTACK", "A ATTAQUER"),
    "REPAIR": ("R REPAIR", "R REPARER"),
    "BUY": ("BUY", "ACHETER"),
    "PUT": ("PUT", "POSER"),
    "GIVE": ("GIVE", "DONNER"),
    "MONEY": ("MONEY", "ARGENT"),
    "PASS": ("PASS", "PASSE"),
    "DEFAULT": ("DEFAULT", "DEFAUT"),
}
# What goes on inside an order.
CLAUSES: Spellings = {
    "REST": ("REST", "RESTE"),
    "UNLOAD": ("UNLOAD U", "DEBARQUER DB"),
    "ROAD": ("ROAD", "ROUTE"),
    "TRENCH": ("TRENCH", "TRANCHEE"),
    "IF": ("IF", "SI"),
    "SPECIAL": ("SPECIAL", "SPECIALE"),
    "WATER": ("WATER", "EAU"),
    "LATER": ("LATER", "APRES"),
    "HOLD": ("HOLD", "TENIR"),
    "AUTOMA": ("AUTOMA", "AUTOMA"),
    "CAPTAIN": ("CAPTAIN", "CAPITAINE"),
    "TIMES": ("X", "X"),
}
DIRECTIONS: Spellings = {
    "N": ("N", "N"),
    "NE": ("NE", "NE"),
    "SE": ("SE", "SE"),
    "S": ("S", "S"),
    "SW": ("SW", "SO"),
    "NW": ("NW", "NO"),
}
COMPANIES: Spellings = {"A": ("A", "A"), "B": ("B", "B"), "C": ("C", "C")}
# Units by their codes, as the sheets have them.
CODES: Spellings = {
    "INF": ("INF", "INF"),
    "CAV": ("CAV", "MON"),
    "HVY": ("HVY", "LOU"),
    "TRK": ("TRK", "CAM"),
    "CAR": ("CAR", "BLI"),
    "TNK": ("TNK", "CHA"),
    "MOR": ("MOR", "MOR"),
    "GUN": ("GUN", "CAN"),
    "HOW": ("HOW", "OBU"),
    "FLK": ("FLK", "DCA"),
    "AIR": ("AIR", "AVI"),
    "BER": ("BER", "BER"),
    "ATG": ("ATG", "ATC"),
    "REN": ("REN", "REN"),
    "FEM": ("FEM", "FEM"),
    "RWY": ("RWY", "FER"),
    "ZEP": ("ZEP", "DIR"),
    "MIN": ("MIN", "MIN"),
    "GAS": ("GAS", "GAZ"),
    "BOT": ("BOT", "NAV"),
    "ENG": ("ENG", "GEN"),
}

VOCABULARY = Keywords(
    {
        "verb": VERBS,
        "clause": CLAUSES,
        "direction": DIRECTIONS,
        "company": COMPANIES,
        "code": CODES,
    },
    neutral=("company",),
)

SCANNER = Scanner(signs="@ + - / ,", kept=".")

REASONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **COMMON,
        "no-such-unit": ("unit",),  # illegal: the writer has no such unit
        "several-such-units": (),  # ambiguous: which of them is meant
        "rest-twice": (),
        "company-twice": ("company",),
        "pass-and-more": (),  # illegal: nothing at all, and something
        "never-unloaded": ("unit", "transport"),  # illegal: TRANSPORT-5
        "not-your-ally": ("nation",),  # illegal: MONEY-8
        "no-captain": (),  # illegal: COOP-5
    }
)
EXPECTED = (
    *COMMON_EXPECTED,
    "unit",
    "hex",
    "company",
    "direction",
    "code",
    "transport",
    "target",
    "colon",
    "equals",
    "at",
    "road-or-trench",
    "later",
    "hold-automa-or-captain",
    "nation",
)
