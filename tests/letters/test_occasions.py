"""Letters between the turns: each in both languages, complete, and harmless whatever players write."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.kernel.game import GameSettings
from engine.kernel.requests import Seat
from pbem.campaigns.terms import agree_terms
from pbem.letters.dates import Moment
from pbem.letters.invitation import (
    CampaignListing,
    Invitation,
    Pace,
    campaign_list,
    invitation_memo,
    signup_memo,
    stranger_memo,
)
from pbem.letters.memo import Memo, Note, Passage, memo_about, memo_letter
from pbem.letters.notices import (
    ACTS,
    address_trouble_memo,
    press_memo,
    resignation_memo,
    rules_crash_memo,
    umpire_notice,
)
from pbem.letters.phrases import LANGUAGES, Phrases
from pbem.letters.question import unproven_memo
from pbem.mail.compose import Correspondent, Draft, compose
from tests.letters.gallery import facts_of_acts
from tests.letters.gallery import memos as memos_of_game
from tests.letters.letters_read import FWW, PACK, Page, check_letter, plain, words

both = pytest.mark.parametrize("language", LANGUAGES)
EVENING = Moment(datetime(2026, 11, 24, 19, 0, tzinfo=UTC), "Europe/Paris")
LATER = Moment(datetime(2026, 11, 26, 19, 0, tzinfo=UTC), "Europe/Paris")
HOSTILE = '<script>alert("1")</script><img src="http://example.org/x.png"> & {{ 7 * 7 }}'

INVITED = Invitation(
    campaign="FWW-7",
    names=FWW.names,
    seat="WA",
    players=(("WA", "Jeanne Dubois"), ("EA", ""), ("DE", "Max Brandt"), ("GA", "Li Wei")),
    anchor="ab" * 32,
    seal="cd" * 32,
    umpire="The Umpire",
    pace=Pace(days=7, at="20:00", zone="Europe/Paris", grace=6),
    options=("random_order",),
    house_rules="Be kind.\n\nNo press in the last hour.",
)

TERMS = agree_terms("fww", players=4)
FACTS = facts_of_acts(Seat("DE"))


def memos(phrases: Phrases) -> dict[str, Memo]:
    return memos_of_game(phrases, TERMS)


OCCASIONS = sorted(memos(words("en")))


@both
@pytest.mark.parametrize("occasion", OCCASIONS)
def test_every_occasion_has_its_letter(language: Any, occasion: str) -> None:
    phrases = words(language)
    written = memo_letter(memos(phrases)[occasion], phrases)
    check_letter(written)
    assert "FWW-7" in written.subject


@both
def test_strangers_are_written_to_without_a_game(language: Any) -> None:
    phrases = words(language, "")
    campaigns = [
        CampaignListing("FWW-1", FWW.names, "lobby", 2),
        CampaignListing("FWW-2", FWW.names, "running"),
    ]
    for memo in (
        stranger_memo(),
        Memo(Note("list-subject"), Note("list-headline"), campaign_list(campaigns, phrases)),
        Memo(Note("list-subject"), Note("list-headline"), campaign_list([], phrases)),
        signup_memo("FWW-1", "FWW"),
    ):
        check_letter(memo_letter(memo, phrases))


@both
def test_the_invitation_commits_the_dice_in_full(language: Any) -> None:
    written = memo_letter(invitation_memo(INVITED, words(language)), words(language))
    for told in ("ab" * 32, "cd" * 32, "verify_dice.txt", "Jeanne Dubois", "Max Brandt", "Be kind."):
        assert told in written.text and told in Page(written.html).text
    assert PACK.factions["WA"].names[language] in written.subject


@both
@pytest.mark.parametrize("players", [2, 3, 4])
def test_its_sample_of_orders_is_read_and_names_own_armies(language: Any, players: int) -> None:
    state, _ = FWW.set_up(PACK, GameSettings(players=players))
    for seat in FWW.seats(GameSettings(players=players)):
        view = FWW.view(state, seat)
        sample = words(language).lines("words", "sample", {"reader": seat})
        reading = FWW.notation.read("\n".join(sample), view)
        assert len(reading.orders) == 2 and len(reading.standing) == 1 and not reading.refusals
        named = {army for army in PACK.armies if re.search(rf"\b{army}\b", "\n".join(sample))}
        assert named and {PACK.faction_of[army] for army in named} <= set(view.factions)


@both
def test_a_bot_is_named_as_one(language: Any) -> None:
    invited = replace(INVITED, players=(("WA", "Jeanne"), ("DE", "sensible")), bots=("DE",))
    text = plain(memo_letter(invitation_memo(invited, words(language)), words(language)).text)
    assert words(language).say("notes", "invitation-bot", {"name": "sensible"}) in text


@both
@pytest.mark.parametrize("act", sorted(ACTS))
def test_every_act_of_an_umpire_is_told_with_its_reason(language: Any, act: str) -> None:
    facts = {name: FACTS[name] for name in ACTS[act]}
    told = memo_letter(umpire_notice("FWW-7", act, "a slip of the pen", facts), words(language)).text
    assert "a slip of the pen" in told
    silent = memo_letter(umpire_notice("FWW-7", act, " ", facts), words(language)).text
    unexplained = words(language).say("notes", "notice-no-reason") in plain(silent)
    assert unexplained == (act not in ("ruling", "restore"))  # their words are their reason


def test_an_act_tells_only_what_may_be_told() -> None:
    memo = umpire_notice(
        "FWW-7", "answer-for", "", {"who": "DE", "answer": "DE1 leads", "address": "a@b.example"}
    )
    text = memo_letter(memo, words("en")).text
    assert "DE1 leads" not in text and "a@b.example" not in text


# ------------------------------------------------------------------ what others write


def hostile(phrases: Phrases) -> list[Memo]:
    return [
        press_memo("FWW-7", "DE", ("ALL",), HOSTILE, name=HOSTILE),
        invitation_memo(replace(INVITED, house_rules=HOSTILE, players=(("WA", HOSTILE),)), phrases),
        umpire_notice("FWW-7", "hold", HOSTILE),
        unproven_memo("FWW-7", "T3.R", (HOSTILE,), EVENING, "address"),
        address_trouble_memo("FWW-7", "DE", HOSTILE, "bouncing", HOSTILE),
        rules_crash_memo("FWW-7", "T3", HOSTILE),
    ]


@both
@pytest.mark.parametrize("place", range(6))
def test_what_others_write_stays_words(language: Any, place: int) -> None:
    written = memo_letter(hostile(words(language))[place], words(language))
    page = Page(written.html)
    assert "script" not in page.tags and "img" not in page.tags
    assert '<script>alert("1")' in page.text.replace("\xa0", " ") and "{{ 7 * 7 }}" in page.text
    assert "49" not in page.text


@both
def test_nobody_can_forge_the_frame_of_our_letters(language: Any) -> None:
    text = "peace\n##- end / fin -##\nATTACK 3\n##- FWW-7: write above this line -##\n##-x\u202e\x00y\u2028z"
    memo = press_memo("FWW-7", "DE", ("ALL",), text, name="##- end / fin -##")
    written = memo_letter(memo, words(language))
    check_letter(written)
    assert "\u202e" not in written.text and "\x00" not in written.text and "\u2028" not in written.text


def test_long_lines_of_a_passage_stay_as_they_are() -> None:
    line = "x" * 100 + " " + "y" * 100
    written = memo_letter(memo_about("help", {"campaign": "FWW-7"}, Passage((line, ""))), words("en"))
    assert line in written.text.splitlines() and "pre-wrap" in written.html
    check_letter(written, wide=True)


@both
def test_they_can_be_sent(language: Any) -> None:
    for memo in memos(words(language)).values():
        ours = memo_letter(memo, words(language))
        draft = Draft(
            "<a1@example.org>",
            Correspondent("umpire@example.org"),
            "umpire+fww-7@example.org",
            Correspondent("player@example.org"),
            ours.subject,
            EVENING.at,
            ours.text,
            html=ours.html,
            pictures=ours.pictures,
        )
        assert len(compose(draft)) < 300_000


def test_seats_are_named_in_the_readers_language() -> None:
    text = memo_letter(resignation_memo("FWW-7", Seat("DE"), "automa"), words("fr")).text
    assert "Allemagne" in text
