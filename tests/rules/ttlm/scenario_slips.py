"""Every kind of mistake a scenario can hold, each as one change of the built-in file."""

from __future__ import annotations

from tests.packs import Slip

S1914, S1915, S1919 = 'id = "1914"', 'id = "1915"', 'id = "1919"'

SCENARIO_MISTAKES = {
    "start in another year": Slip(
        "scenarios", "scenario", S1915, "start_turn = 4", "start_turn = 3", "1915.start_turn", "1914-WI"
    ),
    "end before the winter": Slip(
        "scenarios",
        "scenario",
        S1915,
        "end_turn_short = 7",
        "end_turn_short = 6",
        "1915.end_turn_short",
        "1915-AU",
    ),
    "campaign cut short": Slip(
        "scenarios", "scenario", S1915, "campaign = 23", "campaign = 22", "1915.end_turn_campaign", "23"
    ),
    "hand above the limit": Slip(
        "scenarios", "scenario", S1914, "{ GE = 9", "{ GE = 11", "1914.hands.GE", "10"
    ),
    "hand of nobody": Slip(
        "scenarios", "scenario", S1914, "{ GE = 9, EN = 7 }", "{ GE = 9 }", "1914.hands", "both"
    ),
    "unknown card": Slip(
        "scenarios",
        "scenario",
        S1914,
        '["SUR", "OFF"]',
        '["SUX", "OFF"]',
        "1914.historical_cards.GE",
        "unknown id: SUX",
    ),
    "card out of the deck": Slip(
        "scenarios", "scenario", S1919, '["ER3", "BAD"]', '["ER3", "GMC"]', "1919.historical_cards.GE", "GMC"
    ),
    "one card for two": Slip(
        "scenarios",
        "scenario",
        S1914,
        '["SUR", "OFF"], EN = ["SRV", "ER3"]',
        '["BIG", "OFF"], EN = ["BIG", "ER3"]',
        "1914.historical_cards.EN",
        "BIG",
    ),
    "crises in 1919": Slip(
        "scenarios", "scenario", S1919, '["EMC", "GMC"]', '["EMC"]', "1919.cards_out", "EMC GMC"
    ),
    "unknown area": Slip(
        "scenarios", "scenario", S1914, '"AAC", "ALS"', '"AAX", "ALS"', "1914.german", "unknown id: AAX"
    ),
    "German England": Slip("scenarios", "scenario", S1914, '"EFT"', '"EFT", "ENG"', "1914.german", "ENG"),
    "box of the Entente": Slip("scenarios", "scenario", S1914, '"EFT", ', "", "1914.german", "EFT"),
    "fort that is not printed": Slip(
        "scenarios", "scenario", S1914, "ANT = 3", "BRU = 3", "1914.forts.BRU", "no fort"
    ),
    "fort above its print": Slip(
        "scenarios", "scenario", S1914, "ANT = 3", "ANT = 4", "1914.forts.ANT", "3 is printed"
    ),
    "army and nation": Slip(
        "scenarios",
        "scenario",
        S1914,
        'army = "GE1"',
        'army = "GE1", nation = "GE"',
        "1914.stacks.0",
        "either",
    ),
    "neither army nor nation": Slip(
        "scenarios", "scenario", S1914, 'army = "GE1", ', "", "1914.stacks.0", "either"
    ),
    "stack nowhere": Slip(
        "scenarios",
        "scenario",
        S1914,
        'area = "AAC"',
        'area = "AAX"',
        "1914.stacks.0.area",
        "unknown id: AAX",
    ),
    "loose nothing": Slip(
        "scenarios",
        "scenario",
        S1914,
        'nation = "GE", units = { C = 1 }',
        'nation = "GE"',
        "1914.stacks.3.units",
        "missing",
    ),
    "counters nobody has": Slip(
        "scenarios", "scenario", S1914, "{ I = 3, A = 1 }", "{ I = 3, G = 1 }", "1914.stacks.12.units", "FR.G"
    ),
    "French in England": Slip(
        "scenarios",
        "scenario",
        S1914,
        'area = "MAU", nation = "FR"',
        'area = "ENG", nation = "FR"',
        "1914.stacks.16.area",
        "FR",
    ),
    "French in the box": Slip(
        "scenarios",
        "scenario",
        S1914,
        'area = "MAU", nation = "FR"',
        'area = "EFT", nation = "FR"',
        "1914.stacks.16.area",
        "FR",
    ),
    "cavalry in trenches": Slip(
        "scenarios",
        "scenario",
        S1914,
        'nation = "GE", units = { C = 1 }',
        'nation = "GE", units = { C = 1 }, entrenched = true',
        "1914.stacks.3.entrenched",
        "entrench",
    ),
    "army over its slots": Slip(
        "scenarios",
        "scenario",
        S1914,
        "{ I = 5, C = 1, A = 1 }",
        "{ I = 6, C = 1, A = 1 }",
        "1914.stacks.0.units",
        "6 infantry in 5",
    ),
    "artillery over its cap": Slip(
        "scenarios",
        "scenario",
        S1914,
        "{ I = 5, C = 1, A = 1 }",
        "{ I = 5, A = 2 }",
        "1914.stacks.0.units.A",
        "at most 1 in 1914",
    ),
    "two biplanes": Slip(
        "scenarios",
        "scenario",
        'id = "1916"',
        "A = 1, B = 1 }",
        "A = 1, B = 2 }",
        "1916.stacks.2.units.B",
        "at most 1",
    ),
    "army twice": Slip(
        "scenarios",
        "scenario",
        S1914,
        'army = "GE2"',
        'army = "GE1"',
        "1914.stacks",
        "GE1 stands there 2 times",
    ),
    "army before its time": Slip(
        "scenarios",
        "scenario",
        S1914,
        'army = "GE2"',
        'army = "GEC"',
        "1914.stacks",
        "GE2 stands there 0 times",
    ),
    "more counters than there are": Slip(
        "scenarios", "scenario", S1914, "{ I = 2 } },", "{ I = 3 } },", "1914.stacks", "BE.I: there are 3"
    ),
    "biplanes before their year": Slip(
        "scenarios",
        "scenario",
        'id = "1916"',
        "{ I = 5, A = 3 }",
        "{ I = 5, A = 2, B = 1 }",
        "1916.stacks",
        "GE.B: there are 1",
    ),
    "corps before its turn": Slip(
        "scenarios",
        "scenario",
        S1915,
        'army = "UK1", units = { I = 3, C = 1 }',
        'army = "UK1", units = { I = 3, CW = 1 }',
        "1915.stacks",
        "UK.CW: there are 0",
    ),
    "four in an area": Slip(
        "scenarios",
        "scenario",
        S1914,
        'nation = "GE", units = { C = 1 } },\n  { area = "LUX"',
        'nation = "GE", units = { I = 3 } },\n  { area = "LUX"',
        "1914.stacks",
        "4 pieces of GE in TRI",
    ),
    "disputed and not listed": Slip(
        "scenarios", "scenario", S1915, '"ARG", "ART"', '"ARG"', "1915.disputed", "ART"
    ),
    "listed and not disputed": Slip(
        "scenarios", "scenario", S1914, "disputed = []", 'disputed = ["LIE"]', "1914.disputed", "nowhere"
    ),
    "held by the other side": Slip(
        "scenarios", "scenario", S1914, '"LUX", ', "", "1914.german", "GE alone holds LUX"
    ),
    "empty army at the front": Slip(
        "scenarios",
        "scenario",
        S1915,
        'area = "CHA", army = "FR9"',
        'area = "ARG", army = "FR9"',
        "1915.stacks.28.area",
        "empty",
    ),
    "wrong points": Slip(
        "scenarios", "scenario", S1914, "start_vp = 11", "start_vp = 12", "1914.start_vp", "make 11"
    ),
}
