"""`pbem letters shunted requeue journal`: the mailbag and the journal, as an umpire looks at them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC
from typing import Annotated, Any

import typer

from pbem.cli.service import As, AsJson, Config, Name, campaign_at, check_may_see, letter_filter, open_service
from pbem.cli.terminal import show_json, show_rows
from pbem.context import ServiceContext
from pbem.errors import BadInput
from pbem.store.campaigns import all_campaigns
from pbem.store.inbox import letter, requeue_letter
from pbem.store.journal import read_journal, read_records
from pbem.store.mail_log import LogEntry, count_letters, letters_in, letters_out
from pbem.store.outbox import resend
from pbem.store.schema import INBOX_STATES, OUTBOX_STATES

HEADINGS = ("no.", "when (UTC)", "state", "kind", "campaign", "seat", "tries", "remark")
Limit = Annotated[int, typer.Option(min=1, max=1000, help="how many of each, newest first")]


# ------------------------------------------------------------------ letters


def letters_command(
    name: Annotated[str, typer.Argument(help="one campaign's; default: all letters")] = "",
    state: Annotated[str, typer.Option(help="only those in this state")] = "",
    limit: Limit = 30,
    who: As = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """List the letters that came and those of ours, each with its state."""
    service = open_service(config)
    if state and state not in (*INBOX_STATES, *OUTBOX_STATES):
        known = ", ".join(dict.fromkeys((*INBOX_STATES, *OUTBOX_STATES)))
        raise BadInput(f"no letter is ever {state!r}; the states are {known}")
    chosen = campaign_at(service, name).id if name else ""
    screen = letter_filter(service, who, chosen)
    came = letters_in(service.db, chosen, state, limit, screen)
    ours = letters_out(service.db, chosen, state, limit, screen)
    count = count_letters(service.db)
    if as_json:
        rows = {"in": [asdict(one) for one in came], "out": [asdict(one) for one in ours]}
        show_json({**rows, "counts": count, "sealed": sorted(screen.campaigns)})
        return
    for way, shown in (("in", came), ("out", ours)):
        print(way)
        show_rows(HEADINGS, map(_row, shown), "  none")
        counted = ", ".join(f"{number} {state}" for state, number in count[way].items())
        print(f"of the whole house: {counted or 'none'}\n")
    if screen.campaigns:
        print(
            f"sealed: {', '.join(sorted(screen.campaigns))}; their letters are counted and not listed. All "
            "are listed after `pbem unseal`, which every seat is told of"
        )


def shunted_command(limit: Limit = 30, who: As = "", as_json: AsJson = False, config: Config = None) -> None:
    """List the letters that wait for somebody to look at them: shunted and quarantined ones."""
    service = open_service(config)
    screen = letter_filter(service, who)
    states = ("shunted", "quarantined")
    found = [one for state in states for one in letters_in(service.db, "", state, limit, screen)]
    if as_json:
        show_json([asdict(one) for one in found])
        return
    show_rows(HEADINGS, map(_row, found), "no letter is shunted or quarantined")
    if found:
        print("\nread one again with: pbem requeue NUMBER; look at it with: pbem requeue NUMBER --show")


def requeue_command(
    number: Annotated[int, typer.Argument(help="the letter's number")],
    out: Annotated[bool, typer.Option("--out", help="a letter of ours: send it again")] = False,
    show: Annotated[bool, typer.Option("--show", help="print its bytes instead")] = False,
    who: As = "",
    config: Config = None,
) -> None:
    """Read a letter again that was shunted, quarantined, held or refused; or send one of ours again."""
    service = open_service(config)
    if show:
        _print_letter(service, number, who)
        return
    again = resend if out else requeue_letter
    if not again(service.db, number, service.now()):
        which = (
            "failed or was sent, and is still kept" if out else "was shunted, quarantined, held or refused"
        )
        raise BadInput(f"there is no letter {number} that {which}")
    print(f"letter {number} {'is sent' if out else 'is read'} again by the running service")


def _print_letter(service: ServiceContext, number: int, who: str) -> None:
    found = letter(service.db, number)
    if found is None:
        raise BadInput(f"there is no letter {number}, or its bytes are erased")
    known = [campaign_at(service, found.campaign)] if found.campaign else all_campaigns(service.db, "running")
    for campaign in known:  # a letter of nobody's may be of any campaign
        check_may_see(service, campaign, who)
    sys.stdout.write(found.raw.decode("utf-8", "replace"))


def _row(one: LogEntry) -> tuple[Any, ...]:
    when = f"{one.at.astimezone(UTC):%Y-%m-%d %H:%M}"
    return one.id, when, one.state, one.kind, one.campaign, one.seat, one.tries, one.remark


# ------------------------------------------------------------------ journal


def journal_command(
    name: Name,
    branch: Annotated[int | None, typer.Option(min=0, help="default: the one in play")] = None,
    public: Annotated[bool, typer.Option("--public", help="only what every seat may read")] = False,
    last: Annotated[int, typer.Option(min=0, help="only so many lines at the end; 0: all")] = 0,
    who: As = "",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Print a campaign's journal: every line, or the public record."""
    service = open_service(config)
    campaign = campaign_at(service, name)
    if public:
        records = read_records(service.db, campaign.id)
        rows = [(record.close.t, line) for record in records for line in record.public_lines]
    else:
        check_may_see(service, campaign, who)
        lines = read_journal(service.db, campaign.id, branch)
        rows = [(number, line.data) for number, line in enumerate(lines, 1)]
    rows = rows[-last:] if last else rows
    if as_json:
        show_json([{"number": number, **data} for number, data in rows])
        return
    for number, data in rows:
        rest = " ".join(f"{key}={_short(value)}" for key, value in data.items() if key != "k")
        print(f"{number:6} {data['k']:8} {rest}")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:97]}…"
