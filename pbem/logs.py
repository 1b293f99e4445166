"""Logs: one JSON object a line on standard error, events with keys.

Never hands, keys, links, tokens or order text, at any level. So an exception is logged by its type and
traceback, without its message, which may quote the data; and whatever looks like a mail address, also in the
messages of libraries and servers, is removed.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import Any, Final

import structlog

QUIET = ("aiosmtpd", "mail.log", "kombu", "amqp", "asyncio", "imapclient", "alembic")


MOST_PLACES: Final = 12  # of a traceback
_ADDRESS: Final = re.compile(r"[^\s@<>\"'(),;:\[\]]+@[^\s@<>\"'(),;:\[\]/]+")

_event_counts: Counter[str] = Counter()
_counts_lock = threading.Lock()


def _count(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Count every event of ours by its name, whatever level is shown."""
    with _counts_lock:
        _event_counts[str(event.get("event"))] += 1
    return event


def _redact(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Remove messages of exceptions and whatever looks like an address."""
    raised = _exception_chain(event.pop("exc_info", None))
    words = sorted({word for one in raised for word in (repr(one), str(one)) if word}, key=len, reverse=True)
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = _ADDRESS.sub("…@…", _strip_words(value, words))
    if raised:
        event["exception"] = " from ".join(_type_and_places(one) for one in raised)
    return event


def _strip_words(text: str, words: Iterable[str]) -> str:
    """Libraries quote exceptions in their own messages."""
    for word in words:
        text = text.replace(word, "…")
    return text


def _exception_chain(info: Any) -> list[BaseException]:
    """The exception and its causes."""
    if isinstance(info, tuple):
        info = info[1]
    error = info if isinstance(info, BaseException) else sys.exc_info()[1] if info else None
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return chain


def _type_and_places(error: BaseException) -> str:
    """`KeyError at run_segment (table.py:120), …`, the innermost place first."""
    frames = traceback.extract_tb(error.__traceback__)[::-1][:MOST_PLACES]
    places = ", ".join(f"{frame.name} ({Path(frame.filename).name}:{frame.lineno})" for frame in frames)
    return f"{type(error).__name__} at {places}" if places else type(error).__name__


def take_event_counts() -> Counter[str]:
    """How often each event happened since the last call."""
    with _counts_lock:
        counts = _event_counts.copy()
        _event_counts.clear()
    return counts


structlog.configure(  # until `log_to_stderr`: behave as libraries do
    processors=[
        structlog.stdlib.add_log_level,
        _redact,
        structlog.processors.KeyValueRenderer(sort_keys=True),
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)


def log_to_stderr(part: str, level: int = logging.INFO) -> None:
    """Log our own events and those of the libraries; `part` names the process."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _redact,
    ]
    structlog.configure(processors=[_count, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter])
    logging.raiseExceptions = False  # no traceback if the log cannot be written
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
    """The logger: `log().info("letter.taken", letter=7)`."""
    return structlog.stdlib.get_logger("pbem")
