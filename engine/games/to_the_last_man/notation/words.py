"""The keywords of both languages. Each stands for a symbol; the first of each language is canonical."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from engine.kernel.game import Language

Spellings: TypeAlias = Mapping[str, tuple[str, str]]  # symbol -> English words, French words

# How an order begins.
VERBS: Spellings = {
    "TAKE": ("TAKE", "PRENDRE"),
    "BID": ("BID", "MISER"),
    "FIRST": ("FIRST", "PREMIER"),
    "PLAY": ("PLAY", "JOUER"),
    "PASS": ("PASS", "PASSER"),
    "MOVE": ("MOVE", "BOUGER"),
    "RAIL": ("RAIL", "FER RAIL"),
    "STRAT": ("STRAT", "STRAT"),
    "SEA": ("SEA", "MER"),
    "RESERVES": ("RESERVES", "RESERVES"),
    "SHIFT": ("SHIFT", "TRANSFERER"),
    "WITHDRAW": ("WITHDRAW", "REPLIER"),
    "EVACUATE": ("EVACUATE", "EVACUER"),
    "SUPPRESS": ("SUPPRESS", "DISSOUDRE"),
    "CRISIS": ("CRISIS", "CRISE"),
    "CRISISLOSS": ("CRISISLOSS", "PERTECRISE"),
    "DISCARD": ("DISCARD", "DEFAUSSER"),
    "BATTLE": ("BATTLE", "BATAILLE"),
    "KEEP": ("KEEP", "GARDER"),
    "CARD": ("CARD", "CARTE"),
    "BONUS": ("BONUS", "BONUS"),
    "WEATHER": ("WEATHER", "METEO"),
    "COUNTER": ("COUNTER", "CONTREATTAQUE"),
    "SCRAMBLE": ("SCRAMBLE", "ALERTE"),
    "CAVRETREAT": ("CAVRETREAT", "RETRAITECAV"),
    "RETREAT": ("RETREAT", "RETRAITE"),
    "FORCED": ("FORCED", "FORCEE"),
    "BIPLANE": ("BIPLANE", "BIPLAN"),
    "REROLL": ("REROLL", "RELANCER"),
    "ERSATZ": ("ERSATZ", "ERSATZ"),
    "LOSE": ("LOSE", "PERDRE"),
    "SACRIFICE": ("SACRIFICE", "SACRIFIER"),
    "SAVE": ("SAVE", "SAUVER"),
    "PLACE": ("PLACE", "PLACER"),
    "SWAP": ("SWAP", "ECHANGER"),
    "BUY": ("BUY", "ACHETER"),
    "BUILD": ("BUILD", "CONSTRUIRE"),
    "REBUILD": ("REBUILD", "RECONSTRUIRE"),
    "ENTRENCH": ("ENTRENCH", "RETRANCHER"),
    "UPGRADE": ("UPGRADE", "PROMOUVOIR"),
    "FORTIFY": ("FORTIFY", "FORTIFIER"),
    "PRODUCE": ("PRODUCE", "PRODUIRE"),
    "OOSLOSS": ("OOSLOSS", "PERTEOOS"),
    "EFTLOSS": ("EFTLOSS", "PERTEEFT"),
    "EXCESS": ("EXCESS", "EXCEDENT"),
    "RANK": ("RANK", "RANG"),
    "DONE": ("DONE", "TERMINER"),
}
# What may stand before an order.
PREFIXES: Spellings = {"AT": ("AT", "A AT"), "ALWAYS": ("ALWAYS", "TOUJOURS")}
# What goes on inside an order.
CLAUSES: Spellings = {
    "IF": ("IF", "SI"),
    "ELSE": ("ELSE", "SINON"),
    "AND": ("AND", "ET"),
    "OR": ("OR", "OU"),
    "INTO": ("INTO", "DANS"),
    "IN": ("IN", "DANS"),
    "TO": ("TO", "VERS"),
    "AT": ("AT", "@"),
    "ON": ("ON", "SUR"),
    "LEAVE": ("LEAVE", "LAISSER"),
    "ABSORB": ("ABSORB", "ABSORBER"),
    "AFTER": ("AFTER", "APRES"),
    "KEEP": ("KEEP EXCEPT", "SAUF"),
    "USING": ("USING WITH", "AVEC"),
    "PER": ("PER", "PAR"),
    "MAX": ("MAX", "MAX"),
    "DROP": ("DROP", "JETER"),
    "SIEGE": ("SIEGE", "SIEGE"),
    "INSTEAD": ("INSTEAD FIRE", "AULIEU TIR"),
    "FIRST": ("FIRST", "DABORD"),
    "LAST": ("LAST", "DERNIER"),
}
# What stands in the place of a name.
VALUES: Spellings = {
    "ALL": ("ALL", "TOUT TOUS TOUTES"),
    "NONE": ("NONE NO", "AUCUN AUCUNE RIEN NON"),
    "ANY": ("ANY", "PARTOUT"),
    "LOOSE": ("LOOSE", "HORS"),
    "FRONT": ("FRONT", "FRONT"),
    "NEW": ("NEW", "NOUVELLES"),
    "CARDS": ("CARDS CARD", "CARTES CARTE"),
    "LIMIT": ("LIMIT", "LIMITE"),
    "FORT": ("FORT", "FORT"),
    "MOVES": ("MOVES MOVEMENT", "MOUVEMENT MOUVEMENTS"),
    "COMBAT": ("COMBAT", "COMBAT"),
    "WEAKEST": ("WEAKEST", "FAIBLE"),
    "STRONGEST": ("STRONGEST", "FORTE"),
    "REACT": ("REACT", "REACTION"),
    "GROUND": ("GROUND", "SOL"),
}
PERIODS: Spellings = {
    "step": ("STEP", "TIR"),
    "battle": ("BATTLE", "BATAILLE"),
    "turn": ("TURN", "TOUR"),
}
# What may stand in an IF.
NAMES: Spellings = {
    "OWN": ("OWN", "NOUS"),
    "ENEMY": ("ENEMY", "ENNEMI"),
    "OWNPIECES": ("OWNPIECES", "NOSPIONS"),
    "ENEMYPIECES": ("ENEMYPIECES", "SESPIONS"),
    "OWNINF": ("OWNINF", "NOSINF"),
    "HITS": ("HITS", "COUPS"),
    "HAND": ("HAND", "MAIN"),
    "OPPHAND": ("OPPHAND", "MAINADV"),
    "BATTLES": ("BATTLES", "BATAILLES"),
    "FORT": ("FORT", "FORT"),
    "VP": ("VP", "PV"),
}
FLAGS: Spellings = {
    "ATTACKED": ("ATTACKED", "ATTAQUE"),
    "ENEMYINF": ("ENEMYINF", "INFENNEMIE"),
    "ENEMYCAV": ("ENEMYCAV", "CAVENNEMIE"),
    "ENEMYAIR": ("ENEMYAIR", "AIRENNEMI"),
    "WEATHER": ("WEATHER", "METEO"),
    "OPPPASSED": ("OPPPASSED", "ADVPASSE"),
    "WON": ("WON", "GAGNE"),
    "LOST": ("LOST", "PERDU"),
    "HELD": ("HELD", "TENU"),
}
LOGIC: Spellings = {"NOT": ("NOT", "NON PAS")}
# Short names of cards, beside those of the pack.
CARDS: Spellings = {
    "OFF": ("OFFENSIVE", "OFFENSIVE"),
    "LIM": ("LIMITED", "LIMITEE"),
    "BIG": ("BIGPUSH", "BIGPUSH"),
    "GER": ("GERICHT", "GERICHT"),
    "TLM": ("TOUTLEMONDE", "TOUTLEMONDE"),
    "FRI": ("FRIEDENSTURM", "FRIEDENSTURM"),
    "ER2": ("ERSATZ2", "ERSATZ2"),
    "ER3": ("ERSATZ3", "ERSATZ3"),
    "GAS": ("GAS", "GAZ"),
    "AAB": ("BARRAGE", "BARRAGE"),
    "BAD": ("BADWEATHER", "MAUVAISTEMPS"),
    "SRV": ("RESERVES", "RESERVES"),
    "SUR": ("SURPRISE", "SURPRISE"),
    "EMC": ("ENTENTECRISIS", "CRISEENTENTE"),
    "GMC": ("GERMANCRISIS", "CRISEALLEMANDE"),
}
# Kinds of units, beside the names of the pack.
TYPES: Spellings = {
    "I": ("I INF", "I INF"),
    "CW": ("CW COMMONWEALTH", "CW COMMONWEALTH"),
    "S": ("S STOSS", "S STOSS"),
    "C": ("C CAV", "C CAV"),
    "A": ("A", "A"),
    "G": ("G", "G"),
    "B": ("B BIPLANES", "B BIPLANS"),
    "T": ("T TANKS", "T CHARS"),
    "P": ("P", "P"),
}
CORPS: Spellings = {  # by the number of the counter
    "01": ("CAN CANADIAN CANADIANS", "CAN CANADIEN CANADIENS"),
    "02": ("ANZAC", "ANZAC"),
}

ALL_TABLES: Mapping[str, Spellings] = {
    "verb": VERBS,
    "prefix": PREFIXES,
    "clause": CLAUSES,
    "value": VALUES,
    "period": PERIODS,
    "name": NAMES,
    "flag": FLAGS,
    "logic": LOGIC,
    "card": CARDS,
    "type": TYPES,
    "corps": CORPS,
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


def _canonical(language: Language) -> dict[str, dict[str, str]]:
    """Table -> symbol -> the word it is written with."""
    return {
        name: {symbol: both[language == "fr"].split()[0] for symbol, both in table.items()}
        for name, table in ALL_TABLES.items()
    }


CANONICAL: Mapping[Language, Mapping[str, Mapping[str, str]]] = {
    "en": _canonical("en"),
    "fr": _canonical("fr"),
}
OPERATORS = MappingProxyType(
    {"<": "<", "<=": "<=", "=<": "<=", "=": "=", "==": "=", ">=": ">=", "=>": ">=", ">": ">"}
)
ARROWS = frozenset({">", "=>"})

_KEYWORDS = [table for name, table in ALL_TABLES.items() if name != "type"]
_ENGLISH = frozenset(word for table in _KEYWORDS for word in words_of(table, "en"))
_FRENCH = frozenset(word for table in _KEYWORDS for word in words_of(table, "fr"))
_ONLY_ENGLISH, _ONLY_FRENCH = _ENGLISH - _FRENCH, _FRENCH - _ENGLISH


def tongue(words: Iterable[str]) -> Language | None:
    """The language whose keywords prevail; None if neither does."""
    balance = sum((word in _ONLY_ENGLISH) - (word in _ONLY_FRENCH) for word in words)
    if balance == 0:
        return None
    return "en" if balance > 0 else "fr"


def foreign_to(language: Language | None) -> frozenset[str]:
    """Keywords that a writer of this language would not use."""
    if language is None:
        return frozenset()
    return _ONLY_FRENCH if language == "en" else _ONLY_ENGLISH
