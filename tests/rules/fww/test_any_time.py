"""FWW 4.2.1-12, 6.2.1-5, S-3 to S-5: what may be done at any time, and what each seat sees."""

from __future__ import annotations

import random

import pytest

from engine.games.first_world_war.answers import AnyTime, Attack, Pass, Recall
from engine.games.first_world_war.facts.board import CountersMoved, CountersTurnedUp, RecallAsked
from engine.games.first_world_war.facts.combat import TilePutBack, TilePutBackFaceDown
from engine.games.first_world_war.game import GAME
from engine.kernel.game import Tempo
from engine.kernel.requests import Answer, Seat
from tests.rules.fww.board import PACK, Board

FRONTS = {1: "BE1 FR2 WA:D DE1", 9: "RU4 AH1 DE11"}


def options_of(board: Board, faction: str):
    """What the faction may volunteer before the round that is played now."""
    board.ask()
    return next(
        a.options for a in reversed(board.asked) if a.topic == "any_time" and a.given.faction == faction
    )


def why(board: Board, faction: str, act: Answer):
    refusal = options_of(board, faction).why_not(act)
    return refusal and (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ moments


def test_4_2_1__12_each_faction_with_something_has_a_moment_before_each_round():
    board = Board(fronts={1: "DE1 BE1"}, hands={"EA": "A01"}).play()
    asked = [a for a in board.asked if a.topic == "any_time"]
    own = ["DE", "WA", "EA"]  # the East has a tile, the allies nothing
    assert [a.given.faction for a in asked] == [*own, *own]  # with earlier letters, and with this round's
    board.play()
    asked = [a for a in board.asked if a.topic == "any_time" and a.at == "T1.R2"]
    assert [a.given.faction for a in asked] == own
    assert all(a.volunteer and a.secret and a.default == AnyTime() for a in asked)
    assert not [line for line in board.lines("answer") if line["topic"] == "any_time"]


def test_4_2_1__12_nobody_is_waited_for():
    board = Board(tempo="strict", fronts={1: "DE1 BE1"})
    pause = board.ask()
    assert pause.topic == "round.action"
    assert [line["window"] for line in board.lines("pause")] == ["round.action@T1.R1/DE"]


# ------------------------------------------------------------------ showing counters


def test_4_2_1__12_an_own_counter_is_shown_to_all():
    board = Board(fronts=FRONTS).answer("WA", AnyTime(revealed=("FR2",))).play()
    assert board.one(CountersTurnedUp).counters == ("FR2",)
    for seat in ("DE", "GA", "EA"):
        assert board.view(seat).known[1] == (("DE1", "FR2") if seat == "DE" else ("FR2",))
        assert board.view(seat).face_up == ("FR2",)


def test_4_2_1__12_a_shown_dummy_stays_on_the_board():
    board = Board(fronts=FRONTS).answer("WA", AnyTime(revealed=("WA-D1",))).play()
    assert "WA-D1" in board.on(1)
    assert board.view("DE").known[1] == ("DE1", "WA-D1")


def test_4_2_1__12_it_is_never_required():
    board = Board(fronts=FRONTS).play(segments=4)
    assert board.of(CountersTurnedUp) == []


def test_4_2_1__12_own_means_of_the_own_colour():
    """Ruling: Germans under allied command are shown by Germany, whose counters they are."""
    board = Board(fronts=FRONTS, face_up="RU4")
    assert why(board, "GA", AnyTime(revealed=("DE11",))) == ("FWW-4.2.1-12", "not-own")
    assert why(board, "DE", AnyTime(revealed=("DE11",))) is None
    assert why(board, "DE", AnyTime(revealed=("FR2",))) == ("FWW-4.2.1-12", "not-own")
    assert why(board, "DE", AnyTime(revealed=("DE9",))) == ("FWW-4.2.1-12", "not-on-board")
    assert why(board, "EA", AnyTime(revealed=("RU4",))) == ("FWW-4.2.1-12", "already-shown")
    assert why(board, "DE", AnyTime(revealed=("DE1", "DE1"))) == ("FWW-4.2.1-12", "named-twice")
    assert why(board, "DE", Pass()) == ("FWW-4.2.1-12", "not-an-act")


def test_4_2_1__12_shown_counters_are_turned_down_with_the_next_combat_there():
    """FWW-6-10"""
    board = Board(faction="DE", fronts={1: "BE1 FR2 DE1 DE2"})
    board.answer("WA", AnyTime(revealed=("FR2",)))
    board.answer("DE", Attack(1, ("DE1",))).play(dice="1 1")
    assert board.state.face_up == []


# ------------------------------------------------------------------ tiles put back


def test_6_2_1__5_an_unusable_tile_goes_back_and_nothing_is_drawn():
    board = Board(fronts=FRONTS, hands={"EA": "A02"}).answer("EA", AnyTime(returned=("A02",))).play()
    assert board.state.hands["EA"] == []
    assert "A02" in board.state.cups["ALLIES"]
    assert board.one(TilePutBack) in board.read_by("EA")
    assert TilePutBackFaceDown("EA", "normal") in board.read_by("WA")
    assert board.lines("draw") == []


def test_6_2_1__5_mandatory_ones_included_and_keeping_is_allowed():
    board = Board(fronts=FRONTS, hands={"EA": "A03"})
    assert why(board, "EA", AnyTime(returned=("A03",))) is None
    board.play()
    assert board.state.hands["EA"] == ["A03"]


def test_6_2_1__6_a_tile_some_commanded_army_could_use_stays():
    board = Board(fronts=FRONTS, hands={"WA": "A04 A07", "GA": "C02", "DE": "C06"})
    assert why(board, "WA", AnyTime(returned=("A04",))) == ("FWW-6.2.1-6", "still-of-use")
    assert why(board, "WA", AnyTime(returned=("A07",))) == ("FWW-6.2.1-6", "still-of-use")
    assert why(board, "WA", AnyTime(returned=("A01",))) == ("FWW-6.2.1-5", "not-in-hand")
    assert why(board, "GA", AnyTime(returned=("C02",))) == ("FWW-6.2.1-6", "still-of-use")  # DE11 obeys it
    assert why(board, "DE", AnyTime(returned=("C06",))) is None


@pytest.mark.parametrize("seed", range(20))
def test_samples_and_examples_are_always_legal(seed):
    rng = random.Random(seed)
    board = Board(fronts={**FRONTS, 3: "FR3 DE4"}, hands={"EA": "A02 A03", "DE": "C06"}, face_up="FR2")
    for faction in ("WA", "EA", "DE", "GA"):
        options = options_of(board, faction)
        for answer in (*options.describe(), *(options.sample(rng) for _ in range(30))):
            assert options.contains(answer) and options.why_not(answer) is None
        assert options.only() is None
    empty = Board(hands={"WA": "A07"}).play()
    lone = next(a for a in empty.asked if a.topic == "any_time")
    assert lone.options.only() == (AnyTime(),)


# ------------------------------------------------------------------ what each seat sees


def test_s__3_every_view_shows_the_public_board():
    """FWW-S-3"""
    board = Board(
        turn=4,
        faction="WA",
        fronts=FRONTS,
        face_up="DE1",
        pool={"WA": "FR1"},
        control={"METZ": "WA"},
        vp={"WA": 7},
        surrender={"EA": [7]},
        hands={"WA": "A01 A03", "DE": "C02"},
        treaty=True,
        attacked={"DE": [1]},
    )
    public = [
        "turn phase round counts face_up off_board track returning pool control vp surrender treaty",
        "hand_backs cup_backs tiles_out attacked won deploy_order round_order seats players options",
    ]
    views = [board.view(seat) for seat in ("WA", "EA", "DE", "GA")]
    for name in " ".join(public).split():
        assert all(getattr(view, name) == getattr(views[0], name) for view in views), name
    view = views[1]
    assert (view.turn, view.phase, view.round) == (4, "rounds", 2)
    assert view.counts[1] == {"WA": 3, "DE": 1}
    assert (view.pool["WA"], view.surrender["EA"], view.control["METZ"]) == (("FR1",), (7,), "WA")
    assert (view.hand_backs["WA"], view.hand_backs["DE"]) == ((1, 1), (1, 0))
    assert view.cup_backs == {"ALLIES": (9, 1), "CENTRAL": (10, 1)}
    assert view.attacked["DE"] == (1,)


def test_s__4_own_and_commanded_counters_and_own_tiles_and_nothing_else():
    """FWW-S-4"""
    board = Board(fronts=FRONTS, hands={"WA": "A01", "GA": "C01"}, waiting={"GA": "AH7"}, turn=3)
    allies = board.view("GA")
    assert {front: known for front, known in allies.known.items() if known} == {9: ("AH1", "DE11")}
    assert allies.hands == {"GA": ("C01",)}
    assert allies.new == {"GA": ("AH7",)}
    assert board.view("DE").new == {"DE": ()}
    assert board.view("DE").off_board["GA"] == 1
    names = [name for name in repr(board.view("EA").known).split("'") if name in PACK.faction_of]
    assert names == ["RU4"]


def test_s__5_what_cannot_be_told_apart():
    """FWW-S-5: exchanging hidden counters of a group leaves the other seats' views as they are."""
    board = Board(fronts={1: "FR2 FR3 BR1 WA:D", 2: "FR5 FR6", 9: "AH1 AH3 DE9 DE11", 8: "DE4 DE5"}, turn=2)
    state = board.state
    groups = GAME.hidden(state, Seat("DE"))
    assert ("FR2", "FR3", "FR5", "FR6", "WA-D1") in groups
    assert ("AH1", "AH3") in groups
    assert not [g for g in groups for c in g if c.startswith("DE")]
    assert ("DE4", "DE5") in GAME.hidden(state, Seat("GA"))
    before = {seat: GAME.view(state, seat) for seat in map(Seat, ("DE", "EA", "GA"))}
    state.fronts[1] = sorted(["FR5", "FR6", "BR1", "FR2"])
    state.fronts[2] = sorted(["FR3", "WA-D1"])
    assert {seat: GAME.view(state, seat) for seat in before} == before
    assert GAME.view(state, Seat("WA")) != before[Seat("DE")]


def test_s__6_tiles_of_one_back_cannot_be_told_apart():
    """FWW-S-6"""
    state = Board(hands={"WA": "A01 A03", "EA": "A05"}, turn=3).state
    groups = GAME.hidden(state, Seat("EA"))
    assert ("A01", "A02", "A04", "A06", "A07", "A09") in groups
    assert ("A03", "A08") in groups
    before = {seat: GAME.view(state, seat) for seat in map(Seat, ("EA", "DE", "GA"))}
    state.hands["WA"] = ["A04", "A08"]
    state.cups["ALLIES"] = sorted(["A01", "A02", "A03", "A06", "A07", "A09"])
    assert {seat: GAME.view(state, seat) for seat in before} == before


def test_a_view_does_not_change_with_the_board():
    board = Board(fronts=FRONTS)
    before = board.view("WA")
    copy = repr(before)
    board.answer("DE", Attack(1, ("DE1",))).play(dice="4 1")
    assert repr(before) == copy
    assert board.view("WA") != before


@pytest.mark.parametrize(("players", "recalled"), [(2, False), (3, True), (4, True)])
def test_every_single_act_is_listed(players, recalled):
    board = Board(fronts={1: "DE1 BE1", 9: "DE4"}, hands={"DE": "C06"}, players=players, turn=3)
    acts = [AnyTime(), AnyTime(returned=("C06",)), AnyTime(revealed=("DE1",)), AnyTime(revealed=("DE4",))]
    if recalled:
        acts += [AnyTime(recalls=(Recall("DE4", 9, to),)) for to in (1, 2, 3, 4, 7, 8, 10, 11)]
    assert list(options_of(board, "DE").describe()) == acts


def test_a_recall_that_was_asked_can_be_refused():
    """FWW-5.2-2"""
    refused = AnyTime(refused=("DE4",))
    board = Board(fronts={9: "DE4 AH1 RU4"}, turn=3, faction="EA")
    board.answer("DE", AnyTime(recalls=(Recall("DE4", 9, 1),))).play()
    assert refused in options_of(board, "GA").describe()
    assert refused not in options_of(board, "DE").describe()


def test_what_was_asked_for_is_not_asked_for_again():
    """FWW-5.2-2"""
    asked = AnyTime(recalls=(Recall("DE4", 9, 1),))
    board = Board(fronts={9: "DE4 AH1 RU4"}, turn=3, faction="EA")
    board.answer("DE", asked).play()
    refusal = options_of(board, "DE").why_not(asked)
    assert refusal is not None and refusal.reason == "asked-for-already"
    assert asked not in options_of(board, "DE").describe()


def test_a_second_request_for_an_army_replaces_the_first_and_leaves_others_alone():
    """FWW-5.2-2"""
    board = Board(fronts={9: "DE4 DE11 AH1 RU4"}, turn=3, faction="EA")
    for recall in (Recall("DE4", 9, 1), Recall("DE11", 9, 2), Recall("DE4", 9, 3)):
        board.answer("DE", AnyTime(recalls=(recall,))).play()
    assert board.view("GA").recalls == (Recall("DE11", 9, 2), Recall("DE4", 9, 3))


def test_a_round_with_anything_to_do_is_not_forced():
    """FWW-4.2.2-4"""
    assert Board(fronts={9: "AH1 RU4"}, turn=3, faction="GA").ask().options.only() is None


def test_under_the_treaty_the_last_german_in_the_east_can_only_pass():
    """FWW-8.1-7, FWW-8.1-4: no attack on a frozen front, and nothing may leave it"""
    options = Board(fronts={7: "DE8 RU1"}, turn=5, faction="DE", treaty=True).ask().options
    assert options.only() == (Pass(),)


def test_an_army_that_may_leave_but_not_attack_has_a_choice():
    """FWW-8.1-3, FWW-8.1-11: Russians at peace still move"""
    options = Board(fronts={8: "RU1"}, turn=5, faction="EA", treaty=True).ask().options
    assert options.only() is None


# ------------------------------------------------------------------ before the first action


@pytest.mark.parametrize("tempo", ["fast", "react", "strict"])
def test_4_2_1__12_what_comes_with_a_turn_is_done_before_its_first_action(tempo: Tempo):
    """FWW-6.2.1-5, FWW-5.2-2: the letters of a turn are there only when its first question is answered."""
    board = Board(tempo=tempo, faction="DE", fronts={1: "BE1 FR2 DE1 DE2", 9: "DE11"}, hands={"EA": "A02"})
    assert board.ask().given.faction == "DE"
    board.orders(DE="MOVE 1: DE1 > 2\nREVEAL DE2\nRECALL DE11 9 > 3", EA="RETURN A02").play()
    kinds = [type(fact) for fact in board.facts]
    moved = kinds.index(CountersMoved)
    assert {CountersTurnedUp, RecallAsked, TilePutBack} <= set(kinds[:moved])
    assert not {CountersTurnedUp, RecallAsked, TilePutBack} & set(kinds[moved:])
