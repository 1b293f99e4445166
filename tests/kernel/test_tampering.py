"""Tampering and forgery: one field changed, or one act changed and every later hash made anew."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.fairness import audit
from engine.kernel.fairness.audit import Ledger, SentMark
from engine.kernel.fairness.dice import MAC, H
from engine.kernel.fairness.export import audit_json, seat_export, umpire_export
from engine.kernel.requests import Seat
from pbem.verify_dice import verify
from tests.kernel.audited_campaign import SEATS, Act, Advance, played, script_of

Way = tuple[str | int, ...]

TAMPERINGS = 1_000
FORGERIES = 200


def verdict(folder: Path, *texts: str) -> tuple[int, list[str]]:
    """Exit code and what was caught, for files with these texts."""
    paths = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.json"
        path.write_text(text)
        paths.append(path)
    report = verify(paths)
    return report.code, report.caught


# ------------------------------------------------------------------ one field changed


def leaves(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """Every leaf of a JSON document and the way to it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*way, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*way, number))
    else:
        yield way, value


def changed(document: Any, way: Way, value: Any) -> Any:
    """The document with another leaf there; the rest is shared, not copied."""
    if not way:
        return value
    copy = document.copy()
    copy[way[0]] = changed(document[way[0]], way[1:], value)
    return copy


def other_letter(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    letters = [letter for letter in "0123456789abcdef" if letter != text[place]]
    return text[:place] + chance.choice(letters) + text[place + 1 :]


def inside(text: str, chance: random.Random) -> str:
    """The JSON in a text with one of its own leaves changed."""
    document = json.loads(text)
    way, value = chance.choice(list(leaves(document)))
    other: Any = f"{value}x" if isinstance(value, str) else value + 1 if type(value) is int else "x"
    return json.dumps(changed(document, way, other), sort_keys=True, separators=(",", ":"))


def tampered(value: Any, all_values: list[str], chance: random.Random) -> Any:
    """Another value for a leaf: slightly different, of another type, or taken from elsewhere."""
    assert isinstance(value, str), "an export holds text only"
    ways: list[Callable[[], Any]] = [
        lambda: value + " ",
        lambda: value + "0",
        lambda: None,
        lambda: 0,
        lambda: [value],
        lambda: "",
        lambda: chance.choice(all_values),
        value.upper,
        lambda: value[: len(value) // 2],
    ]
    if value:
        ways += [lambda: other_letter(value, chance)] * 6
    if value[:1] in ("{", "[") and json.loads(value):
        ways += [lambda: inside(value, chance)] * 8
        ways += [lambda: value.replace(",", ", ", 1), lambda: value.replace(":", ": ", 1)]
    while (other := chance.choice(ways)()) == value and type(other) is type(value):
        pass
    return other


def exports(ledger: Ledger) -> dict[str, str]:
    return {**{seat: seat_export(ledger, seat) for seat in SEATS}, "umpire": umpire_export(ledger)}


@pytest.fixture(scope="module")
def short() -> Ledger:
    """All kinds of lines in few Closes."""
    return played(7, script_of(7, length=2))


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["DE", "umpire"])
def test_every_one_of_a_thousand_tamperings_is_caught(reader: str, short: Ledger, tmp_path: Path) -> None:
    text = exports(short)[reader]
    assert (0, []) == verdict(tmp_path, text)
    document, chance = json.loads(text), random.Random(reader)
    places = list(leaves(document))
    texts = [value for _, value in places]
    missed = []
    for number in range(TAMPERINGS):
        way, value = places[number % len(places)]  # every leaf has its turn
        other = tampered(value, texts, chance)
        code, caught = verdict(tmp_path, json.dumps(changed(document, way, other)))
        if code != 1 or not caught:
            missed.append((way, value, other))
    assert [] == missed
    assert len(places) < TAMPERINGS


def test_an_export_holds_text_only(short: Ledger) -> None:
    """A number or a flag could be changed into an equal one of another type."""
    for text in exports(short).values():
        assert all(isinstance(value, str) for _, value in leaves(json.loads(text)))


@pytest.mark.parametrize("reader", ["DE", "umpire"])
def test_a_field_left_out_is_caught(reader: str, short: Ledger, tmp_path: Path) -> None:
    document = json.loads(exports(short)[reader])
    names = sorted(document["closes"][1])
    for name in names:
        cut = json.loads(json.dumps(document))
        del cut["closes"][1][name]
        assert 1 == verdict(tmp_path, json.dumps(cut))[0], name


@pytest.mark.parametrize("name", ["link", "head", "seal EN", "seal DE", "k DE", "K"])
@pytest.mark.parametrize(
    "change", [str.upper, lambda text: f"{text[:32]} {text[32:]}", lambda text: text + "\n"]
)
def test_a_hash_is_written_in_one_way_only(
    name: str, change: Callable[[str], str], short: Ledger, tmp_path: Path
) -> None:
    document = json.loads(umpire_export(short))
    holder = document if name == "K" else document["closes"][1]
    holder[name] = change(holder[name])
    assert 1 == verdict(tmp_path, json.dumps(document))[0]


def test_a_number_is_no_word_of_four_letters(tmp_path: Path) -> None:
    """An integer is hashed as four bytes, and must not pass for a text of four."""
    letters = {SEATS[1]: (SentMark("<1@mail>", "", "gott"),)}
    document = json.loads(seat_export(played(5, (Advance("T1.R1", (), letters),)), SEATS[1]))
    parts = document["closes"][0]["entry DE"][1]
    assert ["mark", "<1@mail>", "", "gott"] == parts
    assert 0 == verdict(tmp_path, json.dumps(document))[0]
    parts[3] = int.from_bytes(b"gott", "big")
    assert 1 == verdict(tmp_path, json.dumps(document))[0]


def test_the_umpires_part_cannot_be_left_out(short: Ledger, tmp_path: Path) -> None:
    """With K given, every Close tells everything."""
    document = json.loads(umpire_export(short))
    for name in ("k umpire", "private umpire"):
        del document["closes"][2][name]
    assert 1 == verdict(tmp_path, json.dumps(document))[0]


def test_a_close_cannot_hide_as_the_opening(tmp_path: Path) -> None:
    text = seat_export(played(5, script_of(5, length=1)[:1]), SEATS[1])
    assert 1 == verdict(tmp_path, text.replace('\\"t\\":1,', '\\"t\\":0,'))[0]


def test_a_close_left_out_is_seen(short: Ledger, tmp_path: Path) -> None:
    document = json.loads(seat_export(short, SEATS[1]))
    del document["closes"][3]
    path = tmp_path / "cut.json"
    path.write_text(json.dumps(document))
    found = verify([path])
    assert (3, ["MISSING Close 4 to 4"]) == (found.code, found.missing)


def test_closes_in_another_order_change_nothing(short: Ledger, tmp_path: Path) -> None:
    document = json.loads(seat_export(short, SEATS[1]))
    document["closes"].reverse()
    assert 0 == verdict(tmp_path, json.dumps(document))[0]


# ------------------------------------------------------------------ forged, with every later hash made anew


def other_act(act: Act) -> Act | None:
    """An act changed as a forger might wish; None: nothing in it can be changed."""
    match act:
        case ("roll", seat, why, count, sides):
            return ("roll", seat, why, count + 1, sides)
        case ("draw", seat, why, items, count):
            return ("draw", seat, why, (*items, "fog"), count)
        case ("fact", name, data):
            return ("fact", name, {**data, "town": "Paris"})
        case ("secret", name, _, to, others):
            return ("secret", name, {"at": "F9"}, to, others)
        case ("answer", seat, by, _):
            return ("answer", seat, by, "nothing")
        case ("open", position, to):
            return ("open", (position + 1) % 13, to)
        case ("ruling", name, reason, data):
            return ("ruling", name, reason + ", it seems", data)
    return None


def forged(script: tuple[Advance, ...], place: int, chance: random.Random) -> tuple[Advance, ...] | None:
    """The script with one thing changed in that advance."""
    advance = script[place]
    seat = chance.choice(SEATS)
    letters = dict(advance.letters)
    kind = chance.choice(["letter", "lost", "text", "act", "act", "act", "dropped", "added", "forced"])
    if kind == "letter":
        letters[seat] = (*letters.get(seat, ()), SentMark(f"<{chance.getrandbits(40):x}@mail>"))
        new = replace(advance, letters=letters)
    elif kind == "lost" and seat in letters:
        del letters[seat]
        new = replace(advance, letters=letters)
    elif kind == "text":
        new = replace(advance, texts={**advance.texts, seat: ("RETREAT",)})
    elif kind == "act":
        number = chance.randrange(len(advance.acts))
        if (act := other_act(advance.acts[number])) is None or (act[0] == "roll" and advance.forced):
            return None
        new = replace(advance, acts=(*advance.acts[:number], act, *advance.acts[number + 1 :]))
    elif kind == "dropped":
        number = chance.randrange(len(advance.acts))
        if advance.acts[number][0] in ("shuffle", "branch", "ruling"):  # missed by itself
            return None
        new = replace(advance, acts=(*advance.acts[:number], *advance.acts[number + 1 :]))
    elif kind == "added":
        new = replace(advance, acts=(*advance.acts, ("fact", "TownTaken", {"town": "Berlin"})))
    elif kind == "forced" and not advance.forced and not advance.same_dice:
        new = replace(advance, acts=(*advance.acts, ("ruling", "force", "so be it", {})))
    else:
        return None
    return (*script[:place], new, *script[place + 1 :])


def letters_to(ledger: Ledger, seat: Seat) -> list[str]:
    """The audit.json of each letter, as it was when the letter went out."""
    letters = []
    for number, record in enumerate(ledger.records):
        then = Ledger(ledger.opening, ledger.secrets, ledger.records[: number + 1])
        letters.append(audit_json(then, seat, record.close.t - 1))
    return letters


@pytest.mark.slow
def test_every_one_of_200_forgeries_is_caught_with_one_players_letters(tmp_path: Path) -> None:
    """The forger has all secrets and makes every later hash anew. The player kept his letters up to then."""
    chance, missed, unnoticed = random.Random(42), [], 0
    script = script_of(11, length=3)
    honest = played(11, script)
    letters = {seat: letters_to(honest, seat) for seat in SEATS}
    count = 0
    while count < FORGERIES:
        place = chance.randrange(len(script))
        if (other := forged(script, place, chance)) is None:
            continue
        count += 1
        false = exports(played(11, other))[chance.choice([*SEATS, "umpire"])]
        last = chance.randrange(place, len(script))  # of the letters that the player kept
        unnoticed += verdict(tmp_path, false)[0] == 0
        if verdict(tmp_path, false, *letters[chance.choice(SEATS)][: last + 1])[0] != 1:
            missed.append((place, script[place], other[place]))
    assert [] == missed
    assert FORGERIES == unnoticed  # without the letters nothing gives these forgeries away


# ------------------------------------------------------------------ the attack on hidden orders

FRONTS, ARMIES = range(1, 8), "ABCDEFGHIJKLMN"
ORDERS = [
    f"ATTACK F{front} WITH {' '.join(armies)}" for front, armies in product(FRONTS, combinations(ARMIES, 4))
]


def guessed_orders(texts: list[str], letter: SentMark) -> set[str]:
    """Orders that a reader of these texts finds out, who knows the letter's Message-ID.

    He tries every order against every hash that he has read, bare and with every 32 bytes he has read as key.
    """
    read = {value for text in texts for value in re.findall("[0-9a-f]{64}", text)}
    keys = [bytes.fromhex(value) for value in sorted(read)]
    found = set()
    for order in ORDERS:
        answers = H("answers", order)
        entry = H("entry", answers, letter.mark)
        tries = [answers, entry, *(MAC(key, "entry", entry) for key in keys)]
        if any(one.hex() in read for one in tries):
            found.add(order)
    return found


def window(letter: SentMark, order: str) -> Ledger:
    """One Close: Germany attacks, the others write too, and a die falls."""
    letters = {SEATS[0]: (SentMark("<en@mail>"),), SEATS[1]: (letter,), SEATS[2]: (SentMark("<fr@mail>"),)}
    texts = {SEATS[0]: ("HOLD",), SEATS[1]: (order,), SEATS[2]: ("HOLD",)}
    return played(5, (Advance("T1.R1", (("roll", SEATS[0], "fire", 2, 6),), letters, texts),))


def test_hidden_orders_cannot_be_guessed_from_the_other_seats_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    letter, order = SentMark("<guessable.1@mail>"), ORDERS[4321]
    ledger = window(letter, order)
    others = [seat_export(ledger, SEATS[0]), seat_export(ledger, SEATS[2]), audit_json(ledger, None)]
    assert 7_007 == len(ORDERS)
    assert set() == guessed_orders(others, letter)
    own = seat_export(ledger, SEATS[1])
    assert {order} == guessed_orders([own], letter)  # with the key it is easy: the attack itself works

    monkeypatch.setattr(audit, "blind", lambda key, entry: entry.digest.hex())
    bare = window(letter, order)
    others = [seat_export(bare, SEATS[0]), seat_export(bare, SEATS[2]), audit_json(bare, None)]
    assert {order} == guessed_orders(others, letter)
