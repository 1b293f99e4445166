"""`pbem init serve account`: a service set up and running."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from pbem.cli.service import Config
from pbem.cli.terminal import console
from pbem.errors import BadInput
from pbem.ops.preflight import options_on_record
from pbem.ops.supervisor import Supervisor, children_environment
from pbem.resources import templates_folder
from pbem.settings import FILE, PREFIX, Settings, find_file, make_private_folder, read_settings

SAMPLE = templates_folder() / "service" / FILE


def init_command(
    folder: Annotated[Path, typer.Argument(help="Where the configuration goes.")] = Path(),
    mailbox: Annotated[str, typer.Option(help="The address players write to.")] = "umpire@pbem.example",
) -> None:
    """Write a commented configuration and make the data folder."""
    path = folder / FILE
    if path.exists():
        raise BadInput(f"{path} is there already")
    folder.mkdir(parents=True, exist_ok=True)
    text = SAMPLE.read_text("utf-8").format(mailbox=mailbox, data="pbem-data")
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    try:
        configuration = read_settings(path, {})
    except BadInput:
        path.unlink()
        raise
    make_private_folder(configuration.data)
    out = console()
    out.print(f"configuration  {path}")
    out.print(f"data folder    {configuration.data}")
    out.print(
        "Name your mail servers in the configuration, then: pbem serve; or try it: pbem serve --mail embedded"
    )


def serve_command(
    config: Config = None,
    mail: Annotated[
        str | None, typer.Option(help="embedded: a mail server of our own; servers; none.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The data folder.")] = None,
    workers: Annotated[int | None, typer.Option(help="How many tasks are worked on at once.")] = None,
    smtp_port: Annotated[int | None, typer.Option(help="Of the embedded mail server.")] = None,
    imap_port: Annotated[int | None, typer.Option(help="Of the embedded mail server.")] = None,
    metrics_port: Annotated[int | None, typer.Option(help="Figures for Prometheus, on loopback.")] = None,
) -> None:
    """Run the service: poller, workers and whatever else it needs, until Ctrl-C or SIGTERM."""
    chosen = (
        ("mail", "--mail", mail),
        ("data", "--data", None if data is None else data.absolute()),
        ("worker__concurrency", "--workers", workers),
        ("embedded__smtp_port", "--smtp-port", smtp_port),
        ("embedded__imap_port", "--imap-port", imap_port),
        ("metrics__port", "--metrics-port", metrics_port),
    )
    values = {key: str(value) for key, _, value in chosen if value is not None}
    options = {f"{PREFIX}{key.upper()}": option for key, option, _ in chosen if key in values}
    file = find_file(config, os.environ)
    environment = children_environment(file, values)
    configuration = read_settings(file, environment, options=options)
    _show_places(configuration, file)
    supervisor = Supervisor(configuration, environment, _say)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: supervisor.stop())
    with options_on_record(configuration.data, values):
        supervisor.run()
    _say("stopped")


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {line}", flush=True)


def _show_places(configuration: Settings, file: Path | None) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, where in _places(configuration, file):
        table.add_row(name, escape(where))
    console().print(table)


def _places(configuration: Settings, file: Path | None) -> list[tuple[str, str]]:
    database = "as configured" if configuration.database else str(configuration.database_url)
    redis = f"our own, {configuration.redis_socket}" if configuration.redis_is_ours else "as configured"
    rows = [
        ("configuration", "none" if file is None else str(file)),
        ("data folder", str(configuration.data)),
        ("database", database),
        ("redis", redis),
        ("mailbox", configuration.mailbox),
    ]
    match configuration.mail_kind:
        case "embedded":
            smtp, imap = configuration.embedded.smtp_port, configuration.embedded.imap_port
            rows += [
                ("mail server", f"our own: SMTP 127.0.0.1:{smtp}, IMAP 127.0.0.1:{imap}"),
                ("accounts", "pbem account NAME opens a mailbox for somebody"),
            ]
        case "servers":
            assert configuration.imap is not None and configuration.smtp is not None
            rows.append(("mail server", f"IMAP {configuration.imap.host}, SMTP {configuration.smtp.host}"))
        case "none":
            rows.append(("mail server", "none: letters wait; name [imap] and [smtp], or --mail embedded"))
    return [*rows, ("logs", str(configuration.data / "log"))]


def account_command(
    name: Annotated[str, typer.Argument(help="anna: letters to anna@host and anna+anything@host are hers.")],
    password: Annotated[str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True)],
    config: Config = None,
) -> None:
    """Open a mailbox on the embedded mail server, or give it a new password."""
    from pbem.embedded.accounts import open_account

    open_account(read_settings(config).mail_folder, name, password)
    console().print(f"{name}: opened")
