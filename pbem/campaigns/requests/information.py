"""HELP, RULE, ODDS, LIST; from `standing` STATUS, MAP, HAND, SHOW STANDING; from `past` HISTORY, VERIFY."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.kernel.errors import Refusal
from engine.kernel.register import Register, Rule
from pbem.campaigns.hearing import Deed, Handlers, Hearing
from pbem.campaigns.requests import past, standing
from pbem.campaigns.requests.asked import campaign_of, of_a_campaign, of_a_seat, said, view_of
from pbem.campaigns.terms import game_named
from pbem.orders import commands as c
from pbem.orders.suggest import near
from pbem.registers import register_of
from pbem.report.help import help_passage
from pbem.report.memo import Listing, Note
from pbem.report.occasions import Listed, campaign_list
from pbem.store.campaigns import Standing, all_campaigns
from pbem.store.people import seated

MOST_RULES: Final = 25  # of a section that are told at once
MOST_WORD: Final = 60  # characters of a question that are repeated
MOST_CAMPAIGNS: Final = 60


# ------------------------------------------------------------------ HELP


def help_page(hearing: Hearing, command: c.Command) -> Deed:
    """HELP: the page of a topic, with the game's own where the letter is about a campaign."""
    assert isinstance(command, c.Help)
    game = "" if hearing.standing is None else hearing.standing.game
    return said(help_passage(command.topic, game, hearing.language))


# ------------------------------------------------------------------ RULE


@of_a_campaign
def rule(hearing: Hearing, command: c.Command) -> Deed:
    """A rule of the register, or a section of it; otherwise those that are called nearly so."""
    assert isinstance(command, c.Rule)
    asked = command.rule[:MOST_WORD]
    register = register_of(hearing.campaign.terms.game.id)
    if register is None:
        return said(Note("rule-no-register"))
    found = register.about(asked)
    if not found:
        return said(Note("rule-unknown", {"asked": asked, "ids": _nearly(register, asked)}))
    told = [_told(hearing, one) for one in found[:MOST_RULES]]
    if len(found) > MOST_RULES:
        sections = list(dict.fromkeys(one.section for one in found))
        told.append(Note("rule-more", {"number": len(found) - MOST_RULES, "sections": sections}))
    return said(*told)


def _nearly(register: Register, asked: str) -> tuple[str, ...]:
    """Ids and sections near to what was asked; else the section above it: `6.9.9-3` is somewhere in 6."""
    plain = asked.upper().removeprefix(f"{register.game}-")
    above = plain.partition("-")[0]
    if register.about(above):
        return (above,)
    sections = list(dict.fromkeys(one.section for one in register.rules.values()))
    short = [one.removeprefix(f"{register.game}-") for one in register.rules]
    if found := near(plain, [*sections, *short]):
        return found
    while "." in above:
        above = above.rpartition(".")[0]
        if register.about(above):
            return (above,)
    return ()


def _told(hearing: Hearing, one: Rule) -> Note:
    """The rule, whether it is a ruling or a choice, and why."""
    language = hearing.language
    options = hearing.campaign.terms.settings.options
    facts = {
        "id": one.id,
        "title": one.title[language],
        "status": one.status,
        "ruling": one.ruling,
        "reason": "" if one.reason is None else one.reason[language],
        "switch": one.switch or "",
        "setting": str(options.get(one.switch or "", "")),
    }
    return Note("rule-told", facts)


# ------------------------------------------------------------------ ODDS


@of_a_seat
def odds(hearing: Hearing, command: c.Command) -> Deed:
    """The chances of a battle as the asker sees the board; why there are none, if so."""
    assert isinstance(command, c.Odds)
    state = campaign_of(hearing).state
    if state != "running":
        return said(
            Note("not-begun" if state == "lobby" else "is-over", {"campaign": campaign_of(hearing).id})
        )
    game, view, phrases = hearing.campaign.terms.game, view_of(hearing), hearing.phrases
    found = game.odds(view, command.battle)
    if found is not None:
        return said(Note("plain", {"text": phrases.odds(found)}), Note("odds-how"))
    reading = game.notation.read(command.battle, view)
    doubts: list[Refusal] = list(reading.refusals)
    checked = [line.check(view) for line in (*reading.orders, *reading.standing)]
    doubts += [one for one in checked if one is not None]
    battle = {"battle": command.battle[:MOST_WORD]}
    if not doubts:
        return said(Note("odds-no-battle", battle))
    reasons = tuple(Note("plain", {"text": phrases.refusal(replace(one, line=0))}) for one in doubts)
    return said(Note("odds-refused", battle), Listing(reasons))


# ------------------------------------------------------------------ LIST


def campaigns(hearing: Hearing, command: c.Command) -> Deed:
    """LIST: the campaigns that may be joined or watched, for anybody."""
    rows = all_campaigns(hearing.office.db, "lobby", "running")[:MOST_CAMPAIGNS]
    return said(*campaign_list([_listed(hearing, row) for row in rows], hearing.phrases))


def _listed(hearing: Hearing, row: Standing) -> Listed:
    """A running campaign may be watched; where nobody holds a seat it may be joined."""
    seats = seated(hearing.office.db, row.id)
    free = sum(one.person is None and one.bot is None for one in seats)
    return Listed(row.id, game_named(row.game).names, "lobby" if row.state == "lobby" else "running", free)


HANDLERS: Handlers = {
    c.Help: help_page,
    c.Rule: rule,
    c.Odds: odds,
    c.ListCampaigns: campaigns,
    **standing.HANDLERS,
    **past.HANDLERS,
}
