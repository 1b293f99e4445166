"""Orders that are good on a view, for the forms in letters: each names the reader's own counters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.games.first_world_war.answers import Attack, Deploy, Faction
from engine.games.first_world_war.notation import known
from engine.games.first_world_war.notation.lexicon import Pen, lexicon
from engine.games.first_world_war.notation.orders import DeployOrder
from engine.games.first_world_war.notation.policies import Replace
from engine.games.first_world_war.notation.troops import Group
from engine.games.first_world_war.notation.writer import prefix_of, write_answer
from engine.games.first_world_war.rules.replacements import ranked
from engine.games.first_world_war.view import View
from engine.kernel.game import Language
from engine.kernel.requests import Answer, Ask

FEW = 2  # armies that an example of a list names


class Examples:
    """Order lines without the faction before them; '' where nothing of the kind can be ordered."""

    def __init__(self, view: View, language: Language) -> None:
        self._view, self._language = view, language
        self._pen = Pen(language, lexicon(view.pack))
        self._round = cache(self._round_question)

    # ------------------------------------------------------------ what is asked in an exchange

    def questions(self, kind: str) -> tuple[Ask, ...]:
        """What an exchange asks of each of the seat's factions, also of those whose turn has not come."""
        view = self._view
        if kind == "D" and known.is_due(view):
            return tuple(known.deployment_question(view, one) for one in view.factions if view.new[one])
        return tuple(self._round(one) for one in view.factions) if kind in ("R", "C") else ()

    def _round_question(self, faction: Faction) -> Ask:
        _, cycle = known.next_round(self._view, faction)
        return known.round_question(self._view, faction, cycle)

    # ------------------------------------------------------------ orders

    def deployment(self, faction: Faction) -> str:
        """D3 As the new counters are placed without a word; dummies are only counted."""
        if not self._view.new[faction]:
            return ""
        placed: Deploy = known.deployment_question(self._view, faction).default
        fronts = sorted({front for _, front in placed.placed})
        groups = [Group(self._named([c for c, to in placed.placed if to == one]), one) for one in fronts]
        held = self._named(placed.held) or (() if groups else ("ALL",))
        return DeployOrder(tuple(groups), held).write(self._pen)

    def _named(self, counters: Sequence[str]) -> tuple[str, ...]:
        armies = [one for one in counters if one in self._view.pack.armies]
        dummies = len(counters) - len(armies)
        return (*armies, "D" if dummies == 1 else f"{dummies}D") if dummies else tuple(armies)

    def attack(self, faction: Faction) -> str:
        """With as many armies as can attack together."""
        attacks = [one for one in self._offered(faction) if isinstance(one, Attack)]
        return self._of_round(faction, max(attacks, key=lambda one: len(one.armies), default=None))

    def replacement(self, faction: Faction) -> str:
        """D17 The best of the lost armies that are on the faction's own account."""
        view = self._view
        own = [army for army in view.pool[faction] if Replace((army,)).check(view, faction) is None]
        armies = ranked(view.pack, own)[:FEW]
        return Replace(tuple(armies)).write(self._pen) if armies else ""

    def _offered(self, faction: Faction) -> Sequence[Answer]:
        return self._round(faction).options.describe()

    def _of_round(self, faction: Faction, answer: Answer | None) -> str:
        return "" if answer is None else self._written(self._round(faction), answer)

    def _written(self, ask: Ask, answer: Answer) -> str:
        return write_answer(ask, answer, self._language, self._view).removeprefix(prefix_of(ask))
