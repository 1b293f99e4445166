"""Every verb of decisions.md §3 in both languages: the same line, and the canonical one."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.notation.words import VERBS
from engine.notation.words import symbol_table
from tests.rules.ttlm.desk import line, read, view_of

GERMAN = [
    ("TAKE SURPRISE", "PRENDRE SURPRISE", "TAKE SURPRISE"),
    ("BID OFF, ER2", "MISER OFF, ersatz 2", "BID OFFENSIVE, ERSATZ2"),
    ("BID 0", "MISER AUCUNE", "BID 0"),
    ("FIRST GE", "PREMIER Allemagne", "FIRST GE"),
    ("PLAY LIMITED", "JOUER offensive limitée", "PLAY LIMITED"),
    ("PLAY BIGPUSH", "JOUER The Big Push", "PLAY BIGPUSH"),
    ("PLAY GERICHT", "JOUER GERICHT", "PLAY GERICHT"),
    ("PLAY TOUTLEMONDE", "JOUER TLM", "PLAY TOUTLEMONDE"),
    ("PLAY FRIEDENSTURM", "JOUER FRI", "PLAY FRIEDENSTURM"),
    ("PASS", "PASSER", "PASS"),
    ("PASS IF OPPPASSED ELSE PLAY LIMITED", "PASSER SI ADVPASSE SINON JOUER LIMITEE",
     "PASS IF OPPPASSED ELSE PLAY LIMITED"),
    ("MOVE GE1 AAC-LIE", "BOUGER 1A-GE AAC-LIE", "MOVE GE1 AAC-LIE"),
    ("MOVE GE1 AAC-LIE", "bouger 1re armée allemande Aix-la-Chapelle → Liège", "MOVE GE1 AAC-LIE"),
    ("MOVE C@TRI TRI-ARD-SED", "BOUGER cavalerie@Trèves Trèves-Ardennes-Sedan", "MOVE C@TRI TRI-ARD-SED"),
    ("MOVE 2I:GE4 LUX-ARD", "BOUGER 2I:GE4 LUX-ARD", "MOVE 2I:GE4 LUX-ARD"),
    ("MOVE C:GE3 INTO GE4", "BOUGER C:GE3 DANS GE4", "MOVE C:GE3 INTO GE4"),
    ("MOVE GE3 TRI-ARD ABSORB 2I", "BOUGER GE3 TRI-ARD ABSORBER 2I", "MOVE GE3 TRI-ARD ABSORB 2I"),
    ("MOVE GE3 COB-EFT", "BOUGER GE3 COB-EFT", "MOVE GE3 COB-EFT"),
    ("MOVE GE1 TO LIE", "BOUGER GE1 VERS LIE", "MOVE GE1 TO LIE"),
    ("RAIL GE1 AAC..COB", "FER GE1 AAC..COB", "RAIL GE1 AAC..COB"),
    ("RESERVES GE3 TRI..LIE", "RESERVES GE3 TRI..LIE", "RESERVES GE3 TRI..LIE"),
    ("SHIFT 2I:GE1>GE2", "TRANSFERER 2I:GE1>GE2", "SHIFT 2I:GE1>GE2"),
    ("SHIFT I:GE1>LOOSE", "TRANSFERER I:GE1>HORS", "SHIFT I:GE1>LOOSE"),
    ("SHIFT ALL:GE1 > GE2", "TRANSFERER TOUT:GE1 > GE2", "SHIFT ALL:GE1>GE2"),
    ("WITHDRAW GE1 AAC-COL", "REPLIER GE1 AAC-COL", "WITHDRAW GE1 AAC-COL"),
    ("SUPPRESS GE3", "DISSOUDRE GE3", "SUPPRESS GE3"),
    ("CRISIS", "CRISE", "CRISIS"),
    ("CRISIS AFTER MOVES", "CRISE APRES MOUVEMENT", "CRISIS AFTER MOVES"),
    ("CRISIS AFTER COMBAT", "CRISE APRÈS COMBAT", "CRISIS AFTER COMBAT"),
    ("DISCARD ER2, LIM", "DEFAUSSER ER2, LIM", "DISCARD ERSATZ2, LIMITED"),
    ("DISCARD ALL KEEP ER3", "DEFAUSSER TOUT SAUF ER3", "DISCARD ALL KEEP ERSATZ3"),
    ("BATTLE LIE, NAM", "BATAILLE Liège, Namur", "BATTLE LIE, NAM"),
    ("BATTLE NEW", "BATAILLE NOUVELLES", "BATTLE NEW"),
    ("KEEP LIE", "GARDER LIE", "KEEP LIE"),
    ("CARD GAS ON ART", "CARTE GAZ SUR ART", "CARD GAS ON ART"),
    ("CARD SURPRISE ON LIE", "CARTE SUR SUR LIE", "CARD SURPRISE ON LIE"),
    ("CARD Advanced Artillery Barrage! ON ART", "CARTE Barrage d’artillerie avancé ! SUR ART",
     "CARD BARRAGE ON ART"),
    ("BONUS ON STQ, REI", "BONUS SUR Saint-Quentin, REI", "BONUS ON STQ, REI"),
    ("WEATHER IF BATTLES>=2", "METEO SI BATAILLES>=2", "WEATHER IF BATTLES>=2"),
    ("COUNTER ART USING LIM", "CONTREATTAQUE ART AVEC LIM", "COUNTER ART USING LIMITED"),
    ("AT SED: CAVRETREAT C@SED>ARD IF ENEMYINF", "A SED: RETRAITECAV C@SED>ARD SI INFENNEMIE",
     "AT SED: CAVRETREAT C@SED>ARD IF ENEMYINF"),
    ("AT SED: CAVRETREAT ALL TO REI", "A SED: RETRAITECAV TOUT VERS REI", "AT SED: CAVRETREAT ALL>REI"),
    ("AT LIE: RETREAT ALL TO AAC IF OWN<4", "A LIE: RETRAITE TOUT VERS AAC SI NOUS<4",
     "AT LIE: RETREAT ALL>AAC IF OWN<4"),
    ("AT LIE: RETREAT GE2 TO AAC LEAVE 2G", "A LIE: RETRAITE GE2 VERS AAC LAISSER 2G",
     "AT LIE: RETREAT GE2>AAC LEAVE 2G"),
    ("AT REI: RETREAT ALL TO CHT, CHA OR LAO", "A REI: RETRAITE TOUT VERS CHT, CHA OU LAO",
     "AT REI: RETREAT ALL>CHT, CHA, LAO"),
    ("AT LIE: BIPLANE REACT", "A LIE: BIPLAN REACTION", "AT LIE: BIPLANE REACT"),
    ("AT *: BIPLANE GROUND", "A *: BIPLAN SOL", "AT *: BIPLANE GROUND"),
    ("REROLL S FIRST", "RELANCER S D'ABORD", "REROLL S FIRST"),
    ("AT LIE: ERSATZ MAX 2 KEEP OFFENSIVE", "A LIE: ERSATZ MAX 2 SAUF OFFENSIVE",
     "AT LIE: ERSATZ MAX 2 KEEP OFFENSIVE"),
    ("ERSATZ MAX 2 PER STEP", "ERSATZ MAX 2 PAR TIR", "ERSATZ MAX 2 PER STEP"),
    ("ERSATZ MAX 2 PER BATTLE", "ERSATZ MAX 2 PAR BATAILLE", "ERSATZ MAX 2 PER BATTLE"),
    ("ERSATZ MAX 2 PER TURN", "ERSATZ MAX 2 PAR TOUR", "ERSATZ MAX 2"),
    ("LOSE A LAST", "PERDRE A DERNIER", "LOSE A LAST"),
    ("LOSE FORT FIRST", "PERDRE FORT DABORD", "LOSE FORT FIRST"),
    ("SACRIFICE", "SACRIFIER", "SACRIFICE"),
    ("SAVE", "SAUVER", "SAVE"),
    ("PLACE 2I IN GE4", "PLACER 2I DANS GE4", "PLACE 2I IN GE4"),
    ("PLACE ANY", "PLACER PARTOUT", "PLACE ALL"),
    ("PLACE ALL", "PLACER TOUT", "PLACE ALL"),
    ("BUY 6 CARDS", "ACHETER 6 CARTES", "BUY 6 CARDS"),
    ("BUILD 2I IN GE4", "CONSTRUIRE 2I DANS GE4", "BUILD 2I IN GE4"),
    ("REBUILD GE7 AT COL", "RECONSTRUIRE GE7@COL", "REBUILD GE7 AT COL"),
    ("ENTRENCH GE2, GE1, I@VOS", "RETRANCHER GE2, GE1, I@VOS", "ENTRENCH GE2, GE1, I@VOS"),
    ("UPGRADE I IN GE2", "PROMOUVOIR I DANS GE2", "UPGRADE I IN GE2"),
    ("FORTIFY GE2", "FORTIFIER GE2", "FORTIFY GE2"),
    ("PRODUCE CARDS LIMIT, I FRONT", "PRODUIRE CARTES LIMITE, I FRONT", "PRODUCE CARDS LIMIT, I FRONT"),
    ("EXCESS DROP LIM, OFF", "EXCEDENT JETER LIM, OFF", "EXCESS DROP LIMITED, OFFENSIVE"),
    ("RANK ER3, SUR, OFF", "RANG ER3, SUR, OFF", "RANK ERSATZ3, SURPRISE, OFFENSIVE"),
    ("EFTLOSS I FIRST", "PERTEEFT I DABORD", "EFTLOSS I FIRST"),
    ("DONE", "TERMINER", "DONE"),
    ("ALWAYS AT LIE: ERSATZ MAX 1", "TOUJOURS A LIE: ERSATZ MAX 1", "ALWAYS AT LIE: ERSATZ MAX 1"),
]  # fmt: skip
ENTENTE = [
    ("RAIL FR4 BAR-TRO-PAR", "FER FR4 Bar-le-Duc-Troyes-Paris", "RAIL FR4 BAR-TRO-PAR"),
    ("STRAT FR4 PAR-CAL", "STRAT FR4 PAR-CAL", "STRAT FR4 PAR-CAL"),
    ("SEA UK1 ENG-CAL", "MER UK1 ENG-CAL", "SEA UK1 ENG-CAL"),
    ("SEA UK I@ENG ENG-CAL", "MER UK I@Angleterre Angleterre-Calais", "SEA UK I@ENG ENG-CAL"),
    ("MOVE FR I@NAM INTO FR5", "BOUGER FR I@NAM DANS FR5", "MOVE FR I@NAM INTO FR5"),
    ("WITHDRAW UK2 ART-CAL", "REPLIER UK2 ART-CAL", "WITHDRAW UK2 ART-CAL"),
    ("EVACUATE BE1 TO CAL", "EVACUER BE1 VERS CAL", "EVACUATE BE1 TO CAL"),
    ("SHIFT I@LIE>BE1", "TRANSFERER I@LIE>BE1", "SHIFT I@LIE>BE1"),
    ("PLACE FR9 AT TRO", "PLACER FR9@TRO", "PLACE FR9 AT TRO"),
    ("PLACE US 3I AT BAR", "PLACER US 3 I@BAR", "PLACE US 3I AT BAR"),
    ("SWAP CAN IN UK1", "ECHANGER CAN DANS UK1", "SWAP CAN IN UK1"),
    ("SWAP ANZAC AT CAL", "ECHANGER ANZAC@CAL", "SWAP ANZAC AT CAL"),
    ("BUILD A AT MAU", "CONSTRUIRE A@MAU", "BUILD A AT MAU"),
    ("REBUILD BE1 AT FLA", "RECONSTRUIRE BE1@FLA", "REBUILD BE1 AT FLA"),
    ("SCRAMBLE B:FR4 TO ARG", "ALERTE B:FR4 VERS ARG", "SCRAMBLE B:FR4>ARG"),
    ("AT NAM: RETREAT INSTEAD FR5>MAU, FR I@NAM>HAI IF OWN<3",
     "A NAM: RETRAITE AU LIEU FR5>MAU, FR I@NAM>HAI SI NOUS<3",
     "AT NAM: RETREAT INSTEAD FR5>MAU, FR I@NAM>HAI IF OWN<3"),
    ("AT FLA: RETREAT FIRE I@FLA>CAL INTO UK1", "A FLA: RETRAITE TIR I@FLA>CAL DANS UK1",
     "AT FLA: RETREAT INSTEAD I@FLA>CAL INTO UK1"),
    ("AT STQ: FORCED UK5, FR3 TO PIC", "A STQ: FORCEE UK5, FR3 VERS PIC", "AT STQ: FORCED UK5, FR3 TO PIC"),
    ("FORCED WEAKEST FIRST", "FORCEE FAIBLE DABORD", "FORCED WEAKEST FIRST"),
    ("FORCED STRONGEST FIRST", "FORCEE FORTE DABORD", "FORCED STRONGEST FIRST"),
    ("AT REI: RETREAT ALL TO CHT IF OWN<2 OR ENEMY>2*OWN",
     "A REI: RETRAITE TOUT VERS CHT SI NOUS<2 OU ENNEMI>2*NOUS",
     "AT REI: RETREAT ALL>CHT IF OWN<2 OR ENEMY>2*OWN"),
    ("CRISISLOSS I@BEL, I:FR4, CW:UK1", "PERTECRISE I@BEL, I:FR4, CW:UK1", "CRISISLOSS I@BEL, I:FR4, CW:UK1"),
    ("OOSLOSS FR5 A", "PERTEOOS FR5 A", "OOSLOSS FR5 A"),
]  # fmt: skip
VIEWS = {"GE": view_of("GE"), "EN": view_of("EN", loose={})}


@pytest.mark.parametrize(("english", "french", "canonical"), GERMAN)
def test_german_orders_in_both_languages(english: str, french: str, canonical: str) -> None:
    _same("GE", english, french, canonical)


@pytest.mark.parametrize(("english", "french", "canonical"), ENTENTE)
def test_entente_orders_in_both_languages(english: str, french: str, canonical: str) -> None:
    _same("EN", english, french, canonical)


def _same(side: str, english: str, french: str, canonical: str) -> None:
    view = VIEWS[side]
    one, other = line(english, view), line(french, view)
    assert one == other
    assert one.write("en") == canonical
    assert line(one.write("fr"), view) == one
    assert line(one.write("fr"), view).write("fr") == one.write("fr")


def test_every_verb_is_tried_here() -> None:
    rows = [row for english, french, _ in (*GERMAN, *ENTENTE) for row in (english, french)]
    words = {word for row in rows for word in row.upper().replace(":", " ").split()}
    missing = [word for word in symbol_table(VERBS) if word not in words]
    assert missing == []


@pytest.mark.parametrize(
    "text",
    ["  - move ge1 aac–lie.", "1) MOVE GE1 AAC-LIE", "• Move GE1 AAC-LIE",
     "MOVE GE1 AAC-LIE # for Liège", "MOVE ge1 Aachen – Lüttich"],
)  # fmt: skip
def test_case_accents_bullets_dashes_and_remarks_are_ignored(text: str) -> None:
    assert line(text) == line("MOVE GE1 AAC-LIE")


def test_several_items_of_a_line_are_several_lines_with_its_number() -> None:
    found = read("PASS\nAT LIE, NAM: ERSATZ MAX 0; LOSE A LAST IF HITS>2").orders
    assert [(one.number, one.write()) for one in found] == [
        (1, "PASS"),
        (2, "AT LIE: ERSATZ MAX 0"),
        (2, "AT LIE: LOSE A LAST IF HITS>2"),
        (2, "AT NAM: ERSATZ MAX 0"),
        (2, "AT NAM: LOSE A LAST IF HITS>2"),
    ]


def test_the_lines_of_production_come_by_stage_and_the_others_as_written() -> None:
    text = "BUY 2 CARDS\nENTRENCH GE1\nSHIFT I:GE1>GE2\nBUILD I IN GE4\nREBUILD GE7 AT COL\nUPGRADE I IN GE2"
    found = [one.write() for one in read(f"{text}\nPLACE I IN GE1").orders]
    assert found == ["PLACE I IN GE1", *reversed(text.split("\n"))]


def test_a_shift_belongs_to_the_orders_around_it() -> None:
    found = read("MOVE GE1 AAC-LIE\nSHIFT I:GE1>GE2\nMOVE GE3 TRI-LUX").orders
    assert [one.write().split()[0] for one in found] == ["MOVE", "SHIFT", "MOVE"]
