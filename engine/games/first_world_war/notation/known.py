"""The board as one seat knows it, laid out so that the rules themselves can say what is legal on it.

Nothing here comes from anywhere but the view: what the rules refuse on this board the seat may know.
"""

from __future__ import annotations

from engine.games.first_world_war.answers import AnyTimeGiven, DeployGiven, Faction, RoundGiven
from engine.games.first_world_war.rules.any_time import NOTHING, AnyTimeOptions
from engine.games.first_world_war.rules.deployment import DeployOptions, automatic
from engine.games.first_world_war.rules.rounds import PASS, RoundOptions
from engine.games.first_world_war.state import FACTIONS, State
from engine.games.first_world_war.view import View
from engine.kernel.requests import Ask

EARLY = ("victory", "replace", "over")  # phases in which a new order is meant for the next turn


def as_known(view: View) -> State:
    """Known counters where they stand; for each unknown one a dummy of its colour stands in."""
    colour, fronts = view.pack.faction_of, {}
    for front in view.pack.fronts:
        there = list(view.known.get(front, ()))
        for faction, number in view.counts.get(front, {}).items():
            unknown = number - sum(colour[counter] == faction for counter in there)
            there += [view.pack.dummies_of[faction][-1]] * unknown
        fronts[front] = sorted(there)
    return State(
        pack=view.pack,
        players=view.players,
        options=view.options,
        seats=view.seats,
        turn=view.turn,
        phase=view.phase,
        round=view.round,
        deploy_order=view.deploy_order,
        round_order=view.round_order,
        fronts=fronts,
        face_up=list(view.face_up),
        waiting={faction: list(view.new.get(faction, ())) for faction in FACTIONS},
        track={turn: list(there) for turn, there in view.track.items()},
        returning=list(view.returning),
        pool={faction: list(view.pool.get(faction, ())) for faction in FACTIONS},
        control=dict(view.control),
        vp=dict(view.vp),
        treaty=view.treaty,
        hands={faction: list(view.hands.get(faction, ())) for faction in FACTIONS},
        recalls=list(view.recalls),
    )


def round_question(view: View, faction: Faction, cycle: int) -> Ask:
    """The faction's round, as if it came now."""
    state = as_known(view)
    given, options = RoundGiven(faction, cycle), RoundOptions(state, faction)
    return Ask(view.seat, "round.action", "", given, options, default=PASS)


def any_time_question(view: View, faction: Faction) -> Ask:
    given, options = AnyTimeGiven(faction), AnyTimeOptions(as_known(view), faction)
    return Ask(view.seat, "any_time", "", given, options, default=NOTHING)


def deployment_question(view: View, faction: Faction) -> Ask:
    """The faction's next deployment: this turn's if it is still due, else with what the next turn brings."""
    state = as_known(view)
    if not is_due(view):
        state.turn += 1
    if view.phase != "deploy":  # 4.2.1-3 they leave the track only when its first step begins
        coming = (*view.track.get(state.turn, ()), *view.returning)
        arriving = [army for army in coming if view.pack.faction_of[army] == faction]
        state.waiting[faction] = sorted({*state.waiting[faction], *arriving})
    options = DeployOptions(state, faction)
    given = DeployGiven(faction, options.new, options.duty)
    return Ask(view.seat, "deploy", "", given, options, default=automatic(state, faction))


def is_due(view: View) -> bool:
    """A deployment ordered now is one of this turn."""
    return view.phase in ("order", "deploy")


def next_deployment(view: View) -> int:
    """Its turn."""
    return view.turn if is_due(view) else view.turn + 1


def next_round(view: View, faction: Faction) -> tuple[int, int]:
    """The faction's next round: turn, and which of its four."""
    if view.phase in EARLY:
        return view.turn + 1, 1
    if view.phase != "rounds" or faction not in view.round_order:
        return view.turn, 1
    number = len(view.round_order)
    played = max(0, -(-(view.round - view.round_order.index(faction) - 1) // number))
    return (view.turn, played + 1) if played < view.pack.cycles else (view.turn + 1, 1)
