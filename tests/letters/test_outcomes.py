"""Every way a game may end has its words: who won, or that nobody did, and never a raw key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.games import GAMES, game
from engine.games.to_the_last_man.pack import load_pack
from engine.games.to_the_last_man.rules.victory import winners
from engine.kernel.game import GameSettings, Outcome
from engine.kernel.requests import Seat
from pbem.letters.final import score_rows
from pbem.letters.phrases import LANGUAGES, load_phrases
from tests.check.house import ROOT

ENDING = frozenset({"Outcome", "GameWon", "WarEnded", "GameEnded", "_won", "ended", "_outcome"})
RAW = re.compile(r"\b(level -?\d|VP|None|ALLIES|CENTRAL|central|entente|both-\w+|[A-Z]{2}_[A-Z]+)\b|[{}_|]")
NOBODY = {"en": ("Nobody", "Everybody has lost", "automa"), "fr": ("Personne", "Tous ont perdu", "automa")}


class Ended(NamedTuple):
    """A game, and an outcome that it may have."""

    game: str
    players: int
    outcome: Outcome


def outcomes() -> Iterator[Ended]:
    """Every reason with no winner, with one and with several, at every score that has words of its own."""
    for game_id in GAMES:
        one = game(game_id)
        for players in one.players:
            seats = one.seats(GameSettings(players=players))
            groups = [(), *((seat,) for seat in seats), *combinations(seats, 2)]
            for reason in one.retrospect.reasons:
                if game_id == "ttlm":
                    yield from (Ended(game_id, players, outcome) for outcome in _at_every_level(reason))
                    continue
                for chosen in groups:
                    for scores in ({}, {"WA": 6, "EA": 7, "ALLIES": 13, "CENTRAL": 11, "treaty": 2}):
                        yield Ended(game_id, players, Outcome(chosen, reason, scores))


def _at_every_level(reason: str) -> Iterator[Outcome]:
    """The winners of To the Last Man! are those of the level; both of a Stalemate."""
    for level in load_pack().levels:
        points = level.max if level.rank < 0 else level.min
        seats = tuple(Seat(side) for side in winners(level))
        yield Outcome(seats, reason, {"VP": points, "level": level.rank})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_outcome_is_told_in_words(language: Any) -> None:
    told = 0
    for ended in outcomes():
        phrases = load_phrases(ended.game, language, game(ended.game).load_pack())
        how, verdict = phrases.outcome(ended.outcome), phrases.verdict(ended.outcome)
        where = (ended, how, verdict)
        assert how and how != ended.outcome.reason and not RAW.search(how), where
        assert verdict.endswith(".") and verdict[0].isupper() and not RAW.search(verdict), where
        if not ended.outcome.winners:
            assert any(word in verdict for word in NOBODY[language]), where
        told += 1
    assert told > 100


def _starts_with_nobody(verdict: str, language: Any) -> bool:
    return verdict.startswith(NOBODY[language][0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_winner_is_named_and_a_stalemate_has_none(language: Any) -> None:
    for ended in outcomes():
        phrases, outcome = load_phrases(ended.game, language, game(ended.game).load_pack()), ended.outcome
        shared = ended.game == "ttlm" and len(outcome.winners) == 2
        assert not shared or _starts_with_nobody(phrases.verdict(outcome), language)
        lost = outcome.reason == "both-surrender"
        verdict = phrases.verdict(outcome)
        for seat in outcome.winners[:1] if ended.game == "fww" else outcome.winners:
            named = phrases.say("final", "seat", {"id": seat})
            assert (named in verdict) is not (shared or lost), (ended, verdict)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_the_score_is_told_with_its_meaning(game_id: str, language: Any) -> None:
    one = game(game_id)
    pack = one.load_pack()
    phrases = load_phrases(game_id, language, pack)
    state, _ = one.set_up(pack, GameSettings(players=one.players[-1], scenario=one.scenarios[0]))
    view = one.view(state, Seat(""))
    for ended in outcomes():
        if ended.game == game_id:
            rows = score_rows(one, view, ended.outcome, phrases)
            assert len(rows) >= 3 and all(len(row) == 2 and all(row) for row in rows), rows
            assert not RAW.search(" ".join(map(" ".join, rows))), rows


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_game_names_all_reasons_that_its_rules_give(game_id: str) -> None:
    one = game(game_id)
    folder = Path(GAMES[game_id].rpartition(".")[0].replace(".", "/"))
    given = {reason for path in (ROOT / folder).rglob("*.py") for reason in _reasons(path)}
    assert given | {"armistice"} == set(one.retrospect.reasons)


def _reasons(path: Path) -> Iterator[str]:
    """Words that the module gives to whatever ends a game."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ENDING:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_special_force_that_was_drawn_unseen_is_named(language: Any) -> None:
    pack = game("trench").load_pack()
    phrases = load_phrases("trench", language, pack)
    for kind in pack.types:
        told = phrases.say("final", "draw", {"segment": "R4.DE.M", "who": "DE", "items": (kind,)})
        assert pack.types[kind].names[language].lower() in told.lower()
