"""The checker that goes with the invitation: what it accepts, what it catches, and that it stands alone."""

from __future__ import annotations

import ast
import hmac
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import pbem.verify_dice
from engine.kernel.fairness.dice import frame
from engine.kernel.fairness.export import audit_json, publication, seat_export, umpire_export
from pbem.verify_dice import H, Report, ready, verify
from tests.kernel.audited_campaign import SEATS, anchored_anew, played, script_of, whole_campaign
from tests.kernel.mailbox import letter, letters_to, own_letter, store

EN, DE, FR = SEATS
CHECKER = Path(pbem.verify_dice.__file__)


def report(folder: Path, *texts: str) -> Report:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(text)
    return verify(paths)


def told(found: Report) -> tuple[int, list[str]]:
    return found.code, found.caught + found.unreadable


# ------------------------------------------------------------------ the file itself


def test_the_checker_is_one_page_of_the_standard_library() -> None:
    lines = CHECKER.read_text().splitlines()
    assert len(lines) <= 495
    assert max(map(len, lines)) <= 110
    assert imports() <= sys.stdlib_module_names
    ast.parse(CHECKER.read_text(), feature_version=(3, 9))


def imports() -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(CHECKER.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").split(".")[0])
    return modules


@pytest.mark.parametrize("length", [0, 1, 20, 55, 56, 64, 5_000])
def test_its_own_hmac_is_that_of_the_library(length: int) -> None:
    for key in (bytes(32), b"\x36\x5c" * 16, bytes(range(32)), b"\xff" * 32, b"Jefe"):
        message = bytes(range(256)) * 20
        must = hmac.digest(key, frame("roll", message[:length], "é", 7), "sha256")
        assert must == H("roll", message[:length], "é", 7, key=ready(key))


def run_alone(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As a player runs it: the attached file, in an empty folder, without our packages."""
    script = folder / "verify_dice.txt"
    script.write_bytes(CHECKER.read_bytes())
    command = [sys.executable, "-I", "-S", str(script), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_it_runs_alone_on_a_folder_of_letters(tmp_path: Path) -> None:
    ledger = whole_campaign()
    store(letters_to(ledger, DE), tmp_path / "mail")
    done = run_alone(tmp_path, "mail")
    assert (0, "") == (done.returncode, done.stderr)
    summary = f"{len(ledger.records)} Closes, rolls up to #{ledger.rolls}, caught: 0"
    assert summary == done.stdout.splitlines()[-1]


def test_exit_codes(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(seat_export(whole_campaign(), DE))
    bad.write_text(good.read_text().replace("Metz", "Sedan", 1))
    (tmp_path / "broken.json").write_text("{")
    assert 0 == run_alone(tmp_path, "good.json").returncode
    caught = run_alone(tmp_path, "bad.json")
    assert (1, "CAUGHT Close") == (caught.returncode, caught.stdout.splitlines()[-1][:12])
    broken = run_alone(tmp_path, "broken.json")
    assert (2, True) == (broken.returncode, "UNREADABLE broken.json" in broken.stdout)
    assert 2 == run_alone(tmp_path, "missing.json").returncode
    nothing = run_alone(tmp_path)
    assert (2, True) == (nothing.returncode, "no audit.json was found" in nothing.stdout)
    assert 1 == run_alone(tmp_path, "bad.json", "broken.json").returncode


# ------------------------------------------------------------------ what it accepts


def false_alarms(seeds: range, tmp_path: Path) -> list[tuple[int, list[str]]]:
    alarms = []
    for seed in seeds:
        script = script_of(seed, length=1)
        played_so_far = len(script) if seed % 10 == 0 else 1 + seed % 3
        ledger = played(seed, script[:played_so_far], length=16)
        text = seat_export(ledger, SEATS[seed % 3]) if seed % 2 else umpire_export(ledger)
        found = report(tmp_path, text)
        if found.code:
            alarms.append((seed, found.caught))
    return alarms


def test_no_false_alarm_in_a_hundred_campaigns(tmp_path: Path) -> None:
    assert [] == false_alarms(range(100), tmp_path)


@pytest.mark.long
def test_no_false_alarm_in_a_thousand_campaigns(tmp_path: Path) -> None:
    assert [] == false_alarms(range(1_000), tmp_path)


def test_the_exports_of_all_seats_and_the_umpire_agree(tmp_path: Path) -> None:
    ledger = whole_campaign()
    texts = [seat_export(ledger, seat) for seat in SEATS]
    assert (0, []) == told(report(tmp_path, *texts))
    assert (0, []) == told(report(tmp_path, *texts, publication(ledger), audit_json(ledger, None)))


def test_two_players_letters_agree(tmp_path: Path) -> None:
    for seat in (DE, FR):
        store(letters_to(whole_campaign(), seat), tmp_path / seat)
    assert (0, []) == told(verify([tmp_path / "DE", tmp_path / "FR"]))
    assert (0, []) == told(verify([tmp_path]))


def test_other_letters_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    store(letters_to(whole_campaign(), DE), tmp_path)
    (tmp_path / "other.eml").write_bytes(letter("my orders", "the orders", name="orders.txt"))
    (tmp_path / "notes.txt").write_text("buy bread")
    assert (0, []) == told(verify([tmp_path]))


def test_lost_letters_are_named_and_the_rest_is_checked(tmp_path: Path) -> None:
    box = letters_to(whole_campaign(), DE)
    del box["00004-result.eml"], box["00005-result.eml"]
    found = verify([store(box, tmp_path)])
    assert (3, []) == told(found)
    assert "MISSING Close 4 to 5" in found.missing
    last = max(name for name in box if "result" in name)
    box[last] = letter("", audit_json(whole_campaign(), DE, since=17).replace("points", "surrender"))
    assert 1 == verify([store(box, tmp_path)]).code


@pytest.mark.parametrize("name", ["00000-invitation.eml", "00001-1-receipt.eml"])
def test_any_other_letter_that_is_not_here_is_named(name: str, tmp_path: Path) -> None:
    box = {name: text for name, text in letters_to(whole_campaign(), DE).items() if "own" not in name}
    assert 0 == verify([store(box, tmp_path)]).code
    del box[name]
    found = verify([store(box, tmp_path)])
    assert (3, 1) == (found.code, len(found.missing))


def test_a_letter_without_an_answer_is_named(tmp_path: Path) -> None:
    box = letters_to(whole_campaign(), DE) | {"x.eml": own_letter("<never-answered@mail>")}
    found = verify([store(box, tmp_path)])
    assert (3, ["MISSING an answer to your letter <never-answered@mail>"]) == (found.code, found.missing)


def test_one_letter_alone_can_be_checked(tmp_path: Path) -> None:
    for path in sorted(store(letters_to(whole_campaign(), DE), tmp_path).glob("*result.eml")):
        assert (3, []) == told(verify([path]))


def test_marked_windows_and_links_given_up_are_named(tmp_path: Path) -> None:
    lines = report(tmp_path, seat_export(whole_campaign(), DE)).lines
    assert "Close 9: UNSALTED" in lines
    assert "Close 10: TOUCHED" in lines
    assert "Close 15: links 12 to 14 before it given up" in lines


def test_an_erased_players_entries_still_verify(tmp_path: Path) -> None:
    ledger = played(3, script_of(3, length=2))
    before = audit_json(ledger, DE)
    for number, record in enumerate(ledger.records):
        entries = {seat: entry.erased() for seat, entry in record.close.entries.items()}
        ledger.records[number] = replace(record, close=replace(record.close, entries=entries))
    assert (0, []) == told(report(tmp_path, seat_export(ledger, DE), before, umpire_export(ledger)))


def test_a_new_anchor_that_was_announced_is_accepted(tmp_path: Path) -> None:
    ledger = anchored_anew()
    assert (0, []) == told(report(tmp_path, seat_export(ledger, DE)))
    assert (0, []) == told(report(tmp_path, umpire_export(ledger)))
    assert (3, []) == told(report(tmp_path, audit_json(ledger, DE, since=4)))


# ------------------------------------------------------------------ what it cannot read

NOT_OURS = ["[]", "5", '"text"', "null", "{}", '{"closes": []}']
FALSE_FORMS = [
    '{"format": "pbem audit 2"}',
    '{"format": "pbem audit 1", "open": "{}", "closes": []}',
    '{"format": "pbem audit 2", "open": "{}", "closes": [], "more": 1}',
    '{"format": "pbem audit 2", "open": 7, "closes": []}',
    '{"format": "pbem audit 2", "open": "{}", "closes": []}',
    '{"format": "pbem audit 2", "open": "{}", "closes": [7]}',
    '{"format": "pbem audit 2", "open": "{}", "closes": [{"T": "{}"}]}',
    '{"format": "pbem audit 2", "open": "{}", "closes": {"T": "{}"}}',
]


@pytest.mark.parametrize("text", NOT_OURS)
def test_another_json_file_is_not_taken_for_a_forgery(text: str, tmp_path: Path) -> None:
    assert 2 == report(tmp_path, text).code
    assert 2 == report(tmp_path, text, seat_export(whole_campaign(), DE)).code


@pytest.mark.parametrize("text", FALSE_FORMS)
def test_a_false_form_is_caught(text: str, tmp_path: Path) -> None:
    assert 1 == report(tmp_path, text).code


def test_letters_of_another_campaign_are_caught(tmp_path: Path) -> None:
    texts = [seat_export(played(seed, script_of(seed, length=1)[:2]), DE) for seed in (1, 2)]
    found = report(tmp_path, *texts)
    assert 1 == found.code
    assert any("files differ on open" in line for line in found.caught)


def test_an_index_out_of_all_bounds_costs_no_time(tmp_path: Path) -> None:
    text = seat_export(whole_campaign(), DE).replace('\\"t\\":18', '\\"t\\":1800000000')
    assert "1800000000" in text
    assert 1 == report(tmp_path, text).code


def test_a_mangled_letter_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "x.eml").write_bytes(letter("", "{"))
    (tmp_path / "y.eml").write_bytes(b"Content-Type: text/plain; name*\r\n\r\nx")
    assert 2 == verify([tmp_path]).code
