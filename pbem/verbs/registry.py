"""All verbs. Whatever has to know them is handed this registry or something made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pbem.orders.text import key
from pbem.orders.vocabulary import VerbVocabulary
from pbem.verbs import absence, addresses, consent, information, leaving, lobby, orders, press, status, umpire
from pbem.verbs.verb import Verb

FAMILIES: Final = (information, status, orders, absence, press, consent, leaving, addresses, lobby, umpire)


def gather() -> VerbVocabulary[Verb[Any]]:
    return VerbVocabulary(verb for family in FAMILIES for verb in family.VERBS)


REGISTRY: Final = gather()


def help_topics(registry: VerbVocabulary[Verb[Any]] = REGISTRY) -> Mapping[str, str]:
    """The help page that every spelling of a verb leads to."""
    return {key(spelling): verb.topic for verb in registry.verbs for spelling in verb.spellings}
