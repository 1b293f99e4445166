"""Every command of a letter, for tests; each is declared beside its verb."""

from pbem.orders.understood import Command
from pbem.verbs.absence import Absent
from pbem.verbs.addresses import ChangeAddress, Link, Unlink
from pbem.verbs.consent import Agree, Armistice, ProposeRollback
from pbem.verbs.information import Help, History, ListCampaigns, Odds, ShowRule, TellLuck, Verify
from pbem.verbs.leaving import Handover, Resign, Stop, Watch
from pbem.verbs.lobby import Open, Signup
from pbem.verbs.orders import Cancel, Check, Confirm, Lang, Ready, Salt, Wait, Zone
from pbem.verbs.press import EVERYBODY, THE_UMPIRE, Press
from pbem.verbs.status import Hand, Map, Possible, ShowStanding, Status
from pbem.verbs.umpire import (
    AnswerFor,
    Extend,
    ForceDice,
    Hold,
    Process,
    Release,
    Replace,
    Rollback,
    Ruling,
    Unseal,
    WhatIf,
)

__all__ = (
    "EVERYBODY",
    "THE_UMPIRE",
    "Absent",
    "Agree",
    "AnswerFor",
    "Armistice",
    "Cancel",
    "ChangeAddress",
    "Check",
    "Command",
    "Confirm",
    "Extend",
    "ForceDice",
    "Hand",
    "Handover",
    "Help",
    "History",
    "Hold",
    "Lang",
    "Link",
    "ListCampaigns",
    "Map",
    "Odds",
    "Open",
    "Possible",
    "Press",
    "Process",
    "ProposeRollback",
    "Ready",
    "Release",
    "Replace",
    "Resign",
    "Rollback",
    "Ruling",
    "Salt",
    "ShowRule",
    "ShowStanding",
    "Signup",
    "Status",
    "Stop",
    "TellLuck",
    "Unlink",
    "Unseal",
    "Verify",
    "Wait",
    "Watch",
    "WhatIf",
    "Zone",
)
