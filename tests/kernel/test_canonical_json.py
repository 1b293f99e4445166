"""What writes lines of one kind or objects of one class writes what the general form would be."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.canonical_json import canonical, canonical_text, writer
from engine.kernel.journal import codec_of
from engine.kernel.records import answer_line, seam_line
from engine.kernel.requests import Ask, Choice, Seat, Segment
from engine.kernel.sheet import FiledAnswer
from tests.kernel.toy import GAME, NORTH, SOUTH, Hid

PARTS = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers() | st.text()).map(tuple)


@dataclass(frozen=True, slots=True)
class March:
    """Fields that do not stand in the order of their names."""

    to: Any
    by: Any
    armies: Any = ()
    rule: ClassVar[str] = "5-1"


def dumped(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


@given(PARTS, PARTS, PARTS)
def test_an_object_has_the_form_of_its_fields(to: Any, by: Any, armies: Any) -> None:
    march = March(to, March(by, armies), (armies, March(to, by)))
    assert canonical(march) == dumped(asdict(march)) == canonical_text(march).encode()
    assert writer(March, without="by")(march).encode() == dumped(
        {"to": to, "armies": asdict(march)["armies"]}
    )


def test_an_int_that_is_more_than_an_int_is_written_as_json_has_it() -> None:
    assert canonical((True, March(False, None))) == b'[true,{"armies":[],"by":null,"to":false}]'


@given(st.text(), st.text(), st.text(), PARTS, st.integers(1, 3))
def test_answers_and_seams_have_the_form_of_any_other_line(
    seat: str, at: str, by: str, answer: Any, n: int
) -> None:
    ask = Ask(Seat(seat), "march", at, None, Choice((), ""), None)
    line = {
        "k": "answer",
        "seat": seat,
        "topic": "march",
        "at": at,
        "by": by,
        "answer": asdict(March(answer, n)),
    }
    found = FiledAnswer(March(answer, n), by)
    assert answer_line("q", ask, found) == dumped(line)
    assert answer_line(f"q#{n}", ask, found) == dumped({**line, "n": n})
    seam = {"k": "seam", "name": seat, "key": at, "args": [n, by]}
    assert seam_line(Segment(seat, at, (n, by))) == dumped(seam)


@given(st.text())
def test_a_private_fact_has_the_form_of_any_other_line(hole: str) -> None:
    fact = Hid(NORTH, hole, (SOUTH, NORTH))
    line = {"k": "fact", "fact": "Hid", "data": {"seat": NORTH, "hole": hole}, "to": [NORTH, SOUTH]}
    others = {"fact": "Vanished", "data": {"seat": NORTH}}
    assert codec_of(GAME).fact_line(fact) == dumped({**line, "others": others})
