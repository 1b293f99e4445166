"""SETUP-22..27 A turn: who leads it, which companies act, the moves, the list of attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import COMPANIES, DONE, Camp, Lead, Move, Nation, TurnGiven
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
    leaders = led_by(state, camp)
    yield from phase_1(state, leaders)
    if state.result is not None:
        return None
    return (yield from list_attacks(state, camp, leaders))


def led_by(position: Position, camp: Camp) -> tuple[Nation, ...]:
    """COOP-5 The captain first."""
    return tuple(nation for nation in position.seats if position.camp_of[nation] == camp)


def given(state: State, nation: Nation) -> TurnGiven:
    return TurnGiven(nation, state.round, companies_allowed(state, state.camp_of[nation]))


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
    """MOVE-1; COOP-5 the units of a partner who orders nothing are the captain's to order."""
    for nation in leaders:
        yield from act(state, nation, (nation,))
    captain, *partners = leaders
    if partners and not any(has_moved(state, partner) for partner in partners):
        yield from act(state, captain, leaders)


def act(state: State, nation: Nation, nations: Sequence[Nation]) -> Step:
    """One act after the other, until enough is done."""
    seat, place, told = Seat(nation), key(state), given(state, nation)
    options = TurnActs(state, nations)
    while state.result is None:
        chosen = yield question(seat, "turn.act", place, told, options, options.default())
        if chosen == DONE:
            return
        mines = len(state.mines)
        yield from carry_out(state, chosen)
        is_move = isinstance(chosen, Move) and len(state.mines) == mines  # and no mine went off
        options = options.after(chosen) if is_move else TurnActs(state, nations)


def has_moved(state: State, nation: Nation) -> bool:
    return any(state.units[unit].nation == nation for unit in state.moved if unit in state.units)


def list_attacks(state: State, camp: Camp, leaders: Sequence[Nation]) -> Procedure:
    """TARGET-1, 2 The binding list; in a co-op the captain's attacks come first."""
    attacks = []
    for nation in leaders:
        options = Targets(state, (nation,))
        attacks += yield Ask(Seat(nation), "turn.targets", key(state), given(state, nation), options, ())
    if not attacks:
        return order_of_play.money(state)
    yield AttacksListed(camp, tuple(attacks))
    return order_of_play.combat(state)
