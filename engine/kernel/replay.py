"""Journal lines to replay: what the rules do now is compared with what they did then.

Compared are kind, seat, topic and place of a question, the label of a roll and every byte of a fact; never
options, which may be listed otherwise by mended rules without changing the past.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from engine.kernel.errors import Diverged
from engine.kernel.journal import JOURNAL_VERSION, Journal, JournalLine, canonical, upcast
from engine.kernel.records import read_segment
from engine.kernel.requests import Segment

_NOTES = (b'"k":"ruling"', b'"k":"branch"', b'"k":"version"')  # of no effect on the rules


def is_kind(line: JournalLine, kind: str) -> bool:
    """A quotation mark inside a JSON text is escaped, so these bytes occur only where the kind is named."""
    return line.raw.find(b'"k":"%s"' % kind.encode()) >= 0  # faster than `in`


class Script:
    """The lines that are left to replay. Lines taken from it go into the journal as they were."""

    __slots__ = ("_forked", "_journal", "lines", "version")

    def __init__(
        self, journal: Journal, lines: Iterable[JournalLine] = (), version: int = JOURNAL_VERSION
    ) -> None:
        self._journal = journal
        self.lines = deque(lines)
        self.version = version
        self._forked = False  # a branch began with the lines taken last

    def next_segment(self) -> Segment | None:
        """The segment that begins at the next seam."""
        seam = next((line for line in self.lines if is_kind(line, "seam")), None)
        return None if seam is None else read_segment(upcast(seam.data, self.version))

    def after_fork(self) -> Segment | None:
        """The segment with which a branch begins, where one does; it need not be the one that stood there."""
        forked, self._forked = self._forked, False
        return self.next_segment() if forked else None

    def _take(self) -> JournalLine:
        line = self.lines.popleft()
        self._journal.extend(line)
        self._forked = self._forked or is_kind(line, "branch")
        if is_kind(line, "version"):
            self.version = line.data["v"]
        return line

    def next(self) -> dict[str, Any]:
        """The next line, whatever it is, in today's form."""
        return upcast(self._take().data, self.version)

    def skip_notes(self) -> None:
        """Pass over acts of the umpire and changes of version that stand here."""
        while self.lines and any(self.lines[0].raw.find(mark) >= 0 for mark in _NOTES):
            self._take()

    def peek(self) -> dict[str, Any] | None:
        """The next line that is more than a note, in today's form; None at the end."""
        self.skip_notes()
        return upcast(self.lines[0].data, self.version) if self.lines else None

    def expect(self, raw: bytes, where: str) -> None:
        """The next line must read like this."""
        self.skip_notes()
        if not self.lines:
            self.diverge(raw.decode("ascii"), "the journal ends here", where)
        line = self.lines[0]
        then = line.raw if self.version == JOURNAL_VERSION else canonical(upcast(line.data, self.version))
        if then != raw:
            self.diverge(raw.decode("ascii"), then.decode("ascii"), where)
        self._take()

    def take(self, kind: str, where: str, **expected: Any) -> dict[str, Any]:
        """The next line, which must be of that kind and place."""
        data = self.peek()
        if data is None:
            self.diverge(f"{kind} {expected}", "the journal ends here", where)
        if data["k"] != kind or any(data.get(name) != value for name, value in expected.items()):
            self.diverge(f"{kind} {expected}", self.lines[0].raw.decode("ascii"), where)
        self._take()
        return data

    def take_if(self, kind: str) -> Mapping[str, Any] | None:
        """The next line if it is of that kind."""
        data = self.peek()
        if data is None or data["k"] != kind:
            return None
        self._take()
        return data

    def diverge(self, now: str, then: str, where: str) -> NoReturn:
        raise Diverged(
            f"{where}, line {len(self._journal) + 1}: the rules say {now}; the journal says {then}"
        )
