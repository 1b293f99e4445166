"""A letter's signature: looked at once, when it arrives, and kept with the letter; and letters sent again.

DNS trouble means: wait and try again, then CONFIRM. Strangers are not waited for: nobody may hold up a
deadline with the help of a name server that does not answer.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from pbem.intake.arrival import Arrival, LookAgain, Outcome, signature_of
from pbem.mail.signatures import Verdict
from pbem.store.connect import Db
from pbem.store.copies import Behind, behind_lock
from pbem.store.mailbag import keep_proof
from pbem.store.people import person_at

DNS_TRIES: Final = 3  # then the letter is held for CONFIRM
DNS_PAUSE: Final = timedelta(minutes=2)


def has_its_signature_known(arrival: Arrival) -> Outcome | None:
    """Kept before anything else is done with the letter: the key may be another one tomorrow."""
    office, received = arrival.office, arrival.received
    if signature_of(received)[0] in ("unchecked", "unknown"):
        mailbox = office.addresses.mailbox
        found = office.sender_proof.verdict(received.raw, arrival.letter, mailbox, received.arrived)
        if found.signature != "none":
            keep_proof(office.db, received.id, _told(found))
        arrival.received = received = replace(received, proof=_told(found))
        if found.signature == "unknown" and received.tries < DNS_TRIES and _is_known(arrival):
            raise LookAgain("dns", DNS_PAUSE)
    signature, b = signature_of(received)
    arrival.proof = replace(
        arrival.proof,
        signature=signature,
        b=b,
        to_us=bool(received.proof.get("to_us")),
        replay=str(received.proof.get("replay", "")),
        why=str(received.proof.get("why", "")),
    )
    return None


def _is_known(arrival: Arrival) -> bool:
    return person_at(arrival.office.db, arrival.letter.sender) is not None


def _told(found: Verdict) -> dict[str, Any]:
    known: dict[str, Any] = {"dkim": found.signature}
    more = {"why": found.why, "b": found.b, "to_us": found.to_us, "replay": found.replay}
    return known | {name: value for name, value in more.items() if value}


def looked_up(db: Db, arrival: Arrival) -> Behind:
    """Was the same letter heard, which came another way or was sent again, by a mail program or by somebody
    who got it? And who holds its seat?
    """
    return behind_lock(db, arrival.received.id, arrival.belongs, arrival.received.arrived)
