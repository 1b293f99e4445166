"""The order language of The First World War, English and French mixed at will (decisions.md §2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.games.first_world_war.answers import Alliance, Attack
from engine.games.first_world_war.notation.known import round_question
from engine.games.first_world_war.notation.lexicon import Cursor, Lexicon, lexicon
from engine.games.first_world_war.notation.lines import CancelLine, OptionsLine, OrderLine, joined
from engine.games.first_world_war.notation.orders import AttackOrder
from engine.games.first_world_war.notation.preferences import (
    LeadPreference,
    TakePreference,
    TilePreference,
    read_leaders,
    read_takes,
    read_tiles,
)
from engine.games.first_world_war.notation.reader import Reader
from engine.games.first_world_war.notation.words import EXPECTED, REASONS, SCANNER
from engine.games.first_world_war.notation.writer import write_answer
from engine.games.first_world_war.view import View
from engine.kernel.game import Language, Line, Notation, Reading, Said, if_offered
from engine.kernel.requests import Answer, Ask
from engine.notation.cursor import END
from engine.notation.reasons import Misread

__all__ = ["EXPECTED", "NOTATION", "REASONS", "CancelLine", "OptionsLine", "OrderLine"]


class OrderLanguage(Notation):
    """What the kernel and the service need of it."""

    joint_topics = frozenset({"any_time", "combat.defence_tile", "deploy", "replace"})
    counted_topics = frozenset({"deploy"})  # DEPLOY D > 3 twice sends two dummies
    chained_topics = frozenset({"round.action"})

    def read(self, text: str, view: View) -> Reading:
        return Reader(text, view).reading()

    def preference(self, text: str, ask: Ask, view: View) -> Said | None:
        """The LEAD, TILE or TAKE of an attack, resolved; None leaves the choice to what else is on file."""
        alliance = view.pack.alliance_of[ask.given.faction]
        wish = _read_wish(text, ask.topic, lexicon(view.pack), alliance)
        return None if wish is None else if_offered(ask, wish.choose(ask, view))

    def write_answer(
        self, ask: Ask, answer: Answer, language: Language = "en", view: View | None = None
    ) -> str:
        return write_answer(ask, answer, language, view)

    def join(self, ask: Ask, lines: Sequence[Line], view: View) -> Said | None:
        """What several lines say together where each gives a part of the answer."""
        return joined(ask, lines, view)


@lru_cache(maxsize=4096)
def _read_wish(
    text: str, topic: str, known: Lexicon, alliance: Alliance
) -> TilePreference | LeadPreference | TakePreference | None:
    try:
        cursor = Cursor(SCANNER.tokens(text), known, alliance)
        wish: TilePreference | LeadPreference | TakePreference
        if topic.endswith("_tile"):
            wish = read_tiles(cursor, "either")
        elif topic.endswith("_leader"):
            wish = read_leaders(cursor, "either")
        else:
            wish = read_takes(cursor)
    except Misread:
        return None
    return wish if cursor.seen == END else None


NOTATION = OrderLanguage()


def read_attack(text: str, view: View) -> Attack | None:
    """ODDS: the attack that a text means, if its seat could order it on the board as it sees it."""
    reading = NOTATION.read(text, view)
    for line in reading.orders[:1]:
        if not reading.refusals and isinstance(line, OrderLine) and isinstance(line.order, AttackOrder):
            question = round_question(view, line.faction, 1)
            said = if_offered(question, line.order.attempt(question, view, line.faction))
            attack: Attack | None = None if said is None else said.value
            return attack
    return None
