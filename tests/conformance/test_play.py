"""Random legal play: it ends, keeps the invariants, and can be taken up again anywhere."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.kernel.errors import RulesCrash
from engine.kernel.game import Tempo
from engine.kernel.requests import Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.conformance.games import ALL, POLICIES, SIZE, TEMPOS, Case
from tests.conformance.sitting import (
    Altered,
    automatic,
    bot_of,
    by_reply,
    campaign_of,
    checking,
    oracles,
    with_rules,
)
from tests.kernel.play import Campaign, dumped, kinds, same


@pytest.mark.parametrize("seed", range(2 * SIZE))
def test_random_play_ends_and_keeps_the_invariants(case: Case, seed: int, tally: Any) -> None:
    table = automatic(case, seed, game=checking(case.game))
    assert table.over and case.game.outcome(table.state) is not None
    assert [d["k"] for d in kinds(table, "end")] == ["end"]
    assert table.longest_tail <= case.game.tail_cap
    tally(games=1, lines=len(table.journal))


def test_every_bot_plays_legally_to_the_end(case: Case) -> None:
    for bot in sorted(case.game.bots):
        assert automatic(case, 7, bot, checking(case.game)).over


def test_the_check_of_invariants_is_called() -> None:
    """Proof of the test above: an invariant that breaks stops the game."""

    def broken(state: Any) -> None:
        raise AssertionError("broken")

    toy = ALL["toy"]
    case = Case(Altered(toy, check=broken), "standard", 2)  # type: ignore[arg-type]  # as above
    with pytest.raises(RulesCrash, match="broken"):
        automatic(case, 1, game=checking(case.game))


@pytest.mark.parametrize("tempo", TEMPOS)
def test_at_random_pauses_fold_replay_and_snapshot_agree(case: Case, tempo: Tempo, tally: Any) -> None:
    rng = Random(f"{case}/{tempo}")
    campaign, say = campaign_of(case, tempo, seed=3), bot_of(case.game, "random", 3)
    pause, number, chance = campaign.advance(), 0, {"fast": 1.0, "react": 0.5, "strict": 0.04}[tempo]
    while pause is not None and number < 3 * SIZE:
        if rng.random() < chance:
            compare(campaign)
            number += 1
        files = by_reply(campaign.table, pause, say) if tempo == "strict" else oracles(case, say)
        pause = campaign.advance(files)
    compare(campaign)
    tally(pauses=number)


def compare(campaign: Campaign) -> None:
    same(campaign.replayed(), campaign.table)
    for snapshot in campaign.snapshots[-2:]:
        same(campaign.resumed(snapshot), campaign.table)
    state, _ = campaign.table.game.set_up(campaign.table.pack, campaign.table.settings)
    for data in kinds(campaign.table, "fact"):
        campaign.table.codec.fact(data).apply(state)
    folded = campaign.table.game.dump(state)
    assert folded == campaign.table.game.dump(campaign.table.state)


@pytest.mark.parametrize("seed", range(2 * SIZE))
def test_tempo_changes_nothing_but_the_pauses(case: Case, seed: int, tally: Any) -> None:
    """On test dice the same policies give the same facts, by sheet in fast and react, by reply in strict."""
    facts = []
    for tempo in TEMPOS:
        campaign, say = campaign_of(case, tempo, seed), bot_of(case.game, "random", seed)
        pause = campaign.advance()
        while pause is not None:
            pause = campaign.advance(oracles(case, say))
        facts.append([line.raw for line in campaign.lines if b'"k":"fact"' in line.raw])
        tally(**{f"pauses in {tempo}": len(kinds(campaign.table, "pause"))})
    assert facts[0] == facts[1] == facts[2]


def test_orders_in_notation_give_the_same_game_in_every_tempo(case: Case, tally: Any) -> None:
    """Sheets and standing orders as players write them, on file all the time."""
    facts = []
    for tempo in TEMPOS:
        campaign = campaign_of(case, tempo, 9)
        while campaign.advance(policies(case, campaign.table)) is not None:
            pass
        facts.append([line.raw for line in campaign.lines if b'"k":"fact"' in line.raw])
        sources = Counter(data["by"] for data in kinds(campaign.table, "answer"))
        tally(**{f"answers by {by}": number for by, number in sources.items()})
        assert sources["sheet"] + sources["standing"] + sources["plan"] > 10
    assert facts[0] == facts[1] == facts[2]


def policies(case: Case, table: Table) -> dict[Seat, OrderFile]:
    """What everybody has on file now."""
    files = {}
    for seat in case.seats:
        view = table.view(seat)
        reading = case.game.notation.read(POLICIES[case.game.id](view), view)
        assert reading.refusals == ()
        files[seat] = OrderFile(reading.orders, reading.standing)
    return files


def test_a_strict_game_from_files_is_the_game_of_the_automata(case: Case) -> None:
    table, campaign = automatic(case, 4), campaign_of(case, "strict", 4)
    say = bot_of(case.game, "random", 4)
    while campaign.advance(oracles(case, say)) is not None:
        pass
    assert dumped(campaign.table) == dumped(table)


# ------------------------------------------------------------------ crashes


class Lightning:
    """Rules that fail at the n-th request; without a number they only count."""

    def __init__(self, at: int = 0) -> None:
        self.at, self.seen = at, 0

    def __call__(self, state: Any, request: Any) -> Any:
        self.seen += 1
        if self.seen == self.at:
            raise ZeroDivisionError("struck by lightning")
        return request


def struck(campaign: Campaign, files: Any, lightning: Lightning) -> Table:
    """The stored campaign taken up again and advanced under rules that lightning may strike."""
    table, snapshot = campaign.table, campaign.snapshots[-1]
    game = with_rules(table.game, lightning)
    tail = campaign.lines[snapshot.line :]
    again = Table.resume(game, table.pack, table.settings, snapshot, tail, table.dice)
    again.advance(files)
    return again


@pytest.mark.parametrize("seed", range(2 * SIZE))
def test_a_crash_in_the_rules_leaves_the_stored_journal_as_it_was(case: Case, seed: int, tally: Any) -> None:
    """The advance is thrown away, the rules are mended, and it gives the bytes of a quiet one."""
    rng, say = Random(f"{case}/{seed}"), bot_of(case.game, "random", seed)
    campaign = campaign_of(case, "react", seed)
    pause = campaign.advance()
    for _ in range(rng.randrange(4)):
        pause = campaign.advance(oracles(case, say)) if pause is not None else None
    if pause is None:
        return
    before = Lightning()
    campaign.resumed()
    counted = struck(campaign, oracles(case, say), before)
    stored = list(campaign.lines)
    for _ in range(3):
        # somewhere in the advance, or already while the open segment is lived through again
        with pytest.raises(RulesCrash, match="struck by lightning"):
            struck(campaign, oracles(case, say), Lightning(rng.randrange(1, before.seen + 1)))
        assert campaign.lines == stored
    again = struck(campaign, oracles(case, say), Lightning())
    campaign.advance(oracles(case, say))
    for table in (counted, again):
        assert [x.raw for x in table.journal.since(len(stored))] == [
            x.raw for x in campaign.lines[len(stored) :]
        ]
        assert table.journal.head == campaign.table.journal.head
    tally(crashes=3)
