"""A desk with providers that sign, what letters ask for, and what of it was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import select

from pbem.mail.dkim import SenderProof
from pbem.store import schema
from pbem.store import schema_mail as mail_tables
from pbem.store.campaigns import set_policy
from pbem.store.people import absences_of, person_at, require_signature, seated
from pbem.store.proposals import proposals
from pbem.store.session import reading
from pbem.store.windows import SeatOrders, read_orders
from tests.campaigns_at_hand import NAME, PEOPLE, UMPIRE
from tests.intake.conftest import Intake
from tests.providers import SIGNED_BY
from tests.signing import Zone, new_key, signed

POLICIES = ("token", "pinned", "dkim")
SIGNED_ONES = ("pinned", "dkim")  # policies under which the seats of these tests must sign
SEATS = ("WA", "EA", "DE", "GA")
FRONTS = {"WA": 3, "EA": 8, "DE": 3, "GA": 9}  # where each fights
GOOD, BAD = new_key("providers"), new_key("thief")
THIEF, FRIEND = "thief@dark.test", "friend@elsewhere.test"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a letter asks for. `done`: has it been done for that seat?"""

    name: str
    text: Callable[[str], str]
    done: Callable[[Intake, str], bool]


def _file(intake: Intake, seat: str) -> SeatOrders:
    return read_orders(intake.at.db, NAME).seats.get(seat, SeatOrders())


def _orders(intake: Intake, seat: str) -> bool:
    sheet = _file(intake, seat).sheet
    return sheet is not None and sheet.orders == f"C1: ATTACK {FRONTS[seat]}"


def _is_absent(intake: Intake, seat: str) -> bool:
    who = person_at(intake.at.db, intake.at.addresses[seat])
    return who is not None and bool(absences_of(intake.at.db, who.id, NAME))


def _has_changed_language(intake: Intake, seat: str) -> bool:
    address = intake.at.addresses[seat]
    who = person_at(intake.at.db, address)
    return who is not None and who.language != PEOPLE[address][1]


def _has_left(intake: Intake, seat: str) -> bool:
    return any(one.seat == seat and one.person is None for one in seated(intake.at.db, NAME))


def other_seat(seat: str) -> str:
    return SEATS[(SEATS.index(seat) + 1) % len(SEATS)]


def other_language(seat: str) -> str:
    return "en" if seat in ("WA", "GA") else "fr"


ORDERS = Asked("orders", lambda seat: f"ORDERS FWW-1 T1.R\nC1: ATTACK {FRONTS[seat]}\nEND", _orders)
READY = Asked("ready", lambda seat: "READY", lambda intake, seat: _file(intake, seat).stance == "ready")
ABSENT = Asked("absent", lambda seat: "ABSENT 2026-12-03 to 2026-12-10", _is_absent)
PRESS = Asked(
    "press",
    lambda seat: f"PRESS TO {other_seat(seat)}: let us talk",
    lambda intake, seat: bool(intake.at.letters(other_seat(seat), "press")),
)
LANG = Asked("lang", lambda seat: f"LANG {other_language(seat)}", _has_changed_language)
RESIGN = Asked("resign", lambda seat: "RESIGN", _has_left)
ARMISTICE = Asked(
    "armistice", lambda seat: "ARMISTICE", lambda intake, seat: bool(proposals(intake.at.db, NAME))
)
ROLLBACK = Asked("rollback", lambda seat: "PROPOSE ROLLBACK T1", ARMISTICE.done)
MOVE = Asked("move", lambda seat: f"ADDRESS {THIEF}", lambda intake, seat: False)
SALT = Asked("salt", lambda seat: "SALT seven blue elephants", lambda intake, seat: False)
EVERYDAY = (ORDERS, READY, ABSENT, PRESS, LANG)


# ------------------------------------------------------------------ the desk


def zone() -> Zone:
    found = Zone()
    hosts = sorted({address.partition("@")[2] for address in (*PEOPLE, UMPIRE)})
    for host in (*hosts, *(f"mail.{host}" for host in hosts)):
        found.publish(host, GOOD)
    found.publish("dark.test", BAD)
    found.publish("elsewhere.test", BAD)
    return found


@dataclass(slots=True)
class Post:
    """The desk, and the zone its keys are looked up in."""

    intake: Intake
    keys: Zone

    def letter(self, seat: str, text: str, **changes: Any) -> bytes:
        """A seat's plain reply, dated now."""
        return self.intake.at.reply(seat, text, **changes)

    def signed(self, seat: str, text: str, **changes: Any) -> bytes:
        return signed(self.letter(seat, text, **changes), self.host(seat), GOOD)

    def sent_by(self, provider: str, seat: str, raw: bytes) -> bytes:
        """Signed as that provider does, headers that are not there among it."""
        return signed(raw, self.host(seat), GOOD, headers=SIGNED_BY[provider].split(":"), seals=True)

    def host(self, seat: str) -> str:
        return self.intake.at.addresses[seat].partition("@")[2]

    def token(self, seat: str) -> str:
        one = next(one for one in seated(self.intake.at.db, NAME) if one.seat == seat)
        window = self.intake.last(seat, "result").letter.window
        assert window is not None
        return self.intake.at.service.addresses.reply_address(NAME, seat, one.holder, window)


def post_at(intake: Intake, policy: str, *, pinned: bool, authserv_id: str = "") -> Post:
    """Under that policy; `pinned`: letters of all have been signed before."""
    keys = zone()
    ways = SenderProof(keys.look_up, authserv_id)
    intake.at.service = replace(intake.at.service, sender_proof=ways)
    set_policy(intake.at.db, NAME, {"proof": policy})
    for address in (*intake.at.addresses.values(), UMPIRE) if pinned else ():
        require_signature(intake.at.db, address, intake.at.clock())
    return Post(intake, keys)


# ------------------------------------------------------------------ what was done


def done_so_far(intake: Intake) -> dict[str, list[Any]]:
    """Everything that obeying a letter may change; letters to anybody but a registered address among it."""
    tables = (
        mail_tables.sheets, mail_tables.replies, mail_tables.standing_orders, mail_tables.stances,
        mail_tables.marks, mail_tables.deadlines, schema.absences, schema.proposals, schema.assents,
        schema.umpire_acts, schema.members, schema.people, schema.closes,
    )  # fmt: skip
    whole = {table.name: [tuple(row) for row in _rows(intake, select(table))] for table in tables}
    campaigns, known, out = schema.campaigns.c, schema.addresses.c, mail_tables.outbox.c
    whole["campaigns"] = _rows(
        intake, select(campaigns.state, campaigns.held, campaigns.policy, campaigns.length)
    )
    whole["addresses"] = _rows(
        intake, select(known.address, known.person, known.linked).order_by(known.address)
    )
    whole["seats"] = [
        (one.seat, one.bot, None if one.person is None else one.person.id)
        for one in seated(intake.at.db, NAME)
    ]
    own = [row[0] for row in whole["addresses"]]
    elsewhere = select(out.recipient).where((out.kind == "press") | out.recipient.not_in(own))
    whole["letters"] = _rows(intake, elsewhere.order_by(out.id))
    return whole


def _rows(intake: Intake, chosen: Any) -> list[Any]:
    with reading(intake.at.db) as tx:
        return [tuple(row) for row in tx.execute(chosen)]


def later(intake: Intake, minutes: int = 5) -> datetime:
    return intake.at.clock.passes(minutes=minutes)
