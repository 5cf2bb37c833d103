"""`rota releases`: the declarations of each deploy, in order, and the way back to one."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import (
    NounGroup,
    json_option,
    local_options,
    namespace_option,
    settings_of,
    who_option,
)

EPILOG = """\b
Examples:
  rota releases
  rota releases use 3            go back to what release 3 declared

Code that starts for the first time is the newest. Code that starts again after other code has
declared something else is older: it changes nothing, and works on.
"""
COLUMNS = ("number", "app", "label", "jobs", "schedules", "seen", "holds")


@click.group("releases", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List what the code of apps declared, or go back to it."""


def _options(body: Any) -> Any:
    app = click.option("--app", metavar="APP", help="Take the address from this app.")
    return local_options(namespace_option(app(json_option(body))))


@command.command("list")
@click.option("--limit", default=20, show_default=True, help="How many, the newest first.")
@_options
def list_(*, as_json: bool, limit: int, **flags: Any) -> None:
    """List releases, the newest first."""
    from rota.cli.connect.store_app import client
    from rota.cli.output import print_json, print_table

    app = client(settings_of(flags))
    try:
        views = app.releases.list(limit=limit)
    finally:
        app.close()
    if as_json:
        print_json(views)
        return
    rows = [
        (
            str(each.number),
            each.app or "",
            each.label or "",
            str(len(each.jobs)),
            str(len(each.schedules)),
            each.seen_at.text(),
            "yes" if each.holds else "",
        )
        for each in views
    ]
    print_table(COLUMNS, rows, empty="no worker has declared anything yet")


@command.command("use")
@click.argument("number", type=int, shell_complete=names_of("releases"))
@who_option
@_options
def use(*, number: int, as_json: bool, who: str | None, **flags: Any) -> None:
    """Make what release NUMBER declared hold again, at once.

    Jobs get the versions and schedules that they had with it; what only later code of the app
    brought is removed. Later code counts as older from now on, until it is deployed anew.
    """
    from rota.cli.connect.store_app import client
    from rota.cli.output import print_json

    app = client(settings_of(flags))
    try:
        release = app.releases.use(number, who=who)
    finally:
        app.close()
    if as_json:
        print_json([release])
    else:
        print(f"what release {number} declared holds again, as release {release.number}")
