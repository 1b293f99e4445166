"""SETUP-22..27 A turn: who leads it, which companies act, the moves, the list of attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import COMPANIES, DONE, Camp, Join, Lead, Move, Nation, TurnGiven
from engine.games.trench_club.facts.combat import AttacksListed
from engine.games.trench_club.facts.setup import CompaniesChosen, LeadTaken, TurnBegan
from engine.games.trench_club.rules.acts import TurnActs, carry_out
from engine.games.trench_club.rules.automa import automa_turn, stand_in
from engine.games.trench_club.rules.companies import choices, companies_allowed
from engine.games.trench_club.rules.money import give
from engine.games.trench_club.rules.targets import Targets
from engine.games.trench_club.state import Position, State
from engine.kernel.requests import Answer, Ask, Choice, Procedure, Rng, Seat, Step, question

LEADS: tuple[Lead, ...] = ("orders", "later", "automa")
JOINS: tuple[Join, ...] = ("orders", "captain")
RARELY = 10  # a sample leaves one turn in so many to the automa, and waits with its money in another


def turn(state: State, round_: int, camp: Camp) -> Procedure:
    """SETUP-22 Phases 1 and 2; the combats and the money follow."""
    sheltered = [unit.id for unit in state.of_camp(camp) if unit.at and state.forts.get(unit.at) == camp]
    yield TurnBegan(round_, camp, tuple(sheltered))
    yield from give(state)
    if camp == state.automa:
        return (yield from automa_turn(state))
    if (yield from who_leads(state, camp)) == "automa":
        return (yield from stand_in(state))
    yield from choose_companies(state, camp)
    led = yield from phase_1(state, led_by(state, camp))
    if state.result is not None:
        return None
    return (yield from list_attacks(state, camp, led))


def led_by(position: Position, camp: Camp) -> tuple[Nation, ...]:
    """COOP-5 The captain first."""
    return tuple(nation for nation in position.seats if position.camp_of[nation] == camp)


def given(state: State, nation: Nation, led: Sequence[Nation] = ()) -> TurnGiven:
    return TurnGiven(nation, state.round, companies_allowed(state, state.camp_of[nation]), tuple(led))


def key(state: State) -> str:
    return order_of_play.turn(state.round, state.active).key


def who_leads(state: State, camp: Camp) -> Step:
    """The player himself, with or without his money at once; or the automa's priorities in his place."""
    lead: Lead = yield Ask(
        Seat(camp), "turn.lead", key(state), given(state, camp), Leads(LEADS, "TC-SETUP-22"), "orders"
    )
    if lead != "orders":
        yield LeadTaken(camp, lead)
    return lead


@dataclass(frozen=True, slots=True)
class Leads(Choice):
    """All three are offered; a sample mostly leads its own turn."""

    def sample(self, rng: Rng) -> Answer:
        drawn = rng.randrange(RARELY)
        return self.offered[drawn] if drawn in (1, 2) else self.offered[0]


# ------------------------------------------------------------------ the first turns


def choose_companies(state: State, camp: Camp) -> Step:
    """SETUP-23..26 By default the companies with most units."""
    if not companies_allowed(state, camp):
        return
    offered = choices(state, camp)
    sizes = {one: sum(unit.company == one for unit in state.of_camp(camp)) for one in COMPANIES}
    largest = max(offered, key=lambda some: sum(sizes[one] for one in some))
    companies = yield Ask(
        Seat(camp),
        "turn.active",
        key(state),
        given(state, camp),
        Choice(offered, "TC-SETUP-24" if len(state.ring) == 2 else "TC-SETUP-23", "companies-not-open"),
        largest,
    )
    yield CompaniesChosen(camp, companies)


# ------------------------------------------------------------------ phases 1 and 2


def phase_1(state: State, leaders: Sequence[Nation]) -> Step:
    """MOVE-1; COOP-5 The captain first, then each partner; then the captain for those who leave it to him.

    Returns who leads whom.
    """
    captain, *partners = leaders
    led = {captain: [captain]}
    yield from act(state, captain, led[captain])
    for partner in partners:
        if state.result is None and (yield from who_joins(state, partner)) == "orders":
            led[partner] = [partner]
            yield from act(state, partner, led[partner])
        else:
            led[captain].append(partner)
    if len(led[captain]) > 1:
        yield from act(state, captain, led[captain])
    return led


def who_joins(state: State, partner: Nation) -> Step:
    """COOP-5 A partner orders his units himself; those of one who is silent are the captain's to order."""
    return (
        yield Ask(
            Seat(partner),
            "turn.join",
            key(state),
            given(state, partner, (partner,)),
            Choice(JOINS, "TC-COOP-5"),
            "captain",
        )
    )


def act(state: State, nation: Nation, nations: Sequence[Nation]) -> Step:
    """One act after the other, until enough is done."""
    seat, place, told = Seat(nation), key(state), given(state, nation, nations)
    options = TurnActs(state, nations)
    while state.result is None:
        chosen = yield question(seat, "turn.act", place, told, options, options.default())
        if chosen == DONE:
            return
        mines = len(state.mines)
        yield from carry_out(state, chosen)
        is_move = isinstance(chosen, Move) and len(state.mines) == mines  # and no mine went off
        options = options.after(chosen) if is_move else TurnActs(state, nations)


def list_attacks(state: State, camp: Camp, led: Mapping[Nation, Sequence[Nation]]) -> Procedure:
    """TARGET-1, 2 The binding list; in a co-op the captain's attacks come first."""
    attacks = []
    for nation, nations in led.items():
        told, options = given(state, nation, nations), Targets(state, nations)
        attacks += yield Ask(Seat(nation), "turn.targets", key(state), told, options, ())
    if not attacks:
        return order_of_play.money(state)
    yield AttacksListed(camp, tuple(attacks))
    return order_of_play.combat(state)
