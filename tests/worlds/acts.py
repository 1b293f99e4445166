"""What changes who plays, or goes back: REPLACE, HANDOVER, RESIGN, ROLLBACK, in both worlds at one moment.

Everybody is told of these, so the worlds do the same and only people differ. What nobody else is told happens
in one world alone: that somebody wrote RESIGN and did not confirm it, or asked their side, which refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from pbem.campaigns.campaign import Campaign
from pbem.campaigns.resignations import allies_of
from pbem.store.campaigns import campaign_row
from pbem.store.journal import read_journal
from pbem.store.people import seated
from tests.worlds.world import NAME, OF_OTHERS, THE_UMPIRE, Event, World

Kind: TypeAlias = Literal["replace", "handover", "resign", "resign in secret", "rollback"]

NEWCOMERS = ("erika.nord", "fritz.ott", "greta.pohl", "hugo.quist")  # whose names are public
LATELY = 6  # segments to which a rollback may go


class Act(NamedTuple):
    """Letters of one writer to one end."""

    kind: Kind
    writer: str  # a seat, or the umpire
    texts: tuple[str, str]  # by world
    seat: str = ""  # that changes hands
    to: str = ""  # whose it becomes: an ally's seat, a newcomer; "": nobody's
    confirmed: bool = True


def choose_act(
    rng: Random, worlds: Sequence[World], here: Campaign, number: int, only: str = ""
) -> Act | None:
    """One that the campaign allows now. `number`: so many acts came before; `only`: the kind, or any."""
    newcomer = NEWCOMERS[number % len(NEWCOMERS)]
    every = [*_replacements(worlds[0], newcomer), *_departures(worlds[0], here), *_rollbacks(worlds)]
    kinds = sorted({act.kind for act in every if only in ("", act.kind)})
    kind = rng.choice(kinds) if kinds else ""
    return rng.choice([act for act in every if act.kind == kind]) if kind else None


def _replacements(world: World, newcomer: str) -> list[Act]:
    one, other = (host for _, _, host, _ in OF_OTHERS)
    addresses = (f"{newcomer}@{one}", f"{newcomer}@{other}")
    found = []
    for seat in world.others:
        texts = (f"REPLACE {seat} BY {addresses[0]}", f"REPLACE {seat} BY {addresses[1]}")
        found.append(Act("replace", THE_UMPIRE, texts, seat, newcomer))
    return found


def _departures(world: World, here: Campaign) -> list[Act]:
    """Of others. Where a resignation ends the game only those that come to nothing."""
    game, found = here.terms.game, list[Act]()
    resign, hand_over = ("RESIGN", "RESIGN"), ("HANDOVER", "HANDOVER")
    for seat in world.writers:
        allies, own = [str(one) for one in allies_of(here, seat)], world.addresses[seat]
        if world.begin.seat in allies:
            continue  # what the seat holds, or wants, is the reader's to know
        heirs = [one for one in allies if one in world.writers and world.addresses[one] != own]
        found += [Act("handover", seat, hand_over, seat, heir) for heir in heirs[:1]]
        if game.knows_resignation:
            found.append(Act("resign in secret", seat, resign, confirmed=bool(heirs)))
        elif len(world.writers) > 1 and world.begin.policy.clock.bank is None:
            found.append(Act("resign", seat, resign, seat))
    return found


def _rollbacks(worlds: Sequence[World]) -> list[Act]:
    journals = [read_journal(world.db, NAME) for world in worlds]
    keys = [[line.data["key"] for line in lines if line.data["k"] == "seam"] for lines in journals]
    both = [key for key in dict.fromkeys(keys[0]) if key in keys[1]][-LATELY:]
    texts = [f"ROLLBACK {key}{more} BECAUSE of a slip" for key in both for more in ("", " SAME DICE")]
    return [Act("rollback", THE_UMPIRE, (text, text)) for text in texts]


def perform(act: Act, world: World, at: datetime, name: str) -> None:
    """The letter, and the CONFIRM that its answer asks for; it is seen to have been done."""
    if act.kind == "resign in secret" and world.number == 0:
        return
    letter, branch = f"{name}.act.{world.number}", campaign_row(world.db, NAME).branch
    world.hears(Event(at, act.writer, act.texts[world.number], letter, confirms=act.confirmed))
    if act.kind == "resign in secret" and act.confirmed:
        world.hears(Event(at + timedelta(minutes=2), act.writer, "RESIGN NO", f"{letter}.then"))
    if act.seat:
        world.addresses.pop(act.seat)
        if act.to:
            newcomer = f"{act.to}@{OF_OTHERS[world.number][2]}"
            world.addresses[act.seat] = world.addresses.get(act.to, newcomer)
    held = {one.seat: one.person.registered for one in seated(world.db, NAME) if one.person is not None}
    assert held == world.addresses, f"{act}: {held}"
    assert act.kind != "rollback" or campaign_row(world.db, NAME).branch > branch, act
