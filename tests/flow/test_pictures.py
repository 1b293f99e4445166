"""Letters with their maps: each reader's own picture, and for those who watch what everyone may see."""

from __future__ import annotations

from pathlib import Path

from pbem.campaigns.adjudicate import adjudicate
from tests.campaigns_at_hand import NAME, campaign_at_hand
from tests.flow.hands import all_hand_in, flat, read, to_members

MOST = 300_000  # bytes of a letter


def test_everybody_gets_his_own_map_and_observers_that_of_everyone(tmp_path: Path) -> None:
    at = campaign_at_hand(tmp_path)
    all_hand_in(at)
    assert adjudicate(at.service, NAME)
    (watched,) = to_members(at, "observer")
    letters = [at.letters(seat, "result")[0] for seat in at.seats]
    pictures = []
    for posted in (*letters, watched):
        assert len(posted.letter.body) < MOST
        found = [part for part in read(posted).walk() if part.get_content_type() == "image/png"]
        assert 1 < len(found) <= 4 or posted is watched, "the map, and close-ups for those who play"
        pictures.append(found[0].get_content())
    assert len(pictures) == len(set(pictures))
    assert "deadline.ics" in [part.get_filename() for part in read(letters[0]).walk()]
    told = flat(watched)
    assert "as seen by" not in told and "Flanders: WA 2 | DE 2" in told
    assert "The Western Allies deploy 2 to front 1" in told and "FR5" not in told
