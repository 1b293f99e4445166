"""The vocabulary: keywords of both languages, signs, and the codes of what is refused.

A keyword stands for a symbol; the first of each language is canonical.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.notation.reasons import COMMON, COMMON_EXPECTED
from engine.notation.scan import Scanner
from engine.notation.words import Keywords, Spellings

# How a line begins.
VERBS: Spellings = {
    "ATTACK": ("ATTACK", "ATTAQUE"),
    "MOVE": ("MOVE", "MOUVEMENT DEPLACE BOUGE"),
    "TRANSFER": ("TRANSFER", "TRANSFERT TRANSFERE"),
    "PASS": ("PASS", "PASSE"),
    "DEPLOY": ("DEPLOY", "DEPLOIE DEPLOIEMENT"),
    "DEFEND": ("DEFEND", "DEFENDS DEFEND DEFENSE"),
    "ATTACKTILE": ("ATTACKTILE", "TUILEATTAQUE"),
    "TILE": ("TILE", "TUILE"),
    "LEAD": ("LEAD", "MENE"),
    "TAKE": ("TAKE", "PREND"),
    "DRAW": ("DRAW", "PIOCHE"),
    "RETURN": ("RETURN", "REMETS"),
    "OCCUPY": ("OCCUPY", "OCCUPE"),
    "REPLACE": ("REPLACE", "REMPLACE"),
    "ASK": ("ASK", "DEMANDE"),
    "GRANT": ("GRANT", "ACCORDE"),
    "DENY": ("DENY", "REFUSE"),
    "RECALL": ("RECALL", "RAPPEL"),
    "AGREE": ("AGREE", "ACCEPTE"),
    "REFUSE": ("REFUSE", "REFUSE"),
    "TREATY": ("TREATY", "TRAITE"),
    "SLOTS": ("SLOTS", "RANGS"),
    "OPTIONS": ("OPTIONS", "OPTIONS"),
    "REVEAL": ("REVEAL", "REVELE MONTRE"),
    "CANCEL": ("CANCEL", "ANNULE"),
    "IF": ("IF", "SI"),
}
# What goes on inside an order.
CLAUSES: Spellings = {
    "WITH": ("WITH", "AVEC"),
    "LEAD": ("LEAD", "MENE"),
    "TILE": ("TILE", "TUILE"),
    "TAKE": ("TAKE", "PREND"),
    "KEEP": ("HOLD", "GARDE"),
    "DROP": ("DROP", "RENDS"),
    "DEPLOY": ("DEPLOY", "DEPLOIEMENT DEPLOIE"),
    "ROUND": ("ROUND", "ROUND"),
    "RECALL": ("RECALL", "RAPPEL"),
    "REPLACE": ("REPLACE", "REMPLACE"),
    "IF": ("IF", "SI"),
    "THEN": ("THEN", "ALORS"),
    "ELSE": ("ELSE", "SINON"),
    "AND": ("AND", "ET"),
}
# What stands in the place of a name.
VALUES: Spellings = {
    "ALL": ("ALL", "TOUTES TOUT TOUS"),
    "REAL": ("REAL", "VRAIES"),
    "NONE": ("NONE", "AUCUNE AUCUN"),
    "BEST": ("BEST", "MEILLEURE"),
    "ZERO": ("ZERO", "ZERO"),
    "STRONGEST": ("STRONGEST", "PLUSFORTE"),
    "WEAKEST": ("WEAKEST", "PLUSFAIBLE"),
    "ASK": ("ASK", "DEMANDE"),
    "UNUSABLE": ("UNUSABLE", "INUTILES"),
    "FRONT": ("FRONT", "FRONT"),
}
DRAWING: Spellings = {"YES": ("YES", "OUI"), "NO": ("NO", "NON"), "FREE": ("FREE", "LIBRE")}
TREATY: Spellings = {
    "OFFER": ("OFFER", "PROPOSE"),
    "ACCEPT": ("ACCEPT", "ACCEPTE"),
    "REFUSE": ("REFUSE", "REFUSE"),
    "NONE": ("NONE", "AUCUN AUCUNE"),
}
SWITCHES: Spellings = {"ON": ("ON YES", "OUI"), "OFF": ("OFF NO", "NON")}
OPTION_NAMES: Spellings = {
    "schlieffen_plan": ("SCHLIEFFEN", "SCHLIEFFEN"),
    "random_order": ("RANDOM", "HASARD"),
    "historical_setup": ("HISTORICAL", "HISTORIQUE"),
}
# What may stand in an IF.
TERMS: Spellings = {
    "NOT": ("NOT", "PAS"),
    "HOLD": ("HOLD", "TIENS"),
    "LOST": ("LOST", "PERDU"),
    "OWN": ("OWN", "AMIES"),
    "ENEMY": ("ENEMY", "ENNEMIES"),
    "VP": ("VP", "PV"),
    "TURN": ("TURN", "TOUR"),
    "CYCLE": ("CYCLE", "CYCLE"),
    "ATTACKED": ("ATTACKED", "ASSAILLI"),
    "WON": ("WON", "GAGNE"),
    "SPARE": ("SPARE", "RESTE"),
}
TILE_TERMS: Spellings = {
    "ENEMYTILE": ("ENEMYTILE", "TUILEENNEMIE"),
    "ENEMYMANDATORY": ("ENEMYMANDATORY", "TUILEFORCEE"),
    "ATKCOUNT": ("ATKCOUNT", "NBATTAQUE"),
    "ATKMAX": ("ATKMAX", "ATTMAX"),
    "STAKE": ("STAKE", "ENJEU"),
}
LEAD_TERMS: Spellings = {"ENEMYLEAD": ("ENEMYLEAD", "CHEFENNEMI"), "DEFMAX": ("DEFMAX", "DEFMAX")}

ALL_TABLES: Mapping[str, Spellings] = {
    "verb": VERBS,
    "clause": CLAUSES,
    "value": VALUES,
    "drawing": DRAWING,
    "treaty": TREATY,
    "switch": SWITCHES,
    "option": OPTION_NAMES,
    "term": TERMS,
    "tile-term": TILE_TERMS,
    "lead-term": LEAD_TERMS,
}

VOCABULARY = Keywords(ALL_TABLES)
SCANNER = Scanner(inside="-'_", ignored=",()*/+&-")
PLANNING = MappingProxyType({f"C{cycle}": cycle for cycle in (1, 2, 3, 4)})  # C1: … C4:

# Reason -> names of its facts. What a line means but the rules forbid is refused with the rules' own reasons.
REASONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **COMMON,
        # Unreadable
        "clause-twice": ("word",),
        "else-missing": ("word",),  # an IF inside TILE or LEAD has its ELSE
        "nested-too-deep": ("most",),
        "cycle-out-of-place": ("cycle",),  # C1: before something that is no round order
        "faction-twice": ("word",),
        "not-in-a-condition": ("word",),  # CANCEL and OPTIONS take no IF
        "too-many-deployments": ("most",),
        # Illegal
        "not-your-faction": ("faction",),
        "not-your-tile": ("tile",),
        "not-your-army": ("counter",),
        "ask-with-condition": (),
        "spare-out-of-place": (),
        "named-twice": ("counter",),
        "one-destination": (),
        "round-is-over": ("cycle",),
        "lead-not-committed": ("front",),
        "tile-of-another-nation": ("tile", "counter"),
        "wrong-role": ("tile",),
        "location-elsewhere": ("location", "front"),
        "too-few-dummies": ("wanted", "present"),
        "another-faction-decides": ("faction",),
        "option-is-off": ("option",),
        "options-are-fixed": (),
        "no-treaty-before": ("turn",),
        "not-on-the-western-account": ("counter",),
        # Ambiguous
        "which-faction": (),
        "which-recall": (),
    }
)
_OWN_EXPECTED = """
    front army one-army location tile leader arrow condition tile-condition lead-condition faction then
    clause drawing treaty recall replace slots option switch cancelled
"""
EXPECTED = (*COMMON_EXPECTED, *_OWN_EXPECTED.split())
