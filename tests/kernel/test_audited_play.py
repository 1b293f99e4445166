"""A real table under audit: every advance a Close, a rollback with fresh dice and one with the same dice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.kernel.branches import roll_back, same_dice
from engine.kernel.fairness.audit import Close, Entry, Ledger, Secrets, SentMark
from engine.kernel.fairness.dice import Chain, H, NoDice
from engine.kernel.fairness.export import publication, seat_export, umpire_export
from engine.kernel.fairness.history import throws
from engine.kernel.table import Table
from pbem.verify_dice import verify
from tests.kernel.play import Campaign, Player, at_random, kinds, replies
from tests.kernel.toy import NORTH, SEATS


@dataclass
class Audited:
    """A campaign and its ledger; `advance` is what the service does."""

    campaign: Campaign
    ledger: Ledger
    branch: int = 0
    kept: int = 0  # journal lines on record

    @classmethod
    def opened(cls, seed: int) -> Audited:
        secrets = Secrets(Chain(H("play chain", seed), 128), H("play seal", seed))
        campaign = Campaign.of(dice=NoDice())
        table = campaign.table
        table = Table.start(table.game, table.pack, table.settings, NoDice(), **secrets.commitments)
        return cls(Campaign(table), Ledger(table.journal.lines[0].raw, secrets))

    def play(self, player: Player, windows: int = 1000) -> Audited:
        for _ in range(windows):
            if self.campaign.table.over:
                break
            self.advance(player)
        return self

    def advance(self, player: Player) -> None:
        table = self.campaign.table
        files = replies(table.pause, player) if table.pause else {}
        entries = {
            seat: Entry.of([SentMark(f"<{self.ledger.t}.{seat}@mail>")], on_file.canonical().splitlines())
            for seat, on_file in files.items()
        }
        close = self.ledger.close(entries, self.branch)
        table.dice = self.ledger.dice(close)
        table.advance(files, close.t, close.digest.hex())
        self.record(close)

    def record(self, close: Close) -> None:
        table = self.campaign.table
        lines = [line.data for line in table.journal.since(self.kept)]
        self.ledger.records.append(self.ledger.record(close, lines))
        self.kept = len(table.journal)
        self.campaign.keep_snapshot()

    def back_to(self, key: str, branch: int, recorded: bool) -> Audited:
        """A new branch: the first advance on it is a Close of its own."""
        close = self.ledger.close({}, branch)
        fork = same_dice if recorded else roll_back
        table = fork(self.campaign.course(), key, branch, self.ledger.dice(close), "by consent")
        first = len(table.journal) - 1  # the branch's own first line
        shared = [s for s in self.campaign.snapshots if s.line <= first]
        other = Audited(Campaign(table, shared), self.ledger, branch, first)
        table.advance({}, close.t, close.digest.hex())
        other.record(close)
        return other


def verdicts(ledger: Ledger, folder: Path) -> list[tuple[int, list[str]]]:
    """Each seat's export, the umpire's, and all of them together."""
    texts = [*(seat_export(ledger, seat) for seat in SEATS), umpire_export(ledger)]
    paths = [folder / f"{number}.json" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    reports = [verify([path]) for path in paths] + [verify(paths)]
    return [(report.code, report.caught) for report in reports]


@pytest.mark.parametrize("seed", range(5))
def test_a_game_played_to_its_end_verifies(seed: int, tmp_path: Path) -> None:
    audited = Audited.opened(seed).play(at_random(seed))
    assert [(0, [])] * 4 == verdicts(audited.ledger, tmp_path)
    assert umpire_export(audited.ledger) == publication(audited.ledger)
    assert len(kinds(audited.campaign.table, "roll")) == len(list(throws(audited.ledger.records)))


def test_a_rollback_takes_the_next_links_and_verifies(tmp_path: Path) -> None:
    first = Audited.opened(1).play(at_random(1), windows=8)
    before = {throw.segment: throw.faces for throw in throws(first.ledger.records)}
    other = first.back_to("T2.guess", branch=1, recorded=False).play(at_random(1))
    assert [(0, [])] * 4 == verdicts(other.ledger, tmp_path)
    again = [throw for throw in throws(other.ledger.records) if throw.number > len(before)]
    assert "audited" == again[0].source
    assert any("TOUCHED" in record.marks for record in other.ledger.records)


def test_same_dice_fall_again_and_verify(tmp_path: Path) -> None:
    """Recorded answers and rolls of the second turn serve again; then the branch goes on with fresh dice."""
    first = Audited.opened(1).play(at_random(1), windows=8)
    before = {throw.segment: throw.faces for throw in throws(first.ledger.records)}
    other = first.back_to("T2.guess", branch=1, recorded=True).play(at_random(2))
    assert [(0, [])] * 4 == verdicts(other.ledger, tmp_path)
    recorded = [throw for throw in throws(other.ledger.records) if throw.source == "recorded"]
    assert recorded and all(before[throw.segment] == throw.faces for throw in recorded)


def test_a_recorded_roll_that_fell_otherwise_is_caught(tmp_path: Path) -> None:
    first = Audited.opened(1).play(at_random(1), windows=8)
    fallen = kinds(first.campaign.table, "roll")[-1]
    close = first.ledger.close({}, branch=1)
    false = {**fallen, "faces": [fallen["faces"][0] % 6 + 1], "by": "recorded"}
    opened = {"k": "branch", "n": 1, "from": 0, "dice": "same", "reason": "by consent"}
    first.ledger.records.append(first.ledger.record(close, [opened, false]))
    assert [1] * 4 == [code for code, _ in verdicts(first.ledger, tmp_path)]


def test_a_draw_and_a_shuffle_are_proved_at_the_end_only(tmp_path: Path) -> None:
    """While the game goes on a seat knows the root of the deck and its own card, and nothing of the order."""
    audited = Audited.opened(3).play(at_random(3), windows=6)
    text = seat_export(audited.ledger, NORTH)
    assert '\\"root\\"' in text and '\\"order\\"' not in text and '\\"from\\":[' not in text
    assert '\\"order\\"' in umpire_export(audited.ledger)
