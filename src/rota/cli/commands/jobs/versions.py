"""`rota jobs versions`, `diff`, `rollback` and `weights`."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import desk_options, who_option

COLUMNS = ("version", "created", "origin", "current", "weight")


@click.command("versions")
@click.argument("name", shell_complete=names_of("jobs"))
@click.option("--limit", type=click.IntRange(1, 500), default=30, show_default=True)
@desk_options
def versions(*, name: str, limit: int, as_json: bool, **flags: Any) -> None:
    """List the versions of a job, the newest first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table
    from rota.cli.times import since

    with place(flags) as here:
        views, now = here.definitions.versions(name, limit=limit), now_at(here)
    if as_json:
        print_json(views)
        return
    rows = [
        (
            str(each.version),
            since(each.created_at, now),
            each.origin,
            "current" if each.current else "",
            "" if each.weight is None else str(each.weight),
        )
        for each in views
    ]
    print_table(COLUMNS, rows, empty="no versions")


@click.command("diff")
@click.argument("name", shell_complete=names_of("jobs"))
@click.argument("old", type=click.IntRange(1))
@click.argument("new", type=click.IntRange(1))
@desk_options
def diff(*, name: str, old: int, new: int, as_json: bool, **flags: Any) -> None:
    """Show, field by field, what version NEW has that version OLD has not."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.cli.pages.changes import shown

    with place(flags) as here:
        found = here.definitions.compare(name, old, new)
    if as_json:
        print_json([found])
        return
    for each in found.changes:
        print(f"{each.field}: {shown(each.old)} -> {shown(each.new)}")
    if not found.changes:
        print("nothing differs")


@click.command("rollback")
@click.argument("name", shell_complete=names_of("jobs"))
@click.argument("version", type=click.IntRange(1))
@who_option
@desk_options
def rollback(*, name: str, version: int, who: str | None, as_json: bool, **flags: Any) -> None:
    """Make an old version the current one again; runs that were accepted keep theirs.

    Only of a job that was defined through the API. `rota releases use` goes back to a deploy.
    """
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json

    with place(flags, who=who) as here:
        made = here.definitions.roll_back(name, version, **by(who))
    if as_json:
        print_json([made])
    else:
        print(f"{name} is version {made.version} again")


@click.command("weights")
@click.argument("name", shell_complete=names_of("jobs"))
@click.argument("shares", metavar="[VERSION=SHARE]...", nargs=-1)
@click.option("--clear", is_flag=True, help="All runs get the current version again.")
@who_option
@desk_options
def weights(
    *,
    name: str,
    shares: tuple[str, ...],
    clear: bool,
    who: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Share out the runs to come between versions, as in 3=90 4=10; without shares, show them."""
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json

    if clear and shares:
        raise click.UsageError("give shares, or --clear")
    wanted = dict(map(_share, shares))
    with place(flags, who=who) as here:
        if shares or clear:
            found = here.definitions.weigh(name, wanted, **by(who))
        else:
            found = here.definitions.show(name).weights
    if as_json:
        print_json([{"name": name, "weights": found}])
    elif found:
        print("\n".join(f"version {version}: {weight}" for version, weight in found.items()))
    else:
        print(f"all runs of {name} get its current version")


def _share(text: str) -> tuple[int, int]:
    version, _, weight = text.partition("=")
    if not (version.isdecimal() and weight.isdecimal()):
        raise click.UsageError(f"{text!r} is not VERSION=SHARE, such as 3=90")
    return int(version), int(weight)
