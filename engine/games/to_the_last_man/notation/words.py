"""The vocabulary: keywords of both languages, signs, and the codes of what is refused.

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
    "ANY": ("ANY", "PARTOUT"),  # as PLACE ALL was written before; still read
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

VOCABULARY = Keywords(ALL_TABLES, neutral=("type",))
SCANNER = Scanner(signs=", @ ( ) * + - ..", kept=".", alike={"&": "+", "\u00d7": "*"})

# Reason -> names of its facts. What a line means but the rules forbid is refused with the rules' own reasons.
REASONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **COMMON,
        # Unreadable
        "at-out-of-place": ("word",),  # AT before an order that is of no battle
        # Illegal
        "not-your-army": ("army",),
        "not-adjacent": ("area", "to", "legal"),
        "one-destination": (),
        "no-area": ("condition",),  # the condition speaks of an area, the order of none
        "hidden": ("condition",),  # hands are hidden in this campaign
        "not-lasting": ("word",),  # an order of a turn is no standing order
        # Ambiguous
        "which-nation": (),
    }
)
_OWN_EXPECTED = """
    area army army-or-area army-or-loose card units type condition destination path place colon bracket
    arrow on cards using side corps first-or-last method dice budget limit front drop
"""
EXPECTED = (*COMMON_EXPECTED, *_OWN_EXPECTED.split())
