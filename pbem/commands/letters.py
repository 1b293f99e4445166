"""`pbem letters shunted requeue journal`: the mailbag and the journal, as an umpire looks at them."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from datetime import UTC
from typing import Annotated, Any

import typer

from pbem.campaigns.umpire.acts import may_see_all
from pbem.commands.service import (
    As,
    AsJson,
    Config,
    Name,
    campaign_at,
    check_may_see,
    office_at,
    show_rows,
    umpire_at,
)
from pbem.commands.terminal import show_json
from pbem.errors import BadInput
from pbem.office import Office
from pbem.store.campaigns import all_campaigns
from pbem.store.journal import read_journal, read_records
from pbem.store.mailbag import letter, requeue_letter
from pbem.store.outbox import send_again
from pbem.store.registry import Entered, letters_in, letters_out
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
    office = office_at(config)
    if state and state not in (*INBOX_STATES, *OUTBOX_STATES):
        known = ", ".join(dict.fromkeys((*INBOX_STATES, *OUTBOX_STATES)))
        raise BadInput(f"no letter is ever {state!r}; the states are {known}")
    here = campaign_at(office, name).id if name else ""
    sealed = _sealed(office, umpire_at(office, who))
    came = _shown(letters_in(office.db, here, state, limit), sealed)
    ours = _shown(letters_out(office.db, here, state, limit), sealed)
    if as_json:
        show_json({"in": [asdict(one) for one in came], "out": [asdict(one) for one in ours]})
        return
    print("in")
    show_rows(HEADINGS, map(_row, came), "  none")
    print("\nout")
    show_rows(HEADINGS, map(_row, ours), "  none")


def shunted_command(limit: Limit = 30, as_json: AsJson = False, config: Config = None) -> None:
    """List the letters that wait for somebody to look at them: shunted and quarantined ones."""
    office = office_at(config)
    found = [
        one for state in ("shunted", "quarantined") for one in letters_in(office.db, state=state, limit=limit)
    ]
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
    office = office_at(config)
    if show:
        _print_letter(office, number, umpire_at(office, who))
        return
    again = send_again if out else requeue_letter
    if not again(office.db, number, office.now()):
        which = (
            "failed or was sent, and is still kept" if out else "was shunted, quarantined, held or refused"
        )
        raise BadInput(f"there is no letter {number} that {which}")
    print(f"letter {number} {'is sent' if out else 'is read'} again by the running service")


def _print_letter(office: Office, number: int, umpire: int | None) -> None:
    found = letter(office.db, number)
    if found is None:
        raise BadInput(f"there is no letter {number}, or its bytes are erased")
    known = [campaign_at(office, found.campaign)] if found.campaign else all_campaigns(office.db, "running")
    for here in known:  # a letter of nobody's may be of any campaign
        check_may_see(office, here, umpire)
    sys.stdout.write(found.raw.decode("utf-8", "replace"))


def _sealed(office: Office, umpire: int | None) -> frozenset[str]:
    """Campaigns in which an umpire plays along: whose letters came is not his to know."""
    running = all_campaigns(office.db, "running")
    return frozenset(one.id for one in running if not may_see_all(office.db, one.id, umpire))


def _shown(rows: list[Entered], sealed: frozenset[str]) -> list[Entered]:
    return [replace(one, seat="?", remark="") if one.campaign in sealed else one for one in rows]


def _row(one: Entered) -> tuple[Any, ...]:
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
    office = office_at(config)
    here = campaign_at(office, name)
    if public:
        records = read_records(office.db, here.id)
        rows = [(record.close.t, line) for record in records for line in record.public_lines]
    else:
        check_may_see(office, here, umpire_at(office, who))
        lines = read_journal(office.db, here.id, branch)
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
