"""`rota alerts channels`: the ways to reach people."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.commands.alerts.group import command
from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options

COLUMNS = ("name", "kind", "url", "waiting", "last sent", "last error", "note")


@command.group("channels", cls=NounGroup)
def channels() -> None:
    """List channels; create, change, test and remove them."""


@channels.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the channels of this namespace; their secrets are left out."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table
    from rota.cli.times import since

    with place(flags) as here:
        found = here.alerts.channels()
        now = now_at(here)
    if as_json:
        print_json(found.values())
        return
    rows = [
        (
            each.name,
            each.kind,
            each.url,
            str(each.waiting),
            "" if each.sent_at is None else since(each.sent_at, now),
            each.error or "",
            each.note,
        )
        for each in found.values()
    ]
    print_table(COLUMNS, rows, empty="no channels: `rota alerts channels set NAME URL` makes one")


@channels.command("set")
@click.argument("name", shell_complete=names_of("alert channels"))
@click.argument("address", metavar="URL")
@click.option("--secret", metavar="TEXT", help="The key that signs messages to a webhook.")
@click.option("--note", metavar="TEXT", default="", help="Who is behind it.")
@desk_options
def set_(
    *, name: str, address: str, secret: str | None, note: str, as_json: bool, **flags: Any
) -> None:
    """Create a channel or change the one of that name.

    ${NAME} in URL or --secret is a variable of the environment of the process that sends: a
    password there is in no database. Quote the URL, or the shell replaces it.
    """
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        new = here.alerts.put_channel(name, address, secret=secret, note=note)
    if as_json:
        print_json([new])
    else:
        print(f"channel {name} is set: {new.kind}, {new.url}")
        print(f"  try it: rota alerts channels test {name}")


@channels.command("test")
@click.argument("name", shell_complete=names_of("alert channels"))
@click.option("--wait", "wait_s", type=float, default=15.0, help="How long to wait for it (15 s).")
@desk_options
def test(*, name: str, wait_s: float, as_json: bool, **flags: Any) -> int:
    """Send a test message and wait until it has arrived or failed."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        message = here.alerts.test(name)
        message = _await_result(here, message.id, name, wait_s) or message
    if as_json:
        print_json([message])
    elif message.state == "sent":
        print(f"the message has arrived at {name}")
    else:
        why = message.error or "no process has sent it yet: is one serving or working?"
        print(f"the message has not arrived at {name}: {why}")
    return 0 if message.state == "sent" else 1


@channels.command("remove")
@click.argument("name", shell_complete=names_of("alert channels"))
@desk_options
def remove(*, name: str, as_json: bool, **flags: Any) -> None:
    """Remove a channel; messages to it that wait are given up."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.errors import UnknownAlertChannel

    with place(flags) as here:
        if not here.alerts.remove_channel(name):
            raise UnknownAlertChannel(name)
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"channel {name} is removed")


def _await_result(here: Any, message_id: str, channel: str, wait_s: float) -> Any:
    """Return the message once a try has ended, or as it is when the time is up."""
    from time import sleep

    from rota.clock import elapsed_s

    until_s = elapsed_s() + wait_s
    while True:
        found = [
            each
            for each in here.alerts.messages(channel=channel, limit=100)
            if each.id == message_id
        ]
        message = found[0] if found else None
        if message is None or message.state != "waiting" or message.error:
            return message
        if elapsed_s() >= until_s:
            return message
        sleep(0.2)
