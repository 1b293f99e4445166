"""What is offered is taken, what is not offered is refused with a rule that the game's register knows."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest

from engine.kernel.errors import Illegal
from engine.kernel.game import GameSettings, View
from engine.kernel.journal import canonical, codec_of
from engine.kernel.requests import Answer, Ask
from tests.conformance.games import ALL, SIZE, Case, cases, rules_of
from tests.conformance.sitting import examine
from tests.conformance.wrong import STRANGERS, altered, ids_in, is_typed

EACH_TOPIC = 8 * SIZE  # questions looked at, for each topic and game played
SHOWN = 25  # options looked at, of those described


class Examiner:
    """Looks at the first questions of each topic, and at some of the later ones."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case, self.rng = case, Random(f"{case}/{seed}")
        self.met: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.examined = 0
        self.rules = rules_of(case.game)
        state, _ = case.game.set_up(case.game.load_pack(), GameSettings(case.scenario, case.players))
        self.ids = sorted(set(ids_in(case.game.dump(state))))
        self.foreign: dict[str, Answer] = {}  # an offered answer of each other topic

    def __call__(self, view: View, ask: Ask) -> None:
        self.met[ask.topic] += 1
        if self.met[ask.topic] > EACH_TOPIC // 2 and self.rng.random() > EACH_TOPIC / 2 / self.met[ask.topic]:
            return
        self.examined += 1
        good = self.offered(ask)
        for answer in good:
            self.assert_taken(ask, answer)
        for answer in self.doubtful(ask, good):
            self.assert_settled(ask, answer)
        self.assert_silent(ask)
        for answer in STRANGERS:
            assert not ask.options.contains(answer), (ask.topic, answer)
            self.assert_settled(ask, answer)
        self.foreign[ask.topic] = self.rng.choice(good)

    def offered(self, ask: Ask) -> list[Answer]:
        """The default, what is described, samples, the only option."""
        described = list(ask.options.describe())
        assert described, f"{ask.topic}: nothing is offered"
        only = ask.options.only()
        if only is not None:
            assert described == list(only) and ask.default == only[0], ask.topic
        shown = self.rng.sample(described, min(SHOWN, len(described)))
        return [ask.default, *shown, *(ask.options.sample(self.rng) for _ in range(5)), *(only or ())]

    def doubtful(self, ask: Ask, good: list[Answer]) -> list[Answer]:
        """Answers of other topics, and good ones gone wrong."""
        found = [None, *self.foreign.values()]
        for answer in self.rng.sample(good, min(4, len(good))):
            wrong = altered(answer, self.ids, self.rng)
            found += [one for one in wrong if is_typed(self.case.game, ask.topic, one)]
        return found

    def assert_silent(self, ask: Ask) -> None:
        """In a rehearsal others answer so; where it rests on what is hidden it may be less than they must."""
        suppositions = self.case.game.suppositions
        answer = suppositions.silence(ask)
        assert is_typed(self.case.game, ask.topic, answer), (ask.topic, answer)
        assert ask.topic in suppositions.silent_topics or ask.options.contains(answer), (ask.topic, answer)

    def assert_taken(self, ask: Ask, answer: Answer) -> None:
        assert ask.options.contains(answer) and ask.options.why_not(answer) is None, (ask.topic, answer)
        codec = codec_of(self.case.game)
        plain = canonical(answer)
        back = codec.answer(ask.topic, json.loads(plain))
        assert (back, type(back)) == (answer, type(answer)) and canonical(back) == plain

    def assert_settled(self, ask: Ask, answer: Answer) -> None:
        """Offered or refused, and both methods say the same."""
        refusal = ask.options.why_not(answer)
        assert ask.options.contains(answer) == (refusal is None), (ask.topic, answer, refusal)
        if refusal is None:
            return
        assert isinstance(refusal, Illegal) and refusal.reason, (ask.topic, answer, refusal)
        assert refusal.rule in self.rules, (ask.topic, answer, refusal)
        canonical(dict(refusal.facts))
        self.refused[refusal.rule] += 1


def test_options_refusals_and_defaults(case: Case, bout: int, tally: Any) -> None:
    examiner, seed = Examiner(case, bout), bout
    bots = sorted(case.game.bots)
    examine(case, seed, examiner, bots[seed % len(bots)])
    assert set(examiner.met) <= set(case.game.answers), "a topic that the game does not list"
    tally(questions=examiner.examined, refusals=sum(examiner.refused.values()))


@pytest.mark.parametrize("game", ALL)
def test_every_topic_is_met_in_some_game(game: str) -> None:
    """Proof that the tests above look at all kinds of questions: no more games than it takes."""
    missing = set(ALL[game].answers)
    for seed in range(40):
        bots = sorted(ALL[game].bots) if seed == 0 else ["random"]  # the others think long
        for bot, case in product(bots, cases()):
            if case.game.id == game and missing:
                examine(case, seed, lambda view, ask: missing.discard(ask.topic), bot)
    assert missing == set()
