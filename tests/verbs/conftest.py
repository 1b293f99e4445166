"""A campaign at hand for every test of requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns_at_hand import AtHand, campaign_at_hand


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    return campaign_at_hand(tmp_path)
