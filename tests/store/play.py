"""A campaign of the one-page game in a database, played by fixed letters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from typing import Any

from sqlalchemy import Engine, select

from engine.games import GAMES
from engine.kernel.fairness.audit import Secrets, SentMark
from engine.kernel.fairness.dice import Chain, H, NoDice
from engine.kernel.game import GameSettings, Tempo
from engine.kernel.journal import canonical
from engine.kernel.table import Table
from pbem.campaigns.bots import bot_rng
from pbem.campaigns.campaign import AdvanceRun, Campaign, load_campaign
from pbem.store import schema
from pbem.store.advance import (
    Advance,
    Frozen,
    HeadMoved,
    NextWindow,
    commit_advance,
    frozen_close,
    next_window_number,
)
from pbem.store.campaigns import Keys, NewCampaign, create_campaign
from pbem.store.inbox import store_mark
from pbem.store.outbox import OutgoingMail, claim_outgoing, mark_sent, next_number
from pbem.store.session import reading
from pbem.store.windows import Due, Stamp, StoredReply, file_reply, read_orders
from tests.kernel.toy import GAME, SEATS
from tests.narrowing import expect

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
NAME = "TOY-1"


def register() -> None:
    """The one-page game is no game of the service: known to this process only."""
    expect(dict, GAMES)["toy"] = "tests.kernel.toy"


def found_toy(store: Engine, name: str = NAME, tempo: Tempo = "strict") -> None:
    register()
    secrets = Secrets(Chain(H("test chain", name), 512), H("test seal", name))
    settings = GameSettings(tempo=tempo)
    table = Table.start(GAME, GAME.load_pack(), settings, NoDice(), **secrets.commitments)
    keys = Keys(secrets, H("test bots", name), H("test mail", name))
    opening = table.journal.lines[0]
    create_campaign(store, NewCampaign(name, "toy", "Two scouts", opening, keys, SEATS, bank=3600), NOW)


def answer_all(store: Engine, name: str = NAME) -> None:
    """Every open question answered by its seat, always the same way."""
    here, filed = load_campaign(store, name), read_orders(store, name)
    if here.pause is None or filed.window is None:
        return
    for question, ask in here.pause.asks:
        answer = GAME.bots["random"](
            here.table.view(ask.seat), ask, bot_rng(b"letters", ask.seat, here.table.t)
        )
        reply = StoredReply(ask.topic, canonical(answer).decode())
        file_reply(store, name, filed.window.number, ask.seat, question, reply, Stamp(NOW))
        store_mark(store, name, ask.seat, None, SentMark(f"<{question}.{here.table.t}@test>"), NOW)


def close(store: Engine, name: str = NAME) -> Frozen | None:
    return load_campaign(store, name).freeze(read_orders(store, name), "all-in", NOW)


def compute(store: Engine, frozen: Frozen) -> Advance:
    """The advance that comes of a frozen Close, with a letter to each seat: the same for every worker."""
    here = load_campaign(store, frozen.campaign)
    ran = here.run(frozen)
    return ran.advance(letters(store, here, ran), window(store, here))


def letters(store: Engine, here: Campaign, ran: AdvanceRun) -> list[OutgoingMail]:
    found_ones = []
    for seat in here.terms.seats:
        number = next_number(store, here.name, seat, "result")
        told = canonical([ran.record.head, seat]) + b"\r\n" * 20
        message_id = f"<{H('letter', here.name, seat, number).hex()[:32]}@test>"
        recipient = f"{seat.lower()}@test"
        found_ones.append(
            OutgoingMail(
                message_id=message_id,
                kind="result",
                sender="umpire@test",
                recipient=recipient,
                body=told,
                campaign=here.name,
                seat=seat,
                number=number,
            )
        )
    return found_ones


def window(store: Engine, here: Campaign) -> NextWindow | None:
    if here.pause is None:
        return None
    number = next_window_number(store, here.name)
    open_one = here.pause.window
    timetable = (
        Due("reminder", NOW + number * DAY, "UTC", open_one.seats[0]),
        Due("deadline", NOW + (number + 1) * DAY, "UTC"),
        Due("grace", NOW + (number + 1) * DAY + timedelta(hours=6), "UTC"),
    )
    return NextWindow(number, open_one.key, "orders", open_one.seats, open_one.once, timetable)


def advance(store: Engine, name: str = NAME) -> bool:
    """Close if nothing is frozen, run, commit; False: there was nothing to do."""
    frozen = frozen_close(store, name) or close(store, name)
    return frozen is not None and commit_advance(store, compute(store, frozen), NOW)


def play_on(store: Engine, advances: int, name: str = NAME) -> None:
    for _ in range(advances):
        if load_campaign(store, name).table.over:
            return
        answer_all(store, name)
        advance(store, name)


def everything(store: Engine) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with reading(store) as tx:
        return {
            name: sorted(map(tuple, tx.execute(select(table))), key=repr)
            for name, table in sorted(schema.metadata.tables.items())
        }


# ------------------------------------------------------------------ workers, for processes of their own


def worker(store: Engine, name: str, line: Connection) -> None:
    """Runs what is frozen, waits for the word, and commits."""
    frozen = frozen_close(store, name)
    assert frozen is not None
    ready = compute(store, frozen)
    line.send("ready")
    line.recv()
    line.send(commit_advance(store, ready, NOW))


def poster(store: Engine, name: str, line: Connection) -> None:
    """Waits for the word, claims some, tells which; at the next word sends letters until none is left."""
    line.send("ready")
    line.recv()
    claimed, sent = claim_outgoing(store, name, NOW, limit=3), []
    line.send([one.id for one in claimed])
    line.recv()
    while claimed:
        for one in claimed:
            sent.append(one.id)
            mark_sent(store, one.id, NOW)
        claimed = claim_outgoing(store, name, NOW, limit=3)
    line.send(sent)


def player(store: Engine, name: str, line: Connection) -> None:
    """Waits for the word, and plays until the game is over, or somebody kills it."""
    line.send("ready")
    line.recv()
    while not load_campaign(store, name).table.over:
        try:
            answer_all(store, name)
            advance(store, name)
        except HeadMoved:
            continue  # another one was faster
    line.send("over")
