"""`rota alerts list`, `show` and `messages`: incidents, and what people were told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.commands.alerts.group import command
from rota.cli.completing import names_of
from rota.cli.options import desk_options

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.alerts.incident import IncidentView, MessageView

COLUMNS = ("id", "severity", "what", "rule", "since", "last", "runs", "told")
MESSAGES = ("at", "channel", "state", "title", "tries", "error")


@command.command("list")
@click.option("--all", "is_all", is_flag=True, help="Show those that are over, too.")
@click.option(
    "--rule",
    metavar="NAME",
    help="Only those of this rule.",
    shell_complete=names_of("alert rules"),
)
@click.option(
    "--job", metavar="NAME", help="Only those about this job.", shell_complete=names_of("jobs")
)
@click.option("--limit", type=click.IntRange(1), default=50, help="At most so many (50).")
@desk_options
def list_(
    *, is_all: bool, rule: str | None, job: str | None, limit: int, as_json: bool, **flags: Any
) -> None:
    """List incidents that rules have found, the newest first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        state = None if is_all else "open"
        found = here.alerts.list(state=state, rule=rule, job=job, limit=limit)
        now = now_at(here)
    if as_json:
        print_json(found)
    else:
        print_table(COLUMNS, [_row(each, now) for each in found], empty="nothing is wrong")


@command.command("show")
@click.argument("alert_id", metavar="ID")
@desk_options
def show(*, alert_id: str, as_json: bool, **flags: Any) -> None:
    """Show one incident."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        found = here.alerts.show(alert_id)
    if as_json:
        print_json([found])
        return
    print(found.title)
    facts = {
        "state": found.state,
        "severity": found.severity,
        "rule": found.rule,
        "kind": found.kind,
        "newest run": found.run_id,
        "failed runs": found.runs,
        "opened": found.opened_at.text(),
        "last seen": found.last_at.text(),
        "over": found.closed_at and found.closed_at.text(),
        "messages": found.messages,
        "advice": found.advice,
    }
    for name, value in facts.items():
        if value is not None:
            print(f"  {name:<12} {value}")


@command.command("messages")
@click.option(
    "--channel",
    metavar="NAME",
    help="Only those to this channel.",
    shell_complete=names_of("alert channels"),
)
@click.option(
    "--state",
    type=click.Choice(("waiting", "sent", "given_up")),
    help="Only those in this state.",
)
@click.option("--limit", type=click.IntRange(1), default=50, help="At most so many (50).")
@desk_options
def messages(
    *, channel: str | None, state: str | None, limit: int, as_json: bool, **flags: Any
) -> None:
    """List what people were told, and what did not arrive, the newest first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        found = here.alerts.messages(channel=channel, state=state, limit=limit)
        now = now_at(here)
    if as_json:
        print_json(found)
    else:
        print_table(MESSAGES, [_message(each, now) for each in found], empty="no messages")


def _row(incident: IncidentView, now: int) -> Row:
    from rota.cli.times import since

    return (
        incident.id,
        incident.severity if incident.state == "open" else "over",
        incident.title,
        incident.rule,
        since(incident.opened_at, now),
        since(incident.last_at, now),
        "" if incident.runs is None else str(incident.runs),
        str(incident.messages),
    )


def _message(message: MessageView, now: int) -> Row:
    from rota.cli.times import since

    return (
        since(message.at, now),
        message.channel,
        message.state.replace("_", " "),
        message.title,
        str(message.tries),
        message.error or "",
    )
