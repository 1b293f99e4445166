"""No secret and no address in a log, whoever writes it."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from pbem.logs import log, log_to_stderr, take_event_counts

SECRETS = ("FR6 attacks Metz", "umpire+fww-1.wa.abcdefgh23456789@host.example", "max@de.test", "hunter2")


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What has been logged since, as objects; the logging of the other tests is put back."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setattr(logging, "raiseExceptions", True)  # put back afterwards
    log_to_stderr("test")
    take_event_counts()

    def told() -> list[dict[str, Any]]:
        text = out.getvalue()
        assert not [secret for secret in SECRETS if secret in text], text
        return [json.loads(line) for line in text.splitlines()]

    yield told
    root.handlers, root.level = handlers, level
    structlog.configure(**before)
    structlog.contextvars.clear_contextvars()


def stumble() -> None:
    try:
        raise KeyError(SECRETS[0])
    except KeyError as first:
        raise ValueError(f"{SECRETS[1]} hunter2") from first


def test_an_exception_is_told_by_its_kind_and_place(logs: Any) -> None:
    try:
        stumble()
    except ValueError:
        log().error("advance.broke-down", campaign="FWW-1", exc_info=True)
    (one,) = logs()
    first, _, second = one["exception"].partition(" from ")
    assert first.startswith("ValueError at stumble (test_logs.py:") and second.startswith(
        "KeyError at stumble"
    )
    assert ("advance.broke-down", "FWW-1", "test") == (one["event"], one["campaign"], one["part"])


def test_libraries_words_hold_neither_addresses_nor_an_exceptions_text(logs: Any) -> None:
    """As Celery tells of a task that failed, and a mail server of a letter it does not take."""
    try:
        stumble()
    except ValueError as error:
        logging.getLogger("celery.app.trace").error(
            "Task %(name)s raised unexpected: %(exc)s",
            {"name": "pbem.send", "exc": repr(error)},
            exc_info=True,
        )
    logging.getLogger("somebody").warning("550 no such user <%s>, told %s", SECRETS[2], SECRETS[1])
    log().warning("mailbox.trouble", trouble=f"LoginError: {SECRETS[2]} may not log in")
    failed, refused, ours = logs()
    assert "Task pbem.send raised unexpected: …" == failed["event"]
    assert "550 no such user <…@…>, told …@…" == refused["event"]
    assert "LoginError: …@… may not log in" == ours["trouble"]


def test_events_of_ours_are_counted(logs: Any) -> None:
    for _ in range(3):
        log().info("post.sent", post=1)
    log().debug("post.hidden")
    logging.getLogger("somebody").warning("words")
    assert {"post.sent": 3, "post.hidden": 1} == dict(take_event_counts())
    assert {} == dict(take_event_counts())
    assert ["post.sent"] * 3 + ["words"] == [one["event"] for one in logs()]


def test_a_log_that_cannot_be_written_is_not_told_with_the_words_of_an_exception(logs: Any) -> None:
    """Python's own way is to print the whole chain of tracebacks on standard error."""
    handler = logging.getLogger().handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(broken := io.StringIO())
    broken.close()
    try:
        stumble()
    except ValueError:
        log().error("advance.broke-down", exc_info=True)
    assert [] == logs()
