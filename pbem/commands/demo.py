"""`pbem demo`: a whole campaign of bots with audited dice, checked from every side."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from engine.kernel.audience import UMPIRE
from engine.kernel.audit import Sent
from engine.kernel.export import seat_export, umpire_export
from engine.kernel.journal import Line
from engine.kernel.records import segment_of
from engine.kernel.requests import Answer, Fact, Seat, Segment
from engine.kernel.script import is_kind
from pbem.bots import bot_named, chance, usual_bot
from pbem.campaigns import folder as campaigns
from pbem.campaigns.desk import Handed
from pbem.campaigns.files import replace
from pbem.campaigns.folder import Campaign
from pbem.campaigns.replaying import replay
from pbem.campaigns.terms import agree, game_named, read_options
from pbem.commands.terminal import console, language_of
from pbem.errors import BadInput, Wrong
from pbem.report.phrases import Phrases
from pbem.report.text import account, paragraphs
from pbem.verify_dice import verify

DEMO_OPTIONS = {"fww": ("no_surrender_before_turn=4",)}  # many games of bots are over in the first turn
MARK = ".made-by-demo"  # only a folder that bears this mark is cleared for the next demo


def command(
    game: Annotated[str, typer.Argument(help="the game's id")] = "fww",
    folder: Annotated[Path, typer.Option(help="where it goes; a former demo there is replaced")] = Path(
        "demo"
    ),
    players: Annotated[int, typer.Option(min=0, help="default: the game's largest number")] = 0,
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    bot: Annotated[str, typer.Option(help="who plays")] = "",
    option: Annotated[list[str] | None, typer.Option(help="name=value, as often as needed")] = None,
) -> None:
    """Bots play a whole campaign with audited dice; then everything is exported, verified and replayed."""
    began = time.monotonic()
    found = game_named(game)
    options = read_options(DEMO_OPTIONS.get(found.id, ()) if option is None else option)
    terms = agree(found.id, players=players or found.players[-1], tempo="strict", options=options)
    name = bot or usual_bot(terms.game)
    bot_named(terms.game, name)
    _clear(folder)
    place = folder / "campaign"
    campaigns.create(place, terms, {})
    phrases = Phrases(terms.game.id, language_of(lang), terms.pack)
    with campaigns.opened(place) as campaign:
        _play(campaign, name, phrases)
        outcome = terms.game.outcome(campaign.table.state)
        assert outcome is not None
        print("\n" + phrases.word("over", reason=phrases.outcome(outcome)))
        print(phrases.word("winners", winners=outcome.winners))
        print(phrases.word("scores", scores=outcome.scores) + "\n")
        exports = _export(campaign, folder / "exports")
    _check(place, exports)
    print(f"\n{place}: the campaign; {folder / 'exports'}: what each seat and the umpire can check")
    print(f"look: pbem verify {folder / 'exports'}; pbem replay {place}; pbem export {place} --luck")
    print(f"{time.monotonic() - began:.1f} s")


def _clear(folder: Path) -> None:
    if folder.exists():
        if not (folder / MARK).exists():
            raise BadInput(f"{folder}: something lies here that no demo made")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).touch()


# ------------------------------------------------------------------ play


def _play(campaign: Campaign, bot_name: str, phrases: Phrases) -> None:
    """Every open question is answered by its seat's bot in a letter; one Close for each advance."""
    bot = bot_named(campaign.terms.game, bot_name)
    rngs = {seat: chance(secrets.token_bytes(16), seat) for seat in campaign.terms.seats}
    story = _Story(campaign, phrases)
    story.tell(campaign.table.journal.lines)
    while campaign.pause is not None:
        replies: dict[Seat, dict[str, Answer]] = {}
        for question, ask in campaign.pause.asks:
            answer = bot(campaign.table.view(ask.seat), ask, rngs[ask.seat])
            replies.setdefault(ask.seat, {})[question] = answer
        letters = {
            seat: Handed("", answers, (Sent(f"<{secrets.token_hex(8)}@demo>"),))
            for seat, answers in replies.items()
        }
        story.tell(campaign.advance(letters))
    story.finish()


class _Story:
    """The public account, a heading for each segment in which something happened."""

    def __init__(self, campaign: Campaign, phrases: Phrases) -> None:
        self.codec, self.phrases, self.out = campaign.table.codec, phrases, console()
        self.segment: Segment | None = None
        self.facts: list[Fact] = []

    def tell(self, lines: list[Line]) -> None:
        for line in lines:
            if is_kind(line, "seam"):
                self.finish()
                self.segment = segment_of(line.data)
            elif is_kind(line, "fact"):
                self.facts.append(self.codec.fact(line.data))

    def finish(self) -> None:
        sentences = account(self.facts, None, self.phrases)
        self.facts = []
        if sentences and self.segment is not None:
            self.out.print(self.phrases.segment(self.segment), style="bold", markup=False)
            self.out.print(paragraphs(sentences, "  "), markup=False)


# ------------------------------------------------------------------ checks


def _export(campaign: Campaign, folder: Path) -> list[Path]:
    folder.mkdir()
    paths = []
    for name, text in _exports(campaign):
        paths.append(folder / f"{name}.json")
        replace(paths[-1], text.encode(), 0o600 if name == UMPIRE else 0o644)
    return paths


def _exports(campaign: Campaign) -> Iterator[tuple[str, str]]:
    ledger = campaigns.read_ledger(campaign.folder, campaign.ledger.opening)  # with every record
    for seat in campaign.terms.seats:
        yield seat, seat_export(ledger, seat)
    yield UMPIRE, umpire_export(ledger)


def _check(place: Path, exports: list[Path]) -> None:
    """Each export by itself, all of them together, and the whole journal again."""
    for paths in (*([path] for path in exports), exports):
        report = verify([str(path) for path in paths])
        names = ", ".join(path.stem for path in paths)
        if report.code:
            raise Wrong(f"the dice of {names} do not verify: {(report.caught or report.unreadable)[0]}")
        print(f"verified: {names}: {report.lines[-1]}")
    again = replay(place)
    print(f"replayed: {again.lines} lines, head {again.head}, fold = replay = snapshot + tail")
