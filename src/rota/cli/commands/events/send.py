"""`rota send`: send an event."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import desk_options, who_option

if TYPE_CHECKING:
    from rota.model.events.event import Sent

EPILOG = """\b
Examples:
  rota send orders.closed order=17 total=99.5
  rota send orders.closed order=17 --key order-17       sent twice, it is one event
  rota send files.arrived --payload '["a.csv", "b.csv"]'
  rota send files.arrived --payload - < list.json

A value that is JSON (200, true, [1,2], "text") is taken as JSON, anything else as text. Each
schedule that listens (`rota schedules set ship "@event orders.closed" --job ship`) starts under
its own overlap policy: fields of the payload that are parameters of its job become arguments, a
parameter named event gets all of it. Prints what became of the event at each of them.
"""


@click.command("send", epilog=EPILOG)
@click.argument("event")
@click.argument("words", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--payload", metavar="JSON", help="The payload as JSON; - reads it from stdin.")
@click.option("--key", metavar="KEY", help="The same fact, sent twice with one key, counts once.")
@who_option
@desk_options
def command(
    *,
    event: str,
    words: tuple[str, ...],
    payload: str | None,
    key: str | None,
    who: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Tell of EVENT: every schedule that listens to it starts, in one transaction."""
    from rota.cli.connect.backends import by, place

    payload_value = _payload(words, payload)
    with place(flags, who=who) as here:
        outcome = here.send(event, payload_value, key=key, **by(who))
    _print_sent(outcome, as_json=as_json)


def _payload(words: tuple[str, ...], text: str | None) -> Any:
    if text is not None:
        if words:
            raise click.UsageError("give --payload, or NAME=VALUE; not both")
        return _decoded(sys.stdin.read() if text == "-" else text)
    from rota.cli.arguments import parse

    arguments = parse(words, None, hints={})
    if arguments.args:
        raise click.UsageError(f"{words[0]!r} is not NAME=VALUE")
    return arguments.kwargs


def _decoded(text: str) -> Any:
    import msgspec

    from rota.errors import BadOption
    from rota.rules.text.json_keys import check_keys

    check_keys(text)
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise BadOption(f"--payload is not JSON: {error}") from error


def _print_sent(sent: Sent, *, as_json: bool) -> None:
    from rota.cli.output import print_json, print_table

    if as_json:
        print_json([sent])
        return
    if not sent.is_new:
        print(f"event {sent.id} was sent before; nothing was started again", file=sys.stderr)
    rows = [(each.schedule, each.decision, each.run_id or "") for each in sent.heard]
    print_table(("schedule", "what", "run"), rows, empty="no schedule listens")
