"""`rota jobs pause`, `resume` and `remove`."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import desk_options, note_option, who_option


@click.command("pause")
@click.argument("name", shell_complete=names_of("jobs"))
@note_option()
@who_option
@desk_options
def pause(*, name: str, note: str | None, who: str | None, as_json: bool, **flags: Any) -> None:
    """Hold back all runs of a job until it is resumed; what runs goes on."""
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        here.definitions.pause(name, note=note, **by(who))
    _print_state(name, "paused", as_json=as_json)


@click.command("resume")
@click.argument("name", shell_complete=names_of("jobs"))
@who_option
@desk_options
def resume(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Start runs of a paused job again, in the old order."""
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        here.definitions.resume(name, **by(who))
    _print_state(name, "active", as_json=as_json)


@click.command("remove")
@click.argument("name", shell_complete=names_of("jobs"))
@who_option
@desk_options
def remove(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Take a job off the record, with its schedules; runs that wait are still carried out.

    Only a job that was defined through the API: one of code or a file leaves with its code or file.
    """
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        here.definitions.remove(name, **by(who))
    _print_state(name, "removed", as_json=as_json)


def _print_state(name: str, state: str, *, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([{"name": name, "state": state}])
    else:
        print(f"{name} is {state}")
