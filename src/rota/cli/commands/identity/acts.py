"""`rota acts`: what people did, with who, when and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import desk_options

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.engine.identity.audit_log import AuditEntry

EPILOG = """\b
Examples:
  rota acts
  rota acts --verb redrive --who ann@desk --limit 5
  rota acts --verb cancel                 who cancelled which runs
  rota acts --json | jq .detail.runs

Acts are kept for 90 days.
"""
COLUMNS = ("when", "who", "verb", "subject", "letters", "about")


@click.command("acts", epilog=EPILOG)
@click.option("--verb", metavar="VERB", help="Only these: redrive, rerun, cancel, pause...")
@click.option("--who", metavar="NAME", help="Only what this person did.")
@click.option("--before", metavar="ID", help="The page after the one that ended with this act.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@desk_options
def command(*, as_json: bool, **flags: Any) -> None:
    """List what people did to runs, dead letters and definitions, the newest first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table
    from rota.cli.pages.documents import iso
    from rota.errors import BadInput
    from rota.ids import is_id

    if flags["before"] and not is_id(flags["before"]):
        raise BadInput(f"--before {flags['before']!r:.64} is not the id of an act")
    wanted = {name: flags[name] for name in ("verb", "who", "before", "limit")}
    with place(flags) as here:
        found, now = here.audit.list(**wanted), now_at(here)
    if as_json:
        from msgspec import to_builtins

        print_json({**to_builtins(act), "at": iso(act.at)} for act in found)
    else:
        print_table(COLUMNS, [_row(act, now) for act in found], empty="nobody did anything")


def _row(act: AuditEntry, now: int) -> Row:
    from rota.cli.times import ago

    return (
        ago(act.at, now),
        act.who,
        act.verb,
        act.subject,
        str(act.detail.get("letters", "")),
        _about(act),
    )


def _about(act: AuditEntry) -> str:
    """Why, if it was said; else what is particular about it."""
    facts = act.detail
    if facts.get("why"):
        return str(facts["why"])
    if act.verb == "mark":
        return f"node {facts.get('node')} is {facts.get('as')}"
    if act.verb == "rerun" and facts.get("part"):
        node = f" {facts['node']}" if facts.get("node") else ""
        return f"{facts['part']}{node}, as run {facts.get('as')}"
    return str(facts.get("reason") or "")
