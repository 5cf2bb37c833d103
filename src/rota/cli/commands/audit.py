"""`rota audit`: every change with who, from where, in which order; and proof that it is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import Noun, desk_options

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.engine.acts import Act

EPILOG = """\b
Examples:
  rota audit --who token:ci --limit 5
  rota audit --subject daily-report --json
  rota audit verify
  rota audit verify --head 5f0c...        the chain still holds what was noted then

Each act has its place in a chain of hashes, given within a few seconds. Write the last hash down
elsewhere from time to time: who can change the database can make a new chain, but not that one.
"""
COLUMNS = ("seq", "when", "who", "from", "verb", "subject", "why")


@click.group("audit", cls=Noun, epilog=EPILOG)
def command() -> None:
    """List all changes of a namespace, and verify that none was altered or removed."""


@command.command("list")
@click.option("--verb", metavar="VERB", help="Only these, such as `cancel run`.")
@click.option("--who", metavar="NAME", help="Only what this one did.")
@click.option("--subject", metavar="TEXT", help="Only about this: a job, a run, a token.")
@click.option("--before", metavar="ID", help="The page after the one that ended with this act.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List changes, the newest first."""
    from rota.cli.documents import iso
    from rota.cli.houses import house
    from rota.cli.output import print_json, print_table
    from rota.errors import BadInput
    from rota.ids import is_id

    if flags["before"] and not is_id(flags["before"]):
        raise BadInput(f"--before {flags['before']!r:.64} is not the id of an act")
    wanted = {name: flags[name] for name in ("verb", "who", "subject", "before", "limit")}
    with house(flags) as here:
        found, now = here.acts(**wanted), here.now()
    if as_json:
        from msgspec import to_builtins

        print_json({**to_builtins(act), "at": iso(act.at)} for act in found)
    else:
        print_table(COLUMNS, [_row(act, now) for act in found], empty="nobody did anything")


@command.command("verify")
@click.option("--head", metavar="HASH", help="A hash that was noted earlier and must be there.")
@desk_options
def verify(*, as_json: bool, head: str | None, **flags: Any) -> int:
    """Walk along the chain; ends with 1 and names the place if it does not hold."""
    from msgspec import to_builtins

    from rota.cli.houses import house
    from rota.cli.output import print_json

    with house(flags) as here:
        found = here.verify(head)
    if as_json:
        print_json([to_builtins(found)])
    elif found.is_good:
        print(f"good: {found.acts} acts, the last is {found.seq} with the hash {found.hash}")
    else:
        print(f"NOT good: {found.says}; {found.acts} acts before it are good")
    return 0 if found.is_good else 1


def _row(act: Act, now: int) -> Row:
    from rota.cli.times import ago

    return (
        "" if act.seq is None else str(act.seq),
        ago(act.at, now),
        act.who,
        act.address or "",
        act.verb,
        act.subject,
        str(act.detail.get("why", "")),
    )
