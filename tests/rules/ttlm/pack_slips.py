"""Mistakes an umpire's table can hold, each as one change of a built-in file; scenario_slips has the rest."""

from __future__ import annotations

from engine.games.to_the_last_man.pack import DATA, load_pack
from tests.packs import Slip, Tables

TABLES = Tables(DATA, load_pack)
LIE, COL, PAR, ENG, EFT = 'id = "LIE"', 'id = "COL"', 'id = "PAR"', 'id = "ENG"', 'id = "EFT"'
GE1, GEC, OFF, BIG, GAS = 'id = "GE1"', 'id = "GEC"', 'id = "OFF"', 'id = "BIG"', 'id = "GAS"'
TURN2, TURN3 = "n = 2", "n = 3"

FORM = {
    "unreadable TOML": Slip("map", "area", LIE, "vp = 1", "vp : 1", "line 79", "line"),
    "unknown table": Slip(
        "charts", "vp_modifiers", "elim", "[vp_modifiers]", "[vp]", "-", "unknown table", "charts.toml vp"
    ),
    "unknown key": Slip("map", "area", LIE, "vp = 1", "points = 1", "LIE.points", "unknown key"),
    "missing key": Slip("units", "army", GE1, "entry_turn = 0\n", "", "GE1.entry_turn", "missing"),
    "wrong type": Slip("map", "area", LIE, "vp = 1", 'vp = "1"', "LIE.vp", "integer"),
    "number for a switch": Slip(
        "game", "options", "length", "fortify = false", "fortify = 0", "fortify", "bool"
    ),
    "no such length": Slip("game", "options", "length", '"campaign"', '"long"', "length", "campaign"),
    "no such ruling": Slip("game", "rulings", "hand", '"current"', '"last"', "hand_limit", "current"),
    "out of range: points": Slip("map", "area", LIE, "vp = 1", "vp = 10", "LIE.vp", "equal to 9"),
    "out of range: turn": Slip(
        "units", "army", GEC, "entry_turn = 2", "entry_turn = 24", "GEC.entry_turn", "23"
    ),
    "out of range: firepower": Slip(
        "units", "unit_type", 'id = "I"', "off = 1", "off = 7", "I.off", "equal to 6"
    ),
    "out of range: ersatz": Slip(
        "cards", "card", OFF, "ersatz = 1", "ersatz = 0", "OFF.ersatz", "equal to 1"
    ),
    "no such country": Slip("map", "area", LIE, '"BE"', '"NL"', "LIE.country", "BE"),
    "no such side": Slip("map", "area", LIE, 'supply = ""', 'supply = "FR"', "LIE.supply", "GE"),
    "no such type": Slip(
        "charts", "turn", TURN2, "GE = { I = 3 }", "GE = { X = 3 }", "2.reinforcements.GE.X.[key]", "CW"
    ),
    "none of a type": Slip(
        "charts", "turn", TURN2, "GE = { I = 3 }", "GE = { I = 0 }", "2.reinforcements.GE.I", "1"
    ),
    "no area's id": Slip("map", "area", LIE, 'id = "LIE"', 'id = "LIEGE"', "LIEGE.id", "pattern"),
    "no army's id": Slip("units", "army", GE1, 'id = "GE1"', 'id = "AH1"', "AH1.id", "pattern"),
    "missing source": Slip("map", "area", LIE, 'source = "reconstruction"\n', "", "LIE.source", "missing"),
    "source of an unknown key": Slip(
        "map", "area", LIE, "{ names =", "{ name =", "LIE.sources.name", "unknown key"
    ),
    "missing language": Slip("map", "area", PAR, ', fr = "Paris"', "", "PAR.names.fr", "missing"),
    "duplicate id": Slip("map", "area", LIE, 'id = "LIE"', 'id = "NAM"', "NAM.id", "duplicate"),
}

GROUND = {
    "side without its nation": Slip(
        "game", "nation", 'id = "US"', '"EN"', '"GE"', "EN.nations", "US", "game.toml side"
    ),
    "nation in no list": Slip(
        "game", "side", 'id = "EN"', ', "US"', "", "US.side", "once", "game.toml nation"
    ),
    "unknown neighbour": Slip("map", "area", LIE, '"AAC"', '"AAX"', "LIE.adjacent", "unknown id: AAX"),
    "neighbour twice": Slip("map", "area", LIE, '"AAC"', '"AAC", "AAC"', "LIE.adjacent", "duplicate: AAC"),
    "unsorted neighbours": Slip("map", "area", LIE, '"AAC", "ANT"', '"ANT", "AAC"', "LIE.adjacent", "order"),
    "asymmetric border": Slip("map", "area", LIE, '"AAC", ', "", "AAC.adjacent", "asymmetric: LIE"),
    "edge missing": Slip(
        "map", "borders", "edges", '  ["AAC", "LIE"],\n', "", "edges", "missing: AAC and LIE"
    ),
    "edge too many": Slip(
        "map", "borders", "edges", '["AAC", "LIE"]', '["AAC", "LIE"], ["AAC", "PAR"]', "edges", "PAR"
    ),
    "edge twice": Slip(
        "map", "borders", "edges", '["AAC", "LIE"]', '["AAC", "LIE"], ["LIE", "AAC"]', "edges", "duplicate"
    ),
    "bridge to England": Slip(
        "map", "area", ENG, "adjacent = []", 'adjacent = ["CAL"]', "ENG.adjacent", "asymmetric"
    ),
    "source the areas do not know": Slip(
        "map", "zones", "german", '"COL", ', "", "german_sources", "BAD COB COL PAL"
    ),
    "area that is no source": Slip(
        "map", "area", COL, 'supply = "GE"', 'supply = ""', "german_sources", "BAD COB PAL", "map.toml zones"
    ),
    "source on no coast": Slip(
        "map",
        "zones",
        "german",
        '"FLA", "CAL", "NOR"]\nrough',
        '"FLA", "CAL"]\nrough',
        "coastal_sources",
        "CAL FLA NOR",
    ),
    "rough ground": Slip(
        "map", "area", LIE, "rough = false", "rough = true", "rough", "LIE", "map.toml zones"
    ),
    "gun beyond its reach": Slip(
        "map",
        "zones",
        "german",
        'paris_gun = ["PAR", ',
        'paris_gun = ["PAR", "STQ", ',
        "paris_gun",
        "neighbours",
    ),
    "name of two areas": Slip(
        "map", "area", PAR, "aliases = []", 'aliases = ["liége"]', "PAR.aliases", "ambiguous: LIE"
    ),
    "fort nowhere": Slip("map", "fort", 'area = "LIE"', '"LIE"', '"LIX"', "LIX.area", "unknown id: LIX"),
    "fort abroad": Slip("map", "fort", 'area = "LIE"', '"BE"', '"FR"', "LIE.nation", "BE"),
    "fort too strong": Slip(
        "map", "fort", 'area = "LIE"', "strength = 3", "strength = 4", "strength", "9 instead of 8"
    ),
    "fort of another count": Slip(
        "map", "fort_totals", "forts", "BE = 3", "BE = 4", "nation", "3 of BE instead of 4", "map.toml fort"
    ),
    "forts of the pool": Slip(
        "units", "pool", 'nation = "BE"', "forts = 3", "forts = 2", "BE.forts", "2 instead of 3"
    ),
}

COUNTERS = {
    "type nobody has": Slip(
        "units", "unit_type", 'id = "S"', "{ GE = 13 }", "{ GE = 13, FR = 13 }", "S.first_build_turn", "GE"
    ),
    "guns that dig": Slip(
        "units", "unit_type", 'id = "A"', "entrench = false", "entrench = true", "A.entrench", "infantry"
    ),
    "trenches of no use": Slip(
        "units", "unit_type", 'id = "S"', "entrenched = 2", "entrenched = 3", "S.entrenched", "open"
    ),
    "volley without fire": Slip(
        "units", "unit_type", 'id = "C"', "volleys = 0", "volleys = 1", "C.volleys", "attack"
    ),
    "biplane without year": Slip(
        "units", "biplane_years", 'nation = "GE"', ", 1918]", "]", "GE.years", "4 counters"
    ),
    "biplanes out of order": Slip(
        "units", "biplane_years", 'nation = "GE"', "1917, 1918]", "1918, 1917]", "GE.years", "earliest"
    ),
    "biplane too early": Slip(
        "units", "biplane_years", 'nation = "GE"', "[1916", "[1915", "GE.years", "1916"
    ),
    "corps without counter": Slip(
        "units", "pool", 'nation = "UK"', "CW = 2", "CW = 1", "id", "UK.CW.01", "units.toml commonwealth"
    ),
    "cap without a year": Slip(
        "units", "artillery_cap", 'nation = "GE"', ', "1919" = 3', "", "GE.years", "1919"
    ),
    "cap above the slots": Slip(
        "units", "artillery_cap", 'nation = "GE"', '"1919" = 3', '"1919" = 4', "GE.years", "3 slots"
    ),
    "cap without counters": Slip(
        "units", "artillery_cap", 'nation = "BE"', '"1919" = 0', '"1919" = 1', "BE.years", "counters"
    ),
    "slots too few": Slip(
        "units",
        "template",
        'nation = "GE"',
        "aux = 3",
        "aux = 2",
        "GE.years",
        "2 slots",
        "units.toml artillery_cap",
    ),
    "army of another nation": Slip(
        "units", "army", GE1, 'nation = "GE"', 'nation = "FR"', "GE1.nation", "FR"
    ),
    "army too many": Slip(
        "units",
        "pool",
        'nation = "GE"',
        "armies = 11",
        "armies = 10",
        "id",
        "11 of GE instead of 10",
        "units.toml army",
    ),
    "fewer counters": Slip(
        "units",
        "pool",
        'nation = "GE"',
        "S = 15",
        "S = 9",
        "16.reinforcements.GE.S",
        "counters",
        "charts.toml turn",
    ),
}

CARDS_AND_CHARTS = {
    "deck of 54": Slip("cards", "card", OFF, "count = 16", "count = 15", "count", "54 instead of 55"),
    "offensive by another name": Slip(
        "cards", "card", 'id = "LIM"', '"offensive"', '"ersatz"', "group", "20 instead of 26"
    ),
    "dear offensive": Slip("cards", "card", OFF, "ersatz = 1", "ersatz = 2", "OFF.ersatz", "Ersatz"),
    "gas without effect": Slip(
        "cards", "card", GAS, "artillery_fire = 2\n", "", "GAS.artillery_fire", "barrage"
    ),
    "bonus of the enemy": Slip("cards", "card", BIG, '"UK"', '"GE"', "BIG.bonus.nation", "GE"),
    "bonus for both": Slip(
        "cards", "card", BIG, 'special_for = "EN"', 'special_for = ""', "BIG.bonus.nation", "UK"
    ),
    "plain card for one side": Slip(
        "cards", "card", OFF, 'special_for = ""', 'special_for = "GE"', "OFF.special_for", "one side"
    ),
    "crisis of no card": Slip(
        "cards", "crisis", 'card = "EMC"\nyear = 1915', '"EMC"', '"OFF"', "OFF 1915.card", "unknown id: OFF"
    ),
    "crisis of one's own": Slip(
        "cards", "crisis", 'card = "EMC"\nyear = 1915', '["UK"]', '["GE"]', "EMC 1915.nations", "GE"
    ),
    "crisis of guns": Slip(
        "cards", "crisis", 'card = "EMC"\nyear = 1915', '"CW"', '"A"', "EMC 1915.types", "unknown id: A"
    ),
    "crisis that favours the struck": Slip(
        "cards",
        "crisis",
        'card = "EMC"\nyear = 1915',
        "short = 1",
        "short = -1",
        "EMC 1915.vp_if_short",
        "favour",
    ),
    "crisis that stays": Slip(
        "cards",
        "crisis",
        'card = "EMC"\nyear = 1918',
        "leaves_game = true",
        "leaves_game = false",
        "leaves_game",
        "EMC",
    ),
    "turn missing": Slip(
        "game", "meta", "game", "turns = 23", "turns = 22", "n", "23 instead of 22", "charts.toml turn"
    ),
    "areas missing": Slip(
        "game", "meta", "game", "areas = 47", "areas = 48", "id", "47 instead of 48", "map.toml area"
    ),
    "wrong tag": Slip("charts", "turn", TURN2, '"1914-AU"', '"1914-WI"', "2.tag", "1914-AU"),
    "winter without a shuffle": Slip(
        "charts", "turn", TURN3, "reshuffle = true", "reshuffle = false", "3.reshuffle", "winter"
    ),
    "points for one side": Slip(
        "charts", "turn", TURN3, "bp = { GE = 11, EN = 11 }", "bp = { GE = 11 }", "3.bp", "both"
    ),
    "hand of one side": Slip(
        "charts", "turn", TURN3, "hand = { GE = 10, EN = 10 }", "hand = { EN = 10 }", "3.hand", "both"
    ),
    "blockade lifted": Slip(
        "charts", "turn", "n = 9", "blockade = -1", "blockade = 0", "9.blockade", "weaker"
    ),
    "army arriving twice": Slip("charts", "turn", TURN3, '["FR8"', '["FR9", "FR8"', "3.armies", "turn 2"),
    "army that never comes": Slip(
        "charts", "turn", TURN3, '"FR8", ', "", "FR8.entry_turn", "never arrives", "units.toml army"
    ),
    "army that comes later": Slip(
        "units", "army", GEC, "entry_turn = 2", "entry_turn = 3", "GEC.entry_turn", "turn 2"
    ),
    "biplane before its year": Slip(
        "charts",
        "turn",
        "n = 5",
        "UK = { I = 2,",
        "UK = { B = 1, I = 2,",
        "5.reinforcements.UK.B",
        "counters",
    ),
    "unknown army": Slip("charts", "turn", TURN3, '"FR8"', '"FR11"', "3.armies", "unknown id: FR11"),
    "gap in the victory chart": Slip(
        "charts", "level", 'id = "EN_MAJOR"', "max = 7", "max = 6", "EN_MARGINAL.min", "must be 7"
    ),
    "overlap in the victory chart": Slip(
        "charts", "level", 'id = "EN_MAJOR"', "max = 7", "max = 8", "EN_MARGINAL.min", "must be 9"
    ),
    "level upside down": Slip(
        "charts", "level", 'id = "STALEMATE"', "max = 15", "max = 10", "STALEMATE.max", "min"
    ),
    "two levels of one rank": Slip(
        "charts", "level", 'id = "EN_MAJOR"', "rank = -2", "rank = -1", "EN_MAJOR.rank", "must be -2"
    ),
    "stalemate that ends the game": Slip(
        "charts", "level", 'id = "STALEMATE"', "false", "true", "STALEMATE.ends_game", "outermost"
    ),
}

TABLE_MISTAKES = {**FORM, **GROUND, **COUNTERS, **CARDS_AND_CHARTS}
