"""Every test here runs over all games; what they counted is told at the end of the run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.conformance.games import cases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "bout" in metafunc.fixturenames:
        bouts = [(case, bout) for case in cases() for bout in range(int(2 * case.share))]
        metafunc.parametrize(("case", "bout"), bouts, ids=[f"{case}-{bout}" for case, bout in bouts])
    elif "case" in metafunc.fixturenames:
        metafunc.parametrize("case", cases(), ids=str)


@pytest.fixture
def tally(request: pytest.FixtureRequest, record_property: Any) -> Any:
    """Counts what a test looked at: `tally(questions=3)`."""
    group = request.node.path.stem.removeprefix("test_")

    def count(**numbers: int) -> None:
        for name, number in numbers.items():
            record_property(f"{group}: {name}", number)

    return count


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The sums over all tests, also when they ran in several processes."""
    sums: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                told = (one for one in report.user_properties if isinstance(one[1], int))  # others tell words
                for name, number in told:
                    sums[name] += number
    if sums:
        terminalreporter.write_sep("-", "conformance")
        for name, number in sorted(sums.items()):
            terminalreporter.write_line(f"{name} {number}")
