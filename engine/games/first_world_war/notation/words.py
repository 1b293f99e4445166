"""The keywords of both languages. Each stands for a symbol; the first of each language is canonical."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from engine.kernel.game import Language

Spellings: TypeAlias = Mapping[str, tuple[str, str]]  # symbol -> English words, French words

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


def spelled(*tables: Spellings, only: Iterable[str] = ()) -> Mapping[str, str]:
    """Word -> symbol, over both languages; with `only`, those symbols alone. A word's first entry stands."""
    wanted, found = tuple(only), dict[str, str]()
    for table in tables:
        for symbol, both in table.items():
            for word in " ".join(both).split():
                if not wanted or symbol in wanted:
                    found.setdefault(word, symbol)
    return found


def words_of(table: Spellings, language: Language) -> tuple[str, ...]:
    """All words of one language."""
    return tuple(word for both in table.values() for word in both[language == "fr"].split())


def _canonical(language: Language) -> dict[str, str]:
    """Symbol -> the word it is written with; of two tables that spell it differently the first counts."""
    found: dict[str, str] = {}
    for table in ALL_TABLES.values():
        for symbol, both in table.items():
            found.setdefault(symbol, both[language == "fr"].split()[0])
    return found


CANONICAL: Mapping[Language, Mapping[str, str]] = {"en": _canonical("en"), "fr": _canonical("fr")}
PLANNING = MappingProxyType({f"C{cycle}": cycle for cycle in (1, 2, 3, 4)})  # C1: … C4:
OPERATORS = MappingProxyType(
    {"<": "<", "<=": "<=", "=<": "<=", "=": "=", "==": "=", ">=": ">=", "=>": ">=", ">": ">"}
)
ARROWS = frozenset({">", "=>"})  # a long arrow is cut to one of these by the scanner


def tongue(words: Iterable[str]) -> Language | None:
    """The language whose keywords prevail; None if neither does."""
    balance = sum((word in _ONLY_ENGLISH) - (word in _ONLY_FRENCH) for word in words)
    if balance == 0:
        return None
    return "en" if balance > 0 else "fr"


_ENGLISH = frozenset(word for table in ALL_TABLES.values() for word in words_of(table, "en"))
_FRENCH = frozenset(word for table in ALL_TABLES.values() for word in words_of(table, "fr"))
_ONLY_ENGLISH, _ONLY_FRENCH = _ENGLISH - _FRENCH, _FRENCH - _ENGLISH


def foreign_to(language: Language | None) -> frozenset[str]:
    """Keywords that a writer of this language would not use."""
    if language is None:
        return frozenset()
    return _ONLY_FRENCH if language == "en" else _ONLY_ENGLISH
