"""What a letter may ask of the service: one value for each verb, with its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from types import MappingProxyType
from typing import Literal, TypeAlias

from engine.kernel.game import Language

Terms: TypeAlias = Literal["offer", "accept", "refuse"]
EVERYBODY, THE_UMPIRE = "ALL", "~umpire"  # among the addressees of press


@dataclass(frozen=True, slots=True)
class Command:
    """The base of all commands."""


@dataclass(frozen=True, slots=True)
class Help(Command):
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Status(Command):
    """Where the campaign stands."""


@dataclass(frozen=True, slots=True)
class Map(Command):
    """The board as the seat sees it, alone or with what a piece can reach."""

    reach: str = ""  # the piece, as orders name it


@dataclass(frozen=True, slots=True)
class Hand(Command):
    """The seat's own cards, tiles and hidden pieces."""


@dataclass(frozen=True, slots=True)
class History(Command):
    """The seat's own letters, of one turn or of all."""

    turn: str = ""


@dataclass(frozen=True, slots=True)
class ShowRule(Command):
    """A rule of the register, as it was asked for: `5.4.1`."""

    rule: str


@dataclass(frozen=True, slots=True)
class Check(Command):
    """The letter's orders are rehearsed and not filed."""


@dataclass(frozen=True, slots=True)
class ShowStanding(Command):
    """The standing orders on file."""


@dataclass(frozen=True, slots=True)
class Confirm(Command):
    """Yes to what the letter replied to asked."""


@dataclass(frozen=True, slots=True)
class Cancel(Command):
    """Withdraws lines of the last receipt; without numbers all that is on file for the turn."""

    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ready(Command):
    """The turn may be played early."""


@dataclass(frozen=True, slots=True)
class Wait(Command):
    """The turn is not to be played before the deadline."""


@dataclass(frozen=True, slots=True)
class Salt(Command):
    """The player's own words for the dice."""

    words: str


@dataclass(frozen=True, slots=True)
class Absent(Command):
    """First and last day away; both None: no absence any more."""

    first: date | None
    last: date | None


@dataclass(frozen=True, slots=True)
class Odds(Command):
    """A battle, written as its attack would be ordered."""

    battle: str


@dataclass(frozen=True, slots=True)
class Press(Command):
    """Words to other seats. `to`: seats, THE_UMPIRE, or EVERYBODY."""

    to: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ProposeRollback(Command):
    """Back to the start of this segment, if all agree."""

    to: str


@dataclass(frozen=True, slots=True)
class Agree(Command):
    """Yes to a rollback that was proposed."""

    to: str = ""


@dataclass(frozen=True, slots=True)
class Armistice(Command):
    """Ending the game by agreement."""

    terms: Terms = "offer"


@dataclass(frozen=True, slots=True)
class Resign(Command):
    """Giving up the seat, or with allies the game; RESIGN NO: not, after all."""

    willing: bool = True


@dataclass(frozen=True, slots=True)
class Handover(Command):
    """Leaving the seat to an ally."""


@dataclass(frozen=True, slots=True)
class Lang(Command):
    language: Language


@dataclass(frozen=True, slots=True)
class Zone(Command):
    """A name of the time zone database."""

    zone: str


@dataclass(frozen=True, slots=True)
class ChangeAddress(Command):
    """Letters go there from now on."""

    address: str


@dataclass(frozen=True, slots=True)
class Link(Command):
    """A further address that one writes from."""

    address: str


@dataclass(frozen=True, slots=True)
class Unlink(Command):
    """Not one's own any more."""

    address: str


@dataclass(frozen=True, slots=True)
class Verify(Command):
    """How the dice may be checked, of one turn or of all."""

    turn: str = ""


@dataclass(frozen=True, slots=True)
class ListCampaigns(Command):
    """The campaigns that may be joined or watched."""


@dataclass(frozen=True, slots=True)
class Signup(Command):
    campaign: str
    preferences: tuple[str, ...] = ()  # sides, the dearest first, as written


@dataclass(frozen=True, slots=True)
class Watch(Command):
    campaign: str = ""


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """No more letters; never a resignation."""

    campaign: str = ""


# ------------------------------------------------------------------ umpires


@dataclass(frozen=True, slots=True, kw_only=True)
class UmpireAct(Command):
    """Journaled with its reason and told to every seat."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFor(UmpireAct):
    """Order lines or numbered answers for another seat, to be read as that seat's letter would be."""

    seat: str
    text: str


@dataclass(frozen=True, slots=True)
class Extend(UmpireAct):
    """A later deadline: by some time, or to a day and hour of the campaign's zone."""

    by: timedelta | None = None
    day: date | None = None
    hour: time | None = None


@dataclass(frozen=True, slots=True)
class Hold(UmpireAct):
    """The campaign stands still."""


@dataclass(frozen=True, slots=True)
class Release(UmpireAct):
    """The campaign goes on."""


@dataclass(frozen=True, slots=True)
class ForceDice(UmpireAct):
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ruling(UmpireAct):
    text: str


@dataclass(frozen=True, slots=True)
class Rollback(UmpireAct):
    to: str
    same_dice: bool = False


@dataclass(frozen=True, slots=True)
class WhatIf(UmpireAct):
    text: str


@dataclass(frozen=True, slots=True)
class Replace(UmpireAct):
    """Another person takes the seat."""

    seat: str
    address: str


@dataclass(frozen=True, slots=True)
class Process(UmpireAct):
    """The turn is played now; without a name the open one."""

    turn: str = ""


@dataclass(frozen=True, slots=True)
class Unseal(UmpireAct):
    """The umpire looks behind the screens, and all are told."""


@dataclass(frozen=True, slots=True)
class Open(Command):
    """A new campaign, in its lobby; what is left out takes the game's first choice."""

    game: str
    players: int = 0
    tempo: str = ""
    scenario: str = ""
    name: str = ""  # as subjects show it; "": the next free one
    title: str = ""


COMMANDS: Mapping[str, type[Command]] = MappingProxyType(
    {
        "HELP": Help, "STATUS": Status, "MAP": Map, "HAND": Hand, "HISTORY": History, "RULE": ShowRule,
        "CHECK": Check, "SHOW STANDING": ShowStanding, "CONFIRM": Confirm, "CANCEL": Cancel,
        "READY": Ready, "WAIT": Wait, "SALT": Salt, "ABSENT": Absent, "ODDS": Odds, "PRESS TO": Press,
        "PROPOSE ROLLBACK": ProposeRollback, "AGREE": Agree, "ARMISTICE": Armistice, "RESIGN": Resign,
        "HANDOVER": Handover, "LANG": Lang, "ZONE": Zone, "VERIFY": Verify, "LIST": ListCampaigns,
        "SIGNUP": Signup, "WATCH": Watch, "STOP": Stop, "ANSWER FOR": AnswerFor, "EXTEND": Extend,
        "HOLD": Hold, "RELEASE": Release, "FORCE DICE": ForceDice, "RULING": Ruling, "ROLLBACK": Rollback,
        "WHATIF": WhatIf, "REPLACE": Replace, "PROCESS": Process, "UNSEAL": Unseal,
        "OPEN": Open, "ADDRESS": ChangeAddress, "LINK": Link, "UNLINK": Unlink,
    }
)  # fmt: skip
