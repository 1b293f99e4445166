"""`pbem play`: a game at the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pbem.local.play import command_of
from pbem.resources import templates_folder
from tests.cli.conftest import Run, contents, journal_text, one_sentence, sql


def flat(result: Any) -> str:
    """What was printed, without the line breaks of a narrow page."""
    return " ".join(result.stdout.split())


def test_a_whole_game_on_defaults(run: Run) -> None:
    result = run("play", "fww", "--seat", "DE", "--players", 4, "--seed", 3, typed="DEFAULT\n" * 400)
    assert result.exit_code == 0, result.stderr
    assert "The game is over: " in result.stdout
    assert "\nAllies: 17 victory points: Western Allies 9, Eastern Allies 8\n" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80  # 72 and a prompt


def test_the_same_seed_and_keys_give_the_same_game(run: Run) -> None:
    words = ("play", "fww", "--seat", "CENTRAL", "--seed", "9")
    first, second = (run(*words, typed="1\n" * 12).stdout for _ in range(2))
    assert first == second
    assert run("play", "fww", "--seat", "CENTRAL", "--seed", "10", typed="1\n" * 12).stdout != first


def test_where_a_whole_turn_is_wanted_no_answer_has_a_number(run: Run) -> None:
    """A number alone would leave the other rounds to their default; it is still understood."""
    words = ("play", "fww", "--players", 4, "--seat", "DE", "--seed", 4, "--scenario", "historical")
    asked = run(*words, "--tempo", "fast", typed="DEFAULT\nQUIT\n").stdout
    assert "Write all orders of this turn" in asked and "\n  1  " not in asked
    assert "\n  1  " in run(*words, "--tempo", "strict", typed="DEFAULT\nQUIT\n").stdout
    taken = run(*words, "--tempo", "fast", typed="2\nQUIT\n").stdout
    assert "Understood: " in taken


def test_all_refusals_at_once_and_nothing_is_sent(run: Run) -> None:
    typed = "DEFAULT\nATTACK 99\nATTAK 1\nMOVE 1: DE1 > 7\n\nQUIT\n"
    told = flat(
        run(
            "play",
            "fww",
            "--players",
            4,
            "--seat",
            "DE",
            "--seed",
            4,
            "--scenario",
            "historical",
            typed=typed,
        )
    )
    assert 'line 1: "99" is not understood' in told
    assert 'line 2: No order begins with "ATTAK". Did you mean ATTACK' in told
    assert (
        "line 3: DE1 cannot move from front 1 (Flanders) to front 7 (Baltic)" in told and "[FWW-5-2]" in told
    )
    assert "Nothing was sent" in told
    assert "attack on front" not in told.partition("Nothing was sent")[2]


def test_orders_are_repeated_as_understood_and_done(run: Run) -> None:
    typed = "DEFAULT\nattaque 1 avec DE1, DE2\nDEFENDS TOUT: MENE PLUSFORTE\n\nSTANDING\nQUIT\n"
    result = run(
        "play", "fww", "--players", 4, "--seat", "DE", "--seed", 4, "--scenario", "historical", typed=typed
    )
    told = flat(result)
    assert "Understood: C1: ATTACK 1 WITH DE1 DE2" in told
    assert "Understood: DEFEND ALL: LEAD STRONGEST" in told
    assert "Germany attacks on front 1 (Flanders) with DE1 (3), DE2 (3)." in told
    assert told.count("DEFEND ALL: LEAD STRONGEST") == 2  # and once more for STANDING


HISTORICAL = ("play", "fww", "--players", 4, "--seat", "DE", "--seed", 4, "--scenario", "historical")


def test_check_tells_the_fate_of_every_line_and_says_when_all_is_good(run: Run) -> None:
    typed = "DEFAULT\nATTACK 1 WITH DE1\nC2: PASS\nCHECK\nMOVE 1: DE1 > 7\nCHECK\nQUIT\n"
    good, _, bad = flat(run(*HISTORICAL, typed=typed)).partition("CHECK: nothing was sent.")
    assert "1 C1: ATTACK 1 WITH DE1: accepted" in good and "2 C2: PASS: accepted" in good
    assert "All good: an empty line sends them." in good
    assert "All good" not in bad and "DE1 cannot move from front 1" in bad


def test_a_line_can_be_removed_before_it_is_sent(run: Run) -> None:
    typed = "DEFAULT\nATTACK 1 WITH DE1\nMOVE 1: DE1 > 7\nREMOVE 2\nREMOVE 7\n\nQUIT\n"
    told = flat(run(*HISTORICAL, typed=typed))
    assert "Removed: MOVE 1: DE1 > 7. Left: ATTACK 1 WITH DE1." in told
    assert "There is no line 7 to remove." in told
    assert "Understood: C1: ATTACK 1 WITH DE1 (accepted)" in told
    french = flat(run(*HISTORICAL, "--lang", "fr", typed="DEFAUT\nC1: PASSE\nENLEVE\nQUITTER\n"))
    assert "Enlevé : C1: PASSE." in french and "Non joué" not in french


def test_good_lines_are_kept_when_others_are_refused(run: Run) -> None:
    told = flat(run(*HISTORICAL, typed="DEFAULT\nATTACK 1 WITH DE1\nATTAK 2\n\nC2: PASS\n\nQUIT\n"))
    assert "Nothing was sent. Kept: ATTACK 1 WITH DE1. Write the refused lines anew." in told
    assert "Understood: C1: ATTACK 1 WITH DE1 (accepted)" in told


@pytest.mark.parametrize(
    ("game", "typed", "shown"),
    [
        ("fww", "DEFAULT\n", ("Attacks, on each front", "C1: ATTACK 1 WITH DE1 DE2", "Transfers:")),
        ("ttlm", "", ("Cards that begin an Offensive:", "MOVE GE1 AAC-LIE", "One move without a card:")),
    ],
)
def test_what_may_be_ordered_is_shown(run: Run, game: str, typed: str, shown: tuple[str, ...]) -> None:
    words = HISTORICAL if game == "fww" else ("play", game, "--seat", "GE", "--seed", 4)
    told = flat(run(*words, "--tempo", "fast", typed=f"{typed}POSSIBLE\nQUIT\n"))
    few, _, more = told.rpartition(" OPTIONS lists all ")
    assert all(words in few and words in more for words in shown), told
    assert len(more) > len(few[few.rindex(shown[0]) :])


def test_the_commands(run: Run) -> None:
    typed = "?\nSTATUS\nOPTIONS\nRULE 6.1-4\nRULE 99\nODDS ATTACK 1 WITH DE1 DE2\nODDS weather\n"
    typed += "STANDING\nSALT a b\n7777\nCHECK\nQUIT\n"
    result = run("play", "fww", "--players", 4, "--seat", "DE", "--seed", 4, typed="DEFAULT\n" + typed)
    told = flat(result)
    assert result.exit_code == 0
    assert "There is no going back" in told
    assert told.count("THE FIRST WORLD WAR") == 3  # two questions, one STATUS
    assert "FWW-6.1-4" in told and "The register has no rule 99" in told
    assert "Attack on front 1 (Flanders) with DE1 (3), DE2 (3): nobody there" in told
    assert "There are no odds for that" in told
    assert "No standing orders on file." in told
    assert "These words go into the dice with your next letter: a b" in told
    assert "The list has no answer 7777." in told
    assert "CHECK: nothing was sent." in told
    assert told.endswith("The game was not saved.")


def test_in_french(run: Run) -> None:
    result = run(
        "play", "fww", "--seat", "allies", "--lang", "fr", "--seed", 1, typed="AIDE\nétat\nDÉFAUT\nQUITTER\n"
    )
    told = flat(result)
    assert "Pas de retour en arrière" in told
    assert told.count("LA PREMIÈRE GUERRE MONDIALE") >= 3
    assert "Compris : EA DEPLOIE" in told
    assert told.endswith("La partie n’a pas été enregistrée.")


def test_two_people_at_one_keyboard(run: Run) -> None:
    words = (
        "play",
        "fww",
        "--players",
        3,
        "--seat",
        "DE",
        "--seat",
        "GA",
        "--scenario",
        "historical",
        "--seed",
        2,
    )
    result = run(*words, typed="\nDEFAULT\n\nDEFAULT\n\nQUIT\n")
    assert "Now GA: press Enter" in result.stdout
    assert "Now DE: press Enter" in result.stdout
    german = flat(result).partition("Now DE:")[2]
    assert (
        "You are Germany" in german
        and "AH1" not in german.partition("counters you know")[2].partition("Numbers:")[0]
    )


def test_a_saved_game_goes_on(run: Run, tmp_path: Path) -> None:
    save = tmp_path / "game"
    first = run(
        "play", "fww", "--seat", "CENTRAL", "--save", save, typed="DEFAULT\nSALT of the earth\nDEFAULT\n"
    )
    assert first.exit_code == 0
    assert f"Saved in {save}." in first.stdout
    before = journal_text(save)
    second = run("play", "--save", save, "--lang", "fr", typed="DEFAUT\nQUIT\n")
    assert second.exit_code == 0
    assert journal_text(save).startswith(before) and journal_text(save) != before
    assert any("of the earth" in body for (body,) in sql(save, "SELECT body FROM closes"))
    assert run("replay", save).exit_code == 0
    for seat in ("ALLIES", "CENTRAL"):
        run("export", save, "--seat", seat, "--out", tmp_path / f"{seat}.json")
    assert run("verify", tmp_path / "ALLIES.json", tmp_path / "CENTRAL.json").exit_code == 0


def test_leaving_or_erring_changes_nothing(run: Run, campaign: Path) -> None:
    before = contents(campaign)
    assert run("play", "--save", campaign, typed="").exit_code == 0
    assert run("play", "--save", campaign, typed="\nATTACK 99\n\nNONSENSE\n\nQUIT\n").exit_code == 0
    assert contents(campaign) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "which game?"),
        (["chess"], "no game 'chess'"),
        (["fww", "--seat", "FRANCE"], "no seat 'FRANCE' here; the seats are ALLIES, CENTRAL"),
        (["fww", "--bot", "clever"], "fww has no bot 'clever'"),
        (["fww", "--tempo", "allegro"], "no tempo 'allegro'; known: fast, react, strict"),
        (["fww", "--lang", "de"], "no language 'de'; known: en, fr"),
        (["fww", "--seed", "1", "--save", "x"], "exclude each other"),
    ],
)
def test_bad_usage(run: Run, words: list[str], said: str) -> None:
    result = run("play", *words)
    assert result.exit_code == 2
    assert said in one_sentence(result)


def test_a_saved_game_of_another_kind(run: Run, campaign: Path, toy: Any) -> None:
    result = run("play", "toy", "--save", campaign)
    assert result.exit_code == 2
    assert "a game of fww is saved here, not of toy" in one_sentence(result)


def test_a_terminal_in_another_folder(tmp_path: Path) -> None:
    """The installed command in a process of its own, with typed lines through a pipe."""
    command = [sys.executable, "-c", "from pbem.cli.main import main; main()", "play", "fww", "--seed", "5"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "COLUMNS": "80"}
    typed = "DEFAULT\nQUIT\n"
    done = subprocess.run(
        command, input=typed, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "THE FIRST WORLD WAR" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_commands_and_orders_are_told_apart() -> None:
    assert command_of("rule 6.1") == ("rule", "6.1")
    assert command_of("Défaut") == ("default", "")
    assert command_of("OPTIONS RANDOM=ON") == ("", "")  # an order of the game
    assert command_of("ATTACK 1") == ("", "")
    assert command_of("") == ("", "")


def test_help_tells_of_the_orders_of_the_game(run: Run) -> None:
    words = ("play", "trench", "--seed", "1")
    told = flat(run(*words, typed="HELP\nHELP ORDERS\nQUIT\n"))
    assert "HELP ORDERS" in told and "RULE SETUP-1" in told
    page = (templates_folder() / "help" / "en" / "orders.trench.txt").read_text("utf-8")
    assert " ".join(page.split()) in told
    assert "AIDE ORDRES" in flat(run(*words, "--lang", "fr", typed="AIDE\nQUITTER\n"))


@pytest.mark.parametrize("end", ["QUIT\n", ""])
def test_lines_that_were_not_sent_are_told_at_the_end(run: Run, end: str) -> None:
    told = flat(run("play", "fww", "--seed", "4", typed=f"DEFAULT\nPASS\n{end}"))
    assert "Not played, because no empty line followed: PASS" in told
