"""Drawn positions: what can be is accepted, what cannot is refused by name, every key is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from engine.games import GAMES
from engine.games.first_world_war.rules import position as fww
from engine.games.to_the_last_man.rules import position as ttlm
from engine.games.trench_club.rules import position as trench
from engine.kernel.fairness.dice import TestDice
from engine.kernel.requests import Segment
from engine.kernel.table import Table
from pbem.campaigns.bots import bind_bots, default_bot
from pbem.campaigns.terms import Terms, agree_terms
from pbem.errors import BadInput
from pbem.local.case import Case, ForcedDicePart, UntilPart

Given = dict[str, Any]
KEYS: Mapping[str, Mapping[str, str]] = {"fww": fww.KEYS, "ttlm": ttlm.KEYS, "trench": trench.KEYS}
HEADS = {"fww": "The First World War", "ttlm": "To the Last Man!", "trench": "Trench Club"}
PLAYERS = {"fww": 4, "ttlm": 2, "trench": 4}
DOCS = (Path(__file__).parents[2] / "docs" / "umpires.md").read_text("utf-8")
SEGMENTS = 40  # of a simulated game


def terms(game: str) -> Terms:
    return agree_terms(game, players=PLAYERS[game])


def draw(game: str, given: Given) -> tuple[Any, Segment]:
    return Case(game=game, players=PLAYERS[game], position=given).set_up(Path("case.toml"), terms(game))


# ------------------------------------------------------------------ every key is told


def rows(head: str) -> set[str]:
    """The keys in the first column of the table below these words."""
    table = DOCS.partition(head)[2].partition("\n|---")[2].partition("\n\n")[0]
    return {key for row in table.splitlines()[1:] for key in re.findall(r"`([a-z_.]+)`", row.split("|")[1])}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_documentation_lists_exactly_the_keys_of_a_position(game: str) -> None:
    assert rows(f"Positions of **{HEADS[game]}**") == set(KEYS[game])


def test_the_documentation_lists_exactly_the_keys_of_a_case() -> None:
    parts: dict[str, type[BaseModel]] = {"dice": ForcedDicePart, "until": UntilPart}
    inner = {f"{name}.{key}" for name, part in parts.items() for key in part.model_fields}
    assert rows("Keys of a case:") == (set(Case.model_fields) - set(parts)) | inner


# ------------------------------------------------------------------ what cannot be


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_value_of_another_kind_is_refused_with_its_key(game: str) -> None:
    wrong: Mapping[str, tuple[Any, ...]] = {
        "number": ("x", True, 1.5, [], {}),
        "word": (7, True, [], {}),
        "number or word": (1.5, [], {}),
        "switch": ("yes", 1, [], {}),
        "list": (7, True, {}, [[]], [7]),
        "table": ("x", 7, [], True),
    }
    for key, kind in KEYS[game].items():
        for value in wrong["table" if kind.startswith("table") else kind]:
            with pytest.raises(BadInput, match=rf"\[position\] {key}: a "):
                draw(game, {key: value})


def impossible_fww() -> Iterator[tuple[Given, str]]:
    pack = terms("fww").pack
    for army, nation in pack.nationality_of.items():
        for front, listed in pack.permitted.items():
            if nation not in listed:
                yield {"turn": 6, "fronts": {str(front): army}}, f"{army} may not stand on front {front}"
    for place in pack.locations:
        front = pack.front_of[place]
        for faction in set(pack.factions) - set(pack.fighter[front].values()):
            yield {"control": {place: faction}}, f"{faction} cannot hold {place}"
    yield {"turn": 3, "track": {"2": "DE12"}}, "the armies of turn 2 have come"
    yield {"surrender": {"EA": [7, 7]}}, "more than one surrender point"


def impossible_ttlm() -> Iterator[tuple[Given, str]]:
    pack = terms("ttlm").pack
    armies = [army for army in pack.armies if army.startswith("GE")][: pack.meta.stacking_limit + 1]
    for area in sorted(set(pack.areas) - {"ENG", "BOX"})[::7]:
        four = {army: {"at": area, "units": "I"} for army in armies}
        if pack.areas[area]:
            yield {"clear": True, "owner": {area: "GE"}, "armies": four}, f"4 pieces of GE in {area}"
    yield {"clear": True, "owner": {"LIE": "EN"}, "loose": {"LIE": ["GE I"]}}, "GE alone holds LIE"
    yield {"clear": True, "armies": {"GE1": {"at": "AAC", "units": "9I"}}, "owner": {"AAC": "GE"}}, "slots"
    yield {"passes": 3, "clear": True}, "3 passes"
    yield {"turn": 5}, "has come by then"  # of the scenario's armies some are nowhere


def impossible_trench() -> Iterator[tuple[Given, str]]:
    pack = terms("trench").pack
    for damage in range(pack.dice.destroyed_at, 10):
        yield {"units": [f"DE.CAR1@D4 d{damage}"]}, f"DE.CAR1 has {damage} damage"
    for xp in range(pack.experience.most + 1, 10):
        yield {"units": [f"DE.CAR1@D4 x{xp}"]}, f"DE.CAR1 has {xp} experience"
    for owner in ("GB", "FR", ""):
        yield {"units": ["DE.INF1@fort:B2"], "forts": {"B2": owner}}, "DE.INF1 is in a fort not its own"
    yield {"units": ["DE.INF1@fort:D4"]}, "there is no fort on D4"
    yield {"units": ["DE.INF1@D4", "GB.INF1@D4"]}, "D4 is taken by DE.INF1"
    yield {"units": ["DE.INF1@D4"], "mines": {"B2": "DE"}}, "a mine lies on B2"


IMPOSSIBLE: Mapping[str, Callable[[], Iterator[tuple[Given, str]]]] = {
    "fww": impossible_fww,
    "ttlm": impossible_ttlm,
    "trench": impossible_trench,
}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_what_cannot_be_is_refused_with_what_is_wrong(game: str) -> None:
    tried = 0
    for given, why in IMPOSSIBLE[game]():
        with pytest.raises(BadInput, match=re.escape(why)):
            draw(game, given)
        tried += 1
    assert tried >= 8


# ------------------------------------------------------------------ what was played


class Watched(Table):
    """A table that remembers every position between two segments."""

    seen: list[tuple[Any, Segment]]

    def _begin_segment(self, segment: Segment) -> None:
        state = self.game.load(self.pack, self.game.dump(self.state))
        self.seen.append((state, segment))
        if len(self.seen) > SEGMENTS:
            raise StopIteration
        super()._begin_segment(segment)


def played(game: str, seed: str) -> list[tuple[Any, Segment]]:
    agreed = terms(game)
    table = Watched.start(agreed.game, agreed.pack, agreed.settings, TestDice(seed))
    table.seen = []
    bots = dict.fromkeys(agreed.seats, default_bot(agreed.game))
    table.automa = bind_bots(agreed.game, bots, seed.encode(), 1)
    with pytest.raises(StopIteration):
        table.advance()
    return table.seen


def fww_position(state: Any, segment: Segment) -> Given | None:
    phases = {"deployment": "deploy", "round": "rounds", "victory": "victory", "replacement": "replace"}
    if segment.name not in phases:
        return None
    place: Given = {"phase": phases[segment.name]}
    if segment.name == "deployment":
        place["faction"] = state.deploy_order[int(segment.args[1]) - 1]
    elif segment.name == "round":
        place["round"] = segment.args[1]
    lists = ("fronts", "waiting", "pool", "hands", "cups", "surrender", "attacked")
    given = {key: {str(name): list(row) for name, row in getattr(state, key).items()} for key in lists}
    later = {str(turn): list(row) for turn, row in state.track.items() if row}
    plain = {"turn": segment.args[0]} | {
        key: getattr(state, key) for key in ("control", "vp", "treaty", "won")
    }
    more = {key: list(getattr(state, key)) for key in ("returning", "face_up", "tiles_out")}
    return {**place, **given, "track": later, **plain, **more}


def ttlm_position(state: Any, segment: Segment) -> Given | None:
    if segment.name != "player_turn":
        return None
    pack = state.pack

    def units(counters: list[str]) -> str:
        return " ".join(f"{pack.nation_of[unit]} {pack.type_of[unit]}" for unit in counters)

    armies = {
        army: {"at": at, "units": units(state.contents[army]), "entrenched": army in state.entrenched}
        for army, at in state.army_at.items()
    }
    loose = {
        area: [units([unit]) + (" entrenched" if unit in state.entrenched else "") for unit in there]
        for area, there in state.loose.items()
    }
    turn, number, side = segment.args
    place = {"turn": turn, "number": number, "phasing": side, "passes": state.passes, "clear": True}
    away = {"eliminated": list(state.eliminated), "dissolved": list(state.dissolved)}
    return {
        **place,
        "owner": dict(state.owner),
        "forts": dict(state.forts),
        "armies": armies,
        "loose": loose,
        **away,
    }


def trench_position(state: Any, segment: Segment) -> Given | None:
    if segment.name != "turn":
        return None
    units = [
        " ".join(filter(None, (f"{u.id}@{u.at}", f"d{u.damage}", f"x{u.xp}", u.company)))
        for u in state.units.values()
    ]
    place = {"round": segment.args[0], "active": segment.args[1], "order": list(state.order)}
    board = {key: dict(getattr(state, key)) for key in ("forts", "mines", "built", "money")}
    return {**place, "units": units, **board}


REACHED = {"fww": fww_position, "ttlm": ttlm_position, "trench": trench_position}
SAME = {
    "fww": ("fronts", "waiting", "pool", "track", "returning", "gone", "hands", "cups", "control", "vp"),
    "ttlm": ("owner", "forts", "army_at", "contents", "loose", "entrenched", "eliminated"),
    "trench": ("units", "on", "forts", "mines", "built", "money"),
}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_position_that_was_played_can_be_drawn(game: str) -> None:
    """Drawn, it is the same position and the same segment comes next."""
    drawn = 0
    for state, segment in played(game, "positions"):
        if (given := REACHED[game](state, segment)) is None:
            continue
        again, following = draw(game, given)
        assert following == segment
        for part in SAME[game]:
            assert _plain(getattr(again, part), game) == _plain(getattr(state, part), game), part
        drawn += 1
    assert drawn >= 5


def _plain(value: Any, game: str) -> Any:
    """Counters of one kind are alike in To the Last Man!, whatever their number."""
    if isinstance(value, Mapping):
        return {key: _plain(row, game) for key, row in value.items() if row or row == 0}
    if game == "ttlm" and isinstance(value, list):
        return sorted(re.sub(r"\.\d+$", "", one) for one in value)
    return value
