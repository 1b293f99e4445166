"""The command table of a letter: verbs in English and French, with their synonyms and who may use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from engine.kernel.game import Language
from pbem.orders.commands import Terms
from pbem.orders.text import first_words, key, near

Writer: TypeAlias = Literal["player", "observer", "umpire", "stranger"]

EVERYONE: tuple[Writer, ...] = ("player", "observer", "umpire", "stranger")
KNOWN: tuple[Writer, ...] = ("player", "observer", "umpire")
PLAYERS: tuple[Writer, ...] = ("player",)
SEATED: tuple[Writer, ...] = ("player", "umpire")
UMPIRES: tuple[Writer, ...] = ("umpire",)


@dataclass(frozen=True, slots=True)
class Verb:
    """One command: how it is written (the first of each language is canonical) and who may use it."""

    symbol: str
    en: tuple[str, ...]
    fr: tuple[str, ...]
    who: tuple[Writer, ...]

    def written(self, language: Language) -> str:
        return (self.fr if language == "fr" else self.en)[0]


def _verb(symbol: str, en: str, fr: str, who: tuple[Writer, ...]) -> Verb:
    return Verb(symbol, tuple(en.split(", ")), tuple(fr.split(", ")), who)


VERBS: tuple[Verb, ...] = (
    _verb("HELP", "HELP", "AIDE", EVERYONE),
    _verb("STATUS", "STATUS", "ETAT, SITUATION", KNOWN),
    _verb("MAP", "MAP", "CARTE", KNOWN),
    _verb("HAND", "HAND", "MAIN", PLAYERS),
    _verb("HISTORY", "HISTORY", "HISTORIQUE", KNOWN),
    _verb("RULE", "RULE", "REGLE", KNOWN),
    _verb("CHECK", "CHECK, DRAFT, TEST", "ESSAI, BROUILLON, TEST", PLAYERS),
    _verb("SHOW STANDING", "SHOW STANDING, SHOW SHEET, SHOW POLICY",
          "VOIR CONSIGNES, VOIR PERMANENTS, MONTRE CONSIGNES", PLAYERS),
    _verb("CONFIRM", "CONFIRM, CONFIRMED, I CONFIRM", "CONFIRME, CONFIRMER, JE CONFIRME", EVERYONE),
    _verb("CANCEL", "CANCEL", "ANNULE, ANNULER", EVERYONE),
    _verb("READY", "READY", "PRET, PRETE", PLAYERS),
    _verb("WAIT", "WAIT", "ATTENDS, ATTENDEZ, ATTENDRE", PLAYERS),
    _verb("SALT", "SALT", "SEL", PLAYERS),
    _verb("ABSENT", "ABSENT, AWAY", "ABSENT, ABSENTE, ABSENCE", SEATED),
    _verb("ODDS", "ODDS", "CHANCES", PLAYERS),
    _verb("PRESS TO", "PRESS TO, PRESS", "PRESSE A, PRESSE", SEATED),
    _verb("PROPOSE ROLLBACK", "PROPOSE ROLLBACK", "PROPOSE RETOUR", PLAYERS),
    _verb("AGREE", "AGREE, I AGREE", "ACCORD, D'ACCORD, JE SUIS D'ACCORD", PLAYERS),
    _verb("ARMISTICE", "ARMISTICE, OFFER ARMISTICE, ACCEPT ARMISTICE, DECLINE ARMISTICE",
          "ARMISTICE, PROPOSER ARMISTICE, ACCEPTER ARMISTICE, REFUSER ARMISTICE", PLAYERS),
    _verb("RESIGN", "RESIGN, I RESIGN", "ABANDONNE, ABANDONNER, ABANDON, J'ABANDONNE, CAPITULER", PLAYERS),
    _verb("HANDOVER", "HANDOVER", "CEDER, CEDE, JE CEDE", PLAYERS),
    _verb("LANG", "LANG, LANGUAGE", "LANGUE", EVERYONE),
    _verb("ZONE", "ZONE, TIMEZONE", "FUSEAU", EVERYONE),
    _verb("ADDRESS", "ADDRESS", "ADRESSE", KNOWN),
    _verb("LINK", "LINK", "RELIE, RELIER", KNOWN),
    _verb("UNLINK", "UNLINK", "DELIE, DELIER", KNOWN),
    _verb("VERIFY", "VERIFY", "VERIFIE, VERIFIER", KNOWN),
    _verb("LIST", "LIST", "LISTE", EVERYONE),
    _verb("SIGNUP", "SIGNUP, SIGN UP", "INSCRIPTION, INSCRIS, INSCRIRE", EVERYONE),
    _verb("WATCH", "WATCH", "OBSERVE, OBSERVER, SUIVRE", EVERYONE),
    _verb("STOP", "STOP, UNSUBSCRIBE", "DESABONNE, DESABONNER, DESINSCRIRE", EVERYONE),
    _verb("ANSWER FOR", "ANSWER FOR", "REPONDS POUR, REPONSE POUR", UMPIRES),
    _verb("EXTEND", "EXTEND", "PROLONGE, PROLONGER", UMPIRES),
    _verb("HOLD", "HOLD", "SUSPENDS, SUSPENDRE", UMPIRES),
    _verb("RELEASE", "RELEASE", "LIBERE, LIBERER", UMPIRES),
    _verb("FORCE DICE", "FORCE DICE", "FORCE DES, IMPOSE DES", UMPIRES),
    _verb("RULING", "RULING", "ARBITRAGE, DECISION", UMPIRES),
    _verb("ROLLBACK", "ROLLBACK, ROLL BACK", "RETOUR, RETOUR A", UMPIRES),
    _verb("WHATIF", "WHATIF, WHAT IF", "ET SI, HYPOTHESE", UMPIRES),
    _verb("REPLACE", "REPLACE", "REMPLACE, REMPLACER", UMPIRES),
    _verb("PROCESS", "PROCESS", "EXECUTE, EXECUTER", UMPIRES),
    _verb("UNSEAL", "UNSEAL", "DESCELLE, DESCELLER", UMPIRES),
    _verb("OPEN", "OPEN", "OUVRE, OUVRIR", UMPIRES),
)  # fmt: skip
BY_SYMBOL: Mapping[str, Verb] = MappingProxyType({verb.symbol: verb for verb in VERBS})

# The words that frame a block.
ORDERS, END = ("ORDERS", "ORDRES"), ("END", "FIN")
STANDING = ("STANDING", "SHEET", "POLICY", "PERMANENTS", "CONSIGNES", "POLITIQUE")

# Words inside the arguments of commands.
ALL = frozenset({"ALL", "EVERYONE", "EVERYBODY", "TOUS", "TOUTES", "TOUT"})
UMPIRE = frozenset({"UMPIRE", "UMPIRES", "GM", "ARBITRE", "LARBITRE", "ARBITRES"})
THE = frozenset({"THE", "LE", "LA", "LES"})
TO = frozenset({"TO", "A", "AUX", "AU"})
BY = frozenset({"BY", "PAR"})
AND = frozenset({"AND", "ET"})
NONE = frozenset({"NONE", "NO", "OFF", "AUCUNE", "NON"})
TURN = frozenset({"TURN", "TOUR"})
REACH = frozenset({"REACH", "PORTEE"})
LINE = frozenset({"LINE", "LINES", "LIGNE", "LIGNES"})
SAME_DICE = frozenset({("SAME", "DICE"), ("MEMES", "DES")})
BECAUSE = frozenset({"BECAUSE", "REASON", "CAR", "MOTIF"})
ROLLBACK = frozenset({"ROLLBACK", "RETOUR"})
PLEASE = frozenset({"PLEASE", "THANKS", "SVP", "STP", "MERCI"})
ANSWERS: Mapping[str, Terms] = MappingProxyType(
    {
        "OFFER": "offer", "PROPOSE": "offer", "PROPOSER": "offer",
        "YES": "accept", "OUI": "accept", "NO": "refuse", "NON": "refuse",
        "ACCEPT": "accept", "ACCEPTE": "accept", "ACCEPTER": "accept", "AGREE": "accept",
        "REFUSE": "refuse", "REFUSER": "refuse", "DECLINE": "refuse",
    }
)  # fmt: skip
LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        "EN": "en", "ENGLISH": "en", "ANGLAIS": "en",
        "FR": "fr", "FRENCH": "fr", "FRANCAIS": "fr",
    }
)  # fmt: skip


def _phrases() -> dict[tuple[str, ...], str]:
    """Words of a verb -> its symbol; a verb written together is the same (SHOWSTANDING, DACCORD)."""
    found: dict[tuple[str, ...], str] = {}
    for verb in VERBS:
        for phrase in (*verb.en, *verb.fr):
            parts = tuple(key(part) for part in phrase.split())
            found.setdefault(parts, verb.symbol)
    return found


PHRASES: Mapping[tuple[str, ...], str] = MappingProxyType(_phrases())
_MOST_WORDS = max(map(len, PHRASES))


class VerbMatch(NamedTuple):
    """A verb at the beginning of a line, and how many words it took."""

    symbol: str
    length: int


def verb_at_start(line: str) -> VerbMatch | None:
    """The verb with the most words that the line begins with."""
    keys = tuple(word.key for word in first_words(line, _MOST_WORDS))
    for length in range(len(keys), 0, -1):
        symbol = PHRASES.get(keys[:length])
        if symbol is not None:
            return VerbMatch(symbol, length)
    return None


def tongues() -> dict[str, Language]:
    """First words of verbs that one language has and the other has not: what a writer speaks."""
    english = {key(phrase.split()[0]) for verb in VERBS for phrase in verb.en}
    french = {key(phrase.split()[0]) for verb in VERBS for phrase in verb.fr}
    own: dict[str, Language] = dict.fromkeys(english - french, "en")
    return own | dict.fromkeys(french - english, "fr")


def spellings() -> tuple[str, ...]:
    """Every verb and block word as it is written, to be suggested."""
    verbs = (phrase for verb in VERBS for phrase in (*verb.en, *verb.fr))
    return tuple(dict.fromkeys((*verbs, *ORDERS, *STANDING, *END)))


MEANT: Mapping[str, str] = MappingProxyType(
    {
        "YES": "CONFIRM", "OK": "CONFIRM", "OKAY": "CONFIRM", "CORRECT": "CONFIRM",
        "OUI": "CONFIRM", "BIENSUR": "CONFIRM",
        "QUIT": "RESIGN", "LEAVE": "STOP", "UNDO": "CANCEL", "WITHDRAW": "CANCEL",
        "HOLIDAY": "ABSENT", "VACATION": "ABSENT", "VACANCES": "ABSENT",
        "RULES": "RULE", "REGLES": "RULE", "BOARD": "MAP", "CARDS": "HAND", "TILES": "HAND",
        "MESSAGE": "PRESS TO", "TELL": "PRESS TO", "JOIN": "SIGNUP", "REJOINDRE": "SIGNUP",
    }
)  # fmt: skip


def commands_near(line: str, language: Language = "en") -> tuple[str, ...]:
    """Verbs that the beginning of a line may have been meant as, in the writer's language."""
    keys = [word.key for word in first_words(line, 3)]
    if not keys:
        return ()
    if keys[0] in MEANT:
        return (BY_SYMBOL[MEANT[keys[0]]].written(language),)
    for length in range(len(keys), 0, -1):
        found = near("".join(keys[:length]), _spellings(language))
        if found:
            return found
    return ()


@cache
def _spellings(language: Language) -> tuple[str, ...]:
    """Those of the language first; a word of the other one is still better than none."""
    own = [phrase for verb in VERBS for phrase in (verb.fr if language == "fr" else verb.en)]
    return tuple(dict.fromkeys((*own, *spellings())))
