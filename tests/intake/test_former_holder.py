"""What a former holder of a seat wrote is theirs: a new holder verifies its dice by hashes."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path

import pytest

from pbem.campaigns.adjudicate import adjudicate
from pbem.store.inbox import mark_read_to
from pbem.store.outbox import Posted
from pbem.store.people import give_seat, person_at
from pbem.verify_dice import verify
from tests.campaigns_at_hand import NAME, OBSERVER
from tests.intake.conftest import Intake, all_to
from tests.intake.judged_letters import later

OLD_WORDS, NEW_WORDS = "seven blue elephants", "nine green whales"
OLD_ID, NEW_ID = "<secret.old@de.test>", "<secret.new@watchers.test>"


def _give_to_heir(intake: Intake) -> None:
    heir = person_at(intake.at.db, OBSERVER)
    assert heir is not None
    give_seat(intake.at.db, NAME, "DE", heir.id, intake.at.clock())
    intake.at.addresses = {**intake.at.addresses, "DE": OBSERVER}
    later(intake)


def _close(intake: Intake) -> None:
    """By the deadline, with the letters that go out then."""
    intake.at.clock.passes(days=30)
    mark_read_to(intake.at.db, "INBOX", 1, intake.at.clock())
    assert adjudicate(intake.at.service, NAME)
    later(intake)


def _file_of(posted: Posted) -> str:
    message = message_from_bytes(posted.letter.body, policy=policy.default)
    files = [part for part in message.walk() if (part.get_filename() or "").endswith(".json")]
    return "".join(part.get_content().decode() for part in files)


@pytest.mark.parametrize("change", ["in the window", "after it"])
def test_a_new_holder_reads_nothing_of_the_former_ones_words(
    intake: Intake, change: str, tmp_path: Path
) -> None:
    """Neither in the file with a result nor in that of VERIFY; and all of it verifies."""
    first = intake.at.addresses["DE"]
    intake.says("DE", f"SALT {OLD_WORDS}", message_id=OLD_ID)
    later(intake)
    if change == "after it":
        _close(intake)
        own = "".join(_file_of(one) for one in all_to(intake, first))
        assert OLD_WORDS in own and OLD_ID in own  # whoever wrote it sees it
        later(intake)
    _give_to_heir(intake)
    _close(intake)
    later(intake)
    intake.says("DE", f"SALT {NEW_WORDS}", message_id=NEW_ID)
    _close(intake)
    later(intake)
    intake.says("DE", "VERIFY")
    files = [text for one in all_to(intake, OBSERVER) if (text := _file_of(one))]
    whole = files[0]
    assert NEW_WORDS in whole and NEW_ID in whole
    for text in files:
        assert OLD_WORDS not in text and OLD_ID not in text
    paths = []
    for number, text in enumerate(files):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(text)
    found = verify(paths)
    assert (found.code, found.caught, found.unreadable) == (0, [], [])


def test_a_new_holder_asks_for_everything_and_reads_nothing_of_it(intake: Intake) -> None:
    """In no part of any letter: texts, pages and files."""
    intake.says("DE", f"SALT {OLD_WORDS}", message_id=OLD_ID)
    later(intake)
    _close(intake)
    later(intake)
    _give_to_heir(intake)
    for command in ("VERIFY", "VERIFY T1", "HISTORY", "HISTORY T1", "STATUS", "SHOW STANDING"):
        intake.says("DE", command)
        later(intake)
    _close(intake)
    letters = all_to(intake, OBSERVER)
    assert len(letters) > 6
    for one in letters:
        told = " ".join(_whole(one).split())
        assert OLD_WORDS not in told and OLD_ID.strip("<>") not in told, one.letter.kind


def _whole(posted: Posted) -> str:
    message = message_from_bytes(posted.letter.body, policy=policy.default)
    contents = [part.get_payload(decode=True) for part in message.walk() if not part.is_multipart()]
    return "".join(content.decode("utf-8", "replace") for content in contents if isinstance(content, bytes))
