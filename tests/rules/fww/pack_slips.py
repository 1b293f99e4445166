"""Every kind of mistake an umpire's table can hold, each as one change of a built-in file."""

from __future__ import annotations

from engine.games.first_world_war.pack import DATA, load_pack
from tests.packs import Slip, Tables

TABLES = Tables(DATA, load_pack)
FR1, DUMMY, METZ, DE_TILE = 'id = "FR1"', 'id = "WA-D1"', 'id = "METZ"', 'id = "C08"'

MISTAKES = {
    "unreadable TOML": Slip("units", "army", FR1, "value = 1", "value : 1", "line 77", "line"),
    "unknown table": Slip(
        "charts",
        "victory",
        "tie",
        "[victory]",
        "[victories]",
        "-",
        "unknown table",
        at="charts.toml victories",
    ),
    "unknown key": Slip("units", "army", FR1, "value = 1", "values = 1", "FR1.values", "unknown key"),
    "missing key": Slip("tiles", "tile", DE_TILE, 'use = "attack"\n', "", "C08.use", "missing"),
    "wrong type": Slip("units", "army", FR1, "value = 1", 'value = "1"', "FR1.value", "integer"),
    "out of range: value": Slip("units", "army", FR1, "value = 1", "value = 4", "FR1.value", "equal to 3"),
    "out of range: turn": Slip("units", "army", FR1, "entry = 1", "entry = 7", "FR1.entry", "equal to 6"),
    "out of range: front": Slip(
        "map", "location", METZ, "front = 3", "front = 12", "METZ.front", "equal to 11"
    ),
    "no such faction": Slip("map", "location", METZ, '"DE"', '"TR"', "METZ.owner", "WA"),
    "no such use": Slip("tiles", "tile", DE_TILE, '"attack"', '"retreat"', "C08.use", "attack"),
    "no such face": Slip("charts", "die", "faces", '"4"', '"X"', "faces.3", "S"),
    "a face too many": Slip("charts", "die", "faces", '"4"', '"4", "4"', "faces", "at most 6"),
    "missing source": Slip(
        "map", "location", METZ, 'source = "rulebook §7.1"\n', "", "METZ.source", "missing"
    ),
    "missing language": Slip("map", "location", METZ, ', fr = "Metz"', "", "METZ.names.fr", "missing"),
    "duplicate id": Slip("units", "army", FR1, 'id = "FR1"', 'id = "FR2"', "FR2.id", "duplicate"),
    "duplicate line": Slip(
        "map", "line", 'front = 3\na = "VERDUN"', '"METZ"', '"REIMS"', "3 VERDUN REIMS.b", "duplicate"
    ),
    "duplicate in a list": Slip("map", "front", "id = 7", "[8]", "[8, 8]", "7.adjacent", "duplicate"),
    "duplicate tile key": Slip(
        "tiles", "tile", DE_TILE, '"POISONGAS"', '"BIGBERTHA"', "C08.key", "duplicate"
    ),
    "dummy with an army's id": Slip(
        "units", "dummy", DUMMY, 'id = "WA-D1"', 'id = "FR1"', "FR1.id", "duplicate"
    ),
    "base with a location's id": Slip(
        "map", "base", 'id = "B3-DE"', '"B3-DE"', '"METZ"', "METZ.id", "duplicate"
    ),
    "unknown nationality": Slip("units", "army", FR1, '"FR"', '"PT"', "FR1.nationality", "unknown id: PT"),
    "unknown nationality on a front": Slip(
        "map", "front", "id = 4", '"US"', '"PT"', "4.nationalities", "unknown id: PT"
    ),
    "unknown nationality of a tile": Slip(
        "tiles", "tile", DE_TILE, '"DE"', '"TR"', "C08.nationalities", "unknown id: TR"
    ),
    "unknown theatre": Slip("map", "front", "id = 4", '"WEST"', '"SOUTH"', "4.theatre", "unknown id: SOUTH"),
    "unknown end of a line": Slip(
        "map", "line", 'front = 3\na = "VERDUN"', '"METZ"', '"METS"', "3 VERDUN METS.b", "unknown id: METS"
    ),
    "unknown centre": Slip(
        "charts", "replacement", "centres", '"METZ"', '"METS"', "centres.DE", "unknown id: METS"
    ),
    "unknown army charged": Slip(
        "charts", "replacement", "centres", '"ITB"', '"IT9"', "charged_to_WA", "unknown id: IT9"
    ),
    "unknown army in the treaty": Slip(
        "charts", "treaty", "earliest", '"FR-OR"', '"OR"', "combat_only_armies", "unknown id: OR"
    ),
    "unknown nation in the treaty": Slip(
        "charts", "treaty", "earliest", '"RO"', '"RM"', "inactive_nationalities", "unknown id: RM"
    ),
    "unknown army in the set-up": Slip(
        "scenarios", "historical_setup", "front = 4", '"FR1"', '"FR99"', "4.allies", "unknown id: FR99"
    ),
    "unknown location in a restriction": Slip(
        "map",
        "restriction",
        'id = "romanian',
        '"MONASTIR"',
        '"BITOLA"',
        "romanian-front.requires_control",
        "BITOLA",
    ),
    "half a condition": Slip(
        "map",
        "restriction",
        'id = "romanian',
        'requires_faction = "EA"\n',
        "",
        "romanian-front.requires_faction",
        "requires_control",
    ),
    "unknown nation under command": Slip(
        "map",
        "command",
        "id",
        'nationality = "DE"',
        'nationality = "TR"',
        "german-armies-under-allied-command.nationality",
        "unknown id: TR",
    ),
    "commanded by an enemy": Slip(
        "map",
        "command",
        "id",
        'commander = "GA"',
        'commander = "EA"',
        "german-armies-under-allied-command.commander",
        "enemy of DE",
    ),
    "asymmetric adjacency": Slip("map", "front", "id = 4", "[3]", "[2, 3]", "4.adjacent", "asymmetric"),
    "asymmetric, the other way": Slip("map", "front", "id = 3", "[2, 4]", "[2]", "4.adjacent", "asymmetric"),
    "borders on itself": Slip("map", "front", "id = 4", "[3]", "[3, 4]", "4.adjacent", "asymmetric"),
    "front in two theatres": Slip(
        "map", "theatre", 'id = "ITALY"', "[5, 6]", "[4, 5, 6]", "WEST.fronts", "another theatre"
    ),
    "front without theatre": Slip(
        "map", "theatre", 'id = "ITALY"', "[5, 6]", "[5]", "6.theatre", "does not list", at="map.toml front"
    ),
    "nation without a faction there": Slip(
        "map", "front", "id = 7", '"RU"', '"FR"', "7.nationalities", "FR has no faction"
    ),
    "front of another faction's town": Slip(
        "map", "location", METZ, '"DE"', '"GA"', "METZ.owner", "does not fight"
    ),
    "front of another faction's base": Slip(
        "map", "base", 'id = "B3-DE"', '"DE"', '"EA"', "B3-DE.owner", "does not fight"
    ),
    "ambiguous alias": Slip(
        "map", "location", METZ, "aliases = []", 'aliases = ["PARIS"]', "METZ.aliases", "ambiguous"
    ),
    "ambiguous alias of a faction": Slip(
        "game", "faction", 'id = "GA"', '"ADA"', '"OUEST"', "WA.aliases", "ambiguous"
    ),
    "line that leaves its front": Slip(
        "map",
        "line",
        'front = 3\na = "VERDUN"',
        "front = 3",
        "front = 4",
        "4 VERDUN METZ.a",
        "lies on front 3",
    ),
    "line between bases": Slip(
        "map",
        "line",
        'front = 3\na = "SAARBRUCKEN"',
        '"SAARBRUCKEN"',
        '"B3-WA"',
        "3 B3-WA B3-DE.b",
        "two bases",
    ),
    "line given twice, turned round": Slip(
        "map",
        "line",
        'front = 3\na = "VERDUN"',
        '"VERDUN"',
        '"SAARBRUCKEN"',
        "3 METZ SAARBRUCKEN.b",
        "joined already",
    ),
    "wrong count: locations": Slip(
        "game",
        "meta",
        "game",
        "locations = 46",
        "locations = 47",
        "id",
        "46 instead of 47",
        at="map.toml location",
    ),
    "wrong count: centres": Slip(
        "map",
        "location",
        METZ,
        "replacement = true",
        "replacement = false",
        "replacement",
        "16 instead of 17",
    ),
    "wrong count: rounds": Slip(
        "charts", "round_track", "order", "cycles = 4", "cycles = 3", "cycles", "16 rounds"
    ),
    "wrong count: players": Slip(
        "game", "meta", "game", "[2, 3, 4]", "[2, 3]", "players", "3 instead of 2", at="game.toml seats"
    ),
    "wrong count: tiles of a side": Slip(
        "tiles", "tile", DE_TILE, '"CENTRAL"', '"ALLIES"', "alliance", "16 for ALLIES"
    ),
    "wrong count: capacity": Slip(
        "game",
        "faction",
        'id = "DE"',
        "replacement_base = 4",
        "replacement_base = 5",
        "centres.DE",
        "4 instead of 5",
        at="charts.toml replacement",
    ),
    "centre not marked on the map": Slip(
        "charts",
        "replacement",
        "centres",
        '"METZ"',
        '"KOLN"',
        "centres.DE",
        "differs from the locations marked",
    ),
    "centres of a faction missing": Slip(
        "charts",
        "replacement",
        "centres",
        ', GA = ["TRIESTE", "WIEN", "BUDAPEST", "LEMBERG"]',
        "",
        "centres.GA",
        "missing",
    ),
    "army of the wrong faction": Slip(
        "units", "army", FR1, '"WA"', '"EA"', "FR1.faction", "does not belong to EA"
    ),
    "army that fits no front": Slip(
        "map",
        "front",
        "id = 10",
        '"ITB", ',
        "",
        "ITB.nationality",
        "no front lists ITB",
        at="units.toml army",
    ),
    "army charged that is not the East's": Slip(
        "charts", "replacement", "centres", '"ITB"', '"IT1"', "charged_to_WA", "no army of EA"
    ),
    "late dummy": Slip("units", "dummy", DUMMY, "entry = 1", "entry = 2", "WA-D1.entry", "from turn 1"),
    "tile of the enemy's nation": Slip(
        "tiles", "tile", DE_TILE, '"DE"', '"FR"', "C08.nationalities", "does not belong"
    ),
    "zero tile for one use": Slip(
        "tiles", "tile", 'id = "A07"', '"either"', '"attack"', "A07.use", "counts 0"
    ),
    "valued tile for both uses": Slip(
        "tiles", "tile", DE_TILE, '"attack"', '"either"', "C08.use", "counts 0"
    ),
    "wrong back": Slip("tiles", "tile", DE_TILE, '"black"', '"blue"', "C08.back", "must be black"),
    "tiles that never come": Slip(
        "charts", "turn", "id = 3", "[1915]", "[]", "A08.year", "exactly one turn", at="tiles.toml tile"
    ),
    "tiles that come twice": Slip(
        "charts",
        "turn",
        "id = 4",
        "[1916]",
        "[1915, 1916]",
        "A08.year",
        "exactly one turn",
        at="tiles.toml tile",
    ),
    "alliance of the wrong factions": Slip(
        "game", "alliance", 'id = "ALLIES"', '"EA"', '"GA"', "ALLIES.factions", "other alliance"
    ),
    "faction twice on a track": Slip(
        "charts", "round_track", "order", '"WA"', '"DE"', "order", "duplicate: DE"
    ),
    "faction twice in the deployment": Slip(
        "charts", "deployment_track", "order", '"WA"', '"DE"', "order", "duplicate: DE"
    ),
    "faction without a seat": Slip(
        "game", "seats", "players = 4", '["GA"]', '["DE"]', "4.seats", "exactly one seat"
    ),
    "seat of both alliances": Slip(
        "game",
        "seats",
        "players = 2",
        '["WA", "EA"], CENTRAL = ["DE", "GA"]',
        '["WA", "GA"], CENTRAL = ["DE", "EA"]',
        "2.seats.ALLIES",
        "one alliance",
    ),
    "too many seats": Slip(
        "game", "seats", "players = 2", '["DE", "GA"]', '["DE"], GA = ["GA"]', "2.seats", "wrong count: 3"
    ),
    "more fronts than there are": Slip(
        "charts",
        "victory",
        "tie",
        "early_end_fronts = 6",
        "early_end_fronts = 12",
        "early_end_fronts",
        "11 fronts",
    ),
    "set-up on a forbidden front": Slip(
        "scenarios",
        "historical_setup",
        "front = 7",
        '"DE8"',
        '"AH1"',
        "7.central",
        "AH1 may not stand on front 7",
    ),
    "set-up before its turn": Slip(
        "scenarios",
        "historical_setup",
        "front = 5",
        "central = []",
        'central = ["DE7"]',
        "5.central",
        "before turn 4",
    ),
    "set-up with an army of a later turn": Slip(
        "scenarios", "historical_setup", "front = 4", '"FR1"', '"FR6"', "4.allies", "enters in turn 2"
    ),
    "set-up on the wrong side": Slip(
        "scenarios",
        "historical_setup",
        "front = 4",
        '["FR1"]',
        '["FR1", "DE7"]',
        "4.allies",
        "DE7 does not belong",
    ),
    "set-up that disagrees with the counter": Slip(
        "scenarios",
        "historical_setup",
        "front = 4",
        '["FR1"]',
        '["FR1", "FR2"]',
        "FR2.historical_front",
        "front 4",
        at="units.toml army",
    ),
    "set-up that forgets an army": Slip(
        "scenarios",
        "historical_setup",
        "front = 4",
        '["FR1"]',
        "[]",
        "allies/central",
        "FR1 stands there 0 times",
    ),
    "set-up without a front": Slip(
        "scenarios", "historical_setup", "front = 5", "front = 5", "front = 6", "6.front", "dup"
    ),
    "late army with a place": Slip(
        "units",
        "army",
        'id = "FR6"',
        "entry = 2",
        "entry = 2\nhistorical_front = 1",
        "FR6.historical_front",
        "turn 1",
    ),
    "unknown ruling": Slip("scenarios", "rulings", "hand", '"faction"', '"seat"', "hand_scope", "player"),
    "unknown option": Slip(
        "scenarios", "options", "schlieffen", "random_order", "random", "random", "unknown key"
    ),
}
