"""The lobby: campaigns opened, people signing up by letter, seats dealt, the game started."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path

import pytest
from sqlalchemy import select, update

from engine.kernel.fairness.dice import H
from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.lobby import (
    deal_seats,
    is_started,
    open_campaign,
    parse_seats,
    seat_players,
    start_campaign,
    vacant_seats,
    waits_for_opening,
)
from pbem.campaigns.terms import agree_terms
from pbem.context import ServiceContext
from pbem.errors import BadInput
from pbem.intake.receive import receive_letter
from pbem.mail.addresses import SeatAddresses
from pbem.settings import ServiceProfile
from pbem.store.campaigns import CampaignExists, all_campaigns, campaign_row, keys_of
from pbem.store.deadlines import find_stuck_work
from pbem.store.inbox import Sighting, store_letter
from pbem.store.journal import read_journal, read_records
from pbem.store.outbox import Posted, letters_to, posted
from pbem.store.people import enrol, give_seat, give_to_bot, members, seated
from pbem.store.schema import campaigns
from pbem.store.schema_mail import outbox
from pbem.store.session import reading, writing
from tests.campaigns_at_hand import MAILBOX, UMPIRE, Clock, mail
from tests.stores import fresh_store

NAME = "FWW-1"
FACTIONS = ("WA", "EA", "DE", "GA")


class Post:
    """A service and the mails that come to it."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        addresses = SeatAddresses(H("test addresses"), MAILBOX)
        self.service = ServiceContext(
            fresh_store(folder), addresses, ServiceProfile(umpires=(UMPIRE,)), self.clock
        )
        self.uid = 0

    def writes(self, sender: str, text: str, answers: str = "") -> frozenset[str]:
        self.uid += 1
        raw = mail(text, sender=sender, date=self.clock(), in_reply_to=answers)
        seen = Sighting("INBOX", 1, self.uid)
        letter = store_letter(self.service.db, seen, raw, self.clock(), self.clock())
        return receive_letter(self.service, letter.id, "test")

    def newest_to(self, address: str) -> Posted:
        chosen = select(outbox.c.message_id).where(outbox.c.recipient == address).order_by(outbox.c.id.desc())
        with reading(self.service.db) as tx:
            message_id = tx.execute(chosen.limit(1)).scalar_one()
        found = posted(self.service.db, message_id)
        assert found is not None
        return found

    def does(self, sender: str, text: str) -> frozenset[str]:
        """Asked, and confirmed in reply."""
        address = sender.rpartition("<")[2].strip(">")
        self.writes(sender, text)
        return self.writes(sender, "CONFIRM", self.newest_to(address).letter.message_id)


def text_of(one: Posted) -> str:
    message = message_from_bytes(one.letter.body, policy=policy.default)
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


@pytest.fixture
def post(tmp_path: Path, without_maps: None) -> Post:
    return Post(tmp_path)


# ------------------------------------------------------------------ opening


def test_a_campaign_opens_with_its_commitments_in_the_first_line(post: Post) -> None:
    terms = open_campaign(post.service, "fww-1", "FWW", players=4, tempo="react", umpires=[UMPIRE])
    here, (line,) = campaign_row(post.service.db, NAME), read_journal(post.service.db, NAME)
    assert ("lobby", 1, "The First World War") == (here.state, here.length, here.title)
    promised = keys_of(post.service.db, NAME).dice.commitments
    assert promised == {key: line.data[key] for key in ("anchor", "seal")}
    assert list(terms.seats) == vacant_seats(post.service.db, NAME)
    assert [UMPIRE] == [one.person.registered for one in members(post.service.db, NAME, "umpire")]
    with pytest.raises(CampaignExists):
        open_campaign(post.service, "Fww-1", "fww")


@pytest.mark.parametrize(
    ("name", "told"),
    [("A" * 40, "too long"), ("Ä-1", "no name"), ("FWW 1", "no name"), ("", "no name"), ("X.1", "no name")],
)
def test_a_name_that_fits_no_address_is_refused(post: Post, name: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        open_campaign(post.service, name, "fww")
    assert [] == all_campaigns(post.service.db)


def test_unknown_bots_and_seats_are_refused(post: Post) -> None:
    with pytest.raises(BadInput, match="bot"):
        open_campaign(post.service, NAME, "fww", players=4, bots={"WA": "clever"})
    with pytest.raises(BadInput, match="seat"):
        open_campaign(post.service, NAME, "fww", players=4, bots={"XX": "random"})


def test_an_umpires_letter_opens_a_campaign_and_no_other_does(post: Post) -> None:
    post.does(UMPIRE, "OPEN fww 4 players react TITLE The lamps go out")
    here = campaign_row(post.service.db, NAME)
    assert ("lobby", "The lamps go out") == (here.state, here.title)
    assert "SIGNUP FWW-1" in text_of(post.newest_to(UMPIRE))
    post.writes(UMPIRE, "OPEN chess")
    assert "no game 'chess'" in text_of(post.newest_to(UMPIRE))
    post.does(UMPIRE, "OUVRE fww 4")
    post.writes("stranger@where.test", "OPEN fww")
    assert [NAME, "FWW-2"] == [one.id for one in all_campaigns(post.service.db)]


# ------------------------------------------------------------------ dealing


def test_who_came_first_chooses_first() -> None:
    seats = ("WA", "EA", "DE", "GA")
    wanted = [(1, ("DE",)), (2, ("DE", "GA")), (3, ()), (4, ("DE", "GA"))]
    assert {"DE": 1, "GA": 2, "WA": 3, "EA": 4} == deal_seats(wanted, seats)
    assert {"EA": 9} == deal_seats([(9, ("WA",))], ("EA",))


def test_wishes_name_seats_by_id_and_in_both_languages() -> None:
    terms = agree_terms("fww", players=4)
    assert ("DE", "WA") == parse_seats(terms, ["de", "WA"])
    assert ("DE",) == parse_seats(terms, ["Germany"]) == parse_seats(terms, ["Allemagne"])
    assert ("WA", "GA") == parse_seats(terms, ["Western", "Allies", "GA"])
    assert () == parse_seats(terms, ["Mars"])


# ------------------------------------------------------------------ signing up


def test_players_sign_up_by_letter_and_the_game_starts_when_it_is_full(post: Post) -> None:
    open_campaign(post.service, NAME, "fww", players=4, umpires=[UMPIRE], bots={"GA": "sensible"})
    post.writes("Ann <ann@a.test>", f"SIGNUP {NAME} DE")
    assert [] == members(post.service.db, NAME, "signup")  # nobody knows yet who wrote it
    post.writes("Ann <ann@a.test>", "CONFIRM", post.newest_to("ann@a.test").letter.message_id)
    (ann,) = members(post.service.db, NAME, "signup")
    assert ("Ann", "DE") == (ann.person.name, ann.wish) and ann.confirmed is not None
    assert "2 more players" in text_of(post.newest_to("ann@a.test"))
    post.does("bea@b.test", f"SIGNUP {NAME} DE WA")
    assert not is_started(post.service.db, NAME)
    rings = post.does("Carl <carl@c.test>", f"SIGNUP {NAME} the moon")
    assert {NAME} == rings
    held = {one.seat: one for one in seated(post.service.db, NAME)}
    people = {seat: one.person.registered for seat, one in held.items() if one.person is not None}
    assert {"DE": "ann@a.test", "WA": "bea@b.test", "EA": "carl@c.test"} == people
    assert held["WA"].person is not None and "@" not in held["WA"].person.name
    assert waits_for_opening(post.service.db, campaign_row(post.service.db, NAME))
    assert (NAME,) == find_stuck_work(post.service.db, post.clock()).unseen  # the sweep rings, too
    invitations = [one for one in letters_to(post.service.db, NAME) if one.letter.kind == "invitation"]
    assert {"ann@a.test", "bea@b.test", "carl@c.test"} == {one.letter.recipient for one in invitations}
    promised = keys_of(post.service.db, NAME).dice.commitments
    for one in invitations:
        assert promised["anchor"] in text_of(one) and promised["seal"] in text_of(one)
        others = {"ann@a.test", "bea@b.test", "carl@c.test"} - {one.letter.recipient}
        assert not any(other in text_of(one) for other in others)
    assert adjudicate(post.service, NAME)
    assert "running" == campaign_row(post.service.db, NAME).state
    assert (NAME,) != find_stuck_work(post.service.db, post.clock()).unseen
    (record,) = read_records(post.service.db, NAME)
    assert "UNSALTED" not in record.marks  # the last player's letter went into the opening's dice


@pytest.mark.parametrize("is_vacant", [False, True])
def test_who_signs_up_for_a_game_in_play_is_offered_to_the_umpire(post: Post, is_vacant: bool) -> None:
    """As the letter that seeks a player says. The seat may be empty, or its player silent."""
    in_play(post)
    if is_vacant:
        give_seat(post.service.db, NAME, "DE", None, post.clock())
    answers = {"dora@d.test": ("SIGNUP", "umpire has been told"), "odile@o.test": ("INSCRIPTION", "averti")}
    for address, (verb, told) in answers.items():
        post.does(f"Dora Doe <{address}>", f"{verb} {NAME} DE")
        assert told in text_of(post.newest_to(address))
        letter = " ".join(text_of(post.newest_to(UMPIRE)).split())
        assert f"Dora Doe ({address})" in letter and f"REPLACE DE BY {address}" in letter
        assert ("Seats without a player" in letter) is is_vacant
    signed = [one.person.registered for one in members(post.service.db, NAME, "signup")]
    assert ["dora@d.test", "odile@o.test"] == signed
    post.does(UMPIRE, f"REPLACE DE BY dora@d.test IN {NAME}")
    held = next(one for one in seated(post.service.db, NAME) if one.seat == "DE")
    assert held.person is not None and "dora@d.test" == held.person.registered
    assert "Dora Doe" == held.person.name
    assert ["odile@o.test"] == [one.person.registered for one in members(post.service.db, NAME, "signup")]
    seats = [one for one in letters_to(post.service.db, NAME) if one.letter.seat is not None]
    assert not any("dora@" in text_of(one) for one in seats if one.letter.recipient != "dora@d.test")


def test_nobody_signs_up_for_a_game_that_is_over(post: Post) -> None:
    in_play(post)
    with writing(post.service.db) as tx:
        tx.execute(update(campaigns).values(state="over"))
    post.writes("dora@d.test", f"SIGNUP {NAME}")
    assert "is over" in text_of(post.newest_to("dora@d.test"))
    assert [] == members(post.service.db, NAME, "signup")


def in_play(post: Post) -> None:
    open_campaign(post.service, NAME, "fww", players=4, umpires=[UMPIRE])
    with writing(post.service.db) as tx:
        people = {seat: enrol(tx, f"{seat}@p.test", seat, "en", "UTC", post.clock()) for seat in FACTIONS}
        seat_players(post.service, tx, load_campaign(tx, NAME), people)
    start_campaign(post.service, NAME)
    assert adjudicate(post.service, NAME)


def test_whoever_wrote_french_is_answered_in_french_when_he_confirms_in_english(post: Post) -> None:
    open_campaign(post.service, NAME, "fww", players=4)
    post.does("Anne <anne@a.test>", f"INSCRIPTION {NAME} DE")
    assert "Vous êtes inscrit" in text_of(post.newest_to("anne@a.test"))


def test_who_signs_up_is_answered_in_his_own_language_and_sets_his_time(post: Post) -> None:
    open_campaign(post.service, NAME, "fww", players=4)
    post.writes("Anne <anne@a.test>", f"INSCRIPTION {NAME} DE\nFUSEAU Europe/Paris")
    assert "répondez" in text_of(post.newest_to("anne@a.test"))
    post.writes("Anne <anne@a.test>", "CONFIRME", post.newest_to("anne@a.test").letter.message_id)
    post.does("Ben <ben@b.test>", f"SIGNUP {NAME} WA\nLANG fr")
    anne, ben = (one.person for one in members(post.service.db, NAME, "signup"))
    assert ("fr", "Europe/Paris") == (anne.language, anne.zone)
    assert ("fr", "UTC") == (ben.language, ben.zone)


def test_invitations_name_all_who_play(post: Post) -> None:
    open_campaign(post.service, NAME, "fww", players=2)
    post.does("Ann <ann@a.test>", f"SIGNUP {NAME}")
    post.does("Ben <ben@b.test>", f"SIGNUP {NAME}")
    for one in letters_to(post.service.db, NAME):
        if one.letter.kind == "invitation":
            assert "Ann" in text_of(one) and "Ben" in text_of(one)


def test_a_second_sign_up_changes_the_wish(post: Post) -> None:
    open_campaign(post.service, NAME, "fww", players=4)
    post.does("Ann <ann@a.test>", f"SIGNUP {NAME} DE")
    post.does("Ann <ann@a.test>", f"SIGNUP {NAME} GA")
    (ann,) = members(post.service.db, NAME, "signup")
    assert "GA" == ann.wish


def test_a_campaign_starts_only_with_every_seat_held_and_once(post: Post) -> None:
    open_campaign(post.service, NAME, "fww", players=4, bots={"GA": "sensible", "EA": "sensible"})
    with pytest.raises(BadInput, match="nobody holds WA, DE"):
        start_campaign(post.service, NAME)
    assert not adjudicate(post.service, NAME)
    for seat in ("WA", "DE"):
        give_to_bot(post.service.db, NAME, seat, "sensible")
    assert not adjudicate(post.service, NAME)  # nobody said start
    assert start_campaign(post.service, NAME)
    assert not start_campaign(post.service, NAME)
    assert adjudicate(post.service, NAME)
    assert "lobby" != campaign_row(post.service.db, NAME).state


def test_a_reply_to_the_invitation_goes_into_the_first_dice(post: Post) -> None:
    db = post.service.db
    open_campaign(post.service, NAME, "fww", players=4, bots={"GA": "sensible", "EA": "sensible"})
    for seat in ("WA", "DE"):
        with writing(db) as tx:
            person = enrol(tx, f"{seat}@a.test", seat, "en", "UTC", post.clock())
            seat_players(post.service, tx, load_campaign(tx, NAME), {seat: person})
    (invitation,) = letters_to(db, NAME, "WA")
    post.writes("wa@a.test", "SALT the rain in Spain", invitation.letter.message_id)
    start_campaign(post.service, NAME)
    assert adjudicate(post.service, NAME)
    (record,) = read_records(db, NAME)
    entries = record.close.entries
    assert (1, 0) == (len(entries[Seat("WA")].marks), len(entries[Seat("DE")].marks))
    assert "UNSALTED" not in record.marks
