"""Tables that stop between two segments: the analysis board and what-ifs go only so far."""

from __future__ import annotations

from collections.abc import Callable

from engine.kernel.game import Window
from engine.kernel.records import Pause
from engine.kernel.requests import Answer, Ask, Segment
from engine.kernel.sheet import FiledAnswer
from engine.kernel.table import Table


class TrialTable(Table):
    """A table that rests before the segment that `stops` names: at a pause that asks nobody.

    `stops` is asked once for each segment that would begin. Nothing goes on from there.
    """

    stops: Callable[[Segment], bool] | None = None
    rests: bool = False  # it has stopped

    def _begin_segment(self, segment: Segment) -> None:
        if self.stops is not None and not self._script.lines and self.stops(segment):
            self.rests, self.pause = True, Pause(Window(segment.key, ()), ())
            return
        super()._begin_segment(segment)


class WhatIfTable(TrialTable):
    """A table that waits for nobody: whoever has nothing on record and nothing on file does the default.

    A new answer does not end the record: what was decided then is decided again wherever that is offered.
    """

    def _settle(self, question: str, ask: Ask, closed: bool) -> FiledAnswer | Window:
        return super()._settle(question, ask, True)

    def _record_answer(self, question: str, ask: Ask, found: FiledAnswer) -> Answer:
        record, answer = self.record, super()._record_answer(question, ask, found)
        self.record = record
        return answer
