"""Flow tests write their letters without pictures, unless they ask for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns_at_hand import AtHand, campaign_at_hand


@pytest.fixture
def at(tmp_path: Path, without_maps: None) -> AtHand:
    """FWW-1, four players, its first window open."""
    return campaign_at_hand(tmp_path)
