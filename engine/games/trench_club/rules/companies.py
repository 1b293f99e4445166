"""SETUP-23..27 Which companies may act in the first turns."""

from __future__ import annotations

from itertools import combinations

from engine.games.trench_club.answers import COMPANIES, Camp, Company
from engine.games.trench_club.state import Position, Unit
from engine.kernel.errors import Illegal, Refusal


def companies_allowed(position: Position, camp: Camp) -> int:
    """SETUP-23, 24 How many companies may act; 0: no limit."""
    table = position.pack.first_turns
    limits = table.four if len(position.ring) == 4 else table.two
    if position.round > len(limits):
        return 0
    allowed = limits[position.round - 1][position.order.index(camp)]
    return 0 if allowed == len(COMPANIES) else allowed


def choices(position: Position, camp: Camp) -> tuple[tuple[Company, ...], ...]:
    """SETUP-25 In its second round the first of two players has those left that did not act in the first."""
    allowed = companies_allowed(position, camp)
    used = position.acted.get(camp, ())
    if position.round == 2 and used and position.options["second_round"] == "remaining":
        return (tuple(company for company in COMPANIES if company not in used),)
    return tuple(combinations(COMPANIES, allowed))


def is_called(position: Position, unit: Unit) -> bool:
    """SETUP-26, 27 In a limited turn only the chosen companies act; bought units always."""
    return position.chosen is None or unit.company == "" or unit.company in position.chosen


def why_not_active(position: Position, unit: str) -> Refusal | None:
    """SETUP-26"""
    if is_called(position, position.units[unit]):
        return None
    return Illegal("TC-SETUP-26", "company-not-active", {"unit": unit, "legal": position.chosen or ()})
