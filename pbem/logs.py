"""Logs: one JSON object a line on standard error, events with keys.

Never hands, keys, links, tokens or order text, at any level. So of an exception only its kind and the places
it came through are told, not its words, which may quote what it stumbled over; and whatever looks like a
mail address, also inside the words of a library or a server, is struck out.
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

_counted: Counter[str] = Counter()
_counting = threading.Lock()


def _count(_: Any, __: str, told: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Every event of ours is counted by its name, whatever level is shown."""
    with _counting:
        _counted[str(told.get("event"))] += 1
    return told


def _discreet(_: Any, __: str, told: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Exceptions without their words, nothing that looks like an address."""
    raised = _raised(told.pop("exc_info", None))
    words = sorted({word for one in raised for word in (repr(one), str(one)) if word}, key=len, reverse=True)
    for name, value in told.items():
        if isinstance(value, str):
            told[name] = _ADDRESS.sub("…@…", _without(value, words))
    if raised:
        told["exception"] = " from ".join(_kind_and_places(one) for one in raised)
    return told


def _without(text: str, words: Iterable[str]) -> str:
    """Libraries put an exception's words into their own."""
    for word in words:
        text = text.replace(word, "…")
    return text


def _raised(told: Any) -> list[BaseException]:
    """The exception and those it came from."""
    if isinstance(told, tuple):
        told = told[1]
    error: BaseException | None = told if isinstance(told, BaseException) else None
    if told and error is None:
        error = sys.exc_info()[1]
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def _kind_and_places(error: BaseException) -> str:
    """`KeyError at run_segment (table.py:120), …`, the innermost place first."""
    frames = traceback.extract_tb(error.__traceback__)[::-1][:MOST_PLACES]
    places = ", ".join(f"{frame.name} ({Path(frame.filename).name}:{frame.lineno})" for frame in frames)
    return f"{type(error).__name__} at {places}" if places else type(error).__name__


def take_event_counts() -> Counter[str]:
    """How often each event happened since this was last asked."""
    with _counting:
        taken = _counted.copy()
        _counted.clear()
    return taken


structlog.configure(  # until a process says where its log goes: what libraries do
    processors=[
        structlog.stdlib.add_log_level,
        _discreet,
        structlog.processors.KeyValueRenderer(sort_keys=True),
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)


def log_to_stderr(part: str, level: int = logging.INFO) -> None:
    """Our own events and those of the libraries, alike; `part` names the process."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _discreet,
    ]
    structlog.configure(
        processors=[_count, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    logging.raiseExceptions = False  # a log that cannot be written is no place for tracebacks either
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
