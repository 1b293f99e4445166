"""What a letter begins with: every kind of item on a drawn position, its words, and what is chosen of them.

`PBEM_GOLDEN=write` writes the words of briefings.toml anew: they are to be read by people.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from engine.games import GAMES
from engine.games import game as load_game
from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.facts.board import CountersTurnedUp, RoundSpent
from engine.games.first_world_war.facts.combat import AttackLaunched, CombatResolved
from engine.games.first_world_war.order_of_play import round_
from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.facts.battle import BattleBegan, BattleEnded, ShotsFired
from engine.games.to_the_last_man.facts.board import OwnerChanged
from engine.games.to_the_last_man.facts.force import FortReduced, UnitsLostSeen
from engine.games.to_the_last_man.facts.season import PlayerTurnEnded
from engine.games.to_the_last_man.order_of_play import player_turn
from engine.games.trench_club.facts.moves import AutomaChose, UnitMoved
from engine.kernel.briefing import BriefingItem
from engine.kernel.game import Language
from engine.kernel.requests import Fact, Segment
from pbem.letters.briefing import MOST_CLAUSES, MOST_FAILED, MOST_TOLD, _heaviest
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import ReadLine
from pbem.letters.result import Chapter, tell_chapters
from tests.letters.briefings import CASES, FWW, TRENCH, TTLM, Drawn, read, words_of

WORDS = Path(__file__).parent / "briefings.toml"
WRITES = os.environ.get("PBEM_GOLDEN") == "write"
KNOWN = tomllib.loads(WORDS.read_text("utf-8")) if WORDS.is_file() else {}
OURS = re.compile(r"\b(you|your|yours|vous|votre|vos)\b", re.IGNORECASE)
languages = pytest.mark.parametrize("language", LANGUAGES)


def words_told(case: Drawn) -> dict[str, str]:
    """The item's line and its clause of a headline, in both languages."""
    (item, *_) = [one for one in read(case).items() if one.kind == case.kind]
    found: dict[str, str] = {}
    for language in LANGUAGES:
        phrases = words_of(case.game, language)
        found[language] = phrases.say("briefing", item.kind, item.given)
        if phrases.has("headlines", item.kind):
            found[f"{language}-headline"] = phrases.say("headlines", item.kind, item.given)
    return found


# ------------------------------------------------------------------ every kind of item


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_item_is_told_in_these_words(case: Drawn) -> None:
    assert WRITES or words_told(case) == KNOWN[str(case)]


def test_the_words_are_those_of_the_table() -> None:
    if WRITES:
        rows = [
            f'["{case}"]\n'
            + "".join(
                f"{key} = {json.dumps(text, ensure_ascii=False)}\n" for key, text in words_told(case).items()
            )
            for case in CASES
        ]
        WORDS.write_text("# Read as a player would; see test_briefing.py.\n\n" + "\n".join(rows), "utf-8")
    assert list(KNOWN) == [str(case) for case in CASES] or WRITES


@pytest.mark.parametrize("game", GAMES)
def test_every_kind_has_a_drawn_position(game: str) -> None:
    for language in LANGUAGES:
        phrases = words_of(game, language)
        assert phrases.keys("briefing") == sorted({case.kind for case in CASES if case.game == game})
        assert set(phrases.keys("headlines")) <= set(phrases.keys("briefing"))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_items_are_told_without_gaps_and_in_typographic_french(case: Drawn) -> None:
    for language in LANGUAGES:
        briefing = read(case).words(language)
        for said in (briefing.headline, *(words for _, words in briefing.for_you)):
            assert said and "  " not in said and "None" not in said
            assert language == "en" or "'" not in said
        assert len(briefing.for_you) <= MOST_TOLD
        assert not case.seat or any(tone == "score" for tone, _ in briefing.for_you)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_observer_is_nobodys_side(case: Drawn) -> None:
    neutral = read(replace(case, seat=""))
    for language in LANGUAGES:
        briefing = neutral.words(language)
        said = [briefing.headline, *(words for _, words in briefing.for_you)]
        assert [] == [one for one in said if OURS.search(one)]
    assert {item.tone for item in neutral.items()} <= {"news", "score", "threat"}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_first_letter_tells_no_change(case: Drawn) -> None:
    """Without a view before and without facts there is only what stands."""
    drawn = read(replace(case, first=True, happens=lambda state: ()))
    assert drawn.facts == () and drawn.before is None
    assert {item.tone for item in drawn.items()} <= {"score", "threat", "chance", "news"}
    kinds = {item.kind for item in drawn.items()}
    assert not kinds & {
        "places-lost",
        "areas-lost",
        "forts-lost",
        "units-lost",
        "armies-lost",
        "lead-changed",
    }


# ------------------------------------------------------------------ what is chosen


def case_of(table: tuple[Drawn, ...], kind: str) -> Drawn:
    return next(case for case in table if case.kind == kind)


@pytest.mark.parametrize(
    ("table", "kind", "en", "fr"),
    [
        (FWW, "places-lost", "You lost Bruxelles and Calais", "Vous perdez Bruxelles et Calais"),
        (TTLM, "areas-taken", "You took Liège and the Ardennes", "Vous prenez Liège et les Ardennes"),
        (
            TRENCH,
            "forts-changed",
            "Germany took F8 and needs one more fort to win",
            "L’Allemagne prend F8 : plus qu’un fort avant sa victoire",
        ),
    ],
    ids=["fww", "ttlm", "trench"],
)
def test_the_headline_names_what_matters_to_the_reader(
    table: tuple[Drawn, ...], kind: str, en: str, fr: str
) -> None:
    for language, expected in zip(LANGUAGES, (en, fr), strict=True):
        headline = read(case_of(table, kind)).words(language).headline
        assert expected.lower() in headline.lower()
        assert len(re.split(" ?; ", headline)) <= MOST_CLAUSES


@pytest.mark.parametrize(
    ("table", "en", "fr"),
    [
        (FWW, "no place has changed hands", "aucun lieu n’a changé de mains"),
        (TTLM, "a quiet front", "front calme"),
        (TRENCH, "it is the turn of Germany; no fort has changed hands", "au tour de l’Allemagne"),
    ],
    ids=["fww", "ttlm", "trench"],
)
def test_a_quiet_day_says_who_moves(table: tuple[Drawn, ...], en: str, fr: str) -> None:
    seat = {"fww": "WA", "ttlm": "EN", "trench": "GB"}[table[0].game]
    quiet = replace(table[0], seat=seat, happens=lambda state: (), draw=lambda state: None)
    assert en in read(quiet).words("en").headline
    assert fr in read(quiet).words("fr").headline


@languages
def test_orders_that_failed_stand_first_with_the_reason(language: Language) -> None:
    rows = [
        ReadLine(1, "C1: PASS", "done"),
        ReadLine(2, "C2: ATTACK 3 WITH REAL", "refused", ("Nobody is there.",)),
        ReadLine(0, "", "held", ("A line could not be read.",)),
    ]
    told = read(case_of(FWW, "places-lost")).words(language, rows).for_you
    failed = {"en": "Your order C2: ATTACK 3 WITH REAL failed: Nobody is there.",
              "fr": "Votre ordre C2: ATTACK 3 WITH REAL a échoué : Nobody is there."}  # fmt: skip
    assert told[:2] == [("loss", failed[language]), ("loss", "A line could not be read.")]
    assert len(told) <= MOST_TOLD and any(tone == "score" for tone, _ in told)


@languages
def test_of_many_failed_orders_the_rest_is_counted(language: Language) -> None:
    rows = [ReadLine(n, f"PASS {n}", "refused", ("No.",)) for n in range(1, 7)]
    told = read(case_of(TTLM, "areas-lost")).words(language, rows).for_you
    losses = [words for tone, words in told if "PASS" in words]
    assert len(losses) == MOST_FAILED - 1 and told[MOST_FAILED - 1][1].count("4") == 1


# ------------------------------------------------------------------ the account


def account_of(game: str, language: Language, *chapters: tuple[Segment, list[Fact]]) -> list[str]:
    told = [Chapter(segment, tuple(facts)) for segment, facts in chapters]
    found = tell_chapters(load_game(game), told, None, words_of(game, language))
    return [line for title, lines in found for line in ((title, *lines) if title else lines)]


ATTACK: list[Fact] = [
    AttackLaunched("DE", 1, ("DE1",)),
    CountersTurnedUp("defence", ("FR1",), (1,)),
    CombatResolved(
        1, "DE", "WA", ("DE1",), ("FR1",), ("DE1", "FR1"), (3, 1), 1, ("2", "S"), (None, None), (0, 0),
        (6, 1), "attacker", "FR1",
    ),
]  # fmt: skip


def test_rounds_in_which_somebody_passed_share_a_line() -> None:
    who: tuple[Faction, ...] = ("WA", "EA", "WA")
    rounds: list[tuple[Segment, list[Fact]]] = [
        (round_(1, n), [RoundSpent(one, "pass")]) for n, one in zip((2, 3, 6), who, strict=True)
    ]
    expected = {
        "en": "The Eastern Allies pass in round 3; The Western Allies pass in rounds 2 and 6.",
        "fr": "Les Alliés orientaux passent au round 3 ; Les Alliés occidentaux passent aux rounds 2 et 6.",
    }
    for language in LANGUAGES:
        lines = account_of("fww", language, (round_(1, 1), ATTACK), *rounds)
        assert lines[-1] == expected[language] and len(lines) == 3


def test_a_battle_is_one_block_that_ends_with_its_outcome() -> None:
    block = account_of("fww", "en", (round_(1, 1), ATTACK))[1]
    assert block.startswith("Germany attacks on front 1 (Flanders) with DE1 (3).")
    assert block.endswith("Germany wins; FR1 is destroyed.")
    assert account_of("fww", "fr", (round_(1, 1), ATTACK))[1].endswith(
        "L’Allemagne l’emporte ; FR1 est détruite."
    )


def test_a_battle_that_goes_on_says_so() -> None:
    assert account_of("fww", "en", (round_(1, 1), ATTACK[:2]))[-1] == (
        "(The combat on front 1 (Flanders) goes on.)"
    )
    begun: list[Fact] = [BattleBegan("LIE", surprise=False)]
    assert account_of("ttlm", "en", (Segment("battle", "T1.1.LIE", ("LIE",)), begun))[-1] == (
        "(The battle of Liège goes on.)"
    )
    assert account_of("ttlm", "fr", (Segment("battle", "T1.1.LIE", ("LIE",)), begun))[-1] == (
        "(La bataille de Liège continue.)"
    )


def test_a_battle_ends_with_what_it_cost() -> None:
    lost = UnitsLostSeen("EN", (("FR.I", 1),), "LIE", "combat")
    shots = ShotsFired("GE", "LIE", "attack", "F1", (1, 1, 4), 2)
    facts: list[Fact] = [BattleBegan("LIE", surprise=False), shots, lost, lost]
    facts += [OwnerChanged("LIE", "GE"), BattleEnded("LIE", fought=True)]
    lines = account_of("ttlm", "en", (Segment("battle", "T1.1.LIE", ("LIE",)), facts))
    assert lines[2].endswith("2 hits. The Entente loses 1 French infantry in Liège (×2).")
    assert lines[-1] == "Germany takes Liège. Losses: Entente 2 French infantry."
    assert " ".join(lines).count("takes Liège") == 1, "told once"
    facts.insert(-1, OwnerChanged("NAM", "GE"))
    lines = account_of("ttlm", "en", (Segment("battle", "T1.1.LIE", ("LIE",)), facts))
    assert any("takes Namur" in line for line in lines)


def test_equal_losses_of_a_battle_that_was_begun_before_are_told_once() -> None:
    lost = UnitsLostSeen("EN", (("FR.I", 1),), "LIE", "combat")
    lines = account_of("ttlm", "en", (Segment("battle", "T1.1.LIE", ("LIE",)), [lost, lost]))
    assert lines[1:] == ["The Entente loses 1 French infantry in Liège (×2)."]


def test_a_fort_that_fell_is_no_battle_without_losses() -> None:
    facts: list[Fact] = [BattleBegan("LIE", surprise=False), FortReduced("EN", "LIE", -1, "combat")]
    segment = Segment("battle", "T1.1.LIE", ("LIE",))
    lines = account_of("ttlm", "en", (segment, [*facts, BattleEnded("LIE", fought=True)]))
    assert lines[-1] == "Nobody gives way in Liège. The fort has fallen."


def test_an_automas_reason_is_one_line_in_words() -> None:
    chose = AutomaChose("DE.INF1", "I.1", "", "B8", ("chance",))
    moved = UnitMoved("DE.INF1", "C8", ("C7", "B7"), 4)
    turn = Segment("turn", "R1.DE.T", (1, "DE"))
    lines = account_of("trench", "en", (turn, [chose, moved]))
    assert lines[1:] == [
        "DE.INF1 (infantry) wants to conquer a fort [I.1]: B8 (a die). "
        "DE.INF1 (infantry): C8 – C7 – B7 (2 points)."
    ]


def test_passes_of_player_turns_share_a_line() -> None:
    sides: tuple[Side, ...] = ("GE", "EN")
    ends: list[tuple[Segment, list[Fact]]] = [
        (player_turn(1, n, side), [PlayerTurnEnded(side, passed=True, passes=n)])
        for n, side in enumerate(sides, 1)
    ]
    assert account_of("ttlm", "en", *ends) == [
        "Germany passes (Player Turn 1); The Entente passes (Player Turn 2)."
    ]


def test_where_there_is_too_much_to_tell_threats_are_told() -> None:
    items = [BriefingItem(kind=str(n), tone="gain", weight=40 + n) for n in range(9)]
    score = BriefingItem(kind="points", tone="score", weight=20)
    danger = BriefingItem(kind="danger", tone="threat", weight=30)
    kinds = [one.kind for one in _heaviest([*reversed(items), danger, score], 8)]
    assert kinds == ["8", "7", "6", "5", "4", "3", "danger", "points"]


@languages
def test_a_letter_after_which_nothing_is_gained_or_lost_says_so_and_no_other(language: Language) -> None:
    drawn = read(next(case for case in CASES if str(case) == "ttlm-supply-missing-GE"))
    unchanged = ("news", words_of("ttlm", language).word("unchanged"))
    same = replace(drawn, before=drawn.view, facts=())
    assert same.words(language).for_you[0] == unchanged
    failed = (ReadLine(1, "BATTLE VER", "refused", ("why",)),)
    for other in (replace(same, before=None).words(language), same.words(language, failed)):
        assert unchanged not in other.for_you
    taken = read(next(case for case in CASES if str(case).startswith("ttlm-areas-taken")))
    assert unchanged not in taken.words(language).for_you
