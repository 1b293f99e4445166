"""The closed list of what may stand among free orders and mean nothing: greetings, thanks, names."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.orders.plain import LONG, key, plain

_ENGLISH = """
    HI | HELLO | HELLO AGAIN | HI THERE | HEY | DEAR | GOOD MORNING | GOOD AFTERNOON | GOOD EVENING
    GREETINGS
    THANKS | THANK YOU | MANY THANKS | THANKS A LOT | THANK YOU VERY MUCH | THANKS AGAIN | THANKS IN ADVANCE
    REGARDS | BEST | BEST REGARDS | KIND REGARDS | WARM REGARDS | WITH BEST REGARDS | ALL THE BEST
    BEST WISHES | CHEERS | YOURS | YOURS SINCERELY | SINCERELY | YOURS TRULY | YOURS FAITHFULLY
    BYE | GOODBYE | SEE YOU | SEE YOU SOON | TAKE CARE | HAVE FUN | GOOD LUCK | GOOD GAME
    HAVE A NICE DAY | HAVE A GOOD DAY | HAVE A NICE EVENING | HAVE A GOOD EVENING
    HAVE A NICE WEEKEND | HAVE A GOOD WEEKEND | HERE ARE MY ORDERS | HERE COME MY ORDERS | MY ORDERS | PLEASE
"""
_FRENCH = """
    BONJOUR | BONSOIR | SALUT | COUCOU | CHER | CHERE | CHERS | REBONJOUR
    MERCI | MERCI BEAUCOUP | GRAND MERCI | UN GRAND MERCI | MILLE MERCIS | MERCI D'AVANCE | MERCI ENCORE
    MERCI BIEN | CORDIALEMENT | BIEN CORDIALEMENT | TRES CORDIALEMENT | BIEN A VOUS | BIEN A TOI
    CDT | CDLT | BIEN AMICALEMENT | AMICALEMENT | AMITIES | SINCEREMENT | SALUTATIONS
    MEILLEURES SALUTATIONS | SINCERES SALUTATIONS | BIEN SINCEREMENT
    A BIENTOT | A PLUS | A DEMAIN | A PLUS TARD | AU REVOIR | BONNE JOURNEE | BONNE SOIREE | BONNE NUIT
    BON WEEKEND | BON WEEK-END | BONNE SEMAINE | BONNE CHANCE | BONNE PARTIE | BON JEU
    VOICI MES ORDRES | MES ORDRES | SVP | STP | S'IL VOUS PLAIT | S'IL TE PLAIT
"""
_ADDRESSEES = """
    ALL | EVERYONE | EVERYBODY | UMPIRE | MR UMPIRE | MODERATOR | GM | TEAM | FOLKS | FRIENDS | GENTLEMEN
    THERE | SIR | MADAM
    A TOUS | A TOUTES | TOUS | TOUT LE MONDE | ARBITRE | L'ARBITRE | MONSIEUR | MADAME | MESSIEURS | LES AMIS
    AND | ET
"""
_SIGNS = ',.;:!?()/*_~"«»&+'  # they part words; hyphens and apostrophes do not
_APART = str.maketrans(_SIGNS, " " * len(_SIGNS))


def _listed(*texts: str) -> frozenset[tuple[str, ...]]:
    rows = (row for text in texts for line in text.splitlines() for row in line.split("|"))
    return frozenset(tuple(key(word) for word in row.split()) for row in rows if row.strip())


FORMULAS = _listed(_ENGLISH, _FRENCH)
ADDRESSEES = _listed(_ADDRESSEES)
_LONGEST = max(map(len, FORMULAS | ADDRESSEES))


class Courtesy:
    """What one writer may say: the list, his own name in whole or in part, and the names he may greet."""

    def __init__(self, name: str, others: Iterable[str] = ()) -> None:
        self._own = _parts(name)
        self._names = self._own.union(*(_parts(one) for one in others))
        initials = [part[0] for word in plain(name).replace("-", " ").split() if (part := key(word))]
        self._initials = {*initials, "".join(initials)}

    def is_own_name(self, text: str) -> bool:
        """Nothing but the writer's own name or a part of it."""
        if len(text) > LONG:
            return False
        keys = [found for word in plain(text).translate(_APART).split() if (found := key(word))]
        return bool(keys) and all(word in self._own or word in self._initials for word in keys)

    def is_courtesy(self, text: str) -> bool:
        """Nothing but listed formulas and names, at least one of them a formula or the writer's own name."""
        if len(text) > LONG:
            return False
        keys = [found for word in plain(text).translate(_APART).split() if (found := key(word))]
        at, formal = 0, False
        while at < len(keys):
            length, counts = self._spoken(keys, at)
            if not length:
                return False
            at, formal = at + length, formal or counts
        return formal

    def _spoken(self, keys: list[str], at: int) -> tuple[int, bool]:
        """How many words from here are courtesy, and whether they are more than an addressee."""
        for length in range(min(_LONGEST, len(keys) - at), 0, -1):
            part = tuple(keys[at : at + length])
            if part in FORMULAS:
                return length, True
            if part in ADDRESSEES:
                return length, False
        word = keys[at]
        if word in self._names or word in self._initials:
            return 1, word in self._own or word in self._initials
        return 0, False


def _parts(name: str) -> set[str]:
    """The words of a name, apart from single letters; and the whole as one word."""
    parts = {found for word in plain(name).replace("-", " ").split() if len(found := key(word)) > 1}
    return parts | ({key(name)} - {""})
