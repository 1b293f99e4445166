"""The walk of an order mail, traced from the inbox to the outbox, and compared with docs/architecture.md."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest

from pbem.campaigns import campaign
from pbem.intake.plan import Applied, Plan
from pbem.mail.message import Letter
from pbem.orders.understood import Understood
from pbem.store.campaigns import CampaignRow
from pbem.store.inbox import RawMail
from pbem.store.journal import Tail, read_tail
from pbem.store.outbox import OutgoingMail
from pbem.store.session import Db
from pbem.verbs.context import LetterContext
from tests.intake.conftest import Intake
from worker import tasks

ROOT = Path(__file__).parents[2]
ORDERS = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: PASS\nEND"
BAD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK 77\nEND"
MOST_FORMS, MOST_MODULES = 8, 50
# A public function that one of these calls is a station of the walk.
GUIDES = {
    "worker/tasks.py": ("_receive",),
    "pbem/intake/receive.py": ("",),  # all of it
    "pbem/intake/checks.py": ("run_checks",),
    "pbem/intake/reading.py": ("read_letter",),
    "pbem/intake/plan.py": ("_with_submission", "_submit"),
    "pbem/intake/reply.py": ("send_answer", "_memo"),
    "pbem/intake/gathering.py": ("lay_answer",),
}


@dataclass
class Trace:
    """Which functions of ours ran, who called them, and which of our dataclasses were made."""

    calls: list[tuple[str, str, str, str]] = field(default_factory=list)  # file, function, caller's
    made: set[type] = field(default_factory=set)

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        code, back = frame.f_code, frame.f_back
        if code.co_name == "__init__" and is_dataclass(made := type(frame.f_locals.get("self"))):
            self.made.add(made)
        if (file := _ours(code.co_filename)) is not None:
            caller = (
                ("", "") if back is None else (_ours(back.f_code.co_filename) or "", back.f_code.co_qualname)
            )
            self.calls.append((file, code.co_qualname, *caller))

    @property
    def modules(self) -> set[str]:
        return {file for file, *_ in self.calls}

    @property
    def stations(self) -> list[tuple[str, str]]:
        """In the order of their first calls."""
        return list(dict.fromkeys(call[:2] for call in self.calls if _is_station(*call)))


def _is_station(file: str, function: str, guide: str, caller: str) -> bool:
    if "." in function or function.startswith("_") or file == "pbem/logs.py":
        return False
    return any(name in ("", caller) for name in GUIDES.get(guide, ()))


def _ours(name: str) -> str | None:
    path = Path(name)
    if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in ("pbem", "worker"):
        return None
    return path.relative_to(ROOT).as_posix()


def walk(intake: Intake, monkeypatch: pytest.MonkeyPatch, raw: bytes) -> Trace:
    """A letter that is stored, received as the worker's task receives it."""
    number, trace = intake.at.arrives(raw), Trace()
    monkeypatch.setattr(tasks, "service", lambda: intake.at.service)
    monkeypatch.setattr(tasks, "_by", lambda task: "worker")
    monkeypatch.setattr(tasks, "enqueue", lambda *arguments: None)
    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        tasks._receive(None, number, None)
    finally:
        sys.setprofile(before)
    return trace


@pytest.fixture
def trace(intake: Intake, monkeypatch: pytest.MonkeyPatch) -> Trace:
    """Of the second order letter that a worker receives: templates and codecs are loaded."""
    walk(intake, monkeypatch, intake.at.reply("EA", "C1: PASS"))
    found = walk(intake, monkeypatch, intake.at.reply("DE", ORDERS))
    assert ["receipt"] == [one.letter.kind for one in intake.at.letters("DE")[:1]]
    return found


def test_the_document_tells_the_walk(trace: Trace) -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    section = text.partition("## The walk of an order mail")[2].partition("\n## ")[0]
    told = re.findall(r"^\| `([\w/]+\.py)` \| `(\w+)` \|", section, re.MULTILINE)
    assert trace.stations == told


def test_every_file_that_the_document_names_is_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    named = set(re.findall(r"\b(?:pbem|worker|tests)/[\w/]+\.py\b", text))
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]


def test_a_letter_passes_through_few_modules(trace: Trace) -> None:
    assert len(trace.modules) <= MOST_MODULES, "\n".join(sorted(trace.modules))


# ------------------------------------------------------------------ forms

SIX = (RawMail, Letter, LetterContext, Plan, Applied, OutgoingMail)


def forms_of(trace: Trace) -> set[type]:
    """What came in, what the reader understood, every dataclass made on the way that holds one of them; and
    the answer. Words of the answer (Memo, LetterBody) are parts of it and hold no letter.
    """
    found: set[type] = {RawMail, Letter, Understood}
    while more := {one for one in trace.made - found if _holds(one, found)}:
        found |= more
    return found | {OutgoingMail}


def _holds(one: type, forms: set[type]) -> bool:
    names = {form.__name__ for form in forms}
    return one.__module__.startswith("pbem.") and any(
        names & set(re.findall(r"\w+", str(part.type))) for part in fields(one)
    )


def test_a_letter_has_few_forms(trace: Trace) -> None:
    forms = forms_of(trace)
    assert set(SIX) <= trace.made
    assert len(forms) <= MOST_FORMS, sorted(one.__name__ for one in forms)


@pytest.mark.parametrize("form", SIX)
def test_a_form_is_frozen_and_takes_keywords_only(form: Any) -> None:
    assert form.__dataclass_params__.frozen and all(part.kw_only for part in fields(form))


FORMS = {"mail", "letter", "context", "understood", "plan", "applied", "again", "main", "asked_about"}


def _chains() -> Iterator[tuple[str, list[str]]]:
    """Every `a.b.c` of intake and the verbs, the longest of each."""
    for path in (*ROOT.glob("pbem/intake/*.py"), *ROOT.glob("pbem/verbs/*.py")):
        inner: set[int] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Attribute) or id(node) in inner:
                continue
            names, part = list[str](), cast(ast.expr, node)
            while isinstance(part, ast.Attribute):
                names.insert(0, part.attr)
                inner.add(id(part))
                part = part.value
            names.insert(0, part.id if isinstance(part, ast.Name) else "")
            yield f"{path.name}:{node.lineno}", names


def test_nobody_reaches_through_more_than_two_forms() -> None:
    deep = [(place, names) for place, names in _chains() if len(FORMS & set(names[:-1])) > 2]
    assert not deep


# ------------------------------------------------------------------ the campaign is loaded once


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The campaigns that were loaded from the store, one entry a time."""
    seen: list[str] = []

    def counted(db: Db, name: str, row: CampaignRow | None = None) -> Tail:
        seen.append(name)
        return read_tail(db, name, row)

    monkeypatch.setattr(campaign, "read_tail", counted)
    return seen


def test_an_order_letter_loads_its_campaign_once(intake: Intake, loads: list[str]) -> None:
    assert "applied" == intake.says("DE", ORDERS).state
    assert ["FWW-1"] == loads


def test_a_confirm_and_the_letter_it_runs_load_it_once(intake: Intake, loads: list[str]) -> None:
    intake.says("DE", BAD)
    loads.clear()
    assert "applied" == intake.says("DE", "CONFIRM", to=intake.last("DE")).state
    assert ["FWW-1"] == loads


@pytest.mark.parametrize("text", ["READY", "STATUS", "HELP", "PRESS ALL Hello.", "HISTORY", "SHOW STANDING"])
def test_verbs_load_nothing_again(intake: Intake, loads: list[str], text: str) -> None:
    intake.says("DE", text)
    assert ["FWW-1"] == loads
