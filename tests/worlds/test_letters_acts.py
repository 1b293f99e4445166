"""Two worlds of letters in which seats change hands and the game goes back; and those of Trench Club.

In every game some at each change, with the other letters; more by `make long` and `python -m tests.worlds`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.conformance.worlds import Leak
from tests.pictures import with_drawings, without_maps
from tests.worlds.beginnings import beginning, nothing
from tests.worlds.leaks_acts import PLANTED_ACTS, PlantedAct
from tests.worlds.pair import LEAST_SECRETS, Pair
from tests.worlds.running import run_pairs

FEW, PAIRS = 20, int(os.environ.get("PBEM_WORLDS", "200"))
MOST_TRIES = 6
GAMES = ("fww", "ttlm", "trench")
WAYS = {  # what must have become of some letters, whoever wrote them
    "applied filed",
    "held sheet",
    "held serious",
    "held held",
    "held doubt",
    "edited applied filed",
    "shunted shunted ZeroDivisionError",
    "refused out-of-turn",
}


@pytest.mark.parametrize("pairs", [FEW, pytest.param(PAIRS, marks=pytest.mark.long)])
def test_letters_of_trench_club_are_the_same_byte_for_byte(pairs: int, tmp_path: Path) -> None:
    told = run_pairs(pairs, tmp_path, game="trench", pictures=without_maps if pairs == FEW else with_drawings)
    assert told.letters.total() >= pairs and told.secrets >= LEAST_SECRETS
    assert {"result", "answer", "invitation"} <= set(told.letters), told


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_act_is_done_and_tells_nothing(game: str, tmp_path: Path) -> None:
    told = run_pairs(2 * PAIRS, tmp_path, first=1000, game=game)
    own = {"fww": {"resign"}, "ttlm": {"resign in secret"}, "trench": {"resign in secret", "handover"}}
    everywhere = {"replace", "rollback", "agreed rollback", "proposal", "succession", "second thoughts"}
    limits = {"press above the limit", "answers above the limit"}
    assert everywhere | limits | own[game] <= set(told.acts), told.acts
    assert WAYS <= set(told.heard), told.heard


CASES = [pytest.param(one, id=one.name, marks=[pytest.mark.long] if one.long else []) for one in PLANTED_ACTS]


@pytest.mark.parametrize("planted", CASES)
def test_a_planted_leak_is_caught(
    planted: PlantedAct, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_maps(monkeypatch)
    planted.plant(monkeypatch)
    for seed in range(planted.seed, planted.seed + MOST_TRIES):
        aim = nothing if planted.game == "trench" else None
        begin = beginning(seed, planted.tempo, aim, planted.players, planted.game)
        share = 1.0 if planted.act else 0.0
        pair = Pair(
            begin,
            tmp_path,
            windows=2,
            writes=1,
            letters=planted.letters,
            acts=share,
            act=planted.act,
            aside=planted.aside,
        )
        try:
            pair.run()
        except Leak as leak:
            assert re.search(planted.channel, str(leak))
            return
    pytest.fail(f"not caught in {MOST_TRIES} pairs of worlds")
