"""Several procedures side by side: each runs to its next Ask, the Asks are posed Together."""

from __future__ import annotations

from typing import Any

from engine.kernel.requests import Ask, Step, Together


def run_concurrently(*steps: Step) -> Step:
    """Run the steps side by side; the result is the tuple of theirs. Dice labels know nothing of it."""
    results: list[Any] = [None] * len(steps)
    replies: dict[int, Any] = dict.fromkeys(range(len(steps)))
    while replies:
        posed: dict[int, Ask | Together] = {}
        for n, reply in replies.items():
            request = yield from _to_next_question(steps[n], reply, results, n)
            if request is not None:
                posed[n] = request
        replies = yield from _pose_together(posed)
    return tuple(results)


def _to_next_question(step: Step, reply: Any, results: list[Any], n: int) -> Step:
    """Pass on everything but questions; None when the step has ended."""
    try:
        request = step.send(reply)
        while not isinstance(request, Ask | Together):
            request = step.send((yield request))
    except StopIteration as stop:
        results[n] = stop.value
        return None
    return request


def _pose_together(posed: dict[int, Ask | Together]) -> Step:
    """All questions in one; each step gets its own answers back."""
    if not posed:
        return {}
    asks = {n: request.asks if isinstance(request, Together) else (request,) for n, request in posed.items()}
    answers = yield Together(tuple(ask for each in asks.values() for ask in each))
    replies, at = {}, 0
    for n, request in posed.items():
        size = len(asks[n])
        replies[n] = answers[at : at + size] if isinstance(request, Together) else answers[at]
        at += size
    return replies
