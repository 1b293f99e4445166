"""RULE, ODDS, HISTORY, HELP and CHECK about To the Last Man!, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.intake.receive import receive_letter
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.flow.hands import text
from tests.orders import commands as c
from tests.verbs.contexts import context, do

GERMAN, ENTENTE = "GE", "EN"  # the one reads French, the other English


@pytest.fixture
def at(tmp_path: Path, without_maps: None) -> AtHand:
    return campaign_at_hand(tmp_path, name="TTLM-1", players=2, game="ttlm", scenario="1914")


def test_a_rule_and_its_section(at: AtHand) -> None:
    assert "TTLM-5.4.1-01: " in do(context(at, ENTENTE), c.ShowRule("5.4.1-01")).text
    whole = do(context(at, GERMAN), c.ShowRule("ttlm-9.5"))
    assert whole.text.count("TTLM-9.5-") == 8 and "Motif : " in whole.text
    assert do(context(at, ENTENTE), c.ShowRule("5.4.1-77")).codes == ["rule-unknown"]


@pytest.mark.parametrize(
    "asked", ["LIE WITH GE2", "Liège avec GE2.", "MOVE GE2 AAC-LIE", "BOUGER GE2 AAC..LIE"]
)
def test_odds_of_an_army_that_is_to_come(at: AtHand, asked: str) -> None:
    """5 infantry once, 1 artillery twice and 2 siege guns twice against a fort: 11 dice."""
    told = do(context(at, GERMAN), c.Odds(asked))
    assert "Liège : 11 dés, 3,2 touches en moyenne" in told.flat


def test_odds_of_what_stands_there(at: AtHand) -> None:
    assert "Liège: 1 die" in do(context(at, ENTENTE), c.Odds("BATTLE LIE")).text


@pytest.mark.parametrize("asked", ["LIE", "LIE WITH FR5", "MOVE FR5 SED-ARD", "the moon"])
def test_without_own_units_there_are_no_odds(at: AtHand, asked: str) -> None:
    told = do(context(at, GERMAN), c.Odds(asked))
    assert set(told.codes) <= {"odds-refused", "odds-no-battle"} and told.codes


def test_history_and_help(at: AtHand) -> None:
    assert "| TTLM-1 · To the Last Man!" in do(context(at, ENTENTE), c.History("T1")).text
    assert "BOUGER" in do(context(at, GERMAN), c.Help("ordres")).text
    assert "RETREAT INSTEAD" in do(context(at, ENTENTE), c.Help("standing")).text


def test_check_tries_a_player_turn_and_files_nothing(at: AtHand) -> None:
    words = "ESSAI\nORDRES\nJOUER OFFENSIVE\nBOUGER GE2 AAC-LIE\nBOUGER GE1 AAC-SED\nBATAILLE LIE\nFIN"
    receive_letter(at.service, at.arrives(at.reply(GERMAN, words)), "test")
    told = " ".join(text(at.letters(GERMAN)[0]).split())
    assert "Rien n’a été enregistré" in told
    assert "accepté BOUGER GE2 AAC-LIE" in told and "[TTLM-4.1-01]" in told
    filed = read_orders(at.db, at.name).seats.get(GERMAN)
    assert filed is None or filed.sheet is None
