"""CONTACT Where moves end because the enemy is near."""

from __future__ import annotations

import pytest

from engine.games.trench_club.rules.contact import front, gives_contact, zone
from engine.games.trench_club.rules.movement import March, reach
from engine.games.trench_club.rules.targets import candidates
from tests.rules.trench.drawn import drawn
from tests.rules.trench.orders import cost, done, is_legal, refusal, refused

STOPPED = ("TC-CONTACT-3", "stopped-by-contact")

# ------------------------------------------------------------------ cases


@pytest.mark.parametrize(
    ("units", "legal", "too_far"),
    [
        ("DE.CAR1@D4, GB.INF1@E4", "D5", "D5 D6"),
        ("DE.CAR1@D3, GB.INF1@E4", "D4 D5", "D4 D5 D6"),
        ("DE.CAR1@D5, GB.INF1@B4", "C4 D4 D3", ""),
        ("DE.CAR1@D6, GB.INF1@D2", "D5 D4 D3 C2", "D5 D4 D3 C2 B3"),
        ("DE.CAR1@D3, GB.MOR1@E4, GB.TRK1@E3", "D4 D5 D6", ""),
        ("DE.CAR1@C2, GB.INF1@E2, FR.INF1@E4", "D3 D4", "D3 D4 D5"),
        ("DE.CAR1@fort:B2, GB.INF1@C3, own B2=DE", "C2 D3", "C2 D3 D4"),
    ],
)
def test_e08_enemy_contact(units: str, legal: str, too_far: str) -> None:
    assert is_legal(drawn(units), f"M CAR1 {legal}")
    if too_far:
        assert refused(drawn(units), f"M CAR1 {too_far}") == STOPPED


def test_e08_f_contact_for_an_airplane() -> None:
    assert refused(drawn("DE.AIR1@D4, GB.HVY1@E4"), "M AIR1 D5 D6") == STOPPED
    assert is_legal(drawn("DE.AIR1@D4, GB.HVY1@E4"), "M AIR1 D5")
    assert is_legal(drawn("DE.AIR1@D4, GB.INF1@E4"), "M AIR1 D5 D6")


def test_t05_a_wader_gives_no_contact() -> None:
    state = drawn("DE.CAR1@B4, GB.INF1@B6")
    assert not gives_contact(state, "DE.CAR1", "B5")
    assert gives_contact(drawn("DE.CAR1@B4, GB.INF1@B7"), "DE.CAR1", "B6")


def test_t07_contact_and_forts() -> None:
    state = drawn("DE.CAR1@D5, GB.INF1@C3, own B2=DE")
    assert is_legal(state, "M CAR1 D4 D3")
    assert refused(state, "M CAR1 D4 D3 C2 B2") == STOPPED
    assert refusal(state, "M CAR1 D4 D3 C2 B2").facts["stop"] == "D3"
    assert is_legal(drawn("DE.CAR1@C2, GB.INF1@C3, own B2=DE"), "M CAR1 B2")


# ------------------------------------------------------------------ rules


@pytest.mark.parametrize("enemy", ["INF", "CAV", "HVY", "CAR", "TNK", "AIR", "FEM", "GUN", "ZEP", "ENG"])
def test_contact__1_who_could_attack_in_close_combat(enemy: str) -> None:
    state = drawn(f"DE.CAR1@D6, GB.{enemy}1@E4")
    around = {hex_ for hex_ in state.grid.places if gives_contact(state, "DE.CAR1", hex_)}
    assert around == {"D4", "D5", "E3", "E5", "F4", "F5"}


def test_contact__1_only_enemies() -> None:
    state = drawn("DE.CAR1@D6, AH.INF1@E4, DE.INF1@D3")
    assert not any(gives_contact(state, "DE.CAR1", hex_) for hex_ in state.grid.places)
    assert gives_contact(state, "DE.CAR1", "E5") is False


@pytest.mark.parametrize("enemy", ["MOR", "HOW", "TRK", "FLK", "BER", "RWY", "MIN", "GAS"])
def test_contact__2_no_close_combat_no_contact(enemy: str) -> None:
    state = drawn(f"DE.CAR1@D6, FR.{enemy}1@E4")
    assert not gives_contact(state, "DE.CAR1", "D5")


@pytest.mark.parametrize(
    ("enemy", "gives"),
    [("FLK", True), ("HVY", True), ("AIR", True), ("ZEP", True), ("BOT", True)]
    + [(code, False) for code in ("INF", "CAR", "TNK", "GUN", "ATG", "MOR", "TRK")],
)
def test_contact__2_against_air_units(enemy: str, gives: bool) -> None:
    state = drawn(f"DE.AIR1@D5, FR.{enemy}1@D7")
    assert gives_contact(state, "DE.AIR1", "D6") is gives


def test_contact__2_against_naval_units_as_against_ground() -> None:
    assert gives_contact(drawn("DE.BOT1@B6, GB.INF1@D6"), "DE.BOT1", "C6")
    assert not gives_contact(drawn("DE.BOT1@B6, GB.FLK1@D6"), "DE.BOT1", "C6")


def test_contact__3_the_unit_may_stop_on_the_second_contact_hex() -> None:
    state = drawn("DE.CAR1@D3, GB.INF1@E4")
    ends = reach(state, "DE.CAR1")
    assert ends["D5"] == 2
    assert ends["D6"] == 5  # D4, C4, D5, D6: never two contact hexes in a row


def test_contact__4_the_start_hex_counts() -> None:
    state = drawn("DE.CAR1@D4, GB.INF1@E4")
    assert is_legal(state, "M CAR1 D5")
    assert refused(state, "M CAR1 D5 D6") == STOPPED
    assert is_legal(state, "M CAR1 C4 C5 D6")


def test_contact__5_a_single_contact_hex_does_not_stop() -> None:
    assert is_legal(drawn("DE.CAR1@D5, GB.INF1@B4"), "M CAR1 C4 D4 D3")


def test_contact__6_two_different_enemies() -> None:
    state = drawn("DE.CAR1@C2, GB.INF1@E2, FR.INF1@E4")
    assert refused(state, "M CAR1 D3 D4 D5") == STOPPED
    assert is_legal(drawn("DE.CAR1@C2, GB.INF1@E2"), "M CAR1 D3 D4 D5")


def test_contact__7_not_from_inside_forts_nor_from_water() -> None:
    state = drawn("DE.CAR1@D3, GB.INF1@fort:B2, own B2=GB")
    assert not gives_contact(state, "DE.CAR1", "C2")
    wader = drawn("DE.CAR1@D6, GB.CAR1@C6, GB.INF1@B6")
    assert not gives_contact(wader, "DE.CAR1", "C5")
    assert not gives_contact(wader, "DE.CAR1", "B5")
    assert gives_contact(drawn("DE.CAR1@D6, GB.AIR1@C6"), "DE.CAR1", "C5")
    assert gives_contact(drawn("DE.CAR1@D6, GB.BOT1@C6"), "DE.CAR1", "C5")


def test_contact__7_a_bridge_over_the_water_is_land() -> None:
    assert gives_contact(drawn("DE.CAR1@C4, GB.INF1@B6, built B6=bridge"), "DE.CAR1", "B5")
    assert gives_contact(drawn("DE.CAR1@C8, GB.INF1@D7"), "DE.CAR1", "D8")


def test_contact__7_not_from_aboard() -> None:
    state = drawn("DE.CAR1@D3, GB.TRK1@E4, GB.INF1@GB.TRK1")
    assert not gives_contact(state, "DE.CAR1", "D4")


def test_contact__8_a_fort_is_never_a_contact_hex() -> None:
    state = drawn("DE.CAR1@fort:B2, GB.INF1@C2, GB.INF2@A2, own B2=DE")
    assert not gives_contact(state, "DE.CAR1", "B2")
    assert not March(state, "DE.CAR1").in_contact
    assert is_legal(state, "M CAR1 C1")
    assert refused(state, "M CAR1 C1 D2 D3") == STOPPED
    ground = front(drawn("GB.HVY1@C2"), "central")
    assert "B2" not in ground.ground | ground.air
    assert "B3" in ground.ground & ground.air


def test_contact__8_an_own_fort_parts_two_contact_hexes() -> None:
    """Ruling: the fort is a free hex between them, for whoever passes through it."""
    state = drawn("DE.CAR1@D3, GB.INF1@C3, GB.INF2@A3, own B2=DE")
    assert gives_contact(state, "DE.CAR1", "C2") and gives_contact(state, "DE.CAR1", "A2")
    assert refused(state, "M CAR1 C2 B2") == STOPPED  # D3 is a contact hex, too
    fresh = drawn("DE.CAR1@C2, GB.INF1@C3, GB.INF2@A3, own B2=DE")
    assert is_legal(fresh, "M CAR1 B2 A2")
    assert is_legal(fresh, "M CAR1 B2 A1 A2")
    assert refused(drawn("DE.CAR1@D1, GB.INF1@C3, GB.INF2@E1"), "M CAR1 D2 D3 D4") == STOPPED


def test_contact__9_into_a_fort_or_a_transport_out_of_contact() -> None:
    state = drawn("DE.INF1@D5, DE.TRK1@D4, GB.INF1@E4")
    assert cost(state, "L INF1 TRK1") == 1
    stopped = drawn("DE.INF1@D6, DE.TRK1@D3, GB.INF1@E4")
    assert refused(stopped, "M INF1 D5 D4 TRK1") == STOPPED
    through = drawn("DE.CAR1@C2, GB.INF1@C3, GB.INF2@A3, own B2=DE")
    assert is_legal(through, "M CAR1 B2 A2 B3")  # the fort parts the two contact hexes


def test_contact__10_never_forbids_a_first_step() -> None:
    state = drawn("DE.CAR1@D4, GB.INF1@E4, GB.INF2@D3, GB.INF3@C3")
    assert is_legal(state, "M CAR1 D5")
    assert is_legal(state, "M CAR1 C4")


def test_contact__10_never_limits_attacking() -> None:
    """Begun in contact, stopped by it, or out of it: whoever is in range may be named."""
    state = drawn("DE.CAR1@D3, DE.INF1@D6, DE.MOR1@E5, GB.INF1@E4, GB.CAR1@C4, GB.MOR1@E2")
    done(state, "M CAR1 D4", "M INF1 D5")
    assert refused(drawn("DE.CAR1@D3, GB.INF1@E4, GB.CAR1@C4"), "M CAR1 D4 D5 D6") == STOPPED
    assert {unit: candidates(state, f"DE.{unit}") for unit in ("CAR1", "INF1", "MOR1")} == {
        "CAR1": ["GB.INF1", "GB.CAR1"],
        "INF1": ["GB.INF1", "GB.CAR1"],
        "MOR1": ["GB.CAR1", "GB.MOR1"],  # it strikes over the enemy that stands next to it
    }


def test_contact__11_cargo_is_ignored() -> None:
    state = drawn("DE.CAR1@D3, GB.TRK1@E4, GB.HVY1@GB.TRK1, GB.INF1@GB.TRK1")
    assert is_legal(state, "M CAR1 D4 D5 D6")
    loaded = drawn("DE.TRK1@D3, DE.MOR1@DE.TRK1, GB.HVY1@E4")
    assert refused(loaded, "M TRK1 D4 D5 D6 / MOR1@D7") == STOPPED
    # Unloading is no movement: it may happen in contact.
    assert is_legal(loaded, "M TRK1 D4 D5 / MOR1@D6")


def test_trench__12_contact_from_all_of_a_trench() -> None:
    state = drawn("DE.CAR1@D6, GB.INF1@A5", trench_rules=True)
    assert {"A4", "A6", "B3", "C3", "C4", "C5", "B6"} <= front(state, "central").ground
    assert zone(state, state.units["GB.INF1"]) >= {"A5", "B4", "B5"}
    assert gives_contact(state, "DE.CAR1", "C4")
    assert not gives_contact(drawn("DE.CAR1@D6, GB.INF1@A5"), "DE.CAR1", "C4")
    assert not gives_contact(drawn("DE.CAR1@D6, GB.TNK1@A5", trench_rules=True), "DE.CAR1", "C4")
    beside = drawn("GB.INF1@E4, DE.CAR1@D6", trench_rules=True)
    assert front(beside, "central").ground == {"D4", "D5", "E3", "E5", "F4", "F5"}


def test_trench__12_contact_is_suffered_at_any_hex_of_the_trench() -> None:
    state = drawn("DE.INF1@A5, GB.INF1@C3", trench_rules=True)
    assert March(state, "DE.INF1").in_contact  # B4 is next to C3
    assert refused(state, "M INF1 C4 D4") == STOPPED
    assert not March(drawn("DE.INF1@A5, GB.INF1@D4", trench_rules=True), "DE.INF1").in_contact
    assert not March(drawn("DE.INF1@A5, GB.INF1@C3"), "DE.INF1").in_contact
