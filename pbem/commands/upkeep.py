"""`pbem health`, `pbem backup`, `pbem restore`: for whoever keeps the machine."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from pbem.backup import back_up, restore
from pbem.commands.serve import Config
from pbem.commands.terminal import console, show_json
from pbem.configuration import Configuration, read_configuration
from pbem.errors import BadInput
from pbem.health import examine


def health_command(
    config: Config = None,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Is the service well? Exit code 1 when something is wrong."""
    configuration = read_configuration(config)
    findings = examine(configuration)
    well = all(one.well for one in findings)
    if json:
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
    config: Config = None,
) -> None:
    """Copy the database into one file; safe while the service runs. It is as secret as the machine."""
    configuration = read_configuration(config)
    path = target if target is not None else _new_backup(configuration)
    with Progress(console=Console(stderr=True), transient=True, disable=not console().is_terminal) as bar:
        task = bar.add_task("backup", total=None)
        back_up(
            configuration, path, lambda left, total: bar.update(task, total=total, completed=total - left)
        )
    console().print(f"{path}: {path.stat().st_size:,} bytes", soft_wrap=True)


def _new_backup(configuration: Configuration) -> Path:
    ending = "dump" if "postgresql" in configuration.database else "db"
    return configuration.data / "backups" / f"pbem-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.{ending}"


def restore_command(
    source: Annotated[Path, typer.Argument(help="A file that pbem backup made.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = None,
) -> None:
    """Put a backup in the database's place; the service must be stopped. What stood there is kept aside."""
    configuration = read_configuration(config)
    if not yes and not typer.confirm(f"Replace the database of {configuration.data} by {source}?"):
        raise BadInput("nothing was restored")
    aside = restore(configuration, source)
    out = console()
    out.print(f"restored from {source}", soft_wrap=True)
    if aside is not None:
        out.print(f"what stood there: {aside}", soft_wrap=True)
    out.print("Letters that came after the backup lie in the mail server's folders Processed, Rejected and")
    out.print("Quarantine: move those back to the inbox. One that was taken in before is recognised.")
