"""`pbem health backup restore move check metrics clock`: for whoever keeps the machine."""

from __future__ import annotations

import signal
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from pbem.campaigns.outages import DOUBT, is_clock_in_doubt, vouch_for_clock
from pbem.cli.service import AsJson, Config, open_service, service_at
from pbem.cli.terminal import console, show_json
from pbem.context import database_at
from pbem.errors import BadInput
from pbem.ops.backup import back_up, remove_old_backups, restore
from pbem.ops.health import examine
from pbem.ops.metrics import figures_text, registry_of
from pbem.ops.preflight import check
from pbem.ops.supervisor import service_lock
from pbem.settings import DATABASE, Settings, make_private_folder, read_settings
from pbem.store.deadlines import pulse
from pbem.store.session import migrate
from pbem.store.transfer import copy_store


def health_command(config: Config = None, as_json: AsJson = False) -> None:
    """Is the service well? Exit code 1 when something is wrong."""
    findings = examine(service_at(config))
    well = all(one.well for one in findings)
    if as_json:
        show_json({"well": well, "findings": [asdict(one) for one in findings]})
    else:
        table = Table("", "what", "told", box=None, pad_edge=False)
        for one in findings:
            table.add_row("ok" if one.well else "[bold red]!![/]", one.what, one.told)
        console().print(table)
    raise typer.Exit(0 if well else 1)


def backup_command(
    target: Annotated[
        Path | None, typer.Argument(help="The file; otherwise a new one in the data folder.")
    ] = None,
    keep: Annotated[
        int, typer.Option(min=0, help="Of the backups in the data folder keep so many; 0: all.")
    ] = 0,
    config: Config = None,
) -> None:
    """Copy the database into one file; safe while the service runs. It is as secret as the machine."""
    if keep and target is not None:
        raise BadInput("--keep is for backups in the data folder: name no file")
    configuration = read_settings(config)
    path = target if target is not None else _new_backup(configuration)
    with Progress(console=Console(stderr=True), transient=True, disable=not console().is_terminal) as bar:
        task = bar.add_task("backup", total=None)
        back_up(
            configuration, path, lambda _, left, total: bar.update(task, total=total, completed=total - left)
        )
    console().print(f"{path}: {path.stat().st_size:,} bytes", soft_wrap=True)
    for old in remove_old_backups(path.parent, keep) if keep else ():
        console().print(f"{old}: removed", soft_wrap=True)


def _new_backup(configuration: Settings) -> Path:
    ending = "dump" if "postgresql" in configuration.database else "db"
    return configuration.data / "backups" / f"pbem-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.{ending}"


def restore_command(
    source: Annotated[Path, typer.Argument(help="A file that pbem backup made.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    reason: Annotated[str, typer.Option("--reason", "-r", help="Why; every seat is told.")] = "",
    config: Config = None,
) -> None:
    """Put a backup in the database's place; the service must be stopped. What stood there is kept aside.

    Dice that letters may have shown since are given up, and every seat of an open campaign is told.
    """
    configuration = read_settings(config)
    if not yes and not typer.confirm(f"Replace the database of {configuration.data} by {source}?"):
        raise BadInput("nothing was restored")
    aside = restore(configuration, source, reason)
    out = console()
    out.print(f"restored from {source}", soft_wrap=True)
    if aside is not None:
        out.print(f"what stood there: {aside}", soft_wrap=True)
    out.print("Every seat of a campaign that is not over is told; no link of the dice is used twice.")
    out.print("Letters that came after the backup lie in the mail server's folders Processed, Rejected and")
    out.print("Quarantine: move those back to the inbox. One that was taken in before is recognised.")


def move_command(
    target: Annotated[Path, typer.Argument(help="A configuration that names the new database.")],
    config: Config = None,
) -> None:
    """Copy everything into another, empty database (SQLite to PostgreSQL); the service must be stopped."""
    source, destination = read_settings(config), read_settings(target, {})
    if not source.has_database:
        raise BadInput(f"{source.data / DATABASE}: there is no database yet")
    with service_lock(source.data):
        if not destination.database:
            make_private_folder(destination.data)
        with database_at(source.database_url) as old, database_at(destination.database_url) as new:
            migrate(old)
            copied = copy_store(old, new)
    rows = sum(copied.values())
    letters = f"{copied['inbox']:,} letters in, {copied['outbox']:,} out"
    print(f"{rows:,} rows copied: {copied['campaigns']} campaigns, {letters}")
    print("From now on use the new configuration; the old database is as it was.")


def check_command(config: Config = None, as_json: AsJson = False) -> None:
    """Try everything an installation needs: files, disk, Redis, database, clock, IMAP, SMTP."""
    found = check(config)
    well = all(one.well for one in found)
    if as_json:
        show_json({"well": well, "findings": [asdict(one) for one in found]})
    else:
        wide = max(len(one.what) for one in found)
        for one in found:
            print(f"{'ok' if one.well else '!!'}  {one.what:{wide}}  {one.told}")
    raise typer.Exit(0 if well else 1)


def metrics_command(
    port: Annotated[int, typer.Option(min=0, max=65535, help="serve them there; 0: print them once")] = 0,
    address: Annotated[str, typer.Option(help="where to listen")] = "127.0.0.1",
    config: Config = None,
) -> None:
    """Figures for Prometheus: printed once, or served on a port until somebody stops it."""
    if not port:
        sys.stdout.write(figures_text(service_at(config)))
        return
    configuration = read_settings(config)
    from prometheus_client import start_http_server

    over = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    try:
        server, _ = start_http_server(port, address, registry_of(configuration))
    except OSError as error:
        raise BadInput(f"port {port} of {address}: {error.strerror}") from None
    print(f"http://{address}:{port}/metrics", flush=True)
    over.wait()
    server.shutdown()


def clock_command(
    right: Annotated[bool, typer.Option("--right", help="this machine's clock is right now")] = False,
    config: Config = None,
) -> None:
    """Tell whether the clock is in doubt: then no deadline is executed until somebody vouches for it."""
    service = open_service(config)
    now = service.now()
    if right and vouch_for_clock(service.db, now):
        print(f"taken for right: {now:%Y-%m-%d %H:%M:%S} UTC; deadlines run again with the next sweep")
        return
    doubt = pulse(service.db, DOUBT)
    if doubt is None or not is_clock_in_doubt(service.db):
        print(f"not in doubt; this machine says {now:%Y-%m-%d %H:%M:%S} UTC")
        return
    since = datetime.fromisoformat(doubt.data["since"])
    print(f"in doubt since {since:%Y-%m-%d %H:%M:%S} UTC: it jumped by {doubt.data['jump']} s")
    print(f"this machine says {now:%Y-%m-%d %H:%M:%S} UTC; if that is right: pbem clock --right")
    raise typer.Exit(1)
