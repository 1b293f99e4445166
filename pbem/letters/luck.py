"""The luck account in words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from babel.numbers import format_decimal, format_percent

from engine.kernel.fairness.luck import BattleLuck, Luck
from pbem.letters.phrases import Phrases

UNUSUAL = 0.1  # what happens in one game of ten is worth a word

LuckRow = tuple[str, str, str, str, str]  # for what, dice, result, expected, judgement


def luck_tables(accounts: Iterable[Luck], phrases: Phrases) -> list[tuple[str, list[LuckRow]]]:
    """Of each seat a table with a row for each purpose of its dice."""
    return [
        (phrases.say("final", "seat", {"id": seat}), [_row(one, phrases) for one in own])
        for seat, own in groupby(accounts, key=lambda one: one.seat)
    ]


def _row(one: Luck, phrases: Phrases) -> LuckRow:
    numbers = str(one.dice), str(one.actual), _expected(one, phrases)
    return _purpose(one, phrases), *numbers, _judgement(one, phrases)


def battle_words(battle: BattleLuck, phrases: Phrases) -> str:
    """One battle in a line, both sides beside each other."""
    sides = [
        {
            "id": one.seat,
            "result": one.actual,
            "expected": _expected(one, phrases),
            "purpose": _purpose(one, phrases),
        }
        for one in battle.rows
    ]
    named = phrases.say("final", "luck_battle", {"battle": battle.battle})
    return phrases.say("final", "luck_line", {"turn": battle.turn, "battle": named, "sides": sides})


def _purpose(one: Luck, phrases: Phrases) -> str:
    return phrases.say("final", "luck_group", {"group": one.group})


def _expected(one: Luck, phrases: Phrases) -> str:
    return format_decimal(round(one.expected, 1), "#,##0.0", locale=phrases.language)


def _judgement(one: Luck, phrases: Phrases) -> str:
    """Out of the ordinary at either end, or not."""
    verdict = "kind" if one.at_least < UNUSUAL else "unkind" if one.at_most < UNUSUAL else "usual"
    chance = min(one.at_least, one.at_most)
    odds = format_percent(chance, "0.0%" if phrases.language == "en" else "0.0 %", locale=phrases.language)
    return phrases.say("final", f"luck_{verdict}", {"odds": odds})
