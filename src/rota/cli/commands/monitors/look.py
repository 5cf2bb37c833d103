"""`rota monitors list`, `show`, `pings` and `url`: what foreign jobs have told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from rota.cli.commands.monitors.group import command
from rota.cli.options import desk_options
from rota.model.monitors.monitor import MonitorState

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.monitors.monitor import MonitorView, PingView

COLUMNS = ("name", "state", "expects", "grace", "last ping", "next", "recent", "note")
PINGS = ("number", "at", "kind", "took", "from", "agent", "bytes")
STATES: tuple[str, ...] = get_args(MonitorState)
_MARKS = {"success": "+", "fail": "x", "start": ">", "log": "."}
SHOWN_MARKS = 10


@command.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only those in this state.")
@desk_options
def list_(*, state: str | None, as_json: bool, **flags: Any) -> None:
    """List monitors by name; recent pings are + success, x failure, > start and . log."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        found = here.monitors.list(state=state)
        now = now_at(here)
    if as_json:
        print_json(found)
    else:
        rows = [_row(each, now) for each in found]
        print_table(COLUMNS, rows, empty="no monitors: `rota monitors set NAME --every 1d`")


@command.command("show")
@click.argument("name")
@desk_options
def show(*, name: str, as_json: bool, **flags: Any) -> None:
    """Show one monitor with its address."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json
    from rota.cli.times import since
    from rota.rules.text.duration import format_duration

    with place(flags) as here:
        found = here.monitors.show(name)
        now = now_at(here)
    if as_json:
        print_json([found])
        return
    print(f"{found.name} is {found.state}")
    lasted = found.last_duration_ms
    facts = {
        "why": found.reason,
        "expects": f"{found.description}, {found.grace} of grace",
        "last ping": found.last_at and since(found.last_at, now),
        "took": None if lasted is None else format_duration(lasted),
        "running": found.started_at and f"since {found.started_at.text()}",
        "next": found.expected_at and since(found.expected_at, now),
        "down at": found.down_at and found.down_at.text(),
        "address": found.path,
        "or by name": found.slug_path,
        "pings": found.pings,
        "note": found.note or None,
    }
    for label, value in facts.items():
        if value is not None:
            print(f"  {label:<10} {value}")


@command.command("pings")
@click.argument("name")
@click.option("--limit", type=click.IntRange(1, 100), default=20, help="At most so many (20).")
@click.option("--number", type=click.IntRange(1), help="Print what came with this one.")
@desk_options
def pings(*, name: str, limit: int, number: int | None, as_json: bool, **flags: Any) -> None:
    """List pings of a monitor, the newest first; the newest hundred are kept."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        if number is not None:
            one = here.monitors.show_ping(name, number)
            if as_json:
                print_json([one])
            else:
                for line in one.body.rstrip("\n").split("\n"):
                    print(f"  {line}")  # indented, so that no line of it looks like one of ours
            return
        found = here.monitors.pings(name, limit=limit)
        now = now_at(here)
    if as_json:
        print_json(found)
    else:
        print_table(PINGS, [_ping(each, now) for each in found], empty="no pings yet")


@command.command("url")
@click.argument("name")
@click.option("--slug", is_flag=True, help="The address with the ping key and the name.")
@click.option("--base", metavar="URL", help="How jobs reach the server (http://127.0.0.1:8470).")
@desk_options
def url(*, name: str, slug: bool, base: str | None, as_json: bool, **flags: Any) -> None:
    """Print the address that the job pings; it is a secret."""
    from rota.cli.connect.backends import place
    from rota.cli.options import settings_of
    from rota.cli.output import print_json
    from rota.errors import NotPermitted

    with place(flags) as here:
        found = here.monitors.show(name)
    if found.is_masked:
        raise NotPermitted("a viewer does not see addresses: whoever has one can ping")
    server = base or settings_of(flags).server or "http://127.0.0.1:8470"
    address = server.rstrip("/") + (found.slug_path if slug else found.path)
    if as_json:
        print_json([{"name": name, "url": address}])
    else:
        print(address)


def _row(monitor: MonitorView, now: int) -> Row:
    from rota.cli.times import since

    marks = "".join(_MARKS[each.kind] for each in monitor.recent[-SHOWN_MARKS:])
    return (
        monitor.name,
        monitor.state,
        monitor.description,
        monitor.grace,
        "" if monitor.last_at is None else since(monitor.last_at, now),
        "" if monitor.expected_at is None else since(monitor.expected_at, now),
        marks,
        monitor.note,
    )


def _ping(ping: PingView, now: int) -> Row:
    from rota.cli.times import since
    from rota.rules.text.duration import format_duration

    exited = "" if ping.exit_status is None else f" {ping.exit_status}"
    return (
        str(ping.number),
        since(ping.at, now),
        f"{ping.kind}{exited}",
        "" if ping.duration_ms is None else format_duration(ping.duration_ms),
        ping.address or ping.method,
        ping.agent,
        str(ping.size),
    )
