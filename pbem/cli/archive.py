"""`pbem replay`, `pbem verify`, `pbem export`: check what was played, and take it along."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table as Grid

from engine.kernel.errors import EngineError
from engine.kernel.fairness.audit import Ledger
from engine.kernel.fairness.export import seat_export, umpire_export
from engine.kernel.fairness.history import history_csv, throws
from engine.kernel.fairness.luck import luck, luck_by_battle, staked_throws
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.replay import Replayed, replay_stored
from pbem.campaigns.terms import Terms
from pbem.cli.personal import kept_data
from pbem.cli.service import As, Config, campaign_at, check_may_see, open_service
from pbem.cli.terminal import complain, console, show_json, with_bar
from pbem.errors import BadInput, PbemError
from pbem.letters.dice import face_writer
from pbem.letters.luck import battle_words
from pbem.letters.phrases import load_phrases
from pbem.local.saved import NAME, STORE, games_below, open_store, replay_path
from pbem.ops.backup import current_store
from pbem.settings import read_settings
from pbem.store.campaigns import all_campaigns
from pbem.store.journal import read_records
from pbem.store.session import Db
from pbem.verify_dice import verify as verify_dice


def replay_command(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="folders of saved games, or journal files")
    ] = None,
    all_open: Annotated[
        bool,
        typer.Option("--all-open", help="every open campaign of the service, or all games in the folders"),
    ] = False,
    pack: Annotated[Path | None, typer.Option(help="the tables that journal files were played with")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
    config: Config = None,
) -> None:
    """Run every segment of a campaign again and compare; exit code 1 if something differs.

    The service may run meanwhile: nothing is written, and a database of an older schema stays as it is.
    """
    if all_open and not paths:
        with current_store(read_settings(config)) as db:
            names = [one.id for one in all_campaigns(db, "lobby", "running")]
            _show_replayed([(name, partial(replay_stored, db, name)) for name in names], as_json)
        return
    chosen = [below for path in paths or () for below in (games_below(path) if all_open else [path])]
    if not chosen:
        raise BadInput("nothing to replay: name a saved game or a journal file, or say --all-open")
    if len(chosen) == 1 and not all_open:
        only = replay_path(chosen[0], pack)  # an error has its own exit code
        _show_replayed([(str(chosen[0]), lambda: only)], as_json)
    else:
        _show_replayed([(str(path), partial(replay_path, path, pack)) for path in chosen], as_json)


def _show_replayed(chosen: Sequence[tuple[str, Callable[[], Replayed]]], as_json: bool) -> None:
    """An error is reported with the campaign's name, and the others are replayed nevertheless."""
    good: list[Replayed] = []
    bad: list[tuple[str, str]] = []
    for name, work in with_bar(chosen, len(chosen), "campaigns"):
        try:
            good.append(work())
        except (EngineError, PbemError, OSError) as error:
            bad.append((name, str(error).removeprefix(f"{name}: ")))
        except Exception as fault:  # rules that can no longer run this campaign
            bad.append((name, f"the rules break down: {type(fault).__name__}"))
    if as_json:
        failed = [{"path": name, "problem": problem} for name, problem in bad]
        show_json({"replayed": [asdict(one) for one in good], "failed": failed})
    else:
        for one in good:
            print(f"{one.path}: {one.lines} lines, head {one.head}, fold = replay = snapshot + tail")
    for name, problem in bad:
        complain(f"{name}: {problem}")
    if bad:
        raise typer.Exit(1)


def verify_command(
    paths: Annotated[list[Path], typer.Argument(help="exports (.json), letters (.eml), or folders of them")],
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """Check the dice of one campaign from exports or letters, also those of several players together."""
    for path in paths:
        if not path.exists():
            raise BadInput(f"{path}: no such file or folder")
    report = verify_dice([str(path) for path in paths])
    if as_json:
        show_json({name: vars(report)[name] for name in ("code", "lines", "missing", "caught", "unreadable")})
    else:
        for line in (*report.lines, *report.missing):
            print(line)
        for line in (*_first_caught(report.caught), *report.unreadable):
            complain(line)
    raise typer.Exit(report.code)


def _first_caught(lines: Sequence[str]) -> Iterator[str]:
    """Only the first of the Closes: a change in one shows in all that are chained to it."""
    closes = [line for line in lines if line.startswith("CAUGHT Close")]
    yield from (line for line in lines if line not in closes)
    yield from closes[:1]
    if len(closes) > 1:
        yield f"and everything after it depends on that: {len(closes) - 1} more caught (--json lists them)"


def export_command(
    source: Annotated[str, typer.Argument(help="a saved game's folder, or a campaign of the service")] = "",
    seat: Annotated[str, typer.Option(help="everything in this seat's letters")] = "",
    umpire: Annotated[bool, typer.Option("--umpire", help="everything, secrets included")] = False,
    dice_csv: Annotated[bool, typer.Option("--dice-csv", help="the history of public rolls")] = False,
    luck_account: Annotated[bool, typer.Option("--luck", help="rolls compared with expectation")] = False,
    person: Annotated[str, typer.Option(help="all data about the person with this address")] = "",
    out: Annotated[Path | None, typer.Option(help="file; default: standard output")] = None,
    who: As = "",
    as_json: Annotated[bool, typer.Option("--json", help="the luck account as JSON")] = False,
    config: Config = None,
) -> None:
    """Write a campaign's audit for a seat or the umpire, its dice, or a person's data."""
    _check_one_chosen(seat=seat, umpire=umpire, dice_csv=dice_csv, luck=luck_account, person=person)
    if person:
        data = kept_data(open_service(config), person, who)
        _write(json.dumps(data, indent=2, ensure_ascii=False, default=str), out, secret=True)
        return
    if not source:
        raise BadInput("which campaign? Name a saved game's folder or a campaign of the service")
    ledger, terms = _ledger(source, umpire or bool(seat), who, config)
    if luck_account:
        _show_luck(ledger, terms, as_json)
    elif seat:
        _write(seat_export(ledger, terms.seat(seat)), out, secret=False)
    elif umpire:
        _write(umpire_export(ledger), out, secret=True)
    else:
        _write(history_csv(throws(ledger.records), face_writer(terms.pack)), out, secret=False)


def _check_one_chosen(**options: bool | str) -> None:
    names = {name: f"--{name.replace('_', '-')}" for name in options}
    chosen = [names[name] for name, value in options.items() if value]
    if len(chosen) > 1:
        raise BadInput(f"say what to export: {' and '.join(chosen)} exclude each other")
    if not chosen:
        raise BadInput(f"say what to export: one of {', '.join(names.values())}")


def _ledger(source: str, hidden: bool, who: str, config: Path | None) -> tuple[Ledger, Terms]:
    """The audit of a saved game or a campaign. `hidden`: with what an umpire who plays may not see."""
    folder = Path(source).parent if Path(source).name == STORE else Path(source)
    if folder.is_dir():
        with open_store(folder) as db:
            return _read_ledger(db, NAME)
    if folder.is_file():
        raise BadInput(f"{folder}: no saved game; a journal file alone has no audited dice to export")
    service = open_service(config)
    row = campaign_at(service, source)
    if hidden:
        check_may_see(service, row, who)
    return _read_ledger(service.db, row.id)


def _read_ledger(db: Db, name: str) -> tuple[Ledger, Terms]:
    campaign = load_campaign(db, name)
    ledger = Ledger(campaign.ledger.opening, campaign.keys.dice, list(read_records(db, name)))
    return ledger, campaign.terms


def _write(text: str, out: Path | None, *, secret: bool) -> None:
    if out is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    with out.open("w", encoding="utf-8") as file:
        if secret:
            os.fchmod(file.fileno(), 0o600)
        file.write(text)


def _show_luck(ledger: Ledger, terms: Terms, as_json: bool) -> None:
    """The account by seat and purpose, then battle by battle."""
    rolls = staked_throws(terms.game, terms.pack, ledger.records)
    accounts, battles = luck(rolls), luck_by_battle(rolls)
    if as_json:
        show_json({"accounts": list(map(asdict, accounts)), "battles": list(map(asdict, battles))})
        return
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for heading in ("seat", "for", "dice", "result", "expected", "this or less", "this or more"):
        grid.add_column(heading, justify="left" if heading in ("seat", "for") else "right")
    for account in accounts:
        chances = (f"{account.at_most:.1%}", f"{account.at_least:.1%}")
        sums = (str(account.dice), str(account.actual), f"{account.expected:.1f}")
        grid.add_row(*map(escape, (account.seat, account.group, *sums, *chances)))
    console().print(grid)
    phrases = load_phrases(terms.game.id, "en", terms.pack)
    for battle in battles:
        print(battle_words(battle, phrases))
