"""In what two worlds differ, counted in their stores: nothing is counted that is not there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Table, select

from engine.kernel.journal import canonical
from pbem.store import schema, schema_mail
from pbem.store.session import reading
from tests.worlds.world import World


def _rows(world: World, table: Table, *columns: str) -> list[Any]:
    with reading(world.db) as tx:
        chosen = select(*(table.c[one] for one in columns))
        return sorted((tuple(row) for row in tx.execute(chosen)), key=repr)


def _of_others(world: World, table: Table, *columns: str) -> list[Any]:
    """Without what is the reader's own."""
    rows = _rows(world, table, "seat", *columns)
    return [row for row in rows if row[0] in world.others]


def _state(world: World) -> Mapping[str, Any]:
    state: Mapping[str, Any] = json.loads(canonical(world.begin.case.game.dump(world.taken_up().table.state)))
    return state


def _kinds(pieces: list[str]) -> list[str]:
    """An id is the kind of a counter or card and a number; the number is nobody's secret."""
    return sorted(piece.rpartition(".")[0] for piece in pieces)


# What a game hides, of its position as plain data.
OF_GAMES: Mapping[str, Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "fww": {
        "places of hidden pieces": lambda state: state["fronts"],
        "tiles in hands": lambda state: [state["hands"], state["cups"]],
    },
    "ttlm": {
        "what armies hold": lambda state: {army: _kinds(there) for army, there in state["contents"].items()},
        "sizes of armies": lambda state: {army: len(there) for army, there in state["contents"].items()},
        "cards in hands": lambda state: {side: _kinds(hand) for side, hand in state["hands"].items()},
        "sizes of hands": lambda state: {side: len(hand) for side, hand in state["hands"].items()},
        "the draw pile": lambda state: [card.partition(".")[0] for card in state["deck"]],
    },
    "trench": {
        "numbers of companies": lambda state: state["tokens"],
        "counters to be drawn": lambda state: state["counters"],
    },
}


def hidden_apart(game: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """In which of the game's own secrets two positions differ."""
    return [name for name, measure in OF_GAMES[game].items() if measure(one) != measure(other)]


def _answers(world: World) -> Any:
    lines = [json.loads(row[0]) for row in _rows(world, schema.journal, "raw")]
    given = [line for line in lines if line["k"] == "answer" and line["seat"] in world.others]
    return [[line["topic"], line["at"], line["answer"]] for line in given]


def _press(world: World) -> int:
    return [kind for _, kind in _of_others(world, schema_mail.outbox, "kind")].count("press")


MEASURES: Mapping[str, Callable[[World], Any]] = {
    "standing orders": lambda world: _of_others(world, schema_mail.standing_orders, "text"),
    "sheets on file, held ones among them": lambda world: _of_others(
        world, schema_mail.sheets, "whole", "held"
    ),
    "READY and WAIT": lambda world: _of_others(world, schema_mail.stances, "stance"),
    "number of letters written": lambda world: len(_of_others(world, schema_mail.inbox)),
    "times of letters": lambda world: _of_others(world, schema_mail.inbox, "arrived_at"),
    "number of letters got": lambda world: len(_of_others(world, schema_mail.outbox)),
    "press": _press,
    "languages": lambda world: _rows(world, schema.people, "name", "language"),
    "zones": lambda world: _rows(world, schema.people, "name", "zone"),
    "addresses": lambda world: _rows(world, schema.addresses, "address"),
    "days away": lambda world: _rows(world, schema.absences, "first_day", "last_day"),
    "time banks": lambda world: _of_others(world, schema.seats, "bank"),
    "words for the dice": lambda world: _of_others(world, schema_mail.marks, "salt"),
    "sealed answers": _answers,
}


def secrets_apart(one: World, other: World) -> list[str]:
    """The kinds of secrets in which these worlds differ now."""
    found = [name for name, measure in MEASURES.items() if measure(one) != measure(other)]
    return found + hidden_apart(one.begin.case.game.id, _state(one), _state(other))
