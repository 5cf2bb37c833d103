"""Flags that say which runs are meant, for `rota runs` and `rota views`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
STARTED = ("scheduled_since", "scheduled_until")
SEARCH = (
    *("label", "arg", "since", "until", "schedule", "error", "text", "scheduled_for", "steps"),
)


def search_options(command: F) -> F:
    """Add filters by label, argument, time, schedule, error and text."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--label",
        multiple=True,
        metavar="CONDITION",
        help="team=billing, 'amount>10' or a name alone; repeatable, all must hold.",
    ),
    click.option(
        "--arg", multiple=True, metavar="NAME=VALUE", help="Only with this argument; repeatable."
    ),
    click.option("--since", metavar="TIME", help="Asked for since: 2h, or an instant."),
    click.option("--until", metavar="TIME", help="Asked for before: 2h, or an instant."),
    click.option("--schedule", metavar="NAME", help="Only runs of this schedule."),
    click.option(
        "--scheduled-for",
        metavar="DAY|TIME",
        help="Only runs for this day, or this instant, of their schedule.",
    ),
    click.option("--error", metavar="TEXT", help="Only with this in the error."),
    click.option("--text", metavar="TEXT", help="Only with this in the arguments or the key."),
    click.option(
        "--nodes/--no-nodes",
        "steps",
        default=None,
        help="Runs of the nodes of graphs too, or not; a list has them with --job only.",
    ),
)


def search_of(flags: dict[str, Any]) -> dict[str, Any]:
    """Take these flags out, and return them as `runs()` takes them."""
    given = {name: flags.pop(name, None) for name in SEARCH}
    day = given.pop("scheduled_for")
    search = {
        "labels": list(given.pop("label") or ()),
        "args": list(given.pop("arg") or ()),
        **given,
        **(_scheduled(day) if day else {}),
    }
    return {name: value for name, value in search.items() if value not in (None, [], ())}


def labels_of(words: tuple[str, ...], flag: str = "--label") -> dict[str, Any]:
    """Read `team=billing`: a number or true and false as such, anything else as text."""
    from rota.errors import BadOption

    labels: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise BadOption(f"{flag} {word!r:.80} is not NAME=VALUE, such as team=billing")
        labels[name] = _value(text)
    return labels


def shown_labels(labels: Mapping[str, object]) -> str:
    """Return labels on a line: `amount=12, team=billing`."""
    from rota.rules.runs.labels import text_of

    return ", ".join(f"{name}={text_of(value)}" for name, value in labels.items())  # type: ignore[arg-type]


def _value(text: str) -> Any:
    """Return the value that shows as this text, so that `1.10` and `007` stay texts."""
    import json

    from rota.rules.runs.labels import text_of

    try:
        value = json.loads(text)
    except ValueError:
        return text
    is_plain = isinstance(value, bool | int | float)
    return value if is_plain and text_of(value) == text else text


def _scheduled(text: str) -> dict[str, Any]:
    """Return the first instant that is meant, and the first that is not."""
    from datetime import datetime, timedelta
    from zoneinfo import ZoneInfo

    from rota.cli.machine_zone import machine_zone
    from rota.cli.times import instant

    try:
        start = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=ZoneInfo(machine_zone()))
    except ValueError:
        at = instant("--scheduled-for", text)
        assert at is not None  # noqa: S101  # a text was given
        return dict(zip(STARTED, (at, at + timedelta(milliseconds=1)), strict=True))
    return dict(zip(STARTED, (start, start + timedelta(days=1)), strict=True))
