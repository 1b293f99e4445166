"""A game's tests against one mutant, in a throw-away copy of the tree."""

from __future__ import annotations

import difflib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Literal
from xml.etree import ElementTree

from tests.mutants.alter import Mutant

Verdict = Literal["killed", "survived", "timeout"]
COPIED = (
    "engine",
    "pbem",
    "worker",
    "templates",
    "tests",
    "deploy",
    "docs",
    "pyproject.toml",
    "Makefile",
    "README.md",
)
MEMORY = 3 << 30  # bytes; a loop that no longer ends must not take the machine with it
QUIETLY = ("-x", "-q", "--tb=no", "--no-header", "--assert=plain", "-p", "no:cacheprovider")
UNUSABLE = (4, 5)  # pytest's exit codes for a wrong command line and for no test at all


class BadSuite(Exception):
    """The tests do not pass, or there are none, on the tree as it is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the tests said of one mutant."""

    mutant: Mutant
    verdict: Verdict
    seconds: float
    by: str  # the test that failed first

    @property
    def noticed(self) -> bool:
        return self.verdict != "survived"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of the tests; `code` is None if the time was up."""

    code: int | None
    seconds: float
    output: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Test files and the seconds each takes."""

    files: Mapping[str, float]

    def ordered_for(self, mutant: Mutant) -> list[str]:
        """All files; those named after the altered module first, then the quick ones."""
        module = Path(mutant.path).stem
        return sorted(self.files, key=lambda file: (module not in Path(file).stem, self.files[file], file))


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the tree in which mutants are tried, one after the other."""

    tree: Path

    @classmethod
    def of(cls, tree: Path, into: Path) -> Copy:
        into.mkdir(parents=True)
        for name in COPIED:
            if (tree / name).is_dir():
                shutil.copytree(tree / name, into / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif (tree / name).is_file():
                shutil.copy2(tree / name, into / name)
        # Compiled files are checked by content: an alteration may leave size and second as they were.
        compiler = [
            sys.executable,
            "-m",
            "compileall",
            "-q",
            "--invalidation-mode",
            "checked-hash",
            str(into),
        ]
        subprocess.run(compiler, check=False)  # what does not compile, the tests will tell
        return cls(into)

    def run(self, suite: Sequence[str], limit: float) -> Ran:
        """Run the tests from this copy, and from nowhere else."""
        command = [sys.executable, "-m", "pytest", *QUIETLY]
        environment = os.environ | {
            "CI": "true",  # property tests draw by a fixed seed
            "PYTHONPATH": str(self.tree),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        }
        began = time.monotonic()
        with subprocess.Popen(
            [*command, *suite],
            cwd=self.tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_bound_memory,  # noqa: PLW1509 (it takes no lock)
        ) as process:
            try:
                output, _ = process.communicate(timeout=limit)
                code: int | None = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
                code = None
        return Ran(code, time.monotonic() - began, output)

    def try_out(self, mutant: Mutant, suite: Suite, limit: float) -> Outcome:
        """Alter one file, run the tests, put the file back."""
        file = self.tree / mutant.path
        healthy = file.read_bytes()
        file.write_bytes(mutant.applied(healthy))
        try:
            ran = self.run(suite.ordered_for(mutant), limit)
        finally:
            file.write_bytes(healthy)
        if ran.code in UNUSABLE:
            raise BadSuite(f"the tests cannot be run: {' '.join(suite.files)}\n{ran.output}")
        verdict: Verdict = "timeout" if ran.code is None else "survived" if ran.code == 0 else "killed"
        return Outcome(mutant, verdict, ran.seconds, _first_failure(ran.output))


def _bound_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _first_failure(output: str) -> str:
    for line in output.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split(" - ")[0].split(" ", 1)[1]
    return ""


def baseline(copy: Copy, tests: Sequence[str], limit: float) -> tuple[Suite, float]:
    """The tests as a suite, and the seconds they take on the tree as it is; they must pass."""
    report = copy.tree / "durations.xml"
    ran = copy.run([*tests, f"--junitxml={report}"], limit)
    if ran.code != 0:
        raise BadSuite(f"the tests do not pass before anything is altered\n{ran.output}")
    seconds: dict[str, float] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        file = _file_of(copy.tree, case.get("classname", ""))
        seconds[file] = seconds.get(file, 0.0) + float(case.get("time", "0"))
    return Suite(seconds), ran.seconds


def _file_of(tree: Path, name: str) -> str:
    """`tests.rules.fww.test_tiles.TestHand` -> `tests/rules/fww/test_tiles.py`"""
    parts = name.split(".")
    while parts and not tree.joinpath(*parts).with_suffix(".py").is_file():
        parts.pop()
    return Path(*parts).with_suffix(".py").as_posix()


def trials(copies: list[Copy], mutants: list[Mutant], suite: Suite, limit: float) -> Iterator[Outcome]:
    """Try all mutants, as many at a time as there are copies, and tell each outcome as it comes."""
    free: SimpleQueue[Copy] = SimpleQueue()
    done: SimpleQueue[Outcome | BaseException] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(mutant: Mutant) -> None:
        copy = free.get()
        try:
            done.put(copy.try_out(mutant, suite, limit))
        except BaseException as problem:  # told to the caller, who stops
            done.put(problem)
        finally:
            free.put(copy)

    pool = ThreadPoolExecutor(len(copies))
    try:
        for mutant in mutants:
            pool.submit(one, mutant)
        for _ in mutants:
            outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
    finally:
        pool.shutdown(cancel_futures=True)


def diff(tree: Path, mutant: Mutant) -> str:
    """The alteration as a patch."""
    healthy = (tree / mutant.path).read_bytes()
    altered = mutant.applied(healthy)
    lines = difflib.unified_diff(
        healthy.decode().splitlines(),
        altered.decode().splitlines(),
        f"a/{mutant.path}",
        f"b/{mutant.path}",
        n=2,
        lineterm="",
    )
    return "\n".join(lines)
