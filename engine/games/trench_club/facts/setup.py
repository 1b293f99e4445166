"""Facts of the set-up and of the course of turns. Only the tokens are secret, from everybody."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from engine.games.trench_club.answers import COMPANIES, Camp, Company, Lead, Nation, Places
from engine.games.trench_club.state import State
from engine.kernel.fast_dataclass import fast_frozen
from engine.kernel.game import Outcome
from engine.kernel.requests import TITLE, Audience, Fact, PublicFact, Quiet, Seat


@dataclass(frozen=True, slots=True)
class TokensDealt(Fact):
    """SETUP-8 Shuffled, dealt face down: those of a nation are for its companies A, B, C."""

    pile: tuple[str, ...]  # as shuffled: position by position what the root commits to
    dealt: tuple[tuple[Nation, tuple[str, ...]], ...]
    root: str
    audience: Audience = ()

    def apply(self, state: State) -> None:
        state.pile, state.root = list(self.pile), self.root
        state.tokens = {nation: list(tokens) for nation, tokens in self.dealt}

    def redacted(self) -> Fact | None:
        return TokensLaid(self.root)


@dataclass(frozen=True, slots=True)
class TokensLaid(PublicFact):
    """What everybody sees of it."""

    root: str

    def apply(self, state: State) -> None:
        """Told, not done."""


@dataclass(frozen=True, slots=True)
class CountersDrawn(Fact):
    """AUTOMA-3 Which of the automa's units come with which token; nobody knows before the flip."""

    counters: tuple[str, ...]  # four, four, the rest
    sizes: tuple[int, int, int]
    root: str
    audience: Audience = ()

    def apply(self, state: State) -> None:
        state.counters, state.counters_root = list(self.counters), self.root


@dataclass(frozen=True, slots=True)
class ArmySplit(PublicFact):
    """SETUP-10 The companies A, B and C of a nation; revealed when all splits are in (SETUP-11)."""

    nation: Nation
    companies: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

    def apply(self, state: State) -> None:
        for company, units in zip(COMPANIES, self.companies, strict=True):
            for unit in units:
                state.units[unit] = replace(state.units[unit], company=company)


@dataclass(frozen=True, slots=True)
class PlacingBegan(PublicFact):
    """SETUP-12 Who places first, and then clockwise."""

    order: tuple[Camp, ...]

    def apply(self, state: State) -> None:
        state.order, state.phase = self.order, "placing"


@dataclass(frozen=True, slots=True)
class TokenFlipped(PublicFact):
    """SETUP-13 A company's token is turned up."""

    reveals: ClassVar[bool] = True
    nation: Nation
    company: Company
    token: str  # "TOKEN7"
    number: int
    hex: str

    def apply(self, state: State) -> None:
        state.numbers[f"{self.nation}.{self.company}"] = self.number


@dataclass(frozen=True, slots=True)
class CompanyPlaced(PublicFact):
    """SETUP-14 Its units stand on the board; of an automa's nobody knew which they would be."""

    reveals: ClassVar[bool] = True
    nation: Nation
    company: Company
    places: Places
    counters: tuple[str, ...] = ()  # AUTOMA-3 as they were drawn

    def apply(self, state: State) -> None:
        for unit, hex_ in self.places:
            state.units[unit] = replace(state.units[unit], at=hex_, company=self.company)
            state.on[hex_] = unit
        state.go += 1


@dataclass(frozen=True, slots=True)
class PlayBegan(PublicFact):
    """SETUP-21 Who begins, and then clockwise."""

    order: tuple[Camp, ...]

    def apply(self, state: State) -> None:
        state.order = self.order


@fast_frozen
@dataclass(frozen=True, slots=True)
class TurnBegan(PublicFact):
    """SETUP-22 Phase 1 begins. `sheltered`: units that stood in a fort of their own (MONEY-4)."""

    quiet: ClassVar[Quiet] = Quiet("a turn begins so, and the title names it", by=(TITLE,))
    round: int
    camp: Camp
    sheltered: tuple[str, ...]

    def apply(self, state: State) -> None:
        state.round, state.active, state.phase = self.round, self.camp, "moves"
        state.lead, state.chosen = "orders", None
        state.moved, state.worked, state.dug = [], [], []
        state.attacks, state.struck = [], []
        state.sheltered = list(self.sheltered)


@dataclass(frozen=True, slots=True)
class LeadTaken(PublicFact):
    """The player waits with his money, or has left the turn to the automa's priorities (decisions 4, 6)."""

    camp: Camp
    lead: Lead

    def apply(self, state: State) -> None:
        state.lead = self.lead


@dataclass(frozen=True, slots=True)
class CompaniesChosen(PublicFact):
    """SETUP-23..25 Only these may act in this turn."""

    camp: Camp
    companies: tuple[Company, ...]

    def apply(self, state: State) -> None:
        state.chosen = self.companies
        if state.round == 1:
            state.acted[self.camp] = self.companies


@dataclass(frozen=True, slots=True)
class GameWon(PublicFact):
    """VICTORY The game is over. `winners` are nations led by people; empty: a draw, or the automa's."""

    winners: tuple[Nation, ...]
    reason: str  # "forts" "no-army" "round-limit" "draw"
    scores: tuple[tuple[str, int], ...]  # forts of each team

    def apply(self, state: State) -> None:
        state.phase = "over"
        state.result = Outcome(tuple(Seat(one) for one in self.winners), self.reason, dict(self.scores))


SETUP_FACTS = (
    TokensDealt,
    TokensLaid,
    CountersDrawn,
    ArmySplit,
    PlacingBegan,
    TokenFlipped,
    CompanyPlaced,
    PlayBegan,
    TurnBegan,
    LeadTaken,
    CompaniesChosen,
    GameWon,
)
