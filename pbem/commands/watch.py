"""`pbem check metrics clock`: what a service needs, how it does, whether its clock is right."""

from __future__ import annotations

import signal
import sys
from dataclasses import asdict
from datetime import datetime
from threading import Event
from typing import Annotated

import typer

from pbem.campaigns.vigil import DOUBT, is_clock_in_doubt, vouch_for_clock
from pbem.checking import check
from pbem.commands.service import AsJson, Config, office_at, service_at
from pbem.commands.terminal import show_json
from pbem.configuration import read_configuration
from pbem.errors import BadInput
from pbem.metrics import figures_text, registry_of
from pbem.store.deadlines import pulse


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
    configuration = read_configuration(config)
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
    office = office_at(config)
    now = office.now()
    if right and vouch_for_clock(office.db, now):
        print(f"taken for right: {now:%Y-%m-%d %H:%M:%S} UTC; deadlines run again with the next sweep")
        return
    told = pulse(office.db, DOUBT)
    if told is None or not is_clock_in_doubt(office.db):
        print(f"not in doubt; this machine says {now:%Y-%m-%d %H:%M:%S} UTC")
        return
    since = datetime.fromisoformat(told.data["since"])
    print(f"in doubt since {since:%Y-%m-%d %H:%M:%S} UTC: it jumped by {told.data['jump']} s")
    print(f"this machine says {now:%Y-%m-%d %H:%M:%S} UTC; if that is right: pbem clock --right")
    raise typer.Exit(1)
