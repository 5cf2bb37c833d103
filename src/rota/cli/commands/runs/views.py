"""`rota views`: named filters of the list of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.commands.runs.filters import search_of, search_options
from rota.cli.options import NounGroup, desk_options
from rota.model.states import State

if TYPE_CHECKING:
    from rota.model.runs.saved_view import SavedView

EPILOG = """\b
Examples:
  rota views
  rota views put late --state failed --label team=billing --since 1d
  rota runs --view late
  rota views remove late

A view belongs to the namespace: everybody who sees its runs has it, in the web UI too.
"""
COLUMNS = ("name", "shows", "note", "changed by")


@click.group("views", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List saved views of runs; save one, remove one."""


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the saved views, by name."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        found = here.views.list()
    if as_json:
        print_json(found)
        return
    rows = [(each.name, shown_filter(each), each.note, each.changed_by) for each in found]
    print_table(COLUMNS, rows, empty="no saved views: `rota views put` makes one")


@command.command("put")
@click.argument("name")
@click.option("--state", type=click.Choice([state.value for state in State]))
@click.option("--job", metavar="NAME", help="Only runs of this job.")
@click.option("--queue", metavar="NAME", help="Only runs of this queue.")
@search_options
@click.option("--note", metavar="TEXT", default="", help="What it is for.")
@desk_options
def put(*, name: str, note: str, as_json: bool, **flags: Any) -> None:
    """Save a view under this NAME, in place of any other of that name."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    own = {name: flags.pop(name) for name in ("state", "job", "queue")}
    search = search_of(flags)
    with place(flags) as here:
        view = here.views.put(name, note=note, **own, **search)
    if as_json:
        print_json([view])
    else:
        print(f"{view.name}: {shown_filter(view)}")


@command.command("remove")
@click.argument("name")
@desk_options
def remove(*, name: str, as_json: bool, **flags: Any) -> None:
    """Remove the view of this NAME."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.errors import UnknownView

    with place(flags) as here:
        if not here.views.remove(name):
            raise UnknownView(name)
    if as_json:
        print_json([{"name": name, "status": "removed"}])
    else:
        print(f"{name} removed")


def shown_filter(view: SavedView) -> str:
    """Return the filter on a line, such as `status=failed label=team=billing`."""
    import msgspec

    fields = msgspec.to_builtins(view.filter)
    pairs = [
        (name, item)
        for name, value in fields.items()
        for item in (value if isinstance(value, list | tuple) else [value])
    ]
    return " ".join(f"{name}={item}" for name, item in pairs) or "all runs"
