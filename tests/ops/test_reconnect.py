"""A worker without Redis retries at a steady pace."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers import LOOPBACK, free_port
from worker import reconnect


class Enough(Exception):
    """It has been tried often enough."""


def test_redis_is_tried_again_at_a_steady_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconnect, "RETRY_SECONDS", 0.02)
    pauses: list[float] = []

    def told(_: BaseException, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 6:
            raise Enough

    connection: Any = reconnect.SteadyConnection  # of kombu, which has no types
    line = connection(f"redis://{LOOPBACK}:{free_port()}/0")
    with pytest.raises(Enough):
        line.ensure_connection(told, None, interval_start=0.01, interval_step=0.01)
    assert max(pauses) <= 0.03 and pauses[-1] == pauses[-2]
