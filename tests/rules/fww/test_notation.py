"""decisions §2: reading the order language, both languages, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games.first_world_war.notation import EXPECTED, NOTATION, REASONS, CancelLine, OptionsLine
from engine.kernel.errors import Ambiguous, Illegal, Unreadable
from tests.rules.fww.desk import line, read, refusal, view_of

# What is written, in English and in French, and both canonical forms.
TABLE = [
    (
        "attack 1 with DE1 DE2 lead DE1 tile BigBertha take Bruxelles",
        "Attaque Flandres avec DE-1, DE-2 mène DE1 tuile Grosse Bertha prend Brussels",
        "C1: ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE BIGBERTHA TAKE BRUXELLES",
        "C1: ATTAQUE 1 AVEC DE1 DE2 MENE DE1 TUILE GROSSEBERTHA PREND BRUXELLES",
    ),
    ("ATTACK 3", "ATTAQUE VERDUN", "C1: ATTACK 3", "C1: ATTAQUE 3"),
    (
        "ATTACK 3 TAKE NONE WITH ALL",
        "ATTAQUE 3 PREND AUCUN AVEC TOUT",
        "C1: ATTACK 3 WITH ALL TAKE NONE",
        "C1: ATTAQUE 3 AVEC TOUTES PREND AUCUNE",
    ),
    (
        "ATTACK 3 TAKE ASK METZ",
        "ATTAQUE 3 PREND DEMANDE METZ",
        "C1: ATTACK 3 TAKE ASK METZ",
        "C1: ATTAQUE 3 PREND DEMANDE METZ",
    ),
    (
        "MOVE 2: DE3 D > 1; DE4 > 3",
        "BOUGE Somme : DE3 D → 1 ; DE4 ⇒ 3",
        "C1: MOVE 2: DE3 D > 1; DE4 > 3",
        "C1: MOUVEMENT 2: DE3 D > 1; DE4 > 3",
    ),
    ("MOVE 2 REAL > 1", "DEPLACE 2 VRAIES -> 1", "C1: MOVE 2: REAL > 1", "C1: MOUVEMENT 2: VRAIES > 1"),
    (
        "TRANSFER 1 > 8: DE2 D",
        "TRANSFERE 1 > Pologne : DE2, 1D",
        "C1: TRANSFER 1 > 8: DE2 D",
        "C1: TRANSFERT 1 > 8: DE2 D",
    ),
    ("PASS", "Passe.", "C1: PASS", "C1: PASSE"),
    (
        "DEPLOY DE9 > 1, DE-S 2D > 3 HOLD DE10",
        "DEPLOIEMENT DE9 > 1, DES 2 D > 3 GARDE DE10",
        "DEPLOY DE9 > 1, DE-S 2D > 3 HOLD DE10",
        "DEPLOIE DE9 > 1, DE-S 2D > 3 GARDE DE10",
    ),
    ("DEPLOY HOLD ALL", "DEPLOIE GARDE TOUTES", "DEPLOY HOLD ALL", "DEPLOIE GARDE TOUTES"),
    (
        "DEFEND 3: TILE MACHINEGUNS LEAD STRONGEST",
        "DEFENSE 3 : MENE PLUSFORTE TUILE MITRAILLEUSES",
        "DEFEND 3: TILE MACHINEGUNS LEAD STRONGEST",
        "DEFENDS 3: TUILE MITRAILLEUSES MENE PLUSFORTE",
    ),
    (
        "DEFEND ALL: LEAD WEAKEST",
        "DEFEND TOUT: MENE PLUSFAIBLE",
        "DEFEND ALL: LEAD WEAKEST",
        "DEFENDS TOUT: MENE PLUSFAIBLE",
    ),
    ("DEFEND 3: ASK", "DEFENDS 3: DEMANDE", "DEFEND 3: ASK", "DEFENDS 3: DEMANDE"),
    (
        "ATTACKTILE ALL: BEST IF ENEMYTILE ELSE NONE",
        "TUILEATTAQUE TOUT: MEILLEURE SI TUILEENNEMIE SINON AUCUNE",
        "ATTACKTILE ALL: BEST IF ENEMYTILE ELSE NONE",
        "TUILEATTAQUE TOUT: MEILLEURE SI TUILEENNEMIE SINON AUCUNE",
    ),
    (
        "DRAW YES DROP FALSEREPORTS ZERO",
        "PIOCHE OUI RENDS FAUX RAPPORTS, ZÉRO",
        "DRAW YES DROP FALSEREPORTS ZERO",
        "PIOCHE OUI RENDS FAUXRAPPORTS ZERO",
    ),
    ("DRAW FREE", "PIOCHE LIBRE", "DRAW FREE", "PIOCHE LIBRE"),
    ("RETURN BIGBERTHA", "REMETS C02", "RETURN BIGBERTHA", "REMETS GROSSEBERTHA"),
    ("RETURN UNUSABLE", "REMETS INUTILES", "RETURN UNUSABLE", "REMETS INUTILES"),
    (
        "OCCUPY 1: BRUSSELS CALAIS",
        "OCCUPE 1 : BRUXELLES CALAIS",
        "OCCUPY 1: BRUXELLES CALAIS",
        "OCCUPE 1: BRUXELLES CALAIS",
    ),
    ("REPLACE DE1 DE8 DE-AA", "REMPLACE DE1 DE8 DEAA", "REPLACE DE1 DE8 DE-AA", "REMPLACE DE1 DE8 DE-AA"),
    ("REPLACE DE1 NONE", "REMPLACE DE1 AUCUNE", "REPLACE DE1 NONE", "REMPLACE DE1 AUCUNE"),
    (
        "ASK REPLACE MEF OR",
        "DEMANDE REMPLACE MEF OR",
        "ASK REPLACE BR-MEF FR-OR",
        "DEMANDE REMPLACE BR-MEF FR-OR",
    ),
    ("GRANT MEF IF SPARE", "ACCORDE MEF SI RESTE", "GRANT BR-MEF IF SPARE", "ACCORDE BR-MEF SI RESTE"),
    ("DENY ALL", "REFUSE TOUTES", "DENY ALL", "REFUSE TOUTES"),
    ("RECALL DE4 9 > 3", "RAPPEL DE4 Galicie > Verdun", "RECALL DE4 9 > 3", "RAPPEL DE4 9 > 3"),
    ("C3: AGREE RECALL", "C3 : ACCEPTE RAPPEL", "C3: AGREE RECALL", "C3: ACCEPTE RAPPEL"),
    ("AGREE RECALL DE4", "ACCEPTE RAPPEL DE4", "C1: AGREE RECALL DE4", "C1: ACCEPTE RAPPEL DE4"),
    ("REFUSE RECALL DE4", "REFUSE RAPPEL DE4", "REFUSE RECALL DE4", "REFUSE RAPPEL DE4"),
    (
        "TREATY OFFER IF TURN >= 4",
        "TRAITÉ PROPOSE SI TOUR >= 4",
        "TREATY OFFER IF TURN >= 4",
        "TRAITE PROPOSE SI TOUR >= 4",
    ),
    ("TREATY ACCEPT", "TRAITE ACCEPTE", "TREATY ACCEPT", "TRAITE ACCEPTE"),
    ("TREATY REFUSE", "TRAITE REFUSE", "TREATY REFUSE", "TRAITE REFUSE"),
    ("TREATY NONE", "TRAITE AUCUN", "TREATY NONE", "TRAITE AUCUN"),
    (
        "SLOTS DEPLOY 4 3 2 1 ROUND 2 1 3 4",
        "RANGS DEPLOIEMENT 4 3 2 1 ROUND 2 1 3 4",
        "SLOTS DEPLOY 4 3 2 1 ROUND 2 1 3 4",
        "RANGS DEPLOIEMENT 4 3 2 1 ROUND 2 1 3 4",
    ),
    ("SLOTS ROUND 2", "RANGS ROUND 2", "SLOTS ROUND 2", "RANGS ROUND 2"),
    (
        "OPTIONS SCHLIEFFEN=ON RANDOM=OFF HISTORICAL=YES",
        "OPTIONS SCHLIEFFEN=OUI HASARD=NON HISTORIQUE=OUI",
        "OPTIONS SCHLIEFFEN=ON RANDOM=OFF HISTORICAL=ON",
        "OPTIONS SCHLIEFFEN=OUI HASARD=NON HISTORIQUE=OUI",
    ),
    ("REVEAL 4: DE1 2D", "MONTRE Vosges : DE1 2D", "REVEAL 4: DE1 2D", "REVELE 4: DE1 2D"),
    ("CANCEL 3", "ANNULE 3", "CANCEL 3", "ANNULE 3"),
    ("CANCEL ALL", "ANNULE TOUT", "CANCEL ALL", "ANNULE TOUTES"),
    ("TILE BIGBERTHA NONE", "TUILE C2 AUCUNE", "TILE BIGBERTHA NONE", "TUILE GROSSEBERTHA AUCUNE"),
    ("LEAD DE-AA", "MENE DE AA", "LEAD DE-AA", "MENE DE-AA"),
    ("TAKE BRUSSELS NONE", "PREND BRUXELLES AUCUNE", "TAKE BRUXELLES NONE", "PREND BRUXELLES AUCUNE"),
    (
        "C2: IF WON AND NOT LOST METZ THEN ATTACK 3 ELSE IF ENEMY 1 >= 4 THEN MOVE 2: D > 1 ELSE PASS",
        "C2 : SI GAGNÉ ET PAS PERDU METZ ALORS ATTAQUE 3 SINON SI ENNEMIES 1 ≥ 4 ALORS BOUGE 2 : D > 1 "
        "SINON PASSE",
        "C2: IF WON AND NOT LOST METZ THEN ATTACK 3 ELSE IF ENEMY 1 >= 4 THEN MOVE 2: D > 1 ELSE PASS",
        "C2: SI GAGNE ET PAS PERDU METZ ALORS ATTAQUE 3 SINON SI ENNEMIES 1 >= 4 ALORS MOUVEMENT 2: D > 1 "
        "SINON PASSE",
    ),
    (
        "IF OWN 3 < 2 AND VP GA = 6 AND CYCLE <= 3 AND ATTACKED 3 AND HOLD KÖLN THEN PASS",
        "SI AMIES 3 < 2 ET PV AUTRICHE = 6 ET CYCLE =< 3 ET ASSAILLI 3 ET TIENS Cologne ALORS PASSE",
        "C1: IF OWN 3 < 2 AND VP GA = 6 AND CYCLE <= 3 AND ATTACKED 3 AND HOLD KOLN THEN PASS",
        "C1: SI AMIES 3 < 2 ET PV GA = 6 ET CYCLE <= 3 ET ASSAILLI 3 ET TIENS KOLN ALORS PASSE",
    ),
]


@pytest.mark.parametrize(("english", "french", "written", "ecrit"), TABLE, ids=[row[2] for row in TABLE])
def test_every_order_in_both_languages(english: str, french: str, written: str, ecrit: str) -> None:
    view = view_of("DE")
    found = line(english, view)
    assert (found.write("en"), found.write("fr")) == (written, ecrit)
    assert line(french, view) == found
    assert line(written, view) == line(ecrit, view) == found


def test_the_example_of_a_whole_letter() -> None:
    reading = read(
        """
        C1: ATTACK 3 WITH REAL LEAD FR2 TILE NONE TAKE METZ
        C2: IF WON THEN ATTACK 3 WITH REAL ELSE TRANSFER 4 > 3: FR1
        C3: IF ENEMY 1 >= 4 THEN MOVE 2: BR1 D > 1 ELSE PASS
        DEFEND ALL: TILE BEST IF STAKE PARIS ELSE NONE LEAD STRONGEST
        DEFEND 1: TILE MACHINEGUNS, BRITISHRIFLES, NONE LEAD BR1 IF ENEMYLEAD >= 3 ELSE BE1
        DRAW YES DROP RUMOURS
        REPLACE BR1 FR2 FR5    # REMPLACE works too
        GRANT ALL IF SPARE
        # nothing but a comment
        """
    )
    assert reading.refusals == ()
    assert [one.number for one in reading.orders] == [2, 3, 4]
    assert [one.slot() for one in reading.standing] == [
        "WA DEFEND/ALL",
        "WA DEFEND/01",
        "WA DRAW",
        "WA REPLACE",
        "WA GRANT/ALL",
    ]


# ------------------------------------------------------------------ what mail does to a line


@pytest.mark.parametrize(
    "text",
    [
        "  - transfer 4 > 3: fr1",
        "• TRANSFER 4 → 3 : FR1.",
        "1. Transfer 4 > 3: FR-1;",
        "2) TRANSFER 4 ⇒ 3: FR 1 ...",
        "(3) “TRANSFER 4 –> 3: FR1”",
        "a) transfer\u00a0F4\u202f>\u00a0F3\u00a0: FR‑1",
        "* *TRANSFER* front 4 --> front 3, FR1!",
        "Transfère VOSGES ==> verdun: « FR1 » # à demain",
        "ＴＲＡＮＳＦＥＲ 4 > 3: FR1",
        "tr\u00adansfer 4 > 3: FR1\u200b",
        "TRANSFERT [4] > [3] : (FR1)",
        "C1 TRANSFER 4 > 3: FR1",
        "c1 : WA: TRANSFER 4 > 3 FR1",
    ],
)
def test_punctuation_bullets_quotes_and_arrows_are_ignored(text: str) -> None:
    assert line(text) == line("TRANSFER 4 > 3: FR1")


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("TRANSFER 1-8: FR1", "-"),  # neither front 18 nor a hyphen to be dropped
        ("IF ENEMY 1 ≠ 3 THEN PASS", "\u0338"),
        ("IF !WON THEN PASS", "!"),
        ("IF VP WA > -3 THEN PASS", "-"),
        ("TILE RUMOURS | NONE", "|"),
        ("PASS ☠", "☠"),
        ("ATTACK ٣", "٣"),
    ],
)
def test_a_sign_with_a_meaning_is_never_dropped(text: str, sign: str) -> None:
    assert (refusal(text).reason, refusal(text).facts) == ("unknown-sign", {"sign": sign})


def test_names_written_apart_or_as_one() -> None:
    assert line("TILE THEY SHALL NOT PASS, machine-guns") == line("TILE A10 MACHINEGUNS")
    assert line("TUILE Ils ne passeront pas, Canons de 75") == line("TILE A10 FRENCH75S")
    assert line("TAKE AIX LA CHAPELLE") == line("TAKE AACHEN")
    assert line("REPLACE BR MEF") == line("REPLACE BR-MEF") == line("REPLACE BRMEF") == line("REPLACE MEF")


def test_and_between_two_names_is_a_comma() -> None:
    assert line("ATTACK 3 WITH FR2 AND FR3 TAKE METZ ET REIMS IF WON AND TURN > 2") == line(
        "IF WON AND TURN > 2 THEN ATTACK 3 WITH FR2, FR3 TAKE METZ, REIMS"
    )
    assert line("MOVE 2: BR1 ET D > 1 ET FR5 > 3") == line("MOVE 2: BR1 D > 1; FR5 > 3")
    assert refusal("ATTACK 3 WITH FR2 AND").facts == {"expected": "army"}


def test_a_tile_that_both_alliances_have_is_the_senders_own() -> None:
    assert line("TILE MACHINEGUNS").order.tile.tiles == ("A01",)
    assert line("TILE MACHINEGUNS", view_of("GA")).order.tile.tiles == ("C01",)


def test_position_decides_between_front_and_location() -> None:
    found = line("ATTACK VERDUN TAKE VERDUN")
    assert (found.order.front, found.order.take.locations) == (3, ("VERDUN",))
    assert line("IF HOLD VERDUN AND ATTACKED VERDUN THEN PASS").order.condition[1].place == 3


def test_or_is_always_the_army() -> None:
    assert line("ASK REPLACE MEF OR ITB", view_of("EA")).order.armies == ("BR-MEF", "FR-OR", "ITB")
    assert refusal("IF WON OR HOLD METZ THEN PASS").facts == {"word": "OR", "expected": "then"}


# ------------------------------------------------------------------ who and when


def test_with_two_factions_the_line_begins_with_one() -> None:
    view = view_of("DE", players=2)
    found = line("DE C2: ATTACK 3", view)
    assert (found.faction, found.cycle, found.write()) == ("DE", 2, "DE C2: ATTACK 3")
    assert line("Autriche: DRAW NO", view).write("fr") == "GA PIOCHE NON"


@pytest.mark.parametrize(
    ("text", "faction"),
    [
        ("ATTACK 9", "GA"),
        ("MOVE 2: D > 1", "DE"),
        ("TRANSFER 6 > 5: D", "GA"),
        ("DEFEND 8: ASK", "DE"),
        ("OCCUPY 10: BEOGRAD", "GA"),
        ("TAKE ROVNO", "GA"),
        ("DEPLOY AH2 > 9, D > 10", "GA"),
        ("REPLACE DE1", "DE"),
        ("RECALL DE4 9 > 3", "DE"),
        ("AGREE RECALL", "GA"),
        ("TREATY OFFER", "DE"),
        ("REVEAL 3: D", "DE"),
        ("REVEAL AH1", "GA"),
        ("IF WON THEN PASS ELSE ATTACK 9", "GA"),
    ],
)
def test_what_the_order_itself_tells_need_not_be_said(text: str, faction: str) -> None:
    assert line(text, view_of("DE", players=2)).faction == faction


@pytest.mark.parametrize(
    "text", ["PASS", "DRAW YES", "DEFEND ALL: LEAD WEAKEST", "RETURN UNUSABLE", "DEPLOY 2D > 9"]
)
def test_an_order_that_either_faction_could_mean_is_asked_back(text: str) -> None:
    view = view_of("DE", players=2)
    found = refusal(f"C2: {text}" if text == "PASS" else text, view)
    assert isinstance(found, Ambiguous)
    assert found.reason == "which-faction"
    assert [line(meaning, view).faction for meaning in found.meanings] == ["DE", "GA"]


def test_armies_on_the_western_account_stand_in_the_western_list() -> None:
    view = view_of("WA", players=2)
    assert line("REPLACE MEF", view).faction == "WA"
    assert line("GRANT MEF", view).faction == "WA"
    assert line("ASK REPLACE MEF", view).faction == "EA"


def test_another_seats_faction_is_refused() -> None:
    found = refusal("EA PASS")
    assert isinstance(found, Illegal)
    assert (found.rule, found.reason, found.facts) == ("FWW-1-5", "not-your-faction", {"faction": "EA"})


@pytest.mark.parametrize(
    ("phase", "number", "faction", "expected"),
    [
        ("deploy", 0, "WA", (3, 1)),
        ("rounds", 1, "DE", (3, 1)),
        ("rounds", 1, "WA", (3, 1)),
        ("rounds", 2, "WA", (3, 1)),
        ("rounds", 3, "WA", (3, 2)),
        ("rounds", 14, "WA", (3, 4)),
        ("rounds", 15, "WA", (4, 1)),
        ("replace", 0, "WA", (4, 1)),
    ],
)
def test_without_prefix_the_next_own_round_is_meant(
    phase: str, number: int, faction: str, expected: tuple[int, int]
) -> None:
    found = line("PASS", replace(view_of(faction), phase=phase, round=number))
    assert (found.turn, found.cycle) == expected


def test_grant_of_several_armies_is_a_word_on_each() -> None:
    reading = read("GRANT MEF OR IF TURN > 3")
    assert [one.slot() for one in reading.standing] == ["WA GRANT/BR-MEF", "WA GRANT/FR-OR"]
    assert [one.write() for one in reading.standing] == [
        "GRANT BR-MEF IF TURN > 3",
        "GRANT FR-OR IF TURN > 3",
    ]


def test_errands_for_the_service() -> None:
    cancel = line("CANCEL 2, 5")
    assert isinstance(cancel, CancelLine)
    assert (cancel.lines, cancel.everything, cancel.slot()) == ((2, 5), False, "")
    options = line(
        "OPTIONS GARRISON_RULE=EMPTY-FRONTS; NO-SURRENDER-BEFORE-TURN = 3, RANDOM=ON HAND_SCOPE=player"
    )
    assert isinstance(options, OptionsLine)
    assert dict(options.switches) == {
        "garrison_rule": "empty-fronts",
        "no_surrender_before_turn": 3,
        "random_order": True,
        "hand_scope": "player",
    }
    assert line(options.write("fr")) == options


# ------------------------------------------------------------------ refusals

UNREADABLE = [
    ("ATACK 3", "unknown-order", "ATTACK"),
    ("ATAQUE 3 AVEC FR2", "unknown-order", "ATTAQUE"),
    ("ATTACK VERDUNN", "unknown-word", "VERDUN"),
    ("ATTACK 12", "unknown-word", None),
    ("ATTACK 3 WITH FR22", "unknown-word", "FR2"),
    ("ATTACK 3 WITH", "missing", None),
    ("ATTACK 3 WIHT FR2", "unknown-word", "WITH"),
    ("ATTACK 3 LEAD STRONGST", "unknown-word", "STRONGEST"),
    ("ATTACK 3 TILE TRENCHS", "unknown-word", "TRENCHES"),
    ("ATTACK 3 TAKE MTZ", "unknown-word", "METZ"),
    ("ATTACK 3 TAKE METZ TAKE REIMS", "clause-twice", None),
    ("ATTACK 3 TILE NONE RUMOURS", "after-none", None),
    ("ATTACK 3 TILE BEST IF ENEMYTILE", "else-missing", None),
    ("ATTACK 3 ELSE PASS", "else-without-if", None),
    ("MOVE 2: FR5 1", "unknown-word", None),
    ("TRANSFER 1 8: FR5", "unknown-word", ">"),
    ("DEPLOY FR6 > 1 HOLD", "missing", None),
    ("DEPLOY 25D > 1", "out-of-range", None),
    ("DEFEND 3", "missing", None),
    ("DRAW PERHAPS", "unknown-word", None),
    ("RETURN", "missing", None),
    ("AGREE", "missing", "RECALL"),
    ("ASK MEF", "unknown-word", None),
    ("SLOTS DEPLOY 5", "out-of-range", None),
    ("CANCEL", "missing", "ALL"),
    ("CANCEL 0", "out-of-range", None),
    ("OPTIONS SCHLIFFEN=ON", "unknown-word", "SCHLIEFFEN"),
    ("OPTIONS RANDOM=PERHAPS", "unknown-word", None),
    ("IF WON PASS", "unknown-word", None),
    ("IF WONN THEN PASS", "unknown-word", "WON"),
    ("IF WON THEN", "missing", None),
    ("IF WON THEN CANCEL 3", "not-in-a-condition", None),
    ("IF WON THEN IF WON THEN IF WON THEN PASS", "nested-too-deep", None),
    ("IF WON THEN PASS ELSE DRAW YES", "mixed-branches", None),
    ("PASS PASS", "left-over", None),
    ("C5: PASS", "out-of-range", None),
    ("C1: DRAW YES", "cycle-out-of-place", None),
    ("C2: CANCEL ALL", "cycle-out-of-place", None),
    ("WA WA PASS", "faction-twice", None),
    ("REVEAL D", "missing", None),
    ("X" * 3000, "too-long", None),
]


@pytest.mark.parametrize(("text", "reason", "suggestion"), UNREADABLE)
def test_what_is_not_understood_is_said_with_what_might_be_meant(
    text: str, reason: str, suggestion: str | None
) -> None:
    found = refusal(text)
    assert isinstance(found, Unreadable)
    assert (found.rule, found.reason, found.line, found.text) == ("notation", reason, 1, text)
    assert suggestion is None or suggestion in found.suggestions


ILLEGAL = [
    ("ATTACK 3 TILE POISONGAS", "FWW-3-5", "not-your-tile"),
    ("ATTACK 3 WITH FR2 FR2", "FWW-6-3", "named-twice"),
    ("DEFEND 3: LEAD DE1", "FWW-6.1-3", "not-your-army"),
    ("DEPLOY FR6 > 1, FR6 > 2", "FWW-4.2.1-3", "named-twice"),
    ("MOVE 2: FR5 > 1; FR5 > 3", "FWW-5-1", "named-twice"),
    ("TRANSFER 1 > 3: FR5, 1 > 4: FR6", "FWW-5-6", "one-destination"),
    ("DEFEND 3: ASK IF WON", "notation", "ask-with-condition"),
    ("IF WON THEN ATTACK 3 TAKE ASK", "notation", "ask-with-condition"),
    ("DRAW YES IF SPARE", "FWW-7.2-2", "spare-out-of-place"),
    ("GRANT MEF IF NOT SPARE", "FWW-7.2-2", "spare-out-of-place"),
    ("DENY MEF IF SPARE", "FWW-7.2-2", "spare-out-of-place"),
    ("DEFEND 3: TILE BEST IF ENEMYTILE ELSE NONE", "FWW-6.1-1", "unknown-by-then"),
    ("ATTACK 3 LEAD FR2 IF ENEMYLEAD > 2 ELSE FR3", "FWW-6.1-3", "unknown-by-then"),
]


@pytest.mark.parametrize(("text", "rule", "reason"), ILLEGAL)
def test_what_can_never_be_carried_out_is_refused_with_its_rule(text: str, rule: str, reason: str) -> None:
    found = refusal(text)
    assert isinstance(found, Illegal)
    assert (found.rule, found.reason) == (rule, reason)


def test_all_refusals_of_a_letter_at_once_each_with_its_line() -> None:
    reading = read("PASS\nPAS\n\nATTACK 99\n# no\nDRAW YES\nDRAW WHAT\n")
    assert [(one.line, one.text) for one in reading.refusals] == [
        (2, "PAS"),
        (4, "ATTACK 99"),
        (7, "DRAW WHAT"),
    ]
    assert (len(reading.orders), len(reading.standing)) == (1, 1)


def test_suggestions_keep_to_the_writers_language() -> None:
    french = read("PIOCHE OUI\nPASSE\nATTACQUE 3").refusals[0]
    assert isinstance(french, Unreadable)
    assert "ATTAQUE" in french.suggestions and "ATTACK" not in french.suggestions
    english = read("DRAW YES\nPASS\nATTACQUE 3").refusals[0]
    assert isinstance(english, Unreadable)
    assert "ATTACK" in english.suggestions and "ATTAQUE" not in english.suggestions


def test_armies_are_suggested_from_the_own_side() -> None:
    found = refusal("ATTACK 3 WITH DEA", view_of("DE"))
    assert isinstance(found, Unreadable)
    assert "DE-AA" in found.suggestions
    own = refusal("REPLACE RU99")
    assert isinstance(own, Unreadable)
    assert all(not army.startswith(("DE", "AH", "BU")) for army in own.suggestions)


def test_every_reason_and_its_facts_are_listed() -> None:
    texts = [row[0] for row in UNREADABLE + ILLEGAL] + ["EA PASS", "PASS ☠"]
    found = [*(refusal(text) for text in texts), refusal("DRAW YES", view_of("DE", players=2))]
    for one in found:
        assert set(one.facts) == set(REASONS[one.reason]), one
        assert one.facts.get("expected", "order") in EXPECTED
    in_check = {
        "round-is-over",
        "lead-not-committed",
        "tile-of-another-nation",
        "wrong-role",
        "location-elsewhere",
        "too-few-dummies",
        "another-faction-decides",
        "option-is-off",
        "options-are-fixed",
        "no-treaty-before",
        "not-on-the-western-account",
        "which-recall",
        "too-many-deployments",
        "contradiction",
        "named-again",
        "too-much",
    }
    assert {one.reason for one in found} | in_check == set(REASONS)


def test_nothing_is_read_out_of_an_empty_text() -> None:
    for text in ("", "\n\n", "  # only a comment", "---", "***", "…", "\u00a0"):
        assert read(text) == NOTATION.read("", view_of())
