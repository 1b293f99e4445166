"""The command line, and a service at work."""

from __future__ import annotations

from tests.ops.conftest import Run, at, redis_socket, redis_url, run

__all__ = ["Run", "at", "redis_socket", "redis_url", "run"]
