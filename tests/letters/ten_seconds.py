"""The ten-second test: do the first 1,200 pixels of a result letter answer the five questions of a reader?

    python -m tests.letters.ten_seconds FOLDER --seed HASH

draws 30 result letters of games that bots play, ten a game, of all paces and in both languages, and writes
the first screen of each on a telephone as a picture. Somebody who sees nothing but a picture answers; then
`answers.json` says what is true. That is told from the positions, not from what the letters say.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any, get_args

from engine.games.first_world_war.rules import lines, victory
from engine.games.trench_club.rules.victory import TEAMS, forts_of_team, forts_to_win
from engine.games.trench_club.summary import before_entrances
from engine.kernel.game import Tempo
from pbem.letters.dates import LONG, Moment, moment_words
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import LetterBody
from pbem.letters.result import result_letter
from tests.chromium import Chromium
from tests.letters.gallery import GAMES, page_of
from tests.letters.played import Played, draw_wanted, play

LETTERS = 10  # a game
WIDTH, HEIGHT = 390, 1200
QUESTIONS = ("changed", "standing", "threats", "asked", "until")


def drawn(seed: str, number: int = LETTERS) -> Iterator[tuple[str, Played]]:
    """So many letters of each game, each with its name."""
    for game in GAMES:
        paces = cycle([(tempo, language) for language in LANGUAGES for tempo in get_args(Tempo)])
        for place, (tempo, language) in enumerate(islice(paces, number), start=1):
            rng = Random(f"{seed} {game} {place}")
            wanted = draw_wanted(game, tempo, language, rng)
            yield f"{game}-{place:02}", play(wanted, rng)


def written(played: Played) -> LetterBody:
    return result_letter(played.terms.game, played.result, played.phrases)


# ------------------------------------------------------------------ what is true


def facts_of(played: Played) -> dict[str, Any]:
    """The five answers, from the positions before and after."""
    result = played.result
    seen = SEEN[played.wanted.game](result.own_before, result.view)
    topics = list(dict.fromkeys(ask.topic for ask in result.asks))
    until = Moment(result.deadline, result.zone) if result.deadline else None
    return {
        "reader": str(result.view.seat),
        "pace": played.wanted.tempo,
        **seen,
        "asked": {"window": result.window, "questions": topics} if result.window else "nothing",
        "until": "" if until is None else moment_words(until, played.wanted.language, LONG),
    }


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    keys = dict.fromkeys((*old, *new))
    return {key: f"{old.get(key)} > {new.get(key)}" for key in keys if old.get(key) != new.get(key)}


def _fww(before: Any, view: Any) -> dict[str, Any]:
    own, enemy_of = view.factions, view.pack.enemy_of
    sides = {view.pack.alliance_of[faction] for faction in own}
    bases = [
        front
        for front, fighters in view.pack.fighter.items()
        for side, faction in fighters.items()
        if faction in own and lines.is_base_reachable(view, enemy_of[side], front)
    ]
    centres = [
        spot
        for faction in own
        for spot in view.pack.replacement.centres[faction]
        if view.control[spot] == faction
        and spot
        in lines.available_locations(view, enemy_of[view.pack.alliance_of[faction]], view.pack.front_of[spot])
    ]
    ahead = victory.alliance_ahead(view)
    held = {side: victory.fronts_held(view, side) for side in victory.ALLIANCES}
    return {
        "changed": {
            "places": _changes(before.control, view.control),
            "own armies lost": [a for f in own for a in view.pool[f] if a not in before.pool[f]],
            "vp": _changes(before.vp, view.vp),
            "surrender points": _changes(before.surrender, view.surrender),
        },
        "standing": {
            "vp": {faction: view.vp[faction] for faction in own},
            "sums": {side: victory.alliance_score(view, side) for side in victory.ALLIANCES},
            "would win": victory.faction_ahead(view, ahead),
            "turn": view.turn,
        },
        "threats": {
            "bases within reach": bases,
            "centres within reach": centres,
            "surrender points of own side": {
                f: p for f, p in view.surrender.items() if p and view.pack.alliance_of[f] in sides
            },
            "whole fronts held": {side: number for side, number in held.items() if number >= 5},
            "hands": {f: len(view.hands[f]) for f in own if len(view.hands[f]) >= 3},
        },
    }


def _ttlm(before: Any, view: Any) -> dict[str, Any]:
    own, side_of = view.side, view.pack.side_of
    occupied = {area for army, area in view.army_at.items() if side_of[army] == own}
    occupied |= {area for area, sides in view.loose.items() if own in sides}
    return {
        "changed": {
            "owner": _changes(before.owner, view.owner),
            "status": _changes(before.status, view.status),
            "armies gone": [one for one in view.eliminated if one not in before.eliminated],
            "forts": _changes(before.forts, view.forts),
            "vp": f"{before.victory.total} > {view.victory.total}",
        },
        "standing": {
            "vp": view.victory.total,
            "level": view.victory.level,
            "levels": [(one.id, one.min, one.max) for one in view.pack.levels],
        },
        "threats": {
            "cut off": [area for area in view.pack.areas if area in occupied - view.supplied],
            "weak forts": {
                area: strength
                for area, strength in view.forts.items()
                if view.pack.fort_side[area] == own and strength <= 2 and view.status[area] == "disputed"
            },
            "battles": [area for area in view.battles if area not in view.fought],
            "hand": [len(view.hand), view.pack.turns[view.turn].hand[own]],
        },
    }


def _trench(before: Any, view: Any) -> dict[str, Any]:
    then, now, camp = before.position, view.position, view.camp
    team_of, limit = now.pack.team_of, now.pack.dice.destroyed_at
    damage = [{unit.id: unit.damage for unit in one.of_camp(camp)} for one in (then, now)]
    forts = {team: forts_of_team(now, team) for team in TEAMS}
    return {
        "changed": {
            "forts": _changes(then.forts, now.forts),
            "own units": _changes(*damage),
            "others gone": sorted(set(then.units) - set(now.units) - set(damage[0])),
            "money": f"{then.money[camp]} > {now.money[camp]}",
        },
        "standing": {"own team": team_of[camp], "forts": forts, "needed": forts_to_win(now)},
        "threats": {
            "one fort short": [team for team in TEAMS if forts_to_win(now) - forts[team] == 1],
            "forts in reach of the enemy": [
                (one.fort, one.by)
                for one in before_entrances(now)
                if one.owner == camp and team_of[now.camp(one.by)] != team_of[camp]
            ],
            "damage left": {unit: limit - hit for unit, hit in damage[1].items() if limit - hit <= 2},
            "no income": not now.forts_of(camp),
            "rounds left": (now.options["round_limit"] or 99) - now.round,
        },
    }


SEEN = {"fww": _fww, "ttlm": _ttlm, "trench": _trench}


# ------------------------------------------------------------------ the command


def main() -> None:
    about = argparse.ArgumentParser(prog="ten_seconds", description="First screens of result letters.")
    about.add_argument("folder", type=Path)
    about.add_argument("--seed", required=True, help="a commit's hash")
    about.add_argument("--letters", type=int, default=LETTERS, help="a game")
    told = about.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    answers = {}
    with Chromium() as browser:
        for name, played in drawn(told.seed, told.letters):
            browser.show(page_of(written(played)), WIDTH)
            browser.picture(told.folder / f"{name}.png", HEIGHT)
            answers[name] = facts_of(played)
            print(name, flush=True)
    text = json.dumps(answers, indent=1, ensure_ascii=False, default=list)
    (told.folder / "answers.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
