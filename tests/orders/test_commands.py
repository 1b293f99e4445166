"""mail.md 3: every command, in both languages, with its arguments and its faults."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from typing import Any

import pytest

from engine.kernel.errors import Unreadable
from pbem.orders.arguments import BECAUSE, Awaiting
from pbem.orders.text import words
from pbem.orders.understood import Circumstances
from pbem.orders.vocabulary import Fault
from pbem.verbs.registry import REGISTRY
from tests.narrowing import expect, not_none
from tests.orders import commands as c
from tests.orders.codes import EXPECTED, QUESTIONS, REASONS
from tests.orders.writing import OBSERVER, PLAYER, STRANGER, UMPIRE, codes, commands, read, reasons

AUGUST = c.Absent(date(2026, 8, 3), date(2026, 8, 20))
PLAYERS: list[tuple[str, str, c.Command]] = [
    ("HELP", "aide", c.Help()),
    ("help orders", "AIDE orders", c.Help("orders")),
    ("Status, please", "état svp", c.Status()),
    ("MAP", "carte", c.Map()),
    ("POSSIBLE", "possibilités", c.Possible()),
    ("hand", "main", c.Hand()),
    ("HISTORY", "HISTORIQUE", c.History()),
    ("history T2", "historique tour 2", c.History("T2")),
    ("RULE 5.4.1", "règle 5.4.1", c.ShowRule("5.4.1")),
    ("CHECK", "essai", c.Check()),
    ("draft", "brouillon", c.Check()),
    ("TEST", "test", c.Check()),
    ("SHOW STANDING", "voir consignes", c.ShowStanding()),
    ("CONFIRM!", "confirme", c.Confirm()),
    ("CANCEL", "annule", c.Cancel()),
    ("cancel all", "annule tout", c.Cancel()),
    ("CANCEL 3, 4", "annule ligne 3 4", c.Cancel((3, 4))),
    ("ready", "prêt", c.Ready()),
    ("WAIT", "attends", c.Wait()),
    ("SALT the rain in Spain", "sel the rain in Spain", c.Salt("the rain in Spain")),
    ("ABSENT 3 Aug – 20 Aug", "absent du 3 au 20 août", AUGUST),
    ("absent 2026-08-03 to 2026-08-20", "ABSENCE 2026-08-03 – 2026-08-20", AUGUST),
    ("absent none", "absent aucune", c.Absent(None, None)),
    ("ODDS ATTACK 3 WITH FR2", "chances ATTACK 3 WITH FR2", c.Odds("ATTACK 3 WITH FR2")),
    ("PRESS TO DE: peace?", "presse à DE : peace?", c.Press(("DE",), "peace?")),
    ("press to all: hi: there", "PRESSE À TOUS: hi: there", c.Press(("ALL",), "hi: there")),
    ("PRESS TO THE UMPIRE: x", "presse à l'arbitre : x", c.Press((c.THE_UMPIRE,), "x")),
    ("PRESS TO ALL and umpire: x", "PRESSE A TOUS et arbitre: x", c.Press(("ALL", c.THE_UMPIRE), "x")),
    ("PRESS TO DE and GA: x", "presse aux DE,GA: x", c.Press(("DE", "GA"), "x")),
    ("PROPOSE ROLLBACK T3.R2", "propose retour à T3.R2", c.ProposeRollback("T3.R2")),
    ("AGREE", "d’accord", c.Agree()),
    ("agree to rollback T3.R2", "accord retour T3.R2", c.Agree("T3.R2")),
    ("ARMISTICE", "armistice", c.Armistice()),
    ("ARMISTICE ACCEPT", "armistice accepte", c.Armistice("accept")),
    ("RESIGN", "abandonne", c.Resign()),
    ("RESIGN, CONFIRM", "j'abandonne. Confirme !", c.Resign()),
    ("RESIGN YES", "abandonner oui", c.Resign()),
    ("RESIGN NO", "ABANDONNER NON", c.Resign(willing=False)),
    ("HANDOVER", "céder", c.Handover()),
    ("ARMISTICE ACCEPT CONFIRM", "armistice accepte, confirmer", c.Armistice("accept")),
    ("LANG fr", "langue français", c.Lang("fr")),
    ("ZONE Europe/Paris", "fuseau europe/paris", c.Zone("Europe/Paris")),
    ("ADDRESS <Anna@Example.org>", "adresse : anna@example.org", c.ChangeAddress("anna@example.org")),
    ("LINK a@b.example<mailto:a@b.example>", "relie a@b.example", c.Link("a@b.example")),
    ("UNLINK a@b.example, please", "délie a@b.example.", c.Unlink("a@b.example")),
    ("VERIFY", "vérifie", c.Verify()),
    ("VERIFY T2", "vérifie T2", c.Verify("T2")),
    ("LUCK", "fortune", c.TellLuck()),
    ("LUCK T2", "fortune T2", c.TellLuck("T2")),
    ("LIST", "liste", c.ListCampaigns()),
    ("SIGNUP TTLM-7 DE, GA", "inscription TTLM-7 DE GA", c.Signup("TTLM-7", ("DE", "GA"))),
    ("WATCH TTLM-7", "observe TTLM-7", c.Watch("TTLM-7")),
]  # fmt: skip
UMPIRES: list[tuple[str, str, c.Command]] = [
    ("ANSWER FOR WA: Q1 2", "réponds pour WA Q1 2", c.AnswerFor("WA", "Q1 2")),
    ("EXTEND 2 days because of snow", "prolonge 2 jours car of snow",
     c.Extend(timedelta(days=2), reason="of snow")),
    ("EXTEND BY 48h", "prolonge de 48 heures", c.Extend(timedelta(hours=48))),
    ("EXTEND TO 3 Aug 20:00", "prolonge au 3 août 20h00", c.Extend(None, date(2026, 8, 3), time(20, 0))),
    ("EXTEND until 2026-08-03", "prolonge jusqu'au 2026-08-03", c.Extend(None, date(2026, 8, 3))),
    ("HOLD", "suspends", c.Hold()),
    ("RELEASE reason: all is well", "libère motif : all is well", c.Release(reason="all is well")),
    ("FORCE DICE 3 5 1", "force dés 3,5,1", c.ForceDice((3, 5, 1))),
    ("RULING Metz stands.", "arbitrage : Metz stands.", c.Ruling("Metz stands.")),
    ("ROLLBACK T3.R2", "retour à T3.R2", c.Rollback("T3.R2")),
    ("ROLLBACK T3.R2 SAME DICE", "retour T3.R2 mêmes dés", c.Rollback("T3.R2", True)),
    ("WHATIF WA passes", "et si WA passes", c.WhatIf("WA passes")),
    ("REPLACE WA BY Ann@Example.org", "remplace WA par <ann@example.org>",
     c.Replace("WA", "ann@example.org")),
    ("PROCESS", "exécute", c.Process()),
    ("PROCESS turn 3", "exécute T3", c.Process("T3")),
    ("UNSEAL", "descelle", c.Unseal()),
    ("OPEN fww", "ouvre FWW", c.Open(game="fww")),
    ("open fww 4 react as FWW-7", "ouvrir fww tempo react joueurs 4 nom FWW-7",
     c.Open(game="fww", players=4, tempo="react", name="FWW-7")),
    ("OPEN fww 2 players scenario standard title The Marne, again",
     "OUVRE fww scénario standard 2 joueurs titre The Marne, again",
     c.Open(game="fww", players=2, scenario="standard", title="The Marne, again")),
]  # fmt: skip


@pytest.mark.parametrize(("english", "french", "command"), PLAYERS, ids=[row[0] for row in PLAYERS])
def test_players_commands(english: str, french: str, command: c.Command) -> None:
    for text in (english, french, f"- {english}", f"3. {french}", f"  * {english}\u00a0"):
        assert commands(read(text)) == [command], text


@pytest.mark.parametrize(("english", "french", "command"), UMPIRES, ids=[row[0] for row in UMPIRES])
def test_umpires_commands(english: str, french: str, command: c.Command) -> None:
    for text in (english, french, f"• {english}"):
        assert commands(read(text, who=UMPIRE)) == [command], text


def test_every_command_is_tried_and_has_its_value() -> None:
    tried = {type(command) for _, _, command in (*PLAYERS, *UMPIRES)}
    assert tried | {c.Stop} == set(REGISTRY.by_command)


@pytest.mark.parametrize("verb", REGISTRY.verbs, ids=lambda verb: verb.symbol)
def test_every_synonym_leads_to_its_verb(verb: Any) -> None:
    whole = {"RULE": "5.1", "SALT": "x", "ABSENT": "2026-08-03", "ODDS": "x", "PRESS TO": "WA: x",
             "LANG": "fr", "ZONE": "UTC", "SIGNUP": "FWW-1", "ANSWER FOR": "WA: 1", "EXTEND": "2 days",
             "FORCE DICE": "3", "RULING": "x", "ROLLBACK": "T1", "PROPOSE ROLLBACK": "T1", "WHATIF": "x",
             "REPLACE": "WA BY a@example.org", "OPEN": "fww", "ADDRESS": "a@example.org",
             "LINK": "a@example.org", "UNLINK": "a@example.org"}  # fmt: skip
    everybody = replace(UMPIRE, writer=("umpire", "observer"))
    who = everybody if "player" not in verb.who or verb.symbol == "STOP" else PLAYER
    for phrase in verb.spellings:
        found = REGISTRY.read(f"{phrase} {whole.get(verb.symbol, '')}", who)
        assert type(found) is verb.command, phrase


# ------------------------------------------------------------------ the campaign named


def with_campaign(text: str, named: str) -> list[str]:
    """The command with a campaign's name behind the verb, and behind a closed verb's arguments."""
    keys = [word.key for word in words(text)]
    longest = next(n for n in range(len(keys), 0, -1) if tuple(keys[:n]) in REGISTRY.phrases)
    verb, end = REGISTRY.phrases[tuple(keys[:longest])], words(text)[longest - 1].end
    head, rest = text[:end].rstrip(",.:! "), text[end:].strip(" :")
    is_last = verb.rest == "closed" and not {*keys} & {*BECAUSE, "CONFIRM", "CONFIRME", "CONFIRMER"} - {
        keys[0]
    }
    behind = [f"{head} {rest} {named}", f"{head} {rest} DE {named}"] if is_last else []
    colon = ":" if verb.rest == "speech" and verb.role != "press" else ""
    return [f"{head} {named}{colon} {rest}", *behind]


NAMING = [
    (text, command, who)
    for table, who in ((PLAYERS, PLAYER), (UMPIRES, UMPIRE))
    for english, french, command in table
    if REGISTRY.of(command).implies_campaign
    for text in (english, french)
]


@pytest.mark.parametrize(("text", "command", "who"), NAMING, ids=[row[0] for row in NAMING])
def test_a_campaign_that_is_implied_may_be_named(text: str, command: c.Command, who: Circumstances) -> None:
    for named in ("FWW-1", "fww-1", "[FWW-1]"):
        for line in with_campaign(text, named):
            assert commands(read(line, who=who)) == [command], line
    other = replace(who, is_other_campaign=lambda word: word == "TTLM-2")
    for line in with_campaign(text, "TTLM-2"):
        found = read(line, who=other)
        assert (reasons(found), commands(found)) == (["mail-other-campaign"], []), line


def test_every_verb_about_a_campaign_may_name_it() -> None:
    tried = {type(command) for _, command, _ in NAMING}
    assert {verb.command for verb in REGISTRY.verbs if verb.implies_campaign} == tried
    assert {c.Hold, c.Status, c.Extend, c.Resign, c.Ready, c.Map, c.Odds} < tried


def test_a_name_inside_a_text_is_the_writers_own_word() -> None:
    assert commands(read("RULING FWW-1 goes on.", who=UMPIRE)) == [c.Ruling("FWW-1 goes on.")]
    assert commands(read("HOLD because FWW-1 is late", who=UMPIRE)) == [c.Hold(reason="FWW-1 is late")]
    assert commands(read("RULING FWW-1\nMetz stands.\nEND", who=UMPIRE)) == [c.Ruling("Metz stands.")]


def test_a_campaign_alone_is_no_argument() -> None:
    assert commands(read("ODDS FWW-1")) == []


def test_an_argument_that_is_also_the_campaigns_name_stays_one() -> None:
    assert commands(read("PRESS TO WA: x", who=UMPIRE, campaign="WA")) == [c.Press(("WA",), "x")]
    assert commands(read("ANSWER FOR WA: 1", who=UMPIRE, campaign="WA")) == [c.AnswerFor("WA", "1")]


# ------------------------------------------------------------------ who may


@pytest.mark.parametrize(
    ("text", "who"),
    [("UNSEAL", PLAYER), ("HOLD", PLAYER), ("REPLACE WA BY a@example.org", PLAYER), ("HAND", OBSERVER),
     ("RESIGN", OBSERVER), ("STATUS", STRANGER), ("HAND", UMPIRE)],
)  # fmt: skip
def test_a_verb_that_is_not_the_writers_is_refused(text: str, who: Circumstances) -> None:
    found = read(text, who=who)
    assert (reasons(found), commands(found)) == (["mail-not-for-you"], [])


def test_strangers_may_ask_for_help_and_sign_up() -> None:
    found = read("HELP\nLIST\nSIGNUP FWW-1\nCONFIRM", who=STRANGER)
    assert len(commands(found)) == 4


def test_an_umpire_who_holds_a_seat_has_both() -> None:
    found = read("HOLD\nC1: PASS", writer=("player", "umpire"))
    assert (commands(found), found.verdict) == ([c.Hold()], "runs")


def test_stop_is_a_question_for_a_seat_and_a_command_for_others() -> None:
    for text in ("STOP", "unsubscribe", "désabonner", "STOP FWW-1"):
        found = read(text)
        assert (codes(found), commands(found)) == (["stop-of-a-seat"], [])
    assert commands(read("STOP", who=OBSERVER)) == [c.Stop()]


# ------------------------------------------------------------------ faults


@pytest.mark.parametrize(
    ("text", "reason", "suggested"),
    [
        ("RULE", "mail-missing", ""),
        ("ABSENT", "mail-missing", ""),
        ("ABSENT 31 Feb", "mail-impossible-date", ""),
        ("ABSENT 3 Aug 26", "mail-impossible-date", ""),
        ("LANG de", "mail-unknown-language", "fr"),
        ("ZONE Paris", "mail-unknown-zone", "Europe/Paris"),
        ("ZONE Europe/Pariss", "mail-unknown-zone", "Europe/Paris"),
        ("PRESS TO DEE: x", "mail-unknown-seat", "DE"),
        ("PRESS TO DE we attack", "mail-missing", ""),
        ("PROPOSE ROLLBACK yesterday", "mail-unknown-turn", ""),
        ("CANCEL 3-5", "mail-bad-line-number", ""),
        ("STATUS OF WAR", "mail-left-over", ""),
        ("STATSU", "mail-not-understood", "STATUS"),
        ("CONFRIM", "mail-not-understood", "CONFIRM"),
        ("YES", "mail-not-understood", "CONFIRM"),
        ("SHOW STANDNG", "mail-not-understood", "SHOW STANDING"),
        ("ODERS FWW-1 T3", "mail-not-understood", "ORDERS"),
    ],
)
def test_a_command_that_fails_says_why_and_what_was_meant(text: str, reason: str, suggested: str) -> None:
    found = read(text)
    (question,) = found.questions
    assert (question.code, not_none(question.reason).reason) == ("doubtful-line", reason)
    if suggested:
        assert suggested in expect(Unreadable, question.reason).suggestions


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("FORCE DICE", "mail-missing"),
        ("FORCE DICE 3 x", "mail-bad-dice"),
        ("FORCE DICE 0", "mail-bad-dice"),
        ("REPLACE WA BY nobody", "mail-bad-address"),
        ("REPLACE XX BY a@example.org", "mail-unknown-seat"),
        ("EXTEND a bit", "mail-unknown-time"),
        ("EXTEND TO 3 Aug 25:00", "mail-unknown-time"),
    ],
)
def test_an_umpires_command_that_fails(text: str, reason: str) -> None:
    (question,) = read(text, who=UMPIRE).questions
    assert not_none(question.reason).reason == reason


def test_dates_that_cannot_be() -> None:
    assert reasons(read("ABSENT 2026-08-20 - 2026-08-03")) == ["mail-dates-reversed"]
    assert reasons(read("ABSENT 2026-01-03 - 2026-01-05")) == ["mail-date-past"]


@pytest.mark.parametrize("text", ["ABSENT 3/8 - 20/8", "ABSENT 3.8. bis 20.8.", "absent 3/8/2026"])
def test_a_date_in_bare_numbers_is_asked_back(text: str) -> None:
    found = read(f"{text}\nC1: PASS")
    assert (codes(found), commands(found), found.verdict) == (["which-date"], [], "runs")
    assert expect(tuple, found.questions[0].facts["dates"])[0] == "2026-08-03"


@pytest.mark.parametrize(
    "text",
    ["Stop it", "help me understand what this means", "Wait a minute", "sign up now", "Map of the world",
     "I agree with you", "press on!"],
)  # fmt: skip
def test_talk_that_begins_with_a_verb_is_no_command(text: str) -> None:
    assert isinstance(REGISTRY.read(text, PLAYER), Fault)
    found = read(f"ORDERS\nPASS\nEND\n{text}")
    assert (commands(found), reasons(found), len(found.chat)) == ([], [], 1)


def test_rulings_and_answers_may_go_on_up_to_end() -> None:
    found = read("RULING\nMetz stands.\n\nSo be it.\nEND\nANSWER FOR WA\nC1: PASS\nC2: PASS\nFIN", who=UMPIRE)
    assert commands(found) == [c.Ruling("Metz stands.\n\nSo be it."), c.AnswerFor("WA", "C1: PASS\nC2: PASS")]
    assert isinstance(REGISTRY.read("RULING:", UMPIRE), Awaiting)
    assert reasons(read("RULING\nEND", who=UMPIRE)) == ["mail-missing"]


# ------------------------------------------------------------------ codes


def test_every_code_is_listed_with_its_facts() -> None:
    """Whatever the texts above bring up."""
    texts = [
        "STATSU",
        "ABSENT 3/8",
        "STOP",
        "2",
        "RULE",
        "PRESS TO DEE: x",
        "UNSEAL",
        "C1: PASS\nCONFIRM",
        "",
    ]
    for text in texts:
        found = read(text)
        for question in found.questions:
            assert set(question.facts) == set(QUESTIONS[question.code])
            if question.reason is not None and question.reason.rule == "mail":
                assert set(question.reason.facts) == set(REASONS[question.reason.reason])
                assert question.reason.facts.get("expected", "text") in EXPECTED
        for refusal in found.refusals:
            assert set(refusal.facts) == set(REASONS[refusal.reason])
