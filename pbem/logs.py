"""Logs: one JSON object a line on standard error, events with keys.

Never hands, keys, links, tokens or order text, at any level; tracebacks carry no locals.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import Counter
from collections.abc import MutableMapping
from typing import Any

import structlog

QUIET = ("aiosmtpd", "mail.log", "kombu", "amqp", "asyncio", "imapclient", "alembic")


_counted: Counter[str] = Counter()
_counting = threading.Lock()


def _count(_: Any, __: str, told: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Every event of ours is counted by its name, whatever level is shown."""
    with _counting:
        _counted[str(told.get("event"))] += 1
    return told


def take_counted() -> Counter[str]:
    """How often each event happened since this was last asked."""
    with _counting:
        taken = _counted.copy()
        _counted.clear()
    return taken


structlog.configure(  # until a process says where its log goes: what libraries do
    processors=[structlog.stdlib.add_log_level, structlog.processors.KeyValueRenderer(sort_keys=True)],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)


def log_to_stderr(part: str, level: int = logging.INFO) -> None:
    """Our own events and those of the libraries, alike; `part` names the process."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[_count, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(part=part)


def log() -> Any:
    """Where events are told: `log().info("letter.taken", letter=7)`."""
    return structlog.stdlib.get_logger("pbem")
