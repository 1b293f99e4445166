"""The checker of the dice accepts what each game plays: its labels, its segments, its numbers.

Real games under audit, with every scenario and option. Now one seat is played at once, now another waits
until its window closes, so that segments are cut in two by a Close.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine.kernel.fairness.audit import Entry, Ledger, Secrets, SentMark
from engine.kernel.fairness.dice import Chain, H, NoDice
from engine.kernel.fairness.export import seat_export, umpire_export
from engine.kernel.table import Table
from pbem.campaigns.bots import bind_bot, find_bot
from pbem.verify_dice import verify
from tests.conformance.games import Case
from tests.kernel.play import Campaign, at_random, kinds
from tests.kernel.test_audited_play import Audited

CLOSES = 12  # in the quick suite


def played(case: Case, seed: int, closes: int) -> Ledger:
    """Some Closes of a game that its first bot plays for everybody."""
    game, settings = case.game, case.settings("react")
    secrets, chance = Secrets(Chain(H("labels", seed), 512), H("labels seal", seed)), Random(seed)
    table = Table.start(game, game.load_pack(), settings, NoDice(), **secrets.commitments)
    ledger, kept = Ledger(table.journal.lines[0].raw, secrets), 0
    bot = find_bot(game, sorted(game.bots)[0])
    while not table.over and ledger.t < closes:
        close = ledger.close({seat: Entry.of([SentMark(f"<{ledger.t}.{seat}>")]) for seat in ledger.seats})
        table.dice = ledger.dice(close)
        seats = [seat for seat in ledger.seats if chance.random() < 0.4]
        table.automa = {seat: bind_bot(bot, chance) for seat in seats}
        table.advance({}, close.t, close.digest.hex())
        ledger.records.append(ledger.record(close, [line.data for line in table.journal.since(kept)]))
        kept = len(table.journal)
    return ledger


def verdict(ledger: Ledger, folder: Path) -> tuple[int, list[str]]:
    """On the exports of all seats and of the umpire, one by one and together."""
    texts = [*(seat_export(ledger, seat) for seat in ledger.seats), umpire_export(ledger)]
    paths = [folder / f"{number}.json" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    found = [*(verify([path]) for path in paths), verify(paths)]
    return max(one.code for one in found), [line for one in found for line in one.caught]


def rolled_back(case: Case, seed: int, closes: int, recorded: bool) -> Ledger:
    """Some Closes, back to a segment among them, and on."""
    game, chance = case.game, Random(seed)
    secrets = Secrets(Chain(H("labels", seed), 512), H("labels seal", seed))
    settings = case.settings("strict")
    table = Table.start(game, game.load_pack(), settings, NoDice(), **secrets.commitments)
    audited = Audited(Campaign(table), Ledger(table.journal.lines[0].raw, secrets))
    audited.play(at_random(seed), closes)
    key = chance.choice(kinds(audited.campaign.table, "seam")[1:])["key"]  # a snapshot before it
    return audited.back_to(key, 1, recorded).play(at_random(seed + 1), closes // 2).ledger


def with_one_lost(ledger: Ledger, every: int) -> Iterator[str]:
    """A seat's export and the umpire's without one of the Closes; the last one cannot be missed."""
    for text in (seat_export(ledger, ledger.seats[0]), umpire_export(ledger)):
        document = json.loads(text)
        for lost in range(0, len(document["closes"]) - 1, every):
            closes = [close for number, close in enumerate(document["closes"]) if number != lost]
            yield json.dumps({**document, "closes": closes})


def test_the_checker_accepts_what_is_played(case: Case, tmp_path: Path) -> None:
    ledger = played(case, 1, CLOSES)
    assert (0, []) == verdict(ledger, tmp_path)
    for text in with_one_lost(ledger, every=4):
        (tmp_path / "0.json").write_text(text)
        assert (3, []) == ((found := verify([tmp_path / "0.json"])).code, found.caught)


def test_the_checker_accepts_a_rollback(case: Case, tmp_path: Path) -> None:
    recorded = len(str(case)) % 2 == 0  # some so, some so
    assert (0, []) == verdict(rolled_back(case, 1, 2 * CLOSES, recorded), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_the_checker_accepts_many_rollbacks(case: Case, seed: int, tmp_path: Path) -> None:
    assert (0, []) == verdict(rolled_back(case, seed, 100, seed % 2 == 0), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 22))
def test_the_checker_accepts_many_games(case: Case, seed: int, tmp_path: Path) -> None:
    ledger = played(case, seed, 200)
    assert (0, []) == verdict(ledger, tmp_path)
    for text in with_one_lost(ledger, every=40):
        (tmp_path / "0.json").write_text(text)
        assert (3, []) == ((found := verify([tmp_path / "0.json"])).code, found.caught)
