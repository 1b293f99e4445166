"""Tables taken up again: from the last snapshot, an older one, the first line; and changed rules."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from engine.kernel import table as table_module
from engine.kernel.errors import Diverged
from engine.kernel.game import GameSettings
from engine.kernel.journal import canonical
from engine.kernel.requests import Ask, Choice, Procedure, Roll, Segment, Together
from engine.kernel.table import Table
from tests.kernel.play import (
    Campaign,
    at_random,
    dumped,
    kinds,
    rechained,
    replies,
    same,
)
from tests.kernel.toy import (
    GAME,
    HOLES,
    NORTH,
    SOUTH,
    Ended,
    State,
    Toy,
    TurnBegan,
    Waved,
)
from tests.narrowing import expect

# ------------------------------------------------------------------ taken up again


@pytest.mark.parametrize("tempo", ["fast", "react", "strict"])
@pytest.mark.parametrize("seed", range(4))
def test_at_every_pause_a_table_taken_up_again_is_the_same(tempo: Any, seed: int) -> None:
    campaign = Campaign.of(tempo=tempo, dice=seed)
    player, pauses = at_random(seed), 0
    pause = campaign.advance()
    while pause is not None:
        same(campaign.resumed(), campaign.table)
        same(campaign.replayed(), campaign.table)
        for snapshot in campaign.snapshots:
            same(campaign.resumed(snapshot), campaign.table)
        pauses += 1
        pause = campaign.advance(replies(pause, player))
    same(campaign.resumed(), campaign.table)
    same(campaign.replayed(), campaign.table)
    assert pauses >= 4


@pytest.mark.parametrize("tempo", ["fast", "react", "strict"])
def test_a_table_taken_up_again_plays_on_alike(tempo: Any) -> None:
    """A new table for each advance, as in the service, gives the same journal as one that lives on."""
    live = Campaign.of(tempo=tempo).play(at_random(5))
    campaign = Campaign.of(tempo=tempo)
    campaign.advance()
    while (pause := campaign.table.pause) is not None:
        whole, table = campaign.lines, campaign.resumed()
        table.advance(replies(pause, at_random(5)))
        table.journal.lines[:0] = whole[: table.journal.first]
        table.journal.first = 0
        campaign.table = table
        campaign.keep_snapshot()
    same(campaign.table, live.table)


def test_the_facts_alone_rebuild_the_state() -> None:
    campaign = Campaign.of().play(at_random(2))
    state, _ = GAME.set_up(None, GameSettings())
    for line in campaign.lines:
        if (data := line.data)["k"] == "fact":
            campaign.table.codec.fact(data).apply(state)
    assert canonical(GAME.dump(state)) == dumped(campaign.table)


def test_snapshots_stand_at_the_start_of_turns() -> None:
    campaign = Campaign.of().play()
    read = [line.data for line in campaign.lines]
    following = [read[n + 1]["key"] for n, data in enumerate(read) if data["k"] == "snapshot"]
    assert following == ["T1.hide", "T2.hide", "T3.hide", "T4.hide"]
    assert [snapshot.segment.turn for snapshot in campaign.snapshots] == ["T1", "T2", "T3", "T4"]


def test_a_snapshots_line_holds_the_hash_of_its_state() -> None:
    campaign = Campaign.of().play()
    hashes = [d["state"] for d in kinds(campaign.table, "snapshot")]
    assert hashes == [sha256(snapshot.state).hexdigest() for snapshot in campaign.snapshots]


class Endless(Toy):
    """Two hundred segments of one turn, each of some lines."""

    id = "endless"

    @staticmethod
    def _segment(state: State, n: int) -> Procedure:
        for _ in range(5):
            yield Waved(NORTH)
        yield Ask(NORTH, "guess", f"T1.s{n}", None, Choice(HOLES, "TOY-2"), "H1", secret=n % 50 == 49)
        if n < 199:
            return Segment("s", f"T1.s{n + 1}", (n + 1,))
        yield Ended()
        return None

    segments: Mapping[str, Any] = {"s": _segment}

    def set_up(self, pack: Any, settings: GameSettings) -> tuple[State, Segment]:
        return State(pack), Segment("s", "T1.s0", (0,))


def test_a_long_turn_has_a_snapshot_every_500_lines() -> None:
    campaign = Campaign.of(Endless())
    campaign.table.automa = {}
    campaign.play()
    read = [line.data for line in campaign.lines]
    places = [n for n, data in enumerate(read) if data["k"] == "snapshot"]
    assert len(read) > 1500 and len(places) == 1 + len(read) // (table_module.SNAPSHOT_EVERY + 10)
    gaps = [b - a for a, b in pairwise(places)]
    assert all(500 <= gap < 510 for gap in gaps)
    for snapshot in campaign.snapshots:
        same(campaign.resumed(snapshot), campaign.table)
    same(campaign.replayed(), campaign.table)


def test_resuming_costs_what_the_tail_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "SNAPSHOT_EVERY", 5)
    campaign = Campaign.of()
    pause = campaign.advance()
    while pause is not None:
        assert len(campaign.lines) - campaign.snapshots[-1].line < 5 + GAME.tail_cap
        same(campaign.resumed(), campaign.table)
        same(campaign.replayed(), campaign.table)
        pause = campaign.advance()
    assert len(kinds(campaign.table, "snapshot")) > 4


# ------------------------------------------------------------------ changed rules


def next_segment(stop: StopIteration) -> Segment | None:
    """What a procedure returned."""
    return None if stop.value is None else expect(Segment, stop.value)


def changed(**segments: Any) -> Toy:
    game = Toy()
    game.segments = {**Toy.segments, **segments}
    return game


def other_place(state: State, turn: int) -> Procedure:
    yield TurnBegan(turn)
    yield Ask(NORTH, "hide", f"T{turn}.elsewhere", None, Choice(HOLES, "TOY-1"), "H1", secret=True)
    return None


def other_seat(state: State, turn: int) -> Procedure:
    yield TurnBegan(turn)
    asks = (
        Ask(s, "hide", f"T{turn}.hide", None, Choice(HOLES, "TOY-1"), "H1", secret=True)
        for s in (SOUTH, NORTH)
    )
    yield Together(tuple(asks))
    return None


def other_topic(state: State, turn: int) -> Procedure:
    yield TurnBegan(turn)
    yield Ask(NORTH, "guess", f"T{turn}.hide", None, Choice(HOLES, "TOY-1"), "H1", secret=True)
    return None


def other_fact(state: State, turn: int) -> Procedure:
    yield TurnBegan(turn + 1)
    return None


def other_request(state: State, turn: int) -> Procedure:
    yield TurnBegan(turn)
    yield Roll(NORTH, "weather")
    return None


def nothing(state: State, turn: int) -> Procedure:
    yield TurnBegan(turn)
    return Segment("guess", f"T{turn}.guess", (turn,))


@pytest.mark.parametrize("rule", [other_place, other_seat, other_topic, other_fact, other_request, nothing])
def test_changed_rules_diverge_and_the_place_is_named(rule: Any) -> None:
    campaign = Campaign.of().play(pauses=2)
    with pytest.raises(Diverged, match=r"T1\.(hide|guess), line [4-9]: the rules say .*; the journal says "):
        campaign.replayed(changed(hide=rule))


def test_a_changed_roll_diverges() -> None:
    def loud_guess(state: State, turn: int) -> Procedure:
        procedure = Toy.segments["guess"](state, turn)
        reply = None
        try:
            while True:
                request = procedure.send(reply)
                if isinstance(request, Roll):
                    request = Roll(request.seat, "louder")
                reply = yield request
        except StopIteration as stop:
            return next_segment(stop)

    campaign = Campaign.of().play(pauses=4)
    with pytest.raises(Diverged, match=r"T1\.guess, line \d+: the rules say roll .*louder"):
        campaign.replayed(changed(guess=loud_guess))


def test_changed_rules_diverge_also_in_the_open_segment() -> None:
    campaign = Campaign.of().play(pauses=1)
    table, snapshot = campaign.table, campaign.snapshots[-1]
    with pytest.raises(Diverged, match=r"T1\.hide, line 4"):
        Table.resume(
            changed(hide=other_fact),
            table.pack,
            table.settings,
            snapshot,
            campaign.lines[snapshot.line :],
            table.dice,
        )


def test_mended_options_do_not_diverge() -> None:
    """Compared are kind, seat, topic and place, not what was offered."""

    def wider(state: State, turn: int) -> Procedure:
        procedure = Toy.segments["hide"](state, turn)
        request = next(procedure)
        try:
            while True:
                if isinstance(request, Together):
                    wide = Choice((*HOLES, "H4"), "TOY-1")
                    asks = tuple(
                        Ask(a.seat, a.topic, a.at, "told more", wide, "H4", secret=True) for a in request.asks
                    )
                    request = Together(asks)
                request = procedure.send((yield request))
        except StopIteration as stop:
            return next_segment(stop)

    campaign = Campaign.of().play(at_random(3))
    same(campaign.replayed(changed(hide=wider)), campaign.table)


def test_a_tampered_state_hash_diverges() -> None:
    campaign = Campaign.of().play()
    raws = [line.raw for line in campaign.lines]
    place = max(n for n, line in enumerate(campaign.lines) if line.data["k"] == "snapshot")
    raws[place] = canonical({"k": "snapshot", "state": "0" * 64})
    with pytest.raises(Diverged, match="snapshot"):
        campaign.replayed(lines=rechained(raws))


def test_a_journal_without_end_diverges_where_the_rules_end() -> None:
    campaign = Campaign.of().play()
    extra = [line.raw for line in campaign.lines] + [canonical({"k": "fact", "fact": "Ended", "data": {}})]
    with pytest.raises(Diverged):
        campaign.replayed(lines=rechained(extra))
