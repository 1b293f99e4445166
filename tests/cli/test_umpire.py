"""The umpire's and operator's commands, on a real database in a folder of its own."""

from __future__ import annotations

import json
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from typer.testing import CliRunner, Result

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.umpire.branches import WhatIfResult
from pbem.cli.main import app
from pbem.context import service_context
from pbem.settings import read_settings
from pbem.store.campaigns import campaign_row
from pbem.store.inbox import Belongs, Settled, Sighting, settle_letter, store_letter
from pbem.store.outbox import letters_to
from pbem.store.people import add_member, enrol, give_seat, link_address, person_at, seated
from pbem.store.windows import open_window
from pbem.verify_dice import verify
from tests.campaigns_at_hand import NOW

UMPIRE = "ursula@example.org"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "pbem.toml"
    path.write_text(f'mailbox = "umpire@example.org"\n[house]\numpires = ["{UMPIRE}"]\n', "utf-8")
    return path


@pytest.fixture
def pbem(config: Path, monkeypatch: pytest.MonkeyPatch, without_maps: None) -> Any:
    monkeypatch.chdir(config.parent)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words: str, code: int = 0) -> Result:
        found = CliRunner().invoke(app, [*words, "--config", str(config)])
        assert code == found.exit_code, found.output
        return found

    return run


@pytest.fixture
def begun(pbem: Any, config: Path) -> Engine:
    """A campaign that waits for two people and has two bots."""
    seats = ("WA=ann@example.org", "DE=max@example.org", "EA=bot", "GA=bot:random")
    given = [word for seat in seats for word in ("--seat", seat)]
    terms = ("--players", "4", "--option", "no_surrender_before_turn=4")  # chance ends no test
    pbem("open", "fww", *terms, *given)
    pbem("start", "FWW-1")
    return service_context(read_settings(config)).db


# ------------------------------------------------------------------ opening and looking


def test_a_campaign_is_opened_seated_and_started(pbem: Any, config: Path) -> None:
    told = json.loads(pbem("open", "FWW", "--players", "4", "--title", "The lamps", "--json").stdout)
    assert ("FWW-1", "lobby", "The lamps") == (told["campaign"], told["state"], told["title"])
    assert ["WA", "EA", "DE", "GA"] == told["waits_for"]
    assert "nobody holds WA" in pbem("start", "FWW-1", code=2).stderr
    assert "bot clever" not in pbem("seats", "fww-1", "wa=ann@example.org").stdout
    assert "no bot 'clever'" in pbem("seats", "FWW-1", "DE=bot:clever", code=2).stderr
    assert "SEAT=address" in pbem("seats", "FWW-1", "DE", code=2).stderr
    shown = json.loads(pbem("seats", "FWW-1", "EA=bot", "DE=bot", "GA=bot", "--json").stdout)
    assert ["ann@example.org", None, None, None] == [one["address"] for one in shown["seats"]]
    pbem("start", "FWW-1")
    assert "started before" in pbem("start", "FWW-1", code=2).stderr
    (told,) = json.loads(pbem("status", "--json").stdout)
    assert ("running", "T1.D", ["WA"]) == (told["state"], told["window"], told["waits_for"])
    assert "begun" in pbem("seats", "FWW-1", "DE=max@example.org", code=2).stderr
    assert "FWW-2" in pbem("open", "fww").stdout


def test_all_are_seated_and_named_before_they_are_invited(pbem: Any, config: Path) -> None:
    seats = ("--seat", "ALLIES=max.brandt@example.org", "--seat", "CENTRAL=ann@example.org")
    pbem("open", "fww", *seats, "--name", "ANN@example.org=Ann Lee")
    held = seated(service_context(read_settings(config)).db, "FWW-1")
    assert ["Max Brandt", "Ann Lee"] == [one.person.name for one in held if one.person is not None]
    for seat in ("ALLIES", "CENTRAL"):
        letter = letters_to(service_context(read_settings(config)).db, "FWW-1", seat)[0]
        text = str(message_from_bytes(letter.letter.body, policy=policy.default).get_body(("plain",)))
        assert "Max Brandt" in text and "Ann Lee" in text
    assert "ADDRESS=name" in pbem("seats", "FWW-1", "ALLIES=bot", "--name", "Ann", code=2).stderr
    told = pbem("open", "fww", "--seat", "ALLIES=ann@example.org", "--seat", "CENTRAL=bot:random").stdout
    assert "every seat is held" in told
    letter = letters_to(service_context(read_settings(config)).db, "FWW-2", "ALLIES")[0]
    assert "an automa (random)" in str(message_from_bytes(letter.letter.body, policy=policy.default))


def test_looking_in_the_wrong_folder_makes_nothing(pbem: Any, config: Path) -> None:
    for command in ("status", "health", "letters", "metrics", "clock", "shunted"):
        told = pbem(command, code=2).stderr
        assert f"there is no service here: {config.parent / 'pbem-data'}" in told and "--config" in told
    assert [config] == list(config.parent.iterdir())


def test_a_name_that_nobody_has_is_answered_with_those_there_are(pbem: Any, config: Path) -> None:
    service_context(read_settings(config)).db.dispose()
    assert "no campaigns" in pbem("status").stdout
    pbem("open", "fww")
    for command in ("hold", "status", "journal", "seats", "unseal"):
        assert "there are: FWW-1" in pbem(command, "FWW-9", code=2).stderr


def test_acts_at_the_terminal_are_told_to_every_seat(pbem: Any, begun: Engine) -> None:
    pbem("hold", "FWW-1", "--reason", "snow")
    assert "held: snow" in pbem("status").stdout
    assert "already suspended" in pbem("hold", "FWW-1", code=2).stderr
    pbem("release", "FWW-1")
    assert "2 days" not in pbem("extend", "FWW-1", "2 days").stdout
    assert "is not later" in pbem("extend", "FWW-1", "2020-01-01", code=2).stderr
    assert "several days" in pbem("extend", "FWW-1", "3/8", code=2).stderr
    assert "neither a length" in pbem("extend", "FWW-1", "soon", code=2).stderr
    pbem("rule", "FWW-1", "Metz", "stands.")
    pbem("dice", "FWW-1", "6", "6")
    pbem("process", "FWW-1")
    assert "has no T9" in pbem("rollback", "FWW-1", "T9", code=2).stderr
    pbem("rollback", "FWW-1", "T1", "--reason", "a lost letter")
    assert 1 == campaign_row(begun, "FWW-1").branch
    for seat in ("WA", "DE"):
        kinds = [one.letter.kind for one in letters_to(begun, "FWW-1", seat)]
        assert 7 == kinds.count("notice") and 3 == kinds.count("result")
    told = json.loads(pbem("status", "FWW-1", "--json").stdout)
    done = ["start", "hold", "release", "extend", "ruling", "force-dice", "process", "rollback"]
    assert done == [one["act"] for one in told["acts"]]


def test_answers_what_ifs_and_replacements(pbem: Any, begun: Engine) -> None:
    here = load_campaign(begun, "FWW-1")
    assert here.pause is not None
    ask = next(ask for _, ask in here.pause.asks)
    seat = ask.seat if ask.seat in ("WA", "DE") else "WA"
    assert "no question 7" in pbem("answer", "FWW-1", seat, "Q7 1", code=2).stderr
    pbem("process", "FWW-1")
    found = json.loads(pbem("whatif", "FWW-1", "T1.D1", "--json").stdout)
    assert any("deploy" in one for one in found["would"]) and (found["new"], found["gone"]) == ([], [])
    french = " ".join(pbem("whatif", "FWW-1", "T1.D1", "--lang", "fr").stdout.split())
    assert "déploie" in french and "C’est ce qui est arrivé : rien n’aurait changé." in french
    pbem("replace", "FWW-1", "WA", "new@example.org", "--name", "Nina")
    assert "Nina" in pbem("seats", "FWW-1").stdout
    assert "not a mail address" in pbem("replace", "FWW-1", "WA", "nobody", code=2).stderr


# ------------------------------------------------------------------ hidden things


def test_an_umpire_who_plays_sees_nothing_hidden_before_unsealing(pbem: Any, begun: Engine) -> None:
    hidden = pbem("journal", "FWW-1").stdout
    assert "snapshot" in hidden
    person = enrol(begun, UMPIRE, "Ursula", "en", "UTC", NOW)
    add_member(begun, "FWW-1", person, "umpire", NOW)
    give_seat(begun, "FWW-1", "WA", person, NOW)
    for words in (
        ("journal", "FWW-1"),
        ("export", "FWW-1", "--umpire"),
        ("export", "FWW-1", "--seat", "DE"),
        ("whatif", "FWW-1", "T1.D1"),
        ("answer", "FWW-1", "DE", "1"),
    ):
        assert "unseal" in pbem(*words, code=2).stderr.lower()
    public = pbem("journal", "FWW-1", "--public").stdout
    assert not {line.split()[1] for line in public.splitlines()} & {"answer", "snapshot", "open"}
    pbem("unseal", "FWW-1", "--as", UMPIRE, "--reason", "nobody else is there")
    assert "snapshot" in pbem("journal", "FWW-1").stdout
    assert all(
        "notice" in {one.letter.kind for one in letters_to(begun, "FWW-1", seat)} for seat in ("WA", "DE")
    )


def playing_umpire(store: Engine) -> int:
    """The only umpire takes the seat of WA."""
    person = enrol(store, UMPIRE, "Ursula", "en", "UTC", NOW)
    give_seat(store, "FWW-1", "WA", person, NOW)
    return person


def test_an_umpire_who_plays_has_no_persons_data_before_unsealing(pbem: Any, begun: Engine) -> None:
    playing_umpire(begun)
    for words in ((), ("--as", UMPIRE)):
        refused = pbem("export", "--person", "max@example.org", *words, code=2)
        assert "pbem unseal FWW-1" in refused.stderr and "max" not in refused.stdout
    own = json.loads(pbem("export", "--person", UMPIRE, "--as", UMPIRE).stdout)
    assert ["WA"] == [row["seat"] for row in own["holders"]]
    add_member(begun, "FWW-1", enrol(begun, "otto@example.org", "Otto", "en", "UTC", NOW), "umpire", NOW)
    other = pbem("export", "--person", "max@example.org", "--as", "otto@example.org")  # he does not play
    assert ["max@example.org"] == [row["address"] for row in json.loads(other.stdout)["addresses"]]
    pbem("unseal", "FWW-1", "--as", UMPIRE)
    pbem("export", "--person", "max@example.org", "--as", UMPIRE)


def test_a_letter_that_nobody_could_place_may_be_of_a_sealed_campaign(pbem: Any, begun: Engine) -> None:
    """A player's letter from an address of his that nobody knows, which waits to be read."""
    playing_umpire(begun)
    raw = b"From: max@elsewhere.test\r\n\r\nORDERS FWW-1\r\nDEPLOY DE1 > 8\r\nEND\r\n"
    store_letter(begun, Sighting("INBOX", 1, 1), raw, NOW, NOW)
    assert "pbem unseal FWW-1" in pbem("export", "--person", "max@elsewhere.test", code=2).stderr
    pbem("unseal", "FWW-1")
    assert "DEPLOY" in pbem("export", "--person", "max@elsewhere.test").stdout


def test_only_an_umpire_of_the_campaign_sits_at_the_terminal(pbem: Any, begun: Engine) -> None:
    playing_umpire(begun)
    for words in (
        ("journal", "FWW-1"),
        ("status", "FWW-1"),
        ("export", "FWW-1", "--seat", "DE"),
        ("letters", "FWW-1"),
        ("hold", "FWW-1"),
        ("unseal", "FWW-1"),
        ("whatif", "FWW-1", "T1.D1"),
    ):
        refused = pbem(*words, "--as", "max@example.org", code=2).stderr
        assert "'max@example.org' is not an umpire of FWW-1" in refused
    assert "is not an umpire of any campaign" in pbem("letters", "--as", "max@example.org", code=2).stderr
    assert "nobody here has" in pbem("status", "FWW-1", "--as", "nobody@example.org", code=2).stderr
    pbem("open", "fww", "--players", "4", "--umpire", "otto@example.org")
    pbem("status", "FWW-2", "--as", "otto@example.org")
    refused = pbem("status", "FWW-1", "--as", "otto@example.org", code=2).stderr
    assert "'otto@example.org' is not an umpire of FWW-1" in refused
    pbem("hold", "FWW-2", "--as", UMPIRE)  # of the house, and so of every campaign
    assert "FWW-2" not in pbem("letters", "--as", "otto@example.org").stdout


def test_an_umpire_of_the_house_who_plays_seals_the_campaign_of_another(
    pbem: Any, config: Path, without_maps: None
) -> None:
    seats = ("WA=ursula@example.org", "DE=max@example.org", "EA=bot", "GA=bot")
    given = [word for seat in seats for word in ("--seat", seat)]
    pbem("open", "fww", "--players", "4", "--umpire", "otto@example.org", *given)
    pbem("start", "FWW-1")
    assert "pbem unseal FWW-1" in pbem("journal", "FWW-1", code=2).stderr
    assert "snapshot" in pbem("journal", "FWW-1", "--as", "otto@example.org").stdout


# ------------------------------------------------------------------ letters


def test_letters_of_a_sealed_campaign_are_counted_and_only_ones_own_are_listed(
    pbem: Any, begun: Engine
) -> None:
    """Of those that are shunted every umpire was told by letter, without the seat."""
    ursula, max_brandt = playing_umpire(begun), person_at(begun, "max@example.org")
    assert max_brandt is not None
    letters: tuple[tuple[int, str, Settled], ...] = (
        (max_brandt.id, "DE", "applied"),
        (ursula, "WA", "applied"),
        (max_brandt.id, "DE", "shunted"),
    )
    for number, (who, seat, state) in enumerate(letters, 1):
        taken = store_letter(begun, Sighting("INBOX", 1, number), b"letter %d" % number, NOW, NOW)
        settle_letter(begun, taken.id, state, "filed", NOW, Belongs("FWW-1", seat, who))
    waiting = store_letter(begun, Sighting("INBOX", 1, 9), b"not read yet", NOW, NOW).id
    for name in ((), ("FWW-1",)):
        told = json.loads(pbem("letters", *name, "--json").stdout)
        assert ([(3, "?", "")], []) == ([_known(row) for row in told["in"]], told["out"])
        assert {"applied": 2, "received": 1, "shunted": 1} == told["counts"]["in"]
        assert ["FWW-1"] == told["sealed"] and 4 == sum(told["counts"]["out"].values())
        own = json.loads(pbem("letters", *name, "--as", UMPIRE, "--json").stdout)
        assert [(3, "?", ""), (2, "WA", "filed")] == [_known(row) for row in own["in"]]
    assert [(3, "?", "")] == [_known(row) for row in json.loads(pbem("shunted", "--json").stdout)]
    text = pbem("letters").stdout
    assert "2 applied, 1 received, 1 shunted" in text and "sealed: FWW-1" in text
    pbem("unseal", "FWW-1", "--as", UMPIRE)
    told = json.loads(pbem("letters", "--json").stdout)
    assert [waiting, 3, 2, 1] == [row["id"] for row in told["in"]] and [] == told["sealed"]
    assert "sealed" not in pbem("letters").stdout


def _known(row: dict[str, Any]) -> tuple[int, str, str]:
    return row["id"], row["seat"], row["remark"]


def test_letters_are_listed_requeued_and_sent_again(pbem: Any, begun: Engine) -> None:
    one = store_letter(begun, Sighting("INBOX", 1, 1), b"From: x@example.org\r\n\r\nhello\r\n", NOW, NOW)
    settle_letter(begun, one.id, "shunted", "RuntimeError", NOW)
    assert "RuntimeError" in pbem("shunted").stdout
    told = json.loads(pbem("letters", "--json").stdout)
    assert ["shunted"] == [row["state"] for row in told["in"]]
    assert {"invitation", "result"} == {row["kind"] for row in told["out"]}
    assert "hello" in pbem("requeue", str(one.id), "--show").stdout
    pbem("requeue", str(one.id))
    assert "no letter is shunted" in pbem("shunted").stdout
    assert "there is no letter" in pbem("requeue", str(one.id), code=2).stderr
    assert "there is no letter" in pbem("requeue", "99", "--out", code=2).stderr
    assert "the states are" in pbem("letters", "--state", "lost", code=2).stderr


# ------------------------------------------------------------------ export, forget


def test_exports_verify_and_a_person_is_forgotten(pbem: Any, begun: Engine, tmp_path: Path) -> None:
    """After forced dice and a rollback, too."""
    pbem("dice", "FWW-1", "6", "5", "4", "3", "2", "1")
    for _ in range(3):
        pbem("process", "FWW-1")
    pbem("rollback", "FWW-1", "T1", "--reason", "once more")
    for _ in range(3):
        pbem("process", "FWW-1")
    for name, words in {"umpire": ("--umpire",), "WA": ("--seat", "WA")}.items():
        out = tmp_path / f"{name}.json"
        pbem("export", "FWW-1", *words, "--out", str(out))
        assert 0 == verify([str(out)]).code
    assert pbem("export", "FWW-1", "--dice-csv").stdout.startswith("number,close,turn")
    assert "seat" in pbem("export", "FWW-1", "--luck").stdout
    kept = json.loads(pbem("export", "--person", "ann@example.org").stdout)
    assert ["ann@example.org"] == [row["address"] for row in kept["addresses"]]
    link_address(begun, kept["people"][0]["id"], "ann@work.test", NOW)
    assert "count unsigned again" in pbem("unsigned", "ann@example.org", "--yes").stdout
    assert "nothing is known" in pbem("unsigned", "nobody@example.org", "--yes", code=1).stderr
    told = pbem("forget", "ann@example.org", "--yes").stdout
    assert "WA of FWW-1 is vacant" in told and "backups" in told
    for left in ("mail server", "Processed", "Rejected", "Quarantine", "ann@example.org or ann@work.test"):
        assert left in told
    assert "nothing is kept" in pbem("export", "--person", "ann@example.org", code=2).stderr
    assert "one of --seat" in pbem("export", "FWW-1", code=2).stderr
    pbem("export", "FWW-1", "--umpire", "--out", str(tmp_path / "again.json"))
    assert 0 == verify([str(tmp_path / "again.json")]).code


def test_of_a_person_whom_nobody_knows_nothing_is_erased(pbem: Any, begun: Engine) -> None:
    assert "nothing is known of nobody@x.org" in pbem("forget", "nobody@x.org", "--yes", code=1).stderr
    assert "--seat and --luck" in pbem("export", "FWW-1", "--seat", "WA", "--luck", code=2).stderr


def test_that_nothing_would_happen_is_told_in_the_language_asked_for(
    pbem: Any, begun: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.cli.umpire.show_what_if", lambda *_: WhatIfResult(would=()))
    assert "Rien n’arriverait" in pbem("whatif", "FWW-1", "T1", "--lang", "fr").stdout


def test_what_was_closed_is_named(pbem: Any, begun: Engine) -> None:
    window = open_window(begun, "FWW-1")
    assert window is not None
    assert f"FWW-1 was closed at {label_of(window)}" in pbem("process", "FWW-1").stdout


def test_a_campaign_for_one(pbem: Any) -> None:
    assert ", 1 player, " in pbem("open", "trench", "--players", "1").stdout
